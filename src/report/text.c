// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The classic output around the columns of columns.c. */
#include "report/text.h"

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/columns.h"
#include "report/header.h"
#include "report/samples.h"
#include "util/terminal.h"

#define RULE_WIDTH  87
#define TITLE_BLANK 20
#define GID_BYTES   16
#define CONTINUED   4 /* blanks before what was folded at a terminal */

#define ENDPOINTS_SHOWN 2 /* at a terminal, of each side */

void text_rule(FILE *out)
{
	const int columns = terminal_columns(out);
	const int width = columns && columns < RULE_WIDTH ? columns : RULE_WIDTH;
	int i;

	for (i = 0; i < width; i++)
		putc('-', out);
	putc('\n', out);
}

void text_waiting(FILE *out)
{
	static const char stars[] = "************************************";

	fprintf(out, "\n%s\n* Waiting for client to connect... *\n%s\n", stars, stars);
}

void text_line(FILE *out, const char *line)
{
	char folded[512];

	if (terminal_columns(out))
		fprintf(out, " %s\n", text_fold(line + 1, terminal_columns(out), 1, CONTINUED, folded, sizeof(folded)));
	else
		fprintf(out, "%s\n", line);
}

static void print_software(FILE *out, const char *device)
{
	char line[160];

	snprintf(line, sizeof(line),
		 " Software device : %s is built in: the figures are those of this host's memory system", device);
	text_line(out, line);
}

struct block {
	FILE *out;
	bool open_line;
};

static int print_info(const char *label, const char *key, const struct header_value *value, const char *suffix,
		      void *arg)
{
	struct block *block = arg;

	(void)key;
	if (!label)
		return 0;
	if (block->open_line && label[strspn(label, " ")] != '\t')
		putc('\n', block->out);
	block->open_line = strcmp(label, HEADER_RULE);
	if (!block->open_line) {
		text_rule(block->out);
		return 0;
	}
	fputs(label, block->out);
	if (value->text)
		fputs(value->text, block->out);
	else
		fprintf(block->out, "%" PRId64, value->number);
	fputs(suffix, block->out);
	return 0;
}

int text_header(FILE *out, const struct report_config *config, const struct report_info *run_info)
{
	struct block block = {.out = out};
	char *title = header_title(config, ' ');

	if (!title)
		return -ENOMEM;
	if (run_info->lacks_peak)
		fputs(" WARNING: BW peak won't be measured in this run.\n", out);
	text_rule(out);
	fprintf(out, "%*s%s\n", TITLE_BLANK, "", title);
	free(title);
	header_walk(config, run_info, print_info, &block);
	putc('\n', out);
	if (run_info->is_software)
		print_software(out, run_info->device);
	text_rule(out);
	return 0;
}

/* For scripts its bytes are decimal, as they have always been there; a human reads the spelling of all messages. */
static void print_gid(FILE *out, const uint8_t *gid)
{
	char text[INET6_ADDRSTRLEN];
	int i;

	fputs(" GID", out);
	if (terminal_columns(out) && inet_ntop(AF_INET6, gid, text, sizeof(text))) {
		fprintf(out, ": %s\n", text);
		return;
	}
	for (i = 0; i < GID_BYTES; i++)
		fprintf(out, ":%s%02d", i ? "" : " ", gid[i]);
	putc('\n', out);
}

void text_endpoint(FILE *out, const struct report_config *config, bool local, const struct endpoint *endpoint)
{
	static const uint8_t no_gid[GID_BYTES];
	char line[256];
	int used;

	used = snprintf(line, sizeof(line), " %s address: LID %#04x QPN %#06x PSN %#06x", local ? "local" : "remote",
			endpoint->lid, endpoint->qpn, endpoint->psn);
	if (config->verb == VERB_READ)
		used += snprintf(line + used, sizeof(line) - (size_t)used, " OUT %#04x", endpoint->out_reads);
	if (config->verb == VERB_READ || (config->verb == VERB_WRITE && !config->with_imm))
		used += snprintf(line + used, sizeof(line) - (size_t)used, " RKey 0x%06x VAddr 0x%014" PRIx64,
				 endpoint->rkey, endpoint->vaddr);
	if (endpoint->srqn)
		snprintf(line + used, sizeof(line) - (size_t)used, " SRQn %#08x", endpoint->srqn);
	text_line(out, line);
	if (memcmp(endpoint->gid, no_gid, GID_BYTES))
		print_gid(out, endpoint->gid);
}

bool text_shows_endpoint(FILE *out, const struct report_config *config, bool local, unsigned index)
{
	const unsigned more = config->num_qps - ENDPOINTS_SHOWN;

	if (index < ENDPOINTS_SHOWN || config->every_endpoint || !terminal_columns(out))
		return true;
	if (index == config->num_qps - 1)
		fprintf(out, " and %u more %s address%s; --verbose shows all\n", more, local ? "local" : "remote",
			more > 1 ? "es" : "");
	return false;
}

/* The columns of a terminal that the table is too wide for; 0: it is not, or there is none. */
static int narrow_room(FILE *out, const struct report_config *config)
{
	const int columns = terminal_columns(out);
	char *heading = columns ? columns_heading(config, 0) : NULL;
	const bool fits = !heading || strlen(heading) <= (size_t)columns;

	free(heading);
	return fits ? 0 : columns;
}

int text_heading(FILE *out, const struct report_config *config)
{
	char *heading = columns_heading(config, narrow_room(out, config));

	if (!heading)
		return -ENOMEM;
	text_rule(out);
	fprintf(out, "%s\n", heading);
	free(heading);
	return 0;
}

int text_section(FILE *out, const struct report_config *config, const char *title)
{
	text_rule(out);
	fprintf(out, "\n%s\n", title);
	return text_heading(out, config);
}

int text_row(FILE *out, const struct report_config *config, const struct report_row *row)
{
	char *line = columns_row(config, row, narrow_room(out, config));

	if (!line)
		return -ENOMEM;
	fprintf(out, "%s\n", line);
	free(line);
	return 0;
}

void text_only_number(FILE *out, const struct report_config *config, const struct report_row *row)
{
	const char *classic_key;
	const struct column *column = columns_only(config, &classic_key);
	struct value value = column_value(column, row);
	struct table table;

	columns_table(&table, config);
	fprintf(out, "%f\n", value.known ? value.number * table_printed_unit(&table, column->quantity).scale : NAN);
}

static void print_samples(FILE *out, const struct report_row *row, const uint64_t *samples, const struct unit *unit)
{
	size_t i;

	fprintf(out, "#, %s\n", unit->label);
	/* A stream that takes nothing more ends the list: it may have millions of lines. */
	for (i = 0; i < row->latency->num_samples && !ferror(out); i++)
		fprintf(out, "%zu, %.10g\n", i + 1, samples_value(row, samples[i], unit->scale));
}

int text_samples(FILE *out, const struct report_config *config, const struct report_row *row)
{
	const struct unit unit = columns_time_unit(config);
	uint64_t *sorted;

	if (config->unsorted)
		print_samples(out, row, row->latency->samples, &unit);
	if (config->histogram) {
		sorted = samples_sorted(row->latency);
		if (!sorted)
			return -ENOMEM;
		print_samples(out, row, sorted, &unit);
		free(sorted);
	}
	return text_heading(out, config);
}

void text_counters(FILE *out, const struct counters *counters)
{
	size_t i;

	if (!counters->count)
		return;
	for (i = 0; i < counters->count; i++) {
		if (counters->list[i].delta || !counters->is_all)
			fprintf(out, "\t%s=%" PRId64 "\n", counters->list[i].name, counters->list[i].delta);
	}
	putc('\n', out);
}

/* The first words are those that scripts for the classic suite look for. */
void text_validation(FILE *out, const struct report_validation *validation)
{
	fputs("VALIDATION: ", out);
	if (validation->wrong)
		fprintf(out, "FAILED - %" PRIu64 " error(s), first at QP %u, Message %" PRIu64 ", Offset %" PRIu64 "; ",
			validation->wrong, validation->qp, validation->message, validation->offset);
	else if (validation->checked)
		fputs("PASSED - ", out);
	else
		fputs("WARNING - no data validated; ", out);
	fprintf(out, "%" PRIu64 " of %" PRIu64 " messages checked, %" PRIu64 " bytes", validation->checked,
		validation->messages, validation->bytes);
	if (validation->lost)
		fprintf(out, ", %" PRIu64 " lost", validation->lost);
	putc('\n', out);
}

void text_unsupported_note(char *text, size_t size, double percent, uint64_t samples)
{
	char needed[64] = "";

	/* The count at which histogram_supports() agrees: one sample is expected above the percentile. */
	if (percent < 100)
		snprintf(needed, sizeof(needed), " and above, which takes %.0f", ceil(100 / (100 - percent + 1e-14)));
	snprintf(text, size, "%" PRIu64 " sample%s too few for %.10g%%%s: the maximum is shown", samples,
		 samples == 1 ? " is" : "s are", percent, needed);
}
