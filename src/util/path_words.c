// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See path_words.h. Called by what parses the options of a program. */
#include "util/path_words.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define WORD_SIZE 256

/* The length of the word that begins there; 0: none does. */
static size_t word_at(const char *text, unsigned port, char word[WORD_SIZE])
{
	const time_t now = time(NULL);
	struct tm local;

	if (text[0] != '%')
		return 0;
	switch (text[1]) {
	case 'h':
		word[WORD_SIZE - 1] = '\0';
		if (gethostname(word, WORD_SIZE - 1))
			strcpy(word, "unknown");
		return strlen(word);
	case 'p':
		return (size_t)snprintf(word, WORD_SIZE, "%u", port);
	case 't':
		return strftime(word, WORD_SIZE, "%Y%m%d-%H%M%S", localtime_r(&now, &local));
	default:
		return 0;
	}
}

int path_words_fill(char *path, size_t size, unsigned port)
{
	char filled[4096], word[WORD_SIZE];
	size_t used = 0;

	for (const char *at = path; *at; at++) {
		size_t length = word_at(at, port, word);

		if (length) {
			at++;
		} else {
			word[0] = *at;
			length = 1;
		}
		if (used + length >= size || used + length >= sizeof(filled))
			return -ENAMETOOLONG;
		memcpy(filled + used, word, length);
		used += length;
	}
	memcpy(path, filled, used);
	path[used] = '\0';
	return 0;
}
