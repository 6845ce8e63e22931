/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What `perftest matrix` compares: one figure of a program's JSON document. Pure functions on documents. */
#ifndef FRONT_FIGURE_H
#define FRONT_FIGURE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/* A kind of figure; the messages between instances have its index. */
struct figure_kind {
	const char *key;    /* of a measurement */
	bool lower_is_best; /* a time */
	double to_si;	    /* what a value of the document is in bytes per second, messages per second or seconds */
	double to_shown;    /* and what that is as it is printed ... */
	const char *unit;   /* ... in this unit */
};

extern const struct figure_kind figure_kinds[];
extern const uint8_t figure_num_kinds;

/*
 * Finds the last result of the document, and a figure in it. 0; -ENODATA, and *reason: why there is none. *measurement:
 * borrowed from the document.
 */
int figure_find(const json_t *document, uint8_t *kind, double *value, json_t **measurement, const char **reason);

#endif
