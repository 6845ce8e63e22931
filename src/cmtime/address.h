/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which address of this host do connections use, and how does an address travel? */
#ifndef CMTIME_ADDRESS_H
#define CMTIME_ADDRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>

#include "cmtime/frame.h"
#include "cmtime/parameters.h"
#include "net/address.h"

/* Of -B or -b; the port is 0. Checks that it is this host's. 0 or -errno, reported. */
int address_local(const struct cmtime_params *params, struct sockaddr_storage *address);

bool address_same_family(const struct sockaddr_storage *a, const struct sockaddr_storage *b);

void address_to_frame(const struct sockaddr_storage *address, struct server_address *frame);
/* A link-local address is reached by way of the local one's interface. */
void address_from_frame(const struct server_address *frame, const struct sockaddr_storage *local,
			struct sockaddr_storage *address);

#endif
