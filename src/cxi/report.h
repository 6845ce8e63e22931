/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The banner and the rows of cxi_send_bw, in the manual page's form, as CSV, and as a document of the suite. Called by
 * cxi.c.
 */
#ifndef CXI_REPORT_H
#define CXI_REPORT_H

#include <stdio.h>

#include "cxi/facts.h"
#include "cxi/figures.h"
#include "cxi/parameters.h"

struct cxi_report;

/* out: where text, CSV or a document go, stdout but in tests. 0 or -errno, reported. */
int cxi_report_open(struct cxi_report **report, const struct cxi_params *params, FILE *out);
/* The banner, and the heading of the rows. */
void cxi_report_begin(struct cxi_report *report, const struct cxi_facts *facts);
void cxi_report_row(struct cxi_report *report, const struct cxi_figures *figures);
/* The last line, and the document's end. 0, or -errno: something could not be written; reported. */
int cxi_report_close(struct cxi_report *report, const char *status, const char *reason);
/* Takes NULL. */
void cxi_report_free(struct cxi_report *report);

#endif
