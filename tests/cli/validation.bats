#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Does --data_validation check every message over every transport and option, find planted errors, and report where they
# are?

load helpers

# Both sides are content and have checked all messages; a pattern may say how many there are.
validated_pair() { # MESSAGES PROGRAM [OPTIONS]
    local messages=$1 side
    shift
    good_pair "$@" --data_validation
    for side in client server; do
        expect_output "$side" "^VALIDATION: PASSED - ($messages) of \\1 messages checked, [0-9]+ bytes$"
        expect_output "$side" "^ Data validation : ON"
        expect [ -z "$(grep -v 'samples are too few for' "$side.err")" ]
    done
}

# One byte of the N-th request of a side is turned over on its way: both sides fail with status 4, the side where the
# data arrives names the place, the other one repeats it.
planted() { # SIDE N OFFSET FINDER "QP M, message N, offset O" PROGRAM [OPTIONS]
    local side=$1 fault=PERFTEST_SOFT_FAULT=corrupt:$2+$3 finder=$4 place=$5 other=server
    shift 5
    [[ $finder == client ]] || other=client
    [[ $side == client ]] || under=(env "$fault")
    start_server "$1" "${server_args[@]}"
    under=()
    [[ $side == server ]] || under=(env "$fault")
    start_client "$@" --data_validation
    under=()
    finish client
    finish server
    expect_status client 4
    expect_status server 4
    expect_error "$finder" "${place/,/ \\(0x[0-9a-f]{6\}\\),}: received 0x[0-9a-f]{2} instead of 0x[0-9a-f]{2}; wrong bytes: 1 of"
    expect_error "$other" "the peer .* found wrong data in 1 messages .* first on ${place}; it names them"
    [[ $place =~ QP\ ([0-9]+),\ message\ ([0-9]+),\ offset\ ([0-9]+) ]]
    place="QP ${BASH_REMATCH[1]}, Message ${BASH_REMATCH[2]}, Offset ${BASH_REMATCH[3]}"
    expect_output client "^VALIDATION: FAILED - 1 error\(s\), first at $place; "
    expect_output server "^VALIDATION: FAILED - 1 error\(s\), first at $place; "
}

# bats test_tags=once
@test "every program checks what it moves, over every transport" {
    validated_pair 300 ib_write_bw -n 300
    validated_pair 300 ib_write_bw -n 300 -c UC
    validated_pair 300 ib_read_bw -n 300
    validated_pair 300 ib_send_bw -n 300
    validated_pair 300 ib_send_bw -n 300 -c UC
    validated_pair 300 ib_send_bw -n 300 -c UD -s 1K
    validated_pair 300 ib_atomic_bw -n 300
    validated_pair 300 ib_atomic_bw -n 300 -A CMP_AND_SWAP
    validated_pair 51 ib_read_lat -n 50
    validated_pair 51 ib_atomic_lat -n 50
}

# Both directions count, and the first exchange of a round, which is in no figure, is checked too.
# bats test_tags=once
@test "ping-pongs check both ways, also over several rounds" {
    validated_pair 102 ib_write_lat -n 50
    validated_pair 102 ib_write_lat -n 50 -c UC -s 100
    validated_pair 102 ib_write_lat -n 50 --write_with_imm
    validated_pair 102 ib_send_lat -n 50
    # with as many receives as iterations there is a second round
    validated_pair 104 ib_send_lat -n 50 -c UC -s 4096
    validated_pair 104 ib_send_lat -n 50 -c UD
    # 127 samples in the first round and one in the second
    validated_pair 260 ib_write_lat -n 128
}

# bats test_tags=once
@test "-a: every size" {
    validated_pair 230 ib_write_bw -n 10 -a
    validated_pair 230 ib_read_bw -n 10 -a
    validated_pair 230 ib_send_bw -n 10 -a -c UC
    validated_pair 120 ib_send_bw -n 10 -a -c UD
    validated_pair "[0-9]+" ib_send_lat -n 10 -a
    validated_pair 40 ib_write_bw -n 10 --sizes=1:100001:33333
}

# bats test_tags=sanitized
@test "-b, -q, -l, -Q, --recv_post_list, --reversed, -m, -I, -e, --mr_per_qp, immediate data" {
    validated_pair 1200 ib_write_bw -n 200 -q 3 -b
    validated_pair 1200 ib_read_bw -n 200 -q 3 -b
    validated_pair 1280 ib_send_bw -n 160 -q 4 -b -l 8 -Q 4 --recv_post_list=5
    validated_pair 800 ib_send_bw -n 800 -s 3 -l 16 -t 32 -r 64
    validated_pair 300 ib_write_bw -n 300 --reversed
    validated_pair 300 ib_read_bw -n 300 --reversed
    validated_pair 300 ib_send_bw -n 300 -m 512 -c UD -s 512 --reversed
    validated_pair 300 ib_write_bw -n 300 -s 64 -I 64 --use_old_post_send
    validated_pair 300 ib_send_bw -n 300 -e
    validated_pair 600 ib_write_bw -n 300 -q 2 --write_with_imm --mr_per_qp
    validated_pair 300 ib_write_bw -n 300 --write_with_imm -c UC
    validated_pair 300 ib_send_bw -n 300 --send_with_imm -c UD -s 1
    validated_pair 300 ib_write_bw -n 300 --perform_warm_up
    validated_pair 100 ib_send_bw -n 100 -r 2
}

# bats test_tags=once
@test "-D: rounds until the time is over" {
    local name
    for name in ib_write_bw ib_send_bw ib_read_lat; do
        good_pair "$name" -s 4K -D 1 -f 0 --data_validation --out_json_file run.json
        expect [ "$(query run.json .validation.verdict)" = passed ]
        expect [ "$(query run.json '.validation.checked == .validation.messages')" = true ]
        expect holds "$(query run.json .validation.checked) > 2"
        expect holds "$(field client 1 2) > 0"
    done
}

# bats test_tags=once
@test "receives that are fewer than a round lose no datagram" {
    validated_pair 1000 ib_send_bw -n 1000 -s 512 -c UD -r 8
}

# bats test_tags=once
@test "a planted byte is found: write" {
    planted client 300 4711 server "QP 0, message 299, offset 4711" ib_write_bw -n 1000
    # the third round: 512 messages fit beside each other
    planted client 1100 65535 server "QP 0, message 1099, offset 65535" ib_write_bw -n 2000
    planted client 7 0 server "QP 0, message 6, offset 0" ib_write_bw -n 50 -s 1
    planted client 7 99 server "QP 0, message 6, offset 99" ib_write_bw -n 50 -s 100 -c UC
    planted client 7 50 server "QP 0, message 6, offset 50" ib_write_bw -n 50 -s 100 -c UC --write_with_imm
    planted server 7 4 client "QP 0, message 6, offset 4" ib_write_bw -n 50 --reversed
}

# bats test_tags=once
@test "a planted byte is found: send" {
    planted client 300 4711 server "QP 0, message 299, offset 4711" ib_send_bw -n 1000
    planted client 20 0 server "QP 0, message 19, offset 0" ib_send_bw -n 50 -c UC -s 8
    planted client 20 511 server "QP 0, message 19, offset 511" ib_send_bw -n 50 -c UD -s 512
    planted client 20 0 server "QP 0, message 19, offset 0" ib_send_bw -n 50 -c UD -s 2
    planted server 20 10 client "QP 0, message 19, offset 10" ib_send_bw -n 50 --reversed
}

# bats test_tags=once
@test "a planted byte is found: read and atomics" {
    planted client 300 4711 client "QP 0, message 299, offset 4711" ib_read_bw -n 500
    planted server 30 1 server "QP 0, message 29, offset 1" ib_read_bw -n 50 --reversed
    planted client 9 5 client "QP 0, message 8, offset 5" ib_atomic_bw -n 50
    planted client 9 5 client "QP 0, message 8, offset 5" ib_atomic_lat -n 50
}

# bats test_tags=once
@test "a planted byte is found: latency, both ways" {
    planted client 9 5 server "QP 0, message 8, offset 5" ib_send_lat -n 50 -s 100
    planted server 9 5 client "QP 0, message 8, offset 5" ib_send_lat -n 50 -s 100
    planted client 9 5 server "QP 0, message 8, offset 5" ib_write_lat -n 50 -s 100
    planted server 9 5 client "QP 0, message 8, offset 5" ib_write_lat -n 50 -s 100
    planted client 9 1 client "QP 0, message 8, offset 1" ib_read_lat -n 50
}

# 12 messages on each of 4 queue pairs, one after the other: the 30th request is the 6th of the third.
# bats test_tags=once
@test "a planted byte is found on its queue pair, in a list, and in both directions" {
    planted client 30 77 server "QP 2, message 5, offset 77" ib_write_bw -n 12 -q 4 -s 128
    planted client 30 77 server "QP 0, message 29, offset 77" ib_write_bw -n 64 -l 16 -s 128
    planted client 30 77 server "QP 0, message 29, offset 77" ib_send_bw -n 64 -b -s 128
    planted server 30 77 server "QP 0, message 29, offset 77" ib_read_bw -n 64 -b -s 128
}

# bats test_tags=once
@test "a planted byte is found in its size of a sweep, which goes on" {
    planted client 47 100 server "QP 0, message 46, offset 100" ib_write_bw -n 5 -a
    expect_rows client 23
    expect_rows server 23
}

# bats test_tags=once
@test "memory that is written to behind the test's back is found" {
    local at
    start_server ib_write_bw
    start_client ib_write_bw -s 4K -D 100 -f 0 --data_validation
    await server said server "^ #bytes"
    at=$(sed -n 's/^ local address: .* VAddr //p' server.out)
    # the 101st byte of the first place, until the server has left it
    launch vandal "$BATS_TEST_DIRNAME/vandal" "${pids[server]}" $((at + 100))
    await server said server "offset 100: received 0x"
    kill -INT "${pids[client]}"
    finish client
    finish server
    finish vandal
    expect_status client 4
    expect_status server 4
    expect grep -qE "error: QP 0 \(0x[0-9a-f]{6}\), message [0-9]+, offset 100: received 0x[0-9a-f]{2} instead of 0x[0-9a-f]{2}; wrong bytes: 1 of 4096" server.err
    expect grep -qE "error: the peer .* found wrong data in .* first on QP 0, message [0-9]+, offset 100" client.err
}

# Every message but the first 12 named; ten lines and the number of the rest.
# bats test_tags=once
@test "many wrong messages: ten are named, the rest is counted; --data_validation_debug names all" {
    for server_args in "" --data_validation_debug; do
        start_server ib_write_bw ${server_args:+"${server_args[@]}"}
        under=(env PERFTEST_SOFT_FAULT=corrupt_from:13+8)
        start_client ib_write_bw -n 40 -s 64 --data_validation
        under=()
        finish client
        finish server
        expect_status client 4
        expect_status server 4
        expect_output client "^VALIDATION: FAILED - 28 error\(s\), first at QP 0, Message 12, Offset 8; 40 of 40 "
        expect [ "$(grep -c 'offset 8: received 0x..' server.err)" = "$([[ $server_args ]] && echo 28 || echo 10)" ]
        expect [ "$(grep -c '18 more messages are wrong' server.err)" = "$([[ $server_args ]] && echo 0 || echo 1)" ]
    done
}

# bats test_tags=once
@test "the JSON document and CSV say what was checked" {
    good_pair ib_send_bw -n 100 -q 2 -b --data_validation --out_json_file run.json
    expect_schema run.json
    expect [ "$(query run.json '.measurements[0] | "\(.checked) \(.wrong) \(.lost)"')" = "400 0 0" ]
    expect [ "$(query run.json '.validation | "\(.verdict) \(.messages) \(.checked) \(.checked_bytes) \(.wrong)"')" = "passed 400 400 26214400 0" ]
    expect [ "$(query run.json .status)" = complete ]
    under=(env PERFTEST_SOFT_FAULT=corrupt:20+33)
    start_server ib_send_bw
    start_client ib_send_bw -n 100 --data_validation --out_json_file run.json
    under=()
    finish client
    finish server
    expect_status client 4
    expect_schema run.json
    expect [ "$(query run.json '.validation | "\(.verdict) \(.checked) \(.wrong)"')" = "failed 100 1" ]
    expect [ "$(query run.json '.validation.first_wrong | "\(.qp) \(.message) \(.offset_bytes)"')" = "0 19 33" ]
    expect [ "$(query run.json .status)" = "wrong data" ]
    expect [ "$(query run.json .reason)" = "wrong data in 1 of 100 messages, the first on QP 0, message 19, offset 33" ]
    good_pair ib_write_bw -n 100 --data_validation --output_format=csv
    expect grep -qE '^kind,.*,checked,wrong,' client.out
    refuse_output client VALIDATION
}

# bats test_tags=once
@test "wrong data goes before a limit that was missed" {
    under=(env PERFTEST_SOFT_FAULT=corrupt:20+33)
    start_server ib_write_bw
    start_client ib_write_bw -n 100 --data_validation -w 100000000
    under=()
    finish client
    finish server
    expect_status client 4
}

# bats test_tags=once
@test "Ctrl-C ends a server that keeps serving, also while wrong data is reported" {
    local name
    for name in ib_write_bw ib_send_bw; do
        start_server "$name" --keep_serving
        under=(env PERFTEST_SOFT_FAULT=corrupt:20+33)
        start_client "$name" -D 60 --data_validation
        under=()
        await server said server 'wrong bytes'
        kill -INT "${pids[server]}"
        finish client
        finish server
        expect_status server 4
        expect_error server 'wrong bytes'
    done
}

# What was cut short is not checked, and the share says so.
# bats test_tags=once
@test "Ctrl-C ends a validated run in order, on either side" {
    local name
    for name in ib_write_bw ib_send_bw; do
        start_server "$name"
        start_client "$name" -D 60 --data_validation --out_json_file run.json
        await client said client "^ #bytes"
        kill -INT "${pids[client]}"
        finish client
        finish server
        expect_status client 130
        expect [ "$(query run.json .status)" = interrupted ]
        expect [ "$(query run.json .validation.wrong)" = 0 ]
        expect holds "$(query run.json .validation.checked) <= $(query run.json .validation.messages)"
    done
}

# bats test_tags=once
@test "a client that dies is no hang" {
    start_server ib_write_bw
    start_client ib_write_bw -D 60 --data_validation
    await client said client "^ #bytes"
    kill_hard -- "-${pids[client]}"
    finish client
    finish server
    expect_status server 1
    expect_error server "."
    good_pair ib_write_bw -n 5 # reaps what the dead one left
}

# bats test_tags=once
@test "a server with the option itself needs a client that agrees" {
    server_args=(--data_validation)
    run_pair ib_write_bw -n 100
    expect_status client 1
    expect_error client "--data_validation is given on the server but not on the client"
    validated_pair 100 ib_write_bw -n 100
}

# bats test_tags=once
@test "lists of different lengths on both sides share a round" {
    server_args=(-l 5 -r 60)
    validated_pair 720 ib_send_bw -n 360 -b -l 8 -s 100
}
