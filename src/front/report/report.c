// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See report.h. */
#include "front/report/report.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "front/command.h"
#include "front/figure.h"
#include "front/report/distribution.h"
#include "report/output_file.h"
#include "util/log.h"
#include "util/process.h"
#include "util/terminal.h"

#define LINE_SIZE      1001
#define NAME_SIZE      96
#define MOST_SENTENCES 100 /* warnings and missed limits of a document */

struct report_input {
	const struct report_params *params;
	json_t *documents; /* an array of {"name": TEXT, "document": {}} */
};

/* --- the runs --- */

static const char *status_of(const json_t *document)
{
	const char *status = report_text(document, "status");

	return status[0] ? status : "no end: it was killed, or still runs";
}

static void command_text(const json_t *document, char line[LINE_SIZE])
{
	json_t *word;
	size_t i;

	line[0] = '\0';
	json_array_foreach(json_object_get(document, "command"), i, word)
	{
		text_add(line, LINE_SIZE, "%s%s", i ? " " : "", json_string_value(word) ?: "");
	}
}

/* qperf has those of a test in its result. */
static const char *member_text(const json_t *document, const char *outer, const char *inner)
{
	return document_file_text(json_object_get(document, outer) ? document : figure_result(document, 0), outer,
				  inner);
}

static void runs_print(const json_t *documents, struct sheet *sheet)
{
	static const char *const headings[] = {"document", "status",	    "host",   "peer",
					       "device",   "started [UTC]", "command"};
	char line[LINE_SIZE];
	json_t *entry;
	size_t i;

	sheet_heading(sheet, "Runs");
	sheet_table_begin(sheet, "Runs", false, 1 | 2 | 4 | 8 | 16 | 64, headings, 7);
	json_array_foreach((json_t *)documents, i, entry)
	{
		const json_t *document = json_object_get(entry, "document");
		const char *started = report_text(document, "started"); /* RFC 3339 */

		command_text(document, line);
		sheet_cell(sheet, "%s", report_text(entry, "name"));
		sheet_cell(sheet, "%s", status_of(document));
		sheet_cell(sheet, "%s", document_file_text(document, "host", "name"));
		sheet_cell(sheet, "%s", member_text(document, "peer", "host"));
		sheet_cell(sheet, "%s", member_text(document, "device", "name"));
		sheet_cell(sheet, "%.10s %.5s", started, strlen(started) > 11 ? started + 11 : "");
		sheet_cell(sheet, "%s", line);
	}
	sheet_table_end(sheet);
}

static void sentences_print(const char *name, const char *what, const json_t *sentences, struct sheet *sheet)
{
	for (size_t i = 0; i < json_array_size(sentences) && i < MOST_SENTENCES; i++)
		sheet_notice(sheet, "%s: %s%s", name, what, json_string_value(json_array_get(sentences, i)) ?: "");
}

/* What a reader must know of the figures, before them. */
static void notices_print(const json_t *documents, struct sheet *sheet)
{
	json_t *entry;
	size_t i;

	json_array_foreach((json_t *)documents, i, entry)
	{
		const json_t *document = json_object_get(entry, "document");
		const char *name = report_text(entry, "name"), *reason = report_text(document, "reason");
		const json_t *missed = json_object_get(document, "missed_limits");

		if (strcmp(status_of(document), "complete") != 0 && !json_array_size(missed))
			sheet_notice(sheet, "%s: %s%s%s", name, status_of(document), reason[0] ? ": " : "", reason);
		sentences_print(name, "missed: ", missed, sheet);
		sentences_print(name, "warning: ", json_object_get(document, "warnings"), sheet);
	}
}

static int print_page(const void *data, FILE *out)
{
	const struct report_input *page = data;
	struct sheet sheet = {.out = out, .html = page->params->format == REPORT_HTML};
	int ret;

	sheet_open(&sheet, page->params->title[0] ? page->params->title : "Results of perftest");
	runs_print(page->documents, &sheet);
	notices_print(page->documents, &sheet);
	pictures_print(page->documents, &sheet);
	ret = plots_print(page->documents, &sheet);
	sheet_close(&sheet);
	return ret;
}

/* --- HdrHistogram's text --- */

static int hgrm_print(const void *data, FILE *out)
{
	struct distribution distribution = *(const struct distribution *)data;

	distribution_print(&distribution, out);
	return 0;
}

/* The n-th histogram of all documents, from 0; false: there are fewer. */
static bool find_histogram(const json_t *documents, unsigned n, struct distribution *distribution)
{
	json_t *entry, *row;
	size_t i, j;

	json_array_foreach((json_t *)documents, i, entry)
	{
		json_array_foreach(json_object_get(json_object_get(entry, "document"), "measurements"), j, row)
		{
			for (unsigned kind = 0; kind < DISTRIBUTION_NUM_KINDS; kind++)
				if (distribution_find(row, distribution_kinds[kind], distribution) && !n--)
					return true;
		}
	}
	return false;
}

static int hgrm_write(const struct report_input *page)
{
	const char *path = page->params->path;
	struct distribution distribution;
	char numbered[sizeof(page->params->path)];
	int status = EXIT_STATUS_OK;

	if (!find_histogram(page->documents, 0, &distribution)) {
		log_error("no result of these documents has a latency histogram");
		return EXIT_STATUS_FAILURE;
	}
	if (!find_histogram(page->documents, 1, &distribution))
		return command_write(path, hgrm_print, &distribution);
	if (!path[0]) {
		log_error("these documents have several histograms: -o FILE.hgrm makes a file of each");
		return EXIT_STATUS_USAGE;
	}
	for (unsigned n = 0; !status && find_histogram(page->documents, n, &distribution); n++) {
		if (output_file_number(numbered, sizeof(numbered), path, n + 1)) {
			log_error("the name of the file is too long");
			return EXIT_STATUS_FAILURE;
		}
		status = command_write(numbered, hgrm_print, &distribution);
	}
	return status;
}

/* --- the command --- */

/*
 * "runs/bw.json" gives "bw", and "bw 2" for the second document of the file; that of a run of perftest run -f "bw
 * NAME".
 */
static json_t *name_make(const char *path, size_t n, const json_t *documents)
{
	const char *base = strrchr(path, '/') ? strrchr(path, '/') + 1 : path, *end = strrchr(base, '.');
	const char *run = document_file_text(json_array_get(documents, n), "labels", "run");
	const size_t length = end && end > base ? (size_t)(end - base) : strlen(base);
	char name[NAME_SIZE], of_run[NAME_SIZE];

	readable(base, length, name, sizeof(name));
	if (!n)
		return json_string(name);
	if (run[0] && strcmp(document_file_text(json_array_get(documents, 0), NULL, "metric"), "batch") == 0)
		return json_sprintf("%s %s", name, readable(run, strlen(run), of_run, sizeof(of_run)));
	return json_sprintf("%s %zu", name, n + 1);
}

static int document_add(void *all, const char *path, const json_t *documents, size_t i)
{
	json_t *entry = json_pack("{s:o, s:O}", "name", name_make(path, i, documents), "document",
				  json_array_get(documents, i));

	return json_array_append_new(all, entry) ? -ENOMEM : 0;
}

int report_main(int argc, char **argv)
{
	struct report_params params = {.show_help = false};
	struct report_input page = {.params = &params};
	int status = EXIT_STATUS_FAILURE;
	const int own = command_begin_operands(&report_cli, argc, argv, &params, &status);

	if (!own)
		return status;
	if (own >= argc)
		return cli_usage_error("which documents? Those of --out_json_file, or - for standard input");
	page.documents = json_array();
	if (!document_files_each(argv + own, argc - own, "report", document_add, page.documents))
		status = params.format == REPORT_HGRM ? hgrm_write(&page)
						      : command_write(params.path, print_page, &page);
	json_decref(page.documents);
	return status;
}
