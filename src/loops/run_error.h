/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What has a loop seen that can't be? For those who report its failure. */
#ifndef LOOPS_RUN_ERROR_H
#define LOOPS_RUN_ERROR_H

#include <stddef.h>

/* The sentence of what a loop_fn returned; NULL: it is another error. device: its name. Returns text. */
const char *run_error_text(int error, const char *device, char *text, size_t size);

#endif
