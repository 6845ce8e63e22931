// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The slots of messages and frames, for mr.c, wr.c, ethernet.c and session. See slots.h. */
#include "verbs/memory/slots.h"

#include <errno.h>
#include <stdbool.h>

#include "frames/frame.h"
#include "util/arith.h"
#include "util/log.h"
#include "verbs/device/host_page.h"
#include "verbs/verbs_config.h"

/* Slots of all QPs in one direction: a few times the size of the caches per round, but little locked memory. */
#define BUDGET	  (32ULL << 20)
#define MAX_SLOTS 4096
#define MIN_STEP  64	       /* bytes; fixed, because both ends must compute the same */
#define MAX_SPAN  (1ULL << 31) /* queue.h has 32-bit offsets */
/* Messages of a round with one sample: the first exchange of a run is not a sample. */
#define FEWEST		2
#define FEWEST_OF_TURNS 4
/* The last byte of a write latency message counts modulo 256, and 0 means that a slot has not been written. */
#define MAX_COUNTED 128

static uint64_t power_of_two_from(uint64_t value)
{
	uint64_t power = 1;

	while (power < value)
		power *= 2;
	return power;
}

/*
 * Memory for a QP's slots in one direction. Both sides may share the device memory of one adapter: each may use a
 * third, so that the slots of both and the alignment of the buffers fit.
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
	/* At most 15000 * 16384, the limits of both options. */
	return (uint32_t)arith_common_multiple(config->post_list, config->recv_post_list);
}

int slot_grid_of(const struct verbs_config *config, uint64_t size, uint64_t max_size, struct slot_grid *grid)
{
	const struct traffic *traffic = &config->traffic;
	/* If messages that consume receives may be lost, receives left over from one size are used for the next. */
	const bool constant = traffic->arrivals && !traffic->transport->reliable;
	const uint64_t header = traffic->transport->recv_header_bytes;
	const uint64_t bytes = (constant ? max_size : size) + header;
	struct slot_grid found = {.granule = granule(config), .recv_bytes = bytes};
	uint64_t count, least, all;

	found.step = power_of_two_from(bytes < MIN_STEP ? MIN_STEP : bytes);
	/* A latency round has at least one sample; leftover receives must not use the slots of a round. */
	least = config->takes_turns ? FEWEST_OF_TURNS : FEWEST;
	least = power_of_two_from(found.granule < least ? least : found.granule) << constant;
	/* If queues are shared, and the number of QPs is not a power of two, up to half of the slots are unused. */
	least <<= config->shares_receives;
	count = room(config) / found.step;
	count = power_of_two_from(count / 2 + 1); /* rounded down */
	if (count > MAX_SLOTS)
		count = MAX_SLOTS;
	/*
	 * Adapter memory is small: no more slots than a round with all messages needs, including the first exchange.
	 * Sides that take turns as initiator send three messages per sample, and if slots may stay unused, a round has
	 * half of them. Lists divide -n, so that sides with lists of different lengths get the same result.
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
	if (count * found.step > MAX_SPAN)
		return log_fail(-EMSGSIZE,
				"--data_validation needs a slot for each of %llu messages of %llu bytes, more than "
				"%llu bytes in all: lower -s, -l or --recv_post_list",
				(unsigned long long)count, (unsigned long long)size, (unsigned long long)MAX_SPAN);
	found.count = (uint32_t)count;
	found.bytes = count * found.step + (header ? host_cache_line() : 0);
	*grid = found;
	return 0;
}

int slot_grid_bytes(const struct verbs_config *config, uint64_t max_size, uint64_t *bytes)
{
	uint64_t size = config->all_sizes ? config->sweep.first : max_size;
	struct slot_grid grid;
	uint64_t most = 0;
	int err;

	do {
		err = slot_grid_of(config, size, max_size, &grid);
		if (err)
			return err;
		if (grid.bytes > most)
			most = grid.bytes;
	} while (config->all_sizes && sweep_next(&config->sweep, max_size, &size));
	*bytes = most;
	return 0;
}

/* --- frames --- */

/* All flows are sent this often before the slots repeat, perhaps in the middle of a turn. */
#define TURNS	   16
#define MOST_SLOTS 65536 /* limit for using more than one turn */

/*
 * Slots for all different frames; or for several turns of them, so that it hardly matters at which flow the slots wrap.
 */
static uint64_t frames_apart(const struct verbs_config *config)
{
	const struct frame_config *frames = &config->frames;
	const uint64_t turn = (uint64_t)frames->flows * frames->flows_burst;
	uint64_t wanted = turn & (turn - 1) && turn * TURNS <= MOST_SLOTS ? turn * TURNS : turn;

	/* With bursts each frame has its own mark, also those in posted receives. */
	if (config->traffic.bursts)
		wanted = config->tx_depth > config->rx_depth ? config->tx_depth : config->rx_depth;
	/* Forwarded frames are sent from the slots in which they arrived. */
	if (config->traffic.forwards && wanted < config->rx_depth)
		wanted = config->rx_depth;
	if (frames->counts_priority && wanted < FRAME_PRIORITIES)
		wanted = FRAME_PRIORITIES;
	return wanted > 1 && wanted < config->post_list ? config->post_list : wanted;
}

struct frame_slots frame_slots(const struct verbs_config *config, uint64_t size, uint64_t page)
{
	const uint64_t wanted = frames_apart(config);
	struct frame_slots slots = {.step = (uint32_t)host_cache_line(), .count = 1};

	if (config->traffic.forwards && size < config->mtu)
		size = config->mtu;
	while (slots.step < size)
		slots.step *= 2;
	/* A ping-pong has only one frame in flight. */
	if (config->traffic.ping_pong)
		return slots;
	while (slots.count < wanted || (uint64_t)slots.count * slots.step * 2 <= page)
		slots.count *= 2;
	return slots;
}
