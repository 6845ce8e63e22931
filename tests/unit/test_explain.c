// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Is each cause named by its evidence, and nothing without any? Are facts read as the kernel writes them? */
#define _GNU_SOURCE 1 /* nftw() */
#include <ftw.h>
#include <jansson.h>
#include <math.h>
#include <sys/stat.h>

#include "cmocka_all.h"
#include "explain/cluster.h"
#include "explain/watch.h"
#include "fake_ports.h"
#include "report/results.h"

/* A pair over a good network, whose only limit is its link. */
static struct explanation healthy(void)
{
	static const struct {
		enum fact fact;
		double value;
	} usual[] = {
		{FACT_SECONDS, 10},
		{FACT_CPU_SECONDS, 9.9},
		{FACT_RUN_DELAY, 0.1},
		{FACT_SLEEPS, 5},
		{FACT_PREEMPTIONS, 20},
		{FACT_CPUS_ALLOWED, 16},
		{FACT_CPU, 3},
		{FACT_CPU_NODE, 0},
		{FACT_THROTTLED, 0},
		{FACT_TICKS, 16000},
		{FACT_BUSY_TICKS, 2000},
		{FACT_STOLEN_TICKS, 10},
		{FACT_BACKLOG_DROPS, 0},
		{FACT_FREQUENCY, 3.1e6},
		{FACT_MOST_FREQUENCY, 3.6e6},
		{FACT_TCP_SENT, 1e6},
		{FACT_TCP_RETRANSMITTED, 2},
		{FACT_UDP_RECEIVED, 0},
		{FACT_UDP_DROPS, 0},
		{FACT_IP_RECEIVED, 1e6},
		{FACT_IP_MARKED, 0},
		{FACT_RTT, 200e-6},
		{FACT_LEAST_RTT, 20e-6},
		{FACT_SEGMENT_BYTES, 1448},
		{FACT_LINK_RATE, 100e9},
		{FACT_MTU, 1500},
		{FACT_PACKETS, 1e6},
		{FACT_PACKET_DROPS, 0},
		{FACT_PACKET_ERRORS, 0},
		{FACT_PAUSE_FRAMES, 0},
		{FACT_RETRANSMISSIONS, 0},
		{FACT_NOT_READY, 0},
		{FACT_CONGESTION, 0},
		{FACT_LINK_ERRORS, 0},
		{FACT_DEVICE_NODE, 0},
		{FACT_PCIE_ERRORS, 0},
		{FACT_PCIE_RATE, 16},
		{FACT_PCIE_MOST_RATE, 16},
		{FACT_PCIE_LANES, 16},
		{FACT_PCIE_MOST_LANES, 16},
	};
	struct explanation explanation = {
		.test = {.is_client = true,
			 .is_bandwidth = true,
			 .message_bytes = 65536,
			 .messages = 1.8e6,
			 .message_rate = 1.8e5,
			 .bandwidth = 11.8e9,
			 .possible = 12.2e9,
			 .queue_pairs = 1,
			 .depth = 128,
			 .mtu = 4096,
			 .most_mtu = 4096},
		.has_peer = true,
	};

	facts_clear(&explanation.facts[0]);
	for (size_t i = 0; i < sizeof(usual) / sizeof(usual[0]); i++)
		explanation.facts[0].number[usual[i].fact] = usual[i].value;
	snprintf(explanation.facts[0].text[FACT_NETDEV], FACT_TEXT_SIZE, "eth0");
	explanation.facts[1] = explanation.facts[0];
	return explanation;
}

TEST(nothing_is_named_on_a_healthy_pair)
{
	struct explanation explanation = healthy();
	char text[EXPLAIN_TEXT_SIZE];

	explain(&explanation);
	explain_text(&explanation, text);
	assert_string_equal(text, "No cause found: nothing seen on either side slows this test down\n");
	explanation.test.is_bandwidth = false;
	explain(&explanation);
	assert_int_equal(explanation.count, 0);
}

TEST(nothing_is_named_if_nothing_is_known)
{
	struct explanation explanation = healthy();
	char text[EXPLAIN_TEXT_SIZE];

	facts_clear(&explanation.facts[0]);
	explanation.has_peer = false;
	explain(&explanation);
	explain_text(&explanation, text);
	assert_string_equal(text, "No cause found: nothing seen on this side slows this test down\n"
				  "The other side cannot tell what it has seen\n");
	explanation.test.without = "";
	explain_text(&explanation, text);
	assert_string_equal(text, "No cause found: nothing seen on this side slows this test down\n");
}

/* What a fact has to be for a cause to be the likeliest: on the side that is looked at the fact alone differs. */
TEST(each_fact_names_its_cause)
{
	static const struct {
		enum fact fact;
		double value;
		const char *cause;
		bool is_of_sockets;
	} rows[] = {
		{FACT_THROTTLED, 4, "CPU limit", false},
		{FACT_RUN_DELAY, 3, "shared CPU", false},
		{FACT_STOLEN_TICKS, 2000, "stolen CPU", false},
		{FACT_FREQUENCY, 1.2e6, "slow CPU", false},
		{FACT_CPU_NODE, 1, "wrong NUMA node", false},
		{FACT_TCP_RETRANSMITTED, 5000, "lost packets", true},
		{FACT_RETRANSMISSIONS, 900, "lost packets", false},
		{FACT_NOT_READY, 900, "receiver not ready", false},
		{FACT_CONGESTION, 9000, "congestion", false},
		{FACT_LINK_ERRORS, 90, "link errors", false},
		{FACT_PACKET_ERRORS, 90, "link errors", false},
		{FACT_PACKET_DROPS, 9000, "interface drops", false},
		{FACT_PAUSE_FRAMES, 9000, "congestion", false},
		{FACT_IP_MARKED, 50000, "congestion", true},
		{FACT_UDP_DROPS, 900, "receiver too slow", true},
		{FACT_BACKLOG_DROPS, 9000, "receiver too slow", false},
		{FACT_MTU, 576, "small MTU", false},
		{FACT_PCIE_ERRORS, 1, "PCIe errors", false},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		for (unsigned side = 0; side < 2; side++) {
			struct explanation explanation = healthy();

			explanation.facts[side].number[rows[i].fact] = rows[i].value;
			explanation.test.is_socket = rows[i].is_of_sockets;
			explain(&explanation);
			if (!explanation.count)
				fail_msg("%s is not named", rows[i].cause);
			assert_string_equal(explanation.list[0].cause->name, rows[i].cause);
			assert_int_equal(explanation.list[0].side, side);
			assert_int_equal(explanation.count, 1);
		}
}

static const char *likeliest(struct explanation *explanation)
{
	explain(explanation);
	return explanation->count ? explanation->list[0].cause->name : "";
}

TEST(the_path_and_the_test_name_theirs)
{
	struct explanation explanation = healthy();

	explanation.facts[0].number[FACT_LEAST_RTT] = 20e-3;
	assert_string_equal(likeliest(&explanation), "delay");

	explanation = healthy();
	explanation.test.is_socket = true;
	explanation.facts[0].number[FACT_RTT] = 80e-3;
	assert_string_equal(likeliest(&explanation), ""); /* the messages are on other connections */
	explanation.facts[0].number[FACT_SEGMENTS] = 1e6;
	assert_string_equal(likeliest(&explanation), "narrow path");

	/* late by 120 ms each time, because others have the CPU */
	explanation.facts[0].number[FACT_RUN_DELAY] = 3;
	explanation.facts[0].number[FACT_CPU_SECONDS] = 7;
	explain(&explanation);
	assert_int_equal(explanation.count, 1);
	assert_string_equal(explanation.list[0].cause->name, "shared CPU");
	/* and that costs nothing as long as it sleeps for longer */
	explanation.facts[0].number[FACT_CPU_SECONDS] = 2;
	assert_string_equal(likeliest(&explanation), "");
	explanation.test.is_bandwidth = false;
	explanation.facts[0].number[FACT_CPUS_ALLOWED] = NAN;
	explanation.facts[0].number[FACT_TICKS] = NAN;
	assert_string_equal(likeliest(&explanation), "shared CPU");
	assert_string_equal(explanation.list[0].evidence, "it was ready to run, without a CPU, for 30 % of the time");

	explanation = healthy();
	explanation.test.is_socket = true;
	explanation.facts[1].number[FACT_SEGMENT_BYTES] = 536;
	assert_string_equal(likeliest(&explanation), "small MTU");
	explanation.facts[1].number[FACT_MTU] = NAN; /* the connection's address is that of no interface */
	assert_string_equal(likeliest(&explanation), "small MTU");
	assert_string_equal(explanation.list[0].evidence, "TCP sends segments of 536 bytes");

	explanation = healthy();
	explanation.test.is_socket = true;
	explanation.facts[0].number[FACT_SEGMENTS] = 1000; /* of its connection, whatever others lose */
	explanation.facts[0].number[FACT_SEGMENTS_AGAIN] = 0;
	explanation.facts[0].number[FACT_TCP_RETRANSMITTED] = 9000;
	assert_string_equal(likeliest(&explanation), "");
	explanation.facts[0].number[FACT_SEGMENTS_AGAIN] = 8;
	assert_string_equal(likeliest(&explanation), "lost packets");

	explanation = healthy();
	explanation.facts[0].number[FACT_PCIE_LANES] = 4; /* 64 GT/s, for a link of 100 Gb/s */
	assert_string_equal(likeliest(&explanation), "slow PCIe");

	explanation = healthy();
	explanation.facts[0].number[FACT_PCIE_LANES] = 8; /* enough */
	assert_string_equal(likeliest(&explanation), "");

	explanation = healthy();
	explanation.facts[0].number[FACT_PACKETS] = 40; /* those of RDMA are not among them */
	explanation.facts[0].number[FACT_PACKET_DROPS] = 4;
	explanation.test.packets = 16 * explanation.test.messages;
	assert_string_equal(likeliest(&explanation), "");
	explanation.facts[0].number[FACT_PAUSE_FRAMES] = 90000;
	assert_string_equal(likeliest(&explanation), "congestion");

	explanation = healthy();
	explanation.test.mtu = 1024;
	explanation.test.most_mtu = 0; /* over iWARP */
	assert_string_equal(likeliest(&explanation), "");

	explanation = healthy();
	explanation.test.mtu = 1024;
	assert_string_equal(likeliest(&explanation), "small MTU");

	explanation = healthy();
	explanation.test.is_bandwidth = false;
	explanation.test.waits = true;
	explanation.facts[0].number[FACT_SLEEPS] = explanation.test.messages;
	explanation.facts[0].number[FACT_CPU_SECONDS] = 4;
	assert_string_equal(likeliest(&explanation), "waits for events");

	explanation = healthy();
	explanation.test.depth = 1; /* each takes 5.6 us */
	assert_string_equal(likeliest(&explanation), "few in flight");
	assert_non_null(strstr(explanation.list[0].evidence, "1 message in flight, on "));
	explanation.test.queue_pairs = 0; /* of cxi_send_bw */
	assert_string_equal(likeliest(&explanation), "few in flight");
	assert_non_null(strstr(explanation.list[0].evidence, "1 message in flight, and each "));
	explanation.test.message_rate = 1e3; /* it is something else that takes 1 ms */
	assert_string_equal(likeliest(&explanation), "");

	explanation = healthy();
	explanation.test.buffer_bytes = 8192;
	assert_string_equal(likeliest(&explanation), "small buffer");

	explanation = healthy();
	explanation.test.message_bytes = 64;
	explanation.test.bandwidth = 0.5e9;
	assert_string_equal(likeliest(&explanation), "small messages");
	explanation.test.possible = 0; /* unknown: of what a packet carries headers are more than half */
	assert_string_equal(likeliest(&explanation), "small messages");
	explanation.test.message_bytes = 512;
	assert_string_equal(likeliest(&explanation), "");

	explanation = healthy();
	explanation.test.bandwidth = 4e9;
	assert_string_equal(likeliest(&explanation), "one queue pair");
	explanation.test.queue_pairs = 2;
	assert_string_equal(likeliest(&explanation), "");

	/* 100 Gb/s says a pair of virtual interfaces, too, of which nothing is known */
	explanation = healthy();
	explanation.test.is_socket = true;
	explanation.facts[0].number[FACT_CPU_SECONDS] = explanation.facts[0].number[FACT_SECONDS];
	explanation.test.bandwidth = 4e9;
	assert_string_equal(likeliest(&explanation), "one queue pair");
	explanation.test.possible = 0;
	assert_string_equal(likeliest(&explanation), "");
}

/* Where no data moves, packets are as small as they are; and these come from neither messages nor bytes. */
TEST(what_slows_down_setting_up_connections)
{
	static const struct {
		enum fact fact;
		double value;
		const char *cause;
	} rows[] = {
		{FACT_CM_RETRIES, 2, "lost requests"},
		{FACT_LISTEN_DROPS, 2, "full listen queue"},
		{FACT_RETRIES, 2, "repeated attempts"},
		{FACT_THREAD_WAIT, 0.6, "few threads"},
		{FACT_MTU, 576, ""},
		{FACT_PCIE_LANES, 4, ""},
		{FACT_SEGMENT_BYTES, 536, ""},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct explanation explanation = healthy();

		explanation.test = (struct explain_test){
			.is_setup = true, .is_connecting = true, .is_socket = true, .messages = 1000};
		explanation.facts[1].number[FACT_THREADS] = 4;
		assert_string_equal(likeliest(&explanation), "");
		explanation.facts[1].number[rows[i].fact] = rows[i].value;
		assert_string_equal(likeliest(&explanation), rows[i].cause);
		assert_int_equal(explanation.count, rows[i].cause[0] ? 1 : 0);
		explanation.test.is_connecting = false; /* a neighbour's, also of a test of rules */
		explanation.facts[1].number[FACT_THREAD_WAIT] = NAN;
		if (rows[i].cause[0])
			assert_string_equal(likeliest(&explanation), "");
	}
}

/* Until the kernel has moved one of two programs that poll from the CPU that they began on. */
TEST(a_short_run_names_no_shared_cpu)
{
	struct explanation explanation = healthy();
	char text[EXPLAIN_TEXT_SIZE];

	explanation.facts[0].number[FACT_SECONDS] = 0.004;
	explanation.facts[0].number[FACT_CPU_SECONDS] = 0.002;
	explanation.facts[0].number[FACT_RUN_DELAY] = 0.002;
	explanation.facts[0].number[FACT_TICKS] = 2;
	explanation.facts[0].number[FACT_STOLEN_TICKS] = 1;
	explain(&explanation);
	explain_text(&explanation, text);
	assert_string_equal(text, "No cause found: nothing seen on either side slows this test down\n"
				  "   -> 4 ms are too few to see whether others use its CPU\n");
	explanation.facts[0].number[FACT_SECONDS] = 0.12; /* as many messages, of which each finds the CPU taken */
	explanation.facts[0].number[FACT_RUN_DELAY] = 0.11;
	assert_string_equal(likeliest(&explanation), "shared CPU");
}

/* Twenty times the threshold is all there is to lose: more of it is no reason to be named before others. */
TEST(the_largest_part_is_named_first)
{
	struct explanation explanation = healthy();

	explanation.test.is_socket = true;
	explanation.facts[0].number[FACT_RUN_DELAY] = 2;	    /* twice its threshold */
	explanation.facts[1].number[FACT_TCP_RETRANSMITTED] = 9000; /* nine times */
	explanation.facts[0].number[FACT_LEAST_RTT] = 3e-3;	    /* three times */
	explain(&explanation);
	assert_int_equal(explanation.count, 3);
	assert_string_equal(explanation.list[0].cause->name, "lost packets");
	assert_string_equal(explanation.list[1].cause->name, "delay");
	assert_string_equal(explanation.list[2].cause->name, "shared CPU");
	explanation.facts[0].number[FACT_LEAST_RTT] = 1;
	explanation.facts[1].number[FACT_TCP_RETRANSMITTED] = 500e3;
	assert_string_equal(likeliest(&explanation), "lost packets");
}

#define MANY 1024

static size_t lines_of(const char *text)
{
	size_t lines = 0;

	for (; *text; text++)
		lines += *text == '\n';
	return lines;
}

/* One list of causes, of as many instances as there may be: each with its worst instance and some of the others. */
TEST(causes_of_many_instances_are_one_list)
{
	static struct cluster_member members[MANY];
	const struct explanation usual = healthy();
	struct results results = {.format = FORMAT_JSON};
	const json_t *named, *worst, *instances;

	for (uint32_t rank = 0; rank < MANY; rank++) {
		members[rank] = (struct cluster_member){.test = usual.test, .has_facts = true, .facts = usual.facts[0]};
		members[rank].test.is_setup = true;
		members[rank].test.is_client = rank > 0;
		snprintf(members[rank].name, CLUSTER_NAME_SIZE, "%s %u on host%u", rank ? "client" : "server", rank,
			 rank);
	}
	assert_int_equal(cluster_explain(members, MANY, 0, &results), 0);
	assert_string_equal(results.explanation,
			    "No cause found: nothing seen on 1024 instances slows this test down\n");

	for (uint32_t rank = 1; rank < MANY; rank++)
		members[rank].facts.number[FACT_RUN_DELAY] = 3 + rank / 1000.0;
	members[7].facts.number[FACT_THROTTLED] = 9;
	members[9].facts.number[FACT_THROTTLED] = 8;
	members[3].has_facts = false;
	members[4].facts.doctor.count = 2;
	assert_int_equal(cluster_explain(members, MANY, 0, &results), 0);
	assert_int_equal(
		strncmp(results.explanation, "Likeliest cause: CPU limit (client 7 on host7): its cgroup was", 62), 0);
	assert_non_null(strstr(results.explanation, "\n   and on 1 other: client 9 on host9\n   -> "));
	assert_non_null(strstr(results.explanation, "\nAlso: shared CPU (client 1023 on host1023): "));
	assert_non_null(strstr(results.explanation,
			       "\n   and on 1019 others: client 1022 on host1022, client 1021 on "
			       "host1021, client 1020 on host1020, client 1019 on host1019, ...\n"));
	assert_non_null(strstr(results.explanation, "\ndoctor, not ranked: on 1 other instance, see"));
	assert_non_null(strstr(results.explanation, "\n1 instances have not told what they have seen\n"));
	assert_int_equal(lines_of(results.explanation), 8);

	named = json_object_get(results.envelope.explanation, "causes");
	assert_int_equal(json_array_size(named), 2);
	worst = json_array_get(named, 0);
	assert_string_equal(json_string_value(json_object_get(worst, "where")), "client");
	instances = json_object_get(worst, "instances");
	assert_int_equal(json_array_size(instances), 2);
	assert_int_equal(json_integer_value(json_object_get(json_array_get(instances, 0), "rank")), 7);
	instances = json_object_get(results.envelope.explanation, "peers");
	assert_int_equal(json_array_size(instances), MANY - 1);
	assert_true(json_is_null(json_object_get(json_array_get(instances, 2), "facts")));
	assert_true(json_is_object(json_object_get(json_array_get(instances, 3), "facts")));
	json_decref(results.envelope.explanation);
	free(results.explanation);
}

TEST(facts_survive_the_way_to_the_peer)
{
	struct explanation explanation = healthy();
	char words[MESSAGE_FACTS_SIZE];
	struct facts facts;

	explanation.facts[0].number[FACT_SECONDS] = 1.0 + 0x1p-52;
	facts_write(&explanation.facts[0], words);
	assert_int_equal(facts_read(&facts, words), 0);
	for (unsigned i = 0; i < NUM_FACTS; i++)
		if (!isnan(explanation.facts[0].number[i]) || !isnan(facts.number[i]))
			assert_true(facts.number[i] == explanation.facts[0].number[i]);
	assert_string_equal(facts.text[FACT_NETDEV], "eth0");
}

/* The longest that can be written. */
TEST(all_facts_fit_into_a_message)
{
	char words[MESSAGE_FACTS_SIZE];
	struct facts facts;

	for (unsigned i = 0; i < NUM_FACTS; i++)
		facts.number[i] = 1.2345678901234567e-123;
	for (unsigned i = 0; i < NUM_FACT_TEXTS; i++)
		snprintf(facts.text[i], FACT_TEXT_SIZE, "%063d", 1);
	facts.doctor = (struct diagnosis){0};
	facts_write(&facts, words);
	assert_non_null(strstr(words, "device_link_error_counter="));
	assert_int_equal(words[strlen(words) - 1], '\n');
}

/* Whatever there is room for; the number tells of the others. */
TEST(what_the_doctor_found_goes_along)
{
	struct facts facts, read;
	char text[DIAGNOSIS_TEXT_SIZE + 50], words[MESSAGE_FACTS_SIZE];

	facts_clear(&facts);
	facts.doctor.known = true;
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	facts_write(&facts, words);
	assert_int_equal(facts_read(&read, words), 0);
	assert_true(read.doctor.known && read.doctor.count == 0);
	diagnosis_add(&facts.doctor, "governor", "powersave on 2 of 2 CPUs", "cpupower frequency-set -g performance");
	diagnosis_add(&facts.doctor, "MTU", text, text);
	diagnosis_add(&facts.doctor, "slot", "a\033[2Jb\n", text);
	diagnosis_add(&facts.doctor, "LID", "none", "start one");
	facts_write(&facts, words);
	for (const char *line = words; *line; line += strcspn(line, "\n") + 1)
		assert_in_range(strcspn(line, "\n"), 1, 127); /* what every version takes */
	assert_int_equal(facts_read(&read, words), 0);
	assert_memory_equal(&read.doctor, &facts.doctor, sizeof(read.doctor));
	assert_int_equal(read.doctor.count, 4);
	assert_int_equal(read.doctor.listed, DIAGNOSIS_MOST);
	assert_string_equal(read.doctor.list[2].text, "a.[2Jb.");
	for (unsigned i = 0; i < NUM_FACTS; i++)
		facts.number[i] = 123456789.25;
	for (unsigned i = 0; i < NUM_FACT_TEXTS; i++)
		snprintf(facts.text[i], FACT_TEXT_SIZE, "%063d", 1);
	facts_write(&facts, words);
	assert_int_equal(words[strlen(words) - 1], '\n');
	assert_int_equal(facts_read(&read, words), 0);
	assert_int_equal(read.doctor.count, 4);
	assert_in_range(read.doctor.listed, 1, DIAGNOSIS_MOST - 1);
}

TEST(findings_are_no_causes)
{
	struct explanation explanation = healthy();
	char text[EXPLAIN_TEXT_SIZE];
	json_t *json;

	diagnosis_add(&explanation.facts[1].doctor, "governor", "powersave on 2 of 2 CPUs", "cpupower");
	explanation.facts[1].doctor.known = true;
	explanation.facts[1].doctor.count = 3;
	explain(&explanation);
	assert_int_equal(explanation.count, 0);
	explain_text(&explanation, text);
	assert_ptr_equal(strstr(text, "No cause found: nothing seen on either side"), text);
	assert_non_null(strstr(text, "\nserver doctor, not ranked: governor: powersave on 2 of 2 CPUs\n   -> cpupower\n"
				     "server doctor: 2 more, see perftest doctor there\n"));
	assert_null(strstr(text, "client doctor"));
	json = explain_json(&explanation);
	assert_true(json_is_null(json_object_get(json_object_get(json, "local"), "doctor")));
	assert_int_equal(json_integer_value(
				 json_object_get(json_object_get(json_object_get(json, "remote"), "doctor"), "found")),
			 3);
	json_decref(json);
}

TEST(of_several_pairs_this_side_is_an_instance_and_each_peer)
{
	const struct explanation usual = healthy();
	struct cluster_member members[] = {
		{.name = "client", .has_facts = true, .test = usual.test, .facts = usual.facts[0]},
		{.name = "server x:1", .peer = "x:1", .has_facts = true, .test = usual.test, .facts = usual.facts[1]},
		{.name = "server y:2", .peer = "y:2", .has_facts = true, .test = usual.test, .facts = usual.facts[1]},
	};
	struct facts *own = &members[0].facts, *peer = &members[1].facts, *slow = &members[2].facts;
	struct results results = {.format = FORMAT_JSON};
	const json_t *named, *instances;

	members[1].test.is_client = members[2].test.is_client = false;
	slow->number[FACT_RUN_DELAY] = slow->number[FACT_SECONDS] / 2;
	own->number[FACT_RUN_DELAY] = own->number[FACT_SECONDS] / 4;
	/* of the path, which all see and which is one */
	own->number[FACT_LEAST_RTT] = peer->number[FACT_LEAST_RTT] = 1.5e-3;
	assert_int_equal(cluster_explain(members, 3, 0, &results), 0);
	assert_ptr_equal(strstr(results.explanation, "Likeliest cause: shared CPU (server y:2): "),
			 results.explanation);
	assert_non_null(strstr(results.explanation, "\n   and on 1 other: client\n   -> "));
	assert_non_null(strstr(results.explanation, "\nAlso: delay (path): "));
	named = json_object_get(results.envelope.explanation, "causes");
	assert_int_equal(json_array_size(named), 2);
	instances = json_object_get(json_array_get(named, 0), "instances");
	assert_int_equal(json_array_size(instances), 2);
	assert_string_equal(json_string_value(json_object_get(json_array_get(instances, 0), "peer")), "y:2");
	assert_null(json_object_get(json_array_get(instances, 1), "peer"));
	assert_string_equal(json_string_value(json_object_get(json_array_get(named, 1), "where")), "path");
	assert_int_equal(json_array_size(json_object_get(json_array_get(named, 1), "instances")), 1);
	assert_int_equal(json_array_size(json_object_get(results.envelope.explanation, "peers")), 2);
	json_decref(results.envelope.explanation);
	free(results.explanation);
}

TEST(what_a_peer_writes_is_checked)
{
	static const char *const malformed[] = {
		"cpu",
		"cpu=",
		"cpu=x\n",
		"cpu=-1\n",
		"cpu=nan\n",
		"cpu=1e99\n",
		"observed_seconds=1 2\n",
		"=\n\n",
		"doctor_findings=-1\n",
		"doctor_findings=1001\n",
		"doctor_findings=1\ndoctor_findings=1\n",
		"doctor_text=x\n",
		"doctor_advice=x\n",
		"doctor_check=x\n",
		"doctor_findings=1\ndoctor_check=\n",
		"doctor_findings=1\ndoctor_check=a\ndoctor_check=b\n",
		"doctor_findings=9\ndoctor_check=a\ndoctor_check=b\ndoctor_check=c\ndoctor_check=d\n",
	};
	char line[200], words[MESSAGE_FACTS_SIZE];
	struct facts facts;

	for (size_t i = 0; i < sizeof(malformed) / sizeof(malformed[0]); i++)
		if (facts_read(&facts, malformed[i]) != -EBADMSG)
			fail_msg("'%s' was taken", malformed[i]);
	memset(line, 'x', sizeof(line) - 1);
	line[sizeof(line) - 1] = '\0';
	assert_int_equal(facts_read(&facts, line), -EBADMSG);
	/* of a later version */
	assert_int_equal(facts_read(&facts, "cpu_temperature=hot\ncpu=7\ninterface=e\033[2Jth\n"), 0);
	assert_true(facts.number[FACT_CPU] == 7);
	assert_string_equal(facts.text[FACT_NETDEV], "e.[2Jth");
	words[0] = '\0';
	strcat(words, "doctor_findings=1\ndoctor_check=e\033[2J\n");
	for (unsigned i = 0; i < 20; i++)
		strcat(words, "doctor_text=ten bytes \033\ndoctor_advice=and as many again\n");
	assert_int_equal(facts_read(&facts, words), 0);
	assert_string_equal(facts.doctor.list[0].check, "e.[2J");
	assert_int_equal(strlen(facts.doctor.list[0].text), 20 * strlen("ten bytes ."));
	assert_int_equal(strlen(facts.doctor.list[0].advice), DIAGNOSIS_TEXT_SIZE - 1);
	assert_int_equal(facts_read(&facts, ""), 0);
	assert_false(facts.doctor.known);
	assert_true(isnan(facts.number[FACT_CPU]));
}

/* --- files --- */

static char root[64];

static void put(const char *path, const char *text)
{
	char full[512];
	FILE *file;

	snprintf(full, sizeof(full), "%s%s", root, path);
	for (char *slash = full + strlen(root) + 1; (slash = strchr(slash, '/')); *slash++ = '/') {
		*slash = '\0';
		if (mkdir(full, 0755) && errno != EEXIST)
			fail_msg("%s: %s", full, strerror(errno));
	}
	file = fopen(full, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static int remove_one(const char *path, const struct stat *status, int flag, struct FTW *walk)
{
	(void)status, (void)flag, (void)walk;
	return remove(path);
}

static int make_root(void **state)
{
	snprintf(root, sizeof(root), "/tmp/test_explain.XXXXXX");
	return mkdtemp(root) ? 0 : -1;
}

static int remove_root(void **state)
{
	return nftw(root, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static void put_counters(unsigned sent, unsigned retransmitted, unsigned timeouts)
{
	char text[512];

	snprintf(text, sizeof(text),
		 "Ip: Forwarding InReceives\nIp: 1 %u\nTcp: RtoMin OutSegs RetransSegs InErrs\nTcp: 200 %u %u 0\n"
		 "Udp: InDatagrams NoPorts RcvbufErrors\nUdp: 7 8 9\n",
		 sent, sent, retransmitted);
	put("/proc/net/snmp", text);
	snprintf(text, sizeof(text),
		 "TcpExt: TCPOFOQueue ListenDrops TCPDSACKRecv%s\nTcpExt: 4 %u %u 7\nIpExt: InNoRoutes "
		 "InCEPkts\nIpExt: 0 3\n",
		 sent > 2000 ? " TCPDSACKRecvSegs" : "", sent / 500, retransmitted / 5);
	put("/proc/net/netstat", text);
	snprintf(text, sizeof(text), "%u\n", timeouts);
	put("/sys/class/infiniband/mlx5_0/ports/1/hw_counters/local_ack_timeout_err", text);
	put("/sys/class/infiniband/mlx5_0/ports/1/counters/port_xmit_wait", "12345\n");
	put("/sys/class/infiniband/mlx5_0/ports/1/cm_tx_retries/req", sent > 2000 ? "8\n" : "3\n");
	put("/sys/class/infiniband/mlx5_0/ports/1/cm_tx_retries/dreq", "7\n");
	put("/sys/class/infiniband/mlx5_0/ports/1/counters/symbol_error", "3\n");
}

TEST(files_become_facts, make_root, remove_root)
{
	char proc[80], sys[80];
	struct watch watch = {.proc = proc, .sys = sys, .device = "mlx5_0", .port = 1, .netdev = "eth7"};
	struct facts facts;

	snprintf(proc, sizeof(proc), "%s/proc", root);
	snprintf(sys, sizeof(sys), "%s/sys", root);
	put("/proc/stat", "cpu  100 0 50 800 50 0 0 20 0 0\ncpu0 1 2 3\n");
	put("/proc/net/softnet_stat", "000a 0001 0002\n000b 0010 0000\n");
	put("/proc/self/cgroup", "4:memory:/a/b\n3:cpu,cpuacct:/a/b\n0::/a/b\n");
	put("/sys/fs/cgroup/cpu,cpuacct/a/b/cpu.stat", "nr_periods 9\nnr_throttled 1\nthrottled_time 0\n");
	put("/sys/fs/cgroup/cpu,cpuacct/a/cpu.stat", "nr_periods 9\nnr_throttled 1\nthrottled_time 0\n");
	put("/sys/class/net/eth7/mtu", "1400\n");
	put("/sys/class/net/eth7/speed", "25000\n");
	put("/sys/class/net/eth7/device/vendor", "0x15b3\n");
	put("/sys/class/net/eth7/statistics/rx_dropped", "5\n");
	put("/sys/class/infiniband/mlx5_0/device/vendor", "0x15b3\n");
	put("/sys/class/infiniband/mlx5_0/device/current_link_speed", "8.0 GT/s PCIe\n");
	put("/sys/class/infiniband/mlx5_0/device/numa_node", "-1\n");
	put("/sys/class/infiniband/mlx5_0/device/aer_dev_fatal", "DLP 0\nTOTAL_ERR_FATAL 1\n");
	put_counters(1000, 10, UINT32_MAX - 1);
	watch_begin(&watch);
	put("/proc/stat", "cpu  150 0 50 850 50 0 0 40 0 0\n");
	put("/proc/net/softnet_stat", "000a 0003 0002\n000b 0010 0000\n");
	put("/sys/fs/cgroup/cpu,cpuacct/a/b/cpu.stat", "nr_periods 9\nnr_throttled 1\nthrottled_time 1500000000\n");
	put("/sys/fs/cgroup/a/cpu.stat", "usage_usec 9\nnr_throttled 1\nthrottled_usec 250000\n");
	put("/sys/class/net/eth7/statistics/rx_dropped", "4\n"); /* it was created anew */
	put_counters(3000, 30, 3);				 /* wrapped */
	watch_end(&watch, &facts);
	assert_true(facts.number[FACT_STOLEN_TICKS] == 20);
	assert_true(facts.number[FACT_TICKS] == 120);
	assert_true(facts.number[FACT_BUSY_TICKS] == 70);
	assert_true(facts.number[FACT_BACKLOG_DROPS] == 2);
	assert_true(fabs(facts.number[FACT_THROTTLED] - 1.75) < 1e-9);
	assert_true(facts.number[FACT_MTU] == 1400);
	assert_true(facts.number[FACT_LINK_RATE] == 25e9);
	assert_true(facts.number[FACT_PACKET_DROPS] == 0);
	assert_true(facts.number[FACT_PCIE_RATE] == 8);
	assert_true(facts.number[FACT_PCIE_ERRORS] == 0);
	assert_true(isnan(facts.number[FACT_DEVICE_NODE]));
	assert_true(isnan(facts.number[FACT_PCIE_LANES]));
	assert_true(facts.number[FACT_TCP_SENT] == 2000);
	assert_true(facts.number[FACT_TCP_RETRANSMITTED] == (30 - 7) - (10 - 2)); /* without what came twice */
	assert_true(facts.number[FACT_LISTEN_DROPS] == 4);
	assert_true(facts.number[FACT_CM_RETRIES] == 5);
	assert_true(facts.number[FACT_UDP_DROPS] == 0);
	assert_true(facts.number[FACT_IP_MARKED] == 0);
	assert_true(facts.number[FACT_RETRANSMISSIONS] == 5);
	assert_string_equal(facts.text[FACT_RETRANSMISSION_COUNTER], "local_ack_timeout_err");
	assert_true(facts.number[FACT_LINK_ERRORS] == 0);
	assert_true(isnan(facts.number[FACT_CONGESTION])); /* port_xmit_wait counts no events */
	assert_true(facts.number[FACT_SECONDS] >= 0);
	put("/sys/class/net/eth7/device/vendor", "0x15ad\n"); /* vmxnet3, whose speed is made up */
	watch_begin(&watch);
	watch_end(&watch, &facts);
	assert_true(isnan(facts.number[FACT_LINK_RATE]));
}

static void expect_link(const char *device, double link_gbits, double pcie_rate, double link_rate)
{
	char proc[80], sys[80];
	struct watch watch = {.proc = proc, .sys = sys, .port = 1, .link_gbits = link_gbits};
	struct facts facts;

	snprintf(proc, sizeof(proc), "%s/proc", root);
	snprintf(sys, sizeof(sys), "%s/sys", root);
	snprintf(watch.device, sizeof(watch.device), "%s", device);
	watch_begin(&watch);
	watch_end(&watch, &facts);
	assert_true(facts.number[FACT_PCIE_RATE] == pcie_rate);
	assert_true(link_rate > 0 ? facts.number[FACT_LINK_RATE] == link_rate : isnan(facts.number[FACT_LINK_RATE]));
}

/* Of InfiniBand there is no interface to ask, so that a slot that is fast enough was called slow. */
TEST(a_device_has_the_link_of_its_port_and_of_its_function, make_root, remove_root)
{
	put("/sys/class/infiniband/mlx5_0/device/vendor", "0x15b3\n");
	put("/sys/class/infiniband/mlx5_0/device/current_link_speed", "16.0 GT/s PCIe\n");
	expect_link("mlx5_0", 200, 16, 200e9);
	expect_link("mlx5_0", 0, 16, 0);
	/* a virtual function */
	put("/sys/class/infiniband/mlx5_1/device/vendor", "0x15b3\n");
	put("/sys/class/infiniband/mlx5_1/device/current_link_speed", "Unknown\n");
	put("/sys/class/infiniband/mlx5_1/device/physfn/current_link_speed", "32.0 GT/s PCIe\n");
	expect_link("mlx5_1", 200, 32, 200e9);
	/* a subfunction, whose folder is in that of its parent */
	put("/sys/class/infiniband/mlx5_2/device/sfnum", "88\n");
	put("/sys/class/infiniband/mlx5_2/current_link_speed", "8.0 GT/s PCIe\n");
	expect_link("mlx5_2", 100, 8, 100e9);
}

/* RoCE is often used on a VLAN, and that may be of a bond: pause frames and bad packets are not counted there. */
TEST(ports_count_below_a_vlan_and_a_bond, make_root, remove_root)
{
	char proc[80], sys[80];
	struct watch watch = {.proc = proc, .sys = sys, .netdev = "bond0.7"};
	struct facts facts;

	snprintf(proc, sizeof(proc), "%s/proc", root);
	snprintf(sys, sizeof(sys), "%s/sys", root);
	put("/sys/class/net/bond0.7/lower_bond0", "");
	put("/sys/class/net/bond0.7/statistics/rx_crc_errors", "0\n");
	put("/sys/class/net/bond0/lower_port0", "");
	put("/sys/class/net/bond0/lower_port1", "");
	put("/sys/class/net/bond0/statistics/rx_crc_errors", "5\n"); /* their sum */
	put("/sys/class/net/port0/statistics/rx_crc_errors", "2\n");
	put("/sys/class/net/port1/statistics/rx_crc_errors", "3\n");
	pause_frames = 100;
	watch_begin(&watch);
	put("/sys/class/net/bond0/statistics/rx_crc_errors", "9\n");
	put("/sys/class/net/port1/statistics/rx_crc_errors", "7\n");
	pause_frames = 130;
	watch_end(&watch, &facts);
	assert_true(facts.number[FACT_PACKET_ERRORS] == 4);
	assert_true(facts.number[FACT_PAUSE_FRAMES] == 60);
	assert_string_equal(facts.text[FACT_NETDEV], "bond0.7");
}

TEST_MAIN(NULL, NULL)
