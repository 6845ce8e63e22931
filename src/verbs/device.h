/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The device, port and address of a test: which they are, and what they allow. Failures are reported here, with what
 * was asked for and what there is.
 */
#ifndef VERBS_DEVICE_H
#define VERBS_DEVICE_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>

#include "util/addresses.h"
#include "util/endpoint.h"
#include "verbs/software.h"
#include "verbs/verbs_config.h"

struct device {
	struct ibv_context *context;
	struct ibv_device_attr attr;
	struct ibv_port_attr port_attr;
	uint8_t port;
	char name[64];
	bool ethernet; /* link layer, or --force-link */
	int gid_index; /* -1: LID routing */
	union ibv_gid gid;
	enum gid_kind gid_kind;
	unsigned gid_ifindex; /* of the GID's network interface; 0: not known */
	int numa_node;	      /* of the device; -1 unknown */
	bool is_software;     /* a device of libperftest_soft: figures are this host's memory system */
	bool datagrams_only;  /* it has no queue pairs that are connected */
	bool signals_all;     /* it takes no request that asks for no completion */
	/*
	 * Dual port: what the second half of the queue pairs goes by, another port of the device (of the same context,
	 * which is not its own) or another device. NULL: there is none. Not owned.
	 */
	const struct device *second;
};

/* 0, -ENODEV (no device, or no device of that name), -EINVAL, or the errno of verbs. */
int device_open(struct device *device, const struct verbs_config *config);
void device_close(struct device *device);
/*
 * Dual port: the second of two devices that the configuration names, or the other port of the first one: 2, or 1 where
 * the first has 2. met as in device_choose_address(). It is closed by device_close_second(), before the first.
 */
int device_open_second(struct device *second, const struct device *first, const struct verbs_config *config,
		       const struct addresses *met);
void device_close_second(struct device *second, const struct device *first);
/* "mlx5_0", or "mlx5_0,mlx5_1" of two. Returns text. */
const char *device_names(const struct device *device, char *text, size_t size);
/*
 * Link layer and GID by -x, --ipv6, --force-link and where the other side is. device_open() has done
 * it without the last (met is NULL), so that what can't work fails at once; it is done again with the agreed
 * parameters once both have met, by cm_choose_address() (cm.h): with -R that may be another device. 0 or -errno,
 * reported.
 */
int device_choose_address(struct device *device, const struct verbs_config *config, const struct addresses *met);
/* The path MTU that this side offers, bytes: -m, at most the port's active MTU. */
uint32_t device_mtu(const struct device *device, const struct verbs_config *config);
/*
 * The largest message that the device can carry in this test: the MTU on UD, else the port's
 * limit. An explicit -s above it is an error, -EMSGSIZE, but for frames; otherwise the caller clips to *max.
 */
int device_max_message(const struct device *device, const struct verbs_config *config, uint64_t *max);

#endif
