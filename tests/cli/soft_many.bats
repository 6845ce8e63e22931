#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Does the software device stand many processes, queue pairs, regions and threads at a time (soft_many.c)? A few here; as many
# as it says it has room for in tests/run long (PERFTEST_LONG), where ThreadSanitizer watches the threads, too, and
# processes are killed by the thousand.

load helpers

setup_file() {
    ${CC:-cc} -O1 -g -D_GNU_SOURCE -o "$BATS_FILE_TMPDIR/soft_many" "$BATS_TEST_DIRNAME/soft_many.c" -libverbs -lpthread
}

many() { # FEW MANY KIND [ARGUMENTS...]
    local count=$1
    [[ -z ${PERFTEST_LONG-} ]] || count=$2
    shift 2
    run "$PERFTEST_TOP/scripts/run_soft" "$BATS_FILE_TMPDIR/soft_many" "$1" "$count" "${@:2}"
    echo "$output"
    [ "$status" -eq 0 ]
    [ -z "$output" ]
}

@test "processes, each connected to each" {
    many 16 255 processes
}

@test "queue pairs of two processes" {
    many 1000 10000 pairs
}

@test "regions of a page" {
    many 1000 100000 regions
}

@test "threads that post, poll, register and make queue pairs at a time" {
    many 4 32 threads 500
}

# The library is compiled into the program, because what is preloaded comes before the sanitizer's own.
@test "ThreadSanitizer sees no race between threads" {
    [[ -n ${PERFTEST_LONG-} ]] || skip "in .ci/run long"
    ${CC:-cc} -fsanitize=thread -x c -o linked - <<<'int main(void) { return 0; }' || skip "no ThreadSanitizer"
    local -a sources
    mapfile -t sources < <(find "$PERFTEST_TOP/soft" -name '*.c')
    ${CC:-cc} -std=gnu11 -O1 -g -fsanitize=thread -w -D_GNU_SOURCE -DHAVE_CONFIG_H -I"$PERFTEST_BUILD" -I"$PERFTEST_TOP/soft" \
        -o watched "${sources[@]}" "$BATS_TEST_DIRNAME/soft_many.c" -libverbs -ldl -lpthread
    run ./watched threads 16 2000
    echo "$output"
    [ "$status" -eq 0 ]
    [ -z "$output" ]
}

@test "killed processes leave no file, no stuck survivor and no wrong data" {
    [[ -n ${PERFTEST_LONG-} ]] || skip "a few in test_soft_killed, thousands in .ci/run long"
    SOFT_KILLS=3000 CMOCKA_MESSAGE_OUTPUT=TAP "$PERFTEST_BUILD/test_soft_killed"
}

@test "senders stopped and killed at each instruction of a message" {
    [[ -n ${PERFTEST_LONG-} ]] || skip "some of them in test_soft_steps, each in .ci/run long"
    SOFT_STEPS=1 CMOCKA_MESSAGE_OUTPUT=TAP "$PERFTEST_BUILD/test_soft_steps"
}
