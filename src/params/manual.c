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
	 "TX "
	 "depth says. It measures from its first post to its last completion. The server's CPU has no part in it, and "
	 "the server prints the client's figures; with --write_with_imm it counts arrivals and prints its own."},
	{MANUAL_DESCRIPTION, WRITE_LAT, NULL,
	 "A ping-pong through memory: each side writes into the other's memory and polls the last byte of its own "
	 "until "
	 "the answer is there; the server begins. Both sides report half of the round trip that they measured. With "
	 "--write_with_imm the sides wait for receives instead of bytes, and the client begins."},
	{MANUAL_DESCRIPTION, BW &READ, NULL,
	 "The client reads from the server's memory and keeps as many requests outstanding on every queue pair as the "
	 "TX "
	 "depth says and -o allows. It measures from its first post to its last completion. The server's CPU has no "
	 "part "
	 "in it, and the server prints the client's figures."},
	{MANUAL_DESCRIPTION, LAT &READ, NULL,
	 "The client reads from the server's memory, one request at a time, and reports the whole time from post to "
	 "completion. The server only waits."},
	{MANUAL_DESCRIPTION, BW &ATOMIC, NULL,
	 "The client does fetch-and-add or compare-and-swap (-A) on 8 bytes of the server's memory and keeps as many "
	 "requests outstanding on every queue pair as the TX depth says and -o allows. It measures from its first post "
	 "to "
	 "its last completion. The server's CPU has no part in it, and the server prints the client's figures."},
	{MANUAL_DESCRIPTION, LAT &ATOMIC, NULL,
	 "The client does fetch-and-add or compare-and-swap (-A) on 8 bytes of the server's memory, one request at a "
	 "time, and reports the whole time from post to completion. The server only waits."},
	{MANUAL_DESCRIPTION, RAW &BW, NULL,
	 "The client sends Ethernet frames from raw packet queue pairs and keeps as many in flight on each as the TX "
	 "depth "
	 "says; the server has steering rules that bring them to its own, and counts. Each side measures for itself: "
	 "the "
	 "client from its first post to its last completion, the server from the first arrival to the last."},
	{MANUAL_DESCRIPTION, RAW &LAT, NULL,
	 "A ping-pong of Ethernet frames between raw packet queue pairs: the client sends, the server answers what it "
	 "receives with a frame of the same size, and so on. Both sides report half of the round trip that they "
	 "measured."},
	{MANUAL_DESCRIPTION, FS, NULL,
	 "The program makes steering rules for raw packet queue pairs, as raw_ethernet_bw's server does for its "
	 "frames, "
	 "and takes them back: -n rules for each queue pair (-q), all of which are there before the first goes. There "
	 "is "
	 "no other side and no frame moves; --client and --server say only whose ports and addresses the rules are "
	 "about. With -D such rounds go on until the time is over. A rule looks for the MAC address -B, for "
	 "--ethertype, "
	 "the addresses -J and -j and the ports -K and -k where they are given. No two rules are the same: each has "
	 "the "
	 "next port, or where there are none the next MAC address."},
	{MANUAL_DESCRIPTION, RAW & ~FS, NULL,
	 "There is no side channel: the sides know of each other by the frames alone, and each goes by its own "
	 "options. Give "
	 "both the same, but --client (-P) to the one and --server (-Z) to the other, and to each its own MAC address "
	 "as -B "
	 "and the other's as -E. Start the server first: it waits for the first frame for as long as that takes, while "
	 "what is "
	 "sent earlier is lost. A side to which nothing comes any more for --timeout ends. The other side may be the "
	 "program "
	 "of the same name of linux-rdma perftest."},
	{MANUAL_DESCRIPTION, RAW & ~FS, NULL,
	 "A frame is as long as -s says, with the check sequence of 4 bytes that the adapter adds; at least 64, or "
	 "what its "
	 "headers take, and at most -m. Its headers are Ethernet, a VLAN tag with --vlan_en, IP with -J and -j, and "
	 "UDP or with "
	 "--tcp TCP with -K and -k. -J and -K are the server's and -j and -k the client's, on both sides; --local_ip, "
	 "--remote_ip, --local_port and --remote_port are this side's and the other one's. Lengths and checksums are "
	 "right. "
	 "The rest is random, or --payload_file_path. A queue pair after the first one has the next ports, as many of "
	 "them as "
	 "--flows says, so that rules tell their frames apart; without ports the first one receives all."},
	{MANUAL_DESCRIPTION, IB, NULL,
	 "Without HOST the program is the server: it waits for a client, runs one test and exits. With HOST it is the "
	 "client; HOST is a name or an address, and HOST:PORT or [ADDRESS]:PORT names the port too. "
	 "Both sides must run the same program. They meet over TCP, where the client's options travel to the "
	 "server: one that was started bare takes them over. An option given to the server with another value than the "
	 "client's ends both sides with a message that names it and both values, where the two must agree to run one "
	 "test; "
	 "otherwise the server keeps its own. What belongs to one host, such as the device, its port and GID, memory, "
	 "CPUs "
	 "and files, never travels."},
	{MANUAL_DESCRIPTION, IB, NULL,
	 "The other side may be linux-rdma perftest 5.70 or later. Then no options travel: give both sides the same. "
	 "It says nothing while it measures, so a long run by count may need a longer --timeout, and neither side "
	 "hears why the other one ended. With rdma_cm, with -z or -R, the same holds; -R must be given to our "
	 "server, too."},

	/* --- output --- */
	{MANUAL_OUTPUT, ALL, NULL,
	 "Standard output carries results only: a block of facts about the run, the addresses of the queue pairs, and "
	 "a "
	 "table with a row for each message size. Columns stand in the order, and under the words, of the classic "
	 "suite. "
	 "Errors, warnings, notes and, on a terminal, the progress of a long run go to standard error."},
	{MANUAL_OUTPUT, ALL, NULL,
	 "At a terminal rules, address lines and messages are of its width, two addresses of each side are shown "
	 "unless --verbose is given, and GIDs are spelt as in messages. A pipe or a file always gets the same."},
	{MANUAL_OUTPUT, ALL, "time[UTC]", "With --timestamps: when the row was over, in ISO 8601."},
	{MANUAL_OUTPUT, MOVES, "#bytes", "Size of a message."},
	{MANUAL_OUTPUT, BW, "#iterations",
	 "Messages of all queue pairs together: -n times -q in a run by count; in a run by time those whose completion "
	 "fell into the time that is measured. With -b in a run by count, those that each side sends; by time, in a "
	 "row "
	 "that was cut short and in interval rows, those of both sides together, of which the rates are."},
	{MANUAL_OUTPUT, LAT &TWO_WAY, "#iterations",
	 "Samples: -n of them in a run by count. One round trip more precedes them, which also measures when the other "
	 "side got ready and is in no figure. With linux-rdma perftest there are -n round trips, that one among them."},
	{MANUAL_OUTPUT, RAW &LAT, "#iterations",
	 "Samples: -n of them in a run by count. One round trip more precedes them, which also measures when the other "
	 "side got ready and is in no figure. raw_ethernet_lat of linux-rdma perftest makes -n round trips, that one "
	 "among "
	 "them; beside it they are counted here, too, and the test ends once no other has come for 0.5 s."},
	{MANUAL_OUTPUT, LAT & ~RECEIVES, "#iterations",
	 "Samples: -n of them in a run by count, one for each request. One request more precedes them, which finds "
	 "caches "
	 "and paths cold and is in no figure."},
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
	 "and "
	 "in CSV empty. The sender's row has them; or raise -n."},
	{MANUAL_OUTPUT, BW, NULL,
	 "MiB/sec is 2^20 bytes per second. Gb/sec (--report_gbits) is 10^9 bits per second; averages below 0.1 Gb/sec "
	 "are "
	 "printed with six decimals."},
	{MANUAL_OUTPUT, BW, "MsgRate[Mpps]", "Messages over the same time, in millions per second."},
	{MANUAL_OUTPUT, BW &IB, NULL,
	 "With -b each side measures what it sends, and both print the sum of the two rates, each over its own time: "
	 "the "
	 "direction that is through first is not charged for the wait for the other. --report-both adds the "
	 "two parts; JSON and CSV have the messages of each side as iterations_local and iterations_remote. The peak "
	 "is the sum of both peaks, and 0 where one was not measured. Of a run that one side cut short they are of "
	 "what each did while both ran. Interval "
	 "rows are of both directions, too: the sides tell each other what they have done by the end of each interval, "
	 "and a row has the messages of both over its time, in a run by count those of a direction until its last one; "
	 "where one side told that much later than the other, as "
	 "when it was stopped, the row ends with a later interval. A "
	 "server that was given another --report_interval than its client refuses. linux-rdma perftest does not tell "
	 "it: with such a peer the rows are of what this side has sent and what has arrived, without a peak, where "
	 "messages take receives (send, --write_with_imm) and none is lost (RC). Otherwise they are of what this side "
	 "sends alone, and stand under Local results: a script that reads all rows must heed that head, or take the "
	 "row "
	 "behind Summary. --output prints no such row. With -D neither does linux-rdma perftest tell what it sent: "
	 "where "
	 "messages take receives the sum is then of what this side has sent and what has arrived, which with UC and UD "
	 "is "
	 "less by what was lost."},
	{MANUAL_OUTPUT, BW & ~ATOMIC, NULL,
	 "With --rate_limit the program posts a burst (--burst_size) when its time is over, and a list (-l) when that "
	 "of all its messages is. It catches up when it was "
	 "late, and no average of what it sent is above the limit; with -D and -f it makes up between the margins only "
	 "what it was "
	 "late there. The last message of a burst is always signalled, so that CQ "
	 "moderation may be less than asked. With several queue pairs the limit is that of all, and bursts take "
	 "turns."},
	{MANUAL_OUTPUT, RAW &BW, NULL,
	 "Frames may be lost. A run by count knows on the side that receives how many were to come: what is missing "
	 "once "
	 "nothing has come for --timeout is reported as lost, by a warning and in JSON and CSV, and neither it nor "
	 "that silence "
	 "is in any average. Who sends does not know it, nor does a run by time: lost is then null in JSON, and empty "
	 "in CSV. "
	 "With -b the row of a side is of what it sends."},
	{MANUAL_OUTPUT, RAW &LAT, NULL,
	 "A frame that is lost ends the test once --timeout is over, with what was measured until then."},
	{MANUAL_OUTPUT, RAW &BW, NULL,
	 "Where --flows times --flows_burst is no power of two, the order of the flows begins anew in the middle of a "
	 "turn, "
	 "once in sixteen turns or more."},
	{MANUAL_OUTPUT, BW &TWO_WAY, NULL,
	 "UC and UD may lose messages. What was sent but never arrived is reported as lost, by a warning and in JSON "
	 "and CSV, and is in no average of the receiver. The sender's own figures are of what it sent, lost or not; "
	 "it hears from the receiver what was lost. Of WRITE no side sees what arrives, and linux-rdma perftest does "
	 "not "
	 "tell it: lost is then null in JSON, and empty in CSV."},
	{MANUAL_OUTPUT, LAT &RECEIVES, NULL,
	 "A sample is the time from just before a message is posted until its answer is seen, and every figure is half "
	 "of "
	 "it, as an estimate of one way; where the two ways differ it is their mean."},
	{MANUAL_OUTPUT, LAT &TWO_WAY, NULL,
	 "With --latency_gap the sides take turns: whose turn it is waits for the gap, posts, and takes a sample of "
	 "the "
	 "exchange, which the other side answers at once. One message more hands the turn over. So the wait is in no "
	 "sample of either side, and both have -n samples. linux-rdma perftest knows no turns: it waits before each of "
	 "its answers, if it has the option, and that is in the other side's samples."},
	{MANUAL_OUTPUT, LAT &TWO_WAY, NULL,
	 "An interval row is in no sample of either side: a message that was held up by one says so to the other side, "
	 "and the exchange is made again without being counted, unless it took 0.1 s."},
	{MANUAL_OUTPUT, LAT & ~RECEIVES, NULL,
	 "A sample is the time from just before a request is posted until its completion is seen: a whole round trip, "
	 "not "
	 "halved."},
	{MANUAL_OUTPUT, FS, "#flows", "Rules that were made."},
	{MANUAL_OUTPUT, FS, "fs_min_time, fs_max_time, fs_typical_time, fs_avg_time, fs_stdev_time, percentiles",
	 "Of the times that ibv_create_flow() took, each by itself: true extremes, median, mean and standard "
	 "deviation; "
	 "percentiles come from a histogram whose values are off by at most 1/256 (0.4 %)."},
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
	 "come "
	 "from a histogram of constant size whose values are off by at most 1/256 (0.4 %), and never lie outside t_min "
	 "and "
	 "t_max. A percentile needs at least 1/(1 - P/100) samples, 99.9 % a thousand; with fewer the maximum stands "
	 "in its "
	 "place. A line of the header says so; by time, where the number is not known before, a note behind the table "
	 "(on "
	 "standard error where standard output is no terminal). "
	 "The 100th percentile is the maximum itself."},
	{MANUAL_OUTPUT, LAT, NULL,
	 "A sample that comes out below zero, because the cycle counters of two CPUs are out of step, is in no figure; "
	 "such samples are counted, and a warning names their number."},
	{MANUAL_OUTPUT, LAT, NULL,
	 "Times are in microseconds, with -C in ticks of the clock. With -D and --run_infinitely t_avg and tps "
	 "average, the ping-pongs or requests per second, come first; the other figures stand behind them. -H prints "
	 "every sample in ascending order before the row, -U in the order of time."},
	{MANUAL_OUTPUT, MOVES, NULL,
	 "With -D the test runs for that many seconds, and what is counted are the messages that complete between the "
	 "two "
	 "margins (-f): with -D 10 -f 2 those of the six seconds in the middle. With --run_infinitely there is a row "
	 "for "
	 "every interval of -D seconds, each of the messages that completed in it, and at Ctrl-C a last row that sums "
	 "the "
	 "whole run up. --report_interval prints such interval rows in any run. They end at multiples of the interval. "
	 "Those of bandwidth have the messages of the margins, too, those of latency the samples, of which a margin "
	 "has "
	 "none; a sample is of the row in which its answer came, which may be shorter than it is, and while an answer "
	 "is awaited a row is printed up to 0.1 s behind its end. "
	 "With -D the last one ends when the time is over, also where nothing moved in it, and what completes behind "
	 "that is in no figure: with -f 0 the rows add up to the row below them. In any other run, and in "
	 "one "
	 "that was cut short, the last one ends at the last message, and where none came since the row before there is "
	 "no other; of a run that was cut short it is marked as partial. A row "
	 "that could not be printed in time, as when the program was stopped, covers the intervals that it missed: two "
	 "sides may differ in the number of their rows, and each message is in one of them. While a side that receives "
	 "by UC or UD waits for messages that may have been lost, no interval ends."},
	{MANUAL_OUTPUT, LAT, NULL,
	 "By time, tps is over the whole window between the margins, and an exchange counts that was open at some time "
	 "of it, with all the time that it took. So an outage is in the figures, wherever it lies. An exchange that is "
	 "not answered when the run ends counts as long as it was open, if that is longer than every other sample. "
	 "The side that only answers ends with the other one: with -f 0 its window, and the time in its JSON document, "
	 "is shorter by what it began later than that, as on a busy machine, and its tps is over what there was. "
	 "Where the exchange that was open at the end stands out, a warning and the JSON document say how long it "
	 "took, "
	 "or was open at least."},
	{MANUAL_OUTPUT, ALL, "CPU_Util[%]",
	 "With --cpu_util: how much of the time all CPUs of this machine together were busy: user, nice, system, "
	 "interrupts "
	 "and stolen time, of all there is."},
	{MANUAL_OUTPUT, IB, "VALIDATION",
	 "With --data_validation: how many of the messages that were sent have been checked byte for byte, and whether "
	 "all were right. The test then runs in rounds of as many messages as the buffer has slots for; the figures "
	 "are "
	 "those of the messages moving, and neither filling nor checking is in them. Both sides of a bandwidth test "
	 "print the sender's figures. The side where data arrives names the first ten wrong messages by queue pair, "
	 "number and offset. Messages that UC or UD lost are counted and are no fault."},
	{MANUAL_OUTPUT, ALL, NULL,
	 "A run that is cut short prints what it has measured so far and marks it as partial."},
	{MANUAL_OUTPUT, ALL, NULL,
	 "--output prints the average alone, with six decimals, for scripts. --output_format=json prints one JSON "
	 "document "
	 "and csv comma separated rows under a heading, both with units in their names; --out_json writes the document "
	 "to "
	 "a file beside any other output. The document has the host, the device, every parameter, every size and "
	 "interval, "
	 "the clock and its error, and the warnings; its schema is schema.json in the folder of the documentation, "
	 "/usr/share/doc/perftest."},

	{MANUAL_OUTPUT, ALL, NULL,
	 "--doctor runs no test. It prints a page on this host and device: link, MTU, GIDs, counters of congestion and "
	 "loss, PCIe, NUMA, CPU frequency, memory limits, kernel modules. Each line is ok, look here (with what to do) "
	 "or "
	 "unknown. What each looks at is in doctor.md in the folder of the documentation; with --output_format=json it "
	 "is a document."},

	/* --- exit status --- */
	{MANUAL_EXIT_STATUS, ALL, "0", "Success; also after --help and --version."},
	{MANUAL_EXIT_STATUS, ALL, "1", "A failure of the device, the other side, the network or a file."},
	{MANUAL_EXIT_STATUS, ALL, "2", "The command line is wrong; nothing was tried."},
	{MANUAL_EXIT_STATUS, BW, "3", "The test ran, but a result is below -w or -y."},
	{MANUAL_EXIT_STATUS, IB, "4",
	 "With --data_validation: a message arrived wrong, on either side. Goes before 3 and 130."},
	{MANUAL_EXIT_STATUS, ALL, "5", "--doctor found something to look at."},
	{MANUAL_EXIT_STATUS, ALL, "130", "Ctrl-C, or SIGTERM, cut the run short."},

	/* --- environment --- */
	{MANUAL_ENVIRONMENT, ALL, "PERFTEST_SOFT",
	 "null makes the software device complete requests at once without moving data, for measuring what the program "
	 "itself costs."},
	{MANUAL_ENVIRONMENT, ALL, "PERFTEST_SOFT_LIB",
	 "The software device's library, libperftest_soft.so; unless set it is looked for beside the program and where "
	 "it "
	 "was installed."},
	{MANUAL_ENVIRONMENT, ALL, "PERFTEST_CLOCK",
	 "gettime takes time from clock_gettime(2) instead of the CPU's cycle counter. The program does so by itself "
	 "where "
	 "the counter can't be trusted, and says so."},

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
	{MANUAL_EXAMPLES, BW &IB, "client$ %s --run_infinitely -D 1 server", "A row every second until Ctrl-C."},
	{MANUAL_EXAMPLES, BW &IB, "client$ %s -w 10000 server", "Exit with status 3 below 10000 MiB/s, for a script."},
	{MANUAL_EXAMPLES, IB, "client$ %s --out_json_file=result.json server",
	 "The table on the screen and a JSON document in a file."},

	/* --- notes --- */
	{MANUAL_NOTES, RAW, NULL,
	 "Raw packet queue pairs take CAP_NET_RAW, and an Ethernet port. Where the machine has no RDMA device, or with "
	 "-d soft0 or "
	 "-d soft1, the program starts itself again with a software device, which sends and receives by the network "
	 "interface "
	 "that PERFTEST_SOFT=if=NAME names; the kernel sees the frames that come as well, and may answer them where "
	 "the "
	 "interface has an address."},
	{MANUAL_NOTES, IB, NULL,
	 "Where the machine has no RDMA device, or with -d soft0 or -d soft1, the program starts itself again with a "
	 "software device. It needs no privilege, no kernel module and no network, works between processes of one user "
	 "on "
	 "one host, and its figures are those of this host's memory system; the header says so. A run on a real device "
	 "never "
	 "touches it. run_soft gives it to any other RDMA program."},
	{MANUAL_NOTES, IB, NULL,
	 "The server listens on all addresses unless --bind_source_ip says otherwise, and lets any client that "
	 "connects use "
	 "the "
	 "buffer that it registers: run it in networks that you trust."},
	{MANUAL_NOTES, IB, NULL,
	 "With -R and -z HOST is an address of an RDMA device: of a RoCE or iWARP port's network interface, or of "
	 "IPoIB. "
	 "rdma_cm chooses the device by it; --bind_source_ip, or -d, chooses where the client starts from. The kernel "
	 "module is rdma_ucm."},
	{MANUAL_NOTES, IB, NULL,
	 "iWARP takes -R on both sides: only rdma_cm connects its queue pairs, over TCP connections whose ports are "
	 "those of the host. So a server on a host with an iWARP device listens with rdma_cm only where it was given "
	 "-R or -z, and elsewhere always."},
	{MANUAL_NOTES, LAT &RECEIVES, NULL,
	 "The first samples are often the slowest, from caches that are cold. The median says more about a system than "
	 "the "
	 "mean, and the percentiles more than the maximum of a single run."},
};

const size_t manual_count = sizeof(manual) / sizeof(manual[0]);
