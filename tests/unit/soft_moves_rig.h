/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Shared by the tests that move memory under a running program: they run if the kernel lets us block its threads
 * (userfaultfd), if it only handles user space's faults, and if a sandbox forbids all of that. What cannot be done
 * safely must be refused.
 */
#pragma once

#include "soft_rig.h"

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#define PAGE	    4096u
#define ROUNDS	    20
#define MANY_ROUNDS 300 /* of what goes wrong in a moment of microseconds */
#define TIME_LIMIT  120 /* s, of a child: it hangs, then */

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
static inline void sandbox(enum regime regime)
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
static inline bool has_regime(enum regime regime)
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

static inline bool kernel_has(uint64_t feature)
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

static enum regime now;

/* Pages of a file are held from Linux 5.19 on: before that they come back by the means of a sandbox. */
static inline bool holds_files(void)
{
	return kernel_has(1ull << 12);
}

struct local {
	struct ibv_context *context;
	struct ibv_pd *pd;
};

static struct local local;

static inline void run_in(enum regime regime, void (*body)(void))
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

static inline void run_in_each(void (*body)(void))
{
	run_in(HOLDS_ALL, body);
	run_in(HOLDS_USER_SPACE, body);
	run_in(HOLDS_NOTHING, body);
}

static inline struct ibv_mr *registered(void *memory, size_t length)
{
	struct ibv_mr *mr = ibv_reg_mr(local.pd, memory, length, RIG_ACCESS);

	RIG_CHECK(mr);
	return mr;
}

static inline void expect_refusal(void *memory, size_t length, int reason)
{
	RIG_CHECK(!ibv_reg_mr(local.pd, memory, length, RIG_ACCESS));
	RIG_CHECK(errno == reason);
}

static inline uint8_t *pages(size_t count)
{
	uint8_t *start = mmap(NULL, count * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	RIG_CHECK(start != MAP_FAILED);
	return start;
}

/* What /proc/self/maps says of the mappings in [addr, addr + length): how many, and of the last 's' shared, 'p'
 * private. */
static inline int mappings_of(const void *addr, size_t length, char *sharing)
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

static inline char page_sharing(const void *addr)
{
	char sharing;

	mappings_of(addr, 1, &sharing);
	return sharing;
}

/* Before Linux 6.11 each registration reads the list of all mappings: fewer do, there, for the same. */
static inline unsigned int many(unsigned int count)
{
	uint64_t query[13] = {sizeof(query), 0, (uint64_t)(uintptr_t)&query};
	int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	bool has_query = fd >= 0 && ioctl(fd, _IOC(_IOC_READ | _IOC_WRITE, 'f', 17, sizeof(query)), query) == 0;

	if (fd >= 0)
		close(fd);
	return has_query ? count : count / 10;
}

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

static inline void *count(void *argument)
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

static inline void worker_start(struct worker *worker, void *(*run)(void *))
{
	RIG_CHECK(pthread_create(&worker->thread, NULL, run, worker) == 0);
	/* The C library starts it with all signals blocked. */
	while (!__atomic_load_n(&worker->steps, __ATOMIC_RELAXED))
		sched_yield();
}

static inline void worker_end(struct worker *worker)
{
	__atomic_store_n(&worker->stop, true, __ATOMIC_RELAXED);
	pthread_join(worker->thread, NULL);
}

/* Until it has counted on: it must not stand for good. */
static inline void worker_steps(const struct worker *worker)
{
	uint64_t before = __atomic_load_n(&worker->steps, __ATOMIC_RELAXED);

	while (__atomic_load_n(&worker->steps, __ATOMIC_RELAXED) == before)
		sched_yield();
}

/* Writes all over its stack, above and below a buffer in it. */
static uint64_t __attribute__((noinline, unused)) dig(unsigned int depth, uint64_t value)
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

static inline void *register_and_work(void *argument)
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
