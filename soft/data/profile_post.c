// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * See profile_post.h. Requests before the one that is refused are posted, as by the drivers' libraries: those of SRD
 * the last one first. Across lists, messages seem to arrive in another order, since a poll returns them in another one.
 */
#include "data/profile_post.h"

#include <errno.h>

#include "host/core.h"
#include "host/profile.h"

bool soft_profile_checks_posts(void)
{
	const struct soft_profile *profile = soft_profile();

	return profile->needs_signals || profile->max_receive || profile->opcodes != PROFILE_ANY_OPCODE;
}

static bool send_is_accepted(const struct soft_profile *profile, const struct core_qp *qp, const struct ibv_send_wr *wr)
{
	if ((unsigned int)wr->opcode >= 32 || !(profile->opcodes & 1u << wr->opcode))
		return false;
	return !profile->needs_signals || wr->send_flags & IBV_SEND_SIGNALED || qp->all_signalled;
}

/* How many requests, from the first one of a list, will be taken. */
static uint32_t count_accepted(const struct core_qp *qp, const struct ibv_send_wr *wr)
{
	const uint32_t room = qp->depth - (qp->posted - __atomic_load_n(&qp->done, __ATOMIC_ACQUIRE));
	uint32_t count = 0;

	while (wr && count < room && send_is_accepted(soft_profile(), qp, wr)) {
		count++;
		wr = wr->next;
	}
	return count;
}

/* Posts these requests in reverse order. 0, or as soft_post_send(). */
static int post_reversed(struct ibv_qp *qp, struct ibv_send_wr *first, uint32_t count, struct ibv_send_wr **bad_wr)
{
	struct ibv_send_wr *reversed = NULL, *last = first;
	int err;

	for (uint32_t i = 0; i < count; i++) {
		struct ibv_send_wr *next = last->next;

		last->next = reversed;
		reversed = last;
		last = next;
	}
	err = soft_post_send(qp, reversed, bad_wr);
	/* The list is the program's. */
	for (struct ibv_send_wr *next = last; reversed;) {
		struct ibv_send_wr *before = reversed->next;

		reversed->next = next;
		next = reversed;
		reversed = before;
	}
	return err;
}

int soft_profile_post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad_wr)
{
	const uint32_t count =
		soft_profile()->reverses && core_qp_of(qp)->type == QP_SRD ? count_accepted(core_qp_of(qp), wr) : 0;

	if (count > 1) {
		int err = post_reversed(qp, wr, count, bad_wr);

		if (err)
			return err;
		for (uint32_t i = 0; i < count; i++)
			wr = wr->next;
	}
	for (; wr; wr = wr->next) {
		struct ibv_send_wr *next = wr->next;
		int err = EINVAL;

		*bad_wr = wr;
		if (send_is_accepted(soft_profile(), core_qp_of(qp), wr)) {
			wr->next = NULL;
			err = soft_post_send(qp, wr, bad_wr);
			wr->next = next;
		}
		if (err)
			return err;
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
			return err;
	}
	return 0;
}

/* What has arrived since the last poll, the latest first. */
int soft_profile_poll_cq(struct ibv_cq *cq, int count, struct ibv_wc *wc)
{
	const int polled = soft_poll_cq(cq, count, wc);

	for (int i = 0; i < polled / 2; i++) {
		const struct ibv_wc first = wc[i];

		wc[i] = wc[polled - 1 - i];
		wc[polled - 1 - i] = first;
	}
	return polled;
}
