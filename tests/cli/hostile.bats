#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What may a peer make a side do that speaks the native protocol, and means ill? Each test is a conversation that is
# right up to one message. The side that is under test ends with one line and status 1, in its own time.

load helpers

native_peer() {
    echo "$PERFTEST_TOP/tests/cli/native_peer"
}

# A server with the options of $server_args, and a client that says all this.
against_server() { # PROGRAM STEPS...
    local program=$1
    shift
    start_server "$program" "${server_args[@]}"
    start_client "$(native_peer)" --program "$program" "$@"
    finish server
    finish client
    expect_status server 1
}

# The same in the other direction; the peer says PARAMS (hello=) as its answer.
against_client() { # PROGRAM "CLIENT OPTIONS" STEPS...
    local program=$1 options=$2
    shift 2
    start_server "$(native_peer)" --listen --program "$program" "$@"
    # shellcheck disable=SC2086 # options are words
    start_client "$program" $options
    finish client
    finish server
    expect_status client 1
}

# How much CPU time has NAME used, in clock ticks?
ticks() { # NAME
    awk '{ print $14 + $15 }' "/proc/${pids[$1]}/stat"
}

@test "a ROUND in lists that no round holds" {
    local granule
    for granule in 2147483647 4097 2147483646; do
        against_server ib_write_bw greet hello=data_validation=on,post_list=4,iters=1000 endpoints barrier=1 barrier=16 \
            "round=1000,$granule" hold
        expect_error server "lists of 4 messages on this side and of $granule at the peer never fill a round"
    done
    against_client ib_write_bw "--data_validation -l 4 -n 1000" greet hello= endpoints barrier=1 barrier=16 \
        round=1000,2147483647 hold
    expect_error client "lists of 4 messages on this side and of 2147483647 at the peer never fill a round"
}

@test "rounds of a ping-pong that measure nothing" {
    against_server ib_send_lat greet hello=data_validation=on,iters=1000 endpoints barrier=1 barrier=16 round=1,1 hold
    expect_error server "a round of --data_validation with 1 message, which measures nothing"
}

@test "an early RESULT, then the end, while a request fails: its own limit ends the wait for an explanation" {
    local steps=(endpoints barrier=1 barrier=16 result finish hold)
    against_server ib_write_bw greet hello=reversed=on,iters=1000 "${steps[@]}"
    expect_error server "closed the connection|retry|access|flushed"
    against_client ib_write_bw "-n 1000" greet hello= "${steps[@]}"
    expect_error client "closed the connection|retry|access|flushed"
}

@test "an early RESULT, then silence, while a request fails" {
    local steps=(endpoints barrier=1 barrier=16 result hold)
    against_server ib_write_bw greet hello=reversed=on,iters=1000 "${steps[@]}"
    expect_error server "retry|access|flushed"
}

@test "an ABORT behind an early RESULT is still read" {
    against_server ib_write_bw greet hello=reversed=on,iters=1000 endpoints barrier=1 barrier=16 result abort=enough finish hold
    expect_error server "ended the test: enough"
}
