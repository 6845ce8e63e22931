#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Multicast on InfiniBand: does a test ask the subnet administrator to join and, however it ends, to leave? The whole
# programs over a stand-in for libibumad (tests/umad); OpenSM over ibsim with sa_client, if both are installed.

load helpers

# UMAD_LOG has the method (02 to join, 15 to leave), the components (0130c7: and to make the group) and the group.
beside_the_stand_in() {
    [[ -e $PERFTEST_BUILD/tests/umad/.libs/libibumad.so.3 ]] || skip "built without libibumad's headers"
    export LD_LIBRARY_PATH=$PERFTEST_BUILD/tests/umad/.libs UMAD_LOG=$BATS_TEST_TMPDIR/umad.log
    server_args=(--force-link=IB)
}

@test "both sides join and leave, and take the group's LID, Q_Key and MTU" {
    beside_the_stand_in
    good_pair ib_send_bw --force-link=IB -g -M ff0e::77 -n 300
    expect_output server '^ local address: LID 0xc011 QPN 0xffffff'
    expect [ "$(field client 1 1) $(field server 1 1) $(field server 1 2)" = "2048 2048 300" ]
    expect [ "$(tr '\n' ,<umad.log)" = "02 0130c7 77,02 010003 77,15 010003 77,15 010003 77," ]
}

@test "a group's Q_Key may be 0" {
    beside_the_stand_in
    export UMAD_NO_QKEY=1
    good_pair ib_send_bw --force-link=IB -g -M ff0e::77 -n 300
    expect [ "$(field client 1 2) $(field server 1 2)" = "300 300" ]
}

@test "a ping-pong is in two groups, which the user's end leaves as well" {
    beside_the_stand_in
    start_server ib_send_lat --force-link=IB
    start_client ib_send_lat --force-link=IB -g --run_infinitely
    await client said client '#bytes'
    kill -INT "${pids[client]}"
    finish client
    finish server
    expect [ "$(grep -c '^02 ' umad.log) $(grep -c '^15 ' umad.log)" = "4 4" ]
    expect [ "$(cut -c11- umad.log | sort -u | tr '\n' ,)" = "00,01," ]
}

# What UMAD_LOG says: how many joined, and how many left.
members() {
    echo "$(grep -c '^02 ' umad.log) $(grep -c '^15 ' umad.log)"
}

@test "SIGTERM, the peer's death and what fails behind the join leave the groups" {
    beside_the_stand_in
    launch alone "$(program ib_send_bw)" --force-link=IB -g --connectionless
    await alone said alone '^ MGID: '
    kill -TERM "${pids[alone]}"
    finish alone
    expect_status alone 130
    expect [ "$(members)" = "1 1" ]
    rm umad.log
    start_server ib_send_bw --force-link=IB
    start_client ib_send_bw --force-link=IB -g -D 50 -s 64 --rate_limit 1000 --rate_units p
    await server said server '#bytes'
    kill_hard "${pids[client]}"
    finish client
    finish server
    expect_status server 1
    expect [ "$(members)" = "2 1" ] # the dead one is the administrator's to miss
    rm umad.log
    PERFTEST_SOFT_FAULT=modify_qp:2 run_alone ib_send_bw --force-link=IB -g --connectionless
    expect_status alone 1
    expect_error alone 'soft0 refuses ready-to-receive'
    expect [ "$(members)" = "1 1" ]
}

@test "a subnet administrator that refuses or is silent is named" {
    beside_the_stand_in
    export UMAD_STATUS=7
    run_alone ib_send_bw --force-link=IB -g --connectionless
    expect_status alone 1
    expect_error alone 'subnet administrator \(LID 0x1\) refuses to let port 1 of soft0 join .*: it is denied \(status 0x0700\)'
    UMAD_STATUS=silent
    rm umad.log # that of the one before
    launch alone "$(program ib_send_bw)" --force-link=IB -g --connectionless
    await alone test -s umad.log
    kill -INT "${pids[alone]}"
    finish alone
    expect_status alone 130
}

@test "without libibumad's library InfiniBand multicast is refused" {
    beside_the_stand_in
    mkdir none
    echo none >none/libibumad.so.3
    LD_LIBRARY_PATH=$PWD/none
    run_alone ib_send_bw --force-link=IB -g --connectionless
    expect_status alone 1
    expect_error alone 'needs libibumad.so.3, which .* cannot be loaded'
}

# Of three hosts around a switch; the first one has the subnet manager.
start_fabric() {
    local preload
    preload=$(find /usr/lib /usr/lib64 -name libumad2sim.so -print -quit 2>/dev/null)
    if [[ -z $preload ]] || ! type ibsim opensm saquery &>/dev/null; then
        skip "ibsim, opensm and saquery are not installed"
    fi
    [[ -x $PERFTEST_BUILD/sa_client ]] || skip "built without libibumad's headers"
    printf '%s\n' 'Switch 8 "S1"' '[1] "H1"[1]' '[2] "H2"[1]' '[3] "H3"[1]' '' 'Hca 2 "H1"' '[1] "S1"[1]' '' \
        'Hca 2 "H2"' '[1] "S1"[2]' '' 'Hca 2 "H3"' '[1] "S1"[3]' '' >net
    export IBSIM_SOCKNAME=perftest-$port
    mkfifo console
    launch ibsim bash -c 'exec 9<>console; exec ibsim -s net <console'
    await ibsim said ibsim 'MaxMcastCap'
    launch opensm env SIM_HOST=H1 LD_PRELOAD="$preload" opensm -f "$PWD/opensm.log" -e --console off
    at=(env LD_PRELOAD="$preload")
    await opensm said opensm 'Entering MASTER'
    await opensm answers
}

# The subnet administrator, once the subnet is up.
answers() {
    "${at[@]}" SIM_HOST=H3 timeout 5 saquery -g >groups 2>/dev/null
}

join() { # NAME HOST full|send GID
    mkfifo "$1.in"
    launch "$1" "${at[@]}" SIM_HOST="$2" bash -c "exec \"\$@\" <$1.in" - "$PERFTEST_BUILD/sa_client" ibsim0 1 "$3" "$4"
}

@test "OpenSM takes and forgets members" {
    local gid=ff0e00000000000000000000000000aa
    start_fabric
    join receiver H2 full $gid
    exec 7>receiver.in
    await receiver said receiver '^joined LID 0xc[0-9a-f]{3} Q_Key 0x11111111 MTU (2048|4096)'
    join sender H3 send $gid
    exec 8>sender.in
    await sender said sender '^joined LID'
    expect [ "$(awk '{ print $3 }' receiver.out)" = "$(awk '{ print $3 }' sender.out)" ]
    expect answers
    expect grep -q 'ff0e::aa' groups
    exec 7>&- 8>&-
    finish receiver
    finish sender
    expect_output receiver '^left'
    expect_output sender '^left'
    # the last member that receives takes the group along
    expect answers
    expect [ "$(grep -c 'ff0e::aa' groups)" = 0 ]
    # a group that has no receiver is none to send to
    join lonely H3 send $gid
    exec 7>lonely.in
    finish lonely
    exec 7>&-
    expect_status lonely 1
    expect_error lonely 'refuses to let port 1 of ibsim0 .*there is no such group'
}
