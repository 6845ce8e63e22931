// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Reads the file of `perftest run -f`. Words are quoted as for a shell (POSIX.1-2017, Shell Command Language, 2.2), but
 * nothing is expanded: what would be is refused, unless it is quoted.
 */
#include "front/batch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "params/engine/opt.h"
#include "util/file.h"
#include "util/log.h"

#define MOST_LINE 65536 /* bytes */

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
		*fault = "it does not begin with a name of letters, digits, '.', '_' and '-', and a colon, as in "
			 "NAME: ib_write_bw -n 500";
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
	if (host[0] && run->program.host_at < 0) {
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

	line[strcspn(line, "\r\n")] = '\0';
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

int batch_file_read(struct batch_file *file, const char *path, char *host)
{
	FILE *stream = input_file_open(path);
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
	if (stream)
		fclose(stream);
	return ret;
}

void batch_file_close(struct batch_file *file)
{
	for (unsigned i = 0; i < file->num_runs; i++)
		free(file->runs[i].text);
	free(file->runs);
	*file = (struct batch_file){0};
}
