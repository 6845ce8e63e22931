// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See crew.h. */
#include "config.h"

#include "front/matrix/crew.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "front/matrix/hostlist.h"
#include "params/engine/opt.h"
#include "util/file.h"
#include "util/log.h"

#define MOST_BYTES 262144 /* of a file */

/* --- their names --- */

static bool node_take(void *context, const char *name)
{
	struct nodes *nodes = context;
	char *copy = NULL;

	if (nodes->count == nodes->most)
		nodes->fault = "there are too many hosts";
	else if (remote_node_fault(name))
		nodes->fault = "there is one that is no host's name";
	else if (!(copy = strdup(name)))
		nodes->fault = "out of memory";
	if (copy)
		nodes->names[nodes->count++] = copy;
	return copy != NULL;
}

/* The file's text without comments, which the caller frees; NULL, with errno. */
static char *file_read(const char *path)
{
	FILE *file = input_file_open(path);
	char *text = file ? calloc(1, MOST_BYTES + 1) : NULL;
	size_t length = text ? fread(text, 1, MOST_BYTES + 1, file) : 0;

	if (text && (ferror(file) || length > MOST_BYTES)) {
		errno = ferror(file) ? EIO : EFBIG;
		free(text);
		text = NULL;
	}
	if (file)
		fclose(file);
	for (char *comment = text; comment && (comment = strchr(comment, '#'));)
		memset(comment, ' ', strcspn(comment, "\n"));
	return text;
}

int nodes_read(struct nodes *nodes, const char *text, uint32_t most, char *reason, size_t size)
{
	const char *path = text[0] == '@' ? text + 1 : NULL, *fault;
	char *read = path ? file_read(path) : NULL;

	if (path && !read)
		return opt_refuse(reason, size, "--hosts: cannot read %s: %s", path, strerror(errno));
	*nodes = (struct nodes){.most = most, .names = calloc(most, sizeof(*nodes->names))};
	fault = nodes->names ? hostlist_each(read ? read : text, node_take, nodes) : "out of memory";
	free(read);
	fault = fault ? fault : nodes->fault;
	if (!fault)
		return 0;
	opt_refuse(reason, size, "--hosts=%s: after %u hosts: %s", opt_quote(text).text, nodes->count, fault);
	while (nodes->count)
		free(nodes->names[--nodes->count]);
	free(nodes->names);
	return -EINVAL;
}

/* --- their processes --- */

int crew_open(struct crew *crew, const char *shell, char **nodes, uint32_t count, const char **words,
	      unsigned num_words)
{
	char rank_word[32];
	int ret;

	*crew = (struct crew){.count = count, .remotes = calloc(count, sizeof(*crew->remotes))};
	ret = crew->remotes ? 0 : -ENOMEM;
	words[1] = rank_word;
	for (uint32_t rank = 0; rank < count && !ret; rank++) {
		snprintf(rank_word, sizeof(rank_word), "--rank=%u", rank);
		ret = remote_start(&crew->remotes[rank], shell, nodes[rank], words, num_words);
	}
	if (!ret)
		return 0;
	log_error("cannot start a shell for each of %u hosts: %s%s", count, strerror(-ret),
		  ret == -EMFILE   ? "; see ulimit -n"
		  : ret == -EAGAIN ? "; see ulimit -u"
				   : "");
	crew_close(crew);
	return ret;
}

unsigned crew_poll_fds(const struct crew *crew, struct pollfd *fds)
{
	unsigned used = 0;

	for (uint32_t i = 0; i < crew->count; i++)
		used += remote_poll_fds(&crew->remotes[i], fds + used);
	return used;
}

void crew_read(struct crew *crew, const struct pollfd *fds)
{
	const bool is_due = deadline_passed(crew->due);
	struct pollfd own[REMOTE_FDS];

	if (is_due)
		crew->due = deadline_in_ms(CREW_LOOK_MS);
	for (uint32_t i = 0; i < crew->count; i++) {
		bool is_ready = is_due && crew->remotes[i].pid;

		for (unsigned left = remote_poll_fds(&crew->remotes[i], own); left; left--)
			is_ready |= fds++->revents != 0;
		if (is_ready)
			remote_read(&crew->remotes[i], NULL, NULL);
	}
}

bool crew_has_ended(const struct crew *crew, uint32_t rank, char *reason, size_t size)
{
	const struct remote *remote = &crew->remotes[rank];

	if (!remote->pid)
		snprintf(reason, size, "%s", remote->words[0] ? remote->words : "it said nothing");
	return !remote->pid;
}

void crew_close(struct crew *crew)
{
	if (crew->remotes)
		remotes_close(crew->remotes, crew->count);
	free(crew->remotes);
}
