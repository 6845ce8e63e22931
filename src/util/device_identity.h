/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What an RDMA device is and how it is attached. verbs fills it in, and report writes it into a document. */
#pragma once

#include <stdbool.h>

#define PROVENANCE_SIZE 2048 /* of what report says of it, its host and the build, as text with a NUL */

struct device_identity {
	char name[130]; /* "mlx5_0", or of two devices "mlx5_0,mlx5_1"; "": there is none */
	bool is_software;
	int numa_node;	      /* -1 unknown */
	double link_gbits;    /* Gb/s; 0 unknown */
	unsigned link_lanes;  /* 0 unknown */
	char driver[64];      /* "mlx5_core"; "" unknown, as of the following */
	char firmware[64];    /* its version */
	char provider[64];    /* file of the library that drives it: "libmlx5.so.1.24.44.0" */
	char pci_address[16]; /* "0000:3b:00.0" */
	double pcie_rate;     /* GT/s per lane; 0 unknown */
	unsigned pcie_lanes;  /* 0 unknown */
	const char *memory;   /* kind of the test's buffers: "host", "CUDA"; NULL unknown */
};
