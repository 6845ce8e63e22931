/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The banner and the rows of cxi_send_bw, in the format of the manual page, as CSV, and as a JSON document like the
 * other programs'. Called by cxi.c.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "cxi/figures.h"
#include "cxi/parameters.h"
#include "report/results.h"
#include "util/run_id.h"

#define CXI_RULE "---------------------------------------------------"

struct cxi_report {
	const struct cxi_params *params;
	struct results results;
	struct table table;
	bool has_table; /* the heading was printed */
};

/* For the banner and the document: known when both sides are connected. */
struct cxi_facts {
	const struct cxi_link *link;
	uint64_t buffer_length; /* in use */
	bool pages_are_huge;	/* system memory of this side */
	bool has_idc;		/* immediate data commands or injection is used for small sizes */
	const struct cxi_memory *own_memory, *peer_memory;
	struct run_id run_id; /* none: HPE's program is the peer */
};

/* out: for text, CSV or JSON; stdout, except in tests. 0 or -errno, reported. */
int cxi_report_open(struct cxi_report *report, const struct cxi_params *params, FILE *out);
/* Prints the banner, and the heading of the rows. This and a row: 0, or -errno if stdout could not be written. */
int cxi_report_begin(struct cxi_report *report, const struct cxi_facts *facts);
int cxi_report_row(struct cxi_report *report, const struct cxi_figures *figures);
/* Does the row miss a limit? Then it was reported. */
bool cxi_report_judge(struct cxi_report *report, const struct cxi_figures *figures);
/* Prints the last line, or completes the document, and frees all. 0, or -errno if something could not be written. */
int cxi_report_close(struct cxi_report *report, const char *status, const char *reason);

/* banner.c: the lines above the table, what is run and between which hosts. Called by report.c. */
void cxi_banner(FILE *out, const struct cxi_params *params, const struct cxi_facts *facts);
