/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Columns of an open loop (--rate). Rows of the table in columns.c, included only there. Two groups of figures
 * are of the same samples, whole round trips: since they were due, and since their post. No column is called latency,
 * so that neither is mistaken for the other, or for half a round trip.
 */
#define LOAD_CELL(least, decimals)                                                                                     \
	{                                                                                                              \
		[FORM_LOAD] = {.gap = " ", .width = (least), .precision = (decimals), .right = true }                  \
	}
#define LOAD_ADDED                                                                                                     \
	{                                                                                                              \
		[FORM_LOAD] = {.gap = "  ", .width = 17, .precision = 2, .right = true, .added = true }                \
	}
#define FIGURE(text, figure, of)                                                                                       \
	.key = #text "_" figure, .quantity = QUANTITY_TIME, .samples = row_latency_samples, .any = IN_LOAD,            \
	.index = (of)
/* The distribution that column->index selects: its columns in text, and those only in JSON and CSV. */
#define GROUP(text, of)                                                                                                \
	{FIGURE(text, "min", of), .value = row_latency_min},                                                           \
		{FIGURE(text, "typical", of), .head = #text "_typical", .cells = LOAD_CELL(18, 2),                     \
		 .value = row_latency_typical},                                                                        \
		{FIGURE(text, "average", of), .head = #text "_avg", .cells = LOAD_CELL(14, 2),                         \
		 .value = row_latency_mean},                                                                           \
		{FIGURE(text, "stdev", of), .value = row_latency_stdev},                                               \
		{FIGURE(text, "percentile", of), .head = "% " #text, .cells = LOAD_CELL(14, 2),                        \
		 .value = row_latency_percentile, .percent = 99},                                                      \
		{FIGURE(text, "percentile", of), .head = "% " #text, .cells = LOAD_CELL(16, 2),                        \
		 .value = row_latency_percentile, .percent = 99.9},                                                    \
		{FIGURE(text, "max", of), .head = #text "_max", .cells = LOAD_CELL(14, 2), .value = row_latency_max},  \
	{                                                                                                              \
		FIGURE(text, "percentile", of), .head = "% " #text, .cells = LOAD_ADDED,                               \
						.value = row_latency_percentile, .per_percentile = true                \
	}

/* clang-format off */
{
	.key = "share",
	.quantity = QUANTITY_PERCENT,
	.any = IN_LOAD,
	.all = HAS_LOAD_STEPS,
	.head = "load",
	.cells = LOAD_CELL(8, 0),
	.value = row_load_share,
},
{
	.key = "rate",
	.quantity = QUANTITY_TPS,
	.any = IN_LOAD,
	.head = "rate",
	.label = "[/sec]",
	.cells = LOAD_CELL(13, 2),
	.value = row_load_rate,
},
{
	.key = "sent",
	.quantity = QUANTITY_TPS,
	.any = IN_LOAD,
	.head = "sent",
	.label = "[/sec]",
	.cells = LOAD_CELL(13, 2),
	.value = row_load_sent,
},
GROUP(due, SINCE_DUE),
GROUP(post, SINCE_POST),
{
	.key = "late",
	.quantity = QUANTITY_COUNT,
	.any = IN_LOAD,
	.value = row_load_late,
},
{
	.key = "lost",
	.quantity = QUANTITY_COUNT,
	.any = IN_LOAD,
	.value = row_load_lost,
},
{
	.key = "unanswered",
	.quantity = QUANTITY_COUNT,
	.any = IN_LOAD,
	.value = row_load_unanswered,
},
{
	.key = "unsent",
	.quantity = QUANTITY_COUNT,
	.any = IN_LOAD,
	.value = row_load_unsent,
},
