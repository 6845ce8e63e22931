/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Shared by the files of the interface (export.c, device*.c, parent_domain.c, qp_ex.c, cq_ex.c, ...), which are above
 * soft.h. Functions return what their ibv_ namesakes return, unless said otherwise.
 */
#pragma once

#include <sys/types.h>

#include "host/identity.h"
#include "soft.h"

/* "PFT" again, in place of a vendor's IEEE number; no vendor has this one, so no program mistakes us for hardware. */

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

/* open.c */
bool soft_is_direct(void); /* did the user enable the calls of direct.c? */
struct ibv_context *soft_open_device(struct ibv_device *device);
int soft_close_device(struct ibv_context *context);

/* device.c */
__be64 soft_get_device_guid(struct ibv_device *device);
int soft_get_device_index(struct ibv_device *device);
int soft_query_device(struct ibv_context *context, struct ibv_device_attr *attr);
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
int soft_query_pkey(struct ibv_context *context, uint8_t port, int index, __be16 *pkey);
int soft_get_pkey_index(struct ibv_context *context, uint8_t port, __be16 pkey);
int soft_resolve_eth_l2_from_gid(struct ibv_context *context, struct ibv_ah_attr *attr, uint8_t mac[ETHERNET_LL_SIZE],
				 uint16_t *vid);

/* parent_domain.c: thread and parent domains */
struct ibv_td *soft_alloc_td(struct ibv_context *context, struct ibv_td_init_attr *attr);
int soft_dealloc_td(struct ibv_td *td);
struct ibv_pd *soft_alloc_parent_domain(struct ibv_context *context, struct ibv_parent_domain_init_attr *attr);
int soft_parent_domain_dealloc(struct ibv_pd *pd); /* of both kinds */

/* dm.c */
struct ibv_dm *soft_alloc_dm(struct ibv_context *context, struct ibv_alloc_dm_attr *attr);
int soft_free_dm(struct ibv_dm *dm); /* EBUSY while it has regions */
struct ibv_mr *soft_reg_dm_mr(struct ibv_pd *pd, struct ibv_dm *dm, uint64_t offset, size_t length,
			      unsigned int access);

/* buf.c */
struct ibv_mr_init_attr;
struct ibv_mr *soft_reg_mr_ex(struct ibv_pd *pd, struct ibv_mr_init_attr *attr);
bool soft_owns_buf(const struct ibv_buf *buf);
void *soft_alloc_buf(struct ibv_pd *pd, size_t size, struct ibv_buf **buf);
void soft_free_buf(struct ibv_buf *buf);
struct ibv_mr *soft_reg_buf_mr(struct ibv_pd *pd, struct ibv_buf *buf, void *addr, size_t length, int access);

/* ah_from_wc.c */
int soft_init_ah_from_wc(struct ibv_context *context, uint8_t port, struct ibv_wc *wc, struct ibv_grh *grh,
			 struct ibv_ah_attr *attr);
struct ibv_ah *soft_create_ah_from_wc(struct ibv_pd *pd, struct ibv_wc *wc, struct ibv_grh *grh, uint8_t port);

/* qp_ex.c: queue pairs with the ibv_wr_*() calls; soft_qp_to_qp_ex() returns NULL for those created without. */
struct ibv_qp *soft_create_qp_ex(struct ibv_context *context, struct ibv_qp_init_attr_ex *attr);
struct ibv_qp_ex *soft_qp_to_qp_ex(struct ibv_qp *qp);
int soft_qp_ex_destroy(struct ibv_qp *qp); /* of all kinds */
int soft_query_ece(struct ibv_qp *qp, struct ibv_ece *ece);
int soft_set_ece(struct ibv_qp *qp, struct ibv_ece *ece);
/* For SRD and DC, with these operations: enum ibv_qp_create_send_ops_flags. */
struct ibv_qp *soft_create_direct_qp_ex(struct ibv_qp_init_attr_ex *attr, enum soft_direct type, uint64_t key,
					uint64_t operations);
/* Sets the destination of the request being built. */
void soft_wr_set_address(struct ibv_qp_ex *qp, struct ibv_ah *ah, uint32_t number, uint64_t key);

/* cq_ex.c */
struct ibv_cq_ex *soft_create_cq_ex(struct ibv_context *context, struct ibv_cq_init_attr_ex *attr);
