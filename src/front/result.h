/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What `perftest matrix` has measured, and what follows from it. hub.c fills it in, heatmap.c and export.c print it. */
#ifndef FRONT_RESULT_H
#define FRONT_RESULT_H

#include <stdbool.h>
#include <stdio.h>

#include "front/figure.h"
#include "front/matrix.h"
#include "front/verdict.h"

#define RESULT_NAME_SIZE (DISPATCH_HOST_SIZE + 16)
#define RESULT_TEXT_SIZE 512

struct result_host {
	char name[RESULT_NAME_SIZE];   /* of its own among all: "n07", or "n07/3" */
	char host[DISPATCH_HOST_SIZE]; /* "": it never came */
	char address[DISPATCH_ADDRESS_SIZE];
	char lost[DISPATCH_REASON_SIZE]; /* why it is lost; "": it is not */
	bool interrupted;		 /* that is why */
};

enum result_state { RESULT_NONE, RESULT_OK, RESULT_FAILED };

/* Of a client and a server. */
struct result_cell {
	enum result_state state; /* NONE: it is not of the pattern, or its time has not come */
	double value;		 /* OK: in SI units */
	char *reason;	   /* FAILED; OK: the limit of the program's own that was missed; NULL: none, or no memory */
	char *measurement; /* OK: JSON, or NULL */
};

struct result_named {
	struct verdict_finding finding;
	double alone; /* its share when it was measured again alone; NaN: it could not be */
	bool cleared; /* alone it was as the others */
};

struct result {
	const struct matrix_params *params;
	unsigned num_hosts;
	struct result_host *hosts;
	struct result_cell *cells;	  /* [client * num_hosts + server] */
	const struct figure_kind *figure; /* NULL: nothing was measured */
	struct verdict verdict;
	struct result_named *named; /* as the verdict's findings */
	unsigned rounds;
	bool interrupted;
};

/* 0 or -ENOMEM. result_close() is allowed even then. */
int result_open(struct result *result, const struct matrix_params *params, unsigned num_hosts);
void result_close(struct result *result);
static inline struct result_cell *result_cell(const struct result *result, unsigned client, unsigned server)
{
	return &result->cells[(size_t)client * result->num_hosts + server];
}
/* Forgets what was there before. missed: "" or the missed limit; measurement: copied, may be NULL. */
void result_set(struct result_cell *cell, double value, const char *missed, const char *measurement, size_t length);
void result_fail(struct result_cell *cell, const char *reason);
/* Larger is better. */
double result_speed(const struct result *result, double value);
/* What is usual of a host, in SI units; there is a figure. */
double result_usual(const struct result *result);
/* 0 or -ENOMEM. */
int result_judge(struct result *result);
/* "n07 receives at 41 % of the others (14 of 15 pairs)". Returns text. */
const char *result_describe(const struct result *result, const struct result_named *named, char text[RESULT_TEXT_SIZE]);
/* Why nothing was measured: of the first host or pair that failed. */
const char *result_why_none(const struct result *result, char text[RESULT_TEXT_SIZE]);
/* Pairs whose programs missed a limit of their own. */
size_t result_missed(const struct result *result);
/* An enum exit_status. */
int result_status(const struct result *result);

/* heatmap.c: on stdout. A sentence is folded where a person reads it. */
void sentence_print(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
void heatmap_print(const struct result *result, FILE *out);
/* export.c: the JSON document. 0 or -errno, reported. */
struct envelope;
const char *export_status_word(int status);
int export_write(const struct result *result, struct envelope *envelope);

#endif
