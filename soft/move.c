// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * How do pages of the program change places with pages of the data file? Called by region.c, one move at a
 * time.
 *
 * Another thread may write to the pages meanwhile, most of all to what shares the first and last page with
 * the buffer. They are read-only while they are copied; a store that comes then faults, waits in our SIGSEGV
 * handler until the move is over, and is done again. (A system call that would write there fails with EFAULT
 * in that time.) The mover writes to nothing but its stack, and when that is what moves, a thread with
 * another stack does it.
 */
#include "config.h"

#include "move.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core.h"
#include "mapping.h"

#define DATA_FILE_SIZE (1ll << 47) /* every user address, and then some */
#define FAULT_RETRIES  1000	   /* of one address: then it is no fault of ours */
#define RECENT_MOVES   64

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

static int data_fd = -1;
static uint64_t data_inode, data_device;

/* What the fault handler reads. */
static struct {
	uint64_t start;
	uint64_t end;
	pid_t mover;	  /* 0: nothing moves */
	sigset_t signals; /* of the mover, before; not for the handler */
} moving;
static struct {
	uint64_t start;
	uint64_t end;
} recent[RECENT_MOVES];
static unsigned int recent_next;
static struct sigaction previous_action;

static pid_t thread_id(void)
{
	return (pid_t)syscall(SYS_gettid);
}

static void fault_pass_on(int number, siginfo_t *info, void *context)
{
	if (previous_action.sa_flags & SA_SIGINFO) {
		previous_action.sa_sigaction(number, info, context);
	} else if (previous_action.sa_handler == SIG_DFL || previous_action.sa_handler == SIG_IGN) {
		signal(number, SIG_DFL); /* the instruction faults again, and ends the process as it should */
		if (info->si_code <= 0)
			raise(number); /* no instruction did it, but kill(2) */
	} else {
		previous_action.sa_handler(number);
	}
}

static bool fault_is_recent(uint64_t addr)
{
	for (unsigned int i = 0; i < RECENT_MOVES; i++) {
		if (addr >= recent[i].start && addr < recent[i].end)
			return true;
	}
	return false;
}

static void fault_handle(int number, siginfo_t *info, void *context)
{
	static __thread uint64_t last_addr;
	static __thread unsigned int retries;
	uint64_t addr = (uint64_t)(uintptr_t)info->si_addr;
	pid_t mover = __atomic_load_n(&moving.mover, __ATOMIC_ACQUIRE);
	int saved_errno = errno;

	if (info->si_code != SEGV_ACCERR || (mover && mover == thread_id())) {
		fault_pass_on(number, info, context);
		return;
	}
	if (mover && addr >= moving.start && addr < moving.end) {
		while (__atomic_load_n(&moving.mover, __ATOMIC_ACQUIRE) == mover)
			sched_yield();
	} else if (!fault_is_recent(addr) || (addr == last_addr && ++retries > FAULT_RETRIES)) {
		fault_pass_on(number, info, context);
		return;
	}
	if (addr != last_addr) {
		last_addr = addr;
		retries = 0;
	}
	errno = saved_errno;
}

/* Again for each move: the program may have put its own handler in place since. */
int soft_move_prepare(void)
{
	struct sigaction action = {.sa_sigaction = fault_handle, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
	struct sigaction current;

	if (sigaction(SIGSEGV, NULL, &current))
		return -errno;
	if ((current.sa_flags & SA_SIGINFO) && current.sa_sigaction == fault_handle)
		return 0;
	previous_action = current;
	return sigaction(SIGSEGV, &action, NULL) ? -errno : 0;
}

static void fault_handler_remove(void)
{
	struct sigaction current;

	if (sigaction(SIGSEGV, NULL, &current) == 0 && (current.sa_flags & SA_SIGINFO) &&
	    current.sa_sigaction == fault_handle)
		sigaction(SIGSEGV, &previous_action, NULL);
}

/* A signal handler of the program would run on the mover, and perhaps write where nothing may be written. */
void soft_move_begin(uint64_t start, uint64_t end)
{
	sigset_t blocked;

	sigfillset(&blocked);
	sigdelset(&blocked, SIGSEGV);
	sigdelset(&blocked, SIGBUS);
	pthread_sigmask(SIG_SETMASK, &blocked, &moving.signals);
	moving.start = start;
	moving.end = end;
	recent[recent_next].start = start;
	recent[recent_next].end = end;
	recent_next = (recent_next + 1) % RECENT_MOVES;
	__atomic_store_n(&moving.mover, thread_id(), __ATOMIC_SEQ_CST);
}

void soft_move_end(void)
{
	sigset_t before = moving.signals;

	__atomic_store_n(&moving.mover, 0, __ATOMIC_RELEASE);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* System calls as such: a sanitizer would object to whole pages of its heap or stack being read. */
static int file_write(uint64_t start, uint64_t end)
{
	while (start < end) {
		ssize_t written = syscall(SYS_pwrite64, data_fd, start, end - start, start);

		if (written < 0) {
			if (errno == EINTR)
				continue;
			return -errno;
		}
		start += (uint64_t)written;
	}
	return 0;
}

int soft_move_read(uint8_t *to, uint64_t start, uint64_t end)
{
	while (start < end) {
		ssize_t got = syscall(SYS_pread64, data_fd, to, end - start, start);

		if (got < 0) {
			if (errno == EINTR)
				continue;
			return -errno;
		}
		to += got;
		start += (uint64_t)got;
	}
	return 0;
}

void soft_move_punch(uint64_t start, uint64_t end)
{
	fallocate(data_fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)start, (off_t)(end - start));
}

/* Between mprotect and mmap nothing may be written but this thread's stack: see the head of the file. */
static int pages_share(uint64_t start, uint64_t end, uint64_t file, int protection)
{
	int err;

	(void)file; /* it is the address */

	soft_move_begin(start, end);
	if (mprotect(move_at(start), end - start, PROT_READ)) {
		err = -errno;
		goto out;
	}
	err = file_write(start, end);
	if (!err && mapping_make(move_at(start), end - start, protection, MAP_SHARED | MAP_FIXED | MAP_NORESERVE,
				 data_fd, (off_t)start) == MAP_FAILED)
		err = -errno;
	if (err)
		mprotect(move_at(start), end - start, protection);
out:
	soft_move_end();
	if (err)
		return err;
	/* Spares the first touch of each page a fault; old kernels do not know it, and fault. */
	if (protection & PROT_WRITE)
		mapping_advise(move_at(start), end - start, MADV_POPULATE_WRITE);
	return 0;
}

static int pages_return(uint64_t start, uint64_t end, uint64_t file, int protection)
{
	size_t length = end - start;
	void *fresh = mapping_make_private(length);
	int err;

	if (fresh == MAP_FAILED)
		return -errno;
	soft_move_begin(start, end);
	if (mprotect(move_at(start), length, PROT_READ)) {
		err = -errno;
		goto err_unmap;
	}
	err = soft_move_read(fresh, file, file + length);
	if (!err && protection != (PROT_READ | PROT_WRITE) && mprotect(fresh, length, protection))
		err = -errno;
	if (!err && mapping_move(fresh, length, move_at(start)) == MAP_FAILED)
		err = -errno;
	if (err)
		goto err_protect;
	soft_move_end();
	soft_move_punch(file, file + length);
	return 0;

err_protect:
	mprotect(move_at(start), length, protection);
err_unmap:
	soft_move_end();
	mapping_drop(fresh, length);
	return err;
}

/* A move, perhaps of the caller's own stack. */
static struct {
	int (*move)(uint64_t start, uint64_t end, uint64_t file, int protection);
	uint64_t start;
	uint64_t end;
	uint64_t file;
	int protection;
	int result;
	uint32_t go;
	uint32_t done;
} errand;

static void *errand_run(void *argument)
{
	(void)argument;
	while (!__atomic_load_n(&errand.go, __ATOMIC_ACQUIRE))
		sched_yield();
	errand.result = errand.move(errand.start, errand.end, errand.file, errand.protection);
	__atomic_store_n(&errand.done, 1, __ATOMIC_RELEASE);
	return NULL;
}

/* Touches no stack: the pages under it are being exchanged. */
__attribute__((noinline, no_sanitize("address", "undefined"))) static void errand_wait(void)
{
	__atomic_store_n(&errand.go, 1, __ATOMIC_RELEASE);
	while (!__atomic_load_n(&errand.done, __ATOMIC_ACQUIRE))
		;
}

static int pages_move(int (*move)(uint64_t, uint64_t, uint64_t, int), uint64_t start, uint64_t end, uint64_t file,
		      int protection, bool is_own_stack)
{
	sigset_t all, before;
	pthread_t thread;
	int err;

	if (!is_own_stack)
		return move(start, end, file, protection);
	errand.move = move;
	errand.start = start;
	errand.end = end;
	errand.file = file;
	errand.protection = protection;
	errand.go = errand.done = 0;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	err = -soft_thread_create(&thread, errand_run, NULL);
	if (!err) {
		errand_wait();
		pthread_join(thread, NULL);
		err = errand.result;
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return err;
}

static bool holds_own_stack(const struct mapping *mapping)
{
	uint64_t here = (uint64_t)(uintptr_t)__builtin_frame_address(0);

	return here >= mapping->start && here < mapping->end;
}

int soft_move_share(const struct mapping *mapping, uint64_t start, uint64_t end)
{
	return pages_move(pages_share, start, end, start, mapping->protection, holds_own_stack(mapping));
}

int soft_move_return(const struct mapping *mapping, uint64_t start, uint64_t end)
{
	return pages_move(pages_return, start, end, start - mapping->start + mapping->offset, mapping->protection,
			  holds_own_stack(mapping));
}

bool soft_move_is_from_data_file(const struct mapping *mapping)
{
	return mapping->is_shared && mapping->inode == data_inode && mapping->device == data_device;
}

bool soft_move_is_data_file(const struct mapping *mapping)
{
	return soft_move_is_from_data_file(mapping) && mapping->offset == mapping->start;
}

int soft_move_open(int *out)
{
	struct stat status;
	int fd = memfd_create("perftest-soft-data", MFD_CLOEXEC);

	if (fd < 0)
		return -errno;
	if (ftruncate(fd, DATA_FILE_SIZE) || fstat(fd, &status)) {
		int err = -errno;

		close(fd);
		return err;
	}
	data_fd = fd;
	data_inode = status.st_ino;
	data_device = status.st_dev;
	*out = fd;
	return 0;
}

void soft_move_close(void)
{
	fault_handler_remove();
	if (data_fd >= 0)
		close(data_fd);
	data_fd = -1;
	moving.mover = 0;
}
