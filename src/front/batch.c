// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* `perftest run -f FILE`: the runs of a file, one after the other, and one document with all of theirs. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "front/command.h"
#include "front/compare/comparison.h"
#include "front/document_file.h"
#include "front/launch/sibling.h"
#include "front/options.h"
#include "front/sheet.h"
#include "params/engine/opt.h"
#include "params/programs.h"
#include "report/envelope.h"
#include "util/file.h"
#include "util/log.h"
#include "util/process.h"
#include "util/terminal.h"

#define MOST_LINE   65536 /* bytes */
#define NUM_COLUMNS 5
#define NAME_WIDTH  16

#define BATCH_MOST_RUNS	 1000
#define BATCH_MOST_WORDS 256 /* of a command line */
#define BATCH_NAME_SIZE	 64  /* with its NUL */

struct batch_run {
	char name[BATCH_NAME_SIZE]; /* no two have the same */
	char *words[BATCH_MOST_WORDS + 1];
	struct child_program program; /* of these words */
	char *text;		      /* of the line, in which they are */
};

struct batch_file {
	struct batch_run *runs;
	unsigned num_runs;
};

struct batch {
	const struct batch_params *params;
	struct batch_file file;
	struct envelope envelope;
	struct sheet table;				  /* of the text */
	unsigned end;					  /* the worst of ends[] so far */
	char reason[TRIAL_REASON_SIZE + BATCH_NAME_SIZE]; /* of the first such run */
};

/* --- the file --- */

/*
 * Words are quoted as for a shell (POSIX.1-2017, Shell Command Language, 2.2), but nothing is expanded: what would be
 * is refused, unless it is quoted.
 */

/* A word ends at *at, which is moved behind it; it is unquoted in place. NULL and *fault, or NULL: there is none. */
static char *word_take(char **at, const char **fault)
{
	char *from = *at + strspn(*at, " \t"), *to = from, *word = from, quote = '\0';

	*at = from;
	if (!*from || *from == '#')
		return NULL;
	for (; *from && (quote || (*from != ' ' && *from != '\t')); from++) {
		if (quote == '\'' ? *from == '\'' : *from == '"' || (!quote && *from == '\'')) {
			quote = quote ? '\0' : *from;
		} else if (quote != '\'' && strchr(quote ? "$`" : "$`|&;<>()", *from)) {
			*fault = "$ ` | & ; < > ( and ) are for a shell: put them in '...'";
			return NULL;
		} else if (!quote && *from == '\\' && !from[1]) {
			*fault = "a \\ at its end continues nothing: each run is one line";
			return NULL;
		} else {
			if (quote != '\'' && *from == '\\' && from[1] && (!quote || strchr("$`\"\\", from[1])))
				from++;
			*to++ = *from;
		}
	}
	if (quote) {
		*fault = "a quotation mark is not closed";
		return NULL;
	}
	*at = *from ? from + 1 : from;
	*to = '\0';
	return word;
}

/* NAME: in front of a command. Returns what follows it; NULL and *fault. */
static char *name_take(const struct batch_file *file, struct batch_run *run, char *line, const char **fault)
{
	const size_t length = strspn(line, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-");

	*fault = NULL;
	if (!length || line[length] != ':')
		*fault = "it does not begin with a name of letters, digits, '.', '_' and '-', and a colon, as in NAME: "
			 "ib_write_bw -n 500";
	else if (length >= sizeof(run->name))
		*fault = "its name is too long";
	if (*fault)
		return NULL;
	snprintf(run->name, sizeof(run->name), "%.*s", (int)length, line);
	for (unsigned i = 0; i < file->num_runs; i++)
		if (strcmp(file->runs[i].name, run->name) == 0)
			*fault = "another line has the same name";
	return *fault ? NULL : line + length + 1;
}

static const char *command_take(struct batch_run *run, char *text, char *host, char hint[OPT_TEXT_SIZE])
{
	const char *fault = NULL;
	unsigned count = 0;

	for (char *word; (word = word_take(&text, &fault)); run->words[count++] = word)
		if (count == BATCH_MOST_WORDS)
			return "it has too many words";
	if (fault)
		return fault;
	if (!count)
		return "there is no program behind the name";
	if (child_program_parse(&run->program, run->words, count, CHILD_HERE, hint, OPT_TEXT_SIZE))
		return hint;
	fault = child_options_fault(&run->program, hint, OPT_TEXT_SIZE);
	if (fault)
		return fault;
	if (host[0] && !run->program.is_alone) {
		run->program.is_alone = true;
		run->program.host_at = (int)run->program.num_options++;
		run->words[count] = host;
	}
	return NULL;
}

/* NULL, or what is wrong. */
static const char *line_take(struct batch_file *file, char *line, char *host, char hint[OPT_TEXT_SIZE])
{
	struct batch_run *run = &file->runs[file->num_runs];
	const char *fault;
	char *command;

	line[strcspn(line, "\n")] = '\0';
	if (strchr(line, '\r') && strchr(line, '\r')[1])
		return "it has a carriage return: begin each run after a newline";
	line[strcspn(line, "\r")] = '\0';
	line += strspn(line, " \t");
	if (!*line || *line == '#')
		return NULL;
	if (file->num_runs == BATCH_MOST_RUNS)
		return "there are too many runs";
	command = name_take(file, run, line, &fault);
	if (!command)
		return fault;
	run->text = strdup(command);
	file->num_runs++;
	return run->text ? command_take(run, run->text, host, hint) : "out of memory";
}

/*
 * Reads and checks all of it. host: of those that name none; "": they have both sides here. 0, or -EINVAL, reported as
 * FILE:LINE: ...; to be closed in any case.
 */
static int batch_file_read(struct batch_file *file, const char *path, char *host)
{
	FILE *stream = strcmp(path, "-") == 0 ? stdin : input_file_open(path);
	char hint[OPT_TEXT_SIZE], *line = malloc(MOST_LINE);
	const char *fault = NULL;
	unsigned number = 0;
	int ret = -EINVAL;

	*file = (struct batch_file){.runs = calloc(BATCH_MOST_RUNS + 1, sizeof(*file->runs))};
	if (!stream || !file->runs || !line) {
		log_error("cannot read %s: %s", path, strerror(errno));
		goto out;
	}
	errno = 0;
	while (!fault && fgets(line, MOST_LINE, stream)) {
		const size_t length = strlen(line);

		number++;
		if ((!length || line[length - 1] != '\n') && !feof(stream))
			fault = "it is too long, or has a NUL";
		else
			fault = line_take(file, line, host, hint);
	}
	if (fault)
		log_error("%s:%u: %s", path, number, fault);
	else if (ferror(stream))
		log_error("cannot read %s: %s", path, strerror(errno));
	else if (!file->num_runs)
		log_error("%s names no run; each has a line, as: name: ib_write_bw -s 4K", path);
	else
		ret = 0;
out:
	free(line);
	if (stream && stream != stdin) /* whose descriptor no pipe shall have */
		fclose(stream);
	return ret;
}

static void batch_file_close(struct batch_file *file)
{
	for (unsigned i = 0; i < file->num_runs; i++)
		free(file->runs[i].text);
	free(file->runs);
	*file = (struct batch_file){0};
}

/* --- how it ended --- */

/* The words of documents, from the best to the worst. */
static const struct {
	const char *word;
	int status;
} ends[] = {
	{"complete", EXIT_STATUS_OK},		{"below limit", EXIT_STATUS_LIMIT}, {"above limit", EXIT_STATUS_LIMIT},
	{"wrong data", EXIT_STATUS_VALIDATION}, {"failed", EXIT_STATUS_FAILURE},
};

#define NUM_ENDS (sizeof(ends) / sizeof(ends[0]))
#define FAILED	 (NUM_ENDS - 1)

/* What the client says counts, unless its run failed as a whole: by --limit, or on the server. */
static unsigned end_of(const json_t *document, int ret)
{
	const char *own = document_file_text(document, NULL, "status");
	unsigned n = 0;

	while (n < FAILED && strcmp(own, ends[n].word) != 0)
		n++;
	return ret && !n ? FAILED : n;
}

/* --- the document --- */

static json_t *words_json(const struct batch_run *run)
{
	json_t *words = json_array();

	json_array_append_new(words, envelope_text(run->words[0]));
	for (unsigned i = 0; i < run->program.num_options; i++)
		json_array_append_new(words, envelope_text(run->program.options[i]));
	return words;
}

/* The run's name is a label, too, so that its figures keep it for a monitor; its own labels win. */
static void document_label(const struct batch *batch, const struct batch_run *run, json_t *document)
{
	json_t *labels = envelope_labels(batch->params->output.labels);

	json_object_set_new(labels, "run", json_string(run->name));
	json_object_update(labels, json_object_get(document, "labels"));
	json_object_set_new(document, "labels", labels);
}

static void document_add(struct batch *batch, const struct batch_run *run, json_t *document, const char *status,
			 const char *reason)
{
	const json_t *missed = json_object_get(document, "missed_limits");
	char sentence[TRIAL_REASON_SIZE];

	for (size_t i = 0; i < json_array_size(missed); i++) {
		snprintf(sentence, sizeof(sentence), "%s: %s", run->name,
			 json_string_value(json_array_get(missed, i)) ?: "");
		json_array_append_new(batch->envelope.missed_limits, envelope_text(sentence));
	}
	if (!envelope_is_open(&batch->envelope))
		return;
	if (document)
		document_label(batch, run, document);
	envelope_put_measurement(&batch->envelope, json_pack("{s:s, s:s, s:o, s:s, s:o, s:O?}", "kind", "run", "name",
							     run->name, "command", words_json(run), "status", status,
							     "reason", envelope_known(reason), "document", document));
	/* So that the file has all runs so far, whatever ends this process. */
	envelope_show(&batch->envelope);
}

/* --- text --- */

static const char *const headings[NUM_COLUMNS] = {"run", "of", "figure", "measured", "unit"};
static const int widths[NUM_COLUMNS] = {-NAME_WIDTH, 22, -18, 9, -4}; /* below 0: to the left */

static void figures_print(struct sheet *table, const struct batch_run *run, json_t *document)
{
	json_t *const twice[COMPARE_NUM_SIDES] = {document, document};
	struct comparison comparison = {.num_pairs = 0};
	const bool is_long = strlen(run->name) > NAME_WIDTH; /* then it has a line of its own */

	if (document && !comparison_add(&comparison, twice))
		for (unsigned i = 0; i < comparison.num_figures; i++) {
			const struct comparison_figure *figure = &comparison.figures[i];

			if (is_long && !i)
				printf(" %s\n", run->name);
			sheet_cell(table, "%s", is_long ? "" : run->name);
			sheet_cell(table, "%s", figure->subject);
			sheet_cell(table, "%s", figure->kind->name);
			sheet_cell(table, "%.4g", figure->values[0][0] * figure->kind->to_shown);
			sheet_cell(table, "%s", figure->kind->unit);
		}
	comparison_close(&comparison);
	stdio_check(fflush(stdout));
}

/* --- the runs --- */

/* Its details are on a line of their own, as in the program's own words (util/log.h). */
static void fault_report(const char *name, const char *reason)
{
	const char *details = strstr(reason, "; ");

	log_error("%s: %.*s%s%s", name, details ? (int)(details - reason) : -1, reason, details ? "\n" : "",
		  details ? details + strlen("; ") : "");
}

/* 0 or -EINTR. */
static int batch_run_once(struct batch *batch, const struct batch_run *run)
{
	char reason[TRIAL_REASON_SIZE] = "";
	json_t *document = NULL;
	const int ret = trial_run(&run->program, batch->params->limit_s, &document, reason);
	const unsigned end = end_of(document, ret);
	const char *own = document_file_text(document, NULL, "reason");
	json_t *warning;
	size_t i;

	if (ret == -EINTR)
		snprintf(reason, sizeof(reason), "stopped by the user");
	else if (end && (!ret || end != FAILED))
		readable(own, strlen(own), reason, sizeof(reason));
	if (ret != -EINTR && end)
		fault_report(run->name, reason);
	if (ret != -EINTR && end > batch->end) {
		batch->end = end;
		snprintf(batch->reason, sizeof(batch->reason), "%s: %s", run->name, reason);
	}
	json_array_foreach(json_object_get(document, "warnings"), i, warning)
		log_warning("%s: %s", run->name, json_string_value(warning) ?: "");
	if (batch->params->output.format == FORMAT_TEXT)
		figures_print(&batch->table, run, document);
	document_add(batch, run, document, ret == -EINTR ? "interrupted" : ends[end].word, reason);
	json_decref(document);
	return ret == -EINTR ? ret : 0;
}

static int batch_run_all(struct batch *batch)
{
	const struct batch_params *params = batch->params;
	int ret = 0, status;

	if (params->output.format == FORMAT_TEXT)
		sheet_table_begin(&batch->table, NULL, false, 0, headings, NUM_COLUMNS);
	if (envelope_is_open(&batch->envelope)) {
		envelope_begin(&batch->envelope, "perftest", "host", "batch");
		envelope_put_member(&batch->envelope, "parameters", json_pack("{s:i}", "limit", (int)params->limit_s));
		envelope_put_member(&batch->envelope, "batch",
				    json_pack("{s:o, s:i}", "file", envelope_text(params->path), "runs",
					      (int)batch->file.num_runs));
		envelope_begin_measurements(&batch->envelope);
	}
	for (unsigned i = 0; i < batch->file.num_runs && !ret; i++)
		ret = batch_run_once(batch, &batch->file.runs[i]);
	status = ret ? EXIT_STATUS_INTERRUPTED : ends[batch->end].status;
	if (envelope_is_open(&batch->envelope)) {
		envelope_end_measurements(&batch->envelope);
		if (envelope_end(&batch->envelope, ret ? "interrupted" : ends[batch->end].word,
				 ret ? "stopped by the user" : batch->reason))
			status = EXIT_STATUS_FAILURE;
	}
	return stdio_status() ? EXIT_STATUS_FAILURE : status;
}

/* --- the command --- */

int batch_main(int argc, char **argv)
{
	static struct batch_params params;
	struct batch batch = {
		.params = &params,
		.table = {.out = stdout, .widths = widths},
	};
	char none[] = "", fault[OPT_TEXT_SIZE];
	int status = EXIT_STATUS_FAILURE;
	int own = command_begin(&batch_cli, argc, argv, &params, &status);

	if (own && own < argc && (program_find(argv[own]) || sibling_find(argv[own]))) {
		opt_refuse(fault, sizeof(fault),
			   "options in front of '%s' are for -f FILE, whose lines have the programs", argv[own]);
		return cli_usage_error(fault);
	}
	if (own)
		own = command_begin_operands(&batch_cli, argc, argv, &params, &status);
	if (!own)
		return status;
	if (!params.path[0])
		return cli_usage_error("a program, or -f FILE with the runs: which is it?");
	if (argc - own > 1)
		return cli_usage_error("one HOST, for all runs that name none, is all that follows -f FILE");
	if (batch_file_read(&batch.file, params.path, own < argc ? argv[own] : none)) {
		batch_file_close(&batch.file);
		return EXIT_STATUS_USAGE;
	}
	if (!command_open(&batch.envelope, &params.output)) {
		batch.envelope.missed_limits = json_array();
		status = batch_run_all(&batch);
	}
	envelope_close(&batch.envelope);
	batch_file_close(&batch.file);
	return status;
}
