// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The file /dev/infiniband/rdma_cm, for the code that opens it in this process.
 *
 * Interposes open(), fstat(), write() and close(), under each name that the C library has for them. Until the file has
 * been opened through us, and for every other descriptor after that, a call costs one load before it continues in the C
 * library.
 *
 * The kernel's file is used if there are real RDMA devices and a node for them: rdma_cm then serves those devices, and
 * soft0 works without it. PERFTEST_SOFT_CM=1 makes it ours even then, for a program that uses only soft0.
 */
#include "config.h"

/* Its inline open() would conflict with ours. */
#undef _FORTIFY_SOURCE

#include <fcntl.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "abi/abi.h"
#include "cm/cm.h"
#include "host/fault.h"
#include "host/next.h"

#define NODE_PATH  "/dev/infiniband/rdma_cm"
#define MISC_MAJOR 10
#define MISC_MINOR 58
#define MAX_FD	   65536 /* descriptors above are refused */

pthread_mutex_t cm_lock = PTHREAD_MUTEX_INITIALIZER;

static struct cm_channel *channels[MAX_FD]; /* by descriptor; under cm_lock, except for the check for NULL */
static unsigned int channel_count;	    /* 0: every call is passed on at once */
static bool was_forked;			    /* the channels are the parent's: commands on them have no effect */
static pid_t owner;			    /* the process that owns this memory: a vfork(2) child shares it */

static bool is_ours(int fd)
{
	return __atomic_load_n(&channel_count, __ATOMIC_RELAXED) && fd >= 0 && fd < MAX_FD &&
	       __atomic_load_n(&channels[fd], __ATOMIC_RELAXED);
}

/* Of this process: the descriptors of a child of vfork(2) are its own, but not this memory. */
static bool is_channel_here(int fd)
{
	return is_ours(fd) && getpid() == owner;
}

/* Has the program replaced the file, by dup2() or after close_range(), which we do not interpose? */
static bool is_replaced(int fd)
{
	return eventfd_look(fd) == 0;
}

static struct cm_channel *node_channel(int fd)
{
	return fd >= 0 && fd < MAX_FD ? channels[fd] : NULL;
}

static void cm_node_fork_prepare(void)
{
	pthread_mutex_lock(&cm_lock);
}

static void cm_node_fork_parent(void)
{
	pthread_mutex_unlock(&cm_lock);
}

/* The ids remain the parent's; the child may open channels of its own. */
static void cm_node_fork_child(void)
{
	cm_thread_forget();
	cm_id_forget_all();
	was_forked = true;
	owner = getpid();
	pthread_mutex_init(&cm_lock, NULL);
}

typedef int (*access_fn)(const char *, int);

static bool has_real_device(void)
{
	int count = 0;
	struct ibv_device **list = ibv_get_device_list(&count);

	if (list)
		ibv_free_device_list(list);
	return count > SOFT_DEVICE_COUNT;
}

static bool cm_node_is_wanted(void)
{
	const char *asked = getenv("PERFTEST_SOFT_CM");

	if (asked && *asked)
		return strcmp(asked, "0") != 0;
	return faccessat(AT_FDCWD, NODE_PATH, R_OK | W_OK, 0) != 0 || !has_real_device();
}

/* Also destroys its ids, as the kernel does. cm_lock is held. */
static void channel_end(int fd)
{
	struct cm_channel *channel = node_channel(fd);
	struct cm_id *id;
	uint32_t number = 0;

	if (!channel)
		return;
	channels[fd] = NULL;
	__atomic_sub_fetch(&channel_count, 1, __ATOMIC_RELEASE);
	while ((id = cm_id_next(number))) {
		number = id->number;
		if (id->channel == channel)
			cm_close(id);
	}
	channel->fd = -1;
	cm_channel_put(channel);
}

static int node_open(int flags)
{
	static const struct cm_thread_calls calls = {cm_readable, cm_time_passes};
	static bool has_fork_handlers;
	struct cm_channel *channel;
	int err = soft_fault_read();

	if (err) {
		errno = -err;
		return -1;
	}
	pthread_mutex_lock(&cm_lock);
	if (!has_fork_handlers) {
		err = -pthread_atfork(cm_node_fork_prepare, cm_node_fork_parent, cm_node_fork_child);
		has_fork_handlers = !err;
	}
	err = err ?: cm_thread_start(&calls);
	err = err ?: cm_channel_open(flags, &channel);
	if (!err && channel->fd >= MAX_FD) {
		close(channel->fd);
		cm_channel_put(channel);
		err = -EMFILE;
	}
	if (!err) {
		was_forked = false;
		owner = getpid();
		channel_end(channel->fd); /* a channel that had this number, closed by close_range() */
		channels[channel->fd] = channel;
		__atomic_add_fetch(&channel_count, 1, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&cm_lock);
	if (!err)
		return channel->fd;
	errno = -err;
	return -1;
}

/*
 * The C library refuses NULL, and anything else that is not a path. Its headers declare the argument nonnull, so
 * compilers would drop the check: the empty asm hides the value from them.
 */
static bool is_node(const char *path)
{
	__asm__("" : "+r"(path));
	return path && strcmp(path, NODE_PATH) == 0;
}

static int open_as(const char *name, const char *path, int flags, mode_t mode)
{
	int (*next)(const char *, int, ...);

	if (is_node(path) && cm_node_is_wanted())
		return node_open(flags);
	*(void **)&next = dlsym(RTLD_NEXT, name);
	return next(path, flags, mode);
}

#define OPEN(name)                                                                                                     \
	SOFT_EXPORT int name(const char *path, int flags, ...)                                                         \
	{                                                                                                              \
		mode_t mode = 0;                                                                                       \
		va_list arguments;                                                                                     \
                                                                                                                       \
		va_start(arguments, flags);                                                                            \
		if (flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE)                                               \
			mode = va_arg(arguments, mode_t);                                                              \
		va_end(arguments);                                                                                     \
		return open_as(#name, path, flags, mode);                                                              \
	}

OPEN(open)
OPEN(open64)

/* Programs check that the file exists before they call librdmacm; likewise the device nodes (abi/device_node.c). */
SOFT_EXPORT int access(const char *path, int mode)
{
	int ret;

	if (is_node(path) && !(mode & X_OK) && cm_node_is_wanted())
		return 0;
	ret = SOFT_NEXT(access_fn, "access")(path, mode);
	return ret && errno == ENOENT && !(mode & X_OK) && soft_device_node_number(path) >= 0 ? 0 : ret;
}

/* librdmacm requires a character device. */
static int cm_node_disguise(int fd, int ret, struct stat *status)
{
	if (ret == 0 && is_ours(fd) && !is_replaced(fd)) {
		status->st_mode = S_IFCHR | 0600;
		status->st_rdev = makedev(MISC_MAJOR, MISC_MINOR);
	}
	return ret;
}

SOFT_STAT_NAMES(fstat, __fxstat, int, cm_node_disguise)

typedef ssize_t (*write_fn)(int, const void *, size_t);
typedef int (*close_fn)(int);

static void node_close(int fd)
{
	pthread_mutex_lock(&cm_lock);
	channel_end(fd);
	pthread_mutex_unlock(&cm_lock);
}

static ssize_t node_write(int fd, const void *buffer, size_t length)
{
	struct cm_channel *channel;
	int64_t ret = -ENODEV;

	pthread_mutex_lock(&cm_lock);
	channel = was_forked ? NULL : node_channel(fd);
	if (channel)
		channel->users++;
	pthread_mutex_unlock(&cm_lock);
	if (channel) {
		ret = cm_command(channel, buffer, length);
		pthread_mutex_lock(&cm_lock);
		cm_channel_put(channel);
		pthread_mutex_unlock(&cm_lock);
	}
	if (ret >= 0)
		return (ssize_t)ret;
	if (is_replaced(fd)) {
		node_close(fd);
		return SOFT_NEXT(write_fn, "write")(fd, buffer, length);
	}
	errno = (int)-ret;
	return -1;
}

SOFT_EXPORT ssize_t write(int fd, const void *buffer, size_t length)
{
	return is_channel_here(fd) ? node_write(fd, buffer, length) : SOFT_NEXT(write_fn, "write")(fd, buffer, length);
}

SOFT_EXPORT int close(int fd)
{
	if (is_channel_here(fd))
		node_close(fd);
	return SOFT_NEXT(close_fn, "close")(fd);
}
