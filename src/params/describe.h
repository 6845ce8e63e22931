/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The command line of an ib_* program: for --help and the document generator. */
#pragma once

#include "params/engine/cli.h"
#include "params/program.h"

#define PROGRAM_PURPOSE_SIZE 64

/* The caller owns purpose, which must stay valid as long as cli. */
void program_describe(const struct program *program, char purpose[PROGRAM_PURPOSE_SIZE], struct cli *cli);
