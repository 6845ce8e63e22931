// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Are banner and rows exactly those of the manual page? Both of its examples, with times that give its rates; and the
 * figures that they are computed from.
 */
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "cmocka_all.h"
#include "cxi/report.h"
#include "report/provenance.h"
#include "report/row.h"
#include "stats/clock.h"
#include "util/log.h"

static struct cxi_introduction introduction = {.memory = {.tx = "System", .rx = "System"}};
static struct payload_path path; /* zeroed: unknown */
static const struct device_identity cxi0 = {.name = "cxi0", .numa_node = 1, .memory = "host"};

static void parse(struct cxi_params *params, int argc, char **argv)
{
	char reason[1024] = "";

	cxi_params_init(params);
	if (cxi_params_parse(params, argc, argv, reason, sizeof(reason)))
		fail_msg("%s", reason);
	snprintf(params->place.device, sizeof(params->place.device), "cxi0");
}

static struct cxi_link server_link = {
	.library = "libcxi.so.1", .own_text = "NIC 0x12 PID 0 VNI 10", .peer_text = "NIC 0x13 PID 0"};
static struct cxi_link client_link = {
	.library = "libcxi.so.1", .own_text = "NIC 0x13 PID 0 VNI 10", .peer_text = "NIC 0x12 PID 0"};

static struct cxi_facts facts_of(struct cxi_params *params, bool is_server)
{
	snprintf(params->host, sizeof(params->host), "%s", is_server ? "" : "peer");
	return (struct cxi_facts){
		.link = is_server ? &server_link : &client_link,
		.buffer_length = 16777216,
		.has_idc = true,
		.adapter = &cxi0,
		.path = &path,
		.own = &introduction,
		.peer = &introduction,
		.peer_address = "10.0.0.1:49194",
	};
}

/* A machine without a reliable cycle counter has a line that the examples have not. */
static void cut_clock(char *text)
{
	char *line = strstr(text, "Clock            : " CLOCK_FALLBACK_TEXT "\n");
	const char *next;

	if (!line)
		return;
	assert_true(clock_calibrate()->fallback);
	next = strchr(line, '\n') + 1;
	memmove(line, next, strlen(next) + 1);
}

/* All that a side prints but the lines about listening and the clock. free() it. */
static char *print(const struct cxi_params *params, const struct cxi_facts *facts, const struct cxi_figures *rows,
		   unsigned num_rows)
{
	struct cxi_report report;
	size_t size;
	char *text;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	assert_int_equal(cxi_report_open(&report, params, out), 0);
	cxi_report_begin(&report, facts);
	for (unsigned i = 0; i < num_rows; i++)
		cxi_report_row(&report, &rows[i]);
	assert_int_equal(cxi_report_close(&report, "complete", NULL), 0);
	fclose(out);
	cut_clock(text);
	return text;
}

/* The time that so many sends take at this packet rate, both sides together. */
static uint64_t elapsed_ns(uint64_t size, uint64_t sends, double packets_per_us, unsigned sides)
{
	return (uint64_t)((double)sends * (double)cxi_packets(size) * sides / packets_per_us * 1e3);
}

#define RULE "---------------------------------------------------\n"
#define HEAD "Send Size[B]       Sends  BW[MB/s]  PktRate[Mpkt/s]\n"

#define FIRST_BANNER                                                                                                   \
	RULE "    CXI RDMA Send Bandwidth Test\n"                                                                      \
	     "Device           : cxi0\n"                                                                               \
	     "Service ID       : 1\n"                                                                                  \
	     "Client TX Mem    : System\n"                                                                             \
	     "Server RX Mem    : System\n"                                                                             \
	     "Test Type        : Iteration\n"                                                                          \
	     "Iterations       : 1000\n"                                                                               \
	     "Send Size        : 65536\n"                                                                              \
	     "List Size        : 256\n"                                                                                \
	     "IDC              : Enabled\n"                                                                            \
	     "Bidirectional    : Disabled\n"                                                                           \
	     "Rendezvous PUTs  : Disabled\n"                                                                           \
	     "Max RDMA Buf     : 4294967296 (16777216 used)\n"                                                         \
	     "RDMA Buf Align   : 64\n"                                                                                 \
	     "Hugepages        : Disabled\n"

TEST(the_first_example)
{
	char *argv[] = {"cxi_send_bw", NULL};
	const struct cxi_account account = {.size = 65536, .list = 256, .has_packets = true};
	const struct cxi_sent sent = {1000, 1000, elapsed_ns(65536, 256000, 11.607674, 1)}, nothing = {0};
	struct cxi_figures client = {.has_sends = true}, server = {0};
	struct cxi_params params;
	struct cxi_facts facts;
	char *text;

	parse(&params, 1, argv);
	cxi_figures_make(&account, &nothing, &sent, &server);
	facts = facts_of(&params, true);
	text = print(&params, &facts, &server, 1);
	assert_string_equal(text, FIRST_BANNER "Local (server)   : NIC 0x12 PID 0 VNI 10\n"
					       "Remote (client)  : NIC 0x13 PID 0\n" RULE HEAD
					       "       65536           -  23772.52        11.607674\n" RULE);
	free(text);
	cxi_figures_make(&account, &sent, &nothing, &client);
	facts = facts_of(&params, false);
	text = print(&params, &facts, &client, 1);
	assert_string_equal(text, FIRST_BANNER "Local (client)   : NIC 0x13 PID 0 VNI 10\n"
					       "Remote (server)  : NIC 0x12 PID 0\n" RULE HEAD
					       "       65536      256000  23772.52        11.607674\n" RULE);
	free(text);
}

TEST(the_second_example)
{
	static const struct {
		uint64_t size, sends;
		double packets;
	} rows[] = {
		{1024, 49486592, 19.794417}, {2048, 32482048, 12.992678}, {4096, 17769984, 14.215795},
		{8192, 11196160, 17.913645}, {16384, 6153216, 19.689748}, {32768, 3227904, 20.658069},
		{65536, 1631488, 20.881491},
	};
	char *argv[] = {"cxi_send_bw", "-b", "-D", "5", "-s", "1024:65536", "192.168.1.1", NULL};
	struct cxi_figures figures[7];
	struct cxi_params params;
	struct cxi_facts facts;
	char *text;

	parse(&params, 7, argv);
	assert_string_equal(params.host, "192.168.1.1");
	facts = facts_of(&params, false);
	for (unsigned i = 0; i < 7; i++) {
		const struct cxi_account account = {.size = rows[i].size, .list = 256, .has_packets = true};
		const uint64_t lists = rows[i].sends / 256;
		const struct cxi_sent sent = {lists, lists,
					      elapsed_ns(rows[i].size, rows[i].sends, rows[i].packets, 2)};

		figures[i] = (struct cxi_figures){.has_sends = true};
		cxi_figures_make(&account, &sent, &sent, &figures[i]);
	}
	text = print(&params, &facts, figures, 7);
	assert_string_equal(text, RULE "    CXI RDMA Send Bandwidth Test\n"
				       "Device           : cxi0\n"
				       "Service ID       : 1\n"
				       "Client TX Mem    : System\n"
				       "Client RX Mem    : System\n"
				       "Server TX Mem    : System\n"
				       "Server RX Mem    : System\n"
				       "Test Type        : Duration\n"
				       "Duration         : 5 seconds\n"
				       "Min Send Size    : 1024\n"
				       "Max Send Size    : 65536\n"
				       "List Size        : 256\n"
				       "IDC              : Enabled\n"
				       "Bidirectional    : Enabled\n"
				       "Rendezvous PUTs  : Disabled\n"
				       "Max RDMA Buf     : 4294967296 (16777216 used)\n"
				       "RDMA Buf Align   : 64\n"
				       "Hugepages        : Disabled\n"
				       "Local (client)   : NIC 0x13 PID 0 VNI 10\n"
				       "Remote (server)  : NIC 0x12 PID 0\n" RULE HEAD
				       "        1024    49486592  20269.48        19.794417\n"
				       "        2048    32482048  26609.00        12.992678\n"
				       "        4096    17769984  29113.95        14.215795\n"
				       "        8192    11196160  36687.14        17.913645\n"
				       "       16384     6153216  40324.60        19.689748\n"
				       "       32768     3227904  42307.73        20.658069\n"
				       "       65536     1631488  42765.29        20.881491\n" RULE);
	free(text);
}

TEST(rates_of_two_sides)
{
	struct cxi_account account = {.size = 2049, .list = 10, .has_packets = true};
	const struct cxi_sent own = {4, 3, 1000000000}, peer = {5, 5, 2000000000};
	struct cxi_figures figures = {0};

	cxi_figures_make(&account, &own, &peer, &figures);
	assert_int_equal(figures.sends, 30);
	assert_float_equal(figures.bandwidth, 30 * 2049 + 25 * 2049, 1e-6); /* each by its own time */
	assert_float_equal(figures.packets, 2 * 55, 1e-9);
	assert_float_equal(figures.sends_rate, 55, 1e-9);
	account.doubled = true;
	account.has_packets = false;
	cxi_figures_make(&account, &own, &peer, &figures);
	assert_float_equal(figures.bandwidth, 2 * 55 * 2049, 1e-6);
	assert_float_equal(figures.sends_rate, 55, 1e-9); /* a send is one, though its bytes pass the NIC twice */
	assert_true(isnan(figures.packets));
	assert_int_equal(cxi_packets(1), 1);
	assert_int_equal(cxi_packets(2048), 1);
	assert_int_equal(cxi_packets(CXI_MAX_SIZE), 2097152);
}

TEST(repeated_measurements_have_one_row)
{
	char *argv[] = {"cxi_send_bw", "--repeat=3", NULL};
	const double each[] = {1e9, 2e9, 3e9};
	const struct cxi_account account = {.size = 4096, .list = 1, .has_packets = true};
	struct cxi_figures row = {
		.has_sends = true,
		.sends = 9,
		.repeats = {.count = 2, .left_out = 1, .confidence = {2e9, 1.5e9, 3.5e9}, .each = each}};
	struct cxi_params params;
	struct cxi_facts facts;
	char *text;

	parse(&params, 2, argv);
	facts = facts_of(&params, false);
	cxi_figures_rate(&account, 2.5e9, &row);
	text = print(&params, &facts, &row, 1);
	assert_non_null(
		strstr(text, "\n        4096           9   2500.00         1.220703  2 measurements, 95 %: 1500.00 to "
			     "3500.00 MB/s\n"));
	free(text);
}

/* 200 Gb/s are 25000 MB/s. */
static void be_slingshot(void)
{
	path = (struct payload_path){
		.link_gbits = 200, .num_links = 1, .wire = WIRE_NOT_COUNTED, .pcie_rate = 16, .pcie_lanes = 16};
	path.pcie_gbits = 252.0615;
}

/* What is printed with two sizes, of which the second is the faster one, if this is the second option. */
static char *print_sizes(char *option, double factor, struct cxi_link *link)
{
	char *argv[] = {"cxi_send_bw", "--report_possible", option, NULL};
	const struct cxi_account account = {.size = 4096, .list = 1}, larger = {.size = 65536, .list = 1};
	struct cxi_figures rows[3] = {{.has_sends = true}, {.has_sends = true}, {.is_interval = true, .seconds = 1}};
	struct cxi_params params;
	struct cxi_facts facts;

	parse(&params, option ? 3 : 2, argv);
	facts = facts_of(&params, false);
	facts.link = link;
	cxi_figures_rate(&account, factor * 12.5e9, &rows[0]);
	cxi_figures_rate(&larger, factor * 23.75e9, &rows[1]);
	cxi_figures_rate(&larger, factor * 24e9, &rows[2]);
	return print(&params, &facts, rows, 3);
}

static void expect_sizes(char *option, double factor, struct cxi_link *link, const char *line)
{
	char *text = print_sizes(option, factor, link);

	if (!strstr(text, line))
		fail_msg("no %s in %s", line, text);
	free(text);
}

TEST(the_share_of_the_possible)
{
	json_t *document, *possible;
	const json_t *rows;
	char *text;

	be_slingshot();
	expect_sizes(NULL, 1, &client_link,
		     "\n" RULE
		     "95.0 % of 200.0 Gb/s at 65536 bytes, the rate of the link (PCIe 4.0 x16 allows 252.1)\n");
	path.sums = path.bidirectional = true;
	expect_sizes(
		"-b", 2, &client_link,
		"95.0 % of 400.0 Gb/s at 65536 bytes, the rate of the link in both directions (PCIe 4.0 x16 allows "
		"504.1)\n");
	path.sums = path.bidirectional = false;
	path.pcie_gbits = 126.0308;
	path.pcie_lanes = 8;
	text = print_sizes("--output_format=json", 0.5, &client_link);
	document = json_loads(text, 0, NULL);
	rows = json_object_get(document, "measurements");
	assert_int_equal(json_array_size(rows), 3);
	for (unsigned i = 0; i < 3; i++) {
		static const double percent[] = {39.673, 75.378, 76.172};

		possible = json_object_get(json_array_get(rows, i), "possible");
		assert_string_equal(json_string_value(json_object_get(possible, "limited_by")), "pcie");
		assert_float_equal(json_number_value(json_object_get(possible, "percent")), percent[i], 0.001);
		assert_float_equal(json_number_value(json_object_get(possible, "link_bytes_per_second")), 25e9, 1);
	}
	json_decref(document);
	free(text);
	path.link_gbits = 0;
	expect_sizes(NULL, 1, &client_link, "\nno share of what is possible: the rate of the link is not known\n");
	path.copies = true;
	expect_sizes(NULL, 1, &client_link, " Gb/s at 65536 bytes, what memcpy moves on one CPU of this host\n");
	path = (struct payload_path){0};
}

/* How many limits of these options are missed by 190 Gb/s of 200, 2899169 sends of 8192 bytes per second. */
static unsigned missed_by(char *option, char *more, bool is_interval, bool doubled)
{
	char *argv[] = {"cxi_send_bw", option, more, "--report_interval=1", doubled ? "-b" : NULL, NULL};
	const struct cxi_account account = {.size = 8192, .list = 1, .doubled = doubled};
	struct cxi_figures row = {.is_interval = is_interval, .seconds = 1};
	struct cxi_link link = client_link;
	struct cxi_report report;
	struct cxi_params params;
	struct cxi_facts facts;
	unsigned missed;
	size_t size;
	char *text;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	parse(&params, doubled ? 5 : 4, argv);
	facts = facts_of(&params, false);
	link.is_loopback = doubled;
	facts.link = &link;
	path.sums = doubled;
	cxi_figures_rate(&account, (doubled ? 2 : 1) * 23.75e9, &row);
	assert_int_equal(cxi_report_open(&report, &params, out), 0);
	assert_int_equal(cxi_report_begin(&report, &facts), 0);
	assert_int_equal(cxi_report_row(&report, &row), 0);
	cxi_report_sum_up(&report, true);
	missed = (unsigned)json_array_size(report.results.envelope.missed_limits);
	cxi_report_close(&report, "complete", NULL);
	fclose(out);
	free(text);
	return missed;
}

TEST(limits_that_are_shares)
{
	char *argv[] = {"cxi_send_bw", "--limit_bw=90%", NULL};
	struct cxi_report report;
	struct cxi_params params;
	struct cxi_facts facts;

	be_slingshot();
	for (unsigned doubled = 0; doubled < 2; doubled++) {
		assert_int_equal(missed_by("--limit_bw=94.9%", "--limit_msgrate=94.9%", false, doubled), 0);
		assert_int_equal(missed_by("--limit_bw=95.1%", "--limit_msgrate=94.9%", false, doubled), 1);
		assert_int_equal(missed_by("--limit_bw=94.9%", "--limit_msgrate=95.1%", false, doubled), 1);
	}
	path.pcie_gbits = 192;
	assert_int_equal(missed_by("--limit_bw=98.9%", "--limit_msgrate=98.9%", false, false), 0);
	assert_int_equal(missed_by("--limit_bw=99.1%", "--limit_msgrate=95.1%line", false, false), 2);
	assert_int_equal(missed_by("--limit_bw=94.9%line", "--limit_intervals", true, false), 0);
	assert_int_equal(missed_by("--limit_bw=95.1%line", "--limit_intervals", true, false), 1);
	path = (struct payload_path){0};
	parse(&params, 2, argv);
	facts = facts_of(&params, false);
	assert_int_equal(cxi_report_open(&report, &params, stdout), 0);
	assert_int_equal(cxi_report_begin(&report, &facts), -EOPNOTSUPP);
	assert_non_null(
		strstr(log_last_error(), "--limit_bw 90% compares with what is possible, which is unknown on "));
	cxi_report_close(&report, "failed", NULL);
}

TEST(a_provider_is_named)
{
	char *argv[] = {"cxi_send_bw", "--provider=tcp", "--verify", NULL};
	struct cxi_figures row = {
		.has_sends = true, .size = 8, .sends = 3, .bandwidth = 1e6, .packets = NAN, .partial = true};
	struct cxi_link link = client_link;
	struct cxi_params params;
	struct cxi_facts facts;
	char *text;

	parse(&params, 3, argv);
	facts = facts_of(&params, false);
	snprintf(link.provider, sizeof(link.provider), "tcp;ofi_rxm");
	link.is_loopback = true;
	facts.link = &link;
	params.place.device[0] = '\0';
	text = print(&params, &facts, &row, 1);
	assert_non_null(strstr(text, "\nProvider         : tcp;ofi_rxm\n"));
	assert_non_null(strstr(text, "\nInject           : Enabled\n"));
	assert_non_null(strstr(text, "\nVerify           : Enabled"));
	assert_non_null(strstr(text, "\nRemote (server)  : NIC 0x12 PID 0 (loopback)\n"));
	assert_non_null(strstr(text, "\n           8           3      1.00                - (partial)\n"));
	assert_null(strstr(text, "Service ID"));
	free(text);
}

/* --- what the peer reports of itself --- */

/* The member "peer" of the document, and of that the value at a path of two keys, "device.name". */
static void expect_peer(bool introduces, const char *provenance, const char *member, const char *key,
			const char *expected)
{
	char *argv[] = {"cxi_send_bw", "--output_format=json", NULL};
	struct cxi_params params;
	struct cxi_facts facts;
	json_t *document, *peer;
	char *text, *value;

	parse(&params, 2, argv);
	facts = facts_of(&params, false);
	facts.has_peer = introduces;
	snprintf(introduction.version, sizeof(introduction.version), "7.1");
	snprintf(introduction.provenance, sizeof(introduction.provenance), "%s", provenance);
	text = print(&params, &facts, NULL, 0);
	document = json_loads(text, 0, NULL);
	peer = json_object_get(document, "peer");
	value = json_dumps(member ? json_object_get(json_object_get(peer, member), key) : json_object_get(peer, key),
			   JSON_ENCODE_ANY);
	assert_string_equal(value ? value : "no such member", expected);
	free(value);
	json_decref(document);
	free(text);
}

TEST(of_the_peer_only_known_members_with_scalars_are_shown)
{
	char own[PROVENANCE_SIZE];

	provenance_write(&cxi0, own, sizeof(own));
	expect_peer(true, own, "device", "name", "\"cxi0\"");
	expect_peer(true, own, "device", "numa_node", "1");
	expect_peer(true, own, NULL, "version", "\"7.1\"");
	expect_peer(true, own, NULL, "address", "\"10.0.0.1:49194\"");
	expect_peer(true, "{\"system\":{\"name\":\"other\"}}", NULL, "host", "\"other\"");
	expect_peer(true, "{\"system\":{\"name\":{\"a\":1}}}", NULL, "host", "null");
	expect_peer(true, "{\"system\":{\"name\":5}}", NULL, "host", "null");
	expect_peer(true, "{\"device\":{\"more\":1}}", "device", "more", "no such member");
	expect_peer(true, "[[[[", "build", "commit", "null");
	expect_peer(false, own, NULL, "version", "no such member"); /* HPE's program */
}

TEST_MAIN(NULL, NULL)
