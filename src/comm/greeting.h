/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which protocol does the peer use? The exchange of version texts, the first of all messages. Called by session, and by
 * pending_client.c for clients that have not been chosen yet.
 */
#pragma once

#include "comm/comm.h"

/* Both sides: exchanges version texts; sets ops, and comm->traits to those of the peer. */
int comm_greet(struct comm *comm);
/* Instead of comm_greet() (--dont_xchg_versions): assumes a classic peer that was given the same option. */
void comm_assume_classic(struct comm *comm);
/*
 * The second half of comm_greet(): the peer's greeting has arrived. Returns the same, but a peer that is not perftest
 * (-EBADMSG) is not reported; text: what it is, to follow its name.
 */
int comm_answer_greeting(struct comm *comm, char *text, size_t size);
