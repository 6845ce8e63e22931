/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The lines above the table, with their order and labels; and the same values under the keys of the classic JSON object
 * "test_info". One table for both. Called by text.c and document.c.
 */
#pragma once

#include <stdint.h>

#include "report/report_config.h"
#include "report/row.h"

/* The label of a line that is a rule. */
#define HEADER_RULE "-"

struct header_value {
	const char *text; /* NULL: the value is number */
	int64_t number;
	char buffer[128]; /* storage for text */
};

/* Called for each known fact, in order; label or key is NULL if only the other output has the fact. */
typedef int (*header_fn)(const char *label, const char *key, const struct header_value *value, const char *suffix,
			 void *arg);
int header_walk(const struct report_config *config, const struct report_info *run_info, header_fn visit, void *arg);

/* "RDMA_Write Bidirectional BW Test", with separator between the words. Returns title. */
#define HEADER_TITLE_SIZE 128
const char *header_title(const struct report_config *config, char separator, char title[HEADER_TITLE_SIZE]);
