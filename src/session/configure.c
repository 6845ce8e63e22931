// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The configuration of the report, from the parameters. */
#include "session/configure.h"

#include <stdio.h>

#include "params/load.h"
#include "params/options.h"
#include "params/programs.h"

/* 0: the loop chooses how many completions it polls at once, and the header says so. */
static uint32_t poll_batch(const struct params *params)
{
	const bool fixed = params->queues.disable_dynamic_polling || params_given(params, "cqe_poll");

	return fixed ? params->queues.cqe_poll : 0;
}

void session_configure_report(const struct params *params, struct report_config *config)
{
	const struct program *program = params->program;
	const char *path = params_json_path(params);
	struct load load;
	const bool is_load = params_is_open_loop(params) && !load_parse(params->rate.open_rate, &load);

	_Static_assert(sizeof(config->json_path) >= sizeof(params->report.out_json_file), "a path is copied whole");
	*config = (struct report_config){
		.program = program->name,
		.is_client = params_is_client(params),
		.verb = program->verb,
		.metric = program->metric,
		.transport = params->verbs.transport,
		.atomic_type = params->test.atomic_type,
		.with_imm = params->test.with_imm,
		.bidirectional = params->test.bidirectional,
		.has_sl = program->silent && params_given(params, "sl"),
		.bursts = program->bursts,
		.by_time = params_by_time(params),
		.open_loop = params_is_open_loop(params),
		.intervals = params->report.interval_s > 0 || params->test.run_infinitely,
		.load_steps = is_load && load_is_shares(&load),
		.dual_port = params->verbs.dual_port,
		.per_port = params->verbs.per_port,
		.data_validation = params->verbs.data_validation,
		.repeats = params_repeats(params),
		.until = params->repeat.until_percent > 0,
		.steady = params->repeat.steady,
		.peers = params_gathers(params),
		.rdma_cm = params->verbs.rdma_cm,
		.tos = params->verbs.tos,
		.num_qps = params->verbs.num_qps << params->verbs.traffic.splits,
		.num_threads = params->verbs.num_threads,
		.each_alone = params->report.both || (params_gathers(params) && params->verbs.group.is_used),
		.mcast = params->verbs.group.is_used,
		.shares_receives = params->verbs.shares_receives,
		.spreads = params->verbs.frames.rss.is_used,
		.tx_depth = params->verbs.tx_depth,
		.rx_depth = params->verbs.rx_depth,
		.post_list = params->verbs.post_list,
		.recv_post_list = params->verbs.recv_post_list,
		.cq_mod = params->queues.cq_mod,
		.poll_batch = poll_batch(params),
		.events = params->verbs.events,
		.comp_vector = params->verbs.comp_vector,
		.out_of_order = params->verbs.out_of_order,
		.no_lock = params->verbs.no_lock,
		.options = &params_options,
		.programs = program_bit(program),
		.values = params,
		.format = params->report.output_format,
		.output = params->report.output,
		.every_endpoint = params->general.verbose,
		.gbits = params->report.gbits,
		.cycles = params->report.cycles,
		.histogram = params->report.histogram,
		.unsorted = params->report.unsorted,
		.cpu_util = params->report.cpu_util,
		.possible = params->report.possible,
		.timestamps = params->report.timestamps,
		.percentiles = params->report.percentiles,
		.num_percentiles = params->report.num_percentiles,
		.counters = params->report.counters,
		.labels = params->report.labels,
	};
	if (path)
		snprintf(config->json_path, sizeof(config->json_path), "%s", path);
}
