// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Does a server adopt its client's options, are contradictions reported, and is text from the network that none of our
 * clients wrote refused as a whole?
 */
#include "command_line.h"
#include "params/options.h"
#include "random_numbers.h"

#define ROUNDS 100 /* random command lines for each program */

static char reason[512];

/* --- random settings of every row --- */

static const char *random_string(const struct opt_row *row)
{
	static const struct {
		const char *name;
		const char *values[3];
	} strings[] = {
		{"bind_source_ip", {"10.0.0.1", "fe80::1%eth0", "::1"}},
		{"ib-dev", {"mlx5_0", "soft1", "a b=c"}},
		{"use_ib_dm_dmabuf", {"mlx5_0", "soft1", "rxe_0"}},
		{"use_cuda_bus_id", {"0000:3b:00.0", "3b:00", "0:3b:00"}},
		{"use_musa_bus_id", {"0000:3b:00.0", "3b:00", "0:3b:00"}},
		{"use_hl", {"0000:3b:00.0", "3b:00", "0:3b:00"}},
		{"payload_file_path", {"/tmp/x", "--odd", "=,"}},
		{"mmap", {"/dev/dax0.0", "a b", "="}},
		{"pin_cores", {"0", "0,2-3", "8191"}},
		{"report-counters", {"counters/port_xmit_data", "a,b/c", "hw_counters/out_of_buffer"}},
		{"out_json_file", {"x.json", "./-", "a b"}},
		{"source_mac", {"02:00:00:00:00:0a", "ff:ff:ff:ff:ff:ff", "00:00:00:00:00:00"}},
		{"dest_mac", {"02:00:00:00:00:0a", "ff:ff:ff:ff:ff:ff", "00:00:00:00:00:00"}},
		{"dest_ip", {"10.0.0.1", "::1", "fe80::1"}},
		{"source_ip", {"10.0.0.1", "::1", "fe80::1"}},
		{"local_ip", {"10.0.0.1", "::1", "fe80::1"}},
		{"remote_ip", {"10.0.0.1", "::1", "fe80::1"}},
		{"MGID", {"ff0e::1:2", "239.1.1.2", "255:14:0:0:0:0:0:0:0:0:0:0:0:1:0:2"}},
		{"kek_path", {"/etc/kek", "kek", "x"}},
		{"credentials_path", {"/etc/credential", "c", "x"}},
		{"data_enc_key_app_path", {"/usr/bin/make_key", "m", "x"}},
		{"flow_label", {"0", "1,2,3", "0xfffff"}},
		{"max_percentiles", {"50:2.5", "50:2.5,99.9:10", "100:1e6"}},
		{"rate", {"off", "10000", "10%..90%:20%"}},
		{"sizes", {"off", "4K:1M:*4", "1:1000:333"}},
		{"label", {"a=b", "rack=7 = \"x\"", "_=1"}},
	};

	for (size_t i = 0; i < sizeof(strings) / sizeof(strings[0]); i++)
		if (strcmp(strings[i].name, row->long_name) == 0)
			return strings[i].values[random_below(3)];
	fail_msg("no values for --%s", row->long_name);
	return NULL;
}

static double random_number(const struct opt_row *row)
{
	const double share = random_uniform();

	switch (random_below(4)) {
	case 0:
		return row->min;
	case 1:
		return row->max;
	default:
		return row->min + share * (row->max - row->min);
	}
}

static void random_choice(const struct opt_row *row, unsigned program, char *text, size_t size)
{
	unsigned count = 0;

	while (count < OPT_MAX_CHOICES && row->choices[count].word)
		count++;
	do {
		const struct opt_choice *choice = &row->choices[random_below(count)];

		snprintf(text, size, "%s", choice->word);
		if (!choice->programs || choice->programs & program)
			return;
	} while (true);
}

static void random_value(const struct opt_row *row, unsigned program, char *text, size_t size)
{
	if (row->special && random_below(8) == 0) {
		snprintf(text, size, "%s", row->special);
		return;
	}
	switch (row->kind) {
	case OPT_FLAG:
		snprintf(text, size, "on");
		break;
	case OPT_INTEGER:
	case OPT_SIZE:
		snprintf(text, size, "%.0f", random_number(row));
		break;
	case OPT_DOUBLE:
	case OPT_TIME:
		snprintf(text, size, "%.17g", random_number(row));
		break;
	case OPT_CHOICE:
		random_choice(row, program, text, size);
		break;
	case OPT_STRING:
		snprintf(text, size, "%s", random_string(row));
		break;
	case OPT_PERCENTS:
		snprintf(text, size, "%.17g,%.17g,50", random_number(row), random_number(row));
		break;
	}
}

/* A command line in pieces: words[0] is the program. */
struct words {
	int argc;
	char *argv[PARAMS_MAX_OPTIONS + 2];
};

static void words_add(struct words *words, const char *text)
{
	words->argv[words->argc] = strdup(text);
	assert_non_null(words->argv[words->argc]);
	words->argc++;
}

static void words_add_option(struct words *words, const struct opt_row *row, const char *value)
{
	char text[2 * OPT_TEXT_SIZE];

	if (row->kind == OPT_FLAG)
		snprintf(text, sizeof(text), "--%s", row->long_name);
	else
		snprintf(text, sizeof(text), "--%s=%s", row->long_name, value);
	words_add(words, text);
}

static void words_free(struct words *words)
{
	for (int i = 0; i < words->argc; i++)
		free(words->argv[i]);
	memset(words, 0, sizeof(*words));
}

static void words_parse(const struct program *program, struct words *words, struct params *params)
{
	params_init(params, program);
	if (params_parse_text(params, words->argc, words->argv, reason, sizeof(reason)))
		fail_msg("%s", reason);
}

/* Each option of the program is given with one chance in `rarity`. */
static void random_params(const struct program *program, unsigned rarity, struct params *params)
{
	const unsigned bit = program_bit(program);
	struct words words = {0};

	words_add(&words, program->name);
	for (unsigned i = 0; i < params_options.num_rows; i++) {
		const struct opt_row *row = &params_options.rows[i];
		char value[OPT_TEXT_SIZE];

		if (!(row->programs & bit) || random_below(rarity))
			continue;
		random_value(row, bit, value, sizeof(value));
		words_add_option(&words, row, value);
	}
	words_parse(program, &words, params);
	words_free(&words);
}

static void requests_are_equal(const struct params *a, const struct params *b, bool only_travelling)
{
	char left[OPT_TEXT_SIZE], right[OPT_TEXT_SIZE];

	for (unsigned i = 0; i < params_options.num_rows; i++) {
		const struct opt_row *row = &params_options.rows[i];

		if (!(row->programs & program_bit(a->program)) || (only_travelling && row->reach == OPT_LOCAL))
			continue;
		opt_value_write(row, a, true /* as requested */, left, sizeof(left));
		opt_value_write(row, b, true /* as requested */, right, sizeof(right));
		if (strcmp(left, right) != 0)
			fail_msg("--%s: %s became %s", row->long_name, left, right);
	}
}

TEST(params_become_a_command_line_and_back)
{
	struct params params, back;

	for (size_t p = 0; p < num_programs; p++) {
		for (unsigned round = 0; round < ROUNDS; round++) {
			struct words words = {0};

			random_params(&programs[p], 1 + round % 4, &params);
			words_add(&words, programs[p].name);
			for (unsigned i = 0; i < params_options.num_rows; i++) {
				char value[OPT_TEXT_SIZE];

				if (!params.given[i])
					continue;
				opt_value_write(&params_options.rows[i], &params, true /* as requested */, value,
						sizeof(value));
				words_add_option(&words, &params_options.rows[i], value);
			}
			words_parse(&programs[p], &words, &back);
			words_free(&words);
			requests_are_equal(&params, &back, false);
			/* assigned as a whole, with what their padding has */
			memcpy(&back.verbs.traffic, &params.verbs.traffic, sizeof(back.verbs.traffic));
			memcpy(&back.verbs.sweep, &params.verbs.sweep, sizeof(back.verbs.sweep));
			assert_memory_equal(&params, &back, sizeof(params));
		}
	}
}

static void adopt(const struct params *client, struct params *server, int expected)
{
	char *text;
	int ret;

	assert_int_equal(params_export(client, &text), 0);
	ret = params_adopt(server, text, reason, sizeof(reason));
	if (ret != expected)
		fail_msg("adopting gave %d: %s", ret, ret ? reason : "");
	free(text);
}

TEST(a_bare_server_serves_any_client)
{
	struct params client, server;

	for (size_t p = 0; p < num_programs; p++) {
		for (unsigned round = 0; round < ROUNDS; round++) {
			random_params(&programs[p], 1 + round % 4, &client);
			params_init(&server, &programs[p]);
			adopt(&client, &server, 0);
			requests_are_equal(&client, &server, true);
		}
	}
}

TEST(the_same_options_on_both_sides_agree)
{
	struct params client, server;

	for (size_t p = 0; p < num_programs; p++) {
		for (unsigned round = 0; round < ROUNDS; round++) {
			random_params(&programs[p], 1 + round % 4, &client);
			server = client;
			adopt(&client, &server, 0);
			requests_are_equal(&client, &server, false);
		}
	}
}

/* A client that has resolved asks for the same as one that has not. */
TEST(resolved_values_are_not_what_travels)
{
	struct params client, server;

	command_line_is_accepted("ib_send_bw -n 50 -t 128", &client);
	command_line_is_accepted("ib_send_bw -t 128", &server);
	assert_int_equal(client.verbs.tx_depth, 50);
	adopt(&client, &server, 0);
	assert_int_equal(params_resolve(&server, reason, sizeof(reason)), 0);
	assert_int_equal(server.verbs.tx_depth, 50);
	assert_int_equal(server.test.iters, 50);
}

/* A client without -q has told how many queue pairs it is, whatever the server's threads would make of it. */
TEST(threads_are_each_sides_own_and_queue_pairs_the_clients)
{
	struct params client, server;

	command_line_is_accepted("ib_send_bw --threads 6", &client);
	assert_int_equal(client.queues.num_qps, 6);
	command_line_is_accepted("ib_send_bw --threads 2", &server);
	assert_int_equal(server.queues.num_qps, 2);
	adopt(&client, &server, 0);
	assert_int_equal(params_resolve(&server, reason, sizeof(reason)), 0);
	assert_int_equal(server.queues.num_qps, 6);
	assert_int_equal(server.verbs.num_threads, 2);
	command_line_is_accepted("ib_send_bw", &server);
	adopt(&client, &server, 0);
	assert_int_equal(server.verbs.num_threads, 6);
}

static void contradicted(const char *client_text, const char *server_text, const char *expected)
{
	struct params client, server, before;

	command_line_is_accepted(client_text, &client);
	command_line_is_accepted(server_text, &server);
	before = server;
	adopt(&client, &server, -EEXIST);
	assert_string_equal(reason, expected);
	assert_memory_equal(&server, &before, sizeof(server));
}

#define TO_GIVE ": give both the same, or only the client"

#define ENDS " --side_channel -B 02:00:00:00:00:0b -E 02:00:00:00:00:0a "

TEST(contradictions_are_named_with_both_values)
{
	contradicted("ib_send_bw -s 4096", "ib_send_bw -s 8K",
		     "--size is 4096 on the client and 8192 on the server" TO_GIVE);
	contradicted("ib_send_bw", "ib_send_bw -s 8K", "--size is 65536 on the client and 8192 on the server" TO_GIVE);
	/* threads of a latency test are pairs of both sides */
	contradicted("ib_send_lat --threads 2", "ib_send_lat --threads 3",
		     "--threads is 2 on the client and 3 on the server" TO_GIVE);
	contradicted("ib_read_lat", "ib_read_lat --threads 3",
		     "--threads is 1 on the client and 3 on the server" TO_GIVE);
	contradicted("ib_send_bw -c UD", "ib_send_bw -c RC",
		     "--connection is UD on the client and RC on the server" TO_GIVE);
	contradicted("ib_send_bw -D 5", "ib_send_bw -D 5 -f 2",
		     "--margin is auto on the client and 2 on the server" TO_GIVE);
	contradicted("ib_send_bw", "ib_send_bw -D 5", "--duration is off on the client and 5 on the server" TO_GIVE);
	contradicted("ib_write_bw", "ib_write_bw -b",
		     "--bidirectional is given on the server but not on the client: give it to both or to neither");
	contradicted("ib_send_lat", "ib_send_lat -s 4096 -a",
		     "--all is given on the server but not on the client: give it to both or to neither");
	contradicted("ib_atomic_bw", "ib_atomic_bw -A CMP_AND_SWAP",
		     "--atomic_type is FETCH_AND_ADD on the client and CMP_AND_SWAP on the server" TO_GIVE);
	/* what has no default, and need not be given */
	contradicted("raw_ethernet_bw" ENDS "-J 10.0.0.1 host", "raw_ethernet_bw" ENDS "-J 10.0.0.3",
		     "--dest_ip is 10.0.0.1 on the client and 10.0.0.3 on the server" TO_GIVE);
	contradicted("raw_ethernet_bw" ENDS "host", "raw_ethernet_bw" ENDS "-J 10.0.0.3",
		     "--dest_ip is not given on the client and 10.0.0.3 on the server" TO_GIVE);
}

/* Which of the server's options differ, and may: it takes all values of the client. */
static void followed(const char *client_text, const char *server_text)
{
	struct params client, server;

	command_line_is_accepted(client_text, &client);
	command_line_is_accepted(server_text, &server);
	adopt(&client, &server, 0);
	assert_int_equal(params_resolve(&server, reason, sizeof(reason)), 0);
	requests_are_equal(&client, &server, true);
}

TEST(a_server_follows_where_no_figure_of_its_own_depends_on_it)
{
	/* it does not measure */
	followed("ib_write_bw -D 10", "ib_write_bw -a");
	followed("ib_write_bw", "ib_write_bw -a");
	followed("ib_read_lat -s 64 -n 100", "ib_read_lat -s 8K -D 3 -f 1");
	followed("ib_write_bw", "ib_write_bw --run_infinitely");
	/* without effect in the client's test */
	followed("ib_send_bw", "ib_send_bw -f 1");
	followed("ib_send_bw -a", "ib_send_bw -s 4K");
	followed("ib_send_lat -D 5", "ib_send_lat -n 500");
	/* before the measurement */
	followed("ib_write_bw -b", "ib_write_bw -b --perform_warm_up");
	contradicted("ib_write_bw -b -D 10", "ib_write_bw -b -a",
		     "--all is given on the server but not on the client: give it to both or to neither");
	contradicted("ib_write_bw --reversed", "ib_write_bw --reversed -n 50",
		     "--iters is 5000 on the client and 50 on the server" TO_GIVE);
	contradicted("ib_write_bw", "ib_write_bw --clients=2 -n 50",
		     "--iters is 5000 on the client and 50 on the server" TO_GIVE);
}

TEST(a_server_keeps_its_own_where_sides_may_differ)
{
	struct params client, server;

	command_line_is_accepted("ib_send_bw -t 64 -r 100 -S 3 host", &client);
	command_line_is_accepted("ib_send_bw -r 1024 -d soft1 -p 9999 -x 2", &server);
	adopt(&client, &server, 0);
	assert_int_equal(params_resolve(&server, reason, sizeof(reason)), 0);
	assert_int_equal(server.verbs.tx_depth, 64);
	assert_int_equal(server.verbs.rx_depth, 1000); /* its own 1024, lowered to the iterations */
	assert_int_equal(server.verbs.sl, 3);
	assert_string_equal(server.verbs.device_name, "soft1");
	assert_int_equal(server.channel.port, 9999);
	assert_int_equal(server.verbs.gid_index, 2);
	assert_string_equal(server.host, "");
}

static void refused(const char *text, const char *expected)
{
	struct params server, before;

	command_line_is_accepted("ib_write_bw -s 4K", &server);
	before = server;
	if (params_adopt(&server, text, reason, sizeof(reason)) != -EBADMSG)
		fail_msg("accepted: %s", text);
	assert_memory_equal(&server, &before, sizeof(server));
	assert_string_equal(reason, expected);
}

TEST(rubbish_is_refused_as_a_whole)
{
	char *endless = malloc(1 << 20);

	refused("size", "the client's parameters are malformed");
	refused("size=4096", "the client's parameters are malformed");
	refused("size\n", "the client's parameters are malformed");
	refused("\n", "the client's parameters are malformed");
	refused("=4096\n", "the client's parameters are malformed");
	refused("?\n", "the client's parameters are malformed");
	refused("iters=500\n\nqp=5\n", "the client's parameters are malformed");
	refused("size=\n", "the client's --size: the value is empty");
	refused("iters=50\nsize=2147483649\n",
		"the client's --size: '2147483649' is out of range; allowed: 0 to 2147483648, may end in K, M or G");
	refused("connection=UD\n",
		"the client's --connection: 'UD' is not a valid value; allowed: RC, UC, XRC, DC or SRD");
	refused("all=yes\n", "the client's --all: 'yes' is neither on nor off");
	refused("iters=50\niters=50\n", "the client's option '--iters' came twice");
	refused("ib-dev=mlx5_0\n", "the client's option '--ib-dev' cannot be passed on");
	refused("?out_json_file=x\n", "the client's option '--out_json_file' cannot be passed on");
	refused("latency_gap=5\n", "the client's option '--latency_gap' cannot be passed on");
	refused("\033[2J=5\n", "the client's option '--?[2J' is unknown here; update this side, or omit the option");
	assert_non_null(endless);
	memset(endless, 'x', (1 << 20) - 1);
	endless[(1 << 20) - 1] = '\0';
	refused(endless, "the client's parameters are too long");
	endless[5000] = '\n';
	endless[5001] = '\0';
	endless[4] = '=';
	refused(endless, "the client's parameters are malformed");
	free(endless);
}

TEST(every_truncation_is_harmless)
{
	struct params client, server;
	char *text;

	command_line_is_accepted("ib_send_bw -c UD -n 500 --rate_limit 0.1", &client);
	assert_int_equal(params_export(&client, &text), 0);
	for (size_t length = strlen(text); length > 0; length--) {
		text[length] = '\0';
		params_init(&server, client.program);
		assert_int_equal(params_adopt(&server, text, reason, sizeof(reason)),
				 text[length - 1] == '\n' ? 0 : -EBADMSG);
	}
	free(text);
}

/* An older server serves a newer client that asks for nothing new. */
TEST(what_a_server_does_not_know)
{
	struct params server;

	params_init(&server, program_named("ib_write_bw"));
	assert_int_equal(params_adopt(&server, "?flux_capacitor=1.21\niters=77\n", reason, sizeof(reason)), 0);
	assert_int_equal(server.test.iters, 77);
	refused("flux_capacitor=9\n",
		"the client's option '--flux_capacitor' is unknown here; update this side, or omit the option");
}

TEST(only_defaults_are_marked_as_such)
{
	struct params client;
	char *text;

	command_line_is_accepted("ib_write_bw -s 64K -n 77", &client);
	assert_int_equal(params_export(&client, &text), 0);
	assert_non_null(strstr(text, "\n?size=65536\n"));
	assert_non_null(strstr(text, "\niters=77\n"));
	assert_null(strstr(text, "\nport="));
	free(text);
}

TEST_MAIN(NULL, NULL)
