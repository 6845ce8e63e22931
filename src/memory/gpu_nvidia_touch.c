// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * --gpu_touch on an NVIDIA GPU: a kernel that reads a byte of each page, so that pages that can migrate move to the GPU
 * while the NIC uses them. linux-rdma perftest's kernel writes zeros; reading preserves the data. The kernel is PTX,
 * which the driver compiles for the GPU at hand (CUDA documentation, "Parallel Thread Execution ISA").
 *
 * It runs in a stream of its own that does not synchronize with the legacy default stream, which is used for copies: an
 * infinite kernel would block them. It would also block calls that allocate, free, load or unload, since they may wait
 * for everything that runs on the device (CUDA C++ Programming Guide, "Implicit Synchronization", "Lazy Loading").
 * Hence the module and the flag that ends a kernel, in pinned host memory, are created before the first kernel starts;
 * the flag is shared, so that ending the first buffer's kernel ends all of them.
 */
#include "memory/kinds.h"

#include <stdio.h>
#include <stdlib.h>

#define NON_BLOCKING 1 /* CU_STREAM_NON_BLOCKING */
#define LANES	     32

static struct {
	int (*load)(void **module, const void *image);
	int (*function)(void **function, void *module, const char *name);
	int (*stream)(void **stream, unsigned flags);
	int (*synchronize)(void *stream);
	int (*drop_stream)(void *stream);
	int (*unload)(void *module);
	int (*launch)(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
		      unsigned block_y, unsigned block_z, unsigned shared_bytes, void *stream, void **arguments,
		      void **extra);
	int (*alloc_host)(void **address, size_t bytes);
	int (*free_host)(void *address);
} driver;

static const char *const files[] = {"libcuda.so.1", NULL};
static const struct library_symbol symbols[] = {
	{"cuModuleLoadData", LIBRARY_ADDRESS(driver.load), NULL, NULL, false},
	{"cuModuleGetFunction", LIBRARY_ADDRESS(driver.function), NULL, NULL, false},
	{"cuModuleUnload", LIBRARY_ADDRESS(driver.unload), NULL, NULL, false},
	{"cuStreamCreate", LIBRARY_ADDRESS(driver.stream), NULL, NULL, false},
	{"cuStreamSynchronize", LIBRARY_ADDRESS(driver.synchronize), NULL, NULL, false},
	{"cuStreamDestroy_v2", LIBRARY_ADDRESS(driver.drop_stream), NULL, NULL, false},
	{"cuLaunchKernel", LIBRARY_ADDRESS(driver.launch), NULL, NULL, false},
	{"cuMemAllocHost_v2", LIBRARY_ADDRESS(driver.alloc_host), NULL, NULL, false},
	{"cuMemFreeHost", LIBRARY_ADDRESS(driver.free_host), NULL, NULL, false},
	{NULL, NULL, NULL, NULL, false},
};
static const struct library library = {files, symbols, "the driver's software", false};

/* LANES threads read every LANESth page each; *go is checked between rounds. */
static const char kernel[] = ".version 6.0\n"
			     ".target sm_50\n"
			     ".address_size 64\n"
			     ".visible .entry touch(.param .u64 base, .param .u64 bytes, .param .u64 go)\n"
			     "{\n"
			     "	.reg .pred %more;\n"
			     "	.reg .u32 %lane, %byte, %word;\n"
			     "	.reg .u64 %start, %end, %flag, %first, %at;\n"
			     "	ld.param.u64 %start, [base];\n"
			     "	ld.param.u64 %end, [bytes];\n"
			     "	ld.param.u64 %flag, [go];\n"
			     "	add.u64 %end, %end, %start;\n"
			     "	mov.u32 %lane, %tid.x;\n"
			     "	mul.wide.u32 %first, %lane, 4096;\n"
			     "	add.u64 %first, %first, %start;\n"
			     "ROUND:\n"
			     "	mov.u64 %at, %first;\n"
			     "PAGE:\n"
			     "	setp.ge.u64 %more, %at, %end;\n"
			     "	@%more bra LAST;\n"
			     "	ld.volatile.u8 %byte, [%at];\n"
			     "	add.u64 %at, %at, 131072;\n" /* LANES pages */
			     "	bra PAGE;\n"
			     "LAST:\n"
			     "	ld.volatile.u32 %word, [%flag];\n"
			     "	setp.ne.u32 %more, %word, 0;\n"
			     "	@%more bra ROUND;\n"
			     "	ret;\n"
			     "}\n";

/* Shared by all buffers. */
static struct {
	void *module, *function;
	volatile uint32_t *go; /* nonzero: start another round */
	unsigned users;
} shared;

struct cuda_touch {
	void *stream;
};

/* The last caller frees the shared objects. All kernels have ended. */
static void touch_leave(void)
{
	if (--shared.users)
		return;
	if (shared.go)
		driver.free_host((void *)shared.go);
	if (shared.module)
		driver.unload(shared.module);
	shared.go = NULL;
	shared.module = NULL;
}

/* 0 or an error of CUDA. */
static int touch_join(bool is_infinite)
{
	void *go = NULL;
	int ret;

	if (shared.users++)
		return 0;
	ret = driver.load(&shared.module, kernel);
	if (!ret)
		ret = driver.function(&shared.function, shared.module, "touch");
	if (!ret)
		ret = driver.alloc_host(&go, sizeof(*shared.go));
	shared.go = go;
	if (ret)
		touch_leave();
	else
		*shared.go = is_infinite;
	return ret;
}

int gpu_nvidia_touch(uint64_t address, uint64_t bytes, bool is_infinite, void **result, char *reason,
		     size_t reason_size)
{
	struct cuda_touch *touch = calloc(1, sizeof(*touch));
	void *go, *arguments[] = {&address, &bytes, &go};
	int ret = -1;

	if (!touch)
		snprintf(reason, reason_size, "no memory");
	else if (!library_open(&library, "NVIDIA", reason, reason_size))
		ret = touch_join(is_infinite);
	if (ret) {
		free(touch);
		return ret;
	}
	go = (void *)shared.go;
	ret = driver.stream(&touch->stream, NON_BLOCKING);
	if (!ret)
		ret = driver.launch(shared.function, 1, 1, 1, LANES, 1, 1, 0, touch->stream, arguments, NULL);
	if (!ret && !is_infinite)
		ret = driver.synchronize(touch->stream);
	if (!ret)
		*result = touch;
	else
		gpu_nvidia_untouch(touch);
	return ret;
}

void gpu_nvidia_untouch(void *given)
{
	struct cuda_touch *touch = given;

	if (!touch)
		return;
	*shared.go = 0;
	if (touch->stream) {
		driver.synchronize(touch->stream);
		driver.drop_stream(touch->stream);
	}
	free(touch);
	touch_leave();
}
