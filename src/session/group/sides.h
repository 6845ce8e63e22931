/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Both sides of a measurement, and what they tell each other about it. Called by measure.c. */
#pragma once

#include "session/measure/run_progress.h"

/* Exchanges results: remote is the peer's row, results what both reported, by enum report_side. 0 or -errno, reported.
 */
int session_compare_sides(struct session *session, const struct run *run, struct report_row *local,
			  struct report_row *remote, struct comm_result results[2]);
