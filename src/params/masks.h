/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Sets of programs by short names, for the tables of params only (options.c, rules.c, manual.c). */
#ifndef PARAMS_MASKS_H
#define PARAMS_MASKS_H

#include "params/programs.h"

#define BW	PROGRAM_BITS_METRIC(METRIC_BW)
#define LAT	PROGRAM_BITS_METRIC(METRIC_LAT)
#define ALL	PROGRAM_BITS_ALL
#define SEND	PROGRAM_BITS_VERB(VERB_SEND)
#define WRITE	PROGRAM_BITS_VERB(VERB_WRITE)
#define READ	PROGRAM_BITS_VERB(VERB_READ)
#define ATOMIC	PROGRAM_BITS_VERB(VERB_ATOMIC)
#define TWO_WAY (SEND | WRITE) /* the other side may take part: it has receives or writes back */

#endif
