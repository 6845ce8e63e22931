#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# -O: two ports of a device, and two devices. Does each port carry half of the data, and do the rows report it? With
# Debian's perftest in either role over two ports.
# bats file_tags=slow

load helpers
load classic

# linux-rdma perftest prints the bytes of a GID in decimal.
readonly on_first='GID: .*:255:255:192:00:02:01$' on_second='GID: .*:255:255:192:00:02:17$'
readonly on_soft0=$on_first on_soft1='GID: .*:255:255:192:00:02:02$'

# Lines of the client that match, of both sides together.
lines() { # PATTERN
    grep -cE "$1" client.out || true
}

# Half of the addresses of both sides are of each.
halves() { # FIRST SECOND ADDRESSES
    expect [ "$(lines "$1")" = "$3" ]
    expect [ "$(lines "$2")" = "$3" ]
}

two_devices() { # PROGRAM OPTIONS
    server_args=(-d "soft0,soft1")
    good_pair "$1" -O -d "soft0,soft1" "${@:2}"
    server_args=()
}

@test "-O: each of two ports has as many queue pairs as -q says" {
    PERFTEST_SOFT=ports=2 good_pair ib_write_bw -O -n 500 -s 4K --out_json_file=run.json
    expect_output client '^ Dual-port +: ON'
    expect_output client '^ Number of qps +: 2\b'
    expect_output client '^ GID index2 +: 1$'
    expect_output client '^ 4096 +1000 '
    expect_output server '^ 4096 +1000 '
    halves "$on_first" "$on_second" 2
    expect_schema run.json
    expect [ "$(query run.json '.device.second')" = "port 2 of soft0" ]
    PERFTEST_SOFT=ports=2 good_pair ib_send_bw -O -q 3 -n 100 -i 2 -b
    expect_output client '^ 65536 +600 '
    halves "$on_first" "$on_second" 6
    # those of the second port come first
    expect [ "$(grep -nE "$on_second" client.out | head -n 1 | cut -d: -f1)" -lt "$(grep -nE "$on_first" client.out | head -n 1 | cut -d: -f1)" ]
}

@test "-O: two devices, each verb and transport" {
    two_devices ib_write_bw -n 500
    expect_output client 'Device +: soft0,soft1$'
    expect_output client '^ Software device : soft0,soft1 are built in: '
    halves "$on_soft0" "$on_soft1" 2
    two_devices ib_read_bw -n 500 -q 2
    two_devices ib_atomic_bw -n 500
    two_devices ib_send_bw -n 500 -c UD -s 1024 -b
    two_devices ib_send_bw -n 500 -e -b --mr_per_qp
    two_devices ib_write_bw -n 512 -l 8 --write_with_imm -c UC
    two_devices ib_send_bw -n 400 '--sizes=2:64K:*2'
}

@test "-O: what is sent by two devices arrives as it was sent" {
    two_devices ib_send_bw -n 640 -s 3000 -q 2 --data_validation
    expect_output client '^VALIDATION: PASSED - 2560 of 2560 '
    two_devices ib_write_bw -D 1 -s 3000 -b --data_validation --mr_per_qp
    expect_output client '^VALIDATION: PASSED'
    # a bit of the last queue pair's, which is the second device's
    server_args=(-d "soft0,soft1")
    start_server ib_send_bw "${server_args[@]}"
    PERFTEST_SOFT_FAULT=corrupt:601 start_client ib_send_bw -O -d "soft0,soft1" -n 640 -s 3000 --data_validation
    finish client
    finish server
    expect_status client 4
    expect_output client '^VALIDATION: FAILED'
}

@test "-O over two ports shares receives" {
    PERFTEST_SOFT=ports=2 good_pair ib_send_bw -O -n 500 --use-srq
    PERFTEST_SOFT=ports=2 good_pair ib_write_bw -O -n 500 -c XRC -b
    PERFTEST_SOFT=ports=2 good_pair ib_send_bw -O -D 1 -c XRC --report-per-port
}

# Each port's average is its part of that of both, within the rounding of the columns.
parts_make_the_whole() { # NAME ROW
    expect [ "$(rows "$1" | awk -v row="$2" 'NR == row { print NF }')" = 9 ]
    holds "$(field "$1" "$2" 6) > 0 && $(field "$1" "$2" 8) > 0" || expect false
    holds "($(field "$1" "$2" 6) + $(field "$1" "$2" 8) - $(field "$1" "$2" 4)) ^ 2 < 0.001" || expect false
    holds "($(field "$1" "$2" 7) + $(field "$1" "$2" 9) - $(field "$1" "$2" 5)) ^ 2 < 0.00001" || expect false
}

@test "--report-per-port: both sides print what was each port's" {
    PERFTEST_SOFT=ports=2 good_pair ib_write_bw -O -D 1 --report-per-port --out_json_file=run.json
    expect_output client 'MsgRate\[Mpps\]   BW Port1\[MiB/sec\]   MsgRate Port1\[Mpps\]   BW Port2\[MiB/sec\]   MsgRate Port2\[Mpps\]$'
    expect_output client '^-{163}$'
    parts_make_the_whole client 1
    parts_make_the_whole server 1
    expect [ "$(rows client)" = "$(rows server)" ]
    expect_schema run.json
    expect [ "$(query run.json '.measurements[0] |
        (.message_rate_port1_per_second + .message_rate_port2_per_second - .message_rate_per_second) * .elapsed_seconds
        | fabs < 1')" = true ]
    # what a receiver counts by itself, and the sum of both directions
    PERFTEST_SOFT=ports=2 good_pair ib_send_bw -O -D 1 -q 2 --report-per-port
    parts_make_the_whole client 1
    parts_make_the_whole server 1
    PERFTEST_SOFT=ports=2 good_pair ib_send_bw -O -D 1 -b --report-per-port --report-both
    parts_make_the_whole client 1
    parts_make_the_whole client 2
    parts_make_the_whole client 3
}

@test "--report-per-port: two devices" {
    two_devices ib_read_bw -D 1 --report-per-port --report_gbits
    parts_make_the_whole client 1
    two_devices ib_send_bw -D 1 -c UD -s 2048 --report-per-port
    parts_make_the_whole server 1
}

@test "-O: what can't be says so" {
    run_alone ib_write_bw -O -d soft0
    expect_error alone 'soft0 has only one port, but --dualport needs two: .*-d soft0,OTHER'
    run_alone ib_write_bw -O -d soft0,soft7
    expect_error alone 'no RDMA device is called soft7'
    run_alone ib_write_bw -O -d soft1,soft1
    expect_error alone 'they are the same device'
    run_alone ib_send_lat -O
    expect_error alone '--dualport \(-O\) is for'
    # the other side
    server_args=(-d soft0)
    run_pair ib_write_bw -O -d "soft0,soft1"
    expect_status server 1
    expect_error server 'soft0 has only one port'
    server_args=(-d "soft0,soft1")
    run_pair ib_write_bw -d soft0
    expect_status client 1
    expect_error client 'two devices \(-d soft0,soft1\), but the test uses one port'
    server_args=(-d "soft0,soft1" -O)
    run_pair ib_write_bw -d soft0
    expect_error client '--dualport is given on the server but not on the client'
}

# A pair over two devices that goes on until something ends it.
begin_two_devices() { # PROGRAM OPTIONS
    start_server "$1" -d "soft0,soft1"
    start_client "$@" -O -d "soft0,soft1" -D 60
    await client said client '^ #bytes'
}

@test "-O: Ctrl-C on either side, and the other one says so" {
    begin_two_devices ib_send_bw -q 2
    kill -INT "${pids[client]}"
    finish client
    finish server
    expect_status client 130
    expect_status server 1
    expect_error server 'the peer|the client'
    begin_two_devices ib_write_bw -b
    kill -INT "${pids[server]}"
    finish client
    finish server
    expect_status server 130
    expect_status client 1
}

@test "-O: the peer's death ends each side" {
    begin_two_devices ib_write_bw
    kill_hard "${pids[server]}"
    finish client
    expect_status client 1
    kill_now "${pids[server]}"
    begin_two_devices ib_send_bw -b
    kill_hard "${pids[client]}"
    finish server
    expect_status server 1
}

fails_with() { # FAULT MESSAGE
    start_server ib_write_bw -d "soft0,soft1"
    PERFTEST_SOFT_FAULT=$1 start_client ib_write_bw -O -d "soft0,soft1" -n 1000
    finish client
    finish server
    expect_status client 1
    expect_status server 1
    expect_error client "$2"
}

@test "-O: faults of either device end both sides, by name" {
    fails_with alloc_pd:2 'protection domain on soft1'
    fails_with create_cq:2 'CQ of [0-9]* entries on soft1'
    fails_with create_qp:4 'QPs? on soft1'
    fails_with wc_12:1500 'transport retry counter exceeded'
}

# Both roles: both sides end well and say the same.
both_ways() { # PROGRAM [OPTIONS]
    local client
    for client in ours theirs; do
        PERFTEST_SOFT=ports=2 mixed_pair "$client" "$@"
        expect_status client 0
        expect_status server 0
        expect classic_same "$@"
    done
}

@test "classic: ib_write_bw -O" { both_ways ib_write_bw -O -n 1000; }
@test "classic: ib_send_bw -O -b -q 2" { both_ways ib_send_bw -O -b -q 2 -n 1000; }
@test "classic: ib_read_bw -O -D --report-per-port" {
    both_ways ib_read_bw -c RC -O -D 1 --report-per-port
    parts_make_the_whole client 1
    parts_make_the_whole server 1
}
@test "classic: ib_write_bw -O -b -D --report-per-port" { both_ways ib_write_bw -c RC -O -b -D 1 --report-per-port; }
