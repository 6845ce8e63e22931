// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See facts.h. */
#include "explain/facts.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "report/envelope.h"
#include "util/terminal.h"
#include "util/units.h"

#define LARGEST_FACT 1e30

enum { IS, COUNTS };

#define FACT_ROW(name, key, counts) {key, counts},
static const struct fact_row {
	const char *key;
	bool counts;
} rows[NUM_FACTS] = {FACTS(FACT_ROW)};

#define TEXT_ROW(name, key) key,
static const char *const texts[NUM_FACT_TEXTS] = {FACT_TEXTS(TEXT_ROW)};

void facts_clear(struct facts *facts)
{
	*facts = (struct facts){0};
	for (unsigned i = 0; i < NUM_FACTS; i++)
		facts->number[i] = NAN;
}

void facts_subtract(struct facts *facts, const struct facts *before)
{
	for (unsigned i = 0; i < NUM_FACTS; i++)
		if (rows[i].counts) /* fmax() would drop what is unknown */
			facts->number[i] =
				facts->number[i] < before->number[i] ? 0 : facts->number[i] - before->number[i];
}

void facts_write(const struct facts *facts, char words[MESSAGE_FACTS_SIZE])
{
	words[0] = '\0';
	for (unsigned i = 0; i < NUM_FACTS; i++)
		if (!isnan(facts->number[i]))
			text_add(words, MESSAGE_FACTS_SIZE, "%s=%.17g\n", rows[i].key, facts->number[i]);
	for (unsigned i = 0; i < NUM_FACT_TEXTS; i++)
		if (facts->text[i][0])
			text_add(words, MESSAGE_FACTS_SIZE, "%s=%s\n", texts[i], facts->text[i]);
	diagnosis_write(&facts->doctor, words, MESSAGE_FACTS_SIZE);
}

/* value: of the fact with this name, if it is known. 0 or -EBADMSG. */
static int take(struct facts *facts, const char *name, const char *value)
{
	for (unsigned i = 0; i < NUM_FACTS; i++)
		if (strcmp(name, rows[i].key) == 0)
			return units_parse_double(value, 0, LARGEST_FACT, &facts->number[i]) ? -EBADMSG : 0;
	for (unsigned i = 0; i < NUM_FACT_TEXTS; i++)
		if (strcmp(name, texts[i]) == 0)
			printable(value, strlen(value), facts->text[i], FACT_TEXT_SIZE);
	return diagnosis_take(&facts->doctor, name, value);
}

int facts_read(struct facts *facts, const char *words)
{
	struct facts read;
	char line[128], *equals;

	facts_clear(&read);
	for (size_t length; *words; words += length + (words[length] == '\n')) {
		length = strcspn(words, "\n");
		if (length >= sizeof(line))
			return -EBADMSG;
		memcpy(line, words, length);
		line[length] = '\0';
		equals = strchr(line, '=');
		if (!equals)
			return -EBADMSG;
		*equals = '\0';
		if (take(&read, line, equals + 1))
			return -EBADMSG;
	}
	*facts = read;
	return 0;
}

json_t *facts_json(const struct facts *facts)
{
	json_t *object = json_object();

	for (unsigned i = 0; i < NUM_FACTS; i++)
		json_object_set_new(object, rows[i].key, envelope_number(facts->number[i]));
	for (unsigned i = 0; i < NUM_FACT_TEXTS; i++)
		json_object_set_new(object, texts[i], envelope_known(facts->text[i]));
	json_object_set_new(object, "doctor", diagnosis_json(&facts->doctor));
	return object;
}
