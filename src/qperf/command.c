// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The walk over the command line, once to check it and once to run it. See command.h. */
#include "qperf/command.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "params/opt.h"
#include "qperf/loop.h"
#include "qperf/rules.h"
#include "util/log.h"

struct walk {
	struct command *command;
	struct qperf_params params;
	struct loop loops[MAX_LOOPS];
	unsigned num_loops;
	int next;    /* word */
	bool checks; /* nothing runs */
	bool has_host;
	bool has_tests;
	bool has_rdma;
	const char *client_word; /* the first that only a client may have; NULL: none */
	const char *server_word;
	struct command_plan *plan;
	char *reason;
	size_t reason_size;
};

/* --- tests and their loops --- */

/* Loop n and those inside of it. */
static int run_loops(struct walk *walk, const struct test_row *test, unsigned n)
{
	const struct loop *loop = &walk->loops[n];
	uint64_t value;
	int ret;

	if (n == walk->num_loops)
		return walk->command->run(walk->command, test, &walk->params);
	value = loop->first;
	if (value > loop->last)
		return 0;
	do {
		ret = loop_apply(loop, value, &walk->params, walk->reason, walk->reason_size);
		if (!ret)
			ret = run_loops(walk, test, n + 1);
	} while (!ret && loop_next(loop, &value));
	return ret;
}

/* The ends of a loop stand for what is between. */
static int check_loops(struct walk *walk)
{
	for (unsigned n = 0; n < walk->num_loops; n++) {
		const struct loop *loop = &walk->loops[n];
		uint64_t value = loop->first;
		int ret;

		if (value > loop->last)
			return opt_refuse(walk->reason, walk->reason_size,
					  "-oo: %s: the first value is above the last: no test would run", loop->word);
		do { /* a loop that is long is one of small steps, whose values are all alike */
			ret = loop_apply(loop, value, &walk->params, walk->reason, walk->reason_size);
		} while (!ret && (value - loop->first) / loop->step < 10000 && loop_next(loop, &value));
		if (ret)
			return ret;
	}
	return 0;
}

/* Of a loop the values that a test can have are run, up to the first that it can't. */
static int check_values(struct walk *walk, const struct test_row *test)
{
	struct qperf_params params = walk->params;
	int ret;

	if (walk->num_loops)
		return check_loops(walk);
	qperf_complete(test, &params);
	ret = qperf_check(test, &params.local, walk->reason, walk->reason_size);
	return ret ? ret : qperf_check(test, &params.remote, walk->reason, walk->reason_size);
}

static int take_test(struct walk *walk, const char *word)
{
	const struct test_row *test = test_find(word);
	char quoted[OPT_QUOTE_SIZE];

	if (!test)
		return opt_refuse(walk->reason, walk->reason_size, "%s: bad test; try: qperf --help tests",
				  opt_quote(word, quoted));
	walk->has_tests = true;
	walk->has_rdma |= test->body == BODY_RDMA;
	return walk->checks ? check_values(walk, test) : run_loops(walk, test, 0);
}

/* --- words --- */

static int take_host(struct walk *walk, const char *word)
{
	char quoted[OPT_QUOTE_SIZE];

	if (test_find(word))
		return opt_refuse(walk->reason, walk->reason_size,
				  "must specify host name first; try: qperf --help (%s is a test)", word);
	if (!*word || strlen(word) >= sizeof(walk->params.host))
		return opt_refuse(walk->reason, walk->reason_size, "%s is no host name", opt_quote(word, quoted));
	strcpy(walk->params.host, word);
	walk->has_host = true;
	return 0;
}

static int take_loop(struct walk *walk, const char *text)
{
	if (walk->num_loops == MAX_LOOPS)
		return opt_refuse(walk->reason, walk->reason_size, "-oo: more than %u loops", MAX_LOOPS);
	return loop_parse(text, &walk->loops[walk->num_loops++], walk->reason, walk->reason_size);
}

static void note_owner(struct walk *walk, const struct spelling *spelling, const char *word)
{
	const enum option_owner owner =
		spelling->side == SIDE_LOCAL ? spelling->row->local_owner : spelling->row->owner;

	if (owner == OWNER_CLIENT && !walk->client_word)
		walk->client_word = word;
	if (owner == OWNER_SERVER && !walk->server_word)
		walk->server_word = word;
}

static int take_option(struct walk *walk, const char *word)
{
	struct spelling spelling = option_find(word);
	const char *value = NULL;
	char quoted[OPT_QUOTE_SIZE];

	if (!spelling.row)
		return opt_refuse(walk->reason, walk->reason_size, "%s: bad option; try: qperf --help options",
				  opt_quote(word, quoted));
	if (spelling.instead) {
		if (walk->checks)
			log_warning("obsolete option: %s; use %s instead", word, spelling.instead);
		word = spelling.instead;
	}
	note_owner(walk, &spelling, word);
	if (option_takes_value(&spelling)) {
		if (walk->next < walk->command->argc)
			value = walk->command->argv[walk->next++];
		else if (spelling.row->kind != OPTION_TOPIC)
			return opt_refuse(walk->reason, walk->reason_size, "missing argument to %s", word);
	}
	if (spelling.row->kind == OPTION_LOOP)
		return take_loop(walk, value);
	if (spelling.row->kind == OPTION_TOPIC) {
		if (walk->plan) {
			walk->plan->kind = COMMAND_HELP;
			walk->plan->topic = value;
		}
		walk->next = walk->command->argc; /* what is behind it does not matter */
		return 0;
	}
	if (spelling.row->parameter < 0 && strcmp(spelling.row->name, "host") == 0)
		walk->has_host = true;
	return option_apply(&spelling, word, value, &walk->params, walk->reason, walk->reason_size);
}

static int walk_all(struct walk *walk)
{
	int ret = 0;

	qperf_params_init(&walk->params);
	walk->next = 1;
	while (!ret && walk->next < walk->command->argc) {
		const char *word = walk->command->argv[walk->next++];

		if (*word == '-')
			ret = take_option(walk, word);
		else if (!walk->has_host)
			ret = take_host(walk, word);
		else
			ret = take_test(walk, word);
	}
	return ret;
}

/* --- who is this, then? --- */

static int decide(struct walk *walk)
{
	struct command_plan *plan = walk->plan;

	plan->params = walk->params;
	plan->has_tests = walk->has_tests;
	plan->has_rdma = walk->has_rdma;
	snprintf(plan->device, sizeof(plan->device), "%.*s", (int)strcspn(walk->params.local.id, ":"),
		 walk->params.local.id);
	if (plan->kind == COMMAND_HELP)
		return 0;
	if (walk->params.show_version) {
		plan->kind = COMMAND_VERSION;
		return 0;
	}
	if (!walk->has_host && walk->client_word)
		return opt_refuse(walk->reason, walk->reason_size,
				  "%s is an option of a client, but no server is named; try: qperf --help",
				  walk->client_word);
	if (!walk->has_host) {
		plan->kind = COMMAND_SERVER;
		return 0;
	}
	plan->kind = COMMAND_CLIENT;
	if (walk->server_word)
		return opt_refuse(walk->reason, walk->reason_size,
				  "%s is an option of a server, but %s makes this a client", walk->server_word,
				  walk->params.host);
	if (!walk->has_tests)
		return opt_refuse(walk->reason, walk->reason_size, "must specify a test type; try: qperf --help");
	return 0;
}

int command_check(struct command *command, struct command_plan *plan, char *reason, size_t reason_size)
{
	struct walk walk = {
		.command = command, .checks = true, .plan = plan, .reason = reason, .reason_size = reason_size};
	int ret;

	*plan = (struct command_plan){.kind = COMMAND_CLIENT};
	ret = walk_all(&walk);
	return ret ? ret : decide(&walk);
}

int command_run(struct command *command)
{
	char reason[OPT_TEXT_SIZE] = "";
	struct walk walk = {.command = command, .reason = reason, .reason_size = sizeof(reason)};
	const int ret = walk_all(&walk);

	if (ret && reason[0])
		log_error("%s", reason);
	return ret;
}
