/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* cmocka.h and the headers that it requires. Every unit test includes it. */
#ifndef TESTS_UNIT_CMOCKA_ALL_H
#define TESTS_UNIT_CMOCKA_ALL_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Few tests have a state, and few stand-ins look at all that they are called with. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

/* cmocka 2 has deprecated the one name that cmocka 1 has for it. */
#ifdef assert_uint_in_range
#undef assert_in_range
#define assert_in_range assert_uint_in_range
#endif

#endif
