#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# libibverbs, the device or the C library returns impossible values (lying_calls.c): the side exits in order, with one
# line and status 1, or its figures are correct anyway. A few cases here, each of them for either side of several
# programs in .ci/run long.
# bats file_tags=slow

load helpers
load in_front

setup_file() {
    in_front_build lying_calls
}

setup_lies() {
    BATS_TEST_TIMEOUT=${PERFTEST_LONG:+7000}
    export BATS_TEST_TIMEOUT=${BATS_TEST_TIMEOUT:-180}
    in_front_of lying_calls
    sanitized=
    ! is_sanitized || sanitized=1
}

# Status 0 and no error, or 1 and one; 4 and some where data is looked at. Status 2: a depth that the device says it has not.
expect_order() { # NAME
    local status=${1}_status errors
    errors=$(grep -c 'error:' "$1.err" || true)
    case ${!status} in
    0) expect [ "$errors" = 0 ] ;;
    1) expect [ "$errors" = 1 ] || [[ ${run[*]} == *data_validation* ]] ;;
    4) expect grep -q data_validation <<<"${run[*]}" ;;
    130 | 143) expect [ "$1" = server ] ;; # ended by us: no client came
    *) expect_status "$1" "0 or 1" ;;
    esac
}

# What a run that ended well says of itself: all messages, and figures that are numbers above 0.
expect_figures() {
    rows client | awk '{ for (i = 1; i <= NF; i++) if ($i !~ /^[0-9.]+$/) exit 1; n += $2 } END { exit !(NR >= 1 && n > 0) }' ||
        { echo "figures that are none"; return 1; }
}

# One run. needs: it must have heard the lie.
tell() { # LIE:N SIDE PROGRAM [OPTIONS]
    local lie=$1 side=$2
    local -a run=("${@:3}") server client lied_to=("${in_front[@]}" LIE="$1" LIE_FILE="$PWD/told")
    server=("$PERFTEST_BUILD/$3" -p "$port" --timeout 2 "${@:4}")
    client=("${server[@]}" localhost)
    if [[ $side == server ]]; then server=("${lied_to[@]}" "${server[@]}"); else client=("${lied_to[@]}" "${client[@]}"); fi
    rm -f told
    launch server "${server[@]}"
    until listening server || ! alive server; do sleep 0.01; done
    launch client "${client[@]}"
    finish client
    ! listening server || kill -TERM -- "-${pids[server]}" 2>/dev/null || true
    finish server
    if ! { expect_order server && expect_order client && { [[ $client_status != 0 ]] || expect_figures; } && nothing_left; }; then
        echo "${run[*]}: the $side was told $lie; they ended with $client_status, $server_status"
        cat client.out client.err server.err
        return 1
    fi
    if grep -E 'Sanitizer|runtime error' client.err server.err; then return 1; fi
}

# ... which was heard, unless a sanitizer's own wrapper of the C library stands in front.
tell_heard() {
    tell "$@"
    [[ -n $sanitized ]] || expect [ -e told ]
}

in_full() {
    [[ -n ${PERFTEST_LONG-} ]] || skip "in .ci/run long"
}

# All names of lying_calls.c that begin with a pattern.
lies() { # PATTERN
    grep -oE '(WHOLE|MEMBER|= )\(?"[a-z0-9_]+"' "$BATS_TEST_DIRNAME/lying_calls.c" | cut -d'"' -f2 | grep -E "^($1)"
}

@test "numbers of requests and counts of completions" {
    setup_lies
    tell_heard wr_id:1 client ib_send_bw -n 1000 -Q 1 -q 3
    expect_error client "soft0 completed a request that this side did not post"
    tell_heard wr_id_near:1 server ib_send_bw -n 300 -s 64 --data_validation # one queue pair: it names nothing
    expect_status client 0
    tell_heard poll_most:1 client ib_send_bw -n 1000 -Q 1
    expect_error client "returned more completions than it was asked for"
    tell_heard poll_more:1 server ib_send_lat -n 100
    expect_error server "returned more completions than it was asked for"
    tell_heard poll_unsolicited:1 server ib_send_bw -n 1000
    expect_status server 1
}

@test "lengths" {
    setup_lies
    tell_heard byte_len_0:5 client ib_send_lat -n 1000
    expect_error client "the peer marked more messages as delayed than is possible"
    tell_heard byte_len_max:1 client ib_write_bw -n 10 -z
    expect_error client "broke"
    tell_heard byte_len_max:1 server ib_send_bw -n 100 --data_validation
    expect_status server 4
}

@test "what devices and ports have" {
    setup_lies
    tell_heard mtu_77:1 client ib_send_bw -n 10
    expect_error client "port 1 of soft0 reports the active MTU code 77, which does not exist"
    tell_heard max_msg_sz_0:1 server ib_read_lat -n 10
    expect_error server "port 1 of soft0 reports a maximum message size of 0"
    tell_heard max_qp_init_rd_atom_0:1 client ib_read_bw -n 10
    expect_error client "soft0 allows no READs or atomics in flight"
    tell_heard max_qp_rd_atom_0:1 server ib_atomic_lat -n 10
    expect_error client "the peer's device, unlike soft0, allows no READs or atomics in flight|server.*soft0 allows no READs"
    # the limit of a client is what it initiates, not what it would respond to
    tell_heard max_qp_rd_atom_16:1 client ib_read_bw -n 10 -o 64
    expect_output client "Outstand reads +: 64"
    tell_heard max_qp_init_rd_atom_16:1 client ib_read_bw -n 10 -o 64
    expect grep -q "soft0 supports at most 16 READs or atomics in flight, not the 64 of --outs" client.err
    expect_output client "Outstand reads +: 16"
    tell_heard max_qp_rd_atom_16:1 server ib_read_bw -n 10 -o 64 --verbose
    expect grep -q "outstanding reads: 16; this device can begin 128 and answer 64, the peer can answer 16" client.err
    expect_output client "Outstand reads +: 16"
    expect grep -q "the peer supports at most 16 READs or atomics in flight, not the 64 of --outs" client.err
    expect grep -q "soft0 supports at most 16 READs or atomics in flight, not the 64 of --outs" server.err
    # with -b a device that responds to no more is named once
    tell_heard max_qp_rd_atom_16:1 client ib_read_bw -n 10 -o 64 -b
    expect [ "$(grep -c "at most 16 READs" client.err server.err | tr '\n' ' ')" = "client.err:1 server.err:1 " ]
    # as EFA's attributes say, which reads all the same
    PERFTEST_SOFT_DIRECT=1 tell_heard max_qp_rd_atom_0:1 client ib_read_bw -n 10 -c SRD
    expect_status client 0
    tell_heard table_most:1 client ib_send_bw -n 10
    expect_status client 0
    tell_heard device_ff:1 client ib_send_bw -n 10
    expect_status client 1
}

@test "sockets that move more than there was, and less" {
    setup_lies
    tell_heard recv_more:1 client ib_send_bw -n 10
    expect_error client "Protocol error"
    tell_heard send_more:1 client ib_send_bw -n 10
    expect_error client "Protocol error"
    tell_heard recv_short:1 server ib_send_bw -n 10
    expect_status client 0
}

@test "a clock that goes back" {
    setup_lies
    tell_heard clock_back:30 client ib_send_bw -n 10
    expect_status client 0
    PERFTEST_CLOCK=gettime tell_heard clock_back:300 client ib_send_lat -n 400
    [[ -n $sanitized ]] || expect_error client "the clock went backwards by more than a second"
    PERFTEST_CLOCK=gettime tell_heard clock_back:300 client ib_send_bw -D 1
    [[ -n $sanitized ]] || expect_error client "the clock went backwards by more than a second"
    # long enough for a side that is without a CPU most of the time
    PERFTEST_CLOCK=gettime tell_heard clock_back:300 client ib_send_lat --rate=10000 -n 20000
    [[ -n $sanitized ]] || expect_error client "the clock went backwards by more than a second"
    PERFTEST_CLOCK=gettime tell_heard clock_back:300 server ib_send_lat --rate=10000 -n 20000
    [[ -n $sanitized ]] || expect_error server "the clock went backwards by more than a second"
}

# --- all of them ---

# Each lie from the first chance on and from a later one.
tell_each() { # LIES PROGRAM [OPTIONS]
    local name side n
    for name in $(lies "$1"); do
        for side in client server; do
            for n in 1 7; do
                tell "$name:$n" "$side" "${@:2}"
            done
        done
    done
}

readonly of_completions='wr_id|byte_len|qp_num|status|opcode|wc_flags|imm_data|poll_'

@test "completions, bandwidth" {
    in_full
    setup_lies
    tell_each "$of_completions" ib_send_bw -n 500 -Q 1
    tell_each "$of_completions" ib_send_bw -n 500 -Q 1 -q 3 -b -s 64
    tell_each "$of_completions" ib_send_bw -n 500 -q 3 --use-srq
    tell_each "$of_completions" ib_send_bw -n 500 -c UD -s 256 -e
    tell_each "$of_completions" ib_write_bw -n 512 -l 4 -q 2
    tell_each "$of_completions" ib_read_bw -n 500 --rate_limit 1000 --rate_limit_type SW --rate_units M
    tell_each "$of_completions" ib_atomic_bw -n 500 -q 2
}

@test "completions, latency" {
    in_full
    setup_lies
    tell_each "$of_completions" ib_send_lat -n 500
    tell_each "$of_completions" ib_send_lat -n 500 -c UD -e
    tell_each "$of_completions" ib_write_lat -n 500
    tell_each "$of_completions" ib_write_lat -n 500 --write_with_imm
    tell_each "$of_completions" ib_read_lat -n 500
    tell_each "$of_completions" ib_send_lat -n 200 --latency_gap 100
}

@test "completions where data is looked at" {
    in_full
    setup_lies
    tell_each "$of_completions" ib_send_bw -n 500 -s 64 --data_validation
    tell_each "$of_completions" ib_send_bw -n 500 -s 64 --data_validation -q 3 --use-srq
    tell_each "$of_completions" ib_send_bw -n 500 -s 64 --data_validation -c UD
    tell_each "$of_completions" ib_write_bw -n 500 -s 64 --data_validation --write_with_imm -q 2
    tell_each "$of_completions" ib_send_lat -n 500 --data_validation
}

@test "completions of the side channel" {
    in_full
    setup_lies
    tell_each "$of_completions" ib_write_bw -n 100 -z
    tell_each "$of_completions" ib_send_bw -n 100 -R
}

@test "devices, ports, GIDs" {
    in_full
    setup_lies
    local of_devices='device|max_|port_|state|mtu|link|pkey|gid|table'
    tell_each "$of_devices" ib_send_bw -n 100
    tell_each "$of_devices" ib_send_bw -n 100 -c UD --use-srq
    tell_each "$of_devices" ib_read_lat -n 100
    tell_each "$of_devices" ib_write_bw -n 100 -R
}

@test "sockets and clocks" {
    in_full
    setup_lies
    local of_calls='recv|send|option|clock'
    tell_each "$of_calls" ib_send_bw -n 100
    tell_each "$of_calls" ib_send_lat -D 1
    export PERFTEST_CLOCK=gettime
    tell_each clock ib_send_bw -D 1
    tell_each clock ib_send_bw -D 1 --report_interval 0.2
    tell_each clock ib_read_lat -D 1
    tell_each clock ib_send_lat -n 1000 --latency_gap 100
    tell_each clock ib_write_bw -n 1000 --data_validation
}
