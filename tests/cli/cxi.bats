#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# cxi_send_bw over libfabric's tcp and shm, end to end with data checks; how both sides connect; peers that violate the
# protocol; and how an interrupted run ends.
# bats file_tags=slow,sanitized

load helpers
load libfabric

# Both sides with the provider, all else the client's.
good_run() { # PROVIDER [OPTIONS]
    start_server cxi_send_bw --provider "$1" "${server_args[@]}"
    start_client cxi_send_bw --provider "$@"
    finish client
    finish server
    expect_status client 0
    expect_status server 0
}

# The same over tcp and shm at once.
good_runs() { # [OPTIONS]
    local provider
    for provider in tcp shm; do
        port=$((port + 1)) # of this folder's test alone
        launch "server_$provider" "$(program cxi_send_bw)" -p "$port" --provider "$provider"
        await "server_$provider" listening "server_$provider"
        launch_client "client_$provider" cxi_send_bw --provider "$provider" "$@"
    done
    for provider in tcp shm; do
        finish "client_$provider"
        finish "server_$provider"
        expect_status "client_$provider" 0
        expect_status "server_$provider" 0
    done
}

# Of a document's rows of intervals and its result: bytes by rate times time, and sends. No row is of next to no time.
expect_sums() { # FILE
    # shellcheck disable=SC2016 # variables of jq
    expect jq -e '[.measurements[] | select(.kind == "interval")] as $rows | .measurements[-1] as $result |
        def bytes: .bandwidth_bytes_per_second * .elapsed_seconds;
        ($rows | length >= 2) and ($rows | map(.sends) | add) == $result.sends and ($result | has("bandwidth_of_each_bytes_per_second") | not) and
        ($rows | all(.elapsed_seconds > 0.0099)) and ($rows[-1] | .interval_begin_seconds + .elapsed_seconds > 0.9999) and
        (($rows | map(bytes) | add) - ($result | bytes) | fabs) < 1e-3 * ($result | bytes)' "$1"
}

# The rows: size, sends, bandwidth, packets.
sizes() { # NAME
    awk '/^Send Size/ { table = 1; next } /^-----/ { table = 0 } table' "$1.out"
}

@test "cxi: data arrives whole over tcp and shm, in one direction and in both, also where lists wrap and are long" {
    needs_libfabric
    local provider
    good_runs --verify -n 3 -l 20 -s 1:65536
    for provider in tcp shm; do
        [ "$(sizes "client_$provider" | wc -l)" -eq 17 ]
        [ "$(sizes "server_$provider" | awk '{ print $2 }' | sort -u)" = - ]
    done
    good_runs --verify -n 3 -l 40 -s 100 -b --buf-sz 1000 --no-idc
    for provider in tcp shm; do
        sizes "client_$provider" | grep -qE '^ +100 +120 '
        sizes "server_$provider" | grep -qE '^ +100 +120 '
    done
    good_runs --verify -n 2 -l 2500 -s 64
}

@test "cxi: the banner is both sides', and rows, JSON and CSV say the same" {
    needs_libfabric
    server_args=(--output_format=json)
    good_run shm -n 4 -l 8 -s 512:1024 --out_json_file=client.json --verify -b
    diff <(grep -vE '^(Local|Remote|Listening|Clock) ' client.out | head -21) - <<'TEXT'
---------------------------------------------------
    CXI RDMA Send Bandwidth Test
Provider         : shm
Client TX Mem    : System
Client RX Mem    : System
Server TX Mem    : System
Server RX Mem    : System
Test Type        : Iteration
Iterations       : 4
Min Send Size    : 512
Max Send Size    : 1024
List Size        : 8
Inject           : Enabled
Bidirectional    : Enabled
Verify           : Enabled (its time is in the figures)
Max RDMA Buf     : 4294967296 (8192 used)
RDMA Buf Align   : 64
Hugepages        : Disabled
Not libcxi: the receiver posts a receive for each send, shm
chooses how a send travels, and packets are not counted.
---------------------------------------------------
TEXT
    expect_schema client.json
    expect_schema server.out
    [ "$(query client.json '.run_id | strings')" = "$(query server.out .run_id)" ]
    expect [ "$(query client.json '.device | [.name, .memory.kind] | @json')" = '["shm","host"]' ]
    expect [ "$(query client.json '.peer | [.build, .system, .device, .host, .version]')" = "$(query server.out '[.tool.build, .host, .device, .host.name, .tool.version]')" ]
    expect [ "$(query server.out '.peer | [.build, .system, .device, .host, .version]')" = "$(query client.json '[.tool.build, .host, .device, .host.name, .tool.version]')" ]
    expect [ "$(query client.json .peer.address)" = "127.0.0.1:$port" ]
    [ "$(query client.json '[.metric, .status, .transport.provider, .parameters.list_size, .parameters.size] | @tsv')" = \
        "$(printf 'send_bandwidth\tcomplete\tshm\t8\t512:1024')" ]
    [ "$(query client.json '[.measurements[] | .msg_size_bytes, .sends, .verified_sends, .wrong_sends, .packet_rate_per_second] | @csv')" = \
        "512,32,64,0,,1024,32,64,0," ]
    # both report the sum of both
    [ "$(query client.json '.measurements[].bandwidth_bytes_per_second')" = "$(query server.out '.measurements[].bandwidth_bytes_per_second')" ]
    holds "$(sizes client | awk 'NR == 1 { print $3 }') == $(query client.json '.measurements[0].bandwidth_bytes_per_second / 1e4 | round / 100')"
    start_server cxi_send_bw --provider tcp --ipv6-addr
    launch client "$(program cxi_send_bw)" -p "$port" --provider tcp --ipv6-addr -n 1 --output_format=csv ::1
    finish client
    finish server
    expect_status client 0
    expect_status server 0
    [ "$(wc -l <client.out)" -eq 2 ]
    [ "$(tail -n 1 client.out | cut -d, -f1,2,4,5)" = result,false,65536,256 ]
}

@test "cxi: a range with a step has its sizes on both sides" {
    needs_libfabric
    good_run shm --verify -n 2 -l 4 --sizes='64:1K:*4'
    [ "$(sizes client | awk '{ print $1 }' | paste -s)" = "$(printf '64\t256\t1024')" ]
    [ "$(sizes server | awk '{ print $1 }' | paste -s)" = "$(printf '64\t256\t1024')" ]
    good_run tcp --verify -n 2 -l 4 -s 100:350:100
    [ "$(sizes client | awk '{ print $1 }' | paste -s)" = "$(printf '100\t200\t300')" ]
    expect_output server '^Max Send Size    : 300$'
}

@test "cxi: a duration ends by itself, intervals have rows, and both sides stop on Ctrl-C" {
    needs_libfabric
    good_run shm -D 1 -s 4096 -b --report_interval 0.2 --out_json_file=run.json
    expect_schema run.json
    [ "$(query run.json '[.measurements[] | select(.kind == "interval")] | length >= 2')" = true ]
    expect_output client '^ +4096 +[0-9]+ .* 0.00 to [0-9.]* s$'
    good_run shm -D 1 -s 4096 --report_interval 0.25 --out_json_file=run.json
    expect_sums run.json
    refuse_output client ' ([0-9.]+) to \1 s$'
    start_server cxi_send_bw --provider tcp --report_interval 0.05
    start_client cxi_send_bw --provider tcp -D 1000
    await server said server ' - +[1-9][0-9.]* .* s$'
    kill -INT "${pids[client]}"
    finish client
    finish server
    expect_status client 130
    expect_status server 1
    expect_output client '\(partial\)$'
    expect_output server '\(partial\)$'
    expect_error server 'the client .* ended the test: stopped by its user'
}

@test "cxi: --keep_serving: one client after the other, good and bad, each with its document; Ctrl-C ends it, with a client and without" {
    needs_libfabric
    local size
    start_server cxi_send_bw --provider tcp --keep_serving --out_json_file server.json
    for size in 512 1024; do
        start_client cxi_send_bw --provider shm
        finish client
        expect_status client 1
        start_client cxi_send_bw --provider tcp -n 3 -l 10 -s "$size" -b
        finish client
        expect_status client 0
    done
    await server [ -s server.4.json ] # before that, Ctrl-C would end it with what its test ended with
    kill -INT "${pids[server]}"
    finish server
    expect_status server 0
    expect_output server '^ +512 +30 '
    expect_output server '^ +1024 +30 '
    expect [ "$(jq -r .parameters.size server.2.json server.4.json | paste -s)" = $'512\t1024' ]
    expect [ ! -e server.3.json ]
    export ASAN_OPTIONS=detect_leaks=0 # of libfabric's own, which forgets what was under way
    start_server cxi_send_bw --provider tcp --keep_serving
    start_client cxi_send_bw --provider tcp -D 60
    await client said client '^Send Size'
    kill -TERM "${pids[server]}"
    finish client
    finish server
    expect_status client 1
    expect_status server 130
}

@test "cxi: --repeat and --until print one row for all measurements of a size, and a missed limit ends with status 3" {
    needs_libfabric
    local args
    server_args=(--out_json_file=server.json)
    for args in "--repeat 3 --steady" "--until 0.01 --max_repeats 10 --max_time 600"; do
        # shellcheck disable=SC2086 # words
        good_run shm -n 2 -l 8 -s 512:1024 --verify $args --out_json_file=client.json
        expect_schema client.json
        expect_schema server.json
        [ "$(sizes client | wc -l)" -eq 2 ]
        [ "$(query client.json '.measurements[] | [.bandwidth_bytes_per_second, .bandwidth_of_each_bytes_per_second]')" = \
            "$(query server.json '.measurements[] | [.bandwidth_bytes_per_second, .bandwidth_of_each_bytes_per_second]')" ]
        # shellcheck disable=SC2016 # variables of jq
        expect jq -e '.measurements | all((.repeats + (.repeats_left_out // 0)) as $count |
            (.bandwidth_of_each_bytes_per_second | length) == $count and .sends == 16 * $count and .verified_sends == 16 * $count)' client.json
    done
    [ "$(query client.json '[.measurements[] | .repeats, .until_reached] | @csv')" = 10,false,10,false ]
    expect grep -q '512 bytes: after 10 measurements the 95 % confidence interval is within .*, not 0.01: raise --max_repeats' client.err
    server_args=()
    start_server cxi_send_bw --provider tcp
    start_client cxi_send_bw --provider tcp -n 2 --limit_bw 1e9 --out_json_file=client.json
    finish client
    finish server
    expect_status client 3
    expect_status server 0
    expect_error client 'the bandwidth of 65536 bytes is below the limit: .* MB/s'
    expect grep -qE '^    the limit \(--limit_bw\) is 1000000000 MB/s, missed by' client.err
    [ "$(query client.json '[.status, (.missed_limits | length)] | @csv')" = '"below limit",1' ]
}

@test "cxi: over shm, and tcp on one host, the possible is what memcpy moves, and a limit cannot be a share of it" {
    needs_libfabric
    local provider
    good_runs -n 20 -l 16 --report_possible
    for provider in tcp shm; do
        expect grep -qE '^[0-9.]+ % of [0-9.]+ Gb/s, what memcpy moves on one CPU of this host$' "client_$provider.out"
        refuse_output "server_$provider" ' % of '
    done
    good_run shm -n 20 -l 16 --report_possible --output_format=json
    expect [ "$(query client.out '.measurements[0].possible | [.limited_by, .percent > 0, .link_bytes_per_second] | @json')" = '["memcpy",true,null]' ]
    good_run shm -n 20 -l 16 --report_possible --output_format=csv
    expect grep -qE '^[^ ]* ?[0-9.]+ % of [0-9.]+ Gb/s, what memcpy moves' client.err
    good_run tcp -n 2 --out_json_file=client.json
    expect [ "$(query client.json '.measurements[0].possible')" = null ]
    start_server cxi_send_bw --provider tcp
    start_client cxi_send_bw --provider tcp -n 2 --limit_bw 90%
    finish client
    finish server
    expect_status client 1
    expect_status server 1
    expect_error client '--limit_bw 90% compares with what is possible, which is unknown on .*: messages are copied, over no link; give a limit without %'
}

@test "cxi: --limit_intervals, --cpu_util and --timestamps: as in ib_*" {
    needs_libfabric
    server_args=(--timestamps --cpu_util --output_format=csv)
    start_server cxi_send_bw --provider tcp "${server_args[@]}"
    start_client cxi_send_bw --provider tcp -D 1 -l 16 --report_interval 0.25 --limit_msgrate 1e6 --limit_intervals --timestamps --cpu_util --out_json_file=client.json
    finish client
    finish server
    expect_status client 3
    expect_status server 0
    expect_schema client.json
    expect_output client 'CPU_Util\[%\]  time\[UTC\]$'
    expect [ "$(grep -cE ' s  [0-9-]+T[0-9:.]+Z$' client.out)" = "$(query client.json '[.measurements[] | select(.kind == "interval")] | length')" ]
    # shellcheck disable=SC2016 # variables of jq
    expect jq -e '.measurements | all(.time and has("cpu_util_percent") and
        (.message_rate_per_second * .msg_size_bytes - .bandwidth_bytes_per_second | fabs) <= 1e-9 * .bandwidth_bytes_per_second)' client.json
    expect jq -e '[.measurements[].time] | . == sort' client.json
    expect grep -qE 'the message rate is below the limit: [0-9.]+ Mpps at 65536 bytes from 0.00 to [0-9.]+ s$' client.err
    expect [ "$(query client.json '[.status, (.missed_limits | length)] | @csv')" = '"below limit",2' ]
    expect jq -e '.missed_limits[1] | test("^([0-9]) of \\1 intervals miss a limit, the worst --limit_msgrate.* at 65536 bytes from ")' client.json
    expect grep -qE ',cpu_util_percent,message_rate_per_second,time$' server.out
    expect grep -qE ',[0-9-]+T[0-9:.]+Z$' server.out
    # no row of an interval is one that was not compared
    server_args=()
    start_server cxi_send_bw --provider tcp
    start_client cxi_send_bw --provider tcp -n 2 --report_interval 600 --limit_bw 1e-6 --limit_intervals --out_json_file=client.json
    finish client
    finish server
    expect_status client 0
    expect_schema client.json
    # much shorter: no rates
    expect [ "$(query client.json '.measurements[0] | [.kind, .bandwidth_bytes_per_second, .message_rate_per_second] | tostring')" = '["interval",null,null]' ]
    expect grep -q 'warning: --limit_intervals: this side has printed no row of a whole interval to compare' client.err
    run_alone cxi_send_bw -p "$port" --provider=tcp --limit_bw 1 --limit_intervals 127.0.0.1
    expect_status alone 2
    expect_error alone '--limit_intervals compares the rows of --report_interval'
}

@test "cxi: -W: counters of the interface have their increase in each row of text, CSV and JSON, and one that is not there is an error" {
    local sent=/sys/class/net/lo/statistics/tx_bytes before own
    needs_libfabric
    before=$(<"$sent")
    own=$(awk '$1 == "lo:" { print $10 }' /proc/net/dev)
    # one without the /sys of its own network namespace, as of tests/run, has it mounted
    # shellcheck disable=SC2016 # "$@" is of that shell
    ((before <= own && own <= $(<"$sent"))) || under=(unshare --mount sh -c 'mount -t sysfs sysfs /sys && exec "$@"' --)
    server_args=(-W statistics/rx_bytes --output_format=csv)
    start_server cxi_send_bw --provider tcp "${server_args[@]}"
    start_client cxi_send_bw --provider tcp -d lo -D 1 -l 16 -s 65536 --report_interval 0.25 -W 'statistics/tx_bytes,rx_length*' --out_json_file=client.json
    finish client
    finish server
    expect_status client 0
    expect_status server 0
    expect_schema client.json
    expect [ "$(grep -cE '^.statistics/tx_bytes=[0-9]+$' client.out)" = "$(query client.json '.measurements | length')" ]
    refuse_output client 'rx_length'
    # what was sent is in them, and the rows of intervals make up the result
    # shellcheck disable=SC2016 # variables of jq
    expect jq -e '.measurements | map(.counters["statistics/tx_bytes"]) as $moved | (.[-1] | .sends * .msg_size_bytes) <= $moved[-1] and
        ($moved[:-1] | add) <= $moved[-1] and ($moved[:-1] | add) > 0.9 * $moved[-1]' client.json
    expect grep -qE ',message_rate_per_second,statistics/rx_bytes$' server.out
    expect grep -qE '^result,.*,[1-9][0-9]*$' server.out
    # before a server listens, and a client connects to one that is not there
    run_alone cxi_send_bw --provider tcp -d lo -W statistics/none -p "$port"
    expect_status alone 1
    refuse_output alone Listening
    run_alone cxi_send_bw --provider tcp -d lo -W statistics/none -p "$port" 127.0.0.1
    expect_status alone 1
    expect_error alone 'counter statistics/none: the device has no counter of that name; take all, a pattern, or one of statistics/'
    # without an interface those of others are none
    run_alone cxi_send_bw --provider shm -W lo/mtu -p "$port" 127.0.0.1
    expect_status alone 1
    expect_error alone 'counter lo/mtu: there are no counters in .*, nor of a network interface'
}

# Libraries of providers have handlers of their own while they are loaded; whenever it comes, it ends the program as always.
@test "cxi: Ctrl-C while a provider is loaded" {
    local delay
    needs_libfabric
    for delay in 03 10 20 30 40; do
        launch "server_$delay" "$(program cxi_send_bw)" --provider tcp -p "$port"
        await "server_$delay" begun "server_$delay"
        sleep "0.$delay" # what is looked at
        kill -INT "${pids[server_$delay]}"
        finish "server_$delay"
        expect_status "server_$delay" 130
    done
}

# The rate is one over all of the time that was asked for: what stood still in it is in no row but in its own.
@test "cxi: a peer that stands still until the end of the time lowers the rate" {
    needs_libfabric
    start_server cxi_send_bw --provider tcp
    start_client cxi_send_bw --provider tcp -D 1 -b -l 16 -s 4096 --report_interval 0.1 --out_json_file=run.json
    await client said client ' 0\.[0-9]+ s$'
    kill -STOP "${pids[server]}"
    await client said client ' to 1\.[1-9][0-9] s$'
    kill -CONT "${pids[server]}"
    finish client
    finish server
    expect_status client 0
    expect_status server 0
    expect_schema run.json
    expect jq -e '.measurements[-1].elapsed_seconds >= 1 and ([.measurements[] | select(.kind == "interval") | .sends] | add) == .measurements[-1].sends' run.json
}

@test "cxi: a peer that dies ends the other side, and nothing stays in /dev/shm" {
    local provider
    needs_libfabric
    for provider in tcp shm; do
        start_server cxi_send_bw --provider "$provider" --report_interval 0.05 --out_json_file=server.json
        start_client cxi_send_bw --provider "$provider" -D 1000
        await server said server ' - +[1-9][0-9.]* .* s$'
        kill_hard "${pids[server]}"
        finish client
        expect_schema server.json # with each row that was printed
        expect [ "$(query server.json '.status, (.measurements | length) > 0' | xargs)" = 'running true' ]
        rm server.json
        expect_status client 1
        expect_error client 'server .*(closed the connection|broke)|tcp|the peer is gone' # which may have held a lock
        nothing_left
        unset "pids[server]"
    done
    start_server cxi_send_bw --provider shm --report_interval 0.05
    start_client cxi_send_bw --provider shm -D 1000
    await server said server ' - +[1-9][0-9.]* .* s$'
    kill_hard "${pids[server]}" "${pids[client]}"
}

@test "cxi: a peer that is only silent gets the reason when it is alone, and its silence is in no rate" {
    needs_libfabric
    start_server cxi_send_bw --provider tcp --timeout 1 --report_interval 0.05 --out_json_file=server.json
    start_client cxi_send_bw --provider tcp -D 1000 -s 2K -l 4
    await server said server ' - +[1-9][0-9.]* .* s$'
    kill -STOP "${pids[client]}"
    finish server
    kill -CONT "${pids[client]}"
    finish client
    expect_status server 1
    expect_status client 1
    expect_error server 'the client .* was silent for 1 s'
    expect_error client 'the server .* ended the test: the client .* was silent for 1 s'
    expect_output server '\(partial\)$'
    # the rows of intervals have the silence, in rows of their own, and the result does not
    # shellcheck disable=SC2016 # variables of jq
    expect jq -e '[.measurements[] | select(.kind == "interval")] as $rows | .measurements[-1].elapsed_seconds < ($rows[-1] | .interval_begin_seconds + .elapsed_seconds) - 0.5' server.json
}

# At once, and in the middle of a run whose reader leaves.
@test "cxi: a stdout that takes nothing ends both sides" {
    local to
    needs_libfabric
    for to in '>/dev/full' '| head -c 3000'; do
        start_server cxi_send_bw --provider tcp
        launch client bash -c "set -o pipefail; '$(program cxi_send_bw)' -p $port --provider tcp -D 1000 --report_interval 0.05 127.0.0.1 $to"
        finish client
        finish server
        expect_status client 1
        expect_status server 1
        expect_error client 'cannot write the results to stdout: (No space left on device|Broken pipe)'
        expect_error server 'client .* ended the test: cannot write the results to stdout'
    done
}

@test "cxi: what is missing is said before it listens, and nothing takes its place" {
    run_alone cxi_send_bw -p "$port"
    [ "$status" -eq 1 ]
    expect_error alone 'libcxi.*--provider'
    [ -z "$output" ]
    needs_libfabric
    run_alone cxi_send_bw -p "$port" --provider=nothing
    [ "$status" -eq 1 ]
    expect_error alone 'no provider nothing for tagged.*fi_info'
    [ -z "$output" ]
    run_alone cxi_send_bw -p "$port" --provider=tcp -d nothing
    [ "$status" -eq 1 ]
    expect_error alone 'no provider tcp of domain nothing for tagged'
    [ -z "$output" ]
}

@test "cxi: a domain of a provider is the one that was asked for" {
    needs_libfabric
    server_args=(-d lo)
    good_run tcp -n 1 -d lo
    expect_output server '^Domain +: lo$'
    expect_output client '^Local \(client\) +: .*127\.0\.0\.1'
}

@test "cxi: huge pages are used, or it says how many more it takes" {
    local free
    needs_libfabric
    free=$(cat /sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages 2>/dev/null || echo 0)
    start_server cxi_send_bw --provider tcp
    start_client cxi_send_bw --provider tcp -n 2 -l 16 --verify --use-hp 2M
    finish client
    finish server
    if ((free >= 2)); then # the buffer that a side uses; that of the other direction is in ordinary memory
        expect_status client 0
        expect_output server '^Hugepages +: 2M$'
    else
        expect_status client 1
        expect_status server 1
        grep -hE "Insufficient 2M huge pages. Need 1 to run, and [0-9]+ are free" client.err server.err
    fi
}

@test "cxi: both sides must agree on the transport and on what they were given" {
    needs_libfabric
    start_server cxi_send_bw --provider tcp -l 5
    start_client cxi_send_bw --provider shm
    finish client
    finish server
    expect_status client 1
    expect_status server 1
    expect_error client 'the client sends with libfabric shm and the server with libfabric tcp'
    expect_error server 'the client sends with libfabric shm and the server with libfabric tcp'
    start_server cxi_send_bw --provider tcp -l 5
    start_client cxi_send_bw --provider tcp -l 6 --out_json_file=client.json
    finish client
    finish server
    expect_status client 1
    expect_status server 1
    expect_error client '5 on the server and 6 on the client'
    expect_error server '5 on the server and 6 on the client'
    expect [ ! -e client.json ] # nothing was measured
}

@test "cxi: a connection that does not greet as a client is refused with the reason, and the next one is served" {
    needs_libfabric
    local case
    start_server cxi_send_bw --provider tcp
    exec 7<>"/dev/tcp/127.0.0.1/$port" # says nothing
    local -a cases=(browser poster)
    for case in "${cases[@]}"; do
        launch "$case" "$BATS_TEST_DIRNAME/cxi_wire.py" client "$port" "$case"
    done
    for case in "${cases[@]}"; do
        finish "$case"
        expect grep -q . "$case.out"
    done
    start_client cxi_send_bw --provider tcp -n 1
    finish client
    finish server
    exec 7>&-
    expect_status client 0
    expect_status server 0
}

@test "cxi: --max_duration: a longer client is refused, and what does not end is ended, also by a server that stays" {
    needs_libfabric
    start_server cxi_send_bw --provider tcp --keep_serving
    start_client cxi_send_bw --provider tcp -D 1801 -s 64:128
    finish client
    expect_status client 1
    expect_error client 'the test takes 3602 s, but the server allows 3600 s \(--max_duration\)'
    start_client cxi_send_bw --provider tcp -D 1
    finish client
    expect_status client 0
    kill -INT "${pids[server]}"
    finish server
    expect_status server 0
    start_server cxi_send_bw --provider tcp --keep_serving --max_duration 1
    start_client cxi_send_bw --provider tcp -D 1 --repeat 2
    finish client
    expect_error client 'the test takes 2 s, but the server allows 1 s'
    start_client cxi_send_bw --provider tcp -n 1000000000
    finish client
    expect_status client 1
    expect_error client 'takes longer than this side allows \(--max_duration\)'
    expect grep -q 'takes longer than this side allows' server.err
    start_client cxi_send_bw --provider tcp -n 3
    finish client
    expect_status client 0
    kill -INT "${pids[server]}"
    finish server
    expect_status server 0
    run_alone cxi_send_bw --provider tcp --max_duration 1 127.0.0.1
    expect_status alone 2
    expect_error alone 'max_duration is for the server'
}

@test "cxi: of what a peer reports of itself only known members with one value each are in the document" {
    needs_libfabric
    start_server cxi_send_bw --provider tcp --timeout 2 --out_json_file=server.json
    run_alone "$BATS_TEST_DIRNAME/cxi_wire.py" client "$port" provenance
    finish server
    expect_status server 1
    expect_schema server.json
    expect [ "$(query server.json '[.peer.build.commit, .peer.device.name, .peer.system.name, .peer.version] | @json')" = '["\u001b]0;",null,null,"7.0"]' ]
    expect [ "$(query server.json '.peer.device | has("more")')" = false ]
}

@test "cxi: clients and servers that keep to nothing end the other side in one line" {
    needs_libfabric
    local case
    local -A ports=()
    local -a clients=(wrong_version too_long no_hello no_options no_flag short_text not_printable wrong_transport bad_option foreign_option too_large bad_address no_address early_result other_barrier
        more_finished too_few impossible_time unanswered sent_nothing
        long_provenance)
    local -a servers=(silent browser wrong_version wrong_transport refuses closes barrier_first no_barrier waits_early)
    # all at once, each at a port of its own
    for case in "${clients[@]}"; do
        port=$((port + 1))
        launch "server_$case" "$(program cxi_send_bw)" -p "$port" --provider tcp --timeout 2
        ports[$case]=$port
    done
    for case in "${clients[@]}"; do
        port=${ports[$case]}
        await "server_$case" listening "server_$case"
        launch "client_$case" "$BATS_TEST_DIRNAME/cxi_wire.py" client "$port" "$case"
    done
    for case in "${clients[@]}"; do
        finish "server_$case"
        finish "client_$case"
        expect_status "server_$case" 1
        expect_error "server_$case" .
        refuse_output "server_$case" '^ +64 .*[0-9]$'
    done
    expect_error server_wrong_version 'it is of version 1 of the protocol, not 6: install the same version of the suite on both sides'
    expect_error server_impossible_time 'a result that does not belong to this test: its time is longer than the test has lasted'
    expect_error server_not_printable 'sent an invalid message, its options: an option is not printable'
    expect_error server_long_provenance 'sent an invalid message, its address: its provenance is too long'
    expect_error server_unanswered 'a result that does not belong to this test: it finished more lists than were answered'
    port=${ports[sent_nothing]}
    for case in "${servers[@]}"; do
        port=$((port + 1))
        launch "peer_$case" "$BATS_TEST_DIRNAME/cxi_wire.py" server "$port" "$case"
        ports[$case]=$port
    done
    for case in "${servers[@]}"; do
        port=${ports[$case]}
        await "peer_$case" listening "peer_$case"
        launch_client "guest_$case" cxi_send_bw --provider tcp --timeout 1 -n 1
    done
    for case in "${servers[@]}"; do
        finish "guest_$case"
        finish "peer_$case"
        expect_status "guest_$case" 1
        expect_error "guest_$case" .
    done
}

@test "cxi: the shell completes the providers that are usual" {
    local COMP_WORDS=(cxi_send_bw --provider s) COMP_CWORD=2 COMPREPLY=()
    # shellcheck source=/dev/null
    source "$PERFTEST_TOP/scripts/perftest-completion.bash"
    _perftest
    [ "${COMPREPLY[*]}" = shm ]
    [ "$(_perftest_values cxi_send_bw --provider)" = "tcp shm verbs efa cxi " ]
}

@test "cxi: bad options are refused in one line" {
    local words
    for words in "-s 0" "-l 16383" "--use-hp 4M" "-d eth0" "-R --provider tcp" "-g AMD" "a b" "-n 5x"; do
        # shellcheck disable=SC2086 # words
        run_alone cxi_send_bw $words
        [ "$status" -eq 2 ]
        expect_error alone .
        [ -z "$output" ]
    done
    run_alone cxi_send_bw --keep_serving --provider tcp --out_json_file="$(printf '%04094d' 0)"
    [ "$status" -eq 1 ]
    expect_error alone '--out_json_file: the name 0+'
    SLINGSHOT_VNIS=x run_alone cxi_send_bw
    [ "$status" -eq 2 ]
    expect_error alone 'SLINGSHOT_VNIS'
    PERFTEST_SYSFS=$PWD run_alone cxi_send_bw --version
    [ "$output" = "cxi_send_bw version: $(sed -n 's/^AC_INIT(\[perftest\], \[\([^]]*\)\].*/\1/p' "$PERFTEST_TOP/configure.ac")" ]
}
