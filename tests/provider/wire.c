// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * How do the engines of several processes talk? By datagrams on abstract UNIX sockets, one name for each slot;
 * processes with the same folder in PERFTEST_PROVIDER see each other. A packet names memory of its sender: the receiver
 * reads and writes it.
 */
#define _GNU_SOURCE 1 /* ppoll() */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "rig.h"

#define KIND "rig"

struct unsent {
	struct unsent *next;
	size_t bytes;
	struct wire_packet packet;
};

static int wire_socket = -1;
static struct unsent *unsent; /* in their order */

socklen_t rig_socket_name(struct sockaddr_un *address, const char *kind, int number)
{
	const char *folder = getenv("PERFTEST_PROVIDER");
	struct stat status = {0};
	int length;

	if (folder)
		stat(folder, &status);

	*address = (struct sockaddr_un){.sun_family = AF_UNIX};
	length = snprintf(address->sun_path + 1, sizeof(address->sun_path) - 1, "provider-%s-%lx-%lx-%d", kind,
			  (unsigned long)status.st_dev, (unsigned long)status.st_ino, number);
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length);
}

int wire_open(void)
{
	struct sockaddr_un address;

	wire_socket = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (wire_socket < 0)
		return -errno;
	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0); // fails where nothing restricts it
	for (int slot = 0; slot < RIG_MAX_SLOT; slot++) {
		if (bind(wire_socket, (struct sockaddr *)&address, rig_socket_name(&address, KIND, slot)) == 0)
			return slot;
		if (errno != EADDRINUSE)
			break;
	}
	return -errno;
}

static int transmit(const struct wire_packet *packet, size_t bytes)
{
	struct sockaddr_un address;
	socklen_t length = rig_socket_name(&address, KIND, (int)(packet->dst_qpn >> RIG_QP_BITS) - 1);

	return sendto(wire_socket, packet, bytes, MSG_NOSIGNAL, (struct sockaddr *)&address, length) < 0 ? -errno : 0;
}

void wire_flush(void)
{
	struct unsent *first;

	while ((first = unsent) && transmit(&first->packet, first->bytes) != -EAGAIN) {
		unsent = first->next;
		free(first);
	}
}

int wire_send(const struct wire_packet *packet)
{
	size_t bytes = packet->kind == WIRE_ANSWER ? offsetof(struct wire_packet, request) : sizeof(*packet);
	struct unsent **end = &unsent;
	int err = unsent ? -EAGAIN : transmit(packet, bytes);

	if (err != -EAGAIN)
		return err;
	while (*end)
		end = &(*end)->next;
	*end = calloc(1, sizeof(**end));
	if (!*end)
		return -ENOMEM;
	memcpy(&(*end)->packet, packet, bytes);
	(*end)->bytes = bytes;
	return 0;
}

bool wire_receive(struct wire_packet *packet)
{
	ssize_t bytes = recv(wire_socket, packet, sizeof(*packet), 0);

	return bytes == sizeof(*packet) ||
	       (bytes == (ssize_t)offsetof(struct wire_packet, request) && packet->kind == WIRE_ANSWER);
}

bool wire_wait(unsigned microseconds)
{
	struct pollfd file = {.fd = wire_socket, .events = POLLIN};
	struct timespec limit = {.tv_nsec = microseconds * 1000L};

	return ppoll(&file, 1, &limit, NULL) > 0;
}
