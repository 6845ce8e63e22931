/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The client: runs the tests of a command line in order, and prints their results. */
#pragma once

#include "qperf/options/command.h"

/* 0 or -errno, reported; -ERANGE: a result misses a limit. */
int client_main(struct command *command, const struct qperf_params *params);
