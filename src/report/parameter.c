// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Converts the text that a user would write, from opt_value_write(), back to a number if it is one. */
#include "report/parameter.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "report/envelope.h"

#define MAX_KEY 64

static json_t *list_value(const char *text)
{
	json_t *list = json_array();
	char *end;

	while (list && *text) {
		json_array_append_new(list, json_real(strtod(text, &end)));
		text = *end ? end + 1 : end;
	}
	return list;
}

static json_t *parameter_value(const struct opt_row *row, const char *text)
{
	const bool is_word = row->special && strcmp(text, row->special) == 0;
	double number;
	char *end;

	switch (row->kind) {
	case OPT_FLAG:
		return json_boolean(strcmp(text, "on") == 0);
	case OPT_INTEGER:
	case OPT_SIZE:
		return is_word ? json_null() : json_integer(strtoll(text, NULL, 10));
	case OPT_DOUBLE:
	case OPT_TIME:
		number = strtod(text, &end);
		return is_word ? json_null() : *end ? envelope_text(text) : json_real(number);
	case OPT_PERCENTS:
		return is_word ? json_array() : list_value(text);
	case OPT_CHOICE:
	case OPT_STRING:
		break;
	}
	return envelope_known(text);
}

/* Classic names have dashes, underscores and capitals; keys have one spelling: "no_peak", "cpu_freq". */
static void key_write(char key[MAX_KEY], const char *name)
{
	size_t used = 0;

	for (const char *at = name; *at && used + 2 < MAX_KEY; at++) {
		if (at > name && isupper((unsigned char)*at) && islower((unsigned char)at[-1]))
			key[used++] = '_';
		key[used++] = *at == '-' ? '_' : (char)tolower((unsigned char)*at);
	}
	key[used] = '\0';
}

json_t *parameters_json(const struct opt_table *table, unsigned programs, const void *values)
{
	char text[OPT_TEXT_SIZE], key[MAX_KEY];
	json_t *object = json_object();

	for (unsigned i = 0; i < table->num_rows; i++) {
		const struct opt_row *row = &table->rows[i];

		if (row->group == 0 || !(row->programs & programs) || row->repeats)
			continue;
		key_write(key, row->long_name);
		opt_value_write(row, values, false /* as used */, text, sizeof(text));
		if (json_object_set_new(object, key, parameter_value(row, text))) {
			json_decref(object);
			return NULL;
		}
	}
	return object;
}
