// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The steps of a test, its clock, and the CPU usage of a side. See session.h. */
#include "qperf/control/session.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include "config.h"
#include "life/life.h"
#include "net/tcp.h"
#include "qperf/options/options.h"
#include "qperf/print/report.h"
#include "report/host.h"
#include "report/payload_share.h"
#include "report/provenance.h"
#include "stats/clock.h"
#include "util/claim.h"
#include "util/cpulist.h"
#include "util/log.h"
#include "util/stop.h"

#define TICK_US	      100000
#define INSIST_US     10000	/* repeats the signal, which may have arrived just before a blocking call */
#define MOST_GAP_NS   200000000 /* of two ticks, if the process is running */
#define US_PER_S      1000000
#define OPEN_PART     32 /* an exchange open at the end is conspicuous if it lasted longer than 1/32 of the time */
#define NS_PER_US     1000
#define TIMEOUT_TRIPS 4 /* round trips of the control connection, whose path the messages share */

const struct test_ops *session_ops(const struct test_row *test)
{
	static const struct test_ops *const ops[NUM_BODIES] = {
		[BODY_SOCKET_BANDWIDTH] = &socket_bandwidth_ops,
		[BODY_SOCKET_LATENCY] = &socket_latency_ops,
		[BODY_CONNECTIONS] = &connections_ops,
		[BODY_RDMA] = &rdma_ops,
	};

	return ops[test->body];
}

volatile sig_atomic_t qperf_session_attention;

void access_data(const void *data, uint64_t length)
{
	static volatile uint64_t seen;
	const unsigned char *bytes = data;
	uint64_t sum = 0, word, i;

	for (i = 0; i + sizeof(word) <= length; i += sizeof(word)) {
		memcpy(&word, bytes + i, sizeof(word));
		sum += word;
	}
	for (; i < length; i++)
		sum += bytes[i];
	seen = sum;
	(void)seen;
}

static void on_alarm(int number)
{
	(void)number;
	qperf_session_attention = 1;
}

int session_install(void)
{
	return stop_handle(SIGALRM, on_alarm);
}

/* --- the clock of the loop --- */

static void alarm_set(uint64_t first_us)
{
	const struct itimerval timer = {
		.it_value = {(time_t)(first_us / US_PER_S), (suseconds_t)(first_us % US_PER_S)},
		.it_interval = {0, first_us ? INSIST_US : 0},
	};

	setitimer(ITIMER_REAL, &timer, NULL);
}

/* Sets the timer for the next tick, or for the end if that is sooner. */
static void arm_next(const struct qperf_session *session, uint64_t now_cycles)
{
	uint64_t us = TICK_US;

	if (session->end_cycles != UINT64_MAX && session->end_cycles > now_cycles) {
		const double left = clock_cycles_to_ns((double)(session->end_cycles - now_cycles)) / NS_PER_US;

		if (left < TICK_US)
			us = (uint64_t)left + 1;
	}
	alarm_set(us);
}

bool session_stands_still(struct qperf_session *session, uint64_t now_cycles, uint64_t moved)
{
	const uint64_t most = clock_ns_to_cycles((double)MOST_GAP_NS);
	const uint64_t gap = now_cycles > session->looked_cycles ? now_cycles - session->looked_cycles : 0;

	session->still_cycles += gap < most ? gap : most;
	if (!session->looked_cycles || moved != session->moved)
		session->still_cycles = 0;
	session->looked_cycles = now_cycles;
	session->moved = moved;
	return session->still_cycles > clock_ns_to_cycles((double)session->control->channel.timeout_ms * 1e6);
}

/* With a duration the loop ends in any case, and a body without the timer checks for itself. */
static bool peer_stands_still(struct qperf_session *session, uint64_t now)
{
	const struct account *account = &session->account;

	return session->end_cycles == UINT64_MAX && !session->without_alarm &&
	       session_stands_still(session, now, account->sent.msgs + account->received.msgs + session->pieces);
}

bool qperf_session_tick(struct qperf_session *session)
{
	const uint64_t now = clock_cycles();
	enum control_state state;

	qperf_session_attention = 0;
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
		session->interval_err = session->interval(session, now);
		/* Aligned to a multiple of the interval; intervals that this process missed are part of this one. */
		session->next_interval_cycles =
			clock_next_multiple(session->begin_cycles, session->interval_cycles, now);
	}
	if (!session->without_alarm)
		arm_next(session, now);
	session->peer_still |= !session->peer_gone &&
			       (channel_is_silent(&session->control->channel) || peer_stands_still(session, now));
	return session->peer_gone || session->peer_still || session->interval_err ||
	       (session->peer_done && !session->awaits_end);
}

/* --- usage of a side --- */

struct usage {
	struct cpu_times machine;
	struct rusage process;
	uint64_t run_delay_ns;
};

/* Of the thread that runs the loop (proc(5), /proc/pid/schedstat). 0 if the kernel has no such file. */
static void read_run_delay(uint64_t *ns)
{
	FILE *file = fopen("/proc/self/schedstat", "re");

	if (!file)
		return;
	if (fscanf(file, "%*u %" SCNu64, ns) != 1)
		*ns = 0;
	fclose(file);
}

static void read_usage(struct usage *usage)
{
	memset(usage, 0, sizeof(*usage));
	cpu_times_read(&usage->machine, "/proc/stat"); /* zeros if there is none */
	getrusage(RUSAGE_SELF, &usage->process);
	read_run_delay(&usage->run_delay_ns);
}

/*
 * The share of all CPUs' time that one part of /proc/stat has. Its ticks are 10 ms, so a test of a tenth of a second
 * could seem to have used more than there was.
 */
static double part_of(uint64_t before, uint64_t after, uint64_t total_ticks, double capacity_s)
{
	return after > before ? (double)(after - before) / (double)total_ticks * capacity_s : 0;
}

static double seconds_between(const struct timeval *before, const struct timeval *after)
{
	return (double)(after->tv_sec - before->tv_sec) + (double)(after->tv_usec - before->tv_usec) / US_PER_S;
}

static void account_usage(struct account *account, const struct usage *before, const struct usage *after)
{
	const struct rusage *a = &before->process, *b = &after->process;
	const struct cpu_times *x = &before->machine, *y = &after->machine;
	/* At least the sum of its parts: iowait may run backwards. */
	const uint64_t busy = y->busy - x->busy + (y->iowait > x->iowait ? y->iowait - x->iowait : 0);
	const uint64_t total = y->total > x->total + busy ? y->total - x->total : busy;
	double capacity_s;

	account->has_details = true;
	account->no_counter = clock_calibrate()->fallback;
	account->cpus = (uint32_t)sysconf(_SC_NPROCESSORS_ONLN);
	capacity_s = account->elapsed_s * account->cpus;
	account->user_s = part_of(x->user, y->user, total, capacity_s);
	account->intr_s = part_of(x->interrupts, y->interrupts, total, capacity_s);
	account->kernel_s = part_of(x->kernel, y->kernel, total, capacity_s);
	account->iowait_s = part_of(x->iowait, y->iowait, total, capacity_s);
	account->process_user_s = seconds_between(&a->ru_utime, &b->ru_utime);
	account->process_kernel_s = seconds_between(&a->ru_stime, &b->ru_stime);
	if (after->run_delay_ns > before->run_delay_ns)
		account->run_delay_s = (double)(after->run_delay_ns - before->run_delay_ns) / (double)NS_PER_S;
	account->switches = (uint64_t)(b->ru_nvcsw - a->ru_nvcsw + b->ru_nivcsw - a->ru_nivcsw);
}

/* --- steps --- */

static int pin(const struct qperf_side *side)
{
	const uint64_t above = side->number[PARAM_AFFINITY], cpu = above - 1;
	struct cpulist one = {{0}};
	int ret;

	if (!above)
		return 0;
	one.bits[cpu / 64] = 1ULL << cpu % 64;
	ret = cpulist_run_on(&one);
	return ret ? log_fail(ret, "cannot set processor affinity (cpu %u): %s", (unsigned)cpu, strerror(-ret)) : 0;
}

static int send_ready(struct qperf_session *session)
{
	session->ready_ns = claim_now_ns();
	return control_send_frame(session->control, MESSAGE_BARRIER, &(uint32_t){0});
}

void session_count_open(struct qperf_session *session, uint64_t begin_cycles)
{
	const uint64_t now = clock_cycles();
	const uint64_t open = now > begin_cycles ? now - begin_cycles : 0;

	/* If it is no sample, its time is in no figure. */
	if (begin_cycles > session->begin_cycles)
		session->finish_cycles = begin_cycles;
	if (open <= session->samples->max || !(session->over || session->stopped))
		return;
	/* If the peer's time is over a moment before ours, it has sent its message, and there is no outage. */
	if (session->over &&
	    (open <= (now - session->begin_cycles) / OPEN_PART || control_look(session->control) != CONTROL_QUIET))
		return;
	latency_record(session->samples, open);
	session->open_cycles = open;
	session->finish_cycles = now;
}

void session_end_at(struct qperf_session *session, uint64_t cycles)
{
	const uint64_t begin = session->begin_cycles;

	session->account.elapsed_s = cycles > begin ? clock_cycles_to_seconds((double)(cycles - begin)) : 0;
}

static void start_clock(struct qperf_session *session)
{
	const uint64_t time_ns = session->side.number[PARAM_TIME];

	session->begin_cycles = clock_cycles();
	session->end_cycles = UINT64_MAX;
	if (time_ns)
		session->end_cycles = session->begin_cycles + clock_ns_to_cycles((double)time_ns);
	session->next_interval_cycles = session->begin_cycles + session->interval_cycles;
}

/* By the process that measures, on its CPUs, with the device that it has opened. */
static int exchange_origin(struct qperf_session *session)
{
	struct qperf_origin *origin = &session->sides->server;

	if (session->client)
		return control_receive_frame(session->control, FRAME_ORIGIN, origin);
	gethostname(origin->host, sizeof(origin->host) - 1);
	strcpy(origin->version, PACKAGE_VERSION);
	provenance_write(&session->sides->device, origin->provenance, sizeof(origin->provenance));
	return control_send_frame(session->control, FRAME_ORIGIN, origin);
}

/* The only point at which both sides meet; qperf 0.4.11 sends none. */
static int await_ready(struct qperf_session *session)
{
	struct control *control = session->control;
	uint32_t point = 0;
	const int ret = control_receive_frame(control, MESSAGE_BARRIER, &point);

	if (ret || !point)
		return ret;
	return conn_error(&control->conn, -EBADMSG, "is at step %u of the test, but this side is at step 0", point);
}

static int read_before(const struct qperf_session *session, struct usage *usage)
{
	read_usage(usage);
	return session->meters ? qperf_meters_begin(session->meters) : 0;
}

/*
 * The clock of the passive side starts before it releases the other one; otherwise what that sends before would be
 * received in no time. Reading the machine's usage takes longer than a message, and is outside both sides' times.
 */
static int session_begin(struct qperf_session *session, struct usage *usage)
{
	int ret;

	session->data_fd = -1;
	if (session->explains)
		qperf_watch_begin(session->test, session->control, session->side.id);
	if (!session->sends) {
		ret = await_ready(session);
		if (!ret)
			ret = read_before(session, usage);
		start_clock(session);
		return ret ? ret : send_ready(session);
	}
	ret = read_before(session, usage);
	if (!ret)
		ret = send_ready(session);
	if (!ret)
		ret = await_ready(session);
	start_clock(session);
	return ret;
}

/* What the latency is the mean of, if anything was answered. */
static void take_samples(struct qperf_session *session)
{
	struct account *account = &session->account;
	const double sum_s = clock_cycles_to_seconds((double)session->samples->sum.value);

	if (session->test->measure != MEASURE_LATENCY || !account->received.msgs)
		return;
	account->sampled = session->samples->histogram.count;
	account->sampled_s = fmax(sum_s - (session->samples_lost ? account->lost_s : 0), 0);
}

static int run_loop(struct qperf_session *session, const struct usage *before)
{
	struct usage after;
	uint64_t end;
	int ret;

	qperf_session_attention = 0;
	if (!session->without_alarm)
		arm_next(session, session->begin_cycles);
	control_watch(session->control, session->end_cycles == UINT64_MAX);
	ret = session_ops(session->test)->run(session);
	control_watch(session->control, false);
	end = session->finish_cycles ? session->finish_cycles : clock_cycles();
	/* The wait for a peer that is not responding is not part of any rate. */
	if (session->peer_still && session->still_cycles && session->looked_cycles - session->still_cycles < end)
		end = session->looked_cycles - session->still_cycles;
	alarm_set(0);
	read_usage(&after);
	if (session->explains)
		qperf_watch_end(session->control, session->data_fd);
	session_end_at(session, end);
	take_samples(session);
	account_usage(&session->account, before, &after);
	session->counted = ret != -EBADMSG && session->account.elapsed_s > 0 &&
			   session->account.sent.msgs + session->account.received.msgs;
	/* Also after a failure: the loop ran until then. */
	if (session->interval && !session->interval_err && (!ret || session->counted))
		session->interval_err = session->interval(session, end);
	if (session->meters && !session->interval_err)
		session->interval_err = qperf_meters_end(session->meters);
	if (!ret)
		ret = session->interval_err;
	if (!ret && session->peer_gone) {
		log_error("the %s closed the connection during the test", session->client ? "server" : "client");
		ret = -ECONNRESET;
	}
	if (!ret && session->peer_still) {
		log_error("%s: no progress for %g s (--timeout); the %s is not responding", session->test->name,
			  (double)session->control->channel.timeout_ms / 1e3, session->client ? "server" : "client");
		session->control->peer_silent = true;
		ret = -ETIMEDOUT;
	}
	if (!ret && session->stopped && !session->client) {
		log_error("the server was stopped during a test");
		ret = -ECANCELED;
	}
	/* The results are still to be exchanged. */
	session->control->conn.ignores_stop = session->stopped;
	return ret;
}

/* The peer's loop may run longer, by the difference of the two clocks. */
static int exchange_accounts(struct qperf_session *session, struct account *peer)
{
	struct control *control = session->control;
	int ret = session->settle ? session->settle(session, peer) : 0;

	if (!ret)
		ret = control_send_frame(control, MESSAGE_RESULT, &session->account);
	if (!ret && !session->settle)
		ret = control_receive_frame(control, MESSAGE_RESULT, peer);
	if (!ret && session->explains && control->dialect->negotiates)
		ret = qperf_exchange_facts(control);
	/*
	 * The peer has sent its results, and may have given up on this side since: if this side was stopped for a
	 * while, it has measured something else.
	 */
	return ret ? ret : control_receive_failure(control);
}

uint64_t session_timeout_ns(double path_rtt_s)
{
	const double long_ns = TIMEOUT_TRIPS * path_rtt_s * (double)NS_PER_S;

	return long_ns > SESSION_LOST_NS ? (uint64_t)long_ns : SESSION_LOST_NS;
}

int qperf_session_run(struct qperf_session *session, struct account *peer)
{
	struct usage usage;
	int ret;

	clock_calibrate();
	session->sends = session->client != (session->side.number[PARAM_FLIP] != 0);
	session->answer_timeout_ns = session_timeout_ns(tcp_round_trip_us(&session->control->conn) / 1e6);
	*peer = (struct account){.has_details = session->control->dialect->negotiates};
	ret = pin(&session->side);
	if (!ret)
		ret = session_ops(session->test)->open(session);
	if (!ret && session->meters)
		ret = qperf_meters_open(session->meters, session->sides, channel_fd(&session->control->channel));
	if (!ret && session->share_option)
		ret = payload_share_check(&session->sides->path, session->share_option,
					  session->sides->device.name[0] ? session->sides->device.name
					  : session->sides->netdev[0]	 ? session->sides->netdev
									 : session->test->name);
	if (!ret)
		ret = exchange_origin(session);
	if (!ret)
		ret = session_begin(session, &usage);
	if (!ret)
		ret = run_loop(session, &usage);
	if (!ret)
		ret = exchange_accounts(session, peer);
	if (ret)
		control_fail(session->control, ret == -EINTR ? LIFE_STOPPED : log_last_error());
	session_ops(session->test)->close(session);
	return ret;
}
