// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What must a reader of cmtime's manual page know besides the options? In the order in which it is printed.
 * Definitions here are those of the code: step.h (stamps), conn_stats.h (totals, intervals), client.c (order).
 */
#include "cmtime/cmtime.h"

#include "cmtime/parameters.h"

static const struct manual_paragraph paragraphs[] = {
	/* --- description --- */
	{MANUAL_DESCRIPTION, CMTIME_PROGRAM, NULL,
	 "Says how long each step in the life of an RDMA connection takes, for one client and one server or for a "
	 "cluster of them. Start one or more servers (-L) and one or more clients, in any order and on any hosts, all "
	 "with the same -C; each client makes -c connections with each server."},
	{MANUAL_DESCRIPTION, CMTIME_PROGRAM, NULL,
	 "One of the instances, a client or a server, is the controller: the first one that finds the address of -C "
	 "to be its host's own. The others connect to it and try again until it is there. It gathers what each was "
	 "told, refuses what contradicts, tells all what is run, keeps them in step, and puts the figures of all "
	 "together. An option that is marked shared need be given to one instance only, but -P best to the "
	 "controller."},
	{MANUAL_DESCRIPTION, CMTIME_PROGRAM, NULL,
	 "First each client makes one connection with each server, which is in no figure. Then all connections are "
	 "taken through each step before the next step begins: create ID, bind address, resolve address, resolve "
	 "route, create QP, modify it to INIT, connect (in which QPs go to RTR and RTS), disconnect, destroy QP, "
	 "destroy ID. With two instances a second test follows that makes no queue pairs, and so shows what the "
	 "connection manager alone takes."},
	{MANUAL_DESCRIPTION, CMTIME_PROGRAM, NULL,
	 "With --window, --rate or --duration each connection goes through all steps on its own instead, so that "
	 "what is measured is a server under a steady load. --window N begins one when another is done; --rate "
	 "begins one whenever it is due, and counts the time of a whole connect from when it was due; --duration "
	 "goes on for that time."},
	{MANUAL_DESCRIPTION, CMTIME_PROGRAM, NULL,
	 "With -S TCP sockets go through the same steps, as far as they have them, with any number of instances: a "
	 "baseline. With -m no queue pairs are made, so that the connection manager can be tested at a scale that the "
	 "device does not have; the numbers of queue pairs that do not exist come from ranges that the controller "
	 "keeps apart, so that several instances may share a host."},

	/* --- output --- */
	{MANUAL_OUTPUT, CMTIME_PROGRAM, NULL,
	 "Each instance prints a table of its own for each test. With --merged, which any of them may be given, the "
	 "controller prints one for all instances in place of its own, in which histograms are added up. Errors and, "
	 "on a terminal, progress go to standard "
	 "error. 0 stands where a step did not happen, or not on this side: a server knows nothing of addresses and "
	 "routes, and sockets have no queue pairs."},
	{MANUAL_OUTPUT, CMTIME_PROGRAM, "qp_conn, cm_conn",
	 "Connections of this instance, with queue pairs and without."},
	{MANUAL_OUTPUT, CMTIME_PROGRAM, "total(us)",
	 "From the first connection's begin of the step to the last one's end of it, for all instances the longest. "
	 "Where connections are in progress at the same time it is far less than the sum."},
	{MANUAL_OUTPUT, CMTIME_PROGRAM, "avg/conn", "The total over the number of connections."},
	{MANUAL_OUTPUT, CMTIME_PROGRAM, "sum(us), us/conn",
	 "The times of the step of all connections added up, and that over their number. The sum of full connect is 0: "
	 "what connections wait for one another between two steps would be counted as often as there are connections."},
	{MANUAL_OUTPUT, CMTIME_PROGRAM, "max(us), min(us)", "The longest and the shortest time of one connection."},
	{MANUAL_OUTPUT, CMTIME_PROGRAM, "p99(us) and the like",
	 "With --percentiles: the time at or below which that share of the connections lies, from a histogram that "
	 "is off by at most 1/256. Where there are too few connections for it the maximum stands there, and a line "
	 "below the table says so."},
	{MANUAL_OUTPUT, CMTIME_PROGRAM, "svc(us), +queue(us)",
	 "With --queueing, two means over the connections that had them. Service is the call, or the time from the "
	 "call until its answer was read from the event channel; it is all of a step's time but for cm connect, "
	 "which goes on behind the answer. The queueing comes on top of the service: it is the wait for a thread of "
	 "-n, from when the step was due to the call, and from the answer to when it was taken up. A step's time "
	 "leaves it out, but for the wait behind cm connect's answer."},
	{MANUAL_OUTPUT, CMTIME_PROGRAM, NULL,
	 "A step is timed from the call to its end; resolve addr and resolve route to when the answer was read; cm "
	 "connect to when the connection is established, with the queue pair's way to RTR and RTS in it. As answers "
	 "are read by one thread, one after the other, the times of resolve addr and resolve route grow with the "
	 "number of connections that are resolved at once; --window 1 shows one of them alone."},
	{MANUAL_OUTPUT, CMTIME_PROGRAM, NULL,
	 "A test that is cut short prints what it has, marked as partial. JSON and CSV have every step with its "
	 "count, extremes, mean, standard deviation and percentiles, of its time, service and queueing; the document "
	 "also has the connections that came up in each tenth of a second (later ones are wider in a long run). Both "
	 "have the whole cluster's figures behind its own where the controller writes them."},

	/* --- exit status --- */
	{MANUAL_EXIT_STATUS, CMTIME_PROGRAM, "0", "All went well, on all instances."},
	{MANUAL_EXIT_STATUS, CMTIME_PROGRAM, "1",
	 "Something failed here or elsewhere; one line on standard error names the instance and the step."},
	{MANUAL_EXIT_STATUS, CMTIME_PROGRAM, "2", "The command line is wrong; nothing was tried."},
	{MANUAL_EXIT_STATUS, CMTIME_PROGRAM, "130", "SIGINT or SIGTERM ended it; the other instances end with 1."},

	/* --- environment --- */
	{MANUAL_ENVIRONMENT, CMTIME_PROGRAM, "PERFTEST_CLOCK",
	 "gettime: take clock_gettime() in place of the CPU's counter."},

	/* --- examples --- */
	{MANUAL_EXAMPLES, CMTIME_PROGRAM, "client1$ %s -B enp1s0f0np0 -P 5 -C 192.0.2.1 -c 1000",
	 "One of two clients and three servers, which make 6000 connections in all; the others are started in the same "
	 "way, servers with -L."},

	/* --- notes --- */
	{MANUAL_NOTES, CMTIME_PROGRAM, NULL,
	 "Where the machine has no RDMA device, all instances are on soft0, the software device of the suite: they "
	 "must be processes of one user on this host, and the times are those of this host's memory and of its own "
	 "connection manager. Between hosts without an RDMA adapter the kernel's rdma_rxe gives any network "
	 "interface one (\"rdma link add rxe0 type rxe netdev eth0\")."},
	{MANUAL_NOTES, CMTIME_PROGRAM, NULL,
	 "Every instance says once a second that it is alive. One that dies, is cut off, is silent for --timeout, or "
	 "fails, ends all of them."},
	{MANUAL_NOTES, CMTIME_PROGRAM, NULL,
	 "A server's port may be found by scanners, health checks or clients of another run. What does not show the "
	 "number that the controller drew for this run is closed, and counts nowhere."},
	{MANUAL_NOTES, CMTIME_PROGRAM, NULL,
	 "The channel between instances is neither encrypted nor authenticated: use it in networks that are trusted."},
};

static const char *cmtime_rule_sentence(const struct cli *cli, size_t n)
{
	(void)cli;
	return cmtime_rule(n);
}

const struct page cmtime_page = {
	.cli =
		{
			.name = "cmtime",
			.purpose = "measure the steps of RDMA connection setup and teardown",
			.options = &cmtime_options,
			.examples =
				{{"server$ %s -B enp1s0f0np0 -C 192.0.2.1 -L", "The server, on 192.0.2.1"},
				 {"client$ %s -B enp1s0f0np0 -C 192.0.2.1", "100 connections with it"},
				 {"client$ %s -b 192.0.2.2 -C 192.0.2.1 --rate 500 --duration 60 --out_json",
				  "500 connections a second for a minute, and a document that shows whether the server "
				  "kept up"},
				 {"client$ %s -b 127.0.0.1 -C 127.0.0.1 -S", "TCP on this host; no RDMA is needed"}},
			.program = CMTIME_PROGRAM,
			.usages = {{"-C HOST (-B NAME | -b ADDRESS) -L", "on a server"},
				   {"-C HOST (-B NAME | -b ADDRESS)", "on a client"}},
			.note = "All instances name the same controller; the shared options need to be given to one of "
				"them only.",
		},
	.paragraphs = paragraphs,
	.num_paragraphs = sizeof(paragraphs) / sizeof(paragraphs[0]),
	.reaches =
		"Those marked shared have the same value for all instances: the controller hands on what one of them "
		"was given, and refuses two values. Those marked offered are handed on, too, but an instance keeps "
		"its own where it was given one. The others concern one instance only.",
	.rule = cmtime_rule_sentence,
	.see_also = ".BR perftest (7),\n.BR rdma_cm (7),\n.BR ib_send_bw (1)\n",
};
