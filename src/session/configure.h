/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The configurations of the layers below, from the parameters. Called by session.c and agree.c. */
#ifndef SESSION_CONFIGURE_H
#define SESSION_CONFIGURE_H

#include "session/state.h"

/* Both configurations contain pointers into params. */
void session_configure(const struct params *params, enum side side, struct verbs_config *config);
/* How much device memory the buffers need, if they are in it; the device may change until both sides have agreed. */
void session_configure_memory(struct verbs_config *config, const struct device *device);
void session_configure_report(const struct params *params, struct report_config *config);

#endif
