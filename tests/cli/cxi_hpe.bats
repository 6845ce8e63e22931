#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# cxi_send_bw with HPE's program as its peer, over the stand-in for libcxi (tests/cxi/README.md): tests/cxi/hpe_peer
# behaves as that program does, and tests/cli/cxi_wire.py sends its bytes with what no program would send.

load helpers

over_standin() {
    export LD_LIBRARY_PATH=$PERFTEST_BUILD/tests/cxi/.libs
    export CXI_STANDIN=hpe-$BATS_TEST_NUMBER-$port CXI_STANDIN_REPORT=$PWD/counts
    peer=$PERFTEST_BUILD/hpe_peer
}

# Size, bandwidth and packet rate of each row.
rows() { # NAME
    awk 'NF == 4 && /^ +[0-9]+ +([0-9]+|-) +[0-9.]+ +[0-9.]+$/ { print $1, $3, $4 }' "$1.out"
}

# One pair in each role; the rows of both sides are the same but for their sends.
with_hpe() { # OPTIONS
    launch server "$peer" server "$port"
    await server listening server
    start_client cxi_send_bw "$@"
    finish client
    finish server
    expect_equal_rows "$@"
    start_server cxi_send_bw
    launch client "$peer" client "$port" "${@/--no-idc/-I}"
    finish client
    finish server
    expect_equal_rows "$@"
}

expect_equal_rows() { # OPTIONS
    expect_status client 0
    expect_status server 0
    rows client >client.rows
    rows server >server.rows
    expect test -s client.rows
    diff client.rows server.rows || {
        echo "with $*"
        return 1
    }
    for side in 0 1; do
        expect grep -q '^violations 0$' "counts.$side"
        expect grep -q '^lost_events 0$' "counts.$side"
    done
    rm counts.*
}

# bats test_tags=quick
@test "with HPE's program as server and as client the rows are equal, for each way to send" {
    over_standin
    local options
    while read -ra options; do
        with_hpe "${options[@]}"
    done <<'TABLE'
-n 3 -l 8 -s 64:512
-n 20 -l 16 -s 192 -b
-n 5 -l 9 -s 100 -b --no-idc
-n 4 -l 40 -s 3000
-n 30 -l 1 -s 1 -b
TABLE
}

@test "with HPE's program rendezvous passes, in one direction and in both, whoever gets the data" {
    over_standin
    local getter
    for getter in hardware software both; do
        export CXI_STANDIN_GETS=$getter
        with_hpe -n 4 -l 12 -s 5000 -R
        with_hpe -n 4 -l 12 -s 5000 -R -b
    done
}

@test "with HPE's program a run by time ends where either side is, also from one size to the next" {
    over_standin
    with_hpe -D 1 -l 8 -s 1024:2048 -b
    with_hpe -D 1 -l 8 -s 1024 -b -R
}

# bats test_tags=long
@test "with HPE's program a run by time ends in one direction, too" {
    over_standin
    with_hpe -D 1 -l 8 -s 1024:2048
    with_hpe -D 1 -l 8 -s 1024:2048 -R
}

@test "a server takes clients of each version of HPE's program, and one that it refuses learns nothing but that" {
    over_standin
    start_server cxi_send_bw
    launch client "$peer" client "$port" -n 2 -l 4 -V 2.2.0
    finish client
    finish server
    expect_equal_rows
    start_server cxi_send_bw --explain --out_json_file=server.json
    launch client "$peer" client "$port" -n 2 -l 4
    finish client
    finish server
    expect_equal_rows
    expect_schema server.json
    expect [ "$(query server.json '[.peer, .run_id, .explanation.remote, (.explanation.local | type)] | @json')" = '[null,null,null,"object"]' ]
    expect_output server '^The other side cannot tell what it has seen$'
    start_server cxi_send_bw -l 5
    launch client "$peer" client "$port" -n 2 -l 4
    finish client
    finish server
    expect_status server 1
    expect_error server '5 on the server and 4 on the client'
    expect grep -q 'remote connection closed' client.err
}

@test "what HPE's server refuses is not taken for a crash, and what it cannot do is said before" {
    over_standin
    launch server "$peer" server "$port" -q
    await server listening server
    start_client cxi_send_bw
    finish client
    finish server
    expect_status client 1
    expect_error client "closed the connection while this side waited for its (messages|readiness): it is HPE's cxi_send_bw"
    launch server "$peer" server "$port" -V 2.2.0
    await server listening server
    start_client cxi_send_bw
    finish client
    finish server
    expect_status client 1
    expect_error client "is HPE's cxi_send_bw 2.2.0, and only serves clients of that version"
    launch server "$peer" server "$port"
    await server listening server
    start_client cxi_send_bw --verify
    finish client
    finish server
    expect_status client 1
    expect_error client "is HPE's cxi_send_bw: it cannot check data: omit --verify"
    launch server "$peer" server "$port"
    await server listening server
    start_client cxi_send_bw -s '1K:16K:*4'
    finish client
    finish server
    expect_status client 1
    expect_error client "is HPE's cxi_send_bw: it doubles each size: give -s MIN:MAX"
}

@test "who begins as HPE's program and goes on otherwise is ignored, and the next one is served" {
    over_standin
    local case
    local -a cases=(hpe_other_name hpe_long_name hpe_no_version hpe_open_version hpe_long_version hpe_too_long)
    start_server cxi_send_bw
    for case in "${cases[@]}"; do
        launch "$case" "$BATS_TEST_DIRNAME/cxi_wire.py" client "$port" "$case"
    done
    for case in "${cases[@]}"; do
        finish "$case"
    done
    launch client "$peer" client "$port" -n 1 -l 2
    finish client
    finish server
    expect_equal_rows
}

# CASE OF A CLIENT|what the server says
client_cases() {
    cat <<'TABLE'
hpe_short_options|sent an invalid message, its options: it is not as long as those of HPE's
hpe_long_options|sent an invalid message, its options: it is too long
hpe_no_list|--list-size
hpe_long_list|--list-size
hpe_no_size|--size
hpe_odd_range|--size
hpe_iterations|--iters
hpe_no_room|--buf-sz must hold the largest send
hpe_emulation|--emu-mode needs an emulated NIC
hpe_pages|its huge pages have no known size
hpe_time|it cannot run for more than 4294 s
hpe_cleanup|give one size
hpe_bad_nic|NIC 0x100000
hpe_bad_pid|PID 512
hpe_no_barrier|sent an invalid message, its readiness: it has another length
hpe_leaves|closed the connection .* it is HPE's cxi_send_bw
hpe_sent_nothing|a result that does not belong to this test: it finished more lists than were answered
hpe_too_few|it finished another number of lists
hpe_half_a_list|its sends are not whole lists
hpe_no_time|its sends took no time
hpe_all_time|its time is impossible
hpe_unanswered|it finished more lists than were answered
hpe_short_result|sent an invalid message, its result: it has another length
TABLE
}

# CASE OF A SERVER|what the client says
server_cases() {
    cat <<'TABLE'
hpe_only_name|was silent for 2 s while this side waited for its greeting
hpe_lat|greeting from the server .* is invalid
hpe_old|is HPE's cxi_send_bw 2.2.0, and only serves clients of that version
hpe_mark|it greets as a client
hpe_refuses|closed the connection .* it is HPE's cxi_send_bw
hpe_short_options|sent an invalid message, its options: it is not as long
hpe_bad_nic|NIC 0x80000000
hpe_sends|the NIC reports ACK: undeliverable|sent a result that does not belong to this test
TABLE
}

# Some at a time: each has a thread of the stand-in's NIC that never rests.
serve_bad_clients() { # CASE|WORDS...
    local row case
    local -A ports=()
    for row; do
        case=${row%%|*} port=$((port + 1))
        ports[$case]=$port
        launch "server_$case" "$(program cxi_send_bw)" -p "$port" --timeout 5
    done
    for row; do
        case=${row%%|*}
        port=${ports[$case]}
        await "server_$case" listening "server_$case"
        launch "client_$case" "$BATS_TEST_DIRNAME/cxi_wire.py" client "$port" "$case"
    done
    for row; do
        case=${row%%|*}
        finish "server_$case"
        finish "client_$case"
        expect_status "server_$case" 1
        expect_error "server_$case" "${row#*|}"
        refuse_output "server_$case" '^ +64 .*[0-9]$'
    done
}

visit_bad_servers() { # CASE|WORDS...
    local row case
    for row; do
        case=${row%%|*} port=$((port + 1))
        launch "peer_$case" "$BATS_TEST_DIRNAME/cxi_wire.py" server "$port" "$case"
        await "peer_$case" listening "peer_$case"
        launch_client "guest_$case" cxi_send_bw --timeout 2 -n 2 -l 4 -s 64
    done
    for row; do
        case=${row%%|*}
        finish "guest_$case"
        finish "peer_$case"
        expect_status "guest_$case" 1
        expect_error "guest_$case" "${row#*|}"
        refuse_output "peer_$case" . # not even a refusal, which HPE's program does not know
    done
}

@test "clients and servers that send HPE's bytes and keep to nothing end the other side in one line" {
    over_standin
    local n
    local -a rows
    mapfile -t rows < <(client_cases)
    for ((n = 0; n < ${#rows[@]}; n += 6)); do serve_bad_clients "${rows[@]:n:6}"; done
    mapfile -t rows < <(server_cases)
    for ((n = 0; n < ${#rows[@]}; n += 4)); do visit_bad_servers "${rows[@]:n:4}"; done
}
