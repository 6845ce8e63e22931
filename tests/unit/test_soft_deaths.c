// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What a killed process leaves: its locks, half a message, and room for its completions. */
#include "config.h"

#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "soft_rig.h"

#define SLOW	   (RIG_WAIT_S * 3) /* seconds: whoever waits for a lock by then waits for ever */
#define ROUNDS	   5
#define RECEIVED   300
#define STOPS	   8
#define KILLS	   20
#define DATAGRAM   1024
#define SILENCE_MS 50

static bool raises; /* a signal comes before the next listen() */

/* In front of libc's: by then a process that opens its first device has given its socket a name. */
__attribute__((visibility("default"))) int listen(int fd, int backlog)
{
	if (raises) {
		raises = false;
		raise(SIGUSR1);
	}
	return (int)syscall(SYS_listen, fd, backlog);
}

static void leave(int number)
{
	exit(EXIT_SUCCESS); /* NOLINT(bugprone-signal-handler,cert-sig30-c): what programs do */
}

TEST(exit_in_a_handler_leaves_nothing)
{
	char runtime[] = "/tmp/test-soft-deaths-XXXXXX", folder[64];
	int status;
	pid_t child;

	assert_non_null(mkdtemp(runtime));
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		struct ibv_device **list;

		setenv("XDG_RUNTIME_DIR", runtime, 1);
		signal(SIGUSR1, leave);
		raises = true;
		list = ibv_get_device_list(NULL);
		if (list && list[0])
			ibv_open_device(list[0]);
		_exit(EXIT_FAILURE); /* the signal did not come */
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SUCCESS);
	snprintf(folder, sizeof(folder), "%s/perftest-soft", runtime);
	assert_int_equal(rmdir(folder), 0); /* its socket is gone */
	assert_int_equal(rmdir(runtime), 0);
}

/* A connected pair whose far end sends so many bytes again and again. */
static pid_t sender_start(struct rig_end *near, const struct rig_options *options, uint32_t length)
{
	struct rig_address far;
	int pair[2];
	pid_t child;

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	child = fork();
	assert_true(child >= 0);
	if (child == 0)
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (child == 0) {
		struct rig rig = {.fd = pair[1]};
		struct rig_request request;

		rig_end_open(&rig.near, options);
		far = rig_end_address(&rig.near);
		RIG_CHECK(write(rig.fd, &far, sizeof(far)) == sizeof(far));
		RIG_CHECK(read(rig.fd, &rig.far, sizeof(rig.far)) == sizeof(rig.far));
		rig_end_connect(&rig.near, rig.far.qpn);
		rig_request(&rig, &request, IBV_WR_SEND, length);
		for (;;)
			RIG_CHECK(rig_run(&rig, &request).status == IBV_WC_SUCCESS);
	}
	rig_end_open(near, options);
	RIG_CHECK(read(pair[0], &far, sizeof(far)) == sizeof(far));
	rig_end_connect(near, far.qpn);
	far = rig_end_address(near);
	RIG_CHECK(write(pair[0], &far, sizeof(far)) == sizeof(far));
	close(pair[0]);
	close(pair[1]);
	return child;
}

/* Nearly all of its time the sender copies, with the receive queue locked: there it dies. */
TEST(sender_killed_in_its_copy)
{
	struct rig_end near;

	for (int round = 0; round < ROUNDS; round++) {
		pid_t child;
		struct ibv_wc wc;

		alarm(SLOW);
		child = sender_start(&near, &(struct rig_options){.type = IBV_QPT_RC}, RIG_BUFFER);
		for (uint64_t i = 0; i < RIG_DEPTH; i++)
			assert_int_equal(rig_end_post_receive(&near, i, 0, RIG_BUFFER, 0), 0);
		for (int i = 0; i < RECEIVED; i++) {
			assert_int_equal(rig_poll(near.receive_cq).status, IBV_WC_SUCCESS);
			assert_int_equal(rig_end_post_receive(&near, 0, 0, RIG_BUFFER, 0), 0);
		}
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
		do {
			wc = rig_poll(near.receive_cq);
		} while (wc.status == IBV_WC_SUCCESS);
		assert_int_equal(wc.status, IBV_WC_WR_FLUSH_ERR);
		assert_int_equal(rig_async(&near), IBV_EVENT_QP_FATAL);
		assert_int_equal(rig_state(&near), IBV_QPS_ERR);
		rig_end_close(&near);
		alarm(0);
	}
}

static void receives_post(struct rig_end *near, uint64_t first, uint32_t length)
{
	for (uint64_t i = first; i < first + RIG_DEPTH; i++)
		assert_int_equal(rig_end_post_receive(near, i, 0, length, 0), 0);
}

/*
 * A sender that is stopped holds what it holds: its copy, and for a while the locks of our queues. Whatever ends a
 * queue pair goes on all the same. When the sender goes on, nothing of it reaches the queues that were made since.
 */
static void sender_stopped(uint32_t length, int rounds)
{
	for (int round = 0; round < rounds; round++) {
		struct rig_options options = {.type = IBV_QPT_RC};
		struct rig_end near, next;
		struct ibv_qp_attr attr = {.qp_state = round % 2 ? IBV_QPS_ERR : IBV_QPS_RESET};
		pid_t child;
		int status;

		alarm(SLOW);
		child = sender_start(&near, &options, length);
		receives_post(&near, 0, length);
		for (int i = 0; i < RECEIVED / 10 + round; i++) {
			assert_int_equal(rig_poll(near.receive_cq).status, IBV_WC_SUCCESS);
			assert_int_equal(rig_end_post_receive(&near, 0, 0, length, 0), 0);
		}
		if (length == RIG_BUFFER)
			usleep(50 * (unsigned int)round); /* stopped at another point each time */
		kill(child, SIGSTOP);
		assert_int_equal(waitpid(child, &status, WUNTRACED), child);
		assert_true(WIFSTOPPED(status));
		assert_int_equal(ibv_modify_qp(near.qp, &attr, IBV_QP_STATE), 0);
		if (attr.qp_state == IBV_QPS_ERR) { /* each request completes once, in order; later, if it has a lock */
			int completed = 0, flushed = 0;
			struct ibv_wc wc;

			while (completed < RIG_DEPTH && ibv_poll_cq(near.receive_cq, 1, &wc) == 1) {
				completed++;
				flushed += wc.status == IBV_WC_WR_FLUSH_ERR;
				assert_int_equal(wc.status, flushed ? IBV_WC_WR_FLUSH_ERR : IBV_WC_SUCCESS);
			}
			assert_true(completed == RIG_DEPTH || !flushed);
			assert_true(rig_is_empty(near.receive_cq));
		}
		assert_int_equal(ibv_destroy_qp(near.qp), 0);
		assert_int_equal(ibv_destroy_cq(near.send_cq), 0);
		assert_int_equal(ibv_destroy_cq(near.receive_cq), 0);
		rig_end_open(&next, &options);
		receives_post(&next, 0, 8);
		kill(child, SIGCONT);
		usleep(1000); /* of a message that must not come: more time finds more */
		assert_true(rig_is_empty(next.receive_cq));
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
		assert_true(rig_is_empty(next.receive_cq));
		rig_end_close(&next);
		assert_int_equal(ibv_dereg_mr(near.mr), 0);
		assert_int_equal(ibv_dealloc_pd(near.pd), 0);
		assert_int_equal(ibv_close_device(near.context), 0);
		munmap(near.buffer, RIG_BUFFER);
		alarm(0);
	}
}

TEST(sender_stopped_in_its_copy)
{
	sender_stopped(RIG_BUFFER, STOPS);
}

TEST(sender_stopped_between_short_messages)
{
	sender_stopped(8, 3 * STOPS);
}

/* A datagram to ourselves or to whomever; its completion is polled. */
static void datagram_send(struct rig *rig, uint32_t qpn, struct ibv_ah *ah)
{
	struct rig_request request;

	rig_request(rig, &request, IBV_WR_SEND, DATAGRAM);
	request.sge.addr += RIG_BUFFER / 2; /* one to ourselves must not lie where it goes to */
	request.wr.wr.ud.ah = ah;
	request.wr.wr.ud.remote_qpn = qpn;
	request.wr.wr.ud.remote_qkey = RIG_QKEY;
	RIG_CHECK(rig_run(rig, &request).status == IBV_WC_SUCCESS);
}

/* Sends datagrams without end; starts when a byte comes. */
static pid_t datagrams_start(uint32_t qpn, int *out)
{
	struct ibv_ah_attr attr = {.port_num = 1, .is_global = 1};
	int pair[2];
	char byte = 0;
	pid_t child;

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	child = fork();
	assert_true(child >= 0);
	if (child == 0)
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (child == 0) {
		struct rig rig = {0};
		struct ibv_ah *ah;

		close(pair[0]);
		rig_end_open(&rig.near, &(struct rig_options){.type = IBV_QPT_UD});
		rig_end_connect(&rig.near, 0);
		RIG_CHECK((ah = ibv_create_ah(rig.near.pd, &attr)) != NULL);
		RIG_CHECK(write(pair[1], &byte, 1) == 1 && read(pair[1], &byte, 1) == 1);
		for (;;)
			datagram_send(&rig, qpn, ah);
	}
	close(pair[1]);
	assert_int_equal(read(pair[0], &byte, 1), 1);
	*out = pair[0];
	return child;
}

/* The next completion is of the next request: none is lost, none comes twice. */
static void datagram_expect(struct rig_end *near, uint64_t *next)
{
	struct ibv_wc wc = rig_poll(near->receive_cq);

	assert_int_equal(wc.status, IBV_WC_SUCCESS);
	assert_int_equal(wc.wr_id, (*next)++);
}

/* Senders are killed at any point; each receive request stays good for one datagram, of whomever. */
TEST(datagram_senders_killed)
{
	struct ibv_ah_attr attr = {.port_num = 1, .is_global = 1};
	struct rig rig = {0};
	struct rig_end *near = &rig.near;
	uint64_t next = 0;
	struct ibv_ah *ah;

	alarm(SLOW);
	rig_end_open(near, &(struct rig_options){.type = IBV_QPT_UD});
	rig_end_connect(near, 0);
	ah = ibv_create_ah(near->pd, &attr);
	assert_non_null(ah);
	receives_post(near, 0, DATAGRAM + 40);
	for (int round = 0; round < KILLS; round++) {
		struct ibv_wc wc;
		int fd;
		pid_t child = datagrams_start(near->qp->qp_num, &fd);

		assert_int_equal(write(fd, "", 1), 1);
		for (int i = 0; i < RECEIVED + round; i++) {
			datagram_expect(near, &next);
			assert_int_equal(rig_end_post_receive(near, next + RIG_DEPTH - 1, 0, DATAGRAM + 40, 0), 0);
		}
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
		close(fd);
		/* What had come: then the rest, by our own hand. */
		while (ibv_poll_cq(near->receive_cq, 1, &wc) == 1) {
			assert_int_equal(wc.wr_id, next++);
			assert_int_equal(rig_end_post_receive(near, next + RIG_DEPTH - 1, 0, DATAGRAM + 40, 0), 0);
		}
		for (int i = 0; i < RIG_DEPTH; i++) {
			datagram_send(&rig, near->qp->qp_num, ah);
			datagram_expect(near, &next);
		}
		assert_true(rig_is_empty(near->receive_cq));
		receives_post(near, next, DATAGRAM + 40);
	}
	assert_int_equal(ibv_destroy_ah(ah), 0);
	rig_end_close(near);
	alarm(0);
}

/* A sleeper learns of what a sender that was killed has sent, though it did not come to waking him. */
TEST(datagram_sleeper_is_woken)
{
	struct pollfd ready = {.events = POLLIN};
	struct rig_end near;
	uint64_t next = 0;

	alarm(SLOW);
	rig_end_open(&near, &(struct rig_options){.type = IBV_QPT_UD, .has_channel = true});
	rig_end_connect(&near, 0);
	receives_post(&near, 0, DATAGRAM + 40);
	ready.fd = near.channel->fd;
	for (int round = 0; round < KILLS; round++) {
		int fd, events, killed = 0;
		pid_t child = datagrams_start(near.qp->qp_num, &fd);
		struct ibv_cq *cq;
		struct ibv_wc wc;
		void *context;

		assert_int_equal(write(fd, "", 1), 1);
		for (int i = 0;; i++) {
			bool is_left;

			assert_int_equal(ibv_req_notify_cq(near.receive_cq, 0), 0);
			while (ibv_poll_cq(near.receive_cq, 1, &wc) == 1) {
				assert_int_equal(wc.wr_id, next++);
				assert_int_equal(rig_end_post_receive(&near, next + RIG_DEPTH - 1, 0, DATAGRAM + 40, 0),
						 0);
			}
			if (i == 20 + round) {
				kill(child, SIGKILL);
				waitpid(child, NULL, 0);
				killed = 1;
			}
			events = poll(&ready, 1, killed ? SILENCE_MS : RIG_WAIT_S * 1000);
			if (events == 0 && killed) {
				is_left = ibv_poll_cq(near.receive_cq, 1, &wc) == 1;
				if (!is_left)
					break;
				assert_int_equal(wc.wr_id, next++);
				assert_int_equal(rig_end_post_receive(&near, next + RIG_DEPTH - 1, 0, DATAGRAM + 40, 0),
						 0);
				events = poll(&ready, 1, RIG_WAIT_S * 1000); /* the machine may be loaded */
			}
			assert_int_equal(events, 1);
			assert_int_equal(ibv_get_cq_event(near.channel, &cq, &context), 0);
			ibv_ack_cq_events(cq, 1);
		}
		close(fd);
	}
	rig_end_close(&near);
	alarm(0);
}

/* What is flushed then finds no room: the queue says so, and nothing else stops. */
TEST(flush_overruns_queue)
{
	struct rig rig;
	bool has_overrun = false, is_fatal = false;

	alarm(SLOW);
	rig_start(&rig, (struct rig_options){.type = IBV_QPT_RC, .cqe = 2}, (struct rig_options){.type = IBV_QPT_RC});
	for (uint64_t i = 0; i < 8; i++)
		assert_int_equal(rig_end_post_receive(&rig.near, i, 0, 8, 0), 0);
	kill(rig.child, SIGKILL);
	waitpid(rig.child, NULL, 0);
	close(rig.fd);
	for (int i = 0; i < 2; i++) {
		int event = rig_async(&rig.near);

		has_overrun |= event == IBV_EVENT_CQ_ERR;
		is_fatal |= event == IBV_EVENT_QP_FATAL;
	}
	assert_true(has_overrun && is_fatal);
	assert_int_equal(rig_poll(rig.near.receive_cq).status, IBV_WC_WR_FLUSH_ERR);
	rig_end_close(&rig.near);
	alarm(0);
}

/* A sleeper whose sender dies is woken, whatever the sender had told it. */
TEST(sleeper_is_woken)
{
	struct pollfd ready = {.events = POLLIN};
	struct rig rig;
	struct ibv_cq *cq;
	void *context;

	rig_start(&rig, (struct rig_options){.type = IBV_QPT_RC, .has_channel = true},
		  (struct rig_options){.type = IBV_QPT_RC});
	/* As if it had disarmed the queue and not written the event: there is nothing to flush either. */
	kill(rig.child, SIGKILL);
	waitpid(rig.child, NULL, 0);
	close(rig.fd);
	ready.fd = rig.near.channel->fd;
	assert_int_equal(poll(&ready, 1, RIG_WAIT_S * 1000), 1);
	assert_int_equal(ibv_get_cq_event(rig.near.channel, &cq, &context), 0);
	assert_ptr_equal(cq, rig.near.receive_cq);
	ibv_ack_cq_events(cq, 1);
	assert_true(rig_is_empty(cq));
	rig_end_close(&rig.near);
}

/* Where files may not grow the kernel would end the process with a signal: it is told instead. */
TEST(file_size_limit_is_reported)
{
	struct rlimit limit, before;
	struct ibv_device **list;
	int count;

	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	limit = before;
	limit.rlim_cur = 1u << 20;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	list = ibv_get_device_list(&count);
	assert_non_null(list);
	assert_null(ibv_open_device(list[count - 1]));
	assert_int_equal(errno, EFBIG);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	ibv_free_device_list(list);
}

/* Another user has made a folder of our name in the folder that all share: the next name serves. */
TEST(other_users_folder_is_passed_over)
{
	const uid_t uid = 50000u + (uid_t)getpid() % 10000u;
	char theirs[64], ours[64];
	struct stat status;
	int ended;
	pid_t child;

	if (geteuid())
		skip();
	snprintf(theirs, sizeof(theirs), "/tmp/perftest-soft-%u", uid);
	snprintf(ours, sizeof(ours), "/tmp/perftest-soft-%u.1", uid);
	assert_int_equal(mkdir(theirs, 0700), 0);
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		struct ibv_context *context;

		unsetenv("XDG_RUNTIME_DIR");
		RIG_CHECK(setresuid(uid, uid, uid) == 0);
		context = rig_open_device();
		RIG_CHECK(stat(ours, &status) == 0 && status.st_uid == uid);
		RIG_CHECK(ibv_close_device(context) == 0);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &ended, 0), child);
	rmdir(theirs);
	assert_int_equal(ended, 0);
	assert_int_equal(rmdir(ours), 0);
}

TEST_MAIN(rig_directory_make, rig_directory_remove)
