// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See facts.h. */
#include "explain/facts.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "report/envelope.h"
#include "util/terminal.h"
#include "util/units.h"

#define LARGEST_FACT 1e30

/* The key in the document and between both sides, which has the unit; does it count from the start of the host? */
static const struct fact_row {
	const char *key;
	bool counts;
} rows[NUM_FACTS] = {
	[FACT_SECONDS] = {"observed_seconds", true},
	[FACT_CPU_SECONDS] = {"process_cpu_seconds", true},
	[FACT_RUN_DELAY] = {"process_run_delay_seconds", true},
	[FACT_SLEEPS] = {"process_sleeps", true},
	[FACT_PREEMPTIONS] = {"process_preemptions", true},
	[FACT_CPUS_ALLOWED] = {"process_cpus_allowed", false},
	[FACT_CPU] = {"cpu", false},
	[FACT_CPU_NODE] = {"cpu_numa_node", false},
	[FACT_THROTTLED] = {"cgroup_throttled_seconds", true},
	[FACT_TICKS] = {"machine_ticks", true},
	[FACT_BUSY_TICKS] = {"machine_busy_ticks", true},
	[FACT_STOLEN_TICKS] = {"machine_stolen_ticks", true},
	[FACT_BACKLOG_DROPS] = {"machine_backlog_drops", true},
	[FACT_FREQUENCY] = {"cpu_kilohertz", false},
	[FACT_MOST_FREQUENCY] = {"cpu_highest_kilohertz", false},
	[FACT_TCP_SENT] = {"tcp_sent_segments", true},
	[FACT_TCP_RETRANSMITTED] = {"tcp_retransmitted_segments", true},
	[FACT_TCP_OUT_OF_ORDER] = {"tcp_out_of_order_segments", true},
	[FACT_UDP_RECEIVED] = {"udp_received_datagrams", true},
	[FACT_UDP_DROPS] = {"udp_dropped_datagrams", true},
	[FACT_IP_RECEIVED] = {"ip_received_packets", true},
	[FACT_IP_MARKED] = {"ip_congestion_marks", true},
	[FACT_RTT] = {"connection_rtt_seconds", false},
	[FACT_LEAST_RTT] = {"connection_least_rtt_seconds", false},
	[FACT_SEGMENT_BYTES] = {"connection_segment_bytes", false},
	[FACT_SEGMENTS] = {"connection_sent_segments", false},
	[FACT_SEGMENTS_AGAIN] = {"connection_retransmitted_segments", false},
	[FACT_TCP_BUSY] = {"connection_busy_seconds", false},
	[FACT_TCP_NO_WINDOW] = {"connection_no_window_seconds", false},
	[FACT_TCP_NO_BUFFER] = {"connection_no_buffer_seconds", false},
	[FACT_LINK_RATE] = {"interface_bits_per_second", false},
	[FACT_MTU] = {"interface_mtu_bytes", false},
	[FACT_PACKETS] = {"interface_packets", true},
	[FACT_PACKET_DROPS] = {"interface_drops", true},
	[FACT_PACKET_ERRORS] = {"interface_errors", true},
	[FACT_PAUSE_FRAMES] = {"interface_pause_frames", true},
	[FACT_RETRANSMISSIONS] = {"device_retransmissions", false},
	[FACT_NOT_READY] = {"device_receiver_not_ready", false},
	[FACT_CONGESTION] = {"device_congestion_events", false},
	[FACT_LINK_ERRORS] = {"device_link_errors", false},
	[FACT_DEVICE_NODE] = {"device_numa_node", false},
	[FACT_PCIE_ERRORS] = {"pcie_errors", true},
	[FACT_PCIE_RATE] = {"pcie_gigatransfers_per_second", false},
	[FACT_PCIE_MOST_RATE] = {"pcie_highest_gigatransfers_per_second", false},
	[FACT_PCIE_LANES] = {"pcie_lanes", false},
	[FACT_PCIE_MOST_LANES] = {"pcie_most_lanes", false},
};

static const char *const texts[NUM_FACT_TEXTS] = {
	[FACT_GOVERNOR] = "cpu_governor",
	[FACT_NETDEV] = "interface",
	[FACT_RETRANSMISSION_COUNTER] = "device_retransmission_counter",
	[FACT_NOT_READY_COUNTER] = "device_receiver_not_ready_counter",
	[FACT_CONGESTION_COUNTER] = "device_congestion_counter",
	[FACT_LINK_ERROR_COUNTER] = "device_link_error_counter",
};

void facts_clear(struct facts *facts)
{
	*facts = (struct facts){0};
	for (unsigned i = 0; i < NUM_FACTS; i++)
		facts->number[i] = NAN;
}

void facts_subtract(struct facts *facts, const struct facts *before)
{
	for (unsigned i = 0; i < NUM_FACTS; i++)
		if (rows[i].counts) /* fmax() would drop what is unknown */
			facts->number[i] =
				facts->number[i] < before->number[i] ? 0 : facts->number[i] - before->number[i];
}

void facts_write(const struct facts *facts, char words[FACTS_WORDS_SIZE])
{
	size_t used = 0;

	words[0] = '\0';
	for (unsigned i = 0; i < NUM_FACTS && used < FACTS_WORDS_SIZE; i++)
		if (!isnan(facts->number[i]))
			used += (size_t)snprintf(words + used, FACTS_WORDS_SIZE - used, "%s=%.9g\n", rows[i].key,
						 facts->number[i]);
	for (unsigned i = 0; i < NUM_FACT_TEXTS && used < FACTS_WORDS_SIZE; i++)
		if (facts->text[i][0])
			used += (size_t)snprintf(words + used, FACTS_WORDS_SIZE - used, "%s=%s\n", texts[i],
						 facts->text[i]);
}

/* value: of the fact with this name, if it is known. 0 or -EBADMSG. */
static int take(struct facts *facts, const char *name, const char *value)
{
	for (unsigned i = 0; i < NUM_FACTS; i++)
		if (strcmp(name, rows[i].key) == 0)
			return units_parse_double(value, 0, LARGEST_FACT, &facts->number[i]) ? -EBADMSG : 0;
	for (unsigned i = 0; i < NUM_FACT_TEXTS; i++)
		if (strcmp(name, texts[i]) == 0)
			printable(value, strlen(value), facts->text[i], FACT_TEXT_SIZE);
	return 0;
}

int facts_read(struct facts *facts, const char *words)
{
	struct facts read;
	char line[128], *equals;

	facts_clear(&read);
	for (size_t length; *words; words += length + (words[length] == '\n')) {
		length = strcspn(words, "\n");
		if (length >= sizeof(line))
			return -EBADMSG;
		memcpy(line, words, length);
		line[length] = '\0';
		equals = strchr(line, '=');
		if (!equals)
			return -EBADMSG;
		*equals = '\0';
		if (take(&read, line, equals + 1))
			return -EBADMSG;
	}
	*facts = read;
	return 0;
}

json_t *facts_json(const struct facts *facts)
{
	json_t *object = json_object();

	for (unsigned i = 0; i < NUM_FACTS; i++)
		json_object_set_new(object, rows[i].key, envelope_number(facts->number[i]));
	for (unsigned i = 0; i < NUM_FACT_TEXTS; i++)
		json_object_set_new(object, texts[i], envelope_known(facts->text[i]));
	return object;
}
