#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The command `perftest`, and the executable that it shares with the ib_* and raw_ethernet_* programs.

load helpers

perftest=$PERFTEST_BUILD/perftest

# bats test_tags=quick
@test "perftest list: every program, in the words of its manual page" {
    local name words
    local -a pages=("$PERFTEST_TOP"/man/{ib_*,raw_ethernet_*,cmtime,qperf,cxi_send_bw}.1)
    "$perftest" list >list.out
    expect [ "$(wc -l <list.out)" = "${#pages[@]}" ]
    while read -r name words; do
        expect grep -qF "$name - measure " <(sed 's/\\-/-/g' "$PERFTEST_TOP/man/$name.1")
        expect grep -qF "$words" <(sed 's/\\-/-/g' "$PERFTEST_TOP/man/$name.1")
    done <list.out
}

# bats test_tags=quick
@test "perftest run: the program itself, on either side" {
    start_server ib_write_bw -n 100
    launch client "$perftest" run ib_write_bw -p "$port" -n 100 127.0.0.1
    finish client
    finish server
    expect_status client 0
    expect_rows client 1
    "$perftest" run qperf --version >qperf.out
    expect cmp qperf.out <("$PERFTEST_BUILD/qperf" --version)
    expect cmp <("$perftest" run ib_send_lat --help) <("$PERFTEST_BUILD/ib_send_lat" --help)
}

@test "perftest: what is no command, no program or has no program beside it is said" {
    local status words
    while read -r status words; do
        # shellcheck disable=SC2086 # words
        launch client "$perftest" $words
        finish client
        expect_status client "$status"
        expect [ ! -s client.out ]
        expect [ "$(wc -l <client.err)" = 1 ]
    done <<<"2
2 ib_write_bw
2 run
2 run ib_wrte_bw
2 list all"
    mkdir elsewhere
    cp "$perftest" elsewhere/
    launch client elsewhere/perftest run qperf localhost tcp_lat
    finish client
    expect_status client 1
    expect_error client "qperf is not installed beside this program in .*/elsewhere"
}

@test "perftest: each command has its own --help, and a misspelt word a suggestion" {
    local command words meant
    for command in run list serve matrix compare gate verify doctor merge metrics; do
        "$perftest" "$command" --help >help.out
        expect grep -qi "^usage:" help.out
        expect grep -q "perftest $command" help.out
        expect cmp help.out <("$perftest" help "$command")
        expect [ "$(awk 'length > 80' help.out)" = "" ]
    done
    # ... and each usage of it is in the help of all
    for command in serve matrix compare gate verify metrics report; do
        "$perftest" "$command" --help | sed -n "s/^\(Usage:\)\? *perftest \($command \[OPTIONS\] .*\)/  \2/p" >usages
        expect [ -s usages ]
        expect [ "$("$perftest" --help | grep -cxFf usages)" = "$(wc -l <usages)" ]
    done
    expect cmp <("$perftest" help ib_send_lat) <("$PERFTEST_BUILD/ib_send_lat" --help)
    while IFS=: read -r words meant; do
        # shellcheck disable=SC2086 # words
        run_alone perftest $words
        expect [ "$status" = 2 ]
        expect_error alone "did you mean $meant\?$"
    done <<<"matrx:matrix
--verison:--version
run ib_wrte_bw:ib_write_bw
run qprf:qperf
matrix rign ib_write_bw:ring
matrix ring ib_raed_bw:ib_read_bw
matrix --parralel=2 ib_write_bw:--parallel
compare ib_write_bw -- ib_wrte_bw:ib_write_bw
compare --run=8 --sed=1 ib_write_bw -- ib_write_bw:--seed"
    run_alone perftest explain
    expect_error alone "'explain' is no command, but an option: --explain of ib_\* programs$"
    run_alone perftest merge
    expect_status alone 2
    expect_error alone '^perftest merge: error: which documents\?'
    run "$perftest" merge - - </dev/null
    [ "$output" = "perftest merge: error: standard input: it is empty" ]
    run_alone perftest doctor --frobnicate
    expect_error alone '^perftest doctor: '
}

# Each option of the help is in the manual page and, as the page of bash asks it, in the completion.
@test "perftest: the options of the commands are in the manual page and in the completion" {
    local option command
    for command in matrix compare gate verify "--ssh x"; do
        # shellcheck disable=SC2086 # words
        "$perftest" $command --help | grep -oE -- '^ {2,6}(-., )?--[a-z_-]+=?' | grep -oE -- '--.*' | grep -v help | sort -u >options
        expect [ "$(wc -l <options)" -ge 6 ]
        while read -r option; do
            expect grep -qF -- "${option%=}" <(sed 's/\\-/-/g' "$PERFTEST_TOP/man/perftest.1")
        done <options
        # shellcheck disable=SC2016,SC2086 # for the other shell; words
        bash -c 'source "$1" && shift && _perftest_list perftest "$@" --' bash "$PERFTEST_TOP/scripts/perftest-completion.bash" \
            $command | grep -v help | sort -u >offered
        expect diff options offered
    done
}

@test "perftest doctor and merge are --doctor and merge_documents" {
    local name
    "$perftest" doctor -d soft0 >doctor.out || expect [ $? = 5 ]
    expect grep -q soft0 doctor.out
    expect [ "$(awk 'length > 80' doctor.out)" = "" ]
    for name in one two; do
        good_pair ib_send_lat -n 200 --out_json_file $name.json
    done
    expect cmp <("$perftest" merge one.json two.json) <("$PERFTEST_TOP/scripts/merge_documents" one.json - <two.json)
}

# The figures of a metric, as the parser of Prometheus's Python client reads them.
samples() { # FILE NAME [LABEL]
    /usr/bin/python3 - "$@" <<'PYTHON'
import sys
from prometheus_client.openmetrics.parser import text_string_to_metric_families

with open(sys.argv[1], encoding="utf-8") as file:
    for family in text_string_to_metric_families(file.read()):
        for sample in family.samples if family.name == sys.argv[2] else ():
            print(sample.labels.get("size_bytes", ""), sample.labels.get("quantile", ""), sample.value,
                  *(sample.labels.get(label, "") for label in sys.argv[3:]))
PYTHON
}

@test "perftest metrics: an OpenMetrics parser reads the figures of the documents" {
    /usr/bin/python3 -c 'import prometheus_client' 2>/dev/null || skip "python3-prometheus-client is not installed"
    good_pair ib_send_lat -n 2000 --out_json_file lat.json --label='note=a"b\c' --label=rack=7
    good_pair ib_write_bw -a -n 5 -b --report-both --out_json_file bw.json
    jq '.device.name = "a\\b\"c\nd"' lat.json >odd.json
    "$perftest" metrics -o all.prom lat.json bw.json odd.json
    expect [ "$(samples all.prom perftest_latency_typical_seconds | awk 'NR == 1 { printf "%.6f", $NF * 1e6 }')" = \
        "$(query lat.json '.measurements[0].latency_typical_usec' | awk '{ printf "%.6f", $1 }')" ]
    expect [ "$(samples all.prom perftest_latency_quantile_seconds | cut -d' ' -f2 | sort -u | paste -sd ' ')" = "0.99 0.999" ]
    expect [ "$(samples all.prom perftest_bandwidth_average_bytes_per_second | wc -l)" = 69 ]
    expect [ "$(samples all.prom perftest_success | wc -l)" = 3 ]
    expect [ "$(samples all.prom perftest_success label_note | awk 'NR == 1 { print $1 + 0, $2 }')" = '1 a"b\c' ]
    expect cmp <("$perftest" metrics lat.json) <("$perftest" metrics - <lat.json)
    jq '.status = "above limit"' lat.json | "$perftest" metrics - >missed.prom
    expect [ "$(samples missed.prom perftest_success | awk '{ print $NF + 0 }')" = 0 ]
}

@test "perftest metrics: what differs in a document or between two has series of its own" {
    local line version
    version=$(jq .properties.schema_version.const "$PERFTEST_TOP/docs/schema.json")
    kept() { # PROGRAM MEMBERS
        jq -cn "{tool: {suite: \"perftest\", name: \"$1\"}, schema_version: $version} + $2" >>kept.jsonl
    }
    kept qperf '{measurements: [1, 2 | {kind: "result", test: "tcp_lat", latency_usec: (. * 1e6),
        local_parameters: {msg_size: ., sock_buf_size: (3 * .), port: 7}}]}'
    kept perftest '{metric: "matrix", status: "complete", parameters: {pattern: "ring"}, matrix: {program: "ib_write_bw", options: ["-s", "4"]}}'
    kept perftest '{metric: "matrix", status: "failed", parameters: {pattern: "ring"}, matrix: {program: "ib_write_bw", options: ["-s", "8"]}}'
    kept perftest '{metric: "gate", gate: {command: "ib_read_bw"}, measurements: ["p1", "p2_usec" | {kind: "result", subject: "64", figure: ., expected: 5}]}'
    kept ib_write_lat '{measurements: [{kind: "result", rate_per_second: 12.5, share_percent: 10}, {kind: "result", rate_per_second: 100, late: 1}]}'
    kept perftest '{metric: "batch", labels: {rack: "7"}, measurements: [
        {kind: "run", name: "down", command: ["ib_read_bw"], status: "failed", document: null},
        {kind: "run", name: "cut", command: ["ib_read_lat"], status: "failed", document:
            {tool: {suite: "perftest", name: "ib_read_lat"}, schema_version: '"$version"', labels: {run: "mine"}, status: "complete"}}]}'
    "$perftest" metrics kept.jsonl >kept.prom
    while read -r line; do
        expect grep -qxF "$line" kept.prom
    done <<'PROM'
perftest_latency_seconds{program="qperf",test="tcp_lat",size_bytes="1",sock_buf_size="3"} 1
perftest_latency_seconds{program="qperf",test="tcp_lat",size_bytes="2",sock_buf_size="6"} 2
perftest_success{program="perftest",pattern="ring",command="ib_write_bw -s 4"} 1
perftest_success{program="perftest",pattern="ring",command="ib_write_bw -s 8"} 0
perftest_expected{program="perftest",command="ib_read_bw",subject="64",figure="p1"} 5
perftest_expected{program="perftest",command="ib_read_bw",subject="64",figure="p2_seconds"} 5
perftest_rate_per_second{program="ib_write_lat",share_percent="10"} 12.5
perftest_late{program="ib_write_lat",rate_per_second="100"} 1
perftest_success{program="ib_read_bw",label_rack="7",label_run="down"} 0
perftest_success{program="ib_read_lat",label_run="cut"} 0
PROM
}

@test "--output_format=openmetrics is perftest metrics of the run" {
    good_pair ib_write_bw -n 50 --output_format=openmetrics --out_json_file run.json --label=rack=7 --explain
    expect grep -q '^ib_write_bw: .*[a-z]' client.err
    expect cmp client.out <("$perftest" metrics run.json)
    expect grep -q '^perftest_bandwidth_average_bytes_per_second{.*label_rack="7"' client.out
}

@test "perftest metrics: what is no document is named, and the file stays as it was" {
    echo before >kept.prom
    echo '{"tool": {"suite": "other"}, "measurements": []}' >odd.json
    echo '{' >cut.json
    for name in odd cut nosuch; do
        run "$perftest" metrics -o kept.prom $name.json
        expect [ "$status" = 1 ]
        expect [ "${#lines[@]}" = 1 ]
        [[ $output == *"$name.json"* ]]
    done
    expect [ "$(<kept.prom)" = before ]
    run "$perftest" metrics .
    [[ $output == *"cannot show .: Is a directory"* ]]
    run "$perftest" metrics - </dev/null
    [[ $output == *"cannot show standard input: it is empty"* ]]
    run "$perftest" metrics
    expect [ "$status" = 2 ]
    cat >odd.json <<JSON
{"tool": {"suite": "perftest", "name": "x"}, "schema_version": $(jq .properties.schema_version.const "$PERFTEST_TOP/docs/schema.json"),
 "measurements": [7, {"kind": "result", "percentiles": {"a": 1}, "a b": 1}], "ended": "soon",
 "labels": {"}": "x", "y": 7, "z": {}}}
JSON
    "$perftest" metrics odd.json >odd.prom
    expect grep -qx 'perftest_a_b{program="x",label__="x",label_y="7"} 1' odd.prom
}

# pkill, ps and perf know a program by it, and scripts have copies and links of their own.
@test "a program keeps its name: in /proc, as a copy, and by the one of old" {
    local name
    start_server ib_write_lat
    expect [ "$(<"/proc/${pids[server]}/comm")" = ib_write_lat ]
    kill -INT "${pids[server]}"
    finish server
    cp "$perftest" ib_send_lat-7.0
    ln -s "$perftest" raw_ethernet_send_bw
    for name in ib_send_lat raw_ethernet_bw; do
        "$PERFTEST_BUILD/$name" --help >"$name.help"
    done
    expect cmp ib_send_lat.help <(./ib_send_lat-7.0 --help)
    expect cmp raw_ethernet_bw.help <(./raw_ethernet_send_bw --help)
}
