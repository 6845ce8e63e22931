// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Is every form of a command line understood, and every wrong one refused with a helpful message? */
#include "command_line.h"
#include "params/options.h"

static struct params params;
static struct command_line line;

static void parsed(const char *text)
{
	if (command_line_parse(&line, text, &params))
		fail_msg("%s: %s", text, line.reason);
}

/* Every form of the same request. */
TEST(all_spellings_mean_the_same)
{
	static const char *const forms[] = {
		"ib_write_bw -n 500 -s 4096 -b -a host",
		"ib_write_bw -n500 -s4K -ba host",
		"ib_write_bw -abn500 -s 4k host",
		"ib_write_bw --iters=500 --size=4K --bidirectional --all host",
		"ib_write_bw --iters 500 --size 4096 -b -a host",
		"ib_write_bw host --it 500 --siz 4K --bid --al",
		"ib_write_bw -b host -n 0x1f4 -s 0x1000 -a",
		"ib_write_bw -n 500 -s 4K -a -b -- host",
		"ib_write_bw -n 00500 -s 4K -ab host",
	};

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		parsed(forms[i]);
		assert_int_equal(params.test.iters, 500);
		assert_int_equal(params.verbs.size, 4096);
		assert_true(params.spec.bidirectional);
		assert_true(params.verbs.all_sizes);
		assert_string_equal(params.host, "host");
		assert_true(params_given(&params, "iters"));
		assert_false(params_given(&params, "port"));
	}
}

TEST(dashes_and_underscores_are_the_same)
{
	parsed("ib_write_bw --post-list 4 --tx_depth=64 --report_both --ib_dev soft1");
	assert_int_equal(params.verbs.post_list, 4);
	assert_int_equal(params.verbs.tx_depth, 64);
	assert_true(params.report.both);
	assert_string_equal(params.verbs.device_name, "soft1");
}

TEST(both_spellings_of_histogram)
{
	static const char *const forms[] = {"-H", "--report-histogram", "--report-histogrm", "--report-h"};

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		char text[64];

		snprintf(text, sizeof(text), "ib_read_lat %s", forms[i]);
		parsed(text);
		assert_true(params.report.histogram);
	}
}

/* --source_ip is another thing to the programs of raw Ethernet. */
TEST(a_program_s_own_spelling_comes_first)
{
	static const char *const forms[] = {"--bind_source_ip", "--source_ip", "--source-ip", "--sou"};

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		char text[64];

		snprintf(text, sizeof(text), "ib_send_bw %s 10.0.0.1", forms[i]);
		parsed(text);
		assert_string_equal(params.channel.bind_source_ip, "10.0.0.1");
		assert_true(params_given(&params, "bind_source_ip"));
	}
	parsed("raw_ethernet_bw --source_ip 10.0.0.1");
	assert_string_equal(params.ethernet.source_ip, "10.0.0.1");
	assert_string_equal(params.channel.bind_source_ip, "");
	assert_true(params_given(&params, "source_ip"));
}

TEST(operands_may_begin_with_a_dash_behind_two)
{
	parsed("ib_write_bw -- -n");
	assert_string_equal(params.host, "-n");
	assert_false(params_given(&params, "iters"));
}

TEST(the_operand_may_name_the_port)
{
	static const struct {
		const char *text;
		const char *host;
		uint16_t port;
	} forms[] = {
		{"ib_write_bw node7", "node7", 18515},
		{"ib_write_bw node7:1234", "node7", 1234},
		{"ib_write_bw 10.0.0.7:65535", "10.0.0.7", 65535},
		{"ib_write_bw [node7]", "node7", 18515},
		{"ib_write_bw [fe80::1%eth0]", "fe80::1%eth0", 18515},
		{"ib_write_bw [::1]:1234", "::1", 1234},
		{"ib_write_bw ::1", "::1", 18515},
		{"ib_write_bw fe80::1:1234", "fe80::1:1234", 18515},
		{"ib_write_bw -p 1234 node7:1234", "node7", 1234},
	};

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		parsed(forms[i].text);
		assert_string_equal(params.host, forms[i].host);
		assert_int_equal(params.channel.port, forms[i].port);
		assert_int_equal(params_given(&params, "port"), params.channel.port != 18515);
	}
}

/* A HOST behind the option is none. */
TEST(an_option_may_do_without_its_value)
{
	static const struct {
		const char *text;
		const char *host;
		uint32_t retry_s;
	} forms[] = {
		{"ib_write_bw node7", "node7", 0},
		{"ib_write_bw --retry node7", "node7", 60},
		{"ib_write_bw node7 --retry", "node7", 60},
		{"ib_write_bw --retry 10.0.0.7", "10.0.0.7", 60},
		{"ib_write_bw --retry -a ::1", "::1", 60},
		{"ib_write_bw --retry 10 node7", "node7", 10},
		{"ib_write_bw --retry=2m node7", "node7", 120},
		{"ib_write_bw --retry 2m 7,8", "7,8", 120},
	};

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		parsed(forms[i].text);
		assert_string_equal(params.host, forms[i].host);
		assert_int_equal(params.channel.retry_s, forms[i].retry_s);
	}
}

TEST(a_value_may_be_given_twice_if_it_is_the_same)
{
	parsed("ib_write_bw -s 4K --size 4096 -s 0x1000 -a -a");
	assert_int_equal(params.verbs.size, 4096);
}

/* Which words are options and their values? What is behind them is a HOST, a program, or "--". */
TEST(leading_options_are_counted)
{
	static const struct {
		const char *words[6];
		unsigned leading;
	} forms[] = {
		{{"node7"}, 0},
		{{"-s", "4096"}, 2},
		{{"-s", "4096", "node7"}, 2},
		{{"-s4096", "--iters=5", "node7"}, 2},
		{{"--iter", "5", "-a", "node7"}, 3},
		{{"-ab", "node7"}, 1},
		{{"-abn", "5", "node7"}, 2},
		{{"--unknown", "node7"}, 1},
		{{"-s", "-a", "--", "node7"}, 2},
		{{"-s"}, 1},
		{{"--retry", "node7"}, 1},
		{{"--retry", "10", "node7"}, 2},
		{{"--retry", "1.5", "node7"}, 2},
	};

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		unsigned count = 0;

		while (forms[i].words[count])
			count++;
		assert_int_equal(opt_leading(&params_options, program_bit(program_named("ib_write_bw")),
					     (char **)forms[i].words, count),
				 forms[i].leading);
	}
}

/* One set of options for all programs, as scripts have it. */
TEST(what_a_program_does_anyway_may_be_said)
{
	parsed("ib_read_lat -q 1 -l 1 -r 1 -I 0 -c RC --rate_limit off");
	parsed("ib_atomic_lat -s 8");
	assert_int_equal(params.verbs.size, 8);
}

TEST(options_without_effect_are_taken_and_noted)
{
	parsed("ib_write_lat --report_gbits -N -Q 50 --disable_dynamic_polling");
	assert_false(params.report.gbits);
	assert_false(params.test.no_peak);
	assert_int_equal(params.verbs.cq_mod, 1);
	assert_true(params.idle[params_option_index("report_gbits")]);
	assert_true(params.idle[params_option_index("noPeak")]);
	assert_true(params.idle[params_option_index("cq-mod")]);
	assert_false(params.idle[params_option_index("iters")]);
	assert_false(params_given(&params, "report_gbits"));
	parsed("ib_atomic_bw -a");
	assert_false(params.verbs.all_sizes);
	/* as linux-rdma perftest */
	parsed("ib_write_bw -w 100M -y 2.5g");
	assert_true(params.limits.bw == 100 && params.limits.msgrate == 2.5);
	assert_true(params.suffixed[params_option_index("limit_bw")]);
	parsed("ib_write_bw -w 100");
	assert_false(params.suffixed[params_option_index("limit_bw")]);
	assert_int_equal(params.limits.bw_unit, LIMIT_ABSOLUTE);
	parsed("ib_write_bw -w 90% -y 87.5%line");
	assert_true(params.limits.bw == 90 && params.limits.msgrate == 87.5);
	assert_int_equal(params.limits.bw_unit, LIMIT_OF_POSSIBLE);
	assert_int_equal(params.limits.msgrate_unit, LIMIT_OF_LINE);
	assert_false(params.suffixed[params_option_index("limit_msgrate")]);
	/* each row says by which programs */
	parsed("ib_send_lat -w 100 -y 1 --report-both --rate_units M");
	assert_true(params.idle[params_option_index("limit_bw")]);
	parsed("ib_read_bw --recv_post_list=4");
	assert_true(params.idle[params_option_index("recv_post_list")]);
	parsed("raw_ethernet_fs_rate -p 5 --report-both");
	assert_int_equal(params.channel.port, 18515);
	assert_true(params.idle[params_option_index("port")]);
	/* that has an effect with --side_channel, and a rule says so */
	parsed("raw_ethernet_bw -p 5 --report-both");
	assert_int_equal(params.channel.port, 5);
	assert_false(params.idle[params_option_index("port")]);
	assert_true(params.idle[params_option_index("report-both")]);
	/* what others of these programs do without it is none of this one's */
	parsed("ib_write_bw -L 64 --vlan_pcp=1 -A FETCH_AND_ADD");
	assert_true(params.idle[params_option_index("hop_limit")]);
	assert_true(params.idle[params_option_index("vlan_pcp")]);
	assert_true(params.idle[params_option_index("atomic_type")]);
	parsed("raw_ethernet_bw -L 64 --vlan_pcp=1");
	assert_false(params.idle[params_option_index("hop_limit")]);
	parsed("raw_ethernet_fs_rate -s 64 -t 8 -r 8 -I 0 -E 02:00:00:00:00:0a -L 5 -T 5 --vlan_pcp 5 -m 9000 -f 2");
	assert_true(params.idle[params_option_index("dest_mac")]);
	assert_string_equal(params.ethernet.dest_mac, "");
}

TEST(help_and_version_only_set_their_flags)
{
	parsed("ib_write_bw -h");
	assert_true(params.general.asked.usage);
	assert_false(params.general.asked.help);
	parsed("ib_write_bw --help");
	assert_true(params.general.asked.help);
	assert_false(params.general.asked.usage);
	assert_false(params.general.asked.version);
	parsed("ib_write_bw --version");
	assert_true(params.general.asked.version);
}

TEST(percentiles_are_sorted_and_single)
{
	parsed("ib_send_lat --percentiles=99.99,50,90,50,100");
	assert_int_equal(params.report.num_percentiles, 4);
	assert_true(params.report.percentiles[0] > 49.9 && params.report.percentiles[0] < 50.1);
	assert_true(params.report.percentiles[2] > 99.98 && params.report.percentiles[2] < 100);
	assert_true(params.report.percentiles[3] > 99.99);
	parsed("ib_send_lat");
	assert_int_equal(params.report.num_percentiles, 0);
}

struct refusal {
	const char *text;
	const char *reason;
};

static const struct refusal refusals[] = {
	/* unknown, with what was probably meant */
	{"ib_write_bw --itres=5", "unknown option '--itres'; did you mean --iters?"},
	{"ib_write_bw --bidirectonal", "unknown option '--bidirectonal'; did you mean --bidirectional?"},
	{"ib_send_lat --report-histgoram", "unknown option '--report-histgoram'; did you mean --report-histogram?"},
	{"ib_write_bw -o out.txt", "--outs (-o) is for read and atomic tests"},
	{"ib_write_bw --use_rdma_cm", "unknown option '--use_rdma_cm'; did you mean --rdma_cm?"},
	{"ib_write_bw --use_rdmacm", "unknown option '--use_rdmacm'; did you mean --rdma_cm?"},
	/* names of other tools and of their documents */
	{"ib_write_bw --json", "unknown option '--json'; did you mean --output_format=json?"},
	{"ib_send_lat --verbose-json", "unknown option '--verbose-json'; did you mean --output_format=json?"},
	{"ib_send_lat --csv", "unknown option '--csv'; did you mean --output_format=csv?"},
	{"ib_write_bw --json-file=f", "unknown option '--json-file'; did you mean --out_json_file?"},
	{"ib_write_bw --time 10", "unknown option '--time'; did you mean --duration?"},
	{"ib_write_bw --parallel=4", "unknown option '--parallel'; did you mean --qp?"},
	{"ib_send_lat --histogram", "unknown option '--histogram'; did you mean --report-histogram?"},
	{"ib_write_bw --warmup", "unknown option '--warmup'; did you mean --perform_warm_up?"},
	{"ib_write_bw --host=node7", "unknown option '--host'; HOST is given without an option"},
	/* what was meant is of other programs */
	{"ib_write_bw --histogram",
	 "unknown option '--histogram'; --report-histogram (-H) is for latency and steering tests"},
	{"ib_send_lat --parallel=4", "unknown option '--parallel'; --help lists them all"},
	/* more than one name ends so */
	{"ib_write_bw --path", "unknown option '--path'; --help lists them all"},
	{"ib_write_bw --quux", "unknown option '--quux'; --help lists them all"},
	{"ib_write_bw -%", "unknown option '-%'; --help lists them all"},
	{"ib_write_bw -a%", "unknown option '-%'; --help lists them all"},
	/* a long name behind a single dash: -s ize, a device "uration", -a with -l l */
	{"ib_write_bw -size 64", "unknown option '-size'; did you mean --size?"},
	{"ib_write_bw -duration=5", "unknown option '-duration'; did you mean --duration?"},
	{"ib_write_bw -all", "unknown option '-all'; did you mean --all?"},
	{"ib_write_bw -report_both", "unknown option '-report_both'; did you mean --report-both?"},
	{"ib_write_bw --=5", "unknown option '--'; --help lists them all"},
	/* of others among these programs, and why */
	{"ib_atomic_bw --aes-xts",
	 "--aes_xts is for send, write and read tests: it works on whole blocks of a connection's messages, "
	 "but an atomic operation has 8 bytes"},
	{"ib_write_bw --aesx", "unknown option '--aesx'; --help lists them all"},
	{"ib_send_bw -aG", "--use_rss (-G) is for raw Ethernet bandwidth tests"},
	{"ib_write_bw -G", "--use_rss (-G) is for raw Ethernet bandwidth tests"},
	/* krping_run --json has it as standard output */
	{"ib_write_bw --out_json_file=-",
	 "--out_json_file: '-' is not a file: --output_format=json writes to standard output"},
	/* not unique */
	{"ib_write_bw --out", "'--out' may be any of --output, --output_format, --out_json, --out_json_file"},
	{"ib_write_bw --p", "'--p' may be any of --port, --pkey_index, --post_list, --perform_warm_up, "
			    "--ph, --payload_file_path, --pin_cores"},
	/* numbers */
	{"ib_write_bw -n 5x", "--iters (-n): '5x' is not a whole number; allowed: 5 to 4294967296"},
	{"ib_write_bw --retry 1.5 node7",
	 "--retry: '1.5' is not a whole number; allowed: 0 to 31536000, may end in s, m, h or d"},
	{"ib_write_bw --retry 1.5m",
	 "--retry: '1.5m' is not a whole number; allowed: 0 to 31536000, may end in s, m, h or d"},
	{"ib_write_bw --use_cuda node7", "--use_cuda: 'node7' is not a whole number; allowed: 0 to 1023, or off; if "
					 "that is the HOST, type --use_cuda=GPU node7"},
	{"ib_write_bw --use_cuda 10.0.0.7", "--use_cuda: '10.0.0.7' is not a whole number; allowed: 0 to 1023, or off; "
					    "if that is the HOST, type --use_cuda=GPU 10.0.0.7"},
	{"ib_write_bw --use_cuda node7 node8", "--use_cuda: 'node7' is not a whole number; allowed: 0 to 1023, or off"},
	{"ib_write_bw node8 --use_cuda=node7", "--use_cuda: 'node7' is not a whole number; allowed: 0 to 1023, or off"},
	{"ib_write_bw -n -5", "--iters (-n): '-5' is out of range; allowed: 5 to 4294967296"},
	{"ib_write_bw -n ''", "--iters (-n): the value is empty"},
	{"ib_write_bw -s 3G", "--size (-s): '3G' is out of range; allowed: 0 to 2147483648, may end in K, M or G"},
	{"ib_write_bw -s 4G", "--size (-s): '4G' is out of range; allowed: 0 to 2147483648, may end in K, M or G"},
	{"ib_write_bw -s 1KM", "--size (-s): '1KM' is not a size; allowed: 0 to 2147483648, may end in K, M or G"},
	{"ib_write_bw -x 300", "--gid-index (-x): '300' is out of range; allowed: 0 to 255, or auto"},
	{"ib_write_bw -i 257", "--ib-port (-i): '257' is out of range; allowed: 1 to 255"},
	{"ib_write_bw -l 0", "--post_list (-l): '0' is out of range; allowed: 1 to 15000"},
	{"ib_write_bw --cqe_poll=70000", "--cqe_poll: '70000' is out of range; allowed: 1 to 65535, or auto"},
	{"ib_write_bw -w 5T",
	 "--limit_bw (-w): '5T' is not a number; allowed: 0 to 1000000000000, may end in % or %line"},
	{"ib_write_bw -w M",
	 "--limit_bw (-w): 'M' is not a number; allowed: 0 to 1000000000000, may end in % or %line"},
	{"ib_write_bw -w 1,5",
	 "--limit_bw (-w): '1,5' is not a number; allowed: 0 to 1000000000000, may end in % or %line"},
	{"ib_write_bw -y 5%K",
	 "--limit_msgrate (-y): '5%K' is not a number; allowed: 0 to 1000000000000, may end in % or %line"},
	{"ib_write_bw -w %",
	 "--limit_bw (-w): '%' is not a number; allowed: 0 to 1000000000000, may end in % or %line"},
	{"ib_write_bw -w 90 -w 90%", "--limit_bw (-w) is given twice, as '90' and as '90%'"},
	{"ib_write_bw --report_interval=0.001",
	 "--report_interval: '0.001' is out of range; allowed: 0.01 to 31536000, or off"},
	{"ib_send_lat --percentiles=50,x", "--percentiles: 'x' is not a number; allowed: 0.000001 to 100, or none"},
	{"ib_send_lat --percentiles=50,", "--percentiles: '' is not a number; allowed: 0.000001 to 100, or none"},
	{"ib_send_lat --percentiles=0", "--percentiles: '0' is out of range; allowed: 0.000001 to 100, or none"},
	{"ib_send_lat --percentiles=100.5",
	 "--percentiles: '100.5' is out of range; allowed: 0.000001 to 100, or none"},
	{"ib_send_lat --percentiles=1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,"
	 "31,32,33",
	 "--percentiles: there are more than 32 percentiles"},
	/* words */
	{"ib_write_bw --dest_mac 02:00:00:00:00:0a", "--dest_mac (-E) is for raw Ethernet bandwidth and latency tests"},
	/* words of linux-rdma perftest that are no choice here */
	{"ib_read_bw --rate_limit 10 --rate_limit_type=PP",
	 "--rate_limit_type: this version does not have PP: packet pacing, except in bandwidth tests "
	 "of SEND, WRITE and raw Ethernet; allowed: HW, SW or auto"},
	{"raw_ethernet_burst_lat --rate_limit 10 --rate_limit_type=pp",
	 "--rate_limit_type: this version does not have PP: packet pacing, except in bandwidth tests "
	 "of SEND, WRITE and raw Ethernet; allowed: SW or auto"},
	{"raw_ethernet_bw --rate_limit 1 --rate_limit_type=HW",
	 "--rate_limit_type: 'HW' is not a valid value; allowed: SW, PP or auto"},
	{"ib_atomic_bw -c SRD", "--connection (-c): 'SRD' is not a valid value; allowed: RC, XRC or DC"},
	{"ib_write_bw -c UD", "--connection (-c): 'UD' is not a valid value; allowed: RC, UC, XRC, DC or SRD"},
	{"ib_read_bw -c UC", "--connection (-c): 'UC' is not a valid value; allowed: RC, XRC, DC or SRD"},
	{"ib_send_bw -c XYZ", "--connection (-c): 'XYZ' is not a valid value; allowed: RC, UC, UD, XRC, DC or SRD"},
	{"ib_write_bw -m 63", "--mtu (-m): '63' is out of range; allowed: 64 to 9600, or auto"},
	{"ib_write_bw --output=latency",
	 "--output: 'latency' is not a valid value; allowed: bandwidth, message_rate or all"},
	{"ib_send_lat --output=bandwidth", "--output: 'bandwidth' is not a valid value; allowed: latency or all"},
	/* texts */
	{"ib_write_bw --bind_source_ip=1.2.3", "--bind_source_ip: '1.2.3' is not an IP address"},
	{"ib_write_bw --pin_cores=0,3-2", "--pin_cores: '0,3-2' is not a list of CPUs such as 0,2-3"},
	{"ib_write_bw --use_hl=3b", "--use_hl: '3b' is not a PCI address such as 0000:3b:00.0"},
	{"ib_write_bw --use_cuda_bus_id=0000:3b:00.00",
	 "--use_cuda_bus_id: '0000:3b:00.00' is not a PCI address such as 0000:3b:00.0"},
	{"ib_write_bw --cuda_mem_type=3",
	 "--cuda_mem_type: '3' is not a valid value; allowed: device, managed, host, malloc, 0, 1, 2 or 4"},
	{"ib_write_bw --pin_cores=0,", "--pin_cores: '0,' is not a list of CPUs such as 0,2-3"},
	{"ib_write_bw --pin_cores=8192", "--pin_cores: '8192' is not a list of CPUs such as 0,2-3"},
	{"ib_write_bw --pin_cores=0-8192", "--pin_cores: '0-8192' is not a list of CPUs such as 0,2-3"},
	{"ib_write_bw -W ../../secret", "--report-counters (-W): '../../secret' points outside of the port's folder"},
	{"ib_write_bw -W /etc/passwd",
	 "--report-counters (-W): '/etc/passwd' is not a list of counters such as counters/port_xmit_data"},
	{"ib_write_bw -d a/b", "--ib-dev (-d): 'a/b' is not a device name such as mlx5_0"},
	{"ib_write_bw -d aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
	 "--ib-dev (-d): 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa...' is "
	 "too long for a device name"},
	{"ib_write_bw -d a,b,c", "--ib-dev (-d): 'a,b,c' is neither one device nor two separated by a comma"},
	{"ib_write_bw -d a,", "--ib-dev (-d): 'a,' is neither one device nor two separated by a comma"},
	/* how options are written */
	{"ib_write_bw -s", "--size (-s) needs a value, BYTES; allowed: 0 to 2147483648, may end in K, M or G"},
	{"ib_write_bw --size", "--size (-s) needs a value, BYTES; allowed: 0 to 2147483648, may end in K, M or G"},
	/* the value is missing, and another option follows */
	{"ib_write_bw -p -s 64 node7", "--port (-p) needs a value, PORT; allowed: 1 to 65535"},
	{"ib_write_bw -d --size=64", "--ib-dev (-d) needs a value, NAME; allowed: up to 131 characters"},
	{"ib_write_bw -A -s 64", "--atomic_type (-A) is for atomic tests"},
	{"ib_write_bw -J", "--dest_ip (-J) is for raw Ethernet tests"},
	{"ib_write_bw --all=3", "--all (-a) takes no value, but got '3'"},
	{"ib_write_bw --out_json=f", "--out_json takes no value, but got 'f'; did you mean --out_json_file?"},
	{"ib_write_bw -s 8 -s 9", "--size (-s) is given twice, as '8' and as '9'"},
	{"ib_write_bw \xe2\x80\x93t 5",
	 "'???t' begins with a dash that is not \"-\", as in text copied from a document: retype it"},
	{"ib_write_bw \xe2\x80\x94size 5",
	 "'???size' begins with a dash that is not \"-\", as in text copied from a document: retype it"},
	{"ib_write_bw a b", "only one HOST is allowed, but there are 'a' and 'b'"},
	{"ib_write_bw ''", "an empty string is not a HOST"},
	{"ib_write_bw :1", "':1' names no host"},
	{"ib_write_bw []:1", "'[]:1' names no host"},
	{"ib_write_bw [::1", "'[::1' has no ]; write [ADDRESS] or [ADDRESS]:PORT"},
	{"ib_write_bw [::1]1", "'[::1]1': only :PORT may follow the ]"},
	{"ib_write_bw node7:", "'node7:': the port after the colon must be 1 to 65535"},
	{"ib_write_bw node7:65536", "'node7:65536': the port after the colon must be 1 to 65535"},
	{"ib_write_bw -p 5 node7:6", "--port (-p) is 5 but 'node7:6' names another port; give one of them"},
	/* of other programs */
	{"ib_read_lat -b", "--bidirectional (-b) is for bandwidth tests"},
	{"ib_read_lat -q 2", "--qp (-q) is for bandwidth and steering tests"},
	{"ib_read_bw --latency_gap=5", "--latency_gap is for latency tests except raw_ethernet_burst_lat"},
	{"ib_read_bw --laten 5", "--latency_gap is for latency tests except raw_ethernet_burst_lat"},
	{"ib_write_bw -C", "--report-cycles (-C) is for latency and steering tests"},
	{"ib_write_bw -o 4", "--outs (-o) is for read and atomic tests"},
	{"ib_read_bw -I 64",
	 "--inline_size (-I) is for send and write tests and raw Ethernet bandwidth and latency tests"},
	{"ib_read_bw -r 64",
	 "--rx-depth (-r) is for send and write tests and raw Ethernet bandwidth and latency tests"},
	{"ib_atomic_bw -s 16",
	 "--size (-s) is for send, write and read tests and raw Ethernet bandwidth and latency tests"},
	{"ib_atomic_lat --rate_limit 5", "--rate_limit is for bandwidth tests, and raw_ethernet_burst_lat"},
	{"ib_send_bw --write_with_imm", "--write_with_imm is for write tests"},
	{"ib_write_bw -A CMP_AND_SWAP", "--atomic_type (-A) is for atomic tests"},
	{"ib_read_lat --report_gbits=1", "--report_gbits takes no value, but got '1'"},
	{"ib_read_lat -Q 5000", "--cq-mod (-Q): '5000' is out of range; allowed: 1 to 1024, or auto"},
};

TEST(wrong_command_lines_are_refused_in_one_line)
{
	for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++) {
		struct params before;
		int ret;

		command_line_split(&line, refusals[i].text);
		params_init(&params, program_named(line.argv[0]));
		before = params;
		ret = params_parse_text(&params, line.argc, line.argv, line.reason, sizeof(line.reason));
		if (ret != -EINVAL)
			fail_msg("accepted: %s", refusals[i].text);
		assert_string_equal(line.reason, refusals[i].reason);
		assert_memory_equal(&params, &before, sizeof(params));
	}
}

/* Names from argv go to a terminal: no control characters, bounded length. */
TEST(messages_show_only_printable_text)
{
	char name[4096], *argv[] = {(char[]){"ib_write_bw"}, name, NULL};
	char reason[256];

	memset(name, '\033', sizeof(name));
	name[0] = name[1] = '-';
	name[sizeof(name) - 1] = '\0';
	params_init(&params, program_named("ib_write_bw"));
	assert_int_equal(params_parse_text(&params, 2, argv, reason, sizeof(reason)), -EINVAL);
	assert_null(strchr(reason, '\033'));
	assert_true(strlen(reason) < 128);
}

TEST_MAIN(NULL, NULL)
