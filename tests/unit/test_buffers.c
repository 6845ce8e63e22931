// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The content of the buffers before the first message, and the access rights of their registration. */
#define _GNU_SOURCE /* memfd_create(), mmap64() */
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmocka_all.h"
#include "memory/kinds.h"
#include "memory/memory.h"
#include "util/log.h"
#include "verbs/device/host_page.h"
#include "verbs/memory/demand.h"
#include "verbs/memory/mr.h"
#include "verbs/memory/slots.h"

#define LARGEST 8192U

static struct ibv_device ibv_device = {.transport_type = IBV_TRANSPORT_IB};
static struct ibv_context context = {.device = &ibv_device};
static struct device device = {.context = &context, .name = "fake0"};
static struct verbs_config config;
static struct resources resources;
static unsigned registered_access;
static const char *registered_by;
static int registered_fd;
static uint64_t registered_offset;
static bool is_relaxed_only; /* refuses regions without relaxed ordering */

/* --- in place of libibverbs --- */

#undef ibv_reg_mr
struct ibv_mr *ibv_reg_mr(struct ibv_pd *pd, void *addr, size_t length, int access)
{
	static struct ibv_mr mr;

	if (is_relaxed_only && !(access & IBV_ACCESS_RELAXED_ORDERING)) {
		errno = EINVAL;
		return NULL;
	}
	mr = (struct ibv_mr){.pd = pd, .addr = addr, .length = length};
	registered_access = (unsigned)access;
	return &mr;
}

struct ibv_mr *ibv_reg_dmabuf_mr(struct ibv_pd *pd, uint64_t offset, size_t length, uint64_t iova, int fd, int access)
{
	registered_by = "fd";
	registered_fd = fd;
	registered_offset = offset;
	return ibv_reg_mr(pd, (void *)(uintptr_t)iova, length, access);
}

struct ibv_mr *ibv_reg_mr_iova2(struct ibv_pd *pd, void *addr, size_t length, uint64_t iova, unsigned access)
{
	registered_by = "address";
	return ibv_reg_mr(pd, addr, length, (int)access);
}

static bool was_mapped; /* the memory of the last region, when that was deregistered */

int ibv_dereg_mr(struct ibv_mr *mr)
{
	was_mapped = !msync(mr->addr, 1, MS_ASYNC);
	return 0;
}

static bool fakes_huge_pages;
static size_t huge_bytes; /* of memory behind huge mappings; what lies beyond is a SIGBUS, as of a node without pages */

void *mmap(void *addr, size_t length, int protection, int flags, int fd, off_t offset)
{
	void *mapped;

	if (!(flags & MAP_HUGETLB) || !fakes_huge_pages)
		return mmap64(addr, length, protection, flags, fd, offset);
	fd = memfd_create("huge", MFD_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, (off_t)(length < huge_bytes ? length : huge_bytes)), 0);
	mapped = mmap64(addr, length, protection, MAP_SHARED, fd, 0);
	close(fd);
	return mapped;
}

/* --- */

static int try_buffers(enum verb verb, enum metric metric, bool with_imm, bool disable_relaxed)
{
	const struct traffic_spec spec = {.verb = verb, .metric = metric, .with_imm = with_imm};

	config = (struct verbs_config){
		.traffic = traffic_of(&spec, SIDE_CLIENT),
		.all_sizes = true,
		.sweep = {2, 1 << 23, 2, true},
		.memory = &memory_host,
		.disable_relaxed = disable_relaxed,
	};
	snprintf(config.payload_file, sizeof(config.payload_file), "test_buffers.%d", (int)getpid());
	resources = (struct resources){
		.device = &device,
		.config = &config,
		.traffic = config.traffic,
		.page_bytes = host_common_page(0),
		.num_qps = 1,
	};
	return mr_open(&resources, LARGEST);
}

static void open_buffers(enum verb verb, enum metric metric, bool with_imm)
{
	assert_int_equal(try_buffers(verb, metric, with_imm, false), 0);
}

static int write_payload(void **state)
{
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "test_buffers.%d", (int)getpid());
	file = fopen(path, "w");
	if (!file)
		return -1;
	fputs("0xa5a5a5a5\n", file);
	return fclose(file);
}

static int remove_payload(void **state)
{
	char path[64];

	snprintf(path, sizeof(path), "test_buffers.%d", (int)getpid());
	return unlink(path);
}

static bool is_polled(uint64_t offset)
{
	return ((offset + 1) & offset) == 0;
}

/* The payload is everywhere but where a program waits for a byte that counts from 1. */
TEST(write_latency_has_the_payload_too)
{
	const uint8_t *slot;

	open_buffers(VERB_WRITE, METRIC_LAT, false);
	slot = mr_recv_region(&resources, 0);
	for (uint64_t i = 0; i < LARGEST; i++)
		assert_int_equal(slot[i], is_polled(i) ? 0 : 0xa5);
	slot = mr_send_region(&resources, 0);
	for (uint64_t i = 0; i < LARGEST; i++)
		assert_int_equal(slot[i], 0xa5);
	mr_close(&resources);
}

TEST(what_is_not_polled_is_payload)
{
	static const struct {
		enum verb verb;
		enum metric metric;
		bool with_imm;
	} cases[] = {
		{VERB_WRITE, METRIC_LAT, true},
		{VERB_WRITE, METRIC_BW, false},
		{VERB_SEND, METRIC_LAT, false},
	};

	for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
		const uint8_t *slot;

		open_buffers(cases[c].verb, cases[c].metric, cases[c].with_imm);
		slot = resources.traffic.peer_posts ? mr_recv_region(&resources, 0) : mr_send_region(&resources, 0);
		for (uint64_t i = 0; i < LARGEST; i++)
			assert_int_equal(slot[i], 0xa5);
		mr_close(&resources);
	}
}

/* Only a program that polls the last byte of a message needs the bytes before it to be there. */
TEST(only_polled_memory_is_ordered)
{
	open_buffers(VERB_WRITE, METRIC_LAT, false);
	assert_false(registered_access & IBV_ACCESS_RELAXED_ORDERING);
	assert_false(resources.relaxed);
	mr_close(&resources);
	open_buffers(VERB_WRITE, METRIC_LAT, true);
	assert_true(registered_access & IBV_ACCESS_RELAXED_ORDERING);
	mr_close(&resources);
	open_buffers(VERB_SEND, METRIC_LAT, false);
	assert_true(registered_access & IBV_ACCESS_RELAXED_ORDERING);
	mr_close(&resources);
}

/* A software device would copy what is never read again, before it lets go of the memory; no adapter does. */
TEST(a_software_device_gets_no_memory_back)
{
	open_buffers(VERB_SEND, METRIC_BW, false);
	mr_close(&resources);
	assert_true(was_mapped);
	device.is_software = true;
	open_buffers(VERB_SEND, METRIC_BW, false);
	mr_close(&resources);
	device.is_software = false;
	assert_false(was_mapped);
}

/* --- memory that is more than addresses of this process --- */

static int alloc_part_of_dmabuf(struct buffer *buffer, struct ibv_context *of)
{
	int err = memory_host.alloc(buffer, of);

	assert_ptr_equal(of, &context);
	buffer->fd = 33;
	buffer->fd_offset = 4096;
	return err;
}

static void free_host(struct buffer *buffer)
{
	memory_host.free(buffer);
}

static void copy(const struct buffer *buffer, void *to, const void *from, size_t bytes, enum copy_direction which)
{
	memcpy(to, from, bytes);
}

static struct ibv_mr *register_dm(const struct buffer *buffer, struct ibv_pd *pd, unsigned access)
{
	registered_by = "its kind";
	return ibv_reg_mr(pd, buffer->addr, buffer->length, (int)access);
}

TEST(a_kind_says_how_it_is_registered)
{
	static const struct memory_ops part = {
		.name = "dmabuf", .alloc = alloc_part_of_dmabuf, .free = free_host, .copy = copy};
	static struct memory_ops own;

	open_buffers(VERB_WRITE, METRIC_BW, false);
	mr_close(&resources);
	assert_string_equal(registered_by, "address");
	config.memory = &part;
	config.payload_file[0] = '\0';
	assert_int_equal(mr_open(&resources, LARGEST), 0);
	assert_string_equal(registered_by, "fd");
	assert_int_equal(registered_fd, 33);
	assert_int_equal(registered_offset, 4096);
	mr_close(&resources);
	own = part;
	own.register_mr = register_dm;
	config.memory = &own;
	assert_int_equal(mr_open(&resources, LARGEST), 0);
	assert_string_equal(registered_by, "its kind");
	assert_false(registered_access & IBV_ACCESS_RELAXED_ORDERING);
	assert_false(resources.relaxed);
	mr_close(&resources);
}

/* A host that lends all of its memory as huge pages has next to nothing else that is available. */
TEST(huge_pages_are_no_available_memory)
{
	static const struct demand demand = {.buffers = UINT64_C(1) << 60, .queues = 4096};
	const struct device software = {.name = "soft0", .is_software = true};
	char reason[512] = "";

	config = (struct verbs_config){.memory = &memory_host};
	assert_int_equal(demand_check(&demand, &config, &software, reason, sizeof(reason)), -ENOMEM);
	config.memory = &memory_hugepages;
	assert_int_equal(demand_check(&demand, &config, &software, reason, sizeof(reason)), 0);
	config.max_memory = UINT64_C(1) << 30;
	assert_int_equal(demand_check(&demand, &config, &software, reason, sizeof(reason)), -ENOMEM);
}

/* Clients that come together share what one has alone. */
TEST(several_clients_share_what_is_lent)
{
	const struct device software = {.name = "soft0", .is_software = true};
	const struct demand demand = {.buffers = memory_available("") / 4};
	char reason[512] = "";

	config = (struct verbs_config){.memory = &memory_host};
	assert_int_equal(demand_check(&demand, &config, &software, reason, sizeof(reason)), 0);
	config.num_clients = 4;
	assert_int_equal(demand_check(&demand, &config, &software, reason, sizeof(reason)), -ENOMEM);
	assert_non_null(strstr(reason, "its share of half of the memory available there"));
}

/* Is that much refused to a user who may lock 64 KiB? */
static bool limit_refuses(uint64_t buffers, bool is_software, const char *words)
{
	const struct demand demand = {.buffers = buffers, .queues = 4096};
	const struct device asked = {.name = "mlx5_0", .is_software = is_software};
	const struct rlimit limit = {64 << 10, 64 << 10};
	char reason[512] = "";
	int status;
	pid_t child = fork();

	assert_true(child >= 0);
	if (child == 0) {
		config = (struct verbs_config){.memory = &memory_host};
		if (setrlimit(RLIMIT_MEMLOCK, &limit) || (!geteuid() && setreuid(65534, 65534)))
			_exit(2);
		status = demand_check(&demand, &config, &asked, reason, sizeof(reason));
		_exit(status == -ENOMEM && strstr(reason, words) ? 1 : status ? 3 : 0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_in_range(WEXITSTATUS(status), 0, 1);
	return WEXITSTATUS(status);
}

/* What a device would pin for a client is compared with what the process may lock; the software device pins nothing. */
TEST(a_client_gets_no_more_than_may_be_locked)
{
	static const char words[] =
		"registers 128 KiB of memory on the server, whose process may lock 64 KiB (RLIMIT_MEMLOCK)";

	assert_true(limit_refuses(128 << 10, false, words));
	assert_false(limit_refuses(64 << 10, false, words));
	assert_false(limit_refuses(128 << 10, true, words));
}

/* The kernel promises huge pages of all nodes; those of one node are seen to be there before they are touched. */
TEST(huge_pages_of_another_node_are_refused)
{
	struct buffer buffer = {.ops = &memory_hugepages, .length = 16 << 20, .fd = -1};

	fakes_huge_pages = true;
	huge_bytes = SIZE_MAX;
	assert_int_equal(memory_hugepages.alloc(&buffer, &context), 0);
	memset(buffer.addr, 1, buffer.length);
	memory_hugepages.free(&buffer);
	huge_bytes = 0;
	buffer.addr = NULL;
	assert_int_equal(memory_hugepages.alloc(&buffer, &context), -ENOMEM);
	assert_null(buffer.addr);
	assert_non_null(
		strstr(log_last_error(),
		       "only 0 are available on the NUMA node that memory is allocated from, or in this control "
		       "group (hugetlb)"));
	fakes_huge_pages = false;
}

/* What fits into memory of an adapter depends on it; by time, or with many messages, the rounds are the longest. */
TEST(few_messages_take_few_slots)
{
	const struct traffic_spec spec = {.verb = VERB_WRITE, .metric = METRIC_BW};
	struct slot_grid grid;

	config = (struct verbs_config){.data_validation = true,
				       .traffic = traffic_of(&spec, SIDE_CLIENT),
				       .num_qps = 1,
				       .post_list = 1,
				       .recv_post_list = 1};
	assert_int_equal(slot_grid_of(&config, 1024, 1024, &grid), 0);
	assert_int_equal(grid.count, 4096);
	config.messages = 100;
	assert_int_equal(slot_grid_of(&config, 1024, 1024, &grid), 0);
	assert_int_equal(grid.count, 128);
	assert_int_equal(grid.bytes, 128 * 1024);
	config.shares_receives = true; /* half of them may stay unused */
	assert_int_equal(slot_grid_of(&config, 1024, 1024, &grid), 0);
	assert_int_equal(grid.count, 256);
	config.shares_receives = false;
	config.messages = 5;
	config.post_list = 64;
	assert_int_equal(slot_grid_of(&config, 1024, 1024, &grid), 0);
	assert_int_equal(grid.count, 64);
	config.messages = 1000000;
	assert_int_equal(slot_grid_of(&config, 1024, 1024, &grid), 0);
	assert_int_equal(grid.count, 4096);
}

/* Adapters have 128 KiB or 256 KiB in all: both sides of a test fit into it, and rounds are as long as they can be. */
TEST(slots_fit_into_a_device)
{
	const struct traffic_spec writes = {.verb = VERB_WRITE, .metric = METRIC_BW};
	const struct traffic_spec both = {.verb = VERB_SEND, .metric = METRIC_BW, .bidirectional = true};
	const uint64_t all = 128 << 10, page = 4096;
	struct slot_grid grid;
	uint64_t bytes;

	config = (struct verbs_config){.data_validation = true,
				       .traffic = traffic_of(&writes, SIDE_CLIENT),
				       .memory = &memory_host,
				       .num_qps = 1,
				       .post_list = 1,
				       .recv_post_list = 1};
	config.memory_bytes = all;
	assert_int_equal(slot_grid_of(&config, 64, 64, &grid), 0);
	assert_int_equal(grid.count, 512);
	for (config.num_qps = 1; config.num_qps <= 4; config.num_qps++) {
		for (uint64_t size = 1; size <= 2048; size *= 2) {
			config.traffic = traffic_of(&writes, SIDE_CLIENT);
			bytes = mr_bytes(&config, size);
			assert_in_range(bytes, 1, all / 2 - page);
			config.traffic = traffic_of(&both, SIDE_SERVER);
			bytes = mr_bytes(&config, size);
			assert_in_range(bytes, 1, all / 2 - page);
		}
	}
	/* Clients that come together share it; a round with a sample is the least. */
	config.num_qps = 1;
	config.num_clients = 4;
	config.traffic = traffic_of(&writes, SIDE_SERVER);
	assert_int_equal(slot_grid_of(&config, 64, 64, &grid), 0);
	assert_int_equal(grid.count, 128);
	assert_int_equal(slot_grid_of(&config, 65536, 65536, &grid), 0);
	assert_int_equal(grid.count, 2);
	config.memory_bytes = UINT64_C(1) << 40;
	assert_int_equal(slot_grid_of(&config, 64, 64, &grid), 0);
	assert_int_equal(grid.count, 4096);
}

TEST(an_adapter_without_strict_ordering_is_reported)
{
	is_relaxed_only = true;
	assert_int_equal(try_buffers(VERB_WRITE, METRIC_LAT, false, false), -EINVAL);
	mr_close(&resources);
	assert_non_null(strstr(log_last_error(), "with relaxed ordering only, by which the last byte"));
	assert_int_equal(try_buffers(VERB_WRITE, METRIC_BW, false, true), -EINVAL);
	mr_close(&resources);
	assert_non_null(strstr(log_last_error(), "with relaxed ordering only: omit --disable_pcie_relaxed"));
	assert_int_equal(try_buffers(VERB_WRITE, METRIC_BW, false, false), 0);
	mr_close(&resources);
	is_relaxed_only = false;
}

TEST_MAIN(write_payload, remove_payload)
