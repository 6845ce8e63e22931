// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * How do pages of the program change places with pages of the data file? Called by mr_backing.c, one move at a time.
 *
 * Other threads may use the pages meanwhile, most of all what shares the first and last page with the buffer: guard.c
 * makes them wait. What cannot be guarded here is refused in words, and nothing has moved then. Where the program has
 * no other thread, and the service thread rests, nothing is guarded.
 *
 * The mover writes to nothing but its frames and the static data of this file. When its own stack or thread control
 * block is among the pages, a thread of another stack moves them, while this one is inside the kernel.
 */
#include "config.h"

#include "memory/page_move.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "host/core.h"
#include "host/mapping.h"
#include "host/service.h"
#include "memory/direct_io.h"
#include "memory/guard.h"
#include "memory/raw.h"
#include "memory/tasks.h"

#define DATA_FILE_SIZE	(1ll << 47) /* every user address, and then some */
#define CHUNK		GUARD_TAKE_MAX
#define CHUNK_PAGES	(CHUNK / PAGE)
#define ARENA_SIZE	(4 * CHUNK)
#define ZEROES_SIZE	(64u << 10)
#define BUSY_WAIT_MS	500 /* for I/O in flight to end */
#define START_WAIT_MS	500 /* for a new thread, which the C library starts with all signals blocked */
#define STACK_GROWN_MAX (64ull << 20)
#define PRESENT		(1ull << 63 | 1ull << 62) /* of a page's entry in /proc/self/pagemap: in memory, swapped */

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ  22
#define MADV_POPULATE_WRITE 23
#endif
#ifndef MREMAP_DONTUNMAP
#define MREMAP_DONTUNMAP 4
#endif

static int data_fd = -1;
static int pagemap_fd = -1;
static uint64_t data_inode, data_device;

/*
 * Where returned pages are filled before they are put in place. It is one mapping, and a page's place in it follows
 * from its address, so that neighbours which return one by one become one mapping again.
 */
static uint8_t *arena;

struct move {
	struct guard guard;
	uint64_t file;	 /* where in the data file */
	uint64_t fresh;	 /* where returned pages are filled; 0: in place */
	uint8_t *before; /* of a page that is detached, or attached again: its content when it was detached */
	int huge_fd;
	void *huge_copy;
	bool takes;
	bool skips; /* reading what was never touched */
	int result;
	int (*run)(struct move *move);
};

/* Static: the pages that move may be the caller's stack. */
static struct move current;

/* System calls as such: a sanitizer would object to whole pages of its heap or stack being read. */
RAW_CODE static int file_write(uint64_t from, uint64_t file, uint64_t length)
{
	while (length) {
		long written = RAW4(pwrite64, data_fd, from, length, file);

		if (written == -EINTR)
			continue;
		if (written <= 0)
			return written ? (int)written : -EIO;
		from += (uint64_t)written;
		file += (uint64_t)written;
		length -= (uint64_t)written;
	}
	return 0;
}

RAW_CODE static int file_read(uint64_t to, uint64_t file, uint64_t length)
{
	while (length) {
		long got = RAW4(pread64, data_fd, to, length, file);

		if (got == -EINTR)
			continue;
		if (got <= 0)
			return got ? (int)got : -EIO;
		to += (uint64_t)got;
		file += (uint64_t)got;
		length -= (uint64_t)got;
	}
	return 0;
}

int soft_page_move_read(uint8_t *to, uint64_t start, uint64_t end)
{
	return file_read((uint64_t)(uintptr_t)to, start, end - start);
}

void soft_page_move_punch(uint64_t start, uint64_t end)
{
	fallocate(data_fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)start, (off_t)(end - start));
}

/* Which pages of [start, start + length), a chunk at most, are there at all? */
RAW_CODE static bool presence_read(uint64_t start, uint64_t length, uint64_t *presence)
{
	uint64_t bytes = length / PAGE * sizeof(*presence);

	return RAW4(pread64, pagemap_fd, presence, bytes, start / PAGE * sizeof(*presence)) == (long)bytes;
}

/* Holes are filled: a page that is written is had for less than one that is faulted in later. */
RAW_CODE static int zeroes_write(uint64_t file, uint64_t length)
{
	static const uint8_t zeroes[ZEROES_SIZE] __attribute__((aligned(PAGE)));
	int err = 0;

	for (uint64_t done = 0, step; !err && done < length; done += step) {
		step = length - done < ZEROES_SIZE ? length - done : ZEROES_SIZE;
		err = file_write((uint64_t)(uintptr_t)zeroes, file + done, step);
	}
	return err;
}

/* What was never touched must not be read: the guard holds a thread that does. */
RAW_CODE static int present_write(uint64_t from, uint64_t file, uint64_t length)
{
	static uint64_t presence[CHUNK_PAGES];
	uint64_t count = length / PAGE;
	int err = presence_read(from, length, presence) ? 0 : -EIO;

	for (uint64_t i = 0, until; !err && i < count; i = until) {
		bool is_present = presence[i] & PRESENT;

		for (until = i + 1; until < count && !(presence[until] & PRESENT) == !is_present; until++)
			;
		err = is_present ? file_write(from + i * PAGE, file + i * PAGE, (until - i) * PAGE)
				 : zeroes_write(file + i * PAGE, (until - i) * PAGE);
	}
	return err;
}

RAW_CODE static int page_file_map(uint64_t start, uint64_t length, int protection, uint64_t file)
{
	long mapped = RAW6(mmap, start, length, protection, MAP_SHARED | MAP_FIXED | MAP_NORESERVE, data_fd, file);

	return raw_failed(mapped) ? (int)mapped : 0;
}

RAW_CODE static int share_run(struct move *move)
{
	const struct guard *guard = &move->guard;
	uint64_t from = guard->start, length = guard->end - guard->start;
	int err = move->takes ? soft_guard_take(guard, &from) : soft_guard_begin(guard);

	if (err)
		return err;
	err = move->skips ? present_write(from, guard->start, length) : file_write(from, guard->start, length);
	if (!err)
		err = page_file_map(guard->start, length, guard->protection, guard->start);
	if (err && move->takes) {
		soft_guard_put_back(guard);
		return err;
	}
	soft_guard_end(guard, !err);
	if (move->takes)
		RAW3(madvise, from, length, MADV_DONTNEED);
	return err;
}

/* No thread looks: so they become a part of the memory around them again. */
RAW_CODE static int return_in_place(struct move *move)
{
	const struct guard *guard = &move->guard;
	uint64_t length = guard->end - guard->start;
	long mapped = RAW6(mmap, guard->start, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
			   -1, 0);
	int err = raw_failed(mapped) ? (int)mapped : file_read(guard->start, move->file, length);

	if (err) {
		page_file_map(guard->start, length, guard->protection, move->file);
		return err;
	}
	if (guard->protection != (PROT_READ | PROT_WRITE))
		RAW3(mprotect, guard->start, length, guard->protection);
	return 0;
}

RAW_CODE static int return_run(struct move *move)
{
	const struct guard *guard = &move->guard;
	uint64_t length = guard->end - guard->start;
	bool is_plain = guard->protection == (PROT_READ | PROT_WRITE);
	long moved;
	int err;

	if (!move->fresh)
		return return_in_place(move);
	err = soft_guard_begin(guard);
	if (err)
		return err;
	err = file_read(move->fresh, move->file, length);
	if (!err && !is_plain)
		err = (int)RAW3(mprotect, move->fresh, length, guard->protection);
	if (!err) {
		moved = RAW5(mremap, move->fresh, length, length, MREMAP_MAYMOVE | MREMAP_FIXED | MREMAP_DONTUNMAP,
			     guard->start);
		if (moved == -EINVAL) /* before Linux 5.7 */
			moved = RAW5(mremap, move->fresh, length, length, MREMAP_MAYMOVE | MREMAP_FIXED, guard->start);
		err = raw_failed(moved) ? (int)moved : 0;
	}
	soft_guard_end(guard, !err);
	if (!is_plain)
		RAW3(mprotect, move->fresh, length, PROT_READ | PROT_WRITE);
	if (err)
		RAW3(madvise, move->fresh, length, MADV_DONTNEED);
	return err;
}

RAW_CODE static int share_huge_run(struct move *move)
{
	const struct guard *guard = &move->guard;
	uint64_t length = guard->end - guard->start;
	const uint64_t *from = (const uint64_t *)move_at(guard->start);
	volatile uint64_t *to = move->huge_copy;
	long mapped;
	int err = soft_guard_begin(guard);

	if (err)
		return err;
	for (uint64_t i = 0; i < length / sizeof(*from); i++)
		to[i] = from[i];
	mapped = RAW6(mmap, guard->start, length, guard->protection, MAP_SHARED | MAP_FIXED, move->huge_fd, 0);
	err = raw_failed(mapped) ? (int)mapped : 0;
	soft_guard_end(guard, !err);
	return err;
}

/* The kernel makes the private page at a store, which must not be the program's: what was copied would be unknown. */
RAW_CODE static int detach_run(struct move *move)
{
	/* Volatile: clang makes a load of a store of known bits that change nothing. Only a store copies the page. */
	static const volatile uint8_t no_bits = 0;
	const struct guard *guard = &move->guard;
	const volatile uint64_t *copy = (const volatile uint64_t *)move_at(move->fresh);
	volatile uint64_t *before = (volatile uint64_t *)(void *)move->before;
	long moved;
	int err = soft_guard_begin(guard);

	if (err)
		return err;
	if (guard->protection & PROT_WRITE)
		__atomic_fetch_or((uint8_t *)move_at(move->fresh), no_bits, __ATOMIC_RELAXED);
	for (uint64_t i = 0; guard->protection && i < PAGE / sizeof(*copy); i++)
		before[i] = copy[i];
	moved = RAW5(mremap, move->fresh, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, guard->start);
	err = raw_failed(moved) ? (int)moved : 0;
	soft_guard_end(guard, !err);
	return err;
}

/*
 * The program's changes go into the file byte by byte, so that nothing is lost of what peers wrote there meanwhile. A
 * byte is the program's where it differs from what was copied when the page became private.
 */
RAW_CODE static int attach_run(struct move *move)
{
	const struct guard *guard = &move->guard;
	const volatile uint8_t *now = (const volatile uint8_t *)move_at(guard->start);
	const uint8_t *before = move->before;
	int err = soft_guard_begin(guard);

	if (err)
		return err;
	for (uint64_t i = 0, until; guard->protection && !err && i < PAGE; i = until + 1) {
		for (until = i; until < PAGE && now[until] != before[until]; until++)
			;
		if (until > i)
			err = file_write(guard->start + i, guard->start + i, until - i);
	}
	if (!err)
		err = page_file_map(guard->start, PAGE, guard->protection, guard->start);
	soft_guard_end(guard, !err);
	return err;
}

static int current_run(void *argument)
{
	(void)argument;
	current.result = current.run(&current);
	return 0;
}

/* A signal handler of the program would run on the mover, and perhaps write where nothing may be written. */
static int move_run(bool is_own)
{
	sigset_t blocked, before;
	int err = 0;

	if (is_own && !RAW_KEEPS_ERRNO)
		return -EOPNOTSUPP;
	sigfillset(&blocked);
	if (current.guard.kind == GUARD_SIGNAL) {
		sigdelset(&blocked, SIGSEGV);
		sigdelset(&blocked, SIGBUS);
	}
	pthread_sigmask(SIG_SETMASK, &blocked, &before);
	if (is_own)
		err = soft_tasks_run_apart(current_run, NULL);
	else
		current.result = current.run(&current);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return err ? err : current.result;
}

/* Threads but the program's one, and the service thread, if it rests until soft_service_resume(). */
static bool is_alone(void)
{
	if (!soft_service_rest())
		return false;
	if (soft_tasks_count() == (soft_service_is_running() ? 2 : 1))
		return true;
	soft_service_resume();
	return false;
}

static bool is_anonymous(const struct mapping *mapping)
{
	return !mapping->is_shared && mapping->inode == 0;
}

/* What keeps other threads from the pages; *rests: the service thread is to be resumed. */
static void guard_choose(struct guard *guard, bool is_file, bool *rests)
{
	const struct guard_means *means = soft_guard_means();

	*rests = is_alone();
	if (*rests)
		guard->kind = GUARD_NONE;
	else if (guard->is_anonymous ? means->has_faults : is_file && means->guards_files)
		guard->kind = GUARD_FAULTS;
	else
		guard->kind = GUARD_SIGNAL;
}

/* Threads of the program's but this one. */
static bool has_others(void)
{
	return soft_tasks_count() > (soft_service_is_running() && !soft_service_is_here() ? 2 : 1);
}

bool soft_page_move_can_hold(const struct mapping *mapping, uint64_t start)
{
	return soft_guard_means()->guards_files || !has_others() || !soft_tasks_stack_around(mapping, start);
}

static bool stays_blocked(int signal)
{
	const struct timespec pause = {.tv_nsec = 1000000};

	for (int waited = 0; soft_tasks_block(signal); waited++) {
		if (waited == START_WAIT_MS)
			return true;
		nanosleep(&pause, NULL);
	}
	return false;
}

/* Said here, because only this knows why. */
static int share_check(const struct mapping *mapping, uint64_t start, const struct guard *guard)
{
	const struct guard_means *means = soft_guard_means();

	if (guard->kind == GUARD_NONE || (guard->kind == GUARD_FAULTS && means->holds_kernel && means->guards_files))
		return 0;
	if (has_others() && soft_tasks_stack_within(mapping, start)) {
		const char *lacks = "cannot be held without userfaultfd(2)";

		if (means->has_faults && !means->holds_kernel)
			lacks = "only a process with CAP_SYS_PTRACE or access to /dev/userfaultfd may hold";
		else if (means->has_faults)
			lacks = "this kernel could not hold while the pages come back (Linux 5.19 can)";
		soft_error("memory at %p cannot be registered: it is on the stack of another thread, which %s; "
			   "register it in that thread, or memory of the heap",
			   move_at(start), lacks);
		return -EOPNOTSUPP;
	}
	if (guard->kind == GUARD_FAULTS)
		return 0;
	if (stays_blocked(SIGSEGV)) {
		soft_error(
			"memory at %p cannot be registered: another thread blocks SIGSEGV, and could not be held while "
			"pages move%s; start that thread later, or register memory of the heap",
			move_at(start), means->has_faults ? "" : " (userfaultfd(2) is not allowed here)");
		return -EBUSY;
	}
	return soft_guard_prepare_signal();
}

/*
 * Where pages are not taken away nothing tells which of them the kernel holds for input in flight: it would go on in
 * the old ones, unseen.
 */
static int input_check(uint64_t start)
{
	const char *what;
	int fd = soft_direct_io_find(has_others(), &what);

	if (fd == -1)
		return 0;
	if (fd < -1)
		soft_error(
			"memory at %p cannot be registered: /proc/self/fd, which tells whether input may be in flight "
			"to it, cannot be read: %s",
			move_at(start), strerror(-fd - 1));
	else
		soft_error("memory at %p cannot be registered: descriptor %d is %s, through which the kernel may be "
			   "writing "
			   "there unseen while it moves (for memory of the heap Linux 6.8 with userfaultfd(2) tells); "
			   "register it before that is opened, or register shared memory (memfd_create)",
			   move_at(start), fd, what);
	return -EBUSY;
}

/* Pages that are shared with a child become this process's alone, as at their next store. */
static void pages_unshare(uint64_t start, uint64_t end)
{
	static uint64_t presence[CHUNK_PAGES];
	uint64_t count = (end - start) / PAGE;

	if (!presence_read(start, end - start, presence))
		return;
	for (uint64_t i = 0, until; i < count; i = until) {
		for (until = i + 1; until < count && !(presence[until] & PRESENT) == !(presence[i] & PRESENT); until++)
			;
		if (presence[i] & PRESENT)
			mapping_advise(move_at(start + i * PAGE), (until - i) * PAGE, MADV_POPULATE_WRITE);
	}
}

static int chunk_share(bool is_own)
{
	const struct timespec pause = {.tv_nsec = 1000000};
	int err = move_run(is_own);

	for (int waited = 0; err == -EBUSY && current.takes && waited < BUSY_WAIT_MS; waited++) {
		if (waited == 0)
			pages_unshare(current.guard.start, current.guard.end);
		else
			nanosleep(&pause, NULL);
		err = move_run(is_own);
	}
	if (err == -EBUSY && current.takes)
		soft_error(
			"memory at %p cannot be registered: it is in use by input or output in flight (O_DIRECT), by "
			"buffers registered with io_uring, or by another RDMA device; register it before those",
			move_at(current.guard.start));
	return err;
}

/* Edges apart, so that what else is in them is kept waiting for microseconds only. */
static uint64_t chunk_end(uint64_t at_addr, uint64_t start, uint64_t end)
{
	uint64_t until = (at_addr & ~(CHUNK - 1)) + CHUNK;

	if (at_addr == start)
		until = start + PAGE;
	else if (until >= end && at_addr < end - PAGE)
		until = end - PAGE;
	return until < end ? until : end;
}

/*
 * The main thread's stack grows while its lowest mapping may. What moves is that no more, so it grows now, as far as it
 * may. A read by the kernel does it, which fails where a store would end the process.
 */
static void stack_grow(const struct mapping *mapping)
{
	struct rlimit limit;
	uint64_t room = STACK_GROWN_MAX, lowest;

	if (getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur < room)
		room = limit.rlim_cur;
	lowest = mapping->end - room + PAGE * 2;
	if (room < mapping->end && lowest < mapping->start)
		(void)!syscall(SYS_pread64, data_fd, lowest, (size_t)1, lowest);
}

static void range_return(uint64_t start, uint64_t end, uint64_t file, const struct mapping *mapping);

int soft_page_move_share(const struct mapping *mapping, uint64_t start, uint64_t end)
{
	const struct guard_means *means = soft_guard_means();
	bool has_block = soft_tasks_own_block(mapping);
	bool is_own = has_block || soft_tasks_own_stack(mapping);
	bool rests = false;
	uint64_t at_addr = start, until;
	int err = 0;

	if (strcmp(mapping->name, "[stack]") == 0)
		stack_grow(mapping);
	current = (struct move){.guard = {.protection = mapping->protection, .is_anonymous = is_anonymous(mapping)},
				.run = share_run};
	current.skips = current.guard.is_anonymous && pagemap_fd >= 0;
	current.takes = current.guard.is_anonymous && means->can_take && mapping->protection & PROT_WRITE && !has_block;
	if (current.takes)
		current.guard.kind = GUARD_FAULTS;
	else
		guard_choose(&current.guard, false, &rests);
	err = share_check(mapping, start, &current.guard);
	if (!err && !current.takes)
		err = input_check(start);
	for (; !err && at_addr < end; at_addr = until) {
		until = chunk_end(at_addr, start, end);
		current.guard.start = at_addr;
		current.guard.end = until;
		err = chunk_share(is_own);
		if (err == -EINVAL && current.takes) { /* locked memory, say: guarded, then, and this chunk again */
			current.takes = false;
			guard_choose(&current.guard, false, &rests);
			err = share_check(mapping, start, &current.guard);
			if (!err)
				err = input_check(start);
			until = at_addr;
		}
		if (err)
			break;
	}
	if (rests)
		soft_service_resume();
	if (err) {
		if (at_addr > start)
			range_return(start, at_addr, start, mapping);
		return err;
	}
	/* Spares the first touch of each page a fault, and writable pages are mapped so. Old kernels do not know it. */
	mapping_advise(move_at(start), end - start, MADV_POPULATE_READ);
	return 0;
}

int soft_page_move_share_huge(const struct mapping *mapping, int fd, void *copy)
{
	bool rests;
	int err;

	current = (struct move){
		.guard = {.start = mapping->start, .end = mapping->end, .protection = mapping->protection},
		.huge_fd = fd,
		.huge_copy = copy,
		.run = share_huge_run};
	guard_choose(&current.guard, true, &rests);
	err = share_check(mapping, mapping->start, &current.guard);
	if (!err)
		err = input_check(mapping->start);
	if (!err)
		err = move_run(soft_tasks_own_block(mapping) || soft_tasks_own_stack(mapping));
	if (rests)
		soft_service_resume();
	return err;
}

static bool arena_make(void)
{
	void *memory;

	if (arena)
		return true;
	memory = mapping_make(NULL, ARENA_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		return false;
	arena = memory;
	arena[0] = 1; /* what merges later has to come of one mapping that was touched */
	mapping_advise(arena, ARENA_SIZE, MADV_DONTNEED);
	return true;
}

static int chunk_return(uint64_t start, uint64_t end, uint64_t file, bool is_own)
{
	int err;

	current.guard.start = start;
	current.guard.end = end;
	current.file = file;
	current.fresh = 0;
	if (current.guard.kind != GUARD_NONE) {
		if (!arena_make())
			return -ENOMEM;
		current.fresh = (uint64_t)(uintptr_t)arena + start % ARENA_SIZE;
	}
	err = move_run(is_own);
	if (!err)
		soft_page_move_punch(file, file + (end - start));
	return err;
}

int soft_page_move_return(const struct mapping *mapping, uint64_t start, uint64_t end)
{
	bool is_own = soft_tasks_own_block(mapping) || soft_tasks_own_stack(mapping);
	uint64_t file = start - mapping->start + mapping->offset;
	bool rests;
	int err = 0;

	current = (struct move){.guard = {.protection = mapping->protection}, .run = return_run};
	guard_choose(&current.guard, true, &rests);
	if (current.guard.kind == GUARD_SIGNAL)
		err = !soft_page_move_can_hold(mapping, start) || stays_blocked(SIGSEGV) ? -EBUSY
											 : soft_guard_prepare_signal();
	for (uint64_t at_addr = start, until; !err && at_addr < end; at_addr = until) {
		until = chunk_end(at_addr, start, end);
		err = chunk_return(at_addr, until, file + (at_addr - start), is_own);
	}
	if (rests)
		soft_service_resume();
	return err;
}

/* What a registration moved before it failed. */
static void range_return(uint64_t start, uint64_t end, uint64_t file, const struct mapping *mapping)
{
	static struct mapping moved; /* large, and one move goes on at a time */
	int err;

	moved = (struct mapping){.start = start, .end = end, .offset = file, .protection = mapping->protection};
	err = soft_page_move_return(&moved, start, end);
	if (err)
		soft_error("memory at %p stays shared: %s", move_at(start), strerror(-err));
}

/* A page while fork() takes place, out of the data file or back into it. */
static int page_swap(const struct mapping *mapping, uint64_t page, uint8_t *before, uint64_t fresh,
		     int (*run)(struct move *move))
{
	bool is_own = soft_tasks_own_block(mapping) || soft_tasks_own_stack(mapping);
	bool rests;
	int err = 0;

	current = (struct move){.guard = {.start = page, .end = page + PAGE, .protection = mapping->protection},
				.before = before,
				.fresh = fresh,
				.run = run};
	guard_choose(&current.guard, true, &rests);
	if (current.guard.kind == GUARD_SIGNAL)
		err = soft_guard_prepare_signal();
	if (!err)
		err = move_run(is_own);
	if (rests)
		soft_service_resume();
	return err;
}

int soft_page_move_detach(const struct mapping *mapping, uint64_t page, uint8_t *before)
{
	void *fresh = mapping_make(NULL, PAGE, mapping->protection, MAP_PRIVATE | MAP_NORESERVE, data_fd, (off_t)page);
	int err;

	if (fresh == MAP_FAILED)
		return -errno;
	err = page_swap(mapping, page, before, (uint64_t)(uintptr_t)fresh, detach_run);
	if (err)
		mapping_drop(fresh, PAGE);
	return err;
}

int soft_page_move_attach(const struct mapping *mapping, uint64_t page, uint8_t *before)
{
	return page_swap(mapping, page, before, 0, attach_run);
}

bool soft_page_move_is_from_data_file(const struct mapping *mapping)
{
	return mapping->is_shared && mapping->inode == data_inode && mapping->device == data_device;
}

bool soft_page_move_is_data_file(const struct mapping *mapping)
{
	return soft_page_move_is_from_data_file(mapping) && mapping->offset == mapping->start;
}

bool soft_page_move_is_detached(const struct mapping *mapping, uint64_t page)
{
	return !mapping->is_shared && mapping->inode == data_inode && mapping->device == data_device &&
	       mapping->offset + (page - mapping->start) == page;
}

int soft_page_move_open(int *out)
{
	struct stat status;
	int fd = memfd_create("perftest-soft-data", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd < 0)
		return -errno;
	if (ftruncate(fd, DATA_FILE_SIZE) || fstat(fd, &status)) {
		int err = -errno;

		close(fd);
		return err;
	}
	pagemap_fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	soft_guard_open(pagemap_fd >= 0);
	data_fd = fd;
	data_inode = status.st_ino;
	data_device = status.st_dev;
	*out = fd;
	return 0;
}

void soft_page_move_close(void)
{
	soft_guard_close();
	if (arena)
		mapping_drop(arena, ARENA_SIZE);
	arena = NULL;
	if (pagemap_fd >= 0)
		close(pagemap_fd);
	if (data_fd >= 0)
		close(data_fd);
	pagemap_fd = data_fd = -1;
}
