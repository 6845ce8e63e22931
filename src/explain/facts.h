/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * --explain: what one side saw of its process, its host and its network while a test ran. Both sides exchange theirs as
 * lines of text, so that neither has to know all facts of the other's version.
 */
#pragma once

#include "doctor/diagnosis.h"
#include "net/message.h"

struct json_t;

/*
 * A row for each: its name here; the key in the document and between both sides, which has the unit; and does it count
 * from the start of the host?
 */
#define FACTS(FACT)                                                                                                    \
	/* the process, all of its threads: getrusage(), /proc/self */                                                 \
	FACT(SECONDS, "observed_seconds", COUNTS)                                                                      \
	FACT(CPU_SECONDS, "process_cpu_seconds", COUNTS)                                                               \
	FACT(RUN_DELAY, "process_run_delay_seconds", COUNTS) /* ready to run, and something else ran */                \
	FACT(SLEEPS, "process_sleeps", COUNTS)		     /* voluntary context switches */                          \
	FACT(PREEMPTIONS, "process_preemptions", COUNTS)                                                               \
	FACT(CPUS_ALLOWED, "process_cpus_allowed", IS)                                                                 \
	FACT(THREADS, "connection_threads", IS) /* that set up connections, if there were more of these; */            \
	FACT(THREAD_WAIT, "connection_thread_wait_share",                                                              \
	     IS) /* ... of the time of these, what they waited for one of them */                                      \
	FACT(RETRIES, "connection_retries", IS)                                                                        \
	FACT(CPU, "cpu", IS) /* on which it was seen last; */                                                          \
	FACT(CPU_NODE, "cpu_numa_node", IS)                                                                            \
	FACT(THROTTLED, "cgroup_throttled_seconds", COUNTS) /* and of those above it, summed over CPUs */              \
	/* the host */                                                                                                 \
	FACT(TICKS, "machine_ticks", COUNTS) /* of all CPUs, and those of them: */                                     \
	FACT(BUSY_TICKS, "machine_busy_ticks", COUNTS)                                                                 \
	FACT(STOLEN_TICKS, "machine_stolen_ticks", COUNTS) /* that the hypervisor gave to others */                    \
	FACT(BACKLOG_DROPS, "machine_backlog_drops", COUNTS)                                                           \
	FACT(FREQUENCY, "cpu_kilohertz", IS) /* of that CPU */                                                         \
	FACT(MOST_FREQUENCY, "cpu_highest_kilohertz", IS)                                                              \
	/* the protocols of this network namespace: /proc/net */                                                       \
	FACT(TCP_SENT, "tcp_sent_segments", COUNTS)                                                                    \
	FACT(TCP_RETRANSMITTED, "tcp_retransmitted_segments", COUNTS)                                                  \
	FACT(TCP_OUT_OF_ORDER, "tcp_out_of_order_segments", COUNTS)                                                    \
	FACT(LISTEN_DROPS, "tcp_listen_drops", COUNTS)                                                                 \
	FACT(UDP_RECEIVED, "udp_received_datagrams", COUNTS)                                                           \
	FACT(UDP_DROPS, "udp_dropped_datagrams", COUNTS) /* for lack of room in a socket */                            \
	FACT(IP_RECEIVED, "ip_received_packets", COUNTS)                                                               \
	FACT(IP_MARKED, "ip_congestion_marks", COUNTS) /* congestion experienced */                                    \
	/* the TCP connection whose path the messages share */                                                         \
	FACT(RTT, "connection_rtt_seconds", IS) /* when the test was over */                                           \
	FACT(LEAST_RTT, "connection_least_rtt_seconds", IS)                                                            \
	FACT(SEGMENT_BYTES, "connection_segment_bytes", IS)                                                            \
	FACT(SEGMENTS, "connection_sent_segments", IS)                                                                 \
	FACT(SEGMENTS_AGAIN, "connection_retransmitted_segments", IS) /* included in those */                          \
	FACT(TCP_BUSY, "connection_busy_seconds", IS)		      /* it had something to send, and of those: */    \
	FACT(TCP_NO_WINDOW, "connection_no_window_seconds", IS)	      /* that the peer's window was full */            \
	FACT(TCP_NO_BUFFER, "connection_no_buffer_seconds", IS)	      /* that the send buffer was full */              \
	/* the network interface */                                                                                    \
	FACT(LINK_RATE, "interface_bits_per_second", IS) /* of a test of an RDMA device its port's */                  \
	FACT(MTU, "interface_mtu_bytes", IS)                                                                           \
	FACT(PACKETS, "interface_packets", COUNTS)                                                                     \
	FACT(PACKET_DROPS, "interface_drops", COUNTS)                                                                  \
	FACT(PACKET_ERRORS, "interface_errors", COUNTS)                                                                \
	FACT(PAUSE_FRAMES, "interface_pause_frames", COUNTS)                                                           \
	/* the RDMA device: its known counters (report/counter_class.h), summed by class */                            \
	FACT(RETRANSMISSIONS, "device_retransmissions", IS)                                                            \
	FACT(NOT_READY, "device_receiver_not_ready", IS)                                                               \
	FACT(CONGESTION, "device_congestion_events", IS)                                                               \
	FACT(LINK_ERRORS, "device_link_errors", IS)                                                                    \
	FACT(CM_RETRIES, "device_cm_retries", COUNTS) /* messages of its connection manager */                         \
	/* PCIe, of either */                                                                                          \
	FACT(DEVICE_NODE, "device_numa_node", IS)                                                                      \
	FACT(PCIE_ERRORS, "pcie_errors", COUNTS)                                                                       \
	FACT(PCIE_RATE, "pcie_gigatransfers_per_second", IS) /* GT/s of a lane */                                      \
	FACT(PCIE_MOST_RATE, "pcie_highest_gigatransfers_per_second", IS)                                              \
	FACT(PCIE_LANES, "pcie_lanes", IS)                                                                             \
	FACT(PCIE_MOST_LANES, "pcie_most_lanes", IS)

#define FACT_TEXTS(TEXT)                                                                                               \
	TEXT(GOVERNOR, "cpu_governor")                                                                                 \
	TEXT(NETDEV, "interface")                                                                                      \
	TEXT(RETRANSMISSION_COUNTER, "device_retransmission_counter") /* of a class, the one that rose most */         \
	TEXT(NOT_READY_COUNTER, "device_receiver_not_ready_counter")                                                   \
	TEXT(CONGESTION_COUNTER, "device_congestion_counter")                                                          \
	TEXT(LINK_ERROR_COUNTER, "device_link_error_counter")

#define FACT_NAME(name, ...) FACT_##name,
enum fact { FACTS(FACT_NAME) NUM_FACTS };
enum fact_text { FACT_TEXTS(FACT_NAME) NUM_FACT_TEXTS };

#define FACT_TEXT_SIZE 64

struct facts {
	double number[NUM_FACTS]; /* not negative; NaN: unknown */
	char text[NUM_FACT_TEXTS][FACT_TEXT_SIZE];
	struct diagnosis doctor; /* of the side's host and device, before the test */
};

/* All unknown. */
void facts_clear(struct facts *facts);
/* What counts becomes its increase since then. */
void facts_subtract(struct facts *facts, const struct facts *before);

/*
 * One "name=value" in each line; a number that is read is the one that was written. Of what the doctor has found as
 * much as there is room for.
 */
void facts_write(const struct facts *facts, char words[MESSAGE_FACTS_SIZE]);
/* What a peer has written; names that this version does not know are left out. 0, or -EBADMSG: no such text. */
int facts_read(struct facts *facts, const char *words);
struct json_t *facts_json(const struct facts *facts);
