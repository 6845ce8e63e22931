/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Options: rate control. Rows of the table in options.c, included only there. */
/* clang-format off */
{
	DOUBLE(NO_LETTER, "rate_limit", "RATE", rate.limit, 1e-6, 1e12),
	DEFAULT_WORD("off", 0),
	.special_too = "MAX",
	.help = "Send no faster than this; MAX: no limit",
	IN(RATE, BW | BURST, OPT_OFFERED, "6.06"),
},
{
	CHOICE(NO_LETTER, "rate_units", "UNIT", rate.units),
	.choices = {{"M", RATE_UNITS_MEBIBYTES, 0},
		    {"g", RATE_UNITS_GIGABITS, 0},
		    {"p", RATE_UNITS_PACKETS, 0}},
	.default_text = "g",
	.help = "Unit of --rate_limit: M is MiB/s, g is Gb/s, p is messages per second",
	IN(RATE, BW | BURST, OPT_OFFERED, "6.06"),
	.tolerated = (LAT & ~BURST) | FS,
},
{
	CHOICE(NO_LETTER, "rate_limit_type", "TYPE", asked.rate_limit_type),
	USED_AS(rate.limit_type),
	DEFAULT_WORD("auto", RATE_LIMIT_NONE),
	.choices = {{"HW", RATE_LIMIT_HW, BW & ~RAW}, {"SW", RATE_LIMIT_SW, 0}, {"PP", RATE_LIMIT_PP, BW & RECEIVES}},
	.absent = {{"PP", "packet pacing, except in bandwidth tests of SEND, WRITE and raw Ethernet"}},
	.help = "What limits the rate. SW: this program, in bursts; HW: the device, by the static rate of its "
		"address handles; PP: the device, by packet pacing of queue pairs, if it has that for their type; auto: "
		"SW",
	IN(RATE, BW | BURST, OPT_OFFERED, "6.06"),
},
{
	INTEGER(NO_LETTER, "burst_size", "COUNT", rate.burst_size, 0, 4294967295.0),
	.default_text = "0",
	.help = "Messages in a burst; 0: with a rate limit as many as it allows in a millisecond, at most the TX "
		"depth; in raw_ethernet_burst_lat the TX depth",
	IN(RATE, BW | BURST, OPT_OFFERED, "6.06"),
},
{
	INTEGER(NO_LETTER, "typical_pkt_size", "BYTES", rate.typical_size, 0, 65535),
	.default_text = "0",
	.help = "With --rate_limit_type=PP, the typical size of a packet, passed to the device; 0: not specified",
	IN(RATE, BW & RECEIVES, OPT_LOCAL, "6.06"),
},
{
	INTEGER(NO_LETTER, "latency_gap", "USEC", rate.latency_gap_us, 0, 60000000),
	.default_text = "0",
	.help = "Microseconds to wait before each exchange, with -e asleep; the wait is in no sample",
	IN(RATE, LAT & ~BURST, OPT_SHARED, "6.06"),
},
{
	STRING(NO_LETTER, "rate", "RATE", rate.open_rate),
	.check = check_open_rate,
	.default_text = "off",
	.help = "Post this number of messages per second on schedule, whether or not earlier ones have been answered "
		"(an open loop); 10%..90%: measure the maximum, then shares of it in steps of 10%, or of 20% with "
		"10%..90%:20%",
	IN(RATE, LAT & ~RAW, OPT_SHARED, "7.0"),
},
{
	CHOICE(NO_LETTER, "arrival", "PROCESS", rate.poisson),
	.choices = {{"constant", false, 0}, {"poisson", true, 0}},
	.default_text = "constant",
	.help = "With --rate, the time between messages: constant, or that of a Poisson process",
	IN(RATE, LAT & ~RAW, OPT_OFFERED, "7.0"),
},
{
	INTEGER(NO_LETTER, "arrival_seed", "NUMBER", rate.seed, 0, 4294967295.0),
	.default_text = "1",
	.help = "With --arrival=poisson: the same number makes the same schedule",
	IN(RATE, LAT & ~RAW, OPT_OFFERED, "7.0"),
},
{
	FLAG(NO_LETTER, "perform_warm_up", rate.warm_up),
	.help = "Send as many messages as the TX depth before measuring",
	IN(RATE, BW & ~SEND & ~RAW, OPT_FOLLOWED, "6.06"),
	.tolerated = LAT | SEND | RAW,
	.fulfilled = LAT & ~BURST,
},
{
	INTEGER(NO_LETTER, "wait_destroy", "SECONDS", rate.wait_destroy_s, 0, COMMON_A_YEAR_S),
	.default_text = "0",
	.help = "Seconds to wait before the queue pairs are destroyed",
	IN(RATE, ALL, OPT_LOCAL, "6.06"),
},
