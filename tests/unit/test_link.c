// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The conversation of a cluster, from either end, with instances at the other end that lie, flood, stutter or hang. No
 * thread: link_turn() is called, so that each case is deterministic.
 */
#include "cmocka_all.h"

#include <math.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cmtime/link.h"
#include "fuzz/corpus.h"
#include "fuzz/fuzz.h"
#include "made_up_clock.h"
#include "net/tcp.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define MAX_FAR	     80

static struct cmtime_params params;
static struct wakeup wake;
static struct cmtime_rendezvous rendezvous;
static struct cmtime_link *hub;
static int far[MAX_FAR]; /* what is at the other end of each connection; -1 none */

static void pair_open(struct conn *conn, int *fd)
{
	int fds[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, fds), 0);
	assert_int_equal(conn_open_fd(conn, fds[0], "instance"), 0);
	*fd = fds[1];
}

static int begin(void **state)
{
	cmtime_params_init(&params);
	for (unsigned i = 0; i < MAX_FAR; i++)
		far[i] = -1;
	hub = NULL;
	return wakeup_open(&wake);
}

static int end(void **state)
{
	for (unsigned i = 0; i < MAX_FAR; i++)
		if (far[i] >= 0)
			close(far[i]);
	link_close(hub);
	wakeup_close(&wake);
	return 0;
}

/* This is the controller, and a client; all others but the last are, too. */
static void be_controller(uint32_t count)
{
	rendezvous = (struct cmtime_rendezvous){.is_controller = true, .place.count = count, .controller.fd = -1};
	rendezvous.members = calloc(FRAME_MAX_PEERS, sizeof(*rendezvous.members));
	for (uint32_t i = 0; i < count; i++) {
		struct member *member = &rendezvous.members[i];

		member->conn.fd = -1;
		member->join.listens = i + 1 == count;
		snprintf(member->join.host, sizeof(member->join.host), "host%u", i);
		if (i)
			pair_open(&member->conn, &far[i - 1]);
	}
	assert_int_equal(link_make(&hub, &rendezvous, &params, &wake), 0);
}

static void be_member(uint32_t rank, uint32_t count)
{
	rendezvous = (struct cmtime_rendezvous){.place = {.rank = rank, .count = count}};
	pair_open(&rendezvous.controller, &far[0]);
	assert_int_equal(link_make(&hub, &rendezvous, &params, &wake), 0);
}

/* As much of it as the socket takes. */
static size_t say_bytes(unsigned who, const void *bytes, size_t length)
{
	const ssize_t sent = send(far[who], bytes, length, MSG_NOSIGNAL | MSG_DONTWAIT);

	return sent > 0 ? (size_t)sent : 0;
}

static void say(unsigned who, const struct frame *frame)
{
	static uint8_t bytes[MESSAGE_HEADER_SIZE + FRAME_MAX_PAYLOAD];
	const size_t size = frame_encode(frame, bytes, sizeof(bytes));

	assert_int_equal(say_bytes(who, bytes, size), size);
	link_turn(hub, 0);
}

static void say_point(unsigned who, unsigned type, uint32_t point)
{
	const struct frame frame = {.type = type, .point = point};

	say(who, &frame);
}

static void assert_ended(const char *words)
{
	const char *why = link_look(hub).aborted;

	if (!why || !strstr(why, words))
		fail_msg("\"%s\" does not say \"%s\"", why ? why : "nothing", words);
}

/* Newest first: has a frame of that type come to this end? */
static bool was_reported(unsigned who, unsigned type)
{
	static uint8_t bytes[1 << 16];
	const ssize_t got = recv(far[who], bytes, sizeof(bytes), MSG_DONTWAIT);
	struct message_header header;
	const char *fault;

	for (ssize_t at = 0; at + MESSAGE_HEADER_SIZE <= got; at += MESSAGE_HEADER_SIZE + header.length) {
		assert_true(message_peek(&cmtime_messages, bytes + at, (size_t)(got - at), &header, &fault) >= 0);
		if (header.type == type)
			return true;
	}
	return false;
}

static void all_ready(unsigned others)
{
	static const struct frame_self nothing;
	const struct frame ready = {.type = FRAME_READY, .ready.address = {.ss_family = AF_INET}};

	link_ready(hub, &nothing);
	for (unsigned i = 0; i < others; i++)
		say(i, &ready);
	assert_true(link_look(hub).all_ready);
}

/* --- tests --- */

TEST(points_are_released_when_all_have_come, begin, end)
{
	be_controller(3);
	all_ready(2);
	for (uint32_t point = 1; point < 5; point++) {
		link_arrive(hub, point);
		say_point(0, MESSAGE_BARRIER, point);
		assert_false(link_look(hub).released >= point);
		say_point(1, MESSAGE_BARRIER, point);
		assert_true(link_look(hub).released >= point);
		assert_true(was_reported(0, FRAME_RELEASE));
	}
	assert_null(link_look(hub).aborted);
}

/* Two megabytes of it froze the controller: each frame moved all that was behind it, with the lock held. */
/* The list of all, as this end receives it. */
static void take_peers(unsigned who, struct frame_peer *peers, uint32_t count)
{
	static uint8_t bytes[MESSAGE_HEADER_SIZE + FRAME_MAX_PAYLOAD];
	struct frame frame = {.peers.items = peers};
	size_t used = 0;
	struct message_header header;
	const char *fault;
	ssize_t got;
	int whole;

	while (!(whole = message_peek(&cmtime_messages, bytes, used, &header, &fault)) || header.type != FRAME_PEERS) {
		if (whole) { /* ALIVE, on a busy machine */
			used -= MESSAGE_HEADER_SIZE + header.length;
			memmove(bytes, bytes + MESSAGE_HEADER_SIZE + header.length, used);
			continue;
		}
		got = recv(far[who], bytes + used, sizeof(bytes) - used, MSG_DONTWAIT);
		if (got > 0)
			used += (size_t)got;
		else
			link_turn(hub, 0); /* the socket had no room for more */
	}
	assert_int_equal(whole, 1);
	assert_int_equal(frame_decode(&header, bytes + MESSAGE_HEADER_SIZE, &frame, &fault), 0);
	assert_int_equal(frame.peers.count, count);
}

static void say_self(unsigned who, const char *provenance)
{
	struct frame ready = {.type = FRAME_READY, .ready = {.address.ss_family = AF_INET, .version = "7.0"}};

	snprintf(ready.ready.provenance, sizeof(ready.ready.provenance), "%s", provenance);
	say(who, &ready);
}

TEST(all_get_to_know_what_the_others_are, begin, end)
{
	static struct frame_peer peers[FRAME_MAX_PEERS];
	static const struct frame_self self = {.version = "7.1", .provenance = "{\"build\":1}"};

	be_controller(3);
	link_ready(hub, &self);
	say_self(0, "{\"build\":\t2\n}");
	say_self(1, "\x1b[2J");
	for (unsigned i = 0; i < 2; i++) {
		memset(peers, 0, sizeof(peers));
		take_peers(i, peers, 3);
		assert_string_equal(peers[0].self.version, "7.1");
		assert_string_equal(peers[0].self.provenance, "{\"build\":1}");
		assert_string_equal(peers[1].self.version, "7.0");
		assert_string_equal(peers[1].self.provenance, "{\"build\":\t2\n}");
		assert_string_equal(peers[2].self.provenance, "\x1b[2J"); /* provenance_read() judges it */
	}
}

/* The list has a limit, and goes to each of them. */
TEST(what_many_are_the_controller_alone_knows, begin, end)
{
	static struct frame_peer peers[FRAME_MAX_PEERS];
	static const struct frame_self self;
	char text[PROVENANCE_SIZE];
	uint32_t count;

	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	be_controller(MAX_FAR);
	link_ready(hub, &self);
	for (unsigned i = 0; i + 1 < MAX_FAR; i++)
		say_self(i, text);
	take_peers(7, peers, MAX_FAR);
	assert_string_equal(peers[3].host, "host3");
	assert_string_equal(peers[3].self.version, "7.0");
	assert_string_equal(peers[3].self.provenance, "");
	assert_string_equal(link_peers(hub, &count)[3].self.provenance, text);
	assert_int_equal(count, MAX_FAR);
}

TEST(a_flood_of_alive_ends_its_sender, begin, end)
{
	const struct frame alive = {.type = MESSAGE_ALIVE, .step = 3};
	static uint8_t bytes[1 << 16];
	size_t used = 0, size;

	be_controller(3);
	all_ready(2);
	while ((size = frame_encode(&alive, bytes + used, sizeof(bytes) - used)) <= sizeof(bytes) - used)
		used += size;
	say_bytes(0, bytes, used);
	link_turn(hub, 0);
	assert_ended("client 1 (host1): sent an invalid message, its ALIVE at step \"resolve addr\": there are too "
		     "many of them");
	assert_true(was_reported(1, MESSAGE_ABORT));
	assert_int_equal(recv(far[1], bytes, sizeof(bytes), MSG_DONTWAIT), -1); /* it was not hung up on */
}

/* Of one that is at no step. */
TEST(what_is_no_message_is_named, begin, end)
{
	be_controller(2);
	say_bytes(0, (const uint8_t[64]){0xff}, 64);
	link_turn(hub, 0);
	assert_ended("sent an invalid message between two steps: it does not begin like a cmtime message");
}

/* As many as a short run has steps, all at once. */
TEST(some_alive_are_no_flood, begin, end)
{
	struct frame alive = {.type = MESSAGE_ALIVE};

	be_controller(2);
	for (unsigned i = 0; i < 300; i++) {
		alive.step = (uint8_t)(i % STEP_COUNT);
		say(0, &alive);
	}
	assert_null(link_look(hub).aborted);
}

/* Thousands of frames in one read: none of them moves the others. */
TEST(frames_stay_where_they_are, begin, end)
{
	const struct frame alive = {.type = MESSAGE_ALIVE, .step = 3};
	struct message_header header;
	const uint8_t *before = NULL;
	struct conn conn;
	const char *fault;
	uint8_t bytes[64];
	const size_t size = frame_encode(&alive, bytes, sizeof(bytes));
	unsigned frames = 0;

	pair_open(&conn, &far[0]);
	for (unsigned i = 0; i < 100; i++)
		say_bytes(0, bytes, size);
	say_bytes(0, bytes, 5);
	assert_int_equal(conn_fill_all(&conn, FRAME_MAX_SIZE), 0);
	while (message_front(&conn, &cmtime_messages, &header, &fault) > 0) {
		if (before)
			assert_ptr_equal(message_payload(&conn), before + size);
		before = message_payload(&conn);
		message_drop(&conn, &header);
		frames++;
	}
	assert_int_equal(frames, 100);
	assert_int_equal(conn_pending(&conn), 5);
	say_bytes(0, bytes + 5, size - 5);
	assert_int_equal(conn_fill_all(&conn, FRAME_MAX_SIZE), 0);
	assert_int_equal(message_front(&conn, &cmtime_messages, &header, &fault), 1);
	conn_close(&conn);
}

/* Nobody can come to a point that was not released to him, or to one twice. */
TEST(points_out_of_order, NULL, end)
{
	static const uint32_t points[][2] = {{1, 1}, {2, 0}, {0, 0}, {7, 8}, {1, 2}};

	for (size_t i = 0; i < COUNT(points); i++) {
		begin(NULL);
		be_controller(2);
		say_point(0, MESSAGE_BARRIER, points[i][0]);
		if (!link_look(hub).aborted)
			say_point(0, MESSAGE_BARRIER, points[i][1]);
		assert_ended("sent an invalid message, its BARRIER between two steps: it is out of order");
		if (i + 1 < COUNT(points))
			end(NULL);
	}
}

TEST(figures_come_once, begin, end)
{
	static struct latency latency;
	static struct conn_totals totals = {
		.connections = 5, .began_ns = 1, .ended_ns = 1000, .rate.width_ns = RATE_WIDTH_NS};
	struct frame stats = {.type = FRAME_FIGURES, .stats = {.step = STEP_CM_CONNECT, .latency = &latency}};
	const struct frame rates = {.type = FRAME_RATES, .rates = {.sent_ns = 1000, .totals = &totals}};
	const struct conn_stats *merged;
	static struct conn_stats own;

	be_controller(2);
	latency_open(&latency, 0 /* no raw samples */);
	latency_record(&latency, 1000);
	own.totals.rate.width_ns = RATE_WIDTH_NS;
	say(0, &stats);
	stats.stats.measure = MEASURE_SERVICE;
	say(0, &stats);
	say(0, &rates);
	assert_null(link_look(hub).aborted);
	link_deliver(hub, 0, &own);
	assert_true(link_merged(hub, 0, &merged));
	assert_int_equal(merged->steps[STEP_CM_CONNECT].measures[MEASURE_TIME].histogram.count, 1);
	stats.stats.test = 1;
	say(0, &stats);
	assert_null(link_look(hub).aborted);
	say(0, &stats);
	assert_ended("sent an invalid message, its FIGURES between two steps: it came before");
}

/* The highest counts, wherever it comes from, and once. */
TEST(votes_are_added_up, NULL, end)
{
	const struct frame arrived = {.type = MESSAGE_BARRIER, .arrived = {.point = 1, .vote = SERIES_AGAIN}};
	const struct frame released = {.type = FRAME_RELEASE, .arrived = {.point = 1, .vote = SERIES_AGAIN}};

	begin(NULL);
	be_controller(2);
	link_vote(hub, SERIES_ENOUGH);
	link_arrive(hub, 1);
	say(0, &arrived);
	assert_int_equal(link_look(hub).released, 1);
	assert_int_equal(link_look(hub).vote, SERIES_AGAIN);
	link_arrive(hub, 2);
	say_point(0, MESSAGE_BARRIER, 2);
	assert_int_equal(link_look(hub).released, 2);
	assert_int_equal(link_look(hub).vote, SERIES_ENOUGH);
	end(NULL);
	/* a controller that would go on forever */
	begin(NULL);
	be_member(1, 2);
	link_vote(hub, SERIES_NO_MORE);
	link_arrive(hub, 1);
	say(0, &released);
	assert_int_equal(link_look(hub).vote, SERIES_NO_MORE);
}

/* Each measurement of a test is delivered, added up and forgotten. */
TEST(another_measurement_is_delivered_anew, begin, end)
{
	static struct conn_totals totals = {
		.connections = 5, .began_ns = 1, .ended_ns = 1000, .rate.width_ns = RATE_WIDTH_NS};
	const struct frame rates = {.type = FRAME_RATES, .rates = {.sent_ns = 1000, .totals = &totals}};
	const struct conn_stats *merged;
	static struct conn_stats own;

	be_controller(2);
	own.totals.rate.width_ns = RATE_WIDTH_NS;
	for (unsigned i = 0; i < 2; i++) {
		assert_false(link_merged(hub, 0, &merged));
		link_deliver(hub, 0, &own);
		say(0, &rates);
		assert_null(link_look(hub).aborted);
		assert_true(link_merged(hub, 0, &merged));
		link_renew(hub, 0);
	}
}

/* From either end of two, and to the controller of more, once. */
TEST(facts_come_once, NULL, end)
{
	const struct frame facts = {.type = MESSAGE_FACTS, .facts = "cpu=3\n"};
	double connections;

	for (unsigned count = 2; count < 4; count++) {
		for (unsigned is_member = 0; is_member < 2; is_member++) {
			const bool are_mine = count == 2 || !is_member; /* those of the others */

			begin(NULL);
			if (is_member)
				be_member(1, count);
			else
				be_controller(count);
			assert_null(link_facts(hub, 1, &connections));
			link_send_facts(hub, "cpu=4\n");
			link_turn(hub, 0);
			assert_int_equal(was_reported(0, MESSAGE_FACTS), count == 2 || is_member);
			assert_int_equal(link_fd(hub) >= 0, count == 2);
			say(0, &facts);
			if (are_mine) {
				assert_string_equal(link_facts(hub, 1, &connections), "cpu=3\n");
				assert_null(link_look(hub).aborted);
				say(0, &facts);
			}
			assert_ended("it is out of order");
			end(NULL);
		}
	}
	begin(NULL); /* what is closed at the end */
}

/* This instance's clock has not advanced by a second since the run began. */
TEST(figures_that_cannot_be_true, begin, end)
{
	static struct latency latency;
	static struct conn_totals totals = {.rate = {.width_ns = RATE_WIDTH_NS, .used = 1, .counts = {6}}};
	struct frame stats = {.type = FRAME_FIGURES, .stats = {.step = STEP_FULL_CONNECT, .latency = &latency}};
	const struct frame rates = {.type = FRAME_RATES, .rates = {.sent_ns = INT64_MAX / 2, .totals = &totals}};
	const struct {
		uint64_t total_ns, longest_ns, connections, retries, span_ns;
		const char *words;
	} cases[] = {
		{UINT64_MAX, 1000, 6, 0, 1000,
		 "FIGURES between two steps: its time is longer than the test has lasted"},
		{1000000, 3600000000000, 6, 0, 1000,
		 "FIGURES between two steps: its time is longer than the test has lasted"},
		{1000000, 1000, 1ULL << 62, 0, 1000,
		 "RATES between two steps: it has more connections than are possible in this time"},
		{1000000, 1000, 6, UINT64_MAX, 1000,
		 "RATES between two steps: it has more retries than are possible in this time"},
		{1000000, 1000, 6, 0, 3600000000000,
		 "RATES between two steps: its time is longer than the test has lasted"},
		{1000000, 1000, 5, 0, 1000, "RATES between two steps: its intervals have more connections than it has"},
		{1000000, 1000, 6, 0, 5, "RATES between two steps: its connections took less than a nanosecond each"},
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		if (i) {
			end(NULL);
			begin(NULL);
		}
		be_controller(3); /* the last of them is the server */
		latency_open(&latency, 0 /* no raw samples */);
		latency_record(&latency, cases[i].longest_ns);
		stats.stats.total_ns = cases[i].total_ns;
		totals.connections = cases[i].connections;
		totals.retries = cases[i].retries;
		totals.ended_ns = (int64_t)cases[i].span_ns;
		say(0, &stats);
		if (!link_look(hub).aborted)
			say(0, &rates);
		assert_ended(cases[i].words);
	}
}

/* From the first call of the first client to the end of the last, though neither ran as long. */
TEST(clients_that_do_not_overlap_are_not_faster, begin, end)
{
	static const int64_t ms = 1000000, ahead = 7000000000;
	static struct conn_totals totals[2] = {{.connections = 100}, {.connections = 100}}, nothing;
	struct frame frame = {.type = MESSAGE_BARRIER, .arrived.point = 1};
	const struct conn_stats *merged;
	static struct conn_stats own;

	made_up_ns = 1000 * 1000000ULL;
	be_controller(4); /* itself, and the last, have no connections */
	made_up_ns = 2000 * 1000000ULL;
	for (unsigned i = 0; i < 3;
	     i++) { /* the second's clock is another, and its message takes 3 ms; later ones less */
		frame.arrived.sent_ns = i == 1 ? (2000 - 3) * ms + ahead : 2000 * ms;
		say(i, &frame);
	}
	own.totals.rate.width_ns = nothing.rate.width_ns = RATE_WIDTH_NS;
	totals[0] = (struct conn_totals){100, 0, 2000 * ms, 2100 * ms, {RATE_WIDTH_NS, 1, {100}}};
	totals[1] = (struct conn_totals){100, 2, 2300 * ms + ahead, 2500 * ms + ahead, {RATE_WIDTH_NS, 2, {60, 40}}};
	made_up_ns = 3000 * 1000000ULL;
	frame = (struct frame){.type = FRAME_RATES, .rates = {.sent_ns = 2900 * ms, .totals = &totals[0]}};
	say(0, &frame);
	frame.rates.sent_ns = 3000 * ms + ahead;
	frame.rates.totals = &totals[1];
	say(1, &frame);
	frame.rates.totals = &nothing;
	say(2, &frame);
	link_deliver(hub, 0, &own);
	assert_null(link_look(hub).aborted);
	assert_true(link_merged(hub, 0, &merged) && link_merged(hub, 0, &merged)); /* once */
	made_up_ns = 0;
	assert_int_equal(merged->totals.connections, 200);
	assert_int_equal(merged->totals.retries, 2);
	assert_true(fabs(conn_rate_average(&merged->totals) - 200 / 0.5) < 0.1);
	assert_int_equal(merged->totals.rate.used, 5);
	assert_int_equal(merged->totals.rate.counts[0], 100);
	assert_int_equal(merged->totals.rate.counts[3], 60);
	assert_int_equal(merged->totals.rate.counts[4], 40);
}

/* What each end may not say to the other. */
TEST(types_that_are_not_for_this_end, NULL, end)
{
	static struct frame_peer peers[2] = {{.listens = 1, .self.address = {.ss_family = AF_INET}}, {.listens = 0}};
	static struct latency latency = {.min = UINT64_MAX};
	static struct conn_totals totals = {.rate.width_ns = RATE_WIDTH_NS};
	static const struct frame wrong[][2] = {
		/* to the controller, to another */
		{{.type = FRAME_PEERS, .peers = {2, peers}}, {.type = FRAME_FIGURES, .stats = {.latency = &latency}}},
		{{.type = FRAME_RELEASE, .point = 1}, {.type = MESSAGE_BARRIER, .point = 1}},
		{{.type = MESSAGE_HELLO, .join = {.base_qpn = 1}}, {.type = FRAME_RATES, .rates.totals = &totals}},
		{{.type = MESSAGE_REFUSE}, {.type = FRAME_READY}},
		{{.type = MESSAGE_AGREE}, {.type = FRAME_RELEASE, .point = 1}},
	};

	for (size_t i = 0; i < COUNT(wrong); i++) {
		for (unsigned end_of = 0; end_of < 2; end_of++) {
			begin(NULL);
			if (end_of)
				be_member(1, 2);
			else
				be_controller(2);
			say(0, &wrong[i][end_of]);
			assert_ended(": it is out of order");
			if (i + 1 < COUNT(wrong) || !end_of)
				end(NULL);
		}
	}
}

/* A client would divide its connections by the number of servers. */
TEST(peers_that_can_not_be, NULL, end)
{
	static const struct {
		struct frame_peer peers[3];
		uint32_t count;
		const char *fault;
	} cases[] = {
		{{{.listens = 0}, {.listens = 0}}, 2, "it has no server, or no client"},
		{{{.listens = 1, .self.address = {.ss_family = AF_INET}},
		  {.listens = 1, .self.address = {.ss_family = AF_INET}}},
		 2,
		 "it gives this instance another role"},
		{{{.listens = 1}, {.listens = 0}}, 2, "a server has no address"},
		{{{.listens = 1, .self.address = {.ss_family = AF_INET}}, {.listens = 0}, {.listens = 0}},
		 3,
		 "it has another number of instances"},
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct frame frame = {.type = FRAME_PEERS, .peers = {.count = cases[i].count}};

		begin(NULL);
		be_member(1, 2);
		frame.peers.items = (struct frame_peer *)(uintptr_t)cases[i].peers;
		say(0, &frame);
		assert_ended(cases[i].fault);
		assert_false(link_look(hub).all_ready);
		if (i + 1 < COUNT(cases))
			end(NULL);
	}
}

/* The words of an unknown peer in a message reach the terminal as one line of ASCII. */
TEST(reasons_are_harmless, begin, end)
{
	const struct frame frame = {.type = MESSAGE_ABORT,
				    .abort = {.reason = "a\x9b"
							"2J\xc2\x9b"
							"b\n\x1b[0m"}};

	be_controller(2);
	say(0, &frame);
	assert_string_equal(link_look(hub).aborted, "server 1 (host1): a?2J??b??[0m");
}

TEST(the_corpus_is_survived)
{
	assert_true(corpus_replay("fuzz_link", LLVMFuzzerTestOneInput) > 0);
}

/* It is not silent; it only comes no further. */
TEST(one_that_only_lives, begin, end)
{
	const struct frame alive = {.type = MESSAGE_ALIVE, .step = STEP_COUNT};

	params.timeout_s = 1;
	be_controller(3);
	all_ready(2);
	link_arrive(hub, 1);
	say_point(1, MESSAGE_BARRIER, 1);
	while (!link_look(hub).aborted) {
		say(0, &alive);
		say(1, &alive);
		link_turn(hub, 100000000);
	}
	assert_ended("client 1 (host1)");
	assert_ended("has kept the others waiting for 5 s");
}

/* Nobody says anything for a minute in which this instance is stopped, too, and then for as long again. */
TEST(silence_that_was_not_seen, begin, end)
{
	const struct frame alive = {.type = MESSAGE_ALIVE, .step = STEP_COUNT};

	params.timeout_s = 15;
	made_up_ns = 1000 * 1000000000ULL;
	be_controller(3);
	all_ready(2);
	link_arrive(hub, 1);
	say_point(1, MESSAGE_BARRIER, 1);
	made_up_ns += 60 * 1000000000ULL;
	link_turn(hub, 0);
	assert_null(link_look(hub).aborted);
	for (unsigned second = 0; second < 60 && !link_look(hub).aborted; second++) {
		say(1, &alive);
		made_up_ns += 1000000000;
		link_turn(hub, 0);
	}
	made_up_ns = 0;
	assert_ended("client 1 (host1)");
	assert_ended("has been silent for 15 s");
}

TEST_MAIN(NULL, NULL)
