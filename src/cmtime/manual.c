// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The prose of cmtime's manual page, in the order of the page. Its definitions match the code: conn_stats.h (steps,
 * totals, intervals), client.c (order).
 */
#include "cmtime/cmtime.h"

#include "cmtime/parameters.h"

static const struct manual_paragraph paragraphs[] = {
	/* --- description --- */
	{MANUAL_DESCRIPTION, CMTIME_PROGRAM, NULL,
	 "Measures how long each step in the life of an RDMA connection takes, for one client and one server or for "
	 "a cluster of them. Start one or more servers (-L) and one or more clients, in any order and on any hosts, "
	 "all with the same -C; each client makes -c connections with each server."},
	{MANUAL_DESCRIPTION, CMTIME_PROGRAM, NULL,
	 "One of the instances, a client or a server, is the controller: the first one on the host that has the "
	 "address of -C. The others try to connect to it until it is up. It collects the options of all instances, "
	 "refuses contradictions, tells them what to run, keeps them in step, and merges their figures. An option "
	 "marked as shared need be given to one instance only; -P is best given to the controller."},
	{MANUAL_DESCRIPTION, CMTIME_PROGRAM, NULL,
	 "With --keep_serving a server waits for the instances of another test when one is over, however long, as the "
	 "controller if it has that address; a test that fails does not end it. Each test has the options of its own "
	 "instances. JSON files are numbered: run.1.json, run.2.json."},
	{MANUAL_DESCRIPTION, CMTIME_PROGRAM, NULL,
	 "First each client makes one connection with each server, which is not counted. Then all connections "
	 "complete each step before the next step begins: create ID, bind address, resolve address, resolve route, "
	 "create QP, modify it to INIT, connect (in which QPs go to RTR and RTS), disconnect, destroy QP, destroy ID. "
	 "With two instances a second test follows that creates no queue pairs, and so shows the time of the "
	 "connection manager alone."},
	{MANUAL_DESCRIPTION, CMTIME_PROGRAM, NULL,
	 "With --window, --rate or --duration each connection goes through all steps on its own instead, which "
	 "measures a server under a steady load. --window N starts a connection when another is done; --rate starts "
	 "one whenever it is due, and counts the time of a full connect from then; --duration goes on for that time."},
	{MANUAL_DESCRIPTION, CMTIME_PROGRAM, NULL,
	 "With --repeat or --until each test is measured several times, by all instances together, and has one table: "
	 "of all connections of all measurements, with the longest total of a step; the connections per second are the "
	 "mean of the measurements, and have a confidence interval. --steady leaves the first measurements out of "
	 "that, "
	 "not out of the table. Each instance decides by its own rate whether it has enough, and all go on until none "
	 "wants more or one has reached a limit. One process is still one run: to compare two configurations use "
	 "perftest compare."},
	{MANUAL_DESCRIPTION, CMTIME_PROGRAM, NULL,
	 "With -S TCP sockets go through the steps that apply to them, with any number of instances, as a baseline. "
	 "With -m no queue pairs are created, so that the connection manager can be tested at a scale that the device "
	 "does not support; the numbers of these nonexistent queue pairs come from ranges that the controller keeps "
	 "apart, so that several instances can share a host."},

	/* --- output --- */
	{MANUAL_OUTPUT, CMTIME_PROGRAM, NULL,
	 "Each instance prints a table of its own for each test. With --merged, which can be given to any of them, "
	 "the controller prints one for all instances in place of its own, in which histograms are added up. Errors "
	 "and, on a terminal, progress go to standard error. 0 is printed for a step that did not occur on this side: "
	 "a server resolves no addresses and routes, and sockets have no queue pairs. Of cm connect a server has the "
	 "total alone, from the first request to the last connection: it does not see how long a client waits."},
	{MANUAL_OUTPUT, CMTIME_PROGRAM, "qp_conn, cm_conn",
	 "Connections of this instance, with queue pairs and without; with --repeat or --until those of one "
	 "measurement."},
	{MANUAL_OUTPUT, CMTIME_PROGRAM, "total(us)",
	 "From when the first connection begins the step to when the last one ends it; for all instances, the "
	 "longest. If connections are in progress at the same time, it is far less than the sum."},
	{MANUAL_OUTPUT, CMTIME_PROGRAM, "avg/conn", "The total over the number of connections."},
	{MANUAL_OUTPUT, CMTIME_PROGRAM, "sum(us), us/conn",
	 "The times of the step, added up over all connections, and that divided by their number. Step by step, the "
	 "sum of full connect is 0: the time that connections wait for each other between two steps would be counted "
	 "once for each connection. With --window, --rate or --duration they do not wait, and it is the sum."},
	{MANUAL_OUTPUT, CMTIME_PROGRAM, "max(us), min(us)", "The longest and the shortest time of one connection."},
	{MANUAL_OUTPUT, CMTIME_PROGRAM, "p99(us) and the like",
	 "With --percentiles: the time at or below which that share of the connections lies, from a histogram that "
	 "is off by at most 1/256. If there are too few connections for it, the maximum is printed in its place, and "
	 "a line below the table says so."},
	{MANUAL_OUTPUT, CMTIME_PROGRAM, "svc(us), +queue(us)",
	 "With --queueing, two means over the connections that had them. Service is the call, or the time from the "
	 "call until its answer was read from the event channel; it is the whole time of a step except for cm "
	 "connect, which goes on after the answer. Queueing comes on top of service: it is the wait for a thread of "
	 "-n, from when the step was due to the call, and from the answer to when it was handled. A step's time does "
	 "not include it, except for the wait after cm connect's answer."},
	{MANUAL_OUTPUT, CMTIME_PROGRAM, NULL,
	 "A step is timed from the call to its end; resolve addr and resolve route until the answer was read; cm "
	 "connect until the connection is established, including the transitions of the queue pair to RTR and RTS. "
	 "Since one thread reads the answers, one after the other, the times of resolve addr and resolve route grow "
	 "with the number of connections that are resolved at once; --window 1 shows a single one."},
	{MANUAL_OUTPUT, CMTIME_PROGRAM, NULL,
	 "A test that is cut short prints what it has, marked as partial. JSON and CSV have every step with its "
	 "count and the extremes, mean, standard deviation and percentiles of its time, service and queueing; the "
	 "JSON document also has the number of connections that were established in each tenth of a second (in a "
	 "long run, later intervals are wider). The controller's have the figures of the whole cluster after its "
	 "own. The document also describes the other instances: their hosts, devices and builds."},

	{MANUAL_OUTPUT, CMTIME_PROGRAM, "begin(s), length(s), connections, conn/sec",
	 "With --report_interval, rows above the table: when the interval began, counted from the start of the test, "
	 "how long it was, and the connections of this instance that were established in it. The test may be over "
	 "before the last one, which has no rate then. JSON has these rows in place of those of tenths of a second; "
	 "CSV, whose rows are steps, has none."},
	{MANUAL_OUTPUT, CMTIME_PROGRAM, "conn/sec",
	 "A line below the table with --window, --rate, --duration, --repeat or --until, with the latter two with the "
	 "number of measurements and the 95 % confidence interval: connections per second, from a client's first "
	 "call to when its last connection was established, on a server from the start of the test. For all "
	 "instances it is from the first client's first call to the end of the last, by the controller's clock, to "
	 "which each message of a client adds at most the time that the message took."},
	{MANUAL_OUTPUT, CMTIME_PROGRAM, "Likeliest cause, Also, No cause found",
	 "Below the tables, with --explain: " MANUAL_EXPLAIN
	 "The instances note their counters, CPU time and network before and after the tests, and two of them tell "
	 "each other; of more than two the controller names the causes of all, each with the instance that has most of "
	 "it and how many others have it, too, and the others look at their own side. perftest's documents explain "
	 "each cause (explain.md). Then follows what the doctor (perftest doctor) finds on the hosts that may slow a "
	 "test down and has no figure here: it is no cause. JSON has the object explanation."},
	{MANUAL_OUTPUT, CMTIME_PROGRAM, "CPU_Util[%], time[UTC]",
	 "Lines below the table with --cpu_util, the share of time for which the CPUs of this machine, all together, "
	 "were busy during the test, and with --timestamps, when the test ended."},
	{MANUAL_OUTPUT, CMTIME_PROGRAM, "NAME=DELTA",
	 "Below the table, with -W: by how much a counter of this machine has increased during the test, with --repeat "
	 "or --until during all of its measurements; and below a row of --report_interval, since the row before. JSON "
	 "has them in the summary and in these rows, CSV in each line of the test."},

	/* --- exit status --- */
	{MANUAL_EXIT_STATUS, CMTIME_PROGRAM, "0", "Success, on all instances."},
	{MANUAL_EXIT_STATUS, CMTIME_PROGRAM, "1",
	 "Something failed on this or another instance; a line on standard error names the instance and the step."},
	{MANUAL_EXIT_STATUS, CMTIME_PROGRAM, "2", MANUAL_USAGE_ERROR},
	{MANUAL_EXIT_STATUS, CMTIME_PROGRAM, "3",
	 "Connections per second are below --limit_rate, or a time of full connect is above --max_lat, --max_p99 or "
	 "--max_percentiles; a message says by how much, and missed_limits of the JSON document has them all. The "
	 "limits hold for the figures of the instance that was given them, the controller's for those of all. A "
	 "percentile with too few connections misses its limit. With --limit_intervals --limit_rate also holds for "
	 "each row of --report_interval but one that was cut short: the first miss is reported at once, at the end how "
	 "many there were, and the worst. The controller of more than two instances compares none: its limit is for "
	 "all. With --limit_peers the controller's limits hold for each client, which is named, by its own connections "
	 "per second and its own full connects, rather than for all of them together."},
	{MANUAL_EXIT_STATUS, CMTIME_PROGRAM, "130",
	 "SIGINT, SIGTERM or SIGHUP stopped it; the other instances exit with 1. A server with --keep_serving that "
	 "such a signal ends while it waits for the others exits with 0."},

	/* --- environment --- */
	{MANUAL_ENVIRONMENT, CMTIME_PROGRAM, "PERFTEST_CLOCK", MANUAL_CLOCK},

	/* --- examples --- */
	{MANUAL_EXAMPLES, CMTIME_PROGRAM, "client1$ %s -B enp1s0f0np0 -P 5 -C 192.0.2.1 -c 1000",
	 "One of two clients with three servers, which make 6000 connections in all; the others are started in the "
	 "same way, the servers with -L."},

	/* --- notes --- */
	{MANUAL_NOTES, CMTIME_PROGRAM, NULL,
	 "If the machine has no RDMA device, all instances run on soft0, the software device of the suite: they must "
	 "be processes of one user on this host, and the times are those of this host's memory and of the software "
	 "device's connection manager. Between hosts without RDMA adapters, the kernel's rdma_rxe adds an RDMA "
	 "device to any network interface (\"rdma link add rxe0 type rxe netdev eth0\")."},
	{MANUAL_NOTES, CMTIME_PROGRAM, NULL,
	 "Every instance reports once a second that it is alive. If one dies, is cut off, is silent for --timeout, or "
	 "fails, all of them exit."},
	{MANUAL_NOTES, CMTIME_PROGRAM, NULL,
	 "Scanners, health checks or clients of another run may connect to a server's port. A connection that does "
	 "not present the number that the controller chose for this run is closed and not counted."},
	{MANUAL_NOTES, CMTIME_PROGRAM, NULL,
	 "The channel between instances is neither encrypted nor authenticated: use it only in networks that you "
	 "trust."},
};

const struct page cmtime_page = {
	.cli =
		{
			.name = "cmtime",
			.purpose = "measure the steps of RDMA connection setup and teardown",
			.options = &cmtime_options,
			.examples = {{"server$ %s -B enp1s0f0np0 -C 192.0.2.1 -L", "The server, on 192.0.2.1"},
				     {"client$ %s -B enp1s0f0np0 -C 192.0.2.1", "100 connections with it"},
				     {"client$ %s -b 192.0.2.2 -C 192.0.2.1 --rate 500 --duration 60 --out_json",
				      "500 per second for a minute; JSON shows if the server keeps up"},
				     {"client$ %s -b 127.0.0.1 -C 127.0.0.1 -S",
				      "TCP on this host; no RDMA is needed"}},
			.program = CMTIME_PROGRAM,
			.usages = {{"-C HOST (-B NAME | -b ADDRESS) -L", "on a server"},
				   {"-C HOST (-B NAME | -b ADDRESS)", "on a client"}},
			.note = "All instances name the same controller; the shared options need to be given to one of "
				"them only.",
		},
	.paragraphs = paragraphs,
	.num_paragraphs = sizeof(paragraphs) / sizeof(paragraphs[0]),
	.reaches =
		"Options marked as shared have the same value on all instances: the controller passes on the value "
		"that one of them was given, and refuses two different ones. Those marked as offered are passed on, "
		"too, but an instance keeps its own value if it was given one. The others concern one instance only.",
	.rule = cmtime_rule,
	.see_also = ".BR perftest (7),\n.BR rdma_cm (7),\n.BR ib_send_bw (1)\n",
};
