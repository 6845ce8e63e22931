#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# qperf over sockets: between two of ours, and with qperf 0.4.11 (Debian's package) in either role.
# bats file_tags=slow

load helpers

classic=/usr/bin/qperf

need_classic() {
    [[ -x $classic && $("$classic" -V) == "qperf 0.4.11" ]] || skip "qperf 0.4.11 is not installed"
}

# A server that listens when this returns.
serve() { # NAME PATH [OPTIONS]
    launch "$1" "$2" -lp "$port" "${@:3}"
    await "$1" listening "$1"
}

ours() { # [OPTIONS]
    serve server "$(program qperf)" "$@"
}

# For a second server: the first one's may still be held.
another_port() {
    read -r first_port last_port <<<"${PERFTEST_TEST_PORTS:-20000 31999}"
    port=$(pick_port "$first_port" "$last_port")
}

# A client, to its end.
client() { # PATH WORDS...
    launch client "$1" 127.0.0.1 -lp "$port" "${@:2}"
    finish client
}

good_client() { # PATH WORDS...
    client "$@"
    expect_status client 0
}

# A value of a row, as -uu prints it: the first one of that name.
value() { # NAME
    awk -v name="$1" '$1 == name { print $3; exit }' client.out
}

quits() { # NAME
    local status
    good_client "$(program qperf)" quit
    finish "$1"
    status=${1}_status
    expect [ "${!status}" = 0 ]
}

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
    expect [ ! -s client.err ]
}

# Two lines of one number: equal rows of both programs, figures apart.
@test "qperf: the rows are those of 0.4.11" {
    local test
    need_classic
    ours
    for test in tcp_bw tcp_lat udp_bw udp_lat; do
        good_client "$classic" -t 1 -vv -uu "$test"
        sed -E 's/=.*[0-9] ?/= /' client.out | grep -vE 'iowait|errors' >theirs
        good_client "$(program qperf)" -t 1 -vv -uu "$test"
        sed -E 's/=.*[0-9] ?/= /' client.out | grep -vE 'iowait|errors' >own
        expect diff theirs own
    done
}

@test "qperf: a client of 0.4.11" {
    need_classic
    ours
    good_client "$classic" -t 1 -uu tcp_bw tcp_lat udp_bw udp_lat conf
    expect holds "$(value bw) > 1000000 && $(value latency) > 100 && $(value recv_bw) > 1000000"
    expect_output client '^    rem_qperf  =  0\.4\.11 \(perftest'
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
    good_client "$(program qperf)" -t 1 -uu -vvs tcp_bw tcp_lat udp_bw udp_lat conf
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
        launch "client$n" "$(program qperf)" 127.0.0.1 -lp "$port" -to 1 -t 2 tcp_lat udp_bw
    done
    for n in 1 2 3 4; do
        finish "client$n"
        expect_status "client$n" 0
    done
    quits server
}

@test "qperf: more clients than the server takes are told so" {
    ours --max_clients 1
    launch first "$(program qperf)" 127.0.0.1 -lp "$port" -t 0 tcp_lat
    await first grep -q . first.out
    until [[ $(pgrep -cP "${pids[server]}") == 1 ]]; do sleep 0.01; done
    client "$(program qperf)" -t 1 tcp_lat
    expect_status client 1
    expect_error client "server: the server is busy .*--max_clients"
    kill -INT "${pids[first]}"
    finish first
    expect_status first 130
    expect grep -q '^    partial  *=  stopped by its user$' first.out
}

# At every step of a test, and in the middle of an endless one.
@test "qperf: clients that vanish" {
    ours -lto 1
    python3 - "$port" <<'PYTHON'
import socket, struct, sys
port = int(sys.argv[1])
def request(test, mark=11, seconds=0):
    return struct.pack("<4H16I128x", 0, 4, mark, test, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, seconds, 5, 0)
def opened():
    return socket.create_connection(("127.0.0.1", port), timeout=20)
held = [opened() for _ in range(200)]                # idle ones
for length in (1, 6, 8, 199):                        # cut requests
    opened().sendall(request(9)[:length])
for test in range(40):                               # each test, and what is none
    peer = opened()
    peer.sendall(request(test))
    peer.close()
for test in (8, 9, 10, 11):
    peer = opened()
    peer.sendall(request(test))
    peer.recv(4)                                     # the port, and then nothing
    peer.close()
peer = opened()
peer.sendall(request(11))
data = struct.unpack("<I", peer.recv(4))[0]
peer.sendall(b"synchronization before test")
peer.recv(27)                                        # an endless udp_lat whose client is gone
peer.close()
peer = opened()
peer.sendall(request(9, 0x7071) + b"\xff" * 64)      # ours, and then rubbish
peer.recv(8)
peer.close()
peer = opened()
peer.sendall(request(1) + b"\xff" * 27)              # quit, and rubbish where the word to begin should be
while peer.recv(4096):
    pass
peer = opened()
peer.sendall(struct.pack("<4H192x", 0, 3, 0, 9))     # another version
answer = b""
while chunk := peer.recv(4096):
    answer += chunk
assert b"version 0.4" in answer, answer
PYTHON
    good_client "$(program qperf)" -t 0.2 tcp_lat udp_lat
    until [[ $(pgrep -cP "${pids[server]}") == 0 ]]; do sleep 0.01; done
    refuse_output server .
    expect [ -z "$(tr -d '\n[:print:]' <server.err)" ]
    expect [ -s server.err ]
    expect [ -z "$(grep -v '^qperf: error: 127\.0\.0\.1: ' server.err)" ]
    quits server
}

@test "qperf: what bad clients make a server say is bounded" {
    ours
    python3 - "$port" <<'PYTHON'
import socket, struct, sys
for n in range(100):
    with socket.create_connection(("127.0.0.1", int(sys.argv[1])), timeout=20) as peer:
        peer.sendall(struct.pack("<4H16I128x", 0, 4, 11, 99, *[0] * 16))
        while peer.recv(4096):
            pass
PYTHON
    quits server
    expect holds "$(wc -l <server.err) >= 20 && $(wc -l <server.err) < 60"
}

@test "qperf: a client is stopped between its tests" {
    ours
    for _ in {1..5}; do
        launch client "$(program qperf)" 127.0.0.1 -lp "$port" -n 1 -oo msg_size:1:8K:1 tcp_lat
        await client grep -q latency client.out
        kill -INT "${pids[client]}"
        finish client
        expect_status client 130
    done
    quits server
}

@test "qperf: a lost datagram is counted, and stops nothing" {
    # A server of 0.4.11's protocol that does not answer the first five.
    cat >lossy.py <<'PYTHON'
import socket, struct, sys
listener = socket.create_server(("127.0.0.1", int(sys.argv[1])))
peer, _ = listener.accept()
peer.recv(200, socket.MSG_WAITALL)
data = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
data.bind(("127.0.0.1", 0))
peer.sendall(struct.pack("<I", data.getsockname()[1]))
peer.recv(27, socket.MSG_WAITALL)
peer.sendall(b"synchronization before test")
data.settimeout(1)
seen = 0
try:
    while True:
        message, who = data.recvfrom(64)
        seen += 1
        if seen > 5:
            data.sendto(message, who)
except TimeoutError:
    pass
peer.sendall(struct.pack("<3I18Q12QI", 2, 100, 0, *([0] * 9), 200, *([0] * 8), seen - 5, seen - 5, 0, seen, seen, 0, *([0] * 6), 0))
peer.recv(26, socket.MSG_WAITALL)
PYTHON
    launch server python3 lossy.py "$port"
    await server listening server
    client "$(program qperf)" -t 2 -vd -uu udp_lat
    expect_status client 0
    expect [ "$(value lost)" = 5 ]
    expect holds "$(value latency) < 50000000"
    expect grep -q 'warning: udp_lat: 5 messages got no answer' client.err
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

@test "qperf: loops, intervals, repeats" {
    ours
    good_client "$(program qperf)" -t 0.1 -oo msg_size:1:1K:*32 -vu tcp_lat
    expect [ "$(grep -c '^tcp_lat:$' client.out)" = 3 ]
    expect grep -qE '^    msg_size  = +1 KiB \(1,024\)$' client.out
    good_client "$(program qperf)" -oo time:0.1:0.2:0.1 -vu tcp_lat
    expect [ "$(awk '$1 == "time" { print $3, $4 }' client.out | tr '\n' ' ')" = "100 ms 200 ms " ]
    good_client "$(program qperf)" -t 1 --report_interval 0.4 tcp_bw
    expect [ "$(grep -c '^    bw\[' client.out)" = 3 ]
    expect grep -qE '^    bw\[0\.0-0\.[4-9]\]' client.out
    expect grep -qE '^    bw\[0\.[89]-1\.0\]' client.out
    good_client "$(program qperf)" -t 0.3 --report_interval 0.1 udp_bw
    expect grep -q '^    send_bw\[0\.0-' client.out
    refuse_output client 'recv_bw\['
    good_client "$(program qperf)" -t 0.3 --report_interval 0.1 -f1 udp_bw
    expect grep -q '^    recv_bw\[0\.0-' client.out
    good_client "$(program qperf)" -t 0.1 --repeat 3 tcp_lat
    expect [ "$(grep -c '^tcp_lat:$' client.out)" = 3 ]
    expect grep -q '^tcp_lat: 3 runs$' client.out
    expect grep -q '^    latency_spread  =' client.out
}

# Datagrams get lost, and what is measured ends with the last one that came, before intervals that are over by then.
@test "qperf: no interval begins behind the end of the test" {
    ours
    good_client "$(program qperf)" --report_interval 0.1 -f1 -n 20000 -sb 4096 -m 1000 udp_bw
    expect [ "$(grep -c '^    recv_bw\[' client.out)" -gt 0 ]
    expect [ -z "$(grep -oE '\[[0-9.]+-[0-9.]+\]' client.out | tr -d '[]' | awk -F- '!($2 >= $1 && $2 < 100)')" ]
}

@test "qperf: JSON and CSV" {
    ours
    good_client "$(program qperf)" -t 0.2 --output_format json --repeat 2 --report_interval 0.1 tcp_bw tcp_lat udp_bw conf
    expect_schema client.out
    expect [ "$(query client.out '[.measurements[] | select(.kind == "result") | .test] | join(" ")')" = "tcp_bw tcp_bw tcp_lat tcp_lat udp_bw udp_bw" ]
    expect [ "$(query client.out '.measurements[] | select(.kind == "result" and .test == "tcp_lat") | .local_parameters.time' | sort -u)" = 0.2 ]
    good_client "$(program qperf)" -t 0.2 --out_json_file run.json tcp_lat
    expect_schema run.json
    good_client "$(program qperf)" -t 0.2 --output_format csv tcp_lat udp_bw
    expect [ "$(wc -l <client.out)" = 3 ]
    expect [ "$(awk -F, '{ print NF }' client.out | sort -u | wc -l)" = 1 ]
}

# The server's is the same kernel here; the client does not ask for what it can't do itself.
@test "qperf: RDS, or one line that says that this kernel has none" {
    ours
    client "$(program qperf)" -t 0.1 rds_bw
    [[ $client_status != 0 ]] || skip "this kernel has RDS"
    expect [ "$(cat client.err)" = "qperf: error: unable to make RDS socket: this kernel has no RDS" ]
    quits server
    expect [ ! -s server.err ]
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
    expect_status client 0
    expect grep -q 'warning: tcp_bw: no message arrived whole' client.err
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
    expect_error client "server: this server does not quit"
    client "$(program qperf)" -t 2 tcp_lat
    expect_error client "longer than this server allows"
    good_client "$(program qperf)" -t 0.2 tcp_lat
    kill -TERM "${pids[server]}"
    finish server
    expect_status server 0
    another_port
    serve other "$(program qperf)" --allow 192.0.2.0/24
    client "$(program qperf)" -ws 0 conf
    expect_status client 1
}

@test "qperf: IPv6, and a port for the data" {
    ours
    launch client "$(program qperf)" ::1 -lp "$port" -t 0.2 tcp_lat udp_lat
    finish client
    expect_status client 0
    good_client "$(program qperf)" -t 0.2 -ip $((port + 1)) -vu tcp_lat
    expect [ "$(awk '$1 == "port" { gsub(",", ""); print $3 }' client.out)" = $((port + 1)) ]
}

@test "qperf: help by category, from the tables" {
    local category
    for category in main author bugs categories examples options opts tests $("$(program qperf)" --help categories | awk '/tests:/ { t = 1; next } t { print $1 }'); do
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
    expect_error client "failed to connect.*Connection refused"
    launch client "$(program qperf)" "[::1]:$port" conf
    finish client
    expect_status client 1
    expect_error client "--listen_port"
}

@test "qperf: a daemon" {
    launch server "$(program qperf)" --daemon -lp "$port"
    finish server
    expect_status server 0
    good_client "$(program qperf)" -t 0.1 tcp_lat
    good_client "$(program qperf)" quit
}

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

@test "qperf: RDMA by number, flipped, by rdma_cm" {
    local test
    ours
    # shellcheck disable=SC2046 # words
    good_client "$(program qperf)" -n 300 -cp1 -uu -un -vvs rc_bw rc_bi_bw rc_lat rc_rdma_read_bw rc_rdma_write_bw rc_fetch_add_mr ver_rc_fetch_add \
        xrc_bw xrc_bi_bw xrc_lat
    expect [ "$(grep -cE '^    (loc|rem)_recv_msgs += +300 $' client.out)" = 14 ]
    expect [ "$(grep -cE '^    loc_max_cqe += +[1-9][0-9]* $' client.out)" = 10 ]
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
    client "$(program qperf)" -t 0.1 -m 4097 ud_bw
    expect_error client "4097 bytes: must be 1 to 4096"
    client "$(program qperf)" -t 0.1 -cm1 uc_bw
    expect_error client "rdma_cm connects RC and UD"
    for words in "-sp 1 rc_bw" "-ap 1 rc_lat"; do
        # shellcheck disable=SC2086 # words
        client "$(program qperf)" -t 0.1 $words
        expect_status client 1
        expect_error client "port 1 of soft0 is Ethernet"
    done
    client "$(program qperf)" -t 0.1 -ap 1 ud_bw
    expect_error client "no connection that could move"
    client "$(program qperf)" -t 0.1 -i soft0 -sr 10 rc_bw
    expect_error client "soft0 does not limit the rate itself, .*--static_rate"
    client "$(program qperf)" -t 0.1 -m 7 ver_rc_fetch_add
    expect_error client "size below 8"
    good_client "$(program qperf)" -t 0.1 rc_lat
    quits server
    another_port
    serve other "$classic"
    client "$(program qperf)" -t 1 rc_bw
    expect_error client "0\.4\.11, which does not know RDMA tests with this one but those of RC, with -cm1"
    good_client "$(program qperf)" -t 1 tcp_lat
    quits other
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
        expect holds "$(awk '$1 ~ /bw$/ { print $3; exit }' client.out) <= $(value send_bytes) / 0.02"
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

# The outage is in the mean, and in the samples: half of it is the longest one.
@test "qperf: an outage that lasts to the end of a test is a sample" {
    local test child
    ours
    for test in tcp_lat rc_lat; do
        launch client "$(program qperf)" 127.0.0.1 -lp "$port" -t 2 -to 1 -uu -vd -vvs --report_interval 0.1 --out_json_file run.json "$test"
        await client grep -qE '\]  = +[0-9.]*[1-9]' client.out
        child=$(pgrep -P "${pids[server]}")
        kill -STOP "$child"
        finish client
        kill -CONT "$child"
        expect_status client 1
        expect grep -qE "warning: $test: an exchange was still open when .* was open for [0-9.]+ s and counts as a sample of at least that" client.err
        expect holds "$(value open_exchange) > 62500000 && ($(value open_exchange) - 2 * $(value max)) ^ 2 < 9"
        # shellcheck disable=SC2016 # variables of jq
        expect jq -e '.measurements[-1] | .open_exchange_seconds as $open | .latency_distribution.max_seconds * 2 - $open |
            . < 1e-6 and . > -1e-6' run.json
        expect_schema run.json
    done
    quits server
}

# Nothing gets lost over what is reliable: a row of it would say something that is not so.
@test "qperf: lost stands where messages can get lost" {
    local test
    ours
    for test in udp_lat udp_bw ud_lat; do
        good_client "$(program qperf)" -t 0.1 -vd --out_json_file run.json "$test"
        expect grep -qE '^    lost +=' client.out
        expect [ "$(query run.json '.measurements[0] | has("lost")')" = true ]
    done
    for test in tcp_lat rc_lat rc_rdma_read_lat tcp_bw rc_bw; do
        good_client "$(program qperf)" -t 0.1 -vd --out_json_file run.json "$test"
        refuse_output client 'lost'
        expect [ "$(query run.json '.measurements[0] | has("lost")')" = false ]
        expect [ "$(query run.json '.measurements[0].open_exchange_seconds')" = null ]
    done
    quits server
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

# Does an interval behind so many rows, and the two that the outage may reach into, have a latency?
goes_on() { # ROWS
    awk -v "rows=$1" 'NR > rows + 2 && $3 > 0 { found = 1 } END { exit !found }' client.out
}

# A server that stands still for half a second: its answers come later than what they answer is lost.
@test "qperf: a message that gets no answer is counted, and stops no ping-pong" {
    local test child rows
    ours
    for test in udp_lat uc_lat "-cp1 ud_lat" uc_rdma_write_lat uc_rdma_write_poll_lat; do
        # shellcheck disable=SC2086 # words
        launch client "$(program qperf)" 127.0.0.1 -lp "$port" -t 0 -uu -vd --report_interval 0.1 $test
        await client grep -qF 'latency[' client.out
        child=$(pgrep -P "${pids[server]}")
        kill -STOP "$child"
        sleep 0.5 # the outage, of which nothing is to be seen from here
        kill -CONT "$child"
        rows=$(wc -l <client.out)
        await client goes_on "$rows"
        # half a second of outage has whole intervals in it, of 0.1 s
        expect grep -qE '^ +latency\[.*\]  =  none' client.out
        kill -INT "${pids[client]}"
        finish client
        expect_status client 130
        expect holds "$(value lost) > 0 && $(value latency) > 100 && $(value latency) < 50000000"
        expect grep -q 'got no answer within 0.1 s' client.err
    done
    quits server
}

# The answer is there when it looks again; half a round trip that was in time is below 50 ms.
@test "qperf: an answer that waited for a client that stood still is late" {
    local test rows
    ours
    for test in udp_lat "-cp1 ud_lat" uc_rdma_write_lat; do
        # shellcheck disable=SC2086 # words
        launch client "$(program qperf)" 127.0.0.1 -lp "$port" -t 0 -uu -vd --report_interval 0.1 $test
        await client grep -qF 'latency[' client.out
        kill -STOP "${pids[client]}"
        sleep 0.3 # the outage, of which nothing is to be seen from here
        kill -CONT "${pids[client]}"
        rows=$(wc -l <client.out)
        await client goes_on "$rows"
        kill -INT "${pids[client]}"
        finish client
        expect_status client 130
        expect holds "$(value lost) > 0 && $(value max) < 51000000"
    done
    quits server
}

# Is there an interval without answers?
stalls() {
    grep -qE 'latency\[[^ ]+ +=  none$' client.out
}

# What it had before is its result: the time that it waited for nothing is in no latency.
@test "qperf: a client is stopped while its server stands still" {
    local test child
    ours
    for test in udp_lat uc_lat "-cp1 ud_lat"; do
        # shellcheck disable=SC2086 # words
        launch client "$(program qperf)" 127.0.0.1 -lp "$port" -t 0 -uu -vd -vvs --report_interval 0.1 \
            --out_json_file client.json $test
        await client grep -qF 'latency[' client.out
        child=$(pgrep -P "${pids[server]}")
        kill -STOP "$child"
        await client stalls
        kill -INT "${pids[client]}"
        kill -CONT "$child"
        finish client
        expect_status client 130
        expect [ "$(query client.json '[.measurements[] | select(.kind == "interval") | .latency_seconds] | any(. == null) and all(. != 0)')" = true ]
        expect holds "$(value latency) > 100 && $(value latency) < 50000000"
        expect holds "$(value loc_send_msgs) - $(value loc_recv_msgs) - $(value lost) <= 1"
    done
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
    quits server
}

# A figure of what was measured until then; each loop sees the signal in its own way.
@test "qperf: RDMA clients that are stopped" {
    local test
    ours
    for test in rc_lat rc_rdma_write_poll_lat rc_bw rc_bi_bw uc_bi_bw rc_rdma_read_bw rc_compare_swap_mr xrc_bw; do
        launch client "$(program qperf)" 127.0.0.1 -lp "$port" -t 0 --report_interval 0.1 "$test"
        await client grep -qF ']  =' client.out
        kill -INT "${pids[client]}"
        finish client
        expect_status client 130
        expect grep -qE '^    (latency|bw|msg_rate|send_bw) += +[0-9]' client.out
        expect grep -qE '^    partial +=  stopped by its user' client.out
        expect [ ! -s client.err ]
    done
    quits server
}

# What was measured until then is no result of the test that was asked for, and is marked.
@test "qperf: a server that is stopped in RDMA tests" {
    local test
    for test in rc_lat rc_rdma_write_lat rc_bw rc_bi_bw rc_rdma_read_bw; do
        another_port
        ours
        launch client "$(program qperf)" 127.0.0.1 -lp "$port" -t 0 --report_interval 0.1 "$test"
        await client grep -qE '\]  = +[0-9.]*[1-9]' client.out
        kill -TERM "${pids[server]}"
        finish client
        expect_status client 1
        expect_error client 'the server was stopped in the middle of a test'
        expect grep -qE "^    partial +=  the client's own figures alone$" client.out
        finish server
    done
}

# Its account does not come; what the client has measured is worth having.
@test "qperf: a server that dies" {
    local words child
    ours
    for words in tcp_bw "-f1 tcp_bw" tcp_lat udp_bw rc_bw "-f1 rc_lat" rc_rdma_read_lat; do
        # shellcheck disable=SC2086 # words
        launch client "$(program qperf)" 127.0.0.1 -lp "$port" -t 0 --report_interval 0.1 --out_json_file run.json $words
        await client grep -qE '\]  = +[0-9.]*[1-9]' client.out
        child=$(pgrep -P "${pids[server]}")
        kill -KILL "$child"
        finish client
        expect_status client 1
        expect [ "$(wc -l <client.err)" = 1 ]
        expect grep -qE "^    partial +=  the client's own figures alone$" client.out
        expect_schema run.json
        expect jq -e '.status == "failed" and (.measurements[-1] | .kind == "result" and .partial and .remote == null and
            (.latency_seconds // .send_bandwidth_bytes_per_second // .receive_bandwidth_bytes_per_second) > 0)' run.json
    done
    quits server
}

# Its rows would be of a direction that there is not.
@test "qperf: a client that only lends its memory has no intervals" {
    local test
    ours
    for test in rc_rdma_read_bw rc_fetch_add_mr; do
        good_client "$(program qperf)" -t 0.2 -f1 --report_interval 0.1 "$test"
        expect [ "$(grep -c '=' client.out)" = 1 ]
        refuse_output client '=  +0 '
    done
    quits server
}

# A process that stands still can't be asked to end.
@test "qperf: a server ends though the process of a client stands still" {
    local child
    ours
    launch client "$(program qperf)" 127.0.0.1 -lp "$port" -t 0 --report_interval 0.1 tcp_lat
    await client grep -qE '\]  = +[0-9.]*[1-9]' client.out
    child=$(pgrep -P "${pids[server]}")
    kill -STOP "$child"
    kill -TERM "${pids[server]}"
    finish server
    expect_error server 'the server was stopped in the middle of a test'
    finish client
    expect_status client 1
    expect_error client 'the server was stopped in the middle of a test'
}

# Of one that stands still nothing completes any more; with a test that has no end of time it would hold its client for ever.
@test "qperf: a server that stands still does not hold clients" {
    local words child
    ours
    for words in "-t 1 rc_rdma_write_bw" "-t 1 rc_bi_bw" "-t 0 rc_lat" "-n 1000000000 -cp1 rc_lat" "-t 0 tcp_bw" "-n 1000000000 tcp_lat"; do
        # shellcheck disable=SC2086 # words
        launch client "$(program qperf)" 127.0.0.1 -lp "$port" -to 1 --report_interval 0.1 $words
        await client grep -qE '\]  = +[0-9.]*[1-9]' client.out
        child=$(pgrep -P "${pids[server]}")
        kill -STOP "$child"
        finish client
        kill -CONT "$child"
        expect_status client 1
        expect_error client 'nothing moved for 1 s .*the server stands still'
        expect grep -qE "^    partial +=  the client's own figures alone$" client.out
    done
    quits server
}

# A client that is killed in the middle leaves nothing behind, and the next one is served.
@test "qperf: RDMA clients that are killed" {
    local test
    ours
    for test in rc_bw rc_lat ud_lat rc_rdma_read_bw; do
        launch killed "$(program qperf)" 127.0.0.1 -lp "$port" -t 0 "$test"
        await killed grep -q . killed.out
        until [[ $(pgrep -cP "${pids[server]}") == 1 ]]; do sleep 0.01; done
        kill -KILL "${pids[killed]}"
        finish killed
        until [[ $(pgrep -cP "${pids[server]}") == 0 ]]; do sleep 0.01; done
    done
    good_client "$(program qperf)" -t 0.1 rc_lat
    quits server
}

# A reading that is earlier than the one before makes no sample, and nothing late.
@test "a clock that goes back now and then is in no latency" {
    local test
    ${CC:-cc} -shared -fPIC -O1 -o clock.so "$BATS_TEST_DIRNAME/stepped_clock.c" -ldl
    ours
    for test in tcp_lat ud_lat; do
        launch client env PERFTEST_CLOCK=gettime LD_PRELOAD="$PWD/clock.so" \
            ASAN_OPTIONS="verify_asan_link_order=0:${ASAN_OPTIONS-}" \
            "$(program qperf)" 127.0.0.1 -lp "$port" -t 0.5 --output_format json "$test"
        finish client
        expect_status client 0
        expect [ "$(jq '[.. | .max_seconds? | numbers] | length > 0 and max < 1000' client.out)" = true ]
    done
}
