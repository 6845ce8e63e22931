// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Are lists of hosts expanded as Slurm and pdsh do, and is everything else refused, in bounded time? */
#include "cmocka_all.h"
#include "front/matrix/hostlist.h"

struct taken {
	char text[4096]; /* the names, each with a blank behind it */
	unsigned count, most;
};

static bool take(void *context, const char *name)
{
	struct taken *taken = context;
	const size_t used = strlen(taken->text);

	snprintf(taken->text + used, sizeof(taken->text) - used, "%s ", name);
	return ++taken->count < taken->most;
}

static const char *each(const char *list, unsigned most, struct taken *taken)
{
	*taken = (struct taken){.most = most};
	return hostlist_each(list, take, taken);
}

TEST(lists)
{
	static const char *const rows[][2] = {
		{"n1", "n1 "},
		{"n1,n2", "n1 n2 "},
		{"n[1-4]", "n1 n2 n3 n4 "},
		{"n[1-4,7,09-12],m1", "n1 n2 n3 n4 n7 n09 n10 n11 n12 m1 "},
		{"n[007-009,12]", "n007 n008 n009 n12 "},
		{"n[99-101]", "n99 n100 n101 "},
		{"n[098-100]", "n098 n099 n100 "},
		{"rack[1-2]n[1-2]-ib", "rack1n1-ib rack1n2-ib rack2n1-ib rack2n2-ib "},
		{"[1-2]", "1 2 "},
		{" a\n b[1,2]\t,c , ", "a b1 b2 c "},
		{"root@n[1-2],10.0.0.[1-2]", "root@n1 root@n2 10.0.0.1 10.0.0.2 "},
		{"", ""},
		{",,", ""},
	};
	struct taken taken;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_null(each(rows[i][0], 100, &taken));
		assert_string_equal(taken.text, rows[i][1]);
	}
}

TEST(others_are_refused)
{
	static const char *const bad[] = {
		"n[",
		"n]",
		"n[]",
		"n[1",
		"n1]",
		"n[1-]",
		"n[-1]",
		"n[2-1]",
		"n[a-b]",
		"n[1,]",
		"n[,1]",
		"n[1;2]",
		"n[1-2-3]",
		"n[1-4294967296]",
		"n[0x1]",
		"n[1 2]",
		"n[[1]]",
		"n[1]]",
		"[[[[[[[",
		"n[1-2],m[",
		"n[10000000000]",
		"n[1-2]m[1-2]k[x]",
		"n[ 1]",
		"n[+1]",
	};
	struct taken taken;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_non_null(each(bad[i], 100, &taken));
}

/* Huge ranges, and products of them, end when no more are wanted; long names and many brackets are refused. */
TEST(bounds)
{
	char text[8192], *next = text;
	struct taken taken;

	assert_null(each("n[1-999999999]", 10, &taken));
	assert_int_equal(taken.count, 10);
	assert_null(each("[0-999999999][0-999999999][0-999999999],x", 7, &taken));
	assert_int_equal(taken.count, 7);
	memset(text, 'x', HOSTLIST_NAME_SIZE - 1);
	text[HOSTLIST_NAME_SIZE - 1] = '\0';
	assert_null(each(text, 10, &taken));
	strcat(text, "x");
	assert_non_null(each(text, 10, &taken));
	for (unsigned i = 0; i < 2000; i++)
		next = stpcpy(next, "[1]");
	assert_non_null(each(text, 10, &taken));
	assert_int_equal(taken.count, 0);
}

TEST_MAIN(NULL, NULL)
