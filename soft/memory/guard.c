// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Blocks other threads that store to pages while these are moved. Called by page_move.c and file_backed.c.
 *
 * With userfaultfd(2), the kernel blocks a thread that faults, whatever signals it blocks and whichever stack it uses.
 * The pages are write-protected or, from Linux 6.8, moved out of the range (UFFDIO_MOVE), which fails if they are
 * pinned: O_DIRECT or io_uring would continue to write to them after they were replaced. An unprivileged process can
 * only handle faults from user space, and a sandbox may forbid all of this.
 *
 * Otherwise with mprotect(2): a store faults, waits in our SIGSEGV handler until the move is over, and is repeated.
 * This requires that the signal is unblocked and that the thread's stack is elsewhere, which page_move.c checks first.
 */
#include "config.h"

#include "memory/pages.h"

#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <sys/ioctl.h>

#include "host/mapping.h"
#include "host/pass_on.h"
#include "host/valgrind.h"
#include "memory/raw.h"

#define FAULT_RETRIES 1000 /* at one address: then the fault is not ours */
#define RECENT_MOVES  64
#define MOVE_RETRIES  10000 /* of UFFDIO_MOVE: the kernel returns EAGAIN while it uses the pages itself */

#ifndef MADV_DONTNEED_LOCKED
#define MADV_DONTNEED_LOCKED 24 /* after mlockall(), too */
#endif

/* From linux/userfaultfd.h of later kernels. */
#define USER_MODE_ONLY	 1
#define FEATURE_WP	 (1ull << 0)
#define FEATURE_WP_FILES (1ull << 12)
#define FEATURE_MOVE	 (1ull << 16)
#define MODE_MISSING	 1ull
#define MODE_WP		 2ull
#define MOVE_HOLES	 2ull /* holes are skipped */
#define NEW_FD		 _IO(0xaa, 0x00)

struct fault_protect {
	uint64_t start;
	uint64_t length;
	uint64_t mode; /* 1: on */
};

struct fault_move {
	uint64_t to;
	uint64_t from;
	uint64_t length;
	uint64_t mode;
	int64_t moved;
};

#define FAULT_PROTECT _IOWR(UFFDIO, 0x06, struct fault_protect)
#define FAULT_MOVE    _IOWR(UFFDIO, 0x05, struct fault_move)

static int fault_fd = -1;
static struct guard_means means;
static uint8_t *taken_area; /* of a chunk: the kernel aligns it to huge pages */

/* Read by the signal handler. */
static struct {
	uint64_t start;
	uint64_t end;
	pid_t mover; /* 0: no move in progress */
} moving;
static struct {
	uint64_t start;
	uint64_t end;
} recent[RECENT_MOVES];
static unsigned int recent_next;
static struct sigaction previous_action;

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

	if (info->si_code != SEGV_ACCERR || (mover && mover == (pid_t)syscall(SYS_gettid))) {
		soft_signal_pass_on(&previous_action, number, info, context);
		return;
	}
	if (mover && addr >= moving.start && addr < moving.end) {
		while (__atomic_load_n(&moving.mover, __ATOMIC_ACQUIRE) == mover)
			sched_yield();
	} else if (!fault_is_recent(addr) || (addr == last_addr && ++retries > FAULT_RETRIES)) {
		soft_signal_pass_on(&previous_action, number, info, context);
		return;
	}
	if (addr != last_addr) {
		last_addr = addr;
		retries = 0;
	}
	errno = saved_errno;
}

int soft_guard_prepare_signal(void)
{
	return soft_signal_take(SIGSEGV, fault_handle, &previous_action);
}

static void fault_handler_remove(void)
{
	struct sigaction current;

	if (sigaction(SIGSEGV, NULL, &current) == 0 && (current.sa_flags & SA_SIGINFO) &&
	    current.sa_sigaction == fault_handle)
		sigaction(SIGSEGV, &previous_action, NULL);
}

RAW_CODE static int signal_begin(const struct guard *guard)
{
	long err;

	moving.start = guard->start;
	moving.end = guard->end;
	recent[recent_next].start = guard->start;
	recent[recent_next].end = guard->end;
	recent_next = (recent_next + 1) % RECENT_MOVES;
	__atomic_store_n(&moving.mover, (pid_t)raw_call(SYS_gettid, 0, 0, 0, 0, 0, 0), __ATOMIC_SEQ_CST);
	err = RAW3(mprotect, guard->start, guard->end - guard->start, PROT_READ);
	if (err)
		__atomic_store_n(&moving.mover, 0, __ATOMIC_RELEASE);
	return (int)err;
}

RAW_CODE static void signal_end(const struct guard *guard, bool is_replaced)
{
	if (!is_replaced)
		RAW3(mprotect, guard->start, guard->end - guard->start, guard->protection);
	__atomic_store_n(&moving.mover, 0, __ATOMIC_RELEASE);
}

RAW_CODE static int range_register(uint64_t start, uint64_t length, uint64_t mode)
{
	struct uffdio_register range = {.range = {start, length}, .mode = mode};

	return (int)RAW3(ioctl, fault_fd, UFFDIO_REGISTER, &range);
}

/* Threads that wait for the range continue. */
RAW_CODE static void range_unregister(uint64_t start, uint64_t length)
{
	struct uffdio_range range = {start, length};

	RAW3(ioctl, fault_fd, UFFDIO_UNREGISTER, &range);
	RAW3(ioctl, fault_fd, UFFDIO_WAKE, &range);
}

RAW_CODE static int range_protect(uint64_t start, uint64_t length, uint64_t mode)
{
	struct fault_protect protect = {start, length, mode};
	long err;

	do {
		err = RAW3(ioctl, fault_fd, FAULT_PROTECT, &protect);
	} while (err == -EAGAIN);
	return (int)err;
}

/*
 * Missing pages are guarded, too, because a store would allocate one. A file's pages are guarded by write protection
 * alone.
 */
RAW_CODE static int faults_begin(const struct guard *guard)
{
	uint64_t length = guard->end - guard->start;
	int err = range_register(guard->start, length, MODE_WP | (guard->is_anonymous ? MODE_MISSING : 0));

	if (err)
		return err;
	err = range_protect(guard->start, length, 1);
	if (err)
		range_unregister(guard->start, length);
	return err;
}

RAW_CODE static void faults_end(const struct guard *guard, bool is_replaced)
{
	struct uffdio_range range = {guard->start, guard->end - guard->start};

	if (is_replaced) { /* and the registration with it */
		RAW3(ioctl, fault_fd, UFFDIO_WAKE, &range);
		return;
	}
	range_protect(range.start, range.len, 0);
	range_unregister(range.start, range.len);
}

/* Returns 0 or why it stopped, and in *done how many bytes have moved. */
RAW_CODE static int pages_carry(uint64_t from, uint64_t to, uint64_t length, uint64_t *done)
{
	struct fault_move move;
	int err = -EAGAIN;

	*done = 0;
	for (unsigned int i = 0; *done < length && err == -EAGAIN && i < MOVE_RETRIES; i++) {
		move = (struct fault_move){to + *done, from + *done, length - *done, MOVE_HOLES, 0};
		err = (int)RAW3(ioctl, fault_fd, FAULT_MOVE, &move);
		if (move.moved > 0) {
			*done += (uint64_t)move.moved;
			i = 0;
		}
	}
	return err == -EAGAIN ? -EBUSY : err;
}

/* Only fails temporarily: no other thread knows of the pages. */
RAW_CODE static void pages_restore(uint64_t from, uint64_t to, uint64_t length)
{
	for (uint64_t done; pages_carry(from, to, length, &done); length -= done) {
		from += done;
		to += done;
	}
}

RAW_CODE uint64_t soft_guard_place(const struct guard *guard)
{
	return guard->takes ? (uint64_t)(uintptr_t)taken_area + guard->start % CHUNK : guard->start;
}

RAW_CODE static int pages_take(const struct guard *guard)
{
	uint64_t place = soft_guard_place(guard), length = guard->end - guard->start, done;
	int err = range_register(guard->start, length, MODE_MISSING);

	if (err)
		return err;
	err = pages_carry(guard->start, place, length, &done);
	if (err) {
		if (done)
			pages_restore(place, guard->start, done);
		range_unregister(guard->start, length);
	}
	return err;
}

RAW_CODE static void taken_end(const struct guard *guard, bool is_replaced)
{
	uint64_t place = soft_guard_place(guard), length = guard->end - guard->start;

	if (!is_replaced)
		pages_restore(place, guard->start, length);
	faults_end(guard, is_replaced);
	RAW3(madvise, place, length, MADV_DONTNEED_LOCKED);
}

RAW_CODE int soft_guard_begin(const struct guard *guard)
{
	switch (guard->kind) {
	case GUARD_FAULTS:
		return guard->takes ? pages_take(guard) : faults_begin(guard);
	case GUARD_SIGNAL:
		return signal_begin(guard);
	default:
		return 0;
	}
}

RAW_CODE void soft_guard_end(const struct guard *guard, bool is_replaced)
{
	switch (guard->kind) {
	case GUARD_FAULTS:
		(guard->takes ? taken_end : faults_end)(guard, is_replaced);
		break;
	case GUARD_SIGNAL:
		signal_end(guard, is_replaced);
		break;
	default:
		break;
	}
}

static int fault_open(bool *blocks_kernel)
{
	int device = open("/dev/userfaultfd", O_RDWR | O_CLOEXEC);
	int fd = -1;

	*blocks_kernel = true;
	if (device >= 0) {
		fd = ioctl(device, NEW_FD, O_CLOEXEC | O_NONBLOCK);
		close(device);
	}
	if (fd < 0)
		fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);
	if (fd < 0) {
		*blocks_kernel = false;
		fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | USER_MODE_ONLY);
	}
	return fd;
}

/* It stays registered: pages can only be moved to where none are present. A child that shared them would keep them. */
static bool taken_area_make(void)
{
	taken_area = mapping_make_private(CHUNK);
	if (taken_area && (mapping_advise(taken_area, CHUNK, MADV_DONTFORK) ||
			   range_register((uint64_t)(uintptr_t)taken_area, CHUNK, MODE_MISSING))) {
		mapping_drop(taken_area, CHUNK);
		taken_area = NULL;
	}
	return taken_area;
}

void soft_guard_open(bool has_pagemap)
{
	static const uint64_t features[] = {FEATURE_WP | FEATURE_WP_FILES | FEATURE_MOVE, FEATURE_WP | FEATURE_WP_FILES,
					    FEATURE_WP};
	struct uffdio_api api;
	size_t i;

	means = (struct guard_means){0};
	/* valgrind runs one thread at a time, and does not know that a thread is blocked by a fault. */
	fault_fd = !has_pagemap || valgrind_runs("") ? -1 : fault_open(&means.blocks_kernel);
	for (i = 0; fault_fd >= 0 && i < sizeof(features) / sizeof(*features); i++) {
		api = (struct uffdio_api){.api = UFFD_API, .features = features[i]};
		if (ioctl(fault_fd, UFFDIO_API, &api) == 0)
			break;
	}
	if (fault_fd < 0 || i == sizeof(features) / sizeof(*features)) {
		soft_guard_close();
		return;
	}
	means.has_faults = true;
	means.guards_files = features[i] & FEATURE_WP_FILES;
	means.can_take = features[i] & FEATURE_MOVE && taken_area_make();
}

void soft_guard_close(void)
{
	fault_handler_remove();
	mapping_drop(taken_area, CHUNK);
	taken_area = NULL;
	descriptor_close(&fault_fd);
	means = (struct guard_means){0};
	moving.mover = 0;
}

const struct guard_means *soft_guard_means(void)
{
	return &means;
}
