// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Is everything served: receives as well as sends in one completion queue, and two pollers on one CPU? */
#include "config.h"

#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "soft_rig.h"

#define POSTS	   24 /* by two, so that completions come faster than they are polled */
#define SEND_TURNS 40
#define IDLE_POLLS 1024u /* of poll_cq.c */

/* A program that keeps its send queue full and polls for one at a time sees its receives, too. */
TEST(receives_beside_sends)
{
	struct rig rig = {0};
	struct rig_request request;
	struct rig_end *near = &rig.near;
	struct rig_options options = {.type = IBV_QPT_RC};
	int received = 0, sent = 0;
	struct ibv_wc wc;

	/* Connected to itself, with one queue for both kinds of completions. */
	rig_end_open(near, &options);
	ibv_destroy_qp(near->qp);
	near->qp = ibv_create_qp(near->pd, &(struct ibv_qp_init_attr){.qp_type = IBV_QPT_RC,
								      .send_cq = near->send_cq,
								      .recv_cq = near->send_cq,
								      .cap = {RIG_DEPTH, RIG_DEPTH, 1, 1, 0}});
	assert_non_null(near->qp);
	assert_int_equal(ibv_modify_qp(near->qp,
				       &(struct ibv_qp_attr){
					       .qp_state = IBV_QPS_INIT, .port_num = 1, .qp_access_flags = RIG_ACCESS},
				       IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS),
			 0);
	rig_end_connect(near, near->qp->qp_num);
	for (uint64_t i = 0; i < 2 * POSTS; i++)
		assert_int_equal(rig_end_post_receive(near, i, RIG_BUFFER / 2, 8, 0), 0);
	rig_request(&rig, &request, IBV_WR_SEND, 8);
	for (int i = 0; i < POSTS; i++) {
		assert_int_equal(rig_post(&rig, &request), 0);
		assert_int_equal(rig_post(&rig, &request), 0);
		assert_int_equal(ibv_poll_cq(near->send_cq, 1, &wc), 1);
		assert_int_equal(wc.status, IBV_WC_SUCCESS);
		received += wc.opcode == IBV_WC_RECV;
		sent += wc.opcode == IBV_WC_SEND;
	}
	assert_in_range(received, POSTS / 4, POSTS);
	assert_in_range(sent, POSTS / 4, POSTS);
	/* None is lost, none comes twice. */
	for (int i = POSTS; i < 4 * POSTS; i++) {
		wc = rig_poll(near->send_cq);
		received += wc.opcode == IBV_WC_RECV;
		sent += wc.opcode == IBV_WC_SEND;
	}
	assert_int_equal(received, 2 * POSTS);
	assert_int_equal(sent, 2 * POSTS);
	assert_true(rig_is_empty(near->send_cq));
	rig_end_close(near);
}

/* Stands in front of the C library's: how often is the CPU offered to others? */
static uint32_t yields;

int sched_yield(void)
{
	yields++;
	return (int)syscall(SYS_sched_yield);
}

static void yields_check(uint32_t due)
{
	if (yields < due)
		fail_msg("%u polls found nothing, and the CPU was offered %u times", due * IDLE_POLLS, yields);
	yields = 0;
}

/* One completion; counted is how often the CPU should be offered until it comes. */
static void turn_await(struct rig *rig, uint32_t *due)
{
	double until = rig_now() + RIG_WAIT_S;
	uint32_t fruitless = 0;
	struct ibv_wc wc;

	while (ibv_poll_cq(rig->near.receive_cq, 1, &wc) == 0) {
		if (++fruitless % IDLE_POLLS == 0)
			RIG_CHECK(rig_now() < until);
	}
	RIG_CHECK(wc.status == IBV_WC_SUCCESS);
	*due += fruitless / IDLE_POLLS;
}

static uint32_t exchange(struct rig *rig, bool is_first)
{
	struct rig_request request;
	uint32_t due = 0;

	rig_request(rig, &request, IBV_WR_SEND, 8);
	for (int i = 0; i < SEND_TURNS; i++) {
		if (is_first)
			RIG_CHECK(rig_run(rig, &request).status == IBV_WC_SUCCESS);
		turn_await(rig, &due);
		if (!is_first)
			RIG_CHECK(rig_run(rig, &request).status == IBV_WC_SUCCESS);
	}
	return due;
}

static void pair_open(struct rig *rig, int fd)
{
	struct rig_address address;

	rig->fd = fd;
	rig_end_open(&rig->near, &(struct rig_options){.type = IBV_QPT_RC});
	address = rig_end_address(&rig->near);
	RIG_CHECK(write(fd, &address, sizeof(address)) == sizeof(address));
	RIG_CHECK(read(fd, &rig->far, sizeof(rig->far)) == sizeof(rig->far));
	rig_end_connect(&rig->near, rig->far.qpn);
	for (uint64_t i = 0; i < SEND_TURNS; i++)
		RIG_CHECK(rig_end_post_receive(&rig->near, i, RIG_BUFFER / 2, 8, 0) == 0);
	RIG_CHECK(write(fd, "", 1) == 1 && read(fd, &address, 1) == 1);
}

/*
 * Two processes that poll share a CPU: who finds nothing lets the other have it, and does not wait out its time slice.
 * How long an exchange takes then is up to whoever else is on that CPU, so what is counted is how often it is offered.
 */
TEST(pollers_share_cpu)
{
	cpu_set_t before, one;
	struct rig rig = {0};
	int pair[2], status;
	uint32_t due;
	pid_t child;

	assert_int_equal(sched_getaffinity(0, sizeof(before), &before), 0);
	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		pair_open(&rig, pair[1]);
		exchange(&rig, false);
		rig_end_close(&rig.near);
		_exit(0);
	}
	pair_open(&rig, pair[0]);
	yields = 0;
	due = exchange(&rig, true);
	yields_check(due);
	for (uint32_t i = 0; i < SEND_TURNS * IDLE_POLLS; i++)
		assert_true(rig_is_empty(rig.near.receive_cq));
	yields_check(SEND_TURNS - 1);
	rig_end_close(&rig.near);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	close(pair[0]);
	close(pair[1]);
	sched_setaffinity(0, sizeof(before), &before);
}

TEST_MAIN(rig_directory_make, rig_directory_remove)
