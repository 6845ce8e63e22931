#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Does every other program, ours and those of the distribution, run on a device that refuses what an adapter's driver does
# (PERFTEST_SOFT=profile=), or end with a reason? profiles.bats has the ib_* programs. A row is a program with its options; its
# words are what happens on the device of each column. All of them in .ci/run long (PERFTEST_LONG), here each row on one.
# bats file_tags=slow

load helpers
load foreign

profiles=(mlx5 efa bnxt_re irdma irdma-gen3 irdma-iwarp hns hns-hip08 mana ionic cxgb4 qedr erdma)

# What our programs say instead of a figure ("+"), in one line that names the device.
declare -gA reasons=(
    [atomics]='soft0 does not support the atomic operations'
    [cm]='soft0 is an iWARP device, whose queue pairs can only be connected with rdma_cm'
    [datagrams]='soft0 does not support [A-Z]+, only datagrams'
    [type]='soft0 does not support U[CD], only RC'
    [rc]='soft0 is an iWARP device, which does not support U[CD], only RC'
    [xrc]='soft0 has no XRC'
    [srq]='soft0 has no shared receive queues'
    [nocm]='soft0 is not known to rdma_cm: omit'
    [unknown]='soft0 is not known to rdma_cm: give all instances -S'
    [mimics]='soft0 is an iWARP device, which cannot connect without real queue pairs'
)

# Runs each row of stdin on each profile: ACTION CELL PROGRAM OPTIONS. ".": not run, the comment above the table says why.
each_cell() { # ACTION
    local row cells i number=0
    local -a words columns
    while IFS='|' read -r row cells; do
        read -ra words <<<"$row"
        read -ra columns <<<"$cells"
        [[ ${words[*]} == [!#]* ]] || continue
        ((${#columns[@]} == ${#profiles[@]})) || {
            echo "${#columns[@]} words: $row"
            return 1
        }
        number=$((number + 1))
        for i in "${!profiles[@]}"; do
            [[ -n ${PERFTEST_LONG-} ]] || ((number % ${#profiles[@]} == i)) || continue
            [[ ${columns[i]} != . ]] || continue
            echo "as ${profiles[i]}: ${words[*]}: ${columns[i]}"
            PERFTEST_SOFT=profile=${profiles[i]} "$1" "${columns[i]}" "${words[@]}"
        done
    done
    ((number > 0))
}

# A port for each, since the last one's may still be held.
next_port() {
    read -r first_port last_port <<<"${PERFTEST_TEST_PORTS:-20000 31999}"
    port=$(pick_port "$first_port" "$last_port")
}

# Without a peer: before it is met.
refused() { # CELL PROGRAM OPTIONS...
    run_alone "${@:2}"
    expect_status alone 1
    expect_error alone "${reasons[$1]:?}"
}

# --- ours ---

qperf_cell() { # CELL TEST OPTIONS...
    local -a options
    next_port
    options=(127.0.0.1 -lp "$port" -n 20 -cp1 "${@:3}" -uu "$2")
    if [[ $1 != + ]]; then
        refused "$1" qperf "${options[@]}"
        return
    fi
    launch server "$(program qperf)" -lp "$port"
    await server listening server
    launch client "$(program qperf)" "${options[@]}"
    finish client
    expect_status client 0
    expect_output client '^    (latency|bw|recv_bw|msg_rate) += +[0-9.]*[1-9]'
    run_alone qperf 127.0.0.1 -lp "$port" quit
    expect_status alone 0
    finish server
    expect_status server 0
}

@test "qperf" {
    each_cell qperf_cell <<'TABLE'
#                        mlx5 efa       bnxt_re irdma   gen3 iwarp   hns hip08 mana    ionic cxgb4   qedr erdma
rc_bw                  | +    datagrams +       +       +    cm      +   +     +       +     cm      +    cm
rc_lat                 | +    datagrams +       +       +    cm      +   +     +       +     cm      +    cm
rc_bi_bw               | +    datagrams +       +       +    cm      +   +     +       +     cm      +    cm
uc_bw                  | +    datagrams type    type    type rc      type type type    type  rc      type rc
uc_lat                 | +    datagrams type    type    type rc      type type type    type  rc      type rc
ud_bw                  | +    +         +       +       +    rc      +   type  type    +     rc      type rc
ud_lat                 | +    +         +       +       +    rc      +   type  type    +     rc      type rc
xrc_bw                 | +    xrc       xrc     xrc     xrc  xrc     +   xrc   xrc     xrc   xrc     +    xrc
rc_rdma_read_bw        | +    datagrams +       +       +    cm      +   +     +       +     cm      +    cm
rc_rdma_write_bw       | +    datagrams +       +       +    cm      +   +     +       +     cm      +    cm
rc_rdma_write_lat      | +    datagrams +       +       +    cm      +   +     +       +     cm      +    cm
rc_rdma_write_poll_lat | +    datagrams +       +       +    cm      +   +     +       +     cm      +    cm
uc_rdma_write_bw       | +    datagrams type    type    type rc      type type type    type  rc      type rc
rc_compare_swap_mr     | +    atomics   +       atomics +    atomics +   +     atomics +     atomics +    cm
ver_rc_fetch_add       | +    atomics   +       atomics +    atomics +   +     atomics +     atomics +    cm
rc_bw -cm1             | +    datagrams +       +       +    +       +   +     +       +     +       +    +
rc_lat -cm1            | +    datagrams +       +       +    +       +   +     +       +     +       +    +
ud_lat -cm1            | +    nocm      +       +       +    rc      +   type  type    +     rc      type rc
rc_rdma_write_bw -cm1  | +    datagrams +       +       +    +       +   +     +       +     +       +    +
rc_rdma_read_lat -cm1  | +    datagrams +       +       +    +       +   +     +       +     +       +    +
rc_fetch_add_mr -cm1   | +    atomics   +       atomics +    atomics +   +     atomics +     atomics +    +
TABLE
}

# Instances meet first, so that each reports which of them lacks what.
cmtime_cell() { # CELL cmtime OPTIONS...
    local -a options
    local side
    next_port
    options=(-C 127.0.0.1 -b 127.0.0.1 -p "$port" -c 20 "${@:3}")
    launch server "$(program cmtime)" -L "${options[@]}"
    await server listening server
    launch client "$(program cmtime)" "${options[@]}"
    for side in client server; do
        finish $side
        [[ $1 == + ]] || expect_error $side "${reasons[$1]:?}"
        expect_status $side "$([[ $1 == + ]] && echo 0 || echo 1)"
    done
    [[ $1 != + ]] || expect_output client '^full connect( +[0-9]+){6}$'
}

@test "cmtime" {
    each_cell cmtime_cell <<'TABLE'
#             mlx5 efa      bnxt_re irdma gen3 iwarp  hns hip08 mana ionic cxgb4  qedr erdma
cmtime      | +    unknown +       +     +    +      +   +     +    +     +      +    +
cmtime -m 0 | +    unknown +       +     +    mimics +   +     +    +     mimics +    mimics
TABLE
}

# --- the distribution's ---

# Ended by itself, for a reason of its own.
own_words() { # NAME
    local status=${1}_status
    status=${!status}
    if ((status == 0 || status == 124 || (status > 128 && status <= 192))) || [[ ! -s $1.err && ! -s $1.out ]]; then
        echo "$1 ended with status $status"
        show
        return 1
    fi
}

ready_or_gone() {
    ! alive server || waits_for_peer
}

# Whatever happens in between, none waits for a peer that has gone.
pair_cell() { # CELL PATTERN SERVER_WORDS -- CLIENT_WORDS
    local cell=$1 pattern=$2
    local -a server=()
    shift 2
    while [[ $1 != -- ]]; do
        server+=("$1")
        shift
    done
    shift
    unset client_status
    launch server "$run_soft" "${server[@]}"
    await server ready_or_gone
    if alive server; then
        launch client "$run_soft" "$@"
        finish client
    fi
    if [[ $cell == + ]]; then
        finish server
        expect_status client 0
        expect_status server 0
        [[ -z $pattern ]] || expect_output client "$pattern"
        return
    fi
    [[ -z ${client_status-} ]] || own_words client
    if alive server && waits_for_peer; then
        kill_hard "${pids[server]}"
        finish server
    else
        finish server
        own_words server
    fi
}

verbs_cell() { # CELL PROGRAM OPTIONS...
    local -a options
    next_port
    waits_for_peer() { listening server; }
    options=(-d soft0 -g 0 -p "$port" -n 10 "${@:3}")
    pair_cell "$1" 'Mbit/sec|^success$' "/usr/bin/$2" "${options[@]}" -- "/usr/bin/$2" "${options[@]}" 127.0.0.1
}

# T6: the server has shared receive queues and no connection; its client then reads from the closed socket for ever, as anywhere.
@test "rdma-core's verbs examples" {
    installed ibv_rc_pingpong
    each_cell verbs_cell <<'TABLE'
#                          mlx5 efa bnxt_re irdma gen3 iwarp hns hip08 mana ionic cxgb4 qedr erdma
ibv_rc_pingpong -e -r 5  | +    -   +       +     +    -     +   +     +    +     -     +    -
ibv_rc_pingpong -o -e    | +    -   -       -     -    -     -   -     -    -     -     -    -
ibv_rc_pingpong -t       | +    -   -       -     +    -     -   -     -    -     -     -    -
ibv_rc_pingpong -j -e    | +    -   -       -     -    -     -   -     +    -     -     -    -
ibv_rc_pingpong -N -e    | +    -   +       -     -    -     +   +     -    +     -     -    -
ibv_uc_pingpong -e       | +    -   -       -     -    -     -   -     -    -     -     -    -
ibv_ud_pingpong -e       | +    +   +       +     +    -     +   -     -    +     -     -    -
ibv_srq_pingpong -e -q 2 | +    -   +       -     +    -     +   +     -    -     .     +    -
ibv_xsrq_pingpong -e     | +    -   -       -     -    -     +   -     -    -     -     +    -
TABLE
}

devinfo_cell() { # CELL PROGRAM OPTIONS...
    run_alone "$run_soft" "/usr/bin/$2" "${@:3}"
    expect_status alone 0
    expect_output alone "fw_ver:.*perftest-soft as ${PERFTEST_SOFT#*=}"
}

@test "ibv_devinfo" {
    installed ibv_devinfo
    each_cell devinfo_cell <<'TABLE'
ibv_devinfo -v -d soft0 | + + + + + + + + + + + + +
TABLE
}

cm_bound() {
    bound "${pids[server]}"
}

cm_cell() { # CELL PROGRAM OPTIONS...
    local -a server=("/usr/bin/$2" "${@:3}") client=("/usr/bin/$2" "${@:3}" -s 127.0.0.1)
    waits_for_peer() { cm_bound; }
    case $2 in
    rping)
        next_port
        server+=(-s -a 127.0.0.1 -p "$port")
        client=("${server[@]/#-s/-c}")
        ;;
    rdma_*server) client=("/usr/bin/${2%server}client" "${@:3}" -s 127.0.0.1) ;;
    esac
    pair_cell "$1" '' "${server[@]}" -- "${client[@]}"
}

@test "librdmacm's examples" {
    installed ucmatose
    each_cell cm_cell <<'TABLE'
#                  mlx5 efa bnxt_re irdma gen3 iwarp hns hip08 mana ionic cxgb4 qedr erdma
rping -C 3       | +    -   +       +     +    +     +   +     +    +     +     +    +
ucmatose -c 3    | +    -   +       +     +    +     +   +     +    +     +     +    +
udaddy -c 3      | +    -   +       +     +    -     +   -     -    +     -     -    -
rdma_server      | +    -   +       +     +    +     +   +     -    +     +     +    +
rdma_xserver -cx | +    -   -       -     -    -     +   -     -    -     -     +    -
TABLE
}

perftest_cell() { # CELL PROGRAM OPTIONS...
    local -a options
    local cell=$1
    # 25.01 creates connected queue pairs of an hns with a function of libhns, which does not know soft0.
    [[ $cell != hns || $(ldd "/usr/bin/$2") != *libhns* ]] || cell=-
    next_port
    waits_for_peer() { listening server; }
    [[ " $* " != *" -R "* ]] || waits_for_peer() { bound "${pids[server]}" "$port/"; }
    options=(-p "$port" -d soft0 -F -n 5 "${@:3}")
    pair_cell "${cell/hns/+}" '^ [0-9]+ ' "/usr/bin/$2" "${options[@]}" -- "/usr/bin/$2" "${options[@]}" 127.0.0.1
}

@test "Debian's perftest" {
    installed ib_send_bw
    each_cell perftest_cell <<'TABLE'
#                               mlx5 efa bnxt_re irdma gen3 iwarp hns hip08 mana ionic cxgb4 qedr erdma
ib_send_bw -e                 | +    -   +       +     +    -     hns hns   +    +     -     +    -
ib_send_bw -cUD -x0 -Q1 -s 8  | +    +   +       +     +    -     +   -     -    +     -     -    -
ib_send_lat -c UC             | +    -   -       -     -    -     -   -     -    -     -     -    -
ib_write_bw -c XRC            | +    -   -       -     -    -     +   -     -    -     -     +    -
ib_write_lat -I 0             | +    -   +       +     +    -     hns hns   +    +     -     +    -
ib_read_bw -R                 | +    -   +       +     +    +     +   +     +    +     +     +    +
ib_atomic_bw                  | +    -   +       -     +    -     hns hns   -    +     -     +    -
ib_send_bw --use-srq          | +    -   +       -     +    -     hns hns   -    -     -     +    -
ib_write_bw --odp             | +    -   -       -     -    -     -   -     -    -     -     -    -
TABLE
}

classic_cell() { # CELL qperf TEST
    next_port
    launch server "$run_soft" "/usr/bin/$2" -lp "$port"
    await server listening server
    launch client "$run_soft" "/usr/bin/$2" -lp "$port" -t 1 -cm1 127.0.0.1 "$3"
    finish client
    if [[ $1 == + ]]; then
        expect_status client 0
        expect_output client '= '
    else
        own_words client
    fi
    kill_hard "${pids[server]}"
    finish server
}

# As over a RoCE adapter: without rdma_cm it knows only LIDs. Its READs, WRITEs and atomics have queue pairs without receives,
# which ERDMA refuses.
@test "Debian's qperf" {
    installed qperf
    each_cell classic_cell <<'TABLE'
#                        mlx5 efa bnxt_re irdma gen3 iwarp hns hip08 mana ionic cxgb4 qedr erdma
qperf rc_lat           | +    -   +       +     +    +     +   +     -    +     +     +    +
qperf rc_rdma_read_bw  | +    -   +       +     +    +     +   +     -    +     +     +    -
qperf rc_rdma_write_bw | +    -   +       +     +    +     +   +     -    +     +     +    -
qperf rc_fetch_add_mr  | +    -   +       -     +    -     +   +     -    +     -     +    -
TABLE
}
