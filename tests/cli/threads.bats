#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# --threads: does each thread do its part, is the row of all the sum of the parts, and does the end of one end all?

# shellcheck disable=SC2016 # the variables are those of jq
load helpers

documents() { # PROGRAM OPTIONS; both sides write one
    server_args=(--out_json_file server.json)
    good_pair "$@" --out_json_file client.json
    expect_schema client.json server.json
}

# The parts of the rows of a document, in order.
parts() { # FILE
    query "$1" '[.measurements[].part] | join(" ")'
}

# A key of the row of all, and the sum of it over the threads.
total() { # FILE KEY
    query "$1" "[.measurements[] | select(.part == \"total\" and .kind == \"result\") | .$2] | last"
}

of_threads() { # FILE KEY FILTER-OF-A-LIST
    query "$1" "[.measurements[] | select(.part == \"thread\") | .$2] | $3"
}

# Messages exactly, rates but for rounding.
expect_sum() { # FILE RATE-KEY...
    local file=$1 key
    expect [ "$(of_threads "$file" iterations add)" = "$(total "$file" iterations)" ]
    for key in "${@:2}"; do
        expect holds "$(of_threads "$file" "$key" add) / $(total "$file" "$key") - 1 < 1e-9"
        expect holds "$(of_threads "$file" "$key" add) / $(total "$file" "$key") - 1 > -1e-9"
    done
}

bandwidth=(bandwidth_average_bytes_per_second message_rate_per_second)

# bats test_tags=races
@test "bandwidth: every program, by number" {
    local program
    for program in ib_{write,read,send,atomic}_bw; do
        documents "$program" --threads 2 -q 4 -n 1000
        expect [ "$(parts client.json)" = "total thread thread" ]
        expect [ "$(of_threads client.json iterations tostring)" = "[2000,2000]" ]
        expect [ "$(of_threads client.json thread tostring)" = "[1,2]" ]
        expect [ "$(of_threads client.json cpu 'map(type) | unique | tostring')" = '["number"]' ]
        expect [ "$(total client.json thread) $(total client.json bandwidth_peak_bytes_per_second)" = "null null" ]
        expect [ "$(query client.json '.parameters.threads')" = 2 ]
        expect_sum client.json "${bandwidth[@]}"
        expect_rows client 1
    done
}

# bats test_tags=races
@test "bandwidth: a receiver has threads, too, and counts what was sent" {
    documents ib_send_bw --threads 2 -n 4000 -s 1K
    expect [ "$(parts server.json)" = "total thread thread" ]
    expect [ "$(query server.json '.parameters | [.qp, .threads] | tostring')" = "[2,2]" ]
    expect [ "$(total server.json iterations)" = "$(total client.json iterations)" ]
    expect_sum server.json
}

@test "bandwidth: by time, one window" {
    documents ib_write_bw --threads 2 -q 2 -D 1 -f 0 -s 4K
    expect_sum client.json "${bandwidth[@]}"
    expect holds "$(total client.json elapsed_seconds) > 0.99 && $(total client.json elapsed_seconds) < 1.000001"
    expect [ "$(of_threads client.json elapsed_seconds 'unique | tostring')" = "[$(total client.json elapsed_seconds)]" ]
    documents ib_send_bw --threads 2 -D 1 -f 0 -s 4K -c UD
    expect_sum client.json "${bandwidth[@]}"
}

# bats test_tags=races
@test "bandwidth: both ways, with --report-both" {
    documents ib_send_bw --threads 2 -q 4 -b -n 1000 --report-both
    expect [ "$(parts client.json)" = "total local remote thread thread" ]
    # each side's threads are of what it sends
    expect [ "$(of_threads client.json iterations add)" = 4000 ]
    expect_output client ' Local results: '
    expect_output client '^ Results of each thread: '
    expect_output client '#thread    CPU$'
    expect_rows client 5
    documents ib_write_bw --threads 2 -a -n 5 --report-both --output_format=csv
    expect [ "$(query client.json '.measurements | length')" = 69 ]
    expect grep -q '^kind,part,.*,thread,cpu,' client.out
    expect [ "$(wc -l <client.out)" = 70 ]
}

# bats test_tags=races
@test "bandwidth: intervals are of all threads" {
    documents ib_read_bw --threads 2 -D 1 -f 0 --report_interval 0.2 -s 8K
    expect [ "$(query client.json '[.measurements[] | select(.kind == "interval") | .iterations] | add')" = "$(total client.json iterations)" ]
    expect [ "$(query client.json '[.measurements[] | select(.kind == "interval" and .iterations == 0)] | length')" = 0 ]
}

@test "bandwidth: each transport, and ways to post and to wait" {
    documents ib_send_bw --threads 2 -q 4 -c XRC -n 500
    expect_sum client.json "${bandwidth[@]}"
    documents ib_send_bw --threads 2 -q 4 --use-srq -n 500
    expect [ "$(total server.json iterations)" = 2000 ]
    documents ib_write_bw --threads 2 -q 4 -c UC -l 8 -n 800 --mr_per_qp
    documents ib_send_bw --threads 2 -e -n 500 --recv_post_list 4
    documents ib_write_bw --threads 2 -q 2 -R -n 500
    documents ib_write_bw --threads 3 -q 3 -n 500 --reversed --perform_warm_up
    expect [ "$(parts client.json) $(parts server.json)" = "total total thread thread thread" ]
}

# Both sides poll, each with as many threads as there may be CPUs: few exchanges.
# bats test_tags=races
@test "latency: every program; the samples of all are those of each" {
    local program
    for program in ib_{write,send,read,atomic}_lat; do
        documents "$program" --threads 2 -n 40
        expect [ "$(parts client.json)" = "total thread thread" ]
        expect [ "$(of_threads client.json iterations tostring)" = "[40,40]" ]
        expect [ "$(total client.json latency_histogram.count)" = 80 ]
        expect [ "$(of_threads client.json latency_min_usec min)" = "$(total client.json latency_min_usec)" ]
        expect [ "$(of_threads client.json latency_max_usec max)" = "$(total client.json latency_max_usec)" ]
        expect [ "$(of_threads client.json 'latency_histogram.buckets_usec[]' 'group_by(.[0]) | map([.[0][0], (map(.[1]) | add)]) | tostring')" = \
            "$(query client.json '.measurements[0].latency_histogram.buckets_usec | tostring')" ]
        expect_sum client.json transactions_per_second
    done
}

@test "latency: by time, with rows of each thread" {
    documents ib_read_lat --threads 2 -D 1 -f 0 --report-both
    expect_sum client.json transactions_per_second
    expect holds "$(total client.json elapsed_seconds) > 0.99 && $(total client.json elapsed_seconds) < 1.000001"
    expect_output client '^ Results of each thread: '
    expect_rows client 3
}

# bats test_tags=long
@test "latency: a ping-pong by time, where CPUs may be too few" {
    documents ib_send_lat --threads 2 -D 1 -f 0
    expect_sum client.json transactions_per_second
    expect_sum server.json
}

@test "each side has its own number of threads, but in a latency test" {
    server_args=(--threads 2 --out_json_file server.json)
    good_pair ib_send_bw -q 4 -n 500 --out_json_file client.json
    expect [ "$(parts client.json) $(parts server.json)" = "total total thread thread" ]
    server_args=(--threads 1 --out_json_file server.json)
    good_pair ib_send_bw --threads 4 -n 500 --out_json_file client.json
    expect [ "$(parts server.json) $(query server.json .parameters.qp)" = "total 4" ]
    server_args=(--threads 3)
    run_pair ib_send_bw -q 4
    expect_error client '-q must be a multiple of --threads, since each thread drives the same number of queue pairs \(--qp 4, --threads 3\)'
    server_args=(--threads 2)
    run_pair ib_send_lat --threads 3
    expect_error client '--threads is 3 on the client and 2 on the server'
}

@test "what makes no sense is refused" {
    local value
    for value in 0 1025 x ''; do
        run_alone ib_write_bw "--threads=$value" localhost
        expect [ "$status" = 2 ]
        expect_error alone -- --threads
    done
    run_alone ib_write_bw --threads=2 -q 3 localhost
    expect [ "$status" = 2 ]
    expect_error alone '-q must be a multiple of --threads'
}

@test "more threads than CPUs: a warning" {
    under=(taskset -c "$(taskset -cp $$ | sed 's/.*[:, -]//')")
    good_pair ib_write_bw --threads 2 -n 100
    expect grep -q 'warning: --threads 2: this process may use only 1 CPU, which the threads share' client.err
}

@test "repetition, limits" {
    documents ib_write_bw --threads 2 -n 100 --repeat 3
    expect [ "$(parts client.json) $(total client.json iterations)" = "total 600" ]
    documents ib_read_lat --threads 2 -n 100 --repeat 3
    expect [ "$(total client.json latency_histogram.count)" = 600 ]
    run_pair ib_write_bw --threads 2 -n 100 -w 1e12
    expect_status client 3
    run_pair ib_read_lat --threads 2 -n 100 --max_lat 0.000001
    expect_status client 3
}

ticks_of() { # NAME: CPU time of all its threads, in hundredths of a second
    awk '{ print $14 + $15 }' "/proc/${pids[$1]}/stat"
}

# From the table's head on it takes next to none before messages move.
polls_on() { # NAME TICKS-BEFORE
    (($(ticks_of "$1") >= $2 + 5))
}

@test "Ctrl-C: the row of all and of each, marked" {
    local program words
    for program in ib_write_bw ib_read_lat "ib_send_bw -b"; do
        read -ra words <<<"$program"
        start_server "${words[0]}"
        start_client "${words[@]}" --threads 2 -D 60 -f 0 --out_json_file client.json
        await client said client '^ #bytes'
        await client polls_on client "$(ticks_of client)"
        # one that also receives polls before the other sends, too
        [[ $program != *-b ]] || await server polls_on server "$(ticks_of server)"
        kill -INT "${pids[client]}"
        finish client
        finish server
        expect_status client 130
        expect_status server 1
        expect_schema client.json
        expect [ "$(query client.json '[.measurements[].partial] | unique | tostring')" = "[true]" ]
        [[ $program == *-b ]] || expect_sum client.json
    done
}

@test "a peer that dies, or stands still, ends all threads with one line" {
    local program
    for program in ib_write_bw ib_send_bw ib_send_lat; do
        start_server "$program"
        start_client "$program" --threads 2 -D 60 -f 0
        await client said client '^ #bytes'
        kill_hard "${pids[server]}"
        finish server || true
        finish client
        expect_status client 1
        expect [ "$(grep -c error: client.err)" = 1 ]
    done
    start_server ib_send_bw
    start_client ib_send_bw --threads 2 -D 60 -f 0 --timeout 1 --report_interval 0.1
    await client measuring client
    kill -STOP "${pids[server]}"
    finish client
    kill -CONT "${pids[server]}"
    finish server
    expect_status client 1
    expect [ "$(grep -c error: client.err)" = 1 ]
    good_pair ib_write_bw -n 10 # what the dead one left
}

# Whichever thread meets it: the others stop, and one line says which queue pair it was.
@test "a completion with an error on one queue pair ends all threads with one line" {
    local number
    for number in 1500 2500 3500; do
        start_server ib_write_bw
        under=(env PERFTEST_SOFT_FAULT="wc_10:$number")
        start_client ib_write_bw --threads 2 -q 2 -Q 1 -D 60 -f 0
        under=()
        finish client
        finish server
        expect_status client 1
        expect_error client 'remote access error after [0-9]+ messages.*status 10, .*an RDMA write on QP 0x[0-9a-f]+, [12] of 2'
    done
}

@test "--verbose says on which CPUs" {
    good_pair ib_write_bw --threads 2 -n 100 --verbose
    expect grep -qE 'threads: 2, on CPUs [0-9]+ [0-9]+$' client.err
}
