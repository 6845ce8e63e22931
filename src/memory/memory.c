// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Opens buffers, and fills them before a test. Called by verbs. See memory.h. */
#include "memory/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "util/log.h"
#include "util/stop.h"

#define BLOCK_BYTES (64 << 10) /* stays in the L2 cache while it is copied */

int buffer_open(struct buffer *buffer, const struct memory_ops *ops, size_t bytes, struct ibv_context *context)
{
	int err;

	*buffer = (struct buffer){.ops = ops, .length = bytes, .fd = -1};
	err = ops->alloc(buffer, context);
	if (err)
		buffer->ops = NULL;
	return err;
}

static int copies_failed; /* atomic: all threads copy; a bool would need libatomic on RISC-V */

void buffer_close(struct buffer *buffer)
{
	if (buffer->ops)
		buffer->ops->free(buffer);
	*buffer = (struct buffer){.fd = -1};
	__atomic_store_n(&copies_failed, 0, __ATOMIC_RELAXED);
}

void memory_copy_failed(const struct buffer *buffer, const char *why)
{
	if (!__atomic_exchange_n(&copies_failed, 1, __ATOMIC_RELAXED))
		log_error("%s memory: a copy to or from it failed: %s", buffer->ops->name, why);
}

bool memory_copies_failed(void)
{
	return __atomic_load_n(&copies_failed, __ATOMIC_RELAXED);
}

/* xorshift64*: the data only has to be incompressible, not unpredictable. */
static void make_random(uint8_t *block, size_t bytes)
{
	uint64_t state = 0;

	if (getrandom(&state, sizeof(state), GRND_NONBLOCK) != sizeof(state) || state == 0)
		state = (uintptr_t)block | 1;
	for (size_t i = 0; i < bytes; i += sizeof(state)) {
		uint64_t value;

		state ^= state >> 12;
		state ^= state << 25;
		state ^= state >> 27;
		value = state * 0x2545f4914f6cdd1dULL;
		memcpy(block + i, &value, sizeof(value));
	}
}

/* -EINTR if the user ends the run: gigabytes take seconds. */
static int repeat(const struct buffer *buffer, const uint8_t *block, size_t block_bytes)
{
	for (size_t at = 0; at < buffer->length; at += block_bytes) {
		size_t rest = buffer->length - at;

		buffer_copy_in(buffer, buffer->addr + at, block, rest < block_bytes ? rest : block_bytes);
		if (stop_requested())
			return -EINTR;
	}
	return 0;
}

int buffer_fill(const struct buffer *buffer, const char *payload_file)
{
	size_t block_bytes = BLOCK_BYTES;
	uint8_t *block = NULL;
	int err;

	if (buffer->is_sealed && !payload_file[0])
		return 0;
	if (payload_file[0] != '\0') {
		err = payload_read(payload_file, &block, &block_bytes);
		if (err)
			return err;
	} else {
		block = malloc(block_bytes);
		if (!block)
			return log_fail(-ENOMEM, "no memory for %zu bytes of random data", block_bytes);
		make_random(block, block_bytes);
	}
	err = repeat(buffer, block, block_bytes);
	free(block);
	return err;
}
