/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Several pairs of cxi_send_bw at once: --clients on a server, several servers on a client. Each pair is a process of
 * its own (life/pair.h), with a transport of its own, and runs an ordinary test, but that it waits for the group's
 * start of each size and passes its figures on. This process accepts the clients, starts all pairs together, and prints
 * a row for each and one for all. Both sides of a pair need no clock in common: its measured time begins at its
 * barrier, here, and the sender's at most as much later as its first list arrives (struct cxi_outcome).
 *
 * If a pair ends early the others continue, the row is partial, and so is the test. One that leaves before all have
 * joined can be replaced.
 */
#pragma once

#include <stdint.h>
#include <sys/types.h>

#include "cxi/adapter.h"
#include "cxi/control/channel.h"
#include "cxi/report.h"
#include "cxi/run.h"
#include "util/process.h"

/* What a pair's process writes before it sends a message, and the group reads. Both map it at the same address. */
struct cxi_slot {
	char options[CXI_OPTIONS_SIZE]; /* that both sides have agreed on */
	struct cxi_link link;
	struct cxi_adapter adapter;
	struct payload_path path;
	struct cxi_introduction own, peer;
	char peer_address[128];
	struct cxi_facts facts; /* which point to the above */
	/* --- of the last size --- */
	struct cxi_account account;
	struct cxi_figures figures;
	uint64_t lists;		  /* in both directions */
	int64_t begin_ns, end_ns; /* of the measured time, by CLOCK_MONOTONIC */
	int64_t error_ns;	  /* both may be so much later */
};

struct cxi_member {
	int fd; /* of life/pair.h */
	struct cxi_slot *slot;
	struct run_id run_id;		  /* of all pairs */
	const volatile uint32_t *missing; /* how many have yet to join; the group writes it */
};

struct cxi_group_ops {
	/* Can a test with these parameters run here? In a process of its own, before any peer is connected. */
	enum exit_status (*probe)(const struct cxi_params *params);
	/* Runs the test of one pair; conn: of its client, which the callee owns; NULL: it connects. */
	enum exit_status (*run)(const struct cxi_params *params, const struct cxi_acceptor *acceptor,
				struct cxi_member *member, struct conn *conn);
};

/* What main() returns. */
enum exit_status cxi_group_main(const struct cxi_params *params, const struct cxi_group_ops *ops);

/* --- in the process of a pair: 0 or -errno, reported --- */

/* Both sides have agreed. */
int cxi_member_join(const struct cxi_member *member, struct cxi_channel *channel, const struct cxi_params *params);
/* For the group's banner and document. */
void cxi_member_keep(const struct cxi_member *member, const struct cxi_adapter *adapter, const struct cxi_facts *facts);
/* Waits until all pairs, including this one's peer, are ready, and start. */
int cxi_member_start(const struct cxi_member *member, struct cxi_channel *channel);
/* lists: that figures are of. */
int cxi_member_measured(const struct cxi_member *member, const struct cxi_account *account,
			const struct cxi_figures *figures, const struct cxi_outcome *outcome, uint64_t lists);
