/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What was asked for? The text that was written into /proc/krping, checked and taken apart.
 *
 * No call of the kernel's but number parsing, so that a unit test can run it in user space.
 */
#ifndef KRPING_COMMAND_H
#define KRPING_COMMAND_H

#include <linux/types.h>

#define KRPING_DEFAULT_SIZE	 64
#define KRPING_MAX_SIZE		 (4 << 20) /* bytes; what kmalloc gives in one piece everywhere */
#define KRPING_DEFAULT_TX_DEPTH	 64
#define KRPING_DEFAULT_TIMEOUT_S 30
#define KRPING_MAX_TEXT		 4000	    /* bytes of one command */
#define KRPING_MAX_CLIENTS	 1024	    /* of one server, at once */
#define KRPING_DEFAULT_MEMORY	 (64 << 20) /* bytes, of all clients at once whose size is their own choice */

/* One bit of krping_command.given each. They travel (docs/krping.md): a new one comes last. */
enum krping_option {
	KRPING_CLIENT,
	KRPING_SERVER,
	KRPING_ADDR,
	KRPING_ADDR6,
	KRPING_PORT,
	KRPING_COUNT,
	KRPING_SIZE,
	KRPING_VERBOSE,
	KRPING_VALIDATE,
	KRPING_MEM_MODE,
	KRPING_SERVER_INV,
	KRPING_LOCAL_DMA_LKEY,
	KRPING_READ_INV,
	KRPING_WLAT,
	KRPING_RLAT,
	KRPING_POLL,
	KRPING_BW,
	KRPING_DUPLEX,
	KRPING_TX_DEPTH,
	KRPING_TIMEOUT,
	KRPING_CLIENTS,
	KRPING_LABEL,
	KRPING_TOS,
	KRPING_MEMORY,
	KRPING_OPTIONS,
};

struct krping_command {
	unsigned long given; /* bit n: option n was there; for a word without operand that is all there is to know */
	u64 port;
	u64 count;	  /* iterations, or writes with bw; 0: until a signal */
	u64 size;	  /* bytes */
	u64 tx_depth;	  /* writes in flight with bw */
	u64 timeout_s;	  /* of every wait for the peer */
	u64 clients;	  /* that the server serves; 0: any number, until a signal */
	u64 tos;	  /* type of service of the client's connection, and so of both directions */
	u64 memory;	  /* bytes that the buffers of a server's clients may take together */
	bool dma;	  /* mem_mode=dma */
	char address[64]; /* of the server, as text */
	char label[32];	  /* what the caller calls this run in the results */
};

struct krping_reason {
	char text[160];
};

static inline bool krping_has(const struct krping_command *command, enum krping_option option)
{
	return command->given & (1UL << option);
}

/* Name of an option, NULL behind the last one. */
const char *krping_option_name(unsigned int option);
/* What is measured: "ping", "wlat", "rlat" or "bw". */
const char *krping_test_name(const struct krping_command *command);
/*
 * 0 or -EINVAL with the reason. `text` is cut into pieces; it ends with a NUL and has `length` bytes before
 * that, of which a last newline does not count.
 */
int krping_command_parse(struct krping_command *command, char *text, size_t length, struct krping_reason *reason);
/*
 * What a server takes over from a client: the flags of `offered` and its size and count. -EINVAL with the reason
 * where they contradict what the server was told.
 */
int krping_command_adopt(struct krping_command *command, unsigned long offered, u64 size, u64 count,
			 struct krping_reason *reason);
/* Bytes of the buffers that an endpoint with this command has: a source and a sink. */
u64 krping_command_memory(const struct krping_command *command);
/* May a server with this command take one more client, that wants so many bytes beside those that are in use? */
bool krping_command_affords(const struct krping_command *command, u64 in_use, u64 wanted);
/*
 * What a peer has sent, up to its first NUL, as text that can be shown: what is not printable ASCII stands as \xNN.
 * Cut off where it does not fit. Returns text.
 */
const char *krping_show(char *text, size_t size, const char *data, size_t length);
/* Flags that travel from client to server. */
unsigned long krping_command_offer(const struct krping_command *command);

#endif
