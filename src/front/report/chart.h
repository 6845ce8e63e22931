/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A chart of `perftest report`: lines over an axis, as SVG that scales with the page, and the same figures as a table;
 * in Markdown the table alone. Called by plots.c, which adds the figures one by one.
 */
#pragma once

#include <stddef.h>

#include "front/sheet.h"

#define CHART_NAME_SIZE	  160
#define CHART_MOST_SERIES 512 /* of which a table has room for 63 */

enum chart_scale {
	CHART_LINEAR,	   /* from 0 */
	CHART_LOG,	   /* above 0 */
	CHART_SIZES,	   /* the same in powers of two: 64, 4K */
	CHART_PERCENTILES, /* logarithm of 1 / (1 - percentile), as HdrHistogram plots it */
};

struct chart_axis {
	const char *label; /* with the unit */
	enum chart_scale scale;
};

struct chart_point {
	double x, y; /* finite */
};

struct chart_series {
	char name[CHART_NAME_SIZE];
	struct chart_point *points; /* by x, when it is printed */
	size_t num_points, room;
};

struct chart {
	const char *title;
	struct chart_axis x, y;
	struct chart_series *series;
	unsigned num_series;
	size_t left_out; /* figures for which there was no room */
};

/* Adds a point to the series of that name; one that is not finite or below 0 is left out. 0 or -ENOMEM. */
int chart_add(struct chart *chart, const char *name, double x, double y);
/* Removes a series. */
void chart_drop(struct chart *chart, unsigned index);
/* Nothing, if it is empty. 0 or -ENOMEM. */
int chart_print(struct chart *chart, struct sheet *sheet);
/* To the empty chart. */
void chart_close(struct chart *chart);
