// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Steers received frames to queue pairs. Each process has a table of rules, as if it had its own adapter; the thread
 * that receives from the interface (interface.c) looks up a frame there (rule.c) and fills receive requests with it.
 * Called through the verbs ibv_create_flow() and ibv_destroy_flow().
 *
 * Lock order: `lock` > soft_self.lock. Rules reference their queue pairs, which cannot be destroyed before them.
 */
#include "packet/raw_packet.h"

#include <arpa/inet.h>
#include <linux/if_packet.h>

#include "data/execute.h"
#include "host/async.h"
#include "host/fault.h"
#include "host/peer.h"
#include "host/threads.h"
#include "packet/frame.h"
#include "packet/interface.h"
#include "packet/rss.h"
#include "packet/rule.h"

#define WAIT_LIMIT_NS 100000000ull
#define WAIT_STEP_NS  20000

struct core_flow {
	struct ibv_flow base;
	struct soft_rule rule;
	struct core_qp *qp;
	uint16_t membership; /* PACKET_MR_* ... */
	bool is_member;
	uint8_t address[FRAME_MAC_SIZE]; /* ... of this address */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct soft_rule_table table;

/* The queue is locked. False: nothing is posted. */
static bool receive_fill(struct core_qp *qp, struct receiver *receiver, const struct soft_frame *frame, uint32_t tag)
{
	struct pieces remote, message;
	struct cqe cqe;

	message.count = 0;
	message.length = 0;
	pieces_add(&message, (uint8_t *)frame->data, frame->length);
	if (!receiver_take(receiver))
		return false;
	/* Dropped, as by an adapter: the posted buffer is too small. */
	if (soft_pieces_receive(&remote, receiver, message.length))
		return true;
	soft_pieces_copy(&remote, &message);
	if (pieces_are_lost(&remote))
		return true;
	cqe.qpn = core_qp_number(qp);
	cqe.byte_len = (uint32_t)message.length;
	cqe.imm_data = frame->tag; /* for a raw packet: ibv_wc_read_cvlan() */
	cqe.src_qp = tag;	   /* likewise: ibv_wc_read_flow_tag() */
	cqe.flags = 0;
	cqe.status = IBV_WC_SUCCESS;
	cqe.opcode = IBV_WC_RECV;
	cqe.sl = 0;
	receiver_complete(receiver, qp->row->receive_cq, &cqe, false /* is_solicited */);
	return true;
}

static bool takes_frames(const struct core_qp *qp)
{
	return GATE_ACCEPTS(__atomic_load_n(&qp->row->gate, __ATOMIC_ACQUIRE)) == ACCEPTS_FRAMES;
}

/* False: nothing is posted. */
static bool deliver_once(struct core_qp *qp, const struct soft_frame *frame, uint32_t tag)
{
	struct receiver receiver;
	bool is_done = true;

	if (!takes_frames(qp) || !receiver_lock(&receiver, &soft_self_peer, &qp->row->receive_queue))
		return true;
	if (takes_frames(qp))
		is_done = receive_fill(qp, &receiver, frame, tag);
	receiver_unlock(&receiver);
	return is_done;
}

/*
 * Frames arrive as fast as the sender's CPU creates them, and the thread that reposts requests may not have a CPU just
 * then: a frame waits for a request, and later frames wait in the socket. Only once until requests are posted again, so
 * that we do not wait for a program that has stopped receiving.
 */
static void deliver_patiently(struct core_qp *qp, const struct soft_frame *frame, uint32_t tag)
{
	const struct timespec pause = {.tv_nsec = WAIT_STEP_NS};
	const uint64_t until = soft_clock_now() + WAIT_LIMIT_NS;
	const uint32_t taken =
		__atomic_load_n(&soft_peer_rq(&soft_self_peer, qp->row->receive_queue)->head, __ATOMIC_RELAXED);

	if (qp->frames_lost_at == taken + 1)
		return;
	while (soft_clock_now() < until) {
		nanosleep(&pause, NULL);
		if (deliver_once(qp, frame, tag))
			return;
	}
	qp->frames_lost_at = taken + 1;
}

static void steering_deliver(struct soft_rule *rule, void *argument)
{
	const struct soft_frame *frame = argument;
	struct core_qp *qp = container_of_type(rule, struct core_flow, rule)->qp;

	if (qp->rss)
		qp = rwq_table_pick(qp->rss->table, soft_toeplitz_frame(qp->rss->key, qp->rss->fields, frame));
	if (!deliver_once(qp, frame, rule->tag))
		deliver_patiently(qp, frame, rule->tag);
}

/* The kernel strips the tag from a received frame: puts it back. */
static void tag_restore(struct soft_arrival *arrival)
{
	const uint16_t words[2] = {htons(arrival->tag_type), htons(arrival->tag)};

	if (!arrival->has_tag || arrival->length < FRAME_HEADER_SIZE)
		return;
	_Static_assert(sizeof(words) == INTERFACE_HEADROOM, "a tag");
	memmove(arrival->data - sizeof(words), arrival->data, 2 * FRAME_MAC_SIZE);
	arrival->data -= sizeof(words);
	arrival->length += (uint32_t)sizeof(words);
	memcpy(arrival->data + 2 * FRAME_MAC_SIZE, words, sizeof(words));
}

static void frame_steer(const struct soft_arrival *given)
{
	struct soft_arrival arrival = *given;
	struct soft_frame frame;

	tag_restore(&arrival);
	soft_frame_parse(&frame, arrival.data, arrival.length);
	pthread_mutex_lock(&lock);
	soft_rule_steer(&table, &frame, steering_deliver, &frame);
	pthread_mutex_unlock(&lock);
}

/* Several queue pairs have one device: one event is enough for those that follow each other. */
static void port_fail(bool is_removed)
{
	const struct ibv_context *before = NULL;

	pthread_mutex_lock(&lock);
	for (struct soft_rule *rule = table.first; rule; rule = rule->next) {
		struct ibv_context *context = container_of_type(rule, struct core_flow, rule)->base.context;

		if (context != before)
			soft_async_raise_port(context, is_removed ? IBV_EVENT_DEVICE_FATAL : IBV_EVENT_PORT_ERR);
		before = context;
	}
	pthread_mutex_unlock(&lock);
}

/* Joins the addresses that the rule needs besides the interface's own. */
static int membership_take(struct core_flow *flow)
{
	static const uint8_t whole[FRAME_MAC_SIZE] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
	const struct ibv_flow_spec_eth *ethernet = &flow->rule.ethernet;
	int err;

	switch (flow->rule.type) {
	case IBV_FLOW_ATTR_SNIFFER:
	case IBV_FLOW_ATTR_ALL_DEFAULT:
		flow->membership = PACKET_MR_PROMISC;
		break;
	case IBV_FLOW_ATTR_MC_DEFAULT:
		flow->membership = PACKET_MR_ALLMULTI;
		break;
	default:
		if (!ethernet->type || memcmp(ethernet->mask.dst_mac, whole, sizeof(whole)) != 0)
			return 0;
		flow->membership = ethernet->val.dst_mac[0] & 1 ? PACKET_MR_MULTICAST : PACKET_MR_UNICAST;
		memcpy(flow->address, ethernet->val.dst_mac, sizeof(flow->address));
	}
	err = soft_interface_join(&flow->membership, flow->address);
	flow->is_member = !err;
	return err;
}

static int flow_check(const struct core_qp *qp)
{
	return qp->type & (QP_RAW | QP_RSS) && !soft_self.is_null ? 0 : -EINVAL;
}

static void flow_insert(struct core_flow *flow)
{
	pthread_mutex_lock(&lock);
	soft_rule_insert(&table, &flow->rule);
	flow->qp->flows++;
	pthread_mutex_unlock(&lock);
}

int soft_destroy_flow(struct ibv_flow *public)
{
	SOFT_UNCANCELLED;
	struct core_flow *flow = (struct core_flow *)public;

	pthread_mutex_lock(&lock);
	soft_rule_remove(&table, &flow->rule);
	flow->qp->flows--;
	pthread_mutex_unlock(&lock);
	if (flow->is_member)
		soft_interface_leave(flow->membership, flow->address);
	free(flow);
	return 0;
}

struct ibv_flow *soft_create_flow(struct ibv_qp *public, struct ibv_flow_attr *attr)
{
	SOFT_UNCANCELLED;
	struct core_qp *qp = core_qp_of(public);
	struct core_flow *flow = soft_fault_alloc(FAULT_CREATE_FLOW, sizeof(*flow));
	int err = flow ? flow_check(qp) : -ENOMEM;

	err = err ?: soft_rule_read(&flow->rule, attr);
	if (err) {
		free(flow);
		return soft_refuse(-err);
	}
	flow->base.context = public->context;
	flow->qp = qp;
	flow_insert(flow);
	/* A peer that sees that the interface listens may send at once: the rule is there by then. */
	err = soft_interface_listen(frame_steer, port_fail);
	err = err ?: membership_take(flow);
	if (!err)
		return &flow->base;
	soft_destroy_flow(&flow->base);
	return soft_refuse(-err);
}

void soft_steering_reset(void)
{
	pthread_mutex_init(&lock, NULL);
	table = (struct soft_rule_table){0};
	soft_interface_reset();
}
