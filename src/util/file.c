// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See file.h. */
#include "util/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "util/log.h"
#include "util/wait.h"

#define WORD_SIZE 256

FILE *input_file_open(const char *path)
{
	const int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	struct pollfd fds = {.fd = fd, .events = POLLIN};
	FILE *file = NULL;
	int ret;

	if (fd < 0)
		return NULL;
	ret = wait_fds(&fds, 1, deadline_in_ms(WAIT_QUIET_MS));
	if (ret == -ETIMEDOUT) {
		log_info("waiting for a program that writes to %s", path);
		ret = wait_fds(&fds, 1, deadline_in_ms(-1));
	}
	/* From here on a read waits for what a slow writer has yet to write. */
	if (!ret && fcntl(fd, F_SETFL, 0))
		ret = -errno;
	if (!ret)
		file = fdopen(fd, "r");
	if (!file) {
		ret = ret ? ret : -errno;
		close(fd);
		errno = -ret;
	}
	return file;
}

/* The length of the word that begins there; 0: none does. */
static size_t word_at(const char *text, unsigned port, char word[WORD_SIZE])
{
	const time_t now = time(NULL);
	struct tm local;

	if (text[0] != '%')
		return 0;
	switch (text[1]) {
	case 'h':
		word[WORD_SIZE - 1] = '\0';
		if (gethostname(word, WORD_SIZE - 1))
			strcpy(word, "unknown");
		return strlen(word);
	case 'p':
		return (size_t)snprintf(word, WORD_SIZE, "%u", port);
	case 't':
		return strftime(word, WORD_SIZE, "%Y%m%d-%H%M%S", localtime_r(&now, &local));
	default:
		return 0;
	}
}

int path_words_fill(char *path, size_t size, unsigned port)
{
	char filled[4096], word[WORD_SIZE];
	size_t used = 0;

	for (const char *at = path; *at; at++) {
		size_t length = word_at(at, port, word);

		if (length) {
			at++;
		} else {
			word[0] = *at;
			length = 1;
		}
		if (used + length >= size || used + length >= sizeof(filled))
			return -ENAMETOOLONG;
		memcpy(filled + used, word, length);
		used += length;
	}
	memcpy(path, filled, used);
	path[used] = '\0';
	return 0;
}
