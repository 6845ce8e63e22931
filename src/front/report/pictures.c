// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The documents of `perftest matrix` and `perftest compare` in `perftest report`: cells, and changes with their
 * intervals. */
#include <math.h>
#include <string.h>

#include "front/figure.h"
#include "front/report/report.h"

#define MOST_HOSTS    200  /* in the picture */
#define MOST_NUMBERED 40   /* hosts up to which a cell has its number */
#define MOST_PAIRS    2000 /* rows of the table */
#define NAMES	      110  /* pixels in front of the cells; a cell is CELL wide and high */
#define CELL	      24

/* How a figure is printed; percent: NaN: of no percentile, or of any. */
static const struct figure_kind *kind_of(const char *key, double percent)
{
	for (uint8_t i = 0; i < figure_num_kinds; i++)
		if (strcmp(figure_kinds[i].key, key) == 0 && (isnan(percent) || figure_kinds[i].percent == percent))
			return &figure_kinds[i];
	return NULL;
}

/* --- matrix --- */

struct matrix_page {
	const json_t *hosts;
	const struct figure_kind *kind; /* NULL: no pair was measured */
	double usual;			/* in SI units */
	double limit;			/* share below which something is named */
};

static const char *host_of(const struct matrix_page *page, const json_t *pair, const char *end)
{
	return report_text(json_array_get(page->hosts, (size_t)json_integer_value(json_object_get(pair, end))), "name");
}

/* Of what is usual; NaN: it was not measured. */
static double share_of(const struct matrix_page *page, const json_t *pair)
{
	const double value = report_number(pair, "value");

	return page->kind && page->kind->lower_is_best ? page->usual / value : value / page->usual;
}

static void value_text(const struct matrix_page *page, const json_t *pair, char text[SHEET_NUMBER_SIZE])
{
	sheet_number(page->kind ? report_number(pair, "value") * page->kind->to_shown : NAN, text);
}

static void cell_print(const struct matrix_page *page, const json_t *pair, struct sheet *sheet)
{
	const json_int_t client = json_integer_value(json_object_get(pair, "client"));
	const json_int_t server = json_integer_value(json_object_get(pair, "server"));
	const json_int_t hosts = (json_int_t)json_array_size(page->hosts);
	const double share = share_of(page, pair), x = NAMES + (double)server * CELL, y = (double)(client + 1) * CELL;
	const char *look = isnan(share) ? " none" : share >= page->limit ? "" : share >= 0.5 ? " slow" : " bad";
	char text[SHEET_NUMBER_SIZE], value[SHEET_NUMBER_SIZE];

	if (client < 0 || server < 0 || client >= hosts || server >= hosts || client >= MOST_HOSTS ||
	    server >= MOST_HOSTS)
		return;
	value_text(page, pair, value);
	snprintf(text, sizeof(text), "%.0f", fmin(999, 100 * share));
	fprintf(sheet->out, "<g><title>");
	sheet_text(sheet, "%s with %s as its server: %s %s%s%s", host_of(page, pair, "client"),
		   host_of(page, pair, "server"), value, page->kind ? page->kind->unit : "",
		   value[0] ? "" : "failed: ", report_text(pair, "failure"));
	fprintf(sheet->out, "</title><rect class=\"cell%s\" x=\"%.0f\" y=\"%.0f\" width=\"%d\" height=\"%d\"/>", look,
		x, y, CELL, CELL);
	if (hosts <= MOST_NUMBERED || isnan(share))
		fprintf(sheet->out, "<text class=\"middle number\" x=\"%.1f\" y=\"%.1f\">%s</text>", x + CELL / 2.0,
			y + CELL / 2.0 + 4, isnan(share) ? "x" : text);
	fputs("</g>\n", sheet->out);
}

static void cells_print(const struct matrix_page *page, const json_t *pairs, struct sheet *sheet)
{
	const size_t all = json_array_size(page->hosts), hosts = all < MOST_HOSTS ? all : MOST_HOSTS;
	const size_t side = NAMES + CELL * (hosts > 16 ? hosts : 16);

	fprintf(sheet->out,
		"<figure><figcaption>100: usual of a host; less is slower; x: failed; rows are clients, columns "
		"servers</figcaption>\n<svg class=\"chart cells\" viewBox=\"0 0 %zu %zu\" role=\"img\" "
		"aria-labelledby=\"t%u\"><title id=\"t%u\">Speed of each pair of hosts; the table below has the "
		"figures</title>\n",
		side, CELL * (hosts + 1) + 4, sheet->charts, sheet->charts);
	sheet->charts++;
	for (size_t i = 0; i < hosts; i++) {
		fprintf(sheet->out,
			"<text class=\"middle dim number\" x=\"%zu\" y=\"%d\">%zu</text><text class=\"end\" x=\"%d\" "
			"y=\"%zu\">",
			NAMES + CELL * i + CELL / 2, CELL - 6, i, NAMES - 6, CELL * (i + 1) + CELL / 2 + 4);
		sheet_text(sheet, "%.11s %zu", report_text(json_array_get(page->hosts, i), "name"), i);
		fputs("</text>\n", sheet->out);
	}
	for (size_t i = 0; i < json_array_size(pairs); i++)
		cell_print(page, json_array_get(pairs, i), sheet);
	fputs("</svg>\n", sheet->out);
	if (all > hosts)
		sheet_notice(sheet, "%zu of %zu hosts are drawn.", hosts, all);
}

static void pairs_print(const struct matrix_page *page, const json_t *pairs, struct sheet *sheet)
{
	const char *const headings[] = {"client", "server", page->kind ? page->kind->unit : "value", "share",
					"failure"};
	const size_t all = json_array_size(pairs);
	char value[SHEET_NUMBER_SIZE], share[SHEET_NUMBER_SIZE + 2];

	sheet_table_begin(sheet, "Pairs of hosts", true, 1 | 2 | 16, headings, 5);
	for (size_t i = 0; i < all && i < MOST_PAIRS; i++) {
		const json_t *pair = json_array_get(pairs, i);

		value_text(page, pair, value);
		snprintf(share, sizeof(share), "%.1f %%", 100 * share_of(page, pair));
		sheet_cell(sheet, "%s", host_of(page, pair, "client"));
		sheet_cell(sheet, "%s", host_of(page, pair, "server"));
		sheet_cell(sheet, "%s", value);
		sheet_cell(sheet, "%s", isnan(share_of(page, pair)) ? "" : share);
		sheet_cell(sheet, "%s", report_text(pair, "failure"));
	}
	sheet_table_end(sheet);
	if (all > MOST_PAIRS)
		sheet_paragraph(sheet, "%zu more pairs are in the document.", all - MOST_PAIRS);
}

static void matrix_print(const char *name, const json_t *document, struct sheet *sheet)
{
	const json_t *matrix = json_object_get(document, "matrix"), *finding;
	const json_t *pairs = json_object_get(document, "measurements");
	const struct matrix_page page = {
		.hosts = json_object_get(matrix, "hosts"),
		.kind = kind_of(report_text(matrix, "figure"), NAN),
		.usual = report_number(matrix, "usual"),
		.limit = report_number(json_object_get(document, "parameters"), "min_share") / 100,
	};
	char usual[SHEET_NUMBER_SIZE];
	size_t i;

	sheet_heading(sheet, "%s: pairs of %zu hosts, %s", name, json_array_size(page.hosts),
		      report_text(matrix, "program"));
	if (page.kind)
		sheet_paragraph(sheet, "Usual of a host: %s %s (%s).",
				sheet_number(report_number(matrix, "usual") * page.kind->to_shown, usual),
				page.kind->unit, page.kind->name);
	json_array_foreach(json_object_get(matrix, "findings"), i, finding)
	{
		if (json_is_true(json_object_get(finding, "named")))
			sheet_notice(sheet, "%s: %s.",
				     strcmp(report_text(finding, "of"), "retransmissions") == 0 ? "Lossy" : "Slow",
				     report_text(finding, "text"));
		else
			sheet_paragraph(sheet, "Only beside others: %s.", report_text(finding, "text"));
	}
	if (sheet->html)
		cells_print(&page, pairs, sheet);
	pairs_print(&page, pairs, sheet);
	if (sheet->html)
		fputs("</figure>\n", sheet->out);
}

/* --- compare --- */

/* The farthest end of an interval, or change, in percent. */
static double farthest_of(const json_t *rows)
{
	static const char *const keys[] = {"change_percent", "change_low_percent", "change_high_percent"};
	double most = 1;

	for (size_t i = 0; i < json_array_size(rows); i++)
		for (unsigned j = 0; j < 3; j++) {
			const double value = fabs(report_number(json_array_get(rows, i), keys[j]));

			most = isfinite(value) ? fmax(most, value) : most;
		}
	return most;
}

static void change_draw(const json_t *row, double most, struct sheet *sheet)
{
	const double change = report_number(row, "change_percent");
	const double low = report_number(row, "change_low_percent"), high = report_number(row, "change_high_percent");
	const char *verdict = report_text(row, "verdict");
	const unsigned colour = strcmp(verdict, "worse") == 0 ? 1 : strcmp(verdict, "better") == 0 ? 2 : 6;

	sheet_cell_begin(sheet, false);
	if (sheet->html && isfinite(change)) {
		fprintf(sheet->out,
			"<svg viewBox=\"-105 -12 210 24\" class=\"c%u\" aria-hidden=\"true\"><path class=\"grid\" "
			"d=\"M0-12V12\"/>",
			colour);
		if (isfinite(low) && isfinite(high))
			fprintf(sheet->out, "<path class=\"line\" d=\"M%.1f 0H%.1f\"/>", 100 * (low / most),
				100 * (high / most));
		fprintf(sheet->out, "<use class=\"mark\" href=\"#m0\" x=\"%.1f\" y=\"0\"/></svg>",
			100 * (change / most));
	}
	sheet_cell_end(sheet, false);
}

static const char *percent_text(double percent, char text[SHEET_NUMBER_SIZE])
{
	char change[FIGURE_CHANGE_SIZE];

	snprintf(text, SHEET_NUMBER_SIZE, "%s %%", figure_change(percent, 1, change));
	return isfinite(percent) ? text : "";
}

static void change_print(const json_t *row, double most, struct sheet *sheet)
{
	const double percentile = report_number(row, "percentile"), p = report_number(row, "p");
	const struct figure_kind *kind = kind_of(report_text(row, "figure"), isnan(percentile) ? 0 : percentile);
	const bool known = isfinite(report_number(row, "change_low_percent"));
	char text[SHEET_NUMBER_SIZE], other[SHEET_NUMBER_SIZE];

	sheet_cell(sheet, "%s", report_text(row, "subject"));
	sheet_cell(sheet, "%s", report_text(row, "name"));
	sheet_cell(sheet, "%s", sheet_number(report_number(row, "a") * (kind ? kind->to_shown : 1), text));
	sheet_cell(sheet, "%s", sheet_number(report_number(row, "b") * (kind ? kind->to_shown : 1), text));
	sheet_cell(sheet, "%s", kind ? kind->unit : "");
	sheet_cell(sheet, "%s", percent_text(report_number(row, "change_percent"), text));
	sheet_cell(sheet, "%s%s%s", percent_text(report_number(row, "change_low_percent"), text), known ? " to " : "",
		   percent_text(report_number(row, "change_high_percent"), other));
	change_draw(row, most, sheet);
	snprintf(text, sizeof(text), p < 0.0001 ? "<0.0001" : "%.4f", p);
	sheet_cell(sheet, "%s", isfinite(p) ? text : "");
	sheet_cell(sheet, "%s", report_text(row, "text"));
}

static void comparison_page_print(const char *name, const json_t *document, struct sheet *sheet)
{
	static const char *const headings[] = {"of",	 "figure",   "A", "B", "unit",
					       "change", "interval", "",  "p", "verdict"};
	const json_t *comparison = json_object_get(document, "comparison"), *row;
	const json_t *rows = json_object_get(document, "measurements");
	const double most = farthest_of(rows);
	size_t i;

	sheet_heading(sheet, "%s: is B better than A?", name);
	sheet_paragraph(sheet, "A: %s", report_text(comparison, "a"));
	sheet_paragraph(sheet, "B: %s", report_text(comparison, "b"));
	json_array_foreach(json_object_get(comparison, "differences"), i, row)
	{
		sheet_paragraph(sheet, "Differs: %s: %s, %s", report_text(row, "member"), report_text(row, "a"),
				report_text(row, "b"));
	}
	sheet_table_begin(sheet, "Changes from A to B", false, 1 | 2 | 16 | 128 | 512, headings, 10);
	json_array_foreach(rows, i, row)
	{
		change_print(row, most, sheet);
	}
	sheet_table_end(sheet);
	if (strcmp(report_text(comparison, "of"), "documents") == 0)
		sheet_paragraph(sheet, "Each side is one run, and two runs of the same differ, too: no change is "
				       "called a difference.");
	else
		sheet_paragraph(sheet,
				"%.0f pairs of runs in turn. Lines are intervals; the middle is no change, and either "
				"end of the scale %.4g %%.",
				report_number(comparison, "pairs"), most);
}

void pictures_print(const json_t *documents, struct sheet *sheet)
{
	for (size_t i = 0; i < json_array_size(documents); i++) {
		const json_t *entry = json_array_get(documents, i), *document = json_object_get(entry, "document");

		if (json_is_object(json_object_get(document, "matrix")))
			matrix_print(report_text(entry, "name"), document, sheet);
		if (json_is_object(json_object_get(document, "comparison")))
			comparison_page_print(report_text(entry, "name"), document, sheet);
	}
}
