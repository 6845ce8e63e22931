// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Which driver does a device have, for libraries that ask the kernel instead of looking at its PCI function (mana,
 * ionic)? libibverbs asks by RDMA netlink, with libnl, whose functions the rig answers if tests/provider/run names a
 * driver. Otherwise libibverbs gets no such socket (files.c), and reads sysfs.
 */
#define _GNU_SOURCE 1 /* RTLD_NEXT */
#include <dlfcn.h>
#include <linux/netlink.h>
#include <stdlib.h>
#include <string.h>

#include <rdma/rdma_netlink.h>

#include "rig.h"

#define NULL_DEVICE 0x103 /* 1:3, see files.c */

struct nl_sock;
struct nl_msg;
typedef int (*valid_fn)(struct nl_msg *message, void *argument);

int nl_connect(struct nl_sock *socket, int protocol);
int nl_send_simple(struct nl_sock *socket, int type, int flags, void *buffer, size_t bytes);
int nl_send_auto(struct nl_sock *socket, struct nl_msg *message);
int nl_socket_modify_cb(struct nl_sock *socket, int type, int kind, valid_fn function, void *argument);
int nl_recvmsgs_default(struct nl_sock *socket);

static const struct nl_sock *rdma; /* the socket that is answered here, or NULL */
static int asked;		   /* RDMA_NLDEV_CMD_... */
static valid_fn valid;
static void *valid_argument;

static struct {
	struct nlmsghdr header;
	char attributes[512];
} answer;

#define NEXT(name) ((__typeof__(&(name)))dlsym(RTLD_NEXT, #name))

int nl_connect(struct nl_sock *socket, int protocol)
{
	if (protocol != NETLINK_RDMA || !getenv("PERFTEST_PROVIDER_DRIVER")) {
		if (rdma == socket)
			rdma = NULL; // its memory is another socket's now
		return NEXT(nl_connect)(socket, protocol);
	}
	rdma = socket;
	return 0;
}

int nl_send_simple(struct nl_sock *socket, int type, int flags, void *buffer, size_t bytes)
{
	if (socket != rdma)
		return NEXT(nl_send_simple)(socket, type, flags, buffer, bytes);
	asked = RDMA_NL_GET_OP(type);
	return 0;
}

int nl_send_auto(struct nl_sock *socket, struct nl_msg *message)
{
	if (socket != rdma)
		return NEXT(nl_send_auto)(socket, message);
	asked = RDMA_NLDEV_CMD_GET_CHARDEV; // the only one with arguments
	return 0;
}

int nl_socket_modify_cb(struct nl_sock *socket, int type, int kind, valid_fn function, void *argument)
{
	if (socket != rdma)
		return NEXT(nl_socket_modify_cb)(socket, type, kind, function, argument);
	valid = function;
	valid_argument = argument;
	return 0;
}

static void put(uint16_t type, const void *value, size_t bytes)
{
	struct nlattr *attribute = (void *)((char *)&answer + answer.header.nlmsg_len);

	*attribute = (struct nlattr){.nla_len = (uint16_t)(sizeof(*attribute) + bytes), .nla_type = type};
	memcpy(attribute + 1, value, bytes);
	answer.header.nlmsg_len += (uint32_t)((sizeof(*attribute) + bytes + 3) / 4 * 4);
}

static void put_text(uint16_t type, const char *text)
{
	put(type, text, strlen(text) + 1);
}

/* A device, or its character device; or nothing, of what the rig does not know. */
static void fill_answer(void)
{
	const char *name = getenv("PERFTEST_PROVIDER_NAME");
	uint32_t driver = (uint32_t)atoi(getenv("PERFTEST_PROVIDER_DRIVER")), index = 0, ports = 1;
	uint64_t guid = 0x1a00, file = NULL_DEVICE, abi = 1;
	uint8_t node = 1;

	memset(&answer, 0, sizeof(answer));
	answer.header.nlmsg_len = sizeof(answer.header);
	if (asked == RDMA_NLDEV_CMD_GET) {
		put(RDMA_NLDEV_ATTR_DEV_INDEX, &index, sizeof(index));
		put_text(RDMA_NLDEV_ATTR_DEV_NAME, name);
		put(RDMA_NLDEV_ATTR_PORT_INDEX, &ports, sizeof(ports));
		put(RDMA_NLDEV_ATTR_NODE_GUID, &guid, sizeof(guid));
		put(RDMA_NLDEV_ATTR_DEV_NODE_TYPE, &node, sizeof(node));
	} else if (asked == RDMA_NLDEV_CMD_GET_CHARDEV) {
		put_text(RDMA_NLDEV_ATTR_CHARDEV_NAME, "uverbs0");
		put(RDMA_NLDEV_ATTR_CHARDEV_ABI, &abi, sizeof(abi));
		put(RDMA_NLDEV_ATTR_CHARDEV, &file, sizeof(file));
		put(RDMA_NLDEV_ATTR_UVERBS_DRIVER_ID, &driver, sizeof(driver));
	}
}

int nl_recvmsgs_default(struct nl_sock *socket)
{
	struct nl_msg *(*convert)(struct nlmsghdr * header) = dlsym(RTLD_DEFAULT, "nlmsg_convert");
	void (*release)(struct nl_msg * message) = dlsym(RTLD_DEFAULT, "nlmsg_free");
	struct nl_msg *message;

	if (socket != rdma)
		return NEXT(nl_recvmsgs_default)(socket);
	fill_answer();
	message = convert(&answer.header);
	if (!message)
		return -1;
	valid(message, valid_argument);
	release(message);
	return 0;
}
