/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Names, IPv4 and IPv6 addresses and ports: as text, from the resolver, and in the order in which a client tries them.
 */
#ifndef NET_ADDRESS_H
#define NET_ADDRESS_H

#include <netdb.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#include "util/deadline.h"

#define ADDRESS_TEXT_SIZE 128 /* of an address and a port, with the NUL */

/* Where a server listens, or where a client connects to. The strings are the caller's. */
struct address {
	const char *host;	 /* client: the server's name or address; NULL on a server */
	const char *bind_ip;	 /* local address, or NULL: any */
	uint16_t port;		 /* server: 0 lets the kernel choose */
	int family;		 /* AF_INET or AF_INET6 only; AF_UNSPEC: what the resolver gives, IPv4 first */
	const char *port_option; /* "-p": what chooses another port, for messages; NULL: nothing does */
	/* client: called in front of the report that the server can't be reached; NULL: nothing is said there */
	void (*unreached)(const struct address *address);
};

/* -EADDRNOTAVAIL of an address that the user named, for messages. */
extern const char address_not_ours[];

/* "10.0.0.1:43210" or "[fe80::1%eth0]:43210"; without a port where it is 0. Returns text. */
const char *address_text(const struct sockaddr *address, char text[ADDRESS_TEXT_SIZE]);
socklen_t address_length(const struct sockaddr *address); /* IPv4 or IPv6 */
uint16_t address_port(const struct sockaddr *address);
void address_set_port(struct sockaddr *address, uint16_t port);
void address_unmap(struct sockaddr_storage *address); /* an IPv4 address in the form of IPv6 becomes one of IPv4 */

/* host NULL: this host, any address with AI_PASSIVE. What getaddrinfo() returns. */
int address_resolve(const char *host, uint16_t port, int family, int flags, struct addrinfo **found);
/* Why it failed; called behind it at once. */
const char *address_resolve_error(int rc);
/* The server's addresses. 0, or -EHOSTUNREACH, reported. */
int address_resolve_server(const struct address *address, struct addrinfo **found);
/* One attempt at one of them: 0 or -errno, not reported. */
typedef int (*address_attempt_fn)(const struct addrinfo *at, struct deadline deadline, void *context);
/*
 * Until one attempt succeeds: IPv4 first, else as the resolver sorted them. Each gets an even share of the time that is
 * left, so that a dead one does not use it up. 0, or the -errno of the first attempt that says something; not reported.
 */
int address_try_each(const struct addrinfo *found, struct deadline deadline, address_attempt_fn attempt, void *context);

#endif
