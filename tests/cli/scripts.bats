#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Do scripts written for linux-rdma perftest read our output? Each test extracts the figures as a kind of existing
# script does (health checks of cloud providers, SuperBench, cluster validation suites, rpma's benchmarks, exporters,
# traffic tests of Kubernetes operators), reimplemented; they are compared with the JSON document, which those scripts
# do not know.

load helpers

# The figure of the run's document, as a script prints it.
document_figure() { # KEY DECIMALS
    printf "%.$2f" "$(query run.json ".results.$1")"
}

bandwidth_run() { # [OPTIONS]
    good_pair ib_write_bw -n 500 -s 65536 --report_gbits --out_json_file run.json "$@"
}

latency_run() { # COUNT [OPTIONS]
    good_pair ib_write_lat -n "$1" --out_json_file run.json "${@:2}"
}

python() { # CODE [ARGUMENT...]
    python3 -c "$@"
}

@test "awk: a field of the row of that size" {
    bandwidth_run
    expect [ "$(awk '$1 == 65536 { print $4 }' client.out)" = "$(document_figure BW_average 2)" ]
    expect [ "$(awk '$1 == "65536" { print $5 }' client.out)" = "$(document_figure MsgRate 6)" ]
    expect [ "$(grep -w 65536 client.out | tail -n 1 | awk '{ print $3 }')" = "$(document_figure BW_peak 2)" ]
}

@test "awk: the line below the heading" {
    bandwidth_run
    expect [ "$(awk '/#bytes/ { getline; print $4 }' client.out)" = "$(document_figure BW_average 2)" ]
    expect [ "$(grep -A 1 '#bytes' client.out | tail -n 1 | awk '{ print $4 }')" = "$(document_figure BW_average 2)" ]
    latency_run 20
    expect [ "$(awk '/#bytes/ { getline; print $6 }' client.out)" = "$(document_figure t_avg 2)" ]
}

@test "tail: the last line but one, on both sides" {
    bandwidth_run
    expect [ "$(tail -n 2 client.out | head -n 1 | awk '{ print $4 }')" = "$(document_figure BW_average 2)" ]
    expect [ "$(tail -n 2 server.out | head -n 1 | awk '{ print $1 }')" = 65536 ]
    latency_run 10
    expect [ "$(tail -n 2 client.out | head -n 1 | awk '{ print NF }')" = 9 ]
    expect [ "$(tail -n 2 client.out | head -n 1 | awk '{ print $6 }')" = "$(document_figure t_avg 2)" ]
    good_pair ib_send_lat -D 1 -f 0 --out_json_file run.json
    expect [ "$(tail -n 2 client.out | head -n 1 | awk '{ print $3 }')" = "$(document_figure t_avg 2)" ]
}

@test "sed: from the heading to the rule, blanks made commas" {
    good_pair ib_write_bw -n 5 -a
    sed -n '/#bytes/,/^---/p' client.out | sed -e '/#bytes/d' -e '/^---/d' -e 's/^ *//' -e 's/[ \t]*$//' -e 's/[ \t][ \t]*/,/g' >table.csv
    expect [ "$(wc -l <table.csv)" = 23 ]
    expect [ "$(awk -F, '{ print NF }' table.csv | sort -u)" = 5 ]
    expect [ "$(tail -n 1 table.csv | cut -d, -f 1)" = 8388608 ]
}

@test "grep: so many blanks behind the size" {
    bandwidth_run
    expect [ "$(grep -cE '^ 65536 {6}500 {14}' client.out)" = 1 ]
    latency_run 100
    expect [ "$(grep -cE '^ 2 {7}100 {10}[0-9]' client.out)" = 1 ]
    good_pair ib_write_bw -n 100
    expect [ "$(grep -hc '^ #bytes     #iterations    BW peak\[MiB/sec\]    BW average' client.out server.out | xargs)" = "1 1" ]
}

@test "float(): every field, and the last one" {
    bandwidth_run
    python 'import sys
row = [line.split() for line in open("client.out") if line.startswith(" 65536")][0]
assert len(row) == 5, row
assert float(row[-1]) > 0 and int(row[0]) == 65536 and int(row[1]) == 500
assert all(float(field) >= 0 for field in row)'
    for count in 5 99 100; do
        latency_run "$count"
        python 'import sys
row = [line.split() for line in open("client.out") if line.startswith(" 2 ")][0]
assert len(row) == 9, row
assert 0 < float(row[2]) <= float(row[-1]) <= float(row[3])' "$count"
    done
}

@test "a regular expression of nine numbers that ends at the last, and one of five" {
    latency_run 20
    python 'import re
text = open("client.out").read()
number = r"([0-9.]+)[\t ]+"
row = re.search(r"^ ([0-9]+)[ ]+([0-9]+)[ ]+" + number * 6 + r"([0-9.]+)\s*$", text, re.M)
assert row and float(row[3]) <= float(row[6]) <= float(row[4]), text'
    bandwidth_run
    python 'import re
text = open("client.out").read()
assert len(re.findall(r"\s*(\d+)\s+(\d+)\s+([\d.]+)\s+([\d.]+)\s+([\d.]+)\s*$", text, re.M)) == 1
assert float(re.search(r"65536\s+\d+\s+[0-9.]+\s+([0-9.]+)\s+([0-9.]+)", text)[1]) > 0'
}

@test "str.split() at the size: it stands in the output once" {
    bandwidth_run
    grep -v address: client.out >without_addresses
    python 'before, after = open("without_addresses").read().split(" 65536 ")
iterations, after = after.lstrip().split(" ", 1)
peak, after = after.lstrip().split(" ", 1)
average = after.lstrip().split(" ", 1)[0]
assert iterations == "500" and float(average) > 0'
}

@test "an exporter: figures by the words of the heading" {
    good_pair ib_send_bw -n 500 --out_json_file run.json
    python 'import re, json
lines = open("client.out").read().splitlines()
at = next(i for i, line in enumerate(lines) if "#bytes" in line)
row = dict(zip(re.split(r"\s{2,}", lines[at].strip()), lines[at + 1].split()))
results = json.load(open("run.json"))["results"]
assert abs(float(row["BW average[MiB/sec]"]) - results["BW_average"]) < 0.01, row
assert abs(float(row["MsgRate[Mpps]"]) - results["MsgRate"]) < 1e-5, row'
}

@test "an operator: the header as keys and values" {
    bandwidth_run
    python 'import re
facts = {}
inside = False
for line in open("client.out"):
    line = line.strip()
    if "RDMA_Write BW Test" in line:
        inside = True
    elif line.startswith("-----"):
        inside = False
    elif inside:
        facts.update((key.strip(), value) for key, value in re.findall(r"([\w\s*]+):\s+([\w\[\]/.]+)", line))
assert facts["Device"] == "soft0" and facts["Connection type"] == "RC" and facts["Number of qps"] == "1", facts
assert facts["TX depth"] == "128" and facts["Mtu"].endswith("[B]") and facts["Link type"] == "Ethernet", facts'
}

@test "any word on standard error is taken for a failure, and so are some words anywhere" {
    local name
    for name in ib_write_bw ib_send_bw ib_read_bw ib_atomic_bw ib_write_lat ib_send_lat ib_read_lat ib_atomic_lat; do
        good_pair "$name" -n 50
        expect [ ! -s client.err ]
        expect [ ! -s server.err ]
        expect [ "$(cat client.out server.out | grep -ciE "error|fail|failed to init|unable to open file descriptor|segmentation fault")" = 0 ]
    done
}

@test "a threshold in the shell: bc and awk compare" {
    local average
    bandwidth_run
    average=$(awk '$1 == 65536 { print $4 }' client.out)
    expect [ "$(awk -v got="$average" 'BEGIN { print (got >= 0.001) ? "pass" : "low" }')" = pass ]
    expect [ "$(printf '%.0f' "$average" 2>/dev/null)" -ge 0 ]
}

@test "one number: --output" {
    server_args=(--output=bandwidth)
    bandwidth_run --output=bandwidth
    expect [ "$(wc -l <client.out)" = 1 ]
    expect grep -qE '^[0-9]+\.[0-9]{6}$' client.out
    server_args=(--output=latency)
    latency_run 100 --output=latency
    expect grep -qxE '[0-9]+\.[0-9]{6}' client.out
}

@test "--out_json: the keys of test_info and of results" {
    bandwidth_run --cpu_util --write_with_imm
    expect [ "$(query run.json '.test_info | [.Device, .Connection_type, .Link_type] | join(" ")')" = "soft0 RC Ethernet" ]
    expect [ "$(query run.json '.test_info | [.Number_of_qps, .TX_depth] | join(" ")')" = "1 128" ]
    expect [ "$(query run.json '.results | [.MsgSize, .n_iterations] | join(" ")')" = "65536 500" ]
    expect [ "$(query run.json '[.results.BW_peak, .results.BW_average, .results.MsgRate | type] | unique | join(" ")')" = number ]
    expect [ "$(query run.json '.results | has("CPU_util")')" = true ]
    latency_run 100
    expect [ "$(query run.json '.results | [.t_min, .t_max, .t_typical, .t_avg, .t_stdev, .percentile_99, ."percentile_99.9"] | map(type) | unique | join(" ")')" = number ]
    # linux-rdma perftest has --cpu_util with -D alone; of a run of milliseconds it is not known
    good_pair ib_send_lat -D 1 --cpu_util --out_json_file run.json
    expect [ "$(query run.json '.results | [.t_avg, .tps_average, .CPU_util] | map(type) | unique | join(" ")')" = number ]
}

@test "a client that comes before its server tries again while it can't connect" {
    local tries=0
    until ((tries >= 3)); do
        run_alone ib_write_bw -p "$port" localhost
        grep -q "Couldn't connect to localhost:$port" alone.err || break
        tries=$((tries + 1))
    done
    expect [ "$tries" = 3 ]
    bandwidth_run
}

@test "a server is waited for by its words, which do not linger in a buffer" {
    start_server ib_write_bw
    await server said server 'Waiting for client to connect'
    start_client ib_write_bw -n 50
    finish client
    finish server
    expect_status client 0
}
