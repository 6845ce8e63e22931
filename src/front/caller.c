// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See caller.h. */
#include "front/caller.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "cmtime/frame.h"
#include "comm/wire.h"
#include "cxi/control/wire.h"
#include "params/programs.h"
#include "qperf/qperf.h"
#include "util/terminal.h"

/* How clients begin that have no greeting of perftest. HPE's program begins as ours, which is told later. */
static const struct {
	const char *bytes;
	size_t length;
	const char *program;
	enum caller_protocol protocol;
} beginnings[] = {
	{"\x0c\0\0\0cxi_send_bw", 16, "cxi_send_bw", CALLER_CXI},
	{"PFXB", 4, "cxi_send_bw", CALLER_CXI},
	{"PFTC", 4, "cmtime", CALLER_CMTIME},
};

static int recognize_perftest(struct caller_kind *caller, const struct wire_greeting *greeting, char *words,
			      size_t size)
{
	const struct program *program = program_greeting(greeting->program);

	*caller = (struct caller_kind){.protocol = CALLER_PERFTEST};
	if (!greeting->native)
		return 0;
	if (program)
		caller->program = program->name;
	if (program)
		return 0;
	if (greeting->program && greeting->program <= NUM_PROGRAM_IDS)
		snprintf(words, size,
			 "is a raw Ethernet program, whose server needs the addresses of frames: start that one");
	else
		snprintf(words, size, "is a program of this suite that this version does not have (%u)",
			 greeting->program);
	return -EBADMSG;
}

int caller_recognize(struct caller_kind *caller, const uint8_t bytes[CALLER_BYTES], char *words, size_t size)
{
	struct wire_greeting greeting;
	char began[CALLER_BYTES + 1];
	const char *fault;

	for (size_t i = 0; i < sizeof(beginnings) / sizeof(beginnings[0]); i++) {
		if (memcmp(bytes, beginnings[i].bytes, beginnings[i].length) != 0)
			continue;
		*caller = (struct caller_kind){beginnings[i].protocol, beginnings[i].program};
		return 0;
	}
	if (refusal_knows(bytes, CALLER_BYTES)) {
		*caller = (struct caller_kind){CALLER_QPERF, "qperf"};
		return 0;
	}
	if (!wire_greeting_decode(bytes, &greeting, &fault))
		return recognize_perftest(caller, &greeting, words, size);
	snprintf(words, size, "began with \"%s\", as no program of the suite does",
		 printable(bytes, CALLER_BYTES, began, sizeof(began)));
	return -EBADMSG;
}

static void refuse_perftest(int fd, const char *reason)
{
	const struct wire_greeting greeting = {.text = WIRE_GREETING_TEXT,
					       .native = true,
					       .newest = WIRE_NATIVE_VERSION,
					       .oldest = WIRE_NATIVE_VERSION};
	uint8_t answer[WIRE_GREETING_SIZE + MESSAGE_END_SIZE];
	size_t length;

	wire_greeting_encode(&greeting, answer);
	length = message_encode_end(&wire_native, MESSAGE_REFUSE, reason, answer + WIRE_GREETING_SIZE);
	(void)!send(fd, answer, WIRE_GREETING_SIZE + length, MSG_NOSIGNAL | MSG_DONTWAIT);
}

static void refuse_by_message(int fd, const struct message_protocol *protocol, const char *reason)
{
	uint8_t answer[MESSAGE_END_SIZE];
	const size_t length = message_encode_end(protocol, MESSAGE_REFUSE, reason, answer);

	(void)!send(fd, answer, length, MSG_NOSIGNAL | MSG_DONTWAIT);
}

void caller_refuse(const struct caller_kind *caller, int fd, const uint8_t bytes[CALLER_BYTES], const char *reason)
{
	switch (caller->protocol) {
	case CALLER_PERFTEST:
		if (caller->program) /* linux-rdma perftest knows no reasons */
			refuse_perftest(fd, reason);
		break;
	case CALLER_QPERF:
		refusal_send(fd, bytes, CALLER_BYTES, reason);
		break;
	case CALLER_CXI:
		refuse_by_message(fd, &cxi_messages, reason);
		break;
	case CALLER_CMTIME:
		refuse_by_message(fd, &cmtime_messages, reason);
	}
	shutdown(fd, SHUT_WR);
}
