// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Can whoever connects to a controller, or answers in the place of one, make an instance of cmtime that is looking
 * for the others read or write where it must not, hang, or agree to what its own rules forbid?
 *
 * The first byte says which end this is. To a controller strangers come, speak and leave, as the rest says: a byte
 * for what happens and to whom, then bytes as they are, any payload in a frame, or a JOIN with options as text. To
 * another the rest is what the controller answers. `make fuzz_rendezvous` builds it with libFuzzer.
 */
#include "fuzz/fuzz.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cmtime/rendezvous.h"
#include "fuzz/story.h"
#include "net/tcp.h"
#include "util/log.h"

#define MAX_FAR	    4
#define MAX_PAYLOAD 8192

static struct controller controller; /* large, as the next two */
static struct member members[FRAME_MAX_PEERS];
static uint8_t frame_bytes[MESSAGE_HEADER_SIZE + FRAME_MAX_PAYLOAD];
static int far[MAX_FAR];

static void must(int holds)
{
	if (!holds)
		abort();
}

static void params_open(struct cmtime_params *params, unsigned kind)
{
	cmtime_params_init(params);
	snprintf(params->controller, sizeof(params->controller), "10.0.0.1");
	snprintf(params->bind_address, sizeof(params->bind_address), "10.0.0.2");
	params->listen = kind >> 1 & 1;
	params->sockets = kind >> 2 & 1;
	params->peers = 2 + (kind >> 3 & 3);
	params->join_timeout_s = 1;
	for (unsigned i = 0; i < cmtime_options.num_rows; i++)
		if (strcmp(cmtime_options.rows[i].long_name, "peers") == 0)
			params->given[i] = true;
}

static void send_to(unsigned who, const void *bytes, size_t length)
{
	if (far[who] >= 0 && length)
		(void)!send(far[who], bytes, length, MSG_NOSIGNAL | MSG_DONTWAIT);
}

static void say_payload(struct story *story, unsigned who)
{
	const uint8_t type = story_byte(story);
	uint8_t frame[MESSAGE_HEADER_SIZE + MAX_PAYLOAD] = {'P', 'F', 'T', 'C', 0, FRAME_VERSION, 0, type};
	const uint8_t *bytes;
	const size_t length = story_bytes(story, story_number(story) % MAX_PAYLOAD, &bytes);

	if (length)
		memcpy(frame + MESSAGE_HEADER_SIZE, bytes, length);
	frame[10] = (uint8_t)(length >> 8);
	frame[11] = (uint8_t)length;
	send_to(who, frame, MESSAGE_HEADER_SIZE + length);
}

static void fill_text(struct story *story, char *text, size_t size)
{
	const uint8_t *bytes;
	size_t length = story_bytes(story, story_byte(story), &bytes);

	if (length > size - 1)
		length = size - 1;
	if (length)
		memcpy(text, bytes, length);
	text[length] = '\0';
}

static void send_join(struct story *story, unsigned who)
{
	static struct frame frame;
	size_t size;

	memset(&frame, 0, sizeof(frame));
	frame.type = MESSAGE_HELLO;
	frame.join.listens = story_byte(story) & 1;
	frame.join.base_qpn = 1 + story_number(story) % 0xffffff;
	snprintf(frame.join.host, sizeof(frame.join.host), "other");
	fill_text(story, frame.join.config, sizeof(frame.join.config));
	size = frame_encode(&frame, frame_bytes, sizeof(frame_bytes));
	send_to(who, frame_bytes, size);
}

static void stranger_comes(unsigned who)
{
	int fds[2];

	if (far[who] >= 0)
		close(far[who]);
	must(!socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, fds));
	far[who] = fds[1];
	controller_admit(&controller, fds[0]);
}

/* Each has numbers of its own for queue pairs, and the options are within the rules. */
static void check_begun(const struct cmtime_params *params)
{
	must(!cmtime_rules_check(params));
	for (uint32_t i = 0; i < controller.num_members; i++) {
		must(controller.members[i].place.qpn_first >= 1 && controller.members[i].place.qpn_count >= 1);
		must((uint64_t)controller.members[i].place.qpn_first + controller.members[i].place.qpn_count <=
		     0x1000000);
		for (uint32_t k = 0; k < i; k++)
			must(controller.members[i].place.qpn_first >=
				     controller.members[k].place.qpn_first + controller.members[k].place.qpn_count ||
			     controller.members[k].place.qpn_first >=
				     controller.members[i].place.qpn_first + controller.members[i].place.qpn_count);
	}
}

static void control(struct story *story, unsigned kind)
{
	struct cmtime_params params;
	int ret = 0;

	params_open(&params, kind);
	controller = (struct controller){.params = &params, .members = members};
	memset(members, 0, sizeof(members[0]) * (MAX_FAR + 1));
	controller_prepare(&controller);
	controller_enter(&controller, &params);
	while (story->left && !ret && !controller_is_full(&controller)) {
		const uint8_t what = story_byte(story);
		const unsigned who = (what >> 4) % MAX_FAR;
		const uint8_t *bytes;
		size_t length;

		switch (what % 5) {
		case 0:
			length = story_bytes(story, story_byte(story), &bytes);
			send_to(who, bytes, length);
			break;
		case 1:
			say_payload(story, who);
			break;
		case 2:
			send_join(story, who);
			break;
		case 3:
			stranger_comes(who);
			break;
		default:
			if (far[who] >= 0)
				close(far[who]);
			far[who] = -1;
			break;
		}
		ret = controller_listen(&controller);
		must(controller.num_members <= MAX_FAR * 64 && controller.pending.count <= PENDING_MAX);
	}
	if (!ret && controller_is_full(&controller) && !controller_begin(&controller, &params))
		check_begun(&params);
	for (uint32_t i = 1; i < controller.num_members; i++)
		conn_close(&controller.members[i].conn);
	controller_close(&controller);
}

static void join(struct story *story, unsigned kind)
{
	struct cmtime_rendezvous rendezvous = {.controller.fd = -1};
	struct cmtime_params params;
	const uint8_t *bytes;
	struct wakeup wake;
	size_t length;
	int fds[2];

	params_open(&params, kind);
	must(!wakeup_open(&wake));
	must(!socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, fds));
	far[0] = fds[1];
	must(!conn_open_fd(&rendezvous.controller, fds[0], "controller"));
	if (kind >> 7) {
		while (story->left)
			say_payload(story, 0);
	} else {
		length = story_bytes(story, story->left, &bytes);
		send_to(0, bytes, length);
	}
	shutdown(far[0], SHUT_WR); /* so that nothing is waited for */
	if (!rendezvous_ask(&rendezvous, &params, &wake, deadline_in_ms(1000))) {
		must(rendezvous.place.rank >= 1 && rendezvous.place.rank < rendezvous.place.count &&
		     rendezvous.place.count <= FRAME_MAX_PEERS);
		must(rendezvous.place.qpn_first >= 1 &&
		     (uint64_t)rendezvous.place.qpn_first + rendezvous.place.qpn_count <= 0x1000000);
		must(!cmtime_rules_check(&params));
	}
	rendezvous_close(&rendezvous);
	wakeup_close(&wake);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	struct story story = {bytes, length};
	const uint8_t kind = story_byte(&story);

	for (unsigned i = 0; i < MAX_FAR; i++)
		far[i] = -1;
	if (kind & 1)
		join(&story, kind);
	else
		control(&story, kind);
	for (unsigned i = 0; i < MAX_FAR; i++)
		if (far[i] >= 0)
			close(far[i]);
	for (const char *at = log_last_error(); *at; at++)
		must(isprint((unsigned char)*at));
	return 0;
}
