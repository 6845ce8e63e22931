/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * `perftest run -f FILE`: the runs of a file, one after the other, and one document with all of theirs.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "params/engine/cli.h"
#include "util/output.h"

struct batch_params {
	char path[4096];
	uint32_t limit_s; /* for a run */
	struct output_options output;
	bool show_help;
};

/* options.c: in struct batch_params. */
extern const struct cli batch_cli;

/* argv[0] is "run". Returns an enum exit_status. */
int batch_main(int argc, char **argv);
