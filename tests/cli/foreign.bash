# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# For tests of third-party programs, as installed by their packages, under run_soft. After "load helpers".
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

# A cm id of this test is bound to a port: its abstract socket names runtime directory, port space and port.
bound() { # PID [PORT]
    local sockets inode name
    sockets=$(readlink /proc/"$1"/fd/* 2>/dev/null)
    while read -r inode name; do
        [[ $sockets == *"socket:[$inode]"* && $name == *"/${2:-}"* ]] && return 0
    done < <(awk '$8 ~ /^@perftest-soft-cm/ { print $7, $8 }' /proc/net/unix)
    return 1
}
