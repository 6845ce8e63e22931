// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What is said about the share of the possible bandwidth, and does each output have it where it should? */
#include <config.h>

#include "report/payload_share.h"

#include <jansson.h>
#include <sys/ioctl.h>

#include "report_rig.h"
#include "terminal.h"

#define SENTENCE "90.0 % of 98.0 Gb/s, the payload limit of MTU 4096 over a link of 100 Gb/s"

static struct payload_path path;
static struct report_row row;

/* 100GbE, RoCE v2: 98.0320 Gb/s for messages of 64 KiB (16 packets with 82 bytes more each, and 16 in the first). */
static int set_up(void **state)
{
	path = (struct payload_path){
		.verb = VERB_WRITE,
		.transport = TRANSPORT_RC,
		.link_gbits = 100,
		.num_links = 1,
		.wire = WIRE_ROCE_V2_IPV4,
		.mtu = 4096,
	};
	setup(state);
	row = fixture_row_bw();
	row.bw_average = 0.9 * 98.0139 * 125e6;
	config.path = &path;
	return 0;
}

static void expect_text(const char *expected)
{
	char text[PAYLOAD_SHARE_TEXT];

	assert_true(payload_share_text(&path, &row, false, text));
	assert_string_equal(text, expected);
}

TEST(test_sentences, set_up, NULL)
{
	char text[PAYLOAD_SHARE_TEXT];

	expect_text(SENTENCE);
	assert_true(payload_share_text(&path, &row, true, text));
	assert_string_equal(text, "90.0 % of 98.0 Gb/s at 65536 bytes, the payload limit of MTU 4096 over a link of "
				  "100 Gb/s");
	path.pcie_rate = 32;
	path.pcie_lanes = 16;
	path.pcie_gbits = 504.123;
	expect_text(SENTENCE " (PCIe 5.0 x16 allows 504.1)");
	path.pcie_bytes = 512;
	path.pcie_writes = true;
	expect_text(SENTENCE " (PCIe 5.0 x16 with payloads of 512 bytes allows 481.6)");
	path.sums = path.bidirectional = true;
	row.bw_average *= 2;
	expect_text("90.0 % of 196.0 Gb/s, the payload limit of MTU 4096 over a link of 100 Gb/s in both directions "
		    "(PCIe 5.0 x16 with payloads of 512 bytes allows 963.1)");
	path.sums = false;
	path.num_links = 2;
	path.link_gbits = 200;
	path.pcie_gbits = 0;
	expect_text("90.0 % of 196.0 Gb/s, the payload limit of MTU 4096 over links of together 200 Gb/s");
	path.link_gbits = 100;
	path.num_links = 1;
	path.pcie_rate = 8;
	path.pcie_lanes = 8;
	path.pcie_gbits = 63.0154;
	path.pcie_bytes = 256;
	row.bw_average = 28.807 * 125e6;
	expect_text("50.0 % of 57.6 Gb/s, what PCIe 3.0 x8 with payloads of 256 bytes carries (a link of 100 Gb/s "
		    "allows 98.0)");
	path.wire = WIRE_ETHERNET;
	path.pcie_gbits = 0;
	row.bw_average = 50 * 125e6;
	expect_text("50.0 % of 100.0 Gb/s, the payload limit of frames over a link of 100 Gb/s");
	path.wire = WIRE_NOT_COUNTED;
	expect_text("50.0 % of 100.0 Gb/s, the rate of the link");
	path.sums = true;
	path.pcie_gbits = 126.03;
	path.pcie_bytes = 0;
	path.pcie_lanes = 16;
	expect_text("25.0 % of 200.0 Gb/s, the rate of the link in both directions (PCIe 3.0 x16 allows 252.1)");
	path.sums = false;
	path.pcie_gbits = 0;
	path.link_gbits = 0;
	assert_false(payload_share_text(&path, &row, false, text));
	assert_string_equal(text, "no share of what is possible: the rate of the link is not known");
	path.copies = true;
	assert_false(payload_share_text(&path, &row, false, text));
	assert_string_equal(text, "no share of what is possible: messages are copied, over no link");
	row.copied = 100 * 125e6;
	expect_text("50.0 % of 100.0 Gb/s, what memcpy moves on one CPU of this host");
	path.sums = true;
	expect_text("25.0 % of 200.0 Gb/s, twice what memcpy moves on one CPU of this host");
	path.paced = 1e5;
	path.paces_messages = true;
	row.message_rate = 2 * 0.94e5; /* something else limits it */
	expect_text("25.0 % of 200.0 Gb/s, twice what memcpy moves on one CPU of this host");
	row.message_rate = 2 * 0.96e5;
	expect_text(
		"25.0 % of 200.0 Gb/s, twice what memcpy moves on one CPU of this host, at the rate of --rate_limit");
	path.paces_messages = false;
	path.paced *= 65536;
	assert_true(payload_is_paced(&path, 65536, row.message_rate));
	assert_false(payload_is_paced(&path, 65536, row.message_rate / 2));
}

static double number_at(const json_t *object, const char *key)
{
	return json_number_value(json_object_get(object, key));
}

static bool is_near(double value, double expected)
{
	return fabs(value - expected) < 1e-4 * expected;
}

TEST(test_json, set_up, NULL)
{
	json_t *object;

	path.sums = true;
	object = payload_share_json(&path, &row, REPORT_TOTAL, 1);
	assert_true(is_near(number_at(object, "percent"), 45));
	assert_true(is_near(number_at(object, "bandwidth_bytes_per_second"), 2 * 98.0139 * 125e6));
	assert_true(is_near(number_at(object, "link_bytes_per_second"), 2 * 98.0139 * 125e6));
	assert_true(json_is_null(json_object_get(object, "pcie_bytes_per_second")));
	assert_string_equal(json_string_value(json_object_get(object, "limited_by")), "link");
	json_decref(object);
	path.pcie_gbits = 50;
	object = payload_share_json(&path, &row, REPORT_LOCAL, 1);
	assert_true(is_near(number_at(object, "bandwidth_bytes_per_second"), 50 * 125e6));
	assert_true(is_near(number_at(object, "pcie_bytes_per_second"), 50 * 125e6));
	assert_string_equal(json_string_value(json_object_get(object, "limited_by")), "pcie");
	json_decref(object);
	object = payload_share_json(&path, &row, REPORT_TOTAL, 3); /* both directions */
	assert_true(is_near(number_at(object, "percent"), 3 * 100 * row.bw_average / (2 * 50 * 125e6)));
	assert_true(is_near(number_at(object, "bandwidth_bytes_per_second"), 2 * 50 * 125e6 / 3));
	assert_true(is_near(number_at(object, "link_bytes_per_second"), 2 * 98.0139 * 125e6 / 3));
	json_decref(object);
	row.bw_average = NAN;
	object = payload_share_json(&path, &row, REPORT_TOTAL, 1);
	assert_true(json_is_null(json_object_get(object, "percent")));
	json_decref(object);
	path.link_gbits = 0;
	object = payload_share_json(&path, &row, REPORT_TOTAL, 1);
	assert_true(json_is_null(object));
	json_decref(object);
}

/* A size with a higher average, one with a lower, an interval: the line is about the first. */
static void print_report(void)
{
	struct report *report = open_report();
	struct report_row other = row;

	add(report, &row, REPORT_TOTAL);
	other.size = 32768;
	other.bw_average /= 2;
	add(report, &other, REPORT_TOTAL);
	other.is_interval = true;
	other.bw_average *= 3;
	add(report, &other, REPORT_TOTAL);
	assert_int_equal(report_close(report, "complete", NULL), 0);
	report_free(report);
}

static char *printed(int fd)
{
	struct capture capture = capture_begin(fd, NULL);

	print_report();
	return capture_end(&capture);
}

static void expect_in(int fd, bool is_there)
{
	char *text = printed(fd);

	assert_true(!strstr(text, "90.0 % of 98.0 Gb/s at 65536 bytes, the payload limit") == !is_there);
	free(text);
}

TEST(test_outputs, set_up, NULL)
{
	struct capture capture;

	expect_in(STDOUT_FILENO, false);
	config.possible = true;
	expect_in(STDOUT_FILENO, true);
	capture = capture_begin(STDOUT_FILENO, NULL);
	config.output = OUTPUT_BANDWIDTH;
	expect_in(STDERR_FILENO, true);
	config.output = OUTPUT_ALL;
	config.format = FORMAT_CSV;
	expect_in(STDERR_FILENO, true);
	config.possible = false;
	expect_in(STDERR_FILENO, false);
	free(capture_end(&capture));
}

TEST(test_terminal, set_up, NULL)
{
	const struct winsize wide = {.ws_row = 24, .ws_col = 160};
	struct terminal terminal = terminal_open();
	int saved = dup(STDOUT_FILENO);
	const char *text;

	assert_int_equal(ioctl(terminal.master, TIOCSWINSZ, &wide), 0);
	fflush(stdout);
	dup2(terminal.slave, STDOUT_FILENO);
	print_report();
	dup2(saved, STDOUT_FILENO);
	close(saved);
	assert_int_equal(write(terminal.slave, "\a", 1), 1);
	text = terminal_read_to(&terminal, '\a');
	assert_non_null(text);
	assert_non_null(strstr(text, "\n 90.0 % of 98.0 Gb/s at 65536 bytes, the payload limit of MTU 4096 over a link "
				     "of 100 Gb/s\n"));
	terminal_close(&terminal);
}

TEST_MAIN(NULL, NULL)
