/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A program of the ib_* family as its user sees it from the outside: for --help and the generator of documents. */
#ifndef PARAMS_DESCRIBE_H
#define PARAMS_DESCRIBE_H

#include "params/cli.h"
#include "params/program.h"

#define PROGRAM_PURPOSE_SIZE 64

/* purpose is the caller's, and stays as long as cli. */
void program_describe(const struct program *program, char purpose[PROGRAM_PURPOSE_SIZE], struct cli *cli);

#endif
