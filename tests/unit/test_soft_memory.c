// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Does registered memory remain the program's memory: content, neighbours, fork, overlaps, and after deregistration? */
#define _GNU_SOURCE
#include "soft_rig.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <time.h>

#define PAGE 4096u
#define RC   .type = IBV_QPT_RC

static const struct rig_options rc = {RC};

/* What /proc/self/maps says of the page: 's' shared, 'p' private, 0 not mapped. */
static char page_sharing(const void *addr)
{
	FILE *file = fopen("/proc/self/maps", "r");
	char line[512];
	char found = 0;

	RIG_CHECK(file);
	while (!found && fgets(line, sizeof(line), file)) {
		unsigned long start, end;
		char permissions[5];

		if (sscanf(line, "%lx-%lx %4s", &start, &end, permissions) == 3 && (uintptr_t)addr >= start &&
		    (uintptr_t)addr < end)
			found = permissions[3];
	}
	fclose(file);
	return found;
}

struct local {
	struct ibv_context *context;
	struct ibv_pd *pd;
};

static void local_open(struct local *local)
{
	local->context = rig_open_device();
	local->pd = ibv_alloc_pd(local->context);
	RIG_CHECK(local->pd);
}

static void local_close(struct local *local)
{
	RIG_CHECK(ibv_dealloc_pd(local->pd) == 0);
	RIG_CHECK(ibv_close_device(local->context) == 0);
}

static uint8_t *pages(size_t count)
{
	uint8_t *start = mmap(NULL, count * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	RIG_CHECK(start != MAP_FAILED);
	for (size_t i = 0; i < count * PAGE; i++)
		start[i] = (uint8_t)(i / PAGE + i);
	return start;
}

static bool pages_hold(const uint8_t *start, size_t count)
{
	for (size_t i = 0; i < count * PAGE; i++) {
		if (start[i] != (uint8_t)(i / PAGE + i))
			return false;
	}
	return true;
}

TEST(pages_come_back_with_their_content)
{
	struct local local;
	uint8_t *memory = pages(5);
	struct ibv_mr *mr;

	local_open(&local);
	mr = ibv_reg_mr(local.pd, memory + PAGE, 3 * PAGE, RIG_ACCESS);
	assert_non_null(mr);
	assert_int_equal(page_sharing(memory), 'p');
	assert_int_equal(page_sharing(memory + PAGE), 's');
	assert_int_equal(page_sharing(memory + 3 * PAGE), 's');
	assert_int_equal(page_sharing(memory + 4 * PAGE), 'p');
	assert_true(pages_hold(memory, 5));
	assert_int_equal(ibv_dereg_mr(mr), 0);
	assert_int_equal(page_sharing(memory + 2 * PAGE), 'p');
	assert_true(pages_hold(memory, 5));
	/* Allocators rely on this, and a shared page would not do it. */
	assert_int_equal(madvise(memory + PAGE, PAGE, MADV_DONTNEED), 0);
	assert_int_equal(memory[PAGE + 1], 0);
	munmap(memory, 5 * PAGE);
	local_close(&local);
}

TEST(overlapping_registrations_count_on_their_pages)
{
	struct local local;
	uint8_t *memory = pages(8);
	struct ibv_mr *a, *b, *c;

	local_open(&local);
	a = ibv_reg_mr(local.pd, memory + 100, 3 * PAGE, RIG_ACCESS);
	b = ibv_reg_mr(local.pd, memory + 2 * PAGE, 4 * PAGE, RIG_ACCESS);
	c = ibv_reg_mr(local.pd, memory, 8 * PAGE, RIG_ACCESS);
	assert_true(a && b && c);
	assert_true(pages_hold(memory, 8));
	assert_int_equal(ibv_dereg_mr(c), 0);
	assert_int_equal(page_sharing(memory), 's');
	assert_int_equal(page_sharing(memory + 5 * PAGE), 's');
	assert_int_equal(page_sharing(memory + 6 * PAGE), 'p');
	assert_int_equal(ibv_dereg_mr(a), 0);
	assert_int_equal(page_sharing(memory + PAGE), 'p');
	assert_int_equal(page_sharing(memory + 3 * PAGE), 's');
	assert_int_equal(ibv_dereg_mr(b), 0);
	assert_int_equal(page_sharing(memory + 3 * PAGE), 'p');
	assert_true(pages_hold(memory, 8));
	munmap(memory, 8 * PAGE);
	local_close(&local);
}

TEST(peers_see_one_memory_through_overlapping_keys)
{
	struct rig rig;
	struct rig_request request;
	struct ibv_mr *mr;

	rig_start(&rig, rc, rc);
	mr = ibv_reg_mr(rig.near.pd, rig.near.buffer + 5000, 10000, RIG_ACCESS);
	assert_non_null(mr);
	strcpy((char *)rig.near.buffer + 6000, "seen through both");
	rig_request(&rig, &request, IBV_WR_RDMA_WRITE, 18)->sge =
		(struct ibv_sge){(uint64_t)(uintptr_t)rig.near.buffer + 6000, 18, mr->lkey};
	assert_int_equal(rig_run(&rig, &request).status, IBV_WC_SUCCESS);
	assert_int_equal(ibv_dereg_mr(mr), 0);
	/* An old key fails, even when its row is free. */
	assert_int_equal(rig_run(&rig, &request).status, IBV_WC_LOC_PROT_ERR);
	rig_end(&rig);
}

TEST(memory_that_was_unmapped_is_left_alone)
{
	struct local local;
	uint8_t *memory = pages(2);
	uint8_t *again;
	struct ibv_mr *mr, *second;

	local_open(&local);
	mr = ibv_reg_mr(local.pd, memory, 2 * PAGE, RIG_ACCESS);
	assert_non_null(mr);
	munmap(memory, 2 * PAGE);
	again = mmap(memory, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	assert_ptr_equal(again, memory);
	strcpy((char *)again, "new memory at an old address");
	/* A registration of the new memory moves it, though the address is known. */
	second = ibv_reg_mr(local.pd, again, PAGE, RIG_ACCESS);
	assert_non_null(second);
	assert_int_equal(page_sharing(again), 's');
	assert_int_equal(page_sharing(again + PAGE), 'p');
	assert_int_equal(ibv_dereg_mr(mr), 0);
	assert_int_equal(ibv_dereg_mr(second), 0);
	assert_string_equal((char *)again, "new memory at an old address");
	munmap(again, 2 * PAGE);
	local_close(&local);
}

/* What the device's data file holds, in units of 512 bytes. */
static long data_file_blocks(void)
{
	char path[64], target[256];
	struct stat status = {.st_blocks = -1};

	for (int fd = 0; fd < 256; fd++) {
		ssize_t length;

		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		length = readlink(path, target, sizeof(target) - 1);
		target[length > 0 ? length : 0] = '\0';
		if (strstr(target, "perftest-soft-data"))
			RIG_CHECK(fstat(fd, &status) == 0);
	}
	return status.st_blocks;
}

TEST(unmapped_memory_is_freed)
{
	struct local local;
	uint8_t *memory = pages(8);
	struct ibv_mr *mr;

	local_open(&local);
	mr = ibv_reg_mr(local.pd, memory, 8 * PAGE, RIG_ACCESS);
	assert_non_null(mr);
	assert_int_equal(data_file_blocks(), 8 * PAGE / 512);
	munmap(memory, 8 * PAGE);
	assert_int_equal(ibv_dereg_mr(mr), 0);
	assert_int_equal(data_file_blocks(), 0);
	local_close(&local);
}

/* realloc() moves large buffers with mremap(). */
TEST(moved_memory_keeps_its_content)
{
	struct local local;
	uint8_t *memory = pages(8), *moved, *there = pages(16);
	struct ibv_mr *mr;

	local_open(&local);
	mr = ibv_reg_mr(local.pd, memory, 8 * PAGE, RIG_ACCESS);
	assert_non_null(mr);
	moved = mremap(memory, 8 * PAGE, 8 * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, there + 4 * PAGE);
	assert_ptr_equal(moved, there + 4 * PAGE);
	/* The old address may be anything's by now. */
	assert_ptr_equal(mmap(memory, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0), memory);
	assert_int_equal(ibv_dereg_mr(mr), 0);
	assert_true(pages_hold(moved, 8));
	assert_int_equal(page_sharing(moved), 'p');
	assert_int_equal(page_sharing(moved + 7 * PAGE), 'p');
	assert_int_equal(data_file_blocks(), 0);
	munmap(there, 16 * PAGE);
	munmap(memory, PAGE);
	local_close(&local);
}

TEST(wrong_memory_is_refused)
{
	struct local local;
	uint8_t *memory = pages(2);
	int fd;
	void *device;

	local_open(&local);
	munmap(memory + PAGE, PAGE);
	assert_null(ibv_reg_mr(local.pd, memory, 2 * PAGE, RIG_ACCESS));
	assert_int_equal(errno, EFAULT);
	assert_int_equal(page_sharing(memory), 'p'); /* undone */
	mprotect(memory, PAGE, PROT_READ);
	assert_null(ibv_reg_mr(local.pd, memory, PAGE, RIG_ACCESS));
	assert_int_equal(errno, EFAULT);
	assert_null(ibv_reg_mr(local.pd, memory, PAGE, IBV_ACCESS_REMOTE_WRITE));
	assert_int_equal(errno, EINVAL);
	munmap(memory, PAGE);
	fd = -1;
	device = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, fd, 0);
	assert_null(ibv_reg_mr(local.pd, device, PAGE, RIG_ACCESS)); /* nobody has a descriptor of it */
	assert_int_equal(errno, EOPNOTSUPP);
	munmap(device, PAGE);
	local_close(&local);
}

static volatile sig_atomic_t ends_asked;

static void count_end(int number)
{
	ends_asked++;
}

/* Registers memory, one page of which was touched, while a timer asks every tenth of a millisecond to end. */
static struct ibv_mr *register_while_asked(const struct local *local, uint8_t *memory, size_t bytes, int flags)
{
	const struct sigaction action = {.sa_handler = count_end, .sa_flags = flags};
	const struct itimerspec often = {.it_interval.tv_nsec = 100000, .it_value.tv_nsec = 1};
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGTERM};
	struct sigaction before;
	struct ibv_mr *mr;
	timer_t timer;
	int err;

	ends_asked = 0;
	RIG_CHECK(!sigaction(SIGTERM, &action, &before) && !timer_create(CLOCK_MONOTONIC, &event, &timer));
	RIG_CHECK(!timer_settime(timer, 0, &often, NULL));
	mr = ibv_reg_mr(local->pd, memory, bytes, RIG_ACCESS);
	err = errno;
	RIG_CHECK(!timer_delete(timer) && !sigaction(SIGTERM, &before, NULL));
	assert_true(ends_asked > 0);
	errno = err;
	return mr;
}

TEST(registration_heeds_signals)
{
	const size_t bytes = 128u << 20;
	uint8_t *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct local local;
	struct ibv_mr *mr;

	RIG_CHECK(memory != MAP_FAILED);
	local_open(&local);
	strcpy((char *)memory + PAGE, "as it was");
	assert_null(register_while_asked(&local, memory, bytes, 0));
	assert_int_equal(errno, EINTR);
	assert_int_equal(page_sharing(memory), 'p');
	assert_string_equal((char *)memory + PAGE, "as it was");
	mr = register_while_asked(&local, memory, bytes, SA_RESTART);
	assert_non_null(mr);
	assert_string_equal((char *)memory + PAGE, "as it was");
	assert_int_equal(memory[bytes - 1], 0);
	assert_int_equal(ibv_dereg_mr(mr), 0);
	munmap(memory, bytes);
	local_close(&local);
}

/* The mapping is larger than any host's huge pages. */
TEST(copies_of_huge_pages_need_room)
{
	const size_t size = (size_t)1 << 40;
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB | MAP_NORESERVE, -1, 0);
	struct local local;

	if (memory == MAP_FAILED)
		skip();
	local_open(&local);
	assert_null(ibv_reg_mr(local.pd, memory, PAGE, RIG_ACCESS));
	assert_int_equal(errno, ENOMEM);
	munmap(memory, size);
	local_close(&local);
}

/* Registered at the near end, read by the near end through its own key and by the far end through a mapping. */
static void check_foreign(struct rig *rig, uint8_t *memory)
{
	struct rig_request request;
	struct ibv_mr *mr = ibv_reg_mr(rig->near.pd, memory + 100, 2000, RIG_ACCESS);
	char seen[32];

	assert_non_null(mr);
	strcpy((char *)memory + 200, "in shared memory");
	rig_request(rig, &request, IBV_WR_RDMA_WRITE, 17)->sge =
		(struct ibv_sge){(uint64_t)(uintptr_t)memory + 200, 17, mr->lkey};
	assert_int_equal(rig_run(rig, &request).status, IBV_WC_SUCCESS);
	rig_far_peek(rig, 0, seen, 17);
	assert_string_equal(seen, "in shared memory");
	assert_int_equal(ibv_dereg_mr(mr), 0);
}

/* The far end receives into such memory; the near end, another process, has to map it. */
static void far_receives_in(int kind)
{
	int pair[2], status;
	pid_t child;
	struct rig_address address;
	struct rig_end end;

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	child = fork();
	if (child == 0) {
		uint8_t *memory;
		struct ibv_mr *mr;
		int fd = memfd_create("test", 0);
		int id = shmget(IPC_PRIVATE, 2 * PAGE, IPC_CREAT | 0600);

		if (kind == 0) {
			RIG_CHECK(ftruncate(fd, 4 * PAGE) == 0);
			memory = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 2 * PAGE);
		} else {
			memory = shmat(id, NULL, 0);
		}
		shmctl(id, IPC_RMID, NULL);
		RIG_CHECK(memory != MAP_FAILED);
		rig_end_open(&end, &rc);
		RIG_CHECK((mr = ibv_reg_mr(end.pd, memory + 100, PAGE, RIG_ACCESS)) != NULL);
		address = (struct rig_address){end.qp->qp_num, mr->rkey, (uint64_t)(uintptr_t)memory + 100};
		RIG_CHECK(write(pair[1], &address, sizeof(address)) == sizeof(address));
		RIG_CHECK(read(pair[1], &address, sizeof(address)) == sizeof(address));
		rig_end_connect(&end, address.qpn);
		RIG_CHECK(write(pair[1], &address, 1) == 1);
		RIG_CHECK(read(pair[1], &address, 1) == 1);
		RIG_CHECK(strcmp((char *)memory + 100, "mapped by its descriptor") == 0);
		ibv_dereg_mr(mr);
		rig_end_close(&end);
		_exit(0);
	}
	close(pair[1]);
	rig_end_open(&end, &rc);
	assert_int_equal(read(pair[0], &address, sizeof(address)), sizeof(address));
	rig_end_connect(&end, address.qpn);
	{
		struct rig rig = {.near = end, .far = address};
		struct rig_address ours = rig_end_address(&end);
		struct rig_request request;
		char byte;

		assert_int_equal(write(pair[0], &ours, sizeof(ours)), sizeof(ours));
		assert_int_equal(read(pair[0], &byte, 1), 1);
		strcpy((char *)end.buffer, "mapped by its descriptor");
		assert_int_equal(rig_run(&rig, rig_request(&rig, &request, IBV_WR_RDMA_WRITE, 25)).status,
				 IBV_WC_SUCCESS);
		assert_int_equal(write(pair[0], &byte, 1), 1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	close(pair[0]);
	rig_end_close(&end);
}

TEST(shared_files_and_segments_are_mapped_by_peers)
{
	struct rig rig;
	int fd = memfd_create("test", 0);
	uint8_t *memory;

	assert_int_equal(ftruncate(fd, 2 * PAGE), 0);
	memory = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	assert_ptr_not_equal(memory, MAP_FAILED);
	rig_start(&rig, rc, rc);
	check_foreign(&rig, memory);
	rig_end(&rig);
	munmap(memory, 2 * PAGE);
	close(fd);
	far_receives_in(0);
	far_receives_in(1);
}

/* Threads count in the page beside a buffer that is registered and deregistered: no step may be lost. */
struct counter {
	volatile uint64_t *word;
	bool stop;
	uint64_t steps;
};

static void *count(void *argument)
{
	struct counter *counter = argument;

	while (!__atomic_load_n(&counter->stop, __ATOMIC_RELAXED)) {
		++*counter->word;
		counter->steps++;
	}
	return NULL;
}

TEST(neighbours_in_a_page_lose_no_store)
{
	struct local local;
	uint8_t *memory = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct counter counters[2] = {{.word = (uint64_t *)(void *)memory}, {.word = (uint64_t *)(void *)memory + 64}};
	pthread_t threads[2];

	local_open(&local);
	for (int i = 0; i < 2; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, count, &counters[i]), 0);
	for (int i = 0; i < 100; i++) {
		struct ibv_mr *mr = ibv_reg_mr(local.pd, memory + 2048, PAGE, RIG_ACCESS);
		uint64_t before = __atomic_load_n(&counters[0].steps, __ATOMIC_RELAXED);

		assert_non_null(mr);
		while (__atomic_load_n(&counters[0].steps, __ATOMIC_RELAXED) == before)
			sched_yield();
		assert_int_equal(ibv_dereg_mr(mr), 0);
	}
	for (int i = 0; i < 2; i++) {
		__atomic_store_n(&counters[i].stop, true, __ATOMIC_RELAXED);
		pthread_join(threads[i], NULL);
		assert_int_equal(*counters[i].word, counters[i].steps);
	}
	munmap(memory, 2 * PAGE);
	local_close(&local);
}

TEST(buffer_on_the_stack_moves)
{
	struct local local;
	uint8_t buffer[100];
	struct ibv_mr *mr;

	memset(buffer, 7, sizeof(buffer));
	local_open(&local);
	mr = ibv_reg_mr(local.pd, buffer, sizeof(buffer), RIG_ACCESS);
	assert_non_null(mr);
	assert_int_equal(page_sharing(buffer), 's');
	assert_int_equal(ibv_dereg_mr(mr), 0);
	assert_int_equal(page_sharing(buffer), 'p');
	for (size_t i = 0; i < sizeof(buffer); i++)
		assert_int_equal(buffer[i], 7);
	local_close(&local);
}

TEST(child_keeps_neighbours_to_itself)
{
	struct local local;
	uint8_t *memory = pages(4);
	struct ibv_mr *mr;
	pid_t child;
	int status;

	local_open(&local);
	mr = ibv_reg_mr(local.pd, memory + 100, 3 * PAGE, RIG_ACCESS);
	assert_non_null(mr);
	child = fork();
	if (child == 0) {
		struct local own;

		/* The pages at the edges are there, and ours alone; what is inside the buffer is not. */
		RIG_CHECK(memory[0] == 0 && page_sharing(memory) == 'p' && page_sharing(memory + 3 * PAGE) == 'p');
		RIG_CHECK(page_sharing(memory + PAGE) == 0);
		memory[0] = 99;
		memory[3 * PAGE + 200] = 99;
		/* And the devices are open to it as to any process. */
		local_open(&own);
		local_close(&own);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_true(pages_hold(memory, 4));
	assert_int_equal(ibv_dereg_mr(mr), 0);
	assert_true(pages_hold(memory, 4));
	munmap(memory, 4 * PAGE);
	local_close(&local);
}

static int runtime_entries(void)
{
	char path[256];
	char command[512];
	FILE *list;
	int count = 0;

	snprintf(path, sizeof(path), "%s/perftest-soft", getenv("XDG_RUNTIME_DIR"));
	snprintf(command, sizeof(command), "ls %s", path);
	list = popen(command, "r");
	while (list && fgets(command, sizeof(command), list))
		count++;
	pclose(list);
	return count;
}

TEST(dead_processes_are_cleared_away)
{
	struct local local;
	int opened[2], living;
	char byte;
	pid_t child;

	assert_int_equal(pipe(opened), 0);
	child = fork();
	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		local_open(&local);
		RIG_CHECK(write(opened[1], "x", 1) == 1);
		for (;;)
			pause();
	}
	close(opened[1]); /* a child that fails ends the read */
	living = read(opened[0], &byte, 1) == 1 ? runtime_entries() : 0;
	close(opened[0]);
	kill(child, SIGKILL); /* an assertion before it would leave the child to the next tests */
	waitpid(child, NULL, 0);
	assert_int_equal(living, 1);
	assert_int_equal(runtime_entries(), 1);
	local_open(&local);
	assert_int_equal(runtime_entries(), 1); /* ours; the dead one's is gone */
	local_close(&local);
	assert_int_equal(runtime_entries(), 0);
}

static long switches_of(pid_t pid)
{
	char command[128], line[64] = "";
	FILE *sum;

	snprintf(command, sizeof(command), "cat /proc/%d/task/*/status | awk '/^voluntary/ {n += $2} END {print n}'",
		 pid);
	sum = popen(command, "r");
	RIG_CHECK(sum && fgets(line, sizeof(line), sum));
	pclose(sum);
	return atol(line);
}

/* As many as fit open the device at once; nobody who lives there already is woken for it. */
TEST(openings_wake_nobody)
{
	enum { OPENERS = 200 };
	int go[2], opened[2], status;
	char byte;
	long switches;
	pid_t bystander, openers[OPENERS];
	struct local local;

	assert_int_equal(pipe(go) | pipe(opened), 0);
	bystander = fork();
	for (int i = 0; bystander && i < OPENERS; i++) {
		openers[i] = fork();
		if (openers[i])
			continue;
		close(go[1]);
		RIG_CHECK(read(go[0], &byte, 1) == 0);
		local_open(&local);
		RIG_CHECK(write(opened[1], "o", 1) == 1);
		local_close(&local);
		_exit(0);
	}
	if (bystander == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(go[1]);
		local_open(&local);
		RIG_CHECK(write(opened[1], "b", 1) == 1);
		for (;;)
			pause();
	}
	assert_int_equal(read(opened[0], &byte, 1), 1);
	assert_int_equal(byte, 'b');
	switches = -switches_of(bystander);
	close(go[1]);
	for (int i = 0; i < OPENERS; i++) {
		assert_int_equal(waitpid(openers[i], &status, 0), openers[i]);
		assert_int_equal(status, 0);
	}
	switches += switches_of(bystander);
	kill(bystander, SIGKILL);
	waitpid(bystander, NULL, 0);
	assert_true(switches < OPENERS / 4);
	close(go[0]);
	close(opened[0]);
	close(opened[1]);
	local_open(&local); /* clears the bystander away */
	local_close(&local);
	assert_int_equal(runtime_entries(), 0);
}

TEST(directory_of_others_is_refused)
{
	char path[256];
	struct ibv_device **list = ibv_get_device_list(NULL);

	snprintf(path, sizeof(path), "%s/perftest-soft", getenv("XDG_RUNTIME_DIR"));
	assert_true(mkdir(path, 0755) == 0 || errno == EEXIST);
	assert_int_equal(chmod(path, 0755), 0); /* whatever the umask */
	assert_null(ibv_open_device(list[0]));
	assert_int_equal(rmdir(path), 0);
	ibv_free_device_list(list);
}

TEST(directory_has_its_mode_whatever_the_umask)
{
	const mode_t before = umask(0177);
	struct local local;
	struct stat status;
	char path[256];

	local_open(&local);
	umask(before);
	snprintf(path, sizeof(path), "%s/perftest-soft", getenv("XDG_RUNTIME_DIR"));
	assert_int_equal(stat(path, &status), 0);
	assert_int_equal(status.st_mode & 0777, 0700);
	local_close(&local);
}

/* mlockall(flags) in a child that then opens the device: is it open, and what does it say? */
static bool opens_locked(int flags, rlim_t address_space, char *said, size_t size)
{
	struct rlimit limit = {address_space, address_space};
	int ends[2], status;
	ssize_t length;
	pid_t child;

	assert_int_equal(pipe(ends), 0);
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		struct ibv_device **list = ibv_get_device_list(NULL);

		dup2(ends[1], STDERR_FILENO);
		/* Where the device would be filled after all, this ends the test and not other processes. */
		RIG_CHECK(setrlimit(RLIMIT_AS, &limit) == 0 && mlockall(flags) == 0);
		_exit(ibv_open_device(list[0]) ? 0 : 1);
	}
	close(ends[1]);
	length = read(ends[0], said, size - 1);
	said[length > 0 ? length : 0] = '\0';
	close(ends[0]);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status) == 0;
}

TEST(locked_address_space)
{
	char said[512];

#ifdef RIG_HAS_ASAN
	skip(); /* its shadow alone is more than the limit */
#endif
	if (geteuid() != 0 || prctl(PR_CAPBSET_READ, CAP_IPC_LOCK) != 1)
		skip(); /* more than others may lock, or root in a container */
	assert_false(opens_locked(MCL_CURRENT | MCL_FUTURE, 8ull << 30, said, sizeof(said)));
	assert_non_null(strstr(said, "MCL_ONFAULT"));
	assert_true(opens_locked(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT, RLIM_INFINITY, said, sizeof(said)));
	assert_true(opens_locked(MCL_CURRENT, RLIM_INFINITY, said, sizeof(said)));
}

/* Room for the lists of objects, and not for the table of regions: the device does not open, whether it was or not. */
TEST(small_address_space)
{
	int status;
	pid_t child;

#ifdef RIG_HAS_ASAN
	skip(); /* its allocator maps more than it is asked for */
#endif
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		struct ibv_device **list = ibv_get_device_list(NULL);

		signal(SIGSEGV, SIG_DFL); /* cmocka's handler would continue with the tests */
		for (int i = 0; i < 2; i++) {
			struct rlimit limit = {RLIM_INFINITY, RLIM_INFINITY};
			FILE *statm = fopen("/proc/self/statm", "re");
			unsigned long pages = 0;

			RIG_CHECK(statm && fscanf(statm, "%lu", &pages) == 1 && fclose(statm) == 0);
			limit.rlim_cur = pages * (unsigned long)sysconf(_SC_PAGESIZE) + (6 << 20);
			RIG_CHECK(setrlimit(RLIMIT_AS, &limit) == 0);
			RIG_CHECK(!ibv_open_device(list[0]) && errno == ENOMEM);
			limit.rlim_cur = RLIM_INFINITY;
			RIG_CHECK(setrlimit(RLIMIT_AS, &limit) == 0);
			RIG_CHECK(ibv_close_device(rig_open_device()) == 0);
		}
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

TEST_MAIN(rig_directory_make, rig_directory_remove)
