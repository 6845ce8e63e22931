#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# --doctor on this host, whatever its state, and on the software device.

load helpers

# The verdict of one check on the page; nothing where it has no line.
verdict() { # CHECK
    sed -n "s/^  \(ok\|look here\|unknown\)  *$1  .*/\1/p" alone.out
}

@test "a page, at once, without a peer; the status says whether there is something to look at" {
    run_alone ib_write_bw --doctor -d soft0
    expect_output alone "^soft0 port 1 on "
    expect_output alone "^[0-9]+ ok, [0-9]+ to look at, [0-9]+ unknown$"
    expect [ "$(verdict device)" = ok ]
    expect [ "$(verdict memfd)" = ok ]
    expect [ "$(verdict "runtime folder")" = ok ]
    expect [ -n "$(verdict clock)" ]
    expect [ -z "$(verdict slot)" ] # soft0 has none
    looks=$(grep -c '^  look here' alone.out || true)
    expect_output alone " ok, $looks to look at, "
    expect [ "$status" = "$((looks ? 5 : 0))" ]
    expect [ -z "$error" ]
}

@test "every program has it" {
    for name in ib_{write,read,send,atomic}_{bw,lat}; do
        run_alone "$name" --doctor -d soft1
        expect_output alone "^soft1 port 1 on "
    done
}

@test "a host without an RDMA device: the software device is named, and worth a look unless it was asked for" {
    [ ! -d /sys/class/infiniband ] || skip "this host has RDMA devices"
    run_alone ib_read_lat --doctor
    expect [ "$status" = 5 ]
    expect_output alone "^soft0 port 1 on "
    expect [ "$(verdict device)" = "look here" ]
    export PERFTEST_SOFT_LIB=/nowhere/libperftest_soft.so
    run_alone ib_read_lat --doctor
    expect [ "$status" = 5 ]
    expect_error alone "PERFTEST_SOFT_LIB is /nowhere"
    expect_output alone "this host has no RDMA device, and no software$"
    unset PERFTEST_SOFT_LIB
    mkdir away
    cp "$PERFTEST_BUILD/ib_read_lat" away
    away/ib_read_lat --doctor 2>away.err || true
    [ ! -s away.err ] || # it is installed
        expect grep -q 'neither in soft/.libs nor in ../lib/perftest beside the program, nor in /' away.err
}

@test "a runtime folder that is not ours" {
    XDG_RUNTIME_DIR=/nowhere run_alone ib_write_bw --doctor -d soft0
    expect [ "$status" = 5 ]
    expect [ "$(verdict "runtime folder")" = "look here" ]
}

@test "one CPU for both sides" {
    command -v taskset || skip "no taskset"
    cpu=$(taskset -cp $$ | sed 's/.*: *\([0-9]*\).*/\1/')
    under=(taskset -c "$cpu")
    run_alone ib_write_bw --doctor -d soft0
    expect [ "$status" = 5 ]
    expect [ "$(verdict cores)" = "look here" ]
}

@test "the JSON document, on stdout and in a file" {
    run_alone ib_write_bw --doctor -d soft0 --output_format=json
    expect_schema alone.out
    expect [ "$(query alone.out .doctor.device)" = soft0 ]
    expect [ "$(query alone.out .doctor.look_here)" = \
        "$(query alone.out '[.doctor.checks[] | select(.verdict == "look here")] | length')" ]
    expect [ "$status" = "$(query alone.out 'if .doctor.look_here > 0 then 5 else 0 end')" ]
    run_alone ib_write_bw --doctor -d soft0 --out_json_file=found.json
    expect_schema found.json
    expect_output alone "^Device$"
    expect [ "$(query found.json '.doctor.checks | length')" = "$(grep -cE '^  (ok|look here|unknown) ' alone.out)" ]
}

@test "what does not go with it, and what does not exist" {
    run_alone ib_write_bw --doctor localhost
    expect [ "$status" = 2 ]
    expect_error alone "examines this host only"
    run_alone ib_write_bw --doctor --output=bandwidth
    expect [ "$status" = 2 ]
    expect_error alone "no single figure, no CSV and no metrics"
    run_alone ib_write_bw --doctor --output_format=openmetrics
    expect [ "$status" = 2 ]
    expect_error alone "no single figure, no CSV and no metrics"
    run_alone ib_write_bw --doctor -d mlx5_77
    expect [ "$status" = 1 ]
    expect_error alone "no RDMA device is called mlx5_77"
    run_alone ib_write_bw --doctor -d soft0 -i 3
    expect [ "$status" = 1 ]
    expect_error alone "soft0 has no port 3"
    expect [ -z "$output" ]
    run_alone ib_write_bw --doctor -d soft0 --out_json_file=/nowhere/found.json
    expect [ "$status" = 1 ]
    expect_error alone "cannot create the JSON file /nowhere/found.json"
}

@test "a stdout that takes nothing more" {
    local code=0
    "$PERFTEST_BUILD/ib_write_bw" --doctor -d soft0 >/dev/full 2>full.err || code=$?
    [ "$code" = 1 ]
    grep -q "cannot write to stdout: No space left" full.err
}
