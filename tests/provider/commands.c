// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What does the kernel answer to a uverbs command? The commands of write() alone: libibverbs takes them where the ioctl
 * does not exist, and /dev/null has none. Each has a header, a structure of rdma/ib_user_verbs.h, and the provider's
 * data behind it; the answer likewise.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <infiniband/verbs.h>

#include "rig.h"

#define EXTENDED    0x80000000u
#define MAX_CHANNEL 64
#define FIRST_KEY   2 /* above its lowest 8 bits: 0x100 is mlx5's end of a list */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int slot = -1;
static unsigned last_qp;
static uint32_t next_handle = 1;
static struct rig_qp *qps[RIG_MAX_OBJECTS];
static struct rig_cq *cqs[RIG_MAX_OBJECTS];
static struct rig_srq *srqs[RIG_MAX_OBJECTS];
static struct rig_mr mrs[RIG_MAX_OBJECTS]; /* key 0: free */
static unsigned address_handles;
static struct {
	int theirs, ours;
} channels[MAX_CHANNEL];
static const struct {
	const char *prefix; /* of the device's name in tests/provider/run */
	const struct rig_provider *provider;
} providers[] = {{"mlx5", &mlx5_provider},   {"efa", &efa_provider},   {"bnxt_re", &bnxt_re_provider},
		 {"irdma", &irdma_provider}, {"hns", &hns_provider},   {"mana", &mana_provider},
		 {"erdma", &erdma_provider}, {"qedr", &qedr_provider}, {"cxgb4", &cxgb4_provider},
		 {"ionic", &ionic_provider}};
const struct rig_provider *rig_provider;
bool rig_roce;

void rig_lock(void)
{
	pthread_mutex_lock(&lock);
}

void rig_unlock(void)
{
	pthread_mutex_unlock(&lock);
}

struct rig_qp *rig_qp_at(unsigned i)
{
	return qps[i];
}

struct rig_cq *rig_cq_at(unsigned i)
{
	return cqs[i];
}

bool rig_has_ah(void)
{
	return address_handles > 0;
}

bool rig_is_iwarp(void)
{
	const char *device = getenv("PERFTEST_PROVIDER_DEVICE");

	return device && (strstr(device, "-iwarp") || strcmp(device, "cxgb4") == 0);
}

void rig_connect(uint32_t qpn, uint32_t peer_qpn)
{
	rig_lock();
	for (unsigned i = 0; i < RIG_MAX_OBJECTS; i++) {
		if (!qps[i] || qps[i]->qpn != qpn)
			continue;
		qps[i]->dst_qpn = peer_qpn;
		qps[i]->state = IBV_QPS_RTS;
	}
	rig_unlock();
}

static struct rig_cq *cq_of(uint32_t handle)
{
	for (unsigned i = 0; i < RIG_MAX_OBJECTS; i++) {
		if (cqs[i] && cqs[i]->handle == handle)
			return cqs[i];
	}
	return NULL;
}

void rig_cq_arm(uint32_t handle)
{
	struct rig_cq *cq = cq_of(handle);

	if (!cq) {
		rig_fault("completion queue %u is armed, which does not exist", handle);
		return;
	}
	cq->is_armed = true;
	cq->armed_at = cq->produced;
}

bool rig_open(void)
{
	const char *device = getenv("PERFTEST_PROVIDER_DEVICE");
	bool is_open;

	rig_lock();
	for (unsigned i = 0; device && i < sizeof(providers) / sizeof(providers[0]); i++) {
		if (strncmp(device, providers[i].prefix, strlen(providers[i].prefix)) == 0)
			rig_provider = providers[i].provider;
	}
	rig_roce = device && strcmp(device, "mlx5-roce") == 0;
	if (rig_provider && slot < 0) {
		slot = rig_provider->written && trap_start() != 0 ? -1 : wire_open();
		if (slot >= 0) {
			trace_open(slot);
			engine_start();
		}
	}
	is_open = slot >= 0;
	rig_unlock();
	return is_open;
}

/* --- memory --- */

const struct rig_mr *rig_mr_of(uint32_t key)
{
	uint32_t index = (key >> 8) - FIRST_KEY;

	return index < RIG_MAX_OBJECTS && mrs[index].key == key ? &mrs[index] : NULL;
}

uint64_t rig_translate(uint32_t key, uint64_t address, uint64_t bytes, uint32_t access)
{
	const struct rig_mr *mr = rig_mr_of(key);

	if (!mr || (mr->access & access) != access || address < mr->iova || bytes > mr->length ||
	    address - mr->iova > mr->length - bytes)
		return 0;
	return mr->start + (address - mr->iova);
}

uint32_t rig_key_add(void)
{
	uint32_t i = 0;

	while (i < RIG_MAX_OBJECTS && mrs[i].key)
		i++;
	if (i == RIG_MAX_OBJECTS)
		return 0;
	mrs[i] = (struct rig_mr){.key = (i + FIRST_KEY) << 8};
	return mrs[i].key;
}

bool rig_key_set(const struct rig_mr *mr)
{
	const struct rig_mr *old = rig_mr_of(mr->key);

	if (!old)
		return false;
	mrs[old - mrs] = *mr;
	return true;
}

static int reg_mr(const struct ib_uverbs_reg_mr *in, struct ib_uverbs_reg_mr_resp *out)
{
	const uint32_t accesses = rig_provider->accesses;

	if (accesses && in->access_flags & ~(accesses | IBV_ACCESS_OPTIONAL_RANGE))
		return EOPNOTSUPP;
	for (uint32_t i = 0; i < RIG_MAX_OBJECTS; i++) {
		if (mrs[i].key)
			continue;
		mrs[i] = (struct rig_mr){
			.start = in->start,
			.length = in->length,
			.iova = in->hca_va,
			.key = (i + FIRST_KEY) << 8 | (uint32_t)slot, // EFA's have 24 bits
			.access = in->access_flags,
		};
		out->mr_handle = i + 1;
		out->lkey = out->rkey = mrs[i].key;
		return 0;
	}
	return ENOMEM;
}

static int dereg_mr(const struct ib_uverbs_dereg_mr *in)
{
	if (in->mr_handle - 1 >= RIG_MAX_OBJECTS || !mrs[in->mr_handle - 1].key)
		return EINVAL;
	mrs[in->mr_handle - 1].key = 0;
	return 0;
}

/* --- completion queues --- */

static int create_channel(struct ib_uverbs_create_comp_channel_resp *out)
{
	int ends[2];

	for (unsigned i = 0; i < MAX_CHANNEL; i++) {
		if (channels[i].ours)
			continue;
		// Datagrams: one for each event. Its other end stays, however the program ends.
		if (socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, ends) != 0)
			return errno;
		channels[i].theirs = ends[0];
		channels[i].ours = ends[1];
		out->fd = (uint32_t)ends[0];
		return 0;
	}
	return EMFILE;
}

static int create_cq(const struct ib_uverbs_create_cq *in, struct ib_uverbs_create_cq_resp *out,
		     struct rig_private *data)
{
	struct rig_cq *cq;
	unsigned i = 0;
	int err;

	while (i < RIG_MAX_OBJECTS && cqs[i])
		i++;
	cq = i < RIG_MAX_OBJECTS ? calloc(1, sizeof(*cq)) : NULL;
	if (!cq)
		return ENOMEM;
	cq->handle = next_handle++;
	cq->entries = in->cqe;
	cq->user_handle = in->user_handle;
	cq->channel = -1;
	for (unsigned c = 0; in->comp_channel >= 0 && c < MAX_CHANNEL; c++) {
		if (channels[c].ours && channels[c].theirs == in->comp_channel)
			cq->channel = channels[c].ours;
	}
	err = rig_provider->create_cq(cq, data);
	if (err) {
		free(cq);
		return err;
	}
	out->cq_handle = cq->handle;
	out->cqe = cq->entries;
	cqs[i] = cq;
	return 0;
}

static int destroy_cq(uint32_t handle, struct ib_uverbs_destroy_cq_resp *out)
{
	for (unsigned i = 0; i < RIG_MAX_OBJECTS; i++) {
		if (!cqs[i] || cqs[i]->handle != handle)
			continue;
		// libibverbs waits until as many are acknowledged as the kernel handed out.
		out->comp_events_reported =
			((struct ibv_cq *)(uintptr_t)cqs[i]->user_handle)->comp_events_completed; // NOLINT
		free(cqs[i]->ring);
		free(cqs[i]);
		cqs[i] = NULL;
		return 0;
	}
	return EINVAL;
}

/* --- shared receive queues --- */

static struct rig_srq *srq_of(uint32_t handle)
{
	for (unsigned i = 0; i < RIG_MAX_OBJECTS; i++) {
		if (srqs[i] && srqs[i]->handle == handle)
			return srqs[i];
	}
	return NULL;
}

const struct rig_srq *rig_srq_of(uint32_t number)
{
	return srq_of(number);
}

static int create_srq(uint32_t max_wr, uint32_t max_sge, struct rig_cq *cq, struct ib_uverbs_create_srq_resp *out,
		      struct rig_private *data)
{
	struct rig_srq *srq;
	unsigned i = 0;
	int err;

	while (i < RIG_MAX_OBJECTS && srqs[i])
		i++;
	if (i == RIG_MAX_OBJECTS || !rig_provider->create_srq)
		return EOPNOTSUPP;
	srq = calloc(1, sizeof(*srq));
	if (!srq)
		return ENOMEM;
	srq->handle = next_handle++;
	srq->max_wr = max_wr;
	srq->max_sge = max_sge;
	srq->cq = cq;
	err = rig_provider->create_srq(srq, data);
	if (err) {
		free(srq);
		return err;
	}
	out->srq_handle = out->srqn = srq->handle;
	out->max_wr = max_wr;
	out->max_sge = max_sge;
	srqs[i] = srq;
	return 0;
}

static int create_plain_srq(const struct ib_uverbs_create_srq *in, struct ib_uverbs_create_srq_resp *out,
			    struct rig_private *data)
{
	return create_srq(in->max_wr, in->max_sge, NULL, out, data);
}

static int create_xsrq(const struct ib_uverbs_create_xsrq *in, struct ib_uverbs_create_srq_resp *out,
		       struct rig_private *data)
{
	return create_srq(in->max_wr, in->max_sge, cq_of(in->cq_handle), out, data);
}

static int destroy_srq(const struct ib_uverbs_destroy_srq *in)
{
	for (unsigned i = 0; i < RIG_MAX_OBJECTS; i++) {
		if (!srqs[i] || srqs[i]->handle != in->srq_handle)
			continue;
		free(srqs[i]->ring);
		free(srqs[i]);
		srqs[i] = NULL;
		return 0;
	}
	return EINVAL;
}

/* --- queue pairs --- */

static struct rig_qp *qp_of_handle(uint32_t handle)
{
	for (unsigned i = 0; i < RIG_MAX_OBJECTS; i++) {
		if (qps[i] && qps[i]->handle == handle)
			return qps[i];
	}
	return NULL;
}

static int create_qp(const struct ib_uverbs_create_qp *in, struct ib_uverbs_create_qp_resp *out,
		     struct rig_private *data)
{
	struct rig_qp *qp;
	unsigned i = 0;
	int err;

	while (i < RIG_MAX_OBJECTS && qps[i])
		i++;
	if (i == RIG_MAX_OBJECTS || last_qp + 1 >= 1u << RIG_QP_BITS)
		return ENOMEM;
	qp = calloc(1, sizeof(*qp));
	if (!qp)
		return ENOMEM;
	qp->handle = next_handle++;
	qp->qpn = (uint32_t)(slot + 1) << RIG_QP_BITS | (last_qp + 1);
	qp->type = qp->steps = in->qp_type;
	qp->state = IBV_QPS_RESET;
	qp->sig_all = in->sq_sig_all;
	qp->send_cq = cq_of(in->send_cq_handle);
	qp->recv_cq = cq_of(in->recv_cq_handle);
	qp->srq = in->is_srq ? srq_of(in->srq_handle) : NULL;
	out->max_send_wr = in->max_send_wr;
	out->max_recv_wr = in->max_recv_wr;
	out->max_send_sge = in->max_send_sge;
	out->max_recv_sge = in->max_recv_sge;
	out->max_inline_data = in->max_inline_data;
	err = rig_provider->create_qp(qp, in, data);
	if (err) {
		free(qp);
		return err;
	}
	last_qp++;
	out->qp_handle = qp->handle;
	out->qpn = qp->qpn;
	qps[i] = qp;
	return 0;
}

/* What is in it is the same, from user_handle on. */
static int create_qp_ex(const struct ib_uverbs_ex_create_qp *in, struct ib_uverbs_ex_create_qp_resp *out,
			struct rig_private *data)
{
	struct ib_uverbs_create_qp plain = {0};

	memcpy((char *)&plain + offsetof(struct ib_uverbs_create_qp, user_handle), in,
	       offsetof(struct ib_uverbs_ex_create_qp, comp_mask));
	out->response_length = sizeof(*out);
	return create_qp(&plain, &out->base, data);
}

static void query_device(struct ib_uverbs_query_device_resp *out, struct rig_private *data)
{
	*out = (struct ib_uverbs_query_device_resp){
		.node_guid = 0x1a00000000000000,
		.sys_image_guid = 0x1a00000000000000,
		.max_mr_size = ~0ULL,
		.page_size_cap = 0xfffff000,
		.max_qp = 1u << RIG_QP_BITS,
		.max_cq = RIG_MAX_OBJECTS,
		.max_mr = RIG_MAX_OBJECTS,
		.max_pd = RIG_MAX_OBJECTS,
		.max_ah = RIG_MAX_OBJECTS,
		.max_pkeys = 1,
		.phys_port_cnt = 1,
	};
	rig_provider->query_device(out, data);
}

static int modify_qp(const struct ib_uverbs_modify_qp *in, struct rig_private *data)
{
	struct rig_qp *qp = qp_of_handle(in->qp_handle);
	struct ib_uverbs_query_device_resp limits;

	query_device(&limits, &(struct rig_private){0});
	if (!qp || !states_accept(qp, in, &limits))
		return EINVAL;
	if (in->attr_mask & IBV_QP_STATE)
		qp->state = in->qp_state;
	if (in->attr_mask & IBV_QP_DEST_QPN)
		qp->dst_qpn = in->dest_qp_num;
	// An adapter without that rate: mlx5's driver takes the next lower number that there is.
	if (in->attr_mask & IBV_QP_AV)
		qp->static_rate = in->dest.static_rate == IBV_RATE_28_GBPS ? IBV_RATE_300_GBPS : in->dest.static_rate;
	if (in->attr_mask & IBV_QP_QKEY)
		qp->key = in->qkey;
	if (in->attr_mask & IBV_QP_MAX_QP_RD_ATOMIC)
		qp->reads = in->max_rd_atomic;
	if (rig_provider->modify_qp)
		rig_provider->modify_qp(qp, data);
	return 0;
}

/* Which frames a rule lets in does not matter: the other process sends no others. */
static int create_flow(const struct ib_uverbs_create_flow *in, struct ib_uverbs_create_flow_resp *out)
{
	struct rig_qp *qp = qp_of_handle(in->qp_handle);

	if (!qp || qp->type != IBV_QPT_RAW_PACKET)
		return EINVAL;
	qp->is_steered = true;
	out->flow_handle = next_handle++;
	trace("flow %u\n", in->flow_attr.num_of_specs);
	return 0;
}

static int destroy_qp(const struct ib_uverbs_destroy_qp *in)
{
	for (unsigned i = 0; i < RIG_MAX_OBJECTS; i++) {
		if (!qps[i] || qps[i]->handle != in->qp_handle)
			continue;
		engine_forget(qps[i]);
		free(qps[i]->ring);
		free(qps[i]);
		qps[i] = NULL;
		return 0;
	}
	return EINVAL;
}

static int query_qp(const struct ib_uverbs_query_qp *in, struct ib_uverbs_query_qp_resp *out)
{
	struct rig_qp *qp = qp_of_handle(in->qp_handle);

	if (!qp)
		return EINVAL;
	out->qp_state = out->cur_qp_state = (uint8_t)qp->state;
	out->dest_qp_num = qp->dst_qpn;
	out->qkey = (uint32_t)qp->key;
	out->sq_sig_all = qp->sig_all;
	out->path_mtu = IBV_MTU_4096;
	out->port_num = 1;
	out->max_rd_atomic = qp->reads;
	out->dest.static_rate = qp->static_rate;
	return 0;
}

/* --- the device --- */

static int get_context(struct ib_uverbs_get_context_resp *out, struct rig_private *data)
{
	int ends[2];

	// No asynchronous event ever arrives.
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
		return errno;
	out->async_fd = (uint32_t)ends[0];
	out->num_comp_vectors = 4;
	rig_provider->get_context(data);
	return 0;
}

void rig_answer_handle(uint32_t handle, struct rig_private *data)
{
	if (data->out_bytes >= sizeof(handle))
		memcpy(data->out, &handle, sizeof(handle));
}

/* Returns the handle of a new object. */
static uint32_t answer_new(void (*answer)(uint32_t handle, struct rig_private *data), struct rig_private *data)
{
	if (answer)
		answer(next_handle, data);
	return next_handle++;
}

static void query_port(struct ib_uverbs_query_port_resp *out)
{
	*out = (struct ib_uverbs_query_port_resp){
		.max_msg_sz = 1u << 30,
		.gid_tbl_len = 1,
		.pkey_tbl_len = 1,
		.state = IBV_PORT_ACTIVE,
		.max_mtu = IBV_MTU_4096,
		.active_mtu = IBV_MTU_4096,
		.max_vl_num = 1,
		.active_width = 2, // 4 lanes
		.active_speed = 64,
		.phys_state = 5, // linked
		.link_layer = IBV_LINK_LAYER_ETHERNET,
	};
	if (rig_provider->query_port)
		rig_provider->query_port(out);
}

static int execute(uint32_t command, const void *in, void *out, struct rig_private *data)
{
	switch (command) {
	case IB_USER_VERBS_CMD_GET_CONTEXT:
		return get_context(out, data);
	case IB_USER_VERBS_CMD_QUERY_DEVICE:
		query_device(out, data);
		return 0;
	case EXTENDED | IB_USER_VERBS_EX_CMD_QUERY_DEVICE:
		((struct ib_uverbs_ex_query_device_resp *)out)->response_length =
			sizeof(struct ib_uverbs_ex_query_device_resp);
		query_device(out, data);
		return 0;
	case IB_USER_VERBS_CMD_QUERY_PORT:
		query_port(out);
		return 0;
	case IB_USER_VERBS_CMD_ALLOC_PD:
		((struct ib_uverbs_alloc_pd_resp *)out)->pd_handle = answer_new(rig_provider->alloc_pd, data);
		return 0;
	case IB_USER_VERBS_CMD_CREATE_AH:
		address_handles++;
		((struct ib_uverbs_create_ah_resp *)out)->ah_handle = answer_new(rig_provider->create_ah, data);
		return 0;
	case IB_USER_VERBS_CMD_DESTROY_AH:
		address_handles--;
		return 0;
	case IB_USER_VERBS_CMD_DEALLOC_PD:
		return 0;
	case IB_USER_VERBS_CMD_REG_MR:
		return reg_mr(in, out);
	case IB_USER_VERBS_CMD_DEREG_MR:
		return dereg_mr(in);
	case IB_USER_VERBS_CMD_CREATE_COMP_CHANNEL:
		return create_channel(out);
	case IB_USER_VERBS_CMD_CREATE_CQ:
		return create_cq(in, out, data);
	case IB_USER_VERBS_CMD_DESTROY_CQ:
		return destroy_cq(((const struct ib_uverbs_destroy_cq *)in)->cq_handle, out);
	case IB_USER_VERBS_CMD_CREATE_SRQ:
		return create_plain_srq(in, out, data);
	case IB_USER_VERBS_CMD_CREATE_XSRQ:
		return create_xsrq(in, out, data);
	case IB_USER_VERBS_CMD_DESTROY_SRQ:
		return destroy_srq(in);
	case IB_USER_VERBS_CMD_OPEN_XRCD:
		((struct ib_uverbs_open_xrcd_resp *)out)->xrcd_handle = next_handle++;
		return 0;
	case IB_USER_VERBS_CMD_CLOSE_XRCD:
		return 0;
	case IB_USER_VERBS_CMD_CREATE_QP:
		return create_qp(in, out, data);
	case EXTENDED | IB_USER_VERBS_EX_CMD_CREATE_QP:
		return create_qp_ex(in, out, data);
	case IB_USER_VERBS_CMD_MODIFY_QP:
	case EXTENDED | IB_USER_VERBS_EX_CMD_MODIFY_QP:
		return modify_qp(in, data);
	case IB_USER_VERBS_CMD_QUERY_QP:
		return query_qp(in, out);
	case IB_USER_VERBS_CMD_DESTROY_QP:
		return destroy_qp(in);
	case EXTENDED | IB_USER_VERBS_EX_CMD_CREATE_FLOW:
		return create_flow(in, out);
	case EXTENDED | IB_USER_VERBS_EX_CMD_DESTROY_FLOW:
		return 0;
	default:
		return EOPNOTSUPP;
	}
}

/* Bytes of the structures of a command without those of the provider; an extended command says them itself. */
static const struct {
	size_t in, out;
} sizes[] = {
#define SIZES(command, request, response)                                                                              \
	[IB_USER_VERBS_CMD_##command] = {sizeof(struct ib_uverbs_##request), sizeof(struct ib_uverbs_##response)}
#define SIZE(command, request) [IB_USER_VERBS_CMD_##command] = {sizeof(struct ib_uverbs_##request), 0}
	SIZES(GET_CONTEXT, get_context, get_context_resp),
	SIZES(QUERY_DEVICE, query_device, query_device_resp),
	SIZES(QUERY_PORT, query_port, query_port_resp),
	SIZES(ALLOC_PD, alloc_pd, alloc_pd_resp),
	SIZE(DEALLOC_PD, dealloc_pd),
	SIZES(CREATE_AH, create_ah, create_ah_resp),
	SIZE(DESTROY_AH, destroy_ah),
	SIZES(REG_MR, reg_mr, reg_mr_resp),
	SIZE(DEREG_MR, dereg_mr),
	SIZES(CREATE_COMP_CHANNEL, create_comp_channel, create_comp_channel_resp),
	SIZES(CREATE_CQ, create_cq, create_cq_resp),
	SIZES(DESTROY_CQ, destroy_cq, destroy_cq_resp),
	SIZES(CREATE_SRQ, create_srq, create_srq_resp),
	SIZES(CREATE_XSRQ, create_xsrq, create_srq_resp),
	SIZES(DESTROY_SRQ, destroy_srq, destroy_srq_resp),
	SIZES(OPEN_XRCD, open_xrcd, open_xrcd_resp),
	SIZE(CLOSE_XRCD, close_xrcd),
	SIZES(CREATE_QP, create_qp, create_qp_resp),
	SIZE(MODIFY_QP, modify_qp),
	SIZES(QUERY_QP, query_qp, query_qp_resp),
	SIZES(DESTROY_QP, destroy_qp, destroy_qp_resp),
#undef SIZE
#undef SIZES
};

int rig_own_command(void *header)
{
	int err;

	rig_lock();
	err = rig_provider->own_command ? rig_provider->own_command(header) : ENOTTY;
	rig_unlock();
	errno = err;
	return err ? -1 : 0;
}

ssize_t rig_command(const void *buffer, size_t bytes)
{
	const struct ib_uverbs_cmd_hdr *header = buffer;
	const struct ib_uverbs_ex_cmd_hdr *more = (const void *)(header + 1);
	const char *in = (const char *)(header + 1);
	union {
		char bytes[1024];
		uint64_t align;
	} answer = {.bytes = {0}};
	struct rig_private data = {0};
	size_t in_bytes, out_bytes, all_bytes;
	uint64_t response;
	int err;

	if (header->command & EXTENDED) {
		in = (const char *)(more + 1);
		in_bytes = header->in_words * 8ul;
		out_bytes = header->out_words * 8ul;
		data.in_bytes = more->provider_in_words * 8ul;
		data.out_bytes = more->provider_out_words * 8ul;
		response = more->response;
	} else if (header->command < sizeof(sizes) / sizeof(sizes[0]) && sizes[header->command].in) {
		in_bytes = sizes[header->command].in;
		out_bytes = sizes[header->command].out;
		all_bytes = header->out_words * 4ul;
		if (bytes < sizeof(*header) + in_bytes || all_bytes < out_bytes)
			goto bad;
		data.in_bytes = bytes - sizeof(*header) - in_bytes;
		data.out_bytes = all_bytes - out_bytes;
		response = *(const uint64_t *)(const void *)in; // the first member of each that has an answer
	} else {
		errno = EOPNOTSUPP;
		return -1;
	}
	all_bytes = out_bytes + data.out_bytes;
	if (all_bytes > sizeof(answer) || in + in_bytes + data.in_bytes > (const char *)buffer + bytes)
		goto bad;
	data.in = in + in_bytes;
	data.out = answer.bytes + out_bytes;
	rig_lock();
	err = execute(header->command, in, answer.bytes, &data);
	rig_unlock();
	if (err) {
		errno = err;
		return -1;
	}
	if (all_bytes)
		memcpy((void *)(uintptr_t)response, &answer, all_bytes); // NOLINT
	return (ssize_t)bytes;
bad:
	rig_fault("command %#x is too short: %zu bytes", header->command, bytes);
	errno = EINVAL;
	return -1;
}
