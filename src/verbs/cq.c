// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* One completion queue for all sends of a set of queues and one for all its receives. */
#include "verbs/cq.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "util/log.h"
#include "verbs/locked_memory.h"
#include "verbs/resources.h"

static int check_vector(const struct resources *resources)
{
	const struct device *device = resources->device;
	uint32_t vector = resources->config->comp_vector;
	int vectors = device->context->num_comp_vectors;

	if (vector == 0 || (vectors > 0 && vector < (uint32_t)vectors))
		return 0;
	log_error("--vector %u: %s has the completion vectors 0 to %d", vector, device->name,
		  vectors > 0 ? vectors - 1 : 0);
	return -EINVAL;
}

static int cq_open_one(const struct resources *resources, uint64_t entries, const char *depth_option,
		       struct ibv_comp_channel **channel, struct ibv_cq **cq)
{
	const struct device *device = resources->device;
	char advice[512];
	int err;

	if (entries > (uint64_t)device->attr.max_cqe || entries > INT_MAX) {
		log_error("%s * --qp needs %llu entries in a completion queue and %s allows %d; lower %s or --qp",
			  depth_option, (unsigned long long)entries, device->name, device->attr.max_cqe, depth_option);
		return -EINVAL;
	}
	if (resources->config->events) {
		*channel = ibv_create_comp_channel(device->context);
		if (!*channel) {
			err = errno ? -errno : -EIO;
			log_error("cannot create a completion channel on %s: %s", device->name, strerror(-err));
			return err;
		}
	}
	*cq = ibv_create_cq(device->context, (int)entries, NULL /* context */, *channel,
			    (int)resources->config->comp_vector);
	if (!*cq) {
		err = errno ? -errno : -EIO;
		log_error("cannot create a CQ of %llu entries on %s: %s%s", (unsigned long long)entries, device->name,
			  strerror(-err), locked_memory_advice(device, -err, 0, advice, sizeof(advice)));
		return err;
	}
	return 0;
}

int cq_open(struct resources *resources, uint32_t send_depth, uint32_t recv_depth)
{
	int err;

	err = check_vector(resources);
	for (unsigned i = 0; !err && i < resources->num_sets; i++) {
		struct queue_set *set = &resources->sets[i];

		err = cq_open_one(resources, (uint64_t)send_depth * set->num_tx, "--tx-depth", &set->send_channel,
				  &set->send_cq);
		if (!err && recv_depth)
			err = cq_open_one(resources, (uint64_t)recv_depth * set->num_rx, "--rx-depth",
					  &set->recv_channel, &set->recv_cq);
	}
	return err;
}

void cq_close(struct resources *resources)
{
	for (unsigned i = 0; resources->sets && i < resources->num_sets; i++) {
		struct queue_set *set = &resources->sets[i];

		if (set->recv_cq)
			ibv_destroy_cq(set->recv_cq);
		if (set->recv_channel)
			ibv_destroy_comp_channel(set->recv_channel);
		if (set->send_cq)
			ibv_destroy_cq(set->send_cq);
		if (set->send_channel)
			ibv_destroy_comp_channel(set->send_channel);
		set->recv_cq = NULL;
		set->recv_channel = NULL;
		set->send_cq = NULL;
		set->send_channel = NULL;
	}
}
