/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * HPE's cxi_send_bw as the peer: its messages as those of channel.h, and how the sides meet. Called by handshake.c.
 *
 * Client and server exchange name, version, options and address, in this order: the client sends, the server receives
 * and answers. Then come empty messages, each of which waits for the other's: when both are ready, and for each size
 * before it and after its last list; and after that the result of the size. HPE's program waits for 5 s at most, except
 * until the other is ready, and ends without a word if it does not like what it gets.
 */
#pragma once

#include "cxi/control/channel.h"
#include "cxi/parameters.h"

#define HPE_HEADER_SIZE 4
#define HPE_MAX_PAYLOAD 1020
#define HPE_MAX_SIZE	(HPE_HEADER_SIZE + HPE_MAX_PAYLOAD)
#define HPE_NAME	"cxi_send_bw" /* the first message of both sides, with its NUL */
/* The second one of a client of this suite: a version that HPE's server accepts, and what shows ours who it is. */
#define HPE_OUR_VERSION	 "2.4.0 of perftest"
#define HPE_OPTIONS_SIZE 129
#define HPE_ADDRESS_SIZE 8
#define HPE_RESULT_SIZE	 16

enum hpe_stage {
	HPE_MORE,    /* not enough has arrived */
	HPE_NATIVE,  /* frames of this suite */
	HPE_MARKED,  /* it begins as HPE's does, but is of this suite: frames follow */
	HPE_NAMED,   /* server: the client has sent its name, and waits for that of the server */
	HPE_GREETED, /* it is HPE's, of this version */
	HPE_UNKNOWN, /* it is something else */
};

/*
 * What a side has sent first, as far as it has arrived: judges the first message, and removes it if it is one of HPE's.
 * has_name: name came before. version: set with HPE_GREETED. fault: set with HPE_UNKNOWN.
 */
enum hpe_stage hpe_receive(struct conn *conn, bool has_name, char version[HPE_VERSION_SIZE], const char **fault);

/* The first bytes of a client of this suite, which a server of HPE answers like those of its own. 0 or -errno. */
int hpe_call(struct conn *conn, struct deadline deadline);
/* The server's answers to the client's name and to the mark; they do not wait. 0 or -errno. */
int hpe_post_name(struct conn *conn);
int hpe_post_mark(struct conn *conn);

/*
 * After the greetings: options and addresses. address: of this side, the transport's, known before there are buffers.
 * On the server, params adopts the client's options. 0 or -errno, reported.
 */
int hpe_introduce_client(struct cxi_channel *channel, const struct cxi_params *params,
			 const struct cxi_address *address);
int hpe_introduce_server(struct cxi_channel *channel, struct cxi_params *params, const char *version,
			 const struct cxi_address *address);

/*
 * --- hpe_wire.c: its messages, without I/O. One is the length of its payload, 4 bytes, and the payload, at most
 * HPE_MAX_PAYLOAD bytes; numbers are little-endian, as its structures are on hosts with its NIC. Messages do not say
 * what they are: it follows from their order, which hpe.c keeps. ---
 */

/* Returns the size of the message. */
size_t hpe_encode(const void *payload, size_t length, uint8_t bytes[HPE_MAX_SIZE]);
/*
 * The payload of the first message of what was received. 1: it is complete, and *length bytes long; 0: not yet;
 * -EPROTO: it is none.
 */
int hpe_peek(const uint8_t *bytes, size_t count, const uint8_t **payload, size_t *length);

/* Is the payload this text with its NUL? */
bool hpe_is_text(const uint8_t *payload, size_t length, const char *text);
/* A version, "2.4.0": 0, or -EPROTO if it is not one, or too long. */
int hpe_decode_version(const uint8_t *payload, size_t length, char version[HPE_VERSION_SIZE]);
/* Do both have the same two numbers in front? HPE's program compares no more. */
bool hpe_versions_agree(const char *version, const char *other);

/* The options that both sides share and those of this side. gpu_type: of its GPU; GPU_AUTO without one. */
void hpe_encode_options(const struct cxi_params *params, int gpu_type, uint8_t payload[HPE_OPTIONS_SIZE]);
/*
 * text: the client's shared options, for cxi_options_adopt(), which checks their values; memory: where the peer's
 * buffers are. 0, or -EPROTO and a sentence; NULL for what is not needed.
 */
int hpe_decode_options(const uint8_t *payload, size_t length, char text[CXI_OPTIONS_SIZE], struct cxi_memory *memory,
		       const char **fault);

/* Between the bytes of NIC and PID there and in an address of ours, of which they are the first two words. */
void hpe_encode_address(const struct cxi_address *address, uint8_t payload[HPE_ADDRESS_SIZE]);
void hpe_decode_address(const uint8_t payload[HPE_ADDRESS_SIZE], struct cxi_address *address);

/* list: sends of a list. A result has the sends of whole lists, and microseconds. */
void hpe_encode_result(const struct cxi_sent *sent, uint32_t list, uint8_t payload[HPE_RESULT_SIZE]);
/* 0, or -EPROTO and a sentence. */
int hpe_decode_result(const uint8_t payload[HPE_RESULT_SIZE], uint32_t list, struct cxi_sent *sent, const char **fault);
