// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Does a thread that sleeps on the software device wake once, and for what it requested? Can threads share the device?
 */
#include "soft_rig.h"

#include <fcntl.h>
#include <pthread.h>

#define RC	   .type = IBV_QPT_RC
#define ROUNDS	   3000
#define PER_THREAD 20000u
#define THREADS	   3

static bool has_event(struct ibv_comp_channel *channel)
{
	struct pollfd ready = {.fd = channel->fd, .events = POLLIN};

	return poll(&ready, 1, 0) == 1;
}

static void take_event(struct rig_end *end, struct ibv_cq *expected)
{
	struct pollfd ready = {.fd = end->channel->fd, .events = POLLIN};
	struct ibv_cq *cq;
	void *context;

	assert_int_equal(poll(&ready, 1, RIG_WAIT_S * 1000), 1);
	assert_int_equal(ibv_get_cq_event(end->channel, &cq, &context), 0);
	assert_ptr_equal(cq, expected);
	ibv_ack_cq_events(cq, 1);
}

TEST(events_come_once_per_arming)
{
	struct rig rig;
	struct rig_request request;

	rig_start(&rig, (struct rig_options){RC, .has_channel = true}, (struct rig_options){RC});
	rig_request(&rig, &request, IBV_WR_RDMA_WRITE, 8);
	assert_int_equal(rig_run(&rig, &request).status, IBV_WC_SUCCESS);
	assert_false(has_event(rig.near.channel)); /* not armed */
	assert_int_equal(ibv_req_notify_cq(rig.near.send_cq, 0), 0);
	assert_false(has_event(rig.near.channel));
	assert_int_equal(rig_post(&rig, &request), 0);
	assert_int_equal(rig_post(&rig, &request), 0);
	take_event(&rig.near, rig.near.send_cq);
	assert_false(has_event(rig.near.channel)); /* disarmed by the first */
	assert_int_equal(fcntl(rig.near.channel->fd, F_SETFL, O_NONBLOCK), 0);
	{
		struct ibv_cq *cq;
		void *context;

		assert_int_equal(ibv_get_cq_event(rig.near.channel, &cq, &context), -1);
		assert_int_equal(errno, EAGAIN);
	}
	rig_end(&rig);
}

/* The far end sleeps; what wakes it comes from here. */
TEST(solicited_only_is_honoured)
{
	struct rig_end near, far;
	struct rig_request request;
	struct rig rig;

	/* Both ends in one process: its own peer. */
	rig_end_open(&near, &(struct rig_options){RC});
	rig_end_open(&far, &(struct rig_options){RC, .has_channel = true});
	rig_end_connect(&far, near.qp->qp_num);
	rig_end_connect(&near, far.qp->qp_num);
	rig = (struct rig){.near = near, .far = rig_end_address(&far)};
	for (int i = 0; i < 4; i++)
		assert_int_equal(rig_end_post_receive(&far, (uint64_t)i, 0, 8, 0), 0);
	assert_int_equal(ibv_req_notify_cq(far.receive_cq, 1), 0);
	rig_request(&rig, &request, IBV_WR_SEND, 8);
	assert_int_equal(rig_run(&rig, &request).status, IBV_WC_SUCCESS);
	assert_false(has_event(far.channel));
	request.wr.send_flags |= IBV_SEND_SOLICITED;
	assert_int_equal(rig_run(&rig, &request).status, IBV_WC_SUCCESS);
	take_event(&far, far.receive_cq);
	/* An error counts as solicited. */
	assert_int_equal(ibv_req_notify_cq(far.receive_cq, 1), 0);
	request.sge.length = 9;
	assert_int_equal(rig_run(&rig, &request).status, IBV_WC_REM_INV_REQ_ERR);
	take_event(&far, far.receive_cq);
	rig_end_close(&near);
	rig_end_close(&far);
}

/* Waits asleep for one receive completion, arming before it looks, as every program has to. */
static void sleep_for_receive(struct rig_end *end)
{
	struct pollfd ready = {.fd = end->channel->fd, .events = POLLIN};
	struct ibv_wc wc;
	struct ibv_cq *cq;
	void *context;

	for (;;) {
		int count = ibv_poll_cq(end->receive_cq, 1, &wc);

		RIG_CHECK(count >= 0);
		if (count) {
			RIG_CHECK(wc.status == IBV_WC_SUCCESS);
			return;
		}
		RIG_CHECK(ibv_req_notify_cq(end->receive_cq, 0) == 0);
		count = ibv_poll_cq(end->receive_cq, 1, &wc);
		if (count) {
			RIG_CHECK(wc.status == IBV_WC_SUCCESS);
			return;
		}
		/* A lost wake-up ends here, by its time limit. */
		RIG_CHECK(poll(&ready, 1, RIG_WAIT_S * 1000) == 1);
		RIG_CHECK(ibv_get_cq_event(end->channel, &cq, &context) == 0);
		ibv_ack_cq_events(cq, 1);
	}
}

static void ping_pong(struct rig *rig, bool begins)
{
	struct rig_request request;

	rig_request(rig, &request, IBV_WR_SEND, 8)->wr.send_flags = 0;
	for (int i = 0; i < ROUNDS; i++) {
		if (!begins)
			sleep_for_receive(&rig->near);
		RIG_CHECK(rig_end_post_receive(&rig->near, 0, 0, 8, 0) == 0);
		request.wr.send_flags = i % 16 == 15 ? IBV_SEND_SIGNALED : 0;
		RIG_CHECK(rig_post(rig, &request) == 0);
		if (i % 16 == 15)
			RIG_CHECK(rig_poll(rig->near.send_cq).status == IBV_WC_SUCCESS);
		if (begins)
			sleep_for_receive(&rig->near);
	}
}

TEST(no_wake_up_is_lost)
{
	const struct rig_options options = {RC, .has_channel = true};
	struct rig rig = {0};
	struct rig_address ours;
	int pair[2], status;
	pid_t child;
	int fd;

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	child = fork();
	fd = pair[child ? 0 : 1];
	close(pair[child ? 1 : 0]);
	rig_end_open(&rig.near, &options);
	ours = rig_end_address(&rig.near);
	RIG_CHECK(write(fd, &ours, sizeof(ours)) == sizeof(ours));
	RIG_CHECK(read(fd, &rig.far, sizeof(rig.far)) == sizeof(rig.far));
	RIG_CHECK(rig_end_post_receive(&rig.near, 0, 0, 8, 0) == 0);
	rig_end_connect(&rig.near, rig.far.qpn);
	RIG_CHECK(write(fd, "x", 1) == 1 && read(fd, &ours, 1) == 1);
	ping_pong(&rig, child != 0);
	RIG_CHECK(write(fd, "x", 1) == 1 && read(fd, &ours, 1) == 1);
	close(fd);
	rig_end_close(&rig.near);
	if (child == 0)
		_exit(0);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

static unsigned int descriptors(void)
{
	DIR *folder = opendir("/proc/self/fd");
	unsigned int count = 0;

	RIG_CHECK(folder);
	while (readdir(folder))
		count++;
	closedir(folder);
	return count;
}

/* Sends a datagram to each queue pair that it reads the number of, and writes how many descriptors it has then. */
static void send_and_count(int fd)
{
	struct ibv_ah_attr attr = {.port_num = 1, .is_global = 1};
	struct rig_request request;
	struct rig rig = {0};
	unsigned int count;

	rig_end_open(&rig.near, &(struct rig_options){.type = IBV_QPT_UD});
	rig_end_connect(&rig.near, 0);
	rig_request(&rig, &request, IBV_WR_SEND, 8);
	RIG_CHECK((request.wr.wr.ud.ah = ibv_create_ah(rig.near.pd, &attr)) != NULL);
	request.wr.wr.ud.remote_qkey = RIG_QKEY;
	while (read(fd, &request.wr.wr.ud.remote_qpn, sizeof(uint32_t)) == sizeof(uint32_t)) {
		RIG_CHECK(rig_run(&rig, &request).status == IBV_WC_SUCCESS);
		count = descriptors();
		RIG_CHECK(write(fd, &count, sizeof(count)) == sizeof(count));
	}
	RIG_CHECK(ibv_destroy_ah(request.wr.wr.ud.ah) == 0);
	rig_end_close(&rig.near);
	_exit(0);
}

/* A sender has the descriptor of each channel that it wakes: those of channels that are gone must not add up. */
TEST(channels_that_are_gone_cost_peers_nothing)
{
	unsigned int count, before = 0;
	struct ibv_context *held;
	struct rig_end end;
	int pair[2], status;
	pid_t child;

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	child = fork();
	close(pair[child ? 1 : 0]);
	if (child == 0)
		send_and_count(pair[1]);
	held = rig_open_device(); /* so that the sender's peer stays the same */
	for (int i = 0; i < 8; i++) {
		rig_end_open(&end, &(struct rig_options){.type = IBV_QPT_UD, .has_channel = true});
		rig_end_connect(&end, 0);
		assert_int_equal(rig_end_post_receive(&end, 0, 0, 48, 0), 0);
		assert_int_equal(ibv_req_notify_cq(end.receive_cq, 0), 0);
		assert_int_equal(write(pair[0], &end.qp->qp_num, sizeof(uint32_t)), sizeof(uint32_t));
		take_event(&end, end.receive_cq);
		assert_int_equal(read(pair[0], &count, sizeof(count)), sizeof(count));
		if (i)
			assert_int_equal(count, before);
		before = count;
		rig_end_close(&end);
	}
	close(pair[0]);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_int_equal(ibv_close_device(held), 0);
}

struct worker {
	struct rig_end *end;
	struct rig_address far;
	uint64_t *polled; /* of all workers */
};

/* Each posts and polls on the one queue pair; who polls a completion frees a place for any of them. */
static void *add_ones(void *argument)
{
	struct worker *worker = argument;
	struct ibv_sge sge = {(uint64_t)(uintptr_t)worker->end->buffer, 8, worker->end->mr->lkey};
	struct ibv_send_wr wr = {
		.sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_ATOMIC_FETCH_AND_ADD, .send_flags = IBV_SEND_SIGNALED};
	struct ibv_send_wr *bad;
	struct ibv_wc wc;

	wr.wr.atomic.remote_addr = worker->far.addr;
	wr.wr.atomic.rkey = worker->far.rkey;
	wr.wr.atomic.compare_add = 1;
	for (uint32_t posted = 0; posted < PER_THREAD;) {
		if (ibv_post_send(worker->end->qp, &wr, &bad) == 0)
			posted++;
		if (ibv_poll_cq(worker->end->send_cq, 1, &wc) == 1) {
			RIG_CHECK(wc.status == IBV_WC_SUCCESS);
			__atomic_add_fetch(worker->polled, 1, __ATOMIC_RELAXED);
		}
	}
	return NULL;
}

TEST(threads_share_a_queue_pair)
{
	struct rig rig;
	pthread_t threads[THREADS];
	uint64_t polled = 0, sum;

	rig_start(&rig, (struct rig_options){RC}, (struct rig_options){RC});
	struct worker worker = {&rig.near, rig.far, &polled};
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, add_ones, &worker), 0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	while (polled < THREADS * PER_THREAD) {
		assert_int_equal(rig_poll(rig.near.send_cq).status, IBV_WC_SUCCESS);
		polled++;
	}
	assert_true(rig_is_empty(rig.near.send_cq));
	rig_far_peek(&rig, 0, &sum, sizeof(sum));
	assert_int_equal(sum, THREADS * PER_THREAD);
	rig_end(&rig);
}

/* Sends datagrams with its number in them to that queue pair until it is killed. */
static void send_for_ever(uint32_t qpn, uint8_t number)
{
	struct ibv_ah_attr attr = {.port_num = 1, .is_global = 1};
	struct rig_request request;
	struct rig rig = {.far = {.qpn = qpn}};

	rig_end_open(&rig.near, &(struct rig_options){.type = IBV_QPT_UD});
	rig_end_connect(&rig.near, 0);
	rig_request(&rig, &request, IBV_WR_SEND, 8);
	RIG_CHECK((request.wr.wr.ud.ah = ibv_create_ah(rig.near.pd, &attr)) != NULL);
	request.wr.wr.ud.remote_qpn = qpn;
	request.wr.wr.ud.remote_qkey = RIG_QKEY;
	memset(rig.near.buffer, number, 8);
	for (;;)
		RIG_CHECK(rig_run(&rig, &request).status == IBV_WC_SUCCESS);
}

/* Receives until so many messages of that sender have arrived. */
static void receive(struct rig_end *end, uint8_t number, unsigned int times)
{
	unsigned int received = 0;

	while (received < times) {
		struct ibv_wc wc = rig_poll(end->receive_cq);
		const uint8_t *message = end->buffer + wc.wr_id * 64 + 40;

		assert_int_equal(wc.status, IBV_WC_SUCCESS);
		assert_int_equal(wc.byte_len, 48);
		for (int i = 1; i < 8; i++)
			assert_int_equal(message[i], message[0]);
		received += message[0] == number;
		assert_int_equal(rig_end_post_receive(end, wc.wr_id, (uint32_t)wc.wr_id * 64, 48, 0), 0);
	}
}

/* However a sender dies, perhaps with a lock of the receiver's in its hand, messages of the others still arrive. */
TEST(senders_die_and_the_rest_is_received)
{
	struct rig_end end;
	pid_t senders[3];

	for (int round = 0; round < 5; round++) {
		rig_end_open(&end, &(struct rig_options){.type = IBV_QPT_UD});
		rig_end_connect(&end, 0);
		for (uint64_t i = 0; i < RIG_DEPTH; i++)
			assert_int_equal(rig_end_post_receive(&end, i, (uint32_t)i * 64, 48, 0), 0);
		for (uint8_t i = 0; i < 3; i++) {
			senders[i] = fork();
			if (senders[i] == 0)
				send_for_ever(end.qp->qp_num, i);
		}
		for (uint8_t i = 0; i < 3; i++)
			receive(&end, i, 1000);
		for (uint8_t i = 0; i < 2; i++) {
			kill(senders[i], SIGKILL);
			waitpid(senders[i], NULL, 0);
			receive(&end, 2, 1000);
		}
		kill(senders[2], SIGKILL);
		waitpid(senders[2], NULL, 0);
		rig_end_close(&end);
	}
}

TEST(completion_queues_are_resized_with_their_content)
{
	struct rig rig;
	struct rig_request request;

	rig_start(&rig, (struct rig_options){RC, .cqe = 8}, (struct rig_options){RC});
	for (uint64_t i = 0; i < 6; i++) {
		rig_request(&rig, &request, IBV_WR_RDMA_WRITE, 8)->wr.wr_id = i;
		assert_int_equal(rig_post(&rig, &request), 0);
	}
	assert_int_equal(ibv_resize_cq(rig.near.send_cq, 5), EINVAL);
	assert_int_equal(ibv_resize_cq(rig.near.send_cq, 100), 0);
	assert_int_equal(rig.near.send_cq->cqe, 100);
	for (uint64_t i = 0; i < 6; i++)
		assert_int_equal(rig_poll(rig.near.send_cq).wr_id, i);
	rig_end(&rig);
}

TEST(completions_of_a_destroyed_queue_pair_are_gone)
{
	struct rig_end near, far;
	struct rig_request request;
	struct rig rig;

	rig_end_open(&near, &(struct rig_options){RC});
	rig_end_open(&far, &(struct rig_options){RC});
	rig_end_connect(&far, near.qp->qp_num);
	rig_end_connect(&near, far.qp->qp_num);
	rig = (struct rig){.near = near, .far = rig_end_address(&far)};
	assert_int_equal(rig_end_post_receive(&far, 1, 0, 8, 0), 0);
	assert_int_equal(rig_post(&rig, rig_request(&rig, &request, IBV_WR_SEND, 8)), 0);
	assert_int_equal(ibv_destroy_cq(near.send_cq), EBUSY);
	assert_int_equal(ibv_destroy_qp(near.qp), 0);
	assert_int_equal(ibv_destroy_qp(far.qp), 0);
	assert_true(rig_is_empty(near.send_cq));
	assert_true(rig_is_empty(far.receive_cq));
	for (int i = 0; i < 2; i++) {
		struct rig_end *end = i ? &near : &far;

		assert_int_equal(ibv_destroy_cq(end->send_cq), 0);
		assert_int_equal(ibv_destroy_cq(end->receive_cq), 0);
		assert_int_equal(ibv_dereg_mr(end->mr), 0);
		assert_int_equal(ibv_dealloc_pd(end->pd), 0);
		assert_int_equal(ibv_close_device(end->context), 0);
		munmap(end->buffer, RIG_BUFFER);
	}
}

TEST_MAIN(rig_directory_make, rig_directory_remove)
