/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What share of the possible is the bandwidth of a row? The possible is the limit of traffic/payload_limit.h; of a
 * software device what memcpy moves, if that was measured. Called by report.c and document.c,
 * and by the reports of programs with tables of their own.
 */
#pragma once

#include <jansson.h>

#include "params/engine/limits.h"
#include "params/engine/opt.h"
#include "report/results.h"
#include "report/row.h"
#include "traffic/payload_limit.h"

#define PAYLOAD_SHARE_TEXT 1024

/*
 * The member "possible" of a measurement; null: unknown. NULL: no memory. peers: of the row of one of so many against
 * its equal part; otherwise 1.
 */
json_t *payload_share_json(const struct payload_path *path, const struct report_row *row, enum report_part part,
			   unsigned peers);
/*
 * "97.1 % of 392.1 Gb/s, the payload limit of MTU 4096 over a link of 400 Gb/s (PCIe 5.0 x16 allows 504.1)", of a row
 * of REPORT_TOTAL; why not, if it is unknown: then it returns false. names_size: say of which message size.
 */
bool payload_share_text(const struct payload_path *path, const struct report_row *row, bool names_size,
			char text[PAYLOAD_SHARE_TEXT]);

/* PCIe of a path, from the folder that sysfs has of its adapter; unknown, unless that is a PCI function. */
void payload_path_take_pcie(struct payload_path *path, const char *function);

/* Of all rows of a test the one with the highest average, which the line is about. Zeroed at first. */
struct payload_best {
	struct report_row row;
	unsigned num_rows;
};

/*
 * A result is there: before it is printed, since JSON has its share, too. asked: by --report_possible, for which memcpy
 * is measured where messages are copied.
 */
void payload_best_take(struct payload_best *best, const struct payload_path *path, bool asked, struct report_row *row);
/* Below the table: that line, if it was asked for, or at a terminal where the possible is known. */
void payload_best_print(const struct payload_best *best, const struct payload_path *path, bool asked,
			const struct results *results);

/* Bytes per second of a percentage of what is possible, or of the link's rate, in all directions of a row of that. */
double payload_share_of(const struct payload_path *path, uint64_t size, double percent, enum limit_unit unit);
/*
 * For a limit that is such a percentage. option: "-w 90%"; on: "mlx5_0". 0, or -EOPNOTSUPP, reported: what is possible
 * is unknown there.
 */
int payload_share_check(const struct payload_path *path, const char *option, const char *on);
/* The same for --limit_bw or --limit_msgrate of a table, whose values these are: the first that has a unit. */
int payload_share_check_limits(const struct payload_path *path, const struct opt_table *table, const void *values,
			       unsigned bw_unit, unsigned msgrate_unit, const char *on);

/*
 * How fast does memcpy() copy messages of one size on one CPU of this host? What a software device moves is compared
 * with it, since there is no link. Bytes per second, the best of several times of at least a millisecond; 0: no memory.
 * It takes about 60 ms. Messages above 64 MiB are copied as such of 64 MiB, which fit no cache, either.
 */
double payload_copy_rate(uint64_t size);
