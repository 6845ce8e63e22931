#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Do the programs run to their end through the distribution's own provider libraries (of mlx5, EFA, bnxt_re, irdma, hns, mana, erdma,
# qedr, cxgb4, ionic)?
# tests/provider/rig.h is the device below them: it executes what they put into their queues, and objects to what no device
# would understand.
# bats file_tags=slow,once

load helpers
load in_front

on() { # DEVICE [PREFIX...]
    ! is_sanitized || skip "a rig that is preloaded and a sanitizer's runtime both want to be first"
    under=("${@:2}" "$PERFTEST_TOP/tests/provider/run" "$PWD" "$1")
    local status=0
    "${under[@]}" true >why 2>&1 || status=$?
    ((status != 77)) || skip "$(<why)"
    expect [ "$status" = 0 ]
}

# With the libraries of the newest Debian, which can what the installed ones may not.
on_newer() { # DEVICE
    on "$1" "$PERFTEST_TOP/tests/newer_root" sid
}

# good_pair; and neither side's library did what the rig has to object to.
driven_pair() { # PROGRAM [OPTIONS]
    local tries=3
    run_pair "$@"
    # Without CPU to spare the distribution's perftest cannot calibrate its clock, and then fails.
    while grep -qs 'Correlation coefficient' client.err server.err && ((tries-- > 0)); do
        run_pair "$@"
    done
    expect_status client 0
    expect_status server 0
    expect_rows client 1
    expect [ "$(grep -c '^rig:' client.err server.err | grep -cv ':0$')" = 0 ]
}

@test "libmlx5: the device opens, and says what it is" {
    on mlx5
    command -v ibv_devinfo >/dev/null || skip "no ibv_devinfo (Debian: ibverbs-utils)"
    run_alone "$(command -v ibv_devinfo)" -v
    expect [ "$status" = 0 ]
    expect_output alone 'hca_id:.mlx5_0'
    expect_output alone 'vendor_part_id:.*4123'
}

@test "libefa: the device opens, and says what it is" {
    on efa
    command -v ibv_devinfo >/dev/null || skip "no ibv_devinfo (Debian: ibverbs-utils)"
    run_alone "$(command -v ibv_devinfo)" -v
    expect [ "$status" = 0 ]
    expect_output alone 'hca_id:.efa_0'
    expect_output alone 'vendor_part_id:.*61346'
}

@test "libmlx5: ib_write_bw, ib_read_bw, ib_atomic_bw and ib_send_bw over RC" {
    on mlx5
    driven_pair ib_write_bw -n 100
    expect_output client 'Device +: mlx5_0'
    driven_pair ib_write_bw -n 100 -b --write_with_imm
    driven_pair ib_read_bw -n 100
    driven_pair ib_atomic_bw -n 100 -A CMP_AND_SWAP
    driven_pair ib_send_bw -s 4K -n 100 -q 4 --data_validation
}

@test "libmlx5: a bandwidth is compared with what the link can carry, by RoCE v2's headers, and PCIe by its lanes" {
    on mlx5-roce
    local link=sys/class/infiniband/mlx5_0/ports/1 slot=sys/devices.test/0000:3b:00.0
    run_alone ib_write_bw -w 90%
    expect_status alone 1
    expect_error alone '-w 90% compares with what is possible, which is unknown on mlx5_0: the rate of the link is not known'
    # 64 packets of 1024 + 82 bytes, 16 more in the first
    echo '100 Gb/sec (4X EDR)' >$link/rate
    driven_pair ib_write_bw -n 100 -s 64K -m 1024 -w 0.0001% -y 0.0001% --report_possible --out_json_file run.json
    expect_schema run.json
    expect [ "$(query run.json '.measurements[0].possible.link_bytes_per_second * 8 / 1e6 | round')" = 92565 ]
    expect grep -qE '^ [0-9.]+ % of 92\.6 Gb/s, the payload limit of MTU 1024 over a link of 100 Gb/s$' client.out
    run_pair ib_write_bw -n 100 -s 64K -m 1024 -w 99999% --report_gbits
    expect_status client 3
    expect grep -qE '^    the limit \(-w 99999%\) is 92564.05' client.err
    # a lane of PCIe 1.0
    mkdir -p "$slot"
    mv sys/class/infiniband/mlx5_0/device/* "$slot"
    rmdir sys/class/infiniband/mlx5_0/device
    ln -s "$PWD/$slot" sys/class/infiniband/mlx5_0/device
    echo '2.5 GT/s PCIe' >"$slot/current_link_speed"
    echo 1 >"$slot/current_link_width"
    driven_pair ib_read_bw -n 100 -s 64K -b -m 1024 --report_possible --out_json_file run.json
    expect [ "$(query run.json '.measurements[0].possible | [.limited_by, .bandwidth_bytes_per_second] | tojson')" = '["pcie",500000000]' ]
    expect grep -qE '^ [0-9.]+ % of 4\.0 Gb/s, what PCIe 1\.0 x1 carries in both directions \(a link of 100 Gb/s allows 1[0-9.]+\)$' client.out
}

@test "libmlx5: qperf compares a bandwidth with what the link can carry, too" {
    on mlx5-roce
    echo '100 Gb/sec (4X EDR)' >sys/class/infiniband/mlx5_0/ports/1/rate
    launch server "${under[@]}" "$(program qperf)" -lp "$port"
    await server listening server
    # 64 packets of 1024 + 82 bytes, 20 more in the first of a WRITE with immediate data
    launch client "${under[@]}" "$(program qperf)" 127.0.0.1 -lp "$port" -n 100 -m 64K -mt 1K --report_possible \
        --limit_bw 0.0001% --limit_msgrate 0.0001%line --out_json_file run.json rc_bw rc_bi_bw rc_rdma_write_bw
    finish client
    expect_status client 0
    expect_schema run.json
    expect [ "$(query run.json '[.measurements[].possible.link_bytes_per_second * 8 / 1e6 | round] | tojson')" = '[92586,185172,92560]' ]
    expect [ "$(grep -cE '^    possible +=  [0-9.]+ % of 92\.6 Gb/s, the payload limit of MTU 1024 over a link of 100 Gb/s$' client.out)" = 2 ]
    launch client "${under[@]}" "$(program qperf)" 127.0.0.1 -lp "$port" -n 100 -m 64K -mt 1K --limit_bw 99999% -ub -e 9 rc_bw
    finish client
    expect_status client 3
    expect grep -qF '    the limit (--limit_bw 99999%) is 92.5849693 Tb/sec,' client.err
}

@test "libmlx5 and libefa: the effective speed of a port, and one that is made up" {
    in_front_build as_speed
    on mlx5-roce env SPEED=400 LD_PRELOAD="$BATS_FILE_TMPDIR/as_speed.so"
    echo '100 Gb/sec (4X EDR)' >sys/class/infiniband/mlx5_0/ports/1/rate
    driven_pair ib_write_bw -n 100 -s 64K --report_possible
    expect_output client ' over a link of 40 Gb/s$'
    rm -r sys
    on efa env SPEED=1000 LD_PRELOAD="$BATS_FILE_TMPDIR/as_speed.so" # any link is so fast there
    run_alone ib_send_bw -c SRD -w 90%
    expect_error alone 'which is unknown on efa_0: the rate of the link is not known'
}

@test "libmlx5: a static rate, and one that the adapter does not have" {
    on mlx5
    driven_pair ib_write_bw -n 100 --rate_limit 25 --rate_limit_type HW
    run_pair ib_write_bw -n 100 --rate_limit 28 --rate_limit_type HW
    expect_status client 1
    expect_error client 'mlx5_0 does not have every static rate, and would limit to 300 Gb/s, not to 28; use --rate_limit_type=SW'
}

@test "libmlx5: the latency programs, polling and waiting for events" {
    on mlx5
    driven_pair ib_write_lat -n 50
    driven_pair ib_read_lat -n 50
    driven_pair ib_atomic_lat -n 50
    driven_pair ib_send_lat -n 50 -e
}

@test "libmlx5: --verbose says whether there is BlueFlame" {
    on mlx5
    driven_pair ib_send_lat -n 50 --verbose
    expect grep -q 'doorbells: BlueFlame, which takes a request of up to 256 bytes along' client.err
    on mlx5 env PERFTEST_PROVIDER_NO_BF=1
    driven_pair ib_send_lat -n 50 --verbose
    expect grep -q 'doorbells: without BlueFlame, so the device reads even the smallest request' client.err
    driven_pair ib_write_bw -n 100 -q 2
}

@test "libmlx5: UC and UD" {
    on mlx5
    driven_pair ib_write_bw -n 100 -c UC
    driven_pair ib_send_bw -n 100 -c UD
    driven_pair ib_send_lat -n 50 -c UD
}

@test "libmlx5: RoCE, and what a datagram's address says there" {
    on mlx5-roce
    driven_pair ib_write_bw -n 100
    expect_output client 'Link type +: Ethernet'
    driven_pair ib_send_lat -n 50 -c DC
    PERFTEST_PROVIDER_TRACE=queue driven_pair ib_send_bw -n 10 -c UD --tclass 96
    expect grep -q ' tclass=96 hops=255 mac=02 ' queue.1
}

@test "libmlx5: InfiniBand with GIDs" {
    on mlx5
    server_args=(-x 0)
    driven_pair ib_write_bw -n 100 -x 0
    PERFTEST_PROVIDER_TRACE=queue driven_pair ib_send_bw -n 10 -c UD -x 0
    expect grep -q ' lid_or_port=7 .* grh=0x40000000 ' queue.1
}

@test "libmlx5: shared receive queues and XRC" {
    on mlx5
    driven_pair ib_send_bw -s 4K -n 100 --use-srq -q 2 --data_validation
    driven_pair ib_send_bw -s 4K -n 100 -c XRC
    driven_pair ib_write_bw -n 100 -c XRC
}

@test "libmlx5: DC" {
    on mlx5
    driven_pair ib_send_bw -s 4K -n 100 -c DC
    driven_pair ib_write_bw -n 100 -c DC -q 3 -b --write_with_imm
    driven_pair ib_atomic_bw -n 100 -c DC
    driven_pair ib_send_lat -n 50 -c DC
    driven_pair ib_read_lat -n 50 -c DC
}

@test "libmlx5: DC on a bond of adapters that have no targets there" {
    on mlx5 env PERFTEST_PROVIDER_BOND=1
    run_pair ib_write_bw -n 100 -c DC
    expect_error server 'cannot create DC QP on mlx5_0 .*: Operation not supported; on a bond \(LAG\) not every adapter has its targets'
    run_pair ib_write_bw -n 100 -c DC -b
    expect_error server 'cannot create more target queue pairs on mlx5_0 for DC, after 0 of 1: .*; on a bond \(LAG\) not every adapter'
}

@test "libmlx5: the streams of a DC initiator are used in turn" {
    on mlx5
    PERFTEST_PROVIDER_TRACE=queue driven_pair ib_write_bw -n 8 -c DC --log_dci_streams=2
    expect [ "$(sed -n '1,8s/.* stream=\([0-9]*\) .*/\1/p' queue.1 | paste -sd ' ')" = '0 1 2 3 0 1 2 3' ]
}

@test "libmlx5: a thread domain (--no_lock), and threads" {
    on mlx5
    driven_pair ib_write_bw -n 100 --no_lock
    driven_pair ib_send_bw -s 4K -n 100 --no_lock -c XRC
    driven_pair ib_write_bw -n 100 -q 20 --threads 2
}

@test "libmlx5: messages that arrive in the completion (--inline_recv)" {
    on mlx5
    driven_pair ib_send_bw -n 100 -s 32 --inline_recv=32 --data_validation
    driven_pair ib_send_lat -n 50 -s 64 --inline_recv=64
}

@test "libmlx5: mkeys that encrypt messages (--aes_xts)" {
    on mlx5
    driven_pair ib_read_bw -n 20 -s 1024 --aes_xts
    on mlx5 env PERFTEST_PROVIDER_SINGLE_BLOCK=1
    PERFTEST_PROVIDER_TRACE=queue driven_pair ib_send_lat -n 20 -s 512 --aes_xts
    expect grep -q ': op=0x25 .* mkey bytes=512 at=+0 bsf=64$' queue.1
    run_alone ib_send_bw -s 1024 --aes_xts 127.0.0.1
    expect_error alone '--aes_xts: mlx5_0 encrypts messages of a single block only'
}

steered() {
    grep -q '^flow' queue.0 2>/dev/null
}

# Both sides of a raw Ethernet program; the server is there first.
framed_pair() { # PROGRAM [OPTIONS]
    local -x PERFTEST_PROVIDER_TRACE=queue
    local path near=02:00:00:00:00:0a far=02:00:00:00:00:0b
    path=$(program "$1")
    rm -f queue.[01]
    launch server "${under[@]}" "$path" -d mlx5_0 --server -B $near -E $far "${@:2}"
    await server steered
    launch client "${under[@]}" "$path" -d mlx5_0 --client -B $far -E $near "${@:2}"
    finish client
    finish server
    expect_status client 0
    expect_status server 0
    expect_rows client 1
    expect [ "$(grep -c '^rig:' client.err server.err | grep -cv ':0$')" = 0 ]
}

@test "libmlx5: raw Ethernet frames, the first 18 bytes of which are in the request" {
    on mlx5-roce
    framed_pair raw_ethernet_bw -n 50 -s 300 -l 5 -J 10.0.0.1 -j 10.0.0.2 -K 1000 -k 2000
    expect [ "$(grep -c ': op=0xa .* headers=18 data=278 ' queue.1)" = 50 ]
    framed_pair raw_ethernet_lat -n 20 -s 100
    expect grep -q ': op=0xa .* headers=18 inline=78$' queue.0
}

@test "libefa: SRD and UD" {
    on efa
    driven_pair ib_send_bw -n 100 -c SRD --data_validation
    driven_pair ib_send_lat -n 50 -c SRD
    driven_pair ib_read_bw -n 100 -c SRD
    driven_pair ib_read_lat -n 50 -c SRD -e
    driven_pair ib_send_bw -n 100 -c UD
    driven_pair ib_send_lat -n 50 -c UD
}

@test "libbnxt_re: RC, UD and a shared receive queue" {
    on bnxt_re
    driven_pair ib_send_bw -n 500 -s 4K -t 16 --data_validation # more than the queues have entries
    expect_output client 'Device +: bnxt_re0'
    expect_output client 'ibv_wr\* API +: OFF'
    PERFTEST_PROVIDER_TRACE=queue driven_pair ib_write_bw -n 16 -l 4 --write_with_imm
    expect [ "$(sed -n 1,16p queue.1 | grep -c ': op=0x5 .* slots=3 imm=0x70657266 .* data=65536 ')" = 16 ]
    PERFTEST_PROVIDER_TRACE=queue driven_pair ib_atomic_bw -n 10 -A CMP_AND_SWAP
    expect [ "$(sed -n 1,10p queue.1 | grep -c ': op=0x8 .* rkey=0x.* data=8 ')" = 10 ]
    PERFTEST_PROVIDER_TRACE=queue driven_pair ib_write_lat -n 20 -s 96
    expect grep -q ': op=0x4 flags=0x1[01] slots=8 .* inline=96$' queue.1
    driven_pair ib_send_bw -n 100 -s 4K --use-srq -q 2 --data_validation
    driven_pair ib_send_lat -n 20 -c UD -e
}

@test "libirdma: RC and UD" {
    on irdma
    driven_pair ib_send_bw -n 500 -s 4K -t 16 --data_validation # more than the queues have entries
    expect_output client 'Device +: irdma0'
    PERFTEST_PROVIDER_TRACE=queue driven_pair ib_write_bw -n 16 -l 4 --write_with_imm
    expect [ "$(sed -n 1,16p queue.1 | grep -c ': op=0 .* imm=0x70657266 .* data=65536 .* quanta=2$')" = 16 ]
    driven_pair ib_read_bw -n 100
    PERFTEST_PROVIDER_TRACE=queue driven_pair ib_write_lat -n 20 -s 101
    expect grep -q ': op=0 .* inline=101 quanta=4$' queue.1
    driven_pair ib_send_lat -n 20 -c UD -e
    run_alone ib_atomic_bw 127.0.0.1
    expect_status alone 1
    expect_error alone 'irdma0 does not support the atomic operations of this test: its atomic_cap is IBV_ATOMIC_NONE'
}

# An old library is posted to with ibv_post_send(), since its ibv_wr_*() marks requests wrongly: rdma-core's "libhns: Fix owner
# bit when SQ wraps around in new IO", since 52.
@test "libhns: RC, UD and a shared receive queue" {
    on hns
    driven_pair ib_send_bw -n 500 -s 4K -t 16 --data_validation --verbose # more than the queues have entries
    expect_output client 'Device +: hns_0'
    [[ -e /usr/lib/$(uname -m)-linux-gnu/libhns.so.1 ]] ||
        expect grep -q 'posting: ibv_post_send(), its provider library, of rdma-core 51 or older, marks requests' client.err
    PERFTEST_PROVIDER_TRACE=queue driven_pair ib_write_bw -n 16 -l 4 --write_with_imm
    expect [ "$(sed -n 1,16p queue.1 | grep -c ': op=4 .* imm=0x70657266 .* data=65536 ')" = 16 ]
    driven_pair ib_atomic_bw -n 100
    driven_pair ib_send_bw -n 100 -s 4K --use-srq -q 2 --data_validation
    PERFTEST_PROVIDER_TRACE=queue driven_pair ib_send_lat -n 20 -c UD -s 8
    expect grep -q ': op=0 .* qkey=0x11111111 inline=8$' queue.1
}

@test "libhns: HIP08, which has no datagrams" {
    on hns-hip08
    driven_pair ib_send_bw -n 200 -s 4K -t 16 --use-srq -q 2 --data_validation
    driven_pair ib_write_lat -n 20 -s 32
    run_alone ib_send_bw -c UD 127.0.0.1
    expect_error alone 'hns_0 does not support UD, only RC'
}

@test "liberdma: RC" {
    on erdma
    driven_pair ib_send_bw -n 500 -s 4K -t 16 -l 4 --data_validation # more than the queues have entries
    expect_output client 'Device +: erdma_0'
    PERFTEST_PROVIDER_TRACE=queue driven_pair ib_write_bw -n 16 -l 4 --write_with_imm
    expect [ "$(sed -n 1,16p queue.1 | grep -c ': op=9 .* imm=0x66726570 data=65536 .* units=2$')" = 16 ]
    driven_pair ib_read_bw -n 100
    PERFTEST_PROVIDER_TRACE=queue driven_pair ib_write_lat -n 20 -s 96
    expect grep -q ': op=0 .* inline=96 .* units=4$' queue.1
    driven_pair ib_send_lat -n 20 -s 90 -e
    run_alone ib_send_bw -c UD 127.0.0.1
    expect_error alone 'erdma_0 does not support UD, only RC'
}

# bats test_tags=long
@test "newest liberdma" {
    on_newer erdma
    driven_pair ib_send_bw -s 4K -n 500 -t 16 -l 4 --data_validation
    driven_pair ib_write_bw -n 100 --write_with_imm -b
    driven_pair ib_atomic_bw -n 100
    driven_pair ib_read_lat -n 50 -e
    driven_pair ib_write_lat -n 500 -s 90
}

every_qedr() { # HOW DEVICE
    "$1" "$2"
    driven_pair ib_send_bw -n 500 -s 4K -t 16 -l 4 --data_validation # more than the queues have entries
    expect_output client 'Device +: qedr0'
    PERFTEST_PROVIDER_TRACE=queue driven_pair ib_write_bw -n 16 -l 4 --write_with_imm
    expect [ "$(sed -n 1,16p queue.1 | grep -c ': op=4 .* imm=0x70657266 .* data=65536 .* units=3$')" = 16 ]
    driven_pair ib_read_bw -n 100
    PERFTEST_PROVIDER_TRACE=queue driven_pair ib_atomic_bw -n 10 -A CMP_AND_SWAP
    expect [ "$(sed -n 1,10p queue.1 | grep -c ': op=6 .* data=8 .* units=4$')" = 10 ]
    PERFTEST_PROVIDER_TRACE=queue driven_pair ib_write_lat -n 20 -s 128
    expect grep -q ': op=3 .* inline=128 units=10$' queue.1
    driven_pair ib_send_bw -n 200 -s 4K --use-srq -q 2 --data_validation
    driven_pair ib_send_lat -n 20 -s 90 -e
    driven_pair ib_send_bw -n 200 -s 90 -I 90 -t 16 --data_validation
    PERFTEST_PROVIDER_TRACE=queue driven_pair ib_send_bw -n 200 -s 4K -c XRC -q 2 --data_validation
    expect [ "$(grep -c ': op=0 .* srq=[1-9][0-9]* .*units=3$' queue.1)" = 400 ]
    driven_pair ib_write_bw -n 100 -c XRC --write_with_imm
    driven_pair ib_write_lat -n 20 -c XRC -s 8 # inline, the library would overwrite its own pointers
    driven_pair ib_send_lat -n 20 -c XRC -s 64
    driven_pair ib_read_bw -n 100 -c XRC
    driven_pair ib_atomic_bw -n 10 -c XRC
}

@test "libqedr: RC, XRC and a shared receive queue" {
    every_qedr on qedr
    run_alone ib_send_bw -c UD 127.0.0.1
    expect_error alone 'qedr0 does not support UD, only RC'
    rm -r sys
    on qedr-ah
    driven_pair ib_send_lat -n 20
    expect_output client 'Max inline data *: 236\[B\]'
}

# bats test_tags=long
@test "newest libqedr" {
    every_qedr on_newer qedr-ah
}

# driven_pair, connected by rdma_cm, as iWARP needs it (tests/provider/rdma_cm.c).
connected_pair() { # PROGRAM [OPTIONS]
    server_args=(-R)
    driven_pair "$@" -R
    server_args=()
}

every_cxgb4() { # HOW
    "$1" cxgb4
    connected_pair ib_send_bw -n 500 -s 4K -t 16 -l 4 --data_validation # more than the queues have entries
    expect_output client 'Device +: cxgb4_0'
    PERFTEST_PROVIDER_TRACE=queue connected_pair ib_write_bw -n 16 -l 4 --write_with_imm
    expect [ "$(grep -c ': op=0x14 .* imm=0x66726570 .* data=65536 .* units=4$' queue.1)" = 32 ] # of the warm-up, too
    connected_pair ib_read_bw -n 100 -Q 4
    PERFTEST_PROVIDER_TRACE=queue connected_pair ib_write_lat -n 20 -s 220
    expect grep -q ': op=0x14 .* inline=220 units=17$' queue.1
    connected_pair ib_send_bw -n 500 -s 236 -I 236 -t 16 --data_validation
    connected_pair ib_read_lat -n 50
    connected_pair ib_send_lat -n 20 -e
    connected_pair ib_write_bw -n 100 -q 3 -b
}

every_iwarp() { # HOW DEVICE
    "$1" "$2"
    connected_pair ib_send_bw -n 500 -s 4K -t 16 -l 4 --data_validation # more than the queues have entries
    connected_pair ib_send_bw -n 500 -s 64 -r 16 -q 2                   # held up by the receiver's credits
    connected_pair ib_write_bw -n 500 -s 4K -b -q 3 --data_validation
    connected_pair ib_read_bw -n 100
    connected_pair ib_write_lat -n 20 -s 90
    connected_pair ib_send_lat -n 20 -e
}

@test "libirdma: iWARP" {
    every_iwarp on irdma-iwarp
    # the first quantum is the kernel's
    PERFTEST_PROVIDER_TRACE=queue connected_pair ib_write_bw -n 16 -l 4 --write_with_imm
    expect [ "$(grep -c ': op=0 .* imm=0x70657266 .* data=65536 .* quanta=2$' queue.1)" = 32 ] # of the warm-up, too
    expect [ "$(grep -c ' 1: op=' queue.1)" -ge 2 ]
    run_alone ib_send_bw -R -d irdma0 --send_with_imm 127.0.0.1
    expect_error alone 'irdma0 is an iWARP device, which does not support the immediate data'
    run_alone ib_write_bw 127.0.0.1
    expect_error alone 'irdma0 is an iWARP device, whose queue pairs can only be connected with rdma_cm'
}

@test "liberdma: iWARP" {
    every_iwarp on erdma-iwarp
    connected_pair ib_send_bw -n 100 --send_with_imm
    connected_pair ib_write_bw -n 100 --write_with_imm
    connected_pair ib_atomic_bw -n 20
}

@test "libqedr: iWARP" {
    every_iwarp on qedr-iwarp
    run_alone ib_write_bw -R -d qedr0 --write_with_imm 127.0.0.1
    expect_error alone 'qedr0 is an iWARP device, which does not support the immediate data'
}

# bats test_tags=long
@test "newest libirdma, liberdma and libqedr: iWARP" {
    every_iwarp on_newer irdma-iwarp
    connected_pair ib_write_bw -n 100 --write_with_imm
    rm -r sys
    every_iwarp on_newer erdma-iwarp
    rm -r sys
    every_iwarp on_newer qedr-iwarp
}

# With -l a doorbell has the number of slots; a single request of one slot is written to the device instead.
@test "libcxgb4: iWARP" {
    every_cxgb4 on
    run_alone ib_atomic_bw 127.0.0.1
    expect_error alone 'cxgb4_0 does not support the atomic operations of this test: its atomic_cap is IBV_ATOMIC_NONE'
    run_alone ib_send_bw -c UD 127.0.0.1
    expect_error alone 'cxgb4_0 is an iWARP device, which does not support UD, only RC'
    run_alone ib_send_bw -R -d cxgb4_0 --send_with_imm 127.0.0.1
    expect_error alone 'cxgb4_0 is an iWARP device, which does not support the immediate data'
    run_alone ib_write_bw 127.0.0.1
    expect_error alone 'cxgb4_0 is an iWARP device, whose queue pairs can only be connected with rdma_cm'
}

# bats test_tags=long
@test "newest libcxgb4" {
    every_cxgb4 on_newer
}

# bats test_tags=long
@test "newest libionic: RC and UD" {
    on_newer ionic
    driven_pair ib_send_bw -n 500 -s 4K -t 16 -l 4 --data_validation # more than the queues have entries
    expect_output client 'Device +: ionic_0'
    PERFTEST_PROVIDER_TRACE=queue driven_pair ib_write_bw -n 16 -l 4 --write_with_imm
    expect [ "$(sed -n 1,16p queue.1 | grep -c ': op=5 .* imm=0x66726570 .* data=65536 .* stride=64$')" = 16 ]
    PERFTEST_PROVIDER_TRACE=queue driven_pair ib_atomic_bw -n 10 -A CMP_AND_SWAP
    expect [ "$(sed -n 1,10p queue.1 | grep -c ': op=6 .* data=8 ')" = 10 ]
    PERFTEST_PROVIDER_TRACE=queue driven_pair ib_write_lat -n 20 -s 220
    expect grep -q ': op=4 .* inline=220 stride=256$' queue.1
    driven_pair ib_read_bw -n 100 -o 8
    expect_output client 'Outstand reads *: 7$'
    expect grep -q 'warning: ionic_0 keeps 7 READs or atomics in flight, not the 8 of --outs' client.err
    driven_pair ib_write_bw -n 100 -q 3 -b
    driven_pair ib_send_bw -n 300 -c UD -s 1K -t 16 --data_validation
    driven_pair ib_send_lat -n 20 -c UD -s 100 -e
    driven_pair ib_send_lat -n 20 -s 90 -e
    driven_pair ib_write_bw -n 100 --use_wr_api
}

# What does not fit into the request itself: rdma-core 44 writes it beyond the end of the queue. Before Linux 6.2 it has as much
# room as a list of memory would have, and the library refuses more.
@test "libhns: inline data" {
    local device
    for device in hns hns-old; do
        on "$device"
        driven_pair ib_send_bw -n 500 -s 100 -I 100 -t 16 --data_validation
        [[ -e /usr/lib/$(uname -m)-linux-gnu/libhns.so.1 ]] || expect_output client 'Max inline data *: 32\[B\]'
        driven_pair ib_send_lat -n 21 -c UD -s 16
        driven_pair ib_send_bw -n 500 -c UD -s 32 -I 32 -t 16 --data_validation
        rm -r sys
    done
}

# bats test_tags=long
@test "newest libhns: inline data, on an older kernel, too" {
    local device
    for device in hns hns-old; do
        on_newer "$device"
        driven_pair ib_send_bw -n 500 -s 100 -I 100 -t 16 --data_validation
        expect_output client 'Max inline data *: 100\[B\]'
        driven_pair ib_write_bw -n 500 -s 1000 -I 1000 -t 16
        driven_pair ib_send_bw -n 500 -c UD -s 100 -I 100 -t 16 --data_validation
        driven_pair ib_send_lat -n 21 -c UD -s 32
        rm -r sys
    done
    on_newer hns # which refuses inline data of two packets
    driven_pair ib_write_lat -n 20 -s 512 -I 512 -m 256
    expect_output client 'Max inline data *: 256\[B\]'
    driven_pair ib_send_bw -n 200 -s 256 -I 512 -m 256
}

# bats test_tags=long
# Nothing fails of what a device does not claim, nor by its library. Not libbnxt_re 44, whose FETCH_AND_ADD adds another number,
# nor libhns 44, whose ibv_wr_*() are wrong.
# bats test_tags=long
@test "perftest verify: each library does what its device claims" {
    local device
    local -a words
    for device in efa irdma-iwarp cxgb4 qedr; do
        rm -rf sys
        on "$device"
        words=()
        [[ $device != irdma-iwarp && $device != cxgb4 ]] || words=(-- -R)
        run_alone "${under[@]}" "$PERFTEST_BUILD/perftest" verify --budget=3000 --limit=100 --only=": small" --output_format=json "${words[@]}"
        expect [ "$status" = 0 ]
        expect [ "$(jq -r '[.measurements[] | select(.state == "failed") | .verb + " " + .transport + " " + .why] | join(", ")' alone.out)" = "" ]
    done
}

@test "libbnxt_re, libirdma and libhns: READs, atomics and datagrams one by one" {
    on bnxt_re
    driven_pair ib_read_bw -n 100
    driven_pair ib_atomic_lat -n 20
    driven_pair ib_send_bw -n 100 -c UD -s 1K
    rm -r sys
    on irdma
    driven_pair ib_send_bw -n 100 -c UD -s 1K
    rm -r sys
    on hns
    driven_pair ib_read_lat -n 20 -e
}

# The programs that everyone else has: were the rig made to measure for ours, they would not run.
@test "libmlx5 and libefa: the distribution's perftest over the same rig, and as our peer" {
    local classic # whose server wants the client's options
    classic=$(command -v ib_send_bw) || skip "no perftest of the distribution"
    on mlx5
    server_args=(-n 50 -c DC)
    driven_pair "${classic%bw}lat" -n 50 -c DC
    server_args=(-n 100)
    driven_pair "${classic%/*}/ib_write_bw" -n 100
    start_server "${classic%/*}/ib_write_bw" -n 100
    start_client ib_write_bw -n 100
    finish client
    finish server
    expect_status client 0
    expect_status server 0
    rm -r sys
    on efa
    server_args=(-n 100 -c SRD -s 4096)
    driven_pair "$classic" -n 100 -c SRD -s 4096
}

@test "libmlx5 and libefa: qperf" {
    on mlx5
    launch server "${under[@]}" "$(program qperf)" -lp "$port"
    await server listening server
    launch client "${under[@]}" "$(program qperf)" -lp "$port" -t 1 127.0.0.1 rc_lat ud_lat rc_rdma_write_bw quit
    finish client
    finish server
    expect_status client 0
    expect [ "$(grep -cE '(latency|bw) +=' client.out)" = 3 ]
    expect [ "$(grep -cE '^rig:|error:' client.err)" = 0 ] # on a busy machine datagrams may be late, with a warning
    rm -r sys
    on efa
    launch server "${under[@]}" "$(program qperf)" -lp "$port"
    await server listening server
    launch client "${under[@]}" "$(program qperf)" -lp "$port" -t 1 127.0.0.1 ud_lat rc_bw
    finish client
    expect_output client 'latency +='
    expect_error client 'does not support RC, only datagrams; use ud_bw'
}

# bats test_tags=long
@test "newest libefa: WRITE over SRD, with immediate data, and without receives" {
    on_newer efa
    driven_pair ib_write_bw -n 100 -c SRD
    driven_pair ib_write_lat -n 50 -c SRD
    driven_pair ib_write_bw -n 100 -c SRD --write_with_imm -b
    driven_pair ib_write_bw -n 100 -c SRD --write_with_imm --unsolicited_write
    driven_pair ib_write_bw -n 100 -c SRD --no_lock
    driven_pair ib_send_bw -n 100 -c UD --no_lock
    # These have entries of 128 bytes, which only newer libraries know.
    driven_pair ib_write_bw -n 100 -c SRD -s 16 -I 16
    driven_pair ib_send_bw -n 100 -c SRD -s 64 -I 64 --data_validation
    driven_pair ib_send_bw -n 100 -c SRD --data_validation
    driven_pair ib_read_bw -n 100 -c SRD
}

# bats test_tags=long
@test "newest libmlx5: out-of-order placement (--use_ooo), DC, XRC and events" {
    on_newer mlx5
    driven_pair ib_write_bw -n 100 --use_ooo
    driven_pair ib_send_bw -n 20 -s 1024 --aes_xts
    driven_pair ib_send_bw -s 4K -n 100 --use_ooo -c DC
    driven_pair ib_send_bw -s 4K -n 100 -c XRC
    driven_pair ib_send_lat -n 50 -e
}

# bats test_tags=long
@test "newest libbnxt_re: entries of a fixed size and of their own" {
    local device
    for device in bnxt_re bnxt_re-thor2; do
        on_newer "$device"
        driven_pair ib_send_bw -s 4K -n 500 -t 16 -l 4 --data_validation
        driven_pair ib_write_bw -n 100 --write_with_imm -b
        driven_pair ib_read_lat -n 50 -e
        driven_pair ib_atomic_bw -n 100
        driven_pair ib_write_lat -n 500 -s 90
        driven_pair ib_send_bw -s 4K -n 100 --use-srq -q 2 --data_validation
        driven_pair ib_send_lat -n 50 -c UD -s 40
        rm -r sys
    done
}

# bats test_tags=long
@test "newest libirdma" {
    on_newer irdma
    driven_pair ib_send_bw -s 4K -n 500 -t 16 -l 4 --data_validation
    driven_pair ib_write_bw -n 100 --write_with_imm -b
    driven_pair ib_read_lat -n 50 -e
    driven_pair ib_write_lat -n 500 -s 90
    driven_pair ib_send_lat -n 50 -c UD -s 40
}

# bats test_tags=long
@test "newest libhns" {
    on_newer hns
    driven_pair ib_send_bw -s 4K -n 500 -t 16 -l 4 --data_validation
    expect_output client 'ibv_wr\* API +: ON'
    driven_pair ib_write_bw -n 100 --write_with_imm -b
    driven_pair ib_read_bw -n 100
    driven_pair ib_write_lat -n 500 -s 200 -I 200
    driven_pair ib_send_bw -s 4K -n 100 --use-srq -q 2 --data_validation
    driven_pair ib_send_lat -n 50 -c UD -e
}

# The library of rdma-core 44 has raw packets alone.
# bats test_tags=long
@test "newest libmana" {
    on_newer mana
    driven_pair ib_send_bw -s 4K -n 500 -t 16 -l 4 --data_validation
    expect_output client 'Device +: mana_0'
    PERFTEST_PROVIDER_TRACE=queue driven_pair ib_write_bw -n 16 -l 4 --write_with_imm
    expect [ "$(sed -n 1,16p queue.1 | grep -c ': op=6 .* imm=0x70657266 .* data=65536 ')" = 16 ]
    driven_pair ib_read_bw -n 200 -b
    driven_pair ib_read_lat -n 50 -e
    driven_pair ib_write_lat -n 50 -s 9K # more than a packet
    run_alone ib_send_bw -c UD 127.0.0.1
    expect_status alone 1
    expect_error alone 'mana_0 does not support UD, only RC'
}

# --- the same requests, posted with ibv_wr_*() and with ibv_post_send() ---

# What the client put into its queues, a line for each request: the client opens the device second.
queued() { # FILE PROGRAM [OPTIONS]
    rm -f queue.[01]
    PERFTEST_PROVIDER_TRACE=queue driven_pair "${@:2}"
    expect [ -s queue.1 ]
    mv queue.1 "$1"
}

expect_same_queue() { # LINES PROGRAM [OPTIONS]
    queued wr "${@:2}" --use_wr_api
    expect_output client 'ibv_wr\* API +: ON'
    queued old "${@:2}" --use_old_post_send
    expect_output client 'ibv_wr\* API +: OFF'
    expect [ "$(wc -l <wr)" -ge "$1" ]
    expect diff wr old
}

@test "libmlx5: ibv_wr_*() queues what ibv_post_send() does: RC" {
    on mlx5
    expect_same_queue 10 ib_send_bw -n 10
    expect_same_queue 10 ib_send_bw -n 10 -s 16 -I 16
    expect_same_queue 10 ib_write_bw -n 10 -s 200 -I 200
    expect_same_queue 16 ib_write_bw -n 16 -l 4
    expect_same_queue 10 ib_write_bw -n 10 --write_with_imm
    expect_same_queue 10 ib_read_bw -n 10
    expect_same_queue 10 ib_atomic_bw -n 10
    expect_same_queue 10 ib_atomic_bw -n 10 -A CMP_AND_SWAP
}

@test "libmlx5: ibv_wr_*() queues what ibv_post_send() does: UD" {
    on mlx5
    expect_same_queue 10 ib_send_bw -n 10 -c UD
    expect_same_queue 16 ib_send_bw -n 16 -c UD -s 64 -I 64 -l 4
}

@test "libefa: ibv_wr_*() queues what ibv_post_send() does" {
    on efa
    expect_same_queue 10 ib_send_bw -n 10 -c UD
    expect_same_queue 15 ib_send_bw -n 15 -c UD -s 16 -I 16 -l 5
    expect_same_queue 10 ib_send_bw -n 10 -c SRD
    expect_same_queue 10 ib_send_lat -n 10 -c SRD -s 16
}

# bats test_tags=long
@test "newest libhns: ibv_wr_*() queues what ibv_post_send() does" {
    on_newer hns
    expect_same_queue 100 ib_send_bw -n 100
    expect_same_queue 100 ib_send_bw -n 100 -s 16 -I 16
    expect_same_queue 16 ib_write_bw -n 16 -l 4
    expect_same_queue 10 ib_write_bw -n 10 --write_with_imm
    expect_same_queue 10 ib_read_bw -n 10
    expect_same_queue 10 ib_atomic_bw -n 10
    expect_same_queue 10 ib_send_bw -n 10 -c UD
    expect_same_queue 16 ib_send_bw -n 16 -c UD -s 64 -I 64 -l 4
}
