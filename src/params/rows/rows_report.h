/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Options: what is printed. Rows of the table in options.c, included only there. */
/* clang-format off */
{FLAG('N', "noPeak", test.no_peak), .aliases = {"no-peak"},
	.help = "Do not measure the peak bandwidth; print 0 in its column", IN(REPORT, BW, OPT_OFFERED, "6.06"),
	.tolerated = LAT | FS},
{FLAG(NO_LETTER, "report_gbits", report.gbits), .help = "Print Gb/s (10^9 bits) instead of MiB/s (2^20 bytes)",
	.brief = "Print Gb/s, not MiB/s", IN(REPORT, BW, OPT_OFFERED, "6.06"), .tolerated = LAT | FS},
{FLAG(NO_LETTER, "report-both", report.both),
	.help = "With -b, print each direction after the sum; with --threads, each thread after all; with --clients "
		"or several HOSTs, each pair", IN(REPORT, IB, OPT_OFFERED, "6.06"), .tolerated = RAW},
{FLAG(NO_LETTER, "report-per-port", verbs.per_port),
	.help = "With -O and -D, print the average of each port beside that of both",
	IN(REPORT, BW & ~RAW, OPT_SHARED, "6.06")},
{FLAG('C', "report-cycles", report.cycles), .help = "Print times in clock ticks instead of microseconds",
	IN(REPORT, LAT | FS, OPT_LOCAL, "6.06")},
{FLAG('H', "report-histogram", report.histogram),
	.aliases = {"report-histogrm"}, /* the only spelling that the classic parser accepted */
	.help = "Print every sample, sorted", IN(REPORT, LAT | FS, OPT_LOCAL, "6.06")},
{FLAG('U', "report-unsorted", report.unsorted), .help = "Print every sample, in chronological order",
	IN(REPORT, LAT | FS, OPT_LOCAL, "6.06")},
{COMMON_PERCENTILES(0.000001, "none"), STORED_IN(report.percentiles),
	.count_offset = offsetof(struct params, report.num_percentiles),
	.help = "Report these percentiles as well, such as 50,90,99.99; they are printed in ascending order, each once",
	.brief = "Report these percentiles, too", IN(REPORT, LAT | FS, OPT_LOCAL, "7.0")},
{DOUBLE(NO_LETTER, "report_interval", "SECONDS", test.interval_s, 0.01, COMMON_A_YEAR_S), DEFAULT_WORD("off", 0),
	.help = "Also print a row for each interval of this length", IN(REPORT, MOVES, OPT_OFFERED, "7.0")},
{COMMON_TIMESTAMPS, STORED_IN(report.timestamps), IN(REPORT, ALL, OPT_LOCAL, "7.0")},
{FLAG(NO_LETTER, "report_possible", report.possible),
	.help = "Below the table, print what share of the possible bandwidth the highest average is: of the payload "
		"limit of the link, or of PCIe if that is lower; of a software device, of what memcpy moves. At a "
		"terminal it is printed without the option where the link is known", IN(REPORT, BW, OPT_LOCAL, "7.0")},
{COMMON_EXPLAIN, STORED_IN(general.explain), IN(REPORT, ALL, OPT_FOLLOWED, "7.0")},
{DOUBLE('w', "limit_bw", "RATE", limits.bw, 0, 1e12),
	.bare_unit = "in the printed unit, MiB/s or with --report_gbits Gb/s", .units = {"%", "%line"},
	.unit_offset = offsetof(struct params, limits.bw_unit), .default_text = "0",
	.help = "Exit with status 3 if the average of any size is below this, in the printed unit; 90%: below this "
		"share of the bandwidth that is possible at that size, see --report_possible; 90%line: of the link's "
		"own rate; 0: no limit", IN(REPORT, BW, OPT_LOCAL, "6.06"), .tolerated = LAT | FS},
{DOUBLE('y', "limit_msgrate", "RATE", limits.msgrate, 0, 1e12), .bare_unit = "million messages per second",
	.units = {"%", "%line"}, .unit_offset = offsetof(struct params, limits.msgrate_unit), .default_text = "0",
	.help = "Exit with status 3 if the message rate of any size is below this, in 10^6 per second; shares as of "
		"-w; 0: no limit", IN(REPORT, BW, OPT_LOCAL, "6.06"), .tolerated = LAT | FS},
COMMON_LATENCY_LIMIT_ROWS(limits.latency, "t_max (with --rate, due_max) of any row",
	"(with --rate, that of due) of any row", IN(REPORT, LAT, OPT_LOCAL, "7.0")),
{COMMON_LIMIT_INTERVALS(" and --run_infinitely"), STORED_IN(limits.intervals), IN(REPORT, MOVES, OPT_LOCAL, "7.0")},
{FLAG(NO_LETTER, "limit_peers", limits.peers),
	.help = "With --clients or several HOSTs the limits hold for each peer, rather than for all together",
	IN(REPORT, IB, OPT_LOCAL, "7.0")},
{STRING('W', "report-counters", "COUNTERS", report.counters), .check = check_counter_list,
	.help = "Print the increase of these counters: files of the port (counters/port_xmit_data), statistics of its "
		"network interface, of a bond those of its ports together (ethtool/rx_discards), or patterns (*err*); "
		"all: those that increased. With -O, the sum of both ports", IN(REPORT, ALL, OPT_LOCAL, "6.06")},
{COMMON_CPU_UTIL, STORED_IN(report.cpu_util), IN(REPORT, ALL, OPT_LOCAL, "6.06")},
{CHOICE(NO_LETTER, "output", "FIGURE", report.output), DEFAULT_WORD("all", OUTPUT_ALL),
	.choices = {{"bandwidth", OUTPUT_BANDWIDTH, BW}, {"message_rate", OUTPUT_MESSAGE_RATE, BW},
		{"latency", OUTPUT_LATENCY, LAT | FS}},
	.help = "Print only this average, as a bare number, also for each interval",
	IN(REPORT, ALL, OPT_LOCAL, "6.06")},
{COMMON_OUTPUT_FORMAT, STORED_IN(report.format), IN(REPORT, ALL, OPT_LOCAL, "7.0")},
{COMMON_OUT_JSON, STORED_IN(asked.out_json), USED_AS(report.out_json), IN(REPORT, ALL, OPT_LOCAL, "6.06")},
{COMMON_OUT_JSON_FILE(". With --keep_serving there is one for each client, numbered: run.1.json"),
	STORED_IN(report.out_json_file), IN(REPORT, ALL, OPT_LOCAL, "6.06")},
{COMMON_LABEL, STORED_IN(report.labels), IN(REPORT, ALL, OPT_LOCAL, "7.0")},
