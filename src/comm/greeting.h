/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which protocol does the peer speak? The exchange of version texts, the first of all messages. Called by session, and
 * by pending_client.c for those that were not chosen yet.
 */
#ifndef COMM_GREETING_H
#define COMM_GREETING_H

#include "comm/comm.h"

/* Both: exchange of version texts; chooses ops, and says with comm->traits whom it met. */
int comm_greet(struct comm *comm);
/* In place of comm_greet() (--dont_xchg_versions): the peer is taken for a classic one that was told the same. */
void comm_assume_classic(struct comm *comm);
/*
 * The second half of comm_greet(): the peer's greeting has come. As that, but what is no perftest (-EBADMSG) is
 * not reported; words: what it is, behind its name.
 */
int comm_answer_greeting(struct comm *comm, char *words, size_t size);

#endif
