// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Memory windows: another key to part of a region, bound and invalidated by work requests and hence in their order,
 * without a system call: a request writes the window's row, our private one and the shared one.
 *
 * Type 1 belongs to a protection domain, is bound by ibv_bind_mw() and may be rebound at any time, which ends the
 * previous binding; a length of zero only ends it. Type 2 (2B of the specification) works on the one queue pair that it
 * was bound on, has a key whose tag the program chose, and must be invalidated before it is bound again: by
 * IBV_WR_LOCAL_INV, or by the peer with IBV_WR_SEND_WITH_INV, which then writes to the shared row.
 */
#include "data/data.h"

#include "host/fault.h"
#include "host/peer.h"

#define ACCESS_WRITES	  (IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC)
#define ACCESS_OF_WINDOWS (ACCESS_WRITES | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_ZERO_BASED)

static struct core_mw *mws[LAYOUT_MW_COUNT]; /* by index, soft_self.lock */
static uint32_t bindings[LAYOUT_MW_COUNT];   /* of each row so far */

static bool is_bound(const struct core_mw *mw)
{
	uint64_t id = soft_self.mws[mw->index].id;

	return id && __atomic_load_n(&soft_self.shown_mws[mw->index].id, __ATOMIC_ACQUIRE) == id;
}

/* soft_self.lock is held, also in the following functions except the last. */
static void unbind(struct core_mw *mw)
{
	__atomic_store_n(&soft_self.mws[mw->index].id, 0, __ATOMIC_RELEASE);
	__atomic_store_n(&soft_self.shown_mws[mw->index].id, 0, __ATOMIC_SEQ_CST);
	if (mw->mr) {
		struct core_mw **link = &mw->mr->first_mw;

		while (*link != mw)
			link = &(*link)->next_of_mr;
		*link = mw->next_of_mr;
	}
	mw->mr = NULL;
}

bool soft_mw_bound_to(struct core_mr *mr)
{
	for (struct core_mw *mw = mr->first_mw, *next; mw; mw = next) {
		next = mw->next_of_mr;
		if (!is_bound(mw))
			unbind(mw);
	}
	return mr->first_mw;
}

/* IBA 10.6.6.2: checks the request; the region's row is our own. */
static bool may_bind(const struct core_qp *qp, const struct core_mw *mw, uint32_t key,
		     const struct ibv_mw_bind_info *info)
{
	const struct core_mr *mr = (const struct core_mr *)info->mr;
	const struct mr_row *region = &soft_self.mrs[mr->index];
	uint64_t into = info->addr - region->iova;

	return (key & ~MW_TAG_MASK) == (mw->base.rkey & ~MW_TAG_MASK) && region->pd == qp->pd &&
	       ((const struct core_pd *)mw->base.pd)->number == qp->pd && region->access & IBV_ACCESS_MW_BIND &&
	       (!(info->mw_access_flags & ACCESS_WRITES) || region->access & IBV_ACCESS_LOCAL_WRITE) &&
	       !(info->mw_access_flags & ~(unsigned int)ACCESS_OF_WINDOWS) &&
	       (mw->base.type == IBV_MW_TYPE_2 || !(info->mw_access_flags & IBV_ACCESS_ZERO_BASED)) && info->length &&
	       into < region->length && info->length <= region->length - into &&
	       (mw->base.type == IBV_MW_TYPE_1 || !is_bound(mw));
}

static void row_bind(struct core_mw *mw, uint32_t key, uint32_t qpn, const struct ibv_mw_bind_info *info)
{
	struct core_mr *mr = (struct core_mr *)info->mr;
	struct mw_row *row = &soft_self.mws[mw->index];
	struct mw_row *shown = &soft_self.shown_mws[mw->index];
	uint64_t id = MW_ID(++bindings[mw->index], key);

	unbind(mw);
	*row = (struct mw_row){.iova = info->mw_access_flags & IBV_ACCESS_ZERO_BASED ? 0 : info->addr,
			       .length = info->length,
			       .addr = info->addr,
			       .access = info->mw_access_flags,
			       .pd = ((const struct core_pd *)mw->base.pd)->number,
			       .qpn = mw->base.type == IBV_MW_TYPE_2 ? qpn : 0,
			       .region = mr->base.rkey};
	*shown = *row;
	__atomic_store_n(&row->id, id, __ATOMIC_RELEASE);
	__atomic_store_n(&shown->id, id, __ATOMIC_RELEASE);
	mw->mr = mr;
	mw->next_of_mr = mr->first_mw;
	mr->first_mw = mw;
}

static int bind(struct core_qp *qp, struct core_mw *mw, uint32_t key, const struct ibv_mw_bind_info *info)
{
	if (mw->base.type == IBV_MW_TYPE_1 && !info->length) {
		unbind(mw);
		return IBV_WC_SUCCESS;
	}
	if (!info->mr || !may_bind(qp, mw, key, info))
		return IBV_WC_MW_BIND_ERR;
	row_bind(mw, key, core_qp_number(qp), info);
	return IBV_WC_SUCCESS;
}

static int invalidate(const struct core_qp *qp, uint32_t key)
{
	uint32_t index = MW_INDEX(key);
	struct core_mw *mw = KEY_IS_MW(key) ? mws[index] : NULL;

	if (!mw || !is_bound(mw) || (uint32_t)soft_self.mws[index].id != key ||
	    soft_self.mws[index].qpn != core_qp_number(qp))
		return IBV_WC_MW_BIND_ERR;
	unbind(mw);
	return IBV_WC_SUCCESS;
}

int soft_mw_execute(struct core_qp *qp, const struct ibv_send_wr *wr)
{
	int status;

	pthread_mutex_lock(&soft_self.lock);
	if (wr->opcode == IBV_WR_LOCAL_INV)
		status = invalidate(qp, wr->invalidate_rkey);
	else
		status = bind(qp, (struct core_mw *)wr->bind_mw.mw, wr->bind_mw.rkey, &wr->bind_mw.bind_info);
	pthread_mutex_unlock(&soft_self.lock);
	return status;
}

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
	err = soft_index_find(mws, 1, LAYOUT_MW_COUNT, &soft_self.mw_next, &mw->index);
	if (!err)
		mws[mw->index] = mw;
	pthread_mutex_unlock(&soft_self.lock);
	if (err) {
		free(mw);
		return soft_refuse(-err);
	}
	/* The tag continues where the row's last window may have left it, so that keys are not reused soon. */
	mw->base = (struct ibv_mw){.context = ibpd->context,
				   .pd = ibpd,
				   .rkey = MW_KEY(soft_self.slot, mw->index) | (bindings[mw->index] & MW_TAG_MASK),
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
	unbind(mw);
	mws[mw->index] = NULL;
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
