// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Does each get its turn: receives beside sends in one completion queue, two pollers on one CPU? */
#include "config.h"

#include <sched.h>
#include <sys/prctl.h>

#include "soft_rig.h"

#define POSTS	   24 /* by two, so that completions come faster than they are polled */
#define SPIN_TURNS 10
#define SEND_TURNS 40
#define SPIN_RATIO 4

/* A program that keeps its send queue full and polls for one at a time sees its receives, too. */
static void receives_beside_sends(void **state)
{
	struct rig rig = {0};
	struct rig_request request;
	struct rig_end *near = &rig.near;
	struct rig_options options = {.type = IBV_QPT_RC};
	int received = 0, sent = 0;
	struct ibv_wc wc;

	(void)state;
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

/* Turns of a byte in shared memory, without any system call: what a time slice costs here. */
static void spin(volatile uint32_t *turn, uint32_t mine)
{
	for (uint32_t i = 0; i < SPIN_TURNS; i++) {
		while (*turn % 2 != mine)
			;
		++*turn;
	}
}

/* CPU time, because other processes of the machine have a share of the CPU, too. */
static double cpu_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void exchange(struct rig *rig, bool is_first)
{
	struct rig_request request;

	rig_request(rig, &request, IBV_WR_SEND, 8);
	for (int i = 0; i < SEND_TURNS; i++) {
		if (is_first)
			RIG_CHECK(rig_run(rig, &request).status == IBV_WC_SUCCESS);
		RIG_CHECK(rig_poll(rig->near.receive_cq).status == IBV_WC_SUCCESS);
		if (!is_first)
			RIG_CHECK(rig_run(rig, &request).status == IBV_WC_SUCCESS);
	}
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

/* Two processes that poll share a CPU: an exchange takes a fraction of the time slice that waiting for its end takes.
 */
static void pollers_share_cpu(void **state)
{
	volatile uint32_t *turn = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	double start, spinning, sending;
	cpu_set_t before, one;
	struct rig rig = {0};
	int pair[2], status;
	pid_t child;

	(void)state;
	assert_true(turn != MAP_FAILED);
	assert_int_equal(sched_getaffinity(0, sizeof(before), &before), 0);
	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		spin(turn, 1);
		pair_open(&rig, pair[1]);
		exchange(&rig, false);
		rig_end_close(&rig.near);
		_exit(0);
	}
	start = cpu_now();
	spin(turn, 0);
	spinning = (cpu_now() - start) / SPIN_TURNS;
	pair_open(&rig, pair[0]);
	start = cpu_now();
	exchange(&rig, true);
	sending = (cpu_now() - start) / SEND_TURNS;
	rig_end_close(&rig.near);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	close(pair[0]);
	close(pair[1]);
	munmap((void *)turn, 4096);
	sched_setaffinity(0, sizeof(before), &before);
	if (sending * SPIN_RATIO > spinning)
		fail_msg("an exchange takes %.0f us, one that waits out time slices %.0f us", sending * 1e6,
			 spinning * 1e6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(receives_beside_sends),
		cmocka_unit_test(pollers_share_cpu),
	};

	return cmocka_run_group_tests(tests, rig_directory_make, rig_directory_remove);
}
