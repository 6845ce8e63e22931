// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Preloaded: makes the Nth call of a kind fail, and only that one. Built by torture.bats and clients.bats.
 *
 *   FAIL_CALL=verbs:N      of libibverbs, including the data path; a poll counts if it would have found something
 *   FAIL_CALL=rdma_cm:N    of librdmacm
 *   FAIL_CALL=alloc:N      malloc() and the like, and allocations with it in jansson, or one or two calls deep in the
 *                          C library (where it resolves names, failures kill the process by its own assertions)
 *   FAIL_CALL=fork:N       fork(): no process is available
 *   FAIL_CALL=child:N      none fails: the process created by the Nth fork() is stopped at its start
 *   FAIL_CALL_FILE=FILE    gets the name of the call that failed; without one, none did
 *
 * Counts calls by the program itself, not those between libraries. Calls that destroy, or only read from memory, cannot
 * fail.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <infiniband/verbs.h>
#include <rdma/rdma_cma.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "in_front.h"

#undef ibv_reg_mr
#undef ibv_reg_mr_iova
#undef ibv_query_port

enum kind { VERBS, RDMA_CM, ALLOC, FORK, CHILD, NUM_KINDS };

static const char *const kind_names[NUM_KINDS] = {"verbs", "rdma_cm", "alloc", "fork", "child"};
static unsigned long left[NUM_KINDS]; /* calls until one fails, that one counted; 0: none does */
static bool is_ready;
static struct ibv_context_ops beneath;
static int (*query_device_ex_beneath)(struct ibv_context *, const struct ibv_query_device_ex_input *,
				      struct ibv_device_attr_ex *, size_t);
static int (*query_port_beneath)(struct ibv_context *, uint8_t, struct ibv_port_attr *, size_t);
static struct ibv_flow *(*create_flow_beneath)(struct ibv_qp *, struct ibv_flow_attr *);
static struct ibv_qp *(*create_qp_ex_beneath)(struct ibv_context *, struct ibv_qp_init_attr_ex *);
static struct ibv_wq *(*create_wq_beneath)(struct ibv_context *, struct ibv_wq_init_attr *);
static int (*modify_wq_beneath)(struct ibv_wq *, struct ibv_wq_attr *);
static int (*post_wq_recv_beneath)(struct ibv_wq *, struct ibv_recv_wr *, struct ibv_recv_wr **);
static struct ibv_rwq_ind_table *(*create_table_beneath)(struct ibv_context *, struct ibv_rwq_ind_table_init_attr *);

__attribute__((constructor)) static void open_here(void)
{
	const char *text = getenv("FAIL_CALL");
	const char *colon = text ? strchr(text, ':') : NULL;
	void *frames[4];

	dl_iterate_phdr(note_program, NULL);
	backtrace(frames, 4); /* it loads a library when it is first used */
	for (int kind = 0; colon && kind < NUM_KINDS; kind++) {
		if (strncmp(text, kind_names[kind], (size_t)(colon - text)) == 0)
			left[kind] = strtoul(colon + 1, NULL, 10);
	}
	is_ready = true;
}

static bool strikes(enum kind kind, const char *name)
{
	unsigned long before = __atomic_load_n(&left[kind], __ATOMIC_RELAXED);
	int fd;

	do {
		if (!before)
			return false;
	} while (!__atomic_compare_exchange_n(&left[kind], &before, before - 1, false, __ATOMIC_RELAXED,
					      __ATOMIC_RELAXED));
	if (before > 1)
		return false;
	fd = open(getenv("FAIL_CALL_FILE"), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, name, strlen(name)) < 0)
		abort();
	close(fd);
	return true;
}

#define STRIKES(kind, name) (is_program(__builtin_return_address(0)) && strikes(kind, #name))

/* What returns a pointer, or NULL with errno. */
#define MAKES(kind, type, name, parameters, ...)                                                                       \
	type *name parameters                                                                                          \
	{                                                                                                              \
		NEXT(name);                                                                                            \
		if (STRIKES(kind, name)) {                                                                             \
			errno = ENOMEM;                                                                                \
			return NULL;                                                                                   \
		}                                                                                                      \
		return next(__VA_ARGS__);                                                                              \
	}

/* What returns 0, or -1 with errno, or a positive errno. */
#define DOES(kind, answer, type, name, parameters, ...)                                                                \
	type name parameters                                                                                           \
	{                                                                                                              \
		NEXT(name);                                                                                            \
		if (STRIKES(kind, name)) {                                                                             \
			errno = EIO;                                                                                   \
			return answer;                                                                                 \
		}                                                                                                      \
		return next(__VA_ARGS__);                                                                              \
	}

/* --- libibverbs --- */

MAKES(VERBS, struct ibv_device *, ibv_get_device_list, (int *count), count)
MAKES(VERBS, struct ibv_pd, ibv_alloc_pd, (struct ibv_context * context), context)
MAKES(VERBS, struct ibv_cq, ibv_create_cq,
      (struct ibv_context * context, int cqe, void *cq_context, struct ibv_comp_channel *channel, int vector), context,
      cqe, cq_context, channel, vector)
MAKES(VERBS, struct ibv_comp_channel, ibv_create_comp_channel, (struct ibv_context * context), context)
MAKES(VERBS, struct ibv_qp, ibv_create_qp, (struct ibv_pd * pd, struct ibv_qp_init_attr *attr), pd, attr)
MAKES(VERBS, struct ibv_srq, ibv_create_srq, (struct ibv_pd * pd, struct ibv_srq_init_attr *attr), pd, attr)
MAKES(VERBS, struct ibv_ah, ibv_create_ah, (struct ibv_pd * pd, struct ibv_ah_attr *attr), pd, attr)
MAKES(VERBS, struct ibv_mr, ibv_reg_mr, (struct ibv_pd * pd, void *address, size_t length, int access), pd, address,
      length, access)
MAKES(VERBS, struct ibv_mr, ibv_reg_mr_iova2,
      (struct ibv_pd * pd, void *address, size_t length, uint64_t iova, unsigned access), pd, address, length, iova,
      access)
DOES(VERBS, EIO, int, ibv_modify_qp, (struct ibv_qp * qp, struct ibv_qp_attr *attr, int mask), qp, attr, mask)
DOES(VERBS, EIO, int, ibv_query_qp,
     (struct ibv_qp * qp, struct ibv_qp_attr *attr, int mask, struct ibv_qp_init_attr *init), qp, attr, mask, init)
DOES(VERBS, EIO, int, ibv_query_device, (struct ibv_context * context, struct ibv_device_attr *attr), context, attr)
DOES(VERBS, EIO, int, ibv_query_port, (struct ibv_context * context, uint8_t port, struct _compat_ibv_port_attr *attr),
     context, port, attr)
DOES(VERBS, -1, int, ibv_query_gid, (struct ibv_context * context, uint8_t port, int index, union ibv_gid *gid),
     context, port, index, gid)
DOES(VERBS, -1, int, ibv_get_cq_event, (struct ibv_comp_channel * channel, struct ibv_cq **cq, void **context), channel,
     cq, context)
DOES(VERBS, EIO, int, _ibv_query_gid_ex,
     (struct ibv_context * context, uint32_t port, uint32_t index, struct ibv_gid_entry *entry, uint32_t flags,
      size_t size),
     context, port, index, entry, flags, size)
DOES(VERBS, -EIO, ssize_t, _ibv_query_gid_table,
     (struct ibv_context * context, struct ibv_gid_entry *entries, size_t max, uint32_t flags, size_t size), context,
     entries, max, flags, size)

static int post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad)
{
	if (!STRIKES(VERBS, ibv_post_send))
		return beneath.post_send(qp, wr, bad);
	*bad = wr;
	return EIO;
}

static int post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
	if (!STRIKES(VERBS, ibv_post_recv))
		return beneath.post_recv(qp, wr, bad);
	*bad = wr;
	return EIO;
}

static int poll_cq(struct ibv_cq *cq, int count, struct ibv_wc *wc)
{
	int found = beneath.poll_cq(cq, count, wc);

	return found > 0 && STRIKES(VERBS, ibv_poll_cq) ? -1 : found;
}

static int req_notify_cq(struct ibv_cq *cq, int solicited_only)
{
	return STRIKES(VERBS, ibv_req_notify_cq) ? EIO : beneath.req_notify_cq(cq, solicited_only);
}

static int query_device_ex(struct ibv_context *context, const struct ibv_query_device_ex_input *input,
			   struct ibv_device_attr_ex *attr, size_t size)
{
	return STRIKES(VERBS, ibv_query_device_ex) ? EIO : query_device_ex_beneath(context, input, attr, size);
}

static int query_port(struct ibv_context *context, uint8_t port, struct ibv_port_attr *attr, size_t size)
{
	return STRIKES(VERBS, ibv_query_port) ? EIO : query_port_beneath(context, port, attr, size);
}

static struct ibv_flow *create_flow(struct ibv_qp *qp, struct ibv_flow_attr *attr)
{
	if (!STRIKES(VERBS, ibv_create_flow))
		return create_flow_beneath(qp, attr);
	errno = ENOMEM;
	return NULL;
}

static struct ibv_qp *create_qp_ex(struct ibv_context *context, struct ibv_qp_init_attr_ex *attr)
{
	if (!STRIKES(VERBS, ibv_create_qp_ex))
		return create_qp_ex_beneath(context, attr);
	errno = ENOMEM;
	return NULL;
}

static int post_wq_recv(struct ibv_wq *wq, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
	if (!STRIKES(VERBS, ibv_post_wq_recv))
		return post_wq_recv_beneath(wq, wr, bad);
	*bad = wr;
	return EIO;
}

static struct ibv_wq *create_wq(struct ibv_context *context, struct ibv_wq_init_attr *attr)
{
	struct ibv_wq *wq;

	if (STRIKES(VERBS, ibv_create_wq)) {
		errno = ENOMEM;
		return NULL;
	}
	wq = create_wq_beneath(context, attr);
	if (wq) {
		post_wq_recv_beneath = wq->post_recv;
		wq->post_recv = post_wq_recv;
	}
	return wq;
}

static int modify_wq(struct ibv_wq *wq, struct ibv_wq_attr *attr)
{
	return STRIKES(VERBS, ibv_modify_wq) ? EIO : modify_wq_beneath(wq, attr);
}

static struct ibv_rwq_ind_table *create_table(struct ibv_context *context, struct ibv_rwq_ind_table_init_attr *attr)
{
	if (!STRIKES(VERBS, ibv_create_rwq_ind_table))
		return create_table_beneath(context, attr);
	errno = ENOMEM;
	return NULL;
}

/* Those of work queues, and what is made over them. */
static void take_work_queues(struct verbs_context *extended)
{
	create_qp_ex_beneath = extended->create_qp_ex;
	extended->create_qp_ex = create_qp_ex;
	create_wq_beneath = extended->create_wq;
	extended->create_wq = create_wq;
	modify_wq_beneath = extended->modify_wq;
	extended->modify_wq = modify_wq;
	create_table_beneath = extended->create_rwq_ind_table;
	extended->create_rwq_ind_table = create_table;
}

/* What headers call through the context is put in there. All contexts are of one device here. */
struct ibv_context *ibv_open_device(struct ibv_device *device)
{
	struct ibv_context *context;
	struct verbs_context *extended;

	NEXT(ibv_open_device);
	if (STRIKES(VERBS, ibv_open_device)) {
		errno = EIO;
		return NULL;
	}
	context = next(device);
	if (!context)
		return NULL;
	beneath = context->ops;
	context->ops.post_send = post_send;
	context->ops.post_recv = post_recv;
	context->ops.poll_cq = poll_cq;
	context->ops.req_notify_cq = req_notify_cq;
	extended = verbs_get_ctx(context);
	if (extended && extended->query_device_ex) {
		query_device_ex_beneath = extended->query_device_ex;
		extended->query_device_ex = query_device_ex;
	}
	if (extended && extended->ibv_create_flow) {
		create_flow_beneath = extended->ibv_create_flow;
		extended->ibv_create_flow = create_flow;
	}
	if (extended && extended->create_qp_ex && extended->create_rwq_ind_table)
		take_work_queues(extended);
	if (extended && extended->query_port) {
		query_port_beneath = extended->query_port;
		extended->query_port = query_port;
	}
	return context;
}

/* --- librdmacm --- */

MAKES(RDMA_CM, struct rdma_event_channel, rdma_create_event_channel, (void))
DOES(RDMA_CM, -1, int, rdma_create_id,
     (struct rdma_event_channel * channel, struct rdma_cm_id **id, void *context, enum rdma_port_space space), channel,
     id, context, space)
DOES(RDMA_CM, -1, int, rdma_bind_addr, (struct rdma_cm_id * id, struct sockaddr *address), id, address)
DOES(RDMA_CM, -1, int, rdma_resolve_addr,
     (struct rdma_cm_id * id, struct sockaddr *source, struct sockaddr *target, int timeout_ms), id, source, target,
     timeout_ms)
DOES(RDMA_CM, -1, int, rdma_resolve_route, (struct rdma_cm_id * id, int timeout_ms), id, timeout_ms)
DOES(RDMA_CM, -1, int, rdma_create_qp, (struct rdma_cm_id * id, struct ibv_pd *pd, struct ibv_qp_init_attr *attr), id,
     pd, attr)
DOES(RDMA_CM, -1, int, rdma_connect, (struct rdma_cm_id * id, struct rdma_conn_param *parameters), id, parameters)
DOES(RDMA_CM, -1, int, rdma_listen, (struct rdma_cm_id * id, int backlog), id, backlog)
DOES(RDMA_CM, -1, int, rdma_accept, (struct rdma_cm_id * id, struct rdma_conn_param *parameters), id, parameters)
DOES(RDMA_CM, -1, int, rdma_establish, (struct rdma_cm_id * id), id)
DOES(RDMA_CM, -1, int, rdma_migrate_id, (struct rdma_cm_id * id, struct rdma_event_channel *channel), id, channel)
DOES(RDMA_CM, -1, int, rdma_init_qp_attr, (struct rdma_cm_id * id, struct ibv_qp_attr *attr, int *mask), id, attr, mask)
DOES(RDMA_CM, -1, int, rdma_set_option, (struct rdma_cm_id * id, int level, int name, void *value, size_t size), id,
     level, name, value, size)
DOES(RDMA_CM, -1, int, rdma_reject, (struct rdma_cm_id * id, const void *data, uint8_t length), id, data, length)
DOES(RDMA_CM, -1, int, rdma_disconnect, (struct rdma_cm_id * id), id)

/* As a poll, it counts when there is an event. */
int rdma_get_cm_event(struct rdma_event_channel *channel, struct rdma_cm_event **event)
{
	int err;

	NEXT(rdma_get_cm_event);
	err = next(channel, event);
	if (err || !STRIKES(RDMA_CM, rdma_get_cm_event))
		return err;
	rdma_ack_cm_event(*event);
	errno = EIO;
	return -1;
}

/* --- memory --- */

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

/* For the program, be it by way of jansson, or of the C library's outermost functions? */
static __attribute__((noinline)) bool is_for_program(void)
{
	static __thread bool is_inside;
	void *frames[8];
	bool answer = false;
	int count, in_libc = 0;

	if (!is_ready || !left[ALLOC] || is_inside)
		return false;
	is_inside = true;
	count = backtrace(frames, 8);
	for (int i = 3; i < count && !answer; i++) { /* behind this one, lacks_memory() and malloc() */
		Dl_info info;

		answer = is_program(frames[i]);
		if (answer || !dladdr(frames[i], &info))
			break;
		in_libc += strstr(info.dli_fname, "/libc.") != NULL;
		if (in_libc > 2 || !(strstr(info.dli_fname, "/libc.") || strstr(info.dli_fname, "/libjansson.")))
			break;
	}
	is_inside = false;
	return answer;
}

static __attribute__((noinline)) bool lacks_memory(const char *name)
{
	if (!is_for_program() || !strikes(ALLOC, name))
		return false;
	errno = ENOMEM;
	return true;
}

void *malloc(size_t size)
{
	return lacks_memory("malloc") ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
	return lacks_memory("calloc") ? NULL : __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size)
{
	return lacks_memory("realloc") ? NULL : __libc_realloc(memory, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size)
{
	if (lacks_memory("posix_memalign"))
		return ENOMEM;
	*memory = __libc_memalign(alignment, size);
	return *memory ? 0 : ENOMEM;
}

void *mmap(void *address, size_t length, int protection, int flags, int fd, off_t offset)
{
	NEXT(mmap);
	if (is_program(__builtin_return_address(0)) && lacks_memory("mmap"))
		return MAP_FAILED;
	return next(address, length, protection, flags, fd, offset);
}

/* --- processes --- */

pid_t fork(void)
{
	NEXT(fork);
	bool stops;
	pid_t pid;

	if (STRIKES(FORK, fork)) {
		errno = EAGAIN;
		return -1;
	}
	stops = STRIKES(CHILD, fork);
	pid = next();
	if (!pid && stops)
		raise(SIGSTOP);
	return pid;
}
