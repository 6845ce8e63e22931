# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# For tests of cxi_send_bw over a provider of libfabric, which need not be there.
# shellcheck shell=bash

setup_file() {
    ! "${PERFTEST_BUILD:-.}/cxi_send_bw" --provider=tcp ::no.such.host 2>&1 | grep -q "libfabric" ||
        export without_libfabric="libfabric or its headers are not here"
}

needs_libfabric() {
    [[ -z ${without_libfabric-} ]] || skip "$without_libfabric"
}
