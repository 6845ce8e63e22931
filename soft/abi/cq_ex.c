// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Extended completion queues: ibv_start_poll(), ibv_next_poll() and the readers, which work on one entry returned by
 * the core's poll. Called through the pointers of struct ibv_cq_ex.
 *
 * Polls one entry at a time: a prefetched entry would be missed by a plain ibv_poll_cq() on the same queue and by a
 * notification request.
 */

#include "abi/abi.h"
#include "host/core.h"
#include "host/profile.h"

#define WC_OF_PACKETS ((uint64_t)IBV_WC_EX_WITH_CVLAN | IBV_WC_EX_WITH_FLOW_TAG)
#define WC_TIMES      (IBV_WC_EX_WITH_COMPLETION_TIMESTAMP | IBV_WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK)

static struct soft_cq *reader_cq(struct ibv_cq_ex *cq)
{
	return (struct soft_cq *)cq;
}

static int reader_next_poll(struct ibv_cq_ex *cq)
{
	struct soft_cq *soft = reader_cq(cq);
	int count = ibv_poll_cq(ibv_cq_ex_to_cq(cq), 1, &soft->entry);

	if (count <= 0)
		return count ? -count : ENOENT;
	cq->status = soft->entry.status;
	cq->wr_id = soft->entry.wr_id;
	return 0;
}

static void reader_end_poll(struct ibv_cq_ex *cq)
{
	local_lock_release(&reader_cq(cq)->reading, reader_cq(cq)->reads_alone);
}

/* Releases the lock if there is no completion: the program calls end_poll only after success. */
static int reader_start_poll(struct ibv_cq_ex *cq, struct ibv_poll_cq_attr *attr)
{
	bool is_alone;
	int err;

	if (attr->comp_mask)
		return EINVAL;
	is_alone = local_lock_take(&reader_cq(cq)->reading);
	reader_cq(cq)->reads_alone = is_alone;
	err = reader_next_poll(cq);
	if (err)
		reader_end_poll(cq);
	return err;
}

#define READ(type, name, field)                                                                                        \
	static type reader_read_##name(struct ibv_cq_ex *cq)                                                           \
	{                                                                                                              \
		return reader_cq(cq)->entry.field;                                                                     \
	}

READ(enum ibv_wc_opcode, opcode, opcode)
READ(uint32_t, vendor_err, vendor_err)
READ(uint32_t, byte_len, byte_len)
READ(__be32, imm_data, imm_data)
READ(uint32_t, qp_num, qp_num)
READ(uint32_t, src_qp, src_qp)
READ(unsigned int, wc_flags, wc_flags)
READ(uint32_t, slid, slid)
READ(uint8_t, sl, sl)
READ(uint8_t, dlid_path_bits, dlid_path_bits)

/* Raw packets have neither immediate data nor a source QP: the core stores these values there. */
READ(uint32_t, flow_tag, src_qp)

static uint16_t reader_read_cvlan(struct ibv_cq_ex *cq)
{
	return (uint16_t)reader_cq(cq)->entry.imm_data;
}

static uint64_t reader_read_completion_ts(struct ibv_cq_ex *cq)
{
	return reader_cq(cq)->time;
}

/* The completion's age is the same on every clock. */
static uint64_t reader_read_completion_wallclock_ns(struct ibv_cq_ex *cq)
{
	uint64_t age = soft_clock_now() - reader_cq(cq)->time;
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec - age;
}

static int cq_init_attr_check(const struct ibv_cq_init_attr_ex *attr)
{
	/* Both are promises by the program that the device does not need, and change nothing. */
	const uint32_t known_flags = IBV_CREATE_CQ_ATTR_SINGLE_THREADED | IBV_CREATE_CQ_ATTR_IGNORE_OVERRUN;

	if (attr->comp_mask & ~(uint32_t)(IBV_CQ_INIT_ATTR_MASK_FLAGS | IBV_CQ_INIT_ATTR_MASK_PD))
		return EOPNOTSUPP;
	if (attr->wc_flags & ~(uint64_t)(IBV_WC_STANDARD_FLAGS | WC_TIMES | WC_OF_PACKETS))
		return EOPNOTSUPP;
	if ((attr->comp_mask & IBV_CQ_INIT_ATTR_MASK_FLAGS) && (attr->flags & ~known_flags))
		return EOPNOTSUPP;
	/* The libraries that have thread domains look for one, but for ionic's. */
	if (attr->comp_mask & IBV_CQ_INIT_ATTR_MASK_PD &&
	    (!attr->parent_domain || (soft_profile()->has & PROFILE_THREADS && !soft_profile()->takes_plain_pds &&
				      !((const struct core_pd *)attr->parent_domain)->is_parent)))
		return EINVAL;
	if (attr->wc_flags & WC_TIMES && !(soft_profile()->has & PROFILE_TIMES))
		return EOPNOTSUPP;
	return attr->cqe > soft_profile()->max_cqe ? EINVAL : 0;
}

static void reader_install(struct ibv_cq_ex *cq)
{
#define FILL(name) cq->name = reader_##name;
	/* clang-format off */
	FILL(start_poll) FILL(next_poll) FILL(end_poll) FILL(read_opcode) FILL(read_vendor_err) FILL(read_byte_len)
	FILL(read_imm_data) FILL(read_qp_num) FILL(read_src_qp) FILL(read_wc_flags) FILL(read_slid) FILL(read_sl)
	FILL(read_dlid_path_bits) FILL(read_cvlan) FILL(read_flow_tag) FILL(read_completion_ts)
	FILL(read_completion_wallclock_ns)
	/* clang-format on */
}

struct ibv_cq_ex *soft_create_cq_ex(struct ibv_context *context, struct ibv_cq_init_attr_ex *attr)
{
	struct ibv_cq *cq;
	int err = cq_init_attr_check(attr);

	if (err)
		return soft_refuse(err);
	cq = soft_create_cq(context, (int)attr->cqe, attr->cq_context, attr->channel, (int)attr->comp_vector);
	if (!cq)
		return NULL;
	if (attr->wc_flags & WC_TIMES && soft_cq_keep_times(cq)) {
		soft_destroy_cq(cq);
		return soft_refuse(ENOMEM);
	}
	reader_install(&((struct soft_cq *)cq)->base);
	return &((struct soft_cq *)cq)->base;
}
