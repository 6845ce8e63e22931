#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# raw_ethernet_burst_lat over a veth pair: bursts and their answers, frames checked by tshark, losses, and a side that
# exits.
# bats file_tags=slow

load helpers
load foreign
load veth
load raw_sides

burst=raw_ethernet_burst_lat

@test "it starts with its defaults: a thousand frames in bursts of 128, each answered" {
    veth_pair
    begin_server $burst
    begin_client $burst --explain --out_json_file=run.json
    good_end
    expect_output client '^ *64 +1000 '
    expect_output client '^ The other side cannot tell what it has seen$'
    holds "$(query run.json '.explanation.local.observed_seconds') > 0"
    [ "$(row_count server)" -eq 0 ]
    expect_schema run.json
    [ "$(query run.json '[.metric, .parameters.tx_depth, .parameters.reply_every] | join(" ")')" = \
        "latency 128 1" ]
    [ "$(query run.json '.measurements | length')" = 1 ]
    [ "$(query run.json '.measurements[0] | [.iterations, .lost] | join(" ")')" = "1000 0" ]
    holds "$(query run.json '.measurements[0].latency_min_usec') <= $(query run.json '.measurements[0].latency_typical_usec')"
    holds "$(query run.json '.measurements[0].latency_typical_usec') <= $(query run.json '.measurements[0].latency_max_usec')"
}

@test "--reply_every and --burst_size: as many samples as answers, by each way of posting and waiting" {
    veth_pair
    pair $burst -n 500 --burst_size 50 --reply_every 10 -H
    expect_output client '^ *64 +50 '
    expect [ "$(grep -cE '^[0-9]+, [0-9.]+$' client.out)" = 50 ]
    pair $burst -n 500 -t 32 --burst_size 200 -l 8 -e -s 1000
    expect_output client '^ *1000 +500 '
    pair $burst -n 500 -Q 1 --cqe_poll 1 --report_interval 0.01 --rate_limit 10000 --rate_units p --burst_size 50
    expect [ "$(row_count client)" -ge 3 ]
    expect_output client '^ *64 +500 '
    # Who answers goes by the frames, or says that they contradict it.
    begin_server $burst -n 300
    begin_client $burst -n 300 --reply_every 3
    good_end
    expect_output client '^ *64 +100 '
    begin_server $burst -n 300 --reply_every 2
    begin_client $burst -n 300 --reply_every 3 --timeout 1
    finish server
    finish client
    expect_status server 1
    expect_error server '--reply_every is 3 on the client and 2 on the server'
    expect_status client 1
    expect_error client 'no message came for 1 s'
}

@test "--rate_limit: a burst has its time before it" {
    veth_pair
    begin_server $burst -n 100 --burst_size 10 --rate_limit 200 --rate_units p
    begin_client $burst -n 100 --burst_size 10 --rate_limit 200 --rate_units p --out_json_file=run.json
    good_end
    expect_output client '^ *64 +100 '
    # Ten bursts of 50 ms, of which the time of the first is in front of the first message. That may be late, when the next one
    # is due all the same.
    holds "$(query run.json '.measurements[0].elapsed_seconds') >= 0.4"
}

# Of each frame that was seen: the first half of its mark.
marks_seen() { # MAC
    seen "eth.src == $1" data.data tcp.payload | tr -d ':\t' | cut -c 1-16
}

@test "frames are right, and bear their numbers; so do the answers" {
    veth_pair
    watch_frames "$far"
    pair $burst -n 20 -s 150 --burst_size 8 --reply_every 4 --vlan_en "${ip6[@]}" "${ports[@]}"
    captured 20
    no_faults
    [ "$(seen "eth.src == $far" frame.len ipv6.plen udp.length udp.checksum.status | sort -u | tr '\t' ' ')" = "146 88 88 1" ]
    [ "$(marks_seen "$far")" = "$(printf '510004%010x\n' {0..19})" ]
    watch_frames "$near"
    pair $burst -n 20 -s 150 --burst_size 8 --reply_every 4 "${ip4[@]}" "${ports[@]}" --tcp
    captured 5
    no_faults
    [ "$(seen "eth.src == $near" frame.len ip.len tcp.len tcp.checksum.status | sort -u | tr '\t' ' ')" = "146 132 92 1" ]
    [ "$(marks_seen "$near")" = "$(printf '410004%010x\n' 3 7 11 15 19)" ]
}

@test "a frame has room for its headers and its mark" {
    veth_pair
    pair $burst -n 20 -s 64 --vlan_en "${ip6[@]}" "${ports[@]}" --tcp
    expect grep -q 'warning: a frame with these headers cannot have -s 64 bytes, only 98 to' client.err
    expect_output client '^ *98 +20 '
}

@test "frames that are lost are counted on both sides, and are in no sample" {
    veth_pair
    make_lossy
    begin_server $burst -n 200
    # 28 of 200: the last one of the seventh burst among them
    start_lossy client 7 $burst -n 200 --burst_size 20 --out_json_file=run.json
    good_end
    expect_output client '^ *64 +172 '
    expect grep -q 'warning: 28 of 200 frames of 64 bytes were not answered' client.err
    expect grep -q 'warning: 28 of 200 messages of 64 bytes were lost' server.err
    [ "$(query run.json '.measurements[0].lost')" = 28 ]
}

# Of 210 frames of each size 30 are lost, among them the last: the next size ends this one, and silence the last size.
@test "--sizes: a row of each, and what is lost is that of its size on both sides" {
    local size
    veth_pair
    pair $burst -n 300 --sizes=64:1518:*2 --reply_every 3
    [ "$(rows client | awk '{ print $1 ":" $2 }' | paste -sd ' ')" = "64:100 128:100 256:100 512:100 1024:100" ]
    [ "$(row_count server)" -eq 0 ]
    make_lossy
    begin_server $burst -n 210 --sizes=64:256:*2 --timeout 1
    start_lossy client 7 $burst -n 210 --burst_size 20 --sizes=64:256:*2 --out_json_file=run.json
    good_end
    [ "$(query run.json '[.measurements[] | "\(.size_bytes) \(.iterations) \(.lost)"] | join(", ")')" = \
        "64 180 30, 128 180 30, 256 180 30" ]
    expect_schema run.json
    for size in 64 128 256; do
        expect grep -q "warning: 30 of 210 frames of $size bytes were not answered" client.err
        expect grep -q "warning: 30 of 210 messages of $size bytes were lost" server.err
    done
    # A client that has no more of them ends the server, but not as if the rest had been lost.
    begin_server $burst -n 100 --sizes=64:256:*2 --timeout 1
    begin_client $burst -n 100 --sizes=64:128:*2
    finish client
    finish server
    expect_status client 0
    expect_status server 1
    expect_error server 'no message came for 1 s after 0 messages'
}

@test "answers that are lost are counted; of a burst that none answers the test ends" {
    veth_pair
    make_lossy
    start_lossy server 3 $burst -n 100
    await server listens veth0
    begin_client $burst -n 100 --burst_size 10
    good_end
    expect_output client '^ *64 +67 '
    expect grep -q 'warning: 33 of 100 frames' client.err
    start_lossy server 3 $burst -n 100 --timeout 1
    await server listens veth0
    begin_client $burst -n 100 --burst_size 10 --reply_every 10 --timeout 1
    finish client
    finish server
    expect_status client 1
    expect_error client 'no message came for 1 s after '
    expect_output client '^ *64 +2 .*\(partial\)'
    expect_status server 0
    expect grep -q 'warning: 70 of 100 messages' server.err
}

# A reading that is earlier than the last answer is no half second of silence.
@test "a clock that goes back now and then loses no answer" {
    veth_pair
    ${CC:-cc} -shared -fPIC -O1 -o clock.so "$BATS_TEST_DIRNAME/stepped_clock.c" -ldl
    local preload=$PWD/clock.so
    is_sanitized || preload+=:$PERFTEST_BUILD/soft/.libs/libperftest_soft.so
    begin_server $burst -n 5000
    launch client "${inside[@]}" env PERFTEST_SOFT=if=veth1 PERFTEST_CLOCK=gettime LD_PRELOAD="$preload" \
        ASAN_OPTIONS="verify_asan_link_order=0:${ASAN_OPTIONS-}" "$(program $burst)" -d soft0 --client \
        -B "$far" -E "$near" -n 5000 --out_json_file=run.json
    good_end
    [ "$(query run.json '.measurements[0].lost')" = 0 ]
}

@test "a peer that dies" {
    veth_pair
    begin_server $burst -n 100000000 --timeout 1
    begin_client $burst -n 100000000 --timeout 1
    await client frames_pass
    kill_hard "${pids[server]}"
    finish server
    finish client
    expect_status client 1
    expect_error client 'no message came for 1 s'
    expect_output client '^ *64 +[1-9][0-9]* .*\(partial\)'
}

@test "Ctrl-C: while the server waits, and in the middle" {
    veth_pair
    begin_server $burst
    kill -INT "${pids[server]}"
    finish server
    expect_status server 130
    begin_server $burst -n 100000000 --timeout 1
    begin_client $burst -n 100000000 --burst_size 16 -t 16 # so that bursts have been answered once frames pass
    await client frames_pass
    kill -INT "${pids[client]}"
    finish client
    expect_status client 130
    expect_output client '^ *64 +[1-9][0-9]* .*\(partial\)'
    kill -INT "${pids[server]}"
    finish server
    expect_status server 130
}

@test "what is not for bursts is refused in one line" {
    refuses() { # PATTERN OPTIONS...
        run_alone $burst --client -B 02:00:00:00:00:0b -E 02:00:00:00:00:0a "${@:2}"
        [ "$status" -eq 2 ]
        expect_error alone "$1"
    }
    refuses 'duration \(-D\) is for tests except raw_ethernet_burst_lat' -D 1
    refuses 'bidirectional \(-b\) is for bandwidth tests' -b
    refuses 'qp \(-q\) is for ' -q 2
    refuses 'allowed: 1 to 65535' --reply_every 0
    refuses 'no frame of a burst would be answered' --reply_every 129
    refuses 'no frame of a burst would be answered' -n 100 --burst_size 200 --reply_every 101
    refuses 'a burst is limited to 1048576 messages' --burst_size 1048577
    run_alone raw_ethernet_lat --client -B "$far" -E "$near" --reply_every 2
    [ "$status" -eq 2 ]
    expect_error alone 'is for raw_ethernet_burst_lat'
}
