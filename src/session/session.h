/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The life of every test, in order: parse, meet, agree, open, connect, measure each size,
 * report, close. A program is one static const struct test and a call of session_main().
 */
#ifndef SESSION_SESSION_H
#define SESSION_SESSION_H

#include "loops/run.h"
#include "params/program.h"

struct test {
	struct program program;
	loop_fn active;	       /* the side that posts the measured messages */
	loop_fn passive;       /* the side that answers or counts; NULL: it only waits (one-sided operations) */
	loop_fn bidirectional; /* with -b, both sides; NULL where -b does not exist */
	bool passive_reports;  /* the passive side measures too and prints its own figures */
	unsigned rtt_factor;   /* latency: 2 where half a round trip is reported, 1 for a whole one; 0 otherwise */
};

int session_main(const struct test *test, int argc, char **argv);

#endif
