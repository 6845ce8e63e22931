#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Does runme do what README.md promises? With a stub for the program and for ssh, and a build of one rule.

bats_require_minimum_version 1.5.0

setup() {
    top=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
    cd "$BATS_TEST_TMPDIR" || return 1
    mkdir -p tree/scripts tree/man tree/bin
    cp "$top/runme" tree/
    cp "$top/scripts/serve.bash" tree/scripts/
    cp "$top/tests/house/stub_program" tree/ib_write_bw
    touch tree/man/ib_write_bw.1 tree/configure tree/Makefile.in tree/config.status
    printf 'all: all-am\nall-am: built\nbuilt: source\n\t@echo compiling\n\t@touch built\n' >tree/Makefile
    touch tree/source tree/built
    # no ssh to anywhere: it says where a host is, and runs the command here
    cat >tree/bin/ssh <<'SSH'
#!/bin/sh
[ "$1" = -G ] && { echo hostname localhost; exit; }
echo "$1" >ssh.host
shift
exec sh -c "$*"
SSH
    chmod +x tree/bin/ssh
    PATH=$PWD/tree/bin:$PATH
}

teardown() {
    [[ -z ${background-} ]] || kill -KILL -- "-$background" 2>/dev/null || true
    # those that were told to end may take a while on a busy machine
    # shellcheck disable=SC2016 # for the shell inside
    timeout 30 bash -c 'while pgrep -f "$1"; do sleep 0.1; done' - "$BATS_TEST_TMPDIR/[t]ree/ib_write_bw"
}

runme() {
    local status=0
    timeout 60 tree/runme "$@" >out 2>err 3>&- </dev/null || status=$?
    sed 's/^/stdout: /' out # shown when the test fails
    sed 's/^/stderr: /' err
    return "$status"
}

wait_for() { # FILE PATTERN
    local end=$((SECONDS + 30))
    until grep -q "$2" "$1" 2>/dev/null; do
        ((SECONDS < end)) || return 1
        sleep 0.01
    done
}

@test "runme: bare, it runs ib_write_bw and prints the client's output and nothing else" {
    runme
    grep -qE '^client (-p [0-9]+ )?127\.0\.0\.1$' out
    run ! grep -q noise out
    [ ! -s err ]
}

@test "runme: a tree in which it cannot write is named" {
    mkdir tree/runme.log
    run ! runme ib_write_bw
    grep -q "^runme: cannot write .*/tree/runme.log: .*tree/ib_write_bw" err
    run ! grep -qE 'directory$|denied' err
    [ ! -s out ]
}

@test "runme: options go to both sides, those of the JSON file to the client only" {
    runme ib_write_bw --keep --out_json_file there --out_json -x "it's here"
    grep -q "^client --keep -x it's here --out_json_file there --out_json" out
    grep -q "^server --keep -x it's here" out
    run ! grep -q "^server.*json" out
}

@test "runme: a taken port is left alone, and both sides use another" {
    tree/ib_write_bw --keep -p 18515 >/dev/null 2>&1 3>&- &
    other=$!
    # either our stub took it or somebody else had it: taken it is
    source "$top/scripts/serve.bash"
    end=$((SECONDS + 30))
    until port_in_use 18515; do
        ((SECONDS < end))
        sleep 0.01
    done
    runme ib_write_bw
    kill -KILL "$other" 2>/dev/null || true
    grep -qE '^client -p 2[0-9]{4}|^client -p 3[01]' out
}

@test "runme: a port that another program takes at the last moment is given up for another one" {
    runme ib_write_bw --late "$PWD/late"
    [ -e late ]
    grep -qE '^client --late [^ ]* -p (2[0-9]{4}|3[01][0-9]{3}) 127\.0\.0\.1$' out
    run ! grep -q 'in use' err
}

@test "runme: a port that was asked for and is taken is an error" {
    source "$top/scripts/serve.bash"
    port=$(pick_port 20000 31999)
    status=0
    runme ib_write_bw --late "$PWD/late" -p "$port" || status=$?
    [ "$status" -eq 1 ]
    grep -q "port $port is in use" err
}

@test "runme: three at once" {
    jobs=()
    for i in 1 2 3; do
        (timeout 60 tree/runme ib_write_bw --until all >"out$i" 2>"err$i" 3>&- </dev/null; echo $? >"status$i") &
        jobs+=($!)
    done
    for i in 1 2 3; do
        wait_for "out$i" '^client'
    done
    touch all
    wait "${jobs[@]}"
    for i in 1 2 3; do
        sed "s/^/$i: /" "out$i" "err$i"
        [ "$(cat "status$i")" = 0 ]
        grep -q '^client --until all -p' "out$i"
    done
    [ "$(cat out? | grep '^client' | sort -u | wc -l)" = 3 ]
}

@test "runme: cmtime runs its two instances over TCP, or with the addresses that are given" {
    touch tree/man/cmtime.1
    cp tree/ib_write_bw tree/cmtime
    runme cmtime --long=3
    grep -q '^client --long=3 -C 127.0.0.1 -b 127.0.0.1 -S -p' out
    grep -q '^server --long=3 -C 127.0.0.1 -b 127.0.0.1 -S -L -p' out
    grep -q 'over TCP' err
    runme cmtime -b127.0.0.2
    grep -q '^client -b127.0.0.2 -C 127.0.0.1 -p' out
    grep -q '^server -b127.0.0.2 -C 127.0.0.1 -L -p' out
}

@test "runme: qperf has its words on the client alone, behind the host" {
    touch tree/man/qperf.1
    cp tree/ib_write_bw tree/qperf
    runme qperf --long=3
    grep -qE '^client 127\.0\.0\.1 -lp [0-9]+ --long=3$' out
    grep -qE '^server -lp [0-9]+$' out
}

@test "runme: an ssh that fails is a failure, status 1" {
    # shellcheck disable=SC2016 # for the other shell
    printf '#!/bin/sh\n[ "$1" = -G ] && exit\necho "ssh: no route" >&2\nexit 255\n' >tree/bin/ssh
    status=0
    runme node7 ib_write_bw || status=$?
    [ "$status" -eq 1 ]
    grep -q 'ssh: no route' err
    grep -q 'ssh did not start the server on node7' err
}

@test "runme: a port that was asked for is used" {
    source "$top/scripts/serve.bash"
    port=$(pick_port 20000 31999)
    runme ib_write_bw "-p$port"
    grep -qE "^client -p$port 127\.0\.0\.1" out
    grep -qE "^server -p$port" out
}

@test "runme: what the server prints instead of listening is the answer, with its status" {
    runme ib_write_bw -h
    grep -qx help out
    status=0
    runme ib_write_bw --refuse || status=$?
    [ "$status" -eq 2 ]
    grep -qx 'stub: error: unknown option' err
}

@test "runme: a server's name, or a program whose sides differ, is refused before anything is started" {
    local words status
    touch tree/man/raw_ethernet_bw.1
    for words in "ib_write_bw localhost" "node7 ib_write_bw -n 5 localhost"; do
        status=0
        # shellcheck disable=SC2086 # words
        runme $words || status=$?
        [ "$status" -eq 2 ]
        grep -q '^runme: omit localhost: runme starts the server' err
    done
    status=0
    runme raw_ethernet_bw -P || status=$?
    [ "$status" -eq 2 ]
    grep -q 'the two sides of raw_ethernet_bw have different options: start them by hand' err
    [ ! -s out ]
}

@test "runme: HOST TEST starts the server there by ssh, with its words quoted" {
    runme me@node7 ib_write_bw -x "it's \$HOME"
    [ "$(cat ssh.host)" = me@node7 ]
    grep -qF "server -x it's \$HOME" out
}

@test "runme: HOST TEST says which program runs on a host that has no such tree" {
    runme node7 ib_write_bw
    [ ! -s err ]
    # the words for the other host name a folder that is not there
    sed -i "s|^exec sh -c .*|exec sh -c \"\$(echo \"\$*\" \| sed 's,$PWD/tree/ib_write_bw,/nowhere/ib_write_bw,')\"|" tree/bin/ssh
    # shellcheck disable=SC2016 # for the other shell
    printf '#!/bin/sh\n[ "$1" != --version ] || exec echo "Version: 6.06"\nexec "%s" "$@"\n' "$PWD/tree/ib_write_bw" >tree/bin/ib_write_bw
    chmod +x tree/bin/ib_write_bw
    runme node7 ib_write_bw
    grep -qxF "runme: node7 has no $PWD/tree/ib_write_bw, and runs $PWD/tree/bin/ib_write_bw (Version: 6.06)" err
    grep -q '^client ' out
}

@test "runme: Ctrl-C ends both sides; what the client prints at its end is seen" {
    setsid env --default-signal=INT tree/runme ib_write_bw --long --keep >out 2>err 3>&- </dev/null &
    background=$!
    wait_for out '^server'
    kill -INT -- "-$background"
    status=0
    wait "$background" || status=$?
    [ "$status" -eq 130 ]
    grep -qx partial out
}

@test "runme: an unknown program is refused with the names there are" {
    run timeout 60 tree/runme ib_wrte_bw
    [ "$status" -eq 2 ]
    [[ $output == "runme: 'ib_wrte_bw' is no program of the suite"*ib_write_bw* ]]
    [ "${#lines[@]}" -eq 2 ]
    touch tree/man/cmtime.1
    run timeout 60 tree/runme -a
    [ "$(grep -o cmtime <<<"$output" | wc -l)" -eq 1 ]
}

@test "runme: options without a program are refused with what to type" {
    run -2 tree/runme -s 4K
    [[ $output == "runme: name a program before its options: ./runme ib_write_bw -s 4K"*ib_write_bw* ]]
    [ "$(wc -L <<<"$output")" -le 80 ]
    run -2 tree/runme ib_wrte_bw -a
    [[ $output == "runme: 'ib_wrte_bw' is no program of the suite"*ib_write_bw* ]]
}

@test "runme: an option that no program has is refused before anything is built" {
    mkdir tree/src
    echo '{"keep", "report_gbits"}' >tree/src/options.h
    touch -d tomorrow tree/source
    run -2 tree/runme ib_write_bw --kep
    [ "$output" = "runme: no program of the suite has an option --kep" ]
    runme ib_write_bw --keep --report-gbits
}

@test "runme: a command of perftest" {
    printf '#!/bin/sh\necho "command: $*"\n' >tree/perftest
    chmod +x tree/perftest
    runme perftest list --all
    grep -qx 'command: list --all' out
}

@test "runme: a suite or a set of packages that does not exist is refused before anything is built" {
    run -2 runme check unti
    [[ $output == *"runme: check: 'unti' is not quick, house, unit, cli, gate, vm or long, or a test file"* ]]
    run -2 runme install everything
    [[ $output == *"runme: install: 'everything' is not check, ci or nothing"* ]]
}

@test "runme: a changed source is built, an unchanged one is not mentioned" {
    runme
    [ ! -s err ]
    touch -d tomorrow tree/source
    runme
    grep -q building err
    # commit.h is looked at each time, and rewritten if it changes
    # shellcheck disable=SC2016 # make's
    printf 'built: src/main/commit.h\nsrc/main/commit.h: FORCE\n\t@mkdir -p $(@D); test -e $@ || touch -d yesterday $@\nFORCE:\n' >>tree/Makefile
    touch -d "next year" tree/built
    runme
    [ ! -s err ]
}

@test "runme: without the packages and without rights it prints the commands for both families" {
    mkdir bare
    for tool in bash env cat sed dirname grep tail mktemp id; do
        ln -s "$(command -v "$tool")" bare/
    done
    run env PATH="$PWD/bare" bash tree/runme
    [ "$status" -eq 1 ]
    [[ $output == *"apt-get install -y --no-install-recommends gcc"* ]]
    [[ $output == *"dnf install -y gcc"* ]]
}

@test "runme: how far a build is, in one line at a terminal and in a few lines of a pipe" {
    # eight files, as make prints them
    {
        printf 'all: all-am\nall-am:'
        printf ' f%s.o' {1..8}
        # shellcheck disable=SC2016 # make's
        printf '\nf%%.o: source\n\t@echo "  CC      " $@;\n\t@touch $@\n'
    } >tree/Makefile
    runme
    grep -qx "runme: building, 3 of 8" err
    [ "$(grep -c building err)" -le 5 ]
    grep -q '  CC       f8.o' tree/runme.log
    touch -d tomorrow tree/source
    timeout 60 "$top/tests/cli/at_terminal" 80 tree/runme 3>&- >screen
    [ "$(grep -c building screen)" -le 2 ]
    tr '\r' '\n' <screen | grep -qE '^runme: building, 8 of 8: f[1-8]\.o *$'
    [[ $(<screen) == *$'\r'*$'\r'[^$'\n']*$'\r'* ]]
    touch -d "next year" tree/source
    timeout 60 "$top/tests/cli/at_terminal" 30 tree/runme 3>&- >screen
    tr '\r' '\n' <screen | grep -qE '^runme: building, 8 of 8: f[1-8]\.$'
}
