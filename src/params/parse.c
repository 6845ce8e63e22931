// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What was this program asked to do? The command line into a struct params, by way of the option
 * table. session calls it; rules between options and values that follow from others are resolve.c's.
 */
#include "params/perftest_parameters.h"

#include <errno.h>
#include <string.h>

#include "params/describe.h"
#include "params/host.h"
#include "params/options.h"
#include "params/programs.h"
#include "params/resolve.h"
#include "params/rules.h"
#include "util/log.h"

void params_init(struct params *params, const struct program *program)
{
	memset(params, 0, sizeof(*params));
	params->program = program;
	opt_init(&params_options, program_bit(program), params);
	resolve_values(params);
}

/* A port of the operand is as good as --port. */
static int parse_take_host(struct params *params, const char *operand, char *reason, size_t reason_size)
{
	char quote[OPT_QUOTE_SIZE];
	uint16_t port;
	int ret;

	if (!operand)
		return 0;
	ret = host_split(operand, params->host, sizeof(params->host), &port, reason, reason_size);
	if (ret || !port)
		return ret;
	if (params_given(params, "port") && params->channel.port != port)
		return opt_refuse(reason, reason_size, "--port (-p) is %u and %s names another port; give one of them",
				  params->channel.port, opt_quote(operand, quote));
	params->channel.port = port;
	params->given[params_option_index("port")] = true;
	return 0;
}

int params_parse_text(struct params *params, int argc, char **argv, char *reason, size_t reason_size)
{
	struct params parsed = *params;
	struct opt_found found = {.given = parsed.given, .idle = parsed.idle};
	int ret;

	ret = opt_parse(&params_options, program_bit(params->program), argc, argv, &parsed, &found, reason,
			reason_size);
	if (ret)
		return ret;
	ret = parse_take_host(&parsed, found.operand, reason, reason_size);
	if (ret)
		return ret;
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

void params_note_idle(const struct params *params)
{
	char title[OPT_TEXT_SIZE], words[OPT_TEXT_SIZE];
	const char *sentence;

	for (unsigned i = 0; i < params_options.num_rows; i++)
		if (params->idle[i])
			log_info("%s has no effect here, it is for %s",
				 opt_title(&params_options.rows[i], title, sizeof(title)),
				 programs_text(params_options.rows[i].programs, words, sizeof(words)));
	for (size_t n = 0; (sentence = rules_idle(params, n)); n++)
		log_info("%s", sentence);
}

void params_print_help(const struct program *program)
{
	char purpose[PROGRAM_PURPOSE_SIZE];
	struct cli cli;

	program_describe(program, purpose, &cli);
	cli_print_help(&cli);
}

bool params_given(const struct params *params, const char *long_name)
{
	return params->given[params_option_index(long_name)];
}

const char *params_json_path(const struct params *params)
{
	if (!params->report.out_json)
		return NULL;
	return params->report.out_json_file[0] ? params->report.out_json_file : "perftest_out.json";
}
