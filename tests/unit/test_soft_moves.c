// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Is memory moved under a running program without losing a store, whatever its kind and its neighbours? */
#define _GNU_SOURCE
#include "soft_moves_rig.h"

#include <dirent.h>
#include <linux/io_uring.h>
#include <malloc.h>
#include <sys/uio.h>

static void blocked_thread_stores(void)
{
	uint8_t *memory = pages(2);
	struct worker worker = {.word = (uint64_t *)(void *)memory, .blocks_signals = true};
	const bool can_return = now != HOLDS_NOTHING && holds_files();

	worker_start(&worker, count);
	worker_steps(&worker);
	for (int i = 0; i < (now == HOLDS_NOTHING ? 3 : ROUNDS); i++) {
		if (now == HOLDS_NOTHING) {
			expect_refusal(memory + 2048, PAGE, EBUSY);
		} else {
			struct ibv_mr *mr = registered(memory + 2048, PAGE);

			worker_steps(&worker);
			RIG_CHECK(page_sharing(memory) == 's');
			RIG_CHECK(ibv_dereg_mr(mr) == 0);
			RIG_CHECK(page_sharing(memory) == (can_return ? 'p' : 's'));
		}
		worker_steps(&worker);
	}
	worker_end(&worker);
	RIG_CHECK(*worker.word == worker.steps);
	munmap(memory, 2 * PAGE);
}

TEST(stores_of_a_thread_that_blocks_signals_are_kept)
{
	run_in_each(blocked_thread_stores);
}

static void *register_until_cancelled(void *argument)
{
	uint8_t *memory = argument;

	for (;;) {
		struct ibv_mr *mr = ibv_reg_mr(local.pd, memory, 3000, RIG_ACCESS);
		int before;

		pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
		if (mr)
			ibv_dereg_mr(mr);
		pthread_setcancelstate(before, &before);
		pthread_testcancel();
	}
	return NULL;
}

static void cancelled_registration(void)
{
	uint8_t *memory = pages(2);

	for (int i = 0; i < ROUNDS; i++) {
		pthread_t thread;

		RIG_CHECK(pthread_create(&thread, NULL, register_until_cancelled, memory) == 0);
		for (int spins = i * 7 % 40; spins; spins--)
			sched_yield();
		RIG_CHECK(pthread_cancel(thread) == 0);
		RIG_CHECK(pthread_join(thread, NULL) == 0);
		/* No lock is left behind. */
		RIG_CHECK(ibv_dereg_mr(registered(memory + PAGE, 100)) == 0);
	}
	munmap(memory, 2 * PAGE);
}

/* A thread that is cancelled before it registers: the first cancellation point must not be inside. */
static void *register_cancelled(void *argument)
{
	struct ibv_mr **mr = argument;
	static uint8_t memory[2 * PAGE];
	struct ibv_context *context;

	pthread_cancel(pthread_self());
	mr[0] = registered(memory, 100);
	RIG_CHECK(ibv_dereg_mr(mr[0]) == 0);
	context = rig_open_device();
	RIG_CHECK(ibv_close_device(context) == 0);
	mr[0] = NULL;
	mr[1] = registered(memory, 100);
	pthread_testcancel();
	return NULL;
}

static void cancelled_thread(void)
{
	struct ibv_mr *mr[2] = {NULL, NULL};
	pthread_t thread;
	void *result;

	cancelled_registration();
	RIG_CHECK(pthread_create(&thread, NULL, register_cancelled, mr) == 0);
	RIG_CHECK(pthread_join(thread, &result) == 0);
	RIG_CHECK(result == PTHREAD_CANCELED && mr[1]);
	RIG_CHECK(ibv_dereg_mr(mr[1]) == 0);
}

TEST(cancelled_thread_leaves_no_lock)
{
#if defined(RIG_HAS_ASAN) && defined(__clang__)
	/* A cancellation leaves frames without telling clang's AddressSanitizer, which objects to what comes there. */
	print_message("AddressSanitizer takes the frames that a cancellation unwinds for live ones\n");
	skip();
#endif
	run_in_each(cancelled_thread);
}

#define MANY 3000

static void register_many(uint8_t *memory, unsigned int stride, bool is_reverse)
{
	static struct ibv_mr *mrs[MANY];
	const unsigned int total = many(MANY);

	for (unsigned int i = 0; i < total; i++)
		mrs[i] = registered(memory + (size_t)i * stride * PAGE, PAGE);
	for (unsigned int i = 0; i < total; i++)
		RIG_CHECK(ibv_dereg_mr(mrs[is_reverse ? total - 1 - i : i]) == 0);
}

static int mapping_count(const uint8_t *memory)
{
	char sharing;

	return mappings_of(memory, 2 * MANY * PAGE, &sharing);
}

static void many_regions(void)
{
	uint8_t *memory = pages(2 * MANY);
	struct worker worker = {.word = (uint64_t *)(void *)pages(1)};

	for (unsigned int i = 0; i < 2 * MANY; i++)
		memory[(size_t)i * PAGE + 5] = (uint8_t)i;
	register_many(memory, 1, false);
	RIG_CHECK(mapping_count(memory) <= 3);
	register_many(memory, 1, true);
	RIG_CHECK(mapping_count(memory) <= 3);
	register_many(memory, 2, false); /* every second page: what is between them is one with them again */
	RIG_CHECK(mapping_count(memory) <= 3);
	worker_start(&worker, count);
	register_many(memory, 1, false);
	RIG_CHECK(mapping_count(memory) <= 8);
	register_many(memory, 1, true);
	RIG_CHECK(mapping_count(memory) <= 8);
	worker_end(&worker);
	for (unsigned int i = 0; i < 2 * MANY; i++)
		RIG_CHECK(memory[(size_t)i * PAGE + 5] == (uint8_t)i);
	munmap(memory, 2 * MANY * PAGE);
}

TEST(returned_pages_become_one_mapping)
{
	run_in_each(many_regions);
}

/* Untouched pages, read-only ones, more than is moved at once. */
static void large_and_sparse(void)
{
	const size_t count = 3000;
	uint8_t *memory = pages(count);
	struct ibv_mr *mr;

	for (size_t i = 0; i < count; i += 7)
		memory[i * PAGE + 17] = (uint8_t)(i | 1);
	mr = registered(memory + 10, count * PAGE - 20);
	for (size_t i = 0; i < count; i++)
		RIG_CHECK(memory[i * PAGE + 17] == (i % 7 ? 0 : (uint8_t)(i | 1)));
	RIG_CHECK(page_sharing(memory + count / 2 * PAGE) == 's');
	RIG_CHECK(ibv_dereg_mr(mr) == 0);
	for (size_t i = 0; i < count; i++)
		RIG_CHECK(memory[i * PAGE + 17] == (i % 7 ? 0 : (uint8_t)(i | 1)));
	mprotect(memory, count * PAGE, PROT_READ);
	mr = ibv_reg_mr(local.pd, memory + 10, count * PAGE - 20, IBV_ACCESS_REMOTE_READ);
	RIG_CHECK(mr);
	RIG_CHECK(memory[7 * PAGE + 17] == 7);
	RIG_CHECK(ibv_dereg_mr(mr) == 0);
	RIG_CHECK(memory[7 * PAGE + 17] == 7);
	munmap(memory, count * PAGE);
}

static void locked_memory(void)
{
	uint8_t *memory = pages(4);
	struct worker worker = {.word = (uint64_t *)(void *)memory};

	if (mlock(memory, 4 * PAGE))
		return;
	worker_start(&worker, count);
	for (int i = 0; i < ROUNDS; i++) {
		RIG_CHECK(ibv_dereg_mr(registered(memory + 2048, 2 * PAGE)) == 0);
		worker_steps(&worker);
	}
	worker_end(&worker);
	RIG_CHECK(*worker.word == worker.steps);
	munmap(memory, 4 * PAGE);
}

/* Of several chunks, which are all taken to the same place. */
static void all_memory_locked(void)
{
	const size_t size = 12u << 20;
	uint8_t *memory = pages(size / PAGE);

	if (mlockall(MCL_CURRENT | MCL_ONFAULT))
		return;
	memset(memory, 7, size);
	RIG_CHECK(ibv_dereg_mr(registered(memory + 100, size - 200)) == 0);
	for (size_t i = 0; i < size; i++)
		RIG_CHECK(memory[i] == 7);
	munmap(memory, size);
}

/* Huge pages of the kernel's own choice are split at the edges. */
static void transparent_huge_pages(void)
{
	const size_t size = 8u << 20;
	uint8_t *memory = pages(size / PAGE);
	struct ibv_mr *mr;

	madvise(memory, size, MADV_HUGEPAGE);
	for (size_t i = 0; i < size; i++)
		memory[i] = (uint8_t)(i / PAGE);
	mr = registered(memory + 5 * PAGE + 50, size - 11 * PAGE);
	for (size_t i = 0; i < size; i++)
		RIG_CHECK(memory[i] == (uint8_t)(i / PAGE));
	RIG_CHECK(ibv_dereg_mr(mr) == 0);
	for (size_t i = 0; i < size; i++)
		RIG_CHECK(memory[i] == (uint8_t)(i / PAGE));
	munmap(memory, size);
}

TEST(all_kinds_of_pages)
{
	run_in_each(large_and_sparse);
	run_in_each(locked_memory);
	run_in_each(all_memory_locked);
	run_in_each(transparent_huge_pages);
}

#if defined(__x86_64__)
#define POLL_CALL "7" /* in /proc/self/task/N/syscall */
#else
#define POLL_CALL "" /* other processors have poll() by another call */
#endif

static bool is_of_heap(uint64_t addr)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	unsigned long start, end;
	bool found = false;
	char line[512];

	RIG_CHECK(maps);
	while (!found && fgets(line, sizeof(line), maps))
		found = strstr(line, "[heap]") && sscanf(line, "%lx-%lx", &start, &end) == 2 && addr >= start &&
			addr < end;
	fclose(maps);
	return found;
}

/* Where the device's own thread has what it sleeps on; it has no other. */
static uint64_t polled_by_service(void)
{
	unsigned long addr = 0;
	DIR *tasks = opendir("/proc/self/task");
	const struct dirent *task;
	char path[64];
	int end = 0;

	RIG_CHECK(tasks);
	while ((task = readdir(tasks))) {
		FILE *call = NULL;

		if (task->d_name[0] != '.' && atoi(task->d_name) != getpid()) {
			snprintf(path, sizeof(path), "/proc/self/task/%.16s/syscall", task->d_name);
			call = fopen(path, "re");
		}
		/* "running" until it sleeps; before poll() of its two descriptors it may wait for a lock. */
		if (call)
			(void)!fscanf(call, POLL_CALL " 0x%lx 0x2 0xffffffff%n", &addr, &end);
		if (call)
			fclose(call);
	}
	closedir(tasks);
	return end ? addr : 0;
}

static void thread_that_rests(void)
{
	uint64_t addr;

	while (!(addr = polled_by_service()))
		usleep(1000);
	RIG_CHECK(!is_of_heap(addr));
}

/* The kernel reads what a thread polls when that one already counts as one that touches nothing. */
TEST(what_the_service_thread_sleeps_on_never_moves)
{
	if (!*POLL_CALL)
		skip();
#ifdef M_ARENA_MAX
	mallopt(M_ARENA_MAX, 1); /* no other thread has a heap of its own */
#endif
	run_in(HOLDS_NOTHING, thread_that_rests);
}

static int ring_open(void)
{
	struct io_uring_params parameters = {0};

	return (int)syscall(SYS_io_uring_setup, 4, &parameters);
}

static void pinned_pages(void)
{
	uint8_t *memory = pages(4);
	struct iovec buffer = {memory + PAGE, 2 * PAGE};
	int ring = ring_open();

	memset(memory, 1, 4 * PAGE);
	RIG_CHECK(ring >= 0 && syscall(SYS_io_uring_register, ring, IORING_REGISTER_BUFFERS, &buffer, 1) == 0);
	expect_refusal(memory + 100, 3 * PAGE, EBUSY);
	RIG_CHECK(page_sharing(memory) == 'p' && page_sharing(memory + PAGE) == 'p');
	for (unsigned int i = 0; i < 4 * PAGE; i++)
		RIG_CHECK(memory[i] == 1);
	RIG_CHECK(syscall(SYS_io_uring_register, ring, IORING_UNREGISTER_BUFFERS, NULL, 0) == 0);
	close(ring);
	RIG_CHECK(ibv_dereg_mr(registered(memory + 100, 3 * PAGE)) == 0);
	munmap(memory, 4 * PAGE);
}

/* The kernel would go on to read into the old pages. */
TEST(pages_that_io_uring_holds_are_refused)
{
	int ring = ring_open();

	if (ring < 0 || !kernel_has(1ull << 16)) /* UFFDIO_MOVE */
		skip();
	close(ring);
	run_in(HOLDS_ALL, pinned_pages);
	run_in(HOLDS_USER_SPACE, pinned_pages);
}

TEST_MAIN(rig_directory_make, rig_directory_remove)
