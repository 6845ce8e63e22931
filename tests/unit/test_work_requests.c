// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What the loops post: addresses, chains, inline data, and each operation's own fields. */
#include "cmocka_all.h"
#include "memory/memory.h"
#include "verbs/device/host_page.h"
#include "verbs/memory/mr.h"
#include "verbs/perftest_resources.h"
#include "verbs/qp/qp_attr.h"
#include "verbs/resources.h"

#define NUM_QPS	   3
#define SLOT_BYTES 16384
#define LKEY	   0x1234
#define RKEY	   0x5678
#define REMOTE(i)  (0x7f0000000000U + (i)*0x10000U)

static struct traffic_spec spec;
static struct verbs_config config;
static struct device device;
static struct resources resources;
static struct ibv_mr mr = {.lkey = LKEY};
static struct ibv_mr *mrs[1] = {&mr};
static struct buffer buffers[1] = {{.ops = &memory_host, .fd = -1}};
static struct ibv_qp qps[NUM_QPS];
static struct tx_queue tx[NUM_QPS];
static struct rx_queue rx[NUM_QPS];
static struct queue_set sets[2];
static struct endpoint remote[2 * NUM_QPS];

static void make(enum verb verb, enum metric metric, enum transport transport)
{
	spec = (struct traffic_spec){.verb = verb, .metric = metric, .transport = transport};
	config = (struct verbs_config){.transport = transport, .post_list = 1, .recv_post_list = 1};
	memset(tx, 0, sizeof(tx));
	memset(rx, 0, sizeof(rx));
	sets[0] = (struct queue_set){.tx = tx, .rx = rx, .num_tx = NUM_QPS, .num_rx = NUM_QPS};
	resources = (struct resources){
		.device = &device,
		.config = &config,
		.traffic = traffic_of(&spec, SIDE_CLIENT),
		.buffers = buffers,
		.mrs = mrs,
		.num_buffers = 1,
		.page_bytes = host_common_page(0),
		.qp_region_bytes = SLOT_BYTES,
		.sets = sets,
		.num_sets = 1,
		.tx = tx,
		.rx = rx,
		.remote = remote,
		.num_qps = NUM_QPS,
		.num_rx = NUM_QPS,
		.recv_bytes = 8192 + transport_traits(transport)->recv_header_bytes,
		.max_message = 8192,
	};
	resources.traffic.posts = resources.traffic.peer_posts = resources.traffic.receives = true;
	for (unsigned i = 0; i < NUM_QPS; i++) {
		tx[i].qp = &qps[i];
		remote[i] = (struct endpoint){.rkey = RKEY + i, .vaddr = REMOTE(i)};
	}
}

static void prepare(uint64_t size)
{
	assert_int_equal(wr_open(&resources), 0);
	assert_int_equal(resources_prepare(&resources, size), 0);
}

static int close_queues(void **state)
{
	wr_close(&resources);
	resources = (struct resources){0}; /* a test that is skipped opens none */
	return 0;
}

TEST(halves_lie_behind_each_other, NULL, close_queues)
{
	uint8_t *base = buffers[0].addr;

	make(VERB_SEND, METRIC_BW, TRANSPORT_RC);
	prepare(64);
	for (unsigned i = 0; i < NUM_QPS; i++) {
		assert_int_equal(tx[i].local_base, (uintptr_t)base + i * SLOT_BYTES);
		assert_int_equal(rx[i].base, (uintptr_t)base + (NUM_QPS + i) * SLOT_BYTES);
		assert_int_equal(tx[i].wr->wr_id, i);
		assert_int_equal(rx[i].wr->wr_id, i);
		assert_int_equal(tx[i].sge->length, 64);
		assert_int_equal(tx[i].sge->lkey, LKEY);
		assert_int_equal(rx[i].sge->length, 8192);
	}
	/* Only the half that is needed. */
	resources.traffic.posts = false;
	assert_ptr_equal(mr_recv_region(&resources, 1), base + SLOT_BYTES);
}

TEST(steps_are_powers_of_two_of_cache_lines, NULL, close_queues)
{
	static const struct {
		uint64_t size;
		uint32_t step;
	} cases[] = {{1, 64}, {64, 64}, {65, 128}, {129, 256}, {1025, 2048}, {2048, 2048}, {2049, 0}, {8192, 0}};

	if (host_page() != 4096 || host_cache_line() != 64)
		skip();
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		make(VERB_WRITE, METRIC_BW, TRANSPORT_RC);
		prepare(cases[i].size);
		assert_int_equal(tx[0].step, cases[i].step);
		assert_int_equal(tx[0].span, cases[i].step ? 4096 : 1);
		wr_close(&resources);
	}
	/* The peer's host has larger pages, and lays out its buffer by them. */
	make(VERB_WRITE, METRIC_BW, TRANSPORT_RC);
	assert_true(host_common_page(65536) == 65536 && host_common_page(1) == 4096);
	resources.page_bytes = host_common_page(65536);
	for (size_t i = 0; i < 2; i++) {
		prepare(i ? 8192 : 4096);
		assert_int_equal(tx[0].step, i ? 8192 : 4096);
		assert_int_equal(tx[0].span, 65536);
		wr_close(&resources);
	}
	make(VERB_WRITE, METRIC_LAT, TRANSPORT_RC);
	prepare(8);
	assert_int_equal(tx[0].step, 0);
}

/* A walk would begin within one of its blocks, of 520 bytes; what is sent goes to the place of a receive. */
TEST(a_key_of_blocks_is_not_walked_over, NULL, close_queues)
{
	static const enum verb verbs[] = {VERB_WRITE, VERB_READ, VERB_SEND};

	for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++) {
		wr_close(&resources);
		make(verbs[i], METRIC_BW, TRANSPORT_RC);
		config.post_list = 2;
		for (unsigned j = 0; j < NUM_QPS; j++)
			remote[j].vaddr = 0;
		prepare(520);
		assert_int_equal(tx[1].step, verbs[i] == VERB_SEND ? 1024 : 0);
		if (verbs[i] != VERB_SEND)
			assert_int_equal(tx[1].wr[1].wr.rdma.remote_addr, 0);
	}
}

TEST(lists_are_chained_and_walk, NULL, close_queues)
{
	const uint32_t count = 80; /* more than a page of steps */

	make(VERB_WRITE, METRIC_BW, TRANSPORT_RC);
	config.post_list = count;
	config.recv_post_list = 5;
	prepare(8);
	for (uint32_t j = 0; j < count; j++) {
		const struct ibv_send_wr *wr = &tx[1].wr[j];
		const uint64_t offset = (j * tx[1].step) % tx[1].span;

		assert_ptr_equal(wr->next, j + 1 < count ? wr + 1 : NULL);
		assert_int_equal(wr->sg_list->addr, tx[1].local_base + offset);
		assert_int_equal(wr->wr.rdma.remote_addr, REMOTE(1) + offset);
		assert_int_equal(wr->wr.rdma.rkey, RKEY + 1);
		assert_int_equal(wr->opcode, IBV_WR_RDMA_WRITE);
	}
	assert_null(rx[1].wr[4].next);
	assert_ptr_equal(rx[1].wr[3].next, &rx[1].wr[4]);
}

TEST(inline_is_what_was_granted, NULL, close_queues)
{
	make(VERB_SEND, METRIC_LAT, TRANSPORT_RC);
	resources.inline_size = 220;
	assert_true(resources_inlines(&resources, 220));
	assert_false(resources_inlines(&resources, 221));
	prepare(220);
	assert_int_equal(tx[0].wr->send_flags, IBV_SEND_INLINE);
	assert_int_equal(resources_prepare(&resources, 221), 0);
	assert_int_equal(tx[0].wr->send_flags, 0);
}

TEST(datagrams_have_an_address_and_a_header, NULL, close_queues)
{
	struct ibv_ah *ah = (struct ibv_ah *)&device;

	make(VERB_SEND, METRIC_BW, TRANSPORT_UD);
	tx[2].ah = ah;
	tx[2].remote_qpn = 77;
	tx[2].remote_qkey = 0x11111111;
	prepare(8);
	assert_ptr_equal(tx[2].wr->wr.ud.ah, ah);
	assert_int_equal(tx[2].wr->wr.ud.remote_qpn, 77);
	assert_int_equal(tx[2].wr->wr.ud.remote_qkey, 0x11111111);
	/* The payload begins on a cache line, and the next datagram's header does not lie on it. */
	assert_int_equal((rx[2].base + 40) % host_cache_line(), 0);
	assert_true(tx[2].step >= 40 + 8);
	assert_int_equal(rx[2].sge->length, 8192 + 40);
}

TEST(receives_of_writes_hold_nothing, NULL, close_queues)
{
	make(VERB_WRITE, METRIC_BW, TRANSPORT_SRD);
	prepare(64);
	for (unsigned i = 0; i < NUM_QPS; i++) {
		assert_int_equal(rx[i].sge->length, 0);
		assert_int_equal(rx[i].wr->num_sge, 1);
	}
}

TEST(atomics_add_one_or_swap_zero, NULL, close_queues)
{
	make(VERB_ATOMIC, METRIC_BW, TRANSPORT_RC);
	spec.atomic_type = ATOMIC_FETCH_AND_ADD;
	resources.traffic = traffic_of(&spec, SIDE_CLIENT);
	prepare(8);
	assert_int_equal(tx[1].wr->opcode, IBV_WR_ATOMIC_FETCH_AND_ADD);
	assert_int_equal(tx[1].wr->wr.atomic.compare_add, 1);
	assert_int_equal(tx[1].wr->wr.atomic.remote_addr, REMOTE(1));
	assert_int_equal(tx[1].wr->wr.atomic.rkey, RKEY + 1);
	spec.atomic_type = ATOMIC_CMP_AND_SWAP;
	resources.traffic = traffic_of(&spec, SIDE_CLIENT);
	assert_int_equal(resources_prepare(&resources, 8), 0);
	assert_int_equal(tx[1].wr->opcode, IBV_WR_ATOMIC_CMP_AND_SWP);
	assert_int_equal(tx[1].wr->wr.atomic.compare_add, 0);
	assert_int_equal(tx[1].wr->wr.atomic.swap, 0);
}

TEST(polled_bytes_are_the_last_and_stay, NULL, close_queues)
{
	uint8_t *base = buffers[0].addr;

	memset(base, 0xff, (size_t)2 * NUM_QPS * SLOT_BYTES);
	make(VERB_WRITE, METRIC_LAT, TRANSPORT_RC);
	resources.traffic.receives = false;
	prepare(1);
	assert_ptr_equal(tx[0].post_byte, base);
	assert_int_equal(resources_prepare(&resources, 100), 0);
	assert_ptr_equal(tx[0].post_byte, base + 99);
	assert_ptr_equal(tx[0].poll_byte, base + (size_t)NUM_QPS * SLOT_BYTES + 99);
	/* The first message of a classic peer may be there already. */
	assert_int_equal(*tx[0].poll_byte, 0xff);
	assert_null(rx[0].wr);
}

/* A completion names the queue within the set whose thread polls it. */
TEST(each_set_counts_its_own_queues, NULL, close_queues)
{
	make(VERB_SEND, METRIC_BW, TRANSPORT_RC);
	sets[0] = (struct queue_set){.tx = tx, .rx = rx, .num_tx = NUM_QPS - 1, .num_rx = NUM_QPS - 1};
	sets[1] = (struct queue_set){.tx = tx + NUM_QPS - 1, .rx = rx + NUM_QPS - 1, .num_tx = 1, .num_rx = 1};
	resources.num_sets = 2;
	prepare(8);
	for (unsigned i = 0; i < NUM_QPS; i++) {
		assert_ptr_equal(queue_set_of(sets, i), &sets[i == NUM_QPS - 1]);
		assert_int_equal(tx[i].wr->wr_id, i % (NUM_QPS - 1));
		assert_int_equal(rx[i].wr->wr_id, i % (NUM_QPS - 1));
	}
}

/* With --data_validation the shared queue spans as many slots as the queue pairs have, down to a power of two. */
TEST(a_shared_queue_has_one_walk, NULL, close_queues)
{
	struct ibv_srq srq;
	uint32_t span;

	make(VERB_SEND, METRIC_BW, TRANSPORT_RC);
	sets[0].num_rx = resources.num_rx = 1;
	rx[0].srq = &srq;
	prepare(64);
	assert_int_equal(rx[0].base, (uintptr_t)buffers[0].addr + (size_t)NUM_QPS * SLOT_BYTES);
	assert_int_equal(rx[0].wr->wr_id, 0);
	assert_null(rx[1].wr);
	assert_int_equal(rx[0].span, 4096);
	config.data_validation = true;
	config.num_qps = NUM_QPS;
	config.shares_receives = true;
	config.traffic = resources.traffic;
	assert_int_equal(resources_prepare(&resources, 64), 0);
	span = (uint32_t)(resources.slots.step * resources.slots.count);
	assert_int_equal(tx[0].span, span);
	assert_int_equal(rx[0].span, 2 * span); /* of 3 queue pairs */
}

/* What is sent goes to the peer's targets, behind its initiators, and names their shared receive queue. */
TEST(xrc_names_the_target_and_its_queue, NULL, close_queues)
{
	struct ibv_qp *targets[NUM_QPS];

	make(VERB_WRITE, METRIC_BW, TRANSPORT_XRC);
	resources.targets = targets;
	for (unsigned i = 0; i < NUM_QPS; i++)
		remote[NUM_QPS + i] = (struct endpoint){.rkey = 7 + i, .vaddr = REMOTE(8 + i), .srqn = 70 + i};
	prepare(64);
	for (unsigned i = 0; i < NUM_QPS; i++) {
		assert_int_equal(tx[i].remote_base, REMOTE(8 + i));
		assert_int_equal(tx[i].wr->wr.rdma.rkey, 7 + i);
		assert_int_equal(tx[i].wr->qp_type.xrc.remote_srqn, 70 + i);
	}
}

TEST(messages_above_the_limit_are_refused, NULL, close_queues)
{
	make(VERB_SEND, METRIC_BW, TRANSPORT_RC);
	assert_int_equal(wr_open(&resources), 0);
	assert_int_equal(resources_prepare(&resources, 8193), -EMSGSIZE);
}

/* The address vector of a queue pair, which decides what stands in the global route header. */
TEST(labels_go_round_and_hops_are_enough, NULL, close_queues)
{
	const uint32_t expected[] = {5, 0xfffff, 7, 5, 0xfffff};
	struct ibv_ah_attr attr;

	make(VERB_SEND, METRIC_BW, TRANSPORT_RC);
	config.num_flow_labels = 3;
	config.flow_labels[0] = 5;
	config.flow_labels[1] = 0xfffff;
	config.flow_labels[2] = 7;
	config.tclass = 104;
	config.sl = 3;
	remote[0] = (struct endpoint){.lid = 17, .gid = {0xfe, 0x80, [15] = 9}};
	device = (struct device){.port = 2, .gid_index = 3};
	for (unsigned i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
		qp_fill_address(&resources, i, &remote[0], IBV_RATE_MAX, &attr);
		assert_int_equal(attr.grh.flow_label, expected[i]);
		assert_int_equal(attr.grh.hop_limit, 255);
		assert_int_equal(attr.grh.traffic_class, 104);
		assert_int_equal(attr.grh.sgid_index, 3);
		assert_memory_equal(attr.grh.dgid.raw, remote[0].gid, sizeof(remote[0].gid));
		assert_int_equal(attr.is_global, 1);
		assert_int_equal(attr.port_num, 2);
		assert_int_equal(attr.sl, 3);
		assert_int_equal(attr.dlid, 17);
	}
	/* By LID alone there is no such header. */
	device.gid_index = -1;
	qp_fill_address(&resources, 1, &remote[0], IBV_RATE_MAX, &attr);
	assert_int_equal(attr.is_global, 0);
	assert_int_equal(attr.grh.flow_label, 0);
	device = (struct device){0};
}

int main(void)
{
	void *pages;
	int failed;

	if (posix_memalign(&pages, host_page(), (size_t)2 * NUM_QPS * SLOT_BYTES))
		return 1;
	buffers[0].addr = pages;
	failed = tests_run(NULL, NULL);
	free(buffers[0].addr);
	return failed;
}
