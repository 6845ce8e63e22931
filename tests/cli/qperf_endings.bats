#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# qperf with a peer that hangs, is stopped or killed, or sends nonsense.
# bats file_tags=slow

load helpers
load qperf

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
peer.sendall(request(1) + b"\xff" * 27)              # quit, and rubbish where the start message should be
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

# A browser, a scanner, one who writes what a terminal would obey: a line each, of what can be shown, and not for ever.
@test "qperf: what is no request is reported" {
    ours
    python3 - "$port" <<'PYTHON'
import socket, sys
for what in [b"GET / HTTP/1.0\r\n\r\n", b"\x1b]0;owned\x07\x1b[2J" + b"A" * 1000, bytes(4) + b"\xff" * 8] + [b"again and again"] * 60:
    with socket.create_connection(("127.0.0.1", int(sys.argv[1])), timeout=20) as peer:
        peer.sendall(what)
        try:
            while peer.recv(4096):
                pass
        except ConnectionResetError:
            pass
PYTHON
    good_client "$(program qperf)" -n 10 tcp_lat
    expect grep -qE '^qperf: error: 127\.0\.0\.1: what it sent is no request of qperf 0\.4: it begins with "GET / HTTP/1\.0\?{4}"$' server.err
    expect grep -qE 'it begins with "\?\]0;owned\?\?\[2JA+"$' server.err
    expect grep -qE 'it begins with "\?{12}"$' server.err
    expect [ -z "$(tr -d '\n[:print:]' <server.err)" ]
    expect holds "$(wc -l <server.err) >= 20 && $(wc -l <server.err) < 30"
    quits server
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

# The outage is in the mean, and in the samples: half of it is the longest one.
@test "qperf: an outage that lasts to the end of a test is a sample" {
    local test
    ours
    for test in tcp_lat rc_lat; do
        begin_client -t 2 -to 1 -uu -vd -vvs --out_json_file run.json "$test"
        kill -STOP "$child"
        finish client
        kill -CONT "$child"
        expect_status client 1
        expect grep -qE "warning: $test: an exchange was still open when .* was open for [0-9.]+ s and counts as a sample of at least that" client.err
        expect holds "$(value open_exchange) > 62500000 && ($(value open_exchange) - 2 * $(value max)) ^ 2 < 9"
        # shellcheck disable=SC2016 # variables of jq
        expect jq -e '.measurements[-1] | .open_exchange_seconds as $open | .latency_distribution.max_usec * 2e-6 - $open |
            . < 1e-6 and . > -1e-6' run.json
        expect_schema run.json
    done
    quits server
}

# Does an interval behind so many rows, and the two that the outage may reach into, have a latency?
goes_on() { # ROWS
    awk -v "rows=$1" 'NR > rows + 2 && $3 > 0 { found = 1 } END { exit !found }' client.out
}

has_outage() {
    awk -F'[][-]' '/^ +latency\[/ && (/none$/ || $3 - $2 > 0.25) { found = 1 } END { exit !found }' client.out
}

has_rows() { # NUMBER
    (($(wc -l <client.out) >= $1))
}

# As long as its time is not over, a test is not over because nothing moves.
@test "qperf: a timed RDMA test goes on when its server does" {
    ours
    begin_client -t 1000 -to 2 rc_bw
    kill -STOP "$child"
    await client has_rows $(($(wc -l <client.out) + 25)) # of 0.1 s
    kill -CONT "$child"
    await client goes_on "$(wc -l <client.out)"
    kill -INT "${pids[client]}"
    finish client
    expect_status client 130
    quits server
}

# A server that stands still for half a second: its answers come later than what they answer is lost.
@test "qperf: a message that gets no answer is counted, and stops no ping-pong" {
    local test rows
    ours
    for test in udp_lat uc_lat "-cp1 ud_lat" uc_rdma_write_lat uc_rdma_write_poll_lat; do
        # shellcheck disable=SC2086 # words
        begin_client -t 0 -uu -vd $test
        kill -STOP "$child"
        sleep 0.5 # the outage, of which nothing is to be seen from here
        kill -CONT "$child"
        rows=$(wc -l <client.out)
        await client goes_on "$rows"
        # half a second of outage has whole intervals of 0.1 s in it, or a busy client has a longer one instead
        expect has_outage
        kill -INT "${pids[client]}"
        finish client
        expect_status client 130
        expect holds "$(value lost) > 0 && $(value latency) > 100 && $(value latency) < 50000000"
        expect grep -q 'got no answer within 0.1 s' client.err
        awk '$1 ~ /^latency\[/ && $3 != "none" { print $3 }' client.out | sort -n >intervals
        expect holds "$(head -1 intervals) >= $(value min) && $(tail -1 intervals) <= $(value max)"
    done
    quits server
}

# The answer is there when it looks again; half a round trip that was in time is below 50 ms.
@test "qperf: an answer that waited for a client that stood still is late" {
    local test rows
    ours
    for test in udp_lat "-cp1 ud_lat" uc_rdma_write_lat; do
        # shellcheck disable=SC2086 # words
        begin_client -t 0 -uu -vd $test
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
    local test
    ours
    for test in udp_lat uc_lat "-cp1 ud_lat"; do
        # shellcheck disable=SC2086 # words
        begin_client -t 0 -uu -vd -vvs --out_json_file client.json $test
        kill -STOP "$child"
        await client stalls
        kill -INT "${pids[client]}"
        kill -CONT "$child"
        finish client
        expect_status client 130
        expect [ "$(query client.json '[.measurements[] | select(.kind == "interval") | .latency_usec] | any(. == null) and all(. != 0)')" = true ]
        expect holds "$(value latency) > 100 && $(value latency) < 50000000"
        expect holds "$(value loc_send_msgs) - $(value loc_recv_msgs) - $(value lost) <= 1"
    done
    quits server
}

# It prints what it had, and the server's process of it ends.
stop_client() {
    kill -INT "${pids[client]}"
    finish client
    expect_status client 130
    expect grep -qE '^    (latency|bw|msg_rate|send_bw) += +[0-9]' client.out
    expect grep -qE '^    partial +=  stopped by its user' client.out
    expect_quiet client
    until [[ $(pgrep -cP "${pids[server]}") == 0 ]]; do sleep 0.01; done
}

# A figure of what was measured until then; each loop sees the signal in its own way.
@test "qperf: RDMA clients that are stopped" {
    local test
    ours
    for test in rc_lat rc_rdma_write_poll_lat rc_bw rc_bi_bw uc_bi_bw rc_rdma_read_bw rc_compare_swap_mr xrc_bw \
        "-f1 rc_bw" "-f1 -t 1000 ud_bw"; do
        # shellcheck disable=SC2086 # words
        begin_client -t 0 $test
        stop_client
    done
    quits server
}

# Is its process on the server measuring? Of setting up it is done in less time.
spends_time() {
    child=$(pgrep -n -P "${pids[server]}") && (($(awk '{ print $14 }' "/proc/$child/stat") > 50))
}

# The server reads or writes the client's memory, and ends with it.
@test "qperf: clients whose memory is read or written are stopped" {
    local test
    ours
    for test in "-t 0 rc_rdma_read_bw" "-t 1000 rc_rdma_write_bw"; do
        # shellcheck disable=SC2086 # words
        launch client "$(program qperf)" 127.0.0.1 -lp "$port" -f1 $test
        await client spends_time
        stop_client
    done
    quits server
}

# What was measured until then is no result of the test that was asked for, and is marked.
@test "qperf: a server that is stopped in RDMA tests" {
    local test
    for test in rc_lat rc_rdma_write_lat rc_bw rc_bi_bw rc_rdma_read_bw; do
        another_port
        ours
        begin_client -t 0 "$test"
        kill -TERM "${pids[server]}"
        finish client
        expect_status client 1
        expect_error client 'the server was stopped during a test'
        expect grep -qE "^    partial +=  only the client's own figures$" client.out
        finish server
    done
}

# Its account does not come; what the client has measured is worth having.
@test "qperf: a server that dies" {
    local words
    ours
    for words in tcp_bw "-f1 tcp_bw" tcp_lat udp_bw rc_bw "-f1 rc_lat" rc_rdma_read_lat; do
        # shellcheck disable=SC2086 # words
        begin_client -t 0 --out_json_file run.json $words
        kill_hard "$child"
        finish client
        expect_status client 1
        expect [ "$(wc -l <client.err)" = 1 ]
        expect grep -qE "^    partial +=  only the client's own figures$" client.out
        expect_schema run.json
        expect jq -e '.status == "failed" and (.measurements[-1] | .kind == "result" and .partial and .remote == null and
            (.latency_usec // .send_bandwidth_bytes_per_second // .receive_bandwidth_bytes_per_second) > 0)' run.json
    done
    quits server
}

# Nobody is there to end the process that serves the client.
@test "qperf: a server that is killed leaves no process behind" {
    ours
    begin_client -t 0 tcp_bw
    kill_hard "${pids[server]}"
    finish client
    expect_status client 1
    expect_error client 'the server was stopped during a test'
    finish server
    until [[ ! -d /proc/$child ]]; do sleep 0.01; done
}

# A process that stands still can't be asked to end.
@test "qperf: a server ends though the process of a client stands still" {
    ours
    begin_client -t 0 tcp_lat
    kill -STOP "$child"
    kill -TERM "${pids[server]}"
    finish server
    expect_error server 'the server was stopped during a test'
    finish client
    expect_status client 1
    expect_error client 'the server was stopped during a test'
}

@test "qperf: signals that were blocked when it was started" {
    launch server env --block-signal=INT,TERM,QUIT,CHLD,ALRM "$(program qperf)" -lp "$port"
    await server listening server
    launch client env --block-signal=ALRM "$(program qperf)" -lp "$port" 127.0.0.1 -t 1 tcp_bw tcp_lat
    finish client
    expect_status client 0
    kill -TERM "${pids[server]}"
    finish server
    expect_status server 0
}

# Nothing completes any more, or it does without the server; a test that has no end of time would hold its client for ever.
@test "qperf: a server that stands still does not hold clients" {
    local n children=()
    # with a --timeout as long as the time of the test, of which the end is in the standstill, then
    local -a words=("-to 3 -t 3 rc_rdma_write_bw" "-to 3 -t 3 rc_bi_bw" "-to 1 -t 0 rc_lat" "-to 1 -n 1000000000 -cp1 rc_lat"
        "-to 1 -t 0 tcp_bw" "-to 1 -n 1000000000 tcp_lat" "-to 1 -t 0 udp_bw" "-to 1 -t 0 rc_rdma_read_bw"
        "-to 1 -t 0 uc_rdma_write_bw" "-to 1 -t 0 rc_fetch_add_mr")
    ours
    for n in "${!words[@]}"; do
        # shellcheck disable=SC2086 # words
        begin_client_as "client$n" ${words[n]}
        kill -STOP "$child"
        children+=("$child")
    done
    for n in "${!words[@]}"; do
        finish "client$n"
        kill -CONT "${children[n]}"
        expect_status "client$n" 1
        expect_error "client$n" 'no progress for [13] s .*the server is not responding'
        expect grep -qE "^    partial +=  only the client's own figures$" "client$n.out"
    done
    quits server
}

given_up() { # CLIENTS
    [[ $(grep -cE 'was silent for 1 s while this side waited for its results|the client is not responding' server.err) == "$1" ]]
}

# Their own time went on while the server gave them up: that is no result of the test.
@test "qperf: clients that were given up by their server say so" {
    local n tests=(tcp_lat "-f1 udp_bw" rc_lat rc_bw rc_rdma_read_lat)
    ours
    for n in "${!tests[@]}"; do
        # shellcheck disable=SC2086 # words
        launch "client$n" "$(program qperf)" 127.0.0.1 -lp "$port" -t 6 -to 1 --report_interval 0.1 --out_json_file "run$n.json" ${tests[n]}
    done
    for n in "${!tests[@]}"; do
        await "client$n" grep -qE '\]  = +[0-9.]*[1-9]' "client$n.out"
        kill -STOP "${pids[client$n]}"
    done
    await server given_up "${#tests[@]}"
    for n in "${!tests[@]}"; do
        kill -CONT "${pids[client$n]}"
        finish "client$n"
        expect_status "client$n" 1
        expect_error "client$n" 'the server .* ended the test: (the client .* was silent for 1 s while .* results|.*; the client is not responding)'
        expect grep -qE "^    partial +=  only the client's own figures$" "client$n.out"
        expect_schema "run$n.json"
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
        kill_hard "${pids[killed]}"
        finish killed
        until [[ $(pgrep -cP "${pids[server]}") == 0 ]]; do sleep 0.01; done
    done
    good_client "$(program qperf)" -n 10 rc_lat
    quits server
}

# One of before ALIVE would take that for the end of the loop, in the middle of a test without a time limit.
@test "qperf: a side of another version of the protocol" {
    local other='it is of version 4 of the protocol, not 5: install the same version of the suite on both sides'
    cat >older.py <<'PYTHON'
import socket, struct, sys
def frame(kind, payload=b""):
    return b"PFTQ" + struct.pack(">HHI", 4, kind, len(payload)) + payload
if sys.argv[2] == "client":
    peer = socket.create_connection(("127.0.0.1", int(sys.argv[1])), timeout=20)
    peer.sendall(struct.pack("<4H16I128x", 0, 4, 0x7071, 10, 0, 0, 0, 0, 1, *[0] * 8, 1, 5, 0))
    peer.sendall(frame(1, struct.pack(">II19Q192x", 9, 0, *[0] * 4, 1, 0, 3, *[0] * 7, 5 * 10**9, *[0] * 4)))
else:
    peer, _ = socket.create_server(("127.0.0.1", int(sys.argv[1]))).accept()
    peer.recv(200, socket.MSG_WAITALL)
    peer.sendall(b"\xf1qpf\r\n\x1a\xf7" + frame(16, struct.pack(">I", 9)))
answer = b""
while chunk := peer.recv(4096):
    answer += chunk
sys.stdout.buffer.write(answer)
PYTHON
    ours
    python3 older.py "$port" client >answer
    expect grep -qF "$other" answer
    quits server
    expect_error server "sent an invalid message, its request: $other"
    launch server python3 older.py "$port" server
    await server listening server
    client "$(program qperf)" -t 0 tcp_bw
    expect_status client 1
    expect_error client "the server .* sent an invalid message, its port: $other"
    finish server
    expect grep -qF "$other" server.out
}

# What the client has measured is right, whatever the server says at the end.
@test "qperf: an end of sending that is invalid leaves the client's own figures" {
    cat >spoils.py <<'PYTHON'
import socket, struct, sys, threading
listener = socket.create_server(("127.0.0.1", int(sys.argv[1])))
def ahead(client, server):
    while data := client.recv(65536):
        server.sendall(data)
for _ in ("conf", "the test"):
    client, _ = listener.accept()
    server = socket.create_connection(("127.0.0.1", int(sys.argv[2])))
    threading.Thread(target=ahead, args=(client, server), daemon=True).start()
    client.sendall(server.recv(8, socket.MSG_WAITALL))
    while header := server.recv(12, socket.MSG_WAITALL):
        kind, length = struct.unpack(">6xHI", header)
        payload = server.recv(length, socket.MSG_WAITALL) if length else b""
        client.sendall(header + (b"\x02" if kind == 8 else payload))
PYTHON
    local theirs=$port
    ours
    another_port
    launch proxy python3 spoils.py "$port" "$theirs"
    await proxy listening proxy
    begin_client -t 0 rc_bi_bw
    kill -INT "${pids[client]}"
    finish client
    expect_status client 1
    expect_error client "sent an invalid message, its end of sending: "
    expect grep -qE "^    partial +=  only the client's own figures$" client.out
    finish proxy
    port=$theirs quits server
}

# It is one of ours up to its account, whose figures no clock and no count of the client allows.
@test "qperf: results of a server that cannot be true are no figures" {
    local case
    cat >liar.py <<'PYTHON'
import socket, struct, sys
def frame(kind, payload=b""):
    return b"PFTQ" + struct.pack(">HHI", 5, kind, len(payload)) + payload
def account(elapsed_ns, msgs, size, cpus=2, user_ns=0, peer=(0, 0)):
    counts = (0, 0, 0, size, msgs, 0, 0, 0, 0, *peer, 0)
    return struct.pack(">QII4Q", elapsed_ns, cpus, 0, user_ns, 0, 0, 0) + struct.pack(">12Q168x", *counts)
accounts = {
    "honest": account(5 * 10**8, 10, 655360),
    "bytes": account(10**9, 10**9, 2**63 - 1),
    "short": account(1, 10, 655360),
    "long": account(2**62, 10, 655360),
    "many": account(5 * 10**8, 10**7, 655360 * 10**6),
    "busy": account(5 * 10**8, 10, 655360, user_ns=2**62),
    "for the client": account(5 * 10**8, 10, 655360, peer=(65536 * 10**8, 10**8)),
}
def origin(*texts):
    return frame(19, b"".join(struct.pack(">H", len(text)) + text for text in texts))
# Of a text only known members are used; what is no description of a side is nothing.
deep = b'{"build": ' * 180 + b"7" + b"}" * 180
lie = b'{"build": {"commit": ["a"], "more": 1, "optimized": true}, "system": null, "device": {"memory": {"kind": {}}}, "x": {}}'
listener = socket.create_server(("127.0.0.1", int(sys.argv[1])))
for case in sys.argv[2:]:
    peer, _ = listener.accept()
    data = socket.create_server(("127.0.0.1", 0))
    def hear():
        kind, length = struct.unpack(">6xHI", peer.recv(12, socket.MSG_WAITALL))
        return kind, peer.recv(length, socket.MSG_WAITALL)
    peer.recv(200, socket.MSG_WAITALL)
    peer.sendall(b"\xf1qpf\r\n\x1a\xf7")
    assert hear()[0] == 1
    peer.sendall(frame(16, struct.pack(">I", data.getsockname()[1])))
    stream, _ = data.accept()
    peer.sendall(origin(b"a\x1b[2Jb\xff", b"7.0", deep if case == "short" else lie))
    assert hear()[0] == 7
    peer.sendall(frame(7, bytes(4)))
    while stream.recv(1 << 20):
        pass
    assert hear()[0] == 9
    peer.sendall(frame(9, accounts[case]))
    peer.recv(1)
PYTHON
    local -a cases=(honest bytes short long many busy "for the client")
    launch server python3 liar.py "$port" "${cases[@]}"
    await server listening server
    for case in "${cases[@]}"; do
        client "$(program qperf)" --out_json_file run.json -t 1 tcp_bw
        expect_schema run.json
        expect [ "$(query run.json '.measurements[0].peer | .host, .build.commit, .build.optimized, .system.cpus, .device.name')" = "$(
            [[ $case == short ]] && optimized=null || optimized=true
            printf '%s\n' 'a?[2Jb?' null "$optimized" null null)" ]
        if [[ $case == honest ]]; then
            expect_status client 0
            expect grep -qE '^    bw  =  1.31 MB/sec$' client.out
            continue
        fi
        expect_status client 1
        expect_error client "tcp_bw: the server's results cannot be true: "
        expect grep -qE "^    partial +=  only the client's own figures$" client.out
    done
    finish server
}
