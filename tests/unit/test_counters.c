// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Are the port's counters read where the kernel shows them, and reported as their increase during a row? */
#include "report/counters.h"

#include <unistd.h>

#include "cmocka_all.h"
#include "fake_ports.h"

static char root[64];
static struct counters counters;

/* A command on a file or folder of the port's folder; "" is the folder itself. */
static void run_command(const char *command, const char *name)
{
	char line[256];

	snprintf(line, sizeof(line), "%s %s/class/infiniband/mlx5_0/ports/2/%s", command, root, name);
	assert_int_equal(system(line), 0);
}

static int setup(void **state)
{
	strcpy(root, "/tmp/test_counters.XXXXXX");
	assert_non_null(mkdtemp(root));
	run_command("mkdir -p", "counters");
	run_command("mkdir -p", "hw_counters");
	return 0;
}

static int teardown(void **state)
{
	char command[128];

	counters_close(&counters);
	snprintf(command, sizeof(command), "rm -r %s", root);
	return system(command);
}

static void write_counter(const char *name, const char *text)
{
	char path[256];
	FILE *file;

	snprintf(path, sizeof(path), "%s/class/infiniband/mlx5_0/ports/2/%s", root, name);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

TEST(test_deltas, setup, teardown)
{
	write_counter("counters/port_xmit_data", "1000\n");
	write_counter("hw_counters/out_of_buffer", "18446744073709551615\n");
	assert_int_equal(
		counters_open(&counters, "counters/port_xmit_data,hw_counters/out_of_buffer", root, "mlx5_0", 2), 0);
	assert_int_equal(counters.count, 2);
	assert_string_equal(counters.list[0].name, "counters/port_xmit_data");
	assert_string_equal(counters.list[1].name, "hw_counters/out_of_buffer");

	write_counter("counters/port_xmit_data", "1010\n");
	write_counter("hw_counters/out_of_buffer", "4\n"); /* wrapped: 5 more */
	assert_int_equal(counters_sample(&counters, true /* interval */), 0);
	assert_int_equal(counters.list[0].delta, 10);
	assert_int_equal(counters.list[1].delta, 5);

	write_counter("counters/port_xmit_data", "1015\n");
	assert_int_equal(counters_sample(&counters, true /* interval */), 0);
	assert_int_equal(counters.list[0].delta, 5);
	assert_int_equal(counters.list[1].delta, 0);

	/* The result of a run counts its intervals too. */
	write_counter("counters/port_xmit_data", "1016\n");
	assert_int_equal(counters_sample(&counters, false /* interval */), 0);
	assert_int_equal(counters.list[0].delta, 16);

	/* Somebody reset it: below zero says so. */
	write_counter("counters/port_xmit_data", "0\n");
	assert_int_equal(counters_sample(&counters, false /* interval */), 0);
	assert_int_equal(counters.list[0].delta, -1016);
}

TEST(test_missing, setup, teardown)
{
	write_counter("counters/port_xmit_data", "1\n");
	assert_int_equal(counters_open(&counters, "counters/port_xmit_data,counters/none", root, "mlx5_0", 2), -ENOENT);
	assert_int_equal(counters.count, 0);
	assert_int_equal(counters_open(&counters, "counters/port_xmit_data", root, "mlx5_0", 1), -ENOENT);
	assert_int_equal(counters_open(&counters, "counters/port_xmit_data", root, "mlx5_1", 2), -ENOENT);
	assert_int_equal(counters_open(&counters, ",", root, "mlx5_0", 2), -EINVAL);
}

/* What was printed to stderr meanwhile. */
static void expect_words(int err, const char *names, const char *words)
{
	char text[2048] = "";
	FILE *file = tmpfile();
	int saved = dup(STDERR_FILENO);
	size_t length;

	assert_non_null(file);
	fflush(stderr);
	dup2(fileno(file), STDERR_FILENO);
	assert_int_equal(counters_open(&counters, names, root, "mlx5_0", 2), err);
	fflush(stderr);
	dup2(saved, STDERR_FILENO);
	close(saved);
	rewind(file);
	length = fread(text, 1, sizeof(text) - 1, file);
	text[length] = '\0';
	fclose(file);
	if (!strstr(text, words))
		fail_msg("\"%s\" does not mention \"%s\"", text, words);
	assert_ptr_equal(strchr(text, '\n'), text + length - 1);
}

TEST(test_names_those_there_are, setup, teardown)
{
	write_counter("counters/port_xmit_data", "1\n");
	write_counter("hw_counters/ack_deferred", "1\n");
	write_counter("hw_counters/sent_pkts", "1\n");
	expect_words(-ENOENT, "hw_counters/sent_packets",
		     "counter hw_counters/sent_packets: the device has no counter of that name; take all, a pattern, "
		     "or one of "
		     "hw_counters/ack_deferred hw_counters/sent_pkts\n");
	expect_words(-ENOENT, "sent",
		     "or one of counters/port_xmit_data hw_counters/ack_deferred hw_counters/sent_pkts\n");
	run_command("rm -r", "counters");
	run_command("rm -r", "hw_counters");
	expect_words(-ENOENT, "counters/a", "nor of a network interface");
	assert_int_equal(counters_open(&counters, "all", root, "mlx5_0", 2), 0);
	assert_int_equal(counters.count, 0);
	counters_close(&counters);
}

TEST(test_all, setup, teardown)
{
	write_counter("counters/port_xmit_data", "1000\n");
	write_counter("counters/symbol_error", "N/A (no PMA)\n");
	write_counter("hw_counters/sent_pkts", "7\n");
	write_counter("hw_counters/lifespan", "10\n"); /* a setting */
	assert_int_equal(counters_open(&counters, "all", root, "mlx5_0", 2), 0);
	assert_int_equal(counters.count, 2);
	assert_string_equal(counters.list[0].name, "counters/port_xmit_data");
	assert_string_equal(counters.list[1].name, "hw_counters/sent_pkts");
	write_counter("hw_counters/sent_pkts", "9\n");
	assert_int_equal(counters_sample(&counters, false /* interval */), 0);
	assert_int_equal(counters.list[0].delta, 0);
	assert_false(counter_is_shown(&counters.list[0]));
	assert_int_equal(counters.list[1].delta, 2);
	assert_true(counter_is_shown(&counters.list[1]));
}

static void opened_are(const char *names, const char *found)
{
	char text[256] = "";

	counters_close(&counters);
	assert_int_equal(counters_open(&counters, names, root, "mlx5_0", 2), 0);
	for (size_t i = 0; i < counters.count; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s ", counters.list[i].name);
	assert_string_equal(text, found);
}

/* By name with and without the folder, by pattern; each once, and what was named is shown where it did not move. */
TEST(test_patterns, setup, teardown)
{
	write_counter("counters/port_rcv_errors", "1\n");
	write_counter("counters/port_xmit_data", "1\n");
	write_counter("hw_counters/rx_errors", "1\n");
	write_counter("hw_counters/sent_pkts", "1\n");
	opened_are("sent_pkts", "hw_counters/sent_pkts ");
	opened_are("*err*", "counters/port_rcv_errors hw_counters/rx_errors ");
	opened_are("hw_counters/*", "hw_counters/rx_errors hw_counters/sent_pkts ");
	opened_are("*/[pr]*_errors", "counters/port_rcv_errors hw_counters/rx_errors ");
	opened_are("rx_errors,hw_counters/*", "hw_counters/rx_errors hw_counters/sent_pkts ");
	assert_int_equal(counters_sample(&counters, false /* interval */), 0);
	assert_true(counter_is_shown(&counters.list[0]));
	assert_false(counter_is_shown(&counters.list[1]));
	counters_close(&counters);
	assert_int_equal(counters_open(&counters, "*nothing*", root, "mlx5_0", 2), -ENOENT);
}

/* From the upper half of 32 bits to the lower it wrapped; anywhere else it was reset. */
TEST(test_32_bits, setup, teardown)
{
	write_counter("counters/a", "4294967290\n");
	write_counter("counters/b", "3000000000\n");
	write_counter("counters/c", "2147483647\n");
	write_counter("counters/d", "4294967296\n");
	opened_are("counters/*", "counters/a counters/b counters/c counters/d ");
	for (const char *name = "abcd"; *name; name++)
		write_counter((char[]){'c', 'o', 'u', 'n', 't', 'e', 'r', 's', '/', *name, 0}, "5\n");
	assert_int_equal(counters_sample(&counters, false /* interval */), 0);
	assert_int_equal(counters.list[0].delta, 11);
	assert_int_equal(counters.list[1].delta, 1294967301);
	assert_int_equal(counters.list[2].delta, -2147483642);
	assert_int_equal(counters.list[3].delta, -4294967291);
}

/* What each interval has seen wrap is in the result, though it stands in the same half again. */
TEST(test_32_bits_in_intervals, setup, teardown)
{
	static const char *const values[] = {"5\n", "3000000005\n", "7\n"};
	static const int64_t deltas[] = {1294967301, 3000000000, 1294967298};

	write_counter("counters/a", "3000000000\n");
	opened_are("counters/*", "counters/a ");
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		write_counter("counters/a", values[i]);
		assert_int_equal(counters_sample(&counters, true /* interval */), 0);
		assert_int_equal(counters.list[0].delta, deltas[i]);
	}
	write_counter("counters/a", "8\n");
	assert_int_equal(counters_sample(&counters, false /* interval */), 0);
	assert_int_equal(counters.list[0].delta, INT64_C(2) * 4294967296 - 3000000000 + 8);
	assert_int_equal(counters_sample(&counters, false /* interval */), 0);
	assert_int_equal(counters.list[0].delta, 0);
}

/* lo's driver counts nothing; that is no fault where nothing of it is asked for. */
TEST(test_interface, setup, teardown)
{
	run_command("mkdir -p", "gid_attrs/ndevs");
	write_counter("gid_attrs/ndevs/0", "lo\n");
	write_counter("counters/a", "1\n");
	opened_are("all", "counters/a ");
	counters_close(&counters);
	expect_words(-ENOENT, "ethtool/rx_discards",
		     "counter ethtool/rx_discards: the device has no counter of that name");
}

/* A bond's driver counts nothing: its ports do, also those of a VLAN of it. */
TEST(test_bond, setup, teardown)
{
	run_command("mkdir -p", "gid_attrs/ndevs");
	write_counter("gid_attrs/ndevs/0", "bond0.7\n");
	assert_int_equal(setenv("ROOT", root, 1), 0);
	assert_int_equal(system("cd $ROOT/class && mkdir -p net/bond0.7/lower_bond0 net/bond0/lower_port0 "
				"net/bond0/lower_port1 net/bond0/lower_port2 net/bond0/lower_dummy"),
			 0);
	pause_frames = 100;
	opened_are("all", "ethtool/rx_prio3_pause ");
	pause_frames = 107;
	assert_int_equal(counters_sample(&counters, true /* interval */), 0);
	assert_int_equal(counters.list[0].delta, 21);
	counters_close(&counters);

	/* That the second lacks it takes nothing from the third. */
	names_asked = 0;
	strange_port = 2;
	opened_are("all", "ethtool/rx_prio3_pause ");
	strange_port = 0;
	pause_frames = 110;
	assert_int_equal(counters_sample(&counters, true /* interval */), 0);
	assert_int_equal(counters.list[0].delta, 6);
}

TEST(test_vanished, setup, teardown)
{
	write_counter("counters/a", "1\n");
	assert_int_equal(counters_open(&counters, "counters/a", root, "mlx5_0", 2), 0);
	run_command("rm", "counters/a");
	assert_int_equal(counters_sample(&counters, false /* interval */), -ENOENT);
}

TEST(test_no_number, setup, teardown)
{
	static const char *const texts[] = {"", "\n", "N/A (no PMA)\n", "12 13\n", "-1\n", "18446744073709551616\n"};
	size_t i;

	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		write_counter("counters/a", texts[i]);
		assert_true(counters_open(&counters, "counters/a", root, "mlx5_0", 2) < 0);
	}
}

TEST(test_two_ports_are_one, setup, teardown)
{
	struct counters second;

	write_counter("counters/port_xmit_data", "1000\n");
	assert_int_equal(counters_open(&counters, "port_xmit_data", root, "mlx5_0", 2), 0);
	/* the other device's port: it has one more that matches */
	assert_int_equal(setenv("ROOT", root, 1), 0);
	assert_int_equal(system("cd $ROOT/class/infiniband && cp -r mlx5_0 mlx5_1"), 0);
	assert_int_equal(system("echo 5 >$ROOT/class/infiniband/mlx5_1/ports/2/counters/port_xmit_wait"), 0);
	assert_int_equal(counters_open(&second, "port_xmit_*", root, "mlx5_1", 2), 0);
	assert_int_equal(counters_join(&counters, &second), 0);
	assert_int_equal(counters.count, 2);
	write_counter("counters/port_xmit_data", "1010\n");
	assert_int_equal(system("echo 1200 >$ROOT/class/infiniband/mlx5_1/ports/2/counters/port_xmit_data"), 0);
	assert_int_equal(system("echo 8 >$ROOT/class/infiniband/mlx5_1/ports/2/counters/port_xmit_wait"), 0);
	assert_int_equal(counters_sample(&counters, false /* interval */), 0);
	assert_string_equal(counters.list[0].name, "counters/port_xmit_data");
	assert_int_equal(counters.list[0].delta, 210);
	assert_string_equal(counters.list[1].name, "counters/port_xmit_wait");
	assert_int_equal(counters.list[1].delta, 3);
}

TEST_MAIN(NULL, NULL)
