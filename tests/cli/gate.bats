#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# `perftest gate`: are the runs of a program as fast as those of a kept baseline? Over soft0. What the figures are is the
# machine's, so the baseline's are made larger or smaller.

load helpers
load ci_readers

perftest=$PERFTEST_BUILD/perftest
quick=(ib_write_bw -d soft0 -n 100)

gate() { # [ARGUMENTS]
    launch gate "$perftest" gate "$@"
    finish gate
}

save() { # PROGRAM [OPTIONS]
    gate --runs=2 --save_baseline=base.json "$@"
    expect_status gate 0
    expect_quiet gate
    expect_schema base.json
}

# fast.json and slow.json: this program was ten thousand times as fast, or as slow.
spread_out() { # KEY
    local factor # a latency of 0.3 us is one of milliseconds where both processes get the same CPU
    for factor in fast/1e7 slow/1e-7; do
        jq --arg key "$1" --argjson by "${factor#*/}" '(.gate.runs[].measurements[] | select(has($key)))[$key] *= $by' base.json >"${factor%/*}.json"
    done
}

# bats test_tags=quick
@test "perftest gate: what is slower than its baseline is missed, in one line each" {
    save "${quick[@]}"
    expect_output gate '^ perftest gate: 2 runs, the baseline base.json$'
    expect_output gate '^ 65536 +bandwidth +[0-9.]+ +[0-9.]+ % +Gb/s$'
    expect [ "$(jq -r '[.metric, .status, (.gate.runs | length), .measurements[0].missed] | join(" ")' base.json)" = "gate complete 2 " ]
    spread_out bandwidth_average_bytes_per_second
    gate --baseline=slow.json --tolerance=99 --out_json_file=gate.json "${quick[@]}"
    expect_status gate 0
    expect_schema gate.json
    expect_output gate '^ 65536 +bandwidth .* Gb/s .* \+[0-9.]+ % +99 % +met$'
    gate --baseline=fast.json --tolerance=99 --out_json_file=gate.json --label=rack=7 "${quick[@]}"
    expect [ "$(query gate.json .labels.rack)" = 7 ]
    expect_status gate 3
    expect_schema gate.json
    expect_output gate '^ 65536 +bandwidth .* Gb/s .* -[0-9.]+ % +99 % +MISSED$'
    expect_error gate '65536 bandwidth: [0-9.e+-]+ Gb/s, [0-9.]+ % less than the [0-9.e+]+ Gb/s of fast.json; --tolerance is 99 %$'
    expect [ "$(jq -r '[.status, .measurements[0].missed, (.missed_limits | length), .reason] | join(" ")' gate.json)" = "below limit true 1 worse than the baseline" ]
    gate --runs=1 --save_baseline=one.json "${quick[@]}"
    expect_output gate '^ perftest gate: 1 run, the baseline one.json$'
    # a document of a comparison has the runs of this side: it is a baseline, too
    gate --baseline=gate.json --tolerance=99 "${quick[@]}"
    expect [ "$gate_status" = 0 ] || expect_status gate 3
}

@test "perftest gate: of a time more is worse; each size and figure has a row" {
    save ib_send_lat -d soft0 -n 100 '--sizes=2:64:*2'
    spread_out latency_typical_usec
    gate --baseline=slow.json --tolerance=99 --output_format=markdown ib_send_lat -d soft0 -n 100 '--sizes=2:64:*2'
    expect_status gate 3
    expect [ "$(grep -c '^| [0-9]* | latency, median | .* | MISSED |$' gate.out)" = 6 ]
    expect [ "$(grep -c 'latency, median: .* % more than the .* usec of slow.json' gate.err)" = 6 ]
    gate --baseline=fast.json --tolerance=99 --output_format=json ib_send_lat -d soft0 -n 100 '--sizes=2:64:*2'
    expect_schema gate.out
    expect [ "$(jq '[.measurements[] | select(.name == "latency, median") | .missed] | any' gate.out)" = false ]
}

@test "perftest gate: runs that differ by more than the tolerance are named" {
    save "${quick[@]}"
    jq '.gate.runs[0].measurements[].bandwidth_average_bytes_per_second *= 1e4' base.json >wide.json
    gate --baseline=wide.json --tolerance=1 "${quick[@]}"
    expect grep -qE 'warning: 65536 bandwidth: runs of the baseline are up to [0-9.]+ % off their median, which a --tolerance of 1 % does not cover' gate.err
}

@test "perftest gate: a reader of JUnit's XML and one of TAP find what was missed, and what failed" {
    local file
    save "${quick[@]}"
    spread_out bandwidth_average_bytes_per_second
    for file in slow fast; do
        gate --baseline=$file.json --tolerance=99 --output_format=tap "${quick[@]}"
        mv gate.out $file.tap
        gate --baseline=$file.json --tolerance=99 --output_format=junit "${quick[@]}"
        mv gate.out $file.xml
    done
    gate --baseline=slow.json --output_format=junit "${quick[@]}" -s 64
    expect_status gate 1
    expect [ "$(tap_read slow.tap | paste -sd ,)" = "passed runs,passed 65536 bandwidth" ]
    expect [ "$(tap_read fast.tap | paste -sd ,)" = "passed runs,Failure 65536 bandwidth" ]
    expect [ "$(junit_read slow.xml | paste -sd ,)" = "passed runs,passed 65536 bandwidth" ]
    expect grep -q 'name="runs" time="[0-9.]*[1-9][0-9]*"' slow.xml
    expect [ "$(junit_read fast.xml | cut -d: -f1 | paste -sd ,)" = "passed runs,Failure 65536 bandwidth" ]
    expect [ "$(junit_read gate.out)" = "Failure runs: slow.json is of another test: parameters.size is 65536 there, and 64 here" ]
    mv slow.json $'\303\274<\033.json' # of which a reader of XML takes the second alone
    gate --baseline=$'\303\274<\033.json' --output_format=junit "${quick[@]}" -s 64
    expect [ "$(junit_read gate.out)" = "Failure runs: ..<..json is of another test: parameters.size is 65536 there, and 64 here" ]
}

@test "perftest gate: another test is refused after one run, another host named" {
    save "${quick[@]}"
    gate --baseline=base.json "${quick[@]}" -q 2
    expect_status gate 1
    expect_error gate 'base.json is of another test: parameters.qp is 1 there, and 2 here$'
    expect [ ! -s gate.out ]
    gate --baseline=base.json --out_json_file=gate.json ib_read_bw -d soft0 -n 100
    expect_status gate 1
    expect_error gate 'of different tests: base.json of ib_write_bw, this run of ib_read_bw'
    expect_schema gate.json
    jq '.gate.runs[0].host.kernel = "6.1.0\u001b[2J"' base.json >other.json
    gate --baseline=other.json --tolerance=99 "${quick[@]}"
    expect grep -q 'warning: not as in other.json: host.kernel: "6.1.0.u001B\[2J" there, ".*" here$' gate.err
    expect_output gate '^ 65536 '
}

@test "perftest gate: what is no baseline" {
    save "${quick[@]}"
    cp base.json kept.json
    jq .gate.runs[0] base.json >run.json
    jq '.gate.runs = []' base.json >empty.json
    jq '.status = "failed"' base.json >cut.json
    jq '.gate.runs[1] = 7' base.json >odd.json
    jq '.gate.runs = [range(201) as $i | 0]' base.json >many.json
    jq '.gate.runs[].measurements += .gate.runs[0].measurements' base.json >twice.json
    echo '[[[' >broken.json
    local name words
    while read -r name words; do
        gate --baseline="$name.json" "${quick[@]}"
        expect_status gate 1
        expect_error gate "$words"
        expect [ ! -s gate.out ]
    done <<<"run cannot read the baseline run.json: perftest gate --save_baseline=FILE has not written it
empty its runs were cut short
cut its runs were cut short
odd cannot read the baseline odd.json: the test has no result
many it has too many runs
twice cannot compare twice.json \(A\) with run 1 \(B\): A and B have different numbers of results
broken cannot read the baseline broken.json: .
none cannot read the baseline none.json: .*No such file"
    # what fails leaves the one that is there
    gate --save_baseline=base.json ib_write_bw -d none
    expect_status gate 1
    expect_error gate 'run 1 failed: server: .*none'
    expect cmp base.json kept.json
    gate --runs=2 --save_baseline=/dev/full "${quick[@]}"
    expect_status gate 1
    expect_error gate '^perftest gate: error: cannot write the baseline /dev/full: No space left on device$'
}

# bats test_tags=quick
@test "perftest gate: what it cannot do is said before anything is tried" {
    local words
    while read -r words; do
        # shellcheck disable=SC2086 # words
        run_alone perftest gate $words
        expect [ "$status" = 2 ]
        expect_error alone .
    done <<<"
ib_write_bw
--baseline=a.json
--baseline=a.json --save_baseline=b.json ib_write_bw
--baseline=a.json --runs=3 ib_write_bw
--save_baseline=a.json --out_json_file=b.json ib_write_bw
--save_baseline=a.json --output_format=tap ib_write_bw
--save_baseline=a.json ib_writ_bw
--save_baseline=a.json raw_ethernet_bw
--baseline=a.json --tolerance=100 ib_write_bw
--baseline=a.json --output_format=csv ib_write_bw"
    run_alone perftest gate --help
    expect [ "$status" = 0 ]
    run_alone perftest gate --save-baseline=none/a.json ib_write_bw
    expect [ "$status" != 0 ]
    expect_error alone none/a.json
}

@test "perftest gate: Ctrl-C ends it, and writes no baseline" {
    launch gate "$perftest" gate --save_baseline=base.json ib_write_bw -d soft0 -D 60
    await gate pgrep -P "${pids[gate]}"
    kill -INT "${pids[gate]}"
    finish gate
    expect_status gate 130
    expect [ ! -e base.json ]
}
