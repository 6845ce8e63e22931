// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Options that several threads cannot be combined with. See rules.h. */
#include <string.h>

#include "params/load.h"
#include "params/masks.h"
#include "params/rules/rules.h"

void rules_threads(struct rules *rules, const struct params *params)
{
	const struct verbs_config *verbs = &params->verbs;
	const bool has_threads = verbs->num_threads > 1;

	rule_add(rules, BW & IB, params->queues.num_qps % verbs->num_threads, "qp threads",
		 "-q must be a multiple of --threads, since each thread drives the same number of queue pairs");
	rule_add(rules, SEND, has_threads && verbs->group.is_used, "threads",
		 "--threads cannot be combined with -g: a group has one sender");
	rule_add(rules, IB, has_threads && verbs->data_validation, "threads",
		 "--data_validation runs in rounds, in one thread: omit --threads");
	/* The program's limit; a device's limit applies per queue pair. */
	rule_add(rules, BW & IB, has_threads && params_message_limit(params, verbs->size) > 0, "threads",
		 "a rate limit in software is kept by one thread: omit --threads, or give --rate_limit_type=HW");
	rule_add(rules, LAT & IB, has_threads && params_is_open_loop(params), "threads",
		 "--rate runs its schedule in one thread: omit --threads");
	rule_add(rules, LAT & IB, has_threads && (params->test.interval_s > 0 || params->test.run_infinitely),
		 "threads",
		 "a latency test with --threads cannot print interval rows, since threads have exchanges open when an "
		 "interval ends: omit --threads, or --report_interval and --run_infinitely");
	rule_add(rules, LAT & IB, has_threads && (params->report.histogram || params->report.unsorted), "threads",
		 "-H and -U print the samples of one thread, in order: omit --threads");
	rule_add(rules, BW & IB, has_threads && verbs->per_port, "report-per-port threads",
		 "--report-per-port works with one thread: omit it or --threads");
	/* There is one thread domain, which does not protect threads from each other. */
	rule_add(rules, BW & IB, has_threads && verbs->no_lock, "no_lock threads",
		 "--no_lock creates queues for one thread: omit it or --threads");
	/* All queue pairs of a thread may be on one of the two. */
	rule_add(rules, BW & IB, has_threads && verbs->dual_port && strchr(verbs->device_name, ','), "ib-dev threads",
		 "--threads with -O needs two ports of one device: name one device with -d");
	/* The byte is read with the vendor's calls, which only work in the thread that opened the GPU. */
	rule_add(
		rules, LAT & WRITE,
		has_threads && params_traffic(params, SIDE_CLIENT).polls_memory && params_accelerators(params) > 0,
		"threads",
		"a plain RDMA WRITE into GPU memory is polled by one thread: omit --threads, or give --write_with_imm");
}
