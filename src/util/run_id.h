/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A number that both sides of a run have in their documents: a random UUID (RFC 9562, version 4). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct run_id {
	uint8_t bytes[16]; /* all zero: none */
};

#define RUN_ID_TEXT_SIZE 37

/* None if the kernel has no random numbers: nothing else depends on it. */
struct run_id run_id_draw(void);
bool run_id_is_known(const struct run_id *id);
/* "1b4e28ba-2fa1-41d2-883f-0016d3cca427". Returns text. */
const char *run_id_text(const struct run_id *id, char text[RUN_ID_TEXT_SIZE]);
