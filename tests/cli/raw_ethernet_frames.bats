#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Are frames correct in every combination of headers? tests/cli/raw_ethernet.bats checks single ones; here each network
# header with each transport header, with and without a VLAN and a type, in sizes from the shortest to jumbo, all in one
# capture, in which tshark must find no fault.
# bats file_tags=slow

load helpers
load foreign
load veth
load raw_sides

# Nobody has to receive them.
send_five() { # OPTIONS...
    local name=client$((sent / 5))
    start_client_as "$name" "$@"
    names+=("$name")
    sent=$((sent + 5))
}

start_client_as() { # NAME OPTIONS...
    launch "$1" "${inside[@]}" env PERFTEST_SOFT=if=veth1 "$(program raw_ethernet_bw)" -d soft0 --client -B "$far" -E "$near" \
        -m 9216 -n 5 --payload_file_path=payload "${@:2}"
}

# All combinations of one size at once.
send_all_of() { # SIZE
    local vlan network type name names=()
    for vlan in "" "--vlan_en --vlan_pcp 6"; do
        for network in "" "${ip4[*]}" "${ip4[*]} ${ports[*]}" "${ip4[*]} ${ports[*]} --tcp" \
            "${ip6[*]}" "${ip6[*]} ${ports[*]}" "${ip6[*]} ${ports[*]} --tcp"; do
            # What has no type has its length there, which 802.3 ends at 1500.
            type=
            [[ -n $network ]] || type="--ethertype 0x88b5"
            # shellcheck disable=SC2086 # lists
            send_five -s "$1" $vlan $network $type
        done
    done
    for name in "${names[@]}"; do
        finish "$name"
        expect_status "$name" 0
    done
}

@test "each combination of headers, in sizes from the shortest to jumbo: no fault, and the payload as it was given" {
    local sizes=(65 9000) size
    [[ -z ${PERFTEST_LONG-} ]] || sizes=(64 65 66 127 128 1499 1500 1518 4096 9000 9216)
    veth_pair
    "${inside[@]}" ip link set veth0 mtu 9216
    "${inside[@]}" ip link set veth1 mtu 9216
    echo 0x6b6a6968 >payload # as long as the file is, again and again
    sent=0
    watch_frames "$far"
    for size in "${sizes[@]}"; do
        send_all_of "$size"
    done
    captured "$sent"
    no_faults
    seen "eth.src == $far" frame.len ip.checksum.status udp.checksum.status tcp.checksum.status data.data tcp.payload >decoded
    expect [ "$(wc -l <decoded)" = "$sent" ]
    # Of what has no checksum the field is empty; behind the last header is nothing but the payload.
    expect [ -z "$(awk -F '\t' '($2 $3 $4) ~ /[^1]/ || ($5 $6) !~ /^(68|69|6a|6b|:|,)*$/' decoded)" ]
    # The longest of each is as long as was asked for, without its check sequence.
    expect [ "$(cut -f 1 decoded | sort -n | tail -1)" = "$((sizes[-1] - 4))" ]
}
