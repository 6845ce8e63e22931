// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Does the software device behave as libibverbs' manual pages say, in cases where programs broke on prototypes: old and
 * new structure sizes, unknown flags, the ibv_wr_*() calls and completions read field by field? Linked with the device
 * ahead of libibverbs; both queue pairs are in this process.
 */
#include "config.h"

#include <endian.h>
#include <infiniband/verbs.h>

#include "abi/verbs_later.h"
#include "cmocka_all.h"
#include "verbs/device/device_diag.h"

/* The symbol itself, as old programs call it, not the wrapper of verbs.h. */
#undef ibv_query_port

#define BUFFER_SIZE 8192
#define QUEUE_SIZE  16
#define POISON	    0xa5

struct bench {
	struct ibv_context *context;
	struct ibv_pd *pd;
	struct ibv_mr *mr;
	struct ibv_cq_ex *cq;
	struct ibv_qp *qp[2]; /* connected to each other */
	uint8_t *buffer;      /* BUFFER_SIZE bytes; the first half is qp[0]'s, the second qp[1]'s */
};

static struct ibv_context *open_soft(const char *name)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *context = NULL;
	size_t i;

	assert_non_null(list);
	for (i = 0; list[i]; i++)
		if (strcmp(ibv_get_device_name(list[i]), name) == 0)
			context = ibv_open_device(list[i]);
	ibv_free_device_list(list);
	assert_non_null(context);
	return context;
}

static int context_open(void **state)
{
	*state = open_soft("soft0");
	return 0;
}

static int context_close(void **state)
{
	return ibv_close_device(*state);
}

TEST(test_old_query_port_stops_at_flags, context_open, context_close)
{
	unsigned char bytes[sizeof(struct ibv_port_attr)];
	struct ibv_port_attr attr;
	size_t i;

	memset(bytes, POISON, sizeof(bytes));
	assert_int_equal(ibv_query_port(*state, 1, (struct _compat_ibv_port_attr *)bytes), 0);
	for (i = offsetof(struct ibv_port_attr, port_cap_flags2); i < sizeof(bytes); i++)
		assert_int_equal(bytes[i], POISON);
	memcpy(&attr, bytes, sizeof(attr));
	assert_int_equal(attr.state, IBV_PORT_ACTIVE);
	assert_int_equal(attr.link_layer, IBV_LINK_LAYER_ETHERNET);
	assert_int_equal(attr.active_mtu, IBV_MTU_4096);
}

TEST(test_query_port_fills_a_longer_structure_with_zeroes, context_open, context_close)
{
	unsigned char bytes[sizeof(struct ibv_port_attr) + 64];
	struct verbs_context *verbs = verbs_get_ctx(*state);
	size_t i;

	memset(bytes, POISON, sizeof(bytes));
	assert_non_null(verbs);
	assert_int_equal(verbs->query_port(*state, 1, (struct ibv_port_attr *)bytes, sizeof(bytes)), 0);
	for (i = sizeof(struct ibv_port_attr); i < sizeof(bytes); i++)
		assert_int_equal(bytes[i], 0);
}

TEST(test_other_ports_are_refused, context_open, context_close)
{
	struct ibv_port_attr attr;
	union ibv_gid gid;
	__be16 pkey;

	assert_int_equal(ibv_query_port(*state, 0, (struct _compat_ibv_port_attr *)&attr), EINVAL);
	assert_int_equal(ibv_query_port(*state, 2, (struct _compat_ibv_port_attr *)&attr), EINVAL);
	assert_int_equal(ibv_query_gid(*state, 2, 0, &gid), -1);
	assert_int_equal(ibv_query_gid(*state, 1, 16, &gid), -1);
	assert_int_equal(ibv_query_gid(*state, 1, -1, &gid), -1);
	assert_int_equal(ibv_query_pkey(*state, 1, 1, &pkey), -1);
}

TEST(test_query_device_ex_respects_the_callers_size, context_open, context_close)
{
	unsigned char bytes[sizeof(struct ibv_device_attr_ex) + 64];
	struct verbs_context *verbs = verbs_get_ctx(*state);
	struct ibv_device_attr_ex *attr = (struct ibv_device_attr_ex *)bytes;
	const struct ibv_query_device_ex_input unknown = {.comp_mask = 1};
	size_t known = offsetof(struct ibv_device_attr_ex, odp_caps);
	size_t i;

	memset(bytes, POISON, sizeof(bytes));
	assert_int_equal(verbs->query_device_ex(*state, NULL, attr, known), 0);
	assert_string_equal(attr->orig_attr.fw_ver, "perftest-soft");
	for (i = known; i < sizeof(bytes); i++)
		assert_int_equal(bytes[i], POISON);
	assert_int_equal(verbs->query_device_ex(*state, NULL, attr, sizeof(bytes)), 0);
#ifdef HAVE_STRUCT_IBV_DEVICE_ATTR_EX_PHYS_PORT_CNT_EX
	assert_int_equal(attr->phys_port_cnt_ex, 1);
#endif
	for (i = sizeof(*attr); i < sizeof(bytes); i++)
		assert_int_equal(bytes[i], 0);
	assert_int_equal(verbs->query_device_ex(*state, NULL, attr, known - 1), EINVAL);
	assert_int_equal(verbs->query_device_ex(*state, &unknown, attr, sizeof(*attr)), EINVAL);
}

TEST(test_gid_table_is_given_whole_or_not_at_all, context_open, context_close)
{
	struct ibv_gid_entry entries[4] = {0};
	union ibv_gid gid;
	uint32_t i;

	assert_int_equal(ibv_query_gid_table(*state, entries, 0, 0), -EINVAL);
	assert_int_equal(ibv_query_gid_table(*state, entries, 1, 0), -ENOSPC);
	assert_int_equal(ibv_query_gid_table(*state, entries, 4, 1), -EOPNOTSUPP);
	assert_int_equal(ibv_query_gid_table(*state, entries, 4, 0), 2);
	for (i = 0; i < 2; i++) {
		assert_int_equal(entries[i].gid_index, i);
		assert_int_equal(entries[i].port_num, 1);
		assert_int_equal(entries[i].gid_type, IBV_GID_TYPE_ROCE_V2);
		assert_int_equal(ibv_query_gid(*state, 1, (int)i, &gid), 0);
		assert_memory_equal(&gid, &entries[i].gid, sizeof(gid));
	}
	assert_int_equal(ibv_query_gid_ex(*state, 1, 2, entries, 0), ENODATA);
	assert_int_equal(ibv_query_gid_ex(*state, 1, 16, entries, 0), EINVAL);
	memset(&gid, 1, sizeof(gid));
	assert_int_equal(ibv_query_gid(*state, 1, 2, &gid), 0);
	assert_int_equal(gid.global.subnet_prefix | gid.global.interface_id, 0);
	assert_int_equal(ibv_query_gid_ex(*state, 1, 0, entries, 1), EOPNOTSUPP);
}

TEST(test_addresses_of_the_devices_differ, context_open, context_close)
{
	struct ibv_context *other = open_soft("soft1");
	union ibv_gid mine[2];
	union ibv_gid theirs[2];
	int i;

	for (i = 0; i < 2; i++) {
		assert_int_equal(ibv_query_gid(*state, 1, i, &mine[i]), 0);
		assert_int_equal(ibv_query_gid(other, 1, i, &theirs[i]), 0);
		assert_memory_not_equal(&mine[i], &theirs[i], sizeof(mine[i]));
	}
	assert_int_equal(ibv_close_device(other), 0);
}

TEST(test_the_default_partition_is_the_only_one, context_open, context_close)
{
	__be16 pkey = 0;

	assert_int_equal(ibv_query_pkey(*state, 1, 0, &pkey), 0);
	assert_int_equal(be16toh(pkey), 0xffff);
	assert_int_equal(ibv_get_pkey_index(*state, 1, htobe16(0xffff)), 0);
	assert_int_equal(ibv_get_pkey_index(*state, 1, htobe16(0x7fff)), -1);
}

TEST(test_neighbours_are_not_looked_up, context_open, context_close)
{
	struct ibv_ah_attr attr = {.port_num = 1, .is_global = 1};
	uint8_t mac[6] = {0};
	uint16_t vid = 0;

	assert_int_equal(ibv_resolve_eth_l2_from_gid(*state, &attr, mac, &vid), -EOPNOTSUPP);
}

/* RoCE has no LIDs to send by. */
TEST(test_an_address_without_a_routing_header_is_refused, context_open, context_close)
{
	struct ibv_ah_attr attr = {.port_num = 1, .dlid = 1};
	struct ibv_pd *pd = ibv_alloc_pd(*state);
	struct ibv_ah *ah;

	assert_non_null(pd);
	errno = 0;
	assert_null(ibv_create_ah(pd, &attr));
	assert_int_equal(errno, EINVAL);
	attr.is_global = 1;
	ah = ibv_create_ah(pd, &attr);
	assert_non_null(ah);
	assert_int_equal(ibv_destroy_ah(ah), 0);
	assert_int_equal(ibv_dealloc_pd(pd), 0);
}

/* As by the kernel's core for every RoCE port. */
TEST(test_a_connection_without_a_routing_header_is_refused, context_open, context_close)
{
	struct ibv_pd *pd = ibv_alloc_pd(*state);
	struct ibv_cq *cq = ibv_create_cq(*state, 1, NULL, NULL, 0);
	struct ibv_qp_init_attr init = {.send_cq = cq, .recv_cq = cq, .cap = {1, 1, 1, 1, 0}, .qp_type = IBV_QPT_UC};
	struct ibv_qp_attr attr = {.qp_state = IBV_QPS_INIT, .port_num = 1};
	const int mask = IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN;
	struct ibv_qp *qp = ibv_create_qp(pd, &init);

	assert_non_null(qp);
	assert_int_equal(ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS),
			 0);
	attr = (struct ibv_qp_attr){.qp_state = IBV_QPS_RTR,
				    .path_mtu = IBV_MTU_1024,
				    .dest_qp_num = qp->qp_num,
				    .ah_attr = {.port_num = 1, .dlid = 1}};
	assert_int_equal(ibv_modify_qp(qp, &attr, mask), EINVAL);
	attr.ah_attr.is_global = 1;
	assert_int_equal(ibv_modify_qp(qp, &attr, mask), 0);
	assert_int_equal(ibv_destroy_qp(qp), 0);
	assert_int_equal(ibv_destroy_cq(cq), 0);
	assert_int_equal(ibv_dealloc_pd(pd), 0);
}

TEST(test_what_the_device_cannot_do_is_refused, context_open, context_close)
{
	struct ibv_pd *pd = ibv_alloc_pd(*state);

	assert_non_null(pd);
	errno = 0;
	assert_null(ibv_reg_dmabuf_mr(pd, 0, 4096, 0, 0, IBV_ACCESS_LOCAL_WRITE));
	assert_int_equal(errno, EOPNOTSUPP);
	assert_int_equal(ibv_dealloc_pd(pd), 0);
}

TEST(test_a_failed_reregistration_says_that_nothing_changed, context_open, context_close)
{
	struct ibv_pd *pd = ibv_alloc_pd(*state);
	static char buffer[64];
	struct ibv_mr *mr;

	assert_non_null(pd);
	mr = ibv_reg_mr(pd, buffer, sizeof(buffer), IBV_ACCESS_LOCAL_WRITE);
	assert_non_null(mr);
	errno = 0;
	assert_int_equal(ibv_rereg_mr(mr, 0, pd, buffer, sizeof(buffer), 0), IBV_REREG_MR_ERR_INPUT);
	assert_int_equal(errno, EINVAL);
	assert_int_equal(ibv_dereg_mr(mr), 0);
	assert_int_equal(ibv_dealloc_pd(pd), 0);
}

TEST(test_verbs_that_came_later_are_there, context_open, context_close)
{
	struct ibv_pd *pd = ibv_alloc_pd(*state);
	struct ibv_pd *other = ibv_alloc_pd(*state);
	struct ibv_buf *buf = NULL;
	uint64_t speed = 0;
	struct ibv_mr *mr;
	char *bytes;

	assert_non_null(pd);
	assert_non_null(other);
	assert_int_equal(ibv_query_port_speed(*state, 1, &speed), 0);
	assert_int_equal(speed, 4000);
	assert_int_equal(ibv_query_port_speed(*state, 2, &speed), EINVAL);
	/* as the programs query it, in Gb/s */
	assert_true(port_speed_gbits(*state, 1) == 400);
	assert_true(port_speed_gbits(*state, 2) == 0);
	bytes = ibv_alloc_buf(pd, 10000, &buf);
	assert_non_null(bytes);
	assert_int_equal((uintptr_t)bytes % 4096, 0);
	assert_null(ibv_reg_buf_mr(pd, buf, bytes + 1, 10000, IBV_ACCESS_LOCAL_WRITE));
	assert_null(ibv_reg_buf_mr(other, buf, bytes, 10000, IBV_ACCESS_LOCAL_WRITE));
	mr = ibv_reg_buf_mr(pd, buf, bytes, 10000, IBV_ACCESS_LOCAL_WRITE);
	assert_non_null(mr);
	memset(bytes, 1, 10000);
	assert_int_equal(ibv_dereg_mr(mr), 0);
	errno = 0;
	assert_int_equal(ibv_export_buf_dmabuf_fd(buf), -1);
	assert_int_equal(errno, ENODATA);
	ibv_free_buf(buf);
	errno = 0;
	assert_null(ibv_alloc_dmah(*state, NULL));
	assert_int_equal(errno, EOPNOTSUPP);
	errno = 0;
	assert_null(ibv_create_comp_cntr(*state, NULL));
	assert_int_equal(errno, EOPNOTSUPP);
	assert_int_equal(_ibv_query_comp_cntr_caps(*state, NULL, 0), EOPNOTSUPP);
	assert_int_equal(ibv_dealloc_pd(other), 0);
	assert_int_equal(ibv_dealloc_pd(pd), 0);
}

TEST(test_unknown_flags_of_a_cq_are_refused, context_open, context_close)
{
	struct ibv_cq_init_attr_ex attr = {.cqe = 1, .comp_mask = 1u << 31};

	errno = 0;
	assert_null(ibv_create_cq_ex(*state, &attr));
	assert_int_equal(errno, EOPNOTSUPP);
	attr.comp_mask = 0;
	attr.wc_flags = IBV_WC_EX_WITH_TM_INFO;
	errno = 0;
	assert_null(ibv_create_cq_ex(*state, &attr));
	assert_int_equal(errno, EOPNOTSUPP);
	attr.wc_flags = 0;
	attr.comp_mask = IBV_CQ_INIT_ATTR_MASK_FLAGS;
	attr.flags = 1u << 31;
	errno = 0;
	assert_null(ibv_create_cq_ex(*state, &attr));
	assert_int_equal(errno, EOPNOTSUPP);
}

TEST(test_domains_are_accounted_for, context_open, context_close)
{
	struct ibv_td_init_attr td_attr = {0};
	struct ibv_parent_domain_init_attr attr = {0};
	struct ibv_td *td = ibv_alloc_td(*state, &td_attr);
	struct ibv_pd *parent;

	assert_non_null(td);
	errno = 0;
	assert_null(ibv_alloc_parent_domain(*state, &attr));
	assert_int_equal(errno, EINVAL);
	attr.pd = ibv_alloc_pd(*state);
	assert_non_null(attr.pd);
	attr.comp_mask = IBV_PARENT_DOMAIN_INIT_ATTR_ALLOCATORS; /* and there are none */
	errno = 0;
	assert_null(ibv_alloc_parent_domain(*state, &attr));
	assert_int_equal(errno, EINVAL);
	attr.comp_mask = 0;
	attr.td = td;
	parent = ibv_alloc_parent_domain(*state, &attr);
	assert_non_null(parent);
	assert_int_equal(ibv_dealloc_td(td), EBUSY);
	assert_int_equal(ibv_dealloc_pd(attr.pd), EBUSY);
	assert_int_equal(ibv_dealloc_pd(parent), 0);
	assert_int_equal(ibv_dealloc_td(td), 0);
	assert_int_equal(ibv_dealloc_pd(attr.pd), 0);
}

/* --- a pair of queue pairs --- */

static struct ibv_qp *qp_create(struct bench *bench, enum ibv_qp_type type, uint64_t operations)
{
	struct ibv_qp_init_attr_ex attr = {
		.send_cq = ibv_cq_ex_to_cq(bench->cq),
		.recv_cq = ibv_cq_ex_to_cq(bench->cq),
		.cap = {.max_send_wr = QUEUE_SIZE,
			.max_recv_wr = QUEUE_SIZE,
			.max_send_sge = 4,
			.max_recv_sge = 4,
			.max_inline_data = 64},
		.qp_type = type,
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.pd = bench->pd,
		.send_ops_flags = operations,
	};

	return ibv_create_qp_ex(bench->context, &attr);
}

static void qp_connect(struct bench *bench, struct ibv_qp *qp, uint32_t peer)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT,
		.port_num = 1,
		.qp_access_flags = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC,
	};

	assert_int_equal(ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS),
			 0);
	attr = (struct ibv_qp_attr){
		.qp_state = IBV_QPS_RTR,
		.path_mtu = IBV_MTU_4096,
		.dest_qp_num = peer,
		.max_dest_rd_atomic = 1,
		.min_rnr_timer = 12,
		.ah_attr = {.is_global = 1, .port_num = 1, .grh.hop_limit = 1},
	};
	assert_int_equal(ibv_query_gid(bench->context, 1, 0, &attr.ah_attr.grh.dgid), 0);
	assert_int_equal(ibv_modify_qp(qp, &attr,
				       IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
					       IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER),
			 0);
	attr = (struct ibv_qp_attr){
		.qp_state = IBV_QPS_RTS, .timeout = 14, .retry_cnt = 7, .rnr_retry = 7, .max_rd_atomic = 1};
	assert_int_equal(ibv_modify_qp(qp, &attr,
				       IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
					       IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC),
			 0);
}

#define RC_OPERATIONS                                                                                                  \
	(IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM | IBV_QP_EX_WITH_RDMA_WRITE |                              \
	 IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM | IBV_QP_EX_WITH_RDMA_READ | IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP |           \
	 IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD)

static int bench_open(void **state)
{
	struct ibv_cq_init_attr_ex cq_attr = {.cqe = 4 * QUEUE_SIZE, .wc_flags = IBV_WC_STANDARD_FLAGS};
	struct bench *bench = calloc(1, sizeof(*bench));

	assert_non_null(bench);
	bench->context = open_soft("soft0");
	bench->pd = ibv_alloc_pd(bench->context);
	assert_non_null(bench->pd);
	assert_int_equal(posix_memalign((void **)&bench->buffer, 4096, BUFFER_SIZE), 0);
	memset(bench->buffer, 0, BUFFER_SIZE);
	bench->mr = ibv_reg_mr(bench->pd, bench->buffer, BUFFER_SIZE,
			       IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ |
				       IBV_ACCESS_REMOTE_ATOMIC);
	assert_non_null(bench->mr);
	bench->cq = ibv_create_cq_ex(bench->context, &cq_attr);
	assert_non_null(bench->cq);
	bench->qp[0] = qp_create(bench, IBV_QPT_RC, RC_OPERATIONS);
	bench->qp[1] = qp_create(bench, IBV_QPT_RC, RC_OPERATIONS);
	assert_non_null(bench->qp[0]);
	assert_non_null(bench->qp[1]);
	qp_connect(bench, bench->qp[0], bench->qp[1]->qp_num);
	qp_connect(bench, bench->qp[1], bench->qp[0]->qp_num);
	*state = bench;
	return 0;
}

static int bench_close(void **state)
{
	struct bench *bench = *state;

	assert_int_equal(ibv_destroy_qp(bench->qp[0]), 0);
	assert_int_equal(ibv_destroy_qp(bench->qp[1]), 0);
	assert_int_equal(ibv_destroy_cq(ibv_cq_ex_to_cq(bench->cq)), 0);
	assert_int_equal(ibv_dereg_mr(bench->mr), 0);
	assert_int_equal(ibv_dealloc_pd(bench->pd), 0);
	assert_int_equal(ibv_close_device(bench->context), 0);
	free(bench->buffer);
	free(bench);
	return 0;
}

static uint8_t *remote(struct bench *bench)
{
	return bench->buffer + BUFFER_SIZE / 2;
}

static void post_recv(struct bench *bench, uint64_t wr_id, uint32_t length)
{
	struct ibv_sge sge = {.addr = (uintptr_t)remote(bench), .length = length, .lkey = bench->mr->lkey};
	struct ibv_recv_wr wr = {.wr_id = wr_id, .sg_list = &sge, .num_sge = 1};
	struct ibv_recv_wr *bad;

	assert_int_equal(ibv_post_recv(bench->qp[1], &wr, &bad), 0);
}

/* A builder that stands after wr_start, to name the request's identity and flags in one line. */
static struct ibv_qp_ex *wr_begin(struct bench *bench, uint64_t wr_id, unsigned int flags)
{
	struct ibv_qp_ex *qp = ibv_qp_to_qp_ex(bench->qp[0]);

	assert_non_null(qp);
	ibv_wr_start(qp);
	qp->wr_id = wr_id;
	qp->wr_flags = flags;
	return qp;
}

static void set_local(struct bench *bench, struct ibv_qp_ex *qp, uint32_t length)
{
	ibv_wr_set_sge(qp, bench->mr->lkey, (uintptr_t)bench->buffer, length);
}

/* Waits for one completion, which must be a success, and leaves the queue standing on it. */
static void expect_completion(struct bench *bench, uint64_t wr_id, enum ibv_wc_opcode opcode)
{
	struct ibv_poll_cq_attr attr = {0};
	int ret;

	do {
		ret = ibv_start_poll(bench->cq, &attr);
	} while (ret == ENOENT);
	assert_int_equal(ret, 0);
	assert_int_equal(bench->cq->status, IBV_WC_SUCCESS);
	assert_int_equal(bench->cq->wr_id, wr_id);
	assert_int_equal(ibv_wc_read_opcode(bench->cq), opcode);
}

TEST(test_wr_send_arrives_with_its_immediate, bench_open, bench_close)
{
	struct bench *bench = *state;
	struct ibv_poll_cq_attr attr = {0};
	struct ibv_qp_ex *qp;

	memcpy(bench->buffer, "message", 8);
	post_recv(bench, 1, 64);
	qp = wr_begin(bench, 2, 0);
	ibv_wr_send_imm(qp, htobe32(0x12345678));
	set_local(bench, qp, 8);
	assert_int_equal(ibv_wr_complete(qp), 0);
	expect_completion(bench, 1, IBV_WC_RECV);
	assert_int_equal(ibv_wc_read_byte_len(bench->cq), 8);
	assert_int_equal(be32toh(ibv_wc_read_imm_data(bench->cq)), 0x12345678);
	assert_int_equal(ibv_wc_read_wc_flags(bench->cq) & IBV_WC_WITH_IMM, IBV_WC_WITH_IMM);
	assert_int_equal(ibv_wc_read_qp_num(bench->cq), bench->qp[1]->qp_num);
	assert_int_equal(ibv_next_poll(bench->cq), ENOENT);
	ibv_end_poll(bench->cq);
	assert_int_equal(ibv_start_poll(bench->cq, &attr), ENOENT);
	assert_string_equal((const char *)remote(bench), "message");
}

TEST(test_wr_lists_are_posted_in_order, bench_open, bench_close)
{
	struct bench *bench = *state;
	struct ibv_qp_ex *qp = wr_begin(bench, 10, IBV_SEND_SIGNALED);
	struct ibv_sge parts[2] = {
		{.addr = (uintptr_t)bench->buffer, .length = 3, .lkey = bench->mr->lkey},
		{.addr = (uintptr_t)bench->buffer + 3, .length = 5, .lkey = bench->mr->lkey},
	};

	memcpy(bench->buffer, "one two", 8);
	ibv_wr_rdma_write(qp, bench->mr->rkey, (uintptr_t)remote(bench));
	ibv_wr_set_sge_list(qp, 2, parts);
	qp->wr_id = 11;
	ibv_wr_rdma_read(qp, bench->mr->rkey, (uintptr_t)remote(bench));
	ibv_wr_set_sge(qp, bench->mr->lkey, (uintptr_t)bench->buffer + 100, 8);
	assert_int_equal(ibv_wr_complete(qp), 0);
	expect_completion(bench, 10, IBV_WC_RDMA_WRITE);
	assert_int_equal(ibv_next_poll(bench->cq), 0);
	assert_int_equal(bench->cq->wr_id, 11);
	assert_int_equal(ibv_wc_read_opcode(bench->cq), IBV_WC_RDMA_READ);
	ibv_end_poll(bench->cq);
	assert_string_equal((const char *)bench->buffer + 100, "one two");
}

TEST(test_wr_inline_data_is_taken_at_once, bench_open, bench_close)
{
	struct bench *bench = *state;
	struct ibv_qp_ex *qp = wr_begin(bench, 20, IBV_SEND_SIGNALED);
	char first[4] = {'a', 'b', 'c', 'd'};
	char second[5] = {'e', 'f', 'g', 'h', '\0'};
	const struct ibv_data_buf bufs[2] = {{first, sizeof(first)}, {second, sizeof(second)}};

	ibv_wr_rdma_write_imm(qp, bench->mr->rkey, (uintptr_t)remote(bench) + 64, htobe32(7));
	ibv_wr_set_inline_data_list(qp, 2, bufs);
	memset(first, 'x', sizeof(first));
	memset(second, 'x', sizeof(second));
	post_recv(bench, 21, 64);
	assert_int_equal(ibv_wr_complete(qp), 0);
	expect_completion(bench, 20, IBV_WC_RDMA_WRITE);
	ibv_end_poll(bench->cq);
	expect_completion(bench, 21, IBV_WC_RECV_RDMA_WITH_IMM);
	ibv_end_poll(bench->cq);
	assert_string_equal((const char *)remote(bench) + 64, "abcdefgh");
}

TEST(test_wr_atomics_return_what_was_there, bench_open, bench_close)
{
	struct bench *bench = *state;
	uint64_t *target = (uint64_t *)(remote(bench) + 128);
	uint64_t *fetched = (uint64_t *)bench->buffer;
	struct ibv_qp_ex *qp = wr_begin(bench, 30, IBV_SEND_SIGNALED);

	*target = 40;
	ibv_wr_atomic_fetch_add(qp, bench->mr->rkey, (uintptr_t)target, 2);
	set_local(bench, qp, 8);
	assert_int_equal(ibv_wr_complete(qp), 0);
	expect_completion(bench, 30, IBV_WC_FETCH_ADD);
	ibv_end_poll(bench->cq);
	assert_int_equal(*fetched, 40);
	assert_int_equal(*target, 42);
	qp = wr_begin(bench, 31, IBV_SEND_SIGNALED);
	ibv_wr_atomic_cmp_swp(qp, bench->mr->rkey, (uintptr_t)target, 42, 7);
	set_local(bench, qp, 8);
	assert_int_equal(ibv_wr_complete(qp), 0);
	expect_completion(bench, 31, IBV_WC_COMP_SWAP);
	ibv_end_poll(bench->cq);
	assert_int_equal(*fetched, 42);
	assert_int_equal(*target, 7);
}

TEST(test_wr_errors_are_reported_at_the_end_and_nothing_is_posted, bench_open, bench_close)
{
	struct bench *bench = *state;
	struct ibv_poll_cq_attr attr = {0};
	uint8_t too_much[1200] = {0};
	struct ibv_sge sges[64] = {{0}};
	struct ibv_qp_ex *qp = wr_begin(bench, 40, IBV_SEND_SIGNALED);
	int i;

	memset(remote(bench), 0, 64);
	ibv_wr_rdma_write(qp, bench->mr->rkey, (uintptr_t)remote(bench));
	ibv_wr_set_inline_data(qp, too_much, sizeof(too_much));
	assert_int_equal(ibv_wr_complete(qp), EINVAL);
	qp = wr_begin(bench, 41, IBV_SEND_SIGNALED);
	ibv_wr_rdma_write(qp, bench->mr->rkey, (uintptr_t)remote(bench));
	ibv_wr_set_sge_list(qp, 64, sges);
	assert_int_equal(ibv_wr_complete(qp), EINVAL);
	qp = wr_begin(bench, 42, IBV_SEND_SIGNALED);
	for (i = 0; i < 70000; i++) {
		ibv_wr_rdma_write(qp, bench->mr->rkey, (uintptr_t)remote(bench));
		set_local(bench, qp, 8);
	}
	assert_int_equal(ibv_wr_complete(qp), ENOMEM);
	assert_int_equal(ibv_start_poll(bench->cq, &attr), ENOENT);
	/* and the next one is in order */
	qp = wr_begin(bench, 43, IBV_SEND_SIGNALED);
	ibv_wr_rdma_write(qp, bench->mr->rkey, (uintptr_t)remote(bench));
	set_local(bench, qp, 8);
	assert_int_equal(ibv_wr_complete(qp), 0);
	expect_completion(bench, 43, IBV_WC_RDMA_WRITE);
	ibv_end_poll(bench->cq);
}

TEST(test_wr_abort_posts_nothing, bench_open, bench_close)
{
	struct bench *bench = *state;
	struct ibv_poll_cq_attr attr = {0};
	struct ibv_qp_ex *qp = wr_begin(bench, 50, IBV_SEND_SIGNALED);

	ibv_wr_rdma_write(qp, bench->mr->rkey, (uintptr_t)remote(bench));
	set_local(bench, qp, 8);
	ibv_wr_abort(qp);
	assert_int_equal(ibv_start_poll(bench->cq, &attr), ENOENT);
}

/* A queue pair whose operations the transport does not have, or that nobody knows, is not made at all. */
TEST(test_operations_are_refused_at_creation, bench_open, bench_close)
{
	const struct {
		enum ibv_qp_type type;
		uint64_t operations;
	} refused[] = {
		{IBV_QPT_UD, IBV_QP_EX_WITH_RDMA_WRITE},
		{IBV_QPT_UC, IBV_QP_EX_WITH_RDMA_READ},
		{IBV_QPT_UC, IBV_QP_EX_WITH_SEND_WITH_INV},
		{IBV_QPT_UD, IBV_QP_EX_WITH_BIND_MW},
		{IBV_QPT_RC, IBV_QP_EX_WITH_TSO},
		{IBV_QPT_UC, 1ull << 12}, /* ATOMIC_WRITE */
		{IBV_QPT_RC, 1ull << 63},
	};
	size_t i;

	for (i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		errno = 0;
		assert_null(qp_create(*state, refused[i].type, refused[i].operations));
		assert_int_equal(errno, EOPNOTSUPP);
	}
}

TEST(test_a_plain_qp_has_no_wr_calls, bench_open, bench_close)
{
	struct bench *bench = *state;
	struct ibv_qp_init_attr attr = {
		.send_cq = ibv_cq_ex_to_cq(bench->cq),
		.recv_cq = ibv_cq_ex_to_cq(bench->cq),
		.cap = {.max_send_wr = 1, .max_recv_wr = 1, .max_send_sge = 1, .max_recv_sge = 1},
		.qp_type = IBV_QPT_RC,
	};
	struct ibv_qp *qp = ibv_create_qp(bench->pd, &attr);

	assert_non_null(qp);
	assert_null(ibv_qp_to_qp_ex(qp));
	assert_int_equal(ibv_destroy_qp(qp), 0);
}

/* One option, of a vendor that no adapter has; it is settled before a queue pair is ready to receive. */
TEST(test_ece_has_one_option, bench_open, bench_close)
{
	struct bench *bench = *state;
	struct ibv_qp_init_attr attr = {
		.send_cq = ibv_cq_ex_to_cq(bench->cq),
		.recv_cq = ibv_cq_ex_to_cq(bench->cq),
		.cap = {.max_send_wr = 1, .max_recv_wr = 1, .max_send_sge = 1, .max_recv_sge = 1},
		.qp_type = IBV_QPT_RC,
	};
	struct ibv_qp *qp = ibv_create_qp(bench->pd, &attr);
	struct ibv_ece ece = {.vendor_id = 1}, asked;

	assert_non_null(qp);
	assert_int_equal(ibv_set_ece(qp, &ece), EINVAL); /* another vendor's */
	assert_int_equal(ibv_query_ece(qp, &ece), 0);
	assert_int_equal(ece.vendor_id, 0x504654);
	assert_int_equal(ece.options, 1);
	asked = ece;
	asked.options = 0xfe;
	assert_int_equal(ibv_set_ece(qp, &asked), 0);
	assert_int_equal(ibv_query_ece(qp, &ece), 0);
	assert_int_equal(ece.options, 0);
	asked.comp_mask = 1;
	assert_int_equal(ibv_set_ece(qp, &asked), EINVAL);
	assert_int_equal(ibv_destroy_qp(qp), 0);
	assert_int_equal(ibv_set_ece(bench->qp[0], &ece), EINVAL); /* it is connected */
}

static void qp_ready_for_datagrams(struct ibv_qp *qp)
{
	struct ibv_qp_attr attr = {.qp_state = IBV_QPS_INIT, .port_num = 1, .qkey = 0x11111111};

	assert_int_equal(ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY), 0);
	attr.qp_state = IBV_QPS_RTR;
	assert_int_equal(ibv_modify_qp(qp, &attr, IBV_QP_STATE), 0);
	attr.qp_state = IBV_QPS_RTS;
	assert_int_equal(ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_SQ_PSN), 0);
}

/* The header in front of a datagram names the GIDs of both sides, in its IPv6 and in its IPv4 form. */
TEST(test_a_datagram_can_be_answered, bench_open, bench_close)
{
	struct bench *bench = *state;
	struct ibv_qp *qp = qp_create(bench, IBV_QPT_UD, IBV_QP_EX_WITH_SEND);
	struct ibv_sge sge = {.addr = (uintptr_t)remote(bench), .length = 40 + 64, .lkey = bench->mr->lkey};
	struct ibv_recv_wr recv_wr = {.wr_id = 60, .sg_list = &sge, .num_sge = 1};
	struct ibv_ah_attr attr = {.is_global = 1, .port_num = 1, .grh.hop_limit = 1};
	struct ibv_ah_attr answer;
	struct ibv_recv_wr *bad;
	struct ibv_qp_ex *sender;
	struct ibv_wc wc = {0};
	struct ibv_ah *ah;
	int i;

	assert_non_null(qp);
	qp_ready_for_datagrams(qp);
	for (i = 0; i < 2; i++) {
		attr.grh.sgid_index = (uint8_t)i;
		assert_int_equal(ibv_query_gid(bench->context, 1, i, &attr.grh.dgid), 0);
		ah = ibv_create_ah(bench->pd, &attr);
		assert_non_null(ah);
		assert_int_equal(ibv_post_recv(qp, &recv_wr, &bad), 0);
		sender = ibv_qp_to_qp_ex(qp);
		ibv_wr_start(sender);
		sender->wr_id = 61;
		sender->wr_flags = 0;
		ibv_wr_send(sender);
		ibv_wr_set_sge(sender, bench->mr->lkey, (uintptr_t)bench->buffer, 64);
		ibv_wr_set_ud_addr(sender, ah, qp->qp_num, 0x11111111);
		assert_int_equal(ibv_wr_complete(sender), 0);
		while (!ibv_poll_cq(ibv_cq_ex_to_cq(bench->cq), 1, &wc))
			;
		assert_int_equal(wc.status, IBV_WC_SUCCESS);
		assert_int_equal(wc.wr_id, 60);
		assert_int_equal(wc.byte_len, 40 + 64);
		assert_int_equal(wc.src_qp, qp->qp_num);
		assert_int_equal(wc.wc_flags & IBV_WC_GRH, IBV_WC_GRH);
		assert_int_equal(ibv_init_ah_from_wc(bench->context, 1, &wc, (struct ibv_grh *)remote(bench), &answer),
				 0);
		assert_memory_equal(&answer.grh.dgid, &attr.grh.dgid, sizeof(answer.grh.dgid));
		assert_int_equal(answer.grh.sgid_index, i);
		assert_int_equal(answer.is_global, 1);
		assert_int_equal(ibv_destroy_ah(ah), 0);
		ah = ibv_create_ah_from_wc(bench->pd, &wc, (struct ibv_grh *)remote(bench), 1);
		assert_non_null(ah);
		assert_int_equal(ibv_destroy_ah(ah), 0);
	}
	wc.wc_flags &= ~(unsigned int)IBV_WC_GRH;
	assert_int_equal(ibv_init_ah_from_wc(bench->context, 1, &wc, (struct ibv_grh *)remote(bench), &answer), -1);
	assert_int_equal(ibv_destroy_qp(qp), 0);
}

/* As where the kernel has refused a system call: programs print it. */
TEST(test_errno_is_what_a_verb_returns, bench_open, bench_close)
{
	struct bench *bench = *state;
	struct ibv_qp_attr attr = {.qp_state = IBV_QPS_RTS};

	errno = 0;
	assert_int_equal(ibv_dealloc_pd(bench->pd), EBUSY);
	assert_int_equal(errno, EBUSY);
	assert_int_equal(ibv_modify_qp(bench->qp[0], &attr, IBV_QP_STATE | IBV_QP_MAX_QP_RD_ATOMIC), EINVAL);
	assert_int_equal(errno, EINVAL);
	errno = 0;
	assert_int_equal(ibv_query_qp(bench->qp[0], &attr, IBV_QP_STATE, &(struct ibv_qp_init_attr){0}), 0);
	assert_int_equal(errno, 0);
}

TEST_MAIN(NULL, NULL)
