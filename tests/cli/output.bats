#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Does the output have the columns that scripts for classic perftest cut, and do the documents match their schema?

load helpers

heading() { # NAME
    grep -m 1 '^ #bytes' "$1.out"
}

@test "bandwidth: heading word for word, columns by position" {
    good_pair ib_write_bw -n 100
    expect [ "$(heading client)" = " #bytes     #iterations    BW peak[MiB/sec]    BW average[MiB/sec]   MsgRate[Mpps]" ]
    expect [ "$(rows client | awk '{ print NF }')" = 5 ]
    expect grep -qP '^ 65536      100       {2} *\d+\.\d{2} +\d+\.\d{2} *\t\t     \d+\.\d{6}' client.out
}

@test "latency: heading word for word, columns by position" {
    good_pair ib_write_lat -n 100
    expect [ "$(heading client)" = " #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]    t_stdev[usec]   99% percentile[usec]   99.9% percentile[usec] " ]
    expect grep -qP '^ 2       100          \d+\.\d{2} +\d+\.\d{2} +\d+\.\d{2} +\t +\d+\.\d{2} +\t\d+\.\d{2} *\t\t\d+\.\d{2} +\t\t\d+\.\d{2} *$' client.out
}

@test "the header's lines stand in their order between rules of 87 dashes" {
    good_pair ib_write_bw -n 100
    expect [ "$(grep -cx -- '-\{87\}' client.out)" -ge 3 ]
    grep -oE '^ [A-Za-z_*. ]+[a-z*A-Z]' client.out >labels || true
    expect [ "$(grep -nE 'Dual-port|Number of qps|Connection type|TX depth|CQ Moderation|Mtu|Link type|Max inline data|Data ex. method' client.out |
        sed 's/:.*//' | tr '\n' ' ')" = "$(grep -nE 'Dual-port|Number of qps|Connection type|TX depth|CQ Moderation|Mtu|Link type|Max inline data|Data ex. method' client.out |
        sed 's/:.*//' | sort -n | tr '\n' ' ')" ]
    expect_output client '^ local address: LID [0-9a-fx]+ QPN [0-9a-fx]+ PSN [0-9a-fx]+ RKey [0-9a-fx]+ VAddr [0-9a-fx]+'
    expect_output client '^ remote address: LID'
    expect_output client '^ GID: [0-9]+(:[0-9]+){15}$'
}

# As NVIDIA's certification scripts read it.
@test "a figure of linux-rdma perftest's keys has a line of its own" {
    good_pair ib_write_bw -n 50 --out_json --out_json_file run.json
    expect [ "$(awk -F'[:,]' '/BW_average/{print $2}' run.json | cut -d. -f1 | xargs)" = "$(query run.json '.results.BW_average | floor')" ]
    expect grep -qx ' *"Number_of_qps": 1,' run.json
    expect_schema run.json
    good_pair ib_write_lat -n 50 --out_json --out_json_file run.json
    expect [ "$(awk -F'[:,]' '/t_avg/{print $2}' run.json | cut -d. -f1 | xargs)" = "$(query run.json '.results.t_avg | floor')" ]
}

@test "JSON Lines are the document, a row on each line" {
    good_pair ib_write_bw -a -n 5 -b --report-both --output_format=jsonl --out_json_file run.json
    same_as_lines run.json client.out
    good_pair ib_read_lat -n 100 -H --output_format=jsonl --out_json_file run.json
    same_as_lines run.json client.out
}

@test "JSON Lines of a run that is killed have every row that it printed" {
    start_server ib_write_bw
    start_client ib_write_bw -D 60 --report_interval 0.1 --output_format=jsonl
    until (($(wc -l <client.out) > 3)); do sleep 0.01; done
    kill_hard "${pids[client]}"
    finish client
    finish server
    expect [ "$(jq -s '.[1:] | map(.iterations > 0 and .kind == "interval") | all' client.out)" = true ]
    expect [ "$(tail -c 1 client.out)" = "" ]
}

@test "the server waits with the classic box" {
    good_pair ib_write_bw -n 50
    expect_output server '^\* Waiting for client to connect\.\.\. \*$'
}

@test "each side's local address is the other's remote one" {
    good_pair ib_write_bw -n 50 -q 2
    sed -n 's/^ local address: //p' client.out >client.local
    sed -n 's/^ remote address: //p' server.out >server.remote
    [ "$(wc -l <client.local)" -eq 2 ]
    cmp client.local server.remote
}

@test "nothing but results goes to stdout, nothing at all to stderr" {
    good_pair ib_send_bw -n 50
    expect [ ! -s client.err ]
    expect [ ! -s server.err ]
}

@test "--out_json_file: valid by its schema, every size of a sweep, the figures of the table" {
    good_pair ib_write_bw -n 5 -a --out_json_file run.json
    expect_schema run.json
    expect [ "$(query run.json '.measurements | length')" = 23 ]
    expect [ "$(query run.json '[.measurements[].partial] | any')" = false ]
    expect [ "$(query run.json '.parameters | [.iters, .all, .bidirectional, .duration, .connection] | tojson')" = '[5,true,false,null,"RC"]' ]
    expect [ "$(query run.json '.device.name')" = soft0 ]
    expect [ "$(query run.json '.device.software')" = true ]
    expect [ "$(query run.json '.device | [.pcie_relaxed_ordering, .driver, .pci_address, .link_rate_gigabits_per_second] | tojson')" = '["Unsupported",null,null,null]' ]
    expect [ "$(query run.json '.device.firmware_version | type')" = string ]
    # the last row of the table is the classic result
    expect [ "$(query run.json '.results.MsgSize')" = 8388608 ]
    expect holds "$(query run.json '.results.BW_average') - $(field client 23 4) < 0.01"
    expect holds "$(field client 23 4) - $(query run.json '.results.BW_average') < 0.01"
}

@test "--out_json: perftest_out.json in the folder that one stands in" {
    good_pair ib_send_lat -n 100 --out_json
    expect_schema perftest_out.json
    expect [ "$(query perftest_out.json '.metric')" = latency ]
}

@test "both sides' documents: one run, and the client's parameters in the server's" {
    SLURM_JOB_ID=4711 documents ib_write_bw -n 50 -s 4K -q 2 --label=rack=7 --label="note=a=b, \"c\" ü"
    expect [ "$(query client.json '.labels | [.rack, .note] | join(";")')" = '7;a=b, "c" ü' ]
    expect [ "$(query server.json '.labels, .parameters.label')" = $'null\nnull' ]
    expect [ "$(query client.json '.run_id, .slurm_job_id')" = "$(query server.json '.run_id, .slurm_job_id')" ]
    expect [ "$(query server.json '.run_id | type')" = string ]
    for side in client server; do
        [[ $side == client ]] && other=server || other=client
        expect [ "$(query $side.json '.peer | [.build, .system, .device.provider_library, .device.memory.kind]')" = \
            "$(query "$other.json" '[.tool.build, .host, .device.provider_library, .device.memory.kind]')" ]
    done
    expect [ "$(query server.json .slurm_job_id)" = 4711 ]
    expect [ "$(query server.json '.role')" = server ]
    expect [ "$(query server.json '.parameters.size')" = 4096 ]
    expect [ "$(query server.json '.parameters.qp')" = 2 ]
}

# A missed limit is two lines on standard error.
missed() {
    sed -n "/^ib_write_[a-z]*: error: /{s///; N; s/\\n */; /; p}" client.err
}

@test "JSON says why a run is not complete: a limit with size, measured value and limit; Ctrl-C" {
    run_pair ib_write_bw -n 100 -s 4096 -w 99999999 --out_json_file run.json
    expect_status client 3
    expect_schema run.json
    expect [ "$(query run.json '.status')" = "below limit" ]
    expect [ "$(query run.json '.reason')" = "$(missed)" ]
    expect grep -qE '"BW result is below bw limit: [0-9.]+ MiB/s at 4096 bytes; the limit \(-w\) is 99999999.00 MiB/s, missed by [0-9.]+ %"' run.json
    # several: each of them, in the order of the rows
    run_pair ib_write_bw -n 100 -s 4096 -w 99999999 -y 99999 --out_json_file run.json
    expect_status client 3
    expect_schema run.json
    expect [ "$(query run.json '.missed_limits[]')" = "$(missed)" ]
    expect [ "$(query run.json '.missed_limits | length')" = 2 ]
    expect [ "$(query run.json '.reason == .missed_limits[0]')" = true ]
    run_pair ib_write_lat -n 2000 -s 8 --max_lat 1e-3 --max_p99 1e-3 --max_percentiles 50:0.001,99.9:0.001 --out_json_file run.json
    expect_status client 3
    expect_schema run.json
    expect [ "$(query run.json '.missed_limits[]')" = "$(missed)" ]
    expect [ "$(query run.json '.missed_limits | length')" = 4 ]
    start_server ib_write_bw
    start_client ib_write_bw -D 60 --report_interval 0.1 --out_json_file run.json
    await client said client '^ 65536'
    kill -INT "${pids[client]}"
    finish client
    finish server
    expect_status client 130
    expect_schema run.json
    expect [ "$(query run.json '.reason')" = "stopped by its user" ]
    good_pair ib_write_bw -n 100 --out_json_file run.json
    expect [ "$(query run.json '.reason')" = null ]
}

@test "--keep_serving: a document for each client" {
    start_server ib_write_bw --keep_serving --out_json_file server.json
    local size
    for size in 64 128 256; do
        start_client ib_write_bw -n 50 -s "$size"
        finish client
        expect_status client 0
    done
    await server waits_again
    kill -INT "${pids[server]}"
    finish server
    expect_status server 0
    expect [ ! -e server.json ]
    expect_schema server.1.json
    expect [ "$(query server.1.json '.results.MsgSize')" = 64 ]
    expect [ "$(query server.2.json '.results.MsgSize')" = 128 ]
    expect [ "$(query server.3.json '.results.MsgSize')" = 256 ]
    expect_schema server.3.json
    expect [ ! -e server.4.json ]
}

@test "JSON has every interval" {
    good_pair ib_write_bw -D 1 -f 0 -s 4K --report_interval 0.25 --out_json_file run.json
    expect_schema run.json
    expect holds "$(query run.json '[.measurements[] | select(.kind == "interval")] | length') >= 3"
}

@test "JSON has the clock's achieved error and the warnings" {
    good_pair ib_write_lat -n 50 --out_json_file run.json
    expect holds "$(query run.json '.clock.relative_error') < 0.01"
}

@test "--output_format=json: stdout is one document" {
    server_args=(--output_format=json)
    good_pair ib_read_lat -n 100 --output_format=json
    expect_schema client.out
    expect_schema server.out
}

@test "--output_format=csv: one heading, as many fields in every row, the table's figures" {
    good_pair ib_write_bw -n 5 -a --output_format=csv
    expect [ "$(wc -l <client.out)" = 24 ]
    expect [ "$(awk -F, '{ print NF }' client.out | sort -u | wc -l)" = 1 ]
    expect grep -q '^kind,' client.out
}

@test "--percentiles: columns of their own; what the samples can't support is said" {
    good_pair ib_read_lat -n 1000 --percentiles=50,90,99.9999 --out_json_file run.json
    expect_schema run.json
    expect [ "$(query run.json '[.measurements[0].percentiles[] | select(.percent == 90)][0].supported')" = true ]
    expect [ "$(query run.json '[.measurements[0].percentiles[] | select(.percent == 99.9999)][0].supported')" = false ]
    expect grep -q '90%' client.out
    expect grep -q '99.9999%' client.out
    expect grep -qx ' Percentiles     : from 99.9999% on the maximum, because 1000 samples are too few' client.out
}

@test "--percentiles: the 100th is the maximum, whatever the samples" {
    good_pair ib_read_lat -n 5 --percentiles=100 --out_json_file run.json
    expect [ "$(query run.json '.measurements[0] | .latency_max_usec == (.percentiles[] | select(.percent == 100) | .latency_usec)')" = true ]
    expect [ "$(field client 1 4)" = "$(rows client | awk '{ print $NF }')" ]
}

@test "latency by time: the classic columns, and the others behind them" {
    good_pair ib_write_lat -D 1 -f 0 --out_json_file run.json
    expect [ "$(heading client | cut -c 1-60)" = " #bytes        #iterations       t_avg[usec]    tps average " ]
    expect [ "$(rows client | awk '{ print NF }')" = 10 ]
    expect holds "$(field client 1 2) > 0"
    # t_min <= t_avg <= t_max, and the rate is that of the exchanges
    expect holds "$(field client 1 5) <= $(field client 1 3) && $(field client 1 3) <= $(field client 1 6)"
    expect holds "$(field client 1 4) > 0"
    expect [ "$(query run.json '.results.tps_average * 100 | round')" = "$(field client 1 4 | tr -d .)" ]
    expect [ "$(query run.json '.measurements[0].transactions_per_second == .results.tps_average')" = true ]
    good_pair ib_write_lat -D 1 -f 0 --output_format=csv
    expect grep -q ',transactions_per_second,' client.out
}

@test "a latency interval without a sample has a row, and no figures" {
    good_pair ib_write_lat -D 3 -f 1 --report_interval 0.25 --out_json_file run.json
    expect_schema run.json
    expect [ "$(query run.json '[.measurements[] | select(.kind == "interval")][0] | [.iterations, .latency_average_usec, .latency_max_usec] | tostring')" = "[0,null,null]" ]
    expect [ "$(rows client | awk 'NR == 1 { print $2, $3 }')" = "0 nan" ]
    # every interval that was over is there: one begins where the one before it ended
    expect [ "$(query run.json '[.measurements[] | select(.kind == "interval")] | length >= 10')" = true ]
    expect [ "$(query run.json '[.measurements[] | select(.kind == "interval")] | [.[1:], .[:-1]] | transpose | all(.[0].interval_begin_seconds - .[1].interval_begin_seconds - .[1].elapsed_seconds | fabs < 1e-6)')" = true ]
}

@test "every cell is a number, however few the samples" {
    local name
    for name in ib_write_lat ib_read_lat; do
        good_pair "$name" -n 5
        expect [ "$(rows client | grep -c '[^0-9. 	]')" = 0 ]
        expect grep -qx ' Percentiles     : from 99% on the maximum, because 5 samples are too few' client.out
        expect [ ! -s client.err ]
    done
}

@test "memory does not grow with the number of samples" {
    good_pair ib_read_lat -n 1000000
    expect [ "$(field client 1 2)" = 1000000 ]
}

@test "PERFTEST_CLOCK=gettime: the fallback measures too, and says so" {
    export PERFTEST_CLOCK=gettime
    good_pair ib_write_lat -n 100 --out_json_file run.json
    expect holds "$(field client 1 5) > 0"
    expect [ "$(query run.json '.clock.fallback')" = true ]
    expect_output client "^ Clock           : CLOCK_MONOTONIC_RAW in place of the CPU's cycle counter$"
    expect_output server '^ Clock '
}

@test "where the clock is the cycle counter the header does not speak of it" {
    good_pair ib_write_lat -n 100 --out_json_file run.json
    [[ $(query run.json .clock.fallback) == false ]] || skip "this machine has no trustworthy cycle counter"
    refuse_output client '^ Clock '
}
