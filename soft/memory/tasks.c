// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Finds the other threads of this process, and their stacks. Called by page_move.c before pages move. Asks the kernel,
 * not the C library: /proc/self/task has every thread, however it was created.
 */
#include "config.h"

#include "memory/pages.h"

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "host/threads.h"
#include "memory/raw.h"

#define APART_STACK (64u << 10)
#define ABOVE_HEAD  (64u << 10) /* maximum size of a control block, plus TLS if that is above it */
#define STATUS_ROOM 4096	/* bytes of /proc/self/task/N/status, enough to include the signals */

unsigned int soft_tasks_count(void)
{
	struct stat status;

	return stat("/proc/self/task", &status) || status.st_nlink < 3 ? 0 : (unsigned int)status.st_nlink - 2;
}

static bool task_blocks(int directory, const char *task, int signal)
{
	char path[64], text[STATUS_ROOM];
	char *mask;
	ssize_t length;
	int fd;

	snprintf(path, sizeof(path), "%.16s/status", task);
	fd = openat(directory, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return errno != ENOENT; /* ENOENT: it has exited */
	length = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (length <= 0)
		return errno != ESRCH;
	text[length] = '\0';
	mask = strstr(text, "\nSigBlk:");
	return !mask || (strtoull(mask + 8, NULL, 16) >> (signal - 1) & 1);
}

/*
 * Bytes of a thread's memory above the head of its robust list. TLS is below the control block on these processors, and
 * glibc publishes its size for debuggers; the offset of the head in it is that of the calling thread.
 */
static uint64_t above_head(void)
{
#if defined(__x86_64__) || defined(__s390x__)
	const uint32_t *size = dlsym(RTLD_DEFAULT, "_thread_db_sizeof_pthread");
	void *head = NULL;
	size_t head_size;

	if (size && *size <= ABOVE_HEAD && syscall(SYS_get_robust_list, 0, &head, &head_size) == 0 &&
	    (uintptr_t)head - (uintptr_t)pthread_self() < *size)
		return *size - ((uintptr_t)head - (uintptr_t)pthread_self());
#endif
	return ABOVE_HEAD;
}

/*
 * Threads of the C library have the head of this list in their control block, which is at the top of their stack.
 * Memory above it and that thread's static TLS belongs to the program: the kernel merges adjacent mappings of one kind.
 */
static bool task_stack_is_within(pid_t task, const struct mapping *mapping, uint64_t start)
{
	void *head = NULL;
	size_t size;

	if (syscall(SYS_get_robust_list, task, &head, &size))
		return false;
	return (uintptr_t)head >= mapping->start && (uintptr_t)head < mapping->end &&
	       start < (uintptr_t)head + above_head();
}

bool soft_tasks_stack_within(const struct mapping *mapping, uint64_t start)
{
	const pid_t self = (pid_t)syscall(SYS_gettid);
	DIR *directory;
	struct dirent *entry;
	bool found = self != getpid() && strncmp(mapping->name, "[stack", 6) == 0;

	directory = found ? NULL : opendir("/proc/self/task");
	while (directory && !found && (entry = readdir(directory))) {
		pid_t task = entry->d_name[0] == '.' ? 0 : soft_proc_task(entry->d_name);

		found = task > 0 && task != self && task_stack_is_within(task, mapping, start);
	}
	if (directory)
		closedir(directory);
	return found;
}

/* Registered pages of a stack are a separate mapping, above which the rest of the stack continues. */
bool soft_tasks_stack_around(const struct mapping *mapping, uint64_t start)
{
	struct mapping whole = *mapping, next;
	struct maps maps;

	if (soft_tasks_stack_within(mapping, start))
		return true;
	if (soft_proc_maps_open(&maps))
		return true;
	while (soft_proc_maps_next(&maps, whole.end, &next) == 0 && next.start == whole.end &&
	       next.protection & PROT_READ) {
		whole.end = next.end;
		if (strncmp(next.name, "[stack", 6) == 0)
			memcpy(whole.name, next.name, sizeof(whole.name));
	}
	soft_proc_maps_close(&maps);
	return soft_tasks_stack_within(&whole, start);
}

bool soft_tasks_block(int signal)
{
	const pid_t self = (pid_t)syscall(SYS_gettid);
	DIR *directory = opendir("/proc/self/task");
	struct dirent *entry;
	bool found = !directory;

	while (!found && (entry = readdir(directory))) {
		pid_t task = entry->d_name[0] == '.' ? 0 : soft_proc_task(entry->d_name);

		found = task > 0 && task != self && task_blocks(dirfd(directory), entry->d_name, signal);
	}
	if (directory)
		closedir(directory);
	return found;
}

static bool contains(const struct mapping *mapping, const void *addr)
{
	return (uintptr_t)addr >= mapping->start && (uintptr_t)addr < mapping->end;
}

bool soft_tasks_own_stack(const struct mapping *mapping)
{
	return contains(mapping, __builtin_frame_address(0));
}

/* The kernel writes there, too: struct rseq. */
bool soft_tasks_own_block(const struct mapping *mapping)
{
	return contains(mapping, &errno) || contains(mapping, (const void *)pthread_self());
}

/*
 * Like posix_spawn(): the caller sleeps in clone(2) until the new thread has exited. The new thread shares the caller's
 * thread control block, so it must not call the C library's system calls, which set errno.
 */
int soft_tasks_run_apart(int (*run)(void *argument), void *argument)
{
	static uint8_t stack[APART_STACK] __attribute__((aligned(64)));

	if (clone(run, stack + APART_STACK,
		  CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM | CLONE_VFORK,
		  argument) < 0)
		return -errno;
	return 0;
}
