#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Do two hosts with different page sizes lay out their buffers identically? One side believes that pages have 64 KiB.

load helpers

setup_file() {
    ${CC:-cc} -shared -fPIC -O1 -o "$BATS_FILE_TMPDIR/big_pages.so" "$BATS_TEST_DIRNAME/big_pages.c" -ldl
}

# SIDE has large pages; both end well.
with_big_pages() { # SIDE PROGRAM [OPTIONS]
    local side=$1
    shift
    # what a sanitizer's runtime checks of the order of libraries does not hold with one more in front
    local -a preload=(env LD_PRELOAD="$BATS_FILE_TMPDIR/big_pages.so" ASAN_OPTIONS="verify_asan_link_order=0:${ASAN_OPTIONS-}")
    under=()
    [[ $side == client ]] || under=("${preload[@]}")
    start_server "$1" "${server_args[@]}"
    under=()
    [[ $side == server ]] || under=("${preload[@]}")
    start_client "$@"
    finish client
    finish server
    expect_status client 0
    expect_status server 0
}

each_way() { # PROGRAM [OPTIONS]
    with_big_pages client "$@"
    with_big_pages server "$@"
}

@test "64 KiB pages on one side: bandwidth of small messages" {
    each_way ib_atomic_bw -n 200
    each_way ib_read_bw -s 64 -n 200
    each_way ib_write_bw -s 1024 -n 200
    each_way ib_send_bw -s 1024 -n 200
    each_way ib_send_bw -s 1024 -n 200 -c UD
    each_way ib_write_bw -s 256 -n 200 --write_with_imm -c UC
}

@test "64 KiB pages on one side: the other does not say its own" {
    local test
    local -a words
    for test in "ib_atomic_bw -n 200" "ib_read_bw -s 64" "ib_write_bw -s 1024 -q 3"; do
        read -ra words <<<"$test --dont_xchg_versions"
        server_args=("${words[@]:1}") # no options travel
        each_way "${words[@]}"
    done
}

@test "64 KiB pages on one side: both directions" {
    each_way ib_atomic_bw -n 200 -b
    each_way ib_read_bw -s 64 -n 200 -b
    each_way ib_write_bw -s 1024 -n 200 -b
    each_way ib_send_bw -s 64 -n 200 -b
    each_way ib_write_bw -s 1024 -n 200 --reversed
}

@test "64 KiB pages on one side: several queue pairs, memory regions and sizes" {
    each_way ib_read_bw -s 64 -n 200 -q 5
    each_way ib_write_bw -s 32K -n 200 -q 3 --mr_per_qp
    each_way ib_atomic_bw -n 200 -q 4
    each_way ib_send_bw -a -n 50 -q 2
    each_way ib_write_bw -a -n 50
}

@test "64 KiB pages on one side: latency" {
    local name
    for name in ib_{send,write,read,atomic}_lat; do
        each_way "$name" -n 50
    done
    each_way ib_write_lat -a -n 20
    each_way ib_send_lat -c UD -n 50
}

@test "64 KiB pages on one side: checked data" {
    each_way ib_read_bw -s 64 -n 200 -q 2 --data_validation
    each_way ib_write_bw -s 1024 -n 200 -q 3 -b --data_validation
    each_way ib_atomic_bw -n 200 --data_validation
    each_way ib_send_bw -s 1000 -n 200 -c UD --data_validation
    each_way ib_send_lat -n 50 --data_validation
}
