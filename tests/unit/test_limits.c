// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* -w and -y as a share of what is possible: which rows miss it? */
#include <math.h>

#include "cmocka_all.h"
#include "report/results.h"
#include "session/measure/measurement.h"

#define MIB 1048576

static struct session session;
static struct report_row row;

static struct results results;

struct results *report_results(struct report *report)
{
	return &results;
}

/* 400GbE, RoCE v2 over IPv4: 392.143 Gb/s for messages of a mebibyte (test_payload_limit.c). */
static int set_up(void **state)
{
	json_decref(results.envelope.missed_limits);
	results.envelope.missed_limits = NULL;
	session = (struct session){
		.path = {.verb = VERB_WRITE,
			 .transport = TRANSPORT_RC,
			 .link_gbits = 400,
			 .num_links = 1,
			 .wire = WIRE_ROCE_V2_IPV4,
			 .mtu = 4096},
	};
	session.params.report.gbits = true;
	session.params.limits.bw = 90;
	session.params.limits.bw_unit = LIMIT_OF_POSSIBLE;
	row = (struct report_row){.size = MIB, .iterations = 1000};
	return 0;
}

/* Gb/s */
static bool passes(double bandwidth)
{
	row.bw_average = bandwidth * 125e6;
	row.message_rate = row.bw_average / (double)row.size;
	session.ending.limit_failed = false;
	session_check_limits(&session, &row);
	return !session.ending.limit_failed;
}

TEST(test_bandwidth, set_up, NULL)
{
	assert_true(passes(353));
	assert_false(passes(352.9));
	assert_int_equal(json_array_size(results.envelope.missed_limits), 1);
	assert_string_equal(log_last_error(),
			    "BW result is below bw limit: 352.90 Gb/s at 1048576 bytes; the limit (-w "
			    "90%) is 352.93 Gb/s, missed by 0.00826 %");
	session.params.report.gbits = false; /* the unit of the row does not matter */
	assert_true(passes(353));
	assert_false(passes(352.9));
	row.size = 64; /* 162 bytes on the wire */
	assert_true(passes(0.901 * 400 * 64 / 162));
	assert_false(passes(0.899 * 400 * 64 / 162));
	row.size = MIB;
	session.path.sums = true;
	assert_true(passes(2 * 353));
	assert_false(passes(2 * 352.9));
}

TEST(test_message_rate, set_up, NULL)
{
	session.params.limits.msgrate = 90;
	session.params.limits.msgrate_unit = LIMIT_OF_POSSIBLE;
	session.params.limits.bw = session.params.limits.bw_unit = 0;
	assert_true(passes(353));
	assert_false(passes(352.9));
	assert_non_null(strstr(log_last_error(), "the limit (-y 90%) is 0.042072 Mpps,"));
}

/* Peers share the link. */
TEST(test_peers, set_up, NULL)
{
	struct report_row alone = {.size = MIB, .iterations = 1, .bw_average = 177 * 125e6, .message_rate = 1};
	const struct report_peer list[] = {{.address = "10.0.0.1", .row = &alone},
					   {.address = "10.0.0.2", .row = &alone}};
	const struct report_peers peers = {.count = 2, .list = list, .num_listed = 2};

	row.peers = &peers;
	session.params.limits.peers = true;
	assert_true(passes(1));
	alone.bw_average = 176 * 125e6;
	assert_false(passes(1));
	assert_int_equal(json_array_size(results.envelope.missed_limits), 2);
}

/*
 * ngc_multinode_perf (NVIDIA): a pair passes if its average, without the decimals, is at least 90 % of the port's rate,
 * with -b of twice the rate.
 */
TEST(test_rule_of_nvidia, set_up, NULL)
{
	static const unsigned rates[] = {40, 100, 200, 400, 800};

	session.params.limits.bw_unit = LIMIT_OF_LINE;
	for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
		for (unsigned directions = 1; directions <= 2; directions++) {
			const double least = round(directions * 0.9 * rates[i]);

			session.path.link_gbits = rates[i];
			session.path.sums = directions == 2;
			for (double bandwidth = least - 2; bandwidth < least + 2; bandwidth += 0.7)
				assert_int_equal(passes(bandwidth), floor(bandwidth) >= least);
		}
	}
}

TEST_MAIN(NULL, NULL)
