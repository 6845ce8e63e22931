/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The words of a command that runs a program of the suite: its own options come before the program, which has others.
 */
#ifndef FRONT_WORDS_H
#define FRONT_WORDS_H

#include "params/opt.h"

#define WORDS_MOST_OPTIONS 32 /* of a command */

/* How many words argv[0] and the command's own options are. */
int words_count_own(const struct opt_table *table, int argc, char **argv);

#endif
