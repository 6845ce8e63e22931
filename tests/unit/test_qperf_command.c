// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Does a qperf command line mean the same as for 0.4.11, and is an invalid one refused before anything runs? */
#include "cmocka_all.h"
#include "params/engine/host.h"
#include "qperf/options/command.h"
#include "qperf/options/options.h"
#include "qperf/print/text.h"
#include "util/units.h"

#define MAX_ARGS 32
#define KIB	 1024ULL

/* --- values --- */

struct value_case {
	const char *text;
	int ret;
	uint64_t value;
};

TEST(sizes_are_exact)
{
	static const struct value_case cases[] = {
		{"0", 0, 0},
		{"1", 0, 1},
		{"64K", 0, 64 * KIB},
		{"64k", 0, 64000},
		{"64kb", 0, 64000},
		{"64kib", 0, 64 * KIB},
		{"64KiB", 0, 64 * KIB}, /* as -vu prints it */
		{"3MiB", 0, 3 * KIB * KIB},
		{"1GiB", 0, KIB * KIB * KIB},
		{"1.5K", 0, 1536},
		{"2M", 0, 2 * KIB * KIB},
		{"2m", 0, 2000000},
		{"4G", 0, 4 * KIB * KIB * KIB}, /* 0.4.11 makes 0 of it */
		{"5g", 0, 5000000000},
		{"1e6", 0, 1000000},
		{"0x10", 0, 16},
		{"", -EINVAL, 0},
		{"K", -EINVAL, 0},
		{"1KB", -EINVAL, 0},
		{"1B", -EINVAL, 0},
		{"1Kib", -EINVAL, 0},
		{"1kiB", -EINVAL, 0},
		{"1q", -EINVAL, 0},
		{" 1", -EINVAL, 0},
		{"1 K", -EINVAL, 0},
		{"-1", -EINVAL, 0},
		{"+1", -EINVAL, 0},
		{"inf", -EINVAL, 0},
		{"nan", -EINVAL, 0},
		{"1.1", -EINVAL, 0},
		{"1e30", -ERANGE, 0},
		{"99999999999G", -ERANGE, 0},
	};
	uint64_t value;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		value = 0;
		assert_int_equal(value_size(cases[i].text, 0, VALUE_MOST_SIZE, &value), cases[i].ret);
		assert_int_equal(value, cases[i].value);
	}
}

TEST(times_have_fractions)
{
	static const struct value_case cases[] = {
		{"2", 0, 2 * NS_PER_S},	     {"0", 0, 0},
		{"0.5", 0, NS_PER_S / 2},    {"1.25s", 0, 1250000000},
		{"2m", 0, 120 * NS_PER_S},   {"1h", 0, 3600 * NS_PER_S},
		{"1D", 0, 86400 * NS_PER_S}, {"", -EINVAL, 0},
		{"1x", -EINVAL, 0},	     {"1ms", -EINVAL, 0},
		{"-1", -ERANGE, 0},	     {"1e20", -ERANGE, 0},
		{"0.0001", -ERANGE, 0},	     {"0x1", 0, NS_PER_S},
		{"0x1d", 0, 29 * NS_PER_S},  {"0x2m", 0, 120 * NS_PER_S},
		{"0x", -EINVAL, 0},	     {"0x.8", -EINVAL, 0},
	};
	uint64_t value;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		value = 0;
		assert_int_equal(units_parse_ns(cases[i].text, 0, UINT32_MAX, &value), cases[i].ret);
		assert_int_equal(value, cases[i].value);
	}
}

/* --- whole command lines --- */

struct seen {
	unsigned count;
	struct {
		char test[16];
		struct qperf_params params;
	} runs[64];
};

static int note(struct command *command, const struct test_row *test, struct qperf_params *params)
{
	struct seen *seen = command->owner;

	assert_true(seen->count < sizeof(seen->runs) / sizeof(seen->runs[0]));
	snprintf(seen->runs[seen->count].test, sizeof(seen->runs[0].test), "%s", test->name);
	seen->runs[seen->count++].params = *params;
	return 0;
}

/* Words that are separated by blanks; "''" is an empty one. */
static int read_line(const char *line, struct command_plan *plan, struct seen *seen, char reason[256])
{
	static char copy[1024];
	static char nothing[1];
	static char *argv[MAX_ARGS + 1];
	struct command command = {.argv = argv, .run = note, .owner = seen};
	char *rest, *word;
	int ret;

	snprintf(copy, sizeof(copy), "qperf %s", line);
	for (word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
		argv[command.argc++] = strcmp(word, "''") == 0 ? nothing : word;
	memset(seen, 0, sizeof(*seen));
	reason[0] = '\0';
	ret = command_check(&command, plan, reason, 256);
	if (!ret && plan->kind == COMMAND_CLIENT)
		ret = command_run(&command);
	return ret;
}

static struct command_plan plan;
static struct seen seen;
static char reason[256];

TEST(options_count_from_where_they_stand)
{
	assert_int_equal(read_line("h -m 64 tcp_lat -m 8K -t 0.5 tcp_bw", &plan, &seen, reason), 0);
	assert_int_equal(seen.count, 2);
	assert_string_equal(seen.runs[0].test, "tcp_lat");
	assert_int_equal(seen.runs[0].params.local.number[PARAM_MSG_SIZE], 64);
	assert_int_equal(seen.runs[0].params.remote.number[PARAM_TIME], 0);
	assert_int_equal(seen.runs[1].params.remote.number[PARAM_MSG_SIZE], 8 * KIB);
	assert_int_equal(seen.runs[1].params.remote.number[PARAM_TIME], NS_PER_S / 2);
	assert_string_equal(seen.runs[1].params.host, "h");
	assert_int_equal(read_line("-t 1 -H there tcp_lat", &plan, &seen, reason), 0);
	assert_string_equal(seen.runs[0].params.host, "there");
}

TEST(one_side_has_its_own_forms)
{
	assert_int_equal(read_line("h -ca 0 -lsb 64K --rem_timeout 7 -rcp1 -cm1 tcp_bw", &plan, &seen, reason), 0);
	assert_int_equal(seen.runs[0].params.local.number[PARAM_AFFINITY], 1);
	assert_int_equal(seen.runs[0].params.remote.number[PARAM_AFFINITY], 1);
	assert_int_equal(seen.runs[0].params.local.number[PARAM_SOCK_BUF_SIZE], 64 * KIB);
	assert_int_equal(seen.runs[0].params.remote.number[PARAM_SOCK_BUF_SIZE], 0);
	assert_int_equal(seen.runs[0].params.local.number[PARAM_TIMEOUT], 5 * NS_PER_S);
	assert_int_equal(seen.runs[0].params.remote.number[PARAM_TIMEOUT], 7 * NS_PER_S);
	assert_int_equal(seen.runs[0].params.local.number[PARAM_POLL_MODE], 0);
	assert_int_equal(seen.runs[0].params.remote.number[PARAM_POLL_MODE], 1);
	assert_int_equal(seen.runs[0].params.remote.number[PARAM_USE_CM], 1);
	assert_string_equal(seen.runs[0].params.spelling[PARAM_USE_CM], "-cm1");
	assert_int_equal(read_line("h -ca any tcp_bw", &plan, &seen, reason), 0);
	assert_int_equal(seen.runs[0].params.local.number[PARAM_AFFINITY], 0);
}

/* -i "$DEVICE" of a script that has none. */
TEST(an_empty_text_is_the_default)
{
	static const struct {
		const char *word;
		int ret;
	} cases[] = {{"-i", 0}, {"--rem_id", 0}, {"-sr", 0}, {"-H", -EINVAL}, {"--congestion", -EINVAL}};
	struct qperf_params params;

	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct spelling spelling = option_find(cases[i].word);

		qperf_params_init(&params);
		assert_int_equal(option_apply(&spelling, cases[i].word, "", &params, reason, sizeof(reason)),
				 cases[i].ret);
		assert_string_equal(params.remote.id, "");
	}
}

TEST(verbosity_is_raised_and_lowered)
{
	assert_int_equal(read_line("h -vv -vs -v tcp_bw", &plan, &seen, reason), 0);
	assert_int_equal(seen.runs[0].params.style.verbose[VERBOSE_STAT], 1);
	assert_int_equal(seen.runs[0].params.style.verbose[VERBOSE_TIME], 2);
	assert_int_equal(read_line("h -v -vvu -e 5 -ub -uu -un tcp_bw", &plan, &seen, reason), 0);
	assert_int_equal(seen.runs[0].params.style.verbose[VERBOSE_USED], 2);
	assert_int_equal(seen.runs[0].params.style.verbose[VERBOSE_CONF], 1);
	assert_int_equal(seen.runs[0].params.style.precision, 5);
}

TEST(obsolete_words_are_understood)
{
	assert_int_equal(read_line("h -u -p 77 -la 3 -rT 9 --port 78 tcp_bw", &plan, &seen, reason), 0);
	assert_true(seen.runs[0].params.style.unify_units);
	assert_int_equal(seen.runs[0].params.local.number[PARAM_PORT], 78);
	assert_int_equal(seen.runs[0].params.local.number[PARAM_AFFINITY], 4);
	assert_int_equal(seen.runs[0].params.remote.number[PARAM_AFFINITY], 0);
	assert_int_equal(seen.runs[0].params.remote.number[PARAM_TIMEOUT], 9 * NS_PER_S);
}

TEST(server_or_client)
{
	assert_int_equal(read_line("", &plan, &seen, reason), 0);
	assert_int_equal(plan.kind, COMMAND_SERVER);
	assert_int_equal(read_line("-lp 4711 -lto 9 --no_quit --max_clients 3 -D", &plan, &seen, reason), 0);
	assert_int_equal(plan.kind, COMMAND_SERVER);
	assert_int_equal(plan.params.listen_port, 4711);
	assert_int_equal(plan.params.local.number[PARAM_TIMEOUT], 9 * NS_PER_S);
	assert_int_equal(read_line("-V", &plan, &seen, reason), 0);
	assert_int_equal(plan.kind, COMMAND_VERSION);
	assert_int_equal(read_line("-h tests", &plan, &seen, reason), 0);
	assert_int_equal(plan.kind, COMMAND_HELP);
	assert_string_equal(plan.topic, "tests");
	assert_int_equal(read_line("--help", &plan, &seen, reason), 0);
	assert_null(plan.topic);
}

/* A mistake anywhere keeps everything from running; 0.4.11 finds it when it comes to it. */
TEST(mistakes_are_found_first)
{
	static const struct {
		const char *line;
		const char *word; /* in the reason */
	} cases[] = {
		{"h tcp_lat -t", "missing argument to -t"},
		{"h -m -t 5 tcp_lat", "missing argument to -m"},
		{"h -H --time 5 tcp_lat", "missing argument to -H"},
		{"h --json tcp_lat", "'--json': bad option; did you mean --output_format json?"},
		{"h -s 64 tcp_lat", "'-s': bad option; did you mean --msg_size (-m)?"},
		{"h --msgsize 64 tcp_lat", "'--msgsize': bad option; did you mean --msg_size?"},
		{"h --quux tcp_lat", "'--quux': bad option; try: qperf --help options"},
		{"h -Z tcp_lat", "'-Z': bad option; try: qperf --help options"},
		{"h -t1 tcp_lat", "'-t1': bad option"},
		{"h --tme=1 tcp_lat", "'--tme=1': bad option; did you mean --time?"},
		{"h --time= tcp_lat", "--time: the value is empty"},
		{"h --version=1", "--version takes no value"},
		{"h -m --time=1 tcp_lat", "missing argument to -m"},
		{"h tcp_lta", "'tcp_lta': bad test; did you mean tcp_lat?"},
		{"h --tim 1 tcp_lat", "bad option"},
		{"h nosuch", "'nosuch': bad test; try: qperf --help tests"},
		{"h", "must specify a test type"},
		{"tcp_lat", "must specify host name first"},
		{"-t 1", "-t is an option of a client"},
		{"h --no_quit tcp_lat", "--no_quit is an option of a server"},
		{"h -m 1q tcp_lat", "-m: '1q' is not a size; allowed: 1 to 1099511627776, may end in K, M or G"},
		{"h -m 0 tcp_lat", "-m: '0' is out of range; allowed: 1 to 1099511627776"},
		{"h -t 1x tcp_lat",
		 "-t: '1x' is not a time; allowed: 0 or 0.001 to 4294967295, may end in s, m, h or d"},
		{"h -t 0.0009 tcp_lat", "-t: '0.0009' is out of range; allowed: 0 or 0.001 to 4294967295"},
		{"h -i a\033b rc_lat", "-i: 'a?b' has a control character"},
		{"h --congestion re\nno tcp_lat", "--congestion: 're?no' has a control character"},
		{"-H h\033 tcp_lat", "-H: 'h?' has a control character"},
		{"--bind \177", "--bind: '?' has a control character"},
		{"h -t '' tcp_lat", "the value is empty"},
		{"h -n -5 tcp_lat", "out of range"},
		{"h -sl 16 rc_lat", "out of range"},
		{"h -mt 1000 tcp_lat", "must be 256/512/1K/2K/4K"},
		{"h -sr bogus tcp_lat", "-sr: 'bogus' is not a static rate; allowed: 2.5, 5, 10"},
		{"h -ar yes rc_bw", "-ar: 'yes' is neither 0 (off) nor 1 (on)"},
		{"h -ca -1 tcp_lat", "out of range; allowed: 0 to 8191, or any"},
		{"h -lp 0 tcp_lat", "out of range"},
		{"h -lp 65536 tcp_lat", "out of range"},
		{"h -n 99999999999999999999 tcp_lat", "out of range"},
		{"h -i 0123456789012345678901234567890123456789012345678901234567890123 tcp_lat", "too long"},
		{"h -oo nosuch:1:2:1 tcp_lat", "no such variable; allowed: the name of an option that has a number"},
		{"h -oo id:1:2:1 tcp_lat", "does not take a number"},
		{"h -oo m:x:2:1 tcp_lat", "bad size: 'x'; allowed: a whole number, may end in K, M or G"},
		{"h -oo m:1::1 tcp_lat", "-oo: must specify limit: Var:Init:Last:Incr, such as msg_size:1:64K:*2"},
		{"h -oo '' tcp_lat", "missing argument"},
		{"h -oo msg_size tcp_lat", "bad size"},
		{"h -oo m:1:64:0 tcp_lat", "increment must be positive"},
		{"h -oo m:1:64: tcp_lat", "bad size"},
		{"h -oo m:1:64:*1 tcp_lat", "never end"},
		{"h -oo m:0:64:*2 tcp_lat", "never end"},
		{"h -oo m:9:8:1 tcp_lat", "no test would run"},
		{"h -oo m:1:2:3:4 tcp_lat", "expected Var:Init:Last:Incr"},
		{"h -oo m:0:2:1 tcp_lat", "out of range"},
		{"h --sizes= tcp_lat", "missing argument"},
		{"h --sizes 4K,8K tcp_lat", "--sizes: bad size: '4K,8K'"},
		{"h --sizes=1:2:3:4 tcp_lat", "--sizes: expected First:Last:Step, such as 1:64K:*2"},
		{"h --sizes 9:8:1 tcp_lat", "--sizes: --msg_size: the first value is above the last"},
		{"h --repeat 0 tcp_lat", "out of range"},
		{"h --repeat 2 --until 5 tcp_lat", "--repeat sets the number of runs, --until the precision"},
		{"h --until 50.1 tcp_lat", "out of range; allowed: 0 to 50"},
		{"h --until x tcp_lat", "not a number"},
		{"h --max_repeats 20 tcp_lat", "are limits of --until"},
		{"h --max_time 20 tcp_lat", "are limits of --until"},
		{"h --steady tcp_lat", "--steady selects among several runs"},
		{"h --max_percentiles 50 tcp_lat", "is not a list of percentiles"},
		{"h --output_format xml tcp_lat",
		 "'xml' is not a valid value; allowed: text, json, csv, jsonl or openmetrics"},
		{"h --report_interval 0 tcp_lat", "out of range; allowed: 0.1 to "},
		{"--out_json_file -", "is not a file: --output_format=json writes to standard output"},
		{"--allow 192.0.2.0/33", "'192.0.2.0/33' is not an address or network"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(read_line(cases[i].line, &plan, &seen, reason), -EINVAL);
		if (!strstr(reason, cases[i].word))
			fail_msg("%s: \"%s\" is not in \"%s\"", cases[i].line, cases[i].word, reason);
		assert_null(strchr(reason, '\n'));
		assert_int_equal(seen.count, 0);
	}
}

TEST(loops_nest)
{
	static const uint64_t sizes[] = {1, 1, 4, 4, 16, 16}, times[] = {1, 2, 1, 2, 1, 2};

	assert_int_equal(read_line("h -oo m:1:64:*4 -oo t:1:2:1 tcp_lat", &plan, &seen, reason), 0);
	assert_int_equal(seen.count, 8);
	for (unsigned i = 0; i < 6; i++) {
		assert_int_equal(seen.runs[i].params.remote.number[PARAM_MSG_SIZE], sizes[i]);
		assert_int_equal(seen.runs[i].params.local.number[PARAM_TIME], times[i] * NS_PER_S);
	}
	/* Of the later test, too; an empty variable is the size, an empty Init 1 or 0. */
	assert_int_equal(read_line("h -oo :1K:3K:1K tcp_lat tcp_bw", &plan, &seen, reason), 0);
	assert_int_equal(seen.count, 6);
	assert_int_equal(seen.runs[5].params.local.number[PARAM_MSG_SIZE], 3 * KIB);
	assert_int_equal(read_line("h -oo msg_size::8:*2 tcp_lat", &plan, &seen, reason), 0);
	assert_int_equal(seen.count, 4);
	/* What is missing is what is there. */
	assert_int_equal(read_line("h -oo msg_size:1:64K tcp_lat", &plan, &seen, reason), 0);
	assert_int_equal(seen.count, 1);
	assert_int_equal(read_line("h -oo e:0:2:1 tcp_lat", &plan, &seen, reason), 0);
	assert_int_equal(seen.runs[2].params.style.precision, 2);
	/* The option of the other programs. */
	assert_int_equal(read_line("h --sizes=4K:1M:*4 tcp_lat", &plan, &seen, reason), 0);
	assert_int_equal(seen.count, 5);
	assert_int_equal(seen.runs[4].params.local.number[PARAM_MSG_SIZE], 1024 * KIB);
}

/* --- the request of a client whose options have other limits --- */

TEST(numbers_of_a_peer_are_limited)
{
	static const struct {
		enum parameter parameter;
		uint64_t number; /* the first that is refused */
		const char *words;
	} cases[] = {
		{PARAM_AFFINITY, 8193, "rc_bw: cpu_affinity must be at most 8191, not 8192"},
		{PARAM_ALT_PORT, 256, "rc_bw: alt_port must be at most 255, not 256"},
		{PARAM_MSG_SIZE, (1ULL << 31) + 1, "message size of 2147483649 bytes: must be 1 to 2147483648"},
		{PARAM_MTU_SIZE, 4097, "rc_bw: mtu_size must be at most 4096, not 4097"},
		{PARAM_NO_MSGS, (1ULL << 53) + 1, "no_msgs must be at most 9007199254740992, not 9007199254740993"},
		{PARAM_PORT, 65536, "rc_bw: ip_port must be at most 65535, not 65536"},
		{PARAM_RD_ATOMIC, 256, "rc_bw: rd_atomic must be at most 255, not 256"},
		{PARAM_SERVICE_LEVEL, 16, "rc_bw: service_level must be at most 15, not 16"},
		{PARAM_SOCK_BUF_SIZE, 1ULL << 31, "sock_buf_size must be at most 2147483647, not 2147483648"},
		{PARAM_SRC_PATH_BITS, 128, "rc_bw: src_path_bits must be at most 127, not 128"},
	};
	const struct test_row *test = test_find("rc_bw");
	struct qperf_side side = {.number[PARAM_MSG_SIZE] = 1};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const uint64_t before = side.number[cases[i].parameter];

		side.number[cases[i].parameter] = cases[i].number - 1;
		assert_int_equal(qperf_check(test, &side, reason, sizeof(reason)), 0);
		side.number[cases[i].parameter]++;
		assert_int_equal(qperf_check(test, &side, reason, sizeof(reason)), -EINVAL);
		assert_non_null(strstr(reason, cases[i].words));
		side.number[cases[i].parameter] = before;
	}
}

TEST(a_static_rate_of_a_peer_exists)
{
	static const char *const rates[] = {"", "max", "8xQDR", "2.5", "120"}, *const others[] = {"7", "1xEDR", "nan",
												  "-"};
	struct qperf_side side = {.number[PARAM_MSG_SIZE] = 1};

	for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
		strcpy(side.static_rate, rates[i]);
		assert_int_equal(qperf_check(test_find("rc_bw"), &side, reason, sizeof(reason)), 0);
	}
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		strcpy(side.static_rate, others[i]);
		assert_int_equal(qperf_check(test_find("rc_bw"), &side, reason, sizeof(reason)), -EINVAL);
		assert_string_equal(reason, "rc_bw can't have a static rate that does not exist");
	}
	assert_int_equal(qperf_check(test_find("tcp_bw"), &side, reason, sizeof(reason)), 0);
}

TEST(each_parameter_has_an_option)
{
	for (enum parameter p = 0; p < NUM_PARAMETERS; p++)
		assert_int_equal(option_own(option_of(p))->parameter, p);
}

/* --- besides --- */

TEST(networks_are_matched)
{
	struct allow allow;
	struct sockaddr_storage address;
	char text[128];

	assert_int_equal(allow_parse("", &allow, text, sizeof(text)), 0);
	memset(&address, 0, sizeof(address));
	address.ss_family = AF_INET;
	assert_true(allow_has(&allow, &address));
	assert_int_equal(allow_parse("127.0.0.0/9,2001:db8::/33", &allow, text, sizeof(text)), 0);
	memcpy((char *)&address + 4, "\x7f\x7f\x01\x02", 4); /* sin_addr */
	assert_true(allow_has(&allow, &address));
	memcpy((char *)&address + 4, "\x7f\x80\x01\x02", 4);
	assert_false(allow_has(&allow, &address));
	memset(&address, 0, sizeof(address));
	address.ss_family = AF_INET6;
	memcpy((char *)&address + 8, "\x20\x01\x0d\xb8\x7f", 5); /* sin6_addr */
	assert_true(allow_has(&allow, &address));
	memcpy((char *)&address + 8, "\x20\x01\x0d\xb8\x80", 5);
	assert_false(allow_has(&allow, &address));
	memcpy((char *)&address + 8, "\0\0\0\0\0\0\0\0\0\0\xff\xff\x7f\x01\x01\x01", 16);
	assert_true(allow_has(&allow, &address));
	assert_int_equal(allow_parse("127.0.0.1/33", &allow, text, sizeof(text)), -EINVAL);
	assert_int_equal(allow_parse("::/129", &allow, text, sizeof(text)), -EINVAL);
	assert_int_equal(allow_parse("localhost", &allow, text, sizeof(text)), -EINVAL);
	assert_int_equal(allow_parse(",", &allow, text, sizeof(text)), -EINVAL);
}

TEST(cpus_are_described)
{
	char text[CONF_TEXT_SIZE];

	conf_cpu("processor\t: 0\nmodel name\t: AMD EPYC\ncpu MHz\t\t: 2595.124\n\nprocessor\t: 1\nmodel name\t: AMD "
		 "EPYC\n"
		 "cpu MHz\t\t: 2600.0\n",
		 text);
	assert_string_equal(text, "2 Cores: AMD EPYC 2.6GHz");
	conf_cpu("processor: 0\nmodel name: Intel(R) Xeon(R) CPU E5-2690 v3 @ 2.60GHz\ncpu MHz: 1200.0\n", text);
	assert_string_equal(text, "Intel Xeon E5-2690 v3 @ 2.60GHz");
	conf_cpu("processor\t: 0\nmodel name\t: A\nprocessor\t: 1\nmodel name\t: B\n", text);
	assert_string_equal(text, "2 Cores: Mixed CPUs");
	conf_cpu("processor\t: 0\nBogoMIPS\t: 50.00\n", text);
	assert_string_equal(text, "unknown CPU");
}

TEST_MAIN(NULL, NULL)
