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
#define FIGURE(text, figure) .key = #text "_" figure, .quantity = QUANTITY_TIME, .any = IN_LOAD
/* Of a distribution: its columns in text, and those only in JSON and CSV. */
#define GROUP(text, of)                                                                                                \
	{FIGURE(text, "min"), FIGURE_IN(of, MIN)},                                                                     \
		{FIGURE(text, "typical"), .head = #text "_typical", .cells = LOAD_CELL(18, 2),                         \
		 FIGURE_IN(of, TYPICAL)},                                                                              \
		{FIGURE(text, "average"), .head = #text "_avg", .cells = LOAD_CELL(14, 2), FIGURE_IN(of, MEAN)},       \
		{FIGURE(text, "stdev"), FIGURE_IN(of, STDEV)},                                                         \
		{FIGURE(text, "percentile"), .head = "% " #text, .cells = LOAD_CELL(14, 2), FIGURE_IN(of, PERCENTILE), \
		 .percent = 99},                                                                                       \
		{FIGURE(text, "percentile"), .head = "% " #text, .cells = LOAD_CELL(16, 2), FIGURE_IN(of, PERCENTILE), \
		 .percent = 99.9},                                                                                     \
		{FIGURE(text, "max"), .head = #text "_max", .cells = LOAD_CELL(14, 2), FIGURE_IN(of, MAX)},            \
	{                                                                                                              \
		FIGURE(text, "percentile"), .head = "% " #text, .cells = LOAD_ADDED, FIGURE_IN(of, PERCENTILE),        \
					    .per_percentile = true                                                     \
	}

/* clang-format off */
{
	COLUMN("share", PERCENT, IN_LOAD),
	HEADING("load", NULL),
	.all = HAS_LOAD_STEPS,
	.cells = LOAD_CELL(8, 0),
	OF(load.share_percent),
},
{
	COLUMN("rate", TPS, IN_LOAD),
	HEADING("rate", NULL),
	.label = "[/sec]",
	.cells = LOAD_CELL(13, 2),
	OF(load.rate),
},
{
	COLUMN("sent", TPS, IN_LOAD),
	HEADING("sent", NULL),
	.label = "[/sec]",
	.cells = LOAD_CELL(13, 2),
	OF(load.sent_rate),
},
GROUP(due, latency),
GROUP(post, since_post),
{COLUMN("late", COUNT, IN_LOAD), OF(load.late)},
{COLUMN("lost", COUNT, IN_LOAD), OF(load.lost)},
{COLUMN("unanswered", COUNT, IN_LOAD), OF(load.unanswered)},
{COLUMN("unsent", COUNT, IN_LOAD), OF(load.unsent)},
