// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See child.h. */
#include "config.h" /* pipe2() */

#include "front/child.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "front/sibling.h"
#include "params/options.h"
#include "params/programs.h"
#include "util/exit_status.h"
#include "util/log.h"
#include "util/printable.h"

#define MOST_DOCUMENT (4U << 20)
#define MOST_WORDS    512 /* of the program's command line */
#define DOCUMENT_FD   3	  /* in the child */
#define CLOSE_MS      1000

const char *child_find_program(struct child_program *program, char **words, unsigned num_words)
{
	const struct program *of_family = program_find(words[0]);
	const struct sibling *sibling = sibling_find(words[0]);

	if (num_words > MOST_WORDS)
		return "has too many options";
	*program = (struct child_program){.name = words[0],
					  .options = words + 1,
					  .num_options = num_words - 1,
					  .host_at = -1,
					  .port_option = "-p"};
	if (of_family) {
		program->name = of_family->name;
		return of_family->silent ? "has no server that could be started for a client" : NULL;
	}
	if (!sibling)
		return "";
	if (!sibling->port_option)
		return "measures between many hosts by itself: see its -P";
	program->port_option = sibling->port_option;
	program->host_first = sibling->host_first;
	return NULL;
}

/* Of its options the user's own HOST; -1: there is none. */
static int host_find(const struct child_program *program)
{
	const struct program *of_family = program_find(program->name);
	unsigned at = program->num_options;

	if (of_family)
		at = opt_leading(&params_options, program_bit(of_family), program->options, program->num_options);
	/* Names of hosts have no underscore, and of qperf's tests all that measure do. */
	else if (program->host_first && at && program->options[0][0] != '-' && !strchr(program->options[0], '_'))
		at = 0;
	return at < program->num_options ? (int)at : -1;
}

const char *child_find_command(struct child_program *program, char **words, unsigned num_words)
{
	char *path = strchr(words[0], '/') ? words[0] : NULL;
	const struct program *of_family = path ? program_of_path(path) : NULL;
	const char *fault;

	if (path)
		words[0] = of_family ? (char *)of_family->name : strrchr(path, '/') + 1;
	fault = child_find_program(program, words, num_words);
	if (path)
		words[0] = path;
	program->path = path;
	if (!fault)
		program->host_at = host_find(program);
	return fault;
}

const char *child_program_words(const struct child_program *program, char *words, size_t size)
{
	size_t used = (size_t)snprintf(words, size, "%s", program->path ? program->path : program->name);

	for (unsigned i = 0; i < program->num_options && used < size; i++)
		used += (size_t)snprintf(words + used, size - used, " %s", program->options[i]);
	return words;
}

void child_init(struct child *child)
{
	*child = (struct child){.errors = -1, .document = -1};
}

/* A port that the kernel considers free. 0: there is none. */
static uint16_t free_port(void)
{
	struct sockaddr_in address = {.sin_family = AF_INET};
	socklen_t length = sizeof(address);
	const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	uint16_t port = 0;

	if (fd < 0)
		return 0;
	if (!bind(fd, (struct sockaddr *)&address, sizeof(address)) &&
	    !getsockname(fd, (struct sockaddr *)&address, &length))
		port = ntohs(address.sin_port);
	close(fd);
	return port;
}

/* Of the child: never returns. */
static void child_exec(const struct child_program *program, const char *host, uint16_t port, int errors, int document)
{
	const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
	char *words[MOST_WORDS + 8], number[8], file[] = "--out_json_file=/dev/fd/3";
	unsigned used = 0;
	sigset_t none;

	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	dup2(nothing, STDIN_FILENO);
	if (program->speaks) {
		fcntl(errors, F_SETFD, 0); /* closed by its end, which is what there is to see */
	} else {
		dup2(nothing, STDOUT_FILENO);
		dup2(errors, STDERR_FILENO);
	}
	if (document == DOCUMENT_FD)
		fcntl(document, F_SETFD, 0);
	else if (document >= 0)
		dup2(document, DOCUMENT_FD);
	snprintf(number, sizeof(number), "%u", port);
	words[used++] = (char *)(program->path ? program->path : program->name);
	if (host && program->host_first)
		words[used++] = (char *)host;
	if (program->host_at < 0) {
		words[used++] = (char *)program->port_option;
		words[used++] = number;
	}
	/* A server of qperf learns everything from its client. */
	for (unsigned i = 0; i < program->num_options && (host || !program->host_first); i++)
		if ((int)i != program->host_at)
			words[used++] = program->options[i];
	if (document >= 0)
		words[used++] = file;
	if (host && !program->host_first)
		words[used++] = (char *)host;
	words[used] = NULL;
	log_set_program(program->name);
	if (program->path) {
		execv(program->path, words);
		log_error("cannot execute %s: %s", program->path, strerror(errno));
	} else {
		sibling_run((const char *const[]){program->name, NULL}, words);
	}
	_exit(EXIT_STATUS_FAILURE);
}

int child_start(struct child *child, const struct child_program *program, const char *host, uint16_t port)
{
	bool documents;
	int errors[2], document[2] = {-1, -1}, ret;
	pid_t pid;

	if (program->host_at >= 0)
		host = program->options[program->host_at];
	documents = host && !program->speaks;
	child_close(child);
	child->port = port ? port : free_port();
	if (!child->port)
		return -EADDRNOTAVAIL;
	if (pipe2(errors, O_CLOEXEC))
		return -errno;
	if (documents && pipe2(document, O_CLOEXEC)) {
		ret = -errno;
		goto errors_close;
	}
	pid = fork();
	if (pid < 0) {
		ret = -errno;
		goto document_close;
	}
	if (!pid)
		child_exec(program, host, child->port, errors[1], document[1]);
	setpgid(pid, pid); /* also here, so that it is one when a signal is sent to it */
	close(errors[1]);
	fcntl(errors[0], F_SETFL, O_NONBLOCK);
	if (documents) {
		close(document[1]);
		fcntl(document[0], F_SETFL, O_NONBLOCK);
	}
	child->pid = pid;
	child->errors = errors[0];
	child->document = document[0];
	return 0;
document_close:
	if (documents) {
		close(document[0]);
		close(document[1]);
	}
errors_close:
	close(errors[0]);
	close(errors[1]);
	return ret;
}

/* State 0A of the kernel's tables is LISTEN. */
static bool table_has_listener(const char *path, uint16_t port)
{
	FILE *file = fopen(path, "re");
	char line[256];
	bool found = false;
	unsigned local, state;

	while (file && !found && fgets(line, sizeof(line), file))
		found = sscanf(line, " %*u: %*[0-9A-Fa-f]:%x %*[0-9A-Fa-f]:%*x %x", &local, &state) == 2 &&
			local == port && state == 0x0a;
	if (file)
		fclose(file);
	return found;
}

bool child_listens(const struct child *child)
{
	return table_has_listener("/proc/self/net/tcp", child->port) ||
	       table_has_listener("/proc/self/net/tcp6", child->port);
}

unsigned child_poll_fds(const struct child *child, struct pollfd *fds)
{
	unsigned used = 0;

	if (child->errors >= 0)
		fds[used++] = (struct pollfd){.fd = child->errors, .events = POLLIN};
	if (child->document >= 0)
		fds[used++] = (struct pollfd){.fd = child->document, .events = POLLIN};
	return used;
}

static void close_end(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static bool has_ended(ssize_t length)
{
	return !length || (length < 0 && errno != EAGAIN && errno != EINTR);
}

/* Keeps the end of it. */
static void errors_read(struct child *child)
{
	char read_now[CHILD_WORDS_SIZE];
	const ssize_t length = read(child->errors, read_now, sizeof(read_now) - 1);
	size_t kept = strlen(child->words), surplus;

	if (length > 0) {
		surplus = kept + (size_t)length > CHILD_WORDS_SIZE - 1 ? kept + (size_t)length - (CHILD_WORDS_SIZE - 1)
								       : 0;
		surplus = surplus < kept ? surplus : kept;
		memmove(child->words, child->words + surplus, kept - surplus);
		kept -= surplus;
		for (ssize_t i = 0; i < length; i++)
			child->words[kept + (size_t)i] = read_now[i] ? read_now[i] : '?';
		child->words[kept + (size_t)length] = '\0';
	}
	if (has_ended(length))
		close_end(&child->errors);
}

static void document_read(struct child *child)
{
	ssize_t length;

	if (child->used == child->size) {
		const size_t size = child->size ? 2 * child->size : 16384;
		char *larger = size <= MOST_DOCUMENT ? realloc(child->text, size) : NULL;

		if (!larger) {
			close_end(&child->document);
			return;
		}
		child->text = larger;
		child->size = size;
	}
	length = read(child->document, child->text + child->used, child->size - child->used);
	if (length > 0)
		child->used += (size_t)length;
	if (has_ended(length))
		close_end(&child->document);
}

void child_read(struct child *child)
{
	if (child->errors >= 0)
		errors_read(child);
	if (child->document >= 0)
		document_read(child);
}

bool child_ended(struct child *child, int *status)
{
	if (!child->pid || waitpid(child->pid, status, WNOHANG) != child->pid)
		return false;
	kill(-child->pid, SIGKILL); /* what it may have left in its group */
	child->pid = 0;
	return true;
}

void child_signal(const struct child *child, int number)
{
	if (child->pid)
		kill(-child->pid, number);
}

/* The last error that it reported, or how it ended. */
static const char *last_words(const struct child *child, int status, char *buffer, size_t size)
{
	const char *line = child->words, *error = NULL, *next;

	for (next = line; next; line = next + 1) {
		next = strchr(line, '\n');
		if (next && strstr(line, "error: ") && strstr(line, "error: ") < next)
			error = strstr(line, "error: ") + strlen("error: ");
		if (!next)
			break;
	}
	if (error)
		printable(error, strcspn(error, "\n"), buffer, size);
	else if (WIFSIGNALED(status))
		snprintf(buffer, size, "the program was ended by signal %d", WTERMSIG(status));
	else
		snprintf(buffer, size, "the program ended with status %d", WEXITSTATUS(status));
	return buffer;
}

static bool has_status(int status, int wanted)
{
	return WIFEXITED(status) && WEXITSTATUS(status) == wanted;
}

const char *child_failure(const struct child *child, int status, char *buffer, size_t size)
{
	return has_status(status, EXIT_STATUS_OK) || has_status(status, EXIT_STATUS_LIMIT)
		       ? NULL
		       : last_words(child, status, buffer, size);
}

const char *child_missed_limit(const struct child *child, int status, char *buffer, size_t size)
{
	return has_status(status, EXIT_STATUS_LIMIT) ? last_words(child, status, buffer, size) : NULL;
}

void child_close(struct child *child)
{
	int status;

	child_signal(child, SIGKILL);
	/* One that the kernel holds in a call of its driver does not end. */
	for (unsigned i = 0; i < CLOSE_MS && child->pid && !child_ended(child, &status); i++)
		usleep(1000);
	close_end(&child->errors);
	close_end(&child->document);
	free(child->text);
	child_init(child);
}
