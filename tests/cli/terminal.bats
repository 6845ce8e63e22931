#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What does a human at a terminal see? And that a pipe gets what scripts expect, whoever else looks.

load helpers

at_terminal=$BATS_TEST_DIRNAME/at_terminal

# No line of a file is longer than so much; carriage returns begin a line anew.
expect_width() { # FILE COLUMNS
    local long
    long=$(tr '\r' '\n' <"$1" | awk -v most="$2" 'length > most')
    [[ -z $long ]] || {
        echo "longer than $2 columns: $long"
        return 1
    }
}

@test "--help opens with four examples and fits into 80 columns, at a terminal and in a pipe" {
    for name in ib_send_bw ib_send_lat ib_write_bw ib_write_lat ib_read_bw ib_read_lat ib_atomic_bw ib_atomic_lat cmtime; do
        run_alone "$name" --help
        expect_status alone 0
        expect_width alone.out 80
        expect [ "$(sed -n 3p alone.out)" = Examples: ]
        expect [ "$(sed -n '4,/^$/p' alone.out | grep -cE "^  ((server|client)\\$ )?$name")" = 4 ]
        "$at_terminal" 60 "$PERFTEST_BUILD/$name" --help >narrow.out
        expect_width narrow.out 80 # an option that is longer than its column stands alone on its line
        expect [ "$(awk 'length > 60' narrow.out | wc -l)" -lt 12 ]
        expect grep -q 'Print the version and exit' narrow.out
    done
}

@test "errors at a terminal are folded to its width" {
    run "$at_terminal" 60 "$PERFTEST_BUILD/ib_write_bw" -n x
    [ "$status" -eq 2 ]
    echo "$output" >folded.out
    expect_width folded.out 60
    expect [ "$(wc -l <folded.out)" -ge 2 ]
}
