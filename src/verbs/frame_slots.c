// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* How many frames does a queue pair send from as many slots? See frame_slots.h. */
#include "verbs/frame_slots.h"

#include "frames/frame.h"
#include "verbs/host_page.h"
#include "verbs/verbs_config.h"

/* All flows come up so often before the slots begin anew, perhaps in the middle of a turn. */
#define TURNS	   16
#define MOST_SLOTS 65536 /* that are taken for more than one turn */

/* Of frames that differ: all of them, or so many turns of them that it hardly shows where the slots begin anew. */
static uint64_t frames_apart(const struct verbs_config *config)
{
	const struct frame_config *frames = &config->frames;
	const uint64_t turn = (uint64_t)frames->flows * frames->flows_burst;
	uint64_t wanted = turn & (turn - 1) && turn * TURNS <= MOST_SLOTS ? turn * TURNS : turn;

	/* Of bursts each one has a mark of its own, also those that wait in receives. */
	if (config->traffic.bursts)
		wanted = config->tx_depth > config->rx_depth ? config->tx_depth : config->rx_depth;
	/* And what goes back goes from where it came. */
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
	/* A ping-pong has one frame under way. */
	if (config->traffic.ping_pong)
		return slots;
	while (slots.count < wanted || (uint64_t)slots.count * slots.step * 2 <= page)
		slots.count *= 2;
	return slots;
}
