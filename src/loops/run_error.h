/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The impossible things that a loop may have detected, as text for the code that reports its failure. */
#pragma once

#include <stddef.h>

/* The sentence for a loop_fn's return value; NULL: it is another error. device: its name. Returns text. */
const char *run_error_text(int error, const char *device, char *text, size_t size);
