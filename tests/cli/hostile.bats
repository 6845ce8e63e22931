#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Malicious peers that speak the native protocol. Each test is a conversation that is correct up to one message. The
# side under test exits with one line and status 1, without hanging.
# bats file_tags=sanitized

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
        against_server ib_write_bw greet hello=data_validation=on,post_list=4,iters=1000 endpoints barrier=1 clock barrier=16 \
            "round=1000,$granule" hold
        expect_error server "lists of 4 messages on this side and of $granule on the peer cannot fill a round"
    done
    against_client ib_write_bw "--data_validation -l 4 -n 1000" greet hello= endpoints barrier=1 clock barrier=16 \
        round=1000,2147483647 hold
    expect_error client "lists of 4 messages on this side and of 2147483647 on the peer cannot fill a round"
}

@test "a VERDICT on messages that were never sent" {
    against_server ib_write_bw greet hello=data_validation=on,iters=1000 endpoints barrier=1 clock barrier=16 round=0,1 \
        result=65536,0,0 verdict hold
    expect_error server "cannot be true, its verdict: it has more messages than were sent"
}

@test "readiness without the clock before it" {
    against_server ib_write_bw greet hello=iters=1000 endpoints barrier=1 barrier=16 hold
    expect_error server "sent its readiness while this side waited for its readiness and clock"
}

@test "rounds of a ping-pong that measure nothing" {
    against_server ib_send_lat greet hello=data_validation=on,iters=1000 endpoints barrier=1 clock barrier=16 round=1,1 hold
    expect_error server "a --data_validation round of 1 message, which cannot be measured"
}

@test "an early RESULT, then the end, while a request fails: its own limit ends the wait for an explanation" {
    local steps=(endpoints barrier=1 clock barrier=16 result finish hold)
    against_server ib_write_bw greet hello=reversed=on,iters=1000,rate_limit=1000,rate_limit_type=SW "${steps[@]}"
    expect_error server "closed the connection|retry|access|flushed"
    against_client ib_write_bw "-n 1000" greet hello= "${steps[@]}"
    expect_error client "closed the connection|retry|access|flushed"
}

@test "an early RESULT, then silence, while a request fails" {
    local steps=(endpoints barrier=1 clock barrier=16 result hold)
    against_server ib_write_bw greet hello=reversed=on,iters=1000,rate_limit=1000,rate_limit_type=SW "${steps[@]}"
    expect_error server "retry|access|flushed"
}

# With a rate limit nothing is sent before the loop, to warm up: the request fails behind what the peer says early.
@test "an ABORT behind an early RESULT is still read" {
    against_server ib_write_bw greet hello=reversed=on,iters=1000,rate_limit=1000,rate_limit_type=SW endpoints barrier=1 clock barrier=16 result abort=enough finish hold
    expect_error server "ended the test: enough"
}

# The oldest pending connection goes when another one comes: of the silent ones.
@test "10,000 silent connections a second displace no client that has greeted, and others are served" {
    local i served=0
    start_server ib_write_bw --keep_serving
    launch slow "$(native_peer)" -p "$port" greet print=greeted exists=flooded hello=never=1 hold 127.0.0.1
    await slow said slow greeted
    launch flood "$PERFTEST_TOP/tests/cli/tcp_peer" -p "$port" flood 127.0.0.1
    await flood said flood 'connections a second'
    touch flooded
    # One that gets no CPU in the 6 ms until 64 others have come was silent, too: on a busy machine some are.
    for i in {1..50}; do
        start_client ib_write_bw -n 50
        finish client
        [[ $client_status != 0 ]] || ((++served < 5)) || break
    done
    expect [ "$served" = 5 ]
    finish slow
    expect_output slow 'refuse: the client.s option .--never. is unknown here'
    expect holds "$(tail -n 1 flood.out | cut -d ' ' -f 1) > 1000"
    kill_now "${pids[flood]}"
    finish flood
    await server waits_again
    kill -INT "${pids[server]}"
    finish server
    expect_status server 0
}

# --- what a stranger may have of the host ---

@test "a client that asks for more memory than the server allows" {
    local wish
    against_server ib_write_bw greet hello=size=2147483648,qp=16384 hold
    expect_error server "the test needs [0-9]+ MiB of memory on the server, which allows a client [0-9]+ MiB, half of the memory available there"
    expect_output client "refuse: the test needs [0-9]+ MiB .*--max_memory"
    # all sizes: the largest counts
    against_server ib_write_bw greet hello=all=on,qp=16384 hold
    expect_error server "the test needs [0-9]+ MiB of memory on the server, which allows a client [0-9]+ MiB, half of the memory available there"
    # not only buffers: queues and lists of work requests, too
    server_args=(--max_memory 2G)
    for wish in qp=16384,tx-depth=15000,iters=15000 qp=2000,post_list=15000,tx-depth=15000,iters=15000,size=2; do
        against_server ib_write_bw greet "hello=$wish,reversed=on" hold
        expect_error server "the test needs [0-9]+ MiB of memory on the server, which allows a client 2048 MiB, the value of its --max_memory"
    done
}

@test "--max_memory: what it says, no more; and the rows of both sides" {
    server_args=(--max_memory 8M)
    run_pair ib_write_bw -n 50 -s 16M
    expect_status client 1
    expect_status server 1
    expect_error client "the test needs 17 MiB of memory on the server, which allows a client 8 MiB, the value of its --max_memory"
    good_pair ib_write_bw -n 50 -s 1M
    server_args=(--max_memory 64M)
    good_pair ib_write_bw -n 50 -s 16M
}

@test "--max_duration: longer clients are refused, and what does not end is ended" {
    server_args=(--max_duration 2)
    run_pair ib_write_bw -D 3
    expect_status client 1
    expect_status server 1
    expect_error client "the test takes 3 s, but the server allows 2 s \(--max_duration\)"
    run_pair ib_write_bw --run_infinitely
    expect_error client "the test is endless, but the server allows 2 s"
    good_pair ib_write_bw -D 1 -f 0
    server_args=(--max_duration 1)
    run_pair ib_send_bw -n 4000000000
    expect_status server 1
    expect_status client 1
    expect_error server "takes longer than this side allows \(--max_duration\)"
    expect_error client "takes longer than this side allows"
}

@test "a server that stays allows an hour, unless an option says otherwise" {
    server_args=(--keep_serving)
    start_server ib_write_bw "${server_args[@]}"
    start_client ib_write_bw -D 3601
    finish client
    expect_status client 1
    expect_error client "the test takes 3601 s, but the server allows 3600 s \(--max_duration\)"
    start_client ib_write_bw --run_infinitely
    finish client
    expect_error client "the test is endless, but the server allows 3600 s"
    kill -INT "${pids[server]}"
    finish server
    start_server ib_write_bw --keep_serving --max_duration off
    start_client ib_write_bw -D 3601
    await client said client '^ #bytes'
    kill -INT "${pids[client]}"
    finish client
    await server waits_again
    kill -INT "${pids[server]}"
    finish server
    expect_status server 0
}

@test "heartbeats for ever: a test by time is over when its time is, one by count when --max_duration is" {
    local steps=(endpoints barrier=1 clock barrier=16 heartbeats)
    server_args=(--timeout 2)
    against_server ib_write_bw greet hello=duration=1,margin=0 "${steps[@]}"
    expect_error server "did not finish its part of the test, which should take 1 s, within another 2 s"
    server_args=(--timeout 30 --max_duration 1)
    against_server ib_write_bw greet hello=iters=5000 "${steps[@]}"
    expect_error server "takes longer than this side allows"
}

@test "figures that cannot be true" {
    local steps=(endpoints barrier=1 clock barrier=16) lie="sent a message that cannot be true, its"
    against_server ib_write_bw greet hello=iters=5000 "${steps[@]}" done=5000 result=2,5000,1000000 hold
    expect_error server "$lie result: it is of another message size"
    against_server ib_read_bw greet hello=iters=5000 "${steps[@]}" done=5000 result=65536,9000000000000000000,1000000 hold
    expect_error server "$lie result: it has more messages than are possible in this time"
    against_server ib_write_bw greet hello=iters=5000 "${steps[@]}" done=5000 "result=65536,5000,9$(printf '%024d' 0)" hold
    expect_error server "$lie result: its rate is beyond any network"
    against_server ib_send_bw greet hello=duration=3 endpoints barrier=1 round=0,1 clock barrier=16 done=9000000000000000000 hold
    expect_error server "$lie end of sending: it has more messages"
}

@test "heartbeats prolong no other wait" {
    server_args=(--timeout 2)
    against_server ib_write_bw greet hello=iters=5000 endpoints heartbeats
    expect_error server "was silent for 2 s while this side waited for its readiness"
}
