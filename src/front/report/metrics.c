// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* `perftest metrics`: the results of JSON documents, kept or on standard input, as report/metrics.h prints them. */
#include "report/metrics.h"
#include "front/command.h"
#include "front/document_file.h"
#include "front/figure.h"
#include "front/report/report.h"
#include "util/process.h"

static int add(void *metrics, const char *path, const json_t *documents, size_t i)
{
	(void)path;
	return metrics_add(metrics, json_array_get(documents, i), figure_main);
}

static int print(const void *metrics, FILE *out)
{
	metrics_print(metrics, out);
	return 0;
}

int metrics_main(int argc, char **argv)
{
	struct metrics_params params = {.show_help = false};
	int status = EXIT_STATUS_FAILURE;
	const int own = command_begin_operands(&metrics_cli, argc, argv, &params, &status);
	json_t *metrics;

	if (!own)
		return status;
	if (own >= argc)
		return cli_usage_error("which documents? Those of --out_json_file, or - for standard input");
	metrics = json_object();
	if (!document_files_each(argv + own, argc - own, "show", add, metrics))
		status = command_write(params.path, print, metrics);
	json_decref(metrics);
	return status;
}
