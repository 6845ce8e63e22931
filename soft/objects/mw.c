// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Memory windows: another key to part of a region, bound and invalidated by work requests and hence in their order,
 * without a system call. Called through the verbs; mw_bind.c executes the requests.
 *
 * Type 1 belongs to a protection domain, is bound by ibv_bind_mw() and may be rebound at any time, which ends the
 * previous binding; a length of zero only ends it. Type 2 (2B of the specification) works on the one queue pair that it
 * was bound on, has a key whose tag the program chose, and must be invalidated before it is bound again: by
 * IBV_WR_LOCAL_INV, or by the peer with IBV_WR_SEND_WITH_INV, which then writes to the shared row.
 */
#include <errno.h>
#include <stdlib.h>

#include "data/mw_bind.h"
#include "host/fault.h"

static struct core_mw *core_mw_of(struct ibv_mw *mw)
{
	return (struct core_mw *)mw;
}

struct ibv_mw *soft_alloc_mw(struct ibv_pd *ibpd, enum ibv_mw_type type)
{
	struct core_pd *pd = (struct core_pd *)ibpd;
	struct core_mw *mw;
	int err;

	if (type != IBV_MW_TYPE_1 && type != IBV_MW_TYPE_2)
		return soft_refuse(EOPNOTSUPP);
	mw = soft_fault_alloc(FAULT_ALLOC_MW, sizeof(*mw));
	if (!mw)
		return NULL;
	pthread_mutex_lock(&soft_self.lock);
	err = soft_index_find(soft_mws, 1, LAYOUT_MW_COUNT, &soft_self.mw_next, &mw->index);
	if (!err)
		soft_mws[mw->index] = mw;
	pthread_mutex_unlock(&soft_self.lock);
	if (err) {
		free(mw);
		return soft_refuse(-err);
	}
	/* The tag continues where the row's last window may have left it, so that keys are not reused soon. */
	mw->base =
		(struct ibv_mw){.context = ibpd->context,
				.pd = ibpd,
				.rkey = MW_KEY(soft_self.slot, mw->index) | (soft_mw_bindings[mw->index] & MW_TAG_MASK),
				.handle = mw->index,
				.type = type};
	__atomic_add_fetch(&pd->users, 1, __ATOMIC_RELAXED);
	return &mw->base;
}

int soft_dealloc_mw(struct ibv_mw *public)
{
	struct core_mw *mw = core_mw_of(public);
	struct core_pd *pd = (struct core_pd *)public->pd;

	pthread_mutex_lock(&soft_self.lock);
	soft_mw_unbind(mw);
	soft_mws[mw->index] = NULL;
	pthread_mutex_unlock(&soft_self.lock);
	__atomic_sub_fetch(&pd->users, 1, __ATOMIC_RELEASE);
	free(mw);
	return 0;
}

/* verbs.h has checked the type and the region's domain. */
int soft_bind_mw(struct ibv_qp *qp, struct ibv_mw *mw, struct ibv_mw_bind *bind)
{
	struct ibv_send_wr wr = {.wr_id = bind->wr_id,
				 .opcode = IBV_WR_BIND_MW,
				 .send_flags = bind->send_flags,
				 .bind_mw = {.mw = mw, .rkey = ibv_inc_rkey(mw->rkey), .bind_info = bind->bind_info}};
	struct ibv_send_wr *bad;
	int err = ibv_post_send(qp, &wr, &bad);

	if (!err)
		mw->rkey = wr.bind_mw.rkey;
	return err;
}
