/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Options: traffic. Rows of the table in options.c, included only there. */
/* clang-format off */
{VALUE(OPT_SIZE, 's', "size", "BYTES", verbs.size), RANGE(0, 2147483648.0), /* the longest RDMA message */
	.default_text = "65536", SPECIAL_DEFAULTS({ATOMIC, "8"}, {LAT | FS, "2"}),
	.help = "Message size; 0: no payload; with raw Ethernet the length of the frames, at least 64 and at most -m",
	.brief = "Message size", IN(TEST, MOVES & ~ATOMIC, OPT_FOLLOWED_IDLE, "6.06"), .tolerated = FS},
{FLAG('a', "all", verbs.all_sizes), .help = "Measure all message sizes 2, 4, 8 ... 8388608 (UD: up to the MTU)",
	.brief = "Measure all message sizes", IN(TEST, IB & ~ATOMIC, OPT_FOLLOWED_IDLE, "6.06"),
	.tolerated = ATOMIC | RAW},
{STRING(NO_LETTER, "sizes", "FIRST:LAST:STEP", test.sizes), .check = check_sizes, .default_text = "off",
	.help = "Measure several message sizes, from FIRST to LAST: STEP is added each time, or with * in front "
		"multiplied by: 4K:1M:*4, 64:1K:64; at most 1000 sizes. Implies -a, which is 2:8M:*2. With raw "
		"Ethernet, which has no -a: lengths of frames, of which those above -m are left out; give both sides "
		"the same", IN(TEST, MOVES & ~ATOMIC, OPT_FOLLOWED_IDLE, "7.0")},
{INTEGER('n', "iters", "COUNT", test.iters, 5, 4294967296.0), .default_text = "1000",
	SPECIAL_DEFAULTS({PROGRAM_BIT(IB_WRITE_BW), "5000"}), .help = "Messages of each size on each queue pair",
	.brief = "Messages of each queue pair", IN(TEST, ALL, OPT_FOLLOWED_IDLE, "6.06")},
{INTEGER('D', "duration", "SECONDS", asked.duration_s, 1, COMMON_A_YEAR_S), USED_AS(test.duration_s),
	DEFAULT_WORD("off", 0), .help = "Measure for this long instead of a number of messages",
	.brief = "Measure for this long instead", IN(TEST, ALL & ~BURST, OPT_FOLLOWED_IDLE, "6.06")},
{INTEGER('f', "margin", "SECONDS", asked.margin_s, 0, COMMON_A_YEAR_S), USED_AS(test.margin_s),
	DEFAULT_WORD("auto", CONFIG_AUTO),
	.help = "With -D, exclude this many seconds at the start and at the end from the averages; auto: a quarter of "
		"the duration, in whole seconds", IN(TEST, MOVES & ~BURST, OPT_FOLLOWED_IDLE, "6.06"), .tolerated = FS},
{FLAG(NO_LETTER, "run_infinitely", test.run_infinitely),
	.help = "Run until Ctrl-C and print a row for every -D seconds (5 by default)",
	IN(TEST, MOVES & ~BURST, OPT_FOLLOWED_IDLE, "6.06")},
{FLAG('b', "bidirectional", spec.bidirectional), .help = "Send in both directions at once",
	.brief = "Send in both directions at once", IN(TEST, BW, OPT_SHARED, "6.06"), .tolerated = FS},
{FLAG(NO_LETTER, "reversed", test.reversed),
	.help = "Swap the roles of the two sides: the server sends. With raw Ethernet without --side_channel, swap "
		"those of --client and --server", IN(TEST, IB | (RAW & BW), OPT_SHARED, "6.06"), .tolerated = RAW & ~BW},
{FLAG(NO_LETTER, "send_with_imm", spec.with_imm), .help = "Use SEND with immediate data",
	IN(TEST, SEND, OPT_SHARED, "6.29")},
{FLAG(NO_LETTER, "unsolicited_write", verbs.unsolicited),
	.help = "With -c SRD and --write_with_imm, consume no receives. Refused unless the EFA adapter and libefa "
		"support it", IN(TEST, WRITE, OPT_SHARED, "6.29")},
{FLAG(NO_LETTER, "write_with_imm", spec.with_imm),
	.help = "Use RDMA WRITE with immediate data, which the other side receives and counts",
	IN(TEST, WRITE, OPT_SHARED, "6.29")},
{FLAG('g', "mcg", verbs.group.is_used),
	.help = "Send to a multicast group, over UD regardless of -c; -q is the number of the receiver's queue pairs "
		"in the group", IN(TEST, SEND, OPT_SHARED, "6.06")},
{STRING('M', "MGID", "GID", test.mgid), .check = check_group_gid,
	.default_text = "ff01:0:2:c985::", /* as in every perftest */
	.help = "With -g, the group: an IPv6 address, an IPv4 address or 16 numbers with colons between them",
	IN(TEST, SEND, OPT_OFFERED, "6.06")},
{CHOICE('A', "atomic_type", "TYPE", spec.atomic_type),
	CHOICES({"CMP_AND_SWAP", ATOMIC_CMP_AND_SWAP, 0}, {"FETCH_AND_ADD", ATOMIC_FETCH_AND_ADD, 0}),
	.default_text = "FETCH_AND_ADD", .own_default = true, .help = "Atomic operation",
	IN(TEST, ATOMIC, OPT_SHARED, "6.06")},
{FLAG(NO_LETTER, "data_validation", verbs.data_validation),
	.help = "Check every byte that arrives against a pattern; exit with status 4 if one is wrong",
	IN(TEST, IB, OPT_SHARED, "6.29")},
{FLAG(NO_LETTER, "data_validation_debug", test.data_validation_debug),
	.help = "With --data_validation, name every wrong message, not only the first ten",
	IN(TEST, IB, OPT_LOCAL, "6.29")},
{INTEGER('I', "inline_size", "BYTES", verbs.inline_size, 0, 1024), DEFAULT_WORD("auto", CONFIG_AUTO),
	SPECIAL_DEFAULTS({READ | ATOMIC, "0"}),
	.help = "Send messages up to this size inline; auto: 0 for bandwidth, 220 for write latency, 236 for send "
		"latency (UD: 188)", IN(TEST, RECEIVES & ~FS, OPT_OFFERED, "6.06"), .tolerated = FS},
