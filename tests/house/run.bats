#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Does tests/run count what runs beside it in virtual machines? With a lab that only says what it is told to.

setup() {
    mkdir -p "$BATS_TEST_TMPDIR/tests/vm/jobs"
    cp "$BATS_TEST_DIRNAME/../run" "$BATS_TEST_TMPDIR/tests/"
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
