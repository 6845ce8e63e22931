// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Parses and checks the parameters of cxi_send_bw. See parameters.h. Options of a client come from the network. */
#include "cxi/parameters.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "params/engine/checks.h"
#include "params/engine/host.h"
#include "params/engine/opt_exchange.h"
#include "util/allowance.h"
#include "util/file.h"
#include "util/log.h"
#include "util/units.h"

#define MAX_ENTRY 32

/* --- sizes --- */

bool cxi_sizes_double(const struct sweep *sizes)
{
	return sizes->multiplies && sizes->step == 2 && !(sizes->first & (sizes->first - 1));
}

/* FIRST:LAST is FIRST:LAST:*2. */
static int read_sizes(const char *text, struct sweep *sizes)
{
	const char *colon = strchr(text, ':');
	char doubled[OPT_TEXT_SIZE];

	*sizes = (struct sweep){.step = 2, .multiplies = true};
	if (!colon) {
		const int ret = units_parse_size(text, 1, CXI_MAX_SIZE, &sizes->first);

		sizes->last = sizes->first;
		return ret;
	}
	if (strchr(colon + 1, ':'))
		return sizes_parse(text, sizes);
	snprintf(doubled, sizeof(doubled), "%s:*2", text);
	return sizes_parse(doubled, sizes);
}

const char *cxi_check_size(const char *text)
{
	struct sweep sizes;

	if (read_sizes(text, &sizes))
		return "is neither a size from 1 to 4294967295 bytes nor a range from a smaller to a larger one, such "
		       "as 1K:64K, 4K:1M:*4 or 64:1K:64 (at most 1000 sizes up to 2G)";
	if (!strchr(text, ':') || strchr(strchr(text, ':') + 1, ':'))
		return NULL;
	return cxi_sizes_double(&sizes) && !(sizes.last & (sizes.last - 1))
		       ? NULL
		       : "is not a range between two powers of two, such as 1024:65536";
}

struct sweep cxi_sizes(const struct cxi_params *params)
{
	struct sweep sizes;
	uint64_t last;

	(void)read_sizes(params->size, &sizes); /* the row's check has accepted it */
	for (last = sizes.first; sweep_next(&sizes, sizes.last, &last);)
		;
	sizes.last = last;
	return sizes;
}

/* --- the command line --- */

void cxi_params_init(struct cxi_params *params)
{
	memset(params, 0, sizeof(*params));
	opt_init(&cxi_options, CXI_PROGRAM, params);
}

static bool cxi_is_given(const struct cxi_params *params, const char *long_name)
{
	const struct opt_row *row = opt_find(&cxi_options, long_name);

	return row && params->given[row - cxi_options.rows];
}

static int take_hosts(struct cxi_params *params, const char *operand, char *reason, size_t reason_size)
{
	if (strlen(operand) >= sizeof(params->host))
		return opt_refuse(reason, reason_size, "the list of servers is longer than %zu characters",
				  sizeof(params->host) - 1);
	snprintf(params->host, sizeof(params->host), "%s", operand);
	return hosts_check(operand, params->port, reason, reason_size);
}

bool cxi_gathers(const struct cxi_params *params)
{
	return params->num_clients || params->num_hosts > 1;
}

void cxi_params_take_server(struct cxi_params *params, unsigned n)
{
	char host[HOST_NAME_SIZE], reason[OPT_TEXT_SIZE];

	/* hosts_check() has checked it. */
	if (!hosts_split(params->host, n, params->port, host, &params->port, reason, sizeof(reason)))
		memcpy(params->host, host, sizeof(host));
}

int cxi_params_parse(struct cxi_params *params, int argc, char **argv, char *reason, size_t reason_size)
{
	struct cxi_params parsed = *params;
	struct opt_found found = {.given = parsed.given, .idle = parsed.idle};
	int ret;

	ret = opt_parse(&cxi_options, CXI_PROGRAM, argc, argv, &parsed, &found, reason, reason_size);
	if (ret)
		return ret;
	parsed.num_hosts = found.operand ? hosts_count(found.operand) : 0;
	if (parsed.num_hosts > 1)
		ret = take_hosts(&parsed, found.operand, reason, reason_size);
	else if (found.operand)
		ret = host_take(found.operand, cxi_is_given(&parsed, "port") ? HOST_PORT : NULL, parsed.host,
				HOST_NAME_SIZE, &parsed.port, reason, reason_size);
	if (ret)
		return ret;
	if (path_words_fill(parsed.output.json_file, sizeof(parsed.output.json_file), parsed.port))
		return opt_refuse(reason, reason_size,
				  "--out_json_file: the name is too long with the words for its %%");
	parsed.output.json |= cxi_is_given(&parsed, "out_json_file");
	*params = parsed;
	return 0;
}

/* --- the environment --- */

/* The n-th entry of a comma-separated list. False: there is none. */
static bool list_entry(const char *list, unsigned n, char entry[MAX_ENTRY])
{
	size_t length = 0;
	const char *at = n < hosts_count(list) ? hosts_at(list, n, &length) : "";

	snprintf(entry, MAX_ENTRY, "%.*s", (int)length, at);
	return entry[0];
}

/* Index among the job's devices: the requested one, or the first. */
static unsigned device_index(struct cxi_params *params, const char *devices)
{
	char entry[MAX_ENTRY];

	if (!devices)
		return 0;
	if (!params->place.device[0] && list_entry(devices, 0, entry))
		snprintf(params->place.device, sizeof(params->place.device), "%s", entry);
	for (unsigned i = 0; list_entry(devices, i, entry); i++)
		if (strcmp(entry, params->place.device) == 0)
			return i;
	return 0;
}

static int entry_number(const char *name, const char *list, unsigned index, uint64_t max, uint64_t *number,
			char *reason, size_t reason_size)
{
	char entry[MAX_ENTRY];

	if (!list || !list_entry(list, index, entry))
		return 0;
	if (!units_parse_u64(entry, 1, max, number))
		return 0;
	return opt_refuse(reason, reason_size, "%s is %s in the environment, which is not a number from 1 to %llu",
			  name, opt_quote(entry).text, (unsigned long long)max);
}

int cxi_params_environment(struct cxi_params *params, char *(*read_variable)(const char *name), char *reason,
			   size_t reason_size)
{
	const bool is_slingshot = !params->place.provider[0] || strcmp(params->place.provider, "cxi") == 0;
	uint64_t svc_id = params->place.svc_id, vni = 0;
	unsigned index;
	int ret = 0;

	/* Other providers do not use a Cassini NIC. */
	if (!is_slingshot)
		return 0;
	index = device_index(params, read_variable("SLINGSHOT_DEVICES"));
	if (!params->place.device[0] && !params->place.provider[0])
		snprintf(params->place.device, sizeof(params->place.device), "%s", CXI_DEFAULT_DEVICE);
	if (!cxi_is_given(params, "svc-id"))
		ret = entry_number("SLINGSHOT_SVC_IDS", read_variable("SLINGSHOT_SVC_IDS"), index, INT32_MAX, &svc_id,
				   reason, reason_size);
	/*
	 * The VNIs belong to the job, whichever device is used: all of its processes use the first one, as with
	 * libfabric's provider. They only work with the job's services: with another service they would be refused.
	 */
	if (!ret && (!cxi_is_given(params, "svc-id") || params->place.provider[0]))
		ret = entry_number("SLINGSHOT_VNIS", read_variable("SLINGSHOT_VNIS"), 0, UINT16_MAX, &vni, reason,
				   reason_size);
	if (ret)
		return ret;
	params->place.svc_id = (uint32_t)svc_id;
	params->place.vni = (uint16_t)vni;
	return 0;
}

/* --- rules --- */

static bool is_cassini(const char *device)
{
	uint64_t number;

	return strncmp(device, "cxi", 3) == 0 && device[3] >= '0' && device[3] <= '9' &&
	       !units_parse_u64(device + 3, 0, UINT32_MAX, &number);
}

/* The n-th rule, and whether these parameters break it; NULL: there are no more. */
static const char *rule_of(const struct cxi_params *params, size_t n, bool *is_broken)
{
	const struct series_plan *repeat = &params->repeat;
	const bool repeats = series_repeats(repeat), has_goal = repeat->until_percent > 0;
	const bool has_provider = params->place.provider[0];
	const bool gathers = cxi_gathers(params);
	const bool has_limit = params->limit_bw > 0 || params->limit_msgrate > 0;
	const bool has_gpu = params->tx_gpu != CXI_NO_GPU || params->rx_gpu != CXI_NO_GPU;
	const struct {
		bool is_broken;
		const char *sentence;
	} rules[] = {
		{!has_provider && params->place.device[0] && !is_cassini(params->place.device),
		 "-d must name a Cassini NIC, cxi followed by a number, unless --provider is given"},
		{cxi_sizes(params).last > params->buf_size, "--buf-sz must hold the largest send of -s"},
		{has_provider && strcmp(params->place.provider, "cxi") != 0 && cxi_is_given(params, "svc-id"),
		 "-v selects a service of a Cassini NIC, which only libcxi and --provider=cxi use"},
		{params->keep_serving && params->host[0],
		 "--keep_serving is for the server, and a SERVER_ADDR makes this side the client"},
		{params->max_duration_s && params->host[0],
		 "--max_duration is for the server, and a SERVER_ADDR makes this side the client"},
		{has_provider && params->rdzv,
		 "-R is for libcxi: a libfabric provider decides by the size how a send is transferred"},
		{repeat->count > 1 && has_goal, COMMON_REPEAT_OR_UNTIL},
		{!has_goal && (cxi_is_given(params, "max_repeats") || cxi_is_given(params, "max_time")),
		 COMMON_LIMITS_OF_UNTIL},
		{repeat->steady && !repeats, COMMON_STEADY_OF_ONE},
		{repeats && params->report_interval_s > 0, COMMON_REPEAT_OR_INTERVALS},
		{params->limit_intervals && (!(params->report_interval_s > 0) || !has_limit),
		 "--limit_intervals compares the rows of --report_interval with --limit_bw or --limit_msgrate: give "
		 "both as well"},
		{params->num_clients && params->host[0],
		 "--clients is for the server, and a SERVER_ADDR makes this side the client"},
		{gathers && params->report_interval_s > 0,
		 "--clients and several servers print one row for the whole run: omit --report_interval"},
		{gathers && repeats,
		 "--clients and several servers print the row of a single measurement: omit --repeat and --until"},
		{gathers && params->explain, "--explain looks at one pair: omit --clients, or name one server"},
		{gathers && params->counters[0],
		 "-W counts on one device, but each pair has its own: omit --clients, or name one server"},
		{params->limit_peers && !(gathers && has_limit),
		 "--limit_peers compares each peer of --clients or of several servers with --limit_bw or "
		 "--limit_msgrate: give both"},
		{params->gpu_type != GPU_AUTO && !has_gpu,
		 "-g selects the vendor of the GPU of -t or -r: give one of those as well"},
	};

	if (n >= sizeof(rules) / sizeof(rules[0]))
		return NULL;
	*is_broken = rules[n].is_broken;
	return rules[n].sentence;
}

const char *cxi_rules_check(const struct cxi_params *params)
{
	const char *sentence;
	bool is_broken;

	for (size_t n = 0; (sentence = rule_of(params, n, &is_broken)); n++)
		if (is_broken)
			return sentence;
	return NULL;
}

const char *cxi_rule(const struct cli *cli, size_t n)
{
	struct cxi_params params;
	bool is_broken;

	(void)cli; /* there is one */
	cxi_params_init(&params);
	return rule_of(&params, n, &is_broken);
}

/* --- how long a test lasts --- */

uint32_t cxi_allowed_s(const struct cxi_params *params)
{
	return allowance_s(params->max_duration_s, cxi_is_given(params, "max_duration"), params->keep_serving);
}

/* By time; 0: unknown. */
static uint64_t lasts_s(const struct cxi_params *params)
{
	const struct sweep sizes = cxi_sizes(params);
	const struct series_plan *repeat = &params->repeat;
	const uint64_t once = params->duration_s;
	const uint64_t each = repeat->until_percent > 0 ? (uint64_t)repeat->most_s + once : once * repeat->count;

	return once || repeat->until_percent > 0 ? each * sweep_count(&sizes, sizes.last) : 0;
}

/* --- exchange --- */

const char *cxi_options_export(const struct cxi_params *params, char text[CXI_OPTIONS_SIZE])
{
	struct cxi_params defaults;

	cxi_params_init(&defaults);
	opt_export(&cxi_options, CXI_PROGRAM, params, &defaults, NULL, text, CXI_OPTIONS_SIZE);
	return text;
}

int cxi_options_adopt(struct cxi_params *params, const char *text, char *reason, size_t reason_size)
{
	char own[OPT_TEXT_SIZE], theirs[OPT_TEXT_SIZE], title[OPT_TEXT_SIZE];
	bool seen[CXI_MAX_OPTIONS] = {false};
	struct cxi_params adopted = *params;
	const char *broken;
	int ret;

	ret = opt_import(&cxi_options, CXI_PROGRAM, "the client", text, &adopted, seen, reason, reason_size);
	if (ret)
		return ret;
	for (unsigned i = 0; i < cxi_options.num_rows; i++) {
		const struct opt_row *row = &cxi_options.rows[i];

		if (!seen[i] || !params->given[i])
			continue;
		opt_value_write(row, params, true /* as requested */, own, sizeof(own));
		opt_value_write(row, &adopted, true /* as requested */, theirs, sizeof(theirs));
		if (strcmp(own, theirs) != 0 && row->reach == OPT_FOLLOWED)
			log_info("%s is %s, as the client asks", opt_title(row, title, sizeof(title)), theirs);
		else if (strcmp(own, theirs) != 0)
			return opt_refuse(reason, reason_size,
					  "%s is %s on the server and %s on the client: give it to the client only",
					  opt_title(row, title, sizeof(title)), own, theirs);
	}
	broken = cxi_rules_check(&adopted);
	if (broken)
		return opt_refuse(reason, reason_size, "%s", broken);
	ret = allowance_check(cxi_allowed_s(&adopted), lasts_s(&adopted), reason, reason_size);
	if (!ret)
		*params = adopted;
	return ret;
}
