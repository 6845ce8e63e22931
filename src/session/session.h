/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The programs of the ib_* family, with the life of life/life.h. A program is a row of params/programs.c: its verb and
 * metric determine which side posts, receives and measures (traffic/traffic.h).
 */
#pragma once

#include "params/programs.h"

/* What main() returns: an enum exit_status. */
int session_main(const struct program *program, int argc, char **argv);
