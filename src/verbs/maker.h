/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * QPs that a provider's library creates, which is opened at run time: those of transports that verbs does not have, and
 * those of other transports with features that verbs lacks. A row for each, in the file of the transport or provider.
 */
#pragma once

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "traffic/transport.h"
#include "verbs/verbs_config.h"

struct device;
struct resources;
struct qp_steps;   /* verbs/qp/qp_row.h */
struct wr_address; /* verbs/queue.h */

/* As ibv_create_qp_ex(). row: of the kind of QP. */
typedef struct ibv_qp *qp_create_fn(const struct device *device, const struct verbs_config *config,
				    struct ibv_qp_init_attr_ex *attr, const struct qp_steps *row);

struct qp_maker {
	/* Does the device support what the test needs? 0 or -errno, reported. */
	int (*check)(const struct device *device, const struct verbs_config *config);
	/* The largest RDMA transfer in bytes; 0: not supported, reported. NULL: the port's largest message. */
	uint64_t (*memory_limit)(const struct device *device);
	/* On-demand paging capabilities, enum ibv_odp_transport_cap_bits. NULL: query verbs. */
	uint32_t (*paging)(const struct device *device);
	/* Receives of a QP. NULL, or 0 returned: what verbs says. */
	uint32_t (*most_receives)(const struct device *device);
	/* READs and atomics in flight on a QP. NULL, or 0 returned: what verbs says. */
	uint32_t (*most_outs)(const struct device *device);
	/* Receives of a QP that consumes them out of order; 0: not supported. NULL: no provider has such QPs. */
	uint32_t (*most_unordered)(const struct device *device, const struct transport_traits *transport);
	/* Attributes that the device needs in RTS in addition to those of the QP type. NULL: none. */
	int (*rts_mask)(const struct device *device);
	qp_create_fn *create;
	/* The provider's counterpart of ibv_qp_ex for this QP; NULL: none. */
	void *(*extension)(const struct device *device, struct ibv_qp_ex *qpx);
	/* Sets the destination of the request that is being built. */
	void (*set_address)(struct ibv_qp_ex *qpx, struct wr_address *address);
	uint64_t key; /* access key that requests carry */
};

extern const struct qp_maker maker_mlx5; /* dc.c */
extern const struct qp_maker maker_efa;	 /* srd.c */
/* Of features: only check and create, and of mlx5 most_unordered. */
extern const struct qp_maker maker_mlx5_features; /* --inline_recv, --use_ooo and --aes_xts: mlx5.c */
extern const struct qp_maker maker_hns;		  /* --congest_type: hns_qp.c */

/* What mlx5 has besides QPs. In a build without its headers: NULL. */
extern const struct mlx5_ops {
	/* ibv_create_cq_ex() for messages of up to `bytes`, at most 64, in a CQE; maker_mlx5_features has checked. */
	struct ibv_cq_ex *(*create_cq)(const struct device *device, struct ibv_cq_init_attr_ex *attr, uint32_t bytes);
	/*
	 * BlueFlame: bytes of a small request that the CPU writes to the device together with the doorbell. 0: none,
	 * and the device reads each request from memory, where the host has no write-combining (virtual machines, some
	 * virtual functions). Below 0: unknown, or another device.
	 */
	int (*doorbell_bytes)(const struct device *device, struct ibv_qp *qp);
} mlx5_ops;

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

/* --- the makers of a test --- */

/* Of the transport. NULL: verbs has it. */
static inline const struct qp_maker *qp_maker_of(const struct transport_traits *transport)
{
	switch (transport->maker) {
	case MADE_BY_MLX5:
		return &maker_mlx5;
	case MADE_BY_EFA:
		return &maker_efa;
	default:
		return NULL;
	}
}

/* Of the features that options ask for. NULL: none. */
static inline const struct qp_maker *qp_maker_of_features(const struct verbs_config *config)
{
	if (config->congestion)
		return &maker_hns;
	return config->inline_recv || config->out_of_order || config->crypto.is_used ? &maker_mlx5_features : NULL;
}
