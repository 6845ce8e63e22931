// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The options of the commands of `perftest`: for them, and for the completion. */
#include "front/options.h"

#include "front/compare/comparison.h"
#include "front/matrix/matrix.h"
#include "front/report/report.h"
#include "front/verify.h"
#include "params/engine/common.h"
#include "params/engine/opt_rows.h"

#define HAS_HELP FLAG('h', "help", show_help), .help = "Print this list and exit; -h prints the examples alone"
#define HAS_RSH	 STRING(NO_LETTER, "rsh", "COMMAND", shell)
#define RSH_HELP "; the host and one word with the command are added. PERFTEST_RSH in the environment says the same"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))
#define TABLE_OF(of_rows, of_groups)                                                                                   \
	.rows = (of_rows), .num_rows = COUNT_OF(of_rows), .groups = (of_groups), .num_groups = COUNT_OF(of_groups)
#define COMMAND(called, does, of_rows, of_groups)                                                                      \
	.name = (called), .purpose = (does), .program = 1, .options = &(const struct opt_table)                        \
	{                                                                                                              \
		TABLE_OF(of_rows, of_groups)                                                                           \
	}

/* What several commands have. */
#define WITH_JSON_FILE(words)                                                                                          \
	STRING(NO_LETTER, "out_json_file", "FILE", output.json_file), .check = check_json_file, .help = (words)
#define WITH_LABEL COMMON_LABEL, STORED_IN(output.labels)
#define WITH_LIMIT(seconds, words)                                                                                     \
	INTEGER(NO_LETTER, "limit", "SECONDS", limit_s, 1, COMMON_A_DAY_S), .default_text = (seconds), .help = (words)

#define OPTIONS_OF struct matrix_params
#define ROW_IN(heading, ...)                                                                                           \
	{                                                                                                              \
		__VA_ARGS__, .group = (heading), .programs = 1, .since = "7.0"                                         \
	}

enum { GENERAL, MEETING, TESTS, REPORT };

static const char *const matrix_groups[] = {"General", "Meeting", "Measuring", "Output"};

static const struct opt_row matrix_rows[] = {
	ROW_IN(GENERAL, HAS_HELP),
	ROW_IN(MEETING, STRING(NO_LETTER, "controller", "HOST", controller),
	       .help = "The host whose instance is the controller, as all others reach it; Slurm names it by itself"),
	ROW_IN(MEETING, COMMON_PORT, STORED_IN(port), .default_text = "18510", .help = "TCP port of the controller"),
	ROW_IN(MEETING, STRING('N', "hosts", "HOSTS", host_list),
	       .help = "Number of instances, which Slurm, Open MPI and PMI give by themselves; or names, n[1-16],m1 or "
		       "@FILE with such: then this starts an instance on each by ssh, and is the controller"),
	ROW_IN(MEETING, INTEGER(NO_LETTER, "rank", "RANK", rank, 0, DISPATCH_MOST_HOSTS - 1), DEFAULT_WORD("auto", -1),
	       .help = "Number of this instance, from 0, the controller's; without it and a launcher's the controller "
		       "gives the ranks, in the order of the hosts' names"),
	ROW_IN(MEETING, HAS_RSH, .help = "What --hosts with names uses instead of ssh" RSH_HELP),
	ROW_IN(MEETING, STRING(NO_LETTER, "started_by", "HOST", started_by),
	       .help = "What --hosts gives to the others: the controller is there, where SSH_CONNECTION says if that "
		       "is set, and this instance ends when stdin does"),
	ROW_IN(MEETING, INTEGER(NO_LETTER, "join_timeout", "SECONDS", join_timeout_s, 1, COMMON_A_DAY_S),
	       .default_text = "60", .help = "Measure without those that have not come within this time"),
	ROW_IN(MEETING, STRING(NO_LETTER, "address", "ADDRESS", address),
	       .help = "Where the servers of this instance are reached, if not at the address by which it reaches the "
		       "controller"),
	ROW_IN(TESTS, INTEGER(NO_LETTER, "parallel", "PAIRS", parallel, 1, DISPATCH_MOST_HOSTS), DEFAULT_WORD("all", 0),
	       .help = "Pairs of a round that are measured at the same time"),
	ROW_IN(TESTS, STRING(NO_LETTER, "rails", "ADAPTERS", lists[PAIRING_RAILS]),
	       .help = "Measure these adapters of each host, mlx5_[0-7], each with that of the same name on the "
		       "others; each becomes -d of the program, and a row"),
	ROW_IN(TESTS, STRING(NO_LETTER, "all_rails", "ADAPTERS", lists[PAIRING_ALL_RAILS]),
	       .help = "The same, each with any adapter of the other hosts"),
	ROW_IN(TESTS, STRING(NO_LETTER, "local", "ADAPTERS", lists[PAIRING_LOCAL]),
	       .help = "The same, the adapters of each host with each other, on all hosts at once; without other hosts "
		       "those of this one"),
	ROW_IN(TESTS, INTEGER(NO_LETTER, "every", "SECONDS", every_s, 1, COMMON_A_DAY_S), DEFAULT_WORD("once", 0),
	       .help = "Measure all again, so long after the last start, until the user stops it; each time is a "
		       "document of its own"),
	ROW_IN(TESTS, WITH_LIMIT("60", "Time in which the test of a pair must end")),
	ROW_IN(REPORT, DOUBLE(NO_LETTER, "min_share", "PERCENT", min_share, 1, 100), .default_text = "93",
	       .help = "Name hosts and links that have less than this share of the others' speed"),
	ROW_IN(REPORT, CHOICE(NO_LETTER, "output_format", "FORMAT", output.format),
	       CHOICES({"text", FORMAT_TEXT, 0}, {"json", FORMAT_JSON, 0}, {"jsonl", FORMAT_JSONL, 0},
		       {"csv", FORMAT_CSV, 0}),
	       .default_text = "text",
	       .help = "Format of the controller's standard output; jsonl and csv have each pair as soon as it is "
		       "measured, on a line"),
	ROW_IN(REPORT, WITH_JSON_FILE("Have the controller write a JSON document with all pairs")),
	ROW_IN(REPORT, WITH_LABEL),
};

const struct cli matrix_cli = {
	COMMAND("perftest matrix", "measure the pairs of many hosts, and name what is slow", matrix_rows,
		matrix_groups),
	.usages = {{"[PATTERN] PROGRAM [ITS OPTIONS]",
		    "the same on all hosts, by srun, mpirun, pdsh or clush; or once, with --hosts=n[1-16]"}},
	.note = "PATTERN: all (the default, all pairs), ring (each and the next), quick (a few pairs of each), "
		"bisection (one half with the other), shift (each with one further on, all at once), incast (all with "
		"one as their server) or fanout (one with all)",
	.examples = {{"srun -N 16 %s ib_write_bw -D 2", "on 16 nodes"},
		     {"mpirun -np 16 %s bisection ib_read_bw -D 2", "PMIx says where rank 0 is"},
		     {"pdsh -w n[1-16] %s --controller=n1 -N 16 quick qperf -t 1 tcp_lat", "without ranks"},
		     {"%s --hosts=n[1-16] ib_send_bw", "by ssh, typed once"}},
};

#undef OPTIONS_OF
#define OPTIONS_OF struct ssh_params
/* Of a command whose options are one group. */
#define ROW(...) ROW_IN(0, __VA_ARGS__)

static const char *const plain_groups[] = {"Options"};

static const struct opt_row ssh_rows[] = {
	ROW(HAS_HELP),
	ROW(COMMON_VERSION, STORED_IN(show_version)),
	ROW(STRING(NO_LETTER, "ssh", "NODE", node),
	    .help = "Start the program as a server on this host, and here as its client"),
	ROW(HAS_RSH, .help = "What to use instead of ssh; it has to pass on stdin" RSH_HELP),
	ROW(COMMON_PORT, STORED_IN(port), DEFAULT_WORD("auto", 0),
	    .help = "TCP port of the server; by default one that is free there"),
	ROW(STRING(NO_LETTER, "address", "ADDRESS", address),
	    .help = "Where the client reaches the server, if not where ssh reaches the host"),
	ROW(INTEGER(NO_LETTER, "start_timeout", "SECONDS", start_timeout_s, 1, COMMON_A_DAY_S), .default_text = "60",
	    .help = "Time until the server must listen; ssh may ask for a password first"),
	ROW(FLAG(NO_LETTER, "server_output", server_output),
	    .help = "Also print the server's results, on standard error"),
};

const struct cli ssh_cli = {
	COMMAND("perftest", "run a program of the suite between this host and another", ssh_rows, plain_groups),
	.usages = {{"--ssh=NODE PROGRAM [ITS OPTIONS]", "the server there, the client here"}},
	.note = "The program's options go to both sides, --out_json and --out_json_file to the client alone. Standard "
		"output has the client's results; what the other side says is on standard error, after its name.",
	.examples = {{"%s --ssh node7 ib_write_bw -d mlx5_0 -D 5", "in the usual case"},
		     {"%s --ssh node7 --address=10.1.0.7 qperf tcp_bw", "by another of its interfaces"},
		     {"%s --ssh node7 --port=18515 ib_send_lat -a", "through a firewall"},
		     {"%s --rsh='ssh -J gate' --ssh node7 ib_read_bw", "with options of ssh"}},
};

/* --- compare --- */

#undef OPTIONS_OF
#define OPTIONS_OF struct compare_params

enum { COMPARE_GENERAL, COMPARE_RUNS, COMPARE_REPORT };

static const char *const compare_groups[] = {"General", "Runs", "Output"};

static const struct opt_row compare_rows[] = {
	ROW_IN(COMPARE_GENERAL, HAS_HELP),
	ROW_IN(COMPARE_RUNS, INTEGER(NO_LETTER, "runs", "COUNT", runs, 2, PAIRED_MOST), DEFAULT_WORD("auto", 0),
	       .help = "Runs of each side, with --until at most; auto: as many as an answer needs, 16 to 128, a few "
		       "more for several figures"),
	ROW_IN(COMPARE_RUNS, DOUBLE(NO_LETTER, "until", "PERCENT", until, 0.01, 50), DEFAULT_WORD("off", 0),
	       .help = "Go on until the interval of each change is narrower than this; off: than 4 %, or a difference "
		       "is found"),
	ROW_IN(COMPARE_RUNS, INTEGER(NO_LETTER, "seed", "NUMBER", seed, 1, 1e9), DEFAULT_WORD("auto", 0),
	       .help = "The same number gives the same order of A and B"),
	ROW_IN(COMPARE_RUNS, WITH_LIMIT("60", "Time in which a run must end")),
	ROW_IN(COMPARE_REPORT, CHOICE(NO_LETTER, "output_format", "FORMAT", output.format),
	       CHOICES({"text", FORMAT_TEXT, 0}, {"markdown", FORMAT_MARKDOWN, 0}, {"json", FORMAT_JSON, 0}),
	       .default_text = "text", .help = "Format of standard output"),
	ROW_IN(COMPARE_REPORT, WITH_JSON_FILE("Also write a JSON document")),
	ROW_IN(COMPARE_REPORT, WITH_LABEL),
};

const struct cli compare_cli = {
	COMMAND("perftest compare", "run two command lines in turn: is B faster, by how much?", compare_rows,
		compare_groups),
	.usages = {{"A -- B", "two programs with their options, and a HOST whose server runs already"},
		   {"BEFORE.json AFTER.json", "two documents of one run each"}},
	.note = "Without a HOST both halves are run on this host.",
	.examples = {{"%s ib_write_bw -s 4096 -- ib_write_bw -s 4096 -q 2", "are two queue pairs faster?"},
		     {"%s /opt/old/bin/ib_write_lat node7 -- ib_write_lat node7", "is the new build as fast?"},
		     {"%s --until=1 qperf tcp_bw -- qperf -m 8K tcp_bw", "until the change is known within 1 %"},
		     {"%s before.json after.json", "documents of --out_json_file"}},
};

/* --- gate and verify --- */

#define WITH_VERDICT_FORMATS                                                                                           \
	CHOICE(NO_LETTER, "output_format", "FORMAT", output.format),                                                   \
		CHOICES({"text", FORMAT_TEXT, 0}, {"markdown", FORMAT_MARKDOWN, 0}, {"json", FORMAT_JSON, 0},          \
			{"junit", FORMAT_JUNIT, 0}, {"tap", FORMAT_TAP, 0}),                                           \
		.default_text = "text", .help = "Format of standard output"

#undef OPTIONS_OF
#define OPTIONS_OF struct gate_params

static const struct opt_row gate_rows[] = {
	ROW(HAS_HELP),
	ROW(STRING(NO_LETTER, "save_baseline", "FILE", save), .check = check_json_file,
	    .help = "Make the runs of a baseline, and write them to this file"),
	ROW(STRING(NO_LETTER, "baseline", "FILE", baseline),
	    .help = "Make as many runs as are in this file, and judge them by those"),
	ROW(DOUBLE(NO_LETTER, "tolerance", "PERCENT", tolerance, 0, 99), .default_text = "5",
	    .help = "How much worse a figure may be, the median of the runs than that of the baseline's"),
	ROW(INTEGER(NO_LETTER, "runs", "COUNT", runs, 1, PAIRED_MOST), DEFAULT_WORD("auto", 0),
	    .help = "Runs of a baseline; auto: 5"),
	ROW(WITH_LIMIT("60", "Time in which a run must end")),
	ROW(WITH_VERDICT_FORMATS),
	ROW(WITH_JSON_FILE("Also write a JSON document")),
	ROW(WITH_LABEL),
};

const struct cli gate_cli = {
	COMMAND("perftest gate", "is a program as fast as when its baseline was saved?", gate_rows, plain_groups),
	.usages = {{"--save_baseline=FILE PROGRAM [ITS OPTIONS] [HOST]", "once: these runs are the baseline"},
		   {"--baseline=FILE PROGRAM [ITS OPTIONS] [HOST]", "from then on: are these runs as fast?"}},
	.note = "Without a HOST both halves are run on this host. Exit status: 3 if a figure is worse.",
	.examples = {{"%s --save_baseline=write.json ib_write_bw -D 5 node7", "on the day on which all was well"},
		     {"%s --baseline=write.json --tolerance=3 ib_write_bw -D 5 node7", "each night"},
		     {"%s --baseline=write.json --output_format=junit ib_write_bw -D 5 node7",
		      "for Jenkins or GitLab"}},
};

#undef OPTIONS_OF
#define OPTIONS_OF struct verify_params

static const struct opt_row verify_rows[] = {
	ROW(HAS_HELP),
	ROW(STRING('d', "ib-dev", "NAME", device), .help = "RDMA device; by default the first one whose port is up"),
	ROW(INTEGER('i', "ib-port", "PORT", port, 1, 255), DEFAULT_WORD("auto", 0),
	    .help = "Port of the device; auto: that of the programs"),
	ROW(STRING(NO_LETTER, "only", "TEXT", only),
	    .help = "Only the claims with this text in their names, as 'RC: ' or 'event mode'"),
	ROW(INTEGER(NO_LETTER, "budget", "SECONDS", budget_s, 1, COMMON_A_DAY_S), .default_text = "110",
	    .help = "Time after which nothing more is started; the rest is skipped"),
	ROW(WITH_LIMIT("10", "Time in which a pair of runs must end")),
	ROW(WITH_VERDICT_FORMATS),
	ROW(WITH_JSON_FILE("Also write a JSON document")),
	ROW(WITH_LABEL),
};

const struct cli verify_cli = {
	COMMAND("perftest verify", "does a device do what it claims?", verify_rows, plain_groups),
	.usages = {{"[-- OPTIONS OF THE PROGRAMS]", "both halves on this host, with data that is validated"}},
	.note = "Exit status: 3 if a claim failed, 0 if all that the device claims was true.",
	.examples = {{"%s -d mlx5_0", "after a new driver or firmware"},
		     {"%s -d siw0 -- -R", "of an iWARP device, whose queue pairs rdma_cm connects"},
		     {"%s -d mlx5_0 --only='SEND RC' --output_format=tap", "a part of it, for prove"}},
};

#undef OPTIONS_OF
#define OPTIONS_OF struct metrics_params

static const struct opt_row metrics_rows[] = {
	ROW(HAS_HELP),
	ROW(STRING('o', "output", "FILE", path), .help = "Write to this file, which is whole whenever it is read, "
							 "instead of standard output; a JSON document is not replaced"),
};

const struct cli metrics_cli = {
	COMMAND("perftest metrics", "results for a monitor, as OpenMetrics", metrics_rows, plain_groups),
	.usages = {{"[-o FILE] DOCUMENT...", "of one or more JSON documents (--out_json_file); - is standard input"}},
	.examples = {{"%s -o /var/lib/prometheus/node-exporter/perftest.prom run.json",
		      "for the textfile collector of node_exporter"},
		     {"ib_write_lat -n 1000 --output_format=json node7 | %s -", "without a file"}},
};

/* --- run -f --- */

#undef OPTIONS_OF
#define OPTIONS_OF struct batch_params

static const struct opt_row batch_rows[] = {
	ROW(HAS_HELP),
	ROW(STRING('f', "file", "FILE", path),
	    .help = "The runs: a line each, NAME: PROGRAM [OPTIONS] [HOST], with words quoted as for a shell; # begins "
		    "a comment; - is standard input"),
	ROW(WITH_LIMIT("3600", "Time in which a run must end")),
	ROW(CHOICE(NO_LETTER, "output_format", "FORMAT", output.format),
	    CHOICES({"text", FORMAT_TEXT, 0}, {"json", FORMAT_JSON, 0}, {"jsonl", FORMAT_JSONL, 0}),
	    .default_text = "text", .help = "Format of standard output"),
	ROW(WITH_JSON_FILE("Also write a JSON document, with those of all runs")),
	ROW(WITH_LABEL),
};

const struct cli batch_cli = {
	.name = "perftest run",
	.purpose = "run a program, or the runs of a file",
	.options = &(const struct opt_table){TABLE_OF(batch_rows, plain_groups),
					     .of_unknown = "options of a program belong in its line of FILE"},
	.program = 1,
	.usages = {{"-f FILE [HOST]", "one run after the other, with one document of all"}},
	.note = "perftest run PROGRAM [ITS OPTIONS] [HOST] is the same as to type the program's name. Without a HOST, "
		"here or in its line, both halves of a run are on this host, and a port in the line has no effect. "
		"Exit status: the worst of the runs'.",
	.examples = {{"%s -f jobs.txt --out_json_file=jobs.json node7", "where node7 runs perftest serve"},
		     {"%s -f jobs.txt", "both halves of each run here"}},
};

/* --- serve --- */

#undef OPTIONS_OF
#define OPTIONS_OF struct serve_params

static const struct opt_row serve_rows[] = {
	ROW(HAS_HELP),
	ROW(COMMON_PORT, STORED_IN(port), .default_text = "18515", .help = "TCP port for the clients of all programs"),
	ROW(STRING(NO_LETTER, "bind_source_ip", "ADDRESS", bind_ip), .check = check_ip_address,
	    .help = "Listen on this local address only"),
	ROW(STRING(NO_LETTER, "allow", "NETWORKS", allow),
	    .help = "Serve clients of these addresses and networks only, separated by commas: "
		    "192.0.2.0/24,2001:db8::1"),
	ROW(INTEGER(NO_LETTER, "max_clients", "COUNT", max_clients, 1, SERVE_MOST_CLIENTS), .default_text = "32",
	    .help = "Serve at most this many clients at a time; others are refused with a message"),
	ROW(INTEGER(NO_LETTER, "max_duration", "SECONDS", max_duration_s, 1, COMMON_A_YEAR_S), .default_text = "3600",
	    .help = "Refuse a client that requests a longer test, and end any test that exceeds this"),
	ROW(STRING(NO_LETTER, "port_of", "PROGRAM:PORT,...", port_of),
	    .help = "Also listen on this port, where clients of linux-rdma perftest, which do not say which program "
		    "they are, are those of PROGRAM"),
	ROW(FLAG(NO_LETTER, "rdma_cm", rdma_cm),
	    .help = "Also serve clients of this suite's ib_* programs with -R and -z, one after the other, with the "
		    "options for all ib_* programs; and those of linux-rdma perftest with -R at the ports of "
		    "--port_of"),
};

const struct cli serve_cli = {
	COMMAND("perftest serve", "one server for the clients of all programs of the suite", serve_rows, plain_groups),
	.usages = {{"[-- [PROGRAM] OPTIONS]...", "until it is stopped; each client has a process of its own"}},
	.note = "Behind each -- are options of PROGRAM's servers, or without it of those of all ib_* programs. Prints "
		"\"ready\" when it listens, and says so to systemd, whose socket it takes.",
	.examples = {{"%s", "then on other hosts: ib_write_bw HOST, qperf HOST -lp 18515 tcp_bw"},
		     {"%s --allow=10.0.0.0/8 --max_clients=4", "not for everybody"},
		     {"%s -- -d mlx5_0 -- cxi_send_bw --provider=tcp", "with options of the servers"},
		     {"%s --port_of=ib_read_bw:18516,qperf:19765", "also for ib_read_bw of linux-rdma perftest"}},
};

/* --- report --- */

#undef OPTIONS_OF
#define OPTIONS_OF struct report_params

static const struct opt_row report_rows[] = {
	ROW(HAS_HELP),
	ROW(STRING('o', "output", "FILE", path),
	    .help = "Write to this file, which is whole or not there, instead of standard output; a JSON document is "
		    "not replaced; hgrm of several histograms: FILE.1.hgrm and so on"),
	ROW(CHOICE(NO_LETTER, "output_format", "FORMAT", format),
	    CHOICES({"html", REPORT_HTML, 0}, {"markdown", REPORT_MARKDOWN, 0}, {"hgrm", REPORT_HGRM, 0}),
	    .default_text = "html",
	    .help = "One HTML file that needs no other; Markdown with the tables alone; or the latency histogram as "
		    "HdrHistogram prints it"),
	ROW(STRING(NO_LETTER, "title", "TEXT", title), .help = "Heading of the page"),
};

const struct cli report_cli = {
	COMMAND("perftest report", "results as a page with charts", report_rows, plain_groups),
	.usages = {{"DOCUMENT... [-o FILE]",
		    "of JSON documents and JSON Lines (--out_json_file, --output_format=jsonl); - is standard input"}},
	.examples = {{"%s *.json -o report.html", "one page for a browser, to keep or to send"},
		     {"%s --output_format=markdown run.json", "tables for a comment on a change"},
		     {"%s --output_format=hgrm lat.json -o lat.hgrm", "for the plotters of HdrHistogram"}},
};
