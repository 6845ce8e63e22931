// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Does /dev/infiniband/rdma_cm behave as the kernel's, below librdmacm? Commands are written by hand, both ends of a
 * connection in one process; this checks what librdmacm hides: numbers of ids, the recipients of events, how many were
 * reported.
 */
#include "config.h"

#include <fcntl.h>
#include <infiniband/verbs.h>
#include <netinet/in.h>
#include <poll.h>
#include <rdma/rdma_user_cm.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmocka_all.h"

#define NODE	 "/dev/infiniband/rdma_cm"
#define WAIT_MS	 20000 /* for what must happen: the machine may be loaded */
#define UDP_QKEY 0x01234567u

/* As <rdma/rdma_cma.h> numbers them. */
enum {
	ADDR_RESOLVED,
	ADDR_ERROR,
	ROUTE_RESOLVED,
	ROUTE_ERROR,
	CONNECT_REQUEST,
	CONNECT_RESPONSE,
	REJECTED = 8,
	ESTABLISHED,
	DISCONNECTED
};

/* The uid that a program gives an id. */
enum { LISTENER = 0x1000, ACTIVE, PASSIVE };

static int channel;

static int set_up(void **state)
{
	channel = open(NODE, O_RDWR | O_NONBLOCK);
	return channel < 0;
}

static int tear_down(void **state)
{
	return close(channel);
}

/* 0 or an error number. */
static int command_of(int fd, uint32_t number, const void *body, size_t size, size_t room)
{
	struct {
		struct rdma_ucm_cmd_hdr header;
		uint8_t body[512];
	} message = {.header = {number, (uint16_t)size, (uint16_t)room}};
	ssize_t length = (ssize_t)(sizeof(message.header) + size), ret;

	memcpy(message.body, body, size);
	ret = write(fd, &message, (size_t)length);
	if (ret < 0)
		return errno;
	assert_int_equal(ret, length);
	return 0;
}

#define COMMAND_WITHIN(fd, number, body, room) command_of(fd, RDMA_USER_CM_CMD_##number, &(body), sizeof(body), room)
#define COMMAND(fd, number, body)	       COMMAND_WITHIN(fd, number, body, 0)
#define COMMAND_ROOM(fd, number, body, answer) COMMAND_WITHIN(fd, number, body, sizeof(answer))

static uint32_t id_create(uint64_t uid, uint16_t space)
{
	struct rdma_ucm_create_id_resp answer = {0};
	const struct rdma_ucm_create_id body = {.uid = uid, .response = (uintptr_t)&answer, .ps = space};

	assert_int_equal(COMMAND_ROOM(channel, CREATE_ID, body, answer), 0);
	assert_int_not_equal(answer.id, 0);
	return answer.id;
}

/* How many of its events the program has read. */
static uint32_t id_destroy_on(int fd, uint32_t id)
{
	struct rdma_ucm_destroy_id_resp answer = {.events_reported = UINT32_MAX};
	const struct rdma_ucm_destroy_id body = {.response = (uintptr_t)&answer, .id = id};

	assert_int_equal(COMMAND_ROOM(fd, DESTROY_ID, body, answer), 0);
	return answer.events_reported;
}

static uint32_t id_destroy(uint32_t id)
{
	return id_destroy_on(channel, id);
}

static int event_read(int fd, struct rdma_ucm_event_resp *event)
{
	const struct rdma_ucm_get_event body = {(uintptr_t)event};

	return COMMAND_ROOM(fd, GET_EVENT, body, *event);
}

static struct rdma_ucm_event_resp next_on(int fd, uint32_t type)
{
	struct pollfd ready = {.fd = fd, .events = POLLIN};
	struct rdma_ucm_event_resp event;

	assert_int_equal(poll(&ready, 1, WAIT_MS), 1);
	assert_int_equal(event_read(fd, &event), 0);
	assert_int_equal(event.event, type);
	return event;
}

static struct rdma_ucm_event_resp next(uint32_t type)
{
	return next_on(channel, type);
}

static void nothing_more_on(int fd)
{
	struct rdma_ucm_event_resp event;

	assert_int_equal(event_read(fd, &event), EAGAIN);
}

static struct sockaddr_in6 loopback(in_port_t port)
{
	const struct sockaddr_in in = {
		.sin_family = AF_INET, .sin_port = port, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	struct sockaddr_in6 address = {0};

	memcpy(&address, &in, sizeof(in));
	return address;
}

static in_port_t port_of(uint32_t id)
{
	struct rdma_ucm_query_route_resp route = {0};
	const struct rdma_ucm_query body = {.response = (uintptr_t)&route, .id = id};

	assert_int_equal(COMMAND_ROOM(channel, QUERY_ROUTE, body, route), 0);
	return route.src_addr.sin6_port;
}

static uint32_t listen_as(uint64_t uid, uint16_t space)
{
	const uint32_t id = id_create(uid, space);
	const struct rdma_ucm_bind_ip bind = {.addr = loopback(0), .id = id};
	const struct rdma_ucm_listen listen = {.id = id, .backlog = 4};

	assert_int_equal(COMMAND(channel, BIND_IP, bind), 0);
	assert_int_equal(COMMAND(channel, LISTEN, listen), 0);
	return id;
}

static uint32_t resolve_to(uint32_t listener, uint16_t space)
{
	const uint32_t id = id_create(ACTIVE, space);
	const struct rdma_ucm_resolve_ip address = {.dst_addr = loopback(port_of(listener)), .id = id, .timeout_ms = 1};
	const struct rdma_ucm_resolve_route route = {.id = id, .timeout_ms = 1};

	assert_int_equal(COMMAND(channel, RESOLVE_IP, address), 0);
	assert_int_equal(next(ADDR_RESOLVED).uid, ACTIVE);
	assert_int_equal(COMMAND(channel, RESOLVE_ROUTE, route), 0);
	assert_int_equal(next(ROUTE_RESOLVED).id, id);
	return id;
}

static struct rdma_ucm_conn_param param_of(uint8_t responder_resources, uint8_t initiator_depth)
{
	return (struct rdma_ucm_conn_param){.qp_num = 5,
					    .responder_resources = responder_resources,
					    .initiator_depth = initiator_depth,
					    .retry_count = 7,
					    .rnr_retry_count = 7,
					    .valid = 1};
}

/* Asks, and reads the request: the number of the child. */
static uint32_t ask(uint32_t active, uint32_t listener)
{
	const struct rdma_ucm_connect body = {.conn_param = param_of(3, 9), .id = active};
	struct rdma_ucm_event_resp event;

	assert_int_equal(COMMAND(channel, CONNECT, body), 0);
	event = next(CONNECT_REQUEST);
	assert_int_equal(event.uid, LISTENER);
	assert_int_not_equal(event.id, listener);
	assert_int_not_equal(event.id, active);
	return event.id;
}

static int accept_as(uint64_t uid, uint32_t id)
{
	const struct rdma_ucm_accept body = {.uid = uid, .conn_param = param_of(2, 1), .id = id};

	return COMMAND(channel, ACCEPT, body);
}

static struct ib_uverbs_qp_attr attr_of(uint32_t id, uint32_t state)
{
	struct ib_uverbs_qp_attr attr = {0};
	const struct rdma_ucm_init_qp_attr body = {.response = (uintptr_t)&attr, .id = id, .qp_state = state};

	assert_int_equal(COMMAND_ROOM(channel, INIT_QP_ATTR, body, attr), 0);
	return attr;
}

/* What happens to a child has no one to be told to before it was accepted; then it is told under the new name. */
TEST(a_child_has_no_name_before_it_is_accepted, set_up, tear_down)
{
	const uint32_t listener = listen_as(LISTENER, RDMA_PS_TCP);
	uint32_t active = resolve_to(listener, RDMA_PS_TCP), child = ask(active, listener);
	struct rdma_ucm_event_resp event;

	assert_int_equal(id_destroy(active), 2); /* resolved twice */
	assert_int_equal(accept_as(PASSIVE, child), ECONNRESET);
	nothing_more_on(channel);
	assert_int_equal(id_destroy(child), 0);
	active = resolve_to(listener, RDMA_PS_TCP);
	child = ask(active, listener);
	assert_int_equal(accept_as(PASSIVE, child), 0);
	assert_int_equal(next(CONNECT_RESPONSE).uid, ACTIVE);
	assert_int_equal(accept_as(0, active), 0); /* the RTU */
	event = next(ESTABLISHED);
	assert_int_equal(event.uid, PASSIVE);
	assert_int_equal(event.id, child);
	id_destroy(active);
	id_destroy(child);
	id_destroy(listener);
}

/* A request counts among the events of the listener, not of the child that it names. */
TEST(a_request_is_the_listeners_event, set_up, tear_down)
{
	const uint32_t listener = listen_as(LISTENER, RDMA_PS_TCP);
	const uint32_t active = resolve_to(listener, RDMA_PS_TCP), child = ask(active, listener);

	assert_int_equal(accept_as(PASSIVE, child), 0);
	next(CONNECT_RESPONSE);
	assert_int_equal(id_destroy(child), 0);
	next(DISCONNECTED);
	assert_int_equal(id_destroy(active), 4);
	assert_int_equal(id_destroy(listener), 1);
}

TEST(events_go_with_their_id, set_up, tear_down)
{
	const uint32_t id = id_create(ACTIVE, RDMA_PS_TCP), listener = listen_as(LISTENER, RDMA_PS_TCP);
	const struct rdma_ucm_resolve_ip address = {.dst_addr = loopback(port_of(listener)), .id = id};
	const uint32_t active = resolve_to(listener, RDMA_PS_TCP);
	const struct rdma_ucm_connect connect = {.conn_param = param_of(1, 1), .id = active};
	struct pollfd ready = {.fd = channel, .events = POLLIN};
	struct rdma_ucm_event_resp event;

	assert_int_equal(COMMAND(channel, RESOLVE_IP, address), 0);
	assert_int_equal(poll(&ready, 1, 0), 1);
	assert_int_equal(id_destroy(id), 0);
	assert_int_equal(poll(&ready, 1, 0), 0);
	/* A request that nobody read goes with the listener, and its child with it. */
	assert_int_equal(COMMAND(channel, CONNECT, connect), 0);
	assert_int_equal(poll(&ready, 1, WAIT_MS), 1);
	assert_int_equal(id_destroy(listener), 0);
	event = next(REJECTED);
	assert_int_equal(event.uid, ACTIVE);
	assert_int_equal(event.status, 28);
	nothing_more_on(channel);
	id_destroy(active);
}

TEST(an_id_moves_with_its_events, set_up, tear_down)
{
	const uint32_t listener = listen_as(LISTENER, RDMA_PS_TCP), id = id_create(ACTIVE, RDMA_PS_TCP);
	const int other = open(NODE, O_RDWR | O_NONBLOCK), no_channel = open("/dev/null", O_RDONLY);
	const struct rdma_ucm_resolve_ip address = {.dst_addr = loopback(port_of(listener)), .id = id};
	const struct rdma_ucm_resolve_route route = {.id = id, .timeout_ms = 1};
	struct rdma_ucm_migrate_resp answer = {.events_reported = UINT32_MAX};
	struct rdma_ucm_migrate_id body = {.response = (uintptr_t)&answer, .id = id, .fd = (uint32_t)channel};

	assert_true(other >= 0 && no_channel >= 0);
	assert_int_equal(COMMAND(channel, RESOLVE_IP, address), 0);
	next(ADDR_RESOLVED);
	assert_int_equal(COMMAND(channel, RESOLVE_ROUTE, route), 0);
	assert_int_equal(COMMAND_ROOM(other, MIGRATE_ID, body, answer), 0);
	assert_int_equal(answer.events_reported, 1); /* and one that was not read */
	nothing_more_on(channel);
	assert_int_equal(next_on(other, ROUTE_RESOLVED).uid, ACTIVE);
	assert_int_equal(COMMAND(channel, RESOLVE_ROUTE, route), EINVAL); /* it is another channel's */
	body.id = 60000;
	body.fd = (uint32_t)other;
	assert_int_equal(COMMAND_ROOM(channel, MIGRATE_ID, body, answer), ENOENT);
	body.id = id;
	body.fd = (uint32_t)no_channel;
	assert_int_equal(COMMAND_ROOM(channel, MIGRATE_ID, body, answer), EINVAL);
	assert_int_equal(id_destroy_on(other, id), 2);
	id_destroy(listener);
	close(other);
	close(no_channel);
}

/* What one side can answer at a time is what the other may ask for. */
TEST(resources_and_depth_change_sides, set_up, tear_down)
{
	const uint32_t listener = listen_as(LISTENER, RDMA_PS_TCP), active = resolve_to(listener, RDMA_PS_TCP);
	const struct rdma_ucm_connect connect = {.conn_param = param_of(3, 9), .id = active};
	struct rdma_ucm_event_resp event;
	uint32_t child;

	assert_int_equal(COMMAND(channel, CONNECT, connect), 0);
	event = next(CONNECT_REQUEST);
	assert_int_equal(event.param.conn.responder_resources, 9);
	assert_int_equal(event.param.conn.initiator_depth, 3);
	child = event.id;
	assert_int_equal(accept_as(PASSIVE, child), 0); /* 2, 1 */
	event = next(CONNECT_RESPONSE);
	assert_int_equal(event.param.conn.responder_resources, 1);
	assert_int_equal(event.param.conn.initiator_depth, 2);
	assert_int_equal(attr_of(active, IBV_QPS_RTR).max_dest_rd_atomic, 1);
	assert_int_equal(attr_of(active, IBV_QPS_RTS).max_rd_atomic, 2);
	assert_int_equal(attr_of(child, IBV_QPS_RTR).max_dest_rd_atomic, 2);
	assert_int_equal(attr_of(child, IBV_QPS_RTS).max_rd_atomic, 1);
	id_destroy(active);
	id_destroy(child);
	id_destroy(listener);
}

TEST(datagrams_have_a_key_of_their_own, set_up, tear_down)
{
	const uint32_t listener = listen_as(LISTENER, RDMA_PS_UDP), active = resolve_to(listener, RDMA_PS_UDP);
	const uint32_t child = ask(active, listener);
	struct ib_uverbs_qp_attr attr = attr_of(child, IBV_QPS_INIT);
	struct rdma_ucm_event_resp event;

	assert_true(attr.qp_attr_mask & IBV_QP_QKEY);
	assert_int_equal(attr.qkey, UDP_QKEY);
	assert_int_equal(accept_as(PASSIVE, child), 0);
	event = next(ESTABLISHED);
	assert_int_equal(event.uid, ACTIVE);
	assert_int_equal(event.param.ud.qkey, UDP_QKEY);
	assert_int_equal(event.param.ud.qp_num, 5);
	assert_int_equal(attr_of(active, IBV_QPS_INIT).qkey, UDP_QKEY);
	id_destroy(active);
	id_destroy(child);
	id_destroy(listener);
}

TEST(an_acknowledgement_may_take_as_long_as_was_set, set_up, tear_down)
{
	const uint32_t listener = listen_as(LISTENER, RDMA_PS_TCP), active = resolve_to(listener, RDMA_PS_TCP);
	uint8_t timeout = 32;
	struct rdma_ucm_set_option option = {.optval = (uintptr_t)&timeout,
					     .id = active,
					     .level = RDMA_OPTION_ID,
					     .optname = RDMA_OPTION_ID_ACK_TIMEOUT,
					     .optlen = sizeof(timeout)};
	uint32_t child;

	assert_int_equal(COMMAND(channel, SET_OPTION, option), EINVAL); /* it has five bits */
	timeout = 11;
	option.optlen = sizeof(int);
	assert_int_equal(COMMAND(channel, SET_OPTION, option), EINVAL);
	option.optlen = sizeof(timeout);
	assert_int_equal(COMMAND(channel, SET_OPTION, option), 0);
	child = ask(active, listener);
	assert_int_equal(accept_as(PASSIVE, child), 0);
	next(CONNECT_RESPONSE);
	assert_int_equal(attr_of(active, IBV_QPS_RTS).timeout, timeout);
	assert_int_not_equal(attr_of(child, IBV_QPS_RTS).timeout, timeout);
	id_destroy(active);
	id_destroy(child);
	id_destroy(listener);
}

TEST(what_is_not_there_is_refused, set_up, tear_down)
{
	const uint32_t id = id_create(ACTIVE, RDMA_PS_TCP);
	struct rdma_ucm_bind bind = {.id = id, .addr_size = 48};
	struct rdma_ucm_create_id_resp created;
	const struct rdma_ucm_create_id create = {.response = (uintptr_t)&created, .ps = 1};
	const struct rdma_ucm_disconnect nobody = {60000};
	uint8_t nothing[8] = {0};

	bind.addr.ss_family = AF_IB;
	assert_int_equal(COMMAND(channel, BIND, bind), EINVAL);
	assert_int_equal(COMMAND_ROOM(channel, CREATE_ID, create, created), EINVAL);
	assert_int_equal(COMMAND(channel, DISCONNECT, nobody), ENOENT);
	assert_int_equal(command_of(channel, RDMA_USER_CM_CMD_GET_OPTION, nothing, sizeof(nothing), 0), EOPNOTSUPP);
	assert_int_equal(command_of(channel, 999, nothing, sizeof(nothing), 0), EOPNOTSUPP);
	assert_int_equal(write(channel, nothing, 4), -1);
	assert_int_equal(errno, EINVAL);
	assert_int_equal(id_destroy(id), 0);
}

/* Refused before anything was done, as the kernel does it. */
TEST(an_answer_without_room_is_refused, set_up, tear_down)
{
	const uint32_t listener = listen_as(LISTENER, RDMA_PS_TCP), id = id_create(ACTIVE, RDMA_PS_TCP);
	struct rdma_ucm_create_id_resp created = {0};
	struct rdma_ucm_destroy_id_resp destroyed = {.events_reported = UINT32_MAX};
	struct rdma_ucm_query_route_resp route = {0};
	struct ib_uverbs_qp_attr attr = {0};
	struct rdma_ucm_event_resp event;
	const struct rdma_ucm_create_id create = {.response = (uintptr_t)&created, .ps = RDMA_PS_TCP};
	const struct rdma_ucm_destroy_id destroy = {.response = (uintptr_t)&destroyed, .id = id};
	const struct rdma_ucm_query query = {.response = (uintptr_t)&route, .id = id};
	const struct rdma_ucm_init_qp_attr init = {.response = (uintptr_t)&attr, .id = id, .qp_state = IBV_QPS_INIT};
	const struct rdma_ucm_resolve_ip address = {.dst_addr = loopback(port_of(listener)), .id = id};
	const struct rdma_ucm_get_event get = {(uintptr_t)&event};
	const size_t old_route = offsetof(struct rdma_ucm_query_route_resp, ibdev_index);
	const size_t old_event = offsetof(struct rdma_ucm_event_resp, reserved);

#define REFUSED(number, body, room) assert_int_equal(COMMAND_WITHIN(channel, number, body, room), ENOSPC)
	REFUSED(CREATE_ID, create, sizeof(created) - 1);
	assert_int_equal(created.id, 0);
	assert_int_equal(id_create(PASSIVE, RDMA_PS_TCP), id + 1); /* there is none in between */
	REFUSED(DESTROY_ID, destroy, sizeof(destroyed) - 1);
	assert_int_equal(destroyed.events_reported, UINT32_MAX);
	REFUSED(INIT_QP_ATTR, init, sizeof(attr) - 1);
	REFUSED(QUERY_ROUTE, query, old_route - 1);
	assert_int_equal(COMMAND_WITHIN(channel, QUERY_ROUTE, query, old_route), 0);
	REFUSED(GET_EVENT, get, old_event - 1); /* at once, whether there is one or not */
	assert_int_equal(COMMAND(channel, RESOLVE_IP, address), 0);
	REFUSED(GET_EVENT, get, old_event - 1);
	assert_int_equal(COMMAND_WITHIN(channel, GET_EVENT, get, old_event), 0);
	assert_int_equal(event.event, ADDR_RESOLVED);
	assert_int_equal(id_destroy(id + 1), 0);
	assert_int_equal(id_destroy(id), 1);
	id_destroy(listener);
}

/* Of close_range(), dup2() and their like nobody is told, and then the number may be another file's. */
TEST(a_file_in_its_place_is_that_file, set_up, tear_down)
{
	const uint32_t id = id_create(ACTIVE, RDMA_PS_TCP), listener = listen_as(LISTENER, RDMA_PS_TCP);
	const struct rdma_ucm_resolve_ip address = {.dst_addr = loopback(port_of(listener)), .id = id};
	const int file = memfd_create("file", 0);
	struct stat status;
	char text[8] = "";

	assert_true(file >= 0);
	assert_int_equal(dup2(file, channel), channel);
	assert_int_equal(fstat(channel, &status), 0);
	assert_true(S_ISREG(status.st_mode));
	assert_int_equal(write(channel, "four", 4), 4);
	assert_int_equal(command_of(channel, RDMA_USER_CM_CMD_RESOLVE_IP, &address, sizeof(address), 0), 0); /* bytes */
	assert_int_equal(lseek(file, 0, SEEK_END), 4 + sizeof(struct rdma_ucm_cmd_hdr) + sizeof(address));
	assert_int_equal(pread(file, text, 4, 0), 4);
	assert_string_equal(text, "four");
	close(file);
}

/* The ids of one that was closed by close_range() are not there beside those of the next with its number. */
TEST(a_channel_closed_unseen_is_gone, set_up, tear_down)
{
	const uint32_t listener = listen_as(LISTENER, RDMA_PS_TCP);
	const struct rdma_ucm_disconnect body = {listener};

	assert_int_equal(syscall(SYS_close, channel), 0);
	assert_int_equal(open(NODE, O_RDWR | O_NONBLOCK), channel);
	assert_int_equal(COMMAND(channel, DISCONNECT, body), ENOENT);
	nothing_more_on(channel);
}

/* A child of vfork() closes what it has of its parent's descriptors, in its parent's memory. */
TEST(a_child_of_vfork_closes_its_own, set_up, tear_down)
{
	const uint32_t id = id_create(ACTIVE, RDMA_PS_TCP);
	pid_t child = vfork();
	int status;

	if (child == 0)
		_exit(close(channel));
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_int_equal(id_destroy(id), 0);
}

/* And what it puts in the place of one is its own as well. */
TEST(a_child_of_vfork_replaces_its_own, set_up, tear_down)
{
	const uint32_t id = id_create(ACTIVE, RDMA_PS_TCP);
	const int file = memfd_create("file", 0);
	pid_t child = vfork();
	int status;

	if (child == 0)
		_exit(dup2(file, channel) != channel || write(channel, "four", 4) != 4);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_int_equal(lseek(file, 0, SEEK_END), 4);
	assert_int_equal(id_destroy(id), 0);
	close(file);
}

TEST_MAIN(NULL, NULL)
