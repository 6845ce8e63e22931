/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The hosts on which `perftest matrix --hosts` starts an instance: a list (hostlist.h), or a file with lists. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct nodes {
	char **names;
	uint32_t count, most;
	const char *fault; /* of a name */
};

/* text: a list, or "@FILE", in which "#" begins a comment. 0, or -EINVAL and the reason, with nothing to free. */
int nodes_read(struct nodes *nodes, const char *text, uint32_t most, char *reason, size_t size);
