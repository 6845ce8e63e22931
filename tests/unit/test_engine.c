// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * One instance of cmtime with a scripted connection manager, and other instances that are always at the same step: all
 * steps are timed, resolving is retried, every failure is named.
 */
#include "cmocka_all.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <unistd.h>

#include "cmtime/engine.h"
#include "fake_rdmacm.h"
#include "util/log.h"
#include "verbs/connect/cm.h"

/* --- the link, to nobody --- */

static char abort_reason[FRAME_REASON_SIZE];
static _Atomic uint32_t arrived;
static uint32_t requests_at_start;	/* of clients, to a server */
static uint32_t unknown_peers_at_start; /* before them */
static const char *news;		/* of another instance's end, which comes when this one has failed */
static struct engine engine;

void link_at_step(struct cmtime_link *link, unsigned step)
{
}

void link_arrive(struct cmtime_link *link, uint32_t point)
{
	arrived = point;
	while (unknown_peers_at_start) {
		unknown_peers_at_start--;
		fake_rdmacm_request("PFTC, but other bytes", 21);
	}
	while (requests_at_start) {
		requests_at_start--;
		fake_rdmacm_request(engine.token, sizeof(engine.token));
	}
}

struct link_state link_look(struct cmtime_link *link)
{
	return (struct link_state){.released = arrived, .aborted = atomic_load(&engine.failed) ? news : NULL};
}

void link_abort(struct cmtime_link *link, const char *reason)
{
	snprintf(abort_reason, sizeof(abort_reason), "%s", reason);
}

/* --- an instance --- */

static struct cmtime_params params;
static struct wakeup wake;
static struct conn_stats *stats;

static int begin(void **state)
{
	struct sockaddr_in local = {.sin_family = AF_INET};

	fake_rdmacm_reset();
	abort_reason[0] = '\0';
	news = NULL;
	arrived = 0;
	inet_pton(AF_INET, "10.0.0.2", &local.sin_addr);
	fake_rdmacm.destination = (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons(4711)};
	inet_pton(AF_INET, "10.0.0.1", &fake_rdmacm.destination.sin_addr);
	cmtime_params_init(&params);
	memset(&engine, 0, sizeof(engine));
	engine.params = &params;
	engine.side = &client_side;
	engine.transport = &transport_rdma;
	engine.wake = &wake;
	memcpy(&engine.local, &local, sizeof(local));
	engine.qpn_first = 5000;
	engine.qpn_count = 100;
	frame_token(0x1122334455667788, engine.token);
	requests_at_start = unknown_peers_at_start = 0;
	return wakeup_open(&wake) || conn_stats_open(&stats);
}

static int end(void **state)
{
	engine_close(&engine);
	wakeup_close(&wake);
	conn_stats_close(stats);
	return 0;
}

static void open_client(void)
{
	assert_int_equal(engine_open(&engine), 0);
	engine.servers = calloc(1, sizeof(*engine.servers));
	memcpy(engine.servers, &fake_rdmacm.destination, sizeof(fake_rdmacm.destination));
	engine.num_servers = engine.num_clients = 1;
}

static int run(uint32_t connections, bool makes_qps, bool is_flow)
{
	const struct engine_run what = {
		.per_pair = connections,
		.makes_qps = makes_qps,
		.mimic_us = makes_qps ? -1 : 0,
		.is_flow = is_flow,
		.stats = stats,
	};

	return engine_run(&engine, &what);
}

static uint64_t count_of(enum step step)
{
	return stats->steps[step].measures[MEASURE_TIME].histogram.count;
}

static void assert_failed(const char *words)
{
	if (!strstr(engine_failure(&engine), words))
		fail_msg("\"%s\" does not say \"%s\"", engine_failure(&engine), words);
	assert_string_equal(abort_reason, engine_failure(&engine)); /* the others were told */
}

/* --- tests --- */

TEST(a_client_times_every_step, begin, end)
{
	params.threads = 3;
	open_client();
	assert_int_equal(run(20, true, false), 0);
	for (unsigned step = 0; step < STEP_COUNT; step++)
		assert_int_equal(count_of((enum step)step), 20);
	assert_int_equal(stats->totals.connections, 20);
	assert_int_equal(fake_rdmacm.established, 20);
	assert_int_equal(fake_rdmacm.disconnected, 20);
	assert_int_equal(fake_rdmacm.wrong_destinations, 0);
	assert_int_equal(fake_rdmacm.open_qps, 0);
	assert_int_equal(fake_rdmacm.open_ids, 1); /* the one that holds the device */
	/* What waited for a thread is known where one was waited for. */
	assert_int_equal(stats->steps[STEP_CREATE_QP].measures[MEASURE_QUEUED].histogram.count, 20);
	assert_int_equal(stats->steps[STEP_CM_CONNECT].measures[MEASURE_QUEUED].histogram.count, 20);
	assert_int_equal(stats->steps[STEP_CREATE_ID].measures[MEASURE_QUEUED].histogram.count, 0);
}

TEST(in_a_flow_as_well, begin, end)
{
	params.threads = 4;
	params.window = 3;
	open_client();
	assert_int_equal(run(60, true, true), 0);
	for (unsigned step = 0; step < STEP_COUNT; step++)
		assert_int_equal(count_of((enum step)step), 60);
	assert_int_equal(stats->totals.connections, 60);
	assert_int_equal(fake_rdmacm.open_qps, 0);
	assert_int_equal(fake_rdmacm.open_ids, 1);
}

TEST(a_rate_is_kept, begin, end)
{
	params.rate = 1000;
	open_client();
	assert_int_equal(run(30, true, true), 0);
	assert_int_equal(count_of(STEP_FULL_CONNECT), 30);
	/* The last one was due 29 ms after the first, and a full connect begins when it is due. */
	assert_true(stats->steps[STEP_FULL_CONNECT].total_ns >= 28999000);
}

TEST(one_run_after_the_other, begin, end)
{
	params.window = 2;
	open_client();
	for (unsigned i = 0; i < 20; i++) {
		assert_int_equal(run(5, true, false), 0);
		assert_int_equal(run(5, true, true), 0);
	}
	assert_int_equal(stats->totals.connections, 200);
}

TEST(queue_pairs_that_are_not_made_have_numbers_of_their_own, begin, end)
{
	open_client();
	assert_int_equal(run(10, false, false), 0);
	assert_int_equal(fake_rdmacm.num_qpns, 10);
	for (int i = 0; i < 10; i++) {
		assert_in_range(fake_rdmacm.qpns[i], 5000, 5099);
		for (int k = 0; k < i; k++)
			assert_int_not_equal(fake_rdmacm.qpns[i], fake_rdmacm.qpns[k]);
	}
	assert_int_equal(count_of(STEP_CREATE_QP), 10);
	assert_int_equal(count_of(STEP_RTR_QP_ATTR), 10);
	assert_int_equal(count_of(STEP_DESTROY_QP), 0);
	assert_int_equal(run(10, true, false), 0);
	assert_int_equal(fake_rdmacm.qpns[10], 17); /* those that are made have their own */
}

/* To the server's address each time: a retry that goes nowhere ends at once. */
TEST(resolving_is_tried_again, begin, end)
{
	fake_rdmacm.unresolved_addrs = 2;
	fake_rdmacm.unresolved_routes = 2;
	params.retries = 2;
	open_client();
	assert_int_equal(run(1, true, false), 0);
	assert_int_equal(fake_rdmacm.resolve_addr_calls, 3);
	assert_int_equal(fake_rdmacm.resolve_route_calls, 3);
	assert_int_equal(fake_rdmacm.wrong_destinations, 0);
	assert_int_equal(stats->totals.retries, 4);
	assert_int_equal(count_of(STEP_RESOLVE_ADDR), 1);
}

TEST(resolving_is_given_up, begin, end)
{
	fake_rdmacm.unresolved_addrs = 100;
	params.retries = 2;
	open_client();
	assert_int_equal(run(1, true, false), -ECANCELED);
	assert_failed("resolve addr of connection 1: Connection timed out, after 2 more tries (-r) of 2000 ms (-t)");
	assert_int_equal(fake_rdmacm.resolve_addr_calls, 3);
	assert_int_equal(count_of(STEP_BIND_ADDR), 1); /* what was done is there */
	assert_int_equal(count_of(STEP_RESOLVE_ADDR), 0);
}

TEST(a_route_is_given_up, begin, end)
{
	fake_rdmacm.unresolved_routes = 100;
	params.retries = 0;
	open_client();
	assert_int_equal(run(3, true, false), -ECANCELED);
	assert_failed("resolve route of connection ");
	assert_failed("No route to host, after 0 more tries");
}

TEST(a_rejection_has_its_reason_in_words, begin, end)
{
	fake_rdmacm.reject_status = 8;
	open_client();
	assert_int_equal(run(3, true, false), -ECANCELED);
	assert_failed("cm connect of connection ");
	assert_failed("rejected: no program listens there (invalid service ID): the server is gone (reason 8)");
	assert_int_equal(fake_rdmacm.open_qps, 0);
}

/* With a number that is free again nothing would be won. */
static void make_anew(bool is_flow)
{
	fake_rdmacm.reject_status = CM_REJECTED_STALE;
	fake_rdmacm.rejects = 2;
	fake_rdmacm.reuses_qpns = true;
	params.window = is_flow;
	params.retries = 2;
	open_client();
	assert_int_equal(run(1, true, is_flow), 0);
	assert_int_equal(fake_rdmacm.num_qpns, 3);
	assert_int_not_equal(fake_rdmacm.qpns[0], fake_rdmacm.qpns[1]);
	assert_int_not_equal(fake_rdmacm.qpns[1], fake_rdmacm.qpns[2]);
	assert_int_equal(stats->totals.retries, 2);
	assert_int_equal(stats->totals.connections, 1);
	for (unsigned step = 0; step < STEP_COUNT; step++)
		assert_int_equal(count_of((enum step)step), 1);
	assert_int_equal(fake_rdmacm.open_qps, 0);
	assert_int_equal(fake_rdmacm.open_ids, 1);
}

TEST(a_stale_connection_is_made_anew, begin, end)
{
	make_anew(false);
}

TEST(a_stale_connection_of_a_flow_is_made_anew, begin, end)
{
	make_anew(true);
}

/* Among many, and without queue pairs, where the number is this program's own choice. */
TEST(stale_connections_among_others, begin, end)
{
	fake_rdmacm.reject_status = CM_REJECTED_STALE;
	fake_rdmacm.rejects = 5;
	params.retries = 5;
	params.threads = 3;
	open_client();
	assert_int_equal(run(20, false, false), 0);
	assert_int_equal(stats->totals.connections, 20);
	assert_int_equal(stats->totals.retries, 5);
	assert_int_equal(fake_rdmacm.num_qpns, 25);
	for (int i = 0; i < 25; i++)
		for (int k = 0; k < i; k++)
			assert_int_not_equal(fake_rdmacm.qpns[i], fake_rdmacm.qpns[k]);
	fake_rdmacm.rejects = 30;
	assert_int_equal(run(20, true, true), 0);
	assert_int_equal(stats->totals.connections, 40);
	assert_int_equal(fake_rdmacm.open_qps, 0);
}

/* A phase is over when the next one begins: what a renewed connection does while others connect is in none of them. */
TEST(a_stale_connection_stretches_no_phase, begin, end)
{
	fake_rdmacm.reject_status = CM_REJECTED_STALE;
	fake_rdmacm.rejects = 2;
	params.retries = 2;
	open_client();
	assert_int_equal(run(3, true, false), 0);
	assert_int_equal(stats->totals.retries, 2);
	for (unsigned step = STEP_CREATE_ID; step <= STEP_INIT_QP; step++) {
		const struct span *span = &engine.spans[step];
		const double cycles = (double)(span->last - span->first);

		assert_true(span->first && span->first < span->last);
		assert_true(span->last <= engine.spans[STEP_CM_CONNECT].first);
		assert_int_equal(stats->steps[step].total_ns, (uint64_t)clock_cycles_to_ns(cycles));
	}
}

/* Each attempt has as many tries of resolving as the first. */
TEST(a_stale_connection_has_its_tries_again, begin, end)
{
	fake_rdmacm.reject_status = CM_REJECTED_STALE;
	fake_rdmacm.rejects = 1;
	fake_rdmacm.unresolved_routes = 2;
	fake_rdmacm.resolved_addrs = 1;
	fake_rdmacm.unresolved_addrs = 2;
	params.retries = 2;
	open_client();
	assert_int_equal(run(1, true, false), 0);
	assert_int_equal(stats->totals.retries, 5);
	assert_int_equal(stats->totals.connections, 1);
}

TEST(a_stale_connection_is_given_up, begin, end)
{
	fake_rdmacm.reject_status = CM_REJECTED_STALE;
	params.retries = 2;
	params.window = 1;
	open_client();
	assert_int_equal(run(1, true, true), -ECANCELED);
	assert_failed("rejected: the other side considers it a stale connection with the same QP number");
	assert_int_equal(fake_rdmacm.num_qpns, 3);
	assert_int_equal(fake_rdmacm.open_qps, 0);
}

/* The kernel moves the queue pair of an iWARP connection, and then says ESTABLISHED to both sides. */
TEST(a_client_of_iwarp_has_nothing_left_to_do, begin, end)
{
	fake_rdmacm.is_iwarp = true;
	params.threads = 3;
	params.window = 2;
	open_client();
	assert_true(engine.is_iwarp);
	assert_int_equal(run(10, true, false), 0);
	assert_int_equal(run(10, true, true), 0);
	assert_int_equal(stats->totals.connections, 20);
	assert_int_equal(count_of(STEP_CM_CONNECT), 20);
	assert_int_equal(count_of(STEP_FULL_CONNECT), 20);
	assert_int_equal(count_of(STEP_DISCONNECT), 20);
	assert_int_equal(count_of(STEP_INIT_QP), 20);
	assert_int_equal(count_of(STEP_RTR_QP), 0);
	assert_int_equal(fake_rdmacm.established, 0);
	assert_int_equal(fake_rdmacm.open_qps, 0);
	assert_int_equal(fake_rdmacm.open_ids, 1);
}

TEST(iwarp_connects_no_mere_numbers, begin, end)
{
	fake_rdmacm.is_iwarp = true;
	params.mimic_us = 0;
	assert_int_equal(engine_open(&engine), -EOPNOTSUPP);
	assert_non_null(strstr(engine_failure(&engine), "fake0 is an iWARP device"));
}

TEST(reasons_that_nobody_knows)
{
	char text[200];

	assert_string_equal(transport_reject_text(99, text, sizeof(text)), "reason 99");
	assert_string_equal(transport_reject_text(0, text, sizeof(text)), "reason 0");
	assert_string_equal(transport_reject_text(-ECONNREFUSED, text, sizeof(text)), "Connection refused");
	assert_non_null(strstr(transport_reject_text(28, text, sizeof(text)), "consumer reject"));
}

TEST(the_device_has_no_more_queue_pairs, begin, end)
{
	fake_rdmacm.qps = 7;
	open_client();
	assert_int_equal(run(20, true, false), -ECANCELED);
	assert_failed("create qp of connection 8: Cannot allocate memory: the device or the kernel has no more");
	assert_int_equal(count_of(STEP_CREATE_QP), 7);
	assert_int_equal(count_of(STEP_RESOLVE_ROUTE), 20);
	assert_int_equal(fake_rdmacm.open_qps, 0);
}

TEST(a_server_that_hangs_up_is_not_expected, begin, end)
{
	fake_rdmacm.answers = 1; /* the other one keeps the client from hanging up itself */
	fake_rdmacm.hangs_up = true;
	open_client();
	assert_int_equal(run(2, true, false), -ECANCELED);
	assert_failed("disconnect of connection ");
	assert_failed("the server hung up first");
}

TEST(nothing_moves, begin, end)
{
	params.timeout_s = 1;
	params.listen = true;
	engine.side = &server_side;
	assert_int_equal(engine_open(&engine), 0);
	engine.num_servers = engine.num_clients = 1;
	assert_int_equal(run(5, true, false), -ECANCELED); /* no client comes */
	assert_failed("cm connect: no progress for 1 s, with 0 of 5 done");
}

/* The other side was stopped: the one that only waited for it is not to blame. */
TEST(nothing_moves_for_another_is_silent, begin, end)
{
	params.timeout_s = 1;
	params.listen = true;
	engine.side = &server_side;
	news = "client 1 (alpha): has been silent for 1 s";
	assert_int_equal(engine_open(&engine), 0);
	engine.num_servers = engine.num_clients = 1;
	assert_int_equal(run(5, true, false), -ECANCELED);
	assert_string_equal(engine_failure(&engine), "");
	assert_string_equal(abort_reason, "");
}

static void open_server(void)
{
	struct sockaddr_storage address;

	params.listen = true;
	engine.side = &server_side;
	assert_int_equal(engine_open(&engine), 0);
	assert_int_equal(engine.transport->listen(&engine, &address), 0);
	engine.num_servers = engine.num_clients = 1;
}

/* The clients come when the run has begun, which is when it has arrived at its first point. */
static int serve(uint32_t expected, uint32_t requests)
{
	open_server();
	requests_at_start = requests;
	return run(expected, true, false);
}

/* ESTABLISHED and DISCONNECTED come one behind the other, while a thread may still be accepting. */
TEST(a_server_answers_and_hangs_up, begin, end)
{
	params.threads = 3;
	assert_int_equal(serve(30, 30), 0);
	assert_int_equal(stats->totals.connections, 30);
	assert_int_equal(count_of(STEP_CREATE_QP), 30);
	assert_int_equal(count_of(STEP_RTS_QP), 30);
	assert_int_equal(count_of(STEP_DISCONNECT), 30);
	assert_int_equal(count_of(STEP_DESTROY_QP), 30);
	assert_int_equal(count_of(STEP_CREATE_ID), 0);	/* a server can't know */
	assert_int_equal(count_of(STEP_CM_CONNECT), 0); /* but in total */
	assert_true(stats->steps[STEP_CM_CONNECT].total_ns > 0);
	assert_int_equal(fake_rdmacm.open_qps, 0);
	assert_int_equal(fake_rdmacm.open_ids, 1);
}

TEST(a_server_out_of_queue_pairs, begin, end)
{
	fake_rdmacm.qps = 4;
	assert_int_equal(serve(6, 6), -ECANCELED);
	assert_failed("create qp of connection ");
	assert_failed("Cannot allocate memory");
	assert_int_equal(fake_rdmacm.open_qps, 0);
	assert_int_equal(fake_rdmacm.open_ids, 1);
}

/* The call that finds its client gone says less than the news of that. */
TEST(a_client_that_died_is_named, begin, end)
{
	fake_rdmacm.clients_die = true;
	news = "client 1 (alpha): died or was cut off between two steps";
	assert_int_equal(serve(6, 6), -ECANCELED);
	assert_string_equal(engine_failure(&engine), "");
	assert_string_equal(abort_reason, "");
}

TEST(a_call_that_fails_without_news_is_named, begin, end)
{
	fake_rdmacm.clients_die = true;
	assert_int_equal(serve(6, 6), -ECANCELED);
	assert_failed("cm connect of connection ");
	assert_failed("Invalid argument");
}

/* Whoever else finds the port is refused, and takes nobody's place. */
TEST(a_unknown_peer_is_no_connection, begin, end)
{
	const uint64_t before = log_warning_count();

	unknown_peers_at_start = 3;
	assert_int_equal(serve(6, 6), 0);
	assert_int_equal(stats->totals.connections, 6);
	assert_int_equal(count_of(STEP_DISCONNECT), 6);
	assert_int_equal(fake_rdmacm.open_ids, 1);
	assert_int_equal(log_warning_count(), before); /* it changes no figure */
}

TEST(a_client_says_to_whom_it_belongs, begin, end)
{
	open_client();
	assert_int_equal(run(1, true, false), 0);
	assert_int_equal(fake_rdmacm.private_data_len, FRAME_TOKEN_SIZE);
	assert_memory_equal(fake_rdmacm.private_data, engine.token, FRAME_TOKEN_SIZE);
}

/* Kernels before 4.16 name attributes that a program can't set. */
TEST(the_kernels_own_attributes_are_left_out, begin, end)
{
	open_client();
	assert_int_equal(run(2, true, false), 0);
	assert_int_equal(fake_rdmacm.strange_attributes, 0);
}

TEST(programs_that_are_started_do_not_get_the_event_channel, begin, end)
{
	open_client();
	assert_true(fcntl(fake_rdmacm_channel_fd(), F_GETFD) & FD_CLOEXEC);
	assert_true(fcntl(fake_rdmacm_channel_fd(), F_GETFL) & O_NONBLOCK);
}

/* --- sockets --- */

/* A server of one connection, with pending connections. */
static uint16_t open_socket_server(void)
{
	struct sockaddr_storage address;

	inet_pton(AF_INET, "127.0.0.1", &((struct sockaddr_in *)&engine.local)->sin_addr);
	engine.transport = &transport_sockets;
	params.listen = true;
	engine.side = &server_side;
	assert_int_equal(engine_open(&engine), 0);
	assert_int_equal(engine.transport->listen(&engine, &address), 0);
	engine.num_servers = engine.num_clients = 1;
	return ((struct sockaddr_in *)&address)->sin_port;
}

static int connect_to(uint16_t port, const void *bytes, size_t length)
{
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = port};
	const int fd = socket(AF_INET, SOCK_STREAM, 0);

	inet_pton(AF_INET, "127.0.0.1", &address.sin_addr);
	assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	if (length)
		assert_int_equal(send(fd, bytes, length, MSG_NOSIGNAL), length);
	return fd;
}

static struct run_of_thread {
	uint32_t connections;
	int result;
} threads_run;

static void *run_thread(void *arg)
{
	threads_run.result = run(threads_run.connections, false, false);
	return NULL;
}

/* Guests that are silent, say something else, come and go, or say it in two parts: those that say it count. */
TEST(only_who_knows_the_token_is_a_connection, begin, end)
{
	const uint16_t port = open_socket_server();
	int silent, other, halves, whole;
	pthread_t thread;
	char byte;

	threads_run.connections = 2;
	assert_int_equal(pthread_create(&thread, NULL, run_thread, NULL), 0);
	while (!arrived) /* clients are told then that they may begin */
		sched_yield();
	silent = connect_to(port, "", 0);
	close(connect_to(port, "", 0));
	other = connect_to(port, "GET / HTTP/1.0\r\n\r\n", 18);
	assert_true(recv(other, &byte, 1, 0) <= 0); /* it was hung up on */
	halves = connect_to(port, engine.token, 5);
	whole = connect_to(port, engine.token, sizeof(engine.token));
	assert_int_equal(send(halves, engine.token + 5, sizeof(engine.token) - 5, MSG_NOSIGNAL),
			 sizeof(engine.token) - 5);
	shutdown(halves, SHUT_WR);
	shutdown(whole, SHUT_WR);
	pthread_join(thread, NULL);
	assert_int_equal(threads_run.result, 0);
	assert_string_equal(engine_failure(&engine), "");
	assert_int_equal(stats->totals.connections, 2);
	assert_int_equal(count_of(STEP_DISCONNECT), 2);
	close(silent);
	close(other);
	close(halves);
	close(whole);
}

TEST_MAIN(NULL, NULL)
