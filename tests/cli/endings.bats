#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What each side does when the other one dies, hangs or sends garbage, or when the user interrupts it. Both exit, with a
# line that gives the reason and a matching status; results so far are printed and marked.
# bats file_tags=sanitized

load helpers

running_pair() { # PROGRAM [OPTIONS]
    start_server "$1"
    start_client "$@" -D 60
    await client said client '^ #bytes'
}

# After SIGKILL nobody tidies; the next program of this user does.
reap() {
    good_pair ib_write_bw -n 10
}

# --- Ctrl-C ---

# A shell's trap waits for a program in the foreground: here for the whole test.
@test "SIGTERM on run_perftest_loopback ends both sides" {
    local core
    core=$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')
    launch client "$PERFTEST_TOP/scripts/run_perftest_loopback" "$core" "$core" "$(program ib_write_bw)" -D 600 --report_interval 0.1 -p "$port"
    await client said client '^ 65536 '
    kill -TERM "${pids[client]}"
    finish client
    expect_status client 130
    expect_output client '(partial)'
}

@test "Ctrl-C on a server that waits" {
    start_server ib_write_bw
    kill -INT "${pids[server]}"
    finish server
    expect_status server 130
}

@test "SIGTERM on a server that waits" {
    start_server ib_write_bw
    kill -TERM "${pids[server]}"
    finish server
    expect_status server 130
}

# Kilobytes of the file that its registered memory moves to.
moved_kib() { # NAME
    local file
    file=$(find "/proc/${pids[$1]}/fd" -lname '*perftest-soft-data*' 2>/dev/null | head -1)
    [[ -n $file ]] && stat -L -c %b "$file" | awk '{ print int($1 / 2) }'
}

has_moved() { # NAME KIB
    (($(moved_kib "$1") >= $2))
}

# soft0 gives the buffer its pages: 16 MiB of them are there.
@test "Ctrl-C and SIGTERM while a large buffer is registered" {
    local signal
    for signal in INT TERM; do
        start_server ib_write_bw
        start_client ib_write_bw -s 512M --run_infinitely -D 1
        await client has_moved client 16384
        kill "-$signal" "${pids[client]}"
        finish client
        finish server
        expect_status client 130
        expect_status server 1
        expect_quiet client
        expect_error server 'stopped by its user'
    done
}

@test "Ctrl-C on a client whose server says nothing" {
    start_server "$PERFTEST_TOP/tests/cli/tcp_peer" hold
    start_client ib_write_bw
    await client connected client
    kill -INT "${pids[client]}"
    finish client
    expect_status client 130
}

@test "Ctrl-C on a server whose client says nothing" {
    start_server ib_write_bw
    launch client "$PERFTEST_TOP/tests/cli/tcp_peer" -p "$port" silent 127.0.0.1
    await server connected server
    kill -INT "${pids[server]}"
    finish server
    finish client
    expect_status server 130
}

# Has NAME an established connection on our port? (01 in the kernel's list of states)
connected() { # NAME
    local inode descriptor port_hex
    port_hex=$(printf ':%04X' "$port")
    # shellcheck disable=SC2013 # inodes have no blanks
    for inode in $(awk -v port="$port_hex" '$4 == "01" && (index($2, port) || index($3, port)) { print $10 }' /proc/net/tcp /proc/net/tcp6); do
        for descriptor in /proc/"${pids[$1]}"/fd/*; do
            [[ $(readlink "$descriptor") == "socket:[$inode]" ]] && return 0
        done
    done
    return 1
}

# The user has seen rows of intervals, so there is something to show; the row of the whole follows, marked, as is the
# interval before it where that was cut short. No other is.
interrupted_with_rows() { # PROGRAM
    start_server "$1"
    start_client "$1" -D 60 -f 0 --report_interval 0.1 --out_json_file client.json
    await client said client '^ [0-9]'
    kill -INT "${pids[client]}"
    finish client
    finish server
    expect_status client 130
    expect [ "$server_status" -ne 0 ]
    expect grep -q 'partial' <(rows client | tail -n 1)
    expect [ "$(rows client | head -n -2 | grep -c partial)" = 0 ]
    # One that was not cut short reaches the next multiple of its length.
    if jq -e '[.measurements[] | select(.kind == "interval")][-1] |
        .interval_begin_seconds + .elapsed_seconds < (((.interval_begin_seconds + 1e-6) / 0.1 | floor) + 1) * 0.1 - 1e-6' \
        client.json; then
        expect grep -q 'partial' <(rows client | tail -n 2 | head -n 1)
    fi
    expect_error server 'the client \([^)]*\) ended the test'
}

interrupted() { # SIDE PROGRAM [OPTIONS]
    local side=$1 other=client
    shift
    [[ $side == client ]] && other=server
    running_pair "$@"
    kill -INT "${pids[$side]}"
    finish client
    finish server
    expect_status "$side" 130
    variable=${other}_status
    expect [ "${!variable}" -ne 0 ]
}

@test "Ctrl-C on the client while it writes: its partial row is printed and marked" { interrupted_with_rows ib_write_bw; }
@test "Ctrl-C on the client as soon as it writes" { interrupted client ib_write_bw; }
@test "Ctrl-C on the server while the client writes" { interrupted server ib_write_bw; }
@test "Ctrl-C on the client while it sends" { interrupted_with_rows ib_send_bw; }
@test "Ctrl-C on the server while it receives" { interrupted server ib_send_bw; }
@test "Ctrl-C on the client in a ping-pong" { interrupted_with_rows ib_send_lat; }
@test "Ctrl-C on the server in a ping-pong" { interrupted server ib_write_lat; }
@test "Ctrl-C on the client while it reads" { interrupted client ib_read_lat; }
@test "Ctrl-C on the client in both directions" { interrupted client ib_write_bw -b; }
@test "Ctrl-C on the server in both directions" { interrupted server ib_send_bw -b; }

@test "Ctrl-C on a client that sleeps on events" {
    start_server ib_send_bw
    start_client ib_send_bw -e -n 100000000
    await client said client '^ #bytes'
    kill -INT "${pids[client]}"
    finish client
    finish server
    expect_status client 130
    expect [ "$server_status" -ne 0 ]
}

@test "SIGHUP, as when a terminal is closed, ends a client as Ctrl-C does, but not under nohup" {
    start_server ib_write_bw
    start_client ib_write_bw -D 60 -f 0 --report_interval 0.1 --out_json_file run.json
    await client said client '^ [0-9]'
    kill -HUP "${pids[client]}"
    finish client
    finish server
    expect_status client 130
    expect grep -q 'partial' <(rows client | tail -n 1)
    expect_schema run.json
    expect [ "$(query run.json '.status')" = interrupted ]
    start_server ib_write_bw
    launch client nohup "$(program ib_write_bw)" -D 2 -p "$port" localhost
    await client said client '^ #bytes'
    kill -HUP "${pids[client]}"
    finish client
    finish server
    expect_status client 0
    expect_status server 0
}

@test "SIGHUP on a client of several threads, and on a server of several clients" {
    start_server ib_write_bw --threads 2
    start_client ib_write_bw -D 60 -q 2 --threads 2
    await client said client '^ #bytes'
    kill -HUP "${pids[client]}"
    finish client
    finish server
    expect_status client 130
    start_server ib_write_bw --clients 2
    kill -HUP "${pids[server]}"
    finish server
    expect_status server 130
}

@test "Ctrl-C where the signal was blocked when the program was started" {
    start_server ib_write_bw
    launch client env --block-signal=INT,TERM,HUP "$(program ib_write_bw)" -D 60 -f 0 -p "$port" localhost
    await client said client '^ #bytes'
    kill -INT "${pids[client]}"
    finish client
    finish server
    expect_status client 130
}

@test "Ctrl-C while the JSON file is wanted: the document is whole and says that it is not complete" {
    start_server ib_write_bw
    start_client ib_write_bw --run_infinitely -D 1 --report_interval 0.2 --out_json_file run.json
    await client said client '^ [0-9]'
    kill -INT "${pids[client]}"
    finish client
    finish server
    expect_schema run.json
}

# --- kill -9 ---

killed() { # SIDE PROGRAM [OPTIONS]
    local side=$1 other=client
    shift
    [[ $side == client ]] && other=server
    running_pair "$@"
    kill_hard "${pids[$side]}"
    finish client
    finish server
    expect_status "$other" 1
    expect [ "$(grep -c 'error:' "$other.err")" -ge 1 ]
    reap
}

@test "kill -9 of a soak: its JSON document has every row so far" {
    start_server ib_write_bw
    start_client ib_write_bw --run_infinitely -D 1 --report_interval 0.1 --out_json_file run.json
    # shellcheck disable=SC2016 # evaluated each time
    await client eval '(($(query run.json ".measurements | length" 2>/dev/null || echo 0) > 2))'
    expect_schema run.json
    kill_hard "${pids[client]}"
    finish client
    finish server
    expect_schema run.json
    expect [ "$(query run.json '[.status, .ended] | tostring')" = '["running",null]' ]
    expect holds "$(query run.json '.measurements | length') + 1 >= $(rows client | wc -l)"
    reap
}

@test "kill -9 of the client while it writes" { killed client ib_write_bw; }
@test "kill -9 of the server while the client writes: partial result, error line" {
    killed server ib_write_bw
}
@test "kill -9 of the client while it sends" { killed client ib_send_bw; }
@test "kill -9 of the server while it receives" { killed server ib_send_bw; }
@test "kill -9 of the client in a ping-pong" { killed client ib_write_lat; }
@test "kill -9 of the server in a ping-pong" { killed server ib_send_lat; }
@test "kill -9 of the server while the client reads" { killed server ib_read_bw; }
@test "kill -9 of the server in an atomic ping" { killed server ib_atomic_lat; }

@test "kill -9 of a server that waits leaves nothing for good" {
    start_server ib_write_bw
    kill_hard "${pids[server]}"
    finish server
    reap
}

# --- silence and rubbish ---

# 12884902 s are 3 * 2^32 + 112 ms: a limit that was kept in 32 bits would end the wait for the server's rows.
@test "--timeout holds for as long as it says, beyond 2^31 ms too" {
    server_args=(--timeout 12884902)
    good_pair ib_write_bw -D 1 --timeout 12884902
}

@test "a server that accepts and says nothing: --timeout ends the client" {
    start_server "$PERFTEST_TOP/tests/cli/tcp_peer" hold
    start_client ib_write_bw --timeout 1
    finish client
    expect_status client 1
    expect_error client "timeout|silent|answer"
}

# What is no client is told of in one line, and the server serves the one that comes after it.
does_not_count() { # MODE PATTERN
    start_server ib_write_bw --timeout 1
    launch stranger "$PERFTEST_TOP/tests/cli/tcp_peer" -p "$port" "$1" 127.0.0.1
    await server said server "a connection that is not a client: .*$2"
    start_client ib_write_bw -n 50
    finish client
    finish server
    finish stranger
    expect_status client 0
    expect_status server 0
    expect [ "$(grep -c . server.err)" = 1 ]
    expect_rows server 1
}

@test "a client that connects and says nothing" { does_not_count silent "was silent for too long before it sent a greeting"; }
@test "a probe of the port: it connects and hangs up" { does_not_count hangup "was closed before it sent a greeting"; }
@test "64 KiB of random bytes to the server's port" { does_not_count rubbish "is not perftest"; }

@test "a probe by bash, and a client that was killed before it said what it wants" {
    start_server ib_send_bw
    true 3<>"/dev/tcp/127.0.0.1/$port"
    await server said server "was closed before it sent a greeting"
    launch stranger "$PERFTEST_TOP/tests/cli/native_peer" -p "$port" greet 127.0.0.1
    await server said server "was closed before it sent a request"
    start_client ib_send_bw -n 50
    finish client
    finish server
    finish stranger
    expect_status client 0
    expect_status server 0
}

@test "sixteen that say nothing hold no client up" {
    start_server ib_write_bw
    launch crowd "$PERFTEST_TOP/tests/cli/tcp_peer" -p "$port" crowd 127.0.0.1
    await crowd said crowd 'all are connected'
    start_client ib_write_bw -n 50
    finish client
    finish server
    expect_status client 0
    expect_status server 0
}

@test "those that say nothing do not use up what the server may open" {
    launch server bash -c 'ulimit -n 28; exec "$@"' - "$(program ib_write_bw)" -p "$port" --keep_serving
    await server listening server
    for crowd in first second; do
        launch "$crowd" "$PERFTEST_TOP/tests/cli/tcp_peer" -p "$port" crowd 127.0.0.1
        await "$crowd" said "$crowd" 'all are connected'
    done
    start_client ib_write_bw -n 50
    finish client
    expect_status client 0
    alive server
    await server waits_again
    kill -INT "${pids[server]}"
    finish server
    expect_status server 0
    finish first
    finish second
}

@test "a server that answers with 64 KiB of random bytes" {
    start_server "$PERFTEST_TOP/tests/cli/tcp_peer" rubbish
    start_client ib_write_bw
    finish client
    expect_status client 1
    expect_error client "perftest|understand|not"
}

# --- the disk ---

@test "a JSON file on a full device: said on stderr, status 1, the table is still printed" {
    run_pair ib_write_bw -n 50 --out_json_file /dev/full
    expect_status client 1
    expect_error client "/dev/full.*(space|write)"
    expect_rows client 1
    expect_status server 0
}

@test "a JSON file on a full disk: no half of it is left" {
    mkdir disk
    # a kilobyte and a page: enough for the name, not for the document
    mount -t tmpfs -o size=4k tmpfs disk 2>/dev/null || skip "no right to mount a small file system"
    head -c 4096 /dev/zero >disk/filler
    run_pair ib_write_bw -n 50 --out_json_file disk/run.json
    ls -A disk >left
    umount disk
    expect_status client 1
    expect_error client "space"
    [ "$(cat left)" = filler ]
}

@test "a JSON file in a folder that is not there" {
    run_alone ib_write_bw -n 50 --out_json_file nowhere/run.json localhost
    expect_status alone 1
    expect_error alone "nowhere/run.json"
}

# Replacing it at the end would leave the results in a file without a name.
@test "a JSON file that is the file of standard output" {
    run_alone ib_write_bw -n 50 --out_json_file /dev/stdout localhost
    expect_status alone 1
    expect_error alone "/dev/stdout: it is the file of standard output, which the results are written to"
}

@test "a JSON file that is a FIFO without a reader: said, and written when there is one" {
    mkfifo run.fifo
    start_client ib_write_bw -n 50 --out_json_file run.fifo
    await client said client 'waiting for a program that reads the FIFO .*run.fifo'
    kill -INT "${pids[client]}"
    finish client
    expect_status client 130
    # its server, which would not wait as long, is met behind that
    start_client ib_write_bw -n 50 --out_json_file run.fifo
    await client said client 'waiting for a program that reads the FIFO .*run.fifo'
    start_server ib_write_bw
    cat run.fifo >client.json
    finish client
    finish server
    expect_status client 0
    expect_status server 0
    expect_schema client.json
}

# Nor does a socket take its number and get the results.
@test "a closed stdout is no success" {
    start_server ib_write_bw
    launch client bash -c "exec '$(program ib_write_bw)' -p $port -n 50 localhost >&-"
    finish client
    finish server
    expect_status client 1
    expect_error client 'cannot write the results to stdout: Bad file descriptor'
    expect_status server 1
}

@test "--help and --version that nobody can read are no success" {
    local name word
    for name in ib_write_bw cmtime qperf cxi_send_bw; do
        for word in --help --version; do
            launch alone bash -c "exec '$(program $name)' $word >/dev/full"
            finish alone
            expect_status alone 1
            expect_error alone 'cannot write to stdout: No space left'
            launch alone bash -c "exec '$(program $name)' $word >&-"
            finish alone
            expect_status alone 1
        done
    done
}

@test "what options name is looked at before anybody is met" {
    local name
    for name in "-W nonsense" "--out_json_file=$PWD/none/run.json" "--payload_file_path=$PWD/none"; do
        # shellcheck disable=SC2086 # options
        run_alone ib_write_bw -d soft0 -p "$port" $name
        expect_status alone 1
        expect_error alone 'nonsense|cannot create the JSON file|payload file'
        refuse_output alone 'Waiting'
    done
    expect [ ! -e none ]
}

@test "a small stack is enough" {
    under=(bash -c 'ulimit -s 128; exec "$@"' -)
    good_pair ib_write_lat -n 100
    good_pair ib_send_bw -n 100
}

@test "a stack that is too small is named" {
    local name
    under=(bash -c 'ulimit -s 64; exec "$@"' -)
    for name in "ib_write_bw -d soft0 -p 1 localhost" "qperf localhost tcp_bw" "cmtime -b localhost -C localhost" "cxi_send_bw localhost"; do
        # shellcheck disable=SC2086 # several words
        run_alone $name
        expect_status alone 1
        expect_error alone 'the stack is limited to 64 KiB .ulimit -s.'
    done
}

@test "a full stdout is no success" {
    start_server ib_write_bw
    launch client bash -c "exec '$(program ib_write_bw)' -p $port -n 50 --output_format=jsonl localhost >/dev/full"
    finish client
    finish server
    expect_status client 1
    expect_status server 1
    expect_error client 'cannot write the results to stdout: No space left'
    local format
    echo 'a: ib_write_bw -d soft0 -n 50' >jobs.txt
    for format in text jsonl; do
        launch alone bash -c "exec '$PERFTEST_BUILD/perftest' run -f jobs.txt --output_format=$format >/dev/full"
        finish alone
        expect_status alone 1
        expect_error alone 'cannot write to stdout: No space left'
    done
}

# The message would have to go to a file, too; but the program is not killed by the signal of that limit.
@test "a limit of the size of files ends no program by a signal" {
    under=(bash -c 'ulimit -f 0; exec "$@"' -)
    run_alone ib_write_bw -d soft0 -p 1 -n 5 localhost
    expect_status alone 1
}

# At this rate the first message is due after the end. A row of zeros is no result.
@test "a timed run without a message is no success" {
    start_server ib_write_bw -D 1 -f 0 -s 1M
    start_client ib_write_bw -D 1 -f 0 -s 1M --rate_limit=0.4 --rate_units=M --rate_limit_type=SW --burst_size=1 \
        --out_json_file client.json
    finish client
    finish server
    expect_status client 1
    expect_status server 1
    expect_error client 'no message of 1048576 bytes was completed in the measured time'
    expect [ "$(jq -r .status client.json)" = failed ]
}
