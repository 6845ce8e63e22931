/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The banner and the rows of cxi_send_bw, in the format of the manual page, as CSV, and as a JSON document like the
 * other programs'. Called by cxi.c.
 */
#ifndef CXI_REPORT_H
#define CXI_REPORT_H

#include <stdio.h>

#include "cxi/facts.h"
#include "cxi/figures.h"
#include "cxi/parameters.h"

struct cxi_report;

/* out: for text, CSV or JSON; stdout, except in tests. 0 or -errno, reported. */
int cxi_report_open(struct cxi_report **report, const struct cxi_params *params, FILE *out);
/* Prints the banner, and the heading of the rows. */
void cxi_report_begin(struct cxi_report *report, const struct cxi_facts *facts);
void cxi_report_row(struct cxi_report *report, const struct cxi_figures *figures);
/* Prints the last line, or completes the document. 0, or -errno if something could not be written, reported. */
int cxi_report_close(struct cxi_report *report, const char *status, const char *reason);
/* NULL is allowed. */
void cxi_report_free(struct cxi_report *report);

#endif
