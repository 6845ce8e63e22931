#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Does each option do what it says? Each is tested in a real run, from outside.
# bats file_tags=slow

load helpers

@test "-d, --ib-dev: the second software device" {
    server_args=(-d soft1)
    good_pair ib_write_bw -n 50 --ib-dev soft1
    expect_output client "Device +: soft1"
    expect_output server "Device +: soft1"
}

@test "-i, --ib-port" { good_pair ib_write_bw -n 50 -i 1; }

@test "-m, --mtu: both sides show it, and the smaller of both counts" {
    good_pair ib_write_bw -n 50 -m 1024
    expect_output client "^ Mtu +: 1024\[B\]"
    expect_output server "^ Mtu +: 1024\[B\]"
}

@test "-s, --size: bytes, K, M, hexadecimal" {
    good_pair ib_write_bw -n 20 -s 4K
    expect [ "$(field client 1 1)" = 4096 ]
    good_pair ib_write_bw -n 20 --size=1M
    expect [ "$(field client 1 1)" = 1048576 ]
    good_pair ib_write_bw -n 20 -s 0x10
    expect [ "$(field client 1 1)" = 16 ]
    expect [ "$(field server 1 1)" = 16 ]
}

@test "-a, --all: every power of two from 2 bytes to 8 MiB, once" {
    good_pair ib_write_bw -n 5 -a
    expect_rows client 23
    expect_rows server 23
    expect [ "$(rows client | awk '{ print $1 }' | tr '\n' ' ')" = "$(for ((i = 1; i < 24; i++)); do echo -n "$((1 << i)) "; done)" ]
}

@test "-a over UD ends at the MTU" {
    good_pair ib_send_bw -n 20 -a -c UD -m 1024
    expect [ "$(rows client | tail -n 1 | awk '{ print $1 }')" = 1024 ]
}

sizes() { # OPTIONS...: what was measured, on both sides
    good_pair "$@"
    expect [ "$(rows client | awk '{ print $1 }')" = "$(rows server | awk '{ print $1 }')" ]
    rows client | awk '{ print $1 }' | paste -sd ' '
}

@test "--sizes: multiplied or added to, up to the last, and to the MTU" {
    expect [ "$(sizes ib_write_bw -n 20 '--sizes=4K:100K:*4')" = "4096 16384 65536" ]
    expect [ "$(sizes ib_send_lat -n 20 --sizes=1:100:33)" = "1 34 67 100" ]
    expect [ "$(sizes ib_send_bw -n 20 -c UD -m 1024 --sizes=600:8K:400)" = "600 1000" ]
    # on the server, if the client has none; one that is too long for the path is named
    server_args=(--sizes=8:8:1)
    run_pair ib_read_bw -n 20
    expect_rows client 1
    server_args=()
    run_pair ib_send_bw -n 20 -c UD -m 1024 '--sizes=2K:8K:*2'
    expect_status client 1
    expect_error client '--sizes 2048 is too large: a UD message on soft0 can have at most 1024 bytes$'
}

@test "-n, --iters: of each queue pair" {
    good_pair ib_write_bw -n 30 -q 3
    expect [ "$(field client 1 2)" = 90 ]
    expect_output client "Number of qps +: 3"
    expect_output server "Number of qps +: 3"
}

@test "-D, --duration, and -f, --margin" {
    good_pair ib_write_bw -D 1 -f 0 -s 1K
    expect_rows client 1
    expect holds "$(field client 1 2) > 0"
    expect holds "$(field client 1 4) > 0"
    good_pair ib_send_lat -D 1 -f 0
    expect_rows client 1
    expect holds "$(field client 1 2) > 0"
}

@test "-c, --connection" {
    good_pair ib_send_bw -n 50 --connection=UC
    expect_output client "Connection type +: UC"
    expect_output server "Connection type +: UC"
}

@test "-t, --tx-depth" {
    good_pair ib_write_bw -n 50 -t 16
    expect_output client "TX depth +: 16"
}

@test "-r, --rx-depth" {
    good_pair ib_send_bw -n 100 -r 64
    expect_output server "RX depth +: 64"
}

@test "-I, --inline_size" {
    good_pair ib_write_bw -n 50 -s 32 -I 64
    expect_output client "Max inline data +: 64\[B\]"
}

@test "-o, --outs" {
    good_pair ib_read_bw -n 50 -o 2
    expect_output client "Outstand reads +: 2"
    start_server ib_read_bw -o 5
    export PERFTEST_SOFT=profile=mlx5 # has powers of two
    start_client ib_read_bw -n 50 -o 16
    finish client
    finish server
    expect_status client 0
    expect_output client "Outstand reads +: 4"
    good_pair ib_read_bw -n 50 -o 10
    expect_output client "Outstand reads +: 8"
    expect grep -q "keeps a power of two: 8 READs or atomics in flight, not the 10 of --outs" client.err
}

@test "-u, --qp-timeout, -S, --sl, --tclass, --flow_label and --pkey_index reach the queue pair" {
    good_pair ib_write_bw -n 50 -u 18 -S 3 --tclass 104 --flow_label 5,0xfffff -q 3 --pkey_index 0
}

@test "-x, --gid-index" {
    server_args=(-x 1)
    good_pair ib_write_bw -n 50 -x 1
    expect_output client "GID index +: 1"
}

@test "-F, --CPU-freq changes nothing" { good_pair ib_write_bw -n 50 -F; }

@test "-e, --events, by time and without end" {
    local options
    for options in "ib_send_bw" "ib_send_bw -b" "ib_write_bw --write_with_imm" "ib_send_lat" "ib_write_lat --write_with_imm"; do
        # shellcheck disable=SC2086 # options
        good_pair $options -e -D 1 -f 0 -s 64 --out_json_file run.json
        expect holds "$(query run.json '[.measurements[] | select(.kind == "result")] | last | .iterations') > 0"
    done
    start_server ib_send_bw
    start_client ib_send_bw -e --run_infinitely -D 1 --report_interval 0.1
    await client measuring client
    kill -INT "${pids[client]}"
    finish client
    finish server
    expect_status client 0
    expect_status server 0
}

@test "--rate_limit in a run without end" {
    start_server ib_write_bw
    start_client ib_write_bw --run_infinitely -D 1 --report_interval 0.1 -s 64 --rate_limit 2000 --rate_units p --out_json_file run.json
    await client at_least_rows client 5
    kill -INT "${pids[client]}"
    finish client
    finish server
    expect_status client 0
    expect holds "$(query run.json '[.measurements[] | select(.kind == "result")] | last | .message_rate_per_second') <= 2000.2"
}

@test "-e, --events, with -X, --vector" {
    good_pair ib_send_bw -n 100 -e -X 0
    expect_output client "Test with events"
    good_pair ib_send_lat -n 100 --events
    good_pair ib_read_bw -n 100 -e
}

@test "-A, --atomic_type" {
    good_pair ib_atomic_bw -n 50 -A CMP_AND_SWAP
    expect_output client "Atomic.*CMP_AND_SWAP"
    good_pair ib_atomic_lat -n 50 --atomic_type=FETCH_AND_ADD
    expect_output client "Atomic.*FETCH_AND_ADD"
}

@test "-b, --bidirectional: both sides print the same sum" {
    local name
    for name in ib_write_bw ib_send_bw ib_read_bw; do
        good_pair "$name" -n 200 -b
        expect_output client "Bidirectional"
        expect [ "$(field client 1 4)" = "$(field server 1 4)" ]
    done
}

@test "--report-both: the sum is not above that of its parts" {
    good_pair ib_write_bw -n 200 -b --report-both
    expect_output client "^ Local results:"
    expect_output client "^ Remote results:"
    expect_rows client 3
    expect holds "$(field client 1 4) - $(field client 2 4) - $(field client 3 4) < 0.05"
}

@test "-N, --noPeak" {
    good_pair ib_write_bw -n 50 -N
    expect [ "$(field client 1 3)" = 0.00 ]
    good_pair ib_write_bw -n 50
    expect holds "$(field client 1 3) >= $(field client 1 4)"
}

@test "-Q, --cq-mod" {
    good_pair ib_write_bw -n 55 -s 8 -Q 10
    expect_output client "CQ Moderation +: 10"
    expect [ "$(field client 1 2)" = 55 ]
}

@test "-l, --post_list" {
    good_pair ib_write_bw -n 64 -s 8 -l 8
    expect_output client "Post List"
    expect [ "$(field client 1 2)" = 64 ]
}

@test "--recv_post_list" {
    good_pair ib_send_bw -n 64 -s 8 --recv_post_list 8
    expect_output server "Recv Post List"
}

@test "-w, --limit_bw: a limit that can't be met ends with 3, one that can with 0" {
    run_pair ib_write_bw -n 50 -w 1e12
    expect_status client 3
    expect_error client "below.*limit"
    good_pair ib_write_bw -n 50 --limit_bw 0.001
    good_pair ib_write_bw -n 50 -w 1M -y 0.000001G
    expect grep -qE -- '--limit_bw \(-w\): the suffix has no effect, the limit is 1 in the printed unit, MiB/s or' client.err
    expect grep -qE -- '--limit_msgrate \(-y\): the suffix has no effect, the limit is 0.000001 million messages per second' client.err
}

@test "--max_lat, --max_p99 and --max_percentiles: what is above a limit is named, with how far it is off, and status 3" {
    run_pair ib_write_lat -n 200 --max_lat 0.001 --max_p99 1e9 --max_percentiles 50:0.002,90:1e9 --out_json_file run.json
    expect_status client 3
    expect_status server 0
    expect_schema run.json
    expect [ "$(query run.json '.status')" = "above limit" ]
    expect grep -qE '^ib_write_lat: error: the t_max is above the limit: [0-9.]+ usec at 2 bytes$' client.err
    expect grep -qE '^    the limit \(--max_lat\) is 0.001 usec, missed by a factor of [0-9]+$' client.err
    expect grep -qE 'the 50% percentile of latency is above the limit: ' client.err
    expect grep -qE '^    the limit \(--max_percentiles 50:0.002\) is 0.002 usec,' client.err
    expect [ "$(wc -l <client.err)" = 4 ]
    good_pair ib_read_lat -n 200 --max_lat 1e9 --max_p99 1e9 --max_percentiles 100:1e9
    run_pair ib_send_lat -n 50 --max_p99 1e9
    expect_status client 3
    expect_error client '50 samples at 2 bytes are too few for the 99% percentile'
    run_pair ib_read_lat -n 200 --rate=10%..20% --max_p99 0.000001
    expect_status client 3
    expect grep -q 'the 99% percentile of due is above the limit: .* at 2 bytes and 20 % load' client.err
    server_args=(--max_lat=1)
    run_pair ib_read_lat -n 200
    expect grep -q 'no effect on the side that only answers' server.err
}

@test "--report_possible, -w 90% and -y 90%: soft0 has no link, and is compared with memcpy when that is asked for" {
    local role
    good_pair ib_write_bw -n 500 -s 64K --out_json_file run.json
    expect_schema run.json
    expect [ "$(query run.json '[.measurements[].possible] | tojson')" = '[null]' ]
    expect [ "$(grep -c '%' client.out)" = 0 ]
    good_pair ib_write_bw -n 500 -b -s 64K --report_possible --out_json_file run.json
    expect_schema run.json
    expect [ "$(query run.json '.measurements[0].possible | [.limited_by, .link_bytes_per_second, .percent > 0] | tojson')" = '["memcpy",null,true]' ]
    expect [ "$(tail -n 1 client.out | grep -cE '^ [0-9]+\.[0-9] % of [0-9]+\.[0-9] Gb/s, twice what memcpy moves on one CPU of this host$')" = 1 ]
    # before a peer is looked for, on either side
    for role in "" 127.0.0.1; do
        run_alone ib_send_bw -p "$port" -d soft0 -w 90% $role
        expect_status alone 1
        expect [ "$error" = "ib_send_bw: error: -w 90% compares with what is possible, which is unknown on soft0: messages are copied, over no link; give a limit without %" ]
    done
    run_alone ib_read_bw -p "$port" -d soft0 -y 87.5%line 127.0.0.1
    expect_status alone 1
    expect_error alone '-y 87.5%line compares'
}

@test "--limit_intervals: each row of an interval is compared, the first miss and a sum with the worst are named" {
    local rows
    run_pair ib_write_bw -D 1 -f 0 -s 4K --report_interval 0.25 -w 99999999 --limit_intervals --out_json_file run.json
    expect_status client 3
    expect_schema run.json
    rows=$(query run.json '[.measurements[] | select(.kind == "interval")] | length')
    expect grep -qE '^ib_write_bw: error: BW result is below bw limit: [0-9.]+ MiB/s at 4096 bytes from 0.00 to 0.[0-9]+ s$' client.err
    expect grep -qE '^    the limit \(-w\) is 99999999.00 MiB/s, missed by [0-9.]+ % \([0-9-]+T[0-9:.]+Z\)$' client.err
    # the first, the summary, the sum of all: two lines each that a terminal has room for
    expect [ "$(wc -l <client.err)" = 6 ]
    expect [ "$(grep -A 1 error: client.err | wc -L)" -le 100 ]
    expect grep -qE "^ib_write_bw: error: [1-$rows] of [1-$rows] intervals miss a limit, the worst -w \(99999999.00 MiB/s\) by [0-9.]+ %$" client.err
    expect [ "$(tail -n 1 client.err | grep -cE '^    [0-9.]+ MiB/s at 4096 bytes from [0-9.]+ to [0-9.]+ s \([0-9-]+T[0-9:.]+Z\)$')" = 1 ]
    expect [ "$(query run.json '.missed_limits[1] | test(" by [0-9.]+ %; ")')" = true ]
    expect [ "$(query run.json '.missed_limits | length')" = 2 ]
    good_pair ib_write_bw -D 1 -f 0 -s 4K --report_interval 0.25 -w 0.001 --limit_intervals
    # a margin has no samples, and is not judged
    good_pair ib_write_lat -D 3 -f 1 --report_interval 0.5 --max_lat 1e9 --limit_intervals
    run_pair ib_write_lat -D 1 -f 0 --report_interval 0.25 --max_percentiles 50:0.001 --limit_intervals
    expect_status client 3
    expect grep -qE 'intervals miss a limit, the worst --max_percentiles 50:0.001 \(0.001 usec\) by a factor of [0-9]+$' client.err
    run_pair ib_write_bw -D 1 -f 0 -s 4K --report_interval 0.25 -y 99999 --limit_intervals
    expect_status client 3
    expect grep -qE 'intervals miss a limit, the worst -y \(99999.000000 Mpps\) by [0-9.]+ %$' client.err
}

@test "--limit_intervals: a run without end has a status, too" {
    start_server ib_write_bw
    start_client ib_write_bw --run_infinitely -D 1 -w 99999999 --limit_intervals
    await client said client 'from 0.00 to '
    kill -INT "${pids[client]}"
    finish client
    finish server
    expect_status client 3
    expect grep -qE '^ib_write_bw: error: [0-9]+ of [0-9]+ intervals miss a limit' client.err
}

@test "-w in a sweep: one good size does not save the others" {
    run_pair ib_write_bw -n 5 -a -w 1e12
    expect_status client 3
}

@test "-y, --limit_msgrate, without -w" {
    run_pair ib_write_bw -n 50 -y 1e9
    expect_status client 3
    good_pair ib_write_bw -n 50 --limit_msgrate 0.000001
}

@test "-C, --report-cycles" {
    good_pair ib_write_lat -n 100 -C
    expect holds "$(field client 1 5) > 20"
}

@test "-H, --report-histogram and its misspelt alias: every sample, sorted" {
    local name
    for name in -H --report-histogram --report-histogrm; do
        good_pair ib_read_lat -n 100 "$name"
        samples client >dumped
        expect [ "$(wc -l <dumped)" -ge 99 ]
        expect sort -c -g dumped
    done
}

@test "-U, --report-unsorted: as many samples as -H, in the digits of linux-rdma perftest" {
    good_pair ib_read_lat -n 100 -U
    expect [ "$(samples client | tr -d .e+- | awk 'length > 8' | wc -l)" = 0 ]
    samples client >dumped
    expect [ "$(wc -l <dumped)" -ge 99 ]
}

samples() { # NAME
    sed -n 's/^[0-9][0-9]*, //p' "$1.out"
}

# soft0 has none.
@test "-W all: all that there are, and a warning if there are none" {
    [[ -z $(ls /sys/class/infiniband 2>/dev/null) ]] || skip "this host has RDMA devices"
    good_pair ib_write_bw -n 50 -W all
    expect_rows client 1
    expect [ "$(grep -c 'warning: port 1 of soft0 has no counters for --report-counters' client.err)" = 1 ]
}

@test "-W, --report-counters: counters that the device does not have are named" {
    run_alone ib_write_bw -n 50 -W counters/port_xmit_data localhost
    expect_status alone 1
    expect_error alone "port_xmit_data|counter"
}

# A sysfs of our own: what the kernel shows of a device that it has.
@test "-W: names that the port has not are refused with those it has; all takes whatever there is" {
    local root='sys[a]{b,c}'
    local files=$root/class/infiniband/soft0/ports/1
    mkdir -p "$files"/counters "$files"/hw_counters
    echo 5 >"$files/counters/port_xmit_data"
    echo 7 >"$files/hw_counters/out_of_seq_request"
    under=(env "PERFTEST_SYSFS=$PWD/$root")
    # before it connects
    run_alone ib_write_bw -p 1 -n 50 -W hw_counters/out_of_sequence localhost
    expect_status alone 1
    expect_error alone "out_of_sequence: the device has no counter of that name; take all, a pattern, or one of hw_counters/out_of_seq_request$"
    under=()
    start_server ib_write_bw
    under=(env "PERFTEST_SYSFS=$PWD/$root")
    start_client ib_write_bw -n 50 -W all --out_json_file run.json
    finish client
    finish server
    expect_status client 0
    # those that did not move are left out, but where they were named
    refuse_output client "out_of_seq_request"
    expect [ "$(query run.json '.measurements[0].counters | length')" = 0 ]
    under=()
    start_server ib_write_bw
    under=(env "PERFTEST_SYSFS=$PWD/$root")
    start_client ib_write_bw -n 50 -W 'out_of_seq_request,counters/*' --out_json_file run.json
    finish client
    finish server
    expect_status client 0
    expect_output client "^.hw_counters/out_of_seq_request=0$"
    expect [ "$(query run.json '.measurements[0].counters | keys | join(" ")')" = "hw_counters/out_of_seq_request" ]
}

# A veth's driver counts what passes; the port's GIDs name it.
@test "-W: counters of the port's network interface" {
    local files=sysfs/class/infiniband/soft0/ports/1
    unshare --net true 2>/dev/null || skip "takes a network namespace"
    mkdir -p "$files"/gid_attrs/ndevs
    echo veth0 >"$files/gid_attrs/ndevs/0"
    # shellcheck disable=SC2016 # expanded by that shell
    run unshare --net sh -c 'ip link set lo up && ip link add veth0 type veth peer name veth1 &&
        { "$1" -p 18600 >server.out 2>&1 & } && until ss -Hltn sport = :18600 | grep -q .; do :; done &&
        PERFTEST_SYSFS="$2" "$1" -p 18600 -n 50 -W "ethtool/peer_ifindex,ethtool/rx_*" localhost && wait' \
        - "$(program ib_write_bw)" "$PWD/sysfs"
    [ "$status" -eq 0 ] || { echo "$output" && false; }
    [[ $output == *$'\tethtool/peer_ifindex=0'* ]]
    [[ $output != *ethtool/rx_* ]]
    # An adapter's is not this one, which has its name.
    mkdir sysfs/class/infiniband/soft0/device
    # shellcheck disable=SC2016 # expanded by that shell
    run unshare --net sh -c 'ip link set lo up && ip link add veth0 type veth peer name veth1 &&
        PERFTEST_SYSFS="$2" "$1" -W ethtool/peer_ifindex localhost' - "$(program ib_write_bw)" "$PWD/sysfs"
    [ "$status" -eq 1 ]
    [[ $output == *'nor of a network interface'* ]]
}

@test "--report_gbits: the same figure in other units" {
    good_pair ib_write_bw -n 50 --report_gbits
    expect_output client "BW peak\[Gb/sec\] +BW average\[Gb/sec\]"
    # average = rate * size * 8 / 1e9, to the digits that are shown
    expect holds "$(field client 1 4) / ($(field client 1 5) * 1e6 * 65536 * 8 / 1e9) < 1.01"
    expect holds "$(field client 1 4) / ($(field client 1 5) * 1e6 * 65536 * 8 / 1e9) > 0.99"
}

@test "the average and the message rate agree" {
    good_pair ib_write_bw -n 500
    expect holds "$(field client 1 4) / ($(field client 1 5) * 1e6 * 65536 / 1048576) < 1.001"
    expect holds "$(field client 1 4) / ($(field client 1 5) * 1e6 * 65536 / 1048576) > 0.999"
}

@test "--disable_pcie_relaxed: strict order, on both sides" {
    good_pair ib_write_bw -n 50 --disable_pcie_relaxed
    expect_output client 'PCIe relax order: OFF'
    expect_output server 'PCIe relax order: OFF'
    good_pair ib_write_bw -n 50
    expect_output client 'PCIe relax order: Unsupported' # soft0 has no PCIe
}
@test "--mr_per_qp" { good_pair ib_write_bw -n 50 -q 4 --mr_per_qp; }

@test "--cpu_util, with a duration" {
    good_pair ib_write_bw -D 1 -f 0 --cpu_util
    expect_output client "CPU_Util\[%\]"
    expect holds "$(field client 1 6) > 0 && $(field client 1 6) <= 100"
}

@test "--rate_limit by software never exceeds the limit" {
    good_pair ib_write_bw -n 200 -s 64 --rate_limit 2000 --rate_units p --rate_limit_type SW --burst_size 10
    expect holds "$(field client 1 5) <= 0.0025"
    good_pair ib_send_bw -n 100 -s 1K --rate_limit 8 --rate_units M --rate_limit_type SW --burst_size 5
    expect holds "$(field client 1 4) <= 9"
    good_pair ib_write_bw -n 100 -s 1K --rate_limit 0.1 --rate_units g --rate_limit_type SW --burst_size 5 --report_gbits
    expect holds "$(field client 1 4) <= 0.12"
    good_pair ib_atomic_bw -n 200 --rate_limit 2000 --rate_units p --burst_size 10 -b
    expect holds "$(field client 1 5) > 0.0015 && $(field client 1 5) <= 0.005"
}

# The device is asked for it, and says no: soft0 is Ethernet.
@test "--rate_limit by the device: of both directions of SEND, and of atomics, too" {
    local options
    for options in "ib_send_bw -b" ib_atomic_bw; do
        # shellcheck disable=SC2086
        run_alone $options --rate_limit 10 --rate_limit_type HW localhost
        expect_status alone 1
        expect_error alone 'soft0 has no rate limit in hardware; use --rate_limit_type=SW'
    done
    run_alone ib_send_bw -b --rate_limit 10
    expect_status alone 2
    expect_error alone 'let the device limit the rate'
}

@test "--latency_gap" { good_pair ib_write_lat -n 100 --latency_gap 20; }

@test "--output=bandwidth, message_rate, latency: one number and nothing else" {
    good_pair ib_write_bw -n 50 --output=bandwidth
    expect grep -qxE '[0-9]+\.[0-9]{6}' client.out
    expect [ "$(grep -c . client.out)" = 1 ]
    good_pair ib_write_bw -n 50 --output=message_rate
    expect grep -qxE '[0-9]+\.[0-9]{6}' client.out
    good_pair ib_write_lat -n 50 --output=latency
    expect grep -qxE '[0-9]+\.[0-9]{6}' client.out
    expect [ "$(grep -c . client.out)" = 1 ]
}

@test "--run_infinitely: rows until Ctrl-C, then a summary" {
    start_server ib_write_bw
    start_client ib_write_bw --run_infinitely -D 1 -s 4K
    await client at_least_rows client 2
    kill -INT "${pids[client]}"
    finish client
    finish server
    expect_status client 0
    expect_status server 0
    expect holds "$(row_count client) >= 3"
}

at_least_rows() { # NAME COUNT
    (($(row_count "$1") >= $2))
}

@test "--run_infinitely in a latency test" {
    start_server ib_send_lat
    start_client ib_send_lat --run_infinitely -D 1
    await client at_least_rows client 1
    kill -INT "${pids[client]}"
    finish client
    finish server
    expect_status client 0
}

@test "--report_interval: rows while it runs, then the row of all" {
    good_pair ib_write_bw -D 2 -f 0 -s 4K --report_interval 0.25
    # A row that is late covers what it missed, so that a busy host leaves fewer than nine.
    expect holds "$(row_count client) >= 4"
}

@test "--reversed: the server sends" {
    good_pair ib_send_bw -n 100 --reversed
    expect_output client "RX depth"
    expect_output server "TX depth"
    good_pair ib_write_bw -n 100 --reversed
    expect_rows client 1
}

@test "--out_json_file: %h, %p and %t are this host, the port and the time" {
    local name
    name="$(hostname)-$port-[0-9]*-[0-9]*"
    good_pair ib_write_bw -n 50 --out_json_file='run-%h-%p-%t-%x.json'
    expect [ "$(compgen -G "run-$name-%x.json" | wc -l)" = 1 ]
    run_alone ib_write_bw -n 50 --out_json_file="$(printf '%%t%.0s' {1..120})" localhost
    expect_status alone 2
    expect_error alone 'out_json_file: the name is too long with the words'
    launch server "$(program qperf)" -lp "$port"
    await server listening server
    launch client "$(program qperf)" 127.0.0.1 -lp "$port" -t 0.1 --out_json_file 'qperf-%h-%p-%t.json' tcp_lat
    finish client
    kill -INT "${pids[server]}"
    finish server
    expect [ "$(compgen -G "qperf-$name.json" | wc -l)" = 1 ]
}

# As every latency test does.
@test "--perform_warm_up of a latency test: nothing is said" {
    good_pair ib_read_lat -n 1000 --perform_warm_up
    expect [ "$(wc -c <client.err)" = 0 ]
}

@test "--perform_warm_up counts nothing more" {
    good_pair ib_write_bw -n 100 --perform_warm_up
    expect [ "$(field client 1 2)" = 100 ]
}

@test "--wait_destroy" {
    good_pair ib_write_bw -n 50 --wait_destroy 1
    expect grep -qiE "waiting 1 second" client.out client.err
}

@test "--no_lock: by each way of waiting, and on two devices" {
    good_pair ib_send_bw -n 100 -q 2 --no_lock
    expect_output client "Lock-free +: ON"
    expect_output server "Lock-free +: OFF" # it is of one side
    server_args=(--no_lock)
    good_pair ib_write_lat -n 100 --write_with_imm -e --no_lock
    server_args=(-d "soft0,soft1" --no_lock)
    good_pair ib_send_bw -O -d "soft0,soft1" -n 100 -b --no_lock --use_old_post_send
    expect_output server "Lock-free +: ON"
}

@test "--inline_recv: refused where the device can't be asked for it" {
    run_alone ib_send_bw -n 50 --inline_recv=32 localhost
    expect_status alone 1
    expect_error alone 'inline_recv.*mlx5'
    run_alone ib_send_bw -n 50 --inline_recv=32 -c UC localhost
    expect_error alone 'inline_recv is for RC queue pairs, not for UC'
    # by a side that was not told on which device it is
    server_args=(--inline_recv=32)
    run_pair ib_send_bw -n 50
    expect_status server 1
    expect_status client 1
    expect_error server 'inline_recv.*mlx5'
}

@test "--no_enhanced_reorder: the header says what is so without it" {
    good_pair ib_send_bw -n 50 --no_enhanced_reorder --inline_recv=0
    expect_output client "Using Enhanced Reorder +: OFF"
}

@test "-m with what is no MTU of a path takes that of the port" {
    good_pair ib_send_bw -n 50 -m 1500
    expect_output client "^ Mtu +: 4096\[B\]"
    expect grep -q -- '-m is not a path MTU' client.err
}

@test "--use_old_post_send" {
    good_pair ib_write_bw -n 50 --use_old_post_send
    expect_output client "ibv_wr\* API +: OFF"
}

@test "--cqe_poll and --disable_dynamic_polling" {
    good_pair ib_write_bw -n 50 --cqe_poll 8
    expect_output client "CQE Poll Batch +: 8"
    good_pair ib_write_bw -n 50 --disable_dynamic_polling
    expect_output client "CQE Poll Batch +: [0-9]"
}

@test "--ipv6 chooses an IPv6 GID" {
    good_pair ib_write_bw -n 50 --ipv6
}

@test "--ipv6-addr: the side channel over IPv6" {
    grep -q '^0\{31\}1' /proc/net/if_inet6 2>/dev/null || skip "no IPv6 loopback on this machine"
    server_args=(--ipv6-addr)
    start_server ib_write_bw --ipv6-addr
    launch client "$(program ib_write_bw)" -p "$port" -n 50 --ipv6-addr ::1
    finish client
    finish server
    expect_status client 0
    expect_status server 0
}

@test "--bind_source_ip" {
    server_args=(--bind_source_ip 127.0.0.1)
    good_pair ib_write_bw -n 50 --bind_source_ip 127.0.0.1
    run_alone ib_write_bw -p "$port" --bind_source_ip 203.0.113.7
    expect_status alone 1
    expect_error alone "203.0.113.7"
}

@test "--dlid is shown in the peer's address" {
    good_pair ib_write_bw -n 50 --dlid 0 # none, as linux-rdma perftest has it by default
    expect_output client 'remote address: LID 0000 '
    good_pair ib_write_bw -n 50 --dlid 5
    expect_output client "remote address: LID 0x0*5 "
}

@test "--force-link" {
    server_args=(--force-link Ethernet)
    good_pair ib_write_bw -n 50 --force-link Ethernet
    expect_output client "Link type +: Ethernet"
}

@test "--write_with_imm and --send_with_imm" {
    good_pair ib_write_bw -n 100 --write_with_imm
    expect_output client "RDMA_Write_imm BW Test"
    good_pair ib_write_lat -n 100 --write_with_imm
    good_pair ib_send_bw -n 100 --send_with_imm
    expect_output client "Send_imm BW Test"
    good_pair ib_send_lat -n 100 --send_with_imm
    expect_output server "Send_imm Latency Test"
}

@test "--use_hugepages: runs with them, or says how to get them" {
    run_pair ib_write_bw -n 50 --use_hugepages
    if (($(sed -n 's/^HugePages_Free: *//p' /proc/meminfo) >= 8)); then
        expect_status client 0
    else
        expect_status client 1
        expect_error client "huge ?page"
    fi
}

@test "--pin_cores" {
    local core
    core=$(taskset -cp $$ | sed 's/.*: *//; s/[-,].*//')
    server_args=(--pin_cores "$core")
    good_pair ib_write_bw -n 50 --pin_cores "$core"
    run_alone ib_write_bw -p "$port" --pin_cores 99999
    expect_status alone 2
    expect_error alone "pin_cores|99999"
}

@test "--numa_node and --disable_numa" {
    good_pair ib_write_bw -n 50 --disable_numa
    if [[ -e /sys/devices/system/node/node0 ]]; then
        good_pair ib_write_bw -n 50 --numa_node 0
    fi
    run_alone ib_write_bw -p "$port" --numa_node 1023
    expect holds "$alone_status == 1 || $alone_status == 2"
    expect_error alone "node"
}

@test "--payload_file_path" {
    printf '0x11223344,0xaabbccdd\n' >payload
    good_pair ib_write_bw -n 50 --payload_file_path "$PWD/payload"
    run_alone ib_write_bw -n 50 --payload_file_path "$PWD/nowhere" localhost
    expect_status alone 1
    expect_error alone "nowhere"
}

@test "--payload_file_path of every latency test is read, too" {
    printf '0x11223344,0xaabbccdd\n' >payload
    local name
    for name in ib_write_lat ib_send_lat ib_read_lat ib_atomic_lat; do
        good_pair "$name" -n 50 --payload_file_path "$PWD/payload"
        run_alone "$name" -n 50 --payload_file_path "$PWD/nowhere" localhost
        expect_status alone 1
        expect_error alone "nowhere"
    done
    good_pair ib_write_lat -a -n 5 --payload_file_path "$PWD/payload"
    expect_rows client 23
}

@test "-t and --cqe_poll in a latency test: accepted, and named as without effect" {
    good_pair ib_send_lat -n 50 -t 16 --cqe_poll 4
    expect grep -q -- '-t has no effect in a latency test' client.err
    expect grep -q -- '--cqe_poll has no effect in a latency test' client.err
    good_pair ib_read_lat -n 50 -t 1
    expect [ "$(grep -c 'no effect' client.err)" = 0 ]
}

@test "long options may be abbreviated, and their arguments stand behind = or a blank" {
    good_pair ib_write_bw --iter 60 --siz=64
    expect [ "$(field client 1 2)" = 60 ]
    expect [ "$(field client 1 1)" = 64 ]
}

@test "1024 queue pairs connect" {
    good_pair ib_write_bw -q 1024 -n 5 -s 8 -t 4
    expect [ "$(field client 1 2)" = 5120 ]
}
