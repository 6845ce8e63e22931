/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What one of the programs is: the part of its description that options depend on. */
#ifndef PARAMS_PROGRAM_H
#define PARAMS_PROGRAM_H

#include "traffic/traffic.h"

struct program {
	const char *name;    /* as typed: "ib_write_bw" */
	const char *summary; /* one line for --help and the manual page */
	enum verb verb;
	enum metric metric;
	unsigned transports; /* TRANSPORT_BIT()s that -c may choose */
};

#endif
