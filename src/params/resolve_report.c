// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The values of struct report_config that follow from several options; the others are stored straight into it. */
#include <stdio.h>

#include "params/load.h"
#include "params/options.h"
#include "params/programs.h"
#include "params/resolve.h"

void resolve_report(struct params *params)
{
	struct report_config *report = &params->report;
	struct load load;

	report->options = &params_options;
	report->programs = program_bit(params->program);
	report->program = params->program->name;
	report->is_client = params_is_client(params);
	report->intervals = params->test.interval_s > 0 || params->test.run_infinitely;
	report->load_steps =
		params->spec.open_loop && !load_parse(params->rate.open_rate, &load) && load_is_shares(&load);
	report->repeats = params_repeats(params);
	report->until = params->repeat.until_percent > 0;
	report->steady = params->repeat.steady;
	report->peers = params_gathers(params);
	report->poll_batch = params->queues.disable_dynamic_polling ? params->queues.cqe_poll : 0;
	report->each_alone = report->both || (report->peers && params->verbs.group.is_used);
	report->out_json = params->asked.out_json || params_given(params, "out_json_file");
	snprintf(report->json_path, sizeof(report->json_path), "%s",
		 !report->out_json	    ? ""
		 : report->out_json_file[0] ? report->out_json_file
					    : "perftest_out.json");
}
