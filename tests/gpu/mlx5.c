// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A stand-in for libmlx5.so.1: the functions that src/verbs/memory/data_direct.c calls. The device is the software
 *device, and a dmabuf the CPU's memory at the same address.
 *
 *	MLX5_STANDIN=other   the device is another one's
 *	MLX5_STANDIN=without it has no function for data direct
 */
#include <dlfcn.h>
#include <errno.h>
#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool mlx5dv_is_supported(struct ibv_device *device);
int mlx5dv_get_data_direct_sysfs_path(struct ibv_context *context, char *text, size_t size);
struct ibv_mr *mlx5dv_reg_dmabuf_mr(struct ibv_pd *pd, uint64_t offset, size_t length, uint64_t iova, int fd,
				    int access, int mlx5_access);

static bool is_requested(const char *word)
{
	const char *text = getenv("MLX5_STANDIN");

	return text && strcmp(text, word) == 0;
}

bool mlx5dv_is_supported(struct ibv_device *device)
{
	return device && !is_requested("other");
}

int mlx5dv_get_data_direct_sysfs_path(struct ibv_context *context, char *text, size_t size)
{
	if (!context || is_requested("without"))
		return ENODEV;
	snprintf(text, size, "/sys/devices/pci0000:00/0000:00:05.0");
	return 0;
}

/* What is received must not be scattered into completions: the CPU would copy it out of them. */
struct ibv_mr *mlx5dv_reg_dmabuf_mr(struct ibv_pd *pd, uint64_t offset, size_t length, uint64_t iova, int fd,
				    int access, int mlx5_access)
{
	struct ibv_mr *(*reg)(struct ibv_pd * pd, void *addr, size_t length, int access);
	const char *scatter = getenv("MLX5_SCATTER_TO_CQE");

	*(void **)(void *)&reg = dlsym(RTLD_DEFAULT, "ibv_reg_mr");
	if (mlx5_access != 1 || fd < 0 || offset || !scatter || strcmp(scatter, "0") != 0) {
		errno = EINVAL;
		return NULL;
	}
	return reg(pd, (void *)(uintptr_t)iova, length, access);
}
