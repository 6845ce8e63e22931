// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Are the headings and rows of the text those of classic perftest 6.29, including blanks? */
#include "report/columns.h"
#include "report_fixture.h"

static struct report_config bw_config, lat_config;
static struct latency latency;

static int setup(void **state)
{
	bw_config = fixture_config("ib_write_bw", VERB_WRITE, METRIC_BW);
	lat_config = fixture_config("ib_write_lat", VERB_WRITE, METRIC_LAT);
	fixture_latency(&latency);
	return fixture_clock(state);
}

static int teardown(void **state)
{
	latency_close(&latency);
	return 0;
}

static void expect_row(const struct report_config *config, const struct report_row *row, const char *expected)
{
	size_t size;
	char *line;
	FILE *out = open_memstream(&line, &size);

	assert_non_null(out);
	columns_line(out, out, config, row);
	fclose(out);
	assert_string_equal(line, expected);
	free(line);
}

static void expect_heading(const struct report_config *config, const char *expected)
{
	expect_row(config, NULL, expected);
}

TEST(test_headings, setup, teardown)
{
	expect_heading(&bw_config, HEADING_BW);
	expect_heading(&lat_config, HEADING_LAT);
	bw_config.gbits = true;
	expect_heading(&bw_config, HEADING_GB);
	bw_config.cpu_util = true;
	expect_heading(&bw_config, HEADING_GB "    CPU_Util[%]");
	lat_config.cpu_util = true;
	expect_heading(&lat_config, HEADING_LAT "    CPU_Util[%]");
}

/* Classic perftest says [usec] over cycles. */
TEST(test_heading_cycles, setup, teardown)
{
	lat_config.cycles = true;
	expect_heading(&lat_config, " #bytes #iterations    t_min[cycles]    t_max[cycles]  t_typical[cycles]"
				    "    t_avg[cycles]    t_stdev[cycles]   99% percentile[cycles]"
				    "   99.9% percentile[cycles] ");
}

/* Of an open loop: what was due and what was posted under their names, cells under heads, and no t_ that could be taken
 * for half of a round trip. */
TEST(test_open_loop, setup, teardown)
{
	struct report_row row = {.size = 64, .iterations = 3, .latency = &latency, .cpu_percent = NAN};
	static struct latency since_post;

	assert_int_equal(latency_open(&since_post, 0), 0);
	fixture_reset(&latency);
	for (uint64_t n = 1; n <= 3; n++) {
		latency_record(&latency, 1000 * n);
		latency_record(&since_post, 100 * n);
	}
	row.since_post = &since_post;
	latency.tick_seconds = since_post.tick_seconds = 1e-9;
	row.load = (struct report_load){.share_percent = 50, .rate = 10000, .sent_rate = 9999.5};
	specs[METRIC_LAT].open_loop = true;
	expect_heading(
		&lat_config,
		" #bytes  #iterations    rate[/sec]    sent[/sec]  due_typical[usec]  due_avg[usec]  99% due[usec]"
		"  99.9% due[usec]  due_max[usec] post_typical[usec] post_avg[usec] 99% post[usec]"
		" 99.9% post[usec] post_max[usec]");
	expect_row(&lat_config, &row,
		   " 64                3      10000.00       9999.50               2.00           2.00           3.00"
		   "             3.00           3.00               0.20           0.20           0.30"
		   "             0.30           0.30");
	lat_config.load_steps = true;
	lat_config.cpu_util = true;
	lat_config.percentiles[0] = 50;
	lat_config.num_percentiles = 1;
	row.cpu_percent = 12.5;
	expect_heading(
		&lat_config,
		" #bytes  #iterations  load[%]    rate[/sec]    sent[/sec]  due_typical[usec]  due_avg[usec]"
		"  99% due[usec]  99.9% due[usec]  due_max[usec] post_typical[usec] post_avg[usec] 99% post[usec]"
		" 99.9% post[usec] post_max[usec]  CPU_Util[%]      50% due[usec]     50% post[usec]");
	expect_row(&lat_config, &row,
		   " 64                3       50      10000.00       9999.50               2.00           2.00"
		   "           3.00             3.00           3.00               0.20           0.20           0.30"
		   "             0.30           0.30        12.50               2.00               0.20");
	latency_close(&since_post);
}

TEST(test_row_bw, setup, teardown)
{
	struct report_row row = fixture_row_bw();

	expect_row(&bw_config, &row, ROW_BW);
	row.cpu_percent = 49.5;
	expect_row(&bw_config, &row, ROW_BW);
	bw_config.cpu_util = true;
	expect_row(&bw_config, &row, ROW_BW "\t    49.50");
	row.partial = true;
	expect_row(&bw_config, &row, ROW_BW "\t    49.50 (partial)");
}

/* raw_ethernet_bw -S */
TEST(test_row_service_level, setup, teardown)
{
	struct report_row row = fixture_row_bw();

	verbs[METRIC_BW].frames.has_sl = true;
	row.sl = 3;
	expect_heading(&bw_config, " #bytes    #sl      #iterations    BW peak[MiB/sec]    BW average[MiB/sec]   "
				   "MsgRate[Mpps]");
	expect_row(&bw_config, &row,
		   " 65536      3           5000           11083.95            11083.72"
		   "                  0.177340");
	bw_config.gbits = true;
	expect_heading(&bw_config, " #bytes    #sl      #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   "
				   "MsgRate[Mpps]");
}

TEST(test_row_bw_wide, setup, teardown)
{
	struct report_row row = fixture_row_bw();

	row.size = 8388608;
	row.iterations = 12345678901;
	row.bw_peak = 0;
	row.message_rate = 123456789;
	expect_row(&bw_config, &row, " 8388608    12345678901       0.00               11083.72\t\t     123.456789");
}

TEST(test_row_gbits, setup, teardown)
{
	struct report_row row = fixture_row_bw();

	bw_config.gbits = true;
	expect_row(&bw_config, &row, " 65536      5000             92.98              92.98  \t\t     0.177340");
}

/* Below 0.1 Gb/s six decimals, the iterations not padded; the average alone decides. */
TEST(test_row_gbits_fine, setup, teardown)
{
	struct report_row row = fixture_row_bw();

	bw_config.gbits = true;
	row.size = 2;
	row.bw_peak = 0.002837 * 125e6;
	row.bw_average = 0.002837 * 125e6;
	expect_row(&bw_config, &row, " 2          5000           0.002837            0.002837            0.177340");
	row.bw_peak = 5 * 125e6;
	expect_row(&bw_config, &row, " 2          5000           5.000000            0.002837            0.177340");
	row.bw_average = 0.0999 * 125e6;
	expect_row(&bw_config, &row, " 2          5000           5.000000            0.099900            0.177340");
	row.bw_average = 0.1001 * 125e6;
	expect_row(&bw_config, &row, " 2          5000             5.00               0.10   \t\t     0.177340");
	bw_config.gbits = false;
	row.bw_average = 2;
	expect_row(&bw_config, &row, " 2          5000             596.05             0.00   \t\t     0.177340");
}

#define ROW_LAT                                                                                                        \
	" 2       1000          1.00           2.86         1.21     \t       1.23        \t0.16   \t\t1.21    "       \
	"\t\t2.86   "

TEST(test_row_lat, setup, teardown)
{
	struct report_row row = fixture_row_lat(&latency);

	expect_row(&lat_config, &row, ROW_LAT);
	lat_config.cpu_util = true;
	row.cpu_percent = 7;
	expect_row(&lat_config, &row, ROW_LAT "\t    7.00");
	row.partial = true;
	expect_row(&lat_config, &row, ROW_LAT "\t    7.00 (partial)");
	row.cpu_percent = NAN;
	row.partial = false;
	expect_row(&lat_config, &row, ROW_LAT "\t    nan");
}

#define CLASSIC_HEADING_TIME " #bytes        #iterations       t_avg[usec]    tps average"
#define ADDED_HEADING_TIME                                                                                             \
	"    t_min[usec]    t_max[usec]    t_typical[usec]    t_stdev[usec]    99% percentile[usec]"                   \
	"    99.9% percentile[usec]"
#define CLASSIC_ROW_TIME " 2             1000            1.23           250000.00"
#define ADDED_ROW_TIME	 "        1.00           2.86           1.21           0.16           1.21           2.86   "

/* By time classic perftest has t_avg and tps alone; what else there is stands behind them, and behind its CPU_Util. */
TEST(test_row_lat_by_time, setup, teardown)
{
	struct report_row row = fixture_row_lat(&latency);

	verbs[METRIC_LAT].messages = 0;
	expect_heading(&lat_config, CLASSIC_HEADING_TIME ADDED_HEADING_TIME);
	expect_row(&lat_config, &row, CLASSIC_ROW_TIME ADDED_ROW_TIME);
	lat_config.cpu_util = true;
	row.cpu_percent = 49.5;
	expect_heading(&lat_config, CLASSIC_HEADING_TIME "    CPU_Util[%]" ADDED_HEADING_TIME);
	expect_row(&lat_config, &row, CLASSIC_ROW_TIME "\t    49.50" ADDED_ROW_TIME);
	lat_config.num_percentiles = 1;
	lat_config.percentiles[0] = 50;
	expect_heading(&lat_config,
		       CLASSIC_HEADING_TIME "    CPU_Util[%]" ADDED_HEADING_TIME "    50% percentile[usec]");
	expect_row(&lat_config, &row, CLASSIC_ROW_TIME "\t    49.50" ADDED_ROW_TIME "        1.21   ");
	lat_config.cpu_util = false;
	lat_config.num_percentiles = 0;
	verbs[METRIC_LAT].messages = 1000;
	verbs[METRIC_LAT].messages = 0;
	expect_row(&lat_config, &row, CLASSIC_ROW_TIME ADDED_ROW_TIME);
	/* A window without an exchange has no latency, but a rate: none. */
	fixture_reset(&latency);
	row.iterations = 0;
	expect_row(&lat_config, &row,
		   " 2             0            nan            0.00           nan            nan            nan"
		   "            nan            nan            nan    ");
}

TEST(test_row_lat_whole_round_trip, setup, teardown)
{
	struct report_row row = fixture_row_lat(&latency);

	latency.tick_seconds = 1e-9;
	expect_row(&lat_config, &row,
		   " 2       1000          2.00           5.72         2.42     \t       2.45        \t0.33   "
		   "\t\t2.42    \t\t5.71   ");
}

TEST(test_row_cycles, setup, teardown)
{
	struct report_row row = fixture_row_lat(&latency);

	lat_config.cycles = true;
	expect_row(&lat_config, &row,
		   " 2       1000          1000.00        2860.00      1211.75  \t       1226.29     \t164.33 "
		   "\t\t1211.75 \t\t2855.75");
}

/* Without a single sample there is no figure, and none may look like one. */
TEST(test_row_no_samples, setup, teardown)
{
	struct report_row row = fixture_row_lat(&latency);

	fixture_reset(&latency);
	row.iterations = 0;
	expect_row(&lat_config, &row,
		   " 2       0          nan            nan          nan      \t       nan         \tnan    "
		   "\t\tnan     \t\tnan    ");
}

TEST(test_percentiles, setup, teardown)
{
	struct report_row row = fixture_row_lat(&latency);

	lat_config.num_percentiles = 3;
	lat_config.percentiles[0] = 50;
	lat_config.percentiles[1] = 99.9;
	lat_config.percentiles[2] = 99.9999999;
	/* 99.9 % has its column already. */
	expect_heading(&lat_config, HEADING_LAT "  50% percentile[usec]   99.9999999% percentile[usec] ");
	/* 1000 samples support 99.9 %, not 99.9999999 %: the maximum. */
	expect_row(&lat_config, &row, ROW_LAT " \t\t1.21    \t\t2.86   ");
	/* Ours stand behind the classic ones. */
	lat_config.num_percentiles = 1;
	lat_config.cpu_util = true;
	row.cpu_percent = 7;
	expect_heading(&lat_config, HEADING_LAT "    CPU_Util[%]  50% percentile[usec] ");
	expect_row(&lat_config, &row, ROW_LAT "\t    7.00 \t\t1.21   ");
}

/* A cell is a number, and nothing is glued to it: whether there were enough samples is said below the table. */
TEST(test_unsupported, setup, teardown)
{
	struct report_row row = fixture_row_lat(&latency);
	int i;

	fixture_reset(&latency);
	for (i = 0; i < 99; i++)
		latency_record(&latency, 2000);
	latency_record(&latency, 20000000);
	row.iterations = 100;
	expect_row(&lat_config, &row,
		   " 2       100          1.00           10000.00      1.00     \t       100.99      \t994.89 "
		   "\t\t1.00    \t\t10000.00");
	fixture_reset(&latency);
	latency_record(&latency, 2000);
	row.iterations = 1;
	expect_row(&lat_config, &row,
		   " 2       1          1.00           1.00         1.00     \t       1.00        \t0.00   "
		   "\t\t1.00    \t\t1.00   ");
}

TEST(test_keys, setup, teardown)
{
	const struct column percentile = {.key = "latency_percentile", .percent = 99.99};
	const struct column size = {.key = "size"};
	struct table table;
	struct unit unit;
	char key[64];

	table = columns_table(&lat_config);
	assert_true(table_data_unit(&table, QUANTITY_TIME, 0, &unit));
	column_key(&percentile, &unit, key, sizeof(key));
	assert_string_equal(key, "latency_percentile_99.99_usec");
	assert_false(table_data_unit(&table, QUANTITY_TIME, 1, &unit));
	lat_config.cycles = true;
	table = columns_table(&lat_config);
	assert_true(table_data_unit(&table, QUANTITY_TIME, 1, &unit));
	column_key(&percentile, &unit, key, sizeof(key));
	assert_string_equal(key, "latency_percentile_99.99_cycles");
	assert_true(table_data_unit(&table, QUANTITY_BYTES, 0, &unit));
	column_key(&size, &unit, key, sizeof(key));
	assert_string_equal(key, "size_bytes");
}

TEST_MAIN(NULL, NULL)
