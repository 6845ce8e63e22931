#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# --mac_fwd of raw_ethernet_bw over a veth pair: what the server sends back, what each side counts, and a side that
# exits.
# bats file_tags=slow

load helpers
load foreign
load veth
load raw_sides

# The server needs no address of the other side: it answers whom it hears.
begin_forwarder() { # OPTIONS...
    launch server "${inside[@]}" env PERFTEST_SOFT=if=veth0 "$(program raw_ethernet_bw)" -d soft0 --server --mac_fwd -B "$near" "$@"
    await server listens veth0
}

@test "frames come back as they went, with their MAC addresses swapped; both sides count them" {
    veth_pair
    watch_frames "$near"
    begin_forwarder -n 20 -s 204 --vlan_en "${ip4[@]}" "${ports[@]}" -q 2
    begin_client raw_ethernet_bw --mac_fwd -n 20 -s 204 --vlan_en "${ip4[@]}" "${ports[@]}" -q 2
    good_end
    captured 40
    no_faults
    [ "$(seen "eth.src == $near" eth.dst frame.len ip.src ip.dst vlan.id udp.checksum.status | sort -u | tr '\t' ' ')" = \
        "$far 200 10.0.0.2 10.0.0.1 1 1" ]
    [ "$(seen "eth.src == $near" udp.srcport udp.dstport | sort | uniq -c | awk '{ print $2 ">" $3 ":" $1 }' | tr '\n' ' ')" = \
        "2000>1000:20 2001>1001:20 " ]
    expect_output client '^ *204 +40 '
    expect_output server '^ *204 +40 '
    expect_output server ' sent frames: those received, their MAC addresses swapped'
    refute_lost
}

refute_lost() {
    expect [ -z "$(grep lost client.err server.err)" ]
}

@test "more frames than the queues hold, with events, and by time" {
    veth_pair
    begin_forwarder -n 3000 -s 512 -r 16 -e --timeout 2 --out_json_file=run.json
    begin_client raw_ethernet_bw -b -n 3000 -s 512 --timeout 2
    good_end
    # Where a side is kept from running for long, frames are lost, and counted as such.
    [ "$(query run.json '.measurements[0] | .iterations + .lost')" = 3000 ]
    begin_forwarder -D 1 -f 0 -s 512 --report_interval=0.5 --out_json_file=run.json
    begin_client raw_ethernet_bw -v -D 1 -f 0 -s 512
    good_end
    [ "$(query run.json '[.measurements[] | select(.kind == "interval") | .iterations] | add')" = \
        "$(query run.json '.measurements[-1].iterations')" ]
    holds "($(query run.json ".measurements[-1].elapsed_seconds") - 1) ^ 2 < 1e-12"
    expect_schema run.json
}

@test "with the distribution's program as the client" {
    veth_pair
    installed raw_ethernet_bw
    begin_forwarder -n 500 -s 256
    begin_client /usr/bin/raw_ethernet_bw -b -n 500 -s 256
    good_end
    expect_output server '^ *256 +500 '
}

@test "frames of another length, a client that dies, and Ctrl-C" {
    veth_pair
    begin_forwarder -n 100 -s 128
    begin_client raw_ethernet_bw -v -n 100 -s 256 --timeout 1
    finish server
    expect_status server 1
    expect_error server 'frames of 256 bytes arrive, but this side was given 128'
    finish client
    expect_status client 1
    expect_error client 'sent only 0 of 100 messages of 256 bytes'
    begin_forwarder -n 100000000 -s 128 --timeout 1
    begin_client raw_ethernet_bw -v -n 100000000 -s 128
    await client frames_pass
    kill_hard "${pids[client]}"
    finish client
    finish server
    expect_status server 0
    expect_output server '^ *128 +[1-9][0-9]* '
    expect grep -q 'warning: [0-9]+ of 100000000 messages of 128 bytes were lost' -E server.err
    begin_forwarder -D 100
    kill -INT "${pids[server]}"
    finish server
    expect_status server 130
}

@test "what cannot be forwarded is refused" {
    refuses() { # PATTERN OPTIONS...
        run_alone raw_ethernet_bw --server --mac_fwd -B 02:00:00:00:00:0b "${@:2}"
        [ "$status" -eq 2 ]
        expect_error alone "$1"
    }
    refuses 'works in one direction only' -J 10.0.0.1 -j 10.0.0.2 -K 1 -k 2 --flows 2
    refuses 'works in one direction only' -J 239.1.1.1 --raw_mcast
    refuses 'rate_limit in software cannot be combined with -b' --rate_limit 1
    run_alone raw_ethernet_lat --server -v -B "$near" -E "$far"
    [ "$status" -eq 2 ]
    expect_error alone 'is for raw Ethernet bandwidth tests'
}
