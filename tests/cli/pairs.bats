#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Does every program run over every transport that it supports, and refuse the others?
# bats file_tags=quick,sanitized

load helpers

# A bandwidth test: both sides print the row, with a rate that is not nothing. Of so few messages all may have come
# before a side that only receives looked first, and it has none.
bandwidth_pair() { # PROGRAM TITLE [OPTIONS]
    local name=$1 title=$2 side
    shift 2
    good_pair "$name" -n 200 "$@"
    for side in client server; do
        expect_output "$side" "^ {20}$title"
        expect_rows "$side" 1
        expect [ "$(field "$side" 1 2)" = 200 ]
        if [[ "$name $side" == "ib_send_bw server" && "$(field server 1 4) $(field server 1 5)" == "nan nan" ]]; then
            continue
        fi
        expect holds "$(field "$side" 1 4) > 0"
        expect holds "$(field "$side" 1 5) > 0"
    done
}

# A latency test: who measures prints nine columns in their natural order.
latency_pair() { # PROGRAM TITLE SIDES [OPTIONS]
    local name=$1 title=$2 sides=$3 side
    shift 3
    good_pair "$name" -n 100 "$@"
    for side in $sides; do
        expect_output "$side" "^ {20}$title"
        expect_rows "$side" 1
        expect [ "$(field "$side" 1 2)" = 100 ]
        expect [ "$(rows "$side" | awk '{ print NF }')" = 9 ]
        # min <= typical <= 99% <= 99.9% <= max
        expect holds "$(field "$side" 1 3) <= $(field "$side" 1 5)"
        expect holds "$(field "$side" 1 5) <= $(field "$side" 1 8) * 1.01"
        expect holds "$(field "$side" 1 8) <= $(field "$side" 1 9)"
        expect holds "$(field "$side" 1 9) <= $(field "$side" 1 4)"
    done
}

refused() { # PROGRAM PATTERN OPTIONS...
    local name=$1 pattern=$2
    shift 2
    run_alone "$name" "$@"
    expect_status alone 2
    expect_error alone "$pattern"
}

@test "ib_send_bw over RC" { bandwidth_pair ib_send_bw "Send BW Test" -c RC; }
@test "ib_send_bw over UC" { bandwidth_pair ib_send_bw "Send BW Test" -c UC -s 4K; }
@test "ib_send_bw over UD" { bandwidth_pair ib_send_bw "Send BW Test" -c UD -s 1K -r 256; }
@test "ib_send_bw over XRC" { bandwidth_pair ib_send_bw "Send BW Test" -c XRC; }
@test "ib_write_bw over RC" { bandwidth_pair ib_write_bw "RDMA_Write BW Test" -c RC; }
@test "ib_write_bw over UC" { bandwidth_pair ib_write_bw "RDMA_Write BW Test" -c UC; }
@test "ib_write_bw over XRC" { bandwidth_pair ib_write_bw "RDMA_Write BW Test" -c XRC; }
@test "ib_read_bw over RC" { bandwidth_pair ib_read_bw "RDMA_Read BW Test"; }
@test "ib_read_bw over XRC" { bandwidth_pair ib_read_bw "RDMA_Read BW Test" -c XRC; }
@test "ib_atomic_bw over RC" { bandwidth_pair ib_atomic_bw "Atomic .*BW Test"; }

@test "ib_atomic_bw over XRC" { bandwidth_pair ib_atomic_bw "Atomic .*BW Test" -c XRC; }

@test "ib_send_lat over RC" { latency_pair ib_send_lat "Send Latency Test" "client server" -c RC; }
@test "ib_send_lat over UC" { latency_pair ib_send_lat "Send Latency Test" "client server" -c UC; }
@test "ib_send_lat over UD" { latency_pair ib_send_lat "Send Latency Test" "client server" -c UD; }
@test "ib_write_lat over RC" { latency_pair ib_write_lat "RDMA_Write Latency Test" "client server" -c RC; }
@test "ib_write_lat over UC" { latency_pair ib_write_lat "RDMA_Write Latency Test" "client server" -c UC; }
@test "ib_read_lat over RC" { latency_pair ib_read_lat "RDMA_Read Latency Test" client; }
@test "ib_atomic_lat over RC" { latency_pair ib_atomic_lat "Atomic .*Latency Test" client; }
@test "ib_send_lat over XRC" { latency_pair ib_send_lat "Send Latency Test" "client server" -c XRC; }
@test "ib_write_lat over XRC" { latency_pair ib_write_lat "RDMA_Write Latency Test" "client server" -c XRC; }
@test "ib_read_lat over XRC" { latency_pair ib_read_lat "RDMA_Read Latency Test" client -c XRC; }
@test "ib_atomic_lat over XRC" { latency_pair ib_atomic_lat "Atomic .*Latency Test" client -c XRC; }

# What the queue pairs of a side share: the header says so, and each message of each queue pair is checked.
shared() { # PROGRAM SIDES_CHECKED OPTIONS
    good_pair "$1" -n 300 --data_validation "${@:2}"
    expect_output client 'Using SRQ      : ON'
    expect_output server 'Using SRQ      : ON'
    expect_output client 'VALIDATION: PASSED'
}
@test "five queue pairs share one receive queue: RC, both ways" { shared ib_send_bw --use-srq -q 5 -b -s 2000; }
@test "queue pairs share as few receives as there are of them" { shared ib_send_bw --use-srq -q 4 -r 4 -s 64; }
@test "five queue pairs share one receive queue: UC" { shared ib_send_bw --use-srq -q 5 -c UC -s 2000; }
@test "three queue pairs share one receive queue: UD, in lists" { shared ib_send_bw --use-srq -q 3 -c UD -s 512 -l 4 -Q 4 --recv_post_list 4; }
@test "writes with immediate of many queue pairs take shared receives" { shared ib_write_bw --use-srq --write_with_imm -q 3; }
@test "a ping-pong takes shared receives" { shared ib_send_lat --use-srq; }
@test "many queue pairs of XRC, both ways: SEND" { shared ib_send_bw -c XRC -q 5 -b -s 2000; }
@test "many queue pairs of XRC, both ways: WRITE" { shared ib_write_bw -c XRC -q 3 -b; }

@test "receives that all share are in one region, and no fewer than queue pairs" {
    refused ib_send_bw "omit --mr_per_qp" -c XRC --mr_per_qp --data_validation
    refused ib_send_bw "-r must be at least -q" -c XRC -q 4 -r 2
    good_pair ib_send_bw -c XRC -q 600 -n 5 -s 64
}

@test "a side with XRC initiators and targets names both, with the shared queue" {
    good_pair ib_write_bw -c XRC -q 2 -b -n 100
    expect_output client 'Number of qps   : 4'
    expect [ "$(grep -c '^ local address: .* SRQn 0x[0-9a-f]*$' client.out)" = 4 ]
    expect [ "$(grep -c '^ remote address: .* SRQn 0x[0-9a-f]*$' client.out)" = 4 ]
}

@test "ib_send_bw over DC" { bandwidth_pair ib_send_bw "Send BW Test" -c DC; }
@test "ib_write_bw over DC" { bandwidth_pair ib_write_bw "RDMA_Write BW Test" -c DC; }
@test "ib_atomic_bw over DC" { bandwidth_pair ib_atomic_bw "Atomic .*BW Test" -c DC; }
@test "ib_send_lat over DC" { latency_pair ib_send_lat "Send Latency Test" "client server" -c DC; }
@test "ib_write_lat over DC" { latency_pair ib_write_lat "RDMA_Write Latency Test" "client server" -c DC; }
@test "ib_read_lat over DC" { latency_pair ib_read_lat "RDMA_Read Latency Test" client -c DC; }
@test "ib_send_bw over SRD" { bandwidth_pair ib_send_bw "Send BW Test" -c SRD; }
@test "ib_write_bw over SRD" { bandwidth_pair ib_write_bw "RDMA_Write BW Test" -c SRD; }
@test "ib_read_bw over SRD" { bandwidth_pair ib_read_bw "RDMA_Read BW Test" -c SRD; }
@test "ib_send_lat over SRD" { latency_pair ib_send_lat "Send Latency Test" "client server" -c SRD; }
@test "ib_write_lat over SRD" { latency_pair ib_write_lat "RDMA_Write Latency Test" "client server" -c SRD; }

@test "many queue pairs of DC, both ways: SEND" { shared ib_send_bw -c DC -q 5 -b -s 2000; }
@test "many queue pairs of DC, with immediate data, in lists" { shared ib_write_bw -c DC -q 3 -b --write_with_imm -l 4 -Q 4; }
@test "DC: READs and atomics are checked" {
    shared ib_read_bw -c DC -q 2 -b --odp
    # fewer than of RC
    expect_output client 'Outstand reads  : 8$'
    shared ib_atomic_bw -c DC -q 2
}
@test "a side with DC initiators and targets names both" {
    good_pair ib_write_lat -c DC -n 100
    expect_output client 'Number of qps   : 2'
    expect [ "$(grep -c '^ local address: ' client.out)" = 2 ]
    expect [ "$(grep -c '^ remote address: .*QPN 0x0*[1-9a-f]' client.out)" = 2 ]
}
@test "streams of a DC initiator take requests in turn" {
    good_pair ib_write_bw -c DC -q 2 --log_dci_streams=3 --log_active_dci_streams=2 -l 4 -Q 4 --data_validation
    expect_output client 'VALIDATION: PASSED'
    run_alone ib_write_bw -c DC --log_dci_streams=12 127.0.0.1
    expect_status alone 1
    expect_error alone 'soft0 supports at most 2.7 streams for a DC initiator, not --log_dci_streams 12'
}

@test "queue pairs that may be out of order, of each transport that has them" {
    good_pair ib_send_bw --use_ooo -n 100
    expect_output client 'Using Enhanced Reorder      : ON'
    good_pair ib_write_lat --use_ooo -c UC --write_with_imm -n 100
    good_pair ib_send_lat --use_ooo -c UD -n 100
    good_pair ib_read_bw --use_ooo -c DC -q 2 -b -n 100
    good_pair ib_send_bw --use_ooo -c XRC -q 2 -n 100
}
@test "what an adapter or its library does not have is refused before the peer is met" {
    run_alone ib_write_bw -c SRD --write_with_imm --unsolicited_write 127.0.0.1
    expect_error alone 'soft0 or its libefa does not support unsolicited RDMA WRITE with immediate data'
    run_alone ib_send_bw --congest_type DIP 127.0.0.1
    expect_error alone "--congest_type is for HiSilicon adapters \(driver hns\), which soft0 is not"
    run_alone ib_read_bw --ph 1 127.0.0.1
    expect_error alone 'soft0 is a software device, not behind PCIe'
    run_alone ib_write_bw --rate_limit 10 --rate_limit_type=HW 127.0.0.1
    expect_error alone 'soft0 has no rate limit in hardware'
    run_alone ib_write_bw --rate_limit 10 --rate_limit_type=PP 127.0.0.1
    expect_error alone 'soft0 has no packet pacing for RC queue pairs'
    run_alone ib_write_bw --rate_limit 11 --rate_limit_type=HW 127.0.0.1
    expect_error alone 'is not a static rate \(2.5, 5, .*, 600, 800, 1200\)'
    run_alone ib_send_bw --aes_xts 127.0.0.1
    expect_error alone '--aes_xts needs .*, which soft0 does not provide'
}

# What SRD delivers is looked at by its number, as it keeps no order.
datagrams() { # PROGRAM OPTIONS
    good_pair "$1" -c SRD --data_validation "${@:2}"
    expect_output client 'VALIDATION: PASSED'
}
@test "many queue pairs of SRD, both ways: SEND, large and in lists" { datagrams ib_send_bw -q 5 -b -s 20000 -l 4 -n 300; }
@test "SRD: writes with immediate data take receives" { datagrams ib_write_bw -q 2 -b --write_with_imm -n 300; }
@test "SRD: READs of all sizes" { datagrams ib_read_bw -q 2 -a -n 20; }
@test "messages without payload, where the transport has them" {
    local options
    for options in "ib_send_bw" "ib_send_bw -b --use_old_post_send" "ib_send_bw -c UD" "ib_write_bw -l 4 -n 200" "ib_read_bw -q 2" \
        "ib_write_bw --write_with_imm" "ib_send_lat" "ib_send_lat -c UD --use_old_post_send" "ib_read_lat" \
        "ib_write_lat --write_with_imm" "ib_send_bw -c SRD" "ib_send_bw -c XRC" "ib_send_lat -D 1 -f 0 --report_interval 0.1"; do
        # shellcheck disable=SC2086 # options
        good_pair ${options%% *} -n 200 ${options#"${options%% *}"} -s 0 --out_json_file run.json
        expect_schema run.json
        expect [ "$(query run.json '.measurements[-1] | .size_bytes == 0 and .iterations >= '"$([[ $options == *-D* ]] && echo 1 || echo 200)")" = true ]
    done
}

@test "SRD: SENDs posted the old way, and sleeping for events" { datagrams ib_send_lat --use_old_post_send -e -n 300; }
@test "SRD: what the path loses is sent again" {
    export PERFTEST_SOFT_FAULT=drop:20
    datagrams ib_send_bw -q 2 -n 100
}
@test "SRD completes each message whatever -Q says" {
    good_pair ib_send_bw -c SRD -Q 50 -n 200
    expect_output client 'CQ Moderation   : 1$'
    expect grep -q 'warning: SRD signals a completion for every message, not for every 50th as --cq-mod asks' client.err
}

@test "a latency test that one side measures gives the other side no table" {
    good_pair ib_read_lat -n 50
    expect_rows server 0
    refuse_output server '#bytes'
}

@test "ib_write_bw refuses UD" { refused ib_write_bw "UD" -c UD; }
@test "ib_write_lat refuses UD" { refused ib_write_lat "UD" -c UD; }
@test "ib_read_bw refuses UC" { refused ib_read_bw "UC" -c UC; }
@test "ib_read_bw refuses UD" { refused ib_read_bw "UD" -c UD; }
@test "ib_read_lat refuses UC" { refused ib_read_lat "UC" -c UC; }
@test "ib_atomic_bw refuses UC" { refused ib_atomic_bw "UC" -c UC; }
@test "ib_atomic_lat refuses UD" { refused ib_atomic_lat "UD" -c UD; }
@test "a connection type that nobody knows is refused with those there are" { refused ib_send_bw "RC.*UC.*UD" -c XX; }

@test "defaults are those of the classic programs: iterations and size" {
    good_pair ib_write_bw
    expect [ "$(field client 1 1)" = 65536 ]
    expect [ "$(field client 1 2)" = 5000 ]
    good_pair ib_read_lat
    expect [ "$(field client 1 1)" = 2 ]
    expect [ "$(field client 1 2)" = 1000 ]
}

@test "the header says that soft0 is software and whose figures these are" {
    good_pair ib_write_bw -n 100 -d soft0
    expect_output client "Device +: soft0"
    expect grep -qiE "software" client.out
    expect grep -qiE "memory system" client.out
}

@test "a run that does not name a device takes soft0 where there is no other" {
    [ -z "$(ls /sys/class/infiniband 2>/dev/null)" ] || skip "this machine has an RDMA device"
    good_pair ib_write_bw -n 100
    expect_output client "Device +: soft0"
}
