// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Flow control of SENDs where lost messages are not retried. See credit.h. */
#include "verbs/qp/credit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/arith.h"
#include "util/log.h"
#include "verbs/device/host_page.h"
#include "verbs/resources.h"

struct credit_set {
	uint32_t *words; /* one per QP, written by the peer; followed by those that we write to it */
	struct ibv_mr *mr;
	struct credit *credits; /* one per queue pair */
};

bool credit_is_used(const struct resources *resources)
{
	return resources->config->flow_control && device_is_iwarp(resources->device);
}

/* Messages not yet reported to the peer must leave room for a whole list, or none would ever be posted. */
static int check_list(const struct resources *resources)
{
	const uint32_t receives = resources->config->recv_post_list, list = resources->config->post_list;
	const uint32_t window = resources->rx_depth / receives * receives;
	const uint32_t ungranted = window / 3 + receives;

	if (list == 1 || list + ungranted <= window)
		return 0;
	return log_fail(-EINVAL,
			"%s is an iWARP device, on which no message may come before its receive: -r %u is too few for "
			"lists of %u (-l)",
			resources->device->name, resources->rx_depth, list);
}

int credit_open(struct resources *resources)
{
	const unsigned count = resources->num_qps;
	const size_t bytes = arith_round_up(2 * count * sizeof(uint32_t), host_page());
	struct credit_set *set;
	int err;

	if (!credit_is_used(resources))
		return 0;
	err = check_list(resources);
	if (err)
		return err;
	set = calloc(1, sizeof(*set));
	resources->credits = set; /* closed with the resources */
	if (set) {
		set->words = aligned_alloc(host_page(), bytes);
		set->credits = aligned_alloc(_Alignof(struct credit), count * sizeof(*set->credits));
	}
	if (!set || !set->words || !set->credits)
		return log_fail(-ENOMEM, "no memory for the credits of %u queue pairs", count);
	memset(set->words, 0, bytes);
	memset(set->credits, 0, count * sizeof(*set->credits));
	errno = 0;
	set->mr = ibv_reg_mr(resources->pd, set->words, bytes, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
	if (!set->mr) {
		err = errno ? -errno : -EIO;
		return log_fail(err, "%s refuses to register %zu bytes for credits: %s", resources->device->name, bytes,
				strerror(-err));
	}
	for (unsigned i = 0; i < count; i++) {
		struct credit *credit = &set->credits[i];

		credit->granted = resources->traffic.posts ? &set->words[i] : NULL;
		credit->replaced = &set->words[count + i];
		resources->tx[i].credit = credit;
	}
	return 0;
}

void credit_describe(const struct resources *resources, unsigned index, struct endpoint *endpoint)
{
	const struct credit_set *set = resources->credits;

	if (!set || !set->credits[index].granted)
		return;
	endpoint->rkey = set->mr->rkey;
	endpoint->vaddr = (uintptr_t)set->credits[index].granted;
}

void credit_prepare(struct resources *resources)
{
	const struct credit_set *set = resources->credits;

	for (unsigned i = 0; set && i < resources->num_qps; i++) {
		const struct endpoint *remote = resources_target(resources, i);
		struct credit *credit = &set->credits[i];

		credit->knows_peer = resources->traffic.receives && remote->vaddr;
		credit->sge = (struct ibv_sge){.addr = (uintptr_t)credit->replaced,
					       .length = sizeof(*credit->replaced),
					       .lkey = set->mr->lkey};
		credit->wr = (struct ibv_send_wr){
			.sg_list = &credit->sge,
			.num_sge = 1,
			.opcode = IBV_WR_RDMA_WRITE,
			.send_flags = IBV_SEND_SIGNALED,
			.wr.rdma = {.remote_addr = remote->vaddr, .rkey = remote->rkey},
		};
	}
}

bool credit_is_awaited(const struct resources *resources, uint32_t window)
{
	const struct credit_set *set = resources->credits;

	for (unsigned i = 0; set && i < resources->num_qps; i++)
		if (set->credits[i].granted && !credit_room(&set->credits[i], window))
			return true;
	return false;
}

void credit_close(struct resources *resources)
{
	struct credit_set *set = resources->credits;

	if (!set)
		return;
	if (set->mr)
		ibv_dereg_mr(set->mr);
	free(set->credits);
	free(set->words);
	free(set);
	resources->credits = NULL;
}
