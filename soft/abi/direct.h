/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What do direct.c and direct_key.c share? Both answer what is asked of libefa and libmlx5. */
#ifndef SOFT_DIRECT_CALLS_H
#define SOFT_DIRECT_CALLS_H

#include <dlfcn.h>
#include <errno.h>
#include <infiniband/mlx5dv.h>

#include "abi/abi.h"
#include "host/layout.h"

/* For this device, and not the real library behind. */
static inline bool direct_answers_for(const struct ibv_device *device)
{
	return soft_is_direct() && soft_owns_device(device);
}

/* Each keeps what it has found: threads that race store the same. */
#define REAL(name, node)                                                                                               \
	({                                                                                                             \
		static __typeof__(&name) found;                                                                        \
		__typeof__(&name) behind = __atomic_load_n(&found, __ATOMIC_RELAXED);                                  \
                                                                                                                       \
		if (!behind) {                                                                                         \
			*(void **)&behind = dlvsym(RTLD_NEXT, #name, node);                                            \
			__atomic_store_n(&found, behind, __ATOMIC_RELAXED);                                            \
		}                                                                                                      \
		behind;                                                                                                \
	})

static inline void *direct_refuse(int err)
{
	errno = err;
	return NULL;
}

/* What mlx5dv_qp_ex_from_ibv_qp_ex() gives out: of a DCI, and of a queue pair whose requests set up keys. */
struct direct_qp {
	struct mlx5dv_qp_ex dv;
	struct ibv_qp_ex *qp;
	struct signed_config config; /* what the setters of the request that is being built have said ... */
	uint8_t *request;	     /* ... and where it stands in it; NULL: none is, or it failed */
};

/* Of a queue pair that was made for it: the calls that set up keys. False: these headers have none. */
bool direct_key_install(struct direct_qp *direct);
/* What mlx5dv_query_device() says of signatures, where it is asked. */
void direct_key_query(uint64_t asked, struct mlx5dv_context *attr);

#endif
