# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What a job of the VM lab needs: a case that counts, a server and a client on the kernel's devices,
# and a look at what they printed. Little is started per case: a process costs 20 ms and more here, so that bash
# itself does what it can.
#
#   case_of "ib_write_bw -a" pair ib_write_bw -n 5 -a
#   plan                                  at the end: how many there were; the job's status
#
# In a case, $client and $server hold the statuses, client.out server.out client.err server.err the words.
# shellcheck shell=bash
exec {never}<> <(:) # to be read with a limit: a sleep without a process

cases=0
failures=0
pattern=${1-} # a job's argument: only the cases whose description matches
port=20000
limit_s=180 # of each program: the machine may have a lot to do besides
# Loopback stays inside one device; the two of a pair send their packets over the wire between them.
server_device=rxe0
client_device=rxe1
server_address=10.0.0.1
server_options=()
may_warn='^$' # what may stand on stderr
readonly skipped=77 # a case's status: what it needs is not installed, as its last line says

wanted() { # DESCRIPTION
    [[ $1 =~ $pattern ]]
}

case_of() { # DESCRIPTION COMMAND...
    local description=$1 file
    shift
    wanted "$description" || return 0
    cases=$((cases + 1))
    for file in ./*.{out,err}; do
        [[ -e $file ]] && : >"$file"
    done
    echo "case $cases: $description" >/dev/kmsg
    local began=$EPOCHREALTIME status=0 spent_ms
    "$@" >case.log 2>&1 || status=$?
    spent_ms=$(((${EPOCHREALTIME/./} - ${began/./}) / 1000))
    if ((status == 0)); then
        echo "ok $cases $description # $spent_ms ms"
        return
    fi
    if ((status == skipped)); then
        echo "ok $cases $description # skip $(tail -n 1 case.log)"
        return
    fi
    failures=$((failures + 1))
    echo "not ok $cases $description # $spent_ms ms"
    for file in case.log client.out client.err server.out server.err; do
        [[ -s $file ]] && sed "s/^/# $file: /" "$file"
    done
    kernel_words | sed 's/^/# dmesg: /'
}

# What the kernel has said since the case began.
kernel_words() {
    dmesg | sed "1,/] case $cases: /d"
}

plan() {
    echo "1..$cases"
    ((failures == 0 && cases > 0))
}

# Background jobs of a script ignore SIGINT, and what they start does too.
launch() { # NAME PROGRAM [OPTIONS]
    local name=$1
    shift
    # now, not when the new process has begun: await may look before that
    : >"$name.out" 2>"$name.err"
    env --default-signal=INT,TERM timeout -s KILL "$limit_s" "$@" >"$name.out" 2>"$name.err" &
    printf -v "${name}_pid" %s $!
}

# Until COMMAND succeeds; false when the process is gone or the limit is over. The limit is that of launch.
await() { # PID COMMAND...
    local pid=$1
    shift
    until "$@"; do
        kill -0 "$pid" 2>/dev/null || return 1
        nap
    done
}

nap() {
    read -r -t 0.05 -u "$never" || true
}

# 0A is LISTEN in the kernel's list of states.
is_listening() {
    local hex file line
    local -a lines
    printf -v hex ':%04X ' "$port"
    for file in /proc/net/tcp /proc/net/tcp6; do
        mapfile -t lines <"$file"
        for line in "${lines[@]}"; do
            [[ $line == *"$hex"*:0000\ 0A\ * ]] && return
        done
    done
    return 1
}

start_server() { # PROGRAM [OPTIONS]
    port=$((port + 1)) # the kernel may still hold the last one
    launch server "$@" -p "$port"
    # shellcheck disable=SC2154 # set by launch
    await "$server_pid" is_listening
}

# Sets server and client to the statuses; 124: it had to be ended.
# shellcheck disable=SC2034,SC2154 # server and client are read by name
finish() {
    wait "$client_pid"
    client=$?
    wait "$server_pid"
    server=$?
}

both_content() {
    local name status=0
    for name in client server; do
        if [[ ${!name} != 0 ]]; then
            echo "the $name ended with status ${!name}"
            status=1
        fi
        if [[ -s $name.err ]] && grep -vE "$may_warn" "$name.err"; then
            echo "the $name wrote that to stderr"
            status=1
        fi
    done
    return "$status"
}

start_pair() { # PROGRAM [OPTIONS]
    local program=$LAB_BUILD/$1
    local -a on_server=("${server_options[@]}") on_client=()
    shift
    [[ -z $server_device ]] || on_server+=(-d "$server_device")
    [[ -z $client_device ]] || on_client=(-d "$client_device")
    if ! start_server "$program" "${on_server[@]}"; then
        echo "the server does not listen"
        return 1
    fi
    launch client "$program" "${on_client[@]}" -p "$port" "$@" "$server_address"
}

# A server that was told nothing but server_options and a client with the options: both end well, and
# the table holds.
pair() { # PROGRAM [OPTIONS]
    start_pair "$@" || return
    finish
    both_content && sane_tables "$1"
}

# Options that say something about one side's device, and so are needed on each.
pair_of_both() { # PROGRAM COUNT OPTIONS-FOR-BOTH... [OPTIONS]
    local program=$1
    local -a server_options=("${@:3:$2}")
    shift 2
    pair "$program" "$@"
}

# Is there a table, and can each figure in it be true?
sane_tables() { # PROGRAM
    awk -v kind="${1##*_}" '
        function wrong(what) { print FILENAME ": " what ": " $0; bad = 1 }
        FNR == 1 { table = 0 }
        /^ #bytes/ { table = 1; next }
        /^(-----|VALIDATION)/ { table = 0 }
        !table || !NF || /^\t/ { next } # -W: lines that begin with a tab
        { rows++; gsub(/\*/, "") } # a star: see the note below the table
        # a receiver to which all came before it looked knows no rate
        kind == "bw" && FILENAME == "server.out" && $3 == "0.00" && $4 == "nan" && $5 == "nan" && NF == 5 { $4 = $5 = 1 }
        { for (i = 1; i <= NF; i++) if ($i !~ /^[0-9]+(\.[0-9]+)?$/) wrong("column " i " is no number") }
        NF < 5 { wrong("too few columns"); next }
        { iterations[FILENAME] += $2 } # an interval that Ctrl-C cut short may have none, the whole must have some
        kind == "bw" && !(($2 == 0 || $4 + $5 > 0) && ($3 == 0 || $3 * 1.001 + 0.01 >= $4)) { wrong("rates") }
        kind == "lat" && NF == 9 && !($3 > 0 && $3 <= $6 && $6 <= $4 && $3 <= $5 && $5 <= $8 * 1.01 &&
            $8 <= $9 && $9 <= $4) { wrong("latencies") }
        END {
            if (!rows) wrong("no rows")
            for (name in iterations) if (!iterations[name]) wrong("no iterations in " name)
            exit bad
        }' client.out server.out
}

# The rows of a table so far.
row_count() { # FILE
    awk '/^ #bytes/ { table = 1; next } /^(-----|VALIDATION)/ { table = 0 } table && /^ [0-9]/ { rows++ } END { print rows + 0 }' "$1"
}

has_rows() { # FILE COUNT
    (($(row_count "$1") >= $2))
}

# Rows until Ctrl-C, and then both sides end well.
pair_until_interrupt() { # PROGRAM [OPTIONS]
    start_pair "$@" || return
    if await "$client_pid" has_rows client.out 2; then
        kill -INT "$client_pid"
    else
        echo "no rows before the client ended"
    fi
    finish
    both_content && sane_tables "$1" && has_rows client.out 3
}

# From here on; a job that uses it asks for netem or for modules=sch_netem. Without words: no loss.
set_netem() { # [WORDS], those of tc: loss 5%
    local device
    for device in /sys/class/net/v[01]; do
        device=${device##*/}
        # tc keeps what the one before was told
        tc qdisc del dev "$device" root 2>/dev/null
        if (($#)); then
            tc qdisc add dev "$device" root netem "$@" || return
        fi
    done
    return 0
}

# Of the network devices, in bytes; the RDMA devices follow.
set_mtu() { # BYTES
    local device
    for device in /sys/class/net/v[01]; do
        ip link set "${device##*/}" mtu "$1" || return
    done
}
