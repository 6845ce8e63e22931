// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Which memory do a request and a receive consist of? For the files of all providers. */
#include <stdlib.h>

#include <infiniband/verbs.h>

#include "rig.h"

void request_add(struct rig_request *request, const void *start, uint64_t bytes)
{
	if (request->count == RIG_MAX_IOV) {
		rig_fault("more than %d pieces of memory", RIG_MAX_IOV);
		exit(3);
	}
	request->iov[request->count++] = (struct iovec){(void *)start, bytes}; // NOLINT
	request->length += bytes;
}

void request_add_data(struct rig_request *request, uint32_t key, uint64_t address, uint32_t bytes)
{
	trace(" data=%u key=%#x at=%s", bytes, key, trace_place(key, address));
	request_add(request, (const void *)(uintptr_t)rig_translate(key, address, bytes, 0), bytes); // NOLINT
}

void receive_add(struct rig_receive *receive, uint32_t key, uint64_t address, uint32_t bytes)
{
	uint64_t start = rig_translate(key, address, bytes, IBV_ACCESS_LOCAL_WRITE);

	if ((!start && bytes) || receive->count == RIG_MAX_IOV) {
		rig_fault("receive %u has a bad address", receive->index);
		return;
	}
	receive->iov[receive->count++] = (struct iovec){(void *)(uintptr_t)start, bytes}; // NOLINT
	receive->length += bytes;
}

uint32_t power_of_two(uint32_t least)
{
	uint32_t power = 1;

	while (power < least)
		power *= 2;
	return power;
}
