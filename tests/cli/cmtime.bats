#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# cmtime without RDMA: sockets (-S) through the same steps, how instances find each other and agree, and what happens
# when one of them fails. tests/vm/jobs/cmtime covers the rest.
# bats file_tags=slow

load helpers
load in_front

# An instance by name, on its way.
instance() { # NAME [OPTIONS]
    launch "$1" "$(program cmtime)" -C 127.0.0.1 -b 127.0.0.1 -p "$port" -S "${@:2}"
}

# For a second run: the first one's may still be held.
another_port() {
    read -r first_port last_port <<<"${PERFTEST_TEST_PORTS:-20000 31999}"
    port=$(pick_port "$first_port" "$last_port")
}

# The controller: it listens when this returns.
controller() { # NAME [OPTIONS]
    instance "$@"
    await "$1" listening "$1"
}

finish_all() { # NAME...
    local name
    for name; do
        finish "$name"
    done
}

expect_all() { # STATUS NAME...
    local name
    for name in "${@:2}"; do
        expect_status "$name" "$1" || return
    done
}

good_cmtime() { # [OPTIONS]
    controller server -L
    instance client "$@"
    finish_all client server
    expect_all 0 client server
}

# A field of a step's row: 1 avg/conn, 2 total, 3 us/conn, 4 sum, 5 max, 6 min.
step_field() { # NAME STEP FIELD
    awk -v step="$2" -v field="$3" 'index($0, step "  ") == 1 { sub(step, ""); print $field; exit }' "$1.out"
}

# What stands in a socket when somebody sends bytes and reads the answer.
send_bytes() { # BYTES-FOR-PRINTF
    python3 - "$port" "$1" <<'PYTHON'
import socket, sys
peer = socket.create_connection(("127.0.0.1", int(sys.argv[1])), timeout=20)
peer.sendall(sys.argv[2].encode("latin-1").decode("unicode_escape").encode("latin-1"))
answer = b""
try:
    while chunk := peer.recv(4096):
        answer += chunk
except ConnectionResetError:
    pass
print("".join(chr(c) if 32 <= c < 127 else "." for c in answer))
PYTHON
}

# bats test_tags=quick
@test "cmtime: one pair, the table that scripts know" {
    good_cmtime -c 40
    expect_output client "^Client baseline socket results:$"
    expect_output server "^Server baseline socket results:$"
    expect_output client "^cm_conn +40$"
    expect_output client "^threads +1$"
    expect_output client "^step             avg/conn  total\(us\)    us/conn    sum\(us\)    max\(us\)    min\(us\)$"
    expect [ "$(grep -cE '^[a-z ]{13}  ( *[0-9]+){6}$' client.out)" = 17 ]
    for step in "create id" "cm connect" "disconnect" "destroy id"; do
        expect holds "$(step_field client "$step" 5) >= $(step_field client "$step" 6) && $(step_field client "$step" 2) > 0"
    done
    for step in "resolve addr" "create qp" "rts qp"; do
        expect [ "$(step_field client "$step" 4)" = 0 ]
    done
    expect [ "$(step_field server "create id" 2)" = 0 ]
    expect holds "$(step_field server "disconnect" 2) > 0"
    expect [ ! -s client.err ]
}

@test "cmtime: without RDMA and without soft0 the line says what is missing" {
    [[ ! -e /dev/infiniband/rdma_cm ]] || skip "there is an RDMA connection manager"
    ! is_sanitized || skip "the software device is linked in"
    export PERFTEST_SOFT_LIB=/nonexistent/lib.so
    run_alone cmtime -C 127.0.0.1 -b 127.0.0.1 -p "$port" -L
    expect_status alone 1
    expect_error alone "/nonexistent/lib.so"
}

# What is freed may not be reported again: the descriptor has to be closed before.
@test "cmtime: a server that cannot change what events of a connection are about" {
    is_sanitized && skip "the sanitizer's free() comes first"
    cat >change.c <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>

void __libc_free(void *);
static void *last_pending, *stays;
static int stays_fd = -1;

int epoll_ctl(int set, int operation, int fd, struct epoll_event *event)
{
	int (*next)(int, int, int, struct epoll_event *) =
		(int (*)(int, int, int, struct epoll_event *))dlsym(RTLD_NEXT, "epoll_ctl");

	if (operation == EPOLL_CTL_ADD && event->events == EPOLLIN && event->data.ptr)
		last_pending = (char *)event->data.ptr - 1;
	if (operation != EPOLL_CTL_MOD)
		return next(set, operation, fd, event);
	stays = last_pending;
	stays_fd = fd;
	errno = ENOMEM;
	return -1;
}

int close(int fd)
{
	int (*next)(int) = (int (*)(int))dlsym(RTLD_NEXT, "close");

	if (fd == stays_fd)
		stays = NULL;
	return next(fd);
}

void free(void *memory)
{
	if (memory && memory == stays)
		abort();
	__libc_free(memory);
}
C
    ${CC:-cc} -shared -fPIC -O1 -o change.so change.c -ldl
    controller client
    launch server env LD_PRELOAD="$PWD/change.so" "$(program cmtime)" -C 127.0.0.1 -b 127.0.0.1 -p "$port" -S -L
    finish_all client server
    expect_all 1 client server
    expect_error server 'cm connect.*: epoll_ctl: Cannot allocate memory'
}

@test "cmtime: an instance that may start no thread" {
    ((EUID == 0)) || skip "the limit of processes is not for root, so another user is needed"
    setpriv --reuid 65534 --clear-groups test -x "$(program cmtime)" || skip "the build folder is closed to others"
    controller server -L
    launch client setpriv --reuid 65534 --regid 65534 --clear-groups bash -c 'ulimit -u 1; exec "$@"' - \
        "$(program cmtime)" -C 127.0.0.1 -b 127.0.0.1 -p "$port" -S
    finish_all client server
    expect_all 1 client server
    expect_error client 'cannot start the thread that communicates with the other instances: Resource temporarily unavailable; see ulimit -u'
    expect_error server 'client 1 .*died or was cut off'
}

# The rest says the same of either build, and more with sanitizers.
# bats file_tags=slow,sanitized

@test "cmtime: any instance may be the controller, and the others wait for it" {
    instance client -c 5
    await client listening client
    launch late "$(program cmtime)" -C 127.0.0.1 -b 127.0.0.1 -p "$port" -S -L
    finish_all client late
    expect_all 0 client late
}

@test "cmtime: 2 clients, 3 servers: each with each, one table of all" {
    controller server1 -L -P 5
    instance client1 -c 30 -n 4
    instance server2 -L
    instance client2
    instance server3 -L
    finish_all client1 client2 server1 server2 server3
    expect_all 0 client1 client2 server1 server2 server3
    for name in client1 client2; do
        expect_output "$name" "^cm_conn +90$"
        refuse_output "$name" "^All"
    done
    expect_output server2 "^cm_conn +60$"
    expect_output client1 "^threads +4$"
    # each step once, as scripts read it, the controller's as any other's
    for name in client1 client2 server1 server2 server3; do
        expect [ "$(grep -c '^cm connect ' "$name.out")" = 1 ]
    done
    expect_output server1 "^cm_conn +60$"
}

@test "cmtime: --merged: the controller's table is of all" {
    controller server1 -L -P 4
    instance client1 -c 30 --merged
    instance server2 -L
    instance client2
    finish_all client1 client2 server1 server2
    expect_all 0 client1 client2 server1 server2
    expect [ "$(head -n 1 server1.out)" = "All instances (clients: 2, servers: 2)" ]
    expect_output server1 "^cm_conn +120$"
    expect [ "$(grep -c '^cm connect ' server1.out)" = 1 ]
    expect holds "$(step_field server1 "create id" 4) > 0" # which a server does not know of itself
    for name in client1 client2 server2; do
        refuse_output "$name" "^All"
        expect_output "$name" "^cm_conn +60$"
    done
    another_port
    good_cmtime -c 5 --merged --percentiles=50,99.9
    expect_output server "^cm_conn +5$"
    expect_output client "^# too few connections, so that the maximum stands there: p99.9\(us\)$"
}

@test "cmtime: --merged: a controller that is stopped before the others' figures come prints its own" {
    controller server -L --merged
    instance client --duration 600 --window 1
    await client has_run client
    kill -INT "${pids[server]}"
    finish_all server client
    expect_status server 130
    expect_output server "^Server baseline socket results: \(partial\)$"
    refuse_output server "^All"
}

@test "cmtime: a document of every instance, and the whole cluster's at the controller" {
    controller server -L -P 3 --out_json_file=server.json
    instance client1 -c 20 --output_format=json --percentiles=25,99.5
    instance client2 --output_format=csv --out_json_file=client2.json
    finish_all client1 client2 server
    expect_all 0 client1 client2 server
    expect_schema server.json
    expect_schema client1.out
    expect [ "$(query client1.out '.run_id | strings')" = "$(query server.json .run_id)" ]
    # a row for each of the others: what their own documents say
    expect [ "$(query server.json '.cluster.peers | [.[].rank], [.[].role]' | jq -c .)" = $'[1,2]\n["client","client"]' ]
    for name in server.json client1.out client2.json; do
        for other in server.json client1.out client2.json; do
            [[ $name != "$other" ]] || continue
            expect [ "$(query "$name" "$(query "$other" '.cluster.rank') as \$rank | .cluster.peers[] | select(.rank == \$rank) |
                [.role, .host, .version, .build, .system]")" = \
                "$(query "$other" '[.role, .host.name, .tool.version, .tool.build, .host]')" ]
        done
    done
    expect [ "$(query client1.out '[.measurements[] | select(.kind == "result")] | length')" = 17 ]
    expect [ "$(query client1.out '.measurements[] | select(.step == "cm connect") | .count')" = 20 ]
    expect [ "$(query client1.out '.measurements[] | select(.step == "cm connect") | [.percentiles[].percent] | join(" ")')" = "25 50 90 99 99.5 99.9" ]
    expect [ "$(query client1.out '.parameters.connections')" = 20 ]
    expect [ "$(query server.json '.measurements[] | select(.step == "cm connect" and .part == "total") | .count')" = 40 ]
    expect [ "$(query server.json '.measurements[] | select(.kind == "summary" and .part == "total") | .connections')" = 40 ]
    expect [ "$(query server.json '[.measurements[] | select(.kind == "interval" and .part == "total") | .connections] | add')" = 40 ]
    # ... in at least the time of each of them
    expect holds "$(query server.json '.measurements[] | select(.kind == "summary" and .part == "total") | .connections_per_second') <= $(query client1.out \
        '.measurements[] | select(.kind == "summary") | .connections_per_second') + $(query client2.json \
        '.measurements[] | select(.kind == "summary") | .connections_per_second')"
    # the whole's extremes are those of the parts
    expect [ "$(query server.json '.measurements[] | select(.step == "cm connect" and .part == "total") | .latency_max_usec * 1000 | round')" = \
        "$( (query client1.out '.measurements[] | select(.step == "cm connect") | .latency_max_usec * 1000 | round'
            awk -F, '$4 == "cm connect" { printf "%d\n", $9 * 1000 + 0.5 }' client2.out) | sort -n | tail -n 1)" ]
    # ... and all of its distributions are those of the parts, put together by another program
    "$PERFTEST_TOP/scripts/merge_documents" server.json client1.out client2.json >parts
    "$PERFTEST_TOP/scripts/merge_documents" --part=total server.json >whole
    expect grep -q '^sockets, cm connect: 40 ' whole
    # sums of squares of floating point differ in their last digits, and an average of 40 may end in half of a digit
    expect diff <(sed 's/stdev=[^ ]*//' parts) <(sed 's/stdev=[^ ]*//' whole)
    expect [ "$(wc -l <client2.out)" = 18 ]
    expect [ "$(awk -F, '{ print NF }' client2.out | sort -u | wc -l)" = 1 ]
}

@test "cmtime: with one peer it is described as in documents of ib_*, whatever it says of itself" {
    local name other
    controller server -L --out_json_file=server.json
    instance client --out_json_file=client.json
    finish_all client server
    expect_all 0 client server
    for name in client server; do
        [[ $name == client ]] && other=server || other=client
        expect_schema "$name.json"
        expect [ "$(query "$name.json" '[.peer.host, .peer.version, .peer.build, .peer.system, (.peer.address | sub(":.*"; "")), .cluster.peers]')" = \
            "$(query "$other.json" '[.host.name, .tool.version, .tool.build, .host, .cluster.address, null]')" ]
    done
    another_port
    controller server -L --out_json_file=hostile.json
    python3 - "$port" <<'PYTHON'
import socket, struct, sys

def message(kind, payload):
    return b"PFTC" + struct.pack(">HHI", 8, kind, len(payload)) + payload

def text(said):
    return struct.pack(">H", len(said)) + said

peer = socket.create_connection(("127.0.0.1", int(sys.argv[1])), timeout=20)
peer.sendall(message(1, bytes([0]) + struct.pack(">I", 1000) + text(b"other") + text(b"")))
got = b""
while b"PFTC\0\x08\0\2" not in got:
    got += peer.recv(4096) or sys.exit(1)
own = b'{"build": {"commit": ["deep"], "compiler": "\\u001b[2J", "more": 1}, "system": 7, "device": {"name": {}}}'
peer.sendall(message(16, bytes([0, 0, 0]) + text(b"7\x1b") + text(own)))
while b"PFTC\0\x08\0\x11" not in got:
    got += peer.recv(4096) or sys.exit(1)
PYTHON
    finish server
    expect_status server 1
    expect_schema hostile.json
    expect [ "$(query hostile.json '.peer | [.address, .host, .version, .build.commit, .build.compiler, .build.more, .system.name, .device.name]' | jq -c .)" = \
        '[null,"other","7?",null,"\u001b[2J",null,null,null]' ]
}

@test "cmtime: limits: the controller's hold for all, an instance's for its own figures; --timestamps and --cpu_util" {
    controller server -L -P 3 --limit_rate 1e7 --max_lat 0.001 --max_percentiles 100:1e9,99.999999:1 --out_json_file=server.json
    instance server2 -L --max_lat 1 --output_format=csv --timestamps --cpu_util
    instance client -c 20 --limit_rate 0.001 --max_p99 1e9 --duration 1 --timestamps --cpu_util --out_json_file=client.json
    finish_all client server2 server
    expect_all 0 client server2
    expect_status server 3
    expect_schema server.json
    expect_schema client.json
    expect grep -qE '^cmtime: error: the connection rate is below the limit: [0-9.]+ per second in the sockets test of all instances$' server.err
    expect grep -qE '^cmtime: error: the longest full connect is above the limit: [0-9.]+ usec in the sockets test of all instances$' server.err
    expect grep -q 'samples in the sockets test of all instances are too few for the 99.999999% percentile of full connect' server.err
    expect [ "$(query server.json '[.status, (.missed_limits | length), .reason == .missed_limits[0]] | join(" ")')" = "below limit 3 true" ]
    expect grep -q 'warning: --max_lat, .* have no effect on a server, which sees no full connect' server2.err
    expect [ "$(head -n 1 server2.out | grep -cE ',cpu_util_percent,time$')" = 1 ]
    expect [ "$(grep -cE ',[0-9-]+T[0-9:.]+Z$' server2.out)" = 17 ]
    expect_output client '^CPU_Util\[%\] +(nan|[0-9.]+)$'
    expect_output client "^time\\[UTC\\] +$(query client.json '.measurements[-1].time')$"
    # no interval ends after the test
    expect jq -e '[.measurements[] | select(.kind != "result") | .time] | . == sort and length > 2' client.json
    expect jq -e '.measurements[-1] | .kind == "summary" and has("cpu_util_percent")' client.json
}

@test "cmtime: --limit_peers: the controller's limits are those of each client, which is named" {
    controller server -L -P 4 -c 20 --limit_peers --limit_rate 1e7 --max_percentiles 50:0.001 --out_json_file=server.json
    instance client1 --limit_peers --limit_rate 0.001
    instance server2 -L
    instance client2
    finish_all client1 client2 server2 server
    expect_all 0 client1 client2 server2
    expect_status server 3
    expect_schema server.json
    # two limits, two clients of 40 connections, no server
    expect [ "$(query server.json '.missed_limits | length')" = 4 ]
    expect [ "$(grep -cE 'connection rate is below the limit: [0-9.]+ per second in the sockets test of client [123] \(' server.err)" = 2 ]
    expect [ "$(grep -oE 'the 50% percentile of full connect is above the limit: .* of client [123] ' server.err | grep -o '[123] $' | sort -u | wc -l)" = 2 ]
    expect grep -q 'warning: --limit_peers has no effect here: give it to the controller' client1.err
    # a client that is the controller is one of them; a percentile is of all measurements, and 30 connections are enough
    another_port
    controller client -c 10 --repeat 3 --limit_peers --limit_rate 0.001 --max_percentiles 95:1e9,97:1e9
    instance server -L
    finish_all client server
    expect_status client 3
    expect_status server 0
    expect [ "$(grep -c '^cmtime: error' client.err)" = 1 ]
    expect grep -qE '30 samples in the sockets test of client 0 \(.*\) are too few for the 97% percentile' client.err
    another_port
    controller server -L -c 10 --repeat 3 --limit_peers --limit_rate 0.001 --max_percentiles 95:1e9,97:1e9
    instance client
    finish_all client server
    expect_status server 3
    expect [ "$(grep -c '^cmtime: error' server.err)" = 1 ]
    expect grep -qE '30 samples in the sockets test of client 1 \(.*\) are too few for the 97% percentile' server.err
    run_alone cmtime -C 127.0.0.1 -b 127.0.0.1 -S --limit_peers
    expect_status alone 2
    expect_error alone '--limit_peers compares each client with a limit'
}

# The files of a port, or an interface, in a folder of their own: nothing else counts there.
@test "cmtime: -W: counters of the interface have their increase in the test in text, CSV and JSON, and one that is not there ends it for all" {
    local folder=sysfs/class/net/lo/statistics
    mkdir -p "$folder"
    echo 5 >"$folder/tx_packets"
    echo 7 >"$folder/rx_errors"
    export PERFTEST_SYSFS=$PWD/sysfs
    controller server -L -W 'tx_p*' --output_format=csv
    instance client --duration 3 --report_interval 0.25 -W statistics/tx_packets,rx_errors --out_json_file=client.json
    await client grep -q '^ *0\.00 ' client.out
    echo 12 >"$folder/tx_packets"
    finish_all client server
    expect_all 0 client server
    expect_schema client.json
    expect [ "$(tail -n 3 client.out)" = $'\tstatistics/tx_packets=7\n\tstatistics/rx_errors=0' ]
    # the rows of intervals make up the result, which is the summary
    expect [ "$(query client.json '[.measurements[] | select(.kind == "interval") | .counters["statistics/tx_packets"]] | [add, max] | tostring')" = "[7,7]" ]
    expect [ "$(query client.json '[.measurements[] | select(.kind != "interval") | select(has("counters")) | [.kind, .counters["statistics/tx_packets"], .counters["statistics/rx_errors"]]] | tostring')" = \
        '[["summary",7,0]]' ]
    # at the controller the lines of all have none
    expect [ "$(head -n 1 server.out | grep -c ',statistics/tx_packets$')" = 1 ]
    expect [ "$(grep -c '^sockets,local,.*,7$' server.out)" = 17 ]
    expect [ "$(grep -c '^sockets,total,.*,$' server.out)" = 17 ]
    another_port
    controller server -L
    instance client -W statistics/none
    finish_all client server
    expect_all 1 client server
    expect_error client 'counter statistics/none: the device has no counter of that name; take all, a pattern, or one of statistics/'
    expect_error server 'client 1 .*: counter statistics/none'
    # an address of no interface of this host
    another_port
    unset PERFTEST_SYSFS
    controller server -L
    launch client "$(program cmtime)" -C 127.0.0.1 -b 127.0.0.2 -p "$port" -S -W lo/mtu
    finish_all client server
    expect_all 1 client server
    expect_error client 'counter lo/mtu: there are no counters in /sys/class/net/127.0.0.2, nor of a network interface'
}

@test "cmtime: --explain: of a pair both sides name the same causes, with what both have seen" {
    controller server -L --out_json_file=server.json
    instance client -c 2000 --window 40 --explain --out_json_file=client.json # and so does the server
    finish_all client server
    expect_all 0 client server
    expect_schema client.json
    expect_schema server.json
    expect_output client '(few threads \(client\)): connections waited for its 1 thread for [0-9]+ % of their time$'
    expect diff <(grep -E '^(Likeliest|Also|   ->)' client.out) <(grep -E '^(Likeliest|Also|   ->)' server.out)
    expect [ "$(query client.json '.explanation.local | del(.doctor)')" = "$(query server.json '.explanation.remote | del(.doctor)')" ]
    expect [ "$(query client.json '[.explanation[] | objects | .doctor.found >= 0, .interface] | join(" ")')" = "true lo true lo" ]
    # step by step all wait for each other, whatever -n is; the table of a script goes to stdout alone
    another_port
    controller server -L
    instance client --explain --output_format=csv
    finish_all client server
    expect_all 0 client server
    expect [ "$(wc -l <client.out)" = 18 ]
    expect grep -qE 'Likeliest cause|No cause found' client.err
    refuse_output server 'few threads|cannot tell'
}

# The CPUs that two of the clients see are slow.
@test "cmtime: --explain: of more than two the controller has what all saw, and names a cause once, the worst instance first" {
    local cpu name rank
    for cpu in /sys/devices/system/cpu/cpu[0-9]*; do
        for name in 800000 1200000; do
            mkdir -p "$name/devices/system/cpu/${cpu##*/}/cpufreq"
            echo "$name" >"$name/devices/system/cpu/${cpu##*/}/cpufreq/scaling_cur_freq"
            echo 3600000 >"$name/devices/system/cpu/${cpu##*/}/cpufreq/cpuinfo_max_freq"
        done
    done
    controller server -L -P 4 --explain --window 40 -c 500 --out_json_file=server.json
    PERFTEST_SYSFS=$PWD/1200000 instance client1 --out_json_file=client1.json
    PERFTEST_SYSFS=$PWD/800000 instance client2 --out_json_file=client2.json
    instance client3 --out_json_file=client3.json
    finish_all client1 client2 client3 server
    expect_all 0 client1 client2 client3 server
    expect_schema server.json
    expect_schema client1.json
    rank=$(query client1.json .cluster.rank)
    expect grep -A1 -E '^(Likeliest cause|Also): slow CPU \(client [123] on .*\): CPU [0-9]+ ran at 0.80 of 3.60 GHz' server.out
    expect [ "$(grep -c ': slow CPU ' server.out)" = 1 ]
    expect_output server "^   and on 1 other: client $rank on "
    expect [ "$(query server.json '.explanation | [.remote, [.peers[].rank], [.peers[].facts.interface]] | tostring')" = '[null,[1,2,3],["lo","lo","lo"]]' ]
    # what an instance says of itself is what the controller has of it: all that it names, with the same evidence
    for name in client1 client2 client3; do
        rank=$(query $name.json .cluster.rank)
        expect [ "$(query $name.json '.explanation.local | del(.doctor)')" = "$(query server.json ".explanation.peers[] | select(.rank == $rank) | .facts | del(.doctor)")" ]
        expect [ "$(query $name.json '[.explanation.causes[] | [.cause, .evidence]] | sort')" = \
            "$(query server.json "[.explanation.causes[] | .cause as \$cause | .instances[] | select(.rank == $rank) | [\$cause, .evidence]] | sort")" ]
        expect [ "$(query $name.json '.explanation | [.remote, has("peers")] | tostring')" = '[null,false]' ]
        expect_output $name '^This is what was seen on this instance; the controller has what was seen on all$'
    done
}

@test "cmtime: --repeat and --until: one table of several measurements, with an interval, of each and of all" {
    controller server -L -P 3 --out_json_file=server.json
    instance client1 -c 20 --repeat 6 --steady --out_json_file=client.json
    instance client2
    finish_all client1 client2 server
    expect_all 0 client1 client2 server
    expect_schema server.json
    expect_schema client.json
    expect_output client1 '^cm_conn +20$'
    expect_output client1 '^conn/sec +[0-9]+  [2-6] measurements, 95 %: [0-9]+ to [0-9]+$'
    expect [ "$(query client.json '.measurements[] | select(.step == "cm connect") | .count')" = 120 ]
    expect [ "$(query server.json '.measurements[] | select(.step == "cm connect" and .part == "total") | .count')" = 240 ]
    expect jq -e '.measurements[] | select(.kind == "summary" and .part == "total") | .connections == 240 and
        (.connections_of_each_per_second | length) == 6 and .repeats + .repeats_left_out == 6 and .connections_ci95_low_per_second <=
        .connections_per_second and .connections_per_second <= .connections_ci95_high_per_second' server.json
    # shellcheck disable=SC2016 # variables of jq
    expect jq -e '.measurements[] | select(.kind == "summary" and .part == "total") | .connections_per_second as $mean |
        .connections_of_each_per_second[.repeats_left_out:] | add / length - $mean | fabs < 1e-6 * $mean' server.json
    # the first that has had enough ends it for all
    another_port
    controller server -L
    instance client --until 0.01 --max_repeats 12 -c 5 --window 2 --out_json_file=client.json
    finish_all client server
    expect_all 0 client server
    expect [ "$(query client.json '.measurements[] | select(.kind == "summary") | .repeats, .until_reached' | jq -sc .)" = "[12,false]" ]
    expect grep -q 'sockets: after 12 measurements .*raise --max_repeats or --max_time, or -c or --duration' client.err server.err
    # however many there are in a second
    another_port
    good_cmtime -c 1 --repeat 300
    # a measurement that is cut short is in the table
    another_port
    controller server -L --out_json_file=server.json
    instance client --repeat 1000 --duration 1 --window 1
    await client has_run client
    kill -INT "${pids[client]}"
    finish_all client server
    expect_status client 130
    expect_schema server.json
    expect_output client '\(partial\)$'
}

@test "cmtime: --max_time: each of a pair's two tests has its own" {
    [[ -z $(ls /sys/class/infiniband 2>/dev/null) ]] || skip "this host has RDMA devices"
    local name
    for name in server client; do
        launch "$name" "$(program cmtime)" -C 127.0.0.1 -b 127.0.0.1 -p "$port" -c 50 --until 0.01 --max_time 1 --max_repeats 1000 \
            "$([[ $name == server ]] && echo --listen || echo --out_json_file=client.json)"
        [[ $name == client ]] || await server listening server
    done
    finish_all client server
    expect_all 0 client server
    expect jq -e '[.measurements[] | select(.kind == "summary") | .repeats] | length == 2 and min > 1' client.json
}

@test "cmtime: columns behind the classic ones" {
    good_cmtime -c 200 --percentiles=50,99 --queueing
    expect_output client "min\(us\)    p50\(us\)    p99\(us\)    svc\(us\) \+queue\(us\)$"
    expect [ "$(grep -cE '^[a-z ]{13}  ( *[0-9]+){10}$' client.out)" = 17 ]
    expect holds "$(step_field client "cm connect" 7) <= $(step_field client "cm connect" 8)"
    # what is called the service of a step, and comes before the queueing, is no more than the step
    expect holds "$(step_field client "cm connect" 9) <= $(step_field client "cm connect" 3)"
    expect [ "$(step_field client "create id" 9)" = "$(step_field client "create id" 3)" ]
    another_port
    controller server -L
    launch client "$BATS_TEST_DIRNAME/at_terminal" 80 "$(program cmtime)" -C 127.0.0.1 -b 127.0.0.1 -p "$port" -S --percentiles=50,99 --queueing
    finish_all client server
    expect_all 0 client server
    expect grep -q '+queue(us)' client.out
    expect [ -z "$(tr '\r' '\n' <client.out | awk 'length > 80 && !/[0-9]{8}/')" ] # ten seconds in all on a busy machine
}

@test "cmtime: a window, a rate, a duration" {
    good_cmtime -c 300 --window 3 --output_format=json
    expect [ "$(query client.out '.measurements[] | select(.kind == "summary" and .part == "local") | .connections')" = 300 ]
    another_port
    good_cmtime -c 50 --rate 200 --output_format=json
    expect [ "$(query client.out '.measurements[] | select(.kind == "summary" and .part == "local") | .connections')" = 50 ]
    # the fiftieth is due 245 ms after the first, and that is when its full connect begins
    expect holds "$(query client.out '.measurements[] | select(.step == "full connect" and .part == "local") | .total_usec') >= 244999"
    another_port
    good_cmtime --duration 1 --window 2 --output_format=json
    expect holds "$(query client.out '.measurements[] | select(.kind == "summary" and .part == "local") | .connections') > 2"
    expect holds "$(query client.out '[.measurements[] | select(.kind == "interval" and .part == "local")] | length') >= 9"
    expect [ "$(query client.out '[.measurements[] | select(.kind == "summary") | .connections_peak_per_second >= .connections_per_second] | all')" = true ]
    # the last interval of each instance has no rate, since it was cut short
    expect [ "$(query client.out '[.measurements[] | select(.kind == "interval" and .part == "local") | .connections_per_second] |
        .[-1] == null and all(.[:-1][]; . != null)')" = true ]
    expect_schema client.out
}

@test "cmtime: --report_interval: a row as soon as an interval is over, of either side" {
    controller server -L --report_interval 0.1 --timestamps --out_json_file=server.json
    instance client --duration 1 --window 2 --report_interval 0.3 --out_json_file=client.json
    finish_all client server
    expect_all 0 client server
    for name in client server; do
        expect_schema "$name.json"
        expect [ "$(grep -c '^ *begin(s) *length(s) *connections *conn/sec' "$name.out")" = 1 ]
        # whole connections, in parts that follow each other
        expect jq -e '[.measurements[] | select(.part == "local")] | (map(select(.kind == "interval")) | map(.connections) | add) ==
            (.[-1].connections)' "$name.json"
        expect jq -e '[.measurements[] | select(.part == "local" and .kind == "interval")] | .[0].interval_begin_seconds == 0 and
            ([.[:-1], .[1:]] | transpose | all((.[1].interval_begin_seconds - .[0].interval_begin_seconds -
            .[0].interval_seconds | fabs) < 1e-6))' "$name.json"
        expect [ "$(grep -cE '^ +[0-9.]+ +[0-9.]+ +[0-9]+ +([0-9]+|nan)( |$)' "$name.out")" = \
            "$(query "$name.json" '[.measurements[] | select(.part == "local" and .kind == "interval")] | length')" ]
    done
    expect holds "$(query client.json '[.measurements[] | select(.kind == "interval")] | length') >= 3"
    expect [ "$(query client.json '.measurements[0].kind')" = interval ]
    expect_output server '^ *begin.* time\[UTC\]$'
    # each of them may have a limit
    another_port
    controller server -L --report_interval 0.2 --limit_rate 1e6 --limit_intervals --timestamps --out_json_file=server.json
    instance client --duration 1 --window 2 --report_interval 0.2 --limit_rate 0.1 --limit_intervals
    finish_all client server
    expect_status client 0
    expect_status server 3
    expect [ "$(grep -c 'the connection rate is below the limit: .* from [0-9.]* to [0-9.]* s' server.err)" = 1 ]
    expect grep -qE '([0-9]+) of \1 intervals miss a limit, the worst --limit_rate \(1000000 per second\) by ' server.err
    expect grep -qE '^ +[0-9.]+ per second from [0-9.]+ to [0-9.]+ s \(20.*Z\)$' server.err
    expect_schema server.json
    expect [ "$(query server.json '.missed_limits | length')" = 2 ] # of the whole, and of all intervals
    another_port
    controller server -L -P 3 --report_interval 0.2 --limit_rate 1 --limit_intervals
    instance client1 --duration 1 --window 2
    instance client2
    finish_all client1 client2 server
    expect_all 0 client1 client2 server
    expect grep -q 'warning: --limit_intervals has no effect on the controller of more than two instances' server.err
    another_port
    controller server -L --report_interval 1
    instance client -c 3
    finish_all client server
    expect_all 0 client server
    expect grep -q 'warning: --report_interval has no effect while all connections complete a step' server.err
    refuse_output server 'begin'
}

@test "cmtime: --keep_serving: a server of several tests, as the controller or not, whatever becomes of one" {
    controller server -L -c 4 --keep_serving --out_json_file=server.json
    instance client1
    finish client1
    expect_status client1 0
    expect_output client1 "^cm_conn +4$"
    await server listening server
    instance client2 -c 5 # against the server's
    finish client2
    expect_status client2 1
    await server said server 'connections .*is 4 for server'
    await server listening server
    instance client3 --duration 600 --window 1
    await client3 has_run client3
    kill_hard "${pids[client3]}"
    await server said server 'client 1 .*died or was cut off'
    await server listening server
    # its options are again those that it was given: step by step
    instance client4 --out_json_file=client4.json
    finish client4
    expect_status client4 0
    await server listening server
    kill -INT "${pids[server]}"
    finish server
    expect_status server 0
    finish client3
    expect [ "$(grep -c '^Server baseline socket results:$' server.out)" = 2 ]
    expect [ "$(grep -c '^Server baseline socket results: (partial)$' server.out)" = 1 ]
    expect [ "$(query server.1.json .status) $(query server.3.json .status) $(query server.4.json .status)" = "complete failed complete" ]
    expect [ "$(query server.4.json .run_id)" = "$(query client4.json .run_id)" ]
    expect [ ! -e server.json ]
    another_port
    controller client5 -c 6
    instance server -L -c 7 --keep_serving
    finish client5
    expect_status client5 1
    await server said server 'connections .*is 6 for client'
    await server listening server
    kill -INT "${pids[server]}"
    finish server
    expect_status server 0
    another_port
    controller client5
    instance server -L --keep_serving
    finish client5
    expect_status client5 0
    await server listening server # a controller now
    instance client6 -c 2
    finish client6
    expect_status client6 0
    await server listening server
    kill -TERM "${pids[server]}"
    finish server
    expect_status server 0
    expect [ "$(grep -c '^Server baseline socket results:$' server.out)" = 2 ]
    run_alone cmtime -C 127.0.0.1 -b 127.0.0.1 -p "$port" --keep_serving
    expect_status alone 2
    expect_error alone '--keep_serving is for a server: give -L as well'
}

@test "cmtime: -S of one instance makes sockets of all; so do its other options" {
    controller server -L -c 7
    launch client "$(program cmtime)" -C localhost -b localhost -p "$port"
    finish_all client server
    expect_all 0 client server
    expect_output client "^cm_conn +7$"
}

@test "cmtime: of the addresses of a name, one of this host is used" {
    { ((EUID == 0)) && unshare --mount true; } || skip "a name of its own takes root and a namespace"
    [[ -e /etc/hosts && -e /proc/net/if_inet6 ]] || skip "no /etc/hosts to take the place of, or no IPv6"
    printf '192.0.2.77 both\n::1 both\n' >hosts
    # shellcheck disable=SC2016 # for the shell there
    launch server unshare --mount bash -c 'mount --bind hosts /etc/hosts && exec "$0" "$@"' "$(program cmtime)" \
        -C 127.0.0.1 -b both -p "$port" -S -L
    launch client "$(program cmtime)" -C 127.0.0.1 -b ::1 -p "$port" -c 5
    finish_all client server
    expect_all 0 client server
}

@test "cmtime: a -c that differs is named, by all" {
    controller server -L -c 7 -P 3
    instance client1
    await server has_joined server 1
    instance client2 -c 8 --out_json_file=client2.json
    finish_all server client2 client1
    expect_all 1 server client1 client2
    for name in server client1 client2; do
        expect_error "$name" "--connections \(-c\) is 7 for server 0 .* and 8 for client [12]"
    done
    expect [ ! -e client2.json ] # nothing was measured
}

@test "cmtime: no server, or nobody but servers" {
    controller one
    instance two
    finish_all one two
    expect_all 1 one two
    expect_error one "no instance is a server"
    expect_error two "no instance is a server"
    another_port
    controller one -L
    instance two -L
    finish_all one two
    expect_all 1 one two
    expect_error two "all instances are servers"
}

@test "cmtime: wrong command lines" {
    local -a line
    local words
    while IFS='|' read -r words pattern; do
        read -ra line <<<"$words"
        run_alone cmtime "${line[@]}"
        expect_status alone 2
        expect_error alone "$pattern"
    done <<'END'
-b 127.0.0.1|needs -C
-C 127.0.0.1|needs -B or -b
-C 127.0.0.1 -b 127.0.0.1 -B lo|give one of them
-C 127.0.0.1 -b 127.0.0.1 -c 0|connections.*'0' is out of range
-C 127.0.0.1 -b 127.0.0.1 -n 0|threads.*'0' is out of range
-C 127.0.0.1 -b 127.0.0.1 -m -1|mimic.*out of range
-C 127.0.0.1 -b 127.0.0.1 -S -m 5|-m simulates queue pairs
-C 127.0.0.1 -b 127.0.0.1 --limit_intervals --limit_rate 5|--report_interval with --limit_rate: give both
-C 127.0.0.1 -b 127.0.0.1 --nosuch|unknown option
-C 127.0.0.1 -b 127.0.0.1 more|does not belong to an option
END
}

@test "cmtime: addresses that can't be used are known before anybody waits" {
    run_alone cmtime -C 127.0.0.1 -b 192.0.2.7 -p "$port"
    expect_status alone 1
    expect_error alone "192.0.2.7 is not an address of this host"
    run_alone cmtime -C 127.0.0.1 -B nosuch0 -p "$port"
    expect_status alone 1
    expect_error alone "no network interface is called nosuch0"
    run_alone cmtime -C nosuch.invalid -b 127.0.0.1 -p "$port"
    expect_status alone 1
    expect_error alone "controller's name \"nosuch.invalid\""
    run_alone cmtime -C 127.0.0.1 -b no.such.invalid -p "$port"
    expect_status alone 1
    expect_error alone "no.such.invalid"
}

@test "cmtime: a name can't be looked up without a descriptor" {
    run_alone "$BASH" -c 'ulimit -n 4; exec "$@"' - "$(program cmtime)" -C 127.0.0.1 -b localhost -p "$port"
    expect_status alone 1
    expect_error alone "the address (localhost|127.0.0.1) .*too many open files; see ulimit -n"
}

@test "cmtime: an interface by name" {
    launch server "$(program cmtime)" -C 127.0.0.1 -B lo -p "$port" -S -L
    instance client -c 5
    finish_all client server
    expect_all 0 client server
    expect_output server "^cm_conn +5$"
    expect said server "using address 127.0.0.1 of interface lo"
}

# Its name in getifaddrs() is then the label.
@test "cmtime: an interface whose address has a label" {
    local name
    unshare --net true 2>/dev/null || skip "takes a network namespace"
    for name in lo lo:1; do
        # shellcheck disable=SC2016 # variables of that shell
        run unshare --net sh -c 'ip address add 10.9.0.1/24 dev lo label lo:1 && ip link set lo up && ip address del 127.0.0.1/8 dev lo &&
            "$1" -C 10.9.0.1 -B "$2" -S -L 2>&1 & "$1" -C 10.9.0.1 -b 10.9.0.1 -S -c 5 2>&1 && wait $!' - "$(program cmtime)" "$name"
        expect [ "$status" = 0 ]
        expect grep -q "using address 10.9.0.1 of interface $name\$" <<<"$output"
    done
}

@test "cmtime: both sides say that the device is the software one, once" {
    [[ -z $(ls /sys/class/infiniband 2>/dev/null) ]] || skip "this host has RDMA devices"
    local name here there text='soft0 is a software device: the times are those of this host'
    launch server "$(program cmtime)" -C 127.0.0.1 -b 127.0.0.1 -p "$port" -c 5 -L --out_json_file server.json
    await server listening server
    launch client "$(program cmtime)" -C 127.0.0.1 -b 127.0.0.1 -p "$port" -c 5 --out_json_file client.json
    finish_all client server
    expect_all 0 client server
    for name in server client; do
        expect [ "$(grep -c "warning: $text" "$name.err")" = 1 ]
        expect [ "$(query "$name.json" '.warnings | length')" = 1 ]
    done
    for name in "client server" "server client"; do # what either says of the other's device is what that one says
        read -r here there <<<"$name"
        expect [ "$(query "$here.json" '.peer.device | @json')" = "$(query "$there.json" '.device | @json')" ]
    done
}

@test "cmtime: a host of which more is known than it can send has its own device in its document" {
    [[ -z $(ls /sys/class/infiniband 2>/dev/null) ]] || skip "this host has RDMA devices"
    { ((EUID == 0)) && unshare --mount true; } || skip "a CPU model of its own takes root and a namespace"
    # each of them is six characters in JSON
    printf 'model name\t: %s\n' "$(printf '\001%.0s' {1..250})" >cpuinfo
    # shellcheck disable=SC2016 # for the shell there
    launch server unshare --mount bash -c 'mount --bind cpuinfo /proc/cpuinfo && exec "$0" "$@"' "$(program cmtime)" \
        -C 127.0.0.1 -b 127.0.0.1 -p "$port" -L --out_json_file server.json
    await server listening server
    launch client "$(program cmtime)" -C 127.0.0.1 -b 127.0.0.1 -p "$port" -c 5 --out_json_file client.json
    finish_all client server
    expect_all 0 client server
    expect [ "$(query client.json '.peer.device.name')" = null ] # nothing of it could be sent
    expect [ "$(query server.json '.device.name')" = soft0 ]
    expect_schema server.json
}

@test "cmtime: not all come" {
    instance server -L --join_timeout 1
    finish server
    expect_status server 1
    expect_error server "only 1 of 2 instances joined within 1 s"
    run_alone cmtime -C 192.0.2.1 -b 127.0.0.1 -p "$port" --join_timeout 1
    expect_status alone 1
    expect_error alone "no controller answers on 192.0.2.1 port $port after 1 s"
}

@test "cmtime: an instance that has joined says at a terminal that it waits for others" {
    controller server -L -P 3
    launch client1 "$BATS_TEST_DIRNAME/at_terminal" 80 "$(program cmtime)" -C 127.0.0.1 -b 127.0.0.1 -p "$port" -S -c 3
    await client1 said client1 'waiting until all instances \(-P\) have joined controller 127\.0\.0\.1;'
    instance client2
    finish_all client1 client2 server
    expect_all 0 client1 client2 server
}

@test "cmtime: phases are named to a user at a terminal, not to a program that reads what is written there" {
    local input
    for input in terminal /dev/null; do
        another_port
        controller server -L
        # shellcheck disable=SC2016 # for the shell at the terminal
        launch client1 "$BATS_TEST_DIRNAME/at_terminal" 80 bash -c '[[ $1 == terminal ]] || exec <"$1"; exec "${@:2}"' - "$input" \
            "$(program cmtime)" -C 127.0.0.1 -b 127.0.0.1 -p "$port" -S -c 3
        finish_all client1 server
        expect_all 0 client1 server
        expect [ "$(grep -c '^cmtime: Connecting' client1.out)" = "$([[ $input == terminal ]] && echo 2 || echo 0)" ]
    done
}

@test "cmtime: an instance that leaves before all are there makes room for another" {
    controller server -L -P 3
    instance gone
    await server has_been_heard
    kill_hard "${pids[gone]}"
    await server said server "client 1 .* left"
    finish gone
    instance client1 -c 3
    instance client2
    finish_all client1 client2 server
    expect_all 0 client1 client2 server
}

@test "cmtime: strangers at the controller's door" {
    controller server -L
    expect [ "$(send_bytes 'GET / HTTP/1.0\r\n\r\n')" = "" ]
    expect [ "$(send_bytes 'PFTC\x00\x08\x00\x07\x00\x00\x00\x04\x00\x00\x00\x01')" = "" ]
    expect [ "$(send_bytes 'PFTC\x00\x08\x00\x01\xff\xff\xff\xff')" = "" ]
    for _ in 1 2 3; do
        send_bytes "$(head -c 400 /dev/urandom | od -An -v -tx1 | tr -d '\n' | sed 's/ /\\x/g')" >/dev/null
    done
    instance client -c 5
    finish_all client server
    expect_all 0 client server
    expect [ "$(grep -c 'not a cmtime message' server.err)" = 6 ]
    expect [ "$(grep -c error: server.err)" = 0 ]
}

zeros() { # NUMBER
    printf '\\x00%.0s' $(seq "$1")
}

# Its first message is a sockaddr_storage, which a client leaves empty, and its role.
@test "cmtime: rdma-core's cmtime cannot join, and is named at once" {
    local hello
    for hello in "$(zeros 136)" "\\x02$(zeros 127)\\x01$(zeros 7)"; do
        another_port
        controller server -L -P 3
        send_bytes "$hello" >/dev/null
        finish server
        expect_status server 1
        expect_error server "error: 127.0.0.1:[0-9]+ is rdma-core's cmtime, which cannot be joined with this one: run the same cmtime on all hosts"
    done
}

@test "cmtime: another version of the protocol is refused with both versions, by either side" {
    controller server -L
    expect grep -q "install the same cmtime" <<<"$(send_bytes 'PFTC\x00\x01\x00\x01\x00\x00\x00\x00')"
    expect said server "cmtime: 127.0.0.1:.* speaks version 1"
    instance client -c 5
    finish_all client server
    expect_all 0 client server
    another_port
    launch other python3 -c '
import socket, sys
door = socket.create_server(("127.0.0.1", int(sys.argv[1])))
peer = door.accept()[0]
door.close()
peer.recv(4096)
peer.sendall(b"PFTC\0\x09\0\2\0\0\0\0")
peer.recv(4096)' "$port"
    await other listening other
    instance client
    finish_all client other
    expect_status client 1
    expect_error client "controller 127.0.0.1 speaks version 9 of the protocol, this instance version 8"
}

@test "cmtime: what listens and never answers is no controller" {
    launch other python3 -c '
import socket, sys
door = socket.create_server(("127.0.0.1", int(sys.argv[1])))
peer = door.accept()[0]
while peer.recv(4096):
    pass' "$port"
    await other listening other
    instance client # with the usual 600 s to join
    finish client
    expect_status client 1
    expect_error client "the program listening on 127.0.0.1 port $port has not answered: it is not a controller of this cmtime"
    finish other
}

@test "cmtime: what connects and says nothing is named" {
    controller server -L
    exec {stranger}<>"/dev/tcp/127.0.0.1/$port"
    await server said server "127.0.0.1:[0-9]+ connected and did not identify itself"
    instance client -c 5
    finish_all client server
    expect_all 0 client server
    exec {stranger}>&-
}

# Health checks, scanners and the like find the port of the data, too.
@test "cmtime: strangers at a server's door are no connections" {
    local data_port
    controller client1 -P 3 --duration 600 --window 2
    instance server -L
    instance client2
    await client1 has_run client1
    data_port=$(listening_ports "${pids[server]}")
    expect [ -n "$data_port" ]
    exec {silent}<>"/dev/tcp/127.0.0.1/$data_port"
    for _ in 1 2 3; do
        exec {short}<>"/dev/tcp/127.0.0.1/$data_port"
        exec {short}>&-
    done
    expect [ "$(port=$data_port send_bytes 'GET / HTTP/1.0\r\n\r\n')" = "" ]
    await server said server "cmtime: a connection from 127.0.0.1:[0-9]+ does not belong to a client of this run"
    for name in client1 client2 server; do # and it goes on
        expect kill -0 "${pids[$name]}"
    done
    kill -INT "${pids[client1]}"
    finish_all client1 client2 server
    expect_error server "client 0 .*stopped by its user"
    expect [ "$(grep -c 'does not belong to a client' server.err)" = 1 ]
    exec {silent}>&-
}

@test "cmtime: what is no controller" {
    launch other python3 -c '
import socket, sys
door = socket.create_server(("127.0.0.1", int(sys.argv[1])))
peer = door.accept()[0]
peer.recv(4096)
peer.sendall(b"220 mail ESMTP\r\n")
peer.recv(4096)' "$port"
    await other listening other
    instance client
    finish client
    expect_status client 1
    expect_error client "the program listening on 127.0.0.1 port $port is not a cmtime controller"
    finish other
}

# A long run: connections come and go until somebody ends it.
long_run() {
    controller server -L -P 3
    instance client1 --duration 600 --window 2
    instance client2
    # both are connected: something has come and gone in each of them
    await client1 has_run client1
    await client2 has_run client2
}

# Has an instance a word of the controller's? That comes once it has joined.
has_been_heard() {
    ss -Htin state established "( dport = :$port )" | grep -q 'bytes_received:[1-9]'
}

# A member's connection beside the listener.
has_joined() { # NAME COUNT
    (($(readlink "/proc/${pids[$1]}/fd"/* | grep -c '^socket:') > $2))
}

# Threads of the pool have used some processor time: connections come and go. The main thread's own may be that of its start.
has_run() { # NAME
    awk -v main="${pids[$1]}" '$1 != main { ticks += $14 + $15 } END { exit !(ticks >= 5) }' "/proc/${pids[$1]}"/task/*/stat
}

# Whoever dies, the others end, say who it was, and mark what they have.
@test "cmtime: a client is killed" {
    long_run
    kill_hard "${pids[client1]}"
    finish_all client1 client2 server
    expect_all 1 server client2
    for name in server client2; do
        expect_error "$name" "client [12] .*died or was cut off at step \"full connect\""
        expect_output "$name" "\(partial\)$"
    done
}

@test "cmtime: the server, which is the controller, is killed" {
    long_run
    kill_hard "${pids[server]}"
    finish_all server client1 client2
    expect_all 1 client1 client2
    for name in client1 client2; do
        expect_error "$name" "server 0 .*(died or was cut off while this instance was at \"full connect\")"
        expect_output "$name" "\(partial\)$"
    done
}

@test "cmtime: a server that is not the controller is killed" {
    controller client1 -P 3 --duration 600 --window 2
    instance server -L
    instance client2
    await client1 has_run client1
    await client2 has_run client2
    kill_hard "${pids[server]}"
    finish_all server client1 client2
    expect_all 1 client1 client2
    for name in client1 client2; do
        expect_error "$name" "server [12] .*died or was cut off|while this instance"
    done
}

@test "cmtime: a controller that is killed is not waited for" {
    controller server -L -P 3
    instance client1 --join_timeout 86400
    await server has_joined server 1
    kill_hard "${pids[server]}"
    finish_all server client1
    expect_status client1 1
    expect_error client1 "the controller 127.0.0.1 ended before all instances had joined: it may have been killed or have crashed"
}

@test "cmtime: an instance that is stopped is noticed by its silence" {
    controller server -L --timeout 3
    instance client --duration 600 --timeout 3
    await client has_run client
    kill -STOP "${pids[client]}"
    finish server
    expect_status server 1
    expect_error server "client 1 .*has been silent for 3 s"
    kill -CONT "${pids[client]}"
    finish client
    expect_status client 1
}

@test "cmtime: Ctrl-C ends all, with what there is" {
    long_run
    kill -INT "${pids[client2]}"
    finish_all client2 client1 server
    expect_status client2 130
    expect_all 1 server client1
    expect_error server "client [12] .*stopped by its user"
    for name in server client1 client2; do
        expect_output "$name" "\(partial\)$"
    done
}

@test "cmtime: Ctrl-C while it waits for the others" {
    controller server -L --output_format=jsonl --out_json_file=server.json
    kill -INT "${pids[server]}"
    finish server
    expect_status server 130
    expect [ ! -e server.json ] && expect [ ! -s server.out ] # nothing was measured
    instance client -L
    await client listening client
    kill -TERM "${pids[client]}"
    finish client
    expect_status client 130
}

@test "cmtime: more connections than a process may have open" {
    controller server -L
    launch client bash -c 'ulimit -n 64; exec "$@"' - "$(program cmtime)" -C 127.0.0.1 -b 127.0.0.1 -p "$port" -S -c 200
    finish_all client server
    expect_all 1 client server
    expect_error client "client 1 .*create id of connection [0-9]+: Too many open files.*ulimit -n"
    expect_error server "client 1 .*create id of connection [0-9]+: Too many open files"
    expect_output client "\(partial\)$"
}

@test "cmtime: strangers do not use up what the controller may open" {
    launch server bash -c 'ulimit -n 24; exec "$@"' - "$(program cmtime)" -C 127.0.0.1 -b 127.0.0.1 -p "$port" -S -L -c 5
    await server listening server
    for crowd in first second; do
        launch "$crowd" "$PERFTEST_TOP/tests/cli/tcp_peer" -p "$port" crowd 127.0.0.1
        await "$crowd" said "$crowd" 'all are connected'
    done
    instance client
    finish_all client server first second
    expect_all 0 client server
    # nobody had to be given up for silence before there was room
    if said server 'did not identify itself'; then return 1; fi
}

@test "cmtime: more instances than the controller may hold connections with" {
    launch server bash -c 'ulimit -n 10; exec "$@"' - "$(program cmtime)" -C 127.0.0.1 -b 127.0.0.1 -p "$port" -S -L -P 100
    await server listening server
    launch clients bash -c 'for ((i = 0; i < 10; i++)); do "$@" & done; wait' - \
        "$(program cmtime)" -C 127.0.0.1 -b 127.0.0.1 -p "$port" -S --join_timeout 2
    finish_all server clients
    expect_status server 1
    expect_error server "cannot accept instance [0-9]+: Too many open files; see ulimit -n"
}

@test "cmtime: IPv6" {
    [[ -e /proc/net/if_inet6 ]] || skip "this host has no IPv6"
    launch server "$(program cmtime)" -C ::1 -b ::1 -p "$port" -S -L
    launch client "$(program cmtime)" -C ::1 -b ::1 -p "$port" -c 5
    finish_all client server
    expect_all 0 client server
    another_port
    launch server "$(program cmtime)" -C ::1 -b ::1 -p "$port" -S -L
    launch client "$(program cmtime)" -C ::1 -b 127.0.0.1 -p "$port" -c 5
    finish_all client server
    expect_all 1 client server
    expect_error client "client [01] .*addresses of the same family"
}

@test "cmtime: a stdout that takes nothing more" {
    controller server -L
    launch client bash -c '"$@" >/dev/full' - "$(program cmtime)" -C 127.0.0.1 -b 127.0.0.1 -p "$port" -S -c 5
    finish_all client server
    expect_status client 1
    expect_error client "cannot write the results to stdout"
    expect_status server 1
    expect_error server "client [01] .*: cannot write the results to stdout: No space left"
}

@test "cmtime: help and version" {
    run_alone cmtime --help
    expect_status alone 0
    expect_output alone "--mimic_qp_delay=USEC"
    run_alone cmtime -V
    expect_status alone 0
    expect_output alone "^Version: "
}

@test "cmtime: a queue pair that is refused without an error number is no success" {
    in_front_build as_lacking
    in_front_of as_lacking
    launch server "${in_front[@]}" "$(program cmtime)" -C 127.0.0.1 -b 127.0.0.1 -p "$port" -c 2 -L
    await server listening server
    launch client "${in_front[@]}" LACKS=errno "$(program cmtime)" -C 127.0.0.1 -b 127.0.0.1 -p "$port" -c 2
    finish_all client server
    expect_status client 1
    expect_error client 'create qp of connection [0-9]+: Input/output error'
}
