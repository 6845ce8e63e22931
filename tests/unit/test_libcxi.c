// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Do lists of sends, rendezvous and responses pass through the libcxi transport, byte by byte, and are errors reported?
 * Both sides are links of this process, over the stand-in for libcxi and its NIC in tests/cxi. With two processes:
 * tests/cli/cxi_libcxi.bats.
 */
#include <sched.h>
#include <unistd.h>

#include "cmocka_all.h"
#include "cxi/ops.h"
#include "util/deadline.h"

#define LIMIT_MS 60000

enum { CLIENT, SERVER, SIDES };

struct side {
	struct cxi_link link;
	struct buffer tx, rx;
	struct cxi_progress progress;
};

struct test {
	uint64_t size, granularity, slots;
	uint32_t list;
	unsigned lists;
	bool idc, rendezvous, both_ways, one_index;
};

static struct side sides[SIDES];

/* Another one at each byte of a list, and in each direction. */
static uint8_t byte_at(unsigned side, uint64_t at)
{
	return (at * 7 + at / 251 + 13 * side + 1) & 0xff;
}

static void open_side(struct side *side, bool is_server)
{
	const struct cxi_place place = {.is_server = is_server};

	*side = (struct side){.link.ops = &cxi_libcxi_ops};
	assert_int_equal(side->link.ops->open(&side->link, &place), 0);
}

static struct cxi_plan plan_of(const struct test *test, bool is_server)
{
	return (struct cxi_plan){
		.sends = test->both_ways || !is_server,
		.receives = test->both_ways || is_server,
		.idc = test->idc,
		.rendezvous = test->rendezvous,
		.one_index = test->one_index,
		.list = test->list,
		.max_size = test->size,
	};
}

/* Up to connect(): 0, or what failed first, in *link. */
static int join(const struct test *test, const struct cxi_link **failed)
{
	uint64_t bytes = test->granularity * test->slots;
	struct cxi_address addresses[SIDES];
	int err = 0;

	for (unsigned i = 0; i < SIDES && !err; i++) {
		struct side *side = &sides[i];
		struct cxi_plan plan = plan_of(test, i == SERVER);

		*failed = &side->link;
		open_side(side, i == SERVER);
		assert_int_equal(buffer_open(&side->tx, &memory_host, plan.sends ? bytes : 4096, NULL), 0);
		assert_int_equal(buffer_open(&side->rx, &memory_host, plan.receives ? bytes : 4096, NULL), 0);
		for (uint64_t at = 0; at < side->tx.length; at++)
			side->tx.addr[at] = byte_at(i, at);
		err = side->link.ops->map(&side->link, &plan, &side->tx, &side->rx);
		addresses[i] = side->link.address;
		/* HPE's program tells no more. */
		if (test->one_index)
			addresses[i].length = 8;
	}
	for (unsigned i = 0; i < SIDES && !err; i++) {
		*failed = &sides[i].link;
		err = sides[i].link.ops->connect(&sides[i].link, &addresses[!i]);
	}
	return err;
}

static void leave(void)
{
	for (unsigned i = 0; i < SIDES; i++) {
		if (sides[i].link.private)
			sides[i].link.ops->close(&sides[i].link);
		buffer_close(&sides[i].tx);
		buffer_close(&sides[i].rx);
	}
}

static int poll_both(const struct cxi_link **failed)
{
	for (unsigned i = 0; i < SIDES; i++) {
		int err = sides[i].link.ops->poll(&sides[i].link, &sides[i].progress);

		*failed = &sides[i].link;
		if (err)
			return err;
	}
	/* The stand-ins' two threads may share a CPU with this one. */
	sched_yield();
	return 0;
}

/* Each list that has come is checked, wiped and answered; the next one leaves when it is. */
static int run_lists(const struct test *test, const struct cxi_link **failed)
{
	const struct cxi_run run = {.size = test->size, .granularity = test->granularity, .slots = test->slots};
	unsigned started[SIDES] = {0}, answered[SIDES] = {0};
	struct deadline deadline = deadline_in_ms(LIMIT_MS);
	bool done = false;

	for (unsigned i = 0; i < SIDES; i++)
		assert_int_equal(sides[i].link.ops->prepare(&sides[i].link, &run), 0);
	while (!done) {
		int err = poll_both(failed);

		if (err)
			return err;
		if (deadline_passed(deadline))
			return -ETIMEDOUT;
		done = true;
		for (unsigned i = 0; i < SIDES; i++) {
			struct side *side = &sides[i];
			bool sends = test->both_ways || i == CLIENT, receives = test->both_ways || i == SERVER;

			*failed = &side->link;
			if (sends && started[i] < test->lists && side->progress.sent == started[i] &&
			    side->progress.responses == started[i]) {
				err = side->link.ops->start(&side->link);
				started[i]++;
			}
			if (!err && receives && side->progress.received > answered[i]) {
				for (uint64_t at = 0; at < test->granularity * test->slots; at++) {
					bool is_sent = at % test->granularity < test->size;

					assert_int_equal(side->rx.addr[at], is_sent ? byte_at(!i, at) : 0);
				}
				memset(side->rx.addr, 0, side->rx.length);
				err = side->link.ops->respond(&side->link);
				answered[i]++;
			}
			if (err)
				return err;
			done &= !sends ||
				(side->progress.sent == test->lists && side->progress.responses == test->lists);
			done &= !receives || side->progress.responded == test->lists;
		}
	}
	return 0;
}

/* What the stand-in counted at a side that is closed. */
static unsigned long long count(unsigned side, const char *name)
{
	char path[64], line[128], key[64];
	unsigned long long value;
	bool found = false;
	FILE *file;

	snprintf(path, sizeof(path), "%s.%u", getenv("CXI_STANDIN_REPORT"), side);
	file = fopen(path, "r");
	assert_non_null(file);
	while (!found && fgets(line, sizeof(line), file))
		found = sscanf(line, "%63s %llu", key, &value) == 2 && strcmp(key, name) == 0;
	fclose(file);
	assert_true(found);
	return value;
}

static void assert_nothing_wrong(void)
{
	for (unsigned i = 0; i < SIDES; i++) {
		assert_int_equal(count(i, "violations"), 0);
		assert_int_equal(count(i, "left_objects"), 0);
		assert_int_equal(count(i, "lost_events"), 0);
	}
}

static void goes_through(const struct test *test)
{
	const struct cxi_link *failed = NULL;
	int err = join(test, &failed);

	if (!err)
		err = run_lists(test, &failed);
	if (err)
		fail_msg("size %llu: %d: %s", (unsigned long long)test->size, err, failed->fault);
	leave();
	assert_nothing_wrong();
}

TEST(immediate_data_ends_at_192_bytes)
{
	goes_through(&(struct test){.size = 192, .granularity = 192, .slots = 8, .list = 8, .lists = 3, .idc = true});
	assert_int_equal(count(CLIENT, "idc_puts"), 24);
	assert_int_equal(count(CLIENT, "dma_puts"), 0);
	assert_int_equal(count(CLIENT, "states"), 1);
	goes_through(&(struct test){.size = 193, .granularity = 256, .slots = 8, .list = 8, .lists = 3, .idc = true});
	assert_int_equal(count(CLIENT, "idc_puts"), 0);
	assert_int_equal(count(CLIENT, "dma_puts"), 24);
	goes_through(&(struct test){.size = 8, .granularity = 64, .slots = 8, .list = 8, .lists = 3});
	assert_int_equal(count(CLIENT, "dma_puts"), 24);
	assert_int_equal(count(CLIENT, "states"), 0);
}

/* The server's responses are DMA commands, without bytes. */
TEST(a_list_takes_one_doorbell)
{
	goes_through(&(struct test){.size = 64, .granularity = 64, .slots = 64, .list = 64, .lists = 10});
	assert_int_equal(count(CLIENT, "commands"), 640);
	assert_int_equal(count(CLIENT, "largest_batch"), 64);
	assert_int_equal(count(CLIENT, "doorbells"), 10);
	assert_int_equal(count(SERVER, "commands"), 10);
	assert_int_equal(count(SERVER, "doorbells"), 10);
}

/* Rings wrap in both directions, with commands of 256 bytes and slots that are used again. */
TEST(rings_wrap)
{
	goes_through(&(struct test){
		.size = 150, .granularity = 160, .slots = 5, .list = 40, .lists = 40, .idc = true, .both_ways = true});
	for (unsigned i = 0; i < SIDES; i++) {
		assert_int_equal(count(i, "idc_puts"), 1600);
		assert_true(count(i, "queue_wraps") >= 10);
	}
	/* three events at the initiator and the target for each list, in rings of 64 slots */
	goes_through(&(struct test){
		.size = 1, .granularity = 1, .slots = 1, .list = 1, .lists = 300, .idc = true, .both_ways = true});
	assert_true(count(CLIENT, "event_wraps") >= 8);
}

TEST(rendezvous_gets_come_from_both)
{
	const struct test test = {
		.size = 5000, .granularity = 5056, .slots = 6, .list = 12, .lists = 4, .rendezvous = true};
	struct test both = test;

	both.both_ways = true;
	goes_through(&test);
	assert_int_equal(count(CLIENT, "rendezvous_puts"), 48);
	assert_int_equal(count(SERVER, "hardware_gets"), 48);
	assert_int_equal(count(SERVER, "software_gets"), 0);
	setenv("CXI_STANDIN_GETS", "software", 1);
	goes_through(&test);
	assert_int_equal(count(SERVER, "hardware_gets"), 0);
	assert_int_equal(count(SERVER, "software_gets"), 48);
	setenv("CXI_STANDIN_GETS", "both", 1);
	goes_through(&both);
	for (unsigned i = 0; i < SIDES; i++) {
		assert_int_equal(count(i, "hardware_gets"), 24);
		assert_int_equal(count(i, "software_gets"), 24);
	}
	unsetenv("CXI_STANDIN_GETS");
}

/* As with HPE's program, in both directions: a response must not be taken for a send of a list, or the other way round.
 */
TEST(sends_and_responses_share_an_index)
{
	static const char *const getters[] = {"hardware", "software", "both"};
	struct test test = {.size = 5000, .granularity = 5056, .slots = 6, .list = 12, .lists = 20, .one_index = true};

	for (unsigned ways = 0; ways < 2; ways++) {
		test.both_ways = ways;
		test.rendezvous = false;
		goes_through(&test);
		test.rendezvous = true;
		for (unsigned i = 0; i < sizeof(getters) / sizeof(getters[0]); i++) {
			setenv("CXI_STANDIN_GETS", getters[i], 1);
			goes_through(&test);
		}
		unsetenv("CXI_STANDIN_GETS");
	}
	goes_through(&(struct test){.size = 1,
				    .granularity = 1,
				    .slots = 1,
				    .list = 1,
				    .lists = 50,
				    .idc = true,
				    .both_ways = true,
				    .one_index = true});
}

TEST(the_longest_list_fits)
{
	goes_through(&(struct test){
		.size = 192, .granularity = 192, .slots = 1, .list = CXI_MAX_LIST, .lists = 2, .idc = true});
	assert_int_equal(count(CLIENT, "idc_puts"), 2 * CXI_MAX_LIST);
	assert_true(count(CLIENT, "queue_wraps") >= 1);
}

/* Queues of 64 slots take a list in parts; gets and responses wait for room, too. */
TEST(a_full_queue_goes_on_when_it_has_room)
{
	setenv("CXI_STANDIN_SLOTS", "64", 1);
	goes_through(&(struct test){
		.size = 180, .granularity = 192, .slots = 9, .list = 200, .lists = 5, .idc = true, .both_ways = true});
	assert_int_equal(count(CLIENT, "idc_puts"), 1000);
	assert_true(count(CLIENT, "largest_batch") < 20);
	setenv("CXI_STANDIN_GETS", "software", 1);
	goes_through(&(struct test){.size = 300,
				    .granularity = 320,
				    .slots = 9,
				    .list = 500,
				    .lists = 4,
				    .rendezvous = true,
				    .both_ways = true});
	assert_int_equal(count(SERVER, "software_gets"), 2000);
	unsetenv("CXI_STANDIN_GETS");
	unsetenv("CXI_STANDIN_SLOTS");
}

TEST(the_sides_know_where_they_are)
{
	const struct test test = {.size = 8, .granularity = 64, .slots = 1, .list = 1, .lists = 1};
	const struct cxi_link *failed;

	setenv("CXI_STANDIN_SERVICE", "10,20", 1);
	assert_int_equal(join(&test, &failed), 0);
	assert_string_equal(sides[SERVER].link.own_text, "NIC 0x12 PID 1 VNI 10");
	assert_string_equal(sides[SERVER].link.peer_text, "NIC 0x12 PID 0");
	assert_true(sides[CLIENT].link.is_loopback);
	assert_non_null(strstr(sides[CLIENT].link.library, "libcxi.so.1"));
	leave();
	unsetenv("CXI_STANDIN_SERVICE");
}

/* An address from outside is taken only if it can be one. */
TEST(bad_addresses_are_refused)
{
	static const struct {
		uint16_t length;
		uint8_t at, value; /* one byte of a good one is another */
		const char *words;
	} cases[] = {
		{15, 0, 0, "15 bytes"}, {16, 0, 1, "NIC 0x1000012"},	 {16, 6, 2, "PID 512"},
		{16, 11, 99, "VNI 99"}, {16, 14, 1, "portal index 511"}, {16, 12, 1, "portal index 16777471"},
	};
	const struct test test = {.size = 8, .granularity = 64, .slots = 1, .list = 1, .lists = 1};
	const struct cxi_link *failed;

	assert_int_equal(join(&test, &failed), 0);
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct cxi_link *link = &sides[CLIENT].link;
		struct cxi_address address;

		address = link->address;
		address.length = cases[i].length;
		if (address.length == 16 && address.bytes[cases[i].at] != cases[i].value)
			address.bytes[cases[i].at] = cases[i].value;
		/* index 511 has 9 of the 8 bits that PIDs of 9 bits leave */
		assert_int_equal(cxi_libcxi_ops.connect(link, &address), -EPROTO);
		if (!strstr(link->fault, cases[i].words))
			fail_msg("'%s' does not say '%s'", link->fault, cases[i].words);
	}
	leave();
}

/* What an error of any call comes to: a sentence, and everything given back. */
TEST(each_call_may_fail)
{
	static const struct {
		const char *call;
		unsigned times; /* that a side calls it */
	} cases[] = {
		{"cxil_alloc_trig_cp", 1}, {"cxil_map", 4},	  {"cxil_alloc_evtq", 2}, {"cxil_alloc_ct", 3},
		{"cxil_alloc_cmdq", 3},	   {"cxil_alloc_pte", 2}, {"cxil_map_pte", 2},
	};
	const struct test test = {.size = 8, .granularity = 64, .slots = 1, .list = 1, .lists = 1, .rendezvous = true};

	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		for (unsigned at = 1; at <= cases[i].times; at++) {
			const struct cxi_link *failed = NULL;
			char fault[64];

			snprintf(fault, sizeof(fault), "%s:%d:%u", cases[i].call, ENOSPC, at);
			setenv("CXI_STANDIN_FAIL", fault, 1);
			assert_int_equal(join(&test, &failed), -ENOSPC);
			assert_non_null(strstr(failed->fault, strerror(ENOSPC)));
			leave();
			assert_int_equal(count(CLIENT, "left_objects"), 0);
		}
	}
	unsetenv("CXI_STANDIN_FAIL");
}

static void run_into(const char *name, const char *value, const struct test *test, int error, const char *words)
{
	const struct cxi_link *failed = NULL;
	int err;

	setenv(name, value, 1);
	err = join(test, &failed);
	if (!err)
		err = run_lists(test, &failed);
	if (err != error || !strstr(failed->fault, words))
		fail_msg("%s=%s: %d: '%s' does not say '%s'", name, value, err, failed->fault, words);
	leave();
	unsetenv(name);
}

TEST(what_the_nic_refuses_is_reported)
{
	const struct test test = {.size = 100, .granularity = 128, .slots = 4, .list = 4, .lists = 4, .idc = true};

	run_into("CXI_STANDIN_REFUSE", "6", &test, -EIO, "ACK: no space at the target (return code 16)");
	/* STATE_CHANGE of the first portal never comes */
	run_into("CXI_STANDIN_LOSE", "1", &test, -ETIMEDOUT,
		 "does not answer within 5 s to a command to enable a portal");
}

/* The target does not look at its events before all of a list has been sent: three of each rendezvous. */
TEST(an_event_queue_that_ran_over_is_reported)
{
	const struct test test = {.size = 100, .granularity = 128, .slots = 64, .list = 64, .rendezvous = true};
	const struct cxi_run run = {.size = test.size, .granularity = test.granularity, .slots = test.slots};
	const struct cxi_link *failed;
	struct deadline deadline = deadline_in_ms(LIMIT_MS);

	setenv("CXI_STANDIN_EVENTS", "100", 1);
	assert_int_equal(join(&test, &failed), 0);
	for (unsigned i = 0; i < SIDES; i++)
		assert_int_equal(cxi_libcxi_ops.prepare(&sides[i].link, &run), 0);
	assert_int_equal(cxi_libcxi_ops.start(&sides[CLIENT].link), 0);
	while (sides[CLIENT].progress.sent == 0) {
		assert_false(deadline_passed(deadline));
		assert_int_equal(cxi_libcxi_ops.poll(&sides[CLIENT].link, &sides[CLIENT].progress), 0);
		sched_yield();
	}
	assert_int_equal(cxi_libcxi_ops.poll(&sides[SERVER].link, &sides[SERVER].progress), -EOVERFLOW);
	assert_non_null(strstr(sides[SERVER].link.fault, "events were lost; lower -l"));
	leave();
	assert_true(count(SERVER, "lost_events") > 0);
	unsetenv("CXI_STANDIN_EVENTS");
}

static int start_reports(void **state)
{
	static char key[32], path[] = "/tmp/test_libcxi.XXXXXX", report[64];

	snprintf(key, sizeof(key), "test-%d", getpid());
	setenv("CXI_STANDIN", key, 1);
	if (!mkdtemp(path))
		return -1;
	snprintf(report, sizeof(report), "%s/counts", path);
	return setenv("CXI_STANDIN_REPORT", report, 1);
}

static int end_reports(void **state)
{
	char path[64];

	for (unsigned i = 0; i < SIDES; i++) {
		snprintf(path, sizeof(path), "%s.%u", getenv("CXI_STANDIN_REPORT"), i);
		unlink(path);
	}
	snprintf(path, sizeof(path), "%s", getenv("CXI_STANDIN_REPORT"));
	*strrchr(path, '/') = '\0';
	return rmdir(path);
}

TEST_MAIN(start_reports, end_reports)
