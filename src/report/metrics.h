/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The results of JSON documents for a monitor, as gauges in the OpenMetrics 1.0 text format, which readers of
 * Prometheus's text format 0.0.4 (the textfile collector of node_exporter) take as well. For
 * --output_format=openmetrics and `perftest metrics`.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/* The result that stands for all of a document; NULL: it has none. */
typedef json_t *(*metrics_main_fn)(const json_t *document);

/*
 * Adds the results of a document to {"NAME": {"LABELS": number}}: each number of a result, in base units. Of two with
 * the same name and labels the later stays. main_of: for the pairs of
 * `perftest matrix`, whose rows are documents; NULL: there are none. 0 or -ENOMEM.
 */
int metrics_add(json_t *metrics, const json_t *document, metrics_main_fn main_of);
/* A line of help, one of the type and the samples for each name, and the end. */
void metrics_print(const json_t *metrics, FILE *out);

/*
 * Several runs of a test of qperf, in its document, for those who read it: is the result at this index one of them,
 * which have a row together ("spread") behind them?
 */
bool metrics_spread_has(const json_t *measurements, size_t at);
