/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Between which addresses did the two ends meet? comm knows, verbs chooses a GID by it, so it is
 * of neither.
 */
#ifndef UTIL_ADDRESSES_H
#define UTIL_ADDRESSES_H

#include <stdint.h>
#include <sys/socket.h>

struct addresses {
	/* The RDMA device and its port that the connection runs on; "": not known, as with TCP. */
	char device[64];
	uint8_t port;
	struct sockaddr_storage local; /* AF_UNSPEC: not known */
	struct sockaddr_storage peer;  /* AF_UNSPEC: not known */
};

#endif
