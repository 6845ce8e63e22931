// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Chooses the device, port and GID of a test (-d, -i, -x, --force-link), and queries their limits. See device.h. */
#define _GNU_SOURCE /* strchrnul() */
#include <errno.h>
#include <limits.h>
#include <net/if.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/log.h"
#include "util/sysfs.h"
#include "util/terminal.h"
#include "verbs/device/adapter.h"
#include "verbs/device/device.h"
#include "verbs/device/device_diag.h"
#include "verbs/device/direct_library.h"
#include "verbs/device/gid.h"
#include "verbs/device/hardware.h"
#include "verbs/device/mtu.h"
#include "verbs/device/route.h"
#include "verbs/maker.h"
#include "verbs/verbs_config.h"

#define FIRST_GIDS 8

/* The n-th name in "mlx5_0,mlx5_1". False if there is none. */
static bool name_part(const char *names, unsigned n, char *name, size_t size)
{
	const char *end;

	for (; n; n--) {
		names = strchr(names, ',');
		if (!names)
			return false;
		names++;
	}
	end = strchrnul(names, ',');
	snprintf(name, size, "%.*s", (int)(end - names), names);
	return true;
}

/* Not of this kernel's, as soft0, of which it says nothing. */
static bool lacks_gids(const char *root, const char *name, unsigned port)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/class/infiniband/%s/ports/%u/gids", root, name, port);
	if (access(path, F_OK))
		return false;
	text_add(path, sizeof(path), "/0");
	return access(path, F_OK) != 0;
}

unsigned device_rank(const char *root, const char *name, unsigned port, bool frames)
{
	unsigned state = IBV_PORT_ACTIVE;
	char line[32];

	sscanf(sysfs_line(line, sizeof(line), "%s/class/infiniband/%s/ports/%u/state", root, name, port), "%u", &state);
	return (unsigned)(!frames && lacks_gids(root, name, port)) << 1 | (state != IBV_PORT_ACTIVE);
}

/* Without a name the first that can run the test. */
static struct ibv_device *device_find(struct ibv_device **list, int count, const char *name,
				      const struct verbs_config *config)
{
	const bool frames = transport_traits(config->transport)->frames;
	struct ibv_device *found = NULL;
	unsigned least = UINT_MAX;

	for (int i = 0; i < count; i++) {
		const char *known = ibv_get_device_name(list[i]);
		const unsigned rank = name[0] ? 0 : device_rank(sysfs_root(), known, config->port, frames);

		if (rank < least && (!name[0] || strcmp(known, name) == 0)) {
			found = list[i];
			least = rank;
		}
	}
	return found;
}

static const char *device_list_names(struct ibv_device **list, int count, char *names, size_t size)
{
	names[0] = '\0';
	for (int i = 0; i < count; i++)
		text_list_add(names, size, ibv_get_device_name(list[i]));
	return names;
}

/* What an unknown name may be instead: a network interface, or a device and its port as in "mlx5_0:1". */
static const char *device_name_hint(struct ibv_device **list, int count, const char *name, char *hint, size_t size)
{
	const size_t length = strcspn(name, ":");
	const char *port = name[length] ? name + length + 1 : "";

	hint[0] = '\0';
	if (if_nametoindex(name))
		snprintf(hint, size, " (%s is a network interface)", name);
	for (int i = 0; port[0] && !port[strspn(port, "0123456789")] && i < count; i++) {
		const char *known = ibv_get_device_name(list[i]);

		if (strlen(known) == length && strncmp(known, name, length) == 0)
			snprintf(hint, size, " (-i selects the port: -d %s -i %s)", known, port);
	}
	return hint;
}

static void device_report_missing(struct ibv_device **list, int count, const char *name)
{
	char names[256], hint[160];
	char why[768];

	if (device_probe_explain_here(name, why, sizeof(why))) {
		log_error("%s", why);
		return;
	}
	if (count == 0) {
		log_error("no RDMA device found%s%s", name[0] ? ", so none is called " : "", name);
		return;
	}
	log_error("no RDMA device is called %s; there %s: %s%s", name, count == 1 ? "is" : "are",
		  device_list_names(list, count, names, sizeof(names)),
		  device_name_hint(list, count, name, hint, sizeof(hint)));
}

static int open_context(struct device *device, const char *name, const struct verbs_config *config)
{
	struct ibv_device **list;
	struct ibv_device *found;
	char names[256], why[768];
	int count = 0;
	int err = 0;

	list = ibv_get_device_list(&count);
	if (!list && errno != ENOSYS) {
		err = errno ? -errno : -EIO;
		return log_fail(err, "cannot read the list of RDMA devices: %s", strerror(-err));
	}
	found = list && count > 0 ? device_find(list, count, name, config) : NULL;
	if (!found) {
		device_report_missing(list, list ? count : 0, name);
		err = -ENODEV;
		goto out;
	}
	snprintf(device->name, sizeof(device->name), "%s", ibv_get_device_name(found));
	if (name[0])
		log_detail("device: %s, as --ib-dev says", device->name);
	else
		log_detail("device: %s, the first that can run it, of %d: %s", device->name, count,
			   device_list_names(list, count, names, sizeof(names)));
	device->context = config->crypto.is_used && mkey_ops.open ? mkey_ops.open(found) : ibv_open_device(found);
	if (!device->context) {
		err = errno ? -errno : -EIO;
		if (!device_probe_explain_here(device->name, why, sizeof(why)))
			why[0] = '\0';
		log_error("cannot open device %s: %s%s%s", device->name, strerror(-err), why[0] ? "; " : "", why);
	}
out:
	if (list)
		ibv_free_device_list(list);
	return err;
}

/* The network interface of a RoCE port, from sysfs; false if that does not have it. */
static bool device_find_netdev(const struct device *device, char *name, size_t size)
{
	/* The first entries are the interface's own; one that is empty cannot be read. */
	for (int i = 0; i < FIRST_GIDS; i++) {
		if (*sysfs_line(name, size, "%s/class/infiniband/%s/ports/%u/gid_attrs/ndevs/%d", sysfs_root(),
				device->name, device->port, i))
			return true;
	}
	/* rxe, siw */
	return *sysfs_line(name, size, "%s/class/infiniband/%s/parent", sysfs_root(), device->name);
}

/* The host decides whether the port of a virtual function is up; on InfiniBand it also needs GUIDs from there. */
static bool is_virtual_function(const struct device *device)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/class/infiniband/%s/device/physfn", sysfs_root(), device->name);
	return access(path, F_OK) == 0;
}

#define OF_VIRTUAL_FUNCTION "; it is a virtual function, see 'ip link show' of its physical one"

static int report_port_down(const struct device *device)
{
	const struct ibv_port_attr *attr = &device->port_attr;
	char netdev[IF_NAMESIZE], state[32], what[256] = "check its cable and its network interface";

	if (attr->link_layer == IBV_LINK_LAYER_INFINIBAND) {
		snprintf(what, sizeof(what), "%s",
			 attr->state == IBV_PORT_INIT || attr->state == IBV_PORT_ARMED
				 ? "the link is up, but no subnet manager has configured it: is opensm running "
				   "somewhere?"
				 : "check its cable, and the port at the other end");
	} else if (device_find_netdev(device, netdev, sizeof(netdev))) {
		sysfs_line(state, sizeof(state), "%s/class/net/%s/operstate", sysfs_root(), netdev);
		snprintf(what, sizeof(what),
			 "its network interface %s is %s: 'ip link set %s up', then check the cable and the switch",
			 netdev, state[0] ? state : "not there", netdev);
	}
	return log_fail(-ENETDOWN, "port %u of %s is not active (%s); %s%s", device->port, device->name,
			ibv_port_state_str(attr->state), what,
			!is_virtual_function(device)			? ""
			: attr->link_layer == IBV_LINK_LAYER_INFINIBAND ? OF_VIRTUAL_FUNCTION
				" (link-state, and GUIDs other than 0)"
									: OF_VIRTUAL_FUNCTION " (link-state)");
}

static int look_at_port(struct device *device)
{
	int err = ibv_query_port(device->context, device->port, &device->port_attr);

	if (err)
		return log_fail(-err, "cannot query port %u of %s: %s", device->port, device->name, strerror(err));
	if (device->port_attr.state != IBV_PORT_ACTIVE)
		return report_port_down(device);
	if (mtu_is_one(device->port_attr.active_mtu))
		return 0;
	return log_fail(
		-EPROTO,
		"port %u of %s reports the active MTU code %d, which does not exist: its driver or library is faulty",
		device->port, device->name, (int)device->port_attr.active_mtu);
}

static uint32_t pci_vendor(const char *name)
{
	char text[16];

	sysfs_line(text, sizeof(text), "%s/class/infiniband/%s/device/vendor", sysfs_root(), name);
	return (uint32_t)strtoul(text, NULL, 16);
}

static int open_port(struct device *device, const struct verbs_config *config, uint8_t port)
{
	int err;

	err = ibv_query_device(device->context, &device->attr);
	if (err)
		return log_fail(-err, "cannot query device %s: %s", device->name, strerror(err));
	/* mana before Linux 6.16, by whose vendor its row is found */
	if (!device->attr.vendor_id)
		device->attr.vendor_id = pci_vendor(device->name);
	device->is_software = device->direct->is_software = device_is_software(&device->attr);
	device->port = port;
	if (device->port < 1 || device->port > device->attr.phys_port_cnt)
		return log_fail(-EINVAL, "device %s has %u port%s: port %u (%s) does not exist", device->name,
				device->attr.phys_port_cnt, device->attr.phys_port_cnt == 1 ? "" : "s", device->port,
				verbs_config_names(config)->port);
	return look_at_port(device);
}

bool device_is_iwarp(const struct device *device)
{
	return device->context->device->transport_type == IBV_TRANSPORT_IWARP;
}

static bool is_ethernet(const struct device *device, const struct verbs_config *config)
{
	if (config->link != CONFIG_LINK_OF_PORT)
		return config->link == CONFIG_LINK_ETHERNET;
	if (device->port_attr.link_layer == IBV_LINK_LAYER_UNSPECIFIED)
		return device_is_iwarp(device);
	return device->port_attr.link_layer == IBV_LINK_LAYER_ETHERNET;
}

/*
 * Ethernet has no LIDs. Virtual functions on InfiniBand may share one, and their ports then need the GID as well; and
 * some ports are neither and have no LID (EFA).
 */
static bool needs_gid(const struct device *device)
{
	const struct ibv_port_attr *attr = &device->port_attr;

	return device->ethernet || attr->flags & IBV_QPF_GRH_REQUIRED ||
	       (attr->link_layer == IBV_LINK_LAYER_UNSPECIFIED && attr->lid == 0);
}

int device_choose_address(struct device *device, const struct verbs_config *config, const struct addresses *met)
{
	struct gid_entry entry;
	union ibv_gid group;
	struct route route;
	int err;

	/* A server may have waited for days: query the port's current LID, MTU and state. */
	err = met ? look_at_port(device) : 0;
	if (err)
		return err;
	device->ethernet = is_ethernet(device, config);
	device->gid_index = -1;
	if (transport_traits(config->transport)->frames) {
		if (device->ethernet)
			return 0;
		return log_fail(-EINVAL, "port %u of %s is not an Ethernet port, which raw Ethernet needs",
				device->port, device->name);
	}
	if (!needs_gid(device) && !config->group.is_used && config->gid_index < 0) {
		if (device->port_attr.lid == 0)
			return log_fail(-ENETDOWN,
					"port %u of %s has no LID: a subnet manager is needed, or --gid-index",
					device->port, device->name);
		if (met && !config->rdma_cm && (config->tclass || config->num_flow_labels))
			log_warning("--tclass and --flow_label are fields of the GRH, which packets from a LID to a "
				    "LID do not have: give --gid-index, or they have no effect");
		if (met)
			log_detail("GID: none, the port is InfiniBand and routes by LID, 0x%x", device->port_attr.lid);
		return 0;
	}
	if (met && device->is_software && software_interface())
		log_detail("GIDs of %s: its own, not those of %s, through which only raw Ethernet frames go",
			   device->name, software_interface());
	memcpy(group.raw, config->group.gid, sizeof(group.raw));
	route_find(&route, met);
	err = gid_choose(device->context, device->name, device->port, device->port_attr.gid_tbl_len,
			 &(struct gid_request){.index = config->gid_index,
					       .ipv6 = config->ipv6,
					       .group = config->group.is_used ? &group : NULL,
					       .route = &route},
			 met != NULL, &entry);
	if (err)
		return err;
	device->gid_index = entry.index;
	device->gid = entry.gid;
	device->gid_kind = entry.kind;
	device->gid_ifindex = entry.ifindex;
	return 0;
}

static int open_named(struct device *device, const char *name, const struct verbs_config *config,
		      const struct addresses *met)
{
	struct device opened = {.gid_index = -1};
	int err;

	err = open_context(&opened, name, config);
	if (err)
		return err;
	opened.direct = calloc(1, sizeof(*opened.direct));
	err = opened.direct ? open_port(&opened, config, config->port)
			    : log_fail(-ENOMEM, "no memory for device %s", opened.name);
	err = err ?: device_choose_address(&opened, config, met);
	if (err) {
		device_close(&opened);
		return err;
	}
	opened.numa_node = hardware_numa_node(sysfs_root(), opened.name);
	*device = opened;
	return 0;
}

int device_open(struct device *device, const struct verbs_config *config)
{
	char name[sizeof(device->name)];

	name_part(config->device_name, 0, name, sizeof(name));
	return open_named(device, name, config, NULL /* met */);
}

void device_close(struct device *device)
{
	direct_set_close(device->direct);
	if (device->context)
		ibv_close_device(device->context);
	*device = (struct device){.gid_index = -1};
}

/* If the device has only one port, two devices must be named. */
static int open_other_port(struct device *second, const struct device *first, const struct verbs_config *config,
			   const struct addresses *met)
{
	struct device opened = *first;
	int err;

	opened.second = NULL;
	if (first->attr.phys_port_cnt < 2)
		return log_fail(-EINVAL,
				"%s has only one port, but --dualport needs two: name two devices, as in -d %s,OTHER",
				first->name, first->name);
	err = open_port(&opened, config, first->port == 1 ? 2 : 1);
	err = err ?: device_choose_address(&opened, config, met);
	if (!err)
		*second = opened;
	return err;
}

int device_open_second(struct device *second, const struct device *first, const struct verbs_config *config,
		       const struct addresses *met)
{
	char name[sizeof(second->name)];
	int err;

	if (!name_part(config->device_name, 1, name, sizeof(name)))
		return open_other_port(second, first, config, met);
	err = open_named(second, name, config, met);
	if (err)
		return err;
	if (strcmp(second->name, first->name) && second->is_software == first->is_software)
		return 0;
	log_error("-d %s: %s", config->device_name,
		  second->is_software == first->is_software
			  ? "they are the same device; name it once to use its two ports"
			  : "one of them is a software device: both or neither must be");
	device_close(second);
	return -EINVAL;
}

void device_close_second(struct device *second, const struct device *first)
{
	if (second->context && second->context == first->context) {
		second->context = NULL; /* closed with the first one */
		second->direct = NULL;
	}
	device_close(second);
}

uint32_t device_mtu(const struct device *device, const struct verbs_config *config)
{
	const uint32_t active = mtu_bytes(device->port_attr.active_mtu);

	/* Frames may exceed the port's active MTU, which is that of RoCE, if the network allows it. */
	if (transport_traits(config->transport)->frames)
		return config->mtu;
	if (config->mtu == 0 || config->mtu == active)
		return active;
	return config->mtu < active ? config->mtu : active;
}

int device_max_message(const struct device *device, const struct verbs_config *config, uint64_t *max)
{
	const struct transport_traits *transport = transport_traits(config->transport);
	const struct qp_maker *maker = qp_maker_of(transport);
	const uint64_t size = config->all_sizes ? config->sweep.first : config->size;
	uint64_t limit = transport->one_packet ? device_mtu(device, config) : device->port_attr.max_msg_sz;

	/* RDMA WRITE and READ have a limit of their own. */
	if (maker && maker->memory_limit && config->traffic.verb != VERB_SEND) {
		limit = maker->memory_limit(device);
		if (!limit)
			return -EOPNOTSUPP;
	}
	if (!limit)
		limit = adapter_of(&device->attr)->max_message;
	if (!limit)
		return log_fail(-EPROTO,
				"port %u of %s reports a maximum message size of 0: its driver or library is faulty",
				device->port, device->name);
	/* As in linux-rdma perftest, whose default size is too long for a frame. */
	if (transport->frames) {
		*max = limit;
		return 0;
	}
	if ((config->size_is_given || config->all_sizes) && size > limit)
		return log_fail(-EMSGSIZE,
				"--size%s %llu is too large: a %s%smessage on %s can have at most %llu bytes",
				config->all_sizes ? "s" : "", (unsigned long long)size,
				transport->one_packet ? transport->name : "", transport->one_packet ? " " : "",
				device->name, (unsigned long long)limit);
	*max = limit;
	return 0;
}
