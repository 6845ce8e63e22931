#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Does a server that keeps serving live through hostile clients, and serve a good one after them? A few hundred connections
# here, thousands in tests/run long (PERFTEST_LONG); .ci/run has it done by a build with sanitizers.

load helpers

survives() { # CONNECTIONS PROGRAM
    local count=$1 program=$2 first
    start_server "$program" --keep_serving --timeout 10 --max_duration 5
    for ((first = 0; first < count; first += 100)); do
        launch fuzz "$PERFTEST_TOP/tests/cli/live_fuzz" -p "$port" --seed "${PERFTEST_SEED:-1}" --first "$first" --count 100 localhost
        while alive fuzz && alive server; do
            sleep 0.1
        done
        expect alive server
        finish_patiently fuzz
        expect_status fuzz 0
        start_client "$program" -n 50
        finish client
        expect_status client 0
    done
    kill -INT "${pids[server]}"
    finish server
    expect_status server 0
    if grep -E 'Sanitizer|runtime error' server.err; then return 1; fi
}

# It has ended, or will when the server has: no limit of ours is in the way of a slow machine.
finish_patiently() { # NAME
    local status=0
    wait "${pids[$1]}" || status=$?
    unset "pids[$1]"
    printf -v "${1}_status" %s "$status"
}

@test "hostile clients of ib_write_bw" {
    BATS_TEST_TIMEOUT=7000
    survives "$([[ -n ${PERFTEST_LONG-} ]] && echo 4000 || echo 300)" ib_write_bw
}
