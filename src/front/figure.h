/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The figures of a program's JSON document, for the commands that compare or judge them. Pure functions on documents.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/* A kind of figure; the messages between instances have its index. */
struct figure_kind {
	const char *key;    /* of a measurement, or of a member of it */
	const char *name;   /* for people */
	bool lower_is_best; /* a time */
	bool is_spare;	    /* says little that those above it do not */
	double to_si;	    /* what a value of the document is in bytes or messages per second, or seconds */
	double to_shown;    /* and what that is as it is printed ... */
	const char *unit;   /* ... in this unit */
	const char *in;	    /* the member: an object, or the array of percentiles; NULL: none */
	double percent;	    /* which of the percentiles */
};

extern const struct figure_kind figure_kinds[];
extern const uint8_t figure_num_kinds;

/* The n-th result of the document, borrowed; NULL: there are fewer. Halves, threads and intervals are none. */
json_t *figure_result(const json_t *document, unsigned n);
/* The same, where several runs of a test of qperf are one row, that of what they have in common. */
json_t *figure_row(const json_t *document, unsigned n);
/* The one that stands for all: the last, as that of the largest size; of the steps of cmtime that of the whole. */
json_t *figure_main(const json_t *document);
/* Why there is nothing to compare: no result, or one that was cut short; NULL: there is. */
const char *figure_fault(const json_t *document);
/* In SI units; NaN: the measurement has none of this kind. */
double figure_read(const json_t *measurement, const struct figure_kind *kind);

/* The percentiles of times that `perftest matrix` compares beside the typical one. */
#define FIGURE_TAILS 2
extern const double figure_tails[FIGURE_TAILS];
/* In seconds; 0: the measurement has none. */
double figure_tail(const json_t *measurement, unsigned tail);
/*
 * How often each part of what was sent went out, on average, by what both sides saw (--explain): 1.02 if 2 % had to be
 * sent again. The parts are TCP's segments, or else the packets of an RDMA device that counts retransmissions. 0: not
 * known.
 */
double figure_sendings(const json_t *document);

/* Seconds that the main result took; 0: not known. */
double figure_elapsed(const json_t *document);

#define FIGURE_CHANGE_SIZE 32
/* "+1.5"; what rounds to zero has no minus. */
const char *figure_change(double percent, int decimals, char text[FIGURE_CHANGE_SIZE]);

/* Finds the figure of the document's main result. 0; -ENODATA, and *reason: why there is none. */
int figure_find(const json_t *document, uint8_t *kind, double *value, const char **reason);
