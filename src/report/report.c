// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Sends each part of a report to the requested outputs (text, a number, CSV, the JSON document), in the order of the
 * run. Formats nothing.
 */
#include "report/report.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/columns.h"
#include "report/counters.h"
#include "report/csv.h"
#include "report/document.h"
#include "report/host.h"
#include "report/output_file.h"
#include "report/payload_share.h"
#include "report/progress.h"
#include "report/text.h"
#include "stats/clock.h"
#include "util/log.h"
#include "util/process.h"
#include "util/sysfs.h"

#define UNSENT_PART 100 /* of the samples: more requests that were never posted are reported */

struct report {
	const struct report_config *config;
	struct results results;
	struct document document; /* whose envelope is that of the results */
	struct cpu_use cpu;
	struct progress progress;
	bool has_header;
	unsigned num_endpoints[2];    /* reported so far, of the peer and of this side */
	struct held_rows held;	      /* text: until the table of all sizes is complete */
	bool after_part;	      /* the previous row was an interval of one side */
	bool after_interval;	      /* the previous row was an interval */
	double unsupported_from;      /* percent; the lowest for which a row had too few samples, 0 none */
	uint64_t announced_samples;   /* the header has reported which percentiles this many cannot support */
	uint64_t unsupported_samples; /* of that row */
	uint64_t backward;	      /* in all rows: times that the clock made negative */
	struct payload_best best;
};

/* The classic output, rather than one number or a format for programs, which can still be written. */
static bool is_text(const struct report *report)
{
	return results_are_in(&report->results, FORMAT_TEXT);
}

static int fail_out(struct report *report, int err)
{
	if (!report->results.out_err) {
		report->results.out_err = err;
		log_error("cannot write the results to stdout: %s", strerror(-err));
	}
	return report->results.out_err;
}

int report_open(struct report **report, const struct report_config *config)
{
	struct report *opened = calloc(1, sizeof(*opened));
	int err;

	if (!opened) {
		log_error("no memory for the report");
		return -ENOMEM;
	}
	opened->config = config;
	progress_open(&opened->progress, config->is_part ? stdout : stderr);
	err = results_open(&opened->results, config->format, stdout, config->json_path, config->labels);
	opened->results.is_bare = config->output != OUTPUT_ALL;
	opened->results.indent = 1;
	if (!err)
		err = document_open(&opened->document, config, &opened->results);
	if (err) {
		report_free(opened);
		return err;
	}
	*report = opened;
	return 0;
}

int report_await_reader(const struct report_config *config)
{
	const int err = config->json_path[0] ? output_file_await_reader(config->json_path) : 0;

	if (err && err != -EINTR)
		log_error("cannot create the JSON file %s: %s", config->json_path, output_file_error(err));
	return err;
}

int report_check(const struct report_config *config, const char *device, unsigned port)
{
	struct counters counters = {0};
	int err = config->json_path[0] ? output_file_check(config->json_path) : 0;

	if (err)
		log_error("cannot create the JSON file %s: %s", config->json_path, output_file_error(err));
	if (!err && device && config->counters[0]) {
		err = counters_open(&counters, config->counters, sysfs_root(), device, port);
		if (!err)
			counters_close(&counters);
	}
	return err;
}

int report_number_file(struct report_config *config, unsigned n)
{
	return output_file_number_client(config->json_path, sizeof(config->json_path), n);
}

/* A failing stdout is reported with the first result. */
void report_waiting(const struct report_config *config)
{
	static const char stars[] = "************************************";

	if (config->format != FORMAT_TEXT || config->output != OUTPUT_ALL)
		return;
	printf("\n%s\n* Waiting for client to connect... *\n%s\n", stars, stars);
	fflush(stdout);
}

int report_header(struct report *report, const struct report_info *run_info)
{
	if (envelope_is_open(&report->results.envelope))
		document_begin(&report->document, run_info);
	if (is_text(report)) {
		text_header(report->results.out, report->config, run_info);
		report->has_header = true;
		report->announced_samples = run_info->samples;
	}
	return results_flush(&report->results);
}

void report_endpoint(struct report *report, bool local, const struct endpoint *endpoint)
{
	if (!is_text(report))
		return;
	if (text_shows_endpoint(report->results.out, report->config, local, report->num_endpoints[local]++))
		text_endpoint(report->results.out, report->config, local, endpoint);
}

void report_frames(struct report *report, bool sent, const char *text)
{
	char line[512];

	if (!is_text(report) ||
	    !text_shows_endpoint(report->results.out, report->config, sent, report->num_endpoints[sent]++))
		return;
	snprintf(line, sizeof(line), " %s frames: %s", sent ? "sent" : "received", text);
	text_line(report->results.out, line);
}

void report_heading(struct report *report)
{
	if (report->results.has_heading || report->results.out_err)
		return;
	if (is_text(report))
		text_heading(report->results.out, report->results.out, report->config, "");
	else if (report->config->format == FORMAT_CSV)
		csv_heading(report->results.out, report->config, &report->results.counters);
	report->results.has_heading = true;
	results_flush(&report->results);
}

/* Percentiles of the row that need more samples, unless the header has said so of this many. */
static void note_shortage(struct report *report, const struct report_row *row)
{
	const uint64_t samples = row->latency ? row->latency->histogram.count : 0;
	const double from = samples != report->announced_samples ? columns_unsupported(report->config, samples) : 0;

	if (!(from > 0) || (report->unsupported_from > 0 && from >= report->unsupported_from))
		return;
	report->unsupported_from = from;
	report->unsupported_samples = samples;
}

static bool wants_samples(const struct report *report, const struct report_row *row, enum report_part part)
{
	return (report->config->histogram || report->config->unsorted) && part == REPORT_TOTAL && !row->is_interval &&
	       row->latency && row->latency->samples;
}

/* Is it the row of a size or an interval, rather than a part of it? With -b an interval has that of this side. */
static bool is_of_both(const struct report_row *row, enum report_part part)
{
	return part == REPORT_TOTAL || row->is_interval;
}

static void print_parts(struct report *report)
{
	const int err = report->results.out_err ? 0 : held_rows_print(&report->held, report->results.out);

	if (err)
		fail_out(report, err);
}

/* What is printed between the previous row and this one. */
static void text_between(struct report *report, const struct report_row *row, enum report_part part)
{
	char summary[128];

	/* A row of one side is never below a heading of both. */
	if (row->is_interval && report->after_interval && report->after_part == (part != REPORT_TOTAL))
		return;
	if (part != REPORT_TOTAL) {
		text_section(report->results.out, report->results.out, report->config, held_rows_titles[part], "");
	} else if (report->after_interval && !row->is_interval) {
		text_summary_title(summary, sizeof(summary), report->config, row);
		text_section(report->results.out, report->results.out, report->config, summary, "");
	} else if (report->after_part || !report->results.has_heading) {
		text_heading(report->results.out, report->results.out, report->config, "");
	}
	report->results.has_heading = true;
}

static int print_text(struct report *report, const struct report_row *row, enum report_part part)
{
	int err = 0;

	if (part == REPORT_THREAD || !is_of_both(row, part))
		return held_rows_add(&report->held, report->results.out, report->config, row, part, "");
	text_between(report, row, part);
	if (wants_samples(report, row, part))
		err = text_samples(report->results.out, report->config, row);
	text_row(report->results.out, report->results.out, report->config, row, "");
	counters_print(report->results.out, &report->results.counters);
	text_queues(report->results.out, report->config, row);
	if (!err && report->config->each_alone)
		err = held_rows_add_peers(&report->held, report->results.out, report->config, row);
	/* An interval is short by choice: no reason for a warning on a stderr that scripts check. */
	if (!row->is_interval || isatty(fileno(report->results.out)))
		note_shortage(report, row);
	return err;
}

static int print_row(struct report *report, const struct report_row *row, enum report_part part)
{
	if (part == REPORT_THREAD && !report->config->each_alone)
		return 0;
	switch (report->config->format) {
	case FORMAT_CSV:
		report_heading(report);
		csv_row(report->results.out, report->config, row, part, &report->results.counters);
		return 0;
	case FORMAT_JSON:
	case FORMAT_JSONL:
	case FORMAT_OPENMETRICS:
		return 0; /* the document has already been printed */
	default:
		break;
	}
	if (report->config->output == OUTPUT_ALL)
		return print_text(report, row, part);
	/* A number alone cannot show that it is of a part. */
	if (part == REPORT_TOTAL)
		text_only_number(report->results.out, report->config, row);
	return 0;
}

/* What a reader must know besides the row. */
static void warn_about(struct report *report, const struct report_row *row)
{
	if (row->latency)
		report->backward += row->latency->backward;
	if (wants_samples(report, row, REPORT_TOTAL) && row->latency->num_samples < row->latency->histogram.count)
		log_warning("of %" PRIu64 " samples only the first %zu were kept for -H and -U",
			    row->latency->histogram.count, row->latency->num_samples);
	/* A number alone cannot show the mark. */
	if (row->partial && report->config->output != OUTPUT_ALL)
		log_warning("the result for %" PRIu64 " bytes is partial: the run was cut short", row->size);
}

/* Below the row, where both are seen on a terminal. */
static void note_open_exchange(const struct report_row *row)
{
	if (!(row->open_seconds > 0))
		return;
	log_warning("an exchange of %" PRIu64 " bytes was still open when the measured time ended: it %s %.*f s and "
		    "counts as a sample of %s",
		    row->size, row->open_answered ? "took" : "was open for", row->open_seconds < 0.1 ? 6 : 3,
		    row->open_seconds, row->open_answered ? "that" : "at least that");
}

/* The unanswered requests of an open loop, also below the row. */
static void note_unanswered(const struct report_row *row)
{
	const struct report_load *load = &row->load;

	if (load->lost)
		log_warning("%" PRIu64 " requests of %" PRIu64
			    " bytes, or their answers, were lost: they are not in any figure",
			    load->lost, row->size);
	/* At Ctrl-C there always are some. */
	if (load->stands_out || load->unsent > row->iterations / UNSENT_PART)
		log_warning("when the measured time ended, %" PRIu64 " requests of %" PRIu64
			    " bytes had not been answered and %" PRIu64
			    " more that were due had not been posted: those older than due_typical count as samples of "
			    "their age, although they would have taken longer",
			    load->unanswered, row->size, load->unsent);
}

static void note_possible(struct report *report, struct report_row *row)
{
	const struct report_config *config = report->config;

	if (config->path && config->spec->metric == METRIC_BW)
		payload_best_take(&report->best, config->path, config->possible, row);
}

int report_result(struct report *report, const struct report_row *made, enum report_part part)
{
	struct report_row stamped = *made;
	const struct report_row *row = &stamped;
	const bool is_result = part == REPORT_TOTAL && !row->is_interval; /* the row of a size */
	int err;

	stamped.over = stamp_of_cycles(made->end_cycles);
	progress_clear(&report->progress);
	if (is_result)
		note_possible(report, &stamped);
	if (is_of_both(row, part)) {
		err = counters_sample(&report->results.counters, row->is_interval);
		if (err)
			return err;
	}
	if (is_result)
		warn_about(report, row);
	if (envelope_is_open(&report->results.envelope))
		document_add(&report->document, row, part,
			     report->results.counters.count ? &report->results.counters : NULL);
	if (!report->results.out_err) {
		err = print_row(report, row, part);
		if (err)
			return fail_out(report, err);
	}
	report->after_part = row->is_interval && part != REPORT_TOTAL;
	report->after_interval = row->is_interval;
	err = results_flush(&report->results);
	if (is_result) {
		note_open_exchange(row);
		note_unanswered(row);
	}
	return err;
}

void report_validation(struct report *report, const struct report_validation *validation)
{
	report->document.validation = validation;
	print_parts(report);
	if (is_text(report))
		text_validation(report->results.out, validation);
	results_flush(&report->results);
}

struct results *report_results(struct report *report)
{
	return &report->results;
}

void report_progress(struct report *report, const struct progress_state *state)
{
	progress_show(&report->progress, state);
}

/*
 * Below the table, so that every cell is a number. Not on a stdout that a program reads: scripts count lines from the
 * end to find the table.
 */
static void note_unsupported(struct report *report)
{
	char line[256] = " ";
	char *const note = line + 1;

	text_unsupported_note(note, sizeof(line) - 1, report->unsupported_from, report->unsupported_samples);
	if (!report->results.out_err && isatty(fileno(report->results.out)))
		text_line(report->results.out, line);
	else
		log_info("%s", note);
}

int report_close(struct report *report, const char *status, const char *reason)
{
	progress_clear(&report->progress);
	if (report->backward)
		log_warning("the clock went backwards during %" PRIu64 " exchanges, which are not in any figure: %s",
			    report->backward,
			    clock_uses_gettime
				    ? "clock_gettime() is not monotonic on this host; use --pin_cores"
				    : "the cycle counters of this host's CPUs are not synchronized; use --pin_cores, "
				      "or set PERFTEST_CLOCK=gettime");
	print_parts(report);
	if (is_text(report) && (report->has_header || report->results.has_heading))
		text_rule(report->results.out, report->config);
	if (report->unsupported_from > 0)
		note_unsupported(report);
	payload_best_print(&report->best, report->config->path, report->config->possible, &report->results);
	document_begin(&report->document, NULL);
	return results_close(&report->results, status, reason);
}

void report_free(struct report *report)
{
	if (!report)
		return;
	progress_clear(&report->progress);
	held_rows_print(&report->held, NULL /* nowhere */);
	counters_close(&report->results.counters);
	document_close(&report->document);
	free(report->results.explanation);
	envelope_close(&report->results.envelope);
	free(report);
}

int report_counters_start(struct report *report, const char *device, unsigned port)
{
	struct counters opened;
	int err = counters_open(&opened, report->config->counters, sysfs_root(), device, port);

	if (err)
		return err;
	if (!opened.count)
		log_warning("port %u of %s has no counters for --report-counters (-W)", port, device);
	if (report->results.counters.count)
		return counters_join(&report->results.counters, &opened);
	report->results.counters = opened;
	return 0;
}

int report_counters_mark(struct report *report)
{
	return counters_sample(&report->results.counters, false /* is interval */);
}

struct cpu_use *report_cpu(struct report *report)
{
	return &report->cpu;
}
