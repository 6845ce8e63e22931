/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Notices from an initiator to the owner of the objects that it changed: short messages on the connection to the
 * owner's service thread, which passes them to the handler set by process.c. If the owner is this process, the handler
 * is called directly.
 */
#pragma once

#include <stdint.h>

struct soft_peer;

enum notice_kind {
	NOTICE_QP_ERROR,    /* an initiator's request put queue pair `qpn` into ERR */
	NOTICE_ESTABLISHED, /* first message in RTR */
	NOTICE_CQ_OVERRUN,  /* a completion found no room in CQ `index` */
	NOTICE_SRQ_LIMIT,   /* receive queue `index` has fewer requests than its limit */
	NOTICE_EVENT,	    /* CQ `index` needs an event, and the initiator could not open its channel */
};

struct notice {
	uint32_t kind;
	uint32_t number; /* queue pair number or CQ index */
	uint32_t event;	 /* enum ibv_event_type for NOTICE_QP_ERROR, or NOTICE_SILENT */
};

#define NOTICE_SILENT 0xffffffffu

/* Sets the handler of notices to this process; called before the first can arrive. */
void soft_notice_set_handler(void (*handler)(const struct notice *notice));
void soft_notice_take(const struct notice *notice);
/* Sends a notice to the peer's process. */
void soft_notice_send(struct soft_peer *peer, uint32_t kind, uint32_t number, uint32_t event);
