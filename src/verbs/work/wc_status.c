// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The table of completion statuses, and the message made from it. See wc_status.h. */
#include "verbs/work/wc_status.h"

#include <stdio.h>
#include <string.h>

#include "util/terminal.h"
#include "verbs/device/adapter.h"
#include "verbs/device/async_event.h"
#include "verbs/qp/qp_attr.h"
#include "verbs/queue.h"
#include "verbs/resources.h"

/* more than all queues of a run hold would take seconds to examine */
#define LOOKED_THROUGH 65536

/* clang-format off */
static const struct wc_status_row completion_rows[] = {
	[IBV_WC_SUCCESS] = {.words = "success", .causes = "no error"},
	[IBV_WC_LOC_LEN_ERR] = {.words = "local length error",
		.causes = "a message is longer than the receive it was matched with, or than the port supports; give "
			"both sides the same -s"},
	[IBV_WC_LOC_QP_OP_ERR] = {.words = "local QP operation error",
		.causes = "the device cannot execute the request as it was posted: check the operation, inline size "
			"and number of SGEs",
		.of_receive = "the message is longer than the posted buffer, or the device miscounted retransmitted "
			"packets (rxe does so when acknowledgements are late)"},
	[IBV_WC_LOC_PROT_ERR] = {.words = "local protection error",
		.causes = "the buffer does not match the memory region of its lkey: it was unmapped since, or belongs "
			"to another protection domain"},
	[IBV_WC_WR_FLUSH_ERR] = {.words = "work request flushed",
		.causes = "not the first error: the queue pair was already in the error state, because of an earlier "
			"request or of the peer", .follows = true},
	[IBV_WC_BAD_RESP_ERR] = {.words = "bad response",
		.causes = "the peer's response does not match a request: another of its queue pairs has the same "
			"number, or one of the devices is faulty"},
	[IBV_WC_LOC_ACCESS_ERR] = {.words = "local access error",
		.causes = "the message may not be written to this side's buffer"},
	[IBV_WC_REM_INV_REQ_ERR] = {.words = "remote invalid request",
		.causes = "the peer rejected it: it is longer than the receive (give both sides the same -s), the "
			"queue pair does not allow the operation, or a device miscounted retransmitted packets (rxe "
			"does so when acknowledgements are late)", .follows = true, .is_refusal = true},
	[IBV_WC_REM_ACCESS_ERR] = {.words = "remote access error",
		.causes = "the peer's memory region does not allow it: wrong rkey, beyond its end, or missing access "
			"rights; give both sides the same -s, -q and --mr_per_qp"},
	[IBV_WC_REM_OP_ERR] = {.words = "remote operation error",
		.causes = "the peer's device could not complete the request", .follows = true, .is_refusal = true},
	[IBV_WC_RETRY_EXC_ERR] = {.words = "transport retry counter exceeded",
		.causes = "no acknowledgement arrived: the peer's program or queue pair is gone, its GID cannot be "
			"reached from this one, a firewall drops RoCE (UDP port 4791), or the path loses packets of "
			"this MTU", .follows = true},
	[IBV_WC_RNR_RETRY_EXC_ERR] = {.words = "RNR retry counter exceeded",
		.causes = "the peer did not post a receive in time: it is too slow or stopped; try a larger -r there",
		.follows = true},
	[IBV_WC_REM_INV_RD_REQ_ERR] = {.words = "remote invalid RD request",
		.causes = "the device is faulty: RD is not used"},
	[IBV_WC_REM_ABORT_ERR] = {.words = "aborted by the peer", .causes = "the peer's device aborted the request",
		.follows = true, .is_refusal = true},
	[IBV_WC_FATAL_ERR] = {.words = "fatal error", .causes = "the device or its driver failed; see dmesg"},
	[IBV_WC_RESP_TIMEOUT_ERR] = {.words = "response timeout",
		.causes = "the peer's device acknowledged the request but did not answer it", .follows = true},
	[IBV_WC_GENERAL_ERR] = {.words = "general error",
		.causes = "the device reports no cause; see the vendor error and dmesg"},
};
/* clang-format on */

const struct wc_status_row *wc_status_row(enum ibv_wc_status status)
{
	static const struct wc_status_row unused = {
		.words = "a status of what is not used",
		.causes = "the device is faulty: RD, memory windows and tag matching are not used",
	};
	static const struct wc_status_row unknown = {
		.words = "unknown status",
		.causes = "the provider library is newer than this program",
	};

	if ((size_t)status > IBV_WC_TM_RNDV_INCOMPLETE)
		return &unknown;
	if ((size_t)status >= sizeof(completion_rows) / sizeof(completion_rows[0]) || !completion_rows[status].words)
		return &unused;
	return &completion_rows[status];
}

static bool search(struct ibv_cq *cq, bool receive, struct wc_failure *failure)
{
	struct ibv_wc wc[16];

	for (int looked = 0; cq && looked < LOOKED_THROUGH;) {
		int found = cq_poll(cq, (int)(sizeof(wc) / sizeof(wc[0])), wc);

		if (found <= 0)
			break;
		looked += found;
		for (int i = 0; i < found; i++) {
			if (wc[i].status == IBV_WC_SUCCESS || wc[i].status == IBV_WC_WR_FLUSH_ERR)
				continue;
			*failure = (struct wc_failure){wc[i].status, wc[i].qp_num, wc[i].vendor_err, receive};
			return true;
		}
	}
	return false;
}

void wc_status_find_first(const struct resources *resources, struct wc_failure *failure)
{
	for (unsigned i = 0; i < resources->num_sets && failure->status == IBV_WC_WR_FLUSH_ERR; i++) {
		const struct queue_set *set = &resources->sets[i];

		if (!search(set->send_cq, false, failure) && !search(set->recv_cq, true, failure) &&
		    !search(set->second_send_cq, false, failure))
			search(set->second_recv_cq, true, failure);
	}
}

static const char *request_text(const struct resources *resources, const struct wc_failure *failure)
{
	static const char *const texts[] = {[VERB_SEND] = "a send",
					    [VERB_WRITE] = "an RDMA write",
					    [VERB_READ] = "an RDMA read",
					    [VERB_ATOMIC] = "an atomic"};

	return failure->receive ? "a receive" : texts[resources->traffic.verb];
}

static unsigned qp_num_index(const struct resources *resources, uint32_t qp_num)
{
	for (unsigned i = 0; i < resources->num_qps; i++) {
		if (resources->local[i].qpn == qp_num)
			return i;
	}
	return resources->num_qps;
}

/*
 * iWARP has no RNR NAK: a message without a receive terminates the connection (RFC 5041, 7.2), without any other sign.
 */
static bool has_lost_connection_to_receives(const struct resources *resources, const struct wc_failure *failure)
{
	return device_is_iwarp(resources->device) && resources->traffic.arrivals &&
	       failure->status == IBV_WC_WR_FLUSH_ERR;
}

/* On InfiniBand no firewall drops packets, but switches and ports do, by partition and by service level. */
static bool is_lost_on_infiniband(const struct resources *resources, const struct wc_failure *failure)
{
	return failure->status == IBV_WC_RETRY_EXC_ERR && !resources->device->ethernet &&
	       resources->device->port_attr.link_layer == IBV_LINK_LAYER_INFINIBAND;
}

static const char *likely_causes(const struct resources *resources, const struct wc_failure *failure,
				 const struct wc_status_row *row, const struct vendor_error *vendor)
{
	if (vendor && vendor->causes)
		return vendor->causes;
	if (has_lost_connection_to_receives(resources, failure))
		return "the connection was lost; iWARP does not retry a message for which no receive is posted, but "
		       "ends the connection: unless a side says more, try a larger -r on the receiver, or --rate_limit";
	if (is_lost_on_infiniband(resources, failure))
		return "no acknowledgement arrived: the peer's program or queue pair is gone, the sides are in "
		       "different partitions or both limited members, or the subnet manager wants another service "
		       "level or a smaller MTU on this path";
	return failure->receive && row->of_receive ? row->of_receive : row->causes;
}

/* The device's own explanation; "" if it has none. */
static void find_cause(const struct resources *resources, const struct wc_failure *failure,
		       const struct async_events *events, char *text, size_t size)
{
	async_event_cause(events, resources->device, text, size);
	/* On the responder, a flush is the only completion that an error of its QP causes. */
	if (!text[0] && events->of_qp[0] && failure->status == IBV_WC_WR_FLUSH_ERR)
		snprintf(text, size, "%s ended the connection: %s; the peer's own message says what it requested",
			 resources->device->name, events->of_qp);
}

const char *wc_status_describe(const struct resources *resources, const struct wc_failure *failure, uint64_t messages,
			       const struct async_events *events, char *text, size_t size)
{
	const struct wc_status_row *row = wc_status_row(failure->status);
	const struct vendor_error *vendor = adapter_error(&resources->device->attr, failure->vendor_err);
	const char *causes = likely_causes(resources, failure, row, vendor);
	const unsigned index = qp_num_index(resources, failure->qp_num);
	char cause[384], path[256] = "", which[32] = "";

	if (index < resources->num_qps) {
		snprintf(which, sizeof(which), ", %u of %u", index + 1, resources->num_qps);
		qp_path_text(resources, index, path, sizeof(path));
	}
	find_cause(resources, failure, events, cause, sizeof(cause));
	if (cause[0])
		snprintf(text, size, "%s\n%s after %llu messages", cause, row->words, (unsigned long long)messages);
	else
		snprintf(text, size, "%s after %llu messages: %s", row->words, (unsigned long long)messages, causes);
	text_add(text, size, "%sstatus %d, vendor error 0x%x%s%s%s, %s on QP 0x%06x%s%s%s%s%s", cause[0] ? "; " : "\n",
		 failure->status, failure->vendor_err, vendor ? " (" : "", vendor ? vendor->name : "",
		 vendor ? ")" : "", request_text(resources, failure), failure->qp_num, which, path[0] ? "; " : "", path,
		 events->faults[0] ? "; the device reported: " : "", events->faults);
	return text;
}
