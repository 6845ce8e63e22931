#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Many processes, queue pairs, regions and threads at a time on the software device (soft_many.c). A few here; up to its
# reported limits in tests/run long (PERFTEST_LONG), where ThreadSanitizer also checks the threads, and processes are
# killed by the thousand.

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

# The sanitizer's runtime has to come first: gcc's is a library, so that the device is compiled into the program; clang's is in the
# program, and the device a library as it always is.
watched() { # COMPILER...
    local -a compiler=("$@")
    local words kind
    local -a flags=(-std=gnu11 -O1 -g -fsanitize=thread -w -D_GNU_SOURCE -DHAVE_CONFIG_H -I"$PERFTEST_BUILD" -I"$PERFTEST_TOP/soft")
    local -a sources
    mapfile -t sources < <(find "$PERFTEST_TOP/soft" -name '*.c')
    if "${compiler[@]}" --version | grep -q clang; then
        "${compiler[@]}" "${flags[@]}" -shared -fPIC -fvisibility=hidden -o watched.so "${sources[@]}" -ldl -lpthread \
            -Wl,--version-script="$PERFTEST_TOP/soft/abi/libperftest_soft.map" \
            -Wl,--version-script="$PERFTEST_TOP/soft/abi/direct.map"
        sources=(./watched.so)
    fi
    "${compiler[@]}" "${flags[@]}" -o watched "$BATS_TEST_DIRNAME/soft_many.c" "${sources[@]}" -Wl,-rpath,"$PWD" -libverbs -ldl -lpthread
    for kind in threads leaving; do
        words=$(./watched "$kind" 16 2000 2>&1) || { echo "$words"; return 1; }
        expect [ -z "$words" ]
    done
}

@test "ThreadSanitizer sees no race between threads" {
    [[ -n ${PERFTEST_LONG-} ]] || skip "in .ci/run long"
    ${CC:-cc} -fsanitize=thread -x c -o linked - <<<'int main(void) { return 0; }' || skip "no ThreadSanitizer"
    # shellcheck disable=SC2086 # CC may be words
    watched ${CC:-cc}
}

@test "ThreadSanitizer of clang sees no race between threads" {
    [[ -n ${PERFTEST_LONG-} ]] || skip "in .ci/run long"
    clang -fsanitize=thread -x c -o linked - <<<'int main(void) { return 0; }' || skip "no clang, or none with ThreadSanitizer"
    watched clang
}

@test "killed processes leave no file, no stuck survivor and no wrong data" {
    [[ -n ${PERFTEST_LONG-} ]] || skip "a few in test_soft_killed, thousands in .ci/run long"
    SOFT_KILLS=3000 CMOCKA_MESSAGE_OUTPUT=TAP "$PERFTEST_BUILD/test_soft_killed"
}

@test "senders stopped and killed at each instruction of a message" {
    [[ -n ${PERFTEST_LONG-} ]] || skip "some of them in test_soft_steps, each in .ci/run long"
    SOFT_STEPS=1 CMOCKA_MESSAGE_OUTPUT=TAP "$PERFTEST_BUILD/test_soft_steps"
}

@test "a reset while the service thread is at each instruction of a peer's death" {
    [[ -n ${PERFTEST_LONG-} ]] || skip "some of them in test_soft_reset, each in .ci/run long"
    SOFT_STEPS=1 CMOCKA_MESSAGE_OUTPUT=TAP "$PERFTEST_BUILD/test_soft_reset"
}
