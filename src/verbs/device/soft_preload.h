/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Preloads the software device if this run needs it. See soft_preload.c. */
#pragma once

/*
 * If there is no RDMA device, or ib_dev (the -d option; "": any) names a soft one, the program executes itself again
 * with libperftest_soft.so preloaded, and this does not return. To be called before any verbs object is created. 0:
 * nothing to do; -errno, reported.
 */
int soft_preload(const char *ib_dev, char **argv);
