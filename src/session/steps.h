/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The steps of a test that session.c calls. */
#pragma once

#include "memory/gpu.h"
#include "memory/memory.h"
#include "session/state.h"

/* --- agree.c: how both ends agree on the parameters. --- */

/* Both ends greet, the client sends its parameters, and the server accepts or refuses them. 0 or -errno, reported. */
int session_agree(struct session *session);
/* Derives from the agreed parameters which side does what. */
void session_assign(struct session *session);

/*
 * agree.c, too:
 *
 * What of the request the device, the transport and the peer allow: the sizes of messages, the depths of the queues,
 * and how many messages share a completion. Settled once, for header, document, rules and loops.
 */

/* Once both sides have agreed and the device is known, before its objects are created. 0 or -errno, reported. */
int session_settle(struct session *session);
/* By the limits of the created objects, and again once they are connected: on UD the smaller MTU limits a message. */
void session_settle_limits(struct session *session);

/* --- frames.c: raw Ethernet: the frames that the options describe. --- */

/* For parameters that satisfy the rules. */
void session_complete_frames(struct params *params);
/* Checks that the headers fit, and limits session->largest to valid frame sizes. 0 or -EMSGSIZE, reported. */
int session_fit_frames(struct session *session);
/* Prints the frames that are sent and received. */
void session_report_frames(struct session *session);

/*
 * --- steering.c ---
 *
 * How long the device takes to create a steering rule: raw_ethernet_fs_rate's measurement, in place of measure.c's.
 */

/* Creates and destroys -n rules for each queue pair; with -D until the time is over. 0 or -errno, reported. */
int session_measure_steering(struct session *session);

/*
 * --- payload_path.c ---
 *
 * What do the messages of a test pass through on this side? The facts of traffic/payload_limit.h, from the device and
 * the parameters.
 */

/*
 * mtu: bytes. 0, or -EOPNOTSUPP, reported: -w or -y asks for a share of what is possible, and that is unknown here.
 * *path is always written.
 */
int payload_path_find(struct payload_path *path, const struct params *params, const struct device *device,
		      uint32_t mtu);

/* --- affinity.c: CPUs and NUMA nodes. --- */

/* Applies --pin_cores or --numa_node, or binds to the device's NUMA node. 0 or -errno, reported. */
int session_bind_cpus(const struct params *params, const struct device *device);

/*
 * Chooses a CPU for each of count threads from those of this process: first those near the device, one per core, then
 * the others; if there are too few, they are used again. from_end: in reverse order, so that the two sides of a test on
 * one host start at opposite ends. Call it after session_bind_cpus(). Returns the number of different CPUs, or -errno.
 */
int session_choose_cpus(int *cpus, unsigned count, bool from_end);

/* --- memory_kind.c: which kind of memory do the options request, and is it available? --- */

const struct memory_ops *memory_kind_of(const struct params *params);
/* Opens what it needs: libraries, devices, files. 0 or -errno, reported. */
int memory_kind_choose(const struct params *params, const struct device *device);

/* How much device memory the buffers need, if they are in it; the device may change until both sides have agreed. */
void memory_kind_measure(struct verbs_config *config, const struct device *device);
