// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See comparison.h. */
#include "front/compare/comparison.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats/confidence.h"
#include "util/process.h"
#include "util/terminal.h"

#define LEVEL	     0.05
#define LOOKS	     8 /* most pairs, in those of the first look; each look is at twice as many as that before */
#define MARGIN	     7 /* of the first look, in pairs more than the least that can find a difference */
#define NARROW	     4 /* percent: an interval that needs no more pairs */
#define MOST_FIGURES 512

/* --- adding --- */

/* What a result is of. */
static void subject_write(const json_t *result, char *text, size_t size)
{
	const json_t *bytes = json_object_get(result, "size_bytes"), *test = json_object_get(result, "test");
	const json_t *share = json_object_get(result, "share_percent"), *step = json_object_get(result, "step");
	char name[40] = "";

	if (!bytes)
		bytes = json_object_get(result, "msg_size_bytes");
	if (json_is_string(test))
		readable(json_string_value(test), json_string_length(test), text, size);
	else if (json_is_integer(bytes))
		snprintf(text, size, "%lld", (long long)json_integer_value(bytes));
	else
		snprintf(text, size, "all"); /* raw_ethernet_fs_rate */
	if (json_is_string(step))	     /* of cmtime */
		text_list_add(text, size,
			      readable(json_string_value(step), json_string_length(step), name, sizeof(name)));
	if (json_is_number(share))
		text_add(text, size, " at %.3g %%", json_number_value(share));
}

/* The figures that a result of A and the same one of B have; those that say little more only where sizes differ. */
static int result_add(struct comparison *comparison, json_t *const results[COMPARE_NUM_SIDES], unsigned n)
{
	char subjects[COMPARE_NUM_SIDES][40];
	bool leads = true, differ;

	for (unsigned side = 0; side < COMPARE_NUM_SIDES; side++)
		subject_write(results[side], subjects[side], sizeof(subjects[side]));
	differ = strcmp(subjects[0], subjects[1]) != 0;
	for (unsigned i = 0; i < figure_num_kinds && comparison->num_figures < MOST_FIGURES; i++) {
		const struct figure_kind *kind = &figure_kinds[i];
		struct comparison_figure *figure;

		if (isnan(figure_read(results[0], kind)) || isnan(figure_read(results[1], kind)) ||
		    (kind->is_spare && !leads && !differ))
			continue;
		figure = realloc(comparison->figures, (comparison->num_figures + 1) * sizeof(*figure));
		if (!figure)
			return -ENOMEM;
		comparison->figures = figure;
		figure += comparison->num_figures++;
		*figure = (struct comparison_figure){.kind = kind, .result = n, .leads = leads};
		snprintf(figure->subject, sizeof(figure->subject), "%s%s%s", subjects[0], differ ? "/" : "",
			 differ ? subjects[1] : "");
		leads = false;
	}
	return 0;
}

/* The name of the first figure of the document's results. */
static const char *first_name(const json_t *document)
{
	for (uint8_t i = 0; i < figure_num_kinds; i++)
		if (!isnan(figure_read(figure_row(document, 0), &figure_kinds[i])))
			return figure_kinds[i].name;
	return "none";
}

static unsigned count_rows(const json_t *document)
{
	unsigned count = 0;

	while (figure_row(document, count))
		count++;
	return count;
}

static int figures_find(struct comparison *comparison, json_t *const documents[COMPARE_NUM_SIDES])
{
	json_t *results[COMPARE_NUM_SIDES];

	for (unsigned n = 0;; n++) {
		for (unsigned side = 0; side < COMPARE_NUM_SIDES; side++)
			results[side] = figure_row(documents[side], n);
		if (!results[0] || !results[1])
			break;
		if (result_add(comparison, results, n))
			return -ENOMEM;
	}
	if (!results[0] && !results[1] && comparison->num_figures)
		return 0;
	if (results[0] || results[1])
		snprintf(comparison->fault, sizeof(comparison->fault),
			 "A and B have different numbers of results, %u and %u: of each size or test one",
			 count_rows(documents[0]), count_rows(documents[1]));
	else
		snprintf(comparison->fault, sizeof(comparison->fault),
			 "A and B have no figure in common: A has %s, B %s", first_name(documents[0]),
			 first_name(documents[1]));
	return -ENODATA;
}

int comparison_add(struct comparison *comparison, json_t *const documents[COMPARE_NUM_SIDES])
{
	int ret;

	snprintf(comparison->fault, sizeof(comparison->fault), "out of memory");
	ret = comparison->num_figures ? 0 : figures_find(comparison, documents);

	for (unsigned i = 0; i < comparison->num_figures && !ret; i++) {
		struct comparison_figure *figure = &comparison->figures[i];

		for (unsigned side = 0; side < COMPARE_NUM_SIDES; side++)
			figure->values[side][comparison->num_pairs] =
				figure_read(figure_row(documents[side], figure->result), figure->kind);
	}
	comparison->num_pairs += !ret;
	return ret;
}

void comparison_close(struct comparison *comparison)
{
	free(comparison->figures);
	json_decref(comparison->differences);
}

/* --- judging --- */

/* Of the pairs with both figures. Returns their number. */
static unsigned changes_of(const struct comparison *comparison, const struct comparison_figure *figure,
			   double changes[PAIRED_MOST])
{
	unsigned count = 0;

	for (unsigned i = 0; i < comparison->num_pairs; i++) {
		changes[count] = log(figure->values[1][i] / figure->values[0][i]);
		count += !isnan(changes[count]);
	}
	return count;
}

static int figures_judge(struct comparison *comparison)
{
	double changes[PAIRED_MOST];
	int ret = 0;

	for (unsigned i = 0; i < comparison->num_figures && !ret; i++) {
		struct comparison_figure *figure = &comparison->figures[i];
		const unsigned count = changes_of(comparison, figure, changes);

		ret = paired_judge(changes, count, paired_clip(count), figure->level, &figure->paired);
	}
	return ret;
}

static unsigned first_look(const struct comparison *comparison)
{
	const unsigned figures = comparison->num_figures ? comparison->num_figures : 1;

	return paired_least(LEVEL / LOOKS / figures) + MARGIN;
}

unsigned comparison_most(const struct comparison *comparison)
{
	return comparison->params->runs ? comparison->params->runs : first_look(comparison) * LOOKS;
}

static unsigned next_look(const struct comparison *comparison)
{
	const struct compare_params *params = comparison->params;
	const unsigned most = comparison_most(comparison);
	unsigned look = params->runs && !(params->until > 0) ? most : first_look(comparison);

	while (look <= comparison->num_judged)
		look *= 2;
	return look < most ? look : most;
}

int comparison_judge(struct comparison *comparison, bool at_end)
{
	const unsigned most = comparison_most(comparison), now = comparison->num_pairs;
	const bool is_due = now == next_look(comparison);
	const double level = LEVEL * ((is_due ? now : most) - comparison->num_judged) / most;
	double p[MOST_FIGURES], levels[MOST_FIGURES];
	int ret;

	if (now == comparison->num_judged || !(is_due || at_end))
		return 0;
	comparison->num_judged = now;
	ret = figures_judge(comparison); /* for p alone */
	for (unsigned i = 0; i < comparison->num_figures; i++)
		p[i] = comparison->figures[i].paired.p;
	paired_levels(p, comparison->num_figures, level, levels);
	for (unsigned i = 0; i < comparison->num_figures; i++)
		comparison->figures[i].level = levels[i];
	return ret ? ret : figures_judge(comparison);
}

bool comparison_is_decided(const struct comparison *comparison)
{
	const double until = comparison->params->until;
	bool decided = comparison->num_judged > 0; /* the result before */

	for (unsigned i = 0; i < comparison->num_figures; i++) {
		const struct comparison_figure *figure = &comparison->figures[i];
		const double width = 100 * (exp(figure->paired.high) - exp(figure->paired.low));

		if (figure->leads && !decided)
			return false;
		if (figure->leads)
			decided = width < (until > 0 ? until : NARROW);
		decided |= !(until > 0) && comparison_verdict(comparison, figure) >= COMPARISON_BETTER;
	}
	return decided;
}

bool comparison_is_over(const struct comparison *comparison)
{
	return comparison->num_judged == comparison->num_pairs &&
	       (comparison->num_pairs == comparison_most(comparison) || comparison_is_decided(comparison));
}

/* --- the verdict --- */

enum comparison_verdict comparison_verdict(const struct comparison *comparison, const struct comparison_figure *figure)
{
	const struct paired *paired = &figure->paired;

	if (comparison->params->documents[0] || isinf(paired->low))
		return COMPARISON_UNKNOWN;
	if (paired->p > figure->level)
		return COMPARISON_SAME;
	return (paired->change < 0) == figure->kind->lower_is_best ? COMPARISON_BETTER : COMPARISON_WORSE;
}

static double percent_of(double change)
{
	return 100 * fabs(expm1(change));
}

/* Enough decimals for two digits. */
static int decimals_of(double percent)
{
	return percent < 1 ? 2 : percent < 100 ? 1 : 0;
}

const char *comparison_words(const struct comparison *comparison, const struct comparison_figure *figure,
			     char text[COMPARISON_TEXT_SIZE])
{
	const struct paired *paired = &figure->paired;
	const double low = percent_of(paired->low), high = percent_of(paired->high), most = fmax(low, high);
	const double shown = percent_of(paired->change), step = pow(10, -decimals_of(most));
	const bool is_time = figure->kind->lower_is_best;

	switch (comparison_verdict(comparison, figure)) {
	case COMPARISON_UNKNOWN:
		snprintf(text, COMPARISON_TEXT_SIZE, "too few runs to tell; %u are needed",
			 paired_least(figure->level));
		break;
	case COMPARISON_SAME: /* rounded up */
		snprintf(text, COMPARISON_TEXT_SIZE, "no difference larger than %.*f %%", decimals_of(most),
			 ceil(most / step - 1e-9) * step);
		break;
	default:
		snprintf(text, COMPARISON_TEXT_SIZE, "B %s %.*f %% %s (%.*f to %.*f %%)", is_time ? "takes" : "is",
			 decimals_of(shown), shown,
			 paired->change > 0 ? (is_time ? "more time" : "faster") : (is_time ? "less time" : "slower"),
			 decimals_of(shown), fmin(low, high), decimals_of(shown), most);
		break;
	}
	return text;
}

int comparison_subject_width(const struct comparison *comparison, int least)
{
	for (unsigned i = 0; i < comparison->num_figures; i++)
		if ((int)strlen(comparison->figures[i].subject) > least)
			least = (int)strlen(comparison->figures[i].subject);
	return least;
}

double comparison_median(const struct comparison *comparison, const struct comparison_figure *figure, unsigned side)
{
	double values[PAIRED_MOST];
	unsigned count = 0;

	for (unsigned i = 0; i < comparison->num_pairs; i++) {
		values[count] = figure->values[side][i];
		count += !isnan(values[count]);
	}
	return confidence_of_median(values, count).center;
}

int comparison_status(const struct comparison *comparison)
{
	if (comparison->interrupted)
		return EXIT_STATUS_INTERRUPTED;
	if (comparison->failed)
		return EXIT_STATUS_FAILURE;
	for (unsigned i = 0; i < comparison->num_figures; i++)
		if (comparison_verdict(comparison, &comparison->figures[i]) == COMPARISON_WORSE)
			return EXIT_STATUS_LIMIT;
	return EXIT_STATUS_OK;
}
