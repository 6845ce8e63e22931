/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Options: how many times each message size is measured. Rows of the table in options.c, included only there. */
/* clang-format off */
{
	INTEGER(NO_LETTER, "repeat", "COUNT", repeat.count, 1, 1000),
	.default_text = "1",
	.help = "Measure each message size COUNT times, and print one row for all of them with its 95 % confidence "
		"interval",
	IN(REPEAT, IB, OPT_SHARED, "7.0"),
},
{
	DOUBLE(NO_LETTER, "until", "PERCENT", repeat.until_percent, 0.01, 50),
	DEFAULT_WORD("off", 0),
	.help = "Measure each message size until the 95 % confidence interval is within PERCENT of the average (latency: "
		"of the median)",
	IN(REPEAT, IB, OPT_SHARED, "7.0"),
},
{
	INTEGER(NO_LETTER, "max_repeats", "COUNT", repeat.most, 10, 1000),
	.default_text = "100",
	.help = "With --until, measure a message size COUNT times at most",
	IN(REPEAT, IB, OPT_SHARED, "7.0"),
},
{
	INTEGER(NO_LETTER, "max_time", "SECONDS", repeat.most_s, 1, COMMON_A_YEAR_S),
	.default_text = "60",
	.help = "With --until, start no further measurement of a message size after SECONDS",
	IN(REPEAT, IB, OPT_SHARED, "7.0"),
},
{
	FLAG(NO_LETTER, "steady", repeat.steady),
	.help = "With --repeat or --until, detect and exclude the first measurements, those of a warm-up",
	IN(REPEAT, IB, OPT_SHARED, "7.0"),
},
