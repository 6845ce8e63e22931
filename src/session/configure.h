/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The configuration of the report, from the parameters. It contains pointers into them. */
#ifndef SESSION_CONFIGURE_H
#define SESSION_CONFIGURE_H

#include "session/state.h"

void session_configure_report(const struct params *params, struct report_config *config);

#endif
