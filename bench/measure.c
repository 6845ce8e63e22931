// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Measures a command's elapsed and CPU time, and its peak memory. Runs it and appends one line of JSON to FILE; exits
 * with its status. Called by bench/run as: bench_measure FILE COMMAND [ARGUMENTS]
 *
 * A C program, because the peak that wait4() reports for a child includes its memory before exec(), which under an
 * interpreter is more than the measured programs ever use.
 */
#include <config.h>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "spread.h"

static double seconds(const struct timeval *time)
{
	return (double)time->tv_sec + (double)time->tv_usec / 1e6;
}

int main(int argc, char **argv)
{
	double begin = spread_now_ns();
	struct rusage usage;
	FILE *file;
	pid_t child;
	int status;

	if (argc < 3) {
		fprintf(stderr, "usage: bench_measure FILE COMMAND [ARGUMENTS]\n");
		return 2;
	}
	child = fork();
	if (child < 0)
		spread_die("fork");
	if (child == 0) {
		execvp(argv[2], argv + 2);
		spread_die(argv[2]);
	}
	if (wait4(child, &status, 0, &usage) < 0)
		spread_die("wait4");
	file = fopen(argv[1], "a");
	if (!file)
		spread_die(argv[1]);
	fprintf(file, "{\"wall_s\": %.6f, \"cpu_s\": %.6f, \"peak_kib\": %ld}\n", (spread_now_ns() - begin) / 1e9,
		seconds(&usage.ru_utime) + seconds(&usage.ru_stime), usage.ru_maxrss);
	if (fclose(file))
		spread_die(argv[1]);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
