#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Does a run report what it chose by itself, and a failed one the reason, on both sides?

load helpers
load in_front

# of a run on soft0
path='from GID 1 ::ffff:192\.0\.2\.1 \(RoCE v2\) to GID 1 ::ffff:192\.0\.2\.1 \(RoCE v2\), QP 0x[0-9a-f]+, MTU 4096'

# --- --verbose ---

@test "--verbose shows the GID table and the taken entry on stderr, once a run" {
    good_pair ib_write_bw -n 50 --verbose
    expect grep -qE 'GID table of soft0 port 1, 2 entries in use' client.err
    expect grep -qE '^ib_write_bw:       0 RoCE v2 .* fe80::[^ ]*:$' client.err
    expect grep -qE '^    link-local, of the other address family$' client.err
    expect [ "$(sed -n '/GID table/,/GID: index/ { /GID: index/d; p }' client.err | awk 'length > 80' | wc -l)" = 0 ]
    expect grep -qE '^ib_write_bw: \*     1 RoCE v2 .* ::ffff:192\.0\.2\.1' client.err
    expect [ "$(grep -c 'GID table' client.err)" = 1 ]
    expect [ "$(grep -c . server.err)" = 0 ]
}

# Of the frames alone that interface is the way.
@test "with PERFTEST_SOFT=if= nobody takes the figures for those of that interface" {
    under=(env PERFTEST_SOFT=if=lo)
    server_args=(-d soft0)
    good_pair ib_write_bw -d soft0 -n 50 --verbose
    expect grep -q "^ib_write_bw: GIDs of soft0: its own, not those of lo, through which only raw Ethernet frames go$" client.err
    expect_output client "^ Software device : soft0 is built in: the figures are those of this host's memory system, not of lo$"
    run_alone ib_write_bw --doctor -d soft0
    expect_output alone "^ +this host's memory system, not of lo$"
}

@test "--verbose names each choice of a bandwidth run" {
    good_pair ib_write_bw -n 50 -d soft0 --verbose -s 64 --disable_numa -q 3 -I 32
    expect grep -q '^ib_write_bw: device: soft0, as --ib-dev says$' client.err
    expect grep -q '^ib_write_bw: CPUs and memory: left to the kernel, because --disable_numa says so$' client.err
    expect grep -qE '^ib_write_bw: side channel: Ethernet, with [^ ]+:[0-9]+$' client.err
    expect grep -qE "^ib_write_bw: path: $path, 7 retries" client.err
    expect grep -q '^ib_write_bw: MTU: 4096 bytes, the active one of the port$' client.err
    expect grep -q '^ib_write_bw: posting: ibv_post_send(), the shorter path on the software device$' client.err
    expect grep -q '^ib_write_bw: inline data: up to 32 bytes, 32 were asked for$' client.err
    expect grep -qE '^ib_write_bw: queue pairs: 3, each of 50 sends \(50 asked for\) and [0-9]+ receives \(0 asked for\)$' client.err
    expect grep -q '^ib_write_bw: completion queue: of 150 entries for the sends, polled$' client.err
    expect grep -q '^ib_write_bw: memory: host, 1 region of 12288 bytes, by address, relaxed ordering$' client.err
    expect grep -qE '^ib_write_bw: clock: ' client.err
}

@test "--verbose on a server that keeps its own MTU, and a client with events" {
    server_args=(--verbose -m 1024)
    good_pair ib_read_lat -n 50 -e --use_old_post_send --verbose -o 3 --mr_per_qp
    expect grep -q '^ib_read_lat: MTU: 1024 bytes, as --mtu says$' server.err
    expect grep -q "^ib_read_lat: MTU: 1024 bytes, the peer's; this side could do 4096$" client.err
    expect grep -q '^ib_read_lat: posting: ibv_post_send(), as --use_old_post_send says$' client.err
    expect grep -q '^ib_read_lat: completion queue: .* by completion events$' client.err
    expect grep -qE '^ib_read_lat: outstanding reads: 3; this device can begin [0-9]+ and answer 3, the peer can answer 3$' client.err
}

@test "the JSON document has the GID and its type" {
    good_pair ib_write_bw -n 50 --out_json_file run.json
    expect [ "$(query run.json '.device.gid')" = ::ffff:192.0.2.1 ]
    expect [ "$(query run.json '.device.gid_type')" = "RoCE v2" ]
    expect_schema run.json
}

@test "--verbose says that -x took the GID" {
    server_args=(-x 0)
    good_pair ib_write_bw -n 50 --verbose -x 0
    expect grep -qE 'GID: index 0 fe80::[^ ]*, as --gid-index says' client.err
}

@test "--verbose leaves stdout as it is" {
    good_pair ib_write_bw -n 50 -s 8 --output_format csv
    mv client.out plain.out
    good_pair ib_write_bw -n 50 -s 8 --output_format csv --verbose
    expect [ "$(wc -l <client.out)" = "$(wc -l <plain.out)" ]
    expect [ "$(head -n 1 client.out)" = "$(head -n 1 plain.out)" ]
}

@test "a GID that does not exist, with --verbose: the table stands below the error" {
    run_alone ib_write_bw -p "$port" -x 16 --verbose
    expect_status alone 1
    expect_error alone "soft0 port 1 has 16 GIDs: --gid-index 16 does not exist"
    expect grep -q 'GID table of soft0' alone.err
    run_alone ib_write_bw -p "$port" -x 2 --verbose
    expect_status alone 1
    expect_error alone "soft0 port 1: GID 2 is empty; choose another --gid-index"
}

# --- GIDs ---

@test "GIDs of different families: both sides refuse and name both" {
    server_args=(-x 1)
    run_pair ib_write_bw -n 50 -x 0
    expect_status client 1
    expect_status server 1
    expect_error client 'GID 0 fe80::[^ ]* \(RoCE v2\) here and GID 1 ::ffff:192\.0\.2\.1 \(RoCE v2\) on the peer .*families'
    expect_error server 'GID 1 ::ffff:192\.0\.2\.1 \(RoCE v2\) here and GID 0 fe80::[^ ]* \(RoCE v2\) on the peer .*families'
}

# --- what the device refuses: named on that side, and the other one is told ---

refused() { # SIDE CALL:N PATTERN PROGRAM [OPTIONS]
    local side=$1 fault=$2 pattern=$3 other=client role=server
    shift 3
    [[ $side == client ]] && other=server role=client
    [[ $side == client ]] || under=(env PERFTEST_SOFT_FAULT="$fault")
    start_server "$1"
    under=()
    [[ $side == server ]] || under=(env PERFTEST_SOFT_FAULT="$fault")
    start_client "$@"
    finish client
    finish server
    expect_status client 1
    expect_status server 1
    expect_error "$side" "error: $pattern"
    expect_error "$other" "error: the $role .*ended the test: $pattern"
}

@test "ready-to-receive refused: the path and its attributes" {
    refused client modify_qp:2 "soft0 refuses ready-to-receive \(RTR\) of QP 0x[0-9a-f]+: Input/output error; $path, 7 retries after 67.1 ms each \(-u 14\), port 1, SL 3, traffic class 0, P_Key index 0" ib_write_bw -n 50 -S 3
}

@test "ready-to-send refused on the server" {
    refused server modify_qp:3 "soft0 refuses ready-to-send \(RTS\) of QP 0x[0-9a-f]+: .*$path" ib_read_bw -n 50
}

@test "an address handle refused" {
    refused client create_ah:1 "soft0 refuses an address handle for the peer of QP 0x[0-9a-f]+: .*$path" ib_send_bw -c UD -n 50 -s 1024
}

@test "registration refused; the software device locks no memory, so no limit is to blame" {
    refused client reg_mr:1 'soft0 refuses to register 65536 bytes of host memory: Cannot allocate memory; lower -s or -q$' ib_write_bw -n 50
}

@test "a completion queue refused on the server" {
    refused server create_cq:1 'cannot create a CQ of [0-9]+ entries on soft0: Cannot allocate memory' ib_write_bw -n 50
}

@test "a post refused in the middle" {
    refused client post_send:7 'soft0 refused a request after [0-9]+ messages: Input/output error' ib_write_bw -n 50
}

@test "a receiver that stands still: no completion, and the path" {
    start_server ib_send_bw --timeout 30
    start_client ib_send_bw -D 60 --timeout 2 --report_interval 0.1
    await client measuring client
    kill -STOP "${pids[server]}"
    finish client
    kill -CONT "${pids[server]}"
    finish server
    expect_status client 1
    expect_error client "no completion came for 2 s after [0-9]+ messages: packets are lost .*the peer is not running.*; $path"
    expect_error server "the client .*ended the test: no completion came"
}

@test "a peer that is killed gave no reason" {
    start_server ib_send_bw
    start_client ib_send_bw -D 60
    await client said client '^ #bytes'
    kill_hard "${pids[server]}"
    finish client
    finish server
    expect_status client 1
    expect grep -qE 'error: (the server .*gave no reason: it may have been killed or have crashed|transport retry counter exceeded|work request flushed)' client.err
    good_pair ib_send_bw -n 10 # tidies what the dead one left
}

# --- completions with an error ---

# The cause and what to do come first, the details on a line of their own.
@test "each status has its words and causes, and the other side reports them" {
    # shellcheck disable=SC2034 # read by refused
    local after='after [0-9]+ messages' on='; status [0-9]+, vendor error 0x0, an RDMA write on QP 0x[0-9a-f]+, 1 of 1'
    refused client wc_4:3 "local protection error $after: the buffer does not match [^;]*$on; $path" ib_write_bw -n 50
    refused client wc_10:3 "remote access error $after: the peer's memory region does not allow it.*$on; $path" ib_write_bw -n 50
    refused client wc_12:3 "transport retry counter exceeded $after: no acknowledgement arrived: .*UDP port 4791.*$on; $path" ib_write_bw -n 50
    refused client wc_13:3 "RNR retry counter exceeded $after: the peer did not post a receive in time.*$on; $path" ib_write_bw -n 50
    refused client wc_19:3 "fatal error $after: the device or its driver failed; see dmesg$on" ib_write_bw -n 50
    expect grep -qE '^    status 19, vendor error' client.err
}

@test "what the device reported during the test is the message, the completion its details" {
    refused client port_err:2,wc_12:3 "port 1 of soft0 went down during the test: check its cable.*; transport retry counter exceeded after [0-9]+ messages; status 12, .*$path.*; the device reported: port error" ib_write_bw -n 50
    refused client port_err:1,port_active:2,wc_12:3 "port 1 of soft0 went down during the test and came up again: " ib_write_bw -n 50
    refused client device_fatal:2,wc_5:3 "soft0 failed during the test \(device fatal error\): see dmesg.*; work request flushed" ib_write_bw -n 50
}

@test "a link that went down and up again while all messages arrived is a warning" {
    start_server ib_write_bw
    PERFTEST_SOFT_FAULT=port_err:1,port_active:2 start_client ib_write_bw -n 50 -Q 1 --out_json
    finish client
    finish server
    expect_status client 0
    expect_status server 0
    expect grep -qE 'warning: port 1 of soft0 went down during the test and came up again' client.err
    expect [ "$(query perftest_out.json '.warnings | length')" = 1 ]
}

@test "a message that is too long for its receive" {
    refused server wc_1:3 "local length error after 2 messages: .*same -s; status 1, vendor error 0x0, a receive on QP 0x[0-9a-f]+, 1 of 1; $path" ib_send_bw -n 50
}

@test "an error in a ping-pong" {
    refused client wc_10:2 "remote access error .* an RDMA write on QP" ib_write_lat -n 50
}

@test "a flush is not the first error: the first one is reported" {
    refused client wc_5:1,wc_10:2 "remote access error .*: the peer's memory region" ib_write_bw -n 50
}

# --- a device that programs do not get at ---

fake_sysfs() { # a host whose kernel has mlx9_0
    mkdir -p sys/class/infiniband/mlx9_0
    export PERFTEST_SYSFS=$PWD/sys
}

@test "the kernel has the device, ib_uverbs is not loaded" {
    fake_sysfs
    run_alone ib_write_bw -p "$port" -d mlx9_0
    expect_status alone 1
    expect_error alone "the kernel has the RDMA device mlx9_0, but .*modprobe ib_uverbs"
}

@test "the kernel has the device, its device file is missing" {
    fake_sysfs
    mkdir -p sys/class/infiniband_verbs/uverbs93
    echo mlx9_0 >sys/class/infiniband_verbs/uverbs93/ibdev
    echo 231:285 >sys/class/infiniband_verbs/uverbs93/dev
    run_alone ib_write_bw -p "$port" -d mlx9_0
    expect_status alone 1
    expect_error alone "its device file /dev/infiniband/uverbs93 is missing: .*--device=/dev/infiniband/uverbs93.* 231:285"
}

@test "the software device in place of one that can't be used: a warning says why" {
    [[ -z $(ls /sys/class/infiniband 2>/dev/null) ]] || skip "this host has RDMA devices"
    ! is_sanitized || skip "the software device is linked in"
    fake_sysfs
    good_pair ib_write_bw -n 50 --out_json_file run.json
    expect grep -q 'warning: the kernel has the RDMA device mlx9_0, but .*modprobe ib_uverbs.*The software device is used' client.err
    expect [ "$(query run.json '.warnings | length')" = 1 ]
    expect_output client 'soft0 is built in'
}

@test "without such a device nobody warns" {
    fake_sysfs
    rmdir sys/class/infiniband/mlx9_0
    good_pair ib_write_bw -n 50
    expect [ "$(grep -c . client.err)" = 0 ]
}

@test "a device that makes no queue pairs of a transport is named with those that it makes" {
    in_front_build as_lacking
    in_front_of as_lacking
    under=("${in_front[@]}")
    run_alone ib_write_bw -c UC 127.0.0.1
    expect_status alone 1
    expect_error alone 'error: soft0 does not support UC, only RC and UD$'
    export LACKS=UD
    run_alone ib_send_lat -c UD 127.0.0.1
    expect_error alone 'error: soft0 does not support UD, only RC$'
    good_pair ib_send_bw -n 100
    export LACKS=errno
    run_pair ib_write_bw
    expect_status client 1
    expect_error client 'error: cannot create RC QP on soft0 .*: Input/output error$'
}

@test "a provider that ignores the request for ibv_wr_*() gets ibv_post_send()" {
    in_front_build as_plain
    in_front_of as_plain
    under=("${in_front[@]}" AS_VENDOR=02c9:1019)
    good_pair ib_write_bw -n 100 --verbose
    expect grep -q 'posting: ibv_post_send(), the device has no ibv_wr_\* for this operation$' client.err
    good_pair ib_send_lat -n 100
    run_pair ib_write_bw -n 100 --use_wr_api
    expect_status client 1
    expect_error client 'cannot create RC QP on soft0 for ibv_wr_\*\(\) .*; omit --use_wr_api$'
}

# VENDOR:PART OPTIONS...
posts() {
    under=("${in_front[@]}" "AS_VENDOR=$1")
    good_pair ib_write_bw -n 100 --verbose "${@:2}"
}

@test "adapters are posted to through the interface that is right for them" {
    local id
    in_front_build as_vendor
    in_front_of as_vendor
    for id in 02c9:1019 19e5:a222; do
        posts "$id"
        expect_output client 'ibv_wr\* API +: ON'
        expect grep -q 'posting: ibv_wr_\* calls, the shorter path into its library$' client.err
    done
    posts 14e4:1760
    expect_output client 'ibv_wr\* API +: OFF'
    expect grep -q 'posting: ibv_post_send(), its provider library writes wrong requests with them$' client.err
    posts 14e4:1760 --use_wr_api
    expect_output client 'ibv_wr\* API +: ON'
    expect grep -q 'posting: ibv_wr_\* calls, as --use_wr_api says$' client.err
    expect grep -q 'warning: soft0: its provider library writes wrong requests with them: omit --use_wr_api$' client.err
    posts 1dd8:1002
    expect_output client 'ibv_wr\* API +: OFF'
    posts 02c9:1019 --use_old_post_send
    expect_output client 'ibv_wr\* API +: OFF'
}

@test "Ctrl-C ends the creation of many queue pairs" {
    in_front_build as_slow
    in_front_of as_slow
    start_server ib_write_bw -q 3000 -n 100
    under=("${in_front[@]}" "SLOW_CALLS=$PWD/calls")
    start_client ib_write_bw -q 3000 -n 100
    await client test -s calls
    kill -INT "${pids[client]}"
    finish client
    finish server
    expect_status client 130
    expect [ "$(wc -c <calls)" -lt 1000 ]
    expect_error server 'stopped by its user'
}

@test "the service level of SRD is its queue pairs', where the library has one" {
    in_front_build as_efa -Wl,-soname,EFA_1.1,--default-symver # the symbol's version, by which it is looked up
    in_front_of as_efa
    under=("${in_front[@]}")
    good_pair ib_send_bw -c SRD --sl 8 -n 100
    expect grep -q '^a queue pair with flags 0x0, service level 8$' client.err
    expect grep -q '^a queue pair with flags 0x0, service level 8$' server.err
    under=(env LACKS=both "${in_front[@]}")
    good_pair ib_send_bw -c SRD -n 100
    run_pair ib_send_bw -c SRD --sl 8 -n 100
    expect_status client 1
    expect_error client 'cannot create SRD QP on soft0 .*Invalid argument; its driver or libefa may know no service levels: omit --sl$'
}

@test "SRD has as many receives as its receive queue, not its send queue" {
    in_front_build as_efa -Wl,-soname,EFA_1.1,--default-symver
    in_front_of as_efa
    under=(env RECEIVES=100 "${in_front[@]}")
    run_pair ib_send_bw -c SRD -r 102 -n 200
    expect_status client 1
    expect_error client '--rx-depth 102 is too large for soft0: at most 100$'
    good_pair ib_send_bw -c SRD -r 100 -n 200
    good_pair ib_send_bw -c SRD -n 200
}

@test "writes over SRD are inline where that is asked for, and the library can do it" {
    in_front_build as_efa -Wl,-soname,EFA_1.1,--default-symver
    in_front_of as_efa
    under=("${in_front[@]}")
    good_pair ib_write_lat -c SRD -s 16 -n 100
    expect test -z "$(grep 'flags 0x2' client.err)"
    good_pair ib_write_lat -c SRD -s 16 -I 24 -n 100
    expect grep -q '^a queue pair with flags 0x2, service level 0$' client.err
    expect test -z "$(grep warning client.err)"
    under=(env LACKS=both "${in_front[@]}")
    good_pair ib_write_lat -c SRD -s 16 -I 24 -n 100
    expect grep -q 'warning: soft0 sends at most 0 bytes inline, not the 24 of --inline_size' client.err
}

@test "over SRD the target of RDMA has an address handle of its initiator, too, which EFA demands" {
    in_front_build as_handles
    in_front_of as_handles
    under=("${in_front[@]}")
    good_pair ib_write_bw -c SRD -q 2 -n 100
    expect [ "$(grep -c '^an address handle$' server.err)" = 2 ]
    good_pair ib_read_lat -c SRD -n 100
    expect [ "$(grep -c '^an address handle$' server.err)" = 1 ]
    good_pair ib_send_bw -c UD -n 100
    expect [ "$(grep -c '^an address handle$' server.err)" = 0 ]
}

@test "a shared receive queue has room for a receive of each DC target, and no locks with --no_lock" {
    in_front_build as_shared
    in_front_of as_shared
    under=("${in_front[@]}")
    good_pair ib_write_bw -c DC -q 5 -n 100
    expect grep -q '^a shared receive queue of 5 in the protection domain$' server.err
    good_pair ib_send_bw --use-srq -n 100
    expect grep -q '^a shared receive queue of 100 in the protection domain$' server.err
    server_args=(--no_lock)
    good_pair ib_send_bw --use-srq -n 100 --no_lock
    expect grep -q '^a shared receive queue of 100 in a parent domain$' server.err
    good_pair ib_send_bw -c XRC -n 100 --no_lock
    expect grep -q '^a shared receive queue of 100 in a parent domain$' server.err
}

# VENDOR:PART BYTES PROGRAM [OPTIONS]
inline_by_default() {
    under=("${in_front[@]}" "AS_VENDOR=$1")
    good_pair "${@:3}" -n 100 --verbose
    expect grep -q "inline data: up to $2 bytes, " client.err
}

@test "inline data by default is what the adapter's short work queue entries hold" {
    in_front_build as_vendor
    in_front_of as_vendor
    inline_by_default 02c9:1019 236 ib_send_lat
    inline_by_default 19e5:a222 32 ib_send_lat
    inline_by_default 14e4:1760 96 ib_write_lat
    inline_by_default 1d0f:efa1 32 ib_send_lat -c UD
    # accepts any size, and then sends from memory
    inline_by_default 1414:2 0 ib_send_lat
    expect_output client '^ Max inline data : 0\[B\]$'
    inline_by_default 1414:2 0 ib_write_lat -I 64
    expect grep -q 'warning: soft0 sends at most 0 bytes inline, not the 64 of --inline_size' client.err
}

@test "READs in flight are what the queue pair keeps" {
    in_front_build as_fewer_outs
    in_front_of as_fewer_outs
    under=("${in_front[@]}" AS_VENDOR=1dd8:1002)
    good_pair ib_read_bw -n 100 -o 8
    expect_output client '^ Outstand reads  : 7$'
    expect grep -q 'warning: soft0 keeps 7 READs or atomics in flight, not the 8 of --outs' client.err
    good_pair ib_read_bw -n 100
    expect test -z "$(grep 'in flight' client.err)"
}

# Azure: the function that sends frames alone comes first, and before Linux 6.16 the device does not say whose it is.
@test "a port without GIDs is not chosen, and the vendor of a device that does not say it is its PCI function's" {
    local class=sys/class/infiniband
    in_front_build as_vendor
    in_front_of as_vendor
    mkdir -p $class/soft0/ports/1/gids $class/soft1/device
    echo 0x1414 >$class/soft1/device/vendor
    under=("${in_front[@]}" AS_VENDOR=0:3 "PERFTEST_SYSFS=$PWD/sys")
    good_pair ib_read_bw -n 100
    expect_output client 'Device +: soft1$'
    run_pair ib_read_bw -t 200
    expect_status client 1
    expect_error client '--tx-depth 200 is too large for soft1: at most 128'
    good_pair ib_read_bw -n 100 -d soft0
    touch $class/soft0/ports/1/gids/0
    good_pair ib_read_bw -n 100
    expect_output client 'Device +: soft0$'
}

# As of an adapter with two functions and one cable.
@test "without -d the first device whose port is up is chosen" {
    mkdir -p sys/class/infiniband/soft{0,1}/ports/1
    echo "1: DOWN" >sys/class/infiniband/soft0/ports/1/state
    echo "4: ACTIVE" >sys/class/infiniband/soft1/ports/1/state
    under=(env "PERFTEST_SYSFS=$PWD/sys")
    good_pair ib_read_bw -n 100
    expect_output client 'Device +: soft1$'
    echo "1: DOWN" >sys/class/infiniband/soft1/ports/1/state
    good_pair ib_read_bw -n 100
    expect_output client 'Device +: soft0$'
}

# VENDOR:PART ORDER BYTES: the warning's; "" none
polls_in_order() {
    under=("${in_front[@]}" "AS_VENDOR=$1" "ORDER=$2")
    good_pair ib_write_lat '--sizes=64:4K:*64' -n 20 "${@:4}"
    if [[ $3 ]]; then
        expect grep -q "warning: soft0 may write the last byte of a message before others .* above $3 bytes the times may be too short; --write_with_imm" client.err
    else
        expect test -z "$(grep 'last byte' client.err)"
    fi
}

@test "ib_write_lat says where the last byte need not come last" {
    in_front_build as_ordered
    in_front_of as_ordered
    polls_in_order 02c9:1019 0 64
    server_args=(-R -d soft0)
    polls_in_order 02c9:1019 0 64 -R -d soft0
    server_args=()
    polls_in_order 02c9:1019 3 ""
    polls_in_order 1d0f:efa1 2 128 -c SRD
    polls_in_order 14e4:1760 0 "" # that is the library's answer for all that do not know
    polls_in_order 02c9:1019 0 "" --write_with_imm
    export TARGET=1
    polls_in_order 02c9:1019 3 "" -c DC
    polls_in_order 02c9:1019 0 64 -c DC
    unset TARGET
    under=("${in_front[@]}" AS_VENDOR=02c9:1019 ORDER=0)
    good_pair ib_write_lat -s 64 -n 50
    expect test -z "$(grep 'last byte' client.err)"
}

paces() { # TYPE NUMBER KBPS PROGRAM OPTION...
    rm -f paces
    under=("${in_front[@]}" "PACED=$((1 << $1))")
    good_pair "${@:4}" -n 100 --rate_limit 10 --rate_limit_type=PP
    expect [ "$(sort paces | uniq -c | xargs)" = "$2 $3" ]
}

@test "the device paces the queue pairs of the types that it reports" {
    in_front_build as_paced
    in_front_of as_paced
    paces 2 1 10000000 ib_write_bw
    paces 2 4 5000000 ib_send_bw -b -q 2
    paces 4 1 10000000 ib_send_bw -c UD
    server_args=(-R -d soft0)
    paces 2 1 10000000 ib_write_bw -R -d soft0
    server_args=()
    under=("${in_front[@]}" PACED=16)
    run_alone ib_write_bw --rate_limit 10 --rate_limit_type=PP 127.0.0.1
    expect_status alone 1
    expect_error alone 'soft0 has no packet pacing for RC queue pairs; use --rate_limit_type=SW'
    run_alone ib_read_bw --rate_limit 10 --rate_limit_type=PP 127.0.0.1
    expect_status alone 2
}
