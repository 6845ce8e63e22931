// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Reads the command line word by word: once to check it, and once to run it. See command.h. */
#include "qperf/options/command.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "params/engine/host.h"
#include "params/engine/opt.h"
#include "qperf/options/options.h"
#include "traffic/traffic.h"
#include "util/log.h"
#include "util/units.h"

#define MAX_LOOPS  8
#define NUM_FIELDS 4
#define VARIABLE   "allowed: the name of an option that has a number, such as msg_size, m or time"

/* -oo: runs a test for each value of a variable, and for each combination if there are several. */
struct loop {
	struct spelling variable;
	char word[48]; /* the option, for messages and warnings; */
	char by[16];   /* what the loop was given by: "-oo", "--loop", "--sizes" */
	struct sweep values;
};

struct command_cursor {
	struct command *command;
	struct qperf_params params;
	struct loop loops[MAX_LOOPS];
	unsigned num_loops;
	int next;    /* index of the next word */
	bool checks; /* check only, without running tests */
	bool has_tests;
	bool has_rdma;
	const char *client_option; /* the first word that only a client may have; NULL: none */
	const char *server_option;
	const char *late_option; /* the first option after the last test that would have applied to it; NULL: none */
	struct command_plan *plan;
	char *reason;
	size_t reason_size;
};

#define REFUSE(cursor, ...) opt_refuse((cursor)->reason, (cursor)->reason_size, __VA_ARGS__)

int command_split_host(struct qperf_params *params, char *reason, size_t reason_size)
{
	char text[sizeof(params->host)];
	uint16_t port = (uint16_t)params->listen_port;
	int ret;

	strcpy(text, params->host);
	ret = host_take(text, params->port_given ? "--listen_port (-lp)" : NULL, params->host, sizeof(params->host),
			&port, reason, reason_size);
	if (!ret)
		params->listen_port = port;
	return ret;
}

/* --- tests and their loops --- */

/* Splits a text at colons; missing fields repeat the last one. */
static int split(const char *text, char fields[NUM_FIELDS][64])
{
	unsigned n = 0;

	for (;;) {
		const size_t length = strcspn(text, ":");

		if (length >= sizeof(fields[0]) || n == NUM_FIELDS)
			return -EINVAL;
		memcpy(fields[n], text, length);
		fields[n++][length] = '\0';
		if (!text[length])
			break;
		text += length + 1;
	}
	for (unsigned missing = n; missing < NUM_FIELDS; missing++)
		strcpy(fields[missing], fields[n - 1]);
	return 0;
}

/* Converts a value to the variable's unit: ns for a time, otherwise as sizes are written, as is a factor. */
static int loop_read_value(const char *text, bool is_time, uint64_t *value, char *reason, size_t reason_size)
{
	if (is_time ? units_parse_ns(text, 0, UINT32_MAX, value) : value_size(text, 0, VALUE_MOST_SIZE, value))
		return opt_refuse(reason, reason_size, "bad %s: %s; allowed: %s", is_time ? "time" : "size",
				  opt_quote(text).text,
				  is_time ? "0 or at least 0.001, may end in s, m, h or d"
					  : "a whole number, may end in K, M or G");
	return 0;
}

static bool is_number(const struct opt_row *row)
{
	return (row->kind == OPT_INTEGER || row->kind == OPT_SIZE || row->kind == OPT_TIME) &&
	       row->programs != QPERF_SERVER;
}

static int find_variable(const char *name, struct loop *loop, char *reason, size_t reason_size)
{
	loop->variable = option_find_variable(*name ? name : "msg_size");
	if (!loop->variable.row)
		return opt_refuse(reason, reason_size, "%s: no such variable; " VARIABLE, opt_quote(name).text);
	if (loop->variable.on || !is_number(loop->variable.row))
		return opt_refuse(reason, reason_size, "%s does not take a number; " VARIABLE, opt_quote(name).text);
	snprintf(loop->word, sizeof(loop->word), "%s%.40s", strlen(name) > 4 || !*name ? "--" : "-",
		 *name ? name : "msg_size");
	return 0;
}

/*
 * Var:Init:Last:Incr. An empty Var is msg_size; a missing field has the value of the one before it; an empty Init is 0,
 * or 1 if Incr multiplies. form: what the option's user writes. -EINVAL and a reason, also if the loop would be
 * infinite.
 */
static int loop_parse(const char *text, const char *form, struct loop *loop, char *reason, size_t reason_size)
{
	struct sweep *values = &loop->values;
	char fields[NUM_FIELDS][64];
	bool is_time;
	int ret;

	if (!*text)
		return opt_refuse(reason, reason_size, "missing argument: %s", form);
	if (split(text, fields))
		return opt_refuse(reason, reason_size, "expected %s", form);
	ret = find_variable(fields[0], loop, reason, reason_size);
	if (ret)
		return ret;
	is_time = loop->variable.row->kind == OPT_TIME;
	values->multiplies = fields[3][0] == '*';
	if (!fields[2][0])
		return opt_refuse(reason, reason_size, "must specify limit: %s", form);
	values->first = !values->multiplies ? 0 : is_time ? NS_PER_S : 1;
	if (fields[1][0])
		ret = loop_read_value(fields[1], is_time, &values->first, reason, reason_size);
	if (!ret)
		ret = loop_read_value(fields[2], is_time, &values->last, reason, reason_size);
	if (!ret)
		ret = loop_read_value(fields[3] + values->multiplies, is_time && !values->multiplies, &values->step,
				      reason, reason_size);
	if (ret)
		return ret;
	if (!values->step)
		return opt_refuse(reason, reason_size, "0: increment must be positive");
	if (values->multiplies && (values->step == 1 || !values->first) && values->first <= values->last)
		return opt_refuse(reason, reason_size, "%" PRIu64 " times %" PRIu64 ": the loop would never end",
				  values->first, values->step);
	return 0;
}

/* Sets the variable, like the option would. */
static int loop_apply(const struct loop *loop, uint64_t value, struct qperf_params *params, char *reason,
		      size_t reason_size)
{
	char text[32];

	if (loop->variable.row->kind == OPT_TIME)
		snprintf(text, sizeof(text), "%llu.%09llu", value / NS_PER_S, value % NS_PER_S);
	else
		snprintf(text, sizeof(text), "%" PRIu64, value);
	return option_apply(&loop->variable, loop->word, text, params, reason, reason_size);
}

/* Runs loop n and those inside it. */
static int run_loops(struct command_cursor *cursor, const struct test_row *test, unsigned n)
{
	const struct loop *loop = &cursor->loops[n];
	uint64_t value = loop->values.first;
	int ret;

	if (n == cursor->num_loops)
		return cursor->command->run(cursor->command, test, &cursor->params);
	do {
		ret = loop_apply(loop, value, &cursor->params, cursor->reason, cursor->reason_size);
		if (!ret)
			ret = run_loops(cursor, test, n + 1);
	} while (!ret && sweep_next(&loop->values, loop->values.last, &value));
	return ret;
}

/* Checks the values of the loops. */
static int check_loops(struct command_cursor *cursor)
{
	for (unsigned n = 0; n < cursor->num_loops; n++) {
		const struct loop *loop = &cursor->loops[n];
		const struct sweep *values = &loop->values;
		uint64_t value = values->first;
		int ret;

		if (value > values->last)
			return REFUSE(cursor, "%s: %s: the first value is above the last: no test would run", loop->by,
				      loop->word);
		do { /* beyond this many, a loop has small steps, and checking them adds nothing */
			ret = loop_apply(loop, value, &cursor->params, cursor->reason, cursor->reason_size);
		} while (!ret && (value - values->first) / values->step < 10000 &&
			 sweep_next(values, values->last, &value));
		if (ret)
			return ret;
	}
	return 0;
}

/* Without loops, checks the test with its options. With loops, tests run up to the first invalid value. */
static int check_values(struct command_cursor *cursor, const struct test_row *test)
{
	struct qperf_params params = cursor->params;
	int ret = qperf_check_plan(&params, cursor->reason, cursor->reason_size);

	if (!ret && params.host[0])
		ret = command_split_host(&params, cursor->reason, cursor->reason_size);
	if (ret)
		return ret;
	if (cursor->num_loops)
		return check_loops(cursor);
	qperf_complete(test, &params);
	ret = qperf_check(test, &params.local, cursor->reason, cursor->reason_size);
	return ret ? ret : qperf_check(test, &params.remote, cursor->reason, cursor->reason_size);
}

static int take_test(struct command_cursor *cursor, const char *word)
{
	const struct test_row *test = test_find(word);

	if (!test) {
		test = test_find_similar(word);
		return REFUSE(cursor, "%s: bad test; %s%s%s", opt_quote(word).text,
			      test ? "did you mean " : "try: qperf --help tests", test ? test->name : "",
			      test ? "?" : "");
	}
	cursor->has_tests = true;
	cursor->late_option = NULL;
	cursor->has_rdma |= test->body == BODY_RDMA;
	return cursor->checks ? check_values(cursor, test) : run_loops(cursor, test, 0);
}

/* --- words --- */

static int command_take_host(struct command_cursor *cursor, const char *word)
{
	if (test_find(word))
		return REFUSE(cursor, "must specify host name first; try: qperf --help (%s is a test)", word);
	if (!*word || strlen(word) >= sizeof(cursor->params.host))
		return REFUSE(cursor, "%s is not a host name", opt_quote(word).text);
	strcpy(cursor->params.host, word);
	return 0;
}

static void note_owner(struct command_cursor *cursor, const struct spelling *spelling, const char *word)
{
	const unsigned local = option_own(spelling->row)->local_programs;
	const unsigned programs = spelling->side == SIDE_LOCAL && local ? local : spelling->row->programs;

	if (programs == QPERF_CLIENT && !cursor->client_option)
		cursor->client_option = word;
	if (programs == QPERF_SERVER && !cursor->server_option)
		cursor->server_option = word;
}

#define NAME_SIZE 48 /* longer than any */

/* The value of "--name=value", or NULL. */
static const char *split_option(const char *word, char name[NAME_SIZE])
{
	const char *equals = strncmp(word, "--", 2) == 0 ? strchr(word, '=') : NULL;

	const size_t length = equals ? (size_t)(equals - word) : strlen(word), most = NAME_SIZE - 1;

	snprintf(name, NAME_SIZE, "%.*s", (int)(length < most ? length : most), word);
	return equals ? equals + 1 : NULL;
}

static bool command_has_option(const char *word)
{
	char name[NAME_SIZE];

	split_option(word, name);
	return option_find(name).row;
}

/* word: of the command line. An option may spare its user the variable; an empty value has none either. */
static int take_loop(struct command_cursor *cursor, const struct opt_row *row, const char *word, const char *value)
{
	const char *ahead = option_own(row)->loop;
	char text[OPT_TEXT_SIZE], form[80], reason[OPT_TEXT_SIZE];
	struct loop *loop = &cursor->loops[cursor->num_loops];
	int ret;

	if (cursor->num_loops == MAX_LOOPS)
		return REFUSE(cursor, "%s: more than %u loops", word, MAX_LOOPS);
	cursor->num_loops++;
	snprintf(loop->by, sizeof(loop->by), "%s", word);
	snprintf(text, sizeof(text), "%s%s", *value ? ahead : "", value);
	snprintf(form, sizeof(form), "%s, such as %s1:64K:*2", row->argument, *ahead ? "" : "msg_size:");
	ret = loop_parse(text, form, loop, reason, sizeof(reason));
	return ret ? REFUSE(cursor, "%s: %s", word, reason) : 0;
}

static int command_take_option(struct command_cursor *cursor, const char *given)
{
	char name[NAME_SIZE];
	const char *value = split_option(given, name), *word = value ? name : given;
	struct spelling spelling = option_find(word);
	const struct option_own *own;
	bool takes_value;

	if (!spelling.row) {
		char buffer[OPT_QUOTE_SIZE];
		const char *similar = option_find_similar(word, buffer, sizeof(buffer));

		return REFUSE(cursor, "%s: bad option; %s%s%s", opt_quote(given).text,
			      similar ? "did you mean " : "try: qperf --help options", similar ? similar : "",
			      similar ? "?" : "");
	}
	if (spelling.instead) {
		if (cursor->checks)
			log_warning("obsolete option: %s; use %s instead", word, spelling.instead);
		word = spelling.instead;
	}
	note_owner(cursor, &spelling, given);
	if (cursor->has_tests && !cursor->late_option && spelling.row->group <= OPTIONS_RESULT)
		cursor->late_option = given;
	own = option_own(spelling.row);
	takes_value = spelling.row->argument && !spelling.on;
	if (value && !takes_value)
		return REFUSE(cursor, "%s takes no value", word);
	if (takes_value && !value) {
		const char *next = cursor->next < cursor->command->argc ? cursor->command->argv[cursor->next] : NULL;

		/* "-m -t 5": the value of -m is missing; "--help -m" asks for an option */
		if (next && (own->is_topic || !command_has_option(next)))
			value = cursor->command->argv[cursor->next++];
		else if (!own->is_topic)
			return REFUSE(cursor, "missing argument to %s", word);
	}
	if (own->loop)
		return take_loop(cursor, spelling.row, word, value);
	if (own->is_topic) {
		if (cursor->plan) {
			cursor->plan->kind = COMMAND_HELP;
			cursor->plan->topic = value;
		}
		cursor->next = cursor->command->argc; /* the rest does not matter */
		return 0;
	}
	return option_apply(&spelling, word, value, &cursor->params, cursor->reason, cursor->reason_size);
}

static int take_all(struct command_cursor *cursor)
{
	int ret = 0;

	qperf_params_init(&cursor->params);
	cursor->next = 1;
	while (!ret && cursor->next < cursor->command->argc) {
		const char *word = cursor->command->argv[cursor->next++];

		if (*word == '-')
			ret = command_take_option(cursor, word);
		else if (!cursor->params.host[0])
			ret = command_take_host(cursor, word);
		else
			ret = take_test(cursor, word);
	}
	return ret;
}

/* --- client, server, or help --- */

static int decide(struct command_cursor *cursor)
{
	struct command_plan *plan = cursor->plan;

	plan->params = cursor->params;
	plan->has_rdma = cursor->has_rdma;
	snprintf(plan->device, sizeof(plan->device), "%.*s", (int)strcspn(cursor->params.local.id, ":"),
		 cursor->params.local.id);
	if (plan->kind == COMMAND_HELP)
		return 0;
	if (cursor->params.show_version) {
		plan->kind = COMMAND_VERSION;
		return 0;
	}
	if (!cursor->params.host[0] && cursor->client_option)
		return REFUSE(cursor, "%s is an option of a client, but no server is named; try: qperf --help",
			      cursor->client_option);
	if (!cursor->params.host[0]) {
		struct allow allow;

		plan->kind = COMMAND_SERVER;
		return allow_parse(plan->params.allow, &allow, cursor->reason, cursor->reason_size);
	}
	plan->kind = COMMAND_CLIENT;
	if (cursor->server_option)
		return REFUSE(cursor, "%s is an option of a server, but %s makes this a client", cursor->server_option,
			      cursor->params.host);
	if (!cursor->has_tests)
		return REFUSE(cursor, "must specify a test type; try: qperf --help");
	plan->late_option = cursor->late_option;
	return command_split_host(&plan->params, cursor->reason, cursor->reason_size);
}

int command_check(struct command *command, struct command_plan *plan, char *reason, size_t reason_size)
{
	struct command_cursor cursor = {
		.command = command, .checks = true, .plan = plan, .reason = reason, .reason_size = reason_size};
	int ret;

	*plan = (struct command_plan){.kind = COMMAND_CLIENT};
	ret = take_all(&cursor);
	return ret ? ret : decide(&cursor);
}

int command_run(struct command *command)
{
	char reason[OPT_TEXT_SIZE] = "";
	struct command_cursor cursor = {.command = command, .reason = reason, .reason_size = sizeof(reason)};
	const int ret = take_all(&cursor);

	if (ret && reason[0])
		log_error("%s", reason);
	return ret;
}
