/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * --aes_xts: data is encrypted on its way between memory and wire; --sig_offload: on the wire each block of data is
 * followed by a signature, which the one side makes, and the other one checks and takes away. By adapters of mlx5: what
 * requests and the peer name are then keys of the adapter's, made over the registered regions, one for each queue pair
 * and half of the buffer, in which addresses count from zero (mlx5dv_wr_set_mkey_crypto(3),
 * mlx5dv_wr_set_mkey_sig_block(3)). Each message begins at zero, as blocks do. The order:
 *
 *   open()       the device, as such keys need it
 *   check()      before any queue is made
 *   make()       once regions are registered: the peer is told of the keys
 *   configure()  by requests of the queue pairs, once they are connected and before anything else is posted
 *   verify()     once all messages have arrived: was each signature right?
 *
 * Called by device.c, provider_qp.h's users and perftest_resources.c. Never run on an adapter that has it; the software
 * device has signatures.
 */
#ifndef VERBS_MKEY_H
#define VERBS_MKEY_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "verbs/verbs_config.h"

struct device;
struct resources;

#define MKEY_INLINE_BYTES 512 /* that requests of configure() take of a send queue's entry, as what is inline does */
#define MKEY_SIGNED_BLOCK 512 /* bytes of data in front of each signature */
#define MKEY_SIGNATURE	  8   /* bytes, T10-DIF */

static inline bool mkey_is_used(const struct verbs_config *config)
{
	return config->crypto.is_used || config->signs;
}

/* What requests say that are to move so many bytes of memory. */
static inline uint64_t mkey_wire_bytes(const struct verbs_config *config, uint64_t bytes)
{
	return config->signs ? bytes / MKEY_SIGNED_BLOCK * (MKEY_SIGNED_BLOCK + MKEY_SIGNATURE) : bytes;
}

/* Of one queue pair, by half; 0 where there is none. */
struct mkey_keys {
	uint32_t send_lkey;
	uint32_t recv_lkey;
	uint32_t recv_rkey;
};

struct mkey_ops {
	/* As ibv_open_device(). */
	struct ibv_context *(*open)(struct ibv_device *device);
	int (*check)(const struct device *device, const struct verbs_config *config); /* 0, or -errno, reported */
	int (*make)(struct resources *resources);				      /* likewise */
	int (*configure)(struct resources *resources);				      /* likewise */
	int (*verify)(struct resources *resources); /* likewise; -EBADMSG: a signature was wrong */
	void (*close)(struct resources *resources); /* also of what was never made, and twice */
};

extern const struct mkey_ops mkey_ops;

/* --- files of keys, which the adapter takes wrapped --- */

#define MKEY_WRAPPED_SIZE 128 /* of a data encryption key, the most */
#define MKEY_CREDENTIAL	  48

/*
 * Bytes in hexadecimal, with or without 0x, apart by blanks or lines. *length: how many there are, at most size. 0, or
 * -errno, reported with what.
 */
int mkey_file_read(const char *path, const char *what, uint8_t *bytes, size_t size, size_t *length);
/*
 * Runs the program PROGRAM KEK_PATH FILE, which writes a wrapped key into FILE, and reads it. 0, or -errno, reported.
 */
int mkey_file_generate(const struct crypto_config *crypto, uint8_t *bytes, size_t size, size_t *length);

#endif
