// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Rows for spreadsheets and scripts: comma-separated, with a decimal point, and nothing that needs quotes. */
#include "report/csv.h"

#include <inttypes.h>

#include "report/columns.h"
#include "stats/clock.h"

void csv_heading(FILE *out, const struct report_config *config, const struct counters *counters)
{
	const struct table table = columns_table(config);

	fputs("kind,part,partial,interval_begin_seconds,", out);
	table_csv_heading(out, &table);
	if (counters)
		counters_csv_names(out, counters);
	for (unsigned queue = 0; config->verbs->frames.rss.is_used && queue < report_endpoints(config); queue++)
		fprintf(out, ",rss_queue_%u", queue);
	if (config->peers)
		fputs(",peer", out);
	if (config->timestamps)
		fputs(",time", out);
	putc('\n', out);
}

static void csv_print_row(FILE *out, const struct report_config *config, const struct report_row *row,
			  enum report_part part, const char *peer, const struct counters *counters)
{
	const struct table table = columns_table(config);
	char stamp[STAMP_SIZE];

	fprintf(out, "%s,%s,%s,", row_kind_name(row), row_part_name(part), row->partial ? "true" : "false");
	if (row->is_interval)
		fprintf(out, "%.15g", row->interval_begin_s);
	putc(',', out);
	table_csv_row(out, &table, row);
	/* Counters belong to the whole row: local and remote are its parts. */
	if (counters)
		counters_csv_values(out, counters, part == REPORT_TOTAL);
	for (unsigned queue = 0; config->verbs->frames.rss.is_used && queue < report_endpoints(config); queue++) {
		putc(',', out);
		if (row->by_queue && !row->is_interval)
			fprintf(out, "%" PRIu64, row->by_queue[queue]);
	}
	if (config->peers)
		fprintf(out, ",%s", peer);
	if (config->timestamps)
		fprintf(out, ",%s", stamp_text(&row->over, stamp));
	putc('\n', out);
}

void csv_row(FILE *out, const struct report_config *config, const struct report_row *row, enum report_part part,
	     const struct counters *counters)
{
	struct report_row alone;

	csv_print_row(out, config, row, part, "", counters);
	for (unsigned i = 0; row->peers && i < row->peers->num_listed; i++)
		if (report_peer_alone(row, i, &alone))
			csv_print_row(out, config, &alone, REPORT_PEER_ALONE, row->peers->list[i].address, counters);
}
