// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Rows that follow the table. See held_rows.h. */
#include "report/held_rows.h"

#include <errno.h>
#include <stdlib.h>

#include "report/text.h"

static const char *const section_titles[] = {
	[REPORT_LOCAL] = " Local results: ",
	[REPORT_REMOTE] = " Remote results: ",
	[REPORT_THREAD] = " Results of each thread: ",
	[REPORT_PEER_ALONE] = " Results of each peer: ",
};

const char *held_rows_title(enum report_part part)
{
	return section_titles[part];
}

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
		text_section(lines->stream, out, &config, section_titles[part],
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
