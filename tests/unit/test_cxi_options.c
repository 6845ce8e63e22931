// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Does the table accept exactly what the manual page allows; does the environment supply the rest; and are sends placed
 * as the rule says?
 */
#include "cmocka_all.h"
#include "cxi/buffers.h"
#include "cxi/parameters.h"

#define MAX_WORDS 16

/* 0, or -EINVAL with a reason; text: words with one blank between. */
static int parse(struct cxi_params *params, const char *text, char *reason, size_t reason_size)
{
	static char words[512];
	char *argv[MAX_WORDS + 2] = {"cxi_send_bw"};
	const char *broken;
	int argc = 1;

	snprintf(words, sizeof(words), "%s", text);
	for (char *word = strtok(words, " "); word && argc <= MAX_WORDS; word = strtok(NULL, " "))
		argv[argc++] = word;
	cxi_params_init(params);
	if (cxi_params_parse(params, argc, argv, reason, reason_size))
		return -1;
	broken = cxi_rules_check(params);
	if (!broken)
		return 0;
	snprintf(reason, reason_size, "%s", broken);
	return -1;
}

TEST(defaults_are_the_manual_pages)
{
	struct cxi_params params;
	struct sweep sizes;
	char reason[1024];

	assert_int_equal(parse(&params, "", reason, sizeof(reason)), 0);
	sizes = cxi_sizes(&params);
	assert_int_equal(sizes.first, 65536);
	assert_int_equal(sizes.last, 65536);
	assert_int_equal(params.port, 49194);
	assert_int_equal(params.place.svc_id, 1);
	assert_int_equal(params.iters, 1000);
	assert_int_equal(params.duration_s, 0);
	assert_int_equal(params.list, 256);
	assert_int_equal(params.buf_size, 4294967296);
	assert_int_equal(params.buf_align, 64);
	assert_int_equal(params.huge_pages, HUGE_OFF);
	assert_int_equal(params.tx_gpu, CXI_NO_GPU);
	assert_false(params.no_idc || params.rdzv || params.bidirectional || params.verify);
}

static const char *const taken[] = {
	"-s 1",
	"-s 4294967295",
	"-s 1:2147483648 --buf-sz 4G",
	"-s 64K",
	"-s 1024:1024",
	"-s 4K:1M:*4",
	"--sizes 64:1K:64",
	"-s 1:2:4",
	"-l 1",
	"-l 16382",
	"-n 1",
	"-D 4294967295",
	"-D 5 host",
	"host -D 5",
	"-v 2147483647",
	"-t 0 -g amd",
	"-r 255 -g NVIDIA",
	"-g Intel -t 1",
	"--use-hp 2m",
	"--use-hp=1G",
	"--buf-align 3",
	"--buf-sz 65536",
	"-d cxi12",
	"-d eth0 --provider tcp",
	"-R -b",
	"--no-idc --rdzv",
	"--provider cxi -v 3",
	"-p 1",
	"--ipv6-addr ::1",
	"-p 7 [::1]:7",
	"host:7",
	"--repeat 1000 --steady",
	"--keep_serving",
	"--until 2 --max_repeats 20 --max_time 5 --limit_bw 2.5 --limit_msgrate 1 --cpu_util --timestamps",
};

static const char *const refused[] = {
	"-s 0",
	"-s 4294967296",
	"-s 1k5",
	"-s 1:",
	"-s :1",
	"-s 3:4",
	"-s 4:6",
	"-s 8:4",
	"-s 1:2:",
	"-s 1:2:*1",
	"-s 1:2000:1",
	"-s 1:4G:*2",
	"-s -1",
	"-s 1.5",
	"-l 0",
	"-l 16383",
	"-l 65537",
	"-n 0",
	"-n 1x",
	"-D 0",
	"-D 4294967296",
	"-v 0",
	"-v 2147483648",
	"-t 256",
	"-t -1",
	"-g Intel",
	"-g matrox -t 0",
	"--use-hp 4M",
	"--buf-align 0",
	"--buf-sz 0",
	"--buf-sz 65535",
	"--keep_serving host",
	"-d eth0",
	"-d cxi",
	"-d cxi1x",
	"-R --provider tcp",
	"-v 2 --provider shm",
	"-p 0",
	"-p 65536",
	"a b",
	"--emu-mode",
	"--provider a,b",
	"--provider ^tcp",
	"-n 5 -n 6",
	"-p 7 host:8",
	"host:0",
	"--repeat 3 --until 2",
	"--repeat 3 --max_repeats 20",
	"--max_time 5",
	"--steady",
	"--repeat 2 --report_interval 1",
	"[::1",
};

TEST(what_is_taken_and_refused)
{
	struct cxi_params params;
	char reason[1024];

	for (unsigned i = 0; i < sizeof(taken) / sizeof(taken[0]); i++)
		if (parse(&params, taken[i], reason, sizeof(reason)))
			fail_msg("%s: %s", taken[i], reason);
	for (unsigned i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
		if (!parse(&params, refused[i], reason, sizeof(reason)))
			fail_msg("%s is taken", refused[i]);
}

static const char *devices, *services, *vnis;

static char *variable(const char *name)
{
	const char *value = strcmp(name, "SLINGSHOT_DEVICES") == 0   ? devices
			    : strcmp(name, "SLINGSHOT_SVC_IDS") == 0 ? services
			    : strcmp(name, "SLINGSHOT_VNIS") == 0    ? vnis
								     : NULL;

	return (char *)(uintptr_t)value;
}

static const struct {
	const char *words, *devices, *services, *vnis;
	const char *device; /* NULL: refused */
	unsigned svc_id, vni;
} surroundings[] = {
	{"", NULL, NULL, NULL, "cxi0", 1, 0},
	{"", "cxi2,cxi3", "5,6", "100,200", "cxi2", 5, 100},
	{"-d cxi3", "cxi2,cxi3", "5,6", "100,200", "cxi3", 6, 100}, /* the VNIs are the job's */
	{"-d cxi7", "cxi2,cxi3", "5,6", "100", "cxi7", 5, 100},
	{"-v 9", "cxi2", "5", "100", "cxi2", 9, 0}, /* a VNI of another service */
	{"", "cxi2", "none", NULL, NULL, 0, 0},
	{"", "cxi2", "5", "65536", NULL, 0, 0},
	{"-v 9", "cxi2", "none", NULL, "cxi2", 9, 0},
	{"--provider tcp", "cxi2", "none", "none", "", 1, 0}, /* none of its business */
	{"--provider cxi", "cxi2,cxi3", "5,6", "100,200", "cxi2", 5, 100},
};

TEST(the_environment_fills_in)
{
	for (unsigned i = 0; i < sizeof(surroundings) / sizeof(surroundings[0]); i++) {
		struct cxi_params params;
		char reason[1024];
		int ret;

		assert_int_equal(parse(&params, surroundings[i].words, reason, sizeof(reason)), 0);
		devices = surroundings[i].devices;
		services = surroundings[i].services;
		vnis = surroundings[i].vnis;
		ret = cxi_params_environment(&params, variable, reason, sizeof(reason));
		assert_int_equal(ret != 0, surroundings[i].device == NULL);
		if (ret)
			continue;
		assert_string_equal(params.place.device, surroundings[i].device);
		assert_int_equal(params.place.svc_id, surroundings[i].svc_id);
		assert_int_equal(params.place.vni, surroundings[i].vni);
	}
}

TEST(options_travel)
{
	struct cxi_params client, server;
	char text[CXI_OPTIONS_SIZE], reason[1024];

	assert_int_equal(
		parse(&client, "-s 1:1024 -D 7 -l 9 -b --no-idc --use-hp 2M -p 5 host", reason, sizeof(reason)), 0);
	cxi_options_export(&client, text);
	assert_int_equal(parse(&server, "-p 6 -D 7", reason, sizeof(reason)), 0);
	assert_int_equal(cxi_options_adopt(&server, text, reason, sizeof(reason)), 0);
	assert_string_equal(server.size, "1:1024");
	assert_int_equal(server.duration_s, 7);
	assert_int_equal(server.list, 9);
	assert_true(server.bidirectional && server.no_idc && !server.verify);
	assert_int_equal(server.huge_pages, HUGE_2M);
	assert_int_equal(server.port, 6); /* its own */
	/* What a server does for its client's figures follows the client. */
	assert_int_equal(parse(&server, "--explain", reason, sizeof(reason)), 0);
	assert_int_equal(cxi_options_adopt(&server, text, reason, sizeof(reason)), 0);
	assert_false(server.explain);
	/* A contradiction is named with both values, and changes nothing. */
	assert_int_equal(parse(&server, "-l 10", reason, sizeof(reason)), 0);
	assert_int_not_equal(cxi_options_adopt(&server, text, reason, sizeof(reason)), 0);
	assert_non_null(strstr(reason, "10 on the server and 9 on the client"));
	assert_string_equal(server.size, "65536");
}

TEST(options_of_others_are_checked)
{
	static const char *const bad[] = {
		"size=0\n",	      "size=65536",    "=5\n",	      "size\n",
		"port=5\n",	      "device=cxi1\n", "nothing=1\n", "list-size=70000\n",
		"iters=5\nsize=1x\n", "buf-sz=5\n",    "\n",
	};
	struct cxi_params params, before;
	char reason[1024];

	cxi_params_init(&params);
	before = params;
	for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_not_equal(cxi_options_adopt(&params, bad[i], reason, sizeof(reason)), 0);
		assert_memory_equal(&params, &before, sizeof(params));
	}
}

/* --- buffers --- */

static const struct {
	const char *words;
	uint64_t size, page, length, granularity, slots;
} layouts[] = {
	{"", 65536, 4096, 16777216, 65536, 256},
	{"-s 1", 1, 4096, 16384, 64, 256},
	{"--buf-sz 1000000", 65536, 4096, 1003520, 65536, 15}, /* the window is not what is mapped */
	{"--buf-sz 65536", 65536, 4096, 65536, 65536, 1},
	{"-s 65 --buf-align 64 --buf-sz 128", 65, 4096, 4096, 128, 1},
	{"-s 65 --buf-align 64 --buf-sz 100", 65, 4096, 4096, 128, 1}, /* what follows the only send need not fit */
	{"-s 1:65536", 1, 4096, 16777216, 64, 256},
	{"-s 100 --buf-align 7 -l 3", 100, 4096, 4096, 105, 3},
	{"--use-hp 2M -s 4096 -l 3", 4096, 2097152, 2097152, 4096, 3},
};

TEST(sends_lie_by_the_rule)
{
	for (unsigned i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++) {
		struct cxi_buffers buffers = {0};
		struct cxi_params params;
		struct cxi_run run;
		char reason[1024];

		assert_int_equal(parse(&params, layouts[i].words, reason, sizeof(reason)), 0);
		buffers.length = cxi_buffer_length(&params, layouts[i].page);
		assert_int_equal(buffers.length, layouts[i].length);
		buffers.limit = buffers.length < params.buf_size ? buffers.length : params.buf_size;
		run = cxi_run_layout(&params, &buffers, layouts[i].size);
		assert_int_equal(run.granularity, layouts[i].granularity);
		assert_int_equal(run.slots, layouts[i].slots);
		assert_true((run.slots - 1) * run.granularity + run.size <= buffers.length);
	}
}

/* Sends never overlap but where they must, and end within the window, whatever the options. */
TEST(sends_stay_inside)
{
	uint64_t seed = 1;

	for (unsigned i = 0; i < 20000; i++) {
		struct cxi_params params = {0};
		struct cxi_buffers buffers = {0};
		struct cxi_run run;

		seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
		params.list = (uint16_t)(1 + (seed >> 40) % CXI_MAX_LIST);
		params.buf_align = 1 + (seed >> 13) % (1ULL << (seed >> 58) % 32);
		snprintf(params.size, sizeof(params.size), "%llu",
			 (unsigned long long)(1 + (seed >> 7) % (1ULL << (seed >> 53) % 32)));
		run.size = cxi_sizes(&params).last;
		params.buf_size = run.size + (seed >> 3) % (1ULL << (seed >> 48) % 34);
		buffers.length = cxi_buffer_length(&params, 4096);
		buffers.limit = buffers.length < params.buf_size ? buffers.length : params.buf_size;
		run = cxi_run_layout(&params, &buffers, run.size);
		assert_true(run.slots >= 1 && run.slots <= params.list);
		assert_true(run.granularity >= run.size && run.granularity % params.buf_align == 0);
		assert_true((run.slots - 1) * run.granularity + run.size <= buffers.limit);
		assert_true(run.slots == params.list || (run.slots + 1) * run.granularity > buffers.limit);
	}
}

TEST_MAIN(NULL, NULL)
