// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Does a process answer others while it waits for an answer itself? Otherwise two processes that ask each other at the
 * same time would both wait until the limit.
 */
#include "host/layout.h"
#include "host/notice.h"
#include "host/wire.h"
#include "soft_rig.h"
#include "soft_wire.h"

#include <pthread.h>

#define LIMIT_S	       60 /* of a process: several times what it may wait */
#define ASKED_AGAIN_MS 20
#define ASKED_S	       0.2 /* many times as long as the service thread is away from what waits */

/* --- who is asked whether another is stopped --- */

/* The service thread asks the holder of a lock whether it lives: the connection on which it waits for the answer. */
static int question_await(int listener, int connection, uint32_t queue)
{
	const struct notice blocked = {.kind = NOTICE_BLOCKED, .number = queue};
	struct pollfd asked = {.fd = listener, .events = POLLIN};

	/* As a process that is seen to run it is not asked. */
	for (int i = 0; i < LIMIT_S * 50; i++) {
		RIG_CHECK(send(connection, &blocked, sizeof(blocked), 0) == sizeof(blocked));
		if (poll(&asked, 1, 20) == 1)
			return accept(listener, NULL, NULL);
	}
	return -1;
}

static bool question_is_open(int fd)
{
	struct pollfd end = {.fd = fd};

	return poll(&end, 1, 0) == 0;
}

/* While it waits for an answer its own process answers that it lives, and its other threads are not kept waiting. */
static bool asker_lives(struct rig_end *end, int listener, int connection, uint8_t *control)
{
	struct rq_row *queue = control_rq(control, end->qp->qp_num);
	struct wire_reply reply = {
		.magic = WIRE_MAGIC, .version = LAYOUT_VERSION, .slot = LIAR_SLOT, .instance = DEAD_INSTANCE};
	struct ibv_cq *cq;
	int question, own;
	bool lives;

	queue->lock = DEAD_INSTANCE;
	question = question_await(listener, connection, control_qp(control, end->qp->qp_num)->receive_queue);
	RIG_CHECK(question >= 0);
	own = own_ask(QPN_SLOT(end->qp->qp_num), NO_SLOT, WIRE_ALIVE);
	RIG_CHECK(recv(own, &(struct wire_reply){0}, sizeof(reply), 0) == sizeof(reply));
	cq = ibv_create_cq(end->context, 1, NULL, NULL, 0);
	lives = question_is_open(question);
	RIG_CHECK(cq && ibv_destroy_cq(cq) == 0);
	(void)!send(question, &reply, sizeof(reply), MSG_NOSIGNAL);
	queue->lock = 0;
	close(own);
	close(question);
	return lives;
}

static void asker_run(void)
{
	int listener = slot_bind(), connection;
	bool lives = false;
	struct rig_end end;
	uint8_t *control;

	alarm(LIMIT_S);
	rig_end_open(&end, &(struct rig_options){.type = IBV_QPT_RC});
	control = own_control(QPN_SLOT(end.qp->qp_num), LIAR_SLOT, &connection);
	for (int i = 0; i < 5 && !lives; i++) /* the question is open for half a second: too short for a busy host */
		lives = asker_lives(&end, listener, connection, control);
	RIG_CHECK(lives);
	close(connection);
	munmap(control, LAYOUT_SIZE);
	rig_end_close(&end);
	exit(0);
}

TEST(asker_is_alive)
{
	pid_t child = child_start();
	int status;

	if (child == 0)
		asker_run();
	assert_int_equal(waitpid(child, &status, 0), child);
	slots_remove();
	assert_int_equal(status, 0);
}

/*
 * A thread that posts to a queue of its own process holds the lock for as long as it takes. Whoever asks meanwhile must
 * not have it freed as a dead process's is, which never connected either.
 */
static void own_lock_run(void)
{
	struct wire_reply reply = {0};
	struct rig_end end;
	struct rq_row *queue;
	uint8_t *control;
	int connection;

	alarm(LIMIT_S);
	(void)slot_bind(); /* of the one who asks; it stays for slots_remove() */
	rig_end_open(&end, &(struct rig_options){.type = IBV_QPT_RC});
	control = own_control(QPN_SLOT(end.qp->qp_num), LIAR_SLOT, &connection);
	queue = control_rq(control, end.qp->qp_num);
	for (int i = 0; i < 10; i++) {
		const struct notice blocked = {.kind = NOTICE_BLOCKED,
					       .number = control_qp(control, end.qp->qp_num)->receive_queue};
		int own = own_ask(QPN_SLOT(end.qp->qp_num), NO_SLOT, WIRE_ALIVE);

		RIG_CHECK(recv(own, &reply, sizeof(reply), 0) == sizeof(reply) && reply.instance);
		close(own);
		RIG_CHECK(i == 0 || queue->lock == reply.instance);
		queue->lock = reply.instance;
		RIG_CHECK(send(connection, &blocked, sizeof(blocked), 0) == sizeof(blocked));
	}
	queue->lock = 0;
	close(connection);
	munmap(control, LAYOUT_SIZE);
	rig_end_close(&end);
	exit(0);
}

TEST(own_lock_is_kept)
{
	pid_t child = child_start();
	int status;

	if (child == 0)
		own_lock_run();
	assert_int_equal(waitpid(child, &status, 0), child);
	slots_remove();
	assert_int_equal(status, 0);
}

/* --- who asks another that asks it at the same time --- */

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

static void receive_post(struct asking *asking)
{
	RIG_CHECK(rig_end_post_receive(asking->end, 1, 0, 8, 0) == 0);
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
	static const uint32_t kinds[] = {WIRE_ALIVE, WIRE_CONNECT, WIRE_CHANNEL, WIRE_REGION};
	const double until = rig_now() + ASKED_S;
	bool is_open = true;

	for (size_t i = 0; is_open && (i < 4 || rig_now() < until); i++) {
		struct wire_reply reply;
		int own = own_ask(slot, NO_SLOT, kinds[i % 4]);

		RIG_CHECK(recv(own, &reply, sizeof(reply), 0) == sizeof(reply));
		is_open = question_is_open(question);
		close(own);
		poll(NULL, 0, i < 4 ? 0 : ASKED_AGAIN_MS);
	}
	return is_open;
}

enum asker {
	ASKER_SERVICE,	  /* the service thread itself asks */
	ASKER_CONNECTING, /* another thread, and the service thread comes upon what it holds meanwhile: to connect, ...
			   */
	ASKER_RESUMING,	  /* ... the queue pair, ... */
	ASKER_FLUSHING,	  /* ... its receive queue */
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

/* The liar holds the receive queue of a queue pair that it has broken. */
static int flushing_start(struct asking *asking, int listener, uint8_t *control, int connection)
{
	const uint32_t qpn = asking->end->qp->qp_num;
	const struct notice broken = {.kind = NOTICE_QP_ERROR, .number = qpn, .event = NOTICE_SILENT};
	int question;

	control_rq(control, qpn)->lock = DEAD_INSTANCE;
	control_qp(control, qpn)->gate = GATE(ACCEPTS_NOBODY, 0, IBV_QPS_ERR);
	asking_start(asking, receive_post);
	question = accept(listener, NULL, NULL);
	RIG_CHECK(send(connection, &broken, sizeof(broken), 0) == sizeof(broken));
	return question;
}

/* Returns whether it answered while it asked. */
static bool asker_answers(enum asker asker, int listener)
{
	struct rig_options options = {.type = IBV_QPT_UD};
	struct ibv_ah_attr attr = {.port_num = 1, .is_global = 1};
	struct rig_end ends[2];
	struct asking askings[2];
	int question = -1, connection;
	uint8_t *control;
	bool answers;
	uint32_t slot;

	for (int i = 0; i < 2; i++) {
		rig_end_open(&ends[i], &options);
		rig_end_connect(&ends[i], 0);
		askings[i] = (struct asking){.end = &ends[i], .ah = ibv_create_ah(ends[i].pd, &attr)};
		RIG_CHECK(askings[i].ah);
	}
	slot = QPN_SLOT(ends[0].qp->qp_num);
	control = own_control(slot, LIAR_SLOT, &connection);
	if (asker == ASKER_SERVICE)
		question = connecting_start(&askings[0], NULL, listener);
	else if (asker == ASKER_CONNECTING)
		question = connecting_start(&askings[0], &askings[1], listener);
	else if (asker == ASKER_RESUMING)
		question = resuming_start(&askings[1], listener);
	else
		question = flushing_start(&askings[1], listener, control, connection);
	RIG_CHECK(question >= 0);
	answers = answers_meanwhile(slot, question);
	close(listener); /* whoever asks now is refused, and so are they that wait */
	close(question);
	if (askings[1].post)
		pthread_join(askings[1].thread, NULL);
	close(connection);
	for (int i = 0; i < 2; i++) {
		RIG_CHECK(ibv_destroy_ah(askings[i].ah) == 0);
		rig_end_close(&ends[i]);
	}
	munmap(control, LAYOUT_SIZE);
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
