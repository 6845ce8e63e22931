// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See software.h. Without calls of libibverbs, for programs that run without it. */
#include "verbs/device/software.h"

#include <stdio.h>
#include <stdlib.h>

#define INTERFACE_WORD "if=" /* docs/soft.md */

const char *software_interface(void)
{
	const char *mode = getenv("PERFTEST_SOFT");

	if (!mode || strncmp(mode, INTERFACE_WORD, strlen(INTERFACE_WORD)))
		return NULL;
	return mode + strlen(INTERFACE_WORD);
}

const char *software_measures(bool frames, char *text, size_t size)
{
	const char *interface = software_interface();

	if (frames && interface)
		snprintf(text, size, "the kernel's packet sockets on %s", interface);
	else
		snprintf(text, size, "this host's memory system%s%s", interface ? ", not of " : "",
			 interface ? interface : "");
	return text;
}
