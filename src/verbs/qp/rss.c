// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The work queues, their indirection table, and the QP. See qp.h. */
#include "verbs/qp/qp.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/log.h"
#include "verbs/qp/qp_row.h"
#include "verbs/resources.h"

#define KEY_BYTES 40

/* The published key of the RSS verification suite, so that anyone can compute the queue of a flow. */
static uint8_t key[KEY_BYTES] = {
	0x6d, 0x5a, 0x56, 0xda, 0x25, 0x5b, 0x0e, 0xc2, 0x41, 0x67, 0x25, 0x3d, 0x43, 0xa3,
	0x8f, 0xb0, 0xd0, 0xca, 0x2b, 0xcb, 0xae, 0x7b, 0x30, 0xb4, 0x77, 0xcb, 0x2d, 0xa3,
	0x80, 0x30, 0xf2, 0x0c, 0x6a, 0x42, 0xb7, 0x3b, 0xbe, 0xac, 0x01, 0xfa,
};

struct work_queue {
	struct ibv_qp posts; /* to which a loop posts receives; must be the first member */
	struct ibv_wq *wq;
};

struct rss {
	struct work_queue *queues; /* one per rx_queue */
	unsigned num_queues;	   /* created so far */
	struct ibv_rwq_ind_table *table;
	struct ibv_qp *qp;
};

/* The only code that loops execute for it: the cost is one jump, and loops need not know work queues. */
static int post_to_work_queue(struct ibv_qp *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
	return ibv_post_wq_recv(((struct work_queue *)qp)->wq, wr, bad);
}

static struct ibv_context posting = {.ops.post_recv = post_to_work_queue};

/* Of one address family and one protocol: mlx5 does not accept more. */
static uint64_t fields_of(const struct frame_config *frames)
{
	uint64_t fields = frames->rss.by_ipv6 ? IBV_RX_HASH_SRC_IPV6 | IBV_RX_HASH_DST_IPV6
					      : IBV_RX_HASH_SRC_IPV4 | IBV_RX_HASH_DST_IPV4;

	if (frames->rss.by_ports)
		fields |= frames->rss.ports_tcp ? IBV_RX_HASH_SRC_PORT_TCP | IBV_RX_HASH_DST_PORT_TCP
						: IBV_RX_HASH_SRC_PORT_UDP | IBV_RX_HASH_DST_PORT_UDP;
	return fields;
}

int rss_check(const struct resources *resources)
{
	const char *name = resources->device->name;
	const uint64_t fields = fields_of(&resources->config->frames);
	struct ibv_device_attr_ex attr = {0};
	const struct ibv_rss_caps *caps = &attr.rss_caps;

	if (ibv_query_device_ex(resources->device->context, NULL, &attr) ||
	    !(caps->supported_qpts & 1U << qp_row_of(resources, 0)->type) || !caps->max_rwq_indirection_tables ||
	    !(caps->rx_hash_function & IBV_RX_HASH_FUNC_TOEPLITZ))
		return log_fail(-EOPNOTSUPP, "%s has no RSS for raw packet queue pairs; omit --use_rss", name);
	if (resources->num_qps > caps->max_rwq_indirection_table_size || resources->num_qps > attr.max_wq_type_rq)
		return log_fail(-EOPNOTSUPP, "%s can spread frames over at most %u work queues, and has %u; lower --qp",
				name, caps->max_rwq_indirection_table_size, attr.max_wq_type_rq);
	if ((caps->rx_hash_fields_mask & fields) != fields)
		return log_fail(-EOPNOTSUPP,
				"%s does not support RSS over the fields that --use_rss needs: it has 0x%llx, not "
				"0x%llx (enum ibv_rx_hash_fields)",
				name, (unsigned long long)caps->rx_hash_fields_mask, (unsigned long long)fields);
	return 0;
}

/* Returns -errno of the call that has just failed. */
static int rss_refused(const struct resources *resources, const char *what)
{
	const int err = errno ? -errno : -EIO;

	return log_fail(err, "%s cannot create the %s for --use_rss (-q %u, -r %u): %s%s", resources->device->name,
			what, resources->num_qps, resources->rx_depth, strerror(-err),
			err == -EPERM ? "; raw packet queue pairs need CAP_NET_RAW" : "");
}

static int open_queue(struct resources *resources, unsigned index)
{
	const struct queue_set *set = queue_set_of(resources->sets, index);
	struct ibv_wq_init_attr attr = {
		.wq_type = IBV_WQT_RQ,
		.max_wr = resources->rx_depth,
		.max_sge = 1,
		.pd = resources_qp_pd(resources, index),
		.cq = set->recv_cq,
	};
	struct ibv_wq_attr ready = {.attr_mask = IBV_WQ_ATTR_STATE, .wq_state = IBV_WQS_RDY};
	struct work_queue *queue = &resources->rss->queues[index];
	int err;

	errno = 0;
	queue->wq = ibv_create_wq(resources->device->context, &attr);
	if (!queue->wq)
		return rss_refused(resources, "work queue");
	resources->rss->num_queues++;
	queue->posts = (struct ibv_qp){.context = &posting, .qp_num = queue->wq->wq_num};
	resources->rx[index].qp = &queue->posts;
	err = ibv_modify_wq(queue->wq, &ready);
	if (!err)
		return 0;
	errno = err;
	return rss_refused(resources, "work queue that is ready");
}

static int open_table(struct resources *resources)
{
	struct ibv_wq **wqs = calloc(resources->num_qps, sizeof(*wqs));
	struct ibv_rwq_ind_table_init_attr attr = {.ind_tbl = wqs};

	if (!wqs)
		return log_fail(-ENOMEM, "no memory for a table of %u work queues", resources->num_qps);
	while (1U << attr.log_ind_tbl_size < resources->num_qps)
		attr.log_ind_tbl_size++;
	for (unsigned i = 0; i < resources->num_qps; i++)
		wqs[i] = resources->rss->queues[i].wq;
	errno = 0;
	resources->rss->table = ibv_create_rwq_ind_table(resources->device->context, &attr);
	free(wqs);
	return resources->rss->table ? 0 : rss_refused(resources, "indirection table");
}

/* On mlx4 the QP needs state transitions; on mlx5 it has no states, and modifying it fails. */
static int start_qp(const struct resources *resources)
{
	struct ibv_qp_attr attr = {.qp_state = IBV_QPS_INIT, .port_num = resources->device->port};
	int err = ibv_modify_qp(resources->rss->qp, &attr, IBV_QP_STATE | IBV_QP_PORT);

	if (err == EOPNOTSUPP || err == ENOSYS)
		return 0;
	attr.qp_state = IBV_QPS_RTR;
	err = err ?: ibv_modify_qp(resources->rss->qp, &attr, IBV_QP_STATE);
	if (!err)
		return 0;
	errno = err;
	return rss_refused(resources, "queue pair that is ready");
}

static int open_qp(struct resources *resources)
{
	struct ibv_qp_init_attr_ex attr = {
		.qp_type = qp_row_of(resources, 0)->type,
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_IND_TABLE | IBV_QP_INIT_ATTR_RX_HASH,
		.pd = resources_qp_pd(resources, 0 /* index */),
		.rwq_ind_tbl = resources->rss->table,
		.rx_hash_conf = {.rx_hash_function = IBV_RX_HASH_FUNC_TOEPLITZ,
				 .rx_hash_key_len = KEY_BYTES,
				 .rx_hash_key = key,
				 .rx_hash_fields_mask = fields_of(&resources->config->frames)},
	};

	errno = 0;
	resources->rss->qp = ibv_create_qp_ex(resources->device->context, &attr);
	if (!resources->rss->qp)
		return rss_refused(resources, "queue pair");
	for (unsigned i = 0; i < resources->num_qps; i++)
		resources->tx[i].qp = resources->rss->qp;
	return start_qp(resources);
}

int rss_open(struct resources *resources)
{
	int err = 0;

	resources->rss = calloc(1, sizeof(*resources->rss));
	if (resources->rss)
		resources->rss->queues = calloc(resources->num_qps, sizeof(*resources->rss->queues));
	if (!resources->rss || !resources->rss->queues)
		return log_fail(-ENOMEM, "no memory for %u work queues", resources->num_qps);
	for (unsigned i = 0; !err && i < resources->num_qps; i++)
		err = open_queue(resources, i);
	err = err ?: open_table(resources);
	return err ? err : open_qp(resources);
}

void rss_close(struct resources *resources)
{
	struct rss *rss = resources->rss;

	if (!rss)
		return;
	if (rss->qp)
		ibv_destroy_qp(rss->qp);
	if (rss->table)
		ibv_destroy_rwq_ind_table(rss->table);
	for (unsigned i = 0; i < rss->num_queues; i++)
		ibv_destroy_wq(rss->queues[i].wq);
	for (unsigned i = 0; i < resources->num_qps; i++)
		resources->tx[i].qp = resources->rx[i].qp = NULL;
	free(rss->queues);
	free(rss);
	resources->rss = NULL;
}
