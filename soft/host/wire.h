/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What do two processes say to each other on the service thread's socket (SOCK_SEQPACKET)? One request per
 * connection, answered with descriptors. A WIRE_CONNECT connection stays open after that: its end is the
 * peer's, and the initiator sends notices on it (notice.h).
 */
#ifndef SOFT_WIRE_H
#define SOFT_WIRE_H

#include <stdint.h>

#define WIRE_MAGIC	0x74666f7374667270ull /* "prftsoft" */
#define WIRE_TIMEOUT_MS 5000		      /* for an answer: the other side may be stopped, or starved of CPU */

/*
 * All are answered by the service thread, also while it waits for other processes: CONNECT and ALIVE, which need no
 * lock, at any time, the others unless soft_self.lock is held just then; they are answered when it is back in its
 * poll().
 */
enum wire_kind {
	WIRE_CONNECT, /* descriptors: control file, data file */
	WIRE_REGION,  /* number: key. descriptor: the file, unless a = WIRE_SYSV */
	WIRE_CHANNEL, /* number: channel. descriptor: its eventfd */
	WIRE_DEMAND,  /* number: key of an implicit region. Its pages are in the data file when the answer comes */
	WIRE_ALIVE,   /* nothing: the reply itself says it */
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
	uint64_t offset;    /* WIRE_REGION: of the region's first byte in what was handed over */
	uint64_t page_size; /* WIRE_REGION: what the mapping's offset has to be a multiple of */
	int64_t sysv_id;    /* WIRE_REGION: shmid, -1 when a descriptor came */
};

#endif
