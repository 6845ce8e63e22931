// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What the parameters say, where that is in several of them. */
#include "params/perftest_parameters.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "params/engine/host.h"
#include "util/log.h"
#include "util/units.h"

#define LEAST_RATE   1e-3 /* messages per second */
#define MOST_RATE    1e9
#define MOST_PERCENT 100U
#define USUAL_STEP   10U

/* When memory is polled an open loop has a slot for each message in flight; a higher depth is refused. */
uint32_t params_open_slots(const struct params *params)
{
	uint32_t step;

	return traffic_slots(params->verbs.size, &step);
}

/* By this side and the other, or by role: never both. */
static const char *ip_of(const struct params_ethernet *ethernet, const char *by_side, bool is_client)
{
	return by_side[0] ? by_side : is_client ? ethernet->source_ip : ethernet->dest_ip;
}

static uint16_t port_of(const struct params_ethernet *ethernet, uint16_t by_side, bool is_client)
{
	return by_side ? by_side : is_client ? ethernet->source_port : ethernet->dest_port;
}

const char *params_local_ip(const struct params *params)
{
	return ip_of(&params->ethernet, params->ethernet.local_ip, params_is_client(params));
}

const char *params_remote_ip(const struct params *params)
{
	return ip_of(&params->ethernet, params->ethernet.remote_ip, !params_is_client(params));
}

bool params_has_ip(const struct params *params)
{
	return params_local_ip(params)[0] || params_remote_ip(params)[0];
}

uint16_t params_local_port(const struct params *params)
{
	return port_of(&params->ethernet, params->ethernet.local_port, params_is_client(params));
}

uint16_t params_remote_port(const struct params *params)
{
	return port_of(&params->ethernet, params->ethernet.remote_port, !params_is_client(params));
}

struct traffic params_traffic(const struct params *params, enum side side)
{
	return traffic_of(&params->spec, side);
}

bool params_has_arrivals(const struct params *params)
{
	return params_traffic(params, SIDE_CLIENT).arrivals;
}

/* --- accelerators --- */

bool params_accelerator_is_used(const struct params *params, enum gpu_type which)
{
	const struct gpu_config *accelerator = &params->memory.gpu[which];

	/* A Gaudi has no number. */
	return accelerator->bus_id[0] || (which != GPU_HABANA && accelerator->index >= 0);
}

unsigned params_accelerators(const struct params *params)
{
	unsigned count = 0;

	for (int i = 0; i < GPU_TYPES; i++)
		count += params_accelerator_is_used(params, (enum gpu_type)i);
	return count;
}

enum gpu_type params_accelerator(const struct params *params)
{
	int i = 0;

	while (i < GPU_TYPES && !params_accelerator_is_used(params, (enum gpu_type)i))
		i++;
	return (enum gpu_type)i;
}

/* --- peers: one, or several at once: --clients, or a list of HOSTs --- */

unsigned params_num_peers(const struct params *params)
{
	return params->host[0] ? hosts_count(params->host) : params->verbs.num_clients;
}

bool params_gathers(const struct params *params)
{
	return params->verbs.num_clients || hosts_count(params->host) > 1;
}

void params_take_server(struct params *params, unsigned n)
{
	char host[HOST_NAME_SIZE], reason[LOG_TEXT_SIZE];

	/* hosts_check() has checked it. */
	if (!hosts_split(params->host, n, params->channel.port, host, &params->channel.port, reason, sizeof(reason)))
		memcpy(params->host, host, sizeof(host));
	params->limits.peers = false; /* it is the group that compares all pairs */
}

/* --- the load of an open loop --- */

/* The percentage at *text, which is advanced past its sign; 0: there is none. */
static unsigned percent_scan(const char **text)
{
	unsigned percent = 0;

	for (; isdigit((unsigned char)**text) && percent <= MOST_PERCENT; ++*text)
		percent = percent * 10 + (unsigned)(**text - '0');
	if (**text != '%' || percent > MOST_PERCENT)
		return 0;
	++*text;
	return percent;
}

/* "50%", "10%..90%", "10%..90%:20%" */
static int shares_parse(const char *text, struct load *load)
{
	struct load shares = {.step = USUAL_STEP};

	shares.first = shares.last = percent_scan(&text);
	if (strncmp(text, "..", 2) == 0) {
		text += 2;
		shares.last = percent_scan(&text);
		if (*text == ':') {
			text++;
			shares.step = percent_scan(&text);
		}
	}
	if (*text || !shares.first || shares.last < shares.first || !shares.step)
		return -EINVAL;
	*load = shares;
	return 0;
}

int load_parse(const char *text, struct load *load)
{
	double rate;

	if (strchr(text, '%'))
		return shares_parse(text, load);
	if (units_parse_double(text, LEAST_RATE, MOST_RATE, &rate))
		return -EINVAL;
	*load = (struct load){.rate = rate, .step = 1};
	return 0;
}

const char *check_open_rate(const char *text)
{
	struct load load;

	if (!strcmp(text, LOAD_OFF) || !load_parse(text, &load))
		return NULL;
	return "is neither messages per second, 0.001 to 1e9, nor shares of the maximum from 1% to 100%, such as 50%, "
	       "10%..90% or 10%..90%:20%";
}
