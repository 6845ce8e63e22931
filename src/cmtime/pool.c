// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A queue of connections, and its threads. See pool.h. */
#include "cmtime/pool.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#include "stats/clock.h"

struct pool {
	pthread_mutex_t lock; /* protects all below */
	pthread_cond_t filled;
	struct timed_conn *first, *last;
	bool closing;
	uint32_t num_threads;
	pthread_t threads[];
};

static void *pool_thread(void *arg)
{
	struct pool *pool = arg;
	struct timed_conn *conn;

	pthread_mutex_lock(&pool->lock);
	for (;;) {
		while (!pool->first && !pool->closing)
			pthread_cond_wait(&pool->filled, &pool->lock);
		if (pool->closing)
			break;
		conn = pool->first;
		pool->first = conn->next;
		pthread_mutex_unlock(&pool->lock);
		conn->work(conn);
		pthread_mutex_lock(&pool->lock);
	}
	pthread_mutex_unlock(&pool->lock);
	return NULL;
}

int pool_open(struct pool **pool, uint32_t threads)
{
	struct pool *opened = calloc(1, sizeof(*opened) + threads * sizeof(opened->threads[0]));
	int ret = 0;

	if (!opened)
		return -ENOMEM;
	pthread_mutex_init(&opened->lock, NULL);
	pthread_cond_init(&opened->filled, NULL);
	while (opened->num_threads < threads && !ret) {
		ret = -pthread_create(&opened->threads[opened->num_threads], NULL, pool_thread, opened);
		if (!ret)
			opened->num_threads++;
	}
	if (ret) {
		pool_close(opened);
		return ret;
	}
	*pool = opened;
	return 0;
}

void pool_stop(struct pool *pool)
{
	if (!pool)
		return;
	pthread_mutex_lock(&pool->lock);
	pool->closing = true;
	pthread_cond_broadcast(&pool->filled);
	pthread_mutex_unlock(&pool->lock);
	for (uint32_t i = 0; i < pool->num_threads; i++)
		pthread_join(pool->threads[i], NULL);
	pool->num_threads = 0;
}

void pool_close(struct pool *pool)
{
	if (!pool)
		return;
	pool_stop(pool);
	pthread_cond_destroy(&pool->filled);
	pthread_mutex_destroy(&pool->lock);
	free(pool);
}

void pool_put(struct pool *pool, struct timed_conn *conn, pool_work_fn work)
{
	conn->next = NULL;
	conn->work = work;
	pthread_mutex_lock(&pool->lock);
	conn->asked = clock_cycles();
	if (pool->first)
		pool->last->next = conn;
	else
		pool->first = conn;
	pool->last = conn;
	pthread_cond_signal(&pool->filled);
	pthread_mutex_unlock(&pool->lock);
}
