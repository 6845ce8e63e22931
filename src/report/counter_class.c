// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The table of known counters; see counter_class.h. */
#include "report/counter_class.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>

#include "util/sysfs.h"
#include "util/terminal.h"

#define HALF_OF_32_BITS (UINT64_C(1) << 31)

/* Names as in the port's folders counters and hw_counters, and in hw_counters of the device. */
const struct known_counter known_counters[] = {
	/*
	 * InfiniBand, from the specification's PortCounters. Not port_xmit_wait: it counts ticks, and rises on any port
	 * that is used to the full.
	 */
	{"port_xmit_discards", CONGESTION},
	{"link_downed", LINK_ERRORS},
	{"link_error_recovery", LINK_ERRORS},
	{"symbol_error", LINK_ERRORS},
	{"local_link_integrity_errors", LINK_ERRORS},
	{"port_rcv_errors", LINK_ERRORS},
	{"port_rcv_remote_physical_errors", LINK_ERRORS},
	{"excessive_buffer_overrun_errors", LINK_ERRORS},
	{"port_rcv_constraint_errors", RETRANSMISSION}, /* dropped: of another partition; no cable does that */
	{"port_xmit_constraint_errors", RETRANSMISSION},
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
	{"missing_resp", RETRANSMISSION},
	{"dup_req", RETRANSMISSION},
	{"rnr_naks_rcvd", RECEIVER},
	{"rx_out_of_buffer", RECEIVER},
	{"max_retry_exceeded", RETRANSMISSION},
	{"np_cnp_pkts", CONGESTION}, /* tx_cnp_pkts of newer kernels, where others have names of mlx5 */
	/* irdma */
	{"RxECNMrkd", CONGESTION},
	{"cnpHandled", CONGESTION},
	{"cnpIgnored", CONGESTION},
	{"cnpSent", CONGESTION},
	{"tcpRetransSegs", RETRANSMISSION},
	{"RetransSegs", RETRANSMISSION}, /* since Linux 6.18, which also knows those below, of the third generation */
	{"RTO", RETRANSMISSION},
	{"Nak Sequence Error", RETRANSMISSION},
	{"Nak Sequence Error Implied", RETRANSMISSION},
	{"Rcvd Out of order packets", RETRANSMISSION},
	{"RNR sent", RECEIVER},
	{"RNR received", RECEIVER},
	{"CRC errors", LINK_ERRORS},
	/* efa */
	{"retrans_pkts", RETRANSMISSION},
	{"retrans_timeout_events", RETRANSMISSION},
	{"unresponsive_remote_events", RETRANSMISSION},
	{"impaired_remote_conn_events", CONGESTION}, /* to such a peer less is sent at a time */
	{"rx_drops", RECEIVER},
	/* mana; the first three are of the device */
	{"received_ecns", CONGESTION},
	{"sent_cnps", CONGESTION},
	{"received_cnp_count", CONGESTION},
	{"received_cnps", CONGESTION},
	{"requester_timeout", RETRANSMISSION},
	{"requester_oos_nak", RETRANSMISSION},
	{"requester_implicit_nak", RETRANSMISSION},
	{"requester_retries_exceeded", RETRANSMISSION},
	{"responder_oos", RETRANSMISSION},
	{"responder_dup_request", RETRANSMISSION},
	{"requester_rnr_nak", RECEIVER},
	{"responder_rnr_nak", RECEIVER},
	{"requester_rnr_nak_retries_exceeded", RECEIVER},
	/* ionic */
	{"rx_rdma_ecn_pkts", CONGESTION},
	{"rx_rdma_cnp_pkts", CONGESTION},
	{"tx_rdma_cnp_pkts", CONGESTION},
	{"tx_rdma_retx_pkts", RETRANSMISSION},
	{"tx_rdma_ack_timeout", RETRANSMISSION},
	{"req_rx_pkt_seq_err", RETRANSMISSION},
	{"req_rx_impl_nak_seq_err", RETRANSMISSION},
	{"resp_rx_outouf_seq", RETRANSMISSION}, /* so spelt */
	{"resp_rx_dup_request", RETRANSMISSION},
	{"req_rx_rnr_retry_err", RECEIVER},
	{"resp_tx_rnr_retry_err", RECEIVER},
	{"resp_rx_outof_buf", RECEIVER},
	/* cxgb4, of the device */
	{"ip4RetransSegs", RETRANSMISSION},
	{"ip6RetransSegs", RETRANSMISSION},
	/* erdma: packets beyond the bandwidth, or the rate of packets, that the instance may have; no link lost them */
	{"tx_bps_limit_drop_cnt", CONGESTION},
	{"tx_pps_limit_drop_cnt", CONGESTION},
	{"rx_bps_limit_drop_cnt", CONGESTION},
	{"rx_pps_limit_drop_cnt", CONGESTION},
	/* hns, which counts no retransmissions */
	{"rx_cnp_pkt", CONGESTION},
	{"tx_cnp_pkt", CONGESTION},
	{NULL, CONGESTION},
};

_Static_assert(sizeof(known_counters) / sizeof(known_counters[0]) <= MOST_COUNTERS, "known_counts has too few");

static bool count_read(const struct known_counts *counts, unsigned i, uint64_t *value)
{
	char folders[3][32] = {"", "", "hw_counters"}, path[PATH_MAX];

	snprintf(folders[0], sizeof(folders[0]), "ports/%u/hw_counters", counts->port);
	snprintf(folders[1], sizeof(folders[1]), "ports/%u/counters", counts->port);
	for (unsigned n = 0; n < 3; n++) {
		snprintf(path, sizeof(path), "%s/class/infiniband/%s/%s/%s", counts->root, counts->device, folders[n],
			 known_counters[i].name);
		if (!sysfs_number(path, value))
			return true;
	}
	return false;
}

int64_t counter_delta(uint64_t before, uint64_t now)
{
	if (now < HALF_OF_32_BITS && before >= HALF_OF_32_BITS && before <= UINT32_MAX)
		return (int64_t)(now + UINT32_MAX + 1 - before);
	return (int64_t)(now - before);
}

void known_counts_begin(struct known_counts *counts, const char *root, const char *device, unsigned port)
{
	*counts = (struct known_counts){.port = port};
	snprintf(counts->root, sizeof(counts->root), "%s", root);
	snprintf(counts->device, sizeof(counts->device), "%s", device);
	for (unsigned i = 0; device[0] && known_counters[i].name; i++)
		counts->known[i] = count_read(counts, i, &counts->before[i]);
}

bool known_counts_moved(const struct known_counts *counts, unsigned i, int64_t *delta)
{
	uint64_t now;

	if (!counts->known[i] || !count_read(counts, i, &now))
		return false;
	*delta = counter_delta(counts->before[i], now);
	return true;
}

const char *retransmits_text(const struct known_counts *counts, char *text, size_t size)
{
	int64_t delta;

	text[0] = '\0';
	for (unsigned i = 0; known_counters[i].name; i++) {
		if (known_counters[i].class != RETRANSMISSION || !known_counts_moved(counts, i, &delta) || delta <= 0)
			continue;
		if (!text[0])
			snprintf(text, size, "; retransmission counters of %s during the run: ", counts->device);
		else
			text_add(text, size, ", ");
		text_add(text, size, "%s +%" PRId64, known_counters[i].name, delta);
	}
	if (text[0])
		text_add(text, size, " (if ACKs are late, not lost, raise -u)");
	return text;
}
