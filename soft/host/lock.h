/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Locks for queues, between threads and between processes, that cost almost nothing when there is only one.
 *
 * local_lock excludes other threads of the process. While the program has one thread, taking it is two plain stores:
 * soft_locks_contended is false. It becomes true permanently when the program starts a thread (detected by threads.c)
 * or when the service thread has to retry waiting requests in its place; the service thread then calls membarrier(2),
 * which provides the full fence that the fast path lacks. (An uncontended atomic exchange per queue costs 7 ns of a
 * message of 21.)
 *
 * From then on a lock has an owner, the thread that took it last, which still takes it by plain stores: most programs
 * give each thread its own queues. Another thread revokes the ownership, by membarrier(2) again; a lock that keeps
 * changing owners loses ownership after a few times and is then taken by atomic instructions. A thread that has lost
 * the ownership may find out long afterwards, with its flag set: each flag is written by one thread only.
 *
 * shared_lock_*() exclude other processes. The word holds the instance number of the holder, so that the owner of the
 * memory can release the lock of a dead peer (shared_lock.c).
 *
 * What is exchanged atomically is never a bool, here and in all of the device: gcc 12 calls libatomic for it on RISC-V,
 * also where nothing may be called.
 */
#pragma once

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>

#define likely(x)   __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
/* For functions off the fast path: kept out of line, and branches to them are unlikely. */
#define SOFT_COLD __attribute__((noinline, cold))

#define LOCK_SPINS  128 /* before yielding the CPU to the lock's holder */
#define LOCK_OWNERS 32	/* threads that can own locks: the first ones that take a contended lock */

/* Hidden, so that they are read without going through the global offset table. */
extern int soft_locks_contended __attribute__((visibility("hidden")));
extern bool soft_has_membarrier __attribute__((visibility("hidden")));

/* Every thread of this process has executed a full fence when this returns. */
void soft_fence_all_threads(void);
/* From now on every lock is taken with atomic instructions. */
void soft_locks_contend(void);

struct local_lock {
	uint32_t biased; /* held by the program's only thread */
	uint32_t word;	 /* held, when contended */
	/* When contended. Written only while holding `word`: */
	uint32_t owner; /* its soft_thread_number; 0: none */
	uint32_t last;	/* the owner, or the last one, which may still hold the lock */
	uint32_t moves; /* ownership changes after too few uses */
	/* Written by the owner, without atomics: */
	uint32_t uses;		     /* reset by the thread that becomes the owner */
	bool by_owner;		     /* held by the owner, without `word` */
	uint8_t locked[LOCK_OWNERS]; /* by the thread of that number */
};

/* From 1; 0: it has none yet; LOCK_OWNERS: it can own no lock. */
extern __thread uint32_t soft_thread_number __attribute__((visibility("hidden"), tls_model("initial-exec")));

static inline void lock_pause(unsigned int *spins)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ __volatile__("yield");
#endif
	if (++*spins % LOCK_SPINS == 0)
		sched_yield();
}

void soft_local_lock_take_contended(struct local_lock *lock);

/* False: other threads may want it; not taken. */
static inline bool local_lock_take_alone(struct local_lock *lock)
{
	if (unlikely(__atomic_load_n(&soft_locks_contended, __ATOMIC_RELAXED)))
		return false;
	__atomic_store_n(&lock->biased, 1, __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (likely(!__atomic_load_n(&soft_locks_contended, __ATOMIC_RELAXED)))
		return true;
	__atomic_store_n(&lock->biased, 0, __ATOMIC_RELEASE);
	return false;
}

/* For programs with several threads. False: this thread is not the owner; not taken. */
static inline bool local_lock_take_owned(struct local_lock *lock)
{
	const uint32_t self = soft_thread_number;

	if (!self || __atomic_load_n(&lock->owner, __ATOMIC_RELAXED) != self)
		return false;
	__atomic_store_n(&lock->locked[self], 1, __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (likely(__atomic_load_n(&lock->owner, __ATOMIC_RELAXED) == self)) {
		lock->by_owner = true;
		lock->uses++;
		return true;
	}
	__atomic_store_n(&lock->locked[self], 0, __ATOMIC_RELEASE);
	return false;
}

/* Returns the argument for local_lock_release(): true if there is no other thread. */
static inline bool local_lock_take(struct local_lock *lock)
{
	if (likely(local_lock_take_alone(lock)))
		return true;
	if (!local_lock_take_owned(lock))
		soft_local_lock_take_contended(lock);
	return false;
}

/* False: another thread holds it. Only after soft_locks_contend(); release it with biased: false. */
bool soft_local_lock_try(struct local_lock *lock);

static inline void local_lock_release(struct local_lock *lock, bool biased)
{
	if (likely(biased)) {
		__atomic_store_n(&lock->biased, 0, __ATOMIC_RELEASE);
	} else if (lock->by_owner) {
		lock->by_owner = false;
		__atomic_store_n(&lock->locked[lock->last], 0, __ATOMIC_RELEASE);
	} else {
		__atomic_store_n(&lock->word, 0, __ATOMIC_RELEASE);
	}
}

static inline bool shared_lock_try(uint32_t *lock, uint32_t instance)
{
	uint32_t no_instance = 0;

	return __atomic_compare_exchange_n(lock, &no_instance, instance, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

bool soft_shared_lock_wait(uint32_t *lock, uint32_t instance, const uint32_t *dead);

/*
 * For initiators. False: the process that owns the memory is dead, or the holder of the lock makes no progress (it was
 * stopped, or waits for a CPU): the caller tries again later. `dead` is that of the owner's struct soft_peer.
 */
static inline bool shared_lock_take(uint32_t *lock, uint32_t instance, const uint32_t *dead)
{
	return likely(shared_lock_try(lock, instance)) || soft_shared_lock_wait(lock, instance, dead);
}

/*
 * How long an owner waits for a holder, which may be stopped. Longer than the copy of the longest message takes, or a
 * holder waits for a CPU.
 */
#define LOCK_TIMEOUT_MS 2000u

/* The process for which an owner has waited in vain, and what it had done by then: it is not waited for again. */
struct lock_holder {
	uint32_t instance; /* 0: none */
	uint32_t progress;
};

/*
 * For the owner of the memory; calls repair() if the holder is dead. False: the holder is alive but makes no progress,
 * which a change of *progress would show; the owner has to proceed without the lock.
 */
bool soft_owner_lock_take(uint32_t *lock, void (*repair)(void *object, uint32_t holder), void *object,
			  const uint32_t *progress, struct lock_holder *holder);

static inline void shared_lock_release(uint32_t *lock)
{
	__atomic_store_n(lock, 0, __ATOMIC_RELEASE);
}
