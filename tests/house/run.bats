#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Does tests/run count what runs at the same time, and in virtual machines? With a bats and a lab that only say what they are told to.

setup() {
    unset PERFTEST_TAGS PERFTEST_LONG PERFTEST_OFTEN
    mkdir -p "$BATS_TEST_TMPDIR/tests/vm/jobs"
    cp "$BATS_TEST_DIRNAME"/../{run,apart} "$BATS_TEST_TMPDIR/tests/"
    cd "$BATS_TEST_TMPDIR/tests" || return 1
    cat >vm/lab <<'LAB'
#!/usr/bin/env bash
if [[ $* == *--probe* ]]; then
    [[ -z ${NO_LAB-} ]] || echo "no cheese"
    exit "${NO_LAB-0}"
fi
exec "${@: -1}"
LAB
    chmod +x vm/lab
    mkdir bin
    printf '#!/usr/bin/env bash\necho "ok 1 it"; echo 1..1\n' >bin/bats # in the place of the real one, which is at work already
    chmod +x bin/bats
    PATH=$PWD/bin:$PATH
}

job() { # NAME LINES
    printf '#!/usr/bin/env bash\n%s\n' "$2" >"vm/jobs/$1"
    chmod +x "vm/jobs/$1"
}

@test "all that runs beside is counted, and the words of what failed are shown" {
    job good 'echo "ok 1 one"; echo "ok 2 two"; echo 1..2'
    job bad 'echo "ok 1 one"; echo "not ok 2 two"; echo "# because"; echo 1..2; exit 1'
    job dead 'echo "ok 1 one"; exit 125'
    run ./run beside.bats vm
    [ "$status" -eq 1 ]
    [[ $output == *"# because"* ]]
    [[ $output == *"dead ended with status 125 after 1 of ? tests"* ]]
    [ "${lines[-1]}" = "6 passed, 2 failed" ]
}

@test "all is well when all is well" {
    job good 'echo "ok 1 one"; echo 1..1'
    run ./run beside.bats vm
    [ "$status" -eq 0 ]
    [ "${lines[-1]}" = "3 passed, 0 failed" ]
}

@test "a test that is left out is no failure, in TAP's words and in cmocka's" {
    job good 'echo "ok 1 one"; echo "ok 2 two # skip no cheese"; echo "not ok 3 # SKIP three"; echo 1..3'
    run ./run ./vm/jobs/good
    [ "$status" -eq 0 ]
    [[ $output == *"1 passed, 2 skipped"*"no cheese"*three* ]]
    [ "${lines[-1]}" = "1 passed, 0 failed" ]
}

@test "a machine without the lab skips it with the reason; the one that decides fails" {
    job good 'echo "ok 1 one"; echo 1..1'
    NO_LAB=77 CI='' run ./run beside.bats vm
    [ "$status" -eq 0 ]
    [[ $output == *"1 skipped"*"no cheese"* ]]
    NO_LAB=77 CI=true run ./run beside.bats vm
    [ "$status" -eq 1 ]
    [[ $output == *"no cheese"* ]]
    [ "${lines[-1]}" = "1 passed, 1 failed" ]
    # a lab that breaks is no lab that is missing
    NO_LAB=1 CI='' run ./run beside.bats vm
    [ "$status" -eq 1 ]
    [ "${lines[-1]}" = "1 passed, 1 failed" ]
}

@test "what runs beside ends with it" {
    job endless 'echo $$ >started; while :; do sleep 1; done'
    ./run beside.bats vm >words 2>&1 3>&- &
    local pid=$!
    until [[ -s started ]]; do kill -0 "$pid"; done
    kill -TERM "$pid"
    status=0
    wait "$pid" || status=$?
    [ "$status" -eq 143 ]
    while kill -0 "$(<started)" 2>/dev/null; do :; done
}

# A file of program tests: what bats would do with it.
file() { # NAME LINES
    mkdir -p cli
    printf '#!/usr/bin/env bash\n%s\n' "$2" >"cli/$1"
    chmod +x "cli/$1"
    # shellcheck disable=SC2016 # words of that script
    printf '#!/usr/bin/env bash\nexec "${@: -1}"\n' >bin/bats
}

needs_namespaces() {
    unshare --net --mount ./apart true || skip "no namespaces here"
}

@test "files run at the same time, and the words of each stay together" {
    needs_namespaces
    # each ends only when the other has begun
    for name in one two; do
        file "$name.bats" "touch ../$name; until [[ -e ../one && -e ../two ]]; do :; done
            echo 'not ok 1 $name'; echo '# words of $name'; echo 'ok 2 $name'; echo 1..2; exit 1"
    done
    PERFTEST_JOBS=2 run ./run "$PWD/cli/one.bats" "$PWD/cli/two.bats"
    [ "$status" -eq 1 ]
    [[ $output == *"not ok 1 one"$'\n'"    # words of one"* ]]
    [[ $output == *"not ok 1 two"$'\n'"    # words of two"* ]]
    [ "${lines[-1]}" = "2 passed, 2 failed" ]
}

@test "a file has a loopback interface, a /dev/shm and a runtime directory of its own" {
    needs_namespaces
    touch "/dev/shm/perftest-run-bats.$$"
    for name in one two; do
        # a port where nobody listens refuses at once; without the interface there is no way to it
        file "$name.bats" "words=\$( { : </dev/tcp/127.0.0.1/9; } 2>&1)
            [[ \$words == *refused* ]] &&
            [[ -z \$(find /dev/shm \"\$XDG_RUNTIME_DIR\" -mindepth 1) ]] && echo ok 1 || echo not ok 1
            echo 1..1"
    done
    run ./run "$PWD/cli/one.bats" "$PWD/cli/two.bats"
    rm "/dev/shm/perftest-run-bats.$$"
    echo "$output"
    [ "$status" -eq 0 ]
    [ "${lines[-1]}" = "2 passed, 0 failed" ]
}

@test "a file that has to be alone has no other beside it" {
    for name in one two three; do
        file "$name.bats" "# alone: it says so
            mkdir ../busy || { echo 'not ok 1'; echo 1..1; exit 1; }; for i in {1..2000}; do :; done; rmdir ../busy; echo ok 1; echo 1..1"
    done
    PERFTEST_JOBS=3 run ./run "$PWD/cli/one.bats" "$PWD/cli/two.bats" "$PWD/cli/three.bats"
    [ "${lines[-1]}" = "3 passed, 0 failed" ]
}

@test "each file that has a long form is run in it" {
    local name
    while read -r name; do
        sed -n '/^long_files=(/,/)/p' run | grep -qw "${name##*/}" || { echo "$name is not in long_files of tests/run"; false; }
    done < <(grep -l '{PERFTEST_LONG-}' "$BATS_TEST_DIRNAME"/../cli/*.bats)
}

@test "what is tagged long is left out, unless it is asked for" {
    file one.bats ''
    # shellcheck disable=SC2016 # words of that script
    printf '#!/usr/bin/env bash\necho "ok 1 # skip asked: $*"; echo 1..1\n' >bin/bats
    run ./run "$PWD/cli/one.bats"
    [[ $output == *"asked: --tap --filter-tags !long "* ]]
    PERFTEST_TAGS=quick run ./run "$PWD/cli/one.bats"
    [[ $output == *"asked: --tap --filter-tags quick,!long "* ]]
    PERFTEST_LONG=1 run ./run "$PWD/cli/one.bats"
    [[ $output == *"asked: --tap /"* ]]
}

# Fails until it has run as often.
steadies_after() { # COUNT NAME
    file "$2.bats" "echo once more >>../count.$2
        if ((\$(wc -l <../count.$2) > $1)); then echo 'ok 1 $2 (a+b)'; else echo 'not ok 1 $2 (a+b)'; echo '# words of $2'; fi
        echo 1..1"
}

@test "what fails once and passes alone is unsteady: named with its words, and no failure" {
    steadies_after 0 one
    steadies_after 1 two
    run ./run "$PWD/cli/one.bats" "$PWD/cli/two.bats"
    echo "$output"
    [ "$status" -eq 0 ]
    [[ $output == *$'\n'"unsteady two.bats: two (a+b)"$'\n'"not ok 1 two (a+b)"$'\n'"# words of two"$'\n'* ]]
    [ "${lines[-2]}" = "1 unsteady" ]
    [ "${lines[-1]}" = "2 passed, 0 failed" ]
    [ "$(wc -l <../count.one)" -eq 1 ]
}

@test "what fails alone, too, is a failure; so is one that died" {
    steadies_after 0 one
    steadies_after 9 two
    # shellcheck disable=SC2016 # words of that file
    file three.bats 'mkdir ../died 2>/dev/null && kill -KILL $PPID; echo ok 1; echo 1..1'
    run ./run "$PWD"/cli/{one,two,three}.bats
    echo "$output"
    [ "$status" -eq 1 ]
    [[ $output == *"failed again, alone: two.bats: two (a+b)"* && $output == *"unsteady three.bats"* ]]
    [ "${lines[-1]}" = "2 passed, 1 failed" ]
}

@test "a virtual machine whose case fails is run again with all of its cases: one may need another" {
    job shaky 'echo "ok 1 load"; mkdir ../failed_once 2>/dev/null && { echo "not ok 2 a.b (c)"; echo "# because"; } || echo "ok 2 a.b (c)"; echo 1..2'
    run ./run beside.bats more.bats vm
    echo "$output"
    [ "$status" -eq 0 ]
    [[ $output == *$'\n'"unsteady shaky"$'\n'"not ok 2 a.b (c)"$'\n'"# because"* ]]
    [ "${lines[-2]}" = "1 unsteady" ]
    [ "${lines[-1]}" = "5 passed, 0 failed" ]
}

@test "more than three failures are not chance: none is run again" {
    for name in one two three four; do
        steadies_after 1 "$name"
    done
    run ./run "$PWD"/cli/*.bats
    [ "$status" -eq 1 ]
    [[ $output != *unsteady* ]]
    [ "${lines[-1]}" = "0 passed, 4 failed" ]
}

@test "one that is run again by its name is that one" {
    file one.bats ''
    file two.bats ''
    cat >bin/bats <<'BATS'
#!/usr/bin/env bash
case $* in
*two.bats) echo "ok 1" ;;
*"--filter ^"*) echo "not ok 1 it"; echo "# asked: $*" ;;
*) echo "not ok 1 a.b (c)" ;;
esac
echo 1..1
BATS
    run ./run "$PWD"/cli/{one,two}.bats
    echo "$output"
    [[ $output == *'--filter ^a\.b \(c\)$ '* ]]
}

@test "what was skipped is counted by reason" {
    file one.bats 'echo "ok 1 a # skip no cheese"; echo "ok 2 b # skip no cheese"; echo "ok 3 c # skip no wine"; echo 1..3'
    file two.bats 'echo ok 1; echo 1..1'
    run ./run "$PWD"/cli/{one,two}.bats
    [ "$status" -eq 0 ]
    [ "${lines[-2]}" = "3 skipped: 2 no cheese; 1 no wine" ]
    [ "${lines[-1]}" = "1 passed, 0 failed" ]
}

@test "one that dies without a word is one failure" {
    # shellcheck disable=SC2016 # words of that file
    file one.bats 'kill -KILL $PPID; sleep 1'
    file two.bats 'echo ok 1; echo 1..1'
    run ./run "$PWD/cli/one.bats" "$PWD/cli/two.bats"
    [ "$status" -eq 1 ]
    [ "${lines[-1]}" = "1 passed, 1 failed" ]
}
