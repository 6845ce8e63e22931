// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Does every opcode of the software device conform to the specification, and does every invalid request fail as
 * specified?
 */
#include "soft_rig.h"

#include <arpa/inet.h>

#define RC .type = IBV_QPT_RC
#define UC .type = IBV_QPT_UC
#define UD .type = IBV_QPT_UD

TEST(write_arrives)
{
	struct rig rig;
	struct rig_request request;
	char seen[32];

	rig_start(&rig, (struct rig_options){RC}, (struct rig_options){RC});
	strcpy((char *)rig.near.buffer, "from the near end");
	assert_int_equal(rig_run(&rig, rig_request(&rig, &request, IBV_WR_RDMA_WRITE, 18)).status, IBV_WC_SUCCESS);
	rig_far_peek(&rig, 0, seen, 18);
	assert_string_equal(seen, "from the near end");
	rig_end(&rig);
}

TEST(every_length_arrives_whole)
{
	struct rig rig;
	struct rig_request request;
	uint8_t seen[256];

	rig_start(&rig, (struct rig_options){RC}, (struct rig_options){RC});
	for (uint32_t length = 0; length < 200; length++) {
		uint32_t shift = length % 13;

		for (uint32_t i = 0; i < length; i++)
			rig.near.buffer[i] = (uint8_t)(length + i);
		rig_request(&rig, &request, IBV_WR_RDMA_WRITE, length)->wr.wr.rdma.remote_addr += shift;
		assert_int_equal(rig_run(&rig, &request).status, IBV_WC_SUCCESS);
		rig_far_peek(&rig, shift, seen, length ? length : 1);
		assert_memory_equal(seen, rig.near.buffer, length);
	}
	rig_end(&rig);
}

TEST(read_brings_back)
{
	struct rig rig;
	struct rig_request request;
	struct ibv_wc wc;

	rig_start(&rig, (struct rig_options){RC}, (struct rig_options){RC});
	rig_far_poke(&rig, 0, "from the far end", 17);
	wc = rig_run(&rig, rig_request(&rig, &request, IBV_WR_RDMA_READ, 17));
	assert_int_equal(wc.status, IBV_WC_SUCCESS);
	assert_int_equal(wc.opcode, IBV_WC_RDMA_READ);
	assert_int_equal(wc.byte_len, 17);
	assert_string_equal((char *)rig.near.buffer, "from the far end");
	rig_end(&rig);
}

TEST(atomics_return_the_value_before)
{
	struct rig rig;
	struct rig_request request;
	uint64_t word = 40, seen;

	rig_start(&rig, (struct rig_options){RC}, (struct rig_options){RC});
	rig_far_poke(&rig, 0, &word, sizeof(word));
	rig_request(&rig, &request, IBV_WR_ATOMIC_FETCH_AND_ADD, 8)->wr.wr.atomic.compare_add = 2;
	assert_int_equal(rig_run(&rig, &request).opcode, IBV_WC_FETCH_ADD);
	assert_int_equal(*(uint64_t *)(void *)rig.near.buffer, 40);
	rig_request(&rig, &request, IBV_WR_ATOMIC_CMP_AND_SWP, 8)->wr.wr.atomic.compare_add = 42;
	request.wr.wr.atomic.swap = 7;
	assert_int_equal(rig_run(&rig, &request).opcode, IBV_WC_COMP_SWAP);
	assert_int_equal(*(uint64_t *)(void *)rig.near.buffer, 42);
	rig_run(&rig, &request); /* compares 42 with 7: no swap */
	assert_int_equal(*(uint64_t *)(void *)rig.near.buffer, 7);
	rig_far_peek(&rig, 0, &seen, sizeof(seen));
	assert_int_equal(seen, 7);
	rig_end(&rig);
}

TEST(send_takes_receives_in_order)
{
	struct rig rig;
	struct rig_request request;
	struct ibv_wc wc;
	char seen[16];

	rig_start(&rig, (struct rig_options){RC}, (struct rig_options){RC});
	rig_far_post(&rig, 1, 0, 100);
	rig_far_post(&rig, 2, 100, 100);
	strcpy((char *)rig.near.buffer, "one");
	assert_int_equal(rig_run(&rig, rig_request(&rig, &request, IBV_WR_SEND, 4)).status, IBV_WC_SUCCESS);
	strcpy((char *)rig.near.buffer, "two");
	rig_request(&rig, &request, IBV_WR_SEND_WITH_IMM, 4)->wr.imm_data = htonl(1234);
	assert_int_equal(rig_run(&rig, &request).opcode, IBV_WC_SEND);
	wc = rig_far_poll(&rig);
	assert_int_equal(wc.wr_id, 1);
	assert_int_equal(wc.opcode, IBV_WC_RECV);
	assert_int_equal(wc.byte_len, 4);
	assert_int_equal(wc.wc_flags, 0);
	assert_int_equal(wc.qp_num, rig.far.qpn);
	assert_int_equal(wc.src_qp, rig.near.qp->qp_num);
	wc = rig_far_poll(&rig);
	assert_int_equal(wc.wr_id, 2);
	assert_int_equal(wc.wc_flags, IBV_WC_WITH_IMM);
	assert_int_equal(ntohl(wc.imm_data), 1234);
	rig_far_peek(&rig, 100, seen, 4);
	assert_string_equal(seen, "two");
	rig_end(&rig);
}

TEST(write_with_immediate_takes_a_receive)
{
	struct rig rig;
	struct rig_request request;
	struct ibv_wc wc;

	rig_start(&rig, (struct rig_options){RC}, (struct rig_options){RC});
	rig_far_post(&rig, 5, 500, 0);
	rig_request(&rig, &request, IBV_WR_RDMA_WRITE_WITH_IMM, 300)->wr.imm_data = htonl(9);
	assert_int_equal(rig_run(&rig, &request).opcode, IBV_WC_RDMA_WRITE);
	wc = rig_far_poll(&rig);
	assert_int_equal(wc.opcode, IBV_WC_RECV_RDMA_WITH_IMM);
	assert_int_equal(wc.byte_len, 300);
	assert_int_equal(ntohl(wc.imm_data), 9);
	rig_end(&rig);
}

TEST(lists_gather_and_scatter)
{
	struct rig rig;
	struct rig_request request;
	struct ibv_sge from[3];
	char seen[8];

	rig_start(&rig, (struct rig_options){RC}, (struct rig_options){RC});
	memcpy(rig.near.buffer, "abcdefg", 7);
	for (uint32_t i = 0; i < 3; i++)
		from[i] = (struct ibv_sge){(uint64_t)(uintptr_t)rig.near.buffer + 2 * i, 2, rig.near.mr->lkey};
	from[1].length = 0;
	rig_request(&rig, &request, IBV_WR_RDMA_WRITE, 0)->wr.sg_list = from;
	request.wr.num_sge = 3;
	assert_int_equal(rig_run(&rig, &request).status, IBV_WC_SUCCESS);
	rig_far_peek(&rig, 0, seen, 4);
	assert_memory_equal(seen, "abef", 4);
	from[1].length = 1;
	request.wr.opcode = IBV_WR_RDMA_READ;
	assert_int_equal(rig_run(&rig, &request).byte_len, 5);
	assert_memory_equal(rig.near.buffer, "abadef", 2);
	rig_end(&rig);
}

TEST(inline_data_is_taken_at_once)
{
	struct rig rig;
	struct rig_request request;
	char text[] = "kept nowhere registered";
	char seen[32];

	rig_start(&rig, (struct rig_options){RC}, (struct rig_options){RC});
	rig_request(&rig, &request, IBV_WR_SEND, sizeof(text));
	request.sge.addr = (uint64_t)(uintptr_t)text;
	request.sge.lkey = 0;
	request.wr.send_flags |= IBV_SEND_INLINE;
	assert_int_equal(rig_post(&rig, &request), 0); /* no receive yet: it has to be kept */
	memset(text, 'x', sizeof(text));
	rig_far_post(&rig, 1, 0, 64);
	assert_int_equal(rig_poll(rig.near.send_cq).status, IBV_WC_SUCCESS);
	rig_far_peek(&rig, 0, seen, sizeof(text));
	assert_string_equal(seen, "kept nowhere registered");
	request.sge.length = 129;
	assert_int_equal(rig_post(&rig, &request), EINVAL);
	rig_end(&rig);
}

TEST(unsignalled_requests_free_their_place_with_the_next)
{
	struct rig rig;
	struct rig_request request;

	rig_start(&rig, (struct rig_options){RC, .depth = 4}, (struct rig_options){RC});
	rig_request(&rig, &request, IBV_WR_RDMA_WRITE, 8)->wr.send_flags = 0;
	for (int i = 0; i < 3; i++)
		assert_int_equal(rig_post(&rig, &request), 0);
	assert_true(rig_is_empty(rig.near.send_cq));
	request.wr.send_flags = IBV_SEND_SIGNALED | IBV_SEND_FENCE;
	assert_int_equal(rig_post(&rig, &request), 0);
	assert_int_equal(rig_post(&rig, &request), ENOMEM);
	rig_poll(rig.near.send_cq);
	for (int i = 0; i < 4; i++)
		assert_int_equal(rig_post(&rig, &request), 0);
	assert_int_equal(rig_post(&rig, &request), ENOMEM);
	rig_end(&rig);
}

TEST(full_receive_queue_refuses)
{
	struct rig rig;

	rig_start(&rig, (struct rig_options){RC, .depth = 3}, (struct rig_options){RC});
	for (int i = 0; i < 3; i++)
		assert_int_equal(rig_end_post_receive(&rig.near, 1, 0, 8, 0), 0);
	assert_int_equal(rig_end_post_receive(&rig.near, 1, 0, 8, 0), ENOMEM);
	rig_end(&rig);
}

/* A request that fails: its status at the near end, then the states and the flush of what follows it. */
struct failure {
	struct rig_options far;
	enum ibv_wr_opcode opcode;
	uint32_t length;
	uint32_t wrong_lkey, wrong_rkey;
	uint64_t beyond; /* added to the remote address */
	enum ibv_wc_status status;
	int far_event; /* -1: its state does not change */
};

static void check_failure(const struct failure *failure)
{
	struct rig rig;
	struct rig_request request;
	struct ibv_wc wc;

	rig_start(&rig, (struct rig_options){RC}, failure->far);
	assert_int_equal(rig_end_post_receive(&rig.near, 3, 0, 8, 0), 0);
	rig_request(&rig, &request, failure->opcode, failure->length);
	request.sge.lkey ^= failure->wrong_lkey;
	if (failure->opcode == IBV_WR_ATOMIC_FETCH_AND_ADD) {
		request.wr.wr.atomic.remote_addr += failure->beyond;
	} else {
		request.wr.wr.rdma.rkey ^= failure->wrong_rkey;
		request.wr.wr.rdma.remote_addr += failure->beyond;
	}
	wc = rig_run(&rig, &request);
	assert_int_equal(wc.status, failure->status);
	assert_int_equal(wc.wr_id, 77);
	assert_int_equal(rig_state(&rig.near), IBV_QPS_ERR);
	wc = rig_poll(rig.near.receive_cq);
	assert_int_equal(wc.status, IBV_WC_WR_FLUSH_ERR);
	assert_int_equal(wc.wr_id, 3);
	request.wr.wr_id = 78;
	request.wr.send_flags = 0; /* a flush is shown whether it was asked for or not */
	wc = rig_run(&rig, &request);
	assert_int_equal(wc.status, IBV_WC_WR_FLUSH_ERR);
	assert_int_equal(wc.wr_id, 78);
	assert_int_equal(rig_end_post_receive(&rig.near, 4, 0, 8, 0), 0);
	assert_int_equal(rig_poll(rig.near.receive_cq).status, IBV_WC_WR_FLUSH_ERR);
	if (failure->far_event >= 0) {
		assert_int_equal(rig_ask(&rig, (struct rig_message){.order = RIG_ASYNC}).result, failure->far_event);
		assert_int_equal(rig_ask(&rig, (struct rig_message){.order = RIG_STATE}).result, IBV_QPS_ERR);
	} else {
		assert_int_equal(rig_ask(&rig, (struct rig_message){.order = RIG_STATE}).result, IBV_QPS_RTS);
	}
	rig_end(&rig);
}

TEST(wrong_requests_fail_as_specified)
{
	static const struct failure failures[] = {
		{{RC}, IBV_WR_RDMA_WRITE, 8, 0x100, 0, 0, IBV_WC_LOC_PROT_ERR, -1},
		{{RC}, IBV_WR_SEND, 8, 0x2000000, 0, 0, IBV_WC_LOC_PROT_ERR, -1},
		{{RC}, IBV_WR_RDMA_READ, RIG_BUFFER + 1, 0, 0, 0, IBV_WC_LOC_PROT_ERR, -1},
		{{RC}, IBV_WR_ATOMIC_FETCH_AND_ADD, 4, 0, 0, 0, IBV_WC_LOC_LEN_ERR, -1},
		{{RC}, IBV_WR_RDMA_WRITE, 8, 0, 0x2000000, 0, IBV_WC_REM_ACCESS_ERR, IBV_EVENT_QP_ACCESS_ERR},
		{{RC}, IBV_WR_RDMA_WRITE, 8, 0, 0, RIG_BUFFER - 7, IBV_WC_REM_ACCESS_ERR, IBV_EVENT_QP_ACCESS_ERR},
		{{RC}, IBV_WR_RDMA_READ, 8, 0, 0, -1ull, IBV_WC_REM_ACCESS_ERR, IBV_EVENT_QP_ACCESS_ERR},
		{{RC, .mr_access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ},
		 IBV_WR_RDMA_WRITE,
		 8,
		 0,
		 0,
		 0,
		 IBV_WC_REM_ACCESS_ERR,
		 IBV_EVENT_QP_ACCESS_ERR},
		{{RC, .mr_access = IBV_ACCESS_LOCAL_WRITE},
		 IBV_WR_ATOMIC_FETCH_AND_ADD,
		 8,
		 0,
		 0,
		 0,
		 IBV_WC_REM_ACCESS_ERR,
		 IBV_EVENT_QP_ACCESS_ERR},
		{{RC, .qp_access = IBV_ACCESS_REMOTE_READ},
		 IBV_WR_RDMA_WRITE,
		 8,
		 0,
		 0,
		 0,
		 IBV_WC_REM_INV_REQ_ERR,
		 IBV_EVENT_QP_REQ_ERR},
		{{RC, .qp_access = -1}, IBV_WR_RDMA_READ, 8, 0, 0, 0, IBV_WC_REM_INV_REQ_ERR, IBV_EVENT_QP_REQ_ERR},
		{{RC, .max_dest_rd_atomic = -1},
		 IBV_WR_RDMA_READ,
		 8,
		 0,
		 0,
		 0,
		 IBV_WC_REM_INV_REQ_ERR,
		 IBV_EVENT_QP_REQ_ERR},
		{{RC}, IBV_WR_ATOMIC_FETCH_AND_ADD, 8, 0, 0, 4, IBV_WC_REM_INV_REQ_ERR, IBV_EVENT_QP_REQ_ERR},
	};

	for (size_t i = 0; i < sizeof(failures) / sizeof(failures[0]); i++)
		check_failure(&failures[i]);
}

TEST(zero_length_needs_no_key)
{
	struct rig rig;
	struct rig_request request;

	rig_start(&rig, (struct rig_options){RC}, (struct rig_options){RC});
	rig_request(&rig, &request, IBV_WR_RDMA_WRITE, 0)->wr.wr.rdma.rkey = 0;
	assert_int_equal(rig_run(&rig, &request).status, IBV_WC_SUCCESS);
	rig_end(&rig);
}

TEST(too_long_a_message_fails_at_both_ends)
{
	struct rig rig;
	struct rig_request request;
	struct ibv_wc wc;

	rig_start(&rig, (struct rig_options){RC}, (struct rig_options){RC});
	rig_far_post(&rig, 1, 0, 7);
	rig_far_post(&rig, 2, 0, 7);
	assert_int_equal(rig_run(&rig, rig_request(&rig, &request, IBV_WR_SEND, 8)).status, IBV_WC_REM_INV_REQ_ERR);
	assert_int_equal(rig_far_poll(&rig).status, IBV_WC_LOC_LEN_ERR);
	wc = rig_far_poll(&rig);
	assert_int_equal(wc.status, IBV_WC_WR_FLUSH_ERR);
	assert_int_equal(wc.wr_id, 2);
	rig_end(&rig);
}

TEST(receive_with_a_wrong_key_fails_at_both_ends)
{
	struct rig rig;
	struct rig_request request;
	struct rig_message post = {.order = RIG_POST, .length = 8, .lkey = 1};

	rig_start(&rig, (struct rig_options){RC}, (struct rig_options){RC});
	assert_int_equal(rig_ask(&rig, post).result, 0);
	assert_int_equal(rig_run(&rig, rig_request(&rig, &request, IBV_WR_SEND, 8)).status, IBV_WC_REM_OP_ERR);
	assert_int_equal(rig_far_poll(&rig).status, IBV_WC_LOC_PROT_ERR);
	rig_end(&rig);
}

TEST(keys_hold_within_their_domain_only)
{
	struct rig rig;
	struct rig_request request;
	struct ibv_pd *other;
	struct ibv_mr *mr;

	rig_start(&rig, (struct rig_options){RC}, (struct rig_options){RC});
	other = ibv_alloc_pd(rig.near.context);
	mr = ibv_reg_mr(other, rig.near.buffer, 64, IBV_ACCESS_LOCAL_WRITE);
	assert_non_null(mr);
	assert_int_equal(ibv_dealloc_pd(other), EBUSY);
	rig_request(&rig, &request, IBV_WR_RDMA_WRITE, 8)->sge.lkey = mr->lkey;
	assert_int_equal(rig_run(&rig, &request).status, IBV_WC_LOC_PROT_ERR);
	ibv_dereg_mr(mr);
	assert_int_equal(ibv_dealloc_pd(other), 0);
	rig_end(&rig);
}

TEST(receiver_not_ready_is_waited_for_in_order)
{
	struct rig rig;
	struct rig_request request;
	char seen[4];

	rig_start(&rig, (struct rig_options){RC}, (struct rig_options){RC});
	for (int i = 0; i < 3; i++) {
		rig.near.buffer[i] = (uint8_t)('a' + i);
		rig_request(&rig, &request, i == 1 ? IBV_WR_RDMA_WRITE : IBV_WR_SEND, 1)->wr.wr_id = (uint64_t)i;
		request.sge.addr += (uint64_t)i;
		request.wr.wr.rdma.remote_addr += 2;
		assert_int_equal(rig_post(&rig, &request), 0);
	}
	assert_true(rig_is_empty(rig.near.send_cq));
	rig_far_peek(&rig, 0, seen, 3);
	assert_int_equal(seen[2], 0); /* the WRITE has not passed the SEND */
	rig_far_post(&rig, 1, 0, 1);
	assert_int_equal(rig_poll(rig.near.send_cq).wr_id, 0);
	assert_int_equal(rig_poll(rig.near.send_cq).wr_id, 1);
	assert_true(rig_is_empty(rig.near.send_cq));
	rig_far_post(&rig, 2, 1, 1);
	assert_int_equal(rig_poll(rig.near.send_cq).wr_id, 2);
	rig_far_peek(&rig, 0, seen, 3);
	assert_memory_equal(seen, "acb", 3);
	rig_end(&rig);
}

TEST(receiver_not_ready_is_carried_on_while_the_program_is_away)
{
	struct rig rig;
	struct rig_request request;

	rig_start(&rig, (struct rig_options){RC}, (struct rig_options){RC});
	assert_int_equal(rig_post(&rig, rig_request(&rig, &request, IBV_WR_SEND, 8)), 0);
	rig_far_post(&rig, 1, 0, 8);
	/* Nothing here polls or posts until the far end has the message. */
	assert_int_equal(rig_far_poll(&rig).status, IBV_WC_SUCCESS);
	assert_int_equal(rig_poll(rig.near.send_cq).status, IBV_WC_SUCCESS);
	rig_end(&rig);
}

TEST(receiver_not_ready_ends_by_its_counter)
{
	struct rig rig;
	struct rig_request request;

	for (int retries = -1; retries <= 2; retries += 3) {
		rig_start(&rig, (struct rig_options){RC, .rnr_retry = retries}, (struct rig_options){RC});
		assert_int_equal(rig_run(&rig, rig_request(&rig, &request, IBV_WR_SEND, 8)).status,
				 IBV_WC_RNR_RETRY_EXC_ERR);
		assert_int_equal(rig_state(&rig.near), IBV_QPS_ERR);
		rig_end(&rig);
	}
}

TEST(waiting_requests_flush_in_order)
{
	struct rig rig;
	struct rig_request request;
	struct ibv_qp_attr attr = {.qp_state = IBV_QPS_ERR};

	rig_start(&rig, (struct rig_options){RC}, (struct rig_options){RC});
	for (uint64_t i = 0; i < 3; i++) {
		rig_request(&rig, &request, IBV_WR_SEND, 8)->wr.wr_id = i;
		assert_int_equal(rig_post(&rig, &request), 0);
	}
	assert_int_equal(ibv_modify_qp(rig.near.qp, &attr, IBV_QP_STATE), 0);
	for (uint64_t i = 0; i < 3; i++) {
		struct ibv_wc wc = rig_poll(rig.near.send_cq);

		assert_int_equal(wc.status, IBV_WC_WR_FLUSH_ERR);
		assert_int_equal(wc.wr_id, i);
	}
	rig_end(&rig);
}

TEST(nobody_at_the_other_end_is_a_timeout)
{
	struct rig rig;
	struct rig_request request;
	struct ibv_qp_attr attr = {.qp_state = IBV_QPS_RESET};

	rig_start(&rig, (struct rig_options){RC}, (struct rig_options){RC});
	/* Back to RESET, then connected to a queue pair of that process that does not exist. */
	assert_int_equal(ibv_modify_qp(rig.near.qp, &attr, IBV_QP_STATE), 0);
	attr = (struct ibv_qp_attr){.qp_state = IBV_QPS_INIT, .port_num = 1};
	assert_int_equal(
		ibv_modify_qp(rig.near.qp, &attr, IBV_QP_STATE | IBV_QP_PORT | IBV_QP_PKEY_INDEX | IBV_QP_ACCESS_FLAGS),
		0);
	rig_end_connect(&rig.near, rig.far.qpn + 1);
	assert_int_equal(rig_run(&rig, rig_request(&rig, &request, IBV_WR_RDMA_WRITE, 8)).status, IBV_WC_RETRY_EXC_ERR);
	rig_end(&rig);
}

TEST(killed_peer_fails_requests_and_receives)
{
	struct rig rig;
	struct rig_request request;
	struct ibv_wc wc;

	rig_start(&rig, (struct rig_options){RC}, (struct rig_options){RC});
	assert_int_equal(rig_end_post_receive(&rig.near, 9, 0, 8, 0), 0);
	assert_int_equal(rig_post(&rig, rig_request(&rig, &request, IBV_WR_SEND, 8)), 0); /* waits for a receive */
	kill(rig.child, SIGKILL);
	waitpid(rig.child, NULL, 0);
	close(rig.fd);
	wc = rig_poll(rig.near.send_cq);
	assert_true(wc.status == IBV_WC_RETRY_EXC_ERR || wc.status == IBV_WC_WR_FLUSH_ERR);
	wc = rig_poll(rig.near.receive_cq);
	assert_int_equal(wc.status, IBV_WC_WR_FLUSH_ERR);
	assert_int_equal(wc.wr_id, 9);
	assert_int_equal(rig_async(&rig.near), IBV_EVENT_QP_FATAL);
	rig_end_close(&rig.near);
}

TEST(killed_peer_fails_a_stream_of_writes)
{
	struct rig rig;
	struct rig_request request;
	struct ibv_wc wc = {0};
	double until = rig_now() + RIG_WAIT_S;

	rig_start(&rig, (struct rig_options){RC}, (struct rig_options){RC});
	rig_request(&rig, &request, IBV_WR_RDMA_WRITE, 8);
	assert_int_equal(rig_run(&rig, &request).status, IBV_WC_SUCCESS);
	kill(rig.child, SIGKILL);
	waitpid(rig.child, NULL, 0);
	close(rig.fd);
	while (wc.status == IBV_WC_SUCCESS) {
		assert_true(rig_now() < until);
		wc = rig_run(&rig, &request);
	}
	assert_true(wc.status == IBV_WC_RETRY_EXC_ERR || wc.status == IBV_WC_WR_FLUSH_ERR);
	rig_end_close(&rig.near);
}

TEST(first_message_establishes)
{
	struct rig rig;
	struct rig_request request;

	rig_start(&rig, (struct rig_options){RC}, (struct rig_options){RC, .stays_in_rtr = true});
	assert_int_equal(rig_run(&rig, rig_request(&rig, &request, IBV_WR_RDMA_WRITE, 8)).status, IBV_WC_SUCCESS);
	assert_int_equal(rig_ask(&rig, (struct rig_message){.order = RIG_ASYNC}).result, IBV_EVENT_COMM_EST);
	rig_end(&rig);
}

TEST(uc_drops_what_rc_waits_for)
{
	struct rig rig;
	struct rig_request request;
	struct ibv_wc wc;

	rig_start(&rig, (struct rig_options){UC}, (struct rig_options){UC});
	assert_int_equal(rig_run(&rig, rig_request(&rig, &request, IBV_WR_SEND, 8)).status, IBV_WC_SUCCESS);
	rig_request(&rig, &request, IBV_WR_RDMA_WRITE, 8)->wr.wr.rdma.rkey ^= 0x2000000;
	assert_int_equal(rig_run(&rig, &request).status, IBV_WC_SUCCESS);
	assert_true(rig_far_is_empty(&rig));
	rig_far_post(&rig, 4, 0, 8);
	assert_int_equal(rig_run(&rig, rig_request(&rig, &request, IBV_WR_SEND, 8)).status, IBV_WC_SUCCESS);
	assert_int_equal(rig_far_poll(&rig).wr_id, 4);
	assert_int_equal(rig_post(&rig, rig_request(&rig, &request, IBV_WR_RDMA_READ, 8)), EINVAL);
	/* A local error stops sending only, and sending can be taken up again. */
	rig_request(&rig, &request, IBV_WR_SEND, 8)->sge.lkey = 0;
	assert_int_equal(rig_run(&rig, &request).status, IBV_WC_LOC_PROT_ERR);
	assert_int_equal(rig_state(&rig.near), IBV_QPS_SQE);
	assert_int_equal(rig_run(&rig, &request).status, IBV_WC_WR_FLUSH_ERR);
	struct ibv_qp_attr attr = {.qp_state = IBV_QPS_RTS};
	assert_int_equal(ibv_modify_qp(rig.near.qp, &attr, IBV_QP_STATE), 0);
	rig_far_post(&rig, 5, 0, 8);
	wc = rig_run(&rig, rig_request(&rig, &request, IBV_WR_SEND, 8));
	assert_int_equal(wc.status, IBV_WC_SUCCESS);
	assert_int_equal(rig_far_poll(&rig).wr_id, 5);
	rig_end(&rig);
}

static struct rig_request *datagram(struct rig *rig, struct rig_request *request, struct ibv_ah *ah, uint32_t length)
{
	rig_request(rig, request, IBV_WR_SEND, length);
	request->wr.wr.ud.ah = ah;
	request->wr.wr.ud.remote_qpn = rig->far.qpn;
	request->wr.wr.ud.remote_qkey = RIG_QKEY;
	return request;
}

TEST(datagrams_bear_a_header)
{
	struct rig rig;
	struct rig_request request;
	struct ibv_ah_attr attr = {.port_num = 1, .is_global = 1, .grh = {.sgid_index = 1, .hop_limit = 64}};
	struct ibv_grh header;
	union ibv_gid gid;
	struct ibv_ah *ah;
	struct ibv_wc wc;
	char seen[8];

	rig_start(&rig, (struct rig_options){UD}, (struct rig_options){UD});
	assert_int_equal(ibv_query_gid(rig.near.context, 1, 1, &gid), 0);
	attr.grh.dgid = gid;
	ah = ibv_create_ah(rig.near.pd, &attr);
	assert_non_null(ah);
	/* Dropped: no receive, a wrong Q_Key, a buffer that is too small. */
	assert_int_equal(rig_run(&rig, datagram(&rig, &request, ah, 5)).status, IBV_WC_SUCCESS);
	rig_far_post(&rig, 6, 0, 45);
	datagram(&rig, &request, ah, 5)->wr.wr.ud.remote_qkey++;
	assert_int_equal(rig_run(&rig, &request).status, IBV_WC_SUCCESS);
	assert_int_equal(rig_run(&rig, datagram(&rig, &request, ah, 6)).status, IBV_WC_SUCCESS);
	assert_true(rig_far_is_empty(&rig));
	strcpy((char *)rig.near.buffer, "gram");
	datagram(&rig, &request, ah, 5)->wr.wr.ud.remote_qkey |= 0x80000000u; /* our own is meant */
	assert_int_equal(rig_run(&rig, &request).status, IBV_WC_SUCCESS);
	wc = rig_far_poll(&rig);
	assert_int_equal(wc.byte_len, 45);
	assert_int_equal(wc.wc_flags, IBV_WC_GRH);
	assert_int_equal(wc.src_qp, rig.near.qp->qp_num);
	rig_far_peek(&rig, 0, &header, sizeof(header));
	assert_int_equal(ntohl(header.version_tclass_flow) >> 28, 6);
	assert_int_equal(header.hop_limit, 64);
	assert_memory_equal(&header.sgid, &gid, sizeof(gid));
	assert_memory_equal(&header.dgid, &gid, sizeof(gid));
	rig_far_peek(&rig, 40, seen, 5);
	assert_string_equal(seen, "gram");
	assert_int_equal(rig_run(&rig, datagram(&rig, &request, ah, 4097)).status, IBV_WC_LOC_LEN_ERR);
	assert_int_equal(rig_state(&rig.near), IBV_QPS_SQE);
	assert_int_equal(ibv_destroy_ah(ah), 0);
	rig_end(&rig);
}

TEST(full_completion_queue_is_an_event)
{
	struct rig rig;
	struct rig_request request;

	rig_start(&rig, (struct rig_options){RC, .cqe = 2}, (struct rig_options){RC, .cqe = 2});
	rig_request(&rig, &request, IBV_WR_RDMA_WRITE, 8);
	for (int i = 0; i < 3; i++)
		assert_int_equal(rig_post(&rig, &request), 0);
	assert_int_equal(rig_async(&rig.near), IBV_EVENT_CQ_ERR);
	for (int i = 0; i < 3; i++)
		rig_far_post(&rig, 1, 0, 8);
	rig_request(&rig, &request, IBV_WR_SEND, 8)->wr.send_flags = 0;
	for (int i = 0; i < 3; i++)
		assert_int_equal(rig_post(&rig, &request), 0);
	assert_int_equal(rig_ask(&rig, (struct rig_message){.order = RIG_ASYNC}).result, IBV_EVENT_CQ_ERR);
	rig_end(&rig);
}

TEST(states_follow_the_table)
{
	struct rig rig;
	struct ibv_qp_attr attr = {.qp_state = IBV_QPS_RTS, .port_num = 1, .timeout = 32};
	struct ibv_qp_init_attr init;
	struct rig_request request;

	rig_start(&rig, (struct rig_options){RC}, (struct rig_options){RC});
	assert_int_equal(ibv_query_qp(rig.near.qp, &attr, IBV_QP_STATE, &init), 0);
	assert_int_equal(attr.qp_state, IBV_QPS_RTS);
	assert_int_equal(attr.dest_qp_num, rig.far.qpn);
	assert_int_equal(attr.rnr_retry, 7);
	assert_int_equal(init.cap.max_send_wr, RIG_DEPTH);
	attr.qp_state = IBV_QPS_RTR; /* no way back */
	assert_int_equal(ibv_modify_qp(rig.near.qp, &attr, IBV_QP_STATE), EINVAL);
	attr.qp_state = IBV_QPS_RTS;
	assert_int_equal(ibv_modify_qp(rig.near.qp, &attr, IBV_QP_STATE | IBV_QP_DEST_QPN), EINVAL);
	assert_int_equal(ibv_modify_qp(rig.near.qp, &attr, IBV_QP_STATE | IBV_QP_RATE_LIMIT), EOPNOTSUPP);
	/* In SQD requests are held. */
	attr.qp_state = IBV_QPS_SQD;
	attr.en_sqd_async_notify = 1;
	assert_int_equal(ibv_modify_qp(rig.near.qp, &attr, IBV_QP_STATE | IBV_QP_EN_SQD_ASYNC_NOTIFY), 0);
	assert_int_equal(rig_async(&rig.near), IBV_EVENT_SQ_DRAINED);
	assert_int_equal(rig_post(&rig, rig_request(&rig, &request, IBV_WR_RDMA_WRITE, 8)), 0);
	assert_true(rig_is_empty(rig.near.send_cq));
	attr.timeout = 32;
	assert_int_equal(ibv_modify_qp(rig.near.qp, &attr, IBV_QP_TIMEOUT), EINVAL);
	attr.qp_state = IBV_QPS_RTS;
	assert_int_equal(ibv_modify_qp(rig.near.qp, &attr, IBV_QP_STATE), 0);
	assert_int_equal(rig_poll(rig.near.send_cq).status, IBV_WC_SUCCESS);
	attr.qp_state = IBV_QPS_RESET;
	assert_int_equal(ibv_modify_qp(rig.near.qp, &attr, IBV_QP_STATE), 0);
	assert_int_equal(rig_post(&rig, &request), EINVAL);
	attr.qp_state = IBV_QPS_RTR;
	assert_int_equal(ibv_modify_qp(rig.near.qp, &attr, IBV_QP_STATE), EINVAL);
	rig_end(&rig);
}

TEST(null_mode_needs_nobody)
{
	struct rig rig = {0};
	struct rig_request request;
	struct ibv_wc wc;

	setenv("PERFTEST_SOFT", "null", 1);
	rig_end_open(&rig.near, &(struct rig_options){RC});
	rig_end_connect(&rig.near, 0x123456);
	assert_int_equal(rig_run(&rig, rig_request(&rig, &request, IBV_WR_RDMA_WRITE, 8)).opcode, IBV_WC_RDMA_WRITE);
	assert_int_equal(rig_end_post_receive(&rig.near, 11, 0, 64, 0), 0);
	wc = rig_poll(rig.near.receive_cq);
	assert_int_equal(wc.opcode, IBV_WC_RECV);
	assert_int_equal(wc.byte_len, 64);
	assert_int_equal(wc.wr_id, 11);
	rig_end_close(&rig.near);
	unsetenv("PERFTEST_SOFT");
}

TEST(named_calls_fail)
{
	static const char *const wrong[] = {"reg_mr:zero", "reg_mr",  "reg_mr:0", "nothing:1",
					    "wc_0:1",	   "wc_24:1", "wc_:1"};
	struct rig rig = {0};
	struct rig_request request;
	struct ibv_wc wc;

	setenv("PERFTEST_SOFT", "null", 1);
	setenv("PERFTEST_SOFT_FAULT", "reg_mr:2,post_send:2,poll_cq:1,wc_12:2", 1);
	rig_end_open(&rig.near, &(struct rig_options){RC});
	rig_end_connect(&rig.near, 0x123456);
	assert_null(ibv_reg_mr(rig.near.pd, rig.near.buffer, 64, RIG_ACCESS));
	assert_int_equal(errno, ENOMEM);
	rig_request(&rig, &request, IBV_WR_RDMA_WRITE, 8);
	assert_int_equal(rig_post(&rig, &request), 0);
	assert_int_equal(rig_post(&rig, &request), EIO);
	assert_int_equal(rig_post(&rig, &request), 0);
	assert_int_equal(ibv_poll_cq(rig.near.send_cq, 1, &wc), -1);
	assert_int_equal(ibv_poll_cq(rig.near.send_cq, 1, &wc), 1);
	assert_int_equal(wc.status, IBV_WC_SUCCESS);
	assert_int_equal(ibv_poll_cq(rig.near.send_cq, 1, &wc), 1);
	assert_int_equal(wc.status, IBV_WC_RETRY_EXC_ERR);
	rig_end_close(&rig.near);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct ibv_device **list = ibv_get_device_list(NULL);

		setenv("PERFTEST_SOFT_FAULT", wrong[i], 1);
		assert_null(ibv_open_device(list[0]));
		ibv_free_device_list(list);
	}
	unsetenv("PERFTEST_SOFT_FAULT");
	unsetenv("PERFTEST_SOFT");
}

TEST_MAIN(rig_directory_make, rig_directory_remove)
