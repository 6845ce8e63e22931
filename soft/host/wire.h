/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Messages between two processes on the service thread's socket (SOCK_SEQPACKET): one request per connection, answered
 * with descriptors. A WIRE_CONNECT connection stays open afterwards: its end means the end of the peer, and the
 * initiator sends notices on it.
 */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#define WIRE_MAGIC	0x74666f7374667270ull /* "prftsoft" */
#define WIRE_TIMEOUT_MS 5000		      /* for an answer: the other side may be stopped, or starved of CPU */

/*
 * The service thread answers all of these, also while it waits for other processes: CONNECT, which needs no lock, at
 * any time; the others unless it holds soft_self.lock, in which case it answers when it is back in poll().
 */
enum wire_kind {
	WIRE_CONNECT, /* descriptors: control file, data file */
	WIRE_REGION,  /* number: key. descriptor: the file, unless a = WIRE_SYSV */
	WIRE_CHANNEL, /* number: channel. descriptor: its eventfd */
	WIRE_DEMAND,  /* number: key of an implicit region. Its pages are in the data file when the answer arrives */
};

struct wire_request {
	uint64_t magic;
	uint32_t version; /* LAYOUT_VERSION */
	uint32_t kind;	  /* enum wire_kind */
	uint32_t slot;	  /* of the sender */
	uint32_t instance;
	uint32_t number;
	uint32_t writes; /* WIRE_DEMAND: the memory is to be written */
	uint64_t addr;	 /* WIRE_DEMAND: of the first page */
	uint64_t length; /* WIRE_DEMAND: bytes */
};

struct wire_reply {
	uint64_t magic;
	uint32_t version;
	int32_t error; /* 0 or a negative errno */
	uint32_t slot;
	uint32_t instance;
	uint64_t offset;    /* WIRE_REGION: of the region's first byte in the file or segment */
	uint64_t page_size; /* WIRE_REGION: the mapping's offset must be a multiple of this */
	int64_t sysv_id;    /* WIRE_REGION: shmid, -1 if a descriptor was sent */
};

/* Notices from an initiator to the owner of the objects that it changed. */
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

#define REPLY_FDS 2 /* maximum number of descriptors in an answer */

/*
 * `waiting` is called every few milliseconds by a thread that waits for an answer, or for the lock of a thread that
 * does. It returns true if that thread is the one that answers other processes.
 */
void soft_slot_set_waiting(bool (*waiting)(void));
/* Takes the lock; the thread that answers others keeps answering while it waits. */
void soft_slot_lock_take(pthread_mutex_t *lock);

/*
 * 0: the caller owns `wanted` descriptors and the connection, which is closed if that is NULL. instance 0: any process.
 * -ETIMEDOUT: it is stopped.
 */
int soft_slot_request(uint32_t slot, uint32_t instance, struct wire_request request, struct wire_reply *reply, int *fds,
		      unsigned int wanted, int *connection);

/*
 * Reports on stderr that a resource limit keeps us from mapping a peer: verbs cannot express this, and only show a peer
 * that does not respond. Other errors mean that the peer does not exist, which a program learns by sending to it.
 */
void soft_slot_limit_report(uint32_t slot, int err);
