/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Checks the messages that arrived (--data_validation). Called by validate_rounds.c and measure.c. */
#ifndef SESSION_VALIDATE_CHECK_H
#define SESSION_VALIDATE_CHECK_H

#include "session/state.h"

/* The source and target slot of the round's n-th message of a queue pair (SEND: of its n-th arrival). */
uint8_t *session_source_slot(const struct session *session, unsigned qp, uint32_t n);
uint8_t *session_sink_slot(const struct session *session, unsigned qp, uint32_t n);
/* The slot of the n-th SEND that arrived on a queue pair, after the round. */
uint8_t *session_arrival_slot(const struct session *session, unsigned qp, uint32_t n);
/* Number of queue pairs that share a receive queue. */
uint32_t session_sharers(const struct session *session);
/* Checks the arrivals of a complete round; adds to validation.found and reports errors. */
void session_inspect_round(struct session *session, uint64_t size, uint32_t messages);
/* After atomics: checks the resulting values. */
void session_inspect_source(struct session *session, uint32_t messages);
/* At the end of a size: both sides exchange their results; adds to validation.total. 0 or -errno, reported. */
int session_exchange_verdicts(struct session *session, uint64_t size, struct report_row *row);
/* The result of the whole run, also of one that failed early. */
const struct report_validation *session_validation_end(struct session *session);

#endif
