/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The local address of connections, and the conversion of server addresses from and to frames. */
#ifndef CMTIME_ADDRESS_H
#define CMTIME_ADDRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>

#include "cmtime/frame.h"
#include "cmtime/parameters.h"
#include "net/address.h"

/* Bits of struct cmtime_params.families; the lowest is preferred. */
#define ADDRESS_IPV4 1
#define ADDRESS_IPV6 2

/* The first address of -B or -b of each family, with port 0; AF_UNSPEC: it has none. */
struct local_addresses {
	struct sockaddr_storage ipv4, ipv6;
};

/* Those that are this host's, and their families for the rendezvous. 0 or -errno, reported. */
int address_find_local(struct cmtime_params *params, struct local_addresses *found);
/* Of the families that all instances have; if they share none, of the preferred one that is there. */
const struct sockaddr_storage *address_choose_local(const struct local_addresses *found, uint8_t families);

bool address_same_family(const struct sockaddr_storage *a, const struct sockaddr_storage *b);

void address_to_frame(const struct sockaddr_storage *address, struct server_address *frame);
/* A link-local address is reached through the interface of the local one. */
void address_from_frame(const struct server_address *frame, const struct sockaddr_storage *local,
			struct sockaddr_storage *address);

#endif
