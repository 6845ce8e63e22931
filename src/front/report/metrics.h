/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* `perftest metrics`. */
#pragma once

#include <stdbool.h>

#include "params/engine/cli.h"

struct metrics_params {
	char path[4096]; /* -o; "" stdout */
	bool show_help;
};

/* options.c: in struct metrics_params. */
extern const struct cli metrics_cli;
