// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * rdma_cm and QPs. All IDs share one event channel, read by one thread. QPs are created with ibv_create_qp() and moved
 * explicitly, so that every call is a step that can be timed; rdma_cm only knows their numbers, so a client gets
 * CONNECT_RESPONSE and calls rdma_establish() itself.
 */
#include "config.h"

#include <errno.h>
#include <infiniband/verbs.h>
#include <inttypes.h>
#include <rdma/rdma_cma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmtime/engine.h"
#include "util/log.h"
#include "verbs/connect/cm.h"
#include "verbs/device/software.h"

struct rdma_engine {
	struct rdma_event_channel *channel;
	struct rdma_cm_id *anchor; /* bound to the local address; on a server the listening ID */
	struct ibv_pd *pd;
	struct ibv_cq *cq; /* for all QPs: nothing is ever sent */
};

/* Attributes that this thread has queried and is about to apply. */
static _Thread_local struct ibv_qp_attr attr;
static _Thread_local int attr_mask;

static struct rdma_engine *rdma_of(const struct engine *engine)
{
	return engine->transport_data;
}

static struct rdma_cm_id *id_of(const struct timed_conn *conn)
{
	return conn->id;
}

/* Of the call that has failed. Some provider libraries leave errno as it was, and librdmacm passes that on. */
static int failure(void)
{
	return errno ? -errno : -EIO;
}

/* librdmacm returns -1 and sets errno. */
static int result(int answer)
{
	return answer ? failure() : 0;
}

static int open_channel(struct engine *engine, struct rdma_engine *rdma)
{
	static const char remedy[] = "load the kernel module rdma_ucm and the driver of a device (without an adapter: "
				     "rdma_rxe), or give all instances -S to use sockets";
	const int ret = cm_open_channel(&rdma->channel);

	/* What the host has, but not for this process. */
	if (ret == -EAGAIN || ret == -ENOMEM || ret == -EMFILE || ret == -ENFILE)
		engine_fail(engine, "rdma_create_event_channel: %s; see ulimit -n, -u and -v", strerror(-ret));
	else if (ret)
		engine_fail(engine, "this host has no RDMA connection manager (rdma_create_event_channel: %s): %s",
			    strerror(-ret), remedy);
	return ret;
}

/* Of a device that rdma_cm does not know, or "". */
static const char *unknown_text(char text[160])
{
	struct ibv_device **devices = ibv_get_device_list(NULL);

	text[0] = '\0';
	for (int i = 0; devices && devices[i] && !text[0]; i++) {
		if (devices[i]->transport_type == IBV_TRANSPORT_UNSPECIFIED) /* EFA */
			snprintf(text, 160, "; %.64s is not known to rdma_cm: give all instances -S to use sockets",
				 ibv_get_device_name(devices[i]));
	}
	if (devices)
		ibv_free_device_list(devices);
	return text;
}

/* The device is only known once an ID is bound to its address. */
static int bind_anchor(struct engine *engine, struct rdma_engine *rdma)
{
	char text[ADDRESS_TEXT_SIZE], unknown[160];
	int ret;

	ret = result(rdma_create_id(rdma->channel, &rdma->anchor, NULL, RDMA_PS_TCP));
	if (ret)
		return engine_error(engine, ret, "%s: rdma_create_id: %s", step_name(STEP_CREATE_ID), strerror(-ret));
	ret = result(rdma_bind_addr(rdma->anchor, (struct sockaddr *)&engine->local));
	if (!ret && !rdma->anchor->verbs)
		ret = -ENODEV;
	if (ret)
		engine_fail(
			engine,
			"%s: no RDMA device has the address %s (rdma_bind_addr: %s): \"rdma link\" and \"ip address\" "
			"show which have%s",
			step_name(STEP_BIND_ADDR), address_text((const struct sockaddr *)&engine->local, text),
			strerror(-ret), unknown_text(unknown));
	return ret;
}

static void warn_of_software(const struct rdma_engine *rdma)
{
	struct ibv_device_attr device;

	if (!ibv_query_device(rdma->anchor->verbs, &device) && device_is_software(&device))
		log_warning("%s is a software device: the times are those of this host's memory and of the device's "
			    "own connection manager",
			    ibv_get_device_name(rdma->anchor->verbs->device));
}

static int open_verbs(struct engine *engine, struct rdma_engine *rdma)
{
	errno = 0;
	rdma->pd = ibv_alloc_pd(rdma->anchor->verbs);
	if (rdma->pd)
		rdma->cq = ibv_create_cq(rdma->anchor->verbs, 1, NULL, NULL, 0);
	if (rdma->cq)
		return 0;
	return engine_error(engine, -EIO, "%s: %s on %s: %s", step_name(STEP_CREATE_QP),
			    rdma->pd ? "ibv_create_cq" : "ibv_alloc_pd",
			    ibv_get_device_name(rdma->anchor->verbs->device), strerror(-failure()));
}

/* For an iWARP connection the kernel looks up the QP, and moves it itself. */
static int adapt_to_iwarp(struct engine *engine, const struct rdma_engine *rdma)
{
	engine->is_iwarp = rdma->anchor->verbs->device->transport_type == IBV_TRANSPORT_IWARP;
	if (!engine->is_iwarp || engine->params->mimic_us < 0)
		return 0;
	return engine_error(engine, -EOPNOTSUPP,
			    "%s is an iWARP device, which cannot connect without real queue pairs: run without -m",
			    ibv_get_device_name(rdma->anchor->verbs->device));
}

static int rdma_open(struct engine *engine)
{
	struct rdma_engine *rdma = calloc(1, sizeof(*rdma));
	int ret;

	if (!rdma)
		return engine_error(engine, -ENOMEM, "no memory for rdma_cm");
	engine->transport_data = rdma;
	ret = open_channel(engine, rdma);
	if (!ret)
		ret = bind_anchor(engine, rdma);
	if (!ret)
		ret = adapt_to_iwarp(engine, rdma);
	if (!ret)
		ret = open_verbs(engine, rdma);
	if (!ret)
		warn_of_software(rdma);
	return ret;
}

static int rdma_listen_for(struct engine *engine, struct sockaddr_storage *address)
{
	struct rdma_engine *rdma = rdma_of(engine);
	int ret;

	ret = result(rdma_listen(rdma->anchor, 0 /* backlog: the kernel's maximum */));
	if (ret)
		return engine_error(engine, ret, "cannot listen for connections: rdma_listen: %s", strerror(-ret));
	*address = engine->local;
	memcpy(address, rdma_get_local_addr(rdma->anchor), address_length((const struct sockaddr *)&engine->local));
	return 0;
}

static struct ibv_context *rdma_device(const struct engine *engine, uint8_t *port)
{
	*port = rdma_of(engine)->anchor->port_num;
	return rdma_of(engine)->anchor->verbs;
}

static void rdma_close(struct engine *engine)
{
	struct rdma_engine *rdma = rdma_of(engine);

	if (!rdma)
		return;
	if (rdma->cq)
		ibv_destroy_cq(rdma->cq);
	if (rdma->pd)
		ibv_dealloc_pd(rdma->pd);
	if (rdma->anchor)
		rdma_destroy_id(rdma->anchor);
	if (rdma->channel)
		rdma_destroy_event_channel(rdma->channel);
	free(rdma);
	engine->transport_data = NULL;
}

static int rdma_event_fd(const struct engine *engine)
{
	return rdma_of(engine)->channel->fd;
}

/* --- events --- */

/* A request's private data fills all of the field, padded with 0. */
static bool is_of_cluster(const struct engine *engine, const struct rdma_cm_event *event)
{
	const struct rdma_conn_param *param = &event->param.conn;

	return param->private_data && param->private_data_len >= FRAME_TOKEN_SIZE &&
	       memcmp(param->private_data, engine->token, FRAME_TOKEN_SIZE) == 0;
}

static void on_request(struct engine *engine, const struct rdma_cm_event *event)
{
	struct sockaddr_storage peer = {0};
	struct timed_conn *conn;

	if (!is_of_cluster(engine, event)) {
		memcpy(&peer, rdma_get_peer_addr(event->id), address_length((const struct sockaddr *)&engine->local));
		server_on_unknown(engine, &peer);
		rdma_destroy_id(event->id); /* which rejects it */
		return;
	}
	conn = server_on_request(engine);
	if (!conn) {
		rdma_destroy_id(event->id); /* which rejects it */
		return;
	}
	conn->id = event->id;
	event->id->context = conn;
	server_on_requested(conn);
}

/* Advice that follows the text of a reason. */
static const char *const advice[] = {
	[1] = ": -c exceeds the capacity of its device",
	[3] = ": -c exceeds its capacity",
	[8] = ": the server is gone",
	[CM_REJECTED_STALE] = ": wait a while, or choose other numbers with -q",
	[28] = ": the queue pair number is in use there, or the instance has ended",
};

const char *transport_reject_text(int status, char *text, unsigned size)
{
	const char *words = cm_judge_rejection(status).words;

	if (status < 0)
		snprintf(text, size, "%s", strerror(-status));
	else if (words)
		snprintf(text, size, "%s%s (reason %d)", words,
			 (size_t)status < sizeof(advice) / sizeof(advice[0]) && advice[status] ? advice[status] : "",
			 status);
	else
		snprintf(text, size, "reason %d", status);
	return text;
}

static void on_refused(struct timed_conn *conn, const struct rdma_cm_event *event)
{
	char text[FRAME_REASON_SIZE / 2];

	if (event->event == RDMA_CM_EVENT_REJECTED && event->status == CM_REJECTED_STALE &&
	    !conn->engine->params->listen && client_on_stale(conn))
		return;
	engine_doubt(conn->engine); /* a server that ends also rejects */
	if (event->event == RDMA_CM_EVENT_REJECTED)
		conn_fail(conn, STEP_CM_CONNECT, "rejected: %s%s",
			  transport_reject_text(event->status, text, sizeof(text)),
			  cm_judge_rejection(event->status).error == -ECONNREFUSED ? cm_reach_text(event->id->verbs)
										   : "");
	else
		conn_fail(conn, STEP_CM_CONNECT, "%s: %s", rdma_event_str(event->event),
			  event->status ? strerror(abs(event->status)) : "the other side does not answer");
}

/* Errors that would occur again are not retried. */
static void on_unresolved(struct timed_conn *conn, enum step step, const struct rdma_cm_event *event)
{
	const struct cm_reason reason = cm_judge(event->event, event->status);

	if (reason.verdict == CM_FAILED)
		conn_fail(conn, step, "%s", reason.words);
	else
		client_on_unresolved(conn, step, abs(event->status));
}

static void on_event(struct engine *engine, const struct rdma_cm_event *event)
{
	struct timed_conn *conn = event->id->context;

	switch (event->event) {
	case RDMA_CM_EVENT_ADDR_RESOLVED:
		client_on_answer(conn, STEP_RESOLVE_ADDR);
		break;
	case RDMA_CM_EVENT_ROUTE_RESOLVED:
		client_on_answer(conn, STEP_RESOLVE_ROUTE);
		break;
	case RDMA_CM_EVENT_ADDR_ERROR:
		on_unresolved(conn, STEP_RESOLVE_ADDR, event);
		break;
	case RDMA_CM_EVENT_ROUTE_ERROR:
		on_unresolved(conn, STEP_RESOLVE_ROUTE, event);
		break;
	case RDMA_CM_EVENT_CONNECT_REQUEST:
		on_request(engine, event);
		break;
	case RDMA_CM_EVENT_CONNECT_RESPONSE:
		client_on_answer(conn, STEP_CM_CONNECT);
		break;
	case RDMA_CM_EVENT_ESTABLISHED:
		/* On iWARP also on the client, instead of CONNECT_RESPONSE. */
		if (engine->params->listen)
			server_on_established(conn);
		else
			client_on_answer(conn, STEP_CM_CONNECT);
		break;
	case RDMA_CM_EVENT_DISCONNECTED:
		conn->engine->side->on_disconnected(conn);
		break;
	case RDMA_CM_EVENT_CONNECT_ERROR:
	case RDMA_CM_EVENT_UNREACHABLE:
	case RDMA_CM_EVENT_REJECTED:
		on_refused(conn, event);
		break;
	case RDMA_CM_EVENT_DEVICE_REMOVAL:
		engine_fail(engine, "the RDMA device was removed");
		break;
	default: /* TIMEWAIT_EXIT: the QP number may be reused, which nothing here does */
		break;
	}
}

/*
 * Acknowledges an event after handling it. Its connection cannot be destroyed before that, since rdma_destroy_id()
 * waits for the acknowledgement. For a connection request that applies to the listening ID, so the handler may destroy
 * the new ID.
 */
static void rdma_read_events(struct engine *engine)
{
	struct rdma_engine *rdma = rdma_of(engine);
	struct rdma_cm_event *event;

	while (!rdma_get_cm_event(rdma->channel, &event)) {
		on_event(engine, event);
		rdma_ack_cm_event(event);
	}
	if (errno != EAGAIN && errno != EINTR)
		engine_fail(engine, "rdma_get_cm_event: %s", strerror(errno));
}

/* --- calls --- */

static int create_id(struct timed_conn *conn)
{
	struct rdma_cm_id *id;
	int ret;

	ret = result(rdma_create_id(rdma_of(conn->engine)->channel, &id, conn, RDMA_PS_TCP));
	if (!ret)
		conn->id = id;
	return ret;
}

static int bind_addr(struct timed_conn *conn)
{
	struct sockaddr_storage local = conn->engine->local;

	return result(rdma_bind_addr(id_of(conn), (struct sockaddr *)&local));
}

static int resolve_addr(struct timed_conn *conn)
{
	struct sockaddr_storage remote = *conn->remote;

	return result(rdma_resolve_addr(id_of(conn), NULL, (struct sockaddr *)&remote,
					(int)conn->engine->params->timeout_ms));
}

static int conn_resolve_route(struct timed_conn *conn)
{
	return result(rdma_resolve_route(id_of(conn), (int)conn->engine->params->timeout_ms));
}

static void destroy_stale_qp(struct timed_conn *conn)
{
	if (conn->stale_qp)
		ibv_destroy_qp(conn->stale_qp);
	conn->stale_qp = NULL;
}

static int create_qp(struct timed_conn *conn)
{
	const struct rdma_engine *rdma = rdma_of(conn->engine);
	struct ibv_qp_init_attr wanted = {
		.qp_context = conn,
		.send_cq = rdma->cq,
		.recv_cq = rdma->cq,
		.cap = {.max_send_wr = 1, .max_recv_wr = 1, .max_send_sge = 1, .max_recv_sge = 1},
		.qp_type = IBV_QPT_RC,
		.sq_sig_all = 1,
	};

	errno = 0;
	conn->qp = ibv_create_qp(rdma->pd, &wanted);
	if (!conn->qp)
		return failure();
	destroy_stale_qp(conn);
	return 0;
}

static int qp_attr(struct timed_conn *conn, enum step step)
{
	static const enum ibv_qp_state states[] = {
		[STEP_INIT_QP] = IBV_QPS_INIT,
		[STEP_RTR_QP] = IBV_QPS_RTR,
		[STEP_RTS_QP] = IBV_QPS_RTS,
	};

	attr.qp_state = states[step];
	return result(rdma_init_qp_attr(id_of(conn), &attr, &attr_mask));
}

static int modify_qp(struct timed_conn *conn)
{
	const int error = cm_modify_qp(conn->qp, &attr, attr_mask);

	return error > 0 ? -error : error;
}

static void destroy_qp(struct timed_conn *conn)
{
	if (conn->qp)
		ibv_destroy_qp(conn->qp);
	conn->qp = NULL;
	destroy_stale_qp(conn);
}

static struct rdma_conn_param conn_param(const struct timed_conn *conn)
{
	const struct ibv_qp *qp = conn->qp;

	return (struct rdma_conn_param){
		.responder_resources = 1,
		.initiator_depth = 1,
		.qp_num = qp ? qp->qp_num : conn->qpn,
	};
}

static int conn_connect(struct timed_conn *conn)
{
	struct rdma_conn_param param = conn_param(conn);

	param.private_data = conn->engine->token;
	param.private_data_len = FRAME_TOKEN_SIZE;
	return result(rdma_connect(id_of(conn), &param));
}

static int conn_accept(struct timed_conn *conn)
{
	struct rdma_conn_param param = conn_param(conn);

	return result(rdma_accept(id_of(conn), &param));
}

static int conn_establish(struct timed_conn *conn)
{
	return result(rdma_establish(id_of(conn)));
}

static int conn_disconnect(struct timed_conn *conn)
{
	return result(rdma_disconnect(id_of(conn)));
}

static void destroy_id(struct timed_conn *conn)
{
	if (conn->id)
		rdma_destroy_id(conn->id);
	conn->id = NULL;
}

/* Many devices assign a freed number to the next QP, so the old QP is only destroyed when there is a new one. */
static void renew(struct timed_conn *conn)
{
	destroy_stale_qp(conn);
	conn->stale_qp = conn->qp;
	conn->qp = NULL;
	destroy_id(conn);
}

static const char *engine_hint(int error)
{
	switch (error) {
	case ENOMEM:
	case ENOSPC:
		return "the device or the kernel has no more of them: -c is too large (\"ibv_devinfo -v\" shows "
		       "max_qp), or \"ulimit -l\" too low; -m connects without queue pairs";
	case EMFILE:
		return "\"ulimit -n\" is too low";
	default:
		return NULL;
	}
}

const struct conn_ops transport_rdma = {
	.has_qps = true,
	.destroy_waits = true,
	.open = rdma_open,
	.listen = rdma_listen_for,
	.device = rdma_device,
	.close = rdma_close,
	.event_fd = rdma_event_fd,
	.read_events = rdma_read_events,
	.calls =
		{
			[STEP_CREATE_ID] = create_id,
			[STEP_BIND_ADDR] = bind_addr,
			[STEP_RESOLVE_ADDR] = resolve_addr,
			[STEP_RESOLVE_ROUTE] = conn_resolve_route,
			[STEP_CM_CONNECT] = conn_connect,
			[STEP_ESTABLISH] = conn_establish,
			[STEP_DISCONNECT] = conn_disconnect,
		},
	.create_qp = create_qp,
	.qp_attr = qp_attr,
	.modify_qp = modify_qp,
	.destroy_qp = destroy_qp,
	.renew = renew,
	.accept = conn_accept,
	.destroy_id = destroy_id,
	.hint = engine_hint,
};
