// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Attaches queue pairs of this process to multicast groups: a table in the control file, which senders read
 * (data/mcast.c). Sender and receivers have to agree on the group's GID: on RoCE groups are not created.
 */

#include "host/core.h"
#include "host/fault.h"
#include "host/profile.h"
#include "host/runtime_dir.h"

#define MULTICAST_GID	0xff /* IBA 4.1.1; and in the form of an IPv4 address, */
#define MULTICAST_IPV4	0xe0 /* these four bits */
#define MULTICAST_IPV4S 0xf0

bool soft_is_multicast(const union ibv_gid *gid)
{
	static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};

	if (memcmp(gid->raw, mapped, sizeof(mapped)) == 0)
		return (gid->raw[12] & MULTICAST_IPV4S) == MULTICAST_IPV4;
	return gid->raw[0] == MULTICAST_GID;
}

/* soft_self.lock is held. NULL: it is not in that group. */
static struct mcast_row *mcast_row_find(uint32_t qpn, const union ibv_gid *gid)
{
	for (uint32_t i = 0; i < soft_self.header->mcast_used; i++) {
		struct mcast_row *row = &soft_self.mcast_rows[i];

		if (row->qpn == qpn && memcmp(&row->group, gid, sizeof(*gid)) == 0)
			return row;
	}
	return NULL;
}

/* soft_self.lock held. */
static struct mcast_row *row_free(void)
{
	for (uint32_t i = 0; i < LAYOUT_MCAST_COUNT; i++) {
		if (!soft_self.mcast_rows[i].qpn)
			return &soft_self.mcast_rows[i];
	}
	return NULL;
}

/* soft_self.lock held. */
static int attach(struct core_qp *qp, const union ibv_gid *gid)
{
	struct mcast_row *row;
	uint32_t index;
	int err;

	if (mcast_row_find(core_qp_number(qp), gid))
		return 0;
	row = row_free();
	if (!row)
		return -ENOMEM;
	err = soft_self.is_null ? 0 : soft_runtime_mark();
	if (err)
		return err;
	index = (uint32_t)(row - soft_self.mcast_rows);
	__atomic_store_n(&row->use, row->use + 1, __ATOMIC_RELEASE);
	row->group = *gid;
	__atomic_store_n(&row->qpn, core_qp_number(qp), __ATOMIC_RELEASE);
	if (index >= soft_self.header->mcast_used)
		__atomic_store_n(&soft_self.header->mcast_used, index + 1, __ATOMIC_RELEASE);
	qp->groups++;
	return 0;
}

static int qp_check(const struct core_qp *qp, const union ibv_gid *gid)
{
	return qp->type != QP_UD || !soft_is_multicast(gid) ? -EINVAL : 0;
}

/* A group's LID only matters on InfiniBand: on Ethernet its address is in the GID. */
int soft_attach_mcast(struct ibv_qp *public, const union ibv_gid *gid, uint16_t lid)
{
	struct core_qp *qp = core_qp_of(public);
	int err = soft_profile()->has & PROFILE_MULTICAST ? qp_check(qp, gid) : -EOPNOTSUPP;

	(void)lid;
	if (!err && soft_fault_strikes(FAULT_ATTACH_MCAST))
		err = -EIO;
	if (err)
		return -err;
	pthread_mutex_lock(&soft_self.lock);
	err = attach(qp, gid);
	pthread_mutex_unlock(&soft_self.lock);
	return -err;
}

/* A datagram that is being delivered may still arrive, as if it had been in transit. */
int soft_detach_mcast(struct ibv_qp *public, const union ibv_gid *gid, uint16_t lid)
{
	struct core_qp *qp = core_qp_of(public);
	struct mcast_row *row;

	(void)lid;
	if (qp_check(qp, gid))
		return EINVAL;
	pthread_mutex_lock(&soft_self.lock);
	row = mcast_row_find(core_qp_number(qp), gid);
	if (row) {
		__atomic_store_n(&row->qpn, 0, __ATOMIC_RELEASE);
		__atomic_store_n(&row->use, row->use + 1, __ATOMIC_RELEASE);
		qp->groups--;
	}
	pthread_mutex_unlock(&soft_self.lock);
	return row ? 0 : EINVAL;
}
