// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Does each profile of the software device refuse what the driver's provider library and the kernel refuse, with the
 * same errno? A row is a question and the answer of one driver; docs/soft.md names the sources.
 */
#define _GNU_SOURCE 1 /* memfd_create() */
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/vfs.h>

#include "soft_rig.h"

#define DEPTH  256u
#define BUFFER 8192u

struct bench {
	struct ibv_context *context;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_mr *mr;
	struct ibv_qp *qp; /* connected to itself; over iWARP, which takes rdma_cm, not */
	uint8_t *buffer;
};

static struct ibv_qp_init_attr init_of(const struct bench *bench, enum ibv_qp_type type, uint32_t inlined)
{
	return (struct ibv_qp_init_attr){.qp_type = type,
					 .send_cq = bench->cq,
					 .recv_cq = bench->cq,
					 .cap = {DEPTH, DEPTH, 1 /* entry of a SEND */, 1 /* of a receive */, inlined}};
}

static void qp_init(struct ibv_qp *qp)
{
	struct ibv_qp_attr attr = {.qp_state = IBV_QPS_INIT, .port_num = 1, .qp_access_flags = RIG_ACCESS};

	assert_int_equal(ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS),
			 0);
}

static int qp_connect(struct bench *bench)
{
	const struct rig_steps steps = {.qpn = bench->qp->qp_num, .reads = 1, .rnr_retry = 7, .mtu = IBV_MTU_256};

	return rig_qp_connect(bench->qp, &steps);
}

static struct bench bench_open(const char *profile)
{
	char mode[64];
	struct bench bench;
	struct ibv_qp_init_attr init;

	snprintf(mode, sizeof(mode), "profile=%s", profile);
	if (*profile)
		setenv("PERFTEST_SOFT", mode, 1);
	bench = (struct bench){.context = rig_open_device()};
	bench.pd = ibv_alloc_pd(bench.context);
	bench.cq = ibv_create_cq(bench.context, 2 * DEPTH, NULL, NULL, 0);
	bench.buffer = aligned_alloc(4096, BUFFER);
	bench.mr = ibv_reg_mr(bench.pd, bench.buffer, BUFFER,
			      IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ);
	assert_true(bench.pd && bench.cq && bench.mr);
	if (strcmp(profile, "efa") == 0)
		return bench;
	init = init_of(&bench, IBV_QPT_RC, strcmp(profile, "hns") == 0 ? 1024 : 32);
	bench.qp = ibv_create_qp(bench.pd, &init);
	assert_non_null(bench.qp);
	qp_init(bench.qp);
	if (bench.context->device->transport_type != IBV_TRANSPORT_IWARP)
		assert_int_equal(qp_connect(&bench), 0);
	return bench;
}

static void bench_close(struct bench *bench)
{
	if (bench->qp)
		assert_int_equal(ibv_destroy_qp(bench->qp), 0);
	assert_int_equal(ibv_dereg_mr(bench->mr), 0);
	assert_int_equal(ibv_destroy_cq(bench->cq), 0);
	assert_int_equal(ibv_dealloc_pd(bench->pd), 0);
	assert_int_equal(ibv_close_device(bench->context), 0);
	free(bench->buffer);
	unsetenv("PERFTEST_SOFT");
}

/* Each question returns 0 or what the call returned, or its errno. */

static int ask_window(struct bench *bench)
{
	struct ibv_mw *mw = ibv_alloc_mw(bench->pd, IBV_MW_TYPE_2);

	return mw ? ibv_dealloc_mw(mw) : errno;
}

static int ask_thread_domain(struct bench *bench)
{
	struct ibv_td_init_attr attr = {0};
	struct ibv_td *td = ibv_alloc_td(bench->context, &attr);

	return td ? ibv_dealloc_td(td) : errno;
}

static int ask_extended_cq(struct bench *bench)
{
	struct ibv_cq_init_attr_ex attr = {.cqe = 1};
	struct ibv_cq_ex *cq = ibv_create_cq_ex(bench->context, &attr);

	return cq ? ibv_destroy_cq(ibv_cq_ex_to_cq(cq)) : errno;
}

static int ask_clock(struct bench *bench)
{
	struct ibv_values_ex values = {.comp_mask = IBV_VALUES_MASK_RAW_CLOCK};

	return ibv_query_rt_values_ex(bench->context, &values);
}

static int ask_group(struct bench *bench)
{
	const union ibv_gid group = {.raw = {0xff, 0x0e, [15] = 1}};
	struct ibv_qp_init_attr init = init_of(bench, IBV_QPT_UD, 0);
	struct ibv_qp *qp = ibv_create_qp(bench->pd, &init);
	struct ibv_device_attr attr;
	int err;

	assert_non_null(qp);
	err = ibv_attach_mcast(qp, &group, 0);
	if (!err)
		assert_int_equal(ibv_detach_mcast(qp, &group, 0), 0);
	assert_int_equal(ibv_query_device(bench->context, &attr), 0);
	assert_int_equal(!attr.max_mcast_grp, !!err);
	assert_int_equal(ibv_destroy_qp(qp), 0);
	return err;
}

static int ask_access(struct bench *bench, int access)
{
	struct ibv_mr *mr = ibv_reg_mr(bench->pd, bench->buffer, BUFFER, IBV_ACCESS_LOCAL_WRITE | access);

	return mr ? ibv_dereg_mr(mr) : errno;
}

static int ask_paging(struct bench *bench)
{
	return ask_access(bench, IBV_ACCESS_ON_DEMAND);
}

static int ask_atomic_access(struct bench *bench)
{
	return ask_access(bench, IBV_ACCESS_REMOTE_ATOMIC);
}

static int ask_bindable(struct bench *bench)
{
	return ask_access(bench, IBV_ACCESS_MW_BIND);
}

static int ask_huge(struct bench *bench)
{
	return ask_access(bench, IBV_ACCESS_HUGETLB);
}

static int ask_relaxed_order(struct bench *bench)
{
	return ask_access(bench, IBV_ACCESS_RELAXED_ORDERING);
}

static int ask_memory(struct bench *bench, void *addr, size_t length, int access)
{
	struct ibv_mr *mr = ibv_reg_mr(bench->pd, addr, length, access);

	return mr ? ibv_dereg_mr(mr) : errno;
}

static int ask_too_long(struct bench *bench)
{
	struct ibv_device_attr attr;

	assert_int_equal(ibv_query_device(bench->context, &attr), 0);
	return ask_memory(bench, bench->buffer, attr.max_mr_size + 1, IBV_ACCESS_LOCAL_WRITE);
}

static int ask_unmapped(struct bench *bench)
{
	void *page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_true(page != MAP_FAILED);
	munmap(page, 4096);
	return ask_memory(bench, page, 4096, IBV_ACCESS_LOCAL_WRITE);
}

static int ask_change(struct bench *bench)
{
	struct ibv_mr *mr = ibv_reg_mr(bench->pd, bench->buffer, BUFFER, IBV_ACCESS_LOCAL_WRITE);
	int err;

	assert_non_null(mr);
	err = ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_ACCESS, NULL, NULL, 0, 0) ? errno : 0;
	assert_int_equal(ibv_dereg_mr(mr), 0);
	return err;
}

static int ask_advice(struct bench *bench)
{
	struct ibv_mr *mr = ibv_reg_mr(bench->pd, bench->buffer, BUFFER, IBV_ACCESS_ON_DEMAND);
	struct ibv_sge sge = {(uintptr_t)bench->buffer, BUFFER, mr ? mr->lkey : bench->mr->lkey};
	int err = ibv_advise_mr(bench->pd, IBV_ADVISE_MR_ADVICE_PREFETCH, 0, &sge, 1);

	if (mr)
		ibv_dereg_mr(mr);
	return err;
}

static void *no_memory_of_domain(struct ibv_pd *pd, void *context, size_t size, size_t alignment, uint64_t resource)
{
	(void)pd;
	(void)context;
	(void)size;
	(void)alignment;
	(void)resource;
	return IBV_ALLOCATOR_USE_DEFAULT;
}

static void keep_memory_of_domain(struct ibv_pd *pd, void *context, void *memory, uint64_t resource)
{
	(void)pd;
	(void)context;
	(void)memory;
	(void)resource;
}

static int ask_parent_domain(struct bench *bench)
{
	struct ibv_parent_domain_init_attr attr = {.pd = bench->pd};
	struct ibv_pd *parent = ibv_alloc_parent_domain(bench->context, &attr);

	return parent ? ibv_dealloc_pd(parent) : errno;
}

static int ask_allocators(struct bench *bench)
{
	struct ibv_parent_domain_init_attr attr = {
		.pd = bench->pd,
		.comp_mask = IBV_PARENT_DOMAIN_INIT_ATTR_ALLOCATORS,
		.alloc = no_memory_of_domain,
		.free = keep_memory_of_domain,
	};
	struct ibv_pd *parent = ibv_alloc_parent_domain(bench->context, &attr);

	return parent ? ibv_dealloc_pd(parent) : errno;
}

static int ask_domain_context(struct bench *bench)
{
	struct ibv_parent_domain_init_attr attr = {.pd = bench->pd,
						   .comp_mask = IBV_PARENT_DOMAIN_INIT_ATTR_PD_CONTEXT};
	struct ibv_pd *parent = ibv_alloc_parent_domain(bench->context, &attr);

	return parent ? ibv_dealloc_pd(parent) : errno;
}

static int ask_cq_of(struct bench *bench, struct ibv_pd *pd)
{
	struct ibv_cq_init_attr_ex attr = {.cqe = 1,
					   .comp_mask = IBV_CQ_INIT_ATTR_MASK_PD | IBV_CQ_INIT_ATTR_MASK_FLAGS,
					   .flags = IBV_CREATE_CQ_ATTR_SINGLE_THREADED,
					   .parent_domain = pd};
	struct ibv_cq_ex *cq = ibv_create_cq_ex(bench->context, &attr);

	return cq ? ibv_destroy_cq(ibv_cq_ex_to_cq(cq)) : errno;
}

static int ask_cq_of_plain_domain(struct bench *bench)
{
	return ask_cq_of(bench, bench->pd);
}

/* As --no_lock: and the thread domain is in use until the parent domain is gone. */
static int ask_lockless_cq(struct bench *bench)
{
	struct ibv_td_init_attr td_attr = {0};
	struct ibv_parent_domain_init_attr attr = {.pd = bench->pd, .td = ibv_alloc_td(bench->context, &td_attr)};
	struct ibv_pd *parent = ibv_alloc_parent_domain(bench->context, &attr);
	int answer;

	assert_true(attr.td && parent);
	answer = ask_cq_of(bench, parent);
	assert_int_equal(ibv_dealloc_td(attr.td), EBUSY);
	assert_int_equal(ibv_dealloc_pd(parent), 0);
	assert_int_equal(ibv_dealloc_td(attr.td), 0);
	return answer;
}

static int ask_longest_srq(struct bench *bench)
{
	struct ibv_device_attr attr;
	struct ibv_srq_init_attr init = {.attr = {.max_sge = 1}};
	struct ibv_srq *srq;

	assert_int_equal(ibv_query_device(bench->context, &attr), 0);
	init.attr.max_wr = (uint32_t)attr.max_srq_wr;
	srq = ibv_create_srq(bench->pd, &init);
	return srq ? ibv_destroy_srq(srq) : errno;
}

static int ask_no_receives(struct bench *bench)
{
	struct ibv_qp_init_attr init = init_of(bench, IBV_QPT_RC, 0);
	struct ibv_qp *qp;

	init.cap.max_recv_wr = init.cap.max_recv_sge = 0;
	qp = ibv_create_qp(bench->pd, &init);
	return qp ? ibv_destroy_qp(qp) : errno;
}

static int ask_too_much_inline(struct bench *bench)
{
	struct ibv_qp_init_attr init = init_of(bench, IBV_QPT_RC, 4096);
	struct ibv_qp *qp = ibv_create_qp(bench->pd, &init);

	if (!qp)
		return errno;
	assert_in_range(init.cap.max_inline_data, 1, 4095);
	return ibv_destroy_qp(qp);
}

static int ask_second_life(struct bench *bench)
{
	struct ibv_qp_attr attr = {.qp_state = IBV_QPS_RESET};

	assert_int_equal(ibv_modify_qp(bench->qp, &attr, IBV_QP_STATE), 0);
	attr = (struct ibv_qp_attr){.qp_state = IBV_QPS_INIT, .port_num = 1};
	return ibv_modify_qp(bench->qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS);
}

static int ask_attributes(struct bench *bench)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	return ibv_query_qp(bench->qp, &attr, IBV_QP_CAP, &init);
}

static int ask_calls(struct bench *bench, enum ibv_qp_type type)
{
	const struct ibv_qp_init_attr plain = init_of(bench, type, 0);
	struct ibv_qp_init_attr_ex init = {.qp_type = type,
					   .send_cq = bench->cq,
					   .recv_cq = bench->cq,
					   .cap = plain.cap,
					   .comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
					   .pd = bench->pd,
					   .send_ops_flags = IBV_QP_EX_WITH_SEND};
	struct ibv_qp *qp = ibv_create_qp_ex(bench->context, &init);

	return qp ? ibv_destroy_qp(qp) : errno;
}

static int ask_calls_of_rc(struct bench *bench)
{
	return ask_calls(bench, IBV_QPT_RC);
}

static int ask_calls_of_ud(struct bench *bench)
{
	return ask_calls(bench, IBV_QPT_UD);
}

static int post(struct bench *bench, enum ibv_wr_opcode opcode, uint32_t length, unsigned flags)
{
	struct ibv_sge sge = {(uintptr_t)bench->buffer, length, bench->mr->lkey};
	struct ibv_send_wr *bad, wr = {.sg_list = &sge,
				       .num_sge = 1,
				       .opcode = opcode,
				       .send_flags = IBV_SEND_SIGNALED | flags,
				       .wr.rdma = {(uintptr_t)bench->buffer + BUFFER / 2, bench->mr->rkey}};

	return ibv_post_send(bench->qp, &wr, &bad);
}

static int ask_invalidation(struct bench *bench)
{
	return post(bench, IBV_WR_LOCAL_INV, 0, 0);
}

static int ask_long_inline(struct bench *bench)
{
	return post(bench, IBV_WR_RDMA_WRITE, BUFFER / 2, IBV_SEND_INLINE);
}

static int ask_inline_of_two_packets(struct bench *bench)
{
	assert_int_equal(post(bench, IBV_WR_RDMA_WRITE, 256, IBV_SEND_INLINE), 0);
	return post(bench, IBV_WR_RDMA_WRITE, 257, IBV_SEND_INLINE);
}

static int ask_too_many(struct bench *bench)
{
	for (unsigned i = 0; i < DEPTH; i++)
		assert_int_equal(post(bench, IBV_WR_RDMA_WRITE, 1, 0), 0);
	return post(bench, IBV_WR_RDMA_WRITE, 1, 0);
}

static int ask_129_reads(struct bench *bench)
{
	for (unsigned i = 0; i < 128; i++)
		assert_int_equal(post(bench, IBV_WR_RDMA_READ, 1, 0), 0);
	return post(bench, IBV_WR_RDMA_READ, 1, 0);
}

static int ask_second_gid(struct bench *bench)
{
	struct ibv_port_attr attr;

	assert_int_equal(ibv_query_port(bench->context, 1, &attr), 0);
	return attr.gid_tbl_len > 1 ? 0 : EINVAL;
}

static const struct {
	const char *profile;
	int (*ask)(struct bench *bench);
	int answer;
} rows[] = {
	{"mlx5", ask_window, 0},
	{"mlx5", ask_clock, 0},
	{"mlx5", ask_second_life, 0},
	{"mlx5", ask_invalidation, 0},
	{"mlx5", ask_paging, 0},
	{"mlx5", ask_too_long, EINVAL},
	{"mlx5", ask_unmapped, EFAULT},
	{"mlx5", ask_change, 0},
	{"mlx5", ask_advice, 0},
	{"mlx5", ask_huge, 0},
	{"mlx5", ask_allocators, 0},
	{"mlx5", ask_cq_of_plain_domain, EINVAL},
	{"mlx5", ask_lockless_cq, 0},
	{"efa", ask_second_gid, EINVAL},
	{"efa", ask_group, EOPNOTSUPP},
	{"efa", ask_paging, EOPNOTSUPP},
	{"efa", ask_atomic_access, EOPNOTSUPP},
	{"efa", ask_bindable, EOPNOTSUPP},
	{"efa", ask_thread_domain, 0},
	{"efa", ask_domain_context, 0},
	{"efa", ask_allocators, EOPNOTSUPP},
	{"efa", ask_cq_of_plain_domain, EINVAL},
	{"efa", ask_lockless_cq, 0},
	{"efa", ask_clock, EOPNOTSUPP},
	{"efa", ask_huge, EOPNOTSUPP},
	{"efa", ask_relaxed_order, 0},
	{"efa", ask_change, EOPNOTSUPP},
	{"efa", ask_advice, EOPNOTSUPP},
	{"efa", ask_unmapped, EFAULT},
	{"bnxt_re", ask_window, EOPNOTSUPP},
	{"bnxt_re", ask_thread_domain, EOPNOTSUPP},
	{"bnxt_re", ask_extended_cq, EOPNOTSUPP},
	{"bnxt_re", ask_clock, EOPNOTSUPP},
	{"bnxt_re", ask_group, EOPNOTSUPP},
	{"bnxt_re", ask_longest_srq, EINVAL},
	{"bnxt_re", ask_invalidation, -EINVAL},
	{"bnxt_re", ask_long_inline, ENOMEM},
	{"bnxt_re", ask_too_many, ENOMEM},
	{"bnxt_re", ask_calls_of_ud, 0},
	{"bnxt_re", ask_too_long, ENOMEM},
	{"bnxt_re", ask_change, EOPNOTSUPP},
	{"bnxt_re", ask_paging, EOPNOTSUPP},
	{"bnxt_re", ask_huge, 0},
	{"irdma", ask_second_life, EINVAL},
	{"irdma", ask_thread_domain, EOPNOTSUPP},
	{"irdma", ask_clock, EOPNOTSUPP},
	{"irdma", ask_group, 0},
	{"irdma", ask_too_long, EINVAL},
	{"irdma", ask_change, 0},
	{"irdma", ask_advice, EOPNOTSUPP},
	{"irdma-gen3", ask_second_life, EINVAL},
	{"irdma-gen3", ask_longest_srq, 0},
	{"irdma-gen3", ask_window, 0},
	{"irdma-gen3", ask_clock, EOPNOTSUPP},
	{"irdma-iwarp", ask_second_life, EINVAL},
	{"irdma-iwarp", qp_connect, EINVAL},
	{"irdma-iwarp", ask_change, 0},
	{"hns", ask_inline_of_two_packets, EINVAL},
	{"hns", ask_longest_srq, 0},
	{"hns", ask_group, EOPNOTSUPP},
	{"hns", ask_invalidation, EINVAL},
	{"hns", ask_unmapped, ENOMEM},
	{"hns", ask_change, 0},
	{"hns", ask_thread_domain, 0},
	{"hns", ask_domain_context, EOPNOTSUPP},
	{"hns", ask_cq_of_plain_domain, EINVAL},
	{"hns", ask_lockless_cq, 0},
	{"hns-hip08", ask_calls_of_ud, EOPNOTSUPP},
	{"hns-hip08", ask_longest_srq, 0},
	{"hns-hip08", ask_too_much_inline, 0},
	{"hns-hip08", ask_no_receives, 0},
	{"cxgb4", ask_too_much_inline, EINVAL},
	{"erdma", ask_no_receives, EINVAL},
	{"ionic", ask_no_receives, EINVAL},
	{"mana", ask_129_reads, EINVAL},
	{"mana", ask_attributes, EOPNOTSUPP},
	{"mana", ask_extended_cq, EOPNOTSUPP},
	{"mana", ask_thread_domain, EOPNOTSUPP},
	{"mana", ask_parent_domain, 0},
	{"mana", ask_allocators, EOPNOTSUPP},
	{"mana", ask_bindable, EINVAL},
	{"mana", ask_huge, EINVAL},
	{"mana", ask_relaxed_order, 0},
	{"mana", ask_change, EOPNOTSUPP},
	{"mana", ask_atomic_access, 0},
	{"ionic", ask_calls_of_rc, 0},
	{"ionic", ask_calls_of_ud, EOPNOTSUPP},
	{"ionic", ask_group, EOPNOTSUPP},
	{"ionic", ask_parent_domain, 0},
	{"ionic", ask_allocators, 0},
	{"ionic", ask_cq_of_plain_domain, 0},
	{"ionic", ask_thread_domain, 0},
	{"ionic", ask_change, EOPNOTSUPP},
	{"cxgb4", ask_invalidation, -EINVAL},
	{"cxgb4", ask_long_inline, -EMSGSIZE},
	{"cxgb4", qp_connect, EINVAL},
	{"cxgb4", ask_unmapped, ENOMEM},
	{"cxgb4", ask_change, EOPNOTSUPP},
	{"cxgb4", ask_calls_of_rc, EOPNOTSUPP},
	{"qedr", ask_too_many, -ENOMEM},
	{"qedr", ask_too_long, EINVAL},
	{"qedr", ask_unmapped, EFAULT},
	{"qedr", ask_change, EOPNOTSUPP},
	{"erdma", ask_long_inline, -EINVAL},
	{"erdma", ask_window, EOPNOTSUPP},
	{"erdma", ask_too_long, EINVAL},
	{"erdma", qp_connect, EINVAL},
};

TEST(each_refuses_as_its_driver_does, rig_directory_make, rig_directory_remove)
{
	int wrong = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct bench bench = bench_open(rows[i].profile);
		const int answer = rows[i].ask(&bench);

		if (answer != rows[i].answer) {
			print_error("%s, row %zu: %d, not %d\n", rows[i].profile, i, answer, rows[i].answer);
			wrong++;
		}
		bench_close(&bench);
	}
	assert_int_equal(wrong, 0);
}

/* Shared files, for writing: what they answer if the kernel does not pin their pages. */
static const struct {
	const char *profile;
	int access, written_back;
} files[] = {
	{"", IBV_ACCESS_LOCAL_WRITE, 0},
	{"mlx5", IBV_ACCESS_LOCAL_WRITE, EFAULT},
	{"mlx5", IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_ON_DEMAND, 0},
	{"irdma", IBV_ACCESS_LOCAL_WRITE, EFAULT},
	{"irdma", IBV_ACCESS_REMOTE_READ, 0},
	{"hns", IBV_ACCESS_LOCAL_WRITE, ENOMEM},
	{"cxgb4", IBV_ACCESS_LOCAL_WRITE, ENOMEM},
};

static void check_files(int fd, bool written_back)
{
	void *memory = mmap(NULL, BUFFER, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	assert_true(memory != MAP_FAILED);
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		struct bench bench = bench_open(files[i].profile);

		print_message("as %s: access 0x%x\n", files[i].profile, (unsigned)files[i].access);
		assert_int_equal(ask_memory(&bench, memory, BUFFER, files[i].access),
				 written_back ? files[i].written_back : 0);
		bench_close(&bench);
	}
	munmap(memory, BUFFER);
}

TEST(memory_of_files, rig_directory_make, rig_directory_remove)
{
	char name[] = "test_soft_profiles.XXXXXX";
	struct statfs status;
	int fd;

	(void)state;
	fd = memfd_create("of memory", MFD_CLOEXEC);
	assert_true(fd >= 0 && !ftruncate(fd, BUFFER));
	check_files(fd, false);
	close(fd);
	fd = mkstemp(name);
	assert_true(fd >= 0 && !unlink(name) && !ftruncate(fd, BUFFER) && !fstatfs(fd, &status));
	check_files(fd, status.f_type != TMPFS_MAGIC && status.f_type != OVERLAYFS_SUPER_MAGIC);
	close(fd);
}

TEST_MAIN(NULL, NULL)
