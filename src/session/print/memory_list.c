// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Lists the kinds of memory. See print.h. */
#include "session/print/print.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "memory/kinds.h"
#include "params/options.h"
#include "params/programs.h"
#include "session/steps.h"
#include "util/terminal.h"
#include "verbs/memory/mr.h"

#define REASON_SIZE   256
#define REASON_COLUMN 44 /* where the reason starts */
#define CONTINUED     6	 /* indentation of folded lines on a terminal */

/* Can it be used? Describes it, or says why not. */
typedef bool (*look_fn)(const struct device *device, char *reason, size_t size);

static bool look_at_host(const struct device *device, char *reason, size_t size)
{
	(void)device;
	snprintf(reason, size, "the default");
	return true;
}

static bool look_at_files(const struct device *device, char *reason, size_t size)
{
	(void)device;
	snprintf(reason, size, "any file that can be opened for writing and mapped");
	return true;
}

static bool look_at_paging(const struct device *device, char *reason, size_t size)
{
	struct ibv_device_attr_ex attr = {0};
	const bool has =
		!ibv_query_device_ex(device->context, NULL, &attr) && attr.odp_caps.general_caps & IBV_ODP_SUPPORT;

	snprintf(reason, size, has ? "%s has on-demand paging" : "%s has no on-demand paging", device->name);
	return has;
}

static bool look_at_null(const struct device *device, char *reason, size_t size)
{
	struct ibv_pd *pd = ibv_alloc_pd(device->context);
	struct ibv_mr *mr = pd ? ibv_alloc_null_mr(pd) : NULL;
	const int err = errno;

	if (mr)
		snprintf(reason, size, "%s has null memory regions", device->name);
	else
		snprintf(reason, size, "%s cannot create one: %s", device->name, strerror(err));
	if (mr)
		ibv_dereg_mr(mr);
	if (pd)
		ibv_dealloc_pd(pd);
	return mr != NULL;
}

static bool look_at_device_memory(const struct device *device, char *reason, size_t size)
{
	const uint64_t bytes = device_memory_bytes(device->context);

	if (bytes)
		snprintf(reason, size, "%s has %" PRIu64 " KiB of it", device->name, bytes >> 10);
	else
		snprintf(reason, size, "%s has none", device->name);
	return bytes > 0;
}

static bool look_at_device_dmabuf(const struct device *device, char *reason, size_t size)
{
	if (device_memory_probe_dmabuf(device->context, reason, size))
		return false;
	snprintf(reason, size, "%s can export its memory as a dmabuf", device->name);
	return true;
}

static bool look_at_data_direct(const struct device *device, char *reason, size_t size)
{
	if (data_direct_probe(device, reason, size))
		return false;
	snprintf(reason, size, "data direct: %s has a PCIe function for it", device->name);
	return true;
}

static const struct {
	const char *kind;
	const char *option;
	look_fn look; /* NULL: a GPU's, of */
	enum gpu_type type;
} rows[] = {
	{"host", "", look_at_host, 0},
	{"mapped file", "--mmap=FILE", look_at_files, 0},
	{"on-demand paging", "--odp", look_at_paging, 0},
	{"null region", "--use-null-mr", look_at_null, 0},
	{"device", "--use_ib_dm", look_at_device_memory, 0},
	{"device, dmabuf", "--use_ib_dm_dmabuf", look_at_device_dmabuf, 0},
	{"data direct", "--use_data_direct", look_at_data_direct, 0},
	{"CUDA", "--use_cuda=GPU", NULL, GPU_NVIDIA},
	{"ROCm", "--use_rocm=GPU", NULL, GPU_AMD},
	{"Level Zero", "--use_ze=GPU", NULL, GPU_INTEL},
	{"Habana", "--use_hl=ADDRESS", NULL, GPU_HABANA},
	{"Neuron", "--use_neuron=GPU", NULL, GPU_NEURON},
	{"MLU", "--use_mlu=GPU", NULL, GPU_MLU},
	{"MUSA", "--use_musa=GPU", NULL, GPU_MUSA},
	{"OpenCL", "--use_opencl=GPU", NULL, GPU_OPENCL},
};

static bool look_at_gpu(enum gpu_type type, char *reason, size_t size)
{
	const struct gpu_kind *kind = gpu_kind_of(type);

	if (gpu_probe(kind, reason, size))
		return false;
	snprintf(reason, size, "%s: libraries, driver and %d device%s found", kind->name, gpu_count(kind),
		 gpu_count(kind) == 1 ? "" : "s");
	return true;
}

static void memory_list_print_row(const char *kind, const char *option, bool works, const char *reason)
{
	char folded[2 * REASON_SIZE];

	printf("%-19s %-18s %-4s %s\n", kind, option, works ? "yes" : "no",
	       text_fold(reason, terminal_columns(stdout), REASON_COLUMN, CONTINUED, folded, sizeof(folded)));
}

/* A row for each huge page size of the kernel, or one if it has none. */
static void print_huge_pages(void)
{
	uint64_t sizes[HUGEPAGES_MAX_SIZES];
	const unsigned count = hugepages_sizes(sizes);
	char title[32], kind[64], reason[REASON_SIZE], command[160];

	for (unsigned i = 0; i < count; i++) {
		const uint64_t free_pages = hugepages_count(sizes[i], "free_hugepages");

		hugepages_title(sizes[i], title, sizeof(title));
		snprintf(kind, sizeof(kind), "huge pages, %s", title);
		if (free_pages)
			snprintf(reason, sizeof(reason), "%" PRIu64 " pages of %s are free", free_pages, title);
		else
			snprintf(reason, sizeof(reason), "no page of %s is free: reserve some with '%s' as root", title,
				 hugepages_command(sizes[i], hugepages_count(sizes[i], "nr_hugepages") + 4, command,
						   sizeof(command)));
		memory_list_print_row(kind,
				      sizes[i] == hugepages_default_size() ? "--use_hugepages" : "--hugepage_size",
				      free_pages > 0, reason);
	}
	if (!count)
		memory_list_print_row("huge pages", "--use_hugepages", false, "this kernel has none");
}

/* Not all tests have null regions. */
static bool is_offered(const struct program *program, const char *option)
{
	char name[32] = "";

	if (sscanf(option, "--%31[^=]", name) != 1)
		return true;
	return opt_find(&params_options, name)->programs & program_bit(program);
}

void memory_list_print(const struct device *device, const struct program *program)
{
	char reason[REASON_SIZE];

	printf("%-19s %-18s %-4s %s\n", "memory", "option", "here", "why");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		bool works;

		if (!is_offered(program, rows[i].option))
			continue;
		works = rows[i].look ? rows[i].look(device, reason, sizeof(reason))
				     : look_at_gpu(rows[i].type, reason, sizeof(reason));
		memory_list_print_row(rows[i].kind, rows[i].option, works, reason);
		if (i == 0)
			print_huge_pages();
	}
}
