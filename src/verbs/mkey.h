/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * --aes_xts: data is encrypted on its way between memory and wire, by adapters of mlx5. What requests and the peer name
 * are then keys of the adapter's, made over the registered regions, each with a data encryption key: one for each queue
 * pair and half of the buffer, in which addresses count from zero (mlx5dv_wr_set_mkey_crypto(3)). The order:
 *
 *   open()       the device, as such keys need it
 *   check()      before any queue is made
 *   make()       once regions are registered: the peer is told of the keys
 *   configure()  by requests of the queue pairs, once they are connected and before anything else is posted
 *
 * Called by device.c, provider_qp.h's users and perftest_resources.c. Never run on an adapter that has it.
 */
#ifndef VERBS_MKEY_H
#define VERBS_MKEY_H

#include <infiniband/verbs.h>
#include <stddef.h>
#include <stdint.h>

struct device;
struct resources;
struct verbs_config;
struct crypto_config; /* verbs/verbs_config.h */

#define MKEY_INLINE_BYTES 512 /* that requests of configure() take of a send queue's entry, as what is inline does */

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
