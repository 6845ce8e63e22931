/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Sets of programs by short names, for the tables of params only (options.c, rules.c, manual.c). */
#ifndef PARAMS_MASKS_H
#define PARAMS_MASKS_H

#include "params/program.h"

#define SEND   (PROGRAM_BIT(IB_SEND_BW) | PROGRAM_BIT(IB_SEND_LAT))
#define WRITE  (PROGRAM_BIT(IB_WRITE_BW) | PROGRAM_BIT(IB_WRITE_LAT))
#define READ   (PROGRAM_BIT(IB_READ_BW) | PROGRAM_BIT(IB_READ_LAT))
#define ATOMIC (PROGRAM_BIT(IB_ATOMIC_BW) | PROGRAM_BIT(IB_ATOMIC_LAT))
#define BW     (PROGRAM_BIT(IB_SEND_BW) | PROGRAM_BIT(IB_WRITE_BW) | PROGRAM_BIT(IB_READ_BW) | PROGRAM_BIT(IB_ATOMIC_BW))
#define LAT                                                                                                            \
	(PROGRAM_BIT(IB_SEND_LAT) | PROGRAM_BIT(IB_WRITE_LAT) | PROGRAM_BIT(IB_READ_LAT) | PROGRAM_BIT(IB_ATOMIC_LAT))
#define ALL	(BW | LAT)
#define TWO_WAY (SEND | WRITE) /* the other side may take part: it has receives or writes back */

#endif
