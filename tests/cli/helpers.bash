# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# For all tests of the programs: starts a server that listens and a client, keeps their output and statuses, and checks
# that nothing is left afterwards. A .bats file only needs "load helpers" at its top.
#
#   run_pair ib_send_bw -s 4K          client with the options, server without; returns when both have exited
#   server_args=(-q 2)                 before run_pair: options of the server
#   start_server ib_write_bw ...       only the server; it listens when this returns
#   start_client ib_write_bw ...       only the client
#   finish server                      waits until it has exited; sets server_status and the rest
#
# After run_pair or finish: $server_status $client_status, and the output, in the files
# server.out server.err client.out client.err and in $server_output $server_error $client_output $client_error.
# Each test has its own directory (the current one), runtime directory and TCP port ($port).
# shellcheck shell=bash

PERFTEST_TOP=${PERFTEST_TOP:-$(cd "$BATS_TEST_DIRNAME/../.." && pwd)}
PERFTEST_BUILD=${PERFTEST_BUILD:-$PERFTEST_TOP}
# shellcheck source=scripts/serve.bash
source "$PERFTEST_TOP/scripts/serve.bash"

# A longer wait has failed: far more than any test needs, even under sanitizers, and when two polling processes share one
# core, which makes a ping-pong ten thousand times slower.
readonly wait_limit_s=60

setup() {
    local files
    # bats notes before each command where it stands, for what it says of a failure: a third of a test's CPU time, and of use in
    # the test's own file alone
    # shellcheck disable=SC2128 # of the command
    trap '[[ $BASH_SOURCE != "$BATS_TEST_SOURCE" ]] || bats_debug_trap "$BASH_SOURCE"' DEBUG
    cd "$BATS_TEST_TMPDIR" || return 1
    export XDG_RUNTIME_DIR=$BATS_TEST_TMPDIR/runtime LC_ALL=C # whatever the developer's language
    mkdir -m 700 "$XDG_RUNTIME_DIR"
    files_below /dev/shm
    shm_before=("${files[@]}")
    exec {never}<> <(:)
    read -r first_port last_port <<<"${PERFTEST_TEST_PORTS:-20000 31999}"
    port=$(pick_port "$first_port" "$((last_port - 1))") # a test may use the next one, too
    server_args=()
    under=() # a command in front of both programs: under=(run_soft)
    declare -gA pids=()
    unset server_status client_status
}

# Terminates what a test leaves running, gently first, so that it cleans up.
teardown() {
    local name
    ! declare -F before_teardown >/dev/null || before_teardown # a file's own
    for name in "${!pids[@]}"; do
        end_group "${pids[$name]}" 5 2>/dev/null
        wait "${pids[$name]}" 2>/dev/null
    done
    [[ -z ${killed-} ]] || tidy || return 1
    nothing_left || return 1
}

# SIGKILL. A program that dies of it leaves its files. A survivor that closes the device later than the kernel ends the dead
# one's locks removes them, an earlier one can't; so teardown lets another program do it.
kill_hard() { # PID...
    killed=yes
    kill -KILL "$@"
}

tidy() {
    launch tidier "$PERFTEST_BUILD/ib_write_bw" -p "$port"
    await tidier listening tidier
    end_group "${pids[tidier]}" 5 2>/dev/null
    wait "${pids[tidier]}" 2>/dev/null || true
}

# Into files: the folder, and all that is below it. Every test asks that twice, so no process does.
files_below() { # FOLDER
    shopt -s dotglob globstar nullglob
    files=("$1"/**)
    shopt -u dotglob globstar nullglob
}

# A program must remove everything that it creates outside its directory.
nothing_left() {
    local file files left=''
    files_below "$XDG_RUNTIME_DIR"
    for file in "${files[@]}"; do
        [[ -d $file && ! -L $file ]] || left+=" $file"
    done
    files_below /dev/shm
    for file in "${files[@]}"; do
        [[ " ${shm_before[*]} " == *" $file "* ]] || left+=" $file"
    done
    [[ -z $left ]] || {
        echo "left behind:$left"
        return 1
    }
}

program() { # NAME -> the path of a program under test
    case $1 in
    */*) echo "$1" ;;
    *) echo "$PERFTEST_BUILD/$1" ;;
    esac
}

# Built with AddressSanitizer? Then the software device is linked into the program instead of preloaded.
is_sanitized() {
    grep -q __asan_init "$PERFTEST_BUILD/ib_write_bw"
}

run_soft() {
    "$PERFTEST_TOP/scripts/run_soft" "$@"
}

# In its own process group, with default signals, and without bats' descriptor 3.
launch() { # NAME COMMAND...
    local name=$1
    shift
    # now: a check before the new process has started must not find the output of an earlier one
    : >"$name.out" 2>"$name.err"
    setsid env --default-signal=INT,QUIT,TERM,HUP "$@" >"$name.out" 2>"$name.err" </dev/null 3>&- {never}>&- &
    pids[$name]=$!
}

# A network of its own, for as long as a process is in it: nsenter -n -t "${pids[NAME]}" goes there.
launch_network() { # NAME
    launch "$1" unshare --net sleep infinity
    await "$1" has_own_network "$1"
}

has_own_network() { # NAME
    [[ ! /proc/${pids[$1]}/ns/net -ef /proc/self/ns/net ]]
}

# A process that bash has yet to wait for has ended: it does not always do so by itself.
alive() { # NAME
    local stat
    { read -r stat <"/proc/${pids[$1]}/stat"; } 2>/dev/null && [[ $stat != *') Z '* ]]
}

# Waits until COMMAND succeeds, NAME has exited, or the limit is reached.
await() { # NAME COMMAND...
    local - name=$1 end=$((SECONDS + wait_limit_s))
    set +T # no such note (setup) of what is asked again and again
    shift
    until "$@"; do
        alive "$name" || {
            "$@" && return 0
            echo "$name ended while waiting for: $*"
            show
            return 1
        }
        ((SECONDS < end)) || {
            echo "limit passed while waiting for: $*"
            show
            return 1
        }
        nap
    done
}

# In place of sleep(1), which is a process each time: what nobody writes to is read with a limit.
nap() {
    read -rt 0.01 -u "$never" || true
}

# Has NAME called exec() yet? The shell that starts it ignores SIGINT, which env(1) resets.
begun() { # NAME
    local word
    read -r word 2>/dev/null <"/proc/${pids[$1]}/comm" && [[ $word != @(bash|setsid|env) ]]
}

listening() { # NAME
    somebody_listens || return
    # root of a container does not see the descriptors of other users
    process_listens "${pids[$1]}" "$port" || { alive "$1" && ! readlink "/proc/${pids[$1]}/fd/1" >/dev/null 2>&1; }
}

# Is there a listener on $port? This needs no extra process; who owns it only matters once there is one.
somebody_listens() {
    local hex table text
    printf -v hex %04X "$port"
    for table in /proc/net/tcp /proc/net/tcp6; do
        IFS= read -rd '' text 2>/dev/null <"$table" || true
        [[ ! $text =~ :$hex\ [0-9A-F]+:0000\ 0A\  ]] || return 0
    done
    return 1
}

# Is NAME, which has --report_interval, measuring? The headline is printed before the warm-up.
measuring() { # NAME
    said "$1" '^ +[0-9]+ +[0-9]+ +[0-9.]+ '
}

# Has NAME printed a line that matches?
said() { # NAME PATTERN
    grep -qE -- "$2" "$1.out" "$1.err"
}

start_server() { # PROGRAM [OPTIONS]
    local path
    path=$(program "$1")
    shift
    launch server "${under[@]}" "$path" -p "$port" "$@"
    await server listening server
}

# Behind a client that it has served: does the server wait for the next one? Before that, Ctrl-C would end it with what
# its test ended with, or cut the end of that short.
waits_again() {
    tail -n 2 server.out | grep -q 'Waiting for client'
}

start_client() { # PROGRAM [OPTIONS]
    launch_client client "$@"
}

launch_client() { # NAME PROGRAM [OPTIONS]
    local name=$1 path
    path=$(program "$2")
    shift 2
    launch "$name" "${under[@]}" "$path" -p "$port" "$@" 127.0.0.1
}

# c1, c2, ... of one server, each with a document.
start_clients() { # COUNT PROGRAM OPTIONS
    local n count=$1
    shift
    for ((n = 1; n <= count; n++)); do
        launch_client "c$n" "$@" --out_json_file "c$n.json"
    done
}

# Shows what a hanging process is doing.
where_is() { # PID
    if command -v gdb >/dev/null; then
        timeout 20 gdb -q -batch -ex 'thread apply all backtrace' -p "$1" 2>/dev/null | grep -E '^(#|Thread)' | cut -c1-150
    else
        grep -E '^(Name|State|Threads)' "/proc/$1/status"
        cat "/proc/$1/wchan"
    fi
    return 0
}

# With its whole group; a process stopped at its very start has none yet.
kill_now() { # PID
    kill -KILL -- "-$1" 2>/dev/null || kill -KILL "$1" 2>/dev/null || true
}

# Waits for one side, with a limit, and stores its status and its output. One that has to be killed fails the test.
finish() { # NAME
    local name=$1 status=0
    # one process for the whole wait, not one per check
    if ! timeout "$wait_limit_s" tail --pid="${pids[$name]}" -s 0.01 -f /dev/null; then
        echo "$name did not end within $wait_limit_s s"
        where_is "${pids[$name]}"
        kill_now "${pids[$name]}"
        wait "${pids[$name]}" 2>/dev/null || true
        status=124
    fi
    ((status == 124)) || wait "${pids[$name]}" || status=$?
    unset "pids[$name]"
    printf -v "${name}_status" %s "$status"
    printf -v "${name}_output" %s "$(<"$name.out")"
    printf -v "${name}_error" %s "$(<"$name.err")"
    ((status != 124))
}

# The client exits first; the server must follow.
run_pair() { # PROGRAM [OPTIONS]
    start_server "$1" "${server_args[@]}"
    start_client "$@"
    finish client
    finish server
}

# run_pair; both must succeed.
good_pair() { # PROGRAM [OPTIONS]
    run_pair "$@"
    expect_status client 0
    expect_status server 0
}

# good_pair; each side writes its document: server.json and client.json.
documents() { # PROGRAM [OPTIONS]
    server_args=(--out_json_file server.json)
    good_pair "$@" --out_json_file client.json
    expect_schema client.json server.json
}

# Are the lines of --output_format=jsonl, put together, the document of the same run?
same_as_lines() { # DOCUMENT LINES
    expect [ "$(jq -cSs '(.[0] + .[-1] | del(.kind)) + {measurements: .[1:-1]}' "$2")" = "$(jq -cS . "$1")" ]
    expect [ "$(jq -r .kind "$2" | sed -n '1p;$p' | paste -sd ' ')" = "begin end" ]
}

# Runs a single program, with a limit: sets status, output (stdout) and error (stderr).
run_alone() { # PROGRAM [OPTIONS]
    local path
    path=$(program "$1")
    shift
    launch alone "${under[@]}" "$path" "$@"
    finish alone
    # shellcheck disable=SC2034,SC2154 # for the tests; finish sets them
    status=$alone_status output=$alone_output error=$alone_error
}

# --- expectations ---

show() {
    local name
    # the end of each is more informative than the header
    for name in *.err *.out; do
        [[ -s $name ]] && tail -n 8 "$name" | sed "s/^/$name: /"
    done
    return 0
}

expect() { # COMMAND...
    "$@" && return 0
    echo "not true: $*"
    show
    return 1
}

expect_status() { # NAME STATUS
    local variable=${1}_status
    [[ ${!variable} == "$2" ]] && return 0
    echo "$1 ended with status ${!variable}, expected $2"
    show
    return 1
}

finish_clients() { # COUNT STATUS
    local n
    for ((n = 1; n <= $1; n++)); do
        finish "c$n"
        expect_status "c$n" "$2"
    done
}

# The errors of NAME, each on one line: followed by its indented details after "; ".
errors_of() { # NAME
    awk '/error:/ { if (line) print line; line = $0; next }
         line && sub(/^    /, "") { line = line "; " $0; next }
         line { print line; line = "" }
         END { if (line) print line }' "$1.err"
}

# A usage error or a failure: exactly one line with "error" that, with its details, matches; and nothing but warnings.
expect_error() { # NAME PATTERN
    local errors
    errors=$(grep -c 'error:' "$1.err" || true)
    if [[ $errors != 1 ]] || ! errors_of "$1" | grep -qiE -- "$2"; then
        echo "expected one error line of $1 that matches: $2"
        show
        return 1
    fi
}

expect_output() { # NAME PATTERN
    grep -qE -- "$2" "$1.out" && return 0
    echo "expected $1 to print: $2"
    show
    return 1
}

refuse_output() { # NAME PATTERN
    grep -qE -- "$2" "$1.out" || return 0
    echo "expected $1 not to print: $2"
    show
    return 1
}

# Nothing on stderr, except that the machine stalled at the end of a latency test, if it did.
expect_quiet() { # NAME
    expect [ "$(grep -cv 'warning: .* an exchange was still open when the measured time ended' "$1.err")" = 0 ]
}

# The result rows of the classic table: the lines below a heading, up to the rule.
rows() { # NAME
    awk '/^ #bytes/ { table = 1; next } /^-----/ { table = 0 } table && /^ [0-9]/' "$1.out"
}

row_count() { # NAME
    rows "$1" | wc -l
}

# Field FIELD of row ROW, both from 1.
field() { # NAME ROW FIELD
    rows "$1" | awk -v row="$2" -v field="$3" 'NR == row { print $field }'
}

# Is an arithmetic condition on decimal numbers true? positive "$x > 0.5"
holds() { # EXPRESSION
    awk "BEGIN { exit !($1) }"
}

expect_rows() { # NAME COUNT
    local count
    count=$(row_count "$1")
    [[ $count == "$2" ]] && return 0
    echo "$1 printed $count rows, expected $2"
    show
    return 1
}

# JSON documents against docs/schema.json.
expect_schema() { # FILES
    "$PERFTEST_TOP/tests/validate_json" "$PERFTEST_TOP/docs/schema.json" "$@" || { show; return 1; }
}

# The raw output of jq for a document; numbers as computed, because jq 1.7 prints them as they stand: 1.0.
query() { # FILE FILTER
    jq -r "walk(if type == \"number\" then . + 0 else . end) | ($2)" "$1"
}
