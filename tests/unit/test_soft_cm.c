// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Does the software device answer librdmacm as the kernel does? Both ends of a connection in one process, over the
 * distribution's librdmacm; a program sees events, statuses, lengths of private data and error numbers.
 */
#include <arpa/inet.h>
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <rdma/rdma_cma.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmocka_all.h"

#define FAR_END	      "--far-end" /* this program as the other process: librdmacm does not survive a fork */
#define WAIT_MS	      20000	  /* for what must happen: the machine may be loaded */
#define RESOLVE_MS    2000
#define REQ_DATA      56 /* private data of each message: what an event always carries */
#define REP_DATA      196
#define REJ_DATA      148
#define SIDR_REQ_DATA 180
#define SIDR_REP_DATA 136

static struct rdma_event_channel *channel;

static int set_up(void **state)
{
	channel = rdma_create_event_channel();
	return channel ? 0 : -1;
}

static int tear_down(void **state)
{
	rdma_destroy_event_channel(channel);
	return 0;
}

/* The next event, which must be of that type; acknowledged, its private data copied. */
struct seen {
	struct rdma_cm_event event;
	uint8_t private_data[256];
};

static struct seen next(enum rdma_cm_event_type type)
{
	struct pollfd ready = {.fd = channel->fd, .events = POLLIN};
	struct rdma_cm_event *event;
	struct seen seen = {0};
	const struct rdma_conn_param *param = &seen.event.param.conn;

	assert_int_equal(poll(&ready, 1, WAIT_MS), 1);
	assert_int_equal(rdma_get_cm_event(channel, &event), 0);
	seen.event = *event;
	if (param->private_data_len)
		memcpy(seen.private_data, param->private_data, param->private_data_len);
	rdma_ack_cm_event(event);
	assert_string_equal(rdma_event_str(seen.event.event), rdma_event_str(type));
	return seen;
}

static void nothing_more(void)
{
	struct pollfd ready = {.fd = channel->fd, .events = POLLIN};

	assert_int_equal(poll(&ready, 1, 0), 0);
}

static struct sockaddr_in ipv4(const char *text, uint16_t port)
{
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};

	assert_int_equal(inet_pton(AF_INET, text, &address.sin_addr), 1);
	return address;
}

static struct rdma_cm_id *make_id(enum rdma_port_space space)
{
	struct rdma_cm_id *id;

	assert_int_equal(rdma_create_id(channel, &id, NULL, space), 0);
	return id;
}

static struct rdma_cm_id *listen_on(enum rdma_port_space space, int backlog)
{
	struct rdma_cm_id *id = make_id(space);
	struct sockaddr_in any = ipv4("0.0.0.0", 0);

	assert_int_equal(rdma_bind_addr(id, (struct sockaddr *)&any), 0);
	assert_int_equal(rdma_listen(id, backlog), 0);
	assert_int_not_equal(rdma_get_src_port(id), 0);
	return id;
}

static struct rdma_cm_id *resolve(enum rdma_port_space space, const char *to, uint16_t port_be)
{
	struct rdma_cm_id *id = make_id(space);
	struct sockaddr_in address = ipv4(to, ntohs(port_be));

	assert_int_equal(rdma_resolve_addr(id, NULL, (struct sockaddr *)&address, RESOLVE_MS), 0);
	assert_ptr_equal(next(RDMA_CM_EVENT_ADDR_RESOLVED).event.id, id);
	assert_int_equal(rdma_resolve_route(id, RESOLVE_MS), 0);
	assert_ptr_equal(next(RDMA_CM_EVENT_ROUTE_RESOLVED).event.id, id);
	assert_non_null(id->verbs);
	return id;
}

static void make_qp(struct rdma_cm_id *id, enum ibv_qp_type type)
{
	struct ibv_qp_init_attr attr = {
		.cap = {.max_send_wr = 1, .max_recv_wr = 1, .max_send_sge = 1, .max_recv_sge = 1}, .qp_type = type};

	assert_int_equal(rdma_create_qp(id, NULL, &attr), 0);
}

static enum ibv_qp_state state_of(struct ibv_qp *qp)
{
	struct ibv_qp_attr attr;
	struct ibv_qp_init_attr init;

	assert_int_equal(ibv_query_qp(qp, &attr, IBV_QP_STATE, &init), 0);
	return attr.qp_state;
}

static uint8_t timeout_of(struct ibv_qp *qp)
{
	struct ibv_qp_attr attr;
	struct ibv_qp_init_attr init;

	assert_int_equal(ibv_query_qp(qp, &attr, IBV_QP_TIMEOUT, &init), 0);
	return attr.timeout;
}

static void destroy(struct rdma_cm_id *id)
{
	if (id->qp)
		rdma_destroy_qp(id);
	assert_int_equal(rdma_destroy_id(id), 0);
}

/* Both ends of a connection, with what each event must say. */
static void connect_both(struct rdma_cm_id *listener, struct rdma_cm_id **active, struct rdma_cm_id **passive)
{
	struct rdma_conn_param param = {.private_data = "ask",
					.private_data_len = 4,
					.responder_resources = 3,
					.initiator_depth = 5,
					.retry_count = 15,
					.rnr_retry_count = 7};
	uint8_t ack_timeout = 9;
	struct seen seen;

	*active = resolve(RDMA_PS_TCP, "127.0.0.1", rdma_get_src_port(listener));
	assert_int_equal(rdma_set_option(*active, RDMA_OPTION_ID, RDMA_OPTION_ID_ACK_TIMEOUT, &ack_timeout, 1), 0);
	make_qp(*active, IBV_QPT_RC);
	assert_int_equal(rdma_connect(*active, &param), 0);
	seen = next(RDMA_CM_EVENT_CONNECT_REQUEST);
	assert_ptr_equal(seen.event.listen_id, listener);
	assert_int_equal(seen.event.param.conn.private_data_len, REQ_DATA);
	assert_memory_equal(seen.private_data, "ask\0\0\0\0\0", 8);
	/* What one end can answer is what the other may ask. */
	assert_int_equal(seen.event.param.conn.initiator_depth, 3);
	assert_int_equal(seen.event.param.conn.responder_resources, 5);
	assert_int_equal(seen.event.param.conn.retry_count, 7);
	assert_int_equal(seen.event.param.conn.qp_num, (*active)->qp->qp_num);
	*passive = seen.event.id;
	make_qp(*passive, IBV_QPT_RC);
	param = (struct rdma_conn_param){.private_data = "answer",
					 .private_data_len = 7,
					 .responder_resources = 2,
					 .initiator_depth = 1,
					 .rnr_retry_count = 3};
	assert_int_equal(rdma_accept(*passive, &param), 0);
	seen = next(RDMA_CM_EVENT_ESTABLISHED);
	if (seen.event.id == *passive)
		seen = next(RDMA_CM_EVENT_ESTABLISHED);
	else
		assert_ptr_equal(next(RDMA_CM_EVENT_ESTABLISHED).event.id, *passive);
	assert_int_equal(seen.event.param.conn.private_data_len, REP_DATA);
	assert_memory_equal(seen.private_data, "answer", 7);
	assert_int_equal(seen.event.param.conn.initiator_depth, 2);
	assert_int_equal(seen.event.param.conn.qp_num, (*passive)->qp->qp_num);
	assert_int_equal(state_of((*active)->qp), IBV_QPS_RTS);
	assert_int_equal(state_of((*passive)->qp), IBV_QPS_RTS);
	assert_int_equal(timeout_of((*active)->qp), ack_timeout);
	assert_int_not_equal(timeout_of((*passive)->qp), ack_timeout);
}

TEST(test_connects_and_disconnects, set_up, tear_down)
{
	struct rdma_cm_id *listener = listen_on(RDMA_PS_TCP, 4);
	struct rdma_cm_id *active, *passive;

	connect_both(listener, &active, &passive);
	assert_int_equal(rdma_disconnect(active), 0);
	assert_ptr_equal(next(RDMA_CM_EVENT_DISCONNECTED).event.id, passive);
	assert_int_equal(state_of(active->qp), IBV_QPS_ERR);
	assert_int_equal(rdma_disconnect(passive), 0);
	assert_ptr_equal(next(RDMA_CM_EVENT_DISCONNECTED).event.id, active);
	nothing_more();
	destroy(active);
	destroy(passive);
	destroy(listener);
}

TEST(test_destroying_disconnects, set_up, tear_down)
{
	struct rdma_cm_id *listener = listen_on(RDMA_PS_TCP, 4);
	struct rdma_cm_id *active, *passive;

	connect_both(listener, &active, &passive);
	destroy(passive);
	assert_ptr_equal(next(RDMA_CM_EVENT_DISCONNECTED).event.id, active);
	destroy(active);
	destroy(listener);
}

TEST(test_reports_addresses_and_gids, set_up, tear_down)
{
	struct rdma_cm_id *listener = listen_on(RDMA_PS_TCP, 4);
	struct rdma_cm_id *active, *passive;
	const uint8_t soft0[16] = {[10] = 0xff, 0xff, 192, 0, 2, 1};
	const struct sockaddr_in *source;

	connect_both(listener, &active, &passive);
	source = (struct sockaddr_in *)rdma_get_local_addr(active);
	assert_int_equal(source->sin_addr.s_addr, htonl(INADDR_LOOPBACK));
	assert_int_equal(rdma_get_src_port(active), rdma_get_dst_port(passive));
	assert_int_equal(rdma_get_dst_port(active), rdma_get_src_port(listener));
	assert_string_equal(ibv_get_device_name(active->verbs->device), "soft0");
	assert_int_equal(active->route.num_paths, 1);
	assert_memory_equal(active->route.path_rec->sgid.raw, soft0, sizeof(soft0));
	assert_memory_equal(active->route.path_rec->dgid.raw, soft0, sizeof(soft0));
	destroy(active);
	next(RDMA_CM_EVENT_DISCONNECTED);
	destroy(passive);
	destroy(listener);
}

/* 192.0.2.2 is soft1's own; every other address of the host belongs to both. */
TEST(test_an_address_names_a_device, set_up, tear_down)
{
	struct rdma_cm_id *listener = listen_on(RDMA_PS_TCP, 4);
	struct rdma_cm_id *active = resolve(RDMA_PS_TCP, "192.0.2.2", rdma_get_src_port(listener));

	assert_string_equal(ibv_get_device_name(active->verbs->device), "soft1");
	destroy(active);
	destroy(listener);
}

TEST(test_rejects, set_up, tear_down)
{
	struct rdma_cm_id *listener = listen_on(RDMA_PS_TCP, 4);
	struct rdma_cm_id *active = resolve(RDMA_PS_TCP, "127.0.0.1", rdma_get_src_port(listener));
	struct rdma_conn_param param = {0};
	struct seen seen;

	make_qp(active, IBV_QPT_RC);
	assert_int_equal(rdma_connect(active, &param), 0);
	seen = next(RDMA_CM_EVENT_CONNECT_REQUEST);
	assert_int_equal(rdma_reject(seen.event.id, "no", 3), 0);
	destroy(seen.event.id);
	seen = next(RDMA_CM_EVENT_REJECTED);
	assert_int_equal(seen.event.status, 28); /* by the consumer */
	assert_int_equal(seen.event.param.conn.private_data_len, REJ_DATA);
	assert_memory_equal(seen.private_data, "no", 3);
	destroy(active);
	destroy(listener);
}

TEST(test_nobody_listens, set_up, tear_down)
{
	struct rdma_cm_id *listener = listen_on(RDMA_PS_TCP, 4);
	const uint16_t port = rdma_get_src_port(listener);
	struct rdma_cm_id *active;
	struct rdma_conn_param param = {0};

	destroy(listener);
	active = resolve(RDMA_PS_TCP, "127.0.0.1", port);
	make_qp(active, IBV_QPT_RC);
	assert_int_equal(rdma_connect(active, &param), 0);
	assert_int_equal(next(RDMA_CM_EVENT_REJECTED).event.status, 8); /* invalid service ID */
	destroy(active);
}

/* Asks a bound id; and another that listens, whose answer says that the first request has come, too. */
static struct rdma_cm_id *ask_bound(struct rdma_cm_id **bound)
{
	struct sockaddr_in address = ipv4("127.0.0.1", 0);
	struct rdma_cm_id *listener = listen_on(RDMA_PS_TCP, 4);
	struct rdma_conn_param param = {0};
	struct rdma_cm_id *ids[2];

	*bound = make_id(RDMA_PS_TCP);
	assert_int_equal(rdma_bind_addr(*bound, (struct sockaddr *)&address), 0);
	for (int i = 0; i < 2; i++) {
		ids[i] = resolve(RDMA_PS_TCP, "127.0.0.1", rdma_get_src_port(i ? listener : *bound));
		make_qp(ids[i], IBV_QPT_RC);
	}
	for (int i = 0; i < 2; i++)
		assert_int_equal(rdma_connect(ids[i], &param), 0);
	destroy(next(RDMA_CM_EVENT_CONNECT_REQUEST).event.id);
	assert_ptr_equal(next(RDMA_CM_EVENT_REJECTED).event.id, ids[1]);
	destroy(ids[1]);
	destroy(listener);
	return ids[0];
}

static void expect_no_service(struct rdma_cm_id *active)
{
	struct seen seen = next(RDMA_CM_EVENT_REJECTED);

	assert_ptr_equal(seen.event.id, active);
	assert_int_equal(seen.event.status, 8);
	destroy(active);
	nothing_more();
}

TEST(test_bound_is_not_listening, set_up, tear_down)
{
	struct sockaddr_in address = ipv4("127.0.0.1", 0);
	struct rdma_conn_param param = {0};
	struct rdma_cm_id *bound = make_id(RDMA_PS_TCP);
	struct rdma_cm_id *active;

	assert_int_equal(rdma_bind_addr(bound, (struct sockaddr *)&address), 0);
	active = resolve(RDMA_PS_TCP, "127.0.0.1", rdma_get_src_port(bound));
	make_qp(active, IBV_QPT_RC);
	assert_int_equal(rdma_connect(active, &param), 0);
	expect_no_service(active);
	destroy(bound);
}

TEST(test_bound_may_listen_soon, set_up, tear_down)
{
	struct rdma_cm_id *bound;
	struct rdma_cm_id *active = ask_bound(&bound);
	struct seen seen;

	assert_int_equal(rdma_listen(bound, 1), 0);
	seen = next(RDMA_CM_EVENT_CONNECT_REQUEST);
	assert_ptr_equal(seen.event.listen_id, bound);
	assert_int_equal(rdma_reject(seen.event.id, NULL, 0), 0);
	destroy(seen.event.id);
	assert_int_equal(next(RDMA_CM_EVENT_REJECTED).event.status, 28);
	destroy(active);
	destroy(bound);
}

TEST(test_bound_goes, set_up, tear_down)
{
	struct rdma_cm_id *bound;
	struct rdma_cm_id *active = ask_bound(&bound);

	destroy(bound);
	expect_no_service(active);
}

TEST(test_bound_becomes_active, set_up, tear_down)
{
	struct rdma_cm_id *bound;
	struct rdma_cm_id *active = ask_bound(&bound);
	struct sockaddr_in address = ipv4("127.0.0.1", 1);

	assert_int_equal(rdma_resolve_addr(bound, NULL, (struct sockaddr *)&address, RESOLVE_MS), 0);
	assert_ptr_equal(next(RDMA_CM_EVENT_ADDR_RESOLVED).event.id, bound);
	expect_no_service(active);
	destroy(bound);
}

/* A request that finds the backlog full: the first is not read until the second was turned away. */
TEST(test_backlog, set_up, tear_down)
{
	struct rdma_event_channel *first = channel;
	struct rdma_event_channel *second = rdma_create_event_channel();
	struct rdma_conn_param param = {0};
	struct rdma_cm_id *listener, *ids[2];
	struct pollfd ready = {.events = POLLIN};
	struct seen seen;

	assert_non_null(second);
	channel = second;
	listener = listen_on(RDMA_PS_TCP, 1);
	channel = first;
	for (int i = 0; i < 2; i++) {
		ids[i] = resolve(RDMA_PS_TCP, "127.0.0.1", rdma_get_src_port(listener));
		make_qp(ids[i], IBV_QPT_RC);
	}
	assert_int_equal(rdma_connect(ids[0], &param), 0);
	ready.fd = second->fd;
	assert_int_equal(poll(&ready, 1, WAIT_MS), 1);
	assert_int_equal(rdma_connect(ids[1], &param), 0);
	seen = next(RDMA_CM_EVENT_REJECTED);
	assert_ptr_equal(seen.event.id, ids[1]);
	assert_int_equal(seen.event.status, 28);
	channel = second;
	destroy(next(RDMA_CM_EVENT_CONNECT_REQUEST).event.id);
	channel = first;
	assert_ptr_equal(next(RDMA_CM_EVENT_REJECTED).event.id, ids[0]);
	destroy(ids[0]);
	destroy(ids[1]);
	destroy(listener);
	rdma_destroy_event_channel(second);
}

TEST(test_listener_goes_with_requests, set_up, tear_down)
{
	struct rdma_cm_id *listener = listen_on(RDMA_PS_TCP, 4);
	struct rdma_cm_id *active = resolve(RDMA_PS_TCP, "127.0.0.1", rdma_get_src_port(listener));
	struct pollfd ready = {.fd = channel->fd, .events = POLLIN};
	struct rdma_conn_param param = {0};

	make_qp(active, IBV_QPT_RC);
	assert_int_equal(rdma_connect(active, &param), 0);
	assert_int_equal(poll(&ready, 1, WAIT_MS), 1);
	destroy(listener); /* drops the request that nobody read */
	assert_int_equal(next(RDMA_CM_EVENT_REJECTED).event.status, 28);
	nothing_more();
	destroy(active);
}

TEST(test_datagrams, set_up, tear_down)
{
	struct rdma_cm_id *listener = listen_on(RDMA_PS_UDP, 4);
	struct rdma_cm_id *active = resolve(RDMA_PS_UDP, "127.0.0.1", rdma_get_src_port(listener));
	struct rdma_conn_param param = {.private_data = "ud", .private_data_len = 3};
	struct rdma_cm_id *passive;
	struct ibv_ah *ah;
	struct seen seen;

	make_qp(active, IBV_QPT_UD);
	assert_int_equal(rdma_connect(active, &param), 0);
	seen = next(RDMA_CM_EVENT_CONNECT_REQUEST);
	assert_int_equal(seen.event.param.ud.private_data_len, SIDR_REQ_DATA);
	assert_memory_equal(seen.event.param.ud.private_data ? "ud" : "", "ud", 3);
	passive = seen.event.id;
	make_qp(passive, IBV_QPT_UD);
	param.qp_num = passive->qp->qp_num;
	assert_int_equal(rdma_accept(passive, &param), 0);
	seen = next(RDMA_CM_EVENT_ESTABLISHED);
	assert_ptr_equal(seen.event.id, active);
	assert_int_equal(seen.event.param.ud.private_data_len, SIDR_REP_DATA);
	assert_int_equal(seen.event.param.ud.qp_num, passive->qp->qp_num);
	assert_int_equal(seen.event.param.ud.qkey, RDMA_UDP_QKEY);
	ah = ibv_create_ah(active->pd, &seen.event.param.ud.ah_attr);
	assert_non_null(ah);
	ibv_destroy_ah(ah);
	destroy(active);
	destroy(passive);
	destroy(listener);
}

TEST(test_datagrams_rejected, set_up, tear_down)
{
	struct rdma_cm_id *listener = listen_on(RDMA_PS_UDP, 4);
	struct rdma_cm_id *active = resolve(RDMA_PS_UDP, "127.0.0.1", rdma_get_src_port(listener));
	struct rdma_conn_param param = {0};
	struct seen seen;

	make_qp(active, IBV_QPT_UD);
	assert_int_equal(rdma_connect(active, &param), 0);
	seen = next(RDMA_CM_EVENT_CONNECT_REQUEST);
	assert_int_equal(rdma_reject(seen.event.id, NULL, 0), 0);
	destroy(seen.event.id);
	assert_int_equal(next(RDMA_CM_EVENT_UNREACHABLE).event.status, 2);
	destroy(active);
	destroy(listener);
}

TEST(test_bad_calls, set_up, tear_down)
{
	struct rdma_cm_id *id = make_id(RDMA_PS_TCP);
	struct rdma_cm_id *other = make_id(RDMA_PS_TCP);
	struct sockaddr_in here = ipv4("127.0.0.1", 0);
	struct sockaddr_in elsewhere = ipv4("198.51.100.7", 0);
	uint8_t data[REQ_DATA + 1] = {0};
	struct rdma_conn_param param = {.private_data = data, .private_data_len = sizeof(data)};

	assert_int_equal(rdma_bind_addr(id, (struct sockaddr *)&elsewhere), -1);
	assert_int_equal(errno, EADDRNOTAVAIL);
	assert_int_equal(rdma_bind_addr(id, (struct sockaddr *)&here), 0);
	assert_int_equal(rdma_bind_addr(id, (struct sockaddr *)&here), -1);
	assert_int_equal(errno, EINVAL);
	here.sin_port = rdma_get_src_port(id);
	assert_int_equal(rdma_bind_addr(other, (struct sockaddr *)&here), -1);
	assert_int_equal(errno, EADDRINUSE);
	destroy(other);
	other = resolve(RDMA_PS_TCP, "127.0.0.1", here.sin_port);
	make_qp(other, IBV_QPT_RC);
	assert_int_equal(rdma_connect(other, &param), -1);
	assert_int_equal(errno, EINVAL);
	destroy(other);
	destroy(id);
}

TEST(test_other_hosts_are_unreachable, set_up, tear_down)
{
	struct rdma_cm_id *id = make_id(RDMA_PS_TCP);
	struct sockaddr_in elsewhere = ipv4("198.51.100.7", 1);

	assert_int_equal(rdma_resolve_addr(id, NULL, (struct sockaddr *)&elsewhere, RESOLVE_MS), 0);
	assert_int_equal(next(RDMA_CM_EVENT_ADDR_ERROR).event.status, -ENONET);
	destroy(id);
}

TEST(test_ipv6_wildcard_takes_ipv4, set_up, tear_down)
{
	struct sockaddr_in6 any = {.sin6_family = AF_INET6};
	struct rdma_cm_id *listener = make_id(RDMA_PS_TCP);
	struct rdma_cm_id *active, *passive;

	assert_int_equal(rdma_bind_addr(listener, (struct sockaddr *)&any), 0);
	assert_int_equal(rdma_listen(listener, 1), 0);
	connect_both(listener, &active, &passive);
	destroy(active);
	next(RDMA_CM_EVENT_DISCONNECTED);
	destroy(passive);
	destroy(listener);
}

TEST(test_ids_migrate_with_their_events, set_up, tear_down)
{
	struct rdma_event_channel *first = channel;
	struct rdma_event_channel *second = rdma_create_event_channel();
	struct rdma_cm_id *id = make_id(RDMA_PS_TCP);
	struct sockaddr_in address = ipv4("127.0.0.1", 1);

	assert_non_null(second);
	assert_int_equal(rdma_resolve_addr(id, NULL, (struct sockaddr *)&address, RESOLVE_MS), 0);
	assert_int_equal(rdma_migrate_id(id, second), 0);
	nothing_more();
	channel = second;
	assert_ptr_equal(next(RDMA_CM_EVENT_ADDR_RESOLVED).event.id, id);
	destroy(id);
	channel = first;
	rdma_destroy_event_channel(second);
}

/* A peer that came before the id moved, and before it listens, is answered where the id is by then. */
TEST(test_ids_migrate_with_their_peers, set_up, tear_down)
{
	struct rdma_event_channel *first = channel;
	struct rdma_event_channel *second = rdma_create_event_channel();
	struct rdma_cm_id *bound;
	struct rdma_cm_id *active = ask_bound(&bound);
	struct seen seen;

	assert_non_null(second);
	/* librdmacm asks for the peer's id before it shows the request, and waits for another where there is none. */
	assert_int_equal(fcntl(second->fd, F_SETFL, O_NONBLOCK), 0);
	assert_int_equal(rdma_migrate_id(bound, second), 0);
	assert_int_equal(rdma_listen(bound, 1), 0);
	channel = second;
	seen = next(RDMA_CM_EVENT_CONNECT_REQUEST);
	assert_ptr_equal(seen.event.listen_id, bound);
	assert_int_equal(rdma_reject(seen.event.id, NULL, 0), 0);
	destroy(seen.event.id);
	destroy(bound);
	channel = first;
	assert_int_equal(next(RDMA_CM_EVENT_REJECTED).event.status, 28);
	destroy(active);
	rdma_destroy_event_channel(second);
}

/* What librdmacm writes; <rdma/rdma_user_cm.h> can't be had beside <rdma/rdma_cma.h>. */
enum { COMMAND_CREATE_ID = 0, COMMAND_GET_EVENT = 12, COMMAND_WRITE_EVENT = 24 };
enum { EVENT_USER = 18 };

static int command(int fd, uint32_t number, const void *body, size_t size, size_t room)
{
	struct {
		uint32_t number;
		uint16_t in, out;
		uint8_t body[64];
	} message = {.number = number, .in = (uint16_t)size, .out = (uint16_t)room};

	memcpy(message.body, body, size);
	return write(fd, &message, offsetof(typeof(message), body) + size) < 0 ? errno : 0;
}

/* As librdmacm 58 and later do; the one here may not know how. */
TEST(test_a_program_writes_events, set_up, tear_down)
{
	uint32_t id = 0;
	struct {
		uint64_t uid;
		uint32_t id, event, status;
		uint32_t param[100];
	} seen;
	const struct {
		uint64_t uid, response;
		uint16_t port_space;
		uint8_t qp_type, reserved[5];
	} create = {.uid = 77, .response = (uintptr_t)&id, .port_space = RDMA_PS_TCP};
	const struct {
		uint64_t response;
	} get = {(uintptr_t)&seen};
	struct {
		uint32_t id, reserved, event, status;
		uint64_t arg;
	} body = {.event = EVENT_USER, .status = 5, .arg = 0x123456789abcdef0};
	int fd = open("/dev/infiniband/rdma_cm", O_RDWR | O_NONBLOCK);

	assert_true(fd >= 0);
	assert_int_equal(command(fd, COMMAND_CREATE_ID, &create, sizeof(create), sizeof(id)), 0);
	body.id = id + 1;
	assert_int_equal(command(fd, COMMAND_WRITE_EVENT, &body, sizeof(body), 0), ENOENT);
	body.id = id;
	assert_int_equal(command(fd, COMMAND_WRITE_EVENT, &body, sizeof(body), 0), 0);
	assert_int_equal(command(fd, COMMAND_GET_EVENT, &get, sizeof(get), sizeof(seen)), 0);
	assert_int_equal(seen.uid, 77);
	assert_int_equal(seen.id, id);
	assert_int_equal(seen.event, EVENT_USER);
	assert_int_equal(seen.status, 5);
	assert_memory_equal(seen.param, &body.arg, sizeof(body.arg));
	/* What happens to connections only happens. */
	body.event = RDMA_CM_EVENT_ESTABLISHED;
	assert_int_equal(command(fd, COMMAND_WRITE_EVENT, &body, sizeof(body), 0), EINVAL);
	assert_int_equal(command(fd, COMMAND_GET_EVENT, &get, sizeof(get), sizeof(seen)), EAGAIN);
	close(fd);
}

/* PERFTEST_SOFT_FAULT is read when a channel is opened. */
static void fail_next(const char *faults)
{
	setenv("PERFTEST_SOFT_FAULT", faults, 1);
	rdma_destroy_event_channel(rdma_create_event_channel());
	unsetenv("PERFTEST_SOFT_FAULT");
}

TEST(test_calls_fail_on_request, set_up, tear_down)
{
	struct sockaddr_in any = ipv4("0.0.0.0", 0), there = ipv4("127.0.0.1", 1);
	struct rdma_conn_param param = {.retry_count = 1};
	struct rdma_cm_id *id, *listener;

	fail_next("cm_create_id:1,cm_bind_addr:1,cm_listen:1,cm_resolve_addr:1,cm_resolve_route:1,cm_connect:1,"
		  "cm_addr_error:1,cm_route_error:1,cm_unreachable:1,cm_get_event:1");
	errno = 0;
	assert_int_equal(rdma_create_id(channel, &id, NULL, RDMA_PS_TCP), -1);
	assert_int_equal(errno, ENOMEM);
	listener = make_id(RDMA_PS_TCP);
	assert_int_equal(rdma_bind_addr(listener, (struct sockaddr *)&any), -1);
	assert_int_equal(errno, EIO);
	assert_int_equal(rdma_bind_addr(listener, (struct sockaddr *)&any), 0);
	assert_int_equal(rdma_listen(listener, 1), -1);
	assert_int_equal(errno, EIO);
	assert_int_equal(rdma_listen(listener, 1), 0);
	there.sin_port = rdma_get_src_port(listener);
	id = make_id(RDMA_PS_TCP);
	assert_int_equal(rdma_resolve_addr(id, NULL, (struct sockaddr *)&there, RESOLVE_MS), -1);
	assert_int_equal(errno, EIO);
	assert_int_equal(rdma_resolve_addr(id, NULL, (struct sockaddr *)&there, RESOLVE_MS), 0);
	{
		struct rdma_cm_event *event;

		assert_int_equal(rdma_get_cm_event(channel, &event), -1);
		assert_int_equal(errno, EIO);
	}
	assert_int_equal(next(RDMA_CM_EVENT_ADDR_ERROR).event.status, -ETIMEDOUT);
	assert_int_equal(rdma_resolve_addr(id, NULL, (struct sockaddr *)&there, RESOLVE_MS), 0);
	next(RDMA_CM_EVENT_ADDR_RESOLVED);
	assert_int_equal(rdma_resolve_route(id, RESOLVE_MS), -1);
	assert_int_equal(errno, EIO);
	assert_int_equal(rdma_resolve_route(id, RESOLVE_MS), 0);
	assert_int_equal(next(RDMA_CM_EVENT_ROUTE_ERROR).event.status, -ETIMEDOUT);
	assert_int_equal(rdma_resolve_route(id, RESOLVE_MS), 0);
	next(RDMA_CM_EVENT_ROUTE_RESOLVED);
	make_qp(id, IBV_QPT_RC);
	assert_int_equal(rdma_connect(id, &param), -1);
	assert_int_equal(errno, EIO);
	assert_int_equal(rdma_connect(id, &param), 0);
	assert_int_equal(next(RDMA_CM_EVENT_UNREACHABLE).event.status, -ETIMEDOUT);
	assert_int_equal(rdma_connect(id, &param), 0);
	destroy(next(RDMA_CM_EVENT_CONNECT_REQUEST).event.id);
	next(RDMA_CM_EVENT_REJECTED);
	destroy(id);
	destroy(listener);
}

TEST(test_answers_fail_on_request, set_up, tear_down)
{
	struct rdma_conn_param param = {.retry_count = 1};
	struct rdma_cm_id *listener = listen_on(RDMA_PS_TCP, 1);
	struct rdma_cm_id *active = resolve(RDMA_PS_TCP, "127.0.0.1", rdma_get_src_port(listener));
	struct rdma_cm_id *passive;

	fail_next("cm_accept:1,cm_reject:1");
	make_qp(active, IBV_QPT_RC);
	assert_int_equal(rdma_connect(active, &param), 0);
	passive = next(RDMA_CM_EVENT_CONNECT_REQUEST).event.id;
	make_qp(passive, IBV_QPT_RC);
	assert_int_equal(rdma_reject(passive, NULL, 0), -1);
	assert_int_equal(errno, EIO);
	assert_int_equal(rdma_accept(passive, &param), -1);
	assert_int_equal(errno, EIO);
	rdma_destroy_qp(passive);
	assert_int_equal(rdma_reject(passive, NULL, 0), 0);
	next(RDMA_CM_EVENT_REJECTED);
	destroy(passive);
	destroy(active);
	fail_next("cm_disconnect:1");
	connect_both(listener, &active, &passive);
	assert_int_equal(rdma_disconnect(active), -1);
	assert_int_equal(errno, EIO);
	assert_int_equal(rdma_disconnect(active), 0);
	assert_ptr_equal(next(RDMA_CM_EVENT_DISCONNECTED).event.id, passive);
	assert_int_equal(rdma_disconnect(passive), 0);
	assert_ptr_equal(next(RDMA_CM_EVENT_DISCONNECTED).event.id, active);
	destroy(active);
	destroy(passive);
	destroy(listener);
}

TEST(test_groups_and_options_fail_on_request, set_up, tear_down)
{
	struct sockaddr_in any = ipv4("192.0.2.1", 0), group = ipv4("224.1.2.3", 0);
	struct rdma_event_channel *other = rdma_create_event_channel();
	struct rdma_cm_id *id = make_id(RDMA_PS_UDP);
	uint8_t tos = 4;

	assert_non_null(other);
	assert_int_equal(rdma_bind_addr(id, (struct sockaddr *)&any), 0);
	fail_next("cm_set_option:1,cm_migrate_id:1,cm_join_multicast:1");
	assert_int_equal(rdma_set_option(id, RDMA_OPTION_ID, RDMA_OPTION_ID_TOS, &tos, sizeof(tos)), -1);
	assert_int_equal(errno, EIO);
	assert_int_equal(rdma_set_option(id, RDMA_OPTION_ID, RDMA_OPTION_ID_TOS, &tos, sizeof(tos)), 0);
	assert_int_equal(rdma_migrate_id(id, other), -1);
	assert_int_equal(errno, EIO);
	assert_int_equal(rdma_join_multicast(id, (struct sockaddr *)&group, NULL), -1);
	assert_int_equal(errno, EIO);
	nothing_more();
	assert_int_equal(rdma_join_multicast(id, (struct sockaddr *)&group, NULL), 0);
	next(RDMA_CM_EVENT_MULTICAST_JOIN);
	assert_int_equal(rdma_leave_multicast(id, (struct sockaddr *)&group), 0);
	assert_int_equal(rdma_migrate_id(id, other), 0);
	destroy(id);
	rdma_destroy_event_channel(other);
}

TEST(test_does_not_block_on_request, set_up, tear_down)
{
	struct rdma_cm_event *event;

	assert_int_equal(fcntl(channel->fd, F_SETFL, O_NONBLOCK), 0);
	assert_int_equal(rdma_get_cm_event(channel, &event), -1);
	assert_int_equal(errno, EAGAIN);
}

static void on_alarm(int number)
{
}

TEST(test_signals_interrupt_a_wait, set_up, tear_down)
{
	const struct sigaction action = {.sa_handler = on_alarm};
	const struct itimerval often = {{0, 10000}, {0, 10000}}, never = {{0, 0}, {0, 0}};
	struct rdma_cm_event *event;

	assert_int_equal(sigaction(SIGALRM, &action, NULL), 0);
	assert_int_equal(setitimer(ITIMER_REAL, &often, NULL), 0);
	assert_int_equal(rdma_get_cm_event(channel, &event), -1);
	assert_int_equal(errno, EINTR);
	assert_int_equal(setitimer(ITIMER_REAL, &never, NULL), 0);
}

/* A process that accepts one connection and waits to be killed; its port is what it prints. */
static void far_end(void)
{
	struct rdma_cm_id *listener;
	uint16_t port;

	channel = rdma_create_event_channel();
	listener = listen_on(RDMA_PS_TCP, 1);
	port = rdma_get_src_port(listener);
	if (write(STDOUT_FILENO, &port, sizeof(port)) != sizeof(port))
		_exit(1);
	for (;;) {
		struct seen seen = next(RDMA_CM_EVENT_CONNECT_REQUEST);
		struct rdma_conn_param param = {0};

		make_qp(seen.event.id, IBV_QPT_RC);
		if (rdma_accept(seen.event.id, &param))
			_exit(1);
		next(RDMA_CM_EVENT_ESTABLISHED);
		pause();
	}
}

TEST(test_a_process_that_dies_disconnects, set_up, tear_down)
{
	struct rdma_conn_param param = {0};
	struct rdma_cm_id *active;
	uint16_t port;
	int ends[2];
	pid_t child;

	assert_int_equal(pipe(ends), 0);
	child = fork();
	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL); /* also where an assertion below fails */
		dup2(ends[1], STDOUT_FILENO);
		execl("/proc/self/exe", "test_soft_cm", FAR_END, NULL);
		_exit(127);
	}
	close(ends[1]);
	assert_int_equal(read(ends[0], &port, sizeof(port)), sizeof(port));
	active = resolve(RDMA_PS_TCP, "127.0.0.1", port);
	make_qp(active, IBV_QPT_RC);
	assert_int_equal(rdma_connect(active, &param), 0);
	next(RDMA_CM_EVENT_ESTABLISHED);
	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, NULL, 0), child);
	next(RDMA_CM_EVENT_DISCONNECTED);
	destroy(active);
	close(ends[0]);
}

/* What a fork brings along belongs to the parent; the child's calls on it change nothing there. */
TEST(test_a_child_leaves_its_parent_alone, set_up, tear_down)
{
	struct rdma_cm_id *listener = listen_on(RDMA_PS_TCP, 4);
	struct rdma_cm_id *active, *passive;
	int status;
	pid_t child = fork();

	if (child == 0)
		_exit(rdma_listen(listener, 1) == -1 && errno == ENODEV ? 0 : 1);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	nothing_more();
	connect_both(listener, &active, &passive);
	destroy(active);
	next(RDMA_CM_EVENT_DISCONNECTED);
	destroy(passive);
	destroy(listener);
}

TEST(test_only_the_channel_is_disguised, set_up, tear_down)
{
	struct stat status;
	char text[4] = "";
	int ends[2];

	assert_int_equal(fstat(channel->fd, &status), 0);
	assert_true(S_ISCHR(status.st_mode));
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(fstat(ends[0], &status), 0);
	assert_true(S_ISFIFO(status.st_mode));
	assert_int_equal(write(ends[1], "abc", 3), 3);
	assert_int_equal(read(ends[0], text, 3), 3);
	assert_string_equal(text, "abc");
	close(ends[0]);
	close(ends[1]);
	assert_int_equal(access("/dev/infiniband/rdma_cm", R_OK | W_OK), 0);
}

/* Called through pointers of no attribute: the compiler and UBSan know that these functions want a path. */
TEST(test_null_is_no_path, set_up, tear_down)
{
	int (*volatile look)(const char *, int) = access;
	int (*volatile open_by_name)(const char *, int, ...) = open;

	assert_int_equal(look(NULL, F_OK), -1);
	assert_int_equal(errno, EFAULT);
	assert_int_equal(open_by_name(NULL, O_RDONLY), -1);
	assert_int_equal(errno, EFAULT);
}

/* One line on stderr, before the connection is closed. */
static void other_version_is_refused(const struct sockaddr_un *name, socklen_t length)
{
	const uint32_t message[] = {0x50465443, 1, 1};
	const int fd = socket(AF_UNIX, SOCK_SEQPACKET, 0), saved = dup(STDERR_FILENO);
	char line[256] = "";
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	assert_int_equal(connect(fd, (const struct sockaddr *)name, length), 0);
	dup2(ends[1], STDERR_FILENO);
	assert_int_equal(send(fd, message, sizeof(message), MSG_NOSIGNAL), sizeof(message));
	recv(fd, line, 1, 0);
	dup2(saved, STDERR_FILENO);
	close(ends[1]);
	assert_true(read(ends[0], line, sizeof(line) - 1) > 0);
	assert_non_null(strstr(line, "another version of the software device (messages 1, here "));
	assert_ptr_equal(strchr(line, '\n'), line + strlen(line) - 1);
	close(ends[0]);
	close(saved);
	close(fd);
}

/* A process of the same user that knows the socket's name: noise, half a message, and a message too many. */
TEST(test_noise_hurts_nobody, set_up, tear_down)
{
	struct rdma_cm_id *listener = listen_on(RDMA_PS_TCP, 4);
	struct rdma_cm_id *active, *passive;
	struct sockaddr_un name = {.sun_family = AF_UNIX};
	char line[512], wanted[64], found[128] = "";
	uint8_t noise[600];
	FILE *table = fopen("/proc/net/unix", "r");

	assert_non_null(table);
	snprintf(wanted, sizeof(wanted), "/106/%u/", ntohs(rdma_get_src_port(listener)));
	while (fgets(line, sizeof(line), table)) {
		if (strstr(line, "@perftest-soft-cm/") && strstr(line, wanted))
			sscanf(strchr(line, '@') + 1, "%107s", found);
	}
	fclose(table);
	assert_int_not_equal(found[0], '\0');
	memcpy(name.sun_path + 1, found, strlen(found));
	srand(1);
	for (int i = 0; i < 300; i++) {
		int fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);
		size_t length = (size_t)rand() % sizeof(noise);

		assert_int_equal(connect(fd, (struct sockaddr *)&name,
					 (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(found))),
				 0);
		for (size_t n = 0; n < length; n++)
			noise[n] = (uint8_t)rand();
		send(fd, noise, length, MSG_NOSIGNAL);
		if (i % 2)
			send(fd, noise, length, MSG_NOSIGNAL);
		close(fd);
	}
	other_version_is_refused(&name, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(found)));
	connect_both(listener, &active, &passive);
	destroy(active);
	next(RDMA_CM_EVENT_DISCONNECTED);
	destroy(passive);
	destroy(listener);
}

TEST(test_many_ids, set_up, tear_down)
{
	enum { COUNT = 2000 };
	static struct rdma_cm_id *ids[COUNT];

	for (int i = 0; i < COUNT; i++)
		ids[i] = make_id(RDMA_PS_TCP);
	for (int i = 0; i < COUNT; i++)
		destroy(ids[i]);
}

static struct rdma_cm_id *resolve_group(const char *group)
{
	struct rdma_cm_id *id = make_id(RDMA_PS_UDP);
	struct sockaddr_in address = ipv4(group, 0);

	assert_int_equal(rdma_resolve_addr(id, NULL, (struct sockaddr *)&address, RESOLVE_MS), 0);
	assert_ptr_equal(next(RDMA_CM_EVENT_ADDR_RESOLVED).event.id, id);
	assert_int_equal(((struct sockaddr_in *)rdma_get_local_addr(id))->sin_addr.s_addr, htonl(0xc0000201));
	return id;
}

TEST(test_multicast, set_up, tear_down)
{
	struct rdma_cm_id *id = resolve_group("224.1.2.3");
	struct sockaddr_in group = ipv4("224.1.2.3", 0), other = ipv4("239.0.0.1", 0), host = ipv4("127.0.0.1", 0);
	union ibv_gid gid = {.raw = {[10] = 0xff, [11] = 0xff, [12] = 224, 1, 2, 3}};
	struct seen seen;

	make_qp(id, IBV_QPT_UD);
	assert_int_equal(rdma_join_multicast(id, (struct sockaddr *)&host, NULL), -1);
	assert_int_equal(errno, EINVAL);
	nothing_more();
	assert_int_equal(rdma_join_multicast(id, (struct sockaddr *)&group, &group), 0);
	seen = next(RDMA_CM_EVENT_MULTICAST_JOIN);
	assert_ptr_equal(seen.event.id, id);
	assert_ptr_equal(seen.event.param.ud.private_data, &group);
	assert_int_equal(seen.event.param.ud.qp_num, 0xffffff);
	assert_int_equal(seen.event.param.ud.qkey, 0x01234567);
	assert_int_equal(seen.event.param.ud.ah_attr.is_global, 1);
	assert_int_equal(seen.event.param.ud.ah_attr.port_num, 1);
	assert_memory_equal(&seen.event.param.ud.ah_attr.grh.dgid, &gid, sizeof(gid));
	/* librdmacm has attached the queue pair. */
	assert_int_equal(ibv_destroy_qp(id->qp), EBUSY);
	assert_int_equal(rdma_join_multicast(id, (struct sockaddr *)&other, NULL), 0);
	/* One that is left takes its event along. */
	assert_int_equal(rdma_leave_multicast(id, (struct sockaddr *)&group), 0);
	next(RDMA_CM_EVENT_MULTICAST_JOIN);
	nothing_more();
	assert_int_equal(rdma_leave_multicast(id, (struct sockaddr *)&group), -1);
	assert_int_equal(rdma_leave_multicast(id, (struct sockaddr *)&other), 0);
	rdma_destroy_qp(id);
	assert_int_equal(rdma_join_multicast(id, (struct sockaddr *)&group, NULL), 0);
	assert_int_equal(rdma_leave_multicast(id, (struct sockaddr *)&group), 0);
	nothing_more();
	destroy(id);
}

/* rdma_join_multicast_ex(3): librdmacm attaches the queue pair of a full member, not that of one that only sends. */
TEST(test_multicast_send_only, set_up, tear_down)
{
	struct rdma_cm_id *id = resolve_group("224.1.2.3");
	struct sockaddr_in group = ipv4("224.1.2.3", 0);
	struct rdma_cm_join_mc_attr_ex attr = {.comp_mask =
						       RDMA_CM_JOIN_MC_ATTR_ADDRESS | RDMA_CM_JOIN_MC_ATTR_JOIN_FLAGS,
					       .join_flags = RDMA_MC_JOIN_FLAG_SENDONLY_FULLMEMBER,
					       .addr = (struct sockaddr *)&group};
	union ibv_gid gid;

	make_qp(id, IBV_QPT_UD);
	assert_int_equal(rdma_join_multicast_ex(id, &attr, NULL), 0);
	gid = next(RDMA_CM_EVENT_MULTICAST_JOIN).event.param.ud.ah_attr.grh.dgid;
	assert_int_equal(ibv_detach_mcast(id->qp, &gid, 0), EINVAL);
	assert_int_equal(rdma_leave_multicast(id, (struct sockaddr *)&group), 0);
	attr.join_flags = RDMA_MC_JOIN_FLAG_FULLMEMBER;
	assert_int_equal(rdma_join_multicast_ex(id, &attr, NULL), 0);
	next(RDMA_CM_EVENT_MULTICAST_JOIN);
	assert_int_equal(ibv_detach_mcast(id->qp, &gid, 0), 0);
	assert_int_equal(rdma_leave_multicast(id, (struct sockaddr *)&group), 0);
	rdma_destroy_qp(id);
	destroy(id);
}

TEST(test_multicast_takes_datagrams, set_up, tear_down)
{
	struct rdma_cm_id *id = make_id(RDMA_PS_TCP);
	struct sockaddr_in any = ipv4("192.0.2.1", 0), group = ipv4("224.1.2.3", 0);

	assert_int_equal(rdma_bind_addr(id, (struct sockaddr *)&any), 0);
	assert_int_equal(rdma_join_multicast(id, (struct sockaddr *)&group, NULL), -1);
	assert_int_equal(errno, EINVAL);
	destroy(id);
}

/* Leaves this process that many descriptors to open; returns the limit before. */
static struct rlimit leave_descriptors(int count)
{
	const int lowest = dup(STDERR_FILENO);
	struct rlimit before, now;

	assert_true(lowest >= 0);
	assert_int_equal(close(lowest), 0);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	now = before;
	now.rlim_cur = (rlim_t)(lowest + count);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &now), 0);
	return before;
}

#define MAX_OTHERS 8

/* Opens what the kernel says of each thread but this one. */
static size_t others_open(int *others)
{
	DIR *tasks = opendir("/proc/self/task");
	struct dirent *task;
	char name[300];
	size_t count = 0;

	assert_non_null(tasks);
	while ((task = readdir(tasks))) {
		if (task->d_name[0] == '.' || atoi(task->d_name) == getpid())
			continue;
		assert_true(count < MAX_OTHERS);
		snprintf(name, sizeof(name), "/proc/self/task/%s/status", task->d_name);
		others[count] = open(name, O_RDONLY | O_CLOEXEC);
		assert_true(others[count++] >= 0);
	}
	closedir(tasks);
	return count;
}

/* How often they have gone to sleep. */
static long sleeps_of(const int *others, size_t count)
{
	static const char word[] = "\nvoluntary_ctxt_switches:";
	char text[4096];
	long sum = 0;

	for (size_t i = 0; i < count; i++) {
		const ssize_t length = pread(others[i], text, sizeof(text) - 1, 0);
		const char *line;

		assert_true(length > 0);
		text[length] = '\0';
		line = strstr(text, word);
		assert_non_null(line);
		sum += strtol(line + sizeof(word) - 1, NULL, 10);
	}
	return sum;
}

/* The device's service thread ticks for a while after the last request that waited. */
static long sleeps_before(const int *others, size_t count)
{
	long before, sleeps = sleeps_of(others, count);

	do {
		before = sleeps;
		usleep(50000);
		sleeps = sleeps_of(others, count);
	} while (sleeps != before);
	return sleeps;
}

/* A request for which no descriptor is left waits for one, and the thread that would read it sleeps meanwhile. */
TEST(test_descriptors_run_out, set_up, tear_down)
{
	struct rdma_cm_id *listener = listen_on(RDMA_PS_TCP, 4);
	struct rdma_cm_id *active = resolve(RDMA_PS_TCP, "127.0.0.1", rdma_get_src_port(listener));
	struct rdma_conn_param param = {0};
	struct rlimit before;
	int others[MAX_OTHERS];
	size_t count;
	long sleeps;

	make_qp(active, IBV_QPT_RC);
	count = others_open(others);
	before = leave_descriptors(0);
	assert_int_equal(rdma_connect(active, &param), -1);
	assert_int_equal(errno, EMFILE);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	before = leave_descriptors(1);
	sleeps = sleeps_before(others, count);
	assert_int_equal(rdma_connect(active, &param), 0);
	for (int ms = 0; ms < WAIT_MS && sleeps_of(others, count) < sleeps + 10; ms++)
		usleep(1000);
	assert_true(sleeps_of(others, count) >= sleeps + 10);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	destroy(next(RDMA_CM_EVENT_CONNECT_REQUEST).event.id);
	next(RDMA_CM_EVENT_REJECTED);
	while (count)
		close(others[--count]);
	destroy(active);
	destroy(listener);
}

int main(int argc, char **argv)
{
	if (argc == 2 && strcmp(argv[1], FAR_END) == 0)
		far_end();
	return tests_run(NULL, NULL);
}
