/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Parses and checks the command that was written to /proc/krping.
 *
 * Calls nothing of the kernel except number parsing, so that a unit test can run it in user space.
 */
#ifndef KRPING_COMMAND_H
#define KRPING_COMMAND_H

#include <linux/types.h>

#define KRPING_DEFAULT_SIZE	 64
#define KRPING_MAX_SIZE		 (4 << 20) /* bytes; kmalloc supports this much everywhere */
#define KRPING_DEFAULT_TX_DEPTH	 64
#define KRPING_DEFAULT_TIMEOUT_S 30
#define KRPING_MAX_TEXT		 4000	    /* bytes of one command */
#define KRPING_MAX_CLIENTS	 1024	    /* of one server at a time */
#define KRPING_DEFAULT_MEMORY	 (64 << 20) /* bytes, for all concurrent clients that choose their own size */

/* Each is one bit of krping_command.given. They are sent to the peer (docs/krping.md): add new ones at the end. */
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
	unsigned long given; /* bit n: option n was given; an option without operand has no other member */
	u64 port;
	u64 count;	  /* iterations, or writes with bw; 0: until a signal */
	u64 size;	  /* bytes */
	u64 tx_depth;	  /* writes in flight with bw */
	u64 timeout_s;	  /* of every wait for the peer */
	u64 clients;	  /* that the server serves; 0: any number, until a signal */
	u64 tos;	  /* type of service of the client's connection, and hence of both directions */
	u64 memory;	  /* bytes, limit for the buffers of all clients of a server */
	bool dma;	  /* mem_mode=dma */
	char address[64]; /* of the server, as text */
	char label[32];	  /* name of this run in the results */
};

struct krping_reason {
	char text[160];
};

static inline bool krping_has(const struct krping_command *command, enum krping_option option)
{
	return command->given & (1UL << option);
}

/* Name of an option, NULL after the last one. */
const char *krping_option_name(unsigned int option);
/* The kind of test: "ping", "wlat", "rlat" or "bw". */
const char *krping_test_name(const struct krping_command *command);
/*
 * 0 or -EINVAL with the reason. Modifies `text`, which ends with a NUL and has `length` bytes before that; a final
 * newline is ignored.
 */
int krping_command_parse(struct krping_command *command, char *text, size_t length, struct krping_reason *reason);
/*
 * What a server adopts from a client: the flags of `offered` and its size and count. -EINVAL with the reason if they
 * contradict the server's own options.
 */
int krping_command_adopt(struct krping_command *command, unsigned long offered, u64 size, u64 count,
			 struct krping_reason *reason);
/* Bytes of an endpoint's buffers with this command: a source and a sink. */
u64 krping_command_memory(const struct krping_command *command);
/* May a server with this command accept one more client, which needs `wanted` bytes besides those in use? */
bool krping_command_affords(const struct krping_command *command, u64 in_use, u64 wanted);
/* Only printable text; everything quoted in messages has passed this check. */
bool krping_is_plain(const char *text, size_t length);
/*
 * Converts data of a peer, up to its first NUL, to printable text: anything but printable ASCII becomes \xNN. Truncated
 * if it does not fit. Returns text.
 */
const char *krping_show(char *text, size_t size, const char *data, size_t length);
/* Flags that the client sends to the server. */
unsigned long krping_command_offer(const struct krping_command *command);

#endif
