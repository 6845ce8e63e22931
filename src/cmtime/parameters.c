// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Parses cmtime's options, and checks the rules between them. */
#include "cmtime/parameters.h"

#include <string.h>

#include "params/engine/host.h"
#include "util/path_words.h"

static bool no_controller(const struct cmtime_params *params)
{
	return !params->controller[0];
}

static bool no_place(const struct cmtime_params *params)
{
	return !params->bind_interface[0] && !params->bind_address[0];
}

static bool neither(const struct cmtime_params *params)
{
	return no_controller(params) && no_place(params);
}

static bool two_places(const struct cmtime_params *params)
{
	return params->bind_interface[0] && params->bind_address[0];
}

static bool sockets_with_mimic(const struct cmtime_params *params)
{
	return params->sockets && params->mimic_us >= 0;
}

static bool window_with_rate(const struct cmtime_params *params)
{
	return params->window && params->rate > 0;
}

static const struct {
	bool (*broken)(const struct cmtime_params *params);
	const char *sentence;
} rules[] = {
	{neither,
	 "every instance needs -C, the address of the one that keeps all in step, and -b or -B, the address or "
	 "the interface of its connections; for TCP on this host: -S -C 127.0.0.1 -b 127.0.0.1, and -L on one"},
	{no_controller, "every instance needs -C: the name or address of the instance that keeps all in step"},
	{no_place,
	 "every instance needs -B or -b: the network interface, or the address, that its connections use; for "
	 "TCP on this host: -S -b 127.0.0.1"},
	{two_places, "-B and -b both select the local address: give one of them"},
	{sockets_with_mimic, "-m simulates queue pairs, which the sockets of -S do not have"},
	{window_with_rate,
	 "--window starts a connection when another is done, --rate starts it on schedule: give one of them"},
};

#define NUM_RULES (sizeof(rules) / sizeof(rules[0]))

void cmtime_params_init(struct cmtime_params *params)
{
	memset(params, 0, sizeof(*params));
	opt_init(&cmtime_options, CMTIME_PROGRAM, params);
}

static int take_controller(struct cmtime_params *params, char *reason, size_t reason_size)
{
	char text[sizeof(params->controller)];

	memcpy(text, params->controller, sizeof(text));
	return host_take(text, cmtime_given(params, "port") ? HOST_PORT : NULL, params->controller,
			 sizeof(params->controller), &params->port, reason, reason_size);
}

int cmtime_params_parse(struct cmtime_params *params, int argc, char **argv, char *reason, size_t reason_size)
{
	struct cmtime_params parsed = *params;
	struct opt_found found = {.given = parsed.given, .idle = parsed.idle};
	int ret;

	ret = opt_parse(&cmtime_options, CMTIME_PROGRAM, argc, argv, &parsed, &found, reason, reason_size);
	if (ret)
		return ret;
	if (parsed.controller[0])
		ret = take_controller(&parsed, reason, reason_size);
	if (ret)
		return ret;
	if (path_words_fill(parsed.output.json_file, sizeof(parsed.output.json_file), parsed.port))
		return opt_refuse(reason, reason_size,
				  "--out_json_file: the name is too long with the words for its %%");
	parsed.output.json |= cmtime_given(&parsed, "out_json_file");
	*params = parsed;
	return 0;
}

const char *cmtime_rules_check(const struct cmtime_params *params)
{
	for (size_t i = 0; i < NUM_RULES; i++)
		if (rules[i].broken(params))
			return rules[i].sentence;
	return NULL;
}

const char *cmtime_rule(size_t n)
{
	return n < NUM_RULES ? rules[n].sentence : NULL;
}

bool cmtime_given(const struct cmtime_params *params, const char *long_name)
{
	const struct opt_row *row = opt_find(&cmtime_options, long_name);

	return row && params->given[row - cmtime_options.rows];
}

bool cmtime_is_flow(const struct cmtime_params *params)
{
	return params->window || params->rate > 0 || params->duration_s;
}
