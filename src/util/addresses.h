/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The addresses of both ends of a connection. comm sets them, verbs chooses a GID by them; they belong to neither. */
#pragma once

#include <stdint.h>
#include <sys/socket.h>

struct addresses {
	/* The RDMA device of the connection and its port; "": unknown, as with TCP. */
	char device[64];
	uint8_t port;
	struct sockaddr_storage local; /* AF_UNSPEC: unknown */
	struct sockaddr_storage peer;  /* AF_UNSPEC: unknown */
};
