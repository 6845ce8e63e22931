// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* One completion queue for all sends of the process and one for all receives. */
#include "verbs/cq.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "util/log.h"
#include "verbs/locked_memory.h"
#include "verbs/perftest_resources.h"

static int check_vector(const struct resources *resources)
{
	const struct device *device = resources->device;
	uint32_t vector = resources->params->comp_vector;
	int vectors = device->context->num_comp_vectors;

	if (vector == 0 || (vectors > 0 && vector < (uint32_t)vectors))
		return 0;
	log_error("--vector %u: %s has the completion vectors 0 to %d", vector, device->name,
		  vectors > 0 ? vectors - 1 : 0);
	return -EINVAL;
}

static int open_one(const struct resources *resources, uint64_t entries, const char *depth_option,
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
	if (resources->params->events) {
		*channel = ibv_create_comp_channel(device->context);
		if (!*channel) {
			err = errno ? -errno : -EIO;
			log_error("%s gives no completion channel: %s", device->name, strerror(-err));
			return err;
		}
	}
	*cq = ibv_create_cq(device->context, (int)entries, NULL /* context */, *channel,
			    (int)resources->params->comp_vector);
	if (!*cq) {
		err = errno ? -errno : -EIO;
		log_error("%s gives no completion queue of %llu entries: %s%s", device->name,
			  (unsigned long long)entries, strerror(-err),
			  locked_memory_advice(device, -err, 0, advice, sizeof(advice)));
		return err;
	}
	return 0;
}

int cq_open(struct resources *resources, uint32_t send_depth, uint32_t recv_depth)
{
	int err;

	err = check_vector(resources);
	if (err)
		return err;
	err = open_one(resources, (uint64_t)send_depth * resources->num_qps, "--tx-depth", &resources->send_channel,
		       &resources->send_cq);
	if (err || recv_depth == 0)
		return err;
	return open_one(resources, (uint64_t)recv_depth * resources->num_qps, "--rx-depth", &resources->recv_channel,
			&resources->recv_cq);
}

void cq_close(struct resources *resources)
{
	if (resources->recv_cq)
		ibv_destroy_cq(resources->recv_cq);
	if (resources->recv_channel)
		ibv_destroy_comp_channel(resources->recv_channel);
	if (resources->send_cq)
		ibv_destroy_cq(resources->send_cq);
	if (resources->send_channel)
		ibv_destroy_comp_channel(resources->send_channel);
	resources->recv_cq = NULL;
	resources->recv_channel = NULL;
	resources->send_cq = NULL;
	resources->send_channel = NULL;
}
