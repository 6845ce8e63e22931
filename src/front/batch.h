/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * `perftest run -f FILE`: the runs of a file (batch_file.c), one after the other, and one document with all of theirs.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "front/launch/child.h"
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

/* --- batch_file.c: the file, a run on each line, NAME: PROGRAM [OPTIONS] [HOST] --- */

#define BATCH_MOST_RUNS	 1000
#define BATCH_MOST_WORDS 256 /* of a command line */
#define BATCH_NAME_SIZE	 64  /* with its NUL */

struct batch_run {
	char name[BATCH_NAME_SIZE]; /* no two have the same */
	char *words[BATCH_MOST_WORDS + 1];
	struct child_program program; /* of these words */
	char *text;		      /* of the line, in which they are */
};

struct batch_file {
	struct batch_run *runs;
	unsigned num_runs;
};

/*
 * Reads and checks all of it. host: of those that name none; "": they have both sides here. 0, or -EINVAL, reported as
 * FILE:LINE: ...; to be closed in any case.
 */
int batch_file_read(struct batch_file *file, const char *path, char *host);
void batch_file_close(struct batch_file *file);
