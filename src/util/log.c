// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What must the user be told? Every layer calls it; report asks for the warnings. */
#include "util/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *program_name = "perftest";
static char *warnings[LOG_MAX_WARNINGS];
static size_t num_warnings;
static char last_error[LOG_TEXT_SIZE];
static bool is_verbose;

void log_set_program(const char *name)
{
	program_name = name;
}

static void warning_keep(const char *text)
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

/*
 * Makes the text and prints its line. One fprintf(): stderr is unbuffered, so that a line reaches a
 * terminal or a file in one piece whatever another program writes there.
 */
static void __attribute__((format(printf, 3, 0)))
line_print(const char *kind, char text[LOG_TEXT_SIZE], const char *format, va_list args)
{
	vsnprintf(text, LOG_TEXT_SIZE, format, args);
	fprintf(stderr, "%s: %s%s\n", program_name, kind, text);
}

void log_error(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	line_print("error: ", last_error, format, args);
	va_end(args);
}

const char *log_last_error(void)
{
	return last_error;
}

void log_warning(const char *format, ...)
{
	char text[LOG_TEXT_SIZE];
	va_list args;

	va_start(args, format);
	line_print("warning: ", text, format, args);
	va_end(args);
	warning_keep(text);
}

void log_info(const char *format, ...)
{
	char text[LOG_TEXT_SIZE];
	va_list args;

	va_start(args, format);
	line_print("", text, format, args);
	va_end(args);
}

void log_classic(const char *format, ...)
{
	char text[LOG_TEXT_SIZE];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	fprintf(stderr, "%s\n", text);
}

void log_set_verbose(bool verbose)
{
	is_verbose = verbose;
}

bool log_is_verbose(void)
{
	return is_verbose;
}

void log_detail(const char *format, ...)
{
	char text[LOG_TEXT_SIZE];
	va_list args;

	if (!is_verbose)
		return;
	va_start(args, format);
	line_print("", text, format, args);
	va_end(args);
}

size_t log_warning_count(void)
{
	return num_warnings;
}

const char *log_warning_at(size_t index)
{
	return warnings[index];
}
