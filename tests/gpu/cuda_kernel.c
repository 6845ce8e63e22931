// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The part of the stand-in for libcuda.so.1 that runs kernels: one that reads a byte of each page, by a thread of the
 * host. That the PTX of src/memory/gpu_nvidia.c says the same is not seen here.
 *
 *	GPU_STANDIN_PTX=FILE      the PTX that is loaded
 *	GPU_STANDIN_TOUCHED=FILE  how often each kernel went over how many pages, once it has ended
 *
 * What waits for all that runs on the device (CUDA C++ Programming Guide, "Implicit Synchronization", and "Lazy
 * Loading" of modules) waits here, too; for a kernel that nobody ends it would for ever, so that this ends the program
 * instead.
 */
#include <pthread.h>

#include "driver.h"

#define INVALID_VALUE 1
#define INVALID_PTX   218
#define TOUCHED_PAGE  4096

struct stream {
	pthread_t thread;
	bool is_running;
	uint64_t address, bytes;
	const volatile uint32_t *go;
	unsigned long rounds;
};

static int module, function;
static unsigned running;		 /* kernels */
static const volatile uint32_t *last_go; /* of the one that began last */

void await_kernels(const char *function_name)
{
	if (!__atomic_load_n(&running, __ATOMIC_ACQUIRE) || !*last_go) /* they end by themselves */
		return;
	fprintf(stderr, "%s would wait for ever for a kernel that runs\n", function_name);
	abort();
}

int cuModuleLoadData(void **made, const void *image);
int cuModuleGetFunction(void **found, void *of, const char *name);
int cuModuleUnload(void *of);
int cuStreamCreate(void **made, unsigned flags);
int cuStreamSynchronize(void *of);
int cuStreamDestroy_v2(void *of);
int cuLaunchKernel(void *what, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,
		   unsigned block_z, unsigned shared_bytes, void *in, void **arguments, void **extra);

int cuModuleLoadData(void **made, const void *image)
{
	const char *text = image, *path = getenv("GPU_STANDIN_PTX");
	FILE *file = path ? fopen(path, "w") : NULL;

	await_kernels("cuModuleLoadData");
	if (file) {
		fputs(text, file);
		fclose(file);
	}
	if (must_fail("cuModuleLoadData") || strncmp(text, ".version ", 9) != 0 || !strstr(text, ".entry touch("))
		return INVALID_PTX;
	*made = &module;
	return 0;
}

int cuModuleGetFunction(void **found, void *of, const char *name)
{
	*found = &function;
	return of == &module && strcmp(name, "touch") == 0 ? 0 : INVALID_VALUE;
}

int cuModuleUnload(void *of)
{
	await_kernels("cuModuleUnload");
	return of == &module ? 0 : INVALID_VALUE;
}

/* Flag 1: it does not wait for the default stream. */
int cuStreamCreate(void **made, unsigned flags)
{
	*made = flags == 1 ? calloc(1, sizeof(struct stream)) : NULL;
	return *made ? 0 : INVALID_VALUE;
}

static void *run_kernel(void *given)
{
	struct stream *stream = given;
	const volatile uint8_t *bytes = device_reach(stream->address);

	do {
		for (uint64_t at = 0; at < stream->bytes; at += TOUCHED_PAGE)
			(void)bytes[at];
		stream->rounds++;
	} while (*stream->go);
	return NULL;
}

int cuLaunchKernel(void *what, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,
		   unsigned block_z, unsigned shared_bytes, void *in, void **arguments, void **extra)
{
	struct stream *stream = in;

	if (must_fail("cuLaunchKernel") || what != &function || grid_x * grid_y * grid_z != 1 || block_x != 32 ||
	    block_y * block_z != 1 || shared_bytes || extra || stream->is_running)
		return INVALID_VALUE;
	memcpy(&stream->address, arguments[0], sizeof(stream->address));
	memcpy(&stream->bytes, arguments[1], sizeof(stream->bytes));
	memcpy(&stream->go, arguments[2], sizeof(stream->go));
	if (pthread_create(&stream->thread, NULL, run_kernel, stream))
		return INVALID_VALUE;
	stream->is_running = true;
	last_go = stream->go;
	__atomic_add_fetch(&running, 1, __ATOMIC_ACQ_REL);
	return 0;
}

int cuStreamSynchronize(void *of)
{
	const char *path = getenv("GPU_STANDIN_TOUCHED");
	struct stream *stream = of;
	FILE *file;

	if (!stream->is_running)
		return 0;
	pthread_join(stream->thread, NULL);
	stream->is_running = false;
	__atomic_sub_fetch(&running, 1, __ATOMIC_ACQ_REL);
	file = path ? fopen(path, "ae") : NULL;
	if (file) {
		fprintf(file, "%lu rounds over %llu pages\n", stream->rounds,
			(unsigned long long)(stream->bytes + TOUCHED_PAGE - 1) / TOUCHED_PAGE);
		fclose(file);
	}
	return 0;
}

int cuStreamDestroy_v2(void *of)
{
	free(of);
	return 0;
}
