// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Parses a command line: walks argv, finds each option's row and stores its value. Called by params_parse(), and by
 * programs with tables of their own.
 */
#include "params/engine/opt.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "params/engine/opt_name.h"
#include "util/arith.h"
#include "util/terminal.h"
#include "util/units.h"

#define LISTED	  "--help lists them all"
#define NOT_HERE  "this version does not have %s: %s"
#define MAX_NAME  64 /* of an option name that is shown */
#define MAX_NAMES (1 + OPT_MAX_ALIASES)

/* The state of a pass over argv. */
struct arg_cursor {
	const struct opt_table *table;
	unsigned program;
	int argc;
	char **argv;
	int next; /* index of the next argument */
	void *values;
	struct opt_found *found;
	char *reason;
	size_t reason_size;
};

/* What is wrong with the command line; returns -EINVAL. */
#define REFUSE(args, ...) opt_refuse((args)->reason, (args)->reason_size, __VA_ARGS__)

/* --- names --- */

static const char *row_name(const struct opt_row *row, unsigned index)
{
	return index ? row->aliases[index - 1] : row->long_name;
}

/* Options of different programs may share names: those of this program (0: of any) come first, then long names. */
static const struct opt_row *find_exact(const struct opt_table *table, unsigned program, const char *text,
					size_t length)
{
	const struct opt_row *foreign = NULL;

	for (unsigned n = 0; n < MAX_NAMES; n++) {
		for (unsigned i = 0; i < table->num_rows; i++) {
			const struct opt_row *row = &table->rows[i];

			if (!row_name(row, n) || !opt_name_equals(row_name(row, n), text, length))
				continue;
			if (!program || row->programs & program)
				return row;
			if (!foreign)
				foreign = row;
		}
	}
	return foreign;
}

bool opt_group_is_used(const struct opt_table *table, unsigned group, unsigned program)
{
	for (unsigned i = 0; i < table->num_rows; i++)
		if (table->rows[i].group == group && table->rows[i].programs & program)
			return true;
	return false;
}

const struct opt_row *opt_find(const struct opt_table *table, const char *name)
{
	return find_exact(table, 0 /* of any program */, name, strlen(name));
}

bool opt_has(const struct opt_table *table, unsigned program, const char *name, size_t length)
{
	const struct opt_row *row = find_exact(table, program, name, length);

	return row && row->programs & program;
}

/* Is the name of one that of the other, and more? */
static bool continues(const struct opt_row *longer, const struct opt_row *shorter)
{
	return opt_name_begins(longer->long_name, shorter->long_name, strlen(shorter->long_name));
}

/*
 * The number of rows of these programs with a name that begins so; *row is the first. --siz is --size, as it was before
 * there was --sizes.
 */
static unsigned count_abbreviated(const struct opt_table *table, unsigned programs, const char *text, size_t length,
				  const struct opt_row **row)
{
	unsigned count = 0;

	for (unsigned i = 0; i < table->num_rows; i++) {
		const struct opt_row *candidate = &table->rows[i];
		bool begins = false;

		for (unsigned n = 0; n < MAX_NAMES && candidate->programs & programs; n++)
			begins |= row_name(candidate, n) && opt_name_begins(row_name(candidate, n), text, length);
		if (!begins || (count && continues(candidate, *row)))
			continue;
		if (count && continues(*row, candidate))
			*row = candidate;
		else if (!count++)
			*row = candidate;
	}
	return count;
}

/*
 * The option of these programs that was probably meant, or NULL: one whose name the text ends with, otherwise the only
 * one whose name ends with the text (--histogram), otherwise one of which at most a third of the characters differ.
 */
static const struct opt_row *find_similar(const struct opt_table *table, unsigned programs, const char *text,
					  size_t length)
{
	unsigned best = (unsigned)length / 3 + 1, num_longer = 0;
	const struct opt_row *similar = NULL, *longer = NULL;

	for (unsigned i = 0; i < table->num_rows; i++) {
		const struct opt_row *row = &table->rows[i];

		for (unsigned n = 0; n < MAX_NAMES && row->programs & programs; n++) {
			const char *name = row_name(row, n);
			unsigned distance;

			if (!name)
				continue;
			if (opt_name_ends(name, strlen(name), text, length) && longer != row) {
				longer = row;
				num_longer++;
			}
			distance = opt_name_ends(text, length, name, strlen(name))
					   ? 0
					   : opt_name_distance(name, text, length);
			if (distance < best) {
				best = distance;
				similar = row;
			}
		}
	}
	return num_longer == 1 && best ? longer : similar;
}

/* What users of other programs look for under this name, "output_format=json" for --json; NULL: nothing. */
static const char *find_guess(const struct arg_cursor *args, const char *text, size_t length)
{
	for (const struct opt_guess *guess = args->table->guesses; guess && guess->words; guess++) {
		const struct opt_row *row =
			find_exact(args->table, args->program, guess->meant, strcspn(guess->meant, "="));

		if (row && row->programs & args->program &&
		    (guess->anywhere ? opt_name_has_words(text, length, guess->words)
				     : opt_name_equals(guess->words, text, length)))
			return guess->meant;
	}
	return NULL;
}

const char *opt_title(const struct opt_row *row, char *buffer, size_t size)
{
	if (row->short_name)
		snprintf(buffer, size, "--%s (-%c)", row->long_name, row->short_name);
	else
		snprintf(buffer, size, "--%s", row->long_name);
	return buffer;
}

/* --- values --- */

/* Stores text; same: the field had that value already. */
static int opt_store(struct arg_cursor *args, const struct opt_row *row, unsigned programs, const char *text, char *old,
		     bool *same)
{
	char reason[OPT_TEXT_SIZE], title[OPT_TEXT_SIZE], now[OPT_TEXT_SIZE];

	opt_value_write(row, args->values, true /* as requested */, old, OPT_TEXT_SIZE);
	if (opt_value_read(row, programs, args->values, text, reason, sizeof(reason)))
		return REFUSE(args, "%s: %s", opt_title(row, title, sizeof(title)), reason);
	opt_value_write(row, args->values, true /* as requested */, now, sizeof(now));
	*same = strcmp(old, now) == 0;
	return 0;
}

static void restore(struct arg_cursor *args, const struct opt_row *row, const char *old)
{
	char reason[OPT_TEXT_SIZE];

	if (row->kind == OPT_STRING && !*old)
		memset((char *)args->values + row->offset, 0, row->width);
	else
		opt_value_read(row, ~0U, args->values, old, reason, sizeof(reason));
}

/* before: what the message begins with. */
static int refuse_foreign(struct arg_cursor *args, const struct opt_row *row, const char *before)
{
	char title[OPT_TEXT_SIZE], programs[OPT_TEXT_SIZE];

	return REFUSE(args, "%s%s is for %s%s%s", before, opt_title(row, title, sizeof(title)),
		      args->table->programs_text(row->programs, programs, sizeof(programs)), row->elsewhere ? ": " : "",
		      row->elsewhere ? row->elsewhere : "");
}

/*
 * An option that this program does not have is harmless if it requests what the program does anyway (-q 1 in a latency
 * test), and has no effect if its row says that the program tolerates it.
 */
static int take_foreign(struct arg_cursor *args, const struct opt_row *row, const char *text)
{
	char old[OPT_TEXT_SIZE];
	bool same;
	int ret;

	ret = opt_store(args, row, ~0U, text, old, &same);
	if (!ret && same)
		args->found->idle[row - args->table->rows] |= row->own_default;
	if (ret ? (row->tolerated & args->program) : same)
		return ret;
	if (!ret)
		restore(args, row, old);
	/* also where the value is wrong, as of "-o FILE" in a write test: correcting it would not help */
	if (!(row->tolerated & args->program))
		return refuse_foreign(args, row, "");
	args->found->idle[row - args->table->rows] = true;
	return 0;
}

static int take_value(struct arg_cursor *args, const struct opt_row *row, const char *text)
{
	const size_t index = (size_t)(row - args->table->rows);
	char old[OPT_TEXT_SIZE], title[OPT_TEXT_SIZE];
	bool same;
	int ret;

	if (!(row->programs & args->program))
		return take_foreign(args, row, text);
	ret = opt_store(args, row, args->program, text, old, &same);
	if (ret)
		return ret;
	if (args->found->given[index] && !same && !row->repeats)
		return REFUSE(args, "%s is given twice, as %s and as %s", opt_title(row, title, sizeof(title)),
			      opt_quote(old).text, opt_quote(text).text);
	args->found->given[index] = true;
	if (row->bare_unit)
		args->found->suffixed[index] = units_has_suffix(text);
	return 0;
}

/* "-p -s 64": the value of -p is missing. No number and no name begins with a dash; a text may, as --mmap=-file. */
static bool is_option(const char *text)
{
	return text[0] == '-' && text[1] && text[1] != '.' && (text[1] < '0' || text[1] > '9');
}

/* "10", "1.5m", but not "10.0.0.7" or "node7". */
static bool is_number(const char *word)
{
	char *end = (char *)word;

	if (isdigit((unsigned char)word[0]))
		strtod(word, &end);
	return end != word && strlen(end) <= 1; /* a unit */
}

/* Is the word behind an option its value? "--retry HOST": the value is one that the option can do without. */
static bool is_value(const struct opt_row *row, const char *word)
{
	return row->bare ? is_number(word) : !is_option(word);
}

/* "node7", "10.0.0.7", but not "1KM" or "M". */
static bool may_be_host(const char *word)
{
	if (!word[0] || !word[1])
		return false;
	return isalpha((unsigned char)word[0]) || (!word[strspn(word, "0123456789.")] && !is_number(word));
}

/*
 * "--use_cuda HOST": the value is missing, and the last word of the command line, perhaps the operand, was taken for
 * it.
 */
static void hint_at_operand(struct arg_cursor *args, const struct opt_row *row, const char *word)
{
	const bool is_number_option = row->kind == OPT_INTEGER || row->kind == OPT_SIZE || row->kind == OPT_DOUBLE;
	const struct opt_quoted quote = opt_quote(word);

	if (!is_number_option || !may_be_host(word) || !args->table->operand || args->found->operand ||
	    args->next < args->argc)
		return;
	text_add(args->reason, args->reason_size, "; if that is the %s, type --%s=%s %.*s", args->table->operand,
		 row->long_name, row->argument, (int)strlen(quote.text) - 2, quote.text + 1);
}

/* text: the value attached to the option, or NULL: it is the next argument, or the option has none. */
static int opt_take(struct arg_cursor *args, const struct opt_row *row, const char *text)
{
	char title[OPT_TEXT_SIZE], allowed[OPT_TEXT_SIZE];
	int ret;

	if (row->kind == OPT_FLAG)
		return take_value(args, row, "on");
	if (!text && args->next < args->argc && is_value(row, args->argv[args->next])) {
		text = args->argv[args->next++];
		ret = take_value(args, row, text);
		if (ret && row->programs & args->program)
			hint_at_operand(args, row, text);
		return ret;
	}
	if (!text)
		text = row->bare;
	if (!text && !((row->programs | row->tolerated) & args->program))
		return refuse_foreign(args, row, "");
	if (!text)
		return REFUSE(args, "%s needs a value, %s; allowed: %s", opt_title(row, title, sizeof(title)),
			      row->argument, opt_allowed(row, args->program, allowed, sizeof(allowed)));
	return take_value(args, row, text);
}

/* --- arguments --- */

static int refuse_ambiguous(struct arg_cursor *args, const char *text, size_t length)
{
	char list[OPT_TEXT_SIZE] = "", shown[MAX_NAME];

	for (unsigned i = 0; i < args->table->num_rows; i++) {
		const struct opt_row *row = &args->table->rows[i], *first;
		const struct opt_table one = {.rows = row, .num_rows = 1};

		if (count_abbreviated(&one, args->program, text, length, &first))
			text_add(list, sizeof(list), "%s--%s", list[0] ? ", " : "", row->long_name);
	}
	snprintf(shown, sizeof(shown), "--%.*s", (int)arith_smaller(length, MAX_NAME), text);
	return REFUSE(args, "%s may be any of %s", opt_quote(shown).text, list);
}

/* The purpose of an option that other suites have and this table does not; NULL: it is unknown. */
static const char *absent_purpose(const struct opt_table *table, const char *text, size_t length, char letter)
{
	for (const struct opt_absent *absent = table->absent; absent && absent->long_name; absent++) {
		const size_t whole = strlen(absent->long_name);

		if (letter ? absent->short_name == letter
			   : length >= whole && opt_name_begins(absent->long_name, text, whole) &&
				     (length == whole || opt_fold_char(text[whole]) == '-'))
			return absent->purpose;
	}
	return NULL;
}

static int refuse_unknown(struct arg_cursor *args, const char *text, size_t length)
{
	const char *purpose = absent_purpose(args->table, text, length, '\0');
	const char *guess = find_guess(args, text, length), *operand = args->table->operand;
	const struct opt_row *similar = find_similar(args->table, args->program, text, length);
	char shown[MAX_NAME], before[MAX_NAME + OPT_QUOTE_SIZE];

	snprintf(shown, sizeof(shown), "--%.*s", (int)arith_smaller(length, MAX_NAME), text);
	snprintf(before, sizeof(before), "unknown option %s; ", opt_quote(shown).text);
	if (purpose)
		return REFUSE(args, NOT_HERE, opt_quote(shown).text, purpose);
	if (guess || similar)
		return REFUSE(args, "%sdid you mean --%s?", before, guess ? guess : similar->long_name);
	if (operand && strlen(operand) == length && strncasecmp(operand, text, length) == 0)
		return REFUSE(args, "%s%s is given without an option", before, operand);
	similar = find_similar(args->table, ~0U, text, length);
	if (similar)
		return refuse_foreign(args, similar, before);
	return REFUSE(args, "%s%s", before, args->table->of_unknown ?: LISTED);
}

/* Names the option that takes one, as --out_json_file does for --out_json. */
static int refuse_value(struct arg_cursor *args, const struct opt_row *row, const char *value)
{
	const size_t length = strlen(row->long_name);
	char title[OPT_TEXT_SIZE], hint[OPT_TEXT_SIZE] = "";

	for (unsigned i = 0; i < args->table->num_rows && !hint[0]; i++) {
		const struct opt_row *other = &args->table->rows[i];

		if (other->programs & args->program && other->kind != OPT_FLAG &&
		    opt_name_begins(other->long_name, row->long_name, length) &&
		    opt_fold_char(other->long_name[length]) == '-')
			snprintf(hint, sizeof(hint), "; did you mean --%s?", other->long_name);
	}
	return REFUSE(args, "%s takes no value, but got %s%s", opt_title(row, title, sizeof(title)),
		      opt_quote(value).text, hint);
}

static int take_long(struct arg_cursor *args, const char *text)
{
	const size_t length = strcspn(text, "=");
	const char *value = text[length] ? text + length + 1 : NULL;
	const struct opt_row *row = find_exact(args->table, args->program, text, length);
	unsigned count;

	if (!row && length) {
		count = count_abbreviated(args->table, args->program, text, length, &row);
		if (count > 1 && find_guess(args, text, length)) /* --time: of --timeout and --timestamps neither */
			return refuse_unknown(args, text, length);
		if (count > 1)
			return refuse_ambiguous(args, text, length);
		if (!count && count_abbreviated(args->table, ~0U, text, length, &row) != 1)
			row = NULL;
	}
	if (!row)
		return refuse_unknown(args, text, length);
	if (value && row->kind == OPT_FLAG)
		return refuse_value(args, row, value);
	return opt_take(args, row, value);
}

/* Options of different programs may share letters; those of this program come first. */
static const struct opt_row *find_short(const struct arg_cursor *args, char letter)
{
	const struct opt_row *foreign = NULL;

	for (unsigned i = 0; i < args->table->num_rows; i++) {
		const struct opt_row *row = &args->table->rows[i];

		if (row->short_name != letter)
			continue;
		if (row->programs & args->program)
			return row;
		if (!foreign)
			foreign = row;
	}
	return foreign;
}

/* "-size": read as letters it is -s with a strange value, and "-duration" is -d with a device called "uration". */
static int refuse_single_dash(struct arg_cursor *args, const struct opt_row *row, const char *text, size_t length)
{
	char shown[MAX_NAME];

	snprintf(shown, sizeof(shown), "-%.*s", (int)arith_smaller(length, MAX_NAME), text);
	return REFUSE(args, "unknown option %s; did you mean --%s?", opt_quote(shown).text, row->long_name);
}

static int take_short(struct arg_cursor *args, const char *text)
{
	const size_t length = strcspn(text, "=");
	const struct opt_row *same_name = find_exact(args->table, args->program, text, length);

	if (same_name && same_name->programs & args->program)
		return refuse_single_dash(args, same_name, text, length);
	while (*text) {
		const struct opt_row *row = find_short(args, *text);
		const char letter[] = {'-', *text, '\0'};
		int ret;

		if (!row) {
			const char *purpose = absent_purpose(args->table, text, 1, *text);

			if (purpose)
				return REFUSE(args, NOT_HERE, opt_quote(letter).text, purpose);
			return REFUSE(args, "unknown option %s; %s", opt_quote(letter).text,
				      args->table->of_unknown ?: LISTED);
		}
		text++;
		if (row->kind != OPT_FLAG)
			return opt_take(args, row, *text ? text : NULL);
		ret = opt_take(args, row, NULL);
		if (ret)
			return ret;
	}
	return 0;
}

/* U+2010 to U+2015 or U+2212, in UTF-8: web pages and word processors turn "-" and "--" into them. */
static bool begins_with_other_dash(const char *text)
{
	const unsigned char last = strncmp(text, "\xe2\x80", 2) ? '\0' : (unsigned char)text[2];

	return (last >= 0x90 && last <= 0x95) || strncmp(text, "\xe2\x88\x92", 3) == 0;
}

static int take_operand(struct arg_cursor *args, const char *text)
{
	if (begins_with_other_dash(text))
		return REFUSE(args,
			      "%s begins with a dash that is not \"-\", as in text copied from a document: retype it",
			      opt_quote(text).text);
	if (!args->table->operand)
		return REFUSE(args, "%s does not belong to an option; " LISTED, opt_quote(text).text);
	if (!*text)
		return REFUSE(args, "an empty string is not a %s", args->table->operand);
	if (args->found->operand)
		return REFUSE(args, "only one %s is allowed, but there are %s and %s", args->table->operand,
			      opt_quote(args->found->operand).text, opt_quote(text).text);
	args->found->operand = text;
	return 0;
}

void opt_init(const struct opt_table *table, unsigned program, void *values)
{
	for (unsigned i = 0; i < table->num_rows; i++) {
		const struct opt_row *row = &table->rows[i];
		const char *text = opt_default(row, program);
		char reason[OPT_TEXT_SIZE];

		if (text)
			opt_value_read(row, ~0U, values, text, reason, sizeof(reason));
		else
			memset((char *)values + row->offset, 0, row->width);
	}
}

int opt_parse(const struct opt_table *table, unsigned program, int argc, char **argv, void *values,
	      struct opt_found *found, char *reason, size_t reason_size)
{
	struct arg_cursor args = {
		.table = table,
		.program = program,
		.argc = argc,
		.argv = argv,
		.next = 1,
		.values = values,
		.found = found,
		.reason = reason,
		.reason_size = reason_size,
	};
	bool only_operands = false;

	while (args.next < argc) {
		const char *text = argv[args.next++];
		int ret = 0;

		if (only_operands || text[0] != '-' || !text[1])
			ret = take_operand(&args, text);
		else if (text[1] != '-')
			ret = take_short(&args, text + 1);
		else if (text[2])
			ret = take_long(&args, text + 2);
		else
			only_operands = true;
		if (ret)
			return ret;
	}
	return 0;
}

/* The row of this word, an option, if its value is the next word; or NULL. */
static const struct opt_row *row_before_value(const struct arg_cursor *args, const char *word)
{
	const struct opt_row *row;

	if (word[1] == '-') {
		const size_t length = strlen(word + 2);

		row = find_exact(args->table, args->program, word + 2, length);
		if (!row && count_abbreviated(args->table, args->program, word + 2, length, &row) != 1)
			return NULL;
		return row->kind != OPT_FLAG ? row : NULL;
	}
	for (word++; *word; word++) {
		row = find_short(args, *word);
		if (row && row->kind != OPT_FLAG)
			return word[1] ? NULL : row;
	}
	return NULL;
}

unsigned opt_leading(const struct opt_table *table, unsigned program, char **words, unsigned num_words)
{
	const struct arg_cursor args = {.table = table, .program = program};
	unsigned used = 0;

	while (used < num_words && words[used][0] == '-' && words[used][1] && strcmp(words[used], "--")) {
		const struct opt_row *row = row_before_value(&args, words[used++]);

		used += row && used < num_words && is_value(row, words[used]);
	}
	return used;
}
