#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# `perftest matrix`: four instances on this machine, at addresses of their own of the loopback network.

load helpers
load rsh

perftest=$PERFTEST_BUILD/perftest
hosts=4
test=(ib_write_bw -d soft0 -n 200)

min_share=1 # nothing is slow, and measured again, unless a test is about that

matrix() { # RANK [ARGUMENTS], into the background as i$RANK
    local rank=$1
    shift
    launch "i$rank" "${matrix_program[$rank]:-$perftest}" matrix --controller=127.0.0.1 -p "$port" -N "$hosts" --rank="$rank" \
        --min_share="$min_share" --address="127.0.0.$((rank + 1))" --out_json_file="i$rank.json" "$@"
}

begin_all() { # [ARGUMENTS]
    local rank
    for ((rank = 0; rank < hosts; rank++)); do
        matrix "$rank" "$@"
    done
}

finish_all() { # RANK...
    local rank
    for rank; do
        finish "i$rank"
    done
}

# Figures of the document of rank 0.
document() { # FILTER
    jq -r "$1" i0.json
}

# Of pairs that were measured.
measured() {
    document '[.measurements[] | select(.value > 0)] | length'
}

# A stand-in for a program that is slow on one host: as a client it moves tiny messages.
slow_program() { # NAME OPTION...
    local name=$1
    shift
    mkdir -p slow
    cp "$perftest" slow/perftest
    cat >"slow/$name" <<EOF
#!/bin/bash
[[ \$* != *--out_json_file* ]] || set -- $* "\$@"
exec "$PERFTEST_BUILD/$name" "\$@"
EOF
    chmod +x "slow/$name"
}

# bats test_tags=quick
@test "perftest matrix: all pairs, both directions, one document" {
    begin_all "${test[@]}"
    finish_all 0 1 2 3
    local rank
    for rank in 1 2 3; do
        expect_status "i$rank" 0
        expect [ ! -s "i$rank.out" ]
        expect [ ! -e "i$rank.json" ]
    done
    expect [ "$i0_status" = 0 ] || expect [ "$i0_status" = 3 ] # of a busy machine a pair may be slow
    expect [ "$(measured)" = 12 ]
    expect_schema i0.json
    expect [ "$(document '[.measurements[].document.measurements[-1].iterations] | unique | join(",")')" = 200 ]
    expect_output i0 '^ +0 .* \. +[0-9]+ +[0-9]+ +[0-9]+$'
    # sentences are folded at terminals
    expect [ "$(awk '!/^ [^ ]/ && length > 80' i0.out | wc -l)" = 0 ]
}

@test "perftest matrix: patterns, and pairs one by one" {
    local pattern count
    while read -r pattern count; do
        begin_all --parallel=1 "$pattern" ib_read_lat -d soft0 -n 100
        finish_all 0 1 2 3
        expect [ "$(measured)" = "$count" ]
        expect [ "$(document .matrix.figure)" = latency_typical_usec ]
        expect [ "$(document .matrix.together,.matrix.start_spread_seconds | sort -u)" = null ] # of times, and alone
    done <<<"ring 8
quick 8"
    begin_all --parallel=1 --output_format=csv ring ib_read_lat -d soft0 -n 100
    finish_all 0 1 2 3
    # in microseconds, as it says
    expect [ "$(awk -F, 'NR > 1 && $3 == "latency_typical_usec" && $4 > 0.02 && $4 < 1e5' i0.out | wc -l)" = 8 ]
}

# A host runs several programs at once: as a server for all others, as a client of all, as both.
@test "perftest matrix: patterns in which all run at once, which begin together" {
    local pattern count servers
    while read -r pattern count servers; do
        begin_all "$pattern" ib_write_bw -d soft0 -n 200
        finish_all 0 1 2 3
        expect [ "$(measured)" = "$count" ]
        expect [ "$(document '[.measurements[:2][].server] | unique | length')" = "$servers" ]
        # tests of a few milliseconds do not run together for nearly all of their time
        expect [ "$(document '.matrix.together == null and .matrix.start_spread_seconds < 20')" = true ]
        expect_output i0 '^ They began within [0-9.e+]+ ms of each other\.$'
        expect_schema i0.json
    done <<<"bisection 4 2
shift 12 2
incast 12 1
fanout 12 2"
    begin_all bisection ib_write_bw -d soft0 -D 2 -f 0
    finish_all 0 1 2 3
    expect [ "$(document '.matrix.together.median > .matrix.usual or .matrix.start_spread_seconds > 0.15')" = true ]
}

# It has no --clients: docs/cxi.md.
@test "perftest matrix: incast runs several clients of cxi_send_bw at once" {
    ! "$PERFTEST_BUILD/cxi_send_bw" --provider=tcp ::no.such.host 2>&1 | grep -q libfabric || skip "libfabric is not here"
    hosts=3
    begin_all incast cxi_send_bw --provider=tcp -n 20 -s 4096
    finish_all 0 1 2
    expect [ "$(measured)" = 6 ]
    expect [ "$(document '[.measurements[:2][] | .server] | unique | length')" = 1 ]
    expect [ "$(document '.matrix.figure')" = bandwidth_bytes_per_second ]
    expect_output i0 '^ They began within [0-9.e+]+ ms of each other\.$'
    expect_schema i0.json
}

@test "perftest matrix: the adapters of the hosts" {
    local option count names
    hosts=2
    while read -r option count names; do
        begin_all "--$option=soft[0-1]" ib_write_bw -n 200
        finish_all 0 1
        expect [ "$(measured)" = "$count" ]
        expect [ "$(document '[.measurements[] | [.client_name, .server_name | sub(".*/"; "")] | join("-")] | sort | join(" ")')" = "$names" ]
        expect_schema i0.json
    done <<<"rails 4 0:soft0-1:soft0 0:soft1-1:soft1 1:soft0-0:soft0 1:soft1-0:soft1
all_rails 8 0:soft0-1:soft0 0:soft0-1:soft1 0:soft1-1:soft0 0:soft1-1:soft1 1:soft0-0:soft0 1:soft0-0:soft1 1:soft1-0:soft0 1:soft1-0:soft1
local 4 0:soft0-0:soft1 0:soft1-0:soft0 1:soft0-1:soft1 1:soft1-1:soft0"
    expect_output i0 '^ +0 .*/0:soft0 '
    expect_output i0 '^ 100 = [0-9.]+ Gb/s, usual of a row; '
    hosts=1
    begin_all --local=soft[0-1] ib_write_bw -n 200
    finish_all 0
    expect_output i0 ': 1 host, '
    expect_output i0 '^ 2 adapters cannot be compared: none is the usual one$'
}

@test "perftest matrix: cmtime" {
    hosts=2
    begin_all cmtime -S -c 20
    finish_all 0 1
    expect [ "$(measured)" = 2 ]
    expect [ "$(document '[.measurements[].document.tool.name] | unique | join(" ")')" = cmtime ]
    expect_schema i0.json
}

# The third host's client never ends; what came before is there meanwhile, also when the controller is killed.
@test "perftest matrix: each pair is put out when it has been measured" {
    local -a matrix_program=()
    local format
    hosts=3
    slow_program ib_write_bw --run_infinitely
    matrix_program[2]=slow/perftest
    for format in csv jsonl; do
        begin_all --output_format=$format "${test[@]}"
        await i0 grep -q bandwidth_average i0.out
        expect kill -0 "${pids[i0]}"
        if [[ $format = csv ]]; then
            kill -INT "${pids[i0]}"
        else
            kill_hard "${pids[i0]}"
        fi
        finish_all 0 1 2
        if [[ $format = csv ]]; then
            expect [ "$(head -n 1 i0.out)" = client,server,figure,value,failure,missed_limit ]
            expect [ "$(sed -n '2s/,[0-9.]*,/,N,/p' i0.out)" = '"'"$(uname -n | cut -d. -f1)/1"'","'"$(uname -n | cut -d. -f1)/2"'",bandwidth_average_bytes_per_second,N,"",""' ]
            expect [ "$(document .status)" = interrupted ]
        else
            expect [ "$(jq -r 'select(.kind == "result") | .document.measurements[-1].iterations' i0.out | sort -u)" = 200 ]
            run_alone perftest metrics i0.out
            expect [ "$status" = 0 ]
        fi
    done
}

has_two_begins() {
    (($(grep -c '^{"kind": "begin"' i0.out) > 1))
}

has_two_passes() {
    (($(wc -l <i0.out) > 4))
}

@test "perftest matrix --every: each time a document of its own, until the user stops; the file is whole" {
    hosts=2
    begin_all --every=1 --output_format=jsonl ib_write_bw -d soft0 -D 2
    await i0 has_two_begins
    kill -INT "${pids[i0]}"
    finish_all 0 1
    expect_status i0 130
    expect_status i1 0
    expect [ "$(grep -c '^{"kind": "end"' i0.out)" = 2 ]
    expect [ "$(document .status)" = complete ]
    expect [ "$(measured)" = 2 ]
    expect_schema i0.json
    run_alone perftest metrics i0.out
    expect [ "$status" = 0 ]
    begin_all --every=1 --output_format=csv "${test[@]}"
    await i0 has_two_passes
    # shellcheck disable=SC2034 # of the helpers: what its programs leave is tidied
    killed=yes
    kill -KILL "${pids[i1]}"
    finish i0
    expect_status i0 1
    # between two passes, or in one, which then has failed, too
    expect grep -q 'error: too few hosts are left to measure again' i0.err
    expect [ "$(grep -oE ',20[0-9-]+T[0-9:]+Z$' i0.out | sort -u | wc -l)" -ge 2 ]
}

@test "perftest matrix: qperf, and the controller gives the ranks" {
    local i
    for ((i = 1; i <= 3; i++)); do
        launch "q$i" "$perftest" matrix --controller=127.0.0.1 -p "$port" -N 3 --out_json_file="q$i.json" qperf -t 0.1 tcp_bw
    done
    for ((i = 1; i <= 3; i++)); do
        finish "q$i"
    done
    # one of them was the controller
    expect [ "$(cat q?.json | jq '[.measurements[] | select(.value > 0)] | length')" = 6 ]
    expect [ "$(cat q?.out | grep -c '^ perftest matrix qperf: 3 hosts')" = 1 ]
}

# First, as the worst: while the tests last a busy machine can slow another one, too; see test_suspects.
@test "perftest matrix: a slow host is named, with its role" {
    local -a matrix_program=()
    slow_program qperf --msg_size 1
    matrix_program[2]=slow/perftest
    local pattern min_share=93
    for pattern in all shift; do
        begin_all --parallel=1 "$pattern" qperf -t 0.2 tcp_bw
        finish_all 0 1 2 3
        expect_status i0 3
        expect [ "$(measured)" = 12 ]
        expect [ "$(document .status)" = "below limit" ]
        expect [ "$(document '[.matrix.findings[] | select(.named)][0] | "\(.kind) \(.client)"')" = "client 2" ]
        expect_output i0 '^ slow: [^ ]+/2 sends at [0-9]+ % of the others \(3 of 3 pairs\); measured alone at [0-9]+ %$'
        expect_schema i0.json
    done
}

# TCP makes up for it; the stand-in's documents say what it takes.
@test "perftest matrix: a host that loses what it sends is named, though it is as fast as the others" {
    local -a matrix_program=()
    slow_program qperf
    cat >slow/qperf <<EOF
#!/bin/bash
[[ \$* == *--out_json_file* ]] || exec "$PERFTEST_BUILD/qperf" "\$@"
"$PERFTEST_BUILD/qperf" "\$@" 3>"document.\$\$" || exit
jq '(.measurements[].explanation | .local, .remote) |= (.connection_sent_segments = 1000 | .connection_retransmitted_segments = 0) |
    .measurements[].explanation.local.connection_retransmitted_segments = 40' "document.\$\$" >&3
EOF
    matrix_program[2]=slow/perftest
    begin_all qperf -t 0.1 tcp_bw
    finish_all 0 1 2 3
    expect_status i0 3
    expect [ "$(measured)" = 12 ]
    expect [ "$(document '[.measurements[] | select(.client == 2) | .sent_again] | unique | join(" ")')" = 0.02 ]
    expect [ "$(document '[.matrix.findings[] | select(.named and .of == "retransmissions") | .kind, .client] | join(" ")')" = "client 2" ]
    expect_output i0 '^ lossy: [^ ]+/2 loses 2 % more of what it sends than the others \(3 of 3 pairs\); measured alone 2 %$'
    expect_schema i0.json
}

@test "perftest matrix: limits of the program's own are judged for each pair" {
    begin_all "${test[@]}" -w 1
    finish_all 0 1 2 3
    expect_status i0 0
    expect [ "$(document '[.measurements[].missed_limit] | unique | tostring')" = "[null]" ]
    begin_all "${test[@]}" -w 1e9
    finish_all 0 1 2 3
    expect_status i0 3
    expect [ "$(measured)" = 12 ]
    expect [ "$(document .status)" = "below limit" ]
    expect [ "$(document '[.measurements[].missed_limit | select(contains("the limit (-w) is 1000000000.00"))] | length')" = 12 ]
    expect_output i0 '^ missed: all 12 pairs; .* as its server: BW result is below bw limit'
    expect_schema i0.json
}

@test "perftest matrix: a host whose program fails is named with the reason, the others are measured" {
    local -a matrix_program=()
    slow_program ib_write_bw -d none
    matrix_program[1]=slow/perftest
    begin_all "${test[@]}"
    finish_all 0 1 2 3
    expect_status i0 1
    expect [ "$(measured)" = 9 ] # as a server it is well
    expect_output i0 '^ failed: all 3 pairs of [^ ]+/1 as a client; [^ ]+/1 with [^ ]+ as its server: client [^ ]+/1: .*none'
    expect_schema i0.json
}

@test "perftest matrix: a figure of another kind costs its pair, and not the host" {
    local -a matrix_program=()
    hosts=3
    slow_program qperf
    sed -i 's/^exec .*/[[ $* != *tcp_bw* ]] || set -- "${@\/tcp_bw\/tcp_lat}"; &/' slow/qperf
    matrix_program[2]=slow/perftest
    begin_all --parallel=1 qperf -t 0.1 tcp_bw
    finish_all 0 1 2
    expect_status i0 1
    expect [ "$(document '[.matrix.hosts[].lost | select(.)] | length')" = 0 ]
    expect [ "$(document '[.measurements[].failure | select(.)] | length')" = 2 ]
    expect_output i0 'its figure is of another kind \(latency\)'
}

@test "perftest matrix: an instance that dies, and one that never comes" {
    hosts=5
    local rank
    for rank in 0 1 2 3; do
        matrix "$rank" --join_timeout=2 --limit=20 ib_write_bw -d soft0 -D 1
    done
    # not one that waits for a client would see it
    await i3 pgrep -g "${pids[i3]}"
    await i0 pgrep -f "ib_write_bw -p [0-9]+ --explain -d soft0 -D 1 --out_json_file"
    kill_hard "${pids[i3]}"
    finish_all 0 1 2
    finish i3
    expect_status i0 1
    expect_status i1 0
    expect_output i0 '^ lost: [^ ]+/3 died or was cut off$'
    expect_output i0 '^ lost: rank 4 has not come within 2 s'
    expect [ "$(document '[.measurements[] | select(.value > 0 and .client < 3 and .server < 3)] | length')" = 6 ]
    expect [ "$(document '[.measurements[] | select(.failure)] | length')" -ge 8 ]
    expect_schema i0.json
}

@test "perftest matrix: a program that hangs ends at the limit; Ctrl-C prints what there is" {
    begin_all --limit=2 ib_write_bw -d soft0 --run_infinitely
    await i0 pgrep -f "ib_write_bw -p [0-9]+ --explain -d soft0 --run_infinitely --out_json_file"
    kill -INT "${pids[i0]}"
    finish_all 0 1 2 3
    expect_status i0 130
    expect [ "$(document .status)" = interrupted ]
    expect_output i0 'stopped by the user'
    expect_status i1 0 # as it was told
    expect_schema i0.json
    hosts=2
    begin_all --limit=1 ib_write_bw -d soft0 --run_infinitely
    finish_all 0 1
    expect_status i0 1
    expect_output i0 '^ failed: .*: the test did not end within 1 s \(--limit\)$'
}

# Whatever starts the instances interrupts all of them at once, and the controller perhaps last.
@test "perftest matrix: instances that are interrupted are not said to have died" {
    begin_all ib_write_bw -d soft0 --run_infinitely
    await i0 pgrep -f "ib_write_bw -p [0-9]+ --explain -d soft0 --run_infinitely --out_json_file"
    kill -INT "${pids[i2]}"
    finish i2
    expect_status i2 130
    kill -STOP "${pids[i0]}" # its own signal is there when it hears of the others
    kill -INT "${pids[i1]}" "${pids[i3]}" "${pids[i0]}" || true # the controller may have ended the others
    kill -CONT "${pids[i0]}"
    finish_all 0 1 3
    expect_status i0 130
    refuse_output i0 'lost|died'
    begin_all --limit=3 ib_write_bw -d soft0 --run_infinitely
    await i0 pgrep -f "ib_write_bw -p [0-9]+ --explain -d soft0 --run_infinitely --out_json_file"
    kill -INT "${pids[i1]}" "${pids[i2]}" "${pids[i3]}"
    finish_all 0 1 2 3
    expect_status i0 1
    expect_output i0 '^ lost: [^ ]+/2 was interrupted$'
}

@test "perftest matrix: what listens there and says nothing is left at --join_timeout, and no figure has a reason" {
    launch stranger python3 -c 'import socket, sys
sockets = [socket.create_server(("127.0.0.1", int(sys.argv[1])))]
while True:
    sockets.append(sockets[0].accept()[0])' "$port"
    await stranger somebody_listens
    launch i1 "$perftest" matrix --controller=127.0.0.1 -p "$port" -N 2 --rank=1 --join_timeout=1 "${test[@]}"
    finish i1
    expect_status i1 1
    expect_error i1 'says nothing for 1 s \(--join_timeout\)'
    kill -KILL "${pids[stranger]}"
    wait "${pids[stranger]}" 2>/dev/null || true
    unset "pids[stranger]"
    launch i0 "$perftest" matrix -p "$port" -N 2 --rank=0 --join_timeout=1 "${test[@]}"
    finish i0
    expect_status i0 1
    expect_error i0 'no pair could be measured: rank 1 has not come within 1 s'
}

@test "perftest matrix: strangers, and instances of another run, do not join" {
    launch i1 "$perftest" matrix --controller=127.0.0.1 -p "$port" -N 2 --rank=0 --out_json_file=i0.json "${test[@]}"
    await i1 somebody_listens
    printf 'GET / HTTP/1.0\r\n\r\n' >"/dev/tcp/127.0.0.1/$port"
    launch i2 "$perftest" matrix --controller=127.0.0.1 -p "$port" -N 2 --rank=1 ib_read_bw -d soft0
    finish i2
    expect_status i2 1
    expect_error i2 'refuses this instance: it has another command, or belongs to another job'
    launch i3 "$perftest" matrix --controller=127.0.0.1 -p "$port" -N 2 --rank=1 "${test[@]}"
    finish i1
    finish i3
    expect [ "$(measured)" = 2 ]
    expect grep -q 'is no instance of this run: it is not a message of perftest matrix' i1.err
    expect_output i1 '2 hosts cannot be compared'
}

@test "perftest matrix: many silent strangers, another version and another job keep nobody from joining" {
    SLURM_JOB_ID=7 SLURM_PROCID=0 SLURM_NTASKS=2 launch i0 "$perftest" matrix --controller=127.0.0.1 -p "$port" --out_json_file=i0.json "${test[@]}"
    await i0 somebody_listens
    launch strangers python3 -c 'import socket, sys, time
sockets = [socket.create_connection(("127.0.0.1", int(sys.argv[1]))) for _ in range(200)]
print("silent", flush=True)
time.sleep(60)' "$port"
    await strangers said strangers silent
    launch liar python3 "$BATS_TEST_DIRNAME/matrix_liar.py" "$port" 1 newer all "${test[@]}"
    finish liar
    expect_output liar 'it is of another version: install the same perftest on all hosts'
    SLURM_JOB_ID=8 SLURM_PROCID=1 SLURM_NTASKS=2 launch i1 "$perftest" matrix --controller=127.0.0.1 -p "$port" "${test[@]}"
    finish i1
    expect_error i1 'refuses this instance: it has another command, or belongs to another job'
    SLURM_JOB_ID=8 SLURM_PROCID=0 SLURM_NTASKS=2 launch i1 "$perftest" matrix -p "$port" "${test[@]}"
    finish i1
    expect_error i1 "port $port is in use"
    SLURM_JOB_ID=7 SLURM_PROCID=1 SLURM_NTASKS=2 launch i1 "$perftest" matrix --controller=127.0.0.1 -p "$port" "${test[@]}"
    finish i0
    finish i1
    expect [ "$(measured)" = 2 ]
    expect [ "$(wc -l <i0.err)" -le 20 ]
}

# bats test_tags=long
@test "perftest matrix: an instance that is alive but does not run its job is lost in time" {
    hosts=3
    matrix 0 --limit=5 "${test[@]}"
    matrix 1 --limit=5 "${test[@]}"
    launch liar python3 "$BATS_TEST_DIRNAME/matrix_liar.py" "$port" 2 mute all "${test[@]}"
    finish_all 0 1
    finish liar
    expect_status i0 1
    expect [ "$(measured)" = 2 ]
    expect_output i0 '^ lost: liar does not answer; its program may still run$'
}

# bats test_tags=long
@test "perftest matrix: a client that waits for slower ones to begin has its whole time" {
    matrix 0 --limit=20 ring "${test[@]}"
    matrix 1 --limit=20 ring "${test[@]}"
    launch l2 python3 "$BATS_TEST_DIRNAME/matrix_liar.py" "$port" 2 late ring "${test[@]}"
    launch l3 python3 "$BATS_TEST_DIRNAME/matrix_liar.py" "$port" 3 late ring "${test[@]}"
    finish_all 0 1
    finish l2
    finish l3
    expect [ "$(measured)" = 2 ]
}

@test "perftest matrix: an instance that lies is lost, the others are measured" {
    local lie
    for lie in unasked garbage infinite endless long; do
        matrix 0 "${test[@]}"
        matrix 1 "${test[@]}"
        matrix 2 "${test[@]}"
        launch liar python3 "$BATS_TEST_DIRNAME/matrix_liar.py" "$port" 3 "$lie" all "${test[@]}"
        finish_all 0 1 2
        finish liar
        expect_status i0 1
        expect [ "$(measured)" = 6 ]
        expect_output i0 '^ lost: liar sent an invalid message[,:] '
    done
}

@test "perftest matrix: where the results are for a program, who is lost is named on standard error" {
    local format
    for format in csv json jsonl; do
        hosts=3
        matrix 0 --output_format=$format "${test[@]}"
        matrix 1 "${test[@]}"
        launch liar python3 "$BATS_TEST_DIRNAME/matrix_liar.py" "$port" 2 garbage all "${test[@]}"
        finish_all 0 1
        finish liar
        expect_status i0 1
        expect_error i0 'lost: liar sent an invalid message[,:] '
        expect [ "$(wc -l <i0.err)" = 1 ]
    done
}

# The others end after 15 s; the controller finds that out when it goes on.
# bats test_tags=long
@test "perftest matrix: a controller that was stopped says so, once" {
    hosts=3
    begin_all ib_write_bw -d soft0 --run_infinitely
    await i0 pgrep -f "ib_write_bw -p [0-9]+ --explain -d soft0 --run_infinitely --out_json_file"
    kill -STOP "${pids[i0]}"
    finish_all 1 2
    kill -CONT "${pids[i0]}"
    finish i0
    expect_status i0 1
    expect_error i1 'the controller 127.0.0.1 has been silent for 15 s'
    expect_error i0 'no pair could be measured: .* ended while the controller was stopped'
    expect [ "$(wc -l <i0.err)" = 1 ]
}

@test "perftest matrix: what it cannot do is said before anything is tried" {
    local words
    while read -r words; do
        # shellcheck disable=SC2086 # words
        run_alone perftest matrix $words
        expect [ "$status" = 2 ]
        expect_error alone .
    done <<<"ib_write_bw
-N 2 ib_write_bw
--controller=localhost ib_write_bw
--controller=localhost -N 2
--controller=localhost -N 2 raw_ethernet_bw
--controller=localhost -N 2 --rails=soft0 qperf tcp_bw
--controller=localhost -N 2 --rails=soft0 --local=soft[0-1] ib_write_bw
--controller=localhost -N 2 --local=soft0 ib_write_bw
--controller=localhost -N 2 --rails=-x ib_write_bw
--controller=localhost -N 2 ib_writ_bw
--controller=localhost -N 2 --rank=2 ib_write_bw
--controller=localhost -N 2 --rails=soft0,soft0 ib_write_bw
--controller=localhost -N 2 ib_write_bw --frobnicate
--controller=localhost -N 2 ib_write_bw -l 4 -t 2
--controller=localhost -N 2 cxi_send_bw --frobnicate
--controller=localhost -N 2 qperf tcp_bw tcp_lat
--min_share=101 ib_write_bw"
    run_alone perftest matrix ib_write_bw
    expect_error alone 'on which hosts\? --hosts=.* --local='
    run_alone perftest matrix --controller=localhost ib_write_bw
    expect [ "$error" = "perftest matrix: error: on how many hosts is this command run? give -N COUNT, 2 to 1024" ]
    run_alone perftest matrix -N 2 ib_write_bw --frobnicate
    expect_error alone "ib_write_bw: unknown option '--frobnicate'"
    run_alone perftest matrix --help
    expect [ "$status" = 0 ]
}

# What the launchers put into the environment: of rank 0 nothing else is needed.
@test "perftest matrix: ranks from the environment of Slurm and Open MPI" {
    SLURM_PROCID=1 SLURM_NTASKS=2 SLURM_STEP_NODELIST=localhost launch i1 "$perftest" matrix -p "$port" "${test[@]}"
    SLURM_PROCID=0 SLURM_NTASKS=2 SLURM_STEP_NODELIST=localhost launch i0 "$perftest" matrix -p "$port" "${test[@]}"
    finish_all 0 1
    expect_output i0 '2 hosts, 1 round of all pairs, ranks by Slurm'
    expect_status i1 0
    OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=2 launch i1 "$perftest" matrix -p "$port" --controller=localhost "${test[@]}"
    OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=2 launch i0 "$perftest" matrix -p "$port" --controller=localhost "${test[@]}"
    finish_all 0 1
    expect_output i0 'ranks by Open MPI'
    expect_status i1 0
}

# Without Open MPI's own variables only PMIx knows how many there are, and where rank 0 is.
# bats test_tags=long
@test "perftest matrix: the number of instances and the controller from PMIx" {
    command -v mpirun >/dev/null || skip "mpirun is not installed"
    getent hosts "$(uname -n)" >/dev/null || skip "the name of this host has no address"
    launch i0 mpirun --allow-run-as-root --oversubscribe --bind-to none -np 3 \
        env -u OMPI_COMM_WORLD_RANK -u OMPI_COMM_WORLD_SIZE "$perftest" matrix -p "$port" --out_json_file=i0.json "${test[@]}"
    finish i0
    expect [ "$(measured)" = 6 ]
    expect [ "$(document .matrix.launcher)" = PMIx ]
}

# Into the background as i0; the processes of those that it starts are in rsh.pids.
by_rsh() { # HOSTS [ARGUMENTS]
    launch i0 "$perftest" matrix --hosts="$1" -p "$port" --out_json_file=i0.json "${@:2}"
}

some_run() {
    (($(programs) > 2))
}

@test "perftest matrix --hosts: starts the others, and names who cannot be reached in the words of ssh" {
    remote_shell
    by_rsh 'n[1-2],user@m07,away[8-9]' "${test[@]}"
    finish_all 0
    expect_status i0 1
    expect [ "$(measured)" = 6 ]
    expect [ "$(document '[.matrix.hosts[].name] | join(" ")')" = "n1 n2 m07 away8 away9" ]
    expect_output i0 '^ lost: away8 could not be started: ssh: connect to host away8 port 22: No route to host$'
    expect grep -q '^away9: ssh: connect to host away9 port 22: No route to host$' i0.err
    expect_schema i0.json
    printf '# two\nleft-rack-n1,right-rack-n1\n' >hosts
    by_rsh @hosts "${test[@]}"
    finish_all 0
    expect_status i0 0
    expect_output i0 '^ 1 is right-rack-n1$'
    expect [ ! -s i0.err ]
    expect [ "$(measured)" = 2 ]
    # without stdin the end of the connection is seen by the controller's, whose name is used where the connection does not say it
    remote_shell "exec </dev/null; ! getent hosts $(uname -n) >/dev/null || unset SSH_CONNECTION"
    by_rsh 'n[1-2]' "${test[@]}"
    finish_all 0
    expect_status i0 0
    by_rsh 'away[1-3]' "${test[@]}"
    finish_all 0
    expect_status i0 1
    expect_error i0 'no pair could be measured: away1 could not be started: ssh: connect to host'
}

@test "perftest matrix --hosts: Ctrl-C prints what was measured, and whatever is killed, nothing is left" {
    remote_shell
    by_rsh 'n[1-4]' ib_write_bw -d soft0 -s "$port" --run_infinitely
    await i0 some_run
    kill -INT "${pids[i0]}"
    finish i0
    expect_status i0 130
    expect [ "$(document .status)" = interrupted ]
    refuse_output i0 'lost'
    expect none_runs
    by_rsh 'n[1-4]' ib_write_bw -d soft0 -s "$port" --run_infinitely
    await i0 some_run
    kill_hard "${pids[i0]}"
    finish i0
    await_none
    rm rsh.pids
    by_rsh 'n[1-4]' --limit=2 ib_write_bw -d soft0 -s "$port" --run_infinitely
    await i0 some_run
    kill_hard "$(head -n 1 rsh.pids)"
    finish i0
    expect_status i0 1
    expect_output i0 '^ lost: n[1-4] '
    expect none_runs
}

@test "perftest matrix --hosts: lists that are none" {
    local list
    while read -r list; do
        run_alone perftest matrix --hosts="$list" ib_write_bw
        expect [ "$status" = 2 ]
        expect_error alone .
    done <<<'n1
n[1-
n[4-1]
n[1-2000]
n[1-2];reboot
-oProxyCommand=x,n2
@/nowhere/hosts
99999999999'
    run_alone perftest matrix --hosts='n[1-2]' --rank=1 ib_write_bw
    expect [ "$status" = 2 ]
    run_alone perftest matrix --hosts=n1 ib_write_bw
    expect_error alone 'one host is too few: .* --local='
    local where
    for where in "" --hosts=localhost; do # without ssh
        # shellcheck disable=SC2086 # one word or none
        PERFTEST_RSH=/nowhere/ssh run_alone perftest matrix $where -p "$port" --local=soft[0-1] ib_write_bw -n 100
        expect [ "$status" = 0 ]
        expect_output alone '1 host, 1 round of all pairs, adapters of each host'
    done
}
