/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Options: queues and completions. Rows of the table in options.c, included only there. */
/* clang-format off */
{INTEGER('q', "qp", "COUNT", asked.num_qps, 1, 16384), USED_AS(queues.num_qps), .default_text = "1",
	.help = "Number of queue pairs, with -O for each port. One thread drives them unless --threads divides them; "
		"without -q there are as many as threads", .brief = "Number of queue pairs",
	IN(QUEUES, BW | FS, OPT_SHARED, "6.06")},
{INTEGER(NO_LETTER, "threads", "COUNT", verbs.num_threads, 1, 1024), .default_text = "1",
	.help = "Number of threads, each on a CPU of its own with its share of the queue pairs; in a latency test "
		"each has one", IN(QUEUES, IB, OPT_OFFERED, "7.0"), .shared = LAT},
{INTEGER('t', "tx-depth", "COUNT", asked.tx_depth, 1, 15000), USED_AS(verbs.tx_depth), OR_WORD("auto", CONFIG_AUTO),
	.default_text = "128", SPECIAL_DEFAULTS({LAT & ~BURST, "auto"}, {FS, "1"}),
	.help = "Messages in flight on each queue pair; lowered to the number of iterations. auto: 128, in a latency "
		"test 1 unless --rate is given", IN(QUEUES, MOVES, OPT_OFFERED, "6.06"), .tolerated = FS},
{INTEGER('r', "rx-depth", "COUNT", asked.rx_depth, 1, 16384), USED_AS(verbs.rx_depth),
	DEFAULT_WORD("auto", CONFIG_AUTO), SPECIAL_DEFAULTS({READ | ATOMIC, "1"}),
	.help = "Receives posted on each queue pair, or with --use-srq on the shared queue; rounded to an even number "
		"and lowered to the number of iterations. auto: 512; in bandwidth tests of raw Ethernet, and with UC "
		"and UD, the number of iterations, at most 16000", IN(QUEUES, RECEIVES & ~FS, OPT_OFFERED, "6.06"),
	.tolerated = FS},
{FLAG(NO_LETTER, "use-srq", queues.use_srq),
	.help = "Let all queue pairs (with --threads, those of each thread) share one receive queue (SRQ)",
	IN(QUEUES, TWO_WAY, OPT_OFFERED, "6.06")},
{INTEGER('o', "outs", "COUNT", verbs.outs, 1, 255), DEFAULT_WORD("auto", CONFIG_AUTO),
	.help = "Outstanding reads or atomics on each queue pair; auto: as many as both devices support",
	IN(QUEUES, READ | ATOMIC, OPT_OFFERED, "6.06")},
{INTEGER(NO_LETTER, "log_dci_streams", "N", verbs.log_dci_streams, 0, 15), .default_text = "0",
	.help = "With -c DC, send requests of a queue pair over 2^N streams in turn, which the adapter processes in "
		"parallel; 0: no streams", IN(QUEUES, IB, OPT_OFFERED, "6.06")},
{INTEGER(NO_LETTER, "log_active_dci_streams", "N", verbs.log_active_dci_streams, 0, 15),
	DEFAULT_WORD("auto", CONFIG_AUTO), .help = "Use 2^N of the streams of --log_dci_streams; auto: all",
	IN(QUEUES, IB, OPT_OFFERED, "6.06")},
{INTEGER('Q', "cq-mod", "COUNT", asked.cq_mod, 1, 1024), USED_AS(verbs.cq_mod), DEFAULT_WORD("auto", CONFIG_AUTO),
	.help = "Messages per completion, at most the TX depth; auto: 100, above 8192 bytes 1, with -l its value",
	IN(QUEUES, BW | BURST, OPT_OFFERED, "6.06"), .tolerated = (LAT & ~BURST) | FS},
{INTEGER('l', "post_list", "COUNT", verbs.post_list, 1, 15000), .default_text = "1",
	.help = "Send requests posted together as one list", IN(QUEUES, BW | BURST, OPT_OFFERED, "6.06")},
{INTEGER(NO_LETTER, "recv_post_list", "COUNT", verbs.recv_post_list, 1, 16384), .default_text = "1",
	.help = "Receive requests posted together as one list", IN(QUEUES, BW & RECEIVES, OPT_OFFERED, "6.06"),
	.tolerated = BW & (READ | ATOMIC)},
{FLAG('e', "events", verbs.events), .help = "Sleep until there is a completion instead of polling",
	IN(QUEUES, MOVES, OPT_OFFERED, "6.06"), .tolerated = FS},
{INTEGER('X', "vector", "N", verbs.comp_vector, 0, 2048), .default_text = "0",
	.help = "With -e, the completion vector to use", IN(QUEUES, MOVES, OPT_LOCAL, "6.06"), .tolerated = FS},
{INTEGER(NO_LETTER, "cqe_poll", "COUNT", asked.cqe_poll, 1, 65535), USED_AS(queues.cqe_poll),
	DEFAULT_WORD("auto", CONFIG_AUTO), .help = "Maximum number of completions per poll; auto: the program chooses",
	IN(QUEUES, MOVES, OPT_OFFERED, "6.29")},
{FLAG(NO_LETTER, "disable_dynamic_polling", asked.disable_dynamic_polling), USED_AS(queues.disable_dynamic_polling),
	.help = "Always poll for the same number of completions", IN(QUEUES, BW, OPT_OFFERED, "6.29"),
	.tolerated = LAT | FS},
{INTEGER(NO_LETTER, "inline_recv", "BYTES", verbs.inline_recv, 0, 64), .default_text = "0",
	.help = "Deliver RC messages of up to BYTES within their completions; 0: the driver's default. Refused on "
		"adapters other than mlx5", IN(QUEUES, SEND, OPT_LOCAL, "6.06"), .tolerated = ALL & ~SEND},
{FLAG(NO_LETTER, "use_ooo", verbs.out_of_order),
	.help = "Allow data of several messages to be placed, and receives to be consumed, out of order. Refused "
		"unless the mlx5 adapter and libmlx5 support it", IN(QUEUES, IB, OPT_SHARED, "6.29")},
{CHOICE(NO_LETTER, "congest_type", "TYPE", verbs.congestion), DEFAULT_WORD("auto", CONGESTION_OF_DEVICE),
	CHOICES({"DCQCN", CONGESTION_DCQCN, 0}, {"LDCP", CONGESTION_LDCP, 0}, {"HC3", CONGESTION_HC3, 0},
		{"DIP", CONGESTION_DIP, 0}),
	.help = "Congestion control of the queue pairs; auto: the device's setting. Refused on adapters other than "
		"HiSilicon's (driver hns)", IN(QUEUES, IB, OPT_LOCAL, "6.29")},
{FLAG(NO_LETTER, "no_enhanced_reorder", queues.no_reorder),
	.help = "Accepted for compatibility: receives are consumed in order unless --use_ooo says otherwise",
	IN(QUEUES, ALL, OPT_LOCAL, "6.29")},
{FLAG(NO_LETTER, "no_lock", verbs.no_lock),
	.help = "Create the queues in a thread domain, so that the device's library omits its locks (libmlx5 keeps "
		"that of a CQ); refused if the device has no thread domains", IN(QUEUES, ALL, OPT_LOCAL, "6.29")},
{FLAG(NO_LETTER, "use_old_post_send", verbs.use_old_post_send),
	.help = "Post with ibv_post_send() even where the ibv_wr_* calls are preferred",
	IN(QUEUES, MOVES, OPT_LOCAL, "6.06"), .tolerated = FS},
{FLAG(NO_LETTER, "use_wr_api", verbs.use_wr_api),
	.help = "Post with the ibv_wr_* calls even where ibv_post_send() is preferred, as on all adapters but those "
		"of mlx5, EFA and hns; refused if the device does not have them", IN(QUEUES, IB, OPT_LOCAL, "7.0")},
