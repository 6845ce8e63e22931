/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Other executables of the suite, found from where this one lies: an installed or a built one never mixes with another.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* A program that is an executable of its own, which may be in a package of its own. */
struct sibling {
	const char *name, *summary;
	const char *port_option;   /* of its server */
	const char *port_name;	   /* the same, as a long option */
	const char *device_option; /* names its adapter; NULL: it has none, or not on both sides */
	bool host_first;	   /* the server's name is in front of the options, which only the client has */
	/* Both sides are told where the server is; a server that it is one; and each its own address. Or NULL. */
	const char *host_option, *server_option, *bind_option;
	const char *bind_name;			       /* bind_option, as a long option */
	const char *interface_option, *interface_name; /* the user's instead of bind_option */
	const char *alone_option,
		*alone_name; /* with it the user says where the server is, or that it is his to start */
};

extern const struct sibling siblings[];
extern const size_t num_siblings;

/*
 * What to do about a word that is no program of the suite: "did you mean qperf?", or of what nearest has been tried
 * with, or "perftest list names them". Returns text.
 */
#define SIBLING_HINT_SIZE 64
struct opt_nearest;
const char *sibling_hint(struct opt_nearest *nearest, char text[SIBLING_HINT_SIZE]);
/* "'qprf' is no program of the suite; did you mean qperf?" Returns text. */
#define SIBLING_FAULT_SIZE 192
const char *sibling_fault(const char *word, char text[SIBLING_FAULT_SIZE]);

/* NULL: there is none of that name. */
const struct sibling *sibling_find(const char *name);

/*
 * Executes the first of the files that is there in place of this program: each is relative to this one's folder, or
 * absolute; the list ends with NULL. Returns only on failure: EXIT_STATUS_FAILURE, with one log_error().
 */
int sibling_run(const char *const *files, char **argv);
