// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Do the kinds of GPU memory load their vendor's library, choose a device, move bytes, and say what is wrong? Over the
 * stand-ins of tests/gpu, which the dynamic linker finds by this program's own path; no GPU was seen by this test.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmocka_all.h"
#include "memory/gpu.h"
#include "util/log.h"

#define REASON_SIZE 256
#define DEVICES	    2

static const struct gpu_kind *const kinds[] = {&gpu_amd, &gpu_nvidia, &gpu_intel};

#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

/* A library remembers what it was: each case has a process of its own. */
static void in_a_child(void (*body)(const struct gpu_kind *kind, const void *context), const struct gpu_kind *kind,
		       const void *context)
{
	pid_t child = fork();
	int status;

	assert_true(child >= 0);
	if (child == 0) {
		body(kind, context);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		fail_msg("%s: status 0x%x", kind->name, status);
}

/* In the child, where cmocka's own checks would go on as a second run of all tests. */
#define CHECK(condition)                                                                                               \
	do {                                                                                                           \
		if (!(condition)) {                                                                                    \
			print_error("%s:%d: not true: %s (%s)\n", __FILE__, __LINE__, #condition, log_last_error());   \
			_exit(1);                                                                                      \
		}                                                                                                      \
	} while (0)

static void copy_through(const struct gpu_kind *kind, const void *context)
{
	char reason[REASON_SIZE];
	uint8_t in[5000], out[sizeof(in)];
	struct buffer first, second;

	(void)context;
	for (size_t i = 0; i < sizeof(in); i++)
		in[i] = i * 31 + 7;
	CHECK(gpu_probe(kind, reason, sizeof(reason)) == 0);
	CHECK(gpu_probe(kind, reason, sizeof(reason)) == 0);
	CHECK(gpu_choose(kind, DEVICES - 1) == 0);
	CHECK(buffer_open(&first, kind->memory, 100000, NULL) == 0);
	CHECK(gpu_choose(kind, 0) == 0);
	CHECK(buffer_open(&second, kind->memory, sizeof(in), NULL) == 0);
	CHECK(first.ops->is_far && first.fd == -1);
	CHECK((uintptr_t)first.addr % 4096 == 0);
	first.ops->copy_in(&first, first.addr + 90001, in, sizeof(in));
	first.ops->copy_out(&first, out, first.addr + 90001, sizeof(out));
	CHECK(memcmp(in, out, sizeof(in)) == 0);
	CHECK(buffer_fill(&second, "") == 0);
	second.ops->copy_out(&second, out, second.addr, sizeof(out));
	CHECK(memcmp(in, out, sizeof(in)) != 0);
	buffer_close(&second);
	buffer_close(&first);
}

static void bytes_go_there_and_back(void **state)
{
	(void)state;
	for (size_t i = 0; i < KINDS; i++)
		in_a_child(copy_through, kinds[i], NULL);
}

/* context: a dmabuf is to be had. */
static void open_as_dmabuf(const struct gpu_kind *kind, const void *context)
{
	const bool wanted = *(const bool *)context;
	char reason[REASON_SIZE];
	struct buffer buffer;
	int fd;

	CHECK(gpu_probe(kind, reason, sizeof(reason)) == 0);
	CHECK(gpu_choose(kind, 0) == 0);
	CHECK(buffer_open(&buffer, kind->memory, 100, NULL) == 0);
	fd = buffer.fd;
	CHECK(wanted ? fcntl(fd, F_GETFD) >= 0 : fd == -1);
	CHECK(buffer.fd_offset == (wanted && kind == &gpu_amd ? 4096 : 0));
	buffer_close(&buffer);
	CHECK(!wanted || fcntl(fd, F_GETFD) < 0);
}

static void a_dmabuf_is_made_where_there_is_one(void **state)
{
	const bool yes = true, no = false;

	(void)state;
	for (size_t i = 0; i < KINDS; i++) {
		in_a_child(open_as_dmabuf, kinds[i], &no);
		setenv("GPU_STANDIN_DMABUF", "1", 1);
		in_a_child(open_as_dmabuf, kinds[i], &yes);
		unsetenv("GPU_STANDIN_DMABUF");
	}
}

static void choose_beyond(const struct gpu_kind *kind, const void *context)
{
	char reason[REASON_SIZE];

	(void)context;
	CHECK(gpu_probe(kind, reason, sizeof(reason)) == 0);
	CHECK(gpu_choose(kind, DEVICES) == -ENODEV);
	CHECK(strstr(log_last_error(), "GPU 2: the last one is 1"));
}

static void a_device_that_is_not_there_is_named(void **state)
{
	(void)state;
	for (size_t i = 0; i < KINDS; i++)
		in_a_child(choose_beyond, kinds[i], NULL);
}

static void probe_nothing(const struct gpu_kind *kind, const void *words)
{
	char reason[REASON_SIZE];

	CHECK(gpu_probe(kind, reason, sizeof(reason)) == -ENOENT);
	if (!strstr(reason, words)) {
		print_error("'%s' does not say '%s'\n", reason, (const char *)words);
		_exit(1);
	}
}

static void a_host_without_devices_is_told(void **state)
{
	(void)state;
	setenv("GPU_STANDIN_DEVICES", "0", 1);
	for (size_t i = 0; i < KINDS; i++)
		in_a_child(probe_nothing, kinds[i], "no device");
	unsetenv("GPU_STANDIN_DEVICES");
}

static void fail_to_choose(const struct gpu_kind *kind, const void *words)
{
	char reason[REASON_SIZE];

	CHECK(gpu_probe(kind, reason, sizeof(reason)) == 0);
	CHECK(gpu_choose(kind, 1) == -EIO);
	CHECK(strstr(log_last_error(), words));
}

static void fail_to_alloc(const struct gpu_kind *kind, const void *words)
{
	char reason[REASON_SIZE];
	struct buffer buffer;

	CHECK(gpu_probe(kind, reason, sizeof(reason)) == 0);
	CHECK(gpu_choose(kind, 1) == 0);
	CHECK(buffer_open(&buffer, kind->memory, 4096, NULL) == -ENOMEM);
	CHECK(!buffer.ops);
	CHECK(strstr(log_last_error(), words));
}

static void each_call_may_fail(void **state)
{
	static const struct {
		const char *function;
		const struct gpu_kind *kind;
		void (*body)(const struct gpu_kind *kind, const void *context);
		const char *words;
	} cases[] = {
		{"cuInit", &gpu_nvidia, probe_nothing, "CUDA_ERROR_NOT_INITIALIZED"},
		{"cuDevicePrimaryCtxRetain", &gpu_nvidia, fail_to_choose, "CUDA_ERROR_INVALID_DEVICE"},
		{"cuMemAlloc_v2", &gpu_nvidia, fail_to_alloc, "4096 bytes: CUDA_ERROR_OUT_OF_MEMORY"},
		{"hipGetDeviceCount", &gpu_amd, probe_nothing, "hipErrorInvalidDevice"},
		{"hipSetDevice", &gpu_amd, fail_to_choose, "hipErrorInvalidDevice"},
		{"hipMalloc", &gpu_amd, fail_to_alloc, "4096 bytes: hipErrorOutOfMemory"},
		{"zeInit", &gpu_intel, probe_nothing, "0x78000001"},
		{"zeCommandListCreateImmediate", &gpu_intel, fail_to_choose, "0x78000004"},
		{"zeMemAllocDevice", &gpu_intel, fail_to_alloc, "0x70000003"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		setenv("GPU_STANDIN_FAIL", cases[i].function, 1);
		in_a_child(cases[i].body, cases[i].kind, cases[i].words);
	}
	unsetenv("GPU_STANDIN_FAIL");
}

static int start_nothing(int *count)
{
	*count = 0;
	return 0;
}

static void what_a_library_lacks_is_named(void **state)
{
	static const char *const nowhere[] = {"libnowhere.so.1", NULL}, *const second[] = {"libnowhere.so.1",
											   "libcuda.so.1", NULL};
	void *init = NULL, *other = NULL;
	const struct gpu_symbol good[] = {{"cuInit", &init}, {NULL, NULL}},
				bad[] = {{"cuInit", &init}, {"cuOfTomorrow", &other}, {NULL, NULL}};
	struct gpu_kind kind = {.name = "Vendor", .files = nowhere, .symbols = good, .start = start_nothing};
	char reason[REASON_SIZE];

	(void)state;
	assert_int_equal(gpu_probe(&kind, reason, sizeof(reason)), -ENOENT);
	assert_non_null(strstr(reason, "Vendor: libnowhere.so.1"));
	kind.files = second;
	kind.symbols = bad;
	assert_int_equal(gpu_probe(&kind, reason, sizeof(reason)), -ENOENT);
	assert_non_null(strstr(reason, "Vendor: libcuda.so.1 has no cuOfTomorrow"));
	kind.symbols = good;
	assert_int_equal(gpu_probe(&kind, reason, sizeof(reason)), -ENOENT);
	assert_string_equal(reason, "Vendor: no device");
	assert_non_null(init);
}

static void find_one(const struct gpu_kind *wanted, const void *type)
{
	const struct gpu_kind *kind = NULL;

	CHECK(gpu_find(*(const enum gpu_type *)type, &kind) == 0);
	CHECK(kind == wanted);
}

static void find_none(const struct gpu_kind *kind, const void *context)
{
	CHECK(gpu_find(GPU_AUTO, &kind) == -ENOENT);
	(void)context;
	CHECK(strstr(log_last_error(), "AMD: no device; NVIDIA: no device; INTEL: no device"));
}

static void the_kind_is_found_by_name_or_in_order(void **state)
{
	static const enum gpu_type types[] = {GPU_AUTO, GPU_NVIDIA, GPU_INTEL};

	(void)state;
	in_a_child(find_one, &gpu_amd, &types[0]);
	in_a_child(find_one, &gpu_nvidia, &types[1]);
	in_a_child(find_one, &gpu_intel, &types[2]);
	setenv("GPU_STANDIN_DEVICES", "0", 1);
	in_a_child(find_none, &gpu_amd, NULL);
	unsetenv("GPU_STANDIN_DEVICES");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bytes_go_there_and_back),
		cmocka_unit_test(a_dmabuf_is_made_where_there_is_one),
		cmocka_unit_test(a_device_that_is_not_there_is_named),
		cmocka_unit_test(a_host_without_devices_is_told),
		cmocka_unit_test(each_call_may_fail),
		cmocka_unit_test(what_a_library_lacks_is_named),
		cmocka_unit_test(the_kind_is_found_by_name_or_in_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
