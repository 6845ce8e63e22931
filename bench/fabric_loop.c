// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The bare loop of a bandwidth test over libfabric, with which bench/cxi compares cxi_send_bw, and bench/run the
 * software device: a window of tagged sends, their completions, an empty answer, like fi_rdm_tagged_bw of fabtests; or
 * windows of writes or reads, like its fi_rdm_rma_bw. Forks the other side.
 *
 * usage: bench_fabric_loop PROVIDER SIZE WINDOW WINDOWS [tagged|write|read]      prints MB/s (10^6)
 */
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>
#include <rdma/fi_tagged.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define ADDRESS_SIZE 256
#define ANSWER	     1 /* tags */
#define DATA	     2
/* As in cxi_send_bw's loop: if other processes need the CPUs, the comparison would only show which side yields. */
#define POLLS_PER_YIELD 1024

enum work { TAGGED, WRITE, READ };

/* Location of the other side's buffer, for providers with virtual addresses or offsets. */
struct place {
	uint64_t address, key;
};

struct side {
	enum work work;
	struct fi_info *info;
	struct fid_fabric *fabric;
	struct fid_domain *domain;
	struct fid_av *av;
	struct fid_cq *cq;
	struct fid_ep *ep;
	struct fid_mr *mr;
	void *desc;
	fi_addr_t peer;
	struct place target;
	char *buffer;
	size_t size, window;
	struct fi_context2 *contexts;
	unsigned long done;
};

static void must(long ret, const char *what)
{
	if (ret >= 0)
		return;
	fprintf(stderr, "bench_fabric_loop: %s: %s\n", what, fi_strerror((int)-ret));
	exit(1);
}

static void open_side(struct side *side, const char *provider)
{
	struct fi_info *hints = fi_allocinfo();
	struct fi_av_attr av = {0};
	struct fi_cq_attr cq = {.size = 2 * side->window + 4, .format = FI_CQ_FORMAT_CONTEXT};

	hints->caps = side->work == TAGGED ? FI_TAGGED : FI_RMA;
	hints->mode = FI_CONTEXT | FI_CONTEXT2;
	hints->ep_attr->type = FI_EP_RDM;
	hints->domain_attr->mr_mode = FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY;
	hints->fabric_attr->prov_name = strdup(provider);
	must(fi_getinfo(FI_VERSION(1, 11), strcmp(provider, "tcp") ? NULL : "127.0.0.1", NULL,
			strcmp(provider, "tcp") ? 0 : FI_SOURCE, hints, &side->info),
	     "fi_getinfo");
	must(fi_fabric(side->info->fabric_attr, &side->fabric, NULL), "fi_fabric");
	must(fi_domain(side->fabric, side->info, &side->domain, NULL), "fi_domain");
	av.type = side->info->domain_attr->av_type;
	must(fi_av_open(side->domain, &av, &side->av, NULL), "fi_av_open");
	must(fi_cq_open(side->domain, &cq, &side->cq, NULL), "fi_cq_open");
	must(fi_endpoint(side->domain, side->info, &side->ep, NULL), "fi_endpoint");
	must(fi_ep_bind(side->ep, &side->av->fid, 0), "fi_ep_bind");
	must(fi_ep_bind(side->ep, &side->cq->fid, FI_TRANSMIT | FI_RECV), "fi_ep_bind");
	must(fi_enable(side->ep), "fi_enable");
	side->buffer = calloc(side->window, side->size);
	side->contexts = calloc(side->window + 1, sizeof(side->contexts[0]));
	memset(side->buffer, 0xa5, side->window * side->size);
	if (side->work != TAGGED || side->info->domain_attr->mr_mode & FI_MR_LOCAL) {
		must(fi_mr_reg(side->domain, side->buffer, side->window * side->size,
			       side->work == TAGGED ? FI_SEND | FI_RECV
						    : FI_WRITE | FI_READ | FI_REMOTE_WRITE | FI_REMOTE_READ,
			       0, 0, 0, &side->mr, NULL),
		     "fi_mr_reg");
		side->desc = fi_mr_desc(side->mr);
	}
	fi_freeinfo(hints);
}

static void meet(struct side *side, int fd)
{
	char own[ADDRESS_SIZE] = {0}, peer[ADDRESS_SIZE];
	size_t length = sizeof(own);
	struct place place = {0};

	must(fi_getname(&side->ep->fid, own, &length), "fi_getname");
	if (write(fd, own, sizeof(own)) != sizeof(own) || read(fd, peer, sizeof(peer)) != sizeof(peer))
		exit(1);
	must(fi_av_insert(side->av, peer, 1, &side->peer, 0, NULL) == 1 ? 0 : -FI_EADDRNOTAVAIL, "fi_av_insert");
	if (side->work == TAGGED)
		return;
	place.key = fi_mr_key(side->mr);
	if (side->info->domain_attr->mr_mode & FI_MR_VIRT_ADDR)
		place.address = (uintptr_t)side->buffer;
	if (write(fd, &place, sizeof(place)) != sizeof(place) ||
	    read(fd, &side->target, sizeof(side->target)) != sizeof(side->target))
		exit(1);
}

static void poll_until(struct side *side, unsigned long target)
{
	struct fi_cq_entry entries[64];
	unsigned idle = 0;

	while (side->done < target) {
		const ssize_t count = fi_cq_read(side->cq, entries, 64);

		if (count > 0)
			side->done += (unsigned long)count;
		else if (count != -FI_EAGAIN)
			must(count, "fi_cq_read");
		else if (++idle % POLLS_PER_YIELD == 0)
			sched_yield();
	}
}

/* Retries a request that is refused temporarily, after polling. */
#define AGAIN(side, call)                                                                                              \
	for (ssize_t ret = (call); ret; ret = (call)) {                                                                \
		if (ret != -FI_EAGAIN)                                                                                 \
			must(ret, #call);                                                                              \
		poll_until(side, (side)->done);                                                                        \
		struct fi_cq_entry entry;                                                                              \
		(side)->done += fi_cq_read((side)->cq, &entry, 1) == 1;                                                \
	}

static void post_receives(struct side *side)
{
	for (size_t i = 0; i < side->window; i++)
		AGAIN(side, fi_trecv(side->ep, side->buffer + i * side->size, side->size, side->desc, side->peer, DATA,
				     0, &side->contexts[i]));
}

/* A side that stops polling may block the other one. */
static void progress_until_readable(struct side *side, int fd)
{
	char done;

	while (recv(fd, &done, 1, MSG_DONTWAIT) != 1) {
		struct fi_cq_entry entry;

		(void)fi_cq_read(side->cq, &entry, 1);
	}
}

static void receive(struct side *side, int fd, unsigned long windows)
{
	const char go = 1;

	post_receives(side);
	if (write(fd, &go, 1) != 1)
		exit(1);
	for (unsigned long n = 0; n < windows; n++) {
		poll_until(side, n * (side->window + 1) + side->window);
		if (n + 1 < windows)
			post_receives(side);
		AGAIN(side, fi_tsend(side->ep, NULL, 0, NULL, side->peer, ANSWER, &side->contexts[side->window]));
		poll_until(side, (n + 1) * (side->window + 1));
	}
	progress_until_readable(side, fd);
}

static void send_all(struct side *side, int fd, unsigned long windows)
{
	const bool injects = side->size <= side->info->tx_attr->inject_size;
	const unsigned long each = injects ? 1 : side->window + 1;
	char go;

	if (read(fd, &go, 1) != 1)
		exit(1);
	for (unsigned long n = 0; n < windows; n++) {
		AGAIN(side, fi_trecv(side->ep, NULL, 0, NULL, side->peer, ANSWER, 0, &side->contexts[side->window]));
		for (size_t i = 0; i < side->window; i++) {
			char *at = side->buffer + i * side->size;

			if (injects)
				AGAIN(side, fi_tinject(side->ep, at, side->size, side->peer, DATA))
			else
				AGAIN(side, fi_tsend(side->ep, at, side->size, side->desc, side->peer, DATA,
						     &side->contexts[i]))
		}
		poll_until(side, (n + 1) * each);
	}
}

/* Writes to or reads the other side's buffer, piece by piece. */
static void access_all(struct side *side, unsigned long windows)
{
	for (unsigned long n = 0; n < windows; n++) {
		for (size_t i = 0; i < side->window; i++) {
			char *at = side->buffer + i * side->size;
			const uint64_t to = side->target.address + i * side->size;

			if (side->work == WRITE)
				AGAIN(side, fi_write(side->ep, at, side->size, side->desc, side->peer, to,
						     side->target.key, &side->contexts[i]))
			else
				AGAIN(side, fi_read(side->ep, at, side->size, side->desc, side->peer, to,
						    side->target.key, &side->contexts[i]))
		}
		poll_until(side, (n + 1) * side->window);
	}
}

static double work_time(struct side *side, int fd, unsigned long windows)
{
	struct timespec begin, end;
	const char done = 1;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	if (side->work == TAGGED)
		send_all(side, fd, windows);
	else
		access_all(side, windows);
	clock_gettime(CLOCK_MONOTONIC, &end);
	if (write(fd, &done, 1) != 1)
		exit(1);
	return (double)(end.tv_sec - begin.tv_sec) + (double)(end.tv_nsec - begin.tv_nsec) / 1e9;
}

static bool work_read(enum work *work, const char *word)
{
	static const char *const words[] = {[TAGGED] = "tagged", [WRITE] = "write", [READ] = "read"};

	for (*work = TAGGED; *work <= READ; ++*work) {
		if (!strcmp(word, words[*work]))
			return true;
	}
	return false;
}

int main(int argc, char **argv)
{
	struct side side = {0};
	unsigned long windows;
	double seconds;
	int fds[2];
	pid_t child;

	if (argc < 5 || argc > 6 || !work_read(&side.work, argc == 6 ? argv[5] : "tagged") ||
	    socketpair(AF_UNIX, SOCK_STREAM, 0, fds)) {
		fprintf(stderr, "usage: bench_fabric_loop PROVIDER SIZE WINDOW WINDOWS [tagged|write|read]\n");
		return 2;
	}
	side.size = strtoul(argv[2], NULL, 10);
	side.window = strtoul(argv[3], NULL, 10);
	windows = strtoul(argv[4], NULL, 10);
	child = fork();
	open_side(&side, argv[1]);
	meet(&side, fds[child != 0]);
	if (!child) {
		if (side.work == TAGGED)
			receive(&side, fds[0], windows);
		else
			progress_until_readable(&side, fds[0]);
		_exit(0);
	}
	seconds = work_time(&side, fds[1], windows);
	waitpid(child, NULL, 0);
	printf("%.2f\n", (double)(side.size * side.window * windows) / seconds / 1e6);
	return 0;
}
