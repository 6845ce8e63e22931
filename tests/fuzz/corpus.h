/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The committed inputs of a fuzzer, tests/fuzz/corpus/NAME/, through it once more, whole and cut short: a unit test
 * wherever there is no libFuzzer.
 */
#pragma once

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* In an allocation of its exact length, so that a sanitizer sees each step beyond. */
static inline void corpus_input(const uint8_t *bytes, size_t length, int (*input)(const uint8_t *bytes, size_t length))
{
	uint8_t *copy = malloc(length ? length : 1);

	if (!copy)
		abort();
	memcpy(copy, bytes, length);
	input(copy, length);
	free(copy);
}

/* For corpus_replay(), with corpus_damaged set before: each bit turned over, and each end cut off. */
static int (*corpus_damaged)(const uint8_t *bytes, size_t length);

static inline int corpus_damage(const uint8_t *bytes, size_t length)
{
	static uint8_t damaged[CORPUS_MAX_INPUT];

	memcpy(damaged, bytes, length);
	for (size_t bit = 0; bit < length * 8; bit++) {
		damaged[bit / 8] ^= (uint8_t)(1U << bit % 8);
		corpus_input(damaged, length, corpus_damaged);
		damaged[bit / 8] ^= (uint8_t)(1U << bit % 8);
		if (bit % 8 == 0)
			corpus_input(damaged, bit / 8, corpus_damaged);
	}
	return 0;
}

static inline unsigned corpus_replay_damaged(const char *name, int (*input)(const uint8_t *bytes, size_t length))
{
	corpus_damaged = input;
	return corpus_replay(name, corpus_damage);
}
