// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The slots of --data_validation, for mr.c, wr.c and session. */
#include "verbs/slots.h"

#include <errno.h>
#include <stdbool.h>

#include "util/arith.h"
#include "util/log.h"
#include "verbs/host_page.h"
#include "verbs/verbs_config.h"

/* Of all queue pairs' slots in one direction: a few rounds' worth of the caches, and no burden on locked memory. */
#define BUDGET	      (32ULL << 20)
#define MAX_SLOTS     4096
#define MIN_STEP      64	   /* bytes; fixed, because both ends must come to the same */
#define MAX_SPAN      (1ULL << 31) /* queue.h counts offsets in 32 bits */
#define SMALLEST_SIZE 2
/* Messages of a round with one sample: the first exchange of a run is none. */
#define FEWEST		2
#define FEWEST_OF_TURNS 4
/* The last byte of a write latency message counts modulo 256, and 0 is that of a slot that is yet to be filled. */
#define MAX_COUNTED 128

static uint64_t power_of_two_from(uint64_t value)
{
	uint64_t power = 1;

	while (power < value)
		power *= 2;
	return power;
}

/*
 * Of a queue pair's slots in one direction. Of a device's memory both sides may be on one adapter: each may have a
 * third, so that what aligns the buffers fits beside the slots of two.
 */
static uint64_t room(const struct verbs_config *config)
{
	const uint64_t halves = (uint64_t)config->traffic.posts + config->traffic.peer_posts;
	const uint64_t sharers = config->num_clients ? config->num_clients : 1;
	uint64_t bytes = BUDGET;

	if (config->memory_bytes)
		bytes = arith_smaller(bytes, config->memory_bytes / 3 / sharers / halves);
	return bytes / config->num_qps;
}

static uint32_t granule(const struct verbs_config *config)
{
	if (config->traffic.metric == METRIC_LAT)
		return 1;
	/* At most 15000 * 16384, the ranges of both options. */
	return (uint32_t)arith_common_multiple(config->post_list, config->recv_post_list);
}

int slot_grid_of(const struct verbs_config *config, uint64_t size, uint64_t max_size, struct slot_grid *grid)
{
	const struct traffic *traffic = &config->traffic;
	/* Where messages that consume receives may be lost, receives of one size are left over for the next. */
	const bool constant = traffic->arrivals && !traffic->transport->reliable;
	const uint64_t header = traffic->transport->recv_header_bytes;
	const uint64_t bytes = (constant ? max_size : size) + header;
	struct slot_grid found = {.granule = granule(config), .recv_bytes = bytes};
	uint64_t count, least, all;

	found.step = power_of_two_from(bytes < MIN_STEP ? MIN_STEP : bytes);
	/* Of latency a round has one sample at least; what is left over must not stand where a round goes. */
	least = config->takes_turns ? FEWEST_OF_TURNS : FEWEST;
	least = power_of_two_from(found.granule < least ? least : found.granule) << constant;
	/* Of a shared queue's slots up to half are not used, where the queue pairs are no power of two. */
	least <<= config->shares_receives;
	count = room(config) / found.step;
	count = power_of_two_from(count / 2 + 1); /* not above it */
	if (count > MAX_SLOTS)
		count = MAX_SLOTS;
	/*
	 * Memory of an adapter is small: no more than a round with all messages takes, one of which is the first
	 * exchange. Sides that ask by turns send three for each sample, and where slots may stay unused a round has
	 * half of them. Lists divide -n, so that sides with lists of different lengths come to the same.
	 */
	all = config->messages * (config->takes_turns ? 3 : 1) + 1;
	all <<= !traffic->transport->reliable;
	all <<= config->shares_receives;
	if (config->messages && count > all)
		count = power_of_two_from(all);
	if (traffic->ping_pong && traffic->verb == VERB_WRITE && count > MAX_COUNTED)
		count = MAX_COUNTED;
	if (count < least)
		count = least;
	if (count * found.step > MAX_SPAN) {
		log_error("--data_validation needs a slot for each of %llu messages of %llu bytes, more than %llu "
			  "bytes in all: lower -s, -l or --recv_post_list",
			  (unsigned long long)count, (unsigned long long)size, (unsigned long long)MAX_SPAN);
		return -EMSGSIZE;
	}
	found.count = (uint32_t)count;
	found.bytes = count * found.step + (header ? host_cache_line() : 0);
	*grid = found;
	return 0;
}

int slot_grid_bytes(const struct verbs_config *config, uint64_t max_size, uint64_t *bytes)
{
	uint64_t size = config->all_sizes ? SMALLEST_SIZE : max_size;
	struct slot_grid grid;
	uint64_t most = 0;
	int err;

	for (; size <= max_size; size *= 2) {
		err = slot_grid_of(config, size, max_size, &grid);
		if (err)
			return err;
		if (grid.bytes > most)
			most = grid.bytes;
	}
	*bytes = most;
	return 0;
}
