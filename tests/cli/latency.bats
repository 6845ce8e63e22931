#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Does a latency sample include everything that it should, and nothing else? Figures are compared within one run.
# bats file_tags=slow

load helpers

# --- --latency_gap: the wait is in no sample, of neither side ---

# The least sample of both sides is far below the gap, and the run took all gaps: -n of each side. A sample that has the
# gap is not shorter than it, and on a machine where others work, too, one of five waits for no CPU.
gap_is_in_no_sample() { # PROGRAM [OPTIONS]
    local begin=$EPOCHREALTIME
    good_pair "$@" -n 5 --latency_gap 250000
    expect holds "$EPOCHREALTIME - $begin > 2 * 5 * 0.25"
    expect [ "$(field client 1 2)" = 5 ]
    expect [ "$(field server 1 2)" = 5 ]
    expect holds "$(field client 1 3) < 250000 / 2"
    expect holds "$(field server 1 3) < 250000 / 2"
}

@test "--latency_gap is in no sample of either side: writes" { gap_is_in_no_sample ib_write_lat; }
# bats test_tags=long
@test "--latency_gap is in no sample of either side: writes with immediate" { gap_is_in_no_sample ib_write_lat --write_with_imm; }
@test "--latency_gap is in no sample of either side: sends" { gap_is_in_no_sample ib_send_lat; }
@test "--latency_gap is in no sample of either side: datagrams" { gap_is_in_no_sample ib_send_lat -c UD; }
# bats test_tags=long
@test "--latency_gap is in no sample of either side: events" { gap_is_in_no_sample ib_send_lat -e; }
# bats test_tags=long
@test "--latency_gap is in no sample of either side: validated" { gap_is_in_no_sample ib_send_lat --data_validation; }
# bats test_tags=long
@test "--latency_gap is in no sample of either side: reversed" { gap_is_in_no_sample ib_write_lat --reversed; }

@test "--latency_gap of a request is in no sample" {
    good_pair ib_read_lat -n 5 --latency_gap 250000
    expect [ "$(field client 1 2)" = 5 ]
    expect holds "$(field client 1 5) < 250000 / 2"
}

# Who is kept from a CPU by others is ready to run, not asleep.
@test "--latency_gap with -e: both sides sleep, in the gap and until it is over" {
    local name
    for name in ib_send_lat ib_read_lat; do
        good_pair "$name" -e -D 2 --latency_gap 10000 --explain --out_json_file client.json
        expect [ "$(jq '.explanation | .local, .remote | .process_cpu_seconds < 0.1 * (.observed_seconds - .process_run_delay_seconds)' \
            client.json | sort -u)" = true ]
        expect holds "$(field client 1 2) > 10"
        # A gap, of which there are at most 100 a second, wakes its side, and its message and the answer one each.
        expect [ "$(jq '.explanation | .local, .remote | .process_sleeps < 20 + 165 * .observed_seconds' client.json | sort -u)" = true ]
    done
}

# A row waits for 0.1 s for an answer, and hardly longer for its side to wake up; a busy machine may delay one by an interval.
@test "--latency_gap with -e: who sleeps misses no interval" {
    good_pair ib_send_lat -e -D 3 --latency_gap 200000 --report_interval 0.25 --out_json_file client.json
    expect jq -e '[.measurements[] | select(.kind == "interval")] | length >= 11' client.json
}

@test "--latency_gap by time: both sides have samples" {
    good_pair ib_write_lat -D 1 --latency_gap 1000
    expect holds "$(field client 1 2) > 10 && $(field server 1 2) > 10"
}

@test "--latency_gap that contradicts is named with both values" {
    server_args=(--latency_gap 5)
    run_pair ib_write_lat -n 10 --latency_gap 6
    expect_error client '--latency_gap is 6 on the client and 5 on the server'
}

@test "a gap of a minute ends with Ctrl-C, and with the peer's end" {
    local name
    for name in ib_write_lat ib_send_lat ib_read_lat; do
        start_server "$name"
        start_client "$name" --latency_gap 60000000
        await client said client '^ #bytes'
        kill -INT "${pids[client]}"
        finish client
        finish server
        expect_status client 130
        start_server "$name"
        start_client "$name" --latency_gap 60000000
        await client said client '^ #bytes'
        kill_hard "${pids[server]}"
        finish server
        finish client
        expect_status client 1
    done
    good_pair ib_write_bw -n 10 # tidies behind the dead one
}

# bats test_tags=long
@test "a peer's --timeout does not count the gap" {
    server_args=(--timeout 1)
    good_pair ib_send_lat -n 5 --latency_gap 1100000 --timeout 1
}

# --- -D: an outage at the end of the window ---

has_rows() { # NAME, of intervals
    rows "$1" | grep -q .
}

# A whole interval in which nothing came back.
has_silent_row() { # NAME
    rows "$1" | awk '$2 == 0 { found = 1 } END { exit !found }'
}

clock_is_past() { # SECONDS-SINCE-BOOT
    awk -v end="$1" '{ exit !($1 > end) }' /proc/uptime
}

# WHO stands still from the start of the window until OTHER has seen its end.
outage() { # WHO OTHER PROGRAM [OPTIONS]
    local who=$1 other=$2 end
    shift 2
    server_args=(--out_json_file "$PWD/server.json")
    start_server "$1" "${server_args[@]}"
    start_client "$@" -D 4 -f 0 --report_interval 0.2 --out_json_file "$PWD/client.json"
    await "$other" has_rows "$other"
    # the window, which is of four seconds, began 0.2 s ago or earlier
    end=$(awk '{ printf "%.2f", $1 + 3.8 }' /proc/uptime)
    kill -STOP "${pids[$who]}"
    await "$other" has_silent_row "$other"
    await "$other" clock_is_past "$end"
    kill -CONT "${pids[$who]}"
    finish client
    finish server
    expect_status client 0
    expect_status server 0
}

# The intervals inside of the window in which nothing came back, together.
silent_seconds() { # NAME
    query "$1.json" '[.measurements[] | select(.kind == "interval" and .iterations == 0) |
        select(.interval_begin_seconds + .elapsed_seconds <= 4) | .elapsed_seconds] | add // 0'
}

# The figure of a round trip, in seconds, against the intervals in which nothing came back.
expect_outage() { # NAME
    expect_schema "$1.json"
    expect [ "$(query "$1.json" '(.measurements[-1].elapsed_seconds - 4 | fabs) < 1e-6')" = true ]
    expect holds "$(silent_seconds "$1") > 0"
    expect holds "$(query "$1.json" '.measurements[-1].latency_max_usec * 2 / 1e6') >= $(silent_seconds "$1")"
    expect [ "$(query "$1.json" '.measurements[-1] | (.open_exchange_seconds - .latency_max_usec * 2 / 1e6 | fabs) < 1e-5')" = true ]
    expect [ "$(query "$1.json" '.measurements[-1] | (.transactions_per_second * .elapsed_seconds - .iterations | fabs) < 1')" = true ]
    expect grep -q 'was still open when the measured time ended' "$1.err"
    expect [ "$(query "$1.json" '[.warnings[] | select(test("still open"))] | length')" = 1 ]
}

# bats test_tags=long
@test "-D: a server that stands still at the window's end is in t_max" {
    local name
    for name in ib_write_lat ib_send_lat; do
        outage server client "$name"
        expect_outage client
        expect grep -q 'it took .* s and counts as a sample of that$' client.err
    done
}

@test "-D: a client that stands still at the window's end is in the server's t_max" {
    outage client server ib_write_lat
    expect_outage server
    # The client sends one message more before it looks at the clock.
    expect grep -q 'it took .* s and counts as a sample of that$' server.err
}

@test "-D: a server that never answers again is in the partial row" {
    start_server ib_write_lat
    start_client ib_write_lat -D 60 -f 0 --timeout 1 --report_interval 0.1 --out_json_file "$PWD/client.json"
    await client measuring client
    kill -STOP "${pids[server]}"
    finish client
    expect_status client 1
    kill -CONT "${pids[server]}"
    finish server
    expect [ "$(query client.json '.measurements[-1] | .partial and .latency_max_usec * 2 / 1e6 >= 1')" = true ]
}

# Where others take the CPUs for long a run has an outage without being asked for one: it is named, or there is none.
@test "-D: only an outage is spoken of, and the time is the window" {
    good_pair ib_write_lat -D 1 -f 0 --out_json_file run.json
    expect [ "$(query run.json '(.measurements[0].open_exchange_seconds == null) == ([.warnings[] | select(test("still open"))] == [])')" = true ]
    # shellcheck disable=SC2016 # a variable of jq
    expect [ "$(query run.json '.measurements[0] | .open_exchange_seconds as $open | $open == null or ($open - .latency_max_usec * 2 / 1e6 | fabs) < 1e-5')" = true ]
    expect [ "$(query run.json '(.measurements[0].elapsed_seconds - 1 | fabs) < 1e-6')" = true ]
}

# --- the first request ---

@test "the first request is no sample, and there are -n without it" {
    local name
    for name in ib_read_lat ib_atomic_lat; do
        good_pair "$name" -n 500 -U
        expect [ "$(field client 1 2)" = 500 ]
        expect [ "$(grep -cE '^[0-9]+, ' client.out)" = 500 ]
    done
}

# Cold, it took a hundred times as long as others, each time: where others take the CPUs it may be so in three of five
# runs. Where others take 0.03 usec, an exchange with cold caches of the CPU takes 1.
@test "the first sample of READ and atomics is as others are" {
    local name ratios
    for name in ib_read_lat ib_atomic_lat; do
        ratios=$(for _ in 1 2 3 4 5; do
            good_pair "$name" -n 200 -U
            awk -F ', ' '/^[0-9]+, / { sample[$1] = $2 }
                END { for (i = 100; i <= 200; i++) sum += sample[i]; print sample[1] / (sum / 101 + 2 / 30) }' client.out
        done)
        expect holds "$(sort -g <<<"$ratios" | sed -n 2p) < 30"
    done
}

# They go through the loop that measures; what they take, here a second, is in no figure.
@test "READ and atomics warm up with more than a request" {
    local name
    under=(env PERFTEST_SOFT_FAULT=delay:5+1000000)
    for name in ib_read_lat ib_atomic_lat "ib_read_lat --rate 1000 -t 1"; do
        # shellcheck disable=SC2086 # options
        good_pair $name -n 200 --out_json_file run.json
        expect holds "$(query run.json '.measurements[0] | .latency_max_usec // .due_max_usec') < 1e6"
    done
}

# --- documents of several runs ---

expect_refused() { # WORDS COMMAND...
    expect [ "$("${@:2}" 2>&1 >/dev/null | grep -c .)" = 1 ]
    expect grep -q "^perftest merge: error: $1" <("${@:2}" 2>&1)
}

# Against the samples themselves; a percentile is that of its rank within half a bucket, 1/256.
@test "documents of two runs are merged to the figures of all their samples" {
    local n merged
    for n in 1 2; do
        good_pair ib_send_lat -n 1000 -U --out_json_file "run$n.json"
        awk -F ', ' '/^[0-9]+, / { print $2 }' client.out >>samples
    done
    merged=$("$PERFTEST_TOP/scripts/merge_documents" run1.json run2.json)
    expect [ "$(wc -l <samples)" = 2000 ]
    expect [ "$(grep -c . <<<"$merged")" = 1 ]
    # SIZE COUNT average=A stdev=S min=M max=M 50%=P 90%=P 99%=P 99.9%=P, in microseconds
    # shellcheck disable=SC2016 # variables of awk
    expect awk 'function near(found, what, limit) { found = found / what - 1; return found < limit && -found < limit }
        NR == FNR { value[++n] = $1; sum += $1; next }
        { for (i = 3; i <= NF; i++) { split($i, pair, "="); merged[pair[1]] = pair[2] } }
        END { exit !(n == 2000 && near(merged["average"], sum / n, 1e-5) && near(merged["min"], value[1], 1e-5) &&
            near(merged["max"], value[n], 1e-5) && near(merged["50%"], value[n / 2], 1 / 256) &&
            near(merged["90%"], value[n * 9 / 10], 1 / 256) && near(merged["99%"], value[n * 99 / 100], 1 / 256)) }' \
        <(sort -g samples) - <<<"$merged"

    # what can't be merged is named, in one line
    local why
    jq '.tool.name = "ib_read_lat"' run2.json >other.json
    jq 'del(.measurements[].latency_histogram)' run2.json >bare.json
    echo '{' >cut.json
    echo '{}' >foreign.json
    sed 's/"latency_min_usec": [0-9.]*/"latency_min_usec": -1/' run2.json >negative.json
    sed 's/"latency_max_usec": [0-9.]*/"latency_max_usec": 1e999/' run2.json >huge.json
    printf '%*s' 100000 '' | tr ' ' '[' >deep.json
    expect_refused "cannot write to stdout: No space" bash -c "exec '$PERFTEST_TOP/scripts/merge_documents' run1.json >/dev/full"
    for why in "negative.json: it has a negative time" "huge.json: 1e999 is no number" "deep.json: it is nested too deeply" \
        "absent.json: No such file" "cut.json: " "foreign.json: it is no document" "bare.json: it has no latency histogram" \
        "other.json: it is of ib_read_lat, but run1.json is of "; do
        expect_refused "$why" "$PERFTEST_TOP/scripts/merge_documents" run1.json "${why%%:*}"
    done
}

# --- interval rows: they end with the interval ---

# An answer is awaited for several of them.
# bats test_tags=long
@test "rows of a latency test end at multiples of the interval, also while an answer is awaited" {
    local name
    for name in ib_write_lat ib_send_lat; do
        outage server client "$name"
        expect [ "$(query client.json '[.measurements[] | select(.kind == "interval") |
            (.interval_begin_seconds + .elapsed_seconds) / 0.2 | . - round | fabs < 1e-5] | all')" = true ]
        expect holds "$(query client.json '[.measurements[] | select(.kind == "interval" and .iterations == 0)] | length') > 0"
        expect [ "$(query client.json '[.measurements[] | select(.kind == "interval") | .iterations] | add')" = \
            "$(query client.json '.measurements[-1].iterations')" ]
    done
}

# --- interval rows: in no sample of either side ---

@test "interval rows cost no sample: both sides have -n, however many rows there are" {
    local name
    for name in ib_write_lat "ib_write_lat --write_with_imm" ib_send_lat "ib_send_lat -c UD" "ib_send_lat -e"; do
        server_args=(--out_json_file "$PWD/server.json")
        # shellcheck disable=SC2086 # options
        good_pair $name -n 1000 --report_interval 0.01 --out_json_file "$PWD/client.json"
        for side in client server; do
            expect [ "$(query "$side.json" '.measurements[-1].iterations')" = 1000 ]
            expect [ "$(query "$side.json" '[.measurements[] | select(.kind == "interval") | .iterations] | add <= 1000')" = true ]
        done
    done
}
