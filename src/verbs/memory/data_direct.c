// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Registers a dmabuf for mlx5's data direct. See data_direct.h. */
#include "verbs/memory/data_direct.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "memory/library.h"
#include "memory/memory.h"
#include "util/log.h"

#define ACCESS_DATA_DIRECT 1 /* MLX5DV_REG_DMABUF_ACCESS_DATA_DIRECT */

static struct {
	bool (*is_supported)(struct ibv_device *device);
	int (*path)(struct ibv_context *context, char *text, size_t size); /* of the additional PCIe function */
	struct ibv_mr *(*reg)(struct ibv_pd *pd, uint64_t offset, size_t length, uint64_t iova, int fd, int access,
			      int mlx5_access);
} mlx5;

static const char *const files[] = {"libmlx5.so.1", NULL};
static const struct library_symbol symbols[] = {
	{"mlx5dv_is_supported", LIBRARY_ADDRESS(mlx5.is_supported), "MLX5_1.8", NULL, false},
	{"mlx5dv_get_data_direct_sysfs_path", LIBRARY_ADDRESS(mlx5.path), "MLX5_1.25", NULL, false}, /* rdma-core 54 */
	{"mlx5dv_reg_dmabuf_mr", LIBRARY_ADDRESS(mlx5.reg), "MLX5_1.25", NULL, false},
	{NULL, NULL, NULL, NULL, false},
};
static const struct library library = {files, symbols, "rdma-core (ibverbs-providers of Debian)", false};

int data_direct_probe(struct ibv_context *context, char *reason, size_t reason_size)
{
	const char *name = ibv_get_device_name(context->device);
	char path[256];

	if (library_open(&library, "data direct", reason, reason_size))
		return -EOPNOTSUPP;
	if (!mlx5.is_supported(context->device)) {
		snprintf(reason, reason_size, "data direct: %s is not an mlx5 device", name);
		return -EOPNOTSUPP;
	}
	if (mlx5.path(context, path, sizeof(path))) {
		snprintf(reason, reason_size, "data direct: %s has no PCIe function for it", name);
		return -EOPNOTSUPP;
	}
	return 0;
}

int data_direct_check(struct ibv_context *context)
{
	char reason[256];
	const int ret = data_direct_probe(context, reason, sizeof(reason));

	if (ret)
		log_error("%s: run without --use_data_direct", reason);
	return ret;
}

struct ibv_mr *data_direct_register(const struct buffer *buffer, struct ibv_pd *pd, unsigned access)
{
	return mlx5.reg(pd, buffer->fd_offset, buffer->length, (uintptr_t)buffer->addr, buffer->fd, (int)access,
			ACCESS_DATA_DIRECT);
}
