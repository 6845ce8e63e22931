// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Probes the kinds of GPUs. See gpu.h. */
#include "memory/gpu.h"

#include <errno.h>
#include <stdio.h>

#include "util/log.h"

#define REASON_SIZE 256

static const struct gpu_kind *const kinds[GPU_TYPES] = {
	[GPU_AMD] = &gpu_amd,	    [GPU_NVIDIA] = &gpu_nvidia, [GPU_INTEL] = &gpu_intel, [GPU_HABANA] = &gpu_habana,
	[GPU_NEURON] = &gpu_neuron, [GPU_MLU] = &gpu_mlu,	[GPU_MUSA] = &gpu_musa,	  [GPU_OPENCL] = &gpu_opencl,
};

static int devices[GPU_TYPES]; /* of each kind; 0: not probed, or none */

const struct gpu_kind *gpu_kind_of(enum gpu_type type)
{
	return kinds[type];
}

int gpu_probe(const struct gpu_kind *kind, char *reason, size_t reason_size)
{
	char text[REASON_SIZE];
	int found = 0, ret;

	if (devices[kind->type])
		return 0;
	for (unsigned i = 0; i < GPU_LIBRARIES && kind->libraries[i].symbols; i++) {
		ret = library_open(&kind->libraries[i], NULL /* functions */, kind->name, reason, reason_size);
		if (ret)
			return ret;
	}
	ret = kind->start(&found);
	if (ret || found <= 0) {
		snprintf(reason, reason_size, "%s: %s", kind->name,
			 ret ? kind->describe(ret, text, sizeof(text)) : "no device");
		return -ENOENT;
	}
	devices[kind->type] = found;
	return 0;
}

int gpu_count(const struct gpu_kind *kind)
{
	return devices[kind->type];
}

int gpu_choose(const struct gpu_kind *kind, int index)
{
	char text[REASON_SIZE];
	int ret;

	if (index < 0 || index >= devices[kind->type])
		return log_fail(-ENODEV, "there is no %s GPU %d: the last one is %d", kind->name, index,
				devices[kind->type] - 1);
	ret = kind->use(index);
	if (!ret)
		return 0;
	return log_fail(-EIO, "%s GPU %d can't be used: %s", kind->name, index,
			kind->describe(ret, text, sizeof(text)));
}

int gpu_choose_at(const struct gpu_kind *kind, const char *bus_id)
{
	char text[REASON_SIZE];
	const int ret = kind->use_at(bus_id);

	if (!ret)
		return 0;
	return log_fail(-EIO, "the %s device at %s can't be used, out of %d on this host: %s", kind->name, bus_id,
			devices[kind->type], kind->describe(ret, text, sizeof(text)));
}

int gpu_find(enum gpu_type type, const struct gpu_kind **kind)
{
	char reasons[GPU_TYPES][REASON_SIZE];

	for (int i = 0; i < (type == GPU_AUTO ? GPU_HABANA : GPU_TYPES); i++) {
		if (type != GPU_AUTO && (int)type != i)
			continue;
		if (!gpu_probe(kinds[i], reasons[i], sizeof(reasons[i]))) {
			*kind = kinds[i];
			return 0;
		}
	}
	if (type == GPU_AUTO)
		log_error("no GPU can be used here: %s; %s; %s", reasons[GPU_AMD], reasons[GPU_NVIDIA],
			  reasons[GPU_INTEL]);
	else
		log_error("no GPU can be used here: %s", reasons[type]);
	return -ENOENT;
}
