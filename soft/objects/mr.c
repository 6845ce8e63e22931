// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Memory regions: each has a row in the control file, against which every local or remote work request is checked.
 * Called through the verbs, and by the service thread for regions that peers cannot find in the data file.
 */
#include "config.h"

#include "objects/objects.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/vfs.h>

#include "data/data.h"
#include "host/fault.h"
#include "host/mapping.h"
#include "host/profile.h"
#include "host/threads.h"
#include "memory/pages.h"

#define ACCESS_SUPPORTED                                                                                               \
	(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC |        \
	 IBV_ACCESS_MW_BIND | IBV_ACCESS_ZERO_BASED | IBV_ACCESS_ON_DEMAND)
#define SOFT_ADVICE_PREFETCH_NO_FAULT ((enum ibv_advise_mr_advice)2) /* rdma-core 33 and later */
#define SOFT_MADV_POPULATE_READ	      22			     /* Linux 5.14 */
#define SOFT_MADV_POPULATE_WRITE      23
#define ACCESS_WRITES		      (IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC)

static struct core_mr *mrs[LAYOUT_MR_COUNT]; /* by index, soft_self.lock */
static uint32_t uses[LAYOUT_MR_COUNT];	     /* registrations in each row so far */

/* Peers see a copy of the row, because they can write to whatever they map. */
static void mr_row_show(uint32_t index)
{
	struct mr_row row = soft_self.mrs[index], *shown = &soft_self.shown_mrs[index];
	const uint64_t id = row.id;

	__atomic_store_n(&shown->id, 0, __ATOMIC_SEQ_CST);
	row.id = 0;
	*shown = row;
	__atomic_store_n(&shown->id, id, __ATOMIC_RELEASE);
}

static int access_check(unsigned int access, size_t length)
{
	unsigned int needed = access & ~(unsigned int)IBV_ACCESS_OPTIONAL_RANGE;

	if (needed & IBV_ACCESS_ON_DEMAND && !(soft_profile()->has & PROFILE_PAGING))
		return -EOPNOTSUPP;
	if (soft_profile()->accesses && needed & ~soft_profile()->accesses)
		return -soft_profile()->refuses_access;
	/* These are hints: memory is never pinned, and huge pages are detected. */
	needed &= ~(unsigned int)(IBV_ACCESS_HUGETLB | IBV_ACCESS_ON_DEMAND);
	if (needed & ~(unsigned int)ACCESS_SUPPORTED)
		return -EINVAL;
	/* IBA 11.2.8.2: remote write access requires local write access. */
	if ((needed & (IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC)) && !(needed & IBV_ACCESS_LOCAL_WRITE))
		return -EINVAL;
	if (length > soft_profile()->max_mr_size && soft_profile()->refuses_size)
		return -soft_profile()->refuses_size;
	return length > soft_profile()->max_mr_size || length > SOFT_MAX_MR_SIZE ? -EINVAL : 0;
}

/* Does a file system write it back to a disk? Of an overlay only the kernel knows what is below. */
static bool is_written_back(const struct mr_file *file)
{
	struct statfs status;

	return file && file->fd >= 0 && !fstatfs(file->fd, &status) && status.f_type != TMPFS_MAGIC &&
	       status.f_type != HUGETLBFS_MAGIC && status.f_type != RAMFS_MAGIC &&
	       status.f_type != OVERLAYFS_SUPER_MAGIC;
}

/*
 * Adapters' pages are pinned, unless they are paged on demand: since Linux 6.5 not those of a shared file that is
 * written back, except for reading (writable_file_mapping_allowed in gup.c).
 */
static int pages_take(void *addr, size_t length, unsigned int access, struct mr_backing **backing)
{
	const struct soft_profile *profile = soft_profile();
	int err = soft_mr_backing_take(addr, length, access & ACCESS_WRITES, backing);

	if (!err && *profile->name && access & ACCESS_WRITES && !(access & IBV_ACCESS_ON_DEMAND) &&
	    is_written_back(soft_mr_backing_file(*backing))) {
		soft_mr_backing_give(*backing);
		err = -EFAULT;
	}
	return err == -EFAULT && profile->refuses_pages ? -profile->refuses_pages : err;
}

/* Fills the row except the id; soft_self.lock is held, also in the next function. */
static void row_fill(struct core_mr *mr, uint64_t iova, unsigned int access)
{
	struct mr_row *row = &soft_self.mrs[mr->index];

	row->access = access & ACCESS_SUPPORTED;
	row->iova = iova;
	row->length = mr->base.length;
	row->addr = (uint64_t)(uintptr_t)mr->base.addr;
	row->pd = ((const struct core_pd *)mr->base.pd)->number;
	row->kind = mr->backing && soft_mr_backing_file(mr->backing) ? MR_FILE_BACKED : MR_SHARED_IN_PLACE;
}

/* Peers remap what they mapped under another id. */
static void row_publish(struct core_mr *mr)
{
	__atomic_store_n(&soft_self.mrs[mr->index].id, MR_ID(uses[mr->index], mr->base.lkey), __ATOMIC_RELEASE);
	mr_row_show(mr->index);
}

static int mr_enter(struct core_mr *mr, struct ibv_pd *pd, void *addr, size_t length, uint64_t iova,
		    unsigned int access)
{
	int err;

	pthread_mutex_lock(&soft_self.lock);
	err = soft_index_find(mrs, 1, LAYOUT_MR_COUNT, &soft_self.mr_next, &mr->index);
	if (!err) {
		uses[mr->index]++;
		mr->base.context = pd->context;
		mr->base.pd = pd;
		mr->base.addr = addr;
		mr->base.length = length;
		mr->base.handle = mr->index;
		mr->base.lkey = mr->base.rkey = KEY(uses[mr->index], soft_self.slot, mr->index);
		mrs[mr->index] = mr;
		row_fill(mr, iova, access);
		row_publish(mr);
	}
	pthread_mutex_unlock(&soft_self.lock);
	return err;
}

/* Creates a row without length, which the fast paths cannot resolve: null and implicit regions. */
static struct ibv_mr *bare_mr_make(struct ibv_pd *pd, enum mr_kind kind, unsigned int access)
{
	struct core_mr *mr = calloc(1, sizeof(*mr));
	int err;

	if (!mr)
		return NULL;
	err = mr_enter(mr, pd, NULL, 0, 0, access);
	if (err) {
		free(mr);
		return soft_refuse(-err);
	}
	mr->is_fixed = true;
	pthread_mutex_lock(&soft_self.lock);
	soft_self.mrs[mr->index].kind = kind;
	mr_row_show(mr->index);
	pthread_mutex_unlock(&soft_self.lock);
	__atomic_add_fetch(&((struct core_pd *)pd)->users, 1, __ATOMIC_RELAXED);
	return &mr->base;
}

/* The whole address space: ibv_reg_mr(3), on-demand paging. */
static struct ibv_mr *implicit_mr_make(struct ibv_pd *pd, unsigned int access)
{
	struct ibv_mr *mr;
	int err = -access_check(access, 0);

	if (!err && access & (IBV_ACCESS_MW_BIND | IBV_ACCESS_ZERO_BASED))
		err = EINVAL;
	if (err)
		return soft_refuse(err);
	mr = bare_mr_make(pd, MR_IMPLICIT, access);
	if (mr)
		mr->length = SIZE_MAX;
	return mr;
}

struct ibv_mr *soft_alloc_null_mr(struct ibv_pd *pd)
{
	return bare_mr_make(pd, MR_NULL, IBV_ACCESS_LOCAL_WRITE);
}

struct ibv_mr *soft_reg_mr(struct ibv_pd *ibpd, void *addr, size_t length, uint64_t iova, unsigned int access)
{
	SOFT_UNCANCELLED;
	struct core_pd *pd = (struct core_pd *)ibpd;
	struct core_mr *mr = NULL;
	int err = soft_fault_strikes(FAULT_REG_MR) ? -ENOMEM : 0;

	if (!err && access & IBV_ACCESS_ON_DEMAND && !addr && length == SIZE_MAX)
		return implicit_mr_make(ibpd, access);
	err = err ?: access_check(access, length);
	if (!err && !(mr = calloc(1, sizeof(*mr))))
		err = -ENOMEM;
	if (err)
		goto err_errno;
	if (length && !soft_self.is_null) {
		err = pages_take(addr, length, access, &mr->backing);
		if (err)
			goto err_free;
	}
	err = mr_enter(mr, ibpd, addr, length, access & IBV_ACCESS_ZERO_BASED ? 0 : iova, access);
	if (err)
		goto err_backing;
	__atomic_add_fetch(&pd->users, 1, __ATOMIC_RELAXED);
	return &mr->base;

err_backing:
	if (mr->backing)
		soft_mr_backing_give(mr->backing);
err_free:
	free(mr);
err_errno:
	return soft_refuse(-err);
}

struct ibv_mr *soft_reg_counted_mr(struct ibv_pd *pd, void *addr, size_t length, uint64_t iova, unsigned int access,
				   uint32_t *holders)
{
	struct ibv_mr *mr = soft_reg_mr(pd, addr, length, iova, access);

	if (mr) {
		((struct core_mr *)mr)->is_fixed = true;
		((struct core_mr *)mr)->holders = holders;
		__atomic_add_fetch(holders, 1, __ATOMIC_RELAXED);
	}
	return mr;
}

/*
 * Returns a positive errno, as do the two following functions. *access: updated to the rights that apply from now on.
 */
static int rereg_check(const struct core_mr *mr, int flags, const struct ibv_pd *pd, const void *addr, size_t length,
		       unsigned int *access)
{
	if (!(soft_profile()->has & PROFILE_CHANGES))
		return EOPNOTSUPP;
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

/* `next` has the new state of the region, including its backing; the old backing is left there. */
static int mr_exchange(struct core_mr *mr, struct core_mr *next, int flags, unsigned int access)
{
	const struct mr_row *row = &soft_self.mrs[mr->index];
	struct mr_backing *before = mr->backing;
	uint64_t iova;
	int err = 0;

	pthread_mutex_lock(&soft_self.lock);
	if (soft_mw_bound_to(mr)) { /* IBA 11.2.8.5: their keys refer to memory that is removed */
		err = EBUSY;
	} else {
		iova = flags & IBV_REREG_MR_CHANGE_TRANSLATION ? (uint64_t)(uintptr_t)next->base.addr : row->iova;
		__atomic_store_n(&soft_self.mrs[mr->index].id, 0, __ATOMIC_RELEASE);
		mr_row_show(mr->index);
		mr->base.pd = next->base.pd;
		mr->base.addr = next->base.addr;
		mr->base.length = next->base.length;
		mr->backing = next->backing;
		next->backing = before;
		row_fill(mr, access & IBV_ACCESS_ZERO_BASED ? 0 : iova, access);
		uses[mr->index] += 1u << KEY_USE_BITS; /* another id, the same key */
		row_publish(mr);
	}
	pthread_mutex_unlock(&soft_self.lock);
	return err;
}

/* Changes nothing if it fails. */
int soft_rereg_mr(struct ibv_mr *public, int flags, struct ibv_pd *pd, void *addr, size_t length, int access_flags)
{
	SOFT_UNCANCELLED;
	struct core_mr *mr = (struct core_mr *)public;
	struct core_mr next = {.base = *public, .backing = mr->backing};
	struct core_pd *before = (struct core_pd *)public->pd;
	unsigned int access = (unsigned int)access_flags;
	bool is_moving;
	int err = mr->is_fixed ? EINVAL : rereg_check(mr, flags, pd, addr, length, &access);

	if (!err && soft_fault_strikes(FAULT_REREG_MR))
		err = EIO;
	if (err)
		return err;
	if (flags & IBV_REREG_MR_CHANGE_TRANSLATION) {
		next.base.addr = addr;
		next.base.length = length;
	}
	if (flags & IBV_REREG_MR_CHANGE_PD)
		next.base.pd = pd;
	/* Memory that was registered for reading may not be writable. */
	is_moving = flags & IBV_REREG_MR_CHANGE_TRANSLATION ||
		    (access & ACCESS_WRITES && !(soft_self.mrs[mr->index].access & ACCESS_WRITES));
	if (is_moving && next.base.length && !soft_self.is_null) {
		err = -pages_take(next.base.addr, next.base.length, access, &next.backing);
		if (err)
			return err;
	}
	err = mr_exchange(mr, &next, flags, access);
	if (is_moving && next.backing)
		soft_mr_backing_give(next.backing);
	if (!err && public->pd != &before->base) {
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
	mr_row_show(mr->index);
	mrs[mr->index] = NULL;
	pthread_mutex_unlock(&soft_self.lock);
	if (mr->backing)
		soft_mr_backing_give(mr->backing);
	while (mr->demanded_count)
		soft_mr_backing_give(mr->demanded[--mr->demanded_count]);
	free(mr->demanded);
	if (mr->holders)
		__atomic_sub_fetch(mr->holders, 1, __ATOMIC_RELEASE);
	__atomic_sub_fetch(&pd->users, 1, __ATOMIC_RELEASE);
	free(mr);
	return 0;
}

/* IBA has no such verb; see ibv_advise_mr(3). Returns a positive errno. */
static int advise_one(const struct core_pd *pd, enum ibv_advise_mr_advice advice, const struct ibv_sge *sge)
{
	const struct mr_row *row = &soft_self.mrs[KEY_INDEX(sge->lkey)];
	uint64_t into = sge->addr - row->iova;
	uint64_t start, end;

	if (!sge->lkey || MR_KEY(row->id) != sge->lkey || row->pd != pd->number)
		return ENOENT;
	if (!(row->access & IBV_ACCESS_ON_DEMAND))
		return EINVAL;
	if (advice == IBV_ADVISE_MR_ADVICE_PREFETCH_WRITE && !(row->access & IBV_ACCESS_LOCAL_WRITE))
		return EPERM;
	if (row->kind != MR_IMPLICIT && (into > row->length || sge->length > row->length - into))
		return EFAULT;
	if (advice == SOFT_ADVICE_PREFETCH_NO_FAULT || !sge->length)
		return 0; /* present pages need no action */
	start = page_down(row->addr + into);
	end = page_up(row->addr + into + sge->length);
	/* Before Linux 5.14 there is no such advice: the pages are allocated on use. */
	mapping_advise((void *)(uintptr_t)start, end - start,
		       advice == IBV_ADVISE_MR_ADVICE_PREFETCH ? SOFT_MADV_POPULATE_READ : SOFT_MADV_POPULATE_WRITE);
	return 0;
}

int soft_advise_mr(struct ibv_pd *pd, enum ibv_advise_mr_advice advice, uint32_t flags, struct ibv_sge *sg_list,
		   uint32_t num_sge)
{
	int err = 0;

	if (advice != IBV_ADVISE_MR_ADVICE_PREFETCH && advice != IBV_ADVISE_MR_ADVICE_PREFETCH_WRITE &&
	    advice != SOFT_ADVICE_PREFETCH_NO_FAULT)
		return EOPNOTSUPP;
	if (flags & ~(uint32_t)IBV_ADVISE_MR_FLAG_FLUSH || !num_sge)
		return EINVAL;
	pthread_mutex_lock(&soft_self.lock);
	for (uint32_t i = 0; i < num_sge && !err; i++)
		err = advise_one((const struct core_pd *)pd, advice, &sg_list[i]);
	pthread_mutex_unlock(&soft_self.lock);
	return err;
}

/* soft_self.lock is held. 0 or a negative errno. */
static int demand_take(struct core_mr *mr, uint64_t start, uint64_t length, bool writes)
{
	struct mr_backing *backing, **larger;
	int err;

	if (mr->demanded_count == SOFT_MAX_DEMANDED)
		return -ENOMEM;
	larger = soft_array_grow(mr->demanded, mr->demanded_count, sizeof(struct mr_backing *));
	if (!larger)
		return -ENOMEM;
	mr->demanded = larger;
	err = soft_mr_backing_take((void *)(uintptr_t)start, length, writes, &backing);
	if (err)
		return err;
	/* Memory in a file of the program has another descriptor: it needs a region of its own. */
	if (soft_mr_backing_file(backing)) {
		soft_mr_backing_give(backing);
		return -EOPNOTSUPP;
	}
	mr->demanded[mr->demanded_count++] = backing;
	return 0;
}

int soft_mr_demand(uint32_t key, uint64_t start, uint64_t length, bool writes)
{
	const struct mr_row *row = &soft_self.mrs[KEY_INDEX(key)];
	struct core_mr *mr;
	int err = -EINVAL;

	if (start % PAGE || length % PAGE || !length || length > 2ull * SOFT_MAX_MSG_SIZE ||
	    start > LAYOUT_DATA_SIZE - length)
		return err;
	pthread_mutex_lock(&soft_self.lock);
	mr = mrs[KEY_INDEX(key)];
	if (mr && mr->base.rkey == key && row->kind == MR_IMPLICIT &&
	    (!writes || row->access & IBV_ACCESS_LOCAL_WRITE)) {
		err = 0;
		for (uint32_t i = 0; i < mr->demanded_count; i++) {
			if (soft_mr_backing_covers(mr->demanded[i], start, length, writes))
				goto out;
		}
		err = demand_take(mr, start, length, writes);
	}
out:
	pthread_mutex_unlock(&soft_self.lock);
	return err;
}

int soft_mr_file(uint32_t key, struct mr_file *file)
{
	uint32_t index = KEY_INDEX(key);
	const struct mr_file *found;
	int err = -ENOENT;

	pthread_mutex_lock(&soft_self.lock);
	if (mrs[index] && mrs[index]->base.rkey == key && mrs[index]->backing) {
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
