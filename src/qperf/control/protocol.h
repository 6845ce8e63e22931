/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The kinds of socket tests, for the table of tests and the test bodies. */
#ifndef QPERF_PROTOCOL_H
#define QPERF_PROTOCOL_H

enum protocol { PROTOCOL_TCP, PROTOCOL_UDP, PROTOCOL_SCTP, PROTOCOL_SDP, PROTOCOL_RDS, NUM_PROTOCOLS };

#endif
