// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Detects whether the program has more than one thread: lock.h elides atomic instructions until then. pthread_create()
 * and thrd_create() are interposed only for this. (Threads created by clone(2) or by SIGEV_THREAD timers are not
 * detected: a program whose only second thread is one of these must not use verbs in both.) If detection is impossible
 * (threads before us, a sanitizer's pthread_create() ahead of ours, no membarrier), several threads are assumed from
 * the start.
 */
#include "config.h"

#include "host/threads.h"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <threads.h>

#include "host/core.h"
#include "host/next.h"

#define STATUS_LINE_MAX 512 /* bytes, enough for the relevant lines of /proc/self/task/N/status */

typedef int (*create_fn)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

int soft_locks_contended = 1;
bool soft_has_membarrier;

extern char __libc_single_threaded __attribute__((weak));

__attribute__((visibility("default"))) int pthread_create(pthread_t *thread, const pthread_attr_t *attr,
							  void *(*start)(void *), void *argument)
{
	create_fn create = SOFT_NEXT(create_fn, "pthread_create");

	__atomic_store_n(&soft_locks_contended, 1, __ATOMIC_SEQ_CST);
	return create ? create(thread, attr, start, argument) : EAGAIN;
}

/* The function above: its own name resolves to the first definition in the lookup order. */
extern __typeof__(pthread_create) own_pthread_create
	__attribute__((alias("pthread_create"), visibility("hidden"), nothrow));

/* A sanitizer's pthread_create(), which must see every thread; NULL: ours is first. */
static create_fn create_ahead(void)
{
	create_fn create;

	*(void **)&create = dlsym(RTLD_DEFAULT, "pthread_create");
	return create == own_pthread_create ? NULL : create;
}

/* The C library's thrd_create() does not call pthread_create(). */
__attribute__((visibility("default"))) int thrd_create(thrd_t *thread, thrd_start_t start, void *argument)
{
	int (*create)(thrd_t *, thrd_start_t, void *) =
		SOFT_NEXT(int (*)(thrd_t *, thrd_start_t, void *), "thrd_create");

	__atomic_store_n(&soft_locks_contended, 1, __ATOMIC_SEQ_CST);
	return create ? create(thread, start, argument) : thrd_error;
}

void soft_signals_block(sigset_t *before)
{
	sigset_t blocked;

	sigfillset(&blocked);
	/* Faults are for us (guard.c waits in SIGSEGV). */
	sigdelset(&blocked, SIGSEGV);
	sigdelset(&blocked, SIGBUS);
	sigdelset(&blocked, SIGILL);
	sigdelset(&blocked, SIGFPE);
	pthread_sigmask(SIG_SETMASK, &blocked, before);
}

/* Does not set soft_locks_contended: the library's own threads take no local lock before they have set it. */
int soft_thread_create(pthread_t *thread, void *(*start)(void *), void *argument)
{
	create_fn create = create_ahead();
	sigset_t before;
	int err;

	if (!create)
		create = SOFT_NEXT(create_fn, "pthread_create");
	if (!create)
		return EAGAIN;
	/* The program's signals are for its own threads. */
	soft_signals_block(&before);
	err = create(thread, NULL, start, argument);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return err;
}

pid_t soft_proc_task(const char *name)
{
	char path[64], line[STATUS_LINE_MAX] = "";
	pid_t task = 0;
	FILE *status;

	if (readlink("/proc/self", line, sizeof(line) - 1) > 0 && atoi(line) == (int)getpid())
		return (pid_t)atoi(name);
	snprintf(path, sizeof(path), "/proc/self/task/%.16s/status", name);
	status = fopen(path, "re");
	/* From the namespace of /proc down to the thread's own, which system calls use. */
	while (status && !task && fgets(line, sizeof(line), status)) {
		if (strncmp(line, "NSpid:", 6) == 0)
			task = (pid_t)atoi(strrchr(line, '\t') + 1);
	}
	if (status)
		fclose(status);
	return task;
}

void soft_fence_all_threads(void)
{
	if (soft_has_membarrier)
		syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
	else
		__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

void soft_locks_contend(void)
{
	if (__atomic_exchange_n(&soft_locks_contended, 1, __ATOMIC_SEQ_CST))
		return;
	soft_fence_all_threads();
}

__thread uint32_t soft_thread_number;

/* Changing a lock's owner costs microseconds, as all threads are disturbed: worthwhile after this many uses, ... */
#define WORTH_IT   1000
#define MOST_MOVES 16 /* ... or for this many changes */

/*
 * `word` is held. Is the lock free? The owner, if there is one, has released the lock, or sees that it lost ownership
 * before it takes it.
 */
static bool is_free(const struct local_lock *lock)
{
	return !__atomic_load_n(&lock->biased, __ATOMIC_ACQUIRE) &&
	       !__atomic_load_n(&lock->locked[lock->last], __ATOMIC_ACQUIRE);
}

static void disown(struct local_lock *lock)
{
	if (!__atomic_load_n(&lock->owner, __ATOMIC_RELAXED))
		return;
	__atomic_store_n(&lock->owner, 0, __ATOMIC_RELAXED);
	soft_fence_all_threads();
}

/* Makes this thread, which holds the lock, its owner. */
static void own(struct local_lock *lock)
{
	static uint32_t threads;

	if (!soft_has_membarrier || lock->moves == MOST_MOVES || soft_thread_number == LOCK_OWNERS)
		return;
	if (!soft_thread_number) {
		soft_thread_number = __atomic_add_fetch(&threads, 1, __ATOMIC_RELAXED);
		if (soft_thread_number >= LOCK_OWNERS) {
			__atomic_store_n(&threads, LOCK_OWNERS, __ATOMIC_RELAXED); /* it cannot wrap */
			soft_thread_number = LOCK_OWNERS;
			return;
		}
	}
	if (lock->uses < WORTH_IT)
		lock->moves++;
	lock->uses = 0;
	lock->last = soft_thread_number;
	__atomic_store_n(&lock->owner, soft_thread_number, __ATOMIC_RELAXED);
}

void soft_local_lock_take_contended(struct local_lock *lock)
{
	unsigned int spins = 0;

	while (__atomic_exchange_n(&lock->word, 1, __ATOMIC_ACQUIRE)) {
		while (__atomic_load_n(&lock->word, __ATOMIC_RELAXED))
			lock_pause(&spins);
	}
	disown(lock);
	while (!is_free(lock))
		lock_pause(&spins);
	own(lock);
}

bool soft_local_lock_try(struct local_lock *lock)
{
	if (__atomic_exchange_n(&lock->word, 1, __ATOMIC_ACQUIRE))
		return false;
	disown(lock);
	if (is_free(lock))
		return true;
	__atomic_store_n(&lock->word, 0, __ATOMIC_RELEASE);
	return false;
}

__attribute__((constructor)) static void threads_start(void)
{
	soft_has_membarrier = syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
	soft_locks_contended =
		!soft_has_membarrier || !&__libc_single_threaded || !__libc_single_threaded || create_ahead();
}
