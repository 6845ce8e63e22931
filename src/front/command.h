/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the commands of `perftest` have in common. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "params/engine/cli.h"
#include "util/output.h"

/*
 * Begins a command: reads its options, at most 32, the first of which is --help, and which come before a program or
 * other words: those have options of their own. Returns how many words they are, with argv[0]; or 0: the command is
 * over with *status, since its help was printed, or a mistake reported.
 */
int command_begin(const struct cli *cli, int argc, char **argv, void *params, int *status);
/* The same for a command with operands alone, among which its options may be: they are put in front of those. */
int command_begin_operands(const struct cli *cli, int argc, char **argv, void *params, int *status);

struct envelope;
/* Opens the JSON document, if there is one; valid as long as the options. 0 or -errno, reported. */
int command_document(struct envelope *envelope, const struct output_options *output);
/* The same, and starts the clock, and from here on the user may stop the command. */
int command_open(struct envelope *envelope, const struct output_options *output);
/*
 * What print() writes, to standard output or to a file that is whole or not there. path: "": standard output. print:
 * 0 or -errno. Returns an enum exit_status; a failure is reported.
 */
int command_write(const char *path, int (*print)(const void *data, FILE *out), const void *data);

/* The end of the document. Why: limit, if one was missed, and failure, if it failed. 0 or -errno, reported. */
int command_end(struct envelope *envelope, int status, const char *limit, const char *failure);
/* A sentence of the result, folded where a person reads it. out NULL: as an error, where the result is for a program.
 */
void command_sentence(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same as an item of a list in Markdown, where what names and commands have in them is text. */
void command_item(FILE *out, bool markdown, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* front.c: what main() returns, an enum exit_status. */
int front_main(int argc, char **argv);

/* The rows of front.c, each in the file of its noun. */
int run_main(int argc, char **argv);
int batch_main(int argc, char **argv); /* of run -f */
int ssh_main(int argc, char **argv);
int other_side_main(int argc, char **argv);
int matrix_main(int argc, char **argv);
int list_main(int argc, char **argv);
int doctor_main(int argc, char **argv);
int compare_main(int argc, char **argv);
int serve_main(int argc, char **argv);
int gate_main(int argc, char **argv);
int verify_main(int argc, char **argv);
int merge_main(int argc, char **argv);
int metrics_main(int argc, char **argv);
int report_main(int argc, char **argv);
