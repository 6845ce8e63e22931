// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * `perftest matrix`: all instances are the same command. That of rank 0, or the first one on the controller's host, is
 * also the controller: a process for each of both roles, so that the controller measures nothing itself.
 */
#include "config.h"

#include "front/matrix.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "front/command.h"
#include "net/wakeup.h"
#include "params/checks.h"
#include "params/cli.h"
#include "params/common.h"
#include "util/exit_status.h"
#include "util/log.h"
#include "util/stdio.h"
#include "util/stop.h"
#include "util/wait.h"

#define END_MS	8000 /* for the controller's own instance to end */
#define LOOK_MS 20

#define MATRIX_STORED_IN(member)                                                                                       \
	.offset = offsetof(struct matrix_params, member), .width = sizeof(((struct matrix_params *)NULL)->member)
#define MATRIX_IN(heading) .group = (heading), .programs = 1, .since = "7.0"

enum { GENERAL, MEETING, TESTS, REPORT };

static const char *const matrix_groups[] = {"General", "Meeting", "Measuring", "Output"};

static const struct opt_row matrix_rows[] = {
	{
		COMMON_HELP,
		MATRIX_STORED_IN(show_help),
		.short_name = 'h',
		MATRIX_IN(GENERAL),
	},
	{
		.long_name = "controller",
		.argument = "HOST",
		.kind = OPT_STRING,
		MATRIX_STORED_IN(controller),
		.help = "The host whose instance is the controller, as all others reach it; Slurm names it by itself",
		MATRIX_IN(MEETING),
	},
	{
		COMMON_PORT,
		MATRIX_STORED_IN(port),
		.default_text = "18510",
		.help = "TCP port of the controller",
		MATRIX_IN(MEETING),
	},
	{
		.short_name = 'N',
		.long_name = "hosts",
		.argument = "COUNT",
		.kind = OPT_INTEGER,
		MATRIX_STORED_IN(hosts),
		.min = 2,
		.max = DISPATCH_MOST_HOSTS,
		.special = "auto",
		.special_value = 0,
		.default_text = "auto",
		.help = "Number of instances; Slurm, Open MPI and PMI give it by themselves",
		MATRIX_IN(MEETING),
	},
	{
		.long_name = "rank",
		.argument = "RANK",
		.kind = OPT_INTEGER,
		MATRIX_STORED_IN(rank),
		.min = 0,
		.max = DISPATCH_MOST_HOSTS - 1,
		.special = "auto",
		.special_value = -1,
		.default_text = "auto",
		.help = "Number of this instance, from 0, the controller's; without it and a launcher's the "
			"controller gives the ranks, in the order of the hosts' names",
		MATRIX_IN(MEETING),
	},
	{
		.long_name = "join_timeout",
		.argument = "SECONDS",
		.kind = OPT_INTEGER,
		MATRIX_STORED_IN(join_timeout_s),
		.min = 1,
		.max = COMMON_A_DAY_S,
		.default_text = "60",
		.help = "Measure without those that have not come within this time",
		MATRIX_IN(MEETING),
	},
	{
		.long_name = "address",
		.argument = "ADDRESS",
		.kind = OPT_STRING,
		MATRIX_STORED_IN(address),
		.help = "Where the servers of this instance are reached, if not at the address by which it reaches "
			"the controller",
		MATRIX_IN(MEETING),
	},
	{
		.long_name = "parallel",
		.argument = "PAIRS",
		.kind = OPT_INTEGER,
		MATRIX_STORED_IN(parallel),
		.min = 1,
		.max = DISPATCH_MOST_HOSTS,
		.special = "all",
		.special_value = 0,
		.default_text = "all",
		.help = "Pairs of a round that are measured at the same time",
		MATRIX_IN(TESTS),
	},
	{
		.long_name = "limit",
		.argument = "SECONDS",
		.kind = OPT_INTEGER,
		MATRIX_STORED_IN(limit_s),
		.min = 1,
		.max = COMMON_A_DAY_S,
		.default_text = "60",
		.help = "Time in which the test of a pair must end",
		MATRIX_IN(TESTS),
	},
	{
		.long_name = "min_share",
		.argument = "PERCENT",
		.kind = OPT_DOUBLE,
		MATRIX_STORED_IN(min_share),
		.min = 1,
		.max = 100,
		.default_text = "93",
		.help = "Name hosts and links that have less than this share of the others' speed",
		MATRIX_IN(REPORT),
	},
	{
		.long_name = "out_json_file",
		.argument = "FILE",
		.kind = OPT_STRING,
		MATRIX_STORED_IN(json_file),
		.check = check_json_file,
		.help = "Have the controller write a JSON document with all pairs",
		MATRIX_IN(REPORT),
	},
};

#define NUM_ROWS (sizeof(matrix_rows) / sizeof(matrix_rows[0]))

static const struct opt_table matrix_options = {
	.rows = matrix_rows,
	.num_rows = NUM_ROWS,
	.groups = matrix_groups,
	.num_groups = sizeof(matrix_groups) / sizeof(matrix_groups[0]),
};

static const struct cli matrix_cli = {
	.name = "perftest matrix",
	.purpose = "measure the pairs of many hosts, and name what is slow",
	.options = &matrix_options,
	.program = 1,
	.usages = {{"[PATTERN] PROGRAM [ITS OPTIONS]", "the same on all hosts, by srun, mpirun, pdsh, clush or ssh"}},
	.note = "PATTERN: all (all pairs of hosts), ring (each host and the next) or quick (a few for each host)",
	.examples = {{"srun -N 16 %s ib_write_bw -D 2", "on 16 nodes"},
		     {"mpirun -np 16 %s --controller=n1 ring ib_read_lat", "mpirun does not say where rank 0 is"},
		     {"pdsh -w n[1-16] %s --controller=n1 -N 16 quick qperf -t 1 tcp_lat", "without ranks"},
		     {"%s --controller=n1 -N 2 ib_send_bw", "typed on two hosts"}},
};

/* How many words the options in front of the program are. */
static int own_words(int argc, char **argv)
{
	int used = 1;

	while (used < argc && argv[used][0] == '-' && argv[used][1]) {
		const char *word = argv[used++];
		const struct opt_row *row = NULL;

		if (strchr(word, '='))
			continue;
		if (word[1] == '-')
			row = opt_find(&matrix_options, word + 2);
		for (size_t i = 0; i < NUM_ROWS && word[1] != '-' && !word[2]; i++)
			if (matrix_rows[i].short_name == word[1])
				row = &matrix_rows[i];
		used += row && row->argument && used < argc;
	}
	return used;
}

/* FNV-1a. */
static void run_add(uint64_t *run, const char *word)
{
	do
		*run = (*run ^ (uint8_t)*word) * 0x100000001b3;
	while (*word++);
}

/* Which instance is this, and of how many? 0 or -EINVAL. */
static int matrix_place(struct matrix_params *params, struct launch_place *place, char *reason, size_t size)
{
	place_find(place, getenv);
	if (params->rank < 0 && place->rank != PLACE_NONE) {
		params->rank = place->rank;
		params->launcher = place->launcher;
	}
	if (!params->hosts && place->count != PLACE_NONE)
		params->hosts = place->count;
	if (!params->controller[0])
		memcpy(params->controller, place->controller, sizeof(params->controller));
	run_add(&params->run, place->job);
	if (params->rank == 0 && !params->controller[0])
		snprintf(params->controller, sizeof(params->controller), "localhost");
	if (!params->controller[0])
		return opt_refuse(reason, size,
				  "no launcher says where the controller is: --controller names its host");
	if (params->hosts < 2 || params->hosts > DISPATCH_MOST_HOSTS)
		return opt_refuse(reason, size, "how many instances there are, 2 to %d, is for -N to say",
				  DISPATCH_MOST_HOSTS);
	if (params->rank >= params->hosts)
		return opt_refuse(reason, size, "rank %u is not below the number of instances, %u",
				  (unsigned)params->rank, params->hosts);
	return 0;
}

/* 0 or -EINVAL. */
static int matrix_parse(struct matrix_params *params, int argc, char **argv, char *reason, size_t size)
{
	const int own = own_words(argc, argv);
	bool given[NUM_ROWS] = {false}, idle[NUM_ROWS] = {false};
	struct opt_found found = {.given = given, .idle = idle};
	struct launch_place place;
	const char *fault;
	int next = own, ret;

	opt_init(&matrix_options, 1, params);
	ret = opt_parse(&matrix_options, 1, own, argv, params, &found, reason, size);
	if (ret || params->show_help)
		return ret;
	params->run = 0xcbf29ce484222325;
	params->pairing = next < argc ? pairing_find(argv[next]) : NULL;
	next += params->pairing != NULL;
	if (!params->pairing)
		params->pairing = &pairings[0];
	if (next >= argc)
		return opt_refuse(reason, size, "which program? perftest list names them");
	fault = child_find_program(&params->program, argv + next, (unsigned)(argc - next));
	if (fault)
		return opt_refuse(reason, size, "'%.64s' %s", argv[next], fault);
	run_add(&params->run, params->pairing->name);
	for (int i = next; i < argc; i++)
		run_add(&params->run, argv[i]);
	return matrix_place(params, &place, reason, size);
}

/*
 * Listens if this instance is the controller. 0; -EADDRINUSE or -EADDRNOTAVAIL: another one is; or another -errno,
 * which is reported.
 */
static int controller_listen_here(const struct matrix_params *params, struct listener *listener)
{
	const struct address any = {.port = params->port, .port_option = "-p"};
	struct addrinfo *found;
	int ret;

	if (params->rank == 0)
		return listener_open(listener, &any, DISPATCH_MOST_HOSTS) ? -EIO : 0;
	if (params->rank > 0)
		return -EADDRNOTAVAIL;
	/* A name that cannot be resolved yet is another host's. */
	if (address_resolve(params->controller, params->port, AF_UNSPEC, 0 /* no flags */, &found))
		return -EADDRNOTAVAIL;
	ret = listener_open_found(listener, found, DISPATCH_MOST_HOSTS);
	freeaddrinfo(found);
	if (ret == -EAFNOSUPPORT)
		ret = -EADDRNOTAVAIL;
	if (ret && ret != -EADDRINUSE && ret != -EADDRNOTAVAIL)
		log_error("cannot listen on %s port %u: %s", params->controller, params->port, strerror(-ret));
	return ret;
}

/* The controller's own instance has been told to end, or loses its controller now. */
static void instance_reap(pid_t pid)
{
	const struct deadline deadline = deadline_in_ms(END_MS);

	while (!waitpid(pid, NULL, WNOHANG)) {
		if (deadline_passed(deadline)) {
			kill(pid, SIGKILL);
			waitpid(pid, NULL, 0);
			return;
		}
		wait_fds_after_stop(NULL, 0, deadline_in_ms(LOOK_MS));
	}
}

static int control_run(const struct matrix_params *params, struct listener *listener)
{
	const pid_t pid = fork();
	int status;

	if (pid < 0) {
		log_error("cannot start a process for the controller: %s", strerror(errno));
		listener_close(listener);
		return EXIT_STATUS_FAILURE;
	}
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGTERM);
		listener_close(listener);
		_exit(instance_main(params));
	}
	status = hub_main(params, listener);
	instance_reap(pid);
	return status;
}

int matrix_main(int argc, char **argv)
{
	static struct matrix_params params;
	struct listener listener = {.fd = {-1, -1}};
	char reason[OPT_TEXT_SIZE];
	int ret;

	log_set_program("perftest matrix");
	if (matrix_parse(&params, argc, argv, reason, sizeof(reason)))
		return cli_usage_error(reason);
	if (params.show_help) {
		cli_print_help(&matrix_cli, true);
		return stdio_status();
	}
	if (stop_install())
		return EXIT_STATUS_FAILURE;
	wakeup_block_signals();
	ret = controller_listen_here(&params, &listener);
	if (!ret)
		return control_run(&params, &listener);
	if (ret != -EADDRINUSE && ret != -EADDRNOTAVAIL)
		return EXIT_STATUS_FAILURE;
	return instance_main(&params);
}
