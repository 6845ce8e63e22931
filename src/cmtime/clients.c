// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See clients.h. */
#include "cmtime/clients.h"

#include <errno.h>
#include <stdlib.h>

int clients_open(struct clients *clients, struct cmtime_link *link, const struct series_plan *plan)
{
	const struct frame_peer *peers;
	uint32_t count;

	peers = link_peers(link, &count);
	clients->list = calloc(count, sizeof(*clients->list));
	clients->rates = calloc(count, sizeof(*clients->rates));
	if (!clients->list || !clients->rates)
		return -ENOMEM;
	for (uint32_t rank = 0; rank < count; rank++) {
		if (peers[rank].listens)
			continue;
		if (series_open(&clients->rates[clients->count], plan, false /* means, not medians */))
			return -ENOMEM;
		member_name(rank, false /* a client */, peers[rank].host, clients->list[clients->count++].name);
	}
	return 0;
}

void clients_close(struct clients *clients)
{
	for (uint32_t i = 0; i < clients->count; i++)
		series_close(&clients->rates[i]);
	free(clients->rates);
	free(clients->list);
}

void clients_begin(struct clients *clients)
{
	for (uint32_t i = 0; i < clients->count; i++)
		series_begin(&clients->rates[i]);
}

void clients_add(struct clients *clients, struct cmtime_link *link, unsigned test, const struct latency *own)
{
	const struct latency *full_connect;
	const struct conn_totals *totals;

	for (uint32_t i = 0, rank = 0; i < clients->count; rank++) {
		if (!link_client(link, rank, test, &totals, &full_connect))
			continue;
		series_add(&clients->rates[i], conn_rate_average(totals));
		clients->list[i++].full_connect = rank ? full_connect : own;
	}
}

const struct cmtime_client *clients_conclude(struct clients *clients)
{
	for (uint32_t i = 0; i < clients->count; i++) {
		const struct series_result result = series_conclude(&clients->rates[i]);

		clients->list[i].average = result.confidence.center;
	}
	return clients->count ? clients->list : NULL;
}
