/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Raw packet QPs: the frames that they send, and the steering rules for those that they receive. Both are made from the
 * same struct frame_config. Called by perftest_resources.c.
 */
#pragma once

#include <infiniband/verbs.h>
#include <stdint.h>

#include "frames/frame.h"

struct resources;
struct verbs_config;

/* The layout that ibv_create_flow() expects: the specifications follow each other. */
struct ethernet_rule {
	struct ibv_flow_attr attr;
	uint8_t specs[sizeof(struct ibv_flow_spec_eth) + sizeof(struct ibv_flow_spec_ipv6) +
		      sizeof(struct ibv_flow_spec_tcp_udp)];
};

/* Frame `number` that QP `qp` of this side sends in its flow `flow`, and the one that it receives. */
struct frame_spec ethernet_sent(const struct verbs_config *config, unsigned qp, unsigned flow, unsigned number);
struct frame_spec ethernet_received(const struct verbs_config *config, unsigned qp, unsigned flow);

/*
 * The number of QPs that have rules. QPs whose frames have the same headers cannot be told apart: the first one
 * receives everything.
 */
unsigned ethernet_num_rules(const struct verbs_config *config);

/* Bytes of the shortest message that has room for the headers, including the check sequence. */
uint32_t ethernet_least(const struct verbs_config *config);
/* Bytes of the longest message, by the MTU or by the headers. */
uint32_t ethernet_most(const struct verbs_config *config);

/* Writes the headers of all QPs' frames into their slots. 0 or -errno, reported. */
int ethernet_lay(struct resources *resources, uint64_t size);

/* Creates the rules of all queue pairs. 0 or -errno, reported. */
int ethernet_steer(struct resources *resources);
/* Before the QPs are destroyed; also if there are no rules. */
void ethernet_unsteer(struct resources *resources);

/* --- raw_ethernet_fs_rate --- */

/*
 * A rule for the frames of the first flow. Rules with different `number` differ in their ports or, if they have none,
 * in the MAC address.
 */
void ethernet_rule_fill(const struct resources *resources, uint64_t number, struct ethernet_rule *rule);
/* Only the device's part. 0 or -errno, reported. */
int ethernet_rule_create(struct resources *resources, unsigned qp, struct ethernet_rule *rule, struct ibv_flow **flow);
int ethernet_rule_destroy(struct resources *resources, struct ibv_flow *flow);
