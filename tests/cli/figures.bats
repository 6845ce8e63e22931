#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Is each figure of a bandwidth row correct, when measured in a second way: by the other side, by its own intervals, by
# wall clock?
# bats file_tags=slow

# shellcheck disable=SC2016 # the variables are those of jq
load helpers

# Are two figures the same but for a share of the second, 0.1 for a tenth?
near() { # FIGURE FIGURE SHARE
    expect holds "$1 >= $2 * (1 - $3) && $1 <= $2 * (1 + $3)"
}

result() { # FILE KEY
    query "$1" "[.measurements[] | select(.kind == \"result\" and .part == \"total\")][-1].$2"
}

whole() { # FILE FILTER on that measurement
    query "$1" "[.measurements[] | select(.kind == \"result\" and .part == \"total\")] | last $2"
}

intervals() { # FILE FILTER on the array of intervals
    query "$1" "[.measurements[] | select(.kind == \"interval\")] | $2"
}

# --- the other side ---

# bats test_tags=long
@test "a receiver's rate is the sender's, however few messages: at a rate limit" {
    local options
    # two seconds each: where a busy CPU is away at the end, for a tenth of a second or two, it is a small part of them
    for options in "128 -n 256" "128 -n 256 --burst_size 128" "10 -n 20 --burst_size 5" "8 -n 8 -q 2" "32 -n 64 -c UD -s 1K" \
        "32 -n 64 -c UC -l 8"; do
        # shellcheck disable=SC2086
        documents ib_send_bw --rate_units p --rate_limit $options
        near "$(result server.json message_rate_per_second)" "$(result client.json message_rate_per_second)" 0.25
    done
}

@test "a receiver to whom all came at once has no rate" {
    local limit
    documents ib_send_bw -n 5 -s 64 --rate_limit 100 --rate_units p --burst_size 5
    expect [ "$(result server.json message_rate_per_second)" = null ]
    expect [ "$(result server.json bandwidth_average_bytes_per_second)" = null ]
    expect [ "$(result server.json iterations) $(result server.json first_arrivals)" = "5 5" ]
    expect [ "$(field server 1 4) $(field server 1 5)" = "nan nan" ]
    # and a limit that can't be looked at does not hold
    for limit in -w -y; do
        server_args=("$limit" 0.001)
        run_pair ib_send_bw -n 5 -s 64 --rate_limit 100 --rate_units p --burst_size 5
        expect_status client 0
        expect_status server 3
        expect_error server "no rate to compare with -w and -y at 64 bytes"
    done
}

@test "averages are messages over time, on both sides" {
    local options file
    for options in "ib_write_bw -n 3000" "ib_send_bw -n 3000 -s 4K" "ib_send_bw -D 1 -s 4K -c UC" "ib_read_bw -D 1 -f 0 -q 16 -s 1K" \
        "ib_write_bw -n 2000 -e --write_with_imm" "ib_write_bw -n 400 -s 4K --data_validation" "ib_atomic_bw -n 2000"; do
        # shellcheck disable=SC2086
        documents $options
        for file in client.json server.json; do
            near "$(result $file bandwidth_average_bytes_per_second)" \
                "$(result $file 'message_rate_per_second') * $(result $file size_bytes)" 0.0001
        done
        near "$(result client.json message_rate_per_second) * $(result client.json elapsed_seconds)" \
            "$(result client.json iterations)" 0.0001
        expect holds "$(result client.json bandwidth_peak_bytes_per_second) >= $(result client.json bandwidth_average_bytes_per_second)"
    done
}

@test "rates of the null device, which no network has, are not refused" {
    export PERFTEST_SOFT=null
    documents ib_write_bw -s 8M -b
    near "$(result server.json bandwidth_average_bytes_per_second)" \
        "$(result client.json bandwidth_average_bytes_per_second)" 0.01
    documents ib_send_bw -s 8M
}

@test "-b: the sum of both sides' own rates, or what both moved in the time of both, with and without the peak" {
    local options key
    for options in "ib_send_bw -n 3000" "ib_send_bw -n 3000 -N" "ib_write_bw -n 3000 -N" "ib_send_bw -D 1 -f 0"; do
        # shellcheck disable=SC2086
        documents $options -b --report-both
        if holds "$(result client.json overlap_percent) >= 90"; then
            near "$(result client.json message_rate_per_second)" \
                "$(query client.json '[.measurements[] | select(.part != "total").message_rate_per_second] | add')" 0.0001
        else
            near "$(result client.json message_rate_per_second) * $(result client.json elapsed_seconds)" \
                "$(($(result client.json iterations_local) + $(result client.json iterations_remote)))" 0.0001
        fi
        # the two times, and the part of them in which both ran, make up the whole
        near "$(query client.json '[.measurements[] | select(.part != "total").elapsed_seconds] | add')" \
            "($(result client.json elapsed_seconds) * (1 + $(result client.json overlap_percent) / 100))" 0.02
        for key in elapsed_seconds message_rate_per_second overlap_percent clock_error_seconds; do
            near "($(result client.json $key) + 1e-9)" "($(result server.json $key) + 1e-9)" 0.0001 # both may be 0
        done
    done
}

# The server sends at a hundredth of the client's rate, and so ends long after it.
@test "-b: directions that hardly ran together are not added up" {
    server_args=(--rate_limit 200 --rate_units p)
    good_pair ib_write_bw -b -n 40 -s 64 --rate_limit 20000 --rate_units p --out_json_file client.json
    expect holds "$(result client.json overlap_percent) < 50"
    expect holds "$(result client.json message_rate_per_second) <= 80 / 0.195"
    # nor are their peaks
    expect [ "$(result client.json bandwidth_peak_bytes_per_second)" = null ]
    expect [ "$(field client 1 3)" = 0.00 ]
    expect grep -q 'warning: both directions ran at the same time for only' client.err
    expect grep -q 'warning: both directions ran at the same time for only' server.err
}

@test "-b: of datagrams that are lost, what arrived" {
    local file arrived
    documents ib_send_bw -b -c UD -r 4 -n 5000 -s 1K --report-both
    for file in client.json server.json; do
        arrived=$(($(result $file iterations_local) + $(result $file iterations_remote)))
        expect [ $((arrived + $(result $file lost))) = 10000 ]
        expect [ "$(query $file '[.measurements[] | select(.part != "total").iterations] | add')" = "$arrived" ]
        expect holds "$(result $file lost) > 0"
    done
}

# --- intervals ---

@test "intervals: as many rows as there are, each message in one of them, and the summary's peak is the highest" {
    local program side
    for program in ib_write_bw ib_send_bw; do
        documents "$program" -D 1 -f 0 -s 4K --report_interval 0.25
        # one for each quarter of the second, but for those that a busy machine held up, which are in the next one;
        # the last one ends when all that was on its way has completed
        expect holds "$(intervals client.json '.[-1] | .interval_begin_seconds + .elapsed_seconds') >= 0.99"
        expect holds "$(intervals client.json length) <= \
            $(intervals client.json '.[-1] | (.interval_begin_seconds + .elapsed_seconds) / 0.25 | round')"
        for side in client server; do
            [[ $program != ib_write_bw || $side == client ]] || continue
            # each begins where the one before ended
            expect [ "$(intervals $side.json '. as $rows | [range(1; length) |
                ($rows[.].interval_begin_seconds - $rows[. - 1].interval_begin_seconds - $rows[. - 1].elapsed_seconds) |
                fabs < 1e-6] | all')" = true ]
        done
        # what was on its way when the second was over is in no row
        expect holds "$(intervals client.json 'last | .interval_begin_seconds + .elapsed_seconds') <= 1.0001"
        for side in client server; do
            [[ $program != ib_write_bw || $side == client ]] || continue
            expect [ "$(intervals $side.json 'map(.iterations) | add')" = "$(result $side.json iterations)" ]
        done
        expect holds "$(result client.json bandwidth_peak_bytes_per_second) * 1.0001 >= \
            $(intervals client.json 'map(.bandwidth_peak_bytes_per_second) | max')"
        expect holds "$(result client.json bandwidth_peak_bytes_per_second) <= 1.0001 * \
            $(intervals client.json 'map(.bandwidth_peak_bytes_per_second) | max')"
    done
}

@test "intervals of a run by count: all messages are in them" {
    good_pair ib_write_bw -n 1000 -s 64 --rate_limit 2000 --rate_units p --report_interval 0.11 --out_json_file run.json
    expect [ "$(intervals run.json 'map(.iterations) | add')" = 1000 ]
    expect holds "$(intervals run.json length) <= $(result run.json elapsed_seconds) / 0.11 + 1"
}

@test "a row much shorter than its interval has no rates" {
    good_pair ib_write_bw -n 1000 --report_interval 600 --out_json_file run.json
    expect_schema run.json
    expect [ "$(intervals run.json '.[] | [.iterations, .bandwidth_average_bytes_per_second, .bandwidth_peak_bytes_per_second,
        .message_rate_per_second] | tostring')" = '[1000,null,null,null]' ]
    expect_output client '^ 65536 +1000 +0\.00 +nan[[:space:]]+nan *$'
    expect holds "$(result run.json bandwidth_average_bytes_per_second) > 0"
    good_pair ib_write_bw -n 1000 --report_interval 600 --output_format csv
    expect [ "$(grep -c '^interval,.*,,' client.out)" = 1 ]
}

@test "intervals after a stall: one row for all that it held up" {
    start_server ib_write_bw
    start_client ib_write_bw -D 2 -f 0 -s 4K --report_interval 0.1 --out_json_file run.json
    await client at_least_rows client 2
    kill -STOP "${pids[client]}"
    sleep 0.55
    kill -CONT "${pids[client]}"
    finish client
    finish server
    expect_status client 0
    # no two rows in a row that are shorter than half an interval
    expect [ "$(intervals run.json '. as $rows | [range(1; length) |
        $rows[.].elapsed_seconds < 0.05 and $rows[. - 1].elapsed_seconds < 0.05] | any')" = false ]
    expect holds "$(intervals run.json length) <= 17"
    # and what was not sent while it stood still raises no peak above those of the other intervals' windows
    near "$(result run.json bandwidth_peak_bytes_per_second)" \
        "$(intervals run.json 'map(.bandwidth_peak_bytes_per_second) | max')" 0.0001
}

at_least_rows() { # NAME COUNT
    (($(row_count "$1") >= $2))
}

# Of a run that was cut short nothing has to be said of a time in which nothing moved; of one that lasted its time it has.
@test "the last interval ends with the last message where a run was cut short, and has no row without one" {
    local name signal victim other
    for name in ib_send_bw "ib_send_bw -b" ib_read_lat "ib_send_bw -c UD -s 1K"; do
        for signal in INT KILL; do
            for victim in client server; do
                [[ $victim == client ]] && other=server || other=client
                [[ $name != ib_read_lat || $victim == server ]] || continue
                start_server "${name%% *}" --report_interval 1000 --timeout 5 --out_json_file server.json
                # the first message waits for longer than the test lasts
                under=(env PERFTEST_SOFT_FAULT=delay:1+300000000)
                # shellcheck disable=SC2086 # options
                start_client $name -D 300 -f 0 --report_interval 1000 --timeout 5 --out_json_file client.json
                under=()
                # the rows of -b's intervals have their heading above the first
                await client said client "$([[ $name == *-b ]] && echo '^ remote address' || echo '^ #bytes')"
                kill "-$signal" "${pids[$victim]}"
                finish client
                finish server
                expect [ "$(intervals "$other.json" length)" = 0 ]
                [[ $signal == KILL ]] || expect [ "$(intervals "$victim.json" length)" = 0 ]
            done
        done
    done
    good_pair ib_write_bw -n 10 # tidies what the killed ones left
}

@test "the last interval of a run by time ends when the time is over, also where nothing moved in it" {
    local name
    for name in ib_send_bw "ib_write_bw -b" "ib_send_bw -c UD"; do
        server_args=(--out_json_file server.json --report_interval 0.5)
        # shellcheck disable=SC2086 # options
        run_pair $name -s 64 -D 1 -f 0 --rate_limit 0.7 --rate_units p --report_interval 0.5 --out_json_file client.json
        expect_status client 1
        expect_error client 'no message of 64 bytes was completed in the measured time'
        expect [ "$(intervals client.json 'last | .interval_begin_seconds + .elapsed_seconds >= 0.9999')" = true ]
        expect [ "$(intervals server.json 'last | .interval_begin_seconds + .elapsed_seconds >= 0.9999')" = true ]
        expect [ "$(intervals client.json 'map(.iterations) | add') $(intervals server.json 'map(.iterations) | add')" = "0 0" ]
    done
}

@test "a run by time of whose messages none arrives fails on both sides, which blame the path and not the time" {
    under=(env PERFTEST_SOFT_FAULT=drop_from:1)
    server_args=(--out_json_file server.json)
    run_pair ib_send_bw -c UC -s 64 -D 1 -f 0 --out_json_file client.json
    expect_status server 1
    expect_error server 'no message of 64 bytes was completed in the measured time: [0-9]+ were lost$'
    expect_status client 1
    expect_error client 'all [0-9]+ messages of 64 bytes were lost on the way to the peer: the figures only say how fast they were sent$'
    expect [ "$(jq -r .status client.json) $(jq -r .status server.json)" = 'failed failed' ]
    server_args=()
    run_pair ib_send_bw -c UD -s 64 -b -D 1 -f 0 # both ways, where a side's row is of what arrived
    for side in client server; do
        expect_status $side 1
        expect_error $side 'all [0-9]+ messages of 64 bytes were lost on the way to the peer'
        expect [ "$(grep -c 'error:' $side.err)" = 1 ]
    done
}

@test "the last interval of a receiver to whom messages got lost ends with the last that came" {
    # one is lost behind the warm-up; the wait for it is longer than two intervals
    server_args=(--out_json_file server.json --report_interval 0.09)
    under=(env PERFTEST_SOFT_FAULT=drop:120)
    good_pair ib_send_bw -c UD -s 64 -n 100
    expect holds "$(intervals server.json 'last.iterations') > 0"
    expect [ "$(intervals server.json 'map(.iterations) | add')" = 99 ]
}

@test "the summary has the least of the intervals, and when it began" {
    local name
    for name in ib_write_bw "ib_send_bw --rate_limit 2000 --rate_units p"; do
        server_args=(--out_json_file server.json)
        # shellcheck disable=SC2086 # options
        good_pair $name -s 4K -D 1 -f 0 --report_interval 0.25 --out_json_file client.json
        for file in client.json server.json; do
            [[ -n $(intervals $file 'map(.kind)[]') ]] || continue # it only waits
            expect_schema $file
            # a rest of less than half an interval is not compared
            expect [ "$(whole $file '| [.bandwidth_least_interval_bytes_per_second, .least_interval_begin_seconds] | tostring')" = \
                "$(intervals $file 'map(select(.elapsed_seconds >= 0.125)) | min_by(.bandwidth_average_bytes_per_second)
                | [.bandwidth_average_bytes_per_second, .interval_begin_seconds] | tostring')" ]
        done
        expect_output client '^ Summary: least interval [0-9.]+ MiB/sec, from [0-9.]+ to [0-9.]+ s$'
    done
    server_args=()
    good_pair ib_write_bw -s 4K -n 1000 --out_json_file client.json
    expect [ "$(whole client.json '| has("least_interval_begin_seconds")')" = false ]
    good_pair ib_write_lat -D 1 -f 0 --report_interval 0.25 --out_json_file client.json
    expect [ "$(sed -n 's/^ Summary: largest median of an interval \([0-9.]*\) usec, from [0-9.]* to [0-9.]* s$/\1/p' client.out)" = \
        "$(intervals client.json 'map(select(.elapsed_seconds >= 0.125).latency_typical_usec) | max' | xargs printf %.2f)" ]
    expect_schema client.json
    expect [ "$(whole client.json '| [.latency_largest_interval_usec, .largest_interval_begin_seconds] | tostring')" = \
        "$(intervals client.json 'map(select(.elapsed_seconds >= 0.125)) | group_by(.latency_typical_usec)[-1][0]
        | [.latency_typical_usec, .interval_begin_seconds] | tostring')" ]
}

@test "what completed in the same poll as the error that ended the run is in the summary, as it is in the intervals" {
    local options
    for options in "-q 1" "-q 4" "-b"; do
        under=(env PERFTEST_SOFT_FAULT=wc_12:100150)
        # shellcheck disable=SC2086 # options
        run_pair ib_write_bw -D 60 -f 0 -s 64 -Q 1 $options --report_interval 0.01 --out_json_file client.json
        under=()
        expect_status client 1
        expect_error client "transport retry counter exceeded"
        expect [ "$(intervals client.json 'map(.iterations) | add')" = \
            "$(query client.json '[.measurements[] | select(.kind == "result")] | last.iterations')" ]
    done
}

@test "intervals of a side that stood still: fewer rows, and each message in one of them" {
    start_server ib_send_bw --out_json_file server.json --report_interval 0.1
    start_client ib_send_bw -n 3000 -s 64 --rate_limit 2000 --rate_units p --report_interval 0.1 --out_json_file client.json
    await server at_least_rows server 2
    kill -STOP "${pids[server]}"
    sleep 0.35
    kill -CONT "${pids[server]}"
    finish client
    finish server
    expect_status client 0
    expect_status server 0
    local side
    for side in client server; do
        expect [ "$(intervals $side.json 'map(.iterations) | add')" = 3000 ]
        expect [ "$(intervals $side.json 'last.iterations > 0')" = true ]
        expect [ "$(intervals $side.json '. as $rows | [range(1; length) |
            ($rows[.].interval_begin_seconds - $rows[. - 1].interval_begin_seconds - $rows[. - 1].elapsed_seconds) |
            fabs < 1e-6] | all')" = true ]
    done
    expect holds "$(intervals server.json 'map(.elapsed_seconds) | max') >= 0.3"
}

@test "-b: rows of intervals are of what their side sends, the row of the whole is of both directions" {
    local name side
    for name in "ib_write_bw --threads 2" "ib_send_bw -c UD -s 1K" "ib_write_bw -n 1000 -s 64 --rate_limit 2000 --rate_units p"; do
        [[ $name == *-n* ]] || name+=" -D 1 -f 0"
        # shellcheck disable=SC2086 # options
        documents $name -b --report_interval 0.15
        for side in client server; do
            expect [ "$(intervals $side.json 'map(.part) | unique | join(" ")')" = local ]
            expect [ "$(result $side.json part) $(result $side.json bandwidth_least_interval_bytes_per_second)" = "total null" ]
            expect [ "$(intervals $side.json 'map((.message_rate_per_second * .elapsed_seconds - .iterations | fabs) < 1) | all')" = true ]
            # datagrams may be lost on their way
            [[ $name == *UD* ]] || expect [ "$(intervals $side.json 'map(.iterations) | add')" = "$(result $side.json iterations_local)" ]
        done
        expect_output client '^ Local results: $'
        expect [ "$(grep -c '^ #bytes' client.out)" = 2 ]
    done
}

@test "-b: rows of a run without end, and of a side that stood still" {
    start_server ib_write_bw --out_json_file server.json --report_interval 0.1
    start_client ib_write_bw -b --run_infinitely -D 1 --report_interval 0.1 --out_json_file client.json
    await client at_least_rows client 2
    kill -STOP "${pids[server]}"
    sleep 0.55
    kill -CONT "${pids[server]}"
    await server at_least_rows server 5
    kill -INT "${pids[client]}"
    finish client
    finish server
    expect holds "$(intervals server.json 'map(.elapsed_seconds) | max') >= 0.45"
    # they add up, also at the end
    for side in client server; do
        near "$(intervals $side.json 'map(.iterations) | add')" "$(result $side.json iterations_local)" 0.02
    done
    server_args=(--report_interval 0.5)
    good_pair ib_write_bw -b -D 1 --report_interval 0.25
}

# --- rate limit ---

# The highest of the averages from the begin to the end of an interval, from 0.4 s on.
best_rate() { # FILE
    # shellcheck disable=SC2016 # variables of jq
    intervals "$1" '. as $rows | [range(0; length) | $rows[.] as $last | select($last.interval_begin_seconds >= 0.4) |
        ($rows[:. + 1] | map(.iterations) | add) / ($last.interval_begin_seconds + $last.elapsed_seconds)] | max'
}

# Never above it, and on time: what a busy CPU holds up is caught up with, so that at one of the ends of intervals as much has
# been sent as was due, whenever else it was away. The moderation divides the burst.
# bats test_tags=long
@test "a fast rate limit is kept at any size of burst, which moderation follows" {
    local size limit burst moderation
    while read -r size limit burst moderation; do
        good_pair ib_write_bw -s "$size" --rate_limit "$limit" --rate_units p --burst_size "$burst" -D 2 -f 0 \
            --report_interval 0.1 --out_json_file run.json
        expect holds "$(result run.json message_rate_per_second) <= 1.0001 * $limit"
        expect holds "$(best_rate run.json) >= 0.97 * $limit"
        expect [ "$(query run.json .test_info.CQ_Moderation)" = "$moderation" ]
    done <<<"8 500000 7 7
        8 500000 300 100
        65536 32000 5 1"
}

# bats test_tags=long
@test "a slow rate limit is kept, with moderation and by time, and is no silence" {
    good_pair ib_write_bw -s 8 --rate_limit 20 --rate_units p -D 2 -f 0 --report_interval 0.1 --out_json_file run.json
    expect holds "$(result run.json message_rate_per_second) <= 1.1 * 20 && $(best_rate run.json) >= 0.9 * 20"
    good_pair ib_write_bw -s 8 --rate_limit 150 --rate_units p -D 2 -f 0 -q 3 --report_interval 0.1 --out_json_file run.json
    expect holds "$(result run.json message_rate_per_second) <= 1.05 * 150 && $(best_rate run.json) >= 0.95 * 150"
    # the last burst is of what is left, and so is its time: 1.5 s, and not 2
    good_pair ib_write_bw -s 8 --rate_limit 20 --rate_units p --burst_size 20 -n 30 --out_json_file run.json
    near "$(result run.json message_rate_per_second)" 20 0.1
    documents ib_send_bw -s 8 --rate_limit 2 --rate_units p --burst_size 3 -n 6 --timeout 1
    # a busy CPU holds up either side, but for less than a quarter of this time
    near "$(result client.json message_rate_per_second)" 2 0.25
    near "$(result server.json message_rate_per_second)" 2 0.25
}

# Each burst has its own time to complete in: the last one, of what is left, too.
# bats test_tags=long
@test "a rate limit by time is exact whatever the size of a burst, on both sides" {
    local burst
    for burst in 30 100 250; do
        documents ib_send_bw -s 64 --rate_limit 100 --rate_units p --burst_size "$burst" -D 1 -f 0
        near "$(result client.json message_rate_per_second)" 100 0.001
        near "$(result server.json message_rate_per_second)" 100 0.001
        expect [ "$(result server.json first_arrivals)" = 0 ]
    done
    good_pair ib_write_bw -s 8 --rate_limit 100 --rate_units p --burst_size 70 -D 3 -f 1 -q 2 --out_json_file run.json
    near "$(result run.json message_rate_per_second)" 100 0.001
    # 4 s lie between the only burst of the 2 s and the next one, after them: no silence, either
    server_args=(--timeout 1 --out_json_file server.json)
    good_pair ib_send_bw -s 64 --rate_limit 10 --rate_units p --burst_size 20 -D 8 -f 3 --timeout 1 \
        --out_json_file client.json
    near "$(result client.json message_rate_per_second)" 10 0.001
    near "$(result server.json message_rate_per_second)" 10 0.001
}

@test "the wait for a burst ends with Ctrl-C, and when the peer is gone" {
    start_server ib_write_bw
    start_client ib_write_bw --rate_limit 1 --rate_units p --burst_size 128 -n 1280
    await server said server '^ remote address'
    kill -INT "${pids[client]}"
    finish client
    expect_status client 130
    finish server
    start_server ib_send_bw
    start_client ib_send_bw --rate_limit 1 --rate_units p --burst_size 128 -n 1280
    await client said client '^ #bytes'
    kill -INT "${pids[server]}"
    finish server
    expect_status server 130
    finish client
    expect [ "$client_status" != 0 ]
}

# --- the peak ---

@test "the peak of a run of one window is the average" {
    good_pair ib_write_bw -n 128 --out_json_file run.json
    near "$(result run.json bandwidth_peak_bytes_per_second)" "$(result run.json bandwidth_average_bytes_per_second)" 0.000001
}

@test "the peak of the classic numbers of messages may be above the average" {
    local program
    # nothing for a fifth of a second, and then all at once
    for program in ib_write_bw ib_read_bw ib_send_bw; do
        good_pair "$program" -n 1000 --rate_limit 5000 --rate_units p --burst_size 1000 --out_json_file run.json
        expect holds "$(result run.json bandwidth_peak_bytes_per_second) > 1.5 * $(result run.json bandwidth_average_bytes_per_second)"
    done
    good_pair ib_atomic_bw -n 1000 --out_json_file run.json
    expect holds "$(result run.json bandwidth_peak_bytes_per_second) >= $(result run.json bandwidth_average_bytes_per_second)"
}

# --- the warm-up ---

@test "a request that is refused in the warm-up is said to be" {
    local options
    for options in "" --perform_warm_up; do
        start_server ib_write_bw
        under=(env PERFTEST_SOFT_FAULT=post_send:3)
        # shellcheck disable=SC2086
        start_client ib_write_bw $options
        under=()
        finish client
        finish server
        expect_status client 1
        expect_error client 'refused a request after [0-9]+ messages: Input/output error'
        refuse_output client '^ 65536 '
    done
}

@test "both sides report what UC and UD lost" {
    local connection
    for connection in UC UD; do
        documents ib_send_bw -c "$connection" -r 4 -n 20000 -s 1K
        expect [ "$(result server.json lost)" -gt 0 ]
        expect [ "$(result client.json lost)" = "$(result server.json lost)" ]
        expect [ $(($(result server.json lost) + $(result server.json iterations))) = 20000 ]
        expect grep -qE 'warning: [0-9]+ of 20000 messages of 1024 bytes were lost on the way to the peer$' client.err
        expect grep -qE 'warning: [0-9]+ of 20000 messages of 1024 bytes were lost$' server.err
        [[ $connection == UD ]] || continue
        documents ib_send_bw -c "$connection" -r 4 -D 1 -s 1K
        expect [ "$(result server.json lost)" -gt 0 ]
        expect [ "$(result client.json lost)" = "$(result server.json lost)" ]
        documents ib_send_bw -c "$connection" -r 4 -n 20000 -s 1K -b --report-both
        expect [ "$(result client.json lost)" = "$(result server.json lost)" ]
        expect [ "$(query client.json '.measurements | map(select(.part != "total").lost) | add')" = "$(result server.json lost)" ]
    done
    # nobody sees what a WRITE loses; RC loses nothing
    documents ib_write_bw -c UC -n 1000
    expect [ "$(result client.json lost)" = null ]
    documents ib_write_bw -D 1
    expect [ "$(result client.json lost)" = 0 ]
}

@test "the warm-up is in no count, on either side" {
    local options
    for options in "ib_send_bw -n 100" "ib_send_bw -n 96 -b -l 8" "ib_send_bw -n 90 -c UD -s 1K -q 3" "ib_write_bw -n 100 --write_with_imm" "ib_read_bw -n 100"; do
        # shellcheck disable=SC2086
        documents $options
        expect [ "$(result server.json iterations)" = "$(result client.json iterations)" ]
        expect [ "$(result server.json lost)" = 0 ]
    done
}
