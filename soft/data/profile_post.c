// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See profile_post.h. Requests before the one that is refused are posted, as by the drivers' libraries. */
#include "data/profile_post.h"

#include <errno.h>

#include "host/core.h"
#include "host/profile.h"

static bool inline_is_accepted(const struct soft_profile *profile, const struct core_qp *qp,
			       const struct ibv_send_wr *wr)
{
	const uint64_t length = core_list_length(wr->sg_list, wr->num_sge);

	return length <= qp->max_inline &&
	       (!profile->inlines_packets || !qp->attr.path_mtu || length <= core_mtu(qp->attr.path_mtu));
}

static bool flags_are_accepted(const struct soft_profile *profile, const struct core_qp *qp,
			       const struct ibv_send_wr *wr)
{
	const bool writes = wr->opcode == IBV_WR_RDMA_WRITE || wr->opcode == IBV_WR_RDMA_WRITE_WITH_IMM;

	if (profile->needs_signals && !(wr->send_flags & IBV_SEND_SIGNALED) && !qp->all_signalled)
		return false;
	if (qp->type == QP_SRD && !qp->writes_inline && writes && wr->send_flags & IBV_SEND_INLINE)
		return false;
	return !profile->send_flags || !(wr->send_flags & ~profile->send_flags);
}

/* 0, or what the post returns. */
static int send_check(const struct soft_profile *profile, const struct core_qp *qp, const struct ibv_send_wr *wr)
{
	if ((unsigned int)wr->opcode >= 32 || !(profile->opcodes & 1u << wr->opcode))
		return profile->refuses_opcode ? profile->refuses_opcode : EINVAL;
	if (!flags_are_accepted(profile, qp, wr))
		return EINVAL;
	if (wr->send_flags & IBV_SEND_INLINE && !inline_is_accepted(profile, qp, wr))
		return profile->refuses_inline ? profile->refuses_inline : EINVAL;
	return wr->opcode == IBV_WR_RDMA_READ && profile->max_reads &&
			       qp->posted - __atomic_load_n(&qp->done, __ATOMIC_ACQUIRE) >= profile->max_reads
		       ? EINVAL
		       : 0;
}

static int refusal(int err)
{
	return soft_profile()->negates && err > 0 ? -err : err;
}

int soft_profile_post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad_wr)
{
	for (; wr; wr = wr->next) {
		struct ibv_send_wr *next = wr->next;
		int err = send_check(soft_profile(), core_qp_of(qp), wr);

		*bad_wr = wr;
		if (!err) {
			wr->next = NULL;
			err = soft_post_send(qp, wr, bad_wr);
			wr->next = next;
		}
		if (err)
			return refusal(err);
	}
	return 0;
}

static bool receive_is_accepted(const struct soft_profile *profile, const struct ibv_recv_wr *wr)
{
	for (int i = 0; i < wr->num_sge && profile->max_receive; i++)
		if (wr->sg_list[i].length > profile->max_receive)
			return false;
	return true;
}

int soft_profile_post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad_wr)
{
	for (; wr; wr = wr->next) {
		struct ibv_recv_wr *next = wr->next;
		int err = EINVAL;

		*bad_wr = wr;
		if (receive_is_accepted(soft_profile(), wr)) {
			wr->next = NULL;
			err = soft_post_recv(qp, wr, bad_wr);
			wr->next = next;
		}
		if (err)
			return refusal(err);
	}
	return 0;
}
