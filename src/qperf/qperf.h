/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The entry point of qperf, called by its main file. */
#pragma once

/* Returns the exit status of the program. */
int qperf_main(int argc, char **argv);
