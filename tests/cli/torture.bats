#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Does a program end in order, with one line and the right status, whichever call fails? The Nth call of a kind does, N = 1,
# 2, … until there is none so many. One program here, all of them in .ci/run long (PERFTEST_LONG).
# bats file_tags=slow

load helpers
load veth

setup_file() {
    ${CC:-cc} -shared -fPIC -O1 -fno-optimize-sibling-calls -o "$BATS_FILE_TMPDIR/fail_call.so" "$BATS_TEST_DIRNAME/fail_call.c" -ldl
}

# In front of the software device, so that calls come by here first; in a sanitizer build that one is linked in.
failing() { # KIND:N COMMAND...
    local preload=$BATS_FILE_TMPDIR/fail_call.so
    [[ -n ${sanitized-} ]] || preload+=:$PERFTEST_BUILD/soft/.libs/libperftest_soft.so
    env LD_PRELOAD="$preload" PERFTEST_SOFT_CM=1 FAIL_CALL="$1" FAIL_CALL_FILE="$PWD/struck" \
        ASAN_OPTIONS="verify_asan_link_order=0:${ASAN_OPTIONS-}" "${@:2}"
}
export -f failing

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
    elif [[ $1 == server && ${!status} == 143 && $errors == 0 ]]; then
        expect grep -qE 'warning:|that is no client' server.err # it has lost one client and waits for another
    else
        expect_status "$1" 1 && expect [ "$errors" = 1 ]
    fi
}

expect_results() { # NAME
    if [[ ${run[0]} == cmtime ]]; then
        expect_output "$1" '^cm connect '
    elif [[ ${run[*]} == *json* ]]; then
        expect [ -s run.json ]
    elif [[ ${run[0]} == cxi_send_bw || ${run[0]} == raw_ethernet_fs_rate ]]; then
        expect_output "$1" '^ *[0-9]+[[:space:]]+[0-9]'
    else
        expect [ "$(row_count "$1")" -ge 1 ]
    fi
}

# A pair of which one side has a call that fails. A server for which nobody came is ended.
strike() { # SIDE KIND:N
    local -a server=("$PERFTEST_BUILD/${run[0]}" -p "$port" "${run[@]:1}" "${server_options[@]}")
    local -a client=("$PERFTEST_BUILD/${run[0]}" -p "$port" "${run[@]:1}" "${client_options[@]}")
    if [[ $1 == server ]]; then server=(failing "$2" "${server[@]}"); else client=(failing "$2" "${client[@]}"); fi
    rm -f struck run.json
    launch server bash -c '"$@"' bash "${server[@]}"
    until server_is_up || ! alive server; do sleep 0.01; done
    if alive server; then
        launch client bash -c '"$@"' bash "${client[@]}"
        finish client
        ! server_is_up || kill -TERM -- "-${pids[server]}" 2>/dev/null || true
    else
        : >client.out
        : >client.err
        client_status=0
    fi
    finish server
}

# It, or what it was started by, listens: its process.
server_is_up() {
    for up in $(pgrep -g "${pids[server]}"); do
        process_listens "$up" "$port" && return
    done
    return 1
}

# Each call of KIND by SIDE. There are some at least, or nothing was tested.
torture() { # KIND SIDE AT-LEAST PROGRAM [OPTIONS]
    local kind=$1 side=$2 least=$3 other=client n
    local -a run=("${@:4}")
    [[ $side == server ]] || other=server
    for ((n = 1; ; n++)); do
        strike "$side" "$kind:$n"
        [[ -e struck ]] || break
        if ! { expect_struck "$side" && expect_bystander "$other" && nothing_left; }; then
            echo "${run[*]}: call $n of kind $kind, $(<struck), failed on the $side; it ended with $client_status, $server_status"
            cat client.err server.err
            return 1
        fi
        if grep -E 'Sanitizer|runtime error' client.err server.err; then return 1; fi
    done
    expect_status client 0 && expect_status server 0 && expect [ "$n" -gt "$least" ]
}

both() { # KIND AT-LEAST PROGRAM [OPTIONS]
    torture "$1" client "${@:2}"
    torture "$1" server "${@:2}"
}

pair_of() {
    server_options=()
    client_options=(localhost)
}

in_full() {
    [[ -n ${PERFTEST_LONG-} ]] || skip "in .ci/run long"
}

no_sanitizer() {
    ! nm "$PERFTEST_BUILD/ib_write_bw" | grep -q __asan_ || skip "AddressSanitizer has an allocator of its own"
}

setup_more() {
    pair_of
    BATS_TEST_TIMEOUT=7000
    export PERFTEST_BUILD
    sanitized=
    ! nm "$PERFTEST_BUILD/ib_write_bw" | grep -q __asan_ || sanitized=1
    export sanitized
}

@test "ib_send_bw: each call of libibverbs" {
    setup_more
    both verbs 8 ib_send_bw -n 5 -s 8 -b
}

@test "ib_send_bw: each allocation" {
    no_sanitizer
    setup_more
    both alloc 20 ib_send_bw -n 5 -s 8
}

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

@test "allocations of the others" {
    in_full
    no_sanitizer
    setup_more
    both alloc 20 ib_write_bw -n 5 -s 8 -z
    both alloc 20 ib_read_bw -n 5 -a --out_json_file=run.json
    both alloc 20 ib_atomic_bw -n 5 -q 2
    both alloc 20 ib_write_bw -n 5 --data_validation
    both alloc 20 ib_write_lat -n 5 -R
    both alloc 20 ib_read_lat -n 5 -H
    both alloc 20 ib_send_lat -n 5 -e
    both alloc 20 ib_atomic_lat -n 5
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

# A side of a program without a side channel.
raw_side() { # NAME INTERFACE OWN_MAC OTHER_MAC STRUCK KIND:N
    local -a command=("$PERFTEST_BUILD/${run[0]}" -d soft0 "--$1" -B "$3" -E "$4" --timeout 1 "${run[@]:1}")
    [[ $5 != "$1" ]] || command=(bash -c '"$@"' bash failing "$6" "${command[@]}")
    launch "$1" "${inside[@]}" env "PERFTEST_SOFT=if=$2" "${command[@]}"
}

# Each call of KIND by SIDE. A server that no frame reached is ended.
torture_raw() { # KIND SIDE AT-LEAST PROGRAM [OPTIONS]
    local kind=$1 side=$2 least=$3 other=client n
    local -a run=("${@:4}")
    [[ $side == server ]] || other=server
    for ((n = 1; ; n++)); do
        rm -f struck
        raw_side server veth0 "$near" "$far" "$side" "$kind:$n"
        until listens veth0 || ! alive server; do sleep 0.01; done
        raw_side client veth1 "$far" "$near" "$side" "$kind:$n"
        finish client
        ((client_status == 0)) || kill -TERM -- "-${pids[server]}" 2>/dev/null || true
        finish server
        [[ -e struck ]] || break
        if ! { expect_struck "$side" && expect_bystander "$other" && nothing_left; }; then
            echo "${run[*]}: call $n of kind $kind, $(<struck), failed on the $side; it ended with $client_status, $server_status"
            cat client.err server.err
            return 1
        fi
        if grep -E 'Sanitizer|runtime error' client.err server.err; then return 1; fi
    done
    expect_status client 0 && expect_status server 0 && expect [ "$n" -gt "$least" ]
}

# Each call of KIND by the program that has no other side.
torture_alone() { # KIND AT-LEAST PROGRAM [OPTIONS]
    local kind=$1 least=$2 n
    local -a run=("${@:3}")
    for ((n = 1; ; n++)); do
        rm -f struck
        launch client "${inside[@]}" env "PERFTEST_SOFT=if=veth0" bash -c '"$@"' bash failing "$kind:$n" \
            "$PERFTEST_BUILD/${run[0]}" -d soft0 -B "$near" -E "$far" "${run[@]:1}"
        finish client
        [[ -e struck ]] || break
        if ! { expect_struck client && nothing_left; }; then
            echo "${run[*]}: call $n of kind $kind, $(<struck), failed; it ended with $client_status"
            cat client.err
            return 1
        fi
        if grep -E 'Sanitizer|runtime error' client.err; then return 1; fi
    done
    expect_status client 0 && expect [ "$n" -gt "$least" ]
}

@test "raw_ethernet_bw, raw_ethernet_lat: calls of libibverbs and allocations" {
    in_full
    setup_more
    veth_pair
    local side
    for side in client server; do
        torture_raw verbs "$side" 8 raw_ethernet_bw -n 5 -s 64
        torture_raw verbs "$side" 8 raw_ethernet_lat -n 5 -s 64
        nm "$PERFTEST_BUILD/ib_write_bw" | grep -q __asan_ || torture_raw alloc "$side" 10 raw_ethernet_bw -n 5 -s 64
    done
}

@test "raw_ethernet_fs_rate: calls of libibverbs and allocations" {
    in_full
    setup_more
    veth_pair
    torture_alone verbs 8 raw_ethernet_fs_rate -n 5
    nm "$PERFTEST_BUILD/ib_write_bw" | grep -q __asan_ || torture_alone alloc 10 raw_ethernet_fs_rate -n 5
}

# Each call of KIND by a qperf client; the server, which serves them all, outlives them.
torture_client() { # KIND AT-LEAST TEST-AND-OPTIONS...
    local kind=$1 least=$2 n errors
    for ((n = 1; ; n++)); do
        rm -f struck
        launch client bash -c '"$@"' bash failing "$kind:$n" "$PERFTEST_BUILD/qperf" 127.0.0.1 -lp "$port" "${@:3}"
        finish client
        [[ -e struck ]] || break
        errors=$(grep -c 'error:' client.err || true)
        if ! { alive server && { [[ $client_status == 1 && $errors == 1 ]] ||
            { [[ $client_status == 0 && $errors == 0 ]] && expect_output client ' = '; }; }; }; then
            echo "qperf ${*:3}: call $n of kind $kind, $(<struck), failed; the client ended with $client_status"
            cat client.err server.err
            return 1
        fi
        if grep -E 'Sanitizer|runtime error' client.err server.err; then return 1; fi
    done
    expect_status client 0 && expect [ "$n" -gt "$least" ]
}

@test "qperf: a client's calls and allocations" {
    in_full
    setup_more
    launch server "$PERFTEST_BUILD/qperf" -lp "$port"
    await server listening server
    torture_client verbs 8 -n 5 rc_bw
    torture_client verbs 8 -n 5 ud_lat
    torture_client rdma_cm 8 -n 5 -cm 1 rc_lat
    if ! nm "$PERFTEST_BUILD/ib_write_bw" | grep -q __asan_; then
        torture_client alloc 4 --repeat 2 -n 5 tcp_lat
        torture_client alloc 8 -n 5 ud_lat
    fi
    kill -TERM -- "-${pids[server]}"
    finish server
}

# Each call of KIND by a qperf server that is asked for one test.
torture_server() { # KIND AT-LEAST TEST-AND-OPTIONS...
    local kind=$1 least=$2 n errors
    for ((n = 1; ; n++)); do
        rm -f struck
        launch server bash -c '"$@"' bash failing "$kind:$n" "$PERFTEST_BUILD/qperf" -lp "$port"
        until server_is_up || ! alive server; do sleep 0.01; done
        launch client "$PERFTEST_BUILD/qperf" 127.0.0.1 -lp "$port" "${@:3}"
        finish client
        # it alone: it waits for the process that serves the client
        ! server_is_up || kill -TERM "$up" 2>/dev/null || true
        finish server
        [[ -e struck ]] || break
        errors=$(grep -c 'error:' client.err || true)
        if ! { [[ $client_status == 1 && $errors == 1 ]] ||
            { [[ $client_status == 0 && $errors == 0 ]] && expect_output client ' = '; }; } || ! nothing_left; then
            echo "qperf ${*:3}: the server's call $n of kind $kind, $(<struck), failed; they ended with $client_status, $server_status"
            cat client.err server.err
            return 1
        fi
        if grep -E 'Sanitizer|runtime error' client.err server.err; then return 1; fi
    done
    expect_status client 0 && expect [ "$n" -gt "$least" ]
}

@test "qperf: a server's calls and allocations" {
    in_full
    setup_more
    torture_server verbs 8 -n 5 rc_bw
    torture_server verbs 8 -n 5 ud_lat
    torture_server rdma_cm 6 -n 5 -cm 1 rc_lat
    if ! nm "$PERFTEST_BUILD/ib_write_bw" | grep -q __asan_; then
        torture_server alloc 4 -n 5 tcp_lat
        torture_server alloc 8 -n 5 rc_bw
    fi
}
