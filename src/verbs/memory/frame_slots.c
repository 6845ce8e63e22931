// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Computes how many slots a QP needs for its frames. See frame_slots.h. */
#include "verbs/memory/frame_slots.h"

#include "frames/frame.h"
#include "verbs/device/host_page.h"
#include "verbs/verbs_config.h"

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
