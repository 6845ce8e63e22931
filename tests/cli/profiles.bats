#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Does every program run on a device that refuses what an adapter's driver does (PERFTEST_SOFT=profile=), or say in one
# line why it can't?

load helpers
load in_front

as() { # PROFILE
    export PERFTEST_SOFT=profile=$1
}

# Each argument is a program with its options.
run_all() { # "PROGRAM OPTIONS"...
    local one
    for one; do
        echo "$PERFTEST_SOFT $one"
        # shellcheck disable=SC2086 # words
        good_pair $one -n 100
        expect_rows client 1
    done
}

# The side that decides says it, in one line that names the device; the other one at most repeats it.
refuse_all() { # PATTERN "PROGRAM OPTIONS"...
    local pattern=$1 one
    shift
    for one; do
        echo "$PERFTEST_SOFT $one"
        # shellcheck disable=SC2086
        run_alone $one -d soft0 127.0.0.1
        expect_status alone 1
        expect_error alone "soft0.* $pattern"
    done
}

# The first side that creates it says it, when both have met.
refuse_pairs() { # PATTERN "PROGRAM OPTIONS"...
    local pattern=$1 one
    shift
    for one; do
        echo "$PERFTEST_SOFT $one"
        # shellcheck disable=SC2086
        run_pair $one -n 100
        expect_status client 1
        expect_error client "soft0.* $pattern"
    done
}

every_verb_over_rc() {
    run_all "ib_send_bw" "ib_send_lat" "ib_write_bw" "ib_write_lat" "ib_read_bw" "ib_read_lat" \
        "ib_send_bw -b -q 2" "ib_write_bw --write_with_imm -s 4096" "ib_write_lat -l 1 -s 64"
}

atomics() {
    run_all "ib_atomic_bw" "ib_atomic_lat -A CMP_AND_SWAP"
}

no_atomics() {
    refuse_all "atomic operations" "ib_atomic_bw" "ib_atomic_lat"
}

@test "as mlx5" {
    as mlx5
    every_verb_over_rc
    atomics
    run_all "ib_send_bw -c UD" "ib_write_bw -c UC" "ib_send_bw -c XRC" "ib_write_bw -c DC" "ib_send_bw --use-srq" \
        "ib_write_bw --odp" "ib_write_bw --use_ooo --data_validation" "ib_write_lat --use_ooo --write_with_imm"
    refuse_all "is not" "ib_write_bw -c SRD"
}

@test "as EFA: SRD and datagrams" {
    as efa
    run_all "ib_send_bw -c SRD" "ib_send_lat -c SRD" "ib_write_bw -c SRD" \
        "ib_write_bw -c SRD --write_with_imm" "ib_write_lat -c SRD" "ib_read_bw -c SRD" \
        "ib_read_lat -c SRD" "ib_send_lat -c SRD --rate=5000 -t 4" "ib_read_lat -c SRD --rate=5000 -t 4" "ib_send_bw -c SRD -l 5 -q 2 --data_validation" \
        "ib_write_bw -c SRD -l 5 --write_with_imm --data_validation" "ib_read_bw -c SRD -l 5 --data_validation" \
        "ib_write_bw -c SRD --data_validation" "ib_send_bw -c SRD --data_validation" "ib_send_bw -c UD" "ib_send_lat -c UD"
    refuse_all "only datagrams" "ib_send_bw" "ib_write_bw" "ib_read_lat"
    run_alone ib_send_bw -c UD -R -d soft0 # a server
    expect_status alone 1
    expect_error alone 'soft0 is not known to rdma_cm: omit'
}

@test "as bnxt_re, which refuses without an errno" {
    as bnxt_re
    every_verb_over_rc
    atomics
    run_all "ib_send_bw -c UD" "ib_send_bw --use-srq"
    refuse_all "does not support UC, only RC and UD" "ib_write_bw -c UC"
    refuse_all "has no XRC" "ib_send_bw -c XRC"
    refuse_all "no on-demand paging" "ib_write_bw --odp"
}

@test "as irdma" {
    as irdma
    every_verb_over_rc
    no_atomics
    run_all "ib_send_bw -c UD"
    refuse_all "does not support UC" "ib_write_bw -c UC"
    refuse_pairs "has no shared receive queues" "ib_send_bw --use-srq"
    as irdma-gen3
    every_verb_over_rc
    atomics
    run_all "ib_send_bw -c UD" "ib_send_bw --use-srq" "ib_write_lat -s 200 -I 200"
}

@test "as iWARP adapters" {
    local profile
    for profile in irdma-iwarp cxgb4 erdma; do
        as "$profile"
        server_args=(-R)
        run_all "ib_write_bw -R"
        server_args=()
        [[ $profile == erdma ]] || no_atomics
        refuse_all "can only be connected with rdma_cm" "ib_write_bw" "ib_send_lat"
        refuse_all "only RC" "ib_send_bw -c UD -R"
    done
}

# Whose drivers refuse a queue pair without receives, and have no shared receive queues for it either.
@test "ionic and ERDMA send to a peer with a shared receive queue" {
    local devices
    for devices in "bnxt_re ionic" "cxgb4 erdma -R"; do
        # shellcheck disable=SC2086 # words
        set -- $devices
        as "$1"
        start_server ib_send_bw --use-srq "${@:3}"
        as "$2"
        start_client ib_send_bw --use-srq -n 100 "${@:3}"
        finish client
        finish server
        expect_status client 0
        expect_status server 0
        expect_rows client 1
    done
}

@test "as hns" {
    as hns
    every_verb_over_rc
    atomics
    run_all "ib_send_bw -c UD" "ib_send_bw -c XRC" "ib_send_bw --use-srq" "ib_write_lat -s 512 -I 512 -m 256" \
        "ib_send_bw -s 512 -I 512 -m 256 -c XRC"
    refuse_all "does not support UC" "ib_write_bw -c UC"
    as hns-hip08
    every_verb_over_rc
    run_all "ib_write_lat -s 64 -I 64" "ib_send_bw --use-srq"
    refuse_all "does not support UD, only RC" "ib_send_bw -c UD"
    refuse_all "has no XRC" "ib_send_bw -c XRC"
}

@test "as hns: no more inline data than the path's MTU, whether the peer or rdma_cm limits it" {
    in_front_build as_smaller_path
    in_front_of as_smaller_path
    as hns
    good_pair ib_write_lat -n 20 -s 512 -I 512 -m 256
    expect_output client 'Max inline data *: 256\[B\]'
    expect grep -q 'warning: soft0 sends at most 256 bytes inline, the path MTU, not the 512 of --inline_size' client.err
    under=("${in_front[@]}")
    server_args=(-R)
    good_pair ib_write_lat -n 20 -s 512 -I 512 -R --verbose
    expect_output client 'Mtu *: 256\[B\]'
    expect_output client 'Max inline data *: 256\[B\]'
    expect grep -q "MTU: 256 bytes, the path's; this side could do 4096" client.err
    under=()
    server_args=()
    good_pair ib_write_lat -n 20 -s 32 -m 256 # which asks for no more by itself
    expect test -z "$(grep inline_size client.err)"
}

@test "as mana, ionic and qedr" {
    as mana
    every_verb_over_rc
    good_pair ib_send_bw -q 64 -n 512 -s 64 # 64 times the default depth would not fit into a completion queue
    no_atomics
    refuse_all "only RC" "ib_send_bw -c UD"
    as ionic
    every_verb_over_rc
    atomics
    run_all "ib_send_bw -c UD" "ib_write_bw --no_lock"
    as qedr
    every_verb_over_rc
    atomics
    run_all "ib_send_bw -c XRC" "ib_write_lat -c XRC"
    expect_output client 'Max inline data *: 0\[B\]' # its library crashes on inline data there
    refuse_all "only RC" "ib_send_bw -c UD"
}

@test "on mana nothing is said to be inline" {
    as mana
    good_pair ib_send_lat -n 100
    expect grep -q '^ *Max inline data *: 0\[B\]' client.out
    good_pair ib_write_lat -n 100 -I 64
    expect grep -q '^ *Max inline data *: 0\[B\]' client.out
    expect grep -q 'warning: soft0 sends at most 0 bytes inline, not the 64 of --inline_size' client.err
}

@test "an unknown profile is refused, with the list of those that exist" {
    as mlx6
    run_alone ib_write_bw -d soft0
    expect_status alone 1
    expect grep -q 'profile=mlx6: the profiles are mlx5, efa, bnxt_re, irdma, irdma-gen3, irdma-iwarp' alone.err
}

@test "the device says which profile it has" {
    as hns
    documents ib_write_bw -n 100
    expect [ "$(query client.json '.. | .firmware_version? // empty' | head -n 1)" = "perftest-soft as hns" ]
}
