/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The threads of -n: they take connections from one queue, in order, and do the work that is due. A connection is in
 * the queue at most once.
 */
#pragma once

#include <stdint.h>

#include "cmtime/timed_conn.h"

struct pool;

/* 0 or -errno, not reported. */
int pool_open(struct pool **pool, uint32_t threads);
/* Ends the threads; connections that are in the queue, or are added now, are not handled. Both accept NULL. */
void pool_stop(struct pool *pool);
void pool_close(struct pool *pool);
/* Records the time in conn->asked. */
void pool_put(struct pool *pool, struct timed_conn *conn, pool_work_fn work);
