#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# raw_ethernet_* with --side_channel: frames over a veth pair, the connection over the loopback of its namespace.
# bats file_tags=slow

load helpers
load foreign
load veth
load raw_sides

channel() {
    veth_pair
    "${inside[@]}" ip link set lo up
}

# A client that waits for its server.
begin_meeting() { # PROGRAM "SERVER OPTIONS" CLIENT OPTIONS...
    # shellcheck disable=SC2086 # options are words
    start_side server veth0 "$near" "$far" "$1" --side_channel --timeout 20 $2
    begin_client "$1" --side_channel --retry 30 --timeout 20 "${@:3}" localhost
}

meet() { # PROGRAM "SERVER OPTIONS" CLIENT OPTIONS...
    begin_meeting "$@"
    good_end
}

# Both sides refuse; the server says REASON to its client.
disagree() { # REASON PROGRAM "SERVER OPTIONS" CLIENT OPTIONS...
    begin_meeting "${@:2}"
    finish client
    finish server
    expect_status client 1
    expect_status server 1
    expect_error client "the server \(127\.0\.0\.1:[0-9]+\) refuses: $1"
    expect_error server "client 127\.0\.0\.1:[0-9]+: $1"
}

@test "--side_channel: a bare server takes its client's options, the headers of the frames among them" {
    channel
    meet raw_ethernet_bw "" -n 2000 -s 512 -q 2 "${ip4[@]}" "${ports[@]}" --vlan_pcp 5
    expect_output client '^ *512 +4000 '
    expect_output server '^ *512 +4000 '
    expect_output server 'received frames: .*VLAN 1 priority [0-9], IPv4 10.0.0.2 > 10.0.0.1, UDP '
    meet raw_ethernet_lat "" -n 300 -s 100 --latency_gap 100
    expect_output client '^ *100 +300 '
    expect_output server '^ *100 +300 '
    meet raw_ethernet_bw "-p 7000" -p 7000 -D 1 -s 200 --reversed -J 10.0.0.1 -j 10.0.0.2
    expect_output server '^ sent frames: .*IPv4 10.0.0.1 > 10.0.0.2'
    expect_output client '^ *200 +[1-9][0-9]+ '
    meet raw_ethernet_bw "" -n 500 -s 200 --mac_fwd
    expect_output client '^ *200 +500 '
}

@test "--side_channel: each size by itself, in both directions, repeated, and in bursts" {
    channel
    meet raw_ethernet_bw "--out_json_file=server.json" -n 500 --sizes=64:1024:*4 -b --repeat=2 --out_json_file=client.json
    for side in client server; do
        expect [ "$(query $side.json '[.measurements[] | "\(.size_bytes):\(.iterations)"] | join(" ")')" = "64:1000 256:1000 1024:1000" ]
    done
    expect_schema client.json server.json
    meet raw_ethernet_lat "" -n 200 --until=40 --max_repeats=10
    expect_rows client 1
    meet raw_ethernet_burst_lat "" -n 640 --burst_size=32 --reply_every=4 --sizes=64:128:*2 --repeat=3
    expect_rows client 2
    expect_output client '^ *64 +480 '
    expect_output client '^ *128 +480 '
    expect_rows server 0
    begin_meeting raw_ethernet_bw --keep_serving -n 100
    finish client
    expect_status client 0
    begin_client raw_ethernet_bw --side_channel -n 100 localhost
    finish client
    expect_status client 0
    kill "${pids[server]}"
    finish server
}

@test "--side_channel: both sides know what was lost, and the client compares it with its limit" {
    local lost
    channel
    make_lossy
    start_side server veth0 "$near" "$far" raw_ethernet_bw --side_channel --out_json_file=server.json -y 1000
    start_lossy client 10 raw_ethernet_bw --side_channel --retry 30 -n 2000 -s 200 --out_json_file=client.json -y 1000 localhost
    finish client
    finish server
    # each side has a limit of its own
    expect_status client 3
    expect_status server 3
    lost=$(query client.json '.measurements[0].lost')
    # the warm-up has frames, too
    expect holds "$lost >= 199 and $lost <= 201"
    expect [ "$(query server.json '.measurements[0] | "\(.lost) \(.iterations)"')" = "$lost $((2000 - lost))" ]
    expect grep -q "warning: $lost of 2000 messages of 200 bytes were lost on the way to the peer" client.err
}

@test "--side_channel: --explain has both sides, and the documents one run and each other's provenance" {
    local program part
    channel
    for program in raw_ethernet_bw raw_ethernet_lat raw_ethernet_burst_lat; do
        meet $program "--out_json_file=server.json" -n 3000 --explain --out_json_file=client.json
        expect_schema client.json server.json
        for part in .run_id '[.explanation.causes[] | "\(.cause), \(.where)"] | sort'; do
            expect [ "$(query client.json "$part")" = "$(query server.json "$part")" ]
        done
        expect [ "$(jq -s '.[0].explanation.remote == .[1].explanation.local and .[1].explanation.remote == .[0].explanation.local' \
            client.json server.json)" = true ]
        expect [ "$(query client.json '.run_id != null and .peer.host != null and .peer.build.program_version != ""')" = true ]
        refuse_output client 'The other side cannot tell'
    done
}

@test "--side_channel: sides that disagree" {
    local rule='--dest_ip is not given on the client and 10\.0\.0\.3 on the server'
    channel
    disagree "$rule" raw_ethernet_bw "-J 10.0.0.3 -j 10.0.0.4"
    disagree '--size is 200 on the client and 300 on the server' raw_ethernet_bw "-s 300" -s 200
    disagree '--reply_every is 1 on the client and 3 on the server' raw_ethernet_burst_lat "--reply_every 3"
    start_side server veth0 "$near" "$far" raw_ethernet_lat --side_channel
    start_side client veth1 "$far" "$near" raw_ethernet_bw --side_channel --retry 30 localhost
    finish client
    finish server
    expect_status client 1
    expect_error client 'the server runs raw_ethernet_lat and the client raw_ethernet_bw'
    # one of another program, and one that has no such connection
    start_side server veth0 "$near" "$far" raw_ethernet_bw --side_channel
    launch client "${inside[@]}" "$(program ib_send_bw)" -d soft0 --retry 30 localhost
    finish client
    finish server
    expect_status client 1
    expect_error client 'refuses: --server \(-Z\) is for raw Ethernet tests'
    installed ib_send_bw
    launch server "${inside[@]}" "$run_soft" /usr/bin/ib_send_bw -d soft0
    begin_client raw_ethernet_bw --side_channel --retry 30 localhost
    finish client
    finish server
    expect_status client 1
    expect_error client 'is linux-rdma perftest, whose raw Ethernet programs have no side channel'
}

@test "--side_channel: a peer that dies is reported at once, in one line, and one that lies" {
    local peer="$PERFTEST_TOP/tests/cli/native_peer"
    channel
    begin_meeting raw_ethernet_lat "" -n 100000000
    await client frames_pass
    kill_hard "${pids[client]}"
    finish client
    finish server
    expect_status server 1
    expect_error server 'the client 127\.0\.0\.1:[0-9]+ closed the connection|the client \(127\.0\.0\.1:[0-9]+\) closed the connection'
    # with counters that begin at 0
    "${inside[@]}" ip link del veth0
    make_link
    begin_meeting raw_ethernet_bw "" -D 100
    await client frames_pass
    kill_hard "${pids[server]}"
    finish server
    finish client
    expect_status client 1
    expect_error client 'closed the connection'
    start_side server veth0 "$near" "$far" raw_ethernet_bw --side_channel
    await server said server 'Waiting for client'
    launch client "${inside[@]}" "$peer" -p 18515 --program raw_ethernet_bw greet "hello=dest_ip=,dest_ip=1" hold 127.0.0.1
    finish server
    finish client
    expect_status server 1
    expect_error server "the client's option '--dest_ip' came twice|--dest_ip came twice"
    start_side server veth0 "$near" "$far" raw_ethernet_bw --side_channel
    await server said server 'Waiting for client'
    launch client "${inside[@]}" "$peer" -p 18515 --program raw_ethernet_bw greet hello=iters=1000 barrier=1 round=0,1 done=0 \
        clock barrier=16 done=1000 result=1518,18446744073709551615,1 hold 127.0.0.1
    finish server
    finish client
    expect_status server 1
    expect_error server 'sent a message that cannot be true, its result'
}
