#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Does a server that keeps serving survive hostile clients, and serve a good one afterwards? A few hundred connections
# here, thousands in tests/run long (PERFTEST_LONG); .ci/run uses a build with sanitizers.
# bats file_tags=sanitized

load helpers

survives() { # CONNECTIONS PROGRAM [SERVER OPTIONS]
    local count=$1 program=$2 first
    start_server "$program" --keep_serving --timeout 10 --max_duration 5 "${@:3}"
    for ((first = 0; first < count; first += 100)); do
        launch fuzz "$PERFTEST_TOP/tests/cli/live_fuzz" -p "$port" --program "$program" --seed "${PERFTEST_SEED:-1}" --first "$first" --count 100 127.0.0.1
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
    # of several at once: it has heard of the client's end, too
    await server is_idle "${pids[server]}"
    await server waits_again
    kill -INT "${pids[server]}"
    finish server
    expect_status server 0
    if grep -E 'Sanitizer|runtime error' server.err; then return 1; fi
}

is_idle() { # PID
    ! pgrep -P "$1" >/dev/null
}

# It has ended, or will when the server has: no limit of ours is in the way of a slow machine.
finish_patiently() { # NAME
    local status=0
    wait "${pids[$1]}" || status=$?
    unset "pids[$1]"
    printf -v "${1}_status" %s "$status"
}

# Connections that say nothing, or half of a request, or ask for tests that can't be, or for one and then talk rubbish: all
# of them open at once. The server has descriptors for the 64 that have yet to ask, and those that it has itself.
hostile_qperf() { # PID CONNECTIONS
    python3 - "$port" "$@" "${PERFTEST_SEED:-1}" <<'PYTHON'
import os, random, socket, struct, sys
port, pid, count, seed = (int(word) for word in sys.argv[1:])
random.seed(seed)
def request(mark, test):
    numbers = [random.choice((0, 1, 64, 2**31, 2**32 - 1)) for _ in range(13)]
    return struct.pack("<4H16I", 0, 4, mark, test, *numbers, 1, 1, 0) + random.randbytes(128)
held = []
for n in range(count):
    peer = socket.create_connection(("127.0.0.1", port), timeout=20)
    whole = request(random.choice((11, 0x7071)), random.randrange(40))
    try:
        peer.sendall((b"", whole[:random.randrange(1, 200)], whole, whole + random.randbytes(300))[n % 4])
    except OSError:
        pass
    held.append(peer)
    assert len(os.listdir(f"/proc/{pid}/fd")) <= 100
PYTHON
}

resident_kib() { # PID
    awk '$1 == "VmRSS:" { print $2 }' "/proc/$1/status"
}

@test "hostile clients of qperf" {
    local before pid
    BATS_TEST_TIMEOUT=7000
    launch server "$(program qperf)" -lp "$port" -lto 1 --max_clients 8 --max_time 1
    await server listening server
    pid=${pids[server]}
    before=$(resident_kib "$pid")
    hostile_qperf "$pid" "$([[ -n ${PERFTEST_LONG-} ]] && echo 1000 || echo 300)"
    until [[ $(pgrep -cP "$pid") == 0 ]]; do sleep 0.01; done
    expect holds "$(resident_kib "$pid") - $before < 16384"
    launch client "$(program qperf)" 127.0.0.1 -lp "$port" -t 0.1 tcp_lat quit
    finish client
    expect_status client 0
    finish server
    expect_status server 0
    if grep -E 'Sanitizer|runtime error' server.err; then return 1; fi
    expect [ -z "$(tr -d '\n[:print:]' <server.err)" ]
}

@test "hostile clients of ib_write_bw" {
    BATS_TEST_TIMEOUT=7000
    survives "$([[ -n ${PERFTEST_LONG-} ]] && echo 4000 || echo 200)" ib_write_bw
}

# A process for each, WAITs to them, and samples from them.
@test "hostile clients of a server that measures several at once" {
    BATS_TEST_TIMEOUT=7000
    survives "$([[ -n ${PERFTEST_LONG-} ]] && echo 2000 || echo 100)" ib_read_lat --clients 1
}
