// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * How does rdma_cm connect the queue pairs (-R)? Called through connector_cm, with the endpoints known to
 * both sides.
 *
 * The server listens on a port of its own, which its endpoints tell; the client asks for all of its
 * queue pairs, many at a time, and each step is taken when its event comes: no step waits for another
 * queue pair's. A request carries the index of its queue pair, so that the i-th of one side meets the i-th of
 * the other, and an event leads to its queue pair by the id's context: no event is searched for.
 *
 * linux-rdma perftest has no endpoints by then (remote_unknown): it listens on the port of the side channel, numbers no
 * request and tells no more than rdma_cm does. Which queue pair meets which does not matter to its tests.
 *
 * Queue pairs are made and moved by us, not by librdmacm, as without -R; what rdma_cm knows of the path
 * comes from rdma_init_qp_attr(). iWARP devices move theirs themselves, and of the steps to RTR and RTS rdma_cm leaves
 * nothing to be done.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <rdma/rdma_cma.h>
#include <stdlib.h>
#include <string.h>

#include "util/log.h"
#include "util/stop.h"
#include "verbs/cm.h"
#include "verbs/cm_step.h"
#include "verbs/connector.h"
#include "verbs/qp.h"
#include "verbs/resources.h"

#define AT_A_TIME   64	 /* requests on their way: more would only wait in the queues of port 1's management */
#define BACKLOG	    1024 /* requests that wait for us: the kernel's limit for a program */
#define LOOK_MS	    100
#define EXPLAIN_MS  500	  /* the other side's word on a failure may come so much later */
#define PATIENCE_MS 10000 /* linux-rdma perftest listens a while after it said that it is ready */
#define PART_MS	    10000 /* for the answer to a disconnection; the kernel says it again after 4 s */
#define SEND_MS	    1000  /* and a device, to send a datagram */
#define MAX_RETRIES 7	  /* three bits on the wire */

/* Private data of a request; numbers are big-endian. */
struct request_mark {
	uint8_t magic[4];
	uint32_t index; /* of the queue pair, on both sides */
};

static const uint8_t magic[4] = {'P', 'F', 'T', 'Q'};

struct cm_qp {
	struct rdma_cm_id *id; /* NULL: none; its context points here */
	enum cm_state state;
	unsigned attempts;
};

struct cm_set {
	struct rdma_event_channel *channel;
	struct rdma_cm_id *listener; /* of the listening side */
	struct cm_qp *qps;	     /* one per queue pair */
	unsigned num_begun;	     /* asking side: the first so many were begun */
	unsigned num_asking;	     /* asking side: not idle and not ready */
	unsigned num_ready;
	unsigned num_steps; /* taken by events so far, of all queue pairs; each has a limited number of attempts */
	struct deadline *restart_at; /* one per queue pair, the end of its pause */
	unsigned *restarts;	     /* ring of the queue pairs in a pause, in the order of its end */
	unsigned first_restart, num_restarts;
	struct deadline patience; /* of a remote_unknown: attempts count from then on */
	struct cm_reason last;	  /* why the newest attempt failed */
	bool unreported;	  /* the step that failed said nothing itself: last has the reason */
};

static bool datagrams(const struct resources *resources)
{
	return resources->traffic.transport->datagram;
}

static enum rdma_port_space port_space(const struct resources *resources)
{
	return datagrams(resources) ? RDMA_PS_UDP : RDMA_PS_TCP;
}

static struct sockaddr_storage with_port(const struct sockaddr_storage *address, uint16_t port)
{
	struct sockaddr_storage copy = *address;

	if (copy.ss_family == AF_INET6)
		((struct sockaddr_in6 *)&copy)->sin6_port = htons(port);
	else
		((struct sockaddr_in *)&copy)->sin_port = htons(port);
	return copy;
}

static unsigned cm_qp_index(const struct cm_set *set, const struct cm_qp *cm_qp)
{
	return (unsigned)(cm_qp - set->qps);
}

/* A call of librdmacm failed with errno. */
static int cm_failed_call(struct cm_set *set)
{
	set->last = cm_judge_call(errno ? -errno : -EIO);
	set->unreported = true;
	return set->last.error;
}

/* Before the endpoints travel: the port that the other side asks at. */
static int listen_for_requests(struct resources *resources)
{
	struct sockaddr_storage local = with_port(&resources->cm_setup.addresses.local, resources->cm_setup.port);
	const unsigned num_qps = resources->num_qps;
	struct cm_set *set = resources->cm;
	uint16_t port;

	errno = 0;
	if (rdma_create_id(set->channel, &set->listener, NULL, port_space(resources)) ||
	    rdma_bind_addr(set->listener, (struct sockaddr *)&local) ||
	    rdma_listen(set->listener, num_qps < BACKLOG ? (int)num_qps : BACKLOG)) {
		cm_failed_call(set);
		log_error("%s can't listen for queue pairs with rdma_cm: %s", resources->device->name, set->last.words);
		return set->last.error;
	}
	port = ntohs(rdma_get_src_port(set->listener));
	for (unsigned i = 0; i < num_qps; i++)
		resources->local[i].cm_port = port;
	return 0;
}

static void close_set(struct resources *resources)
{
	struct cm_set *set = resources->cm;

	if (!set)
		return;
	for (unsigned i = 0; set->qps && i < resources->num_qps; i++) {
		if (set->qps[i].id)
			rdma_destroy_id(set->qps[i].id);
	}
	if (set->listener)
		rdma_destroy_id(set->listener);
	if (set->channel)
		rdma_destroy_event_channel(set->channel);
	free(set->restarts);
	free(set->restart_at);
	free(set->qps);
	free(set);
	resources->cm = NULL;
}

static int open_set(struct resources *resources)
{
	struct cm_set *set = calloc(1, sizeof(*set));
	int err = -ENOMEM;

	resources->cm = set; /* closed with the resources */
	if (set) {
		set->qps = calloc(resources->num_qps, sizeof(*set->qps));
		set->restart_at = calloc(resources->num_qps, sizeof(*set->restart_at));
		set->restarts = calloc(resources->num_qps, sizeof(*set->restarts));
	}
	if (!set || !set->qps || !set->restart_at || !set->restarts) {
		log_error("no memory for %u queue pairs", resources->num_qps);
		return err;
	}
	err = cm_open_channel(&set->channel);
	if (err) {
		cm_report_missing(err);
		return err;
	}
	return resources->cm_setup.is_active ? 0 : listen_for_requests(resources);
}

/* --- moving a queue pair --- */

/* The attributes of a step as rdma_cm has them, and what is ours to say. */
static int move(struct resources *resources, const struct cm_qp *cm_qp, enum ibv_qp_state state, const char *step)
{
	const unsigned index = cm_qp_index(resources->cm, cm_qp);
	const unsigned retries = resources->config->retry_count;
	struct ibv_qp_attr attr = {.qp_state = state};
	int mask, err;

	if (rdma_init_qp_attr(cm_qp->id, &attr, &mask)) {
		err = errno ? -errno : -EIO;
		log_error("rdma_cm does not tell the attributes of %s of queue pair %u: %s", step, index + 1,
			  strerror(-err));
		return err;
	}
	if (state == IBV_QPS_INIT) {
		attr.qp_access_flags = qp_access_flags(resources);
	} else if (state == IBV_QPS_RTR) {
		const enum ibv_mtu path_mtu = attr.path_mtu;

		qp_fill_rtr(resources, index, &attr);
		/*
		 * linux-rdma perftest takes what rdma_cm has agreed on, whatever -m says; and a link on the way may
		 * have a smaller MTU than both ports, which the path record of InfiniBand tells.
		 */
		if (resources->remote_unknown || path_mtu < attr.path_mtu)
			attr.path_mtu = path_mtu;
		resources->remote[index].psn = attr.rq_psn;
	} else {
		qp_fill_rts(resources, &attr);
		attr.retry_cnt = (uint8_t)(retries < MAX_RETRIES ? retries : MAX_RETRIES);
		attr.rnr_retry = attr.retry_cnt;
		resources->local[index].psn = attr.sq_psn;
	}
	err = cm_modify_qp(resources->tx[index].qp, &attr, mask);
	return err ? qp_refused(resources, index, step, err) : 0;
}

/* On UD there is nothing of the other side in the queue pair; the key of its messages is rdma_cm's. */
static int move_datagrams(struct resources *resources, const struct cm_qp *cm_qp)
{
	const unsigned index = cm_qp_index(resources->cm, cm_qp);
	struct ibv_qp *qp = resources->tx[index].qp;
	struct ibv_qp_attr attr = {.qp_state = IBV_QPS_RTR};
	int err;

	err = ibv_modify_qp(qp, &attr, IBV_QP_STATE);
	if (err)
		return qp_refused(resources, index, "ready-to-receive (RTR)", err);
	attr = (struct ibv_qp_attr){.qp_state = IBV_QPS_RTS, .sq_psn = resources->local[index].psn};
	err = ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_SQ_PSN);
	return err ? qp_refused(resources, index, "ready-to-send (RTS)", err) : 0;
}

/* From INIT to RTS. INIT once more: the port and the partition are those of the path. */
static int make_ready(struct resources *resources, const struct cm_qp *cm_qp)
{
	int err = move(resources, cm_qp, IBV_QPS_INIT, "rdma_cm's port and partition (INIT)");

	if (!err && datagrams(resources))
		return move_datagrams(resources, cm_qp);
	if (!err)
		err = move(resources, cm_qp, IBV_QPS_RTR, "ready-to-receive (RTR)");
	if (!err)
		err = move(resources, cm_qp, IBV_QPS_RTS, "ready-to-send (RTS)");
	return err;
}

/* Takes back what an attempt did to the queue pair. */
static int make_new(struct resources *resources, const struct cm_qp *cm_qp)
{
	const unsigned index = cm_qp_index(resources->cm, cm_qp);
	struct ibv_qp *qp = resources->tx[index].qp;
	struct ibv_qp_attr attr = {.qp_state = IBV_QPS_RESET};
	int err = ibv_modify_qp(qp, &attr, IBV_QP_STATE);

	return err ? qp_refused(resources, index, "a new beginning (RESET)", err) : qp_to_init(resources, qp);
}

/*
 * A server of linux-rdma perftest that is to send as well takes this side's address from a first datagram, which
 * tells the number of our queue pair, and answers no other request until that has come.
 */
static int cm_introduce(const struct resources *resources, unsigned index)
{
	const struct deadline deadline = deadline_in_ms(SEND_MS);
	const struct tx_queue *tx = &resources->tx[index];
	struct ibv_send_wr wr = {
		.opcode = IBV_WR_SEND_WITH_IMM,
		.send_flags = IBV_SEND_SIGNALED,
		.imm_data = htonl(tx->qp->qp_num),
		.wr.ud = {.ah = tx->ah, .remote_qpn = tx->remote_qpn, .remote_qkey = tx->remote_qkey},
	};
	struct ibv_send_wr *bad;
	struct ibv_wc wc;
	int count, err;

	err = ibv_post_send(tx->qp, &wr, &bad);
	if (err)
		return qp_refused(resources, index, "a first datagram", err);
	do {
		count = ibv_poll_cq(queue_set_of(resources->sets, index)->send_cq, 1, &wc);
	} while (!count && !deadline_passed(deadline));
	if (count == 1 && wc.status == IBV_WC_SUCCESS)
		return 0;
	log_error("%s did not send the first datagram of queue pair %u: %s", resources->device->name, index + 1,
		  count == 1 ? ibv_wc_status_str(wc.status) : "nothing completed");
	return -EIO;
}

static int take_address(struct resources *resources, const struct cm_qp *cm_qp, const struct rdma_cm_event *event)
{
	const unsigned index = cm_qp_index(resources->cm, cm_qp);
	struct ibv_ah_attr attr = event->param.ud.ah_attr;
	int err;

	if (!datagrams(resources) || !resources->traffic.posts)
		return 0;
	err = qp_open_address(resources, index, &attr, event->param.ud.qp_num, event->param.ud.qkey);
	if (!err && resources->remote_unknown && resources->traffic.receives)
		err = cm_introduce(resources, index);
	return err;
}

/* The listening side learns nothing of the asking one's queue pair by rdma_cm, but has its endpoint. */
static int make_address(struct resources *resources, const struct cm_qp *cm_qp)
{
	const unsigned index = cm_qp_index(resources->cm, cm_qp);
	const struct endpoint *remote = &resources->remote[index];
	struct ibv_ah_attr attr;

	if (!resources->traffic.posts || resources->tx[index].ah)
		return 0;
	qp_fill_address(resources, index, remote, IBV_RATE_MAX, &attr);
	if (resources->config->tos >= 0)
		attr.grh.traffic_class = (uint8_t)resources->config->tos;
	return qp_open_address(resources, index, &attr, remote->qpn, RDMA_UDP_QKEY);
}

/* --- the steps --- */

static void cm_fill_param(const struct resources *resources, unsigned index, struct rdma_conn_param *param)
{
	const unsigned retries = resources->config->retry_count;

	*param = (struct rdma_conn_param){
		.responder_resources = (uint8_t)resources->local[index].out_reads,
		.initiator_depth = (uint8_t)resources->outs,
		.retry_count = (uint8_t)(retries < MAX_RETRIES ? retries : MAX_RETRIES),
		.rnr_retry_count = (uint8_t)(retries < MAX_RETRIES ? retries : MAX_RETRIES),
		.qp_num = resources->tx[index].qp->qp_num,
	};
}

/* The first step: of a queue pair that was not begun, or whose pause is over. */
static int cm_begin(struct resources *resources, struct cm_qp *cm_qp)
{
	struct cm_set *set = resources->cm;
	struct sockaddr_storage from = with_port(&resources->cm_setup.addresses.local, 0);
	struct sockaddr_storage to =
		with_port(&resources->cm_setup.addresses.peer, resources->remote[cm_qp_index(set, cm_qp)].cm_port);
	uint8_t tos = (uint8_t)resources->config->tos;

	cm_qp->attempts++;
	cm_qp->state = CM_ADDRESS;
	set->num_asking++;
	errno = 0;
	if (rdma_create_id(set->channel, &cm_qp->id, cm_qp, port_space(resources)))
		return cm_failed_call(set);
	if (resources->config->tos >= 0 &&
	    rdma_set_option(cm_qp->id, RDMA_OPTION_ID, RDMA_OPTION_ID_TOS, &tos, sizeof(tos)))
		return cm_failed_call(set);
	if (rdma_resolve_addr(cm_qp->id, (struct sockaddr *)&from, (struct sockaddr *)&to, CM_RESOLVE_MS))
		return cm_failed_call(set);
	return 0;
}

static int cm_ask(struct resources *resources, struct cm_qp *cm_qp)
{
	struct cm_set *set = resources->cm;
	const unsigned index = cm_qp_index(set, cm_qp);
	struct request_mark mark = {.index = htonl(index)};
	struct rdma_conn_param param;
	int err;

	/* The partition and the port of the path; and receives may come before the answer does. */
	err = datagrams(resources) ? make_ready(resources, cm_qp)
				   : move(resources, cm_qp, IBV_QPS_INIT, "rdma_cm's port and partition (INIT)");
	if (err)
		return err;
	memcpy(mark.magic, magic, sizeof(magic));
	cm_fill_param(resources, index, &param);
	param.private_data = &mark;
	param.private_data_len = sizeof(mark);
	errno = 0;
	return rdma_connect(cm_qp->id, &param) ? cm_failed_call(set) : 0;
}

static int cm_confirm(struct resources *resources, struct cm_qp *cm_qp)
{
	int err = make_ready(resources, cm_qp);

	if (err)
		return err;
	errno = 0;
	return rdma_establish(cm_qp->id) ? cm_failed_call(resources->cm) : 0;
}

/* For a peer that does not number its requests: they are taken as they come. */
static struct cm_qp *next_qp(const struct resources *resources)
{
	struct cm_set *set = resources->cm;

	if (set->num_begun < resources->num_qps)
		return &set->qps[set->num_begun++];
	for (unsigned i = 0; i < resources->num_qps; i++) {
		if (set->qps[i].state == CM_IDLE)
			return &set->qps[i];
	}
	return NULL;
}

/* What the peer's side of the connection can hold, where its endpoint did not tell. */
static void heed_depth(struct resources *resources, const struct rdma_cm_event *event)
{
	if (resources->remote_unknown && !datagrams(resources) && event->param.conn.initiator_depth < resources->outs)
		resources->outs = event->param.conn.initiator_depth;
}

/* Which queue pair is a request for? NULL: none of ours. */
static struct cm_qp *find_qp(const struct resources *resources, const struct rdma_cm_event *event)
{
	const bool ud = datagrams(resources);
	const void *data = ud ? event->param.ud.private_data : event->param.conn.private_data;
	const uint8_t length = ud ? event->param.ud.private_data_len : event->param.conn.private_data_len;
	struct request_mark mark;
	uint32_t index;

	if (resources->remote_unknown)
		return next_qp(resources);
	if (!data || length < sizeof(mark))
		return NULL;
	memcpy(&mark, data, sizeof(mark));
	index = ntohl(mark.index);
	if (memcmp(mark.magic, magic, sizeof(magic)) != 0 || index >= resources->num_qps)
		return NULL;
	/* iWARP's requests carry no number: the event has 0 there. */
	if (!ud && event->param.conn.qp_num && event->param.conn.qp_num != resources->remote[index].qpn)
		return NULL;
	return &resources->cm->qps[index];
}

/* Lets a request go. The event is acknowledged. */
static void reject(struct rdma_cm_id *id)
{
	rdma_reject(id, NULL, 0);
	rdma_destroy_id(id);
}

/* id: the request's. It becomes the cm_qp's whatever happens. */
static int cm_answer(struct resources *resources, struct cm_qp *cm_qp, struct rdma_cm_id *id)
{
	struct cm_set *set = resources->cm;
	struct rdma_conn_param param;
	const bool again = cm_qp->id != NULL;
	int err = 0;

	if (again)
		rdma_destroy_id(cm_qp->id);
	cm_qp->id = id;
	id->context = cm_qp;
	cm_qp->attempts++;
	if (again)
		err = make_new(resources, cm_qp);
	if (!err)
		err = make_ready(resources, cm_qp);
	if (!err && datagrams(resources) && !resources->remote_unknown)
		err = make_address(resources, cm_qp);
	if (err)
		return err;
	cm_fill_param(resources, cm_qp_index(set, cm_qp), &param);
	errno = 0;
	return rdma_accept(id, &param) ? cm_failed_call(set) : 0;
}

/* The attempt is over; the asking side begins anew after a pause, the other one waits. */
static int restart(struct resources *resources, struct cm_qp *cm_qp)
{
	struct cm_set *set = resources->cm;
	const unsigned index = cm_qp_index(set, cm_qp);

	if (cm_qp->id)
		rdma_destroy_id(cm_qp->id);
	cm_qp->id = NULL;
	if (resources->cm_setup.is_active) {
		set->num_asking--;
		set->restart_at[index] = deadline_in_ms(CM_PAUSE_MS);
		set->restarts[(set->first_restart + set->num_restarts) % resources->num_qps] = index;
		set->num_restarts++;
	}
	return make_new(resources, cm_qp);
}

/* A peer that tells nothing of its options may have other ones. */
static const char *cm_hint(const struct resources *resources)
{
	return resources->remote_unknown ? "; linux-rdma perftest needs -R, and the same -c and -q, as this side" : "";
}

/* -errno; reported here unless the device did. */
static int give_up(const struct resources *resources, const struct cm_qp *cm_qp, int err)
{
	const struct cm_set *set = resources->cm;
	const struct deadline deadline = deadline_in_ms(EXPLAIN_MS);
	struct rdma_cm_event *event;
	int told = 0;

	/* If the other side gave up, what it says is the reason. */
	do {
		told = resources->cm_setup.look(resources->cm_setup.owner);
		if (!told && !cm_wait_event(set->channel, deadline_in_ms(LOOK_MS), &event))
			rdma_ack_cm_event(event);
	} while (!told && !deadline_passed(deadline));
	if (told)
		return told;
	log_error("rdma_cm did not connect queue pair %u of %u, at attempt %u: %s%s", cm_qp_index(set, cm_qp) + 1,
		  resources->num_qps, cm_qp->attempts, set->last.words, cm_hint(resources));
	return err;
}

/* --- events --- */

static int act(struct resources *resources, struct cm_qp *cm_qp, enum cm_action action,
	       const struct rdma_cm_event *event)
{
	switch (action) {
	case CM_FIND_ROUTE:
		errno = 0;
		return rdma_resolve_route(cm_qp->id, CM_RESOLVE_MS) ? cm_failed_call(resources->cm) : 0;
	case CM_ASK:
		return cm_ask(resources, cm_qp);
	case CM_CONFIRM:
		heed_depth(resources, event);
		return cm_confirm(resources, cm_qp);
	case CM_ANSWER:
		heed_depth(resources, event);
		return cm_answer(resources, cm_qp, event->id);
	case CM_TAKE:
		return resources->cm_setup.is_active ? take_address(resources, cm_qp, event) : 0;
	case CM_RESTART:
		return restart(resources, cm_qp);
	default:
		return 0;
	}
}

/* 0 or -errno, reported. cm_qp NULL: none of ours. */
static int handle(struct resources *resources, struct cm_qp *cm_qp, const struct rdma_cm_event *event)
{
	struct cm_set *set = resources->cm;
	const bool is_request = event->event == RDMA_CM_EVENT_CONNECT_REQUEST;
	const struct cm_reason reason = cm_judge(event->event, event->status);
	const bool was_ready = cm_qp && cm_qp->state == CM_READY;
	const bool patient = resources->remote_unknown && !deadline_passed(set->patience);
	struct cm_step step = {0};
	int err;

	if (cm_qp)
		step = cm_step(cm_qp->state, event->event, reason.verdict, patient ? 1 : cm_qp->attempts,
			       datagrams(resources));
	if (is_request && (!cm_qp || step.action != CM_ANSWER)) {
		reject(event->id);
		return 0;
	}
	if (!cm_qp || step.action == CM_IGNORE)
		return 0;
	if (reason.verdict != CM_GOES_ON)
		set->last = reason;
	if (step.action == CM_GIVE_UP)
		return give_up(resources, cm_qp, reason.error);
	cm_qp->state = step.next;
	set->num_steps++;
	set->unreported = false;
	err = act(resources, cm_qp, step.action, event);
	if (err)
		return set->unreported ? give_up(resources, cm_qp, err) : err;
	if (step.next == CM_READY && !was_ready) {
		set->num_ready++;
		if (resources->cm_setup.is_active)
			set->num_asking--;
	}
	return 0;
}

/* An id that has an event which was not acknowledged can't be destroyed, the call would never return: a copy is kept.
 */
static int cm_take_event(struct resources *resources, struct rdma_cm_event *event)
{
	const bool is_request = event->event == RDMA_CM_EVENT_CONNECT_REQUEST;
	struct cm_qp *cm_qp = is_request ? find_qp(resources, event) : event->id->context;
	struct rdma_cm_event copy = *event;

	rdma_ack_cm_event(event);
	return handle(resources, cm_qp, &copy);
}

/* Begins as many as may be on their way. 0 or -errno, reported. */
static int begin_more(struct resources *resources)
{
	struct cm_set *set = resources->cm;
	int err = 0;

	while (!err && set->num_asking < AT_A_TIME) {
		struct cm_qp *cm_qp;

		if (set->num_restarts && deadline_passed(set->restart_at[set->restarts[set->first_restart]])) {
			cm_qp = &set->qps[set->restarts[set->first_restart]];
			set->first_restart = (set->first_restart + 1) % resources->num_qps;
			set->num_restarts--;
		} else if (set->num_begun < resources->num_qps) {
			cm_qp = &set->qps[set->num_begun++];
		} else {
			break;
		}
		err = cm_begin(resources, cm_qp);
		if (err)
			return give_up(resources, cm_qp, err);
	}
	return err;
}

static int report_silence(const struct resources *resources)
{
	log_error("rdma_cm connected %u of %u queue pairs, and then nothing happened for %g s: %s%s",
		  resources->cm->num_ready, resources->num_qps, resources->cm_setup.timeout_ms / 1e3,
		  resources->cm->last.words ? resources->cm->last.words : "requests or answers do not arrive",
		  cm_hint(resources));
	return -ETIMEDOUT;
}

static int cm_connect_all(struct resources *resources)
{
	const struct cm_setup *setup = &resources->cm_setup;
	struct deadline deadline = deadline_in_ms(setup->timeout_ms);
	struct deadline next_look = deadline_in_ms(LOOK_MS);
	struct cm_set *set = resources->cm;
	int err;

	set->patience = deadline_in_ms(PATIENCE_MS);
	while (set->num_ready < resources->num_qps) {
		const unsigned steps = set->num_steps;
		struct rdma_cm_event *event;

		err = setup->is_active ? begin_more(resources) : 0;
		if (err)
			return err;
		err = cm_wait_event(set->channel, next_look, &event);
		if (!err)
			err = cm_take_event(resources, event);
		else if (err == -ETIMEDOUT)
			err = 0;
		else if (err != -EINTR)
			log_error("rdma_cm tells no more of the queue pairs: %s", strerror(-err));
		if (err)
			return err;
		/* Requests that belong to no queue pair of ours, which any program can make, prolong nothing. */
		if (set->num_steps != steps)
			deadline = deadline_in_ms(setup->timeout_ms);
		if (!deadline_passed(next_look))
			continue;
		err = stop_requested() ? -EINTR : setup->look(setup->owner);
		if (!err && deadline_passed(deadline))
			err = report_silence(resources);
		if (err)
			return err;
		next_look = deadline_in_ms(LOOK_MS);
	}
	return 0;
}

/*
 * The listening side's addresses of datagrams. The first datagram, with which a client of linux-rdma perftest tells
 * its own, has found no receive by now and is gone.
 */
static int learn_remote(struct resources *resources)
{
	int err = 0;

	if (!datagrams(resources) || resources->cm_setup.is_active)
		return 0;
	for (unsigned i = 0; !err && i < resources->num_qps; i++)
		err = make_address(resources, &resources->cm->qps[i]);
	return err;
}

/*
 * linux-rdma perftest waits in its end, without a limit, until each connection is taken down; a destroyed id says that
 * once, and it may get lost. Its answer in turn comes when it needs the queue pair no longer.
 */
static void cm_disconnect_all(struct resources *resources)
{
	const struct deadline deadline = deadline_in_ms(PART_MS);
	struct cm_set *set = resources->cm;
	struct rdma_cm_event *event;
	unsigned left = 0;

	if (datagrams(resources))
		return;
	for (unsigned i = 0; i < resources->num_qps; i++)
		left += !rdma_disconnect(set->qps[i].id);
	while (left && !cm_wait_event(set->channel, deadline, &event)) {
		left -= event->event == RDMA_CM_EVENT_DISCONNECTED;
		rdma_ack_cm_event(event);
	}
}

const struct connector connector_cm = {
	.open = open_set,
	.connect = cm_connect_all,
	.learn_remote = learn_remote,
	.disconnect = cm_disconnect_all,
	.close = close_set,
};
