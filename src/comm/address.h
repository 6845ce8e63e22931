/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What is behind the names and numbers of a command line? For tcp.c and rdma_cm.c, which connect by them. */
#ifndef COMM_ADDRESS_H
#define COMM_ADDRESS_H

#include <netdb.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#include "comm/perftest_communication.h"
#include "util/deadline.h"

/* "10.0.0.1:43210" or "[fe80::1%eth0]:43210". */
void address_text(const struct sockaddr *address, socklen_t length, char *text, size_t size);
socklen_t address_length(const struct sockaddr *address); /* IPv4 or IPv6 */
void address_set_port(struct sockaddr *address, uint16_t port);

/* host NULL: this host, any address with AI_PASSIVE. What getaddrinfo() returns. */
int address_resolve(const char *host, uint16_t port, int family, int flags, struct addrinfo **found);
/* The server's addresses. 0, or -EHOSTUNREACH, reported. */
int address_resolve_server(const struct comm_address *address, struct addrinfo **found);
/* One attempt at one of them: 0 or -errno, not reported. */
typedef int (*address_attempt_fn)(const struct addrinfo *at, struct deadline deadline, void *context);
/*
 * Until one attempt succeeds: IPv4 first, else as the resolver sorted them. Each gets an even share of the time that is
 * left, so that a dead one does not use it up. 0, or the -errno of the first attempt that says something; not reported.
 */
int address_try_each(const struct addrinfo *found, struct deadline deadline, address_attempt_fn attempt, void *context);

/* "Couldn't connect to HOST:PORT", as linux-rdma perftest says it: scripts try again on it. Why follows as an error. */
void address_report_unreached(const struct comm_address *address);

#endif
