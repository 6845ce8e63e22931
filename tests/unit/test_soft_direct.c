// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Queue pairs created by libefa and libmlx5: SRD and DC, of one process. Where requests go that name their destination,
 * what is refused as by the adapters' libraries, and which queue pairs an error affects.
 */
#include "config.h"

#include <infiniband/efadv.h>
#include <infiniband/mlx5dv.h>

#include "soft_rig.h"

#define KEY	0xffeeddccull
#define MESSAGE 64u
#define PACKET	4096u
#define BUFFER	(4 * PACKET)

struct bench {
	struct ibv_context *context;
	struct ibv_pd *pd;
	struct ibv_cq *cq, *receive_cq;
	struct ibv_srq *srq;
	struct ibv_mr *mr;
	struct ibv_ah *ah;
	uint8_t *buffer; /* the first half is sent from */
};

static struct bench bench_open(void)
{
	struct bench bench = {.context = rig_open_device()};
	struct ibv_srq_init_attr srq = {.attr = {.max_wr = 16, .max_sge = 1}};
	struct ibv_ah_attr ah = {.port_num = 1, .is_global = 1};

	setenv("PERFTEST_SOFT_DIRECT", "1", 1);
	bench.pd = ibv_alloc_pd(bench.context);
	bench.cq = ibv_create_cq(bench.context, 64, NULL, NULL, 0);
	bench.receive_cq = ibv_create_cq(bench.context, 64, NULL, NULL, 0);
	bench.srq = ibv_create_srq(bench.pd, &srq);
	bench.buffer = aligned_alloc(4096, BUFFER);
	memset(bench.buffer, 0, BUFFER);
	bench.mr = ibv_reg_mr(bench.pd, bench.buffer, BUFFER,
			      getenv("PERFTEST_SOFT") ? RIG_ACCESS & ~IBV_ACCESS_REMOTE_ATOMIC : RIG_ACCESS);
	assert_int_equal(ibv_query_gid(bench.context, 1, 0, &ah.grh.dgid), 0);
	bench.ah = ibv_create_ah(bench.pd, &ah);
	assert_true(bench.pd && bench.cq && bench.receive_cq && bench.mr && bench.ah);
	return bench;
}

static void bench_close(struct bench *bench)
{
	assert_int_equal(ibv_destroy_ah(bench->ah), 0);
	assert_int_equal(ibv_dereg_mr(bench->mr), 0);
	if (bench->srq)
		assert_int_equal(ibv_destroy_srq(bench->srq), 0);
	assert_int_equal(ibv_destroy_cq(bench->cq), 0);
	assert_int_equal(ibv_destroy_cq(bench->receive_cq), 0);
	assert_int_equal(ibv_dealloc_pd(bench->pd), 0);
	assert_int_equal(ibv_close_device(bench->context), 0);
	free(bench->buffer);
}

static struct ibv_qp_init_attr_ex init_of(const struct bench *bench, uint64_t operations)
{
	return (struct ibv_qp_init_attr_ex){
		.qp_type = IBV_QPT_DRIVER,
		.send_cq = bench->cq,
		.recv_cq = bench->receive_cq,
		.cap = {.max_send_wr = 16, .max_recv_wr = 16, .max_send_sge = 1, .max_recv_sge = 1},
		.comp_mask = IBV_QP_INIT_ATTR_PD | (operations ? IBV_QP_INIT_ATTR_SEND_OPS_FLAGS : 0),
		.pd = bench->pd,
		.send_ops_flags = operations,
	};
}

static struct ibv_wc next_of(struct ibv_cq *cq)
{
	const double end = rig_now() + RIG_WAIT_S;
	struct ibv_wc wc;
	int n;

	do
		n = ibv_poll_cq(cq, 1, &wc);
	while (!n && rig_now() < end);
	assert_int_equal(n, 1);
	return wc;
}

static void step(struct ibv_qp *qp, struct ibv_qp_attr attr, enum ibv_qp_state state, int mask)
{
	attr.qp_state = state;
	assert_int_equal(ibv_modify_qp(qp, &attr, IBV_QP_STATE | mask), 0);
}

static enum ibv_qp_state state_of(struct ibv_qp *qp)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	assert_int_equal(ibv_query_qp(qp, &attr, IBV_QP_STATE, &init), 0);
	return attr.qp_state;
}

/* --- SRD --- */

static struct ibv_qp *srd_make(const struct bench *bench, uint64_t operations)
{
	struct efadv_qp_init_attr efa = {.driver_qp_type = EFADV_QP_DRIVER_TYPE_SRD};
	struct ibv_qp_init_attr_ex init = init_of(bench, operations);

	return efadv_create_qp_ex(bench->context, &init, &efa, sizeof(efa));
}

static struct ibv_qp *srd_open_with(const struct bench *bench, uint64_t operations, uint8_t rnr_retry)
{
	const struct ibv_qp_attr attr = {.port_num = 1, .qkey = RIG_QKEY, .rnr_retry = rnr_retry};
	struct ibv_qp *qp = srd_make(bench, operations);

	assert_non_null(qp);
	step(qp, attr, IBV_QPS_INIT, IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY);
	step(qp, attr, IBV_QPS_RTR, 0);
	step(qp, attr, IBV_QPS_RTS, IBV_QP_SQ_PSN | (rnr_retry < 7 ? IBV_QP_RNR_RETRY : 0));
	return qp;
}

static struct ibv_qp *srd_open(const struct bench *bench, uint64_t operations)
{
	return srd_open_with(bench, operations, 7);
}

static int srd_send(const struct bench *bench, struct ibv_qp *qp, uint32_t to, uint32_t qkey, unsigned flags)
{
	struct ibv_sge sge = {(uintptr_t)bench->buffer, MESSAGE, bench->mr->lkey};
	struct ibv_send_wr *bad, wr = {.sg_list = &sge,
				       .num_sge = 1,
				       .opcode = IBV_WR_SEND,
				       .send_flags = flags,
				       .wr.ud = {.ah = bench->ah, .remote_qpn = to, .remote_qkey = qkey}};

	return ibv_post_send(qp, &wr, &bad);
}

static void srd_receive(const struct bench *bench, struct ibv_qp *qp)
{
	struct ibv_sge sge = {(uintptr_t)bench->buffer + 4096, MESSAGE, bench->mr->lkey};
	struct ibv_recv_wr *bad, wr = {.sg_list = &sge, .num_sge = 1};

	assert_int_equal(ibv_post_recv(qp, &wr, &bad), 0);
}

static int srd_write(const struct bench *bench, struct ibv_qp *qp, uint32_t to, uint32_t rkey)
{
	struct ibv_qp_ex *qpx = ibv_qp_to_qp_ex(qp);

	ibv_wr_start(qpx);
	qpx->wr_flags = IBV_SEND_SIGNALED;
	ibv_wr_rdma_write(qpx, rkey, (uintptr_t)bench->buffer + 4096);
	ibv_wr_set_ud_addr(qpx, bench->ah, to, RIG_QKEY);
	ibv_wr_set_sge(qpx, bench->mr->lkey, (uintptr_t)bench->buffer, MESSAGE);
	return ibv_wr_complete(qpx);
}

TEST(unasked_it_is_no_adapter)
{
	struct bench bench = bench_open();
	struct mlx5dv_qp_init_attr dc = {.comp_mask = MLX5DV_QP_INIT_ATTR_MASK_DC,
					 .dc_init_attr.dc_type = MLX5DV_DCTYPE_DCI};
	struct ibv_qp_init_attr_ex init = init_of(&bench, IBV_QP_EX_WITH_SEND);
	struct efadv_device_attr attr;

	unsetenv("PERFTEST_SOFT_DIRECT");
	assert_int_equal(efadv_query_device(bench.context, &attr, sizeof(attr)), EOPNOTSUPP);
	assert_null(srd_make(&bench, IBV_QP_EX_WITH_SEND));
	assert_int_equal(errno, EOPNOTSUPP);
	assert_false(mlx5dv_is_supported(bench.context->device));
	assert_null(mlx5dv_create_qp(bench.context, &init, &dc));
	assert_int_equal(errno, EOPNOTSUPP);
	bench_close(&bench);
}

TEST(srd_refuses_as_libefa_does)
{
	struct bench bench = bench_open();
	struct efadv_qp_init_attr efa = {.driver_qp_type = EFADV_QP_DRIVER_TYPE_SRD};
	struct ibv_qp_init_attr_ex init = init_of(&bench, 0);
	struct ibv_qp *qp = srd_open(&bench, IBV_QP_EX_WITH_RDMA_WRITE), *plain = srd_open(&bench, 0);
	struct ibv_sge sge = {(uintptr_t)bench.buffer, MESSAGE, bench.mr->lkey};
	struct ibv_send_wr *bad,
		wr = {.sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_RDMA_WRITE, .send_flags = IBV_SEND_SIGNALED};

	assert_null(srd_make(&bench, IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD));
	assert_int_equal(errno, EOPNOTSUPP);
	init.srq = bench.srq;
	assert_null(efadv_create_qp_ex(bench.context, &init, &efa, sizeof(efa)));
	assert_int_equal(errno, EINVAL);
	init.srq = NULL;
	((uint8_t *)&efa)[14] = 8; /* the service level of newer headers */
	assert_int_equal(ibv_destroy_qp(efadv_create_qp_ex(bench.context, &init, &efa, sizeof(efa))), 0);
	((uint8_t *)&efa)[sizeof(efa) - 1] = 1; /* what is not known */
	assert_null(efadv_create_qp_ex(bench.context, &init, &efa, sizeof(efa)));
	assert_int_equal(errno, EINVAL);
	assert_int_equal(srd_send(&bench, plain, qp->qp_num, RIG_QKEY, 0), EINVAL);
	assert_int_equal(srd_send(&bench, plain, qp->qp_num, RIG_QKEY, IBV_SEND_SIGNALED | IBV_SEND_SOLICITED), EINVAL);
	assert_int_equal(ibv_post_send(qp, &wr, &bad), EINVAL); /* it names no destination */
	assert_int_equal(ibv_destroy_qp(plain), 0);
	assert_int_equal(ibv_destroy_qp(qp), 0);
	bench_close(&bench);
}

TEST(srd_errors_are_of_one_request)
{
	struct bench bench = bench_open();
	struct ibv_qp *qp = srd_open(&bench, IBV_QP_EX_WITH_RDMA_WRITE), *target = srd_open(&bench, 0);
	const uint32_t nobody = (target->qp_num & 0xff0000) | 0xfff0;
	struct ibv_wc wc;

	assert_int_equal(srd_send(&bench, qp, nobody, RIG_QKEY, IBV_SEND_SIGNALED), 0);
	assert_int_equal(next_of(bench.cq).status, IBV_WC_REM_INV_RD_REQ_ERR);
	assert_int_equal(srd_send(&bench, qp, target->qp_num, RIG_QKEY + 1, IBV_SEND_SIGNALED), 0);
	assert_int_equal(next_of(bench.cq).status, IBV_WC_REM_INV_RD_REQ_ERR);
	assert_int_equal(srd_send(&bench, qp, 0xfe0002, RIG_QKEY, IBV_SEND_SIGNALED), 0); /* no such process */
	assert_int_equal(next_of(bench.cq).status, IBV_WC_RESP_TIMEOUT_ERR);
	assert_int_equal(srd_write(&bench, qp, target->qp_num, bench.mr->rkey + (1 << 25)), 0);
	assert_int_equal(next_of(bench.cq).status, IBV_WC_REM_ACCESS_ERR);
	assert_int_equal(state_of(qp), IBV_QPS_RTS);
	assert_int_equal(state_of(target), IBV_QPS_RTS);

	bench.buffer[0] = 7;
	assert_int_equal(srd_write(&bench, qp, target->qp_num, bench.mr->rkey), 0);
	assert_int_equal(next_of(bench.cq).status, IBV_WC_SUCCESS);
	assert_int_equal(bench.buffer[4096], 7);
	/* Without receives it waits, as long as it takes. */
	assert_int_equal(srd_send(&bench, qp, target->qp_num, RIG_QKEY, IBV_SEND_SIGNALED), 0);
	assert_int_equal(ibv_poll_cq(bench.cq, 1, &wc), 0);
	srd_receive(&bench, target);
	assert_int_equal(next_of(bench.cq).status, IBV_WC_SUCCESS);
	wc = next_of(bench.receive_cq);
	assert_int_equal(wc.status, IBV_WC_SUCCESS);
	assert_int_equal(wc.byte_len, MESSAGE); /* no routing header in front */
	assert_int_equal(wc.qp_num, target->qp_num);
	assert_int_equal(wc.src_qp, qp->qp_num);
	assert_int_equal(ibv_destroy_qp(target), 0);
	assert_int_equal(ibv_destroy_qp(qp), 0);
	bench_close(&bench);
}

/* --- DC --- */

static struct ibv_qp *dc_make(const struct bench *bench, enum mlx5dv_dc_type type, uint64_t key)
{
	struct mlx5dv_qp_init_attr mlx5 = {.comp_mask = MLX5DV_QP_INIT_ATTR_MASK_DC, .dc_init_attr.dc_type = type};
	struct ibv_qp_init_attr_ex init =
		init_of(bench, type == MLX5DV_DCTYPE_DCI ? IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_RDMA_WRITE : 0);

	init.cap.max_recv_wr = init.cap.max_recv_sge = 0;
	if (type == MLX5DV_DCTYPE_DCT) {
		init.srq = bench->srq;
		mlx5.dc_init_attr.dct_access_key = key;
	}
	return mlx5dv_create_qp(bench->context, &init, &mlx5);
}

static struct ibv_qp *dct_open_with(const struct bench *bench, uint64_t key, uint8_t rnr_timer)
{
	const struct ibv_qp_attr attr = {.port_num = 1,
					 .qp_access_flags = IBV_ACCESS_REMOTE_WRITE,
					 .path_mtu = IBV_MTU_1024,
					 .min_rnr_timer = rnr_timer,
					 .ah_attr = {.port_num = 1, .is_global = 1}};
	struct ibv_qp *qp = dc_make(bench, MLX5DV_DCTYPE_DCT, key);

	assert_non_null(qp);
	step(qp, attr, IBV_QPS_INIT, IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS);
	assert_int_equal(qp->qp_num, 0);
	step(qp, attr, IBV_QPS_RTR, IBV_QP_MIN_RNR_TIMER | IBV_QP_AV | IBV_QP_PATH_MTU);
	assert_int_not_equal(qp->qp_num, 0);
	return qp;
}

static struct ibv_qp *dct_open(const struct bench *bench, uint64_t key)
{
	return dct_open_with(bench, key, 1);
}

static struct ibv_qp *dci_open_with(const struct bench *bench, uint8_t rnr_retry)
{
	const struct ibv_qp_attr attr = {.port_num = 1,
					 .path_mtu = IBV_MTU_1024,
					 .timeout = 8,
					 .rnr_retry = rnr_retry,
					 .max_rd_atomic = 1,
					 .ah_attr = {.port_num = 1, .is_global = 1}};
	struct ibv_qp *qp = dc_make(bench, MLX5DV_DCTYPE_DCI, 0);

	assert_non_null(qp);
	step(qp, attr, IBV_QPS_INIT, IBV_QP_PKEY_INDEX | IBV_QP_PORT);
	step(qp, attr, IBV_QPS_RTR, IBV_QP_PATH_MTU | IBV_QP_AV);
	step(qp, attr, IBV_QPS_RTS,
	     IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC);
	return qp;
}

static struct ibv_qp *dci_open(const struct bench *bench)
{
	return dci_open_with(bench, 7);
}

static int dc_send(const struct bench *bench, struct ibv_qp *qp, uint32_t to, uint64_t key)
{
	struct ibv_qp_ex *qpx = ibv_qp_to_qp_ex(qp);

	ibv_wr_start(qpx);
	qpx->wr_flags = IBV_SEND_SIGNALED;
	ibv_wr_send(qpx);
	mlx5dv_wr_set_dc_addr(mlx5dv_qp_ex_from_ibv_qp_ex(qpx), bench->ah, to, key);
	ibv_wr_set_sge(qpx, bench->mr->lkey, (uintptr_t)bench->buffer, MESSAGE);
	return ibv_wr_complete(qpx);
}

static void dc_receive(const struct bench *bench)
{
	struct ibv_sge sge = {(uintptr_t)bench->buffer + 4096, MESSAGE, bench->mr->lkey};
	struct ibv_recv_wr *bad, wr = {.sg_list = &sge, .num_sge = 1};

	assert_int_equal(ibv_post_srq_recv(bench->srq, &wr, &bad), 0);
}

TEST(dc_goes_where_a_request_says)
{
	struct bench bench = bench_open();
	struct ibv_qp *dci = dci_open(&bench), *other = dci_open(&bench);
	struct ibv_qp *targets[] = {dct_open(&bench, KEY), dct_open(&bench, KEY << 20)};

	for (unsigned i = 0; i < 6; i++) {
		dc_receive(&bench);
		assert_int_equal(dc_send(&bench, i % 3 ? dci : other, targets[i % 2]->qp_num, i % 2 ? KEY << 20 : KEY),
				 0);
		assert_int_equal(next_of(bench.cq).status, IBV_WC_SUCCESS);
		assert_int_equal(next_of(bench.receive_cq).qp_num, targets[i % 2]->qp_num);
	}
	/* Another key ends the initiator, and nobody else. */
	assert_int_equal(dc_send(&bench, dci, targets[0]->qp_num, KEY + 1), 0);
	assert_int_equal(next_of(bench.cq).status, IBV_WC_REM_ACCESS_ERR);
	assert_int_equal(state_of(dci), IBV_QPS_ERR);
	dc_receive(&bench);
	assert_int_equal(dc_send(&bench, other, targets[0]->qp_num, KEY), 0);
	assert_int_equal(next_of(bench.cq).status, IBV_WC_SUCCESS);
	assert_int_equal(next_of(bench.receive_cq).status, IBV_WC_SUCCESS);
	/* What is no target does not answer. */
	assert_int_equal(dc_send(&bench, other, dci->qp_num, KEY), 0);
	assert_int_equal(next_of(bench.cq).status, IBV_WC_RETRY_EXC_ERR);
	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(ibv_destroy_qp(targets[i]), 0);
	assert_int_equal(ibv_destroy_qp(other), 0);
	assert_int_equal(ibv_destroy_qp(dci), 0);
	bench_close(&bench);
}

/* How long a request waits for a receive says the DCT that it names: three times 655 ms, and six times 10 us. */
TEST(dc_waits_as_its_target_says)
{
	struct bench bench = bench_open();
	struct ibv_qp *dcis[] = {dci_open_with(&bench, 3), dci_open_with(&bench, 6)};
	struct ibv_qp *targets[] = {dct_open_with(&bench, KEY, 0), dct_open_with(&bench, KEY, 1)};
	struct ibv_wc wc;

	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(dc_send(&bench, dcis[i], targets[i]->qp_num, KEY), 0);
	wc = next_of(bench.cq);
	assert_int_equal(wc.status, IBV_WC_RNR_RETRY_EXC_ERR);
	assert_int_equal(wc.qp_num, dcis[1]->qp_num);
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(ibv_destroy_qp(dcis[i]), 0);
		assert_int_equal(ibv_destroy_qp(targets[i]), 0);
	}
	bench_close(&bench);
}

/* No attribute of SRD says how long. Six times that is less than three times 655 ms, and other requests go on. */
TEST(srd_waits_a_time_of_its_own)
{
	struct bench bench = bench_open();
	struct ibv_qp *dci = dci_open_with(&bench, 3), *dct = dct_open_with(&bench, KEY, 0);
	struct ibv_qp *srd = srd_open_with(&bench, 0, 6), *target = srd_open(&bench, 0);
	struct ibv_wc wc;

	assert_int_equal(dc_send(&bench, dci, dct->qp_num, KEY), 0);
	assert_int_equal(srd_send(&bench, srd, target->qp_num, RIG_QKEY, IBV_SEND_SIGNALED), 0);
	wc = next_of(bench.cq);
	assert_int_equal(wc.status, IBV_WC_RNR_RETRY_EXC_ERR);
	assert_int_equal(wc.qp_num, srd->qp_num);
	srd_receive(&bench, target);
	assert_int_equal(srd_send(&bench, srd, target->qp_num, RIG_QKEY, IBV_SEND_SIGNALED), 0);
	assert_int_equal(next_of(bench.cq).status, IBV_WC_SUCCESS);
	assert_int_equal(next_of(bench.receive_cq).status, IBV_WC_SUCCESS);
	assert_int_equal(ibv_destroy_qp(dci), 0);
	assert_int_equal(ibv_destroy_qp(dct), 0);
	assert_int_equal(ibv_destroy_qp(srd), 0);
	assert_int_equal(ibv_destroy_qp(target), 0);
	bench_close(&bench);
}

TEST(dc_refuses_what_libmlx5_would)
{
	struct bench bench = bench_open();
	struct mlx5dv_context query = {.comp_mask = MLX5DV_CONTEXT_MASK_DC_ODP_CAPS};
	struct ibv_qp_init_attr_ex init = init_of(&bench, 0);
	struct mlx5dv_qp_init_attr mlx5 = {.comp_mask = MLX5DV_QP_INIT_ATTR_MASK_DC,
					   .dc_init_attr.dc_type = MLX5DV_DCTYPE_DCT};

	assert_true(mlx5dv_is_supported(bench.context->device));
	assert_null(mlx5dv_create_qp(bench.context, &init, &mlx5)); /* no shared receive queue */
	assert_int_equal(errno, EINVAL);
	assert_null(mlx5dv_create_qp(bench.context, &init, NULL)); /* nothing of DC */
	assert_int_equal(errno, EOPNOTSUPP);
	assert_int_equal(mlx5dv_query_device(bench.context, &query), 0);
	assert_int_equal(query.comp_mask, MLX5DV_CONTEXT_MASK_DC_ODP_CAPS);
	assert_true(query.dc_odp_caps & IBV_ODP_SUPPORT_SRQ_RECV);
#ifdef HAVE_STRUCT_MLX5DV_QP_EX_WR_SET_DC_ADDR_STREAM
	{
		struct mlx5dv_context context = {.comp_mask = MLX5DV_CONTEXT_MASK_DCI_STREAMS};

		assert_int_equal(mlx5dv_query_device(bench.context, &context), 0);
		assert_int_equal(context.comp_mask, MLX5DV_CONTEXT_MASK_DCI_STREAMS);
		mlx5.dc_init_attr.dc_type = MLX5DV_DCTYPE_DCI;
		mlx5.comp_mask |= MLX5DV_QP_INIT_ATTR_MASK_DCI_STREAMS;
		mlx5.dc_init_attr.dci_streams.log_num_concurent = context.dci_streams_caps.max_log_num_concurent + 1;
		assert_null(mlx5dv_create_qp(bench.context, &init, &mlx5));
		assert_int_equal(errno, EINVAL);
	}
#endif
	bench_close(&bench);
}

/* What a program with headers of any age hears and gives: a bit, and room behind what those headers know. */
TEST(order_may_be_given_up)
{
	struct bench bench = bench_open();
	struct ibv_qp_init_attr_ex init = init_of(&bench, IBV_QP_EX_WITH_SEND);
	struct mlx5dv_qp_init_attr mlx5 = {.comp_mask = MLX5DV_QP_INIT_ATTR_MASK_QP_CREATE_FLAGS,
					   .create_flags = 1u << 7 /* MLX5DV_QP_CREATE_OOO_DP */};
	uint32_t words[128] = {0};
	struct mlx5dv_context *query = (struct mlx5dv_context *)(void *)words;
	struct ibv_qp *qp;

	query->comp_mask = 1u << 16; /* MLX5DV_CONTEXT_MASK_OOO_RECV_WRS */
	assert_int_equal(mlx5dv_query_device(bench.context, query), 0);
	assert_int_equal(query->comp_mask, 1u << 16);
	assert_true(words[176 / 4] && words[176 / 4 + 4]);
	assert_int_equal(words[176 / 4 + 5], 0);
	init.qp_type = IBV_QPT_RC;
	qp = mlx5dv_create_qp(bench.context, &init, &mlx5);
	assert_non_null(qp);
	assert_non_null(ibv_qp_to_qp_ex(qp));
	assert_int_equal(ibv_destroy_qp(qp), 0);
	mlx5.create_flags = MLX5DV_QP_CREATE_ALLOW_SCATTER_TO_CQE;
	assert_null(mlx5dv_create_qp(bench.context, &init, &mlx5));
	bench_close(&bench);
}

/* Two packets to where the second one comes from: it is whole only if it was placed first. */
static void packets_arrive_last_first(struct bench *bench, struct ibv_qp *qp)
{
	struct ibv_sge sge = {(uintptr_t)bench->buffer, 2 * PACKET, bench->mr->lkey};
	struct ibv_send_wr *bad, wr = {.sg_list = &sge,
				       .num_sge = 1,
				       .opcode = IBV_WR_RDMA_WRITE,
				       .send_flags = IBV_SEND_SIGNALED,
				       .wr.rdma = {(uintptr_t)bench->buffer + PACKET, bench->mr->rkey}};
	struct ibv_qp_ex *qpx = ibv_qp_to_qp_ex(qp);

	memset(bench->buffer, 1, PACKET);
	memset(bench->buffer + PACKET, 2, PACKET);
	if (qp->qp_type == IBV_QPT_RC) {
		assert_int_equal(ibv_post_send(qp, &wr, &bad), 0);
	} else {
		qpx->wr_flags = IBV_SEND_SIGNALED;
		ibv_wr_start(qpx);
		ibv_wr_rdma_write(qpx, bench->mr->rkey, wr.wr.rdma.remote_addr);
		ibv_wr_set_ud_addr(qpx, bench->ah, qp->qp_num, RIG_QKEY);
		ibv_wr_set_sge(qpx, sge.lkey, sge.addr, sge.length);
		assert_int_equal(ibv_wr_complete(qpx), 0);
	}
	assert_int_equal(next_of(bench->cq).status, IBV_WC_SUCCESS);
	assert_int_equal(bench->buffer[PACKET], 1);
	assert_int_equal(bench->buffer[2 * PACKET], 2);
}

TEST(rc_gives_up_order_as_mlx5)
{
	const struct ibv_qp_attr attr = {.port_num = 1, .qp_access_flags = RIG_ACCESS};
	struct mlx5dv_qp_init_attr mlx5 = {.comp_mask = MLX5DV_QP_INIT_ATTR_MASK_QP_CREATE_FLAGS,
					   .create_flags = 1u << 7 /* MLX5DV_QP_CREATE_OOO_DP */};
	struct ibv_qp_init_attr_ex init;
	struct bench bench;
	struct ibv_qp *qp;

	setenv("PERFTEST_SOFT", "profile=mlx5", 1);
	bench = bench_open();
	init = init_of(&bench, 0);
	init.qp_type = IBV_QPT_RC;
	qp = mlx5dv_create_qp(bench.context, &init, &mlx5);
	assert_non_null(qp);
	step(qp, attr, IBV_QPS_INIT, IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS);
	assert_int_equal(rig_qp_connect(qp, &(struct rig_steps){.qpn = qp->qp_num, .reads = 1}), 0);
	packets_arrive_last_first(&bench, qp);
	assert_int_equal(ibv_destroy_qp(qp), 0);
	bench_close(&bench);
	unsetenv("PERFTEST_SOFT");
}

/* Each second message of a list, or posted so, overtakes the one before it, but for that of an idle queue. */
static uint32_t place_of(unsigned i, unsigned taken)
{
	if (i == 0 || (i % 2 && i + 1 == taken))
		return i;
	return i % 2 ? i + 1 : i - 1;
}

/* A list of SRD requests, of which the last one must not be posted: there is no room, or it has no completion. */
TEST(srd_keeps_no_order_as_efa)
{
	struct bench bench;
	struct ibv_qp *from, *to;
	struct ibv_sge sge;
	struct ibv_send_wr wrs[17], *bad;

	setenv("PERFTEST_SOFT", "profile=efa", 1);
	bench = bench_open();
	from = srd_open(&bench, IBV_QP_EX_WITH_RDMA_WRITE);
	to = srd_open(&bench, 0);
	packets_arrive_last_first(&bench, from);
	sge = (struct ibv_sge){(uintptr_t)bench.buffer, MESSAGE, bench.mr->lkey};
	for (int round = 0; round < 2; round++) {
		const unsigned taken = round ? 16 : 3;

		for (unsigned i = 0; i < 17; i++) {
			wrs[i] = (struct ibv_send_wr){
				.wr_id = i,
				.next = i < taken ? &wrs[i + 1] : NULL,
				.sg_list = &sge,
				.num_sge = 1,
				.opcode = IBV_WR_SEND_WITH_IMM,
				.imm_data = i,
				.send_flags = !round && i == taken ? 0 : IBV_SEND_SIGNALED,
				.wr.ud = {.ah = bench.ah, .remote_qpn = to->qp_num, .remote_qkey = RIG_QKEY}};
			if (i < taken)
				srd_receive(&bench, to);
		}
		assert_int_equal(ibv_post_send(from, wrs, &bad), round ? ENOMEM : EINVAL);
		assert_ptr_equal(bad, &wrs[taken]);
		for (unsigned i = 0; i < taken; i++) {
			assert_ptr_equal(wrs[i].next, &wrs[i + 1]);
			assert_int_equal(next_of(bench.receive_cq).imm_data, place_of(i, taken));
			assert_int_equal(next_of(bench.cq).wr_id, place_of(i, taken));
		}
	}
	assert_int_equal(ibv_destroy_qp(from), 0);
	assert_int_equal(ibv_destroy_qp(to), 0);
	bench_close(&bench);
	unsetenv("PERFTEST_SOFT");
}

TEST_MAIN(NULL, NULL)
