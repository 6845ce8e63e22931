#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Are the rows of --repeat and --until those of several measurements, on both sides, and what ends them early?

# shellcheck disable=SC2016 # the variables are those of jq
load helpers

totals() { # FILE KEY
    query "$1" "[.measurements[] | select(.part == \"total\") | .$2 | tostring] | join(\" \")"
}

@test "--repeat: one row a size, of so many measurements, the same on both sides" {
    local file low=bandwidth_average_ci95_low_bytes_per_second high=bandwidth_average_ci95_high_bytes_per_second
    documents ib_write_bw -a -n 20 --repeat 3
    expect_rows client 23
    for file in client.json server.json; do
        expect [ "$(query $file '[.measurements[].repeats] | unique | tostring')" = "[3]" ]
        expect [ "$(query $file '[.measurements[].iterations] | unique | tostring')" = "[60]" ]
        expect [ "$(query $file "[.measurements[] | select(.$low > .bandwidth_average_bytes_per_second or .$high < .bandwidth_average_bytes_per_second)] | length")" = 0 ]
        expect [ "$(query $file '[.measurements[] | select(.bandwidth_peak_bytes_per_second < .bandwidth_average_bytes_per_second)] | length')" = 0 ]
        expect [ "$(query $file '[.measurements[] | .bandwidth_average_of_each_bytes_per_second as $each | ($each | add / length) / .bandwidth_average_bytes_per_second | (. - 1 | fabs) < 1e-9] | unique | tostring')" = "[true]" ]
    done
    expect [ "$(totals client.json $low)" = "$(totals server.json $low)" ]
    expect_output client '#repeats    CI95 low\[MiB/sec\]    CI95 high\[MiB/sec\]$'
}

@test "--repeat: a latency row has the samples of all" {
    documents ib_send_lat -n 100 --repeat 7
    expect [ "$(totals client.json latency_histogram.count)" = 700 ]
    expect [ "$(totals client.json iterations) $(totals client.json repeats)" = "700 7" ]
    expect holds "$(totals client.json latency_typical_ci95_low_usec) <= $(totals client.json latency_typical_ci95_high_usec)"
    # of five medians none is sure
    documents ib_read_lat -n 100 --repeat 5 --steady
    expect [ "$(totals client.json latency_typical_ci95_low_usec)" = null ]
    expect [ "$(query client.json '.measurements[0] | .repeats + .repeats_left_out, (.latency_typical_of_each_usec | length)')" = "5
5" ]
    expect [ "$(totals server.json repeats)" = "" ]
}

@test "--repeat: rows of both ways, of datagrams, of validated data" {
    documents ib_send_bw -b -n 200 --repeat 4 --report-both
    expect [ "$(query client.json '[.measurements[] | [.part, .repeats, .iterations]] | tostring')" = \
        '[["total",4,800],["local",4,800],["remote",4,800]]' ]
    documents ib_send_bw -c UD -s 1K -n 200 --repeat 4
    documents ib_write_bw -s 1K -n 200 --repeat 4 --data_validation
    expect [ "$(totals client.json checked) $(totals client.json wrong)" = "800 0" ]
    documents ib_write_lat -D 1 -f 0 --repeat 2 --output_format=csv
    expect [ "$(totals client.json repeats)" = 2 ]
}

@test "--until: ends when it is sure, and says so" {
    documents ib_write_bw -s 4K -n 500 --until 50
    expect [ "$(totals client.json until_reached) $(totals server.json until_reached)" = "true true" ]
    expect holds "$(totals client.json repeats) >= 11"
    expect [ "$(totals client.json repeats)" = "$(totals server.json repeats)" ]
    expect [ "$(query client.json '.warnings | length')" = 0 ]
}

@test "--until: its limits end it, with a warning and status 0" {
    documents ib_write_bw -s 4K -n 100 --until 0.01 --max_repeats 10
    expect [ "$(totals client.json repeats) $(totals client.json until_reached)" = "10 false" ]
    expect grep -q 'warning: 4096 bytes: after 10 measurements the 95 % confidence interval is within .* %, not 0.01: raise --max_repeats' client.err
    documents ib_write_lat -D 1 -f 0 --until 0.4 --max_time 1
    expect [ "$(totals client.json repeats)" = 1 ]
    expect grep -q 'after 1 measurement no confidence interval is known' client.err
}

# How many measurements has NAME said the result of?
measurements_told() { # NAME
    grep -c 'measurement [0-9]* of 30\( at most\)\? of 65536 bytes: [0-9]' "$1.err"
}

@test "Ctrl-C leaves the row of the measurements that are complete, marked" {
    local complete
    start_server ib_write_bw --out_json_file server.json
    start_client ib_write_bw -D 1 -f 0 --repeat 30 --out_json_file client.json --verbose
    await client said client 'measurement 2 of 30 of 65536 bytes: [0-9]'
    kill -INT "${pids[client]}"
    finish client
    finish server
    expect_status client 130
    expect_status server 1
    expect_schema client.json server.json
    # two, unless this test was away for the second that the third one takes
    complete=$(measurements_told client)
    expect [ "$complete" -ge 2 ]
    expect [ "$(totals client.json repeats) $(totals client.json partial)" = "$complete true" ]
    expect [ "$(totals server.json repeats) $(totals server.json partial)" = "$complete true" ]
    expect [ "$(grep -c '(partial)' client.out)" = 1 ]
}

@test "a peer that dies leaves them, too" {
    start_server ib_send_bw
    start_client ib_send_bw -D 1 -f 0 --until 0.01 --max_repeats 30 --verbose
    await client said client 'measurement 2 of 30[^0-9]* of 65536 bytes: [0-9]'
    kill_hard "${pids[server]}"
    finish client
    wait "${pids[server]}" || true
    unset "pids[server]"
    expect_status client 1
    expect [ "$(grep -c '(partial)' client.out)" = 1 ]
    expect [ "$(grep -c warning: client.err)" = 0 ] # of nothing that more measurements would mend
    expect [ "$(field client 1 6)" = "$(measurements_told client)" ]
}

@test "a server's --max_duration is that of all measurements" {
    server_args=(--max_duration 5)
    run_pair ib_write_bw -D 2 -f 0 --repeat 3
    expect_error client 'the test takes 6 s, but the server allows 5 s'
    run_pair ib_write_bw --until 5
    expect_error client 'the test takes 60 s, but the server allows 5 s'
}

@test "linux-rdma perftest measures a size once" {
    [[ -x /usr/bin/ib_write_bw ]] || skip "Debian's perftest is not installed"
    start_server ib_write_bw --repeat 3
    launch client "$PERFTEST_TOP/scripts/run_soft" /usr/bin/ib_write_bw -p "$port" -F 127.0.0.1
    finish server
    expect_status server 1
    expect_error server "is linux-rdma perftest, which cannot repeat a size over one connection"
    finish client
}

@test "--steady: that too few measurements are left for an interval is said" {
    good_pair ib_write_lat -n 20 --repeat 4 --steady
    expect grep -qE 'warning: 2 bytes: there is no confidence interval: [0-2] of 4 measurements are left out' client.err
    good_pair ib_write_bw -n 20 -s 64 --repeat 4 --steady
    expect [ "$(grep -c 'no confidence interval' client.err)" = 0 ]
}
