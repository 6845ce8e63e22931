// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Connects the QPs with rdma_cm (-R). Called through connector_cm, when both sides know the endpoints.
 *
 * The server listens on a port of its own, which its endpoints carry. The client sends requests for all of its QPs,
 * many at a time, and each step is taken when its event arrives: no QP waits for another one. A request carries the
 * index of its QP, so that the i-th QPs of both sides are connected, and the context of the event's id points to the
 * QP, so that no search is needed.
 *
 * With linux-rdma perftest there are no endpoints yet (remote_unknown): it listens on the port of the side channel,
 * does not number its requests, and reports only what rdma_cm does. Its tests do not depend on which QPs are connected.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <rdma/rdma_cma.h>
#include <stdlib.h>
#include <string.h>

#include "util/log.h"
#include "util/stop.h"
#include "verbs/connect/cm_qp.h"
#include "verbs/device/adapter.h"
#include "verbs/qp/qp_attr.h"
#include "verbs/resources.h"

#define AT_A_TIME	  64 /* outstanding requests: more would only queue up in QP1's management datagrams */
#define LOOK_MS		  100
#define EXPLAIN_MS	  500	/* the peer's message about a failure may arrive this much later */
#define LISTEN_TIMEOUT_MS 10000 /* linux-rdma perftest listens some time after it said that it is ready */
#define PART_MS		  10000 /* for the reply to a disconnection, which the kernel repeats after 4 s */

/* Private data of a request; numbers are big-endian. */
struct request_mark {
	uint8_t magic[4];
	uint32_t index; /* of the QP, on both sides */
};

static const uint8_t magic[4] = {'P', 'F', 'T', 'Q'};

struct cm_qp {
	struct rdma_cm_id *id; /* its context points back; NULL: none */
	enum cm_state state;
	unsigned attempts;
	struct deadline restart_at; /* end of its pause */
	struct cm_qp *next;	    /* in the list of those that pause */
};

struct cm_set {
	struct rdma_event_channel *channel;
	struct rdma_cm_id *listener; /* passive side */
	struct cm_qp *qps;	     /* one per queue pair */
	unsigned num_begun;	     /* active side: QPs [0, num_begun) have been started */
	unsigned num_asking;	     /* active side: neither idle nor ready */
	unsigned num_ready;
	unsigned num_steps; /* by events so far, of all QPs; bounded, since each QP has a limited number of attempts */
	struct cm_qp *restarts, **restarts_end; /* the QPs that pause, by end of pause */
	struct deadline peer_deadline;		/* with remote_unknown: attempts only count after this */
	struct cm_reason last;			/* why the last attempt failed */
	bool unreported;			/* the failed step reported nothing: the reason is in last */
};

static enum rdma_port_space port_space(const struct resources *resources)
{
	return cm_is_datagram(resources) ? RDMA_PS_UDP : RDMA_PS_TCP;
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

/* A call of librdmacm failed; the error is in errno. */
static int cm_failed_call(struct cm_set *set)
{
	set->last = cm_judge_call(errno ? -errno : -EIO);
	set->unreported = true;
	return set->last.error;
}

/* Before the endpoints are exchanged: opens the port that the peer will connect to. */
static int listen_for_requests(struct resources *resources)
{
	struct sockaddr_storage local = with_port(&resources->cm_setup.addresses.local, resources->cm_setup.port);
	const unsigned num_qps = resources->num_qps;
	struct cm_set *set = resources->cm;
	uint16_t port;

	errno = 0;
	if (rdma_create_id(set->channel, &set->listener, NULL, port_space(resources)) ||
	    rdma_bind_addr(set->listener, (struct sockaddr *)&local) ||
	    rdma_listen(set->listener, num_qps < CM_BACKLOG ? (int)num_qps : CM_BACKLOG)) {
		cm_failed_call(set);
		return log_fail(set->last.error, "%s cannot listen for queue pairs with rdma_cm: %s",
				resources->device->name, set->last.words);
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
	free(set->qps);
	free(set);
	resources->cm = NULL;
}

static int open_set(struct resources *resources)
{
	struct cm_set *set = calloc(1, sizeof(*set));
	int err = -ENOMEM;

	resources->cm = set; /* closed with the resources */
	if (set)
		set->qps = calloc(resources->num_qps, sizeof(*set->qps));
	if (!set || !set->qps)
		return log_fail(err, "no memory for %u queue pairs", resources->num_qps);
	set->restarts_end = &set->restarts;
	err = cm_open_channel(&set->channel);
	if (err) {
		cm_report_missing(err, verbs_config_names(resources->config)->rdma_cm);
		return err;
	}
	return resources->cm_setup.is_active ? 0 : listen_for_requests(resources);
}

/* Applies the peer's ECE options; before RTR. *has: the QP was configured with them. */
static int apply_ece(const struct resources *resources, const struct cm_qp *cm_qp, struct rdma_cm_id *id, bool *has)
{
	const unsigned index = cm_qp_index(resources->cm, cm_qp);
	int err;

	*has = false;
	if (cm_is_datagram(resources))
		return 0;
	err = cm_ece_apply(id, resources->tx[index].qp, has);
	return err ? qp_refused(resources, index, "the peer's options of enhanced connection establishment", -err) : 0;
}

/* Shows the result; after RTR. */
static void show_ece(const struct resources *resources, const struct cm_qp *cm_qp)
{
	const unsigned index = cm_qp_index(resources->cm, cm_qp);
	struct ibv_ece agreed;

	if (index == 0 && cm_ece_agreed(resources->tx[index].qp, &agreed) == 0)
		log_detail("enhanced connection establishment: both devices have the options 0x%x of vendor 0x%06x",
			   agreed.options, agreed.vendor_id);
}

static int send_ece(const struct resources *resources, const struct cm_qp *cm_qp)
{
	const unsigned index = cm_qp_index(resources->cm, cm_qp);
	int err = cm_is_datagram(resources) ? 0 : cm_ece_offer(cm_qp->id, resources->tx[index].qp);

	return err ? qp_refused(resources, index, "to query its options of enhanced connection establishment", -err)
		   : 0;
}

/* --- the steps --- */

static void cm_fill_param(const struct resources *resources, unsigned index, struct rdma_conn_param *param)
{
	*param = (struct rdma_conn_param){
		.responder_resources = (uint8_t)resources->local[index].out_reads,
		.initiator_depth = (uint8_t)resources->outs,
		.retry_count = cm_retries(resources),
		.rnr_retry_count = cm_retries(resources),
		.qp_num = resources->tx[index].qp->qp_num,
	};
}

/* First step of a QP that was not started, or whose pause is over. */
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

	/* With the path's P_Key and port; and messages may arrive before the reply does. */
	err = cm_is_datagram(resources) ? cm_move_to_rts(resources, index, cm_qp->id)
					: cm_move_to_init(resources, index, cm_qp->id);
	err = err ?: send_ece(resources, cm_qp);
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
	bool has_ece;
	int err = apply_ece(resources, cm_qp, cm_qp->id, &has_ece);

	err = err ?: cm_move_to_rts(resources, cm_qp_index(resources->cm, cm_qp), cm_qp->id);
	if (err)
		return err;
	if (has_ece)
		show_ece(resources, cm_qp);
	errno = 0;
	return rdma_establish(cm_qp->id) ? cm_failed_call(resources->cm) : 0;
}

/* For a peer that does not number its requests: assigns them in order of arrival. */
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

/* Lowers the depth to what the peer supports, if its endpoint did not say that. */
static void apply_depth(struct resources *resources, const struct rdma_cm_event *event)
{
	if (resources->remote_unknown && !cm_is_datagram(resources) &&
	    event->param.conn.initiator_depth < resources->outs)
		resources->outs = adapter_outs(&resources->device->attr, event->param.conn.initiator_depth);
}

/* The QP that a request is for; NULL if it is not for one of ours. */
static struct cm_qp *find_qp(const struct resources *resources, const struct rdma_cm_event *event)
{
	const bool ud = cm_is_datagram(resources);
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
	/* iWARP requests carry no QP number: it is 0 in the event. */
	if (!ud && event->param.conn.qp_num && event->param.conn.qp_num != resources->remote[index].qpn)
		return NULL;
	return &resources->cm->qps[index];
}

/* Rejects a request whose event was acknowledged. */
static void reject(struct rdma_cm_id *id)
{
	rdma_reject(id, NULL, 0);
	rdma_destroy_id(id);
}

/* id: of the request; always owned by cm_qp afterwards. */
static int cm_answer(struct resources *resources, struct cm_qp *cm_qp, struct rdma_cm_id *id)
{
	struct cm_set *set = resources->cm;
	const unsigned index = cm_qp_index(set, cm_qp);
	struct rdma_conn_param param;
	const bool again = cm_qp->id != NULL;
	bool has_ece = false;
	int err = 0;

	if (again)
		rdma_destroy_id(cm_qp->id);
	cm_qp->id = id;
	id->context = cm_qp;
	cm_qp->attempts++;
	if (again)
		err = cm_move_back(resources, index);
	err = err ?: apply_ece(resources, cm_qp, id, &has_ece);
	err = err ?: cm_move_to_rts(resources, index, id);
	/* Send back the options that the QP has accepted. */
	if (!err && has_ece) {
		show_ece(resources, cm_qp);
		err = send_ece(resources, cm_qp);
	}
	if (!err && cm_is_datagram(resources) && !resources->remote_unknown)
		err = cm_make_address(resources, index);
	if (err)
		return err;
	cm_fill_param(resources, index, &param);
	errno = 0;
	return rdma_accept(id, &param) ? cm_failed_call(set) : 0;
}

/* The attempt failed; the active side retries after a pause, the passive side waits. */
static int restart(struct resources *resources, struct cm_qp *cm_qp)
{
	struct cm_set *set = resources->cm;

	if (cm_qp->id)
		rdma_destroy_id(cm_qp->id);
	cm_qp->id = NULL;
	if (resources->cm_setup.is_active) {
		set->num_asking--;
		cm_qp->restart_at = deadline_in_ms(CM_PAUSE_MS);
		cm_qp->next = NULL;
		*set->restarts_end = cm_qp;
		set->restarts_end = &cm_qp->next;
	}
	return cm_move_back(resources, cm_qp_index(set, cm_qp));
}

/* A peer that does not exchange its options may have other ones. */
static const char *cm_hint(const struct resources *resources)
{
	return resources->remote_unknown ? "; linux-rdma perftest needs -R, and the same -c and -q, as this side" : "";
}

/* Returns -errno; reported here unless the device's error was reported already. */
static int give_up(const struct resources *resources, const struct cm_qp *cm_qp, int err)
{
	const struct cm_set *set = resources->cm;
	const struct deadline deadline = deadline_in_ms(EXPLAIN_MS);
	struct rdma_cm_event *event;
	int ret = 0;

	/* If the peer gave up, its message has the reason. */
	do {
		ret = resources->cm_setup.look(resources->cm_setup.owner);
		if (!ret && !cm_wait_event(set->channel, deadline_in_ms(LOOK_MS), &event))
			rdma_ack_cm_event(event);
	} while (!ret && !deadline_passed(deadline));
	if (ret)
		return ret;
	return log_fail(err, "rdma_cm could not connect queue pair %u of %u, at attempt %u: %s%s",
			cm_qp_index(set, cm_qp) + 1, resources->num_qps, cm_qp->attempts, set->last.words,
			cm_hint(resources));
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
		apply_depth(resources, event);
		return cm_confirm(resources, cm_qp);
	case CM_ANSWER:
		apply_depth(resources, event);
		return cm_answer(resources, cm_qp, event->id);
	case CM_TAKE:
		return resources->cm_setup.is_active
			       ? cm_take_address(resources, cm_qp_index(resources->cm, cm_qp), event)
			       : 0;
	case CM_RESTART:
		return restart(resources, cm_qp);
	default:
		return 0;
	}
}

/* 0 or -errno, reported. cm_qp NULL: not one of ours. */
static int handle(struct resources *resources, struct cm_qp *cm_qp, const struct rdma_cm_event *event)
{
	struct cm_set *set = resources->cm;
	const bool is_request = event->event == RDMA_CM_EVENT_CONNECT_REQUEST;
	const struct cm_reason reason = cm_judge(event->event, event->status);
	const bool was_ready = cm_qp && cm_qp->state == CM_READY;
	const bool awaits_peer = resources->remote_unknown && !deadline_passed(set->peer_deadline);
	struct cm_step step = {0};
	int err;

	if (cm_qp)
		step = cm_step(cm_qp->state, event->event, reason.verdict, awaits_peer ? 1 : cm_qp->attempts,
			       cm_is_datagram(resources));
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

/* Copies the event and acknowledges it: rdma_destroy_id() never returns while an event of the id is unacknowledged. */
static int cm_take_event(struct resources *resources, struct rdma_cm_event *event)
{
	const bool is_request = event->event == RDMA_CM_EVENT_CONNECT_REQUEST;
	struct cm_qp *cm_qp = is_request ? find_qp(resources, event) : event->id->context;
	struct rdma_cm_event copy = *event;

	rdma_ack_cm_event(event);
	return handle(resources, cm_qp, &copy);
}

/* Starts as many QPs as may be outstanding. 0 or -errno, reported. */
static int begin_more(struct resources *resources)
{
	struct cm_set *set = resources->cm;
	int err = 0;

	while (!err && set->num_asking < AT_A_TIME) {
		struct cm_qp *cm_qp = set->restarts;

		if (cm_qp && deadline_passed(cm_qp->restart_at)) {
			set->restarts = cm_qp->next;
			if (!set->restarts)
				set->restarts_end = &set->restarts;
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
	return log_fail(-ETIMEDOUT, "rdma_cm connected %u of %u queue pairs, then nothing happened for %g s: %s%s",
			resources->cm->num_ready, resources->num_qps, resources->cm_setup.timeout_ms / 1e3,
			resources->cm->last.words ? resources->cm->last.words : "requests or replies do not arrive",
			cm_hint(resources));
}

static int cm_connect_all(struct resources *resources)
{
	const struct cm_setup *setup = &resources->cm_setup;
	struct deadline deadline = deadline_in_ms(setup->timeout_ms);
	struct deadline next_look = deadline_in_ms(LOOK_MS);
	struct cm_set *set = resources->cm;
	int err;

	set->peer_deadline = deadline_in_ms(LISTEN_TIMEOUT_MS);
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
			log_error("cannot get rdma_cm events of the queue pairs: %s", strerror(-err));
		if (err)
			return err;
		/* Requests for no QP of ours, which any program can send, must not prolong the wait. */
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
 * UD, passive side: takes the peer's addresses from the endpoints. A linux-rdma perftest client sends its address in a
 * first datagram as well, which found no receive and was dropped.
 */
static int learn_remote(struct resources *resources)
{
	int err = 0;

	if (!cm_is_datagram(resources) || resources->cm_setup.is_active)
		return 0;
	for (unsigned i = 0; !err && i < resources->num_qps; i++)
		err = cm_make_address(resources, i);
	return err;
}

/*
 * At its end linux-rdma perftest waits indefinitely for each connection to be disconnected; destroying the id would say
 * so only once, and that may get lost. Conversely, its reply comes when it no longer needs the QP.
 */
static void cm_disconnect_all(struct resources *resources)
{
	const struct deadline deadline = deadline_in_ms(PART_MS);
	struct cm_set *set = resources->cm;
	struct rdma_cm_event *event;
	unsigned left = 0;

	if (cm_is_datagram(resources))
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
