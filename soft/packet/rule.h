/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which frames does a steering rule mean, and to whom does a frame go? ibv_create_flow(3) is the source: a rule has a
 * type, a priority, and specifications of headers, each a value and a mask. Pure: what a queue pair is, only the caller
 * knows.
 */
#ifndef SOFT_RULE_H
#define SOFT_RULE_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "packet/frame.h"

struct soft_counters;

struct soft_rule {
	enum ibv_flow_attr_type type;
	uint16_t priority; /* the smaller, the earlier */
	bool does_not_trap;
	bool drops;
	uint32_t tag;			/* of IBV_FLOW_SPEC_ACTION_TAG; 0: none */
	struct soft_counters *counters; /* of IBV_FLOW_SPEC_ACTION_COUNT; NULL: none. The caller counts it as a user */
	/* What the frame has to have; a type of 0: any. */
	struct ibv_flow_spec_eth ethernet;
	struct ibv_flow_spec_ipv4_ext ipv4;
	struct ibv_flow_spec_ipv6 ipv6;
	struct ibv_flow_spec_tcp_udp transport;
	/* In the order of a table: by priority, older ones first. */
	struct soft_rule *next;
	struct soft_rule *previous;
};

#define RULE_LEVELS 65536u /* priorities */
#define RULE_WORD   64u	   /* bits */

/*
 * Programs make a rule for each of a hundred thousand flows: the place of a rule, and its neighbours, are found without
 * a look at the others. All zero: empty.
 */
struct soft_rule_table {
	struct soft_rule *first;
	struct soft_rule *last[RULE_LEVELS];		     /* of each priority that has a bit: */
	uint64_t levels[RULE_LEVELS / RULE_WORD];	     /* there are rules of that priority */
	uint64_t words[RULE_LEVELS / RULE_WORD / RULE_WORD]; /* those of levels that are not 0 */
};

/* 0, -EINVAL: it contradicts itself or its size, -EOPNOTSUPP: headers and actions that are not known here. */
int soft_rule_read(struct soft_rule *rule, const struct ibv_flow_attr *attr);
/* As the specifications say; of every frame where there are none. */
bool soft_rule_matches(const struct soft_rule *rule, const struct soft_frame *frame);

void soft_rule_insert(struct soft_rule_table *table, struct soft_rule *rule);
void soft_rule_remove(struct soft_rule_table *table, struct soft_rule *rule);
void soft_rule_forget(struct soft_rule_table *table); /* all of them, unseen */

/*
 * Calls `deliver` for each rule of the table that the frame goes to: every sniffer; of the others the first that
 * matches, those before it that don't trap, and those of the same priority and specifications, which share it; else
 * the rules for multicast that no other rule had, else those for everything. A rule that drops is delivered nothing.
 */
void soft_rule_steer(const struct soft_rule_table *table, const struct soft_frame *frame,
		     void (*deliver)(struct soft_rule *rule, void *argument), void *argument);

#endif
