#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Does a message to a multicast group (-g) reach each of its receivers, and does each count its own?

load helpers

named=() # the receivers that the next sender names

# A receiver that meets no one, once it is in the group.
start_receiver() { # NAME [OPTIONS]
    launch "$1" "$(program ib_send_bw)" -g --connectionless "${@:2}"
    await "$1" said "$1" '^ MGID: '
}

# A receiver that the sender names, with its own document.
start_named() { # NAME [OPTIONS]
    local own
    own=$(pick_port "$first_port" "$last_port") # the others listen
    named+=("localhost:$own")
    launch "$1" "$(program ib_send_bw)" -g -p "$own" --out_json_file "$1.json" "${@:2}"
    await "$1" process_listens "${pids[$1]}" "$own"
}

start_sender() { # OPTIONS
    local hosts
    printf -v hosts ',%s' "${named[@]}"
    named=()
    launch client "$(program ib_send_bw)" -g --out_json_file client.json "$@" "${hosts#,}"
}

finish_all() { # NAME...
    local name
    for name; do finish "$name"; done
}

# Of the n-th receiver, what the sender prints is what the receiver's own document has.
expect_own_row() { # INDEX NAME
    local keys='[.iterations, .lost, .bandwidth_average_bytes_per_second] | tostring' own
    own=$(query "$2.json" "[.measurements[] | select(.kind != \"interval\")] | last | $keys")
    expect [ "$(query client.json ".measurements[-1].peers[$1] | $keys")" = "$own" ]
}

# bats test_tags=quick
@test "ib_send_bw -g: the receiver sends its group, and both count" {
    server_args=(--out_json)
    good_pair ib_send_bw -g -n 300 -s 1K
    # as linux-rdma perftest's: its words, and a peak that a receiver has not
    expect [ "$(query perftest_out.json '.test_info.MultiCast_runs')" = on_UD ]
    expect [ "$(query perftest_out.json '.results.BW_peak')" = 0 ]
    expect [ "$(query perftest_out.json '.measurements[0].bandwidth_peak_bytes_per_second')" = null ]
    local side
    for side in client server; do
        expect_output "$side" '^ {20}Send BW Multicast Test'
        expect_output "$side" '^ MultiCast runs on UD!$'
        expect_output "$side" 'Connection type : UD'
        expect_rows "$side" 1
        expect [ "$(field "$side" 1 1) $(field "$side" 1 2)" = "1024 300" ]
    done
    expect_output server '^ local address: .* QPN 0xffffff '
    expect_output client '^ MGID: 255:01:00:00:00:02:201:133:00:00:00:00:00:00:00:00$'
    # its GID is of the group's address family
    expect_output client '^ GID index       : 0'
}

@test "ib_send_bw -g -q: each message comes to every queue pair of the receiver" {
    good_pair ib_send_bw -g -c RC -q 3 -n 300 -s 64 --use-srq -r 1800
    expect [ "$(field client 1 2) $(field server 1 2)" = "300 900" ]
    expect_output client 'Number of qps   : 1'
    expect_output server 'Number of qps   : 3'
    # by time: what was lost is known of all copies
    good_pair ib_send_bw -g -q 2 -D 1 -s 64 -r 4096 --rate_limit 1000 --rate_units p --out_json
    expect [ "$(query perftest_out.json '.measurements[0].lost')" = 0 ]
    expect holds "$(field server 1 2) > 1.9 * $(field client 1 2) && $(field server 1 2) < 2.1 * $(field client 1 2)"
    expect_schema perftest_out.json
}

@test "ib_send_lat -g: each side has a group of its own, also with -M" {
    good_pair ib_send_lat -g -n 100
    expect_output client '^ MGID: 255:.*:00$'
    expect_output client '^ MGID: 255:.*:01$'
    server_args=(-g -M 255:14:0:0:0:0:0:0:0:0:0:0:0:0:1:0x10)
    good_pair ib_send_lat -g -M ff0e::3ff -n 100 --reversed
    expect_output client '^ MGID: 255:14:00:00:00:00:00:00:00:00:00:00:00:00:03:255$'
    expect_output server '^ MGID: 255:14:00:00:00:00:00:00:00:00:00:00:00:00:01:17$'
}

@test "one sender and three receivers" {
    start_receiver first -n 500 -s 1K -M ff0e::77
    start_receiver second -n 500 -s 1K -M ff0e::77 -q 2 -d soft1
    start_receiver other -n 500 -s 1K -M ff0e::78
    good_pair ib_send_bw -g -M ff0e::77 -n 500 -s 1K
    finish first
    finish second
    expect_status first 0
    expect_status second 0
    expect [ "$(field server 1 2) $(field first 1 2) $(field second 1 2)" = "500 500 1000" ]
    # who is in no group of the sender's waits until its user stops it
    kill -INT "${pids[other]}"
    finish other
    expect_status other 130
    expect_rows other 0
}

@test "one sender that names its receivers: one table" {
    local own='.measurements[-1] | [.iterations, .lost] | tostring'
    start_named first
    start_named second -d soft1
    start_named third
    start_sender -n 500 -s 1K
    finish_all client first second third
    local n=0 name
    for name in client first second third; do expect_status "$name" 0; done
    for name in first second third; do
        expect_own_row $((n++)) "$name"
        expect [ "$(query "$name.json" "$own")" = '[500,0]' ]
    done
    # what was sent, once for all
    expect [ "$(query client.json "$own")" = '[500,0]' ]
    expect holds "$(query client.json '.measurements[-1].bandwidth_peak_bytes_per_second') > 0"
    expect [ "$(query client.json '[.measurements[-1].peers[].missing] | tostring')" = '[false,false,false]' ]
    expect [ "$(field client 1 6)" = 3 ]
    expect_output client '^ #bytes .* lost +peer$'
    expect_output client '^ 1024 +500 .* 0 +localhost:[0-9]+$'
    expect_schema client.json

    # by time each of a receiver's queue pairs gets every message; and all sizes
    start_named first
    start_named second
    start_sender -q 2 -D 1 -f 0 -s 64 -r 4096 --rate_limit 1000 --rate_units p
    finish_all client first second
    expect_own_row 0 first
    expect_own_row 1 second
    expect holds "$(query first.json '.measurements[-1].iterations') > 1.5 * $(query client.json '.measurements[-1].iterations')"
    start_named first
    start_named second
    start_sender -a -n 100
    finish_all client first second
    expect_status client 0
    expect_own_row 0 first
    expect [ "$(query client.json '[.measurements[] | .iterations, .lost] | unique | tostring')" = '[0,100]' ]
}

@test "one sender of several receivers: one loses what comes while it is stopped" {
    start_named first -e -r 32 --report_interval 0.1
    start_named second -e -r 32
    start_sender -e -D 10 -f 0 -s 64 --rate_limit 1000 --rate_units p
    await first measuring first
    kill -STOP "${pids[first]}"
    finish second
    kill -CONT "${pids[first]}"
    finish_all client first
    expect_status client 0
    expect_own_row 0 first
    expect_own_row 1 second
    expect holds "$(query client.json '.measurements[-1].peers[0].lost') > 0"
    expect grep -q 'messages of 64 bytes were lost on the way to the peer' client.err
}

# One of them is the sender's own receiver: it goes on for the other.
@test "one sender of several receivers: one dies, or is stopped by its user" {
    local names=(first second) n victim other how
    for n in 0 1; do
        victim=${names[n]} other=${names[1 - n]}
        for how in KILL INT; do
            # each of the four in .ci/run long
            [[ -n ${PERFTEST_LONG-} || "$n $how" == "0 KILL" || "$n $how" == "1 INT" ]] || continue
            start_named first -e --report_interval 0.1
            start_named second -e --report_interval 0.1
            start_sender -e -D 10 -f 0 -s 64 --rate_limit 1000 --rate_units p
            await "$victim" measuring "$victim"
            [[ $how == INT ]] || killed=yes # as kill_hard
            kill "-$how" "${pids[$victim]}"
            finish_all client first second
            expect_status client 1
            expect_status "$other" 0
            expect grep -q 'warning: server localhost:[0-9]* .* was lost' client.err
            expect_output client '\(partial\)'
            expect_own_row $((1 - n)) "$other"
            expect holds "$(query client.json '.measurements[-1].iterations') > 5000"
            if [[ $how == INT ]]; then
                expect_status "$victim" 130
                expect_own_row "$n" "$victim"
            else
                expect [ "$(query client.json ".measurements[-1].peers[$n].missing")" = true ]
                tidy
            fi
        done
    done
}

@test "one sender of several receivers: it is stopped, or its process is killed" {
    local how
    for how in INT KILL; do
        start_named first --report_interval 0.1
        start_named second
        start_sender -D 50 -s 64 --rate_limit 1000 --rate_units p
        await first measuring first
        if [[ $how == INT ]]; then
            kill -INT "${pids[client]}"
        else
            kill_hard "$(pgrep -o -P "${pids[client]}")"
        fi
        finish_all client first second
        expect_status first 1
        expect_status second 1
    done
    expect_status client 1
    expect grep -q 'error: the pair that sends to all receivers, with server localhost:[0-9]*, ended early' client.err
    expect_error second 'the client .* ended the test: the pair that sends to all receivers'
}

@test "one sender of several receivers: who was given another -n or group is refused" {
    local bad
    for bad in '-n 400' '-M ff0e::77'; do
        start_named first
        # shellcheck disable=SC2086 # two words
        start_named second $bad
        start_named third
        start_sender -n 500 -s 64
        finish_all client first second third
        expect_status client 1
        expect_status first 0
        expect_status second 1
        expect_status third 0
        expect grep -q 'warning: server localhost:[0-9]* .*was lost' client.err
        expect [ "$(query client.json '[.measurements[-1].peers[] | .iterations] | tostring')" = '[500,null,500]' ]
    done
    expect grep -q 'receives from the multicast group ff0e::77, server localhost:[0-9]* from ff01:0:2:c985::: give' client.err
    run_alone ib_send_bw -g --clients 2
    expect_status alone 2
    expect_error alone 'start each receiver with -g alone, and name all of them on the sender: ib_send_bw -g HOST1,HOST2'
    run_alone ib_send_lat -g localhost,localhost:1
    expect_status alone 2
    expect_error alone 'omit --clients and name one HOST'
}

@test "--connectionless: what does not come is lost, and by time there are rows" {
    start_receiver few -n 600 -s 64 --timeout 1 --out_json
    good_pair ib_send_bw -g -n 500 -s 64
    finish few
    expect_status few 0
    expect [ "$(query perftest_out.json '.measurements[0].lost')" = 100 ]
    # no more than was sent, however many queue pairs wait for it
    start_receiver several -n 600 -s 64 -q 3 --timeout 1 --out_json_file several.json
    good_pair ib_send_bw -g -n 500 -s 64
    finish several
    expect grep -q '100 of 600 messages of 64 bytes were lost, as a mean of 3 queue pairs' several.err
    expect [ "$(query several.json '.measurements[0] | [.iterations, .lost] | tostring')" = "[1500,100]" ]
    start_receiver timed --run_infinitely -D 1 -s 64 -c UD
    start_server ib_send_bw -g
    start_client ib_send_bw -g -D 50 -s 64 --rate_limit 1000 --rate_units p
    await timed said timed '^ 64 +[0-9]+ '
    kill -INT "${pids[timed]}" "${pids[client]}"
    finish client
    finish server
    finish timed
    expect_status timed 0
}

@test "--connectionless: messages of another size are named" {
    start_receiver small -n 500 -s 64
    good_pair ib_send_bw -g -n 500 -s 128
    finish small
    expect_status small 1
    expect_error small 'the other side sends messages of 128 bytes, but this side expects 64'
}

@test "multicast is of both sides, and of a group" {
    server_args=(-g)
    run_pair ib_send_bw -c UD -s 64
    expect_status client 1
    expect_error client '--mcg is given on the server but not on the client'
    local bad
    for bad in fe80::1 10.1.1.1 255:1:0:0:0:2:201:133:0:0:0:0:0:0:0 256:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0 \
        255:1:0:0:0:2:201:133:0:0:0:0:0:0:0:0:0 '' ff0e::1%eth0; do
        run_alone ib_send_lat -g -M "$bad"
        expect_status alone 2
        expect_error alone '--MGID'
    done
    # a GID of the other family does not reach the group
    run_pair ib_send_bw -g -M 239.1.1.1 -x 0 -s 64
    expect_status client 1
    expect_error client "cannot communicate: their address families differ"
}

@test "multicast: all bytes are right" {
    good_pair ib_send_bw -g -n 2000 -s 700 --data_validation
    expect_output client 'VALIDATION: PASSED - 2000 of 2000'
    good_pair ib_send_lat -g -n 100 -s 700 --data_validation
    expect_output client 'VALIDATION: PASSED'
}

@test "multicast: rdma_cm joins, and the user's end and a peer's death leave the group" {
    export PERFTEST_SOFT_CM=1
    start_server ib_send_bw -g --verbose
    start_client ib_send_bw -g -D 50 -s 64 --rate_limit 1000 --rate_units p -z
    await server said server '#bytes'
    expect grep -q 'joined ff01:0:2:c985:: with rdma_cm' server.err
    expect [ -n "$(find "$XDG_RUNTIME_DIR" -name 'multicast-*')" ]
    kill_hard "${pids[client]}"
    finish client
    finish server
    expect_status server 1
    expect_error server 'client'
    start_server ib_send_lat -g
    start_client ib_send_lat -g --run_infinitely
    await server said server '#bytes'
    kill -INT "${pids[client]}"
    finish client
    finish server
    expect [ -z "$(find "$XDG_RUNTIME_DIR" -name 'multicast-*')" ]
}
