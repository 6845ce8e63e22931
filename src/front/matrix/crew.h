/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The instances that `perftest matrix --hosts=n[1-16]` starts on other hosts. A thread passes on what they say, and
 * notices which of them have ended.
 */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "front/launch/remote.h"
#include "net/wakeup.h"

struct crew {
	struct remote *remotes; /* by rank */
	uint32_t count;
	struct pollfd *fds; /* of the thread */
	struct wakeup wake; /* of the thread */
	pthread_t thread;
	bool has_thread;
	pthread_mutex_t lock; /* the remotes, and: */
	bool stopping;
	const struct wakeup *main; /* rung when one has ended; NULL: none */
};

/*
 * Starts one on each node, with these words of the command, and --rank behind the first. shell "": the usual one. The
 * caller keeps the nodes. 0, or -errno, reported, with none.
 */
int crew_open(struct crew *crew, const char *shell, char **nodes, uint32_t count, const char *const *words,
	      unsigned num_words);
/* Begins to pass on what they say. 0 or -errno, reported. */
int crew_watch(struct crew *crew, const struct wakeup *main);
/* From here on main is not rung. */
void crew_forget_main(struct crew *crew);
/* Has this one ended? Then the last that it, or ssh, said is in reason. */
bool crew_has_ended(struct crew *crew, uint32_t rank, char *reason, size_t size);
/* Ends all. */
void crew_close(struct crew *crew);
