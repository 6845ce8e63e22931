// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Options that several threads cannot be combined with. See rules.h. */
#include <string.h>

#include "params/load.h"
#include "params/masks.h"
#include "params/rules/rules.h"

CONDITION(has_threads, params->verbs.num_threads > 1)
CONDITION(threads_leave_rest, params->queues.num_qps % params->verbs.num_threads)
CONDITION(threads_of_group, has_threads(params) && params->verbs.group.is_used)
CONDITION(threads_validate, has_threads(params) && params->verbs.data_validation)
/* The program's limit; a device's limit applies per queue pair. */
CONDITION(threads_with_rate_limit, has_threads(params) && params_message_limit(params, params->verbs.size) > 0)
CONDITION(threads_of_open_loop, has_threads(params) && params_is_open_loop(params))
CONDITION(threads_in_intervals, has_threads(params) && (params->test.interval_s > 0 || params->test.run_infinitely))
CONDITION(threads_print_samples, has_threads(params) && (params->report.histogram || params->report.unsorted))
CONDITION(threads_per_port, has_threads(params) && params->verbs.per_port)
/* There is one thread domain, which does not protect threads from each other. */
CONDITION(threads_without_locks, has_threads(params) && params->verbs.no_lock)
/* All queue pairs of a thread may be on one of the two. */
CONDITION(threads_of_two_devices,
	  has_threads(params) && params->verbs.dual_port && strchr(params->verbs.device_name, ','))
/* The byte is read with the vendor's calls, which only work in the thread that opened the GPU. */
CONDITION(threads_poll_gpu,
	  has_threads(params) && params_traffic(params, SIDE_CLIENT).polls_memory && params_accelerators(params) > 0)

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
