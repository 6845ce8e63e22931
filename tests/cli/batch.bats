#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# `perftest run -f`: are all runs of a file made, in order, and is what came of them in one document? Over soft0.

load helpers

perftest=$PERFTEST_BUILD/perftest

batch() { # [ARGUMENTS]
    launch batch "$perftest" run -f jobs.txt --out_json_file=jobs.json "$@"
    finish batch
}

# bats test_tags=quick
@test "perftest run -f: each run's figures, and a document with all of theirs" {
    cat >jobs.txt <<'JOBS'
# words as for a shell

small.bw: 'ib_write_bw' -d "soft0" -n 50 -s \64 -p1  # not a word
 sizes:	ib_read_lat --port=1 -d soft0 -n 50 --sizes=64:256:*2 --label='what=it'"'s # \"odd\""
tcp.with-a-name-of-more-than-20-letters: qperf -lp 1 -t 0.1 tcp_lat
JOBS
    batch --label=rack=7 --label=run=mine
    expect_status batch 0
    expect_quiet batch
    expect_schema jobs.json
    expect [ "$(jq -r '[.metric, .status, .batch.runs] | join(" ")' jobs.json)" = "batch complete 3" ]
    expect [ "$(jq -r '.measurements[] | [.name, .status, .document.tool.name, .document.labels.run, .document.labels.rack] | join(" ")' jobs.json)" = \
        "small.bw complete ib_write_bw small.bw 7
sizes complete ib_read_lat sizes 7
tcp.with-a-name-of-more-than-20-letters complete qperf tcp.with-a-name-of-more-than-20-letters 7" ]
    expect [ "$(query jobs.json '.measurements[0].command | join("|")')" = 'ib_write_bw|-d|soft0|-n|50|-s|64|-p1' ]
    expect [ "$(query jobs.json '.measurements[1].document.labels.what')" = "it's # \"odd\"" ]
    expect_output batch '^ small.bw +64 +bandwidth +[0-9.]+ +Gb/s$'
    expect [ "$(grep -c '^ sizes .* latency, median ' batch.out)" = 3 ]
    expect_output batch '^ +tcp_lat +latency +[0-9.]+ +usec$'
    expect [ "$(awk 'length > 80' batch.out)" = "" ]
    # for a monitor and for people they are the documents of three runs
    "$perftest" metrics jobs.json >jobs.prom
    expect grep -qE '^perftest_bandwidth_average_bytes_per_second\{program="ib_write_bw",.*label_run="small.bw",.*size_bytes="64",' jobs.prom
    expect [ "$(grep -c '^perftest_success{' jobs.prom)" = 4 ]
    "$perftest" report --output_format=markdown jobs.json >jobs.md
    expect [ "$(grep -cE '^\| jobs (small.bw|sizes|tcp.with[a-z0-9-]*) ' jobs.md)" -ge 3 ]
}

@test "perftest run -f: a FIFO is read once a program writes to it, and is named until then" {
    mkfifo jobs.txt
    launch batch "$perftest" run -f jobs.txt --out_json_file=jobs.json
    await batch said batch 'waiting for a program that writes to jobs.txt$'
    echo 'first: ib_write_bw -d soft0 -n 50' >jobs.txt
    finish batch
    expect_status batch 0
    expect [ "$(query jobs.json .batch.runs)" = 1 ]
    expect grep -q '^ first .* Gb/s$' <("$perftest" run -f - <<<'first: ib_write_bw -d soft0 -n 50')
    # one that nobody writes to ends with Ctrl-C
    launch batch "$perftest" run -f jobs.txt
    await batch said batch 'waiting for a program'
    kill -INT "${pids[batch]}"
    finish batch
    expect [ "$batch_status" != 0 ]
}

@test "perftest run -f: the example of the documents, with both sides here" {
    sed 's/-t 2 /-t 0.1 /' "$PERFTEST_TOP/docs/examples/jobs.txt" >jobs.txt
    batch
    expect_status batch 0
    expect_quiet batch
    expect [ "$(query jobs.json '[.measurements[].status] | unique | join(" ")')" = complete ]
}

@test "perftest run -f: a line that is wrong is named before anything runs" {
    local line fault
    while IFS='~' read -r line fault; do
        printf 'good: ib_write_bw -n 50\n%s\n' "$line" >jobs.txt
        batch
        expect_status batch 2
        expect_error batch "jobs.txt:2: $fault"
        expect [ ! -e jobs.json ]
        expect [ ! -s batch.out ]
    done <<'LINES'
ib_write_bw -n 5~it does not begin with a name .*NAME: ib_write_bw -n 500
a b: ib_write_bw~it does not begin with a name
good: ib_read_bw~another line has the same name
x: # nothing~there is no program behind the name
x: ib_wite_bw~'ib_wite_bw' is no program of the suite; did you mean ib_write_bw
x: ib_write_bw 'a~a quotation mark is not closed
x: ib_write_bw -s $SIZE~\$ ` \| & ; < > \( and \) are for a shell
x: ib_write_bw "`id`"~\$ ` \| & ; < > \( and \) are for a shell
x: ib_write_bw -n 5 \~a \\ at its end continues nothing: each run is one line
x: raw_ethernet_bw~'raw_ethernet_bw' has no server that could be started for a client: give it --client
x: cmtime --frobnicate~unknown option '--frobnicate'
x: ib_write_bw --frobnicate~unknown option '--frobnicate'
x: qperf --frobnicate tcp_lat~'--frobnicate': bad option
x: qperf -lp none tcp_lat~-lp: 'none' is not a whole number
x: ib_write_bw --out-json-file=x~--out_json_file is an option of perftest, in front of the program
LINES
    printf 'good: ib_write_bw\0 -n 50\n' >jobs.txt
    batch
    expect_error batch 'jobs.txt:1: it is too long, or has a NUL'
    printf 'good: ib_write_bw -n 50\r\nbad: ib_write_bw\rlost: ib_write_bw\r\n' >jobs.txt
    batch
    expect_error batch 'jobs.txt:2: it has a carriage return: begin each run after a newline'
    run_alone perftest run -f /dev/zero
    expect_error alone '/dev/zero:1: it is too long, or has a NUL'
    echo "# none" >jobs.txt
    batch
    expect_error batch 'jobs.txt names no run'
    run_alone perftest run -f nosuch.txt
    expect_status alone 2
    expect_error alone 'cannot read nosuch.txt: No such file'
    run_alone perftest run -f jobs.txt one two
    expect_status alone 2
    run_alone perftest run -f jobs.txt -p 21310 localhost
    expect_status alone 2
    expect_error alone "unknown option '-p'; options of a program belong in its line of FILE"
    run_alone perftest run --limit=9 ib_write_bw -p 21310 localhost
    expect_status alone 2
    expect_error alone "options in front of 'ib_write_bw' are for -f FILE, whose lines have the programs"
    run_alone perftest run --help ib_write_bw
    expect_status alone 0
    expect_output alone '^Options:$'
}

@test "perftest run -f: the worst decides the status, and the others are run; one HOST has all servers" {
    start_server ib_write_bw --keep_serving
    cat >jobs.txt <<JOBS
wrong: ib_write_bw -p $port -d none -n 50
slow: ib_write_bw -p $port -n 50 -w 1e9
good: ib_write_bw -p $port -n 50 --until=0.01 --max_repeats=10
JOBS
    batch 127.0.0.1
    expect_status batch 1
    expect grep -q 'wrong: client: .*none' batch.err
    expect grep -qE 'slow: BW result is below bw limit: [0-9.]+ MiB/s at [0-9]+ bytes$' batch.err
    expect grep -qE '^ +the limit \(-w\) is ' batch.err
    expect grep -q 'warning: good: .* raise --max_repeats' batch.err
    expect_schema jobs.json
    expect [ "$(query jobs.json '[.status, .reason[:6], (.missed_limits | length), .missed_limits[0][:5]] | join(" ")')" = "failed wrong: 1 slow:" ]
    expect [ "$(query jobs.json '[.measurements[].status] | join(", ")')" = "failed, below limit, complete" ]
    sed -i 1d jobs.txt
    batch 127.0.0.1 --output_format=jsonl
    expect_status batch 3
    expect_schema jobs.json
    expect [ "$(query jobs.json .status)" = "below limit" ]
    same_as_lines jobs.json batch.out
    kill -INT "${pids[server]}"
    finish server
}

@test "perftest run -f: Ctrl-C keeps what was measured, and so does kill -9" {
    printf '%s\n' 'first: ib_write_bw -d soft0 -n 50' 'long: ib_write_bw -d soft0 -D 60 --report_interval 0.1' 'third: ib_write_bw' >jobs.txt
    local signal
    for signal in INT KILL; do
        rm -f jobs.json
        launch batch "$perftest" run -f jobs.txt --out_json_file=jobs.json
        await batch said batch '^ first .* Gb/s$'
        await batch pgrep -P "${pids[batch]}"
        await batch test -s jobs.json
        if [[ $signal == KILL ]]; then kill_hard "${pids[batch]}"; else kill -INT "${pids[batch]}"; fi
        finish batch
        expect_schema jobs.json
        expect [ "$(query jobs.json '.measurements[0] | [.name, .status] | join(" ")')" = "first complete" ]
        if [[ $signal == INT ]]; then
            expect_status batch 130
            expect [ "$(query jobs.json '[.status, .measurements[1].status, (.measurements | length)] | join(" ")')" = "interrupted interrupted 2" ]
        else
            expect [ "$(query jobs.json '[.status, (.measurements | length)] | join(" ")')" = "running 1" ]
        fi
    done
}
