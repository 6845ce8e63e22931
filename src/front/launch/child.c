// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See child.h. */
#include "front/launch/child.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "front/launch/ends.h"
#include "front/launch/sibling.h"
#include "net/address.h"
#include "params/engine/opt_name.h"
#include "params/options.h"
#include "params/perftest_parameters.h"
#include "params/programs.h"
#include "util/log.h"
#include "util/process.h"
#include "util/starter.h"
#include "util/stop.h"
#include "util/terminal.h"
#include "util/units.h"
#include "util/wait.h"

#define MOST_DOCUMENT (4U << 20)
#define MOST_WORDS    512 /* of the program's command line */
#define DOCUMENT_FD   3	  /* in the child, below ENDS_GIVEN */
#define GATE_FD	      4	  /* the same */
#define GATE_TEXT     "4"
#define CLOSE_MS      1000
#define HELP_MS	      10000

static const char explain_option[] = "--explain", json_option[] = "--out_json_file";

/* Is this option among the words, as a letter, with its value or without, or a name? */
static bool is_given(char *const *words, unsigned num_words, const char *option, const char *name)
{
	bool found = false;

	for (unsigned i = 0; option && i < num_words && !found; i++)
		found = strncmp(words[i], option, strlen(option)) == 0 ||
			opt_name_equals(name, words[i], strcspn(words[i], "="));
	return found;
}

/* Of its options the user's own HOST; -1: there is none. */
static int host_find(const struct child_program *program)
{
	const struct program *of_family = program_find(program->name);
	unsigned at = program->num_options;

	if (of_family)
		at = opt_leading(&params_options, program_bit(of_family), program->options, program->num_options);
	/* Names of hosts have no underscore, and of qperf's tests all that measure do. */
	else if (program->how->host_first && at && program->options[0][0] != '-' && !strchr(program->options[0], '_'))
		at = 0;
	return at < program->num_options ? (int)at : -1;
}

int child_program_parse(struct child_program *program, char **words, unsigned num_words, enum child_where where,
			char *reason, size_t size)
{
	static const struct sibling family = {.port_option = "-p", .port_name = "--port", .device_option = "-d"};
	static const struct sibling silent = {
		.port_option = "-p", .port_name = "--port", .alone_option = "-P", .alone_name = "--client"};
	char *path = where == CHILD_HERE && strchr(words[0], '/') ? words[0] : NULL;
	const struct program *of_family = path ? program_of_path(path) : program_find(words[0]);
	const char *name = of_family ? of_family->name : path ? strrchr(path, '/') + 1 : words[0], *fault = NULL;
	const struct sibling *how = !of_family ? sibling_find(name) : of_family->silent ? &silent : &family;
	const bool is_one_sided = of_family && of_family->metric == METRIC_STEERING;
	const bool is_alone = where == CHILD_HERE && how &&
			      (is_one_sided || is_given(words + 1, num_words - 1, how->alone_option, how->alone_name));
	char unknown[SIBLING_FAULT_SIZE];

	if (!how)
		return opt_refuse(reason, size, "%s", sibling_fault(words[0], unknown));
	if (num_words > MOST_WORDS)
		fault = "has too many options";
	else if (how == &silent && where != CHILD_HERE)
		fault = "has no server that could be started for a client";
	else if (how == &silent && !is_alone)
		fault = "has no server that could be started for a client: give it --client, and start the other side "
			"yourself";
	else if (how->host_option && where == CHILD_ON_HOSTS)
		fault = "measures between many hosts by itself: see its -P";
	if (fault)
		return opt_refuse(reason, size, "%s %s", opt_quote(words[0]).text, fault);
	for (unsigned i = 1; i < num_words && where != CHILD_ON_HOSTS; i++)
		if (opt_name_equals(json_option, words[i], strcspn(words[i], "=")))
			return opt_refuse(reason, size,
					  "%s is an option of perftest, in front of the program: there is one document "
					  "of all runs",
					  json_option);
	*program = (struct child_program){.name = name,
					  .path = path,
					  .options = words + 1,
					  .num_options = num_words - 1,
					  .host_at = -1,
					  .is_here = where == CHILD_HERE,
					  .is_alone = is_alone,
					  .own_address = "127.0.0.1",
					  .how = how};
	if (where == CHILD_HERE && !is_alone)
		program->host_at = host_find(program);
	program->is_alone |= program->host_at >= 0;
	return 0;
}

const char *child_program_words(const struct child_program *program, char *words, size_t size)
{
	snprintf(words, size, "%s", program->path ? program->path : program->name);
	for (unsigned i = 0; i < program->num_options; i++)
		text_add(words, size, " %s", program->options[i]);
	return words;
}

void child_init(struct child *child)
{
	*child = (struct child){.ends = {-1, -1, -1}};
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

/* In the child; -1: there is none. */
static void pass_on(int from, int to)
{
	if (from >= 0)
		dup2(from, to);
}

/* host NULL: of a server. Returns the number of words. */
static unsigned put_addresses(const struct child_program *program, const char *host, char **words)
{
	const struct sibling *how = program->how;
	unsigned used = 0;

	words[used++] = (char *)how->host_option;
	words[used++] = (char *)(host ? host : program->own_address);
	if (!host)
		words[used++] = (char *)how->server_option;
	/* At the other end of a HOST there is an address of this host that only the user knows. */
	if (!program->is_alone &&
	    !is_given(program->options, program->num_options, how->interface_option, how->interface_name) &&
	    !(program->is_here && is_given(program->options, program->num_options, how->bind_option, how->bind_name))) {
		words[used++] = (char *)how->bind_option;
		words[used++] = (char *)program->own_address;
	}
	return used;
}

/*
 * How many words the user's port is, from this option on: it is that of a HOST, whose server runs already. What is no
 * port is left to the program, which says so.
 */
static unsigned idle_words(const struct child_program *program, unsigned i)
{
	const struct sibling *how = program->how;
	const char *word = program->options[i];
	const size_t name = strcspn(word, "="), letters = strlen(how->port_option);
	const char *value = NULL;
	unsigned count = 1;
	uint64_t port;

	if (!program->is_here || program->is_alone)
		return 0;
	if (opt_name_equals(how->port_name, word, name))
		value = word + name + (word[name] == '=');
	else if (strncmp(word, how->port_option, letters) == 0)
		value = word + letters;
	if (value && !*value && i + 1 < program->num_options) {
		value = program->options[i + 1];
		count++;
	}
	return value && !units_parse_u64(value, 1, UINT16_MAX, &port) ? count : 0;
}

/* Of the child: never returns. */
static void child_exec(const struct child_program *program, const char *host, uint16_t port, int pipes[CHILD_FDS][2],
		       pid_t parent)
{
	const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC), errors = pipes[CHILD_ERRORS][1];
	const int document = pipes[CHILD_DOCUMENT][1], gate = pipes[CHILD_GATE][1];
	char *words[MOST_WORDS + 16], number[8], file[sizeof(json_option) + 16];
	unsigned used = 0;
	sigset_t none;

	setpgid(0, 0);
	stop_with_parent(parent, SIGKILL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	dup2(nothing, STDIN_FILENO);
	if (program->speaks) {
		fcntl(errors, F_SETFD, 0); /* closed by its end, which is what there is to see */
	} else {
		dup2(nothing, STDOUT_FILENO);
		dup2(errors, STDERR_FILENO);
	}
	pass_on(document, DOCUMENT_FD);
	pass_on(gate, GATE_FD);
	if (gate >= 0)
		setenv(START_GATE_VARIABLE, GATE_TEXT, true /* overwrite */);
	snprintf(number, sizeof(number), "%u", port);
	snprintf(file, sizeof(file), "%s=/dev/fd/%d", json_option, DOCUMENT_FD);
	words[used++] = (char *)(program->path ? program->path : program->name);
	if (host && program->how->host_first)
		words[used++] = (char *)host;
	if (!program->is_alone) {
		words[used++] = (char *)program->how->port_option;
		words[used++] = number;
	}
	if (program->how->host_option && (!program->is_alone || program->host_at >= 0))
		used += put_addresses(program, host, words + used);
	if (host && program->explains) /* qperf: of the tests behind it */
		words[used++] = (char *)explain_option;
	/* A server of qperf learns everything from its client. */
	for (unsigned i = 0; i < program->num_options && (host || !program->how->host_first); i++) {
		const unsigned idle = idle_words(program, i);

		if (idle)
			i += idle - 1;
		else if ((int)i != program->host_at)
			words[used++] = program->options[i];
	}
	if (program->device) {
		words[used++] = (char *)program->how->device_option;
		words[used++] = (char *)program->device;
	}
	if (document >= 0)
		words[used++] = file;
	if (host && !program->how->host_first && !program->how->host_option && !program->how->alone_option)
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
	int pipes[CHILD_FDS][2] = {{-1, -1}, {-1, -1}, {-1, -1}};
	bool wanted[CHILD_FDS] = {[CHILD_ERRORS] = true};
	const pid_t parent = getpid();
	int ret = 0;

	if (program->host_at >= 0)
		host = program->options[program->host_at];
	child_close(child);
	child->port = port ? port : free_port();
	if (!child->port)
		return -EADDRNOTAVAIL;
	wanted[CHILD_DOCUMENT] = host && !program->speaks;
	wanted[CHILD_GATE] = host && program->is_held;
	for (unsigned i = 0; i < CHILD_FDS && !ret; i++)
		ret = wanted[i] ? ends_open(pipes[i], i == CHILD_GATE) : 0;
	if (!ret) {
		child->pid = fork();
		ret = child->pid < 0 ? -errno : 0;
	}
	if (!ret && !child->pid)
		child_exec(program, host, child->port, pipes, parent);
	for (unsigned i = 0; i < CHILD_FDS; i++) {
		end_close(&pipes[i][1]);
		if (ret)
			end_close(&pipes[i][0]);
		else if (wanted[i]) /* no read of it waits */
			fcntl(pipes[i][0], F_SETFL, O_NONBLOCK);
		child->ends[i] = pipes[i][0];
	}
	if (ret)
		child->pid = 0;
	else
		setpgid(child->pid, child->pid); /* also here, so that it is one when a signal is sent to it */
	return ret;
}

/* States of the kernel's tables. */
#define SYN_SENT 0x02
#define LISTEN	 0x0a

/* A socket in this state, with the remote end as the table has it, or any (NULL), and then on this port. */
static bool table_has(const char *path, unsigned wanted, const char *remote, uint16_t port)
{
	FILE *file = fopen(path, "re");
	char line[256], other[64];
	bool found = false;
	unsigned local, state;

	while (file && !found && fgets(line, sizeof(line), file))
		found = sscanf(line, " %*u: %*[0-9A-Fa-f]:%x %63s %x", &local, other, &state) == 3 && state == wanted &&
			(remote ? strcmp(other, remote) == 0 : local == port);
	if (file)
		fclose(file);
	return found;
}

bool child_listens(const struct child *child)
{
	return table_has("/proc/self/net/tcp", LISTEN, NULL, child->port) ||
	       table_has("/proc/self/net/tcp6", LISTEN, NULL, child->port);
}

bool child_connects(const struct sockaddr *server)
{
	const struct sockaddr_in *in = (const struct sockaddr_in *)server;
	const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)server;
	const uint32_t *words = server->sa_family == AF_INET6 ? in6->sin6_addr.s6_addr32 : &in->sin_addr.s_addr;
	char remote[64] = "";

	for (unsigned i = 0; i < (server->sa_family == AF_INET6 ? 4 : 1); i++)
		text_add(remote, sizeof(remote), "%08X", words[i]);
	text_add(remote, sizeof(remote), ":%04X", address_port(server));
	return table_has(server->sa_family == AF_INET6 ? "/proc/self/net/tcp6" : "/proc/self/net/tcp", SYN_SENT, remote,
			 0);
}

unsigned child_poll_fds(const struct child *child, struct pollfd *fds)
{
	unsigned used = 0;

	for (unsigned i = 0; i < CHILD_FDS; i++)
		if (child->ends[i] >= 0)
			fds[used++] = (struct pollfd){.fd = child->ends[i], .events = POLLIN};
	return used;
}

static bool has_ended(ssize_t length)
{
	return !length || (length < 0 && errno != EAGAIN && errno != EINTR);
}

/* Keeps the end of it. */
static void errors_read(struct child *child)
{
	char read_now[sizeof(child->words)];
	const ssize_t length = read(child->ends[CHILD_ERRORS], read_now, sizeof(read_now) - 1);
	size_t kept = strlen(child->words), surplus;

	if (length > 0) {
		surplus = kept + (size_t)length < sizeof(read_now) ? 0 : kept + (size_t)length + 1 - sizeof(read_now);
		memmove(child->words, child->words + surplus, kept - surplus);
		kept -= surplus;
		for (ssize_t i = 0; i < length; i++)
			child->words[kept + (size_t)i] = read_now[i] ? read_now[i] : '?';
		child->words[kept + (size_t)length] = '\0';
	}
	if (has_ended(length))
		end_close(&child->ends[CHILD_ERRORS]);
}

static void document_read(struct child *child)
{
	ssize_t length;

	if (child->used == child->size) {
		const size_t size = child->size ? 2 * child->size : 16384;
		char *larger = size <= MOST_DOCUMENT ? realloc(child->text, size) : NULL;

		if (!larger) {
			end_close(&child->ends[CHILD_DOCUMENT]);
			return;
		}
		child->text = larger;
		child->size = size;
	}
	length = read(child->ends[CHILD_DOCUMENT], child->text + child->used, child->size - child->used);
	if (length > 0)
		child->used += (size_t)length;
	if (has_ended(length))
		end_close(&child->ends[CHILD_DOCUMENT]);
}

static void gate_read(struct child *child)
{
	char word;
	const ssize_t length = read(child->ends[CHILD_GATE], &word, 1);

	if (length == 1)
		child->start = word == START_GATE_READY ? CHILD_READY : CHILD_BEGAN;
	if (has_ended(length))
		end_close(&child->ends[CHILD_GATE]);
}

void child_read(struct child *child)
{
	if (child->ends[CHILD_ERRORS] >= 0)
		errors_read(child);
	if (child->ends[CHILD_DOCUMENT] >= 0)
		document_read(child);
	if (child->ends[CHILD_GATE] >= 0)
		gate_read(child);
}

bool child_ended(struct child *child, int *status)
{
	struct pollfd fds[CHILD_FDS];

	if (!child->pid)
		return false;
	if (waitpid(child->pid, status, WNOHANG) != child->pid) {
		if (!child->asked || !deadline_passed(child->limit))
			return false;
		*status = CHILD_STAYS;
		if (child->asked == SIGKILL)
			return true;
		child_end(child, SIGKILL, child->limit_ms);
		return false;
	}
	kill(-child->pid, SIGKILL); /* what it may have left in its group */
	child->pid = 0;
	while (poll(fds, child_poll_fds(child, fds), 0) > 0)
		child_read(child);
	return true;
}

void child_signal(const struct child *child, int number)
{
	if (child->pid)
		kill(-child->pid, number);
}

void child_end(struct child *child, int number, int64_t limit_ms)
{
	child_signal(child, number);
	child->asked = number;
	child->limit_ms = limit_ms;
	child->limit = deadline_in_ms(limit_ms);
}

enum child_start child_started(struct child *child)
{
	const enum child_start start = child->start;

	child->start = CHILD_NOTHING;
	return start;
}

void child_release(const struct child *child)
{
	const char word = START_GATE_READY;

	if (child->ends[CHILD_GATE] >= 0) /* it may have ended; and a byte always fits */
		(void)!send(child->ends[CHILD_GATE], &word, 1, MSG_NOSIGNAL | MSG_DONTWAIT);
}

/* An error up to the end of its line, and its details, which are on an indented one (util/log.h), behind "; ". */
static void error_text(const char *error, char *buffer, size_t size)
{
	const size_t length = strcspn(error, "\n");
	const char *details = error + length + (error[length] == '\n');
	const size_t indent = strspn(details, " ");
	size_t used;

	readable(error, length, buffer, size);
	used = strlen(buffer);
	if (!indent || used + sizeof("; ") > size)
		return;
	memcpy(buffer + used, "; ", sizeof("; "));
	used += strlen("; ");
	readable(details + indent, strcspn(details + indent, "\n"), buffer + used, size - used);
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
		error_text(error, buffer, size);
	else if (status == CHILD_STAYS)
		snprintf(buffer, size, "the program does not end");
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

/* The family's table says it here, that of a sibling where --help follows the options. */
const char *child_options_fault(const struct child_program *program, char *buffer, size_t size)
{
	static struct params params; /* large */
	const struct program *of_family = program_find(program->name);
	struct child_program asks = *program;
	char *words[MOST_WORDS + 4];
	unsigned used = 0;
	struct pollfd fds[CHILD_FDS];
	struct child child;
	const struct deadline limit = deadline_in_ms(HELP_MS);
	const char *fault = NULL;
	bool is_over;
	int status;

	if (program->path)
		return NULL;
	words[used++] = (char *)program->name;
	if (of_family && program->explains)
		words[used++] = (char *)explain_option;
	memcpy(words + used, program->options, program->num_options * sizeof(*words));
	used += program->num_options;
	words[used] = of_family ? "localhost" : "--help";
	words[used + 1] = "options"; /* a page of qperf's help */
	if (of_family) {
		params_init(&params, of_family);
		return params_parse_text(&params, (int)used + !program->is_alone, words, buffer, size) ||
				       params_resolve(&params, buffer, size)
			       ? buffer
			       : NULL;
	}
	asks.options = words + 1;
	asks.num_options += program->how->host_first ? 2 : 1;
	asks.own_address = "127.0.0.1";
	child_init(&child);
	if (child_start(&child, &asks, asks.own_address, 1 /* none is called */))
		return NULL;
	while (!(is_over = child_ended(&child, &status)) && !deadline_passed(limit)) {
		wait_fds_after_stop(fds, child_poll_fds(&child, fds), deadline_in_ms(10));
		child_read(&child);
	}
	if (is_over && has_status(status, EXIT_STATUS_USAGE))
		fault = last_words(&child, status, buffer, size);
	child_close(&child);
	return fault;
}

void child_close(struct child *child)
{
	int status;

	child_signal(child, SIGKILL);
	/* One that the kernel holds in a call of its driver does not end. */
	for (unsigned i = 0; i < CLOSE_MS && child->pid && !child_ended(child, &status); i++)
		usleep(1000);
	for (unsigned i = 0; i < CHILD_FDS; i++)
		end_close(&child->ends[i]);
	free(child->text);
	child_init(child);
}
