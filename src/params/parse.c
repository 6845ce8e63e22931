// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Parses the command line into a struct params, with the option table. Called by session. Values that follow from
 * others are in resolve.c, invalid combinations in rules_*.c.
 */
#include "params/perftest_parameters.h"

#include <errno.h>
#include <string.h>

#include "params/engine/host.h"
#include "params/options.h"
#include "params/programs.h"
#include "params/rules/rules.h"
#include "util/file.h"
#include "util/log.h"

#define LEAST_SPREAD 2 /* work queues of --use_rss: with one there is nothing to distribute */

void params_init(struct params *params, const struct program *program)
{
	memset(params, 0, sizeof(*params));
	params->program = program;
	opt_init(&params_options, program_bit(program), params);
}

/* A port in the operand is equivalent to --port. */
static int parse_take_host(struct params *params, const char *operand, char *reason, size_t reason_size)
{
	const uint16_t before = params->channel.port;
	int ret;

	if (!operand)
		return 0;
	if (strchr(operand, ',')) {
		if (strlen(operand) >= sizeof(params->host))
			return opt_refuse(reason, reason_size,
					  "the server names are too long: %zu characters, at most %zu", strlen(operand),
					  sizeof(params->host) - 1);
		ret = hosts_check(operand, params->channel.port, reason, reason_size);
		if (!ret)
			memcpy(params->host, operand, strlen(operand) + 1);
		return ret;
	}
	ret = host_take(operand, params_given(params, "port") ? HOST_PORT : NULL, params->host, HOST_NAME_SIZE,
			&params->channel.port, reason, reason_size);
	if (!ret && params->channel.port != before)
		params->given[params_option_index("port")] = true;
	return ret;
}

/* Without -q; a server may get its client's, too. */
static void give_each_thread(struct params *params)
{
	if (params->program->metric == METRIC_BW && !params_given(params, "qp"))
		params->asked.num_qps = params->verbs.frames.rss.is_used ? LEAST_SPREAD : params->verbs.num_threads;
}

int params_parse_text(struct params *params, int argc, char **argv, char *reason, size_t reason_size)
{
	struct params parsed = *params;
	struct opt_found found = {.given = parsed.given, .idle = parsed.idle, .suffixed = parsed.suffixed};
	int ret;

	ret = opt_parse(&params_options, program_bit(params->program), argc, argv, &parsed, &found, reason,
			reason_size);
	if (ret)
		return ret;
	ret = parse_take_host(&parsed, found.operand, reason, reason_size);
	if (ret)
		return ret;
	if (path_words_fill(parsed.report.out_json_file, sizeof(parsed.report.out_json_file), parsed.channel.port))
		return opt_refuse(reason, reason_size,
				  "--out_json_file: the name is too long with the words for its %%");
	parsed.ethernet.vlan |= params_given(&parsed, "vlan_pcp");
	give_each_thread(&parsed);
	resolve_values(&parsed);
	*params = parsed;
	return 0;
}

int params_parse(struct params *params, int argc, char **argv)
{
	char reason[LOG_TEXT_SIZE];
	int ret;

	ret = params_parse_text(params, argc, argv, reason, sizeof(reason));
	if (ret)
		log_error("%s", reason);
	return ret;
}

int params_resolve(struct params *params, char *reason, size_t reason_size)
{
	struct params resolved = *params;

	resolve_values(&resolved);
	if (rules_refuse(&resolved, reason, reason_size))
		return -EINVAL;
	*params = resolved;
	return 0;
}

void params_note_idle(const struct params *params)
{
	char title[OPT_TEXT_SIZE], words[OPT_TEXT_SIZE];
	const char *sentence;

	for (unsigned i = 0; i < params_options.num_rows; i++)
		if (params->idle[i] && !(params_options.rows[i].fulfilled & program_bit(params->program)))
			log_info("%s has no effect here, it is for %s",
				 opt_title(&params_options.rows[i], title, sizeof(title)),
				 programs_text(params_options.rows[i].programs, words, sizeof(words)));
	for (unsigned i = 0; i < params_options.num_rows; i++)
		if (params->suffixed[i])
			log_info("%s: the suffix has no effect, the limit is %s %s",
				 opt_title(&params_options.rows[i], title, sizeof(title)),
				 opt_value_write(&params_options.rows[i], params, true, words, sizeof(words)),
				 params_options.rows[i].bare_unit);
	for (size_t n = 0; (sentence = rules_idle_sentence(params, NULL, n)); n++)
		log_info("%s", sentence);
}
