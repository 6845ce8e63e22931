/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Options: connecting to the other side. Rows of the table in options.c, included only there. */
/* clang-format off */
{COMMON_PORT, STORED_IN(channel.port), .default_text = "18515",
	.help = "Port to listen on or to connect to, for TCP and rdma_cm", IN(CHANNEL, MOVES, OPT_LOCAL, "6.06"),
	.tolerated = FS},
{FLAG(NO_LETTER, "side_channel", channel.of_frames),
	.help = "Connect both sides, as ib_* programs do: the client names the server's HOST and sends its options, "
		"the server listens on -p, and both exchange results. Give it to both", IN(CHANNEL, RAW & ~FS, OPT_LOCAL, "7.0")},
{STRING(NO_LETTER, "bind_source_ip", "ADDRESS", channel.bind_source_ip), .check = check_ip_address,
	.aliases = {"source_ip"}, /* as 6.06 calls it */
	.help = "Local address of the side channel", IN(CHANNEL, IB, OPT_LOCAL, "6.29")},
{FLAG(NO_LETTER, "ipv6-addr", channel.ipv6_addr), .help = "Use IPv6 for the side channel",
	IN(CHANNEL, IB, OPT_LOCAL, "6.29")},
{FLAG('z', "comm_rdma_cm", channel.rdma_cm), .aliases = {"com_rdma_cm"}, /* as the classic help spells it */
	.help = "Run the side channel over a QP connected with rdma_cm instead of over TCP; a server listens for both "
		"if it can", IN(CHANNEL, IB, OPT_LOCAL, "6.06")},
{FLAG(NO_LETTER, "connectionless", channel.connectionless),
	.help = "With -g, run as a further receiver: wait for no client, and count what arrives for the group",
	IN(CHANNEL, PROGRAM_BIT(IB_SEND_BW), OPT_LOCAL, "6.29")},
{FLAG(NO_LETTER, "dont_xchg_versions", channel.dont_xchg_versions),
	.help = "Exchange no versions, page sizes, MTUs or options: speak as linux-rdma perftest does with this "
		"option; give it on both sides or on neither", IN(CHANNEL, IB, OPT_LOCAL, "6.06"), .tolerated = RAW},
{COMMON_TIMEOUT(COMMON_A_YEAR_S), SPECIAL_DEFAULTS({RAW, "5"}), STORED_IN(channel.timeout_s),
	.help = "Give up if nothing has arrived from the peer for this long; while a test runs, both sides send "
		"keepalives, but linux-rdma perftest does not. With raw Ethernet without --side_channel, and with --connectionless, "
		"end this long after the last message", IN(CHANNEL, MOVES, OPT_LOCAL, "7.0"), .tolerated = FS},
{INTEGER(NO_LETTER, "retry", "SECONDS", channel.retry_s, 0, COMMON_A_YEAR_S), .default_text = "0", .bare = "60",
	.help = "Client: while no server listens, try to connect again for this long; 60 without SECONDS",
	IN(CHANNEL, MOVES, OPT_LOCAL, "7.0")},
{COMMON_KEEP_SERVING, STORED_IN(channel.keep_serving), IN(CHANNEL, MOVES, OPT_LOCAL, "7.0")},
{INTEGER(NO_LETTER, "clients", "COUNT", verbs.num_clients, 1, 256), DEFAULT_WORD("off", 0),
	.help = "Server: wait for COUNT clients, start them together, and print one row for all of them; a client "
		"with HOST,HOST,... does so with several servers", IN(CHANNEL, IB, OPT_LOCAL, "7.0")},
{VALUE(OPT_SIZE, NO_LETTER, "max_memory", "BYTES", verbs.max_memory), RANGE(1048576, 1125899906842624.0), /* 1 PiB */
	DEFAULT_WORD("auto", 0),
	.help = "Server: refuse a client whose test needs more memory than this; auto: half of what is available "
		"(with --clients, each client's share of that), but no more than the process may lock",
	IN(CHANNEL, MOVES, OPT_LOCAL, "7.0")},
{COMMON_MAX_DURATION, STORED_IN(channel.max_duration_s),
	.help = "Server: refuse a client that requests a longer -D or an endless run, and end any test that exceeds "
		"this by 10 s, not counting the time a client waits for others (--clients); with --keep_serving the "
		"default is an hour", IN(CHANNEL, MOVES, OPT_LOCAL, "7.0")},
