// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Whose GPU is here? See gpu.h. */
#include "memory/gpu.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>

#include "util/log.h"

#define REASON_SIZE 256

static const struct gpu_kind *const kinds[GPU_TYPES] = {
	[GPU_AMD] = &gpu_amd,
	[GPU_NVIDIA] = &gpu_nvidia,
	[GPU_INTEL] = &gpu_intel,
};

static int devices[GPU_TYPES]; /* of each kind; 0: not probed, or none */

/* Opens the first file of a kind's library that is there, and finds the kind's symbols in it. As gpu_probe(). */
static int library_open(const struct gpu_kind *kind, char *reason, size_t reason_size)
{
	void *handle = NULL;
	size_t file = 0;

	/* Stays for as long as the process: such libraries have threads of their own. */
	for (; !handle && kind->files[file]; file++)
		handle = dlopen(kind->files[file], RTLD_NOW | RTLD_LOCAL);
	if (!handle) {
		snprintf(reason, reason_size, "%s: %s, which comes with the driver's software, can't be loaded",
			 kind->name, kind->files[0]);
		return -ENOENT;
	}
	for (const struct gpu_symbol *symbol = kind->symbols; symbol->name; symbol++) {
		*symbol->address = dlsym(handle, symbol->name);
		if (!*symbol->address) {
			snprintf(reason, reason_size, "%s: %s has no %s", kind->name, kind->files[file - 1],
				 symbol->name);
			dlclose(handle);
			return -ENOENT;
		}
	}
	return 0;
}

int gpu_probe(const struct gpu_kind *kind, char *reason, size_t reason_size)
{
	char text[REASON_SIZE];
	int found = 0, ret;

	if (devices[kind->type])
		return 0;
	ret = library_open(kind, reason, reason_size);
	if (ret)
		return ret;
	ret = kind->start(&found);
	if (ret || found <= 0) {
		snprintf(reason, reason_size, "%s: %s", kind->name,
			 ret ? kind->describe(ret, text, sizeof(text)) : "no device");
		return -ENOENT;
	}
	devices[kind->type] = found;
	return 0;
}

int gpu_choose(const struct gpu_kind *kind, int index)
{
	char text[REASON_SIZE];
	int ret;

	if (index < 0 || index >= devices[kind->type]) {
		log_error("there is no %s GPU %d: the last one is %d", kind->name, index, devices[kind->type] - 1);
		return -ENODEV;
	}
	ret = kind->use(index);
	if (!ret)
		return 0;
	log_error("%s GPU %d can't be used: %s", kind->name, index, kind->describe(ret, text, sizeof(text)));
	return -EIO;
}

void *gpu_library_symbol(const char *file, const char *name)
{
	void *handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);

	return handle ? dlsym(handle, name) : NULL;
}

int gpu_find(enum gpu_type type, const struct gpu_kind **kind)
{
	char reasons[GPU_TYPES][REASON_SIZE];

	for (int i = 0; i < GPU_TYPES; i++) {
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
