#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# How the software device affects its programs and host: programs that patch the C library's memory functions (UCX, Open
# MPI), shared queues, core dumps.

load helpers
load foreign

# UCX uses a device only where there is a character device of its name; the device answers for that. UD is for wiring up.
ucx_ready() {
    local library
    installed ucx_perftest
    # Debian's 1.23 is
    library=$(ldd "$(program ucx_perftest)" | awk '$1 ~ /^libuct\.so/ { print $3 }')
    [[ -e ${library%/*}/ucx/libuct_ib.so.0 ]] || skip "this UCX is built without verbs"
    export UCX_TLS=${transports:-rc_verbs,ud_verbs:aux,self} UCX_NET_DEVICES=soft0:1
    under=("$run_soft")
}

# UCX says there what its hooks have spoiled.
ucx_content() { # NAME
    expect_status "$1" 0
    # 1.18 asks for what its transport over plain verbs does not have, on any device
    if grep -q 'flush(remote) is not supported' "$1.out" "$1.err"; then skip "this UCX has no rc_verbs that it can use"; fi
    ! grep -E 'UCX +(WARN|ERROR|FATAL)' "$1.out" "$1.err"
}

# Debian 13's is built with MPI: unless it is at a terminal, mpirun has to start both of its processes.
ucx_needs_mpi() {
    ldd "$(program ucx_perftest)" | grep -q libmpi
}

mpi_run() { # COMMAND...
    installed mpirun
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    launch alone "${under[@]}" mpirun --oversubscribe -np 2 "$@"
    finish alone
    ucx_content alone
}

ucx_pair() { # TEST [OPTIONS]
    ucx_ready
    if ucx_needs_mpi; then
        mpi_run "$(program ucx_perftest)" -t "$@"
        return
    fi
    start_server ucx_perftest -t "$@"
    start_client ucx_perftest -t "$@"
    finish client
    finish server
    ucx_content client
    ucx_content server
}

# shellcheck disable=SC2034 # program() of the helpers
program() {
    case $1 in
    */* | ucx_perftest | mpirun | qperf) command -v "$1" ;;
    *) echo "$PERFTEST_BUILD/$1" ;;
    esac
}

start_client() { # PROGRAM [OPTIONS]
    local path
    path=$(program "$1")
    shift
    launch client "${under[@]}" "$path" -p "$port" "$@" 127.0.0.1
}

@test "UCX with its memory hooks: tag_bw" { ucx_pair tag_bw -s 65536 -n 1000; }
@test "UCX with its memory hooks: tag_bw, long messages" { ucx_pair tag_bw -s 4194304 -n 20; }
@test "UCX with its memory hooks: tag_lat" { ucx_pair tag_lat -s 8 -n 1000; }
@test "UCX with its memory hooks: ucp_get" { ucx_pair ucp_get -s 65536 -n 200; }
@test "UCX with its memory hooks: ucp_put_bw" { ucx_pair ucp_put_bw -s 65536 -n 1000; }

@test "UCX with its memory hooks: am_bw, datagrams alone" { transports=ud_verbs,self ucx_pair ucp_am_bw -s 8192 -n 1000; }
@test "UCX with its memory hooks: ucp_fadd" { ucx_pair ucp_fadd -s 8 -n 1000; }

@test "Open MPI over UCX with its memory hooks" {
    ucx_ready
    installed mpirun
    installed mpicc
    echo '#include <mpi.h>' | mpicc -E - >/dev/null 2>&1 || skip "mpicc finds no mpi.h"
    cat >ring.c <<'RING'
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

/* Each rank sends to the next; buffers come and go, so that registrations do. */
int main(int argc, char **argv)
{
	int rank, ranks, wrong = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	for (size_t length = 1; length <= 4u << 20; length *= 4) {
		char *to = malloc(length), *from = calloc(length, 1);
		int before = (rank + ranks - 1) % ranks;

		memset(to, rank + 1, length);
		MPI_Sendrecv(to, (int)length, MPI_CHAR, (rank + 1) % ranks, 0, from, (int)length, MPI_CHAR, before, 0,
			     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		for (size_t i = 0; i < length; i++)
			wrong += from[i] != before + 1;
		free(to);
		free(from);
	}
	MPI_Finalize();
	return wrong != 0;
}
RING
    mpicc -o ring ring.c
    mpi_run --mca pml ucx --mca osc ucx "$PWD/ring"
}

# --- limits of a process ---

# To the verbs it is a peer that does not answer, and what is told of that blames the network.
@test "a peer that there is no address space for is named with the limit" {
    start_server ib_send_bw --timeout 5
    # room for the process's own tables and not for those of a peer
    launch client bash -c 'ulimit -v 50331648; exec "$@"' - "$(program ib_send_bw)" -p "$port" -n 50 localhost
    finish client
    finish server
    expect_status client 1
    said client 'perftest-soft: nothing can be sent to the process in slot [0-9]+: .*ulimit -v'
}

# --- a runtime folder that is removed while a program uses it ---

@test "the server's runtime folder is removed: it says so, and why its peers fail" {
    installed ibv_rc_pingpong
    launch server "$run_soft" ibv_rc_pingpong -p "$port" -d soft0 -g 0
    await server listening server
    rm -r "$XDG_RUNTIME_DIR/perftest-soft"
    launch client "$run_soft" ibv_rc_pingpong -p "$port" -d soft0 -g 0 127.0.0.1
    finish client
    [ "$client_status" -ne 0 ]
    said client 'transport retry counter exceeded'
    said server "perftest-soft: $XDG_RUNTIME_DIR/perftest-soft was removed after this program had opened its device: .*start it again"
    kill -INT "${pids[server]}"
    finish server
}

# Of the folder that took the place of its own: any slot in it may have the number of its own.
@test "a program whose runtime folder was removed leaves the sockets of others alone" {
    start_server ib_send_bw
    rm -r "$XDG_RUNTIME_DIR/perftest-soft"
    launch others python3 -c '
import os, signal, socket, sys
os.mkdir(sys.argv[1], 0o700)
os.chdir(sys.argv[1])
sockets = [socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) for i in range(256)]
for number, each in enumerate(sockets):
    each.bind(str(number))
    each.listen()
print("there", flush=True)
signal.pause()' "$XDG_RUNTIME_DIR/perftest-soft"
    await others said others there
    kill -INT "${pids[server]}"
    finish server
    [ "$(find "$XDG_RUNTIME_DIR/perftest-soft" -type s | wc -l)" -eq 256 ]
    kill "${pids[others]}"
    finish others
    rm -r "$XDG_RUNTIME_DIR/perftest-soft"
}

# --- valgrind ---

# helgrind and drd keep memory of their own for what a program maps; of the device's 32 GiB, that would be more than there is.
# The limit is of address space, which ends the program and not the machine.
valgrind_pair() { # TOOL
    installed valgrind
    ! nm -D "$PERFTEST_SOFT_LIB" | grep -q __asan_init || skip "valgrind and AddressSanitizer do not go together"
    local one_gib=$((1 << 20)) # in KiB
    # shellcheck disable=SC2016 # for that bash
    under=("$run_soft" bash -c 'ulimit -v "$0"; exec valgrind --error-exitcode=9 --tool="$@"' $((40 * one_gib)) "$1")
    launch alone "${under[@]}" ibv_devinfo -d soft0
    finish alone
    expect_status alone 0
    under[4]=$((72 * one_gib)) # the tables of a peer are as large
    launch server "${under[@]}" ibv_rc_pingpong -g 0 -p "$port" -n 20
    await server listening server
    launch client "${under[@]}" ibv_rc_pingpong -g 0 -p "$port" -n 20 127.0.0.1
    finish client
    finish server
    expect_status client 0
    expect_status server 0
}

@test "helgrind finds nothing and does not fill the memory" { valgrind_pair helgrind; }
@test "drd finds nothing and does not fill the memory" { valgrind_pair drd; }
@test "memcheck finds nothing and does not fill the memory" { valgrind_pair memcheck; }

# It looks for pointers in all memory that may be read, at the end of a program that leaves the device open.
@test "memcheck finds nothing in a program that closes nothing, and does not fill the memory" {
    local pages
    installed valgrind
    ! nm -D "$PERFTEST_SOFT_LIB" | grep -q __asan_init || skip "valgrind and AddressSanitizer do not go together"
    echo '#include <valgrind/memcheck.h>' | ${CC:-cc} -E -x c - >/dev/null 2>&1 || skip "valgrind's headers are not installed"
    cat >leave.c <<'LEAVE'
#include <infiniband/verbs.h>
#include <stdlib.h>

static char in_file[10000] = {1};

/* The region shares its pages with memory that was never written to; the other one's mapping has a name. */
int main(void)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *context = ibv_open_device(list[0]);
	char *memory = malloc(10000);

	struct ibv_pd *pd = ibv_alloc_pd(context);

	ibv_free_device_list(list);
	return !ibv_reg_mr(pd, memory, 5000, IBV_ACCESS_LOCAL_WRITE) ||
	       !ibv_reg_mr(pd, in_file, sizeof(in_file), IBV_ACCESS_LOCAL_WRITE);
}
LEAVE
    ${CC:-cc} -o leave leave.c -libverbs
    launch alone "$run_soft" valgrind --error-exitcode=9 "$PWD/leave"
    while alive alone; do
        read -r _ _ pages _ <"/proc/${pids[alone]}/statm" || break # of files: no limit of a process's is of these
        if ((pages > 1 << 18)); then
            kill_hard "${pids[alone]}"
        fi
    done
    finish alone
    expect_status alone 0
}

# --- core dumps ---

# The device's mappings are 32 GiB of holes each; a dump that reads them fills the memory with zeroes.
@test "a core dump holds the program and nothing of the device's tables" {
    installed gcore
    cat >open_device.py <<'OPEN'
import ctypes, os, signal, sys

library = ctypes.CDLL(os.environ["PERFTEST_SOFT_LIB"])
library.ibv_get_device_list.restype = ctypes.POINTER(ctypes.c_void_p)
library.ibv_open_device.restype = ctypes.c_void_p
count = ctypes.c_int()
devices = library.ibv_get_device_list(ctypes.byref(count))
assert library.ibv_open_device(ctypes.c_void_p(devices[count.value - 1]))
signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
print("open", flush=True)
signal.pause()
OPEN
    launch alone python3 open_device.py
    await alone said alone open
    # a limit that ends gcore, not the machine
    (ulimit -f 204800; exec gcore -o core "${pids[alone]}") >gcore.out 2>&1 || { cat gcore.out; false; }
    ls -ls core.*
    (($(stat -c %s core.*) < 200 << 20))
    # what the kernel itself would dump: every large mapping of the device is marked "dd"
    awk '/^[0-9a-f]+-[0-9a-f]+ / { name = $6 } /^Size:/ { size = $2 } /^VmFlags:/ {
            if (name ~ /perftest-soft/ && size > 1048576) { seen++; if (!/ dd( |$)/) bad++ } }
        END { exit !(seen && !bad) }' "/proc/${pids[alone]}/smaps"
    kill "${pids[alone]}"
    finish alone
}

# --- queues that are shared ---

qperf_client() { # OPTIONS
    installed qperf
    under=("$run_soft")
    launch server "$run_soft" qperf -lp "$port"
    await server listening server
    launch client "$run_soft" qperf -lp "$port" 127.0.0.1 -t 1 "$@"
    finish client
    launch quit qperf -lp "$port" 127.0.0.1 quit
    finish quit
    finish server
}

# Every figure of qperf's has to be there, and none to be 0.
@test "qperf: receives beside sends in one queue" {
    qperf_client -cm1 rc_bi_bw
    expect_status client 0
    expect_output client ' = +[0-9.]+ [A-Za-z/]+'
    refuse_output client ' = +0 '
}

# RoCE has none: IBA A17.4.3.
@test "qperf without -cm1 knows only LIDs: it is refused, as over a RoCE adapter" {
    qperf_client rc_bw
    expect_status client 1
    said client 'failed to modify QP to RTR: Invalid argument'
}
