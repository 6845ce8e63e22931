/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Shared by the files of the interface (export.c, device*.c, parent_domain.c, qp_ex.c, cq_ex.c, ...), which are above
 * soft.h. Functions return what their ibv_ namesakes return, unless said otherwise.
 */
#pragma once

#include <sys/types.h>

#include "host/identity.h"
#include "soft.h"

/* Everything else is hidden by the compiler's -fvisibility=hidden. */
#define SOFT_EXPORT __attribute__((visibility("default")))

struct ibv_buf;

/* What a call returns that fails with -1 and errno; err 0: it succeeds. */
static inline int soft_minus_one(int err)
{
	if (!err)
		return 0;
	errno = err;
	return -1;
}

/*
 * A provider's library (mlx5dv_is_supported()) reads past struct ibv_device, where libibverbs keeps its private half,
 * to identify the provider: that memory must be readable, and zeroes mean that no provider owns the device.
 */
struct soft_device {
	struct ibv_device base;
	uint8_t private_half[4096];
};

extern struct soft_device soft_devices[SOFT_DEVICE_COUNT];
void soft_devices_describe(void); /* with the node and transport types of the profile */

static inline bool soft_owns_device(const struct ibv_device *device)
{
	return device == &soft_devices[0].base || device == &soft_devices[1].base;
}

/* Objects inherited by fork() belong to the parent: they are not used here. */
enum soft_owner { OWNER_OTHER, OWNER_SELF, OWNER_PARENT };

/* The owner of an object of this context. */
static inline enum soft_owner soft_owns(const struct ibv_context *context)
{
	if (!soft_owns_device(context->device))
		return OWNER_OTHER;
	return soft_context_of(context)->is_inherited ? OWNER_PARENT : OWNER_SELF;
}

/* libibverbs.c: the function for an interposed symbol, NULL if it has none; node NULL: any version. */
void *soft_real_symbol(const char *name, const char *node);

/* device_node.c: number of the device with this character node, -1: none. */
int soft_device_node_number(const char *path);

/*
 * Defines a function that asks for the status of a file, under each name that the C library has for it: `plain`,
 * `plain`64 and, as before 2.33, which no header declares any more, `old` and `old`64. disguise(file, result, status)
 * changes what the C library answers.
 */
#define SOFT_STAT_NAMES(plain, old, kind, disguise)                                                                    \
	SOFT_STAT(plain, stat, kind, disguise)                                                                         \
	SOFT_STAT(plain##64, stat64, kind, disguise)                                                                   \
	SOFT_OLD_STAT(old, stat, kind, disguise)                                                                       \
	SOFT_OLD_STAT(old##64, stat64, kind, disguise)                                                                 \
	_Static_assert(sizeof(struct stat) == sizeof(struct stat64), "file offsets have 64 bits");
#define SOFT_STAT(name, type, kind, disguise)                                                                          \
	SOFT_EXPORT int name(kind file, struct type *status)                                                           \
	{                                                                                                              \
		struct stat *into = (struct stat *)status;                                                             \
                                                                                                                       \
		return disguise(file, SOFT_NEXT(int (*)(kind, struct stat *), #name)(file, into), into);               \
	}
#define SOFT_OLD_STAT(name, type, kind, disguise)                                                                      \
	int name(int version, kind file, struct type *status);                                                         \
	SOFT_EXPORT int name(int version, kind file, struct type *status)                                              \
	{                                                                                                              \
		struct stat *into = (struct stat *)status;                                                             \
                                                                                                                       \
		return disguise(file, SOFT_NEXT(int (*)(int, kind, struct stat *), #name)(version, file, into), into); \
	}

/* clang-format off */
SOFT_VERB(open_device) SOFT_VERB(close_device) SOFT_VERB(get_device_guid) SOFT_VERB(get_device_index)
SOFT_VERB(query_device) SOFT_VERB(query_pkey) SOFT_VERB(get_pkey_index)
SOFT_VERB(alloc_td) SOFT_VERB(dealloc_td) SOFT_VERB(alloc_parent_domain) SOFT_VERB(alloc_dm) SOFT_VERB(free_dm)
SOFT_VERB(reg_dm_mr) SOFT_VERB(init_ah_from_wc) SOFT_VERB(create_ah_from_wc) SOFT_VERB(create_qp_ex)
SOFT_VERB(qp_to_qp_ex) SOFT_VERB(query_ece) SOFT_VERB(set_ece) SOFT_VERB(create_cq_ex)

/* open.c */
bool soft_is_direct(void); /* did the user enable the calls of direct.c? */
/* clang-format on */

/* device.c */
int soft_query_device_ex(struct ibv_context *context, const struct ibv_query_device_ex_input *input,
			 struct ibv_device_attr_ex *attr, size_t attr_size);
int soft_query_port(struct ibv_context *context, uint8_t port, struct ibv_port_attr *attr, size_t attr_size);
int soft_query_port_compat(struct ibv_context *context, uint8_t port, struct _compat_ibv_port_attr *attr);
int soft_query_port_speed(struct ibv_context *context, uint32_t port, uint64_t *speed);
int soft_query_gid_plain(struct ibv_context *context, uint8_t port, int index, union ibv_gid *gid);
int soft_query_gid_type(struct ibv_context *context, uint8_t port, unsigned int index, unsigned int *type);
int soft_query_gid_ex(struct ibv_context *context, uint32_t port, uint32_t index, struct ibv_gid_entry *entry,
		      uint32_t flags, size_t entry_size);
ssize_t soft_query_gid_table(struct ibv_context *context, struct ibv_gid_entry *entries, size_t max_entries,
			     uint32_t flags, size_t entry_size);

/* parent_domain.c */
int soft_parent_domain_dealloc(struct ibv_pd *pd); /* of both kinds */

/* buf.c */
struct ibv_mr_init_attr;
struct ibv_mr *soft_reg_mr_ex(struct ibv_pd *pd, struct ibv_mr_init_attr *attr);
bool soft_owns_buf(const struct ibv_buf *buf);
void *soft_alloc_buf(struct ibv_pd *pd, size_t size, struct ibv_buf **buf);
void soft_free_buf(struct ibv_buf *buf);
struct ibv_mr *soft_reg_buf_mr(struct ibv_pd *pd, struct ibv_buf *buf, void *addr, size_t length, int access);

/* qp_ex.c */
int soft_qp_ex_destroy(struct ibv_qp *qp); /* of all kinds */
/* For SRD and DC, with these operations: enum ibv_qp_create_send_ops_flags. */
struct ibv_qp *soft_create_direct_qp_ex(struct ibv_qp_init_attr_ex *attr, enum soft_direct type, uint64_t key,
					uint64_t operations);
/* Sets the destination of the request being built. */
void soft_wr_set_address(struct ibv_qp_ex *qp, struct ibv_ah *ah, uint32_t number, uint64_t key);
