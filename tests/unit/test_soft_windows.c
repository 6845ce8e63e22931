// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What a peer may do with the key of a memory window, and of a reregistered region. */
#include "soft_remote.h"

#define WINDOW_ACCESS (IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ)
#define OPTIONS                                                                                                        \
	(struct rig_options)                                                                                           \
	{                                                                                                              \
		.type = IBV_QPT_RC, .mr_access = RIG_ACCESS | IBV_ACCESS_MW_BIND, .all_signalled = true                \
	}

static uint64_t addr_of(const struct remote *remote, uint32_t offset)
{
	return (uint64_t)(uintptr_t)remote->near.buffer + offset;
}

static struct remote_request write_to(uint32_t rkey, uint64_t addr)
{
	return (struct remote_request){
		.opcode = IBV_WR_RDMA_WRITE, .rkey = rkey, .addr = addr, .length = 4, .bytes = "abc"};
}

static struct ibv_mw_bind_info info_of(struct ibv_mr *mr, uint64_t addr, uint64_t length, unsigned int access)
{
	return (struct ibv_mw_bind_info){.mr = mr, .addr = addr, .length = length, .mw_access_flags = access};
}

/* Type 1. Its status. */
static enum ibv_wc_status bind_1(struct rig_end *end, struct ibv_mw *mw, struct ibv_mw_bind_info info)
{
	struct ibv_mw_bind bind = {.wr_id = 9, .send_flags = IBV_SEND_SIGNALED, .bind_info = info};
	struct ibv_wc wc;

	assert_int_equal(ibv_bind_mw(end->qp, mw, &bind), 0);
	wc = rig_poll(end->send_cq);
	assert_int_equal(wc.wr_id, 9);
	if (!wc.status)
		assert_int_equal(wc.opcode, IBV_WC_BIND_MW);
	return wc.status;
}

static enum ibv_wc_status post_local(struct rig_end *end, struct ibv_send_wr wr)
{
	struct ibv_send_wr *bad;

	assert_int_equal(ibv_post_send(end->qp, &wr, &bad), 0);
	return rig_poll(end->send_cq).status;
}

static enum ibv_wc_status bind_2(struct rig_end *end, struct ibv_mw *mw, uint32_t rkey, struct ibv_mw_bind_info info)
{
	return post_local(end, (struct ibv_send_wr){.opcode = IBV_WR_BIND_MW,
						    .bind_mw = {.mw = mw, .rkey = rkey, .bind_info = info}});
}

static enum ibv_wc_status invalidate(struct rig_end *end, uint32_t rkey)
{
	return post_local(end, (struct ibv_send_wr){.opcode = IBV_WR_LOCAL_INV, .invalidate_rkey = rkey});
}

/* Both ends are in ERR: the test's anew, with nothing connected. */
static void restart(struct remote *remote, struct rig_options options)
{
	remote_end(remote);
	remote_start(remote, options);
}

TEST(type_1_gives_its_part_of_the_region, rig_directory_make, rig_directory_remove)
{
	struct remote remote;
	struct ibv_mw *mw;

	remote_start(&remote, OPTIONS);
	mw = ibv_alloc_mw(remote.near.pd, IBV_MW_TYPE_1);
	assert_non_null(mw);
	assert_int_equal(mw->type, IBV_MW_TYPE_1);
	assert_int_equal(bind_1(&remote.near, mw, info_of(remote.near.mr, addr_of(&remote, 64), 32, WINDOW_ACCESS)),
			 IBV_WC_SUCCESS);
	assert_int_equal(remote_status(&remote, write_to(mw->rkey, addr_of(&remote, 64 + 28))), IBV_WC_SUCCESS);
	assert_string_equal((char *)remote.near.buffer + 64 + 28, "abc");
	assert_int_equal(remote_status(&remote, write_to(mw->rkey, addr_of(&remote, 64 + 29))), IBV_WC_REM_ACCESS_ERR);
	assert_int_equal(ibv_dealloc_mw(mw), 0);
	remote_end(&remote);
}

TEST(type_1_bound_anew_has_another_key_and_zero_length_none, rig_directory_make, rig_directory_remove)
{
	struct remote remote;
	struct ibv_mw *mw;
	uint32_t before;

	remote_start(&remote, OPTIONS);
	mw = ibv_alloc_mw(remote.near.pd, IBV_MW_TYPE_1);
	assert_int_equal(bind_1(&remote.near, mw, info_of(remote.near.mr, addr_of(&remote, 0), 32, WINDOW_ACCESS)), 0);
	assert_int_equal(remote_status(&remote, write_to(mw->rkey, addr_of(&remote, 0))), IBV_WC_SUCCESS);
	before = mw->rkey;
	assert_int_equal(bind_1(&remote.near, mw, info_of(remote.near.mr, addr_of(&remote, 100), 32, WINDOW_ACCESS)),
			 0);
	assert_int_not_equal(mw->rkey, before);
	assert_int_equal(mw->rkey & ~0xffu, before & ~0xffu);
	assert_int_equal(remote_status(&remote, write_to(mw->rkey, addr_of(&remote, 100))), IBV_WC_SUCCESS);
	assert_int_equal(bind_1(&remote.near, mw, info_of(NULL, 0, 0, 0)), 0);
	assert_int_equal(remote_status(&remote, write_to(mw->rkey, addr_of(&remote, 100))), IBV_WC_REM_ACCESS_ERR);
	assert_int_equal(ibv_dealloc_mw(mw), 0);
	restart(&remote, OPTIONS);
	mw = ibv_alloc_mw(remote.near.pd, IBV_MW_TYPE_1);
	assert_int_equal(bind_1(&remote.near, mw, info_of(remote.near.mr, addr_of(&remote, 0), 32, WINDOW_ACCESS)), 0);
	before = mw->rkey;
	assert_int_equal(bind_1(&remote.near, mw, info_of(remote.near.mr, addr_of(&remote, 0), 32, WINDOW_ACCESS)), 0);
	assert_int_equal(remote_status(&remote, write_to(before, addr_of(&remote, 0))), IBV_WC_REM_ACCESS_ERR);
	assert_int_equal(ibv_dealloc_mw(mw), 0);
	remote_end(&remote);
}

TEST(type_2_is_bound_once_and_invalidated_by_its_own_end, rig_directory_make, rig_directory_remove)
{
	struct remote remote;
	struct ibv_mw *mw;
	uint32_t rkey;

	remote_start(&remote, OPTIONS);
	mw = ibv_alloc_mw(remote.near.pd, IBV_MW_TYPE_2);
	rkey = ibv_inc_rkey(ibv_inc_rkey(mw->rkey));
	assert_int_equal(
		bind_2(&remote.near, mw, rkey, info_of(remote.near.mr, addr_of(&remote, 8), 32, WINDOW_ACCESS)),
		IBV_WC_SUCCESS);
	assert_int_equal(remote_status(&remote, write_to(rkey, addr_of(&remote, 8))), IBV_WC_SUCCESS);
	assert_int_equal(invalidate(&remote.near, rkey), IBV_WC_SUCCESS);
	assert_int_equal(bind_2(&remote.near, mw, ibv_inc_rkey(rkey),
				info_of(remote.near.mr, addr_of(&remote, 8), 32, WINDOW_ACCESS)),
			 IBV_WC_SUCCESS);
	assert_int_equal(remote_status(&remote, write_to(ibv_inc_rkey(rkey), addr_of(&remote, 8))), IBV_WC_SUCCESS);
	/* Twice without an invalidation is an error of memory management, and ends the queue pair. */
	assert_int_equal(bind_2(&remote.near, mw, ibv_inc_rkey(ibv_inc_rkey(rkey)),
				info_of(remote.near.mr, addr_of(&remote, 8), 32, WINDOW_ACCESS)),
			 IBV_WC_MW_BIND_ERR);
	assert_int_equal(rig_state(&remote.near), IBV_QPS_ERR);
	assert_int_equal(ibv_dealloc_mw(mw), 0);
	remote_end(&remote);
}

TEST(type_2_is_zero_based_when_asked, rig_directory_make, rig_directory_remove)
{
	struct remote remote;
	struct ibv_mw *mw;

	remote_start(&remote, OPTIONS);
	mw = ibv_alloc_mw(remote.near.pd, IBV_MW_TYPE_2);
	assert_int_equal(
		bind_2(&remote.near, mw, mw->rkey,
		       info_of(remote.near.mr, addr_of(&remote, 40), 8, WINDOW_ACCESS | IBV_ACCESS_ZERO_BASED)),
		IBV_WC_SUCCESS);
	assert_int_equal(remote_status(&remote, write_to(mw->rkey, 4)), IBV_WC_SUCCESS);
	assert_string_equal((char *)remote.near.buffer + 44, "abc");
	assert_int_equal(remote_status(&remote, write_to(mw->rkey, addr_of(&remote, 40))), IBV_WC_REM_ACCESS_ERR);
	assert_int_equal(ibv_dealloc_mw(mw), 0);
	remote_end(&remote);
}

TEST(a_peer_invalidates_by_a_send, rig_directory_make, rig_directory_remove)
{
	struct remote remote;
	struct ibv_mw *mw;
	struct ibv_wc wc;

	remote_start(&remote, OPTIONS);
	mw = ibv_alloc_mw(remote.near.pd, IBV_MW_TYPE_2);
	assert_int_equal(
		bind_2(&remote.near, mw, mw->rkey, info_of(remote.near.mr, addr_of(&remote, 0), 32, WINDOW_ACCESS)),
		IBV_WC_SUCCESS);
	assert_int_equal(ibv_dereg_mr(remote.near.mr), EBUSY);
	assert_int_equal(rig_end_post_receive(&remote.near, 3, 512, 64, 0), 0);
	assert_int_equal(remote_status(&remote, (struct remote_request){.opcode = IBV_WR_SEND_WITH_INV,
									.invalidate = mw->rkey,
									.length = 4,
									.bytes = "inv"}),
			 IBV_WC_SUCCESS);
	wc = rig_poll(remote.near.receive_cq);
	assert_int_equal(wc.status, IBV_WC_SUCCESS);
	assert_true(wc.wc_flags & IBV_WC_WITH_INV);
	assert_int_equal(wc.invalidated_rkey, mw->rkey);
	assert_string_equal((char *)remote.near.buffer + 512, "inv");
	/* It may be bound again, and its old key is none. */
	assert_int_equal(bind_2(&remote.near, mw, ibv_inc_rkey(mw->rkey),
				info_of(remote.near.mr, addr_of(&remote, 0), 32, WINDOW_ACCESS)),
			 IBV_WC_SUCCESS);
	assert_int_equal(remote_status(&remote, write_to(ibv_inc_rkey(mw->rkey), addr_of(&remote, 0))), IBV_WC_SUCCESS);
	assert_int_equal(remote_status(&remote, write_to(mw->rkey, addr_of(&remote, 0))), IBV_WC_REM_ACCESS_ERR);
	assert_int_equal(ibv_dealloc_mw(mw), 0);
	remote_end(&remote);
}

TEST(a_peer_cannot_invalidate_what_is_not_bound_for_it, rig_directory_make, rig_directory_remove)
{
	struct remote remote;
	struct ibv_mw *mw;

	remote_start(&remote, OPTIONS);
	mw = ibv_alloc_mw(remote.near.pd, IBV_MW_TYPE_1);
	assert_int_equal(bind_1(&remote.near, mw, info_of(remote.near.mr, addr_of(&remote, 0), 32, WINDOW_ACCESS)), 0);
	assert_int_equal(rig_end_post_receive(&remote.near, 3, 512, 64, 0), 0);
	assert_int_equal(
		remote_status(&remote, (struct remote_request){.opcode = IBV_WR_SEND_WITH_INV, .invalidate = mw->rkey}),
		IBV_WC_REM_OP_ERR);
	assert_int_equal(rig_poll(remote.near.receive_cq).status, IBV_WC_REM_INV_REQ_ERR);
	assert_int_equal(rig_state(&remote.near), IBV_QPS_ERR);
	assert_int_equal(ibv_dealloc_mw(mw), 0);
	remote_end(&remote);
}

/* The second queue pair of this process sends to itself: type 2 serves the one that it was bound on. */
TEST(type_2_serves_one_queue_pair, rig_directory_make, rig_directory_remove)
{
	struct rig_options options = OPTIONS;
	struct rig_end end[3];
	uint8_t *buffers[3];
	struct remote_request order;
	struct ibv_mw *mw;

	for (int i = 0; i < 3; i++) {
		rig_end_open(&end[i], &options);
		buffers[i] = end[i].buffer;
		if (i == 0)
			continue;
		/* One protection domain for all. */
		RIG_CHECK(ibv_destroy_qp(end[i].qp) == 0);
		end[i].qp = ibv_create_qp(end[0].pd, &(struct ibv_qp_init_attr){.qp_type = IBV_QPT_RC,
										.send_cq = end[i].send_cq,
										.recv_cq = end[i].receive_cq,
										.sq_sig_all = 1,
										.cap = {4, 4, 1, 1, 0}});
		RIG_CHECK(end[i].qp);
		RIG_CHECK(ibv_modify_qp(end[i].qp,
					&(struct ibv_qp_attr){
						.qp_state = IBV_QPS_INIT, .port_num = 1, .qp_access_flags = RIG_ACCESS},
					IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS) == 0);
		end[i].mr->lkey = end[0].mr->lkey;
	}
	rig_end_connect(&end[1], end[1].qp->qp_num);
	rig_end_connect(&end[2], end[2].qp->qp_num);
	mw = ibv_alloc_mw(end[0].pd, IBV_MW_TYPE_2);
	assert_int_equal(bind_2(&end[1], mw, mw->rkey,
				info_of(end[0].mr, (uint64_t)(uintptr_t)end[0].buffer, 64, WINDOW_ACCESS)),
			 IBV_WC_SUCCESS);
	order = write_to(mw->rkey, (uint64_t)(uintptr_t)end[0].buffer);
	/* Data comes from the domain's only region. */
	end[1].buffer = end[2].buffer = end[0].buffer + 4096;
	assert_int_equal(remote_post(&end[1], &order).wc.status, IBV_WC_SUCCESS);
	assert_int_equal(remote_post(&end[2], &order).wc.status, IBV_WC_REM_ACCESS_ERR);
	assert_int_equal(ibv_dealloc_mw(mw), 0);
	for (int i = 3; i--;) {
		end[i].buffer = buffers[i];
		rig_end_close(&end[i]);
	}
}

TEST(what_may_not_be_bound, rig_directory_make, rig_directory_remove)
{
	static const struct {
		const char *name;
		int region_access;
		uint64_t addr, length; /* in the region */
		unsigned int access;
		uint32_t key; /* changed so */
	} cases[] = {
		{"region without the right", RIG_ACCESS, 0, 8, WINDOW_ACCESS, 0},
		{"write to a region that can't be written", IBV_ACCESS_MW_BIND, 0, 8, IBV_ACCESS_REMOTE_WRITE, 0},
		{"beyond the end", RIG_ACCESS | IBV_ACCESS_MW_BIND, RIG_BUFFER - 4, 8, WINDOW_ACCESS, 0},
		{"before the begin", RIG_ACCESS | IBV_ACCESS_MW_BIND, (uint64_t)-8, 8, WINDOW_ACCESS, 0},
		{"a length that wraps", RIG_ACCESS | IBV_ACCESS_MW_BIND, 8, UINT64_MAX, WINDOW_ACCESS, 0},
		{"nothing", RIG_ACCESS | IBV_ACCESS_MW_BIND, 8, 0, WINDOW_ACCESS, 0},
		{"another window's key", RIG_ACCESS | IBV_ACCESS_MW_BIND, 8, 8, WINDOW_ACCESS, 1u << 16},
		{"unknown rights", RIG_ACCESS | IBV_ACCESS_MW_BIND, 8, 8, 1u << 15, 0},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct rig_options options = OPTIONS;
		struct rig_end end;
		struct ibv_mw *mw;
		enum ibv_wc_status status;

		options.mr_access = cases[i].region_access;
		rig_end_open(&end, &options);
		rig_end_connect(&end, end.qp->qp_num);
		mw = ibv_alloc_mw(end.pd, IBV_MW_TYPE_2);
		status = bind_2(&end, mw, mw->rkey ^ cases[i].key,
				info_of(end.mr, (uint64_t)(uintptr_t)end.buffer + cases[i].addr, cases[i].length,
					cases[i].access));
		if (status != IBV_WC_MW_BIND_ERR)
			print_message("%s: status %d\n", cases[i].name, status);
		assert_int_equal(status, IBV_WC_MW_BIND_ERR);
		assert_int_equal(ibv_dealloc_mw(mw), 0);
		rig_end_close(&end);
	}
}

TEST(only_types_1_and_2, rig_directory_make, rig_directory_remove)
{
	struct rig_options options = OPTIONS;
	struct rig_end end;

	rig_end_open(&end, &options);
	errno = 0;
	assert_null(ibv_alloc_mw(end.pd, (enum ibv_mw_type)3));
	assert_int_equal(errno, EOPNOTSUPP);
	rig_end_close(&end);
}

TEST(a_domain_with_windows_stays, rig_directory_make, rig_directory_remove)
{
	struct rig_options options = OPTIONS;
	struct rig_end end;
	struct ibv_mw *mw;
	struct ibv_pd *pd;

	rig_end_open(&end, &options);
	pd = ibv_alloc_pd(end.context);
	mw = ibv_alloc_mw(pd, IBV_MW_TYPE_1);
	assert_int_equal(ibv_dealloc_pd(pd), EBUSY);
	assert_int_equal(ibv_dealloc_mw(mw), 0);
	assert_int_equal(ibv_dealloc_pd(pd), 0);
	rig_end_close(&end);
}

/* ibv_wr_bind_mw() and the rest, on a queue pair that sends to itself. */
TEST(windows_by_the_work_request_calls, rig_directory_make, rig_directory_remove)
{
	struct rig_options options = OPTIONS;
	struct ibv_qp_init_attr_ex init = {.qp_type = IBV_QPT_RC,
					   .sq_sig_all = 1,
					   .cap = {8, 8, 2, 2, 0},
					   .comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
					   .send_ops_flags = IBV_QP_EX_WITH_BIND_MW | IBV_QP_EX_WITH_LOCAL_INV |
							     IBV_QP_EX_WITH_SEND_WITH_INV | IBV_QP_EX_WITH_RDMA_WRITE};
	struct ibv_mw_bind_info info;
	struct ibv_qp_ex *qpx;
	struct rig_end end;
	struct ibv_mw *mw;
	uint64_t addr;

	rig_end_open(&end, &options);
	RIG_CHECK(ibv_destroy_qp(end.qp) == 0);
	init.pd = end.pd;
	init.send_cq = end.send_cq;
	init.recv_cq = end.receive_cq;
	end.qp = ibv_create_qp_ex(end.context, &init);
	assert_non_null(end.qp);
	qpx = ibv_qp_to_qp_ex(end.qp);
	RIG_CHECK(ibv_modify_qp(
			  end.qp,
			  &(struct ibv_qp_attr){.qp_state = IBV_QPS_INIT, .port_num = 1, .qp_access_flags = RIG_ACCESS},
			  IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS) == 0);
	rig_end_connect(&end, end.qp->qp_num);
	addr = (uint64_t)(uintptr_t)end.buffer;
	mw = ibv_alloc_mw(end.pd, IBV_MW_TYPE_2);
	info = info_of(end.mr, addr, 64, WINDOW_ACCESS);
	strcpy((char *)end.buffer + 4096, "by calls");
	assert_int_equal(rig_end_post_receive(&end, 3, 512, 64, 0), 0);

	ibv_wr_start(qpx);
	ibv_wr_bind_mw(qpx, mw, mw->rkey, &info);
	ibv_wr_rdma_write(qpx, mw->rkey, addr + 16);
	ibv_wr_set_sge(qpx, end.mr->lkey, addr + 4096, 9);
	ibv_wr_send_inv(qpx, mw->rkey);
	ibv_wr_set_sge(qpx, end.mr->lkey, addr + 4096, 9);
	ibv_wr_bind_mw(qpx, mw, ibv_inc_rkey(mw->rkey), &info);
	ibv_wr_local_inv(qpx, ibv_inc_rkey(mw->rkey));
	assert_int_equal(ibv_wr_complete(qpx), 0);
	for (int i = 0; i < 5; i++)
		assert_int_equal(rig_poll(end.send_cq).status, IBV_WC_SUCCESS);
	assert_string_equal((char *)end.buffer + 16, "by calls");
	assert_int_equal(rig_poll(end.receive_cq).invalidated_rkey, mw->rkey);
	assert_int_equal(ibv_dealloc_mw(mw), 0);
	rig_end_close(&end);
}

/* --- registering anew --- */

TEST(another_access_holds_at_once, rig_directory_make, rig_directory_remove)
{
	struct remote remote;
	uint32_t rkey;

	remote_start(&remote, OPTIONS);
	rkey = remote.near.mr->rkey;
	assert_int_equal(remote_status(&remote, write_to(rkey, addr_of(&remote, 0))), IBV_WC_SUCCESS);
	/* What no flag asks to change may point anywhere. */
	assert_int_equal(ibv_rereg_mr(remote.near.mr, IBV_REREG_MR_CHANGE_ACCESS, (struct ibv_pd *)16, NULL, 0,
				      IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ),
			 0);
	assert_int_equal(remote_run(&remote, (struct remote_request){.opcode = IBV_WR_RDMA_READ,
								     .rkey = remote.near.mr->rkey,
								     .addr = addr_of(&remote, 0),
								     .length = 4})
				 .wc.status,
			 IBV_WC_SUCCESS);
	assert_int_equal(remote_status(&remote, write_to(remote.near.mr->rkey, addr_of(&remote, 0))),
			 IBV_WC_REM_ACCESS_ERR);
	remote_end(&remote);
}

TEST(another_memory_takes_the_place, rig_directory_make, rig_directory_remove)
{
	static uint8_t other[8192];
	struct remote remote;
	struct ibv_mr *mr;

	remote_start(&remote, OPTIONS);
	mr = ibv_reg_mr(remote.near.pd, remote.near.buffer + 65536, 4096, RIG_ACCESS);
	assert_int_equal(remote_status(&remote, write_to(mr->rkey, addr_of(&remote, 65536))), IBV_WC_SUCCESS);
	assert_int_equal(ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_TRANSLATION, NULL, other, sizeof(other), 0), 0);
	assert_ptr_equal(mr->addr, other);
	assert_int_equal(mr->length, sizeof(other));
	assert_int_equal(remote_status(&remote, write_to(mr->rkey, (uint64_t)(uintptr_t)other + sizeof(other) - 4)),
			 IBV_WC_SUCCESS);
	assert_string_equal((char *)other + sizeof(other) - 4, "abc");
	assert_int_equal(remote_status(&remote, write_to(mr->rkey, addr_of(&remote, 65536))), IBV_WC_REM_ACCESS_ERR);
	assert_int_equal(ibv_dereg_mr(mr), 0);
	remote_end(&remote);
}

TEST(another_domain_shuts_out_the_queue_pair, rig_directory_make, rig_directory_remove)
{
	struct remote remote;
	struct ibv_pd *pd;

	remote_start(&remote, OPTIONS);
	pd = ibv_alloc_pd(remote.near.context);
	assert_int_equal(ibv_rereg_mr(remote.near.mr, IBV_REREG_MR_CHANGE_PD, pd, NULL, 0, 0), 0);
	assert_ptr_equal(remote.near.mr->pd, pd);
	assert_int_equal(ibv_dealloc_pd(pd), EBUSY);
	assert_int_equal(remote_status(&remote, write_to(remote.near.mr->rkey, addr_of(&remote, 0))),
			 IBV_WC_REM_ACCESS_ERR);
	assert_int_equal(ibv_rereg_mr(remote.near.mr, IBV_REREG_MR_CHANGE_PD, remote.near.pd, NULL, 0, 0), 0);
	assert_int_equal(ibv_dealloc_pd(pd), 0);
	remote_end(&remote);
}

TEST(what_may_not_be_registered_anew, rig_directory_make, rig_directory_remove)
{
	struct rig_options options = OPTIONS;
	struct rig_end end;
	struct ibv_mw *mw;
	struct ibv_mr before;

	rig_end_open(&end, &options);
	rig_end_connect(&end, end.qp->qp_num);
	before = *end.mr;
	errno = 0;
	assert_int_equal(ibv_rereg_mr(end.mr, 0, NULL, NULL, 0, 0), IBV_REREG_MR_ERR_INPUT);
	assert_int_equal(errno, EINVAL);
	assert_int_equal(ibv_rereg_mr(end.mr, 1 << 5, NULL, NULL, 0, 0), IBV_REREG_MR_ERR_INPUT);
	assert_int_equal(ibv_rereg_mr(end.mr, IBV_REREG_MR_CHANGE_PD, NULL, NULL, 0, 0), IBV_REREG_MR_ERR_INPUT);
	assert_int_equal(ibv_rereg_mr(end.mr, IBV_REREG_MR_CHANGE_TRANSLATION, NULL, end.buffer, 0, 0),
			 IBV_REREG_MR_ERR_INPUT);
	assert_int_equal(ibv_rereg_mr(end.mr, IBV_REREG_MR_CHANGE_ACCESS, NULL, NULL, 0, IBV_ACCESS_REMOTE_WRITE),
			 IBV_REREG_MR_ERR_INPUT);
	errno = 0;
	assert_int_equal(ibv_rereg_mr(end.mr, IBV_REREG_MR_CHANGE_TRANSLATION, NULL, (void *)4096, 4096, 0),
			 IBV_REREG_MR_ERR_INPUT);
	assert_int_equal(errno, EFAULT);
	mw = ibv_alloc_mw(end.pd, IBV_MW_TYPE_2);
	assert_int_equal(bind_2(&end, mw, mw->rkey, info_of(end.mr, (uint64_t)(uintptr_t)end.buffer, 8, WINDOW_ACCESS)),
			 0);
	assert_int_equal(ibv_rereg_mr(end.mr, IBV_REREG_MR_CHANGE_ACCESS, NULL, NULL, 0, IBV_ACCESS_LOCAL_WRITE),
			 IBV_REREG_MR_ERR_INPUT);
	assert_int_equal(errno, EBUSY);
	assert_memory_equal(&before, end.mr, sizeof(before));
	assert_int_equal(ibv_dealloc_mw(mw), 0);
	rig_end_close(&end);
}

TEST(a_region_counts_from_zero, rig_directory_make, rig_directory_remove)
{
	struct remote remote;
	struct ibv_mr *mr;

	remote_start(&remote, OPTIONS);
	mr = ibv_reg_mr(remote.near.pd, remote.near.buffer + 4096, 64, RIG_ACCESS | IBV_ACCESS_ZERO_BASED);
	assert_non_null(mr);
	assert_int_equal(remote_status(&remote, write_to(mr->rkey, 60)), IBV_WC_SUCCESS);
	assert_string_equal((char *)remote.near.buffer + 4096 + 60, "abc");
	assert_int_equal(remote_status(&remote, write_to(mr->rkey, 61)), IBV_WC_REM_ACCESS_ERR);
	assert_int_equal(ibv_dereg_mr(mr), 0);
	remote_end(&remote);
}

TEST_MAIN(NULL, NULL)
