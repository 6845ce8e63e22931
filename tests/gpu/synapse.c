// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A stand-in for libSynapse.so: the functions of SynapseAI that src/memory/gpu_habana.c calls. */
#include "device.h"

#define INVALID_ARGUMENT     1
#define OUT_OF_DEVICE_MEMORY 4
#define NOT_INITIALIZED	     6
#define NO_DEVICE_FOUND	     8
#define DEVICE_FD	     1234

/* synDeviceInfoV2. */
struct device_info {
	uint64_t sram_base, dram_base;
	uint32_t sram_size;
	uint64_t dram_size, tpc_mask;
	uint8_t dram_enabled;
	uint32_t id, fd, type;
	uint8_t index;
	uint64_t all_base;
};

static bool is_initialised;
static int stream;
static void *mapped; /* of the host's memory: copies need it */
static size_t mapped_bytes;

int synInitialize(void);
int synDeviceGetCount(uint32_t *count);
int synDeviceAcquire(uint32_t *device, const char *bus_id);
int synDeviceGetInfoV2(uint32_t device, struct device_info *info);
int synDeviceMalloc(uint32_t device, uint64_t bytes, uint64_t address, uint32_t flags, uint64_t *buffer);
int synDeviceFree(uint32_t device, uint64_t buffer, uint32_t flags);
int synHostMalloc(uint32_t device, uint64_t bytes, uint32_t flags, void **buffer);
int synHostFree(uint32_t device, const void *buffer, uint32_t flags);
int synStreamCreateGeneric(void **made, uint32_t device, uint32_t flags);
int synStreamSynchronize(void *of);
int synMemCopyAsync(void *in, uint64_t from, uint64_t bytes, uint64_t to, int direction);

int synInitialize(void)
{
	is_initialised = !must_fail("synInitialize");
	return is_initialised ? 0 : NOT_INITIALIZED;
}

int synDeviceGetCount(uint32_t *count)
{
	*count = (uint32_t)device_count();
	return is_initialised ? 0 : NOT_INITIALIZED;
}

int synDeviceAcquire(uint32_t *device, const char *bus_id)
{
	const int index = device_at(bus_id);

	*device = (uint32_t)index;
	return index < 0 || must_fail("synDeviceAcquire") ? NO_DEVICE_FOUND : 0;
}

int synDeviceGetInfoV2(uint32_t device, struct device_info *info)
{
	*info = (struct device_info){.id = device, .fd = DEVICE_FD, .all_base = PAGE};
	return 0;
}

int synDeviceMalloc(uint32_t device, uint64_t bytes, uint64_t address, uint32_t flags, uint64_t *buffer)
{
	if (device >= (uint32_t)device_count() || address || flags)
		return INVALID_ARGUMENT;
	*buffer = must_fail("synDeviceMalloc") ? 0 : device_alloc(bytes, MISALIGNED);
	return *buffer ? 0 : OUT_OF_DEVICE_MEMORY;
}

int synDeviceFree(uint32_t device, uint64_t buffer, uint32_t flags)
{
	device_free(buffer, MISALIGNED);
	return device >= (uint32_t)device_count() || flags ? INVALID_ARGUMENT : 0;
}

int synHostMalloc(uint32_t device, uint64_t bytes, uint32_t flags, void **buffer)
{
	*buffer = malloc(bytes);
	mapped = *buffer;
	mapped_bytes = bytes;
	return *buffer && device < (uint32_t)device_count() && !flags ? 0 : INVALID_ARGUMENT;
}

int synHostFree(uint32_t device, const void *buffer, uint32_t flags)
{
	free((void *)(uintptr_t)buffer);
	return device < (uint32_t)device_count() && !flags ? 0 : INVALID_ARGUMENT;
}

int synStreamCreateGeneric(void **made, uint32_t device, uint32_t flags)
{
	*made = &stream;
	return device < (uint32_t)device_count() && !flags && !must_fail("synStreamCreateGeneric") ? 0
												   : INVALID_ARGUMENT;
}

/* A copy is over by then, and not before. */
static struct {
	uint64_t from, bytes, to;
	int direction;
} pending;

int synStreamSynchronize(void *of)
{
	if (of != &stream)
		return INVALID_ARGUMENT;
	if (pending.bytes && pending.direction == 0)
		device_write(pending.to, (const void *)(uintptr_t)pending.from, pending.bytes);
	else if (pending.bytes)
		device_read((void *)(uintptr_t)pending.to, pending.from, pending.bytes);
	pending.bytes = 0;
	return 0;
}

/* 0 to the device, 1 from it; the host's side is mapped memory. */
int synMemCopyAsync(void *in, uint64_t from, uint64_t bytes, uint64_t to, int direction)
{
	const uint64_t host = direction == 0 ? from : to;

	if (must_fail("synMemCopyAsync") || in != &stream || (direction != 0 && direction != 1) || pending.bytes)
		return INVALID_ARGUMENT;
	if (!device_count() || !mapped || bytes > mapped_bytes || host == 0)
		return INVALID_ARGUMENT;
	pending.from = from;
	pending.bytes = bytes;
	pending.to = to;
	pending.direction = direction;
	return 0;
}
