// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What has gone wrong on this port since its driver was loaded? Counters never go back, so that one that
 * is not zero is a question, not an answer: when was it? -W of a test says what it moved by.
 */
#include <stdio.h>
#include <string.h>

#include "doctor/checks.h"

#define MAX_COUNTERS 256
#define SHOWN	     8

enum trouble { CONGESTION, RETRANSMISSION, RECEIVER, LINK_ERRORS };

/* Names as in the port's counters and hw_counters folders. */
static const struct {
	const char *name;
	enum trouble trouble;
} meanings[] = {
	/* InfiniBand, from the specification's PortCounters */
	{"port_xmit_wait", CONGESTION},
	{"port_xmit_discards", CONGESTION},
	{"link_downed", LINK_ERRORS},
	{"link_error_recovery", LINK_ERRORS},
	{"symbol_error", LINK_ERRORS},
	{"local_link_integrity_errors", LINK_ERRORS},
	{"port_rcv_errors", LINK_ERRORS},
	{"port_rcv_remote_physical_errors", LINK_ERRORS},
	{"port_rcv_switch_relay_errors", LINK_ERRORS},
	{"port_rcv_constraint_errors", LINK_ERRORS},
	{"port_xmit_constraint_errors", LINK_ERRORS},
	{"excessive_buffer_overrun_errors", LINK_ERRORS},
	/* mlx4, mlx5 */
	{"np_ecn_marked_roce_packets", CONGESTION},
	{"np_cnp_sent", CONGESTION},
	{"rp_cnp_handled", CONGESTION},
	{"rp_cnp_ignored", CONGESTION},
	{"roce_slow_restart", CONGESTION},
	{"roce_slow_restart_cnps", CONGESTION},
	{"out_of_sequence", RETRANSMISSION},
	{"packet_seq_err", RETRANSMISSION},
	{"local_ack_timeout_err", RETRANSMISSION},
	{"implied_nak_seq_err", RETRANSMISSION},
	{"duplicate_request", RETRANSMISSION},
	{"roce_adp_retrans", RETRANSMISSION},
	{"roce_adp_retrans_to", RETRANSMISSION},
	{"rnr_nak_retry_err", RECEIVER},
	{"out_of_buffer", RECEIVER},
	{"rx_icrc_encapsulated", LINK_ERRORS},
	/* rxe */
	{"completer_retry_err", RETRANSMISSION},
	{"out_of_seq_request", RETRANSMISSION},
	{"rcvd_seq_err", RETRANSMISSION},
	{"retry_exceeded_err", RETRANSMISSION},
	{"rcvd_rnr_err", RECEIVER},
	{"send_rnr_err", RECEIVER},
	{"retry_rnr_exceeded_err", RECEIVER},
	{"send_err", LINK_ERRORS},
	/* bnxt_re */
	{"rx_ecn_marked_pkts", CONGESTION},
	{"rx_cnp_pkts", CONGESTION},
	{"tx_cnp_pkts", CONGESTION},
	{"to_retransmits", RETRANSMISSION},
	{"seq_err_naks_rcvd", RETRANSMISSION},
	{"oos_drop_count", RETRANSMISSION},
	{"rnr_naks_rcvd", RECEIVER},
	/* irdma */
	{"RxECNMrkd", CONGESTION},
	{"cnpHandled", CONGESTION},
	{"cnpSent", CONGESTION},
	{"tcpRetransSegs", RETRANSMISSION},
	/* efa */
	{"retrans_pkts", RETRANSMISSION},
	{"retrans_timeout_events", RETRANSMISSION},
};

/* What was counted of one trouble. */
struct tally {
	unsigned known;	  /* counters of it that this device has */
	unsigned nonzero; /* of those */
	char list[768];
	char trouble[640]; /* why one could not be read; "" none */
};

static void count(struct tally *tally, const char *name, uint64_t value)
{
	tally->known++;
	if (!value)
		return;
	if (tally->nonzero++ < SHOWN)
		text_add(tally->list, sizeof(tally->list), "%s%s %llu", tally->list[0] ? ", " : "", name,
			 (unsigned long long)value);
}

static bool means(const char *name, enum trouble trouble)
{
	for (size_t i = 0; i < sizeof(meanings) / sizeof(meanings[0]); i++)
		if (meanings[i].trouble == trouble && strcmp(meanings[i].name, name) == 0)
			return true;
	return false;
}

static void count_folder(struct subject *subject, struct tally *tally, enum trouble trouble, const char *folder)
{
	char names[MAX_COUNTERS][TREE_NAME];
	int found = tree_names(&subject->tree, names, MAX_COUNTERS, "%s/%s", subject->folder, folder);
	int64_t value;

	for (int i = 0; i < found; i++) {
		if (!means(names[i], trouble))
			continue;
		if (tree_number(&subject->tree, &value, "%s/%s/%s", subject->folder, folder, names[i]))
			snprintf(tally->trouble, sizeof(tally->trouble), "%s", subject->tree.trouble);
		else
			count(tally, names[i], (uint64_t)value);
	}
}

/* The interface's own: frames that told somebody to wait, and packets that were dropped. */
static void count_nic(const struct subject *subject, struct tally *tally, enum trouble trouble)
{
	const struct nic *nic = &subject->probe.nic;

	for (unsigned i = 0; i < nic->num_counters; i++) {
		const char *name = nic->counters[i].name;

		if ((trouble == CONGESTION && nic_counts_pause(name)) ||
		    (trouble == RECEIVER && nic_counts_drops(name)))
			count(tally, name, nic->counters[i].value);
	}
}

static void look(struct subject *subject, struct finding *finding, enum trouble trouble, const char *advice)
{
	struct tally tally = {0};

	count_folder(subject, &tally, trouble, "counters");
	count_folder(subject, &tally, trouble, "hw_counters");
	count_nic(subject, &tally, trouble);
	if (tally.nonzero) {
		if (tally.nonzero > SHOWN)
			text_add(tally.list, sizeof(tally.list), ", and %u more", tally.nonzero - SHOWN);
		finding_look(finding, "since the driver was loaded: %s", tally.list);
		finding_advise(finding, "%s; does it go on? look again after a test, or name counters to -W", advice);
	} else if (tally.trouble[0]) {
		finding_unknown(finding, "%s", tally.trouble);
	} else if (tally.known) {
		finding_ok(finding, "%u counter%s, all 0", tally.known, tally.known == 1 ? "" : "s");
	} else {
		finding_unknown(finding, "%s has no counter of it that is known here", subject->device);
	}
}

void check_congestion(struct subject *subject, struct finding *finding)
{
	look(subject, finding, CONGESTION,
	     "somebody was told to wait or to slow down: a receiver or a link that is slower than its sender, or one "
	     "that "
	     "others share (ECN, CNP, pause frames)");
}

void check_retransmission(struct subject *subject, struct finding *finding)
{
	look(subject, finding, RETRANSMISSION,
	     "packets were lost or came out of order and were sent again: look at link errors, at the switches' drops, "
	     "and "
	     "at whether PFC or pause is the same along the path");
}

void check_receiver(struct subject *subject, struct finding *finding)
{
	look(subject, finding, RECEIVER,
	     "messages came and no receive was posted, or the host took packets up too slowly: a larger -r, and look "
	     "at "
	     "CPU and NUMA below");
}

void check_link_errors(struct subject *subject, struct finding *finding)
{
	look(subject, finding, LINK_ERRORS, "a bad cable, a dirty connector, or a port that was taken down");
}
