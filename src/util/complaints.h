/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Messages that clients of a server can cause, however often: at most some of them a minute are printed. */
#pragma once

#include <stdbool.h>

#include "util/deadline.h"

/* Zeroed at first. */
struct complaints {
	struct deadline end; /* end of the minute */
	unsigned failed;     /* number of clients */
	unsigned left_out;   /* those that were not printed */
};

/* Have there been so many in this minute that the next one is not to be printed? */
bool complaints_are_many(const struct complaints *complaints);
/* A client failed; left_out: without a message. */
void complaints_add(struct complaints *complaints, bool left_out);
/* If the minute is over: prints one line for all that were left out. */
void complaints_renew(struct complaints *complaints);
