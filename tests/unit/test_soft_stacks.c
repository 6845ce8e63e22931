// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Does memory on a stack move, of the thread that registers it or of another, without losing a store? */
#define _GNU_SOURCE
#include "soft_moves_rig.h"

static void *work_on_stack(void *argument)
{
	struct worker *worker = argument;
	volatile uint8_t buffer[64];
	struct timespec waited;

	memset((void *)(uintptr_t)buffer, 7, sizeof(buffer));
	worker->buffer = (uint8_t *)(uintptr_t)buffer;
	__atomic_store_n(&worker->is_ready, true, __ATOMIC_RELEASE);
	while (!__atomic_load_n(&worker->stop, __ATOMIC_RELAXED)) {
		uint64_t step = __atomic_add_fetch(&worker->steps, 1, __ATOMIC_RELAXED);

		if (dig((unsigned int)(step % 40), step) != step + step % 40)
			worker->is_broken = true;
		/* A system call that writes there. */
		if (step % 16 == 0 && syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &waited))
			worker->is_broken = true;
	}
	for (unsigned int i = 0; i < sizeof(buffer); i++)
		worker->is_broken |= buffer[i] != 7;
	return NULL;
}

static void other_stack(void)
{
	struct worker worker = {.stop = false};
	const bool can_return = holds_files();

	worker_start(&worker, work_on_stack);
	while (!__atomic_load_n(&worker.is_ready, __ATOMIC_ACQUIRE))
		sched_yield();
	for (int i = 0; i < ROUNDS; i++) {
		if (now == HOLDS_ALL && can_return) {
			struct ibv_mr *mr = registered(worker.buffer, 64);

			worker_steps(&worker);
			RIG_CHECK(page_sharing(worker.buffer) == 's');
			RIG_CHECK(ibv_dereg_mr(mr) == 0);
		} else {
			expect_refusal(worker.buffer, 64, EOPNOTSUPP);
		}
		worker_steps(&worker);
	}
	worker_end(&worker);
	RIG_CHECK(!worker.is_broken);
}

TEST(buffer_on_the_stack_of_a_running_thread)
{
	run_in_each(other_stack);
}

/* /proc goes on showing the namespace that it was mounted for, in which the threads have other numbers. */
TEST(threads_have_other_numbers_in_proc)
{
	int status;
	pid_t child = fork(), grandchild;

	assert_true(child >= 0);
	if (child == 0) {
		if (unshare(CLONE_NEWPID))
			_exit(0); /* no right to */
		grandchild = fork();
		if (grandchild == 0) {
			setenv("CMOCKA_TEST_ABORT", "1", 1);
			run_in_each(other_stack);
			_exit(0);
		}
		_exit(waitpid(grandchild, &status, 0) != grandchild || status);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

/* One mapping to the kernel: a thread's stack, and above it memory that has nothing to do with it. */
static void above_other_stack(void)
{
	const size_t stack_pages = 64, apart = 20;
	struct worker worker = {.stop = false};
	uint8_t *memory = pages(stack_pages + apart + 4);
	uint8_t *buffer = memory + (stack_pages + apart) * PAGE + 100;
	pthread_attr_t attributes;

	RIG_CHECK(pthread_attr_init(&attributes) == 0);
	RIG_CHECK(pthread_attr_setstack(&attributes, memory, stack_pages * PAGE) == 0);
	RIG_CHECK(pthread_create(&worker.thread, &attributes, work_on_stack, &worker) == 0);
	pthread_attr_destroy(&attributes);
	while (!__atomic_load_n(&worker.is_ready, __ATOMIC_ACQUIRE))
		sched_yield();
	for (int i = 0; i < ROUNDS; i++) {
		struct ibv_mr *mr = registered(buffer, 2 * PAGE);

		RIG_CHECK(page_sharing(worker.buffer) == 'p' && page_sharing(buffer) == 's');
		RIG_CHECK(ibv_dereg_mr(mr) == 0);
		worker_steps(&worker);
		if (now != HOLDS_ALL)
			expect_refusal(worker.buffer, 64, EOPNOTSUPP);
	}
	worker_end(&worker);
	RIG_CHECK(!worker.is_broken);
	munmap(memory, (stack_pages + apart + 4) * PAGE);
}

TEST(memory_above_the_stack_of_a_running_thread)
{
	run_in_each(above_other_stack);
}

/* The thread that registers owns the stack and its control block; another stores there. */
static void *register_own_stack(void *argument)
{
	struct worker counter = {.stop = false};
	volatile uint64_t word = 0;
	uint8_t buffer[100];

	counter.word = &word;
	memset(buffer, 9, sizeof(buffer));
	worker_start(&counter, count);
	for (int i = 0; i < ROUNDS; i++) {
		struct ibv_mr *mr = registered(buffer, sizeof(buffer));

		RIG_CHECK(page_sharing(buffer) == 's');
		worker_steps(&counter);
		RIG_CHECK(ibv_dereg_mr(mr) == 0);
		worker_steps(&counter);
	}
	worker_end(&counter);
	RIG_CHECK(word == counter.steps);
	for (unsigned int i = 0; i < sizeof(buffer); i++)
		RIG_CHECK(buffer[i] == 9);
	return NULL;
}

static void own_stack(void)
{
	pthread_t thread;

	register_own_stack(NULL); /* of the main thread */
	RIG_CHECK(pthread_create(&thread, NULL, register_own_stack, NULL) == 0);
	pthread_join(thread, NULL);
}

TEST(buffer_on_the_own_stack_with_threads)
{
	run_in_each(own_stack);
}

/* Where the thread can't be held its pages stay as they are. */
static void other_deregisters(void)
{
	struct worker worker = {.stop = false};
	struct ibv_mr *mr;

	worker_start(&worker, register_and_work);
	for (unsigned int left = many(MANY_ROUNDS); left; left--) {
		while (!(mr = __atomic_load_n(&worker.mr, __ATOMIC_ACQUIRE)))
			sched_yield();
		worker_steps(&worker);
		RIG_CHECK(ibv_dereg_mr(mr) == 0);
		if (left > 1)
			__atomic_store_n(&worker.mr, NULL, __ATOMIC_RELEASE);
	}
	worker_end(&worker);
	RIG_CHECK(!worker.is_broken);
}

TEST(buffer_on_a_stack_is_deregistered_by_another_thread)
{
	run_in_each(other_deregisters);
}

static __thread uint8_t thread_local_buffer[200];

static void thread_local_memory(void)
{
	for (int i = 0; i < ROUNDS; i++) {
		struct ibv_mr *mr;

		memset(thread_local_buffer, i, sizeof(thread_local_buffer));
		mr = registered(thread_local_buffer, sizeof(thread_local_buffer));
		RIG_CHECK(page_sharing(thread_local_buffer) == 's');
		errno = i;
		RIG_CHECK(ibv_dereg_mr(mr) == 0);
		RIG_CHECK(thread_local_buffer[0] == (uint8_t)i && thread_local_buffer[199] == (uint8_t)i);
	}
}

TEST(thread_local_memory_moves)
{
	run_in_each(thread_local_memory);
}

/* The lowest mapped page of the stack moves, and the stack grows below it all the same. */
static void stack_grows(void)
{
	uint8_t *lowest = (uint8_t *)((uintptr_t)__builtin_frame_address(0) & ~(uintptr_t)(PAGE - 1));
	struct ibv_mr *mr;

	while (page_sharing(lowest - PAGE))
		lowest -= PAGE;
	mr = registered(lowest, PAGE);
	RIG_CHECK(dig(8000, 5) == 8005);
	RIG_CHECK(ibv_dereg_mr(mr) == 0);
	RIG_CHECK(dig(8000, 6) == 8006);
}

TEST(stack_grows_below_a_buffer)
{
	run_in_each(stack_grows);
}

TEST_MAIN(rig_directory_make, rig_directory_remove)
