// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Fault injection, to test the program that uses the device. PERFTEST_SOFT_FAULT=reg_mr:2 makes the process's second
 * ibv_reg_mr() fail, and only that one; several faults are separated by commas. Names are those of the verbs without
 * ibv_, and of rdma_cm's calls with cm_ for rdma_. Calls that create an object fail with ENOMEM, the rest with EIO;
 * ibv_poll_cq() returns -1. The prefix kill_ kills the process with SIGKILL instead; the prefix full_, for calls that
 * post, reports a full queue. Calls on the data path are counted by separate functions, so that a run without faults
 * pays nothing.
 *
 * wc_12:7 gives the seventh completion that ibv_poll_cq() returns the status 12, an enum ibv_wc_status. port_err:7
 * makes the device report, with the seventh completion, that its port went down; FAULT_EVENT_ROWS lists others. The
 * event has no other effect. cm_addr_error:N, cm_route_error:N and cm_unreachable:N: the Nth such step of rdma_cm ends
 * this way.
 *
 * corrupt:N+OFFSET: one bit of one byte of the data of the process's Nth request is flipped in transit; the source
 * memory is unchanged. (A request that has to wait, because the peer has no receive, arrives intact.)
 * corrupt_from:N+OFFSET does this to the Nth and all later ones. drop, drop_from, delay and reorder: disturbance.c.
 */
#include "host/fault.h"

#include <signal.h>

#include "host/async.h"

#define MAX_TEXT 4096 /* bytes of the variable */

#define FAULT_WORD(name)  [FAULT_##name] = #name,
#define FAULT_EVENT(name) [FAULT_##name] = IBV_EVENT_##name,

static const char *const names[FAULT_COUNT] = {FAULT_CALL_ROWS(FAULT_WORD) FAULT_OTHER_ROWS(FAULT_WORD)
						       FAULT_EVENT_ROWS(FAULT_WORD)};
static const enum ibv_event_type events[FAULT_COUNT] = {FAULT_EVENT_ROWS(FAULT_EVENT)};

/* How a call fails: as it can, by killing the process, or by a full queue. */
enum way { FAILS, KILLS, FULL, WAYS };
static const char *const prefixes[WAYS] = {"", "kill_", "full_"};

/* Calls, or completions, until the fault occurs, including that one; 0: it does not. */
static struct {
	unsigned long left[WAYS][FAULT_COUNT];
	unsigned long wc[IBV_WC_TM_RNDV_INCOMPLETE + 1]; /* by status */
	uint64_t number[FAULT_COUNT];			 /* after the plus sign */
} until;
static struct ibv_context_ops beneath;

static bool is_word(const char *name, const char *word, const char *colon)
{
	if (!name || strlen(name) != (size_t)(colon - word))
		return false;
	/* Not tolower(): its answer depends on the user's language. */
	while (*name && *word == (*name == '_' ? '_' : *name - 'A' + 'a')) {
		name++;
		word++;
	}
	return !*name;
}

static enum soft_fault fault_named(const char *word, const char *colon)
{
	for (int i = FAULT_NONE + 1; i < FAULT_COUNT; i++) {
		if (word < colon && is_word(names[i], word, colon))
			return (enum soft_fault)i;
	}
	return FAULT_NONE;
}

static bool can_be(enum soft_fault fault, enum way way)
{
	return way == FAILS || (way == KILLS && fault < FAULT_CALLS_END) || fault == FAULT_POST_SEND ||
	       fault == FAULT_POST_RECV || fault == FAULT_POST_SRQ_RECV;
}

/* The counter named by WORD, up to its colon. *fault: the fault that takes its number, or none. */
static unsigned long *counter_of(const char *word, const char *colon, enum soft_fault *fault)
{
	unsigned long status;
	char *end;

	for (enum way way = FAILS; way < WAYS; way++) {
		const size_t ahead = strlen(prefixes[way]);

		*fault = strncmp(word, prefixes[way], ahead) ? FAULT_NONE : fault_named(word + ahead, colon);
		if (*fault)
			return can_be(*fault, way) ? &until.left[way][*fault] : NULL;
	}
	if (strncmp(word, "wc_", 3) != 0 || word[3] < '0' || word[3] > '9')
		return NULL;
	status = strtoul(word + 3, &end, 10);
	return end == colon && status > IBV_WC_SUCCESS && status <= IBV_WC_TM_RNDV_INCOMPLETE ? &until.wc[status]
											      : NULL;
}

/* Does a number follow, after a plus sign? */
static bool takes_number(enum soft_fault fault)
{
	return fault == FAULT_CORRUPT || fault == FAULT_CORRUPT_FROM || fault == FAULT_DELAY;
}

static int fault_parse(const char *word, size_t length)
{
	const char *colon = memchr(word, ':', length);
	enum soft_fault fault;
	unsigned long *counter = colon ? counter_of(word, colon, &fault) : NULL;
	char *end;

	if (!counter)
		return -EINVAL;
	*counter = colon[1] >= '0' && colon[1] <= '9' ? strtoul(colon + 1, &end, 10) : 0;
	if (*counter && *end == '+' && end[1] >= '0' && end[1] <= '9' && takes_number(fault))
		until.number[fault] = strtoull(end + 1, &end, 10);
	return !*counter || end != word + length ? -EINVAL : 0;
}

/* The lock is held. */
static int fault_text_read(const char *word)
{
	memset(&until, 0, sizeof(until));
	while (*word) {
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

int soft_fault_read(void)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static char last[MAX_TEXT];
	static int result;
	const char *text = getenv("PERFTEST_SOFT_FAULT");

	if (!text)
		text = "";
	if (strlen(text) >= sizeof(last)) {
		soft_error("PERFTEST_SOFT_FAULT: longer than %u bytes", MAX_TEXT - 1);
		return -EINVAL;
	}
	/* Whichever is opened first: a device, or an event channel of rdma_cm. */
	pthread_mutex_lock(&lock);
	if (result || strcmp(text, last) != 0) {
		strcpy(last, text);
		result = fault_text_read(text);
	}
	pthread_mutex_unlock(&lock);
	return result;
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

bool soft_fault_strikes(enum soft_fault fault)
{
	if (counter_strikes(&until.left[KILLS][fault]))
		kill(getpid(), SIGKILL);
	return counter_strikes(&until.left[FAILS][fault]);
}

void *soft_fault_alloc(enum soft_fault fault, size_t size)
{
	return soft_fault_strikes(fault) ? soft_refuse(ENOMEM) : calloc(1, size);
}

unsigned long soft_fault_left(enum soft_fault fault)
{
	return __atomic_load_n(&until.left[FAILS][fault], __ATOMIC_RELAXED);
}

bool soft_fault_is_due(enum soft_fault fault)
{
	unsigned long one = 1;

	return __atomic_compare_exchange_n(&until.left[FAILS][fault], &one, 0, false, __ATOMIC_RELAXED,
					   __ATOMIC_RELAXED);
}

void soft_fault_pass(enum soft_fault fault)
{
	unsigned long before = __atomic_load_n(&until.left[FAILS][fault], __ATOMIC_RELAXED);

	while (before > 1 && !__atomic_compare_exchange_n(&until.left[FAILS][fault], &before, before - 1, false,
							  __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

uint64_t soft_fault_number(enum soft_fault fault)
{
	return until.number[fault];
}

static bool wants_completions(void)
{
	for (int status = 0; status <= IBV_WC_TM_RNDV_INCOMPLETE; status++) {
		if (until.wc[status])
			return true;
	}
	for (int i = FAULT_OTHERS_END + 1; i < FAULT_COUNT; i++) {
		if (until.left[FAILS][i])
			return true;
	}
	return false;
}

static bool wants_call(enum soft_fault call)
{
	return until.left[FAILS][call] || until.left[KILLS][call] || until.left[FULL][call];
}

/* 0, or the errno with which a posting call fails. */
static int post_fault(enum soft_fault call)
{
	if (soft_fault_strikes(call))
		return EIO;
	return counter_strikes(&until.left[FULL][call]) ? ENOMEM : 0;
}

#define FAULT_POST(name, queue, request, call)                                                                         \
	static int fault_##name(queue *object, request *wr, request **bad_wr)                                          \
	{                                                                                                              \
		int err = post_fault(call);                                                                            \
                                                                                                                       \
		if (!err)                                                                                              \
			return beneath.name(object, wr, bad_wr);                                                       \
		*bad_wr = wr;                                                                                          \
		return err;                                                                                            \
	}

FAULT_POST(post_send, struct ibv_qp, struct ibv_send_wr, FAULT_POST_SEND)
FAULT_POST(post_recv, struct ibv_qp, struct ibv_recv_wr, FAULT_POST_RECV)
FAULT_POST(post_srq_recv, struct ibv_srq, struct ibv_recv_wr, FAULT_POST_SRQ_RECV)

/* The byte of the request's local memory at the offset; NULL if there is none. */
static uint8_t *fault_byte(const struct ibv_send_wr *wr, uint64_t offset)
{
	for (int i = 0; i < wr->num_sge; i++) {
		if (offset < wr->sg_list[i].length)
			return (uint8_t *)(uintptr_t)wr->sg_list[i].addr + offset;
		offset -= wr->sg_list[i].length;
	}
	return NULL;
}

/* Requests are executed while they are posted: flips the bit before, and flips it back after. */
static int corrupt_post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad_wr)
{
	static bool from_here;
	int err = 0;

	for (; wr && !err; wr = wr->next) {
		struct ibv_send_wr one = *wr;
		const bool pulls = wr->opcode == IBV_WR_RDMA_READ || wr->opcode == IBV_WR_ATOMIC_CMP_AND_SWP ||
				   wr->opcode == IBV_WR_ATOMIC_FETCH_AND_ADD;
		const bool strikes = soft_fault_strikes(FAULT_CORRUPT);
		struct ibv_send_wr *bad;
		uint8_t *byte;

		from_here |= soft_fault_strikes(FAULT_CORRUPT_FROM);
		byte = strikes	   ? fault_byte(wr, until.number[FAULT_CORRUPT])
		       : from_here ? fault_byte(wr, until.number[FAULT_CORRUPT_FROM])
				   : NULL;
		one.next = NULL;
		if (byte && !pulls)
			*byte ^= 0x10;
		err = fault_post_send(qp, &one, &bad);
		if (byte)
			*byte ^= 0x10;
		if (err)
			*bad_wr = wr;
	}
	return err;
}

static int fault_poll_cq(struct ibv_cq *cq, int count, struct ibv_wc *wc)
{
	int found = soft_fault_strikes(FAULT_POLL_CQ) ? -1 : beneath.poll_cq(cq, count, wc);

	for (int i = 0; i < found; i++) {
		for (int status = 0; status <= IBV_WC_TM_RNDV_INCOMPLETE; status++) {
			if (counter_strikes(&until.wc[status]))
				wc[i].status = (enum ibv_wc_status)status;
		}
		for (int n = FAULT_OTHERS_END + 1; n < FAULT_COUNT; n++) {
			if (counter_strikes(&until.left[FAILS][n]))
				soft_async_raise_port(cq->context, events[n]);
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
	if (wants_call(FAULT_POST_SEND))
		ops->post_send = fault_post_send;
	if (until.left[FAILS][FAULT_CORRUPT] || until.left[FAILS][FAULT_CORRUPT_FROM])
		ops->post_send = corrupt_post_send;
	if (wants_call(FAULT_POST_RECV))
		ops->post_recv = fault_post_recv;
	if (wants_call(FAULT_POST_SRQ_RECV))
		ops->post_srq_recv = fault_post_srq_recv;
	if (wants_call(FAULT_POLL_CQ) || wants_completions())
		ops->poll_cq = fault_poll_cq;
	if (wants_call(FAULT_REQ_NOTIFY_CQ))
		ops->req_notify_cq = fault_req_notify_cq;
}
