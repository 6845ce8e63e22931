/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Sends and receives raw packets on the network interface in PERFTEST_SOFT=if=NAME, through packet(7) sockets: opened
 * with the first raw packet queue pair, received from by a thread from the first steering rule on, closed with the last
 * queue pair. Functions return 0 or a negative errno.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/uio.h>

#define INTERFACE_HEADROOM 4u /* writable bytes before a received frame: room for its VLAN tag */

/* A received frame. */
struct soft_arrival {
	uint8_t *data;
	uint32_t length;
	bool has_tag; /* the VLAN tag, which is not in the frame */
	uint16_t tag_type;
	uint16_t tag;
};

typedef void (*soft_arrival_fn)(const struct soft_arrival *arrival);
/* The interface went down, or was removed for good. */
typedef void (*soft_down_fn)(bool is_removed);

/* -EOPNOTSUPP: no interface is named; -EPERM: CAP_NET_RAW is required. Reports errors in one line. */
int soft_interface_get(void);
void soft_interface_put(void);
/*
 * Sends a frame gathered from pieces. -EAGAIN: retry later; -EMSGSIZE: longer than the interface accepts; -ENETDOWN: it
 * is lost; -ENXIO: the interface was removed.
 */
int soft_interface_send(const struct iovec *pieces, uint32_t count);
/* Calls `handler` for each received frame, in a separate thread, and `down` there, too; further calls do nothing. */
int soft_interface_listen(soft_arrival_fn handler, soft_down_fn down);
/*
 * Lets in frames that an adapter would filter: type is one of PACKET_MR_* of <linux/if_packet.h>. If there are many
 * addresses already, *type becomes the one that accepts all of them. Each join needs one leave, with that type.
 */
int soft_interface_join(uint16_t *type, const uint8_t *address);
void soft_interface_leave(uint16_t type, const uint8_t *address);
void soft_interface_close(void); /* even if it is still used */
void soft_interface_reset(void); /* in a forked child */
