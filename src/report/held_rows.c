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

bool held_rows_add(struct held_rows *held, const struct report_row *row, enum report_part part)
{
	struct held_part *rows = part == REPORT_LOCAL ? &held->local : &held->remote;

	if (rows->count == HELD_ROWS_SIZES)
		return false;
	rows->rows[rows->count++] = *row;
	return true;
}

/* Lines, not rows: the samples of a size are discarded when the next one is measured. */
static int hold_alone(struct held_rows *held, FILE *out, const struct report_config *shown,
		      const struct report_row *row, enum report_part part, const char *address)
{
	struct report_config config = *shown;
	int err;

	config.thread_table = part == REPORT_THREAD;
	config.receiver_table = part == REPORT_PEER_ALONE && config.verbs->group.is_used;
	config.peers = false;
	if (!held->alone) {
		held->alone = open_memstream(&held->alone_lines, &held->alone_bytes);
		if (!held->alone)
			return -ENOMEM;
		err = text_section(held->alone, out, &config, section_titles[part],
				   part == REPORT_PEER_ALONE ? "peer" : "");
		if (err)
			return err;
	}
	return text_row(held->alone, out, &config, row, address);
}

int held_rows_add_thread(struct held_rows *held, FILE *out, const struct report_config *config,
			 const struct report_row *row)
{
	return hold_alone(held, out, config, row, REPORT_THREAD, "");
}

int held_rows_add_peers(struct held_rows *held, FILE *out, const struct report_config *config,
			const struct report_row *row)
{
	struct report_row alone;
	int err = 0;

	for (unsigned i = 0; !err && row->peers && i < row->peers->num_listed; i++)
		if (report_peer_alone(row, i, &alone))
			err = hold_alone(held, out, config, &alone, REPORT_PEER_ALONE, row->peers->list[i].address);
	return err;
}

static int print_part(struct held_part *rows, FILE *out, const struct report_config *config, enum report_part part)
{
	int err = rows->count ? text_section(out, out, config, section_titles[part], "") : 0;

	for (unsigned i = 0; !err && i < rows->count; i++)
		err = text_row(out, out, config, &rows->rows[i], "");
	rows->count = 0;
	return err;
}

static int print_alone(struct held_rows *held, FILE *out)
{
	int err = 0;

	if (!held->alone)
		return 0;
	if (fclose(held->alone))
		err = -ENOMEM;
	else
		fwrite(held->alone_lines, 1, held->alone_bytes, out);
	free(held->alone_lines);
	held->alone = NULL;
	return err;
}

int held_rows_print(struct held_rows *held, FILE *out, const struct report_config *config)
{
	int err = print_part(&held->local, out, config, REPORT_LOCAL);

	if (!err)
		err = print_part(&held->remote, out, config, REPORT_REMOTE);
	return err ? err : print_alone(held, out);
}

void held_rows_close(struct held_rows *held)
{
	if (!held->alone)
		return;
	fclose(held->alone);
	free(held->alone_lines);
	held->alone = NULL;
}
