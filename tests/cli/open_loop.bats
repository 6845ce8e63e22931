#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# --rate: do requests leave on schedule, and do the figures include the time that they wait? What is computed here from
# the schedule and from the samples of -U holds however busy the machine is.
# bats file_tags=slow

load helpers
load in_front

last='.measurements[-1]'

# The schedule begins RATE * n before the planned start of the n-th request, which was posted as much later as its samples
# differ: so long does the row say that it took. And no sample is negative.
expect_schedule() { # DOCUMENT
    expect_schema "$1"
    expect [ "$(query "$1" "$last"' | (.iterations / .rate_per_second + (.due_samples_usec[-1] - .post_samples_usec[-1]) / 1e6 -
        .elapsed_seconds | fabs) < 1e-5 * .iterations / .rate_per_second + 1e-6')" = true ]
    expect [ "$(query "$1" "$last"' | [.due_samples_usec, .post_samples_usec] | transpose | all(.[0] >= .[1] and .[1] >= 0)')" = true ]
    expect [ "$(query "$1" "$last"' | (.sent_per_second * .elapsed_seconds - .iterations | fabs) < 0.001')" = true ]
}

on_schedule() { # PROGRAM [OPTIONS]
    good_pair "$@" --rate=2000 -n 400 -U --out_json_file=run.json
    expect_rows client 1
    expect_rows server 0
    expect [ "$(field client 1 2)" = 400 ]
    expect [ "$(field client 1 3)" = 2000.00 ]
    expect [ "$(query run.json "$last.due_samples_usec | length")" = 400 ]
    expect [ "$(query run.json "$last | .lost + .unanswered + .unsent")" = 0 ]
    expect_schedule run.json
    expect [ -z "$client_error$server_error" ]
}

# bats test_tags=quick
@test "requests leave on schedule: ib_write_lat" { on_schedule ib_write_lat; }
# bats test_tags=long
@test "requests leave on schedule: ib_write_lat --write_with_imm" { on_schedule ib_write_lat --write_with_imm -s 4096; }
# bats test_tags=long
@test "requests leave on schedule: ib_write_lat, large ones, by ibv_post_send()" { on_schedule ib_write_lat -s 1M --use_old_post_send; }
@test "requests leave on schedule: ib_send_lat" { on_schedule ib_send_lat; }
@test "requests leave on schedule: ib_send_lat -c UD" { on_schedule ib_send_lat -c UD -s 1024; }
# bats test_tags=long
@test "requests leave on schedule: ib_send_lat -c UC" { on_schedule ib_send_lat -c UC -t 7; }
# bats test_tags=long
@test "requests leave on schedule: ib_send_lat -c XRC" { on_schedule ib_send_lat -c XRC; }
@test "requests leave on schedule: ib_send_lat --use-srq -R" { on_schedule ib_send_lat --use-srq -R -t 1; }
@test "requests leave on schedule: ib_read_lat" { on_schedule ib_read_lat -t 2; }
# bats test_tags=long
@test "requests leave on schedule: ib_atomic_lat" { on_schedule ib_atomic_lat; }

@test "requests leave on schedule: the server's, with --reversed" {
    server_args=(--out_json_file=run.json -U)
    good_pair ib_write_lat --rate=2000 -n 400 --reversed
    expect_rows client 0
    expect_rows server 1
    expect_schedule run.json
}

@test "the schedule of a Poisson process can be computed from its seed" {
    good_pair ib_write_lat --rate=2000 -n 500 --arrival=poisson --arrival_seed=7 -U --out_json_file=run.json
    expect_schema run.json
    python3 - run.json <<'PROGRAM'
import json, math, sys
row = json.load(open(sys.argv[1]))["measurements"][-1]
mask, state, due = 2**64 - 1, 7, 0.0
for n in range(row["iterations"]):
    state = (state + 0x9e3779b97f4a7c15) & mask
    x = ((state ^ state >> 30) * 0xbf58476d1ce4e5b9) & mask
    x = ((x ^ x >> 27) * 0x94d049bb133111eb) & mask
    x ^= x >> 31
    due -= math.log(((x >> 11) + 1) / 2**53) / 2000
late = (row["due_samples_usec"][-1] - row["post_samples_usec"][-1]) / 1e6
assert abs(due + late - row["elapsed_seconds"]) < 1e-5 * due, (due, late, row["elapsed_seconds"])
PROGRAM
}

ticks_of() { # NAME: CPU time, in hundredths of a second
    awk '{ print $14 + $15 }' "/proc/${pids[$1]}/stat"
}

# The client polls from its first request on: it is in the midst of the two seconds that its schedule takes.
polls_on() { # TICKS-BEFORE
    (($(ticks_of client) >= $1 + 3))
}

# Requests that were due in the first half of a standstill are answered behind it, in their order: each waits for more than
# the other half. By the schedule there are so many of them, whatever else happens. Those behind the sixteen that are in
# flight are late, unless it was this side that had no CPU when they were due.
stands_still() { # PROGRAM [OPTIONS]
    start_server "$1"
    start_client "$@" --rate=10000 -n 20000 -t 16 -U --out_json_file=run.json
    await client said client '^ #bytes'
    await client polls_on "$(ticks_of client)"
    kill -STOP "${pids[server]}"
    sleep 0.05 # what is looked at
    kill -CONT "${pids[server]}"
    finish client
    finish server
    expect_status client 0
    expect_status server 0
    expect_schedule run.json
    expect [ "$(query run.json "$last"' | .due_max_usec >= 50000')" = true ]
    # shellcheck disable=SC2016 # jq's variables
    expect [ "$(query run.json "$last"' | .due_max_usec as $max | (.due_samples_usec | map(. >= $max - 0.01) | index(true)) as $at |
        (.iterations - $at - 1) as $rest |
        ([.due_samples_usec[] | select(. >= $max / 2)] | length) >= ([$max / 2 * 10000 / 1e6 - 1, $rest] | min | floor) and
        ($max - .post_max_usec > 10000 or .late >= ([$max * 10000 / 1e6, $rest] | min) - 17)')" = true ]
    expect [ "$(query run.json "$last"' | (.due_average_usec - (.due_samples_usec | add / length) | fabs) < 0.01')" = true ]
}

@test "a server that stands still has its weight: writes" { stands_still ib_write_lat; }
@test "a server that stands still has its weight: sends" { stands_still ib_send_lat; }

@test "--rate=20%..80%:30% is a load-latency table" {
    good_pair ib_write_lat --rate=20%..80%:30% -n 200 --out_json_file=run.json --percentiles=50
    expect_rows client 3
    expect_schema run.json
    expect [ "$(query run.json '[.measurements[].share_percent] == [20, 50, 80]')" = true ]
    # all are of one maximum
    expect [ "$(query run.json '[.measurements[] | .rate_per_second / .share_percent] | max - min < 1e-6 * max')" = true ]
    expect [ "$(query run.json 'all(.measurements[]; .iterations == 200 and .rate_per_second > 0 and (.percentiles | length) == 3)')" = true ]
    expect [ "$(field client 2 3)" = 50 ]
    expect_rows server 0
}

# A row counts its own 200 requests, and one that ends them for writes: neither those that warm up nor those that find the maximum.
@test "-W: the search for the maximum is in no row of --rate=20%..80%:30%" {
    local files=sysfs/class/infiniband/soft0/ports/1/counters program
    mkdir -p "$files"
    echo 0 >"$files/posted"
    in_front_build as_counted
    in_front_of as_counted
    for program in ib_write_lat ib_read_lat; do
        start_server "$program" --use_old_post_send
        under=("${in_front[@]}" "PERFTEST_SYSFS=$PWD/sysfs" "COUNTER=$PWD/$files/posted")
        start_client "$program" --use_old_post_send --rate=20%..80%:30% -n 200 -W posted --out_json_file=run.json
        under=()
        finish client
        finish server
        expect_status client 0
        expect_status server 0
        expect [ "$(query run.json '[.measurements[].counters["counters/posted"]] | length == 3 and all(.[]; . == 200 or . == 201)')" = true ]
    done
}

@test "one share of the maximum, of READs by time" {
    good_pair ib_read_lat --rate=1% -D 1 -f 0 --out_json_file=run.json
    expect_rows client 1
    expect [ "$(query run.json "$last"' | (.elapsed_seconds - 1 | fabs) < 1e-6 and .iterations > 0.9 * .rate_per_second and .iterations <= .rate_per_second + 1')" = true ]
}

@test "-D: those that are due in the window count, and interval rows have all of them" {
    good_pair ib_send_lat --rate=1000 -D 2 -f 0 --report_interval=0.5 --out_json_file=run.json
    expect_schema run.json
    expect [ "$(query run.json '[.measurements[] | select(.kind == "interval")] | length >= 2')" = true ]
    expect [ "$(query run.json '([.measurements[] | select(.kind == "interval").iterations] | add) == '"$last.iterations")" = true ]
    # the schedule begins with the first answer
    expect [ "$(query run.json "$last | .iterations > 1000 and .iterations <= 2000")" = true ]
    expect [ "$(query run.json "$last | (.elapsed_seconds - 2 | fabs) < 1e-6")" = true ]
}

@test "-D: a rate that can't be: what was never posted is counted, and in the figures" {
    good_pair ib_write_lat --rate=1e7 -t 2 -D 1 -f 0 --out_json_file=run.json
    expect_schema run.json
    expect [ "$(query run.json "$last | .unsent > 0 and .sent_per_second < .rate_per_second")" = true ]
    expect [ "$(query run.json "$last | .iterations > .sent_per_second * .elapsed_seconds")" = true ]
    expect grep -q 'more that were due had not been posted' client.err
    expect [ "$(query run.json '[.warnings[] | select(test("not been posted"))] | length')" = 1 ]
}

@test "Ctrl-C on either side ends it with what was measured" {
    local who
    for who in client server; do
        start_server ib_write_lat
        start_client ib_write_lat --rate=1000 -D 60 -f 0 --report_interval 0.1
        await client said client '^ [0-9]'
        kill -INT "${pids[$who]}"
        finish client
        finish server
        expect_status "$who" 130
        expect grep -q 'partial' client.out
    done
}

@test "a server that dies ends it" {
    local name
    for name in ib_write_lat ib_read_lat; do
        start_server "$name"
        start_client "$name" --rate=1000 -D 60 -f 0 --report_interval 0.1 --timeout 5
        await client said client '^ [0-9]'
        kill_hard "${pids[server]}"
        finish server
        finish client
        expect_status client 1
        expect grep -q 'partial' client.out
    done
    good_pair ib_write_bw -n 10 # tidies behind the dead one
}

@test "a server whose next request is due behind its --timeout waits" {
    server_args=(--timeout 1)
    good_pair ib_send_lat --rate=0.4 -D 3 -f 0 --timeout 1
    expect [ "$(field client 1 2)" = 1 ]
}

@test "a lost request and a lost answer are counted" {
    local transport
    for transport in UD UC; do
        start_server ib_send_lat
        under=(env PERFTEST_SOFT_FAULT=drop:20)
        start_client ib_send_lat -c "$transport" --rate=2000 -n 100 --out_json_file=run.json
        under=()
        finish client
        finish server
        expect_status client 0
        expect_schema run.json
        expect [ "$(query run.json "$last | [.lost, .iterations] == [1, 99]")" = true ]
        expect grep -q '1 requests of 2 bytes, or their answers, were lost' client.err

        under=(env PERFTEST_SOFT_FAULT=drop:20)
        start_server ib_send_lat
        under=()
        start_client ib_send_lat -c "$transport" --rate=2000 -n 100 --out_json_file=run.json
        finish client
        finish server
        expect_status client 0
        expect [ "$(query run.json "$last | [.lost, .iterations] == [1, 99]")" = true ]
    done
}

@test "CSV, one figure, cycles and sorted samples" {
    good_pair ib_read_lat --rate=2000 -n 100 --output_format=csv
    expect [ "$(sed -n 1p client.out | cut -d, -f5-13)" = size_bytes,iterations,rate_per_second,sent_per_second,due_min_usec,due_typical_usec,due_average_usec,due_stdev_usec,due_percentile_99_usec ]
    expect [ "$(sed -n 2p client.out | cut -d, -f6-7)" = 100,2000 ]
    good_pair ib_read_lat --rate=2000 -n 100 --output=latency --out_json_file=run.json
    expect [ "$(query run.json "$last | (.due_average_usec - $(tail -n 1 client.out) | fabs) < 1e-6")" = true ]
    good_pair ib_read_lat --rate=2000 -n 100 -H -C
    expect grep -q '^#, cycles since due$' client.out
    expect [ "$(sed -n '/since due$/,/since post$/p' client.out | awk -F'[, ]+' 'NR > 1 && /^[0-9]/ { if ($2 < last) exit 1; last = $2; n++ } END { print n }')" = 100 ]
}

@test "a rate that contradicts is named with both values; a closed loop has none" {
    server_args=(--rate=10)
    run_pair ib_write_lat --rate=20
    expect_error client '--rate is 20 on the client and 10 on the server'
    run_alone ib_write_lat --rate=ten
    expect [ "$status" = 2 ]
    expect grep -q 'is neither messages per second' <<<"$error"
    run_alone ib_write_lat --rate=90%..10%
    expect [ "$status" = 2 ]
    run_alone ib_write_bw --rate=10
    expect [ "$status" = 2 ]
}

@test "a server's --max_duration is of all loads together" {
    server_args=(--max_duration=5)
    run_pair ib_write_lat --rate=10%..90% -D 1
    expect_error client 'the test takes 9 s, but the server allows 5 s'
}

# A reading that is earlier than the last answer is no silence in which all that is in flight was lost.
@test "a clock that goes back now and then loses no request" {
    ${CC:-cc} -shared -fPIC -O1 -o clock.so "$BATS_TEST_DIRNAME/stepped_clock.c" -ldl
    local preload=$PWD/clock.so path
    is_sanitized || preload+=:$PERFTEST_BUILD/soft/.libs/libperftest_soft.so
    path=$(program ib_send_lat)
    start_server ib_send_lat
    launch client env PERFTEST_CLOCK=gettime LD_PRELOAD="$preload" ASAN_OPTIONS="verify_asan_link_order=0:${ASAN_OPTIONS-}" \
        "$path" -p "$port" -c UD --rate=20000 -t 16 -n 20000 --out_json_file=run.json localhost
    finish client
    finish server
    expect_status client 0
    expect_status server 0
    expect [ "$(query run.json "$last.lost")" = 0 ]
    # Where requests wait longer than the clock steps back, none is seen to end before it was due. The advice is not what has been
    # done.
    [ "$(query run.json "$last.due_typical_usec < 100000")" = true ] || return 0
    expect grep -q 'warning: the clock went backwards during .*: clock_gettime() is not monotonic on this host' client.err
}
