/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which address of this host do connections use, and how is an address written down? */
#ifndef CMTIME_ADDRESS_H
#define CMTIME_ADDRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>

#include "cmtime/frame.h"
#include "cmtime/parameters.h"

#define ADDRESS_TEXT_SIZE 80

/* Of -B or -b; the port is 0. Checks that it is this host's. 0 or -errno, reported. */
int address_local(const struct cmtime_params *params, struct sockaddr_storage *address);

socklen_t address_size(const struct sockaddr_storage *address);
bool address_same_family(const struct sockaddr_storage *a, const struct sockaddr_storage *b);
/* "10.0.0.1:7471", "[fe80::1%eth0]:7471"; without a port where it is 0. Returns text. */
const char *address_text(const struct sockaddr_storage *address, char text[ADDRESS_TEXT_SIZE]);

void address_to_frame(const struct sockaddr_storage *address, struct frame_address *frame);
/* A link-local address is reached by way of the local one's interface. */
void address_from_frame(const struct frame_address *frame, const struct sockaddr_storage *local,
			struct sockaddr_storage *address);

#endif
