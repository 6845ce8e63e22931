// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What does a process that is killed leave behind? Its locks, half a message, and room for its completions. */
#include "config.h"

#include <errno.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "soft_rig.h"

#define SLOW	 (RIG_WAIT_S * 3) /* seconds: whoever waits for a lock by then waits for ever */
#define ROUNDS	 5
#define RECEIVED 300

/* A connected pair whose far end sends the whole buffer again and again. */
static pid_t sender_start(struct rig_end *near, const struct rig_options *options)
{
	struct rig_address far;
	int pair[2];
	pid_t child;

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		struct rig rig = {.fd = pair[1]};
		struct rig_request request;

		rig_end_open(&rig.near, options);
		far = rig_end_address(&rig.near);
		RIG_CHECK(write(rig.fd, &far, sizeof(far)) == sizeof(far));
		RIG_CHECK(read(rig.fd, &rig.far, sizeof(rig.far)) == sizeof(rig.far));
		rig_end_connect(&rig.near, rig.far.qpn);
		rig_request(&rig, &request, IBV_WR_SEND, RIG_BUFFER);
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
static void sender_killed_in_its_copy(void **state)
{
	struct rig_end near;

	(void)state;
	for (int round = 0; round < ROUNDS; round++) {
		pid_t child;
		struct ibv_wc wc;

		alarm(SLOW);
		child = sender_start(&near, &(struct rig_options){.type = IBV_QPT_RC});
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

/* What is flushed then finds no room: the queue says so, and nothing else stops. */
static void flush_overruns_queue(void **state)
{
	struct rig rig;
	bool has_overrun = false, is_fatal = false;

	(void)state;
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
static void sleeper_is_woken(void **state)
{
	struct pollfd ready = {.events = POLLIN};
	struct rig rig;
	struct ibv_cq *cq;
	void *context;

	(void)state;
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
static void file_size_limit_is_told(void **state)
{
	struct rlimit limit, before;
	struct ibv_device **list;
	int count;

	(void)state;
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
static void other_users_folder_is_passed_over(void **state)
{
	const uid_t uid = 50000u + (uid_t)getpid() % 10000u;
	char theirs[64], ours[64];
	struct stat status;
	int ended;
	pid_t child;

	(void)state;
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
	assert_int_equal(stat(ours, &status), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sender_killed_in_its_copy),
		cmocka_unit_test(flush_overruns_queue),
		cmocka_unit_test(sleeper_is_woken),
		cmocka_unit_test(file_size_limit_is_told),
		cmocka_unit_test(other_users_folder_is_passed_over),
	};

	return cmocka_run_group_tests(tests, rig_directory_make, rig_directory_remove);
}
