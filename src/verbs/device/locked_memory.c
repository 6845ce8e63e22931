// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The kernel charges what a device pins (buffers, and on most devices queues) to the process, and fails with ENOMEM
 * above RLIMIT_MEMLOCK unless the process has CAP_IPC_LOCK. See locked_memory.h.
 */
#include "verbs/device/locked_memory.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/resource.h>

#include "verbs/device/device.h"

#define CAP_IPC_LOCK_BIT 14
#define WHOLE_UID_MAP	 4294967295U

/* Root in a container with a user namespace only has the capability there. */
static bool is_initial_user_namespace(void)
{
	unsigned long inside = 1, outside = 1, count = 0;
	FILE *file = fopen("/proc/self/uid_map", "re");
	bool whole = true;

	if (file) {
		whole = fscanf(file, "%lu %lu %lu", &inside, &outside, &count) == 3 && !inside && !outside &&
			count == WHOLE_UID_MAP;
		fclose(file);
	}
	return whole;
}

void locked_memory_read(struct locked_memory *memory)
{
	FILE *file = fopen("/proc/self/status", "re");
	uint64_t capabilities = 0, pinned_kib = 0;
	struct rlimit limit;
	char line[256];

	while (file && fgets(line, sizeof(line), file)) {
		sscanf(line, "CapEff: %" SCNx64, &capabilities);
		sscanf(line, "VmPin: %" SCNu64, &pinned_kib);
	}
	if (file)
		fclose(file);
	*memory = (struct locked_memory){
		.exempt = capabilities >> CAP_IPC_LOCK_BIT & 1 && is_initial_user_namespace(),
		.limit = getrlimit(RLIMIT_MEMLOCK, &limit) || limit.rlim_cur == RLIM_INFINITY ? UINT64_MAX
											      : limit.rlim_cur,
		.pinned = pinned_kib << 10,
	};
}

const char *locked_memory_blame(const struct locked_memory *memory, int error, uint64_t asked, char *text, size_t size)
{
	text[0] = '\0';
	/* With a limit of 0 the kernel returns EPERM. */
	if ((error != ENOMEM && error != EPERM) || memory->exempt || memory->limit == UINT64_MAX)
		return text;
	if (asked && memory->pinned + asked <= memory->limit)
		return text;
	snprintf(text, size,
		 "; this process may lock %" PRIu64 " KiB of memory (RLIMIT_MEMLOCK) and has locked %" PRIu64
		 " KiB: run 'ulimit -l unlimited' first, or raise memlock in /etc/security/limits.conf (LimitMEMLOCK= "
		 "of a service, --ulimit memlock=-1 of a container)",
		 memory->limit >> 10, memory->pinned >> 10);
	return text;
}

const char *locked_memory_advice(const struct device *device, int error, uint64_t asked, char *text, size_t size)
{
	struct locked_memory memory;

	text[0] = '\0';
	if (device->is_software) /* pins nothing */
		return text;
	locked_memory_read(&memory);
	return locked_memory_blame(&memory, error, asked, text, size);
}
