/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Columns of several peers at once (--clients, HOST,HOST), after all others: how many are in the row, and how similar
 * they are. Rows of the table in columns.c, included only there; the macros are those of repeat_columns.h.
 */
/* clang-format off */
#define PEERS_RATIO_CELL                                                                                               \
	{                                                                                                              \
		.gap = "        ", .width = 7, .precision = 4, .added = true                                           \
	}
#define PEERS_END(name, kind, of, first, second, fine_cell)                                                            \
	REPEATED(name, kind, HAS_PEERS, first, second), .quantity = (of),                                              \
	.cells = {[first] = ADDED_CELL, [second] = fine_cell}
#define PEERS_COUNT(kind, first, second)                                                                               \
	{REPEATED_COUNT("peers_measured", kind, HAS_PEERS, first, second), .quantity = QUANTITY_COUNT,                 \
	 .head = "#peers", OF_PEERS(count)}
#define PEERS_SHARES(kind, first, second)                                                                              \
	{REPEATED("fairness", kind, HAS_PEERS, first, second), .quantity = QUANTITY_RATIO,                             \
	 .cells = {[first] = PEERS_RATIO_CELL, [second] = PEERS_RATIO_CELL}, .head = "fairness",                       \
	 OF_PEERS(fairness)},                                                                                       \
	{REPEATED("overlap", kind, HAS_PEERS, first, second), .quantity = QUANTITY_PERCENT,                            \
	 .cells = {[first] = ADDED_CELL, [second] = ADDED_CELL}, .head = "overlap", OF_KNOWN(overlap, percent)}

PEERS_COUNT(IN_BW, FORM_BW, FORM_BW_FINE),
{
	PEERS_END("bandwidth_least", IN_BW, QUANTITY_BANDWIDTH, FORM_BW, FORM_BW_FINE, ADDED_FINE_CELL),
	.head = "least",
	OF_PEERS(least),
},
{
	PEERS_END("bandwidth_most", IN_BW, QUANTITY_BANDWIDTH, FORM_BW, FORM_BW_FINE, ADDED_FINE_CELL),
	.head = "most",
	OF_PEERS(most),
},
PEERS_SHARES(IN_BW, FORM_BW, FORM_BW_FINE),
{
	REPEATED_COUNT(NULL /* JSON and CSV always have it */, IN_BW, HAS_LOSSES, FORM_BW, FORM_BW_FINE),
	.quantity = QUANTITY_COUNT,
	.head = "lost",
	OF(lost),
},
PEERS_COUNT(IN_LAT, FORM_LAT, FORM_LAT_TIME),
{
	PEERS_END("latency_typical_least", IN_LAT, QUANTITY_TIME, FORM_LAT, FORM_LAT_TIME, ADDED_CELL),
	.head = "least",
	OF_PEERS(least),
},
{
	PEERS_END("latency_typical_most", IN_LAT, QUANTITY_TIME, FORM_LAT, FORM_LAT_TIME, ADDED_CELL),
	.head = "most",
	OF_PEERS(most),
},
PEERS_SHARES(IN_LAT, FORM_LAT, FORM_LAT_TIME),
