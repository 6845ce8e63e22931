# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What has to be true where one side is ours and the other linux-rdma perftest: which cases there are,
# and when two tables say the same. For tests/cli/classic.bats and the VM job "peers".
# shellcheck shell=bash

# One case a line, "PROGRAM [OPTIONS]": all programs over all transports that they may, with the options of all kinds.
# Sweeps of latency tests take the other side half a second a size, for its clock.
classic_cases() { # DURATION-OPTIONS SWEEP-OPTIONS [COUNT-OPTIONS-OF-LARGE-MESSAGES]
    local program transports transport options
    local -a each=("${3-}" "$1" "-n 1000 -s 4096" "$2")
    local -a bandwidth=("-b ${3-}" "-b $1" "-b $2" "-q 4 ${3-}" "${3:--n 1000} -l 8 -Q 8")
    for program in ib_{write,read,send,atomic}_{bw,lat}; do
        case $program in
        ib_send_*) transports="RC UC UD" ;;
        ib_write_*) transports="RC UC" ;;
        *) transports=RC ;;
        esac
        for transport in $transports; do
            for options in "${each[@]}"; do
                classic_case "$program" "$transport" "$options"
            done
            [[ $program == *_bw ]] || continue
            for options in "${bandwidth[@]}"; do
                classic_case "$program" "$transport" "$options"
            done
        done
    done
}

# An atomic has 8 bytes; a datagram fits the MTU, which is 1024 on a network device of 1500.
classic_case() { # PROGRAM TRANSPORT OPTIONS
    local options=$3
    [[ $1 == ib_atomic_* && " $options " == *" -"[as]" "* ]] && return
    if [[ $2 == UD ]]; then
        options=${options/-s 4096/}
        [[ " $options " == *" -a "* ]] || options+=" -s 1024"
    fi
    echo "$1 -c $2 $options"
}

# Fields of all rows of a table, size and iterations first.
classic_rows() { # FILE
    awk '/^ #bytes/ { table = 1; next } /^-----/ { table = 0 } table && /^ [0-9]/ { $1 = $1; print }' "$1"
}

# Do client.out and server.out say the same, as far as both can know it?
classic_same() { # PROGRAM [OPTIONS]
    local program=$1 options=" ${*:2} " client server line_client line_server
    client=$(classic_rows client.out)
    server=$(classic_rows server.out)
    case $program in
    *_read_lat | *_atomic_lat) # the client measures alone and tells nobody
        [[ -n $client && -z $server ]] || complain "a table of the client alone was expected" || return
        classic_own_words "$program" "$options" "$client"
        return
        ;;
    *_write_bw | *_read_bw | *_atomic_bw) # the client tells of its last size
        [[ $options == *" -b "* ]] || client=$(tail -n 1 <<<"$client")
        ;;
    esac
    [[ -n $client && $(wc -l <<<"$client") == "$(wc -l <<<"$server")" ]] || complain "not as many rows" || return
    while read -r line_client <&3 && read -r line_server <&4; do
        classic_same_row "$program" "$options" "$line_client" "$line_server" || return
    done 3<<<"$client" 4<<<"$server"
    classic_own_words "$program" "$options" "$client"
}

classic_same_row() { # PROGRAM OPTIONS CLIENT-ROW SERVER-ROW
    local -a client server
    read -ra client <<<"$3"
    read -ra server <<<"$4"
    [[ ${client[0]} == "${server[0]}" ]] || complain "sizes differ: $3 | $4" || return
    if [[ $2 == *" -D "* && $2$1 != *" -D "*ib_write_bw && $2$1 != *" -D "*ib_read_bw && $2$1 != *" -D "*ib_atomic_bw ]]; then
        # each by its own clock; what both see is the same traffic, unless some of it gets lost
        [[ $2 == *" -c U"* ]] || classic_near "${client[1]}" "${server[1]}" || complain "iterations differ: $3 | $4"
        return
    fi
    if [[ $2 != *" -b "* || $2 != *" -D "* ]]; then
        [[ ${client[1]} == "${server[1]}" ]] || complain "iterations differ: $3 | $4" || return
    fi
    [[ $1 == *_lat || ($1 == ib_send_bw && $2 != *" -b "*) ]] && return
    if [[ $2 == *" -b "* && $2 == *" -D "* ]]; then
        # a classic program measures no peak by time, and shows that of the other direction as the sum's
        client[2]='' server[2]=''
    fi
    if grep -qs 'Correlation coefficient' client.err server.err; then
        # a classic program on a machine without CPU to spare could not calibrate its clock, and has no peak then
        client[2]='' server[2]=''
    fi
    [[ ${client[*]:2} == "${server[*]:2}" ]] || complain "figures differ: $3 | $4"
}

# Did the client do as many iterations as it was told?
classic_own_words() { # PROGRAM OPTIONS ROWS
    local want=1000 qps=1 row_size iterations rest
    [[ $2 == *" -D "* ]] && return
    [[ $1 == ib_write_bw ]] && want=5000
    [[ $2 =~ " -n "([0-9]+) ]] && want=${BASH_REMATCH[1]}
    [[ $2 =~ " -q "([0-9]+) ]] && qps=${BASH_REMATCH[1]}
    [[ $2 == *" -O "* ]] && qps=$((2 * qps)) # of each port
    # shellcheck disable=SC2034 # the names say what a row begins with
    while read -r row_size iterations rest; do
        ((iterations == want * qps)) || complain "$iterations iterations, not $want on each of $qps: $row_size" || return
    done <<<"$3"
}

classic_near() { # A B
    awk -v a="$1" -v b="$2" 'BEGIN { exit !(a > 0 && b > 0 && a < 2 * b && b < 2 * a) }'
}

complain() { # WORDS
    echo "$*"
    return 1
}
