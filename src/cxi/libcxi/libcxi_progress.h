/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Handles the NIC's events. Called by libcxi_ops.c and libcxi_connect.c. All return 0 or -errno. */
#ifndef CXI_LIBCXI_PROGRESS_H
#define CXI_LIBCXI_PROGRESS_H

#include "cxi/libcxi/libcxi_link.h"

/*
 * Match bits of rendezvous puts, those of HPE's program: the NIC keeps the highest 16 for its get, and stores the
 * rendezvous id in the lowest.
 */
#define RENDEZVOUS_MATCH 0x123456789abcdef0ULL
#define KEPT_MATCH	 0xffff000000000000ULL

/* Requests an event when the counter has grown by count since the last one. The caller rings the doorbell. */
int libcxi_arm(struct libcxi_link *own, enum libcxi_count which, uint32_t count);
/*
 * One index: gives up the response that is outstanding when a size ends by time; HPE's program does not send it before
 * the next one.
 */
int libcxi_forget(struct libcxi_link *own);
/* Handles all available events, and gets the data that the peer has announced. */
int libcxi_go_on(struct libcxi_link *own);
/* Waits until *count has reached wanted. */
int libcxi_await(struct libcxi_link *own, const unsigned *count, unsigned wanted, const char *what);

#endif
