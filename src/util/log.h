/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One line to stderr for the user; stdout is for results only. An error says the cause and what to
 * do; details follow on a second, indented line: they stand behind a '\n' in the text.
 * What is kept (log_last_error(), warnings) has "; " there. At a terminal lines are folded to its width.
 * The function that decides that something is an error calls log_error() once; callers
 * above only pass the code on.
 */
#ifndef UTIL_LOG_H
#define UTIL_LOG_H

#include <stdbool.h>
#include <stddef.h>

/* Longest text of a line, the end cut off beyond it. */
#define LOG_TEXT_SIZE 1024

/* Name in front of every line, "perftest" until it is set; keeps the pointer. */
void log_set_program(const char *name);

/*
 * In front of the text of every line from now on, behind its kind: whom it is about, where one program serves many.
 * Copies the text. What is kept of a line has no such word.
 */
#define LOG_SUBJECT_SIZE 64
void log_set_subject(const char *subject);

/* From now on to syslog(3), for a program that has left its terminal. */
void log_to_syslog(void);

/* "NAME: error: text\n". The format has no trailing newline. */
void log_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The text of the newest error, "" before the first: for the peer and the JSON document. */
const char *log_last_error(void);

/*
 * "NAME: warning: text\n". Kept as well, for the JSON document: a warning changes what a number means.
 * The same text is kept once, and LOG_MAX_WARNINGS texts at most, so that an endless run stays small.
 */
#define LOG_MAX_WARNINGS 64
void log_warning(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* "NAME: text\n": progress and hints; never kept. */
void log_info(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same for a human who waits: only where stderr is a terminal. */
void log_human(const char *format, ...) __attribute__((format(printf, 1, 2)));

/*
 * "text\n", without a name in front: a line in the words of linux-rdma perftest, which scripts wait for. What
 * this suite has to say stands in the next line.
 */
void log_classic(const char *format, ...) __attribute__((format(printf, 1, 2)));

/*
 * As log_info(), but only where --verbose asked for it: what the program chose by itself, and why. What it costs to
 * find out is worth a look at log_is_verbose() first.
 */
void log_set_verbose(bool verbose);
bool log_is_verbose(void);
void log_detail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The warnings so far, oldest first; index < log_warning_count(). */
size_t log_warning_count(void);
const char *log_warning_at(size_t index);
/* All but the oldest count of them. */
void log_forget_warnings(size_t count);

#endif
