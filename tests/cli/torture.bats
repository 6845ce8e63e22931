#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Does a program exit in order, with one line and the right status, whichever call fails? The Nth call of a kind fails,
# N = 1, 2, … until there are fewer calls. One program here, all of them in .ci/run long (PERFTEST_LONG).
# bats file_tags=slow

load helpers
load veth
load in_front

setup_file() {
    in_front_build fail_call
}

# The words of one that was not struck, and its status: it may have lost its peer.
expect_bystander() { # NAME
    local status=${1}_status errors
    errors=$(grep -c 'error:' "$1.err" || true)
    case ${!status} in
    0) expect [ "$errors" = 0 ] ;;
    1) expect [ "$errors" = 1 ] ;;
    130 | 143) expect [ "$1" = server ] ;; # ended by us: no client came
    *) expect_status "$1" "0, 1, or ended while it waited for a client" ;;
    esac
}

# Its call failed: status 1 and one line, or it did without that call, and nothing is missing.
expect_struck() { # NAME
    local status=${1}_status errors
    errors=$(grep -c 'error:' "$1.err" || true)
    if [[ ${!status} == 0 && $errors == 0 ]]; then
        [[ $1 == server ]] || expect_results client
    elif [[ $1 == server && ${!status} == 130 && $errors == 0 ]]; then
        expect grep -qE 'warning:|that is not a client' server.err # it has lost one client and waits for another
    else
        expect_status "$1" 1 && expect [ "$errors" = 1 ]
    fi
}

expect_results() { # NAME
    if [[ ${run[0]} == cmtime ]]; then
        expect_output "$1" '^cm connect '
    elif [[ ${run[0]} == qperf ]]; then
        expect_output "$1" ' = '
    elif [[ ${run[*]} == *json* ]]; then
        expect [ -s run.json ]
    elif [[ ${run[0]} == cxi_send_bw || ${run[0]} == raw_ethernet_fs_rate ]]; then
        expect_output "$1" '^ *[0-9]+[[:space:]]+[0-9]'
    else
        expect [ "$(row_count "$1")" -ge 1 ]
    fi
}

# How do the sides of a program stand to each other? Of each way there is what they are called by ("server" and "client", and what
# stands in front of them and must not fail, "server_front" and "client_front"; no server: there is none to start), when its server
# is up, how one ends for which nobody came, and what must be true of both behind a call that failed.

# By a port; the server serves one client.
commands_by_port() {
    server=("$PERFTEST_BUILD/${run[0]}" -p "$port" "${run[@]:1}" "${server_options[@]}")
    client=("$PERFTEST_BUILD/${run[0]}" -p "$port" "${run[@]:1}" "${client_options[@]}")
}

# It, or what it was started by, listens: its process.
is_up_by_port() {
    for up in $(pgrep -g "${pids[server]}"); do
        process_listens "$up" "$port" && return
    done
    return 1
}

end_by_port() {
    ! is_up_by_port || kill -TERM -- "-${pids[server]}" 2>/dev/null || true
}

expect_by_port() { # SIDE
    local other=client
    [[ $1 == server ]] || other=server
    expect_struck "$1" && expect_bystander "$other" && nothing_left
}

# By frames: without a side channel.
commands_by_frames() {
    local -a both=(-d soft0 --timeout 1 "${run[@]:1}")
    server_front=("${inside[@]}" env PERFTEST_SOFT=if=veth0)
    client_front=("${inside[@]}" env PERFTEST_SOFT=if=veth1)
    server=("$PERFTEST_BUILD/${run[0]}" --server -B "$near" -E "$far" "${both[@]}" "${server_options[@]}")
    client=("$PERFTEST_BUILD/${run[0]}" --client -B "$far" -E "$near" "${both[@]}")
}

is_up_by_frames() {
    listens veth0
}

end_by_frames() {
    ((client_status == 0)) || kill -TERM -- "-${pids[server]}" 2>/dev/null || true
}

expect_by_frames() { # SIDE
    expect_by_port "$1"
}

# Alone: there is no other side.
commands_alone() {
    client_front=("${inside[@]}" env PERFTEST_SOFT=if=veth0)
    client=("$PERFTEST_BUILD/${run[0]}" -d soft0 -B "$near" -E "$far" "${run[@]:1}")
}

expect_alone() { # SIDE
    expect_struck client && nothing_left
}

# qperf: one server is there for all clients, of which each asks for one test. Where the server's calls fail, it is one of its own.
commands_qperf() { # SIDE
    client=("$PERFTEST_BUILD/qperf" 127.0.0.1 -lp "$port" "${run[@]:1}")
    [[ $1 == client ]] || server=("$PERFTEST_BUILD/qperf" -lp "$port")
}

is_up_qperf() {
    is_up_by_port
}

# It alone: it waits for the process that serves the client.
end_qperf() {
    ! is_up_by_port || kill -TERM "$up" 2>/dev/null || true
}

# Whichever side it is that fails, the client ends in order, if it came so far, and the server that goes on does so.
expect_qperf() { # SIDE
    if [[ $1 == client ]]; then
        expect_struck client && expect alive server
    else
        # It may be ended, and end in order; its children, too.
        expect [ "$server_status" -le 128 -o "$server_status" = 143 ] && expect [ -z "$(grep 'died of signal' server.err)" ] &&
            expect_struck "$([[ $is_met ]] && echo client || echo server)" && nothing_left
    fi
}

# Both sides, once, of which one has a call that fails.
strike() { # WAY SIDE KIND:N
    local -a server=() client=() server_front=() client_front=() struck=("${in_front[@]}" FAIL_CALL="$3" FAIL_CALL_FILE="$PWD/struck")
    rm -f struck run.json
    server_status=0 client_status=0 is_met=
    "commands_$1" "$2"
    if [[ $2 == server ]]; then server=("${struck[@]}" "${server[@]}"); else client=("${struck[@]}" "${client[@]}"); fi
    if ((${#server[@]})); then
        launch server "${server_front[@]}" "${server[@]}"
        until "is_up_$1" || ! alive server; do sleep 0.01; done
    fi
    if ((${#server[@]})) && ! alive server; then
        : >client.out
        : >client.err
    else
        is_met=1
        launch client "${client_front[@]}" "${client[@]}"
        finish client
    fi
    ((${#server[@]})) || return 0
    [[ ! $is_met ]] || "end_$1"
    finish server
}

# Each call of KIND by SIDE. There are some at least, or nothing was tested.
torture() { # WAY KIND SIDE AT-LEAST PROGRAM [OPTIONS]
    local way=$1 kind=$2 side=$3 least=$4 n
    local -a run=("${@:5}")
    for ((n = 1; ; n++)); do
        strike "$way" "$side" "$kind:$n"
        [[ -e struck ]] || break
        if ! "expect_$way" "$side"; then
            echo "${run[*]}: call $n of kind $kind, $(<struck), failed on the $side; it ended with $client_status, $server_status"
            cat ./*.err
            return 1
        fi
        if grep -E 'Sanitizer|runtime error' ./*.err; then return 1; fi
    done
    expect_status client 0 && expect [ "$n" -gt "$least" ] || return 1
    expect [ -z "$(compgen -G '*.tmp')" ] || return 1
    [[ $way == qperf ]] || expect_status server 0 # that one was ended
}

both() { # KIND AT-LEAST PROGRAM [OPTIONS]
    torture by_port "$1" client "${@:2}"
    torture by_port "$1" server "${@:2}"
}

pair_of() {
    server_options=()
    client_options=(localhost)
}

in_full() {
    [[ -n ${PERFTEST_LONG-} ]] || skip "in .ci/run long"
}

has_allocator() {
    ! is_sanitized
}

no_sanitizer() {
    has_allocator || skip "AddressSanitizer has an allocator of its own"
}

setup_more() {
    pair_of
    BATS_TEST_TIMEOUT=7000
    in_front_of fail_call
}

# bats test_tags=long
@test "ib_send_bw: each call of libibverbs" {
    setup_more
    both verbs 8 ib_send_bw -n 5 -s 8 -b
}

# bats test_tags=long
@test "ib_send_bw: each allocation" {
    no_sanitizer
    setup_more
    both alloc 20 ib_send_bw -n 5 -s 8
}

# It is made, and made sure of, before anybody waits: without a server.
@test "ib_send_bw: a document for which there is no memory leaves no file" {
    no_sanitizer
    setup_more
    local n
    for ((n = 1; ; n++)); do
        rm -f struck
        launch alone "${in_front[@]}" FAIL_CALL="alloc:$n" FAIL_CALL_FILE="$PWD/struck" \
            "$PERFTEST_BUILD/ib_send_bw" -p "$port" -n 5 --out_json_file=run.json localhost
        finish alone
        [[ -e struck ]] || break
        expect_status alone 1 && expect [ "$(grep -c 'error:' alone.err)" = 1 ] && expect [ -z "$(compgen -G 'run.json*')" ] || {
            echo "call $n of malloc failed: $(<struck)"
            return 1
        }
    done
    expect [ "$n" -gt 10 ]
}

# bats test_tags=long
@test "ib_send_bw: each call of librdmacm" {
    setup_more
    both rdma_cm 10 ib_send_bw -n 5 -s 8 -R
}

@test "the programs of the bandwidth tests" {
    in_full
    setup_more
    both verbs 8 ib_write_bw -n 5 -s 8
    both verbs 8 ib_read_bw -n 5 -s 8 -e
    both verbs 8 ib_atomic_bw -n 5 -q 2
    both verbs 8 ib_send_bw -n 5 -s 8 -c UD
    both verbs 8 ib_write_bw -n 5 -s 8 --data_validation
}

@test "the programs of the latency tests" {
    in_full
    setup_more
    both verbs 8 ib_write_lat -n 5
    both verbs 8 ib_read_lat -n 5
    both verbs 8 ib_send_lat -n 5 -e
    both verbs 8 ib_atomic_lat -n 5
}

@test "rdma_cm and the side channel over it" {
    in_full
    setup_more
    both rdma_cm 10 ib_write_lat -n 5 -R -q 1
    both rdma_cm 10 ib_write_bw -n 5 -z
    both verbs 8 ib_write_bw -n 5 -z
}

@test "shared receives, groups, two devices, and the transports of providers" {
    in_full
    setup_more
    both verbs 8 ib_send_bw -n 5 -s 8 --use-srq -q 2
    both verbs 8 ib_write_bw -n 5 -s 8 -c XRC -b
    both verbs 8 ib_send_bw -n 5 -s 8 -g -q 2
    both verbs 8 ib_send_bw -n 5 -s 8 -O -d "soft0,soft1"
    both verbs 8 ib_send_bw -n 5 -s 8 -c DC
    both verbs 8 ib_read_bw -n 5 -s 8 -c SRD
    no_sanitizer
    both alloc 20 ib_send_bw -n 5 -s 8 --use-srq -q 2
    both alloc 20 ib_send_bw -n 5 -s 8 -g
    both alloc 20 ib_send_bw -n 5 -s 8 -O -d "soft0,soft1"
    both alloc 20 ib_send_bw -n 5 -s 8 -c DC
}

@test "allocations of the others" {
    in_full
    no_sanitizer
    setup_more
    both alloc 20 ib_write_bw -n 5 -s 8 -z
    both alloc 20 ib_atomic_bw -n 5 -q 2
    both alloc 20 ib_write_bw -n 5 --data_validation
    both alloc 20 ib_write_lat -n 5 -R
    both alloc 20 ib_read_lat -n 5 -H
    both alloc 20 ib_send_lat -n 5 -e
    both alloc 20 ib_atomic_lat -n 5
}

# Some 1500 a side, most of the rows of the document: it takes as long as all other programs together.
@test "allocations of a sweep and its document" {
    in_full
    no_sanitizer
    setup_more
    both alloc 20 ib_read_bw -n 5 -a --out_json_file=run.json
}

cmtime_pair() {
    setup_more
    server_options=(-C 127.0.0.1 -b 127.0.0.1 -c 2 --join_timeout 5 -L)
    client_options=(-C 127.0.0.1 -b 127.0.0.1 -c 2 --join_timeout 5)
}

@test "cmtime: calls of librdmacm and libibverbs" {
    in_full
    cmtime_pair
    both rdma_cm 10 cmtime
    both verbs 3 cmtime
}

@test "cmtime: allocations" {
    in_full
    no_sanitizer
    cmtime_pair
    both alloc 10 cmtime
    both alloc 10 cmtime -S
}

@test "cxi_send_bw: allocations" {
    in_full
    no_sanitizer
    setup_more
    both alloc 10 cxi_send_bw --provider tcp -n 2 -l 2 -s 64 --out_json_file=run.json
}

@test "raw_ethernet_bw, raw_ethernet_lat, raw_ethernet_burst_lat: calls of libibverbs and allocations" {
    in_full
    setup_more
    veth_pair
    local side
    for side in client server; do
        torture by_frames verbs "$side" 8 raw_ethernet_bw -n 5 -s 64
        torture by_frames verbs "$side" 8 raw_ethernet_bw -n 5 -s 64 --mac_fwd
        torture by_frames verbs "$side" 8 raw_ethernet_lat -n 5 -s 64
        torture by_frames verbs "$side" 8 raw_ethernet_burst_lat -n 5 -s 64
        ! has_allocator || torture by_frames alloc "$side" 10 raw_ethernet_bw -n 5 -s 64
        ! has_allocator || torture by_frames alloc "$side" 10 raw_ethernet_burst_lat -n 5 -s 64
    done
}

@test "raw_ethernet_bw --use_rss: the server's calls of libibverbs and allocations" {
    in_full
    setup_more
    veth_pair
    server_options=(--use_rss)
    torture by_frames verbs server 12 raw_ethernet_bw -n 5 -s 64 -q 2
    ! has_allocator || torture by_frames alloc server 10 raw_ethernet_bw -n 5 -s 64 -q 2
}

@test "raw_ethernet_fs_rate: calls of libibverbs and allocations" {
    in_full
    setup_more
    veth_pair
    torture alone verbs client 8 raw_ethernet_fs_rate -n 5
    ! has_allocator || torture alone alloc client 10 raw_ethernet_fs_rate -n 5
}

@test "qperf: a client's calls and allocations" {
    in_full
    setup_more
    launch server "$PERFTEST_BUILD/qperf" -lp "$port"
    await server listening server
    torture qperf verbs client 8 qperf -n 5 rc_bw
    torture qperf verbs client 8 qperf -n 5 ud_lat
    torture qperf rdma_cm client 8 qperf -n 5 -cm 1 rc_lat
    if has_allocator; then
        torture qperf alloc client 4 qperf --repeat 2 -n 5 tcp_lat
        torture qperf alloc client 8 qperf -n 5 ud_lat
    fi
    kill -TERM -- "-${pids[server]}"
    finish server
}

@test "qperf: a server's calls and allocations" {
    in_full
    setup_more
    torture qperf verbs server 8 qperf -n 5 rc_bw
    torture qperf verbs server 8 qperf -n 5 ud_lat
    torture qperf rdma_cm server 6 qperf -n 5 -cm 1 rc_lat
    if has_allocator; then
        torture qperf alloc server 4 qperf -n 5 tcp_lat
        torture qperf alloc server 8 qperf -n 5 rc_bw
    fi
}
