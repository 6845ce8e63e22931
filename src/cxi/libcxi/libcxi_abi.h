/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The ABI of libcxi.so.1: its structures, under our names, and its functions, which libcxi_library.c looks up at run
 * time. Always compiled, even if libcxi is not installed.
 *
 * Source: the layouts of libcxi.h, cxi_prov_hw.h and uapi/misc/cxi.h (libcxi 1.0 to 1.9, identical for x86-64 and
 * aarch64). tests/unit/test_cxi_abi.c compares them with those headers if configure finds them.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cxi/libcxi/cassini.h"

#define LIBCXI_DEFAULT_SERVICE 1
#define LIBCXI_SERVICE_VNIS    4
#define LIBCXI_MAX_QUEUE_SLOTS (1 << 16)

#define LIBCXI_BEST_EFFORT	 3	  /* traffic class, ... */
#define LIBCXI_TRAFFIC_DEFAULT	 0	  /* ... and its type */
#define LIBCXI_LCID_ANY		 2	  /* of a communication profile: for triggered queues and for others */
#define LIBCXI_EVENTS_UNCOMBINED (1 << 6) /* of an event queue: each event is written immediately */

enum libcxi_queue_flags {
	LIBCXI_QUEUE_TRANSMIT = 1 << 1, /* otherwise a target queue */
	LIBCXI_QUEUE_TRIGGERED = 1 << 3,
};

enum libcxi_map_flags {
	LIBCXI_MAP_PIN = 1 << 0,
	LIBCXI_MAP_WRITE = 1 << 2,
	LIBCXI_MAP_READ = 1 << 3,
	LIBCXI_MAP_DEVICE = 1 << 9,
};

struct libcxi_device_info {
	unsigned id;
	unsigned nic;
	unsigned pid_bits; /* 6 to 9 */
	unsigned unused_0[3];
	unsigned rendezvous_index; /* portal index for the gets that the hardware issues for a rendezvous */
	char name[14];		   /* "cxi0" */
	uint8_t unused_1[110];
};

struct libcxi_device {
	struct libcxi_device_info info;
};

struct libcxi_service {
	uint8_t unused_0 : 1;
	uint8_t restricted_vnis : 1; /* only those in vnis */
	uint8_t unused_1 : 2;
	uint8_t enabled : 1;
	uint8_t unused_2 : 3;
	uint8_t vni_count;
	uint16_t vnis[LIBCXI_SERVICE_VNIS];
	unsigned unused_3[14]; /* members, limits, and its number */
};

struct libcxi_interface {
	unsigned id;
};

struct libcxi_domain {
	unsigned vni;
	unsigned pid;
};

struct libcxi_profile {
	unsigned vni;
	unsigned traffic_class;
	unsigned type;
	unsigned lcid;
};

/* Memory as the NIC sees it. */
struct libcxi_memory {
	uint64_t iova; /* address of va for the NIC */
	uint64_t va;
	size_t length;
	uint8_t lac;
	unsigned unused[3];
};

struct libcxi_memory_hints {
	int unused[4];
	int dmabuf_fd;
	unsigned long dmabuf_offset;
	bool dmabuf_valid;
};

struct libcxi_event_queue_options {
	void *buffer;
	size_t length;
	uint64_t flags;
	unsigned unused[6];
};

struct libcxi_event_queue {
	unsigned bytes;
	union cassini_event_progress progress;
	uint64_t *progress_address; /* where progress is reported */
	uint64_t unused_0[2];
	unsigned read_offset;  /* bytes */
	unsigned acked_offset; /* events before it were released */
	unsigned number;
	void *context;
	uint8_t *events; /* the first slot has the status */
};

struct libcxi_counter {
	uint64_t *doorbell;
	unsigned number;
	void *writeback;
};

/* Writing at this offset, in bytes, from a counter's doorbell resets it. */
#define LIBCXI_COUNTER_RESET_SUCCESS 128
#define LIBCXI_COUNTER_RESET_FAILURE 192

struct libcxi_queue_options {
	unsigned slots;
	unsigned unused_0[2];
	uint32_t flags;
	unsigned lcid; /* for a transmit queue */
	unsigned unused_1;
};

struct libcxi_queue {
	unsigned slots;
	uint64_t *doorbell; /* written with the slot after the last command */
	uint8_t *low_latency[3];
	uint8_t *commands; /* the first slots have the status */
	uint64_t read_unit;
	unsigned index;
	unsigned units;
	uint64_t write_unit;
	uint64_t rung_unit; /* position at the last write of the doorbell */
};

struct libcxi_portal_options {
	uint64_t unused_0 : 7;
	uint64_t matching : 1;
	uint64_t unused_1 : 56;
};

struct libcxi_portal {
	unsigned number;
};

struct libcxi_portal_map;

/* The functions: X(symbol, result, parameters). All are in the first releases. */
#define LIBCXI_FUNCTIONS(X)                                                                                            \
	X(cxil_open_device, int, (uint32_t id, struct libcxi_device * *device))                                        \
	X(cxil_close_device, void, (struct libcxi_device * device))                                                    \
	X(cxil_get_svc, int, (struct libcxi_device * device, unsigned id, struct libcxi_service *service))             \
	X(cxil_alloc_lni, int,                                                                                         \
	  (struct libcxi_device * device, struct libcxi_interface * *interface, unsigned service))                     \
	X(cxil_destroy_lni, int, (struct libcxi_interface * interface))                                                \
	X(cxil_alloc_domain, int,                                                                                      \
	  (struct libcxi_interface * interface, unsigned vni, unsigned pid, struct libcxi_domain **domain))            \
	X(cxil_destroy_domain, int, (struct libcxi_domain * domain))                                                   \
	X(cxil_destroy_cp, int, (struct libcxi_profile * profile))                                                     \
	X(cxil_map, int,                                                                                               \
	  (struct libcxi_interface * interface, void *address, size_t length, uint32_t flags,                          \
	   struct libcxi_memory_hints *hints, struct libcxi_memory **memory))                                          \
	X(cxil_unmap, int, (struct libcxi_memory * memory))                                                            \
	X(cxil_alloc_evtq, int,                                                                                        \
	  (struct libcxi_interface * interface, const struct libcxi_memory *memory,                                    \
	   const struct libcxi_event_queue_options *options, void *event_wait, void *status_wait,                      \
	   struct libcxi_event_queue **queue))                                                                         \
	X(cxil_destroy_evtq, int, (struct libcxi_event_queue * queue))                                                 \
	X(cxil_alloc_ct, int, (struct libcxi_interface * interface, void *writeback, struct libcxi_counter **counter)) \
	X(cxil_destroy_ct, int, (struct libcxi_counter * counter))                                                     \
	X(cxil_alloc_cmdq, int,                                                                                        \
	  (struct libcxi_interface * interface, struct libcxi_event_queue * events,                                    \
	   const struct libcxi_queue_options *options, struct libcxi_queue **queue))                                   \
	X(cxil_destroy_cmdq, int, (struct libcxi_queue * queue))                                                       \
	X(cxil_alloc_pte, int,                                                                                         \
	  (struct libcxi_interface * interface, struct libcxi_event_queue * events,                                    \
	   struct libcxi_portal_options * options, struct libcxi_portal * *portal))                                    \
	X(cxil_destroy_pte, int, (struct libcxi_portal * portal))                                                      \
	X(cxil_map_pte, int,                                                                                           \
	  (struct libcxi_portal * portal, struct libcxi_domain * domain, unsigned index, bool is_multicast,            \
	   struct libcxi_portal_map **map))                                                                            \
	X(cxil_unmap_pte, int, (struct libcxi_portal_map * map))

/*
 * Those that may be missing. The first two came with libcxi's symbol version 1.9: since then, services without a list
 * of VNIs may have a range of them, and cxil_alloc_trig_cp is needed in place of cxil_alloc_cp.
 */
#define LIBCXI_OPTIONAL_FUNCTIONS(X)                                                                                   \
	X(cxil_svc_get_vni_range, int, (struct libcxi_device * device, unsigned id, uint16_t *first, uint16_t *last))  \
	X(cxil_alloc_trig_cp, int,                                                                                     \
	  (struct libcxi_interface * interface, unsigned vni, unsigned traffic_class, unsigned type, unsigned lcid,    \
	   struct libcxi_profile **profile))                                                                           \
	X(cxil_alloc_cp, int,                                                                                          \
	  (struct libcxi_interface * interface, unsigned vni, unsigned traffic_class, unsigned type,                   \
	   struct libcxi_profile **profile))
