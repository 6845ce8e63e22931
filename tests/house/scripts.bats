#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Do the classic scripts keep their arguments and their promises? With a stub for the program.

setup() {
    top=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
    stub=$top/tests/house/stub_program
    core=$(taskset -cp $$ | sed 's/.*: *//; s/[-,].*//')
    source "$top/scripts/serve.bash"
    port=$(pick_port 20000 31999)
    cd "$BATS_TEST_TMPDIR" || return 1
}

@test "run_perftest_loopback: server and client on their cores, the client's output and status" {
    run timeout 60 "$top/scripts/run_perftest_loopback" "$core" "$core" "$stub" -p "$port" 3>&-
    echo "$output"
    [ "$status" -eq 0 ]
    [[ $output == *"client -p $port localhost"* ]]
    [[ $output != *noise* ]]
}

@test "run_perftest_loopback: the document is the client's" {
    run timeout 60 "$top/scripts/run_perftest_loopback" "$core" "$core" "$stub" --out_json_file run.json -p "$port" --out_json \
        --out_json_file=run.json -a 3>&-
    echo "$output"
    [ "$status" -eq 0 ]
    [[ $output == *"client --out_json_file run.json -p $port --out_json --out_json_file=run.json -a localhost"* ]]
    [[ $output == *"server -p $port -a" ]]
}

@test "run_perftest_loopback: a server that refuses is the answer" {
    run timeout 60 "$top/scripts/run_perftest_loopback" "$core" "$core" "$stub" --refuse 3>&-
    [ "$status" -eq 2 ]
    [[ $output == *"unknown option"* ]]
}

@test "run_perftest_loopback: a server that would go on does not outlive it" {
    timeout 60 "$top/scripts/run_perftest_loopback" "$core" "$core" "$stub" --keep -p "$port" >out 2>&1 3>&- &
    script=$!
    end=$((SECONDS + 30))
    until grep -q '^server' out; do
        ((SECONDS < end))
        sleep 0.01
    done
    kill -TERM "$script"
    wait "$script" || true
    end=$((SECONDS + 30))
    while port_in_use "$port"; do
        ((SECONDS < end))
        sleep 0.01
    done
}

@test "run_perftest_loopback: too few arguments are wrong usage" {
    run "$top/scripts/run_perftest_loopback" 0 1
    [ "$status" -eq 2 ]
}

@test "run_perftest_loopback: a core or a program that is not there is wrong usage" {
    run "$top/scripts/run_perftest_loopback" "$core" 99999 "$stub"
    [ "$status" -eq 2 ]
    [[ $output == "run_perftest_loopback: cannot run on core '99999'; allowed: "* ]]
    run "$top/scripts/run_perftest_loopback" "$core" "$core" ./nothing
    [ "$status" -eq 2 ]
    [[ $output == "run_perftest_loopback: there is no program './nothing'" ]]
}

# shellcheck disable=SC2030 # each test is a process of its own
@test "both scripts: --help goes to stdout, status 0" {
    for script in run_perftest_loopback run_perftest_multi_devices; do
        for word in -h --help; do
            "$top/scripts/$script" "$word" >help 2>err
            grep -q "^usage: $script " help
            [ ! -s err ]
        done
    done
}

# shellcheck disable=SC2030 # run sets them here
@test "both scripts: the program beside them, not another of that name in PATH" {
    mkdir -p tree/scripts bin other elsewhere/soft/.libs bare/scripts
    cp "$top"/scripts/{serve.bash,run_perftest_*} tree/scripts/
    cp tree/scripts/* bare/scripts/
    cp "$top"/scripts/run_perftest_* bin/
    mkdir -p share/perftest && cp "$top/scripts/serve.bash" share/perftest/
    printf '#!/bin/sh\nexec "%s" "$@" --ours\n' "$stub" | tee {tree,bin,elsewhere}/ib_write_bw >/dev/null
    printf '#!/bin/sh\necho another\nexit 1\n' >other/ib_write_bw
    chmod +x {tree,bin,other,elsewhere}/ib_write_bw
    PATH=$PWD/other:$PATH
    for folder in tree/scripts bin ../bare/scripts; do
        # a build folder outside of the tree
        [[ $folder != ../* ]] || cd elsewhere
        run timeout 60 "$folder/run_perftest_loopback" "$core" "$core" ib_write_bw -p "$port" 3>&-
        [ "$status" -eq 0 ]
        [[ $output == *ours* ]]
        run timeout 60 "$folder/run_perftest_multi_devices" -d bad0 -C "env ib_write_bw" 3>&-
        [[ $output == *"unknown option"* && $output != *another* && $output != *"has no"* ]]
    done
}

# shellcheck disable=SC2030,SC2031 # run sets them here
@test "both scripts: which program runs where none is beside them" {
    mkdir copied other
    cp "$top"/scripts/{serve.bash,run_perftest_*} copied/
    # shellcheck disable=SC2016 # for the other shell
    printf '#!/bin/sh\n[ "$1" != --version ] || { echo; exec echo "Version: 6.06"; }\nexec "%s" "$@"\n' "$stub" >other/ib_write_bw
    chmod +x other/ib_write_bw
    PATH=$PWD/other:$PATH
    message="$PWD/copied has no ib_write_bw, and runs $PWD/other/ib_write_bw (Version: 6.06)"
    timeout 60 copied/run_perftest_loopback "$core" "$core" ib_write_bw -p "$port" >out 2>err 3>&-
    [ "$(cat err)" = "run_perftest_loopback: $message" ]
    timeout 60 copied/run_perftest_multi_devices -d bad0 -C "env ib_write_bw" >out 2>err 3>&- || true
    grep -qxF "run_perftest_multi_devices: $message" err
    # one that is named by its path is what its user wants
    timeout 60 copied/run_perftest_loopback "$core" "$core" "$PWD/other/ib_write_bw" -p "$port" >out 2>err 3>&-
    [ ! -s err ]
    # alone, it lacks what it needs, names it and ends
    rm copied/serve.bash
    timeout 60 copied/run_perftest_loopback "$core" "$core" ib_write_bw -p "$port" >out 2>err 3>&- || status=$?
    [ "$status" -eq 1 ]
    grep -qx "run_perftest_loopback: .*/serve.bash is missing: copy serve.bash with this script, .*" err
    [ "$(wc -l <err)" -eq 1 ]
    copied/run_perftest_loopback --help | grep -q '^usage: '
    # a link has what it needs
    ln -s "$top/scripts/run_perftest_loopback" linked
    timeout 60 ./linked "$core" "$core" "$stub" -p "$port" >out 2>err 3>&-
    [ ! -s err ]
}

# Each device prints a file of its own in place of running a test.
sum_of() { # FILE...
    local devices
    # shellcheck disable=SC2016 # for the other shell
    printf '#!/bin/sh\ncat "$2"\n' >print
    chmod +x print
    devices=$(printf '%s,' "$@")
    run timeout 60 "$top/scripts/run_perftest_multi_devices" -d "${devices%,}" -C "$PWD/print" 3>&-
    # shellcheck disable=SC2031 # run sets them here
    echo "$output"
    # shellcheck disable=SC2031
    [ "$status" -eq 0 ]
}

# One table; a row is "SIZE MESSAGES BANDWIDTH MSGRATE TIME".
table() { # ROW...
    local size messages bandwidth rate time
    printf -- '-%.0s' {1..87}
    printf '\n #bytes     #iterations    BW peak[MiB/sec]    BW average[MiB/sec]   MsgRate[Mpps]   time[UTC]\n'
    while read -r size messages bandwidth rate time; do
        printf ' %-10s %-14s 0.00               %-18s %s   %s\n' "$size" "$messages" "$bandwidth" "$rate" "$time"
    done < <(printf '%s\n' "$@")
    printf -- '-%.0s' {1..87}
    echo
}

# Of two devices that ran in the same second, then in the same two seconds, in the files a and b.
two_devices() {
    table "2 10250000 19.55 10.250000 2026-11-28T09:00:01.000Z" "4 20500 0.04 0.010250 2026-11-28T09:00:04.000Z" >a
    table "2 1500000 2.86 1.500000 2026-11-28T09:00:01.010Z" "4 3000 0.01 0.001500 2026-11-28T09:00:04.020Z" >b
}

@test "run_perftest_multi_devices: the sum over the devices, size by size" {
    two_devices
    sum_of a b
    [[ $output == *$'=== sum of 2 devices\n #bytes     #iterations    BW average[MiB/sec]   MsgRate[Mpps]\n 2          11750000       22.41                 11.750000\n 4          23500          0.05                  0.011750' ]]
    # interval rows are no results: the summary is
    { table "2 7 99.00 9.000000 2026-11-28T09:00:00.500Z"; echo; echo ' Summary: '; table "2 10250000 19.55 10.250000 2026-11-28T09:00:01.000Z"; } >c
    sum_of c c
    [[ $output == *$'\n 2          20500000       39.10                 20.500000' ]]
    # nothing to add up: other sizes, or a table of latency
    sum_of a c
    [[ $output != *"sum of"* ]]
    printf '%s\n' "$(printf -- '-%.0s' {1..87})" ' #bytes #iterations    t_min[usec]    t_max[usec]' ' 2       1000          1.00           2.00' >d
    sum_of d d
    [[ $output != *"sum of"* ]]
}

@test "run_perftest_multi_devices: no sum of runs that were not simultaneous, or had no rate" {
    two_devices
    # the second one ran after the first at 2 bytes, and moved nothing at 4
    table "2 1500000 2.86 1.500000 2026-11-28T09:00:02.500Z" "4 0 nan nan 2026-11-28T09:00:04.000Z" >b
    sum_of a b
    [[ $output == *"no sum of 2 devices at 2 bytes: they ran at the same time for 0 % of the time"* ]]
    [[ $output == *"no sum of 2 devices at 4 bytes: one has no rate"* ]]
    [[ $output != *"=== sum"* ]]
    # the second half of the first and the first half of the second
    table "2 1500000 2.86 1.500000 2026-11-28T09:00:01.500Z" "4 3000 0.01 0.001500 2026-11-28T09:00:04.020Z" >b
    sum_of a b
    [[ $output == *"no sum of 2 devices at 2 bytes: they ran at the same time for 33 % of the time"* ]]
    [[ $output == *$'=== sum of 2 devices\n'*$'\n 4          23500          0.05                  0.011750' ]]
    # nobody knows when
    sed -i 's/ *2026-.*//' a
    sum_of a b
    [[ $output == *"no sum of 2 devices: add --timestamps"* && $output != *"=== sum"* ]]
    sed -i '1i\                    RDMA_Write Bidirectional BW Test' b
    sum_of b b
    [[ $output == *"no sum of 2 devices with -b: "* && $output != *"=== sum"* ]]
    # intervals are a part, in front of the summary
    { sed 1q b; echo; echo ' Local results: '; sed 1d b; echo; echo ' Summary: '; sed 1d b; } >c
    sum_of c c
    [[ $output == *"no sum of 2 devices with -b: "* && $output != *"=== sum"* ]]
}

@test "run_perftest_multi_devices: a decimal point, where the user's language has a comma" {
    localedef -i de_DE -f UTF-8 --no-archive "$PWD/de_DE.UTF-8" 2>/dev/null || skip "no localedef, or no source of de_DE"
    two_devices
    LOCPATH=$PWD LC_ALL=de_DE.UTF-8 sum_of a b
    [[ $output == *$'\n 2          11750000       22.41                 11.750000\n'* ]]
}

@test "run_perftest_multi_devices: servers, then clients, one output after the other" {
    # the ports are fixed from 15000 on, as they always were
    port_in_use 15000 || port_in_use 15001 && skip "ports 15000 and 15001 are taken"
    timeout 60 "$top/scripts/run_perftest_multi_devices" -d a0,b0 -C "$stub" >servers 2>&1 3>&- &
    servers=$!
    end=$((SECONDS + 30))
    until port_in_use 15000 && port_in_use 15001; do
        ((SECONDS < end))
        sleep 0.01
    done
    run timeout 60 "$top/scripts/run_perftest_multi_devices" -d a0,b0 -c "$core,$core" -x 3,4 -C "$stub" -r localhost 3>&-
    [ "$status" -eq 0 ]
    wait "$servers"
    [ "$(grep -n . <<<"$output" | grep -cE '^(1:=== a0|2:client -d a0 -p 15000 -x 3 localhost|4:=== b0|5:client -d b0 -p 15001 -x 4 localhost)$')" -eq 4 ]
}

@test "run_perftest_multi_devices: the status of a device that fails is the script's" {
    run timeout 60 "$top/scripts/run_perftest_multi_devices" -d bad0 -C "$stub" 3>&-
    [ "$status" -eq 2 ]
    [[ $output == *"bad0: status 2"* ]]
}

@test "run_perftest_multi_devices: lists of unequal length and unknown options are refused" {
    run "$top/scripts/run_perftest_multi_devices" -d a0,b0 -c 1 -C true
    [ "$status" -eq 2 ]
    run "$top/scripts/run_perftest_multi_devices" -d a0 -C true -z
    [ "$status" -eq 2 ]
    [[ $output == *"unknown option -z"* ]]
    run "$top/scripts/run_perftest_multi_devices" -d a0 --nonsense -C true
    [ "$status" -eq 2 ]
    [[ $output == *"unknown option --nonsense"* ]]
}
