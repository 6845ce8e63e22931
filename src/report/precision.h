/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What is said about the precision of repeated measurements, by all programs that repeat them. */
#pragma once

#include <jansson.h>

#include "stats/series.h"

/*
 * Which goal of --until was not reached, or whether --steady has left too few for an interval. what: was measured;
 * longer: the options that make a measurement longer.
 */
void precision_warn(const char *what, const struct series_plan *plan, const struct series_result *result,
		    const char *longer);
/* The figure of each measurement. NULL: no memory. */
json_t *precision_each(const struct series_result *result, double scale);
