// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See sheet.h. */
#include "config.h"

#include "front/sheet.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "util/terminal.h"

#define TEXT_SIZE 1001
#define GAP	  2 /* between columns of text */
#define INDENT	  6 /* of what is continued below */

/*
 * Colours: Okabe and Ito's, which people with any kind of colour vision tell apart, in a second set for a dark screen.
 * Letters in a chart are larger where it is scaled down to the width of a phone.
 */
static const char style[] =
	":root{color-scheme:light dark;--back:#fff;--text:#1b1f24;--dim:#59636e;--rule:#d1d9e0;--soft:#f3f5f7;"
	"--c0:#0072b2;--c1:#d55e00;--c2:#009e73;--c3:#b8508d;--c4:#b87a00;--c5:#3a8fc4;--c6:#1b1f24;--c7:#77772b}\n"
	"@media screen and (prefers-color-scheme:dark){:root{--back:#14181d;--text:#e6e9ec;--dim:#a3adb7;"
	"--rule:#3a434d;--soft:#1f262d;--c0:#56b4e9;--c1:#ff8a50;--c2:#2cc59b;--c3:#e59cc5;--c4:#f0b429;--c5:#9db8ff;"
	"--c6:#e6e9ec;--c7:#c9c96b}}\n"
	"*{box-sizing:border-box}\n"
	"body{margin:0;background:var(--back);color:var(--text);font:1rem/1.5 system-ui,sans-serif;"
	"overflow-wrap:anywhere}\n"
	"main{max-width:58rem;margin:0 auto;padding:1rem}\n"
	"h1{font-size:1.6rem;line-height:1.25;margin:.5rem 0 1rem}\n"
	"h2{font-size:1.2rem;margin:2.2rem 0 .6rem;padding-top:.6rem;border-top:1px solid var(--rule)}\n"
	"p{margin:.5rem 0}\n"
	".notice{border-left:4px solid var(--c1);padding:.1rem .7rem;background:var(--soft)}\n"
	"footer{margin-top:2.5rem;color:var(--dim);font-size:.85rem}\n"
	"figure{margin:1rem 0;break-inside:avoid}\n"
	"figcaption{font-weight:600}\n"
	".chart{display:block;width:100%;height:auto}\n"
	".chart text{font:10px system-ui,sans-serif;fill:var(--text)}\n"
	".chart .dim{fill:var(--dim)}\n"
	".chart .end{text-anchor:end}.chart .middle{text-anchor:middle}\n"
	".grid{stroke:var(--rule);fill:none}\n"
	".line{fill:none;stroke:var(--c);stroke-width:2;stroke-linejoin:round}\n"
	".mark{fill:var(--c)}\n"
	".l1{stroke-dasharray:8 3}.l2{stroke-dasharray:2 3}.l3{stroke-dasharray:8 3 2 3}.l4{stroke-dasharray:14 4}\n"
	".l5{stroke-dasharray:4 4}.l6{stroke-dasharray:10 3 2 3 2 3}.l7{stroke-dasharray:1 4}\n"
	".c0{--c:var(--c0)}.c1{--c:var(--c1)}.c2{--c:var(--c2)}.c3{--c:var(--c3)}\n"
	".c4{--c:var(--c4)}.c5{--c:var(--c5)}.c6{--c:var(--c6)}.c7{--c:var(--c7)}\n"
	".legend{list-style:none;margin:.2rem 0 .4rem;padding:0;display:flex;flex-wrap:wrap;gap:.1rem 1.2rem;"
	"font-size:.875rem}\n"
	".legend svg{width:34px;height:12px;margin-right:.4rem}\n"
	".cell{fill:var(--c0);fill-opacity:.16;stroke:var(--back)}\n"
	".slow{fill:var(--c4);fill-opacity:.5}.bad{fill:var(--c1);fill-opacity:.75}\n"
	".chart.cells text{font-size:9px}\n"
	".none{fill:var(--soft);fill-opacity:1}\n"
	"table{border-collapse:collapse;font-size:.875rem;font-variant-numeric:tabular-nums}\n"
	"th,td{padding:.25rem .7rem .25rem 0;border-bottom:1px solid var(--rule);text-align:right;vertical-align:top;"
	"white-space:nowrap;overflow-wrap:normal}\n"
	"th{font-weight:600}tbody th{font-weight:400}\n"
	".w{text-align:left;white-space:normal;overflow-wrap:break-word;max-width:30rem}\n"
	"td svg{display:block;width:8.5rem;height:1.3rem}\n"
	".scroll{overflow-x:auto}\n"
	"summary{cursor:pointer;color:var(--dim);font-size:.875rem}\n"
	":focus-visible{outline:2px solid var(--c0);outline-offset:2px}\n"
	"@media (max-width:40rem){.chart text{font-size:18px}.chart .odd{display:none}"
	".chart.cells text{font-size:11px}td:last-child.w{min-width:22rem}}\n"
	"@media print{:root{font-size:11px}.scroll{overflow:visible}h2,summary{break-after:avoid}"
	"details::details-content{content-visibility:visible;block-size:auto}}\n";

/* A mark of each series, of its own shape. */
static const char marks[] =
	"<svg width=\"0\" height=\"0\" style=\"position:absolute\" aria-hidden=\"true\"><defs>"
	"<circle id=\"m0\" r=\"3.5\"/><rect id=\"m1\" x=\"-3.2\" y=\"-3.2\" width=\"6.4\" height=\"6.4\"/>"
	"<path id=\"m2\" d=\"M0-4.5 4.2 3.2H-4.2z\"/><path id=\"m3\" d=\"M0-4.6 4.6 0 0 4.6-4.6 0z\"/>"
	"<path id=\"m4\" d=\"M0 4.5 4.2-3.2H-4.2z\"/>"
	"<path id=\"m5\" d=\"M-1.3-4.2H1.3V-1.3H4.2V1.3H1.3V4.2H-1.3V1.3H-4.2V-1.3H-1.3z\"/>"
	"<path id=\"m6\" d=\"M-4.2-1.5H4.2V1.5H-4.2z\"/><path id=\"m7\" d=\"M-1.5-4.2H1.5V4.2H-1.5z\"/>"
	"</defs></svg>\n";

bool markdown_is_special(char character)
{
	return character && strchr("\\`*[]<>|&", character);
}

static void escape(const struct sheet *sheet, const char *text)
{
	static const char *const entities[] = {"&amp;", "&lt;", "&gt;", "&quot;"};
	static const char special[] = "&<>\"";

	while (*text) {
		const unsigned length = character_length(text);
		const char *found = strchr(special, *text);

		if (!length)
			fputc('.', sheet->out);
		else if (sheet->html && found)
			fputs(entities[found - special], sheet->out);
		else if (!sheet->html && markdown_is_special(*text))
			fprintf(sheet->out, "\\%c", *text);
		else
			fwrite(text, 1, length, sheet->out);
		text += length ? length : 1;
	}
}

__attribute__((format(printf, 3, 0))) static void vprint(const struct sheet *sheet, const char *before,
							 const char *format, va_list args, const char *behind)
{
	char text[TEXT_SIZE];

	vsnprintf(text, sizeof(text), format, args);
	fputs(before, sheet->out);
	escape(sheet, text);
	fputs(behind, sheet->out);
}

/* before and behind are the page's own: of HTML and of Markdown. */
#define PRINT(html_before, html_behind, before, behind)                                                                \
	do {                                                                                                           \
		va_list args;                                                                                          \
		va_start(args, format);                                                                                \
		vprint(sheet, sheet->html ? (html_before) : (before), format, args,                                    \
		       sheet->html ? (html_behind) : (behind));                                                        \
		va_end(args);                                                                                          \
	} while (0)

void sheet_text(struct sheet *sheet, const char *format, ...)
{
	PRINT("", "", "", "");
}

void sheet_heading(struct sheet *sheet, const char *format, ...)
{
	PRINT("<h2>", "</h2>\n", "## ", "\n\n");
}

void sheet_paragraph(struct sheet *sheet, const char *format, ...)
{
	PRINT("<p>", "</p>\n", "", "\n\n");
}

void sheet_notice(struct sheet *sheet, const char *format, ...)
{
	PRINT("<p class=\"notice\">", "</p>\n", "> ", "\n\n");
}

void sheet_open(struct sheet *sheet, const char *title)
{
	if (sheet->html) {
		fprintf(sheet->out,
			"<!DOCTYPE html>\n<html lang=\"en\" xmlns=\"http://www.w3.org/1999/xhtml\">\n<head>\n"
			"<meta charset=\"utf-8\"/>\n"
			"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
			"style-src 'unsafe-inline'\"/>\n"
			"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<title>");
		escape(sheet, title);
		fprintf(sheet->out, "</title>\n<style>\n%s</style>\n</head>\n<body>\n%s<main>\n<h1>", style, marks);
	} else {
		fprintf(sheet->out, "# ");
	}
	escape(sheet, title);
	fputs(sheet->html ? "</h1>\n" : "\n\n", sheet->out);
}

void sheet_close(struct sheet *sheet)
{
	if (sheet->html)
		fprintf(sheet->out, "<footer>Written by %s.</footer>\n</main>\n</body>\n</html>\n", PACKAGE_STRING);
}

/* The columns of a terminal that is narrower than the table of text; 0: it is not. */
static int room_of(const struct sheet *sheet)
{
	const int room = terminal_set_columns(sheet->out);
	int width = 1 - GAP; /* before the first is one */

	for (unsigned i = 0; i < sheet->columns; i++)
		width += GAP + abs(sheet->widths[i]);
	return room < width ? room : 0;
}

static void text_cell(struct sheet *sheet, const char *text)
{
	const int room = room_of(sheet), width = sheet->widths[sheet->column];
	const bool is_last = sheet->column + 1 == sheet->columns, is_free = is_last && width < 0;
	const int length = is_free ? 0 : (int)strlen(text), taken = GAP + (length > abs(width) ? length : abs(width));
	char folded[TEXT_SIZE];

	if (!sheet->column)
		sheet->used = 1 - GAP;
	if (room && sheet->used + taken > room && !(is_free && !text[0])) {
		fprintf(sheet->out, "\n%*s", INDENT, "");
		sheet->used = INDENT;
	}
	if (room && is_free)
		text = text_fold(text, room, sheet->used + GAP, sheet->used + GAP, folded, sizeof(folded));
	fprintf(sheet->out, "%*s%*s%s", sheet->column ? GAP : 1, "", is_free ? 0 : width, text, is_last ? "\n" : "");
	sheet->used += taken;
	sheet->column = is_last ? 0 : sheet->column + 1;
}

/* A column of pictures, which has no heading, is not in Markdown. */
static bool is_omitted(const struct sheet *sheet)
{
	return !sheet->html && sheet->pictures >> sheet->column & 1;
}

/* What stands in front of the next cell, and behind it. */
void sheet_cell_begin(struct sheet *sheet, bool is_heading)
{
	const char *kind = sheet->words & UINT64_C(1) << sheet->column ? " class=\"w\"" : "";

	if (!sheet->html)
		fputs(is_omitted(sheet) ? "" : sheet->column ? " " : "| ", sheet->out);
	else if (is_heading)
		fprintf(sheet->out, "%s<th scope=\"col\"%s>", sheet->column ? "" : "<tr>", kind);
	else if (!sheet->column)
		fprintf(sheet->out, "<tr><th scope=\"row\"%s>", kind);
	else
		fprintf(sheet->out, "<td%s>", kind);
}

void sheet_cell_end(struct sheet *sheet, bool is_heading)
{
	const bool is_last = sheet->column + 1 == sheet->columns;

	if (!sheet->html)
		fprintf(sheet->out, "%s%s", is_omitted(sheet) ? "" : " |", is_last ? "\n" : "");
	else
		fprintf(sheet->out, "</%s>%s", is_heading || !sheet->column ? "th" : "td", is_last ? "</tr>\n" : "");
	sheet->column = is_last ? 0 : sheet->column + 1;
}

void sheet_table_begin(struct sheet *sheet, const char *caption, bool folded, uint64_t words,
		       const char *const *headings, unsigned columns)
{
	sheet->columns = columns;
	sheet->column = 0;
	sheet->pictures = 0;
	for (unsigned i = 0; i < columns; i++)
		sheet->pictures |= (uint64_t)!headings[i][0] << i;
	sheet->folded = folded;
	sheet->words = words;
	if (sheet->html && folded) {
		fputs("<details><summary>", sheet->out);
		escape(sheet, caption);
		fputs("</summary>", sheet->out);
	}
	if (sheet->html) {
		fputs("<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"", sheet->out);
		escape(sheet, caption);
		fputs("\">\n<table><thead>\n", sheet->out);
	}
	for (unsigned i = 0; i < columns && sheet->widths; i++)
		text_cell(sheet, headings[i]);
	for (unsigned i = 0; i < columns && !sheet->widths; i++) {
		sheet_cell_begin(sheet, true);
		escape(sheet, headings[i]);
		sheet_cell_end(sheet, true);
	}
	if (sheet->html)
		fputs("</thead><tbody>\n", sheet->out);
	for (unsigned i = 0; i < columns && !sheet->html && !sheet->widths; i++) {
		sheet_cell_begin(sheet, true);
		fputs(is_omitted(sheet) ? "" : sheet->words >> i & 1 ? "---" : "--:", sheet->out);
		sheet_cell_end(sheet, true);
	}
}

void sheet_table_end(struct sheet *sheet)
{
	if (sheet->html)
		fprintf(sheet->out, "</tbody></table></div>%s\n", sheet->folded ? "</details>" : "");
	else
		fputc('\n', sheet->out);
}

void sheet_cell(struct sheet *sheet, const char *format, ...)
{
	char text[TEXT_SIZE];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (sheet->widths) {
		text_cell(sheet, without_controls(text));
		return;
	}
	sheet_cell_begin(sheet, false);
	escape(sheet, text);
	sheet_cell_end(sheet, false);
}

const char *sheet_number(double value, char text[SHEET_NUMBER_SIZE])
{
	const double size = fabs(value);

	text[0] = '\0';
	if (!isfinite(value))
		return text;
	snprintf(text, SHEET_NUMBER_SIZE, size >= 1e3 && size < 1e12 ? "%.0f" : "%.4g", value);
	return text;
}
