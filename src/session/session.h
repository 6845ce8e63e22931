/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The life of every test, in order: parse, meet, agree, open, connect, measure each size,
 * report, close. A program is one static const struct test and a call of session_main().
 */
#ifndef SESSION_SESSION_H
#define SESSION_SESSION_H

#include <stdbool.h>

#include "loops/run.h"
#include "params/programs.h" /* PROGRAM_IB_... */

/* Who runs what while the messages of one size are measured. */
struct test_loops {
	loop_fn active;	 /* the side that posts the measured messages */
	loop_fn passive; /* the other side; NULL: its CPU has no part, it waits and prints the active side's figures */
	loop_fn both;	 /* -b: both sides; NULL where -b does not exist */
	bool passive_reports; /* the passive side measures too and prints its own figures */
	bool arrivals;	      /* messages consume receives at the other end */
};

struct test {
	struct program program;
	struct test_loops plain;
	struct test_loops with_imm; /* --send_with_imm, --write_with_imm; zero where there is none */
	unsigned rtt_factor;	    /* latency: 2 where half a round trip is reported, 1 for a whole one */
};

/* What main() returns: an enum exit_status. */
int session_main(const struct test *test, int argc, char **argv);

#endif
