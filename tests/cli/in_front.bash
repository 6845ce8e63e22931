# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Interposes a library of ours before all others that a program is linked with: it sees calls of libibverbs, librdmacm
# or the C library first (in_front.h). It also precedes the software device; in a sanitizer build that one is linked in.
# shellcheck shell=bash

in_front_build() { # NAME [FLAG...]: of the C file beside the tests; once for all tests of a file
    ${CC:-cc} -shared -fPIC -O1 -fno-optimize-sibling-calls -o "$BATS_FILE_TMPDIR/$1.so" "$BATS_TEST_DIRNAME/$1.c" -ldl "${@:2}"
}

# Sets in_front: what stands before a command, with the variables that the library reads in between.
in_front_of() { # NAME
    local preload=$BATS_FILE_TMPDIR/$1.so
    is_sanitized || preload+=:$PERFTEST_BUILD/soft/.libs/libperftest_soft.so
    # shellcheck disable=SC2034
    in_front=(env LD_PRELOAD="$preload" PERFTEST_SOFT_CM=1 ASAN_OPTIONS="verify_asan_link_order=0:${ASAN_OPTIONS-}")
}
