// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Executes the requests that bind and invalidate a memory window: they write the window's row, our private one and the
 * shared one, in posting order. Called by execute.c; mw.c creates the windows.
 */
#include "data/mw_bind.h"

#include "host/peer.h"

#define ACCESS_WRITES	  (IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC)
#define ACCESS_OF_WINDOWS (ACCESS_WRITES | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_ZERO_BASED)

struct core_mw *soft_mws[LAYOUT_MW_COUNT];
uint32_t soft_mw_bindings[LAYOUT_MW_COUNT];

static bool is_bound(const struct core_mw *mw)
{
	uint64_t id = soft_self.mws[mw->index].id;

	return id && __atomic_load_n(&soft_self.shown_mws[mw->index].id, __ATOMIC_ACQUIRE) == id;
}

/* soft_self.lock is held, also in the following functions except the last. */
void soft_mw_unbind(struct core_mw *mw)
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
			soft_mw_unbind(mw);
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
	uint64_t id = MW_ID(++soft_mw_bindings[mw->index], key);

	soft_mw_unbind(mw);
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
		soft_mw_unbind(mw);
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
	struct core_mw *mw = KEY_IS_MW(key) ? soft_mws[index] : NULL;

	if (!mw || !is_bound(mw) || (uint32_t)soft_self.mws[index].id != key ||
	    soft_self.mws[index].qpn != core_qp_number(qp))
		return IBV_WC_MW_BIND_ERR;
	soft_mw_unbind(mw);
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
