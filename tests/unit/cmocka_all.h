/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * cmocka.h, the headers that it requires and those that most tests need; and a list of the tests of a file, in its
 * order: TEST() defines one and adds it, TEST_MAIN() runs all. Every unit test includes it.
 */
#pragma once

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Few tests have a state, and few stand-ins look at all that they are called with. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

/* cmocka 2 has deprecated the one name that cmocka 1 has for it. */
#ifdef assert_uint_in_range
#undef assert_in_range
#define assert_in_range assert_uint_in_range
#endif

static struct CMUnitTest tests_list[64];
static size_t tests_count;

static inline void tests_add(const struct CMUnitTest *test)
{
	if (tests_count == sizeof(tests_list) / sizeof(*tests_list))
		abort();
	tests_list[tests_count++] = *test;
}

static inline int tests_run(CMFixtureFunction group_setup, CMFixtureFunction group_teardown)
{
	const struct CMUnitTest(*const tests)[tests_count] = (void *)tests_list;

	return cmocka_run_group_tests_name("tests", *tests, group_setup, group_teardown);
}

/* TEST(function) or TEST(function, setup, teardown), either of which may be NULL. Constructors run by their number. */
#define TEST(function, ...)                                                                                            \
	static void function(void **state);                                                                            \
	__attribute__((constructor(1000 + __LINE__))) static void function##_is_added(void)                            \
	{                                                                                                              \
		tests_add(&(struct CMUnitTest){.name = #function, .test_func = function, ##__VA_ARGS__});              \
	}                                                                                                              \
	static void function(void **state)

#define TEST_MAIN(group_setup, group_teardown)                                                                         \
	int main(void)                                                                                                 \
	{                                                                                                              \
		return tests_run(group_setup, group_teardown);                                                         \
	}
