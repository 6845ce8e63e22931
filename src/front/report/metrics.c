// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* `perftest metrics`: the results of JSON documents, kept or on standard input, as report/metrics.h prints them. */
#include "config.h"

#include "front/report/metrics.h"

#include <errno.h>

#include "front/command.h"
#include "front/document_file.h"
#include "front/figure.h"
#include "report/metrics.h"
#include "util/exit_status.h"
#include "util/log.h"

static int file_add(json_t *metrics, const char *path)
{
	json_t *documents = document_file_load_all(path, "show"), *document;
	int ret = documents ? 0 : -EINVAL;
	size_t i;

	json_array_foreach(documents, i, document)
	{
		if (!ret)
			ret = metrics_add(metrics, document, figure_main);
	}
	if (ret == -ENOMEM)
		log_error("out of memory");
	json_decref(documents);
	return ret;
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
	const int own = command_begin_operands(&metrics_cli, argc, argv, &params, &params.show_help, &status);
	json_t *metrics;

	if (!own)
		return status;
	if (own >= argc)
		return cli_usage_error("which documents? Those of --out_json_file, or - for standard input");
	metrics = json_object();
	for (int i = own; i < argc; i++) {
		if (file_add(metrics, argv[i]))
			goto out;
	}
	status = command_write(params.path, print, metrics);
out:
	json_decref(metrics);
	return status;
}
