// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See outcome.h. */
#include "front/outcome.h"

/*
 * Each line of the text after this; each character that means something to a reader by its other name, and what is not
 * printable ASCII, as in a FILE's name, as '.': XML has no control characters, and only whole ones of UTF-8.
 */
static void text_print(FILE *out, const char *before, const char *text, const char *const names[128])
{
	for (const char *at = text; *at; at++) {
		if (at == text || at[-1] == '\n')
			fputs(before, out);
		if (*at != '\n' && (*at < ' ' || *at > '~'))
			fputc('.', out);
		else if (names[(unsigned char)*at])
			fputs(names[(unsigned char)*at], out);
		else
			fputc(*at, out);
	}
}

/* --- TAP --- */

/* '#' begins a directive. */
static const char *const tap_names[128] = {['#'] = "\\#"};

static void tap_print(const struct outcome *outcome, unsigned number, FILE *out)
{
	const bool skipped = outcome->state == OUTCOME_SKIPPED;

	fprintf(out, "%sok %u - ", outcome->state == OUTCOME_FAILED ? "not " : "", number);
	text_print(out, "", outcome->name, tap_names);
	fputs(skipped ? " # SKIP " : "\n", out);
	text_print(out, skipped ? "" : "# ", outcome->words, tap_names);
	if (outcome->words[0] || skipped)
		fputc('\n', out);
	if (outcome->shown[0])
		fprintf(out, "# %s\n", outcome->shown);
}

/* --- JUnit --- */

static const char *const xml_names[128] = {
	['&'] = "&amp;", ['<'] = "&lt;", ['>'] = "&gt;", ['"'] = "&quot;", ['\n'] = "&#10;"};

static void attribute_print(const char *name, const char *value, FILE *out)
{
	fprintf(out, " %s=\"", name);
	text_print(out, "", value, xml_names);
	fputc('"', out);
}

static void case_print(const char *suite, const struct outcome *outcome, FILE *out)
{
	fputs("    <testcase", out);
	attribute_print("classname", suite, out);
	attribute_print("name", outcome->name, out);
	fprintf(out, " time=\"%.3f\">\n", outcome->seconds);
	if (outcome->state != OUTCOME_PASSED) {
		fprintf(out, "      <%s", outcome->state == OUTCOME_FAILED ? "failure" : "skipped");
		attribute_print("message", outcome->words, out);
		fputs("/>\n", out);
	}
	if (outcome->shown[0]) {
		fputs("      <system-out>", out);
		text_print(out, "", outcome->shown, xml_names);
		fputs("</system-out>\n", out);
	}
	fputs("    </testcase>\n", out);
}

/* The sums come first. */
static void junit_begin(const char *suite, outcome_fill_fn fill, const void *context, unsigned count, FILE *out)
{
	unsigned of_state[OUTCOME_SKIPPED + 1] = {0};
	double seconds = 0;

	for (unsigned i = 0; i < count; i++) {
		struct outcome outcome = {.state = OUTCOME_PASSED};

		fill(context, i, &outcome);
		of_state[outcome.state]++;
		seconds += outcome.seconds;
	}
	fprintf(out,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite name=\"%s\" tests=\"%u\" "
		"failures=\"%u\" errors=\"0\" skipped=\"%u\" time=\"%.3f\">\n",
		suite, count, of_state[OUTCOME_FAILED], of_state[OUTCOME_SKIPPED], seconds);
}

void outcomes_print(const char *suite, outcome_fill_fn fill, const void *context, unsigned count,
		    enum output_format format, FILE *out)
{
	const bool is_junit = format == FORMAT_JUNIT;

	if (is_junit)
		junit_begin(suite, fill, context, count, out);
	else
		fprintf(out, "TAP version 13\n1..%u\n", count);
	for (unsigned i = 0; i < count; i++) {
		struct outcome outcome = {.state = OUTCOME_PASSED};

		fill(context, i, &outcome);
		if (is_junit)
			case_print(suite, &outcome, out);
		else
			tap_print(&outcome, i + 1, out);
	}
	if (is_junit)
		fputs("  </testsuite>\n</testsuites>\n", out);
}
