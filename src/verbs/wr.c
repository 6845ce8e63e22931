// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Builds work requests once per message size, so that a loop only posts them. */
#include "verbs/wr.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>

#include "params/perftest_parameters.h"
#include "util/log.h"
#include "verbs/flow.h"
#include "verbs/mr.h"
#include "verbs/perftest_resources.h"

#define IMMEDIATE 0x70657266 /* "perf"; nobody reads it */

bool resources_inlines(const struct resources *resources, uint64_t size)
{
	return size <= resources->inline_size;
}

int wr_open(struct resources *resources)
{
	const struct params *params = resources->params;
	uint32_t sends = resources->traffic.posts ? params->post_list : 0;
	uint32_t recvs = resources->traffic.receives ? params->recv_post_list : 0;

	for (unsigned i = 0; i < resources->num_qps; i++) {
		struct flow *flow = &resources->flows[i];

		if (sends) {
			flow->send_wr = calloc(sends, sizeof(*flow->send_wr));
			flow->send_sge = calloc(sends, sizeof(*flow->send_sge));
		}
		if (recvs) {
			flow->recv_wr = calloc(recvs, sizeof(*flow->recv_wr));
			flow->recv_sge = calloc(recvs, sizeof(*flow->recv_sge));
		}
		if ((sends && (!flow->send_wr || !flow->send_sge)) || (recvs && (!flow->recv_wr || !flow->recv_sge))) {
			log_error("no memory for the work requests of %u queue pairs", resources->num_qps);
			return -ENOMEM;
		}
	}
	return 0;
}

void wr_close(struct resources *resources)
{
	for (unsigned i = 0; resources->flows && i < resources->num_qps; i++) {
		struct flow *flow = &resources->flows[i];

		free(flow->send_wr);
		free(flow->send_sge);
		free(flow->recv_wr);
		free(flow->recv_sge);
	}
}

/*
 * Messages of at most half a page walk over one page, at least a cache line apart, where the peer has room for
 * as much; larger ones and those of a latency test stay where they are. A power of two, so that a mask wraps the walk.
 */
static void prepare_walk(const struct resources *resources, struct flow *flow, uint64_t bytes)
{
	uint64_t step = mr_cache_line();

	if (resources->params->data_validation) {
		flow->step = (uint32_t)resources->places.step;
		flow->span = (uint32_t)(resources->places.step * resources->places.count);
		/* Receives that are left over of the last size stand where the walk was; the places are the same. */
		if (!flow->recv_posted)
			flow->recv_offset = 0;
		return;
	}
	flow->step = 0;
	flow->span = 1;
	flow->recv_offset = 0;
	if (resources->traffic.metric == METRIC_LAT || bytes > resources->page_bytes / 2)
		return;
	while (step < bytes)
		step *= 2;
	flow->step = (uint32_t)step;
	flow->span = (uint32_t)resources->page_bytes;
}

static uint64_t place(const struct flow *flow, uint32_t index)
{
	return ((uint64_t)index * flow->step) & (flow->span - 1);
}

static void prepare_target(const struct resources *resources, unsigned index, uint64_t offset, struct ibv_send_wr *wr)
{
	const struct traffic *traffic = &resources->traffic;
	const struct flow *flow = &resources->flows[index];
	const struct endpoint *remote = &resources->remote[index];

	wr->opcode = traffic->opcode;
	if (wr->opcode == IBV_WR_SEND_WITH_IMM || wr->opcode == IBV_WR_RDMA_WRITE_WITH_IMM)
		wr->imm_data = htonl(IMMEDIATE);
	if (traffic->transport->datagram) {
		wr->wr.ud.ah = flow->ah;
		wr->wr.ud.remote_qpn = flow->remote_qpn;
		wr->wr.ud.remote_qkey = flow->remote_qkey;
	} else if (traffic->verb == VERB_ATOMIC) {
		/* FETCH_AND_ADD adds 1; CMP_AND_SWAP compares with 0 and swaps 0 in. */
		wr->wr.atomic.remote_addr = flow->remote_base + offset;
		wr->wr.atomic.rkey = remote->rkey;
		wr->wr.atomic.compare_add = wr->opcode == IBV_WR_ATOMIC_FETCH_AND_ADD ? 1 : 0;
		wr->wr.atomic.swap = 0;
	} else if (traffic_opcode_is_one_sided(wr->opcode)) {
		wr->wr.rdma.remote_addr = flow->remote_base + offset;
		wr->wr.rdma.rkey = remote->rkey;
	}
}

static void prepare_sends(struct resources *resources, unsigned index, uint64_t size)
{
	const struct params *params = resources->params;
	struct flow *flow = &resources->flows[index];

	for (uint32_t j = 0; j < params->post_list; j++) {
		struct ibv_send_wr *wr = &flow->send_wr[j];
		struct ibv_sge *sge = &flow->send_sge[j];

		*sge = (struct ibv_sge){
			.addr = flow->local_base + place(flow, j),
			.length = (uint32_t)size,
			.lkey = mr_of(resources, index)->lkey,
		};
		*wr = (struct ibv_send_wr){
			.wr_id = index,
			.next = j + 1 < params->post_list ? wr + 1 : NULL,
			.sg_list = sge,
			.num_sge = 1,
			.send_flags = resources_inlines(resources, size) ? IBV_SEND_INLINE : 0,
		};
		prepare_target(resources, index, place(flow, j), wr);
	}
}

static void prepare_receives(struct resources *resources, unsigned index)
{
	uint32_t count = resources->params->recv_post_list;
	struct flow *flow = &resources->flows[index];
	uint64_t length = resources->params->data_validation ? resources->places.recv_bytes : resources->recv_bytes;

	for (uint32_t j = 0; j < count; j++) {
		struct ibv_recv_wr *wr = &flow->recv_wr[j];
		struct ibv_sge *sge = &flow->recv_sge[j];

		*sge = (struct ibv_sge){
			.addr = flow->recv_base + place(flow, j),
			.length = (uint32_t)length,
			.lkey = mr_of(resources, index)->lkey,
		};
		*wr = (struct ibv_recv_wr){
			.wr_id = index,
			.next = j + 1 < count ? wr + 1 : NULL,
			.sg_list = sge,
			.num_sge = 1,
		};
	}
}

/*
 * The last byte of a message is the one that arrives last; it counts messages, from 1. It need not be
 * cleared, and must not: mr.c has done it for every size, the sizes of a run only grow, and a classic peer
 * may have sent the first message of the next size already.
 */
static void prepare_polling(struct resources *resources, unsigned index, uint64_t size)
{
	struct flow *flow = &resources->flows[index];

	flow->poll_byte = mr_recv_slot(resources, index) + size - 1;
	flow->post_byte = mr_send_slot(resources, index) + size - 1;
}

void wr_prepare(struct resources *resources, uint64_t size)
{
	const uint64_t header = resources->traffic.transport->recv_header_bytes;
	uint64_t line = mr_cache_line();

	for (unsigned i = 0; i < resources->num_qps; i++) {
		struct flow *flow = &resources->flows[i];

		prepare_walk(resources, flow, size + header);
		if (resources->traffic.posts) {
			flow->local_base = (uintptr_t)mr_send_slot(resources, i);
			flow->remote_base = resources->remote[i].vaddr;
			prepare_sends(resources, i, size);
		}
		if (resources->traffic.receives) {
			/* The payload behind the header begins on a cache line. */
			flow->recv_base = (uintptr_t)mr_recv_slot(resources, i) + (line - header % line) % line;
			prepare_receives(resources, i);
		}
		if (resources->traffic.polls_memory)
			prepare_polling(resources, i, size);
	}
}
