// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Estimates the memory that a test will use on this side. See demand.h. */
#include "verbs/memory/demand.h"

#include <errno.h>
#include <stdio.h>

#include "memory/memory.h"
#include "verbs/device/locked_memory.h"
#include "verbs/memory/mr.h"
#include "verbs/memory/slots.h"

/* Typical of an adapter: an entry of a send queue, a receive queue and a CQ, and a QP itself. */
#define SEND_BYTES	 128ULL
#define RECEIVE_BYTES	 64ULL
#define COMPLETION_BYTES 64ULL
#define PAIR_BYTES	 8192ULL
/* What validate_rounds.c records per arrival. */
#define ARRIVAL_BYTES 16ULL

static uint64_t list_bytes(uint32_t count, size_t request)
{
	return count * (request + sizeof(struct ibv_sge));
}

static uint64_t pair_bytes(const struct verbs_config *config)
{
	const struct traffic *traffic = &config->traffic;
	uint64_t bytes = PAIR_BYTES + sizeof(struct tx_queue) + sizeof(struct rx_queue) + 2 * sizeof(struct endpoint);

	if (traffic->posts)
		bytes += ((uint64_t)config->tx_depth << traffic->open_loop) * (SEND_BYTES + COMPLETION_BYTES) +
			 list_bytes(config->post_list, sizeof(struct ibv_send_wr));
	return bytes;
}

static uint64_t receive_bytes(const struct verbs_config *config)
{
	if (!config->traffic.receives)
		return 0;
	return config->rx_depth * (RECEIVE_BYTES + COMPLETION_BYTES) +
	       list_bytes(config->recv_post_list, sizeof(struct ibv_recv_wr));
}

int demand_of(const struct verbs_config *config, uint64_t max_size, struct demand *demand)
{
	struct slot_grid slots = {.count = 0};
	uint64_t buffers = mr_bytes(config, max_size);
	int err;

	if (!buffers)
		return -EMSGSIZE;
	if (config->data_validation) {
		err = slot_grid_of(config, config->all_sizes ? config->sweep.first : max_size, max_size, &slots);
		if (err)
			return err;
	}
	*demand = (struct demand){
		.buffers = buffers,
		.queues =
			config->num_qps * (pair_bytes(config) + slots.count * ARRIVAL_BYTES) +
			(config->shares_receives ? verbs_config_sets(config) : config->num_qps) * receive_bytes(config),
	};
	return 0;
}

static uint64_t in_mib(uint64_t bytes)
{
	return (bytes + (1 << 20) - 1) >> 20;
}

int demand_check(const struct demand *demand, const struct verbs_config *config, const struct device *device,
		 char *reason, size_t size)
{
	/*
	 * Huge pages come from a pool that is not part of the available memory, and are allocated completely or not at
	 * all.
	 */
	const uint64_t buffers = config->memory->is_pooled && !config->max_memory ? 0 : demand->buffers;
	const uint64_t bytes = buffers + demand->queues;
	const uint64_t available = memory_available("");
	/* Concurrent clients may all be accepted before the first one allocates anything. */
	const unsigned sharers = config->num_clients ? config->num_clients : 1;
	const uint64_t most = config->max_memory	? config->max_memory
			      : available != UINT64_MAX ? available / 2 / sharers
							: UINT64_MAX;
	const struct option_names *names = verbs_config_names(config);
	struct locked_memory locked;

	if (bytes > most) {
		snprintf(reason, size,
			 "the test needs %llu MiB of memory on the server, which allows a client %llu MiB, %s: lower "
			 "%s%s%s",
			 (unsigned long long)in_mib(bytes), (unsigned long long)(most >> 20),
			 config->max_memory ? "the value of its --max_memory"
			 : sharers > 1	    ? "its share of half of the memory available there"
					    : "half of the memory available there",
			 names->demand, names->max_memory ? ", or raise it with " : "",
			 names->max_memory ? names->max_memory : "");
		return -ENOMEM;
	}
	if (device->is_software || config->memory->is_far) /* no host memory is pinned */
		return 0;
	locked_memory_read(&locked);
	if (locked.exempt || locked.limit == UINT64_MAX || locked.pinned + demand->buffers <= locked.limit)
		return 0;
	snprintf(reason, size,
		 "the test registers %llu KiB of memory on the server, whose process may lock %llu KiB "
		 "(RLIMIT_MEMLOCK): run 'ulimit -l unlimited' there first, or lower %s",
		 (unsigned long long)(demand->buffers >> 10), (unsigned long long)(locked.limit >> 10), names->memory);
	return -ENOMEM;
}
