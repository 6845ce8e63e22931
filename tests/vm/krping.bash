# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Does the kernel module do what krping(8) says, and does the kernel stay sound whatever is done to it? What the jobs
# krping* need, and all_cases() of those that differ in the kernel that they run on. Behind every case nothing may be left: no run,
# no reference to the module, no object on a device, no word of trouble in the kernel's log.
# shellcheck shell=bash
# shellcheck source=tests/vm/pair.bash
source "$LAB_TOP/tests/vm/pair.bash"

readonly module=$LAB_COMMON/krping/rdma_krping.ko
readonly commands=/proc/krping results=/proc/krping_results references=/sys/module/rdma_krping/refcnt
# rxe of 6.1 writes to freed completion queues (README.md), so kmalloc-512 is guarded and tracked there, but not poisoned. Of krping's objects
# only the endpoints are that large: krping_backports poisons them, too.
readonly trouble='BUG|WARNING|Oops|refcount|general protection|lockup|RCU|rcu_|hung task|blocked for more|unregister_netdevice|Redzone|Poison|overwritten|corrupt|not freed|FIX '
readonly sizes=(1 7 4096 65536 1048576)
wait_s=15 # of within
resources=''
server_pid=''
marks=0
exec {nap}<> <(:) # nothing ever comes of it; a process for sleep takes longer than the nap

# An iteration takes 5 ms here and a process 50 to 100: what is asked behind every case is asked by bash itself.

# --- what must be true behind each case ---

# Before the module is loaded: what there is now must be there behind every case.
prepare() {
    : >errors
    : >kernel.log
    cat /dev/kmsg >>kernel.log &
    exec {kernel_log}<kernel.log
    hear_kernel # the boot's words are not the module's
    resources=$(idle_resources)
}

# Into words: what the kernel has said since the last time. The mark comes out behind all of it.
hear_kernel() {
    marks=$((marks + 1))
    words=''
    echo "krping.bash: mark $marks" >/dev/kmsg
    within has_heard "krping.bash: mark $marks"
}

has_heard() { # TEXT
    local more
    IFS= read -rd '' -u "$kernel_log" more
    words+=$more
    [[ $words == *"$1"* ]]
}

# A device that comes back has another number, and another place in the list.
idle_resources() {
    local -a lines
    mapfile -t lines < <(rdma resource)
    lines=("${lines[@]#*: }")
    [[ ${#lines[@]} != 2 || ${lines[0]} < ${lines[1]} ]] || lines=("${lines[1]}" "${lines[0]}")
    printf '%s\n' "${lines[@]}"
}

# Until COMMAND succeeds; false after wait_s.
within() { # COMMAND...
    local end=$((SECONDS + wait_s))
    until "$@"; do
        ((SECONDS < end)) || return 1
        read -rt 0.05 -u "$nap"
    done
    return 0 # not the status of the nap
}

resources_are_back() {
    [[ $(idle_resources) == "$resources" ]]
}

nothing_runs() {
    [[ -z $(<"$commands") ]]
}

is_unused() {
    [[ $(<"$references") == 0 ]]
}

nothing_is_left() {
    local status=0 words
    hear_kernel || { echo "the kernel's log has come to an end"; status=1; }
    if [[ $words =~ $trouble ]]; then
        echo "the kernel is in trouble:"
        # whose object it is stands behind the first word of it; bytes in hexadecimal would take all of the space
        grep -vE '(Redzone|Object|Padding|Bytes b4) ' <<<"$words" |
            awk -F';' -v trouble="$trouble" '$0 ~ trouble { told = 1 } told && n++ < 28 { print $NF }'
        status=1
    fi
    if [[ -e $commands ]]; then
        within nothing_runs || { echo "still there: $(<"$commands")"; status=1; }
        within is_unused || { echo "the module has $(<"$references") references"; status=1; }
    fi
    within resources_are_back || { echo "resources: $(idle_resources)"; status=1; }
    return "$status"
}

sound() { # COMMAND...
    local status=0
    "$@" || status=1
    [[ -z $server_pid ]] || { kill -INT "$server_pid" 2>/dev/null; wait "$server_pid"; server_pid=''; }
    nothing_is_left || status=1
    return "$status"
}

check() { # DESCRIPTION COMMAND...
    case_of "$1" sound "${@:2}"
}

# --- commands ---

# A write() of the text; what the shell says of an error goes to the file errors.
ask() { # TEXT
    echo "$1" 2>>errors >"$commands"
}

# A writer of its own, which a signal can reach: with job control a background job does not ignore SIGINT.
in_background() { # TEXT
    set -m
    echo "$1" 2>>errors >"$commands" &
    set +m
}

listens() {
    [[ $(<"$commands") == *' listen'* ]]
}

serve() { # OPTIONS, for a server on a new port
    port=$((port + 1))
    in_background "server,addr=$server_address,port=$port,timeout=20,$1"
    server_pid=$!
    within listens || { echo "the server does not listen"; return 1; }
}

client() { # OPTIONS
    ask "client,addr=$server_address,port=$port,timeout=20,$1" && return
    echo "client $1: $(reason_of client)"
    return 1
}

server_ends() { # STATUS
    wait "$server_pid"
    local status=$?
    server_pid=''
    ((status == $1)) && return
    echo "the server ended with status $status in place of $1: $(reason_of listener)"
    return 1
}

# Into told: the last record of a role, by its keys.
declare -A told
recall() { # ROLE
    local -a lines
    local line i
    mapfile -t lines <"$results"
    told=()
    for ((i = ${#lines[@]} - 1; i >= 0; i--)); do
        line=${lines[i]}
        [[ -n $line ]] || { [[ ${told[role]-} != "$1" ]] || return 0; told=(); continue; }
        told[${line%%=*}]=${line#*=}
    done
    [[ ${told[role]-} == "$1" ]]
}

reason_of() { # ROLE
    recall "$1"
    echo "${told[reason]-}"
}

# Each TEXT is refused, for a reason that its PATTERN matches. They leave a record each, in this order.
are_refused() { # PATTERN TEXT, any number of them
    local -a patterns=() texts=() lines reasons=()
    local i role='' status=0
    while (($#)); do
        patterns+=("$1") texts+=("$2")
        shift 2
    done
    for i in "${texts[@]}"; do
        ask "$i" && { echo "accepted: $i"; status=1; }
    done
    mapfile -t lines < <(grep -E '^(role|reason)=' "$results")
    wait "$!" # the end of a child would interrupt the next command, which is this shell's own
    for i in "${lines[@]}"; do
        case $i in
        role=*) role=${i#*=} ;;
        *) [[ $role == server ]] || reasons+=("$i") ;; # one that refuses a client leaves a record, too
        esac
    done
    reasons=("${reasons[@]: -${#texts[@]}}")
    for i in "${!texts[@]}"; do
        [[ ${reasons[i]-} =~ ${patterns[i]} ]] || { echo "${texts[i]}: ${reasons[i]-}"; status=1; }
    done
    return "$status"
}

# --- cases: what it does ---

# The first case.
begin() {
    prepare
    check "load" load
}

load() {
    insmod "$module" || return
    [[ $(stat -c %a "$commands" "$results") == 600$'\n'400 ]] && [[ $(</sys/module/rdma_krping/version) == 7.0 ]]
}

every_size() { # OPTIONS COUNT
    local size
    for size in "${sizes[@]}"; do
        client "count=$2,size=$size,$1" || return
        recall client
        [[ ${told[size]} == "$size" && ${told[iterations]} == "$2" ]] || { echo "size=${told[size]}: ${told[iterations]} of $2"; return 1; }
    done
}

# One server that was told nothing serves them all.
matrix() { # SERVER-OPTIONS OPTIONS COUNT
    serve "clients=${#sizes[@]}${1:+,$1}" && every_size "$2" "$3" && server_ends 0
}

told_on_both_sides() { # OPTIONS
    serve "$1" && client "$1" && server_ends 0
}

has_latencies() { # NAME
    local low=${told[$1_min_ns]} high=${told[$1_max_ns]}
    ((low > 0 && low <= high && ${told[$1_samples]} == 20)) &&
        ((${told[$1_p50_ns]} >= low * 255 / 256 && ${told[$1_p99.9_ns]} <= high * 257 / 256))
}

keeps_results() {
    serve "" && client "count=20,size=4096,label=mine" && server_ends 0 || return
    recall client && has_latencies iteration && has_latencies read_half && has_latencies write_half &&
        [[ ${told[label]} == mine && ${told[peer]} == 10.0.0.1:$port && ${told[send_messages]} == 40 ]] &&
        recall server && [[ ${told[state]} == complete && ${told[read_bytes]} == 81920 && ${told[write_bytes]} == 81920 ]] &&
        return
    cat "$results"
    return 1
}

bandwidth_is_told() {
    serve "" && client "bw,duplex,count=50,size=4096" && server_ends 0 || return
    recall client && ((told[bytes_per_second] > 0 && told[peer_iterations] == 50 && told[write_messages] == 50)) &&
        recall server && ((told[write_messages] == 50))
}

over_ipv6() {
    in_background "server,addr6=::,port=$((++port))"
    server_pid=$!
    within listens && ask "client,addr6=fd00::1,port=$port,count=3,validate" && server_ends 0
}

lists_columns() {
    serve "" || return
    in_background "client,addr=10.0.0.1,port=$port,size=256"
    local pid=$! status=0
    within moved_data || status=1
    kill -INT "$pid"
    wait "$pid"
    ((status)) && echo "never shown: $(<"$commands")"
    return "$status"
}

# Into row: the nine columns of a thread that has moved data in its column N.
find_row() { # N
    local line
    local -a lines
    mapfile -t lines <"$commands"
    for line in "${lines[@]}"; do
        read -ra row <<<"$line"
        ((${#row[@]} == 9 && ${row[$1 - 1]} > 0)) && return
    done
    return 1
}

moved_data() {
    local -a row
    find_row 7 && [[ ${row[0]} =~ ^[0-9]+-rxe[01]$ ]] && ((row[1] == row[2] * 16 && row[3] == row[4] * 16)) &&
        ((row[5] == row[6] * 256 && row[7] == row[8] * 256))
}

many_at_once() {
    local i status=0
    local -a pids=()
    local -a tests=(validate server_inv mem_mode=dma bw rlat poll size=65536 'bw,duplex')
    serve "clients=32" || return
    for ((i = 0; i < 32; i++)); do
        in_background "client,addr=10.0.0.1,port=$port,timeout=60,count=20,${tests[i % 8]}"
        pids+=($!)
    done
    for i in "${pids[@]}"; do
        wait "$i" || status=1
    done
    server_ends 0 || status=1
    ((status == 0)) || grep '^reason=.' "$results"
    return "$status"
}

# The kernel has said each of these since the last case, and nothing bad; the check behind the case can't see it again.
kernel_said() { # TEXT...
    local text words
    hear_kernel || return
    [[ ! $words =~ $trouble ]] || { echo "$words"; return 1; }
    for text in "$@"; do
        [[ $words == *"$text"* ]] || { echo "the kernel did not say: $text"; echo "$words"; return 1; }
    done
}

# As scripts for the older module look for it.
data_is_shown() {
    serve "verbose" && client "count=2,verbose" && server_ends 0 || return
    # the kernel hands a backslash on as \x5c
    kernel_said 'server ping data (64B max): |rdma-ping-0: ABCDEFGHIJKLMNOPQRSTUVWXYZ[' ']^_`abcdefghijklmnopqr|' \
        'server ping data (64B max): |rdma-ping-1: BCD' ': ping data (64B max): |rdma-ping-0: ABC' \
        ': ping data (64B max): |rdma-ping-1: BCD'
}

debugging_is_switched() {
    local debug=/sys/module/rdma_krping/parameters/debug words
    [[ $(<$debug) == N ]] || return
    echo 1 >$debug
    serve "" && client "count=1" && server_ends 0 && echo 0 >$debug || return
    kernel_said 'CM event: connect request, status 0' 'CM event: address resolved, status 0' 'CM event: established, status 0' \
        'advertised: address 0x' ', 64 bytes' 'registering 64 bytes with rkey 0x' || return
    serve "" && client "count=1" && server_ends 0 && hear_kernel && [[ $words != *'CM event'* && ! $words =~ $trouble ]]
}

# --- cases: programs that others wrote ---

rping_listens() {
    rdma resource show cm_id | grep -q 'state LISTEN.*comm rping\|comm rping.*state LISTEN'
}

rping_serves() { # SIZE
    port=$((port + 1))
    timeout "$limit_s" rping -s -a 10.0.0.1 -p "$port" -S "$1" -C 5 >rping.out 2>&1 &
    local pid=$!
    within rping_listens || { echo "rping does not listen"; return 1; }
    client "count=5,validate,size=$1" || return
    wait "$pid"
    # it says so itself when the client leaves, and ends with 0 or 255 by its version
    ! grep -iE 'mismatch|failed status' rping.out
}

rping_asks() { # SIZE
    serve "size=$1" || return # rping does not say what it has
    timeout "$limit_s" rping -c -a 10.0.0.1 -p "$port" -S "$1" -C 5 -V >rping.out 2>&1 || { cat rping.out; return 1; }
    server_ends 0 && recall server && [[ ${told[iterations]} == 5 ]]
}

# --- cases: the script ---

script_reports() { # TEST OPTIONS
    local -a words=(addr=10.0.0.1 port=$((++port)) count=30 "$1")
    "$LAB_TOP/scripts/krping_run" --json run.json "${words[@]}" >run.out 2>run.err || { cat run.out run.err; return 1; }
    # whether the document is a good one is a question for tests/house/krping_run.bats
    if [[ $(<run.out) != *$'\n #bytes'* || -s run.err || $(<run.json) != *'"iterations": 30,'*'"status": "complete"'* ]]; then
        cat run.out run.err run.json
        return 1
    fi
}

script_fails() {
    local status=0
    port=$((port + 1))
    "$LAB_TOP/scripts/krping_run" addr=10.0.0.1 port=$port size=0 >run.out 2>run.err || status=$?
    ((status == 2)) && grep -q 'size=0 is not between' run.err && return
    cat run.out run.err
    return 1
}

# --- cases: what it refuses ---

writes_are_refused() {
    /usr/bin/python3 "$LAB_TOP/tests/vm/krping_writes" "$commands"
}

words_are_refused() {
    local both='addr=10.0.0.1,port=9999'
    are_refused 'either client or server' "$both" \
        'either client or server' "client,server,$both" \
        'no option .bogus' "client,$both,bogus" \
        'needs a value' "client,$both,count" \
        'takes no value' "client=1,$both" \
        'not a number' "client,$both,count=" \
        'not a number' "client,$both,count=-1" \
        'not a number' "client,$both,count=3x" \
        'not a number' "client,$both,count=99999999999999999999" \
        'size=0 is not between' "client,$both,size=0" \
        'is not between' "client,$both,size=4194305" \
        'is not between' "client,addr=10.0.0.1,port=65536" \
        'port= must' 'client,addr=10.0.0.1' \
        'addr= or addr6=' 'client,port=9' \
        'there twice' "client,$both,size=1,size=1" \
        'only one of wlat' "client,$both,wlat,bw" \
        'duplex goes' "client,$both,duplex" \
        'mem_mode=reg' "client,$both,mem_mode=dma,server_inv" \
        'neither dma nor reg' "client,$both,mem_mode=mr" \
        'longer than' "client,$both,label=0123456789012345678901234567890123456789"
}

addresses_are_refused() {
    are_refused 'addr=bogus is no IPv4' 'client,addr=bogus,port=9' \
        'no IPv6' 'server,addr6=10.0.0.1,port=9' \
        'no IPv6' 'client,addr6=fe80::1%nosuch,port=9' \
        'no way|resolve' 'client,addr=192.0.2.1,port=9' \
        'cannot be bound' 'server,addr=10.0.0.77,port=9' \
        'does not resolve' 'client,addr=10.0.0.77,port=9' \
        'connection refused' 'client,addr=10.0.0.1,port=9'
}

port_is_taken() {
    serve "clients=0" && are_refused 'cannot be bound|cannot listen' "server,addr=10.0.0.1,port=$port"
}

read_inv_is_refused() {
    are_refused 'iWARP' "client,addr=10.0.0.1,port=9,read_inv"
}

sides_contradict() {
    serve "wlat,clients=0,size=64" || return
    are_refused 'the server refuses: the server was told wlat, the client ping' "client,addr=10.0.0.1,port=$port,count=1" \
        'the server was told size=64, the client size=65' "client,addr=10.0.0.1,port=$port,count=1,wlat,size=65"
}

# Whoever can't be served is turned away, and the next one comes.
goes_on_listening() {
    serve "size=64" || return
    are_refused 'the server was told size=64, the client size=65' "client,addr=10.0.0.1,port=$port,count=1,size=65" \
        'iWARP' "client,addr=10.0.0.1,port=$port,count=1,read_inv" || return
    listens && client "count=3,validate" && server_ends 0 || return
    serve "read_inv" && are_refused 'iWARP' "client,addr=10.0.0.1,port=$port,count=1,read_inv" && listens
}

# Of two clients whose sizes are their own choice the second one would take too much.
memory_is_limited() {
    serve "clients=0,memory=9000" || return
    are_refused 'more than its memory=' "client,addr=10.0.0.1,port=$port,count=1,size=4501" || return
    in_background "client,addr=10.0.0.1,port=$port,size=4096"
    local pid=$! status=0
    within is_running server || return
    are_refused 'more than its memory=' "client,addr=10.0.0.1,port=$port,count=1,size=405" || status=1
    client "count=1,size=404" || status=1
    kill -INT "$pid"
    wait "$pid"
    within has_room || { echo "the memory of a client that left is not free again"; status=1; }
    return "$status"
}

has_room() {
    ask "client,addr=10.0.0.1,port=$port,count=1,size=4500"
}

one_client_too_many() {
    serve "clients=1" || return
    in_background "client,addr=10.0.0.1,port=$port"
    local pid=$! status=0
    within is_running server || return
    are_refused 'as many clients as it was told' "client,addr=10.0.0.1,port=$port,count=1" || status=1
    kill -INT "$pid"
    wait "$pid"
    return "$status"
}

count_is_kept() {
    serve "count=10" || return
    are_refused 'server was told count=10' "client,addr=10.0.0.1,port=$port,count=5" || return
    in_background "client,addr=10.0.0.1,port=$port,count=10" # that one pleases it
    wait "$!" && server_ends 0
}

# --- cases: what is done to it while it runs ---

is_running() { # server or client: one that has moved something
    local -a row
    if [[ $1 == server ]]; then find_row 5; else find_row 3; fi
}

is_known() {
    [[ $(<"$commands") == *'-none '* ]]
}

signal_ends() { # SIGNAL PID
    kill "-$1" "$2"
    wait "$2"
    local status=$?
    # 128 + the signal's number, or 1 where the shell came to see write() fail
    ((status == 1 || status > 128)) || { echo "the writer ended with status $status after SIG$1"; return 1; }
}

listener_is_interrupted() { # SIGNAL
    serve "" && signal_ends "$1" "$server_pid" && server_pid='' && recall listener && [[ ${told[state]} == interrupted ]]
}

resolution_is_interrupted() { # SIGNAL
    in_background "client,addr=10.0.0.77,port=9"
    within is_known && signal_ends "$1" "$!" && recall client && [[ ${told[state]} == interrupted ]]
}

test_is_interrupted() { # SIGNAL SIDE OPTIONS
    serve "" || return
    in_background "client,addr=10.0.0.1,port=$port,$3"
    local pid=$! status=0
    if ! within is_running client; then
        echo "the client does not run: $(reason_of client)"
        status=1
    elif [[ $2 == client ]]; then
        signal_ends "$1" "$pid" && server_ends 0 && recall client && [[ ${told[state]} == interrupted ]] || status=1
    else
        signal_ends "$1" "$server_pid" || status=1
        server_pid=''
        if wait "$pid"; then
            echo "the client ended well without a server"
            status=1
        fi
    fi
    kill -INT "$pid" 2>/dev/null
    return "$status"
}

readers_during_ends() {
    local i pid status=0
    (while :; do : "$(<"$commands")$(<"$results")"; done) 2>read.err &
    pid=$!
    serve "clients=25" || status=1
    for ((i = 0; i < 25; i++)); do
        client "count=1" || status=1
    done
    server_ends 0 || status=1
    kill "$pid"
    wait "$pid"
    return "$status"
}

link_back() {
    rdma link add rxe0 type rxe netdev v0
}

link_goes() { # OPTIONS, or none: nothing but a server
    local pid='' status=0
    serve "" || return
    if [[ -n ${1-} ]]; then
        in_background "client,addr=10.0.0.1,port=$port,$1"
        pid=$!
        within is_running client || { echo "the client does not run"; status=1; }
    fi
    timeout "$limit_s" rdma link del rxe0 || status=1
    if [[ -n $pid ]] && wait "$pid"; then
        echo "the client ended well without a device"
        status=1
    fi
    if wait "$server_pid"; then
        echo "the server ended well without a device"
        status=1
    fi
    server_pid=''
    recall listener
    [[ ${told[reason]-} == *'device was removed'* ]] || { echo "the listener says: ${told[reason]-}"; status=1; }
    link_back || status=1
    return "$status"
}

cannot_unload() {
    rmmod rdma_krping 2>/dev/null || return 0
    echo "unloaded under a test"
    insmod "$module"
    return 1
}

unload_is_refused() {
    local status=0 pid
    in_background "client,addr=10.0.0.77,port=9"
    pid=$!
    within is_known && cannot_unload || status=1
    signal_ends INT "$pid" || status=1
    serve "" && cannot_unload || status=1
    in_background "client,addr=10.0.0.1,port=$port"
    pid=$!
    within is_running client && cannot_unload || status=1
    signal_ends INT "$pid" && server_ends 0 || status=1
    exec 9<"$results"
    cannot_unload || status=1
    exec 9<&-
    return "$status"
}

# The module goes between two uses of its files, or not at all. Without the naps it would hardly ever be found unused.
unload_in_a_loop() {
    local i pid done=0 wait_s=60
    while :; do
        echo "client,addr=10.0.0.1,port=9,count=1" >"$commands"
        : "$(<"$commands")$(<"$results")"
        read -rt 0.05 -u "$nap"
    done 2>/dev/null &
    pid=$!
    for ((i = 0; i < 3; i++)); do
        within rmmod rdma_krping 2>/dev/null && done=$((done + 1))
        insmod "$module" || break
    done
    kill "$pid"
    wait "$pid"
    ((done == 3 && i == 3)) || { echo "unloaded $done times, loaded $i"; return 1; }
}

own_namespace() {
    ask "client,addr=10.0.0.1,port=9,count=1"
    ip netns add apart && ip netns exec apart bash -c "
        [[ -z \$(<$results) ]] && ! echo client,addr=10.0.0.1,port=9 >$commands && grep -q '^reason=no way' $results" 2>>errors
    local status=$?
    ip netns del apart
    return "$status"
}

unload() {
    rmmod rdma_krping && [[ ! -e $commands && ! -e $results ]]
}

# --- all of them ---

all_cases() {
    local options size signal side
    begin
    for options in "" server_inv local_dma_lkey poll verbose; do
        check "ping ${options:-as it is}, every size" matrix "" "validate${options:+,$options}" 2
    done
    check "ping mem_mode=dma, every size" matrix mem_mode=dma validate,mem_mode=dma 2
    check "ping with mem_mode=dma on one side" matrix "" validate,mem_mode=dma 2
    for options in wlat wlat,poll rlat rlat,poll bw bw,duplex bw,duplex,poll bw,tx-depth=1; do
        check "$options, every size" matrix "" "$options" 3
        check "$options mem_mode=dma" told_on_both_sides "$options,mem_mode=dma,count=3,size=4096"
    done
    for options in validate,server_inv,count=3 wlat,count=3 bw,duplex,count=9,tx-depth=4 validate,local_dma_lkey,poll,count=3; do
        check "$options on both sides" told_on_both_sides "$options"
    done
    check "results of a ping" keeps_results
    check "results of bw duplex" bandwidth_is_told
    check "IPv6" over_ipv6
    check "columns of /proc/krping" lists_columns
    check "verbose shows the data" data_is_shown
    check "debug is switched" debugging_is_switched
    check "32 clients at once" many_at_once
    for size in 64 65535; do
        check "rping serves, $size bytes" rping_serves "$size"
        check "rping asks, $size bytes" rping_asks "$size"
    done
    check "krping_run" script_reports validate
    check "krping_run bw" script_reports bw
    check "krping_run on a bad option" script_fails
    check "writes that are no command" writes_are_refused
    check "commands that are wrong" words_are_refused
    check "addresses that are wrong" addresses_are_refused
    check "a port that is taken" port_is_taken
    check "read_inv needs iWARP" read_inv_is_refused
    check "sides that contradict" sides_contradict
    check "who can't be served leaves it listening" goes_on_listening
    check "a limit of memory" memory_is_limited
    check "one client too many" one_client_too_many
    check "a count on the server" count_is_kept
    for signal in INT KILL; do
        check "SIG$signal while it listens" listener_is_interrupted "$signal"
        check "SIG$signal while it resolves" resolution_is_interrupted "$signal"
        for side in client server; do
            check "SIG$signal for the $side of a ping" test_is_interrupted "$signal" "$side" ""
        done
    done
    for options in poll bw rlat,poll wlat bw,duplex; do
        for side in client server; do
            check "SIGINT for the $side of $options" test_is_interrupted INT "$side" "$options"
        done
    done
    check "readers while tests end" readers_during_ends
    check "another network namespace" own_namespace
    check "the device goes: a listener" link_goes
    for options in size=4096 bw rlat wlat; do
        check "the device goes: $options" link_goes "$options"
    done
    check "unloading is refused while it is used" unload_is_refused
    check "unloading between uses" unload_in_a_loop
    check "unload" unload
    plan
}
