#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Do random combinations of options end in a result or in an error, and never in a hang? The choice is the same in each
# run; RANDOM_OPTIONS_SEED and RANDOM_OPTIONS_RUNS change it, or the number of runs.
# bats file_tags=sanitized

load helpers

# Numerical Recipes' generator: the same numbers with every bash.
state=0

draw() { # BELOW: sets drawn
    state=$(((state * 1664525 + 1013904223) & 0xffffffff))
    drawn=$(((state >> 8) % $1))
}

# With a chance of one in IN, one of the words, split at '+'.
maybe() { # IN WORDS...
    local in=$1
    shift
    draw "$in"
    ((drawn == 0)) || return 0
    draw $#
    shift "$drawn"
    IFS=+ read -ra words <<<"$1"
    options+=("${words[@]}")
}

choose_options() {
    local programs=(ib_{send,write,read,atomic}_{bw,lat})
    draw ${#programs[@]}
    name=${programs[drawn]}
    options=()
    if [[ $name != ib_atomic_* ]]; then
        maybe 4 -a
        [[ ${options[*]} == *-a* ]] || maybe 1 -s+{1,2,7,8,64,1000,4096,8192,65536}
    fi
    [[ $name != ib_send_* ]] || maybe 2 -c+UC -c+UD+-s+512
    [[ $name != ib_write_* ]] || maybe 3 -c+UC
    [[ $name != ib_send_* && $name != ib_write_* ]] || {
        maybe 4 "--$(cut -d_ -f2 <<<"$name")_with_imm"
        maybe 4 -I+{0,16,64,220}
        maybe 4 -r+{2,7,64}
    }
    [[ $name != *_bw ]] || {
        maybe 3 -b -b+--report-both
        maybe 2 -q+2 -q+3 -q+8 --threads+2 -q+4+--threads+2
        maybe 3 -l+2 -l+4 -l+8
        maybe 4 --recv_post_list+2 --recv_post_list+4
        maybe 3 -Q+1 -Q+2 -Q+4 -Q+8
        maybe 6 -N
        maybe 6 --perform_warm_up
        maybe 6 --rate_limit+20 --rate_limit+20+--burst_size+3
        maybe 6 --cqe_poll+1
    }
    [[ $name != *_lat ]] || maybe 4 --rate=2000 --rate=2000+--arrival=poisson --rate=40%..80%:40%
    [[ $name != *_lat ]] || maybe 6 --threads+2
    maybe 4 --reversed
    maybe 5 -e
    maybe 3 -t+1 -t+3 -t+16 -t+64
    maybe 4 --data_validation
    maybe 6 --mr_per_qp
    maybe 6 --use_old_post_send
    maybe 6 -m+256 -m+1024
    maybe 8 --cpu_util
    draw 5
    if ((drawn == 0)) && [[ " ${options[*]} " != *" -a "* ]]; then
        options+=(-D 1 -f 0)
    else
        draw 4
        options+=(-n $((8 << drawn)))
    fi
}

# A result on the client (a side that only answers a latency test has none), or status 2 and one line.
one_run() {
    choose_options
    echo "# $name ${options[*]}" >>runs
    start_server "$name"
    start_client "$name" "${options[@]}"
    finish client
    if [[ $client_status == 2 ]]; then
        expect_error client .
        kill -INT "${pids[server]}"
        finish server
        refused=$((refused + 1))
        return
    fi
    finish server
    if [[ $client_status$server_status != 00 ]] || ! has_result; then
        echo "$name ${options[*]}: client $client_status, server $server_status"
        show
        return 1
    fi
    measured=$((measured + 1))
}

has_result() {
    (($(row_count client) + $(row_count server) > 0)) || return
    [[ ${options[*]} != *--data_validation* ]] || grep -q '^VALIDATION: PASSED' client.out
}

random_runs() { # SEED RUNS
    local run name options measured=0 refused=0
    state=${RANDOM_OPTIONS_SEED:-$1}
    for ((run = 0; run < ${RANDOM_OPTIONS_RUNS:-$2}; run++)); do
        one_run || return
    done
    echo "$measured measured, $refused refused"
    expect [ "$measured" -ge "$refused" ]
}

@test "random options, first seed" { random_runs 1 12; }
@test "random options, second seed" { random_runs 20251120 12; }
@test "random options, third seed" { random_runs 4711 12; }
@test "random options, fourth seed" { random_runs 99 12; }
@test "random options, fifth seed" { random_runs 31337 12; }
