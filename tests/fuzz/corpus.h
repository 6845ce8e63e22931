/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The committed inputs of a fuzzer, tests/fuzz/corpus/NAME/, through it once more, whole and cut short: a unit test
 * wherever there is no libFuzzer.
 */
#ifndef TESTS_FUZZ_CORPUS_H
#define TESTS_FUZZ_CORPUS_H

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define CORPUS_MAX_INPUT 65536

/* How many inputs there were. */
static inline unsigned corpus_replay(const char *name, int (*input)(const uint8_t *bytes, size_t length))
{
	const char *top = getenv("PERFTEST_TOP");
	static uint8_t bytes[CORPUS_MAX_INPUT];
	char path[1024];
	struct dirent *entry;
	unsigned inputs = 0;
	DIR *folder;

	snprintf(path, sizeof(path), "%s/tests/fuzz/corpus/%s", top ? top : TOP_SRCDIR, name);
	folder = opendir(path);
	while (folder && (entry = readdir(folder))) {
		size_t length;
		FILE *file;

		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/tests/fuzz/corpus/%s/%s", top ? top : TOP_SRCDIR, name, entry->d_name);
		file = fopen(path, "rb");
		if (!file)
			continue;
		length = fread(bytes, 1, sizeof(bytes), file);
		fclose(file);
		input(bytes, length);
		input(bytes, length / 2);
		inputs++;
	}
	if (folder)
		closedir(folder);
	return inputs;
}

#endif
