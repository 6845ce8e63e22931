/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The life of every test, in order: parse, meet, agree, open, connect, measure each size, report, close. A program is
 * one static const struct program and a call of session_main(): its verb and metric determine which side posts,
 * receives and measures (traffic/traffic.h).
 */
#ifndef SESSION_SESSION_H
#define SESSION_SESSION_H

#include "params/programs.h" /* PROGRAM_IB_... */

/* What main() returns: an enum exit_status. */
int session_main(const struct program *program, int argc, char **argv);

#endif
