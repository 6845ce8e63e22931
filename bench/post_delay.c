// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Preloaded: each ibv_post_send() and send() takes POST_DELAY_NS longer, a known difference for bench/compare to find.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <infiniband/verbs.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>

static int (*post_send)(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad);
static ssize_t (*next_send)(int fd, const void *bytes, size_t length, int flags);
static uint64_t delay_ns;

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void wait_ns(uint64_t ns)
{
	const uint64_t until = now_ns() + ns;

	while (now_ns() < until)
		;
}

static int post_late(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad)
{
	wait_ns(delay_ns);
	return post_send(qp, wr, bad);
}

static void __attribute__((constructor)) note_delay(void)
{
	const char *delay = getenv("POST_DELAY_NS");

	delay_ns = delay ? strtoull(delay, NULL, 10) : 0;
	*(void **)&next_send = dlsym(RTLD_NEXT, "send");
}

ssize_t send(int fd, const void *bytes, size_t length, int flags)
{
	wait_ns(delay_ns);
	return next_send(fd, bytes, length, flags);
}

struct ibv_context *ibv_open_device(struct ibv_device *device)
{
	struct ibv_context *(*next)(struct ibv_device *);
	struct ibv_context *context;

	*(void **)&next = dlsym(RTLD_NEXT, "ibv_open_device");
	context = next(device);
	if (context) {
		post_send = context->ops.post_send;
		context->ops.post_send = post_late;
	}
	return context;
}
