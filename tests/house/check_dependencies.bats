#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Does the check of the includes' direction find what points the other way?

setup() {
    check=$(cd "$BATS_TEST_DIRNAME/.." && pwd)/check_dependencies
    cd "$BATS_TEST_TMPDIR" || return 1
    mkdir -p src/{main,session,loops,report,verbs,comm,memory,params,stats,util} src/params/engine src/verbs/{device,qp} soft/{abi,host,data}
    touch src/util/log.h src/stats/clock.h src/params/params.h src/verbs/queue.h src/verbs/qp/qp.h src/session/session.h src/comm/comm.h soft/abi/abi.h soft/host/core.h
    plant src/main/ib_x.c session/session.h
    plant src/session/session.c params/params.h
    plant src/loops/bw.c verbs/queue.h
    plant soft/data/copy.c host/core.h
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
    plant src/params/parse.c verbs/queue.h
    refused "src/params/parse.c: includes src/verbs/queue.h; params must not know verbs"
}

@test "dependencies: a program that names more than its layers is found" {
    plant src/main/ib_x.c verbs/queue.h
    refused "main must not know verbs"
}

@test "dependencies: loops that see the parameters through another header are found" {
    plant src/verbs/queue.h params/params.h
    refused "src/loops/bw.c: reaches src/params/params.h through src/verbs/queue.h"
}

@test "dependencies: a shared layer that sees a program's parameters is found, one that uses the option engine is not" {
    mkdir src/cmtime
    touch src/params/engine/opt.h src/params/perftest_parameters.h src/report/report_config.h
    plant src/report/parameter.h params/engine/opt.h
    plant src/cmtime/report.c report/report_config.h
    run "$check" "$PWD"
    [ "$status" -eq 0 ]
    plant src/report/report_config.h params/perftest_parameters.h
    refused "src/report/report_config.h: sees src/params/perftest_parameters.h; report must not know the ib_* programs"
    refused "src/cmtime/report.c: sees src/params/perftest_parameters.h"
}

@test "dependencies: the clock may know nobody" {
    plant src/stats/clock.h util/log.h
    refused "stats must not know util"
}

@test "dependencies: only the rdma_cm file of comm may know verbs" {
    plant src/comm/rdma_cm.c verbs/queue.h
    run "$check" "$PWD"
    [ "$status" -eq 0 ]
    plant src/comm/tcp.c verbs/queue.h
    refused "src/comm/tcp.c"
}

@test "dependencies: soft and src know nothing of each other" {
    plant soft/data/copy.c util/log.h
    refused "soft/ and src/ share public headers only"
}

@test "dependencies: src that names soft is found" {
    plant src/verbs/device/device.c soft/abi/abi.h
    refused "soft/ and src/ share public headers only"
}

@test "dependencies: a room of soft or of verbs that names one above it is found" {
    plant src/verbs/device/device.c verbs/qp/qp.h
    refused "src/verbs/device/device.c: includes src/verbs/qp/qp.h; src/verbs/device must not know src/verbs/qp"
    plant soft/data/copy.c abi/abi.h
    refused "soft/data/copy.c: includes soft/abi/abi.h; soft/data must not know soft/abi"
}

@test "dependencies: a room of soft that calls one above it by what soft.h declares is found, an exported name is not" {
    echo 'int soft_make(void);' >soft/soft.h
    printf 'int soft_make(void)\n{\n\treturn 0;\n}\n\nSOFT_EXPORT int open(void)\n{\n\treturn soft_make();\n}\n' >soft/abi/make.c
    printf '/* soft_make() */\nstatic int copy(void)\n{\n\treturn open();\n}\n' >>soft/data/copy.c
    run "$check" "$PWD"
    [ "$status" -eq 0 ]
    sed -i 's/return open/return soft_make/' soft/data/copy.c
    refused "soft/data/copy.c: calls soft_make() of soft/abi/make.c; soft/data must not know soft/abi"
}

@test "dependencies: files of soft that name each other in a circle are found" {
    touch soft/host/peer.h soft/host/watch.h soft/host/thread.h
    plant soft/host/peer.c host/watch.h
    plant soft/host/watch.c host/thread.h
    run "$check" "$PWD"
    [ "$status" -eq 0 ]
    plant soft/host/thread.h host/peer.h
    refused "circle: soft/host/peer -> soft/host/watch -> soft/host/thread -> soft/host/peer"
}

@test "dependencies: files that call each other in a circle are found, whatever header declares it; members and parameters are no calls" {
    printf 'int first_do(void)\n{\n\treturn second_do();\n}\n' >src/params/first.c
    printf 'int second_do(struct first_do *first_do)\n{\n\treturn first_do->first_do;\n}\n' >src/params/second.c
    sed -i 's/\*first_do)/*first)/; s/first_do->/first->/' src/params/second.c
    run "$check" "$PWD"
    [ "$status" -eq 0 ]
    sed -i 's/first->first_do/first_do()/' src/params/second.c
    refused "circle of calls: src/params/first.c -> src/params/second.c -> src/params/first.c"
}

@test "dependencies: files of a layer that name each other in a circle are found" {
    touch src/params/first.h src/params/second.h
    plant src/params/first.c params/second.h
    run "$check" "$PWD"
    [ "$status" -eq 0 ]
    plant src/params/second.c params/first.h
    refused "circle: src/params/first -> src/params/second -> src/params/first"
}

@test "dependencies: a file of soft in no room, or in one without a row, is found" {
    touch soft/new.c
    refused "soft/new.c: room 'None' has no row"
    rm soft/new.c
    mkdir soft/extras
    touch soft/extras/new.c
    refused "room 'soft/extras' has no row"
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
