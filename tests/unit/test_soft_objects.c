// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Device memory, null regions, advice, implicit regions, and what is not imported. */
#include "config.h"

#include <fcntl.h>

#include "abi/verbs_later.h"
#include "soft.h"
#include "soft_remote.h"

#define OPTIONS                                                                                                        \
	(struct rig_options)                                                                                           \
	{                                                                                                              \
		.type = IBV_QPT_RC, .all_signalled = true                                                              \
	}

/* --- device memory --- */

TEST(device_memory_is_copied_to_and_written_by_peers, rig_directory_make, rig_directory_remove)
{
	struct remote remote;
	struct ibv_dm *dm;
	struct ibv_mr *mr;
	char seen[8] = "";

	remote_start(&remote, OPTIONS);
	dm = ibv_alloc_dm(remote.near.context, &(struct ibv_alloc_dm_attr){.length = 4096});
	assert_non_null(dm);
	mr = ibv_reg_dm_mr(remote.near.pd, dm, 64, 128, RIG_ACCESS | IBV_ACCESS_ZERO_BASED);
	assert_non_null(mr);
	assert_int_equal(ibv_memcpy_to_dm(dm, 64 + 8, "abcdefg", 8), 0);
	assert_string_equal(
		(char *)remote_run(
			&remote,
			(struct remote_request){.opcode = IBV_WR_RDMA_READ, .rkey = mr->rkey, .addr = 8, .length = 8})
			.bytes,
		"abcdefg");
	assert_int_equal(remote_status(&remote, (struct remote_request){.opcode = IBV_WR_RDMA_WRITE,
									.rkey = mr->rkey,
									.addr = 120,
									.length = 8,
									.bytes = "1234567"}),
			 IBV_WC_SUCCESS);
	assert_int_equal(ibv_memcpy_from_dm(seen, dm, 64 + 120, 8), 0);
	assert_string_equal(seen, "1234567");
	assert_int_equal(remote_status(&remote, (struct remote_request){.opcode = IBV_WR_RDMA_WRITE,
									.rkey = mr->rkey,
									.addr = 121,
									.length = 8}),
			 IBV_WC_REM_ACCESS_ERR);
	assert_int_equal(ibv_free_dm(dm), EBUSY);
	assert_int_equal(ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_ACCESS, NULL, NULL, 0, 0), IBV_REREG_MR_ERR_INPUT);
	assert_int_equal(ibv_dereg_mr(mr), 0);
	errno = 0;
	assert_int_equal(ibv_dm_export_dmabuf_fd(dm), -1);
	assert_int_equal(errno, EOPNOTSUPP);
	assert_int_equal(ibv_free_dm(dm), 0);
	remote_end(&remote);
}

static int asks_on = 1;

static void *too_much_ask(void *context)
{
	while (__atomic_load_n(&asks_on, __ATOMIC_RELAXED))
		ibv_alloc_dm(context, &(struct ibv_alloc_dm_attr){.length = SOFT_MAX_DM_SIZE});
	return NULL;
}

/* Of what is refused to one thread nothing is missing for another. */
TEST(device_memory_is_shared_by_threads, rig_directory_make, rig_directory_remove)
{
	struct ibv_context *context = rig_open_device();
	struct ibv_dm *first = ibv_alloc_dm(context, &(struct ibv_alloc_dm_attr){.length = 8}), *dm;
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, too_much_ask, context), 0);
	for (int i = 0; i < 20000; i++) {
		assert_non_null(dm = ibv_alloc_dm(context, &(struct ibv_alloc_dm_attr){.length = 8}));
		assert_int_equal(ibv_free_dm(dm), 0);
	}
	__atomic_store_n(&asks_on, 0, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	assert_int_equal(ibv_free_dm(first), 0);
	ibv_close_device(context);
}

TEST(device_memory_has_its_limits, rig_directory_make, rig_directory_remove)
{
	struct ibv_device_attr_ex attr;
	struct ibv_context *context = rig_open_device();
	struct ibv_pd *pd = ibv_alloc_pd(context);
	struct ibv_dm *dm;
	char bytes[16] = "";

	assert_int_equal(ibv_query_device_ex(context, NULL, &attr), 0);
	assert_true(attr.max_dm_size > 0);
	errno = 0;
	assert_null(ibv_alloc_dm(context, &(struct ibv_alloc_dm_attr){.length = attr.max_dm_size + 1}));
	assert_int_equal(errno, ENOMEM);
	assert_null(ibv_alloc_dm(context, &(struct ibv_alloc_dm_attr){.length = 0}));
	assert_int_equal(errno, EINVAL);
	assert_null(ibv_alloc_dm(context, &(struct ibv_alloc_dm_attr){.length = 8, .log_align_req = 30}));
	assert_int_equal(errno, EINVAL);
	assert_null(ibv_alloc_dm(context, &(struct ibv_alloc_dm_attr){.length = 8, .comp_mask = 1}));
	assert_int_equal(errno, EOPNOTSUPP);
	dm = ibv_alloc_dm(context, &(struct ibv_alloc_dm_attr){.length = attr.max_dm_size});
	assert_non_null(dm);
	assert_null(ibv_alloc_dm(context, &(struct ibv_alloc_dm_attr){.length = 4}));
	assert_int_equal(errno, ENOMEM);
	assert_int_equal(ibv_memcpy_to_dm(dm, 2, bytes, 4), EINVAL);
	assert_int_equal(ibv_memcpy_to_dm(dm, 4, bytes, 3), EINVAL);
	assert_int_equal(ibv_memcpy_from_dm(bytes, dm, attr.max_dm_size, 4), EINVAL);
	assert_int_equal(ibv_memcpy_from_dm(bytes, dm, UINT64_MAX - 3, 8), EINVAL);
	errno = 0;
	assert_null(ibv_reg_dm_mr(pd, dm, 0, 64, IBV_ACCESS_LOCAL_WRITE));
	assert_int_equal(errno, EINVAL);
	assert_null(ibv_reg_dm_mr(pd, dm, 0, 64, IBV_ACCESS_ZERO_BASED | IBV_ACCESS_RELAXED_ORDERING));
	assert_int_equal(errno, EINVAL);
	assert_null(ibv_reg_dm_mr(pd, dm, attr.max_dm_size - 8, 16, IBV_ACCESS_ZERO_BASED));
	assert_int_equal(ibv_free_dm(dm), 0);
	dm = ibv_alloc_dm(context, &(struct ibv_alloc_dm_attr){.length = attr.max_dm_size});
	assert_non_null(dm);
	assert_int_equal(ibv_free_dm(dm), 0);
	assert_int_equal(ibv_dealloc_pd(pd), 0);
	assert_int_equal(ibv_close_device(context), 0);
}

/* --- regions without memory, and advice --- */

TEST(a_null_region_gives_zeroes_and_takes_all, rig_directory_make, rig_directory_remove)
{
	struct rig_options options = OPTIONS;
	struct rig_end end;
	struct ibv_mr *null;
	struct ibv_sge sges[3];
	struct ibv_send_wr send = {.sg_list = sges, .num_sge = 3, .opcode = IBV_WR_SEND}, *bad;
	struct ibv_sge takes[2];
	struct ibv_recv_wr receive = {.sg_list = takes, .num_sge = 2}, *bad_receive;
	struct ibv_wc wc;

	rig_end_open(&end, &options);
	rig_end_connect(&end, end.qp->qp_num);
	null = ibv_alloc_null_mr(end.pd);
	assert_non_null(null);
	memset(end.buffer, 'a', 4096);
	/* "aaaa", 8 zeroes, "aaaa"; its first 6 bytes go nowhere. */
	sges[0] = (struct ibv_sge){(uint64_t)(uintptr_t)end.buffer, 4, end.mr->lkey};
	sges[1] = (struct ibv_sge){0x123456789000, 8, null->lkey};
	sges[2] = sges[0];
	takes[0] = (struct ibv_sge){0, 6, null->lkey};
	takes[1] = (struct ibv_sge){(uint64_t)(uintptr_t)end.buffer + 1024, 10, end.mr->lkey};
	assert_int_equal(ibv_post_recv(end.qp, &receive, &bad_receive), 0);
	assert_int_equal(ibv_post_send(end.qp, &send, &bad), 0);
	assert_int_equal(rig_poll(end.send_cq).status, IBV_WC_SUCCESS);
	wc = rig_poll(end.receive_cq);
	assert_int_equal(wc.status, IBV_WC_SUCCESS);
	assert_int_equal(wc.byte_len, 16);
	assert_memory_equal(end.buffer + 1024, "\0\0\0\0\0\0aaaa", 10);
	assert_int_equal(ibv_rereg_mr(null, IBV_REREG_MR_CHANGE_ACCESS, NULL, NULL, 0, 0), IBV_REREG_MR_ERR_INPUT);
	assert_int_equal(ibv_dereg_mr(null), 0);
	rig_end_close(&end);
}

TEST(a_null_region_is_nothing_to_peers, rig_directory_make, rig_directory_remove)
{
	struct remote remote;
	struct ibv_mr *null;

	remote_start(&remote, OPTIONS);
	null = ibv_alloc_null_mr(remote.near.pd);
	assert_int_equal(
		remote_status(&remote,
			      (struct remote_request){.opcode = IBV_WR_RDMA_WRITE, .rkey = null->rkey, .length = 4}),
		IBV_WC_REM_ACCESS_ERR);
	assert_int_equal(ibv_dereg_mr(null), 0);
	remote_end(&remote);
}

/* Of another process, whose receive goes nowhere. */
TEST(a_message_to_nowhere_arrives, rig_directory_make, rig_directory_remove)
{
	struct remote remote;
	struct ibv_mr *null;
	struct ibv_sge sge;
	struct ibv_recv_wr receive = {.wr_id = 4, .sg_list = &sge, .num_sge = 1}, *bad;

	remote_start(&remote, OPTIONS);
	null = ibv_alloc_null_mr(remote.near.pd);
	sge = (struct ibv_sge){0, 4096, null->lkey};
	assert_int_equal(ibv_post_recv(remote.near.qp, &receive, &bad), 0);
	assert_int_equal(remote_status(&remote, (struct remote_request){.opcode = IBV_WR_SEND, .length = 200}),
			 IBV_WC_SUCCESS);
	assert_int_equal(rig_poll(remote.near.receive_cq).byte_len, 200);
	assert_int_equal(ibv_dereg_mr(null), 0);
	remote_end(&remote);
}

TEST(advice_is_for_what_is_on_demand, rig_directory_make, rig_directory_remove)
{
	struct rig_options options = OPTIONS;
	struct ibv_sge sge;
	struct rig_end end;
	struct ibv_mr *mr;

	rig_end_open(&end, &options);
	mr = ibv_reg_mr(end.pd, end.buffer, 8192, IBV_ACCESS_ON_DEMAND);
	assert_non_null(mr);
	sge = (struct ibv_sge){(uint64_t)(uintptr_t)end.buffer + 100, 8000, mr->lkey};
	assert_int_equal(ibv_advise_mr(end.pd, IBV_ADVISE_MR_ADVICE_PREFETCH, IBV_ADVISE_MR_FLAG_FLUSH, &sge, 1), 0);
	assert_int_equal(ibv_advise_mr(end.pd, IBV_ADVISE_MR_ADVICE_PREFETCH_WRITE, 0, &sge, 1), EPERM);
	assert_int_equal(ibv_advise_mr(end.pd, (enum ibv_advise_mr_advice)99, 0, &sge, 1), EOPNOTSUPP);
	assert_int_equal(ibv_advise_mr(end.pd, IBV_ADVISE_MR_ADVICE_PREFETCH, 1 << 5, &sge, 1), EINVAL);
	assert_int_equal(ibv_advise_mr(end.pd, IBV_ADVISE_MR_ADVICE_PREFETCH, 0, &sge, 0), EINVAL);
	sge.length = 8193;
	assert_int_equal(ibv_advise_mr(end.pd, IBV_ADVISE_MR_ADVICE_PREFETCH, 0, &sge, 1), EFAULT);
	sge.lkey = end.mr->lkey;
	assert_int_equal(ibv_advise_mr(end.pd, IBV_ADVISE_MR_ADVICE_PREFETCH, 0, &sge, 1), EINVAL);
	sge.lkey ^= 1u << 25; /* of an earlier use of the row */
	assert_int_equal(ibv_advise_mr(end.pd, IBV_ADVISE_MR_ADVICE_PREFETCH, 0, &sge, 1), ENOENT);
	assert_int_equal(ibv_dereg_mr(mr), 0);
	rig_end_close(&end);
}

/* --- all of the address space --- */

static uint8_t *page_map(size_t length)
{
	void *pages = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	RIG_CHECK(pages != MAP_FAILED);
	return pages;
}

static struct remote_request access_to(const struct ibv_mr *mr, const void *addr, enum ibv_wr_opcode opcode)
{
	return (struct remote_request){.opcode = opcode,
				       .rkey = mr->rkey,
				       .addr = (uint64_t)(uintptr_t)addr,
				       .length = 4,
				       .operand = 1,
				       .bytes = "abc"};
}

TEST(an_implicit_region_has_what_is_mapped_when_it_is_used, rig_directory_make, rig_directory_remove)
{
	struct ibv_device_attr_ex attr;
	struct remote remote;
	struct ibv_mr *mr;
	struct ibv_sge sge;
	struct ibv_recv_wr receive = {.sg_list = &sge, .num_sge = 1}, *bad;
	uint8_t *later;
	uint64_t *heap;

	remote_start(&remote, OPTIONS);
	assert_int_equal(ibv_query_device_ex(remote.near.context, NULL, &attr), 0);
	assert_true(attr.odp_caps.general_caps & IBV_ODP_SUPPORT_IMPLICIT);
	mr = ibv_reg_mr(remote.near.pd, NULL, SIZE_MAX, RIG_ACCESS | IBV_ACCESS_ON_DEMAND);
	assert_non_null(mr);
	assert_int_equal(mr->length, SIZE_MAX);
	later = page_map(1 << 20);
	assert_int_equal(remote_status(&remote, access_to(mr, later + 5000, IBV_WR_RDMA_WRITE)), IBV_WC_SUCCESS);
	assert_string_equal((char *)later + 5000, "abc");
	/* Over the edge of what was shared, and in it again. */
	assert_int_equal(remote_status(&remote, access_to(mr, later + 8190, IBV_WR_RDMA_WRITE)), IBV_WC_SUCCESS);
	assert_string_equal((char *)later + 8190, "abc");
	strcpy((char *)later + 5000, "xyz");
	assert_string_equal((char *)remote_run(&remote, access_to(mr, later + 5000, IBV_WR_RDMA_READ)).bytes, "xyz");
	heap = calloc(1, sizeof(*heap));
	*heap = 41;
	{
		struct remote_request add = access_to(mr, heap, IBV_WR_ATOMIC_FETCH_AND_ADD);

		add.length = 8;
		assert_int_equal(remote_status(&remote, add), IBV_WC_SUCCESS);
	}
	assert_int_equal(*heap, 42);
	/* A receive, and a send of our own. */
	sge = (struct ibv_sge){(uint64_t)(uintptr_t)later + 100000, 200, mr->lkey};
	assert_int_equal(ibv_post_recv(remote.near.qp, &receive, &bad), 0);
	assert_int_equal(
		remote_status(&remote,
			      (struct remote_request){.opcode = IBV_WR_SEND, .length = 200, .bytes = "a message"}),
		IBV_WC_SUCCESS);
	assert_int_equal(rig_poll(remote.near.receive_cq).status, IBV_WC_SUCCESS);
	assert_string_equal((char *)later + 100000, "a message");
	free(heap);
	assert_int_equal(ibv_dereg_mr(mr), 0);
	/* The pages are the program's again, with what they hold. */
	assert_string_equal((char *)later + 8190, "abc");
	munmap(later, 1 << 20);
	remote_end(&remote);
}

TEST(an_implicit_region_gives_no_more_than_there_is, rig_directory_make, rig_directory_remove)
{
	static const struct {
		uint64_t addr;
		uint32_t length;
	} nowhere[] = {{4096, 4}, {0, 4}, {1ull << 47, 4}, {UINT64_MAX - 1, 4}, {(1ull << 47) - 4096, 200}};
	struct remote remote;
	struct ibv_mr *mr;

	for (size_t i = 0; i < sizeof(nowhere) / sizeof(nowhere[0]); i++) {
		struct remote_request request;

		remote_start(&remote, OPTIONS);
		mr = ibv_reg_mr(remote.near.pd, NULL, SIZE_MAX, RIG_ACCESS | IBV_ACCESS_ON_DEMAND);
		request = access_to(mr, NULL, IBV_WR_RDMA_WRITE);
		request.addr = nowhere[i].addr;
		request.length = nowhere[i].length;
		assert_int_equal(remote_status(&remote, request), IBV_WC_REM_ACCESS_ERR);
		assert_int_equal(ibv_dereg_mr(mr), 0);
		remote_end(&remote);
	}
	remote_start(&remote, OPTIONS);
	mr = ibv_reg_mr(remote.near.pd, NULL, SIZE_MAX, IBV_ACCESS_REMOTE_READ | IBV_ACCESS_ON_DEMAND);
	assert_int_equal(remote_status(&remote, access_to(mr, remote.near.buffer, IBV_WR_RDMA_READ)), IBV_WC_SUCCESS);
	assert_int_equal(remote_status(&remote, access_to(mr, remote.near.buffer, IBV_WR_RDMA_WRITE)),
			 IBV_WC_REM_ACCESS_ERR);
	assert_int_equal(ibv_dereg_mr(mr), 0);
	errno = 0;
	assert_null(ibv_reg_mr(remote.near.pd, NULL, SIZE_MAX, IBV_ACCESS_MW_BIND | IBV_ACCESS_ON_DEMAND));
	assert_int_equal(errno, EINVAL);
	remote_end(&remote);
}

/* An adapter reports a fault; the program goes on. */
TEST(what_is_not_mapped_is_a_local_error, rig_directory_make, rig_directory_remove)
{
	struct rig_options options = OPTIONS;
	struct ibv_sge sge = {4096, 64, 0};
	struct ibv_send_wr wr = {.sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND}, *bad;
	struct rig_end end;
	struct ibv_mr *mr;

	rig_end_open(&end, &options);
	rig_end_connect(&end, end.qp->qp_num);
	mr = ibv_reg_mr(end.pd, NULL, SIZE_MAX, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_ON_DEMAND);
	sge.lkey = mr->lkey;
	assert_int_equal(ibv_post_send(end.qp, &wr, &bad), 0);
	assert_int_equal(rig_poll(end.send_cq).status, IBV_WC_LOC_PROT_ERR);
	assert_int_equal(ibv_dereg_mr(mr), 0);
	rig_end_close(&end);
}

/* --- imports --- */

TEST(objects_are_not_imported, rig_directory_make, rig_directory_remove)
{
	struct ibv_context *context = rig_open_device();
	struct ibv_pd *pd = ibv_alloc_pd(context);

	assert_true(context->cmd_fd >= 0);
	errno = 0;
	assert_null(ibv_import_device(context->cmd_fd));
	assert_int_equal(errno, EOPNOTSUPP);
	errno = 0;
	assert_null(ibv_import_device(-1));
	assert_int_equal(errno, EBADF);
	errno = 0;
	assert_null(ibv_import_pd(context, pd->handle));
	assert_int_equal(errno, EOPNOTSUPP);
	errno = 0;
	assert_null(ibv_import_mr(pd, 1));
	assert_int_equal(errno, EOPNOTSUPP);
	assert_int_equal(ibv_dealloc_pd(pd), 0);
	assert_int_equal(ibv_close_device(context), 0);
}

/* libibverbs answers, by looking for it in a list that must have only devices which it made. */
TEST(a_descriptor_of_no_device_is_refused, rig_directory_make, rig_directory_remove)
{
	const int fd = open("/dev/zero", O_RDWR | O_CLOEXEC);

	assert_true(fd >= 0);
	assert_null(ibv_import_device(fd));
	assert_int_equal(close(fd), 0);
}

/* --- what a forked child has of its parent's --- */

static void child_tries(const struct rig_end *end, struct ibv_mw *mw, struct ibv_xrcd *xrcd)
{
	struct ibv_send_wr wr = {.opcode = IBV_WR_SEND}, *bad = NULL;
	struct ibv_recv_wr receive = {.wr_id = 1}, *bad_receive = NULL;
	struct ibv_cq_init_attr_ex init = {.cqe = 1};
	struct ibv_qp_attr attr = {.qp_state = IBV_QPS_ERR};
	struct ibv_alloc_dm_attr dm_attr = {.length = 64};
	struct ibv_port_attr port;
	struct ibv_context *own;
	struct ibv_dm *dm;
	struct ibv_cq *cq;
	struct ibv_wc wc;
	void *context;

	RIG_CHECK(ibv_post_send(end->qp, &wr, &bad) == EOPNOTSUPP && bad == &wr);
	RIG_CHECK(ibv_post_recv(end->qp, &receive, &bad_receive) == EOPNOTSUPP && bad_receive == &receive);
	RIG_CHECK(ibv_poll_cq(end->send_cq, 1, &wc) < 0);
	RIG_CHECK(ibv_req_notify_cq(end->send_cq, 0) == EOPNOTSUPP);
	RIG_CHECK(ibv_get_cq_event(end->channel, &cq, &context) == -1 && errno == EOPNOTSUPP);
	RIG_CHECK(ibv_modify_qp(end->qp, &attr, IBV_QP_STATE) == EOPNOTSUPP);
	RIG_CHECK(!ibv_reg_mr(end->pd, &attr, sizeof(attr), 0));
	RIG_CHECK(!ibv_create_cq_ex(end->context, &init));
	RIG_CHECK(ibv_query_port(end->context, 1, &port) == 0 && port.state == IBV_PORT_ACTIVE);
	RIG_CHECK((dm = ibv_alloc_dm(end->context, &dm_attr)) != NULL);
	RIG_CHECK(!ibv_reg_dm_mr(end->pd, dm, 0, dm_attr.length, 0));
	RIG_CHECK(ibv_free_dm(dm) == 0);
	RIG_CHECK(ibv_dealloc_mw(mw) == EOPNOTSUPP);
	RIG_CHECK(ibv_close_xrcd(xrcd) == EOPNOTSUPP);
	RIG_CHECK(ibv_destroy_qp(end->qp) == EOPNOTSUPP);
	RIG_CHECK(ibv_dereg_mr(end->mr) == EOPNOTSUPP);
	RIG_CHECK(ibv_destroy_cq(end->send_cq) == EOPNOTSUPP);
	RIG_CHECK(ibv_dealloc_pd(end->pd) == EOPNOTSUPP);
	RIG_CHECK(ibv_close_device(end->context) == EOPNOTSUPP);
	/* Nor does that change once it has a device of its own. */
	own = rig_open_device();
	RIG_CHECK(ibv_destroy_qp(end->qp) == EOPNOTSUPP && ibv_poll_cq(end->send_cq, 1, &wc) < 0);
	RIG_CHECK(ibv_close_device(own) == 0);
}

TEST(a_child_does_nothing_with_what_is_its_parents, rig_directory_make, rig_directory_remove)
{
	struct rig_options options = OPTIONS;
	struct ibv_xrcd_init_attr none = {
		.comp_mask = IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS, .fd = -1, .oflags = O_CREAT};
	struct ibv_xrcd *xrcd;
	struct ibv_mw *mw;
	struct rig_end end;
	int status;
	pid_t child;

	options.has_channel = true;
	rig_end_open(&end, &options);
	rig_end_connect(&end, end.qp->qp_num);
	assert_non_null(mw = ibv_alloc_mw(end.pd, IBV_MW_TYPE_1));
	assert_non_null(xrcd = ibv_open_xrcd(end.context, &none));
	child = fork();
	if (child == 0) {
		child_tries(&end, mw, xrcd);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_int_equal(rig_end_post_receive(&end, 2, 0, 8, 0), 0);
	assert_int_equal(rig_end_post_receive(&end, 3, 0, 8, 0), 0);
	{
		struct ibv_send_wr wr = {.wr_id = 1, .opcode = IBV_WR_SEND}, *bad;

		assert_int_equal(ibv_post_send(end.qp, &wr, &bad), 0);
	}
	assert_int_equal(rig_poll(end.send_cq).status, IBV_WC_SUCCESS);
	assert_int_equal(rig_poll(end.receive_cq).wr_id, 2);
	assert_int_equal(ibv_dealloc_mw(mw), 0);
	assert_int_equal(ibv_close_xrcd(xrcd), 0);
	rig_end_close(&end);
}

TEST(a_child_may_ask_what_its_parents_device_is_like, rig_directory_make, rig_directory_remove)
{
	struct ibv_context *context;
	struct ibv_device_attr attr;
	struct ibv_port_attr port;
	int status;
	pid_t child;

	setenv("PERFTEST_SOFT", "ports=2", 1);
	context = rig_open_device();
	child = fork();
	if (child == 0) {
		RIG_CHECK(ibv_query_device(context, &attr) == 0 && attr.phys_port_cnt == 2);
		RIG_CHECK(ibv_query_port(context, 2, &port) == 0 && port.state == IBV_PORT_ACTIVE);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_int_equal(ibv_close_device(context), 0);
	unsetenv("PERFTEST_SOFT");
}

/* --- memory registration with a structure --- */

TEST(all_is_said_in_one_structure, rig_directory_make, rig_directory_remove)
{
	struct rig_options options = OPTIONS;
	struct ibv_parent_domain_init_attr parent_attr = {.comp_mask = 1u << 2 /* of rdma-core 65: unprotected */};
	struct ibv_mr_init_attr attr;
	union {
		struct ibv_mr_init_attr now;
		struct { /* of rdma-core 65 */
			uint8_t before[offsetof(struct ibv_mr_init_attr, dmah) + sizeof(void *)];
			struct ibv_buf *buf;
		} later;
	} of_buf;
	struct ibv_pd *parent;
	struct rig_end end;
	struct ibv_mr *mr;

	rig_end_open(&end, &options);
	attr = (struct ibv_mr_init_attr){
		.length = 64, .access = RIG_ACCESS, .comp_mask = IBV_REG_MR_MASK_ADDR, .addr = end.buffer};
	mr = ibv_reg_mr_ex(end.pd, &attr);
	assert_non_null(mr);
	assert_ptr_equal(mr->addr, end.buffer);
	assert_int_equal(ibv_dereg_mr(mr), 0);
	attr.comp_mask |= IBV_REG_MR_MASK_FD;
	errno = 0;
	assert_null(ibv_reg_mr_ex(end.pd, &attr));
	assert_int_equal(errno, EOPNOTSUPP);
	attr.comp_mask = IBV_REG_MR_MASK_IOVA;
	assert_null(ibv_reg_mr_ex(end.pd, &attr));
	assert_int_equal(errno, EINVAL);
	parent_attr.pd = end.pd;
	parent = ibv_alloc_parent_domain(end.context, &parent_attr);
	assert_non_null(parent);
	memset(&of_buf, 0, sizeof(of_buf));
	of_buf.now.addr = ibv_alloc_buf(parent, 4096, &of_buf.later.buf);
	assert_non_null(of_buf.now.addr);
	of_buf.now.length = 4096;
	of_buf.now.access = RIG_ACCESS;
	of_buf.now.comp_mask = IBV_REG_MR_MASK_ADDR | IBV_REG_MR_MASK_IOVA | 1u << 5;
	of_buf.now.iova = 8192;
	assert_null(ibv_reg_mr_ex(end.pd, &of_buf.now));
	assert_int_equal(errno, EINVAL);
	mr = ibv_reg_mr_ex(parent, &of_buf.now);
	assert_non_null(mr);
	assert_int_equal(ibv_dereg_mr(mr), 0);
	of_buf.now.length = 4097;
	assert_null(ibv_reg_mr_ex(parent, &of_buf.now));
	assert_int_equal(errno, EINVAL);
	ibv_free_buf(of_buf.later.buf);
	assert_int_equal(ibv_dealloc_pd(parent), 0);
	rig_end_close(&end);
}

/* --- times of completions --- */

static uint64_t clock_of(struct ibv_context *context)
{
	struct ibv_values_ex values = {.comp_mask = IBV_VALUES_MASK_RAW_CLOCK};

	assert_int_equal(ibv_query_rt_values_ex(context, &values), 0);
	assert_int_equal(values.comp_mask, IBV_VALUES_MASK_RAW_CLOCK);
	return (uint64_t)values.raw_clock.tv_nsec;
}

static void send_to_itself(struct rig_end *end)
{
	struct ibv_sge sge = {(uint64_t)(uintptr_t)end->buffer, 8, end->mr->lkey};
	struct ibv_send_wr wr = {.wr_id = 1, .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND}, *bad;

	assert_int_equal(rig_end_post_receive(end, 2, 64, 8, 0), 0);
	assert_int_equal(ibv_post_send(end->qp, &wr, &bad), 0);
}

TEST(completions_bear_the_time_of_their_making, rig_directory_make, rig_directory_remove)
{
	struct rig_options options = OPTIONS;
	struct ibv_cq_init_attr_ex attr = {.cqe = 8,
					   .wc_flags = IBV_WC_STANDARD_FLAGS | IBV_WC_EX_WITH_COMPLETION_TIMESTAMP |
						       IBV_WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK};
	struct ibv_qp_init_attr init = {.qp_type = IBV_QPT_RC, .sq_sig_all = 1, .cap = {4, 4, 1, 1, 0}};
	struct ibv_poll_cq_attr poll_attr = {0};
	struct ibv_device_attr_ex device;
	uint64_t before, after, times[4] = {0}, wall;
	unsigned int seen[2] = {0};
	struct timespec now;
	struct ibv_cq_ex *cq;
	struct rig_end end;

	rig_end_open(&end, &options);
	assert_int_equal(ibv_query_device_ex(end.context, NULL, &device), 0);
	assert_int_equal(device.completion_timestamp_mask, UINT64_MAX);
	assert_int_equal(device.hca_core_clock, 1000000);
	cq = ibv_create_cq_ex(end.context, &attr);
	assert_non_null(cq);
	RIG_CHECK(ibv_destroy_qp(end.qp) == 0);
	init.send_cq = init.recv_cq = ibv_cq_ex_to_cq(cq);
	end.qp = ibv_create_qp(end.pd, &init);
	RIG_CHECK(ibv_modify_qp(
			  end.qp,
			  &(struct ibv_qp_attr){.qp_state = IBV_QPS_INIT, .port_num = 1, .qp_access_flags = RIG_ACCESS},
			  IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS) == 0);
	rig_end_connect(&end, end.qp->qp_num);
	before = clock_of(end.context);
	send_to_itself(&end);
	after = clock_of(end.context);
	/* What comes of it later, and in other rings, does not change when it was. */
	send_to_itself(&end);
	assert_int_equal(ibv_resize_cq(ibv_cq_ex_to_cq(cq), 100), 0);
	assert_int_equal(ibv_start_poll(cq, &poll_attr), 0);
	for (int i = 0; i < 4; i++) {
		times[2 * (cq->wr_id - 1) + seen[cq->wr_id - 1]++] = ibv_wc_read_completion_ts(cq);
		wall = ibv_wc_read_completion_wallclock_ns(cq);
		clock_gettime(CLOCK_REALTIME, &now);
		assert_true(wall <= (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec);
		assert_true(wall + 60000000000 > (uint64_t)now.tv_sec * 1000000000);
		assert_int_equal(ibv_next_poll(cq), i < 3 ? 0 : ENOENT);
	}
	ibv_end_poll(cq);
	/* The sends, then the receives, each in their order. */
	assert_in_range(times[0], before, after);
	assert_in_range(times[1], after, clock_of(end.context));
	assert_in_range(times[2], before, after);
	assert_in_range(times[3], after, clock_of(end.context));
	RIG_CHECK(ibv_destroy_qp(end.qp) == 0);
	assert_int_equal(ibv_destroy_cq(ibv_cq_ex_to_cq(cq)), 0);
	end.qp = ibv_create_qp(end.pd, &(struct ibv_qp_init_attr){.qp_type = IBV_QPT_RC,
								  .send_cq = end.send_cq,
								  .recv_cq = end.send_cq,
								  .cap = {1, 1, 1, 1, 0}});
	rig_end_close(&end);
}

/* They name it, hold it, and work together with those of the domain that it was created from. */
TEST(objects_are_of_their_parent_domain, rig_directory_make, rig_directory_remove)
{
	struct rig_options options = OPTIONS;
	struct ibv_parent_domain_init_attr attr = {0};
	struct ibv_srq_init_attr srq_init = {.attr = {.max_wr = 4, .max_sge = 1}};
	struct ibv_qp_init_attr init = {.qp_type = IBV_QPT_RC, .sq_sig_all = 1, .cap = {4, 4, 1, 1, 0}};
	struct ibv_td_init_attr td_attr = {0};
	struct ibv_ah_attr ah_attr = {.is_global = 1, .port_num = 1};
	struct ibv_send_wr wr = {.wr_id = 1, .num_sge = 1, .opcode = IBV_WR_SEND}, *bad;
	struct ibv_sge sge;
	struct ibv_pd *base, *parent;
	struct ibv_srq *srq;
	struct ibv_mw *mw;
	struct ibv_ah *ah;
	struct rig_end end;

	rig_end_open(&end, &options);
	base = end.pd;
	attr.pd = base;
	attr.td = ibv_alloc_td(end.context, &td_attr);
	assert_non_null(attr.td);
	parent = ibv_alloc_parent_domain(end.context, &attr);
	assert_non_null(parent);
	assert_int_equal(parent->handle, base->handle);
	attr.pd = parent;
	assert_null(ibv_alloc_parent_domain(end.context, &attr));
	assert_int_equal(errno, EINVAL);

	RIG_CHECK(ibv_destroy_qp(end.qp) == 0);
	init.send_cq = end.send_cq;
	init.recv_cq = end.receive_cq;
	end.qp = ibv_create_qp(parent, &init);
	assert_ptr_equal(end.qp->pd, parent);
	/* The region is of the other one. */
	sge = (struct ibv_sge){(uint64_t)(uintptr_t)end.buffer, 8, end.mr->lkey};
	wr.sg_list = &sge;
	RIG_CHECK(ibv_modify_qp(
			  end.qp,
			  &(struct ibv_qp_attr){.qp_state = IBV_QPS_INIT, .port_num = 1, .qp_access_flags = RIG_ACCESS},
			  IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS) == 0);
	rig_end_connect(&end, end.qp->qp_num);
	assert_int_equal(rig_end_post_receive(&end, 2, 64, 8, 0), 0);
	assert_int_equal(ibv_post_send(end.qp, &wr, &bad), 0);
	assert_int_equal(rig_poll(end.send_cq).status, IBV_WC_SUCCESS);
	assert_int_equal(rig_poll(end.receive_cq).status, IBV_WC_SUCCESS);

	assert_int_equal(ibv_rereg_mr(end.mr, IBV_REREG_MR_CHANGE_PD, parent, NULL, 0, 0), 0);
	assert_ptr_equal(end.mr->pd, parent);
	srq = ibv_create_srq(parent, &srq_init);
	assert_ptr_equal(srq->pd, parent);
	mw = ibv_alloc_mw(parent, IBV_MW_TYPE_1);
	assert_ptr_equal(mw->pd, parent);
	ah = ibv_create_ah(parent, &ah_attr);
	assert_ptr_equal(ah->pd, parent);

	assert_int_equal(ibv_destroy_srq(srq), 0);
	assert_int_equal(ibv_dealloc_mw(mw), 0);
	assert_int_equal(ibv_destroy_ah(ah), 0);
	assert_int_equal(ibv_dealloc_pd(parent), EBUSY);
	assert_int_equal(ibv_rereg_mr(end.mr, IBV_REREG_MR_CHANGE_PD, base, NULL, 0, 0), 0);
	assert_int_equal(ibv_dealloc_pd(parent), EBUSY);
	RIG_CHECK(ibv_destroy_qp(end.qp) == 0);
	assert_int_equal(ibv_dealloc_pd(base), EBUSY);
	assert_int_equal(ibv_dealloc_td(attr.td), EBUSY);
	assert_int_equal(ibv_dealloc_pd(parent), 0);
	assert_int_equal(ibv_dealloc_td(attr.td), 0);
	end.qp = ibv_create_qp(base, &init);
	assert_non_null(end.qp);
	rig_end_close(&end);
}

TEST_MAIN(NULL, NULL)
