#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# A classic peer that breaks off, sends garbage, has different options, or dies.
# bats file_tags=slow

load helpers
load classic

# --- bytes ---

# Our server, and a client that speaks by the book.
start_peer() { # [OPTIONS OF classic_peer]
    start_classic_server ours ib_write_bw "${server_args[@]}"
    launch client "$PERFTEST_TOP/tests/cli/classic_peer" -p "$port" "$@" 127.0.0.1
    finish client
    finish server
}

@test "classic: a peer of 6.29 keeps its parameters to itself" {
    start_peer
    expect_status client 0
    expect_status server 0
    expect [ "$(classic_rows server.out)" = "65536 5000 11920.93 11682.51 0.186921" ]
    expect said server 'is linux-rdma perftest 6.29: options are not exchanged'
}

@test "classic: a peer that may have receives consumed out of order is warned of, where the adapter can" {
    local warning='on soft0 it may have receives consumed out of order, .* --no_enhanced_reorder, or this side --use_ooo$'
    export PERFTEST_SOFT=profile=mlx5
    start_peer --version 26.04
    expect said server "$warning"
    start_peer --version 6.06
    expect [ "$(grep -c "out of order" server.err)" = 0 ]
    server_args=(--use_ooo)
    start_peer
    expect [ "$(grep -c "out of order" server.err)" = 0 ]
    server_args=()
    PERFTEST_SOFT=profile=irdma start_peer
    expect [ "$(grep -c "out of order" server.err)" = 0 ]
}

@test "classic: messages may come in pieces" {
    local chunk
    for chunk in 50 1; do
        start_peer --chunk "$chunk"
        expect_status server 0
        expect_rows server 1
    done
}

@test "classic: a peer that goes at any point is noticed" {
    local count
    # before the first one nobody can tell what it is: endings.bats
    for count in {1..12}; do
        start_peer --until "$count"
        expect_status server 1
        expect_error server 'client \(.*\) closed the connection while'
    done
}

@test "classic: a peer that falls silent at any point is given up" {
    local count
    server_args=(--timeout 1)
    for count in 1 3 4 7 8 13; do
        start_peer --until "$count" --hold
        expect_status server 1
        expect_error server 'client \(.*\) was silent for 1 s while'
    done
}

@test "classic: rubbish at any point is said" {
    local number
    for number in 1 3 4 5 6 7 8 9 10 13; do
        start_peer --corrupt "$number"
        expect_status server 1
        expect_error server 'client \(.*\) sent'
    done
}

@test "classic: a page that no machine has is not believed" {
    start_peer --corrupt 1
    expect_error server 'impossible page size, 2021161080 bytes'
}

@test "classic: a result that no network can reach is no row" {
    start_peer --average 1e9
    expect_status server 1
    expect_error server 'sent a result that cannot be true: its rate is beyond any network'
    expect_rows server 0
}

# --- what the sides do not tell each other ---

@test "classic: a GID on one side only is named" {
    start_peer --no-gid
    expect_status server 1
    expect_error server 'client \(.*\) uses no GID, but this side does.*-x'
}

# Ours ends with 1 and one line that matches, whatever the other one makes of it; both have other options. Theirs is waited for
# where it ends by itself: of a signal it leaves its files.
# With patience=3 the line is that of ours having waited, which then has to be soon.
disagree() { # CLIENT PATTERN OURS THEIRS; the last two are a program and its options
    local client=$1 pattern=$2 name=server
    local -a ours theirs
    read -ra ours <<<"$3"
    read -ra theirs <<<"$4"
    ours+=(--timeout "${patience-60}")
    if [[ $client == ours ]]; then
        name=client
        start_classic_server theirs "${theirs[@]}"
        start_classic_client ours "${ours[@]}"
    else
        start_classic_server ours "${ours[@]}"
        start_classic_client theirs "${theirs[@]}"
    fi
    finish "$name"
    expect_status "$name" 1
    expect_error "$name" "$pattern"
}

@test "classic: fewer queue pairs at the peer are named" {
    disagree ours 'server \(.*\) does not have [0-9]+ queue pairs.*-q' "ib_write_bw -q 2" ib_write_bw
}

@test "classic: --sizes, of which the peer has none" {
    disagree ours 'whose sizes are those of -a: run with -a' "ib_send_bw --sizes=64:256:*2" "ib_send_bw -a"
    finish server
}

@test "classic: more queue pairs at the peer are named" {
    disagree theirs 'client \(.*\) does not have [0-9]+ queue pairs.*-q' ib_write_bw "ib_write_bw -q 2"
    finish client
}

@test "classic: fewer messages of the peer than awaited are named" {
    disagree theirs 'sent only 500 of 1000 messages .*-n' ib_send_bw "ib_send_bw -n 500"
    finish client
}

@test "classic: another message size of the sender is named" {
    local transport
    for transport in RC UC UD; do
        disagree theirs '127.0.0.1:[0-9]+ sends messages of 1000 bytes, but this side expects 2048.*-s' \
            "ib_send_bw -s 2048 -c $transport" "ib_send_bw -s 1000 -c $transport"
        refuse_output server '^ 2048 '
        finish client
    done
}

@test "classic: another message size of a ping-pong is named" {
    local transport
    for transport in RC UC UD; do
        disagree theirs '127.0.0.1:[0-9]+ sends messages of 1000 bytes, but this side expects 2048.*-s' \
            "ib_send_lat -s 2048 -c $transport" "ib_send_lat -s 1000 -c $transport"
        refuse_output server '^ 2048 '
        # theirs polls for ever
        end_group "${pids[client]}" 5
        unset "pids[client]"
    done
    disagree ours '127.0.0.1:[0-9]+ sends messages of 100 bytes, but this side expects 64.*-s|length error.*-s' \
        "ib_send_lat -s 64" "ib_send_lat -s 100"
}

# The receiver's device says no to the sender's, and theirs then goes without a word.
@test "classic: another message size of the receiver is named, in both directions too" {
    disagree ours 'remote invalid request .*longer than the receive \(give both sides the same -s\)' \
        "ib_send_bw -b -s 2048" "ib_send_bw -b -s 1000"
    finish server
    disagree theirs 'remote invalid request .*longer than the receive \(give both sides the same -s\)' \
        "ib_send_bw -b -s 2048" "ib_send_bw -b -s 1000"
    finish client
    disagree ours 'remote invalid request .*longer than the receive \(give both sides the same -s\)' \
        "ib_send_bw -s 2048" "ib_send_bw -s 1000"
    finish server
}

# Nothing arrives where it is looked for; what is there instead says it. A server speaks first, and hears nothing at all.
@test "classic: another message size of a ping-pong through memory is named" {
    local sizes
    for sizes in "64 100" "100 64"; do
        disagree ours "127.0.0.1:[0-9]+ sends messages of ${sizes#* } bytes, but this side expects ${sizes% *}: .*-s" \
            "ib_write_lat -s ${sizes% *}" "ib_write_lat -s ${sizes#* }"
        end_group "${pids[server]}" 5
        unset "pids[server]"
    done
    patience=1 disagree theirs 'no message came for 1 s after 0 messages: .* or was given another -s' \
        "ib_write_lat -s 64" "ib_write_lat -s 100"
    end_group "${pids[client]}" 5
    unset "pids[client]"
    good_pair ib_write_bw -n 10 # reaps what the dead left
}

@test "classic: more messages of the peer than awaited end the wait for it" {
    patience=3 disagree theirs 'client \(.*\) was silent for 3 s.*same' "ib_send_bw -n 500" "ib_send_bw -n 4000"
    finish client
}

@test "classic: a ping-pong of other length is named" {
    patience=3 disagree ours '' "ib_write_lat -n 2000" "ib_write_lat -n 100"
}

@test "classic: other message sizes in both directions are named" {
    disagree ours 'server \(.*\) measured messages of 4096 bytes, but this side messages of 2048' \
        "ib_write_bw -b -s 2048" "ib_write_bw -b -s 4096"
}

@test "classic: another test is given up within the limit" {
    patience=3 disagree theirs 'client|transport|remote' ib_write_bw ib_send_bw
    patience=3 disagree ours 'server|remote' ib_send_lat ib_write_lat
}

@test "classic: --dont_xchg_versions works on both sides, and says when it is on one" {
    server_args=(--dont_xchg_versions -s 4096)
    good_pair ib_send_bw --dont_xchg_versions -s 4096
    expect said client '^ib_send_bw: with --dont_xchg_versions no options are exchanged: this side and the server .* use their own$'
    expect [ "$(grep -c 'linux-rdma' client.err)" = 0 ] # both are of this suite
    expect classic_same ib_send_bw -s 4096
    server_args=(--timeout 3)
    run_pair ib_send_bw --dont_xchg_versions --timeout 3
    expect_error server 'dont_xchg_versions'
    server_args=(--dont_xchg_versions --timeout 3)
    run_pair ib_send_bw --timeout 3
    expect_error server 'sent its version.*--dont_xchg_versions to both'
}

@test "classic: an open loop needs a peer that answers several messages at once" {
    start_classic_server theirs ib_write_lat
    start_classic_client ours ib_write_lat --rate=1000
    finish client
    finish server
    expect_status client 1
    expect_error client 'is linux-rdma perftest, which handles one message at a time: run without --rate'
}

@test "classic: none is one of several, and leaves the others alone" {
    start_classic_server ours ib_write_bw --clients 1
    start_classic_client theirs ib_write_bw
    await server said server 'client 127.0.0.1:[0-9]+ is linux-rdma perftest, which cannot be one of several'
    finish client
    expect [ "$client_status" != 0 ]
    good_client() { "$PERFTEST_BUILD/ib_write_bw" -d soft0 -p "$port" -n 50 localhost; }
    expect good_client >good.out
    finish server
    expect_status server 0
    expect_error server 'which cannot be one of several peers \(--clients\): run this suite there, or run this server without --clients'

    start_classic_server theirs ib_write_bw
    launch client "$PERFTEST_BUILD/ib_write_bw" -d soft0 -n 50 --timeout 3 "localhost:1,localhost:$port"
    finish client
    finish server
    expect_status client 1
    expect grep -q "error: localhost:$port: .* is linux-rdma perftest, which cannot be one of several" client.err
}

# --- the end of one ---

@test "classic: a peer that is killed is noticed" {
    local who name survivor
    for who in ours theirs; do
        name=server
        [[ $who == ours ]] || name=client
        start_classic_server "$([[ $who == ours ]] && echo theirs || echo ours)" ib_write_bw -D 60
        start_classic_client "$who" ib_write_bw -D 60
        survivor=$([[ $name == server ]] && echo client || echo server)
        await "$survivor" said "$survivor" '^ #bytes' # the others keep their words to themselves until the end
        kill_hard -- "-${pids[$name]}"
        finish client
        finish server
        expect_status "$survivor" 1
        expect_error "$survivor" 'closed the connection|gone|retry|flush'
    done
    good_pair ib_write_bw -n 10 # reaps what the dead left
}

@test "classic: Ctrl-C prints what was measured" {
    start_classic_server theirs ib_write_bw -D 60
    start_classic_client ours ib_write_bw -D 60
    await client said client '^ #bytes'
    kill -INT "${pids[client]}"
    finish client
    finish server
    expect_status client 130
}

@test "classic: an endless run ends with the client" {
    start_classic_server ours ib_write_bw --run_infinitely -D 1
    start_classic_client theirs ib_write_bw --run_infinitely -D 1
    await client said client '^ 65536 '
    kill -INT "${pids[client]}"
    finish client
    finish server
    expect_status server 0
    start_classic_server theirs ib_write_bw --run_infinitely -D 1
    start_classic_client ours ib_write_bw --run_infinitely -D 1
    await client said client '^ 65536 '
    kill -INT "${pids[client]}"
    finish client
    finish server
    expect_status client 0
}
