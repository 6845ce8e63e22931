#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Runs one module of rdma-core's Python tests on a device and says what became of each test.

usage: run_module.py FOLDER MODULE DEVICE

FOLDER holds rdma-core's tests, MODULE is one of them (test_mr). stdout: first a line "plan TEST" for each test of the
module, then one "OUTCOME TEST REASON" as each ends; OUTCOME is ok, fail, error or skip, TEST is Class.test, REASON the
skip's own words or the last line of the trace. A test of the plan without an outcome died with the process. What the
tests print goes to stderr, and so do the traces.
"""
import importlib
import multiprocessing
import os
import sys
import unittest


class Result(unittest.TestResult):
    """Writes outcomes to a descriptor that the tests don't know."""

    def __init__(self, out):
        super().__init__()
        self.out = out

    def say(self, outcome, test, reason=''):
        words = ' '.join(reason.split())
        self.out.write(f'{outcome} {name_of(test)} {words}\n')

    def say_trace(self, outcome, test, err):
        trace = self._exc_info_to_string(err, test)
        sys.stderr.write(f'{name_of(test)}: {trace}\n')
        self.say(outcome, test, trace.strip().splitlines()[-1])

    def addSuccess(self, test):
        self.say('ok', test)

    def addFailure(self, test, err):
        self.say_trace('fail', test, err)

    def addError(self, test, err):
        self.say_trace('error', test, err)

    def addSkip(self, test, reason):
        self.say('skip', test, reason)

    def addSubTest(self, test, subtest, err):
        if err:
            self.say_trace('fail', test, err)


def name_of(test):
    """Class.test. What has no class of its own (a module that can't be loaded) has its id."""
    return '.'.join(test.id().split('.')[-2:])


def each_test(suite):
    for item in suite:
        if isinstance(item, unittest.TestSuite):
            yield from each_test(item)
        else:
            yield item


def main():
    folder, module, device = sys.argv[1:]
    # The tests take it for the default, which it was up to Python 3.13.
    multiprocessing.set_start_method('fork')
    out = os.fdopen(os.dup(1), 'w', buffering=1)
    os.dup2(2, 1)
    sys.argv = ['run_tests.py', '--dev', device]
    # The folder is a package named tests, whose modules also import each other without the package's name.
    sys.path[:0] = [os.path.dirname(folder), folder]
    tests = importlib.import_module('tests')
    assert os.path.samefile(os.path.dirname(tests.__file__), folder), tests.__file__
    importlib.import_module('args_parser').parser.parse_args()
    suite = unittest.defaultTestLoader.loadTestsFromName(f'tests.{module}')
    for test in each_test(suite):
        out.write(f'plan {name_of(test)}\n')
    suite.run(Result(out))
    out.close()


if __name__ == '__main__':
    main()
