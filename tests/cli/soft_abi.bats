#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Do programs that do not know the software device run on it? run_soft itself, the tools of rdma-core, and the
# benchmarks of Debian's perftest, both sides, as installed by their packages. Tagged long: the benchmarks that
# layouts.bats runs with both sides theirs, or classic.bats with one; and options of pingpongs that other tests here
# cover, too.
# bats file_tags=slow

load helpers
load foreign
load veth

# Both ends of an installed program over soft0, with the same options on both; both must be content.
foreign_pair() { # PROGRAM [OPTIONS]
    installed "$1"
    local path=/usr/bin/$1
    shift
    under=("$run_soft")
    server_args=("$@")
    good_pair "$path" "$@"
}

# Ping-pongs take a time slice for each exchange where others have the CPUs: few of them, of which receives are posted again for most.
pingpong() { # PROGRAM [OPTIONS]
    foreign_pair "$1" -d soft0 -g 0 -n 200 -r 50 "${@:2}"
    expect_output client ' bytes in .* seconds = .* Mbit/sec'
}

# The client's table has $rows_expected rows, one unless said otherwise.
foreign_benchmark() { # PROGRAM [OPTIONS]
    foreign_pair "$@"
    expect_rows client "${rows_expected:-1}"
}

benchmark() { # PROGRAM [OPTIONS]
    foreign_benchmark "$1" -d soft0 -F "${@:2}"
}

# --- run_soft ---

@test "run_soft: without a command says how to call it" {
    run "$run_soft"
    [ "$status" -eq 125 ]
    [[ $output == usage:* ]]
}

@test "run_soft: help goes to stdout, status 0" {
    run "$run_soft" --help
    [ "$status" -eq 0 ]
    [[ $output == usage:* ]]
}

@test "run_soft --list: what a program imports that is refused" {
    installed ibv_devinfo
    cat >raw.c <<'PROGRAM'
#include <infiniband/verbs.h>
int main(void)
{
	ibv_alloc_pd(NULL);
	return ibv_reg_dmabuf_mr(NULL, 0, 0, 0, 0, 0) != NULL;
}
PROGRAM
    gcc -o raw raw.c -libverbs
    status=0
    run_soft --list ./raw >said || status=$?
    [ "$status" -eq 1 ]
    [ "$(cat said)" = "$(printf 'ibv_reg_dmabuf_mr\t%s\trefused (EOPNOTSUPP)' "$PWD/raw")" ]
    # nothing (that of rdma-core 65 asks for completion counters), a program that has none of it, and what there is no
    # looking into
    run bash -c "'$run_soft' --list ibv_devinfo | grep -v ^_ibv_query_comp_cntr_caps"
    [ -z "$output" ]
    run "$run_soft" --list "$run_soft"
    [ "$status" -eq 125 ]
    [[ $output == *"a script"* ]]
    run "$run_soft" --list ./nobody
    [ "$status" -eq 125 ]
    run "$run_soft" --list
    [ "$status" -eq 125 ]
}

@test "run_soft --list: a verb that is newer than the device" {
    cat >newer.c <<'LIBRARY'
void ibv_of_tomorrow(void);
void ibv_of_tomorrow(void) { }
int ibv_dealloc_dmah(void *handle);
int ibv_dealloc_dmah(void *handle) { return !handle; }
LIBRARY
    cat >uses.c <<'PROGRAM'
void ibv_of_tomorrow(void);
int ibv_dealloc_dmah(void *handle);
int main(void) { ibv_of_tomorrow(); return ibv_dealloc_dmah(main); }
PROGRAM
    gcc -shared -fPIC -o libnewer.so newer.c
    gcc -o uses uses.c -L. -lnewer -Wl,-rpath,"$PWD"
    status=0
    run_soft --list ./uses >said || status=$?
    [ "$status" -eq 1 ]
    grep -q "^ibv_of_tomorrow	$PWD/uses	not known" said
    # of an object that only ibv_alloc_dmah() makes, which is refused
    expect [ "$(wc -l <said)" = 1 ]
}

@test "run_soft: a library that is not there is said" {
    PERFTEST_SOFT_LIB=/nonexistent/lib.so run "$run_soft" true
    [ "$status" -eq 125 ]
    [[ $output == *"/nonexistent/lib.so"* ]]
}

@test "run_soft: the command's status and arguments arrive" {
    # shellcheck disable=SC2016 # the inner shell expands it
    run "$run_soft" bash -c 'echo "$#:$2"; exit 7' name 'a b' 'c  d'
    [ "$status" -eq 7 ]
    [ "$output" = "2:c  d" ]
}

@test "run_soft: a command that does not exist ends in 127" {
    run_alone "$run_soft" "$BATS_TEST_TMPDIR/no-such-command"
    expect_status alone 127
    expect [ "$(cat alone.err)" = "run_soft: $BATS_TEST_TMPDIR/no-such-command: no such program" ]
}

@test "run_soft: keeps what was preloaded, and within itself adds nothing" {
    # shellcheck disable=SC2016 # the inner shell expands it
    LD_PRELOAD=libc.so.6 run "$run_soft" "$run_soft" bash -c 'echo "$LD_PRELOAD"'
    [ "$status" -eq 0 ]
    [[ $output == *"$PERFTEST_SOFT_LIB:libc.so.6" ]]
    [ "$(grep -o libperftest_soft.so <<<"$output" | wc -l)" -eq 1 ]
}

# --- what can't have the device, and what takes care ---

@test "run_soft: a static command is reported" {
    printf 'int main(void) { return 3; }\n' >static.c
    gcc -static -o static static.c 2>/dev/null || skip "no static C library"
    run_alone "$run_soft" ./static
    expect_status alone 3
    grep -q 'static is linked statically' alone.err
    run_alone "$run_soft" true
    [ -z "$error" ]
}

@test "run_soft: a command built for musl is reported" {
    printf 'int main(void) { return 0; }\n' >other.c
    gcc -Wl,--dynamic-linker=/lib/ld-musl-x86_64.so.1 -o other other.c
    run_alone "$run_soft" ./other
    grep -q 'other is built for musl' alone.err
}

@test "run_soft: a set-uid command is reported" {
    ((EUID == 0)) || skip "takes root, for a file of another user's"
    cp /bin/true other
    chown 12345 other
    chmod u+s other
    run_alone "$run_soft" ./other
    grep -q 'set-uid' alone.err
}

@test "run_soft: a library in a folder with a blank, for itself and for the programs" {
    mkdir 'a b'
    cp "$PERFTEST_SOFT_LIB" 'a b/'
    installed ibv_devices
    under=(env "PERFTEST_SOFT_LIB=$PWD/a b/libperftest_soft.so")
    run "${under[@]}" "$run_soft" ibv_devices
    [[ $output == *soft0* ]]
    good_pair ib_write_bw -n 100
    expect_rows client 1
}

@test "run_soft: programs that open libibverbs by themselves find the device" {
    cat >open.py <<'OPEN'
import ctypes, sys

library = ctypes.CDLL(sys.argv[1])
library.ibv_get_device_list.restype = ctypes.POINTER(ctypes.c_void_p)
library.ibv_get_device_name.restype = ctypes.c_char_p
library.ibv_wc_status_str.restype = ctypes.c_char_p
count = ctypes.c_int()
devices = library.ibv_get_device_list(ctypes.byref(count))
print([library.ibv_get_device_name(ctypes.c_void_p(devices[i])) for i in range(count.value)])
print(library.ibv_wc_status_str(0)) # one that only libibverbs has
OPEN
    for name in libibverbs.so.1 libibverbs.so; do
        run_alone "$run_soft" python3 open.py "$name"
        expect_status alone 0
        expect_output alone "b'soft0', b'soft1'"
        expect_output alone "b'success'"
    done
}

# --- symbols ---

# Every public function of libibverbs is in the map, but for those that take no object.
@test "symbols: no verb of libibverbs that takes an object is left out" {
    local real without_object
    real=$(ldconfig -p | awk '/libibverbs\.so\.1 / { print $NF; exit }')
    without_object='ibv_copy_|ibv_rate_to_|mult_to_ibv_rate|mbps_to_ibv_rate|ibv_.*_str@|ibv_read_sysfs_file|ibv_get_sysfs_path'
    without_object+='|ibv_dofork_range|ibv_dontfork_range|ibv_fork_init|ibv_is_fork_initialized'
    without_object+='|ibv_.*(_dmah|_comp_cntr)@' # objects that soft0 never makes
    nm -D --with-symbol-versions --defined-only "$real" | awk '$3 ~ /@@IBVERBS_[0-9]/ { print $3 }' |
        grep -vE "^($without_object)" | sort >theirs
    nm -D --with-symbol-versions --defined-only "$PERFTEST_SOFT_LIB" | awk '{ print $3 }' | sort >ours
    [ -s theirs ]
    run comm -23 theirs ours
    [ -z "$output" ]
}

@test "symbols: only verbs, providers' own, the marker, the makers of threads, dlopen() and what looks for device files are visible" {
    run bash -c "nm -D --with-symbol-versions --defined-only '$PERFTEST_SOFT_LIB' | awk '\$2 != \"A\" { print \$3 }' |
        grep -vE '^_?ibv_[a-z0-9_]+@@IBVERBS_1[.][0-9]+$|^(efa|_?mlx5)dv_[a-z0-9_]+@@(EFA|MLX5)_1[.][0-9]+$|^__odr_asan'"
    local calls="__fxstat __fxstat64 __xstat __xstat64 access close dlopen fstat fstat64 ibv_query_gid_type open open64"
    calls+=" perftest_soft_folder perftest_soft_version pthread_create stat stat64 thrd_create write"
    [ "$(LC_ALL=C sort <<<"$output" | tr '\n' ' ')" = "$calls " ]
}

@test "symbols: the library stays where its threads and signal handlers are" {
    ! nm -D "$PERFTEST_SOFT_LIB" | grep -q __asan_init || skip "the sanitizer comes first in its programs"
    run python3 - "$PERFTEST_SOFT_LIB" <<'UNLOAD'
import _ctypes, ctypes, sys

_ctypes.dlclose(ctypes.CDLL(sys.argv[1])._handle)
sys.exit(sys.argv[1].rsplit("/", 1)[1] not in open("/proc/self/maps").read())
UNLOAD
    [ "$status" -eq 0 ]
}

@test "symbols: libibverbs is not a dependency of the library" {
    run readelf -d "$PERFTEST_SOFT_LIB"
    [ "$status" -eq 0 ]
    [[ $output != *ibverbs* ]]
}

# UCX and Open MPI put functions of theirs in the place of these, and their mremap() drops an argument. Few runs show it: pages move
# so only behind a fork.
@test "symbols: what others patch in the C library is not called" {
    run bash -c "nm -D '$PERFTEST_SOFT_LIB' | grep -wE 'brk|madvise|mmap|mmap64|mremap|munmap|sbrk|shmat|shmdt'"
    [ -z "$output" ]
}

@test "symbols: a program that binds everything at its start runs" {
    installed ibv_devinfo
    LD_BIND_NOW=1 run "$run_soft" ibv_devinfo -d soft1
    [ "$status" -eq 0 ]
    [[ $output == *soft1* ]]
}

# --- rdma-core's tools ---

@test "ibv_devices: soft0 and soft1 come last, with their GUIDs" {
    installed ibv_devices
    run "$run_soft" ibv_devices
    [ "$status" -eq 0 ]
    [[ ${lines[-2]} =~ soft0[[:space:]]+005046fffe540000 ]]
    [[ ${lines[-1]} =~ soft1[[:space:]]+005046fffe540001 ]]
}

@test "ibv_devinfo: an active Ethernet port" {
    installed ibv_devinfo
    run "$run_soft" ibv_devinfo -d soft1
    [ "$status" -eq 0 ]
    [[ $output == *"hca_id:"*soft1* ]]
    [[ $output != *soft0* ]]
    [[ $output == *PORT_ACTIVE* ]]
    [[ $output =~ active_mtu:[[:space:]]+4096 ]]
    [[ $output =~ link_layer:[[:space:]]+Ethernet ]]
    [[ $output == *perftest-soft* ]]
}

@test "ibv_devinfo -v: limits and the GID table" {
    installed ibv_devinfo
    run "$run_soft" ibv_devinfo -v -d soft0
    [ "$status" -eq 0 ]
    [[ $output =~ fe80::50:46ff:fe54:0,\ RoCE\ v2 ]]
    [[ $output =~ ::ffff:192.0.2.1,\ RoCE\ v2 ]]
    [[ $output =~ num_comp_vectors:[[:space:]]+[1-9] ]]
    [[ $output == *ATOMIC_GLOB* ]]
}

@test "ibv_rc_pingpong" {
    pingpong ibv_rc_pingpong
}

# bats test_tags=long
@test "ibv_rc_pingpong: checks the data" {
    pingpong ibv_rc_pingpong -c
}

# bats test_tags=long
@test "ibv_rc_pingpong: sleeps for events" {
    pingpong ibv_rc_pingpong -e
}

@test "ibv_rc_pingpong: sleeps for events, checks the data, long messages, a shallow queue" {
    pingpong ibv_rc_pingpong -e -c -s 100000 -n 300 -r 4
}

# bats test_tags=long
@test "ibv_rc_pingpong: ibv_wr_send()" {
    pingpong ibv_rc_pingpong -N
}

@test "ibv_rc_pingpong: ibv_wr_send(), events, data" {
    pingpong ibv_rc_pingpong -N -e -c
}

@test "ibv_rc_pingpong: between soft0 and soft1" {
    installed ibv_rc_pingpong
    under=("$run_soft")
    start_server /usr/bin/ibv_rc_pingpong -d soft0 -g 1 -n 200 -r 50
    start_client /usr/bin/ibv_rc_pingpong -d soft1 -g 1 -n 200 -r 50
    finish client
    finish server
    expect_status client 0
    expect_status server 0
}

@test "ibv_rc_pingpong: on-demand paging, prefetched" {
    pingpong ibv_rc_pingpong -o -P -c
}

# bats test_tags=long
@test "ibv_rc_pingpong: on-demand paging, ibv_wr_send(), events" {
    pingpong ibv_rc_pingpong -o -N -e
}

@test "ibv_rc_pingpong: implicit on-demand paging" {
    pingpong ibv_rc_pingpong -O -c -e
}

# bats test_tags=long
@test "ibv_rc_pingpong: times of completions" {
    pingpong ibv_rc_pingpong -t
    grep -qE '^Min receive completion clock cycles = [1-9]' client.out
}

# bats test_tags=long
@test "ibv_rc_pingpong: device memory" {
    pingpong ibv_rc_pingpong -j -c
}

@test "ibv_rc_pingpong: device memory, ibv_wr_send(), times" {
    pingpong ibv_rc_pingpong -j -N -t
}

@test "ibv_rc_pingpong: path MTU, service level, port, depth" {
    pingpong ibv_rc_pingpong -m 4096 -l 3 -i 1 -r 20
}

@test "ibv_uc_pingpong: path MTU, service level, port, depth" {
    pingpong ibv_uc_pingpong -m 256 -l 3 -i 1 -r 20 -s 100000
}

@test "ibv_ud_pingpong: service level, port, depth, a whole MTU" {
    pingpong ibv_ud_pingpong -l 3 -i 1 -r 20 -s 4096
}

@test "ibv_uc_pingpong" {
    pingpong ibv_uc_pingpong -c
}

# bats test_tags=long
@test "ibv_uc_pingpong: sleeps for events" {
    pingpong ibv_uc_pingpong -e
}

@test "ibv_ud_pingpong" {
    pingpong ibv_ud_pingpong -c
}

# bats test_tags=long
@test "ibv_ud_pingpong: sleeps for events" {
    pingpong ibv_ud_pingpong -e
}

@test "ibv_srq_pingpong" {
    pingpong ibv_srq_pingpong -c
}

@test "ibv_srq_pingpong: many queue pairs, few receives, sleeps for events" {
    pingpong ibv_srq_pingpong -e -q 32 -r 40 -n 2000
}

@test "ibv_srq_pingpong: path MTU, service level, port, long messages" {
    pingpong ibv_srq_pingpong -m 2048 -l 2 -i 1 -q 4 -s 8000
}

@test "ibv_xsrq_pingpong: two clients, path MTU, service level, port, long messages" {
    local -a options=(-p "$port" -d soft0 -g 0 -n 100 -c 2 -m 2048 -l 2 -i 1 -s 8000)
    local side
    installed ibv_xsrq_pingpong
    launch server "$run_soft" ibv_xsrq_pingpong "${options[@]}"
    await server listening server
    launch first "$run_soft" ibv_xsrq_pingpong "${options[@]}" 127.0.0.1
    launch second "$run_soft" ibv_xsrq_pingpong "${options[@]}" 127.0.0.1
    for side in first second server; do
        finish $side
        expect_status $side 0
        expect_output $side '^success$'
    done
}

@test "ibv_xsrq_pingpong" {
    foreign_pair ibv_xsrq_pingpong -d soft0 -g 0 -n 200
    expect_output client '^success$'
}

@test "ibv_xsrq_pingpong: sleeps for events" {
    foreign_pair ibv_xsrq_pingpong -d soft0 -g 0 -n 200 -e
    expect_output client '^success$'
}

# --- Debian's perftest ---
# Its latency tests measure the clock anew for every size, half a second each: no -a there.

@test "Debian's ib_write_bw" { benchmark ib_write_bw -n 1000; }
# bats test_tags=long
@test "Debian's ib_write_bw -c UC" { benchmark ib_write_bw -c UC -n 1000; }
# bats test_tags=long
@test "Debian's ib_write_bw -q 8" { benchmark ib_write_bw -q 8 -n 1000; }
# bats test_tags=long
@test "Debian's ib_write_bw -D 1" { benchmark ib_write_bw -D 1; }
@test "Debian's ib_write_bw -l 64 -t 512" { benchmark ib_write_bw -l 64 -t 512 -s 8 -n 6400; }
# bats test_tags=long
@test "Debian's ib_write_bw -a -b" { rows_expected=23 benchmark ib_write_bw -a -b -n 10; }
# bats test_tags=long
@test "Debian's ib_write_bw on soft1" { foreign_benchmark ib_write_bw -d soft1 -F -n 1000; }
# bats test_tags=long
@test "Debian's ib_write_bw on a device of its own choice" { foreign_benchmark ib_write_bw -F -n 1000; }

# bats test_tags=long
@test "Debian's ib_write_lat" { benchmark ib_write_lat -n 200; }
# bats test_tags=long
@test "Debian's ib_write_lat -c UC" { benchmark ib_write_lat -c UC -n 200; }
# bats test_tags=long
@test "Debian's ib_write_lat -s 65536" { benchmark ib_write_lat -s 65536 -n 100; }

# bats test_tags=long
@test "Debian's ib_send_bw" { benchmark ib_send_bw -n 1000; }
# bats test_tags=long
@test "Debian's ib_send_bw -c UC" { benchmark ib_send_bw -c UC -n 1000; }
@test "Debian's ib_send_bw -c UD" { benchmark ib_send_bw -c UD -s 1024 -n 1000; }
@test "Debian's ib_send_bw -a" { rows_expected=23 benchmark ib_send_bw -a -n 10; }
@test "Debian's ib_send_bw -b -e -q 8" { benchmark ib_send_bw -b -e -q 8 -n 1000; }

@test "Debian's ib_send_bw --use-srq" { benchmark ib_send_bw --use-srq -q 4 -n 1000; }
# bats test_tags=long
@test "Debian's ib_send_bw --use-srq -c UD -e" { benchmark ib_send_bw --use-srq -c UD -e -s 1024 -n 1000; }
@test "Debian's ib_send_bw -c XRC -b -q 4" { benchmark ib_send_bw -c XRC -b -q 4 -n 1000; }
# bats test_tags=long
@test "Debian's ib_write_bw -c XRC" { benchmark ib_write_bw -c XRC -n 1000; }
# bats test_tags=long
@test "Debian's ib_read_bw -c XRC -q 2" { benchmark ib_read_bw -c XRC -q 2 -n 1000; }
# bats test_tags=long
@test "Debian's ib_atomic_lat -c XRC" { benchmark ib_atomic_lat -c XRC -n 1000; }
@test "Debian's ib_send_lat -c XRC" { benchmark ib_send_lat -c XRC -n 200; }
# bats test_tags=long
@test "Debian's ib_send_lat --use-srq" { benchmark ib_send_lat --use-srq -n 200; }

# bats test_tags=long
@test "Debian's ib_send_lat" { benchmark ib_send_lat -n 200; }
# bats test_tags=long
@test "Debian's ib_send_lat -c UC" { benchmark ib_send_lat -c UC -n 200; }
# bats test_tags=long
@test "Debian's ib_send_lat -c UD" { benchmark ib_send_lat -c UD -s 1024 -n 200; }
# bats test_tags=long
@test "Debian's ib_send_lat -e" { benchmark ib_send_lat -e -n 200; }

# bats test_tags=long
@test "Debian's ib_read_bw" { benchmark ib_read_bw -n 1000; }
# bats test_tags=long
@test "Debian's ib_read_bw -e" { benchmark ib_read_bw -e -n 1000; }
# bats test_tags=long
@test "Debian's ib_read_bw -a -b" { rows_expected=23 benchmark ib_read_bw -a -b -n 10; }

# bats test_tags=long
@test "Debian's ib_read_lat" { benchmark ib_read_lat -n 1000; }
# bats test_tags=long
@test "Debian's ib_read_lat -e -s 65536" { benchmark ib_read_lat -e -s 65536 -n 100; }

# bats test_tags=long
@test "Debian's ib_atomic_bw" { benchmark ib_atomic_bw -n 1000; }
@test "Debian's ib_atomic_bw -A CMP_AND_SWAP -q 8" { benchmark ib_atomic_bw -A CMP_AND_SWAP -q 8 -n 1000; }
# bats test_tags=long
@test "Debian's ib_atomic_lat" { benchmark ib_atomic_lat -n 1000; }
# bats test_tags=long
@test "Debian's ib_atomic_lat -A CMP_AND_SWAP -e" { benchmark ib_atomic_lat -A CMP_AND_SWAP -e -n 1000; }

# Ours and Debian's, each in both roles. With XRC their endpoints tell of initiators and targets, and of the shared queue.
mixed() { # PROGRAM OPTIONS
    local -a theirs=("${theirs[@]-$run_soft}")
    installed "$1"
    launch server "${theirs[@]}" "/usr/bin/$1" -F -p "$port" "${@:2}"
    await server listening server
    start_client "$1" "${@:2}"
    both_good
    start_server "$1" "${@:2}"
    launch client "${theirs[@]}" "/usr/bin/$1" -F -p "$port" "${@:2}" 127.0.0.1
    both_good
}
both_good() {
    finish client
    finish server
    expect_status client 0
    expect_status server 0
}
@test "ours with Debian's ib_send_bw -c XRC" { mixed ib_send_bw -c XRC -q 2 -n 200; }
# bats test_tags=long
@test "ours with Debian's ib_send_lat -c XRC" { mixed ib_send_lat -c XRC -n 200; }
@test "ours with Debian's ib_write_bw -c XRC -b" { mixed ib_write_bw -c XRC -q 2 -b -n 200; }
# bats test_tags=long
@test "ours with Debian's ib_read_lat -c XRC" { mixed ib_read_lat -c XRC -n 200; }

# Theirs are linked with libefa and libmlx5, for which the device answers where it is asked to, and post by the calls that SRD
# and DC need on adapters of a list alone: there theirs take it for a ConnectX-5.
direct() { # PROGRAM OPTIONS
    local -a theirs=(env AS_VENDOR=02c9:1019 LD_PRELOAD="$PWD/as_vendor.so:$PERFTEST_BUILD/soft/.libs/libperftest_soft.so")
    ${CC:-cc} -shared -fPIC -o as_vendor.so "$BATS_TEST_DIRNAME/as_vendor.c" -ldl
    export PERFTEST_SOFT_DIRECT=1
    mixed "$@"
}
@test "ours with Debian's ib_send_bw -c SRD" { direct ib_send_bw -c SRD -q 2 -b -n 200; }
@test "ours with Debian's ib_read_lat -c SRD" { direct ib_read_lat -c SRD -n 200; }
@test "ours with Debian's ib_send_bw -c DC" { direct ib_send_bw -c DC -q 2 -n 200; }
@test "ours with Debian's ib_write_bw -c DC -b" { direct ib_write_bw -c DC -q 2 -b -n 200; }
# bats test_tags=long
@test "ours with Debian's ib_atomic_lat -c DC" { direct ib_atomic_lat -c DC -n 200; }
# bats test_tags=long
@test "ours with Debian's ib_send_lat -c SRD" { direct ib_send_lat -c SRD -n 200; }
# bats test_tags=long
@test "ours with Debian's ib_write_lat -c DC" { direct ib_write_lat -c DC -n 200; }
# bats test_tags=long
@test "ours with Debian's ib_send_lat -c DC" { direct ib_send_lat -c DC -n 200; }
@test "ours with Debian's ib_send_bw --use-srq" { mixed ib_send_bw --use-srq -q 3 -n 200; }

# --- namespaces ---

@test "two network namespaces with one runtime folder, connected by TCP" {
    local -a there
    veth_pair
    launch_network other
    there=(nsenter -n -t "${pids[other]}")
    "${inside[@]}" ip link set veth1 netns "${pids[other]}"
    "${inside[@]}" ip addr add 10.9.9.1/24 dev veth0
    "${there[@]}" ip addr add 10.9.9.2/24 dev veth1
    "${there[@]}" ip link set veth1 up
    launch server "${there[@]}" "$(program ib_write_bw)" -p "$port" -d soft0 -n 100
    await server grep -qE ":$(printf %04X "$port") [0-9A-F]+:0000 0A " "/proc/${pids[server]}/net/tcp" "/proc/${pids[server]}/net/tcp6"
    launch client "${inside[@]}" "$(program ib_write_bw)" -p "$port" -d soft0 -n 100 10.9.9.2
    finish client
    finish server
    expect_status client 0
    expect_status server 0
    expect_rows client 1
}
