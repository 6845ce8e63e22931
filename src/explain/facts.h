/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * --explain: what one side saw of its process, its host and its network while a test ran. Each fact is a row in
 * facts.c; both sides exchange theirs as lines of text, so that neither has to know all facts of the other's version.
 */
#pragma once

struct json_t;

enum fact {
	/* the process, all of its threads: getrusage(), /proc/self */
	FACT_SECONDS,
	FACT_CPU_SECONDS,
	FACT_RUN_DELAY, /* seconds in which it was ready to run, and something else ran */
	FACT_SLEEPS,	/* voluntary context switches */
	FACT_PREEMPTIONS,
	FACT_CPUS_ALLOWED,
	FACT_CPU, /* on which it was seen last; */
	FACT_CPU_NODE,
	FACT_THROTTLED, /* seconds, of its cgroup and those above it, summed over CPUs */

	/* the host */
	FACT_TICKS, /* of all CPUs, and those of them: */
	FACT_BUSY_TICKS,
	FACT_STOLEN_TICKS, /* that the hypervisor gave to others */
	FACT_BACKLOG_DROPS,
	FACT_FREQUENCY, /* kHz, of that CPU */
	FACT_MOST_FREQUENCY,

	/* the protocols of this network namespace: /proc/net */
	FACT_TCP_SENT, /* segments */
	FACT_TCP_RETRANSMITTED,
	FACT_TCP_OUT_OF_ORDER,
	FACT_UDP_RECEIVED,
	FACT_UDP_DROPS, /* for lack of room in a socket */
	FACT_IP_RECEIVED,
	FACT_IP_MARKED, /* congestion experienced */

	/* the TCP connection whose path the messages share */
	FACT_RTT,	/* seconds, when the test was over */
	FACT_LEAST_RTT, /* seconds */
	FACT_SEGMENT_BYTES,
	FACT_SEGMENTS,
	FACT_SEGMENTS_AGAIN, /* that had to be sent again, included in those */
	FACT_TCP_BUSY,	     /* seconds in which it had something to send, and those of them: */
	FACT_TCP_NO_WINDOW,  /* that the peer's window was full */
	FACT_TCP_NO_BUFFER,  /* that the send buffer was full */

	/* the network interface */
	FACT_LINK_RATE, /* bits per second; of a test of an RDMA device its port's */
	FACT_MTU,
	FACT_PACKETS,
	FACT_PACKET_DROPS,
	FACT_PACKET_ERRORS,
	FACT_PAUSE_FRAMES,

	/* the RDMA device: its known counters (report/counter_class.h), summed by class */
	FACT_RETRANSMISSIONS,
	FACT_NOT_READY,
	FACT_CONGESTION,
	FACT_LINK_ERRORS,

	/* PCIe, of either */
	FACT_DEVICE_NODE,
	FACT_PCIE_ERRORS,
	FACT_PCIE_RATE, /* GT/s of a lane */
	FACT_PCIE_MOST_RATE,
	FACT_PCIE_LANES,
	FACT_PCIE_MOST_LANES,

	NUM_FACTS,
};

enum fact_text {
	FACT_GOVERNOR,
	FACT_NETDEV,
	FACT_RETRANSMISSION_COUNTER, /* of a class, the one that rose most */
	FACT_NOT_READY_COUNTER,
	FACT_CONGESTION_COUNTER,
	FACT_LINK_ERROR_COUNTER,
	NUM_FACT_TEXTS,
};

#define FACT_TEXT_SIZE	 64
#define FACTS_WORDS_SIZE 3072 /* fits into a message of each protocol */

struct facts {
	double number[NUM_FACTS]; /* not negative; NaN: unknown */
	char text[NUM_FACT_TEXTS][FACT_TEXT_SIZE];
};

/* All unknown. */
void facts_clear(struct facts *facts);
/* What counts becomes its increase since then. */
void facts_subtract(struct facts *facts, const struct facts *before);

/* One "name=value" in each line. */
void facts_write(const struct facts *facts, char words[FACTS_WORDS_SIZE]);
/* What a peer has written; names that this version does not know are left out. 0, or -EBADMSG: no such text. */
int facts_read(struct facts *facts, const char *words);
struct json_t *facts_json(const struct facts *facts);
