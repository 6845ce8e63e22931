#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Tests of the test helpers themselves: a test rig that cannot fail proves nothing.

load helpers

@test "rig: a file left in the runtime directory is found" {
    touch "$XDG_RUNTIME_DIR/left"
    run nothing_left
    rm "$XDG_RUNTIME_DIR/left"
    [ "$status" -eq 1 ]
    [[ $output == *left* ]]
}

@test "rig: a server that ends before it listens fails the start" {
    run start_server /bin/false
    [ "$status" -eq 1 ]
    [[ $output == *"ended while waiting"* ]]
}

@test "rig: a foreign process on the port does not count as our server" {
    start_server "$PERFTEST_TOP/tests/cli/tcp_peer" hold
    pids[other]=$$
    run listening other
    unset "pids[other]"
    [ "$status" -eq 1 ]
}

@test "rig: the status and the words of both sides arrive" {
    launch server bash -c 'echo words; echo trouble >&2; exit 3'
    finish server
    expect_status server 3
    [ "$server_output" = words ]
    [ "$server_error" = trouble ]
}

@test "rig: words of an earlier process are gone when launch returns" {
    local turn
    for turn in {1..50}; do
        echo earlier | tee server.out >server.err
        launch server true
        expect [ ! -s server.out ]
        expect [ ! -s server.err ]
        finish server
    done
}

@test "rig: rows are what stands between the heading and the rule" {
    printf -- '-----\n #bytes #iterations\n 2 1000\n 4 1000\n-----\n 8 9\n' >client.out
    [ "$(row_count client)" -eq 2 ]
    [ "$(field client 2 1)" -eq 4 ]
}
