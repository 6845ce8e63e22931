/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A whole run of a command line, for `perftest compare`, `gate`, `verify` and `run -f`: both sides are started anew. */
#pragma once

#include "front/launch/child.h"

#define TRIAL_REASON_SIZE 700

/*
 * Without a HOST the server is started here, too. 0 and the client's document; -EINTR: the user stopped; -EIO and why
 * it failed, -ENOTCONN if its server did not even listen; then there may be a document, too. NULL: there is none, or it
 * is not whole. Nothing of the run is left.
 */
int trial_run(const struct child_program *program, unsigned limit_s, json_t **document, char reason[TRIAL_REASON_SIZE]);
