// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The functions of each test body. */
#include "qperf/control/session.h"
#include "qperf/rdma/rdma.h"
#include "qperf/sockets/socket.h"

const struct test_ops *session_ops(const struct test_row *test)
{
	static const struct test_ops *const ops[NUM_BODIES] = {
		[BODY_SOCKET_BANDWIDTH] = &socket_bandwidth_ops,
		[BODY_SOCKET_LATENCY] = &socket_latency_ops,
		[BODY_CONNECTIONS] = &connections_ops,
		[BODY_RDMA] = &rdma_ops,
	};

	return ops[test->body];
}
