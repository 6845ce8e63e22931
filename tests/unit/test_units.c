// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Is every text parsed completely, in range, or refused without a side effect? */
#include "cmocka_all.h"
#include "util/units.h"

#define GIB	  (1ULL << 30)
#define UNTOUCHED 0xdeadbeefcafef00dULL

struct integer_case {
	const char *text;
	uint64_t min;
	uint64_t max;
	int ret;
	uint64_t value; /* when ret is 0 */
};

/* Read alike with and without suffixes. */
static const struct integer_case plain[] = {
	{"0", 0, 10, 0, 0},
	{"10", 0, 10, 0, 10},
	{"1", 1, 10, 0, 1},
	{"65536", 0, UINT64_MAX, 0, 65536},
	{"18446744073709551615", 0, UINT64_MAX, 0, UINT64_MAX},
	{"0x10", 0, UINT64_MAX, 0, 16},
	{"0XfF", 0, UINT64_MAX, 0, 255},
	{"0xffffffffffffffff", 0, UINT64_MAX, 0, UINT64_MAX},
	/* a leading 0 is not octal */
	{"010", 0, UINT64_MAX, 0, 10},
	{"08", 0, UINT64_MAX, 0, 8},
	{"000000000000000000000000000001", 0, UINT64_MAX, 0, 1},
	/* out of range, never truncated */
	{"11", 0, 10, -ERANGE, 0},
	{"0", 1, 10, -ERANGE, 0},
	{"300", 0, 255, -ERANGE, 0},
	{"256", 0, 255, -ERANGE, 0},
	{"70000", 0, 65535, -ERANGE, 0},
	{"4294967297", 0, 1, -ERANGE, 0},
	{"18446744073709551616", 0, UINT64_MAX, -ERANGE, 0},
	{"18446744073709551626", 0, UINT64_MAX, -ERANGE, 0},
	{"0x10000000000000000", 0, UINT64_MAX, -ERANGE, 0},
	{"99999999999999999999999999999999", 0, UINT64_MAX, -ERANGE, 0},
	{"-1", 0, UINT64_MAX, -ERANGE, 0},
	{"-18446744073709551615", 0, UINT64_MAX, -ERANGE, 0},
	{"-0x1", 0, UINT64_MAX, -ERANGE, 0},
	/* not a number */
	{"", 0, UINT64_MAX, -EINVAL, 0},
	{" ", 0, UINT64_MAX, -EINVAL, 0},
	{" 1", 0, UINT64_MAX, -EINVAL, 0},
	{"1 ", 0, UINT64_MAX, -EINVAL, 0},
	{"1\n", 0, UINT64_MAX, -EINVAL, 0},
	{"\t1", 0, UINT64_MAX, -EINVAL, 0},
	{"+1", 0, UINT64_MAX, -EINVAL, 0},
	{"-", 0, UINT64_MAX, -EINVAL, 0},
	{"--1", 0, UINT64_MAX, -EINVAL, 0},
	{"- 1", 0, UINT64_MAX, -EINVAL, 0},
	{"x", 0, UINT64_MAX, -EINVAL, 0},
	{"0x", 0, UINT64_MAX, -EINVAL, 0},
	{"0xg", 0, UINT64_MAX, -EINVAL, 0},
	{"abc", 0, UINT64_MAX, -EINVAL, 0},
	{"12abc", 0, UINT64_MAX, -EINVAL, 0},
	{"-12abc", 0, UINT64_MAX, -EINVAL, 0},
	{"1.5", 0, UINT64_MAX, -EINVAL, 0},
	{"1e3", 0, UINT64_MAX, -EINVAL, 0},
	{"1,000", 0, UINT64_MAX, -EINVAL, 0},
	{"99999999999999999999999999999999x", 0, UINT64_MAX, -EINVAL, 0},
};

static const struct integer_case suffixed[] = {
	{"1K", 0, UINT64_MAX, 0, 1024},
	{"1k", 0, UINT64_MAX, 0, 1024},
	{"64K", 0, UINT64_MAX, 0, 65536},
	{"1M", 0, UINT64_MAX, 0, 1048576},
	{"3m", 0, UINT64_MAX, 0, 3145728},
	{"4G", 0, UINT64_MAX, 0, 4 * GIB},
	{"4g", 0, UINT64_MAX, 0, 4 * GIB},
	{"0G", 0, 10, 0, 0},
	{"010K", 0, UINT64_MAX, 0, 10240},
	{"0x10K", 0, UINT64_MAX, 0, 16384},
	{"17179869183G", 0, UINT64_MAX, 0, 17179869183 * GIB},
	/* the range holds for the product, and the product is not cut */
	{"4G", 0, 4 * GIB - 1, -ERANGE, 0},
	{"1K", 0, 1023, -ERANGE, 0},
	{"17179869184G", 0, UINT64_MAX, -ERANGE, 0},
	{"18446744073709551615K", 0, UINT64_MAX, -ERANGE, 0},
	{"-1K", 0, UINT64_MAX, -ERANGE, 0},
	/* one suffix, and nothing behind it */
	{"1KM", 0, UINT64_MAX, -EINVAL, 0},
	{"1KB", 0, UINT64_MAX, -EINVAL, 0},
	{"1KiB", 0, UINT64_MAX, -EINVAL, 0},
	{"1 K", 0, UINT64_MAX, -EINVAL, 0},
	{"1K ", 0, UINT64_MAX, -EINVAL, 0},
	{"1T", 0, UINT64_MAX, -EINVAL, 0},
	{"1B", 0, UINT64_MAX, -EINVAL, 0},
	{"K", 0, UINT64_MAX, -EINVAL, 0},
	{"-K", 0, UINT64_MAX, -EINVAL, 0},
	{"K1", 0, UINT64_MAX, -EINVAL, 0},
	{"1.5K", 0, UINT64_MAX, -EINVAL, 0},
};

static void integer_check(const struct integer_case *c, int (*parse)(const char *, uint64_t, uint64_t, uint64_t *),
			  int expected)
{
	uint64_t value = UNTOUCHED;
	int ret = parse(c->text, c->min, c->max, &value);

	if (ret != expected || value != (expected ? UNTOUCHED : c->value))
		fail_msg("\"%s\" gave %d and %llu", c->text, ret, (unsigned long long)value);
}

TEST(integers)
{
	for (size_t i = 0; i < sizeof(plain) / sizeof(*plain); i++) {
		integer_check(&plain[i], units_parse_u64, plain[i].ret);
		integer_check(&plain[i], units_parse_size, plain[i].ret);
	}
}

TEST(sizes_take_a_suffix)
{
	for (size_t i = 0; i < sizeof(suffixed) / sizeof(*suffixed); i++)
		integer_check(&suffixed[i], units_parse_size, suffixed[i].ret);
}

TEST(times_take_another)
{
	static const struct integer_case times[] = {
		{"60", 1, 86400, 0, 60},       {"60s", 1, 86400, 0, 60},
		{"10M", 1, 86400, 0, 600},     {"24h", 1, 86400, 0, 86400},
		{"1d", 1, 86400, 0, 86400},    {"0s", 1, 86400, -ERANGE, 0},
		{"25h", 1, 86400, -ERANGE, 0}, {"1K", 1, 86400, -EINVAL, 0},
		{"s", 1, 86400, -EINVAL, 0},   {"213503982334602d", 0, UINT64_MAX, -ERANGE, 0},
		{"1ms", 1, 86400, -EINVAL, 0},
	};

	for (size_t i = 0; i < sizeof(times) / sizeof(*times); i++)
		integer_check(&times[i], units_parse_seconds, times[i].ret);
}

TEST(integers_take_no_suffix)
{
	for (size_t i = 0; i < sizeof(suffixed) / sizeof(*suffixed); i++)
		integer_check(&suffixed[i], units_parse_u64, -EINVAL);
}

TEST(doubles)
{
	static const struct {
		const char *text;
		double min;
		double max;
		int ret;
		double value;
	} cases[] = {
		{"0", 0, 1, 0, 0},
		{"2", 0, 10, 0, 2},
		{"99.9", 0, 100, 0, 99.9},
		{".5", 0, 1, 0, 0.5},
		{"5.", 0, 10, 0, 5},
		{"007.50", 0, 10, 0, 7.5},
		{"1e3", 0, 1000, 0, 1000},
		{"2.5E-1", 0, 1, 0, 0.25},
		{"1e+2", 0, 100, 0, 100},
		{"-1.5", -2, 0, 0, -1.5},
		{"1e-999", 0, 1, 0, 0},
		{"-1.5", 0, 10, -ERANGE, 0},
		{"100.1", 0, 100, -ERANGE, 0},
		{"1e999", 0, 1e308, -ERANGE, 0},
		{"1e999", 0, 1.0 / 0.0, -ERANGE, 0},
		{"-1e999", -1.0 / 0.0, 0, -ERANGE, 0},
		{"", 0, 1, -EINVAL, 0},
		{".", 0, 1, -EINVAL, 0},
		{"-", 0, 1, -EINVAL, 0},
		{"-.", -1, 1, -EINVAL, 0},
		{"+1", 0, 1, -EINVAL, 0},
		{" 1", 0, 1, -EINVAL, 0},
		{"1 ", 0, 1, -EINVAL, 0},
		{"1x", 0, 1, -EINVAL, 0},
		{"1.2.3", 0, 10, -EINVAL, 0},
		{"1,5", 0, 10, -EINVAL, 0},
		{"1e", 0, 10, -EINVAL, 0},
		{"1e+", 0, 10, -EINVAL, 0},
		{"e3", 0, 10, -EINVAL, 0},
		{".e3", 0, 10, -EINVAL, 0},
		{"0x10", 0, 100, -EINVAL, 0},
		{"nan", 0, 1, -EINVAL, 0},
		{"inf", 0, 1, -EINVAL, 0},
		{"infinity", 0, 1, -EINVAL, 0},
		{"1K", 0, 10000, -EINVAL, 0},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		double value = -12345;
		int ret = units_parse_double(cases[i].text, cases[i].min, cases[i].max, &value);

		if (ret != cases[i].ret || value != (ret ? -12345 : cases[i].value))
			fail_msg("\"%s\" gave %d and %g", cases[i].text, ret, value);
	}
}

TEST_MAIN(NULL, NULL)
