#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# `perftest --ssh`: a stand-in for ssh runs the other side on this machine.

load helpers
load rsh

perftest=$PERFTEST_BUILD/perftest

both() { # [ARGUMENTS]: the client is client
    launch client "$perftest" "$@"
    finish client
}

# Its size tells it from those of other tests.
unending() {
    remote_shell
    launch client "$perftest" --ssh localhost ib_write_bw -d soft0 -s "$port" --run_infinitely -D 1
    await client both_run
}

both_run() {
    (($(programs) == 2))
}

# bats test_tags=quick
@test "perftest --ssh: a server there, a client here, and the words of each" {
    remote_shell
    both --ssh localhost ib_write_bw -d soft0 -n 200 --out_json_file=client.json
    expect_status client 0
    expect_rows client 1
    expect [ ! -s client.err ]
    expect_schema client.json
    expect [ "$(jq -r .role client.json)" = client ]
    both --server_output --ssh=localhost ib_send_lat -d soft0 -n 200
    expect_status client 0
    expect_rows client 1
    expect grep -q '^localhost: .*Send Latency Test' client.err
    expect grep -q $'^localhost:  2 .*[0-9] *\t' client.err # as it was printed there
    expect [ "$(grep -vc '^localhost: ' client.err)" = 0 ]
    both --ssh user@localhost qperf -t 0.1 tcp_lat
    expect_status client 0
    expect_output client 'latency'
    none_runs
}

@test "perftest --ssh: on a port, by an address, another installation and another version" {
    # shellcheck disable=SC2016 # for the script
    remote_shell 'set -- "${@//'"${perftest//\//\\/}"'//nowhere/perftest}"
PATH='"$PERFTEST_BUILD"':$PATH sh -c "$*" | sed -u "s/^perftest [^ ]* listens/perftest 6.99 listens/"
exit'
    both --ssh localhost --port="$port" --address=127.0.0.1 ib_write_bw -d soft0 -n 200
    expect_status client 0
    expect_rows client 1
    expect grep -q 'warning: localhost has version 6.99 of perftest, this is' client.err
    start_server ib_write_bw
    both --ssh localhost --port="$port" ib_write_bw -d soft0
    expect_status client 1
    expect grep -q "^localhost: perftest: error: port $port is in use" client.err
    kill -INT "${pids[server]}"
    finish server
}

@test "perftest --ssh: what does not start is said in the words of the other host" {
    remote_shell
    both --ssh localhost ib_write_bw "--it's \$HOME \"twice\""
    expect_status client 2
    expect grep -qF "localhost: ib_write_bw: error: unknown option '--it's \$HOME \"twice\"'" client.err
    both --ssh away7 ib_write_bw
    expect_status client 1
    expect grep -q '^away7: ssh: connect to host away7 port 22: No route to host$' client.err
    expect grep -q '^perftest: error: no server on away7' client.err
    both --ssh localhost --rsh=./nothing ib_write_bw
    expect_status client 1
    expect grep -q '^localhost: cannot execute ./nothing: No such file' client.err
    # of what would be tried in turn, what is there and not what is absent
    mkdir path
    touch path/ssh # not executable
    launch client env PERFTEST_RSH= PATH="$PWD/path" "$perftest" --ssh localhost ib_write_bw
    finish client
    expect_status client 1
    expect grep -q '^localhost: cannot execute ssh: Permission denied$' client.err
    rm path/ssh
    launch client env PERFTEST_RSH= PATH="$PWD/path" "$perftest" --ssh localhost ib_write_bw
    finish client
    expect grep -q '^localhost: cannot execute ssh, pdsh or clush: No such file' client.err
    # as ssh -n, pdsh and clush do
    remote_shell 'exec <<<""
exec </dev/null'
    both --ssh localhost ib_write_bw -d soft0
    expect_status client 1
    expect grep -q '^localhost: .*stdin has ended at once' client.err
    remote_shell 'exec cat >/dev/null'
    both --ssh localhost --start_timeout=1 ib_write_bw -d soft0
    expect_status client 1
    expect_error client 'the server on localhost does not listen after 1 s'
    local words
    while read -r words; do
        # shellcheck disable=SC2086 # words
        both $words
        expect_status client 2
        expect_error client .
    done <<<"--ssh
--ssh localhost
--ssh -oProxyCommand=x ib_write_bw
--ssh=-oProxyCommand=x ib_write_bw
--ssh=a;b ib_write_bw
--ssh localhost cmtime
--ssh localhost raw_ethernet_bw
--ssh localhost ib_wrte_bw
--port=1 ib_write_bw
--frob"
}

@test "perftest --ssh: Ctrl-C, and the end of the client, end both sides" {
    unending
    await client measuring client
    kill -INT "${pids[client]}"
    finish client
    expect_status client 0 # as of one without an end
    expect_output client Summary
    expect none_runs
    both --ssh localhost ib_write_bw -d soft0 -s "$port" --out_json_file=/nowhere/client.json
    expect_status client 1
    expect none_runs
}

@test "perftest --ssh: whatever is killed, nothing is left on either side" {
    unending
    kill_hard "${pids[client]}"
    finish client
    await_none
    rm rsh.pids
    unending
    kill_hard "$(<rsh.pids)"
    finish client
    expect_status client 1
    expect grep -q "other side on localhost has ended too early: signal 9 (Killed) has ended its shell's end on this host" client.err
    expect none_runs
    unending
    kill_hard "$(pgrep -f "^ib_write_bw .*-s $port .*-D 1$")"
    finish client
    expect_status client 1
    expect grep -q '^localhost: perftest: error: signal 9 (Killed) has ended the server' client.err
    expect none_runs
    unending
    kill_hard "$(pgrep -f "^ib_write_bw .*-s $port .* 127.0.0.1$")"
    finish client
    expect_status client 1
    expect grep -q '^perftest: error: signal 9 (Killed) has ended the client on this host' client.err
    expect none_runs
    # shellcheck disable=SC2016 # for the script
    remote_shell 'kill -9 $$'
    both --ssh localhost ib_write_bw -d soft0
    expect_status client 1
    expect_error client "no server on localhost: signal 9 .Killed. has ended its shell's end"
    remote_shell 'exit 137'
    both --ssh localhost ib_write_bw -d soft0
    expect_status client 1
    expect_error client 'no server on localhost: signal 9 .Killed. has ended perftest there'
    remote_shell 'exit 7'
    both --ssh localhost ib_write_bw -d soft0
    expect_status client 1
    expect_error client 'no server on localhost: it said nothing on stderr, with status 7'
    unending
    await client measuring client # before it had met the server it would be 130
    kill -HUP "${pids[client]}"
    finish client
    expect_status client 0
    expect none_runs
}

@test "perftest --ssh: a side that does not end is named while it is waited for" {
    local stopped
    unending
    await client measuring client
    stopped=$(pgrep -f "^ib_write_bw .*-s $port .* 127.0.0.1$")
    kill -STOP "$stopped"
    kill -INT "${pids[client]}"
    await client grep -q '^perftest: waiting for the client on this host to end, until it is killed after 10 s$' client.err
    # as one that has just begun, and has no handler for Ctrl-C yet
    kill_hard "$stopped"
    finish client
    expect_status client 130
    expect none_runs
    unending
    await client measuring client
    stopped=$(pgrep -f "^ib_write_bw .*-s $port .*-D 1$")
    kill -STOP "$stopped"
    kill -INT "${pids[client]}"
    await client grep -q '^perftest: waiting for perftest on localhost to end, 8 s at most$' client.err
    kill -CONT "$stopped"
    finish client
    expect none_runs
}
