#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# raw_ethernet_bw and raw_ethernet_lat over a veth pair: with each other, with the distribution's programs on either
# side, and checked by tshark, which decodes each frame on the interface.
# bats file_tags=slow

load helpers
load foreign
load veth
load raw_sides

@test "frames of Ethernet alone: type or length, and a VLAN" {
    veth_pair
    frames_are 60 "eth.dst eth.len" "$near 46" -s 64
    frames_are 1514 "eth.dst eth.type" "$near 0x88b5" -Y 0x88b5
    frames_are 200 "vlan.id vlan.priority vlan.etype" "1 1 0x88b5" -s 204 --vlan_en --ethertype 0x88b5
    frames_are 200 "vlan.id vlan.priority vlan.len" "1 5 182" -s 204 --vlan_pcp 5
}

@test "frames of IPv4: lengths, checksums, TOS and TTL; UDP and TCP" {
    veth_pair
    frames_are 96 "ip.len ip.ttl ip.dsfield ip.checksum.status ip.src ip.dst" "82 64 0x00 1 10.0.0.2 10.0.0.1" \
        -s 100 "${ip4[@]}" --ethertype 0x0800
    frames_are 96 "ip.len ip.ttl ip.dsfield udp.length udp.checksum.status udp.dstport udp.srcport" \
        "82 9 0x60 62 1 1000 2000" -s 100 "${ip4[@]}" "${ports[@]}" -L 9 -T 96
    frames_are 96 "ip.src ip.dst" "0.0.0.0 10.0.0.1" -s 100 -J 10.0.0.1
    frames_are 97 "ip.len tcp.len tcp.checksum.status tcp.dstport" "83 43 1 1000" -s 101 "${ip4[@]}" "${ports[@]}" --tcp
    frames_are 1514 "vlan.priority ip.len udp.length udp.checksum.status" "1 1496 1476 1" \
        --vlan_en "${ip4[@]}" "${ports[@]}"
}

# bats test_tags=long
@test "frames of IPv6: lengths, checksums, class, flow label and hop limit; UDP and TCP" {
    veth_pair
    frames_are 200 "ipv6.plen ipv6.hlim ipv6.nxt ipv6.dst" "146 64 59 fd00::1" -s 204 "${ip6[@]}"
    frames_are 200 "ipv6.plen ipv6.hlim ipv6.tclass ipv6.flow udp.length udp.checksum.status" \
        "146 7 0x00000020 0x012345 146 1" -s 204 "${ip6[@]}" "${ports[@]}" -L 7 -T 32 --flow_label 0x12345
    frames_are 199 "ipv6.plen tcp.len tcp.checksum.status" "141 121 1" -s 203 --vlan_en "${ip6[@]}" "${ports[@]}" --tcp
}

@test "a list of flow labels: queue pairs take them in turn" {
    veth_pair
    watch_frames "$far"
    pair raw_ethernet_bw -n 20 -s 200 -q 3 "${ip6[@]}" "${ports[@]}" -L 9 --flow_label 5,0xfffff
    captured 60
    no_faults
    [ "$(seen "eth.src == $far" ipv6.flow ipv6.hlim | sort | uniq -c | awk '{ print $2 ":" $3 ":" $1 }' | tr '\n' ' ')" = \
        "0x000005:9:40 0x0fffff:9:20 " ]
}

@test "a frame has room for its headers: the shortest one, and none above the MTU" {
    veth_pair
    frames_are 78 "ipv6.plen tcp.len tcp.checksum.status" "20 0 1" -s 64 --vlan_en "${ip6[@]}" "${ports[@]}" --tcp
    expect grep -q 'warning: a frame with these headers cannot have -s 64 bytes' client.err
    frames_are 396 "eth.len" "382" -m 400
    frames_are 1514 "eth.len" "1500" -m 9000 -s 9000
    expect grep -q ' to 1518 (IEEE 802.3, without --ethertype): using 1518' client.err
    start_side client veth1 "$far" "$near" raw_ethernet_bw -m 70 --vlan_en "${ip6[@]}" "${ports[@]}" --tcp
    finish client
    expect_status client 1
    expect_error client 'are too short for these headers'
}

@test "--flows and --flows_burst: ports in turn, all of them as often; each queue pair has its own" {
    veth_pair
    watch_frames "$far"
    pair raw_ethernet_bw -n 60 -s 128 -q 2 "${ip4[@]}" "${ports[@]}" --flows 3 --flows_burst 2
    captured 120
    no_faults
    run seen "eth.src == $far && udp.srcport < 2003" udp.srcport
    [ "$(echo "${output:0:29}" | tr '\n' ' ')" = "2000 2000 2001 2001 2002 2002 " ]
    [ "$(seen "eth.src == $far" udp.dstport | sort | uniq -c | awk '{ print $2 ":" $1 }' | tr '\n' ' ')" = \
        "1000:20 1001:20 1002:20 1003:20 1004:20 1005:20 " ]
    expect_output server '^ *128 +120 '
}

@test "--vlan_pcp 8: the priority goes up from frame to frame" {
    veth_pair
    watch_frames "$far"
    pair raw_ethernet_bw -n 16 -s 128 --vlan_pcp 8
    captured 16
    [ "$(seen "eth.src == $far" vlan.priority | tr -d '\n')" = 0123456701234567 ]
}

@test "--raw_mcast: to the group's MAC address, and the server takes it" {
    veth_pair
    watch_frames "$far"
    pair raw_ethernet_bw -n 16 -s 128 --raw_mcast -J 239.129.2.3 -j 10.0.0.2 -K 1000 -k 2000
    captured 16
    no_faults
    [ "$(seen "eth.src == $far" eth.dst | sort -u)" = 01:00:5e:01:02:03 ]
    expect_output server '^ *128 +16 '
}

@test "--promiscuous and --sniffer: what is for another address comes, too" {
    veth_pair
    for option in --promiscuous --sniffer; do
        begin_server raw_ethernet_bw -n 100 -s 128 $option
        start_side client veth1 "$far" 02:00:00:00:00:77 raw_ethernet_bw -n 100 -s 128
        good_end
        expect_output server '^ *128 +100 '
    done
}

@test "raw_ethernet_bw: -b, lists, events, by time, intervals, local and remote names" {
    veth_pair
    pair raw_ethernet_bw -n 2000 -s 512 -b
    expect_output client '^ *512 +2000 '
    expect_output server '^ *512 +2000 '
    pair raw_ethernet_bw -n 2000 -s 512 -l 20 -e
    expect_output server '^ *512 +2000 '
    pair raw_ethernet_bw -D 1 -s 512 -q 2
    expect_output server '^ *512 +[1-9][0-9]+ '
    pair raw_ethernet_bw -D 1 -b -s 512 --report_interval=0.5
    expect_output client '^ Summary: '
    begin_server raw_ethernet_bw -n 500 -s 512 --local_ip 10.0.0.1 --remote_ip 10.0.0.2 --local_port 5 --remote_port 6
    begin_client raw_ethernet_bw -n 500 -s 512 --local_ip 10.0.0.2 --remote_ip 10.0.0.1 --local_port 6 --remote_port 5
    good_end
    expect_output server '^ *512 +500 '
}

@test "raw_ethernet_lat: by number and by time, each layer" {
    veth_pair
    pair raw_ethernet_lat -n 300 -H
    expect_output client '^ *64 +300 '
    expect_output server '^ *64 +300 '
    # all of them samples
    expect [ "$(grep -cE '^[0-9]+, [0-9.]+$' client.out)" = 300 ]
    expect [ "$(grep -cE '^[0-9]+, [0-9.]+$' server.out)" = 300 ]
    pair raw_ethernet_lat -D 1 -s 128 "${ip4[@]}" "${ports[@]}"
    expect_output server '^ *128 +[1-9][0-9]+ '
    pair raw_ethernet_lat -n 300 -s 1500 --vlan_en "${ip6[@]}" "${ports[@]}" --tcp
    expect_output client '^ *1500 +300 '
}

@test "raw_ethernet_lat: --latency_gap is in no sample, and the server has none" {
    veth_pair
    # 20, because the gap is waited for busily: CPU time that a busy machine does not have
    pair raw_ethernet_lat -n 20 -s 100 --latency_gap 20000
    # t_min: of a busy machine most samples may be longer than the gap
    expect holds "$(field client 1 3) < 20000"
    expect_rows client 1
    expect_rows server 0
    refuse_output server '#bytes'
}

# bats test_tags=long
@test "with the distribution's programs, in both roles" {
    veth_pair
    installed raw_ethernet_bw
    for options in "" "${ip4[*]} ${ports[*]}" "--vlan_en ${ip4[*]} ${ports[*]} --tcp"; do
        for name in raw_ethernet_bw raw_ethernet_lat; do
            # shellcheck disable=SC2086 # a list
            foreign_pair "/usr/bin/$name" "$name" -n 500 -s 256 $options
            # shellcheck disable=SC2086 # a list
            foreign_pair "$name" "/usr/bin/$name" -n 500 -s 256 $options
        done
    done
}

# Has it used 0.3 s of CPU time, most of them in its loop? A frame that comes before its receives are posted is lost.
polls() { # NAME
    local stat
    read -ra stat <"/proc/${pids[$1]}/stat" && ((stat[13] + stat[14] >= 30))
}

foreign_pair() { # SERVER CLIENT OPTIONS...
    begin_server "$1" "${@:3}"
    await server polls server
    begin_client "$2" "${@:3}"
    good_end
    expect_output server '^ *256 +500 '
    expect_output client '^ *256 +500 '
}

@test "the header: depths and GID index as the distribution prints them, and what is measured" {
    local name side
    veth_pair
    installed raw_ethernet_bw
    for name in raw_ethernet_bw raw_ethernet_lat; do
        foreign_pair "/usr/bin/$name" "/usr/bin/$name" -n 500 -s 256
        for side in client server; do
            grep -E '^ ([TR]X depth|GID index) ' $side.out >$side.theirs
        done
        pair "$name" -n 500 -s 256
        for side in client server; do
            grep -E '^ ([TR]X depth|GID index) ' $side.out | diff $side.theirs -
        done
    done
    expect_output client "^ Software device : soft0 is built in: the figures are those of the kernel's packet sockets on veth1$"
}

@test "what is lost is counted as lost, and the silence is in no figure" {
    veth_pair
    begin_server raw_ethernet_bw -n 1000 -s 512 --timeout 1 --out_json_file=server.json
    begin_client raw_ethernet_bw -n 900 -s 512
    good_end
    expect_output server '^ *512 +900 '
    expect grep -q 'warning: 100 of 1000 messages of 512 bytes were lost' server.err
    [ "$(query server.json '.measurements[0].lost')" = 100 ]
    holds "$(query server.json '.measurements[0].elapsed_seconds') < 0.9"
    expect_schema server.json
}

# Of each size of this document: the length of its frames in the interface, and how many.
rows_of() { # DOCUMENT
    query "$1" '[.measurements[] | "\(.size_bytes - 4):\(.iterations)"] | join(" ")'
}

@test "--sizes: the rows of both sides are what passed through the interface" {
    veth_pair
    watch_frames "$far"
    begin_server raw_ethernet_bw -n 200 --sizes=64:1518:*2 -q 2 "${ip4[@]}" "${ports[@]}" --out_json_file=server.json
    begin_client raw_ethernet_bw -n 200 --sizes=64:1518:*2 -q 2 "${ip4[@]}" "${ports[@]}" -l 20 --out_json_file=client.json
    good_end
    captured 2000
    no_faults
    expect [ "$(rows_of server.json)" = "60:400 124:400 252:400 508:400 1020:400" ]
    expect [ "$(rows_of client.json)" = "$(rows_of server.json)" ]
    expect [ "$(seen "eth.src == $far" frame.len | sort -n | uniq -c | awk '{ print $2 ":" $1 }' | paste -sd ' ')" = \
        "$(rows_of server.json)" ]
    expect_schema server.json
    expect [ "$(query server.json '[.measurements[].lost] | add')" = 0 ]
    # With a rate limit the clock of each size starts behind its first burst.
    begin_server raw_ethernet_bw -n 100 --sizes=100:300:100 -e --recv_post_list 10 --rate_limit 10000 --rate_units p --output_format=csv
    begin_client raw_ethernet_bw -n 100 --sizes=100:300:100 -e --rate_limit 10000 --rate_units p
    good_end
    expect [ "$(awk -F, 'NR > 1 { print $5 ":" $6, ($12 >= 10) }' server.out | paste -sd ' ')" = "100:100 1 200:100 1 300:100 1" ]
}

@test "--sizes: what is lost is that of its size; what never came is an error" {
    veth_pair
    make_lossy
    begin_server raw_ethernet_bw -n 200 --sizes=64:1024:*2 --timeout 1 --out_json_file=server.json
    # 142 of all 1000
    start_lossy client 7 raw_ethernet_bw -n 200 --sizes=64:1024:*2
    good_end
    expect [ "$(query server.json '[.measurements[] | "\(.iterations) \(.lost)"] | join(", ")')" = \
        "172 28, 171 29, 172 28, 171 29, 172 28" ]
    expect grep -q 'warning: 29 of 200 messages of 128 bytes were lost' server.err
    # As if it had been started late.
    begin_server raw_ethernet_bw -n 200 --sizes=64:1024:*2 --out_json_file=server.json
    begin_client raw_ethernet_bw -n 200 --sizes=256:1024:*2
    finish client
    finish server
    expect_status client 0
    expect_status server 1
    expect_error server 'nothing arrived of 2 of the 5 sizes, the first of 64 bytes: '
    expect [ "$(rows_of server.json)" = "252:200 508:200 1020:200" ]
    # The last is missing: it might have come until --timeout.
    begin_server raw_ethernet_bw -n 200 --sizes=64:256:*2 --timeout 1
    begin_client raw_ethernet_bw -n 200 --sizes=64:128:*2
    finish client
    finish server
    expect_status server 1
    expect_error server 'nothing arrived of 1 of the 3 sizes, the first of 256 bytes: '
    begin_server raw_ethernet_bw -n 200 --sizes=64:256:*2
    begin_client raw_ethernet_bw -n 200 -s 100
    finish client
    finish server
    expect_status server 1
    expect_error server 'frames of 100 bytes arrive, which is not among --sizes'
    # With --promiscuous it may be of other traffic.
    begin_server raw_ethernet_bw -n 200 --sizes=64:256:*2 --promiscuous
    begin_client raw_ethernet_bw -n 5 -s 100
    finish client
    begin_client raw_ethernet_bw -n 200 --sizes=64:256:*2
    good_end
    expect [ "$(rows server | awk '{ print $1 ":" $2 }' | paste -sd ' ')" = "64:200 128:200 256:200" ]
    # Rows only of what came; only the last may have been cut short.
    begin_server raw_ethernet_bw -n 200 --sizes=64:1518:*2
    begin_client raw_ethernet_bw -n 200 --sizes=64:128:*2
    finish client
    kill -INT "${pids[server]}"
    finish server
    expect_status server 130
    refuse_error_lines server
    expect [ "$(rows server | awk '$1 > 128 || $2 > 200 || ($2 == 200) == /partial/' | wc -l)" = 0 ]
}

# Ctrl-C is no error.
refuse_error_lines() { # NAME
    expect [ "$(grep -c error: "$1.err")" = 0 ]
}

@test "--sizes of raw_ethernet_lat: in step; a client that has fewer ends the server" {
    veth_pair
    pair raw_ethernet_lat -n 100 --sizes=64:1518:*2
    for side in client server; do
        expect [ "$(rows $side | awk '{ print $1 ":" $2 }' | paste -sd ' ')" = "64:100 128:100 256:100 512:100 1024:100" ]
    done
    begin_server raw_ethernet_lat -n 100 --sizes=64:256:*2 --timeout 1
    begin_client raw_ethernet_lat -n 100 --sizes=64:128:*2
    finish client
    finish server
    expect_status client 0
    expect_status server 1
    expect_error server 'no message came for 1 s after 0 messages'
    expect_rows server 2
}

@test "--sizes of frames: from the shortest on, and up to -m" {
    veth_pair
    run_near raw_ethernet_bw --server --sizes=32:1024:*2
    [ "$status" -eq 1 ]
    expect_error alone '--sizes 32 is too small: a frame with these headers has 64 to 1518 bytes'
    run_near raw_ethernet_lat --server -E "$far" --sizes=64:1024:*2 --vlan_en "${ip6[@]}" "${ports[@]}" --tcp
    [ "$status" -eq 1 ]
    expect_error alone '--sizes 64 is too small: a frame with these headers has 82 to 1518 bytes'
    run_near raw_ethernet_bw --client -E "$far" --sizes=2K:4K:*2
    [ "$status" -eq 1 ]
    expect_error alone '--sizes 2048 is too large: '
    run_near raw_ethernet_bw --client -E "$far" -n 20 --sizes=64:1024:*2 -m 600
    [ "$status" -eq 0 ]
    expect [ "$(rows alone | awk '{ print $1 }' | paste -sd ' ')" = "64 128 256 512" ]
}

@test "a peer that dies: a ping-pong says so, a count has a row of what came" {
    veth_pair
    begin_server raw_ethernet_lat -n 100000000 --timeout 1
    begin_client raw_ethernet_lat -n 100000000 --timeout 1
    await client frames_pass
    kill_hard "${pids[client]}"
    finish client
    finish server
    expect_status server 1
    expect_error server 'no message came for 1 s'
    expect_output server '^ *64 +[1-9][0-9]* .*\(partial\)'
}

# A timed run whose client is killed while frames go through.
server_alone() { # PROGRAM OPTIONS...
    begin_server "$@"
    begin_client raw_ethernet_bw -D 100
    await client frames_pass
    kill_hard "${pids[client]}"
    finish client
    finish server
    make_link_anew
}

# With counters that begin at 0.
make_link_anew() {
    "${inside[@]}" ip link del veth0
    make_link
}

# bats test_tags=long
@test "a peer that dies before the time is over: an error after --timeout, a warning if less of it is left" {
    veth_pair
    server_alone raw_ethernet_bw -D 100 -f 0 --timeout 1
    expect_status server 1
    expect_error server 'no message came for 1 s after [1-9]'
    expect_output server '\(partial\)'
    server_alone raw_ethernet_bw --mac_fwd -D 100 --timeout 1
    expect_status server 1
    expect_error server 'no message came for 1 s after [1-9]'
    server_alone raw_ethernet_bw -D 4 --timeout 60
    # a row of nothing, if it died in the margin already, is a failure
    if [[ $(rows server | awk '{ print $2 }') == 0 ]]; then
        expect_status server 1
        expect_error server 'no message of 1518 bytes was completed in the measured time'
    else
        expect_status server 0
    fi
    expect grep -q 'warning: nothing arrived in the last [1-9][0-9.]* s of the measured time' server.err
    # without an end of its own a side ends with what it receives
    server_alone raw_ethernet_bw --run_infinitely -D 1 --timeout 1
    expect_status server 0
}

@test "bursts far apart are no silence, nor is a peer whose time ended somewhat earlier" {
    veth_pair
    begin_server raw_ethernet_bw -D 4 --timeout 1 --rate_limit 2 --rate_units p --burst_size 3
    begin_client raw_ethernet_bw -D 4 --timeout 1 --rate_limit 2 --rate_units p --burst_size 3
    good_end
    expect [ "$(cat server.err)" = "" ]
    pair raw_ethernet_bw -D 1
    expect [ "$(cat server.err)" = "" ]
}

# Have frames gone through?
frames_pass() {
    (($("${inside[@]}" ip -s link show veth0 | awk '/RX:/ { getline; print $2 }') > 100))
}

# Ends NAME, which waits for its first frame: its interface is removed, by which its peer goes, too.
loses_interface() { # PROGRAM OPTIONS...
    begin_server "$@"
    "${inside[@]}" ip link del veth0
    finish server
    expect_status server 1
    expect_error server 'soft0 failed during the test'
    make_link
}

# bats test_tags=long
@test "an interface that is removed: both sides say so, also a server that waits" {
    veth_pair
    loses_interface raw_ethernet_bw
    loses_interface raw_ethernet_bw -e
    loses_interface raw_ethernet_bw --mac_fwd
    loses_interface raw_ethernet_lat
    loses_interface raw_ethernet_burst_lat
    begin_server raw_ethernet_bw -D 100 -f 0
    begin_client raw_ethernet_bw -D 100 -f 0
    await client frames_pass
    "${inside[@]}" ip link del veth0
    finish client
    finish server
    expect_status client 1
    expect_status server 1
    expect_error client 'soft0 failed during the test'
    expect_error server 'soft0 failed during the test'
    expect_output server '\(partial\)'
}

@test "an interface that goes down: frames are lost, and the side that it belongs to says why" {
    veth_pair
    begin_server raw_ethernet_lat -n 100000000 --timeout 1
    begin_client raw_ethernet_lat -n 100000000 --timeout 1
    await client frames_pass
    "${inside[@]}" ip link set veth0 down
    finish client
    finish server
    expect_status client 1
    expect_status server 1
    expect_error client 'no message came for 1 s'
    expect_error server 'port 1 of soft0 went down during the test.*no message came for 1 s'
    "${inside[@]}" ip link set veth1 down
    begin_client raw_ethernet_bw -n 100
    finish client
    expect_status client 0
    expect grep -q 'warning: port 1 of soft0 went down' client.err
}

# One run in the flood, which may be over before its client comes: frames of the flood are messages to a side that takes any.
flooded() { # PROGRAM OPTIONS...
    start_side server veth0 "$near" "$far" "$@"
    until listens veth0 || ! alive server; do sleep 0.01; done
    begin_client "$@"
    finish client
    finish server
    # a side that was given a message too many, or not its own, says what is missing
    expect [ "$(grep -c error: client.err)" = "$client_status" ]
    expect [ "$(grep -c error: server.err)" = "$server_status" ]
    if grep -E 'Sanitizer|runtime error' ./*.err; then return 1; fi
}

# Whoever is in the same segment can send what it likes: a side ends in its own time, whatever it makes of that.
@test "a flood of random and broken frames" {
    veth_pair
    launch flood "${inside[@]}" "$PERFTEST_TOP/tests/cli/frame_flood" veth1 "$near" "$far"
    await flood said flood begun
    flooded raw_ethernet_bw -s 64 --timeout 1 -n 2000
    flooded raw_ethernet_bw -s 64 --timeout 1 -n 2000 "${ip4[@]}" "${ports[@]}"
    flooded raw_ethernet_bw -s 64 --timeout 1 -n 2000 "${ip6[@]}" "${ports[@]}"
    flooded raw_ethernet_bw -s 64 --timeout 1 -n 2000 --promiscuous
    flooded raw_ethernet_bw -s 64 --timeout 1 -n 500 --sniffer -e
    flooded raw_ethernet_bw --timeout 1 -n 500 --sizes=64:256:*2
    flooded raw_ethernet_lat -s 64 --timeout 1 -n 500 "${ip4[@]}" "${ports[@]}"
    flooded raw_ethernet_lat -s 64 --timeout 1 -n 500
    expect alive flood
    kill -TERM -- "-${pids[flood]}"
    finish flood
}

@test "Ctrl-C: while the server waits, and in the middle" {
    veth_pair
    begin_server raw_ethernet_bw
    kill -INT "${pids[server]}"
    finish server
    expect_status server 130
    [ "$(row_count server)" -eq 0 ]
    begin_server raw_ethernet_bw --run_infinitely -D 1 -s 512
    begin_client raw_ethernet_bw --run_infinitely -D 1 -s 512
    await server said server '^ 512 '
    kill -INT "${pids[client]}" "${pids[server]}"
    finish client
    finish server
    expect_output client '^ Summary: '
    expect_output server '^ Summary: '
}

# A program of one side, on veth0.
run_near() { # PROGRAM OPTIONS...
    under=("${inside[@]}" env PERFTEST_SOFT=if=veth0)
    run_alone "$1" -d soft0 -B "$near" "${@:2}"
}

@test "raw_ethernet_fs_rate: rules are made and taken back, each another one, by number and by time" {
    veth_pair
    run_near raw_ethernet_fs_rate -n 300 -q 2 --explain --out_json_file=rules.json
    [ "$status" -eq 0 ]
    expect_output alone '^600 +[0-9.]+ +		[0-9.]+ '
    expect_schema rules.json
    [ "$(query rules.json '.measurements[0].rules')" = 600 ]
    # of its only side
    expect_output alone 'Likeliest cause: |No cause found: nothing seen on this side'
    refuse_output alone 'other side'
    [ "$(query rules.json '.explanation | [.local.observed_seconds > 0, .local.doctor.found >= 0, .remote] | @json')" = "[true,true,null]" ]
    # The columns are those of the same samples.
    holds "$(query rules.json '.measurements[0].latency_min_usec') <= $(query rules.json '.measurements[0].latency_typical_usec')"
    holds "$(query rules.json '.measurements[0].latency_typical_usec') <= $(query rules.json '.measurements[0].latency_max_usec')"
    holds "$(query rules.json '.measurements[0] | .latency_average_usec * .rule_rate_per_second') - 1e6 < 10"
    run_near raw_ethernet_fs_rate --server -n 70000 -K 65000 -k 65535 "${ip4[@]}" -D 1
    [ "$status" -eq 0 ]
    expect_output alone '^[1-9][0-9]+ +[0-9.]+ +		'
    run_near raw_ethernet_fs_rate --client -n 5 "${ip6[@]}" "${ports[@]}" --tcp -H
    [ "$status" -eq 0 ]
    [ "$(grep -cE '^[1-5], [0-9.]+$' alone.out)" -eq 5 ]
}

@test "raw_ethernet_fs_rate: Ctrl-C, and bad input" {
    veth_pair
    launch alone "${inside[@]}" env PERFTEST_SOFT=if=veth0 "$(program raw_ethernet_fs_rate)" -d soft0 -B "$near" -D 100
    await alone listens veth0
    kill -INT "${pids[alone]}"
    finish alone
    expect_status alone 130
    expect_output alone ' \(partial\)'
    run_near raw_ethernet_fs_rate --client --server
    [ "$status" -eq 2 ]
    expect_error alone 'there is only one side'
    run_near raw_ethernet_fs_rate --flows 2
    [ "$status" -eq 2 ]
    expect_error alone 'is for '
}

# What takes a rule out of the interface takes longer than the second Ctrl-C, as on a device with a full table.
@test "raw_ethernet_fs_rate: Ctrl-C says that rules are taken back, and a second one ends that" {
    veth_pair
    ${CC:-cc} -shared -fPIC -x c -o slow_leave.so - <<'SOURCE'
#include <linux/if_packet.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

int setsockopt(int fd, int level, int option, const void *value, socklen_t length)
{
	if (level == SOL_PACKET && option == PACKET_DROP_MEMBERSHIP)
		usleep(5000000);
	return (int)syscall(SYS_setsockopt, fd, level, option, value, length);
}
SOURCE
    local preload=$PWD/slow_leave.so
    [[ -n ${sanitized-} ]] || preload+=:$PERFTEST_BUILD/soft/.libs/libperftest_soft.so
    launch alone "${inside[@]}" env PERFTEST_SOFT=if=veth0 LD_PRELOAD="$preload" ASAN_OPTIONS="verify_asan_link_order=0:${ASAN_OPTIONS-}" \
        "$(program raw_ethernet_fs_rate)" -d soft0 -B "$near" -n 1000
    await alone listens veth0
    kill -INT "${pids[alone]}"
    await alone said alone 'destroying [0-9]+ steering rules?; Ctrl-C again'
    kill -INT "${pids[alone]}"
    finish alone
    expect_status alone 130
    expect_output alone ' \(partial\)'
}

@test "bad input is refused in one line" {
    refuses() { # PATTERN OPTIONS...
        run_alone raw_ethernet_bw "${@:2}"
        [ "$status" -eq 2 ]
        expect_error alone "$1"
    }
    refuses 'give --client \(-P\) on one side' -B "$near" -E "$far"
    refuses 'is not a MAC address' --client -B 02:00:00:00:00 -E "$far"
    refuses 'is not a MAC address' --client -B "$near" -E 02:00:00:00:00:0g
    refuses 'is not an IP address' --client -B "$near" -E "$far" -J 10.0.0.256 -j 10.0.0.1
    refuses 'allowed: 64 to 9600' --client -B "$near" -E "$far" -m 9601
    refuses 'allowed: 1536 to 65535' --client -B "$near" -E "$far" --ethertype 0x10000
    refuses 'is not a list of flow labels' --client -B "$near" -E "$far" --flow_label 1,,2
    refuses 'is for ib_\* tests' --client -B "$near" -E "$far" -R
    refuses 'not to a HOST' --client -B "$near" -E "$far" localhost
    run_alone ib_send_bw --client
    [ "$status" -eq 2 ]
    expect_error alone 'is for raw Ethernet tests'
}

@test "-S and packet pacing: what the device has not is named, and -S has its column where it is taken" {
    veth_pair
    run_near raw_ethernet_bw --client -E "$far" -S 3
    [ "$status" -eq 1 ]
    expect_error alone 'soft0 does not accept a service level for raw packet queue pairs \(-S 3\).*--vlan_pcp'
    run_near raw_ethernet_bw --client -E "$far" --rate_limit 1 --rate_limit_type=PP
    [ "$status" -eq 1 ]
    expect_error alone 'soft0 has no packet pacing'
    run_near raw_ethernet_bw --client -E "$far" --rate_limit 1 --rate_limit_type=HW
    [ "$status" -eq 2 ]
    # As a kernel that takes an address vector.
    ${CC:-cc} -shared -fPIC -x c -o takes_sl.so - -ldl <<'SOURCE'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <infiniband/verbs.h>

int ibv_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask)
{
	int (*next)(struct ibv_qp *, struct ibv_qp_attr *, int) = dlsym(RTLD_NEXT, "ibv_modify_qp");

	return next(qp, attr, qp->qp_type == IBV_QPT_RAW_PACKET ? mask & ~IBV_QP_AV : mask);
}
SOURCE
    is_sanitized && skip "a sanitizer build has its own ibv_modify_qp"
    launch server "${inside[@]}" env PERFTEST_SOFT=if=veth0 \
        LD_PRELOAD="$PWD/takes_sl.so:$PERFTEST_BUILD/soft/.libs/libperftest_soft.so" "$(program raw_ethernet_bw)" -d soft0 \
        --server -B "$near" -S 3 -n 500 -s 256 --out_json_file=run.json
    await server listens veth0
    begin_client raw_ethernet_bw -n 500 -s 256
    good_end
    expect_output server '^ *256 +3 +500 '
    [ "$(query run.json '.measurements[0].sl')" = 3 ]
    expect_schema run.json
}

@test "without an interface, and without CAP_NET_RAW: one line, and status 1" {
    veth_pair
    under=("${inside[@]}")
    run_alone raw_ethernet_bw -d soft0 --server -B "$near" -E "$far"
    [ "$status" -eq 1 ]
    expect_error alone 'soft0 sends and receives frames through a network interface'
    under+=(setpriv --bounding-set -net_raw --inh-caps -net_raw env PERFTEST_SOFT=if=veth0)
    run_alone raw_ethernet_bw -d soft0 --server -B "$near" -E "$far"
    [ "$status" -eq 1 ]
    expect grep -q 'need CAP_NET_RAW' alone.err
}

@test "perftest run -f and compare start alone a client, and what has one side" {
    local client="-P -B $near -E $far"
    veth_pair
    cat >jobs.txt <<JOBS
bw: raw_ethernet_bw $client -n 50
rules: raw_ethernet_fs_rate -B $near -n 50
JOBS
    launch run "${inside[@]}" env PERFTEST_SOFT=if=veth0 "$PERFTEST_BUILD/perftest" run -f jobs.txt 192.0.2.1
    finish run
    expect_status run 0
    expect_output run '^ bw +1518  bandwidth '
    expect_output run '^ rules +all  latency, median '
    # shellcheck disable=SC2086 # words
    launch compare "${inside[@]}" env PERFTEST_SOFT=if=veth0 "$PERFTEST_BUILD/perftest" compare --runs=2 \
        raw_ethernet_bw $client -n 50 -- raw_ethernet_bw $client -n 50
    finish compare
    expect_status compare 0
    expect_output compare '^ 1518 +bandwidth '
}
