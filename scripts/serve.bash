# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Which TCP ports are taken and by whom, and a server that says when it listens. Read by runme and
# by the tests, and sent by runme to the other host, so it needs nothing but bash, grep and /proc.
# shellcheck shell=bash

# Prints what listens over IPv4 and IPv6, one "PORT INODE" a line. 0A is LISTEN in the kernel's list of states; grep picks
# those lines, because a busy machine has tens of thousands of others, and bash would take seconds for them.
listeners() {
    local address inode
    while read -r _ address _ _ _ _ _ _ _ inode _; do
        echo "$((16#${address##*:})) $inode"
    done < <(grep -hE '^ *[0-9]+: [0-9A-F]+:[0-9A-F]+ [0-9A-F]+:0000 0A ' /proc/net/tcp /proc/net/tcp6 2>/dev/null)
}

port_in_use() { # PORT
    local hex
    printf -v hex %04X "$1"
    grep -qsE "^ *[0-9]+: [0-9A-F]+:$hex [0-9A-F]+:0000 0A " /proc/net/tcp /proc/net/tcp6
}

# Prints the TCP ports that a process listens on, one a line.
listening_ports() { # PID
    local port inode sockets
    sockets=$(readlink /proc/"$1"/fd/* 2>/dev/null)
    while read -r port inode; do
        [[ $sockets == *"socket:[$inode]"* ]] && echo "$port"
    done < <(listeners)
    return 0
}

# Does this very process listen there? Another program on the port does not count.
process_listens() { # PID PORT
    # shellcheck disable=SC2143 # grep -q ends early, and under pipefail the broken pipe would count
    [[ -n $(listening_ports "$1" | grep -x "$2") ]]
}

# Prints a port on which no process listens. FIRST..LAST lies below the ports that the kernel itself
# gives to clients (32768 and up), so that no passing connection takes it before the server does.
pick_port() { # FIRST LAST
    local first=$1 last=$2 port tries
    for ((tries = 0; tries < 1000; tries++)); do
        port=$((first + (RANDOM * 32768 + RANDOM) % (last - first + 1)))
        if ! port_in_use "$port"; then
            echo "$port"
            return 0
        fi
    done
    echo "no free TCP port between $first and $last" >&2
    return 1
}

# Ends a process group: politely, and after SECONDS for certain.
end_group() { # PID SECONDS
    local end=$((SECONDS + $2))
    kill -INT -- "-$1" || return 0
    while kill -0 -- "-$1"; do
        ((SECONDS >= end)) && kill -KILL -- "-$1"
        sleep 0.02
    done
}

# Runs a server until it ends, or stdin does (descriptor 3). Its words on stderr go to a file, too. Sets listened.
serve_at() { # PORT WORDS COMMAND...
    local port=$1 words=$2 pid watcher status
    shift 2
    listened=
    set -m # a process group of its own, which a signal can reach as a whole
    "$@" </dev/null 3<&- 2>"$words" &
    pid=$!
    { cat <&3 >/dev/null; end_group "$pid" 3; } 2>/dev/null &
    watcher=$!
    set +m
    while kill -0 "$pid" 2>/dev/null; do
        if process_listens "$pid" "$port"; then
            listened=1
            echo "runme: listening $port"
            break
        fi
        sleep 0.02
    done
    wait "$pid"
    status=$?
    kill -- "-$watcher" 2>/dev/null
    return "$status"
}

# The server of runme, on this host or on another. Prints "runme: listening PORT" once the server does; ends it when stdin
# ends, which is when runme goes away for whatever reason. Without FIXED_PORT a port that another program took between
# the look at it and the server's bind() is given up for another one. Where there is no PROGRAM_PATH it runs the PROGRAM that
# PATH has, and prints "runme: instead PATH (VERSION)" before.
serve() { # DEFAULT_PORT FIXED_PORT PROGRAM_PATH PROGRAM [OPTIONS]
    local port=$1 fixed=$2 program=$3 words tries status=1 listened
    local -a where=()
    if [[ ! -x $program ]]; then
        program=$4
        # whose is it? A caller that compares two sides has to know
        command -v "$program" >/dev/null &&
            echo "runme: instead $(command -v "$program") ($("$program" --version 2>&1 </dev/null | grep -v '^$' | head -n 1))"
    fi
    shift 4
    [[ -z $fixed ]] || port=$fixed
    words=$(mktemp) || return 1
    exec 3<&0
    for ((tries = 0; tries < 20; tries++)); do
        if [[ -z $fixed ]]; then
            if ((tries > 0)) || port_in_use "$port"; then
                port=$(pick_port 20000 31999) || break
            fi
            where=("${port_option:--p}" "$port")
        fi
        status=0
        serve_at "$port" "$words" "$program" "$@" "${where[@]}" || status=$?
        [[ -z $fixed && -z $listened ]] || break
        grep -q "port $port is in use" "$words" || break
    done
    exec 3<&-
    cat "$words" >&2
    rm -f "$words"
    return "$status"
}
