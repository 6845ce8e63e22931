// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Are stores kept when a program forks that has registered memory, and does its child have pages of its own? */
#define _GNU_SOURCE
#include "soft_moves_rig.h"

/* A store that is lost, or comes twice, is seen in all that follow. */
static void *flip(void *argument)
{
	struct worker *worker = argument;

	while (!__atomic_load_n(&worker->stop, __ATOMIC_RELAXED)) {
		*worker->word ^= 1;
		__atomic_add_fetch(&worker->steps, 1, __ATOMIC_RELAXED);
	}
	return NULL;
}

static void fork_beside_a_stack(void)
{
	struct worker worker = {.stop = false};

	worker_start(&worker, register_and_work);
	while (!__atomic_load_n(&worker.mr, __ATOMIC_ACQUIRE))
		sched_yield();
	for (unsigned int i = many(MANY_ROUNDS) / 5; i; i--) {
		pid_t child = fork();
		int status;

		if (child == 0)
			_exit(0);
		RIG_CHECK(waitpid(child, &status, 0) == child && status == 0);
	}
	worker_steps(&worker);
	worker_end(&worker);
	RIG_CHECK(!worker.is_broken);
	RIG_CHECK(ibv_dereg_mr(worker.mr) == 0);
}

TEST(fork_while_another_thread_has_a_buffer_on_its_stack)
{
	run_in_each(fork_beside_a_stack);
}

/* `gap` bytes of frame lie between the buffer and what is in use. */
static void __attribute__((noinline)) fork_with_buffer(unsigned int gap, unsigned int size, bool has_mr_inside)
{
	volatile uint8_t *above = __builtin_alloca(16);
	uint8_t *buffer = __builtin_alloca(size);
	volatile uint8_t *below = __builtin_alloca(gap + 16);
	struct ibv_mr *mr;
	int status;
	pid_t child;

	above[0] = 1;
	below[0] = 2;
	memset(buffer, 3, size);
	mr = registered(buffer, has_mr_inside ? size : 16);
	child = fork();
	if (child == 0) {
		alarm(TIME_LIMIT);
		/* It lives, on its own pages: what it stores is not seen by the parent. */
		above[0] = 11;
		below[0] = 12;
		if (!has_mr_inside)
			memset(buffer, 13, size);
		RIG_CHECK(page_sharing((void *)(uintptr_t)below) == 'p');
		RIG_CHECK(dig(30, 4) == 34);
		_exit(above[0] == 11 && below[0] == 12 ? 0 : 1);
	}
	RIG_CHECK(child > 0);
	RIG_CHECK(dig(30, 5) == 35);
	RIG_CHECK(waitpid(child, &status, 0) == child);
	RIG_CHECK(status == 0);
	RIG_CHECK(above[0] == 1 && below[0] == 2);
	for (unsigned int i = 0; i < size; i++)
		RIG_CHECK(buffer[i] == 3);
	RIG_CHECK(page_sharing(buffer) == 's'); /* registered as before */
	RIG_CHECK(ibv_dereg_mr(mr) == 0);
	RIG_CHECK(page_sharing(buffer) == 'p');
}

static void *fork_layouts(void *argument)
{
	for (unsigned int gap = 0; gap <= 2 * PAGE; gap += 800) {
		fork_with_buffer(gap, 16, false);
		fork_with_buffer(gap, 1000, true);
		fork_with_buffer(gap, 3 * PAGE, true);
	}
	return NULL;
}

static void fork_on_stacks(void)
{
	pthread_t thread;

	fork_layouts(NULL);
	RIG_CHECK(pthread_create(&thread, NULL, fork_layouts, NULL) == 0);
	pthread_join(thread, NULL);
}

TEST(fork_with_a_buffer_in_the_stack_page_in_use)
{
	run_in_each(fork_on_stacks);
}

/* A thread stores beside a buffer while others fork: nothing is lost, nor seen by children. */
static void fork_while_storing(void)
{
	uint8_t *memory = pages(2);
	struct worker worker = {.word = (uint64_t *)(void *)memory};
	struct ibv_mr *mr = registered(memory + 2048, PAGE);

	worker_start(&worker, flip);
	for (int i = 0; i < ROUNDS; i++) {
		pid_t child = fork();
		int status;

		if (child == 0) {
			memset(memory, 0xff, 2 * PAGE);
			_exit(0);
		}
		worker_steps(&worker);
		RIG_CHECK(waitpid(child, &status, 0) == child && status == 0);
	}
	worker_end(&worker);
	RIG_CHECK(*worker.word == worker.steps % 2);
	RIG_CHECK(memory[2048] == 0);
	RIG_CHECK(ibv_dereg_mr(mr) == 0);
	RIG_CHECK(*worker.word == worker.steps % 2);
	munmap(memory, 2 * PAGE);
}

TEST(fork_loses_no_store_beside_a_buffer)
{
	run_in_each(fork_while_storing);
}

/* What a peer writes while the page is the program's alone stays, too: here one is the device itself, by its file. */
static void fork_from_threads(void)
{
	/* Many forks from two threads, with queues and peers' locks in use by neither: the child can open devices. */
	for (int i = 0; i < 10; i++) {
		pid_t child = fork();
		int status;

		if (child == 0) {
			struct ibv_context *context = rig_open_device();

			RIG_CHECK(ibv_close_device(context) == 0);
			_exit(0);
		}
		RIG_CHECK(waitpid(child, &status, 0) == child && status == 0);
	}
}

static void *open_and_close(void *argument)
{
	struct worker *worker = argument;

	while (!__atomic_load_n(&worker->stop, __ATOMIC_RELAXED)) {
		uint8_t *memory = pages(1);
		struct ibv_mr *mr = registered(memory, PAGE);

		RIG_CHECK(ibv_dereg_mr(mr) == 0);
		munmap(memory, PAGE);
		worker->steps++;
	}
	return NULL;
}

static void fork_while_registering(void)
{
	struct worker worker = {.stop = false};

	worker_start(&worker, open_and_close);
	fork_from_threads();
	worker_end(&worker);
}

TEST(child_of_a_busy_parent_opens_devices)
{
	run_in_each(fork_while_registering);
}

/* Pages that a living child shares are not yet ours alone. */
static void pages_of_a_child(void)
{
	uint8_t *memory = pages(8);
	struct ibv_mr *mr;
	int pair[2], status;
	char byte;
	pid_t child;

	memset(memory, 21, 8 * PAGE);
	RIG_CHECK(pipe(pair) == 0);
	child = fork();
	if (child == 0) {
		RIG_CHECK(read(pair[0], &byte, 1) == 1);
		for (unsigned int i = 0; i < 8 * PAGE; i++)
			RIG_CHECK(memory[i] == 21);
		_exit(0);
	}
	mr = registered(memory + 100, 6 * PAGE);
	memset(memory, 22, 8 * PAGE);
	RIG_CHECK(write(pair[1], "x", 1) == 1);
	RIG_CHECK(waitpid(child, &status, 0) == child && status == 0);
	RIG_CHECK(ibv_dereg_mr(mr) == 0);
	for (unsigned int i = 0; i < 8 * PAGE; i++)
		RIG_CHECK(memory[i] == 22);
	close(pair[0]);
	close(pair[1]);
	munmap(memory, 8 * PAGE);
}

TEST(pages_shared_with_a_child_move)
{
	run_in_each(pages_of_a_child);
}

TEST_MAIN(rig_directory_make, rig_directory_remove)
