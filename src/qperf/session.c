// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The order of a test, its clock, and what a side counts of itself. See session.h. */
#define _GNU_SOURCE /* sched_setaffinity() */
#include "qperf/session.h"

#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include "qperf/values.h"
#include "report/cpu.h"
#include "stats/clock.h"
#include "util/log.h"
#include "util/stop.h"

#define TICK_US	  100000
#define INSIST_US 10000 /* a signal that came just before a call that blocks comes again */
#define US_PER_S  1000000
#define NS_PER_US 1000

volatile sig_atomic_t session_attention;

static void on_alarm(int number)
{
	(void)number;
	session_attention = 1;
}

int session_install(void)
{
	struct sigaction action = {.sa_handler = on_alarm}; /* without SA_RESTART */

	return sigaction(SIGALRM, &action, NULL) ? -errno : 0;
}

/* --- the clock of the loop --- */

static void arm(uint64_t first_us)
{
	const struct itimerval timer = {
		.it_value = {(time_t)(first_us / US_PER_S), (suseconds_t)(first_us % US_PER_S)},
		.it_interval = {0, first_us ? INSIST_US : 0},
	};

	setitimer(ITIMER_REAL, &timer, NULL);
}

/* Until the next tick, or the end if that is sooner. */
static void arm_next(const struct session *session, uint64_t now_cycles)
{
	uint64_t us = TICK_US;

	if (session->end_cycles != UINT64_MAX && session->end_cycles > now_cycles) {
		const double left = clock_cycles_to_ns((double)(session->end_cycles - now_cycles)) / NS_PER_US;

		if (left < TICK_US)
			us = (uint64_t)left + 1;
	}
	arm(us);
}

bool session_tick(struct session *session)
{
	const uint64_t now = clock_cycles();
	enum control_state state;

	session_attention = 0;
	if (now >= session->end_cycles) {
		session->over = true;
		return true;
	}
	if (stop_requested()) {
		session->stopped = true;
		return true;
	}
	state = control_look(session->control);
	session->peer_gone = state == CONTROL_GONE;
	session->peer_done = state == CONTROL_SPOKE;
	if (session->interval && now >= session->next_interval_cycles) {
		session->interval(session, now);
		session->next_interval_cycles += session->interval_cycles;
	}
	if (!session->without_alarm)
		arm_next(session, now);
	return session->peer_gone || (session->peer_done && !session->awaits_end);
}

/* --- what a side counts of itself --- */

struct usage {
	struct cpu_times machine;
	struct rusage process;
};

static void read_usage(struct usage *usage)
{
	memset(usage, 0, sizeof(*usage));
	cpu_times_read(&usage->machine, "/proc/stat"); /* zeroes where there is none */
	getrusage(RUSAGE_SELF, &usage->process);
}

static double ticks(uint64_t before, uint64_t after)
{
	return after > before ? (double)(after - before) / (double)sysconf(_SC_CLK_TCK) : 0;
}

static double seconds_between(const struct timeval *before, const struct timeval *after)
{
	return (double)(after->tv_sec - before->tv_sec) + (double)(after->tv_usec - before->tv_usec) / US_PER_S;
}

static void account_usage(struct account *account, const struct usage *before, const struct usage *after)
{
	const struct rusage *a = &before->process, *b = &after->process;

	account->has_details = true;
	account->cpus = (uint32_t)sysconf(_SC_NPROCESSORS_ONLN);
	account->user_s = ticks(before->machine.user, after->machine.user);
	account->intr_s = ticks(before->machine.interrupts, after->machine.interrupts);
	account->kernel_s = ticks(before->machine.kernel, after->machine.kernel);
	account->iowait_s = ticks(before->machine.iowait, after->machine.iowait);
	account->process_user_s = seconds_between(&a->ru_utime, &b->ru_utime);
	account->process_kernel_s = seconds_between(&a->ru_stime, &b->ru_stime);
	account->switches = (uint64_t)(b->ru_nvcsw - a->ru_nvcsw + b->ru_nivcsw - a->ru_nivcsw);
}

/* --- steps --- */

static int pin(const struct qperf_side *side)
{
	const uint64_t cpu = side->number[PARAM_AFFINITY];
	cpu_set_t *set;
	int ret = 0;

	if (!cpu)
		return 0;
	set = CPU_ALLOC(cpu);
	if (!set)
		return -ENOMEM;
	CPU_ZERO_S(CPU_ALLOC_SIZE(cpu), set);
	CPU_SET_S(cpu - 1, CPU_ALLOC_SIZE(cpu), set);
	if (sched_setaffinity(0, CPU_ALLOC_SIZE(cpu), set)) {
		ret = -errno;
		log_error("cannot set processor affinity (cpu %u): %s", (unsigned)(cpu - 1), strerror(errno));
	}
	CPU_FREE(set);
	return ret;
}

static int synchronize(struct session *session)
{
	struct control *control = session->control;
	uint8_t bytes[FRAME_MAX_PAYLOAD];
	size_t length;
	int ret;

	if (control->native) {
		ret = control_send_frame(control, FRAME_GO, NULL, 0);
		return ret ? ret : control_receive_frame(control, FRAME_GO, bytes, &length, "the word to begin");
	}
	ret = control_send(control, SYNC_BEFORE, strlen(SYNC_BEFORE), "the word to begin");
	return ret ? ret : control_receive(control, bytes, strlen(SYNC_BEFORE), "the word to begin");
}

static int run_loop(struct session *session)
{
	const uint64_t time_ns = session->side.number[PARAM_TIME];
	struct usage before, after;
	uint64_t end;
	int ret;

	read_usage(&before);
	session->begin_cycles = clock_cycles();
	session->end_cycles = UINT64_MAX;
	if (time_ns)
		session->end_cycles = session->begin_cycles + clock_ns_to_cycles((double)time_ns);
	session->next_interval_cycles = session->begin_cycles + session->interval_cycles;
	session_attention = 0;
	if (!session->without_alarm)
		arm_next(session, session->begin_cycles);
	ret = session_ops(session->test)->run(session);
	end = session->finish_cycles ? session->finish_cycles : clock_cycles();
	arm(0);
	read_usage(&after);
	session->account.elapsed_s =
		end > session->begin_cycles ? clock_cycles_to_seconds((double)(end - session->begin_cycles)) : 0;
	account_usage(&session->account, &before, &after);
	if (!ret && session->peer_gone) {
		log_error("%s has gone in the middle of the test",
			  session->client ? "the server" : session->control->peer_text);
		ret = -ECONNRESET;
	}
	if (!ret && session->stopped && !session->client) {
		log_error("%s: the server was stopped in the middle of a test", session->control->peer_text);
		ret = -ECANCELED;
	}
	session->control->ignores_stop = session->stopped;
	return ret;
}

/* The peer's loop may go on for as long as its time, and ours, were apart. */
static int exchange_accounts(struct session *session, struct account *peer)
{
	struct control *control = session->control;
	uint8_t bytes[FRAME_MAX_PAYLOAD];
	size_t length;
	int ret;

	if (control->native) {
		ret = control_send_frame(control, FRAME_ACCOUNT, bytes, wire_account(&session->account, bytes));
		if (!ret)
			ret = control_receive_frame(control, FRAME_ACCOUNT, bytes, &length, "results");
		return ret ? ret : wire_read_account(bytes, length, peer);
	}
	if (!session->client) {
		wire_stat(&session->account, bytes);
		ret = control_send(control, bytes, STAT_SIZE, "results");
		return ret ? ret : control_receive(control, bytes, strlen(SYNC_AFTER), "the final message");
	}
	ret = control_receive(control, bytes, STAT_SIZE, "results");
	if (!ret && wire_read_stat(bytes, peer)) {
		log_error("the server's results make no sense");
		ret = -EPROTO;
	}
	return ret ? ret : control_send(control, SYNC_AFTER, strlen(SYNC_AFTER), "the final message");
}

int session_run(struct session *session, struct account *peer)
{
	int ret;

	clock_calibrate();
	session->sends = session->client != (session->side.number[PARAM_FLIP] != 0);
	memset(peer, 0, sizeof(*peer));
	ret = pin(&session->side);
	if (!ret)
		ret = session_ops(session->test)->open(session);
	if (!ret)
		ret = synchronize(session);
	if (!ret)
		ret = run_loop(session);
	if (!ret)
		ret = exchange_accounts(session, peer);
	if (ret && ret != -EREMOTEIO)
		control_fail(session->control, ret == -EINTR ? "stopped by its user" : log_last_error());
	session_ops(session->test)->close(session);
	return ret;
}

int session_tell_port(struct session *session, uint32_t port)
{
	uint8_t bytes[PORT_SIZE];

	wire_port(port, bytes);
	return session->control->native ? control_send_frame(session->control, FRAME_READY, bytes, sizeof(bytes))
					: control_send(session->control, bytes, sizeof(bytes), "port");
}

int session_hear_port(struct session *session, uint32_t *port)
{
	uint8_t bytes[FRAME_MAX_PAYLOAD] = {0};
	size_t length = PORT_SIZE;
	int ret = session->control->native
			  ? control_receive_frame(session->control, FRAME_READY, bytes, &length, "port")
			  : control_receive(session->control, bytes, PORT_SIZE, "port");

	if (ret)
		return ret;
	*port = wire_read_port(bytes);
	if (length < PORT_SIZE || !*port || *port > UINT16_MAX) {
		log_error("the port that the other side names is none");
		return -EPROTO;
	}
	return 0;
}
