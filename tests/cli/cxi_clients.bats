#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# cxi_send_bw with several pairs at once, over libfabric's providers and over the stand-in for libcxi: is the row of all the sum
# of theirs over the common time, and do the others succeed if one fails?
# bats file_tags=slow

# shellcheck disable=SC2016 # the variables are those of jq
# shellcheck disable=SC2154 # finish sets the statuses
# shellcheck disable=SC2030,SC2031 # each test has its own
load helpers
load libfabric

# The sum by another language: of what each moved in its time, over the time from the first start to the last end; each row is
# that of the client's own document.
expect_sums() { # COUNT FILE
    expect_schema "$2"
    expect jq -es '.[0] as $all | .[1:] as $own | all($all.measurements[]; . as $row |
        def near($other): (. - $other | fabs) <= 1e-6 * $other + 1e-9;
        [.peers[] | select(.missing | not)] as $peers | ($peers | map(.begin_seconds + .elapsed_seconds) | max) as $last |
        .part == "total" and .peers_measured == ($peers | length) and (.elapsed_seconds | near($last)) and
        (.bandwidth_bytes_per_second | near(($peers | map(.bandwidth_bytes_per_second * .elapsed_seconds) | add) / $last)) and
        .bandwidth_least_bytes_per_second == ($peers | map(.bandwidth_bytes_per_second) | min) and
        .bandwidth_most_bytes_per_second == ($peers | map(.bandwidth_bytes_per_second) | max) and
        (.fairness | near(($peers | map(.bandwidth_bytes_per_second) | add * add) / ($peers | length) / ($peers | map(.bandwidth_bytes_per_second | . * .) | add))) and
        ([$own[].measurements[] | select(.msg_size_bytes == $row.msg_size_bytes).bandwidth_bytes_per_second] | sort) ==
        ($peers | map(.bandwidth_bytes_per_second) | sort))' "$2" $(seq -f 'c%g.json' "$1")
    expect [ "$(jq -cs 'map(.run_id) | unique | length' "$2" $(seq -f 'c%g.json' "$1"))" = 1 ]
    expect [ "$(query "$2" '[.peer, (.peers | length)] | @json')" = "[null,$1]" ]
}

# bats test_tags=quick
@test "three clients: a row for each and one for all, by number, of two sizes" {
    needs_libfabric
    start_server cxi_send_bw --provider tcp --clients=3 --out_json_file=server.json
    start_clients 3 cxi_send_bw --provider tcp -n 20 -l 8 -s 4K:8K
    finish_clients 3 0
    finish server
    expect_status server 0
    expect_sums 3 server.json
    expect [ "$(grep -cE '^ +(4096|8192) .*  127.0.0.1:[0-9]+$' server.out)" = 6 ]
    expect [ "$(grep -cE '^ +(4096|8192) .*  all 3, fairness [01]\.[0-9]+, overlap [0-9.]+ %$' server.out)" = 2 ]
}

@test "two clients by time, both ways and with checked data, over shm" {
    needs_libfabric
    start_server cxi_send_bw --provider shm --clients=2 --out_json_file=server.json
    start_clients 2 cxi_send_bw --provider shm -D 1 -l 8 -s 4096 -b --verify
    finish_clients 2 0
    finish server
    expect_status server 0
    expect_schema server.json
    expect jq -e '.measurements[0] | .wrong_sends == 0 and .verified_sends == ([.peers[].verified_sends] | add) and .overlap_percent > 50' server.json
}

@test "two clients over libcxi: each pair has objects of its own on the NIC" {
    export LD_LIBRARY_PATH=$PERFTEST_BUILD/tests/cxi/.libs CXI_STANDIN=clients-$BATS_TEST_NUMBER-$port
    start_server cxi_send_bw --clients=2 --out_json_file=server.json
    start_clients 2 cxi_send_bw -n 10 -l 4 -s 100
    finish_clients 2 0
    finish server
    expect_status server 0
    expect_sums 2 server.json
}

@test "a client of two servers, in CSV, with limits of each" {
    needs_libfabric
    local second=$((port + 1))
    launch other "$(program cxi_send_bw)" --provider tcp -p "$second"
    await other grep -q Listening other.out
    start_server cxi_send_bw --provider tcp
    run_alone cxi_send_bw --provider tcp -n 10 -l 8 --limit_bw=1e9 --limit_peers --output_format=csv "127.0.0.1:$port,127.0.0.1:$second"
    finish server
    finish other
    expect_status server 0
    expect_status other 0
    expect_status alone 3
    expect grep -q "the bandwidth of 65536 bytes with 127.0.0.1:$port is below the limit" alone.err
    expect grep -q "the bandwidth of 65536 bytes with 127.0.0.1:$second is below the limit" alone.err
    expect [ "$(cut -d, -f 1,12,13,19 alone.out | sed 1d | paste -sd ' ')" = "result,peer,,127.0.0.1:$port result,peer,,127.0.0.1:$second result,total,2," ]
    start_server cxi_send_bw --provider tcp --clients=1 --limit_bw=1e9
    start_client cxi_send_bw --provider tcp -n 2
    finish client
    finish server
    expect_status server 3
    expect_error server 'the bandwidth of 65536 bytes is below the limit'
}

measures() { # NAME
    grep -q '^Send Size\[' "$1.out"
}

@test "a client that dies while all measure: the others have their rows, and the server says who is missing" {
    needs_libfabric
    start_server cxi_send_bw --provider tcp --clients=2 --out_json_file=server.json
    start_clients 2 cxi_send_bw --provider tcp -D 2 -l 4 -s 4096
    await server measures server
    kill_hard "${pids[c2]}"
    finish c2
    finish c1
    finish server
    expect_status c1 0
    expect_status server 1
    expect_schema server.json
    expect grep -qE 'warning: client 127.0.0.1:[0-9]+ was lost' server.err
    expect [ "$(query server.json '[.status, (.measurements[] | .partial, .peers_measured, (.peers | map(.missing) | sort))] | @json')" = '["failed",true,1,[false,true]]' ]
}

@test "a client that lies gets no row, and ends no other's test" {
    needs_libfabric
    start_server cxi_send_bw --provider tcp --clients=2 -n 2 -s 64 -l 256
    launch liar "$BATS_TEST_DIRNAME/cxi_wire.py" client "$port" sent_nothing
    launch_client c1 cxi_send_bw --provider tcp -n 2 -s 64
    finish liar
    finish c1
    finish server
    expect_status c1 0
    expect_status server 1
    expect_error server 'sent a result that does not belong to this test'
    expect_output server '  all 1, .* \(partial\)$'
}

@test "who is one too many, asks for another test, waits for others too, or never comes" {
    needs_libfabric
    start_server cxi_send_bw --provider tcp --clients=2
    launch_client c1 cxi_send_bw --provider tcp -D 2 -l 4 --timeout=3
    await server grep -q . server.out
    sleep 3.5 # c1 waits beyond its --timeout
    run_alone cxi_send_bw -p "$port" --provider tcp -n 3 127.0.0.1
    expect_status alone 1
    expect_error alone 'all clients must ask for the same test'
    run_alone cxi_send_bw --provider tcp -D 2 -l 4 "127.0.0.1:$port,127.0.0.1:1"
    expect_status alone 1
    expect grep -q 'each would wait for the other' alone.err
    launch_client c2 cxi_send_bw --provider tcp -D 2 -l 4
    await server measures server
    run_alone cxi_send_bw -p "$port" --provider tcp -n 3 127.0.0.1
    expect_status alone 1
    expect_error alone 'this server already has all of its 2 clients'
    finish c1
    finish c2
    finish server
    expect_status c1 0
    expect_status c2 0
    expect_status server 0
    start_server cxi_send_bw --provider tcp --clients=2 --timeout=1
    launch_client c1 cxi_send_bw --provider tcp
    finish c1
    finish server
    expect_status c1 1
    expect_status server 1
    expect_error c1 'only 1 of 2 clients connected'
    expect [ "$(grep -c 'only 1 of 2 clients connected' server.err)" = 1 ] # not by its pairs again
}

@test "--keep_serving: a group after the other; Ctrl-C ends the server, or what is measured" {
    needs_libfabric
    start_server cxi_send_bw --provider tcp --clients=2 --keep_serving --out_json_file=run.json
    start_clients 2 cxi_send_bw --provider tcp -n 2 -l 4
    finish_clients 2 0
    start_clients 2 cxi_send_bw --provider tcp -D 60 -l 4
    await server eval '[[ $(grep -c "^Send Size\[" server.out) -eq 2 ]]'
    kill -INT "${pids[server]}"
    finish_clients 2 1
    finish server
    expect_status server 130
    expect_error c1 'ended the test: stopped by its user'
    expect_schema run.1.json
    expect_schema run.2.json
    start_server cxi_send_bw --provider tcp --clients=2 --keep_serving
    kill -INT "${pids[server]}"
    finish server
    expect_status server 0
}

@test "--keep_serving: a server that can write no document any more, or accept nobody, says so once, and ends" {
    needs_libfabric
    local room=0
    mkdir kept
    start_server cxi_send_bw --provider tcp --clients=1 --keep_serving --out_json_file=kept/run.json
    start_clients 1 cxi_send_bw --provider tcp -n 2 -l 4
    finish_clients 1 0
    mv kept gone
    launch_client c2 cxi_send_bw --provider tcp -n 2 -l 4 # if the document of its group has been opened
    finish c2
    finish server
    expect_status server 1
    expect [ "$(grep -c 'cannot create the JSON file' server.err)" = 1 ]
    start_server cxi_send_bw --provider tcp --clients=1 --keep_serving
    while [[ -e /proc/${pids[server]}/fd/$room ]]; do
        room=$((room + 1))
    done
    prlimit --pid "${pids[server]}" --nofile="$room"
    launch_client c1 cxi_send_bw --provider tcp
    finish c1
    finish server
    expect_status c1 1
    expect_status server 1
    expect [ "$(grep -c 'cannot accept a client: Too many open files; see ulimit -n$' server.err)" = 1 ]
}

# Each of them is one more, and gives the others another --timeout, only the first time.
@test "a client that joins and leaves in turns makes no other wait longer" {
    needs_libfabric
    local rounds=0
    has_joined() { # NAME: it has printed its heading
        ! alive server || said "$1" '^Send Size\[B\]'
    }
    has_left_or_server_ended() {
        ! alive server || (($(grep -c 'disconnected before the start' server.err) >= rounds))
    }
    start_server cxi_send_bw --provider tcp --clients=3 --timeout=2
    launch_client c1 cxi_send_bw --provider tcp
    await c1 has_joined c1
    while alive server && ((++rounds < 300)); do
        launch_client in_turns cxi_send_bw --provider tcp
        await in_turns has_joined in_turns || true
        kill_now "${pids[in_turns]}"
        finish in_turns
        await server has_left_or_server_ended
    done
    expect [ "$rounds" -lt 300 ] # it ends while they come and go, not after the last one
    finish server
    expect_status server 1
    expect said server 'error: only [12] of 3 clients connected'
    finish c1
    expect_status c1 1
}

@test "HPE's program cannot wait for others, and what several pairs lack is said before" {
    export LD_LIBRARY_PATH=$PERFTEST_BUILD/tests/cxi/.libs CXI_STANDIN=clients-$BATS_TEST_NUMBER-$port
    local options
    start_server cxi_send_bw --clients=1
    launch client "$PERFTEST_BUILD/hpe_peer" client "$port" -n 2 -l 4
    finish client
    finish server
    expect_status server 1
    expect grep -q "is HPE's cxi_send_bw, which cannot wait for others" server.err
    while IFS='|' read -r options words; do
        # shellcheck disable=SC2086 # several words
        run_alone cxi_send_bw $options
        expect_status alone 2
        expect_error alone "$words"
    done <<'TABLE'
--clients=2 127.0.0.1|--clients is for the server
a,b --report_interval 1|print one row for the whole run
a,b --repeat 2|the row of a single measurement
a,b --explain|--explain looks at one pair
--clients=2 -W all|-W counts on one device
--limit_peers --limit_bw 1|--limit_peers compares each peer
a,a|a
TABLE
    run_alone cxi_send_bw --clients=2 --provider=none
    expect_status alone 1
    refuse_output alone Listening
}
