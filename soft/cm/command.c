// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The commands that librdmacm writes: a header, and the structure of <rdma/rdma_user_cm.h> that belongs to it. Shorter
 * ones come from older versions and are padded with zeros, longer ones from newer; `response` points to the caller's
 * own memory.
 */
#include "config.h"

#include <errno.h>
#include <infiniband/verbs.h>
#include <string.h>

#include "cm/cm.h"
#include "host/fault.h"

#define ROOM 512 /* bytes of the largest command */

union command {
	uint8_t raw[ROOM];
	struct rdma_ucm_create_id create;
	struct rdma_ucm_destroy_id destroy;
	struct rdma_ucm_bind_ip bind_ip;
	struct rdma_ucm_resolve_ip resolve_ip;
	struct rdma_ucm_resolve_route resolve_route;
	struct rdma_ucm_query query;
	struct rdma_ucm_connect connect;
	struct rdma_ucm_listen listen;
	struct rdma_ucm_accept accept;
	struct rdma_ucm_reject reject;
	struct rdma_ucm_disconnect disconnect;
	struct rdma_ucm_init_qp_attr init_qp_attr;
	struct rdma_ucm_set_option set_option;
	struct rdma_ucm_notify notify;
	struct rdma_ucm_migrate_id migrate;
	struct cm_write_event write_event;
	struct rdma_ucm_join_ip_mcast join_ip;
	struct rdma_ucm_join_mcast join;
};

struct answer {
	void *data;
	size_t size;
	uint64_t to; /* the caller's address */
};

static int command_create_id(struct cm_channel *channel, const union command *command, struct answer *answer)
{
	static const uint8_t types[] = {IBV_QPT_RC, IBV_QPT_UC, IBV_QPT_UD, IBV_QPT_XRC_SEND, IBV_QPT_XRC_RECV};
	struct rdma_ucm_create_id_resp *response = answer->data;
	struct cm_id *id;

	switch (command->create.ps) {
	case RDMA_PS_TCP:
	case RDMA_PS_UDP:
	case RDMA_PS_IPOIB:
	case RDMA_PS_IB:
		break;
	default:
		return -EINVAL;
	}
	id = cm_id_create(channel);
	if (!id)
		return -ENOMEM;
	id->uid = command->create.uid;
	id->port_space = command->create.ps;
	id->qp_type = command->create.ps == RDMA_PS_TCP ? IBV_QPT_RC : IBV_QPT_UD;
	if (command->create.ps == RDMA_PS_IB && memchr(types, command->create.qp_type, sizeof(types)))
		id->qp_type = command->create.qp_type;
	response->id = id->number;
	return 0;
}

static int destroy(struct cm_id *id, const union command *command, struct answer *answer)
{
	struct rdma_ucm_destroy_id_resp *response = answer->data;

	(void)command;
	cm_event_drop(id);
	response->events_reported = id->events_reported;
	cm_close(id);
	return 0;
}

static int bind_ip(struct cm_id *id, const union command *command, struct answer *answer)
{
	(void)answer;
	return cm_bind(id, &command->bind_ip.addr);
}

static int resolve_ip(struct cm_id *id, const union command *command, struct answer *answer)
{
	(void)answer;
	if (soft_fault_strikes(FAULT_CM_ADDR_ERROR))
		return cm_event_raise(id, CM_ADDR_ERROR, -ETIMEDOUT, NULL);
	return cm_resolve_address(id, &command->resolve_ip.src_addr, &command->resolve_ip.dst_addr);
}

static int command_resolve_route(struct cm_id *id, const union command *command, struct answer *answer)
{
	(void)command;
	(void)answer;
	if (soft_fault_strikes(FAULT_CM_ROUTE_ERROR))
		return cm_event_raise(id, CM_ROUTE_ERROR, -ETIMEDOUT, NULL);
	return cm_resolve_route(id);
}

static int query_route(struct cm_id *id, const union command *command, struct answer *answer)
{
	(void)command;
	cm_query_route(id, answer->data);
	return 0;
}

static int command_connect(struct cm_id *id, const union command *command, struct answer *answer)
{
	(void)answer;
	if (soft_fault_strikes(FAULT_CM_UNREACHABLE))
		return cm_event_raise(id, CM_UNREACHABLE, -ETIMEDOUT, NULL);
	return cm_connect(id, &command->connect);
}

static int listen_id(struct cm_id *id, const union command *command, struct answer *answer)
{
	(void)answer;
	return cm_listen(id, command->listen.backlog);
}

static int command_accept(struct cm_id *id, const union command *command, struct answer *answer)
{
	(void)answer;
	return cm_accept(id, &command->accept);
}

static int reject_id(struct cm_id *id, const union command *command, struct answer *answer)
{
	(void)answer;
	return cm_reject(id, &command->reject);
}

static int disconnect_id(struct cm_id *id, const union command *command, struct answer *answer)
{
	(void)command;
	(void)answer;
	return cm_disconnect(id);
}

static int init_qp_attr(struct cm_id *id, const union command *command, struct answer *answer)
{
	return cm_init_qp_attr(id, command->init_qp_attr.qp_state, answer->data);
}

static int notify_id(struct cm_id *id, const union command *command, struct answer *answer)
{
	(void)answer;
	return cm_notify(id, command->notify.event);
}

static int write_event(struct cm_id *id, const union command *command, struct answer *answer)
{
	(void)answer;
	return cm_event_write(id, &command->write_event);
}

/* A type of service, and a path, have no effect, because no packet is sent. */
static int set_option(struct cm_id *id, const union command *command, struct answer *answer)
{
	const struct rdma_ucm_set_option *option = &command->set_option;
	const void *value = (const void *)(uintptr_t)option->optval;
	int flag;

	(void)answer;
	if (option->level == RDMA_OPTION_IB)
		return option->optname == RDMA_OPTION_IB_PATH ? 0 : -ENOSYS;
	if (option->level != RDMA_OPTION_ID)
		return -ENOSYS;
	switch (option->optname) {
	case RDMA_OPTION_ID_TOS:
		return option->optlen == sizeof(uint8_t) ? 0 : -EINVAL;
	case RDMA_OPTION_ID_REUSEADDR:
		return option->optlen == sizeof(int) ? 0 : -EINVAL;
	case RDMA_OPTION_ID_AFONLY:
		if (option->optlen != sizeof(int))
			return -EINVAL;
		memcpy(&flag, value, sizeof(flag));
		id->only_ipv6 = flag;
		return 0;
	case RDMA_OPTION_ID_ACK_TIMEOUT:
		if (option->optlen != sizeof(uint8_t) || *(const uint8_t *)value > 31)
			return -EINVAL;
		id->ack_timeout = *(const uint8_t *)value;
		id->has_ack_timeout = true;
		return 0;
	default:
		return -ENOSYS;
	}
}

static int command_join(struct cm_id *id, const void *from, uint64_t uid, struct answer *answer)
{
	struct rdma_ucm_create_id_resp *response = answer->data;
	union cm_address address;
	struct sockaddr_in6 copy;
	int err;

	memcpy(&copy, from, sizeof(copy));
	err = cm_address_read(&copy, &address);
	return err ? err : cm_group_join(id, &address, uid, &response->id);
}

static int join_ip(struct cm_id *id, const union command *command, struct answer *answer)
{
	return command_join(id, &command->join_ip.addr, command->join_ip.uid, answer);
}

/* For a send-only member librdmacm attaches no queue pair; the group does not care. */
static int join_with_flags(struct cm_id *id, const union command *command, struct answer *answer)
{
	if (command->join.join_flags >= RDMA_MC_JOIN_FLAG_RESERVED ||
	    command->join.addr_size > sizeof(command->join.addr))
		return -EINVAL;
	return command_join(id, &command->join.addr, command->join.uid, answer);
}

/* The command names only the group, which may belong to any id of the channel. */
static int command_leave(struct cm_channel *channel, const union command *command, struct answer *answer)
{
	struct rdma_ucm_destroy_id_resp *response = answer->data;
	int err = -ENOENT;

	for (struct cm_id *id = cm_id_next(0); err && id; id = cm_id_next(id->number)) {
		if (id->channel == channel)
			err = cm_group_leave(id, command->destroy.id, &response->events_reported);
	}
	return err;
}

/* The id belongs to another channel, and moves to this one with its unread events. */
static int migrate(struct cm_channel *channel, const union command *command, struct answer *answer)
{
	struct rdma_ucm_migrate_resp *response = answer->data;
	struct cm_id *id = cm_id_at(command->migrate.id);

	if (!id)
		return -ENOENT;
	if (id->channel->fd != (int)command->migrate.fd)
		return -EINVAL;
	response->events_reported = id->events_reported;
	if (id->channel != channel)
		cm_id_move(id, channel);
	return 0;
}

typedef int (*id_fn)(struct cm_id *id, const union command *command, struct answer *answer);
typedef int (*channel_fn)(struct cm_channel *channel, const union command *command, struct answer *answer);

#define FIELD(type, member) (offsetof(struct rdma_ucm_##type, member) + 1)

/* Offsets of the id and of the response address in a command, plus 1; 0: it has none. */
static const struct command_row {
	size_t size;   /* of the command */
	size_t answer; /* of the answer */
	size_t id_at, response_at;
	id_fn of_id;	       /* of an id of the channel ... */
	channel_fn of_channel; /* ... or of the channel itself; neither: EOPNOTSUPP */
} rows[] = {
	[RDMA_USER_CM_CMD_CREATE_ID] = {sizeof(struct rdma_ucm_create_id), sizeof(struct rdma_ucm_create_id_resp), 0,
					FIELD(create_id, response), NULL, command_create_id},
	[RDMA_USER_CM_CMD_DESTROY_ID] = {sizeof(struct rdma_ucm_destroy_id), sizeof(struct rdma_ucm_destroy_id_resp),
					 FIELD(destroy_id, id), FIELD(destroy_id, response), destroy, NULL},
	[RDMA_USER_CM_CMD_BIND_IP] = {sizeof(struct rdma_ucm_bind_ip), 0, FIELD(bind_ip, id), 0, bind_ip, NULL},
	[RDMA_USER_CM_CMD_RESOLVE_IP] = {sizeof(struct rdma_ucm_resolve_ip), 0, FIELD(resolve_ip, id), 0, resolve_ip,
					 NULL},
	[RDMA_USER_CM_CMD_RESOLVE_ROUTE] = {sizeof(struct rdma_ucm_resolve_route), 0, FIELD(resolve_route, id), 0,
					    command_resolve_route, NULL},
	[RDMA_USER_CM_CMD_QUERY_ROUTE] = {sizeof(struct rdma_ucm_query), sizeof(struct rdma_ucm_query_route_resp),
					  FIELD(query, id), FIELD(query, response), query_route, NULL},
	[RDMA_USER_CM_CMD_CONNECT] = {sizeof(struct rdma_ucm_connect), 0, FIELD(connect, id), 0, command_connect, NULL},
	[RDMA_USER_CM_CMD_LISTEN] = {sizeof(struct rdma_ucm_listen), 0, FIELD(listen, id), 0, listen_id, NULL},
	[RDMA_USER_CM_CMD_ACCEPT] = {sizeof(struct rdma_ucm_accept), 0, FIELD(accept, id), 0, command_accept, NULL},
	[RDMA_USER_CM_CMD_REJECT] = {sizeof(struct rdma_ucm_reject), 0, FIELD(reject, id), 0, reject_id, NULL},
	[RDMA_USER_CM_CMD_DISCONNECT] = {sizeof(struct rdma_ucm_disconnect), 0, FIELD(disconnect, id), 0, disconnect_id,
					 NULL},
	[RDMA_USER_CM_CMD_INIT_QP_ATTR] = {sizeof(struct rdma_ucm_init_qp_attr), sizeof(struct ib_uverbs_qp_attr),
					   FIELD(init_qp_attr, id), FIELD(init_qp_attr, response), init_qp_attr, NULL},
	[RDMA_USER_CM_CMD_SET_OPTION] = {sizeof(struct rdma_ucm_set_option), 0, FIELD(set_option, id), 0, set_option,
					 NULL},
	[RDMA_USER_CM_CMD_NOTIFY] = {sizeof(struct rdma_ucm_notify), 0, FIELD(notify, id), 0, notify_id, NULL},
	[RDMA_USER_CM_CMD_MIGRATE_ID] = {sizeof(struct rdma_ucm_migrate_id), sizeof(struct rdma_ucm_migrate_resp), 0,
					 FIELD(migrate_id, response), NULL, migrate},
	[CM_WRITE_EVENT] = {sizeof(struct cm_write_event), 0, offsetof(struct cm_write_event, id) + 1, 0, write_event,
			    NULL},
	[RDMA_USER_CM_CMD_JOIN_IP_MCAST] = {sizeof(struct rdma_ucm_join_ip_mcast),
					    sizeof(struct rdma_ucm_create_id_resp), FIELD(join_ip_mcast, id),
					    FIELD(join_ip_mcast, response), join_ip, NULL},
	[RDMA_USER_CM_CMD_JOIN_MCAST] = {sizeof(struct rdma_ucm_join_mcast), sizeof(struct rdma_ucm_create_id_resp),
					 FIELD(join_mcast, id), FIELD(join_mcast, response), join_with_flags, NULL},
	[RDMA_USER_CM_CMD_LEAVE_MCAST] = {sizeof(struct rdma_ucm_destroy_id), sizeof(struct rdma_ucm_destroy_id_resp),
					  0, FIELD(destroy_id, response), NULL, command_leave},
};

/* Fault injection: which of them a test may make fail. */
static const uint8_t faults[sizeof(rows) / sizeof(rows[0])] = {
	[RDMA_USER_CM_CMD_CREATE_ID] = FAULT_CM_CREATE_ID,
	[RDMA_USER_CM_CMD_BIND_IP] = FAULT_CM_BIND_ADDR,
	[RDMA_USER_CM_CMD_RESOLVE_IP] = FAULT_CM_RESOLVE_ADDR,
	[RDMA_USER_CM_CMD_RESOLVE_ROUTE] = FAULT_CM_RESOLVE_ROUTE,
	[RDMA_USER_CM_CMD_CONNECT] = FAULT_CM_CONNECT,
	[RDMA_USER_CM_CMD_LISTEN] = FAULT_CM_LISTEN,
	[RDMA_USER_CM_CMD_ACCEPT] = FAULT_CM_ACCEPT,
	[RDMA_USER_CM_CMD_REJECT] = FAULT_CM_REJECT,
	[RDMA_USER_CM_CMD_DISCONNECT] = FAULT_CM_DISCONNECT,
	[RDMA_USER_CM_CMD_INIT_QP_ATTR] = FAULT_CM_INIT_QP_ATTR,
	[RDMA_USER_CM_CMD_SET_OPTION] = FAULT_CM_SET_OPTION,
	[RDMA_USER_CM_CMD_MIGRATE_ID] = FAULT_CM_MIGRATE_ID,
	[RDMA_USER_CM_CMD_JOIN_IP_MCAST] = FAULT_CM_JOIN_MULTICAST,
	[RDMA_USER_CM_CMD_JOIN_MCAST] = FAULT_CM_JOIN_MULTICAST,
};

static uint32_t id_in(const union command *command, const struct command_row *row)
{
	uint32_t number;

	memcpy(&number, command->raw + row->id_at - 1, sizeof(number));
	return number;
}

static int carry_out(struct cm_channel *channel, const struct command_row *row, const union command *command,
		     struct answer *answer)
{
	struct cm_id *id;
	int ret;

	pthread_mutex_lock(&cm_lock);
	if (row->of_channel) {
		ret = row->of_channel(channel, command, answer);
	} else {
		ret = cm_id_find(channel, id_in(command, row), &id);
		if (!ret)
			ret = row->of_id(id, command, answer);
	}
	pthread_mutex_unlock(&cm_lock);
	return ret;
}

static int get_event(struct cm_channel *channel, const void *body, size_t length, size_t room)
{
	struct rdma_ucm_get_event command;
	struct rdma_ucm_event_resp event;
	int err;

	if (room < offsetof(struct rdma_ucm_event_resp, reserved)) /* the size in the first version */
		return -ENOSPC;
	if (length < sizeof(command))
		return -EINVAL;
	if (soft_fault_strikes(FAULT_CM_GET_EVENT))
		return -EIO;
	memcpy(&command, body, sizeof(command));
	err = cm_event_take(channel, &event);
	if (err)
		return err;
	memcpy((void *)(uintptr_t)command.response, &event, room < sizeof(event) ? room : sizeof(event));
	return 0;
}

/* Minimum size of the caller's buffer: older versions have fewer fields for the route. */
static size_t answer_least(uint32_t number, const struct command_row *row)
{
	return number == RDMA_USER_CM_CMD_QUERY_ROUTE ? offsetof(struct rdma_ucm_query_route_resp, ibdev_index)
						      : row->answer;
}

int64_t cm_command(struct cm_channel *channel, const void *buffer, size_t length)
{
	struct rdma_ucm_cmd_hdr header;
	const uint8_t *body = (const uint8_t *)buffer + sizeof(header);
	union command command = {.raw = {0}};
	union {
		struct rdma_ucm_query_route_resp route;
		struct ib_uverbs_qp_attr attr;
	} room = {0};
	struct answer answer = {.data = &room};
	const struct command_row *row;
	int ret;

	if (length < sizeof(header))
		return -EINVAL;
	memcpy(&header, buffer, sizeof(header));
	if (header.in + sizeof(header) > length)
		return -EINVAL;
	if (header.cmd == RDMA_USER_CM_CMD_GET_EVENT) {
		ret = get_event(channel, body, header.in, header.out);
		return ret ? ret : (int64_t)length;
	}
	row = header.cmd < sizeof(rows) / sizeof(rows[0]) ? &rows[header.cmd] : NULL;
	/* librdmacm checks for AF_IB by BIND with that address family. */
	if (!row || (!row->of_id && !row->of_channel))
		return header.cmd == RDMA_USER_CM_CMD_BIND ? -EINVAL : -EOPNOTSUPP;
	if (header.out < answer_least(header.cmd, row))
		return -ENOSPC;
	if (faults[header.cmd] && soft_fault_strikes((enum soft_fault)faults[header.cmd]))
		return header.cmd == RDMA_USER_CM_CMD_CREATE_ID ? -ENOMEM : -EIO;
	memcpy(&command, body, header.in < row->size ? header.in : row->size);
	ret = carry_out(channel, row, &command, &answer);
	if (ret)
		return ret;
	if (row->response_at) {
		memcpy(&answer.to, command.raw + row->response_at - 1, sizeof(answer.to));
		memcpy((void *)(uintptr_t)answer.to, answer.data, header.out < row->answer ? header.out : row->answer);
	}
	return (int64_t)length;
}
