/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Sets of programs by short names, for the tables of params only (options.c, rules_*.c, manual.c). */
#pragma once

#include "params/programs.h"

#define SEND   (PROGRAM_BIT(IB_SEND_BW) | PROGRAM_BIT(IB_SEND_LAT))
#define WRITE  (PROGRAM_BIT(IB_WRITE_BW) | PROGRAM_BIT(IB_WRITE_LAT))
#define READ   (PROGRAM_BIT(IB_READ_BW) | PROGRAM_BIT(IB_READ_LAT))
#define ATOMIC (PROGRAM_BIT(IB_ATOMIC_BW) | PROGRAM_BIT(IB_ATOMIC_LAT))
#define FS     PROGRAM_BIT(RAW_ETHERNET_FS_RATE)
#define BURST  PROGRAM_BIT(RAW_ETHERNET_BURST_LAT)
#define RAW    (PROGRAM_BIT(RAW_ETHERNET_BW) | PROGRAM_BIT(RAW_ETHERNET_LAT) | BURST | FS)
#define BW                                                                                                             \
	(PROGRAM_BIT(IB_SEND_BW) | PROGRAM_BIT(IB_WRITE_BW) | PROGRAM_BIT(IB_READ_BW) | PROGRAM_BIT(IB_ATOMIC_BW) |    \
	 PROGRAM_BIT(RAW_ETHERNET_BW))
#define LAT                                                                                                            \
	(PROGRAM_BIT(IB_SEND_LAT) | PROGRAM_BIT(IB_WRITE_LAT) | PROGRAM_BIT(IB_READ_LAT) |                             \
	 PROGRAM_BIT(IB_ATOMIC_LAT) | PROGRAM_BIT(RAW_ETHERNET_LAT) | BURST)
#define ALL	 (BW | LAT | FS)
#define MOVES	 (BW | LAT)	/* messages are sent */
#define IB	 (ALL & ~RAW)	/* programs with a side channel */
#define TWO_WAY	 (SEND | WRITE) /* the other side may take part: it has receives or writes back */
#define RECEIVES (TWO_WAY | RAW)
