#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# qperf over sockets: between two of ours, and with qperf 0.4.11 (Debian's package) in either role.

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
    good_client "$(program qperf)" -t 1 --report_interval 0.4 tcp_bw
    expect [ "$(grep -c '^    bw\[' client.out)" = 2 ]
    expect grep -qE '^    bw\[0\.0-0\.[4-9]\]' client.out
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
    echo {rc,uc,ud}_{bw,bi_bw,lat} {rc,uc}_rdma_write_{bw,lat,poll_lat} rc_rdma_read_{bw,lat} \
        rc_{compare_swap,fetch_add}_mr ver_rc_{compare_swap,fetch_add}
}

@test "qperf: all RDMA tests, polling and sleeping" {
    local mode
    ours
    for mode in 0 1; do
        # shellcheck disable=SC2046 # words
        good_client "$(program qperf)" -t 0.1 -cp $mode -uu $(rdma_tests)
        expect [ "$(grep -c ':$' client.out)" = 21 ]
        expect [ "$(grep -cE '^    (latency|bw|recv_bw|msg_rate) += +[1-9][0-9.]* ' client.out)" = 21 ]
    done
    quits server
}

@test "qperf: RDMA by number, flipped, by rdma_cm" {
    local test
    ours
    # shellcheck disable=SC2046 # words
    good_client "$(program qperf)" -n 300 -cp1 -uu -un -vvs rc_bw rc_bi_bw rc_lat rc_rdma_read_bw rc_rdma_write_bw rc_fetch_add_mr ver_rc_fetch_add
    expect [ "$(grep -cE '^    (loc|rem)_recv_msgs += +300 $' client.out)" = 9 ]
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
    need_classic
    ours
    client "$(program qperf)" -t 0.1 -i nosuch rc_bw
    expect_status client 1
    expect_error client "nosuch"
    client "$(program qperf)" -t 0.1 -m 4097 ud_bw
    expect_error client "4097 bytes: must be 1 to 4096"
    client "$(program qperf)" -t 0.1 -cm1 uc_bw
    expect_error client "rdma_cm connects RC and UD"
    client "$(program qperf)" -t 0.1 -m 7 ver_rc_fetch_add
    expect_error client "size below 8"
    good_client "$(program qperf)" -t 0.1 rc_lat
    quits server
    another_port
    serve other "$classic"
    client "$(program qperf)" -t 1 rc_bw
    expect_error client "0\.4\.11, which does not know the RDMA tests"
    good_client "$(program qperf)" -t 1 tcp_lat
    quits other
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
