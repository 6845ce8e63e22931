// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See remote.h. */
#include "front/launch/remote.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "front/launch/ends.h"
#include "util/log.h"
#include "util/stop.h"
#include "util/terminal.h"
#include "util/wait.h"

#define MOST_SHELL_WORDS 16
#define END_MS		 8000 /* for those that were released: the other end ends its program politely */
#define TERM_MS		 1000 /* and for the shell's local end after SIGTERM */
#define LOOK_MS		 20
#define READ_AT_ONCE	 64 /* times, so that a flood of one host does not keep the others waiting */

/* Without a limit in length. Strings of all shells that a user may have: sh, csh, fish. */
#define QUOTED_SIZE(length) (4 * (length) + 4)

/* $0 is the path of the same program here. */
static const char script[] = "p=$0; [ -x \"$p\" ] || p=perftest; exec \"$p\" \"$@\"";

/* The first that is there; all are given the host as their last word but one. */
static const char *const shells[] = {"ssh", "pdsh -N -w", "clush -N -w"};

const char *remote_node_fault(const char *node)
{
	if (!node[0] || node[0] == '-' || strlen(node) >= REMOTE_NODE_SIZE)
		return "is no host's name";
	for (; *node; node++)
		if (*node <= ' ' || *node >= 0x7f || strchr("'\"\\`$&|;<>()[]{}*?!#", *node))
			return "is no host's name";
	return NULL;
}

/* --- starting --- */

static char *put_quoted(char *to, const char *word)
{
	*to++ = ' ';
	*to++ = '\'';
	for (; *word; word++) {
		if (*word == '\'') {
			memcpy(to, "'\\'", 3);
			to += 3;
		}
		*to++ = *word;
	}
	*to++ = '\'';
	*to = '\0';
	return to;
}

/* One text for the shell of the other host; NULL: no memory. */
static char *command_text(const char *const *words, unsigned num_words)
{
	char self[PATH_MAX];
	const ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
	size_t size = sizeof("sh -c") + QUOTED_SIZE(sizeof(script)) + QUOTED_SIZE(sizeof(self));
	char *text, *end;

	self[length < 0 ? 0 : length] = '\0';
	for (unsigned i = 0; i < num_words; i++)
		size += QUOTED_SIZE(strlen(words[i]));
	text = malloc(size);
	if (!text)
		return NULL;
	end = put_quoted(stpcpy(text, "sh -c"), script);
	end = put_quoted(end, self);
	for (unsigned i = 0; i < num_words; i++)
		end = put_quoted(end, words[i]);
	return text;
}

/* Returns if it cannot, with errno; ENOENT: it is not there. */
static void shell_exec(const char *shell, const char *node, char *command)
{
	char copy[REMOTE_SHELL_SIZE], *words[MOST_SHELL_WORDS + 3], *rest, *word;
	unsigned used = 0;

	snprintf(copy, sizeof(copy), "%s", shell);
	for (word = strtok_r(copy, " ", &rest); word && used < MOST_SHELL_WORDS; word = strtok_r(NULL, " ", &rest))
		words[used++] = word;
	words[used++] = (char *)node;
	words[used++] = command;
	words[used] = NULL;
	execvp(words[0], words);
}

/* Of the child: never returns. */
static void remote_exec(const struct remote *remote, const char *shell, char *command, const int *ends, pid_t parent)
{
	const char *const *list = shell[0] ? &shell : shells;
	const size_t num_shells = shell[0] ? 1 : sizeof(shells) / sizeof(shells[0]);
	const char *at_fault = shell[0] ? shell : "ssh, pdsh or clush";
	int fault = ENOENT;
	sigset_t none;

	/*
	 * In this process group, so that ssh can ask for a password; but Ctrl-C is for the client, which prints what it
	 * has measured while its server still is there.
	 */
	signal(SIGINT, SIG_IGN);
	signal(SIGPIPE, SIG_DFL);
	stop_with_parent(parent, SIGTERM);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	for (int i = 0; i < 3; i++)
		dup2(ends[i], i);
	for (size_t i = 0; i < num_shells; i++) {
		shell_exec(list[i], remote->node, command);
		if (errno == ENOENT || errno == ENOTDIR || fault != ENOENT)
			continue;
		fault = errno; /* of the first that is there */
		at_fault = list[i];
	}
	fprintf(stderr, "cannot execute %s: %s\n", at_fault, strerror(fault));
	_exit(127);
}

int remote_start(struct remote *remote, const char *shell, const char *node, const char *const *words,
		 unsigned num_words)
{
	char *command = command_text(words, num_words);
	const char *chosen = getenv("PERFTEST_RSH");
	int pipes[3][2] = {{-1, -1}, {-1, -1}, {-1, -1}},
	    ret = command ? 0 : -ENOMEM; /* of its stdin, stdout, stderr */
	const pid_t parent = getpid();

	*remote = (struct remote){.node = node};
	for (unsigned i = 0; i < 3 && !ret; i++)
		ret = ends_open(pipes[i], false /* one way */);
	if (!ret) {
		remote->pid = fork();
		ret = remote->pid < 0 ? -errno : 0;
	}
	if (!ret && !remote->pid)
		remote_exec(remote, shell[0] || !chosen ? shell : chosen, command,
			    (const int[]){pipes[0][0], pipes[1][1], pipes[2][1]}, parent);
	free(command);
	for (unsigned i = 0; i < 3; i++) {
		end_close(&pipes[i][i ? 1 : 0]);
		if (ret)
			end_close(&pipes[i][i ? 0 : 1]);
	}
	remote->input = pipes[0][1];
	remote->output.fd = pipes[1][0];
	remote->errors.fd = pipes[2][0];
	if (ret) {
		remote->pid = 0;
		return ret;
	}
	fcntl(remote->output.fd, F_SETFL, O_NONBLOCK);
	fcntl(remote->errors.fd, F_SETFL, O_NONBLOCK);
	/* So that the other end knows that stdin is passed on; SIGPIPE is ignored. */
	if (write(remote->input, "\n", 1) < 0)
		end_close(&remote->input);
	return 0;
}

/* --- its words --- */

unsigned remote_poll_fds(const struct remote *remote, struct pollfd *fds)
{
	unsigned used = 0;

	if (remote->output.fd >= 0)
		fds[used++] = (struct pollfd){.fd = remote->output.fd, .events = POLLIN};
	if (remote->errors.fd >= 0)
		fds[used++] = (struct pollfd){.fd = remote->errors.fd, .events = POLLIN};
	return used;
}

/* The next line, without its end, in text; it may be cut. False: there is none yet. */
static bool stream_line(struct remote_stream *stream, bool ended, char text[REMOTE_LINE_SIZE])
{
	char *end = memchr(stream->line, '\n', stream->used);
	size_t length = end ? (size_t)(end - stream->line) : stream->used, taken = length + (end != NULL);

	if (!end && stream->used < sizeof(stream->line) - 1 && !(ended && stream->used))
		return false;
	if (length && stream->line[length - 1] == '\r')
		length--;
	readable(stream->line, length, text, REMOTE_LINE_SIZE);
	stream->used -= taken;
	memmove(stream->line, stream->line + taken, stream->used);
	return true;
}

/* True: there may be more. */
static bool stream_fill(struct remote_stream *stream)
{
	ssize_t length;

	if (stream->fd < 0)
		return false;
	length = read(stream->fd, stream->line + stream->used, sizeof(stream->line) - 1 - stream->used);
	if (length > 0) {
		stream->used += (size_t)length;
		return true;
	}
	if (!length || (errno != EAGAIN && errno != EINTR))
		end_close(&stream->fd);
	return false;
}

static void errors_print(struct remote *remote, bool ended)
{
	char text[REMOTE_LINE_SIZE];

	while (stream_line(&remote->errors, ended, text)) {
		log_classic("%s: %s", remote->node, text);
		if (text[0])
			memcpy(remote->words, text, sizeof(text));
	}
}

static void output_print(struct remote *remote, bool ended, remote_line_fn on_line, void *context)
{
	char text[REMOTE_LINE_SIZE];

	while (stream_line(&remote->output, ended, text))
		if (on_line)
			on_line(context, text);
}

void remote_read(struct remote *remote, remote_line_fn on_line, void *context)
{
	/* before reading, so that its last words are not missed */
	if (remote->pid && waitpid(remote->pid, &remote->status, WNOHANG) == remote->pid)
		remote->pid = 0;
	for (unsigned i = 0; i < READ_AT_ONCE && stream_fill(&remote->errors); i++)
		errors_print(remote, false);
	for (unsigned i = 0; i < READ_AT_ONCE && stream_fill(&remote->output); i++)
		output_print(remote, false, on_line, context);
	errors_print(remote, remote->errors.fd < 0 || !remote->pid);
	output_print(remote, remote->output.fd < 0 || !remote->pid, on_line, context);
	/* Whatever ssh leaves in the background for its next connections may hold them open. */
	if (!remote->pid) {
		end_close(&remote->errors.fd);
		end_close(&remote->output.fd);
		end_close(&remote->input);
	}
}

/* --- its end --- */

static void remotes_await(struct remote *remotes, unsigned count, int64_t limit_ms)
{
	const struct deadline deadline = deadline_in_ms(limit_ms);
	struct deadline notice = deadline_in_ms(limit_ms > REMOTE_NOTICE_MS ? REMOTE_NOTICE_MS : -1);

	for (;;) {
		const char *node = NULL;
		unsigned left = 0;

		for (unsigned i = 0; i < count; i++) {
			if (remotes[i].pid)
				remote_read(&remotes[i], NULL, NULL);
			left += remotes[i].pid != 0;
			node = remotes[i].pid ? remotes[i].node : node;
		}
		if (!left || deadline_passed(deadline))
			return;
		if (deadline_passed(notice)) {
			log_info("waiting for perftest on %s to end%s, %d s at most", node,
				 left > 1 ? ", and on others" : "", (int)(limit_ms / 1000));
			notice = deadline_in_ms(-1);
		}
		wait_fds_after_stop(NULL, 0, deadline_in_ms(LOOK_MS));
	}
}

static void remotes_signal(const struct remote *remotes, unsigned count, int number)
{
	for (unsigned i = 0; i < count; i++)
		if (remotes[i].pid)
			kill(remotes[i].pid, number);
}

void remotes_close(struct remote *remotes, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		if (remotes[i].node)
			end_close(&remotes[i].input);
	remotes_await(remotes, count, END_MS);
	remotes_signal(remotes, count, SIGTERM);
	remotes_await(remotes, count, TERM_MS);
	remotes_signal(remotes, count, SIGKILL);
	remotes_await(remotes, count, TERM_MS);
	for (unsigned i = 0; i < count && remotes[i].node; i++) {
		end_close(&remotes[i].output.fd);
		end_close(&remotes[i].errors.fd);
	}
}

/* --- on the other host --- */

static void *stdin_watch(void *context)
{
	const bool must = *(const bool *)context;
	bool held = false;
	char bytes[64];
	ssize_t length;

	do {
		length = read(STDIN_FILENO, bytes, sizeof(bytes));
		held |= length > 0;
	} while (length > 0 || (length < 0 && errno == EINTR));
	if (!held && must)
		log_error("stdin has ended at once: what starts this has to pass on its own, as ssh does without -n");
	if (held || must)
		kill(getpid(), SIGTERM);
	return NULL;
}

int remote_watch_stdin(bool must)
{
	static bool needed;
	pthread_t thread;
	int ret;

	needed = must;
	ret = -pthread_create(&thread, NULL, stdin_watch, &needed);
	if (ret)
		log_error("cannot start a thread: %s; see ulimit -u", strerror(-ret));
	else
		pthread_detach(thread);
	return ret;
}
