/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Options: raw Ethernet. Rows of the table in options.c, included only there. */
/* clang-format off */
{
	FLAG('P', "client", ethernet.client),
	.help = "Run as the client, which sends, or starts",
	IN(ETHERNET, RAW, OPT_LOCAL, "6.06"),
},
{
	FLAG('Z', "server", ethernet.server),
	.help = "Run as the server, which waits for the first frame without a limit",
	IN(ETHERNET, RAW, OPT_LOCAL, "6.06"),
},
{
	STRING('B', "source_mac", "MAC", ethernet.source_mac),
	.aliases = {"local_mac"},
	.check = check_mac_address,
	.help = "MAC address of this side: the source of its frames and the destination of the other side's",
	.brief = "MAC address of this port",
	IN(ETHERNET, RAW, OPT_LOCAL, "6.06"),
},
{
	STRING('E', "dest_mac", "MAC", ethernet.dest_mac),
	.aliases = {"remote_mac"},
	.check = check_mac_address,
	.help = "MAC address of the other side; a server that sends nothing needs none",
	.brief = "MAC address of the other side",
	IN(ETHERNET, RAW & ~FS, OPT_LOCAL, "6.06"),
	.tolerated = FS,
},
{
	STRING('J', "dest_ip", "IP", ethernet.dest_ip),
	.check = check_ip_address,
	.help = "IP address of the server, the same on both sides; frames then have an IP header",
	IN(ETHERNET, RAW, OPT_LOCAL, "6.06"),
},
{
	STRING('j', "source_ip", "IP", ethernet.source_ip),
	.check = check_ip_address,
	.help = "IP address of the client, the same on both sides",
	IN(ETHERNET, RAW, OPT_LOCAL, "6.06"),
},
{
	STRING(NO_LETTER, "local_ip", "IP", ethernet.local_ip),
	.check = check_ip_address,
	.help = "IP address of this side, in place of --source_ip and --dest_ip",
	IN(ETHERNET, RAW, OPT_LOCAL, "6.06"),
},
{
	STRING(NO_LETTER, "remote_ip", "IP", ethernet.remote_ip),
	.check = check_ip_address,
	.help = "IP address of the other side",
	IN(ETHERNET, RAW, OPT_LOCAL, "6.06"),
},
{
	INTEGER('K', "dest_port", "PORT", ethernet.dest_port, 1, 65535),
	DEFAULT_WORD("none", 0),
	.help = "UDP or TCP port of the server, the same on both sides; frames then have a UDP or TCP header",
	IN(ETHERNET, RAW, OPT_LOCAL, "6.06"),
},
{
	INTEGER('k', "source_port", "PORT", ethernet.source_port, 1, 65535),
	DEFAULT_WORD("none", 0),
	.help = "UDP or TCP port of the client, the same on both sides",
	IN(ETHERNET, RAW, OPT_LOCAL, "6.06"),
},
{
	INTEGER(NO_LETTER, "local_port", "PORT", ethernet.local_port, 1, 65535),
	DEFAULT_WORD("none", 0),
	.help = "Port of this side, in place of --source_port and --dest_port",
	IN(ETHERNET, RAW, OPT_LOCAL, "6.06"),
},
{
	INTEGER(NO_LETTER, "remote_port", "PORT", ethernet.remote_port, 1, 65535),
	DEFAULT_WORD("none", 0),
	.help = "Port of the other side",
	IN(ETHERNET, RAW, OPT_LOCAL, "6.06"),
},
{
	FLAG(NO_LETTER, "tcp", ethernet.tcp),
	.help = "The ports are TCP ports, not UDP ports",
	IN(ETHERNET, RAW, OPT_LOCAL, "6.06"),
},
{
	FLAG(NO_LETTER, "raw_ipv6", ethernet.ipv6),
	.help = "The IP addresses are IPv6 addresses",
	IN(ETHERNET, RAW, OPT_LOCAL, "6.06"),
},
{
	INTEGER('L', "hop_limit", "N", ethernet.hop_limit, 0, 255),
	.default_text = "64",
	.own_default = true,
	.help = "Time to live of IPv4, or hop limit of IPv6",
	IN(ETHERNET, RAW & ~FS, OPT_LOCAL, "6.06"),
	.tolerated = FS,
},
{
	INTEGER('Y', "ethertype", "TYPE", ethernet.ethertype, 1536, 65535),
	DEFAULT_WORD("auto", 0),
	.help = "Type in the Ethernet header, such as 0x88B5; auto: that of IPv4 or IPv6, or without an IP header "
		"the length of the payload (IEEE 802.3)",
	IN(ETHERNET, RAW, OPT_LOCAL, "6.06"),
},
{
	FLAG(NO_LETTER, "vlan_en", ethernet.vlan),
	.help = "Add a VLAN tag to the frames, for VLAN 1",
	IN(ETHERNET, RAW & ~FS, OPT_LOCAL, "6.06"),
	.tolerated = FS,
},
{
	INTEGER(NO_LETTER, "vlan_pcp", "N", ethernet.vlan_pcp, 0, 8),
	.default_text = "1",
	.own_default = true,
	.help = "Priority in the VLAN tag; 8: successive frames of the buffer use the priorities in turn; implies "
		"--vlan_en",
	IN(ETHERNET, RAW & ~FS, OPT_LOCAL, "6.06"),
	.tolerated = FS,
},
{
	INTEGER(NO_LETTER, "flows", "N", verbs.frames.flows, 1, 65536),
	.default_text = "1",
	.help = "Flows of each queue pair, which its frames use in turn; each flow has the next pair of ports",
	IN(ETHERNET, RAW & BW, OPT_LOCAL, "6.06"),
},
{
	INTEGER(NO_LETTER, "flows_burst", "N", verbs.frames.flows_burst, 1, 65536),
	.default_text = "1",
	.help = "Consecutive frames of one flow before the next flow's turn",
	IN(ETHERNET, RAW & BW, OPT_LOCAL, "6.06"),
},
{
	FLAG(NO_LETTER, "raw_mcast", ethernet.mcast),
	.help = "Send frames to the MAC address of the IPv4 multicast group --dest_ip",
	IN(ETHERNET, RAW & BW, OPT_LOCAL, "6.06"),
},
{
	FLAG('v', "mac_fwd", ethernet.mac_fwd),
	.help = "The server sends each frame back with its MAC addresses swapped; the client counts the returned frames, as with -b",
	IN(ETHERNET, RAW & BW, OPT_LOCAL, "6.06"),
},
{
	FLAG(NO_LETTER, "promiscuous", verbs.frames.promiscuous),
	.help = "Also receive frames that match no other rule of the device",
	IN(ETHERNET, RAW & ~FS, OPT_LOCAL, "6.06"),
},
{
	FLAG(NO_LETTER, "sniffer", verbs.frames.sniffer),
	.help = "Also receive a copy of everything that passes through the port",
	IN(ETHERNET, RAW & ~FS, OPT_LOCAL, "6.06"),
},
{
	FLAG('G', "use_rss", verbs.frames.rss.is_used),
	.help = "The server spreads arriving frames over -q work queues (a power of two; 2 without -q) and counts the "
		"frames of each: the device selects the queue by a Toeplitz hash of IP addresses and ports (RSS). "
		"Clients need no option for it",
	IN(ETHERNET, RAW & BW, OPT_LOCAL, "7.0"),
},
{
	INTEGER(NO_LETTER, "reply_every", "N", ethernet.reply_every, 1, 65535),
	.default_text = "1",
	.help = "The server answers the last of every N frames; without this option it takes N from its client's "
		"frames",
	IN(ETHERNET, BURST, OPT_LOCAL, "6.06"),
},
