/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Where a side's device and host are, so that what can't work is refused before it is tried. verbs fills it, comm and
 * qperf carry it.
 */
#ifndef UTIL_SITE_H
#define UTIL_SITE_H

#include <stdbool.h>
#include <stdint.h>

struct site {
	char device[64];     /* its name, for messages */
	bool is_software;    /* of libperftest_soft: it reaches the processes of one user on one host */
	uint32_t page_bytes; /* of the host; a power of two, SITE_LEAST_PAGE to SITE_LARGEST_PAGE */
	uint32_t uid;	     /* effective, as the side's own namespace numbers it */
	char boot[40];	     /* the kernel's boot_id, the same for all containers of a machine; "" not known */
	/* Of a software device: the folder in which its processes find each other. */
	char folder_id[44]; /* "DEVICE:INODE"; "" not known */
	char folder[128];   /* its path, for messages */
};

#define SITE_LEAST_PAGE	  4096U
#define SITE_LARGEST_PAGE (1U << 20) /* the largest of any kernel is 256 KiB */

#endif
