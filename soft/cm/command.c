// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The commands that librdmacm writes: a header, and the structure of <rdma/rdma_user_cm.h> that belongs to it. Shorter
 * ones come from older versions and are padded with zeros, longer ones from newer; `response` points to the caller's
 * own memory.
 */
#include "config.h"

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

union answer {
	struct rdma_ucm_create_id_resp created; /* an id, or a group */
	struct rdma_ucm_destroy_id_resp destroyed;
	struct rdma_ucm_migrate_resp migrated;
	struct rdma_ucm_query_route_resp route;
	struct ib_uverbs_qp_attr attr;
};

static int create_id(struct cm_channel *channel, const struct rdma_ucm_create_id *command, uint32_t *number)
{
	static const uint8_t types[] = {IBV_QPT_RC, IBV_QPT_UC, IBV_QPT_UD, IBV_QPT_XRC_SEND, IBV_QPT_XRC_RECV};
	struct cm_id *id;

	switch (command->ps) {
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
	id->uid = command->uid;
	id->port_space = command->ps;
	id->qp_type = command->ps == RDMA_PS_TCP ? IBV_QPT_RC : IBV_QPT_UD;
	if (command->ps == RDMA_PS_IB && memchr(types, command->qp_type, sizeof(types)))
		id->qp_type = command->qp_type;
	*number = id->number;
	return 0;
}

/* A type of service, and a path, have no effect, because no packet is sent. */
static int set_option(struct cm_id *id, const struct rdma_ucm_set_option *option)
{
	const void *value = (const void *)(uintptr_t)option->optval;
	int flag;

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

static int join(struct cm_id *id, const void *from, uint64_t uid, uint32_t *number)
{
	union cm_address address;
	struct sockaddr_in6 copy;
	int err;

	memcpy(&copy, from, sizeof(copy));
	err = cm_address_read(&copy, &address);
	return err ? err : cm_group_join(id, &address, uid, number);
}

/* The command names only the group, which may belong to any id of the channel. */
static int leave(const struct cm_channel *channel, uint32_t group, uint32_t *events_reported)
{
	int err = -ENOENT;

	for (struct cm_id *id = cm_id_next(0); err && id; id = cm_id_next(id->number)) {
		if (id->channel == channel)
			err = cm_group_leave(id, group, events_reported);
	}
	return err;
}

/* The id belongs to another channel, and moves to this one with its unread events. */
static int migrate(struct cm_channel *channel, const struct rdma_ucm_migrate_id *command, uint32_t *events_reported)
{
	struct cm_id *id = cm_id_at(command->id);

	if (!id)
		return -ENOENT;
	if (id->channel->fd != (int)command->fd)
		return -EINVAL;
	*events_reported = id->events_reported;
	if (id->channel != channel)
		cm_id_move(id, channel);
	return 0;
}

#define AT(type, member)       (offsetof(struct rdma_ucm_##type, member) + 1)
#define OF_CHANNEL(type)       .size = sizeof(struct rdma_ucm_##type)
#define OF_ID(type)	       OF_CHANNEL(type), .id_at = AT(type, id)
#define ANSWERED(type, answer) .response_at = AT(type, response), .answer_size = sizeof(struct rdma_ucm_##answer##_resp)

static const struct command_row {
	size_t size; /* 0: EOPNOTSUPP */
	size_t answer_size;
	size_t id_at, response_at; /* offsets of the id and of the response address, plus 1; 0: it has none */
	enum soft_fault fault;	   /* which a test may inject */
} rows[] = {
	[RDMA_USER_CM_CMD_CREATE_ID] = {OF_CHANNEL(create_id), ANSWERED(create_id, create_id),
					.fault = FAULT_CM_CREATE_ID},
	[RDMA_USER_CM_CMD_DESTROY_ID] = {OF_ID(destroy_id), ANSWERED(destroy_id, destroy_id)},
	[RDMA_USER_CM_CMD_BIND_IP] = {OF_ID(bind_ip), .fault = FAULT_CM_BIND_ADDR},
	[RDMA_USER_CM_CMD_RESOLVE_IP] = {OF_ID(resolve_ip), .fault = FAULT_CM_RESOLVE_ADDR},
	[RDMA_USER_CM_CMD_RESOLVE_ROUTE] = {OF_ID(resolve_route), .fault = FAULT_CM_RESOLVE_ROUTE},
	[RDMA_USER_CM_CMD_QUERY_ROUTE] = {OF_ID(query), ANSWERED(query, query_route)},
	[RDMA_USER_CM_CMD_CONNECT] = {OF_ID(connect), .fault = FAULT_CM_CONNECT},
	[RDMA_USER_CM_CMD_LISTEN] = {OF_ID(listen), .fault = FAULT_CM_LISTEN},
	[RDMA_USER_CM_CMD_ACCEPT] = {OF_ID(accept), .fault = FAULT_CM_ACCEPT},
	[RDMA_USER_CM_CMD_REJECT] = {OF_ID(reject), .fault = FAULT_CM_REJECT},
	[RDMA_USER_CM_CMD_DISCONNECT] = {OF_ID(disconnect), .fault = FAULT_CM_DISCONNECT},
	[RDMA_USER_CM_CMD_INIT_QP_ATTR] = {OF_ID(init_qp_attr), .response_at = AT(init_qp_attr, response),
					   .answer_size = sizeof(struct ib_uverbs_qp_attr),
					   .fault = FAULT_CM_INIT_QP_ATTR},
	[RDMA_USER_CM_CMD_SET_OPTION] = {OF_ID(set_option), .fault = FAULT_CM_SET_OPTION},
	[RDMA_USER_CM_CMD_NOTIFY] = {OF_ID(notify)},
	[RDMA_USER_CM_CMD_MIGRATE_ID] = {OF_CHANNEL(migrate_id), ANSWERED(migrate_id, migrate),
					 .fault = FAULT_CM_MIGRATE_ID},
	[RDMA_USER_CM_CMD_JOIN_IP_MCAST] = {OF_ID(join_ip_mcast), ANSWERED(join_ip_mcast, create_id),
					    .fault = FAULT_CM_JOIN_MULTICAST},
	[RDMA_USER_CM_CMD_JOIN_MCAST] = {OF_ID(join_mcast), ANSWERED(join_mcast, create_id),
					 .fault = FAULT_CM_JOIN_MULTICAST},
	[RDMA_USER_CM_CMD_LEAVE_MCAST] = {OF_CHANNEL(destroy_id), ANSWERED(destroy_id, destroy_id)},
	[CM_WRITE_EVENT] = {.size = sizeof(struct cm_write_event), .id_at = offsetof(struct cm_write_event, id) + 1},
};

static int channel_execute(uint32_t number, struct cm_channel *channel, const union command *command,
			   union answer *answer)
{
	switch (number) {
	case RDMA_USER_CM_CMD_CREATE_ID:
		return create_id(channel, &command->create, &answer->created.id);
	case RDMA_USER_CM_CMD_MIGRATE_ID:
		return migrate(channel, &command->migrate, &answer->migrated.events_reported);
	default:
		return leave(channel, command->destroy.id, &answer->destroyed.events_reported);
	}
}

static int id_execute(uint32_t number, struct cm_id *id, const union command *command, union answer *answer)
{
	switch (number) {
	case RDMA_USER_CM_CMD_DESTROY_ID:
		cm_event_drop(id, NULL);
		answer->destroyed.events_reported = id->events_reported;
		cm_close(id);
		return 0;
	case RDMA_USER_CM_CMD_BIND_IP:
		return cm_bind(id, &command->bind_ip.addr);
	case RDMA_USER_CM_CMD_RESOLVE_IP:
		if (soft_fault_strikes(FAULT_CM_ADDR_ERROR))
			return cm_event_raise(id, CM_ADDR_ERROR, -ETIMEDOUT, NULL);
		return cm_resolve_address(id, &command->resolve_ip.src_addr, &command->resolve_ip.dst_addr);
	case RDMA_USER_CM_CMD_RESOLVE_ROUTE:
		if (soft_fault_strikes(FAULT_CM_ROUTE_ERROR))
			return cm_event_raise(id, CM_ROUTE_ERROR, -ETIMEDOUT, NULL);
		return cm_resolve_route(id);
	case RDMA_USER_CM_CMD_QUERY_ROUTE:
		cm_query_route(id, &answer->route);
		return 0;
	case RDMA_USER_CM_CMD_CONNECT:
		if (soft_fault_strikes(FAULT_CM_UNREACHABLE))
			return cm_event_raise(id, CM_UNREACHABLE, -ETIMEDOUT, NULL);
		return cm_connect(id, &command->connect);
	case RDMA_USER_CM_CMD_LISTEN:
		return cm_listen(id, command->listen.backlog);
	case RDMA_USER_CM_CMD_ACCEPT:
		return cm_accept(id, &command->accept);
	case RDMA_USER_CM_CMD_REJECT:
		return cm_reject(id, &command->reject);
	case RDMA_USER_CM_CMD_DISCONNECT:
		return cm_disconnect(id);
	case RDMA_USER_CM_CMD_INIT_QP_ATTR:
		return cm_init_qp_attr(id, command->init_qp_attr.qp_state, &answer->attr);
	case RDMA_USER_CM_CMD_SET_OPTION:
		return set_option(id, &command->set_option);
	case RDMA_USER_CM_CMD_NOTIFY:
		return cm_notify(id, command->notify.event);
	case RDMA_USER_CM_CMD_JOIN_IP_MCAST:
		return join(id, &command->join_ip.addr, command->join_ip.uid, &answer->created.id);
	case RDMA_USER_CM_CMD_JOIN_MCAST:
		/* For a send-only member librdmacm attaches no queue pair; the group does not care. */
		if (command->join.join_flags >= RDMA_MC_JOIN_FLAG_RESERVED ||
		    command->join.addr_size > sizeof(command->join.addr))
			return -EINVAL;
		return join(id, &command->join.addr, command->join.uid, &answer->created.id);
	default:
		return cm_event_write(id, &command->write_event);
	}
}

static int carry_out(uint32_t number, struct cm_channel *channel, const union command *command, union answer *answer)
{
	const struct command_row *row = &rows[number];
	struct cm_id *id;
	uint32_t id_number;
	int ret;

	pthread_mutex_lock(&cm_lock);
	if (row->id_at) {
		memcpy(&id_number, command->raw + row->id_at - 1, sizeof(id_number));
		ret = cm_id_find(channel, id_number, &id);
		if (!ret)
			ret = id_execute(number, id, command, answer);
	} else {
		ret = channel_execute(number, channel, command, answer);
	}
	pthread_mutex_unlock(&cm_lock);
	return ret;
}

/* iWARP: in the program's thread, whose queue pair is moved by this call and not between two of its own. */
static void stream_establish(struct cm_channel *channel, struct rdma_ucm_event_resp *event)
{
	struct cm_id *id;
	int err = 0;

	pthread_mutex_lock(&cm_lock);
	if (event->event == CM_ESTABLISHED && !cm_id_find(channel, event->id, &id) && id->state == CM_REPLIED)
		err = cm_establish(id);
	pthread_mutex_unlock(&cm_lock);
	if (err) {
		event->event = CM_CONNECT_ERROR;
		event->status = (uint32_t)err;
	}
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
	stream_establish(channel, &event);
	memcpy((void *)(uintptr_t)command.response, &event, room < sizeof(event) ? room : sizeof(event));
	return 0;
}

int64_t cm_command(struct cm_channel *channel, const void *buffer, size_t length)
{
	struct rdma_ucm_cmd_hdr header;
	const uint8_t *body = (const uint8_t *)buffer + sizeof(header);
	union command command = {.raw = {0}};
	union answer answer = {.route = {0}};
	const struct command_row *row;
	uint64_t to; /* the caller's address */
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
	if (!row || !row->size)
		return header.cmd == RDMA_USER_CM_CMD_BIND ? -EINVAL : -EOPNOTSUPP;
	/* Older versions have fewer fields for the route. */
	if (header.out < (header.cmd == RDMA_USER_CM_CMD_QUERY_ROUTE
				  ? offsetof(struct rdma_ucm_query_route_resp, ibdev_index)
				  : row->answer_size))
		return -ENOSPC;
	if (row->fault && soft_fault_strikes(row->fault))
		return header.cmd == RDMA_USER_CM_CMD_CREATE_ID ? -ENOMEM : -EIO;
	memcpy(&command, body, header.in < row->size ? header.in : row->size);
	ret = carry_out(header.cmd, channel, &command, &answer);
	if (ret)
		return ret;
	if (row->response_at) {
		memcpy(&to, command.raw + row->response_at - 1, sizeof(to));
		memcpy((void *)(uintptr_t)to, &answer, header.out < row->answer_size ? header.out : row->answer_size);
	}
	return (int64_t)length;
}
