// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Are retransmissions reported, and only those during the test? */
#include "report/counter_class.h"

#include "cmocka_all.h"

#define FOLDER "class/infiniband/rxe7/ports/1/hw_counters"

static char root[64];
static struct known_counts retransmits;
static char text[256];

static int setup(void **state)
{
	char command[160];

	strcpy(root, "/tmp/test_retransmits.XXXXXX");
	assert_non_null(mkdtemp(root));
	snprintf(command, sizeof(command), "mkdir -p %s/" FOLDER, root);
	return system(command);
}

static int teardown(void **state)
{
	char command[96];

	snprintf(command, sizeof(command), "rm -r %s", root);
	return system(command);
}

static void counter(const char *name, const char *value)
{
	char path[256];
	FILE *file;

	snprintf(path, sizeof(path), "%s/" FOLDER "/%s", root, name);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(value, file);
	fclose(file);
}

TEST(only_what_moved, setup, teardown)
{
	counter("completer_retry_err", "7\n");
	counter("duplicate_request", "4294967290\n");
	counter("out_of_seq_request", "3\n");
	counter("requester_timeout", "1\n"); /* mana */
	counter("sent_pkts", "5\n");	     /* no trouble */
	known_counts_begin(&retransmits, root, "rxe7", 1);
	assert_string_equal(retransmits_text(&retransmits, text, sizeof(text)), "");
	counter("sent_pkts", "50\n");
	assert_string_equal(retransmits_text(&retransmits, text, sizeof(text)), "");
	counter("completer_retry_err", "20\n");
	counter("duplicate_request", "1161\n"); /* wrapped */
	counter("requester_timeout", "3\n");
	retransmits_text(&retransmits, text, sizeof(text));
	assert_non_null(strstr(text, "; retransmission counters of rxe7 during the run: "));
	assert_non_null(strstr(text, "completer_retry_err +13"));
	assert_non_null(strstr(text, "duplicate_request +1167"));
	assert_non_null(strstr(text, "requester_timeout +2"));
	assert_non_null(strstr(text, "raise -u"));
	assert_null(strstr(text, "out_of_seq"));
	assert_null(strstr(text, "sent_pkts"));
}

/* Somebody reset it, or took it away; the file holds no number; the port has no counters at all. */
TEST(what_is_unknown_is_left_out, setup, teardown)
{
	counter("completer_retry_err", "7\n");
	counter("duplicate_request", "N/A\n");
	counter("rcvd_seq_err", "1\n");
	known_counts_begin(&retransmits, root, "rxe7", 1);
	counter("completer_retry_err", "2\n");
	counter("duplicate_request", "9\n");
	counter("rcvd_seq_err", "");
	assert_string_equal(retransmits_text(&retransmits, text, sizeof(text)), "");
	known_counts_begin(&retransmits, root, "rxe8", 1);
	assert_string_equal(retransmits_text(&retransmits, text, sizeof(text)), "");
	retransmits = (struct known_counts){0};
	assert_string_equal(retransmits_text(&retransmits, text, sizeof(text)), "");
}

/* As cxgb4 has them. */
TEST(counters_of_the_device, setup, teardown)
{
	char command[160];

	snprintf(command, sizeof(command), "mkdir %s/class/infiniband/rxe7/hw_counters", root);
	assert_int_equal(system(command), 0);
	counter("../../../hw_counters/ip4RetransSegs", "7\n");
	known_counts_begin(&retransmits, root, "rxe7", 1);
	counter("../../../hw_counters/ip4RetransSegs", "9\n");
	retransmits_text(&retransmits, text, sizeof(text));
	assert_non_null(strstr(text, "of rxe7 during the run: ip4RetransSegs +2"));
}

/* A counter or two of each driver, and what is none of retransmissions. */
TEST(each_driver_has_its_names, setup, teardown)
{
	static const char *const names[] = {
		"local_ack_timeout_err", "to_retransmits",     "RetransSegs",	    "Nak Sequence Error",
		"retrans_pkts",		 "requester_timeout",  "requester_oos_nak", "tx_rdma_retx_pkts",
		"tx_rdma_ack_timeout",	 "req_rx_pkt_seq_err", "ip6RetransSegs",
	};
	static const char *const others[] = {"rx_cnp_pkt", "tx_cnp_pkt", "rx_rdma_cnp_pkts", "rx_drops",
					     "tx_bps_limit_drop_cnt"};
	char wanted[64];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		counter(names[i], "1\n");
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		counter(others[i], "1\n");
	known_counts_begin(&retransmits, root, "rxe7", 1);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		counter(others[i], "9\n");
	assert_string_equal(retransmits_text(&retransmits, text, sizeof(text)), "");
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		counter(names[i], "3\n");
		snprintf(wanted, sizeof(wanted), " %s +2", names[i]);
		assert_non_null(strstr(retransmits_text(&retransmits, text, sizeof(text)), wanted));
		counter(names[i], "1\n");
	}
}

TEST(it_fits, setup, teardown)
{
	char small[48];

	counter("completer_retry_err", "0\n");
	counter("duplicate_request", "0\n");
	known_counts_begin(&retransmits, root, "rxe7", 1);
	counter("completer_retry_err", "9223372036854775807\n");
	counter("duplicate_request", "9223372036854775807\n");
	memset(small, 'x', sizeof(small));
	retransmits_text(&retransmits, small, 40);
	assert_int_equal(strlen(small), 39);
	assert_int_equal(small[40], 'x');
}

TEST_MAIN(NULL, NULL)
