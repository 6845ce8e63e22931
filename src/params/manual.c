// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What must a reader of a manual page know besides the options? In the order in which it is printed.
 * Definitions here are those of the code: stats/window.h (peak), stats/histogram.h (percentiles),
 * loops/run.h (samples), session/rows.c (averages), util/exit_status.h.
 */
#include "params/manual.h"

#include "params/masks.h"

#define WRITE_BW  PROGRAM_BIT(IB_WRITE_BW)
#define WRITE_LAT PROGRAM_BIT(IB_WRITE_LAT)
#define SEND_BW	  PROGRAM_BIT(IB_SEND_BW)
#define SEND_LAT  PROGRAM_BIT(IB_SEND_LAT)

const struct manual_paragraph manual[] = {
	/* --- description --- */
	{MANUAL_DESCRIPTION, SEND_BW, NULL,
	 "The client keeps as many messages in flight on every queue pair as the TX depth says, and the server keeps "
	 "receives posted for them. Each side measures for itself: the client from its first post to its last "
	 "completion, the server from the first arrival to the last."},
	{MANUAL_DESCRIPTION, SEND_LAT, NULL,
	 "A ping-pong of SENDs: the client sends, the server answers what it receives with a message of the same size, "
	 "and so on. Both sides report half of the round trip that they measured."},
	{MANUAL_DESCRIPTION, WRITE_BW, NULL,
	 "The client writes into the server's memory and keeps as many messages in flight on every queue pair as the "
	 "TX depth says. It measures from its first post to its last completion. The server's CPU has no part in it, "
	 "and the server prints the client's figures; with --write_with_imm it counts arrivals and prints its own."},
	{MANUAL_DESCRIPTION, WRITE_LAT, NULL,
	 "A ping-pong through memory: each side writes into the other's memory and polls the last byte of its own "
	 "until the answer is there; the server begins. Both sides report half of the round trip that they measured. "
	 "With --write_with_imm the sides wait for receives instead of bytes, and the client begins."},
	{MANUAL_DESCRIPTION, BW &READ, NULL,
	 "The client reads from the server's memory and keeps as many requests outstanding on every queue pair as "
	 "the TX depth says and -o allows. It measures from its first post to its last completion. The server's CPU "
	 "has no part in it, and the server prints the client's figures."},
	{MANUAL_DESCRIPTION, LAT &READ, NULL,
	 "The client reads from the server's memory, one request at a time, and reports the whole time from post to "
	 "completion. The server only waits."},
	{MANUAL_DESCRIPTION, BW &ATOMIC, NULL,
	 "The client does fetch-and-add or compare-and-swap (-A) on 8 bytes of the server's memory and keeps as many "
	 "requests outstanding on every queue pair as the TX depth says and -o allows. It measures from its first "
	 "post to its last completion. The server's CPU has no part in it, and the server prints the client's "
	 "figures."},
	{MANUAL_DESCRIPTION, LAT &ATOMIC, NULL,
	 "The client does fetch-and-add or compare-and-swap (-A) on 8 bytes of the server's memory, one request at a "
	 "time, and reports the whole time from post to completion. The server only waits."},
	{MANUAL_DESCRIPTION, RAW &BW, NULL,
	 "The client sends Ethernet frames from raw packet queue pairs and keeps as many in flight on each as the TX "
	 "depth says; the server has steering rules that bring them to its own, and counts. Each side measures for "
	 "itself: the client from its first post to its last completion, the server from the first arrival to the "
	 "last."},
	{MANUAL_DESCRIPTION, RAW &BW, NULL,
	 "With --mac_fwd the server sends each frame of -s bytes back from where it came, with its MAC addresses "
	 "swapped and all else as it was; it needs no -E, and anything may send to it, as a client with -b. A client "
	 "that is given --mac_fwd, too, has rules for such frames. Each side reports what it sent. Frames of another "
	 "length stay; where the first one is such, the server ends and says so."},
	{MANUAL_DESCRIPTION, RAW &BW, NULL,
	 "With --use_rss the server has -q work queues, a table of them and one queue pair in front (RSS): the device "
	 "gives each frame to a work queue by the Toeplitz hash of its IP addresses and ports, with the key of the "
	 "hash's published test vectors. Ports are left out where -J or -j is given and -K is not; the addresses are "
	 "of IPv4 unless --raw_ipv6 is given, the ports of UDP unless --tcp is. What the rules match is what is given: "
	 "with -B alone all that comes to that address. The server awaits -n frames for each work queue, from clients "
	 "that are not told of it: one with as many queue pairs, one with -n and --flows to match, or several."},
	{MANUAL_OUTPUT, RAW &BW, "rss_queue_0=, rss_queue_1=, ...",
	 "With --use_rss, below the row: how many of its frames came to each work queue."},
	{MANUAL_OUTPUT, RAW &BW, "#sl",
	 "With -S: the service level. The device is told it with the queue pair; kernels that take none for raw "
	 "packet queue pairs, as that of kernel.org, end the test. --vlan_pcp is a priority in the frames."},
	{MANUAL_OUTPUT, RAW &BW, NULL,
	 "With --rate_limit_type=PP the device paces: each queue pair gets its part of --rate_limit by "
	 "ibv_modify_qp_rate_limit(), with a burst of --burst_size frames where that is given. A device without "
	 "packet pacing, or not at that rate, ends the test."},
	{MANUAL_DESCRIPTION, RAW &LAT & ~BURST, NULL,
	 "A ping-pong of Ethernet frames between raw packet queue pairs: the client sends, the server answers what it "
	 "receives with a frame of the same size, and so on. Both sides report half of the round trip that they "
	 "measured."},
	{MANUAL_DESCRIPTION, BURST, NULL,
	 "The client sends Ethernet frames from a raw packet queue pair in bursts of --burst_size, and the server "
	 "answers the last of every N of them (--reply_every) with a frame of the same size. Once the answers of a "
	 "burst are there, the next one begins; with --rate_limit not before its time, so that no average is above "
	 "the limit. A sample is of a frame that was answered: how long did it take among all the others? The client "
	 "reports half of the round trip; the server, which only answers, has no figures. There are -n frames on "
	 "both sides, and no runs by time."},
	{MANUAL_DESCRIPTION, BURST, NULL,
	 "The first 16 bytes behind a frame's headers are a mark: a byte 51 (hexadecimal) or of an answer 41, N in "
	 "two bytes, the number of the frame from 0 in five, and the complement of these eight bytes. An answer has "
	 "the number of its question, so that no sample is of another frame, whatever is lost. Frames without a mark "
	 "are ignored."},
	{MANUAL_DESCRIPTION, FS, NULL,
	 "The program makes steering rules for raw packet queue pairs, as raw_ethernet_bw's server does for its "
	 "frames, and takes them back: -n rules for each queue pair (-q), all of which are there before the first "
	 "goes. There is no other side and no frame moves; --client and --server say only whose ports and addresses "
	 "the rules are about. With -D such rounds go on until the time is over. A rule looks for the MAC address "
	 "-B, for --ethertype, the addresses -J and -j and the ports -K and -k where they are given. No two rules "
	 "are the same: each has the next port, or where there are none the next MAC address."},
	{MANUAL_DESCRIPTION, RAW & ~FS, NULL,
	 "There is no side channel: the sides know of each other by the frames alone, and each goes by its own "
	 "options. Give both the same, but --client (-P) to the one and --server (-Z) to the other, and to each its "
	 "own MAC address as -B and the other's as -E. Start the server first: it waits for the first frame for as "
	 "long as that takes, while what is sent earlier is lost. A side to which nothing comes any more for "
	 "--timeout ends."},
	{MANUAL_DESCRIPTION, RAW & ~FS & ~BURST, NULL,
	 "The other side may be the program of the same name of linux-rdma perftest."},
	{MANUAL_DESCRIPTION, BURST, NULL,
	 "Both sides are this program: that of linux-rdma perftest cannot start, and marks nothing."},
	{MANUAL_DESCRIPTION, RAW & ~FS, NULL,
	 "A frame is as long as -s says, with the check sequence of 4 bytes that the adapter adds; at least 64, or "
	 "what its headers take, and at most -m. Its headers are Ethernet, a VLAN tag with --vlan_en, IP with -J and "
	 "-j, and UDP or with --tcp TCP with -K and -k. -J and -K are the server's and -j and -k the client's, on "
	 "both sides; --local_ip, --remote_ip, --local_port and --remote_port are this side's and the other one's. "
	 "Lengths and checksums are right. The rest is random, or --payload_file_path. A queue pair after the first "
	 "one has the next ports, as many of them as --flows says, so that rules tell their frames apart; without "
	 "ports the first one receives all."},
	{MANUAL_DESCRIPTION, IB, NULL,
	 "Without HOST the program is the server: it waits for a client, runs one test and exits. With HOST it is "
	 "the client; HOST is a name or an address, and HOST:PORT or [ADDRESS]:PORT names the port too; of several "
	 "see below. Both sides must run the same program. They meet over TCP, where the client's options travel to "
	 "the server: one that was started bare takes them over. An option given to the server with another value "
	 "than the client's ends both sides with a message that names it and both values, where the two must agree "
	 "to run one test; otherwise the server keeps its own. What belongs to one host, such as the device, its "
	 "port and GID, memory, CPUs and files, never travels."},
	{MANUAL_DESCRIPTION, SEND_BW, NULL,
	 "With -g messages go to a multicast group: the server's -q queue pairs are in it, and each receives every "
	 "message, of which the client sends -n from one queue pair. Further receivers, of any number and on any host, "
	 "are started before the client, with -g and --connectionless and the same -M, -n or -D and -s: they meet no "
	 "one, wait for the first message for as long as that takes, and count until -n messages have come, nothing "
	 "follows for --timeout, the time is over or their user stops them. What a server or client says of lost "
	 "messages is of these two."},
	{MANUAL_DESCRIPTION, SEND_LAT, NULL,
	 "With -g each side receives from a multicast group of its own, or it would receive its own messages: the "
	 "server from that of -M, the client from the one whose last byte is higher by one."},
	{MANUAL_DESCRIPTION, SEND_BW | SEND_LAT, NULL,
	 "On RoCE the group of -g is joined with rdma_cm where it is there, by the address of the GID in use, so "
	 "that switches learn of it by IGMP. The kernel does so for IPv4 groups (-M 239.1.1.1) alone; of a software "
	 "RoCE device (rxe) only these leave the host. Without -x a GID of the group's address family is chosen. On "
	 "InfiniBand the subnet administrator is asked to join and to leave, by libibumad, which takes root or "
	 "rights to /dev/infiniband/umad*; the group's LID, Q_Key, MTU and service level are those that it tells. A "
	 "program that is killed with SIGKILL leaves its port in the group. linux-rdma perftest as the other side of "
	 "ib_send_bw needs -x and a GID of that family, too: -x 0 for the group that it takes unless -M is given."},
	{MANUAL_DESCRIPTION, IB, NULL,
	 "With --clients=N the server waits for N clients, starts them together, message size by message size, and "
	 "prints one row for all of them; each client prints its own as ever. A client of HOST,HOST,... is the "
	 "reverse: it meets all these servers at once. Each pair is a process with a CPU of its own, where there is "
	 "one. All clients must ask for the same test. One that comes when there are N is refused, or with "
	 "--keep_serving waits for its turn; one that leaves before all are there makes room for another. When no "
	 "other one has come for --timeout all are told, and the test ends; a client's own --timeout does not run "
	 "while it waits for the others. In the test, and where a server can't be met, the pair that is lost is "
	 "named, the others go on, the row says how many are in it, and the status is 1. Both sides are this suite, "
	 "and clients come by TCP: no -R and no -z with --clients. Limits (-w, -y, --max_lat) are those of the "
	 "common row."},
	{MANUAL_DESCRIPTION, IB, NULL,
	 "The other side may be linux-rdma perftest 5.70 or later. Then no options travel: give both sides the same. "
	 "It says nothing while it measures, so a long run by count may need a longer --timeout, and neither side "
	 "hears why the other one ended. With rdma_cm, with -z or -R, the same holds; -R must be given to our "
	 "server, too."},

	/* --- output --- */
	{MANUAL_OUTPUT, ALL, NULL,
	 "Standard output carries results only: a block of facts about the run, the addresses of the queue pairs, "
	 "and a table with a row for each message size. Columns stand in the order, and under the words, of the "
	 "classic suite. Errors, warnings, notes and, on a terminal, the progress of a long run go to standard "
	 "error."},
	{MANUAL_OUTPUT, ALL, NULL,
	 "At a terminal rules, address lines and messages are of its width, two addresses of each side are shown "
	 "unless --verbose is given, and GIDs are spelt as in messages. A pipe or a file always gets the same."},
	{MANUAL_OUTPUT, ALL, "time[UTC]", "With --timestamps: when the row was over, in ISO 8601."},
	{MANUAL_OUTPUT, MOVES, "#bytes", "Size of a message."},
	{MANUAL_OUTPUT, BW, "#iterations",
	 "Messages of all queue pairs together: -n times -q in a run by count; in a run by time those whose "
	 "completion fell into the time that is measured. With -b in a run by count, those that each side sends; by "
	 "time, in a row that was cut short and in interval rows, those of both sides together, of which the rates "
	 "are."},
	{MANUAL_OUTPUT, LAT &TWO_WAY, "#iterations",
	 "Samples: -n of them in a run by count. One round trip more precedes them, which also measures when the other "
	 "side got ready and is in no figure. With linux-rdma perftest there are -n round trips, that one among them."},
	{MANUAL_OUTPUT, RAW &LAT & ~BURST, "#iterations",
	 "Samples: -n of them in a run by count. One round trip more precedes them, which also measures when the "
	 "other side got ready and is in no figure. raw_ethernet_lat of linux-rdma perftest makes -n round trips, "
	 "that one among them; beside it they are counted here, too, and the test ends once no other has come for "
	 "0.5 s."},
	{MANUAL_OUTPUT, LAT & ~RECEIVES, "#iterations",
	 "Samples: -n of them in a run by count, one for each request. One request more precedes them, which finds "
	 "caches and paths cold and is in no figure."},
	{MANUAL_OUTPUT, BW, "BW peak",
	 "The highest rate over any window of W completed messages, or of the whole run if that is higher, times the "
	 "message size; W is the larger of the TX depth times the queue pairs, and a 64th of all messages. A window "
	 "starts at a poll of the CQ and ends at the first one that finds W of its messages completed, where the next "
	 "one starts. It counts only messages posted later: where a poll leaves completions behind (as with --cqe_poll "
	 "it may) none of those posted by then, and with CQ moderation none behind the last completion. So the peak is "
	 "never above what the device did, also when the program was kept from polling; in a steady run it may not "
	 "rise above the average. With -D windows are those inside of the time that is measured. With -N, and on a "
	 "side that only receives, it is not measured and printed as 0."},
	{MANUAL_OUTPUT, BW, "BW average",
	 "Message size times the number of messages, over the time from the first post to the last completion. The "
	 "time in which the last message drains is in it, which shows when there are few messages. A side that only "
	 "receives cannot know when the first message was posted: its average is of what arrives after the first "
	 "arrivals, or with --rate_limit after the first burst, over the time from there to the last arrival. First "
	 "arrivals are those that may have been there at its first look, at most its receives (-r). Where nothing is "
	 "left, because all of it came at once, there is no average and no message rate: both are nan, in JSON null "
	 "and in CSV empty. The sender's row has them; or raise -n."},
	{MANUAL_OUTPUT, BW, NULL,
	 "MiB/sec is 2^20 bytes per second. Gb/sec (--report_gbits) is 10^9 bits per second; averages below 0.1 "
	 "Gb/sec are printed with six decimals."},
	{MANUAL_OUTPUT, BW, "MsgRate[Mpps]", "Messages over the same time, in millions per second."},
	{MANUAL_OUTPUT, BW &IB, "BW Port1, MsgRate Port1, BW Port2, MsgRate Port2",
	 "With --report-per-port: of these averages, what the messages of each port's queue pairs make. The time is "
	 "that of all, so that the two add up."},
	{MANUAL_OUTPUT, BW &IB, NULL,
	 "With -b each side measures what it sends, and both print the sum of the two rates, each over its own time: "
	 "the direction that is through first is not charged for the wait for the other. --report-both adds the two "
	 "parts, of a sweep behind its table; JSON and CSV have the messages of each side as iterations_local and "
	 "iterations_remote. The peak is the sum of both peaks, and 0 where one was not measured. Of a run that one "
	 "side cut short they are of what each did while both ran. Interval rows are of both directions, too: the "
	 "sides tell each other what they have done by the end of each interval, and a row has the messages of both "
	 "over its time, in a run by count those of a direction until its last one; where one side told that much "
	 "later than the other, as when it was stopped, the row ends with a later interval. A server that was given "
	 "another --report_interval than its client refuses. linux-rdma perftest does not tell it: with such a peer "
	 "the rows are of what this side has sent and what has arrived, without a peak, where messages take receives "
	 "(send, --write_with_imm) and none is lost (RC). Otherwise they are of what this side sends alone, and "
	 "stand under Local results: a script that reads all rows must heed that head, or take the row behind "
	 "Summary. --output prints no such row. With -D neither does linux-rdma perftest tell what it sent: where "
	 "messages take receives the sum is then of what this side has sent and what has arrived, which with UC and "
	 "UD is less by what was lost."},
	{MANUAL_OUTPUT, IB, "#peers, least, most, fairness, overlap",
	 "With --clients and several HOSTs: the pairs in the row; the lowest and the highest average of one of them, "
	 "of latency median; Jain's index of these, (sum x)^2 / (n sum x^2), which is 1 where all are alike and 1/n "
	 "where one has all; and the time in which all were measured, of that from the first begin to the last end. "
	 "Averages and message rates of the row are what all pairs moved, each in its own measured time, over the "
	 "time from the first begin to the last end: with -D that is the common time, but for the few microseconds "
	 "by which the sides pass a barrier; with -n, where one is through before the others, it is what the whole "
	 "came to, and not the sum of rates that never were at once. Begins and ends are by the clock of the side "
	 "that prints: a client says how long after the common start its time began, and how long it was. There is a "
	 "warning where the overlap is below 50 %. There is no peak, and latency columns are of the samples of all: "
	 "their histograms are added up, whose values are off by at most 1/256, or 1/128 where the sides' clocks "
	 "tick at different rates. --report-both adds a row for each pair, which --output_format=csv and the JSON "
	 "document have in any case. Where it is not known when each was measured there is no average of all."},
	{MANUAL_OUTPUT, BW & ~ATOMIC, NULL,
	 "With --rate_limit the program posts a burst (--burst_size) when its time is over, and a list (-l) when "
	 "that of all its messages is. It catches up when it was late, and no average of what it sent is above the "
	 "limit; with -D and -f it makes up between the margins only what it was late there; without margins the "
	 "burst that is due at the end has no time, and the average is that much below the limit. The last message "
	 "of a burst is always signalled, so that CQ moderation may be less than asked. With several queue pairs the "
	 "limit is that of all, and bursts take turns."},
	{MANUAL_OUTPUT, RAW &BW, NULL,
	 "Frames may be lost. A run by count knows on the side that receives how many were to come: what is missing "
	 "once nothing has come for --timeout is reported as lost, by a warning and in JSON and CSV, and neither it "
	 "nor that silence is in any average. Who sends does not know it, nor does a run by time: lost is then null "
	 "in JSON, and empty in CSV. With -b the row of a side is of what it sends."},
	{MANUAL_OUTPUT, BURST, "#iterations", "Samples: -n over --reply_every, less the answers that did not come."},
	{MANUAL_OUTPUT, BURST, NULL,
	 "Frames may be lost. An answer is given up when other answers of its burst came, and 0.5 s after them none: "
	 "it is in no figure, and counted as lost by a warning and in JSON and CSV. A burst that nothing answers "
	 "ends the test once --timeout is over, with what was measured until then. The server says how many frames "
	 "did not reach it."},
	{MANUAL_OUTPUT, RAW &LAT & ~BURST, NULL,
	 "A frame that is lost ends the test once --timeout is over, with what was measured until then."},
	{MANUAL_OUTPUT, RAW &BW, NULL,
	 "Where --flows times --flows_burst is no power of two, the order of the flows begins anew in the middle of "
	 "a turn, once in sixteen turns or more."},
	{MANUAL_OUTPUT, BW &TWO_WAY, NULL,
	 "UC and UD may lose messages. What was sent but never arrived is reported as lost, by a warning and in JSON "
	 "and CSV, and is in no average of the receiver. The sender's own figures are of what it sent, lost or not; "
	 "it hears from the receiver what was lost. Of WRITE no side sees what arrives, and linux-rdma perftest does "
	 "not tell it: lost is then null in JSON, and empty in CSV."},
	{MANUAL_OUTPUT, BURST, NULL,
	 "A sample is the time from just before a message is posted until its answer is seen, and every figure is half "
	 "of it, as an estimate of one way; where the two ways differ it is their mean."},
	{MANUAL_OUTPUT, LAT &RECEIVES & ~BURST, NULL,
	 "A sample is the time from just behind the post of a message to just behind the post of the next, for which "
	 "its answer was awaited: one way to and fro, and one post. So no side reads the clock between an answer and "
	 "its next message, which would be in the other side's samples. Where something else comes between them (the "
	 "end, an interval row, --latency_gap) the sample before it is from just before the post until the answer is "
	 "seen, which is as long. Every figure is half of a sample, as an estimate of one way; where the two ways "
	 "differ it is their mean."},
	{MANUAL_OUTPUT, RAW &LAT & ~BURST, NULL,
	 "With --latency_gap the side that begins waits before each of its frames, and the other one, which is given "
	 "the option too, answers at once and has no figures: the wait would be in them. linux-rdma perftest waits "
	 "before its answers as well."},
	{MANUAL_OUTPUT, LAT &TWO_WAY & ~RAW, NULL,
	 "With --latency_gap the sides take turns: whose turn it is waits for the gap, posts, and takes a sample of "
	 "the exchange, which the other side answers at once. One message more hands the turn over. So the wait is "
	 "in no sample of either side, and both have -n samples. linux-rdma perftest knows no turns: it waits before "
	 "each of its answers, if it has the option, and that is in the other side's samples."},
	{MANUAL_OUTPUT, LAT &TWO_WAY, NULL,
	 "An interval row is in no sample of either side: a message that was held up by one says so to the other side, "
	 "and the exchange is made again without being counted, unless it took 0.1 s."},
	{MANUAL_OUTPUT, LAT & ~RECEIVES, NULL,
	 "A sample is the time from just before a request is posted until its completion is seen: a whole round "
	 "trip, not halved."},
	{MANUAL_OUTPUT, LAT & ~RAW, NULL,
	 "With --rate the loop is open: requests leave on schedule, as those of users do that know nothing of each "
	 "other, and not when the one before is answered. Without it the loop is closed: while the other side stands "
	 "still nothing is sent, so that a standstill of any length is one sample, whatever would have been due in "
	 "it. That is known as coordinated omission (Gil Tene, \"How NOT to Measure Latency\"); on what else differs "
	 "see Schroeder, Wierman and Harchol-Balter, \"Open Versus Closed: A Cautionary Tale\" (NSDI 2006). In an "
	 "open loop each request that was due is a sample of all the time for which it waited."},
	{MANUAL_OUTPUT, LAT & ~RAW, "due_typical, due_avg, due_max, percentiles of due",
	 "With --rate: the time from the planned start of a request until its answer was seen, a whole round trip "
	 "also where answers are messages: of the time in a queue half would mean nothing. It is what a user waits."},
	{MANUAL_OUTPUT, LAT & ~RAW, "post_typical, post_avg, post_max, percentiles of post",
	 "With --rate: the same samples from just before the post, a whole round trip too. Their difference is what "
	 "requests waited for before they could be posted."},
	{MANUAL_OUTPUT, LAT & ~RAW, "load[%], rate[/sec], sent[/sec]",
	 "With --rate: the share of the maximum, the rate of the schedule and the one at which requests were posted. "
	 "sent below rate says that requests came late: from the start of the schedule to the last post, with -D in "
	 "the time that is measured, fewer were posted than planned."},
	{MANUAL_OUTPUT, LAT & ~RAW, NULL,
	 "At most -t requests are in flight (128 unless given). One that is due while as many are is late: it is "
	 "posted when an answer makes room, and its planned start stays. One exchange precedes the schedule and is "
	 "no sample. The first request is due one interval after its answer; with --arrival=constant all intervals "
	 "are 1/RATE, with poisson they are independent and exponentially distributed with that mean, and n requests "
	 "take a time that differs by 1/sqrt(n) or so. The n-th interval is -ln(u)/RATE with u = ((x >> 11) + 1) / "
	 "2^53, where x is the n-th number of splitmix64 from the state --arrival_seed; each row begins anew with "
	 "that seed. The schedule is kept in fixed point and never drifts. The other side answers every request at "
	 "once, by a message of the same kind and size, and prints no table; READ and atomics are answered by its "
	 "device."},
	{MANUAL_OUTPUT, LAT & ~RAW, NULL,
	 "With --rate=10%..90% the maximum is measured first: the answers per second over 0.2 s in which -t requests "
	 "are always in flight. Then there is a row for each share of it: 10, 20, ... 90 %, and 10, 30, ... 90 % "
	 "with 10%..90%:20%. Where the due columns begin to leave the post columns behind, the path is full."},
	{MANUAL_OUTPUT, LAT & ~RAW, NULL,
	 "With --rate and -D those requests count that are due between the margins. None is posted once the time is "
	 "over; those in flight are waited for. A request that is not answered when the run ends, or that was due "
	 "and not even posted, as at Ctrl-C or when the rate is more than there can be, would have taken its age at "
	 "least: it is a sample of that, where it is older than the median of the others. CSV and the JSON document "
	 "have the number of all such, and there is a warning where one is older than each that was answered or many "
	 "were not posted. Interval rows have the samples whose answers came by then; they are printed when nothing "
	 "is in flight and nothing due for 0.1 ms, or 0.1 s late, and what they hold up is in the figures."},
	{MANUAL_OUTPUT, LAT &TWO_WAY, NULL,
	 "With --rate and UC or UD a request, or its answer, may be lost. Each has its number as immediate data. A "
	 "request is given up when its place is needed and a later one was answered, or when nothing was answered "
	 "for a second; such requests are in no figure, and their number is in a warning, JSON and CSV (lost)."},
	{MANUAL_OUTPUT, FS, "#flows", "Rules that were made."},
	{MANUAL_OUTPUT, FS, "fs_min_time, fs_max_time, fs_typical_time, fs_avg_time, fs_stdev_time, percentiles",
	 "Of the times that ibv_create_flow() took, each by itself: true extremes, median, mean and standard "
	 "deviation; percentiles come from a histogram whose values are off by at most 1/256 (0.4 %)."},
	{MANUAL_OUTPUT, FS, "fps[flow per sec]", "Rules that were made, over the sum of these times."},
	{MANUAL_OUTPUT, FS, "removed[flow per sec]",
	 "The same rules, over the time that ibv_destroy_flow() took for them."},
	{MANUAL_OUTPUT, FS, NULL,
	 "Those of --percentiles stand in ascending order behind 99 and 99.9, each once. At Ctrl-C the rules are taken "
	 "back, which a note says; a second Ctrl-C ends the program at once, and the kernel takes them."},
	{MANUAL_OUTPUT, LAT, "t_min, t_max", "The true extremes of all samples; none is left out."},
	{MANUAL_OUTPUT, LAT, "t_typical", "The median."},
	{MANUAL_OUTPUT, LAT, "t_avg, t_stdev",
	 "Mean and standard deviation (of the population) of all samples, from exact sums."},
	{MANUAL_OUTPUT, LAT, "99% percentile, 99.9% percentile, and those of --percentiles",
	 "Those of --percentiles stand in ascending order, each once: 99 and 99.9 have their columns already. The "
	 "value at or below which that share of the samples lies: rank ceil(P/100 * count). Median and percentiles "
	 "come from a histogram of constant size whose values are off by at most 1/256 (0.4 %), and never lie "
	 "outside t_min and t_max. A percentile needs at least 1/(1 - P/100) samples, 99.9 % a thousand; with fewer "
	 "the maximum stands in its place. A line of the header says so; by time, where the number is not known "
	 "before, a note behind the table (on standard error where standard output is no terminal). The 100th "
	 "percentile is the maximum itself."},
	{MANUAL_OUTPUT, LAT, NULL,
	 "A sample that comes out below zero, because the cycle counters of two CPUs are out of step, is in no figure; "
	 "such samples are counted, and a warning names their number."},
	{MANUAL_OUTPUT, BURST, NULL,
	 "Times are in microseconds, with -C in ticks of the clock. -H prints every sample in ascending order before "
	 "the row, -U in the order in which answers came."},
	{MANUAL_OUTPUT, LAT & ~BURST, NULL,
	 "Times are in microseconds, with -C in ticks of the clock. With -D and --run_infinitely t_avg and tps "
	 "average, the ping-pongs or requests per second, come first; the other figures stand behind them. -H prints "
	 "every sample in ascending order before the row, -U in the order of time."},
	{MANUAL_OUTPUT, BURST, NULL,
	 "--report_interval prints a row for the samples of each interval, and waits for the end of a burst with it."},
	{MANUAL_OUTPUT, MOVES & ~BURST, NULL,
	 "With -D the test runs for that many seconds, and what is counted are the messages that complete between "
	 "the two margins (-f): with -D 10 -f 2 those of the six seconds in the middle. With --run_infinitely there "
	 "is a row for every interval of -D seconds, each of the messages that completed in it, and at Ctrl-C a last "
	 "row that sums the whole run up. --report_interval prints such interval rows in any run. They end at "
	 "multiples of the interval. Those of bandwidth have the messages of the margins, too, those of latency the "
	 "samples, of which a margin has none; a sample is of the row in which its answer came, which may be shorter "
	 "than it is, and while an answer is awaited a row is printed up to 0.1 s behind its end. With -D the last "
	 "one ends when the time is over, also where nothing moved in it, and what completes behind that is in no "
	 "figure: with -f 0 the rows add up to the row below them. In any other run, and in one that was cut short, "
	 "the last one ends at the last message, and where none came since the row before there is no other; of a "
	 "run that was cut short it is marked as partial. A row that could not be printed in time, as when the "
	 "program was stopped, covers the intervals that it missed: two sides may differ in the number of their "
	 "rows, and each message is in one of them. While a side that receives by UC or UD waits for messages that "
	 "may have been lost, no interval ends."},
	{MANUAL_OUTPUT, LAT & ~BURST, NULL,
	 "By time, tps is over the whole window between the margins, and an exchange counts that was open at some "
	 "time of it, with all the time that it took. So an outage is in the figures, wherever it lies. An exchange "
	 "that is not answered when the run ends counts as long as it was open, if that is longer than every other "
	 "sample. The side that only answers ends with the other one: with -f 0 its window, and the time in its JSON "
	 "document, is shorter by what it began later than that, as on a busy machine, and its tps is over what "
	 "there was. Where the exchange that was open at the end stands out, a warning and the JSON document say how "
	 "long it took, or was open at least."},
	{MANUAL_OUTPUT, BW &IB, "#thread, CPU",
	 "With --threads the queue pairs of this side are divided among threads, each of which has a CPU of its own, "
	 "completion queues of its own, and shares nothing with the others while it runs. They begin together. The "
	 "row is of all: the messages of all threads over the time from the first post to the last completion, with "
	 "-D over the same sample window. There is no peak. --report-both adds a row for each thread, which JSON has "
	 "in any case: a thread's messages over the time of all, so that the rows add up; a run that is repeated has "
	 "none, nor has one with -b that the other side cut short. CPUs are those that this process may run on "
	 "(taskset, --pin_cores), one of each core and those near the device first. Each side chooses for itself; a "
	 "server without --threads does as its client. To the other side they are queue pairs, as with -q alone, so "
	 "that linux-rdma perftest may be there."},
	{MANUAL_OUTPUT, LAT &IB, "#thread, CPU",
	 "With --threads there are as many queue pairs as threads, each with its own exchanges, one at a time, on "
	 "both sides, of which each has as many threads. Each thread has a CPU of its own, completion queues of its "
	 "own, and shares nothing with the others while it runs; they begin together. The row is of all samples: "
	 "#iterations is their number, t_min and t_max are the extremes of all, and average, deviation and "
	 "percentiles are of all of them together. So it says what an exchange takes beside those of the others. tps "
	 "is that of all. --report-both adds a row for each thread, JSON has one in any case. CPUs are those that "
	 "this process may run on (taskset, --pin_cores), one of each core and those near the device first."},
	{MANUAL_OUTPUT, IB, "#repeats, left out, CI95 low, CI95 high, reached",
	 "With --repeat and --until each message size is measured several times, over the same queue pairs, and its "
	 "row is of all of them: what was counted is added up, averages and rates are means, the peak is the "
	 "highest, and a latency row has the samples of all. CI95 is the 95 % confidence interval: of bandwidth that "
	 "of the average, by Student's t from the averages of the measurements; of latency that of the median, by "
	 "order statistics from their medians, and by half a bucket of the histogram (0.4 %) at either end wider, as "
	 "equal medians are no surer. One measurement is one value: its messages depend on each other, and would "
	 "make any interval look narrow. --until ends when both ends are within that many percent of the center, "
	 "after ten measurements or more and at two looks in a row, or at --max_repeats or --max_time, which a "
	 "warning says. An interval that was waited for holds the true figure a little less often than one that was "
	 "not: simulated, in 93 of 100 cases or more. It knows of this run alone: what differs from day to day is "
	 "not in it. --steady leaves out those of the first measurements without which the standard error of the "
	 "others' mean is smallest (MSER; White 1997), half of them at most: where it is half, the run has not "
	 "settled."},
	{MANUAL_OUTPUT, ALL, "CPU_Util[%]",
	 "With --cpu_util: how much of the time all CPUs of this machine together were busy: user, nice, system, "
	 "interrupts and stolen time, of all there is. nan of a row that is too short for the kernel's clock ticks "
	 "to tell."},
	{MANUAL_OUTPUT, IB, "VALIDATION",
	 "With --data_validation: how many of the messages that were sent have been checked byte for byte, and "
	 "whether all were right. The test then runs in rounds of as many messages as the buffer has slots for; the "
	 "figures are those of the messages moving, and neither filling nor checking is in them. Both sides of a "
	 "bandwidth test print the sender's figures. The side where data arrives names the first ten wrong messages "
	 "by queue pair, number and offset. Messages that UC or UD lost are counted and are no fault."},
	{MANUAL_OUTPUT, ALL, NULL,
	 "A run that is cut short prints what it has measured so far and marks it as partial."},
	{MANUAL_OUTPUT, ALL, NULL,
	 "--output prints the average alone, with six decimals, for scripts. --output_format=json prints one JSON "
	 "document and csv comma separated rows under a heading, both with units in their names; --out_json writes "
	 "the document to a file beside any other output. The document has the host, the device, every parameter, "
	 "every size and interval, the clock and its error, and the warnings; its schema is schema.json in the "
	 "folder of the documentation, /usr/share/doc/perftest."},

	{MANUAL_OUTPUT, ALL, NULL,
	 "--doctor runs no test. It prints a page on this host and device: link, MTU, GIDs, counters of congestion "
	 "and loss, PCIe, NUMA, CPU frequency, memory limits, kernel modules. Each line is ok, look here (with what "
	 "to do) or unknown. What each looks at is in doctor.md in the folder of the documentation; with "
	 "--output_format=json it is a document."},

	/* --- exit status --- */
	{MANUAL_EXIT_STATUS, ALL, "0", "Success; also after --help and --version."},
	{MANUAL_EXIT_STATUS, ALL, "1", "A failure of the device, the other side, the network or a file."},
	{MANUAL_EXIT_STATUS, ALL, "2", "The command line is wrong; nothing was tried."},
	{MANUAL_EXIT_STATUS, BW, "3",
	 "The test ran, but a result is below -w or -y; a line says which, and by how much."},
	{MANUAL_EXIT_STATUS, LAT, "3",
	 "The test ran, but a figure is above --max_lat, --max_p99 or --max_percentiles, or there were too few "
	 "samples for it; a line says which, and by how much. Each side looks at its own rows."},
	{MANUAL_EXIT_STATUS, IB, "4",
	 "With --data_validation: a message arrived wrong, on either side. Goes before 3 and 130."},
	{MANUAL_EXIT_STATUS, ALL, "5", "--doctor found something to look at."},
	{MANUAL_EXIT_STATUS, ALL, "130", "Ctrl-C, or SIGTERM, cut the run short."},
	{MANUAL_EXIT_STATUS, IB, NULL,
	 "A server with --keep_serving that Ctrl-C or SIGTERM ends while it has no client has cut nothing short: 0."},

	/* --- environment --- */
	{MANUAL_ENVIRONMENT, ALL, "PERFTEST_SOFT",
	 "null makes the software device complete requests at once without moving data, for measuring what the program "
	 "itself costs."},
	{MANUAL_ENVIRONMENT, ALL, "PERFTEST_SOFT_LIB",
	 "The software device's library, libperftest_soft.so; unless set it is looked for beside the program and "
	 "where it was installed."},
	{MANUAL_ENVIRONMENT, ALL, "PERFTEST_CLOCK",
	 "gettime takes time from clock_gettime(2) instead of the CPU's cycle counter. The program does so by itself "
	 "where the counter can't be trusted, and says so."},

	/* --- examples --- */
	{MANUAL_EXAMPLES, RAW & ~FS,
	 "server$ %s -d mlx5_0 --server -B 02:00:00:00:00:0a -E 02:00:00:00:00:0b -J 10.0.0.1 -j 10.0.0.2 "
	 "-K 1000 -k 2000",
	 "UDP over IPv4; to the client --client, and -B and -E the other way round."},
	{MANUAL_EXAMPLES, RAW & ~FS,
	 "server$ PERFTEST_SOFT=if=veth0 %s -d soft0 --server -B 02:00:00:00:00:0a -E 02:00:00:00:00:0b",
	 "Without an RDMA device: real frames by the network interface veth0."},
	{MANUAL_EXAMPLES, FS, "PERFTEST_SOFT=if=veth0 %s -d soft0 -B 02:00:00:00:00:0a",
	 "Without an RDMA device: rules of the software device, which looks at the frames of veth0 by them."},
	{MANUAL_EXAMPLES, BW & ~ATOMIC &IB, "client$ %s -s 8 -l 64 -n 64000 server",
	 "The highest message rate: lists of 64 requests."},
	{MANUAL_EXAMPLES, BW &IB, "client$ %s --threads=4 -q 8 -s 64 server",
	 "The message rate of four CPUs, each with two queue pairs."},
	{MANUAL_EXAMPLES, BW &IB, "client$ %s --run_infinitely -D 1 server", "A row every second until Ctrl-C."},
	{MANUAL_EXAMPLES, BW &IB, "client$ %s -w 10000 server", "Exit with status 3 below 10000 MiB/s, for a script."},
	{MANUAL_EXAMPLES, LAT & ~RAW, "client$ %s -n 100000 --max_p99=5 --max_percentiles=99.99:20 server",
	 "Exit with status 3 above 5 or 20 microseconds, for a script."},
	{MANUAL_EXAMPLES, LAT & ~RAW, "client$ %s --rate=100000 --arrival=poisson -D 10 server",
	 "What a user waits under 100000 requests per second that come at random."},
	{MANUAL_EXAMPLES, LAT & ~RAW, "client$ %s --rate=10%..90% -n 100000 server",
	 "A load-latency table in nine rows."},
	{MANUAL_EXAMPLES, IB, "client$ %s --out_json_file=result.json server",
	 "The table on the screen and a JSON document in a file."},

	/* --- notes --- */
	{MANUAL_NOTES, RAW, NULL,
	 "Raw packet queue pairs take CAP_NET_RAW, and an Ethernet port. Where the machine has no RDMA device, or "
	 "with -d soft0 or -d soft1, the program starts itself again with a software device, which sends and "
	 "receives by the network interface that PERFTEST_SOFT=if=NAME names; the kernel sees the frames that come "
	 "as well, and may answer them where the interface has an address."},
	{MANUAL_NOTES, IB, NULL,
	 "Where the machine has no RDMA device, or with -d soft0 or -d soft1, the program starts itself again with a "
	 "software device. It needs no privilege, no kernel module and no network, works between processes of one "
	 "user on one host, and its figures are those of this host's memory system; the header says so. A run on a "
	 "real device never touches it. run_soft gives it to any other RDMA program."},
	{MANUAL_NOTES, IB, NULL,
	 "The server listens on all addresses unless --bind_source_ip says otherwise, and lets any client that "
	 "connects use the buffer that it registers: run it in networks that you trust."},
	{MANUAL_NOTES, IB, NULL,
	 "With -R and -z HOST is an address of an RDMA device: of a RoCE or iWARP port's network interface, or of "
	 "IPoIB. rdma_cm chooses the device by it; --bind_source_ip, or -d, chooses where the client starts from. "
	 "The kernel module is rdma_ucm."},
	{MANUAL_NOTES, IB, NULL,
	 "iWARP takes -R on both sides: only rdma_cm connects its queue pairs, over TCP connections whose ports are "
	 "those of the host. So a server on a host with an iWARP device listens with rdma_cm only where it was given "
	 "-R or -z, and elsewhere always."},
	{MANUAL_NOTES, IB, NULL,
	 "Buffers are in memory of the host unless an option says otherwise, and each side chooses for itself. "
	 "--use_cuda, --use_rocm, --use_ze, --use_hl, --use_neuron, --use_mlu and --use_musa put them into memory of "
	 "a GPU or an accelerator, whose library is opened at run time. They are registered as a dmabuf where the "
	 "driver gives one, otherwise by their address, which takes a peer memory module (nvidia-peermem); memory of "
	 "a Gaudi as a dmabuf alone. --use_ib_dm takes memory of the RDMA device. The CPU reaches such memory by "
	 "copies of the vendor's or the device's alone: nothing is posted inline, and a side that polls memory "
	 "copies the polled byte each time, which is in the latency of plain RDMA WRITE. Data is validated in all of "
	 "them. --memory=list says which kinds can be used here. No GPU, no accelerator and no memory of an adapter "
	 "has run this yet: the tests are over stand-ins for the vendors' libraries, and over the software device; "
	 "OpenCL ran on a CPU."},
	{MANUAL_NOTES, IB, NULL,
	 "Pages of --cuda_mem_type=managed and malloc, and of --use_opencl, move between host and GPU; the RDMA "
	 "device follows them by on-demand paging (--odp). --gpu_touch lets the GPU read a byte of each page of 4 "
	 "KiB, so that they do move, before the test or while it runs; it changes no data. A GPU that has no memory "
	 "of its own (integrated) gives memory of the host for --use_cuda."},
	{MANUAL_NOTES, LAT &RECEIVES, NULL,
	 "The first samples are often the slowest, from caches that are cold. The median says more about a system "
	 "than the mean, and the percentiles more than the maximum of a single run."},
};

const size_t manual_count = sizeof(manual) / sizeof(manual[0]);
