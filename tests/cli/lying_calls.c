// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Preloaded: answers a kind of call with an impossible value of the right type. Built by lies.bats.
 *
 *   LIE=NAME:N       one of the lies below, from the Nth opportunity on (a call whose answer it would change)
 *   LIE_FILE=FILE    gets a byte when a lie was told; without one, none was
 *
 * Calls between libraries get true answers, except those for the clock.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <infiniband/verbs.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "in_front.h"

#undef ibv_query_port

#define PAGE_OF_BYTES 4096
#define MORE	      5
#define BACK_S	      100

static unsigned long left; /* chances until the first lie */

static bool is_due(void)
{
	unsigned long before = __atomic_load_n(&left, __ATOMIC_RELAXED);
	int fd;

	if (before > 1) {
		__atomic_sub_fetch(&left, 1, __ATOMIC_RELAXED);
		return false;
	}
	if (before) {
		fd = open(getenv("LIE_FILE"), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
		if (fd < 0 || write(fd, "!", 1) < 0)
			abort();
		close(fd);
		__atomic_store_n(&left, 0, __ATOMIC_RELAXED);
	}
	return true;
}

/* --- lies in what an answer holds --- */

enum answer { OF_COMPLETION, OF_DEVICE, OF_PORT, OF_GID };

/* length bytes at offset become copies of value's size lowest ones. */
static const struct patch {
	const char *name;
	enum answer answer;
	size_t offset, length;
	uint64_t value;
	size_t size;
} patches[] = {
#define WHOLE(name, answer, type, byte)                                                                                \
	{                                                                                                              \
		name, answer, 0, sizeof(type), byte, 1                                                                 \
	}
#define MEMBER(name, answer, type, member, value)                                                                      \
	{                                                                                                              \
		name, answer, offsetof(type, member), sizeof(((type *)NULL)->member), value,                           \
			sizeof(((type *)NULL)->member)                                                                 \
	}
	MEMBER("wr_id", OF_COMPLETION, struct ibv_wc, wr_id, UINT64_MAX),
	MEMBER("wr_id_near", OF_COMPLETION, struct ibv_wc, wr_id, 7),
	MEMBER("byte_len_0", OF_COMPLETION, struct ibv_wc, byte_len, 0),
	MEMBER("byte_len_max", OF_COMPLETION, struct ibv_wc, byte_len, UINT32_MAX),
	MEMBER("qp_num", OF_COMPLETION, struct ibv_wc, qp_num, 0xffffff),
	MEMBER("status", OF_COMPLETION, struct ibv_wc, status, 0x7fffffff),
	MEMBER("opcode", OF_COMPLETION, struct ibv_wc, opcode, 0x7fffffff),
	MEMBER("wc_flags", OF_COMPLETION, struct ibv_wc, wc_flags, 0x7fffffff),
	MEMBER("imm_data", OF_COMPLETION, struct ibv_wc, imm_data, UINT32_MAX),
	WHOLE("device_00", OF_DEVICE, struct ibv_device_attr, 0),
	WHOLE("device_7f", OF_DEVICE, struct ibv_device_attr, 0x7f),
	WHOLE("device_ff", OF_DEVICE, struct ibv_device_attr, 0xff),
	MEMBER("max_qp_wr_0", OF_DEVICE, struct ibv_device_attr, max_qp_wr, 0),
	MEMBER("max_qp_wr_negative", OF_DEVICE, struct ibv_device_attr, max_qp_wr, UINT32_MAX),
	MEMBER("max_srq_wr_0", OF_DEVICE, struct ibv_device_attr, max_srq_wr, 0),
	MEMBER("max_sge_0", OF_DEVICE, struct ibv_device_attr, max_sge, 0),
	MEMBER("max_cqe_0", OF_DEVICE, struct ibv_device_attr, max_cqe, 0),
	MEMBER("max_cqe_negative", OF_DEVICE, struct ibv_device_attr, max_cqe, UINT32_MAX),
	MEMBER("max_qp_rd_atom_0", OF_DEVICE, struct ibv_device_attr, max_qp_rd_atom, 0),
	MEMBER("max_qp_rd_atom_negative", OF_DEVICE, struct ibv_device_attr, max_qp_rd_atom, UINT32_MAX),
	MEMBER("max_qp_init_rd_atom_0", OF_DEVICE, struct ibv_device_attr, max_qp_init_rd_atom, 0),
	MEMBER("max_qp_init_rd_atom_16", OF_DEVICE, struct ibv_device_attr, max_qp_init_rd_atom, 16),
	MEMBER("max_qp_rd_atom_16", OF_DEVICE, struct ibv_device_attr, max_qp_rd_atom, 16),
	MEMBER("max_qp_init_rd_atom_negative", OF_DEVICE, struct ibv_device_attr, max_qp_init_rd_atom, UINT32_MAX),
	WHOLE("port_00", OF_PORT, struct ibv_port_attr, 0),
	WHOLE("port_7f", OF_PORT, struct ibv_port_attr, 0x7f),
	WHOLE("port_ff", OF_PORT, struct ibv_port_attr, 0xff),
	MEMBER("state", OF_PORT, struct ibv_port_attr, state, 77),
	MEMBER("mtu_0", OF_PORT, struct ibv_port_attr, active_mtu, 0),
	MEMBER("mtu_77", OF_PORT, struct ibv_port_attr, active_mtu, 77),
	MEMBER("mtu_negative", OF_PORT, struct ibv_port_attr, active_mtu, UINT32_MAX),
	MEMBER("max_msg_sz_0", OF_PORT, struct ibv_port_attr, max_msg_sz, 0),
	MEMBER("max_msg_sz_max", OF_PORT, struct ibv_port_attr, max_msg_sz, UINT32_MAX),
	MEMBER("link_layer", OF_PORT, struct ibv_port_attr, link_layer, 77),
	MEMBER("pkey_tbl_len", OF_PORT, struct ibv_port_attr, pkey_tbl_len, UINT16_MAX),
	MEMBER("gid_tbl_len_max", OF_PORT, struct ibv_port_attr, gid_tbl_len, INT_MAX),
	MEMBER("gid_tbl_len_negative", OF_PORT, struct ibv_port_attr, gid_tbl_len, UINT32_MAX),
	WHOLE("gid_00", OF_GID, struct ibv_gid_entry, 0),
	WHOLE("gid_ff", OF_GID, struct ibv_gid_entry, 0xff),
	MEMBER("gid_index", OF_GID, struct ibv_gid_entry, gid_index, 255),
	MEMBER("gid_index_max", OF_GID, struct ibv_gid_entry, gid_index, UINT32_MAX),
	MEMBER("gid_type", OF_GID, struct ibv_gid_entry, gid_type, 77),
	MEMBER("gid_ifindex", OF_GID, struct ibv_gid_entry, ndev_ifindex, UINT32_MAX),
	MEMBER("gid_other", OF_GID, struct ibv_gid_entry, gid, 0xfe),
};

static const struct patch *patch; /* the lie is this one; NULL: another */

static void patch_apply(enum answer answer, void *to)
{
	uint8_t *bytes = to;

	if (!patch || patch->answer != answer || !is_due())
		return;
	for (size_t i = 0; i < patch->length; i++)
		bytes[patch->offset + i] = (uint8_t)(patch->value >> 8 * (i % (patch->size < 8 ? patch->size : 8)));
}

/* --- lies in how much there is --- */

static enum {
	LIE_NONE,
	POLL_MORE,	  /* than were asked for */
	POLL_MOST,	  /* INT_MAX */
	POLL_NEGATIVE,	  /* INT_MIN */
	POLL_UNSOLICITED, /* one where nothing completed */
	POLL_TWICE,	  /* each one is followed by itself */
	POLL_SILENT,	  /* nothing completes */
	TABLE_MORE,	  /* GIDs than were asked for */
	TABLE_MOST,
	RECV_SHORT, /* a byte at a time */
	RECV_MORE,  /* than were asked for */
	SEND_SHORT,
	SEND_MORE,
	OPTION_SHORT, /* getsockopt() writes nothing */
	OPTION_MOST,  /* ... all bits of everything */
	CLOCK_BACK,   /* BACK_S, once */
	CLOCK_STEPS,  /* 10 ms, now and then */
	NUM_LIES
} lie;

static const char *const lie_names[NUM_LIES] = {
	[POLL_MORE] = "poll_more",	   [POLL_MOST] = "poll_most",
	[POLL_NEGATIVE] = "poll_negative", [POLL_UNSOLICITED] = "poll_unsolicited",
	[POLL_TWICE] = "poll_twice",	   [POLL_SILENT] = "poll_silent",
	[TABLE_MORE] = "table_more",	   [TABLE_MOST] = "table_most",
	[RECV_SHORT] = "recv_short",	   [RECV_MORE] = "recv_more",
	[SEND_SHORT] = "send_short",	   [SEND_MORE] = "send_more",
	[OPTION_SHORT] = "option_short",   [OPTION_MOST] = "option_most",
	[CLOCK_BACK] = "clock_back",	   [CLOCK_STEPS] = "clock_steps",
};

__attribute__((constructor)) static void open_here(void)
{
	const char *text = getenv("LIE");
	const char *colon = text ? strchr(text, ':') : NULL;
	const size_t length = colon ? (size_t)(colon - text) : 0;

	dl_iterate_phdr(note_program, NULL);
	for (size_t i = 0; colon && i < sizeof(patches) / sizeof(patches[0]); i++) {
		if (strlen(patches[i].name) == length && strncmp(text, patches[i].name, length) == 0)
			patch = &patches[i];
	}
	for (int i = 1; colon && i < NUM_LIES; i++) {
		if (strlen(lie_names[i]) == length && strncmp(text, lie_names[i], length) == 0)
			lie = i;
	}
	if (colon && !patch && !lie)
		abort();
	left = colon ? strtoul(colon + 1, NULL, 10) : 0;
}

/* --- libibverbs --- */

static struct ibv_context_ops beneath;
static int (*query_device_ex_beneath)(struct ibv_context *, const struct ibv_query_device_ex_input *,
				      struct ibv_device_attr_ex *, size_t);
static int (*query_port_beneath)(struct ibv_context *, uint8_t, struct ibv_port_attr *, size_t);

static int poll_lie(int room, struct ibv_wc *wc, int found)
{
	static struct ibv_wc last;
	static bool has_last;

	if (found > 0) {
		last = wc[found - 1];
		has_last = true;
	}
	switch (lie) {
	case POLL_MORE:
		return found > 0 && is_due() ? room + MORE : found;
	case POLL_MOST:
		return found > 0 && is_due() ? INT_MAX : found;
	case POLL_NEGATIVE:
		return found > 0 && is_due() ? INT_MIN : found;
	case POLL_SILENT:
		return found > 0 && is_due() ? 0 : found;
	case POLL_UNSOLICITED:
		if (found || !is_due())
			return found;
		wc[0] = has_last ? last : (struct ibv_wc){.status = IBV_WC_SUCCESS};
		return 1;
	case POLL_TWICE:
		if (found <= 0 || 2 * found > room || !is_due())
			return found;
		memcpy(wc + found, wc, (size_t)found * sizeof(*wc));
		return 2 * found;
	default:
		return found;
	}
}

static int poll_cq(struct ibv_cq *cq, int room, struct ibv_wc *wc)
{
	int found = beneath.poll_cq(cq, room, wc);

	if (!is_program(__builtin_return_address(0)))
		return found;
	for (int i = 0; i < found; i++)
		patch_apply(OF_COMPLETION, &wc[i]);
	return poll_lie(room, wc, found);
}

int ibv_query_device(struct ibv_context *context, struct ibv_device_attr *attr)
{
	int err;

	NEXT(ibv_query_device);
	err = next(context, attr);
	if (!err && is_program(__builtin_return_address(0)))
		patch_apply(OF_DEVICE, attr);
	return err;
}

static int query_device_ex(struct ibv_context *context, const struct ibv_query_device_ex_input *input,
			   struct ibv_device_attr_ex *attr, size_t size)
{
	int err = query_device_ex_beneath(context, input, attr, size);

	if (!err && is_program(__builtin_return_address(0)))
		patch_apply(OF_DEVICE, &attr->orig_attr);
	return err;
}

int ibv_query_port(struct ibv_context *context, uint8_t port, struct _compat_ibv_port_attr *attr)
{
	int err;

	NEXT(ibv_query_port);
	err = next(context, port, attr);
	if (!err && is_program(__builtin_return_address(0)))
		patch_apply(OF_PORT, attr);
	return err;
}

static int query_port(struct ibv_context *context, uint8_t port, struct ibv_port_attr *attr, size_t size)
{
	int err = query_port_beneath(context, port, attr, size);

	if (!err && is_program(__builtin_return_address(0)))
		patch_apply(OF_PORT, attr);
	return err;
}

int _ibv_query_gid_ex(struct ibv_context *context, uint32_t port, uint32_t index, struct ibv_gid_entry *entry,
		      uint32_t flags, size_t size)
{
	int err;

	NEXT(_ibv_query_gid_ex);
	err = next(context, port, index, entry, flags, size);
	if (!err)
		patch_apply(OF_GID, entry);
	return err;
}

ssize_t _ibv_query_gid_table(struct ibv_context *context, struct ibv_gid_entry *entries, size_t room, uint32_t flags,
			     size_t size)
{
	ssize_t found;

	NEXT(_ibv_query_gid_table);
	found = next(context, entries, room, flags, size);
	for (ssize_t i = 0; i < found; i++)
		patch_apply(OF_GID, &entries[i]);
	if (lie == TABLE_MORE && is_due())
		return (ssize_t)room + MORE;
	return lie == TABLE_MOST && is_due() ? SSIZE_MAX : found;
}

/* What headers call through the context is put in there. All contexts are of one device here. */
struct ibv_context *ibv_open_device(struct ibv_device *device)
{
	struct ibv_context *context;
	struct verbs_context *extended;

	NEXT(ibv_open_device);
	context = next(device);
	if (!context)
		return NULL;
	beneath = context->ops;
	context->ops.poll_cq = poll_cq;
	extended = verbs_get_ctx(context);
	if (extended && extended->query_device_ex) {
		query_device_ex_beneath = extended->query_device_ex;
		extended->query_device_ex = query_device_ex;
	}
	if (extended && extended->query_port) {
		query_port_beneath = extended->query_port;
		extended->query_port = query_port;
	}
	return context;
}

/* --- the C library --- */

ssize_t recv(int fd, void *bytes, size_t size, int flags)
{
	ssize_t received;

	NEXT(recv);
	if (!is_program(__builtin_return_address(0)))
		return next(fd, bytes, size, flags);
	if (lie == RECV_SHORT && size > 1 && is_due())
		return next(fd, bytes, 1, flags);
	received = next(fd, bytes, size, flags);
	return lie == RECV_MORE && received > 0 && is_due() ? (ssize_t)size + PAGE_OF_BYTES : received;
}

ssize_t send(int fd, const void *bytes, size_t size, int flags)
{
	ssize_t sent;

	NEXT(send);
	if (!is_program(__builtin_return_address(0)))
		return next(fd, bytes, size, flags);
	if (lie == SEND_SHORT && size > 1 && is_due())
		return next(fd, bytes, 1, flags);
	sent = next(fd, bytes, size, flags);
	return lie == SEND_MORE && sent > 0 && is_due() ? (ssize_t)size + PAGE_OF_BYTES : sent;
}

int getsockopt(int fd, int level, int name, void *value, socklen_t *length)
{
	const socklen_t room = *length;
	uint8_t before[room];
	int err;

	NEXT(getsockopt);
	memcpy(before, value, room);
	err = next(fd, level, name, value, length);
	if (err || !is_program(__builtin_return_address(0)))
		return err;
	if (lie == OPTION_SHORT && is_due()) {
		memcpy(value, before, room);
		*length = 0;
	} else if (lie == OPTION_MOST && name != SO_ERROR && is_due()) {
		memset(value, 0xff, room);
	}
	return 0;
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
	static unsigned long readings;
	static bool is_back;
	int err;

	NEXT(clock_gettime);
	err = next(clock, now);
	if (err)
		return err;
	if (lie == CLOCK_BACK && (is_back || is_due())) {
		is_back = true;
		now->tv_sec -= now->tv_sec > BACK_S ? BACK_S : now->tv_sec; /* never before the host was started */
	} else if (lie == CLOCK_STEPS && is_due() && ++readings % 101 == 0 && now->tv_nsec > 10000000) {
		now->tv_nsec -= 10000000;
	}
	return 0;
}
