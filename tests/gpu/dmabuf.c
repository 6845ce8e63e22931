// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Preloaded in front of the software device: dmabufs, which that one does not take. One of a stand-in's memory is the
 * CPU's memory at the same address, and of memory on the adapter that memory.
 *
 *	DMABUF_OFFSET=N  only one that begins there is taken
 *	DMABUF_ERRNO=N   none is taken
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <infiniband/verbs.h>
#include <stdlib.h>
#include <string.h>

static struct ibv_dm *exported;
static int exported_fd = -1;

int ibv_dm_export_dmabuf_fd(struct ibv_dm *dm);

int ibv_dm_export_dmabuf_fd(struct ibv_dm *dm)
{
	exported = dm;
	exported_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	return exported_fd;
}

#undef ibv_reg_dmabuf_mr
struct ibv_mr *ibv_reg_dmabuf_mr(struct ibv_pd *pd, uint64_t offset, size_t length, uint64_t iova, int fd, int access)
{
	struct ibv_mr *(*reg)(struct ibv_pd * pd, void *addr, size_t length, int access);
	const char *scatter = getenv("MLX5_SCATTER_TO_CQE"), *wanted = getenv("DMABUF_OFFSET");
	const char *refused = getenv("DMABUF_ERRNO");

	*(void **)(void *)&reg = dlsym(RTLD_NEXT, "ibv_reg_mr");
	if (refused) {
		errno = atoi(refused);
		return NULL;
	}
	if (wanted && offset != strtoull(wanted, NULL, 0)) {
		errno = EINVAL;
		return NULL;
	}
	if (fcntl(fd, F_GETFD) < 0 || !scatter || strcmp(scatter, "0") != 0) {
		errno = EINVAL;
		return NULL;
	}
	if (exported && fd == exported_fd && iova == offset)
		return ibv_reg_dm_mr(pd, exported, 0, offset + length,
				     ((unsigned)access & ~(unsigned)IBV_ACCESS_OPTIONAL_RANGE) | IBV_ACCESS_ZERO_BASED);
	return reg(pd, (void *)(uintptr_t)iova, length, access);
}
