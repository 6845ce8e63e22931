// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Sends and receives raw packets on a network interface. See interface.h. Plain sendmsg() and recvmmsg(): a frame's
 * path through the kernel costs many times as much as the system call.
 */
#include "config.h"

#include "packet/interface.h"

#include <arpa/inet.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include "host/core.h"
#include "host/mapping.h"
#include "host/threads.h"

#define BATCH	       32u
#define FRAME_ROOM     65536u /* bytes: enough for frames merged by segmentation offload */
#define ENTRY_SIZE     (FRAME_ROOM + INTERFACE_HEADROOM + 60u)
#define RECEIVE_BUFFER (16 << 20) /* bytes queued in the kernel while this process is busy */
#define ADDRESSES_MOST 1024u	  /* as in an adapter's table; the kernel searches all of them for a new one */

#ifndef PACKET_IGNORE_OUTGOING
#define PACKET_IGNORE_OUTGOING 23 /* Linux 4.20 */
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
	unsigned int users;
	int index; /* of the interface */
	int send_fd;
	int receive_fd;
	int stop_fd;
	bool is_listening;
	pthread_t thread;
	soft_arrival_fn handler;
	soft_down_fn down;
	uint8_t *room;	    /* BATCH of ENTRY_SIZE */
	uint32_t addresses; /* number of joined addresses; atomic */
} interface = {.send_fd = -1, .receive_fd = -1, .stop_fd = -1};

/* protocol 0: it receives nothing. */
static int packet_socket_open(int protocol, int *out)
{
	struct sockaddr_ll address = {
		.sll_family = AF_PACKET, .sll_protocol = htons((uint16_t)protocol), .sll_ifindex = interface.index};
	int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int err;

	if (fd < 0)
		return -errno;
	if (bind(fd, (struct sockaddr *)&address, sizeof(address))) {
		err = -errno;
		close(fd);
		return err;
	}
	*out = fd;
	return 0;
}

static int interface_open(void)
{
	const char *name = soft_self.interface;
	int err;

	if (!name[0]) {
		soft_error("raw packets need a network interface: select one with PERFTEST_SOFT=if=NAME");
		return -EOPNOTSUPP;
	}
	interface.index = (int)if_nametoindex(name);
	err = interface.index ? packet_socket_open(0, &interface.send_fd) : -ENODEV;
	if (err == -EPERM)
		soft_error("raw packets on %s need CAP_NET_RAW: run as root, or in a user namespace that has the "
			   "interface",
			   name);
	else if (err)
		soft_error("raw packets on %s: %s (PERFTEST_SOFT=if=)", name, strerror(-err));
	return err;
}

int soft_interface_get(void)
{
	SOFT_UNCANCELLED;
	int err = 0;

	if (soft_self.is_null)
		return 0;
	pthread_mutex_lock(&lock);
	if (!interface.users)
		err = interface_open();
	if (!err)
		interface.users++;
	pthread_mutex_unlock(&lock);
	return err;
}

static void packet_sockets_close(void)
{
	descriptor_close(&interface.send_fd);
	descriptor_close(&interface.receive_fd);
	descriptor_close(&interface.stop_fd);
	mapping_drop(interface.room, BATCH * ENTRY_SIZE);
	interface.room = NULL;
	interface.is_listening = false;
	interface.users = 0;
	interface.addresses = 0;
}

/* The lock is held, so that no thread uses what is being closed. */
static void close_locked(void)
{
	const uint64_t one = 1;

	if (interface.is_listening) {
		(void)!write(interface.stop_fd, &one, sizeof(one));
		pthread_join(interface.thread, NULL);
	}
	packet_sockets_close();
}

void soft_interface_close(void)
{
	pthread_mutex_lock(&lock);
	close_locked();
	pthread_mutex_unlock(&lock);
}

void soft_interface_put(void)
{
	SOFT_UNCANCELLED;

	if (soft_self.is_null)
		return;
	pthread_mutex_lock(&lock);
	if (interface.users && --interface.users == 0)
		close_locked();
	pthread_mutex_unlock(&lock);
}

int soft_interface_send(const struct iovec *pieces, uint32_t count)
{
	struct msghdr message = {.msg_iov = (struct iovec *)pieces, .msg_iovlen = count};

	while (sendmsg(interface.send_fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL) < 0) {
		if (errno == ENOBUFS)
			return -EAGAIN;
		if (errno != EINTR)
			return -errno;
	}
	return 0;
}

static void tag_read(struct msghdr *message, struct soft_arrival *arrival)
{
	const struct cmsghdr *header = CMSG_FIRSTHDR(message);
	struct tpacket_auxdata data;

	if (!header || header->cmsg_level != SOL_PACKET || header->cmsg_type != PACKET_AUXDATA ||
	    header->cmsg_len < CMSG_LEN(sizeof(data)))
		return;
	memcpy(&data, CMSG_DATA(header), sizeof(data));
	arrival->has_tag = data.tp_status & TP_STATUS_VLAN_VALID;
	arrival->tag = data.tp_vlan_tci;
	arrival->tag_type = data.tp_status & TP_STATUS_VLAN_TPID_VALID ? data.tp_vlan_tpid : ETH_P_8021Q;
}

struct packet_batch {
	struct mmsghdr messages[BATCH];
	struct iovec pieces[BATCH];
	struct sockaddr_ll from[BATCH];
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(sizeof(struct tpacket_auxdata))];
	} aux[BATCH];
};

static void batch_prepare(struct packet_batch *batch)
{
	for (uint32_t i = 0; i < BATCH; i++) {
		batch->pieces[i] = (struct iovec){interface.room + i * ENTRY_SIZE + INTERFACE_HEADROOM, FRAME_ROOM};
		batch->messages[i].msg_hdr = (struct msghdr){.msg_name = &batch->from[i],
							     .msg_namelen = sizeof(batch->from[i]),
							     .msg_iov = &batch->pieces[i],
							     .msg_iovlen = 1,
							     .msg_control = batch->aux[i].room,
							     .msg_controllen = sizeof(batch->aux[i].room)};
	}
}

/* Skips truncated frames and, if the kernel marks them, outgoing ones. */
static int batch_take(struct packet_batch *batch)
{
	int count;

	batch_prepare(batch);
	count = recvmmsg(interface.receive_fd, batch->messages, BATCH, MSG_DONTWAIT, NULL);
	for (int i = 0; i < count; i++) {
		struct msghdr *header = &batch->messages[i].msg_hdr;
		struct soft_arrival arrival = {.data = batch->pieces[i].iov_base, .length = batch->messages[i].msg_len};

		if (header->msg_flags & MSG_TRUNC || batch->from[i].sll_pkttype == PACKET_OUTGOING)
			continue;
		tag_read(header, &arrival);
		interface.handler(&arrival);
	}
	return count;
}

/* Also after it was moved to another network namespace: its sockets see it in neither. */
static bool is_removed(void)
{
	char name[IF_NAMESIZE];

	return !if_indextoname((unsigned int)interface.index, name) && errno == ENXIO;
}

/* How often to look whether an interface that is down was removed. */
#define DOWN_LOOK_MS 50

static void *listen_run(void *argument)
{
	struct pollfd ready[] = {{.fd = interface.receive_fd, .events = POLLIN},
				 {.fd = interface.stop_fd, .events = POLLIN}};
	struct packet_batch *batch = argument;
	bool is_down = false;

	soft_locks_contend();
	for (;;) {
		/* Checks the other descriptor, too, or a flood of frames would keep the thread from exiting. */
		const int count = poll(ready, 2, is_down ? DOWN_LOOK_MS : -1);

		if (count < 0 && errno != EINTR)
			break;
		if (ready[1].revents)
			break;
		if (count > 0 && ready[0].revents) {
			const bool fails = batch_take(batch) < 0 && errno == ENETDOWN;

			if (fails && !is_down)
				interface.down(false);
			is_down = fails;
		}
		/* It goes down first; the kernel reports that alone. */
		if (is_down && is_removed()) {
			interface.down(true);
			break;
		}
	}
	free(batch);
	return NULL;
}

static void receive_options_set(int fd)
{
	const int one = 1, size = RECEIVE_BUFFER;

	setsockopt(fd, SOL_PACKET, PACKET_AUXDATA, &one, sizeof(one));
	setsockopt(fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, &one, sizeof(one));
	/* Only root may exceed the system's limit. */
	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size)))
		setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
}

static int listen_start(soft_arrival_fn handler, soft_down_fn down)
{
	struct packet_batch *batch = calloc(1, sizeof(*batch));
	void *room = mapping_make_private(BATCH * ENTRY_SIZE);
	int err = batch && room ? packet_socket_open(ETH_P_ALL, &interface.receive_fd) : -ENOMEM;

	if (err)
		goto err_free;
	receive_options_set(interface.receive_fd);
	interface.stop_fd = eventfd(0, EFD_CLOEXEC);
	interface.handler = handler;
	interface.down = down;
	interface.room = room;
	err = interface.stop_fd < 0 ? -errno : -soft_thread_create(&interface.thread, listen_run, batch);
	if (!err) {
		interface.is_listening = true;
		return 0;
	}
	descriptor_close(&interface.receive_fd);
	descriptor_close(&interface.stop_fd);
	interface.room = NULL;
err_free:
	mapping_drop(room, BATCH * ENTRY_SIZE);
	free(batch);
	return err;
}

int soft_interface_listen(soft_arrival_fn handler, soft_down_fn down)
{
	SOFT_UNCANCELLED;
	int err = 0;

	pthread_mutex_lock(&lock);
	if (!interface.is_listening)
		err = listen_start(handler, down);
	pthread_mutex_unlock(&lock);
	return err;
}

static bool is_of_address(uint16_t type)
{
	return type == PACKET_MR_UNICAST || type == PACKET_MR_MULTICAST;
}

/* The kernel identifies all kinds by the address, including those without one. */
static int membership_change(int option, uint16_t type, const uint8_t *address)
{
	struct packet_mreq request = {.mr_ifindex = interface.index, .mr_type = type, .mr_alen = ETH_ALEN};

	if (is_of_address(type))
		memcpy(request.mr_address, address, ETH_ALEN);
	return setsockopt(interface.receive_fd, SOL_PACKET, option, &request, sizeof(request)) ? -errno : 0;
}

int soft_interface_join(uint16_t *type, const uint8_t *address)
{
	int err;

	if (is_of_address(*type) && __atomic_add_fetch(&interface.addresses, 1, __ATOMIC_RELAXED) > ADDRESSES_MOST) {
		__atomic_sub_fetch(&interface.addresses, 1, __ATOMIC_RELAXED);
		*type = *type == PACKET_MR_UNICAST ? PACKET_MR_PROMISC : PACKET_MR_ALLMULTI;
	}
	err = membership_change(PACKET_ADD_MEMBERSHIP, *type, address);
	if (err && is_of_address(*type))
		__atomic_sub_fetch(&interface.addresses, 1, __ATOMIC_RELAXED);
	return err;
}

void soft_interface_leave(uint16_t type, const uint8_t *address)
{
	membership_change(PACKET_DROP_MEMBERSHIP, type, address);
	if (is_of_address(type))
		__atomic_sub_fetch(&interface.addresses, 1, __ATOMIC_RELAXED);
}

void soft_interface_reset(void)
{
	pthread_mutex_init(&lock, NULL);
	packet_sockets_close();
}
