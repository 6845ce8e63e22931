// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Makes a file appear complete or not at all. See output_file.h. */
#include <config.h>

#include "report/output_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/log.h"
#include "util/wait.h"

#define TEMPORARY_NAMES 100
#define TEMPORARY_END	".tmp"
#define MAX_LINKS	40 /* as path_resolution(7) */
#define LOOK_NS		20000000
#define STANDARD_OUTPUT (-EALREADY) /* not an error of open() or stat() */

int output_file_number(char *numbered, size_t size, const char *path, unsigned n)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	const char *dot = strrchr(name, '.');
	struct stat status;
	int length;

	if (!stat(path, &status) && !S_ISREG(status.st_mode))
		length = snprintf(numbered, size, "%s", path);
	else if (dot && dot != name)
		length = snprintf(numbered, size, "%.*s.%u%s", (int)(dot - path), path, n, dot);
	else
		length = snprintf(numbered, size, "%s.%u", path, n);
	return length < 0 || (size_t)length >= size ? -ENAMETOOLONG : 0;
}

int output_file_number_client(char *path, size_t size, unsigned n)
{
	char numbered[PATH_MAX];

	if (!path[0])
		return 0;
	if (output_file_number(numbered, size < sizeof(numbered) ? size : sizeof(numbered), path, n))
		return log_fail(-ENAMETOOLONG, "--out_json_file: the name %s leaves no room for a number", path);
	memcpy(path, numbered, strlen(numbered) + 1);
	return 0;
}

/* A file that the results are written to, as by ">run.json": replacing it would lose them. */
static bool is_standard_output(const struct stat *status)
{
	struct stat out;

	return S_ISREG(status->st_mode) && !fstat(STDOUT_FILENO, &out) && out.st_dev == status->st_dev &&
	       out.st_ino == status->st_ino;
}

const char *output_file_error(int err)
{
	return err == STANDARD_OUTPUT ? "it is the file of standard output, which the results are written to"
				      : strerror(-err);
}

/* A FIFO opens when there is a reader: its user may not know. A descriptor or -errno. */
static int open_fifo(const char *path)
{
	for (bool waits = false;; waits = true) {
		const int fd = open(path, O_WRONLY | O_CLOEXEC | O_NONBLOCK);

		if (fd >= 0 || errno != ENXIO)
			return fd >= 0 ? fd : -errno;
		if (!waits)
			log_info("waiting for a program that reads the FIFO %s", path);
		if (wait_once(NULL, 0, LOOK_NS) == -EINTR)
			return -EINTR;
	}
}

static int open_stream(struct output_file *file, const char *path, int flags)
{
	int fd = open(path, flags | O_CLOEXEC | O_NOCTTY, 0666);
	int err;

	if (fd < 0)
		return -errno;
	file->stream = fdopen(fd, "w");
	if (!file->stream) {
		err = -errno;
		close(fd);
		if (flags & O_CREAT) /* created by this call: O_EXCL */
			unlink(path);
		return err;
	}
	return 0;
}

/* A run has locked its own, which ends with it. Where no locks are, as on some network filesystems, all stay. */
static void unlink_stale(int folder, const char *name)
{
	const int fd = openat(folder, name, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct stat status;

	if (fd < 0)
		return;
	if (!fstat(fd, &status) && S_ISREG(status.st_mode) && !flock(fd, LOCK_EX | LOCK_NB))
		unlinkat(folder, name, 0);
	close(fd);
}

/* "PID.tmp" or "PID-1.tmp"? Anything else may be a user's. */
static bool is_temporary(const char *name)
{
	static const char digits[] = "0123456789";
	size_t at = strspn(name, digits), distinct;

	if (at && name[at] == '-') {
		distinct = strspn(name + at + 1, digits);
		at = distinct ? at + 1 + distinct : 0;
	}
	return at && strcmp(name + at, TEMPORARY_END) == 0;
}

/* Removes the temporary files of runs that were killed. */
static void remove_stale(const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	const size_t length = strlen(name);
	char *folder = slash ? strndup(path, (size_t)(name - path)) : strdup(".");
	DIR *listing = folder ? opendir(folder) : NULL;
	struct dirent *entry;

	while (listing && (entry = readdir(listing)))
		if (strncmp(entry->d_name, name, length) == 0 && entry->d_name[length] == '.' &&
		    is_temporary(entry->d_name + length + 1))
			unlink_stale(dirfd(listing), entry->d_name);
	if (listing)
		closedir(listing);
	free(folder);
}

/* False: another run has just taken it for a stale one. */
static bool lock_temporary(int fd)
{
	struct stat status;

	return (!flock(fd, LOCK_EX | LOCK_NB) || errno != EWOULDBLOCK) && !fstat(fd, &status) && status.st_nlink;
}

/*
 * Never overwrites a file of another program. again: a file that is open for this and is to have such a name again;
 * NULL: a new one. Fails if its user has removed that, and on filesystems without hard links.
 */
static int open_temporary(struct output_file *file, FILE *again)
{
	char distinct[16] = "", descriptor[64];
	int err = -EEXIST;

	for (int attempt = 0; attempt < TEMPORARY_NAMES && err == -EEXIST; attempt++) {
		if (attempt)
			snprintf(distinct, sizeof(distinct), "-%d", attempt);
		free(file->temporary);
		if (asprintf(&file->temporary, "%s.%d%s" TEMPORARY_END, file->path, (int)getpid(), distinct) < 0) {
			file->temporary = NULL;
			return -ENOMEM;
		}
		if (again) {
			snprintf(descriptor, sizeof(descriptor), "/proc/self/fd/%d", fileno(again));
			err = linkat(AT_FDCWD, descriptor, AT_FDCWD, file->temporary, AT_SYMLINK_FOLLOW) ? -errno : 0;
			file->stream = again;
			continue;
		}
		err = open_stream(file, file->temporary, O_RDWR | O_CREAT | O_EXCL);
		if (!err && !lock_temporary(fileno(file->stream))) {
			fclose(file->stream);
			file->stream = NULL;
			err = -EEXIST;
		}
	}
	return err;
}

static int open_at_path(struct output_file *file)
{
	struct stat status = {.st_mode = S_IFREG};
	int reader = 0, err; /* 0 is stdin */

	if (!stat(file->path, &status) && is_standard_output(&status))
		return STANDARD_OUTPUT;
	if (S_ISREG(status.st_mode)) {
		remove_stale(file->path);
		return open_temporary(file, NULL);
	}
	if (S_ISDIR(status.st_mode))
		return -EISDIR;
	if (S_ISFIFO(status.st_mode))
		reader = open_fifo(file->path);
	if (reader < 0)
		return reader;
	err = open_stream(file, file->path, O_WRONLY);
	if (reader)
		close(reader);
	return err;
}

/*
 * A link stays: its target is replaced, or created. /dev/fd/N of a pipe is a link, too, but of a target that has no
 * path. 0 or -errno; *resolved is allocated.
 */
static int resolve(const char *path, char **resolved)
{
	char target[PATH_MAX], *at = strdup(path), *next;
	struct stat status;
	ssize_t length;

	if (!stat(path, &status) && !S_ISREG(status.st_mode)) {
		*resolved = at;
		return at ? 0 : -ENOMEM;
	}
	for (unsigned links = 0; at; links++) {
		*resolved = realpath(at, NULL);
		length = *resolved || errno != ENOENT ? -1 : readlink(at, target, sizeof(target));
		if (*resolved || (length < 0 && errno != ELOOP)) {
			if (*resolved)
				free(at);
			else
				*resolved = at;
			return 0;
		}
		if (links == MAX_LINKS || length < 0 || length == sizeof(target)) {
			free(at);
			return length == sizeof(target) ? -ENAMETOOLONG : -ELOOP;
		}
		/* A relative target begins at the folder of the link. */
		if (asprintf(&next, "%.*s%.*s",
			     target[0] == '/' || !strrchr(at, '/') ? 0 : (int)(strrchr(at, '/') + 1 - at), at,
			     (int)length, target) < 0)
			next = NULL;
		free(at);
		at = next;
	}
	return -ENOMEM;
}

int output_file_open(struct output_file *file, const char *path)
{
	struct output_file opened = {0};
	int err;

	err = resolve(path, &opened.path);
	if (err)
		return err;

	err = open_at_path(&opened);
	if (err) {
		free(opened.temporary);
		free(opened.path);
		return err;
	}
	*file = opened;
	return 0;
}

int output_file_await_reader(const char *path)
{
	struct stat status;
	int fd;

	if (stat(path, &status) || !S_ISFIFO(status.st_mode))
		return 0;
	fd = open_fifo(path);
	return fd < 0 ? fd : 0;
}

int output_file_check(const char *path)
{
	struct output_file file;
	struct stat status;
	int err;

	if (!stat(path, &status) && !S_ISREG(status.st_mode))
		return S_ISDIR(status.st_mode) ? -EISDIR : 0;
	err = output_file_open(&file, path);
	if (!err)
		output_file_discard(&file);
	return err;
}

/* --- shown while it is written --- */

static int copy_bytes(int from, int to, off_t at, off_t end)
{
	char bytes[16384];

	while (at < end) {
		const size_t left = (size_t)(end - at);
		const ssize_t got = pread(from, bytes, left < sizeof(bytes) ? left : sizeof(bytes), at);

		if (got <= 0)
			return got ? -errno : -EIO;
		for (ssize_t done = 0, put; done < got; done += put) {
			put = pwrite(to, bytes + done, (size_t)(got - done), at + done);
			if (put < 0)
				return -errno;
		}
		at += got;
	}
	return 0;
}

/* Flushes the stream, after what it lacks; nothing is left behind it of the end that was shown. */
static int complete_stream(struct output_file *file)
{
	int err = 0;

	if (file->shown)
		err = copy_bytes(fileno(file->shown), fileno(file->stream), file->lacks, file->length);
	if (err)
		return err;
	file->lacks = file->length;
	if (fflush(file->stream) || (file->shown && ftruncate(fileno(file->stream), ftello(file->stream))))
		return -errno;
	return ferror(file->stream) ? -EIO : 0;
}

/* Is what was shown still there, and nowhere else? What its user has moved or linked is not to change any more. */
static bool is_still_shown(const struct output_file *file)
{
	struct stat shown, there;

	return file->shown && !fstat(fileno(file->shown), &shown) && !lstat(file->path, &there) &&
	       shown.st_dev == there.st_dev && shown.st_ino == there.st_ino && shown.st_nlink == 1;
}

int output_file_show(struct output_file *file, off_t length)
{
	struct output_file next = {.path = file->path};
	int err = complete_stream(file);
	bool taken;

	if (err)
		return err;
	/* What is shown becomes the file that is written: it lacks only the latest text. */
	taken = is_still_shown(file) && !open_temporary(&next, file->shown);
	if (!taken) {
		free(next.temporary);
		next = (struct output_file){.path = file->path};
		err = open_temporary(&next, NULL);
	}
	if (!err && (fseeko(next.stream, length, SEEK_SET) || rename(file->temporary, file->path))) {
		err = -errno;
		unlink(next.temporary);
		if (!taken)
			fclose(next.stream);
	}
	if (err) {
		free(next.temporary);
		return err;
	}
	if (!taken && file->shown)
		fclose(file->shown);
	free(file->temporary);
	file->temporary = next.temporary;
	file->lacks = taken ? file->length : 0;
	file->length = length;
	file->shown = file->stream;
	file->stream = next.stream;
	return 0;
}

/* An error may occur as late as in fsync() or close(); pipes and devices do not support fsync(). */
static int close_stream(struct output_file *file)
{
	int err = complete_stream(file);

	if (!err && file->temporary && fsync(fileno(file->stream)) && errno != EINVAL)
		err = -errno;
	if (fclose(file->stream) && !err)
		err = -errno;
	file->stream = NULL;
	return err;
}

int output_file_commit(struct output_file *file)
{
	/* Its lock ends with the last descriptor: until then no other run takes it for a stale one. */
	const int locked = file->temporary ? fcntl(fileno(file->stream), F_DUPFD_CLOEXEC, 0) : -1;
	int err = close_stream(file);

	if (!err && file->temporary && rename(file->temporary, file->path))
		err = -errno;
	if (locked >= 0)
		close(locked);
	if (!err) {
		free(file->temporary);
		file->temporary = NULL;
	}
	output_file_discard(file);
	return err;
}

void output_file_discard(struct output_file *file)
{
	if (file->stream)
		fclose(file->stream);
	if (file->shown)
		fclose(file->shown);
	if (file->temporary)
		unlink(file->temporary);
	free(file->temporary);
	free(file->path);
	*file = (struct output_file){0};
}
