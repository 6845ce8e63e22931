/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Raw packet queue pairs: the frames that they send, and the steering rules by which frames come to them, both made
 * from the same struct frame_config. perftest_resources.c calls.
 */
#ifndef VERBS_ETHERNET_H
#define VERBS_ETHERNET_H

#include <infiniband/verbs.h>
#include <stdint.h>

#include "frames/frame.h"

struct resources;
struct verbs_config;

/* As ibv_create_flow() has it: the specifications stand one behind the other. */
struct ethernet_rule {
	struct ibv_flow_attr attr;
	uint8_t specs[sizeof(struct ibv_flow_spec_eth) + sizeof(struct ibv_flow_spec_ipv6) +
		      sizeof(struct ibv_flow_spec_tcp_udp)];
};

/* What queue pair `qp` of this side sends in its flow `flow`, and what comes to it; `number`: of the frame. */
struct frame_spec ethernet_sent(const struct verbs_config *config, unsigned qp, unsigned flow, unsigned number);
struct frame_spec ethernet_received(const struct verbs_config *config, unsigned qp, unsigned flow);

/*
 * So many queue pairs have rules. Those whose frames have the same headers can't be told apart: the first one takes
 * them all.
 */
unsigned ethernet_told_apart(const struct verbs_config *config);

/* Bytes of the shortest message that has room for the headers, check sequence included. */
uint32_t ethernet_least(const struct verbs_config *config);
/* Of the longest one: by the MTU, or by the headers. */
uint32_t ethernet_most(const struct verbs_config *config);

/* Writes the headers of all queue pairs' frames into their places. 0 or -errno, reported. */
int ethernet_lay(struct resources *resources, uint64_t size);

/* Creates the rules of all queue pairs. 0 or -errno, reported. */
int ethernet_steer(struct resources *resources);
/* Before the queue pairs go; also where there are none. */
void ethernet_unsteer(struct resources *resources);

/* --- raw_ethernet_fs_rate --- */

/*
 * A rule for what comes in the first flow; `number`: rules differ by it, in their ports or without these in the MAC
 * address.
 */
void ethernet_rule_fill(const struct resources *resources, uint64_t number, struct ethernet_rule *rule);
/* The device's part of it, and no more. 0 or -errno, reported. */
int ethernet_rule_create(struct resources *resources, unsigned qp, struct ethernet_rule *rule, struct ibv_flow **flow);
int ethernet_rule_destroy(struct resources *resources, struct ibv_flow *flow);

#endif
