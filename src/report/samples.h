/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* -H and -U: the raw samples of a row in the order that they are shown in. Called by text.c and json.c. */
#ifndef REPORT_SAMPLES_H
#define REPORT_SAMPLES_H

#include <stddef.h>
#include <stdint.h>

#include "report/row.h"

/* The samples in ascending order; the caller frees. NULL: no memory. */
uint64_t *samples_sorted(const struct latency *latency);
/* A sample as the row's columns would show it. */
double samples_value(const struct report_row *row, uint64_t ticks, double scale);

#endif
