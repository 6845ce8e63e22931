/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Polling, with a check that the provider does not return more completions than requested. */
#pragma once

#include <errno.h>
#include <infiniband/verbs.h>

/* 0 to room; -EIO: the library failed; -EPROTO: it claims more completions than there is room for. */
static inline int cq_poll(struct ibv_cq *cq, int room, struct ibv_wc *wc)
{
	const int found = ibv_poll_cq(cq, room, wc);

	if (__builtin_expect((unsigned)found > (unsigned)room, 0))
		return found < 0 ? -EIO : -EPROTO;
	return found;
}
