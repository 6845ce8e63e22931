/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* -H and -U: the raw samples of a row in the order in which they are shown. Called by text.c and document.c. */
#pragma once

#include <stdint.h>

#include "report/row.h"

/* The samples in ascending order; the caller frees them. NULL: no memory. */
uint64_t *samples_sorted(const struct latency *latency);
/* A sample as the row's columns show it. */
double samples_value(const struct report_row *row, uint64_t ticks, double scale);
