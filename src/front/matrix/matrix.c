// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * `perftest matrix`: all instances are the same command. That of rank 0, or the first one on the controller's host, is
 * also the controller: a process for each of both roles, so that the controller measures nothing itself.
 */
#include "config.h"

#include "front/matrix/matrix.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "front/command.h"
#include "front/launch/sibling.h"
#include "front/matrix/crew.h"
#include "front/matrix/hostlist.h"
#include "net/wakeup.h"
#include "params/engine/opt_name.h"
#include "params/programs.h"
#include "util/log.h"
#include "util/process.h"
#include "util/stop.h"
#include "util/wait.h"

#define END_MS	8000 /* for the controller's own instance to end */
#define LOOK_MS 20

#define OTHERS_OPTIONS	   6 /* of the instances that this one starts */
#define OTHERS_OPTION_SIZE (MATRIX_LIST_SIZE + 32)

/* FNV-1a. */
static void run_add(uint64_t *run, const char *word)
{
	do
		*run = (*run ^ (uint8_t)*word) * 0x100000001b3;
	while (*word++);
}

/* --hosts: a number, or names. 0 or -EINVAL. */
static int matrix_hosts(struct matrix_params *params, char *reason, size_t size)
{
	const char *list = params->host_list;
	struct nodes nodes;
	int ret;

	if (!list[0])
		return 0;
	if (!list[strspn(list, "0123456789")]) {
		params->hosts = strlen(list) < 9 ? (uint32_t)atoi(list) : UINT32_MAX;
		return 0;
	}
	if (params->rank >= 0)
		return opt_refuse(reason, size,
				  "--rank is for one of several instances; --hosts with names starts all");
	ret = nodes_read(&nodes, list, DISPATCH_MOST_HOSTS, reason, size);
	if (ret)
		return ret;
	params->hosts = nodes.count;
	if (nodes.count > 1 || strcmp(nodes.names[0], "localhost") != 0)
		params->nodes = nodes.names;
	else /* nothing is to be started elsewhere */
		params->rank = 0;
	return 0;
}

/* The options that name adapters. */
static const char *const list_options[PAIRING_FIELDS] = {
	[PAIRING_RAILS] = "rails", [PAIRING_ALL_RAILS] = "all_rails", [PAIRING_LOCAL] = "local"};

struct adapter_list {
	struct matrix_adapters *adapters;
	const char *fault; /* NULL: none */
};

static bool adapter_is_known(const struct matrix_adapters *adapters, const char *name)
{
	for (unsigned i = 0; i < adapters->count; i++)
		if (strcmp(adapters->names[i], name) == 0)
			return true;
	return false;
}

static bool adapter_take(void *context, const char *name)
{
	static const char known[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.:_-";
	struct adapter_list *list = context;
	struct matrix_adapters *adapters = list->adapters;

	if (adapters->count == MATRIX_MOST_ADAPTERS)
		list->fault = "there are too many adapters";
	else if (name[0] == '-' || name[strspn(name, known)] || strlen(name) >= MATRIX_ADAPTER_SIZE)
		list->fault = "there is one that is no adapter's name";
	else if (adapter_is_known(adapters, name))
		list->fault = "an adapter is named twice";
	else if (!(adapters->names[adapters->count] = strdup(name)))
		list->fault = "out of memory";
	else
		adapters->count++;
	return !list->fault;
}

/* 0 or -EINVAL. */
static int matrix_adapters(struct matrix_params *params, char *reason, size_t size)
{
	static char *names[MATRIX_MOST_ADAPTERS];
	struct adapter_list list = {.adapters = &params->adapters};
	const char *option = NULL, *fault;

	params->adapters = (struct matrix_adapters){names, 0};
	for (size_t field = PAIRING_RAILS; field < PAIRING_FIELDS; field++) {
		if (!params->lists[field][0])
			continue;
		if (option)
			return opt_refuse(reason, size, "--%s and --%s exclude each other", option,
					  list_options[field]);
		option = list_options[field];
		params->field = (enum pairing_field)field;
		run_add(&params->run, option);
		run_add(&params->run, params->lists[field]);
		fault = hostlist_each(params->lists[field], adapter_take, &list);
		if (fault || list.fault)
			return opt_refuse(reason, size, "--%s: %s", option, fault ? fault : list.fault);
	}
	if (option && !params->program.how->device_option)
		return opt_refuse(reason, size, "--%s is for programs with -d, which names the adapter", option);
	if (params->field == PAIRING_LOCAL && params->adapters.count < 2)
		return opt_refuse(reason, size, "--local needs at least two adapters");
	params->adapters.count += !option; /* the one without a name */
	return 0;
}

/* Started by --hosts on another host: the controller is where ssh came from. */
static void find_starter(struct matrix_params *params)
{
	const char *connection = getenv("SSH_CONNECTION");

	if (connection && connection[0])
		snprintf(params->controller, sizeof(params->controller), "%.*s", (int)strcspn(connection, " "),
			 connection);
	else
		memcpy(params->controller, params->started_by, sizeof(params->controller));
}

/* Which instance is this, and of how many? 0 or -EINVAL. */
static int matrix_place(struct matrix_params *params, struct launch_place *place, char *reason, size_t size)
{
	const unsigned least = params->field == PAIRING_LOCAL ? 1 : 2;
	int ret = matrix_hosts(params, reason, size);

	if (ret)
		return ret;
	/* What --hosts starts is told all, and the environments of ssh differ from this one. */
	*place = (struct launch_place){.rank = PLACE_NONE, .count = PLACE_NONE};
	if (!params->nodes && !params->started_by[0])
		place_find(place, getenv);
	/* Nothing is asked where all is known. */
	if (place->launcher &&
	    ((place->count == PLACE_NONE && !params->hosts) || (!place->controller[0] && !params->controller[0])))
		pmix_complete(place);
	if (params->started_by[0] && !params->controller[0])
		find_starter(params);
	if (params->rank < 0 && place->rank != PLACE_NONE) {
		params->rank = place->rank;
		params->launcher = place->launcher;
	}
	if (!params->hosts && place->count != PLACE_NONE)
		params->hosts = place->count;
	if (!params->controller[0])
		memcpy(params->controller, place->controller, sizeof(params->controller));
	run_add(&params->run, place->job);
	/* Adapters of each host, and no other host is known. */
	if (params->field == PAIRING_LOCAL && !params->controller[0] && !params->hosts && params->rank < 0) {
		params->hosts = 1;
		params->rank = 0;
	}
	if (params->rank == 0 && !params->controller[0])
		snprintf(params->controller, sizeof(params->controller), "localhost");
	if (!params->controller[0] && !params->nodes)
		return opt_refuse(reason, size,
				  "on which hosts? --hosts=n[1-16] starts it there by ssh, --local=mlx5_0,mlx5_1 "
				  "measures adapters of this one\nwhere something else starts it on several, "
				  "--controller names one of them");
	if (params->hosts == 1 && least > 1)
		return opt_refuse(reason, size,
				  "one host is too few: give two or more, as --hosts=n[1-16], or adapters of this one, "
				  "as --local=mlx5_0,mlx5_1");
	if (params->hosts < least || params->hosts > DISPATCH_MOST_HOSTS)
		return opt_refuse(reason, size, "on how many hosts is this command run? give -N COUNT, %u to %d", least,
				  DISPATCH_MOST_HOSTS);
	if (params->hosts * params->adapters.count > MATRIX_MOST_PLAYERS)
		return opt_refuse(reason, size, "%u hosts with %u adapters each are more than %d", params->hosts,
				  params->adapters.count, MATRIX_MOST_PLAYERS);
	if (params->rank >= 0 && params->rank >= params->hosts)
		return opt_refuse(reason, size, "rank %u is not below the number of instances, %u",
				  (unsigned)params->rank, params->hosts);
	return 0;
}

/* It is no program; perhaps a pattern was meant. Returns -EINVAL. */
static int refuse_word(const char *word, bool may_be_pattern, char *reason, size_t size)
{
	struct opt_nearest nearest = opt_nearest_to(word, strlen(word));
	char hint[SIBLING_HINT_SIZE];

	for (const struct pairing *row = pairings; row->name && may_be_pattern; row++)
		opt_nearest_try(&nearest, row->name);
	return opt_refuse(reason, size, "%s is %s program of the suite; %s", opt_quote(word).text,
			  may_be_pattern ? "neither a pattern nor a" : "no", sibling_hint(&nearest, hint));
}

/* Of qperf, whose tests, and nothing else, have such names. */
static unsigned count_tests(const struct child_program *program)
{
	unsigned count = 0;

	for (unsigned i = 0; i < program->num_options && program->how->host_first; i++) {
		const char *word = program->options[i];
		const bool is_value = i && program->options[i - 1][0] == '-';

		count += word[0] != '-' && !is_value && strchr(word, '_') &&
			 !word[strspn(word, "abcdefghijklmnopqrstuvwxyz_")];
	}
	return count;
}

/* next: the first word of argv that is not read yet. 0 or -EINVAL. */
static int matrix_parse(struct matrix_params *params, int next, int argc, char **argv, char *reason, size_t size)
{
	char fault_text[OPT_TEXT_SIZE];
	struct launch_place place;
	const char *fault = NULL;
	bool pairing_is_given;

	params->run = 0xcbf29ce484222325;
	params->pairing = next < argc ? pairing_find(argv[next]) : NULL;
	pairing_is_given = params->pairing != NULL;
	next += pairing_is_given;
	if (!pairing_is_given)
		params->pairing = &pairings[0];
	if (next >= argc)
		return opt_refuse(reason, size, "which program? perftest list names them");
	if (!program_find(argv[next]) && !sibling_find(argv[next]))
		return refuse_word(argv[next], !pairing_is_given, reason, size);
	if (child_program_parse(&params->program, argv + next, (unsigned)(argc - next), CHILD_AT_ADDRESSES, reason,
				size))
		return -EINVAL;
	if (count_tests(&params->program) > 1)
		return opt_refuse(reason, size, "%s has several tests; a matrix measures one", argv[next]);
	/* Who can say what was sent again, shall. */
	params->program.explains = true;
	if (child_options_fault(&params->program, fault_text, sizeof(fault_text))) {
		params->program.explains = false;
		fault = child_options_fault(&params->program, fault_text, sizeof(fault_text));
	}
	if (fault)
		return opt_refuse(reason, size, "%.64s: %s", argv[next], fault);
	run_add(&params->run, params->pairing->name);
	for (int i = next; i < argc; i++)
		run_add(&params->run, argv[i]);
	if (matrix_adapters(params, reason, size))
		return -EINVAL;
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

	if (params->started_by[0])
		return -EADDRNOTAVAIL;
	if (params->rank == 0 || params->nodes)
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
	const pid_t controller = getpid(), pid = fork();
	int status;

	if (pid < 0) {
		log_error("cannot start a process for the controller: %s", strerror(errno));
		listener_close(listener);
		return EXIT_STATUS_FAILURE;
	}
	if (!pid) {
		stop_with_parent(controller, SIGTERM);
		listener_close(listener);
		_exit(instance_main(params, true /* of this controller */));
	}
	status = hub_main(params, listener, NULL);
	instance_reap(pid);
	return status;
}

/* The words of the instances. Returns their number; 0: no memory. */
static unsigned put_others_words(const struct matrix_params *params, char texts[OTHERS_OPTIONS][OTHERS_OPTION_SIZE],
				 const char ***words)
{
	const struct child_program *program = &params->program;
	char host[PLACE_HOST_SIZE] = "";
	unsigned used = 0, num_texts = 0;

	*words = calloc(OTHERS_OPTIONS + 4 + program->num_options, sizeof(**words));
	if (!*words)
		return 0;
	gethostname(host, sizeof(host) - 1);
	snprintf(texts[num_texts++], OTHERS_OPTION_SIZE, "--started_by=%s", host);
	snprintf(texts[num_texts++], OTHERS_OPTION_SIZE, "--port=%u", params->port);
	snprintf(texts[num_texts++], OTHERS_OPTION_SIZE, "--hosts=%u", params->hosts);
	snprintf(texts[num_texts++], OTHERS_OPTION_SIZE, "--join_timeout=%u", params->join_timeout_s);
	if (params->controller[0])
		snprintf(texts[num_texts++], OTHERS_OPTION_SIZE, "--controller=%s", params->controller);
	if (params->field != PAIRING_HOSTS)
		snprintf(texts[num_texts++], OTHERS_OPTION_SIZE, "--%s=%s", list_options[params->field],
			 params->lists[params->field]);
	(*words)[used++] = "matrix";
	used++; /* the rank */
	for (unsigned i = 0; i < num_texts; i++)
		(*words)[used++] = texts[i];
	(*words)[used++] = params->pairing->name;
	(*words)[used++] = program->name;
	for (unsigned i = 0; i < program->num_options; i++)
		(*words)[used++] = program->options[i];
	return used;
}

/* The controller, which measures nothing, and the others by ssh. */
static int control_others(const struct matrix_params *params, struct listener *listener)
{
	char texts[OTHERS_OPTIONS][OTHERS_OPTION_SIZE];
	const char **words;
	const unsigned num_words = put_others_words(params, texts, &words);
	struct crew crew;
	int ret = -ENOMEM, status;

	if (num_words)
		ret = crew_open(&crew, params->shell, params->nodes, params->hosts, words, num_words);
	else
		log_error("out of memory");
	free(words);
	if (ret) {
		listener_close(listener);
		return EXIT_STATUS_FAILURE;
	}
	status = hub_main(params, listener, &crew);
	crew_close(&crew);
	return status;
}

int matrix_main(int argc, char **argv)
{
	static struct matrix_params params;
	struct listener listener = {.fd = {-1, -1}};
	char reason[OPT_TEXT_SIZE];
	int ret;
	const int own = command_begin(&matrix_cli, argc, argv, &params, &ret);

	if (!own)
		return ret;
	if (matrix_parse(&params, own, argc, argv, reason, sizeof(reason)))
		return cli_usage_error(reason);
	if (stop_install())
		return EXIT_STATUS_FAILURE;
	wakeup_block_signals();
	ret = controller_listen_here(&params, &listener);
	if (!ret)
		descriptors_raise();
	if (!ret)
		return params.nodes ? control_others(&params, &listener) : control_run(&params, &listener);
	if (ret != -EADDRINUSE && ret != -EADDRNOTAVAIL)
		return EXIT_STATUS_FAILURE;
	if (params.started_by[0] && remote_watch_stdin(false))
		return EXIT_STATUS_FAILURE;
	return instance_main(&params, false /* another one's */);
}
