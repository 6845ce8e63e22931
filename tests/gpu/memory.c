// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Is each kind of memory of an NVIDIA GPU what src/memory takes it for? Without an RDMA device: filled, copied there
 * and back, loaded by the CPU where it can, exported as a dmabuf, and read by the kernel of --gpu_touch. tests/gpu/run
 * calls it on a GPU. A line "passed KIND: WHAT" or "failed KIND: WHY" for each kind; the argument is the number of the
 * GPU.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory/kinds.h"
#include "util/log.h"

#define BYTES 1000003 /* no multiple of a page */
#define SHIFT 12345

static uint8_t sent[BYTES - SHIFT], found[BYTES];

static bool goes_there_and_back(const struct buffer *buffer, uint8_t seed)
{
	for (size_t i = 0; i < sizeof(sent); i++)
		sent[i] = (uint8_t)(i * 31 + seed);
	buffer_copy_in(buffer, buffer->addr + SHIFT, sent, sizeof(sent));
	buffer_copy_out(buffer, found, buffer->addr + SHIFT, sizeof(sent));
	return !memory_copies_failed() && memcmp(sent, found, sizeof(sent)) == 0;
}

static bool is_filled(const struct buffer *buffer)
{
	unsigned different = 0;

	if (buffer_fill(buffer, ""))
		return false;
	buffer_copy_out(buffer, found, buffer->addr, BYTES);
	for (size_t i = 1; i < BYTES; i++)
		different += found[i] != found[i - 1];
	return different > BYTES / 2;
}

/* What the CPU polls. */
static bool loads_the_same(const struct buffer *buffer)
{
	return buffer->ops->is_far || memcmp(buffer->addr + SHIFT, sent, sizeof(sent)) == 0;
}

/* NULL: all is right. */
static const char *examine(struct buffer *buffer, const char **exported)
{
	*exported = buffer->fd >= 0 ? "a dmabuf" : buffer->refused[0] ? buffer->refused : "no dmabuf";
	if (!is_filled(buffer))
		return "it is not filled";
	if (!goes_there_and_back(buffer, 1) || !loads_the_same(buffer))
		return "other bytes came back";
	if (buffer->ops->begin && buffer->ops->begin(buffer)) {
		if (!strstr(log_last_error(), "the GPU cannot access memory that CUDA has not allocated"))
			return "the kernel does not run";
		*exported = "no kernel, since this GPU does not reach it";
		return NULL;
	}
	/* With GPU_TOUCH_INFINITE beside the kernel. */
	return goes_there_and_back(buffer, 2) && loads_the_same(buffer) ? NULL
									: "other bytes came back from the kernel";
}

static bool passes(int gpu, enum cuda_memory memory, enum gpu_touch touch, const char *name)
{
	static const char *const touches[] = {"no kernel", "a kernel that ran once", "a kernel beside the copies"};
	const struct cuda_choice choice = {.memory = memory, .touch = touch};
	const char *exported = "", *wrong = "it cannot be had";
	struct buffer buffer = {0};

	gpu_nvidia_want(&choice);
	if (!gpu_choose(&gpu_nvidia, gpu) && !buffer_open(&buffer, gpu_nvidia_memory(memory), BYTES, NULL))
		wrong = examine(&buffer, &exported);
	if (wrong)
		printf("failed %s, %s: %s: %s\n", name, touches[touch], wrong, log_last_error());
	else
		printf("passed %s, %s: %d bytes filled and copied, %s\n", name, touches[touch], BYTES, exported);
	buffer_close(&buffer);
	return !wrong;
}

int main(int argc, char **argv)
{
	static const struct {
		enum cuda_memory memory;
		const char *name;
		bool moves; /* its pages */
	} kinds[] = {{CUDA_MEMORY_DEVICE, "memory of the GPU", false},
		     {CUDA_MEMORY_MANAGED, "managed memory", true},
		     {CUDA_MEMORY_HOST, "pinned memory", false},
		     {CUDA_MEMORY_MALLOC, "memory of malloc()", true}};
	const int gpu = argc > 1 ? atoi(argv[1]) : 0;
	bool all = true;
	char reason[256];

	log_set_program("memory");
	if (gpu_probe(&gpu_nvidia, reason, sizeof(reason))) {
		puts(reason);
		return 77;
	}
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		for (int touch = GPU_TOUCH_NONE; touch <= (kinds[i].moves ? GPU_TOUCH_INFINITE : GPU_TOUCH_NONE);
		     touch++)
			all &= passes(gpu, kinds[i].memory, (enum gpu_touch)touch, kinds[i].name);
	return all ? 0 : 1;
}
