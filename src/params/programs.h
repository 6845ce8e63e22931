/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The programs, each said once: its main file builds its struct test from one of these, and the
 * generator of manual pages and the tests of the option table walk over all of them.
 */
#ifndef PARAMS_PROGRAMS_H
#define PARAMS_PROGRAMS_H

#include <stddef.h>

#include "params/program.h"

/* Queue pairs of XRC and DC carry what RC's do; SRD has no atomics. */
#define PROGRAMS_ATOMIC	  (TRANSPORT_BIT(TRANSPORT_RC) | TRANSPORT_BIT(TRANSPORT_XRC) | TRANSPORT_BIT(TRANSPORT_DC))
#define PROGRAMS_RC	  (PROGRAMS_ATOMIC | TRANSPORT_BIT(TRANSPORT_SRD))
#define PROGRAMS_RC_UC	  (PROGRAMS_RC | TRANSPORT_BIT(TRANSPORT_UC))
#define PROGRAMS_RC_UC_UD (PROGRAMS_RC_UC | TRANSPORT_BIT(TRANSPORT_UD))

#define NO_BURSTS false

#define PROGRAM_IB_SEND_BW                                                                                             \
	{                                                                                                              \
		IB_SEND_BW, "ib_send_bw", "bandwidth of SEND", VERB_SEND, METRIC_BW, PROGRAMS_RC_UC_UD, NO_BURSTS,     \
			false                                                                                          \
	}
#define PROGRAM_IB_SEND_LAT                                                                                            \
	{                                                                                                              \
		IB_SEND_LAT, "ib_send_lat", "latency of SEND", VERB_SEND, METRIC_LAT, PROGRAMS_RC_UC_UD, NO_BURSTS,    \
			false                                                                                          \
	}
#define PROGRAM_IB_WRITE_BW                                                                                            \
	{                                                                                                              \
		IB_WRITE_BW, "ib_write_bw", "bandwidth of RDMA WRITE", VERB_WRITE, METRIC_BW, PROGRAMS_RC_UC,          \
			NO_BURSTS, false                                                                               \
	}
#define PROGRAM_IB_WRITE_LAT                                                                                           \
	{                                                                                                              \
		IB_WRITE_LAT, "ib_write_lat", "latency of RDMA WRITE", VERB_WRITE, METRIC_LAT, PROGRAMS_RC_UC,         \
			NO_BURSTS, false                                                                               \
	}
#define PROGRAM_IB_READ_BW                                                                                             \
	{                                                                                                              \
		IB_READ_BW, "ib_read_bw", "bandwidth of RDMA READ", VERB_READ, METRIC_BW, PROGRAMS_RC, NO_BURSTS,      \
			false                                                                                          \
	}
#define PROGRAM_IB_READ_LAT                                                                                            \
	{                                                                                                              \
		IB_READ_LAT, "ib_read_lat", "latency of RDMA READ", VERB_READ, METRIC_LAT, PROGRAMS_RC, NO_BURSTS,     \
			false                                                                                          \
	}
#define PROGRAM_IB_ATOMIC_BW                                                                                           \
	{                                                                                                              \
		IB_ATOMIC_BW, "ib_atomic_bw", "bandwidth of 8-byte atomics", VERB_ATOMIC, METRIC_BW, PROGRAMS_ATOMIC,  \
			NO_BURSTS, false                                                                               \
	}
#define PROGRAM_IB_ATOMIC_LAT                                                                                          \
	{                                                                                                              \
		IB_ATOMIC_LAT, "ib_atomic_lat", "latency of 8-byte atomics", VERB_ATOMIC, METRIC_LAT, PROGRAMS_ATOMIC, \
			NO_BURSTS, false                                                                               \
	}

#define PROGRAM_RAW_ETHERNET_BW                                                                                        \
	{                                                                                                              \
		RAW_ETHERNET_BW, "raw_ethernet_bw", "bandwidth of raw Ethernet frames", VERB_SEND, METRIC_BW,          \
			TRANSPORT_BIT(TRANSPORT_RAW_ETHERNET), NO_BURSTS, true                                         \
	}
#define PROGRAM_RAW_ETHERNET_LAT                                                                                       \
	{                                                                                                              \
		RAW_ETHERNET_LAT, "raw_ethernet_lat", "latency of raw Ethernet frames", VERB_SEND, METRIC_LAT,         \
			TRANSPORT_BIT(TRANSPORT_RAW_ETHERNET), NO_BURSTS, true                                         \
	}
#define PROGRAM_RAW_ETHERNET_BURST_LAT                                                                                 \
	{                                                                                                              \
		RAW_ETHERNET_BURST_LAT, "raw_ethernet_burst_lat", "latency of bursts of raw Ethernet frames",          \
			VERB_SEND, METRIC_LAT, TRANSPORT_BIT(TRANSPORT_RAW_ETHERNET), true, true                       \
	}
#define PROGRAM_RAW_ETHERNET_FS_RATE                                                                                   \
	{                                                                                                              \
		RAW_ETHERNET_FS_RATE, "raw_ethernet_fs_rate", "rate of steering rules", VERB_SEND, METRIC_STEERING,    \
			TRANSPORT_BIT(TRANSPORT_RAW_ETHERNET), NO_BURSTS, true                                         \
	}

extern const struct program programs[];
extern const size_t num_programs;

static inline unsigned program_bit(const struct program *program)
{
	return PROGRAM_BIT(program->id);
}

/* The program of that name; NULL: there is none. */
const struct program *program_find(const char *name);

/*
 * The programs of a mask in words: "bandwidth tests", "send and write tests", "read latency tests" where it is all
 * programs of some verbs and metrics, perhaps but for that of bursts; otherwise their names. Returns buffer.
 */
const char *programs_text(unsigned mask, char *buffer, size_t size);

#endif
