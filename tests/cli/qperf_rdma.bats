#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# qperf over RDMA: between two of ours on the software device, and with qperf 0.4.11 (Debian's package) in either role.
# bats file_tags=slow

load helpers
load qperf
load in_front

# All on soft0 where there is no RDMA device.
rdma_tests() {
    echo {rc,uc,ud,xrc}_{bw,bi_bw,lat} {rc,uc}_rdma_write_{bw,lat,poll_lat} rc_rdma_read_{bw,lat} \
        rc_{compare_swap,fetch_add}_mr ver_rc_{compare_swap,fetch_add}
}

@test "qperf: all RDMA tests, polling and sleeping" {
    local mode
    ours
    # A CPU may be away for a tenth of a second, in which nothing is answered.
    for mode in 0 1; do
        # shellcheck disable=SC2046 # words
        good_client "$(program qperf)" -t 0.3 -cp $mode -uu $(rdma_tests)
        expect [ "$(grep -c ':$' client.out)" = 24 ]
        expect [ "$(grep -cE '^    (latency|bw|recv_bw|msg_rate) += +[1-9][0-9.]* ' client.out)" = 24 ]
    done
    quits server
}

@test "qperf: a device without events of completions needs -cp1" {
    in_front_build as_lacking
    in_front_of as_lacking
    launch server "${in_front[@]}" LACKS=events "$(program qperf)" -lp "$port"
    await server listening server
    launch client "${in_front[@]}" LACKS=events "$(program qperf)" 127.0.0.1 -lp "$port" -t 0.1 rc_lat
    finish client
    expect_status client 1
    expect grep -q '; it may have no events of completions: omit -e, in qperf give -cp1$' client.err
    launch client "${in_front[@]}" LACKS=events "$(program qperf)" 127.0.0.1 -lp "$port" -t 0.1 -cp1 rc_lat
    finish client
    expect_status client 0
    quits server
}

@test "qperf: RDMA by number, flipped, by rdma_cm" {
    local test
    ours
    # shellcheck disable=SC2046 # words
    good_client "$(program qperf)" -n 300 -cp1 -uu -un -vvs rc_bw rc_bi_bw rc_lat rc_rdma_read_bw rc_rdma_write_bw rc_fetch_add_mr ver_rc_fetch_add \
        xrc_bw xrc_bi_bw xrc_lat
    expect [ "$(grep -cE '^    (loc|rem)_recv_msgs += +300 $' client.out)" = 14 ]
    expect [ "$(grep -cE '^    loc_max_cqe += +[1-9][0-9]* $' client.out)" = 8 ]
    good_client "$(program qperf)" -n 300 -cp1 -f1 -uu -un -vvs rc_bw
    expect [ "$(value loc_recv_msgs)" = 300 ]
    expect [ "$(value rem_send_msgs)" = 300 ]
    # One exchange takes longer than a call of a function, and the last answer may come behind the peer's word.
    good_client "$(program qperf)" -n 1 -cp1 -e 9 -uu -vvs rc_lat
    expect holds "$(value latency) > 500"
    for _ in {1..10}; do
        good_client "$(program qperf)" -n 2 -vvs rc_rdma_write_poll_lat
        expect [ "$(value rem_recv_msgs)" = 2 ]
    done
    good_client "$(program qperf)" -n 10 -vvs rc_rdma_read_lat
    expect [ "$(value recv_msgs)" = 10 ]
    # of a number and a time what comes first
    good_client "$(program qperf)" -t 0.2 -n 1000000000 -vvs rc_lat rc_rdma_read_lat rc_rdma_read_bw rc_bw rc_fetch_add_mr ud_bw
    expect [ "$(grep -c '_msgs .*= .* billion' client.out)" = 0 ]
    # the program starts itself again for the software device, and still warns once
    good_client "$(program qperf)" -n 5 rc_lat -m 64
    expect [ "$(grep -c 'warning: -m follows the last test' client.err)" = 1 ]
    for test in rc_bw rc_lat rc_rdma_read_bw ud_lat; do
        good_client "$(program qperf)" -t 0.1 -cm1 -cp1 -vu "$test"
        expect grep -qE '^    use_cm +=  +1 $' client.out
    done
    good_client "$(program qperf)" -t 0.2 -cp1 -vd --output_format json rc_lat rc_rdma_read_lat
    expect_schema client.out
    expect [ "$(query client.out '[.measurements[] | .remote.wait] | unique[]')" = spins ]
}

@test "qperf: RDMA that can't be is refused in words, on both sides" {
    local words
    need_classic
    ours
    client "$(program qperf)" -t 0.1 -i nosuch rc_bw
    expect_status client 1
    expect_error client "nosuch"
    client "$(program qperf)" -t 0.1 -i soft0:2 rc_bw
    expect_status client 1
    expect_error client "soft0 has 1 port: port 2 \(-i\) does not exist"
    client "$(program qperf)" -t 0.1 -nr 200 rc_rdma_read_bw
    expect grep -q "at most 128 READs or atomics in flight, not the 200 of -nr$" client.err
    client "$(program qperf)" -t 0.1 -m 4097 ud_bw
    expect_error client "4097 bytes: must be 1 to 4096"
    client "$(program qperf)" -t 0.1 -cm1 uc_bw
    expect_error client "rdma_cm connects only RC and UD"
    for words in "-sp 1 rc_bw" "-ap 1 rc_lat"; do
        # shellcheck disable=SC2086 # words
        client "$(program qperf)" -t 0.1 $words
        expect_status client 1
        expect_error client "port 1 of soft0 is Ethernet"
    done
    client "$(program qperf)" -t 0.1 -ap 1 ud_bw
    expect_error client "no connection that could migrate"
    client "$(program qperf)" -t 0.1 -i soft0 -sr 10 rc_bw
    expect_error client "soft0 has no rate limit in hardware, .*--static_rate"
    client "$(program qperf)" -t 0.1 -m 7 ver_rc_fetch_add
    expect_error client "size below 8"
    good_client "$(program qperf)" -n 10 rc_lat
    quits server
    another_port
    serve other "$classic"
    client "$(program qperf)" -t 1 rc_bw
    expect_error client "0\.4\.11, which does not know RDMA tests with this one but those of RC, with -cm1"
    good_client "$(program qperf)" -t 1 tcp_lat
    quits other
}

# Many of them, each with messages of 2 GiB, would take all that the host has.
@test "qperf: a client has no more of the server's memory than it allows" {
    unshare --mount true 2>/dev/null || skip "takes a mount namespace"
    printf 'MemTotal: 1000000 kB\nMemAvailable: 131072 kB\n' >meminfo
    # shellcheck disable=SC2016 # that shell's
    launch server unshare --mount bash -c 'mount --bind meminfo /proc/meminfo && exec "$@"' - "$(program qperf)" -lp "$port"
    await server listening server
    client "$(program qperf)" -t 0.1 -m 64M rc_bw
    expect_status client 1
    expect_error client "ended the test: the test needs [0-9]+ MiB of memory on the server, which allows a client 64 MiB, half of the memory available there: lower -m$"
    good_client "$(program qperf)" -t 0.1 -m 1M rc_bw
    quits server
}

# Reading takes the CPU, and each transport puts messages somewhere else; the seed's tests, and no others.
@test "qperf: -ar reads what RDMA brought" {
    local test size
    ours
    for test in rc_bw rc_bi_bw uc_bw uc_bi_bw ud_bw ud_bi_bw xrc_bw xrc_bi_bw rc_rdma_read_bw; do
        for size in 1 2K 1M; do
            [[ $test != ud* || $size != 1M ]] || continue
            good_client "$(program qperf)" -n 500 -m "$size" -ar 1 -vu -uu "$test"
            expect [ ! -s client.err ]
            expect_output client '^    access_recv +=  +1'
        done
    done
    good_client "$(program qperf)" -n 500 -ar 1 rc_rdma_write_bw
    expect grep -q 'not used' client.err
    quits server
}

# Who sends, who receives, and of which tests there are completions found at once, as a pair of 0.4.11 has it.
@test "qperf: the sides of READ and atomics are those of 0.4.11" {
    local test
    ours
    for test in rc_compare_swap_mr ver_rc_fetch_add; do
        good_client "$(program qperf)" -n 300 -cp1 -vvs --out_json_file run.json "$test"
        expect [ "$(awk '/_(bytes|msgs|max_cqe) / { print $1 }' client.out | tr '\n' ' ')" = "send_bytes send_msgs send_max_cqe recv_bytes recv_msgs " ]
        # shellcheck disable=SC2016 # variables of jq
        expect jq -e '.measurements[-1] | .message_rate_per_second * .local.elapsed_seconds | . > 299.9 and . < 300.1' run.json
        expect jq -e '.measurements[-1] | .local.max_completions > 0 and (.remote | has("max_completions") | not)' run.json
    done
    good_client "$(program qperf)" -n 300 -cp1 -vvs rc_rdma_read_bw
    expect [ "$(awk '/_(bytes|msgs|max_cqe) / { print $1 }' client.out | tr '\n' ' ')" = "send_bytes send_msgs recv_bytes recv_msgs recv_max_cqe " ]
    good_client "$(program qperf)" -n 300 -cp1 -vvs rc_lat rc_rdma_read_lat rc_rdma_write_poll_lat
    refuse_output client max_cqe
    quits server
}

# Whole exchanges and exactly their time, whatever is open at the end. The first one shows when the other side became ready, and the
# passive side of READ waits longer than that lasts.
@test "qperf: a latency is the mean of the samples, and the message rate that of these" {
    local test limit
    ours
    for limit in "-n 5" "-t 0.2"; do
        for test in tcp_lat udp_lat tcp_crr rc_lat xrc_lat ud_lat uc_lat rc_rdma_read_lat rc_rdma_write_lat rc_rdma_write_poll_lat \
            uc_rdma_write_poll_lat; do
            # shellcheck disable=SC2086 # words
            good_client "$(program qperf)" $limit -cp1 --out_json_file run.json "$test"
            # over UC and UD what a busy machine answers after 0.1 s is lost; its wait may be a sample that is in no latency
            jq -e '.measurements[-1].lost // 0 | . > 0' run.json >lost && continue
            expect jq -e '.measurements[-1] | .latency_usec / .latency_distribution.mean_usec |
                . > 0.999999 and . < 1.000001' run.json
            expect jq -e '.measurements[-1] | .latency_usec * 1e-6 * .message_rate_per_second | . > 0.999999 and . < 1.000001' run.json
        done
    done
    # the only exchange is the first one, and no sample
    for test in tcp_lat rc_lat rc_rdma_read_lat rc_rdma_write_lat rc_rdma_write_poll_lat; do
        good_client "$(program qperf)" -n 1 -cp1 --out_json_file run.json "$test"
        expect jq -e '.measurements[-1] | .latency_usec * 1e-6 * .message_rate_per_second | . > 0.999999 and . < 1.000001' run.json
    done
    good_client "$(program qperf)" -n 20 -cp1 -f1 --out_json_file run.json rc_rdma_read_lat
    expect jq -e '.measurements[-1] | .latency_usec > 0 and .latency_usec * 20e-6 < .remote.elapsed_seconds' run.json
    quits server
}

# Longer than the ticks of 0.1 s, one of which may see the peer's word that it has sent all.
@test "qperf: both directions by number" {
    local test
    ours
    for test in rc_bi_bw uc_bi_bw; do
        good_client "$(program qperf)" -n 3000 -m 1M "$test"
        expect [ ! -s client.err ]
    done
    quits server
}

# 128 of these are posted before anybody looks for a completion, and a copy of them all takes longer than the test.
@test "qperf: the first completions come after the end" {
    local test
    ours
    for test in uc_rdma_write_bw rc_rdma_read_bw; do
        good_client "$(program qperf)" -t 0.02 -m 64M -vvs -uu "$test"
        expect holds "$(awk '$1 ~ /bw$/ { print $3; exit }' client.out) > 100000000"
        # the rate is that of the bytes over a time that is not below the test's
        expect holds "$(awk '$1 ~ /bw$/ { print $3; exit }' client.out) <= $(value send_bytes) / 0.02 * 1.001"
    done
    quits server
}

# The others are in the lab, on the kernel's device.
@test "qperf: RC tests with qperf 0.4.11 in both roles" {
    local tests=(rc_bw rc_lat rc_rdma_write_poll_lat rc_compare_swap_mr)
    need_classic
    launch server "$PERFTEST_TOP/scripts/run_soft" "$classic" -lp "$port"
    await server listening server
    good_client "$(program qperf)" -t 1 -cm1 -m 64 -uu "${tests[@]}"
    expect [ "$(grep -cE '^    (latency|bw|msg_rate) += +[1-9][0-9.]* ' client.out)" = 4 ]
    quits server
    another_port
    ours
    launch client "$PERFTEST_TOP/scripts/run_soft" "$classic" 127.0.0.1 -lp "$port" -t 1 -cm1 -uu "${tests[@]}"
    finish client
    expect_status client 0
    expect [ "$(grep -cE '^    (latency|bw|msg_rate) += +[1-9][0-9.]* ' client.out)" = 4 ]
    launch client "$PERFTEST_TOP/scripts/run_soft" "$classic" 127.0.0.1 -lp "$port" -t 1 rc_lat
    finish client
    expect_status client 1
    quits server
    expect_error server "RDMA tests are those of RC, with -cm1"
}

# What moved until then has its rows.
@test "qperf: intervals of an RC connection that breaks" {
    ours
    launch client env PERFTEST_SOFT_FAULT=wc_12:20000 "$(program qperf)" 127.0.0.1 -lp "$port" -t 0 --report_interval 0.1 --out_json_file run.json rc_bw
    finish client
    expect_status client 1
    expect_error client 'rc_bw failed'
    # shellcheck disable=SC2016 # variables of jq
    expect jq -e '.measurements | .[-1] as $result | [.[] | select(.kind == "interval")] | length > 0 and
        (.[-1].interval_end_seconds - $result.local.elapsed_seconds | . < 0.002 and . > -0.002)' run.json
    quits server
}

# What a READ brings is counted in one direction, while the test runs and at its end.
@test "qperf: the intervals of a test have what its result has" {
    local test
    ours
    for test in rc_rdma_read_bw rc_bw rc_rdma_write_bw; do
        good_client "$(program qperf)" -t 0.5 --report_interval 0.2 --output_format json "$test"
        # shellcheck disable=SC2016 # variables of jq
        expect jq -e '.measurements | .[-1] as $result | [.[] | select(.kind == "interval")] |
            (map(.bandwidth_bytes_per_second * (.interval_end_seconds - .interval_begin_seconds)) | add) / .[-1].interval_end_seconds /
            $result.receive_bandwidth_bytes_per_second | . > 0.7 and . < 1.4' client.out
    done
    for test in tcp_lat udp_lat tcp_crr rc_lat ud_lat uc_lat rc_rdma_read_lat rc_rdma_write_poll_lat uc_rdma_write_poll_lat; do
        good_client "$(program qperf)" -t 0.2 --report_interval 10 --output_format json "$test"
        # an exchange that is open at the end is in the result alone
        expect jq -e '.measurements | .[1].open_exchange_seconds != null or
            (.[0].latency_usec / .[1].latency_usec | . > 0.999999 and . < 1.000001)' client.out
    done
    quits server
}

# Its rows would be of a direction that there is not.
@test "qperf: a client whose memory alone is used has no intervals" {
    local test
    ours
    for test in rc_rdma_read_bw rc_fetch_add_mr; do
        good_client "$(program qperf)" -t 0.2 -f1 --report_interval 0.1 "$test"
        expect [ "$(grep -c '=' client.out)" = 1 ]
        refuse_output client '=  +0 '
    done
    quits server
}

@test "qperf: soft0 has no link, and is compared with memcpy when that is asked for" {
    local words
    ours
    good_client "$(program qperf)" -n 500 -vd --out_json_file run.json rc_bw rc_bi_bw rc_lat rc_fetch_add_mr
    expect_schema run.json
    expect [ "$(query run.json '[.measurements[].possible] | tojson')" = '[null,null,null,null]' ]
    expect [ "$(query run.json '[.measurements[] | has("possible")] | tojson')" = '[true,true,false,true]' ]
    expect [ "$(grep -c possible client.out)" = 0 ]
    good_client "$(program qperf)" -n 500 --report_possible --repeat 2 --out_json_file run.json rc_lat rc_bi_bw rc_fetch_add_mr
    expect_schema run.json
    expect [ "$(query run.json '[.measurements[].possible | select(. != null) | [.limited_by, .link_bytes_per_second, .percent > 0]] | unique | tojson')" = '[["memcpy",null,true]]' ]
    expect [ "$(grep -cE '^    possible +=  [0-9]+\.[0-9] % of [0-9]+\.[0-9] Gb/s, twice what memcpy moves on one CPU of this host$' client.out)" = 3 ]
    expect [ "$(grep -cE '^    possible +=  [0-9]+\.[0-9] % of [0-9]+\.[0-9] Gb/s, what memcpy moves on one CPU of this host$' client.out)" = 3 ]
    good_client "$(program qperf)" -n 500 --report_possible --output_format csv rc_bw
    expect grep -qE '^qperf: rc_bw: [0-9.]+ % of [0-9.]+ Gb/s, what memcpy moves' client.err
    for words in "--limit_bw 90% rc_bw" "--limit_msgrate 87.5%line rc_fetch_add_mr"; do
        # shellcheck disable=SC2086 # words
        client "$(program qperf)" $words
        expect_status client 1
        expect [ "$(<client.err)" = "qperf: error: ${words% *} compares with what is possible, which is unknown on soft0: messages are copied, over no link; give a limit without %" ]
        expect [ ! -s client.out ]
    done
    client "$(program qperf)" --limit_bw fast% rc_bw
    expect_status client 2
    quits server
}
