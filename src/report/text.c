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
#include "util/terminal.h"

#define RULE_WIDTH  87
#define PORTS_WIDTH 163 /* of rules around a table with two ports */
#define TITLE_BLANK 20
#define GID_BYTES   16
#define CONTINUED   4 /* indentation of folded lines on a terminal */

#define NAME_GAP   "    "	/* before the name of a row, which follows it; */
#define NAME_BELOW "\n        " /* on a terminal that is too narrow, below it */

#define ENDPOINTS_SHOWN 2 /* on a terminal, per side */

/* As wide as out, the destination, allows if it is a terminal. */
static void draw_rule(FILE *to, FILE *out, int most)
{
	const int columns = terminal_columns(out), width = columns && columns < most ? columns : most;

	for (int i = 0; i < width; i++)
		putc('-', to);
	putc('\n', to);
}

static int rule_width(const struct report_config *config)
{
	return config->verbs->per_port ? PORTS_WIDTH : RULE_WIDTH;
}

void text_rule(FILE *out, const struct report_config *config)
{
	draw_rule(out, out, rule_width(config));
}

void text_line(FILE *out, const char *line)
{
	char folded[512];

	if (terminal_columns(out))
		fprintf(out, " %s\n", text_fold(line + 1, terminal_columns(out), 1, CONTINUED, folded, sizeof(folded)));
	else
		fprintf(out, "%s\n", line);
}

static void print_software(FILE *out, const struct report_info *run_info)
{
	char line[192];

	snprintf(line, sizeof(line), " Software device : %s %s built in: the figures are those of %s",
		 run_info->device.name, strchr(run_info->device.name, ',') ? "are" : "is", run_info->software_measures);
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
		draw_rule(block->out, block->out, RULE_WIDTH);
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

void text_header(FILE *out, const struct report_config *config, const struct report_info *run_info)
{
	struct block block = {.out = out};
	char title[HEADER_TITLE_SIZE];

	if (run_info->lacks_peak)
		fputs(" WARNING: BW peak won't be measured in this run.\n", out);
	/* AMD's cluster validation suite looks for it. */
	if (run_info->rocm_buffer)
		fprintf(out, "allocated %" PRIu64 " bytes of GPU buffer at %p\n", run_info->memory_bytes,
			run_info->rocm_buffer);
	draw_rule(out, out, RULE_WIDTH);
	fprintf(out, "%*s%s\n", TITLE_BLANK, "", header_title(config, ' ', title));
	header_walk(config, run_info, print_info, &block);
	putc('\n', out);
	if (run_info->software_measures)
		print_software(out, run_info);
	draw_rule(out, out, RULE_WIDTH);
}

/* In decimal for scripts, as always; for humans as in all messages. */
static void print_gid(FILE *out, const char *label, const uint8_t *gid)
{
	char text[INET6_ADDRSTRLEN];
	int i;

	fprintf(out, " %s", label);
	if (terminal_columns(out) && inet_ntop(AF_INET6, gid, text, sizeof(text))) {
		fprintf(out, ": %s\n", text);
		return;
	}
	for (i = 0; i < GID_BYTES; i++)
		fprintf(out, ":%s%02d", i ? "" : " ", gid[i]);
	putc('\n', out);
}

static bool is_group(const struct endpoint *endpoint)
{
	return endpoint->qpn == ENDPOINT_GROUP_QPN;
}

void text_endpoint(FILE *out, const struct report_config *config, bool local, const struct endpoint *endpoint)
{
	static const uint8_t no_gid[GID_BYTES];
	char line[256];

	snprintf(line, sizeof(line), " %s address: LID %#04x QPN %#06x PSN %#06x", local ? "local" : "remote",
		 endpoint->lid, endpoint->qpn, endpoint->psn);
	if (config->spec->verb == VERB_READ)
		text_add(line, sizeof(line), " OUT %#04x", endpoint->out_reads);
	if (config->spec->verb == VERB_READ || (config->spec->verb == VERB_WRITE && !config->spec->with_imm))
		text_add(line, sizeof(line), " RKey 0x%06x VAddr 0x%014" PRIx64, endpoint->rkey, endpoint->vaddr);
	/* On a side that receives nothing it is 0. */
	if (transport_traits(config->spec->transport)->needs_srq)
		text_add(line, sizeof(line), " SRQn 0x%06x", endpoint->srqn);
	text_line(out, line);
	if (memcmp(endpoint->gid, no_gid, GID_BYTES))
		print_gid(out, is_group(endpoint) ? "MGID" : "GID", endpoint->gid);
}

bool text_shows_endpoint(FILE *out, const struct report_config *config, bool local, unsigned index)
{
	const unsigned more = report_endpoints(config) - ENDPOINTS_SHOWN;

	if (index < ENDPOINTS_SHOWN || config->verbose || !terminal_columns(out))
		return true;
	if (index == report_endpoints(config) - 1)
		fprintf(out, " and %u more %s address%s; --verbose shows all\n", more, local ? "local" : "remote",
			more > 1 ? "es" : "");
	return false;
}

void text_row(FILE *to, FILE *out, const struct report_config *config, const struct report_row *row, const char *name)
{
	const int room = columns_line(to, out, config, row);

	fprintf(to, "%s%s\n", !name[0] ? "" : room ? NAME_BELOW : NAME_GAP, name);
}

void text_heading(FILE *to, FILE *out, const struct report_config *config, const char *name)
{
	draw_rule(to, out, rule_width(config));
	text_row(to, out, config, NULL /* heading */, name);
}

void text_section(FILE *to, FILE *out, const struct report_config *config, const char *title, const char *name)
{
	draw_rule(to, out, rule_width(config));
	fprintf(to, "\n%s\n", title);
	text_heading(to, out, config, name);
}

void text_only_number(FILE *out, const struct report_config *config, const struct report_row *row)
{
	const char *classic_key;
	const struct column *column = columns_only(config, &classic_key);
	const struct value value = column_value(column, row);

	fprintf(out, "%f\n", value.known ? value.number * columns_unit(config, column->quantity).scale : NAN);
}

/* since: " since due", if samples have two latencies. */
static void print_samples(FILE *out, const struct latency *latency, const uint64_t *samples, const struct unit *unit,
			  const char *since)
{
	size_t i;

	fprintf(out, "#, %s%s\n", unit->label, since);
	/* A stream with an error ends the list: it may have millions of lines. */
	for (i = 0; i < latency->num_samples && !ferror(out); i++)
		fprintf(out, "%zu, %g\n", i + 1, (double)samples[i] * (latency->tick_seconds * unit->scale));
}

/* As requested: in order of time, and sorted. */
static int print_distribution(FILE *out, const struct report_config *config, const struct latency *latency,
			      const char *since)
{
	const struct unit unit = columns_unit(config, QUANTITY_TIME);
	uint64_t *sorted;

	if (config->unsorted)
		print_samples(out, latency, latency->samples, &unit, since);
	if (!config->histogram)
		return 0;
	sorted = latency_sorted(latency);
	if (!sorted)
		return -ENOMEM;
	print_samples(out, latency, sorted, &unit, since);
	free(sorted);
	return 0;
}

int text_samples(FILE *out, const struct report_config *config, const struct report_row *row)
{
	int err = print_distribution(out, config, row->latency, row->since_post ? " since due" : "");

	if (!err && row->since_post)
		err = print_distribution(out, config, row->since_post, " since post");
	text_heading(out, out, config, "");
	return err;
}

void text_queues(FILE *out, const struct report_config *config, const struct report_row *row)
{
	if (!row->by_queue || row->is_interval)
		return;
	for (unsigned i = 0; i < report_endpoints(config); i++)
		fprintf(out, "\trss_queue_%u=%" PRIu64 "\n", i, row->by_queue[i]);
	putc('\n', out);
}

void text_summary_title(char *title, size_t size, const struct report_config *config, const struct report_row *row)
{
	const bool is_bandwidth = config->spec->metric == METRIC_BW;
	const struct unit unit = columns_unit(config, is_bandwidth ? QUANTITY_BANDWIDTH : QUANTITY_TIME);
	const struct report_worst *worst = &row->worst;

	if (worst->known)
		snprintf(title, size, " Summary: %s %.*f %s, from %.2f to %.2f s",
			 is_bandwidth ? "least interval" : "largest median of an interval",
			 is_bandwidth && worst->value * unit.scale < 0.1 ? 6 : 2, worst->value * unit.scale, unit.label,
			 worst->begin_s, worst->end_s);
	else
		snprintf(title, size, " Summary: ");
}

/* It begins with the words that scripts for the classic suite look for. */
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

	/* The number of samples for which histogram_supports() is true: one is expected above the percentile. */
	if (percent < 100)
		snprintf(needed, sizeof(needed), " and above, which takes %.0f", ceil(100 / (100 - percent + 1e-14)));
	snprintf(text, size, "%" PRIu64 " sample%s too few for %.10g%%%s: the maximum is shown", samples,
		 samples == 1 ? " is" : "s are", percent, needed);
}

/* --- rows that follow the table --- */

const char *const held_rows_titles[] = {
	[REPORT_LOCAL] = " Local results: ",
	[REPORT_REMOTE] = " Remote results: ",
	[REPORT_THREAD] = " Results of each thread: ",
	[REPORT_PEER_ALONE] = " Results of each peer: ",
};

/* Lines, not rows: the samples of a size are discarded when the next one is measured. */
int held_rows_add(struct held_rows *held, FILE *out, const struct report_config *shown, const struct report_row *row,
		  enum report_part part, const char *name)
{
	struct held_lines *lines = &held->parts[part];
	struct report_config config = *shown;

	config.thread_table = part == REPORT_THREAD;
	config.receiver_table = part == REPORT_PEER_ALONE && config.verbs->group.is_used;
	config.peers &= part == REPORT_LOCAL || part == REPORT_REMOTE;
	if (!lines->stream) {
		lines->stream = open_memstream(&lines->text, &lines->size);
		if (!lines->stream)
			return -ENOMEM;
		text_section(lines->stream, out, &config, held_rows_titles[part],
			     part == REPORT_PEER_ALONE ? "peer" : "");
	}
	text_row(lines->stream, out, &config, row, name);
	return 0;
}

int held_rows_add_peers(struct held_rows *held, FILE *out, const struct report_config *config,
			const struct report_row *row)
{
	struct report_row alone;
	int err = 0;

	for (unsigned i = 0; !err && row->peers && i < row->peers->num_listed; i++)
		if (report_peer_alone(row, i, &alone))
			err = held_rows_add(held, out, config, &alone, REPORT_PEER_ALONE, row->peers->list[i].address);
	return err;
}

int held_rows_print(struct held_rows *held, FILE *out)
{
	int err = 0;

	for (unsigned part = 0; part <= REPORT_PEER_ALONE; part++) {
		struct held_lines *lines = &held->parts[part];

		if (!lines->stream)
			continue;
		if (fclose(lines->stream))
			err = -ENOMEM;
		else if (out)
			fwrite(lines->text, 1, lines->size, out);
		free(lines->text);
		lines->stream = NULL;
	}
	return err;
}
