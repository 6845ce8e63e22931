// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Is the port up, at which speed, with which MTU and addresses, and what has it counted? */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "doctor/checks.h"
#include "report/counter_class.h"
#include "util/terminal.h"
#include "verbs/device/hardware.h"

#define MAX_GIDS       4096 /* that are examined; rxe has 1024 */
#define SHOWN_GIDS     6
#define SHOWN_COUNTERS 8
#define IB_MTU_MAX     4096
#define LEAST_SHARE    0.9 /* rates are rounded */
#define ROCE_HEADERS   96  /* upper bound for what surrounds a payload: GRH or IP, UDP, BTH, extended headers, CRC */

static bool is_layer(struct subject *subject, const char *name)
{
	char layer[32];

	return !tree_text(&subject->tree, layer, sizeof(layer), "%s/link_layer", subject->folder) &&
	       strcmp(layer, name) == 0;
}

/* Of iWARP, which speaks TCP between the addresses of the interface; its layer is Ethernet, too. */
static bool is_rnic(struct subject *subject)
{
	char type[32];

	return !tree_text(&subject->tree, type, sizeof(type), "%s/../../node_type", subject->folder) &&
	       strncmp(type, "4:", 2) == 0;
}

/* "4: ACTIVE" -> "ACTIVE" */
static const char *behind_colon(const char *text)
{
	const char *colon = strchr(text, ':');

	return colon ? colon + 1 + strspn(colon + 1, " ") : text;
}

/* What to do about a port that is down, after the text. */
static int find_down(struct subject *subject, struct finding *finding, const char *text)
{
	char state[32];

	if (is_layer(subject, "InfiniBand"))
		return finding_look(finding,
				    "%s\nif LinkUp but not ACTIVE, the subnet manager has not configured the port; "
				    "otherwise check the cable and the switch port",
				    text);
	if (subject->netdev[0] &&
	    !tree_text(&subject->tree, state, sizeof(state), "/sys/class/net/%s/operstate", subject->netdev))
		return finding_look(finding, "%s\nthe interface %s is %s: ip link set %s up, and check its cable", text,
				    subject->netdev, state, subject->netdev);
	return finding_look(finding, "%s\ncheck the network interface and the cable", text);
}

int check_state(struct subject *subject, struct finding *finding)
{
	char state[64], physical[64] = "", layer[32] = "", text[192];

	if (tree_text(&subject->tree, state, sizeof(state), "%s/state", subject->folder))
		return UNREAD;
	tree_text(&subject->tree, physical, sizeof(physical), "%s/phys_state", subject->folder);
	tree_text(&subject->tree, layer, sizeof(layer), "%s/link_layer", subject->folder);
	if (strcmp(behind_colon(state), "ACTIVE") == 0)
		return finding_ok(finding, "%s%s%s%s%s", behind_colon(state), physical[0] ? ", " : "",
				  behind_colon(physical), layer[0] ? ", " : "", layer);
	snprintf(text, sizeof(text), "%s%s%s: no test can run on it", behind_colon(state), physical[0] ? ", " : "",
		 behind_colon(physical));
	return find_down(subject, finding, text);
}

/* "100 Gb/sec (4X EDR)" */
int check_rate(struct subject *subject, struct finding *finding)
{
	const struct device_diag *diag = &subject->probe.diag;
	const bool is_infiniband = is_layer(subject, "InfiniBand");
	char rate[64], text[16] = "", *unit;
	unsigned long vendor;
	int64_t megabits = 0;
	double gigabits;

	if (tree_text(&subject->tree, rate, sizeof(rate), "%s/rate", subject->folder))
		return UNREAD;
	gigabits = strtod(rate, &unit);
	if (unit == rate || strncmp(unit, " Gb/sec", strlen(" Gb/sec")) != 0) {
		char path[TREE_PATH + 8];

		snprintf(path, sizeof(path), "%s/rate", subject->folder);
		return tree_malformed(&subject->tree, path, rate, "which is no rate");
	}
	if (is_infiniband && strstr(unit, "(1X"))
		return finding_look(finding,
				    "%s: one lane, where most ports have four\nthe cable or connector may have a bad "
				    "lane: run ibdiagnet, or swap the cable",
				    rate);
	/* Ethernet rates have InfiniBand names here, and are rounded; the interface has the exact one. */
	tree_text(&subject->tree, text, sizeof(text), "%s/../../device/vendor", subject->folder);
	vendor = strtoul(text, NULL, 16);
	if (subject->netdev[0] && vendor != PCI_VMWARE)
		tree_number(&subject->tree, &megabits, "/sys/class/net/%s/speed", subject->netdev);
	if (hardware_rate_is_made_up(vendor, is_infiniband, gigabits)) {
		if (megabits > 0)
			return finding_ok(finding, "the interface %s: %.4g Gb/s", subject->netdev,
					  (double)megabits / 1000);
		return finding_unknown(finding, "%s, which its driver reports of any link that it does not know", rate);
	}
	if (diag->speed_gbits > 0 && diag->speed_gbits < gigabits * LEAST_SHARE)
		return finding_look(finding,
				    "%s, but its effective speed is %.4g Gb/s\na lane, a cable or a member of a bond "
				    "is down: look at each with ethtool, or ibdiagnet on InfiniBand",
				    rate, diag->speed_gbits);
	if (diag->speed_gbits * LEAST_SHARE > gigabits)
		return finding_ok(finding, "%s; effective speed of all members: %.4g Gb/s", rate, diag->speed_gbits);
	if (megabits > 0 && (double)megabits / 1000 < gigabits * LEAST_SHARE)
		return finding_look(finding,
				    "%s, but the interface %s runs at %.4g Gb/s\nethtool %s shows what was negotiated "
				    "and what both ends support",
				    rate, subject->netdev, (double)megabits / 1000, subject->netdev);
	if (megabits > 0)
		return finding_ok(finding, "%s; the interface %s: %.4g Gb/s", rate, subject->netdev,
				  (double)megabits / 1000);
	if (!(diag->speed_gbits > 0) && hardware_rate_is_capped(vendor, is_infiniband, gigabits))
		return finding_unknown(finding,
				       "%s, as kernels before Linux 6.6 say of faster ports, too; the speed of the "
				       "interface cannot be read, as if it is in another network namespace",
				       rate);
	return finding_ok(finding, "%s", rate);
}

/* The largest RDMA MTU whose packets fit the interface's MTU. */
static unsigned fitting_mtu(int64_t bytes)
{
	unsigned mtu = IB_MTU_MAX;

	while (mtu > 256 && mtu + ROCE_HEADERS > bytes)
		mtu /= 2;
	return mtu;
}

int check_mtu(struct subject *subject, struct finding *finding)
{
	const struct device_diag *diag = &subject->probe.diag;
	int64_t bytes;

	if (!diag->port_known)
		return finding_unknown(finding, "libibverbs cannot query the port (see provider)");
	if (is_layer(subject, "InfiniBand") || !subject->netdev[0]) {
		if (is_rnic(subject))
			return finding_unknown(finding,
					       "iWARP sends TCP segments, and the interface is not visible here");
		if (diag->active_mtu == diag->max_mtu)
			return finding_ok(finding, "%u bytes, the maximum of the port", diag->active_mtu);
		return finding_look(finding, "%u of %u bytes\n%s", diag->active_mtu, diag->max_mtu,
				    is_layer(subject, "InfiniBand")
					    ? "the subnet manager sets it for each partition: see its partitions.conf"
					    : "it follows the MTU of the port's network interface, which is not "
					      "visible here, as in some containers");
	}
	if (tree_number(&subject->tree, &bytes, "/sys/class/net/%s/mtu", subject->netdev))
		return finding_unknown(finding, "%s\nin a container the interface may be in another network namespace",
				       subject->tree.failure);
	if (is_rnic(subject))
		return finding_ok(finding, "iWARP sends TCP segments: the MTU of %s is %lld", subject->netdev,
				  (long long)bytes);
	if (diag->active_mtu > bytes)
		return finding_look(finding,
				    "%u bytes, more than the %lld of %s: packets will be dropped\nip link set %s mtu "
				    "%u on both ends, with switches that support it",
				    diag->active_mtu, (long long)bytes, subject->netdev, subject->netdev,
				    diag->active_mtu + ROCE_HEADERS + 8);
	if (diag->active_mtu < diag->max_mtu && fitting_mtu(bytes) > diag->active_mtu)
		return finding_look(finding,
				    "%u bytes, although the %lld of %s leave room for %u\nset the interface's MTU "
				    "again[, or use --mtu][, or use --mtu_size]; the driver did not follow a change",
				    diag->active_mtu, (long long)bytes, subject->netdev, fitting_mtu(bytes));
	if (diag->active_mtu < diag->max_mtu)
		return finding_look(finding,
				    "%u of %u bytes: the MTU of %s is %lld\nlarger packets make large messages faster: "
				    "ip link set %s mtu 4200 or more on both ends, with switches that support it",
				    diag->active_mtu, diag->max_mtu, subject->netdev, (long long)bytes,
				    subject->netdev);
	return finding_ok(finding, "%u bytes, the maximum of the port; %s: %lld", diag->active_mtu, subject->netdev,
			  (long long)bytes);
}

int check_lid(struct subject *subject, struct finding *finding)
{
	int64_t lid, sm_lid = 0;

	if (!is_layer(subject, "InfiniBand"))
		return 0;
	if (tree_number(&subject->tree, &lid, "%s/lid", subject->folder))
		return UNREAD;
	tree_number(&subject->tree, &sm_lid, "%s/sm_lid", subject->folder);
	if (lid == 0)
		return finding_look(finding, "none: no subnet manager has found this port\nstart one (opensm) on a "
					     "host or switch of the fabric; sminfo shows it");
	return finding_ok(finding, "%lld, subnet manager at %lld", (long long)lid, (long long)sm_lid);
}

struct gid_row {
	char text[64];	      /* "fe80:0000:..." */
	char type[TREE_NAME]; /* "RoCE v2" */
	char netdev[TREE_NAME];
	bool is_v2, is_ipv4, is_link_local;
};

/* True for an entry in use. An empty one has no type, and a zero GID. */
static bool read_gid(struct subject *subject, int index, struct gid_row *row)
{
	memset(row, 0, sizeof(*row));
	if (tree_text(&subject->tree, row->text, sizeof(row->text), "%s/gids/%d", subject->folder, index) ||
	    strspn(row->text, "0:") == strlen(row->text))
		return false;
	tree_text(&subject->tree, row->type, sizeof(row->type), "%s/gid_attrs/types/%d", subject->folder, index);
	tree_text(&subject->tree, row->netdev, sizeof(row->netdev), "%s/gid_attrs/ndevs/%d", subject->folder, index);
	row->is_v2 = strcmp(row->type, "RoCE v2") == 0;
	row->is_ipv4 = strncmp(row->text, "0000:0000:0000:0000:0000:ffff:", 30) == 0;
	row->is_link_local = strncasecmp(row->text, "fe8", 3) == 0 || strncmp(row->text + 30, "a9fe:", 5) == 0;
	return true;
}

/* IPv4 in dotted form; the kernel prints all as eight groups. */
static void show_gid(int index, const struct gid_row *row, char *text, size_t size)
{
	unsigned high, low;

	text_add(text, size, "%s%d: ", text[0] ? "; " : "", index);
	if (row->is_ipv4 && sscanf(row->text + 30, "%4x:%4x", &high, &low) == 2)
		text_add(text, size, "%u.%u.%u.%u", high >> 8, high & 255, low >> 8, low & 255);
	else
		text_add(text, size, "%s", row->text);
	text_add(text, size, " %s%s%s", row->type, row->netdev[0] ? " on " : "", row->netdev);
}

int check_gids(struct subject *subject, struct finding *finding)
{
	char list[1024] = "";
	unsigned used = 0, good = 0;
	struct gid_row row;

	if (!tree_exists(&subject->tree, "%s/gids/0", subject->folder))
		return UNREAD;
	for (int i = 0; i < MAX_GIDS && tree_exists(&subject->tree, "%s/gids/%d", subject->folder, i); i++) {
		if (!read_gid(subject, i, &row))
			continue;
		good += row.is_v2 && !row.is_link_local;
		if (used++ < SHOWN_GIDS)
			show_gid(i, &row, list, sizeof(list));
	}
	if (used > SHOWN_GIDS)
		text_add(list, sizeof(list), "; and %u more", used - SHOWN_GIDS);
	if (used == 0)
		return finding_look(finding, "the table is empty\ngive the network interface an address; a container "
					     "needs one of its own on this adapter (macvlan, SR-IOV)");
	if (!is_layer(subject, "Ethernet") || good > 0) /* EFA has a layer of its own */
		return finding_ok(finding, "%s", list);
	if (is_rnic(subject))
		return finding_ok(finding, "%s: of iWARP, where IP addresses connect", list);
	return finding_look(finding,
			    "%s: none is a RoCE v2 GID with a routable address\ngive the network interface an IP "
			    "address[; --gid-index selects one of several]",
			    list);
}

int check_pause(struct subject *subject, struct finding *finding)
{
	const struct nic *nic = &subject->probe.nic;

	if (is_layer(subject, "InfiniBand") || !subject->netdev[0])
		return 0; /* flow control with credits, not pause frames */
	if (nic->error)
		return finding_unknown(finding, "cannot query %s: %s", subject->netdev, strerror(-nic->error));
	if (!nic->pause_known)
		return finding_unknown(finding, "the driver of %s does not report it", subject->netdev);
	if (nic->pause_rx || nic->pause_tx)
		return finding_ok(finding,
				  "%s%s%s on %s: if the peer cannot keep up, the port pauses all of its traffic",
				  nic->pause_rx ? "obeyed" : "", nic->pause_rx && nic->pause_tx ? " and " : "",
				  nic->pause_tx ? "sent" : "", subject->netdev);
	return finding_ok(finding,
			  "off on %s: packets that overflow a buffer are dropped and retransmitted, unless PFC is on",
			  subject->netdev);
}

/* --- counters --- */

/*
 * Have errors occurred on this port since its driver was loaded? Counters are never reset, so a nonzero one does not
 * say when they did. -W shows by how much they increase during a test.
 */

/* Counters of one class. */
struct counter_tally {
	unsigned known;	  /* that this device has */
	unsigned nonzero; /* of those */
	char list[768];
	char failure[640]; /* why one could not be read; "" if all were */
};

static void tally_count(struct counter_tally *tally, const char *name, uint64_t value)
{
	tally->known++;
	if (!value)
		return;
	if (tally->nonzero++ < SHOWN_COUNTERS)
		text_add(tally->list, sizeof(tally->list), "%s%s %llu", tally->list[0] ? ", " : "", name,
			 (unsigned long long)value);
}

/* Of the port, and of the device. */
static void count_files(struct subject *subject, struct counter_tally *tally, enum counter_class class)
{
	static const char *const folders[] = {"counters", "hw_counters", "../../hw_counters"};
	int64_t value;

	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++)
		for (const struct known_counter *counter = known_counters; counter->name; counter++) {
			if (counter->class != class ||
			    !tree_exists(&subject->tree, "%s/%s/%s", subject->folder, folders[i], counter->name))
				continue;
			if (tree_number(&subject->tree, &value, "%s/%s/%s", subject->folder, folders[i], counter->name))
				snprintf(tally->failure, sizeof(tally->failure), "%s", subject->tree.failure);
			else
				tally_count(tally, counter->name, (uint64_t)value);
		}
}

/* Counters of the interface: pause frames, and dropped packets. */
static void count_nic(const struct subject *subject, struct counter_tally *tally, enum counter_class class)
{
	const struct nic *nic = &subject->probe.nic;

	for (unsigned i = 0; i < nic->num_counters; i++) {
		const char *name = nic->counters[i].name;

		if ((class == CONGESTION && nic_counts_pause(name)) || (class == RECEIVER && nic_counts_drops(name)))
			tally_count(tally, name, nic->counters[i].value);
	}
}

static int counters_look(struct subject *subject, struct finding *finding, enum counter_class class, const char *advice)
{
	struct counter_tally tally = {0};

	count_files(subject, &tally, class);
	count_nic(subject, &tally, class);
	if (tally.nonzero) {
		if (tally.nonzero > SHOWN_COUNTERS)
			text_add(tally.list, sizeof(tally.list), ", and %u more", tally.nonzero - SHOWN_COUNTERS);
		return finding_look(finding,
				    "since the driver was loaded: %s\n%s; is it still rising? look again after a test"
				    "[, or name counters to --report-counters]",
				    tally.list, advice);
	}
	if (tally.failure[0])
		return finding_unknown(finding, "%s", tally.failure);
	if (tally.known)
		return finding_ok(finding, "%u counter%s, all 0", tally.known, tally.known == 1 ? "" : "s");
	return finding_unknown(finding, "%s has no known counter of this kind", subject->device);
}

#define COUNTERS(check, class, advice)                                                                                 \
	int check(struct subject *subject, struct finding *finding)                                                    \
	{                                                                                                              \
		return counters_look(subject, finding, class, advice);                                                 \
	}

COUNTERS(check_congestion, CONGESTION,
	 "senders were told to pause or to slow down: a receiver or link is slower than its sender, or is shared (ECN, "
	 "CNP, pause frames)")
COUNTERS(check_retransmission, RETRANSMISSION,
	 "packets were lost or reordered and were retransmitted: check link errors, drops in the switches, and that "
	 "PFC or pause is configured alike along the path")
COUNTERS(check_receiver, RECEIVER,
	 "messages arrived when no receive was posted, or the host processed packets too slowly: use more receives"
	 "[ (--rx-depth)], and see CPU and NUMA below")
COUNTERS(check_link_errors, LINK_ERRORS, "a bad cable, a dirty connector, or a port that was taken down")
