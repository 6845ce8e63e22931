#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Do programs that connect with rdma_cm run on the software device? The librdmacm examples of rdmacm-utils, rsockets,
# qperf, libfabric, the distribution's perftest, and -R, -z and cmtime of this suite: all over the distribution's own
# librdmacm.

load helpers
load foreign

server_bound() {
    bound "${pids[server]}"
}

cm_server() { # PROGRAM OPTIONS
    installed "$1"
    launch server "$run_soft" "/usr/bin/$1" "${@:2}"
    await server server_bound
}

# A server and a client of an installed program; both must end well.
cm_pair() { # SERVER_WORDS -- CLIENT_WORDS
    local -a server=()
    while [[ $1 != -- ]]; do
        server+=("$1")
        shift
    done
    shift
    cm_server "${server[@]}"
    launch client "$run_soft" "/usr/bin/$1" "${@:2}"
    finish client
    expect_status client 0
}

# A server that never ends by itself is killed, and another process tidies behind it, as with every death.
dismiss() {
    kill_hard "${pids[server]}" 2>/dev/null || true # newer ones may have ended
    finish server
    "$run_soft" ibv_devinfo -d soft0 >/dev/null
}

ends_well() {
    finish server
    expect_status server 0
}

# --- rdmacm-utils ---

# rping of rdma-core 44 destroys its event channel while its thread may be about to call rdma_get_cm_event() again. The
# thread then ends the program with -1, after the last ping, and main() ends it too, so that perhaps nobody tidies. Newer
# versions join the thread first.
pings_twenty_times() { # ADDRESS
    launch client "$run_soft" /usr/bin/rping -c -a "$1" -C 20 -V -v
    finish client
    if ((client_status == 255)) && [[ $(<client.err) == 'rdma_get_cm_event: Bad file descriptor' ]]; then
        "$run_soft" ibv_devinfo -d soft0 >/dev/null
    else
        expect_status client 0
    fi
    [ "$(grep -c '^ping data: rdma-ping' client.out)" -eq 20 ]
}

@test "rping: the data is checked" {
    cm_server rping -s -a 127.0.0.1 -C 20 -V
    pings_twenty_times 127.0.0.1
    ends_well
}

@test "rping: a persistent server takes two clients" {
    cm_server rping -s -P -a 0.0.0.0 -V
    pings_twenty_times 127.0.0.1
    pings_twenty_times 192.0.2.2
    expect alive server
    dismiss
}

@test "rping: nobody listens" {
    installed rping
    run_alone "$run_soft" rping -c -a 127.0.0.1 -C 1
    [ "$status" -ne 0 ]
    grep -q 'REJECTED, error 8' alone.err alone.out
    # Two of its threads call exit() then, and now and then nobody tidies: another process does.
    "$run_soft" ibv_devinfo -d soft0 >/dev/null
}

@test "ucmatose: 100 connections" {
    cm_pair ucmatose -c 100 -- ucmatose -c 100 -s 127.0.0.1
    ends_well
}

@test "ucmatose: ids migrate to another channel" {
    cm_pair ucmatose -c 10 -m -- ucmatose -c 10 -m -s 127.0.0.1
    ends_well
}

@test "udaddy" {
    cm_pair udaddy -c 10 -- udaddy -c 10 -s 127.0.0.1
    ends_well
}

# Each receiver's process has a mark in the runtime folder once it is in a group.
joined() { # COUNT
    local marks
    marks=$(find "$XDG_RUNTIME_DIR" -name 'multicast-*' | wc -l)
    ((marks == $1))
}

@test "mckey: two receivers of a group, and a third of another" {
    local group
    installed mckey
    for group in 224.0.55.1 ff0e::55:1; do
        launch first "$run_soft" /usr/bin/mckey -m "$group" -b 192.0.2.1 -C 20 -S 500
        launch second "$run_soft" /usr/bin/mckey -m "$group" -b 192.0.2.2 -C 20 -S 500
        launch other "$run_soft" /usr/bin/mckey -m 239.9.9.9 -b 192.0.2.1 -C 1
        await first joined 3
        run_alone "$run_soft" mckey -m "$group" -b 192.0.2.1 -s -C 20 -S 500
        [ "$status" -eq 0 ]
        finish first
        expect_status first 0
        finish second
        expect_status second 0
        expect alive other
        kill_hard "${pids[other]}"
        finish other
        "$run_soft" ibv_devinfo -d soft0 >/dev/null
        joined 0
    done
}

@test "rdma_server and rdma_client" {
    cm_pair rdma_server -- rdma_client -s 127.0.0.1
    ends_well
}

@test "rdma_xserver and rdma_xclient" {
    cm_pair rdma_xserver -- rdma_xclient -s 127.0.0.1
    ends_well
}

@test "rdma_xserver and rdma_xclient: XRC" {
    cm_pair rdma_xserver -c x -- rdma_xclient -c x -s 127.0.0.1
    ends_well
}

@test "cmtime of rdma-core" {
    installed cmtime
    if ! /usr/bin/cmtime -h 2>&1 | grep -q -- '-C controller'; then
        cm_pair cmtime -c 50 -- cmtime -c 50 -s 127.0.0.1
        expect_output client '^disconnect'
        dismiss
        return
    fi
    # newer ones have a controller
    launch server "$run_soft" /usr/bin/cmtime -C 127.0.0.1 -p "$port" -b 127.0.0.1 -c 50 -L
    await server listening server
    launch client "$run_soft" /usr/bin/cmtime -C 127.0.0.1 -p "$port" -b 127.0.0.1 -c 50
    finish client
    expect_status client 0
    expect_output client '^ *disconnect'
    finish server
    expect_status server 0
}

@test "rcopy: the copy is the file" {
    cm_pair rcopy -- rcopy /bin/bash "127.0.0.1:$BATS_TEST_TMPDIR/copy"
    cmp /bin/bash copy
    dismiss
}

@test "rstream: blocking, streams checked" {
    cm_pair rstream -S 4096 -C 100 -I 1 -T b -T v -- rstream -s 127.0.0.1 -S 4096 -C 100 -I 1 -T b -T v
    ends_well
}

# (-T a takes the other side's end for an error when it comes with the last data.)
@test "rstream: without blocking, addresses resolved by rdma_cm" {
    cm_pair rstream -S 64 -C 100 -I 1 -T n -T r -- rstream -s 127.0.0.1 -S 64 -C 100 -I 1 -T n -T r
    ends_well
}

@test "riostream" {
    cm_pair riostream -S 4096 -C 100 -I 1 -- riostream -s 127.0.0.1 -S 4096 -C 100 -I 1
    ends_well
}

# --- other packages ---

@test "qperf -cm1" {
    installed qperf
    launch server "$run_soft" /usr/bin/qperf -lp "$port"
    await server listening server
    launch client "$run_soft" /usr/bin/qperf -lp "$port" -cm1 -t 1 127.0.0.1 rc_lat rc_bw rc_rdma_write_bw
    finish client
    expect_status client 0
    [ "$(grep -cE 'latency|bw' client.out)" -ge 3 ]
}

fabric() { # ENDPOINT_TYPE
    installed fi_pingpong
    getent hosts localhost >/dev/null || skip "no address of localhost, which libfabric asks for"
    launch server "$run_soft" /usr/bin/fi_pingpong -B "$port" -p verbs -e "$1" -c
    await server listening server
    launch client "$run_soft" /usr/bin/fi_pingpong -P "$port" -p verbs -e "$1" -c 127.0.0.1
    finish client
    finish server
    expect_status client 0
    expect_status server 0
}

@test "fi_pingpong over verbs, connected, data checked" { fabric msg; }
@test "fi_pingpong over verbs, datagrams, data checked" { fabric dgram; }

foreign() { # OPTIONS_AND_PROGRAM
    installed "$1"
    launch server "$run_soft" "/usr/bin/$1" -p "$port" "${@:2}"
    await server bound "${pids[server]}" "$port/"
    launch client "$run_soft" "/usr/bin/$1" -p "$port" "${@:2}" 127.0.0.1
    finish client
    finish server
    expect_status client 0
    expect_status server 0
    expect_rows client 1
}

@test "Debian's ib_write_bw -R" { foreign ib_write_bw -R -F -n 1000; }
@test "Debian's ib_send_lat -R" { foreign ib_send_lat -R -F -n 1000; }
@test "Debian's ib_send_bw -R -c UD" { foreign ib_send_bw -R -c UD -s 1024 -F -n 1000; }
@test "Debian's ib_read_bw -R -q 4" { foreign ib_read_bw -R -q 4 -F -n 1000; }
@test "Debian's ib_atomic_bw -z" { foreign ib_atomic_bw -z -F -n 1000; }

# --- this suite ---

@test "-R: every program" {
    local program
    for program in ib_{send,write,read,atomic}_{bw,lat}; do
        good_pair "$program" -R -n 500
        expect_rows client 1
        expect_output client 'rdma_cm QPs.*: ON'
    done
}

@test "-R: what both devices have beyond the specification travels with the connection (ECE)" {
    server_args=(--verbose)
    good_pair ib_write_bw -R -q 4 -n 500 --verbose
    for side in client server; do
        expect [ "$(grep -c 'enhanced connection establishment: both devices have the options 0x1 of vendor 0x504654$' $side.err)" = 1 ]
    done
}

@test "-R: datagrams, both directions" {
    good_pair ib_send_bw -R -c UD -s 1024 -b -q 4 -n 500
    good_pair ib_send_lat -R -c UD -n 500
}

@test "-R: the address decides, and no preference for IPv6" {
    good_pair ib_write_bw -R --ipv6 -n 500
    expect grep -q -- '--ipv6 have no effect with -R' client.err
}

@test "-R: the other device, by name and by its address" {
    server_args=(-d soft1)
    good_pair ib_read_bw -d soft1 -R -n 500
    expect_output client 'soft1'
}

# The server's own device is there for the next client.
@test "-R: an address of another device than the sides have opened" {
    start_server ib_read_bw -R --keep_serving
    for of in soft1:192.0.2.2 soft0:127.0.0.1 soft1:192.0.2.2; do
        launch client "${under[@]}" "$(program ib_read_bw)" -R -p "$port" -n 100 "${of#*:}"
        finish client
        expect_status client 0
        expect_output client "Device +: ${of%:*}\$"
    done
    await server waits_again
    kill -INT "${pids[server]}"
    finish server
    expect_status server 0
}

@test "-R: many queue pairs, data checked" {
    good_pair ib_write_bw -R -q 16 -s 4K -n 64 --data_validation
}

@test "-z: the side channel goes by rdma_cm" {
    good_pair ib_send_bw -z -n 500
    expect_output client 'Data ex. method.*rdma_cm'
}

@test "-R: with Debian's perftest, both roles" {
    installed ib_write_bw
    launch server "$run_soft" /usr/bin/ib_write_bw -R -F -p "$port" -n 1000
    await server bound "${pids[server]}" "$port/"
    start_client ib_write_bw -R -n 1000
    finish client
    finish server
    expect_status client 0
    expect_status server 0
    start_server ib_send_bw -R -n 1000
    launch client "$run_soft" /usr/bin/ib_send_bw -R -F -p "$port" -n 1000 127.0.0.1
    finish client
    finish server
    expect_status client 0
    expect_status server 0
}

@test "-R: a server that is killed is missed" {
    start_server ib_write_bw -R
    start_client ib_write_bw -R --run_infinitely -D 1
    await client said client '^ 65536'
    kill_hard "${pids[server]}"
    finish client
    finish server
    [ "$client_status" -eq 1 ]
    "$run_soft" ibv_devinfo -d soft0 >/dev/null # tidies behind it
}

# bats test_tags=quick
@test "cmtime over rdma_cm" {
    launch server "$PERFTEST_BUILD/cmtime" -p "$port" -C 127.0.0.1 -b 127.0.0.1 -n 50 -L
    launch client "$PERFTEST_BUILD/cmtime" -p "$port" -C 127.0.0.1 -b 127.0.0.1 -n 50
    finish client
    finish server
    expect_status client 0
    expect_status server 0
    expect_output client '^establish'
}

# They are not among the host's, but rping and ucmatose bind to them, too.
@test "cmtime with the addresses of soft0 and soft1" {
    launch server "$PERFTEST_BUILD/cmtime" -p "$port" -C 127.0.0.1 -b 192.0.2.1 -n 50 -L --out_json_file=server.json
    await server listening server
    launch client "$PERFTEST_BUILD/cmtime" -p "$port" -C 127.0.0.1 -b 192.0.2.2 -n 50 --out_json_file=client.json
    finish client
    finish server
    expect_status client 0
    expect_status server 0
    expect_output client '^establish'
    expect [ "$(query client.json '.peer | [(.address | sub(":.*"; "")), .device.name, .device.software, .device.provider_library]' | jq -c .)" = \
        '["192.0.2.1","soft0",true,"libperftest_soft.so"]' ]
    expect [ "$(query client.json '.peer.device | del(.memory)')" = "$(query server.json .device)" ]
    expect_schema client.json
}

# Two network namespaces on one wire, 10.9.0.1 and 10.9.0.2, which last as long as a process in each.
two_networks_or_skip() {
    ((EUID == 0)) || skip "only root makes network namespaces"
    unshare -n true 2>/dev/null || skip "no network namespace is allowed here"
    launch_network near
    launch_network far
    inside_near=(nsenter -n -t "${pids[near]}")
    inside_far=(nsenter -n -t "${pids[far]}")
    "${inside_near[@]}" ip link add veth0 type veth peer name veth1 netns "${pids[far]}" 2>/dev/null ||
        skip "no veth pair can be made here"
    "${inside_near[@]}" ip addr add 10.9.0.1/24 dev veth0
    "${inside_far[@]}" ip addr add 10.9.0.2/24 dev veth1
    "${inside_near[@]}" ip link set veth0 up
    "${inside_far[@]}" ip link set veth1 up
}

@test "cmtime: a server on another host is named at the first attempt" {
    two_networks_or_skip
    launch server "${inside_far[@]}" "$PERFTEST_BUILD/cmtime" -p "$port" -C 10.9.0.2 -b 10.9.0.2 -n 1 -L
    launch client "${inside_near[@]}" "$PERFTEST_BUILD/cmtime" -p "$port" -C 10.9.0.2 -b 10.9.0.1 -n 1
    finish client
    expect_status client 1
    [ "$(grep -c '10.9.0.2 is not an address of this host' client.err)" -eq 1 ]
    expect_error client 'it is on another host, which the software device cannot reach'
    finish server
    expect_status server 1
}

@test "an address of another host is refused in words, at the first attempt" {
    local with
    for with in -R -z; do
        run_alone ib_write_bw "$with" -p "$port" 198.51.100.7
        expect_status alone 1
        [ "$(grep -c '198.51.100.7 is not an address of this host' alone.err)" -eq 1 ]
        expect_error alone 'cannot connect with rdma_cm to 198.51.100.7 port [0-9]+: it is on another host, which the software device cannot reach$'
    done
}
