// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Several threads, each with its queues. See measurement.h. */
#include "session/measure/measurement.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "loops/poll_monitor.h"
#include "loops/run.h"
#include "session/print/print.h"
#include "session/steps.h"
#include "stats/clock.h"
#include "util/cpulist.h"
#include "util/log.h"
#include "util/stop.h"
#include "util/terminal.h"

/*
 * How often a thread publishes its counts, and checks whether all are to end. In a ping-pong each time costs a sample,
 * as any tick does.
 */
#define REPORT_NS	  1e6
#define REPORT_LATENCY_NS 50e6
#define LOOK_NS		  1000000L /* of the first thread, if it has ended before others */
#define CACHE_LINES	  128	   /* bytes: two lines, as they are prefetched in pairs */

/* A thread's own data, apart from that of other threads. */
struct worker {
	_Alignas(CACHE_LINES) struct run run;
	struct threads *threads;
	struct latency *latency; /* NULL: of a bandwidth test */
	pthread_t id;
	int cpu;     /* on which it runs; -1: the kernel chooses */
	int pin_err; /* why */
	int ret;     /* of its loop */
	pthread_mutex_t lock;
	struct run_result published; /* by lock: its counts as last published */
};

struct threads {
	loop_fn loop;
	struct worker *workers;
	unsigned count;
	unsigned started; /* of these, without the first */
	int *cpus;
	bool pins_reported; /* reported that a thread could not have its CPU */
	bool has_before;
	struct cpulist before; /* CPUs of the first thread outside a run */
	uint64_t report_cycles;

	struct run *all;
	struct run_result *results; /* of each, as last added up */
	uint64_t moved;		    /* messages of all, at the last look after the first thread's loop */
	bool stopped;		    /* a hook ended the run */

	/* Between threads: */
	unsigned arrived;   /* atomic: how many are ready */
	bool go;	    /* atomic: they may begin, */
	bool gives_up;	    /* or, set before it, end without a run */
	int answer;	    /* atomic, an enum idle_answer: of the first thread's hooks, for all */
	uint64_t peer_seen; /* atomic: with IDLE_ABORT, peer_seen_cycles for all */
	int failed;	    /* atomic: the first thread whose loop failed; -1: none */
	unsigned ended;	    /* atomic: how many of the others */
};

/* --- what each thread does --- */

static void publish(struct worker *worker)
{
	pthread_mutex_lock(&worker->lock);
	worker->published = worker->run.result;
	pthread_mutex_unlock(&worker->lock);
}

/* For a hook of this thread. What goes with the answer is in its result. */
static enum idle_answer take_answer(struct worker *worker)
{
	const int answer = __atomic_load_n(&worker->threads->answer, __ATOMIC_ACQUIRE);

	worker->run.result.peer_seen_cycles = __atomic_load_n(&worker->threads->peer_seen, __ATOMIC_RELAXED);
	return (enum idle_answer)answer;
}

/* An abort overrides other answers. */
static void answer_all(struct threads *threads, enum idle_answer answer)
{
	int before = IDLE_WAIT;

	if (answer == IDLE_ABORT)
		__atomic_store_n(&threads->answer, IDLE_ABORT, __ATOMIC_RELEASE);
	else if (answer == IDLE_DRAIN)
		__atomic_compare_exchange_n(&threads->answer, &before, IDLE_DRAIN, false, __ATOMIC_RELEASE,
					    __ATOMIC_RELAXED);
}

static void note_end(struct threads *threads, struct worker *worker, int ret)
{
	int none = -1;

	worker->ret = ret;
	if (!ret)
		return;
	__atomic_compare_exchange_n(&threads->failed, &none, (int)(worker - threads->workers), false, __ATOMIC_ACQ_REL,
				    __ATOMIC_RELAXED);
	answer_all(threads, IDLE_ABORT);
}

static uint64_t worker_tick(struct run *run, uint64_t now)
{
	struct worker *worker = run->hooks.owner;

	publish(worker);
	if (take_answer(worker) == IDLE_ABORT)
		run->result.stopped = true;
	return now + worker->threads->report_cycles;
}

static enum idle_answer worker_idle(struct run *run)
{
	struct worker *worker = run->hooks.owner;

	publish(worker);
	return stop_requested() ? IDLE_ABORT : take_answer(worker);
}

/* All begin at once, with no system call in between. */
static bool thread_await_start(struct threads *threads)
{
	__atomic_add_fetch(&threads->arrived, 1, __ATOMIC_ACQ_REL);
	while (!__atomic_load_n(&threads->go, __ATOMIC_ACQUIRE))
		sched_yield();
	return !threads->gives_up;
}

static void worker_pin(struct worker *worker)
{
	struct cpulist one = {{0}};

	worker->cpu = worker->threads->cpus[worker - worker->threads->workers];
	one.bits[worker->cpu / 64] |= 1ULL << worker->cpu % 64;
	worker->pin_err = cpulist_run_on(&one);
	if (worker->pin_err)
		worker->cpu = -1;
}

static void *work(void *arg)
{
	struct worker *worker = arg;
	struct threads *threads = worker->threads;

	worker_pin(worker);
	if (thread_await_start(threads))
		note_end(threads, worker, threads->loop(&worker->run));
	publish(worker);
	__atomic_add_fetch(&threads->ended, 1, __ATOMIC_RELEASE);
	return NULL;
}

/* --- what the first thread does for all --- */

/* As far as they have published; after their end, completely. */
static void threads_add_up(struct threads *threads)
{
	threads->results[0] = threads->workers[0].run.result;
	for (unsigned i = 1; i < threads->count; i++) {
		struct worker *worker = &threads->workers[i];

		pthread_mutex_lock(&worker->lock);
		threads->results[i] = worker->published;
		pthread_mutex_unlock(&worker->lock);
	}
	run_sum(&threads->all->result, threads->results, threads->count);
	threads->all->result.stopped |= threads->stopped;
}

/* A hook of the first thread ends the run. */
static void stop_all(struct threads *threads)
{
	threads->stopped = true;
	__atomic_store_n(&threads->peer_seen, threads->all->result.peer_seen_cycles, __ATOMIC_RELAXED);
	answer_all(threads, IDLE_ABORT);
}

static void tick_for_all(struct threads *threads, uint64_t now)
{
	struct run *all = threads->all;

	if (threads->stopped || now < all->hooks.next_tick_cycles)
		return;
	threads_add_up(threads);
	if (poll_monitor_tick(all, now))
		stop_all(threads);
}

static enum idle_answer ask_for_all(struct threads *threads)
{
	enum idle_answer answer;

	/*
	 * The others know of the user's request, and may complete what they have in flight. Errors are reported once.
	 */
	if (threads->stopped || stop_requested())
		return IDLE_ABORT;
	threads_add_up(threads);
	answer = threads->all->hooks.idle(threads->all);
	if (answer == IDLE_ABORT)
		stop_all(threads);
	else
		answer_all(threads, answer);
	/* Another thread may have failed. */
	return take_answer(&threads->workers[0]);
}

static uint64_t first_tick(struct run *run, uint64_t now)
{
	struct worker *worker = run->hooks.owner;
	struct threads *threads = worker->threads;
	const uint64_t next = now + threads->report_cycles;

	tick_for_all(threads, now);
	if (take_answer(worker) == IDLE_ABORT)
		run->result.stopped = true;
	return next < threads->all->hooks.next_tick_cycles ? next : threads->all->hooks.next_tick_cycles;
}

static enum idle_answer first_idle(struct run *run)
{
	struct worker *worker = run->hooks.owner;

	return ask_for_all(worker->threads);
}

/* Its own loop is over: does what poll_monitor.c does inside a loop. */
static void look_after_others(struct threads *threads)
{
	while (__atomic_load_n(&threads->ended, __ATOMIC_ACQUIRE) < threads->started) {
		uint64_t moved;

		clock_nanosleep(CLOCK_MONOTONIC, 0, &(const struct timespec){.tv_nsec = LOOK_NS}, NULL);
		tick_for_all(threads, clock_cycles());
		threads_add_up(threads);
		moved = threads->all->result.posted + threads->all->result.completed + threads->all->result.received;
		if (moved == threads->moved)
			ask_for_all(threads);
		threads->moved = moved;
	}
}

static void threads_join(struct threads *threads)
{
	for (unsigned i = 1; i <= threads->started; i++)
		pthread_join(threads->workers[i].id, NULL);
	threads->started = 0;
	if (threads->has_before)
		cpulist_run_on(&threads->before);
}

/* --- a run --- */

/* The user's signals go to the first thread, whose waits end with them. */
static int start(struct threads *threads)
{
	sigset_t stops, before;
	int err = 0;

	sigemptyset(&stops);
	stop_add_to(&stops);
	pthread_sigmask(SIG_BLOCK, &stops, &before);
	while (!err && threads->started < threads->count - 1) {
		struct worker *worker = &threads->workers[threads->started + 1];

		err = pthread_create(&worker->id, NULL, work, worker);
		threads->started += !err;
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return -err;
}

static void report_pins(struct threads *threads)
{
	for (unsigned i = 0; i < threads->count && !threads->pins_reported; i++) {
		if (!threads->workers[i].pin_err)
			continue;
		log_warning("--threads: thread %u cannot run on CPU %d: %s; the kernel places it", i + 1,
			    threads->cpus[i], strerror(-threads->workers[i].pin_err));
		threads->pins_reported = true;
	}
}

int session_gather_threads(struct session *session)
{
	struct threads *threads = session->threads;
	int ret;

	if (!threads)
		return 0;
	threads->arrived = 0;
	threads->go = threads->gives_up = false;
	threads->answer = IDLE_WAIT;
	threads->peer_seen = 0;
	threads->failed = -1;
	threads->ended = 0;
	for (unsigned i = 0; i < threads->count; i++)
		if (threads->workers[i].latency)
			latency_reset(threads->workers[i].latency);
	threads->has_before = !cpulist_allowed(&threads->before);
	worker_pin(&threads->workers[0]);
	ret = start(threads);
	if (ret) {
		log_error("cannot start thread %u of %u: %s; lower --threads", threads->started + 2, threads->count,
			  strerror(-ret));
		threads->gives_up = true;
		__atomic_store_n(&threads->go, true, __ATOMIC_RELEASE);
		threads_join(threads);
		return ret;
	}
	while (__atomic_load_n(&threads->arrived, __ATOMIC_ACQUIRE) < threads->started)
		sched_yield();
	report_pins(threads);
	return 0;
}

static void prepare(struct threads *threads, unsigned index, const struct resources *resources)
{
	struct worker *worker = &threads->workers[index];
	const struct run *all = threads->all;

	worker->run = (struct run){
		.queues = resources->sets[index],
		.plan = all->plan,
		.hooks = {.tick = index ? worker_tick : first_tick,
			  .next_tick_cycles = clock_cycles() + threads->report_cycles,
			  .idle = index ? worker_idle : first_idle,
			  .owner = worker},
	};
	if (!index && all->hooks.next_tick_cycles < worker->run.hooks.next_tick_cycles)
		worker->run.hooks.next_tick_cycles = all->hooks.next_tick_cycles;
	if (all->plan.latency)
		worker->run.plan.latency = worker->latency;
	worker->published = (struct run_result){0};
	worker->ret = 0;
}

/* The result of all, once they have ended. Returns that of the first loop that failed; 0: none did. */
static int conclude_threads(struct threads *threads)
{
	struct run *all = threads->all;
	const int failed = threads->failed;

	threads_add_up(threads);
	run_sum_cut_short(&all->result, &all->plan, threads->results, threads->count);
	for (unsigned i = 0; i < threads->count && all->plan.latency; i++)
		latency_add(all->plan.latency, threads->workers[i].latency);
	if (failed < 0)
		return 0;
	all->result.failure = threads->workers[failed].run.result.failure;
	return threads->workers[failed].ret;
}

int session_run_threads(struct session *session, struct run *run)
{
	struct threads *threads = session->threads;
	struct worker *first = &threads->workers[0];

	threads->all = run;
	threads->stopped = false;
	threads->moved = 0;
	for (unsigned i = 0; i < threads->count; i++)
		prepare(threads, i, &session->resources);
	__atomic_store_n(&threads->go, true, __ATOMIC_RELEASE);
	note_end(threads, first, threads->loop(&first->run));
	look_after_others(threads);
	threads_join(threads);
	return conclude_threads(threads);
}

/* --- rows --- */

int session_report_threads(struct session *session, const struct run *run, bool partial)
{
	const struct threads *threads = session->threads;
	int ret = 0;

	for (unsigned i = 0; threads && !ret && i < threads->count; i++) {
		struct run part = *run;
		struct report_row row = {0};

		part.result = threads->results[i];
		part.result.begin_cycles = run->result.begin_cycles;
		part.result.finish_cycles = run->result.finish_cycles;
		part.plan.latency = threads->workers[i].latency;
		session_row(session, &part, &row);
		row.lost = session->traffic.transport->reliable ? 0 : REPORT_NOT_KNOWN;
		row.partial = partial;
		row.thread = i + 1;
		row.cpu = threads->workers[i].cpu;
		ret = report_result(session->report, &row, REPORT_THREAD);
	}
	return ret;
}

/* --- once for a test --- */

static int open_workers(struct threads *threads, const struct session *session)
{
	int err = 0;

	for (unsigned i = 0; !err && i < threads->count; i++) {
		struct worker *worker = &threads->workers[i];

		worker->threads = threads;
		worker->cpu = -1;
		pthread_mutex_init(&worker->lock, NULL);
		if (!session->traffic.samples)
			continue;
		worker->latency = calloc(1, sizeof(*worker->latency));
		err = worker->latency ? latency_open(worker->latency, 0) : -ENOMEM;
	}
	return err;
}

static int choose_cpus(struct threads *threads, const struct session *session)
{
	char text[256] = "";
	int different;

	/* A software device's peer is on this host. */
	different = session_choose_cpus(threads->cpus, threads->count,
					session->device.is_software && !session->comm.client);
	if (different < 0)
		return log_fail(different, "--threads: cannot determine on which CPUs this process may run: %s",
				strerror(-different));
	if ((unsigned)different < threads->count)
		log_warning("--threads %u: this process may use only %d CPU%s, which the threads share: figures will "
			    "be worse",
			    threads->count, different, different == 1 ? "" : "s");
	for (unsigned i = 0; i < threads->count; i++)
		text_add(text, sizeof(text), " %d", threads->cpus[i]);
	log_detail("threads: %u, on CPUs%s", threads->count, text);
	return 0;
}

int session_open_threads(struct session *session)
{
	const unsigned count = session->resources.num_sets;
	struct threads *threads;

	if (count <= 1 || !session->loop)
		return 0;
	threads = session->threads = calloc(1, sizeof(*threads));
	if (threads) {
		threads->loop = session->loop;
		threads->count = count;
		threads->report_cycles =
			clock_ns_to_cycles(session->traffic.metric == METRIC_LAT ? REPORT_LATENCY_NS : REPORT_NS);
		threads->workers = aligned_alloc(CACHE_LINES, count * sizeof(*threads->workers));
		threads->results = calloc(count, sizeof(*threads->results));
		threads->cpus = calloc(count, sizeof(*threads->cpus));
	}
	if (threads && threads->workers)
		memset(threads->workers, 0, count * sizeof(*threads->workers));
	if (!threads || !threads->workers || !threads->results || !threads->cpus || open_workers(threads, session)) {
		log_error("no memory for %u threads; lower --threads", count);
		session_close_threads(session);
		return -ENOMEM;
	}
	return choose_cpus(threads, session);
}

void session_close_threads(struct session *session)
{
	struct threads *threads = session->threads;

	if (!threads)
		return;
	for (unsigned i = 0; threads->workers && i < threads->count; i++) {
		struct worker *worker = &threads->workers[i];

		if (worker->latency)
			latency_close(worker->latency);
		free(worker->latency);
		if (worker->threads)
			pthread_mutex_destroy(&worker->lock);
	}
	free(threads->cpus);
	free(threads->results);
	free(threads->workers);
	free(threads);
	session->threads = NULL;
}
