#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# `perftest verify`: does a device do what it claims? soft0 does. What a profile of it has not is skipped, and what it gets
# wrong, or is said to get wrong, fails: exactly these rows.
# shellcheck disable=SC2030,SC2031 # each test is a process of its own

load helpers
load in_front
load ci_readers

perftest=$PERFTEST_BUILD/perftest

setup_file() {
    in_front_build lying_calls
    in_front_build as_lacking
    in_front_build as_plain
}

# Sets verify_status. The time is the machine's.
verify() { # [ARGUMENTS]
    verify_status=0
    "${under[@]}" "$perftest" verify -d soft0 --budget=3000 --limit=50 --out_json_file=verify.json "$@" >verify.out 2>verify.err ||
        verify_status=$?
    expect_schema verify.json
}

# In a state: "SEND RC: list, SEND UC: list"
rows_in() { # STATE
    jq -r --arg state "$1" '[.measurements[] | select(.state == $state) | .verb + " " + .transport + ": " + .way] | join(", ")' verify.json
}

every_verb() {
    local verb rows=
    for verb in SEND WRITE READ FETCH_AND_ADD CMP_AND_SWAP "SEND with immediate" "WRITE with immediate"; do
        rows+=", $verb RC: small"
    done
    echo "${rows#, }"
}

# Each libibverbs of both sides lies so.
told() { # LIE:N [ARGUMENTS]
    in_front_of lying_calls
    under=("${in_front[@]}" LIE="$1" LIE_FILE="$PWD/told")
    verify "${@:2}"
    expect [ -e told ]
}

# bats test_tags=quick
@test "perftest verify: soft0 does what it claims" {
    verify --only="SEND RC"
    expect [ "$verify_status" = 0 ]
    expect [ ! -s verify.err ]
    expect_output verify '^ perftest verify: soft0: 11 passed, 0 failed, 0 skipped, in [0-9]+ s$'
    expect_output verify '^ SEND RC: list +passed +[0-9.e+-]+ Gb/s +$'
    expect_output verify '^ SEND RC: one at a time +passed +[0-9.e+-]+ usec +$'
    expect [ "$(rows_in passed)" = "SEND RC: small, SEND RC: many packets, SEND RC: one at a time, SEND RC: ibv_post_send, SEND RC: ibv_wr, SEND RC: inline, SEND RC: list, SEND RC: event mode, SEND RC: SRQ, SEND RC: 4 queue pairs, SEND RC: both directions" ]
}

# bats test_tags=quick
@test "perftest verify: one wrong byte fails, and the line that repeats it finds it again" {
    export PERFTEST_SOFT_FAULT=corrupt:20+33
    verify --only="WRITE RC: list"
    expect [ "$verify_status" = 3 ]
    expect_output verify '^ WRITE RC: list +FAILED +client: .* message 19, offset 33'
    expect [ "$(jq -r '.status + ", " + (.missed_limits | join(" "))' verify.json)" = "below limit, WRITE RC: list" ]
    local again status=0
    again=$(sed -n 's/^ WRITE RC: list: //p' verify.out)
    expect [ "$again" = "ib_write_bw -d soft0 -c RC -s 64 -n 200 -l 8 --data_validation & ib_write_bw -d soft0 -c RC -s 64 -n 200 -l 8 --data_validation --retry=10 localhost" ]
    again=${again//ib_write_bw/ib_write_bw -p $port}
    PATH=$PERFTEST_BUILD:$PATH bash -c "${again/--retry=10/--retry=50}; client=\$?; wait; exit \$client" >again.out 2>again.err || status=$?
    expect [ "$status" = 4 ]
}

@test "perftest verify: what is no use without the simplest row is not run" {
    export PERFTEST_SOFT_FAULT=corrupt:20+33
    verify --only=" RC: "
    expect [ "$verify_status" = 3 ]
    expect [ "$(rows_in failed)" = "SEND RC: small, WRITE RC: small, READ RC: small, SEND with immediate RC: small, WRITE with immediate RC: small" ] # offset 33
    expect [ "$(jq -r '[.measurements[] | select(.way == "list") | .why][0]' verify.json)" = "not run: SEND RC: small failed" ]
}

@test "perftest verify: what a profile does not claim is skipped" {
    export PERFTEST_SOFT=profile=mana
    verify --only="SEND RC: "
    expect [ "$verify_status" = 0 ]
    expect [ "$(rows_in skipped), $(rows_in failed)" = "SEND RC: ibv_wr, SEND RC: inline, SEND RC: SRQ, " ]
    expect [ "$(jq -r '.measurements[] | select(.way == "inline") | .why' verify.json)" = "soft0 sends at most 0 bytes inline" ]
    verify --only="READ XRC" # nothing of it
    expect [ "$verify_status" = 1 ]
    expect [ "$(cat verify.err)" = "perftest verify: error: no claim could be tried; the first: soft0 has no XRC (extended reliable connections); use another transport" ]
}

@test "perftest verify: what the user's options exclude is skipped" {
    verify --only=": small" -- -R
    expect [ "$verify_status" = 0 ]
    expect [ "$(rows_in failed)" = "" ]
    expect [ "$(jq -r '[.measurements[] | select(.verb == "SEND") | .transport + " " + .state] | join(", ")' verify.json)" = "RC passed, UC skipped, UD passed, XRC skipped, DC skipped, SRD skipped" ]
    expect [ "$(jq -r '.measurements[] | select(.transport == "UC" and .verb == "SEND") | .why' verify.json)" = "rdma_cm connects only RC and UD queue pairs: -R cannot be combined with another -c" ]
}

@test "perftest verify: readers of JUnit's XML and TAP find each row" {
    export PERFTEST_SOFT=profile=hns PERFTEST_SOFT_FAULT=corrupt:20+33
    verify --only="WRITE UC: small" --output_format=tap
    mv verify.out skipped.tap
    expect [ "$(tap_read skipped.tap)" = "Skipped WRITE UC: small: soft0 does not support UC, only RC and UD" ]
    verify --only="READ RC: small" --output_format=junit
    expect [ "$(junit_read verify.out | head -n 1 | cut -c1-33)" = "Failure READ RC: small: client: Q" ]
    expect [ "$(junit_read verify.out | tail -n 1 | cut -c1-21)" = "ib_read_bw -d soft0 -" ]
    unset PERFTEST_SOFT_FAULT
    verify --only="READ RC: small" --output_format=markdown
    expect_output verify '^\| READ RC: small \| passed \| .* \|  \|$'
}

@test "perftest verify: a device that lies fails exactly where it lies" {
    told max_srq_wr_0:1 --only="SEND RC: S" # small, and SRQ
    expect [ "$(rows_in passed), $(rows_in failed)" = "SEND RC: small, SEND RC: SRQ" ]
    told imm_data:1 --only=" RC: small"
    expect [ "$(rows_in failed)" = "SEND with immediate RC: small, WRITE with immediate RC: small" ]
    told max_qp_rd_atom_0:1 --only=" RC: small"
    expect [ "$(rows_in failed), $(rows_in skipped)" = ", READ RC: small, FETCH_AND_ADD RC: small, CMP_AND_SWAP RC: small" ]
}

# bats test_tags=quick
@test "perftest verify: what it cannot do is said" {
    local words
    while read -r words; do
        # shellcheck disable=SC2086 # words
        run_alone perftest verify $words
        expect [ "$status" = 2 ]
        expect_error alone .
    done <<<"soft0
--only=none_such
--budget=0
--output_format=csv"
    run_alone perftest verify -d none
    expect [ "$status" = 1 ]
    expect [ "$output" = "" ]
    expect [ "$(wc -l <alone.err)" = 1 ]
    expect_error alone 'nothing can be run: server: no RDMA device is called none; there are: '
    run_alone perftest verify -d none --output_format=tap # whoever reads only that sees a failure
    expect [ "$status" = 1 ]
    expect_output alone '^not ok 1 - SEND RC: small$'
    expect [ "$(grep -c '^ok .* # SKIP not run: no server can begin$' alone.out)" = 203 ]
    run_alone perftest verify -d none --output_format=json
    expect [ "$(jq -r '[.status, .reason[:22], .verify.failed] | join(", ")' alone.out)" = "failed, server: no RDMA device, 1" ]
    run_alone perftest verify --help
    expect [ "$status" = 0 ]
}

@test "perftest verify: a device without events of completions fails nothing" {
    in_front_of as_lacking
    under=("${in_front[@]}" LACKS=events)
    verify --only="SEND RC"
    expect [ "$verify_status" = 0 ]
    expect [ "$(rows_in failed)" = "" ]
    expect [ "$(rows_in skipped)" = "SEND RC: event mode" ]
    expect_output verify '^ SEND RC: event mode +skipped +the device has no events of completions$'
}

# errno as libmlx4 of ConnectX-3 leaves it, and libmana
@test "perftest verify: a library that refuses ibv_wr_*() in its own way has none" {
    local refuses
    in_front_of as_plain
    for refuses in 0 22; do
        under=("${in_front[@]}" AS_VENDOR=02c9:1003 REFUSES="$refuses")
        verify --only="RC: ibv_wr"
        expect [ "$(rows_in failed)" = "" ]
        expect_output verify '^ SEND RC: ibv_wr +skipped +soft0 has no ibv_wr_\*\(\) for this operation over RC: omit --use_wr_api$'
    done
    # ENOMEM is another reason
    under=("${in_front[@]}" AS_VENDOR=02c9:1003 REFUSES=12)
    verify --only="SEND RC: ibv_wr"
    expect [ "$(rows_in failed)" = "SEND RC: ibv_wr" ]
    expect [ "$(jq -r '.measurements[0].why' verify.json | grep -c 'for ibv_wr_.*: Cannot allocate memory; omit --use_wr_api')" = 1 ]
}

@test "perftest verify: Ctrl-C ends it in order" {
    launch verify "$perftest" verify -d soft0 --out_json_file=verify.json
    await verify pgrep -P "${pids[verify]}"
    kill -INT "${pids[verify]}"
    finish verify
    expect_status verify 130
    expect_schema verify.json
    expect [ "$(jq -r '[.status, .reason, .verify.passed < 204] | join(", ")' verify.json)" = "interrupted, stopped by the user, true" ]
}

# bats test_tags=long
@test "perftest verify: the whole of soft0" {
    export BATS_TEST_TIMEOUT=3000
    verify
    expect [ "$verify_status" = 0 ]
    expect [ "$(rows_in failed)$(rows_in skipped)" = "" ]
    expect [ "$(jq .verify.passed verify.json)" = 204 ]
}

# bats test_tags=long
@test "perftest verify: of each profile what it has passes, and nothing fails" {
    local profile transports
    export BATS_TEST_TIMEOUT=3000
    while read -r profile transports; do
        echo "$profile"
        PERFTEST_SOFT=profile=$profile verify
        expect [ "$(rows_in failed)" = "" ]
        expect [ "$(jq -r '[.measurements[] | select(.state == "passed") | .transport] | unique | join(" ")' verify.json)" = "$transports" ]
        expect [ "$verify_status" = "$([[ $transports ]] && echo 0 || echo 1)" ]
    done <<<"mlx5 DC RC UC UD XRC
efa SRD UD
bnxt_re RC UD
irdma RC UD
irdma-gen3 RC UD
irdma-iwarp
hns RC UD XRC
hns-hip08 RC
mana RC
ionic RC UD
cxgb4
qedr RC XRC"
}

# bats test_tags=long
@test "perftest verify: of each lie exactly the rows that it concerns fail" {
    local lie failed why
    export BATS_TEST_TIMEOUT=3000
    # of the port: no server can begin
    while read -r lie why; do
        echo "$lie"
        told "$lie" --only=" RC: small"
        expect [ "$verify_status" = 1 ]
        expect [ "$(rows_in failed)" = "SEND RC: small" ]
        expect grep -q "^perftest verify: error: nothing can be run: server: port 1 of soft0 $why" verify.err
    done <<<"mtu_77:1 reports the active MTU code 77, which does not exist
mtu_0:1 reports the active MTU code 0, which does not exist
state:1 is not active"
    while read -r lie failed; do
        echo "$lie"
        told "$lie" --only=" RC: small"
        expect [ "$(rows_in failed)" = "$failed" ]
    done <<<"opcode:1
poll_more:1 $(every_verb)
poll_most:1 $(every_verb)
poll_negative:1 $(every_verb)
wc_flags:1 SEND RC: small
status:1 $(every_verb)
byte_len_0:5 SEND RC: small, SEND with immediate RC: small, WRITE with immediate RC: small
byte_len_max:5 SEND RC: small, SEND with immediate RC: small, WRITE with immediate RC: small
imm_data:1 SEND with immediate RC: small, WRITE with immediate RC: small"
    told wr_id:1 --only="READ RC: 4 queue"
    expect [ "$(rows_in failed)" = "READ RC: 4 queue pairs" ]
}
