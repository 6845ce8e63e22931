/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Bytes of a peer or a file in a message, so that they cannot move the cursor or clear the screen. */
#pragma once

#include <stddef.h>

/* At most size - 1 of the bytes: printable ASCII, others as '.'. Returns text. */
const char *printable(const void *bytes, size_t length, char *text, size_t size);
