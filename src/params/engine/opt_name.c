// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Names of options. See opt_name.h. */
#include "params/engine/opt_name.h"

#include <string.h>

#include "util/arith.h"

#define MAX_NAME    64 /* maximum length of a name of which the distance is computed */
#define NO_DISTANCE 1000

bool opt_name_begins(const char *name, const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (!name[i] || opt_fold_char(name[i]) != opt_fold_char(text[i]))
			return false;
	return true;
}

bool opt_name_equals(const char *name, const char *text, size_t length)
{
	return opt_name_begins(name, text, length) && !name[length];
}

bool opt_name_ends(const char *text, size_t length, const char *end, size_t end_length)
{
	while (end_length && length) {
		const char wanted = opt_fold_char(end[end_length - 1]), found = opt_fold_char(text[length - 1]);

		if (wanted != found && wanted != '-' && found != '-')
			return false;
		end_length -= wanted == found || wanted == '-';
		length -= wanted == found || found == '-';
	}
	return !end_length && length && opt_fold_char(text[length - 1]) == '-';
}

bool opt_name_has_words(const char *text, size_t length, const char *words)
{
	const size_t wanted = strlen(words);

	for (size_t i = 0; i + wanted <= length; i++)
		if ((!i || opt_fold_char(text[i - 1]) == '-') && opt_name_begins(text + i, words, wanted) &&
		    (i + wanted == length || opt_fold_char(text[i + wanted]) == '-'))
			return true;
	return false;
}

/* Optimal string alignment; three rows of the table are sufficient. */
unsigned opt_name_distance(const char *name, const char *text, size_t length)
{
	unsigned rows[3][MAX_NAME + 1];
	const size_t name_length = strlen(name);

	if (length > MAX_NAME || name_length > MAX_NAME)
		return NO_DISTANCE;
	for (size_t j = 0; j <= name_length; j++)
		rows[0][j] = (unsigned)j;
	for (size_t i = 1; i <= length; i++) {
		unsigned *row = rows[i % 3], *above = rows[(i + 2) % 3], *two_above = rows[(i + 1) % 3];

		row[0] = (unsigned)i;
		for (size_t j = 1; j <= name_length; j++) {
			const unsigned replaced = opt_fold_char(name[j - 1]) != opt_fold_char(text[i - 1]);

			row[j] = (unsigned)arith_smaller(arith_smaller(above[j], row[j - 1]) + 1,
							 above[j - 1] + replaced);
			if (i > 1 && j > 1 && opt_fold_char(name[j - 1]) == opt_fold_char(text[i - 2]) &&
			    opt_fold_char(name[j - 2]) == opt_fold_char(text[i - 1]))
				row[j] = (unsigned)arith_smaller(row[j], two_above[j - 2] + 1);
		}
	}
	return rows[length % 3][name_length];
}

struct opt_nearest opt_nearest_to(const char *text, size_t length)
{
	return (struct opt_nearest){.text = text, .length = length, .distance = (unsigned)length / 3 + 1};
}

bool opt_nearest_try(struct opt_nearest *nearest, const char *name)
{
	const unsigned distance = opt_name_distance(name, nearest->text, nearest->length);

	if (distance >= nearest->distance)
		return false;
	nearest->distance = distance;
	nearest->name = name;
	return true;
}
