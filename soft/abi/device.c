// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The devices soft0 and soft1, and their fixed attributes. Called through export.c and through the operations of an
 * open context. Their addresses are in host/identity.c.
 */
#include "config.h" /* members of libibverbs' structures */

#include <endian.h>

#include "abi/abi.h"
#include "host/core.h"
#include "host/profile.h"

#define DEVICE_FIRMWARE "perftest-soft"

#define PORT_WIDTH_4X	   2
#define PORT_SPEED_NDR	   128
#define PORT_SPEED_100MBPS 4000 /* 4X NDR is 400 Gb/s, about what one core copies */
#define PORT_PHYS_LINK_UP  5
#define GID_TYPE_SYSFS_V2  1	   /* from libibverbs' private ibv_query_gid_type() */
#define CLOCK_KHZ	   1000000 /* of soft_clock_now() */

#define DEVICE(number)                                                                                                 \
	{                                                                                                              \
		.base = {                                                                                              \
			.node_type = IBV_NODE_CA,                                                                      \
			.transport_type = IBV_TRANSPORT_IB,                                                            \
			.name = "soft" #number,                                                                        \
			.dev_name = "uverbs-soft" #number,                                                             \
			.dev_path = "/sys/class/infiniband_verbs/uverbs-soft" #number,                                 \
			.ibdev_path = "/sys/class/infiniband/soft" #number,                                            \
		},                                                                                                     \
	}

/* The paths are where the kernel would show such devices; they do not exist, and opening them fails. */
struct soft_device soft_devices[SOFT_DEVICE_COUNT] = {DEVICE(0), DEVICE(1)};

void soft_devices_describe(void)
{
	const char *mode = getenv("PERFTEST_SOFT");
	enum ibv_transport_type transport;

	soft_profile_read(mode ? mode : ""); /* an unknown one is reported when a device is opened */
	transport = soft_profile()->transport;
	for (int i = 0; i < SOFT_DEVICE_COUNT; i++) {
		soft_devices[i].base.transport_type = transport;
		soft_devices[i].base.node_type = transport == IBV_TRANSPORT_IB	    ? IBV_NODE_CA
						 : transport == IBV_TRANSPORT_IWARP ? IBV_NODE_RNIC
										    : IBV_NODE_UNSPECIFIED;
	}
}

static unsigned int device_number(const struct ibv_device *device)
{
	return (unsigned int)((const struct soft_device *)device - soft_devices);
}

__be64 soft_get_device_guid(struct ibv_device *device)
{
	return soft_device_guid(device_number(device), SOFT_PORT);
}

/* Only the kernel's devices have an index. */
int soft_get_device_index(struct ibv_device *device)
{
	(void)device;
	return -1;
}

int soft_query_device(struct ibv_context *context, struct ibv_device_attr *attr)
{
	const struct soft_profile *profile = soft_profile();
	const int groups = profile->has & PROFILE_MULTICAST ? SOFT_MAX_MCAST : 0;
	__be64 guid = soft_get_device_guid(context->device);

	*attr = (struct ibv_device_attr){
		.node_guid = guid,
		.sys_image_guid = guid,
		.max_mr_size = profile->max_mr_size,
		.page_size_cap = SOFT_PAGE_SIZE_CAP,
		.vendor_id = profile->vendor,
		.vendor_part_id = profile->part,
		.max_qp = SOFT_MAX_QP,
		.max_qp_wr = (int)profile->max_qp_wr,
		.device_cap_flags = profile->flags,
		/* The lesser one: struct ibv_device_attr has one for both queues, as the kernel says it. */
		.max_sge = (int)(profile->max_send_sge < profile->max_recv_sge ? profile->max_send_sge
									       : profile->max_recv_sge),
		.max_sge_rd = (int)profile->max_sge_rd,
		.max_cq = SOFT_MAX_CQ,
		.max_cqe = (int)profile->max_cqe,
		.max_mr = SOFT_MAX_MR,
		.max_mw = profile->flags & IBV_DEVICE_MEM_WINDOW ? SOFT_MAX_MW : 0,
		.max_pd = SOFT_MAX_PD,
		.max_srq = (int)profile->max_srq,
		.max_srq_wr = profile->max_srq ? SOFT_MAX_SRQ_WR : 0,
		.max_srq_sge = profile->max_srq ? (int)profile->max_recv_sge : 0,
		.max_qp_rd_atom = (int)profile->max_rd_atomic,
		.max_res_rd_atom = (int)profile->max_rd_atomic * SOFT_MAX_QP,
		.max_qp_init_rd_atom = (int)profile->max_rd_atomic,
		.atomic_cap = profile->atomic,
		.max_mcast_grp = groups,
		.max_mcast_qp_attach = groups,
		.max_total_mcast_qp_attach = groups,
		.max_ah = SOFT_MAX_AH,
		.max_pkeys = 1,
		.local_ca_ack_delay = SOFT_ACK_DELAY,
		.phys_port_cnt = (uint8_t)soft_port_count(),
	};
	snprintf(attr->fw_ver, sizeof(attr->fw_ver), "%s%s%s", DEVICE_FIRMWARE, *profile->name ? " as " : "",
		 profile->name);
	if (soft_self.interface[0])
		attr->device_cap_flags |= IBV_DEVICE_MANAGED_FLOW_STEERING;
	/* Null mode discards frames. */
	attr->max_raw_ethy_qp = soft_self.interface[0] || soft_self.is_null ? SOFT_MAX_QP : 0;
	return 0;
}

/* ODP is only a hint to the device, which never pins memory: see mr.c. */
static const struct ibv_odp_caps odp_caps = {
	.general_caps = IBV_ODP_SUPPORT | IBV_ODP_SUPPORT_IMPLICIT,
	.per_transport_caps = {
		.rc_odp_caps = IBV_ODP_SUPPORT_SEND | IBV_ODP_SUPPORT_RECV | IBV_ODP_SUPPORT_WRITE |
			       IBV_ODP_SUPPORT_READ | IBV_ODP_SUPPORT_ATOMIC | IBV_ODP_SUPPORT_SRQ_RECV,
		.uc_odp_caps =
			IBV_ODP_SUPPORT_SEND | IBV_ODP_SUPPORT_RECV | IBV_ODP_SUPPORT_WRITE | IBV_ODP_SUPPORT_SRQ_RECV,
		.ud_odp_caps = IBV_ODP_SUPPORT_SEND | IBV_ODP_SUPPORT_RECV | IBV_ODP_SUPPORT_SRQ_RECV,
	}};

/* attr_size is the size of the caller's structure, which later releases extend at its end. */
int soft_query_device_ex(struct ibv_context *context, const struct ibv_query_device_ex_input *input,
			 struct ibv_device_attr_ex *attr, size_t attr_size)
{
	const struct soft_profile *profile = soft_profile();
	struct ibv_device_attr_ex full = {.comp_mask = 0};

	if (input && input->comp_mask)
		return EINVAL;
	if (attr_size < offsetof(struct ibv_device_attr_ex, odp_caps))
		return EINVAL;
	soft_query_device(context, &full.orig_attr);
#ifdef HAVE_STRUCT_IBV_DEVICE_ATTR_EX_PHYS_PORT_CNT_EX
	full.phys_port_cnt_ex = soft_port_count();
#endif
	full.device_cap_flags_ex = full.orig_attr.device_cap_flags;
	if (soft_self.interface[0]) {
		full.max_wq_type_rq = SOFT_MAX_QP;
		full.rss_caps = (struct ibv_rss_caps){.supported_qpts = 1u << IBV_QPT_RAW_PACKET,
						      .max_rwq_indirection_tables = SOFT_MAX_QP,
						      .max_rwq_indirection_table_size = 1u << SOFT_MAX_RWQ_TABLE_LOG,
						      .rx_hash_fields_mask = SOFT_RSS_FIELDS,
						      .rx_hash_function = IBV_RX_HASH_FUNC_TOEPLITZ};
	}
	if (profile->has & PROFILE_PAGING) {
		full.odp_caps = odp_caps;
		full.xrc_odp_caps = odp_caps.per_transport_caps.rc_odp_caps;
	}
	if (profile->has & PROFILE_TIMES) {
		full.completion_timestamp_mask = UINT64_MAX;
		full.hca_core_clock = CLOCK_KHZ;
	}
	full.max_dm_size = profile->has & PROFILE_DEVICE_MEMORY ? SOFT_MAX_DM_SIZE : 0;
	memset(attr, 0, attr_size);
	memcpy(attr, &full, attr_size < sizeof(full) ? attr_size : sizeof(full));
	return 0;
}

/* Fills the caller's structure with the port's attributes, and its remaining bytes with zeroes. */
int soft_query_port(struct ibv_context *context, uint8_t port, struct ibv_port_attr *attr, size_t attr_size)
{
	const struct ibv_port_attr full = {
		.state = IBV_PORT_ACTIVE,
		.max_mtu = IBV_MTU_4096,
		.active_mtu = IBV_MTU_4096,
		.gid_tbl_len = (int)soft_gid_table_size(),
		.port_cap_flags = IBV_PORT_CM_SUP | IBV_PORT_IP_BASED_GIDS,
		.max_msg_sz = soft_profile()->max_message,
		.pkey_tbl_len = 1,
		.max_vl_num = 1,
		.active_width = PORT_WIDTH_4X,
		.active_speed = PORT_SPEED_NDR,
		.phys_state = PORT_PHYS_LINK_UP,
		.link_layer = soft_profile()->transport == IBV_TRANSPORT_UNSPECIFIED ? IBV_LINK_LAYER_UNSPECIFIED
										     : IBV_LINK_LAYER_ETHERNET,
		.flags = IBV_QPF_GRH_REQUIRED,
	};

	(void)context;
	if (!soft_has_port(port))
		return EINVAL;
	memset(attr, 0, attr_size);
	memcpy(attr, &full, attr_size < sizeof(full) ? attr_size : sizeof(full));
	return 0;
}

/* The exported symbol is the old one: its callers' structure ends after flags. */
int soft_query_port_compat(struct ibv_context *context, uint8_t port, struct _compat_ibv_port_attr *attr)
{
	return soft_query_port(context, port, (struct ibv_port_attr *)attr,
			       offsetof(struct ibv_port_attr, port_cap_flags2));
}

int soft_query_port_speed(struct ibv_context *context, uint32_t port, uint64_t *speed)
{
	(void)context;
	if (!soft_has_port(port))
		return EINVAL;
	*speed = PORT_SPEED_100MBPS;
	return 0;
}

/* For ibv_query_gid(), an empty entry is all zeroes, as it always was. */
int soft_query_gid_plain(struct ibv_context *context, uint8_t port, int index, union ibv_gid *gid)
{
	int err = soft_query_gid(context, port, index, gid);

	if (err != ENODATA)
		return soft_minus_one(err);
	memset(gid, 0, sizeof(*gid));
	return 0;
}

int soft_query_gid_type(struct ibv_context *context, uint8_t port, unsigned int index, unsigned int *type)
{
	union ibv_gid gid;
	int err = soft_device_gid(device_number(context->device), port, index, &gid);

	if (!err)
		*type = GID_TYPE_SYSFS_V2;
	return soft_minus_one(err);
}

/* The entries have no network interface: ndev_ifindex is 0. 0 or a positive errno. */
static int gid_entry_write(struct ibv_context *context, uint32_t port, uint32_t index, void *entry, size_t size)
{
	struct ibv_gid_entry full = {
		.gid_index = index,
		.port_num = port,
		.gid_type = IBV_GID_TYPE_ROCE_V2,
	};
	int err = soft_device_gid(device_number(context->device), port, index, &full.gid);

	if (err)
		return err;
	memset(entry, 0, size);
	memcpy(entry, &full, size < sizeof(full) ? size : sizeof(full));
	return 0;
}

int soft_query_gid_ex(struct ibv_context *context, uint32_t port, uint32_t index, struct ibv_gid_entry *entry,
		      uint32_t flags, size_t entry_size)
{
	return flags ? EOPNOTSUPP : gid_entry_write(context, port, index, entry, entry_size);
}

/*
 * All entries or none: a table that is too short is an error (no table at all is a different one), not a short answer.
 */
ssize_t soft_query_gid_table(struct ibv_context *context, struct ibv_gid_entry *entries, size_t max_entries,
			     uint32_t flags, size_t entry_size)
{
	const uint32_t gids = soft_gid_count();
	const uint32_t count = gids * soft_port_count();
	uint32_t i;

	if (flags)
		return -EOPNOTSUPP;
	if (!max_entries)
		return -EINVAL;
	if (max_entries < count)
		return -ENOSPC;
	for (i = 0; i < count; i++)
		gid_entry_write(context, SOFT_PORT + i / gids, i % gids, (uint8_t *)entries + i * entry_size,
				entry_size);
	return count;
}

int soft_query_pkey(struct ibv_context *context, uint8_t port, int index, __be16 *pkey)
{
	(void)context;
	if (!soft_has_port(port) || index != 0)
		return soft_minus_one(EINVAL);
	*pkey = htobe16(SOFT_PKEY);
	return 0;
}

int soft_get_pkey_index(struct ibv_context *context, uint8_t port, __be16 pkey)
{
	(void)context;
	return soft_minus_one(soft_has_port(port) && pkey == htobe16(SOFT_PKEY) ? 0 : EINVAL);
}
