// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Builds work requests once per message size, so that a loop only has to post them. See resources.h. */

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>

#include "memory/memory.h"
#include "util/log.h"
#include "verbs/device/host_page.h"
#include "verbs/memory/mr.h"
#include "verbs/memory/slots.h"
#include "verbs/qp/credit.h"
#include "verbs/qp/qp_attr.h"
#include "verbs/queue.h"
#include "verbs/resources.h"
#include "verbs/work/ethernet.h"

#define IMMEDIATE 0x70657266 /* "perf"; never read */

/* A loop writes to them with each message, so threads must not share a cache line. */
static void *open_apart(size_t bytes)
{
	return calloc(1, bytes + QUEUE_APART);
}

int wr_open(struct resources *resources)
{
	const struct verbs_config *config = resources->config;
	uint32_t sends = resources->traffic.posts ? config->post_list : 0;
	uint32_t recvs = resources->traffic.receives ? config->recv_post_list : 0;

	for (unsigned i = 0; sends && i < resources->num_qps; i++) {
		struct tx_queue *tx = &resources->tx[i];

		tx->wr = open_apart(sends * sizeof(*tx->wr));
		tx->sge = open_apart(sends * sizeof(*tx->sge));
		if (!tx->wr || !tx->sge)
			goto no_memory;
	}
	for (unsigned i = 0; recvs && i < resources->num_rx; i++) {
		struct rx_queue *rx = &resources->rx[i];

		rx->wr = open_apart(recvs * sizeof(*rx->wr));
		rx->sge = open_apart(recvs * sizeof(*rx->sge));
		if (!rx->wr || !rx->sge)
			goto no_memory;
	}
	return 0;

no_memory:
	return log_fail(-ENOMEM, "no memory for the work requests of %u queue pairs", resources->num_qps);
}

void wr_close(struct resources *resources)
{
	for (unsigned i = 0; resources->tx && i < resources->num_qps; i++) {
		free(resources->tx[i].wr);
		free(resources->tx[i].sge);
	}
	for (unsigned i = 0; resources->rx && i < resources->num_rx; i++) {
		free(resources->rx[i].wr);
		free(resources->rx[i].sge);
	}
}

/* See queue.h. */
struct stride {
	uint32_t step;
	uint32_t span;
};

/*
 * Does the peer's address belong to an mkey (maker.h)? Only with such a key do addresses start at zero, as blocks do,
 * whose size only the peer knows.
 */
static bool peer_counts_blocks(const struct resources *resources)
{
	return resources->traffic.posts && traffic_opcode_is_one_sided(resources->traffic.opcode) &&
	       resources_target(resources, 0)->vaddr == 0;
}

/*
 * Messages of at most half a page cycle over one page, at least a cache line apart, if the peer has room for that;
 * larger ones and those of a latency test stay at one address. The stride is a power of two, so that a mask wraps it.
 */
static struct stride stride_of(const struct resources *resources, uint64_t bytes)
{
	uint64_t step = host_cache_line();

	/* Blocks that are encrypted are counted from the start of an mkey. */
	if (resources->mkeys)
		return (struct stride){.step = 0, .span = 1};
	if (resources->config->data_validation)
		return (struct stride){.step = (uint32_t)resources->slots.step,
				       .span = (uint32_t)(resources->slots.step * resources->slots.count)};
	if (resources->traffic.open_loop && resources->traffic.polls_memory) {
		struct stride slots = {0};

		slots.span = traffic_slots(bytes, &slots.step) * slots.step;
		return slots;
	}
	if (resources->traffic.metric == METRIC_LAT || bytes > resources->page_bytes / 2 ||
	    peer_counts_blocks(resources))
		return (struct stride){.step = 0, .span = 1};
	while (step < bytes)
		step *= 2;
	return (struct stride){.step = (uint32_t)step, .span = (uint32_t)resources->page_bytes};
}

/* Frames have different headers: each has a slot of its own, even if it is large. */
static struct stride frames_stride(const struct resources *resources, uint64_t size)
{
	const struct frame_slots slots = frame_slots(resources->config, size, resources->page_bytes);

	return (struct stride){.step = slots.step, .span = slots.step * slots.count};
}

static uint64_t stride_slot_offset(struct stride stride, uint32_t index)
{
	return ((uint64_t)index * stride.step) & (stride.span - 1);
}

static void prepare_target(const struct resources *resources, unsigned index, uint64_t offset, struct ibv_send_wr *wr)
{
	const struct traffic *traffic = &resources->traffic;
	const struct tx_queue *tx = &resources->tx[index];
	const struct endpoint *remote = resources_target(resources, index);

	wr->opcode = traffic->opcode;
	if (wr->opcode == IBV_WR_SEND_WITH_IMM || wr->opcode == IBV_WR_RDMA_WRITE_WITH_IMM)
		wr->imm_data = htonl(IMMEDIATE);
	if (traffic->transport->xrc_domain)
		wr->qp_type.xrc.remote_srqn = remote->srqn;
	qp_name_destination(resources, index);
	if (traffic->transport->datagram && !traffic_opcode_is_one_sided(wr->opcode)) {
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

static void prepare_sends(struct resources *resources, unsigned index, uint64_t size, struct stride stride)
{
	const uint32_t count = resources->config->post_list;
	struct tx_queue *tx = &resources->tx[index];

	tx->step = stride.step;
	tx->span = stride.span;
	tx->local_base = mr_address(resources, mr_send_region(resources, index));
	tx->remote_base = resources_target(resources, index)->vaddr;
	for (uint32_t j = 0; j < count; j++) {
		struct ibv_send_wr *wr = &tx->wr[j];
		struct ibv_sge *sge = &tx->sge[j];

		*sge = (struct ibv_sge){.addr = tx->local_base + stride_slot_offset(stride, j),
					.length = (uint32_t)size - resources->traffic.transport->trailer_bytes,
					.lkey = mr_send_lkey(resources, index)};
		*wr = (struct ibv_send_wr){
			.wr_id = (uint64_t)(tx - queue_set_of(resources->sets, index)->tx),
			.next = j + 1 < count ? wr + 1 : NULL,
			.sg_list = sge,
			.num_sge = size ? 1 : 0, /* to some devices an element of no bytes is one of 2^31 */
			.send_flags = resources_inlines(resources, size) ? IBV_SEND_INLINE : 0,
		};
		prepare_target(resources, index, stride_slot_offset(stride, j), wr);
	}
}

/* With --data_validation an SRQ has the slots of all its QPs, rounded down to a power of two. */
static struct stride receive_stride(const struct resources *resources, const struct queue_set *set,
				    struct stride stride)
{
	if (!resources->config->data_validation)
		return stride;
	for (unsigned pairs = set->num_tx / set->num_rx; pairs > 1; pairs /= 2)
		stride.span *= 2;
	return stride;
}

/* The payload after the header starts on a cache line. */
static void prepare_receives(struct resources *resources, const struct queue_set *set, struct rx_queue *rx,
			     struct stride stride)
{
	/* A WRITE with immediate data puts nothing into the receive that it consumes, whose length may be limited. */
	const uint64_t length = resources->traffic.verb == VERB_WRITE ? 0
				: resources->config->data_validation  ? resources->slots.recv_bytes
								      : resources->recv_bytes;
	const uint64_t header = resources->traffic.transport->recv_header_bytes;
	const uint32_t count = resources->config->recv_post_list;
	const uint64_t line = host_cache_line();
	/* The QP whose part of the buffer receives the messages; the first of those that share the queue. */
	const unsigned index = (unsigned)(set->tx - resources->tx + (rx - set->rx));

	rx->step = stride.step;
	rx->span = stride.span;
	/* If what arrives is read, receives left over from the last size are where the same stride put them. */
	if (!(resources->config->data_validation || resources->traffic.bursts) || !rx->posted)
		rx->offset = 0;
	rx->base = mr_address(resources, mr_recv_region(resources, index)) + (line - header % line) % line;
	for (uint32_t j = 0; j < count; j++) {
		struct ibv_recv_wr *wr = &rx->wr[j];
		struct ibv_sge *sge = &rx->sge[j];

		*sge = (struct ibv_sge){.addr = rx->base + stride_slot_offset(stride, j),
					.length = (uint32_t)length,
					.lkey = mr_recv_lkey(resources, index)};
		*wr = (struct ibv_recv_wr){
			.wr_id = (uint64_t)(rx - set->rx),
			.next = j + 1 < count ? wr + 1 : NULL,
			.sg_list = sge,
			.num_sge = 1,
		};
	}
}

/*
 * The last byte of a message arrives last; it counts messages, from 1. In a ping-pong it need not be cleared, and must
 * not be: mr.c has done it for every size, the sizes of a run only grow, and a classic peer may have sent the first
 * message of the next size already.
 */
static void prepare_polling(struct resources *resources, unsigned index, uint64_t size)
{
	struct tx_queue *tx = &resources->tx[index];

	/* An open loop has one for each slot, and no classic peer that could already have sent something. */
	for (uint32_t i = 0; resources->traffic.open_loop && i < tx->span / tx->step; i++)
		mr_recv_region(resources, index)[i * tx->step + size - 1] = 0;
	tx->poll_byte = mr_recv_region(resources, index) + size - 1;
	tx->post_byte = mr_send_region(resources, index) + size - 1;
}

int wr_prepare(struct resources *resources, uint64_t size)
{
	const bool frames = resources->traffic.transport->frames && resources->traffic.posts;
	const struct stride stride = stride_of(resources, size + resources->traffic.transport->recv_header_bytes);

	for (unsigned i = 0; i < resources->num_qps; i++) {
		if (resources->traffic.posts)
			prepare_sends(resources, i, size, frames ? frames_stride(resources, size) : stride);
		if (resources->traffic.polls_memory)
			prepare_polling(resources, i, size);
	}
	for (unsigned i = 0; resources->traffic.receives && i < resources->num_sets; i++) {
		const struct queue_set *set = &resources->sets[i];

		for (unsigned j = 0; j < set->num_rx; j++)
			prepare_receives(resources, set, &set->rx[j],
					 resources->traffic.bursts || resources->traffic.forwards
						 ? frames_stride(resources, resources->recv_bytes)
						 : receive_stride(resources, set, stride));
	}
	credit_prepare(resources);
	return frames ? ethernet_lay(resources, size) : 0;
}
