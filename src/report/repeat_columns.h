/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Columns of several measurements (--repeat, --until), after all others: the same for bandwidth and latency except for
 * the figure whose confidence they show. Rows of the table in columns.c, included only there.
 */
/* clang-format off */
#define ADDED_FINE_CELL                                                                                                \
	{                                                                                                              \
		.gap = "        ", .width = 7, .precision = 6, .added = true                                           \
	}
#define ADDED_COUNT_CELL                                                                                               \
	{                                                                                                              \
		.gap = "        ", .width = 7, .added = true                                                           \
	}
#define REPEATED(name, kind, fact, first, second)                                                                      \
	.key = (name), .any = (kind), .all = (fact),                                                                   \
	.head_gap = {[first] = ADDED_HEAD_GAP, [second] = ADDED_HEAD_GAP}
#define REPEATED_COUNT(name, kind, fact, first, second)                                                                \
	REPEATED(name, kind, fact, first, second), .cells = {[first] = ADDED_COUNT_CELL, [second] = ADDED_COUNT_CELL}
#define REPEATED_END(name, kind, of, first, second, fine_cell)                                                         \
	REPEATED(name, kind, HAS_REPEATS, first, second), .quantity = (of),                                            \
	.cells = {[first] = ADDED_CELL, [second] = fine_cell}
#define REPEATED_COUNTS(kind, first, second)                                                                           \
	{REPEATED_COUNT("repeats", kind, HAS_REPEATS, first, second), .quantity = QUANTITY_COUNT,                      \
	 .head = "#repeats", OF(repeats.count)},                                                                    \
	{REPEATED_COUNT("repeats_left_out", kind, HAS_STEADY, first, second), .quantity = QUANTITY_COUNT,              \
	 .head = "left out", OF(repeats.left_out)}
#define REPEATED_REACHED(kind, first, second)                                                                          \
	{REPEATED_COUNT("until_reached", kind, HAS_UNTIL, first, second), .quantity = QUANTITY_FLAG,                   \
	 .head = "reached", OF(repeats.reached)}

REPEATED_COUNTS(IN_BW, FORM_BW, FORM_BW_FINE),
{
	REPEATED_END("bandwidth_average_ci95_low", IN_BW, QUANTITY_BANDWIDTH, FORM_BW, FORM_BW_FINE, ADDED_FINE_CELL),
	.head = "CI95 low",
	OF(repeats.confidence.low),
},
{
	REPEATED_END("bandwidth_average_ci95_high", IN_BW, QUANTITY_BANDWIDTH, FORM_BW, FORM_BW_FINE, ADDED_FINE_CELL),
	.head = "CI95 high",
	OF(repeats.confidence.high),
},
REPEATED_REACHED(IN_BW, FORM_BW, FORM_BW_FINE),
REPEATED_COUNTS(IN_LAT, FORM_LAT, FORM_LAT_TIME),
{
	REPEATED_END("latency_typical_ci95_low", IN_LAT, QUANTITY_TIME, FORM_LAT, FORM_LAT_TIME, ADDED_CELL),
	.head = "CI95 low",
	OF(repeats.confidence.low),
},
{
	REPEATED_END("latency_typical_ci95_high", IN_LAT, QUANTITY_TIME, FORM_LAT, FORM_LAT_TIME, ADDED_CELL),
	.head = "CI95 high",
	OF(repeats.confidence.high),
},
REPEATED_REACHED(IN_LAT, FORM_LAT, FORM_LAT_TIME),
