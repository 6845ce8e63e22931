/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The messages between both sides of cxi_send_bw: pure codecs over bounded frames, without I/O. A format of this suite,
 * not that of HPE's program, which puts a packed struct of the host on the wire.
 *
 * A frame is a header of 12 bytes and a payload; numbers are big-endian:
 *
 *	0   4  "PFXB"
 *	4   2  version of the format
 *	6   2  type
 *	8   4  bytes of the payload, at most CXI_FRAME_MAX_PAYLOAD
 *
 * A payload is the fields of its type's row in wire.c, one after the other, and nothing behind them: numbers of 2, 4 or
 * 8 bytes, texts and bytes with their length in 2 bytes before them.
 */
#ifndef CXI_WIRE_H
#define CXI_WIRE_H

#include <stddef.h>
#include <stdint.h>

#include "cxi/ops.h"
#include "cxi/parameters.h"

#define CXI_WIRE_VERSION      1
#define CXI_FRAME_HEADER_SIZE 12
#define CXI_FRAME_MAX_PAYLOAD 4096
#define CXI_FRAME_MAX_SIZE    (CXI_FRAME_HEADER_SIZE + CXI_FRAME_MAX_PAYLOAD)

#define CXI_NAME_SIZE	 80
#define CXI_REFUSAL_SIZE 512

enum cxi_frame_type {
	CXI_FRAME_HELLO = 1, /* both, first of all */
	CXI_FRAME_OPTIONS,   /* the client's, right behind its hello */
	CXI_FRAME_ADDRESS,   /* both */
	CXI_FRAME_BARRIER,   /* both; each waits for the other's */
	CXI_FRAME_ALIVE,     /* four times a second while something is waited for or measured */
	CXI_FRAME_RESULT,    /* both: this side starts no more lists of this size */
	CXI_FRAME_CHECKED,   /* both: all that was under way for this size has arrived */
	CXI_FRAME_REFUSAL,   /* the last one: why this side ends */
	CXI_FRAME_TYPES,
};

struct cxi_hello {
	char program[CXI_NAME_SIZE];   /* "cxi_send_bw" */
	char version[CXI_NAME_SIZE];   /* of the suite, for messages only */
	char transport[CXI_NAME_SIZE]; /* "libcxi", or "libfabric tcp" */
};

/* Where a side's buffers are, for the other's banner. */
struct cxi_memory {
	char tx[CXI_NAME_SIZE], rx[CXI_NAME_SIZE]; /* "System", "GPU 0" */
	char gpu[CXI_NAME_SIZE];		   /* "NVIDIA"; "": there is none */
};

struct cxi_introduction {
	struct cxi_address address;
	struct cxi_memory memory;
};

/* Of one side and one size. */
struct cxi_sent {
	uint64_t started;    /* lists that it has begun to send */
	uint64_t finished;   /* of them those of whole iterations, which count; at most started */
	uint64_t elapsed_ns; /* until the last of these was over */
};

struct cxi_checked {
	uint64_t messages; /* that were looked at */
	uint64_t wrong;	   /* of them; at most messages */
};

struct cxi_frame {
	uint16_t type; /* enum cxi_frame_type */
	union {
		struct cxi_hello hello;
		char options[CXI_OPTIONS_SIZE];
		struct cxi_introduction introduction;
		uint32_t barrier; /* its number, counted from 0 */
		struct cxi_sent sent;
		struct cxi_checked checked;
		char refusal[CXI_REFUSAL_SIZE];
	};
};

struct cxi_frame_header {
	uint16_t type;
	uint32_t length; /* of the payload */
};

/* "hello", for messages. */
const char *cxi_frame_name(uint16_t type);

/* Bytes of the whole frame. */
size_t cxi_frame_encode(const struct cxi_frame *frame, uint8_t bytes[CXI_FRAME_MAX_SIZE]);

/*
 * From outside: bytes that have come, any number of them. 0; -EAGAIN: too few to tell; or -EPROTO and a
 * sentence. What can't be a frame is known by its first bytes.
 */
int cxi_frame_decode_header(const uint8_t *bytes, size_t count, struct cxi_frame_header *header, const char **fault);
/* The payload of a header that was decoded. 0, or -EPROTO. */
int cxi_frame_decode(const struct cxi_frame_header *header, const uint8_t *payload, struct cxi_frame *frame,
		     const char **fault);
/*
 * The first frame of what has come. 1: it is whole, and *size bytes long; 0: it is not yet; -EPROTO and a sentence, and
 * frame->type is what is known of it, for cxi_frame_name().
 */
int cxi_frame_peek(const uint8_t *bytes, size_t count, struct cxi_frame *frame, size_t *size, const char **fault);

#endif
