#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What a user sees on a terminal; and a pipe gets what scripts expect, whatever the terminal shows.

load helpers

at_terminal=$BATS_TEST_DIRNAME/at_terminal

# No line of a file is longer than so much; carriage returns begin a line anew.
expect_width() { # FILE COLUMNS
    local long
    long=$(tr '\r' '\n' <"$1" | awk -v most="$2" 'length > most')
    [[ -z $long ]] || {
        echo "longer than $2 columns: $long"
        return 1
    }
}

@test "--help opens with four examples and fits into 80 columns, at a terminal and in a pipe" {
    for name in ib_send_bw ib_send_lat ib_write_bw ib_write_lat ib_read_bw ib_read_lat ib_atomic_bw ib_atomic_lat \
        raw_ethernet_bw raw_ethernet_lat raw_ethernet_burst_lat raw_ethernet_fs_rate cmtime cxi_send_bw; do
        run_alone "$name" --help
        expect_status alone 0
        expect_width alone.out 80
        expect [ "$(sed -n 3p alone.out)" = Examples: ]
        expect [ "$(sed -n '4,/^$/p' alone.out | grep -cE "^  ((server|client)\\$ )?$name")" = 4 ]
        "$at_terminal" 48 "$PERFTEST_BUILD/$name" --help >narrow.out
        expect_width narrow.out 48
        expect grep -q '^          Print the version and exit$' narrow.out # below its option
    done
}

@test "-h is one screen: four examples and the most used options" {
    for name in ib_send_bw ib_send_lat ib_write_bw ib_write_lat ib_read_bw ib_read_lat ib_atomic_bw ib_atomic_lat \
        raw_ethernet_bw raw_ethernet_lat raw_ethernet_burst_lat raw_ethernet_fs_rate cmtime cxi_send_bw; do
        run_alone "$name" -h
        expect_status alone 0
        expect_screen alone.out
        expect [ "$(sed -n '4,/^$/p' alone.out | grep -cE "^  ((server|client)\\$ )?$name")" = 4 ]
        expect [ "$(sed -n "/^Most used options ($name --help lists all):/,\$p" alone.out | grep -cE '^  (-.|  ).* --[a-z]')" -ge 4 ]
        [[ $name != raw_* ]] || refuse_output alone ' --connection' # there is one
        cp alone.out brief.out
        run_alone "$name" --usage
        expect cmp alone.out brief.out
    done
}

expect_screen() { # FILE: 24 rows with the prompt behind it
    expect_width "$1" 80
    expect [ "$(wc -l <"$1")" -le 23 ]
    expect [ "$(wc -l <"$1")" -ge 8 ]
}

@test "-h of qperf, perftest and its commands is one screen, too" {
    run_alone qperf -h
    expect_screen alone.out
    run_alone perftest -h
    expect_screen alone.out
    expect [ "$(grep -c '^  [a-z-]' alone.out)" -gt 10 ]
    expect grep -q '^  perftest compare ' alone.out
    run_alone perftest --help
    expect_width alone.out 80
    expect_output alone '^  compare \[OPTIONS\] A -- B$'
    for words in -h --help list "merge --help"; do
        # shellcheck disable=SC2086 # words
        "$at_terminal" 40 "$PERFTEST_BUILD/perftest" $words >narrow.out
        expect_width narrow.out 40
    done
    run_alone perftest --ssh -h
    expect_status alone 0
    expect_screen alone.out
    while read -r command; do
        [[ $command != --* && $command != list ]] || continue
        run_alone perftest "$command" -h
        expect_status alone 0
        expect_screen alone.out
        expect_output alone "^ *(perftest $command|usage:|Usage:)"
        cp alone.out brief.out
        run_alone perftest "$command" --help
        expect_status alone 0
        expect_width alone.out 80
        [[ $command != @(doctor|merge) ]] || continue # without a row of it; with no other
        expect_output alone '^  -h, --help  '
        refuse_output brief '^  -h, --help  '
    done < <("$PERFTEST_BUILD/perftest" -h | sed -n '3,/^$/s/^  \([a-z_]*\) .*/\1/p')
}

@test "manual pages show examples before options" {
    for page in "$BATS_TEST_DIRNAME"/../../man/{ib_*,raw_*,qperf,cmtime,cxi_send_bw}.1; do
        expect [ "$(grep -nE '^\.SH (EXAMPLES|OPTIONS)' "$page" | cut -d ' ' -f 2 | tr '\n' ' ')" = "EXAMPLES OPTIONS " ]
    done
}

@test "--help of the scripts and of runme fits into 80 columns" {
    top=$BATS_TEST_DIRNAME/../..
    for script in runme scripts/{krping_run,run_perftest_loopback,run_perftest_multi_devices,run_soft}; do
        "$top/$script" --help >help.out
        expect_width help.out 80
        expect [ "$(wc -l <help.out)" -ge 2 ]
    done
}

@test "errors at a terminal are folded to its width" {
    run "$at_terminal" 60 "$PERFTEST_BUILD/ib_write_bw" -n x
    [ "$status" -eq 2 ]
    echo "$output" >folded.out
    expect_width folded.out 60
    expect [ "$(wc -l <folded.out)" -ge 2 ]
}

@test "the list of memory kinds is folded at a terminal, and has a line for each in a pipe" {
    "$at_terminal" 80 "$PERFTEST_BUILD/ib_write_bw" --memory=list >folded.out
    expect_width folded.out 80
    expect grep -q '^host  *yes  the default' folded.out
    run_alone ib_write_bw --memory=list
    expect [ "$(grep -cvE ' (yes|no|here)  *[^ ]' alone.out)" = 0 ]
}

@test "HOST:PORT and [ADDRESS]:PORT name the server" {
    for host in "localhost:$port" "127.0.0.1:$port" "[127.0.0.1]:$port"; do
        start_server ib_write_bw
        launch client "$PERFTEST_BUILD/ib_write_bw" -n 10 "$host"
        finish client
        finish server
        expect_status client 0
        expect_status server 0
    done
}

@test "HOST:PORT names the server of qperf, the controller of cmtime and the server of cxi_send_bw" {
    launch server "$(program qperf)" -lp "$port"
    await server listening server
    launch client "$(program qperf)" "[127.0.0.1]:$port" -t 0.1 tcp_lat -H "localhost:$port" tcp_lat quit
    finish client
    finish server
    expect_status client 0
    expect [ "$(grep -c '^tcp_lat:' client.out)" = 2 ]
    run_alone qperf -lp 1 localhost:2 tcp_lat
    expect_status alone 2
    expect_error alone '--listen_port \(-lp\) is 1 but .localhost:2. names another port; give one of them$'
    launch server "$(program cmtime)" -C "127.0.0.1:$port" -b 127.0.0.1 -S -L
    await server listening server
    launch client "$(program cmtime)" -C "[127.0.0.1]:$port" -p "$port" -b 127.0.0.1 -S -c 2
    finish client
    finish server
    expect_status client 0
    expect_status server 0
    for name in "cmtime -p 1 -b 127.0.0.1 -C" "cxi_send_bw --provider=shm -p 1"; do
        # shellcheck disable=SC2086 # options
        run_alone $name localhost:2
        expect_status alone 2
        expect_error alone '--port \(-p\) is 1 but .localhost:2. names another port; give one of them$'
    done
}

# A pipe gets the classic layout, whatever a terminal gets.
@test "at a terminal: rules and address lines of 80 columns, two addresses of each side, GIDs as in messages" {
    start_server ib_write_bw
    launch client "$at_terminal" 80 "$PERFTEST_BUILD/ib_write_bw" -p "$port" -q 8 -n 100 localhost
    finish client
    finish server
    expect_status client 0
    expect [ "$(grep -cE '^ (local|remote) address: ' client.out)" = 4 ]
    expect_output client '^ and 6 more local addresses; --verbose shows all$'
    expect_output client '^ and 6 more remote addresses; --verbose shows all$'
    expect_output client '^ GID: ([0-9a-f]*:)+[0-9a-f.]*$'
    expect_output client '^-{80}$'
    expect_width client.out 80
    expect [ "$(grep -cE '^ (local|remote) address: ' server.out)" = 16 ]
    expect_output server '^ GID: [0-9]{2,3}(:[0-9]{2,3}){15}$'
    expect_output server '^-{87}$'
}

# Of the last head and the row below it: where the cells of each line end. Heads have single blanks inside.
cell_ends() {
    tr '\r' '\n' <client.out | sed -E 's/([^ ]) ([^ ])/\1_\2/g' |
        awk '/^ +#bytes/ { n = 0; on = 1 }
             /^-/ { on = 0 }
             !/^  .*[^ ]/ { next } # the progress, and what wipes it
             on { line[n] = ""
                  for (i = 1; i <= length($0); i++)
                      if (substr($0, i, 1) != " " && substr($0, i + 1, 1) ~ /^ ?$/)
                          line[n] = line[n] " " i
                  n++ }
             END { for (i = 0; i < n; i++) print line[i] }'
}

@test "at a terminal: a table that is too wide goes on below, each cell under its head" {
    local name
    for name in "ib_send_lat" "ib_send_lat -D 1 -f 0" "ib_send_lat --percentiles=50,90,99.99 --timestamps" ib_send_bw; do
        start_server "${name%% *}"
        # the table alone: on a busy machine warnings and the progress come in between
        # shellcheck disable=SC2016,SC2086 # words of the inner shell; options
        launch client "$at_terminal" 80 bash -c 'exec "$0" "$@" 2>words' \
            "$PERFTEST_BUILD/${name%% *}" -p "$port" ${name#"${name%% *}"} localhost
        finish client
        finish server
        expect_status client 0
        expect_width client.out 80
        cell_ends >ends.out
        [[ $name == *timestamps* ]] ||
            expect cmp <(head -n $(($(wc -l <ends.out) / 2)) ends.out) <(tail -n $(($(wc -l <ends.out) / 2)) ends.out)
        expect [ -s ends.out ]
    done
}

@test "at a terminal: the table behind the table is as wide as that" {
    start_server ib_read_bw
    launch client "$at_terminal" 80 "$PERFTEST_BUILD/ib_read_bw" -p "$port" --threads 2 --report-both -n 100 localhost
    finish client
    finish server
    expect_status client 0
    expect_width client.out 80
    expect [ "$(grep -cE '^ +[12] +[0-9]+$' client.out)" = 2 ]
    launch server "$at_terminal" 80 "$PERFTEST_BUILD/ib_read_lat" -p "$port" --clients 1 --report-both
    await server said server Waiting
    start_client ib_read_lat -n 100
    finish client
    finish server
    expect_status server 0
    expect_width server.out 80
    expect_output server '^ +127.0.0.1:[0-9]+'
}

@test "at a terminal: the table of perftest gate goes on below; in a pipe each row is a line; that of compare is narrow" {
    local quick=(ib_write_bw -d soft0 -n 100)
    launch compare "$at_terminal" 80 "$(program perftest)" compare --runs=2 "${quick[@]}" -- "${quick[@]}" -q 2
    finish compare
    expect_status compare 0
    expect_width compare.out 80
    expect_output compare '^ {6}p [01][.][0-9]{4}: too few runs to tell; [0-9]+ are needed$'
    "$(program perftest)" gate --runs=2 --save_baseline=base.json "${quick[@]}"
    launch gate "$at_terminal" 80 "$(program perftest)" gate --baseline=base.json --tolerance=99 "${quick[@]}"
    finish gate
    expect_width gate.out 80
    expect_output gate '^ {11}change  tolerance  limit$'
    expect_output gate '^ {8} *[+-][0-9.]+ % {7}99 %  (met|MISSED)$'
    run_alone perftest gate --baseline=base.json --tolerance=99 "${quick[@]}"
    expect_output alone '^ #bytes .* unit .* measured  +change  tolerance  limit$'
}

@test "at a terminal: what qperf explains is folded" {
    launch server "$(program qperf)" -lp "$port"
    await server listening server
    launch client "$at_terminal" 80 "$(program qperf)" 127.0.0.1 -lp "$port" -t 0.2 -m 64 --explain tcp_bw
    finish client
    expect_status client 0
    expect_width client.out 80
    expect_output client '^    (Likeliest cause: |No cause found: )'
}

@test "at a terminal: --verbose shows all addresses" {
    start_server ib_write_bw
    launch client "$at_terminal" 80 "$PERFTEST_BUILD/ib_write_bw" -p "$port" --verbose -q 8 -n 100 localhost
    finish client
    finish server
    expect_status client 0
    expect [ "$(grep -cE '^ (local|remote) address: ' client.out)" = 16 ]
    # a table keeps its columns: only what is too wide is folded
    expect_output client '^ib_write_bw: +index type {2,}netdev +score GID'
}

@test "at a terminal: a client that waits shows for whom, and for how long still" {
    start_server "$PERFTEST_TOP/tests/cli/tcp_peer" hold
    launch client "$at_terminal" 80 "$PERFTEST_BUILD/ib_write_bw" -p "$port" --timeout 3 localhost
    finish client
    expect_status client 1
    tr '\n' ' ' <client.out | tr -s ' ' >words.out
    expect grep -qE "127.0.0.1:$port has not answered yet: it may be serving another client; giving up in [12] s \\(--timeout\\)" words.out
}

@test "at a terminal: a client shows how many others its server waits for" {
    local count side
    for count in 2 3; do
        launch server "$PERFTEST_BUILD/ib_write_bw" -p "$port" --clients $count
        await server port_in_use "$port"
        launch client "$at_terminal" 80 "$PERFTEST_BUILD/ib_write_bw" -p "$port" localhost
        await client waits_for $((count - 1))
        for side in client server; do
            kill "${pids[$side]}"
            finish $side
        done
    done
}

waits_for() { # COUNT
    tr -s '\r\n ' ' ' <client.out | grep -q " waits for $1 more client$( (($1 == 1)) || echo s) "
}

@test "at a terminal: a server names its client; the progress of a sweep names the size" {
    launch server "$at_terminal" 80 "$PERFTEST_BUILD/ib_write_lat" -p "$port"
    await server port_in_use "$port"
    launch client "$at_terminal" 80 "$PERFTEST_BUILD/ib_write_lat" -p "$port" -a -n 10 localhost
    finish client
    finish server
    expect_status client 0
    expect_status server 0
    expect_output server "^ib_write_lat: client $(hostname) \\(127\\.0\\.0\\.1:[0-9]+\\), perftest [0-9.]+\$"
    tr '\r' '\n' <client.out >lines.out
    for ((size = 2, number = 1; number <= 23; size *= 2, number++)); do
        expect grep -qE "^ $size bytes, size $number of 23 *$" lines.out
    done
    # rows begin behind a newline
    expect [ "$(grep -cE '^ +[0-9]+ +10 ' client.out)" = 23 ]
}

# As "kubectl exec -t" for a program, which reads what it gets line by line.
@test "at a terminal of unknown size: each row has a line of its own, with the usual fields" {
    start_server ib_write_bw
    launch client "$at_terminal" 0 "$PERFTEST_BUILD/ib_write_bw" -p "$port" -D 1 -f 0 --report_interval 0.5 localhost
    finish client
    finish server
    expect_status client 0
    expect_output client '^.? running for 1 s'
    rows client >rows.out
    expect [ "$(wc -l <rows.out)" -ge 2 ]
    expect [ "$(awk 'NF == 5 && $1 == 65536 { n++ } END { print n }' rows.out)" = "$(wc -l <rows.out)" ]
}

@test "at a terminal: the progress names the load of a table of loads, and the run of several" {
    start_server ib_read_lat
    launch client "$at_terminal" 80 "$PERFTEST_BUILD/ib_read_lat" -p "$port" --rate=20%..80%:30% -n 200 localhost
    finish client
    finish server
    expect_status client 0
    tr '\r' '\n' <client.out >lines.out
    for number in 1 2 3; do
        expect grep -qE "^ $((30 * number - 10)) % load, $number of 3 *$" lines.out
    done
    start_server ib_write_bw
    launch client "$at_terminal" 80 "$PERFTEST_BUILD/ib_write_bw" -p "$port" --repeat 3 -n 200 localhost
    finish client
    finish server
    expect_status client 0
    expect grep -qE '^ run 1 of 3 *$' <(tr '\r' '\n' <client.out)
}

@test "at a terminal, and with --verbose: a receiver that has no average says why" {
    launch server "$at_terminal" 80 "$PERFTEST_BUILD/ib_send_bw" -p "$port"
    await server port_in_use "$port"
    launch client "$PERFTEST_BUILD/ib_send_bw" -p "$port" -n 5 -s 64 --rate_limit 100 --rate_units p --burst_size 5 localhost
    finish client
    finish server
    expect_status server 0
    tr -s '\r\n ' ' ' <server.out >words.out
    expect grep -q "64 bytes: there is no average, because everything arrived at once; the sender's row has it, or raise -n" words.out
    server_args=(--verbose)
    run_pair ib_send_bw -n 5 -s 64 --rate_limit 100 --rate_units p --burst_size 5
    expect grep -q '64 bytes: there is no average, because everything arrived at once' server.err
    expect [ "$(grep -c 'there is no average' client.err)" = 0 ]
}

@test "--timestamps ends each row with the time of day, in every format" {
    stamp='[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z'
    before=$(date -u +%FT%T)
    good_pair ib_write_bw -D 1 --report_interval 0.25 --timestamps --out_json
    expect_output client '^ #bytes .*MsgRate\[Mpps\] +time\[UTC\]$'
    expect [ "$(rows client | grep -cE " {3}$stamp$")" = "$(row_count client)" ]
    expect [ "$(row_count client)" -ge 3 ]
    # in the order of time, and of now
    rows client | awk '{ print $NF }' >stamps
    expect sort -c stamps
    expect [ ! "$(head -n 1 stamps)" '<' "$before" ]
    expect [ "$(query perftest_out.json '.measurements[].time' | paste -sd,)" = "$(paste -sd, stamps)" ]
    expect_schema perftest_out.json
    # the server was not asked
    refuse_output server 'time\[UTC\]'
    good_pair ib_read_lat -n 100 --timestamps --output_format=csv
    expect [ "$(sed -n '1s/.*,//p' client.out)" = time ]
    expect_output client ",$stamp$"
}

# A queue of connections that is full drops what comes, as a firewall does.
@test "at a terminal: a client whose server's host does not answer shows that" {
    launch server python3 -c '
import socket, sys, time
listener = socket.create_server(("127.0.0.1", int(sys.argv[1])), backlog=0)
waiting = [socket.create_connection(listener.getsockname()) for _ in range(1)]
print("full", flush=True)
time.sleep(600)' "$port"
    await server said server full
    launch client "$at_terminal" 80 "$PERFTEST_BUILD/ib_write_bw" --timeout 3 "127.0.0.1:$port"
    finish client
    kill "${pids[server]}"
    finish server
    expect_status client 1
    tr '\n' ' ' <client.out | tr -s ' ' >words.out
    expect grep -qE "127.0.0.1:$port does not answer yet; giving up in [12] s \\(--timeout\\)" words.out
    expect grep -qE "error: no answer from 127.0.0.1 port $port within 3 s" words.out
}
