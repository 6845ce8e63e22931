// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The text of the manual pages besides the options, in the order in which it is printed. Definitions here are those of
 * the code: stats/window.h (peak), stats/histogram.h (percentiles), loops/run.h (samples), session/print/rows.c
 * (averages), util/process.h.
 */
#include "params/engine/page.h"

#include "params/masks.h"

#define WRITE_BW  PROGRAM_BIT(IB_WRITE_BW)
#define WRITE_LAT PROGRAM_BIT(IB_WRITE_LAT)
#define SEND_BW	  PROGRAM_BIT(IB_SEND_BW)
#define SEND_LAT  PROGRAM_BIT(IB_SEND_LAT)

const struct manual_paragraph manual[] = {
	/* --- description --- */
	{MANUAL_DESCRIPTION, SEND_BW, NULL,
	 "The client keeps -t messages (the TX depth) in flight on every queue pair, and the server keeps receives "
	 "posted for them. Each side measures for itself: the client from its first post to its last completion, the "
	 "server from the first arrival to the last."},
	{MANUAL_DESCRIPTION, SEND_LAT, NULL,
	 "A ping-pong of SENDs: the client sends, the server answers what it receives with a message of the same size, "
	 "and so on. Both sides report half of the round trip that they measured."},
	{MANUAL_DESCRIPTION, WRITE_BW, NULL,
	 "The client writes into the server's memory and keeps -t messages (the TX depth) in flight on every queue "
	 "pair. It measures from its first post to its last completion. The server's CPU is not involved, and the "
	 "server prints the client's figures; with --write_with_imm it counts arrivals and prints its own."},
	{MANUAL_DESCRIPTION, WRITE_LAT, NULL,
	 "A ping-pong through memory: each side writes into the other's memory and polls the last byte of its own "
	 "until the answer has arrived; the server starts. Both sides report half of the round trip that they "
	 "measured. With --write_with_imm the sides wait for receive completions instead of bytes, and the client "
	 "starts."},
	{MANUAL_DESCRIPTION, BW &READ, NULL,
	 "The client reads from the server's memory and keeps as many requests outstanding on every queue pair as the "
	 "TX depth (-t) and -o allow. It measures from its first post to its last completion. The server's CPU is not "
	 "involved, and the server prints the client's figures."},
	{MANUAL_DESCRIPTION, LAT &READ, NULL,
	 "The client reads from the server's memory, one request at a time, and reports the full time from post to "
	 "completion. The server only waits."},
	{MANUAL_DESCRIPTION, BW &ATOMIC, NULL,
	 "The client does fetch-and-add or compare-and-swap (-A) on 8 bytes of the server's memory and keeps as many "
	 "requests outstanding on every queue pair as the TX depth (-t) and -o allow. It measures from its first post "
	 "to its last completion. The server's CPU is not involved, and the server prints the client's figures."},
	{MANUAL_DESCRIPTION, LAT &ATOMIC, NULL,
	 "The client does fetch-and-add or compare-and-swap (-A) on 8 bytes of the server's memory, one request at a "
	 "time, and reports the full time from post to completion. The server only waits."},
	{MANUAL_DESCRIPTION, RAW &BW, NULL,
	 "The client sends Ethernet frames from raw packet queue pairs and keeps -t of them (the TX depth) in flight "
	 "on each; the server has steering rules that direct them to its own queue pairs, and counts them. Each side "
	 "measures for itself: the client from its first post to its last completion, the server from the first "
	 "arrival to the last."},
	{MANUAL_DESCRIPTION, RAW &BW, NULL,
	 "With --mac_fwd the server sends each frame of -s bytes back to its sender, with its MAC addresses swapped "
	 "and otherwise unchanged; it needs no -E, and the sender may be any program, such as a client with -b. A "
	 "client that is also given --mac_fwd has rules for the returned frames. Each side reports what it sent. "
	 "Frames of another length are not returned; if the first one has another length, the server reports it and "
	 "exits."},
	{MANUAL_DESCRIPTION, RAW &BW, NULL,
	 "With --use_rss the server has -q work queues in an indirection table, and one queue pair in front of it "
	 "(RSS): the device assigns each frame to a work queue by the Toeplitz hash of its IP addresses and ports, "
	 "with the key of the hash's published test vectors. Ports are not hashed if -J or -j is given without -K; the "
	 "addresses are IPv4 unless --raw_ipv6 is given, the ports UDP unless --tcp is. The steering rules match the "
	 "addresses and ports that are given: with -B alone, everything that comes to that address. The server expects "
	 "-n frames for each work queue, from clients that need no such option: one with as many queue pairs, one with "
	 "matching -n and --flows, or several."},
	{MANUAL_OUTPUT, RAW &BW, "rss_queue_0=, rss_queue_1=, ...",
	 "With --use_rss, printed below the row: the number of frames that arrived at each work queue."},
	{MANUAL_OUTPUT, RAW &BW, "#sl",
	 "With -S: the service level, which is set on the queue pair. Kernels that accept none for raw packet queue "
	 "pairs, such as the mainline kernel, end the test. --vlan_pcp is a priority in the frames instead."},
	{MANUAL_OUTPUT, BW &RECEIVES, NULL,
	 "With --rate_limit_type=PP the device paces what is sent: each queue pair gets its share of --rate_limit "
	 "through ibv_modify_qp_rate_limit(), with a burst of --burst_size messages if that is given. A device that "
	 "has no packet pacing for such queue pairs, or not at that rate, ends the test."},
	{MANUAL_DESCRIPTION, RAW &LAT & ~BURST, NULL,
	 "A ping-pong of Ethernet frames between raw packet queue pairs: the client sends, the server answers what it "
	 "receives with a frame of the same size, and so on. Both sides report half of the round trip that they "
	 "measured."},
	{MANUAL_DESCRIPTION, BURST, NULL,
	 "The client sends Ethernet frames from a raw packet queue pair in bursts of --burst_size, and the server "
	 "answers the last of every N of them (--reply_every) with a frame of the same size. Once the answers to a "
	 "burst have arrived, the next one begins; with --rate_limit not before it is due, so that no average is above "
	 "the limit. Each answered frame is a sample: the time it took while the others were in flight. The client "
	 "reports half of the round trip; the server, which only answers, has no figures. A run is always -n frames on "
	 "both sides, never a duration."},
	{MANUAL_DESCRIPTION, BURST, NULL,
	 "The first 16 bytes after a frame's headers are a mark: a byte 0x51, or 0x41 in an answer; N in two bytes; "
	 "the number of the frame, counted from 0 through all --sizes, in five; and the complement of these eight "
	 "bytes. An answer carries the number of the frame that it answers, so that a sample never mixes up two "
	 "frames, whatever is lost. Frames without a mark are ignored."},
	{MANUAL_DESCRIPTION, FS, NULL,
	 "The program creates steering rules for raw packet queue pairs, as raw_ethernet_bw's server does for its "
	 "frames, and destroys them again: -n rules for each queue pair (-q), all of which exist before the first is "
	 "destroyed. There is no other side and no frame is sent; --client and --server only select whose ports and "
	 "addresses the rules match. With -D such rounds are repeated until the time is over. A rule matches the MAC "
	 "address -B, --ethertype, the addresses -J and -j and the ports -K and -k, where they are given. No two rules "
	 "are the same: each has the next port or, without ports, the next MAC address."},
	{MANUAL_DESCRIPTION, RAW & ~FS, NULL,
	 "Without --side_channel the two sides learn of each other only from the frames, and each follows its own "
	 "options. Give both the same ones, except --client (-P) to one and --server (-Z) to the other, and to each "
	 "its own MAC address as -B and the other's as -E. Start the server first: it waits for the first frame "
	 "without a limit, and what is sent before it is ready is lost. A side that only waits for frames and receives "
	 "none for --timeout exits."},
	{MANUAL_DESCRIPTION, RAW & ~FS & ~BURST, NULL,
	 "The other side may be linux-rdma perftest's program of the same name."},
	{MANUAL_DESCRIPTION, RAW & ~FS, NULL,
	 "With --side_channel on both sides they connect over TCP: the side that names a HOST is the client, the other "
	 "one listens on -p, and --client and --server may be omitted. The client sends its options, a contradiction "
	 "is refused by name, both start each size together, say when they are done, and exchange their results and, "
	 "with --explain, what each has seen. Only -B and -E, what is of one host, and --local_ip and the like are "
	 "given to each. The rule of a MAC address alone takes all that comes to it, on an adapter also what the "
	 "kernel waits for: name a HOST behind another interface, or give ports (-K, -k)."},
	{MANUAL_DESCRIPTION, BURST, NULL,
	 "Both sides must be this program: linux-rdma perftest's cannot start with its defaults, and does not mark its "
	 "frames."},
	{MANUAL_DESCRIPTION, RAW & ~FS, NULL,
	 "The length of a frame is -s, or one of --sizes after the other, including the check sequence of 4 bytes that "
	 "the adapter adds; at least 64 bytes, or what its headers need, and at most -m. Its headers are Ethernet, a "
	 "VLAN tag with --vlan_en, IP with -J and -j, and with -K and -k UDP or, with --tcp, TCP. -J and -K are the "
	 "server's and -j and -k the client's, on both sides; --local_ip, --remote_ip, --local_port and --remote_port "
	 "are this side's and the other side's. Lengths and checksums are valid. The rest is random, or from "
	 "--payload_file_path. Each further queue pair has the next ports, as many of them as --flows says, so that "
	 "the rules can tell their frames apart; without ports the first queue pair receives everything."},
	{MANUAL_DESCRIPTION, IB, NULL,
	 "Without HOST the program is the server: it waits for a client, runs one test and exits. With HOST it is the "
	 "client; HOST is a name or an address, and HOST:PORT or [ADDRESS]:PORT also names the port; for several hosts "
	 "see below. Both sides run the same program: the server becomes that of its client if it is of another ib_* "
	 "program, and all that the server was given is valid for that one, too; not with --clients. They connect over "
	 "TCP, and the client sends its options to the server, which adopts those that it was not given itself. If the "
	 "server was given another value than the client for an option on which both must agree, both exit with an "
	 "error that shows the option and both values; for other options the server keeps its own value. Options that "
	 "concern only one host, such as the device, its port and GID, memory, CPUs and files, are never sent."},
	{MANUAL_DESCRIPTION, SEND_BW, NULL,
	 "With -g messages go to a multicast group: the server's -q queue pairs are its members, and each receives "
	 "every message, of which the client sends -n from one queue pair. Any number of further receivers, on any "
	 "host, can be started before the client, with -g and --connectionless and the same -M, -n or -D and -s: they "
	 "connect to no peer, wait for the first message without a limit, and count until -n messages have arrived, "
	 "nothing follows for --timeout, which is an error before the time of -D is over, that time is over or their "
	 "user stops them. Lost messages that a server or client reports are those between these two. With ib_send_bw "
	 "-g HOST,HOST,... the client sends to all receivers that it names, each started as a server with -g and the "
	 "same -M: once all are ready it sends every message once, from one queue pair. Its row shows what it sent, "
	 "and the table below it, for each receiver, what arrived there, at which rate, and what was lost on the way. "
	 "The client goes on if a receiver is lost."},
	{MANUAL_DESCRIPTION, SEND_LAT, NULL,
	 "With -g each side receives from a multicast group of its own, since it would otherwise receive its own "
	 "messages: the server from the group of -M, the client from the one whose last byte is higher by one."},
	{MANUAL_DESCRIPTION, SEND_BW | SEND_LAT, NULL,
	 "On RoCE the group of -g is joined with rdma_cm, if it is available, from the address of the GID in use, so "
	 "that switches learn of it through IGMP. The kernel does so only for IPv4 groups (-M 239.1.1.1); on a "
	 "software RoCE device (rxe) only messages to these leave the host. Without -x a GID of the group's address "
	 "family is chosen. On InfiniBand the subnet administrator is asked to join and to leave, through libibumad, "
	 "which needs root or access to /dev/infiniband/umad*; the group's LID, Q_Key, MTU and service level are those "
	 "in its answer. A program that is killed with SIGKILL leaves its port in the group. If the other side of "
	 "ib_send_bw is linux-rdma perftest, that side needs -x and a GID of that family, too: -x 0 for its default "
	 "group."},
	{MANUAL_DESCRIPTION, IB, NULL,
	 "With --clients=N the server waits for N clients, starts them together, message size by message size, and "
	 "prints one row for all of them; each client prints its own as usual. A client with HOST,HOST,... is the "
	 "reverse: it connects to all these servers at once. Each pair is a process, with a CPU of its own if there "
	 "are enough. All clients must request the same test. A client beyond the N-th is refused, or with "
	 "--keep_serving waits for its turn; one that leaves before all have connected makes room for another. If no "
	 "further client connects for --timeout while one that has joined waits, or if N are refused and none has "
	 "joined, the test ends on all sides; a client's own --timeout does not run while it waits for the others. If "
	 "a pair is lost during the test, or a server can't be reached, it is named, the others continue, the row says "
	 "how many it contains, and the exit status is 1. Both sides must belong to this suite, and clients connect "
	 "over TCP: --clients excludes -R and -z. Limits (-w, -y, --max_lat) apply to the common row."},
	{MANUAL_DESCRIPTION, IB, NULL,
	 "The other side may be linux-rdma perftest 5.70 or later. Then no options are exchanged: give both sides the "
	 "same. It sends nothing while it measures, so a long count-based run may need a longer --timeout, and neither "
	 "side learns why the other ended. That it has been stopped is not noticed before the end of the run while its "
	 "memory takes WRITEs or gives READs, and so never in one without end. The same holds for rdma_cm, with -z or "
	 "-R; -R must then be given to the server of this suite as well."},

	/* --- output --- */
	{MANUAL_OUTPUT, ALL, NULL,
	 "Standard output carries results only: a block of information about the run, the addresses of the queue "
	 "pairs, and a table with a row for each message size. Columns have the order and the headings of linux-rdma "
	 "perftest. Errors, warnings, notes and, on a terminal, the progress of a long run go to standard error. To "
	 "keep a copy, use '| tee -i FILE': without -i, Ctrl-C ends tee, too, and the summary of the run is lost."},
	{MANUAL_OUTPUT, ALL, NULL,
	 "On a terminal, rules, address lines and messages fit its width, only two addresses of each side are shown "
	 "unless --verbose is given, and GIDs are written as in messages. A pipe or a file always gets the same."},
	{MANUAL_OUTPUT, ALL, "time[UTC]", "With --timestamps: when the row ended, in ISO 8601."},
	{MANUAL_OUTPUT, MOVES, "#bytes", "Size of a message."},
	{MANUAL_OUTPUT, BW &IB, "#iterations",
	 "Messages of all queue pairs together: -n times -q in a count-based run; in a timed run those that completed "
	 "in the measured time. With -b, in a count-based run: those that each side sends; in a timed run, in a row "
	 "that was cut short: those of both sides together, from which the rates are computed; in an interval row "
	 "those that this side sends."},
	{MANUAL_OUTPUT, RAW &BW, "#iterations",
	 "Frames of all queue pairs together: -n times -q in a count-based run; in a timed run those that completed, "
	 "or arrived, in the measured time. With -b those that this side sends."},
	{MANUAL_OUTPUT, LAT &TWO_WAY, "#iterations",
	 "Samples: -n of them in a count-based run. They are preceded by one more round trip, which includes the time "
	 "until the other side was ready and is not counted. With linux-rdma perftest there are -n round trips, "
	 "including that one."},
	{MANUAL_OUTPUT, RAW &LAT & ~BURST, "#iterations",
	 "Samples: -n of them in a count-based run. They are preceded by one more round trip, which includes the time "
	 "until the other side was ready and is not counted. raw_ethernet_lat of linux-rdma perftest makes -n round "
	 "trips, including that one; with it as the other side they are all counted here, and the test ends once "
	 "nothing more has arrived for 0.5 s."},
	{MANUAL_OUTPUT, LAT & ~RECEIVES, "#iterations",
	 "Samples: -n of them in a count-based run, one for each request. They are preceded by one more request, which "
	 "finds caches and paths cold and is not counted."},
	{MANUAL_OUTPUT, BW, "BW peak",
	 "The highest rate over any window of W completed messages, or of the whole run if that is higher, times the "
	 "message size; W is the larger of the TX depth times the queue pairs, and a 64th of all messages. A window "
	 "starts at a poll of the CQ and ends at the first one that finds W of its messages completed, where the next "
	 "one starts. Only messages posted after its start count: if a poll leaves completions behind (as it may with "
	 "--cqe_poll), none of those posted by then, and with CQ moderation none after the last completion. So the "
	 "peak is never above what the device did, even if the program was kept from polling; in a steady run it may "
	 "be no higher than the average. With -D only windows within the measured time count. With -N, and on a side "
	 "that only receives, the peak is not measured and 0 is printed."},
	{MANUAL_OUTPUT, BW, "BW average",
	 "Message size times the number of messages, over the time from the first post to the last completion. This "
	 "includes the time for the last messages to complete, which matters if there are few. A side that only "
	 "receives cannot know when the first message was posted: its average is what arrives after the first "
	 "arrivals, or with --rate_limit and -n after the first burst, over the time from there to the last arrival "
	 "(with --rate_limit and -D it is all that arrives between the margins, over that time). First arrivals are "
	 "those that may have been there when it first polled, at most the number of its receives (-r). If nothing is "
	 "left, because everything arrived at once, there is no average and no message rate: both are nan, null in "
	 "JSON and empty in CSV. The sender's row has them; or raise -n."},
	{MANUAL_OUTPUT, BW, NULL,
	 "MiB/sec is 2^20 bytes per second. Gb/sec (--report_gbits) is 10^9 bits per second; averages below 0.1 Gb/sec "
	 "are printed with six decimals."},
	{MANUAL_OUTPUT, BW, "MsgRate[Mpps]", "Messages over the same time, in millions per second."},
	{MANUAL_OUTPUT, BW, "90.0 % of 98.0 Gb/s, the payload limit of MTU 4096 over a link of 100 Gb/s",
	 "Below the table, at a terminal, or with --report_possible: the highest average as a share of what is "
	 "possible at its message size. That is the rate of the link (of the interface of the port's GID, and so of "
	 "all members of a bond; with -O of both ports; InfiniBand's up to FDR without its encoding) less the headers "
	 "of all packets, from the preamble to the gap, or what PCIe carries, if that is less: the slowest link from "
	 "the device to the root complex, less the headers of its packets if root reads their size (MaxPayloadSize). "
	 "With -b both directions, and the requests of a READ. Acknowledgements, retransmissions and the device's own "
	 "work are not counted, so 100 % need not be reached, and small messages are limited by the device long "
	 "before. More than 100 % did not cross the link: both ends were on one adapter. The headers of iWARP and of "
	 "SRD are not known, the link of rxe and siw is not one: there is no share. Of the software device it is one "
	 "of what memcpy moves on one CPU at that size (with -b of twice that), which takes 0.1 s for each size, only "
	 "with --report_possible. JSON has the object possible for each row."},
	{MANUAL_OUTPUT, ALL, "Likeliest cause: lost packets (client): 1.20 % of its TCP segments were sent again",
	 "Below the table, with --explain: " MANUAL_EXPLAIN
	 "Both sides note their counters, CPU time and network before and after the measurements, and tell each other. "
	 "A cause is named from where it begins to cost about 5 % of a figure; what exceeds that most is named first. "
	 "A shared or stolen CPU is named from 50 ms of waiting on: a run of few milliseconds is too short to judge "
	 "that, and says so. perftest's documents explain each cause (explain.md). Then follows what the doctor finds "
	 "on the host and the device of each side (--doctor) that may slow a test down and has no figure here: it is "
	 "no cause. JSON has the object explanation, with what both sides have seen."},
	{MANUAL_OUTPUT, BW &IB, "BW Port1, MsgRate Port1, BW Port2, MsgRate Port2",
	 "With --report-per-port: the share of each port's queue pairs in these averages. The time is that of both "
	 "ports, so that the two add up."},
	{MANUAL_OUTPUT, BW &IB, NULL,
	 "With -b each side measures what it sends, and both print the sum of the two rates, each over its own time: "
	 "the direction that finishes a little earlier is not charged for the other. But if both ran at the same time "
	 "for less than 90 % of the time from the first start to the last end, as in short runs on few CPUs, the row "
	 "is of what both moved in that time; JSON and CSV have the share as overlap_percent, with the error of the "
	 "comparison of both clocks, and there is a warning if it is below 50 %. On transports that may lose messages, "
	 "if they consume receives, a direction is of what arrived, over the sender's time, without a peak. "
	 "--report-both adds the two parts, those of a sweep after its table; JSON and CSV have the messages of each "
	 "side as iterations_local and iterations_remote. The peak is the sum of the peaks of both directions, which "
	 "need not have been at the same moment: an upper limit of what both moved at once. It is 0 if one was not "
	 "measured, and if both ran together for less than those 90 %, which is not known with linux-rdma perftest; "
	 "with --report-both each part has its own. Interval rows are of what this side sends, and are printed under "
	 "Local results: a script that reads all rows must check for that heading, or use the row after Summary, which "
	 "names no least of them. --output prints no such row. With -D linux-rdma perftest does not report what it "
	 "sent: if messages consume receives, the sum is then of what this side has sent and what has arrived, which "
	 "with UC and UD lacks what was lost."},
	{MANUAL_OUTPUT, IB, "#peers, least, most, fairness, overlap",
	 "With --clients and several HOSTs: the number of pairs in the row; the lowest and the highest average among "
	 "them (for latency, median); Jain's index of these, (sum x)^2 / (n sum x^2), which is 1 if all are equal and "
	 "1/n if one has everything; and the time in which all were measured, as a share of the time from the first "
	 "start to the last end. Averages and message rates of the row are what all pairs moved, each in its own "
	 "measured time, over the time from the first start to the last end: with -D that is the common time, except "
	 "for the few microseconds between the sides' passing of a barrier; with -n, where one pair may finish before "
	 "the others, it is the rate of the whole, and not a sum of rates that never occurred at the same time. Starts "
	 "and ends are by the clock of the side that prints, with which each pair compares its clocks before a "
	 "measurement: a peer reports when its time began, and how long it was; the JSON key clock_error_seconds says "
	 "by how much they may be off. There is a warning if that is more than a tenth of the time, and if the overlap "
	 "is below 50 %. There is no peak, and latency columns cover the samples of all: their histograms are added "
	 "up, with values that are off by at most 1/256, or 1/128 and half a clock cycle if the sides' clocks tick at "
	 "different rates. --report-both adds a row for each pair, which --output_format=csv and the JSON document "
	 "always have. If it is not known when each pair was measured, there is no average of all."},
	{MANUAL_OUTPUT, SEND_BW, NULL,
	 "With -g and several HOSTs iterations, averages and peak of the row are those of the sender, and least, most, "
	 "fairness and overlap those of the receivers. Each of these always has a row of its own, with what arrived at "
	 "its queue pairs and, as lost, how many messages did not, as a mean of them. The JSON key lost of the common "
	 "row is the mean of all receivers, rounded up."},
	{MANUAL_OUTPUT, BW, NULL,
	 "With --rate_limit the program posts a burst (--burst_size) once the time it should take is over, and a list "
	 "(-l) once that of all its messages is; the last burst consists of the messages that are left. It catches up "
	 "after a delay, and no average of what it sent is above the limit by more than the clock readings at the two "
	 "ends of the time, some microseconds. With -D it sends, between the margins of -f, as many messages as the "
	 "limit allows in that time, each burst at the beginning of the time it should take, in which it has to "
	 "complete; it makes up only for delays that occurred within that time. Lists are sent whole: what the limit "
	 "allows with -D after the last whole list is not sent. At 100 messages per second, -l 64 sends 64 messages in "
	 "one second and 192 in two, and a list that takes longer than that time is not sent at all. A run with -D "
	 "that is cut short may therefore be ahead of the limit by one burst. A receiver counts what arrives between "
	 "its own margins: if one of the sides had no CPU at their begin or end, that can be a whole burst more or "
	 "less. The last message of a burst is always signalled, so that CQ moderation may be lower than requested. "
	 "With several queue pairs the limit applies to all of them together, and they send bursts in turn; with -b it "
	 "applies to each direction."},
	{MANUAL_OUTPUT, RAW &BW, NULL,
	 "Frames may be lost. In a count-based run the side that receives knows how many to expect: those that are "
	 "missing after --timeout without a frame are reported as lost, by a warning and in JSON and CSV, and neither "
	 "they nor the time spent waiting for them are included in any average. A side that sends does not know, nor "
	 "does either side in a timed run: lost is then null in JSON, and empty in CSV. If nothing arrives for "
	 "--timeout before the measured time is over, a timed run ends with an error and the figures until then; a "
	 "shorter silence at its end is reported by a warning. With -b the row of a side covers what it sends. With "
	 "--side_channel the sides say how many they sent and received: lost is known to both, at once, and with -b "
	 "the row is that of both directions."},
	{MANUAL_OUTPUT, RAW &BW, NULL,
	 "With --sizes and without --side_channel the server receives all sizes in one run, as it is not told when the "
	 "next one begins, and "
	 "prints their rows at the end. A frame belongs to the size of its length, up to -n of each; other lengths are "
	 "ignored. If the first frame has one, the sides have different sizes, and the run ends; with --promiscuous "
	 "and --sniffer it may be of other traffic. A row has the time from the first of its frames to the last, and "
	 "says how many are missing. The run is over with the last frame of the last size, or after --timeout without "
	 "a frame; a size without any frame is an error."},
	{MANUAL_OUTPUT, BURST, "#iterations",
	 "Samples: -n divided by --reply_every, minus the answers that were lost."},
	{MANUAL_OUTPUT, BURST, NULL,
	 "Frames may be lost. An answer is given up 0.5 s after the last other answer to its burst: it is not included "
	 "in any figure, but counted as lost in a warning and in JSON and CSV. A burst without any answer ends the "
	 "test after --timeout, with what was measured until then. The server reports how many frames did not reach "
	 "it."},
	{MANUAL_OUTPUT, RAW &LAT & ~BURST, NULL,
	 "A lost frame ends the test after --timeout, with what was measured until then."},
	{MANUAL_OUTPUT, RAW &BW, NULL,
	 "If --flows times --flows_burst is not a power of two, the order of the flows starts over in the middle of a "
	 "turn, at most once in sixteen turns."},
	{MANUAL_OUTPUT, BW &TWO_WAY, NULL,
	 "UC and UD may lose messages. Those that were sent but never arrived are reported as lost, by a warning and "
	 "in JSON and CSV, and are not included in any average of the receiver. The sender's own figures cover what it "
	 "sent, lost or not; the receiver reports to it what was lost. With WRITE neither side sees what arrives, and "
	 "linux-rdma perftest does not report it: lost is then null in JSON, and empty in CSV."},
	{MANUAL_OUTPUT, BURST, NULL,
	 "A sample is the time from just before a message is posted until its answer is seen. Every figure is half of "
	 "that, as an estimate of one direction; if the two directions differ, it is their mean."},
	{MANUAL_OUTPUT, LAT &RECEIVES & ~BURST, NULL,
	 "A sample is the time from just after a message is posted to just after the next one is, which has to wait "
	 "for the answer: one round trip and one post. So neither side reads the clock between an answer and its next "
	 "message, which would be in the other side's samples. If something else comes between them (the end, an "
	 "interval row, --latency_gap), the sample before it is the time from just before the post until the answer is "
	 "seen, which is as long. Every figure is half of a sample, as an estimate of one direction; if the two "
	 "directions differ, it is their mean."},
	{MANUAL_OUTPUT, RAW &LAT & ~BURST, NULL,
	 "With --latency_gap, without --side_channel, the side that starts waits before each of its frames, and the "
	 "other side, which must be given the option too, answers at once and has no figures, since the wait would be "
	 "in them. linux-rdma "
	 "perftest waits before its answers as well."},
	{MANUAL_OUTPUT, LAT &TWO_WAY & ~RAW, NULL,
	 "With --latency_gap the sides take turns: the side whose turn it is waits for the gap, posts, and takes a "
	 "sample of the exchange, which the other side answers at once. One more message passes the turn to the other "
	 "side. So the wait is in no sample of either side, and both have -n samples. linux-rdma perftest does not "
	 "take turns: if given the option, it waits before each of its answers, and the wait is in the other side's "
	 "samples."},
	{MANUAL_OUTPUT, LAT &TWO_WAY, NULL,
	 "The printing of an interval row is in no sample of either side: a message that it delayed is marked as such, "
	 "and the exchange is repeated and not counted, unless it took 0.1 s or more."},
	{MANUAL_OUTPUT, LAT & ~RECEIVES, NULL,
	 "A sample is the time from just before a request is posted until its completion is seen: a whole round trip, "
	 "not halved."},
	{MANUAL_OUTPUT, LAT & ~RAW, NULL,
	 "With --rate the loop is open: requests leave on schedule, like those of users who know nothing of each "
	 "other, and not when the previous one is answered. Without it the loop is closed: while the other side stalls "
	 "nothing is sent, so that a stall of any length is a single sample, whatever would have been due during it. "
	 "This is known as coordinated omission (Gil Tene, \"How NOT to Measure Latency\"); for other differences see "
	 "Schroeder, Wierman and Harchol-Balter, \"Open Versus Closed: A Cautionary Tale\" (NSDI 2006). In an open "
	 "loop each request that was due gives a sample, of all the time that it waited."},
	{MANUAL_OUTPUT, LAT & ~RAW, "due_typical, due_avg, due_max, percentiles of due",
	 "With --rate: the time from the planned start of a request until its answer was seen, which is what a user "
	 "waits. It is a whole round trip even if answers are messages, since half of the time in a queue would mean "
	 "nothing."},
	{MANUAL_OUTPUT, LAT & ~RAW, "post_typical, post_avg, post_max, percentiles of post",
	 "With --rate: the same samples measured from just before the post, also whole round trips. The difference is "
	 "the time that requests waited before they could be posted."},
	{MANUAL_OUTPUT, LAT & ~RAW, "load[%], rate[/sec], sent[/sec]",
	 "With --rate: the share of the maximum, the rate of the schedule, and the rate at which requests were posted. "
	 "If sent is below rate, requests were late: from the start of the schedule to the last post, with -D in the "
	 "measured time, fewer were posted than planned."},
	{MANUAL_OUTPUT, LAT & ~RAW, NULL,
	 "At most -t requests are in flight (128 unless given). A request that is due while that many are in flight is "
	 "late: it is posted when an answer makes room, and keeps its planned start. One exchange precedes the "
	 "schedule and is not a sample. The first request is due one interval after its answer. With "
	 "--arrival=constant all intervals are 1/RATE; with poisson they are independent and exponentially distributed "
	 "with that mean, and the time that n requests take varies by about 1/sqrt(n). The n-th interval is "
	 "-ln(u)/RATE with u = ((x >> 11) + 1) / 2^53, where x is the n-th number of splitmix64 from the state "
	 "--arrival_seed; each row starts over with that seed. The schedule is kept in fixed point and never drifts. "
	 "The other side answers every request at once, by a message of the same kind and size, and prints no table; "
	 "READ and atomics are answered by its device."},
	{MANUAL_OUTPUT, LAT & ~RAW, NULL,
	 "With --rate=10%..90% the maximum is measured first: the answers per second over 0.5 s in which -t requests "
	 "are always in flight. Then there is a row for each share of it: 10, 20, ... 90 %, or 10, 30, ... 90 % with "
	 "10%..90%:20%. From the row on in which the due columns exceed the post columns, the path is saturated."},
	{MANUAL_OUTPUT, LAT & ~RAW, NULL,
	 "With --rate and -D the requests that are due between the margins count. None is posted once the time is "
	 "over; those in flight are waited for. A request that has not been answered when the run ends, or that was "
	 "due but not even posted, as after Ctrl-C or at a rate that cannot be reached, would have taken at least as "
	 "long as it is old: its age is a sample if it is above the median of the others. CSV and the JSON document "
	 "have the number of all such requests, and there is a warning if one is older than every answered one or if "
	 "many were not posted. Interval rows have the samples whose answers have arrived by then; they are printed "
	 "when nothing is in flight and nothing is due for 0.1 ms, or 0.1 s late, and delays that they cause are in "
	 "the figures."},
	{MANUAL_OUTPUT, LAT &TWO_WAY, NULL,
	 "With --rate and UC or UD a request, or its answer, may be lost. Each carries its number as immediate data. A "
	 "request is given up if its slot is needed and a later one has been answered, or if nothing has been answered "
	 "for a second; such requests are not included in any figure, and their number is reported in a warning, JSON "
	 "and CSV (lost)."},
	{MANUAL_OUTPUT, FS, "#flows", "Rules that were created."},
	{MANUAL_OUTPUT, FS, "fs_min_time, fs_max_time, fs_typical_time, fs_avg_time, fs_stdev_time, percentiles",
	 "Of the times of the single calls of ibv_create_flow(): true extremes, median, mean and standard deviation; "
	 "percentiles come from a histogram whose values are off by at most 1/256 (0.4 %)."},
	{MANUAL_OUTPUT, FS, "fps[flow per sec]", "Rules that were created, over the sum of these times."},
	{MANUAL_OUTPUT, FS, "removed[flow per sec]",
	 "The same rules, over the time that ibv_destroy_flow() took to destroy them."},
	{MANUAL_OUTPUT, FS, NULL,
	 "The columns of --percentiles follow 99 and 99.9, in ascending order, each once. After Ctrl-C the rules are "
	 "destroyed, as a note says; a second Ctrl-C ends the program at once, and the kernel destroys them."},
	{MANUAL_OUTPUT, LAT, "t_min, t_max", "The true extremes of all samples; none is omitted."},
	{MANUAL_OUTPUT, LAT, "t_typical", "The median."},
	{MANUAL_OUTPUT, LAT, "t_avg, t_stdev",
	 "Mean and standard deviation (of the population) of all samples, from exact sums."},
	{MANUAL_OUTPUT, LAT, "99% percentile, 99.9% percentile, and those of --percentiles",
	 "The value at or below which that share of the samples lies: rank ceil(P/100 * count). Columns of "
	 "--percentiles are in ascending order, each once; 99 and 99.9 always have theirs. Median and percentiles come "
	 "from a histogram of constant size whose values are off by at most 1/256 (0.4 %), and are never below t_min "
	 "or above t_max. A percentile needs at least 1/(1 - P/100) samples, 99.9 % a thousand; with fewer, the "
	 "maximum is printed in its place. A line in the header says so; in a timed run, whose number of samples is "
	 "not known in advance, a note after the table does (on standard error if standard output is not a terminal). "
	 "The 100th percentile is the maximum itself."},
	{MANUAL_OUTPUT, LAT, NULL,
	 "A sample below zero, which occurs if the cycle counters of two CPUs are out of step, is not included in any "
	 "figure; such samples are counted, and a warning gives their number."},
	{MANUAL_OUTPUT, BURST, NULL,
	 "Times are in microseconds, with -C in ticks of the clock. -H prints every sample in ascending order before "
	 "the row, -U in the order in which answers arrived."},
	{MANUAL_OUTPUT, LAT & ~BURST, NULL,
	 "Times are in microseconds, with -C in ticks of the clock. With -D and --run_infinitely t_avg and tps "
	 "average, the ping-pongs or requests per second, come first, followed by the other figures. -H prints every "
	 "sample in ascending order before the row, -U in chronological order."},
	{MANUAL_OUTPUT, BURST, NULL,
	 "--report_interval prints a row for the samples of each interval, but not before the end of a burst."},
	{MANUAL_OUTPUT, MOVES & ~BURST, NULL,
	 "With -D the test runs for that many seconds, and the messages that complete between the two margins (-f) are "
	 "counted: with -D 10 -f 2, those of the six seconds in the middle. With --run_infinitely there is a row for "
	 "every interval of -D seconds, with the messages that completed in it, and after Ctrl-C a last row that sums "
	 "up the whole run. --report_interval prints such interval rows in any run. In bandwidth tests the summary "
	 "names the least of them, without a rest of less than half an interval; a row of less than a tenth of "
	 "one has no rates. They end at multiples of the interval. Bandwidth rows include the messages of the margins; "
	 "latency rows have only samples, of which there "
	 "are none in a margin. A sample belongs to the row in which its answer arrived, which may be shorter than the "
	 "sample; while an answer is awaited, a row may be printed up to 0.1 s after its end. With -D the last row "
	 "ends when the time is over, even if nothing moved in it, and what completes later is not counted: with -f 0 "
	 "the rows add up to the row below them. In any other run, and in one that was cut short, the last row ends at "
	 "the last message, in a latency test when the run ends, and is missing if there has been no message since the "
	 "row before; in a run that was cut short it is marked as partial. A row that could not be printed in time, "
	 "for example because the program was stopped, "
	 "covers the intervals that it missed: the two sides may have different numbers of rows, but each message is "
	 "in one of them. While a receiver over UC or UD waits for messages that may have been lost, no interval "
	 "ends."},
	{MANUAL_OUTPUT, LAT & ~BURST, NULL,
	 "In a timed run, tps is over the whole window between the margins, and every exchange that was open at some "
	 "time in it counts, with all the time that it took. So an outage affects the figures, whenever it occurs. An "
	 "exchange that has not been answered when the run ends counts with the time that it was open, if that is "
	 "longer than every other sample; the time until a side sees that the other one has ended does not count. "
	 "Without a timed window, tps is over the time until the last sample, with the gap before the first. The side "
	 "that only answers ends with the other one: with -f 0 its window, and the time in its JSON document, is "
	 "shorter by as much as it started later, as on a busy machine, and its "
	 "tps is over that shorter window. If the exchange that was open at the end stands out, a warning and the JSON "
	 "document say how long it took, or at least was open."},
	{MANUAL_OUTPUT, BW &IB, "#thread, CPU",
	 "With --threads the queue pairs of this side are divided among threads, each of which has a CPU of its own, "
	 "completion queues of its own, and shares nothing with the others while it runs. They start together. The row "
	 "is for all of them: the messages of all threads over the time from the first post to the last completion, "
	 "with -D over the common sample window. There is no peak. --report-both adds a row for each thread, which "
	 "JSON always has: a thread's messages over the time of all, so that the rows add up. A repeated run has no "
	 "such rows, nor has one with -b that the other side cut short. CPUs are chosen from those that this process "
	 "may run on (taskset, --pin_cores), one of each core and those near the device first. Each side chooses its "
	 "number of threads; a server without --threads uses its client's. The other side only sees queue pairs, as "
	 "with -q alone, so it may be linux-rdma perftest."},
	{MANUAL_OUTPUT, LAT &IB, "#thread, CPU",
	 "With --threads both sides have as many threads, and as many queue pairs; on each of them there is one "
	 "exchange at a time. Each thread has a CPU of its own, completion queues of its own, and shares nothing with "
	 "the others while it runs; they start together. The row covers all samples: #iterations is their number, "
	 "t_min and t_max are the extremes of all, and average, deviation and percentiles are of all of them together. "
	 "So it shows how long an exchange takes while the others are in progress. tps is that of all. --report-both "
	 "adds a row for each thread, which JSON always has. CPUs are chosen from those that this process may run on "
	 "(taskset, --pin_cores), one of each core and those near the device first."},
	{MANUAL_OUTPUT, IB, "#repeats, left out, CI95 low, CI95 high, reached",
	 "With --repeat and --until each message size is measured several times, over the same queue pairs, and its "
	 "row covers all measurements: counts are added up, averages and rates are means, the peak is the highest, and "
	 "a latency row has the samples of all. CI95 is the 95 % confidence interval: for bandwidth that of the "
	 "average, by Student's t from the averages of the measurements; for latency that of the median, by order "
	 "statistics from their medians, widened by half a bucket of the histogram at either end (at most 0.4 %, but "
	 "of samples below 128 clock cycles half a cycle, which is 0.8 % of 64), since even equal medians are not "
	 "known more exactly than that. One measurement is one value: its messages depend on each other, and would "
	 "make any interval look narrow. --until stops when both ends are within that many percent of the center, "
	 "after at least ten measurements and twice in a row, or at --max_repeats or --max_time, which a warning "
	 "reports. An interval that was waited for contains the true figure slightly less often than one that was not: "
	 "in simulations, in at least 93 of 100 cases. It describes this run only: what differs from day to day is not "
	 "in it. --steady omits as many of the first measurements as make the standard error of the mean of the others "
	 "smallest (MSER; White 1997), at most half of them: if it is half, the run has not settled. Because this "
	 "choice favours measurements that happen to be alike, the interval of an average is at least as wide as the "
	 "deviation in the second half of the measurements makes it; with --until it contains the true figure in at "
	 "least 91 of 100 cases, if the averages of the measurements are normally distributed, as those of many "
	 "messages nearly are. With averages as skewed as an exponential distribution it does in 75 to 93, and without "
	 "--steady in 87 to 95: let each measurement last longer. If too few measurements are left for an interval, a "
	 "warning says so."},
	{MANUAL_OUTPUT, ALL, "CPU_Util[%]",
	 "With --cpu_util: the share of time for which the CPUs of this machine, all together, were busy: user, nice, "
	 "system, interrupt and stolen time. nan in a row that is too short for the kernel's clock ticks."},
	{MANUAL_OUTPUT, MOVES, "NAME=INCREASE",
	 "With -W, below each row: by how much the counter has increased since the row before it, or since the "
	 "warm-up; below a summary since the start of the run. With -D this includes the margins, whose messages are "
	 "in no average: with -f 0 both cover the same time."},
	{MANUAL_OUTPUT, IB, "VALIDATION",
	 "With --data_validation: how many of the messages that were sent have been checked byte for byte, and whether "
	 "all were correct. The test then runs in rounds of as many messages as the buffer has slots for; the figures "
	 "cover only the transfer, not filling and checking. Both sides of a bandwidth test print the sender's "
	 "figures. The side where data arrives names the first ten wrong messages by queue pair, number and offset. "
	 "Messages that UC or UD lost are counted, but are not errors."},
	{MANUAL_OUTPUT, ALL, NULL,
	 "A run that is cut short prints what it has measured so far and marks it as partial."},
	{MANUAL_OUTPUT, ALL, NULL,
	 "--output prints the average alone, with six decimals, for scripts. --output_format=json prints one JSON "
	 "document, jsonl the same with a line for each row as soon as it is over, and csv prints comma-separated rows "
	 "under a heading, all with units in their names; --out_json also writes the document to a file, whatever else "
	 "is printed. The document has the host, the device, every parameter, every size and interval, the clock and "
	 "its error, and the warnings; its schema is schema.json in the folder of the documentation, "
	 "/usr/share/doc/perftest."},

	{MANUAL_OUTPUT, ALL, NULL,
	 "--doctor runs no test. It prints a page about this host and device: link, MTU, GIDs, counters of congestion "
	 "and loss, PCIe, NUMA, CPU frequency, memory limits, kernel modules. Each line says ok, look here (and what "
	 "to do) or unknown. The checks are described in doctor.md in the folder of the documentation; with "
	 "--output_format=json the page is a JSON document."},

	/* --- exit status --- */
	{MANUAL_EXIT_STATUS, ALL, "0", "Success; also after --help and --version."},
	{MANUAL_EXIT_STATUS, ALL, "1", "A failure of the device, the other side, the network or a file."},
	{MANUAL_EXIT_STATUS, ALL, "2", MANUAL_USAGE_ERROR},
	{MANUAL_EXIT_STATUS, BW, "3",
	 "The test ran, but a result is below -w or -y; a message for each says by how much, and in JSON missed_limits "
	 "has them all. -w 90% is 90 % of what is possible at that size, as under OUTPUT, and -w 90%line of the link's "
	 "rate without regard to headers; with --limit_peers of the equal part of each peer. Where that is unknown the "
	 "status is 1, before the test."},
	{MANUAL_EXIT_STATUS, LAT, "3",
	 "The test ran, but a figure is above --max_lat, --max_p99 or --max_percentiles, or there were too few samples "
	 "for it; a message for each says by how much, and in JSON missed_limits has them all. Each side checks its "
	 "own rows."},
	{MANUAL_EXIT_STATUS, MOVES, NULL,
	 "With --limit_intervals the limits also hold for the rows of --report_interval and --run_infinitely, except a "
	 "last one of less than half an interval, and one that a signal cut short. The first row that misses one is "
	 "named at once, with its time; at the end the number of such rows, and the one that misses its limit by the "
	 "largest factor. A run that ends with Ctrl-C because it has no other end has status 3, too."},
	{MANUAL_EXIT_STATUS, IB, NULL,
	 "With --limit_peers the limits of --clients and of several HOSTs hold for the row of each peer, which is "
	 "named, instead of that of all."},
	{MANUAL_EXIT_STATUS, IB, "4",
	 "With --data_validation: a message arrived corrupted, on either side. Takes precedence over 3 and 130."},
	{MANUAL_EXIT_STATUS, ALL, "5", "--doctor, or perftest doctor, found something to look at."},
	{MANUAL_EXIT_STATUS, ALL, "130", "Ctrl-C, SIGTERM or, unless it is ignored (nohup), SIGHUP cut the run short."},
	{MANUAL_EXIT_STATUS, IB, NULL,
	 "A server with --keep_serving that such a signal ends while it has no client exits with 0."},

	/* --- environment --- */
	{MANUAL_ENVIRONMENT, ALL, "PERFTEST_SOFT",
	 "null: the software device completes requests at once without moving data, which measures the overhead of the "
	 "program itself."},
	{MANUAL_ENVIRONMENT, ALL, "PERFTEST_SOFT_LIB",
	 "Path of the software device's library, libperftest_soft.so; by default the program looks beside itself and "
	 "in the installation folder."},
	{MANUAL_ENVIRONMENT, ALL, "PERFTEST_CLOCK",
	 MANUAL_CLOCK " Without it the program uses clock_gettime(2), and reports it, if the counter is unreliable."},

	/* --- examples --- */
	{MANUAL_EXAMPLES, RAW & ~FS,
	 "server$ %s -d mlx5_0 --server -B 02:00:00:00:00:0a -E 02:00:00:00:00:0b -J 10.0.0.1 -j 10.0.0.2 -K 1000 -k "
	 "2000",
	 "UDP over IPv4; the client is given --client, and -B and -E the other way round."},
	{MANUAL_EXAMPLES, RAW & ~FS,
	 "server$ PERFTEST_SOFT=if=veth0 %s -d soft0 --server -B 02:00:00:00:00:0a -E 02:00:00:00:00:0b",
	 "Without an RDMA device: real frames through the network interface veth0."},
	{MANUAL_EXAMPLES, RAW & ~FS,
	 "client$ %s -d mlx5_0 --side_channel -B 02:00:00:00:00:0b -E 02:00:00:00:00:0a --repeat=5 --explain server",
	 "Five measurements, with what was lost and what both hosts have seen; the server is given --side_channel, -B "
	 "and -E."},
	{MANUAL_EXAMPLES, FS, "PERFTEST_SOFT=if=veth0 %s -d soft0 -B 02:00:00:00:00:0a",
	 "Without an RDMA device: rules of the software device, which it applies to the frames of veth0."},
	{MANUAL_EXAMPLES, BW & ~ATOMIC &IB, "client$ %s -s 8 -l 64 -n 64000 server",
	 "The highest message rate: lists of 64 requests."},
	{MANUAL_EXAMPLES, BW &IB, "client$ %s --threads=4 -q 8 -s 64 server",
	 "The message rate of four CPUs, each with two queue pairs."},
	{MANUAL_EXAMPLES, BW &IB, "client$ %s --run_infinitely -D 1 server", "A row every second until Ctrl-C."},
	{MANUAL_EXAMPLES, BW &IB, "client$ %s -w 10000 server", "Exit with status 3 below 10000 MiB/s, for a script."},
	{MANUAL_EXAMPLES, BW &IB, "client$ %s -D 10 -q 4 -b -w 90%line server",
	 "Exit with status 3 below 90 % of the rate of the link in both directions, on hosts of any speed."},
	{MANUAL_EXAMPLES, BW &IB,
	 "client$ %s --run_infinitely -D 10 -w 10000 --limit_intervals --out_json_file soak.json server",
	 "A soak until Ctrl-C, whose document can be read while it runs: status 3 if any ten seconds were below 10000 "
	 "MiB/s."},
	{MANUAL_EXAMPLES, LAT & ~RAW, "client$ %s -n 100000 --max_p99=5 --max_percentiles=99.99:20 server",
	 "Exit with status 3 above 5 or 20 microseconds, for a script."},
	{MANUAL_EXAMPLES, LAT & ~RAW, "client$ %s --rate=100000 --arrival=poisson -D 10 server",
	 "How long a user waits when 100000 requests per second arrive at random."},
	{MANUAL_EXAMPLES, LAT & ~RAW, "client$ %s --rate=10%..90% -n 100000 server",
	 "A load-latency table in nine rows."},
	{MANUAL_EXAMPLES, IB, "client$ %s --out_json_file=result.json server",
	 "The table on the screen and a JSON document in a file."},

	/* --- notes --- */
	{MANUAL_NOTES, RAW, NULL,
	 "Raw packet queue pairs need CAP_NET_RAW and an Ethernet port. If the machine has no RDMA device, or with -d "
	 "soft0 or -d soft1, the program restarts itself with a software device, which sends and receives through the "
	 "network interface named by PERFTEST_SOFT=if=NAME; the kernel sees the arriving frames as well, and may "
	 "answer them if the interface has an address."},
	{MANUAL_NOTES, IB, NULL,
	 "If the machine has no RDMA device, or with -d soft0 or -d soft1, the program restarts itself with a software "
	 "device. It needs no privileges, no kernel module and no network, works between processes of one user on one "
	 "host, and its figures are those of this host's memory system; the header says so. A run on a real device "
	 "never touches it. run_soft runs any other RDMA program on it."},
	{MANUAL_NOTES, IB, NULL,
	 "The server listens on all addresses unless --bind_source_ip says otherwise, and lets any client that "
	 "connects use the buffer that it registers: run it only in networks that you trust."},
	{MANUAL_NOTES, IB, NULL,
	 "With -R and -z HOST is an address of an RDMA device: that of a RoCE or iWARP port's network interface, or of "
	 "IPoIB. rdma_cm selects the device by it; --bind_source_ip or -d selects the device of the client. The kernel "
	 "module rdma_ucm is needed."},
	{MANUAL_NOTES, IB, NULL,
	 "iWARP needs -R on both sides: only rdma_cm can connect its queue pairs, over TCP connections that share the "
	 "host's ports. So a server on a host with an iWARP device listens with rdma_cm only if it was given -R or -z; "
	 "other servers always do."},
	{MANUAL_NOTES, IB, NULL,
	 "Buffers are in host memory unless an option says otherwise, and each side chooses for itself. --use_cuda, "
	 "--use_rocm, --use_ze, --use_hl, --use_neuron, --use_mlu and --use_musa put them into memory of a GPU or an "
	 "accelerator, whose library is opened at run time. They are registered as a dmabuf if the driver provides one "
	 "and the adapter takes it, otherwise by their address, which needs a peer memory module (nvidia-peermem); "
	 "memory of a Gaudi only as a dmabuf. The header and the JSON document (device.memory) say which it was. "
	 "--use_ib_dm uses memory of the RDMA device. The CPU accesses such memory only through copy functions of the "
	 "vendor's library or the device: nothing is posted inline, and ib_write_lat, which polls memory, needs "
	 "--write_with_imm. Data validation works in all of them. --memory=list says which kinds can be used here. "
	 "None of this has yet been run on a GPU, an accelerator or with memory of an adapter: it is tested with "
	 "stand-ins for the vendors' libraries and on the software device; OpenCL has been run on a CPU."},
	{MANUAL_NOTES, IB, NULL,
	 "Pages of --cuda_mem_type=managed and malloc, and of --use_opencl, move between host and GPU; the RDMA device "
	 "follows them by on-demand paging (--odp). --gpu_touch makes the GPU read a byte of each page of 4 KiB, "
	 "before the test or while it runs, so that they do move; it changes no data. With an integrated GPU, which "
	 "has no memory of its own, --use_cuda uses host memory."},
	{MANUAL_NOTES, LAT &RECEIVES, NULL,
	 "The first samples are often the slowest, because caches are cold. The median says more about a system than "
	 "the mean, and the percentiles more than the maximum of a single run."},
};

const size_t manual_count = sizeof(manual) / sizeof(manual[0]);
