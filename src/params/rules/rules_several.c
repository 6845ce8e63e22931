// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Options that cannot be combined with several threads, ports, receivers of a multicast group, or peers at once. See
 * rules.h.
 */
#include <string.h>

#include "params/masks.h"
#include "params/perftest_parameters.h"
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

void rules_multicast(struct rules *rules, const struct params *params)
{
	const struct verbs_config *verbs = &params->verbs;
	const struct params_channel *channel = &params->channel;

	rule_add(rules, SEND, params_given(params, "MGID") && !verbs->group.is_used, "MGID",
		 "-M selects the multicast group of -g: give -g as well");
	rule_add(rules, SEND & BW, verbs->group.is_used && params->spec.bidirectional, "",
		 "-g works in one direction only: omit -b");
	rule_add(rules, SEND, verbs->group.is_used && verbs->rdma_cm, "",
		 "-R connects pairs of QPs, -g uses a multicast group: omit -R; -z uses rdma_cm for the side channel "
		 "only");
	/* Every queue pair of the receiver gets each message, but its slots are for messages of its own. */
	rule_add(rules, SEND & BW, verbs->group.is_used && verbs->data_validation && params->queues.num_qps > 1, "qp",
		 "--data_validation with -g checks what arrives at one queue pair: omit -q");
	rule_add(rules, SEND & BW, channel->connectionless && !verbs->group.is_used, "",
		 "--connectionless is for a further receiver of a multicast group: give -g as well");
	rule_add(rules, SEND & BW, channel->connectionless && params->host[0], "",
		 "--connectionless is for a receiver that connects to no peer, and a HOST makes this side the client");
	/* What both sides agree on during a run. */
	rule_add(rules, SEND & BW,
		 channel->connectionless && (verbs->all_sizes || verbs->data_validation || params->test.reversed ||
					     channel->keep_serving || params_repeats(params)),
		 "",
		 "-a, --data_validation, --reversed, --keep_serving, --repeat and --until must be negotiated with a "
		 "peer, which --connectionless does not have");
}

#define MOST_QUEUE_PAIRS 8192 /* per port: both sides exchange at most 16384 */

void rules_ports(struct rules *rules, const struct params *params)
{
	const struct verbs_config *verbs = &params->verbs;
	const bool two_devices = strchr(verbs->device_name, ',');

	/* A server may still get -O from its client. */
	rule_add(rules, ALL, two_devices && !verbs->dual_port && params_is_client(params), "ib-dev",
		 "-d names two devices, which needs -O");
	rule_add(rules, ALL, two_devices && params->general.doctor, "ib-dev",
		 "--doctor examines one device: name only one with -d");
	rule_add(rules, BW & ~RAW, verbs->dual_port && verbs->rdma_cm, "",
		 "-O cannot be combined with -R: rdma_cm selects the port by the IP address");
	rule_add(rules, BW & SEND, verbs->dual_port && verbs->group.is_used, "",
		 "-O cannot be combined with -g: a group is joined on one port");
	rule_add(rules, BW & ~RAW, verbs->dual_port && params->asked.num_qps > MOST_QUEUE_PAIRS, "qp",
		 "with -O, -q is the number for each port, at most 8192");
	rule_add(rules, BW & ~RAW, verbs->dual_port && two_devices && verbs->shares_receives, "ib-dev",
		 "-O with two devices cannot be combined with --use-srq, -c XRC or -c DC: receives are shared on one "
		 "device");
	rule_add(rules, BW & ~RAW, verbs->dual_port && two_devices && params->memory.device_memory && !verbs->mr_per_qp,
		 "ib-dev", "--use_ib_dm is memory of only one of the two devices of -O: give --mr_per_qp as well");
	rule_add(rules, BW & ~RAW,
		 verbs->per_port && (!verbs->dual_port || !params->asked.duration_s || params->test.run_infinitely), "",
		 "--report-per-port works only with -O and -D");
	rule_add(rules, BW & ~RAW, verbs->per_port && (params->test.interval_s > 0 || params_repeats(params)), "",
		 "--report-per-port covers the whole run: omit --report_interval, --repeat and --until");
	rule_add(rules, BW & ~RAW, verbs->per_port && verbs->data_validation, "",
		 "--data_validation measures in rounds, which --report-per-port does not support: give one of them");
}

/*
 * A common row is made from what each peer reports at the end of a measurement (session/group/group.c), so figures of a
 * moment, or of one measurement among several, are missing.
 */
void rules_clients(struct rules *rules, const struct params *params)
{
	const struct verbs_config *verbs = &params->verbs;
	const struct params_test *test = &params->test;
	const struct report_config *report = &params->report;
	const bool gathers = params_gathers(params);

	rule_add(rules, IB, verbs->num_clients && params->host[0], "",
		 "--clients is for the server, and a HOST makes this side the client");
	rule_add(rules, IB, gathers && params->channel.dont_xchg_versions, "",
		 "--clients and several HOSTs need this suite on both sides: omit --dont_xchg_versions");
	rule_add(rules, IB, verbs->num_clients && params_meet_by_rdma_cm(params), "",
		 "--clients accepts clients over TCP only: omit -R and -z on both sides");
	rule_add(rules, SEND & BW, verbs->num_clients && (verbs->group.is_used || params->channel.connectionless), "",
		 "-g has one sender, and --clients waits for several: start each receiver with -g alone, and name all "
		 "of them on the sender: ib_send_bw -g HOST1,HOST2,...");
	rule_add(rules, SEND & LAT, gathers && verbs->group.is_used, "",
		 "with -g a ping-pong has two sides: omit --clients and name one HOST, or measure several receivers "
		 "with ib_send_bw -g HOST1,HOST2,...");
	rule_add(rules, IB, gathers && (test->run_infinitely || test->interval_s > 0), "",
		 "--clients and several HOSTs print one row for the whole run: omit --run_infinitely and "
		 "--report_interval");
	rule_add(rules, IB, params->limits.peers && !(gathers && params_has_limit(params)), "",
		 "--limit_peers compares each peer of --clients or of several HOSTs with a limit (-w, -y, --max_lat, "
		 "--max_p99, --max_percentiles): give both");
	rule_add(rules, IB, gathers && params_repeats(params), "",
		 "--clients and several HOSTs print the row of a single measurement: omit --repeat and --until");
	rule_add(rules, LAT & ~RAW, gathers && params_is_open_loop(params), "rate",
		 "--rate works with a single pair: omit it, or omit --clients and name one HOST");
	rule_add(rules, IB, gathers && verbs->data_validation, "",
		 "--data_validation runs each pair in rounds of its own, not all pairs at once: omit --clients, or "
		 "name one HOST");
	rule_add(rules, LAT & ~RAW, gathers && (report->histogram || report->unsorted), "",
		 "--clients and several HOSTs merge histograms, which hold no single samples: give -H and -U to the "
		 "other sides");
	rule_add(rules, IB, gathers && report->counters[0], "",
		 "-W counts on one device, but each pair has its own: omit --clients, or name one HOST");
	rule_add(
		rules, IB, gathers && test->reversed, "",
		"--reversed swaps the roles of --clients and of several HOSTs: start the other side with them instead");
	/* All would begin with the same CPU. */
	rule_add(rules, IB, gathers && verbs->num_threads > 1, "threads",
		 "--clients and several HOSTs use one process for each pair: omit --threads");
	/* The next size's, while others still measure the last one. */
	rule_add(rules, BW & IB, gathers && verbs->all_sizes && params->rate.warm_up, "",
		 "with several sizes, the warm-up of one pair would disturb what other pairs measure: omit -a, --sizes "
		 "or --perform_warm_up");
	rule_add(rules, BW & IB, gathers && verbs->per_port, "report-per-port",
		 "--report-per-port works with a single pair: omit it, or omit --clients and name one HOST");
}
