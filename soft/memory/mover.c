// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Moves pages between the program's memory and the data file.
 *
 * The mover only writes to its stack frames and the static data of this file. If its own stack or thread control block
 * is among the pages, a thread with another stack moves them, while this one is in the kernel.
 */
#include "config.h"

#include "memory/pages.h"

#include <signal.h>

#include "host/valgrind.h"
#include "memory/raw.h"

#define ZEROES_SIZE (64u << 10)
#define PRESENT	    (1ull << 63 | 1ull << 62) /* bits of an entry in /proc/self/pagemap: in memory, swapped */

#ifndef MREMAP_DONTUNMAP
#define MREMAP_DONTUNMAP 4
#endif

struct mover_files soft_mover_files = {-1, -1};

struct move soft_move;

/*
 * Between memory and the data file, by SYS_pread64 or SYS_pwrite64. Raw system calls: sanitizers would report reads of
 * whole pages of the heap or a stack.
 */
RAW_CODE static int file_transfer(long call, uint64_t memory, uint64_t file, uint64_t length)
{
	while (length) {
		long done = raw_call(call, (unsigned long)soft_mover_files.data, (unsigned long)memory,
				     (unsigned long)length, (unsigned long)file, 0, 0);

		if (done == -EINTR)
			continue;
		if (done <= 0)
			return done ? (int)done : -EIO;
		memory += (uint64_t)done;
		file += (uint64_t)done;
		length -= (uint64_t)done;
	}
	return 0;
}

/* Finds which pages of [start, start + length), at most a chunk, are present. */
RAW_CODE static bool presence_read(uint64_t start, uint64_t length, uint64_t *presence)
{
	uint64_t bytes = length / PAGE * sizeof(*presence);

	return RAW4(pread64, soft_mover_files.pagemap, presence, bytes, start / PAGE * sizeof(*presence)) ==
	       (long)bytes;
}

/* The end of the run of pages from i on that are all present, or all not. */
RAW_CODE static uint64_t run_end(const uint64_t *presence, uint64_t i, uint64_t count)
{
	uint64_t until = i + 1;

	while (until < count && !(presence[until] & PRESENT) == !(presence[i] & PRESENT))
		until++;
	return until;
}

/* Pages that were never touched must not be read: the guard would block the reading thread. They are holes. */
RAW_CODE static int present_write(uint64_t from, uint64_t file, uint64_t length)
{
	static uint64_t presence[CHUNK_PAGES];
	uint64_t count = length / PAGE;
	int err = presence_read(from, length, presence) ? 0 : -EIO;

	for (uint64_t i = 0, until; !err && i < count; i = until) {
		until = run_end(presence, i, count);
		if (presence[i] & PRESENT)
			err = file_transfer(SYS_pwrite64, from + i * PAGE, file + i * PAGE, (until - i) * PAGE);
	}
	return err;
}

int soft_mover_fill(uint64_t start, uint64_t length)
{
	static const uint8_t zeroes[ZEROES_SIZE] __attribute__((aligned(PAGE)));
	static uint64_t presence[CHUNK_PAGES];
	uint64_t count = length / PAGE;
	int err = presence_read(start, length, presence) ? 0 : -EIO;

	for (uint64_t i = 0, until; !err && i < count; i = until) {
		until = run_end(presence, i, count);
		if (until - i > ZEROES_SIZE / PAGE)
			until = i + ZEROES_SIZE / PAGE;
		if (!(presence[i] & PRESENT))
			err = file_transfer(SYS_pwrite64, (uint64_t)(uintptr_t)zeroes, start + i * PAGE,
					    (until - i) * PAGE);
	}
	return err;
}

RAW_CODE static int page_file_map(uint64_t start, uint64_t length, int protection, uint64_t file)
{
	long mapped = RAW6(mmap, start, length, protection, MAP_SHARED | MAP_FIXED | MAP_NORESERVE,
			   soft_mover_files.data, file);

	return raw_failed(mapped) ? (int)mapped : 0;
}

RAW_CODE int soft_mover_share(struct move *move)
{
	const struct guard *guard = &move->guard;
	uint64_t from = soft_guard_place(guard), length = guard->end - guard->start;
	int err = soft_guard_begin(guard);

	if (err)
		return err;
	err = move->skips ? present_write(from, guard->start, length)
			  : file_transfer(SYS_pwrite64, from, guard->start, length);
	err = err ?: page_file_map(guard->start, length, guard->protection, guard->start);
	soft_guard_end(guard, !err);
	return err;
}

/* No other thread can access them: so they become part of the surrounding mapping again. */
RAW_CODE static int return_in_place(struct move *move)
{
	const struct guard *guard = &move->guard;
	uint64_t length = guard->end - guard->start;
	long mapped = RAW6(mmap, guard->start, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
			   -1, 0);
	int err = raw_failed(mapped) ? (int)mapped : file_transfer(SYS_pread64, guard->start, move->file, length);

	if (err) {
		page_file_map(guard->start, length, guard->protection, move->file);
		return err;
	}
	if (guard->protection != (PROT_READ | PROT_WRITE))
		RAW3(mprotect, guard->start, length, guard->protection);
	return 0;
}

RAW_CODE int soft_mover_return(struct move *move)
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
	err = file_transfer(SYS_pread64, move->fresh, move->file, length);
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

RAW_CODE int soft_mover_share_huge(struct move *move)
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

/*
 * The kernel creates the private page at a store, which must not be the program's: we would not know what was copied.
 */
RAW_CODE int soft_mover_detach(struct move *move)
{
	/*
	 * Volatile: clang would turn an atomic operation that changes no bits into a load. Only a store copies the
	 * page.
	 */
	static const volatile uint64_t no_bits = 0;
	const struct guard *guard = &move->guard;
	const volatile uint64_t *copy = (const volatile uint64_t *)move_at(move->fresh);
	volatile uint64_t *before = (volatile uint64_t *)(void *)move->before;
	long moved;
	int err = soft_guard_begin(guard);

	if (err)
		return err;
	if (guard->protection & PROT_WRITE)
		__atomic_fetch_or((uint64_t *)move_at(move->fresh), no_bits, __ATOMIC_RELAXED);
	for (uint64_t i = 0; guard->protection && i < PAGE / sizeof(*copy); i++)
		before[i] = copy[i];
	moved = RAW5(mremap, move->fresh, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, guard->start);
	err = raw_failed(moved) ? (int)moved : 0;
	soft_guard_end(guard, !err);
	return err;
}

/*
 * Merges the program's changes into the file byte by byte, so that nothing that peers wrote there since is lost. The
 * program changed a byte if it differs from the copy made when the page became private.
 */
RAW_CODE int soft_mover_attach(struct move *move)
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
			err = file_transfer(SYS_pwrite64, guard->start + i, guard->start + i, until - i);
	}
	err = err ?: page_file_map(guard->start, PAGE, guard->protection, guard->start);
	soft_guard_end(guard, !err);
	return err;
}

static int current_run(void *argument)
{
	(void)argument;
	valgrind_ignore();
	soft_move.result = soft_move.run(&soft_move);
	valgrind_listen();
	return 0;
}

/* A signal handler of the program would run on the mover's thread, and perhaps write where writing is forbidden. */
int soft_mover_run(bool is_own)
{
	sigset_t blocked, before;
	int err = 0;

	if (is_own && !RAW_KEEPS_ERRNO)
		return -EOPNOTSUPP;
	sigfillset(&blocked);
	if (soft_move.guard.kind == GUARD_SIGNAL) {
		sigdelset(&blocked, SIGSEGV);
		sigdelset(&blocked, SIGBUS);
	}
	pthread_sigmask(SIG_SETMASK, &blocked, &before);
	if (is_own)
		err = soft_tasks_run_apart(current_run, NULL);
	else
		current_run(NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return err ? err : soft_move.result;
}
