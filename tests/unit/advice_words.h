/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Does advice name an option that neither the program that runs has nor one of the tools that it names? */
#pragma once

#include <ctype.h>
#include <string.h>

#include "params/engine/advice.h"

/* Options of tools, with the word before them. */
static const char *const tool_options[] = {
	"numactl --cpunodebind",
	", --membind",
	"numactl --membind",
	" --membind=",
	"numactl -H",
	"taskset -c",
	"frequency-set -g",
	"idle-set -D",
	"ip -s",
	"tc -s",
	"ethtool -S",
	"ethtool -G",
	"modprobe -a",
	"ulimit -l",
	"or --ulimit",
	"lspci -vv",
};

static inline int is_of_tool(const char *text, const char *word)
{
	for (size_t i = 0; i < sizeof(tool_options) / sizeof(tool_options[0]); i++) {
		const char *option = strstr(tool_options[i], " -") + 1;
		const size_t before = (size_t)(option - tool_options[i]);

		if ((size_t)(word - text) >= before && strncmp(word, option, strlen(option)) == 0 &&
		    strncmp(word - before, tool_options[i], before) == 0)
			return 1;
	}
	return 0;
}

/* The first such word of a text, or a bracket that names an option; NULL: there is none. */
static inline const char *foreign_option(const char *text, const struct advised *advised)
{
	for (const char *at = text; *at; at++) {
		const char *name = at + 1 + (at[1] == '-');

		if (*at == '[' && strstr(at, "--"))
			return at;
		if (*at != '-' || (at > text && !strchr(" (,", at[-1])) || !isalpha((unsigned char)*name))
			continue;
		if (!is_of_tool(text, at) &&
		    (name - at < 2 || !advised->options ||
		     !opt_has(advised->options, advised->program, name, strcspn(name, " ,;:)="))))
			return at;
	}
	return NULL;
}
