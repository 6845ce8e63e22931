/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The local addresses of connections. */
#pragma once

#include <sys/socket.h>

#include "cmtime/parameters.h"

/* Bits of struct cmtime_params.families; the lowest is preferred. */
#define ADDRESS_IPV4 1
#define ADDRESS_IPV6 2

/* The first address of -B or -b of each family, with port 0; AF_UNSPEC: it has none. */
struct local_addresses {
	struct sockaddr_storage ipv4, ipv6;
};

/* Those that are this host's, and their families for the rendezvous. 0 or -errno, reported. */
int local_find(struct cmtime_params *params, struct local_addresses *found);
/* Of the families that all instances have; if they share none, of the preferred one that is there. */
const struct sockaddr_storage *local_choose(const struct local_addresses *found, uint8_t families);
