// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* One CQ for all sends of a queue set, and one for all its receives. See qp.h. */
#include "verbs/qp/qp.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "util/log.h"
#include "verbs/device/locked_memory.h"
#include "verbs/maker.h"
#include "verbs/resources.h"

static int thread_domain_fail(const struct device *device, const char *what)
{
	const int err = errno ? -errno : -EIO;

	return log_fail(err, "%s cannot create the %s domain that lets the library omit its locks: %s; omit --no_lock",
			device->name, what, strerror(-err));
}

int thread_domain_open(struct thread_domain *domain, const struct device *device, struct ibv_pd *pd)
{
	struct ibv_td_init_attr td_attr = {.comp_mask = 0};
	struct ibv_parent_domain_init_attr attr = {.pd = pd};
	int err;

	errno = 0;
	attr.td = ibv_alloc_td(device->context, &td_attr);
	if (!attr.td)
		return thread_domain_fail(device, "thread");
	errno = 0;
	domain->parent = ibv_alloc_parent_domain(device->context, &attr);
	if (!domain->parent) {
		err = thread_domain_fail(device, "parent");
		ibv_dealloc_td(attr.td);
		return err;
	}
	domain->td = attr.td;
	return 0;
}

void thread_domain_close(struct thread_domain *domain)
{
	if (domain->parent)
		ibv_dealloc_pd(domain->parent);
	if (domain->td)
		ibv_dealloc_td(domain->td);
	*domain = (struct thread_domain){0};
}

static void fill_cq(const struct thread_domain *domain, struct ibv_cq_init_attr_ex *attr)
{
	attr->comp_mask |= IBV_CQ_INIT_ATTR_MASK_FLAGS | IBV_CQ_INIT_ATTR_MASK_PD;
	attr->flags |= IBV_CREATE_CQ_ATTR_SINGLE_THREADED;
	attr->parent_domain = domain->parent;
}

static int check_vector(const struct resources *resources, const struct device *device)
{
	uint32_t vector = resources->config->comp_vector;
	int vectors = device->context->num_comp_vectors;

	if (vector == 0 || (vectors > 0 && vector < (uint32_t)vectors))
		return 0;
	return log_fail(-EINVAL, "--vector %u: %s has completion vectors 0 to %d", vector, device->name,
			vectors > 0 ? vectors - 1 : 0);
}

/* Creates a plain CQ unless an extension is needed, since some devices have no extended CQs. */
static struct ibv_cq *cq_create(const struct resources *resources, const struct device *device, int entries,
				struct ibv_comp_channel *channel)
{
	const struct verbs_config *config = resources->config;
	struct ibv_cq_init_attr_ex attr = {
		.cqe = (uint32_t)entries, .channel = channel, .comp_vector = config->comp_vector};
	struct ibv_cq_ex *cq;

	if (!config->no_lock && !config->inline_recv)
		return ibv_create_cq(device->context, entries, NULL /* context */, channel, (int)config->comp_vector);
	if (config->no_lock)
		fill_cq(device == resources->device ? &resources->domain : &resources->second_domain, &attr);
	cq = config->inline_recv ? mlx5_ops.create_cq(device, &attr, config->inline_recv)
				 : ibv_create_cq_ex(device->context, &attr);
	return cq ? ibv_cq_ex_to_cq(cq) : NULL;
}

/* A provider may support thread domains, but no CQs without locks; and EFA's older devices have no events. */
static const char *cq_hint(const struct resources *resources, int err)
{
	if (resources->config->events && err == -EOPNOTSUPP)
		return "; it may have no events of completions: omit -e, in qperf give -cp1";
	return resources->config->no_lock && (err == -EOPNOTSUPP || err == -EINVAL) ? "; omit --no_lock" : "";
}

static int cq_open_one(const struct resources *resources, const struct device *device, uint64_t entries,
		       const char *depth_option, struct ibv_comp_channel **channel, struct ibv_cq **cq)
{
	char advice[512];
	int err;

	if (entries > (uint64_t)device->attr.max_cqe || entries > INT_MAX)
		return log_fail(
			-EINVAL,
			"%s * --qp needs %llu entries in a completion queue, but %s allows %d; lower %s or --qp",
			depth_option, (unsigned long long)entries, device->name, device->attr.max_cqe, depth_option);
	if (resources->config->events) {
		*channel = ibv_create_comp_channel(device->context);
		if (!*channel) {
			err = errno ? -errno : -EIO;
			return log_fail(err, "cannot create a completion channel on %s: %s", device->name,
					strerror(-err));
		}
	}
	errno = 0; /* bnxt_re leaves it */
	*cq = cq_create(resources, device, (int)entries, *channel);
	if (!*cq) {
		err = errno ? -errno : -EIO;
		return log_fail(err, "cannot create a CQ of %llu entries on %s: %s%s%s", (unsigned long long)entries,
				device->name, strerror(-err), cq_hint(resources, err),
				locked_memory_advice(device, -err, 0, advice, sizeof(advice)));
	}
	return 0;
}

static int cq_open_second(struct resources *resources, struct queue_set *set, uint64_t sends, uint64_t receives)
{
	const struct device *second = resources->device->second;
	int err = check_vector(resources, second);

	if (!err)
		err = cq_open_one(resources, second, sends, "--tx-depth", &set->second_send_channel,
				  &set->second_send_cq);
	if (!err && receives)
		err = cq_open_one(resources, second, receives, "--rx-depth", &set->second_recv_channel,
				  &set->second_recv_cq);
	return err;
}

uint64_t cq_unsolicited_entries(uint64_t receives, uint64_t messages, uint64_t most)
{
	/* If the receives alone exceed the limit, creating the CQ fails and is reported. */
	if (receives > most)
		return receives;
	return messages && messages < most - receives ? receives + messages : most;
}

/* CQEs for incoming messages of a set. */
static uint64_t receive_entries(const struct resources *resources, const struct queue_set *set, uint64_t receives)
{
	const struct verbs_config *config = resources->config;
	const struct device *device = resources->device;
	const uint64_t messages = config->messages * set->num_rx;
	uint64_t entries;

	/* In a latency test a sender waits for answers: no more is in flight than there are receives for. */
	if (!config->unsolicited || !receives || resources->traffic.metric == METRIC_LAT)
		return receives;
	entries = cq_unsolicited_entries(receives, messages, (uint64_t)device->attr.max_cqe);
	if (!messages || entries < receives + messages)
		log_warning("with --unsolicited_write no receives throttle the sender, and a completion queue of %s "
			    "has %llu entries: the test fails if the receiver falls that many messages behind",
			    device->name, (unsigned long long)entries);
	return entries;
}

int cq_open(struct resources *resources, uint32_t send_depth, uint32_t recv_depth)
{
	const unsigned devices = resources->second_pd ? 2 : 1;
	int err;

	err = check_vector(resources, resources->device);
	for (unsigned i = 0; !err && i < resources->num_sets; i++) {
		struct queue_set *set = &resources->sets[i];
		const uint64_t sends = (uint64_t)send_depth * set->num_tx / devices;
		const uint64_t receives = receive_entries(resources, set, (uint64_t)recv_depth * set->num_rx / devices);

		err = cq_open_one(resources, resources->device, sends, "--tx-depth", &set->send_channel, &set->send_cq);
		if (!err && recv_depth)
			err = cq_open_one(resources, resources->device, receives, "--rx-depth", &set->recv_channel,
					  &set->recv_cq);
		if (!err && devices > 1)
			err = cq_open_second(resources, set, sends, receives);
	}
	return err;
}

static void cq_close_one(struct ibv_cq **cq, struct ibv_comp_channel **channel)
{
	if (*cq)
		ibv_destroy_cq(*cq);
	if (*channel)
		ibv_destroy_comp_channel(*channel);
	*cq = NULL;
	*channel = NULL;
}

void cq_close(struct resources *resources)
{
	for (unsigned i = 0; resources->sets && i < resources->num_sets; i++) {
		struct queue_set *set = &resources->sets[i];

		cq_close_one(&set->second_recv_cq, &set->second_recv_channel);
		cq_close_one(&set->second_send_cq, &set->second_send_channel);
		cq_close_one(&set->recv_cq, &set->recv_channel);
		cq_close_one(&set->send_cq, &set->send_channel);
	}
}
