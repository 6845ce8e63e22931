#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Does a side exit, with a line and a status, when the other one is killed or stopped at any moment? Random programs,
# options and moments with a fixed seed; a few rounds here, hundreds in tests/run long (PERFTEST_LONG). And do both
# sides still run on a single CPU?
# bats file_tags=slow

load helpers

programs=(ib_send_bw ib_send_lat ib_write_bw ib_write_lat ib_read_bw ib_read_lat ib_atomic_bw ib_atomic_lat)
# By time: longer than the way to the last moment, and no more, because an adapter goes on serving reads and writes of one that is
# stopped.
choices=("" "-D 5" "-n 100000000" "-n 100000000 -e" "-D 5 --report_interval 0.2" "-D 5 -q 3" "-D 5 -b" "-D 5 --reversed"
    "-D 5 -s 1M" "-n 100000 --data_validation" "-D 5 -c UC" "-n 20000000 -a" "--run_infinitely" "-D 5 -c XRC -q 2"
    "-n 100000000 -c XRC -e" "-D 5 -c UD -s 1024" "-n 100000000 -c UC -e" "-D 5 --use-srq -q 3" "-D 5 -c XRC --use-srq" "-D 5 --threads 2"
    "-D 5 -c DC -q 2" "-D 5 -c SRD -s 4096" "-D 5 -g -s 64")

# The next number below N.
random() { # N
    seed=$(((seed * 1103515245 + 12345) % 2147483648))
    drawn=$(((seed >> 8) % $1))
}

# A program and options that go together: the client is asked, and refuses a wrong command line before it connects.
draw_run() {
    local -a options
    while :; do
        random ${#programs[@]}
        program=${programs[drawn]}
        random ${#choices[@]}
        read -ra options <<<"${choices[drawn]}"
        run_options=("${options[@]}")
        run_alone "$program" -p 1 --timeout 1 "${run_options[@]}" localhost
        ((status == 2)) || return 0
    done
}

# How far it shall come before the end: nothing said, the first line, the header.
draw_moment() {
    random 3
    case $drawn in
    0) moment='' ;;
    1) moment='local address' ;;
    2) moment='^ #bytes' ;;
    esac
}

# The table is the sender's, and of a ping-pong the side's that asks.
either_said() { # PATTERN
    said client "$1" || said server "$1"
}

# No longer the copy of this shell that it was: a signal to that one would be the test's own.
begun() { # NAME
    [[ $(readlink "/proc/${pids[$1]}/exe") != "$(readlink /proc/$$/exe)" ]]
}

one_round() {
    local victim=client other=server signal=KILL variable
    draw_run
    draw_moment
    random 2
    ((drawn)) || victim=server other=client
    random 3
    ((drawn)) || signal=STOP
    echo "round $1: SIG$signal to the $victim of $program ${run_options[*]} at '$moment'"
    start_server "$program" --timeout 3
    start_client "$program" --timeout 3 "${run_options[@]}"
    await client begun client
    [[ -z $moment ]] || await client either_said "$moment"
    kill -"$signal" "${pids[$victim]}" 2>/dev/null || true
    # who was stopped before both had met has no peer to be given up by, and a server waits for clients for ever
    if ! said server 'local address'; then
        kill -TERM "${pids[$other]}" 2>/dev/null || true
    fi
    # An adapter goes on serving reads and writes of a process that is stopped, and these have no end of their own soon.
    if [[ $signal == STOP && "${run_options[*]}" =~ run_infinitely|-n\ [0-9]{8,} ]]; then
        kill -INT "${pids[$other]}" 2>/dev/null || true
    fi
    finish "$other"
    kill_now "${pids[$victim]}"
    finish "$victim"
    variable=${other}_status
    # done in time, told of, or ended by us, be it before it had a say in that; but never crashed or hung
    expect [ "${!variable}" -le 2 -o "${!variable}" = 130 -o "${!variable}" = 143 ]
    [[ ${!variable} != 1 ]] || expect grep -q 'error:' "$other.err"
}

@test "sides that are killed or stopped at random" {
    local count=14 n program moment drawn
    local -a run_options
    seed=${PERFTEST_SEED:-7}
    [[ -z ${PERFTEST_LONG-} ]] || count=200
    for ((n = 0; n < count; n++)); do
        one_round "$n"
    done
    good_pair ib_write_bw -n 10 # tidies what the dead ones left
}

@test "both sides on one CPU, every program" {
    local name cpu
    cpu=$(taskset -cp $$ | sed 's/.*: *\([0-9]*\).*/\1/')
    under=(taskset -c "$cpu")
    for name in "${programs[@]}"; do
        good_pair "$name" -n 64
    done
    good_pair ib_send_bw -n 64 -b
    good_pair ib_write_bw -n 64 -q 4 --data_validation
    good_pair ib_send_lat -n 64 -e
}

# Nothing tells a sender of datagrams that nobody takes them, but the side channel.
@test "datagrams: a receiver that is dead, and one that is stopped" {
    local program
    for program in ib_send_bw ib_send_lat; do
        start_server "$program" --timeout 2
        start_client "$program" --timeout 2 -c UD -s 1024 -D 30
        await client either_said '^ #bytes'
        kill_hard "${pids[server]}"
        finish client
        expect_status client 1
        expect_error client "closed the connection"
        finish server

        start_server "$program" --timeout 1
        start_client "$program" --timeout 1 -c UD -s 1024 -D 3 -f 0
        await client either_said '^ #bytes'
        kill -STOP "${pids[server]}"
        finish client
        expect_status client 1
        expect_error client "was silent for 1 s|the peer is not running"
        kill_now "${pids[server]}"
        finish server
    done
    good_pair ib_write_bw -n 10 # tidies what the dead ones left
}

# Its adapter, or soft0, goes on for it: each WRITE and READ completes.
@test "--timeout ends a client whose server is stopped while its memory is written or read" {
    local program
    for program in ib_write_bw ib_read_lat; do
        start_server "$program"
        start_client "$program" --timeout 3 -D 1000 --report_interval 0.2
        await client grep -qE '^ +[0-9]+ ' client.out
        kill -STOP "${pids[server]}"
        finish client
        expect_status client 1
        expect_error client "was silent for 3 s while this side waited for its heartbeat"
        kill -CONT "${pids[server]}"
        finish server
        expect_status server 1
        expect_error server "ended the test: .* was silent"
    done
}

# The ways in which a whole process can be stopped here: by a signal, and by the freezers of control groups, where root may.
freezers() {
    local folder
    echo signal
    for folder in /sys/fs/cgroup /sys/fs/cgroup/unified; do
        mkdir "$folder/perftest-$$" 2>/dev/null || continue
        [[ ! -w $folder/perftest-$$/cgroup.freeze ]] || echo "$folder/perftest-$$"
        rmdir "$folder/perftest-$$"
    done
    [[ ! -w /sys/fs/cgroup/freezer/cgroup.procs ]] || echo "/sys/fs/cgroup/freezer/perftest-$$"
}

is_frozen() { # FREEZER PID
    case $1 in
    signal) grep -q '^State:.T' "/proc/$2/status" ;;
    */freezer/*) grep -q FROZEN "$1/freezer.state" ;;
    *) grep -q 'frozen 1' "$1/cgroup.events" ;;
    esac
}

freeze() { # FREEZER NAME
    if [[ $1 == signal ]]; then
        kill -STOP "${pids[$2]}"
    else
        mkdir "$1"
        echo "${pids[$2]}" >"$1/cgroup.procs"
        if [[ $1 == */freezer/* ]]; then echo FROZEN >"$1/freezer.state"; else echo 1 >"$1/cgroup.freeze"; fi
    fi
    await "$2" is_frozen "$1" "${pids[$2]}"
}

thaw() { # FREEZER NAME
    case $1 in
    signal) kill -CONT "${pids[$2]}" ;;
    */freezer/*) echo THAWED >"$1/freezer.state" ;;
    *) echo 0 >"$1/cgroup.freeze" ;;
    esac
}

# Its processes have ended.
freezer_away() { # FREEZER
    [[ $1 == signal ]] || rmdir "$1"
}

# What is frozen still can't be killed.
before_teardown() {
    local folder
    for folder in /sys/fs/cgroup/{.,unified,freezer}/perftest-$$; do
        [[ ! -d $folder ]] || thaw "$folder" any
    done
}

@test "a side that is frozen, by a signal or a control group: missed in time, not taken for dead, and it goes on" {
    local freezer
    for freezer in $(freezers); do
        # in the middle of a message, probably: the receiver must not wait for it
        start_server ib_send_bw --timeout 1
        start_client ib_send_bw --timeout 30 -D 30 -s 1M
        await client either_said '^ #bytes'
        freeze "$freezer" client
        finish server
        expect_status server 1
        expect_error server "the peer is not running|was silent"
        thaw "$freezer" client
        finish client
        expect_status client 1
        expect_error client "ended the test: "
        freezer_away "$freezer"

        start_server ib_send_bw --timeout 30
        start_client ib_send_bw --timeout 30 -D 2 -f 0
        await client either_said '^ #bytes'
        freeze "$freezer" server
        thaw "$freezer" server
        finish client
        finish server
        expect_status client 0
        expect_status server 0
        freezer_away "$freezer"
    done
}
