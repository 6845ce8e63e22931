// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Is memory moved under a running program without losing a store, whatever its threads do: if the kernel lets us block
 * them (userfaultfd), if it only handles user space's faults, and if a sandbox forbids all of that? What cannot be done
 * safely must be refused.
 */
#define _GNU_SOURCE
#include "soft_rig.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/io_uring.h>
#include <linux/seccomp.h>
#include <malloc.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#define PAGE	    4096u
#define ROUNDS	    20
#define MANY_ROUNDS 300 /* of what goes wrong in a moment of microseconds */
#if defined(__x86_64__)
#define POLL_CALL "7" /* in /proc/self/task/N/syscall */
#else
#define POLL_CALL "" /* other processors have poll() by another call */
#endif
#define TIME_LIMIT 120 /* s, of a child: it hangs, then */

enum regime { HOLDS_ALL, HOLDS_USER_SPACE, HOLDS_NOTHING };

#define CALL_IS(number)                                                                                                \
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),                                         \
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 3)
#define REFUSE BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM)
#define ALLOW  BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define LOW_WORD(index)                                                                                                \
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS,                                                                             \
		 offsetof(struct seccomp_data, args) + (index)*8 + (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 4 : 0))

/* Forbids userfaultfd(2), unless it is for user space's faults where that is what `regime` leaves; and its device. */
static void sandbox(enum regime regime)
{
	struct sock_filter filter[] = {
		CALL_IS(SYS_userfaultfd),
		LOW_WORD(0),
		BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, regime == HOLDS_USER_SPACE ? 1 : 0, 1, 0),
		REFUSE,
		CALL_IS(SYS_ioctl),
		LOW_WORD(1),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0xaa00 /* USERFAULTFD_IOC_NEW */, 0, 1),
		REFUSE,
		ALLOW,
	};
	struct sock_fprog program = {.len = sizeof(filter) / sizeof(*filter), .filter = filter};

	if (regime == HOLDS_ALL)
		return;
	RIG_CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
	RIG_CHECK(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0);
}

/* May this user hold the kernel's faults at all, and does this kernel know how? */
static bool has_regime(enum regime regime)
{
	int flags = regime == HOLDS_USER_SPACE ? 1 : 0;
	int device = open("/dev/userfaultfd", O_RDWR | O_CLOEXEC);
	int fd = regime == HOLDS_NOTHING ? 0 : (int)syscall(SYS_userfaultfd, O_CLOEXEC | flags);

	if (device >= 0)
		close(device);
	if (fd > 0)
		close(fd);
	return fd >= 0 || (regime == HOLDS_ALL && device >= 0);
}

static bool kernel_has(uint64_t feature)
{
	int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC | 1);
	struct {
		uint64_t api, features, ioctls;
	} api = {.api = 0xaa, .features = feature};
	bool has = fd >= 0 && syscall(SYS_ioctl, fd, 0xc018aa3f /* UFFDIO_API */, &api) == 0;

	if (fd >= 0)
		close(fd);
	return has;
}

/* UFFDIO_MOVE, which tells of pages that the kernel holds, came with Linux 6.8. */
static bool can_take(void)
{
	return kernel_has(1ull << 16);
}

static enum regime now;

/* Does a registration notice that the kernel holds pages of the heap? */
static bool sees_input(void)
{
	return can_take() && now != HOLDS_NOTHING;
}

/* Pages of a file are held from Linux 5.19 on: before that they come back by the means of a sandbox. */
static bool holds_files(void)
{
	return kernel_has(1ull << 12);
}

struct local {
	struct ibv_context *context;
	struct ibv_pd *pd;
};

static struct local local;

static void run_in(enum regime regime, void (*body)(void))
{
	int status;
	pid_t child;

	if (!has_regime(regime))
		return;
	child = fork();
	if (child == 0) {
		alarm(TIME_LIMIT);
		signal(SIGSEGV, SIG_DFL); /* cmocka's handler would print, and hang if that is what is broken */
		signal(SIGABRT, SIG_DFL);
		now = regime;
		sandbox(regime);
		local.context = rig_open_device();
		local.pd = ibv_alloc_pd(local.context);
		RIG_CHECK(local.pd);
		body();
		RIG_CHECK(ibv_dealloc_pd(local.pd) == 0);
		RIG_CHECK(ibv_close_device(local.context) == 0);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

static void run_in_each(void (*body)(void))
{
	run_in(HOLDS_ALL, body);
	run_in(HOLDS_USER_SPACE, body);
	run_in(HOLDS_NOTHING, body);
}

static struct ibv_mr *registered(void *memory, size_t length)
{
	struct ibv_mr *mr = ibv_reg_mr(local.pd, memory, length, RIG_ACCESS);

	RIG_CHECK(mr);
	return mr;
}

static void expect_refusal(void *memory, size_t length, int reason)
{
	RIG_CHECK(!ibv_reg_mr(local.pd, memory, length, RIG_ACCESS));
	RIG_CHECK(errno == reason);
}

static uint8_t *pages(size_t count)
{
	uint8_t *start = mmap(NULL, count * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	RIG_CHECK(start != MAP_FAILED);
	return start;
}

/* What /proc/self/maps says of the mappings in [addr, addr + length): how many, and of the last 's' shared, 'p'
 * private. */
static int mappings_of(const void *addr, size_t length, char *sharing)
{
	FILE *file = fopen("/proc/self/maps", "r");
	char line[512];
	int count = 0;

	RIG_CHECK(file);
	*sharing = 0;
	while (fgets(line, sizeof(line), file)) {
		unsigned long start, end;
		char permissions[5];

		if (sscanf(line, "%lx-%lx %4s", &start, &end, permissions) == 3 && (uintptr_t)addr < end &&
		    (uintptr_t)addr + length > start) {
			*sharing = permissions[3];
			count++;
		}
	}
	fclose(file);
	return count;
}

static char page_sharing(const void *addr)
{
	char sharing;

	mappings_of(addr, 1, &sharing);
	return sharing;
}

/* Before Linux 6.11 each registration reads the list of all mappings: fewer do, there, for the same. */
static unsigned int many(unsigned int count)
{
	uint64_t query[13] = {sizeof(query), 0, (uint64_t)(uintptr_t)&query};
	int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	bool has_query = fd >= 0 && ioctl(fd, _IOC(_IOC_READ | _IOC_WRITE, 'f', 17, sizeof(query)), query) == 0;

	if (fd >= 0)
		close(fd);
	return has_query ? count : count / 10;
}

/* --- threads that store --- */

struct worker {
	pthread_t thread;
	volatile uint64_t *word;
	bool blocks_signals;
	bool stop;
	bool is_ready;
	uint64_t steps;
	uint8_t *buffer; /* on its stack */
	struct ibv_mr *mr;
	bool is_broken;
};

static void *count(void *argument)
{
	struct worker *worker = argument;
	sigset_t all;

	sigfillset(&all);
	if (worker->blocks_signals)
		pthread_sigmask(SIG_SETMASK, &all, NULL);
	while (!__atomic_load_n(&worker->stop, __ATOMIC_RELAXED)) {
		++*worker->word;
		__atomic_add_fetch(&worker->steps, 1, __ATOMIC_RELAXED);
	}
	return NULL;
}

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

static void worker_start(struct worker *worker, void *(*run)(void *))
{
	RIG_CHECK(pthread_create(&worker->thread, NULL, run, worker) == 0);
	/* The C library starts it with all signals blocked. */
	while (!__atomic_load_n(&worker->steps, __ATOMIC_RELAXED))
		sched_yield();
}

static void worker_end(struct worker *worker)
{
	__atomic_store_n(&worker->stop, true, __ATOMIC_RELAXED);
	pthread_join(worker->thread, NULL);
}

/* Until it has counted on: it must not stand for good. */
static void worker_steps(const struct worker *worker)
{
	uint64_t before = __atomic_load_n(&worker->steps, __ATOMIC_RELAXED);

	while (__atomic_load_n(&worker->steps, __ATOMIC_RELAXED) == before)
		sched_yield();
}

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

static void stores_of_a_thread_that_blocks_signals_are_kept(void **state)
{
	(void)state;
	run_in_each(blocked_thread_stores);
}

/* Writes all over its stack, above and below a buffer in it. */
static uint64_t __attribute__((noinline)) dig(unsigned int depth, uint64_t value)
{
	volatile uint64_t here[32];

	for (unsigned int i = 0; i < 32; i++)
		here[i] = value + i;
	if (depth && dig(depth - 1, value + 1) != value + depth)
		return 0;
	for (unsigned int i = 0; i < 32; i++) {
		if (here[i] != value + i)
			return 0;
	}
	return value + depth;
}

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

static void buffer_on_the_stack_of_a_running_thread(void **state)
{
	(void)state;
	run_in_each(other_stack);
}

/* /proc goes on showing the namespace that it was mounted for, in which the threads have other numbers. */
static void threads_have_other_numbers_in_proc(void **state)
{
	int status;
	pid_t child = fork(), grandchild;

	(void)state;
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

static void memory_above_the_stack_of_a_running_thread(void **state)
{
	(void)state;
	run_in_each(above_other_stack);
}

/* The thread that registers owns the stack and its control block; another stores there. */
static void *register_own_stack(void *argument)
{
	struct worker counter = {.stop = false};
	volatile uint64_t word = 0;
	uint8_t buffer[100];

	(void)argument;
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

static void buffer_on_the_own_stack_with_threads(void **state)
{
	(void)state;
	run_in_each(own_stack);
}

static void *register_and_work(void *argument)
{
	struct worker *worker = argument;
	volatile uint8_t buffer[64];

	while (!__atomic_load_n(&worker->stop, __ATOMIC_RELAXED)) {
		uint64_t step = __atomic_add_fetch(&worker->steps, 1, __ATOMIC_RELAXED);

		if (!__atomic_load_n(&worker->mr, __ATOMIC_ACQUIRE))
			__atomic_store_n(&worker->mr, registered((void *)(uintptr_t)buffer, sizeof(buffer)),
					 __ATOMIC_RELEASE);
		if (dig((unsigned int)(step % 40), step) != step + step % 40)
			worker->is_broken = true;
	}
	return NULL;
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

static void buffer_on_a_stack_is_deregistered_by_another_thread(void **state)
{
	(void)state;
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

static void thread_local_memory_moves(void **state)
{
	(void)state;
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

static void stack_grows_below_a_buffer(void **state)
{
	(void)state;
	run_in_each(stack_grows);
}

/* --- fork --- */

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

static void fork_while_another_thread_has_a_buffer_on_its_stack(void **state)
{
	(void)state;
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
	(void)argument;
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

static void fork_with_a_buffer_in_the_stack_page_in_use(void **state)
{
	(void)state;
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

static void fork_loses_no_store_beside_a_buffer(void **state)
{
	(void)state;
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

static void child_of_a_busy_parent_opens_devices(void **state)
{
	(void)state;
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

static void pages_shared_with_a_child_move(void **state)
{
	(void)state;
	run_in_each(pages_of_a_child);
}

/* --- cancellation --- */

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

static void cancelled_thread_leaves_no_lock(void **state)
{
	(void)state;
#if defined(RIG_HAS_ASAN) && defined(__clang__)
	/* A cancellation leaves frames without telling clang's AddressSanitizer, which objects to what comes there. */
	print_message("AddressSanitizer takes the frames that a cancellation unwinds for live ones\n");
	skip();
#endif
	run_in_each(cancelled_thread);
}

/* --- memory that the kernel holds --- */

static int ring_open(void)
{
	struct io_uring_params parameters = {0};

	return (int)syscall(SYS_io_uring_setup, 4, &parameters);
}

static void pinned_pages(void)
{
	uint8_t *memory = pages(4);
	struct iovec buffer = {memory, 4 * PAGE};
	struct ibv_mr *mr;
	int ring = ring_open();

	memset(memory, 1, 4 * PAGE);
	if (ring < 0 || syscall(SYS_io_uring_register, ring, IORING_REGISTER_BUFFERS, &buffer, 1))
		return; /* this kernel does not */
	expect_refusal(memory + 100, 2 * PAGE, EBUSY);
	RIG_CHECK(page_sharing(memory) == 'p');
	for (unsigned int i = 0; i < 4 * PAGE; i++)
		RIG_CHECK(memory[i] == 1);
	RIG_CHECK(syscall(SYS_io_uring_register, ring, IORING_UNREGISTER_BUFFERS, NULL, 0) == 0);
	close(ring);
	mr = registered(memory + 100, 2 * PAGE);
	RIG_CHECK(ibv_dereg_mr(mr) == 0);
	munmap(memory, 4 * PAGE);
}

static void pages_that_io_uring_holds_are_refused(void **state)
{
	(void)state;
	if (!can_take())
		skip();
	run_in(HOLDS_ALL, pinned_pages);
	run_in(HOLDS_USER_SPACE, pinned_pages);
}

/* --- memory that the kernel reads into past the caches --- */

#define DIRECT_PIECE (256u << 10)
#define DIRECT_COUNT 8

/* A file whose words say where they stand, on a file system that knows O_DIRECT; -1: there is none. */
static int direct_file(void)
{
	static const char *const folders[] = {".", "/var/tmp", "/tmp"};
	const size_t words = DIRECT_PIECE * DIRECT_COUNT / sizeof(uint64_t);
	uint64_t *content = malloc(words * sizeof(*content));
	int fd = -1;

	RIG_CHECK(content);
	for (size_t i = 0; i < words; i++)
		content[i] = i;
	for (unsigned int i = 0; i < sizeof(folders) / sizeof(*folders) && fd < 0; i++) {
		char path[64];
		int written;

		snprintf(path, sizeof(path), "%s/test_soft_moves.XXXXXX", folders[i]);
		written = mkstemp(path);
		if (written < 0)
			continue;
		if (write(written, content, words * sizeof(*content)) == (ssize_t)(words * sizeof(*content)) &&
		    fsync(written) == 0)
			fd = open(path, O_RDONLY | O_DIRECT | O_CLOEXEC);
		unlink(path);
		close(written);
	}
	free(content);
	return fd;
}

static bool piece_is_right(const uint8_t *memory, unsigned int piece)
{
	const uint64_t *words = (const uint64_t *)(const void *)memory;
	const uint64_t first = (uint64_t)piece * DIRECT_PIECE / sizeof(uint64_t);

	for (uint64_t i = 0; i < DIRECT_PIECE / sizeof(uint64_t); i++) {
		if (words[i] != first + i)
			return false;
	}
	return true;
}

static int direct_fd;

struct reader {
	pthread_t thread;
	uint8_t *memory;
	bool stop;
	bool shall_rest, rests;
	unsigned int reads, refused;
	bool is_wrong;
};

static void *read_directly(void *argument)
{
	struct reader *reader = argument;

	while (!__atomic_load_n(&reader->stop, __ATOMIC_ACQUIRE)) {
		unsigned int piece = reader->reads % DIRECT_COUNT;
		ssize_t got;

		if (__atomic_load_n(&reader->shall_rest, __ATOMIC_ACQUIRE)) {
			__atomic_store_n(&reader->rests, true, __ATOMIC_RELEASE);
			sched_yield();
			continue;
		}
		__atomic_store_n(&reader->rests, false, __ATOMIC_RELEASE);
		got = pread(direct_fd, reader->memory, DIRECT_PIECE, (off_t)piece * DIRECT_PIECE);
		if (got < (ssize_t)DIRECT_PIECE)
			__atomic_add_fetch(&reader->refused, 1, __ATOMIC_RELAXED); /* that call has been told */
		else if (!piece_is_right(reader->memory, piece))
			reader->is_wrong = true;
		__atomic_add_fetch(&reader->reads, 1, __ATOMIC_RELEASE);
	}
	return NULL;
}

static void reader_rest(struct reader *reader)
{
	__atomic_store_n(&reader->shall_rest, true, __ATOMIC_RELEASE);
	while (!__atomic_load_n(&reader->rests, __ATOMIC_ACQUIRE))
		sched_yield();
}

/* Deregistration is not told of what is in flight, as soft.md says: so nothing is then. */
static void register_while_reading(void)
{
	struct reader reader = {.memory = pages(DIRECT_PIECE / PAGE)};
	unsigned int registrations = 0;

	RIG_CHECK(pthread_create(&reader.thread, NULL, read_directly, &reader) == 0);
	for (int i = 0; i < 10 * ROUNDS; i++) {
		unsigned int before = __atomic_load_n(&reader.reads, __ATOMIC_ACQUIRE);
		struct ibv_mr *mr;

		while (__atomic_load_n(&reader.reads, __ATOMIC_ACQUIRE) == before)
			sched_yield();
		mr = ibv_reg_mr(local.pd, reader.memory + 100, DIRECT_PIECE - 200, RIG_ACCESS);
		RIG_CHECK(mr || errno == EBUSY);
		if (!mr)
			continue;
		registrations++;
		reader_rest(&reader);
		RIG_CHECK(ibv_dereg_mr(mr) == 0);
		__atomic_store_n(&reader.shall_rest, false, __ATOMIC_RELEASE);
	}
	__atomic_store_n(&reader.stop, true, __ATOMIC_RELEASE);
	pthread_join(reader.thread, NULL);
	RIG_CHECK(!reader.is_wrong);
	RIG_CHECK(now == HOLDS_USER_SPACE || !reader.refused);
	RIG_CHECK(!registrations == !sees_input());
	munmap(reader.memory, DIRECT_PIECE);
}

static void direct_reads_in_flight(void **state)
{
	(void)state;
	direct_fd = direct_file();
	if (direct_fd < 0) {
		print_message("no file system with O_DIRECT in ., /var/tmp and /tmp\n");
		skip();
	}
	run_in_each(register_while_reading);
	close(direct_fd);
}

struct ring {
	int fd;
	struct io_uring_params parameters;
	uint8_t *queues; /* both, as kernels since 5.4 have them */
	size_t size;
	struct io_uring_sqe *requests;
};

#define RING_DEPTH 8

static bool ring_make(struct ring *ring)
{
	const struct io_uring_params *parameters = &ring->parameters;

	*ring = (struct ring){.fd = -1};
	ring->fd = (int)syscall(SYS_io_uring_setup, RING_DEPTH, &ring->parameters);
	if (ring->fd < 0)
		return false;
	RIG_CHECK(parameters->features & IORING_FEAT_SINGLE_MMAP);
	ring->size = parameters->cq_off.cqes + parameters->cq_entries * sizeof(struct io_uring_cqe);
	if (ring->size < parameters->sq_off.array + parameters->sq_entries * sizeof(uint32_t))
		ring->size = parameters->sq_off.array + parameters->sq_entries * sizeof(uint32_t);
	ring->queues =
		mmap(NULL, ring->size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, ring->fd, IORING_OFF_SQ_RING);
	ring->requests = mmap(NULL, parameters->sq_entries * sizeof(*ring->requests), PROT_READ | PROT_WRITE,
			      MAP_SHARED | MAP_POPULATE, ring->fd, IORING_OFF_SQES);
	RIG_CHECK(ring->queues != MAP_FAILED && ring->requests != MAP_FAILED);
	return true;
}

static uint32_t *ring_word(const struct ring *ring, uint32_t offset)
{
	return (uint32_t *)(void *)(ring->queues + offset);
}

/* Reads each piece of the file to its place in memory. */
static void ring_submit(struct ring *ring, uint8_t *memory)
{
	uint32_t *tail = ring_word(ring, ring->parameters.sq_off.tail);
	uint32_t *array = ring_word(ring, ring->parameters.sq_off.array);

	for (unsigned int i = 0; i < DIRECT_COUNT; i++) {
		ring->requests[i] = (struct io_uring_sqe){.opcode = IORING_OP_READ,
							  .fd = direct_fd,
							  .addr = (uint64_t)(uintptr_t)memory + i * DIRECT_PIECE,
							  .len = DIRECT_PIECE,
							  .off = (uint64_t)i * DIRECT_PIECE,
							  .user_data = i};
		array[(*tail + i) & (RING_DEPTH - 1)] = i;
	}
	__atomic_store_n(tail, *tail + DIRECT_COUNT, __ATOMIC_RELEASE);
	RIG_CHECK(syscall(SYS_io_uring_enter, ring->fd, DIRECT_COUNT, 0, 0, NULL, 0) == DIRECT_COUNT);
}

/* Waits for all of them; a bit for each piece that was read. */
static unsigned int ring_wait(struct ring *ring)
{
	uint32_t *head = ring_word(ring, ring->parameters.cq_off.head);
	uint32_t *tail = ring_word(ring, ring->parameters.cq_off.tail);
	const struct io_uring_cqe *entries =
		(const struct io_uring_cqe *)(const void *)(ring->queues + ring->parameters.cq_off.cqes);
	unsigned int done = 0;

	for (unsigned int count = 0; count < DIRECT_COUNT; count++) {
		const struct io_uring_cqe *entry;

		while (*head == __atomic_load_n(tail, __ATOMIC_ACQUIRE))
			RIG_CHECK(syscall(SYS_io_uring_enter, ring->fd, 0, 1, IORING_ENTER_GETEVENTS, NULL, 0) == 0 ||
				  errno == EINTR);
		entry = &entries[*head & (ring->parameters.cq_entries - 1)];
		RIG_CHECK(entry->res == (int)DIRECT_PIECE || (entry->res == -EFAULT && now == HOLDS_USER_SPACE));
		if (entry->res == (int)DIRECT_PIECE)
			done |= 1u << entry->user_data;
		__atomic_store_n(head, *head + 1, __ATOMIC_RELEASE);
	}
	return done;
}

static void register_while_ring_reads(void)
{
	uint8_t *memory = pages(DIRECT_COUNT * DIRECT_PIECE / PAGE);
	struct ring ring;

	RIG_CHECK(ring_make(&ring));
	for (int i = 0; i < 2 * ROUNDS; i++) {
		struct ibv_mr *mr;
		unsigned int done;

		memset(memory, 0xee, DIRECT_COUNT * DIRECT_PIECE);
		ring_submit(&ring, memory);
		mr = ibv_reg_mr(local.pd, memory + 100, DIRECT_COUNT * DIRECT_PIECE - 200, RIG_ACCESS);
		RIG_CHECK(mr || errno == EBUSY);
		done = ring_wait(&ring);
		for (unsigned int piece = 0; piece < DIRECT_COUNT; piece++)
			RIG_CHECK(!(done & 1u << piece) || piece_is_right(memory + piece * DIRECT_PIECE, piece));
		RIG_CHECK(!mr || sees_input());
		if (mr)
			RIG_CHECK(ibv_dereg_mr(mr) == 0);
	}
	close(ring.fd);
	munmap(memory, DIRECT_COUNT * DIRECT_PIECE);
}

static void reads_of_io_uring_in_flight(void **state)
{
	struct ring ring;

	(void)state;
	if (!ring_make(&ring)) {
		print_message("io_uring is not to be had here: %s (see kernel.io_uring_disabled)\n", strerror(errno));
		skip();
	}
	close(ring.fd);
	direct_fd = direct_file();
	if (direct_fd < 0) {
		print_message("no file system with O_DIRECT in ., /var/tmp and /tmp\n");
		skip();
	}
	run_in_each(register_while_ring_reads);
	close(direct_fd);
}

static void *wait_for_end(void *argument)
{
	while (!__atomic_load_n((bool *)argument, __ATOMIC_ACQUIRE))
		sched_yield();
	return NULL;
}

static void expect_none(uint8_t *memory)
{
	expect_refusal(memory + 100, 2 * PAGE, EBUSY);
	RIG_CHECK(page_sharing(memory) == 'p');
}

static void expect_some(uint8_t *memory)
{
	RIG_CHECK(ibv_dereg_mr(registered(memory + 100, 2 * PAGE)) == 0);
}

/* Where nothing tells which pages the kernel holds, what it may hold them for is enough. */
static void descriptors_of_input(void)
{
	static uint8_t statics[4 * PAGE] = {1}; /* of a file, and never taken away */
	const int flags = fcntl(direct_fd, F_GETFL);
	const bool sees = sees_input();
	uint8_t *memory = pages(4), *shared;
	unsigned long context = 0;
	pthread_t thread;
	bool stop = false;
	int ring, pipes[2], fd = memfd_create("rig", MFD_CLOEXEC);
	struct ibv_mr *mr;

	RIG_CHECK(fd >= 0 && ftruncate(fd, 4 * PAGE) == 0 && pipe2(pipes, O_DIRECT) == 0);
	shared = mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	RIG_CHECK(shared != MAP_FAILED);
	memset(memory, 1, 4 * PAGE);
	memset(statics, 1, sizeof(statics));
	/* one thread is in no read() meanwhile, and the flag of a pipe means something else */
	expect_some(memory);
	if (syscall(SYS_io_setup, 4, &context) == 0) {
		(sees ? expect_some : expect_none)(memory);
		expect_none(statics);
		RIG_CHECK(syscall(SYS_io_destroy, context) == 0);
	}
	RIG_CHECK(fcntl(direct_fd, F_SETFL, flags & ~O_DIRECT) == 0);
	ring = ring_open();
	if (ring >= 0) {
		(sees ? expect_some : expect_none)(memory);
		expect_none(statics);
		expect_some(shared);
		close(ring);
		expect_some(memory);
		expect_some(statics);
	}
	RIG_CHECK(pthread_create(&thread, NULL, wait_for_end, &stop) == 0);
	expect_some(memory);
	mr = registered(memory, 4 * PAGE);
	RIG_CHECK(fcntl(direct_fd, F_SETFL, flags) == 0);
	/* what is registered already is read into, and more of it need not move */
	RIG_CHECK(pread(direct_fd, memory, 2 * PAGE, 0) == 2 * (ssize_t)PAGE && memory[8] == 1 && memory[16] == 2);
	expect_some(memory);
	RIG_CHECK(ibv_dereg_mr(mr) == 0);
	(sees ? expect_some : expect_none)(memory);
	expect_some(shared);
	__atomic_store_n(&stop, true, __ATOMIC_RELEASE);
	pthread_join(thread, NULL);
	close(pipes[0]);
	close(pipes[1]);
	close(fd);
	munmap(shared, 4 * PAGE);
	munmap(memory, 4 * PAGE);
}

static void input_that_may_be_in_flight(void **state)
{
	(void)state;
	direct_fd = direct_file();
	if (direct_fd < 0) {
		print_message("no file system with O_DIRECT in ., /var/tmp and /tmp\n");
		skip();
	}
	run_in_each(descriptors_of_input);
	close(direct_fd);
}

/* --- many small regions --- */

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

static void returned_pages_become_one_mapping(void **state)
{
	(void)state;
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

static void all_kinds_of_pages(void **state)
{
	(void)state;
	run_in_each(large_and_sparse);
	run_in_each(locked_memory);
	run_in_each(transparent_huge_pages);
}

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
static void what_the_service_thread_sleeps_on_never_moves(void **state)
{
	(void)state;
	if (!*POLL_CALL)
		skip();
#ifdef M_ARENA_MAX
	mallopt(M_ARENA_MAX, 1); /* no other thread has a heap of its own */
#endif
	run_in(HOLDS_NOTHING, thread_that_rests);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stores_of_a_thread_that_blocks_signals_are_kept),
		cmocka_unit_test(buffer_on_the_stack_of_a_running_thread),
		cmocka_unit_test(threads_have_other_numbers_in_proc),
		cmocka_unit_test(memory_above_the_stack_of_a_running_thread),
		cmocka_unit_test(buffer_on_the_own_stack_with_threads),
		cmocka_unit_test(buffer_on_a_stack_is_deregistered_by_another_thread),
		cmocka_unit_test(thread_local_memory_moves),
		cmocka_unit_test(stack_grows_below_a_buffer),
		cmocka_unit_test(fork_while_another_thread_has_a_buffer_on_its_stack),
		cmocka_unit_test(fork_with_a_buffer_in_the_stack_page_in_use),
		cmocka_unit_test(fork_loses_no_store_beside_a_buffer),
		cmocka_unit_test(child_of_a_busy_parent_opens_devices),
		cmocka_unit_test(pages_shared_with_a_child_move),
		cmocka_unit_test(cancelled_thread_leaves_no_lock),
		cmocka_unit_test(pages_that_io_uring_holds_are_refused),
		cmocka_unit_test(direct_reads_in_flight),
		cmocka_unit_test(reads_of_io_uring_in_flight),
		cmocka_unit_test(input_that_may_be_in_flight),
		cmocka_unit_test(returned_pages_become_one_mapping),
		cmocka_unit_test(all_kinds_of_pages),
		cmocka_unit_test(what_the_service_thread_sleeps_on_never_moves),
	};

	return cmocka_run_group_tests(tests, rig_directory_make, rig_directory_remove);
}
