/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Messages to stderr for the user; stdout is only for results. An error names the cause and what to do; details are on
 * a second line: they follow a '\n' in the text. Kept texts (log_last_error(), warnings) have "; " there. On a
 * terminal lines are folded to its width; all lines but the first have the same indentation. The function that decides
 * that something is an error calls log_error() once; its callers only return the code.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "util/deadline.h"

/* Maximum length of a line's text; longer ones are truncated. */
#define LOG_TEXT_SIZE 1024

/* The name before every line, "perftest" until it is set; keeps the pointer. */
void log_set_program(const char *name);

/*
 * Text before that of every line from now on, after its kind: which connection it is about, if one program serves many.
 * Copies the text. Kept texts do not include it.
 */
#define LOG_SUBJECT_SIZE 64
void log_set_subject(const char *subject);

/* From now on logs to syslog(3), for a program that has detached from its terminal. */
void log_to_syslog(void);

/* What a line is; the macros below say what each is for. The format has no trailing newline. */
enum log_kind { LOG_OF_ERROR, LOG_OF_WARNING, LOG_OF_INFO, LOG_OF_HUMAN, LOG_OF_DETAIL, LOG_OF_CLASSIC };
void log_line(enum log_kind kind, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* "NAME: error: text\n". */
#define log_error(...) log_line(LOG_OF_ERROR, __VA_ARGS__)

/* The same where a function fails: return log_fail(-EINVAL, "..."). A macro, so that the compiler knows the value. */
#define log_fail(error, ...) (log_error(__VA_ARGS__), (error))

/* The text of the last error, "" if there is none: for the peer and the JSON document. */
const char *log_last_error(void);

/*
 * "NAME: warning: text\n". Also kept for the JSON document: a warning changes the meaning of a figure or of the status.
 * Those who connect and are no peers, options without effect (but for the words of qperf 0.4.11) and whatever is on its
 * way change neither: log_info(). The same text is kept once, and at most LOG_MAX_WARNINGS texts, so that memory stays
 * bounded.
 */
#define LOG_MAX_WARNINGS 64
#define log_warning(...) log_line(LOG_OF_WARNING, __VA_ARGS__)

/* Keeps a text as log_warning() does, without printing it: another process of the same run has. */
void log_keep_warning(const char *text);

/* "NAME: text\n": progress, hints, and who is kept out; never kept. */
#define log_info(...) log_line(LOG_OF_INFO, __VA_ARGS__)

/* The same for a user who waits: only if stderr is a terminal, and stdin, too. */
#define log_human(...) log_line(LOG_OF_HUMAN, __VA_ARGS__)

/*
 * "text\n", without a name: a line in the words of linux-rdma perftest, which scripts wait for. What this suite adds is
 * on the next line.
 */
#define log_classic(...) log_line(LOG_OF_CLASSIC, __VA_ARGS__)

/*
 * Like log_info(), but only with --verbose: what the program chose by itself, and why. If that is expensive to find
 * out, check log_is_verbose() first.
 */
void log_set_verbose(bool verbose);
bool log_is_verbose(void);
#define log_detail(...) log_line(LOG_OF_DETAIL, __VA_ARGS__)

/* The warnings so far, oldest first; index < log_warning_count(). */
size_t log_warning_count(void);
const char *log_warning_at(size_t index);
/* Discards all but the oldest count of them. */
void log_forget_warnings(size_t count);

/* --- messages that clients of a server can cause, however often: at most some of them a minute are printed --- */

/* Zeroed at first. */
struct complaints {
	struct deadline end; /* end of the minute */
	unsigned failed;     /* number of clients */
	unsigned left_out;   /* those that were not printed */
};

/* Have there been so many in this minute that the next one is not to be printed? */
bool complaints_are_many(const struct complaints *complaints);
/* A client failed; left_out: without a message. */
void complaints_add(struct complaints *complaints, bool left_out);
/* If the minute is over: prints one line for all that were left out. */
void complaints_renew(struct complaints *complaints);
