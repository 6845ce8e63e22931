# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# For tests of programs that are not ours, as their packages install them, under run_soft. Behind "load helpers".
# shellcheck shell=bash disable=SC2034 # for the tests

run_soft=$PERFTEST_TOP/scripts/run_soft

setup_file() {
    export PERFTEST_SOFT_LIB=$PERFTEST_BUILD/soft/.libs/libperftest_soft.so
    export ASAN_OPTIONS=detect_leaks=0 # of the programs, which are not ours
}

# A program of a package, or the test is skipped.
installed() { # PROGRAM
    command -v "/usr/bin/$1" >/dev/null || skip "$1 is not installed"
}
