// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See crew.h. */
#include "config.h"

#include "front/matrix/crew.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/log.h"

#define REST_NS 1000000000LL

/* 0 or -errno. */
static int instance_start(struct remote *remote, const char *shell, const char *node, uint32_t rank,
			  const char *const *words, unsigned num_words)
{
	const char **all = calloc(num_words + 1, sizeof(*all));
	char text[32];
	int ret;

	if (!all)
		return -ENOMEM;
	snprintf(text, sizeof(text), "--rank=%u", rank);
	all[0] = words[0];
	all[1] = text;
	memcpy(all + 2, words + 1, (num_words - 1) * sizeof(*all));
	ret = remote_start(remote, shell, node, all, num_words + 1);
	free(all);
	return ret;
}

int crew_open(struct crew *crew, const char *shell, char **nodes, uint32_t count, const char *const *words,
	      unsigned num_words)
{
	char usual[REMOTE_SHELL_SIZE];
	int ret = -ENOMEM;

	*crew = (struct crew){.count = count, .wake.fd = -1};
	pthread_mutex_init(&crew->lock, NULL);
	crew->remotes = calloc(count, sizeof(*crew->remotes));
	crew->fds = calloc(1 + (size_t)REMOTE_FDS * count, sizeof(*crew->fds));
	if (crew->remotes && crew->fds)
		ret = wakeup_open(&crew->wake);
	if (!shell[0])
		shell = remote_default_shell(usual);
	for (uint32_t rank = 0; rank < count && !ret; rank++)
		ret = instance_start(&crew->remotes[rank], shell, nodes[rank], rank, words, num_words);
	if (!ret)
		return 0;
	log_error("cannot start %s for %u hosts: %s%s", shell, count, strerror(-ret),
		  ret == -EMFILE   ? "; see ulimit -n"
		  : ret == -EAGAIN ? "; see ulimit -u"
				   : "");
	crew_close(crew);
	return ret;
}

/* With the lock. */
static void crew_read(struct crew *crew)
{
	bool ended = false;

	for (uint32_t i = 0; i < crew->count; i++) {
		const bool lived = crew->remotes[i].pid != 0;

		if (lived)
			remote_read(&crew->remotes[i], NULL, NULL);
		ended |= lived && !crew->remotes[i].pid;
	}
	if (ended && crew->main)
		wakeup_ring(crew->main);
}

static void *crew_thread(void *context)
{
	struct crew *crew = context;
	bool stopping = false;

	while (!stopping) {
		unsigned used = 1; /* for the bell */

		for (uint32_t i = 0; i < crew->count; i++)
			used += remote_poll_fds(&crew->remotes[i], crew->fds + used);
		wakeup_wait_thread(&crew->wake, crew->fds, used - 1, REST_NS);
		pthread_mutex_lock(&crew->lock);
		crew_read(crew);
		stopping = crew->stopping;
		pthread_mutex_unlock(&crew->lock);
	}
	return NULL;
}

int crew_watch(struct crew *crew, const struct wakeup *main)
{
	int ret;

	crew->main = main;
	ret = -pthread_create(&crew->thread, NULL, crew_thread, crew);
	if (ret)
		log_error("cannot start a thread: %s; see ulimit -u", strerror(-ret));
	crew->has_thread = !ret;
	return ret;
}

void crew_forget_main(struct crew *crew)
{
	pthread_mutex_lock(&crew->lock);
	crew->main = NULL;
	pthread_mutex_unlock(&crew->lock);
}

bool crew_has_ended(struct crew *crew, uint32_t rank, char *reason, size_t size)
{
	const struct remote *remote = &crew->remotes[rank];
	bool ended;

	pthread_mutex_lock(&crew->lock);
	ended = !remote->pid;
	if (ended)
		snprintf(reason, size, "%s", remote->words[0] ? remote->words : "it said nothing");
	pthread_mutex_unlock(&crew->lock);
	return ended;
}

void crew_close(struct crew *crew)
{
	if (crew->has_thread) {
		pthread_mutex_lock(&crew->lock);
		crew->stopping = true;
		pthread_mutex_unlock(&crew->lock);
		wakeup_ring(&crew->wake);
		pthread_join(crew->thread, NULL);
	}
	if (crew->remotes)
		remotes_close(crew->remotes, crew->count);
	wakeup_close(&crew->wake);
	free(crew->remotes);
	free(crew->fds);
	pthread_mutex_destroy(&crew->lock);
}
