/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What came, and what of it is wrong (--data_validation). Called by validate_rounds.c and measure.c. */
#ifndef SESSION_VALIDATE_CHECK_H
#define SESSION_VALIDATE_CHECK_H

#include "session/state.h"

/* Where the round's n-th message of a queue pair comes from, and goes to (SEND: its n-th arrival). */
uint8_t *session_source_slot(const struct session *session, unsigned qp, uint32_t n);
uint8_t *session_sink_slot(const struct session *session, unsigned qp, uint32_t n);
/* Where the n-th SEND that arrived on a queue pair is, after the round. */
uint8_t *session_arrival_slot(const struct session *session, unsigned qp, uint32_t n);
/* Queue pairs whose receives are in one queue. */
uint32_t session_sharers(const struct session *session);
/* What arrived in a round that is complete; adds to validation.found and names what is wrong. */
void session_inspect_round(struct session *session, uint64_t size, uint32_t messages);
/* After atomics: what they made of the values. */
void session_inspect_source(struct session *session, uint32_t messages);
/* At the end of a size: both sides tell each other; adds to validation.total. 0 or -errno, reported. */
int session_exchange_verdicts(struct session *session, uint64_t size, struct report_row *row);
/* What is to be said of the whole run, also of one that failed half way. */
const struct report_validation *session_validation_end(struct session *session);

#endif
