/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * By which network interface do raw packets leave and come? The one that PERFTEST_SOFT=if=NAME names, through packet(7)
 * sockets: opened with the first raw packet queue pair, listened to from the first steering rule on by a thread, closed
 * with the last queue pair. Functions return 0 or a negative errno.
 */
#ifndef SOFT_INTERFACE_H
#define SOFT_INTERFACE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/uio.h>

#define INTERFACE_HEADROOM 4u /* bytes before a frame that came, writable: room for its VLAN tag */

/* A frame that came. */
struct soft_arrival {
	uint8_t *data;
	uint32_t length;
	bool has_tag; /* which is not in the frame */
	uint16_t tag_type;
	uint16_t tag;
	bool is_unsummed; /* its checksums are left to an adapter that it never came to */
};

typedef void (*soft_arrival_fn)(const struct soft_arrival *arrival);

/* -EOPNOTSUPP: none is named; -EPERM: it takes CAP_NET_RAW. Says so in one line. */
int soft_interface_get(void);
void soft_interface_put(void);
/* The frame, gathered. -EAGAIN: later; -EMSGSIZE: longer than the interface takes; -ENETDOWN: it is lost. */
int soft_interface_send(const struct iovec *pieces, uint32_t count);
/* Tells `handler` of each frame that comes in, in a thread of its own; again: does nothing. */
int soft_interface_listen(soft_arrival_fn handler);
/*
 * What an adapter would pass over: type is one of PACKET_MR_* of <linux/if_packet.h>. Where there are many addresses
 * already, *type becomes the one that lets all of them in. As often dropped, with that type, as added.
 */
int soft_interface_join(uint16_t *type, const uint8_t *address);
void soft_interface_leave(uint16_t type, const uint8_t *address);
void soft_interface_close(void); /* also where it is still used */
void soft_interface_reset(void); /* in a forked child */

#endif
