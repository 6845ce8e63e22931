/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * --explain: why is a figure not what it could be? Ranks the causes (causes.c) for which the facts of both sides are
 * evidence. Pure functions; session and qperf collect the facts (watch.h) and describe the test.
 */
#pragma once

#include "explain/causes.h"

#define EXPLAIN_MOST	  48 /* causes that are named */
#define EXPLAIN_TEXT_SIZE 16384

struct json_t;

struct explanation {
	struct explain_test test;
	struct facts facts[2]; /* this side's, and the peer's, */
	bool has_peer;	       /* ... if it has told them */
	unsigned count;
	struct explained {
		const struct cause *cause;
		unsigned side; /* whose facts are the evidence: index in facts */
		double level;  /* as in the cause */
		char evidence[EXPLAIN_EVIDENCE_SIZE];
	} list[EXPLAIN_MOST]; /* the likeliest first */
};

/* Sets count and list from the other members. */
void explain(struct explanation *explanation);
/* Lines for people, of which the first one names the likeliest cause, or says that there is none. */
void explain_text(const struct explanation *explanation, char text[EXPLAIN_TEXT_SIZE]);
struct json_t *explain_json(const struct explanation *explanation);
