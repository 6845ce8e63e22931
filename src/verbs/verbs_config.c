// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The option names of the ib_* programs, for messages. See verbs_config.h. */
#include "verbs/verbs_config.h"

const struct option_names option_names_ib = {
	.port = "--ib-port",
	.device_and_port = "-d and -i",
	.mtu = "--mtu",
	.outs = "--outs",
	.memory = "-s or -q",
	.demand = "-s, -q, -t, -r or -l",
	.max_memory = "--max_memory",
	.gid_or_mtu = "another -x or a smaller -m",
	.ack_timeout = "-u",
	.rdma_cm = "-R or -z",
};
