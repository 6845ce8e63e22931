// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Do the kinds of GPU memory load their vendor's library, select a device, copy bytes, and report errors? Over the
 * stand-ins of tests/gpu, which the dynamic linker finds by this program's own path; this test does not use a real GPU.
 */
#include <fcntl.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmocka_all.h"
#include "memory/kinds.h"
#include "util/log.h"

#define REASON_SIZE 256
#define DEVICES	    2

static const struct gpu_kind *const kinds[] = {&gpu_amd,    &gpu_nvidia, &gpu_intel, &gpu_habana,
					       &gpu_neuron, &gpu_mlu,	 &gpu_musa,  &gpu_opencl};

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

/* By its number, or where there are none by its address. */
static int choose(const struct gpu_kind *kind, int index)
{
	static const char *const addresses[DEVICES + 1] = {"0000:3b:00.0", "0000:3c:00.0", "0000:3d:00.0"};

	return kind->use ? gpu_choose(kind, index) : gpu_choose_at(kind, addresses[index]);
}

static void copy_through(const struct gpu_kind *kind, const void *context)
{
	char reason[REASON_SIZE];
	uint8_t in[5000], out[sizeof(in)];
	struct buffer first, second;

	for (size_t i = 0; i < sizeof(in); i++)
		in[i] = i * 31 + 7;
	CHECK(gpu_probe(kind, reason, sizeof(reason)) == 0);
	CHECK(gpu_probe(kind, reason, sizeof(reason)) == 0);
	CHECK(gpu_count(kind) == DEVICES);
	CHECK(choose(kind, DEVICES - 1) == 0);
	CHECK(buffer_open(&first, kind->memory, 100000, NULL) == 0);
	CHECK(choose(kind, 0) == 0);
	CHECK(buffer_open(&second, kind->memory, sizeof(in), NULL) == 0);
	CHECK(first.ops->is_far == (kind != &gpu_opencl) && first.fd == -1);
	CHECK((uintptr_t)first.addr % 4096 == 0);
	buffer_copy_in(&first, first.addr + 90001, in, sizeof(in));
	buffer_copy_out(&first, out, first.addr + 90001, sizeof(out));
	CHECK(memcmp(in, out, sizeof(in)) == 0);
	CHECK(buffer_fill(&second, "") == 0);
	buffer_copy_out(&second, out, second.addr, sizeof(out));
	CHECK(memcmp(in, out, sizeof(in)) != 0);
	buffer_close(&second);
	buffer_close(&first);
}

TEST(bytes_go_there_and_back)
{
	for (size_t i = 0; i < KINDS; i++)
		if (kinds[i] != &gpu_habana) /* which has no copies */
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
	CHECK(choose(kind, 0) == 0);
	CHECK(buffer_open(&buffer, kind->memory, 100, NULL) == 0);
	fd = buffer.fd;
	CHECK(wanted ? fcntl(fd, F_GETFD) >= 0 : fd == -1);
	CHECK(buffer.fd_offset == (!wanted		 ? 0
				   : kind == &gpu_amd	 ? 4096
				   : kind == &gpu_neuron ? GPU_PAGE - 512 /* of the whole tensor */
							 : 0));
	buffer_close(&buffer);
	CHECK(!wanted || fcntl(fd, F_GETFD) < 0);
}

TEST(a_dmabuf_is_made_where_there_is_one)
{
	const bool yes = true, no = false;

	for (size_t i = 0; i < KINDS; i++) {
		in_a_child(open_as_dmabuf, kinds[i], &no);
		setenv("GPU_STANDIN_DMABUF", "1", 1);
		in_a_child(open_as_dmabuf, kinds[i], kinds[i] == &gpu_opencl ? &no : &yes);
		unsetenv("GPU_STANDIN_DMABUF");
	}
}

static void choose_beyond(const struct gpu_kind *kind, const void *context)
{
	char reason[REASON_SIZE];

	CHECK(gpu_probe(kind, reason, sizeof(reason)) == 0);
	if (!kind->use) {
		CHECK(choose(kind, DEVICES) == -EIO);
		CHECK(strstr(log_last_error(), "0000:3d:00.0 can't be used, out of 2 on this host"));
		return;
	}
	CHECK(choose(kind, DEVICES) == -ENODEV);
	CHECK(strstr(log_last_error(), "GPU 2: the last one is 1"));
}

TEST(a_device_that_is_not_there_is_named)
{
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

TEST(a_host_without_devices_is_reported)
{
	setenv("GPU_STANDIN_DEVICES", "0", 1);
	for (size_t i = 0; i < KINDS; i++)
		in_a_child(probe_nothing, kinds[i], "no device");
	unsetenv("GPU_STANDIN_DEVICES");
}

static void fail_to_choose(const struct gpu_kind *kind, const void *words)
{
	char reason[REASON_SIZE];

	CHECK(gpu_probe(kind, reason, sizeof(reason)) == 0);
	CHECK(choose(kind, 1) == -EIO);
	CHECK(strstr(log_last_error(), words));
}

static void fail_to_alloc(const struct gpu_kind *kind, const void *words)
{
	char reason[REASON_SIZE];
	struct buffer buffer;

	CHECK(gpu_probe(kind, reason, sizeof(reason)) == 0);
	CHECK(choose(kind, 1) == 0);
	CHECK(buffer_open(&buffer, kind->memory, 4096, NULL) == -ENOMEM);
	CHECK(!buffer.ops);
	CHECK(strstr(log_last_error(), words));
}

static void fail_to_copy(const struct gpu_kind *kind, const void *words)
{
	char reason[REASON_SIZE];
	uint8_t bytes[10] = {0};
	struct buffer buffer;

	CHECK(gpu_probe(kind, reason, sizeof(reason)) == 0);
	CHECK(choose(kind, 0) == 0);
	CHECK(buffer_open(&buffer, kind->memory, 4096, NULL) == 0);
	CHECK(!memory_copies_failed());
	buffer_copy_in(&buffer, buffer.addr, bytes, sizeof(bytes));
	buffer_copy_out(&buffer, bytes, buffer.addr, sizeof(bytes));
	CHECK(memory_copies_failed());
	CHECK(strstr(log_last_error(), "memory: a copy to or from it failed: ") && strstr(log_last_error(), words));
	buffer_close(&buffer);
	CHECK(!memory_copies_failed()); /* the next client's are not affected, and its failures are reported */
}

TEST(each_call_may_fail)
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
		{"cuPointerSetAttribute", &gpu_nvidia, fail_to_alloc, "4096 bytes: CUDA_ERROR_INVALID_DEVICE"},
		{"cuMemcpyHtoD_v2", &gpu_nvidia, fail_to_copy, "CUDA_ERROR_INVALID_CONTEXT"},
		{"cuMemcpyDtoH_v2", &gpu_nvidia, fail_to_copy, "CUDA_ERROR_INVALID_CONTEXT"},
		{"hipMemcpy", &gpu_amd, fail_to_copy, "hipError"},
		{"zeCommandListAppendMemoryCopy", &gpu_intel, fail_to_copy, "0x7800"},
		{"nrt_tensor_read", &gpu_neuron, fail_to_copy, "of the Neuron runtime"},
		{"nrt_tensor_write", &gpu_neuron, fail_to_copy, "of the Neuron runtime"},
		{"cnMemcpyHtoD", &gpu_mlu, fail_to_copy, "CN_ERROR_INVALID"},
		{"cnMemcpyDtoH", &gpu_mlu, fail_to_copy, "CN_ERROR_INVALID"},
		{"muMemcpyHtoD_v2", &gpu_musa, fail_to_copy, "MUSA_ERROR_INVALID_DEVICE"},
		{"muMemcpyDtoH_v2", &gpu_musa, fail_to_copy, "MUSA_ERROR_INVALID_DEVICE"},
		{"muCtxSynchronize", &gpu_musa, fail_to_copy, "MUSA_ERROR_INVALID_DEVICE"},
		{"hipGetDeviceCount", &gpu_amd, probe_nothing, "hipErrorInvalidDevice"},
		{"hipSetDevice", &gpu_amd, fail_to_choose, "hipErrorInvalidDevice"},
		{"hipMalloc", &gpu_amd, fail_to_alloc, "4096 bytes: hipErrorOutOfMemory"},
		{"zeInit", &gpu_intel, probe_nothing, "0x78000001"},
		{"zeCommandListCreateImmediate", &gpu_intel, fail_to_choose, "0x78000004"},
		{"zeMemAllocDevice", &gpu_intel, fail_to_alloc, "0x70000003"},
		{"hlthunk_open", &gpu_habana, fail_to_choose, "status -19 of hl-thunk"},
		{"hlthunk_device_memory_alloc", &gpu_habana, fail_to_alloc, "4096 bytes: hl-thunk has none"},
		{"", &gpu_habana, fail_to_copy, "hl-thunk has no copies"},
		{"nrt_get_visible_nc_count", &gpu_neuron, probe_nothing, "status 1 of the Neuron runtime"},
		{"nrt_init", &gpu_neuron, fail_to_choose, "status 2 of the Neuron runtime"},
		{"nrt_tensor_allocate", &gpu_neuron, fail_to_alloc, "4096 bytes: status 4 of the Neuron runtime"},
		{"nrt_tensor_get_va", &gpu_neuron, fail_to_alloc, "4096 bytes: the tensor has no address"},
		{"cnInit", &gpu_mlu, probe_nothing, "CN_ERROR_NOT_INITIALIZED"},
		{"cnSharedContextAcquire", &gpu_mlu, fail_to_choose, "CN_ERROR_INVALID_DEVICE"},
		{"cnMalloc", &gpu_mlu, fail_to_alloc, "4096 bytes: CN_MEMORY_ERROR_OUT_OF_MEMORY"},
		{"muInit", &gpu_musa, probe_nothing, "MUSA_ERROR_NOT_INITIALIZED"},
		{"muDevicePrimaryCtxRetain", &gpu_musa, fail_to_choose, "MUSA_ERROR_INVALID_DEVICE"},
		{"muMemAlloc_v2", &gpu_musa, fail_to_alloc, "4096 bytes: MUSA_ERROR_OUT_OF_MEMORY"},
		{"clGetPlatformIDs", &gpu_opencl, probe_nothing, "error -5 of OpenCL"},
		{"clCreateContext", &gpu_opencl, fail_to_choose, "error -33 of OpenCL"},
		{"clSVMAlloc", &gpu_opencl, fail_to_alloc,
		 "OpenCL cannot allocate shared memory for a buffer of 4096 bytes"},
	};

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

TEST(what_a_library_lacks_is_named)
{
	void *init = NULL, *other = NULL, *older = NULL, *none = NULL;
	const struct library_symbol good[] = {LIBRARY_ROW("cuInit", init),
					      LIBRARY_ROW("cuOfTomorrow", older, .older = "cuMemFreeHost"),
					      LIBRARY_ROW("cuOfTheDayAfter", none, .is_optional = true),
					      {.name = NULL}},
				    bad[] = {LIBRARY_ROW("cuInit", init),
					     LIBRARY_ROW("cuOfTomorrow", other),
					     {.name = NULL}},
				    versioned[] = {LIBRARY_ROW("cuInit", init, .version = "CUDA_99"), {.name = NULL}};
	struct gpu_kind kind = {
		.name = "Vendor", .libraries = {{{"libnowhere.so.1"}, good, "a box", false}}, .start = start_nothing};
	char reason[REASON_SIZE];

	assert_int_equal(gpu_probe(&kind, reason, sizeof(reason)), -ENOENT);
	assert_string_equal(reason, "Vendor needs libnowhere.so.1, which comes with a box and cannot be loaded");
	kind.libraries[0].files[0] = "/dev/null";
	kind.libraries[0].files[1] = "libnowhere.so.1";
	assert_int_equal(gpu_probe(&kind, reason, sizeof(reason)), -ENOENT);
	assert_non_null(strstr(reason, "cannot be loaded: /dev/null: "));
	kind.libraries[0].is_optional = true;
	assert_int_equal(gpu_probe(&kind, reason, sizeof(reason)), -ENOENT);
	assert_string_equal(reason, "Vendor: no device");
	kind.libraries[0].files[0] = "libnowhere.so.1";
	kind.libraries[0].files[1] = "libcuda.so.1";
	kind.libraries[0].symbols = bad;
	assert_int_equal(gpu_probe(&kind, reason, sizeof(reason)), -ENOENT);
	assert_string_equal(reason, "Vendor needs cuOfTomorrow() of libcuda.so.1, which the installed version does not "
				    "have; install a newer one of a box");
	kind.libraries[0].symbols = versioned;
	assert_int_equal(gpu_probe(&kind, reason, sizeof(reason)), -ENOENT);
	assert_non_null(strstr(reason, "Vendor needs cuInit() of libcuda.so.1, which the installed version does not "));
	kind.libraries[0].symbols = good;
	assert_int_equal(gpu_probe(&kind, reason, sizeof(reason)), -ENOENT);
	assert_string_equal(reason, "Vendor: no device");
	assert_non_null(init);
	assert_non_null(older);
	assert_null(none);
}

/* --- what CUDA has beside memory of the GPU --- */

/* context: which memory. */
static void copy_in_kind(const struct gpu_kind *kind, const void *context)
{
	const struct cuda_choice choice = {.memory = *(const enum cuda_memory *)context};
	const bool is_far = choice.memory == CUDA_MEMORY_DEVICE || choice.memory == CUDA_MEMORY_MANAGED;
	const char in[] = "from here", *out;
	char reason[REASON_SIZE], there[sizeof(in)];
	struct buffer buffer;

	gpu_nvidia_want(&choice);
	CHECK(gpu_probe(kind, reason, sizeof(reason)) == 0);
	CHECK(gpu_choose_at(kind, "0000:99:00.0") == -EIO);
	CHECK(gpu_choose_at(kind, "3c:00.0") == 0);
	CHECK(buffer_open(&buffer, gpu_nvidia_memory(choice.memory), 100, NULL) == 0);
	CHECK((uintptr_t)buffer.addr % 4096 == 0 && buffer.fd == -1);
	CHECK(buffer.ops->is_far == is_far);
	buffer_copy_in(&buffer, buffer.addr + 1, in, sizeof(in));
	out = is_far ? in : (const char *)buffer.addr + 1;
	CHECK(strcmp(out, in) == 0);
	buffer_copy_out(&buffer, there, buffer.addr + 1, sizeof(in));
	CHECK(strcmp(there, in) == 0);
	CHECK(!buffer.ops->begin || buffer.ops->begin(&buffer) == 0);
	CHECK(!buffer.touch);
	buffer_close(&buffer);
}

TEST(each_memory_of_cuda_is_reached)
{
	static const enum cuda_memory all[] = {CUDA_MEMORY_DEVICE, CUDA_MEMORY_MANAGED, CUDA_MEMORY_HOST,
					       CUDA_MEMORY_MALLOC};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		in_a_child(copy_in_kind, &gpu_nvidia, &all[i]);
	/* one without memory of its own takes the host's */
	setenv("GPU_STANDIN_INTEGRATED", "1", 1);
	setenv("GPU_STANDIN_PLAIN", "1", 1);
	in_a_child(copy_in_kind, &gpu_nvidia, &all[0]);
	unsetenv("GPU_STANDIN_PLAIN");
	unsetenv("GPU_STANDIN_INTEGRATED");
}

/* Another thread has no context yet. */
static void *copy_in_thread(void *given)
{
	struct buffer *buffer = given;

	buffer_copy_in(buffer, buffer->addr, "thread", 7);
	return NULL;
}

static void copy_from_a_thread(const struct gpu_kind *kind, const void *context)
{
	char reason[REASON_SIZE], there[7] = "";
	struct buffer buffer;
	pthread_t thread;

	CHECK(gpu_probe(kind, reason, sizeof(reason)) == 0);
	CHECK(choose(kind, 1) == 0);
	CHECK(buffer_open(&buffer, kind->memory, 100, NULL) == 0);
	CHECK(pthread_create(&thread, NULL, copy_in_thread, &buffer) == 0);
	CHECK(pthread_join(thread, NULL) == 0);
	buffer_copy_out(&buffer, there, buffer.addr, sizeof(there));
	CHECK(strcmp(there, "thread") == 0);
	buffer_close(&buffer);
}

TEST(any_thread_may_copy)
{
	for (size_t i = 0; i < KINDS; i++)
		if (kinds[i] != &gpu_habana)
			in_a_child(copy_from_a_thread, kinds[i], NULL);
}

struct touch_case {
	enum cuda_memory memory;
	enum gpu_touch touch;
	const char *words; /* why it fails; NULL: it does not */
};

static void touch_pages(const struct gpu_kind *kind, const void *context)
{
	const struct touch_case *one = context;
	const struct cuda_choice choice = {.memory = one->memory, .touch = one->touch};
	char reason[REASON_SIZE];
	struct buffer buffer;

	gpu_nvidia_want(&choice);
	CHECK(gpu_probe(kind, reason, sizeof(reason)) == 0);
	CHECK(gpu_choose(kind, 0) == 0);
	CHECK(buffer_open(&buffer, gpu_nvidia_memory(choice.memory), 10000, NULL) == 0);
	if (one->words) {
		CHECK(buffer.ops->begin(&buffer) < 0);
		CHECK(strstr(log_last_error(), one->words));
	} else {
		CHECK(buffer.ops->begin(&buffer) == 0);
	}
	buffer_close(&buffer);
}

/* Returns how often the kernel went over its pages; 0: it did not run. */
static unsigned long touched(const struct touch_case *one, const char *variable, const char *value)
{
	char path[] = "/tmp/test_gpu.XXXXXX";
	unsigned long rounds = 0, pages = 0;
	FILE *file;

	assert_true(mkstemp(path) >= 0); /* closed with the test */
	setenv("GPU_STANDIN_TOUCHED", path, 1);
	setenv(variable, value, 1);
	in_a_child(touch_pages, &gpu_nvidia, one);
	unsetenv(variable);
	unsetenv("GPU_STANDIN_TOUCHED");
	file = fopen(path, "re");
	assert_non_null(file);
	if (fscanf(file, "%lu rounds over %lu pages", &rounds, &pages) == 2)
		assert_int_equal(pages, 3);
	fclose(file);
	unlink(path);
	return rounds;
}

TEST(a_kernel_uses_pages_that_move)
{
	static const struct touch_case once = {CUDA_MEMORY_MANAGED, GPU_TOUCH_ONCE, NULL},
				       infinite = {CUDA_MEMORY_MALLOC, GPU_TOUCH_INFINITE, NULL},
				       no_launch = {CUDA_MEMORY_MANAGED, GPU_TOUCH_ONCE, "CUDA_ERROR_"},
				       no_kernel = {CUDA_MEMORY_MALLOC, GPU_TOUCH_INFINITE, "CUDA_ERROR_"},
				       no_reach = {CUDA_MEMORY_MALLOC, GPU_TOUCH_ONCE, "--cuda_mem_type=managed"};

	assert_int_equal(touched(&once, "GPU_STANDIN_FAIL", ""), 1);
	assert_true(touched(&infinite, "GPU_STANDIN_FAIL", "") >= 1);
	assert_int_equal(touched(&no_launch, "GPU_STANDIN_FAIL", "cuLaunchKernel"), 0);
	assert_int_equal(touched(&no_kernel, "GPU_STANDIN_FAIL", "cuModuleLoadData"), 0);
	assert_int_equal(touched(&no_reach, "GPU_STANDIN_PAGEABLE", "0"), 0);
}

/* All calls that wait for what runs on the device come before the first kernel, or when all were told to end. */
static void touch_several(const struct gpu_kind *kind, const void *context)
{
	const struct cuda_choice choice = {.memory = CUDA_MEMORY_MANAGED, .touch = GPU_TOUCH_INFINITE};
	char reason[REASON_SIZE];
	struct buffer buffers[3];

	gpu_nvidia_want(&choice);
	CHECK(gpu_probe(kind, reason, sizeof(reason)) == 0);
	CHECK(gpu_choose(kind, 0) == 0);
	for (unsigned round = 0; round < 2; round++) {
		for (unsigned i = 0; i < 3; i++)
			CHECK(buffer_open(&buffers[i], gpu_nvidia_memory(choice.memory), 10000, NULL) == 0);
		for (unsigned i = 0; i < 3; i++)
			CHECK(buffers[i].ops->begin(&buffers[i]) == 0);
		for (unsigned i = 0; i < 3; i++)
			buffer_close(&buffers[i]);
	}
}

TEST(kernels_of_several_buffers_end_together)
{
	in_a_child(touch_several, &gpu_nvidia, NULL);
}

static void map_by_pcie(const struct gpu_kind *kind, const void *words)
{
	const struct cuda_choice choice = {.pcie_mapping = true};
	char reason[REASON_SIZE];
	struct buffer buffer;

	gpu_nvidia_want(&choice);
	CHECK(gpu_probe(kind, reason, sizeof(reason)) == 0);
	if (words) {
		CHECK(gpu_choose(kind, 0) == -EIO);
		CHECK(strstr(log_last_error(), words));
		return;
	}
	CHECK(gpu_choose(kind, 0) == 0);
	CHECK(buffer_open(&buffer, kind->memory, 100, NULL) == 0);
	CHECK(buffer.fd >= 0);
	buffer_close(&buffer);
}

TEST(an_old_driver_maps_nothing_by_pcie)
{
	setenv("GPU_STANDIN_DMABUF", "1", 1);
	in_a_child(map_by_pcie, &gpu_nvidia, NULL);
	setenv("GPU_STANDIN_VERSION", "12040", 1);
	in_a_child(map_by_pcie, &gpu_nvidia,
		   "its driver supports CUDA 12.4, but mapping a dmabuf through PCIe needs 12.8");
	unsetenv("GPU_STANDIN_VERSION");
	unsetenv("GPU_STANDIN_DMABUF");
}

/* --- what OpenCL has --- */

static void want_platform(const struct gpu_kind *kind, const void *words)
{
	char reason[REASON_SIZE];

	gpu_opencl_want(2, GPU_TOUCH_NONE);
	CHECK(gpu_probe(kind, reason, sizeof(reason)) == -ENOENT);
	CHECK(strstr(reason, words));
}

static void move_pages(const struct gpu_kind *kind, const void *words)
{
	char reason[REASON_SIZE];
	struct buffer buffer;

	gpu_opencl_want(1, GPU_TOUCH_INFINITE);
	CHECK(gpu_probe(kind, reason, sizeof(reason)) == 0);
	CHECK(gpu_choose(kind, 0) == 0);
	CHECK(buffer_open(&buffer, kind->memory, 100, NULL) == 0);
	CHECK(buffer.ops->begin(&buffer) == (words ? -EIO : 0));
	CHECK(!words || strstr(log_last_error(), words));
	buffer_close(&buffer);
}

TEST(opencl_shares_memory_or_says_why_not)
{
	in_a_child(want_platform, &gpu_opencl, "there is no platform 2: the last one is 1");
	in_a_child(move_pages, &gpu_opencl, NULL);
	setenv("GPU_STANDIN_FAIL", "clEnqueueSVMMigrateMem", 1);
	in_a_child(move_pages, &gpu_opencl, "cannot move pages to the OpenCL device: error -30");
	unsetenv("GPU_STANDIN_FAIL");
	setenv("GPU_STANDIN_SVM", "3", 1); /* of buffers alone */
	in_a_child(move_pages, &gpu_opencl, NULL);
	setenv("GPU_STANDIN_SVM", "1", 1);
	in_a_child(fail_to_choose, &gpu_opencl, "it shares no memory with the CPU");
	unsetenv("GPU_STANDIN_SVM");
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
	CHECK(strstr(log_last_error(), "AMD: no device; NVIDIA: no device; INTEL: no device"));
}

TEST(the_kind_is_found_by_name_or_in_order)
{
	static const enum gpu_type types[] = {GPU_AUTO, GPU_NVIDIA, GPU_INTEL};

	in_a_child(find_one, &gpu_amd, &types[0]);
	in_a_child(find_one, &gpu_nvidia, &types[1]);
	in_a_child(find_one, &gpu_intel, &types[2]);
	setenv("GPU_STANDIN_DEVICES", "0", 1);
	in_a_child(find_none, &gpu_amd, NULL);
	unsetenv("GPU_STANDIN_DEVICES");
}

TEST_MAIN(NULL, NULL)
