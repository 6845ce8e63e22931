/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Where a side's device and host are, so that what cannot work is refused before it is tried. verbs fills it in, comm
 * and qperf transfer it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct site {
	char device[64];     /* its name, for messages */
	bool is_software;    /* from libperftest_soft: it connects the processes of one user on one host */
	uint32_t page_bytes; /* of the host; a power of two, SITE_LEAST_PAGE to SITE_LARGEST_PAGE */
	uint32_t uid;	     /* effective, as numbered in the side's own namespace */
	char boot[40];	     /* the kernel's boot_id, the same for all containers of a machine; "" unknown */
	/* For a software device: the folder through which its processes find each other. */
	char folder_id[44]; /* "DEVICE:INODE"; "" unknown */
	char folder[128];   /* its path, for messages */
};

#define SITE_LEAST_PAGE	  4096U
#define SITE_LARGEST_PAGE (1U << 20) /* the largest of any kernel is 256 KiB */
