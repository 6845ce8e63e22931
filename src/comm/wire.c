// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The greeting, which the native and the classic format share. */
#include "comm/wire.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/*
 * Classic peers read the first 16 bytes as a C string and convert it with atof(), so what follows the first NUL is
 * ours: the mark, the newest and the oldest native version, and the client's program.
 */
static const char native_mark[8] = {'p', 'e', 'r', 'f', 't', 'e', 's', 't'};

enum {
	MARK_AT = sizeof(WIRE_GREETING_TEXT), /* after the text and its NUL */
	NEWEST_AT = MARK_AT + sizeof(native_mark),
	OLDEST_AT,
	PROGRAM_AT,
};
_Static_assert(PROGRAM_AT + 1 == WIRE_GREETING_SIZE, "a greeting has no room left");

void wire_greeting_encode(const struct wire_greeting *greeting, uint8_t bytes[WIRE_GREETING_SIZE])
{
	memset(bytes, 0, WIRE_GREETING_SIZE);
	memcpy(bytes, greeting->text, strnlen(greeting->text, WIRE_GREETING_SIZE - 1));
	if (!greeting->native)
		return;
	memcpy(bytes + MARK_AT, native_mark, sizeof(native_mark));
	bytes[NEWEST_AT] = greeting->newest;
	bytes[OLDEST_AT] = greeting->oldest;
	bytes[PROGRAM_AT] = greeting->program;
}

/* "6.06" is 606, "6.3" is 630; further digits are ignored. False unless the whole text is such a number. */
static bool version_parse(const char *text, unsigned *version)
{
	static const char digits[] = "0123456789";
	const size_t whole = strspn(text, digits), part = text[whole] == '.' ? strspn(text + whole + 1, digits) : 0;

	if (!whole || whole > 3 || !part || text[whole + 1 + part])
		return false;
	*version = (unsigned)(strtod(text, NULL) * 100 + 1e-6);
	return true;
}

int wire_greeting_decode(const uint8_t bytes[WIRE_GREETING_SIZE], struct wire_greeting *greeting, const char **fault)
{
	struct wire_greeting decoded = {0};

	memcpy(decoded.text, bytes, WIRE_GREETING_SIZE);
	if (!version_parse(decoded.text, &decoded.version)) {
		*fault = "not a version of perftest";
		return -EBADMSG;
	}
	/* Any text of this length may precede the mark: the version that we claim can change. */
	if (strlen(decoded.text) == MARK_AT - 1 && !memcmp(bytes + MARK_AT, native_mark, sizeof(native_mark))) {
		decoded.native = true;
		decoded.newest = bytes[NEWEST_AT];
		decoded.oldest = bytes[OLDEST_AT];
		decoded.program = bytes[PROGRAM_AT];
		if (decoded.oldest == 0 || decoded.oldest > decoded.newest) {
			*fault = "impossible range of protocol versions";
			return -EBADMSG;
		}
	}
	memset(decoded.text + strlen(decoded.text), 0, sizeof(decoded.text) - strlen(decoded.text));
	*greeting = decoded;
	return 0;
}
