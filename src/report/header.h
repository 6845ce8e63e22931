/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The block of facts above the table: which lines it has, in which order, under which label; and
 * the same facts under the keys of the classic JSON object "test_info". One table for both.
 * Called by text.c and json.c.
 */
#ifndef REPORT_HEADER_H
#define REPORT_HEADER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "params/perftest_parameters.h"
#include "report/row.h"

/* The label of a line that is a rule. */
#define HEADER_RULE "-"

struct header_value {
	const char *text; /* NULL: the value is number */
	int64_t number;
	char buffer[128]; /* where text may point */
};

/* Each fact that is known, in order; label and key may be NULL where only the other output has it. */
typedef int (*header_fn)(const char *label, const char *key, const struct header_value *value, const char *suffix,
			 void *arg);
int header_walk(const struct params *params, const struct report_facts *facts, header_fn visit, void *arg);

/* "RDMA_Write Bidirectional BW Test", with separator between the words. The caller frees; NULL: no memory. */
char *header_title(const struct params *params, char separator);

/* How many completions a bandwidth loop asks for at once: 0 when the loop chooses itself. */
uint32_t header_poll_batch(const struct params *params);

#endif
