// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The interposed verbs, one row per verb; programs and other libraries call them because the library is preloaded or
 * linked ahead of libibverbs.
 *
 * For an object of a software device, soft_<verb>() answers; or the call fails with EOPNOTSUPP if the device does not
 * support it, or if the object belongs to the parent of a forked child. Any other object is passed, unchanged, to the
 * libibverbs function with the same version node. The nodes are libibverbs' own; libperftest_soft.map repeats them and
 * a test compares the two.
 *
 * Every verb that takes an object must have a row, including those that no known program uses, and those newer than the
 * installed headers (verbs_later.h): libibverbs would access the private half of a context, which a software device
 * does not have.
 */
#include "config.h"

#include "abi/abi.h"
#include "abi/verbs_later.h"
#include "host/async.h"
#include "host/next.h"
#include "host/runtime_dir.h"

/* verbs.h wraps these in macros of the same name, which would replace them in the rows below. */
#undef ibv_query_port
#undef ibv_reg_mr
#undef ibv_reg_mr_iova

/* Shows a program that the library is loaded: dlsym(RTLD_DEFAULT, "perftest_soft_version"). */
SOFT_EXPORT extern const char perftest_soft_version[];
const char perftest_soft_version[] = PACKAGE_VERSION;

/* For messages of programs whose peer may use another directory. As soft_runtime_identify(). */
SOFT_EXPORT int perftest_soft_folder(char *text, size_t size);
int perftest_soft_folder(char *text, size_t size)
{
	return soft_runtime_identify(text, size);
}

/* How each kind of verb fails. */
static int fail_errno(void)
{
	errno = EOPNOTSUPP;
	return errno;
}

static int fail_minus_one(void)
{
	return soft_minus_one(EOPNOTSUPP);
}

static int fail_minus_errno(void)
{
	return -fail_errno();
}

static int fail_zero(void)
{
	return 0;
}

static __be64 fail_guid(void)
{
	return 0;
}

static void *fail_null(void)
{
	return soft_refuse(EOPNOTSUPP);
}

static void fail_silently(void)
{
}

/* Programs print errno for these verbs, too: with a kernel's device it is that of the system call. */
static int errno_from(int err)
{
	if (err > 0)
		errno = err;
	return err;
}

/* What a verb returns that answers, by how it fails. */
#define ANSWER_fail_errno(answer)	errno_from(answer)
#define ANSWER_fail_minus_one(answer)	answer
#define ANSWER_fail_minus_errno(answer) answer
#define ANSWER_fail_zero(answer)	answer
#define ANSWER_fail_guid(answer)	answer
#define ANSWER_fail_null(answer)	answer
#define ANSWER_fail_silently(answer)	answer

/* The owner of the object of an event; events of ports and the device have no object, and need no answer. */
static enum soft_owner owns_event(const struct ibv_async_event *event)
{
	const struct ibv_context *context = soft_async_object(event).context;

	return context ? soft_owns(context) : OWNER_OTHER;
}

#define ROW(type, name, node, parameters, arguments, owned, answer, failure)                                           \
	SOFT_EXPORT type name parameters                                                                               \
	{                                                                                                              \
		const enum soft_owner owner = (enum soft_owner)(owned);                                                \
		type(*real) parameters;                                                                                \
                                                                                                                       \
		if (owner == OWNER_SELF)                                                                               \
			return ANSWER_##failure(answer);                                                               \
		if (owner == OWNER_PARENT)                                                                             \
			return failure();                                                                              \
		real = SOFT_FOUND(type(*) parameters, soft_real_symbol(#name, node));                                  \
		return real ? real arguments : failure();                                                              \
	}

/* The common kinds: answered by soft_<verb>() with the same arguments, or refused. */
#define VERB(type, verb, node, parameters, arguments, owned, failure)                                                  \
	ROW(type, ibv_##verb, node, parameters, arguments, owned, soft_##verb arguments, failure)
#define REFUSED(type, verb, node, parameters, arguments, owned, failure)                                               \
	ROW(type, ibv_##verb, node, parameters, arguments, owned, failure(), failure)

/*
 * One row per verb: return type, verb, version node, parameters, arguments, "is the object ours?", and the result if it
 * is not supported (by the software device in REFUSED rows; by a libibverbs without the verb in all).
 */
/* clang-format off */

/*
 * Devices and contexts. ibv_get_device_list, ibv_free_device_list, ibv_import_device: device_list.c. Device
 * attributes are not objects: a forked child may query them, too.
 */
ROW(const char *, ibv_get_device_name, "IBVERBS_1.1", (struct ibv_device *device), (device),
    soft_owns_device(device), device->name, fail_null)
VERB(__be64, get_device_guid, "IBVERBS_1.1", (struct ibv_device *device), (device),
     soft_owns_device(device), fail_guid)
VERB(int, get_device_index, "IBVERBS_1.9", (struct ibv_device *device), (device),
     soft_owns_device(device), fail_minus_one)
VERB(struct ibv_context *, open_device, "IBVERBS_1.1", (struct ibv_device *device), (device),
     soft_owns_device(device), fail_null)
VERB(int, close_device, "IBVERBS_1.1", (struct ibv_context *context), (context), soft_owns(context), fail_errno)
VERB(int, query_device, "IBVERBS_1.1", (struct ibv_context *context, struct ibv_device_attr *attr), (context, attr),
     soft_owns_device(context->device), fail_errno)
ROW(int, ibv_query_port, "IBVERBS_1.1",
    (struct ibv_context *context, uint8_t port, struct _compat_ibv_port_attr *attr), (context, port, attr),
    soft_owns_device(context->device), soft_query_port_compat(context, port, attr), fail_errno)
VERB(int, query_port_speed, "IBVERBS_1.16", (struct ibv_context *context, uint32_t port, uint64_t *speed),
     (context, port, speed), soft_owns_device(context->device), fail_errno)
ROW(int, ibv_query_gid, "IBVERBS_1.1", (struct ibv_context *context, uint8_t port, int index, union ibv_gid *gid),
    (context, port, index, gid), soft_owns_device(context->device),
    soft_query_gid_plain(context, port, index, gid), fail_minus_one)
ROW(int, _ibv_query_gid_ex, "IBVERBS_1.11",
    (struct ibv_context *context, uint32_t port, uint32_t index, struct ibv_gid_entry *entry, uint32_t flags, size_t size),
    (context, port, index, entry, flags, size),
    soft_owns_device(context->device), soft_query_gid_ex(context, port, index, entry, flags, size), fail_errno)
ROW(ssize_t, _ibv_query_gid_table, "IBVERBS_1.11",
    (struct ibv_context *context, struct ibv_gid_entry *entries, size_t max, uint32_t flags, size_t size),
    (context, entries, max, flags, size),
    soft_owns_device(context->device), soft_query_gid_table(context, entries, max, flags, size), fail_minus_errno)
VERB(int, query_gid_type, NULL, (struct ibv_context *context, uint8_t port, unsigned int index, unsigned int *type),
     (context, port, index, type), soft_owns_device(context->device), fail_minus_one)
VERB(int, query_pkey, "IBVERBS_1.1", (struct ibv_context *context, uint8_t port, int index, __be16 *pkey),
     (context, port, index, pkey), soft_owns_device(context->device), fail_minus_one)
VERB(int, get_pkey_index, "IBVERBS_1.5", (struct ibv_context *context, uint8_t port, __be16 pkey),
     (context, port, pkey), soft_owns_device(context->device), fail_minus_one)
REFUSED(int, resolve_eth_l2_from_gid, "IBVERBS_1.1",
        (struct ibv_context *context, struct ibv_ah_attr *attr, uint8_t mac[ETHERNET_LL_SIZE], uint16_t *vid),
        (context, attr, mac, vid), soft_owns_device(context->device), fail_minus_errno)
VERB(int, get_async_event, "IBVERBS_1.1", (struct ibv_context *context, struct ibv_async_event *event),
     (context, event), soft_owns(context), fail_minus_one)
VERB(void, ack_async_event, "IBVERBS_1.1", (struct ibv_async_event *event), (event),
     owns_event(event), fail_silently)
REFUSED(struct ibv_pd *, import_pd, "IBVERBS_1.10", (struct ibv_context *context, uint32_t handle), (context, handle),
        soft_owns(context), fail_null)
REFUSED(struct ibv_dm *, import_dm, "IBVERBS_1.13", (struct ibv_context *context, uint32_t handle), (context, handle),
        soft_owns(context), fail_null)
REFUSED(void, unimport_dm, "IBVERBS_1.13", (struct ibv_dm *dm), (dm), soft_owns(dm->context), fail_silently)
REFUSED(int, dm_export_dmabuf_fd, "IBVERBS_1.16", (struct ibv_dm *dm), (dm), soft_owns(dm->context), fail_minus_one)
REFUSED(struct ibv_dmah *, alloc_dmah, "IBVERBS_1.15", (struct ibv_context *context, struct ibv_dmah_init_attr *attr),
        (context, attr), soft_owns(context), fail_null)
ROW(int, _ibv_query_comp_cntr_caps, "IBVERBS_1.18",
    (struct ibv_context *context, struct ibv_comp_cntr_caps *caps, size_t size), (context, caps, size),
    soft_owns(context), fail_errno(), fail_errno)
REFUSED(struct ibv_comp_cntr *, create_comp_cntr, "IBVERBS_1.18",
        (struct ibv_context *context, struct ibv_comp_cntr_init_attr *attr), (context, attr),
        soft_owns(context), fail_null)

/* Protection domains. */
VERB(struct ibv_pd *, alloc_pd, "IBVERBS_1.1", (struct ibv_context *context), (context), soft_owns(context), fail_null)
ROW(int, ibv_dealloc_pd, "IBVERBS_1.1", (struct ibv_pd *pd), (pd), soft_owns(pd->context), soft_parent_domain_dealloc(pd),
    fail_errno)
REFUSED(void, unimport_pd, "IBVERBS_1.10", (struct ibv_pd *pd), (pd), soft_owns(pd->context), fail_silently)

/* Memory regions. */
ROW(struct ibv_mr *, ibv_reg_mr, "IBVERBS_1.1", (struct ibv_pd *pd, void *addr, size_t length, int access),
    (pd, addr, length, access), soft_owns(pd->context),
    soft_reg_mr(pd, addr, length, (uintptr_t)addr, (unsigned int)access), fail_null)
ROW(struct ibv_mr *, ibv_reg_mr_iova, "IBVERBS_1.7",
    (struct ibv_pd *pd, void *addr, size_t length, uint64_t iova, int access), (pd, addr, length, iova, access),
    soft_owns(pd->context), soft_reg_mr(pd, addr, length, iova, (unsigned int)access), fail_null)
ROW(struct ibv_mr *, ibv_reg_mr_iova2, "IBVERBS_1.8",
    (struct ibv_pd *pd, void *addr, size_t length, uint64_t iova, unsigned int access),
    (pd, addr, length, iova, access),
    soft_owns(pd->context), soft_reg_mr(pd, addr, length, iova, access), fail_null)
REFUSED(struct ibv_mr *, reg_dmabuf_mr, "IBVERBS_1.12",
        (struct ibv_pd *pd, uint64_t offset, size_t length, uint64_t iova, int fd, int access),
        (pd, offset, length, iova, fd, access), soft_owns(pd->context), fail_null)
VERB(struct ibv_mr *, reg_mr_ex, "IBVERBS_1.15", (struct ibv_pd *pd, struct ibv_mr_init_attr *attr), (pd, attr),
     soft_owns(pd->context), fail_null)
/* -1 is IBV_REREG_MR_ERR_INPUT: nothing was changed. Arguments that no flag selects may point anywhere. */
ROW(int, ibv_rereg_mr, "IBVERBS_1.1",
    (struct ibv_mr *mr, int flags, struct ibv_pd *pd, void *addr, size_t length, int access),
    (mr, flags, pd, addr, length, access), soft_owns(mr->context),
    soft_minus_one(soft_rereg_mr(mr, flags, pd, addr, length, access)), fail_minus_one)
VERB(int, dereg_mr, "IBVERBS_1.1", (struct ibv_mr *mr), (mr), soft_owns(mr->context), fail_errno)
REFUSED(struct ibv_mr *, import_mr, "IBVERBS_1.10", (struct ibv_pd *pd, uint32_t handle), (pd, handle),
        soft_owns(pd->context), fail_null)
REFUSED(void, unimport_mr, "IBVERBS_1.10", (struct ibv_mr *mr), (mr), soft_owns(mr->context), fail_silently)
VERB(void *, alloc_buf, "IBVERBS_1.17", (struct ibv_pd *pd, size_t size, struct ibv_buf **buf), (pd, size, buf),
     soft_owns(pd->context), fail_null)
VERB(void, free_buf, "IBVERBS_1.17", (struct ibv_buf *buf), (buf), soft_owns_buf(buf), fail_silently)
/* None of them is backed by a dma-buf, which the manual page allows. */
ROW(int, ibv_export_buf_dmabuf_fd, "IBVERBS_1.18", (struct ibv_buf *buf), (buf), soft_owns_buf(buf),
    soft_minus_one(ENODATA), fail_minus_one)
VERB(struct ibv_mr *, reg_buf_mr, "IBVERBS_1.17",
     (struct ibv_pd *pd, struct ibv_buf *buf, void *addr, size_t length, int access), (pd, buf, addr, length, access),
     soft_owns(pd->context), fail_null)

/* Completions. */
VERB(struct ibv_comp_channel *, create_comp_channel, "IBVERBS_1.0", (struct ibv_context *context), (context),
     soft_owns(context), fail_null)
VERB(int, destroy_comp_channel, "IBVERBS_1.0", (struct ibv_comp_channel *channel), (channel),
     soft_owns(channel->context), fail_errno)
VERB(struct ibv_cq *, create_cq, "IBVERBS_1.1",
     (struct ibv_context *context, int cqe, void *cq_context, struct ibv_comp_channel *channel, int vector),
     (context, cqe, cq_context, channel, vector), soft_owns(context), fail_null)
VERB(int, resize_cq, "IBVERBS_1.1", (struct ibv_cq *cq, int cqe), (cq, cqe), soft_owns(cq->context), fail_errno)
VERB(int, destroy_cq, "IBVERBS_1.1", (struct ibv_cq *cq), (cq), soft_owns(cq->context), fail_errno)
VERB(int, get_cq_event, "IBVERBS_1.1", (struct ibv_comp_channel *channel, struct ibv_cq **cq, void **cq_context),
     (channel, cq, cq_context), soft_owns(channel->context), fail_minus_one)
VERB(void, ack_cq_events, "IBVERBS_1.1", (struct ibv_cq *cq, unsigned int count), (cq, count),
     soft_owns(cq->context), fail_silently)

/* Shared receive queues. */
VERB(struct ibv_srq *, create_srq, "IBVERBS_1.1", (struct ibv_pd *pd, struct ibv_srq_init_attr *attr), (pd, attr),
     soft_owns(pd->context), fail_null)
VERB(int, modify_srq, "IBVERBS_1.1", (struct ibv_srq *srq, struct ibv_srq_attr *attr, int mask), (srq, attr, mask),
     soft_owns(srq->context), fail_errno)
VERB(int, query_srq, "IBVERBS_1.1", (struct ibv_srq *srq, struct ibv_srq_attr *attr), (srq, attr),
     soft_owns(srq->context), fail_errno)
VERB(int, destroy_srq, "IBVERBS_1.1", (struct ibv_srq *srq), (srq), soft_owns(srq->context), fail_errno)

/* Queue pairs. */
VERB(struct ibv_qp *, create_qp, "IBVERBS_1.1", (struct ibv_pd *pd, struct ibv_qp_init_attr *attr), (pd, attr),
     soft_owns(pd->context), fail_null)
VERB(int, modify_qp, "IBVERBS_1.1", (struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask), (qp, attr, mask),
     soft_owns(qp->context), fail_errno)
VERB(int, query_qp, "IBVERBS_1.1",
     (struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask, struct ibv_qp_init_attr *init), (qp, attr, mask, init),
     soft_owns(qp->context), fail_errno)
ROW(int, ibv_destroy_qp, "IBVERBS_1.1", (struct ibv_qp *qp), (qp), soft_owns(qp->context), soft_qp_ex_destroy(qp),
    fail_errno)
VERB(struct ibv_qp_ex *, qp_to_qp_ex, "IBVERBS_1.6", (struct ibv_qp *qp), (qp), soft_owns(qp->context), fail_null)
VERB(int, set_ece, "IBVERBS_1.10", (struct ibv_qp *qp, struct ibv_ece *ece), (qp, ece), soft_owns(qp->context),
     fail_errno)
VERB(int, query_ece, "IBVERBS_1.10", (struct ibv_qp *qp, struct ibv_ece *ece), (qp, ece), soft_owns(qp->context),
     fail_errno)
/* 0: no byte order within a message is guaranteed, although the last byte is stored last. */
ROW(int, ibv_query_qp_data_in_order, "IBVERBS_1.14", (struct ibv_qp *qp, enum ibv_wr_opcode opcode, uint32_t flags),
    (qp, opcode, flags), soft_owns(qp->context), 0, fail_zero)
REFUSED(int, qp_attach_comp_cntr, "IBVERBS_1.18",
        (struct ibv_qp *qp, struct ibv_comp_cntr *counter, struct ibv_qp_attach_comp_cntr_attr *attr),
        (qp, counter, attr), soft_owns(qp->context), fail_errno)
VERB(int, attach_mcast, "IBVERBS_1.1", (struct ibv_qp *qp, const union ibv_gid *gid, uint16_t lid), (qp, gid, lid),
     soft_owns(qp->context), fail_errno)
VERB(int, detach_mcast, "IBVERBS_1.1", (struct ibv_qp *qp, const union ibv_gid *gid, uint16_t lid), (qp, gid, lid),
     soft_owns(qp->context), fail_errno)

/* Address handles. */
VERB(struct ibv_ah *, create_ah, "IBVERBS_1.1", (struct ibv_pd *pd, struct ibv_ah_attr *attr), (pd, attr),
     soft_owns(pd->context), fail_null)
VERB(int, init_ah_from_wc, "IBVERBS_1.1",
     (struct ibv_context *context, uint8_t port, struct ibv_wc *wc, struct ibv_grh *grh, struct ibv_ah_attr *attr),
     (context, port, wc, grh, attr), soft_owns(context), fail_minus_one)
VERB(struct ibv_ah *, create_ah_from_wc, "IBVERBS_1.1",
     (struct ibv_pd *pd, struct ibv_wc *wc, struct ibv_grh *grh, uint8_t port), (pd, wc, grh, port),
     soft_owns(pd->context), fail_null)
VERB(int, destroy_ah, "IBVERBS_1.1", (struct ibv_ah *ah), (ah), soft_owns(ah->context), fail_errno)

/* clang-format on */
