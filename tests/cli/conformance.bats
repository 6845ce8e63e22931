#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Does the software device pass rdma-core's own tests? tests/conformance/run counts each of them, against the list of
# those that cannot pass; see there.

load helpers

conformance=$PERFTEST_TOP/tests/conformance/run

# Without pyverbs, or where no mount namespace may be had, there is nothing to run, and the runner says why.
conform() { # STATUS MODULES...
    status=0
    "$conformance" "${@:2}" >said 2>&1 || status=$?
    cat said
    ((status != 77)) || skip "$(tail -n 1 said)"
    [ "$status" -eq "$1" ]
}

@test "rdma-core's Python tests: each as the list says" {
    conform 0
    grep -qE '^[1-9][0-9]+ ok, [0-9]+ skipped, [0-9]+ not, 0 unexpected$' said
}

# What the runner is for: it must see what is not as the list says.
@test "conformance: a test that can't pass fails the run, and so does one that is gone" {
    mkdir tests
    cat >tests/test_two.py <<'TESTS'
import os
import unittest

class Two(unittest.TestCase):
    def test_passes(self):
        pass
    def test_fails(self):
        self.fail('on purpose')
    def test_is_skipped(self):
        self.skipTest('on purpose')
    def test_takes_the_process_along(self):
        os._exit(3)
TESTS
    printf '%s\n' 'import argparse' 'parser = argparse.ArgumentParser()' 'parser.add_argument("--dev")' >tests/args_parser.py
    touch tests/__init__.py
    PERFTEST_PYVERBS_TESTS=$PWD/tests PERFTEST_PYVERBS_VERSION=44 conform 1 test_two
    grep -q '^expected ok, is fail: test_two.Two.test_fails AssertionError: on purpose$' said
    grep -q '^expected ok, is skip: test_two.Two.test_is_skipped on purpose$' said
    grep -q '^expected ok, is died: test_two.Two.test_takes_the_process_along status 3$' said
    grep -q '^1 ok, 1 skipped, 2 not, 3 unexpected$' said
}
