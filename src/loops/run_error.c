// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See run_error.h; run.h says when a loop returns which. */
#include "loops/run_error.h"

#include <errno.h>
#include <stdio.h>

const char *run_error_text(int error, const char *device, char *text, size_t size)
{
	switch (error) {
	case -EBADMSG:
		snprintf(text, size, "%s completed a request that this side did not post", device);
		return text;
	case -EPROTO:
		snprintf(text, size, "the library of %s returned more completions than it was asked for", device);
		return text;
	case -EBADE:
		snprintf(text, size, "the peer marked more messages as delayed than is possible");
		return text;
	case -ETIME:
		snprintf(text, size, "the clock went backwards by more than a second, so there are no figures");
		return text;
	default:
		return NULL;
	}
}
