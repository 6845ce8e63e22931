/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The machine and the command line, for a JSON document. Called by document.c. */
#pragma once

#include <stddef.h>

/* "Intel(R) Xeon(R) ..."; "" if the kernel does not tell. path: "/proc/cpuinfo" except in tests. */
void host_cpu_model(char *model, size_t size, const char *path);
/* What governs the frequency of the CPUs that this process may use: "performance"; "mixed"; "" unknown. */
void host_governor(char *text, size_t size);
/* Where this process's memory is taken from, as set_mempolicy(2) names it: "default", "bind:0-1"; "" unknown. */
void host_numa_policy(char *text, size_t size);
/* The CPUs that this process may use: "0-3,8"; "" unknown. */
void host_cpus(char *text, size_t size);
/*
 * The file of a library that is loaded, behind all symbolic links, whose name ends with its version:
 * "libibverbs.so.1.14.44.0". "": it is not loaded.
 */
void host_library(char *text, size_t size, const char *soname);
/* The same of the library that this address is in. */
void host_library_at(char *text, size_t size, const void *address);
/* The words of the command line, as many as fit, each with a NUL behind it. Returns their bytes; 0: unknown. */
size_t host_command_line(char *words, size_t size);
