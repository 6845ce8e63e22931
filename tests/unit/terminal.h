/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A terminal to write to, and to read what was written. Include config.h first. */
#pragma once

#include <fcntl.h>
#include <poll.h>
#include <termios.h>
#include <unistd.h>

#include "cmocka_all.h"

#define LISTEN_TIMEOUT_MS 5000 /* for output that never arrives */

struct terminal {
	int master;
	int slave;
	char text[4096];
};

static inline struct terminal terminal_open(void)
{
	struct terminal terminal = {.master = posix_openpt(O_RDWR | O_NOCTTY)};
	struct termios raw;

	assert_true(terminal.master >= 0);
	assert_int_equal(grantpt(terminal.master) | unlockpt(terminal.master), 0);
	terminal.slave = open(ptsname(terminal.master), O_RDWR | O_NOCTTY);
	assert_true(terminal.slave >= 0);
	assert_int_equal(tcgetattr(terminal.slave, &raw), 0);
	cfmakeraw(&raw);
	assert_int_equal(tcsetattr(terminal.slave, TCSANOW, &raw), 0);
	return terminal;
}

/* Checks that the output since the last call starts with exactly this; waits until that much was written. */
static inline void terminal_expect(struct terminal *terminal, const char *expected)
{
	struct pollfd look = {.fd = terminal->master, .events = POLLIN};
	const size_t wanted = strlen(expected);
	size_t length = 0;
	ssize_t n;

	assert_true(wanted < sizeof(terminal->text));
	while (length < wanted && poll(&look, 1, LISTEN_TIMEOUT_MS) > 0) {
		n = read(terminal->master, terminal->text + length, wanted - length);
		assert_true(n > 0);
		length += (size_t)n;
	}
	terminal->text[length] = '\0';
	assert_string_equal(terminal->text, expected);
}

/* The output up to a mark that the caller wrote after it; NULL without it. */
static inline const char *terminal_read_to(struct terminal *terminal, char mark)
{
	struct pollfd look = {.fd = terminal->master, .events = POLLIN};
	size_t length = 0;

	while (length < sizeof(terminal->text) - 1 && poll(&look, 1, LISTEN_TIMEOUT_MS) > 0) {
		assert_int_equal(read(terminal->master, terminal->text + length, 1), 1);
		if (terminal->text[length] == mark) {
			terminal->text[length] = '\0';
			return terminal->text;
		}
		length++;
	}
	return NULL;
}

static inline void terminal_close(struct terminal *terminal)
{
	close(terminal->slave);
	close(terminal->master);
}
