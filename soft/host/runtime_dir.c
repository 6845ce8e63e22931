// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The directory in which the processes of a user find each other: $XDG_RUNTIME_DIR/perftest-soft; if that is not set
 * (su, cron, docker exec), in /run/user/UID, which a login would have set it to; and if that is not a directory of
 * ours, /tmp/perftest-soft-UID (UID.1, ... if another user has created it). It has one UNIX socket per process, named
 * after its slot, with a mark file next to it if the process is in a multicast group. Called by process.c, peer.c and
 * mcast.c.
 *
 * The directory is 0700 and must belong to the user, or it is refused: a process that can enter it can read the memory
 * that programs register. flock on the directory itself serializes claiming and reaping. The socket of a dead owner
 * refuses connections, even if the process id is reused; the next process that starts or exits here removes it. The
 * directory stays: its number is in the names of rdma_cm's ports, whose owner need not have a socket in it.
 */
#include "config.h"

#include "host/runtime_dir.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "host/core.h"
#include "host/threads.h"

#define DIRECTORY_NAME "perftest-soft"
#define LISTEN_BACKLOG 128
#define LOCK_WAIT_MS   5000
#define LOCK_POLL_NS   1000000	/* at first; a process that waits for long must not take the holder's CPU time */
#define LOCK_POLL_MAX  64000000 /* ns */
#define LOCK_WAITS     12	/* of that time each: hundreds of processes may start at once on a busy host */
#define MARK_PREFIX    "multicast-"
#define MARK_FORMAT    MARK_PREFIX "%u"
#define SHARED_NAMES   16 /* tried in a temporary directory, if other users have taken some */

/*
 * Of this process: its directory and the socket in it. The directory may be removed while it is in use, as
 * /run/user/UID is when the user logs out, and the next process then creates another one.
 */
static struct {
	char path[PATH_MAX];
	struct stat directory, socket;
	uint32_t slot;
	bool is_known;
} claimed;

static bool is_directory_of_ours(const char *path)
{
	struct stat status;

	return path[0] == '/' && stat(path, &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == geteuid() &&
	       access(path, W_OK | X_OK) == 0;
}

/*
 * In a directory that all users share, any of them may have created a directory with our name. Every process of the
 * user chooses the first name that is ours or unused: no other user can remove it as long as one of our processes uses
 * it.
 */
static void shared_path(char *path)
{
	struct stat status;

	for (int attempt = 0; attempt < SHARED_NAMES; attempt++) {
		char distinct[16] = "";

		if (attempt)
			snprintf(distinct, sizeof(distinct), ".%d", attempt);
		snprintf(path, PATH_MAX, "/tmp/" DIRECTORY_NAME "-%u%s", (unsigned int)geteuid(), distinct);
		if (lstat(path, &status) || status.st_uid == geteuid())
			return;
	}
	/* If all belong to others, the last is refused with a message. */
}

/* At most PATH_MAX bytes; the directory need not exist. */
static int path_find(char *path)
{
	const char *runtime = getenv("XDG_RUNTIME_DIR");
	char usual[32];
	int length;

	snprintf(usual, sizeof(usual), "/run/user/%u", (unsigned int)geteuid());
	if (!runtime || !*runtime)
		runtime = usual;
	if (!is_directory_of_ours(runtime)) {
		shared_path(path);
		return 0;
	}
	length = snprintf(path, PATH_MAX, "%s/" DIRECTORY_NAME, runtime);
	return length < 0 || length >= PATH_MAX ? -ENAMETOOLONG : 0;
}

static int directory_check(int fd, const char *path)
{
	struct stat status;

	if (fstat(fd, &status))
		return -errno;
	if (status.st_uid != geteuid() || (status.st_mode & 0777) != 0700) {
		soft_error("%s: owner %u, mode %03o; it must be private to this user (owner %u, mode 700): remove it",
			   path, (unsigned int)status.st_uid, (unsigned int)status.st_mode & 0777,
			   (unsigned int)geteuid());
		return -EPERM;
	}
	return 0;
}

/* When the last process started or exited here; each locks the directory to do so. */
static struct timespec directory_changed(int fd)
{
	struct stat status = {0};

	(void)!fstat(fd, &status);
	return status.st_mtim;
}

/*
 * -EWOULDBLOCK: it was locked all the time. Signals are blocked while we hold the lock: a program may exit() in a
 * handler, as qperf 0.4.11 does when its peer reports an error, and the cleanup at exit must not find a socket that
 * this process has not recorded yet.
 */
static int directory_lock_try(int fd, sigset_t *before)
{
	struct timespec pause = {.tv_nsec = LOCK_POLL_NS};
	const int64_t until = soft_monotonic_ms() + LOCK_WAIT_MS;

	for (;;) {
		int err;

		soft_signals_block(before);
		if (!flock(fd, LOCK_EX | LOCK_NB))
			return 0;
		err = errno;
		pthread_sigmask(SIG_SETMASK, before, NULL);
		if (err != EWOULDBLOCK && err != EINTR)
			return -err;
		if (soft_monotonic_ms() >= until)
			return -EWOULDBLOCK;
		nanosleep(&pause, NULL);
		if (pause.tv_nsec < LOCK_POLL_MAX)
			pause.tv_nsec *= 2;
	}
}

static int directory_lock(int fd, const char *path, sigset_t *before_signals)
{
	for (int waits = 0; waits < LOCK_WAITS; waits++) {
		struct timespec before = directory_changed(fd), now;
		int err = directory_lock_try(fd, before_signals);

		if (err != -EWOULDBLOCK)
			return err;
		now = directory_changed(fd);
		if (memcmp(&now, &before, sizeof(now)) == 0) {
			soft_error("%s: another process has kept it locked for %d s: is a process stopped?", path,
				   LOCK_WAIT_MS / 1000);
			return -ETIMEDOUT;
		}
	}
	soft_error(
		"%s: other processes have come and gone there for %d s, and it was always locked: start fewer at once",
		path, LOCK_WAITS * LOCK_WAIT_MS / 1000);
	return -ETIMEDOUT;
}

/* If the path is too long for a socket address, uses the descriptor's name under /proc. */
static int address_fill(struct sockaddr_un *address, const char *path, int dir_fd, uint32_t slot)
{
	int length;

	memset(address, 0, sizeof(*address));
	address->sun_family = AF_UNIX;
	length = snprintf(address->sun_path, sizeof(address->sun_path), "%s/%u", path, slot);
	if (length >= 0 && (size_t)length < sizeof(address->sun_path))
		return 0;
	if (dir_fd < 0)
		return -ENAMETOOLONG;
	snprintf(address->sun_path, sizeof(address->sun_path), "/proc/self/fd/%d/%u", dir_fd, slot);
	return 0;
}

/*
 * Connects with a socket of another type: a live socket then fails with the wrong type, and the process there, whose
 * service thread would otherwise have to accept a connection, is not disturbed.
 */
static bool slot_is_dead(const char *path, int dir_fd, uint32_t slot)
{
	struct sockaddr_un address;
	bool is_dead = false;
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return false;
	if (address_fill(&address, path, dir_fd, slot) == 0)
		is_dead = connect(fd, (const struct sockaddr *)&address, sizeof(address)) && errno == ECONNREFUSED;
	close(fd);
	return is_dead;
}

/* For its entries, beside what was read of it before; NULL with errno. */
static DIR *directory_read(int dir_fd)
{
	int copy = openat(dir_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *directory = copy < 0 ? NULL : fdopendir(copy);

	if (!directory)
		descriptor_close(&copy);
	return directory;
}

/*
 * Without the lock, so that many processes that start together do this in parallel: a socket may just be between bind
 * and listen.
 */
static void dead_find(const char *path, int dir_fd, bool *dead)
{
	DIR *directory = directory_read(dir_fd);
	struct dirent *entry;

	memset(dead, 0, SOFT_MAX_PROCESSES * sizeof(*dead));
	while (directory && (entry = readdir(directory))) {
		char *end;
		unsigned long slot = strtoul(entry->d_name, &end, 10);

		if (entry->d_name[0] != '.' && *end == '\0' && slot < SOFT_MAX_PROCESSES)
			dead[slot] = slot_is_dead(path, dir_fd, (uint32_t)slot);
	}
	if (directory)
		closedir(directory);
}

/* The mark first, an empty file next to the socket: the slot's next owner is not in a group. */
static void slot_remove(int dir_fd, uint32_t slot)
{
	char name[16];

	snprintf(name, sizeof(name), MARK_FORMAT, slot);
	unlinkat(dir_fd, name, 0);
	snprintf(name, sizeof(name), "%u", slot);
	unlinkat(dir_fd, name, 0);
}

/*
 * The directory is locked. A process binds and listens under the lock, so a socket that refuses connections now is
 * dead.
 */
static void directory_reap(const char *path, int dir_fd, const bool *dead)
{
	for (uint32_t slot = 0; slot < SOFT_MAX_PROCESSES; slot++) {
		if (dead[slot] && slot_is_dead(path, dir_fd, slot))
			slot_remove(dir_fd, slot);
	}
}

/* Opens the directory, and creates it if there is none. Reports its errors. */
static int directory_open(char *path)
{
	int err = path_find(path);
	bool is_new;
	int fd;

	if (err)
		return err;
	is_new = !mkdir(path, 0700);
	if (!is_new && errno != EEXIST) {
		err = -errno;
		soft_error("cannot create %s: %s", path, strerror(-err));
		return err;
	}
	fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0) {
		err = -errno;
		soft_error("cannot open %s: %s", path, strerror(-err));
		return err;
	}
	/* Whatever the umask. */
	err = is_new && fchmod(fd, 0700) ? -errno : directory_check(fd, path);
	if (!err)
		return fd;
	close(fd);
	return err;
}

int soft_runtime_find(struct stat *directory)
{
	char path[PATH_MAX];
	int fd = directory_open(path);
	int err = fd < 0 ? fd : fstat(fd, directory) ? -errno : 0;

	descriptor_close(&fd);
	return err;
}

static int slot_bind(const char *path, int dir_fd, uint32_t slot, int *out)
{
	struct sockaddr_un address;
	char name[16];
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int err;

	if (fd < 0)
		return -errno;
	err = address_fill(&address, path, dir_fd, slot);
	if (!err && bind(fd, (struct sockaddr *)&address, sizeof(address)))
		err = -errno;
	if (err)
		goto err_close;
	snprintf(name, sizeof(name), "%u", slot);
	if (fchmodat(dir_fd, name, 0600, 0) || listen(fd, LISTEN_BACKLOG) || fstat(dir_fd, &claimed.directory) ||
	    fstatat(dir_fd, name, &claimed.socket, AT_SYMLINK_NOFOLLOW)) {
		err = -errno;
		unlinkat(dir_fd, name, 0);
		goto err_close;
	}
	*out = fd;
	return 0;

err_close:
	close(fd);
	return err;
}

int soft_runtime_claim(uint32_t *slot, int *listen_fd)
{
	bool dead[SOFT_MAX_PROCESSES];
	const char *path = claimed.path;
	/* A random slot, so that queue pair numbers of a dead process are not reused soon. */
	const uint32_t first = soft_random();
	sigset_t before;
	int dir_fd = directory_open(claimed.path);
	int err;

	if (dir_fd < 0)
		return dir_fd;
	dead_find(path, dir_fd, dead);
	err = directory_lock(dir_fd, path, &before);
	if (err)
		goto err_close;
	directory_reap(path, dir_fd, dead);
	err = -EADDRINUSE;
	for (uint32_t i = 0; i < SOFT_MAX_PROCESSES && err == -EADDRINUSE; i++) {
		uint32_t candidate = (first + i) % SOFT_MAX_PROCESSES;

		err = slot_bind(path, dir_fd, candidate, listen_fd);
		if (!err)
			*slot = candidate;
	}
	claimed.slot = *slot;
	claimed.is_known = !err;
	if (err == -EADDRINUSE)
		soft_error("%s: %u processes use the software device, the maximum", path, SOFT_MAX_PROCESSES);
	else if (err)
		soft_error("cannot create a socket in %s: %s", path, strerror(-err));
	pthread_sigmask(SIG_SETMASK, &before, NULL);

err_close:
	close(dir_fd);
	return err;
}

int soft_runtime_connect(uint32_t slot, int *out)
{
	struct sockaddr_un address;
	const bool is_long = strlen(claimed.path) + 5 > sizeof(address.sun_path);
	int dir_fd = is_long ? open(claimed.path, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int err = fd < 0 ? -errno : address_fill(&address, claimed.path, dir_fd, slot);

	if (!err && connect(fd, (const struct sockaddr *)&address, sizeof(address)))
		err = -errno;
	descriptor_close(&dir_fd);
	if (err)
		descriptor_close(&fd);
	else
		*out = fd;
	return err;
}

/* The path of a slot's file in the directory, in PATH_MAX bytes. */
static void slot_path(char *path, const char *prefix, uint32_t slot)
{
	snprintf(path, PATH_MAX, "%.*s/%s%u", PATH_MAX - 32, claimed.path, prefix, slot);
}

int64_t soft_runtime_claimed(uint32_t slot)
{
	char path[PATH_MAX];
	struct stat status;

	slot_path(path, "", slot);
	return lstat(path, &status) ? 0 : (int64_t)status.st_ctim.tv_sec * 1000000000 + status.st_ctim.tv_nsec;
}

/* Is our socket still there? A file's number may be used again. */
static bool is_there(void)
{
	char path[PATH_MAX];
	struct stat status;

	slot_path(path, "", claimed.slot);
	return !lstat(path, &status) && status.st_dev == claimed.socket.st_dev &&
	       status.st_ino == claimed.socket.st_ino &&
	       memcmp(&status.st_ctim, &claimed.socket.st_ctim, sizeof(status.st_ctim)) == 0;
}

/* Was the directory, or our socket in it, removed? */
static bool is_lost(void)
{
	return claimed.is_known && !is_there();
}

void soft_runtime_check(void)
{
	static int is_said;

	if (is_lost() && !__atomic_exchange_n(&is_said, 1, __ATOMIC_RELAXED))
		soft_error("%s was removed after this program had opened its device: programs that start now cannot "
			   "reach it; start it again",
			   claimed.path);
}

bool soft_runtime_is_gone(int fd)
{
	struct pollfd end = {.fd = fd};

	return poll(&end, 1, 0) == 1 && end.revents & (POLLHUP | POLLERR);
}

bool soft_runtime_is_same_user(int fd)
{
	struct ucred peer;
	socklen_t length = sizeof(peer);

	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0 && peer.uid == geteuid();
}

int soft_runtime_identify(char *text, size_t size)
{
	char path[PATH_MAX];
	struct stat status = claimed.directory;
	int err = path_find(path);
	bool is_removed;

	if (err)
		return err;
	is_removed = is_lost();
	if (!is_removed && stat(path, &status))
		return -errno;
	snprintf(text, size, "%llu:%llu%s %s", (unsigned long long)status.st_dev, (unsigned long long)status.st_ino,
		 is_removed ? ":removed" : "", path);
	return 0;
}

int soft_runtime_mark(void)
{
	char path[PATH_MAX];
	int fd;

	slot_path(path, MARK_PREFIX, claimed.slot);
	fd = open(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}

int soft_runtime_open(void)
{
	int fd = open(claimed.path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

int soft_runtime_marked(int dir_fd, bool *marked)
{
	DIR *directory = directory_read(dir_fd);
	struct dirent *entry;
	uint32_t slot;

	if (!directory)
		return -errno;
	memset(marked, 0, SOFT_MAX_PROCESSES * sizeof(*marked));
	while ((entry = readdir(directory))) {
		if (sscanf(entry->d_name, MARK_FORMAT, &slot) == 1 && slot < SOFT_MAX_PROCESSES)
			marked[slot] = true;
	}
	closedir(directory);
	return 0;
}

void soft_runtime_leave(void)
{
	bool dead[SOFT_MAX_PROCESSES];
	/* If the directory was removed and created again, another process may have that slot. */
	int dir_fd = is_there() ? soft_runtime_open() : -1;

	if (dir_fd < 0)
		return;
	slot_remove(dir_fd, claimed.slot);
	claimed.is_known = false;
	dead_find(claimed.path, dir_fd, dead);
	/* The process that has the lock now does this itself. */
	if (!flock(dir_fd, LOCK_EX | LOCK_NB))
		directory_reap(claimed.path, dir_fd, dead);
	close(dir_fd);
}
