// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Registers a dmabuf for mlx5's data direct. See mr.h. */
#include "verbs/memory/mr.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "memory/memory.h"
#include "util/log.h"
#include "verbs/device/device.h"
#include "verbs/device/direct_library.h"

#define ACCESS_DATA_DIRECT 1 /* MLX5DV_REG_DMABUF_ACCESS_DATA_DIRECT */

struct data_direct_verbs {
	bool (*is_supported)(struct ibv_device *device);
	int (*path)(struct ibv_context *context, char *text, size_t size); /* of the additional PCIe function */
	struct ibv_mr *(*reg)(struct ibv_pd *pd, uint64_t offset, size_t length, uint64_t iova, int fd, int access,
			      int mlx5_access);
};

#define ROW(member, symbol, node, release)                                                                             \
	LIBRARY_ROW_IN(struct data_direct_verbs, member, symbol, .version = (node), .since = (release))
static const struct library_symbol symbols[] = {
	ROW(is_supported, "mlx5dv_is_supported", "MLX5_1.8", 0),
	ROW(path, "mlx5dv_get_data_direct_sysfs_path", "MLX5_1.25", 54),
	ROW(reg, "mlx5dv_reg_dmabuf_mr", "MLX5_1.25", 54),
	{.name = NULL},
};
static const struct direct_library library = {{{"libmlx5.so.1"}, symbols, DIRECT_PROVIDERS, false},
					      .bytes = sizeof(struct data_direct_verbs)};

int data_direct_probe(const struct device *device, char *reason, size_t reason_size)
{
	const struct data_direct_verbs *mlx5 =
		direct_library_find(device->direct, &library, "data direct", reason, reason_size);
	const char *lack = NULL;
	char path[256];

	if (!mlx5)
		return -EOPNOTSUPP;
	if (!mlx5->is_supported(device->context->device))
		lack = "is not an mlx5 device";
	else if (mlx5->path(device->context, path, sizeof(path)))
		lack = "has no PCIe function for it";
	if (lack)
		snprintf(reason, reason_size, "data direct: %s %s", device->name, lack);
	return lack ? -EOPNOTSUPP : 0;
}

int data_direct_check(const struct device *device)
{
	char reason[LOG_TEXT_SIZE];
	const int ret = data_direct_probe(device, reason, sizeof(reason));

	if (ret)
		log_error("%s: run without --use_data_direct", reason);
	return ret;
}

struct ibv_mr *data_direct_register(const struct device *device, const struct buffer *buffer, struct ibv_pd *pd,
				    unsigned access)
{
	const struct data_direct_verbs *mlx5 = direct_library_of(device->direct, &library, "data direct");

	return mlx5->reg(pd, buffer->fd_offset, buffer->length, (uintptr_t)buffer->addr, buffer->fd, (int)access,
			 ACCESS_DATA_DIRECT);
}
