/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The checks of --doctor beside a test: what this host and device have that could slow it down, and that --explain
 * does not measure itself. Called by session, qperf, cxi_send_bw and cmtime, with --explain.
 */
#pragma once

#include "doctor/options.h"

struct diagnosis;

/*
 * Runs the checks of what may slow down a test, of which none is begun after half a second, or half the time that the
 * peer waits; the diagnosis gets what each has found, in the order of the page. It stays unknown, reported, if there is
 * no such device or port, or no memory. Before the test: a peer that waits too long for it then loses no figures.
 */
void doctor_examine(const struct doctor_options *options, subject_open_as *open, struct diagnosis *diagnosis);
