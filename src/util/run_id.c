// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See run_id.h. */
#include "util/run_id.h"

#include <stdio.h>
#include <string.h>
#include <sys/random.h>

struct run_id run_id_draw(void)
{
	struct run_id id;

	if (getrandom(id.bytes, sizeof(id.bytes), 0) != sizeof(id.bytes))
		return (struct run_id){0};
	id.bytes[6] = 0x40 | (id.bytes[6] & 0x0f);
	id.bytes[8] = 0x80 | (id.bytes[8] & 0x3f);
	return id;
}

bool run_id_is_known(const struct run_id *id)
{
	static const struct run_id none;

	return memcmp(id, &none, sizeof(none)) != 0;
}

const char *run_id_text(const struct run_id *id, char text[RUN_ID_TEXT_SIZE])
{
	char *at = text;

	for (unsigned i = 0; i < sizeof(id->bytes); i++)
		at += sprintf(at, i == 4 || i == 6 || i == 8 || i == 10 ? "-%02x" : "%02x", id->bytes[i]);
	return text;
}
