#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Do the distributions' benchmarks run on the software device, with each transport and each option that affects the
# device? All of them in tests/run long (PERFTEST_LONG), a few here; single ones in soft_abi.bats and rdma_cm.bats.

load helpers
load foreign

programs=(ib_send_bw ib_send_lat ib_write_bw ib_write_lat ib_read_bw ib_read_lat ib_atomic_bw ib_atomic_lat)

# OPTIONS;PROGRAMS;TRANSPORTS of perftest 4.5, as patterns: what it has, and takes. Datagrams end at 4096 bytes, so -a
# there stops by itself.
option_rows=(
    ";*;*"
    "-R;*;@(RC|UD)"
    "-z;*;[!X]*"
    "-q 3;*_bw;*"
    "-b;*_bw;*"
    "-b -e;ib_send_bw;*"
    "-a;ib_[!a]*;*"
    "-e;ib_[!w]*;*"
    "--use-srq;ib_send_*;*"
    "--use-srq -q 3 -R;ib_send_bw;RC"
    "--odp;ib_[!a]*;!(UC)"
    # A group's address is no mapped IPv4 one, so the other side's must not be either (-x 0); with -R it is refused.
    "-g -x 0;ib_send_*;UD"
    "-g -x 0 -e;ib_send_*;UD"
)

# Which transports a program has.
has_transport() { # PROGRAM TRANSPORT
    case $2 in
    UC) [[ $1 == ib_send_* || $1 == ib_write_* ]] ;;
    UD) [[ $1 == ib_send_* ]] ;;
    esac
}

# The command lines, one a line.
matrix() {
    local transport program row options programs_wanted transports_wanted
    for transport in RC UC UD XRC; do
        for program in "${programs[@]}"; do
            has_transport "$program" "$transport" || continue
            for row in "${option_rows[@]}"; do
                IFS=';' read -r options programs_wanted transports_wanted <<<"$row"
                # shellcheck disable=SC2053 # patterns
                [[ $program == $programs_wanted && $transport == $transports_wanted ]] || continue
                echo "$program -c $transport -n 20 $([[ $transport != UD || $options == -a ]] || echo '-s 1024') $options"
            done
        done
    done
}

ready() {
    bound "${pids[server]}" "$port/"
}

# Both ends, which must be content.
row_run() { # PROGRAM OPTIONS
    local when=(listening server)
    [[ " $* " != *\ -[Rz]\ * ]] || when=(ready)
    launch server "$run_soft" "/usr/bin/$1" -p "$port" -d soft0 -F "${@:2}"
    await server "${when[@]}"
    launch client "$run_soft" "/usr/bin/$1" -p "$port" -d soft0 -F "${@:2}" 127.0.0.1
    finish client
    finish server
    expect_status client 0
    expect_status server 0
    (($(row_count client) > 0))
}

@test "Debian's perftest: its programs, transports and options" {
    local -a words
    local row count=0 every=40
    installed ib_send_bw
    [[ -z ${PERFTEST_LONG-} ]] || every=1
    while read -r row; do
        count=$((count + 1))
        ((count % every == 0)) || continue
        echo "$row"
        read -ra words <<<"$row"
        row_run "${words[@]}"
    done < <(matrix)
    ((count > 100))
}

# As over a RoCE adapter: without rdma_cm it knows only LIDs.
@test "Debian's qperf: its RDMA tests, by rdma_cm" {
    local -a tests=(rc_{bi_bw,bw,lat,compare_swap_mr,fetch_add_mr} rc_rdma_{read_bw,read_lat,write_bw,write_lat,write_poll_lat}
        ver_rc_{compare_swap,fetch_add})
    installed qperf
    [[ -n ${PERFTEST_LONG-} ]] || skip "in .ci/run long; some in soft_host.bats and rdma_cm.bats"
    launch server "$run_soft" /usr/bin/qperf -lp "$port"
    await server listening server
    for test in "${tests[@]}"; do
        echo "qperf $test"
        launch client "$run_soft" /usr/bin/qperf -lp "$port" -t 1 -cm1 127.0.0.1 "$test"
        finish client
        expect_status client 0
        grep -qE '= ' client.out
    done
}
