// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Copies to and from device memory, which only supports whole words: are adjacent bytes unchanged? */
#include <infiniband/verbs.h>

#include "cmocka_all.h"
#include "memory/kinds.h"
#include "util/log.h"

#define SIZE 256
#define BASE 4096 /* where a buffer begins in it */

static uint8_t there[BASE + SIZE];

static int copy_to(struct ibv_dm *dm, uint64_t offset, const void *from, size_t length)
{
	assert_true(offset % 4 == 0 && length % 4 == 0 && length && offset + length <= sizeof(there));
	memcpy(there + offset, from, length);
	return 0;
}

static int copy_from(void *to, struct ibv_dm *dm, uint64_t offset, size_t length)
{
	assert_true(offset % 4 == 0 && length % 4 == 0 && length && offset + length <= sizeof(there));
	memcpy(to, there + offset, length);
	return 0;
}

/* Each length from each place in a word. */
TEST(any_bytes_are_copied_and_no_others)
{
	struct ibv_dm dm = {.memcpy_to_dm = copy_to, .memcpy_from_dm = copy_from};
	struct buffer buffer = {.ops = &memory_of_adapter, .addr = (uint8_t *)BASE, .length = SIZE, .private = &dm};
	uint8_t in[32], out[32], expected[SIZE];

	for (size_t i = 0; i < sizeof(in); i++)
		in[i] = (uint8_t)(i * 7 + 1);
	for (size_t at = 0; at < 8; at++) {
		for (size_t length = 0; length <= 20; length++) {
			memset(there, 0xee, sizeof(there));
			memset(expected, 0xee, sizeof(expected));
			memset(out, 0, sizeof(out));
			memcpy(expected + at, in, length);
			buffer_copy_in(&buffer, buffer.addr + at, in, length);
			assert_memory_equal(there + BASE, expected, sizeof(expected));
			buffer_copy_out(&buffer, out, buffer.addr + at, length);
			assert_memory_equal(out, in, length);
		}
	}
}

static uint64_t supply;

static int query_device(struct ibv_context *context, const struct ibv_query_device_ex_input *input,
			struct ibv_device_attr_ex *attr, size_t size)
{
	assert_true(size >= sizeof(*attr));
	attr->max_dm_size = supply;
	return 0;
}

/* Nothing is tried that can't be, and the sentence has the numbers. */
TEST(what_a_device_lacks_is_said)
{
	struct ibv_device device = {.name = "fake0"};
	struct verbs_context verbs = {
		.sz = sizeof(verbs), .query_device_ex = query_device, .context.abi_compat = __VERBS_ABI_IS_EXTENDED};
	struct buffer buffer = {.ops = &memory_of_adapter, .length = 65536};

	verbs.context.device = &device;
	assert_int_equal(memory_of_adapter.alloc(&buffer, &verbs.context), -EOPNOTSUPP);
	assert_non_null(strstr(log_last_error(), "fake0 has no memory of its own"));
	supply = 65536;
	assert_int_equal(memory_of_adapter.supply(&verbs.context), 65536);
	assert_int_equal(memory_of_adapter.alloc(&buffer, &verbs.context), -ENOMEM);
	assert_non_null(
		strstr(log_last_error(), "fake0 has 65536 bytes of memory of its own, but the buffer needs 69632"));
}

TEST_MAIN(NULL, NULL)
