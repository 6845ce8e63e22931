/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Columns of a row of one thread (--threads), after all others. Rows of the table in columns.c, which includes this. */
/* clang-format off */
#define OF_THREAD(name, title)                                                                                         \
	.key = (name), .quantity = QUANTITY_COUNT, .any = IN_BW | IN_LAT, .all = HAS_THREADS, .head = (title),         \
	.head_gap = {[FORM_BW] = ADDED_HEAD_GAP, [FORM_BW_FINE] = ADDED_HEAD_GAP, [FORM_LAT] = ADDED_HEAD_GAP,         \
		     [FORM_LAT_TIME] = ADDED_HEAD_GAP},                                                                \
	.cells = {[FORM_BW] = ADDED_COUNT_CELL, [FORM_BW_FINE] = ADDED_COUNT_CELL, [FORM_LAT] = ADDED_COUNT_CELL,      \
		  [FORM_LAT_TIME] = ADDED_COUNT_CELL}
	{
		OF_THREAD("thread", "#thread"),
		OF(thread),
		.when = MEMBER(struct report_row, thread),
	},
	{
		OF_THREAD("cpu", "CPU"),
		OF(cpu),
		.when = MEMBER(struct report_row, thread),
	},
