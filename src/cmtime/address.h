/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Server addresses, and their conversion from and to frames. */
#ifndef CMTIME_ADDRESS_H
#define CMTIME_ADDRESS_H

#include <stdbool.h>
#include <sys/socket.h>

#include "cmtime/frame.h"

void address_to_frame(const struct sockaddr_storage *address, struct server_address *frame);
/* A link-local address is reached through the interface of the local one. */
void address_from_frame(const struct server_address *frame, const struct sockaddr_storage *local,
			struct sockaddr_storage *address);

#endif
