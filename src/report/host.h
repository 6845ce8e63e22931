/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The machine and the command that a JSON document was made with. Called by document.c. */
#ifndef REPORT_HOST_H
#define REPORT_HOST_H

#include <stddef.h>

/* "Intel(R) Xeon(R) ..."; "" where the kernel doesn't tell. path: "/proc/cpuinfo" but in tests. */
void host_cpu_model(char *model, size_t size, const char *path);
/* The command line's words, ended by NULL, in one block that the caller frees; NULL: not known. */
char **host_command_line(void);

#endif
