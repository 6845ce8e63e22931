#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# --explain: is a cause that was made here named by the side that has seen it, before all others, and on both sides?
# A busy machine is a cause of its own, and is named truthfully; so each cause here is made larger than that can be.

load helpers
load in_front
load qperf.bash

# The lines of the text that name causes, in order: "lost packets (client)".
causes() { # NAME
    sed -nE 's/^ *(Likeliest cause|Also): ([^:]*): .*/\2/p' "$1.out"
}

expect_cause() { # NAME CAUSE
    causes "$1" | grep -qxF -- "$2" || {
        echo "$1 does not name: $2"
        show
        return 1
    }
}

expect_first() { # NAME CAUSE
    [[ $(causes "$1" | head -n 1) == "$2" ]] || {
        echo "$1 does not name first: $2"
        show
        return 1
    }
}

# Where others evidently had the client's CPU for a tenth of the time, beside what a limit took, that may be named in its place.
expect_cause_unless_busy() { # NAME CAUSE
    local busy
    busy=$(jq '.explanation.local | .process_run_delay_seconds - .cgroup_throttled_seconds >= 0.1 * .observed_seconds' client.json)
    if [[ $busy != true ]] || ! causes "$1" | grep -qxF 'shared CPU (client)'; then expect_cause "$@"; fi
}

# What is true of a machine that others use, too.
only_busy() { # NAME
    ! causes "$1" | grep -vxE '(shared|stolen) CPU \((client|server)\)'
}

# bats test_tags=quick
@test "what the user has chosen is named, by both sides and in the document" {
    documents ib_write_bw -s 64 -n 20000 --explain
    expect_cause client 'small messages (test)'
    expect_cause server 'small messages (test)'
    expect [ "$(jq '.explanation.remote.observed_seconds > 0 and .explanation.local.process_cpu_seconds > 0' client.json)" = true ]
    expect [ "$(jq -c '[.explanation.local.process_cpus_allowed, .explanation.remote.process_cpus_allowed] | unique' client.json)" = \
        "$(jq -c '[.explanation.local.process_cpus_allowed, .explanation.remote.process_cpus_allowed] | unique' server.json)" ]
    good_pair ib_write_bw -s 4096 -t 1 -n 5000 --explain
    expect_cause client 'few in flight (test)'
}

# On a busy machine a side that is late finds the answer there, and does not sleep.
@test "the events that a side waits for, unless others have its CPU" {
    good_pair ib_send_lat -e -n 2000 --explain --out_json_file client.json
    expect_cause_unless_busy client 'waits for events (test)'
}

@test "nothing is named on a good pair" {
    good_pair ib_write_bw -n 2000 --explain
    only_busy client
    only_busy server
    good_pair ib_write_lat --explain
    only_busy client
    expect [ "$(grep -cE 'Likeliest cause|No cause found' client.out)" -eq 1 ]
}

@test "only with --explain, and below the table" {
    good_pair ib_write_bw -n 1000
    expect [ "$(cat client.out server.out | grep -c cause)" -eq 0 ]
    good_pair ib_write_bw -n 1000 --explain --output_format=csv
    expect [ "$(wc -l <client.out)" -eq 2 ]
    grep -qE 'Likeliest cause|No cause found' client.err
}

@test "a doctor that does not end ends the test before anything is measured" {
    in_front_build as_slow
    in_front_of as_slow
    mkfifo held
    under=("${in_front[@]}" "SLOW_CALLS=$PWD/calls" "SLOW_OPEN=$PWD/held")
    start_server ib_write_bw
    under=()
    start_client ib_write_bw -n 100 --explain --timeout 1 --out_json_file run.json
    finish client
    exec {go}<>held # lets it go on
    finish server
    expect_status client 1
    expect_error client 'was silent for 1 s'
    expect_error server 'ended the test'
    expect [ "$(jq -c .measurements run.json)" = '[]' ]
}

# The frequency is one that a file says, as a container's host would.
@test "qperf: a slow CPU, on both sides" {
    local cpu
    for cpu in $(seq 0 "$(($(nproc --all) - 1))"); do
        mkdir -p "sys/devices/system/cpu/cpu$cpu/cpufreq"
        echo 800000 >"sys/devices/system/cpu/cpu$cpu/cpufreq/scaling_cur_freq"
        echo 3600000 >"sys/devices/system/cpu/cpu$cpu/cpufreq/cpuinfo_max_freq"
        echo powersave >"sys/devices/system/cpu/cpu$cpu/cpufreq/scaling_governor"
    done
    export PERFTEST_SYSFS=$PWD/sys
    ours
    good_client "$(program qperf)" -t 0.2 --explain tcp_lat
    expect_cause client 'slow CPU (client)'
    expect_cause client 'slow CPU (server)'
    expect_output client 'governor powersave'
    expect_output client 'server doctor, not ranked: governor: powersave on'
}

# Without a frequency nothing measures it; so it is what the doctor says of the server, and no cause.
@test "what the doctor finds on one host is printed by both sides, and is no cause" {
    local cpu pid
    for cpu in $(seq 0 "$(($(nproc --all) - 1))"); do
        mkdir -p "sys/devices/system/cpu/cpu$cpu/cpufreq"
        echo powersave >"sys/devices/system/cpu/cpu$cpu/cpufreq/scaling_governor"
    done
    mkdir empty # whatever the governor of this host
    PERFTEST_SYSFS=$PWD/sys start_server ib_write_bw -n 2000 --out_json_file server.json
    PERFTEST_SYSFS=$PWD/empty start_client ib_write_bw -n 2000 --explain --out_json_file client.json
    finish client
    finish server
    for pid in client server; do
        expect_status "$pid" 0
        expect_schema "$pid.json"
        only_busy "$pid"
        expect_output "$pid" 'server doctor, not ranked: governor: powersave on'
        expect_output "$pid" 'cpupower frequency-set -g performance'
        expect [ "$(grep -c 'client doctor.*governor: powersave' "$pid.out")" -eq 0 ]
    done
    expect [ "$(jq -r '.explanation.remote.doctor.findings[] | select(.name == "governor").advice' client.json)" = \
        'cpupower frequency-set -g performance' ]
    expect [ "$(jq -c .explanation.local.doctor server.json)" = "$(jq -c .explanation.remote.doctor client.json)" ]
}

# Two network namespaces and a wire between them, 10.9.0.1 and 10.9.0.2.
wire_or_skip() { # as slow_wire's words
    ((EUID == 0)) || skip "only root makes network namespaces"
    [[ -c /dev/net/tun ]] || skip "there is no /dev/net/tun"
    unshare -n true 2>/dev/null || skip "no network namespace is allowed here"
    launch_network far
    launch wire unshare -n "$BATS_TEST_DIRNAME/slow_wire" "$@"
    await wire said wire '^ready' || skip "no TUN interface can be made here"
    near=(nsenter -n -t "${pids[wire]}")
    under=(nsenter -n -t "${pids[far]}")
    "${near[@]}" ip link set wire1 netns "${pids[far]}"
    "${near[@]}" ip addr add 10.9.0.1/24 dev wire0
    "${under[@]}" ip addr add 10.9.0.2/24 dev wire1
    "${near[@]}" ip link set wire0 up
    "${under[@]}" ip link set wire1 up
}

listens_inside() {
    "${under[@]}" grep -qE ":$(printf %04X "$port") [0-9A-F]+:0000 0A" /proc/net/tcp /proc/net/tcp6
}

over_wire() { # OPTIONS AND TEST OF QPERF
    launch server "${under[@]}" "$(program qperf)" -lp "$port"
    await server listens_inside
    launch client "${near[@]}" "$(program qperf)" 10.9.0.2 -lp "$port" --explain --out_json_file client.json "$@"
    finish client
    expect_status client 0
    expect_schema client.json
}

@test "qperf: a path with delay" {
    wire_or_skip delay=0.012
    over_wire -t 0.5 tcp_lat
    expect_first client 'delay (path)'
}

@test "qperf: a path that loses packets" {
    wire_or_skip loss=1/40
    over_wire -n 2000 -m 8K tcp_bw
    expect_first client 'lost packets (client)'
    expect [ "$(jq '.measurements[0].explanation | .local.connection_retransmitted_segments > 2 and .remote.observed_seconds > 0' client.json)" = true ]
}

# bats test_tags=long
@test "qperf: a narrow path" {
    wire_or_skip rate=10e6
    over_wire -t 3 tcp_bw
    expect_cause client 'narrow path (client)'
}

# bats test_tags=long
@test "qperf: a small MTU, and small buffers" {
    wire_or_skip
    "${under[@]}" ip link set wire1 mtu 576
    over_wire -t 0.5 tcp_bw
    expect_cause client 'small MTU (server)'
    "${under[@]}" ip link set wire1 mtu 1500
    kill "${pids[server]}"
    finish server
    over_wire -t 0.5 -sb 4K tcp_bw
    expect_cause client 'small buffer (test)'
}

# bats test_tags=long
@test "a CPU limit of the client's cgroup" {
    local group=/sys/fs/cgroup/cpu/perftest.$$
    ((EUID == 0)) || skip "only root makes control groups"
    if mkdir "$group" 2>/dev/null; then
        echo 10000 >"$group/cpu.cfs_quota_us"
    else
        group=/sys/fs/cgroup/perftest.$$
        mkdir "$group" 2>/dev/null || skip "no control group can be made here"
        echo "10000 100000" >"$group/cpu.max" 2>/dev/null || {
            rmdir "$group"
            skip "control groups have no limit of CPU time here"
        }
    fi
    start_server ib_write_lat
    # shellcheck disable=SC2016 # for that shell
    launch client bash -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$group" "$PERFTEST_BUILD/ib_write_lat" -p "$port" -D 2 --explain --out_json_file client.json 127.0.0.1
    finish client
    finish server
    rmdir "$group"
    expect_status client 0
    expect_cause_unless_busy client 'CPU limit (client)'
    expect_cause_unless_busy server 'CPU limit (client)'
}
