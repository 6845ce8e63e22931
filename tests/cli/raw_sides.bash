# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# For tests of the raw_ethernet_* programs: both sides on a veth pair, and what tshark captures between them. After
# "load helpers", "load foreign" and "load veth".
# shellcheck shell=bash disable=SC2154 # near, far and inside are veth's, pids the helpers', run_soft foreign's

ip4=(-J 10.0.0.1 -j 10.0.0.2)
ip6=(--raw_ipv6 -J fd00::1 -j fd00::2)
ports=(-K 1000 -k 2000)

# A side; the distribution's program is named by its path, and started by run_soft.
start_side() { # NAME INTERFACE OWN_MAC OTHER_MAC PROGRAM OPTIONS...
    local command
    command=("$(program "$5")")
    [[ $5 != */* ]] || command=("$run_soft" "$5")
    launch "$1" "${inside[@]}" env "PERFTEST_SOFT=if=$2" "${command[@]}" -d soft0 "--$1" -B "$3" -E "$4" "${@:6}"
}

begin_server() { # PROGRAM OPTIONS...
    start_side server veth0 "$near" "$far" "$@"
    await server listens veth0
}

begin_client() { # PROGRAM OPTIONS...
    start_side client veth1 "$far" "$near" "$@"
}

# One program on both sides.
pair() { # PROGRAM OPTIONS...
    begin_server "$@"
    begin_client "$@"
    good_end
}

good_end() {
    finish client
    finish server
    expect_status client 0
    expect_status server 0
}

# Writes down what that address sends through veth1, until captured(). The file is named once the filter is in place: the
# socket is there tens of milliseconds before, and what comes in between is lost.
watch_frames() { # MAC
    command -v tshark >/dev/null || skip "tshark is not installed"
    launch dumpcap "${inside[@]}" dumpcap -q -i veth1 -f "ether src $1" -w frames.pcap
    await dumpcap said dumpcap '^File: '
}

# The FIELDS of the frames that FILTER lets through. What a frame of a length carries is a pattern, no LLC, and none of the
# protocols that tshark would guess from its bytes. All frames of a side are the same segment of TCP: whether one is a
# retransmission or out of order tshark guesses from when it came.
seen() { # FILTER FIELDS...
    local field options=()
    for field in {udp,tcp}.port=={1000-1099,2000-2099}; do
        options+=(-d "$field,data")
    done
    for field in "${@:2}"; do
        options+=(-e "$field")
    done
    tshark -r frames.pcap --disable-protocol llc -o ip.check_checksum:TRUE -o udp.check_checksum:TRUE -o tcp.check_checksum:TRUE \
        -o tcp.analyze_sequence_numbers:FALSE -Y "$1" -T fields "${options[@]}" 2>/dev/null
}

# Stops the capture once it has COUNT frames.
captured() { # COUNT
    await dumpcap has_frames "$1"
    kill -INT "${pids[dumpcap]}"
    finish dumpcap
}

# dumpcap and capinfos come with tshark, and take a tenth of its time.
has_frames() { # COUNT
    (($(capinfos -rTc frames.pcap 2>/dev/null | cut -f 2) >= $1))
}

no_faults() {
    local faults
    faults=$(seen "_ws.malformed || _ws.expert.severity >= 0x600000" frame.number _ws.expert.message)
    [[ -z $faults ]] && return 0
    echo "tshark found faults: $faults"
    return 1
}

# 20 frames of these options, LENGTH bytes each in the interface, in which tshark finds FIELDS = VALUES and no fault.
frames_are() { # LENGTH FIELDS VALUES OPTIONS...
    local fields=$2 values=$3 length=$1
    watch_frames "$far"
    begin_server raw_ethernet_bw -n 20 "${@:4}"
    begin_client raw_ethernet_bw -n 20 "${@:4}"
    good_end
    captured 20
    no_faults
    # shellcheck disable=SC2086 # a list
    seen "eth.src == $far" frame.len $fields >decoded
    expect [ "$(sort -u decoded | tr '\t' ' ')" = "$length${values:+ }$values" ]
    expect [ "$(wc -l <decoded)" = 20 ]
}

# Have frames gone through?
frames_pass() {
    (($("${inside[@]}" ip -s link show veth0 | awk '/RX:/ { getline; print $2 }') > 100))
}

# Of what it sends each frame of a number that LOSE divides is lost.
make_lossy() {
    ${CC:-cc} -shared -fPIC -x c -o lossy.so - <<'SOURCE'
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

ssize_t sendmsg(int fd, const struct msghdr *message, int flags)
{
	static unsigned count;
	const char *every = getenv("LOSE");
	int domain = 0;
	socklen_t length = sizeof(domain);

	getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &length);
	if (every && domain == AF_PACKET && ++count % (unsigned)atoi(every) == 0)
		return (ssize_t)message->msg_iov->iov_len;
	return syscall(SYS_sendmsg, fd, message, flags);
}
SOURCE
    preload=$PWD/lossy.so
    is_sanitized || preload+=:$PERFTEST_BUILD/soft/.libs/libperftest_soft.so
}

# A side that loses; NAME is client or server.
start_lossy() { # NAME EVERY PROGRAM OPTIONS...
    local -a ends=(veth1 "$far" "$near")
    [[ $1 == client ]] || ends=(veth0 "$near" "$far")
    launch "$1" "${inside[@]}" env "PERFTEST_SOFT=if=${ends[0]}" LD_PRELOAD="$preload" LOSE="$2" \
        ASAN_OPTIONS="verify_asan_link_order=0:${ASAN_OPTIONS-}" "$(program "$3")" -d soft0 "--$1" \
        -B "${ends[1]}" -E "${ends[2]}" "${@:4}"
}
