// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What does the controller of `perftest matrix` cost with many instances?
 *
 *   bench_many_instances PERFTEST COUNT [PATTERN]
 *
 * Runs `PERFTEST matrix --hosts=n[1-COUNT]` with this program in the place of ssh, once for each host: each stands in
 * for an instance, speaks its protocol (front/matrix/dispatch.h) and answers each order at once. That of rank 0 notes
 * when something happens to it. Prints seconds until all have joined, the mean of a step (all pairs of a round in one
 * direction), and from the end to the controller's exit; and the controller's CPU time and most memory.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "front/matrix/dispatch.h"
#include "net/tcp.h"

#define NOTES_FD "BENCH_NOTES_FD"
#define PORT	 18511
#define LIMIT_MS 300000

/* What happens to rank 0. Each direction of each of its pairs is a step in which it is a server or a client. */
struct notes {
	double joined, first, last; /* all have joined; its first order, its last answer */
	double cpu;		    /* of the controller, at the end */
	unsigned orders;
};

static double clock_s(clockid_t clock)
{
	struct timespec now = {0};

	clock_gettime(clock, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* --- an instance --- */

/* As matrix.c computes it: of the words from the pattern on, and of the job, which is none. */
static void add_word(uint64_t *run, const char *word)
{
	do
		*run = (*run ^ (uint8_t)*word) * 0x100000001b3;
	while (*word++);
}

/* From the command that ssh would be given, of quoted words. */
static void read_command(char *command, struct dispatch *join, uint16_t *port)
{
	bool is_behind = false;
	char *rest, *word;

	join->join.run = 0xcbf29ce484222325;
	for (word = strtok_r(command, "' ", &rest); word; word = strtok_r(NULL, "' ", &rest)) {
		if (sscanf(word, "--rank=%u", &join->join.rank) == 1 || sscanf(word, "--port=%hu", port) == 1)
			is_behind = true;
		else if (is_behind && strncmp(word, "--", 2) != 0)
			add_word(&join->join.run, word);
	}
	add_word(&join->join.run, "");
}

static void say(struct conn *conn, unsigned type, uint32_t job)
{
	const struct dispatch said = {.type = type, .job = job, .port = 9, .value = 1};

	dispatch_send(conn, &said);
}

static void answer(struct conn *conn, const struct dispatch *received, bool *serves)
{
	if (received->type == DISPATCH_SERVE)
		say(conn, DISPATCH_LISTENS, received->job);
	if (received->type == DISPATCH_CALL)
		say(conn, DISPATCH_READY, received->job);
	if (received->type == DISPATCH_START)
		say(conn, DISPATCH_BEGAN, received->job);
	if (received->type == DISPATCH_START || (received->type == DISPATCH_STOP && *serves))
		say(conn, MESSAGE_RESULT, received->job);
	if (received->type == MESSAGE_ALIVE)
		say(conn, MESSAGE_ALIVE, 0);
	*serves = received->type == DISPATCH_SERVE || (*serves && received->type == MESSAGE_ALIVE);
}

static void note(struct notes *notes, unsigned type)
{
	if (type == MESSAGE_AGREE)
		notes->joined = clock_s(CLOCK_MONOTONIC);
	if ((type == DISPATCH_SERVE || type == DISPATCH_CALL) && !notes->orders++)
		notes->first = clock_s(CLOCK_MONOTONIC);
	if (type == DISPATCH_STOP || type == DISPATCH_START)
		notes->last = clock_s(CLOCK_MONOTONIC);
}

static int instance(const char *node, char *command)
{
	struct dispatch join = {.type = MESSAGE_HELLO}, received = {0};
	const struct deadline limit = deadline_in_ms(LIMIT_MS);
	struct address address = {.host = "127.0.0.1", .port_option = "-p"};
	struct notes notes = {0};
	struct conn conn;
	const char *fault;
	bool serves = false;
	clockid_t clock;
	size_t length;
	int ret;

	snprintf(join.join.host, sizeof(join.join.host), "%s", node);
	read_command(command, &join, &address.port);
	if (tcp_connect(&conn, &address, LIMIT_MS) || dispatch_send(&conn, &join))
		return 1;
	while (received.type != DISPATCH_END) {
		ret = dispatch_read(&conn, &received, &length, &fault);
		if (ret < 0 || received.type == MESSAGE_REFUSE) {
			fprintf(stderr, "%s\n", ret < 0 ? fault : received.reason);
			return 1;
		}
		if (!ret) {
			if (conn_wait(&conn, POLLIN, limit) || dispatch_fill(&conn))
				return 1;
			continue;
		}
		conn_consume(&conn, length);
		note(&notes, received.type);
		answer(&conn, &received, &serves);
	}
	if (join.join.rank)
		return 0;
	if (!clock_getcpuclockid(getppid(), &clock))
		notes.cpu = clock_s(clock);
	(void)!write(atoi(getenv(NOTES_FD)), &notes, sizeof(notes));
	return 0;
}

/* --- the controller --- */

static void controller(const char *path, const char *count, const char *pattern, int notes)
{
	char self[4096] = "--rsh=", hosts[64], port[32], number[16];
	const ssize_t length = readlink("/proc/self/exe", self + 6, sizeof(self) - 7);

	self[6 + (length < 0 ? 0 : length)] = '\0';
	snprintf(hosts, sizeof(hosts), "--hosts=n[1-%s]", count);
	snprintf(port, sizeof(port), "--port=%d", PORT);
	snprintf(number, sizeof(number), "%d", notes);
	setenv(NOTES_FD, number, 1);
	dup2(open("/dev/null", O_WRONLY | O_CLOEXEC), STDOUT_FILENO); /* the table */
	execl(path, path, "matrix", hosts, self, port, pattern, "qperf", "tcp_lat", (char *)NULL);
	fprintf(stderr, "%s: %s\n", path, strerror(errno));
	_exit(1);
}

int main(int argc, char **argv)
{
	struct notes notes = {0};
	struct rusage usage;
	double began, ended;
	int status, ends[2];
	pid_t pid;

	if (getenv(NOTES_FD))
		return argc == 3 ? instance(argv[1], argv[2]) : 1;
	if (argc < 3) {
		fprintf(stderr, "usage: bench_many_instances PERFTEST COUNT [PATTERN]\n");
		return 2;
	}
	if (pipe(ends))
		return 1;
	began = clock_s(CLOCK_MONOTONIC);
	pid = fork();
	if (!pid)
		controller(argv[1], argv[2], argc > 3 ? argv[3] : "ring", ends[1]);
	if (wait4(pid, &status, 0, &usage) != pid)
		return 1;
	ended = clock_s(CLOCK_MONOTONIC);
	close(ends[1]);
	if (read(ends[0], &notes, sizeof(notes)) != sizeof(notes) || !notes.orders) {
		fprintf(stderr, "it has not measured all: status %d\n", WEXITSTATUS(status));
		return 1;
	}
	printf("%s instances: joined %.2f s, %u steps of %.3f s, end %.2f s; the controller's CPU %.2f s, memory %ld "
	       "MiB\n",
	       argv[2], notes.joined - began, notes.orders, (notes.last - notes.first) / notes.orders,
	       ended - notes.last, notes.cpu, usage.ru_maxrss / 1024);
	return 0;
}
