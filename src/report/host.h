/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The machine and the command line, for a JSON document. Called by document.c. */
#ifndef REPORT_HOST_H
#define REPORT_HOST_H

#include <stddef.h>

/* "Intel(R) Xeon(R) ..."; "" if the kernel does not tell. path: "/proc/cpuinfo" except in tests. */
void host_cpu_model(char *model, size_t size, const char *path);
/* The words of the command line, terminated by NULL, in one block that the caller frees; NULL: unknown. */
char **host_command_line(void);

#endif
