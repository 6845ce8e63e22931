#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Invalid command lines: one clear line, status 2, and nothing started.
# bats file_tags=sanitized

load helpers

refused() { # PATTERN PROGRAM OPTIONS...
    local pattern=$1
    shift
    run_alone "$@"
    expect_status alone 2
    expect_error alone "$pattern"
    expect [ ! -s alone.out ]
}

@test "unknown option: the nearest name is suggested" {
    refused "tx-deepth.*--tx-depth" ib_write_bw --tx-deepth=4
    refused "--iters" ib_send_lat --itres 4
}

@test "unknown short option" { refused "-%" ib_write_bw -%; }
@test "an option without its argument" { refused "iters" ib_write_bw -n; }
@test "a long option behind a single dash" { refused "'-duration'; did you mean --duration" ib_write_bw -duration 5; }
@test "an argument for an option that takes none" { refused "all" ib_write_bw --all=yes; }
@test "an ambiguous abbreviation" { refused "report" ib_write_bw --report; }
@test "two server names" { refused "two|second|other" ib_write_bw one two; }

@test "number with junk behind it" {
    refused "iters.*12x" ib_write_bw -n 12x
    refused "qp.*1\.5" ib_write_bw -q 1.5
    refused "port.*80a" ib_write_bw -p 80a
    refused "duration.*2x" ib_write_bw -D 2x
    refused "size.*4KB" ib_write_bw -s 4KB
    refused "size.*1KM" ib_write_bw -s 1KM
    refused "limit_bw.*fast" ib_write_bw -w fast
    refused "max_percentiles.*99:" ib_write_lat --max_percentiles 50:1,99:
    refused "max_lat.*is out of range" ib_write_lat --max_lat -1
    refused "--rate: '0%' is neither" ib_write_lat --rate 0%
    refused "--rate: '10%..90%:' is neither" ib_write_lat --rate 10%..90%:
}

@test "--sizes: what is no loop of sizes, or one of too many" {
    local text
    for text in 4K 4K:1M 4K:1M: 4K:1M:*1 4K:1M:0 0:8:1 8:4:1 1:3G:*2 1:1001:1 4K:1M:*4: ':8:1'; do
        refused "sizes: '${text//\*/[*]}' is not FIRST:LAST:STEP" ib_write_bw --sizes="$text"
    done
    refused "sizes" ib_atomic_bw '--sizes=8:64:*2'
}

@test "a label: a key, a sign and a value of one line, of which there is an end" {
    refused "label.*'rack' is not KEY=VALUE" ib_write_bw --label=rack
    refused "label.*'7=rack' has a KEY that begins with a digit" ib_write_bw --label 7=rack
    refused "label.*'a-b=c' has no KEY of" cmtime --label=a-b=c
    refused "label.*'rack=' has an empty VALUE" cxi_send_bw --label=rack=
    refused "label.*has a control character" ib_read_lat --label="rack=$(printf 'a\nb=c')"
    refused "label.*is too long for a label" ib_write_bw --label="rack=$(printf '%0123d' 0)"
    # shellcheck disable=SC2046 # words
    refused "label.*is too long; allowed: up to 999" ib_write_bw $(printf -- '--label=n%d=%0110d ' {1..18})
    refused "label.*'rack'.*is not KEY=VALUE" qperf --label rack localhost conf
}

@test "an empty number, a sign where none belongs, no number at all" {
    refused "iters" ib_write_bw -n ""
    refused "iters.*-5" ib_write_bw -n -5
    refused "tx-depth.*many" ib_write_bw -t many
}

@test "number out of range: the range is named" {
    refused "iters.*5" ib_write_bw -n 4
    refused "qp.*16384" ib_write_bw -q 16385
    refused "qp" ib_write_bw -q 0
    refused "tx-depth.*15000" ib_write_bw -t 15001
    refused "port.*65535" ib_write_bw -p 70000
    refused "sl.*15" ib_write_bw -S 16
    refused "cqe_poll.*65535" ib_write_bw --cqe_poll 70000
    refused "qp-timeout.*31" ib_write_bw -u 32
    refused "inline_size.*1024" ib_write_bw -I 1025
}

@test "number beyond what any integer holds" {
    refused "iters" ib_write_bw -n 18446744073709551621
    refused "size" ib_write_bw -s 99999999999999999999G
}

@test "what rdma_cm can't connect" {
    refused "-R .*another -c" ib_send_bw -R -c UC
    refused "rate_limit_type=HW.*-R" ib_write_bw -R --rate_limit 10 --rate_limit_type=HW
    refused "tos.*-R" ib_write_bw --tos=32
    refused "tos.*255" ib_write_bw -R -T 256
    refused "retry_count.*255" ib_write_bw -R --retry_count=-1
}

@test "-s 0 where a payload is needed" {
    refused "size" ib_write_lat -s 0 localhost
    refused "no payload to check" ib_write_bw -s 0 --data_validation localhost
    refused "no bytes to limit" ib_send_bw -s 0 --rate_limit 5 localhost
}
@test "a size beyond 2 GiB, the longest message of RDMA" { refused "size.*4G.*2147483648" ib_write_bw -s 4G; }
@test "an MTU that does not exist" { refused "mtu.*64 to 9600" ib_write_bw -m 10000; }
@test "post list above the transmit depth" { refused "post_list 256.*tx-depth 128" ib_write_bw -l 256 -t 128 -n 5120; }
@test "-D with -a" { refused "(duration|-D).*(all|-a)|(all|-a).*(duration|-D)" ib_write_bw -D 2 -a; }
@test "-f that leaves no time to measure" { refused "margin" ib_write_bw -D 2 -f 1; }
@test "several queue pairs in a latency test" { refused "qp|queue pair|-q" ib_write_lat -q 2; }
@test "a post list in a latency test" { refused "post.?list|-l" ib_write_lat -l 4; }
@test "both directions in a latency test" { refused "bidirectional|-b" ib_send_lat -b; }
@test "a sample dump in a bandwidth test" { refused "histog|-H" ib_send_bw -H; }
@test "a size for an atomic" { refused "size|-s|8 bytes" ib_atomic_bw -s 16; }
@test "inline data for a read" { refused "inline|-I" ib_read_bw -I 16; }
@test "outstanding reads for a write" { refused "outs|-o" ib_write_bw -o 4; }
@test "an atomic type for a send" { refused "atomic_type.*atomic" ib_send_bw -A CMP_AND_SWAP; }
@test "an atomic type that does not exist" { refused "CMP_AND_SWAP.*FETCH_AND_ADD|FETCH_AND_ADD.*CMP_AND_SWAP" ib_atomic_bw -A XOR; }
@test "a completion vector without events" { refused "completion vector of -e" ib_send_bw -X 0; }
@test "iterations that the post list does not divide" { refused "post.?list" ib_write_bw -n 100 -l 8; }
@test "a burst without a rate limit" { refused "burst_size" ib_write_bw --burst_size 4; }
@test "pinned cores and a NUMA node" { refused "pin_cores.*numa_node|numa_node.*pin_cores" ib_write_bw --pin_cores 0 --numa_node 0; }
@test "limits of rows that there are not" {
    refused "limit_intervals.*give one of each" ib_write_bw --limit_intervals --report_interval 1
    refused "limit_intervals.*give one of each" ib_write_lat --limit_intervals --max_lat 5 localhost
    refused "limit_peers.*give both" ib_write_bw --limit_peers -w 5
}

@test "--output of the other kind of test" { refused "output" ib_write_bw --output=latency; }
@test "a percentile of 101" { refused "percentiles" ib_write_lat --percentiles=50,101; }
@test "percentiles that are none" { refused "percentiles" ib_write_lat --percentiles=50,,99; }
@test "an output format that nobody knows" { refused "text.*json.*csv" ib_write_bw --output_format=xml; }

@test "-h and -V print to stdout and end with 0, in every program" {
    local name
    for name in ib_{send,write,read,atomic}_{bw,lat}; do
        run_alone "$name" -h
        expect_status alone 0
        expect [ ! -s alone.err ]
        expect_output alone "--iters"
        run_alone "$name" -V
        expect_status alone 0
        expect_output alone "[0-9]+\.[0-9]+"
    done
}

@test "--help shows only what the program takes" {
    run_alone ib_read_bw --help
    expect_output alone "--outs"
    refuse_output alone "--inline_size"
    refuse_output alone "--report-unsorted"
}

@test "a device with its port, and a network interface, in place of a device" {
    run_alone ib_write_bw -d soft0:1
    expect_status alone 1
    expect_error alone "no RDMA device is called soft0:1; .* \(-i selects the port: -d soft0 -i 1\)$"
    run_alone ib_write_bw -d lo
    expect_status alone 1
    expect_error alone "no RDMA device is called lo; .* \(lo is a network interface\)$"
    run_alone ib_write_bw -d soft7:1
    expect_error alone "no RDMA device is called soft7:1; there are: [^()]*$"
}

@test "an option whose value is missing takes the HOST, which is said" {
    run_alone ib_write_bw -W node7
    expect_status alone 1
    expect_error alone '^ib_write_bw: error: counter node7: '
    expect grep -q ' node7 is the value of --report-counters; if that is the HOST, type --report-counters=COUNTERS node7$' alone.err
    server_args=(--out_json_file node7)
    good_pair ib_write_bw -n 5
    expect grep -q ' node7 is the value of --out_json_file; if that is the HOST, type --out_json_file=FILE node7$' server.err
    server_args=(--out_json_file node7.json)
    good_pair ib_write_bw -n 5 --out_json_file client
    expect [ "$(cat server.err client.err | grep -c 'is the value of')" = 0 ]
}
