// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See explain.h. Each function is the evidence of one row of the table at the end. */
#include "explain/explain.h"

#include <math.h>
#include <stdio.h>

#define FEWEST_LOSSES	  3	/* fewer may be a probe of TCP's, or a segment that overtook another */
#define FEW_IN_FLIGHT	  16	/* adapters work on this many at a time, and a switch adds the time of a few more */
#define SHORT_FLIGHT_S	  10e-6 /* through adapters and a switch or two: then it is not the link that is full */
#define USUAL_MTU	  1500
#define SMALL_BUFFER	  65536 /* TCP's largest window without scaling */
#define SMALL_MESSAGE	  1024	/* adapters reach the rate of a fast link from about here on */
#define RDMA_HEADERS	  82	/* of a packet of RoCE v2 over IPv4, with all of Ethernet's */
#define SLEEPS_OF_WAITING 0.5	/* per message: it sleeps for most of them */
#define LEAST_STOLEN	  5	/* ticks of 10 ms; each CPU may still have had one to count */

#define PUT(...) snprintf(evidence, EXPLAIN_EVIDENCE_SIZE, __VA_ARGS__)

static double fact(const struct view *view, enum fact which)
{
	return view->facts->number[which];
}

static double share(double part, double whole)
{
	return whole > 0 ? part / whole : NAN;
}

/* fmin() would make 1 of what is unknown. */
static double at_most_all(double part)
{
	return part > 1 ? 1 : part;
}

static double known(double value)
{
	return isnan(value) ? 0 : value;
}

/* --- CPU --- */

/* Its cgroup may be throttled on several CPUs at once. */
static double throttled(const struct view *view)
{
	return at_most_all(share(known(fact(view, FACT_THROTTLED)), fact(view, FACT_SECONDS)));
}

static double level_throttled(const struct view *view, char *evidence)
{
	PUT("its cgroup was throttled for %.0f %% of the time", 100 * throttled(view));
	return throttled(view);
}

/*
 * A throttled process is ready to run, too, and several threads may be at once. A bandwidth loses nothing as long as
 * the process has time to sleep as well.
 */
static double level_shared_cpu(const struct view *view, char *evidence)
{
	const double seconds = fact(view, FACT_SECONDS), allowed = fact(view, FACT_CPUS_ALLOWED);
	const double delayed = at_most_all(share(fact(view, FACT_RUN_DELAY), seconds));
	const double asleep = 1 - delayed - share(known(fact(view, FACT_CPU_SECONDS)), seconds);
	const double waited = delayed - throttled(view);
	const double busy = share(fact(view, FACT_BUSY_TICKS), fact(view, FACT_TICKS));
	char cpus[48] = "", host[48] = "";

	if (!isnan(allowed))
		snprintf(cpus, sizeof(cpus), allowed == 1 ? "; it may use CPU %.0f alone" : "; it may use %.0f CPUs",
			 allowed == 1 ? fact(view, FACT_CPU) : allowed);
	if (!isnan(busy)) /* the kernel counts ticks of 10 ms */
		snprintf(host, sizeof(host), ", and the host is %.0f %% busy", 100 * busy);
	PUT("it was ready to run, without a CPU, for %.0f %% of the time%s%s", 100 * waited, cpus, host);
	if (waited * seconds < CAUSE_LEAST_WAIT_S)
		return NAN;
	return view->test->is_bandwidth && asleep > 0 ? waited - asleep : waited;
}

static double level_stolen(const struct view *view, char *evidence)
{
	const double stolen = share(fact(view, FACT_STOLEN_TICKS), fact(view, FACT_TICKS));

	PUT("the hypervisor gave %.1f %% of its CPU time to others", 100 * stolen);
	return fact(view, FACT_STOLEN_TICKS) >= LEAST_STOLEN ? stolen : NAN;
}

static double level_frequency(const struct view *view, char *evidence)
{
	PUT("CPU %.0f ran at %.2f of %.2f GHz%s%s", fact(view, FACT_CPU), fact(view, FACT_FREQUENCY) / 1e6,
	    fact(view, FACT_MOST_FREQUENCY) / 1e6, view->facts->text[FACT_GOVERNOR][0] ? ", governor " : "",
	    view->facts->text[FACT_GOVERNOR]);
	return 1 - share(fact(view, FACT_FREQUENCY), fact(view, FACT_MOST_FREQUENCY));
}

static double level_wrong_node(const struct view *view, char *evidence)
{
	PUT("it ran on NUMA node %.0f, and the device is on node %.0f", fact(view, FACT_CPU_NODE),
	    fact(view, FACT_DEVICE_NODE));
	if (isnan(fact(view, FACT_CPU_NODE)) || isnan(fact(view, FACT_DEVICE_NODE)))
		return NAN;
	return fact(view, FACT_CPU_NODE) != fact(view, FACT_DEVICE_NODE);
}

/* --- setting up connections --- */

static double level_per_connection(const struct view *view, char *evidence)
{
	const double count = fact(view, view->cause->fact);

	PUT("%.0f %s, beside %.0f connections", count, view->cause->counted, view->test->messages);
	return view->test->is_connecting ? share(count, view->test->messages) : NAN;
}

static double level_few_threads(const struct view *view, char *evidence)
{
	const double threads = fact(view, FACT_THREADS);

	PUT("connections waited for %s%.0f thread%s for %.0f %% of their time", threads == 1 ? "its " : "one of its ",
	    threads, threads == 1 ? "" : "s", 100 * fact(view, FACT_THREAD_WAIT));
	return fact(view, FACT_THREAD_WAIT);
}

/* --- the path --- */

/* Of its own connection; in a test of many of them all that the network namespace has sent. */
static double level_tcp_loss(const struct view *view, char *evidence)
{
	const bool is_own = !isnan(fact(view, FACT_SEGMENTS));
	const double lost = fact(view, is_own ? FACT_SEGMENTS_AGAIN : FACT_TCP_RETRANSMITTED);
	const double sent = fact(view, is_own ? FACT_SEGMENTS : FACT_TCP_SENT);

	PUT("%.2f %% of its TCP segments were sent again, %.0f of %.0f", 100 * share(lost, sent), lost, sent);
	return lost >= FEWEST_LOSSES && view->test->is_socket ? share(lost, sent) : NAN;
}

/* A counter of the device, per message. */
static double level_per_message(const struct view *view, char *evidence)
{
	const double count = fact(view, view->cause->fact);

	PUT("counters of the device rose by %.0f, most of all %s", count, view->facts->text[view->cause->counter]);
	return count >= FEWEST_LOSSES ? share(count, view->test->messages) : NAN;
}

static double level_of_packets(const struct view *view, char *evidence)
{
	const double count = fact(view, view->cause->fact);
	const double packets = view->test->packets + known(fact(view, FACT_PACKETS));

	PUT("%s: %.0f %s, beside %.0f packets", view->facts->text[FACT_NETDEV], count, view->cause->counted, packets);
	return count >= FEWEST_LOSSES ? share(count, packets) : NAN;
}

static double level_marks(const struct view *view, char *evidence)
{
	const double marked = fact(view, FACT_IP_MARKED), received = fact(view, FACT_IP_RECEIVED);

	PUT("%.1f %% of the packets that it received were marked (ECN), %.0f of %.0f", 100 * share(marked, received),
	    marked, received);
	return view->test->is_socket ? share(marked, received) : NAN;
}

static double level_udp_drops(const struct view *view, char *evidence)
{
	const double dropped = fact(view, FACT_UDP_DROPS), all = fact(view, FACT_UDP_RECEIVED) + dropped;

	PUT("%.1f %% of the datagrams found no room in the socket, %.0f of %.0f", 100 * share(dropped, all), dropped,
	    all);
	return view->test->is_socket ? share(dropped, all) : NAN;
}

static double level_backlog(const struct view *view, char *evidence)
{
	PUT("%.0f packets found the queue of a CPU full, beside %.0f received", fact(view, FACT_BACKLOG_DROPS),
	    fact(view, FACT_IP_RECEIVED));
	return view->test->is_software ? NAN : share(fact(view, FACT_BACKLOG_DROPS), fact(view, FACT_IP_RECEIVED));
}

static double level_delay(const struct view *view, char *evidence)
{
	PUT("a round trip takes %.2f ms at least", 1e3 * fact(view, FACT_LEAST_RTT));
	return fact(view, FACT_LEAST_RTT);
}

/*
 * A side that waits for a CPU answers late, too. On a connection beside the messages an acknowledgement waits for up to
 * 40 ms for something to go with.
 */
static double level_standing_queue(const struct view *view, char *evidence)
{
	const double growth = fact(view, FACT_RTT) - fact(view, FACT_LEAST_RTT);
	const double waits = fact(view, FACT_SLEEPS) + fact(view, FACT_PREEMPTIONS);
	const double mean_wait = known(share(fact(view, FACT_RUN_DELAY), waits));

	PUT("a round trip took %.2f ms, and %.2f under load: a queue fills up before the narrowest link",
	    1e3 * fact(view, FACT_LEAST_RTT), 1e3 * fact(view, FACT_RTT));
	if (!view->test->is_bandwidth || !view->test->is_socket || isnan(fact(view, FACT_SEGMENTS)))
		return NAN;
	return growth > mean_wait ? growth : NAN;
}

static double level_small_mtu(const struct view *view, char *evidence)
{
	PUT("the MTU of %s is %.0f", view->facts->text[FACT_NETDEV], fact(view, FACT_MTU));
	return 1 - fact(view, FACT_MTU) / USUAL_MTU;
}

/* The MTU may be smaller elsewhere on the path. */
static double level_small_segments(const struct view *view, char *evidence)
{
	const double mtu = fact(view, FACT_MTU), most = mtu < USUAL_MTU ? mtu : USUAL_MTU;
	char of[FACT_TEXT_SIZE + 32] = "";

	if (!isnan(mtu))
		snprintf(of, sizeof(of), ", although the MTU of %s is %.0f", view->facts->text[FACT_NETDEV], mtu);
	PUT("TCP sends segments of %.0f bytes%s", fact(view, FACT_SEGMENT_BYTES), of);
	return view->test->is_socket ? 1 - fact(view, FACT_SEGMENT_BYTES) / most : NAN;
}

/* --- PCIe --- */

static double level_pcie_errors(const struct view *view, char *evidence)
{
	PUT("%.0f PCIe errors of the device", fact(view, FACT_PCIE_ERRORS));
	return fact(view, FACT_PCIE_ERRORS);
}

static double level_slow_pcie(const struct view *view, char *evidence)
{
	const double now = fact(view, FACT_PCIE_RATE) * fact(view, FACT_PCIE_LANES);
	const double most = fact(view, FACT_PCIE_MOST_RATE) * fact(view, FACT_PCIE_MOST_LANES);

	PUT("the device has %.0f lanes of %.1f GT/s, and could have %.0f of %.1f", fact(view, FACT_PCIE_LANES),
	    fact(view, FACT_PCIE_RATE), fact(view, FACT_PCIE_MOST_LANES), fact(view, FACT_PCIE_MOST_RATE));
	/* more than its link needs is no loss */
	return now * 1e9 > 1.25 * fact(view, FACT_LINK_RATE) ? NAN : 1 - share(now, most);
}

/* --- the test --- */

/* Of what is possible. NaN: unknown. */
static double reached(const struct view *view)
{
	return share(view->test->bandwidth, view->test->possible);
}

/* Of the time in which it could run: one that polls never sleeps. With many messages in flight few sleeps cost nothing.
 */
static double level_waits(const struct view *view, char *evidence)
{
	const double could_run = fact(view, FACT_SECONDS) - known(fact(view, FACT_RUN_DELAY));
	const double asleep = 1 - share(fact(view, FACT_CPU_SECONDS), could_run);
	const double sleeps = share(fact(view, FACT_SLEEPS), view->test->messages);

	PUT("it slept %.1f times for each message, and for %.0f %% of the time in which it could have run", sleeps,
	    100 * asleep);
	return view->test->waits && (!view->test->is_bandwidth || sleeps > SLEEPS_OF_WAITING) ? asleep : NAN;
}

static double level_few_in_flight(const struct view *view, char *evidence)
{
	const struct explain_test *test = view->test;
	const double flight_s = share(test->depth, test->message_rate);
	char on[40] = "";

	if (test->queue_pairs)
		snprintf(on, sizeof(on), ", on %u queue pair%s", test->queue_pairs, test->queue_pairs == 1 ? "" : "s");
	PUT("%u message%s in flight%s, and each was back after %.2f us", test->depth, test->depth == 1 ? "" : "s", on,
	    1e6 * flight_s);
	if (!test->depth || test->messages < 4 * test->depth ||
	    !(flight_s < SHORT_FLIGHT_S + 2 * known(fact(view, FACT_LEAST_RTT))))
		return NAN;
	return FEW_IN_FLIGHT / (double)test->depth;
}

static double level_small_buffer(const struct view *view, char *evidence)
{
	const uint64_t bytes = view->test->buffer_bytes;

	PUT("a socket buffer of %llu bytes was asked for, and data waited for room for %.0f %% of the time",
	    (unsigned long long)bytes,
	    100 * share(fact(view, FACT_TCP_NO_WINDOW) + fact(view, FACT_TCP_NO_BUFFER), fact(view, FACT_SECONDS)));
	return bytes && view->test->is_bandwidth ? SMALL_BUFFER / (double)bytes : NAN;
}

static double level_small_path_mtu(const struct view *view, char *evidence)
{
	const double used = view->test->mtu, most = view->test->most_mtu;

	PUT("packets have %.0f bytes, of the %.0f that the port can have", used, most);
	if (view->test->is_software || !view->test->most_mtu)
		return NAN; /* what is copied has no packets, and over iWARP they are TCP's */
	return 1 - share(used, used + RDMA_HEADERS) / share(most, most + RDMA_HEADERS);
}

/* Of a link of unknown rate no more is known than what headers take: half, of messages as small as they are. */
static double level_small_messages(const struct view *view, char *evidence)
{
	const struct explain_test *test = view->test;
	const double most = share(test->message_bytes, test->message_bytes + RDMA_HEADERS);

	PUT("%.0f bytes each: the number of messages is the limit, %.3g million a second", test->message_bytes,
	    test->message_rate / 1e6);
	return test->is_bandwidth && test->message_bytes <= SMALL_MESSAGE
		       ? 1 - (isnan(reached(view)) ? most : reached(view))
		       : NAN;
}

/* A loop over RDMA always has its CPU busy. */
static double level_one_queue_pair(const struct view *view, char *evidence)
{
	const struct explain_test *test = view->test;
	const double busy = share(fact(view, FACT_CPU_SECONDS), fact(view, FACT_SECONDS));

	PUT("%.0f %% of what is possible, by one %s%s", 100 * reached(view),
	    test->is_socket ? "connection" : "queue pair", test->is_socket ? ", whose CPU is busy" : "");
	if (!test->is_bandwidth || test->queue_pairs != 1 || test->is_software || (test->is_socket && busy < 0.9))
		return NAN;
	return 1 - reached(view);
}

const struct cause causes[] = {
	/* 5 % of the time */
	{"CPU limit", CAUSE_OF_SIDE, level_throttled, 0.05,
	 .advice = "raise the limit of the cgroup: cpu.max, in version 1 cpu.cfs_quota_us; CPUQuota= of systemd, "
		   "limits.cpu of Kubernetes"},
	/* 10 %: a host without load reaches half of it with its own timers and kernel threads */
	{"shared CPU", CAUSE_OF_SIDE, level_shared_cpu, 0.1,
	 .advice = "give it a CPU of its own: end what else runs there (top), or taskset[, --pin_cores]"
		   "[, --cpu_affinity]"},
	{"stolen CPU", CAUSE_OF_SIDE, level_stolen, 0.05,
	 .advice = "ask for dedicated CPUs, or measure at another time"},
	/* 30 %: all cores at once run this much below the highest turbo of one */
	{"slow CPU", CAUSE_OF_SIDE, level_frequency, 0.3,
	 .advice = "cpupower frequency-set -g performance; if it is that already, look for heat or a power limit "
		   "(turbostat)"},
	/* a fifth of the figure, if all of its memory and interrupts are there */
	{"wrong NUMA node", CAUSE_OF_SIDE, level_wrong_node, 0.25,
	 .advice = "numactl --cpunodebind, --membind with the device's node"},

	/* before lost packets, which these cause: one of a thousand that waits for seconds, ib_cm's 4 or the 1 of TCP,
	   costs milliseconds */
	{"lost requests", CAUSE_OF_SIDE, level_per_connection, 1e-3, .fact = FACT_CM_RETRIES,
	 .counted = "messages of the connection manager were sent again",
	 .advice = "look for drops on the way, and for a server that answers late[: fewer connections at a "
		   "time (--window)]"},
	{"full listen queue", CAUSE_OF_SIDE, level_per_connection, 1e-3, .fact = FACT_LISTEN_DROPS,
	 .counted = "connections found the queue of a listening socket full",
	 .advice = "[fewer connections at a time (--window), or ]a larger net.core.somaxconn"},
	{"repeated attempts", CAUSE_OF_SIDE, level_per_connection, 1e-3, .fact = FACT_RETRIES,
	 .counted = "attempts were repeated: a late address or route, or a queue pair number used before",
	 .advice = "ip neigh, on InfiniBand the load of the subnet manager[; the limit of an attempt is "
		   "--resolve_timeout]"},
	/* at half of it and below, the threads are the limit */
	{"few threads", CAUSE_OF_SIDE, level_few_threads, 0.5, .advice = "more threads[ (--threads)]"},

	/* of segments: with a round trip of 1 ms and 1500 bytes it limits TCP to 0.5 Gb/s (Mathis et al., 1997) */
	{"lost packets", CAUSE_OF_SIDE, level_tcp_loss, 0.001,
	 .advice = "look for drops on the way: ip -s link, tc -s qdisc and ethtool -S on both hosts, the counters of "
		   "the switches"},
	/* of messages: one of ten thousand that waits for a timeout of 67 ms (-u 14) costs 6.7 us a message */
	{"lost packets", CAUSE_OF_SIDE, level_per_message, 1e-4, .fact = FACT_RETRANSMISSIONS,
	 .counter = FACT_RETRANSMISSION_COUNTER,
	 .advice = "look for drops on the way: flow control (PFC, pause) set alike on all hops, the counters of the "
		   "switches"},
	{"receiver not ready", CAUSE_OF_SIDE, level_per_message, 1e-4, .fact = FACT_NOT_READY,
	 .counter = FACT_NOT_READY_COUNTER,
	 .advice = "more receives[ (--rx-depth)], and a receiver with a CPU of its own"},
	{"congestion", CAUSE_OF_SIDE, level_per_message, 1e-3, .fact = FACT_CONGESTION,
	 .counter = FACT_CONGESTION_COUNTER,
	 .advice = "others share a link on the way, a receiver is slower than its sender, or an instance of a cloud "
		   "has reached its limit"},
	{"link errors", CAUSE_OF_SIDE, level_per_message, 1e-5, .fact = FACT_LINK_ERRORS,
	 .counter = FACT_LINK_ERROR_COUNTER, .advice = "change cable or transceiver"},
	{"link errors", CAUSE_OF_SIDE, level_of_packets, 1e-5, .fact = FACT_PACKET_ERRORS,
	 .counted = "packets in error", .advice = "change cable or transceiver"},
	{"interface drops", CAUSE_OF_SIDE, level_of_packets, 1e-3, .fact = FACT_PACKET_DROPS,
	 .counted = "packets dropped",
	 .advice = "ethtool -S says which; larger rings: ethtool -G, a longer queue: ip link set txqueuelen"},
	{"congestion", CAUSE_OF_SIDE, level_of_packets, 1e-3, .fact = FACT_PAUSE_FRAMES, .counted = "pause frames",
	 .advice = "a receiver on the way is slower than its sender"},
	{"congestion", CAUSE_OF_SIDE, level_marks, 0.01, .advice = "others share a link on the way"},
	{"receiver too slow", CAUSE_OF_SIDE, level_udp_drops, 0.05,
	 .advice = "a larger socket buffer ([--sock_buf_size, ]net.core.rmem_max), or a CPU of its own"},
	{"receiver too slow", CAUSE_OF_SIDE, level_backlog, 1e-3,
	 .advice = "net.core.netdev_max_backlog, more receive queues (RSS, RPS)"},
	/* seconds: hosts of one site are 0.1 to 0.5 ms apart; light needs 1 ms for 100 km there and back */
	{"delay", CAUSE_OF_PATH, level_delay, 1e-3,
	 .advice = "mtr shows where; a latency cannot be less than half of it, and a bandwidth needs a window of the "
		   "rate times it"},
	/* seconds: what CoDel calls a standing queue (RFC 8289, 4.4) */
	{"narrow path", CAUSE_OF_SIDE, level_standing_queue, 0.005,
	 .advice = "a slower link, a rate limit or other traffic is on the way: tc qdisc on both hosts, the rates of "
		   "the switches"},
	/* tunnels leave 1400 of 1500; a tenth less are a tenth more packets, each of which costs CPU time */
	{"small MTU", CAUSE_OF_SIDE, level_small_mtu, 0.1, .is_of_data = true,
	 .advice = "ip link set mtu, on both hosts and all switches between them"},
	{"small MTU", CAUSE_OF_SIDE, level_small_segments, 0.15, .is_of_data = true,
	 .advice = "a link on the way, or the other host, has a smaller MTU: tracepath shows where"},
	/* of the rate, by headers alone */
	{"small MTU", CAUSE_OF_TEST, level_small_path_mtu, 0.05, .is_of_data = true,
	 .advice = "a larger MTU[ (--mtu)][ (--mtu_size)], and interfaces with room for it: 4200 or more; on "
		   "InfiniBand the subnet "
		   "manager's partitions.conf"},

	{"PCIe errors", CAUSE_OF_SIDE, level_pcie_errors, 1,
	 .advice = "dmesg has them; seat the adapter again, or try another slot"},
	{"slow PCIe", CAUSE_OF_SIDE, level_slow_pcie, 0.05, .is_of_data = true,
	 .advice = "another slot, or the settings of this one in the firmware"},

	{"waits for events", CAUSE_OF_TEST, level_waits, 0.05, .advice = "without events[ (--events)] both sides poll"},
	{"few in flight", CAUSE_OF_TEST, level_few_in_flight, 1,
	 .advice = "more messages at a time[: a larger --tx-depth][, or more queue pairs (--qp)][: a larger "
		   "--list-size]"},
	{"small buffer", CAUSE_OF_TEST, level_small_buffer, 1,
	 .advice = "a larger one[ (--sock_buf_size)], or none: then the kernel chooses"},
	/* at half of what is possible and below, something has to be the limit */
	{"small messages", CAUSE_OF_TEST, level_small_messages, 0.5,
	 .advice = "larger messages[ (--size)][ (--msg_size)][; several queue pairs (--qp) and threads (--threads), "
		   "too]"},
	{"one queue pair", CAUSE_OF_TEST, level_one_queue_pair, 0.5,
	 .advice = "several at once[: --qp with --threads]"},
};

const size_t num_causes = sizeof(causes) / sizeof(causes[0]);
