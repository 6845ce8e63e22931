/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * --explain: why is a figure not what it could be? Ranks the causes, a row each in causes.c, for which the facts of
 * both sides are evidence. Pure functions; the programs collect the facts (explainer.h) and describe the test.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "explain/facts.h"
#include "params/engine/advice.h"

#define EXPLAIN_EVIDENCE_SIZE 192

/* The test whose figure is explained, as its program describes it. 0: not known, or not applicable. */
struct explain_test {
	struct advised program; /* whose options advice may name */
	bool is_client;		/* this side */
	bool is_bandwidth;	/* otherwise latency */
	bool is_socket;		/* otherwise RDMA */
	bool is_software;	/* RDMA without an adapter */
	bool waits;		/* for events, by choice */
	bool is_setup;		/* of connections, or of rules: no data moves */
	bool is_connecting;	/* of connections */
	double message_bytes;	/* of a sweep the largest */
	double messages;	/* that this side has counted */
	double packets;		/* of RDMA, with these messages: an interface does not count most of them */
	double message_rate;	/* per second */
	double bandwidth;	/* bytes per second, */
	double possible;	/* ... of these */
	uint32_t queue_pairs;	/* or connections; 0: there can only be one */
	uint32_t depth;		/* bandwidth: messages in flight of all queue pairs */
	uint32_t mtu;		/* bytes of payload in an RDMA packet, and what the port has at most */
	uint32_t most_mtu;
	uint64_t buffer_bytes; /* of the socket, if the user has chosen it */
	const char *without;   /* has_peer false: the last line; NULL: that the other side cannot tell */
};

/* What a cause is looked for in. */
struct view {
	const struct explain_test *test;
	const struct facts *facts; /* of the side that is looked at */
	const struct cause *cause;
};

enum cause_place {
	CAUSE_OF_SIDE, /* looked for on both */
	CAUSE_OF_PATH, /* once, with this side's facts */
	CAUSE_OF_TEST, /* once: what the user has chosen */
};

struct cause {
	const char *name;
	enum cause_place place;
	/*
	 * How much of it there is, in the row's unit, and the evidence as part of a sentence, which is read only above
	 * the threshold. NaN: unknown, or not here.
	 */
	double (*level)(const struct view *view, char evidence[EXPLAIN_EVIDENCE_SIZE]);
	/*
	 * Above it the cause is named: where it begins to cost about 5 % of the figure, so that the causes can be
	 * ranked by how often each contains its threshold; twenty times is all of the figure, and counts as no more.
	 */
	double threshold;
	const char *advice; /* as advice_fit() takes it */
	/* of those that a count is evidence of: */
	enum fact fact;
	enum fact_text counter; /* whose counters these are, in words */
	const char *counted;	/* what of an interface, or of connections: "pause frames" */
	bool is_of_data;	/* and not looked for where none moves */
};

#define CAUSE_LARGEST_RATIO 20

/*
 * Less waiting for a CPU than this names none: two programs that poll may begin on one CPU, and share it for some ticks
 * and slices of 1 to 10 ms each until the kernel moves one of them.
 */
#define CAUSE_LEAST_WAIT_S 0.05

extern const struct cause causes[];
extern const size_t num_causes;

#define EXPLAIN_MOST	  48 /* causes that are named */
#define EXPLAIN_TEXT_SIZE 16384

struct json_t;
struct results;

struct explanation {
	struct explain_test test;
	struct facts facts[2]; /* this side's, and the peer's, */
	bool has_peer;	       /* ... if it has told them */
	unsigned count;
	struct explained {
		const struct cause *cause;
		unsigned side; /* whose facts are the evidence: 0: this one's */
		double level;  /* as in the cause */
		char evidence[EXPLAIN_EVIDENCE_SIZE];
	} list[EXPLAIN_MOST]; /* the likeliest first */
};

/* What qsort() takes: the larger part of the figure first, then in the order of the causes. */
int explained_compare(const struct explained *one, const struct explained *other);
/* What to do about a cause, in the words of the program. Returns text. */
const char *explained_advice(const struct explained *explained, const struct advised *program,
			     char text[EXPLAIN_EVIDENCE_SIZE]);
/* Where it is: "client", "server", "path" or "test". is_client: the side whose facts are the evidence. */
const char *explained_where(const struct explained *explained, bool is_client);
struct json_t *explained_json(const struct explained *explained, const struct advised *program, bool is_client);
/* Lines about what the doctor has found on a side, which add to the text. name: the side's. */
void explain_doctor(const struct diagnosis *doctor, const char *name, char text[EXPLAIN_TEXT_SIZE]);
/* Sets count and list from the other members. */
void explain(struct explanation *explanation);
/* Lines for people, of which the first one names the likeliest cause, or says that there is none; then what the doctor
 * has found. */
void explain_text(const struct explanation *explanation, char text[EXPLAIN_TEXT_SIZE]);
struct json_t *explain_json(const struct explanation *explanation);
/* Both, for what follows the table, and for the document. */
void explain_results(const struct explanation *explanation, struct results *results);
