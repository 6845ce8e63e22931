#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Several pairs at once: is the common row the sum of the pairs' rows, and do the others succeed if one fails?

# shellcheck disable=SC2016 # the variables are those of jq
# shellcheck disable=SC2154 # finish sets the statuses
# shellcheck disable=SC2030,SC2031 # each test has its own
load helpers
load in_front

setup_file() {
    in_front_build fail_call
}

bandwidth=bandwidth_average_bytes_per_second

# COUNT clients with a server that waits for so many; all content.
good_group() { # COUNT PROGRAM OPTIONS
    local count=$1 program=$2
    shift 2
    start_server "$program" --clients "$count" --out_json_file server.json "${server_args[@]}"
    start_clients "$count" "$program" "$@"
    finish_clients "$count" 0
    finish server
    expect_status server 0
    expect_schema server.json
    expect [ "$(jq -cs 'map(.run_id) | unique | map(type)' server.json c1.json "c$count.json")" = '["string"]' ]
    # where each client's figures come from, as its own document says
    # shellcheck disable=SC2046 # names
    expect jq -es --argjson count "$count" '.[0].peers as $peers | ($peers | length) == $count and
        all(.[1:][]; . as $own | any($peers[]; .build == $own.tool.build and .system == $own.host and .device.name == $own.device.name))' \
        server.json $(seq -f 'c%g.json' "$count")
}

last() { # FILE FILTER
    query "$1" "[.measurements[] | select(.part == \"total\")] | last | $2"
}

# The figure of each client, as its own document has it and as the server's does.
expect_same_rows() { # COUNT KEY
    local n own='' theirs
    for ((n = 1; n <= $1; n++)); do own+="$(last "c$n.json" ".$2 | tostring")"$'\n'; done
    theirs=$(last server.json ".peers[] | .$2 | tostring")
    expect [ "$(sort <<<"${own%$'\n'}")" = "$(sort <<<"$theirs")" ]
}

# Sum, time, overlap, least, most and Jain's index from the rows of the pairs, in another language.
expect_sums() { # FILE
    last "$1" "[.$bandwidth, .bandwidth_least_bytes_per_second, .bandwidth_most_bytes_per_second, .fairness, .overlap_percent,
        .elapsed_seconds], (.peers[] | select(.missing | not) | [.$bandwidth, .begin_seconds, .elapsed_seconds,
        if .iterations_local then (.iterations_local + .iterations_remote) * .size_bytes else .$bandwidth * .elapsed_seconds end]) |
        @tsv" >rows.tsv
    awk 'function near(a, b) { d = a - b; return (d < 0 ? -d : d) <= 1e-6 * (b < 0 ? -b : b) + 1e-9 }
        NR == 1 { total = $1; least = $2; most = $3; fair = $4; overlap = $5; elapsed = $6; next }
        { end = $2 + $3; bytes += $4; sum += $1; squares += $1 * $1
          if (NR == 2 || $1 < low) low = $1
          if (NR == 2 || $1 > high) high = $1
          if (NR == 2 || $2 < first) first = $2
          if (NR == 2 || $2 > late) late = $2
          if (NR == 2 || end < early) early = end
          if (NR == 2 || end > final) final = end }
        END { together = early > late ? 100 * (early - late) / (final - first) : 0
            exit !(near(total, bytes / (final - first)) && near(least, low) && near(most, high) &&
                near(fair, sum * sum / ((NR - 1) * squares)) && near(overlap, together) && near(elapsed, final - first)) }' rows.tsv ||
        expect false
}

# But for what processes differ by that calibrate the clock each for itself.
expect_near() { # FIGURE FIGURE
    expect holds "($1 / $2 - 1) ^ 2 < 0.001 ^ 2"
}

@test "bandwidth of three clients: one row, whose sum, least, most, fairness and overlap follow from theirs" {
    local program
    for program in ib_write_bw ib_send_bw ib_atomic_bw; do
        good_group 3 "$program" -n 2000
        expect_rows server 1
        expect_output server '#peers +least\[MiB/sec\] +most\[MiB/sec\] +fairness +overlap\[%\]$'
        expect_same_rows 3 $bandwidth
        expect_sums server.json
        expect [ "$(last server.json '[.iterations, .peers_measured, (.peers | length)] | tostring')" = "[6000,3,3]" ]
        expect holds "$(last server.json .fairness) <= 1 && $(last server.json .fairness) >= 1 / 3"
    done
    # what a member knows of its device and its peer is in the header of all
    expect_output server ' Software device : soft0 .*the figures are those of this host'
}

@test "bandwidth by time, both ways, of all sizes, of datagrams, on one CPU" {
    good_group 2 ib_write_bw -D 1 -f 0
    expect_sums server.json
    expect holds "$(last server.json .overlap_percent) > 50"
    good_group 2 ib_send_bw -b -n 500 --report_gbits
    expect_sums server.json
    good_group 2 ib_read_bw -a -n 10
    expect_rows server 23
    expect_same_rows 2 $bandwidth
    good_group 2 ib_send_bw -c UD -s 1K -D 1 -f 0 -q 2
    expect_sums server.json
    under=(taskset -c "$(taskset -cp $$ | sed 's/.*: *\([0-9]*\).*/\1/')")
    good_group 2 ib_write_bw -n 100
    expect_sums server.json
}

@test "datagrams that are lost: the row is of those that arrived" {
    good_group 2 ib_send_bw -c UD -r 4 -n 5000 -s 1K
    # null if nothing arrived after what one of them found at once
    expect [ "$(last server.json "(.$bandwidth // 0) * (.elapsed_seconds // 0) <= 1.001 * .iterations * 1024")" = true ]
    expect [ "$(last server.json '.iterations + .lost')" = 10000 ]
    expect [ "$(last server.json '[.peers[] | .iterations + .lost] | tostring')" = "[5000,5000]" ]
    expect holds "$(last server.json .lost) > 0"
}

# Nor are the two directions of a pair added up, which did not last equally long.
@test "both ways, one of them slower: what was moved over the common time" {
    server_args=(--rate_limit 100 --rate_units p)
    good_group 2 ib_write_bw -b -n 40 -s 64 --rate_limit 400 --rate_units p
    expect_sums server.json
    # 160 messages in at least 0.4 s
    expect holds "$(last server.json .message_rate_per_second) <= 400 * 1.001"
    expect holds "$(last server.json '.peers[0].message_rate_per_second') <= 400 * 1.001"
}

@test "latency of three clients: the samples of all" {
    local program
    for program in ib_write_lat ib_send_lat ib_read_lat ib_atomic_lat; do
        good_group 3 "$program" -n 32
        expect_rows server 1
        expect [ "$(last server.json '[.iterations, .latency_histogram.count, .peers_measured] | tostring')" = "[96,96,3]" ]
        expect_same_rows 3 iterations
        jq -s '[.[].measurements[0] | .latency_min_usec] | min' c?.json >least
        jq -s '[.[].measurements[0] | .latency_max_usec] | max' c?.json >most
        jq -s '[.[].measurements[0] | .latency_typical_usec]' c?.json >medians
        expect_near "$(last server.json .latency_min_usec)" "$(<least)"
        expect_near "$(last server.json .latency_max_usec)" "$(<most)"
        expect holds "$(last server.json .latency_typical_usec) >= $(jq min medians) * 0.99 && $(last server.json .latency_typical_usec) <= $(jq max medians) * 1.01"
        expect_near "$(last server.json .latency_typical_least_usec)" "$(jq min medians)"
        expect_near "$(last server.json .latency_typical_most_usec)" "$(jq max medians)"
        expect_near "$(last server.json .fairness)" "$(jq '(add * add) / (length * (map(. * .) | add))' medians)"
    done
    good_group 2 ib_send_lat -D 1 -f 0
    expect [ "$(last server.json .iterations)" = "$(jq -s '[.[].measurements[0].iterations] | add' c1.json c2.json)" ]
}

@test "--explain: the server explains the common row, with what each client has seen" {
    local n
    good_group 2 ib_write_bw -D 1 --explain
    expect [ "$(query server.json '.explanation | "\(.remote) \(.peers | length) \(.local.observed_seconds >= 1)"')" = "null 2 true" ]
    expect [ "$(query server.json '[.explanation.peers[].peer] | sort')" = "$(last server.json '[.peers[].address] | sort')" ]
    expect jq -e '(.explanation.peers | map({(.rank | tostring): .peer}) | add) as $peers |
        .explanation.causes | all(.[].instances[]; .peer == $peers[.rank | tostring])' server.json
    # what a client has seen is in its own document, too
    expect [ "$(query server.json '[.explanation.peers[].facts.process_cpu_seconds] | sort')" = \
        "$(jq -s '[.[].explanation.local.process_cpu_seconds] | sort' c1.json c2.json)" ]
    expect_output server '^ (Likeliest cause|No cause found): '
    # none has asked for it
    good_group 2 ib_write_bw -n 100
    expect [ "$(query server.json '.explanation')" = null ]
    refuse_output server 'cause'
}

@test "one client is a common row, too; CSV and a number of it" {
    good_group 1 ib_write_bw -n 100
    expect [ "$(last server.json '[.fairness, .overlap_percent, .peers_measured] | tostring')" = "[1,100,1]" ]
    server_args=(--output_format=csv)
    good_group 2 ib_write_bw -n 100
    expect [ "$(cut -d, -f 2 server.out | tr '\n' ' ')" = "part total peer peer " ]
    server_args=(--output=bandwidth)
    good_group 2 ib_write_bw -n 100
    expect [ "$(wc -l <server.out)" = 1 ]
}

# Below the table of all the rows that the clients have printed, by their addresses.
@test "a row for each client, at the server" {
    local n
    server_args=(--report-both)
    good_group 2 ib_write_bw -a -n 20
    expect_rows server 69
    expect_output server '^ Results of each peer: $'
    for n in 1 2; do rows "c$n" | awk '{ print $1, $2, $4, $5 }'; done | sort >theirs
    rows server | awk 'NF == 6 { print $1, $2, $4, $5 }' | sort >ours
    expect cmp ours theirs
    expect [ "$(rows server | awk 'NF == 6 { print $6 }' | sort -u | grep -c '^127.0.0.1:')" = 2 ]
    good_group 2 ib_read_lat -n 20
    expect_rows server 3
    server_args=()
}

@test "limits are those of the common row" {
    start_server ib_write_bw --clients 2 -w 100000000
    start_clients 2 ib_write_bw -n 100
    finish_clients 2 0
    finish server
    expect_status server 3
    expect_error server "below bw limit"
}

@test "--limit_peers: limits are those of each peer, which is named" {
    start_server ib_write_bw --clients 2 -w 100000000 --limit_peers
    start_clients 2 ib_write_bw -n 100
    finish_clients 2 0
    finish server
    expect_status server 3
    expect [ "$(grep -cE 'below bw limit: [0-9.]+ MiB/s at 65536 bytes with 127.0.0.1:[0-9]+$' server.err)" = 2 ]
    server_args=(--max_percentiles 50:0.001 --limit_peers)
    start_server ib_read_lat --clients 2 "${server_args[@]}"
    start_clients 2 ib_read_lat -n 100
    finish_clients 2 0
    finish server
    expect_status server 3
    expect [ "$(grep -cE 'the 50% percentile of latency is above the limit: [0-9.]+ usec at 2 bytes with 127.0.0.1:[0-9]+$' server.err)" = 2 ]
    server_args=(-w 0.001 --limit_peers)
    good_group 2 ib_write_bw -n 100

    # ... and of several servers
    start_server ib_write_bw
    start_second ib_write_bw
    launch client "$(program ib_write_bw)" -n 500 -w 100000000 --limit_peers --out_json_file client.json "127.0.0.1:$port,127.0.0.1:$second"
    finish client
    finish server
    finish second
    expect_status client 3
    expect [ "$(query client.json '.missed_limits | length')" = 2 ]
    expect [ "$(query client.json '[.measurements[0].peers[] | has("possible")] | tostring')" = "[true,true]" ]
    expect_schema client.json
}

@test "a stdout that takes nothing is the server's own failure" {
    launch server bash -c "exec '$(program ib_write_bw)' -p $port --clients 1 >/dev/full"
    await server listening server
    start_clients 1 ib_write_bw -n 50
    finish_clients 1 1
    finish server
    expect_status server 1
    expect_error c1 "ended the test: cannot write the results to stdout"
    expect_error server "^ib_write_bw: error: cannot write the results to stdout"
    expect [ "$(grep -c 'was lost' server.err)" = 0 ]
}

@test "one client too many" {
    start_server ib_write_bw --clients 2
    start_clients 2 ib_write_bw -D 2 -f 0
    await c1 started
    launch_client third ib_write_bw
    finish third
    expect_status third 1
    expect_error third 'refuses: this server already has all of its 2 clients'
    finish_clients 2 0
    finish server
    expect_status server 0
}

# What the server's Nth call of a kind meets.
start_struck_server() { # KIND:N OPTIONS
    in_front_of fail_call
    under=("${in_front[@]}" FAIL_CALL="$1" FAIL_CALL_FILE="$PWD/struck")
    shift
    start_server ib_write_bw "$@"
    under=()
}

@test "a client for which no process can be had: it and all others get the reason" {
    start_struck_server fork:3 --clients 3 --verbose
    launch_client c1 ib_write_bw -n 50
    await server said server 'has connected, 1 of 3'
    launch_client c2 ib_write_bw -n 50
    finish_clients 2 1
    finish server
    expect_status server 1
    expect_error server "cannot start the process of a pair: Resource temporarily unavailable"
    expect_error c1 "ended the test: cannot start the process of a pair"
    expect_error c2 "refuses: cannot start the process of a pair"
}

@test "--keep_serving: a server that can accept nobody any more says so once, and ends" {
    local room=0
    start_server ib_write_bw --clients 1 --keep_serving
    while [[ -e /proc/${pids[server]}/fd/$room ]]; do
        room=$((room + 1))
    done
    prlimit --pid "${pids[server]}" --nofile="$room"
    launch_client c1 ib_write_bw -n 50
    finish c1
    finish server
    expect_status c1 1
    expect_status server 1
    expect [ "$(grep -c 'error: cannot accept a client: Too many open files; see ulimit -n$' server.err)" = 1 ]
}

# Connections that stand, of both families.
established() { # COUNT
    [ "$(awk -v port="$(printf ':%04X' "$port")" '$4 == "01" && index($2, port)' /proc/net/tcp /proc/net/tcp6 | wc -l)" -ge "$1" ]
}

@test "a client waits for a place that may become free" {
    local stopped
    has_stopped_child() {
        stopped=$(pgrep -P "${pids[server]}") && [[ $(<"/proc/$stopped/stat") == *") T "* ]]
    }
    start_struck_server child:2 --clients 2 --verbose
    launch_client c1 ib_write_bw -n 50
    await server has_stopped_child
    launch_client c2 ib_write_bw -n 50
    await server said server 'has connected, 1 of 2'
    launch_client c3 ib_write_bw -n 50
    await c3 established 3
    expect [ "$(grep -c refuses c3.err)" = 0 ]
    kill_hard "$stopped"
    finish c1
    finish c2
    finish c3
    finish server
    expect [ "$c1_status $c2_status $c3_status $server_status" = "1 0 0 0" ]
}

@test "the next clients of a server that keeps serving wait for their turn" {
    start_server ib_write_bw --clients 2 --keep_serving --out_json_file server.json
    start_clients 2 ib_write_bw -D 1 -f 0
    await c1 started
    launch_client c3 ib_write_bw -n 50 -s 8
    launch_client c4 ib_write_bw -n 50 -s 8
    finish_clients 4 0
    await server [ -s server.2.json ]
    kill -INT "${pids[server]}"
    finish server
    expect_status server 0
    expect_schema server.1.json server.2.json
}

@test "clients that ask for different tests, of an older version, of linux-rdma perftest, and who are none" {
    start_server ib_write_bw --clients 2 --verbose
    run_alone "$PERFTEST_TOP/tests/cli/tcp_peer" -p "$port" rubbish 127.0.0.1
    launch silent "$PERFTEST_TOP/tests/cli/tcp_peer" -p "$port" silent 127.0.0.1
    launch_client c1 ib_write_bw -n 50
    await server said server 'has connected, 1 of 2'
    kill_now "${pids[silent]}" # before its HELLO
    finish silent
    start_client ib_write_bw -n 60
    finish client
    expect_status client 1
    expect_error client 'all clients must ask for the same test: iters=60, but for the first client iters=50'
    run_alone "$PERFTEST_TOP/tests/cli/native_peer" -p "$port" greet=5 hello=iters=50 127.0.0.1
    expect said server 'speaks versions 5 to 5 of the protocol, this program version [0-9]+: run the same perftest on both sides'
    run_alone "$PERFTEST_TOP/tests/cli/tcp_peer" -p "$port" hangup 127.0.0.1
    launch_client c2 ib_write_bw -n 50
    finish_clients 2 0
    finish server
    expect_status server 0
}

@test "a server does not wait on when as many clients as it waits for were refused" {
    start_server ib_write_bw --clients 2 -n 2000
    start_clients 2 ib_write_bw -n 1000
    finish_clients 2 1
    finish server
    expect_status server 1
    expect said server 'error: 127\.0\.0\.1:[0-9]+: --iters is 1000 on the client and 2000 on the server'
    expect said server 'error: none of 2 clients could join, and this server waits for 2 .--clients.$'
}

@test "a server whose clients were refused says how many had joined before" {
    start_server ib_write_bw --clients 2 -n 2000 --verbose
    launch_client victim ib_write_bw -n 2000
    await server said server 'has connected, 1 of 2'
    kill_hard "${pids[victim]}"
    finish victim
    await server said server 'disconnected before the start'
    start_clients 2 ib_write_bw -n 1000
    finish_clients 2 1
    finish server
    expect_status server 1
    expect said server 'error: none of 2 clients could join, 1 other joined and left again, and this server waits for 2 .--clients.$'
}

@test "a client that is killed while others are waited for leaves its place" {
    local pid
    start_server ib_send_bw --clients 3 --verbose
    launch_client c1 ib_send_bw -n 50
    launch_client victim ib_send_bw -n 50
    await server said server 'has connected, 2 of 3'
    pid=${pids[victim]}
    kill_hard "$pid"
    finish victim
    await server said server "process $pid\) disconnected before the start"
    launch_client c2 ib_send_bw -n 50
    launch_client c3 ib_send_bw -n 50
    finish_clients 3 0
    finish server
    expect_status server 0
    expect_rows server 1
}

# The table's head is the group's: all have started.
started() {
    said server '^ #bytes'
}

# Processor time behind the head of its table: messages move.
works() { # NAME
    said "$1" '^ #bytes' && awk '{ exit !($14 > 10) }' "/proc/${pids[$1]}/stat"
}

# In the test itself: the others end well, and the row says that it is not of all.
one_is_lost() { # SIGNAL PROGRAM OPTIONS
    local pid signal=$1 program=$2
    shift 2
    start_server "$program" --clients 3 --timeout 2 --out_json_file server.json
    start_clients 2 "$program" "$@"
    launch_client victim "$program" "$@"
    pid=${pids[victim]}
    await victim started
    kill -"$signal" "$pid"
    finish_clients 2 0
    finish server
    kill_now "$pid"
    finish victim
    expect_status server 1
    expect grep -q "warning: client .*process $pid) was lost" server.err
    expect_schema server.json
    expect [ "$(last server.json '[.peers_measured, .partial, ([.peers[] | select(.missing) | .process] | tostring)] | tostring')" = "[2,true,\"[$pid]\"]" ]
    expect_output server '\(partial\)'
}

# bats test_tags=long
@test "a client that is killed, or stopped, in the test" {
    one_is_lost KILL ib_write_bw -D 2 -f 0
    expect_sums server.json
    one_is_lost KILL ib_send_lat -D 2 -f 0
    one_is_lost STOP ib_send_bw -D 2 -f 0
    good_pair ib_write_bw -n 10 # tidies what the dead ones left
}

@test "a client that is stopped while it waits is missed once the others have begun" {
    local pid
    start_server ib_send_lat --clients 2 --timeout 2 --verbose --out_json_file server.json
    launch_client victim ib_send_lat -n 50
    await server said server 'has connected, 1 of 2'
    pid=${pids[victim]}
    kill -STOP "$pid"
    start_clients 1 ib_send_lat -n 50
    finish_clients 1 0
    finish server
    kill_now "$pid"
    finish victim
    expect_status server 1
    expect grep -q "warning: client .*process $pid) was lost" server.err
    expect [ "$(last server.json '[.peers_measured, .partial, .iterations] | tostring')" = "[1,true,50]" ]
    good_pair ib_write_bw -n 10 # tidies what the dead one left
}

@test "a client that is stopped at the start runs after the other, and the row says so" {
    local pid
    start_server ib_write_bw --clients 2 --verbose --out_json_file server.json
    launch_client c1 ib_write_bw -D 1 -f 0 --out_json_file c1.json
    await server said server 'is ready'
    pid=${pids[c1]}
    kill -STOP "$pid"
    launch_client c2 ib_write_bw -D 1 -f 0 --out_json_file c2.json
    # its row is printed: it has been measured
    await c2 measuring c2
    kill -CONT "$pid"
    finish_clients 2 0
    finish server
    expect_status server 0
    expect_schema server.json
    expect_sums server.json
    expect [ "$(last server.json .overlap_percent)" = 0 ]
    expect holds "$(last server.json .clock_error_seconds) > 0"
    expect grep -q 'warning: all pairs ran at the same time for only 0 % of the time at 65536 bytes: raise -D$' server.err
}

@test "too few clients: all get the reason" {
    start_server ib_write_bw --clients 2 --timeout 1
    start_client ib_write_bw -n 50
    finish client
    finish server
    expect_status client 1
    expect_status server 1
    expect_error client 'only 1 of 2 clients connected, and no further one within 1 s'
    expect_error server 'only 1 of 2 clients connected'
}

# Each of them is one more, and gives the others another --timeout, only the first time.
@test "a client that joins and leaves in turns makes no other wait longer" {
    local rounds=0
    has_left_or_server_ended() {
        ! alive server || (($(grep -c 'disconnected before the start' server.err) >= rounds))
    }
    start_server ib_write_bw --clients 3 --timeout 2 --verbose
    launch_client c1 ib_write_bw -n 50
    await server said server 'has connected, 1 of 3'
    while alive server && ((++rounds < 300)); do
        launch_client in_turns ib_write_bw -n 50
        await in_turns said server "process ${pids[in_turns]}\) has connected" || true
        kill_hard "${pids[in_turns]}" 2>/dev/null || true
        finish in_turns
        await server has_left_or_server_ended
    done
    expect [ "$rounds" -lt 300 ] # it ends while they come and go, not after the last one
    finish server
    expect_status server 1
    expect said server 'error: only [12] of 3 clients connected'
    finish c1
    expect_status c1 1
    good_pair ib_write_bw -n 10 # tidies what the dead ones left
}

# Longer than its own limit: the server's words count as life.
@test "a client waits for the others beyond its --timeout" {
    start_server ib_write_lat --clients 2 --verbose
    launch_client c1 ib_write_lat -n 50 --timeout 1
    await server said server 'has connected, 1 of 2'
    sleep 1.5 # more than that limit
    launch_client c2 ib_write_lat -n 50
    finish_clients 2 0
    finish server
    expect_status server 0
}

start_first_of_two() {
    start_server ib_write_bw --clients 2 --verbose
    launch_client c1 ib_write_bw -n 50
    await server said server 'has connected, 1 of 2'
}

start_two_at_work() { # the server has a part in SENDs
    start_server ib_send_bw --clients 2
    start_clients 2 ib_send_bw -D 60 -f 0
    await c1 works c1
    await c2 works c2
}

@test "Ctrl-C at the server while it waits and while it measures, and at a client" {
    start_first_of_two
    kill -INT "${pids[server]}"
    finish server
    finish c1
    expect_status server 130
    expect_status c1 1
    expect_error c1 '(ended the test|refuses): stopped by its user' # the server may not have told it to wait yet

    start_two_at_work
    kill -INT "${pids[server]}"
    finish server
    finish_clients 2 1
    expect_status server 130
    expect_output server '\(partial\)'

    start_server ib_write_bw --clients 2
    start_clients 2 ib_write_bw -D 4 -f 0 # on a busy host, too, long enough for c1 to work
    await c1 works c1
    kill -INT "${pids[c1]}"
    finish c1
    finish c2
    finish server
    expect_status c1 130
    expect_status c2 0
    expect_status server 1
    expect_output server '\(partial\)'
}

# Its members end with it, and did not stop by themselves.
@test "a server is killed while it waits and while it measures: its clients report what is gone" {
    local n
    start_first_of_two
    kill_now "${pids[server]}"
    finish server
    finish c1
    expect_status c1 1
    expect_error c1 '(ended the test|refuses): the process that coordinates this test is gone' # before or after it has joined

    start_two_at_work
    kill_now "${pids[server]}"
    finish server
    finish_clients 2 1
    for n in 1 2; do
        expect said "c$n" 'error: .*ended the test: the process that coordinates this test is gone'
        expect_output "c$n" '\(partial\)'
    done
    good_pair ib_write_bw -n 10 # tidies what the dead one left
}

# A job's signals come to the server alone, which passes each on; a member that waits for what does not come ends by the second.
@test "Ctrl-C once more at a server whose client stands still" {
    local member
    start_server ib_send_bw --clients 1 --timeout 300
    start_clients 1 ib_send_bw -D 60 -f 0
    await c1 works c1
    kill -STOP "${pids[c1]}"
    member=$(pgrep -P "${pids[server]}")
    expect [ "$(ps -o pgid= -p "$member" | tr -d ' ')" = "$member" ]
    interrupted() {
        kill -INT "${pids[server]}" 2>/dev/null
        ! alive server
    }
    await server interrupted
    kill_now "${pids[c1]}"
    finish c1
    finish server
    expect_status server 130
    good_pair ib_write_bw -n 10 # tidies what the dead one left
}

@test "what a peer says at the wrong time or wrongly, and samples that are none" {
    local peer="$PERFTEST_TOP/tests/cli/native_peer" line
    # what comes behind the result, and the words for it
    for line in "samples=5:1,5:1|sent an invalid message, its samples: buckets are out of order" \
        "samples=7500:1|sent an invalid message, its samples: buckets are out of order" \
        "samples=506:3,634:3|sent invalid samples: there are more than the test has messages" \
        "samples=506:1,634:1+4|sent invalid samples: there are more than the test has messages" \
        "samples=506:1,634:1+18446744073709551615|its samples: it has more messages than are possible in this time" \
        "samples=3:0|sent an invalid message, its samples: a bucket is empty" \
        "barrier=2|sent its readiness while this side waited for its samples" \
        "finish|closed the connection"; do
        start_server ib_read_lat --clients 1 --timeout 2
        launch peer "$peer" -p "$port" --program ib_read_lat greet hello=size=64,iters=5 endpoints barrier=1 clock barrier=16 \
            done=5 result=64,5,1000 "${line%|*}" hold 127.0.0.1
        finish peer
        finish server
        expect_status server 1
        expect_error server "${line#*|}"
    done
}

@test "a client that is never ready, and a WAIT for one that is alone" {
    local peer="$PERFTEST_TOP/tests/cli/native_peer"
    start_server ib_write_bw --clients 1 --timeout 1
    launch peer "$peer" -p "$port" greet hello=size=64,iters=5 endpoints barrier=1 heartbeats 127.0.0.1
    finish peer
    finish server
    expect_status server 1
    expect_error server "was silent for 1 s while this side waited for its readiness"

    start_server ib_write_bw --timeout 1
    launch peer "$peer" -p "$port" greet hello=size=64,iters=5 endpoints barrier=1 clock wait=5 barrier=16 done=5 result=64,5,1000 barrier=2 \
        127.0.0.1
    finish peer
    finish server
    expect_status peer 0
    expect_status server 0
}

# --- several servers of one client ---

start_second() { # PROGRAM [OPTIONS]
    local path
    path=$(program "$1")
    shift
    second=$(pick_port "$((port + 1))" 31999)
    launch second "${under[@]}" "$path" -p "$second" "$@"
    await second process_listens "${pids[second]}" "$second"
}

@test "one client of two servers: the reverse" {
    local program
    for program in ib_write_bw ib_read_lat ib_send_bw ib_send_lat; do
        start_server "$program"
        start_second "$program"
        launch client "$(program "$program")" -n 500 --explain --out_json_file client.json "localhost:$port,127.0.0.1:$second"
        finish client
        finish server
        finish second
        expect_status client 0
        expect_status server 0
        expect_status second 0
        expect_schema client.json
        expect_rows client 1
        expect [ "$(last client.json '[.iterations, .peers_measured, ([.peers[].address] | tostring)] | tostring')" = \
            "[1000,2,\"[\\\"localhost:$port\\\",\\\"127.0.0.1:$second\\\"]\"]" ]
        expect [ "$(query client.json '[.explanation.peers[].peer] == [.measurements[0].peers[].address]')" = true ]
        [[ $program == *lat ]] || expect_sums client.json
    done
}

@test "two servers: the document has the warnings of both pairs" {
    start_server ib_read_bw
    start_second ib_read_bw
    launch client "$(program ib_read_bw)" -d soft0 -n 100 --outs=200 --out_json_file client.json "localhost:$port,127.0.0.1:$second"
    finish client
    finish server
    finish second
    expect_status client 0
    expect [ "$(grep -c 'warning: .*soft0 supports at most 128 READs' client.err)" = 2 ]
    expect [ "$(jq -r '.warnings[]' client.json | grep -cE '^server (localhost|127.0.0.1):[0-9]+.*: soft0 supports at most 128 READs')" = 2 ]
}

@test "two servers, and no process for the second: that is no end by the user" {
    in_front_of fail_call
    launch client "${in_front[@]}" FAIL_CALL=fork:3 FAIL_CALL_FILE="$PWD/struck" "$(program ib_write_bw)" localhost:1,localhost:2
    finish client
    expect_status client 1
    expect_error client "cannot start the process of a pair: Resource temporarily unavailable"
}

@test "two servers, of which one is not there, or dies" {
    start_server ib_write_bw
    launch client "$(program ib_write_bw)" -n 500 --timeout 2 "localhost:$port,localhost:1"
    finish client
    finish server
    expect_status client 1
    expect_status server 0
    expect grep -q 'error: localhost:1: no server listens' client.err
    expect grep -q 'warning: server localhost:1 was lost' client.err
    expect [ "$(field client 1 6)" = 1 ]

    start_server ib_write_bw
    start_second ib_write_bw
    launch client "$(program ib_write_bw)" -D 2 -f 0 "localhost:$port,localhost:$second"
    await second said second 'remote address'
    await client said client '^ #bytes'
    kill_hard "${pids[second]}"
    finish client
    finish server
    finish second
    expect_status client 1
    expect_status server 0
    expect grep -q "warning: server localhost:$second .* was lost" client.err
    expect_output client '\(partial\)'
    good_pair ib_write_bw -n 10 # tidies what the dead one left
}

# Each would wait for the other to be ready.
@test "several servers of a client, of which one has several clients" {
    start_server ib_write_bw --clients 1
    start_second ib_write_bw
    launch client "$(program ib_write_bw)" -n 50 "localhost:$port,localhost:$second"
    finish client
    finish second
    finish server
    expect_status client 1
    expect_status second 0
    expect_status server 1
    expect_error server 'ended the test: this client names several servers'
    expect grep -q "error: localhost:$port: this client names several servers, and the server .* several clients" client.err
}

@test "servers that are named twice, or of which one is a classic one" {
    run_alone ib_write_bw "localhost:18000,localhost:18000"
    expect_status alone 2
    expect_error alone "'localhost' is named twice"
    run_alone ib_write_bw localhost,
    expect_status alone 2
    expect_error alone 'names no host'
}
