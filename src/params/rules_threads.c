// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What can several threads not do at once? See rules.h. */
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

/* The program's; that of a device is of a queue pair. */
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

/* There is one thread domain, in which nothing keeps two threads apart. */
static bool threads_without_locks(const struct params *params)
{
	return has_threads(params) && params->queues.no_lock;
}

/* Of a set's queue pairs all may be on one of the two. */
static bool threads_of_two_devices(const struct params *params)
{
	return has_threads(params) && params->device.dual_port && strchr(params->device.name, ',');
}

/* Its byte is read by the vendor's calls, which know the thread that has opened the GPU. */
static bool threads_poll_gpu(const struct params *params)
{
	return has_threads(params) && params_traffic(params, SIDE_CLIENT).polls_memory &&
	       params_accelerators(params) > 0;
}

static const struct rule rows[] = {
	{BW & IB,
	 threads_leave_rest,
	 "-q must be a multiple of --threads, each of which drives as many queue pairs",
	 {"qp", "threads"}},
	{SEND, threads_of_group, "--threads cannot be combined with -g: a group has one sender", {"threads"}},
	{IB,
	 threads_validate,
	 "--data_validation checks in rounds, which one thread goes through: leave --threads out",
	 {"threads"}},
	{BW & IB & ~ATOMIC,
	 threads_with_rate_limit,
	 "a rate limit by the program is kept by one thread: leave --threads out, or give --rate_limit_type=HW",
	 {"threads"}},
	{LAT & IB,
	 threads_of_open_loop,
	 "the schedule of --rate is that of one thread: leave --threads out",
	 {"threads"}},
	{LAT & IB,
	 threads_in_intervals,
	 "--threads has no rows of intervals in a latency test: at the end of one the threads have exchanges open",
	 {"threads"}},
	{LAT & IB,
	 threads_print_samples,
	 "-H and -U print samples in one order, which those of several threads do not have: leave --threads out",
	 {"threads"}},
	{BW & IB,
	 threads_per_port,
	 "--report-per-port tells the ports of one thread apart: leave --threads or it out",
	 {"report-per-port", "threads"}},
	{BW & IB,
	 threads_without_locks,
	 "--no_lock makes queues for one thread: leave it or --threads out",
	 {"no_lock", "threads"}},
	{BW & IB,
	 threads_of_two_devices,
	 "--threads with -O takes two ports of one device: name one with -d",
	 {"ib-dev", "threads"}},
	{LAT & WRITE,
	 threads_poll_gpu,
	 "the byte that a plain RDMA WRITE is awaited by is read from a GPU by one thread: leave --threads out, or "
	 "give --write_with_imm",
	 {"threads"}},
};

const struct rule_set rules_threads = {rows, sizeof(rows) / sizeof(rows[0])};
