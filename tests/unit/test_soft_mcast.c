// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Does a multicast datagram reach each queue pair of its group, in any process, and no other? The test sends; the
 * receivers are children, each told over a socket which groups to join.
 */
#include "soft_rig.h"

#define RECEIVERS 3
#define GRH_SIZE  40
#define MESSAGE	  64u
#define SLOT_SIZE (GRH_SIZE + MESSAGE)
#define MULTICAST 0xffffffu

enum order { JOIN, LEAVE, POST, COUNT };

struct command {
	enum order order;
	uint32_t group;
	int result; /* of LEAVE and JOIN; of COUNT: datagrams since the last one, all of them right, of `group` */
};

struct receiver {
	pid_t child;
	int fd;
};

static struct receiver receivers[RECEIVERS];

static union ibv_gid group_gid(uint32_t group)
{
	union ibv_gid gid = {.raw = {0xff, 0x0e, [14] = (uint8_t)(group >> 8), [15] = (uint8_t)group}};

	return gid;
}

/* What has come is all there when the sender has returned from ibv_post_send(). */
static int arrived(struct rig_end *end, uint32_t group)
{
	const union ibv_gid gid = group_gid(group);
	struct ibv_wc wc;
	int count = 0;

	while (ibv_poll_cq(end->receive_cq, 1, &wc) == 1) {
		const uint8_t *slot = end->buffer + wc.wr_id * SLOT_SIZE;
		const struct ibv_grh *grh = (const struct ibv_grh *)(const void *)slot;

		RIG_CHECK(wc.status == IBV_WC_SUCCESS && wc.opcode == IBV_WC_RECV && wc.wc_flags & IBV_WC_GRH);
		RIG_CHECK(wc.byte_len == SLOT_SIZE && wc.qp_num == end->qp->qp_num);
		RIG_CHECK(memcmp(&grh->dgid, &gid, sizeof(gid)) == 0 && grh->sgid.raw[0] == 0xfe);
		for (uint32_t i = 0; i < MESSAGE; i++)
			RIG_CHECK(slot[GRH_SIZE + i] == (uint8_t)(group + i));
		count++;
	}
	return count;
}

static void receiver_run(int fd)
{
	const struct rig_options options = {.type = IBV_QPT_UD};
	struct rig_end end;
	struct command command;
	union ibv_gid gid;
	uint64_t posted = 0;

	rig_end_open(&end, &options);
	rig_end_connect(&end, 0);
	while (read(fd, &command, sizeof(command)) == (ssize_t)sizeof(command)) {
		gid = group_gid(command.group);
		if (command.order == JOIN)
			command.result = ibv_attach_mcast(end.qp, &gid, 0);
		else if (command.order == LEAVE)
			command.result = ibv_detach_mcast(end.qp, &gid, 0);
		else if (command.order == COUNT)
			command.result = arrived(&end, command.group);
		else
			command.result = rig_end_post_receive(&end, posted, (uint32_t)posted * SLOT_SIZE, SLOT_SIZE, 0);
		if (command.order == POST)
			posted++;
		RIG_CHECK(write(fd, &command, sizeof(command)) == (ssize_t)sizeof(command));
	}
	_exit(0);
}

static int request(unsigned int number, enum order order, uint32_t group)
{
	struct command command = {.order = order, .group = group};

	RIG_CHECK(write(receivers[number].fd, &command, sizeof(command)) == (ssize_t)sizeof(command));
	RIG_CHECK(read(receivers[number].fd, &command, sizeof(command)) == (ssize_t)sizeof(command));
	return command.result;
}

static void post(unsigned int number, int count)
{
	while (count--)
		assert_int_equal(request(number, POST, 0), 0);
}

static struct rig_end sender;
static struct ibv_ah *ah_of(uint32_t group)
{
	struct ibv_ah_attr attr = {
		.is_global = 1, .port_num = 1, .grh = {.dgid = group_gid(group), .sgid_index = 0, .hop_limit = 1}};
	struct ibv_ah *ah = ibv_create_ah(sender.pd, &attr);

	assert_non_null(ah);
	return ah;
}

static void send_with_key(uint32_t group, uint32_t qkey)
{
	struct ibv_ah *ah = ah_of(group);
	struct ibv_sge sge = {(uint64_t)(uintptr_t)sender.buffer, MESSAGE, sender.mr->lkey};
	struct ibv_send_wr *bad, wr = {.sg_list = &sge,
				       .num_sge = 1,
				       .opcode = IBV_WR_SEND,
				       .send_flags = IBV_SEND_SIGNALED,
				       .wr.ud = {.ah = ah, .remote_qpn = MULTICAST, .remote_qkey = qkey}};
	struct ibv_wc wc;

	for (uint32_t i = 0; i < MESSAGE; i++)
		sender.buffer[i] = (uint8_t)(group + i);
	assert_int_equal(ibv_post_send(sender.qp, &wr, &bad), 0);
	wc = rig_poll(sender.send_cq);
	assert_int_equal(wc.status, IBV_WC_SUCCESS);
	assert_int_equal(ibv_destroy_ah(ah), 0);
}

static void send_to(uint32_t group)
{
	send_with_key(group, RIG_QKEY);
}

static int set_up(void **state)
{
	const struct rig_options options = {.type = IBV_QPT_UD};

	for (int i = 0; i < RECEIVERS; i++) {
		int pair[2];

		RIG_CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
		receivers[i].child = fork();
		RIG_CHECK(receivers[i].child >= 0);
		if (receivers[i].child == 0) {
			close(pair[0]);
			for (int j = 0; j < i; j++)
				close(receivers[j].fd);
			receiver_run(pair[1]);
		}
		close(pair[1]);
		receivers[i].fd = pair[0];
	}
	rig_end_open(&sender, &options);
	rig_end_connect(&sender, 0);
	return 0;
}

static int tear_down(void **state)
{
	for (int i = 0; i < RECEIVERS; i++) {
		close(receivers[i].fd);
		RIG_CHECK(waitpid(receivers[i].child, NULL, 0) == receivers[i].child);
	}
	rig_end_close(&sender);
	return 0;
}

TEST(test_groups_and_receivers, set_up, tear_down)
{
	for (unsigned int i = 0; i < RECEIVERS; i++)
		post(i, 4);
	send_to(1); /* nobody is there */
	assert_int_equal(request(0, JOIN, 1), 0);
	assert_int_equal(request(1, JOIN, 1), 0);
	assert_int_equal(request(1, JOIN, 2), 0);
	assert_int_equal(request(1, JOIN, 1), 0); /* it is: once */
	send_to(1);
	assert_int_equal(request(0, COUNT, 1), 1);
	assert_int_equal(request(1, COUNT, 1), 1);
	assert_int_equal(request(2, COUNT, 1), 0);
	send_to(2);
	assert_int_equal(request(0, COUNT, 2), 0);
	assert_int_equal(request(1, COUNT, 2), 1);
	/* As soon as it has joined, whatever the sender knew before. */
	assert_int_equal(request(2, JOIN, 2), 0);
	send_to(2);
	assert_int_equal(request(1, COUNT, 2), 1);
	assert_int_equal(request(2, COUNT, 2), 1);
	send_with_key(2, RIG_QKEY + 1);
	assert_int_equal(request(2, COUNT, 2), 0);
	assert_int_equal(request(1, LEAVE, 2), 0);
	assert_int_equal(request(1, LEAVE, 2), EINVAL);
	send_to(2);
	assert_int_equal(request(1, COUNT, 2), 0);
	assert_int_equal(request(2, COUNT, 2), 1);
}

/* One that has posted nothing loses what is sent meanwhile, and holds up nobody. */
TEST(test_full_receiver, set_up, tear_down)
{
	assert_int_equal(request(0, JOIN, 3), 0);
	assert_int_equal(request(1, JOIN, 3), 0);
	post(0, 3);
	post(1, 1);
	for (int i = 0; i < 3; i++)
		send_to(3);
	assert_int_equal(request(0, COUNT, 3), 3);
	assert_int_equal(request(1, COUNT, 3), 1);
	post(1, 1);
	post(0, 1);
	send_to(3);
	assert_int_equal(request(0, COUNT, 3), 1);
	assert_int_equal(request(1, COUNT, 3), 1);
}

static int tear_down_two(void **state)
{
	receivers[2] = receivers[1]; /* which the test has moved */
	for (int i = 0; i < 2; i++) {
		close(receivers[2 * i].fd);
		RIG_CHECK(waitpid(receivers[2 * i].child, NULL, 0) == receivers[2 * i].child);
	}
	rig_end_close(&sender);
	return 0;
}

TEST(test_dead_receiver, set_up, tear_down_two)
{
	int status;

	assert_int_equal(request(0, JOIN, 4), 0);
	assert_int_equal(request(1, JOIN, 4), 0);
	post(0, 2);
	post(1, 2);
	send_to(4);
	RIG_CHECK(kill(receivers[1].child, SIGKILL) == 0);
	RIG_CHECK(waitpid(receivers[1].child, &status, 0) == receivers[1].child);
	send_to(4);
	assert_int_equal(request(0, COUNT, 4), 2);
	/* Its place is taken by one that is in no group. */
	close(receivers[1].fd);
	receivers[1] = receivers[2];
	post(1, 1);
	send_to(4);
	assert_int_equal(request(1, COUNT, 4), 0);
}

/* The sender is in group 5, and receives its own datagram. */
static struct ibv_wc send_to_own_group(union ibv_gid *gid)
{
	assert_int_equal(ibv_attach_mcast(sender.qp, gid, 0), 0);
	assert_int_equal(rig_end_post_receive(&sender, 7, MESSAGE, SLOT_SIZE, 0), 0);
	send_to(5);
	return rig_poll(sender.receive_cq);
}

TEST(test_sender_in_its_group, set_up, tear_down)
{
	union ibv_gid gid = group_gid(5);
	struct ibv_wc wc;

	wc = send_to_own_group(&gid);
	assert_int_equal(wc.wr_id, 7);
	assert_int_equal(wc.byte_len, SLOT_SIZE);
	assert_int_equal(wc.src_qp, sender.qp->qp_num);
	assert_int_equal(ibv_destroy_qp(sender.qp), EBUSY);
	assert_int_equal(ibv_detach_mcast(sender.qp, &gid, 0), 0);
}

/* From the sender's kind of address, since that of the group is no one's. */
TEST(test_a_datagram_to_a_group_can_be_answered, set_up, tear_down)
{
	struct ibv_grh *grh = (struct ibv_grh *)(void *)(sender.buffer + MESSAGE);
	union ibv_gid gid = group_gid(5);
	struct ibv_ah_attr answer;
	struct ibv_ah *ah;
	struct ibv_wc wc;

	wc = send_to_own_group(&gid);
	assert_memory_equal(&grh->dgid, &gid, sizeof(gid));
	for (int i = 0; i < 2; i++) {
		assert_int_equal(ibv_query_gid(sender.context, 1, i, &grh->sgid), 0);
		assert_int_equal(ibv_init_ah_from_wc(sender.context, 1, &wc, grh, &answer), 0);
		assert_int_equal(answer.grh.sgid_index, i);
		assert_memory_equal(&answer.grh.dgid, &grh->sgid, sizeof(grh->sgid));
		ah = ibv_create_ah_from_wc(sender.pd, &wc, grh, 1);
		assert_non_null(ah);
		assert_int_equal(ibv_destroy_ah(ah), 0);
	}
	grh->dgid.raw[0] = 0x20; /* the address of another port */
	assert_int_equal(ibv_init_ah_from_wc(sender.context, 1, &wc, grh, &answer), -1);
	assert_int_equal(ibv_detach_mcast(sender.qp, &gid, 0), 0);
}

TEST(test_own_datagrams_are_blocked, set_up, tear_down)
{
	union ibv_gid gid = group_gid(6);
	struct ibv_qp_init_attr_ex init = {
		.qp_type = IBV_QPT_UD,
		.send_cq = sender.send_cq,
		.recv_cq = sender.receive_cq,
		.cap = {.max_send_wr = 4, .max_recv_wr = 4, .max_send_sge = 1, .max_recv_sge = 1},
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_CREATE_FLAGS,
		.pd = sender.pd,
		.create_flags = IBV_QP_CREATE_BLOCK_SELF_MCAST_LB};
	struct ibv_qp_attr attr = {.qp_state = IBV_QPS_INIT, .port_num = 1, .qkey = RIG_QKEY};
	struct ibv_qp *plain = sender.qp, *qp = ibv_create_qp_ex(sender.context, &init);

	assert_non_null(qp);
	assert_int_equal(ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY), 0);
	sender.qp = qp;
	rig_end_connect(&sender, 0);
	assert_int_equal(ibv_attach_mcast(qp, &gid, 0), 0);
	assert_int_equal(ibv_attach_mcast(plain, &gid, 0), 0);
	assert_int_equal(rig_end_post_receive(&sender, 8, MESSAGE, SLOT_SIZE, 0), 0);
	sender.qp = plain;
	assert_int_equal(rig_end_post_receive(&sender, 9, 4 * MESSAGE, SLOT_SIZE, 0), 0);
	sender.qp = qp;
	send_to(6);
	assert_int_equal(rig_poll(sender.receive_cq).wr_id, 9);
	assert_true(rig_is_empty(sender.receive_cq));
	assert_int_equal(ibv_detach_mcast(plain, &gid, 0), 0);
	assert_int_equal(ibv_detach_mcast(qp, &gid, 0), 0);
	assert_int_equal(ibv_destroy_qp(qp), 0);
	sender.qp = plain;
}

TEST(test_refusals, set_up, tear_down)
{
	static const struct {
		uint8_t first, v4;
		bool is_multicast;
	} rows[] = {{0xff, 0, true}, {0xfe, 0, false}, {0x00, 0, false},
		    {0, 224, true},  {0, 239, true},   {0, 192, false}};
	struct ibv_device_attr attr;
	union ibv_gid gid;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		gid = (union ibv_gid){.raw = {rows[i].first, [12] = rows[i].v4}};
		gid.raw[10] = gid.raw[11] = rows[i].v4 ? 0xff : 0;
		assert_int_equal(ibv_attach_mcast(sender.qp, &gid, 0), rows[i].is_multicast ? 0 : EINVAL);
		assert_int_equal(ibv_detach_mcast(sender.qp, &gid, 0), rows[i].is_multicast ? 0 : EINVAL);
	}
	assert_int_equal(ibv_query_device(sender.context, &attr), 0);
	for (int i = 0; i < attr.max_total_mcast_qp_attach; i++) {
		gid = group_gid((uint32_t)i);
		assert_int_equal(ibv_attach_mcast(sender.qp, &gid, 0), 0);
	}
	gid = group_gid((uint32_t)attr.max_total_mcast_qp_attach);
	assert_int_equal(ibv_attach_mcast(sender.qp, &gid, 0), ENOMEM);
	for (int i = 0; i < attr.max_total_mcast_qp_attach; i++) {
		gid = group_gid((uint32_t)i);
		assert_int_equal(ibv_detach_mcast(sender.qp, &gid, 0), 0);
	}
}

TEST_MAIN(NULL, NULL)
