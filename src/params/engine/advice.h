/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Advice that shared layers give, in the words of the program that runs: "taskset[, --pin_cores][, --cpu_affinity]" has
 * in brackets what only some programs have. Called by explain and doctor.
 */
#pragma once

#include "params/engine/opt.h"

/* Whose options advice may name. Zeroed: it has none. */
struct advised {
	const struct opt_table *options;
	unsigned program; /* as in opt_row.programs */
};

/* Takes out the brackets, and with them a part that names an option ("--iters") that the program does not have. */
void advice_fit(const struct advised *advised, char *text);
