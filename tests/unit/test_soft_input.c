// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Is memory that the kernel holds, or reads into past the caches, moved only if nothing is lost? */
#define _GNU_SOURCE
#include "soft_moves_rig.h"

#include <linux/io_uring.h>
#include <sys/uio.h>

static int ring_open(void)
{
	struct io_uring_params parameters = {0};

	return (int)syscall(SYS_io_uring_setup, 4, &parameters);
}

static void pinned_pages(void)
{
	uint8_t *memory = pages(4);
	struct iovec buffer = {memory, 4 * PAGE};
	struct ibv_mr *mr;
	int ring = ring_open();

	memset(memory, 1, 4 * PAGE);
	if (ring < 0 || syscall(SYS_io_uring_register, ring, IORING_REGISTER_BUFFERS, &buffer, 1))
		return; /* this kernel does not */
	expect_refusal(memory + 100, 2 * PAGE, EBUSY);
	RIG_CHECK(page_sharing(memory) == 'p');
	for (unsigned int i = 0; i < 4 * PAGE; i++)
		RIG_CHECK(memory[i] == 1);
	RIG_CHECK(syscall(SYS_io_uring_register, ring, IORING_UNREGISTER_BUFFERS, NULL, 0) == 0);
	close(ring);
	mr = registered(memory + 100, 2 * PAGE);
	RIG_CHECK(ibv_dereg_mr(mr) == 0);
	munmap(memory, 4 * PAGE);
}

/* Where the kernel tells which pages it holds. */
static void run_where_seen(void (*run)(void))
{
	if (!can_take())
		skip();
	run_in(HOLDS_ALL, run);
	run_in(HOLDS_USER_SPACE, run);
}

TEST(pages_that_io_uring_holds_are_refused)
{
	run_where_seen(pinned_pages);
}

#define DIRECT_PIECE (256u << 10)
#define DIRECT_COUNT 8

/* A file whose words say where they stand, on a file system that knows O_DIRECT; -1: there is none. */
static int direct_file(void)
{
	static const char *const folders[] = {".", "/var/tmp", "/tmp"};
	const size_t words = DIRECT_PIECE * DIRECT_COUNT / sizeof(uint64_t);
	uint64_t *content = malloc(words * sizeof(*content));
	int fd = -1;

	RIG_CHECK(content);
	for (size_t i = 0; i < words; i++)
		content[i] = i;
	for (unsigned int i = 0; i < sizeof(folders) / sizeof(*folders) && fd < 0; i++) {
		char path[64];
		int written;

		snprintf(path, sizeof(path), "%s/test_soft_input.XXXXXX", folders[i]);
		written = mkstemp(path);
		if (written < 0)
			continue;
		if (write(written, content, words * sizeof(*content)) == (ssize_t)(words * sizeof(*content)) &&
		    fsync(written) == 0)
			fd = open(path, O_RDONLY | O_DIRECT | O_CLOEXEC);
		unlink(path);
		close(written);
	}
	free(content);
	return fd;
}

/* The first `length` bytes of it. */
static bool piece_is_right(const uint8_t *memory, unsigned int piece, size_t length)
{
	const uint64_t *words = (const uint64_t *)(const void *)memory;
	const uint64_t first = (uint64_t)piece * DIRECT_PIECE / sizeof(uint64_t);

	for (uint64_t i = 0; i < length / sizeof(uint64_t); i++) {
		if (words[i] != first + i)
			return false;
	}
	return true;
}

static int direct_fd;

struct reader {
	pthread_t thread;
	uint8_t *memory;
	bool stop;
	bool shall_rest, rests;
	unsigned int reads, refused;
	bool is_wrong;
};

static void *read_directly(void *argument)
{
	struct reader *reader = argument;

	while (!__atomic_load_n(&reader->stop, __ATOMIC_ACQUIRE)) {
		unsigned int piece = reader->reads % DIRECT_COUNT;
		ssize_t got;

		if (__atomic_load_n(&reader->shall_rest, __ATOMIC_ACQUIRE)) {
			__atomic_store_n(&reader->rests, true, __ATOMIC_RELEASE);
			sched_yield();
			continue;
		}
		__atomic_store_n(&reader->rests, false, __ATOMIC_RELEASE);
		got = pread(direct_fd, reader->memory, DIRECT_PIECE, (off_t)piece * DIRECT_PIECE);
		if (got < (ssize_t)DIRECT_PIECE)
			__atomic_add_fetch(&reader->refused, 1, __ATOMIC_RELAXED); /* that call has been told */
		else if (!piece_is_right(reader->memory, piece, DIRECT_PIECE))
			reader->is_wrong = true;
		__atomic_add_fetch(&reader->reads, 1, __ATOMIC_RELEASE);
	}
	return NULL;
}

static void reader_rest(struct reader *reader)
{
	__atomic_store_n(&reader->shall_rest, true, __ATOMIC_RELEASE);
	while (!__atomic_load_n(&reader->rests, __ATOMIC_ACQUIRE))
		sched_yield();
}

/* Deregistration is not told of what is in flight, as soft.md says: so nothing is then. */
static void register_while_reading(void)
{
	struct reader reader = {.memory = pages(DIRECT_PIECE / PAGE)};
	unsigned int registrations = 0;

	RIG_CHECK(pthread_create(&reader.thread, NULL, read_directly, &reader) == 0);
	for (int i = 0; i < 10 * ROUNDS; i++) {
		unsigned int before = __atomic_load_n(&reader.reads, __ATOMIC_ACQUIRE);
		struct ibv_mr *mr;

		while (__atomic_load_n(&reader.reads, __ATOMIC_ACQUIRE) == before)
			sched_yield();
		mr = ibv_reg_mr(local.pd, reader.memory + 100, DIRECT_PIECE - 200, RIG_ACCESS);
		RIG_CHECK(mr || errno == EBUSY);
		if (!mr)
			continue;
		registrations++;
		reader_rest(&reader);
		RIG_CHECK(ibv_dereg_mr(mr) == 0);
		__atomic_store_n(&reader.shall_rest, false, __ATOMIC_RELEASE);
	}
	__atomic_store_n(&reader.stop, true, __ATOMIC_RELEASE);
	pthread_join(reader.thread, NULL);
	RIG_CHECK(!reader.is_wrong);
	RIG_CHECK(now == HOLDS_USER_SPACE || !reader.refused);
	RIG_CHECK(registrations);
	munmap(reader.memory, DIRECT_PIECE);
}

TEST(direct_reads_in_flight)
{
	direct_fd = direct_file();
	if (direct_fd < 0) {
		print_message("no file system with O_DIRECT in ., /var/tmp and /tmp\n");
		skip();
	}
	run_where_seen(register_while_reading);
	close(direct_fd);
}

struct ring {
	int fd;
	struct io_uring_params parameters;
	uint8_t *queues; /* both, as kernels since 5.4 have them */
	size_t size;
	struct io_uring_sqe *requests;
};

#define RING_DEPTH 8

static bool ring_make(struct ring *ring)
{
	const struct io_uring_params *parameters = &ring->parameters;

	*ring = (struct ring){.fd = -1};
	ring->fd = (int)syscall(SYS_io_uring_setup, RING_DEPTH, &ring->parameters);
	if (ring->fd < 0)
		return false;
	RIG_CHECK(parameters->features & IORING_FEAT_SINGLE_MMAP);
	ring->size = parameters->cq_off.cqes + parameters->cq_entries * sizeof(struct io_uring_cqe);
	if (ring->size < parameters->sq_off.array + parameters->sq_entries * sizeof(uint32_t))
		ring->size = parameters->sq_off.array + parameters->sq_entries * sizeof(uint32_t);
	ring->queues =
		mmap(NULL, ring->size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, ring->fd, IORING_OFF_SQ_RING);
	ring->requests = mmap(NULL, parameters->sq_entries * sizeof(*ring->requests), PROT_READ | PROT_WRITE,
			      MAP_SHARED | MAP_POPULATE, ring->fd, IORING_OFF_SQES);
	RIG_CHECK(ring->queues != MAP_FAILED && ring->requests != MAP_FAILED);
	return true;
}

static uint32_t *ring_word(const struct ring *ring, uint32_t offset)
{
	return (uint32_t *)(void *)(ring->queues + offset);
}

/* Reads each piece of the file to its place in memory. */
static void ring_submit(struct ring *ring, uint8_t *memory)
{
	uint32_t *tail = ring_word(ring, ring->parameters.sq_off.tail);
	uint32_t *array = ring_word(ring, ring->parameters.sq_off.array);

	for (unsigned int i = 0; i < DIRECT_COUNT; i++) {
		ring->requests[i] = (struct io_uring_sqe){.opcode = IORING_OP_READ,
							  .fd = direct_fd,
							  .addr = (uint64_t)(uintptr_t)memory + i * DIRECT_PIECE,
							  .len = DIRECT_PIECE,
							  .off = (uint64_t)i * DIRECT_PIECE,
							  .user_data = i};
		array[(*tail + i) & (RING_DEPTH - 1)] = i;
	}
	__atomic_store_n(tail, *tail + DIRECT_COUNT, __ATOMIC_RELEASE);
	RIG_CHECK(syscall(SYS_io_uring_enter, ring->fd, DIRECT_COUNT, 0, 0, NULL, 0) == DIRECT_COUNT);
}

/*
 * Waits for all of them, and tells how much of each piece was read. With user-space faults only, a read that is copied
 * (tmpfs takes O_DIRECT since Linux 6.6) ends where a page is blocked: with EFAULT, or short.
 */
static void ring_wait(struct ring *ring, size_t read[DIRECT_COUNT])
{
	uint32_t *head = ring_word(ring, ring->parameters.cq_off.head);
	uint32_t *tail = ring_word(ring, ring->parameters.cq_off.tail);
	const struct io_uring_cqe *entries =
		(const struct io_uring_cqe *)(const void *)(ring->queues + ring->parameters.cq_off.cqes);

	for (unsigned int count = 0; count < DIRECT_COUNT; count++) {
		const struct io_uring_cqe *entry;

		while (*head == __atomic_load_n(tail, __ATOMIC_ACQUIRE))
			RIG_CHECK(syscall(SYS_io_uring_enter, ring->fd, 0, 1, IORING_ENTER_GETEVENTS, NULL, 0) == 0 ||
				  errno == EINTR);
		entry = &entries[*head & (ring->parameters.cq_entries - 1)];
		RIG_CHECK(entry->user_data < DIRECT_COUNT && entry->res <= (int)DIRECT_PIECE);
		RIG_CHECK(entry->res == (int)DIRECT_PIECE ||
			  ((entry->res == -EFAULT || entry->res > 0) && now == HOLDS_USER_SPACE));
		read[entry->user_data] = entry->res > 0 ? (size_t)entry->res : 0;
		__atomic_store_n(head, *head + 1, __ATOMIC_RELEASE);
	}
}

static void register_while_ring_reads(void)
{
	uint8_t *memory = pages(DIRECT_COUNT * DIRECT_PIECE / PAGE);
	struct ring ring;

	RIG_CHECK(ring_make(&ring));
	for (int i = 0; i < 2 * ROUNDS; i++) {
		size_t read[DIRECT_COUNT];
		struct ibv_mr *mr;

		memset(memory, 0xee, DIRECT_COUNT * DIRECT_PIECE);
		ring_submit(&ring, memory);
		mr = ibv_reg_mr(local.pd, memory + 100, DIRECT_COUNT * DIRECT_PIECE - 200, RIG_ACCESS);
		RIG_CHECK(mr || errno == EBUSY);
		ring_wait(&ring, read);
		for (unsigned int piece = 0; piece < DIRECT_COUNT; piece++)
			RIG_CHECK(piece_is_right(memory + piece * DIRECT_PIECE, piece, read[piece]));
		if (mr)
			RIG_CHECK(ibv_dereg_mr(mr) == 0);
	}
	close(ring.fd);
	munmap(memory, DIRECT_COUNT * DIRECT_PIECE);
}

TEST(reads_of_io_uring_in_flight)
{
	struct ring ring;

	if (!ring_make(&ring)) {
		print_message("io_uring is not to be had here: %s (see kernel.io_uring_disabled)\n", strerror(errno));
		skip();
	}
	close(ring.fd);
	direct_fd = direct_file();
	if (direct_fd < 0) {
		print_message("no file system with O_DIRECT in ., /var/tmp and /tmp\n");
		skip();
	}
	run_where_seen(register_while_ring_reads);
	close(direct_fd);
}

TEST_MAIN(rig_directory_make, rig_directory_remove)
