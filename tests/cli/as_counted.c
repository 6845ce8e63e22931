// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Interposes ibv_open_device(): the file COUNTER, a counter of the port, has the number of requests that were posted.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <infiniband/verbs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "in_front.h"

static int (*post_send)(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad);
static int counter;

static int post_counted(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad)
{
	static unsigned posted;
	char text[16];

	for (const struct ibv_send_wr *request = wr; request; request = request->next)
		posted++;
	snprintf(text, sizeof(text), "%010u\n", posted);
	if (pwrite(counter, text, strlen(text), 0) != (ssize_t)strlen(text))
		abort();
	return post_send(qp, wr, bad);
}

struct ibv_context *ibv_open_device(struct ibv_device *device)
{
	struct ibv_context *context;

	NEXT(ibv_open_device);
	context = next(device);
	counter = open(getenv("COUNTER"), O_WRONLY | O_CLOEXEC);
	if (!context || counter < 0)
		abort();
	post_send = context->ops.post_send;
	context->ops.post_send = post_counted;
	return context;
}
