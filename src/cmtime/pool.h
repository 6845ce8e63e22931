/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The threads of -n: they take connections off one queue, in its order, and do what is due with each. A
 * connection is in the queue once at most.
 */
#ifndef CMTIME_POOL_H
#define CMTIME_POOL_H

#include <stdint.h>

#include "cmtime/timed_conn.h"

struct pool;

/* 0 or -errno, not reported. */
int pool_open(struct pool **pool, uint32_t threads);
/* Ends the threads; what is in the queue, and comes to it now, is left alone. Both take NULL. */
void pool_stop(struct pool *pool);
void pool_close(struct pool *pool);
/* Notes in conn->asked when. */
void pool_put(struct pool *pool, struct timed_conn *conn, pool_work_fn work);

#endif
