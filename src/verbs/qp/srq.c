// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Creates the shared receive queues. See qp.h. */
#include "verbs/qp/qp.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "util/log.h"
#include "verbs/device/locked_memory.h"
#include "verbs/resources.h"

static int srq_open_domain(struct resources *resources)
{
	const struct device *device = resources->device;
	struct ibv_xrcd_init_attr attr = {
		.comp_mask = IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS, .fd = -1, .oflags = O_CREAT};
	int err;

	errno = 0;
	resources->xrcd = ibv_open_xrcd(device->context, &attr);
	if (resources->xrcd)
		return 0;
	err = errno ? -errno : -EIO;
	return log_fail(err, "cannot open an XRC domain on %s: %s; use another -c", device->name, strerror(-err));
}

static int srq_open_one(struct resources *resources, struct queue_set *set, struct rx_queue *rx)
{
	const struct device *device = resources->device;
	/* A DC target stops answering, RDMA as well, if the queue has room for fewer receives than there are targets.
	 */
	const uint32_t depth = resources->traffic.receives ? resources->rx_depth : set->num_tx;
	struct ibv_srq_init_attr_ex attr = {
		.attr = {.max_wr = depth, .max_sge = 1},
		.comp_mask = IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_PD,
		.srq_type = IBV_SRQT_BASIC,
		.pd = resources_qp_pd(resources, 0), /* without locks if that of the queue pairs is */
	};
	struct ibv_srq_init_attr basic = {.attr = attr.attr};
	char advice[512];
	int err;

	if (resources->xrcd) {
		attr.comp_mask |= IBV_SRQ_INIT_ATTR_XRCD | IBV_SRQ_INIT_ATTR_CQ;
		attr.srq_type = IBV_SRQT_XRC;
		attr.xrcd = resources->xrcd;
		attr.cq = set->recv_cq ? set->recv_cq : set->send_cq;
	}
	errno = 0;
	rx->srq = resources->xrcd ? ibv_create_srq_ex(device->context, &attr) : ibv_create_srq(attr.pd, &basic);
	if (rx->srq)
		return 0;
	err = errno ? -errno : -EIO;
	return log_fail(err, "cannot create an SRQ on %s (max_wr %u): %s%s", device->name, depth, strerror(-err),
			locked_memory_advice(device, -err, 0, advice, sizeof(advice)));
}

int srq_open(struct resources *resources)
{
	const struct traffic *traffic = &resources->traffic;
	const bool domain = traffic->transport->xrc_domain;
	int err = 0;

	if (!resources->config->shares_receives ||
	    !(traffic->receives || (traffic->transport->needs_srq && (traffic->peer_posts || traffic->splits))))
		return 0;
	if (domain)
		err = srq_open_domain(resources);
	for (unsigned i = 0; !err && i < resources->num_sets; i++)
		err = srq_open_one(resources, &resources->sets[i], resources->sets[i].rx);
	return err;
}

uint32_t srq_number(const struct resources *resources, unsigned index)
{
	const struct queue_set *set = queue_set_of(resources->sets, index);
	uint32_t number;

	if (!resources->traffic.transport->needs_srq || !set->rx->srq || ibv_get_srq_num(set->rx->srq, &number))
		return 0;
	return number;
}

void srq_close(struct resources *resources)
{
	for (unsigned i = 0; resources->rx && i < resources->num_rx; i++) {
		if (resources->rx[i].srq)
			ibv_destroy_srq(resources->rx[i].srq);
		resources->rx[i].srq = NULL;
	}
	if (resources->xrcd)
		ibv_close_xrcd(resources->xrcd);
	resources->xrcd = NULL;
}
