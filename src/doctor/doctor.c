// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See doctor.h: examines everything, and prints the findings, as a page or as a JSON document. */
#include "doctor/doctor.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "doctor/checks.h"
#include "params/options.h"
#include "params/programs.h"
#include "report/envelope.h"
#include "util/log.h"
#include "util/process.h"
#include "util/terminal.h"

#define MOST_COLUMNS 100
#define TEXT_COLUMN  31 /* "  look here  relaxed ordering  " */

/* --- the page --- */

static unsigned page_count(const struct finding *findings, enum verdict verdict)
{
	unsigned count = 0;

	for (size_t i = 0; i < num_checks; i++)
		count += findings[i].verdict == verdict;
	return count;
}

/* Prints words in the second column, where the cursor is. */
static void page_print_wrapped(FILE *out, const char *text)
{
	char folded[4 * LOG_TEXT_SIZE];
	int columns = terminal_columns(out);

	if (!columns)
		columns = TERMINAL_USUAL_COLUMNS;
	if (columns > MOST_COLUMNS)
		columns = MOST_COLUMNS;
	fprintf(out, "%s\n", text_fold(text, columns, TEXT_COLUMN, TEXT_COLUMN, folded, sizeof(folded)));
}

void page_text(FILE *out, const struct subject *subject, const struct finding *findings)
{
	const char *group = "";
	char host[256] = "";

	gethostname(host, sizeof(host) - 1);
	if (subject->device[0])
		fprintf(out, "%s port %u on %s\n", subject->device, subject->port, host);
	else
		fprintf(out, "%s\n", host);
	for (size_t i = 0; i < num_checks; i++) {
		const struct finding *finding = &findings[i];

		if (finding->verdict == VERDICT_NONE)
			continue;
		if (strcmp(group, checks[i].group) != 0)
			fprintf(out, "\n%s\n", checks[i].group);
		group = checks[i].group;
		fprintf(out, "  %-9s  %-17s ", verdict_word(finding->verdict), checks[i].name);
		page_print_wrapped(out, finding->text);
		if (finding->advice[0]) {
			fprintf(out, "%*s-> ", TEXT_COLUMN - 3, "");
			page_print_wrapped(out, finding->advice);
		}
	}
	fprintf(out, "\n%u ok, %u to look at, %u unknown\n", page_count(findings, VERDICT_OK),
		page_count(findings, VERDICT_LOOK), page_count(findings, VERDICT_UNKNOWN));
}

static json_t *findings_value(const struct subject *subject, const struct finding *findings)
{
	json_t *list = json_array();

	for (size_t i = 0; i < num_checks; i++) {
		const struct finding *finding = &findings[i];

		if (finding->verdict == VERDICT_NONE)
			continue;
		json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:o, s:o}", "group", checks[i].group, "name",
						      checks[i].name, "verdict", verdict_word(finding->verdict), "text",
						      envelope_text(finding->text), "advice",
						      envelope_known(finding->advice)));
	}
	return json_pack("{s:o, s:o, s:b, s:i, s:i, s:i, s:o}", "device", envelope_known(subject->device), "port",
			 subject->device[0] ? json_integer(subject->port) : json_null(), "software",
			 subject->kind == SUBJECT_SOFTWARE, "ok", (int)page_count(findings, VERDICT_OK), "look_here",
			 (int)page_count(findings, VERDICT_LOOK), "unknown", (int)page_count(findings, VERDICT_UNKNOWN),
			 "checks", list);
}

static int write_document(const struct params *params, const struct subject *subject, const struct finding *findings)
{
	struct envelope envelope = {0};
	int ret;

	ret = envelope_open(&envelope, params->report.format, stdout, params->report.json_path, params->report.labels);
	if (ret)
		return ret;
	envelope_begin(&envelope, params->program->name, "host", "doctor");
	envelope_put_member(&envelope, "parameters",
			    parameters_json(&params_options, program_bit(params->program), params));
	envelope_put_member(&envelope, "doctor", findings_value(subject, findings));
	ret = envelope_end(&envelope, "complete", NULL);
	envelope_close(&envelope);
	return ret;
}

/* To stdout and the file of --out_json, as --output_format has it. 0 or -errno, reported. */
static int page_write(const struct params *params, const struct subject *subject, const struct finding *findings)
{
	int ret = 0;

	if (output_is_document(params->report.format) || params->report.out_json)
		ret = write_document(params, subject, findings);
	if (params->report.format == FORMAT_TEXT)
		page_text(stdout, subject, findings);
	return stdio_status() ? -EIO : ret;
}

enum exit_status doctor_run(const struct params *params)
{
	const struct doctor_options options = {
		.device = params->verbs.device_name,
		.port = params->verbs.port,
		.transport = params->verbs.transport,
		.use_hugepages = params->memory.use_hugepages,
		.disable_numa = params->cpus.disable_numa,
		.program = {&params_options, program_bit(params->program)},
	};
	struct finding *findings = calloc(num_checks, sizeof(*findings));
	struct subject *subject = calloc(1, sizeof(*subject));
	enum exit_status status = EXIT_STATUS_FAILURE;

	if (!findings || !subject) {
		log_error("no memory for the findings");
		goto out;
	}
	if (subject_open(subject, &options))
		goto out;
	for (size_t i = 0; i < num_checks; i++)
		check_run(&checks[i], subject, &findings[i]);
	if (page_write(params, subject, findings))
		goto out;
	status = page_count(findings, VERDICT_LOOK) ? EXIT_STATUS_FINDINGS : EXIT_STATUS_OK;
out:
	free(subject);
	free(findings);
	return status;
}
