#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Does a run say what it chose by itself, and one that fails say why, on both sides?

load helpers

# --- --verbose ---

@test "--verbose shows the GID table and the taken entry on stderr, once a run" {
    good_pair ib_write_bw -n 50 --verbose
    expect grep -qE 'GID table of soft0 port 1, 2 entries in use' client.err
    expect grep -qE '^ib_write_bw:       0 RoCE v2 .* fe80::[^ ]*: .*link-local' client.err
    expect grep -qE '^ib_write_bw: \*     1 RoCE v2 .* ::ffff:192\.0\.2\.1' client.err
    expect [ "$(grep -c 'GID table' client.err)" = 1 ]
    expect [ "$(grep -c . server.err)" = 0 ]
}

@test "--verbose says that -x took the GID" {
    server_args=(-x 0)
    good_pair ib_write_bw -n 50 --verbose -x 0
    expect grep -qE 'GID: index 0 fe80::[^ ]*, as --gid-index says' client.err
}

@test "--verbose leaves stdout as it is" {
    good_pair ib_write_bw -n 50 -s 8 --output_format csv
    mv client.out plain.out
    good_pair ib_write_bw -n 50 -s 8 --output_format csv --verbose
    expect [ "$(wc -l <client.out)" = "$(wc -l <plain.out)" ]
    expect [ "$(head -n 1 client.out)" = "$(head -n 1 plain.out)" ]
}

@test "a GID that does not exist, with --verbose: the table stands below the error" {
    run_alone ib_write_bw -p "$port" -x 2 --verbose
    expect_status alone 1
    expect_error alone "soft0 port 1 has 2 GIDs: --gid-index 2 does not exist"
    expect grep -q 'GID table of soft0' alone.err
}

# --- GIDs ---

@test "GIDs of different families: both sides refuse and name both" {
    server_args=(-x 1)
    run_pair ib_write_bw -n 50 -x 0
    expect_status client 1
    expect_status server 1
    expect_error client 'GID 0 fe80::[^ ]* \(RoCE v2\) here and GID 1 ::ffff:192\.0\.2\.1 \(RoCE v2\) on the peer .*families'
    expect_error server 'GID 1 ::ffff:192\.0\.2\.1 \(RoCE v2\) here and GID 0 fe80::[^ ]* \(RoCE v2\) on the peer .*families'
}
