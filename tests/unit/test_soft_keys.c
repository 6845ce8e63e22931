// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * libmlx5's signature keys, over the software device: are blocks signed, checked and stripped between memory and wire
 * as mlx5dv_wr_set_mkey_sig_block(3) says, what is refused, and what happens to a key of another process whose memory
 * is truncated, or if a third process dies while it uses the key? All other tests are in one process.
 */
#include "config.h"

#include <errno.h>
#include <infiniband/mlx5dv.h>
#include <stdlib.h>
#include <string.h>

#include "soft_rig.h"
#include "soft_wire.h"

#ifdef HAVE_STRUCT_MLX5DV_QP_EX_WR_SET_MKEY_SIG_BLOCK

#define BLOCK	 512u
#define MEMORY	 16384u
#define GATHERED 8192u /* where in the buffer messages arrive */
#define RIGHTS	 (IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ)

/* A queue pair, connected with itself or with another process's. */
struct bench {
	struct ibv_context *context;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_qp *qp;
	struct ibv_qp_ex *qpx;
	struct mlx5dv_qp_ex *mlx5;
	struct ibv_mr *mr;
	struct mlx5dv_mkey *key;
	uint8_t *buffer;
};

static struct mlx5dv_sig_t10dif dif = {.bg_type = MLX5DV_SIG_T10DIF_CRC,
				       .bg = 0xffff,
				       .app_tag = 0x5678,
				       .ref_tag = 7,
				       .flags = MLX5DV_SIG_T10DIF_FLAG_REF_REMAP};
static struct mlx5dv_sig_crc crc = {.type = MLX5DV_SIG_CRC_TYPE_CRC32, .seed = UINT32_MAX};
static struct mlx5dv_sig_block_domain dif_blocks = {
	.sig_type = MLX5DV_SIG_TYPE_T10DIF, .sig.dif = &dif, .block_size = MLX5DV_BLOCK_SIZE_512};
static struct mlx5dv_sig_block_domain crc_blocks = {
	.sig_type = MLX5DV_SIG_TYPE_CRC, .sig.crc = &crc, .block_size = MLX5DV_BLOCK_SIZE_512};

static struct ibv_qp *qp_make(const struct bench *bench, uint32_t inline_bytes)
{
	struct mlx5dv_qp_init_attr mlx5 = {.comp_mask = MLX5DV_QP_INIT_ATTR_MASK_SEND_OPS_FLAGS |
							MLX5DV_QP_INIT_ATTR_MASK_QP_CREATE_FLAGS,
					   .create_flags = MLX5DV_QP_CREATE_DISABLE_SCATTER_TO_CQE,
					   .send_ops_flags = MLX5DV_QP_EX_WITH_MKEY_CONFIGURE};
	struct ibv_qp_init_attr_ex init = {
		.qp_type = IBV_QPT_RC,
		.send_cq = bench->cq,
		.recv_cq = bench->cq,
		.cap = {.max_send_wr = 8,
			.max_recv_wr = 8,
			.max_send_sge = 1,
			.max_recv_sge = 1,
			.max_inline_data = inline_bytes},
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.pd = bench->pd,
		.send_ops_flags = IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_RDMA_WRITE | IBV_QP_EX_WITH_RDMA_READ,
	};

	return mlx5dv_create_qp(bench->context, &init, &mlx5);
}

static void connect_with(struct ibv_qp *qp, uint32_t number)
{
	struct ibv_qp_attr attr = {.qp_state = IBV_QPS_INIT,
				   .port_num = 1,
				   .qp_access_flags = RIG_ACCESS,
				   .path_mtu = IBV_MTU_1024,
				   .dest_qp_num = number,
				   .max_dest_rd_atomic = 1,
				   .max_rd_atomic = 1,
				   .min_rnr_timer = 1,
				   .timeout = 8,
				   .ah_attr = {.port_num = 1, .is_global = 1}};

	assert_int_equal(ibv_query_gid(qp->context, 1, 0, &attr.ah_attr.grh.dgid), 0);
	assert_int_equal(ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS),
			 0);
	attr.qp_state = IBV_QPS_RTR;
	assert_int_equal(ibv_modify_qp(qp, &attr,
				       IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
					       IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER),
			 0);
	attr.qp_state = IBV_QPS_RTS;
	assert_int_equal(ibv_modify_qp(qp, &attr,
				       IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
					       IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC),
			 0);
}

static struct mlx5dv_mkey *key_make(const struct bench *bench)
{
	struct mlx5dv_mkey_init_attr attr = {.pd = bench->pd,
					     .create_flags = MLX5DV_MKEY_INIT_ATTR_FLAGS_INDIRECT |
							     MLX5DV_MKEY_INIT_ATTR_FLAGS_BLOCK_SIGNATURE,
					     .max_entries = 1};

	return mlx5dv_create_mkey(&attr);
}

/* MAP_PRIVATE memory, or that of a file. */
static struct bench bench_open_at(int file)
{
	struct bench bench;

	setenv("PERFTEST_SOFT_DIRECT", "1", 1);
	bench.context = rig_open_device();
	bench.pd = ibv_alloc_pd(bench.context);
	bench.cq = ibv_create_cq(bench.context, 64, NULL, NULL, 0);
	bench.buffer = mmap(NULL, MEMORY, PROT_READ | PROT_WRITE, file < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED,
			    file, 0);
	RIG_CHECK(bench.buffer != MAP_FAILED);
	for (unsigned i = 0; i < MEMORY; i++)
		bench.buffer[i] = (uint8_t)(i * 7 + i / 256);
	bench.mr = ibv_reg_mr(bench.pd, bench.buffer, MEMORY, RIG_ACCESS);
	assert_true(bench.pd && bench.cq && bench.mr);
	bench.qp = qp_make(&bench, 256);
	assert_non_null(bench.qp);
	bench.qpx = ibv_qp_to_qp_ex(bench.qp);
	bench.mlx5 = mlx5dv_qp_ex_from_ibv_qp_ex(bench.qpx);
	bench.key = key_make(&bench);
	assert_true(bench.mlx5 && bench.key);
	return bench;
}

static struct bench bench_open(void)
{
	struct bench bench = bench_open_at(-1);

	connect_with(bench.qp, bench.qp->qp_num);
	return bench;
}

static void bench_close(struct bench *bench)
{
	assert_int_equal(mlx5dv_destroy_mkey(bench->key), 0);
	assert_int_equal(ibv_destroy_qp(bench->qp), 0);
	assert_int_equal(ibv_dereg_mr(bench->mr), 0);
	assert_int_equal(ibv_destroy_cq(bench->cq), 0);
	assert_int_equal(ibv_dealloc_pd(bench->pd), 0);
	assert_int_equal(ibv_close_device(bench->context), 0);
	munmap(bench->buffer, MEMORY);
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

static int set_up_from(const struct bench *bench, uint64_t at, uint32_t length,
		       const struct mlx5dv_sig_block_domain *memory, const struct mlx5dv_sig_block_domain *wire)
{
	const struct mlx5dv_sig_block_attr signs = {.mem = memory, .wire = wire, .check_mask = 0xff};
	const struct ibv_sge sge = {(uintptr_t)bench->buffer + at, length, bench->mr->lkey};
	struct mlx5dv_mkey_conf_attr conf = {.comp_mask = 0};

	ibv_wr_start(bench->qpx);
	bench->qpx->wr_flags = IBV_SEND_INLINE | IBV_SEND_SIGNALED;
	mlx5dv_wr_mkey_configure(bench->mlx5, bench->key, 3, &conf);
	mlx5dv_wr_set_mkey_access_flags(bench->mlx5, RIGHTS);
	mlx5dv_wr_set_mkey_layout_list(bench->mlx5, 1, &sge);
	mlx5dv_wr_set_mkey_sig_block(bench->mlx5, &signs);
	return ibv_wr_complete(bench->qpx);
}

static void set_up(const struct bench *bench, uint64_t at, uint32_t length,
		   const struct mlx5dv_sig_block_domain *memory, const struct mlx5dv_sig_block_domain *wire)
{
	struct ibv_wc wc;

	assert_int_equal(set_up_from(bench, at, length, memory, wire), 0);
	wc = next_of(bench->cq);
	assert_int_equal(wc.status, IBV_WC_SUCCESS);
	assert_int_equal(wc.opcode, IBV_WC_DRIVER1);
}

/* Between the key and plain memory, both local: the status. */
static enum ibv_wc_status write_to(const struct bench *bench, uint32_t lkey, uint64_t from, uint32_t rkey, uint64_t to,
				   uint32_t length)
{
	ibv_wr_start(bench->qpx);
	bench->qpx->wr_flags = IBV_SEND_SIGNALED;
	ibv_wr_rdma_write(bench->qpx, rkey, to);
	ibv_wr_set_sge(bench->qpx, lkey, from, length);
	assert_int_equal(ibv_wr_complete(bench->qpx), 0);
	return next_of(bench->cq).status;
}

static enum ibv_wc_status read_from(const struct bench *bench, uint32_t lkey, uint64_t to, uint32_t rkey, uint64_t from,
				    uint32_t length)
{
	ibv_wr_start(bench->qpx);
	bench->qpx->wr_flags = IBV_SEND_SIGNALED;
	ibv_wr_rdma_read(bench->qpx, rkey, from);
	ibv_wr_set_sge(bench->qpx, lkey, to, length);
	assert_int_equal(ibv_wr_complete(bench->qpx), 0);
	return next_of(bench->cq).status;
}

static struct mlx5dv_mkey_err error_of(const struct bench *bench)
{
	struct mlx5dv_mkey_err error;

	assert_int_equal(mlx5dv_mkey_check(bench->key, &error), 0);
	return error;
}

static void what_the_device_has_is_said(void **state)
{
	struct bench bench = bench_open();
	struct mlx5dv_context attr = {.comp_mask = MLX5DV_CONTEXT_MASK_SIGNATURE_OFFLOAD};

	(void)state;
	assert_int_equal(mlx5dv_query_device(bench.context, &attr), 0);
	assert_true(attr.comp_mask & MLX5DV_CONTEXT_MASK_SIGNATURE_OFFLOAD);
	assert_true(attr.sig_caps.block_prot & MLX5DV_SIG_PROT_CAP_T10DIF);
	attr.comp_mask = 0;
	assert_int_equal(mlx5dv_query_device(bench.context, &attr), 0);
	assert_false(attr.comp_mask & MLX5DV_CONTEXT_MASK_SIGNATURE_OFFLOAD);
	bench_close(&bench);
}

/* Two blocks to plain memory, where what was on the wire is seen; and back, checked and stripped. */
static void signatures_are_put_on_the_wire_and_taken_away(void **state)
{
	struct bench bench = bench_open();
	uint8_t *wire = bench.buffer + GATHERED;
	uint8_t sent[2 * BLOCK];

	(void)state;
	memcpy(sent, bench.buffer, sizeof(sent));
	set_up(&bench, 0, 2 * BLOCK, NULL, &dif_blocks);
	assert_int_equal(write_to(&bench, bench.key->lkey, 0, bench.mr->rkey, (uintptr_t)wire, 2 * (BLOCK + 8)), 0);
	assert_memory_equal(wire, sent, BLOCK);
	assert_memory_equal(wire + BLOCK + 2, "\x56\x78\0\0\0\x07", 6);
	assert_memory_equal(wire + BLOCK + 8, sent + BLOCK, BLOCK);
	assert_memory_equal(wire + 2 * BLOCK + 8 + 2, "\x56\x78\0\0\0\x08", 6);
	memset(bench.buffer, 0, 2 * BLOCK);
	assert_int_equal(write_to(&bench, bench.mr->lkey, (uintptr_t)wire, bench.key->rkey, 0, 2 * (BLOCK + 8)), 0);
	assert_memory_equal(bench.buffer, sent, sizeof(sent));
	assert_int_equal(error_of(&bench).err_type, MLX5DV_MKEY_NO_ERR);
	/* The other way round: by READ. */
	memset(wire, 0, 2 * (BLOCK + 8));
	assert_int_equal(read_from(&bench, bench.mr->lkey, (uintptr_t)wire, bench.key->rkey, 0, 2 * (BLOCK + 8)), 0);
	memset(bench.buffer, 0, 2 * BLOCK);
	assert_int_equal(read_from(&bench, bench.key->lkey, 0, bench.mr->rkey, (uintptr_t)wire, 2 * (BLOCK + 8)), 0);
	assert_memory_equal(bench.buffer, sent, sizeof(sent));
	assert_int_equal(error_of(&bench).err_type, MLX5DV_MKEY_NO_ERR);
	bench_close(&bench);
}

/* The first error is kept until it is asked for; the message arrives. */
static void what_is_wrong_is_told_once(void **state)
{
	struct bench bench = bench_open();
	uint8_t *wire = bench.buffer + GATHERED;
	struct mlx5dv_mkey_err error;

	(void)state;
	set_up(&bench, 0, 2 * BLOCK, NULL, &dif_blocks);
	assert_int_equal(write_to(&bench, bench.key->lkey, 0, bench.mr->rkey, (uintptr_t)wire, 2 * (BLOCK + 8)), 0);
	wire[BLOCK + 8] ^= 1; /* of the second block */
	assert_int_equal(write_to(&bench, bench.mr->lkey, (uintptr_t)wire, bench.key->rkey, 0, 2 * (BLOCK + 8)), 0);
	assert_int_equal(bench.buffer[BLOCK], wire[BLOCK + 8]);
	wire[BLOCK + 3] ^= 1;
	assert_int_equal(write_to(&bench, bench.mr->lkey, (uintptr_t)wire, bench.key->rkey, 0, 2 * (BLOCK + 8)), 0);
	error = error_of(&bench);
	assert_int_equal(error.err_type, MLX5DV_MKEY_SIG_BLOCK_BAD_GUARD);
	assert_int_equal(error.err.sig.offset, BLOCK + 8);
	assert_int_equal(error.err.sig.expected_value, wire[2 * BLOCK + 8] << 8 | wire[2 * BLOCK + 9]);
	assert_int_not_equal(error.err.sig.actual_value, error.err.sig.expected_value);
	assert_int_equal(error_of(&bench).err_type, MLX5DV_MKEY_NO_ERR);
	assert_int_equal(write_to(&bench, bench.mr->lkey, (uintptr_t)wire, bench.key->rkey, 0, 2 * (BLOCK + 8)), 0);
	error = error_of(&bench);
	assert_int_equal(error.err_type, MLX5DV_MKEY_SIG_BLOCK_BAD_APPTAG);
	assert_int_equal(error.err.sig.offset, 0);
	bench_close(&bench);
}

/* CRC32 in memory and none on the wire: sent, it is checked and left away; received, it is made. By SEND. */
static void signatures_in_memory_are_checked_and_made(void **state)
{
	struct bench bench = bench_open();
	struct ibv_sge sge = {0, BLOCK, 0};
	struct ibv_recv_wr *bad, receive = {.sg_list = &sge, .num_sge = 1};
	uint8_t *plain = bench.buffer + GATHERED;
	uint8_t sent[BLOCK];

	(void)state;
	memcpy(sent, plain, sizeof(sent));
	set_up(&bench, 0, BLOCK + 4, &crc_blocks, NULL);
	sge.lkey = bench.key->lkey;
	assert_int_equal(ibv_post_recv(bench.qp, &receive, &bad), 0);
	ibv_wr_start(bench.qpx);
	bench.qpx->wr_flags = IBV_SEND_SIGNALED;
	ibv_wr_send(bench.qpx);
	ibv_wr_set_sge(bench.qpx, bench.mr->lkey, (uintptr_t)plain, BLOCK);
	assert_int_equal(ibv_wr_complete(bench.qpx), 0);
	assert_int_equal(next_of(bench.cq).status, IBV_WC_SUCCESS);
	assert_int_equal(next_of(bench.cq).status, IBV_WC_SUCCESS);
	assert_memory_equal(bench.buffer, sent, BLOCK);
	memset(plain, 0, BLOCK);
	assert_int_equal(write_to(&bench, bench.key->lkey, 0, bench.mr->rkey, (uintptr_t)plain, BLOCK), 0);
	assert_memory_equal(plain, sent, BLOCK);
	assert_int_equal(error_of(&bench).err_type, MLX5DV_MKEY_NO_ERR);
	bench.buffer[BLOCK] ^= 0x80;
	assert_int_equal(write_to(&bench, bench.key->lkey, 0, bench.mr->rkey, (uintptr_t)plain, BLOCK), 0);
	assert_int_equal(error_of(&bench).err_type, MLX5DV_MKEY_SIG_BLOCK_BAD_GUARD);
	bench_close(&bench);
}

/* Each puts the queue pair into ERR. */
static void requests_keep_to_whole_blocks_from_the_first(void **state)
{
	static const struct {
		uint64_t from;
		uint32_t length;
	} wrong[] = {{0, BLOCK}, {8, BLOCK + 8}, {0, 3 * (BLOCK + 8)}};

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct bench bench = bench_open();

		set_up(&bench, 0, 2 * BLOCK, NULL, &dif_blocks);
		assert_int_equal(write_to(&bench, bench.key->lkey, wrong[i].from, bench.mr->rkey,
					  (uintptr_t)bench.buffer + GATHERED, wrong[i].length),
				 IBV_WC_LOC_PROT_ERR);
		bench_close(&bench);
	}
}

static void a_key_that_was_not_set_up_is_none(void **state)
{
	struct bench bench = bench_open();
	struct bench other = bench_open();

	(void)state;
	assert_int_equal(write_to(&bench, bench.mr->lkey, (uintptr_t)bench.buffer, bench.key->rkey, 0, BLOCK + 8),
			 IBV_WC_REM_ACCESS_ERR);
	/* Nor may it go beyond its region. */
	assert_int_equal(set_up_from(&other, MEMORY - BLOCK, 2 * BLOCK, NULL, &dif_blocks), 0);
	assert_int_equal(next_of(other.cq).status, IBV_WC_MW_BIND_ERR);
	bench_close(&bench);
	bench_close(&other);
}

static void what_is_not_here_is_refused(void **state)
{
	struct bench bench = bench_open();
	const struct mlx5dv_sig_block_domain large = {
		.sig_type = MLX5DV_SIG_TYPE_CRC, .sig.crc = &crc, .block_size = MLX5DV_BLOCK_SIZE_4096};
	struct mlx5dv_mkey_init_attr attr = {.pd = bench.pd, .create_flags = MLX5DV_MKEY_INIT_ATTR_FLAGS_INDIRECT};
	const struct ibv_sge sges[2] = {{0}};
	struct mlx5dv_mkey_conf_attr conf = {.comp_mask = 0};
	struct ibv_qp *narrow = qp_make(&bench, 16);

	(void)state;
	assert_null(mlx5dv_create_mkey(&attr));
	assert_int_equal(errno, EOPNOTSUPP);
	assert_int_equal(set_up_from(&bench, 0, BLOCK, &dif_blocks, &large), EOPNOTSUPP);
	ibv_wr_start(bench.qpx);
	bench.qpx->wr_flags = IBV_SEND_INLINE;
	mlx5dv_wr_mkey_configure(bench.mlx5, bench.key, 1, &conf);
	mlx5dv_wr_set_mkey_layout_list(bench.mlx5, 2, sges);
	assert_int_equal(ibv_wr_complete(bench.qpx), ENOMEM);
	ibv_wr_start(bench.qpx);
	bench.qpx->wr_flags = 0; /* as libmlx5 has it: not but inline */
	mlx5dv_wr_mkey_configure(bench.mlx5, bench.key, 0, &conf);
	assert_int_equal(ibv_wr_complete(bench.qpx), EINVAL);
	assert_non_null(narrow);
	assert_int_equal(ibv_destroy_qp(narrow), 0);
	bench_close(&bench);
}

/* --- another process's key --- */

/* A word of these goes either way: what to do, and that it was done, or with what status. */
enum order { POST, CUT, DIE, CHECK, POLL, END };

/* What an end tells the other first. */
struct name {
	uint32_t qpn, rkey;
};

struct far {
	pid_t child;
	int fd;
	uint32_t rkey;
};

static struct signed_row *control_signed(uint8_t *control, uint32_t key)
{
	return (struct signed_row *)(void *)(control + LAYOUT_SIGNED_OFFSET) + KEY_INDEX(key);
}

/* One that held this key's row, in the middle of saying what was wrong with a block, and is no more. */
static struct signed_row *initiator_dies(const struct bench *bench, uint32_t instance)
{
	int fd;
	struct signed_row *row =
		control_signed(own_control(QPN_SLOT(bench->qp->qp_num), NO_SLOT, &fd), bench->key->lkey);

	row->lock = instance;
	row->wrong = SIGNATURE_BAD_APP_TAG;
	row->offset = MEMORY;
	close(fd);
	return row;
}

/* Its service thread sees that; no thread of it looks. */
static void initiator_dies_unseen(const struct bench *bench)
{
	const struct signed_row *row = initiator_dies(bench, DEAD_INSTANCE);
	const double end = rig_now() + RIG_WAIT_S;

	while (__atomic_load_n(&row->lock, __ATOMIC_ACQUIRE))
		RIG_CHECK(rig_now() < end);
}

static int far_do(const struct bench *bench, int order, int file)
{
	struct ibv_sge sge = {0, 2 * (BLOCK + 8), bench->key->lkey};
	struct ibv_recv_wr *bad, receive = {.sg_list = &sge, .num_sge = 1};

	switch (order) {
	case POST:
		return ibv_post_recv(bench->qp, &receive, &bad);
	case CUT:
		return ftruncate(file, 0);
	case DIE:
		initiator_dies_unseen(bench);
		return 0;
	case CHECK:
		return (int)error_of(bench).err_type;
	default:
		return next_of(bench->cq).status;
	}
}

static void far_run(int fd)
{
	int file = memfd_create("test_soft_keys", MFD_CLOEXEC), order;
	struct bench bench;
	struct name name;

	RIG_CHECK(file >= 0 && ftruncate(file, MEMORY) == 0);
	bench = bench_open_at(file);
	name = (struct name){bench.qp->qp_num, bench.key->rkey};
	RIG_CHECK(write(fd, &name, sizeof(name)) == sizeof(name));
	RIG_CHECK(read(fd, &name, sizeof(name)) == sizeof(name));
	connect_with(bench.qp, name.qpn);
	set_up(&bench, 0, 2 * BLOCK, NULL, &dif_blocks);
	do {
		RIG_CHECK(read(fd, &order, sizeof(order)) == sizeof(order));
		if (order != END)
			order = far_do(&bench, order, file);
		else
			_exit(0);
	} while (write(fd, &order, sizeof(order)) == sizeof(order));
	_exit(1);
}

static int tell(const struct far *far, int order)
{
	RIG_CHECK(write(far->fd, &order, sizeof(order)) == sizeof(order));
	RIG_CHECK(read(far->fd, &order, sizeof(order)) == sizeof(order));
	return order;
}

/* Before a device is open here. */
static struct far far_open(struct bench *near)
{
	struct name name;
	struct far far;
	int pair[2];

	RIG_CHECK(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair) == 0);
	far.child = child_start();
	if (far.child == 0) {
		close(pair[0]);
		alarm(RIG_WAIT_S * 4);
		far_run(pair[1]);
	}
	close(pair[1]);
	far.fd = pair[0];
	*near = bench_open_at(-1);
	RIG_CHECK(read(far.fd, &name, sizeof(name)) == sizeof(name));
	connect_with(near->qp, name.qpn);
	far.rkey = name.rkey;
	name.qpn = near->qp->qp_num;
	RIG_CHECK(write(far.fd, &name, sizeof(name)) == sizeof(name));
	return far;
}

static void far_close(const struct far *far)
{
	const int order = END;
	int status;

	RIG_CHECK(write(far->fd, &order, sizeof(order)) == sizeof(order));
	RIG_CHECK(waitpid(far->child, &status, 0) == far->child && status == 0);
	close(far->fd);
}

static void send_from(const struct bench *bench, uint32_t length)
{
	ibv_wr_start(bench->qpx);
	bench->qpx->wr_flags = IBV_SEND_SIGNALED;
	ibv_wr_send(bench->qpx);
	ibv_wr_set_sge(bench->qpx, bench->mr->lkey, (uintptr_t)bench->buffer, length);
	assert_int_equal(ibv_wr_complete(bench->qpx), 0);
}

/* As of a region without a key before it (test_soft_files.c): what was cut off is not where data comes from or goes to.
 */
static void memory_that_was_cut_off_is_told(void **state)
{
	const uint32_t length = 2 * (BLOCK + 8);

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		struct bench near;
		const struct far far = far_open(&near);
		const uint64_t at = (uintptr_t)near.buffer;

		assert_int_equal(tell(&far, POST), 0); /* it is set up by then */
		assert_int_equal(read_from(&near, near.mr->lkey, at, far.rkey, 0, length), IBV_WC_SUCCESS);
		tell(&far, CUT);
		if (i == 0) {
			assert_int_equal(write_to(&near, near.mr->lkey, at, far.rkey, 0, length),
					 IBV_WC_REM_ACCESS_ERR);
		} else if (i == 1) {
			assert_int_equal(read_from(&near, near.mr->lkey, at, far.rkey, 0, length),
					 IBV_WC_REM_ACCESS_ERR);
		} else {
			send_from(&near, length);
			assert_int_equal(next_of(near.cq).status, IBV_WC_REM_OP_ERR);
			assert_int_equal(tell(&far, POLL), IBV_WC_LOC_PROT_ERR);
		}
		far_close(&far);
		bench_close(&near);
	}
}

/* Whether it is the row's owner that finds the next block wrong, or a process that is none. */
static void who_died_over_a_wrong_block_is_in_nobodys_way(void **state)
{
	const uint32_t length = 2 * (BLOCK + 8);
	struct bench near;
	struct far far = far_open(&near);

	(void)state;
	assert_int_equal(tell(&far, DIE), 0);
	assert_int_equal(write_to(&near, near.mr->lkey, (uintptr_t)near.buffer, far.rkey, 0, length), IBV_WC_SUCCESS);
	assert_int_equal(tell(&far, CHECK), MLX5DV_MKEY_SIG_BLOCK_BAD_GUARD);
	assert_int_equal(tell(&far, CHECK), MLX5DV_MKEY_NO_ERR);
	far_close(&far);
	bench_close(&near);

	near = bench_open();
	set_up(&near, 0, 2 * BLOCK, NULL, &dif_blocks);
	initiator_dies(&near, DEAD_INSTANCE + 1); /* of whose end the service thread has heard before */
	assert_int_equal(error_of(&near).err_type, MLX5DV_MKEY_NO_ERR); /* it has not said so */
	assert_int_equal(write_to(&near, near.mr->lkey, (uintptr_t)near.buffer + GATHERED, near.key->rkey, 0, length),
			 IBV_WC_SUCCESS);
	assert_int_equal(error_of(&near).err_type, MLX5DV_MKEY_SIG_BLOCK_BAD_GUARD);
	bench_close(&near);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_the_device_has_is_said),
		cmocka_unit_test(signatures_are_put_on_the_wire_and_taken_away),
		cmocka_unit_test(what_is_wrong_is_told_once),
		cmocka_unit_test(signatures_in_memory_are_checked_and_made),
		cmocka_unit_test(requests_keep_to_whole_blocks_from_the_first),
		cmocka_unit_test(a_key_that_was_not_set_up_is_none),
		cmocka_unit_test(what_is_not_here_is_refused),
		cmocka_unit_test(memory_that_was_cut_off_is_told),
		cmocka_unit_test(who_died_over_a_wrong_block_is_in_nobodys_way),
	};

	return cmocka_run_group_tests(tests, rig_directory_make, rig_directory_remove);
}

#else

int main(void)
{
	return 77; /* skipped: these headers of libmlx5 have no such keys */
}

#endif
