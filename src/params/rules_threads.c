// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Options that several threads cannot be combined with. See rules.h. */
#include <string.h>

#include "params/load.h"
#include "params/masks.h"
#include "params/rules.h"

static bool has_threads(const struct params *params)
{
	return params->queues.num_threads > 1;
}

static bool threads_leave_rest(const struct params *params)
{
	return params->queues.num_qps % params->queues.num_threads;
}

static bool threads_of_group(const struct params *params)
{
	return has_threads(params) && params->test.mcast;
}

static bool threads_validate(const struct params *params)
{
	return has_threads(params) && params->test.data_validation;
}

/* The program's limit; a device's limit applies per queue pair. */
static bool threads_with_rate_limit(const struct params *params)
{
	return has_threads(params) && params_message_limit(params, params->test.size) > 0;
}

static bool threads_of_open_loop(const struct params *params)
{
	return has_threads(params) && params_is_open_loop(params);
}

static bool threads_in_intervals(const struct params *params)
{
	return has_threads(params) && (params->report.interval_s > 0 || params->test.run_infinitely);
}

static bool threads_print_samples(const struct params *params)
{
	return has_threads(params) && (params->report.histogram || params->report.unsorted);
}

static bool threads_per_port(const struct params *params)
{
	return has_threads(params) && params->report.per_port;
}

/* There is one thread domain, which does not protect threads from each other. */
static bool threads_without_locks(const struct params *params)
{
	return has_threads(params) && params->queues.no_lock;
}

/* All queue pairs of a thread may be on one of the two. */
static bool threads_of_two_devices(const struct params *params)
{
	return has_threads(params) && params->device.dual_port && strchr(params->device.name, ',');
}

/* The byte is read with the vendor's calls, which only work in the thread that opened the GPU. */
static bool threads_poll_gpu(const struct params *params)
{
	return has_threads(params) && params_traffic(params, SIDE_CLIENT).polls_memory &&
	       params_accelerators(params) > 0;
}

static const struct rule rows[] = {
	{BW & IB,
	 threads_leave_rest,
	 "-q must be a multiple of --threads, since each thread drives the same number of queue pairs",
	 {"qp", "threads"}},
	{SEND, threads_of_group, "--threads cannot be combined with -g: a group has one sender", {"threads"}},
	{IB, threads_validate, "--data_validation runs in rounds, in one thread: omit --threads", {"threads"}},
	{BW & IB,
	 threads_with_rate_limit,
	 "a rate limit in software is kept by one thread: omit --threads, or give --rate_limit_type=HW",
	 {"threads"}},
	{LAT & IB, threads_of_open_loop, "--rate runs its schedule in one thread: omit --threads", {"threads"}},
	{LAT & IB,
	 threads_in_intervals,
	 "a latency test with --threads cannot print interval rows, since threads have exchanges open when an interval "
	 "ends: omit --threads, or --report_interval and --run_infinitely",
	 {"threads"}},
	{LAT & IB,
	 threads_print_samples,
	 "-H and -U print the samples of one thread, in order: omit --threads",
	 {"threads"}},
	{BW & IB,
	 threads_per_port,
	 "--report-per-port works with one thread: omit it or --threads",
	 {"report-per-port", "threads"}},
	{BW & IB,
	 threads_without_locks,
	 "--no_lock creates queues for one thread: omit it or --threads",
	 {"no_lock", "threads"}},
	{BW & IB,
	 threads_of_two_devices,
	 "--threads with -O needs two ports of one device: name one device with -d",
	 {"ib-dev", "threads"}},
	{LAT & WRITE,
	 threads_poll_gpu,
	 "a plain RDMA WRITE into GPU memory is polled by one thread: omit --threads, or give --write_with_imm",
	 {"threads"}},
};

const struct rule_set rules_threads = {rows, sizeof(rows) / sizeof(rows[0])};
