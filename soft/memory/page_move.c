// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Moves pages of the program to the data file and back. Called by mr_backing.c, one move at a time.
 *
 * Other threads may use the pages during the move, most likely other data in the first and last page of the buffer:
 * guard.c makes them wait. If that is impossible, the move is refused with a message before anything has moved. If the
 * program has no other thread, and the service thread rests, no guard is needed.
 */
#include "config.h"

#include "memory/pages.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "host/mapping.h"
#include "host/service.h"

#define ARENA_SIZE	(4 * CHUNK)
#define BUSY_WAIT_MS	500 /* for I/O in flight to finish */
#define START_WAIT_MS	500 /* for a new thread, which the C library starts with all signals blocked */
#define STACK_GROWN_MAX (64ull << 20)

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ  22
#define MADV_POPULATE_WRITE 23
#endif

/*
 * Returned pages are filled here before they are moved to their address. It is one mapping, and a page's place in it
 * depends on its address, so that neighbours returned one by one become one mapping again.
 */
static uint8_t *arena;

static uint64_t data_inode, data_device;

void soft_page_move_punch(uint64_t start, uint64_t end)
{
	fallocate(soft_mover_files.data, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)start,
		  (off_t)(end - start));
}

/* True if the program has one thread, and the service thread rests until soft_service_resume(). */
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

/* Chooses how to block other threads; *rests: the service thread has to be resumed. */
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

/* Does the program have threads other than this one? */
static bool has_others(void)
{
	return soft_tasks_count() > (soft_service_is_running() && !soft_service_is_here() ? 2 : 1);
}

bool soft_page_move_can_block(const struct mapping *mapping, uint64_t start)
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

/* Prints the reason itself, because the caller does not know it. */
static int share_check(const struct mapping *mapping, uint64_t start, const struct guard *guard)
{
	const struct guard_means *means = soft_guard_means();

	if (guard->kind == GUARD_NONE || (guard->kind == GUARD_FAULTS && means->blocks_kernel && means->guards_files))
		return 0;
	if (has_others() && soft_tasks_stack_within(mapping, start)) {
		const char *lacks = "cannot be held without userfaultfd(2)";

		if (means->has_faults && !means->blocks_kernel)
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

static int chunk_share(bool is_own)
{
	const struct timespec pause = {.tv_nsec = 1000000};
	struct guard *guard = &soft_move.guard;
	int err = soft_mover_run(is_own);

	if (err && err != -EBUSY && guard->takes) { /* e.g. locked memory */
		guard->takes = false;
		return soft_mover_run(is_own);
	}
	for (int waited = 0; err == -EBUSY && guard->takes && waited < BUSY_WAIT_MS; waited++) {
		if (waited == 0) /* a child may share pages: unshares them, as their next store would */
			mapping_advise(move_at(guard->start), guard->end - guard->start, MADV_POPULATE_WRITE);
		else
			nanosleep(&pause, NULL);
		err = soft_mover_run(is_own);
	}
	if (err == -EBUSY && guard->takes)
		soft_error(
			"memory at %p cannot be registered: it is in use by input or output in flight (O_DIRECT), by "
			"buffers registered with io_uring, or by another RDMA device; register it before those",
			move_at(guard->start));
	return err;
}

/* Moves edge pages separately, so that other data in them is blocked only for microseconds. */
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
 * The main thread's stack only grows while its lowest mapping is growable. A moved mapping is not, so grow it to its
 * limit now. A read by the kernel does that, and fails where a store would kill the process.
 */
static void stack_grow(const struct mapping *mapping)
{
	struct rlimit limit;
	uint64_t room = STACK_GROWN_MAX, lowest;

	if (getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur < room)
		room = limit.rlim_cur;
	lowest = mapping->end - room + PAGE * 2;
	if (room < mapping->end && lowest < mapping->start)
		(void)!syscall(SYS_pread64, soft_mover_files.data, lowest, (size_t)1, lowest);
}

/*
 * Those that ask this thread to end, as Ctrl-C does, and interrupt its calls: they have a handler without SA_RESTART. A
 * default action takes effect between two chunks.
 */
static void ends_find(sigset_t *ends)
{
	static const int numbers[] = {SIGINT, SIGTERM};
	struct sigaction action;
	sigset_t blocked;

	sigemptyset(ends);
	pthread_sigmask(SIG_BLOCK, NULL, &blocked);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		if (sigaction(numbers[i], NULL, &action) == 0 && action.sa_handler != SIG_DFL &&
		    action.sa_handler != SIG_IGN && !(action.sa_flags & SA_RESTART) &&
		    !sigismember(&blocked, numbers[i]))
			sigaddset(ends, numbers[i]);
	}
}

static bool is_asked_to_end(const sigset_t *ends)
{
	sigset_t pending;

	sigpending(&pending);
	sigandset(&pending, &pending, ends);
	return !sigisemptyset(&pending);
}

/* Prepares [start, end) chunk by chunk, since gigabytes take seconds: -EINTR if a signal asks the program to end. */
static int chunks_prepare(uint64_t start, uint64_t end, int (*prepare)(uint64_t from, uint64_t length))
{
	sigset_t ends;
	int err = 0;

	ends_find(&ends);
	pthread_sigmask(SIG_BLOCK, &ends, NULL);
	for (uint64_t at_addr = start, until; !err && at_addr < end; at_addr = until) {
		until = (at_addr & ~(CHUNK - 1)) + CHUNK;
		until = until < end ? until : end;
		err = is_asked_to_end(&ends) ? -EINTR : prepare(at_addr, until - at_addr);
	}
	pthread_sigmask(SIG_UNBLOCK, &ends, NULL);
	return err;
}

/* Avoids a fault on first use of each page, and maps writable pages as writable. Old kernels do not support it. */
static int present_map(uint64_t from, uint64_t length)
{
	mapping_advise(move_at(from), length, MADV_POPULATE_READ);
	return 0;
}

static void range_return(uint64_t start, uint64_t end, uint64_t file, const struct mapping *mapping);

int soft_page_move_share(const struct mapping *mapping, uint64_t start, uint64_t end)
{
	bool has_block = soft_tasks_own_block(mapping);
	bool is_own = has_block || soft_tasks_own_stack(mapping);
	bool rests = false, is_filled = false;
	uint64_t at_addr = start, until;
	int err = 0;

	if (strcmp(mapping->name, "[stack]") == 0)
		stack_grow(mapping);
	soft_move = (struct move){.guard = {.protection = mapping->protection, .is_anonymous = is_anonymous(mapping)},
				  .run = soft_mover_share};
	soft_move.skips = soft_move.guard.is_anonymous && soft_mover_files.pagemap >= 0;
	soft_move.guard.takes = soft_move.guard.is_anonymous && soft_guard_means()->can_take &&
				mapping->protection & PROT_WRITE && !has_block;
	if (soft_move.guard.takes)
		soft_move.guard.kind = GUARD_FAULTS;
	else
		guard_choose(&soft_move.guard, false, &rests);
	err = share_check(mapping, start, &soft_move.guard);
	if (!err && soft_move.skips) {
		is_filled = true;
		err = chunks_prepare(start, end, soft_mover_fill); /* before anything moves */
	}
	for (; !err && at_addr < end; at_addr = until) {
		until = chunk_end(at_addr, start, end);
		soft_move.guard.start = at_addr;
		soft_move.guard.end = until;
		err = chunk_share(is_own);
		if (err)
			break;
	}
	if (rests)
		soft_service_resume();
	if (err) {
		if (at_addr > start)
			range_return(start, at_addr, start, mapping);
		if (is_filled)
			soft_page_move_punch(at_addr, end);
		return err;
	}
	chunks_prepare(start, end, present_map); /* a program that is asked to end does without */
	return 0;
}

int soft_page_move_share_huge(const struct mapping *mapping, int fd, void *copy)
{
	bool rests;
	int err;

	soft_move = (struct move){
		.guard = {.start = mapping->start, .end = mapping->end, .protection = mapping->protection},
		.huge_fd = fd,
		.huge_copy = copy,
		.run = soft_mover_share_huge};
	guard_choose(&soft_move.guard, true, &rests);
	err = share_check(mapping, mapping->start, &soft_move.guard);
	err = err ?: soft_mover_run(soft_tasks_own_block(mapping) || soft_tasks_own_stack(mapping));
	if (rests)
		soft_service_resume();
	return err;
}

static bool arena_make(void)
{
	if (arena)
		return true;
	arena = mapping_make(NULL, ARENA_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (!arena)
		return false;
	arena[0] = 1; /* only parts of one mapping that was touched can merge later */
	mapping_advise(arena, ARENA_SIZE, MADV_DONTNEED);
	return true;
}

static int chunk_return(uint64_t start, uint64_t end, uint64_t file, bool is_own)
{
	int err;

	soft_move.guard.start = start;
	soft_move.guard.end = end;
	soft_move.file = file;
	soft_move.fresh = 0;
	if (soft_move.guard.kind != GUARD_NONE) {
		if (!arena_make())
			return -ENOMEM;
		soft_move.fresh = (uint64_t)(uintptr_t)arena + start % ARENA_SIZE;
	}
	err = soft_mover_run(is_own);
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

	soft_move = (struct move){.guard = {.protection = mapping->protection}, .run = soft_mover_return};
	guard_choose(&soft_move.guard, true, &rests);
	if (soft_move.guard.kind == GUARD_SIGNAL)
		err = !soft_page_move_can_block(mapping, start) || stays_blocked(SIGSEGV) ? -EBUSY
											  : soft_guard_prepare_signal();
	for (uint64_t at_addr = start, until; !err && at_addr < end; at_addr = until) {
		until = chunk_end(at_addr, start, end);
		err = chunk_return(at_addr, until, file + (at_addr - start), is_own);
	}
	if (rests)
		soft_service_resume();
	return err;
}

/* Returns what a registration moved before it failed. */
static void range_return(uint64_t start, uint64_t end, uint64_t file, const struct mapping *mapping)
{
	static struct mapping moved; /* static because it is large; only one move at a time */
	int err;

	moved = (struct mapping){.start = start, .end = end, .offset = file, .protection = mapping->protection};
	err = soft_page_move_return(&moved, start, end);
	if (err)
		soft_error("memory at %p stays shared: %s", move_at(start), strerror(-err));
}

/* Moves a page out of the data file during fork(), or back into it. */
static int page_swap(const struct mapping *mapping, uint64_t page, uint8_t *before, uint64_t fresh,
		     int (*run)(struct move *move))
{
	bool is_own = soft_tasks_own_block(mapping) || soft_tasks_own_stack(mapping);
	bool rests;
	int err = 0;

	soft_move = (struct move){.guard = {.start = page, .end = page + PAGE, .protection = mapping->protection},
				  .before = before,
				  .fresh = fresh,
				  .run = run};
	guard_choose(&soft_move.guard, true, &rests);
	if (soft_move.guard.kind == GUARD_SIGNAL)
		err = soft_guard_prepare_signal();
	err = err ?: soft_mover_run(is_own);
	if (rests)
		soft_service_resume();
	return err;
}

int soft_page_move_detach(const struct mapping *mapping, uint64_t page, uint8_t *before)
{
	void *fresh = mapping_make(NULL, PAGE, mapping->protection, MAP_PRIVATE | MAP_NORESERVE, soft_mover_files.data,
				   (off_t)page);
	int err;

	if (!fresh)
		return -errno;
	err = page_swap(mapping, page, before, (uint64_t)(uintptr_t)fresh, soft_mover_detach);
	if (err)
		mapping_drop(fresh, PAGE);
	return err;
}

int soft_page_move_attach(const struct mapping *mapping, uint64_t page, uint8_t *before)
{
	return page_swap(mapping, page, before, 0, soft_mover_attach);
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
	if (ftruncate(fd, (off_t)LAYOUT_DATA_SIZE) || fstat(fd, &status)) {
		int err = -errno;

		close(fd);
		return err;
	}
	soft_mover_files.pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	soft_guard_open(soft_mover_files.pagemap >= 0);
	soft_mover_files.data = fd;
	data_inode = status.st_ino;
	data_device = status.st_dev;
	*out = fd;
	return 0;
}

void soft_page_move_close(void)
{
	soft_guard_close();
	mapping_drop(arena, ARENA_SIZE);
	arena = NULL;
	descriptor_close(&soft_mover_files.pagemap);
	descriptor_close(&soft_mover_files.data);
}
