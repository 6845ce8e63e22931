// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Messages for the user. Every layer calls it; report reads the warnings. */
#include "util/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>

#include "util/terminal.h"

#define INDENT	  4  /* of all lines of a message but the first: its details, and on a terminal what is folded */
#define LOUD	  20 /* errors that clients cause and that are printed, per minute */
#define MINUTE_MS 60000

static const char *program_name = "perftest";
static char subject[LOG_SUBJECT_SIZE];
static char *warnings[LOG_MAX_WARNINGS];
static size_t num_warnings;
static char last_error[LOG_TEXT_SIZE];
static bool is_verbose;
static bool uses_syslog;

void log_set_program(const char *name)
{
	program_name = name;
}

void log_set_subject(const char *text)
{
	snprintf(subject, sizeof(subject), "%s", text);
}

void log_to_syslog(void)
{
	openlog(program_name, LOG_PID, LOG_DAEMON);
	uses_syslog = true;
}

void log_keep_warning(const char *text)
{
	for (size_t i = 0; i < num_warnings; i++)
		if (strcmp(warnings[i], text) == 0)
			return;
	if (num_warnings == LOG_MAX_WARNINGS)
		return;
	warnings[num_warnings] = strdup(text);
	if (warnings[num_warnings])
		num_warnings++;
}

/* Appends a line of a message; on a terminal one that is wider is folded, which leaves a single blank between words. */
static void line_add(char *lines, size_t size, const char *text, int indent)
{
	const int columns = terminal_columns(stderr);
	char folded[3 * LOG_TEXT_SIZE];

	if (columns && indent + strlen(text) > (size_t)columns)
		text = text_fold(text, columns, indent, INDENT, folded, sizeof(folded));
	text_add(lines, size, "%*s%s\n", indent, "", text);
}

/*
 * Formats the text and prints it: the message on one line, details after a line break on a second one. Both are kept as
 * one line. One fputs(): stderr is unbuffered, so a message is written in one piece, whatever other programs write
 * there.
 */
static void __attribute__((format(printf, 3, 0)))
line_print(const char *kind, char text[LOG_TEXT_SIZE], const char *format, va_list args)
{
	char made[LOG_TEXT_SIZE], first[LOG_TEXT_SIZE + LOG_SUBJECT_SIZE + 128], lines[4 * LOG_TEXT_SIZE] = "";
	char *details;

	vsnprintf(made, sizeof(made), format, args);
	details = strchr(made, '\n');
	if (details) {
		*details++ = '\0';
		without_controls(details);
	}
	without_controls(made);
	snprintf(first, sizeof(first), "%s: %s%s%s%s", program_name, kind, subject, subject[0] ? ": " : "", made);
	line_add(lines, sizeof(lines), first, 0);
	if (details)
		line_add(lines, sizeof(lines), details, INDENT);
	if (uses_syslog)
		syslog(LOG_DAEMON | LOG_NOTICE, "%s", first + strlen(program_name) + 2);
	else
		fputs(lines, stderr);
	snprintf(text, LOG_TEXT_SIZE, "%s", made);
	if (details)
		text_add(text, LOG_TEXT_SIZE, "; %s", details);
}

void log_line(enum log_kind kind, const char *format, ...)
{
	static const char *const words[LOG_OF_CLASSIC] = {"error: ", "warning: ", "", "", ""};
	char text[LOG_TEXT_SIZE];
	va_list args;

	if ((kind == LOG_OF_HUMAN && !terminal_is_watched(stderr)) || (kind == LOG_OF_DETAIL && !is_verbose))
		return;
	va_start(args, format);
	if (kind == LOG_OF_CLASSIC) {
		vsnprintf(text, sizeof(text), format, args);
		fprintf(stderr, "%s\n", without_controls(text));
	} else {
		line_print(words[kind], text, format, args);
	}
	va_end(args);
	if (kind == LOG_OF_ERROR)
		memcpy(last_error, text, sizeof(text));
	if (kind == LOG_OF_WARNING)
		log_keep_warning(text);
}

const char *log_last_error(void)
{
	return last_error;
}

void log_set_verbose(bool verbose)
{
	is_verbose = verbose;
}

bool log_is_verbose(void)
{
	return is_verbose;
}

size_t log_warning_count(void)
{
	return num_warnings;
}

const char *log_warning_at(size_t index)
{
	return warnings[index];
}

void log_forget_warnings(size_t count)
{
	while (num_warnings > count)
		free(warnings[--num_warnings]);
}

bool complaints_are_many(const struct complaints *complaints)
{
	return complaints->failed >= LOUD;
}

void complaints_add(struct complaints *complaints, bool left_out)
{
	complaints->failed++;
	complaints->left_out += left_out;
}

void complaints_renew(struct complaints *complaints)
{
	if (!deadline_passed(complaints->end))
		return;
	if (complaints->left_out)
		log_info("%u more clients failed without a report", complaints->left_out);
	*complaints = (struct complaints){.end = deadline_in_ms(MINUTE_MS)};
}
