/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * `perftest metrics`: the results of JSON documents for a monitor, as gauges in the OpenMetrics 1.0 text format, which
 * readers of Prometheus's text format 0.0.4 (the textfile collector of node_exporter) take as well.
 */
#ifndef FRONT_METRICS_H
#define FRONT_METRICS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "params/cli.h"

struct metrics_params {
	char path[4096]; /* -o; "" stdout */
	bool show_help;
};

/* options.c: in struct metrics_params. */
extern const struct cli metrics_cli;

/*
 * Adds the results of a document to {"NAME": {"LABELS": number}}: each number of a result, in base units. Of two with
 * the same name and labels the later stays. 0 or -ENOMEM.
 */
int metrics_add(json_t *metrics, const json_t *document);
/* One "# TYPE" line and the samples for each name, and the end. */
void metrics_print(const json_t *metrics, FILE *out);

#endif
