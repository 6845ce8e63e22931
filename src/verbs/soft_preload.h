/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Does this run need the software device, and is it there? See soft_preload.c. */
#ifndef VERBS_SOFT_PRELOAD_H
#define VERBS_SOFT_PRELOAD_H

/*
 * Where there is no RDMA device, or ib_dev (the -d option; "" for any) names a soft one, the program starts
 * itself again with libperftest_soft.so preloaded, and this does not return. Before any verbs object is made.
 * 0: nothing to do; -errno, reported.
 */
int soft_preload(const char *ib_dev, char **argv);

#endif
