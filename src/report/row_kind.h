/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The kind of a row, in the words that JSON and CSV share. Called by csv.c and document.c. */
#pragma once

#include "report/row.h"

static inline const char *row_kind_name(const struct report_row *row)
{
	return row->is_interval ? "interval" : "result";
}

static inline const char *row_part_name(enum report_part part)
{
	switch (part) {
	case REPORT_LOCAL:
		return "local";
	case REPORT_REMOTE:
		return "remote";
	case REPORT_THREAD:
		return "thread";
	case REPORT_PEER_ALONE:
		return "peer";
	default:
		return "total";
	}
}
