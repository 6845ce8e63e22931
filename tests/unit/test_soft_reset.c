// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Does a RESET persist, whatever the service thread is doing? The peer of a queue pair is killed, and the thread that
 * detects it is single-stepped to each of many points, where the program's own thread resets the queue pair.
 * SOFT_STEPS=1 in the environment stops at each instruction, N at each Nth one, starting from a random one.
 */
#define _GNU_SOURCE
#include "config.h"

#include <dirent.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "soft_led.h"
#include "soft_rig.h"

#if defined(RIG_HAS_ASAN)
#define STRIDE 149 /* a check to each access */
#else
#define STRIDE 7 /* instructions from one point to the next, of 600 */
#endif
#define LIMIT_S	  60 /* of one point: who waits for a lock by then waits for ever */
#define STEPS_MAX 1000000

/* --- the peer, which only has a number and is killed --- */

static void peer_run(int fd)
{
	struct rig_options options = {.type = IBV_QPT_RC};
	struct rig_end end;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	rig_end_open(&end, &options);
	RIG_CHECK(write(fd, &end.qp->qp_num, sizeof(end.qp->qp_num)) == sizeof(end.qp->qp_num));
	pause();
	_exit(1);
}

/* --- the program --- */

enum order { CONNECT, RESET, JUDGE };

struct message {
	enum order order;
	uint32_t qpn;			/* CONNECT: the peer's */
	const enum ibv_qp_state *state; /* CONNECT: where the later queue pair's stands */
	int result;			/* RESET, JUDGE: of ibv_modify_qp() */
	enum ibv_qp_state was;		/* JUDGE: the state that the earlier one was in */
};

static int to_state(struct ibv_qp *qp, enum ibv_qp_state state)
{
	struct ibv_qp_attr attr = {.qp_state = state, .port_num = 1, .qp_access_flags = RIG_ACCESS};

	return ibv_modify_qp(
		qp, &attr,
		IBV_QP_STATE | (state == IBV_QPS_INIT ? IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS : 0));
}

static struct ibv_qp *made(const struct rig_end *end)
{
	struct ibv_qp_init_attr init = {
		.qp_type = IBV_QPT_RC, .send_cq = end->send_cq, .recv_cq = end->receive_cq, .cap = {4, 4, 1, 1, 0}};
	struct ibv_qp *qp = ibv_create_qp(end->pd, &init);

	RIG_CHECK(qp);
	return qp;
}

static void connect_anew(const struct rig_end *end, struct ibv_qp *qp, uint32_t qpn)
{
	struct rig_end as = *end;

	as.qp = qp;
	RIG_CHECK(to_state(qp, IBV_QPS_RESET) == 0 && to_state(qp, IBV_QPS_INIT) == 0);
	rig_end_connect(&as, qpn);
}

/* It knows of the death when the later queue pair, of which it hears last, is in error. */
static void judge(struct ibv_qp *earlier, const struct ibv_qp *later, struct message *message)
{
	const double until = rig_now() + RIG_WAIT_S;
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	while (__atomic_load_n(&later->state, __ATOMIC_ACQUIRE) != IBV_QPS_ERR)
		RIG_CHECK(rig_now() < until);
	RIG_CHECK(ibv_query_qp(earlier, &attr, IBV_QP_STATE, &init) == 0);
	message->was = attr.qp_state;
	message->result = to_state(earlier, IBV_QPS_INIT);
}

static void program_run(int fd)
{
	struct rig_options options = {.type = IBV_QPT_RC};
	struct ibv_qp *earlier, *later;
	struct message message;
	struct rig_end end;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	rig_end_open(&end, &options);
	earlier = made(&end);
	later = made(&end);
	while (read(fd, &message, sizeof(message)) == (ssize_t)sizeof(message)) {
		switch (message.order) {
		case CONNECT:
			connect_anew(&end, earlier, message.qpn);
			connect_anew(&end, later, message.qpn);
			message.state = &later->state;
			break;
		case RESET:
			message.result = to_state(earlier, IBV_QPS_RESET);
			break;
		case JUDGE:
			judge(earlier, later, &message);
			break;
		}
		RIG_CHECK(write(fd, &message, sizeof(message)) == (ssize_t)sizeof(message));
	}
	RIG_CHECK(ibv_destroy_qp(earlier) == 0 && ibv_destroy_qp(later) == 0);
	rig_end_close(&end);
	_exit(0);
}

/* --- who leads --- */

struct child {
	pid_t pid;
	int fd;
};

static struct child child_start(void (*run)(int fd))
{
	struct child child;
	int pair[2];

	RIG_CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
	child.pid = fork();
	RIG_CHECK(child.pid >= 0);
	if (child.pid == 0) {
		close(pair[0]);
		run(pair[1]);
	}
	close(pair[1]);
	child.fd = pair[0];
	return child;
}

static void child_kill(struct child *child)
{
	kill(child->pid, SIGKILL);
	RIG_CHECK(waitpid(child->pid, NULL, 0) == child->pid);
	close(child->fd);
}

static void send_message(const struct child *program, struct message message)
{
	RIG_CHECK(write(program->fd, &message, sizeof(message)) == (ssize_t)sizeof(message));
}

static struct message receive(const struct child *program)
{
	struct message message;

	RIG_CHECK(read(program->fd, &message, sizeof(message)) == (ssize_t)sizeof(message));
	return message;
}

/* The one thread that is not its first. */
static pid_t service_thread(pid_t pid)
{
	char path[64];
	struct dirent *entry;
	pid_t found = 0;
	DIR *folder;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	RIG_CHECK((folder = opendir(path)) != NULL);
	while ((entry = readdir(folder))) {
		const pid_t thread = (pid_t)atol(entry->d_name);

		RIG_CHECK(thread == 0 || thread == pid || found == 0);
		if (thread != 0 && thread != pid)
			found = thread;
	}
	closedir(folder);
	RIG_CHECK(found);
	return found;
}

static void thread_stop(pid_t thread)
{
	int status;

	RIG_CHECK(ptrace(PTRACE_SEIZE, thread, NULL, NULL) == 0);
	RIG_CHECK(ptrace(PTRACE_INTERRUPT, thread, NULL, NULL) == 0);
	RIG_CHECK(waitpid(thread, &status, __WALL) == thread && WIFSTOPPED(status));
}

static bool has_noticed_death(pid_t thread, const enum ibv_qp_state *state)
{
	return (int)ptrace(PTRACE_PEEKDATA, thread, state, NULL) == IBV_QPS_ERR;
}

/* So many instructions of the device further on. False: it had heard of the death before. */
static bool thread_on(pid_t thread, long steps, const enum ibv_qp_state *state)
{
	long taken = 0;

	for (long i = 0; i < STEPS_MAX && taken < steps; i++) {
		int status;

		RIG_CHECK(ptrace(PTRACE_SINGLESTEP, thread, NULL, NULL) == 0);
		RIG_CHECK(waitpid(thread, &status, __WALL) == thread && WIFSTOPPED(status));
		if (!is_in_device(led_at(thread)))
			continue;
		if (taken++ % 8 == 0 && has_noticed_death(thread, state))
			return false;
	}
	RIG_CHECK(taken == steps);
	return true;
}

/* Does it sleep in a call, other than the one in which it hears what it is to do? */
static bool waits_for_lock(pid_t pid)
{
	char path[64], line[256] = "";
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/syscall", pid);
	RIG_CHECK((file = fopen(path, "re")) != NULL);
	RIG_CHECK(fgets(line, sizeof(line), file));
	fclose(file);
	return strncmp(line, "running", 7) != 0 && atol(line) == SYS_futex;
}

/* It has answered, or waits for the thread that is stopped. */
static void reset_as_far_as_it_goes(const struct child *program)
{
	struct pollfd fds = {.fd = program->fd, .events = POLLIN};

	send_message(program, (struct message){.order = RESET});
	while (poll(&fds, 1, 1) == 0 && !waits_for_lock(program->pid))
		;
}

/* False: the thread had heard of the death before it was so far. */
static bool one_point(const struct child *program, pid_t thread, long steps)
{
	struct child peer = child_start(peer_run);
	struct message message = {.order = CONNECT};
	const enum ibv_qp_state *state;
	bool is_there;

	alarm(LIMIT_S);
	RIG_CHECK(read(peer.fd, &message.qpn, sizeof(message.qpn)) == sizeof(message.qpn));
	send_message(program, message);
	state = receive(program).state;
	thread_stop(thread);
	child_kill(&peer);
	is_there = thread_on(thread, steps, state);
	reset_as_far_as_it_goes(program);
	RIG_CHECK(ptrace(PTRACE_DETACH, thread, NULL, NULL) == 0);
	assert_int_equal(receive(program).result, 0);
	send_message(program, (struct message){.order = JUDGE});
	message = receive(program);
	if (message.was != IBV_QPS_RESET)
		print_message("%ld instructions on\n", steps);
	assert_int_equal(message.was, IBV_QPS_RESET);
	assert_int_equal(message.result, 0);
	return is_there;
}

TEST(a_reset_stays)
{
	const char *wanted = getenv("SOFT_STEPS");
	const long stride = wanted ? atol(wanted) : STRIDE;
	struct child program, tidies;
	pid_t thread;
	int status;
	long steps = getpid() % stride;

	if (!can_lead())
		skip();
	led_find_device();
	program = child_start(program_run);
	send_message(&program, (struct message){.order = CONNECT, .qpn = 0});
	receive(&program);
	thread = service_thread(program.pid);
	while (one_point(&program, thread, steps))
		steps += stride;
	print_message("%ld instructions\n", steps);
	alarm(0);
	close(program.fd);
	RIG_CHECK(waitpid(program.pid, &status, 0) == program.pid && status == 0);
	/* what the killed ones left goes with the next process that looks */
	tidies = child_start(program_run);
	close(tidies.fd);
	RIG_CHECK(waitpid(tidies.pid, &status, 0) == tidies.pid && status == 0);
}

TEST_MAIN(rig_directory_make, rig_directory_remove)
