/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The fuzzer of whole conversations; its unit test knows how each has ended. */
#pragma once

#include "fuzz/fuzz.h"

/* In front of what the peer says. */
enum {
	CONVERSATION_ROLE,    /* CONVERSATION_CLIENT and so on; above, the size of the pieces in which the words come */
	CONVERSATION_PROGRAM, /* verb: 2 bits; latency: 1 bit */
	CONVERSATION_PLAN,    /* what a classic peer must know without being told: a bit for each */
	CONVERSATION_COUNTS,  /* queue pairs - 1: 3 bits; sizes - 1: 2 bits; and the three below */
	CONVERSATION_HEAD,
};

#define CONVERSATION_CLIENT  0x01 /* this side is the client */
#define CONVERSATION_CLASSIC 0x02 /* --dont_xchg_versions */
#define CONVERSATION_REFUSE  0x04 /* this side, a server, refuses */
#define CONVERSATION_EOF     0x08 /* the peer closes behind its words; otherwise it stays silent */

#define CONVERSATION_PORTS     0x20 /* --report-per-port */
#define CONVERSATION_GATHERS   0x40 /* this side measures with several peers at once */
#define CONVERSATION_VALIDATES 0x80 /* --data_validation */

/* How the last conversation ended: 0, or what ended it. */
extern int conversation_result;
