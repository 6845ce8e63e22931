# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# For tests of frames on a veth pair. Behind "load helpers".
# shellcheck shell=bash disable=SC2154 # pids is the helpers'

near=02:00:00:00:00:0a
far=02:00:00:00:00:0b

# A veth pair in a network namespace that lasts as long as a process in it, so that nothing but the test's frames is there.
veth_pair() {
    ((EUID == 0)) || skip "raw packets take root"
    unshare -n true 2>/dev/null || skip "no network namespace is allowed here"
    launch_network holder
    inside=(nsenter -n -t "${pids[holder]}")
    make_link 2>/dev/null || skip "no veth pair can be made here"
}

make_link() {
    "${inside[@]}" ip link add veth0 address $near type veth peer name veth1 address $far || return 1
    "${inside[@]}" sysctl -qw net.ipv6.conf.all.disable_ipv6=1 net.ipv6.conf.default.disable_ipv6=1 2>/dev/null || true
    "${inside[@]}" ip link set veth0 up
    "${inside[@]}" ip link set veth1 up
}

# A socket that takes frames shows that its side has its rules.
listens() { # INTERFACE
    local index
    index=$("${inside[@]}" ip -o link show "$1" | cut -d: -f1)
    "${inside[@]}" cat /proc/net/packet | awk -v index_="$index" '$4 == "0003" && $5 == index_ { found = 1 } END { exit !found }'
}
