// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Which call is to fail, for tests of the program above? PERFTEST_SOFT_FAULT=reg_mr:2 lets the process's
 * second ibv_reg_mr() fail, and only that; several are separated by commas. Names are those of the verbs
 * without ibv_. What creates an object fails with ENOMEM, the rest with EIO; ibv_poll_cq() returns -1.
 * wc_12:7 gives the seventh completion that ibv_poll_cq() takes the status 12, an enum ibv_wc_status. Calls
 * on the data path are counted by functions of their own, so that a run without faults pays nothing.
 *
 * port_err:7 has the device report with the seventh completion that its port went down; port_active and
 * device_fatal are such events, too. Nothing else happens to it.
 *
 * corrupt:N+OFFSET is no call: the process's Nth request has one bit of one byte of its data turned over on the
 * way; the memory that it was sent from keeps what it had. (A request that has to wait, because the peer
 * has no receive, crosses whole.) corrupt_from:N+OFFSET does so to the Nth and all behind it.
 */
#include "host/fault.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "host/async.h"
#include "host/core.h"

/* Events that the device may report with a completion. */
static const struct {
	const char *name;
	enum ibv_event_type type;
} events[] = {
	{"port_err", IBV_EVENT_PORT_ERR},
	{"port_active", IBV_EVENT_PORT_ACTIVE},
	{"device_fatal", IBV_EVENT_DEVICE_FATAL},
};

#define NUM_EVENTS (sizeof(events) / sizeof(events[0]))

static const char *const names[FAULT_COUNT] = {
	[FAULT_OPEN_DEVICE] = "open_device",
	[FAULT_ALLOC_PD] = "alloc_pd",
	[FAULT_REG_MR] = "reg_mr",
	[FAULT_CREATE_COMP_CHANNEL] = "create_comp_channel",
	[FAULT_CREATE_CQ] = "create_cq",
	[FAULT_CREATE_QP] = "create_qp",
	[FAULT_MODIFY_QP] = "modify_qp",
	[FAULT_CREATE_AH] = "create_ah",
	[FAULT_POST_SEND] = "post_send",
	[FAULT_POST_RECV] = "post_recv",
	[FAULT_POST_SRQ_RECV] = "post_srq_recv",
	[FAULT_CREATE_SRQ] = "create_srq",
	[FAULT_OPEN_XRCD] = "open_xrcd",
	[FAULT_POLL_CQ] = "poll_cq",
	[FAULT_REQ_NOTIFY_CQ] = "req_notify_cq",
	[FAULT_CORRUPT] = "corrupt",
	[FAULT_CORRUPT_FROM] = "corrupt_from",
};

static unsigned long left[FAULT_COUNT];			     /* calls until one fails, that one counted; 0: none does */
static unsigned long wc_left[IBV_WC_TM_RNDV_INCOMPLETE + 1]; /* by status: completions until one has it */
static unsigned long event_left[NUM_EVENTS];		     /* completions until one comes with the event */
static uint64_t corrupt_offset;				     /* of the byte in the message */
static struct ibv_context_ops beneath;

static bool is_word(const char *name, const char *word, const char *colon)
{
	return strlen(name) == (size_t)(colon - word) && strncmp(name, word, strlen(name)) == 0;
}

/* The counter that WORD, up to its colon, names: a call's, an event's, or that of wc_STATUS. */
static unsigned long *counter_of(const char *word, const char *colon)
{
	unsigned long status;
	char *end;

	for (int i = 0; i < FAULT_COUNT; i++) {
		if (is_word(names[i], word, colon))
			return &left[i];
	}
	for (size_t i = 0; i < NUM_EVENTS; i++) {
		if (is_word(events[i].name, word, colon))
			return &event_left[i];
	}
	if (strncmp(word, "wc_", 3) != 0 || word[3] < '0' || word[3] > '9')
		return NULL;
	status = strtoul(word + 3, &end, 10);
	return end == colon && status > IBV_WC_SUCCESS && status <= IBV_WC_TM_RNDV_INCOMPLETE ? &wc_left[status] : NULL;
}

static int fault_parse(const char *word, size_t length)
{
	const char *colon = memchr(word, ':', length);
	unsigned long *counter = colon ? counter_of(word, colon) : NULL;
	char *end;

	if (!counter)
		return -EINVAL;
	*counter = colon[1] >= '0' && colon[1] <= '9' ? strtoul(colon + 1, &end, 10) : 0;
	if (*counter && *end == '+' && end[1] >= '0' && end[1] <= '9' &&
	    (counter == &left[FAULT_CORRUPT] || counter == &left[FAULT_CORRUPT_FROM]))
		corrupt_offset = strtoull(end + 1, &end, 10);
	if (!*counter || end != word + length)
		return -EINVAL;
	return 0;
}

int soft_fault_read(void)
{
	const char *word = getenv("PERFTEST_SOFT_FAULT");

	memset(left, 0, sizeof(left));
	memset(wc_left, 0, sizeof(wc_left));
	memset(event_left, 0, sizeof(event_left));
	corrupt_offset = 0;
	while (word && *word) {
		size_t length = strcspn(word, ",");

		if (fault_parse(word, length)) {
			soft_error("PERFTEST_SOFT_FAULT: \"%.*s\" is not VERB:NUMBER with a verb such as reg_mr or "
				   "post_send, or corrupt:NUMBER+OFFSET",
				   (int)length, word);
			return -EINVAL;
		}
		word += length + (word[length] == ',');
	}
	return 0;
}

static bool counter_strikes(unsigned long *counter)
{
	unsigned long before = __atomic_load_n(counter, __ATOMIC_RELAXED);

	while (before) {
		if (__atomic_compare_exchange_n(counter, &before, before - 1, false, __ATOMIC_RELAXED,
						__ATOMIC_RELAXED))
			return before == 1;
	}
	return false;
}

bool soft_fault_strikes(enum soft_fault call)
{
	return counter_strikes(&left[call]);
}

static bool wants_completions(void)
{
	for (int status = 0; status <= IBV_WC_TM_RNDV_INCOMPLETE; status++) {
		if (wc_left[status])
			return true;
	}
	for (size_t i = 0; i < NUM_EVENTS; i++) {
		if (event_left[i])
			return true;
	}
	return false;
}

static int fault_post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad_wr)
{
	if (!soft_fault_strikes(FAULT_POST_SEND))
		return beneath.post_send(qp, wr, bad_wr);
	*bad_wr = wr;
	return EIO;
}

/* The byte of the request's local memory, NULL where it has none at the offset. */
static uint8_t *fault_byte(const struct ibv_send_wr *wr)
{
	uint64_t offset = corrupt_offset;

	for (int i = 0; i < wr->num_sge; i++) {
		if (offset < wr->sg_list[i].length)
			return (uint8_t *)(uintptr_t)wr->sg_list[i].addr + offset;
		offset -= wr->sg_list[i].length;
	}
	return NULL;
}

/* Requests are carried out while they are posted: what is turned over before is on its way, and then turned back. */
static int corrupt_post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad_wr)
{
	static bool from_here;
	int err = 0;

	for (; wr && !err; wr = wr->next) {
		struct ibv_send_wr one = *wr;
		const bool pulls = wr->opcode == IBV_WR_RDMA_READ || wr->opcode == IBV_WR_ATOMIC_CMP_AND_SWP ||
				   wr->opcode == IBV_WR_ATOMIC_FETCH_AND_ADD;
		const bool strikes = soft_fault_strikes(FAULT_CORRUPT);
		uint8_t *byte;

		from_here |= soft_fault_strikes(FAULT_CORRUPT_FROM);
		byte = strikes || from_here ? fault_byte(wr) : NULL;
		one.next = NULL;
		if (byte && !pulls)
			*byte ^= 0x10;
		err = left[FAULT_POST_SEND] ? fault_post_send(qp, &one, bad_wr) : beneath.post_send(qp, &one, bad_wr);
		if (byte)
			*byte ^= 0x10;
		if (err)
			*bad_wr = wr;
	}
	return err;
}

static int fault_post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad_wr)
{
	if (!soft_fault_strikes(FAULT_POST_RECV))
		return beneath.post_recv(qp, wr, bad_wr);
	*bad_wr = wr;
	return EIO;
}

static int fault_post_srq_recv(struct ibv_srq *srq, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad_wr)
{
	if (!soft_fault_strikes(FAULT_POST_SRQ_RECV))
		return beneath.post_srq_recv(srq, wr, bad_wr);
	*bad_wr = wr;
	return EIO;
}

static int fault_poll_cq(struct ibv_cq *cq, int count, struct ibv_wc *wc)
{
	int found = soft_fault_strikes(FAULT_POLL_CQ) ? -1 : beneath.poll_cq(cq, count, wc);

	for (int i = 0; i < found; i++) {
		for (int status = 0; status <= IBV_WC_TM_RNDV_INCOMPLETE; status++) {
			if (counter_strikes(&wc_left[status]))
				wc[i].status = (enum ibv_wc_status)status;
		}
		for (size_t n = 0; n < NUM_EVENTS; n++) {
			if (counter_strikes(&event_left[n]))
				soft_async_raise_port(cq->context, events[n].type);
		}
	}
	return found;
}

static int fault_req_notify_cq(struct ibv_cq *cq, int solicited_only)
{
	return soft_fault_strikes(FAULT_REQ_NOTIFY_CQ) ? EIO : beneath.req_notify_cq(cq, solicited_only);
}

void soft_fault_install(struct ibv_context_ops *ops)
{
	beneath = *ops;
	if (left[FAULT_POST_SEND])
		ops->post_send = fault_post_send;
	if (left[FAULT_CORRUPT] || left[FAULT_CORRUPT_FROM])
		ops->post_send = corrupt_post_send;
	if (left[FAULT_POST_RECV])
		ops->post_recv = fault_post_recv;
	if (left[FAULT_POST_SRQ_RECV])
		ops->post_srq_recv = fault_post_srq_recv;
	if (left[FAULT_POLL_CQ] || wants_completions())
		ops->poll_cq = fault_poll_cq;
	if (left[FAULT_REQ_NOTIFY_CQ])
		ops->req_notify_cq = fault_req_notify_cq;
}
