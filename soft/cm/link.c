// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Sockets between cm ids. A bound port is an abstract UNIX socket whose name has the runtime directory, port space,
 * port and address. Abstract names exist only as long as their socket, so none is ever stale; and they belong to the
 * network namespace, like the IP addresses that they represent, which containers may share whose directories are
 * different ones of the same path. Other users cannot be prevented from connecting to a name, or from taking it first:
 * both ends ask the kernel for the other's user.
 */
#include "config.h"

#include <arpa/inet.h>
#include <sys/un.h>

#include "cm/cm.h"
#include "host/runtime_dir.h"

#define LISTEN_BACKLOG 1024
#define FIRST_PORT     32768 /* as in Linux's ip_local_port_range */
#define PORT_COUNT     28232
#define PORT_TRIES     256

/* "*4" and "*6" are the wildcards; "*6" accepts IPv4 as well, "*6only" does not. */
static void address_word(const union cm_address *address, bool only_ipv6, char *word, size_t size)
{
	if (cm_address_is_any(address)) {
		snprintf(word, size, "%s", address->any.sa_family == AF_INET ? "*4" : only_ipv6 ? "*6only" : "*6");
	} else if (address->any.sa_family == AF_INET) {
		inet_ntop(AF_INET, &address->in.sin_addr, word, (socklen_t)size);
	} else if (IN6_IS_ADDR_V4MAPPED(&address->in6.sin6_addr)) {
		inet_ntop(AF_INET, &address->in6.sin6_addr.s6_addr[12], word, (socklen_t)size);
	} else {
		inet_ntop(AF_INET6, &address->in6.sin6_addr, word, (socklen_t)size);
	}
}

static int name_fill(uint16_t port_space, in_port_t port, const char *word, struct sockaddr_un *name, socklen_t *length)
{
	struct stat folder;
	int err = soft_runtime_find(&folder);
	int text;

	if (err)
		return err;
	*name = (struct sockaddr_un){.sun_family = AF_UNIX};
	text = snprintf(name->sun_path + 1, sizeof(name->sun_path) - 1, "perftest-soft-cm/%llx:%llx/%x/%u/%s",
			(unsigned long long)folder.st_dev, (unsigned long long)folder.st_ino, port_space, ntohs(port),
			word);
	*length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)text);
	return 0;
}

static int cm_link_socket_open(void)
{
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	return fd < 0 ? -errno : fd;
}

in_port_t cm_link_some_port(void)
{
	return htons((uint16_t)(FIRST_PORT + soft_random() % PORT_COUNT));
}

static int bind_port(const struct cm_id *id, int fd, in_port_t port)
{
	struct sockaddr_un name;
	socklen_t length;
	char word[INET6_ADDRSTRLEN];
	int err;

	address_word(&id->source, id->only_ipv6, word, sizeof(word));
	err = name_fill(id->port_space, port, word, &name, &length);
	if (err)
		return err;
	return bind(fd, (struct sockaddr *)&name, length) || listen(fd, LISTEN_BACKLOG) ? -errno : 0;
}

int cm_link_listen(struct cm_id *id)
{
	in_port_t *port = cm_address_port(&id->source);
	in_port_t chosen = *port;
	int fd = cm_link_socket_open();
	int err;

	if (fd < 0)
		return fd;
	err = -EADDRINUSE;
	for (unsigned int i = 0; err == -EADDRINUSE && i < (*port ? 1 : PORT_TRIES); i++) {
		if (!*port)
			chosen = cm_link_some_port();
		err = bind_port(id, fd, chosen);
	}
	err = err ?: cm_thread_watch(fd, id->number);
	if (err) {
		close(fd);
		return err;
	}
	*port = chosen;
	id->fd = fd;
	return 0;
}

static int connect_word(const struct cm_id *id, in_port_t port, const char *word, int *out)
{
	struct sockaddr_un name;
	socklen_t length;
	int fd;
	int err = name_fill(id->port_space, port, word, &name, &length);

	if (err)
		return err;
	fd = cm_link_socket_open();
	if (fd < 0)
		return fd;
	if (connect(fd, (struct sockaddr *)&name, length))
		err = -errno;
	else if (!soft_runtime_is_same_user(fd))
		err = -ECONNREFUSED;
	if (err) {
		close(fd);
		return err;
	}
	*out = fd;
	return 0;
}

/* An id bound to the exact address takes precedence over a wildcard. */
int cm_link_connect(const struct cm_id *id, int *fd)
{
	const union cm_address *to = &id->destination;
	const bool is_ipv4 = to->any.sa_family == AF_INET;
	const in_port_t port = is_ipv4 ? to->in.sin_port : to->in6.sin6_port;
	const char *words[] = {NULL, is_ipv4 ? "*4" : "*6only", "*6"};
	char exact[INET6_ADDRSTRLEN];
	int err = -ECONNREFUSED;

	address_word(to, false, exact, sizeof(exact));
	words[0] = exact;
	for (size_t i = 0; err == -ECONNREFUSED && i < sizeof(words) / sizeof(words[0]); i++)
		err = connect_word(id, port, words[i], fd);
	return err;
}

bool cm_link_lacks(int err)
{
	return err == -EMFILE || err == -ENFILE || err == -ENOMEM || err == -ENOBUFS;
}

int cm_link_accept(int listen_fd, int *out)
{
	int fd = accept4(listen_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	if (fd < 0) {
		int err = -errno;

		/* It stays pending, and the socket readable. */
		if (cm_link_lacks(err))
			cm_thread_pause();
		return err;
	}
	if (!soft_runtime_is_same_user(fd)) {
		close(fd);
		return -EPERM;
	}
	*out = fd;
	return 0;
}

int cm_link_send(int fd, struct cm_message *message)
{
	message->magic = CM_MESSAGE_MAGIC;
	message->version = CM_MESSAGE_VERSION;
	return send(fd, message, sizeof(*message), MSG_DONTWAIT | MSG_NOSIGNAL) < 0 ? -errno : 0;
}

static bool family_is_known(const union cm_address *address)
{
	return address->any.sa_family == AF_INET || address->any.sa_family == AF_INET6;
}

int cm_link_receive(int fd, struct cm_message *message)
{
	ssize_t length = recv(fd, message, sizeof(*message), MSG_DONTWAIT | MSG_TRUNC);

	if (length < 0)
		return errno == EINTR ? -EAGAIN : -errno;
	if (length == 0)
		return -ECONNRESET;
	if (length < (ssize_t)offsetof(struct cm_message, kind) || message->magic != CM_MESSAGE_MAGIC)
		return -EPROTO;
	if (message->version != CM_MESSAGE_VERSION)
		soft_error("rdma_cm: another version of the software device (messages %u, here %u): use one build",
			   message->version, CM_MESSAGE_VERSION);
	if (length != sizeof(*message) || message->version != CM_MESSAGE_VERSION)
		return -EPROTO;
	if ((message->kind == CM_REQ || message->kind == CM_SIDR_REQ) &&
	    (!family_is_known(&message->source) || !family_is_known(&message->destination)))
		return -EPROTO;
	message->param.qp_num &= 0xffffff;
	message->psn &= 0xffffff;
	return 0;
}
