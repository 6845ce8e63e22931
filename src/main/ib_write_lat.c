// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Latency of RDMA WRITE: a ping-pong through memory, the server begins; each side polls the last byte
 * that the other writes. Both report half of the round trip that they measured.
 */
#include "session/session.h"

static const struct test ib_write_lat = {
	.program.name = "ib_write_lat",
	.program.summary = "latency of RDMA WRITE",
	.program.verb = VERB_WRITE,
	.program.metric = METRIC_LAT,
	.program.transports = TRANSPORT_BIT(TRANSPORT_RC) | TRANSPORT_BIT(TRANSPORT_UC),
	.active = loop_lat_write,
	.passive = loop_lat_write,
	.bidirectional = NULL,
	.passive_reports = true,
	.rtt_factor = 2,
};

int main(int argc, char **argv)
{
	return session_main(&ib_write_lat, argc, argv);
}
