// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See verify.h. */
#include "config.h" /* strcasestr() */

#include "front/verify.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "front/command.h"
#include "front/document_file.h"
#include "front/figure.h"
#include "params/programs.h"
#include "report/envelope.h"
#include "report/progress.h"
#include "util/deadline.h"
#include "util/log.h"
#include "util/process.h"
#include "util/terminal.h"

#define MOST_WORDS   64 /* of a program's command line */
#define INLINE_BYTES "32"

/* --- the table --- */

#define BY(verb)   .bandwidth = "ib_" verb "_bw", .latency = "ib_" verb "_lat"
#define BY_ATOMICS BY("atomic"), .is_read = true, .is_atomic = true

static const struct verify_verb verbs[] = {
	{.name = "SEND", BY("send"), .arrives = true},
	{.name = "WRITE", BY("write")},
	{.name = "READ", BY("read"), .is_read = true},
	{.name = "FETCH_AND_ADD", BY_ATOMICS, .words = "-A FETCH_AND_ADD"},
	{.name = "CMP_AND_SWAP", BY_ATOMICS, .words = "-A CMP_AND_SWAP", .is_variant = true},
	{.name = "SEND with immediate", BY("send"), .words = "--send_with_imm", .arrives = true, .is_variant = true},
	{.name = "WRITE with immediate", BY("write"), .words = "--write_with_imm", .arrives = true, .is_variant = true},
};

#define MANY(more)  .words = "-n 200 " more
#define SMALL(more) .size = "64", MANY(more)

/* The first is the simplest: without it the others say nothing. 1000 bytes are one packet with any MTU of RoCE. */
static const struct verify_way ways[] = {
	{.name = "small", SMALL(""), .basic = true},
	{.name = "one packet", .size = "1000", MANY(""), .sized = true, .basic = true},
	{.name = "many packets",
	 .size = "1048577",
	 .words = "-n 20",
	 .sized = true,
	 .basic = true,
	 .many_packets = true},
	{.name = "one at a time", SMALL(""), .by_latency = true, .basic = true},
	{.name = "ibv_post_send", SMALL("--use_old_post_send"), .old_post = true},
	{.name = "ibv_wr", SMALL("--use_wr_api")},
	{.name = "inline", .size = INLINE_BYTES, MANY("-I " INLINE_BYTES), .inlined = true},
	{.name = "list", SMALL("-l 8")},
	{.name = "event mode", SMALL("-e"), .sleeps = true},
	{.name = "SRQ", SMALL("--use-srq"), .shares_receives = true, .basic = true},
	{.name = "4 queue pairs", SMALL("-q 4")},
	{.name = "both directions", SMALL("-b")},
};

#define NUM_VERBS (sizeof(verbs) / sizeof(verbs[0]))
#define NUM_WAYS  (sizeof(ways) / sizeof(ways[0]))

/* Is there such a test? What a device claims is another question. */
static bool is_test(const struct verify_verb *verb, const struct transport_traits *transport,
		    const struct verify_way *way)
{
	if (way->sized && verb->is_atomic)
		return false;
	if (verb->is_variant && !way->basic)
		return false;
	if (way->sized && way->many_packets == transport->one_packet)
		return false;
	if (way->inlined && verb->is_read)
		return false;
	if (way->shares_receives && (!verb->arrives || transport->needs_srq || transport->own_receives))
		return false;
	/* A plain WRITE completes on one side, and its last byte is the last only where there is an order. */
	if ((way->sleeps || (way->by_latency && !transport->ordered)) && !verb->arrives && !verb->is_read)
		return false;
	return !(way->old_post && transport->names_both);
}

/* All rows in the order of their runs: the simplest of each verb and transport first. 0 or -ENOMEM. */
static int rows_make(struct verify *verify)
{
	const struct verify_row *first[NUM_VERBS][TRANSPORT_COUNT] = {{NULL}};

	verify->rows = calloc(NUM_WAYS * NUM_VERBS * TRANSPORT_COUNT, sizeof(*verify->rows));
	if (!verify->rows)
		return -ENOMEM;
	for (size_t i = 0; i < NUM_WAYS * NUM_VERBS * TRANSPORT_COUNT; i++) {
		const enum transport transport = (enum transport)(i % TRANSPORT_COUNT);
		const unsigned n = i / TRANSPORT_COUNT % NUM_VERBS;
		struct verify_row *row = &verify->rows[verify->num_rows];

		*row = (struct verify_row){.verb = &verbs[n],
					   .transport = transport_traits(transport),
					   .way = &ways[i / TRANSPORT_COUNT / NUM_VERBS]};
		if (!(program_find(row->verb->bandwidth)->transports & TRANSPORT_BIT(transport)) ||
		    !is_test(row->verb, row->transport, row->way))
			continue;
		snprintf(row->outcome.name, sizeof(row->outcome.name), "%s %s: %s", row->verb->name,
			 row->transport->name, row->way->name);
		if (verify->params->only[0] && !strcasestr(row->outcome.name, verify->params->only))
			continue;
		if (!first[n][transport])
			first[n][transport] = row;
		row->first = first[n][transport];
		verify->num_rows++;
	}
	return 0;
}

/* --- a run --- */

/* text, words: room for them, to which the program points. */
static void row_program(const struct verify_params *params, struct verify_row *row, char text[VERIFY_COMMAND_SIZE],
			char *words[MOST_WORDS], struct child_program *program)
{
	unsigned count = 0;
	char *rest;

	words[count++] = (char *)(row->way->by_latency ? row->verb->latency : row->verb->bandwidth);
	if (params->device[0]) {
		words[count++] = (char *)"-d";
		words[count++] = (char *)params->device;
	}
	text[0] = '\0';
	if (params->port)
		text_add(text, VERIFY_COMMAND_SIZE, "-i %u ", params->port);
	text_add(text, VERIFY_COMMAND_SIZE, "-c %s %s", row->transport->name, row->verb->words ?: "");
	if (!row->verb->is_atomic)
		text_add(text, VERIFY_COMMAND_SIZE, " -s %s", row->way->size);
	text_add(text, VERIFY_COMMAND_SIZE, " %s --data_validation", row->way->words);
	for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
		words[count++] = word;
	memcpy(words + count, params->words, params->num_words * sizeof(*words));
	count += params->num_words;
	/* one of the table is there */
	child_program_parse(program, words, count, CHILD_ON_HOSTS, row->command, sizeof(row->command));
	child_program_words(program, row->command, sizeof(row->command));
}

/* Returns 0. */
static int row_end(struct verify_row *row, enum outcome_state state, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
static int row_end(struct verify_row *row, enum outcome_state state, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(row->outcome.words, sizeof(row->outcome.words), format, args);
	va_end(args);
	row->outcome.state = state;
	return 0;
}

/*
 * What the programs say of what a device does not claim, with what stands in front: a word, its name, or these.
 * Whatever else ends a run is a failure.
 */
static const struct {
	const char *predicate, *before;
} lacks[] = {
	{" has no ", NULL},	       /* XRC */
	{" does not support ", NULL},  /* UC, only RC and UD */
	{" is an iWARP device", NULL}, /* ... whose queue pairs can only be connected with rdma_cm */
	{" allows no ", NULL},	       /* READs or atomics in flight */
	{" is for ", "-c "},	       /* DC, to an adapter with the driver mlx5, which it is not */
	{" can have at most ", "a message on "},
	{" can have at most ", "a UD message on "}, /* with an MTU below that of RoCE's usual one */
};

/* No attribute says whether a device has it. */
static const struct {
	const char *words, *means;
} refusals[] = {
	{": Operation not supported; omit --use_wr_api", "the device has no ibv_wr_*()"},
	{": Operation not supported; it may have no events", "the device has no events of completions"}, /* older EFA */
};

/* Returns the sentence, a part of reason, which it shortens; NULL: there is none. */
static const char *lack_find(char *reason)
{
	for (size_t i = 0; i < sizeof(lacks) / sizeof(lacks[0]); i++) {
		const char *before = lacks[i].before;

		for (char *at = strstr(reason, lacks[i].predicate); at; at = strstr(at + 1, lacks[i].predicate)) {
			char *start = at, *end = strstr(at, "; server: ");

			while (start > reason && !(start[-1] == ' ' && start > reason + 1 && start[-2] == ':'))
				start--;
			if (before ? strncmp(start, before, strlen(before)) != 0
				   : strcspn(start, " ") != (size_t)(at - start))
				continue;
			if (end)
				*end = '\0';
			return start;
		}
	}
	for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++)
		if (strstr(reason, refusals[i].words))
			return refusals[i].means;
	return NULL;
}

static void row_judge(struct verify *verify, struct verify_row *row, const json_t *document)
{
	const json_t *device = json_object_get(document, "device");
	const json_int_t inlined = json_integer_value(json_object_get(device, "inline_bytes"));
	const char *name = document_file_text(document, "device", "name"), *reason;
	uint8_t kind;

	printable(name, strlen(name), verify->device, sizeof(verify->device));
	if (strcmp(document_file_text(document, "validation", "verdict"), "passed") != 0)
		row_end(row, OUTCOME_FAILED, "no message was checked");
	else if (row->way->inlined && inlined < atoi(INLINE_BYTES))
		row_end(row, OUTCOME_SKIPPED, "%s sends at most %d bytes inline", verify->device, (int)inlined);
	else if (figure_find(document, &kind, &row->value, &reason))
		row_end(row, OUTCOME_FAILED, "%s", reason);
	else
		row->figure = figure_kinds[kind].key;
	if (row->figure)
		snprintf(row->outcome.shown, sizeof(row->outcome.shown), "%.4g %s",
			 row->value * figure_kinds[kind].to_shown, figure_kinds[kind].unit);
}

/* 0; -EINTR; or -ENODEV: no server can begin, as without the device, or with words that no program takes. */
static int row_run(struct verify *verify, struct verify_row *row, struct deadline budget)
{
	const struct deadline began = deadline_in_ms(0);
	char text[VERIFY_COMMAND_SIZE], *words[MOST_WORDS], reason[TRIAL_REASON_SIZE];
	const struct outcome *first = &row->first->outcome;
	struct child_program program;
	json_t *document = NULL;
	const char *lack;
	int ret;

	if (row != row->first && first->state == OUTCOME_SKIPPED)
		return row_end(row, OUTCOME_SKIPPED, "%s", first->words);
	if (row != row->first && first->state == OUTCOME_FAILED)
		return row_end(row, OUTCOME_SKIPPED, "not run: %s failed", first->name);
	if (deadline_passed(budget))
		return row_end(row, OUTCOME_SKIPPED, "not run: the time of --budget was over");
	row_program(verify->params, row, text, words, &program);
	/* What no program takes of the user's words the first row says; -R is only for some transports. */
	if (row != verify->rows && verify->params->num_words && child_options_fault(&program, reason, sizeof(reason)))
		return row_end(row, OUTCOME_SKIPPED, "%s", reason);
	ret = trial_run(&program, verify->params->limit_s, &document, reason);
	lack = ret ? lack_find(reason) : NULL;
	if (lack)
		row_end(row, OUTCOME_SKIPPED, "%s", lack);
	else if (ret && ret != -EINTR)
		row_end(row, OUTCOME_FAILED, "%s", reason);
	else if (!ret)
		row_judge(verify, row, document);
	if (ret == -ENOTCONN && !lack && row == verify->rows) {
		snprintf(verify->failure, sizeof(verify->failure), "%s", reason);
		ret = -ENODEV;
	}
	row->outcome.seconds = (double)(deadline_in_ms(0).at_ns - began.at_ns) / 1e9;
	json_decref(document);
	return ret == -EINTR || ret == -ENODEV ? ret : 0;
}

/* --- all of them --- */

static void rows_run(struct verify *verify)
{
	const struct deadline began = deadline_in_ms(0);
	const struct deadline budget = deadline_in_ms(1000LL * verify->params->budget_s);
	struct progress progress;
	int ret = 0;

	progress_open(&progress, stderr);
	for (unsigned i = 0; i < verify->num_rows; i++) {
		if (!ret)
			ret = row_run(verify, &verify->rows[i], budget);
		if (ret == -EINTR || (ret && i)) /* where no server can begin the first row says why */
			row_end(&verify->rows[i], OUTCOME_SKIPPED, "%s",
				ret == -EINTR ? "stopped by the user" : "not run: no server can begin");
		verify->seconds = (double)(deadline_in_ms(0).at_ns - began.at_ns) / 1e9;
		progress_share(&progress, (i + 1.0) / verify->num_rows);
	}
	progress_clear(&progress);
	verify->interrupted = ret == -EINTR;
}

static int verify_run(struct verify *verify, struct envelope *envelope)
{
	const struct verify_params *params = verify->params;
	int status;

	if (rows_make(verify)) {
		log_error("no memory for the rows");
		return EXIT_STATUS_FAILURE;
	}
	if (!verify->num_rows) {
		log_error("no claim has '%s' in its name", params->only);
		return EXIT_STATUS_USAGE;
	}
	rows_run(verify);
	status = verify_status(verify);
	if (params->output.format != FORMAT_JSON && (!verify->failure[0] || outcome_is_format(params->output.format)))
		verify_print(verify, stdout);
	if (verify->failure[0])
		log_error("nothing can be run: %s", verify->failure);
	else if (status == EXIT_STATUS_FAILURE)
		log_error("no claim could be tried; the first: %s", verify->rows[0].outcome.words);
	if (envelope_is_open(envelope) && verify_export(verify, envelope))
		status = EXIT_STATUS_FAILURE;
	return stdio_status() ? EXIT_STATUS_FAILURE : status;
}

int verify_main(int argc, char **argv)
{
	static struct verify_params params;
	struct verify verify = {.params = &params};
	struct envelope envelope = {0};
	int status;
	const int own = command_begin(&verify_cli, argc, argv, &params, &status);

	if (!own)
		return status;
	if (own < argc && strcmp(argv[own], "--") != 0) {
		log_error("%s: options for the programs are behind --", opt_quote(argv[own]).text);
		return EXIT_STATUS_USAGE;
	}
	params.words = argv + own + (own < argc);
	params.num_words = (unsigned)(argv + argc - params.words);
	if (params.num_words > MOST_WORDS / 2)
		return cli_usage_error("there are too many words behind --");
	snprintf(verify.device, sizeof(verify.device), "%s", params.device);
	if (command_open(&envelope, &params.output))
		return EXIT_STATUS_FAILURE;
	status = verify_run(&verify, &envelope);
	envelope_close(&envelope);
	free(verify.rows);
	return status;
}
