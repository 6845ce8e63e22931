// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The value of a column in a row. See table.h. */
#include <math.h>
#include <string.h>

#include "report/table.h"

#define TYPICAL_PERCENTILE 50.0 /* "typical" is the median */

double row_member_number(struct row_member member, const void *of)
{
	const char *at = (const char *)of + member.offset;

	switch (member.type) {
	case MEMBER_FLAG:
		return *(const bool *)at;
	case MEMBER_U8:
		return *(const uint8_t *)at;
	case MEMBER_INT:
		return *(const int *)at < 0 ? NAN : *(const int *)at;
	case MEMBER_UNSIGNED:
		return *(const unsigned *)at;
	case MEMBER_U64:
		return *(const uint64_t *)at == UINT64_MAX ? NAN : (double)*(const uint64_t *)at;
	case MEMBER_DOUBLE:
		return *(const double *)at;
	case MEMBER_NONE:
	case MEMBER_POINTER:
	case MEMBER_TEXT:
		break;
	}
	return NAN;
}

const void *row_member_pointer(struct row_member member, const void *of)
{
	const void *pointer;

	memcpy(&pointer, (const char *)of + member.offset, sizeof(pointer));
	return pointer;
}

static double member_value(const struct column *column, const void *row)
{
	if (column->when.type != MEMBER_NONE && row_member_number(column->when, row) == 0)
		return NAN;
	if (column->behind.type == MEMBER_POINTER)
		row = row_member_pointer(column->behind, row);
	return row ? row_member_number(column->member, row) : NAN;
}

static double figure_of(const struct latency *latency, const struct column *column)
{
	switch (column->figure) {
	case FIGURE_NONE:
	case FIGURE_COUNT:
		break;
	case FIGURE_MIN:
		return latency_seconds(latency, latency->min);
	case FIGURE_MAX:
		return latency_seconds(latency, latency->max);
	case FIGURE_TYPICAL:
		return latency_percentile(latency, TYPICAL_PERCENTILE);
	case FIGURE_MEAN:
		return latency_mean(latency);
	case FIGURE_STDEV:
		return latency_stdev(latency);
	case FIGURE_PERCENTILE:
		return latency_percentile(latency, column->percent);
	}
	return NAN;
}

static struct value figure_value(const struct column *column, const void *row)
{
	const char *behind = row_member_pointer(column->behind, row);
	const struct latency *latency = behind ? (const struct latency *)(behind + column->member.offset) : NULL;
	const uint64_t samples = latency ? latency->histogram.count : 0;

	if (column->figure == FIGURE_COUNT)
		return (struct value){.number = (double)samples, .known = true, .supported = true};
	if (!samples)
		return (struct value){.supported = column->percent <= 0};
	/* The median of few samples is still a median: "typical" is always supported. */
	return (struct value){
		.number = figure_of(latency, column),
		.known = true,
		.supported = column->percent <= 0 || histogram_supports(samples, column->percent),
	};
}

struct value column_value(const struct column *column, const void *row)
{
	struct value value = {.known = true, .supported = true};

	if (column->figure != FIGURE_NONE)
		value = figure_value(column, row);
	else
		value.number = column->value ? column->value(row, column) : member_value(column, row);
	if ((column->zero_unknown && value.number == 0) || !isfinite(value.number))
		return (struct value){.supported = value.supported};
	return value;
}

const char *column_text(const struct column *column, const void *row)
{
	if (column->text)
		return column->text(row, column);
	if (column->behind.type == MEMBER_POINTER)
		row = row_member_pointer(column->behind, row);
	return row_member_pointer(column->member, row);
}

bool column_flag(const struct column *column, const void *row)
{
	return (column->value ? column->value(row, column) : member_value(column, row)) != 0;
}
