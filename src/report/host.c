// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The machine and this process, from /proc. */
#include "report/host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_LINE	 512
#define MAX_COMMAND_LINE 65536 /* bytes; a longer one is truncated */

void host_cpu_model(char *model, size_t size, const char *path)
{
	/* Its key on each architecture: x86, s390 and loongarch; powerpc; arm and mips; riscv. */
	static const char *const names[] = {"model name", "Model Name", "cpu", "cpu model", "Processor", "uarch"};
	char line[MAX_LINE];
	FILE *file = fopen(path, "re");
	size_t i, name_length;
	char *colon;

	if (size)
		model[0] = '\0';
	while (file && !model[0] && fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = '\0';
		colon = strchr(line, ':');
		if (!colon)
			continue;
		for (name_length = (size_t)(colon - line); name_length && strchr(" \t", line[name_length - 1]);)
			name_length--;
		for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
			if (strlen(names[i]) == name_length && !strncmp(line, names[i], name_length))
				snprintf(model, size, "%s", colon + 1 + strspn(colon + 1, " \t"));
		}
	}
	if (file)
		fclose(file);
}

char **host_command_line(void)
{
	char *text = malloc(MAX_COMMAND_LINE);
	FILE *file = fopen("/proc/self/cmdline", "re");
	size_t length = 0, words = 0, i;
	char **command = NULL;
	char *copy;

	if (text && file)
		length = fread(text, 1, MAX_COMMAND_LINE - 1, file);
	if (length) {
		text[length++] = '\0';
		for (i = 0; i < length; i++)
			words += !text[i];
		command = calloc(1, (words + 1) * sizeof(*command) + length);
	}
	if (command) {
		copy = (char *)(command + words + 1);
		memcpy(copy, text, length);
		/* Each word ends with a NUL; the additional one at the end would make an empty word. */
		for (i = 0; copy < (char *)(command + words + 1) + length - 1; copy += strlen(copy) + 1)
			command[i++] = copy;
		command[i] = NULL;
	}
	if (file)
		fclose(file);
	free(text);
	return command;
}
