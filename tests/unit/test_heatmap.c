// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The table of `perftest matrix`: what its cells show, when they have colours, and what is said of a single host. */
#include "config.h"

#include "cmocka_all.h"
#include "front/matrix/result.h"
#include "terminal.h"

#define ADAPTERS 4
#define END	 '\1'
#define RED	 "\033[31m"
#define YELLOW	 "\033[33m"

static const struct figure_kind bandwidth = {
	.key = "bandwidth_average_bytes_per_second", .to_si = 1, .to_shown = 8e-9, .unit = "Gb/s"};

/* Of all pairs as fast as the others but for one with 20 times, 70 % and 20 %, which are a terminal's. */
static const char *table(const char *launcher, unsigned hosts, struct terminal *terminal)
{
	static char *names[ADAPTERS] = {"soft0", "soft1", "soft2", "soft3"}, *none[1];
	struct matrix_params params = {.min_share = 93, .launcher = launcher, .program.name = "ib_write_bw"};
	struct dispatch ended = {.type = MESSAGE_RESULT};
	struct result result;
	FILE *out = fdopen(dup(terminal->slave), "w");

	assert_non_null(out);
	params.pairing = pairings;
	params.field = hosts == 1 ? PAIRING_LOCAL : PAIRING_HOSTS;
	params.adapters = hosts == 1 ? (struct matrix_adapters){names, ADAPTERS} : (struct matrix_adapters){none, 1};
	assert_int_equal(result_open(&result, &params, hosts), 0);
	for (unsigned i = 0; i < hosts; i++)
		snprintf(result.hosts[i].name, sizeof(result.hosts[i].name), "n%u", i);
	result.figure = &bandwidth;
	for (unsigned client = 0; client < ADAPTERS; client++) {
		for (unsigned server = 0; server < ADAPTERS; server++) {
			ended.value = 1e9;
			if (client == 0 && server == 1)
				ended.value = 20e9;
			else if (client == 1 && server == 2)
				ended.value = 0.7e9;
			else if (client == 2 && server == 3)
				ended.value = 0.2e9;
			if (client != server)
				result_set(result_cell(&result, client, server), &ended);
		}
	}
	result.rounds = 1;
	assert_int_equal(result_judge(&result), 0);
	heatmap_print(&result, out);
	fputc(END, out);
	assert_int_equal(fclose(out), 0);
	result_close(&result);
	return terminal_read_to(terminal, END);
}

TEST(a_pair_is_ten_times_as_fast_at_most)
{
	struct terminal terminal = terminal_open();
	const char *text = table("Slurm", ADAPTERS, &terminal);

	assert_non_null(text);
	assert_non_null(strstr(text, "0 n0          . 1k+ 100 100\n"));
	assert_non_null(strstr(text, "1 n1        100   .  70 100\n"));
	assert_non_null(strstr(text, "2 n2        100 100   .  20\n"));
	terminal_close(&terminal);
}

/* A launcher's terminal is none of a person's: mpirun gives one to rank 0, wherever its own output goes. */
TEST(colours_are_for_a_person)
{
	struct terminal terminal = terminal_open();
	const char *text;

	unsetenv("NO_COLOR");
	text = table(NULL, ADAPTERS, &terminal);
	assert_non_null(text);
	assert_non_null(strstr(text, " " YELLOW " 70\033[0m"));
	assert_non_null(strstr(text, " " RED " 20\033[0m"));
	assert_non_null(strstr(text, " 1k+ 100"));
	text = table("Open MPI", ADAPTERS, &terminal);
	assert_non_null(text);
	assert_null(strchr(text, '\033'));
	setenv("NO_COLOR", "1", true /* overwrite */);
	text = table(NULL, ADAPTERS, &terminal);
	assert_non_null(text);
	assert_null(strchr(text, '\033'));
	unsetenv("NO_COLOR");
	terminal_close(&terminal);
}

TEST(one_host_is_one)
{
	struct terminal terminal = terminal_open();
	const char *text = table(NULL, 1, &terminal);

	assert_non_null(text);
	assert_non_null(strstr(text, " perftest matrix ib_write_bw: 1 host, 1 round of "));
	assert_non_null(strstr(text, " n0:soft3 "));
	terminal_close(&terminal);
}

/* A terminal's page, of 80 columns. */
TEST(a_thousand_rows_are_a_page)
{
	struct terminal terminal = terminal_open();
	const char *text = table("Slurm", 1000, &terminal);
	unsigned lines = 0;

	assert_non_null(text);
	assert_non_null(strstr(text, "A cell is the slowest pair of 63 rows with 63 columns; "));
	assert_non_null(strstr(text, "   0 n0         20   -"));
	assert_non_null(strstr(text, " 945 n945        -   -"));
	for (const char *line = text; *line; line += strspn(line, "\r\n"), lines++) {
		assert_in_range(strcspn(line, "\r\n"), 1, 80);
		line += strcspn(line, "\r\n");
	}
	assert_in_range(lines, 18, 30);
	terminal_close(&terminal);
}

/* What a firewall and a missing program do to the pairs of a host is said once of each. */
TEST(what_failed_is_said_of_hosts)
{
	static char *none[1];
	struct matrix_params params = {.adapters = {none, 1}};
	struct dispatch ended = {.type = MESSAGE_RESULT, .value = 1};
	struct result result;
	char *text = NULL, reason[64];
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	assert_int_equal(result_open(&result, &params, 32), 0);
	for (unsigned i = 0; i < 32; i++) {
		snprintf(result.hosts[i].name, sizeof(result.hosts[i].name), "n%02u", i);
		for (unsigned j = 0; j < 32; j++) {
			snprintf(reason, sizeof(reason), "client n%02u: no way to n%02u", i, j);
			if (i == j)
				continue;
			if (i == 17 || j == 17 || j == 20 || (i == 3 && j == 4))
				result_fail(result_cell(&result, i, j), reason);
			else if (i != 30)
				result_set(result_cell(&result, i, j), &ended);
		}
	}
	snprintf(result.hosts[30].lost, sizeof(result.hosts[30].lost), "died");
	failures_print(&result, out);
	fclose(out);
	assert_string_equal(
		text,
		" lost: n30 died\n"
		" failed: all 60 pairs of n17; n17 with n00 as its server: client n17: no way to n00\n"
		" failed: all 30 pairs of n20 as a server; n00 with n20 as its server: client n00: no way to n20\n"
		" failed: n03 with n04 as its server: client n03: no way to n04\n");
	free(text);
	result_close(&result);
}

TEST_MAIN(NULL, NULL)
