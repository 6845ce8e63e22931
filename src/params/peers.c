// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The peers of this side: one, or several at once: --clients, or a list of HOSTs. */
#include "params/perftest_parameters.h"

#include <string.h>

#include "params/engine/host.h"
#include "util/log.h"

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
	char alone[sizeof(params->host)], reason[LOG_TEXT_SIZE];
	uint16_t port = 0;
	size_t length;
	const char *at = hosts_at(params->host, n, &length);

	memcpy(alone, at, length);
	alone[length] = '\0';
	/* hosts_check() has checked it. */
	if (!host_split(alone, params->host, HOST_NAME_SIZE, &port, reason, sizeof(reason)) && port)
		params->channel.port = port;
	params->limits.peers = false; /* it is the group that compares all pairs */
}
