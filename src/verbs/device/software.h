/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Is a device one of libperftest_soft? If so, results reflect this host's memory system. */
#pragma once

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <string.h>

#define SOFTWARE_FIRMWARE "perftest-soft" /* firmware version that the software device reports */

static inline bool device_is_software(const struct ibv_device_attr *attr)
{
	return strncmp(attr->fw_ver, SOFTWARE_FIRMWARE, strlen(SOFTWARE_FIRMWARE)) == 0;
}

/* The network interface of its raw packets, PERFTEST_SOFT=if=NAME; NULL: none. */
const char *software_interface(void);
/* "this host's memory system": what its figures are those of. frames: of a test of raw packets. Returns text. */
const char *software_measures(bool frames, char *text, size_t size);

/* --- soft_preload.c --- */

/*
 * If there is no RDMA device, or ib_dev (the -d option; "": any) names a soft one, the program executes itself again
 * with libperftest_soft.so preloaded, and this does not return. To be called before any verbs object is created. 0:
 * nothing to do; -errno, reported.
 */
int soft_preload(const char *ib_dev, char **argv);
