/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The checks of --doctor beside a test: what this host and device have that could slow it down, and that --explain
 * does not measure itself. Called by session, qperf, cxi_send_bw and cmtime, with --explain.
 */
#pragma once

#include "doctor/options.h"

/* Of what is worth a look: the check's name, what was seen, and what to do about it, or "". */
typedef void doctor_found(void *owner, const char *check, const char *text, const char *advice);

/*
 * Runs the checks of what may slow down a test, of which none is begun after half a second, or half the time that the
 * peer waits, and calls found() for each that found something, in the order of the page. 0; or -errno, reported: no
 * such device or port, or no memory.
 */
int doctor_examine(const struct doctor_options *options, subject_open_as *open, doctor_found *found, void *owner);
