// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Reads wrapped keys and credentials from files, and runs the user's program that generates keys. See maker.h. */
#define _GNU_SOURCE /* mkostemp() */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "util/deadline.h"
#include "util/file.h"
#include "util/log.h"
#include "util/stop.h"
#include "verbs/maker.h"
#include "verbs/verbs_config.h"

#define MKEY_PROGRAM_MS 30000 /* for generating a key */
#define LOOK_NS		10000000

extern char **environ;

/* "0x1f", "1F". False: not a byte. */
static bool hex_byte(const char *word, uint8_t *byte)
{
	unsigned value;
	int end = 0;

	if (word[0] == '0' && (word[1] == 'x' || word[1] == 'X'))
		word += 2;
	if (!isxdigit((unsigned char)word[0]) || sscanf(word, "%2x%n", &value, &end) != 1 || word[end])
		return false;
	*byte = (uint8_t)value;
	return true;
}

int mkey_file_read(const char *path, const char *what, uint8_t *bytes, size_t size, size_t *length)
{
	FILE *file = input_file_open(path);
	char word[16];
	size_t count = 0;
	int err = 0;

	if (!file) {
		err = -errno;
		return log_fail(err, "%s: %s: %s", what, path, strerror(-err));
	}
	while (!err && fscanf(file, "%15s", word) == 1) {
		if (count == size) {
			log_error("%s: %s has more than %zu bytes", what, path, size);
			err = -EINVAL;
		} else if (!hex_byte(word, &bytes[count++])) {
			log_error("%s: %s is not a list of hexadecimal bytes", what, path);
			err = -EINVAL;
		}
	}
	if (!err && !count) {
		log_error("%s: %s is empty", what, path);
		err = -EINVAL;
	}
	if (!err)
		*length = count;
	fclose(file);
	return err;
}

/* The program's stdout goes to stderr: our stdout has the results. 0 or an errno. */
static int spawn(const char *program, const char *kek_path, const char *path, pid_t *child)
{
	char *argv[] = {strdup(program), strdup(kek_path), strdup(path), NULL};
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attr;
	sigset_t ignored;
	int err = argv[0] && argv[1] && argv[2] ? 0 : ENOMEM;

	/* Signals that this process ignores must terminate the program as usual. */
	sigemptyset(&ignored);
	sigaddset(&ignored, SIGPIPE);
	sigaddset(&ignored, SIGTTOU);
	posix_spawn_file_actions_init(&files);
	posix_spawnattr_init(&attr);
	err = err ?: posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	err = err ?: posix_spawn_file_actions_adddup2(&files, STDERR_FILENO, STDOUT_FILENO);
	err = err ?: posix_spawnattr_setsigdefault(&attr, &ignored);
	err = err ?: posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGDEF);
	/* Some systems report a program that cannot be executed only by status 127. */
	if (!err && strchr(program, '/') && access(program, X_OK))
		err = errno;
	err = err ?: posix_spawnp(child, program, &files, &attr, argv, environ);
	posix_spawnattr_destroy(&attr);
	posix_spawn_file_actions_destroy(&files);
	for (int i = 0; i < 3; i++)
		free(argv[i]);
	return err;
}

/* Waits until the program exits; returns its wait status, or -1 if this side was asked to stop, or on timeout. */
static int await_program(pid_t child)
{
	const struct timespec pause = {.tv_nsec = LOOK_NS};
	const struct deadline deadline = deadline_in_ms(MKEY_PROGRAM_MS);
	pid_t ended = 0;
	int status = -1;

	while (!ended && !stop_requested() && !deadline_passed(deadline)) {
		ended = waitpid(child, &status, WNOHANG);
		if (!ended)
			nanosleep(&pause, NULL);
	}
	if (ended == child)
		return status;
	kill(child, SIGKILL);
	while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
	return -1;
}

static int run_program(const char *program, const char *kek_path, const char *path)
{
	pid_t child;
	int err = spawn(program, kek_path, path, &child);
	int status;

	if (err)
		return log_fail(-err, "--data_enc_key_app_path: %s: %s", program, strerror(err));
	status = await_program(child);
	if (status == -1 && stop_requested())
		return -EINTR;
	if (status == -1)
		return log_fail(-ETIMEDOUT, "--data_enc_key_app_path: %s did not create a key within %d s", program,
				MKEY_PROGRAM_MS / 1000);
	if (WIFEXITED(status) && !WEXITSTATUS(status))
		return 0;
	return log_fail(-EIO, "--data_enc_key_app_path: %s did not create a key: it ended with %s %d", program,
			WIFEXITED(status) ? "status" : "signal",
			WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
}

int mkey_file_generate(const struct crypto_config *crypto, uint8_t *bytes, size_t size, size_t *length)
{
	char path[] = "/tmp/perftest-key-XXXXXX";
	int fd = mkostemp(path, O_CLOEXEC);
	int err;

	if (fd < 0) {
		err = -errno;
		return log_fail(err, "cannot create a key file in /tmp: %s", strerror(-err));
	}
	close(fd);
	err = run_program(crypto->key_program, crypto->kek_path, path);
	err = err ?: mkey_file_read(path, "--data_enc_key_app_path", bytes, size, length);
	unlink(path);
	return err;
}
