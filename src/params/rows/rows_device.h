/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Options: device and path. Rows of the table in options.c, included only there. */
/* clang-format off */
{STRING('d', "ib-dev", "NAME", verbs.device_name), .check = check_device_name,
	.help = "RDMA device; by default the first one whose port is up. With -O two devices may be given, separated by a comma; "
		"one port of each is used", .brief = "RDMA device, if not the first",
	IN(DEVICE, ALL, OPT_LOCAL, "6.06")},
{INTEGER('i', "ib-port", "N", verbs.port, 1, 255), .default_text = "1",
	.help = "Port of the device; with -O the port of the first half of the queue pairs, or that of both devices",
	IN(DEVICE, ALL, OPT_LOCAL, "6.06")},
{FLAG('O', "dualport", verbs.dual_port),
	.help = "Use two ports at once: the first half of the queue pairs uses the port of -i, the second half the "
		"other port of the device (2, or 1 with -i 2) or the second device of -d. There are twice as many "
		"queue pairs as -q says", IN(DEVICE, BW & ~RAW, OPT_SHARED, "6.06")},
{CHOICE('c', "connection", "TYPE", asked.transport), USED_AS(verbs.transport),
	CHOICES({"RC", TRANSPORT_RC, IB}, {"UC", TRANSPORT_UC, TWO_WAY}, {"UD", TRANSPORT_UD, SEND},
		{"XRC", TRANSPORT_XRC, IB}, {"DC", TRANSPORT_DC, IB}, {"SRD", TRANSPORT_SRD, IB & ~ATOMIC},
		{"RawEth", TRANSPORT_RAW_ETHERNET, RAW}), .default_text = "RC", SPECIAL_DEFAULTS({RAW, "RawEth"}),
	.help = "Connection type of the queue pairs", .brief = "Connection type", IN(DEVICE, ALL, OPT_SHARED, "6.06")},
{INTEGER('m', "mtu", "BYTES", asked.mtu, 64, 9600), DEFAULT_WORD("auto", 0), SPECIAL_DEFAULTS({RAW, "1518"}),
	.help = "Path MTU: 256, 512, 1024, 2048 or 4096; auto, or any other number, such as Ethernet's 1500: the "
		"active MTU of the port. Both sides use the smaller of their two. With raw Ethernet, the length of "
		"the longest frame, including its check sequence", IN(DEVICE, MOVES, OPT_OFFERED, "6.06"),
	.tolerated = FS},
{INTEGER('x', "gid-index", "N", verbs.gid_index, 0, 255), DEFAULT_WORD("auto", CONFIG_AUTO),
	.help = "Index of the port's GID to use; auto: the RoCE v2 GID from which the route to the other side starts, "
		"none on InfiniBand", IN(DEVICE, IB, OPT_LOCAL, "6.06")},
{FLAG(NO_LETTER, "ipv6", verbs.ipv6), .help = "Let the automatic choice prefer GIDs made from IPv6 addresses",
	IN(DEVICE, IB, OPT_OFFERED, "6.06"), .tolerated = RAW},
{INTEGER('S', "sl", "LEVEL", verbs.sl, 0, 15), .default_text = "0", .help = "Service level",
	IN(DEVICE, IB | (RAW & ~FS), OPT_OFFERED, "6.06"), .tolerated = FS},
{INTEGER(NO_LETTER, "tclass", "CLASS", verbs.tclass, 0, 255), .default_text = "0",
	.help = "Traffic class in the global route header", IN(DEVICE, IB, OPT_OFFERED, "6.06"), .tolerated = RAW},
{STRING(NO_LETTER, "flow_label", "LABELS", asked.flow_label), .check = check_flow_labels,
	.help = "Flow label in the global route header, or with raw Ethernet in the IPv6 header: 0 to 1048575, or a "
		"list such as 1,2,3 that queue pairs use in turn", IN(DEVICE, MOVES, OPT_LOCAL, "6.06"),
	.tolerated = FS},
{INTEGER(NO_LETTER, "dlid", "LID", verbs.dlid, 0, 65535), DEFAULT_WORD("auto", CONFIG_AUTO),
	.help = "Destination LID, instead of the one that the peer advertises; 0: as auto",
	IN(DEVICE, IB, OPT_LOCAL, "6.06"), .tolerated = RAW},
{INTEGER(NO_LETTER, "pkey_index", "N", verbs.pkey_index, 0, 65535), .default_text = "0",
	.help = "Index of the partition key", IN(DEVICE, IB, OPT_LOCAL, "6.06"), .tolerated = RAW},
{INTEGER('u', "qp-timeout", "N", verbs.qp_timeout, 0, 31), .default_text = "14",
	.help = "Acknowledgement timeout: 4.096 us * 2^N; 0: no limit", IN(DEVICE, IB, OPT_OFFERED, "6.06"),
	.tolerated = RAW},
{FLAG('R', "rdma_cm", verbs.rdma_cm),
	.help = "Connect the queue pairs with rdma_cm; the IP address selects the device; implies -z",
	.brief = "Connect with rdma_cm", IN(DEVICE, IB, OPT_SHARED, "6.06")},
{INTEGER('T', "tos", "CLASS", verbs.tos, 0, 255), DEFAULT_WORD("auto", CONFIG_AUTO),
	.help = "With -R, the type of service: DSCP * 4 on RoCE; auto: the system's default for rdma_cm. With raw "
		"Ethernet, the type of service of IPv4 or the traffic class of IPv6; auto: 0",
	IN(DEVICE, MOVES, OPT_OFFERED, "6.06"), .tolerated = FS},
{INTEGER(NO_LETTER, "retry_count", "COUNT", verbs.retry_count, 0, 255), .default_text = "7",
	.help = "Transport and RNR retry count of connections made with -R; 7 is the maximum, and means infinite for "
		"RNR", IN(DEVICE, IB, OPT_OFFERED, "6.06"), .tolerated = RAW},
{CHOICE(NO_LETTER, "force-link", "LAYER", verbs.link), DEFAULT_WORD("auto", CONFIG_LINK_OF_PORT),
	CHOICES({"IB", CONFIG_LINK_IB, 0}, {"Ethernet", CONFIG_LINK_ETHERNET, 0}),
	.help = "Link layer to assume; auto: the one that the port reports", IN(DEVICE, IB, OPT_LOCAL, "6.06"),
	.tolerated = RAW},
