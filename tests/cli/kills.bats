#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Does a side end, with a line and a status, when the other one is killed or stopped at any moment? Random programs, options
# and moments of a fixed seed; a few rounds here, hundreds in tests/run long (PERFTEST_LONG). And does anything still run
# when both sides have one CPU?
# bats file_tags=slow

load helpers

programs=(ib_send_bw ib_send_lat ib_write_bw ib_write_lat ib_read_bw ib_read_lat ib_atomic_bw ib_atomic_lat)
choices=("" "-D 30" "-n 100000000" "-n 100000000 -e" "-D 30 --report_interval 0.2" "-D 30 -q 3" "-D 30 -b" "-D 30 --reversed"
    "-D 30 -s 1M" "-n 100000 --data_validation" "-D 30 -c UC" "-n 20000000 -a" "--run_infinitely" "-D 30 -c XRC -q 2"
    "-n 100000000 -c XRC -e" "-D 30 -c UD -s 1024" "-n 100000000 -c UC -e" "-D 30 --use-srq -q 3" "-D 30 -c XRC --use-srq")

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
    start_server "$program" --timeout 4
    start_client "$program" --timeout 4 "${run_options[@]}"
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
    local count=20 n program moment drawn
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
