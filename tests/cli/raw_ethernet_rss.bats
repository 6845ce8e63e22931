#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# raw_ethernet_bw --use_rss over a veth pair: does each frame reach the work queue selected by the hash of its addresses
# and ports, and is it counted?

load helpers
load foreign
load veth
load raw_sides

# The hash once more, by its definition: for each bit of the input that is set, the 32 bits of the key that stand over it.
# How many of FLOWS flows, the first between these addresses and ports, each of QUEUES queues has.
spread() { # QUEUES FLOWS FROM TO SOURCE_PORT DESTINATION_PORT
    python3 - "$@" <<'PYTHON'
import ipaddress, struct, sys
queues, flows = int(sys.argv[1]), int(sys.argv[2])
addresses = b"".join(ipaddress.ip_address(text).packed for text in sys.argv[3:5])
key = int("6d5a56da255b0ec24167253d43a38fb0d0ca2bcbae7b30b477cb2da38030f20c6a42b73bbeac01fa", 16)
counts = [0] * queues
for flow in range(flows):
    data = addresses + struct.pack(">HH", int(sys.argv[5]) + flow, int(sys.argv[6]) + flow) if int(sys.argv[5]) else addresses
    bits, number = len(data) * 8, int.from_bytes(data, "big")
    hashed = 0
    for i in range(bits):
        if number >> (bits - 1 - i) & 1:
            hashed ^= key >> (320 - 32 - i) & 0xffffffff
    counts[hashed % queues] += 1
print(*counts)
PYTHON
}

# What the queues of the server had, from its document; and the same lines in its table.
queues_had() { # COUNTS
    expect [ "$(query server.json '.measurements[0].rss_queues | join(" ")')" = "$1" ]
    expect [ "$(sed -n 's/^	rss_queue_[0-9]*=//p' server.out | paste -sd' ')" = "$1" ]
    expect [ "$(query server.json '.measurements[0] | (.rss_queues | add) == .iterations')" = true ]
    expect_schema server.json
}

times() { # COUNTS FACTOR
    local count
    # shellcheck disable=SC2086 # a list
    for count in $1; do echo $((count * $2)); done | paste -sd' '
}

@test "frames of 28 flows come to the work queues that the hash says" {
    local counts
    veth_pair
    counts=$(spread 4 28 10.0.0.2 10.0.0.1 2000 1000)
    [ "$(tr ' ' '\n' <<<"$counts" | sort -u | wc -l)" -gt 1 ]
    begin_server raw_ethernet_bw --use_rss -q 4 -n 70 -s 100 --flows 7 --out_json_file=server.json "${ip4[@]}" "${ports[@]}"
    begin_client raw_ethernet_bw -q 4 -n 70 -s 100 --flows 7 "${ip4[@]}" "${ports[@]}"
    good_end
    queues_had "$(times "$counts" 10)"
    expect_output server '^ *100 +280 '
    expect_output server 'received frames: spread over 4 work queues by addresses of IPv4 and ports of UDP'
}

@test "what is not in the rule is in the hash: TCP, other addresses of IPv6, several clients" {
    veth_pair
    begin_server raw_ethernet_bw -G -n 50 -s 120 --tcp --out_json_file=server.json
    begin_client raw_ethernet_bw -n 100 -s 120 --flows 25 "${ip4[@]}" "${ports[@]}" --tcp
    good_end
    queues_had "$(times "$(spread 2 25 10.0.0.2 10.0.0.1 2000 1000)" 4)"
    begin_server raw_ethernet_bw -G -n 50 -s 120 --raw_ipv6 --out_json_file=server.json
    begin_client raw_ethernet_bw -n 100 -s 120 --flows 25 "${ip6[@]}" "${ports[@]}"
    good_end
    queues_had "$(times "$(spread 2 25 fd00::2 fd00::1 2000 1000)" 4)"
    begin_server raw_ethernet_bw -G -q 8 -n 50 -s 120 --raw_ipv6 -J fd00::1 --out_json_file=server.json -e
    launch other "${inside[@]}" env PERFTEST_SOFT=if=veth1 "$(program raw_ethernet_bw)" -d soft0 --client -B "$far" -E "$near" \
        -n 160 -s 120 --raw_ipv6 -J fd00::1 -j fd00::5
    begin_client raw_ethernet_bw -n 240 -s 120 --raw_ipv6 -J fd00::1 -j fd00::2
    good_end
    finish other
    expect_status other 0
    queues_had "$(paste -d' ' <(times "$(spread 8 1 fd00::2 fd00::1 0 0)" 240 | tr ' ' '\n') \
        <(times "$(spread 8 1 fd00::5 fd00::1 0 0)" 160 | tr ' ' '\n') | awk '{ print $1 + $2 }' | paste -sd' ')"
}

@test "the software device without an interface says so, and nothing else" {
    local program
    for program in raw_ethernet_bw raw_ethernet_lat raw_ethernet_burst_lat; do
        run_alone "$program" -d soft0 --server -B "$near" -E "$far"
        expect_status alone 1
        expect_error alone 'soft0 sends and receives frames through a network interface: select one with PERFTEST_SOFT=if=NAME'
        expect [ "$(wc -l <alone.err)" = 1 ]
    done
    run_alone raw_ethernet_bw -d soft0 --server -B "$near" -G
    expect_error alone 'select one with PERFTEST_SOFT=if=NAME'
}
