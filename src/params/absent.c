// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The options of linux-rdma perftest 5.70 to 6.29 that this suite does not have, so that a script that uses one is
 * told. */
#include "params/options.h"

#define SIGNATURES                                                                                                     \
	"signatures of data (T10-DIF), which adapters of mlx5 have (mlx5dv_wr_set_mkey_sig_block() of libmlx5) and "   \
	"no "                                                                                                          \
	"build of linux-rdma perftest asks for"

const struct opt_absent params_absent[] = {
	{"sig_offload", '\0', SIGNATURES},
	{NULL, '\0', NULL},
};
