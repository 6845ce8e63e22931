// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Reads the file of --payload_file_path for buffer_fill(). See memory.h. */
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "memory/memory.h"
#include "util/log.h"

#define MAX_FILE_BYTES (64 << 20) /* no real pattern is larger */
#define MAX_DIGITS     8
#define SPACE	       " \t\n\v\f\r"

/* Appends the dword at *at to bytes, and moves behind it. NULL, or what is wrong at *at. */
static const char *read_dword(const char **at, uint8_t *bytes, size_t *used)
{
	uint32_t value;
	size_t digits;

	if ((*at)[0] != '0' || ((*at)[1] | 0x20) != 'x')
		return "a dword such as 0x11223344 is expected";
	*at += 2;
	digits = strspn(*at, "0123456789abcdefABCDEF");
	if (!digits)
		return "hexadecimal digits are expected after 0x";
	if (digits > MAX_DIGITS) {
		*at += MAX_DIGITS;
		return "a dword has at most 8 hexadecimal digits";
	}
	value = htole32((uint32_t)strtoul(*at - 2, NULL, 16));
	memcpy(bytes + *used, &value, sizeof(value));
	*used += sizeof(value);
	*at += digits;
	*at += strspn(*at, SPACE);
	if (**at && **at != ',')
		return "a comma is expected between dwords";
	*at += **at == ',';
	*at += strspn(*at, SPACE);
	return NULL;
}

int payload_parse(const char *text, uint8_t **bytes, size_t *count, char *reason, size_t reason_size)
{
	const char *at = text + strspn(text, SPACE), *line = text, *what = NULL;
	/* The shortest dword with its comma has four characters and yields four bytes. */
	uint8_t *out = malloc(strlen(text) + sizeof(uint32_t));
	size_t used = 0, number = 1;

	if (!out)
		return -ENOMEM;
	while (*at && !what)
		what = read_dword(&at, out, &used);
	if (!what && used) {
		*bytes = out;
		*count = used;
		return 0;
	}
	free(out);
	for (const char *end; (end = memchr(line, '\n', (size_t)(at - line))); number++)
		line = end + 1;
	snprintf(reason, reason_size, "line %zu, column %zu: %s", number, (size_t)(at - line) + 1,
		 what ? what : "no dword found");
	return -EINVAL;
}

static int check_file(int fd, const char *path, size_t *bytes)
{
	struct stat status;
	int err;

	if (fd < 0 || fstat(fd, &status)) {
		err = -errno;
		return log_fail(err, "payload file %s: %s", path, strerror(-err));
	}
	if (!S_ISREG(status.st_mode))
		return log_fail(-EINVAL, "payload file %s is not a regular file", path);
	if (status.st_size > MAX_FILE_BYTES)
		return log_fail(-EINVAL, "payload file %s has %lld bytes; at most %d are read", path,
				(long long)status.st_size, MAX_FILE_BYTES);
	*bytes = (size_t)status.st_size;
	return 0;
}

/* All of it: read() may return less. */
static int read_all(int fd, const char *path, size_t bytes, char *text)
{
	size_t length = 0;
	ssize_t found;

	while ((found = read(fd, text + length, bytes - length)) > 0)
		length += (size_t)found;
	if (found < 0)
		return log_fail(-EIO, "cannot read payload file %s", path);
	return strlen(text) == length ? 0 : log_fail(-EINVAL, "payload file %s contains a byte that is 0", path);
}

int payload_read(const char *path, uint8_t **bytes, size_t *count)
{
	/* Without waiting for the writer of a FIFO, which is refused. */
	const int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	char reason[128] = "", *text = NULL;
	size_t length = 0;
	int err = check_file(fd, path, &length);

	if (!err) {
		text = calloc(1, length + 1);
		err = text ? read_all(fd, path, length, text)
			   : log_fail(-ENOMEM, "no memory to read payload file %s", path);
	}
	if (fd >= 0)
		close(fd);
	if (!err) {
		err = payload_parse(text, bytes, count, reason, sizeof(reason));
		if (err == -ENOMEM)
			log_error("no memory for the data of payload file %s", path);
		else if (err)
			log_error("payload file %s, %s", path, reason);
	}
	free(text);
	return err;
}
