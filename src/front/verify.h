/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * `perftest verify`: does a device do what it claims? A row for each claim, which is a pair of runs of the suite's own
 * programs that look at all data. verify.c makes them, verify_print.c says what came of them.
 */
#pragma once

#include "front/launch/child.h"
#include "front/outcome.h"
#include "params/engine/cli.h"
#include "traffic/transport.h"
#include "util/output.h"

#define VERIFY_COMMAND_SIZE 600

struct verify_params {
	char device[64]; /* "": that of the programs */
	uint32_t port;
	char only[128];	   /* rows with this in their name; "": all */
	uint32_t budget_s; /* for all rows */
	uint32_t limit_s;  /* for a row */
	struct output_options output;
	bool show_help;
	/* --- not options --- */
	char **words; /* for all programs */
	unsigned num_words;
};

/* options.c: in struct verify_params. */
extern const struct cli verify_cli;

/* What is done, by which programs of the suite. */
struct verify_verb {
	const char *name;
	const char *bandwidth, *latency; /* programs */
	const char *words;		 /* options; NULL: none */
	bool arrives;			 /* at the other side, which posts receives */
	bool is_read;			 /* from the other side: nothing to send inline */
	bool is_atomic;			 /* of 8 bytes always */
	bool is_variant;		 /* of another one: the basic ways are enough */
};

/* How. */
struct verify_way {
	const char *name;
	const char *size;  /* bytes; not of an atomic operation */
	const char *words; /* options */
	bool basic;	   /* also of variants */
	bool by_latency;   /* by the latency program */
	bool many_packets; /* in a message */
	bool sized;	   /* the size is what it is about */
	bool inlined;
	bool sleeps; /* until a completion */
	bool shares_receives;
	bool old_post; /* ibv_post_send() */
};

struct verify_row {
	const struct verify_verb *verb;
	const struct transport_traits *transport;
	const struct verify_way *way;
	const struct verify_row *first; /* of this verb and transport; itself: this is it */
	struct outcome outcome;
	char command[VERIFY_COMMAND_SIZE]; /* of the server; the client's has a host as well */
	const char *figure;		   /* the key of its value; NULL: none */
	double value;			   /* in SI units */
};

struct verify {
	const struct verify_params *params;
	struct verify_row *rows;
	unsigned num_rows;
	char device[64]; /* as its user or a document names it; "": neither does */
	double seconds;	 /* that it took */
	bool interrupted;
	char failure[TRIAL_REASON_SIZE]; /* why no server could begin; "": one could */
};

/* --- verify_print.c --- */

/* An enum exit_status. */
int verify_status(const struct verify *verify);

void verify_print(const struct verify *verify, FILE *out);
struct envelope;
/* From the program to the end of the document. 0 or -errno, reported. */
int verify_export(const struct verify *verify, struct envelope *envelope);
