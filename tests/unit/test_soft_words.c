// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Answers of rdma_cm's file that librdmacm hides from programs, and uses to choose its own path. */
#include <arpa/inet.h>
#include <fcntl.h>
#include <infiniband/verbs.h>
#include <rdma/rdma_user_cm.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cmocka_all.h"

#define FAMILY_IB 27 /* AF_IB of Linux, which the C library has no name for in older versions */

static int node;

/* A command as librdmacm writes it. */
static int command(uint32_t number, const void *body, size_t size, size_t room)
{
	struct {
		struct rdma_ucm_cmd_hdr header;
		uint8_t body[512];
	} message = {.header = {number, (uint16_t)size, (uint16_t)room}};

	memcpy(message.body, body, size);
	return write(node, &message, sizeof(message.header) + size) < 0 ? -errno : 0;
}

static uint32_t id_make(void)
{
	struct rdma_ucm_create_id_resp created;
	struct rdma_ucm_create_id create = {
		.uid = 7, .response = (uintptr_t)&created, .ps = RDMA_PS_TCP, .qp_type = IBV_QPT_RC};

	assert_int_equal(command(RDMA_USER_CM_CMD_CREATE_ID, &create, sizeof(create), sizeof(created)), 0);
	return created.id;
}

static int id_end(uint32_t id)
{
	struct rdma_ucm_destroy_id_resp destroyed;
	struct rdma_ucm_destroy_id end = {.response = (uintptr_t)&destroyed, .id = id};

	return command(RDMA_USER_CM_CMD_DESTROY_ID, &end, sizeof(end), sizeof(destroyed));
}

/* How librdmacm asks whether there is that family: it sends IP addresses by other commands then. */
TEST(there_is_no_family_of_infiniband)
{
	struct rdma_ucm_bind bind = {.id = id_make(), .addr_size = 48, .addr = {.ss_family = FAMILY_IB}};

	assert_int_equal(command(RDMA_USER_CM_CMD_BIND, &bind, sizeof(bind), 0), -EINVAL);
	assert_int_equal(id_end(bind.id), 0);
}

/* It would look for the device by that index, not by the GUID. */
TEST(the_index_of_the_device_is_not_printed)
{
	struct sockaddr_in here = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	struct rdma_ucm_query_route_resp answer = {0};
	struct rdma_ucm_bind_ip bind = {.id = id_make()};
	struct rdma_ucm_query query = {.response = (uintptr_t)&answer, .id = bind.id};

	memcpy(&bind.addr, &here, sizeof(here));
	assert_int_equal(command(RDMA_USER_CM_CMD_BIND_IP, &bind, sizeof(bind), 0), 0);
	assert_int_equal(command(RDMA_USER_CM_CMD_QUERY_ROUTE, &query, sizeof(query), sizeof(answer)), 0);
	assert_int_equal(answer.src_addr.sin6_family, AF_INET);
	assert_int_equal(answer.ibdev_index, UINT32_MAX);
	assert_int_equal(id_end(bind.id), 0);
	assert_int_equal(command(RDMA_USER_CM_CMD_QUERY_ROUTE, &query, sizeof(query), sizeof(answer)), -ENOENT);
}

static int node_open(void **state)
{
	node = open("/dev/infiniband/rdma_cm", O_RDWR | O_CLOEXEC);
	return node < 0 ? -1 : 0;
}

static int node_close(void **state)
{
	return close(node);
}

TEST_MAIN(node_open, node_close)
