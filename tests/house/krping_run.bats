#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Does krping_run tell what the kernel module recorded, as a table and as a document? With files in place of the module's;
# on a kernel it is tested by tests/vm/krping.bash.

setup() {
    top=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
    cd "$BATS_TEST_TMPDIR" || return 1
    export PERFTEST_PROC=$BATS_TEST_TMPDIR/proc
    mkdir proc
    : >proc/krping
    cp /proc/cpuinfo proc/cpuinfo
}

record() { # ROLE TEST STATE LINES...
    printf '%s\n' id=1 role="$1" listener=0 state="$3" began=1700000000.500000000 elapsed_ns=2500000000 label=canned \
        test="$2" addr=10.0.0.1 port=7174 size=4096 count=10 mem_mode=reg tx-depth=64 timeout=30 validate=1 verbose=0 \
        server_inv=0 local_dma_lkey=0 read_inv=0 poll=0 duplex=0 "${@:4}" '' >>proc/krping_results
}

connection=(device=rxe0 peer=10.0.0.1:7174 connect_ns=1500000 iterations=10)
fine=(error=0 reason=)
# five times 100 ns, four times 2000, once 100352
times() { # NAME
    printf '%s\n' "$1_samples=10" "$1_min_ns=100" "$1_max_ns=100352" "$1_mean_ns=10885" "$1_sum_ns=108852" \
        "$1_square_sum=0x25934e750" "$1_histogram=100:5 2000:4 100352:1"
}

ask() { # ARGUMENTS
    run timeout 60 "$top/scripts/krping_run" client label=canned addr=10.0.0.1 "$@"
    echo "$output"
}

value() { # JQ-FILTER
    jq -r "walk(if type == \"number\" then . + 0 else . end) | ($1)" run.json # jq 1.7 prints numbers as they stand: 15000.0
}

@test "the command is written as the module wants it" {
    record client ping complete "${fine[@]}" "${connection[@]}" measured_ns=1000000 "$(times iteration)"
    ask count=10,validate size=4096
    [ "$status" -eq 0 ]
    [ "$(cat proc/krping)" = "client,label=canned,addr=10.0.0.1,count=10,validate,size=4096,port=7174" ]
}

@test "ping: table and document, exact to the histogram's bound" {
    record client ping complete "${fine[@]}" "${connection[@]}" measured_ns=1000000 "$(times iteration)" "$(times read_half)" \
        "$(times write_half)"
    ask --json run.json
    [ "$status" -eq 0 ]
    [[ $output == *"krping ping: rxe0, client, peer 10.0.0.1:7174, mem_mode=reg, connected in 1500 usec"* ]]
    [[ $output == *" 4096   10          iteration  0.10         100.35       0.10             10.89        29.84 "* ]]
    [ "$(value '[.measurements[].step] | join(" ")')" = "iteration read_half write_half" ]
    [ "$(value '.measurements[0] | [.latency_min_usec, .latency_max_usec, .latency_typical_usec, .iterations] | @csv')" = 0.1,100.352,0.1,10 ]
    [ "$(value '.measurements[0].latency_stdev_usec * 1000 | round')" = 29836 ]
    # nine of ten are no more than 2000 ns, a bucket of eight; 99 % of ten samples is no figure
    [ "$(value '.measurements[0].percentiles | map([.percent, .supported, .latency_usec] | map(tostring) | join(" ")) | join(",")')" = \
        "50 true 0.1,90 true 2.0035,99 false null,99.9 false null" ]
    [ "$(value .status,.started,.ended)" = $'complete\n2023-11-14T22:13:20.500Z\n2023-11-14T22:13:23.000Z' ]
}

@test "bw,duplex: both directions are added" {
    record client bw complete "${fine[@]}" "${connection[@]}" measured_ns=1000000 peer_iterations=10 peer_measured_ns=2000000
    ask bw duplex --json run.json
    [ "$status" -eq 0 ]
    [ "$(value '.measurements[0].message_rate_per_second, .measurements[0].iterations')" = $'15000\n20' ]
    [[ $output == *" 4096       10             58.59 "* ]]
}

@test "every document keeps the schema, that of a failure too" {
    record client ping complete "${fine[@]}" "${connection[@]}" measured_ns=1000000 "$(times iteration)"
    ask --json ping.json
    : >proc/krping_results
    record client bw interrupted error=-4 reason=interrupted "${connection[@]}" measured_ns=1000000
    ask bw --json bw.json
    : >proc/krping_results
    record client ping failed error=-22 "reason=size=0 is not between 1 and 4194304" device= peer= connect_ns=0 measured_ns=0 iterations=0
    ask --json failed.json
    : >proc/krping_results
    record listener ping failed error=-99 "reason=the address cannot be bound: -EADDRNOTAVAIL" clients=0 refused=0
    run timeout 60 "$top/scripts/krping_run" server label=canned addr=10.0.0.1 --json listener.json
    run "$top/tests/validate_json" "$top/docs/schema.json" ping.json bw.json failed.json listener.json
    echo "$output"
    [ "$status" -ne 77 ] || skip "python3-jsonschema is missing"
    [ "$status" -eq 0 ]
    [ "$(jq -r .status,.reason failed.json)" = $'failed\nsize=0 is not between 1 and 4194304' ]
    [ "$(jq -r .measurements[0].partial bw.json)" = true ]
}

@test "a write that fails is the status, and the reason stands on stderr" {
    record client ping failed error=-111 "reason=the server refuses: no" "${connection[@]}" measured_ns=0
    # shellcheck disable=SC2016 # for the other shell
    run timeout 60 bash -c 'ulimit -f 0; exec "$0" "$@"' "$top/scripts/krping_run" client label=canned addr=10.0.0.1 --quiet
    echo "$output"
    [ "$status" -eq 1 ]
    [[ $output == *"krping_run: client: the server refuses: no"* ]]
}

@test "a command that the module takes for a wrong one is wrong usage; what a device or the peer refuses is a failure" {
    record client ping failed error=-22 "reason=there is no option 'bogus'" device= peer= connect_ns=0 iterations=0 measured_ns=0
    ask bogus
    [ "$status" -eq 2 ]
    [[ $output == *"krping_run: client: there is no option 'bogus'"* ]]
    rm proc/krping_results
    record client ping failed error=-22 "reason=the server was told wlat, the client ping" "${connection[@]}" measured_ns=0
    # shellcheck disable=SC2016 # for the other shell
    run timeout 60 bash -c 'ulimit -f 0; exec "$0" "$@"' "$top/scripts/krping_run" client label=canned addr=10.0.0.1 --quiet
    [ "$status" -eq 1 ]
}

@test "wrong usage" {
    for words in "" "--json" "--bogus addr=1.2.3.4" "client"; do
        # shellcheck disable=SC2086 # words
        run timeout 60 "$top/scripts/krping_run" $words
        echo "$words: $status $output"
        [ "$status" -eq 2 ]
    done
    rm proc/krping
    ask
    [ "$status" -eq 1 ]
    [[ $output == *"load the module: modprobe rdma_krping"* ]]
    run timeout 60 "$top/scripts/krping_run" --help
    [ "$status" -eq 0 ]
}
