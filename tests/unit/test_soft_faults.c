// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Does an injected fault of the software device occur, the Nth time and no other? Two connected pairs of queue pairs in
 * one process; PERFTEST_SOFT_FAULT is read when the first of them is opened.
 */
#include "soft_rig.h"

#define FAULT "PERFTEST_SOFT_FAULT"
/* Longer than anything takes here, and shorter than rig_poll() waits. */
#define DELAY_US "400000"
/* So long a request that yields waits for another one (soft/data/disturbance.c). */
#define REORDER_S 0.1

struct pairs {
	struct rig_end ends[4]; /* 0 posts to 1, 2 to 3 */
};

static void pairs_open(struct pairs *pairs, const char *faults, struct rig_options options)
{
	setenv(FAULT, faults, 1);
	for (int i = 0; i < 4; i++)
		rig_end_open(&pairs->ends[i], &options);
	for (int i = 0; i < 4; i++)
		rig_end_connect(&pairs->ends[i], pairs->ends[i ^ 1].qp->qp_num);
}

static void pairs_close(struct pairs *pairs)
{
	for (int i = 0; i < 4; i++)
		rig_end_close(&pairs->ends[i]);
	unsetenv(FAULT);
}

/* The byte's value is its place in the peer's buffer plus 1. */
static void post_write(struct rig_end *from, struct rig_end *to, uint8_t place)
{
	struct ibv_sge sge = {(uint64_t)(uintptr_t)from->buffer + place, 1, from->mr->lkey};
	struct ibv_send_wr wr = {.wr_id = place,
				 .sg_list = &sge,
				 .num_sge = 1,
				 .opcode = IBV_WR_RDMA_WRITE,
				 .send_flags = IBV_SEND_SIGNALED,
				 .wr.rdma = {(uint64_t)(uintptr_t)to->buffer + place, to->mr->rkey}};
	struct ibv_send_wr *bad;

	from->buffer[place] = (uint8_t)(place + 1);
	assert_int_equal(ibv_post_send(from->qp, &wr, &bad), 0);
}

static void completes(struct rig_end *end, uint64_t wr_id, enum ibv_wc_status status)
{
	struct ibv_wc wc = rig_poll(end->send_cq);

	assert_int_equal(wc.wr_id, wr_id);
	assert_string_equal(ibv_wc_status_str(wc.status), ibv_wc_status_str(status));
}

static void bytes_are(const struct rig_end *end, const char *arrived)
{
	for (int i = 0; arrived[i]; i++)
		assert_int_equal(end->buffer[i], arrived[i] == 'x' ? i + 1 : 0);
}

/* Three requests of the first pair under a fault: their statuses, and which bytes arrived. */
static const struct {
	const char *fault;
	struct rig_options options;
	enum ibv_wc_status statuses[3];
	const char *arrived;
} losses[] = {
	{"drop:2", {.type = IBV_QPT_UC}, {0, 0, 0}, "x.x"},
	{"drop:1,drop_from:2", {.type = IBV_QPT_UC}, {0, 0, 0}, "..."},
	{"drop_from:3", {.type = IBV_QPT_UC}, {0, 0, 0}, "xx."},
	/* Sent again. */
	{"drop:2", {.type = IBV_QPT_RC, .retry_cnt = 1}, {0, 0, 0}, "xxx"},
	{"drop:2", {.type = IBV_QPT_RC}, {0, IBV_WC_RETRY_EXC_ERR, IBV_WC_WR_FLUSH_ERR}, "x.."},
	{"drop_from:2", {.type = IBV_QPT_RC, .retry_cnt = 2}, {0, IBV_WC_RETRY_EXC_ERR, IBV_WC_WR_FLUSH_ERR}, "x.."},
	{"delay:1+1000", {.type = IBV_QPT_RC}, {0, 0, 0}, "xxx"},
	{"reorder:1", {.type = IBV_QPT_UC}, {0, 0, 0}, "xxx"},
};

/* First of the tests: this process has no threads yet. */
TEST(the_process_is_killed)
{
	static const char *const where[] = {"kill_alloc_pd:1", "kill_modify_qp:2", "kill_post_send:1",
					    "kill_poll_cq:1"};

	for (size_t i = 0; i < sizeof(where) / sizeof(where[0]); i++) {
		pid_t child = fork();
		int status;

		assert_true(child >= 0);
		if (child == 0) {
			struct pairs pairs;

			pairs_open(&pairs, where[i], (struct rig_options){.type = IBV_QPT_RC});
			post_write(&pairs.ends[0], &pairs.ends[1], 0);
			completes(&pairs.ends[0], 0, IBV_WC_SUCCESS);
			_exit(0);
		}
		assert_int_equal(waitpid(child, &status, 0), child);
		if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL)
			fail_msg("%s: status %x", where[i], status);
	}
	/* Whoever comes next removes what they left. */
	ibv_close_device(rig_open_device());
}

TEST(requests_are_lost)
{
	for (size_t i = 0; i < sizeof(losses) / sizeof(losses[0]); i++) {
		struct pairs pairs;
		char fault[64];

		/* The same text twice would go on counting. */
		snprintf(fault, sizeof(fault), "%s,open_device:%zu", losses[i].fault, 100 + i);
		pairs_open(&pairs, fault, losses[i].options);
		for (uint8_t place = 0; place < 3; place++)
			post_write(&pairs.ends[0], &pairs.ends[1], place);
		for (uint8_t place = 0; place < 3; place++)
			completes(&pairs.ends[0], place, losses[i].statuses[place]);
		bytes_are(&pairs.ends[1], losses[i].arrived);
		pairs_close(&pairs);
	}
}

TEST(a_delay_holds_one_queue_pair)
{
	struct pairs pairs;

	pairs_open(&pairs, "delay:2+" DELAY_US, (struct rig_options){.type = IBV_QPT_RC});
	for (uint8_t place = 0; place < 3; place++)
		post_write(&pairs.ends[0], &pairs.ends[1], place);
	completes(&pairs.ends[0], 0, IBV_WC_SUCCESS);
	bytes_are(&pairs.ends[1], "x..");
	post_write(&pairs.ends[2], &pairs.ends[3], 0);
	completes(&pairs.ends[2], 0, IBV_WC_SUCCESS);
	assert_true(rig_is_empty(pairs.ends[0].send_cq));
	bytes_are(&pairs.ends[1], "x..");
	completes(&pairs.ends[0], 1, IBV_WC_SUCCESS);
	completes(&pairs.ends[0], 2, IBV_WC_SUCCESS);
	bytes_are(&pairs.ends[1], "xxx");
	pairs_close(&pairs);
}

/* A queue pair that is destroyed meanwhile takes its request along, and one in its place is not held. */
TEST(a_held_request_goes_with_its_queue_pair)
{
	struct pairs pairs;
	struct rig_end *end = &pairs.ends[0];

	pairs_open(&pairs, "delay:1+20000000", (struct rig_options){.type = IBV_QPT_RC});
	post_write(end, &pairs.ends[1], 0);
	assert_true(rig_is_empty(end->send_cq));
	for (int i = 0; i < 4; i++)
		rig_end_close(&pairs.ends[i]);
	pairs_open(&pairs, "delay:2+20000000", (struct rig_options){.type = IBV_QPT_RC});
	post_write(end, &pairs.ends[1], 0);
	completes(end, 0, IBV_WC_SUCCESS);
	pairs_close(&pairs);
}

/* Nor is one in its place let go before its own fault has come; which has that place is malloc()'s choice. */
TEST(a_queue_pair_in_the_place_of_a_held_one_has_its_fault)
{
	struct pairs pairs;
	char fault[64];

	for (int i = 0; i < 4; i++) {
		pairs_open(&pairs, "delay:1+20000000", (struct rig_options){.type = IBV_QPT_RC});
		post_write(&pairs.ends[0], &pairs.ends[1], 0);
		pairs_close(&pairs);
		snprintf(fault, sizeof(fault), "drop:1,open_device:%d", 200 + i);
		pairs_open(&pairs, fault, (struct rig_options){.type = IBV_QPT_UC});
		post_write(&pairs.ends[0], &pairs.ends[1], 0);
		completes(&pairs.ends[0], 0, IBV_WC_SUCCESS);
		bytes_are(&pairs.ends[1], ".");
		pairs_close(&pairs);
	}
}

TEST(a_request_of_another_queue_pair_goes_first)
{
	struct pairs pairs;
	double began;

	pairs_open(&pairs, "reorder:1", (struct rig_options){.type = IBV_QPT_RC});
	began = rig_now();
	post_write(&pairs.ends[0], &pairs.ends[1], 0);
	/* Once another one's has gone, the service thread may let it go at any time. */
	if (__atomic_load_n(&pairs.ends[1].buffer[0], __ATOMIC_ACQUIRE))
		assert_true(rig_now() - began > REORDER_S);
	post_write(&pairs.ends[2], &pairs.ends[3], 0);
	bytes_are(&pairs.ends[3], "x");
	completes(&pairs.ends[2], 0, IBV_WC_SUCCESS);
	completes(&pairs.ends[0], 0, IBV_WC_SUCCESS);
	bytes_are(&pairs.ends[1], "x");
	pairs_close(&pairs);
}

TEST(queues_are_full)
{
	struct ibv_send_wr wr = {.opcode = IBV_WR_RDMA_WRITE}, *bad_wr = NULL;
	struct rig_end end;

	setenv(FAULT, "full_post_send:1,full_post_recv:2", 1);
	rig_end_open(&end, &(struct rig_options){.type = IBV_QPT_RC});
	rig_end_connect(&end, end.qp->qp_num);
	assert_int_equal(ibv_post_send(end.qp, &wr, &bad_wr), ENOMEM);
	assert_ptr_equal(bad_wr, &wr);
	assert_int_equal(ibv_post_send(end.qp, &wr, &bad_wr), 0);
	assert_int_equal(rig_end_post_receive(&end, 0, 0, 1, 0), 0);
	assert_int_equal(rig_end_post_receive(&end, 0, 0, 1, 0), ENOMEM);
	assert_int_equal(rig_end_post_receive(&end, 0, 0, 1, 0), 0);
	rig_end_close(&end);
	unsetenv(FAULT);
}

static const struct {
	const char *word;
	enum ibv_event_type type;
} events[] = {
	{"port_err", IBV_EVENT_PORT_ERR},	  {"port_active", IBV_EVENT_PORT_ACTIVE},
	{"device_fatal", IBV_EVENT_DEVICE_FATAL}, {"gid_change", IBV_EVENT_GID_CHANGE},
	{"lid_change", IBV_EVENT_LID_CHANGE},	  {"pkey_change", IBV_EVENT_PKEY_CHANGE},
	{"sm_change", IBV_EVENT_SM_CHANGE},	  {"client_reregister", IBV_EVENT_CLIENT_REREGISTER},
};

TEST(the_device_reports)
{
	struct ibv_send_wr wr = {.opcode = IBV_WR_RDMA_WRITE, .send_flags = IBV_SEND_SIGNALED}, *bad_wr;

	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
		struct rig_end end;
		char fault[64];

		snprintf(fault, sizeof(fault), "%s:2", events[i].word);
		setenv(FAULT, fault, 1);
		rig_end_open(&end, &(struct rig_options){.type = IBV_QPT_RC});
		rig_end_connect(&end, end.qp->qp_num);
		for (int n = 0; n < 2; n++) {
			struct pollfd ready = {.fd = end.context->async_fd, .events = POLLIN};

			assert_int_equal(poll(&ready, 1, 0), 0);
			assert_int_equal(ibv_post_send(end.qp, &wr, &bad_wr), 0);
			completes(&end, 0, IBV_WC_SUCCESS);
		}
		assert_string_equal(ibv_event_type_str((enum ibv_event_type)rig_async(&end)),
				    ibv_event_type_str(events[i].type));
		rig_end_close(&end);
	}
	unsetenv(FAULT);
}

/* Each call that can fail, in a row; what it answers the time it fails, and that it works the next. */
TEST(calls_fail)
{
	struct ibv_alloc_dm_attr dm_attr = {.length = 64};
	struct ibv_srq_init_attr srq_init = {.attr = {.max_wr = 1, .max_sge = 1}};
	struct ibv_srq_attr srq_attr = {.max_wr = 2};
	struct rig_end end;
	struct ibv_srq *srq;
	struct ibv_mw *mw;
	struct ibv_dm *dm;

	setenv(FAULT, "alloc_mw:1,alloc_dm:1,rereg_mr:1,resize_cq:1,create_srq:1,modify_srq:1", 1);
	rig_end_open(&end, &(struct rig_options){.type = IBV_QPT_RC});
	errno = 0;
	assert_null(ibv_alloc_mw(end.pd, IBV_MW_TYPE_1));
	assert_int_equal(errno, ENOMEM);
	mw = ibv_alloc_mw(end.pd, IBV_MW_TYPE_1);
	assert_non_null(mw);
	assert_int_equal(ibv_dealloc_mw(mw), 0);
	errno = 0;
	assert_null(ibv_alloc_dm(end.context, &dm_attr));
	assert_int_equal(errno, ENOMEM);
	dm = ibv_alloc_dm(end.context, &dm_attr);
	assert_non_null(dm);
	assert_int_equal(ibv_free_dm(dm), 0);
	assert_int_equal(ibv_rereg_mr(end.mr, IBV_REREG_MR_CHANGE_ACCESS, NULL, NULL, 0, RIG_ACCESS),
			 IBV_REREG_MR_ERR_INPUT);
	assert_int_equal(errno, EIO);
	assert_int_equal(ibv_rereg_mr(end.mr, IBV_REREG_MR_CHANGE_ACCESS, NULL, NULL, 0, RIG_ACCESS), 0);
	assert_int_equal(ibv_resize_cq(end.send_cq, 10), EIO);
	assert_int_equal(ibv_resize_cq(end.send_cq, 10), 0);
	errno = 0;
	assert_null(ibv_create_srq(end.pd, &srq_init));
	assert_int_equal(errno, ENOMEM);
	srq = ibv_create_srq(end.pd, &srq_init);
	assert_non_null(srq);
	assert_int_equal(ibv_modify_srq(srq, &srq_attr, IBV_SRQ_MAX_WR), EIO);
	assert_int_equal(ibv_modify_srq(srq, &srq_attr, IBV_SRQ_MAX_WR), 0);
	assert_int_equal(ibv_destroy_srq(srq), 0);
	rig_end_close(&end);
	unsetenv(FAULT);
}

/* A message of the group would reach it, had the first attachment not failed. */
TEST(calls_of_groups_and_domains_fail)
{
	union ibv_gid group = {.raw = {0xff, 0x0e, [15] = 1}};
	struct ibv_td_init_attr td_init = {0};
	struct ibv_td *td;
	struct ibv_parent_domain_init_attr parent_init = {0};
	struct ibv_pd *parent;
	struct rig_end end;

	setenv(FAULT, "attach_mcast:1,alloc_td:1,alloc_parent_domain:1", 1);
	rig_end_open(&end, &(struct rig_options){.type = IBV_QPT_UD});
	assert_int_equal(ibv_attach_mcast(end.qp, &group, 0), EIO);
	assert_int_equal(ibv_detach_mcast(end.qp, &group, 0), EINVAL);
	assert_int_equal(ibv_attach_mcast(end.qp, &group, 0), 0);
	assert_int_equal(ibv_detach_mcast(end.qp, &group, 0), 0);
	errno = 0;
	assert_null(ibv_alloc_td(end.context, &td_init));
	assert_int_equal(errno, ENOMEM);
	assert_non_null(td = ibv_alloc_td(end.context, &td_init));
	parent_init.pd = end.pd;
	parent_init.td = td;
	errno = 0;
	assert_null(ibv_alloc_parent_domain(end.context, &parent_init));
	assert_int_equal(errno, ENOMEM);
	assert_non_null(parent = ibv_alloc_parent_domain(end.context, &parent_init));
	assert_int_equal(ibv_dealloc_pd(parent), 0);
	assert_int_equal(ibv_dealloc_td(td), 0);
	rig_end_close(&end);
	unsetenv(FAULT);
}

/* What they answer the next time depends on an interface for the frames: test_soft_raw. */
TEST(calls_for_raw_packets_fail)
{
	struct ibv_wq_init_attr wq_init = {.wq_type = IBV_WQT_RQ, .max_wr = 1, .max_sge = 1};
	struct ibv_rwq_ind_table_init_attr table_init = {0};
	struct ibv_flow_attr flow_attr = {.type = IBV_FLOW_ATTR_NORMAL, .size = sizeof(flow_attr), .port = 1};
	struct rig_end end;

	setenv(FAULT, "create_wq:1,create_rwq_ind_table:1,create_flow:1", 1);
	rig_end_open(&end, &(struct rig_options){.type = IBV_QPT_UD});
	errno = 0;
	wq_init.pd = end.pd;
	wq_init.cq = end.receive_cq;
	errno = 0;
	assert_null(ibv_create_wq(end.context, &wq_init));
	assert_int_equal(errno, ENOMEM);
	errno = 0;
	assert_null(ibv_create_rwq_ind_table(end.context, &table_init));
	assert_int_equal(errno, ENOMEM);
	errno = 0;
	assert_null(ibv_create_flow(end.qp, &flow_attr));
	assert_int_equal(errno, ENOMEM);
	assert_null(ibv_create_flow(end.qp, &flow_attr));
	assert_int_equal(errno, EINVAL);
	rig_end_close(&end);
	unsetenv(FAULT);
}

TEST(wrong_words_are_refused)
{
	static const char *const wrong[] = {
		"kill_nothing:1", "full_poll_cq:1", "drop:1+5",	 "delay:0",    "drop", "kill_drop:1", "cm_nothing:1",
		"full_:1",	  "delay:1+",	    "delay:1+x", "reorder:1,", ":1",   "event:1,,"};
	struct ibv_device **list = ibv_get_device_list(NULL);

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct ibv_context *context;

		setenv(FAULT, wrong[i], 1);
		context = ibv_open_device(list[0]);
		/* A comma at the end is one too many, and no more. */
		if (strcmp(wrong[i], "reorder:1,") == 0)
			assert_int_equal(ibv_close_device(context), 0);
		else
			assert_null(context);
	}
	setenv("PERFTEST_SOFT", "null", 1);
	setenv(FAULT, "reorder:3", 1);
	assert_null(ibv_open_device(list[0]));
	unsetenv("PERFTEST_SOFT");
	unsetenv(FAULT);
	ibv_free_device_list(list);
}

TEST_MAIN(rig_directory_make, rig_directory_remove)
