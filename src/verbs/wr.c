// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Builds work requests once per message size, so that a loop only posts them. */
#include "verbs/wr.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>

#include "memory/memory.h"
#include "util/log.h"
#include "verbs/host_page.h"
#include "verbs/mr.h"
#include "verbs/queue.h"
#include "verbs/resources.h"

#define IMMEDIATE 0x70657266 /* "perf"; nobody reads it */

int wr_open(struct resources *resources)
{
	const struct verbs_config *config = resources->config;
	uint32_t sends = resources->traffic.posts ? config->post_list : 0;
	uint32_t recvs = resources->traffic.receives ? config->recv_post_list : 0;

	for (unsigned i = 0; i < resources->num_qps; i++) {
		struct tx_queue *tx = &resources->tx[i];
		struct rx_queue *rx = &resources->rx[i];

		if (sends) {
			tx->wr = calloc(sends, sizeof(*tx->wr));
			tx->sge = calloc(sends, sizeof(*tx->sge));
		}
		if (recvs) {
			rx->wr = calloc(recvs, sizeof(*rx->wr));
			rx->sge = calloc(recvs, sizeof(*rx->sge));
		}
		if ((sends && (!tx->wr || !tx->sge)) || (recvs && (!rx->wr || !rx->sge))) {
			log_error("no memory for the work requests of %u queue pairs", resources->num_qps);
			return -ENOMEM;
		}
	}
	return 0;
}

void wr_close(struct resources *resources)
{
	for (unsigned i = 0; resources->tx && resources->rx && i < resources->num_qps; i++) {
		free(resources->tx[i].wr);
		free(resources->tx[i].sge);
		free(resources->rx[i].wr);
		free(resources->rx[i].sge);
	}
}

/* See queue.h. */
struct walk {
	uint32_t step;
	uint32_t span;
};

/*
 * Messages of at most half a page walk over one page, at least a cache line apart, where the peer has room for
 * as much; larger ones and those of a latency test stay where they are. A power of two, so that a mask wraps the walk.
 */
static struct walk walk_of(const struct resources *resources, uint64_t bytes)
{
	uint64_t step = host_cache_line();

	if (resources->config->data_validation)
		return (struct walk){.step = (uint32_t)resources->places.step,
				     .span = (uint32_t)(resources->places.step * resources->places.count)};
	if (resources->traffic.metric == METRIC_LAT || bytes > resources->page_bytes / 2)
		return (struct walk){.step = 0, .span = 1};
	while (step < bytes)
		step *= 2;
	return (struct walk){.step = (uint32_t)step, .span = (uint32_t)resources->page_bytes};
}

static uint64_t place(struct walk walk, uint32_t index)
{
	return ((uint64_t)index * walk.step) & (walk.span - 1);
}

static void prepare_target(const struct resources *resources, unsigned index, uint64_t offset, struct ibv_send_wr *wr)
{
	const struct traffic *traffic = &resources->traffic;
	const struct tx_queue *tx = &resources->tx[index];
	const struct endpoint *remote = &resources->remote[index];

	wr->opcode = traffic->opcode;
	if (wr->opcode == IBV_WR_SEND_WITH_IMM || wr->opcode == IBV_WR_RDMA_WRITE_WITH_IMM)
		wr->imm_data = htonl(IMMEDIATE);
	if (traffic->transport->datagram) {
		wr->wr.ud.ah = tx->ah;
		wr->wr.ud.remote_qpn = tx->remote_qpn;
		wr->wr.ud.remote_qkey = tx->remote_qkey;
	} else if (traffic->verb == VERB_ATOMIC) {
		/* FETCH_AND_ADD adds 1; CMP_AND_SWAP compares with 0 and swaps 0 in. */
		wr->wr.atomic.remote_addr = tx->remote_base + offset;
		wr->wr.atomic.rkey = remote->rkey;
		wr->wr.atomic.compare_add = wr->opcode == IBV_WR_ATOMIC_FETCH_AND_ADD ? 1 : 0;
		wr->wr.atomic.swap = 0;
	} else if (traffic_opcode_is_one_sided(wr->opcode)) {
		wr->wr.rdma.remote_addr = tx->remote_base + offset;
		wr->wr.rdma.rkey = remote->rkey;
	}
}

static void prepare_sends(struct resources *resources, unsigned index, uint64_t size, struct walk walk)
{
	const uint32_t count = resources->config->post_list;
	struct tx_queue *tx = &resources->tx[index];

	tx->step = walk.step;
	tx->span = walk.span;
	tx->local_base = (uintptr_t)mr_send_slot(resources, index);
	tx->remote_base = resources->remote[index].vaddr;
	for (uint32_t j = 0; j < count; j++) {
		struct ibv_send_wr *wr = &tx->wr[j];
		struct ibv_sge *sge = &tx->sge[j];

		*sge = (struct ibv_sge){
			.addr = tx->local_base + place(walk, j),
			.length = (uint32_t)size,
			.lkey = mr_of(resources, index)->lkey,
		};
		*wr = (struct ibv_send_wr){
			.wr_id = (uint64_t)(tx - queue_set_of(resources->sets, index)->tx),
			.next = j + 1 < count ? wr + 1 : NULL,
			.sg_list = sge,
			.num_sge = 1,
			.send_flags = resources_inlines(resources, size) ? IBV_SEND_INLINE : 0,
		};
		prepare_target(resources, index, place(walk, j), wr);
	}
}

/* The payload behind the header begins on a cache line. */
static void prepare_receives(struct resources *resources, unsigned index, struct walk walk)
{
	const uint64_t length =
		resources->config->data_validation ? resources->places.recv_bytes : resources->recv_bytes;
	const uint64_t header = resources->traffic.transport->recv_header_bytes;
	const uint32_t count = resources->config->recv_post_list;
	const uint64_t line = host_cache_line();
	struct rx_queue *rx = &resources->rx[index];

	rx->step = walk.step;
	rx->span = walk.span;
	/*
	 * With --data_validation receives that are left over of the last size stand where the walk was; the places are
	 * the same.
	 */
	if (!resources->config->data_validation || !rx->posted)
		rx->offset = 0;
	rx->base = (uintptr_t)mr_recv_slot(resources, index) + (line - header % line) % line;
	for (uint32_t j = 0; j < count; j++) {
		struct ibv_recv_wr *wr = &rx->wr[j];
		struct ibv_sge *sge = &rx->sge[j];

		*sge = (struct ibv_sge){
			.addr = rx->base + place(walk, j),
			.length = (uint32_t)length,
			.lkey = mr_of(resources, index)->lkey,
		};
		*wr = (struct ibv_recv_wr){
			.wr_id = (uint64_t)(rx - queue_set_of(resources->sets, index)->rx),
			.next = j + 1 < count ? wr + 1 : NULL,
			.sg_list = sge,
			.num_sge = 1,
		};
	}
}

static uint8_t load(const struct tx_queue *tx, const volatile uint8_t *byte)
{
	uint8_t value;

	tx->buffer->ops->copy_out(tx->buffer, &value, (const void *)(uintptr_t)byte, sizeof(value));
	return value;
}

static void store(const struct tx_queue *tx, volatile uint8_t *byte, uint8_t value)
{
	tx->buffer->ops->copy_in(tx->buffer, (void *)(uintptr_t)byte, &value, sizeof(value));
}

/*
 * The last byte of a message is the one that arrives last; it counts messages, from 1. It need not be
 * cleared, and must not: mr.c has done it for every size, the sizes of a run only grow, and a classic peer
 * may have sent the first message of the next size already.
 */
static void prepare_polling(struct resources *resources, unsigned index, uint64_t size)
{
	struct tx_queue *tx = &resources->tx[index];

	tx->buffer = mr_buffer(resources, index);
	tx->load = tx->buffer->ops->is_far ? load : NULL;
	tx->store = tx->buffer->ops->is_far ? store : NULL;
	tx->poll_byte = mr_recv_slot(resources, index) + size - 1;
	tx->post_byte = mr_send_slot(resources, index) + size - 1;
}

void wr_prepare(struct resources *resources, uint64_t size)
{
	const struct walk walk = walk_of(resources, size + resources->traffic.transport->recv_header_bytes);

	for (unsigned i = 0; i < resources->num_qps; i++) {
		if (resources->traffic.posts)
			prepare_sends(resources, i, size, walk);
		if (resources->traffic.receives)
			prepare_receives(resources, i, walk);
		if (resources->traffic.polls_memory)
			prepare_polling(resources, i, size);
	}
}
