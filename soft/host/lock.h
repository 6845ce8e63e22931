/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How is a queue kept from two threads, or two processes, at the price of nothing when there is only one?
 *
 * local_lock keeps threads of one process apart. While the program has one thread, taking it is two plain
 * stores: soft_locks_contended is false. It becomes true for good when the program starts a thread (threads.c
 * sees that) or when the service thread has to carry on waiting requests in its stead; the latter passes
 * through membarrier(2), which puts the full fence that the fast path lacks into the program's thread.
 * (An uncontended atomic exchange per queue costs 7 ns of a message of 21.)
 *
 * From then on a lock has an owner, the thread that took it last, which goes on taking it by plain stores: programs
 * mostly give each thread queues of its own. Another thread that wants it takes the ownership away, by membarrier(2)
 * again; one that goes to and fro has none after a few times, and is taken by atomic instructions.
 *
 * shared_lock_*() keep processes apart. The word holds the instance number of the holder, so that the
 * memory's owner can free what a dead peer held (shared_lock.c).
 */
#ifndef SOFT_LOCK_H
#define SOFT_LOCK_H

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>

#define likely(x)   __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
/* Of a function that the path of every message leads past: kept out of the way, and branches to it are unlikely. */
#define SOFT_COLD __attribute__((noinline, cold))

#define LOCK_SPINS 128 /* before the CPU is offered to the lock's holder */

/* Hidden, so that they are read without a detour through the global offset table. */
extern bool soft_locks_contended __attribute__((visibility("hidden")));
extern bool soft_has_membarrier __attribute__((visibility("hidden")));

/* Every thread of this process has passed a full fence when it returns. */
void soft_fence_all_threads(void);
/* From now on every lock is taken with atomic instructions. */
void soft_locks_contend(void);

struct local_lock {
	uint32_t biased; /* held by the program's only thread, or by the owner */
	uint32_t word;	 /* held, when contended */
	/* When contended: */
	const void *owner; /* soft_this_thread of it; NULL: none. Only who holds `word` writes it */
	uint32_t uses;	   /* by the owner, which alone counts; and by who takes the ownership away */
	uint32_t moves;	   /* how often it became someone's who had little use for it */
	bool by_owner;	   /* who holds it is the owner, and does not hold `word` */
};

/* Its address is another one in each thread. */
extern __thread char soft_this_thread __attribute__((visibility("hidden"), tls_model("initial-exec")));

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

/* False: other threads may want it, and it is not taken. */
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

/* In a program of several threads. False: this one is not the owner, and it is not taken. */
static inline bool local_lock_take_owned(struct local_lock *lock)
{
	const void *self = &soft_this_thread;

	if (__atomic_load_n(&lock->owner, __ATOMIC_RELAXED) != self)
		return false;
	__atomic_store_n(&lock->biased, 1, __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (likely(__atomic_load_n(&lock->owner, __ATOMIC_RELAXED) == self)) {
		lock->by_owner = true;
		lock->uses++;
		return true;
	}
	__atomic_store_n(&lock->biased, 0, __ATOMIC_RELEASE);
	return false;
}

/* Returns what local_lock_release() wants back: whether there is no other thread. */
static inline bool local_lock_take(struct local_lock *lock)
{
	if (likely(local_lock_take_alone(lock)))
		return true;
	if (!local_lock_take_owned(lock))
		soft_local_lock_take_contended(lock);
	return false;
}

/* False: another thread has it. After soft_locks_contend(); released as one that was taken so, biased: false. */
bool soft_local_lock_try(struct local_lock *lock);

static inline void local_lock_release(struct local_lock *lock, bool biased)
{
	if (unlikely(!biased) && !lock->by_owner) {
		__atomic_store_n(&lock->word, 0, __ATOMIC_RELEASE);
		return;
	}
	if (unlikely(!biased))
		lock->by_owner = false;
	__atomic_store_n(&lock->biased, 0, __ATOMIC_RELEASE);
}

static inline bool shared_lock_try(uint32_t *lock, uint32_t instance)
{
	uint32_t no_instance = 0;

	return __atomic_compare_exchange_n(lock, &no_instance, instance, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

bool soft_shared_lock_wait(uint32_t *lock, uint32_t instance, const uint32_t *dead);

/*
 * For initiators. False: the process that owns the memory is dead, or the holder of the lock does not go on (it was
 * stopped, or waits for a CPU): the caller tries again later. `dead` is that of the owner's struct soft_peer.
 */
static inline bool shared_lock_take(uint32_t *lock, uint32_t instance, const uint32_t *dead)
{
	return likely(shared_lock_try(lock, instance)) || soft_shared_lock_wait(lock, instance, dead);
}

/* For the owner of the memory: it does not go on, and is not dead. */
bool soft_holder_is_stopped(uint32_t instance);

/* How long does an owner wait for who holds a lock and can't be seen to be stopped? Above what it is held for. */
#define LOCK_COPY_MS  5000u /* over the longest message */
#define LOCK_STORE_MS 1000u /* over the store of a completion: as long as a holder may have to wait for a CPU */

/*
 * For the owner of the memory, who frees what the dead held by repair(). False: the holder lives and does not go on;
 * the owner has to do without the lock.
 */
bool soft_owner_lock_take(uint32_t *lock, void (*repair)(void *object, uint32_t holder), void *object,
			  unsigned int limit_ms);

static inline void shared_lock_release(uint32_t *lock)
{
	__atomic_store_n(lock, 0, __ATOMIC_RELEASE);
}

#endif
