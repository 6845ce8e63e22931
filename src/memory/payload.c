// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Reads the file of --payload_file_path for buffer_fill(). See payload.h. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "memory/payload.h"
#include "util/log.h"

#define MAX_FILE_BYTES (64 << 20) /* no real pattern is larger */

struct reader {
	const char *text;
	size_t length;
	size_t at;
	size_t line;	   /* from 1 */
	size_t line_start; /* offset of its first character */
};

static int next(const struct reader *reader)
{
	return reader->at < reader->length ? (unsigned char)reader->text[reader->at] : EOF;
}

static void skip_space(struct reader *reader)
{
	for (; isspace(next(reader)); reader->at++) {
		if (next(reader) == '\n') {
			reader->line++;
			reader->line_start = reader->at + 1;
		}
	}
}

static int payload_fail(const struct reader *reader, const char *what, char *reason, size_t reason_size)
{
	snprintf(reason, reason_size, "line %zu, column %zu: %s", reader->line, reader->at - reader->line_start + 1,
		 what);
	return -EINVAL;
}

static int read_dword(struct reader *reader, uint32_t *value, char *reason, size_t reason_size)
{
	unsigned digits = 0;

	if (next(reader) != '0' || reader->at + 1 >= reader->length || (reader->text[reader->at + 1] | 0x20) != 'x')
		return payload_fail(reader, "a dword such as 0x11223344 is expected", reason, reason_size);
	reader->at += 2;
	*value = 0;
	for (; isxdigit(next(reader)); reader->at++) {
		int c = tolower(next(reader));

		if (++digits > 8)
			return payload_fail(reader, "a dword has at most 8 hexadecimal digits", reason, reason_size);
		*value = *value << 4 | (uint32_t)(c <= '9' ? c - '0' : c - 'a' + 10);
	}
	if (digits == 0)
		return payload_fail(reader, "hexadecimal digits are expected after 0x", reason, reason_size);
	return 0;
}

int payload_parse(const char *text, size_t length, uint8_t **bytes, size_t *count, char *reason, size_t reason_size)
{
	struct reader reader = {.text = text, .length = length, .line = 1};
	uint8_t *out;
	size_t used = 0;
	int err;

	/* The shortest dword with its comma has four characters and yields four bytes. */
	out = malloc(length + 4);
	if (!out)
		return -ENOMEM;
	skip_space(&reader);
	while (next(&reader) != EOF) {
		uint32_t value = 0;

		err = read_dword(&reader, &value, reason, reason_size);
		if (err)
			goto err_free;
		for (unsigned i = 0; i < 4; i++)
			out[used++] = (uint8_t)(value >> (8 * i));
		skip_space(&reader);
		if (next(&reader) == EOF)
			break;
		if (next(&reader) != ',') {
			err = payload_fail(&reader, "a comma is expected between dwords", reason, reason_size);
			goto err_free;
		}
		reader.at++;
		skip_space(&reader);
	}
	if (used == 0) {
		err = payload_fail(&reader, "no dword found", reason, reason_size);
		goto err_free;
	}
	*bytes = out;
	*count = used;
	return 0;

err_free:
	free(out);
	return err;
}

static int payload_read_text(const char *path, char **text, size_t *length)
{
	/* Without waiting for the writer of a FIFO, which is refused below. */
	const int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "r");
	struct stat status;
	char *content;
	int err;

	if (!file) {
		err = -errno;
		log_error("payload file %s: %s", path, strerror(-err));
		if (fd >= 0)
			close(fd);
		return err;
	}
	err = -EINVAL;
	if (fstat(fileno(file), &status) || !S_ISREG(status.st_mode)) {
		log_error("payload file %s is not a regular file", path);
		goto err_close;
	}
	if (status.st_size > MAX_FILE_BYTES) {
		log_error("payload file %s has %lld bytes; at most %d are read", path, (long long)status.st_size,
			  MAX_FILE_BYTES);
		goto err_close;
	}
	content = malloc((size_t)status.st_size + 1);
	if (!content) {
		err = -ENOMEM;
		log_error("no memory to read payload file %s", path);
		goto err_close;
	}
	*length = fread(content, 1, (size_t)status.st_size, file);
	if (ferror(file)) {
		err = -EIO;
		log_error("cannot read payload file %s", path);
		free(content);
		goto err_close;
	}
	*text = content;
	err = 0;
err_close:
	fclose(file);
	return err;
}

int payload_read(const char *path, uint8_t **bytes, size_t *count)
{
	char reason[128] = "";
	size_t length = 0;
	char *text = NULL;
	int err;

	err = payload_read_text(path, &text, &length);
	if (err)
		return err;
	err = payload_parse(text, length, bytes, count, reason, sizeof(reason));
	if (err == -ENOMEM)
		log_error("no memory for the data of payload file %s", path);
	else if (err)
		log_error("payload file %s, %s", path, reason);
	free(text);
	return err;
}
