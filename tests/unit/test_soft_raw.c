// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Do raw packet queue pairs send and receive frames unchanged? They use one end of a veth pair in this test's own
 * network namespace; a packet socket on the other end is the wire, and sees what any other program there would.
 */
#include "config.h"

#include <arpa/inet.h>
#include <infiniband/verbs.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cmocka_all.h"

#define WAIT_MS	   20000 /* for what must happen */
#define SLOT	   2048u
#define SLOTS	   64u
#define MTU	   1500u
#define ETH_HEADER 14u

static const uint8_t near_mac[6] = {0x02, 0, 0, 0, 0, 0xa}, far_mac[6] = {0x02, 0, 0, 0, 0, 0xb};
static const uint8_t group_mac[6] = {0x33, 0x33, 0, 0, 0, 1};

static int wire = -1;
static struct ibv_context *context;
static struct ibv_pd *pd;
static struct ibv_mr *mr;
static uint8_t *buffer;

/* Why the test can't run here; NULL: it can. */
static const char *namespace_make(void)
{
	if (geteuid() != 0)
		return "a network namespace takes root";
	if (unshare(CLONE_NEWNET))
		return "no network namespace is allowed here";
	if (system("ip link add veth0 address 02:00:00:00:00:0a type veth peer name veth1 address 02:00:00:00:00:0b "
		   "2>/dev/null && sysctl -qw net.ipv6.conf.veth0.disable_ipv6=1 net.ipv6.conf.veth1.disable_ipv6=1 "
		   "2>/dev/null; ip link set veth0 up 2>/dev/null && ip link set veth1 up 2>/dev/null && "
		   /* their queues are attached some time later: what is sent before is lost without an error */
		   "timeout 60 sh -c 'for end in veth0 veth1; do "
		   "until ip link show $end | grep -q \"qdisc noqueue\"; do :; done; done'"))
		return "no veth pair can be made here";
	return NULL;
}

static int wire_open(void)
{
	struct sockaddr_ll address = {
		.sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL), .sll_ifindex = (int)if_nametoindex("veth1")};
	const int one = 1;
	int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);

	assert_true(fd >= 0);
	assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	assert_int_equal(setsockopt(fd, SOL_PACKET, PACKET_AUXDATA, &one, sizeof(one)), 0);
	return fd;
}

/* The next frame that came over the wire, with the VLAN tag that the kernel tells apart put back. */
static uint32_t wire_read(uint8_t *frame, uint32_t room)
{
	struct pollfd ready = {.fd = wire, .events = POLLIN};
	struct iovec part = {frame, room};
	struct sockaddr_ll from;
	char control[CMSG_SPACE(sizeof(struct tpacket_auxdata))];
	struct tpacket_auxdata aux;
	ssize_t length;

	do {
		struct msghdr message = {.msg_name = &from,
					 .msg_namelen = sizeof(from),
					 .msg_iov = &part,
					 .msg_iovlen = 1,
					 .msg_control = control,
					 .msg_controllen = sizeof(control)};

		assert_int_equal(poll(&ready, 1, WAIT_MS), 1);
		length = recvmsg(wire, &message, 0);
		assert_true(length >= (ssize_t)ETH_HEADER);
		memcpy(&aux, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof(aux));
	} while (from.sll_pkttype == PACKET_OUTGOING);
	if (aux.tp_status & TP_STATUS_VLAN_VALID) {
		const uint16_t words[2] = {htons(aux.tp_vlan_tpid), htons(aux.tp_vlan_tci)};

		memmove(frame + 16, frame + 12, (size_t)length - 12);
		memcpy(frame + 12, words, sizeof(words));
		length += 4;
	}
	return (uint32_t)length;
}

static void wire_is_quiet(void)
{
	struct pollfd ready = {.fd = wire, .events = POLLIN};

	assert_int_equal(poll(&ready, 1, 0), 0);
}

static void wire_send(const void *frame, uint32_t length)
{
	assert_int_equal(send(wire, frame, length, 0), length);
}

/* A frame of UDP over IPv4 with `payload` bytes; its length. */
static uint32_t frame_make(uint8_t *frame, const uint8_t *to, const uint8_t *from, uint16_t port, uint32_t payload)
{
	const uint16_t total = htons((uint16_t)(28 + payload)), segment = htons((uint16_t)(8 + payload));
	const uint16_t destination = htons(port);

	memset(frame, 0, ETH_HEADER + 28);
	memcpy(frame, to, 6);
	memcpy(frame + 6, from, 6);
	frame[12] = 0x08;
	frame[14] = 0x45;
	memcpy(frame + 16, &total, 2);
	frame[22] = 64;
	frame[23] = 17;
	memcpy(frame + 26, (const uint8_t[]){192, 0, 2, 1, 192, 0, 2, 2}, 8);
	frame[34] = 0x10;
	memcpy(frame + 36, &destination, 2);
	memcpy(frame + 38, &segment, 2);
	for (uint32_t i = 0; i < payload; i++)
		frame[42 + i] = (uint8_t)(i * 7 + port);
	return 42 + payload;
}

/* A queue pair with a completion queue of its own. */
struct end {
	struct ibv_cq_ex *cq;
	struct ibv_qp *qp;
};

static struct ibv_cq_ex *cq_make(void)
{
	struct ibv_cq_init_attr_ex attr = {
		.cqe = 256, .wc_flags = IBV_WC_STANDARD_FLAGS | IBV_WC_EX_WITH_CVLAN | IBV_WC_EX_WITH_FLOW_TAG};
	struct ibv_cq_ex *cq = ibv_create_cq_ex(context, &attr);

	assert_non_null(cq);
	return cq;
}

static struct end end_open(void)
{
	struct end end = {.cq = cq_make()};
	struct ibv_qp_init_attr_ex init = {.qp_type = IBV_QPT_RAW_PACKET,
					   .send_cq = ibv_cq_ex_to_cq(end.cq),
					   .recv_cq = ibv_cq_ex_to_cq(end.cq),
					   .cap = {.max_send_wr = 64,
						   .max_recv_wr = 64,
						   .max_send_sge = 4,
						   .max_recv_sge = 4,
						   .max_inline_data = 256},
					   .comp_mask = IBV_QP_INIT_ATTR_PD,
					   .pd = pd};
	struct ibv_qp_attr attr = {.qp_state = IBV_QPS_INIT, .port_num = 1};

	end.qp = ibv_create_qp_ex(context, &init);
	assert_non_null(end.qp);
	assert_int_equal(ibv_modify_qp(end.qp, &attr, IBV_QP_STATE | IBV_QP_PORT), 0);
	attr.qp_state = IBV_QPS_RTR;
	assert_int_equal(ibv_modify_qp(end.qp, &attr, IBV_QP_STATE), 0);
	attr.qp_state = IBV_QPS_RTS;
	assert_int_equal(ibv_modify_qp(end.qp, &attr, IBV_QP_STATE), 0);
	return end;
}

static void end_close(struct end *end)
{
	assert_int_equal(ibv_destroy_qp(end->qp), 0);
	assert_int_equal(ibv_destroy_cq(ibv_cq_ex_to_cq(end->cq)), 0);
}

static struct ibv_wc poll_one(struct ibv_cq_ex *cq)
{
	struct ibv_wc wc = {0};

	for (int i = 0; ibv_poll_cq(ibv_cq_ex_to_cq(cq), 1, &wc) == 0; i++) {
		assert_true(i < WAIT_MS * 10);
		if (i > 1000)
			nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
	}
	return wc;
}

static int nothing_came(struct ibv_cq_ex *cq)
{
	struct ibv_wc wc;

	return ibv_poll_cq(ibv_cq_ex_to_cq(cq), 1, &wc);
}

static void post(struct ibv_qp *qp, uint64_t slot, uint32_t length)
{
	struct ibv_sge sge = {(uintptr_t)buffer + slot * SLOT, length, mr->lkey};
	struct ibv_recv_wr *bad, wr = {.wr_id = slot, .sg_list = &sge, .num_sge = 1};

	assert_int_equal(ibv_post_recv(qp, &wr, &bad), 0);
}

static struct ibv_wc send_list(struct end *end, struct ibv_sge *list, int count, unsigned int flags)
{
	struct ibv_send_wr *bad, wr = {.sg_list = list,
				       .num_sge = count,
				       .opcode = IBV_WR_SEND,
				       .send_flags = IBV_SEND_SIGNALED | flags};

	assert_int_equal(ibv_post_send(end->qp, &wr, &bad), 0);
	return poll_one(end->cq);
}

static struct ibv_flow *flow_make(struct ibv_qp *qp, const struct ibv_flow_attr *given, const void *spec, size_t size)
{
	struct {
		struct ibv_flow_attr attr;
		uint8_t spec[128];
	} flow = {.attr = *given};

	flow.attr.port = 1;
	flow.attr.num_of_specs = spec ? 1 : 0;
	flow.attr.size = (uint16_t)(sizeof(flow.attr) + size);
	if (spec)
		memcpy(flow.spec, spec, size);
	return ibv_create_flow(qp, &flow.attr);
}

static struct ibv_flow *flow_by_mac(struct ibv_qp *qp, const uint8_t *mac)
{
	struct ibv_flow_spec_eth spec = {.type = IBV_FLOW_SPEC_ETH, .size = sizeof(spec)};
	struct ibv_flow *flow;

	memcpy(spec.val.dst_mac, mac, 6);
	memset(spec.mask.dst_mac, 0xff, 6);
	flow = flow_make(qp, &(struct ibv_flow_attr){0}, &spec, sizeof(spec));
	assert_non_null(flow);
	return flow;
}

static struct ibv_flow *flow_by_port(struct ibv_qp *qp, uint16_t port)
{
	struct ibv_flow_spec_tcp_udp spec = {.type = IBV_FLOW_SPEC_UDP, .size = sizeof(spec)};
	struct ibv_flow *flow;

	spec.val.dst_port = htons(port);
	spec.mask.dst_port = UINT16_MAX;
	flow = flow_make(qp, &(struct ibv_flow_attr){0}, &spec, sizeof(spec));
	assert_non_null(flow);
	return flow;
}

static int set_up(void **state)
{
	struct ibv_device **list = ibv_get_device_list(NULL);

	for (int i = 0; list[i] && !context; i++) {
		if (strcmp(ibv_get_device_name(list[i]), "soft0") == 0)
			context = ibv_open_device(list[i]);
	}
	ibv_free_device_list(list);
	assert_non_null(context);
	pd = ibv_alloc_pd(context);
	buffer = calloc(SLOTS, SLOT);
	mr = ibv_reg_mr(pd, buffer, SLOTS * SLOT, IBV_ACCESS_LOCAL_WRITE);
	assert_non_null(mr);
	wire = wire_open();
	return 0;
}

static int tear_down(void **state)
{
	close(wire);
	assert_int_equal(ibv_dereg_mr(mr), 0);
	assert_int_equal(ibv_dealloc_pd(pd), 0);
	assert_int_equal(ibv_close_device(context), 0);
	context = NULL;
	free(buffer);
	return 0;
}

/* Gathered from several pieces, or inline, what was posted is what the wire has, to the byte. */
TEST(test_sends_what_was_posted, set_up, tear_down)
{
	static const uint32_t payloads[] = {0, 1, 18, 100, MTU - 28};
	struct end end = end_open();
	uint8_t seen[SLOT];

	for (size_t i = 0; i < sizeof(payloads) / sizeof(payloads[0]); i++) {
		uint32_t length = frame_make(buffer, far_mac, near_mac, 9, payloads[i]);
		struct ibv_sge list[3] = {{(uintptr_t)buffer, 5, mr->lkey},
					  {(uintptr_t)buffer + 5, 20, mr->lkey},
					  {(uintptr_t)buffer + 25, length - 25, mr->lkey}};
		struct ibv_wc wc = send_list(&end, list, 3, 0);

		assert_int_equal(wc.status, IBV_WC_SUCCESS);
		assert_int_equal(wc.opcode, IBV_WC_SEND);
		assert_int_equal(wc.qp_num, end.qp->qp_num);
		assert_int_equal(wire_read(seen, sizeof(seen)), length);
		assert_memory_equal(seen, buffer, length);
		if (length > 256)
			continue;
		for (int j = 0; j < 3; j++)
			list[j].lkey = 0;
		assert_int_equal(send_list(&end, list, 3, IBV_SEND_INLINE).status, IBV_WC_SUCCESS);
		assert_int_equal(wire_read(seen, sizeof(seen)), length);
		assert_memory_equal(seen, buffer, length);
	}
	wire_is_quiet();
	end_close(&end);
}

TEST(test_sends_tags, set_up, tear_down)
{
	struct end end = end_open();
	struct ibv_sge sge = {(uintptr_t)buffer, 0, mr->lkey};
	uint8_t seen[SLOT];

	sge.length = frame_make(buffer, far_mac, near_mac, 9, 50) + 4;
	memmove(buffer + 16, buffer + 12, sge.length - 16);
	memcpy(buffer + 12, (const uint8_t[]){0x81, 0x00, 0xac, 0x0c}, 4);
	assert_int_equal(send_list(&end, &sge, 1, 0).status, IBV_WC_SUCCESS);
	assert_int_equal(wire_read(seen, sizeof(seen)), sge.length);
	assert_memory_equal(seen, buffer, sge.length);
	end_close(&end);
}

TEST(test_sizes_that_do_not_go, set_up, tear_down)
{
	static const uint32_t sizes[] = {0, ETH_HEADER - 1, MTU + ETH_HEADER + 5, 3 * SLOT};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct end end = end_open();
		struct ibv_sge sge = {(uintptr_t)buffer, sizes[i], mr->lkey};

		frame_make(buffer, far_mac, near_mac, 9, 0);
		assert_int_equal(send_list(&end, &sge, 1, 0).status, IBV_WC_LOC_LEN_ERR);
		end_close(&end);
	}
	wire_is_quiet();
}

TEST(test_receives_into_pieces, set_up, tear_down)
{
	struct end end = end_open();
	struct ibv_flow *flow = flow_by_mac(end.qp, near_mac);
	struct ibv_sge list[3] = {{(uintptr_t)buffer, 14, mr->lkey},
				  {(uintptr_t)buffer + 100, 1, mr->lkey},
				  {(uintptr_t)buffer + 200, SLOT, mr->lkey}};
	struct ibv_recv_wr *bad, wr = {.wr_id = 77, .sg_list = list, .num_sge = 3};
	uint8_t frame[SLOT];
	uint32_t length = frame_make(frame, near_mac, far_mac, 9, 300);
	struct ibv_wc wc;

	assert_int_equal(ibv_post_recv(end.qp, &wr, &bad), 0);
	wire_send(frame, length);
	wc = poll_one(end.cq);
	assert_int_equal(wc.wr_id, 77);
	assert_int_equal(wc.status, IBV_WC_SUCCESS);
	assert_int_equal(wc.byte_len, length);
	assert_memory_equal(buffer, frame, 14);
	assert_int_equal(buffer[100], frame[14]);
	assert_memory_equal(buffer + 200, frame + 15, length - 15);
	/* One that finds no request, or too small a one, is lost; the next one is not. */
	wire_send(frame, length);
	post(end.qp, 1, 20);
	frame_make(frame, near_mac, far_mac, 10, 300);
	wire_send(frame, length);
	wire_send(frame, 18);
	wc = poll_one(end.cq);
	assert_int_equal(wc.wr_id, 1);
	assert_int_equal(wc.byte_len, 18);
	assert_int_equal(nothing_came(end.cq), 0);
	assert_int_equal(ibv_destroy_qp(end.qp), EBUSY);
	assert_int_equal(ibv_destroy_flow(flow), 0);
	end_close(&end);
}

/* Frames come faster than a program posts: those that find no request wait, and not for a program that posts none. */
TEST(test_frames_wait_for_requests, set_up, tear_down)
{
	struct end end = end_open();
	struct ibv_flow *flow = flow_by_mac(end.qp, near_mac);
	uint8_t frame[SLOT];

	post(end.qp, 0, SLOT);
	for (uint16_t port = 0; port < 20; port++)
		wire_send(frame, frame_make(frame, near_mac, far_mac, port, 20));
	for (uint16_t port = 0; port < 20; port++) {
		uint16_t seen;

		assert_int_equal(poll_one(end.cq).wr_id, port);
		memcpy(&seen, buffer + port * SLOT + 36, sizeof(seen));
		assert_int_equal(ntohs(seen), port);
		post(end.qp, port + 1u, SLOT);
	}
	assert_int_equal(nothing_came(end.cq), 0);
	assert_int_equal(ibv_destroy_flow(flow), 0);
	end_close(&end);
}

/* Each frame where the rules say (which the test of rules says of every kind), and a tag with it. */
TEST(test_steers, set_up, tear_down)
{
	struct {
		struct ibv_flow_attr attr;
		struct ibv_flow_spec_eth eth;
		struct ibv_flow_spec_action_tag tag;
	} tagging = {.attr = {.size = sizeof(tagging), .num_of_specs = 2, .port = 1, .priority = 3},
		     .eth = {.type = IBV_FLOW_SPEC_ETH,
			     .size = sizeof(tagging.eth),
			     .mask = {.dst_mac = {1}},
			     .val = {.dst_mac = {1}}},
		     .tag = {.type = IBV_FLOW_SPEC_ACTION_TAG, .size = sizeof(tagging.tag), .tag_id = 4711}};
	struct end by_port = end_open(), groups = end_open(), rest = end_open(), all = end_open();
	struct ibv_flow *flows[4];
	struct ibv_poll_cq_attr attr = {0};
	uint8_t frame[SLOT];
	uint32_t length;

	flows[0] = flow_by_port(by_port.qp, 100);
	flows[1] = ibv_create_flow(groups.qp, &tagging.attr);
	flows[2] = flow_make(rest.qp, &(struct ibv_flow_attr){.type = IBV_FLOW_ATTR_ALL_DEFAULT}, NULL, 0);
	flows[3] = flow_make(all.qp, &(struct ibv_flow_attr){.type = IBV_FLOW_ATTR_SNIFFER}, NULL, 0);
	for (int i = 0; i < 4; i++)
		assert_non_null(flows[i]);
	for (uint64_t i = 0; i < 4; i++) {
		post(by_port.qp, i, SLOT);
		post(groups.qp, 4 + i, SLOT);
		post(rest.qp, 8 + i, SLOT);
		post(all.qp, 12 + i, SLOT);
	}
	length = frame_make(frame, near_mac, far_mac, 100, 10);
	wire_send(frame, length);
	assert_int_equal(poll_one(by_port.cq).wr_id, 0);
	assert_int_equal(poll_one(all.cq).wr_id, 12);
	frame_make(frame, group_mac, far_mac, 101, 10);
	wire_send(frame, length);
	while (ibv_start_poll(groups.cq, &attr))
		;
	assert_int_equal(groups.cq->wr_id, 4);
	assert_int_equal(ibv_wc_read_flow_tag(groups.cq), 4711);
	ibv_end_poll(groups.cq);
	assert_int_equal(poll_one(all.cq).wr_id, 13);
	frame_make(frame, far_mac, far_mac, 101, 10); /* to somebody else */
	wire_send(frame, length);
	assert_int_equal(poll_one(rest.cq).wr_id, 8);
	assert_int_equal(poll_one(all.cq).wr_id, 14);
	/* What went to one went to no other. */
	assert_int_equal(nothing_came(by_port.cq) + nothing_came(groups.cq) + nothing_came(rest.cq), 0);
	/* A rule that is gone steers no more. */
	assert_int_equal(ibv_destroy_flow(flows[0]), 0);
	frame_make(frame, near_mac, far_mac, 100, 10);
	wire_send(frame, length);
	assert_int_equal(poll_one(rest.cq).wr_id, 9);
	for (int i = 1; i < 4; i++)
		assert_int_equal(ibv_destroy_flow(flows[i]), 0);
	end_close(&by_port);
	end_close(&groups);
	end_close(&rest);
	end_close(&all);
}

#define WQS 4u

TEST(test_spreads_by_hash, set_up, tear_down)
{
	static uint8_t key[40] = {0x6d, 0x5a, 0x56, 0xda, 0x25, 0x5b, 0x0e, 0xc2, 0x41, 0x67, 0x25, 0x3d, 0x43, 0xa3,
				  0x8f, 0xb0, 0xd0, 0xca, 0x2b, 0xcb, 0xae, 0x7b, 0x30, 0xb4, 0x77, 0xcb, 0x2d, 0xa3,
				  0x80, 0x30, 0xf2, 0x0c, 0x6a, 0x42, 0xb7, 0x3b, 0xbe, 0xac, 0x01, 0xfa};
	struct ibv_cq_ex *cqs[WQS];
	struct ibv_wq *wqs[WQS];
	struct ibv_rwq_ind_table_init_attr table_attr = {.log_ind_tbl_size = 2, .ind_tbl = wqs};
	struct ibv_qp_init_attr_ex init = {
		.qp_type = IBV_QPT_RAW_PACKET,
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_RX_HASH | IBV_QP_INIT_ATTR_IND_TABLE,
		.pd = pd,
		.rx_hash_conf = {.rx_hash_function = IBV_RX_HASH_FUNC_TOEPLITZ,
				 .rx_hash_key_len = sizeof(key),
				 .rx_hash_key = key,
				 .rx_hash_fields_mask = IBV_RX_HASH_SRC_IPV4 | IBV_RX_HASH_DST_IPV4}};
	/* By the hashes of these addresses: 0x323e8fc2, 0xd718262a, 0xd2d0a5de, 0x82989176, 0x5d1809c5. */
	static const struct {
		uint8_t addresses[8];
		uint32_t wq;
	} rows[] = {{{66, 9, 149, 187, 161, 142, 100, 80}, 2},
		    {{199, 92, 111, 2, 65, 69, 140, 83}, 2},
		    {{24, 19, 198, 95, 12, 22, 207, 184}, 2},
		    {{38, 27, 205, 30, 209, 142, 163, 6}, 2},
		    {{153, 39, 163, 191, 202, 188, 127, 2}, 1}};
	struct ibv_wq_attr ready = {.attr_mask = IBV_WQ_ATTR_STATE, .wq_state = IBV_WQS_RDY};
	struct ibv_rwq_ind_table *table;
	struct ibv_flow *flow;
	struct ibv_qp *qp;
	uint8_t frame[SLOT];

	for (uint32_t i = 0; i < WQS; i++) {
		struct ibv_wq_init_attr attr = {.wq_type = IBV_WQT_RQ, .max_wr = 8, .max_sge = 1, .pd = pd};

		cqs[i] = cq_make();
		attr.cq = ibv_cq_ex_to_cq(cqs[i]);
		wqs[i] = ibv_create_wq(context, &attr);
		assert_non_null(wqs[i]);
		assert_int_equal(ibv_modify_wq(wqs[i], &ready), 0);
		assert_int_equal(wqs[i]->state, IBV_WQS_RDY);
		for (uint64_t slot = i * 8; slot < i * 8 + 8; slot++) {
			struct ibv_sge sge = {(uintptr_t)buffer + slot * SLOT, SLOT, mr->lkey};
			struct ibv_recv_wr *bad, wr = {.wr_id = slot, .sg_list = &sge, .num_sge = 1};

			assert_int_equal(ibv_post_wq_recv(wqs[i], &wr, &bad), 0);
		}
	}
	table = ibv_create_rwq_ind_table(context, &table_attr);
	assert_non_null(table);
	assert_int_equal(ibv_destroy_wq(wqs[0]), EBUSY);
	init.rwq_ind_tbl = table;
	qp = ibv_create_qp_ex(context, &init);
	assert_non_null(qp);
	assert_int_equal(ibv_modify_qp(qp, &(struct ibv_qp_attr){.qp_state = IBV_QPS_INIT}, IBV_QP_STATE), EOPNOTSUPP);
	assert_int_equal(ibv_destroy_rwq_ind_table(table), EBUSY);
	flow = flow_by_mac(qp, near_mac);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint32_t length = frame_make(frame, near_mac, far_mac, 9, 20);
		struct ibv_wc wc;

		memcpy(frame + 26, rows[i].addresses, 8);
		wire_send(frame, length);
		wc = poll_one(cqs[rows[i].wq]);
		assert_int_equal(wc.qp_num, wqs[rows[i].wq]->wq_num);
		assert_int_equal(wc.byte_len, length);
		assert_memory_equal(buffer + wc.wr_id * SLOT, frame, length);
	}
	/* A queue in ERR gives its requests back. */
	ready.wq_state = IBV_WQS_ERR;
	assert_int_equal(ibv_modify_wq(wqs[3], &ready), 0);
	for (int i = 0; i < 8; i++)
		assert_int_equal(poll_one(cqs[3]).status, IBV_WC_WR_FLUSH_ERR);
	assert_int_equal(ibv_destroy_flow(flow), 0);
	assert_int_equal(ibv_destroy_qp(qp), 0);
	assert_int_equal(ibv_destroy_rwq_ind_table(table), 0);
	for (uint32_t i = 0; i < WQS; i++) {
		assert_int_equal(ibv_destroy_wq(wqs[i]), 0);
		assert_int_equal(ibv_destroy_cq(ibv_cq_ex_to_cq(cqs[i])), 0);
	}
}

/* An event wakes who sleeps. */
TEST(test_events, set_up, tear_down)
{
	struct ibv_comp_channel *channel = ibv_create_comp_channel(context);
	struct ibv_cq *cq = ibv_create_cq(context, 16, NULL, channel, 0), *which;
	struct ibv_qp_init_attr init = {.qp_type = IBV_QPT_RAW_PACKET,
					.send_cq = cq,
					.recv_cq = cq,
					.cap = {.max_recv_wr = 4, .max_recv_sge = 1}};
	struct pollfd ready = {.fd = channel->fd, .events = POLLIN};
	struct ibv_qp *qp = ibv_create_qp(pd, &init);
	struct ibv_qp_attr attr = {.qp_state = IBV_QPS_INIT, .port_num = 1};
	uint8_t frame[SLOT];
	struct ibv_flow *flow;
	struct ibv_wc wc;
	void *cq_context;

	assert_non_null(qp);
	assert_int_equal(ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PORT), 0);
	attr.qp_state = IBV_QPS_RTR;
	assert_int_equal(ibv_modify_qp(qp, &attr, IBV_QP_STATE), 0);
	flow = flow_by_mac(qp, near_mac);
	post(qp, 1, SLOT);
	assert_int_equal(ibv_req_notify_cq(cq, 0), 0);
	wire_send(frame, frame_make(frame, near_mac, far_mac, 9, 20));
	assert_int_equal(poll(&ready, 1, WAIT_MS), 1);
	assert_int_equal(ibv_get_cq_event(channel, &which, &cq_context), 0);
	ibv_ack_cq_events(cq, 1);
	assert_int_equal(ibv_poll_cq(cq, 1, &wc), 1);
	assert_int_equal(ibv_destroy_flow(flow), 0);
	assert_int_equal(ibv_destroy_qp(qp), 0);
	assert_int_equal(ibv_destroy_cq(cq), 0);
	assert_int_equal(ibv_destroy_comp_channel(channel), 0);
}

TEST(test_what_the_device_says, set_up, tear_down)
{
	struct ibv_device_attr_ex attr;

	assert_int_equal(ibv_query_device_ex(context, NULL, &attr), 0);
	assert_true(attr.orig_attr.device_cap_flags & IBV_DEVICE_MANAGED_FLOW_STEERING);
	assert_int_equal(attr.rss_caps.supported_qpts, 1 << IBV_QPT_RAW_PACKET);
	assert_int_equal(attr.rss_caps.rx_hash_function, IBV_RX_HASH_FUNC_TOEPLITZ);
	assert_true(attr.max_wq_type_rq > 0);
}

/* In processes of their own: what another interface, another user, or none is answered. */
static int raw_qp_errno(const char *asked, bool gives_up_capability)
{
	pid_t child = fork();
	int status;

	if (child == 0) {
		struct ibv_device **list;
		struct ibv_cq *cq;
		struct ibv_qp_init_attr init = {.qp_type = IBV_QPT_RAW_PACKET,
						.cap = {.max_send_wr = 1, .max_send_sge = 1}};

		if (asked)
			setenv("PERFTEST_SOFT", asked, 1);
		else
			unsetenv("PERFTEST_SOFT");
		if (gives_up_capability && setresuid(65534, 65534, 65534))
			_exit(255);
		list = ibv_get_device_list(NULL);
		context = list ? ibv_open_device(list[0]) : NULL;
		if (!context)
			_exit(254);
		pd = ibv_alloc_pd(context);
		cq = ibv_create_cq(context, 1, NULL, NULL, 0);
		init.send_cq = init.recv_cq = cq;
		_exit(ibv_create_qp(pd, &init) ? 0 : errno);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

TEST(test_refusals)
{
	assert_int_equal(raw_qp_errno("if=veth0", false), 0);
	assert_int_equal(raw_qp_errno(NULL, false), EOPNOTSUPP);
	assert_int_equal(raw_qp_errno("if=veth9", false), ENODEV);
	assert_int_equal(raw_qp_errno("if=veth0", true), EPERM);
	assert_int_equal(raw_qp_errno("if=", false), 254);
	assert_int_equal(raw_qp_errno("if=a-name-of-sixteen", false), 254);
	assert_int_equal(raw_qp_errno("veth0", false), 254);
}

int main(void)
{
	const char *why = namespace_make();
	if (why) {
		printf("1..0 # skip %s\n", why);
		return 0;
	}
	setenv("PERFTEST_SOFT", "if=veth0", 1);
	return tests_run(NULL, NULL);
}
