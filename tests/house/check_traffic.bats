#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Is a file found that asks for a transport by name?

setup() {
    check=$(cd "$BATS_TEST_DIRNAME/.." && pwd)/check_traffic
    cd "$BATS_TEST_TMPDIR" || return 1
    mkdir -p src/{session/measure,verbs/{qp,work},traffic}
    echo '	return params->transport != other; /* TRANSPORT_COUNT of them */' >src/session/measure/measure.c
    echo '	[TRANSPORT_RC] = {.type = IBV_QPT_RC},' >src/verbs/qp/qp_row.c
}

@test "traffic: rows may name a transport, and properties are nobody's secret" {
    run "$check" "$PWD"
    [ "$status" -eq 0 ]
    [ -z "$output" ]
}

@test "traffic: a condition on the name of a transport is found" {
    echo '	if (params->transport != TRANSPORT_RC)' >>src/session/measure/measure.c
    run "$check" "$PWD"
    [ "$status" -eq 1 ]
    [[ $output == "src/session/measure/measure.c:2: asks for TRANSPORT_RC"* ]]
}

@test "traffic: a condition on the kind of a queue pair is found" {
    echo '	if (qp->qp_type == IBV_QPT_UD)' >>src/verbs/work/wr.c
    run "$check" "$PWD"
    [ "$status" -eq 1 ]
    [[ $output == "src/verbs/work/wr.c:1: asks for IBV_QPT_UD"* ]]
    echo '	if (qp_kind_of(resources, i) == QP_KIND_SRD)' >src/verbs/work/wr.c
    run "$check" "$PWD"
    [ "$status" -eq 1 ]
    [[ $output == "src/verbs/work/wr.c:1: asks for QP_KIND_SRD"* ]]
}

@test "traffic: a name that the preprocessor puts together is found" {
    echo '#define IS(name) (params->transport == TRANSPORT_##name)' >>src/session/measure/measure.c
    run "$check" "$PWD"
    [ "$status" -eq 1 ]
    [[ $output == "src/session/measure/measure.c:2: asks for TRANSPORT_"* ]]
}
