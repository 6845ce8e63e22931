/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The instances that `perftest matrix --hosts=n[1-16]` starts on other hosts: passes on what they say, and notices
 * which of them have ended.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "front/launch/remote.h"

#define CREW_LOOK_MS 1000 /* between two looks for those that have ended, of which no descriptor says so */

/* The hosts: a list (hostlist.h), or a file with lists. */
struct nodes {
	char **names;
	uint32_t count, most;
	const char *fault; /* of a name */
};

/* text: a list, or "@FILE", in which "#" begins a comment. 0, or -EINVAL and the reason, with nothing to free. */
int nodes_read(struct nodes *nodes, const char *text, uint32_t most, char *reason, size_t size);

struct crew {
	struct remote *remotes; /* by rank */
	uint32_t count;
	struct deadline due; /* of the next look */
};

/*
 * Starts one on each node, with these words of the command, of which the second one becomes its --rank. shell "": the
 * usual one. The caller keeps the nodes. 0, or -errno, reported, with none.
 */
int crew_open(struct crew *crew, const char *shell, char **nodes, uint32_t count, const char **words,
	      unsigned num_words);
/* What to poll for, at most REMOTE_FDS of each; and, after that, passes on what they have said. */
unsigned crew_poll_fds(const struct crew *crew, struct pollfd *fds);
void crew_read(struct crew *crew, const struct pollfd *fds);
/* Has this one ended? Then the last that it, or ssh, said is in reason. */
bool crew_has_ended(const struct crew *crew, uint32_t rank, char *reason, size_t size);
/* Ends all. */
void crew_close(struct crew *crew);
