// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Why a connection was rejected, and which option of cmtime may help. verbs/connect/cm.c has the reasons. */
#include <stdio.h>
#include <string.h>

#include "cmtime/transport.h"
#include "verbs/connect/cm.h"

/* Advice that follows the text of a reason. */
static const char *const advice[] = {
	[1] = ": -c exceeds the capacity of its device",
	[3] = ": -c exceeds its capacity",
	[8] = ": the server is gone",
	[CM_REJECTED_STALE] = ": wait a while, or choose other numbers with -q",
	[28] = ": the queue pair number is in use there, or the instance has ended",
};

const char *transport_reject_words(int status, char *text, unsigned size)
{
	const char *words = cm_judge_rejection(status).words;

	if (status < 0)
		snprintf(text, size, "%s", strerror(-status));
	else if (words)
		snprintf(text, size, "%s%s (reason %d)", words,
			 (size_t)status < sizeof(advice) / sizeof(advice[0]) && advice[status] ? advice[status] : "",
			 status);
	else
		snprintf(text, size, "reason %d", status);
	return text;
}
