#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# How two sides agree on options, and how a server handles its clients.
# bats file_tags=sanitized

load helpers

@test "a bare server takes all of the client's options over" {
    good_pair ib_send_bw -s 2K -n 64 -q 2 -c UC -t 32 -r 64 -Q 4
    expect_output server "Number of qps +: 2"
    expect_output server "Connection type +: UC"
    expect_output server "RX depth +: 64"
    expect [ "$(field server 1 1)" = 2048 ]
    expect [ "$(field server 1 2)" = 128 ]
}

@test "the same option with the same value on both sides is no contradiction" {
    server_args=(-s 4096 -n 50)
    good_pair ib_write_bw -s 4K -n 50
}

@test "a contradiction ends both sides with the option's name and both values" {
    local side
    server_args=(-s 8192)
    run_pair ib_send_bw -s 4096 -n 50
    for side in client server; do
        expect [ "$( variable=${side}_status; echo "${!variable}")" = 1 ]
        expect_error "$side" "size.*4096.*8192"
    done
}

@test "an option that the server gave and the client did not is a contradiction too" {
    server_args=(-q 4)
    run_pair ib_write_bw -n 50
    expect_status client 1
    expect_status server 1
    expect_error client "qp"
    expect_error server "qp"
}

@test "a server that does not measure leaves to its client what is measured, and says so" {
    server_args=(-a -F -f 1 --perform_warm_up)
    good_pair ib_write_bw -D 1 -f 0
    expect said server 'all is on here and off on the client, whose value is used'
    expect said server 'margin is 1 here and 0 on the client, whose value is used'
    expect said server 'perform_warm_up is on here and off on the client, whose value is used'
    expect_rows server 1
    expect [ "$(field server 1 1)" = 65536 ]
}

@test "a margin without -D is no contradiction" {
    server_args=(-f 1)
    good_pair ib_send_lat -n 50
    expect said server "margin is 1 here, which the client's test does not use: -f has an effect only with -D"
}

@test "a number of messages, or a size, is no contradiction to a client with -D, or -a" {
    server_args=(-n 100)
    good_pair ib_send_bw -D 1 -f 0
    expect said server "iters is 100 here, which the client's test does not use: -n has no effect in a timed run"
    server_args=(-s 4096)
    good_pair ib_write_bw -n 50 -a
    expect said server "size is 4096 here, which the client's test does not use: -s has no effect with -a"
}

@test "--retry: a client waits until a server listens, over TCP and with rdma_cm" {
    local way
    for way in "--retry 60 --comm_rdma_cm" --retry=60 --retry; do
        # shellcheck disable=SC2086 # words; the last one stands before HOST
        start_client ib_write_bw -n 50 $way
        await client said client 'no server listens yet'
        # not start_server: the client may have been served before anybody sees the listener
        launch server "$(program ib_write_bw)" -p "$port"
        finish client
        finish server
        expect_status client 0
        expect_status server 0
    done
}

@test "--retry: at its end the client says that nobody listens" {
    start_client ib_write_bw -n 50 --retry 1
    finish client
    expect_status client 1
    expect_error client "no server listens"
}

@test "what concerns only the server stays the server's" {
    server_args=(--report_gbits)
    good_pair ib_write_bw -n 50
    expect_output server "Gb/sec"
    expect_output client "MiB/sec"
}

@test "a server becomes that of its client's program, if it has the options that it was given" {
    start_server ib_write_bw -t 64
    start_client ib_read_lat -n 50
    finish client
    finish server
    expect_status client 0
    expect_status server 0
    expect_output server 'RDMA_Read Latency Test'
    start_server ib_write_bw --write_with_imm
    start_client ib_read_bw
    finish client
    finish server
    expect_status client 1
    expect_status server 1
    expect_error client 'refuses: .*write_with_imm'
    expect_error server 'write_with_imm'
}

@test "a client of another program than that of several clients is refused with both names" {
    start_server ib_write_bw --clients 1 --timeout 3
    start_client ib_read_bw
    finish client
    finish server
    expect_status client 1
    expect_status server 1
    expect_error client "ib_write_bw.*ib_read_bw|ib_read_bw.*ib_write_bw"
    expect grep -q 'the server runs ib_write_bw and the client ib_read_bw' server.err
}

@test "--keep_serving: one client after the other, good and bad" {
    start_server ib_write_bw --keep_serving
    start_client ib_write_bw -n 50
    finish client
    expect_status client 0
    start_client ib_read_bw --run_infinitely
    finish client
    expect_status client 1
    start_client ib_write_bw -n 50 -s 8 -q 2
    finish client
    expect_status client 0
    run_alone "$PERFTEST_TOP/tests/cli/tcp_peer" -p "$port" rubbish 127.0.0.1
    start_client ib_write_bw -n 50 -s 1M
    finish client
    expect_status client 0
    await server waits_again
    kill -INT "${pids[server]}"
    finish server
    expect_status server 0
    expect_output server "^ 8 "
    expect_output server "^ 1048576 "
}

# What ends it between two clients is its orderly end; a test that it cuts short is none.
@test "--keep_serving: Ctrl-C, SIGTERM and SIGHUP, with a client and without" {
    local signal
    for signal in INT TERM HUP; do
        start_server ib_write_bw --keep_serving
        kill -"$signal" "${pids[server]}"
        finish server
        expect_status server 0
        start_server ib_write_bw --keep_serving
        start_client ib_write_bw -D 60
        await client said client '^ #bytes'
        kill -"$signal" "${pids[server]}"
        finish server
        finish client
        expect_status server 130
        expect_status client 1
    done
}

@test "two clients at once: the first is served, the second is refused with the reason" {
    start_server ib_write_bw
    start_client ib_write_bw --run_infinitely -D 1
    await client said client '^ #bytes'
    launch_client second ib_write_bw -n 50
    finish second
    expect_status second 1
    expect_error second "no server listens.*; a server without --keep_serving does not listen while it serves another"
    kill -INT "${pids[client]}"
    finish client
    finish server
    expect_status client 0
    expect_status server 0
}

@test "two clients at once of a server that keeps serving: one waits for the other" {
    start_server ib_write_bw --keep_serving
    launch_client first ib_write_bw -D 1 -f 0
    launch_client second ib_write_bw -n 50
    finish first
    finish second
    expect_status first 0
    expect_status second 0
    await server waits_again
    kill -INT "${pids[server]}"
    finish server
    expect_status server 0
}

# Have so many of the waiting clients ended?
served() { # COUNT
    local i ended=0
    for i in waiting{1..18}; do
        alive "$i" || ((++ended))
    done
    ((ended >= $1))
}

# With TCP the kernel completes the connections of clients that wait; with rdma_cm each occupies a place of the backlog.
@test "more clients than a socket's backlog wait for a server with rdma_cm" {
    local i
    start_server ib_write_bw -R --keep_serving --max_duration off
    launch_client first ib_write_bw -R --run_infinitely -D 1
    await first said first '^ #bytes'
    for i in {1..18}; do
        launch_client "waiting$i" ib_write_bw -R -n 5 --timeout 1000
    done
    for i in {1..18}; do
        await "waiting$i" begun "waiting$i"
    done
    kill -INT "${pids[first]}"
    for i in {1..18}; do
        await server served "$i"
    done
    for i in first waiting{1..18}; do
        finish "$i"
        expect_status "$i" 0
    done
    await server waits_again
    kill -INT "${pids[server]}"
    finish server
    expect_status server 0
}

@test "a server's port that is taken" {
    start_server ib_write_bw
    run_alone ib_write_bw -p "$port"
    expect_status alone 1
    expect_error alone "$port.*in use"
}

@test "no server there" {
    run_alone ib_write_bw -p "$port" localhost
    expect_status alone 1
    expect_error alone "no server listens on localhost port $port"
    # scripts start the client again while they see it
    expect [ "$(head -n 1 alone.err)" = "Couldn't connect to localhost:$port" ]
}

@test "the server of another program" {
    launch server "$(program qperf)" -lp "$port"
    await server listening server
    run_alone ib_write_bw -p "$port" localhost
    expect_status alone 1
    expect_error alone 'the server \([0-9.:]+\) is qperf: run the same program on both sides'
    run_alone qperf localhost -lp "$port" quit
    finish server
    start_server ib_write_bw
    run_alone qperf localhost -lp "$port" tcp_bw
    expect_status alone 1
    expect_error alone 'the server \([0-9.:]+\) closed the connection without an answer: is it qperf that listens there \(--listen_port\), and may this host come in'
    await server said server 'ignored a connection that is not a client: .* is qperf: run the same program'
    start_client ib_write_bw -n 50
    finish client
    finish server
    expect_status server 0
}

@test "a server name that does not resolve" {
    run_alone ib_write_bw -p "$port" no-such-host.invalid
    expect_status alone 1
    expect_error alone "no-such-host.invalid"
}

@test "a device that is not there, on either side" {
    run_alone ib_write_bw -p "$port" -d nosuch0
    expect_status alone 1
    expect_error alone "nosuch0"
    run_alone ib_write_bw -p "$port" -d nosuch0 localhost
    expect_status alone 1
    expect_error alone "nosuch0"
}

@test "a software device that is not there" {
    run_alone ib_write_bw -p "$port" -d soft9
    expect_status alone 1
    expect_error alone "soft9"
}

@test "a device port that is not there" {
    run_alone ib_write_bw -p "$port" -i 2
    expect_status alone 1
    expect_error alone "port.*2|2.*port"
}

@test "a GID index that is not there" {
    run_alone ib_write_bw -p "$port" -x 200
    expect [ "$alone_status" -ne 0 ]
    expect_error alone "gid"
}

@test "an IPv4 address and a name do alike" {
    start_server ib_write_bw
    launch client "$(program ib_write_bw)" -p "$port" -n 50 127.0.0.1
    finish client
    finish server
    expect_status client 0
    expect_status server 0
}
