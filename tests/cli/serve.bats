#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# perftest serve: one port for the clients of all programs; and the sockets of systemd, which all servers take.

load helpers

start_serve() { # [OPTIONS]
    launch server "$PERFTEST_BUILD/perftest" serve -p "$port" "$@"
    await server said server '^ready$'
}

# Ends it, and nothing was on stdout but that line.
end_serve() {
    kill -TERM "${pids[server]}"
    finish server
    expect_status server 0
    expect [ "$server_output" = ready ]
}

has_no_client() {
    ! pgrep -P "${pids[server]}" >/dev/null
}

connect() { # TEXT: on descriptor 5
    exec 5<>"/dev/tcp/127.0.0.1/$port"
    printf '%s' "$1" >&5
}

# bats test_tags=quick
@test "serve: clients of several programs at once, each with its own options" {
    local program
    start_serve -- -d soft0
    for program in ib_write_bw ib_send_lat ib_atomic_bw; do
        launch_client "$program" "$program" -s 8 -n 100
    done
    for program in ib_write_bw ib_send_lat ib_atomic_bw; do
        finish "$program"
        expect_status "$program" 0
        expect_rows "$program" 1
    done
    end_serve
    expect_quiet server
}

@test "serve: qperf, also 0.4.11" {
    start_serve
    run_alone qperf 127.0.0.1 -lp "$port" -t 1 tcp_lat
    expect [ "$status" = 0 ]
    expect grep -q latency alone.out
    run_alone qperf 127.0.0.1 -lp "$port" quit
    expect_error alone 'does not quit'
    if [[ -x /usr/bin/qperf ]]; then
        run_alone /usr/bin/qperf 127.0.0.1 -lp "$port" -t 1 tcp_bw
        expect [ "$status" = 0 ]
        expect grep -q 'bw  = ' alone.out
    fi
    end_serve
}

@test "serve: cxi_send_bw, with options of its servers" {
    ! "$PERFTEST_BUILD/cxi_send_bw" --provider=tcp ::no.such.host 2>&1 | grep -q "libfabric" || skip "no libfabric"
    start_serve -- -d soft0 -- cxi_send_bw --provider=tcp
    start_client cxi_send_bw --provider=tcp -n 10 -s 64
    finish client
    expect_status client 0
    end_serve
}

@test "serve: cmtime, many at once, and only a pair of instances" {
    local name
    start_serve
    for name in first second; do
        launch "$name" "$PERFTEST_BUILD/cmtime" -C 127.0.0.1 -p "$port" -b 127.0.0.1 -S -c 20
    done
    launch third "$PERFTEST_BUILD/cmtime" -C 127.0.0.1 -p "$port" -b 127.0.0.1 -c 20
    for name in first second third; do
        finish "$name"
        expect_status "$name" 0
        expect_output "$name" '^full connect +[1-9]'
    done
    run_alone cmtime -C 127.0.0.1 -p "$port" -b 127.0.0.1 -S -P 3
    expect [ "$status" = 1 ]
    expect_error alone 'peers.* is 2 for server 0 .* and 3 for client 1'
    run_alone cmtime -C 127.0.0.1 -p "$port" -b 127.0.0.1 -S -L
    expect_error alone 'all instances are servers \(-L\)'
    end_serve
}

@test "serve: a client of linux-rdma perftest at the port of its program, and only there" {
    [[ -x /usr/bin/ib_read_bw ]] || skip "linux-rdma perftest is not installed"
    local other=$((port + 1))
    start_serve "--port_of=ib_read_bw:$other"
    launch client "$PERFTEST_TOP/scripts/run_soft" /usr/bin/ib_read_bw -p "$other" -n 100 127.0.0.1
    finish client
    expect_status client 0
    expect_rows client 1
    launch client "$PERFTEST_TOP/scripts/run_soft" /usr/bin/ib_read_bw -p "$port" -n 100 127.0.0.1
    finish client
    expect [ "$client_status" != 0 ]
    expect said server 'is linux-rdma perftest, which does not say its program: .*--port_of=ib_write_bw:18516'
    # at that port, too, a client of this suite is of the program that it says
    launch client "$PERFTEST_BUILD/ib_write_lat" -p "$other" -n 100 127.0.0.1
    finish client
    expect_status client 0
    end_serve
}

@test "serve: clients with rdma_cm of several programs, one after the other, and beside those with TCP" {
    start_serve --rdma_cm --bind_source_ip=127.0.0.1
    launch_client first ib_write_bw -z -D 1
    await first said first '^ #bytes'
    launch_client second ib_read_lat -n 100
    finish second
    expect_status second 0
    finish first
    expect_status first 0
    launch_client third ib_read_lat -z -n 100
    finish third
    expect_status third 0
    launch_client fourth ib_send_bw -R -n 100
    finish fourth
    expect_status fourth 0
    end_serve
}

@test "serve: clients of linux-rdma perftest with rdma_cm at the port of their program" {
    [[ -x /usr/bin/ib_send_lat ]] || skip "linux-rdma perftest is not installed"
    local other=$((port + 1)) round
    start_serve --rdma_cm "--port_of=ib_send_lat:$other"
    for round in 1 2; do
        launch client "$PERFTEST_TOP/scripts/run_soft" /usr/bin/ib_send_lat -R -p "$other" 127.0.0.1
        finish client
        expect_status client 0
        expect_rows client 1
    done
    launch client "$PERFTEST_TOP/scripts/run_soft" /usr/bin/ib_send_lat -p "$other" 127.0.0.1
    finish client
    expect_status client 0
    launch_client own ib_write_bw -R -n 100
    finish own
    expect_status own 0
    end_serve
}

@test "serve: without a server for clients with rdma_cm it does not begin, and does not go on" {
    run_alone perftest serve -p "$port" --rdma_cm -- -d nosuch
    expect [ "$status" = 1 ]
    expect [ ! -s alone.out ]
    expect grep -q "the server for clients with -R and -z at port $port could not begin (--rdma_cm)" alone.err
    # of several servers the one that has ended is named
    start_serve --rdma_cm "--port_of=ib_send_lat:$((port + 1))"
    kill_hard "$(pgrep -n -P "${pids[server]}")"
    finish server
    expect_status server 1
    expect_error server "the server for clients with -R and -z at port $((port + 1)) has ended"
}

@test "serve: one client too many is refused in every program's words, and the next one is served" {
    start_serve --max_clients=1
    launch_client first ib_write_bw -D 600
    await first said first '^ #bytes'
    run_alone ib_read_lat -p "$port" 127.0.0.1
    expect_error alone 'refuses: the server has as many clients as it accepts \(--max_clients\)'
    run_alone qperf 127.0.0.1 -lp "$port" tcp_lat
    expect_error alone 'as many clients as it accepts'
    if [[ -x /usr/bin/qperf ]]; then
        run_alone /usr/bin/qperf 127.0.0.1 -lp "$port" tcp_lat
        expect grep -q 'as many clients as it accepts' alone.err
    fi
    expect [ "$(grep -c 'others are refused' server.err)" = 1 ]
    kill -INT "${pids[first]}"
    finish first
    await server has_no_client
    run_alone ib_read_lat -p "$port" -n 10 127.0.0.1
    expect [ "$status" = 0 ]
    end_serve
}

@test "serve: silence, single bytes, garbage and half a request are one line each, and keep nobody from being served" {
    local number line
    start_serve
    connect ''
    exec 6<&5-
    connect '6.0'
    exec 7<&5-
    connect $'GET / HTTP/1.1\r\n\r\n'
    await server said server 'began with "GET / HTTP/1.1\.\.", as no program'
    exec 8<&5-
    # a greeting of ib_write_bw, and no more
    exec 5<>"/dev/tcp/127.0.0.1/$port"
    printf '6.06\0perftest\11\11\3' >&5
    start_client ib_write_bw -n 100
    finish client
    expect_status client 0
    exec 5>&- 7>&-
    await server said server 'left before it said what it wants'
    await server said server 'ib_write_bw: .*before it sent a request'
    for ((number = 0; number < 30; number++)); do
        connect "garbage $number          "
        exec 5>&-
    done
    start_client ib_write_bw -n 100
    finish client
    expect_status client 0
    expect said server 'further ones are not reported'
    expect [ "$(wc -l <server.err)" -le 20 ]
    exec 6>&- 8>&-
    end_serve
}

@test "serve: another host's client is refused by --allow, and reported in one line" {
    start_serve --allow=192.0.2.0/24
    run_alone ib_write_bw -p "$port" 127.0.0.1
    expect [ "$status" = 1 ]
    expect [ "$(grep -c 'is not allowed to come in (--allow)' server.err)" = 1 ]
    end_serve
}

@test "serve: when it is killed the programs end, and their clients say why" {
    start_serve
    start_client ib_write_bw -D 600
    await client said client '^ #bytes'
    kill -KILL "${pids[server]}"
    finish server
    finish client
    expect [ "$client_status" != 0 ]
    expect grep -q 'stopped by its user' client.err
}

@test "serve: a program that does not end in its time is ended, and named" {
    local child
    start_serve --max_duration=3
    launch_client client ib_write_bw -D 3 --timeout=60
    await client said client '^ #bytes'
    child=$(pgrep -P "${pids[server]}")
    kill -STOP "$child"
    await server said server 'still running 15 s after --max_duration=3, and is ended'
    finish client
    expect [ "$client_status" != 0 ]
    end_serve
}

@test "serve: a client whose program cannot begin gets the reason" {
    start_serve -- -d nosuch -- cxi_send_bw --provider=nosuch
    run_alone ib_write_bw -p "$port" 127.0.0.1
    expect_error alone "refuses: the server's program could not begin"
    expect_error server 'nosuch'
    : >server.err
    run_alone cxi_send_bw --provider=tcp -p "$port" 127.0.0.1
    expect [ "$status" = 1 ]
    expect grep -q "the server's program could not begin\|libfabric" alone.err
    end_serve
}

@test "serve: what is wrong with its command line is said before it listens" {
    local words pattern
    while IFS=: read -r words pattern; do
        # shellcheck disable=SC2086 # words
        run_alone perftest serve $words
        expect [ "$status" = 2 ]
        expect_error alone "$pattern"
        expect [ ! -s alone.out ]
    done <<<'ib_write_bw:options of the servers follow --
--port_of=ib_wrte_bw.1:no PROGRAM:PORT
--allow=here:not an address or network
--max_client=1 --max_clients=0:max_clients
-- --frobnicate:frobnicate
-- ib_wrte_bw -n 5:did you mean ib_write_bw
-- ib_write_bw node7:takes no node7
-- --clients=2:takes no --clients
--rdma_cm --allow=192.0.2.1:cannot be combined with --allow
-- -d soft0 -- ib_read_bw --keep_serving:takes no --keep_serving'
}

@test "serve: a socket of systemd is taken, and systemd is notified when it is ready" {
    launch server python3 -c '
import os, socket, sys
address, notify, program = sys.argv[1:4]
listening = socket.create_server(("127.0.0.1", int(address)))
told = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
told.bind(notify)
if os.fork():
    os.environ.update(LISTEN_FDS="1", LISTEN_PID=str(os.getpid()), NOTIFY_SOCKET=notify)
    os.dup2(listening.fileno(), 3)
    os.set_inheritable(3, True)
    os.execv(program, [program, "serve", "-p", "1"])
print(told.recv(100), file=sys.stderr, flush=True)
os._exit(0)' "$port" "$PWD/notify" "$PERFTEST_BUILD/perftest"
    await server said server '^ready$'
    await server said server "^b'READY=1'$"
    start_client ib_write_bw -n 100
    finish client
    expect_status client 0
    end_serve
}

@test "the socket of systemd, listening or connected, is what each server uses" {
    command -v systemd-socket-activate >/dev/null || skip "systemd-socket-activate is not installed"
    local kind
    local -a activate=(systemd-socket-activate -E XDG_RUNTIME_DIR -l "127.0.0.1:$port")
    for kind in "" -a; do
        launch server "${activate[@]}" ${kind:+"$kind"} "$PERFTEST_BUILD/ib_write_lat"
        await server listening server
        start_client ib_write_lat -n 100
        finish client
        expect_status client 0
        [[ -z $kind ]] || kill -TERM "${pids[server]}"
        finish server
    done
    launch server "${activate[@]}" "$PERFTEST_BUILD/perftest" serve
    await server listening server
    for kind in ib_write_lat ib_read_bw; do
        start_client "$kind" -n 100
        finish client
        expect_status client 0
    done
    kill -TERM "${pids[server]}"
    finish server
    expect_status server 0
    launch server "${activate[@]}" "$PERFTEST_BUILD/cmtime" -C 127.0.0.1 -b 127.0.0.1 -S -L
    await server listening server
    run_alone cmtime -C 127.0.0.1 -p "$port" -b 127.0.0.1 -c 5
    expect [ "$status" = 0 ]
    finish server
    expect_status server 0
    launch server "${activate[@]}" -a "$PERFTEST_BUILD/qperf"
    await server listening server
    run_alone qperf 127.0.0.1 -lp "$port" -t 1 tcp_lat
    expect [ "$status" = 0 ]
    # that server ends with its only client
    await server said server 'Child .* died with code 0'
    kill -TERM "${pids[server]}"
    finish server
}
