#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Do two sides whose software devices cannot reach each other report this before the test starts? Each test runs one
# side as on another host, as another user, or in another container.

load helpers

refused_on_both() { # PATTERN
    finish client
    finish server
    expect_status client 1
    expect_status server 1
    expect_error client "$1"
    expect_error server "$1"
    refuse_output client '#bytes'
}

# A command that runs another one in a mount namespace where the kernel has another boot id, and under another host's name.
another_host_or_skip() {
    echo 01234567-89ab-cdef-0123-456789abcdef >boot_id
    cat >on_another_host <<END
#!/bin/bash
exec unshare -mu bash -c 'mount --bind "$PWD/boot_id" /proc/sys/kernel/random/boot_id && hostname hostb && exec "\$@"' - "\$@"
END
    chmod +x on_another_host
    ./on_another_host true 2>/dev/null || skip "no right to make namespaces"
}

@test "two hosts without adapters: both report what soft0 is for, and what to use" {
    another_host_or_skip
    under=("$PWD/on_another_host")
    start_server ib_write_bw
    under=()
    start_client ib_write_bw -n 50
    refused_on_both "soft0 connects processes of one user on one host; the server is on hostb as uid [0-9]+ and the client on [^ ]+ as uid [0-9]+\. .*rdma link add rxe0 type rxe netdev eth0"
}

@test "qperf: between two hosts soft0 is refused to both, and sockets are not" {
    another_host_or_skip
    launch server "$PWD/on_another_host" "$(program qperf)" -lp "$port"
    await server listening server
    launch client "$(program qperf)" 127.0.0.1 -lp "$port" -t 0.1 rc_lat
    finish client
    expect_status client 1
    expect_error client "ended the test: soft0 connects processes of one user on one host; the server is on hostb as uid [0-9]+ and the client on [^ ]+ as uid [0-9]+\. .*rdma link add rxe0 type rxe netdev eth0, and -i rxe0"
    launch client "$(program qperf)" 127.0.0.1 -lp "$port" -t 0.1 tcp_lat quit
    finish client
    expect_status client 0
    finish server
    expect_error server "soft0 connects processes"
}

@test "two containers of one host: namespaces alone are no reason" {
    local -a kind
    unshare -mu true 2>/dev/null || skip "no right to make namespaces"
    # of processes, too, with a /proc of their own and without
    for kind in -mu '-pf --mount-proc' -pf; do
        read -ra kind <<<"$kind"
        under=()
        start_server ib_send_bw
        under=(unshare "${kind[@]}")
        start_client ib_send_bw -n 50
        finish client
        finish server
        expect_status client 0
        expect_status server 0
    done
}

@test "two users of one host" {
    ((EUID == 0)) || skip "only root can be somebody else"
    setpriv --reuid 65534 --clear-groups test -x "$(program ib_write_bw)" || skip "the build folder is closed to others"
    mkdir -m 700 "$BATS_TEST_TMPDIR/other"
    chown 65534 other
    under=(setpriv --reuid 65534 --regid 65534 --clear-groups env XDG_RUNTIME_DIR=/nowhere)
    start_server ib_write_bw
    under=()
    start_client ib_write_bw -n 50
    refused_on_both "soft0 connects processes of one user on one host; the server runs as uid 65534 and the client as uid 0: run both as the same user"
}

# By rdma_cm they do not meet.
@test "two users of one host: with -R and by cmtime, too" {
    ((EUID == 0)) || skip "only root can be somebody else"
    setpriv --reuid 65534 --clear-groups test -x "$(program ib_write_bw)" || skip "the build folder is closed to others"
    local reach='; with rdma_cm the software device reaches only programs of the same user, host and network namespace [(]a container has its own[)]$'
    under=(setpriv --reuid 65534 --regid 65534 --clear-groups env XDG_RUNTIME_DIR=/nowhere)
    start_server ib_write_bw
    under=()
    start_client ib_write_bw -R -n 50
    finish client
    expect_status client 1
    expect_error client "no server listens with rdma_cm on 127.0.0.1 port [0-9]+: .*$reach"
    kill -INT "${pids[server]}"
    finish server
    launch server setpriv --reuid 65534 --regid 65534 --clear-groups env XDG_RUNTIME_DIR=/nowhere \
        "$(program cmtime)" -C 127.0.0.1 -b 127.0.0.1 -p "$port" -L
    await server listening server
    launch client "$(program cmtime)" -C 127.0.0.1 -b 127.0.0.1 -p "$port" -c 1
    finish client
    finish server
    expect_status client 1
    expect_error client "no program listens there.*$reach"
}

# Their network is one, and the path of their folders.
@test "two containers with a runtime folder each do not see each other's ports of rdma_cm" {
    unshare --mount true 2>/dev/null || skip "no right to make namespaces"
    # shellcheck disable=SC2016 # for that shell
    under=(unshare --mount sh -c 'mount -t tmpfs -o mode=700 tmpfs "$XDG_RUNTIME_DIR" && exec "$@"' -)
    start_server ib_write_bw -R
    under=()
    start_client ib_write_bw -R -n 50
    finish client
    expect_status client 1
    expect_error client "no server listens with rdma_cm on 127.0.0.1 port [0-9]+"
    kill -INT "${pids[server]}"
    finish server
}

@test "a runtime folder that each side has by another path: with -R, too" {
    ln -s "$XDG_RUNTIME_DIR" link
    under=(env XDG_RUNTIME_DIR="$PWD/link")
    start_server ib_write_bw -R
    under=()
    start_client ib_write_bw -R -n 50
    finish client
    finish server
    expect_status client 0
    expect_status server 0
}

# Of a long path the message has the end; the other one may be as long, where the tests' own folder is.
@test "another XDG_RUNTIME_DIR on each side" {
    local other
    other=$XDG_RUNTIME_DIR/$(printf 'long%.0s' {1..30})/other
    mkdir -p "$other"
    chmod 700 "$other"
    under=(env XDG_RUNTIME_DIR="$other")
    start_server ib_write_bw
    under=()
    start_client ib_write_bw -n 50
    refused_on_both "soft0 connects processes that share a runtime folder; the server's is \.\.\.(long)+/other/perftest-soft and the client's .*/runtime/perftest-soft: give both the same XDG_RUNTIME_DIR"
}

@test "the server's runtime folder was removed, and the client has another one of that name" {
    start_server ib_write_bw
    rm -r "$XDG_RUNTIME_DIR/perftest-soft"
    start_client ib_write_bw -n 50
    refused_on_both "the server's is .*/runtime/perftest-soft and the client's .*/runtime/perftest-soft, a different one of that name \(if it was removed and created again since, start both again\)"
}

@test "a side whose device is no software device" {
    start_server ib_write_bw
    start_client "$PERFTEST_TOP/tests/cli/native_peer" --device rxe0 greet hello=iters=100 hold
    finish client
    finish server
    expect_status server 1
    expect_error server "the server has soft0 and the client rxe0, but soft0 is a software device"
    expect_output client "refuse: the server has soft0 and the client rxe0"
}

@test "a program of a build from before the release, which speaks version 1" {
    start_server ib_write_bw
    start_client "$PERFTEST_TOP/tests/cli/native_peer" bytes=362e303600706572667465737401010000 hold
    finish client
    finish server
    expect_status server 1
    expect_error server "speaks versions 1 to 1 of the protocol, this program version [0-9]+: run the same perftest on both sides"
}
