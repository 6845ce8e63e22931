/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Options that several programs have, defined once: names, values and meaning. A program's table has a row for each,
 * which adds where the value is stored, and which programs have it:
 *
 * {COMMON_OUTPUT_FORMAT, STORED_IN(output.format), .group = REPORT, .programs = ALL, .since = "7.0"},
 *
 * What differs between programs (a default port, a limit's meaning) is in the program's row.
 */
#pragma once

#include <stdbool.h>

#include "params/engine/checks.h"
#include "params/engine/limits.h"
#include "params/engine/opt.h"
#include "util/file.h"
#include "util/output.h"

#define COMMON_A_DAY_S	86400
#define COMMON_A_YEAR_S 31536000

/* --- general --- */
#define COMMON_USAGE                                                                                                   \
	.short_name = 'h', .long_name = "usage", .kind = OPT_FLAG, .help = "Print the most used options and exit"
#define COMMON_HELP    .long_name = "help", .kind = OPT_FLAG, .help = "Print this list and exit"
#define COMMON_VERSION .short_name = 'V', .long_name = "version", .kind = OPT_FLAG, .help = "Print the version and exit"
/* What the command line asks for in place of the program's work. */
struct cli_asked {
	bool usage; /* -h */
	bool help;
	bool version; /* -V */
};

static inline bool cli_asks(const struct cli_asked *asked)
{
	return asked->usage || asked->help || asked->version;
}

#define COMMON_ASKED_ROWS(asked, ...)                                                                                  \
	{COMMON_USAGE, STORED_IN(asked.usage), __VA_ARGS__}, {COMMON_HELP, STORED_IN(asked.help), __VA_ARGS__},        \
	{                                                                                                              \
		COMMON_VERSION, STORED_IN(asked.version), __VA_ARGS__                                                  \
	}

/* --- connection --- */
/* Needs a default_text and a help. */
#define COMMON_PORT                                                                                                    \
	.short_name = 'p', .long_name = "port", .argument = "PORT", .kind = OPT_INTEGER, .min = 1, .max = 65535
#define COMMON_KEEP_SERVING                                                                                            \
	.long_name = "keep_serving", .kind = OPT_FLAG, .help = "Server: wait for the next client after each test"
/* Needs a help. */
#define COMMON_MAX_DURATION                                                                                            \
	.long_name = "max_duration", .argument = "SECONDS", .kind = OPT_INTEGER, .min = 1, .max = COMMON_A_YEAR_S,     \
	DEFAULT_WORD("off", 0)
/* Needs a help. */
#define COMMON_TIMEOUT(max_s)                                                                                          \
	.long_name = "timeout", .argument = "SECONDS", .kind = OPT_INTEGER, .min = 1, .max = (max_s),                  \
	.default_text = "60"

/* --- what is printed --- */
#define COMMON_EXPLAIN                                                                                                 \
	.long_name = "explain", .kind = OPT_FLAG,                                                                      \
	.help = "Below the table, name the causes why the figures are not what they could be, the likeliest first, "   \
		"with the evidence that both sides have seen during the test: loss, delay, CPU time, counters, the "   \
		"parameters of the test",                                                                              \
	.brief = "Name the likeliest causes of a low figure"
#define COMMON_OUTPUT_FORMAT                                                                                           \
	.long_name = "output_format", .argument = "FORMAT", .kind = OPT_CHOICE,                                        \
	CHOICES({"text", FORMAT_TEXT, 0}, {"json", FORMAT_JSON, 0}, {"csv", FORMAT_CSV, 0},                            \
		{"jsonl", FORMAT_JSONL, 0}, {"openmetrics", FORMAT_OPENMETRICS, 0}),                                   \
	.default_text = "text", .help = "Format of standard output"
#define COMMON_OUT_JSON .long_name = "out_json", .kind = OPT_FLAG, .help = "Also write a JSON file"
/* more: a sentence after the help, which begins with ". "; "": none. */
#define COMMON_OUT_JSON_FILE(more)                                                                                     \
	.long_name = "out_json_file", .argument = "FILE", .kind = OPT_STRING, .default_text = "perftest_out.json",     \
	.check = check_json_file, .help = "Name of the JSON file; implies --out_json" PATH_WORDS_HELP more
#define COMMON_LABEL                                                                                                   \
	.long_name = "label", .argument = "KEY=VALUE", .kind = OPT_STRING, .check = check_label, .repeats = true,      \
	.help = "Add this to the labels of the JSON document, which perftest metrics shows, too; may be repeated"
/* All four rows; their shared part comes after the struct output_options in which they store. */
#define COMMON_OUTPUT_ROWS(output, ...)                                                                                \
	{COMMON_OUTPUT_FORMAT, STORED_IN(output.format), __VA_ARGS__},                                                 \
		{COMMON_OUT_JSON, STORED_IN(output.json), __VA_ARGS__},                                                \
		{COMMON_OUT_JSON_FILE(""), STORED_IN(output.json_file), __VA_ARGS__},                                  \
	{                                                                                                              \
		COMMON_LABEL, STORED_IN(output.labels), __VA_ARGS__                                                    \
	}
/* Rows of opt_table.guesses, of programs with these options. */
#define COMMON_OUTPUT_GUESSES                                                                                          \
	{"json_file", "out_json_file", true}, {"json", "output_format=json", true},                                    \
	{                                                                                                              \
		"csv", "output_format=csv", true                                                                       \
	}
/* --- repetition --- */
/*
 * All rows, which store in a struct series_plan, with the parts of opt_rows.h. most: measurements; of: what --until is
 * about; their shared part comes last.
 */
/* thing: of which there is a row, "message size" */
#define COMMON_REPEAT_ROWS(thing, repeat, most_repeats, of, ...)                                                       \
	{INTEGER(NO_LETTER, "repeat", "COUNT", repeat.count, 1, most_repeats), .default_text = "1",                    \
	 .help = "Measure each " thing " COUNT times, and print one row for all of them with its 95 % confidence "     \
		 "interval",                                                                                           \
	 __VA_ARGS__},                                                                                                 \
		{DOUBLE(NO_LETTER, "until", "PERCENT", repeat.until_percent, 0.01, 50), DEFAULT_WORD("off", 0),        \
		 .help = "Measure each " thing " until the 95 % confidence interval is within PERCENT of the " of,     \
		 __VA_ARGS__},                                                                                         \
		{INTEGER(NO_LETTER, "max_repeats", "COUNT", repeat.most, 10, most_repeats), .default_text = "100",     \
		 .help = "With --until, measure a " thing " COUNT times at most", __VA_ARGS__},                        \
		{INTEGER(NO_LETTER, "max_time", "SECONDS", repeat.most_s, 1, COMMON_A_YEAR_S), .default_text = "60",   \
		 .help = "With --until, start no further measurement of a " thing " after SECONDS", __VA_ARGS__},      \
	{                                                                                                              \
		FLAG(NO_LETTER, "steady", repeat.steady),                                                              \
			.help = "With --repeat or --until, detect and exclude the first measurements, those of a "     \
				"warm-up",                                                                             \
			__VA_ARGS__                                                                                    \
	}
/* What they cannot be combined with. */
#define COMMON_REPEAT_OR_UNTIL "--repeat sets the number of measurements, --until the precision: give one of them"
#define COMMON_LIMITS_OF_UNTIL "--max_repeats and --max_time are limits of --until: give it as well"
#define COMMON_STEADY_OF_ONE   "--steady selects among several measurements: give --repeat or --until as well"
#define COMMON_REPEAT_OR_INTERVALS                                                                                     \
	"--repeat and --until combine several measurements in one row, --report_interval divides one into "            \
	"several rows: give one of them"

/* --- what of a result is printed, or compared --- */
/* of: which there are; more: about the values. */
#define COMMON_COUNTERS(of, more)                                                                                      \
	.short_name = 'W', .long_name = "report-counters", .argument = "COUNTERS", .kind = OPT_STRING,                 \
	.check = check_counter_list,                                                                                   \
	.help = "Print the increase of these counters: " of ", or patterns (*err*); all: those that increased" more
#define COMMON_TIMESTAMPS_OF(what) .long_name = "timestamps", .kind = OPT_FLAG, .help = what " ended, in UTC (ISO 8601)"
#define COMMON_TIMESTAMPS	   COMMON_TIMESTAMPS_OF("End each row with the time of day at which it")
#define COMMON_CPU_UTIL                                                                                                \
	.long_name = "cpu_util", .kind = OPT_FLAG, .help = "Print the utilization of this machine's CPUs, in percent"
/* more: what has rows besides --report_interval, behind that. */
#define COMMON_LIMIT_INTERVALS(more)                                                                                   \
	.long_name = "limit_intervals", .kind = OPT_FLAG,                                                              \
	.help = "The limits also hold for each row of --report_interval" more ": the first miss is reported at once, " \
		"at the end how many there were, and the worst"
/* All three rows, which store in a struct latency_limits; largest, and p99_of: what they are about. */
#define COMMON_LATENCY_LIMIT_ROWS(latency, largest, p99_of, ...)                                                       \
	{DOUBLE(NO_LETTER, "max_lat", "USEC", latency.max_us, 0, 1e12), .default_text = "0",                           \
	 .help = "Exit with status 3 if " largest " is above this number of microseconds; 0: no limit", __VA_ARGS__},  \
		{DOUBLE(NO_LETTER, "max_p99", "USEC", latency.p99_us, 0, 1e12), .default_text = "0",                   \
		 .help = "Exit with status 3 if the 99th percentile " p99_of                                           \
			 " is above this number of microseconds; 0: no limit",                                         \
		 __VA_ARGS__},                                                                                         \
	{                                                                                                              \
		STRING(NO_LETTER, "max_percentiles", "LIST", latency.percentiles),                                     \
			.check = check_percentile_limits,                                                              \
			.help = "Like --max_p99, for any percentiles: 50:2.5,99.9:10 allows the median 2.5 and the "   \
				"99.9th percentile 10 microseconds",                                                   \
			__VA_ARGS__                                                                                    \
	}

/* Needs a help; the row says where the count is stored. */
#define COMMON_PERCENTILES(least, none)                                                                                \
	.long_name = "percentiles", .argument = "LIST", .kind = OPT_PERCENTS, .min = (least), .max = 100,              \
	.special = (none), .special_value = 0, .default_text = (none)
