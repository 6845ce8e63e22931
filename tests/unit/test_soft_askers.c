// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Does a process answer others while it waits for an answer itself? Otherwise two processes that ask each other at the
 * same time would both wait until the limit.
 */
#include "host/layout.h"
#include "host/wire.h"
#include "soft_rig.h"
#include "soft_wire.h"

#include <pthread.h>

#define LIMIT_S	       60 /* of a process: several times what it may wait */
#define ASKED_AGAIN_MS 20
#define NUM_KINDS      3
#define ASKED_S	       0.2 /* many times as long as the service thread is away from what waits */

static bool question_is_open(int fd)
{
	struct pollfd end = {.fd = fd};

	return poll(&end, 1, 0) == 0;
}

/* In a thread of its own: asks the liar, which does not answer, and waits. */
struct asking {
	struct rig_end *end;
	struct ibv_ah *ah;
	void (*post)(struct asking *asking);
	pthread_t thread;
};

static void datagram_post(struct asking *asking)
{
	struct ibv_send_wr wr = {.opcode = IBV_WR_SEND,
				 .wr.ud = {.ah = asking->ah, .remote_qpn = LIAR_QPN, .remote_qkey = RIG_QKEY}};
	struct ibv_send_wr *bad;

	RIG_CHECK(ibv_post_send(asking->end->qp, &wr, &bad) == 0);
}

static void queue_resume(struct asking *asking)
{
	struct ibv_qp_attr attr = {.qp_state = IBV_QPS_RTS};

	RIG_CHECK(ibv_modify_qp(asking->end->qp, &attr, IBV_QP_STATE) == 0);
}

static void *asking_run(void *argument)
{
	struct asking *asking = argument;

	asking->post(asking);
	return NULL;
}

/* Whoever asks this process what others ask of each other is answered before it has its own answer. */
static bool answers_meanwhile(uint32_t slot, int question)
{
	static const uint32_t kinds[NUM_KINDS] = {WIRE_CONNECT, WIRE_CHANNEL, WIRE_REGION};
	const double until = rig_now() + ASKED_S;
	bool is_open = true;

	for (size_t i = 0; is_open && (i < NUM_KINDS || rig_now() < until); i++) {
		struct wire_reply reply;
		int own = own_ask(slot, NO_SLOT, kinds[i % NUM_KINDS]);

		RIG_CHECK(recv(own, &reply, sizeof(reply), 0) == sizeof(reply));
		is_open = question_is_open(question);
		close(own);
		poll(NULL, 0, i < NUM_KINDS ? 0 : ASKED_AGAIN_MS);
	}
	return is_open;
}

enum asker {
	ASKER_SERVICE,	  /* the service thread itself asks */
	ASKER_CONNECTING, /* another thread, and the service thread comes upon what it holds meanwhile: to connect, ...
			   */
	ASKER_RESUMING,	  /* ... the queue pair */
	ASKERS
};

static void asking_start(struct asking *asking, void (*post)(struct asking *asking))
{
	asking->post = post;
	RIG_CHECK(pthread_create(&asking->thread, NULL, asking_run, asking) == 0);
}

/* The first datagram is held back for a while, which is a request that the service thread carries out. */
static int connecting_start(struct asking *held, struct asking *asking, int listener)
{
	datagram_post(held);
	if (asking)
		asking_start(asking, datagram_post);
	return accept(listener, NULL, NULL);
}

static int resuming_start(struct asking *asking, int listener)
{
	struct ibv_qp_attr attr = {.qp_state = IBV_QPS_SQD};

	RIG_CHECK(ibv_modify_qp(asking->end->qp, &attr, IBV_QP_STATE) == 0);
	datagram_post(asking);
	asking_start(asking, queue_resume);
	return accept(listener, NULL, NULL);
}

/* Returns whether it answered while it asked. */
static bool asker_answers(enum asker asker, int listener)
{
	struct rig_options options = {.type = IBV_QPT_UD};
	struct ibv_ah_attr attr = {.port_num = 1, .is_global = 1};
	struct rig_end ends[2];
	struct asking askings[2];
	int question;
	bool answers;
	uint32_t slot;

	for (int i = 0; i < 2; i++) {
		rig_end_open(&ends[i], &options);
		rig_end_connect(&ends[i], 0);
		askings[i] = (struct asking){.end = &ends[i], .ah = ibv_create_ah(ends[i].pd, &attr)};
		RIG_CHECK(askings[i].ah);
	}
	slot = QPN_SLOT(ends[0].qp->qp_num);
	if (asker == ASKER_SERVICE)
		question = connecting_start(&askings[0], NULL, listener);
	else if (asker == ASKER_CONNECTING)
		question = connecting_start(&askings[0], &askings[1], listener);
	else
		question = resuming_start(&askings[1], listener);
	RIG_CHECK(question >= 0);
	answers = answers_meanwhile(slot, question);
	close(listener); /* whoever asks now is refused, and so are they that wait */
	close(question);
	if (askings[1].post)
		pthread_join(askings[1].thread, NULL);
	for (int i = 0; i < 2; i++) {
		RIG_CHECK(ibv_destroy_ah(askings[i].ah) == 0);
		rig_end_close(&ends[i]);
	}
	return answers;
}

TEST(askers_answer)
{
	for (enum asker asker = 0; asker < ASKERS; asker++) {
		bool answers = false;

		/* The shortest question is open for half a second: too short for a busy host. */
		for (int i = 0; i < 5 && !answers; i++) {
			int listener = slot_bind(), status;
			pid_t child = child_start();

			if (child == 0) {
				alarm(LIMIT_S);
				setenv("PERFTEST_SOFT_FAULT", asker <= ASKER_CONNECTING ? "delay:1+100000" : "", 1);
				exit(!asker_answers(asker, listener));
			}
			close(listener);
			assert_int_equal(waitpid(child, &status, 0), child);
			if (!WIFEXITED(status))
				slots_remove(); /* the process removes its own */
			assert_true(WIFEXITED(status));
			answers = status == 0;
		}
		if (!answers)
			fail_msg("asker %d does not answer", (int)asker);
	}
}

TEST_MAIN(rig_directory_make, rig_directory_remove)
