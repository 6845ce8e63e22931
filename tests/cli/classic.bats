#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Interoperability with linux-rdma perftest, in either role: the other side is the installed package, over soft0.
# PERFTEST_ALL_PEERS=1 runs every case of tests/peers.bash, which takes some minutes. Tagged long: combinations of
# options that other tests here cover separately, and what tests/vm/jobs/peers covers over UC. Tagged once: tests that
# exchange more of the same messages, and are not repeated with sanitizers.
# bats file_tags=slow

load helpers
load classic

# Both roles: both sides end well and say the same.
both_ways() { # PROGRAM [OPTIONS]
    local client
    for client in ours theirs; do
        mixed_pair "$client" "$@"
        expect_status client 0
        expect_status server 0
        expect classic_same "$@"
    done
}

@test "classic: ib_write_bw" { both_ways ib_write_bw; }
# bats test_tags=long
@test "classic: ib_write_bw over UC" { both_ways ib_write_bw -c UC -n 1000 -s 4096; }
# bats test_tags=long
@test "classic: ib_write_bw -a" { both_ways ib_write_bw -c RC -a -n 10; }
@test "classic: ib_write_bw -b" { both_ways ib_write_bw -c RC -b; }
# bats test_tags=long
@test "classic: ib_write_bw -b -a" { both_ways ib_write_bw -c RC -b -a -n 10; }
@test "classic: ib_write_bw -D" { both_ways ib_write_bw -c RC -D 1; }
@test "classic: ib_write_bw -q 4 -l 8 -Q 8" { both_ways ib_write_bw -q 4 -n 1000 -l 8 -Q 8; }
# To the other side threads are queue pairs.
@test "classic: ib_write_bw --threads" { ours_only=(--threads 2); both_ways ib_write_bw -q 4 -n 1000; }
# bats test_tags=long
@test "classic: ib_send_bw --threads -b" { ours_only=(--threads 2); both_ways ib_send_bw -q 4 -b -n 1000 -N; }
@test "classic: ib_read_lat --threads is refused" {
    ours_only=(--threads 2)
    start_classic_server theirs ib_read_lat
    start_classic_client ours ib_read_lat
    finish client
    finish server
    expect_error client 'is linux-rdma perftest, whose latency tests use one queue pair: run without --threads'
}
@test "classic: ib_read_bw" { both_ways ib_read_bw; }
# bats test_tags=long
@test "classic: ib_read_bw -b -D" { both_ways ib_read_bw -c RC -b -D 1; }
@test "classic: ib_atomic_bw" { both_ways ib_atomic_bw; }
# bats test_tags=long
@test "classic: ib_atomic_bw -b" { both_ways ib_atomic_bw -c RC -b; }
@test "classic: ib_send_bw" { both_ways ib_send_bw; }
# bats test_tags=long
@test "classic: ib_send_bw over UC" { both_ways ib_send_bw -c UC -s 4096; }
@test "classic: ib_send_bw over UD" { both_ways ib_send_bw -c UD -s 1024; }
@test "classic: ib_send_bw -b" { both_ways ib_send_bw -c RC -b; }
# bats test_tags=long
@test "classic: ib_send_bw -a -b" { both_ways ib_send_bw -c RC -a -b -n 10; }
# -x 0: 6.06 takes a GID of IPv4, whose datagrams do not reach its own group
@test "classic: ib_send_bw -g" { both_ways ib_send_bw -g -x 0 -n 500 -s 1024; }
@test "classic: ib_send_lat -g" { both_ways ib_send_lat -g -n 200; }
# bats test_tags=long
@test "classic: ib_send_bw over UD -a" { both_ways ib_send_bw -c UD -a -n 100; }
# bats test_tags=long
@test "classic: ib_send_bw -D" { both_ways ib_send_bw -c RC -D 1; }
@test "classic: ib_send_bw -b -D" {
    both_ways ib_send_bw -c RC -b -D 1
    # what has arrived is no peak of the other side's
    expect [ "$(field server 1 3)" = 0.00 ]
}
# Theirs sends its last messages when ours has long sent all, and has no more rows.
@test "classic: ib_send_bw -b by count: interval rows" {
    PERFTEST_SOFT_FAULT=delay:900+450000 start_classic_server theirs ib_send_bw -b -c RC -n 1000 -s 4096
    start_classic_client ours ib_send_bw -b -c RC -n 1000 -s 4096 --report_interval 0.2 --out_json_file run.json
    finish client
    finish server
    expect_status client 0
    expect_status server 0
    expect [ "$(query run.json '[.measurements[] | select(.kind == "interval") | .iterations] | add')" = 1000 ]
    expect [ "$(query run.json '[.measurements[] | select(.kind == "interval") | .part] | unique | join(" ")')" = local ]
    expect [ "$(query run.json .run_id)" = null ]
}
# bats test_tags=long
@test "classic: ib_send_bw -q 4 -l 8 -Q 8" { both_ways ib_send_bw -q 4 -n 1000 -l 8 -Q 8; }
@test "classic: ib_write_lat" { both_ways ib_write_lat -n 100; }
# bats test_tags=long
@test "classic: ib_write_lat over UC" { both_ways ib_write_lat -c UC -n 100 -s 1024; }
# 2 s: a machine that stands still for one must not be the whole of the other side's test, which its alarm ends
# bats test_tags=long
@test "classic: ib_write_lat -D" { both_ways ib_write_lat -c RC -D 2; }
@test "classic: ib_read_lat" { both_ways ib_read_lat; }
# bats test_tags=long
@test "classic: ib_read_lat -D" { both_ways ib_read_lat -c RC -D 1; }
@test "classic: ib_atomic_lat" { both_ways ib_atomic_lat; }
@test "classic: ib_send_lat" { both_ways ib_send_lat -n 100; }
# bats test_tags=long
@test "classic: ib_send_lat over UC" { both_ways ib_send_lat -c UC; }
@test "classic: ib_send_lat over UD" { both_ways ib_send_lat -c UD -n 100; }
# bats test_tags=long
@test "classic: ib_send_lat -D" { both_ways ib_send_lat -c RC -D 2; }

# bats test_tags=long
@test "classic: a sweep of ib_write_lat, whose sizes follow each other without a word" {
    mixed_pair theirs ib_write_lat -a -n 5
    expect_status client 0
    expect_status server 0
    expect classic_same ib_write_lat -c RC -a -n 5
}

@test "classic: everything" {
    [[ -n ${PERFTEST_ALL_PEERS-} ]] || skip "PERFTEST_ALL_PEERS is not set"
    local line
    local -a words
    while read -r line; do
        read -ra words <<<"$line"
        echo "${words[*]}"
        both_ways "${words[@]}"
    done < <(classic_cases "-D 3" "-a -n 10")
}
