// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See explain.h. */
#include "explain/explain.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/results.h"
#include "util/terminal.h"

static double rank_of(const struct explained *explained)
{
	const double ratio = explained->level / explained->cause->threshold;

	return ratio < CAUSE_LARGEST_RATIO ? ratio : CAUSE_LARGEST_RATIO;
}

int explained_compare(const struct explained *one, const struct explained *other)
{
	const double difference = rank_of(other) - rank_of(one);

	if (difference < 0 || difference > 0)
		return difference < 0 ? -1 : 1;
	return one->cause != other->cause ? (one->cause < other->cause ? -1 : 1) : (int)one->side - (int)other->side;
}

static int compare(const void *left, const void *right)
{
	return explained_compare(left, right);
}

static void look_at(struct explanation *explanation, const struct cause *cause, unsigned side)
{
	struct explained *named = &explanation->list[explanation->count];
	const struct view view = {&explanation->test, &explanation->facts[side], cause};

	if (explanation->count == EXPLAIN_MOST)
		return;
	*named = (struct explained){.cause = cause, .side = side};
	named->level = cause->level(&view, named->evidence);
	/* A peer may say anything: no figure of a document is infinite. */
	explanation->count += isfinite(named->level) && named->level >= cause->threshold;
}

void explain(struct explanation *explanation)
{
	explanation->count = 0;
	for (const struct cause *cause = causes; cause < causes + num_causes; cause++) {
		if (cause->is_of_data && explanation->test.is_setup)
			continue;
		look_at(explanation, cause, 0);
		if (cause->place == CAUSE_OF_SIDE && explanation->has_peer)
			look_at(explanation, cause, 1);
	}
	qsort(explanation->list, explanation->count, sizeof(explanation->list[0]), compare);
}

static bool is_of_client(const struct explanation *explanation, unsigned side)
{
	return explanation->test.is_client == (side == 0);
}

const char *explained_where(const struct explained *explained, bool is_client)
{
	if (explained->cause->place == CAUSE_OF_PATH)
		return "path";
	if (explained->cause->place == CAUSE_OF_TEST)
		return "test";
	return is_client ? "client" : "server";
}

/* Then advice was given for the other side. */
static bool is_named_before(const struct explanation *explanation, unsigned index)
{
	const struct cause *cause = explanation->list[index].cause;

	while (index--)
		if (explanation->list[index].cause == cause)
			return true;
	return false;
}

const char *explained_advice(const struct explained *explained, const struct advised *program,
			     char text[EXPLAIN_EVIDENCE_SIZE])
{
	snprintf(text, EXPLAIN_EVIDENCE_SIZE, "%s", explained->cause->advice);
	advice_fit(program, text);
	return text;
}

/* What may be worth a look, whether or not it has cost this test anything. */
void explain_doctor(const struct diagnosis *doctor, const char *name, char text[EXPLAIN_TEXT_SIZE])
{
	for (unsigned i = 0; i < doctor->listed; i++) {
		const struct diagnosed *found = &doctor->list[i];

		text_add(text, EXPLAIN_TEXT_SIZE, "%s doctor, not ranked: %s: %s\n", name, found->check, found->text);
		if (found->advice[0])
			text_add(text, EXPLAIN_TEXT_SIZE, "   -> %s\n", found->advice);
	}
	if (doctor->count > doctor->listed)
		text_add(text, EXPLAIN_TEXT_SIZE, "%s doctor: %u more, see perftest doctor there\n", name,
			 doctor->count - doctor->listed);
}

void explain_text(const struct explanation *explanation, char text[EXPLAIN_TEXT_SIZE])
{
	const double seconds = explanation->facts[0].number[FACT_SECONDS];
	const char *without = explanation->test.without;
	const struct advised *program = &explanation->test.program;
	char advice[EXPLAIN_EVIDENCE_SIZE] = "[: --duration 1][: --time 1]";

	text[0] = '\0';
	if (!explanation->count)
		text_add(text, EXPLAIN_TEXT_SIZE, "No cause found: nothing seen on %s slows this test down\n",
			 explanation->has_peer ? "either side" : "this side");
	advice_fit(program, advice);
	if (!explanation->count && seconds < CAUSE_LEAST_WAIT_S)
		text_add(text, EXPLAIN_TEXT_SIZE, "   -> %.0f ms are too few to see whether others use its CPU%s\n",
			 1e3 * seconds, advice);
	for (unsigned i = 0; i < explanation->count; i++) {
		const struct explained *explained = &explanation->list[i];

		text_add(text, EXPLAIN_TEXT_SIZE, "%s: %s (%s): %s\n", i ? "Also" : "Likeliest cause",
			 explained->cause->name, explained_where(explained, is_of_client(explanation, explained->side)),
			 explained->evidence);
		if (!is_named_before(explanation, i))
			text_add(text, EXPLAIN_TEXT_SIZE, "   -> %s\n", explained_advice(explained, program, advice));
	}
	for (unsigned side = 0; side <= explanation->has_peer; side++)
		explain_doctor(&explanation->facts[side].doctor, is_of_client(explanation, side) ? "client" : "server",
			       text);
	if (!explanation->has_peer)
		text_add(text, EXPLAIN_TEXT_SIZE, "%s",
			 without ? without : "The other side cannot tell what it has seen\n");
}

json_t *explained_json(const struct explained *explained, const struct advised *program, bool is_client)
{
	char advice[EXPLAIN_EVIDENCE_SIZE];

	return json_pack("{s:s, s:s, s:s, s:s, s:f, s:f}", "cause", explained->cause->name, "where",
			 explained_where(explained, is_client), "evidence", explained->evidence, "advice",
			 explained_advice(explained, program, advice), "level", explained->level, "threshold",
			 explained->cause->threshold);
}

json_t *explain_json(const struct explanation *explanation)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < explanation->count; i++)
		json_array_append_new(list, explained_json(&explanation->list[i], &explanation->test.program,
							   is_of_client(explanation, explanation->list[i].side)));
	return json_pack("{s:o, s:o, s:o}", "causes", list, "local", facts_json(&explanation->facts[0]), "remote",
			 explanation->has_peer ? facts_json(&explanation->facts[1]) : json_null());
}

void explain_results(const struct explanation *explanation, struct results *results)
{
	char text[EXPLAIN_TEXT_SIZE];

	explain_text(explanation, text);
	results_explain(results, text, explain_json(explanation));
}
