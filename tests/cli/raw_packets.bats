#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Do the distribution's raw Ethernet programs run on the software device, unmodified, over a veth pair?
# tests/unit/test_soft_raw.c checks the frames themselves.

load helpers
load foreign
load veth

# Both sides of a program; each has what the other one's frames are addressed to.
raw_pair() { # PROGRAM OPTIONS...
    installed "$1"
    launch server "${inside[@]}" env PERFTEST_SOFT=if=veth0 "$run_soft" "/usr/bin/$1" -d soft0 --server \
        -B "$near" -E "$far" "${@:2}"
    await server listens veth0
    launch client "${inside[@]}" env PERFTEST_SOFT=if=veth1 "$run_soft" "/usr/bin/$1" -d soft0 --client \
        -B "$far" -E "$near" "${@:2}"
    finish client
    expect_status client 0
    finish server
    expect_status server 0
}

@test "raw_ethernet_lat: MAC, UDP over IPv4, and a VLAN" {
    veth_pair
    raw_pair raw_ethernet_lat -n 500 -s 64
    expect_output client '^ *64 +500 '
    raw_pair raw_ethernet_lat -n 500 -s 128 -J 10.0.0.1 -j 10.0.0.2 -K 1000 -k 1000
    expect_output server '^ *128 +500 '
    raw_pair raw_ethernet_lat -n 500 -s 1500 --vlan_en -J 10.0.0.1 -j 10.0.0.2 -K 1000 -k 1000 --tcp
    expect_output client '^ *1500 +500 '
}

@test "raw_ethernet_bw: every frame arrives, also those that the receiver has not posted for yet" {
    veth_pair
    raw_pair raw_ethernet_bw -n 5000 -s 1024
    expect_output client '^ *1024 +5000 '
    expect_output server '^ *1024 +5000 '
}

@test "raw_ethernet_bw: both directions, by time" {
    veth_pair
    raw_pair raw_ethernet_bw -b -D 1 -s 256
    expect_output client '^ *256 +[1-9][0-9]+ '
}

@test "raw_ethernet_fs_rate: rules are made and taken back" {
    veth_pair
    installed raw_ethernet_fs_rate
    under=("${inside[@]}" env PERFTEST_SOFT=if=veth0)
    run_alone "$run_soft" /usr/bin/raw_ethernet_fs_rate -d soft0 --server \
        -B "$near" -E "$far" -J 10.0.0.1 -j 10.0.0.2 -K 1000 -k 2000 -n 200
    [ "$status" -eq 0 ]
    grep -qE '^200 +[0-9.]+' alone.out
}

# As on any device: it asks for a limit of the rate that its own check refuses to a latency test.
@test "raw_ethernet_burst_lat: starts no further than its own options let it" {
    veth_pair
    installed raw_ethernet_burst_lat
    under=("${inside[@]}" env PERFTEST_SOFT=if=veth0)
    run_alone "$run_soft" /usr/bin/raw_ethernet_burst_lat -d soft0 --server \
        -B "$near" -E "$far" -n 100
    [ "$status" -ne 0 ]
    grep -q "Rate limiter cann't be executed" alone.out alone.err
}

@test "without an interface, and without CAP_NET_RAW: one line" {
    veth_pair
    installed raw_ethernet_lat
    under=("${inside[@]}")
    run_alone "$run_soft" /usr/bin/raw_ethernet_lat -d soft0 --server -B "$near" -E "$far"
    [ "$status" -ne 0 ]
    [ "$(grep -c '^perftest-soft: raw packets need a network interface: select one with PERFTEST_SOFT=if=NAME$' alone.err)" -eq 1 ]
    under+=(setpriv --bounding-set -net_raw --inh-caps -net_raw env PERFTEST_SOFT=if=veth0)
    run_alone "$run_soft" /usr/bin/raw_ethernet_lat -d soft0 --server -B "$near" -E "$far"
    [ "$status" -ne 0 ]
    [ "$(grep -c '^perftest-soft: raw packets on veth0 need CAP_NET_RAW: ' alone.err)" -eq 1 ]
}
