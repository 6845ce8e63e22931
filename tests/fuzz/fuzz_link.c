// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Can instances at the other ends, whatever they say in whatever order, make a controller or a member of a cluster
 * read or write where it must not, hang, believe what can't be, or say what nobody would understand?
 *
 * The first byte says which end this is, and of how many. Then, again and again, a byte that says what happens and
 * to which connection, and what that takes: bytes as they are; a frame with any payload; a frame that is right by
 * itself; something that this end does; the connection's end. `make fuzz_link` builds it with libFuzzer.
 */
#include "fuzz/fuzz.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cmtime/link.h"
#include "fuzz/story.h"
#include "net/tcp.h"

#define MAX_FAR	    3
#define MAX_PAYLOAD 4096

struct scene {
	struct story story;
	struct cmtime_params params;
	struct wakeup wake;
	struct cmtime_link *link;
	uint32_t count; /* of instances */
	int far[MAX_FAR];
	uint8_t unread[MAX_FAR][MESSAGE_HEADER_SIZE + FRAME_MAX_PAYLOAD]; /* what came to each other end */
	size_t num_unread[MAX_FAR];
	uint32_t point;
	struct conn_stats *stats; /* of this end, the same in all scenes */
};

static struct scene scene; /* large */

static void must(int holds)
{
	if (!holds)
		abort();
}

static void pair_open(struct conn *conn, int *fd)
{
	int fds[2];

	must(!socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, fds));
	must(!conn_open_fd(conn, fds[0], "instance"));
	*fd = fds[1];
}

static void scene_open(unsigned kind)
{
	struct cmtime_rendezvous rendezvous = {.place.count = 2 + (kind >> 1) % (MAX_FAR - 1), .controller.fd = -1};

	scene.count = rendezvous.place.count;
	scene.point = 0;
	for (unsigned i = 0; i < MAX_FAR; i++) {
		scene.far[i] = -1;
		scene.num_unread[i] = 0;
	}
	cmtime_params_init(&scene.params);
	scene.params.listen = kind >> 3 & 1;
	must(!wakeup_open(&scene.wake));
	if (kind & 1) {
		rendezvous.place.rank = 1;
		pair_open(&rendezvous.controller, &scene.far[0]);
	} else {
		rendezvous.is_controller = true;
		rendezvous.members = calloc(rendezvous.place.count, sizeof(*rendezvous.members));
		must(rendezvous.members != NULL);
		for (uint32_t i = 0; i < rendezvous.place.count; i++) {
			rendezvous.members[i].conn.fd = -1;
			rendezvous.members[i].join.listens = (kind >> (3 + i)) & 1;
			snprintf(rendezvous.members[i].join.host, sizeof(rendezvous.members[i].join.host), "host%u", i);
			if (i)
				pair_open(&rendezvous.members[i].conn, &scene.far[i - 1]);
		}
	}
	must(!link_make(&scene.link, &rendezvous, &scene.params, &scene.wake));
	if (!scene.stats)
		must(!conn_stats_open(&scene.stats));
}

/* What it says can be understood by whoever hears it. */
static void receive(unsigned who)
{
	uint8_t *bytes = scene.unread[who];
	static struct frame_peer peers[FRAME_MAX_PEERS];
	static struct latency latency;
	static struct conn_totals totals;
	struct message_header header;
	struct frame frame = {0};
	const char *fault;
	ssize_t got;

	while (scene.far[who] >= 0 &&
	       (got = recv(scene.far[who], bytes + scene.num_unread[who],
			   sizeof(scene.unread[who]) - scene.num_unread[who], MSG_DONTWAIT)) > 0) {
		size_t at = 0;

		scene.num_unread[who] += (size_t)got;
		for (;;) {
			const int is_whole =
				message_peek(&cmtime_messages, bytes + at, scene.num_unread[who] - at, &header, &fault);

			must(is_whole >= 0);
			if (!is_whole)
				break;
			frame = (struct frame){0};
			latency_reset(&latency);
			memset(&totals, 0, sizeof(totals));
			if (header.type == FRAME_PEERS)
				frame.peers.items = peers;
			if (header.type == FRAME_FIGURES)
				frame.stats.latency = &latency;
			if (header.type == FRAME_RATES)
				frame.rates.totals = &totals;
			must(!frame_decode(&header, bytes + at + MESSAGE_HEADER_SIZE, &frame, &fault));
			at += MESSAGE_HEADER_SIZE + header.length;
		}
		scene.num_unread[who] -= at;
		memmove(bytes, bytes + at, scene.num_unread[who]);
	}
}

static void say(unsigned who, const struct frame *frame)
{
	static uint8_t bytes[MESSAGE_HEADER_SIZE + FRAME_MAX_PAYLOAD];
	const size_t size = frame_encode(frame, bytes, sizeof(bytes));

	if (scene.far[who] >= 0 && size <= sizeof(bytes))
		(void)!send(scene.far[who], bytes, size, MSG_NOSIGNAL | MSG_DONTWAIT);
}

static void say_raw(unsigned who)
{
	const uint8_t *bytes;
	const size_t length = story_bytes(&scene.story, story_byte(&scene.story), &bytes);

	if (scene.far[who] >= 0 && length)
		(void)!send(scene.far[who], bytes, length, MSG_NOSIGNAL | MSG_DONTWAIT);
}

static void say_payload(unsigned who)
{
	const uint8_t type = story_byte(&scene.story);
	uint8_t frame[MESSAGE_HEADER_SIZE + MAX_PAYLOAD] = {'P', 'F', 'T', 'C', 0, FRAME_VERSION, 0, type};
	const uint8_t *bytes;
	const size_t length = story_bytes(&scene.story, story_number(&scene.story) % MAX_PAYLOAD, &bytes);

	if (length)
		memcpy(frame + MESSAGE_HEADER_SIZE, bytes, length);
	frame[10] = (uint8_t)(length >> 8);
	frame[11] = (uint8_t)length;
	if (scene.far[who] >= 0)
		(void)!send(scene.far[who], frame, MESSAGE_HEADER_SIZE + length, MSG_NOSIGNAL | MSG_DONTWAIT);
}

static void say_peers(unsigned who)
{
	struct frame_peer peers[MAX_FAR + 2] = {{0}};
	const uint8_t roles = story_byte(&scene.story);
	struct frame frame = {.type = FRAME_PEERS,
			      .peers = {.count = 2 + story_byte(&scene.story) % 4, .items = peers}};

	for (uint32_t i = 0; i < frame.peers.count; i++) {
		peers[i].listens = roles >> i & 1;
		peers[i].self.address.ss_family = roles >> 7 ? AF_UNSPEC : roles >> 6 & 1 ? AF_INET6 : AF_INET;
	}
	say(who, &frame);
}

static void say_figures(unsigned who)
{
	static struct latency latency;
	static struct conn_totals totals;
	struct frame frame = {.type = FRAME_FIGURES};
	const uint8_t what = story_byte(&scene.story);

	if (what & 1) {
		frame.stats.test = what >> 1 & 3;
		frame.stats.step = story_byte(&scene.story);
		frame.stats.measure = what >> 3 & 3;
		frame.stats.total_ns = story_number(&scene.story);
		latency_reset(&latency);
		for (unsigned i = what >> 5; i; i--)
			latency_record(&latency, (uint64_t)story_number(&scene.story) << (i * 5));
		frame.stats.latency = &latency;
	} else {
		memset(&totals, 0, sizeof(totals));
		frame.type = FRAME_RATES;
		frame.rates.test = what >> 1 & 3;
		totals.connections = story_number(&scene.story);
		totals.rate.width_ns = (uint64_t)RATE_WIDTH_NS << (story_byte(&scene.story) % 32);
		totals.rate.used = story_number(&scene.story) % (RATE_INTERVALS + 1);
		totals.rate.counts[story_number(&scene.story) % RATE_INTERVALS] = story_number(&scene.story);
		totals.began_ns = story_number(&scene.story);
		totals.ended_ns = totals.began_ns + ((int64_t)story_number(&scene.story) << 10);
		frame.rates.sent_ns = totals.ended_ns + story_number(&scene.story);
		frame.rates.totals = &totals;
	}
	say(who, &frame);
}

static void say_right(unsigned who)
{
	static const unsigned types[] = {MESSAGE_HELLO, MESSAGE_HELLO,	 MESSAGE_AGREE, MESSAGE_REFUSE, FRAME_READY,
					 FRAME_PEERS,	MESSAGE_BARRIER, FRAME_RELEASE, MESSAGE_ALIVE,	FRAME_FIGURES,
					 FRAME_RATES,	MESSAGE_ABORT,	 MESSAGE_FACTS};
	struct frame frame = {.type = types[story_byte(&scene.story) % (sizeof(types) / sizeof(types[0]))]};

	switch (frame.type) {
	case FRAME_READY:
		frame.ready.address.ss_family = story_byte(&scene.story) & 1 ? AF_INET : AF_UNSPEC;
		break;
	case MESSAGE_BARRIER: /* its point is the first member, too */
		frame.arrived.sent_ns = story_number(&scene.story);
		/* fall through */
	case FRAME_RELEASE:
		frame.arrived.vote = story_byte(&scene.story) % (SERIES_NO_MORE + 1);
		frame.point = story_byte(&scene.story);
		if (frame.point == 255)
			frame.point = STAR_LAST_POINT;
		break;
	case MESSAGE_ALIVE:
		frame.step = story_byte(&scene.story);
		break;
	case MESSAGE_ABORT:
		frame.abort.rank = story_byte(&scene.story);
		snprintf(frame.abort.reason, sizeof(frame.abort.reason), "because\x9b");
		break;
	case MESSAGE_FACTS:
		snprintf(frame.facts, sizeof(frame.facts), "cpu=%u\n", story_byte(&scene.story));
		break;
	case FRAME_PEERS:
		say_peers(who);
		return;
	case FRAME_FIGURES:
	case FRAME_RATES:
		say_figures(who);
		return;
	default:
		break;
	}
	if (frame.type)
		say(who, &frame);
}

static void act(void)
{
	const uint8_t what = story_byte(&scene.story);
	const struct frame_self self = {.address.ss_family = what & 0x80 ? AF_INET : AF_UNSPEC, .provenance = "{}"};

	switch (what % 6) {
	case 0:
		link_ready(scene.link, &self);
		break;
	case 1:
		link_arrive(scene.link, ++scene.point);
		break;
	case 2:
		link_at_step(scene.link, what % (STEP_COUNT + 1));
		break;
	case 3:
		link_deliver(scene.link, what >> 7, scene.stats);
		break;
	case 4:
		scene.point = STAR_LAST_POINT - 1;
		link_arrive(scene.link, ++scene.point);
		break;
	default:
		link_abort(scene.link, "this end has had enough");
		break;
	}
}

/* What everybody's samples come to is a distribution, whatever they were. */
static void check_merged(void)
{
	const struct conn_stats *merged;

	for (unsigned test = 0; test < LINK_MAX_TESTS; test++) {
		if (!link_merged(scene.link, test, &merged))
			continue;
		for (unsigned step = 0; step < STEP_COUNT; step++) {
			for (unsigned measure = 0; measure < MEASURE_COUNT; measure++) {
				const struct latency *latency = &merged->steps[step].measures[measure];
				uint64_t count = 0;

				for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++)
					count += latency->histogram.bucket[i];
				must(count == latency->histogram.count);
				must(!count || latency->min <= latency->max);
			}
		}
		must(merged->totals.rate.used <= RATE_INTERVALS);
	}
}

static void check_words(void)
{
	const char *words = link_look(scene.link).aborted;
	const struct frame_peer *peers;
	uint32_t count;

	for (; words && *words; words++)
		must(isprint((unsigned char)*words));
	if (!link_look(scene.link).all_ready)
		return;
	peers = link_peers(scene.link, &count);
	must(count == scene.count);
	for (uint32_t i = 0; i < count; i++)
		for (const char *at = peers[i].host; *at; at++)
			must(isprint((unsigned char)*at));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	scene.story = (struct story){bytes, length};
	scene_open(story_byte(&scene.story));
	while (scene.story.left) {
		const uint8_t what = story_byte(&scene.story);
		const unsigned who = (what >> 4) % MAX_FAR;

		switch (what % 5) {
		case 0:
			say_raw(who);
			break;
		case 1:
			say_payload(who);
			break;
		case 2:
			say_right(who);
			break;
		case 3:
			act();
			break;
		default:
			if (scene.far[who] >= 0 && what >> 7)
				close(scene.far[who]);
			if (what >> 7)
				scene.far[who] = -1;
			break;
		}
		link_turn(scene.link, 0);
		for (unsigned i = 0; i < MAX_FAR; i++)
			receive(i);
	}
	check_words();
	check_merged();
	link_close(scene.link);
	for (unsigned i = 0; i < MAX_FAR; i++)
		if (scene.far[i] >= 0)
			close(scene.far[i]);
	wakeup_close(&scene.wake);
	return 0;
}
