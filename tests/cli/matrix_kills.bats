#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# `perftest matrix --hosts`: one process is killed, or stopped, at any moment: the controller, a host's ssh, its instance, a half of a
# pair. The others end, the host is named, everything else is in one document, and nothing is left. A few rounds here, 200 in
# tests/run long (PERFTEST_LONG).
# bats file_tags=slow

load helpers
load rsh

tests=("qperf -t 0.4 tcp_bw" "ib_write_bw -d soft0 -n 20000")

# The end of the connection is all that the other host notices of the end of ssh.
ssh_with_two_ends() {
    cat >ssh <<'PYTHON'
#!/usr/bin/env -S python3 -IS
import os, sys, threading

theirs, ours = os.pipe()
if not os.fork():
    os.setsid()
    os.dup2(theirs, 0)
    os.execvp("sh", ["sh", "-c", " ".join(sys.argv[2:])])


def pass_on():
    while came := os.read(0, 4096):
        os.write(ours, came)
    os.close(ours)


threading.Thread(target=pass_on, daemon=True).start()
os._exit(os.wait()[1] >> 8)
PYTHON
    chmod +x ssh
}

random() { # N
    seed=$(((seed * 1103515245 + 12345) % 2147483648))
    drawn=$(((seed >> 8) % $1))
}

# The processes of this test's matrix have a variable in their environment, wherever they are.
members() {
    grep -lsxz "MATRIX_OF=$PWD" /proc/[0-9]*/environ | cut -d / -f 3
}

# Have all joined, so that some measure?
some_measure() {
    local pid name
    for pid in $(members); do
        { read -r name <"/proc/$pid/comm"; } 2>/dev/null || continue
        [[ $name != @(qperf|ib_write_bw) ]] || return 0
    done
    return 1
}

none_is_left() {
    [[ -z $(members) ]]
}

# Of which host is it? The controller and what is not known yet is of none.
host_of() { # PID
    local pid=$1 words
    while ((pid > 1 && pid != pids[i0])); do
        words=$(tr '\0' ' ' 2>/dev/null <"/proc/$pid/cmdline") || return 0
        if [[ $words =~ --rank=\'?([0-9]+) ]]; then
            echo "n$((BASH_REMATCH[1] + 1))"
            return
        fi
        pid=$(awk '{ print $4 }' "/proc/$pid/stat" 2>/dev/null) || return 0
    done
}

others_than() { # HOST
    printf '%s\n' n1 n2 n3 | grep -vxF "$1" | paste -sd '|'
}

await_end() {
    local end=$((SECONDS + wait_limit_s))
    until "$@"; do
        ((SECONDS < end)) || expect "$@"
        sleep 0.02
    done
}

# All of a run may take longer than any limit on a machine that is busy enough: each step, which starts other processes, has it.
finish_steps() { # NAME
    local now before='' end=$((SECONDS + wait_limit_s))
    while alive "$1"; do
        now=$(members)
        [[ $now == "$before" ]] || before=$now end=$((SECONDS + wait_limit_s))
        ((SECONDS < end)) || break
        sleep 0.1
    done
    finish "$1"
}

controller_is_alone() {
    [[ $(members) == @($controller|) ]]
}

one_round() { # NUMBER
    local -a list words
    local victim host controller signal=KILL
    random ${#tests[@]}
    read -ra words <<<"${tests[drawn]}"
    launch i0 env MATRIX_OF="$PWD" "$PERFTEST_BUILD/perftest" matrix --hosts='n[1-3]' --rsh=./ssh -p "$port" --limit=5 \
        --join_timeout=30 --min_share=1 --out_json_file=i0.json "${words[@]}"
    controller=${pids[i0]}
    random 4
    until ((drawn == 0)) || some_measure || ! alive i0; do
        sleep 0.01
    done
    random "$moments"
    sleep "$((drawn / 1000)).$(printf %03d "$((drawn % 1000))")" # the moment
    mapfile -t list < <(members)
    if ((${#list[@]} == 0)); then # all have ended: another one
        finish i0
        [[ -z ${PERFTEST_LONG-} ]] || count=$((count + 1))
        return 0
    fi
    random ${#list[@]}
    victim=${list[drawn]} host=$(host_of "${list[drawn]}")
    random 8
    [[ -z ${PERFTEST_LONG-} ]] || ((drawn)) || signal=STOP
    echo "round $1: SIG$signal to $victim of ${host:-the controller}: $(tr '\0' ' ' 2>/dev/null <"/proc/$victim/cmdline" | cut -c1-150)"
    killed=yes
    kill -"$signal" "$victim" 2>/dev/null || true
    if [[ $signal == STOP && $victim == "$controller" ]]; then
        await_end controller_is_alone
        kill -KILL "$controller" 2>/dev/null || true
    fi
    finish_steps i0
    [[ $signal != STOP ]] || kill -KILL "$victim" 2>/dev/null || true
    await_end none_is_left
    [[ $victim != "$controller" ]] || return 0
    expect [ "$i0_status" -le 1 -o "$i0_status" = 3 ]
    expect jq -e .matrix i0.json >document
    [[ $i0_status != 1 ]] || expect_output i0 '^ (lost|failed): '
    # a busy machine may keep any of them silent
    [[ -z $host ]] || refuse_output i0 "^ lost: ($(others_than "$host")) (died|could|was|sent)"
}

@test "perftest matrix: whichever process is killed, the others end well, and nothing is left" {
    local count=3 moments=600 number drawn
    [[ -z ${PERFTEST_LONG-} ]] || count=200 moments=4000 # ms: in all of a run
    seed=${PERFTEST_SEED:-3}
    ssh_with_two_ends
    for ((number = 0; number < count; number++)); do
        one_round "$number"
    done
}
