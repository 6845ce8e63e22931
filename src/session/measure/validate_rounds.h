/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Measures a message size with --data_validation. Called by measure.c. */
#ifndef SESSION_VALIDATE_ROUNDS_H
#define SESSION_VALIDATE_ROUNDS_H

#include "session/measure/run_progress.h"

/* Allocates memory for the size that was prepared last. 0 or -ENOMEM, reported. */
int session_validation_open(struct session *session);
void session_validation_close(struct session *session);
/* All of a size's messages, checked; total is filled in as a loop would. 0 or -errno, reported. */
int session_run_rounds(struct session *session, struct run *total, struct run_progress *progress);

#endif
