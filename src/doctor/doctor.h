/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * --doctor: what on this host and device could make a test slow, or fail? Runs no test, needs no peer, and changes
 * nothing. Called by session instead of a test.
 */
#pragma once

#include "params/perftest_parameters.h"
#include "util/process.h"

/*
 * Prints the page, or the JSON document. EXIT_STATUS_OK: nothing was found; EXIT_STATUS_FINDINGS: something was;
 * EXIT_STATUS_FAILURE, reported: no such device or port, or the output can't be written.
 */
enum exit_status doctor_run(const struct params *params);
