// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * perftest(7): the programs, and what they have in common. Programs, options, exit statuses and environment come from
 * the tables; only what is in no table is written here.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <stdio.h>
#include <string.h>

#include "gendocs/gen_docs.h"
#include "params/masks.h"
#include "params/options.h"

struct entry {
	const char *name;
	const char *section; /* of the manual page; NULL: no page */
	const char *text;
};

/* Scripts and the kernel module are not in a table. */
static const struct entry others[] = {
	{"perftest", "1", "one command for all programs: run, serve, matrix, compare, gate, verify, report and more"},
	{"run_perftest_loopback", "1", "run both sides of a test on this host, each on its own core"},
	{"run_perftest_multi_devices", "1", "run a test on several devices at once and add up the bandwidths"},
	{"run_soft", "1", "run any RDMA program with the software devices soft0 and soft1"},
	{"krping_run", "8", "RDMA ping-pong between kernels, with the module rdma_krping"},
};

static const struct entry files[] = {
	{"perftest_out.json", NULL,
	 "The JSON document of --out_json, in the current folder, unless --out_json_file names another file."},
	{"libperftest_soft.so", NULL,
	 "The software device, in the subfolder perftest of the system's library folder. The programs load it "
	 "automatically if there is no RDMA device."},
	{"$XDG_RUNTIME_DIR/perftest-soft, or /tmp/perftest-soft-UID", NULL,
	 "Runtime folder of the software device, shared by the processes of one user."},
	{"/usr/share/doc/perftest", NULL,
	 "The documentation: README.md, where to begin, output.md (what is printed) and schema.json (the JSON "
	 "document), doctor.md, soft.md, validation.md, wire.md, cmtime.md, cxi.md, krping.md, qperf.md, security.md, "
	 "glossary.md, perftest-compat.md (each option of linux-rdma perftest and its counterpart here), and NEWS, "
	 "which lists the differences from it."},
};

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static const char *const description[] = {
	"A suite of programs that measure the bandwidth and latency of RDMA between two hosts, or on one: of SEND, "
	"RDMA WRITE, RDMA READ and atomics, and of the steps of connection setup. They replace linux-rdma perftest: "
	"names, options, defaults and the columns of the tables are the same, and they interoperate with its programs "
	"on other hosts.",
	"A test has two sides. The server is started without a host and waits; the client is started with the server's "
	"name, and sends its options to the server. If a host has no RDMA device, the programs use a software device "
	"that comes with them, for both sides on one host.",
};

static void print_entries(const struct entry *entries, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		printf(".TP\n%s ", entries[i].section ? ".BR" : ".B");
		roff_text(entries[i].name, "");
		if (entries[i].section)
			printf(" (%s)", entries[i].section);
		putchar('\n');
		roff_prose(entries[i].text, "");
	}
}

static void print_programs(const struct page *pages, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		printf(".TP\n.BR %s (1)\n", pages[i].cli.name);
		roff_around("", pages[i].cli.purpose, "", "\n");
	}
	print_entries(others, COUNT_OF(others));
}

/* Options of all ib_* programs except raw Ethernet's burst program. */
static void overview_print_options(void)
{
	const unsigned most = MOVES & ~BURST;

	for (unsigned i = 0; i < params_options.num_rows; i++) {
		const struct opt_row *row = &params_options.rows[i];

		if ((row->programs & most) == most)
			roff_option(row);
	}
}

/* The labelled paragraphs of all programs, and of some of them. Those of one label follow each other. */
static void overview_print_section(enum manual_section section)
{
	const char *label = "";

	for (size_t i = 0; i < manual_count; i++) {
		if (manual[i].section != section || !manual[i].label)
			continue;
		if (strcmp(manual[i].label, label) == 0)
			printf(".IP\n");
		else
			roff_around(".TP\n.B ", manual[i].label, "", "\n");
		label = manual[i].label;
		roff_prose(manual[i].text, "a program");
	}
}

void gen_overview(const struct page *pages, size_t count)
{
	printf(".\\\" SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause\n");
	printf(".\\\" Written by gen_docs from the tables: edit src/params/ and run \"make generate\".\n");
	printf(".TH PERFTEST 7 \"\" \"perftest %s\" \"Miscellanea\"\n", PACKAGE_VERSION);
	printf(".SH NAME\nperftest \\- RDMA performance tests\n.SH DESCRIPTION\n");
	for (size_t i = 0; i < COUNT_OF(description); i++) {
		if (i)
			printf(".PP\n");
		roff_prose(description[i], "");
	}
	printf(".SH PROGRAMS\n");
	print_programs(pages, count);
	printf(".SH COMMON OPTIONS\n");
	roff_prose("These options are common to the ib_* programs; the manual page of each program describes the "
		   "others, with ranges and defaults.",
		   "");
	overview_print_options();
	printf(".SH EXIT STATUS\n");
	roff_prose("The codes are the same in all programs of the suite; each program uses those that apply to it.",
		   "");
	overview_print_section(MANUAL_EXIT_STATUS);
	printf(".SH FILES\n");
	print_entries(files, COUNT_OF(files));
	printf(".SH ENVIRONMENT\n");
	overview_print_section(MANUAL_ENVIRONMENT);
	printf(".SH SEE ALSO\n.BR ib_write_bw (1),\n.BR ibv_devinfo (1),\n.BR rdma (8)\n");
}
