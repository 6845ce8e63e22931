/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * `perftest` on other hosts, started by ssh or what the user has instead. Each ends when its stdin does, which is when
 * this process closes it, or dies, or the connection breaks; so nothing has to be sent there.
 */
#pragma once

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "util/deadline.h"

#define REMOTE_SHELL_SIZE 256
#define REMOTE_NODE_SIZE  256
#define REMOTE_LINE_SIZE  512
#define REMOTE_FDS	  2
/* After so long a user is told what is waited for. */
#define REMOTE_NOTICE_MS 1500

struct remote_stream {
	int fd;			     /* -1: closed */
	char line[REMOTE_LINE_SIZE]; /* the beginning of the next one */
	size_t used;
};

struct remote {
	const char *node;
	pid_t pid;  /* of the shell's local end; 0: none, or it has ended */
	int status; /* of waitpid(), once it has ended */
	int input;  /* stdin of the other end; -1: closed */
	struct remote_stream output, errors;
	char words[REMOTE_LINE_SIZE]; /* the last line on its stderr; "": none */
};

/* A line of its stdout. */
typedef void (*remote_line_fn)(void *context, const char *line);

/* What is wrong with the name of a host, which becomes a word of the shell; NULL: nothing. */
const char *remote_node_fault(const char *node);
/*
 * shell: the user's choice; "": PERFTEST_RSH, or the first of ssh, pdsh and clush that is there. words: of the command
 * on the other host, after `perftest`, which is the same path as here if it is there, else that of the PATH there. 0 or
 * -errno, not reported. The caller keeps node.
 */
int remote_start(struct remote *remote, const char *shell, const char *node, const char *const *words,
		 unsigned num_words);
/* What to poll for, at most REMOTE_FDS. */
unsigned remote_poll_fds(const struct remote *remote, struct pollfd *fds);
/*
 * Reads what has arrived, and looks whether it has ended. Its stderr goes to this one's, with the host's name before
 * each line. on_line may be NULL.
 */
void remote_read(struct remote *remote, remote_line_fn on_line, void *context);
/* Ends all, and waits until they have ended, or ends what is here of them. Those never started are zeroed. */
void remotes_close(struct remote *remotes, unsigned count);

/*
 * On the other host: ends this process, by SIGTERM, when stdin ends. Where the shell does not pass on stdin, so that it
 * ends at once, that is an error if it must, else nothing is watched. With stop.h's signals blocked. 0 or -errno,
 * reported.
 */
int remote_watch_stdin(bool must);
