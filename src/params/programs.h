/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The list of programs: the main file of each uses one of these, and the document generator and the tests of the option
 * table iterate over all.
 */
#ifndef PARAMS_PROGRAMS_H
#define PARAMS_PROGRAMS_H

#include <stddef.h>

#include "params/program.h"

/* XRC and DC support what RC does; SRD has no atomics. */
#define PROGRAMS_ATOMIC	  (TRANSPORT_BIT(TRANSPORT_RC) | TRANSPORT_BIT(TRANSPORT_XRC) | TRANSPORT_BIT(TRANSPORT_DC))
#define PROGRAMS_RC	  (PROGRAMS_ATOMIC | TRANSPORT_BIT(TRANSPORT_SRD))
#define PROGRAMS_RC_UC	  (PROGRAMS_RC | TRANSPORT_BIT(TRANSPORT_UC))
#define PROGRAMS_RC_UC_UD (PROGRAMS_RC_UC | TRANSPORT_BIT(TRANSPORT_UD))

#define PROGRAM_IB_SEND_BW                                                                                             \
	{                                                                                                              \
		.id = IB_SEND_BW, .name = "ib_send_bw", .summary = "bandwidth of SEND", .verb = VERB_SEND,             \
		.metric = METRIC_BW, .transports = PROGRAMS_RC_UC_UD                                                   \
	}
#define PROGRAM_IB_SEND_LAT                                                                                            \
	{                                                                                                              \
		.id = IB_SEND_LAT, .name = "ib_send_lat", .summary = "latency of SEND", .verb = VERB_SEND,             \
		.metric = METRIC_LAT, .transports = PROGRAMS_RC_UC_UD                                                  \
	}
#define PROGRAM_IB_WRITE_BW                                                                                            \
	{                                                                                                              \
		.id = IB_WRITE_BW, .name = "ib_write_bw", .summary = "bandwidth of RDMA WRITE", .verb = VERB_WRITE,    \
		.metric = METRIC_BW, .transports = PROGRAMS_RC_UC                                                      \
	}
#define PROGRAM_IB_WRITE_LAT                                                                                           \
	{                                                                                                              \
		.id = IB_WRITE_LAT, .name = "ib_write_lat", .summary = "latency of RDMA WRITE", .verb = VERB_WRITE,    \
		.metric = METRIC_LAT, .transports = PROGRAMS_RC_UC                                                     \
	}
#define PROGRAM_IB_READ_BW                                                                                             \
	{                                                                                                              \
		.id = IB_READ_BW, .name = "ib_read_bw", .summary = "bandwidth of RDMA READ", .verb = VERB_READ,        \
		.metric = METRIC_BW, .transports = PROGRAMS_RC                                                         \
	}
#define PROGRAM_IB_READ_LAT                                                                                            \
	{                                                                                                              \
		.id = IB_READ_LAT, .name = "ib_read_lat", .summary = "latency of RDMA READ", .verb = VERB_READ,        \
		.metric = METRIC_LAT, .transports = PROGRAMS_RC                                                        \
	}
#define PROGRAM_IB_ATOMIC_BW                                                                                           \
	{                                                                                                              \
		.id = IB_ATOMIC_BW, .name = "ib_atomic_bw", .summary = "bandwidth of 8-byte atomics",                  \
		.verb = VERB_ATOMIC, .metric = METRIC_BW, .transports = PROGRAMS_ATOMIC                                \
	}
#define PROGRAM_IB_ATOMIC_LAT                                                                                          \
	{                                                                                                              \
		.id = IB_ATOMIC_LAT, .name = "ib_atomic_lat", .summary = "latency of 8-byte atomics",                  \
		.verb = VERB_ATOMIC, .metric = METRIC_LAT, .transports = PROGRAMS_ATOMIC                               \
	}

#define PROGRAM_RAW_ETHERNET_BW                                                                                        \
	{                                                                                                              \
		.id = RAW_ETHERNET_BW, .name = "raw_ethernet_bw", .summary = "bandwidth of raw Ethernet frames",       \
		.verb = VERB_SEND, .metric = METRIC_BW, .transports = TRANSPORT_BIT(TRANSPORT_RAW_ETHERNET),           \
		.silent = true                                                                                         \
	}
#define PROGRAM_RAW_ETHERNET_LAT                                                                                       \
	{                                                                                                              \
		.id = RAW_ETHERNET_LAT, .name = "raw_ethernet_lat", .summary = "latency of raw Ethernet frames",       \
		.verb = VERB_SEND, .metric = METRIC_LAT, .transports = TRANSPORT_BIT(TRANSPORT_RAW_ETHERNET),          \
		.silent = true                                                                                         \
	}
#define PROGRAM_RAW_ETHERNET_BURST_LAT                                                                                 \
	{                                                                                                              \
		.id = RAW_ETHERNET_BURST_LAT, .name = "raw_ethernet_burst_lat",                                        \
		.summary = "latency of bursts of raw Ethernet frames", .verb = VERB_SEND, .metric = METRIC_LAT,        \
		.transports = TRANSPORT_BIT(TRANSPORT_RAW_ETHERNET), .bursts = true, .silent = true                    \
	}
#define PROGRAM_RAW_ETHERNET_FS_RATE                                                                                   \
	{                                                                                                              \
		.id = RAW_ETHERNET_FS_RATE, .name = "raw_ethernet_fs_rate", .summary = "rate of steering rules",       \
		.verb = VERB_SEND, .metric = METRIC_STEERING, .transports = TRANSPORT_BIT(TRANSPORT_RAW_ETHERNET),     \
		.silent = true                                                                                         \
	}

extern const struct program programs[];
extern const size_t num_programs;

static inline unsigned program_bit(const struct program *program)
{
	return PROGRAM_BIT(program->id);
}

/* The program of that name; NULL: not found. */
const struct program *program_find(const char *name);

/*
 * The programs of a mask in words: "bandwidth tests", "send and write tests", "read latency tests" for all programs of
 * some verbs and metrics, with or without that of bursts; otherwise their names. Returns buffer.
 */
const char *programs_text(unsigned mask, char *buffer, size_t size);

#endif
