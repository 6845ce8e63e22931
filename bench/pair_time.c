// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Elapsed time of a pair of programs, from the start of the server to the exit of both. For bench/setup, because a
 * shell's own forks and sleeps would be half of the measured time.
 *
 *   bench_pair_time PORT SERVER [ARGUMENT...] -- CLIENT [ARGUMENT...]
 *
 * Starts the client as soon as the server listens on PORT, and prints two times in milliseconds: until the server
 * listened, and in total. Their output goes to this program's stderr, except the client's stdout, which goes to stdout.
 * Status 0 if both succeeded.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LIMIT_S 120
#define POLL_NS 500000

static double now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

/* Reads the kernel's tables, because the server would mistake a connection for the client. */
static bool table_has(const char *path, unsigned port)
{
	char wanted[32], line[512];
	FILE *file = fopen(path, "re");
	bool found = false;

	snprintf(wanted, sizeof(wanted), ":%04X ", port);
	while (file && !found && fgets(line, sizeof(line), file)) {
		const char *local = strchr(line, ':');
		const char *at = local ? strstr(local + 1, wanted) : NULL;

		/* "  0: 00000000:4853 00000000:0000 0A ...": the local address, and 0A for listening */
		found = at && at - local < 40 && strstr(at, ":0000 0A ");
	}
	if (file)
		fclose(file);
	return found;
}

static bool listens(unsigned port)
{
	return table_has("/proc/net/tcp", port) || table_has("/proc/net/tcp6", port);
}

static pid_t start(char **words, int out)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	if (dup2(out, STDOUT_FILENO) < 0)
		_exit(127);
	execvp(words[0], words);
	fprintf(stderr, "%s: %s\n", words[0], strerror(errno));
	_exit(127);
}

int main(int argc, char **argv)
{
	const struct timespec pause = {.tv_nsec = POLL_NS};
	char **server = argv + 2, **client = NULL;
	int server_status = 0, client_status = 0;
	double began, listened;
	pid_t server_pid, client_pid;
	unsigned port;

	for (int i = 3; i < argc - 1; i++) {
		if (!client && strcmp(argv[i], "--") == 0) {
			argv[i] = NULL;
			client = argv + i + 1;
		}
	}
	if (!client) {
		fprintf(stderr, "usage: bench_pair_time PORT SERVER... -- CLIENT...\n");
		return 2;
	}
	port = (unsigned)strtoul(argv[1], NULL, 10);
	alarm(LIMIT_S);
	began = now_ms();
	server_pid = start(server, STDERR_FILENO);
	while (!listens(port)) {
		if (waitpid(server_pid, &server_status, WNOHANG) == server_pid) {
			fprintf(stderr, "%s ended before it listened\n", server[0]);
			return 1;
		}
		nanosleep(&pause, NULL);
	}
	listened = now_ms();
	client_pid = start(client, STDOUT_FILENO);
	if (waitpid(client_pid, &client_status, 0) != client_pid)
		return 1;
	if (client_status)
		kill(server_pid, SIGTERM);
	if (waitpid(server_pid, &server_status, 0) != server_pid)
		return 1;
	printf("pair_time %.1f %.1f\n", listened - began, now_ms() - began);
	return server_status || client_status;
}
