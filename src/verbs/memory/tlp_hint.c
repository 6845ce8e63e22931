// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See mr.h. */
#include "verbs/memory/mr.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "memory/memory.h"
#include "util/log.h"
#include "verbs/device/device.h"
#include "verbs/device/direct_library.h"
#include "verbs/verbs_config.h"

#define OPTION "--ph"

/* enum ibv_dmah_init_attr_mask */
#define WITH_CPU_ID   (1U << 0)
#define WITH_HINT     (1U << 1)
#define WITH_MEM_TYPE (1U << 2)

/* enum ibv_mr_init_attr_mask */
#define WITH_IOVA      (1U << 0)
#define WITH_ADDR      (1U << 1)
#define WITH_FD	       (1U << 2)
#define WITH_FD_OFFSET (1U << 3)
#define WITH_DMAH      (1U << 4)

struct hint_verbs {
	struct ibv_dmah *(*alloc)(struct ibv_context *context, struct tlp_hint_init *init);
	int (*dealloc)(struct ibv_dmah *dmah);
	struct ibv_mr *(*reg)(struct ibv_pd *pd, struct tlp_hint_region *region);
};

#define ROW(member, symbol) LIBRARY_ROW_IN(struct hint_verbs, member, symbol, .version = "IBVERBS_1.15", .since = 59)
static const struct library_symbol symbols[] = {
	ROW(alloc, "ibv_alloc_dmah"),
	ROW(dealloc, "ibv_dealloc_dmah"),
	ROW(reg, "ibv_reg_mr_ex"),
	{.name = NULL},
};
static const struct direct_library library = {
	{{"libibverbs.so.1"}, symbols, "libibverbs1 (Debian) or libibverbs (Fedora)", false},
	.bytes = sizeof(struct hint_verbs)};

void tlp_hint_fill(const struct hint_config *config, struct tlp_hint_init *init)
{
	*init = (struct tlp_hint_init){.comp_mask = WITH_HINT, .ph = (uint8_t)config->ph};
	if (config->cpu_id == CONFIG_AUTO)
		return;
	init->comp_mask |= WITH_CPU_ID | WITH_MEM_TYPE;
	init->cpu_id = (uint32_t)config->cpu_id;
	init->tph_mem_type = config->memory == TPH_MEM_PM;
}

void tlp_hint_fill_region(const struct buffer *buffer, unsigned access, struct ibv_dmah *dmah,
			  struct tlp_hint_region *region)
{
	*region = (struct tlp_hint_region){
		.length = buffer->length, .access = (int)access, .comp_mask = WITH_DMAH, .dmah = dmah};
	if (buffer->fd < 0) {
		region->comp_mask |= WITH_ADDR;
		region->addr = buffer->addr;
		return;
	}
	region->comp_mask |= WITH_FD | WITH_FD_OFFSET | WITH_IOVA;
	region->fd = buffer->fd;
	region->fd_offset = buffer->fd_offset;
	region->iova = (uintptr_t)buffer->addr;
}

static const struct hint_verbs *hint_verbs_of(const struct device *device)
{
	if (!device->is_software)
		return direct_library_of(device->direct, &library, OPTION);
	log_error("%s is a software device, not behind PCIe: omit --ph, --tph_mem and --cpu_id", device->name);
	return NULL;
}

int tlp_hint_check(const struct device *device)
{
	return hint_verbs_of(device) ? 0 : -EOPNOTSUPP;
}

int tlp_hint_open(const struct device *device, const struct hint_config *config, struct ibv_dmah **dmah)
{
	const struct hint_verbs *verbs = hint_verbs_of(device);
	struct tlp_hint_init init;
	int err;

	if (!verbs)
		return -EOPNOTSUPP;
	tlp_hint_fill(config, &init);
	errno = 0;
	*dmah = verbs->alloc(device->context, &init);
	if (*dmah)
		return 0;
	err = errno ? -errno : -EIO;
	return log_fail(err,
			"%s cannot allocate a handle for PCIe processing hints (ibv_alloc_dmah()): %s; omit --ph, "
			"--tph_mem and --cpu_id",
			device->name, strerror(-err));
}

struct ibv_mr *tlp_hint_register(const struct device *device, const struct buffer *buffer, struct ibv_pd *pd,
				 unsigned access, struct ibv_dmah *dmah)
{
	struct tlp_hint_region region;

	tlp_hint_fill_region(buffer, access, dmah, &region);
	return hint_verbs_of(device)->reg(pd, &region);
}

void tlp_hint_close(const struct device *device, struct ibv_dmah *dmah)
{
	if (dmah)
		hint_verbs_of(device)->dealloc(dmah);
}
