#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# `perftest compare`: whole runs of two command lines in turn, over soft0, and kept documents.

load helpers

perftest=$PERFTEST_BUILD/perftest
quick=(ib_write_bw -d soft0 -n 100)
slow=("${quick[@]}" --rate_limit=0.2 --rate_units=g) # whatever else the machine does

compare() { # [ARGUMENTS]
    launch compare "$perftest" compare --out_json_file=compare.json "$@"
    finish compare
}

document() { # FILTER
    jq -r "$1" compare.json
}

# A stand-in for another build: ./ib_write_bw-7.0, which notes that it was started.
other_build() {
    cat >ib_write_bw-7.0 <<EOF
#!/bin/bash
echo started >>"$PWD/started"
exec "$PERFTEST_BUILD/ib_write_bw" "\$@"
EOF
    chmod +x ib_write_bw-7.0
    touch started
}

started() { # COUNT
    (($(wc -l <started) >= $1))
}

# By the folder in which this test runs, which they inherit.
no_orphans() {
    local folder
    for folder in /proc/[0-9]*/cwd; do
        [[ $(readlink "$folder" 2>/dev/null) != "$PWD" || $(readlink "${folder%cwd}exe") != */perftest ]] || return 1
    done
}

# bats test_tags=quick
@test "perftest compare: a slower B is worse, a faster one is not" {
    compare --runs=7 --seed=5 "${quick[@]}" -- "${slow[@]}"
    expect_status compare 3
    expect_quiet compare
    expect_schema compare.json
    expect_output compare '^ perftest compare: 7 pairs of runs, .* --seed=5$'
    expect_output compare '^ B: ib_write_bw -d soft0 -n 100 --rate_limit=0.2 --rate_units=g$'
    expect_output compare '^ 65536 +bandwidth +.* Gb/s +-[0-9.]+ %$'
    expect_output compare '^      -[0-9.]+ to -[0-9.]+ %, p 0.0156: B is [0-9.]+ % slower \(.* to .* %\)$'
    expect [ "$(awk 'length > 80 && !/^ ([AB]:|perftest compare:|Signed)/' compare.out)" = "" ]
    expect [ "$(document '[.status, .measurements[0].verdict, (.measurements | length), (.missed_limits | length)] | join(" ")')" = "below limit worse 1 1" ]
    document '.comparison.order | join(" ")' >order
    compare --runs=7 --seed=5 "${slow[@]}" -- "${quick[@]}"
    expect_status compare 0
    expect [ "$(document '.measurements[0].verdict')" = better ]
    expect cmp order <(document '.comparison.order | join(" ")')
}

@test "perftest compare: the default finds a difference; several figures, sizes and formats" {
    compare --output_format=json "${quick[@]}" -s 65536 -- "${slow[@]}" -s 64
    expect_status compare 3
    expect cmp compare.out compare.json
    # the first look of two figures, of which the first is judged at 0.3 %
    expect [ "$(document '.comparison.pairs')" = 17 ]
    expect [ "$(document '.measurements | map(.subject + " " + .figure) | join(", ")')" = \
        "65536/64 bandwidth_average_bytes_per_second, 65536/64 message_rate_per_second" ]
    expect [ "$(document '.measurements[0].verdict')" = worse ]
    compare --runs=2 --output_format=markdown qperf -n 200 tcp_lat tcp_bw -- qperf -n 200 -m 8 tcp_lat tcp_bw
    expect_status compare 0
    expect_schema compare.json
    expect_output compare '^\| tcp_lat \| latency, median \| .* \| usec \| .* \| unknown \| .* \| too few runs to tell; [0-9]+ are needed \|$'
    expect_output compare '^\| tcp_bw \| received \| '
}

@test "perftest compare --until goes on until the interval is narrow, or the runs are over" {
    compare --until=50 --runs=17 "${slow[@]}" -- "${slow[@]}"
    expect [ "$compare_status" = 0 ] || expect [ "$compare_status" = 3 ] # as rarely as the test promises
    expect_schema compare.json
    expect [ "$(document '.comparison | .pairs == 16 and .until_reached or .pairs == 17')" = true ]
}

@test "perftest compare: a HOST whose server runs already, and another build" {
    other_build
    start_server ib_write_bw -d soft0 --keep_serving
    compare --runs=2 "${quick[@]}" -p "$port" 127.0.0.1 -- ./ib_write_bw-7.0 -p "$port" -d soft0 -n 100 127.0.0.1
    expect_status compare 0
    expect_schema compare.json
    expect [ "$(document '.comparison.pairs')" = 2 ]
    expect [ "$(wc -l <started)" = 2 ] # clients alone
    kill -INT "${pids[server]}"
    finish server
    compare --runs=2 "${quick[@]}" -- ./ib_write_bw-7.0 -d soft0 -n 100
    expect_status compare 0
    expect [ "$(wc -l <started)" = 6 ] # both halves
}

@test "perftest compare, gate: cmtime with both sides here, and with its controller as HOST" {
    compare --runs=2 cmtime -S -c 20 -- cmtime -S -c 20 -b 127.0.0.1 -p 1
    expect_status compare 0
    expect_schema compare.json
    expect [ "$(document '[.measurements[].subject] | contains(["sockets, full connect"])')" = true ]
    expect_output compare '^ sockets, full connect  latency, median '
    start_server cmtime -S -C 127.0.0.1 -b 127.0.0.1 -L --keep_serving
    compare --runs=2 cmtime -S -c 20 -b 127.0.0.1 -C 127.0.0.1 -p "$port" -- \
        cmtime -S -c 20 -b 127.0.0.1 --controller=127.0.0.1 -p "$port"
    expect_status compare 0
    run_alone "$perftest" gate --save_baseline=base.json --runs=2 cmtime -S -c 20
    expect [ "$status" = 0 ]
    expect_output alone '^ sockets, full connect  latency, median '
    expect_output alone "^ $(printf %-21s test)  figure "
    kill -INT "${pids[server]}"
    finish server
}

@test "perftest compare: a run that fails or hangs is named, and ended" {
    compare --runs=2 "${quick[@]}" -- ib_write_bw -d none
    expect_status compare 1
    expect_error compare 'run 1 of (A|B) failed: server: .*none'
    expect [ ! -s compare.out ]
    expect_schema compare.json
    compare --runs=2 --limit=1 ib_write_bw -d soft0 --run_infinitely -- ib_write_bw -d soft0 --run_infinitely
    expect_status compare 1
    expect_error compare 'run 1 of . failed: it did not end within 1 s \(--limit\)'
    compare --runs=2 "${quick[@]}" -- ./none/ib_write_bw
    expect_status compare 1
    expect_error compare 'run 1 of B failed: server: cannot execute ./none/ib_write_bw: No such file'
    printf '#!/bin/bash\necho "ib_write_bw: error: too few words: %0900d" >&2\nexit 1\n' 0 >ib_write_bw-7.0
    chmod +x ib_write_bw-7.0
    compare --runs=2 "${quick[@]}" -- ./ib_write_bw-7.0
    expect_status compare 1
    expect_error compare 'run 1 of B failed: server: too few words: '
    expect no_orphans
}

@test "perftest compare: Ctrl-C prints what was measured until then" {
    other_build
    launch compare "$perftest" compare --runs=200 --out_json_file=compare.json "${quick[@]}" -- ./ib_write_bw-7.0 -d soft0 -n 100
    await compare started 5 # B's third run, at least
    kill -INT "${pids[compare]}"
    finish compare
    expect_status compare 130
    expect_output compare '^ 65536 +bandwidth '
    expect_output compare '^ stopped by the user'
    expect_schema compare.json
    expect [ "$(document '.status + " " + (.comparison.pairs >= 2 | tostring)')" = "interrupted true" ]
    expect no_orphans
}

# bats test_tags=quick
@test "perftest compare: what it cannot do is said before anything is tried" {
    local words
    while read -r words; do
        # shellcheck disable=SC2086 # words
        run_alone perftest compare $words
        expect [ "$status" = 2 ]
        expect_error alone .
    done <<<"
--
ib_write_bw
ib_write_bw -s 4096 ib_write_bw -s 64
ib_write_bw ib_send_bw
ib_write_bw --
-- ib_write_bw
one.json
one.json two.json three.json
ib_write_bw -- ib_writ_bw
ib_write_bw -- cmtim
raw_ethernet_bw -- raw_ethernet_bw
--runs=1 ib_write_bw -- ib_write_bw
--until=0 ib_write_bw -- ib_write_bw
--output_format=csv ib_write_bw -- ib_write_bw"
    for words in ib_write_bw cmtime raw_ethernet_bw; do # no documents
        run_alone perftest compare "$words" ib_send_bw
        expect_error alone '-- is missing between both command lines'
    done
    run_alone perftest compare --help
    expect [ "$status" = 0 ]
}

@test "perftest compare: of two documents the changes, and what else differs" {
    documents ib_write_bw -n 200 -s 4096
    mv client.json before.json
    documents ib_write_bw -n 200 -s 4096 -q 2
    mv client.json after.json
    compare before.json after.json
    expect_status compare 0
    expect_schema compare.json
    expect_output compare '^ differs: parameters.qp: 1, 2$'
    expect_output compare '^ 4096 +bandwidth .* Gb/s +[-+][0-9.]+ %$'
    expect_output compare 'Each side is one run'
    expect [ "$(grep -c '^ differs: ' compare.out)" = "$(document '.comparison.differences | length')" ]
    expect [ "$(document '[.measurements[0] | .verdict, .p, .text] | map(. == null) | all')" = true ]
    jq 'del(.measurements[].message_rate_per_second)' before.json >without.json
    compare before.json without.json
    expect_output compare '^ differs: message rate: [0-9.e+-]+ M/s, absent$'
    jq '.measurements[] += {test: "no QPs", step: "resolve route"}' before.json >steps.json
    compare steps.json steps.json
    expect_output compare '^ no QPs, resolve route +bandwidth '
    for side in here there; do
        jq --arg side $side '.transport = {address: $side, peer_address: $side}' before.json >$side.json
    done
    compare here.json there.json
    expect [ "$(grep -c '^ differs: ' compare.out)" = 0 ]
    # another cluster is another test, in whatever order its instances came
    jq '.cluster = {rank: 0, servers: 1, clients: 2, address: "a", peers: [
        {rank: 1, address: "b", host: "b"}, {rank: 2, address: "c", host: "c"}]}' before.json >cluster.json
    jq '.cluster.rank = 2 | .cluster.peers |= [.[1] + {rank: 0}, .[0] + {address: "d"}]' cluster.json >again.json
    compare cluster.json again.json
    expect [ "$(grep -c '^ differs: ' compare.out)" = 0 ]
    jq '.cluster.clients = 3 | .cluster.peers += [{rank: 3, address: "d", host: "d"}] | .cluster.peers[0].host = "e"' \
        cluster.json >larger.json
    compare cluster.json larger.json
    expect_output compare '^ differs: cluster.clients: 2, 3$'
    expect_output compare '^ differs: cluster.peers.host: "b", "e"$'
    expect_output compare '^ differs: cluster.peers: absent, \{"host":"d"\}$'
    # no document has so many: looking for each among the others would take long
    jq '.cluster.peers = [range(1025) | {rank: ., address: "a", host: "h\(.)"}]' cluster.json >many.json
    compare cluster.json many.json
    expect_output compare '^ differs: cluster.peers: \[.*\[.*h0'
    compare --output_format=markdown before.json before.json
    expect_status compare 0
    refuse_output compare differs
    expect_output compare '^\| 4096 \| bandwidth \| .* \| [+]0[.]00 % \|$'
    # the names of another's document are text in a comment on a change
    jq '.host.name = "<img>[a](b)|é"' before.json >named.json
    compare --output_format=markdown before.json named.json
    expect grep -qF '"\<img\>\[a\](b)\|é"' compare.out
    compare before.json named.json
    expect grep -qF '"<img>[a](b)|é"' compare.out
}

@test "perftest compare: documents that cannot be compared" {
    documents ib_write_bw -n 200
    mv client.json write.json
    documents ib_send_bw -n 200
    mv client.json send.json
    jq '.measurements[0].partial = true' write.json >partial.json
    jq '.measurements = []' write.json >empty.json
    jq '.measurements += .measurements' write.json >twice.json
    jq 'del(.measurements[].bandwidth_average_bytes_per_second, .measurements[].message_rate_per_second)' write.json >figureless.json
    echo '[[[' >broken.json
    echo '{"tool": 1, "measurements": {}}' >foreign.json
    jq '.schema_version = 4' write.json >newer.json
    jq '.measurements[] |= (.bandwidth_average_bytes_per_second = 1e308 | .message_rate_per_second = 5e-324)' write.json >absurd.json
    local name words
    while read -r name words; do
        compare --output_format=json write.json "$name.json"
        expect_status compare 1
        expect_error compare "$words"
        expect [ ! -s compare.out ]
        expect [ ! -e compare.json ]
    done <<<"send these documents are of different tests: write.json of ib_write_bw, send.json of ib_send_bw
partial cannot compare partial.json: the test was cut short
empty cannot compare empty.json: the test has no result
twice cannot compare write.json with twice.json: A and B have different numbers of results, 1 and 2: of each size or test one
figureless A and B have no figure in common: A has bandwidth, B none
broken cannot compare broken.json: .
absurd A and B have no figure in common: A has bandwidth, B none
foreign cannot compare foreign.json: it is no JSON document of this suite
newer cannot compare newer.json: its schema_version is that of another perftest, which can read it
none cannot compare none.json: .*No such file"
}
