#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Does the check of the includes' direction find what points the other way?

setup() {
    check=$(cd "$BATS_TEST_DIRNAME/.." && pwd)/check_dependencies
    cd "$BATS_TEST_TMPDIR" || return 1
    mkdir -p src/{main,session,loops,report,verbs,comm,memory,params,stats,util} soft
    touch src/util/log.h src/stats/clock.h src/params/params.h src/verbs/flow.h src/session/session.h src/comm/comm.h soft/abi.h
    plant src/main/ib_x.c session/session.h
    plant src/session/session.c params/params.h
    plant src/loops/bw.c verbs/flow.h
    plant soft/qp.c abi.h
}

plant() { # FILE HEADER
    echo "#include \"$2\"" >>"$1"
}

refused() { # PATTERN
    run "$check" "$PWD"
    [ "$status" -eq 1 ]
    [[ $output == *$1* ]]
}

@test "dependencies: a tree that points the right way passes" {
    run "$check" "$PWD"
    [ "$status" -eq 0 ]
    [ -z "$output" ]
}

@test "dependencies: a lower layer that names a higher one is found" {
    plant src/params/parse.c verbs/flow.h
    refused "src/params/parse.c: includes src/verbs/flow.h; params must not know verbs"
}

@test "dependencies: a program that names more than session is found" {
    plant src/main/ib_x.c params/params.h
    refused "main must not know params"
}

@test "dependencies: loops that see the parameters through another header are found" {
    plant src/verbs/flow.h params/params.h
    refused "src/loops/bw.c: reaches src/params/params.h through src/verbs/flow.h"
}

@test "dependencies: the clock may know nobody" {
    plant src/stats/clock.h util/log.h
    refused "stats must not know util"
}

@test "dependencies: only the rdma_cm file of comm may know verbs" {
    plant src/comm/rdma_cm.c verbs/flow.h
    run "$check" "$PWD"
    [ "$status" -eq 0 ]
    plant src/comm/tcp.c verbs/flow.h
    refused "src/comm/tcp.c"
}

@test "dependencies: soft and src know nothing of each other" {
    plant soft/qp.c util/log.h
    refused "soft/ and src/ share public headers only"
}

@test "dependencies: src that names soft is found" {
    plant src/verbs/device.c soft/abi.h
    refused "soft/ and src/ share public headers only"
}

@test "dependencies: a layer without a row is found" {
    mkdir src/extras
    touch src/extras/new.c
    refused "layer 'extras' has no row"
}

@test "dependencies: a header that is nowhere is found" {
    plant src/util/log.c nowhere.h
    refused "nowhere.h"
}
