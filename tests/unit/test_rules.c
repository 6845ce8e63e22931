// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Does every rule refuse what it should and nothing else? */
#include <errno.h>

#include "command_line.h"
#include "params/rules.h"

/* For each row of rules.c, in any order: a command line that breaks it, and a neighbour that does not. */
struct example {
	const char *refused;
	const char *accepted;
	const char *begin; /* of the sentence */
};

static const struct example examples[] = {
	{"ib_write_bw -D 5 -a", "ib_write_bw -n 5 -a", "-D measures one message size"},
	{"ib_send_bw -D 5 -e", "ib_send_bw -n 500 -e", "-D cannot be combined with -e"},
	{"ib_write_bw -D 6 -f 3", "ib_write_bw -D 7 -f 3", "the two margins"},
	{"ib_write_bw --run_infinitely -a", "ib_write_bw -a", "--run_infinitely stays with one message size"},
	{"ib_send_bw --run_infinitely -e", "ib_send_bw --run_infinitely",
	 "--run_infinitely cannot be combined with -e"},
	{"ib_send_bw --run_infinitely -b", "ib_write_bw --run_infinitely -b",
	 "--run_infinitely cannot be combined with -b"},
	{"ib_write_bw --run_infinitely --rate_limit 1", "ib_write_bw -D 5 --rate_limit 1",
	 "--run_infinitely cannot be combined with --rate_limit"},
	{"ib_read_lat -D 5 -H", "ib_read_lat -n 500 -H", "-H and -U keep every sample"},
	{"ib_read_lat -U --report_interval=1", "ib_read_lat --report_interval=1", "-H and -U print the samples"},
	{"ib_read_lat -H --output_format=csv", "ib_read_lat -H --output_format=json", "-H and -U print samples beside"},
	{"ib_write_bw -l 64", "ib_write_bw -l 64 -n 6400", "-l must divide -n"},
	{"ib_write_bw -l 64 -t 16 -n 6400", "ib_write_bw -l 16 -t 16 -n 6400", "-l must not be above -t"},
	{"ib_write_bw -l 64 -Q 48 -n 6400", "ib_write_bw -l 64 -Q 32 -n 6400", "-l must be a multiple of -Q"},
	{"ib_send_bw --recv_post_list 3", "ib_send_bw --recv_post_list 3 -n 3000", "--recv_post_list must divide -n"},
	{"ib_send_bw --recv_post_list 100 -r 50", "ib_send_bw --recv_post_list 50 -r 50",
	 "--recv_post_list must not be above -r"},
	{"ib_write_lat -e", "ib_write_lat -e --write_with_imm", "-e needs completions"},
	{"ib_send_bw -X 1", "ib_send_bw -X 1 -e", "-X chooses where events are delivered"},
	{"ib_write_bw --perform_warm_up --write_with_imm", "ib_write_bw --perform_warm_up",
	 "--perform_warm_up would be"},
	{"ib_write_bw --data_validation --run_infinitely", "ib_write_bw --data_validation -D 5",
	 "--data_validation checks in rounds and so has no rows"},
	{"ib_send_lat --data_validation --payload_file_path=x", "ib_send_lat --payload_file_path=x",
	 "--data_validation sends its own pattern"},
	{"ib_read_bw --data_validation --report_interval=1", "ib_read_bw --data_validation --cpu_util",
	 "--data_validation checks in rounds, so that"},
	{"ib_write_bw --burst_size 10", "ib_write_bw --burst_size 10 --rate_limit 1",
	 "--burst_size is of a rate limit"},
	{"ib_write_bw --rate_limit 10 --rate_limit_type=HW --rate_units=p",
	 "ib_write_bw --rate_limit 10 --rate_limit_type=HW", "a device limits bits"},
	{"ib_send_bw --rate_limit 10 -b", "ib_read_bw --rate_limit 10 -b", "--rate_limit cannot be combined with -b"},
	{"ib_write_bw --use-srq", "ib_write_bw --use-srq --write_with_imm", "--use-srq needs receives"},
	{"ib_send_bw --use-srq -q 4 -r 2", "ib_send_bw --use-srq -q 4 -r 4", "-r must not be below -q"},
	{"ib_send_bw --use-srq --data_validation --mr_per_qp", "ib_send_bw --use-srq --mr_per_qp",
	 "--data_validation looks through the receives"},
	{"ib_send_bw -R -c UC", "ib_send_bw -R -c UD", "rdma_cm connects RC and UD"},
	{"ib_write_bw -R --rate_limit 10 --rate_limit_type=HW", "ib_write_bw -R --rate_limit 10",
	 "rdma_cm chooses the address handles"},
	{"ib_write_bw -T 32", "ib_write_bw -T 32 -R", "--tos is for queue pairs"},
	{"ib_write_bw --output=bandwidth --output_format=json", "ib_write_bw --output=bandwidth --out_json",
	 "--output prints a bare number"},
	{"ib_write_bw --keep_serving host", "ib_write_bw --keep_serving", "--keep_serving is for the server"},
	{"ib_write_bw --max_memory 1G host", "ib_write_bw --max_memory 1G", "--max_memory is for the server"},
	{"ib_write_bw --max_duration 9 host", "ib_write_bw --max_duration 9", "--max_duration is for the server"},
	{"ib_write_bw --doctor host", "ib_write_bw --doctor", "--doctor looks at this host alone"},
	{"ib_write_bw --doctor --output_format=csv", "ib_write_bw --doctor --output_format=json",
	 "--doctor has a page and a JSON document"},
	{"ib_write_bw --ipv6-addr --bind_source_ip=10.0.0.1", "ib_write_bw --ipv6-addr --bind_source_ip=fe80::1%eth0",
	 "--ipv6-addr needs an IPv6 address"},
	{"ib_write_bw --pin_cores=0 --numa_node=0", "ib_write_bw --pin_cores=0", "--pin_cores and --numa_node"},
	{"raw_ethernet_bw -P -B 02:00:00:00:00:0b -E 02:00:00:00:00:0a host",
	 "raw_ethernet_bw -P -B 02:00:00:00:00:0b -E 02:00:00:00:00:0a", "frames go to MAC addresses"},
	{"raw_ethernet_fs_rate -B 02:00:00:00:00:0b host", "raw_ethernet_fs_rate -B 02:00:00:00:00:0b",
	 "steering rules are made without"},
	{"raw_ethernet_bw -B 02:00:00:00:00:0b -E 02:00:00:00:00:0a",
	 "raw_ethernet_bw -Z -B 02:00:00:00:00:0b -E 02:00:00:00:00:0a", "give --client (-P) on the one side"},
	{"raw_ethernet_fs_rate -P -Z -B 02:00:00:00:00:0b", "raw_ethernet_fs_rate -B 02:00:00:00:00:0b",
	 "give --client (-P) or --server (-Z), not both"},
	{"raw_ethernet_bw -Z", "raw_ethernet_bw -Z -B 02:00:00:00:00:0b", "give the MAC address of this side"},
	{"raw_ethernet_lat -Z -B 02:00:00:00:00:0b", "raw_ethernet_lat -Z -B 02:00:00:00:00:0b -E 02:00:00:00:00:0a",
	 "give the MAC address that frames go to"},
	{"raw_ethernet_bw -P -B 02:00:00:00:00:0b -E 02:00:00:00:00:0a -J 10.0.0.1 -j 10.0.0.2 --local_port 5 "
	 "--remote_port 6",
	 "raw_ethernet_bw -P -B 02:00:00:00:00:0b -E 02:00:00:00:00:0a --local_ip 10.0.0.2 --remote_ip 10.0.0.1 "
	 "--local_port 5 --remote_port 6",
	 "addresses and ports are those"},
	{"raw_ethernet_bw -P -B 02:00:00:00:00:0b -E 02:00:00:00:00:0a -J 10.0.0.1 -j 10.0.0.2 --raw_ipv6",
	 "raw_ethernet_bw -P -B 02:00:00:00:00:0b -E 02:00:00:00:00:0a -J fe80::1 -j fe80::2 --raw_ipv6",
	 "IP addresses are of IPv4"},
	{"raw_ethernet_bw -P -B 02:00:00:00:00:0b -E 02:00:00:00:00:0a -J 10.0.0.1 -j 10.0.0.2 -K 1",
	 "raw_ethernet_bw -P -B 02:00:00:00:00:0b -E 02:00:00:00:00:0a -J 10.0.0.1 -j 10.0.0.2 -K 1000 -k 2000",
	 "there are two ports"},
	{"raw_ethernet_bw -P -B 02:00:00:00:00:0b -E 02:00:00:00:00:0a -K 1000 -k 2000",
	 "raw_ethernet_bw -P -B 02:00:00:00:00:0b -E 02:00:00:00:00:0a -J 10.0.0.1 -j 10.0.0.2 -K 1000 -k 2000 --tcp",
	 "ports stand behind an IP header"},
	{"raw_ethernet_bw -P -B 02:00:00:00:00:0b -E 02:00:00:00:00:0a -J 10.0.0.1 -j 10.0.0.2 --tcp",
	 "raw_ethernet_bw -P -B 02:00:00:00:00:0b -E 02:00:00:00:00:0a -J 10.0.0.1 -j 10.0.0.2 -K 1000 -k 2000 --tcp",
	 "--tcp needs ports"},
	{"raw_ethernet_bw -P -B 02:00:00:00:00:0b -E 02:00:00:00:00:0a --raw_ipv6",
	 "raw_ethernet_bw -P -B 02:00:00:00:00:0b -E 02:00:00:00:00:0a -J fe80::1 -j fe80::2 --raw_ipv6",
	 "--raw_ipv6 needs addresses"},
	{"raw_ethernet_bw -P -B 02:00:00:00:00:0b -E 02:00:00:00:00:0a -J 10.0.0.1 -j 10.0.0.2 --flows 2",
	 "raw_ethernet_bw -P -B 02:00:00:00:00:0b -E 02:00:00:00:00:0a -J 10.0.0.1 -j 10.0.0.2 -K 1000 -k 2000 --flows "
	 "2",
	 "--flows differ in their ports"},
	{"raw_ethernet_bw -P -B 02:00:00:00:00:0b -E 02:00:00:00:00:0a -J 10.0.0.1 -j 10.0.0.2 -K 65000 -k 1 --flows "
	 "600",
	 "raw_ethernet_bw -P -B 02:00:00:00:00:0b -E 02:00:00:00:00:0a -J 10.0.0.1 -j 10.0.0.2 -K 65000 -k 1 --flows "
	 "500",
	 "there are ports up to 65535"},
	{"raw_ethernet_bw -P -B 02:00:00:00:00:0b -E 02:00:00:00:00:0a -J 10.0.0.1 -j 10.0.0.2 -K 1000 -k 2000 --flows "
	 "2 -b",
	 "raw_ethernet_bw -P -B 02:00:00:00:00:0b -E 02:00:00:00:00:0a -J 10.0.0.1 -j 10.0.0.2 -K 1000 -k 2000 -b",
	 "--flows go one way"},
	{"raw_ethernet_bw -P -B 02:00:00:00:00:0b -E 02:00:00:00:00:0a -J 10.0.0.1 -j 10.0.0.2 -K 1000 -k 2000 "
	 "--flows_burst 2",
	 "raw_ethernet_bw -P -B 02:00:00:00:00:0b -E 02:00:00:00:00:0a -J 10.0.0.1 -j 10.0.0.2 -K 1000 -k 2000 --flows "
	 "2 --flows_burst 2",
	 "--flows_burst is for several"},
	{"raw_ethernet_bw -P -B 02:00:00:00:00:0b -E 02:00:00:00:00:0a -J 10.0.0.1 -j 10.0.0.2 -K 1000 -k 2000 --flows "
	 "4097 --flows_burst 8 -D 2",
	 "raw_ethernet_bw -P -B 02:00:00:00:00:0b -E 02:00:00:00:00:0a -J 10.0.0.1 -j 10.0.0.2 -K 1000 -k 2000 --flows "
	 "4096 --flows_burst 8 -D 2",
	 "--flows times --flows_burst is 32768 at most"},
	{"raw_ethernet_bw -P -B 02:00:00:00:00:0b -E 02:00:00:00:00:0a -J 10.0.0.1 -j 10.0.0.2 -K 1000 -k 2000 --flows "
	 "20 --flows_burst 20 -n 300",
	 "raw_ethernet_bw -P -B 02:00:00:00:00:0b -E 02:00:00:00:00:0a -J 10.0.0.1 -j 10.0.0.2 -K 1000 -k 2000 --flows "
	 "20 --flows_burst 20 -n 400",
	 "-n must be at least --flows"},
	{"raw_ethernet_bw -P -B 02:00:00:00:00:0b -E 02:00:00:00:00:0a -J 10.0.0.1 -j 10.0.0.2 -K 1000 -k 2000 --flows "
	 "3 -l 4",
	 "raw_ethernet_bw -P -B 02:00:00:00:00:0b -E 02:00:00:00:00:0a -J 10.0.0.1 -j 10.0.0.2 -K 1000 -k 2000 --flows "
	 "2 -l 4",
	 "a list (-l) has the same frames"},
	{"raw_ethernet_bw -P -B 02:00:00:00:00:0b --raw_mcast -J 239.0.0.1 -j 10.0.0.2 -b",
	 "raw_ethernet_bw -P -B 02:00:00:00:00:0b --raw_mcast -J 239.0.0.1 -j 10.0.0.2", "--raw_mcast goes one way"},
	{"raw_ethernet_bw -P -B 02:00:00:00:00:0b -E 02:00:00:00:00:0a -J 10.0.0.1 -j 10.0.0.2 --raw_mcast",
	 "raw_ethernet_bw -P -B 02:00:00:00:00:0b -E 02:00:00:00:00:0a --raw_mcast -J 239.0.0.1 -j 10.0.0.2",
	 "--raw_mcast needs an IPv4 group"},
	{"ib_write_bw --disable_numa --numa_node=0", "ib_write_bw --disable_numa", "--disable_numa leaves"},
};

#define NUM_EXAMPLES (sizeof(examples) / sizeof(examples[0]))

static struct command_line line;
static struct params params;

static void every_rule_refuses_its_example(void **state)
{
	(void)state;
	for (size_t i = 0; i < NUM_EXAMPLES; i++) {
		if (command_line_resolve(&line, examples[i].refused, &params) != -EINVAL)
			fail_msg("accepted: %s", examples[i].refused);
		if (strncmp(line.reason, examples[i].begin, strlen(examples[i].begin)) != 0)
			fail_msg("%s: %s", examples[i].refused, line.reason);
		assert_null(strchr(line.reason, '\n'));
	}
}

static void the_neighbour_of_every_example_is_accepted(void **state)
{
	(void)state;
	for (size_t i = 0; i < NUM_EXAMPLES; i++)
		command_line_is_accepted(examples[i].accepted, &params);
}

static void every_rule_has_an_example(void **state)
{
	(void)state;
	assert_int_equal(num_rules, NUM_EXAMPLES);
	for (size_t r = 0; r < num_rules; r++) {
		unsigned found = 0;

		for (size_t i = 0; i < NUM_EXAMPLES; i++)
			found += strncmp(rules[r].sentence, examples[i].begin, strlen(examples[i].begin)) == 0;
		if (found != 1)
			fail_msg("%u examples of: %s", found, rules[r].sentence);
	}
}

static void the_values_follow_the_sentence(void **state)
{
	(void)state;
	assert_int_equal(command_line_resolve(&line, "ib_write_bw -l 64 -t 16 -n 6400", &params), -EINVAL);
	assert_non_null(strstr(line.reason, " (--post_list 64, --tx-depth 16)"));
}

static void a_broken_rule_leaves_params_alone(void **state)
{
	struct params before;

	(void)state;
	assert_int_equal(command_line_parse(&line, "ib_write_bw -D 5 -a", &params), 0);
	before = params;
	assert_int_equal(params_resolve(&params, line.reason, sizeof(line.reason)), -EINVAL);
	assert_memory_equal(&params, &before, sizeof(params));
}

/* The limits of the classic suite that are gone. */
static void what_the_classic_suite_refused_for_no_reason(void **state)
{
	(void)state;
	command_line_is_accepted("ib_write_bw -f 3", &params);
	command_line_is_accepted("ib_write_bw --cpu_util", &params);
	command_line_is_accepted("ib_write_lat --run_infinitely", &params);
}

static void combinations_without_effect_are_noted(void **state)
{
	static const struct {
		const char *text;
		const char *begin; /* NULL: nothing to say */
	} cases[] = {
		{"ib_write_bw -a -s 5", "-s has no effect"},
		{"ib_write_bw -D 5 -n 50", "-n has no effect"},
		{"ib_write_bw -f 1", "-f has an effect only with -D"},
		{"ib_write_bw -r 16", "-r has no effect"},
		{"ib_write_bw --ipv6 -x 3", "--ipv6 has no effect"},
		{"ib_write_bw -R --sl 3", "-S, --tclass, --flow_label, --dlid and --pkey_index have no effect"},
		{"ib_write_bw -R --pkey_index=0", "-S, --tclass, --flow_label, --dlid and --pkey_index have no effect"},
		{"ib_read_lat --retry_count=3", "--retry_count has an effect only with -R"},
		{"ib_write_bw -b --reversed", "--reversed has no effect"},
		{"ib_write_bw --recv_post_list=4", "--recv_post_list has no effect on a plain RDMA WRITE"},
		{"ib_write_bw --rate_units M", "--rate_units and --rate_limit_type have an effect only"},
		{"ib_read_bw --rate_limit_type SW", "--rate_units and --rate_limit_type have an effect only"},
		{"ib_send_bw --report-both", "--report-both has an effect only with -b"},
		{"raw_ethernet_bw -Z -B 02:00:00:00:00:0b -J 10.0.0.1", "of two IP addresses one is given"},
		{"raw_ethernet_bw -Z -B 02:00:00:00:00:0b --flow_label 5", "--flow_label is in headers of IPv6"},
		{"ib_send_bw -R --flow_label 5", "-S, --tclass, --flow_label, --dlid and --pkey_index have no effect"},
		{"ib_write_bw -a -n 50 -b -D off --ipv6", NULL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *sentence;

		command_line_is_accepted(cases[i].text, &params);
		sentence = rules_idle(&params, 0);
		if (!cases[i].begin) {
			assert_null(sentence);
			continue;
		}
		assert_non_null(sentence);
		assert_int_equal(strncmp(sentence, cases[i].begin, strlen(cases[i].begin)), 0);
		assert_null(rules_idle(&params, 1));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_rule_refuses_its_example),
		cmocka_unit_test(the_neighbour_of_every_example_is_accepted),
		cmocka_unit_test(every_rule_has_an_example),
		cmocka_unit_test(the_values_follow_the_sentence),
		cmocka_unit_test(a_broken_rule_leaves_params_alone),
		cmocka_unit_test(what_the_classic_suite_refused_for_no_reason),
		cmocka_unit_test(combinations_without_effect_are_noted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
