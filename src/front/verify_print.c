// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What came of the runs of `perftest verify`: the verdict, and how it is printed: text or Markdown, TAP or JUnit's XML,
 * and the JSON document (docs/schema.json).
 */
#include <string.h>

#include "front/command.h"
#include "front/sheet.h"
#include "front/verify.h"
#include "report/envelope.h"
#include "util/process.h"

#define NUM_COLUMNS 4

static const char *const headings[NUM_COLUMNS] = {"claim", "result", "figure", "why"};
static const int widths[NUM_COLUMNS] = {-38, -7, 12, -40};
static const char *const state_names[] = {
	[OUTCOME_PASSED] = "passed", [OUTCOME_FAILED] = "FAILED", [OUTCOME_SKIPPED] = "skipped"};
static const char *const state_keys[] = {
	[OUTCOME_PASSED] = "passed", [OUTCOME_FAILED] = "failed", [OUTCOME_SKIPPED] = "skipped"};

static unsigned count_of(const struct verify *verify, enum outcome_state state)
{
	unsigned count = 0;

	for (unsigned i = 0; i < verify->num_rows; i++)
		count += verify->rows[i].outcome.state == state;
	return count;
}

int verify_status(const struct verify *verify)
{
	if (verify->interrupted)
		return EXIT_STATUS_INTERRUPTED;
	if (count_of(verify, OUTCOME_FAILED) && !verify->failure[0])
		return EXIT_STATUS_LIMIT;
	return count_of(verify, OUTCOME_PASSED) ? EXIT_STATUS_OK : EXIT_STATUS_FAILURE;
}

/* The command pair that repeats the row, in one line for a shell; nothing where it does not fit. */
static void repeat_write(const struct verify_row *row, char *text, size_t size)
{
	if (snprintf(text, size, "%s & %s --retry=10 localhost", row->command, row->command) >= (int)size)
		text[0] = '\0';
}

static void tables_print(const struct verify *verify, FILE *out)
{
	const bool markdown = verify->params->output.format == FORMAT_MARKDOWN;
	struct sheet table = {.out = out, .widths = markdown ? NULL : widths};
	char repeat[2 * VERIFY_COMMAND_SIZE + 32];

	command_sentence(out, "perftest verify: %s: %u passed, %u failed, %u skipped, in %.0f s",
			 verify->device[0] ? verify->device : "no device", count_of(verify, OUTCOME_PASSED),
			 count_of(verify, OUTCOME_FAILED), count_of(verify, OUTCOME_SKIPPED), verify->seconds);
	fprintf(out, "\n");
	sheet_table_begin(&table, NULL, false, 1 | 2 | 8, headings, NUM_COLUMNS);
	for (unsigned i = 0; i < verify->num_rows; i++) {
		const struct outcome *outcome = &verify->rows[i].outcome;

		sheet_cell(&table, "%s", outcome->name);
		sheet_cell(&table, "%s", state_names[outcome->state]);
		sheet_cell(&table, "%s", outcome->shown);
		sheet_cell(&table, "%s", outcome->words);
	}
	for (unsigned i = 0, said = 0; i < verify->num_rows; i++) {
		if (verify->rows[i].outcome.state != OUTCOME_FAILED)
			continue;
		repeat_write(&verify->rows[i], repeat, sizeof(repeat));
		/* one line, to be copied */
		fprintf(out, "%s%s%s: %s%s%s\n", said++ ? "" : "\n To repeat what failed:\n\n", markdown ? "- " : " ",
			verify->rows[i].outcome.name, markdown ? "`" : "", repeat, markdown ? "`" : "");
	}
}

static void outcome_fill(const void *context, unsigned n, struct outcome *outcome)
{
	const struct verify_row *row = &((const struct verify *)context)->rows[n];
	const size_t used = strlen(row->outcome.words);

	*outcome = row->outcome;
	if (outcome->state != OUTCOME_FAILED || used + 1 >= sizeof(outcome->words))
		return;
	outcome->words[used] = '\n';
	repeat_write(row, outcome->words + used + 1, sizeof(outcome->words) - used - 1);
}

void verify_print(const struct verify *verify, FILE *out)
{
	const enum output_format format = verify->params->output.format;

	if (outcome_is_format(format))
		outcomes_print("perftest verify", outcome_fill, verify, verify->num_rows, format, out);
	else
		tables_print(verify, out);
}

/* --- JSON --- */

static json_t *row_json(const struct verify_row *row)
{
	const struct outcome *outcome = &row->outcome;

	return json_pack("{s:s, s:s, s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:f}", "kind", "result", "verb",
			 row->verb->name, "transport", row->transport->name, "way", row->way->name, "state",
			 state_keys[outcome->state], "why", envelope_known(outcome->words), "command",
			 envelope_known(row->command), "figure", envelope_text(row->figure), "value",
			 row->figure ? json_real(row->value) : json_null(), "seconds", outcome->seconds);
}

int verify_export(const struct verify *verify, struct envelope *envelope)
{
	const struct verify_params *params = verify->params;
	const int status = verify_status(verify);
	json_t *words = json_array();

	for (unsigned i = 0; i < params->num_words; i++)
		json_array_append_new(words, envelope_text(params->words[i]));
	envelope_begin(envelope, "perftest", "host", "verify");
	envelope_put_member(envelope, "parameters",
			    json_pack("{s:o, s:o, s:o, s:i, s:i}", "ib_dev", envelope_known(params->device), "ib_port",
				      params->port ? json_integer(params->port) : json_null(), "only",
				      envelope_known(params->only), "budget", (int)params->budget_s, "limit",
				      (int)params->limit_s));
	envelope_put_member(envelope, "verify",
			    json_pack("{s:o, s:o, s:i, s:i, s:i}", "device", envelope_known(verify->device), "options",
				      words, "passed", (int)count_of(verify, OUTCOME_PASSED), "failed",
				      (int)count_of(verify, OUTCOME_FAILED), "skipped",
				      (int)count_of(verify, OUTCOME_SKIPPED)));
	envelope_begin_measurements(envelope);
	for (unsigned i = 0; i < verify->num_rows; i++)
		envelope_put_measurement(envelope, row_json(&verify->rows[i]));
	envelope_end_measurements(envelope);
	envelope->missed_limits = json_array();
	for (unsigned i = 0; i < verify->num_rows && status == EXIT_STATUS_LIMIT; i++)
		if (verify->rows[i].outcome.state == OUTCOME_FAILED)
			json_array_append_new(envelope->missed_limits, envelope_text(verify->rows[i].outcome.name));
	return command_end(envelope, status, "some claims failed",
			   verify->failure[0] ? verify->failure : "no claim could be tried");
}
