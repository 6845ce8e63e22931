#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# qperf over sockets: between two of ours, and with qperf 0.4.11 (Debian's package) in either role.
# bats file_tags=slow

load helpers
load qperf

@test "qperf: all socket tests between two of ours" {
    ours
    good_client "$(program qperf)" -t 0.3 -uu tcp_bw tcp_lat udp_bw udp_lat conf
    expect [ "$(grep -c ':$' client.out)" = 5 ]
    expect holds "$(value bw) > 1000000 && $(value latency) > 100 && $(value send_bw) >= $(value recv_bw)"
    expect_output client '^    loc_qperf  =  0\.4\.11 \(perftest'
    quits server
}

# The header, the primary row, nothing else; to the last blank.
@test "qperf: the lines that scripts read" {
    ours
    good_client "$(program qperf)" -t 0.2 tcp_bw tcp_lat
    expect [ "$(sed -n 1p client.out)" = "tcp_bw:" ]
    expect grep -qE '^    bw  =  [0-9.,]+ [KMG]B/sec$' client.out
    expect [ "$(sed -n 3p client.out)" = "tcp_lat:" ]
    expect grep -qE '^    latency  =  [0-9.,]+ (us|ms)$' client.out
    expect [ "$(wc -l <client.out)" = 4 ]
    expect_quiet client
}

# Two lines of one number: equal rows of both programs, figures apart. Both omit a row whose figure is 0, which those of
# interrupts, waits for I/O and errors may be in one run and not in the next.
@test "qperf: the rows are those of 0.4.11" {
    local test
    need_classic
    ours
    for test in tcp_bw tcp_lat udp_bw udp_lat; do
        good_client "$classic" -t 1 -vv -uu "$test"
        sed -E 's/=.*[0-9] ?/= /' client.out | grep -vE 'intr|iowait|errors' >theirs
        good_client "$(program qperf)" -t 1 -vv -uu "$test"
        sed -E 's/=.*[0-9] ?/= /' client.out | grep -vE 'intr|iowait|errors' >own
        expect diff theirs own
    done
}

@test "qperf: a client of 0.4.11" {
    need_classic
    ours
    good_client "$classic" -t 1 -uu tcp_bw tcp_lat udp_bw udp_lat conf
    expect holds "$(value bw) > 1000000 && $(value latency) > 100 && $(value recv_bw) > 1000000"
    expect_output client '^    rem_qperf  =  0\.4\.11 \(perftest'
    # it sends what the test does not use, too, beyond what this server's options have
    good_client "$classic" -t 1 -uu -mt 8K -nr 300 -sp 200 tcp_bw
    client "$classic" -t 1 sctp_bw
    # It prints of the server's error what has arrived together with the urgent byte.
    [[ $client_status == 0 ]] || expect grep -q '^server:' client.err
    good_client "$classic" quit
    finish server
    expect_status server 0
}

@test "qperf: a server of 0.4.11" {
    need_classic
    serve server "$classic"
    good_client "$(program qperf)" -t 1 -uu -vvs --out_json_file run.json tcp_bw tcp_lat udp_bw udp_lat conf
    expect_schema run.json
    expect [ "$(query run.json '[.measurements[] | select(.kind == "result") | .protocol, .peer] | unique | @csv')" = ',"qperf 0.4.11"' ]
    expect holds "$(value bw) > 1000000 && $(value latency) > 100 && $(value recv_bw) > 1000000"
    expect holds "$(value recv_msgs) > 0 && $(value send_msgs) >= $(value recv_msgs)"
    quits server
}

# What it would not heed is refused, and the server is none the worse for it.
@test "qperf: what a server of 0.4.11 can't do is not asked of it" {
    local words
    need_classic
    serve server "$classic"
    for words in "-t 0.5 tcp_lat" "-t 1 -f1 tcp_bw" "-n 5 tcp_lat" "-t 1 --spin 1 tcp_lat"; do
        # shellcheck disable=SC2086 # words
        client "$(program qperf)" $words
        expect_status client 1
        expect_error client "0\.4\.11, which does not know"
    done
    good_client "$(program qperf)" -t 1 tcp_lat
    quits server
}

# 0.4.11 dies of it: the second waits for longer than its limit, and then nobody is served any more.
@test "qperf: clients at the same time" {
    local n
    ours
    for n in 1 2 3 4; do
        launch "client$n" "$(program qperf)" 127.0.0.1 -lp "$port" -to 1 -t 0.6 tcp_lat udp_bw
    done
    for n in 1 2 3 4; do
        finish "client$n"
        expect_status "client$n" 0
    done
    quits server
}

@test "qperf: more clients than the server takes are refused with the reason" {
    ours --max_clients 1
    launch first "$(program qperf)" 127.0.0.1 -lp "$port" -t 0 --report_interval 0.1 tcp_lat
    await first said first '^    latency\['
    client "$(program qperf)" -t 1 tcp_lat
    expect_status client 1
    expect_error client "refuses: the server already has .*--max_clients"
    kill -INT "${pids[first]}"
    finish first
    expect_status first 130
    expect grep -q '^    partial  *=  stopped by its user$' first.out
}

# A server of 0.4.11's protocol that does not answer the first five; deaf: none, as if nothing arrived.
serve_lossy() { # [deaf]
    cat >lossy.py <<'PYTHON'
import socket, struct, sys, time
listener = socket.create_server(("127.0.0.1", int(sys.argv[1])))
peer, _ = listener.accept()
peer.recv(200, socket.MSG_WAITALL)
data = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
data.bind(("127.0.0.1", 0))
peer.sendall(struct.pack("<I", data.getsockname()[1]))
peer.recv(27, socket.MSG_WAITALL)
peer.sendall(b"synchronization before test")
seen = sent = 0
begin = now = time.monotonic()
try:
    while (now := time.monotonic()) < begin + 2:
        data.settimeout(begin + 2 - now)
        message, who = data.recvfrom(65536)
        seen += sys.argv[2] != "deaf"
        if seen > 5:
            data.sendto(message, who)
            sent += 1
except TimeoutError:
    pass
peer.sendall(struct.pack("<3I18Q12QI", 2, 100, 0, *([0] * 9), int(100 * (now - begin)), *([0] * 8), sent, sent, 0, seen, seen, 0, *([0] * 6), 0))
peer.recv(26, socket.MSG_WAITALL)
PYTHON
    launch server python3 lossy.py "$port" "${1:-}"
    await server listening server
}

@test "qperf: a lost datagram is counted, and stops nothing" {
    serve_lossy
    client "$(program qperf)" -t 2 -vd -uu udp_lat
    expect_status client 0
    # on a busy machine others may be late
    local lost
    lost=$(value lost)
    expect [ "$lost" -ge 5 ]
    expect holds "$(value latency) < 50000000"
    expect grep -q "warning: udp_lat: $lost messages got no answer" client.err
}

# A latency of 0 would be a figure; a script sees the failure by the status, or in the document.
@test "qperf: a path on which nothing arrives fails the test" {
    local words
    serve_lossy deaf
    client "$(program qperf)" -t 2 --out_json_file run.json udp_lat
    expect_status client 1
    expect grep -qx '    latency  =  none' client.out
    expect grep -q 'udp_lat failed: no message was answered' client.err
    expect [ "$(query run.json '.status')" = failed ]
    expect [ "$(query run.json '.reason')" = "udp_lat failed: no message was answered" ]
    finish server
    another_port
    serve_lossy deaf
    client "$(program qperf)" -t 2 udp_bw
    expect_status client 1
    expect grep -q 'udp_bw failed: no message arrived' client.err
    finish server
    another_port
    ours
    # The other tests run all the same.
    for words in "ud_lat tcp_lat" "ud_bw tcp_lat" "--repeat 2 ud_lat --repeat 1 tcp_lat"; do
        # shellcheck disable=SC2086 # words
        PERFTEST_SOFT_FAULT=drop_from:1 client "$(program qperf)" -t 0.2 $words
        expect_status client 1
        expect grep -qE 'ud_(lat failed: no message was answered|bw failed: no message arrived)' client.err
        expect grep -qE '^    latency  =  +[0-9.]*[1-9]' client.out
        refuse_output client 'spread|runs'
    done
    # Runs without a figure, here the last two, are in no count.
    PERFTEST_SOFT_FAULT=drop_from:4 client "$(program qperf)" --repeat 3 -n 3 --output_format json ud_lat
    expect_status client 1
    expect [ "$(query client.out '.measurements[-1].repeats')" = 1 ]
    quits server
}

# Nothing is in two places or in none: what was sent, in time or late, arrived in time, or late, or got lost.
@test "qperf: each datagram that was sent is accounted for" {
    local words late sent_late
    ours
    for words in "udp_bw" "-f1 udp_bw" "-m 1K --send batch --receive batch udp_bw" "-m 1K --send segment --receive coalesce udp_bw" \
        "-cp1 ud_bw" "-cp1 uc_bw" "-m 1 -n 50 udp_bw" "-m 1 -n 50 --receive batch udp_bw" "-m 1 -n 50 --receive coalesce udp_bw"; do
        # shellcheck disable=SC2086 # words
        good_client "$(program qperf)" -t 0.2 -uu -vd -vvs $words
        late=$(value late)
        sent_late=$(value sent_late)
        expect holds "$(value recv_msgs) > 0"
        expect [ $(($(value send_msgs) + ${sent_late:-0})) = $(($(value recv_msgs) + $(value lost) + ${late:-0})) ]
        # The queue of a socket has room for those.
        [[ $words != *"-n 50"* ]] || expect [ "$(value recv_msgs)" = 50 ]
    done
}

@test "qperf: by number, flipped, spinning, and by other calls" {
    ours
    good_client "$(program qperf)" -n 500 -uu -vvs tcp_lat tcp_bw
    expect [ "$(value loc_recv_msgs)" = 500 ]
    expect [ "$(value send_msgs)" = 500 ]
    expect [ "$(value recv_msgs)" = 500 ]
    good_client "$(program qperf)" -n 500 -f1 -uu -un -vvs tcp_bw tcp_lat udp_lat
    expect [ "$(value rem_send_msgs)" = 500 ]
    expect [ "$(value loc_recv_msgs)" = 500 ]
    good_client "$(program qperf)" -t 0.2 -f1 udp_bw
    good_client "$(program qperf)" -t 0.2 --spin 1 -vd -n 100 tcp_lat udp_lat
    expect [ "$(grep -c '_wait .*= *spins' client.out)" = 4 ]
    good_client "$(program qperf)" -t 0.2 -m 1K -vd --send batch --receive batch udp_bw
    expect grep -qE 'send_calls +=  sendmmsg of 64$' client.out
    good_client "$(program qperf)" -t 0.2 -m 1K -vd --send segment --receive coalesce udp_bw
    expect grep -qE 'recv_calls +=  recvmsg with UDP_GRO$' client.out
    good_client "$(program qperf)" -t 0.2 -vd --send zerocopy --receive trunc tcp_bw
    expect grep -qE 'recv_calls +=  recv with MSG_TRUNC$' client.out
    good_client "$(program qperf)" -t 0.2 -vd --send file -ar1 tcp_bw
    expect grep -qE 'send_calls +=  sendfile$' client.out
    good_client "$(program qperf)" -t 0.2 -vd --congestion reno -sb 64K -ca 0 tcp_bw
    expect [ "$(grep -c 'congestion *= *reno$' client.out)" = 2 ]
}

# What was sent before the receiver's clock runs would be received in no time. The sender here is a peer that takes its time.
@test "qperf: a receiver's clock runs before its sender may begin" {
    ours
    python3 - "$port" <<'PYTHON'
import select, socket, struct, sys, time
control = socket.create_connection(("127.0.0.1", int(sys.argv[1])), timeout=20)
def frame(type, payload=b""):
    control.sendall(b"PFTQ" + struct.pack(">HHI", 5, type, len(payload)) + payload)
def hear(type):
    came, length = struct.unpack(">6xHI", control.recv(12, socket.MSG_WAITALL))
    payload = control.recv(length, socket.MSG_WAITALL) if length else b""
    assert came == type, (came, payload)
    return payload
control.sendall(struct.pack("<4H16I128x", 0, 4, 0x7071, 10, 0, 0, 0, 0, 1, *[0] * 8, 1, 5, 0))
control.recv(8, socket.MSG_WAITALL)
# udp_bw, 3 messages of a byte, a limit of 5 s
frame(1, struct.pack(">II19Q208x", 10, 0, *[0] * 4, 1, 0, 3, *[0] * 7, 5 * 10**9, *[0] * 4))
to = struct.unpack(">I", hear(16))[0]
data = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
data.bind(("127.0.0.1", 0))
data.connect(("127.0.0.1", to))
frame(16, struct.pack(">I", data.getsockname()[1]))
hear(19)
assert not select.select([control], [], [], 0.1)[0], "the receiver was ready before its sender"
frame(7, bytes(4))
hear(7)
begin = time.monotonic_ns()
time.sleep(0.05)
for _ in range(3):
    end = time.monotonic_ns()
    data.send(b".")
frame(9, bytes(8 * 44))
elapsed = struct.unpack_from(">Q", hear(9))[0]
assert elapsed >= (end - begin) * 0.999, (elapsed, end - begin)
PYTHON
    quits server
}

@test "qperf: loops, intervals, repeats" {
    ours
    good_client "$(program qperf)" -n 5 tcp_lat -m 64 -vu --output_format text
    expect [ "$(grep -c 'warning: -m follows the last test' client.err)" = 1 ]
    good_client "$(program qperf)" -t 0.1 -oo msg_size:1:1K:*32 -vu tcp_lat
    expect [ "$(grep -c '^tcp_lat:$' client.out)" = 3 ]
    expect grep -qE '^    msg_size  = +1 KiB \(1,024\)$' client.out
    good_client "$(program qperf)" -oo time:0.1:0.2:0.1 -vu tcp_lat
    expect [ "$(awk '$1 == "time" { print $3, $4 }' client.out | tr '\n' ' ')" = "100 ms 200 ms " ]
    good_client "$(program qperf)" -t 1 --report_interval 0.1 --out_json_file run.json tcp_bw
    # each begins where the one before ended, and behind another multiple of the interval; those that a busy machine held up are one
    # shellcheck disable=SC2016 # variables of jq
    expect jq -e '[.measurements[] | select(.kind == "interval")] as $rows | def multiple: . / 0.1 + 1e-6 | floor;
        ($rows | length >= 2) and $rows[0].interval_begin_seconds == 0 and $rows[-1].interval_end_seconds >= 0.9999 and
        ([range(1; $rows | length)] | all($rows[.].interval_begin_seconds as $begin | $rows[. - 1] |
            ($begin - .interval_end_seconds | fabs) < 1e-6 and ($begin | multiple) > (.interval_begin_seconds | multiple)))' run.json
    expect [ "$(grep -c '^    bw\[' client.out)" = "$(query run.json '[.measurements[] | select(.kind == "interval")] | length')" ]
    expect grep -qE '^    bw\[0\.0-0\.[1-9]\]' client.out
    good_client "$(program qperf)" -t 0.3 --report_interval 0.1 udp_bw
    expect grep -q '^    send_bw\[0\.0-' client.out
    refuse_output client 'recv_bw\['
    good_client "$(program qperf)" -t 0.3 --report_interval 0.1 -f1 udp_bw
    expect grep -q '^    recv_bw\[0\.0-' client.out
    good_client "$(program qperf)" -t 0.1 --repeat 3 tcp_lat
    expect [ "$(grep -c '^tcp_lat:$' client.out)" = 3 ]
    expect grep -q '^tcp_lat: 3 runs$' client.out
    expect grep -q '^    latency_spread  *=' client.out
    # each test has the number that stands before it
    good_client "$(program qperf)" -n 1 --repeat 200 tcp_lat --repeat 2 tcp_lat
    expect [ "$(grep 'runs$' client.out)" = $'tcp_lat: 200 runs\ntcp_lat: 2 runs' ]
}

# The files of an interface in a folder of their own: nothing else counts there.
@test "qperf: --report_counters and --cpu_util: of the client's host, in text, CSV and JSON; of one place in CSV" {
    ours
    local folder=sysfs/class/net/lo/statistics
    mkdir -p "$folder"
    echo 5 >"$folder/tx_packets"
    echo 7 >"$folder/rx_errors"
    PERFTEST_SYSFS=$PWD/sysfs launch client "$(program qperf)" 127.0.0.1 -lp "$port" -t 3 --report_interval 0.25 --cpu_util \
        --report_counters statistics/tx_packets,rx_errors --out_json_file=run.json tcp_lat
    await client grep -q 'latency\[0\.0-' client.out
    echo 12 >"$folder/tx_packets"
    finish client
    expect_status client 0
    expect_output client '^    cpu_util +=  +[0-9.]+ %$'
    expect [ "$(grep . client.out | tail -n 2)" = $'\tstatistics/tx_packets=7\n\tstatistics/rx_errors=0' ]
    expect_schema run.json
    expect [ "$(query run.json '[.measurements[] | [.kind, .counters["statistics/tx_packets"]] | select(.[1] > 0)] | @json')" = '[["interval",7],["result",7]]' ]
    expect [ "$(query run.json '[.measurements[].cpu_util_percent | numbers] | length > 2')" = true ]
    export PERFTEST_SYSFS=$PWD/sysfs
    good_client "$(program qperf)" -t 0.2 --repeat 2 --report_counters 'tx_p*' --output_format=csv tcp_lat
    expect [ "$(head -n 1 client.out | grep -c ',statistics/tx_packets$')" = 1 ]
    expect [ "$(grep -c '^result,tcp_lat,.*,0$' client.out)" = 2 ]
    expect [ "$(grep -c '^spread,tcp_lat,.*,$' client.out)" = 1 ]
    run_alone qperf 127.0.0.1 -lp "$port" -t 0.2 --report_counters none tcp_lat
    expect_status alone 1
    expect_error alone 'counter none: the device has no counter of that name; take all, a pattern, or one of statistics/rx_errors statistics/tx_packets$'
    run_alone qperf 127.0.0.1 -lp "$port" -t 0.2 --report_counters all --output_format=csv tcp_lat rc_lat
    expect_status alone 1
    expect_error alone '--report_counters: the CSV has the columns of lo, and this test is one of soft0:1: run it by itself'
}

@test "qperf: a document has both sides' build, system and adapter, and the number that the server received" {
    ours --debug
    good_client "$(program qperf)" -t 0.1 --output_format json -rca 0 tcp_lat conf rc_lat --repeat 2 udp_lat
    expect_schema client.out
    # shellcheck disable=SC2016 # variables of jq
    expect jq -e '.tool.build as $build | .host as $host | (.measurements | map(select(.kind == "conf"))[0].remote) as $conf |
        def said: .peer.build == $build and (.peer.system | del(.cpus)) == ($host | del(.cpus)) and .peer.system.cpus == "0" and
            .peer.host == $conf.node and .peer.system.name == $conf.node and .peer.version == ($conf.qperf | capture("perftest (?<v>[0-9.]+)").v) and
            (.peer.system.kernel as $kernel | $conf.os | contains($kernel)) and (.peer.address | endswith(":'"$port"'"));
        [.measurements[] | select(.kind != "conf")] as $all |
        ($all | map(said) | all) and ($all | map(.kind) == ["result", "result", "result", "result", "spread"]) and
        ([$all[] | select(.test != "rc_lat") | .device, .peer.device] | all(. == null)) and
        ($all[1] | .device.name == "soft0" and .device.memory.kind == "host" and .device == .peer.device)' client.out
    expect grep -q "rc_lat of run $(query client.out '.run_id')\$" server.err
    cp client.out before.json
    expect grep -qF "| before | complete | $(hostname) | $(hostname) |" <("$(program perftest)" report --output_format markdown before.json)
    expect grep -q "perftest_latency_seconds{.*peer=\"$(hostname)\",device=\"soft0\".*test=\"rc_lat\"" <("$(program perftest)" metrics before.json)
    jq '.measurements[0].peer.system.cpu_model = "another"' before.json >after.json
    expect grep -q 'peer\.system\.cpu_model: .*another' <("$(program perftest)" compare before.json after.json)
    quits server
}

# Datagrams get lost, and what is measured ends with the last one that came, before intervals that are over by then.
@test "qperf: no interval begins behind the end of the test" {
    ours
    good_client "$(program qperf)" --report_interval 0.1 -f1 -n 20000 -sb 4096 -m 1000 udp_bw
    expect [ "$(grep -c '^    recv_bw\[' client.out)" -gt 0 ]
    expect [ -z "$(grep -oE '\[[0-9.]+-[0-9.]+\]' client.out | tr -d '[]' | awk -F- '!($2 >= $1 && $2 < 100)')" ]
}

# The kernel's count of connections is the second method.
passive_opens() {
    awk '/^Tcp:/ { for (i = 1; i <= NF; i++) if ($i == "PassiveOpens") column = i; count = $column } END { print count }' /proc/net/snmp
}

@test "qperf: tcp_crr: each request has a connection of its own, and its latency is the whole of it" {
    local before
    ours
    before=$(passive_opens)
    good_client "$(program qperf)" -n 300 --output_format json tcp_crr
    expect holds "$(passive_opens) - $before >= 300"
    expect_schema client.out
    expect [ "$(query client.out '.measurements[0] | [.local.received_messages, .remote.sent_messages, .latency_distribution.count] | tojson')" = "[300,300,300]" ]
    expect holds "$(query client.out '.measurements[0] | .latency_usec / .latency_distribution.mean_usec') > 0.9"
    expect holds "$(query client.out '.measurements[0] | .latency_usec * 300e-6 / .local.elapsed_seconds | round') == 1"
    good_client "$(program qperf)" -n 3 -m 9M tcp_crr
    good_client "$(program qperf)" -t 0.3 --report_interval 0.1 tcp_crr
    client "$(program qperf)" -f1 tcp_crr
    expect_status client 2
    expect_error client "tcp_crr can't have a server that asks"
}

@test "qperf: tcp_crr: a server that dies, and one of qperf 0.4.11" {
    ours
    launch client "$(program qperf)" 127.0.0.1 -lp "$port" -t 30 --report_interval 0.1 tcp_crr
    await client grep -q 'latency\[' client.out
    kill_hard "$(pgrep -P "${pids[server]}")"
    finish client
    expect_status client 1
    expect [ "$(grep -c error client.err)" = 1 ]
    need_classic
    another_port
    serve old "$classic"
    client "$(program qperf)" tcp_crr
    expect_status client 1
    expect_error client 'the server is qperf 0.4.11, which does not know this test'
}

@test "qperf: JSON and CSV" {
    ours
    good_client "$(program qperf)" -t 0.2 --output_format json --repeat 2 --report_interval 0.1 tcp_bw tcp_lat udp_bw conf
    expect_schema client.out
    expect [ "$(query client.out '[.measurements[] | select(.kind == "result") | .test] | join(" ")')" = "tcp_bw tcp_bw tcp_lat tcp_lat udp_bw udp_bw" ]
    expect [ "$(query client.out '.measurements[] | select(.kind == "result" and .test == "tcp_lat") | .local_parameters.time' | sort -u)" = 0.2 ]
    good_client "$(program qperf)" -t 0.2 --output_format jsonl --out_json_file run.json --label rack=7 --label note=x tcp_lat
    expect [ "$(query run.json '.labels | [.rack, .note] | join(" ")')" = "7 x" ]
    expect_schema run.json
    same_as_lines run.json client.out
    good_client "$(program qperf)" -t 0.2 --output_format openmetrics tcp_lat
    expect grep -qE '^perftest_latency_seconds\{program="qperf",.*test="tcp_lat",size_bytes="1"\} [0-9.e-]+$' client.out
    good_client "$(program qperf)" -t 0.2 --output_format csv tcp_lat udp_bw
    expect [ "$(wc -l <client.out)" = 3 ]
    expect [ "$(awk -F, '{ print NF }' client.out | sort -u | wc -l)" = 1 ]
}

# The server's is the same kernel here; the client does not ask for what it can't do itself.
# The figures of the runs are the second method, and jq's arithmetic.
@test "qperf: --repeat: runs have a mean and an interval, in every format" {
    ours
    good_client "$(program qperf)" -t 0.1 -n 200 --repeat 6 --out_json_file run.json tcp_lat -m 64K tcp_bw rc_fetch_add_mr
    expect_schema run.json
    expect [ "$(grep -c '^    \(latency\|bw\|msg_rate\)_\(mean\|ci95_low\|ci95_high\)  *=' client.out)" = 9 ]
    # shellcheck disable=SC2016 # variables of jq
    expect jq -e '.measurements as $all | def near($a; $b; $of): ($a - $b | fabs) <= 1e-9 * $of;
        [{test: "tcp_lat", result: "latency_usec", key: "latency_average", unit: "_usec", scale: 1},
         {test: "tcp_bw", result: "receive_bandwidth_bytes_per_second", key: "bandwidth_average", unit: "_bytes_per_second", scale: 1},
         {test: "rc_fetch_add_mr", result: "message_rate_per_second", key: "message_rate", unit: "_per_second", scale: 1}] |
        all(. as $of | [$all[] | select(.kind == "result" and .test == $of.test)[$of.result] * $of.scale] as $runs |
            ($runs | add / length) as $mean |
            (2.5705818 * ($runs | map(. - $mean | . * .) | add / 5 / 6 | sqrt)) as $half |
            ($all[] | select(.kind == "spread" and .test == $of.test)) | .repeats == 6 and .partial == false and
            (.[$of.key + "_of_each" + $of.unit] | length == 6) and
            ([.[$of.key + "_of_each" + $of.unit], $runs] | transpose | all(near(.[0]; .[1]; $mean))) and
            near(.[$of.key + $of.unit]; $mean; $mean) and
            near(.[$of.key + "_ci95_high" + $of.unit]; $mean + $half; $mean) and
            near(.[$of.key + "_ci95_low" + $of.unit]; [$mean - $half, 0] | max; $mean))' run.json
    expect [ "$(query run.json '[.measurements[] | select(.test == "tcp_lat" and (.kind == "result" or .kind == "spread"))] |
        (map(select(.kind == "result").latency_distribution.count) | add) == .[-1].latency_distribution.count')" = true ]
    # what the commands of perftest make of it: one row for all runs, with the percentiles of all
    run_alone perftest metrics run.json
    expect [ "$(grep -c '^perftest_latency_average_seconds{.*test="tcp_lat"' alone.out)" = 1 ]
    expect [ "$(grep -cE '^perftest_(latency|receive_bandwidth_bytes_per)_seconds?\{' alone.out)" = 0 ]
    run_alone perftest compare run.json run.json
    expect [ "$(grep -cE '^ tcp_lat +latency, (average|median) ' alone.out)" = 2 ]
    good_client "$(program qperf)" -t 0.1 --output_format csv --repeat 2 --steady tcp_crr udp_bw
    expect [ "$(cut -d, -f1,2 client.out | tail -n +2 | paste -sd' ')" = \
        "result,tcp_crr result,tcp_crr spread,tcp_crr result,udp_bw result,udp_bw spread,udp_bw" ]
    expect [ "$(awk -F, '{ print NF }' client.out | sort -u | wc -l)" = 1 ]
    expect [ "$(awk -F, '{ print $NF }' client.out | paste -sd' ')" = "until_reached      " ] # no goal
    # what there is of a run alone is in no other row
    expect [ "$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "repeats") column = i; next } { print $column }' client.out | paste -sd' ')" = "  2   2" ]
}

@test "qperf: --until: ends when it is certain, or at its limits, with a warning" {
    ours
    good_client "$(program qperf)" -n 50 --until 50 --max_repeats 400 --steady --out_json_file run.json tcp_lat
    expect_schema run.json
    expect [ "$(query run.json '.measurements[-1] | .until_reached and .repeats >= 10')" = true ]
    expect [ "$(query run.json '.measurements[-1] | .repeats + .repeats_left_out')" = "$(query run.json '[.measurements[] | select(.kind == "result")] | length')" ]
    expect grep -q '^    reached .*=  yes$' client.out
    expect [ ! -s client.err ]
    good_client "$(program qperf)" -n 20 --until 0.001 --max_repeats 10 tcp_lat
    expect [ "$(grep -c '^tcp_lat:$' client.out)" = 10 ]
    expect grep -q '^    reached .*=  no$' client.out
    expect grep -q 'warning: tcp_lat: after 10 measurements the 95 % confidence interval is within .* %, not 0.001: raise' client.err
    good_client "$(program qperf)" -t 1.1 --until 0.001 --max_time 1 tcp_lat
    expect grep -q 'warning: tcp_lat: after 1 measurement no confidence interval is known' client.err
}

@test "qperf: --until with a server of 0.4.11" {
    need_classic
    serve old "$classic"
    good_client "$(program qperf)" -t 1 --repeat 2 tcp_lat
    expect grep -q '^    latency_ci95_high  *=' client.out
}

two_runs() {
    [ "$(grep -c '^    latency  =' client.out)" -ge 2 ]
}

two_results() {
    [ "$(grep -c '^result,' client.out)" -ge 2 ]
}

@test "qperf: what is complete of several runs is summed up when the server dies, or its user stops it" {
    ours
    launch client "$(program qperf)" 127.0.0.1 -lp "$port" -ws 0 -t 1 --repeat 30 --out_json_file run.json tcp_lat
    await client two_runs
    kill_hard "${pids[server]}"
    finish client
    wait "${pids[server]}" || true
    unset "pids[server]"
    expect_status client 1
    expect_schema run.json
    expect [ "$(query run.json '.measurements[-1] | .kind == "spread" and .partial and .repeats >= 2 and (.latency_average_of_each_usec | length) == .repeats')" = true ]
    expect grep -q '^    partial .*=  a run was cut short$' client.out
    another_port
    ours
    launch client "$(program qperf)" 127.0.0.1 -lp "$port" -t 1 --until 0.001 --output_format csv --out_json_file run.json tcp_lat
    await client two_results
    kill -INT "${pids[client]}"
    finish client
    expect_status client 130
    expect [ "$(query run.json '.measurements[-1] | .kind == "spread" and .partial and .repeats >= 2')" = true ]
    expect grep -q '^partial_spread,tcp_lat,.*,false$' client.out
    expect [ "$(grep -c 'warning: .* after' client.err)" = 0 ] # of nothing that more runs would mend
}

@test "qperf: --limit_intervals and --timestamps: each interval is judged, and has its time" {
    local rows
    ours
    client "$(program qperf)" -t 1 --report_interval 0.25 --limit_intervals --limit_bw 99999G --timestamps --out_json_file run.json tcp_bw
    expect_status client 3
    expect_schema run.json
    rows=$(query run.json '[.measurements[] | select(.kind == "interval")] | length')
    expect grep -qE '^qperf: error: tcp_bw: the bandwidth is below the limit: .* from 0.0 to [0-9.]+ s$' client.err
    expect [ "$(grep -A 1 error: client.err | wc -L)" -le 100 ]
    expect grep -qE "^qperf: error: tcp_bw: [1-$rows] of [1-$rows] intervals miss a limit, the worst --limit_bw \\(.*\\) by .* %$" client.err
    expect grep -qE '^    .* from [0-9.]+ to [0-9.]+ s$' client.err
    expect [ "$(query run.json '.missed_limits | length')" = 2 ]
    expect [ "$(query run.json '[.measurements[].time | select(. == null)] | length')" = 0 ]
    expect [ "$(grep -cE '^    time +=  [0-9-]+T[0-9:.]+Z$' client.out)" = $((rows + 1)) ]
    good_client "$(program qperf)" -t 0.5 --report_interval 0.25 --limit_intervals --limit_bw 1 --output_format csv tcp_bw
    expect [ ! -s client.err ]
    expect [ "$(head -n 1 client.out | grep -c ',time$')" = 0 ]
    good_client "$(program qperf)" -t 0.5 --report_interval 0.25 --timestamps --output_format csv tcp_lat
    expect [ "$(awk -F, '{ print $NF }' client.out | grep -cvE '^(time|[0-9-]+T[0-9:.]+Z)$')" = 0 ]
    good_client "$(program qperf)" -t 0.1 --report_interval 600 --out_json_file run.json tcp_bw # much shorter: no rate
    expect_schema run.json
    expect [ "$(query run.json '.measurements[0] | [.kind, .bandwidth_bytes_per_second, .possible.percent] | tostring')" = '["interval",null,null]' ]
    expect_output client '^    bw\[0.0-0.1\] += +nan '
    good_client "$(program qperf)" -n 10 --report_interval 600 --limit_intervals --limit_bw 1 tcp_bw tcp_lat
    expect [ "$(cat client.err)" = "qperf: warning: tcp_bw: --limit_intervals: this side has printed no row of a whole interval to compare" ]
    client "$(program qperf)" --limit_intervals --limit_bw 1 tcp_bw
    expect_status client 2
    expect_error client 'give both as well'
}

@test "qperf: limits are judged, on the mean of several runs, and status 3 says so" {
    local words limit
    ours
    good_client "$(program qperf)" -t 0.1 --limit_bw 1 --limit_msgrate 1 --max_lat 1e9 --max_p99 1e9 --max_percentiles 50:1e9 tcp_bw tcp_lat
    expect [ ! -s client.err ]
    for words in "--limit_bw 100G tcp_bw|below limit|tcp_bw: the bandwidth is below the limit: .*|the limit (--limit_bw) is 100 GB/sec, missed by" \
        "--limit_msgrate 1g --repeat 2 tcp_bw|below limit|tcp_bw: the message rate is below the limit: .*|the limit (--limit_msgrate) is 1 G/sec, missed by" \
        "--max_lat 0.001 tcp_lat|above limit|tcp_lat: the max is above the limit: .* usec|the limit (--max_lat) is 0.001 usec, missed by a factor of" \
        "--max_percentiles 50:0.1 --repeat 2 --steady tcp_lat|above limit|the 50% percentile is above the limit|the limit (--max_percentiles 50:0.1)" \
        "-n 10 --max_p99 1e9 tcp_lat|above limit|tcp_lat: too few samples for the 99% percentile that is limited|raise -n or -t"; do
        IFS='|' read -r words status reason limit <<<"$words"
        # shellcheck disable=SC2086 # words
        client "$(program qperf)" -t 0.1 --out_json_file run.json $words
        expect_status client 3
        expect_error client "$reason"
        expect grep -qF "$limit" client.err
        expect [ "$(grep -A 1 error: client.err | wc -L)" -le 100 ]
        expect_schema run.json
        expect [ "$(query run.json .status)" = "$status" ]
        expect [ "$(query run.json '[.reason] == .missed_limits')" = true ]
    done
    client "$(program qperf)" -t 0.1 --limit_bw 100G tcp_bw nosuch
    expect_status client 2
}

# The other side is in a network of its own; the veth pair between both says 10 Gb/s, and has an adapter if sysfs says so.
@test "qperf: TCP and UDP are compared with what their interface's link can carry" {
    ((EUID == 0)) || skip "a veth pair takes root"
    unshare -n true 2>/dev/null || skip "no network namespace is allowed here"
    launch_network near
    launch_network far
    local near=(nsenter -n -t "${pids[near]}") far=(nsenter -n -t "${pids[far]}")
    "${near[@]}" ip link add veth0 up type veth peer name veth1 netns "${pids[far]}" 2>/dev/null || skip "no veth pair can be made here"
    "${near[@]}" ip address add 192.0.2.1/24 dev veth0 label veth0:alias
    "${far[@]}" ip address add 192.0.2.2/24 dev veth1
    "${far[@]}" ip link set veth1 up
    mkdir -p sys/class/net/veth0/device
    echo 10000 >sys/class/net/veth0/speed
    echo 1500 >sys/class/net/veth0/mtu
    launch server "${far[@]}" "$(program qperf)" -lp "$port"
    launch client "${near[@]}" env PERFTEST_SYSFS="$PWD/sys" "$(program qperf)" 192.0.2.2 -lp "$port" --wait_server 10 -t 0.2 --report_possible \
        --report_interval 0.1 --limit_bw 0.0001% --out_json_file run.json tcp_bw -m 1473 udp_bw
    finish client
    expect_status client 0
    expect_schema run.json
    # segments of 1448 bytes with timestamps, in 1538; a datagram of 1473 in two fragments
    expect [ "$(query run.json '[.measurements[] | [.test, .kind, (.possible.link_bytes_per_second * 8 / 1e6 | round)]] | unique | tojson')" = \
        '[["tcp_bw","interval",9415],["tcp_bw","result",9415],["udp_bw","interval",9081],["udp_bw","result",9081]]' ]
    expect [ "$(grep -cE '^    possible +=  [0-9.]+ % of 9\.[14] Gb/s, the payload limit of MTU 1500 over a link of 10 Gb/s$' client.out)" = 2 ]
    rmdir sys/class/net/veth0/device
    launch client "${near[@]}" env PERFTEST_SYSFS="$PWD/sys" "$(program qperf)" 192.0.2.2 -lp "$port" --limit_bw 90% tcp_bw
    finish client
    expect_status client 1
    expect [ "$(<client.err)" = "qperf: error: --limit_bw 90% compares with what is possible, which is unknown on veth0: the rate of the link is not known; give a limit without %" ]
}

@test "qperf: on one host TCP and UDP have no link, and no share of the possible" {
    ours
    good_client "$(program qperf)" -t 0.1 --report_possible --out_json_file run.json tcp_bw udp_bw tcp_lat
    expect_schema run.json
    expect [ "$(query run.json '[.measurements[] | select(has("possible")) | .possible] | tojson')" = '[null,null]' ]
    expect [ "$(grep -c '^    possible  =  no share of what is possible: both sides are on this host, and use no link$' client.out)" = 2 ]
    client "$(program qperf)" --limit_bw 90% tcp_bw
    expect_status client 1
    expect_error client 'which is unknown on lo: both sides are on this host'
    quits server
}

@test "qperf: RDS, or one line that says that this kernel has none" {
    ours
    client "$(program qperf)" -t 0.1 rds_bw
    [[ $client_status != 0 ]] || skip "this kernel has RDS"
    expect [ "$(cat client.err)" = "qperf: error: unable to make RDS socket: this kernel has no RDS" ]
    quits server
    expect [ ! -s server.err ]
}

# Sockets of UDP in their place, which is enough to see both sides meet: 0.4.11 tells its port before it listens there.
@test "qperf: RDS with qperf 0.4.11, where the kernel has none" {
    need_classic
    ${CC:-cc} -shared -fPIC -O1 -o rds.so "$BATS_TEST_DIRNAME/rds_stand_in.c" -ldl
    stand_in=(env LD_PRELOAD="$PWD/rds.so" ASAN_OPTIONS="verify_asan_link_order=0:${ASAN_OPTIONS-}")
    launch server "${stand_in[@]}" RDS_LATE_MS=200 "$classic" -lp "$port"
    await server listening server
    launch client "${stand_in[@]}" "$(program qperf)" 127.0.0.1 -lp "$port" -t 1 -uu rds_lat
    finish client
    expect_status client 0
    expect holds "$(value latency) > 100"
    quits server
    another_port
    launch server "${stand_in[@]}" "$(program qperf)" -lp "$port"
    await server listening server
    launch client "${stand_in[@]}" "$classic" 127.0.0.1 -lp "$port" -t 1 -uu rds_lat
    finish client
    expect_status client 0
    expect holds "$(value latency) > 100"
    quits server
}

@test "qperf: what makes no sense is one line, and nothing runs" {
    local words
    ours
    for words in "-m 65508 udp_bw" "-m 65508 udp_lat" "-oo m:1:4:*1 tcp_lat" "nosuch" "-t 1x tcp_lat" "tcp_lat -t" \
        "--send batch tcp_bw" "--receive trunc udp_bw" "--congestion reno udp_lat" "--congestion nosuch tcp_lat"; do
        # shellcheck disable=SC2086 # words
        client "$(program qperf)" -t 0.1 $words
        expect [ "$client_status" != 0 ]
        expect_error client .
        refuse_output client =
    done
    client "$(program qperf)" -t 0.1 tcp_bw -m 65508 udp_bw
    expect_status client 2
    expect [ ! -s client.out ]
    client "$(program qperf)" -t 0.1 -m 64G tcp_bw
    expect_status client 1
    expect grep -q 'tcp_bw failed: no message arrived completely' client.err
    client "$(program qperf)" -t 0.1 -m 8 -nr 4 -cp1 tcp_lat
    expect_status client 0
    expect grep -q 'warning: -nr set but not used in test tcp_lat' client.err
    expect grep -q 'warning: -cp1 set but not used in test tcp_lat' client.err
    quits server
}

@test "qperf: a server that is careful" {
    ours --no_quit --max_time 1 --bind 127.0.0.1
    client "$(program qperf)" quit
    expect_status client 1
    expect_error client "the server .* ended the test: this server does not quit"
    client "$(program qperf)" -t 2 tcp_lat
    expect_error client "would run for longer than this server allows \(--max_time\): give -t 1 or less$"
    client "$(program qperf)" -n 100 tcp_lat
    expect_error client "could run for longer than this server allows \(--max_time\): give -t 1 or less, beside -n$"
    good_client "$(program qperf)" -n 100 -t 1 tcp_lat
    good_client "$(program qperf)" -t 0.2 tcp_lat
    kill -TERM "${pids[server]}"
    finish server
    expect_status server 0
    another_port
    ours
    kill -QUIT "${pids[server]}"
    finish server
    expect_status server 0
    another_port
    serve other "$(program qperf)" --allow 192.0.2.0/24
    client "$(program qperf)" -ws 0 conf
    expect_status client 1
    expect_error client 'may this host come in \(its --allow\)\?$'
    await other said other 'qperf: 127.0.0.1.* is not allowed to come in \(--allow\)'
}

@test "qperf: IPv6, and a port for the data" {
    ours
    launch client "$(program qperf)" ::1 -lp "$port" -t 0.2 tcp_lat udp_lat
    finish client
    expect_status client 0
    # An address that is not the one that this host takes by itself: answers come from there, too.
    launch client "$(program qperf)" 127.0.0.2 -lp "$port" -n 100 -vd -uu udp_lat
    finish client
    expect_status client 0
    expect [ "$(value lost)" = 0 ]
    good_client "$(program qperf)" -t 0.2 -ip $((port + 1)) -vu tcp_lat
    expect [ "$(awk '$1 == "port" { gsub(",", ""); print $3 }' client.out)" = $((port + 1)) ]
}

@test "qperf: help by category, from the tables" {
    local category
    for category in main categories examples options opts tests $("$(program qperf)" --help categories | awk '/tests:/ { t = 1; next } t { print $1 }'); do
        run_alone qperf --help "$category"
        expect [ "$status" = 0 ]
        expect [ -n "$output" ]
        expect [ "$(awk 'length > 80' alone.out | wc -l)" = 0 ]
    done
    for category in msg_size -m --rem_timeout spin; do
        run_alone qperf --help "$category"
        expect [ "$status" = 0 ]
        expect grep -q '^--[a-z_]* ' alone.out
    done
    run_alone qperf --help nosuch
    expect [ "$status" = 2 ]
    run_alone qperf -V
    expect [ "${output%% (*}" = "qperf 0.4.11" ]
}

@test "qperf: nobody there" {
    launch client "$(program qperf)" 127.0.0.1 -lp "$port" -ws 0.2 tcp_lat
    finish client
    expect_status client 1
    expect_error client "no server listens on 127.0.0.1 port $port: "
    launch client "$(program qperf)" "[::1]:$port" -ws 0.2 conf
    finish client
    expect_status client 1
    expect_error client "no server listens on ::1 port .*\(--wait_server, --listen_port\)"
    run_alone qperf fe80::1 tcp_bw
    expect_error alone "fe80::1 port 19765: a link-local address needs its interface"
    # To a full backlog, too, SYNs get no answer.
    launch full python3 -c 'import signal, socket, sys
listener = socket.create_server(("127.0.0.1", int(sys.argv[1])), backlog=0)
for each in [socket.socket() for i in range(4)]:
    each.setblocking(False), each.connect_ex(listener.getsockname()), sys.argv.append(each)
print("full", flush=True)
signal.pause()' "$port"
    await full said full full
    launch client "$(program qperf)" 127.0.0.1 -lp "$port" -to 0.5 -ws 0 tcp_lat
    finish client
    expect_status client 1
    expect_error client 'no answer from 127.0.0.1 port .* within 0.5 s: is the host up, does a firewall block the port'
    kill_now "${pids[full]}"
}

@test "qperf: another program listens there" {
    local test
    for test in tcp_lat conf; do
        start_server "$PERFTEST_TOP/tests/cli/tcp_peer" rubbish
        launch client "$(program qperf)" 127.0.0.1 -lp "$port" "$test"
        finish client
        expect_status client 1
        expect_error client 'not qperf \(--listen_port\)'
        finish server
    done
}

# Without a descriptor for its files the resolver says that there is no such name.
@test "qperf: no descriptor is left to reach the server" {
    local host
    for host in localhost 127.0.0.1; do
        launch client bash -c 'ulimit -n 4; exec "$@"' - "$(program qperf)" "$host" -lp "$port" --out_json_file run.json conf
        finish client
        expect_status client 1
        expect [ "$(wc -l <client.err)" = 1 ]
        expect_error client '[Tt]oo many open files; see ulimit -n'
    done
}

# Before a test of an hour has run for nobody.
@test "qperf: a stdout that takes nothing ends the tests" {
    local form where
    ours
    for form in text json jsonl csv; do
        for where in '/dev/full' '&-'; do
            launch client bash -c "exec '$(program qperf)' 127.0.0.1 -lp $port -t 0.1 --output_format $form tcp_lat -t 0 tcp_lat >$where"
            finish client
            expect_status client 1
            expect_error client 'cannot write the results to stdout: (No space left on device|Bad file descriptor)'
            # on a busy host a warning of the measurement may stand beside it
            expect [ "$(grep -c 'error:' client.err)" = 1 ]
        done
    done
    quits server
}

# Each interval, and not only the next test, finds that nobody reads any more; the server has nothing left to do, either.
@test "qperf: a reader of stdout that leaves ends a test without end" {
    local form test
    ours
    for form in text json jsonl csv; do
        for test in tcp_bw rc_bi_bw rc_rdma_read_lat; do
            launch client bash -c "'$(program qperf)' 127.0.0.1 -lp $port -t 0 --report_interval 0.1 --output_format $form $test | head -c 40; exit \"\${PIPESTATUS[0]}\""
            finish client
            expect_status client 1
            expect_error client 'cannot write the results to stdout: Broken pipe'
        done
    done
    quits server
}

@test "qperf: a daemon" {
    launch server "$(program qperf)" --daemon -lp "$port"
    finish server
    expect_status server 0
    good_client "$(program qperf)" -n 10 tcp_lat
    good_client "$(program qperf)" quit
}

# Nothing gets lost over what is reliable: a row of it would say something that is not so. By number: on a busy host a short time may
# pass without a message.
@test "qperf: lost stands where messages can get lost" {
    local test
    ours
    for test in udp_lat udp_bw ud_lat; do
        good_client "$(program qperf)" -n 100 -vd --out_json_file run.json "$test"
        expect grep -qE '^    lost +=' client.out
        expect [ "$(query run.json '.measurements[0] | has("lost")')" = true ]
    done
    for test in tcp_lat rc_lat rc_rdma_read_lat tcp_bw rc_bw; do
        good_client "$(program qperf)" -n 100 -vd --out_json_file run.json "$test"
        refuse_output client 'lost'
        expect [ "$(query run.json '.measurements[0] | has("lost")')" = false ]
        expect_quiet client
        expect [ "$(query run.json '.measurements[0].open_exchange_seconds == null')" = true ]
    done
    quits server
}

# Two that spin on one CPU: at each moment one of them at least is without it.
@test "qperf: the time without a CPU is reported" {
    ours
    good_client "$(program qperf)" -t 0.3 --spin 1 -ca 0 -uu -vd tcp_lat
    expect holds "$(value loc_run_delay) + $(value rem_run_delay) > 250000000"
    quits server
}

# A reading that is earlier than the one before makes no sample, and nothing late.
@test "a clock that goes back now and then is in no latency" {
    local test
    ${CC:-cc} -shared -fPIC -O1 -o clock.so "$BATS_TEST_DIRNAME/stepped_clock.c" -ldl
    ours
    for test in tcp_lat ud_lat; do
        # one reading in a hundred is that by which the client judges the server's time
        for _ in 1 2 3; do
            launch client env PERFTEST_CLOCK=gettime LD_PRELOAD="$PWD/clock.so" \
                ASAN_OPTIONS="verify_asan_link_order=0:${ASAN_OPTIONS-}" \
                "$(program qperf)" 127.0.0.1 -lp "$port" -t 0.5 --output_format json "$test"
            finish client
            grep -q 'its time is longer than the test has lasted' client.err || break
        done
        expect_status client 0
        expect [ "$(jq '[.. | .max_usec? | numbers] | length > 0 and max < 1e9' client.out)" = true ]
        expect jq -e '.measurements[0] | .local.clock_fallback' client.out
    done
}
