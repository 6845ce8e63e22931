// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Does the software device support many processes, queue pairs, regions and threads? Run on it by soft_many.bats.
 *
 *   soft_many processes N   N processes, a queue pair from each to each; each sends each a message, and writes to it
 *   soft_many leaving N     the same, and they exit without closing anything
 *   soft_many pairs N       N queue pairs between two processes, a message in each direction on each
 *   soft_many regions N     N regions of a page, each page written to by another process, which identifies them
 *   soft_many threads N M   N threads post, poll, register and create queue pairs at the same time, M rounds each
 *
 * Received data is compared with sent data. Status 0 and nothing on stdout, or a line on stderr and 1; SIGALRM kills a
 * process that hangs.
 */
#include <errno.h>
#include <infiniband/verbs.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define LIMIT_S	     900 /* of everything: valgrind's relatives are slow */
#define PAGE	     4096u
#define MAX_THREADS  64
#define THREAD_DEPTH 16
#define ACCESS	     (IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ)

#define CHECK(what)                                                                                                    \
	do {                                                                                                           \
		if (!(what)) {                                                                                         \
			fprintf(stderr, "%s:%d: %s (errno %d)\n", __FILE__, __LINE__, #what, errno);                   \
			exit(1);                                                                                       \
		}                                                                                                      \
	} while (0)

/* What two ends must know of each other. */
struct address {
	uint32_t qpn;
	uint32_t rkey;
	uint64_t addr;
};

/* Shared by all processes of a run. */
struct board {
	pthread_barrier_t barrier;
	struct address addresses[];
};

struct end {
	struct ibv_context *context;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
};

static struct board *board_make(unsigned int processes, size_t addresses)
{
	pthread_barrierattr_t attr;
	struct board *board = mmap(NULL, sizeof(*board) + addresses * sizeof(struct address), PROT_READ | PROT_WRITE,
				   MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	CHECK(board != MAP_FAILED);
	CHECK(pthread_barrierattr_init(&attr) == 0);
	CHECK(pthread_barrierattr_setpshared(&attr, PTHREAD_PROCESS_SHARED) == 0);
	CHECK(pthread_barrier_init(&board->barrier, &attr, processes) == 0);
	return board;
}

static void end_open(struct end *end, int cqe)
{
	int count;
	struct ibv_device **list = ibv_get_device_list(&count);

	CHECK(list && count > 0);
	end->context = ibv_open_device(list[count - 2]);
	CHECK(end->context);
	ibv_free_device_list(list);
	end->pd = ibv_alloc_pd(end->context);
	CHECK(end->pd);
	end->cq = ibv_create_cq(end->context, cqe, NULL, NULL, 0);
	CHECK(end->cq);
}

static void end_close(struct end *end)
{
	CHECK(ibv_destroy_cq(end->cq) == 0);
	CHECK(ibv_dealloc_pd(end->pd) == 0);
	CHECK(ibv_close_device(end->context) == 0);
}

static struct ibv_qp *qp_make(struct ibv_pd *pd, struct ibv_cq *cq, uint32_t depth)
{
	struct ibv_qp_init_attr init = {
		.send_cq = cq, .recv_cq = cq, .cap = {depth, depth, 1, 1, 0}, .qp_type = IBV_QPT_RC, .sq_sig_all = 1};
	struct ibv_qp_attr attr = {.qp_state = IBV_QPS_INIT, .port_num = 1, .qp_access_flags = ACCESS};
	struct ibv_qp *qp = ibv_create_qp(pd, &init);

	CHECK(qp);
	CHECK(ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS) == 0);
	return qp;
}

static void qp_connect(struct ibv_qp *qp, uint32_t qpn)
{
	struct ibv_qp_attr attr = {.qp_state = IBV_QPS_RTR,
				   .path_mtu = IBV_MTU_4096,
				   .dest_qp_num = qpn,
				   .max_dest_rd_atomic = 1,
				   .min_rnr_timer = 1,
				   .ah_attr = {.port_num = 1, .is_global = 1}};

	CHECK(ibv_modify_qp(qp, &attr,
			    IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
				    IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER) == 0);
	attr = (struct ibv_qp_attr){
		.qp_state = IBV_QPS_RTS, .timeout = 18, .retry_cnt = 7, .rnr_retry = 7, .max_rd_atomic = 1};
	CHECK(ibv_modify_qp(qp, &attr,
			    IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
				    IBV_QP_MAX_QP_RD_ATOMIC) == 0);
}

static struct ibv_sge sge_of(const struct ibv_mr *mr, const void *at, uint32_t length)
{
	return (struct ibv_sge){(uint64_t)(uintptr_t)at, length, mr->lkey};
}

static void post_receive(struct ibv_qp *qp, struct ibv_sge sge, uint64_t wr_id)
{
	struct ibv_recv_wr wr = {.wr_id = wr_id, .sg_list = &sge, .num_sge = 1}, *bad;

	CHECK(ibv_post_recv(qp, &wr, &bad) == 0);
}

/* to NULL: a message; otherwise a write to that address, at this offset. */
static void post_send(struct ibv_qp *qp, struct ibv_sge sge, const struct address *to, uint64_t offset)
{
	struct ibv_send_wr wr = {.sg_list = &sge, .num_sge = 1, .opcode = to ? IBV_WR_RDMA_WRITE : IBV_WR_SEND}, *bad;

	if (to) {
		wr.wr.rdma.remote_addr = to->addr + offset;
		wr.wr.rdma.rkey = to->rkey;
	}
	CHECK(ibv_post_send(qp, &wr, &bad) == 0);
}

static void poll_all(struct ibv_cq *cq, unsigned int count)
{
	struct ibv_wc wc;

	while (count) {
		int polled = ibv_poll_cq(cq, 1, &wc);

		CHECK(polled >= 0);
		if (polled && wc.status) {
			fprintf(stderr, "a completion says: %s\n", ibv_wc_status_str(wc.status));
			exit(1);
		}
		count -= (unsigned int)polled;
	}
}

static void meet(struct board *board)
{
	int ret = pthread_barrier_wait(&board->barrier);

	CHECK(ret == 0 || ret == PTHREAD_BARRIER_SERIAL_THREAD);
}

/* Each process in a child of its own; all must end well. */
static void children_run(unsigned int count, void (*run)(struct board *board, unsigned int self, unsigned int n),
			 struct board *board, unsigned int n)
{
	int status;

	fflush(NULL);
	for (unsigned int i = 0; i < count; i++) {
		pid_t child = fork();

		CHECK(child >= 0);
		if (child == 0) {
			alarm(LIMIT_S);
			run(board, i, n);
			exit(0);
		}
	}
	while (wait(&status) > 0) {
		if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
			continue;
		fprintf(stderr, "a process ended with status 0x%x\n", (unsigned int)status);
		kill(0, SIGTERM); /* the others wait for it */
		exit(1);
	}
}

/* --- processes, all to all --- */

static bool leaves; /* nothing is closed at the end */

static uint64_t word_from(unsigned int from, unsigned int to, bool is_message)
{
	return (uint64_t)from << 32 | to << 1 | is_message;
}

static void process_run(struct board *board, unsigned int self, unsigned int n)
{
	struct end end;
	struct ibv_qp **qps = calloc(n, sizeof(struct ibv_qp *));
	/* by peer: what comes by message, what is written by it, what it is sent, what is written to it */
	uint64_t(*words)[4] = calloc(n, sizeof(*words));
	struct ibv_mr *mr;

	CHECK(qps && words);
	end_open(&end, (int)(3 * n));
	mr = ibv_reg_mr(end.pd, words, n * sizeof(*words), ACCESS);
	CHECK(mr);
	for (unsigned int peer = 0; peer < n; peer++) {
		qps[peer] = qp_make(end.pd, end.cq, 2);
		words[peer][2] = word_from(self, peer, true);
		words[peer][3] = word_from(self, peer, false);
		post_receive(qps[peer], sge_of(mr, &words[peer][0], sizeof(uint64_t)), peer);
		board->addresses[self * n + peer] =
			(struct address){qps[peer]->qp_num, mr->rkey, (uint64_t)(uintptr_t)words};
	}
	meet(board);
	for (unsigned int peer = 0; peer < n; peer++)
		qp_connect(qps[peer], board->addresses[peer * n + self].qpn);
	meet(board);
	for (unsigned int i = 0; i < n; i++) {
		unsigned int peer = (self + i) % n;

		post_send(qps[peer], sge_of(mr, &words[peer][3], sizeof(uint64_t)), &board->addresses[peer * n + self],
			  self * sizeof(*words) + sizeof(uint64_t));
		post_send(qps[peer], sge_of(mr, &words[peer][2], sizeof(uint64_t)), NULL, 0);
	}
	poll_all(end.cq, 3 * n);
	for (unsigned int peer = 0; peer < n; peer++) {
		CHECK(words[peer][0] == word_from(peer, self, true));
		CHECK(words[peer][1] == word_from(peer, self, false));
	}
	meet(board);
	if (leaves)
		return;
	for (unsigned int peer = 0; peer < n; peer++)
		CHECK(ibv_destroy_qp(qps[peer]) == 0);
	CHECK(ibv_dereg_mr(mr) == 0);
	end_close(&end);
	free(qps);
	free(words);
}

/* --- many queue pairs between two processes --- */

static void pair_run(struct board *board, unsigned int self, unsigned int n)
{
	struct end end;
	struct ibv_qp **qps = calloc(n, sizeof(struct ibv_qp *));
	uint64_t(*words)[2] = calloc(n, sizeof(*words)); /* what comes, what is sent */
	struct ibv_mr *mr;

	CHECK(qps && words);
	end_open(&end, (int)(2 * n));
	mr = ibv_reg_mr(end.pd, words, n * sizeof(*words), ACCESS);
	CHECK(mr);
	for (unsigned int i = 0; i < n; i++) {
		qps[i] = qp_make(end.pd, end.cq, 1);
		words[i][1] = word_from(self, i, true);
		post_receive(qps[i], sge_of(mr, &words[i][0], sizeof(uint64_t)), i);
		board->addresses[self * n + i].qpn = qps[i]->qp_num;
	}
	meet(board);
	for (unsigned int i = 0; i < n; i++)
		qp_connect(qps[i], board->addresses[(1 - self) * n + i].qpn);
	meet(board);
	for (unsigned int i = 0; i < n; i++)
		post_send(qps[i], sge_of(mr, &words[i][1], sizeof(uint64_t)), NULL, 0);
	poll_all(end.cq, 2 * n);
	for (unsigned int i = 0; i < n; i++)
		CHECK(words[i][0] == word_from(1 - self, i, true));
	meet(board);
	for (unsigned int i = 0; i < n; i++)
		CHECK(ibv_destroy_qp(qps[i]) == 0);
	CHECK(ibv_dereg_mr(mr) == 0);
	end_close(&end);
	free(qps);
	free(words);
}

/* --- many regions --- */

static void regions_own(struct board *board, struct end *end, unsigned int n)
{
	uint8_t *pages = mmap(NULL, (size_t)n * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct ibv_mr **mrs = calloc(n, sizeof(struct ibv_mr *));

	CHECK(pages != MAP_FAILED && mrs);
	for (unsigned int i = 0; i < n; i++) {
		mrs[i] = ibv_reg_mr(end->pd, pages + (size_t)i * PAGE, PAGE, ACCESS);
		CHECK(mrs[i]);
		board->addresses[2 + i] = (struct address){0, mrs[i]->rkey, (uint64_t)(uintptr_t)mrs[i]->addr};
	}
	meet(board); /* they may be written to */
	meet(board); /* they were */
	for (unsigned int i = 0; i < n; i++) {
		CHECK(memcmp(pages + (size_t)i * PAGE + PAGE - sizeof(i), &i, sizeof(i)) == 0);
		CHECK(ibv_dereg_mr(mrs[i]) == 0);
	}
	for (unsigned int i = 0; i < n; i++)
		CHECK(memcmp(pages + (size_t)i * PAGE + PAGE - sizeof(i), &i, sizeof(i)) == 0);
	munmap(pages, (size_t)n * PAGE);
	free(mrs);
}

static void regions_write(struct board *board, struct end *end, struct ibv_qp *qp, unsigned int n)
{
	unsigned int number;
	struct ibv_mr *mr = ibv_reg_mr(end->pd, &number, sizeof(number), ACCESS);

	CHECK(mr);
	meet(board);
	for (number = 0; number < n; number++) {
		post_send(qp, sge_of(mr, &number, sizeof(number)), &board->addresses[2 + number],
			  PAGE - sizeof(number));
		poll_all(end->cq, 1);
	}
	meet(board);
	CHECK(ibv_dereg_mr(mr) == 0);
}

static void regions_run(struct board *board, unsigned int self, unsigned int n)
{
	struct end end;
	struct ibv_qp *qp;

	end_open(&end, 2);
	qp = qp_make(end.pd, end.cq, 1);
	board->addresses[self].qpn = qp->qp_num;
	meet(board);
	qp_connect(qp, board->addresses[1 - self].qpn);
	if (self == 0)
		regions_own(board, &end, n);
	else
		regions_write(board, &end, qp, n);
	meet(board);
	CHECK(ibv_destroy_qp(qp) == 0);
	end_close(&end);
}

/* --- threads --- */

/* A queue pair connected to itself, whose messages any thread may post; and one completion queue, polled by all. */
static struct shared {
	struct end end;
	struct ibv_qp *qp;
	struct ibv_mr *mr;
	uint64_t *words; /* two, of the heap: gcc's ThreadSanitizer has a thread that blocks all signals, beside which
			  * static data can't be moved */
	unsigned int rounds;
	unsigned long posted, completed; /* requests and receives */
	pthread_mutex_t lock;
} shared;

static unsigned int poll_some(struct ibv_cq *cq)
{
	struct ibv_wc wc[4];
	int polled = ibv_poll_cq(cq, 4, wc);

	CHECK(polled >= 0);
	for (int i = 0; i < polled; i++)
		CHECK(wc[i].status == IBV_WC_SUCCESS);
	__atomic_add_fetch(&shared.completed, (unsigned long)polled, __ATOMIC_RELAXED);
	return (unsigned int)polled;
}

/* The queues hold THREAD_DEPTH of all threads together. */
static void shared_exchange(void)
{
	pthread_mutex_lock(&shared.lock);
	while (shared.posted - __atomic_load_n(&shared.completed, __ATOMIC_RELAXED) > THREAD_DEPTH)
		poll_some(shared.end.cq);
	post_receive(shared.qp, sge_of(shared.mr, &shared.words[0], sizeof(uint64_t)), 0);
	shared.posted += 2;
	pthread_mutex_unlock(&shared.lock);
	post_send(shared.qp, sge_of(shared.mr, &shared.words[1], sizeof(uint64_t)), NULL, 0);
	poll_some(shared.end.cq);
}

/*
 * A page between two that nobody may touch: the kernel merges mappings that lie side by side, and what is in one
 * mapping with another thread's stack may be of it.
 */
static uint8_t *lone_page_make(void)
{
	uint8_t *pages = mmap(NULL, 3 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(pages != MAP_FAILED && mprotect(pages + PAGE, PAGE, PROT_READ | PROT_WRITE) == 0);
	return pages + PAGE;
}

static void lone_page_free(uint8_t *page)
{
	munmap(page - PAGE, 3 * PAGE);
}

/* Objects of the thread's own, made and ended while the others are at theirs. */
static void own_exchange(uint64_t value)
{
	uint64_t words[2] = {0, value};
	uint8_t *page = lone_page_make();
	struct ibv_cq *cq = ibv_create_cq(shared.end.context, 4, NULL, NULL, 0);
	struct ibv_qp *qp;
	struct ibv_mr *mr;
	struct address self;

	CHECK(cq);
	memcpy(page, words, sizeof(words));
	mr = ibv_reg_mr(shared.end.pd, page, PAGE, ACCESS);
	CHECK(mr);
	qp = qp_make(shared.end.pd, cq, 2);
	qp_connect(qp, qp->qp_num);
	self = (struct address){qp->qp_num, mr->rkey, (uint64_t)(uintptr_t)page};
	post_send(qp, sge_of(mr, page + sizeof(uint64_t), sizeof(uint64_t)), &self, 0);
	poll_all(cq, 1);
	CHECK(memcmp(page, &value, sizeof(value)) == 0);
	CHECK(ibv_destroy_qp(qp) == 0);
	CHECK(ibv_dereg_mr(mr) == 0);
	CHECK(ibv_destroy_cq(cq) == 0);
	lone_page_free(page);
}

static void *thread_run(void *argument)
{
	for (unsigned int i = 0; i < shared.rounds; i++) {
		shared_exchange();
		if (i % 16 == 0)
			own_exchange((uint64_t)(uintptr_t)argument << 32 | i);
	}
	return NULL;
}

static void threads_run(unsigned int n, unsigned int rounds)
{
	pthread_t threads[MAX_THREADS];

	CHECK(n <= MAX_THREADS);
	alarm(LIMIT_S);
	shared.rounds = rounds;
	shared.words = calloc(2, sizeof(*shared.words));
	CHECK(shared.words);
	shared.words[1] = 0x123456789abcdef;
	CHECK(pthread_mutex_init(&shared.lock, NULL) == 0);
	end_open(&shared.end, 4 * MAX_THREADS);
	shared.mr = ibv_reg_mr(shared.end.pd, shared.words, 2 * sizeof(*shared.words), ACCESS);
	CHECK(shared.mr);
	shared.qp = qp_make(shared.end.pd, shared.end.cq, 4 * MAX_THREADS);
	qp_connect(shared.qp, shared.qp->qp_num);
	for (unsigned int i = 0; i < n; i++)
		CHECK(pthread_create(&threads[i], NULL, thread_run, (void *)(uintptr_t)(i + 1)) == 0);
	for (unsigned int i = 0; i < n; i++)
		CHECK(pthread_join(threads[i], NULL) == 0);
	while (shared.completed < shared.posted)
		poll_some(shared.end.cq);
	CHECK(shared.words[0] == shared.words[1]);
	CHECK(ibv_destroy_qp(shared.qp) == 0);
	CHECK(ibv_dereg_mr(shared.mr) == 0);
	free(shared.words);
	end_close(&shared.end);
}

int main(int argc, char **argv)
{
	const char *what = argc > 2 ? argv[1] : "";
	unsigned int n = argc > 2 ? (unsigned int)strtoul(argv[2], NULL, 10) : 0;

	setpgid(0, 0);
	leaves = strcmp(what, "leaving") == 0;
	if (leaves || strcmp(what, "processes") == 0)
		children_run(n, process_run, board_make(n, (size_t)n * n), n);
	else if (strcmp(what, "pairs") == 0)
		children_run(2, pair_run, board_make(2, 2 * (size_t)n), n);
	else if (strcmp(what, "regions") == 0)
		children_run(2, regions_run, board_make(2, 2 + (size_t)n), n);
	else if (strcmp(what, "threads") == 0 && argc > 3)
		threads_run(n, (unsigned int)strtoul(argv[3], NULL, 10));
	else {
		fprintf(stderr, "usage: soft_many processes|leaving|pairs|regions N, or threads N ROUNDS\n");
		return 2;
	}
	return 0;
}
