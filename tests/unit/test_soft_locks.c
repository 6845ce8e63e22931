// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Does a local lock exclude other threads, and cost its only user nothing? */
#include <pthread.h>

#include "cmocka_all.h"
#include "host/lock.h"

#define ROUNDS	200000
#define THREADS 3

static struct local_lock lock;
static uint64_t count; /* by lock */
static uint64_t in_vain;

static void add_one(bool biased)
{
	const uint64_t before = count;

	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	count = before + 1;
	local_lock_release(&lock, biased);
}

/* Another thread of this program makes it one of several. */
static void *do_nothing(void *arg)
{
	return arg;
}

static int begin(void **state)
{
	pthread_t thread;

	lock = (struct local_lock){0};
	count = in_vain = 0;
	return pthread_create(&thread, NULL, do_nothing, NULL) || pthread_join(thread, NULL);
}

static bool is_owned(void)
{
	return lock.by_owner && lock.locked[lock.last] && !lock.word && lock.owner == soft_thread_number;
}

TEST(the_thread_that_took_it_last_takes_it_without_atomic_instructions, begin, NULL)
{
	bool biased;

	if (!soft_has_membarrier)
		skip();
	biased = local_lock_take(&lock);
	assert_false(biased);
	assert_true(lock.word);
	local_lock_release(&lock, biased);
	for (int i = 0; i < 3; i++) {
		biased = local_lock_take(&lock);
		assert_false(biased);
		assert_true(is_owned());
		/* Whoever else wants it takes the ownership away, and waits, or does without. */
		if (i == 2)
			assert_false(soft_local_lock_try(&lock));
		local_lock_release(&lock, biased);
		assert_false(lock.locked[lock.last] | lock.word);
	}
	assert_int_equal(lock.owner, 0);
	assert_true(soft_local_lock_try(&lock));
	local_lock_release(&lock, false);
	assert_false(lock.locked[lock.last] | lock.word);
}

static void *take_once(void *arg)
{
	bool *owned = arg;
	bool biased = local_lock_take(&lock);

	local_lock_release(&lock, biased);
	biased = local_lock_take(&lock);
	*owned = is_owned();
	local_lock_release(&lock, biased);
	return NULL;
}

TEST(it_changes_hands_a_few_times_and_then_belongs_to_none, begin, NULL)
{
	unsigned owners = 0;

	if (!soft_has_membarrier)
		skip();
	for (int i = 0; i < 40; i++) {
		pthread_t thread;
		bool owned;

		assert_int_equal(pthread_create(&thread, NULL, take_once, &owned), 0);
		assert_int_equal(pthread_join(thread, NULL), 0);
		owners += owned;
		take_once(&owned);
		owners += owned;
	}
	assert_in_range(owners, 4, 32);
	assert_int_equal(lock.owner, 0);
}

static void *add_many(void *arg)
{
	for (int i = 0; i < ROUNDS; i++)
		add_one(local_lock_take(&lock));
	return NULL;
}

static void *add_where_it_is_free(void *arg)
{
	for (int i = 0; i < ROUNDS; i++) {
		if (soft_local_lock_try(&lock))
			add_one(false);
		else
			in_vain++;
	}
	return NULL;
}

TEST(threads_are_kept_apart, begin, NULL)
{
	pthread_t threads[THREADS];

	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, add_many, NULL), 0);
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_join(threads[i], NULL), 0);
	assert_int_equal(count, THREADS * ROUNDS);
}

TEST(one_that_only_tries_is_kept_apart_too, begin, NULL)
{
	pthread_t threads[2];

	assert_int_equal(pthread_create(&threads[0], NULL, add_many, NULL), 0);
	assert_int_equal(pthread_create(&threads[1], NULL, add_where_it_is_free, NULL), 0);
	for (int i = 0; i < 2; i++)
		assert_int_equal(pthread_join(threads[i], NULL), 0);
	assert_int_equal(count + in_vain, 2 * ROUNDS);
}

TEST_MAIN(NULL, NULL)
