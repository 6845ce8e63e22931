# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# One side ours, the other linux-rdma perftest as installed by its package, over soft0: for tests with both.
# shellcheck shell=bash
# shellcheck source=tests/peers.bash
source "$PERFTEST_TOP/tests/peers.bash"

setup_file() {
    export PERFTEST_SOFT_LIB=$PERFTEST_BUILD/soft/.libs/libperftest_soft.so
    export ASAN_OPTIONS=detect_leaks=0 # of the programs, which are not ours
}

ours_only=() # options that the other side is not given

# The command of one side, in side_command.
side() { # ours|theirs PROGRAM
    if [[ $1 == ours ]]; then
        side_command=("$PERFTEST_BUILD/$2" -d soft0 "${ours_only[@]}")
        return
    fi
    [[ -x /usr/bin/$2 ]] || skip "perftest is not installed"
    side_command=("$PERFTEST_TOP/scripts/run_soft" "/usr/bin/$2" -d soft0 -F)
}

start_classic_server() { # ours|theirs PROGRAM [OPTIONS]
    side "$1" "$2"
    launch server "${side_command[@]}" -p "$port" "${@:3}"
    await server listening server
}

start_classic_client() { # ours|theirs PROGRAM [OPTIONS]
    side "$1" "$2"
    launch client "${side_command[@]}" -p "$port" "${@:3}" 127.0.0.1
}

# CLIENT is ours or theirs; the server is the other.
mixed_pair() { # CLIENT PROGRAM [OPTIONS]
    local other=ours
    [[ $1 == theirs ]] || other=theirs
    start_classic_server "$other" "${@:2}"
    start_classic_client "$@"
    finish client
    finish server
}
