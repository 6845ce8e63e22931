/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * --aes_xts: data is encrypted between memory and wire. On mlx5 adapters: requests and the peer then use mkeys, which
 * are created over the registered regions, one for each QP and half of the buffer, and in which addresses start at zero
 * (mlx5dv_wr_set_mkey_crypto(3)). Each message starts at address zero, as blocks do. Calls, in order:
 *
 *   open()       the device, in the mode that mkeys need
 *   check()      before any queue is created
 *   make()       once regions are registered, since the peer is sent the mkeys
 *   configure()  with requests on the QPs, once they are connected and before anything else is posted
 *
 * Called by device.c, the users of maker.h, and perftest_resources.c. Never run on an adapter; tests/provider
 * runs the calls through libmlx5.
 */
#pragma once

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "verbs/verbs_config.h"

struct device;
struct resources;

#define MKEY_INLINE_BYTES 512 /* that requests of configure() use of a send queue entry, like inline data */

/* Of one QP, for each half of the buffer; 0: none. */
struct mkey_keys {
	uint32_t send_lkey;
	uint32_t recv_lkey;
	uint32_t recv_rkey;
};

struct mkey_ops {
	/* As ibv_open_device(). This, and all after check(): NULL if the build has no mkeys, which check() reports. */
	struct ibv_context *(*open)(struct ibv_device *device);
	int (*check)(const struct device *device, const struct verbs_config *config); /* 0, or -errno, reported */
	int (*make)(struct resources *resources);				      /* likewise */
	int (*configure)(struct resources *resources);				      /* likewise */
	void (*close)(struct resources *resources);
};

extern const struct mkey_ops mkey_ops;

/* --- key files; the adapter expects wrapped keys --- */

#define MKEY_WRAPPED_SIZE 128 /* upper bound for a wrapped data encryption key */
#define MKEY_CREDENTIAL	  48

/*
 * Reads bytes in hexadecimal, with or without 0x, separated by blanks or newlines. *length: their number, at most size.
 * 0, or -errno, reported with what.
 */
int mkey_file_read(const char *path, const char *what, uint8_t *bytes, size_t size, size_t *length);
/* Runs PROGRAM KEK_PATH FILE, which writes a wrapped key into FILE, and reads that. 0, or -errno, reported. */
int mkey_file_generate(const struct crypto_config *crypto, uint8_t *bytes, size_t size, size_t *length);
