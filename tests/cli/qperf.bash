# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# For the tests of qperf. After "load helpers".
# shellcheck shell=bash disable=SC2154 # port, pids: of the helpers

classic=/usr/bin/qperf

need_classic() {
    [[ -x $classic && $("$classic" -V) == "qperf 0.4.11" ]] || skip "qperf 0.4.11 is not installed"
}

# A server that listens when this returns.
serve() { # NAME PATH [OPTIONS]
    launch "$1" "$2" -lp "$port" "${@:3}"
    await "$1" listening "$1"
}

ours() { # [OPTIONS]
    serve server "$(program qperf)" "$@"
}

# For a second server: the first one's may still be held.
another_port() {
    read -r first_port last_port <<<"${PERFTEST_TEST_PORTS:-20000 31999}"
    port=$(pick_port "$first_port" "$last_port")
}

# A client, to its end.
client() { # PATH WORDS...
    launch client "$1" 127.0.0.1 -lp "$port" "${@:2}"
    finish client
}

good_client() { # PATH WORDS...
    client "$@"
    expect_status client 0
}

# A value of a row, as -uu prints it: the first one of that name.
value() { # NAME
    awk -v name="$1" '$1 == name { print $3; exit }' client.out
}

quits() { # NAME
    local status
    good_client "$(program qperf)" quit
    finish "$1"
    status=${1}_status
    expect [ "${!status}" = 0 ]
}

# A client that has printed a row of something when this returns; child: the process that serves it.
begin_client() { # WORDS...
    begin_client_as client "$@"
}

begin_client_as() { # NAME WORDS...
    launch "$1" "$(program qperf)" 127.0.0.1 -lp "$port" --report_interval 0.1 "${@:2}"
    await "$1" grep -qE '\]  = +[0-9.]*[1-9]' "$1.out"
    # shellcheck disable=SC2034 # for the tests
    child=$(pgrep -n -P "${pids[server]}")
}
