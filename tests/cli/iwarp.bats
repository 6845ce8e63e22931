#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# iWARP has no RNR NAK: is a receive always posted before each SEND of a bandwidth test? Over a software device that
# claims to be iWARP, and with Debian's perftest in either role.
# bats file_tags=slow

load helpers
load foreign
load in_front
# shellcheck source=tests/peers.bash
source "$PERFTEST_TOP/tests/peers.bash"

setup_file() {
    in_front_build as_iwarp
    export PERFTEST_SOFT_LIB=$PERFTEST_BUILD/soft/.libs/libperftest_soft.so
    export ASAN_OPTIONS=detect_leaks=0 # of Debian's programs
}

# Both sides; few receives, so that the sender is always held up.
controlled() { # PROGRAM [OPTIONS]
    in_front_of as_iwarp
    under=("${in_front[@]}")
    server_args=(-R -d soft0)
    good_pair "$1" -R -d soft0 -s 64 -r "${receives-16}" "${@:2}"
}

@test "a queue pair, and several: each message meets a receive" {
    controlled ib_send_bw -n 20000
    controlled ib_send_bw -n 5000 -q 5
}

@test "immediate data of adapters that have it: each message meets a receive" {
    export AS_VENDOR=8086:1592
    controlled ib_write_bw --write_with_imm -n 20000
    controlled ib_write_bw --write_with_imm -n 5000 -q 3 --data_validation
    controlled ib_write_lat --write_with_imm -n 1000
    run_alone ib_write_bw -R -d soft0 --write_with_imm -b -p 1 localhost
    expect_status alone 1
    expect_error alone 'on which immediate data needs flow control.*: omit -b$'
    for AS_VENDOR in 1077:8070 8086:37d0 1425:5401; do # of FastLinQ, of the X722, of T5
        run_alone ib_write_bw -R -d soft0 --write_with_imm -p 1 localhost
        expect_error alone 'an iWARP device, which does not support the immediate data'
    done
}

@test "both directions" { controlled ib_send_bw -n 5000 -q 3 -b; }
@test "lists, of sends and of receives" { controlled ib_send_bw -n 4000 -l 4 -Q 4 --recv_post_list 4; }
# bats test_tags=long
@test "few completions, and deep queues" { controlled ib_send_bw -n 5000 -t 500 -Q 100 -q 2; }
@test "asleep until something completes" { controlled ib_send_bw -n 5000 -e -b; }
@test "several threads" { controlled ib_send_bw -n 5000 -q 4 --threads 2; }
@test "all sizes: each begins with what is left of the one before" { receives=10 controlled ib_send_bw -a -n 100; }
@test "by time, and at a rate" {
    controlled ib_send_bw -D 1 -Q 8
    controlled ib_send_bw -D 1 --rate_limit 50000 --rate_units p
}
@test "at a rate, each message is signalled: no stride waits for credits with its first messages sent" {
    controlled ib_send_bw -D 1 -q 3 -Q 8 --rate_limit 1000 --rate_units p --burst_size 100
    expect_output client '^ CQ Moderation +: 1$'
    expect grep -q 'every message of a test with a rate limit, not for every 8th as --cq-mod asks' client.err
}
@test "the ping-pong, which needs none" { controlled ib_send_lat -n 1000; }
@test "data that is checked: each round has receives of its own" { controlled ib_send_bw -n 1000 -q 2 --data_validation; }

# Where both have one CPU the receiver stands still for milliseconds, in which the sender could send thousands.
@test "a receiver that stands still" {
    in_front_of as_iwarp
    under=(taskset -c "$(taskset -cp $$ | sed 's/.*[: ,-]//')" "${in_front[@]}")
    server_args=(-R -d soft0)
    good_pair ib_send_bw -R -d soft0 -s 64 -D 2
}

@test "Ctrl-C on the sender, and the receiver's death while the sender is held up" {
    in_front_of as_iwarp
    under=("${in_front[@]}")
    start_server ib_send_bw -R -d soft0
    start_client ib_send_bw -R -d soft0 -s 64 -r 16 -D 30 --report_interval 0.1
    await client measuring client
    kill -INT "${pids[client]}"
    finish client
    finish server
    expect_status client 130
    start_server ib_send_bw -R -d soft0
    start_client ib_send_bw -R -d soft0 -s 64 -r 16 -D 30 --report_interval 0.1
    await client measuring client
    kill -STOP "${pids[server]}"
    sleep 0.1
    kill_hard "${pids[server]}"
    finish client
    finish server
    expect_status client 1
    run_soft ibv_devinfo -d soft0 >/dev/null # tidies behind the dead
}

# What a rate limit makes rare may be late; what the peer has no receives for does not come.
@test "a receiver that reports no more receives, with a rate limit and without one" {
    local limit wait
    in_front_of as_iwarp
    under=("${in_front[@]}")
    while IFS='|' read -r limit wait; do
        start_server ib_send_bw -R -d soft0
        # shellcheck disable=SC2086 # the limit is words
        start_client ib_send_bw -R -d soft0 -s 64 -r 16 -D 30 --report_interval 0.1 --timeout 1 $limit
        await client measuring client
        kill -STOP "${pids[server]}"
        finish client
        expect_status client 1
        expect_error client "the peer reported no new receives for $wait s"
        kill_now "${pids[server]}"
        finish server
    done <<<"|1
        --rate_limit 2000 --rate_units p|1
        --rate_limit 20 --rate_units p --burst_size 10|2"
    run_soft ibv_devinfo -d soft0 >/dev/null # tidies behind the dead
}

@test "lists that the receives have no room for are refused" {
    in_front_of as_iwarp
    under=("${in_front[@]}")
    start_server ib_send_bw -R -d soft0
    start_client ib_send_bw -R -d soft0 -n 400 -l 20 -r 24
    finish client
    expect_status client 1
    expect_error client '-r 24 is too few for lists of 20'
    finish server
}

# Ours as the client, then Debian's.
mixed_controlled() { # PROGRAM [OPTIONS]
    local -a theirs=(env LD_PRELOAD="$BATS_FILE_TMPDIR/as_iwarp.so:$PERFTEST_SOFT_LIB" PERFTEST_SOFT_CM=1)
    installed "$1"
    in_front_of as_iwarp
    under=("${in_front[@]}")
    launch server "${theirs[@]}" "/usr/bin/$1" -F -p "$port" "${@:2}"
    await server bound "${pids[server]}" "$port/"
    start_client "$@"
    both_agree "$@"
    start_server "$@"
    launch client "${theirs[@]}" "/usr/bin/$1" -F -p "$port" "${@:2}" 192.0.2.1
    both_agree "$@"
}

both_agree() { # PROGRAM [OPTIONS]
    finish client
    finish server
    expect_status client 0
    expect_status server 0
    expect classic_same "$@"
}

@test "classic: ib_send_bw" { mixed_controlled ib_send_bw -R -c RC -s 64 -r 16 -n 5000 -q 2; }
# bats test_tags=long
@test "classic: ib_send_bw -b" { mixed_controlled ib_send_bw -R -c RC -s 64 -r 16 -n 2000 -b; }
# bats test_tags=long
@test "classic: ib_send_bw -a" { mixed_controlled ib_send_bw -R -c RC -r 16 -n 100 -a; }
@test "classic: ib_send_bw -D" { mixed_controlled ib_send_bw -R -c RC -s 64 -r 16 -D 1; }

# On one CPU, as above.
@test "qperf: each SEND meets a receive, also with a receiver that stands still" {
    local -a alone
    in_front_of as_iwarp
    alone=(taskset -c "$(taskset -cp $$ | sed 's/.*[: ,-]//')" "${in_front[@]}")
    launch server "${alone[@]}" "$(program qperf)" -lp "$port"
    await server listening server
    launch client "${alone[@]}" "$(program qperf)" 127.0.0.1 -lp "$port" -cm1 -t 1 -m 64 -uu rc_bw rc_bi_bw rc_lat
    finish client
    expect_status client 0
    launch client "${alone[@]}" "$(program qperf)" 127.0.0.1 -lp "$port" -cm1 -n 20000 -ar1 -f1 -uu rc_bw quit
    finish client
    expect_status client 0
    finish server
}
