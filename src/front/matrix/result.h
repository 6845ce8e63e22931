/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What `perftest matrix` has measured, and what follows from it. hub.c fills it in, heatmap.c and export.c print it. */
#pragma once

#include <stdbool.h>
#include <stdio.h>
#include <time.h>

#include "front/figure.h"
#include "front/matrix/matrix.h"
#include "front/matrix/verdict.h"

#define RESULT_NAME_SIZE  (DISPATCH_HOST_SIZE + 16)
#define RESULT_TEXT_SIZE  640
#define RESULT_BEGAN_SIZE 64

struct result_host {
	char name[RESULT_NAME_SIZE];   /* of its own among all: "n07", or "n07/3" */
	char host[DISPATCH_HOST_SIZE]; /* "": it never came */
	char address[DISPATCH_ADDRESS_SIZE];
	char lost[MESSAGE_REASON_SIZE]; /* why it is lost; "": it is not */
	bool interrupted;		/* that is why */
};

/* What is compared: the figure, each of its tails, and what was sent again. */
#define RESULT_LOSS	(1 + FIGURE_TAILS)
#define RESULT_SUBJECTS (RESULT_LOSS + 1)

enum result_state { RESULT_NONE, RESULT_OK, RESULT_FAILED };

/* Of a client and a server, which are adapters. */
struct result_cell {
	enum result_state state;    /* NONE: it is not of the pattern, or its time has not come */
	double value;		    /* OK: in SI units */
	double tails[FIGURE_TAILS]; /* seconds; 0: none */
	double sendings;	    /* as figure_sendings() has it */
	char *reason;	/* FAILED; OK: the limit of the program's own that was missed; NULL: none, or no memory */
	char *document; /* OK: JSON of the client's own, until it has been put out; NULL: none, or no memory */
};

struct result_named {
	struct verdict_finding finding;
	unsigned subject; /* 0: the figure; up to FIGURE_TAILS: of a tail; RESULT_LOSS */
	double alone;	  /* its share of others when both were measured again, alone; NaN: they could not be */
	bool judged;	  /* it has been measured again, or cannot be */
	bool cleared;	  /* alone it was as the others */
	bool is_reported; /* of suspects.c */
};

/* What the pairs of a step have together, in SI units; of steps with as many pairs as any has. */
struct result_together {
	unsigned steps; /* 0: none has several, or it is a time */
	double least, median, most;
};

struct result {
	const struct matrix_params *params;
	unsigned num_hosts;
	struct result_host *hosts;
	unsigned num_adapters;		  /* of all hosts: those of the first one, of the next one, ... */
	struct result_cell *cells;	  /* [client * num_adapters + server] */
	bool *unreached;		  /* [client * num_hosts + server], of hosts: no connection came about */
	const struct figure_kind *figure; /* NULL: nothing was measured */
	struct verdict verdicts[RESULT_SUBJECTS]; /* without findings */
	struct result_named *named;		  /* those of the figure, of loss, of tails; of each the worst first */
	unsigned num_named;
	time_t began; /* of a pass of --every */
	unsigned rounds;
	int64_t spread_ns; /* within which the pairs of a step began, the largest; 0: none did */
	struct result_together together;
	bool interrupted;
};

/* 0 or -ENOMEM. result_close() is allowed even then. */
int result_open(struct result *result, const struct matrix_params *params, unsigned num_hosts);
void result_close(struct result *result);
/* Forgets what was measured. */
void result_reset(struct result *result);
static inline struct result_cell *result_cell(const struct result *result, unsigned client, unsigned server)
{
	return &result->cells[(size_t)client * result->num_adapters + server];
}
/* Of an adapter: the rank of its host. */
static inline unsigned result_rank(const struct result *result, unsigned adapter)
{
	return adapter / result->params->adapters.count;
}
/* "n07", or of one of several adapters "n07:mlx5_0"; valid until the next but seven. */
const char *result_name(const struct result *result, unsigned adapter);
/* From a RESULT with a figure. Forgets what was there before. */
void result_set(struct result_cell *cell, const struct dispatch *ended);
void result_fail(struct result_cell *cell, const char *reason);
/* Larger is better. */
double result_speed(const struct result *result, double value);
/* The same of a cell's subject; NaN: it has none. */
double result_rate(const struct result *result, const struct result_cell *cell, unsigned subject);
/* When the pass of --every began, in UTC, after the text before; "": there is no --every. */
const char *result_began(const struct result *result, const char *before, char text[RESULT_BEGAN_SIZE]);
/* What is usual of a host, in SI units; there is a figure. */
double result_usual(const struct result *result);
/* 0 or -ENOMEM. */
int result_judge(struct result *result);
/* "n07 receives at 41 % of the others (14 of 15 pairs)", "n07 loses 1.8 % more of what it sends than the others ...".
 * Returns text. */
const char *result_describe(const struct result *result, const struct result_named *named, char text[RESULT_TEXT_SIZE]);
static inline bool result_is_tail(const struct result_named *named)
{
	return named->subject && named->subject != RESULT_LOSS;
}
/* What that makes of it: "slow", "lossy", "only beside others". */
const char *result_word(const struct result_named *named);
/* Why nothing was measured: of the first host or pair that failed. */
const char *result_why_none(const struct result *result, char text[RESULT_TEXT_SIZE]);
/* Pairs whose programs missed a limit of their own. */
size_t result_missed(const struct result *result);
/* An enum exit_status. */
int result_status(const struct result *result);

/* heatmap.c: on stdout. */
void heatmap_print(const struct result *result, FILE *out);
/* failures.c: the same for who is lost, and what failed or missed a limit; out NULL: as errors. */
void failures_print(const struct result *result, FILE *out);
/* export.c: the JSON document, as it is measured. 0 or -errno, reported. */
struct envelope;
/* What is known before the first pair; a pair that is over; the rest. */
void export_begin(const struct result *result, struct envelope *envelope);
void export_pair(const struct result *result, struct envelope *envelope, unsigned client, unsigned server);
int export_end(const struct result *result, struct envelope *envelope);
/* What is lost, failed or slow, on stderr, where it is not on stdout. */
void export_report(const struct result *result);
/* The same pair as a line of CSV; export_csv_heading() is the first one. */
void export_csv_heading(const struct result *result, FILE *out);
void export_csv_pair(const struct result *result, unsigned client, unsigned server, FILE *out);

/*
 * suspects.c: is what the verdict suspects slow again when nothing else runs? Each suspect is measured several times, a
 * host with one peer after the other, and each time a pair of hosts that are not suspected, too.
 */
/* Measures a pair alone: its rate for each subject; NaN: it has none. 0 or -EINTR. */
typedef int (*suspects_measure_fn)(void *context, unsigned client, unsigned server, double rates[RESULT_SUBJECTS]);

/*
 * Fills in result->named. What was suspected for a little, and is not slow, is not in it; nor are links whose slow end
 * is. If it was interrupted, the suspects are as they are before they are measured again. 0, -EINTR or -ENOMEM.
 */
int suspects_judge(struct result *result, suspects_measure_fn measure, void *context);
