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

/* The address of -B or -b, with port 0. Checks that it is a local one. 0 or -errno, reported. */
int address_local(const struct cmtime_params *params, struct sockaddr_storage *address);

bool address_same_family(const struct sockaddr_storage *a, const struct sockaddr_storage *b);

void address_to_frame(const struct sockaddr_storage *address, struct server_address *frame);
/* A link-local address is reached through the interface of the local one. */
void address_from_frame(const struct server_address *frame, const struct sockaddr_storage *local,
			struct sockaddr_storage *address);

#endif
