/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What does an initiator tell the owner of the objects that it changed? Short messages on the connection to its service
 * thread, which hands them to what process.c named; at once where the owner is this process.
 */
#ifndef SOFT_NOTICE_H
#define SOFT_NOTICE_H

#include <stdint.h>

struct soft_peer;

enum notice_kind {
	NOTICE_QP_ERROR,    /* an initiator's request put queue pair `qpn` into ERR */
	NOTICE_ESTABLISHED, /* first message in RTR */
	NOTICE_CQ_OVERRUN,  /* a completion found no room in CQ `index` */
	NOTICE_SRQ_LIMIT,   /* receive queue `index` has fewer requests than its limit */
	NOTICE_BLOCKED,	    /* the lock of receive queue `index` can't be had */
	NOTICE_EVENT,	    /* CQ `index` needs an event, and the initiator could not get at its channel */
};

struct notice {
	uint32_t kind;
	uint32_t number; /* queue pair number or CQ index */
	uint32_t event;	 /* enum ibv_event_type for NOTICE_QP_ERROR, or NOTICE_SILENT */
};

#define NOTICE_SILENT 0xffffffffu

/* Who handles what is told to this process: set before the first can come. */
void soft_notice_set_handler(void (*handler)(const struct notice *notice));
void soft_notice_take(const struct notice *notice);
/* To the process that owns the peer. */
void soft_notice_send(struct soft_peer *peer, uint32_t kind, uint32_t number, uint32_t event);

#endif
