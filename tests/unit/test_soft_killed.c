// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What a process leaves that is killed at any moment: while it opens a device, registers, connects, writes,
 * deregisters, closes. No file may remain in the runtime directory, no survivor may hang, and only sent data may
 * arrive. Every other one is stopped first, and its peers exit meanwhile. SOFT_KILLS=N in the environment kills N
 * processes, for a long run.
 */
#define _GNU_SOURCE
#include "soft_rig.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>

#define KILLS	     40
#define KILL_MAX_US  20000 /* of a victim's life, beyond the start of the process */
#define ROUND_LIMIT  60	   /* s: the survivor is stuck, then */
#define MESSAGE	     4096u
#define PAGE	     4096u
#define VICTIM_PAGES 64u
#define CROWD_US     20000 /* between two changes of the crowd's, far below what one process may take ... */
#define CROWD_MS     5500  /* ... and all of them together take more */

static const struct rig_options types[] = {{.type = IBV_QPT_RC}, {.type = IBV_QPT_UC}};

static uint32_t next_random(uint32_t *seed)
{
	*seed = *seed * 1664525u + 1013904223u;
	return *seed >> 8;
}

/* Each word proves itself. */
static uint64_t word_make(uint32_t value)
{
	return (uint64_t)~value << 32 | value;
}

static bool word_is_whole(uint64_t word)
{
	return word == 0 || (uint32_t)(word >> 32) == (uint32_t)~word;
}

/* One life of a process that uses the device, and the next, until it is killed. */
static void victim_run(int fd, uint32_t seed, const struct rig_options *options)
{
	for (;;) {
		struct rig rig = {.fd = fd};
		struct rig_address ours;
		struct rig_request request;
		struct ibv_mr *mrs[4];
		uint8_t *memory =
			mmap(NULL, VICTIM_PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		RIG_CHECK(memory != MAP_FAILED);
		rig_end_open(&rig.near, options);
		for (unsigned int i = 0; i < 4; i++)
			RIG_CHECK((mrs[i] = ibv_reg_mr(rig.near.pd, memory + next_random(&seed) % (32 * PAGE),
						       next_random(&seed) % (32 * PAGE) + 1, RIG_ACCESS)));
		ours = rig_end_address(&rig.near);
		if (write(fd, &ours, sizeof(ours)) != sizeof(ours) || read(fd, &rig.far, sizeof(rig.far)) <= 0)
			_exit(0);
		rig_end_connect(&rig.near, rig.far.qpn);
		for (unsigned int i = 0; i < 50; i++) {
			uint64_t *words = (uint64_t *)(void *)rig.near.buffer;

			for (unsigned int k = 0; k < MESSAGE / 8; k++)
				words[k] = word_make(seed + i);
			rig_run(&rig, rig_request(&rig, &request, IBV_WR_RDMA_WRITE, MESSAGE));
		}
		for (unsigned int i = 0; i < 4; i++)
			RIG_CHECK(ibv_dereg_mr(mrs[(i + seed) % 4]) == 0);
		rig_end_close(&rig.near);
		munmap(memory, VICTIM_PAGES * PAGE);
	}
}

static pid_t victim_start(int *fd, uint32_t seed, const struct rig_options *options)
{
	int pair[2];
	pid_t child;

	RIG_CHECK(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair) == 0);
	child = fork();
	RIG_CHECK(child >= 0);
	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(pair[0]);
		victim_run(pair[1], seed, options);
	}
	close(pair[1]);
	*fd = pair[0];
	return child;
}

/* No word is torn, and it ends whatever the victim does. */
static void serving_end(struct rig_end *end)
{
	const uint64_t *words = (const uint64_t *)(const void *)end->buffer;

	for (unsigned int i = 0; i < MESSAGE / 8; i++)
		RIG_CHECK(word_is_whole(words[i]));
	rig_end_close(end);
}

/* Answers the victim's every connection until its time is over. */
static void victim_serve(pid_t victim, int fd, double until, const struct rig_options *options, bool stops)
{
	struct rig_end end = {0};
	bool is_open = false;
	int status;

	while (rig_now() < until) {
		struct pollfd ready = {.fd = fd, .events = POLLIN};
		struct rig_address far, ours;

		if (poll(&ready, 1, 1) != 1)
			continue;
		if (recv(fd, &far, sizeof(far), MSG_DONTWAIT) != sizeof(far))
			break;
		if (is_open)
			rig_end_close(&end);
		rig_end_open(&end, options);
		is_open = true;
		ours = rig_end_address(&end);
		rig_end_connect(&end, far.qpn);
		(void)!send(fd, &ours, sizeof(ours), MSG_DONTWAIT | MSG_NOSIGNAL);
	}
	if (stops) {
		RIG_CHECK(kill(victim, SIGSTOP) == 0);
		RIG_CHECK(waitpid(victim, &status, WUNTRACED) == victim && WIFSTOPPED(status));
		if (is_open)
			serving_end(&end);
	}
	RIG_CHECK(kill(victim, SIGKILL) == 0);
	RIG_CHECK(waitpid(victim, &status, 0) == victim);
	RIG_CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	if (is_open && !stops)
		serving_end(&end);
}

static int runtime_entries(void)
{
	char command[512];
	FILE *list;
	int count = 0;

	snprintf(command, sizeof(command), "ls %s/perftest-soft 2>/dev/null", getenv("XDG_RUNTIME_DIR"));
	list = popen(command, "r");
	while (list && fgets(command, sizeof(command), list))
		count++;
	pclose(list);
	return count;
}

/* Whoever starts next clears away what the dead left: there are but the survivor and itself. */
static void check_next_process(void)
{
	int status;
	pid_t child = fork();

	if (child == 0) {
		struct ibv_context *context;

		alarm(ROUND_LIMIT);
		context = rig_open_device();
		_exit(runtime_entries() == 2 && ibv_close_device(context) == 0 ? 0 : 1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_int_equal(runtime_entries(), 1);
}

TEST(killed_at_any_moment)
{
	const char *wanted = getenv("SOFT_KILLS");
	int kills = wanted ? atoi(wanted) : KILLS;
	struct rig_end survivor;
	uint32_t seed = (uint32_t)getpid();

	print_message("seed %u\n", seed);
	rig_end_open(&survivor, &types[0]);
	for (int i = 0; i < kills; i++) {
		pid_t victims[2];
		int fds[2];

		alarm(ROUND_LIMIT);
		for (int k = 0; k < 2; k++)
			victims[k] = victim_start(&fds[k], next_random(&seed), &types[i % 2]);
		for (int k = 0; k < 2; k++) {
			victim_serve(victims[k], fds[k], rig_now() + next_random(&seed) % KILL_MAX_US / 1e6,
				     &types[i % 2], i / 2 % 2);
			close(fds[k]);
		}
		check_next_process();
	}
	alarm(0);
	rig_end_close(&survivor);
	assert_int_equal(runtime_entries(), 0);
}

/*
 * Many that start at once have the directory for longer than one may keep it, all together. `late` is of the process
 * that waits for it: it can be read from when that one begins to.
 */
static void crowd_run(int ready, int late)
{
	char path[256], byte;
	int directory;
	double until = 0;

	snprintf(path, sizeof(path), "%s/perftest-soft", getenv("XDG_RUNTIME_DIR"));
	directory = open(path, O_RDONLY | O_DIRECTORY);
	RIG_CHECK(directory >= 0);
	RIG_CHECK(flock(directory, LOCK_EX) == 0);
	RIG_CHECK(write(ready, "", 1) == 1);
	while (until == 0 || rig_now() < until) {
		RIG_CHECK(mkdirat(directory, "another", 0700) == 0 &&
			  unlinkat(directory, "another", AT_REMOVEDIR) == 0);
		if (until == 0 && poll(&(struct pollfd){.fd = late, .events = POLLIN}, 1, 0) == 1) {
			RIG_CHECK(read(late, &byte, 1) == 1);
			until = rig_now() + CROWD_MS / 1e3;
		}
		usleep(CROWD_US);
	}
	_exit(0);
}

TEST(crowd_is_waited_for)
{
	struct rig_end first;
	int pair[2], late_pair[2], status;
	pid_t crowd, late;
	char byte;

	alarm(ROUND_LIMIT);
	RIG_CHECK(pipe(pair) == 0 && pipe(late_pair) == 0);
	rig_end_open(&first, &types[0]);
	crowd = fork();
	if (crowd == 0)
		crowd_run(pair[1], late_pair[0]);
	RIG_CHECK(read(pair[0], &byte, 1) == 1);
	late = fork();
	if (late == 0) {
		RIG_CHECK(write(late_pair[1], "", 1) == 1);
		_exit(ibv_close_device(rig_open_device()) != 0);
	}
	assert_int_equal(waitpid(late, &status, 0), late);
	assert_int_equal(status, 0);
	assert_int_equal(waitpid(crowd, &status, 0), crowd);
	assert_int_equal(status, 0);
	rig_end_close(&first);
	for (int i = 0; i < 2; i++) {
		close(pair[i]);
		close(late_pair[i]);
	}
	alarm(0);
}

TEST_MAIN(rig_directory_make, rig_directory_remove)
