#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Do programs that know nothing of us run over the software device, unmodified? Debian's perftest and the
# examples of rdma-core, through scripts/run_soft.

load helpers

foreign() { # PROGRAM
    [[ -x /usr/bin/$1 ]] || skip "$1 is not installed"
    under=("$PERFTEST_TOP/scripts/run_soft")
}

classic_pair() { # PROGRAM [OPTIONS]
    local name=$1
    shift
    foreign "$name"
    start_server "/usr/bin/$name" "$@"
    start_client "/usr/bin/$name" "$@"
    finish client
    finish server
    expect_status client 0
    expect_status server 0
    expect_rows client 1
}

@test "ibv_devinfo lists soft0 and soft1" {
    foreign ibv_devinfo
    run_alone /usr/bin/ibv_devinfo
    expect_status alone 0
    expect_output alone "hca_id:.*soft0"
    expect_output alone "hca_id:.*soft1"
    expect_output alone "link_layer:.*Ethernet"
    expect_output alone "PORT_ACTIVE"
}

@test "ibv_devinfo -v goes through every attribute" {
    foreign ibv_devinfo
    run_alone /usr/bin/ibv_devinfo -v -d soft0
    expect_status alone 0
    expect_output alone "GID\[ *0\]"
}

@test "ibv_rc_pingpong and its kin" {
    local name
    for name in ibv_rc_pingpong ibv_uc_pingpong ibv_ud_pingpong; do
        foreign "$name"
        start_server "/usr/bin/$name" -d soft0 -g 0 -n 100 -s 1024
        start_client "/usr/bin/$name" -d soft0 -g 0 -n 100 -s 1024
        finish client
        finish server
        expect_status client 0
        expect_status server 0
        expect_output client "100 iters in"
    done
}

@test "Debian's ib_write_bw" { classic_pair ib_write_bw -n 1000 -F; }
@test "Debian's ib_write_lat" { classic_pair ib_write_lat -n 1000 -F; }
@test "Debian's ib_send_bw" { classic_pair ib_send_bw -n 1000 -F; }
@test "Debian's ib_send_lat" { classic_pair ib_send_lat -n 1000 -F; }
@test "Debian's ib_send_bw over UD" { classic_pair ib_send_bw -n 1000 -F -c UD -s 1024; }
@test "Debian's ib_read_bw" { classic_pair ib_read_bw -n 1000 -F; }
@test "Debian's ib_read_lat" { classic_pair ib_read_lat -n 1000 -F; }
@test "Debian's ib_atomic_bw" { classic_pair ib_atomic_bw -n 1000 -F; }
@test "Debian's ib_atomic_lat" { classic_pair ib_atomic_lat -n 1000 -F; }
@test "Debian's ib_write_bw in both directions with several queue pairs" { classic_pair ib_write_bw -n 500 -F -b -q 4; }
@test "Debian's ib_send_lat with events" { classic_pair ib_send_lat -n 200 -F -e; }

@test "run_soft tells what it needs, and hands the status on" {
    run_alone "$PERFTEST_TOP/scripts/run_soft"
    expect_status alone 125
    run_alone "$PERFTEST_TOP/scripts/run_soft" sh -c 'exit 7'
    expect_status alone 7
}
