// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Why was a connection refused? The reasons of the communication manager (InfiniBand specification, volume 1,
 * 12.6.7.2), with what they mean here; iWARP has negative error numbers in their place.
 */
#include <stdio.h>
#include <string.h>

#include "cmtime/transport.h"

const char *transport_reject_words(int status, char *text, unsigned size)
{
	static const char *const reasons[] = {
		[1] = "the server has no queue pair left: -c is more than its device can hold",
		[3] = "the server is out of resources: -c is more than it can hold",
		[4] = "the server took too long",
		[5] = "the server can't do what was asked for",
		[6] = "the communication ID is not known",
		[7] = "the communication instance is not known",
		[8] = "nobody listens there (invalid service ID): the server is gone",
		[9] = "the service type is not known",
		[10] = "stale connection: the server still holds one from the same queue pair number; wait a while, or "
		       "choose "
		       "other numbers with -q",
		[12] = "the server's GID was not accepted",
		[13] = "the server's LID was not accepted",
		[14] = "the service level was not accepted",
		[15] = "the traffic class was not accepted",
		[16] = "the hop limit was not accepted",
		[17] = "the packet rate was not accepted",
		[24] = "the server wants the port and its manager to be another one",
		[25] = "the server wants the port to be another one",
		[26] = "the path MTU was not accepted",
		[27] = "the server can't hold so many outstanding reads",
		[28] = "the server's program or kernel refused it (consumer reject): a queue pair number that is in "
		       "use there, "
		       "or an instance that ended",
		[29] = "the server's receiver is not ready",
		[30] = "the communication ID is in use",
		[31] = "the protocol version was not accepted",
		[32] = "the flow label was not accepted",
	};

	if (status < 0)
		snprintf(text, size, "%s", strerror(-status));
	else if ((size_t)status < sizeof(reasons) / sizeof(reasons[0]) && reasons[status])
		snprintf(text, size, "%s (reason %d)", reasons[status], status);
	else
		snprintf(text, size, "reason %d", status);
	return text;
}
