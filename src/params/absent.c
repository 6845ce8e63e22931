// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The options of linux-rdma perftest 5.70 to 6.29 that this suite does not have, so that a script that uses one is
 * told. */
#include "params/options.h"

const struct opt_absent params_absent[] = {
	{NULL, '\0', NULL},
};
