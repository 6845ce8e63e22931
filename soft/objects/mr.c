// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Which memory may be named by which key? Protection domains and memory regions: a row in the control file
 * each, which every work request, local or remote, is checked against. Called through the verbs, and by the
 * service thread for regions that peers cannot find in the data file.
 */
#include "objects/mr.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "data/mw_bind.h"
#include "host/core.h"
#include "host/fault.h"
#include "host/threads.h"

#define ACCESS_SUPPORTED                                                                                               \
	(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC |        \
	 IBV_ACCESS_MW_BIND | IBV_ACCESS_ZERO_BASED | SOFT_ACCESS_FLUSH_GLOBAL | SOFT_ACCESS_FLUSH_PERSISTENT)
#define ACCESS_WRITES (IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC)

static struct core_mr *mrs[LAYOUT_MR_COUNT]; /* by index, soft_self.lock */
static uint32_t uses[LAYOUT_MR_COUNT];	     /* registrations in each row so far */

struct ibv_pd *soft_alloc_pd(struct ibv_context *context)
{
	static uint32_t next;
	struct core_pd *pd;

	if (soft_fault_strikes(FAULT_ALLOC_PD)) {
		errno = ENOMEM;
		return NULL;
	}
	pd = calloc(1, sizeof(*pd));
	if (!pd)
		return NULL;
	/* Numbers tell domains apart in rows of one process; 2^32 allocations pass before one comes again. */
	pd->number = __atomic_add_fetch(&next, 1, __ATOMIC_RELAXED);
	pd->soft.base.context = context;
	pd->soft.base.handle = pd->number;
	return &pd->soft.base;
}

int soft_dealloc_pd(struct ibv_pd *ibpd)
{
	struct core_pd *pd = (struct core_pd *)ibpd;

	if (__atomic_load_n(&pd->users, __ATOMIC_ACQUIRE))
		return EBUSY;
	free(pd);
	return 0;
}

/* Round robin, so that a key is not soon given again. soft_self.lock held. */
static int row_find(uint32_t *index)
{
	for (uint32_t i = 0; i < LAYOUT_MR_COUNT; i++) {
		uint32_t candidate = (soft_self.mr_next + i) % LAYOUT_MR_COUNT;

		if (candidate && !mrs[candidate]) {
			soft_self.mr_next = candidate + 1;
			*index = candidate;
			return 0;
		}
	}
	return -ENOMEM;
}

/* Peers see a copy of the row, because what they see they can write to. */
static void row_show(uint32_t index)
{
	const struct mr_row *row = &soft_self.mrs[index];
	struct mr_row *shown = &soft_self.shown_mrs[index];

	__atomic_store_n(&shown->id, 0, __ATOMIC_SEQ_CST);
	if (!row->id)
		return;
	shown->iova = row->iova;
	shown->length = row->length;
	shown->addr = row->addr;
	shown->access = row->access;
	shown->pd = row->pd;
	shown->kind = row->kind;
	__atomic_store_n(&shown->id, row->id, __ATOMIC_RELEASE);
}

static int access_check(unsigned int access, size_t length)
{
	unsigned int needed = access & ~(unsigned int)IBV_ACCESS_OPTIONAL_RANGE;

	if (needed & IBV_ACCESS_ON_DEMAND)
		return -EOPNOTSUPP;
	needed &= ~(unsigned int)IBV_ACCESS_HUGETLB; /* a hint */
	if (needed & ~(unsigned int)ACCESS_SUPPORTED)
		return -EINVAL;
	/* IBA 11.2.8.2: who lets others write must be allowed to write himself. */
	if ((needed & (IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC)) && !(needed & IBV_ACCESS_LOCAL_WRITE))
		return -EINVAL;
	return length > SOFT_MAX_MR_SIZE ? -EINVAL : 0;
}

/* The row's fields but the id; soft_self.lock held, as in the next. */
static void row_fill(struct core_mr *mr, uint64_t iova, unsigned int access)
{
	struct mr_row *row = &soft_self.mrs[mr->index];

	row->access = access & ACCESS_SUPPORTED;
	row->iova = iova;
	row->length = mr->soft.base.length;
	row->addr = (uint64_t)(uintptr_t)mr->soft.base.addr;
	row->pd = ((const struct core_pd *)mr->soft.base.pd)->number;
	row->kind = mr->backing && soft_mr_backing_file(mr->backing) ? MR_FILE_BACKED : MR_SHARED_IN_PLACE;
}

/* What was mapped under another id is mapped anew. */
static void row_publish(struct core_mr *mr)
{
	__atomic_store_n(&soft_self.mrs[mr->index].id, MR_ID(uses[mr->index], mr->soft.base.lkey), __ATOMIC_RELEASE);
	row_show(mr->index);
}

static int mr_enter(struct core_mr *mr, struct ibv_pd *pd, void *addr, size_t length, uint64_t iova,
		    unsigned int access)
{
	int err;

	pthread_mutex_lock(&soft_self.lock);
	err = row_find(&mr->index);
	if (!err) {
		uses[mr->index]++;
		mr->soft.base.context = pd->context;
		mr->soft.base.pd = pd;
		mr->soft.base.addr = addr;
		mr->soft.base.length = length;
		mr->soft.base.handle = mr->index;
		mr->soft.base.lkey = mr->soft.base.rkey = KEY(uses[mr->index], soft_self.slot, mr->index);
		mrs[mr->index] = mr;
		row_fill(mr, iova, access);
		row_publish(mr);
	}
	pthread_mutex_unlock(&soft_self.lock);
	return err;
}

struct ibv_mr *soft_reg_mr(struct ibv_pd *ibpd, void *addr, size_t length, uint64_t iova, unsigned int access)
{
	SOFT_UNCANCELLED;
	struct core_pd *pd = (struct core_pd *)ibpd;
	struct core_mr *mr = NULL;
	int err = soft_fault_strikes(FAULT_REG_MR) ? -ENOMEM : access_check(access, length);

	if (!err && !(mr = calloc(1, sizeof(*mr))))
		err = -ENOMEM;
	if (err)
		goto err_errno;
	if (length && !soft_self.is_null) {
		err = soft_mr_backing_take(addr, length, access & ACCESS_WRITES, &mr->backing);
		if (err)
			goto err_free;
	}
	err = mr_enter(mr, ibpd, addr, length, access & IBV_ACCESS_ZERO_BASED ? 0 : iova, access);
	if (err)
		goto err_backing;
	__atomic_add_fetch(&pd->users, 1, __ATOMIC_RELAXED);
	return &mr->soft.base;

err_backing:
	if (mr->backing)
		soft_mr_backing_give(mr->backing);
err_free:
	free(mr);
err_errno:
	errno = -err;
	return NULL;
}

/* A positive errno, as of the two that follow. What of `access` holds from now on is written to it. */
static int rereg_check(const struct core_mr *mr, int flags, const struct ibv_pd *pd, const void *addr, size_t length,
		       unsigned int *access)
{
	if (!flags || flags & ~IBV_REREG_MR_FLAGS_SUPPORTED ||
	    (flags & IBV_REREG_MR_CHANGE_TRANSLATION && (!addr || !length)) || (flags & IBV_REREG_MR_CHANGE_PD && !pd))
		return EINVAL;
	if (flags & IBV_REREG_MR_CHANGE_ACCESS)
		return -access_check(*access, flags & IBV_REREG_MR_CHANGE_TRANSLATION ? length : 0);
	if (*access)
		return EINVAL;
	*access = soft_self.mrs[mr->index].access;
	return length > SOFT_MAX_MR_SIZE ? EINVAL : 0;
}

/* What the region is to be from now on is in `next`, its backing included; the old one's is left there. */
static int mr_exchange(struct core_mr *mr, struct core_mr *next, int flags, unsigned int access)
{
	const struct mr_row *row = &soft_self.mrs[mr->index];
	struct mr_backing *before = mr->backing;
	uint64_t iova;
	int err = 0;

	pthread_mutex_lock(&soft_self.lock);
	if (soft_mw_bound_to(mr)) { /* IBA 11.2.8.5: their keys reach into what is to go */
		err = EBUSY;
	} else {
		iova = flags & IBV_REREG_MR_CHANGE_TRANSLATION ? (uint64_t)(uintptr_t)next->soft.base.addr : row->iova;
		__atomic_store_n(&soft_self.mrs[mr->index].id, 0, __ATOMIC_RELEASE);
		row_show(mr->index);
		mr->soft.base.pd = next->soft.base.pd;
		mr->soft.base.addr = next->soft.base.addr;
		mr->soft.base.length = next->soft.base.length;
		mr->backing = next->backing;
		next->backing = before;
		row_fill(mr, access & IBV_ACCESS_ZERO_BASED ? 0 : iova, access);
		uses[mr->index] += 1u << KEY_USE_BITS; /* another id, the same key */
		row_publish(mr);
	}
	pthread_mutex_unlock(&soft_self.lock);
	return err;
}

/* Nothing has changed when it fails. */
int soft_rereg_mr(struct ibv_mr *public, int flags, struct ibv_pd *pd, void *addr, size_t length, int access_flags)
{
	SOFT_UNCANCELLED;
	struct core_mr *mr = (struct core_mr *)public;
	struct core_mr next = {.soft.base = *public, .backing = mr->backing};
	struct core_pd *before = (struct core_pd *)public->pd;
	unsigned int access = (unsigned int)access_flags;
	bool is_moving;
	int err = mr->is_fixed ? EINVAL : rereg_check(mr, flags, pd, addr, length, &access);

	if (err)
		return err;
	if (flags & IBV_REREG_MR_CHANGE_TRANSLATION) {
		next.soft.base.addr = addr;
		next.soft.base.length = length;
	}
	if (flags & IBV_REREG_MR_CHANGE_PD)
		next.soft.base.pd = pd;
	/* Memory that was registered for reading may not be fit to be written. */
	is_moving = flags & IBV_REREG_MR_CHANGE_TRANSLATION ||
		    (access & ACCESS_WRITES && !(soft_self.mrs[mr->index].access & ACCESS_WRITES));
	if (is_moving && next.soft.base.length && !soft_self.is_null) {
		err = -soft_mr_backing_take(next.soft.base.addr, next.soft.base.length, access & ACCESS_WRITES,
					    &next.backing);
		if (err)
			return err;
	}
	err = mr_exchange(mr, &next, flags, access);
	if (is_moving && next.backing)
		soft_mr_backing_give(next.backing);
	if (!err && public->pd != &before->soft.base) {
		__atomic_add_fetch(&((struct core_pd *)public->pd)->users, 1, __ATOMIC_RELAXED);
		__atomic_sub_fetch(&before->users, 1, __ATOMIC_RELEASE);
	}
	return err;
}

int soft_dereg_mr(struct ibv_mr *ibmr)
{
	SOFT_UNCANCELLED;
	struct core_mr *mr = (struct core_mr *)ibmr;
	struct core_pd *pd = (struct core_pd *)ibmr->pd;

	pthread_mutex_lock(&soft_self.lock);
	if (soft_mw_bound_to(mr)) {
		pthread_mutex_unlock(&soft_self.lock);
		return EBUSY;
	}
	__atomic_store_n(&soft_self.mrs[mr->index].id, 0, __ATOMIC_RELEASE);
	row_show(mr->index);
	mrs[mr->index] = NULL;
	pthread_mutex_unlock(&soft_self.lock);
	if (mr->backing)
		soft_mr_backing_give(mr->backing);
	__atomic_sub_fetch(&pd->users, 1, __ATOMIC_RELEASE);
	free(mr);
	return 0;
}

int soft_mr_file(uint32_t key, struct mr_file *file)
{
	uint32_t index = KEY_INDEX(key);
	const struct mr_file *found;
	int err = -ENOENT;

	pthread_mutex_lock(&soft_self.lock);
	if (mrs[index] && mrs[index]->soft.base.rkey == key && mrs[index]->backing) {
		found = soft_mr_backing_file(mrs[index]->backing);
		if (found) {
			*file = *found;
			err = 0;
			if (found->fd >= 0) {
				file->fd = fcntl(found->fd, F_DUPFD_CLOEXEC, 0);
				err = file->fd < 0 ? -errno : 0;
			}
		}
	}
	pthread_mutex_unlock(&soft_self.lock);
	return err;
}
