/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A result as text, byte for byte as in qperf 0.4.11: "tcp_bw:" followed by rows of a name, " = ", a value and its
 * unit. Rows that 0.4.11 does not have follow after the others, and only with --verbose_details or --repeat.
 */
#pragma once

#include <stdio.h>

#include "qperf/options/tests.h"
#include "qperf/print/figures.h"
#include "stats/series.h"

#define CONF_TEXT_SIZE 64

/* A host's configuration. */
struct conf {
	char node[CONF_TEXT_SIZE];
	char cpu[CONF_TEXT_SIZE];
	char os[CONF_TEXT_SIZE];
	char qperf[CONF_TEXT_SIZE];
};

/* control/conf.c: this host's, for the test conf. */
void conf_read(struct conf *conf);
/* "2 Cores: AMD EPYC 2.6GHz", from a text in the format of /proc/cpuinfo. */
void conf_cpu(const char *cpuinfo, char text[CONF_TEXT_SIZE]);

#define TEXT_VALUE_SIZE 512

enum text_kind { TEXT_TIME, TEXT_RATE, TEXT_BANDWIDTH, TEXT_COST, TEXT_CPUS, TEXT_COUNT, TEXT_SIZE, TEXT_PERCENT };

/*
 * A formatted value. Kinds: seconds, per second, bytes per second, seconds per 10^9 bytes, CPUs, a count, bytes, a
 * share.
 */
struct text_value {
	char digits[TEXT_VALUE_SIZE];
	const char *unit; /* "" for a plain count */
	char exact[32];	  /* "65,536" for a size that is shown in KiB; otherwise "" */
};

void text_format(enum text_kind kind, double value, const struct style *style, struct text_value *text);

void text_conf(FILE *out, const struct conf *local, const struct conf *remote);
/*
 * params: including the defaults of the test. possible: the sentence about its share of that, time: of day at which it
 * was over; "": not asked for.
 */
void text_result(FILE *out, const struct test_row *test, const struct qperf_params *params,
		 const struct figures *figures, const char *possible, const char *time);
/* What one side measured in an interval of a test. */
void text_interval(FILE *out, const struct test_row *test, const struct style *style,
		   const struct qperf_interval *interval, const char *time);
/* --repeat, --until: the results of a test, at least one; result: what they say together. possible: of the mean. */
void text_spread(FILE *out, const struct test_row *test, const struct style *style, struct series *series,
		 const struct series_result *result, const char *possible, bool partial);

/* The result of tests by what they measure. */
struct primary {
	const char *name; /* of its row */
	enum text_kind kind;
	size_t member;	 /* a double of struct figures */
	const char *key; /* of an interval in JSON */
	/* of several runs: what the names of ib_*'s documents begin and end with, and their unit */
	const char *of_runs, *unit;
	double scale;
};
extern const struct primary text_primaries[];

/* The figure that is a test's result. */
double text_primary_value(const struct test_row *test, const struct figures *figures);
