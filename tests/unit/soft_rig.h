/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Two processes with a queue pair each, so that the tests of the software device see both ends. The far end is a child
 * that executes commands from a socket pair; the near end is the test itself. Only verbs are used, so the same tests
 * would run over a real device.
 */
#pragma once

#include <dirent.h>
#include <infiniband/verbs.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cmocka_all.h"

#define RIG_BUFFER (1u << 20)
#define RIG_WAIT_S 20 /* for expected events: the machine may be loaded */
#define RIG_QKEY   0x11111111u
#define RIG_DEPTH  64
#define RIG_ACCESS                                                                                                     \
	(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC)

/* AddressSanitizer, as defined by gcc or clang: its shadow fills terabytes of addresses. */
#if defined(__SANITIZE_ADDRESS__)
#define RIG_HAS_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define RIG_HAS_ASAN 1
#endif
#endif

struct rig_options {
	enum ibv_qp_type type;
	int mr_access; /* of the buffer; 0: RIG_ACCESS */
	int qp_access; /* 0: RIG_ACCESS; -1: none */
	int depth;     /* of both queues and of the CQs; 0: RIG_DEPTH */
	int cqe;       /* 0: twice the depth */
	bool has_channel;
	bool all_signalled;
	int max_dest_rd_atomic; /* 0: 1; -1: none */
	int rnr_retry;		/* 0: 7; -1: none */
	int rnr_timer;		/* 0: 1, 10 us */
	int timeout;		/* 0: 8, 1 ms */
	int retry_cnt;
	bool stays_in_rtr;
};

struct rig_end {
	struct rig_options options;
	struct ibv_context *context;
	struct ibv_pd *pd;
	struct ibv_mr *mr;
	struct ibv_comp_channel *channel;
	struct ibv_cq *send_cq, *receive_cq;
	struct ibv_qp *qp;
	uint8_t *buffer;
};

/* What each end must know of the other. */
struct rig_address {
	uint32_t qpn;
	uint32_t rkey;
	uint64_t addr;
};

#define RIG_CHECK(what)                                                                                                \
	do {                                                                                                           \
		if (!(what)) {                                                                                         \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #what);                                     \
			abort();                                                                                       \
		}                                                                                                      \
	} while (0)

static inline double rig_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static inline bool rig_thread_sleeps(long tid)
{
	char path[64], line[300];
	const char *state = NULL;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/task/%ld/stat", tid);
	file = fopen(path, "re");
	if (file && fgets(line, sizeof(line), file))
		state = strrchr(line, ')');
	if (file)
		fclose(file);
	return !state || state[2] == 'S';
}

/* Returns the number of the youngest thread. waits: after those above `above` are seen to sleep. */
static inline long rig_threads(long above, bool waits)
{
	struct dirent *entry;
	long youngest = 0;
	DIR *tasks;

	tasks = opendir("/proc/self/task");
	RIG_CHECK(tasks);
	while ((entry = readdir(tasks))) {
		const long tid = strtol(entry->d_name, NULL, 10); /* of "." and "..", 0 */

		while (waits && tid > above && !rig_thread_sleeps(tid))
			usleep(100);
		youngest = tid > youngest ? tid : youngest;
	}
	closedir(tasks);
	return youngest;
}

/*
 * AddressSanitizer of LLVM 14 has no fork handlers, and a thread that starts allocates: if a test calls fork() then,
 * the allocator's lock stays locked in the child. So the threads that the device starts have to sleep before a test
 * goes on.
 */
static inline struct ibv_context *rig_open_device(void)
{
	int count;
	struct ibv_device **list = ibv_get_device_list(&count);
	struct ibv_context *context = NULL;
	const long youngest = rig_threads(0, false /* waits */);

	for (int i = 0; i < count && !context; i++) {
		if (strcmp(ibv_get_device_name(list[i]), "soft0") == 0)
			context = ibv_open_device(list[i]);
	}
	RIG_CHECK(context);
	ibv_free_device_list(list);
	rig_threads(youngest, true /* waits */);
	return context;
}

static inline void rig_end_open(struct rig_end *end, const struct rig_options *options)
{
	struct ibv_qp_init_attr init = {0};
	struct ibv_qp_attr attr = {.qp_state = IBV_QPS_INIT, .port_num = 1};
	int depth = options->depth ? options->depth : RIG_DEPTH;
	int cqe = options->cqe ? options->cqe : 2 * depth;

	*end = (struct rig_end){.options = *options};
	end->context = rig_open_device();
	end->pd = ibv_alloc_pd(end->context);
	RIG_CHECK(end->pd);
	end->buffer = mmap(NULL, RIG_BUFFER, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	RIG_CHECK(end->buffer != MAP_FAILED);
	end->mr = ibv_reg_mr(end->pd, end->buffer, RIG_BUFFER, options->mr_access ? options->mr_access : RIG_ACCESS);
	RIG_CHECK(end->mr);
	if (options->has_channel)
		RIG_CHECK((end->channel = ibv_create_comp_channel(end->context)) != NULL);
	RIG_CHECK((end->send_cq = ibv_create_cq(end->context, cqe, NULL, end->channel, 0)) != NULL);
	RIG_CHECK((end->receive_cq = ibv_create_cq(end->context, cqe, NULL, end->channel, 0)) != NULL);
	init.qp_type = options->type;
	init.send_cq = end->send_cq;
	init.recv_cq = end->receive_cq;
	init.sq_sig_all = options->all_signalled;
	init.cap = (struct ibv_qp_cap){.max_send_wr = (uint32_t)depth,
				       .max_recv_wr = (uint32_t)depth,
				       .max_send_sge = 4,
				       .max_recv_sge = 4,
				       .max_inline_data = 128};
	RIG_CHECK((end->qp = ibv_create_qp(end->pd, &init)) != NULL);
	attr.qp_access_flags = options->qp_access == 0 ? RIG_ACCESS : options->qp_access < 0 ? 0 : options->qp_access;
	attr.qkey = RIG_QKEY;
	RIG_CHECK(ibv_modify_qp(end->qp, &attr,
				IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
					(options->type == IBV_QPT_UD ? IBV_QP_QKEY : IBV_QP_ACCESS_FLAGS)) == 0);
}

static inline struct rig_address rig_end_address(const struct rig_end *end)
{
	return (struct rig_address){end->qp->qp_num, end->mr->rkey, (uint64_t)(uintptr_t)end->buffer};
}

/* Attributes to connect a queue pair; zeros are used as they are. */
struct rig_steps {
	uint32_t qpn;
	uint8_t reads, rnr_timer; /* of the target */
	uint8_t timeout, retry_cnt, rnr_retry;
	bool stays_in_rtr;
	enum ibv_mtu mtu; /* 0: IBV_MTU_4096 */
};

/*
 * From INIT to RTS, with the attributes of its type. 0, or the first error of ibv_modify_qp(); the second step is still
 * tried.
 */
static inline int rig_qp_connect(struct ibv_qp *qp, const struct rig_steps *steps)
{
	const bool is_connected = qp->qp_type != IBV_QPT_UD, is_reliable = is_connected && qp->qp_type != IBV_QPT_UC;
	struct ibv_qp_attr attr = {.qp_state = IBV_QPS_RTR,
				   .path_mtu = steps->mtu ? steps->mtu : IBV_MTU_4096,
				   .dest_qp_num = steps->qpn,
				   .max_dest_rd_atomic = steps->reads,
				   .min_rnr_timer = steps->rnr_timer,
				   .ah_attr = {.port_num = 1, .is_global = 1}};
	int mask = IBV_QP_STATE, first, second;

	if (is_connected)
		mask |= IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN;
	if (is_reliable && qp->qp_type != IBV_QPT_XRC_SEND)
		mask |= IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
	first = ibv_modify_qp(qp, &attr, mask);
	if (steps->stays_in_rtr)
		return first;
	attr = (struct ibv_qp_attr){.qp_state = IBV_QPS_RTS,
				    .timeout = steps->timeout,
				    .retry_cnt = steps->retry_cnt,
				    .rnr_retry = steps->rnr_retry,
				    .max_rd_atomic = 1};
	mask = IBV_QP_STATE | IBV_QP_SQ_PSN;
	if (is_reliable)
		mask |= IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC;
	second = ibv_modify_qp(qp, &attr, mask);
	return first ? first : second;
}

static inline void rig_end_connect(struct rig_end *end, uint32_t qpn)
{
	const struct rig_options *options = &end->options;
	struct rig_steps steps = {
		.qpn = qpn,
		.reads = 1,
		.rnr_timer = options->rnr_timer ? (uint8_t)options->rnr_timer : 1,
		.timeout = options->timeout ? (uint8_t)options->timeout : 8,
		.retry_cnt = (uint8_t)options->retry_cnt,
		.rnr_retry = options->rnr_retry < 0 ? 0
			     : options->rnr_retry   ? (uint8_t)options->rnr_retry
						    : 7,
		.stays_in_rtr = options->stays_in_rtr,
	};

	if (options->max_dest_rd_atomic)
		steps.reads = options->max_dest_rd_atomic < 0 ? 0 : (uint8_t)options->max_dest_rd_atomic;
	RIG_CHECK(rig_qp_connect(end->qp, &steps) == 0);
}

static inline void rig_end_close(struct rig_end *end)
{
	RIG_CHECK(ibv_destroy_qp(end->qp) == 0);
	RIG_CHECK(ibv_destroy_cq(end->send_cq) == 0);
	RIG_CHECK(ibv_destroy_cq(end->receive_cq) == 0);
	if (end->channel)
		RIG_CHECK(ibv_destroy_comp_channel(end->channel) == 0);
	RIG_CHECK(ibv_dereg_mr(end->mr) == 0);
	RIG_CHECK(ibv_dealloc_pd(end->pd) == 0);
	RIG_CHECK(ibv_close_device(end->context) == 0);
	munmap(end->buffer, RIG_BUFFER);
}

/* `length` bytes at `offset` in the buffer. lkey 0: the buffer's. */
static inline int rig_end_post_receive(struct rig_end *end, uint64_t wr_id, uint32_t offset, uint32_t length,
				       uint32_t lkey)
{
	struct ibv_sge sge = {(uint64_t)(uintptr_t)end->buffer + offset, length, lkey ? lkey : end->mr->lkey};
	struct ibv_recv_wr wr = {.wr_id = wr_id, .sg_list = &sge, .num_sge = 1}, *bad;

	return ibv_post_recv(end->qp, &wr, &bad);
}

static inline struct ibv_wc rig_poll(struct ibv_cq *cq)
{
	double until = rig_now() + RIG_WAIT_S;
	struct ibv_wc wc;
	int count;

	while ((count = ibv_poll_cq(cq, 1, &wc)) == 0)
		RIG_CHECK(rig_now() < until);
	RIG_CHECK(count == 1);
	return wc;
}

static inline bool rig_is_empty(struct ibv_cq *cq)
{
	struct ibv_wc wc;

	return ibv_poll_cq(cq, 1, &wc) == 0;
}

static inline enum ibv_qp_state rig_state(struct rig_end *end)
{
	struct ibv_qp_attr attr;
	struct ibv_qp_init_attr init;

	RIG_CHECK(ibv_query_qp(end->qp, &attr, IBV_QP_STATE, &init) == 0);
	return attr.qp_state;
}

/* The type of the next async event; -1: none within the time limit. */
static inline int rig_async(struct rig_end *end)
{
	struct pollfd ready = {.fd = end->context->async_fd, .events = POLLIN};
	struct ibv_async_event event;

	if (poll(&ready, 1, RIG_WAIT_S * 1000) != 1 || ibv_get_async_event(end->context, &event))
		return -1;
	ibv_ack_async_event(&event);
	return (int)event.event_type;
}

/* The far end. */
enum rig_order {
	RIG_OPEN,
	RIG_CONNECT,
	RIG_POST,
	RIG_POLL,
	RIG_PEEK,
	RIG_POKE,
	RIG_ASYNC,
	RIG_STATE,
	RIG_EMPTY,
	RIG_CLOSE
};

struct rig_message {
	enum rig_order order;
	struct rig_options options;
	struct rig_address address;
	struct ibv_wc wc;
	uint64_t wr_id;
	uint32_t offset, length, lkey;
	int result;
	uint8_t bytes[256];
};

struct rig {
	struct rig_end near;
	struct rig_address far;
	pid_t child;
	int fd;
};

static inline void rig_far_run(int fd)
{
	struct rig_message message;
	struct rig_end end = {0};

	while (read(fd, &message, sizeof(message)) == (ssize_t)sizeof(message)) {
		switch (message.order) {
		case RIG_OPEN:
			rig_end_open(&end, &message.options);
			message.address = rig_end_address(&end);
			break;
		case RIG_CONNECT:
			rig_end_connect(&end, message.address.qpn);
			break;
		case RIG_POST:
			message.result =
				rig_end_post_receive(&end, message.wr_id, message.offset, message.length, message.lkey);
			break;
		case RIG_POLL:
			message.wc = rig_poll(end.receive_cq);
			break;
		case RIG_PEEK:
			memcpy(message.bytes, end.buffer + message.offset, message.length);
			break;
		case RIG_POKE:
			memcpy(end.buffer + message.offset, message.bytes, message.length);
			break;
		case RIG_ASYNC:
			message.result = rig_async(&end);
			break;
		case RIG_STATE:
			message.result = (int)rig_state(&end);
			break;
		case RIG_EMPTY:
			message.result = rig_is_empty(end.receive_cq);
			break;
		case RIG_CLOSE:
			rig_end_close(&end);
			break;
		}
		RIG_CHECK(write(fd, &message, sizeof(message)) == (ssize_t)sizeof(message));
		if (message.order == RIG_CLOSE)
			_exit(0);
	}
	_exit(1);
}

static inline struct rig_message rig_ask(struct rig *rig, struct rig_message message)
{
	RIG_CHECK(write(rig->fd, &message, sizeof(message)) == (ssize_t)sizeof(message));
	RIG_CHECK(read(rig->fd, &message, sizeof(message)) == (ssize_t)sizeof(message));
	return message;
}

/* Starts the child before any device is open here. */
static inline void rig_start(struct rig *rig, struct rig_options near, struct rig_options far)
{
	int pair[2];

	RIG_CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
	rig->child = fork();
	RIG_CHECK(rig->child >= 0);
	if (rig->child == 0) {
		close(pair[0]);
		rig_far_run(pair[1]);
	}
	close(pair[1]);
	rig->fd = pair[0];
	rig_end_open(&rig->near, &near);
	rig->far = rig_ask(rig, (struct rig_message){.order = RIG_OPEN, .options = far}).address;
	rig_end_connect(&rig->near, rig->far.qpn);
	rig_ask(rig, (struct rig_message){.order = RIG_CONNECT, .address = rig_end_address(&rig->near)});
}

static inline void rig_end(struct rig *rig)
{
	int status;

	rig_ask(rig, (struct rig_message){.order = RIG_CLOSE});
	RIG_CHECK(waitpid(rig->child, &status, 0) == rig->child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
	close(rig->fd);
	rig_end_close(&rig->near);
}

static inline void rig_far_post(struct rig *rig, uint64_t wr_id, uint32_t offset, uint32_t length)
{
	struct rig_message message = {.order = RIG_POST, .wr_id = wr_id, .offset = offset, .length = length};

	RIG_CHECK(rig_ask(rig, message).result == 0);
}

static inline struct ibv_wc rig_far_poll(struct rig *rig)
{
	return rig_ask(rig, (struct rig_message){.order = RIG_POLL}).wc;
}

static inline bool rig_far_is_empty(struct rig *rig)
{
	return rig_ask(rig, (struct rig_message){.order = RIG_EMPTY}).result;
}

static inline void rig_far_peek(struct rig *rig, uint32_t offset, void *bytes, uint32_t length)
{
	struct rig_message message = {.order = RIG_PEEK, .offset = offset, .length = length};

	message = rig_ask(rig, message);
	memcpy(bytes, message.bytes, length);
}

static inline void rig_far_poke(struct rig *rig, uint32_t offset, const void *bytes, uint32_t length)
{
	struct rig_message message = {.order = RIG_POKE, .offset = offset, .length = length};

	memcpy(message.bytes, bytes, length);
	rig_ask(rig, message);
}

/* A signalled request of `length` bytes from the start of the near buffer to the start of the far one. */
struct rig_request {
	struct ibv_sge sge;
	struct ibv_send_wr wr;
};

static inline struct rig_request *rig_request(struct rig *rig, struct rig_request *request, enum ibv_wr_opcode opcode,
					      uint32_t length)
{
	*request = (struct rig_request){
		.sge = {(uint64_t)(uintptr_t)rig->near.buffer, length, rig->near.mr->lkey},
		.wr = {.wr_id = 77, .num_sge = 1, .opcode = opcode, .send_flags = IBV_SEND_SIGNALED},
	};
	request->wr.sg_list = &request->sge;
	if (opcode == IBV_WR_ATOMIC_CMP_AND_SWP || opcode == IBV_WR_ATOMIC_FETCH_AND_ADD) {
		request->wr.wr.atomic.remote_addr = rig->far.addr;
		request->wr.wr.atomic.rkey = rig->far.rkey;
	} else {
		request->wr.wr.rdma.remote_addr = rig->far.addr;
		request->wr.wr.rdma.rkey = rig->far.rkey;
	}
	return request;
}

static inline int rig_post(struct rig *rig, struct rig_request *request)
{
	struct ibv_send_wr *bad;

	return ibv_post_send(rig->near.qp, &request->wr, &bad);
}

static inline struct ibv_wc rig_run(struct rig *rig, struct rig_request *request)
{
	RIG_CHECK(rig_post(rig, request) == 0);
	return rig_poll(rig->near.send_cq);
}

/* A private runtime directory of the test, removed afterwards: no file may be left in it by then. */
static inline int rig_directory_make(void **state)
{
	char *path = strdup("/tmp/test_soft.XXXXXX");

	RIG_CHECK(path && mkdtemp(path));
	setenv("XDG_RUNTIME_DIR", path, 1);
	*state = path;
	return 0;
}

static inline int rig_directory_remove(void **state)
{
	char path[256];
	int err;

	snprintf(path, sizeof(path), "%s/perftest-soft", (const char *)*state);
	err = rmdir(path) && errno != ENOENT ? -1 : rmdir(*state);
	if (err)
		perror("the runtime directory is not empty");
	free(*state);
	return err;
}
