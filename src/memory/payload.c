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

/* To be freed; NULL: reported, with *err. */
static char *payload_read_text(const char *path, int *err)
{
	/* Without waiting for the writer of a FIFO, which is refused below. */
	const int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	struct stat status;
	char *text = NULL;
	ssize_t length;

	*err = fd < 0 || fstat(fd, &status) ? -errno : -EINVAL;
	if (*err != -EINVAL) {
		log_error("payload file %s: %s", path, strerror(-*err));
	} else if (!S_ISREG(status.st_mode)) {
		log_error("payload file %s is not a regular file", path);
	} else if (status.st_size > MAX_FILE_BYTES) {
		log_error("payload file %s has %lld bytes; at most %d are read", path, (long long)status.st_size,
			  MAX_FILE_BYTES);
	} else {
		text = calloc(1, (size_t)status.st_size + 1);
		length = text ? read(fd, text, (size_t)status.st_size) : -1;
		if (length < 0 || strlen(text) != (size_t)length) {
			log_error("payload file %s: %s", path,
				  length < 0 ? strerror(errno) : "it contains a byte that is 0");
			free(text);
			text = NULL;
		}
	}
	if (fd >= 0)
		close(fd);
	return text;
}

int payload_read(const char *path, uint8_t **bytes, size_t *count)
{
	char reason[128] = "";
	int err;
	char *text = payload_read_text(path, &err);

	if (!text)
		return err;
	err = payload_parse(text, bytes, count, reason, sizeof(reason));
	if (err == -ENOMEM)
		log_error("no memory for the data of payload file %s", path);
	else if (err)
		log_error("payload file %s, %s", path, reason);
	free(text);
	return err;
}
