/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The command `perftest`: one row for each of its commands. */
#pragma once

/* What main() returns: an enum exit_status. */
int front_main(int argc, char **argv);
