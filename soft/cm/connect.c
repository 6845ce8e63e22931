// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Connections between cm ids. Connected queue pairs: REQ, REP, RTU, then DREQ and DREP; datagram ones: SIDR_REQ and
 * SIDR_REP. A command of the program sends a message, and a received message raises an event: the table at the end
 * lists the messages that each state accepts. The end of the socket has the same effect as the kernel's cleanup of an
 * exited process: a request is rejected, a connection disconnected.
 */
#include "config.h"

#include "abi/abi.h"
#include "cm/cm.h"
#include "objects/objects.h"

#define RETRY_MS 4 /* the listener's socket is full: its process is busy */

/* iWARP: the end of the connection is that of its queue pair, on both sides. */
static void stream_end(struct cm_id *id)
{
	if (id->stream_qpn)
		soft_qp_end_stream(id->stream_qpn);
	id->stream_qpn = 0;
}

static void connect_end(struct cm_id *id)
{
	stream_end(id);
	descriptor_close(&id->fd);
	id->deadline_ms = 0;
	id->retry_ms = 0;
	id->state = CM_ENDED;
}

/* --- content of events --- */

static void private_data_read(const struct cm_message *message, uint8_t length, uint8_t *data, uint8_t *data_length)
{
	memcpy(data, message->param.private_data, length);
	*data_length = length;
}

/* Both counters have 3 bits; programs pass larger values (libfabric 15) to request the maximum. */
static uint8_t at_most_7(uint8_t retries)
{
	return retries < 7 ? retries : 7;
}

/* The peer's responder resources limit this side as initiator, and the other way round. */
static void conn_param_read(const struct cm_message *message, uint8_t private_length, struct rdma_ucm_event_resp *event)
{
	event->param.conn = message->param;
	event->param.conn.private_data_len = private_length;
	event->param.conn.responder_resources = message->param.initiator_depth;
	event->param.conn.initiator_depth = message->param.responder_resources;
	event->ece = message->ece;
}

/* The same for the id. */
static void parameters_take(struct cm_id *id, const struct cm_message *message)
{
	id->peer_device = (int)(message->device % SOFT_DEVICE_COUNT);
	id->peer_qpn = message->param.qp_num;
	id->responder_resources = message->param.initiator_depth;
	id->initiator_depth = message->param.responder_resources;
	id->rnr_retry_count = at_most_7(message->param.rnr_retry_count);
	cm_set_deadline(id, 0);
}

static void private_data_write(struct cm_message *message, const uint8_t *data, uint8_t length)
{
	memset(message->param.private_data, 0, sizeof(message->param.private_data));
	memcpy(message->param.private_data, data, length);
}

static void conn_param_write(struct cm_message *message, const struct rdma_ucm_conn_param *param)
{
	message->param = *param;
	message->param.retry_count = at_most_7(param->retry_count);
	message->param.rnr_retry_count = at_most_7(param->rnr_retry_count);
	private_data_write(message, param->private_data, param->private_data_len);
}

/* --- listening --- */

int cm_listen(struct cm_id *id, uint32_t backlog)
{
	const struct sockaddr_in6 any = {.sin6_family = AF_INET};
	int err = 0;

	if (id->state == CM_IDLE)
		err = cm_bind(id, &any);
	if (!err && id->state != CM_BOUND)
		err = -EINVAL;
	if (err)
		return err;
	id->backlog = backlog && backlog < CM_MAX_BACKLOG ? backlog : CM_MAX_BACKLOG;
	id->state = CM_LISTENS;
	cm_backlog_watch(id);
	return 0;
}

static void connect_take_request(struct cm_id *child, const struct cm_message *message)
{
	struct cm_id *listener = child->listener;
	struct rdma_ucm_event_resp event = {0};

	if ((message->kind == CM_SIDR_REQ) != cm_id_is_datagram(child)) {
		cm_backlog_refuse(child);
		return;
	}
	/* As in the kernel, which destroys a request for which the backlog has no room. */
	if (!listener->backlog) {
		cm_id_destroy(child);
		return;
	}
	child->source = message->destination;
	child->destination = message->source;
	parameters_take(child, message);
	child->device = cm_device_of(&message->destination, child->peer_device);
	child->psn = message->psn;
	child->retry_count = at_most_7(message->param.retry_count);
	child->state = CM_ASKED;
	if (message->kind == CM_SIDR_REQ)
		private_data_read(message, CM_PRIVATE_SIDR_REQ, event.param.ud.private_data,
				  &event.param.ud.private_data_len);
	else
		conn_param_read(message, CM_PRIVATE_REQ, &event);
	listener->backlog--;
	if (cm_event_raise_request(listener, child, &event))
		cm_id_destroy(child);
}

/* --- requests --- */

static void fail_to_reach(struct cm_id *id)
{
	connect_end(id);
	if (cm_id_is_datagram(id))
		cm_event_raise(id, CM_UNREACHABLE, CM_SIDR_UNSUPPORTED, NULL);
	else
		cm_event_raise(id, CM_REJECTED, CM_REJ_INVALID_SERVICE_ID, NULL);
}

static void connect_ask_later(struct cm_id *id)
{
	id->retry_ms = soft_monotonic_ms() + RETRY_MS;
	cm_thread_rouse();
}

/* Connects the socket and sends the request, or schedules a retry. Fails only if this process lacks what it takes. */
static int connect_ask(struct cm_id *id)
{
	struct cm_message message = {
		.kind = cm_id_is_datagram(id) ? CM_SIDR_REQ : CM_REQ,
		.device = (uint32_t)id->device,
		.psn = id->psn,
		.ece = id->ece,
		.source = id->source,
		.destination = id->destination,
	};
	int fd;
	int err = cm_link_connect(id, &fd);

	if (err == -EAGAIN) {
		connect_ask_later(id);
		return 0;
	}
	id->retry_ms = 0;
	if (cm_link_lacks(err))
		return err;
	if (err) {
		fail_to_reach(id);
		return 0;
	}
	conn_param_write(&message, &id->request);
	/* The port that a bound id listens on is not needed once it is the active side. */
	descriptor_close(&id->fd);
	id->fd = fd;
	if (cm_link_send(fd, &message) || cm_thread_watch(fd, id->number))
		fail_to_reach(id);
	return 0;
}

int cm_connect(struct cm_id *id, const struct rdma_ucm_connect *command)
{
	const struct rdma_ucm_conn_param *param = &command->conn_param;
	const uint8_t limit = cm_id_is_datagram(id) ? CM_PRIVATE_SIDR_REQ : CM_PRIVATE_REQ;
	int err;

	if (!param->valid || id->state != CM_ROUTE || param->private_data_len > limit)
		return -EINVAL;
	id->request = *param;
	id->ece = command->ece;
	id->psn = soft_random() & 0xffffff;
	id->responder_resources = param->responder_resources;
	id->initiator_depth = param->initiator_depth;
	id->retry_count = at_most_7(param->retry_count);
	id->rnr_retry_count = at_most_7(param->rnr_retry_count);
	id->state = CM_ASKING;
	cm_set_deadline(id, CM_ANSWER_MS);
	err = connect_ask(id);
	if (err) {
		id->state = CM_ROUTE;
		cm_set_deadline(id, 0);
	}
	return err;
}

/* --- replies --- */

static int send_or_fail(struct cm_id *id, struct cm_message *message)
{
	int err = id->fd < 0 ? -ECONNRESET : cm_link_send(id->fd, message);

	if (err)
		connect_end(id);
	return err ? -ECONNRESET : 0;
}

static int accept_datagram(struct cm_id *id, const struct rdma_ucm_accept *command)
{
	const struct rdma_ucm_conn_param *param = &command->conn_param;
	struct cm_message message = {.kind = CM_SIDR_REP, .device = (uint32_t)id->device};
	int err;

	if (!param->valid || param->private_data_len > CM_PRIVATE_SIDR_REP)
		return -EINVAL;
	id->qkey = param->qkey ? param->qkey : CM_UDP_QKEY;
	conn_param_write(&message, param);
	message.param.qkey = id->qkey;
	err = send_or_fail(id, &message);
	id->state = CM_ENDED;
	return err;
}

/* iWARP: with every access, as the drivers do. 0 or a negative errno. */
static int stream_enter(struct cm_id *id, uint32_t qpn)
{
	struct ibv_qp_attr attr = {
		.qp_access_flags = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ |
				   IBV_ACCESS_REMOTE_ATOMIC,
		.path_mtu = CM_MTU,
		.dest_qp_num = id->peer_qpn,
		.rq_psn = id->psn,
		.sq_psn = id->psn,
		.ah_attr = {.port_num = SOFT_PORT},
		.max_rd_atomic = id->initiator_depth,
		.max_dest_rd_atomic = id->responder_resources,
		.timeout = CM_LOCAL_ACK_TIME,
		.retry_cnt = id->retry_count,
		.rnr_retry = id->rnr_retry_count,
	};

	id->stream_qpn = qpn;
	return soft_qp_connect_stream(qpn, &attr);
}

static int accept_connection(struct cm_id *id, const struct rdma_ucm_accept *command)
{
	const struct rdma_ucm_conn_param *param = &command->conn_param;
	struct cm_message message = {
		.kind = CM_REP, .device = (uint32_t)id->device, .psn = id->psn, .ece = command->ece};
	int err;

	if (!param->valid || param->private_data_len > CM_PRIVATE_REP)
		return -EINVAL;
	conn_param_write(&message, param);
	id->responder_resources = param->responder_resources;
	id->initiator_depth = param->initiator_depth;
	err = cm_id_is_stream(id) ? stream_enter(id, param->qp_num) : 0;
	err = err ?: send_or_fail(id, &message);
	if (err)
		return err;
	id->state = CM_ANSWERED;
	cm_set_deadline(id, CM_ANSWER_MS);
	return 0;
}

/* The active side confirms that its queue pair is ready: librdmacm uses the same command for this. */
static int connect_confirm(struct cm_id *id)
{
	struct cm_message message = {.kind = CM_RTU};
	int err = send_or_fail(id, &message);

	if (!err)
		id->state = CM_CONNECTED;
	return err;
}

int cm_establish(struct cm_id *id)
{
	int err = stream_enter(id, id->request.qp_num);

	if (!err)
		err = connect_confirm(id);
	else
		connect_end(id);
	return err;
}

int cm_accept(struct cm_id *id, const struct rdma_ucm_accept *command)
{
	int err;

	if (id->state == CM_REPLIED && !cm_id_is_stream(id))
		return connect_confirm(id);
	/* It ended before the program saw it, and had no uid by which an event could have reported that. */
	if (id->state == CM_ENDED && !id->uid)
		return -ECONNRESET;
	if (id->state != CM_ASKED)
		return -EINVAL;
	err = cm_id_is_datagram(id) ? accept_datagram(id, command) : accept_connection(id, command);
	if (!err)
		id->uid = command->uid;
	return err;
}

int cm_reject(struct cm_id *id, const struct rdma_ucm_reject *command)
{
	struct cm_message message = {.kind = CM_REJ, .reason = command->reason};

	if (id->state != CM_ASKED && id->state != CM_ANSWERED && id->state != CM_REPLIED)
		return -EINVAL;
	if (command->private_data_len > (cm_id_is_datagram(id) ? CM_PRIVATE_SIDR_REP : CM_PRIVATE_REJ))
		return -EINVAL;
	if (!message.reason)
		message.reason = CM_REJ_CONSUMER_DEFINED;
	if (cm_id_is_datagram(id)) {
		message.kind = CM_SIDR_REP;
		message.reason = CM_SIDR_REJECT;
	}
	private_data_write(&message, command->private_data, command->private_data_len);
	if (id->fd >= 0)
		cm_link_send(id->fd, &message);
	connect_end(id);
	return 0;
}

/* --- disconnecting --- */

int cm_disconnect(struct cm_id *id)
{
	struct cm_message message = {.kind = CM_DREQ};

	if (id->state < CM_GREETED)
		return -EINVAL;
	if (id->state == CM_ABANDONED) {
		message.kind = CM_DREP;
		if (id->fd >= 0)
			cm_link_send(id->fd, &message);
		connect_end(id);
	} else if (id->state == CM_CONNECTED || id->state == CM_ANSWERED || id->state == CM_REPLIED) {
		if (send_or_fail(id, &message) == 0) {
			stream_end(id);
			id->state = CM_LEAVING;
			cm_set_deadline(id, CM_ANSWER_MS);
		} else {
			cm_event_raise(id, CM_DISCONNECTED, 0, NULL);
		}
	}
	return 0;
}

int cm_notify(struct cm_id *id, uint32_t event)
{
	if (event != IBV_EVENT_COMM_EST)
		return -EINVAL;
	if (id->state != CM_ANSWERED)
		return id->state == CM_CONNECTED ? -EISCONN : -EINVAL;
	id->state = CM_CONNECTED;
	cm_set_deadline(id, 0);
	return cm_event_raise(id, CM_ESTABLISHED, 0, NULL);
}

/* --- received messages --- */

static void take_reply(struct cm_id *id, const struct cm_message *message)
{
	struct rdma_ucm_event_resp event = {0};

	parameters_take(id, message);
	id->state = CM_REPLIED;
	conn_param_read(message, CM_PRIVATE_REP, &event);
	cm_event_raise(id, cm_id_is_stream(id) ? CM_ESTABLISHED : CM_CONNECT_RESPONSE, 0, &event);
}

static void take_ready(struct cm_id *id, const struct cm_message *message)
{
	(void)message;
	id->state = CM_CONNECTED;
	cm_set_deadline(id, 0);
	cm_event_raise(id, CM_ESTABLISHED, 0, NULL);
}

static void take_rejection(struct cm_id *id, const struct cm_message *message)
{
	struct rdma_ucm_event_resp event = {0};

	private_data_read(message, CM_PRIVATE_REJ, event.param.conn.private_data, &event.param.conn.private_data_len);
	connect_end(id);
	cm_event_raise(id, CM_REJECTED, (int)message->reason, &event);
}

static void take_datagram_reply(struct cm_id *id, const struct cm_message *message)
{
	struct rdma_ucm_event_resp event = {0};
	struct rdma_ucm_ud_param *param = &event.param.ud;

	id->peer_device = (int)(message->device % SOFT_DEVICE_COUNT);
	connect_end(id);
	if (message->reason) {
		cm_event_raise(id, CM_UNREACHABLE, (int)message->reason, NULL);
		return;
	}
	private_data_read(message, CM_PRIVATE_SIDR_REP, param->private_data, &param->private_data_len);
	param->qp_num = message->param.qp_num;
	param->qkey = message->param.qkey;
	cm_fill_path(id, &param->ah_attr);
	cm_event_raise(id, CM_ESTABLISHED, 0, &event);
}

static void take_disconnect(struct cm_id *id, const struct cm_message *message)
{
	(void)message;
	stream_end(id);
	id->state = CM_ABANDONED;
	cm_set_deadline(id, 0);
	cm_event_raise(id, CM_DISCONNECTED, 0, NULL);
}

static void take_disconnected(struct cm_id *id, const struct cm_message *message)
{
	(void)message;
	connect_end(id);
	cm_event_raise(id, CM_DISCONNECTED, 0, NULL);
}

static const struct {
	enum cm_message_kind kind;
	uint32_t states; /* in which it is expected */
	void (*take)(struct cm_id *id, const struct cm_message *message);
} messages[] = {
	{CM_REQ, 1u << CM_GREETED, connect_take_request},
	{CM_SIDR_REQ, 1u << CM_GREETED, connect_take_request},
	{CM_REP, 1u << CM_ASKING, take_reply},
	{CM_SIDR_REP, 1u << CM_ASKING, take_datagram_reply},
	{CM_RTU, 1u << CM_ANSWERED, take_ready},
	{CM_REJ, 1u << CM_ASKING | 1u << CM_ANSWERED, take_rejection},
	{CM_DREQ, 1u << CM_CONNECTED | 1u << CM_ANSWERED | 1u << CM_REPLIED, take_disconnect},
	/* Both sides at once: each treats the other's request as the answer. */
	{CM_DREQ, 1u << CM_LEAVING, take_disconnected},
	{CM_DREP, 1u << CM_LEAVING, take_disconnected},
};

/* No row for an RTU after a notification, or the faster side's DREP: they add nothing. */
static void take_message(struct cm_id *id, const struct cm_message *message)
{
	for (size_t i = 0; i < sizeof(messages) / sizeof(messages[0]); i++) {
		if (messages[i].kind == message->kind && messages[i].states & 1u << id->state) {
			messages[i].take(id, message);
			return;
		}
	}
}

/* The other end's id is destroyed, or its process has exited. */
static void take_end(struct cm_id *id)
{
	const enum cm_state state = id->state;

	if (state == CM_GREETED) {
		cm_id_destroy(id);
		return;
	}
	connect_end(id);
	if (state == CM_ASKING && cm_id_is_datagram(id))
		cm_event_raise(id, CM_UNREACHABLE, CM_SIDR_REJECT, NULL);
	else if (state == CM_ASKING)
		cm_event_raise(id, CM_REJECTED, CM_REJ_CONSUMER_DEFINED, NULL);
	else if (state == CM_ANSWERED || state == CM_REPLIED || state == CM_CONNECTED || state == CM_LEAVING)
		cm_event_raise(id, CM_DISCONNECTED, 0, NULL);
}

void cm_readable(struct cm_id *id)
{
	struct cm_message message;
	int err;

	if (id->fd < 0)
		return;
	if (id->state == CM_BOUND || id->state == CM_LISTENS) {
		cm_backlog_take(id);
		return;
	}
	/* An active id that is bound and not yet connected: it does not listen, and refuses a connecting peer. */
	if (id->state < CM_GREETED) {
		int fd;

		if (cm_link_accept(id->fd, &fd) == 0)
			close(fd);
		return;
	}
	err = cm_link_receive(id->fd, &message);
	if (err == 0)
		take_message(id, &message);
	else if (err != -EAGAIN)
		take_end(id);
}

void cm_time_passes(struct cm_id *id, int64_t now)
{
	const enum cm_state state = id->state;

	if (id->deadline_ms && now >= id->deadline_ms) {
		if (state == CM_GREETED) {
			cm_backlog_refuse_unread(id);
			return;
		}
		connect_end(id);
		if (state == CM_LEAVING)
			cm_event_raise(id, CM_DISCONNECTED, 0, NULL);
		else
			cm_event_raise(id, CM_UNREACHABLE, -ETIMEDOUT, NULL);
	} else if (id->retry_ms && now >= id->retry_ms && connect_ask(id)) {
		connect_ask_later(id);
	}
}
