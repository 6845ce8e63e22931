/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The ib_* programs: one row of the table for each, which the body of all, the document generator and the unit tests
 * use. */
#pragma once

#include <stddef.h>

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
	bool silent;	     /* there is no side channel, unless it is asked for: options give each side its role */
};

extern const struct program programs[];
extern const size_t num_programs;

static inline unsigned program_bit(const struct program *program)
{
	return PROGRAM_BIT(program->id);
}

/* The program of that name, or that old name; NULL: not found. */
const struct program *program_find(const char *name);
/* The program that a client's greeting has, 1 + its id, if it has a server; NULL: not said, or not known here. */
const struct program *program_greeting(unsigned number);
/* The program that a path names, also if it was given another ending or beginning: "/opt/ib_write_bw-7.0"; or NULL. */
const struct program *program_of_path(const char *path);

/*
 * The programs of a mask in words: "bandwidth tests", "send and write tests", "read latency tests" for all programs of
 * some verbs and metrics, with or without that of bursts; otherwise their names. Returns buffer.
 */
const char *programs_text(unsigned mask, char *buffer, size_t size);
