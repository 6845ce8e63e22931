/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* --output_format=csv: a line of keys, then one line per row, in SI units whatever the options. Called by report.c. */
#pragma once

#include <stdio.h>

#include "report/counters.h"
#include "report/report_config.h"
#include "report/row.h"

/* counters: a column for each, after the others; NULL: none. */
void csv_heading(FILE *out, const struct report_config *config, const struct counters *counters);
void csv_row(FILE *out, const struct report_config *config, const struct report_row *row, enum report_part part,
	     const struct counters *counters);
