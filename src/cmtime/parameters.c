// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Parses cmtime's options, and checks the rules between them. */
#include "cmtime/parameters.h"

#include <string.h>

#include "params/engine/host.h"
#include "util/file.h"

static bool cmtime_is_given(const struct cmtime_params *params, const char *long_name)
{
	const struct opt_row *row = opt_find(&cmtime_options, long_name);

	return row && params->given[row - cmtime_options.rows];
}

/* The n-th rule, and whether these parameters break it; NULL: there are no more. */
static const char *rule_of(const struct cmtime_params *params, size_t n, bool *is_broken)
{
	const bool has_interface = params->bind_interface[0], has_address = params->bind_address[0];
	const bool has_place = has_interface || has_address, has_controller = params->controller[0];
	const struct series_plan *repeat = &params->repeat;
	const bool repeats = series_repeats(repeat), has_goal = repeat->until_percent > 0;
	const struct {
		bool is_broken;
		const char *sentence;
	} rules[] = {
		{!has_controller && !has_place,
		 "every instance needs -C, the address of the one that keeps all in step, and -b or -B, the address or "
		 "the interface of its connections; for TCP on this host: -S -C 127.0.0.1 -b 127.0.0.1, and -L on one"},
		{!has_controller,
		 "every instance needs -C: the name or address of the instance that keeps all in step"},
		{!has_place,
		 "every instance needs -B or -b: the network interface, or the address, that its connections use; for "
		 "TCP on this host: -S -b 127.0.0.1"},
		{has_interface && has_address, "-B and -b both select the local address: give one of them"},
		{params->keep_serving && !params->listen, "--keep_serving is for a server: give -L as well"},
		{params->sockets && params->mimic_us >= 0,
		 "-m simulates queue pairs, which the sockets of -S do not have"},
		{params->limit_intervals && (!(params->report_interval_s > 0) || !(params->limit_rate > 0)),
		 "--limit_intervals compares the rows of --report_interval with --limit_rate: give both as well"},
		{params->limit_peers && !(params->limit_rate > 0) && !latency_limits_are_given(&params->latency),
		 "--limit_peers compares each client with a limit (--limit_rate, --max_lat, --max_p99, "
		 "--max_percentiles): give both"},
		{repeat->count > 1 && has_goal, COMMON_REPEAT_OR_UNTIL},
		{!has_goal && (cmtime_is_given(params, "max_repeats") || cmtime_is_given(params, "max_time")),
		 COMMON_LIMITS_OF_UNTIL},
		{repeat->steady && !repeats, COMMON_STEADY_OF_ONE},
		{repeats && params->report_interval_s > 0, COMMON_REPEAT_OR_INTERVALS},
		{params->window && params->rate > 0,
		 "--window starts a connection when another is done, --rate starts it on schedule: give one of them"},
	};

	if (n >= sizeof(rules) / sizeof(rules[0]))
		return NULL;
	*is_broken = rules[n].is_broken;
	return rules[n].sentence;
}

void cmtime_params_init(struct cmtime_params *params)
{
	memset(params, 0, sizeof(*params));
	opt_init(&cmtime_options, CMTIME_PROGRAM, params);
}

int cmtime_params_parse(struct cmtime_params *params, int argc, char **argv, char *reason, size_t reason_size)
{
	struct cmtime_params parsed = *params;
	struct opt_found found = {.given = parsed.given, .idle = parsed.idle};
	char controller[sizeof(parsed.controller)];
	int ret;

	ret = opt_parse(&cmtime_options, CMTIME_PROGRAM, argc, argv, &parsed, &found, reason, reason_size);
	if (ret)
		return ret;
	memcpy(controller, parsed.controller, sizeof(controller));
	if (controller[0])
		ret = host_take(controller, cmtime_is_given(&parsed, "port") ? HOST_PORT : NULL, parsed.controller,
				sizeof(parsed.controller), &parsed.port, reason, reason_size);
	if (ret)
		return ret;
	if (path_words_fill(parsed.output.json_file, sizeof(parsed.output.json_file), parsed.port))
		return opt_refuse(reason, reason_size,
				  "--out_json_file: the name is too long with the words for its %%");
	parsed.output.json |= cmtime_is_given(&parsed, "out_json_file");
	*params = parsed;
	return 0;
}

const char *cmtime_rules_check(const struct cmtime_params *params)
{
	const char *sentence;
	bool is_broken;

	for (size_t n = 0; (sentence = rule_of(params, n, &is_broken)); n++)
		if (is_broken)
			return sentence;
	return NULL;
}

const char *cmtime_rule(const struct cli *cli, size_t n)
{
	const struct cmtime_params none = {0};
	bool is_broken;

	(void)cli; /* there is one */
	return rule_of(&none, n, &is_broken);
}

bool cmtime_is_flow(const struct cmtime_params *params)
{
	return params->window || params->rate > 0 || params->duration_s;
}
