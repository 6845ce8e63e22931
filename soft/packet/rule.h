/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Steering rules: which frames match, and where they go. After ibv_create_flow(3): a rule has a type, a priority, and
 * specifications of headers, each with a value and a mask. Pure functions: only the caller knows queue pairs.
 */
#pragma once

#include <infiniband/verbs.h>

#include "packet/frame.h"

struct soft_rule {
	enum ibv_flow_attr_type type;
	uint16_t priority; /* smaller ones first */
	bool does_not_trap;
	bool drops;
	uint32_t tag; /* of IBV_FLOW_SPEC_ACTION_TAG; 0: none */
	/* What the frame must match; type 0: any. */
	struct ibv_flow_spec_eth ethernet;
	struct ibv_flow_spec_ipv4_ext ipv4;
	struct ibv_flow_spec_ipv6 ipv6;
	struct ibv_flow_spec_tcp_udp transport;
	/* In the order of a table: by priority, older ones first. */
	struct soft_rule *next;
	struct soft_rule *previous;
};

/* All zero: empty. */
struct soft_rule_table {
	struct soft_rule *first, *last;
};

/* 0, -EINVAL: inconsistent, or of the wrong size, -EOPNOTSUPP: unknown headers or actions. */
int soft_rule_read(struct soft_rule *rule, const struct ibv_flow_attr *attr);
/* True if all specifications match; without any, for every frame. */
bool soft_rule_matches(const struct soft_rule *rule, const struct soft_frame *frame);

void soft_rule_insert(struct soft_rule_table *table, struct soft_rule *rule);
void soft_rule_remove(struct soft_rule_table *table, struct soft_rule *rule);

/*
 * Calls `deliver` for each rule of the table that receives the frame: every sniffer; the first other rule that matches,
 * those before it with IBV_FLOW_ATTR_FLAGS_DONT_TRAP, and those with the same priority and specifications, which share
 * it; if there is none, the rules for multicast, or else those for everything. A rule that drops receives nothing.
 */
void soft_rule_steer(const struct soft_rule_table *table, const struct soft_frame *frame,
		     void (*deliver)(struct soft_rule *rule, void *argument), void *argument);
