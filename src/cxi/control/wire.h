/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The messages between the sides of cxi_send_bw (net/message.h), besides those that all programs have. Those of HPE's
 * program, which sends a packed struct of the host, are in hpe.h.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "cxi/ops.h"
#include "cxi/parameters.h"
#include "net/message.h"
#include "util/device_identity.h"
#include "util/run_id.h"

#define CXI_FRAME_MAX_PAYLOAD 4096
#define CXI_FRAME_MAX_SIZE    (MESSAGE_HEADER_SIZE + CXI_FRAME_MAX_PAYLOAD)

#define CXI_NAME_SIZE 80

#define CXI_SYSTEM_MEMORY "System" /* in the banner of both sides */

enum cxi_frame_type {
	CXI_FRAME_CHECKED = MESSAGE_OWN, /* both: everything that was in flight for this size has arrived */
	CXI_FRAME_WAIT, /* before a barrier: how many others this side waits for (--clients, several servers) */
	CXI_FRAME_TYPES,
	/* HPE's program only: it starts no more lists of this size, and its RESULT follows when this side has sent its
	   own */
	CXI_FRAME_OVER = CXI_FRAME_TYPES,
};

struct cxi_hello {
	char transport[CXI_NAME_SIZE];	/* "libcxi", or "libfabric tcp" */
	struct run_id run_id;		/* the client's; a server repeats it */
	uint32_t gathers;		/* 1: this side starts several pairs together */
	char options[CXI_OPTIONS_SIZE]; /* the client's; a server leaves them out */
};

/* The location of a side's buffers, for the other's banner. */
struct cxi_memory {
	char tx[CXI_NAME_SIZE], rx[CXI_NAME_SIZE]; /* "System", "GPU 0" */
	char gpu[CXI_NAME_SIZE];		   /* "NVIDIA"; "": none */
};

struct cxi_introduction {
	struct cxi_address address;
	struct cxi_memory memory;
	/* for the other's document; "" of HPE's program */
	char version[CXI_NAME_SIZE]; /* "7.0" */
	char provenance[PROVENANCE_SIZE];
};

/* What one side has sent for one size. */
struct cxi_sent {
	uint64_t started;    /* lists that were started */
	uint64_t finished;   /* those in whole iterations, which count; at most started */
	uint64_t elapsed_ns; /* until the last of these was complete */
};

struct cxi_checked {
	uint64_t messages; /* that were checked */
	uint64_t wrong;	   /* with errors; at most messages */
};

/* A message is what its type says: the union has offset 0. */
struct cxi_frame {
	union {
		struct cxi_hello hello;
		struct cxi_introduction introduction;
		uint32_t barrier; /* number, from 0 */
		uint32_t missing;
		enum series_vote vote;
		struct cxi_sent sent;
		struct cxi_checked checked;
		char refusal[MESSAGE_REASON_SIZE];
		char facts[MESSAGE_FACTS_SIZE];
	};
	uint16_t type; /* enum message_type, cxi_frame_type */
};

extern const struct message_protocol cxi_messages;

/* "System", "GPU 0"; gpu: index, or CXI_NO_GPU. */
void cxi_memory_name(char name[CXI_NAME_SIZE], int gpu);

/* "options", for messages. */
static inline const char *cxi_frame_name(uint16_t type)
{
	return message_noun(&cxi_messages, type);
}

/* Returns the size of the whole frame. */
static inline size_t cxi_frame_encode(const struct cxi_frame *frame, uint8_t bytes[CXI_FRAME_MAX_SIZE])
{
	return message_encode(&cxi_messages, frame->type, frame, bytes, CXI_FRAME_MAX_SIZE);
}

/*
 * --- Can the counts and times that the peer reports for a size be true, by what this side has counted and by its own
 * clock? A row is computed from them, so that a peer with a fault must not get a row. Pure functions. ---
 */

/* What this side knows when the peer's result arrives. */
struct cxi_witness {
	bool peer_sends;
	uint64_t iters;	    /* of the peer, to be completed; 0: it has a duration */
	uint64_t window_ns; /* that duration; 0: it has a number of iterations */
	uint64_t responded; /* lists of the peer that this side has responded to */
	double since_s;	    /* since before the barrier, which the peer has passed after that */
	uint64_t least_ns;  /* from the arrival of its first list to this side's last response */
};

/* NULL, or what cannot be true about a result. */
const char *cxi_claim_sent(const struct cxi_witness *witness, const struct cxi_sent *sent);
/* The same for the peer's checks of the lists that this side started, each of `list` sends. */
const char *cxi_claim_checked(bool verifies, uint64_t lists, uint32_t list, const struct cxi_checked *checked);
