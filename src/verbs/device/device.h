/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The device, port and address of a test: how they are chosen, and their limits. Failures are reported here, with what
 * was requested and what is available.
 */
#pragma once

#include <infiniband/verbs.h>
#include <net/if.h>
#include <stdbool.h>
#include <stdint.h>

#include "util/endpoint.h"
#include "verbs/device/software.h"
#include "verbs/verbs_config.h"

struct direct_set;	/* direct_library.h */
struct hardware;	/* hardware.h */
struct device_identity; /* util/device_identity.h */
struct payload_path;	/* traffic/payload_limit.h */

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
	unsigned gid_ifindex;	   /* of the GID's network interface; 0: unknown */
	int numa_node;		   /* of the device; -1: unknown */
	bool is_software;	   /* a device of libperftest_soft: results reflect this host's memory system */
	struct direct_set *direct; /* functions of its provider's library; owned with the context */
	/*
	 * Dual port: what the second half of the QPs uses: another port of the device (with the same context, which is
	 * not owned by it) or another device. NULL if there is none. Not owned.
	 */
	const struct device *second;
};

/* 0, -ENODEV (no device, or none of that name), -EINVAL, or the errno of verbs. */
int device_open(struct device *device, const struct verbs_config *config);
void device_close(struct device *device);
/*
 * Of devices of which the user names none, a test takes the first with the lowest rank. 0: its port is up; 1: it is
 * down, as that of a card's second function without a cable; from 2 on, if the test does not send frames: it has no
 * GIDs, as mana's manae_0, which only sends frames. root: "/sys".
 */
unsigned device_rank(const char *root, const char *name, unsigned port, bool frames);
/* Is it an RNIC, whose connections are those of iWARP? The device is open. */
bool device_is_iwarp(const struct device *device);
/*
 * Dual port: opens the second of the two devices in the configuration, or the other port of the first device (port 2,
 * or 1 if the first uses 2). met as in device_choose_address(). Closed by device_close_second(), before the first one.
 */
int device_open_second(struct device *second, const struct device *first, const struct verbs_config *config,
		       const struct addresses *met);
void device_close_second(struct device *second, const struct device *first);
/*
 * What is known of a device that another library has opened, as librdmacm, which goes on to own the context. What
 * cannot be found out is zero.
 */
void device_inspect(struct device *device, struct ibv_context *context, uint8_t port);
/*
 * The network interface of its GID; "": none, or one of another network namespace, even if one here has that name.
 * Returns name.
 */
const char *device_netdev(const struct device *device, char name[IF_NAMESIZE]);
/* Its hardware, with the port's effective rate. */
void device_hardware(const struct device *device, struct hardware *hardware);
/* What its link and PCIe are to messages. The transport, whose wire this fills in, is set; MTU and messages are left.
 */
void device_payload_path(const struct device *device, struct payload_path *path);
/* All but the kind of memory. */
void device_identify(const struct device *device, struct device_identity *identity);
/*
 * Chooses link layer and GID by -x, --ipv6, --force-link and the peer's address. device_open() has called it with met
 * NULL, so that errors show immediately; once the sides are connected, cm_choose_address() (cm.h) calls it again with
 * the agreed parameters, with -R possibly for another device. 0 or -errno, reported.
 */
int device_choose_address(struct device *device, const struct verbs_config *config, const struct addresses *met);
/* The path MTU that this side offers, bytes: -m, at most the port's active MTU. */
uint32_t device_mtu(const struct device *device, const struct verbs_config *config);
/*
 * The largest message that the device can carry in this test: the MTU on UD, else the port's limit. If an explicit -s
 * is larger, that is an error, -EMSGSIZE, except for raw frames; otherwise the caller clips to *max.
 */
int device_max_message(const struct device *device, const struct verbs_config *config, uint64_t *max);
