/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Names, IPv4 and IPv6 addresses and ports: as text, from the resolver, and in the order in which a client tries them.
 */
#pragma once

#include <netdb.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#include "util/deadline.h"

#define ADDRESS_TEXT_SIZE 128 /* an address and a port, with the NUL */

/* Where a server listens, or a client connects. The caller owns the strings. */
struct address {
	const char *host;	 /* client: the server's name or address; NULL on a server */
	const char *bind_ip;	 /* local address, or NULL: any */
	uint16_t port;		 /* server: 0: the kernel chooses */
	int family;		 /* AF_INET or AF_INET6 only; AF_UNSPEC: as resolved, IPv4 first */
	const char *port_option; /* "-p": the option for another port, for messages; NULL: none */
	bool may_be_in_use;	 /* server: another program may have the port */
	int64_t retry_ms;	 /* client: tries again for this long until a server listens; 0: once */
	/* client: called before the error message that the server cannot be reached; NULL: nothing */
	void (*unreached)(const struct address *address);
	/* client: ends the message that no server listens, "; it may be serving another client"; NULL: nothing */
	const char *refused;
};

/* Why an address that the user gave (NULL: none) cannot be used: strerror(), or what that leaves unsaid. */
const char *address_error(const char *host, int error);
/* Why listening failed. how: " with rdma_cm", or "" for TCP. */
void address_report_listen(const struct address *address, const char *how, int error, const char *words);

/* "10.0.0.1:43210" or "[fe80::1%eth0]:43210"; without the port if it is 0. Returns text. */
const char *address_text(const struct sockaddr *address, char text[ADDRESS_TEXT_SIZE]);
/* The same without the port; of an IPv4-mapped address the IPv4 one. */
const char *address_host_text(const struct sockaddr_storage *address, char text[ADDRESS_TEXT_SIZE]);
socklen_t address_length(const struct sockaddr *address); /* IPv4 or IPv6 */
uint16_t address_port(const struct sockaddr *address);
void address_set_port(struct sockaddr *address, uint16_t port);
void address_unmap(struct sockaddr_storage *address); /* an IPv4-mapped IPv6 address becomes IPv4 */

/* host NULL: this host, any address with AI_PASSIVE; "localhost" needs no resolver. Returns what getaddrinfo() does. */
int address_resolve(const char *host, uint16_t port, int family, int flags, struct addrinfo **found);
/* Why it failed; call it immediately after. */
const char *address_resolve_error(int rc);
bool address_is_loopback(const struct sockaddr *address);
/* The interface of this host that has it: "eth0"; "" and false: none. */
bool address_interface(const struct sockaddr_storage *address, char *name, size_t size);
/* Of an interface of this host, or of the loopback. */
bool address_is_own(const struct sockaddr_storage *address);
/* Of a name of loopback addresses alone: AF_INET, AF_INET6, or AF_UNSPEC if it has both. -ENOENT: it is none. */
int address_loopback_family(const struct address *address);
/* The server's addresses. 0, or -EHOSTUNREACH, reported. */
int address_resolve_server(const struct address *address, struct addrinfo **found);
/* One attempt to use an address: 0 or -errno, not reported. */
typedef int (*address_attempt_fn)(const struct addrinfo *at, struct deadline deadline, void *context);
/*
 * Tries the addresses until an attempt succeeds: IPv4 first, otherwise in the resolver's order. Each gets an equal
 * share of the remaining time, so that one that does not answer does not use it up. 0, or the first informative -errno;
 * not reported.
 */
int address_try_each(const struct addrinfo *found, struct deadline deadline, address_attempt_fn attempt, void *context);
/*
 * The same, each round of attempts with this limit (< 0: none), and again until retry_ms have passed while no server
 * answers, with one log_info().
 */
int address_try_until(const struct addrinfo *found, int64_t timeout_ms, int64_t retry_ms, address_attempt_fn attempt,
		      void *context);
