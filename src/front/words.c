// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See words.h. */
#include "front/words.h"

#include <string.h>

int words_count_own(const struct opt_table *table, int argc, char **argv)
{
	int used = 1;

	while (used < argc && argv[used][0] == '-' && argv[used][1]) {
		const char *word = argv[used++];
		const struct opt_row *row = NULL;

		if (strchr(word, '='))
			continue;
		if (word[1] == '-')
			row = opt_find(table, word + 2);
		for (size_t i = 0; i < table->num_rows && word[1] != '-' && !word[2]; i++)
			if (table->rows[i].short_name == word[1])
				row = &table->rows[i];
		used += row && row->argument && used < argc;
	}
	return used;
}
