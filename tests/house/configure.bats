#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Does configure say what is missing, in the words of a package manager?

setup() {
    top=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
    [[ -e $top/configure ]] || skip "no configure: run autogen.sh"
    cd "$BATS_TEST_TMPDIR" || return 1
    # the source folder itself may be configured, and another build of it is refused then
    cp -r "$top/configure" "$top/build-aux" .
    mkdir -p src/main pc
    touch src/main/perftest.c
}

library() { # NAME VERSION
    printf 'Name: %s\nDescription: stub\nVersion: %s\nLibs: -l%s\n' "$1" "$2" "${1#lib}" >"pc/$1.pc"
}

@test "configure: an rdma-core older than the sources need is refused, with the version and the packages" {
    library libibverbs 1.10.32.0
    library librdmacm 1.3.32.0
    run env PKG_CONFIG_PATH="$PWD/pc" ./configure
    [ "$status" -ne 0 ]
    [[ $output == *"rdma-core 33 or newer"*"1.10.32"*"libibverbs-dev"*"rdma-core-devel"* ]]
}

@test "configure: a 32-bit architecture is refused, with the reason" {
    local cc="gcc -m32 -nostdlib -Wl,-e,main" # programs that need no 32-bit C library
    echo 'int main(void) { return 0; }' >probe.c
    $cc -o probe probe.c 2>/dev/null || skip "gcc makes no 32-bit programs"
    run ./configure CC="$cc" --host=i686-linux-gnu
    [ "$status" -ne 0 ]
    [[ $output == *"a 64-bit architecture is needed: the software device maps 32 GiB"* ]]
}

@test "debian/control, perftest.spec and configure name the same rdma-core" {
    grep -q 'libibverbs >= 1\.11\]' "$top/configure.ac"
    grep -q 'libibverbs-dev (>= 33), librdmacm-dev (>= 33)' "$top/debian/control"
    grep -q 'rdma-core-devel >= 33$' "$top/perftest.spec"
}

@test "make install: the unit of qperf starts the program where it was installed" {
    local build=${PERFTEST_BUILD:-$top}
    [[ -e $build/Makefile ]] || skip "the build folder is not configured"
    make -s -C "$build" install-data DESTDIR="$PWD/root" prefix="/opt/a suite"
    # a word of systemd, whatever is in the folder's name
    grep -q '^ExecStart="/opt/a suite/bin/qperf" --' "root/opt/a suite/share/doc/perftest/qperf.service"
    grep -q '^ExecStart="/opt/a suite/bin/perftest" serve ' "root/opt/a suite/share/doc/perftest/perftest.service"
}
