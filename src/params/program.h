/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The part of a program's description that options depend on. */
#pragma once

#include "traffic/traffic.h"

/*
 * The identity of a program of this family; a set of them is a mask of PROGRAM_BIT()s, as in the option table. A
 * client's greeting has it: a new one comes last.
 */
enum program_id {
	IB_SEND_BW,
	IB_SEND_LAT,
	IB_WRITE_BW,
	IB_WRITE_LAT,
	IB_READ_BW,
	IB_READ_LAT,
	IB_ATOMIC_BW,
	IB_ATOMIC_LAT,
	RAW_ETHERNET_BW,
	RAW_ETHERNET_LAT,
	RAW_ETHERNET_BURST_LAT,
	RAW_ETHERNET_FS_RATE,
	NUM_PROGRAM_IDS,
};

#define PROGRAM_BIT(id) (1U << (id))

struct program {
	enum program_id id;
	const char *name;     /* as typed: "ib_write_bw" */
	const char *old_name; /* what linux-rdma perftest called it once, or NULL */
	const char *summary;  /* one line for --help and the manual page */
	enum verb verb;
	enum metric metric;
	unsigned transports; /* TRANSPORT_BIT()s that -c may choose */
	bool bursts;	     /* latency of messages in bursts, of which only some are answered */
	bool silent;	     /* there is no side channel: each side uses its own options, which also give its role */
};
