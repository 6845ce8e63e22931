// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * An instance that looks for the others, unexpected processes in place of a controller, and unexpected connections to
 * one.
 */
#include "cmocka_all.h"

#include <sys/socket.h>
#include <unistd.h>

#include "cmtime/rendezvous.h"
#include "fuzz/corpus.h"
#include "fuzz/fuzz.h"
#include "net/tcp.h"
#include "util/log.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static struct cmtime_params params;
static struct cmtime_rendezvous rendezvous;
static struct wakeup wake;
static struct controller controller;
static struct member members[FRAME_MAX_PEERS];
static int far = -1;

static int begin(void **state)
{
	cmtime_params_init(&params);
	snprintf(params.controller, sizeof(params.controller), "10.0.0.1");
	snprintf(params.bind_address, sizeof(params.bind_address), "10.0.0.2");
	rendezvous = (struct cmtime_rendezvous){.controller.fd = -1};
	return wakeup_open(&wake);
}

static int end(void **state)
{
	if (far >= 0)
		close(far);
	far = -1;
	rendezvous_close(&rendezvous);
	wakeup_close(&wake);
	return 0;
}

static void pair_open(int *near)
{
	int fds[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, fds), 0);
	*near = fds[0];
	far = fds[1];
}

static void say(const struct frame *frame)
{
	static uint8_t bytes[MESSAGE_HEADER_SIZE + FRAME_MAX_PAYLOAD];
	const size_t size = frame_encode(frame, bytes, sizeof(bytes));

	assert_int_equal(send(far, bytes, size, MSG_NOSIGNAL), size);
}

/* What the controller's answer comes to. */
static int ask(void)
{
	return rendezvous_ask(&rendezvous, &params, &wake, deadline_in_ms(1000LL * params.join_timeout_s));
}

static void connect_far(void)
{
	int near;

	pair_open(&near);
	assert_int_equal(conn_open_fd(&rendezvous.controller, near, "controller"), 0);
}

static void assert_said(const char *words)
{
	if (!strstr(log_last_error(), words))
		fail_msg("\"%s\" does not say \"%s\"", log_last_error(), words);
}

TEST(a_welcome_is_taken, begin, end)
{
	const struct frame alive = {.type = MESSAGE_ALIVE, .step = STEP_COUNT};
	static const struct frame welcome = {
		.type = MESSAGE_AGREE,
		.welcome = {.place.rank = 3,
			    .place.count = 5,
			    .place.qpn_first = 7,
			    .place.qpn_count = 9,
			    .place.token = 11,
			    .place.run_id = {{12}},
			    .config = "connections=6\n"},
	};

	connect_far();
	say(&alive);
	say(&alive);
	say(&welcome);
	assert_int_equal(ask(), 0);
	assert_int_equal(rendezvous.place.rank, 3);
	assert_int_equal(rendezvous.place.count, 5);
	assert_int_equal(rendezvous.place.qpn_first, 7);
	assert_int_equal(rendezvous.place.qpn_count, 9);
	assert_int_equal(rendezvous.place.token, 11);
	assert_int_equal(rendezvous.place.run_id.bytes[0], 12);
	assert_int_equal(params.connections, 6);
}

/* Lists and figures were written through a pointer that nobody had set. */
TEST(a_controller_that_says_anything_else, NULL, end)
{
	static struct frame_peer peers[2];
	static struct latency latency;
	static struct conn_totals totals = {.rate = {.width_ns = RATE_WIDTH_NS, .used = 3}};
	static const struct frame wrong[] = {
		{.type = FRAME_PEERS, .peers = {2, peers}},
		{.type = FRAME_FIGURES, .stats = {.latency = &latency}},
		{.type = FRAME_RATES, .rates.totals = &totals},
		{.type = MESSAGE_HELLO, .join = {.base_qpn = 1}},
		{.type = FRAME_RELEASE, .point = 1},
		{.type = MESSAGE_ABORT},
	};

	latency_open(&latency, 0 /* no raw samples */);
	latency_record(&latency, 5);
	for (size_t i = 0; i < COUNT(wrong); i++) {
		begin(NULL);
		connect_far();
		say(&wrong[i]);
		assert_int_equal(ask(), -EPROTO);
		assert_said("is not a cmtime controller (it sent neither AGREE nor REFUSE)");
		if (i + 1 < COUNT(wrong))
			end(NULL);
	}
}

TEST(a_controller_that_was_gone_is_looked_for_again, begin, end)
{
	connect_far();
	shutdown(far, SHUT_WR);
	assert_int_equal(ask(), -EAGAIN);
}

TEST(a_controller_that_has_answered_may_take_its_time, begin, end)
{
	const struct frame alive = {.type = MESSAGE_ALIVE, .step = STEP_COUNT};

	params.join_timeout_s = 1;
	connect_far();
	say(&alive);
	assert_int_equal(ask(), -ETIMEDOUT);
	assert_said("timed out after 1 s (--join_timeout) waiting for all instances to join");
}

TEST(what_never_answers_is_no_controller, begin, end)
{
	params.join_timeout_s = 1; /* the shorter limit */
	connect_far();
	assert_int_equal(ask(), -ETIMEDOUT);
	assert_said("has not answered: it is not a controller of this cmtime");
}

/* --- the controller --- */

static void open_controller(void)
{
	memset(members, 0, sizeof(members[0]) * 2);
	controller = (struct controller){.params = &params, .wake = &wake, .members = members};
	params.listen = true;
	controller_prepare(&controller);
	controller_enter(&controller, &params);
}

TEST(a_joiner_gets_an_acknowledgement, begin, end)
{
	static const struct frame join = {.type = MESSAGE_HELLO, .join = {.base_qpn = 5, .host = "other"}};
	struct message_header header;
	uint8_t bytes[MESSAGE_HEADER_SIZE + 1];
	const char *fault;
	int near;

	open_controller();
	pair_open(&near);
	controller_admit(&controller, near);
	say(&join);
	assert_false(controller_is_full(&controller));
	assert_int_equal(controller_listen(&controller), 0);
	assert_true(controller_is_full(&controller));
	assert_int_equal(recv(far, bytes, sizeof(bytes), MSG_DONTWAIT), sizeof(bytes));
	assert_int_equal(message_peek(&cmtime_messages, bytes, sizeof(bytes), &header, &fault), 1);
	assert_int_equal(header.type, MESSAGE_ALIVE);
	assert_int_equal(controller_begin(&controller, &params), 0);
	assert_int_not_equal(controller.members[1].place.token, 0);
	conn_close(&members[1].conn);
	controller_close(&controller);
}

TEST(unknown_peers_are_sent_away_without_a_warning, begin, end)
{
	const size_t before = log_warning_count();
	int near;

	open_controller();
	pair_open(&near);
	controller_admit(&controller, near);
	assert_int_equal(controller_listen(&controller), 0);
	assert_int_equal(controller.pending.count, 1);
	controller.pending.items[0].deadline = deadline_in_ms(0);
	assert_int_equal(controller_listen(&controller), 0);
	assert_int_equal(controller.pending.count, 0);
	assert_int_equal(log_warning_count(), before); /* they change no figure */
	controller_close(&controller);
}

TEST(the_corpus_is_survived)
{
	assert_true(corpus_replay("fuzz_rendezvous", LLVMFuzzerTestOneInput) > 0);
}

TEST_MAIN(NULL, NULL)
