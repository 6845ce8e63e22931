# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Readers of what `perftest gate` and `perftest verify` print for CI, which are not ours.
# shellcheck shell=bash

# What junitparser finds in a file: a line for each test, "passed NAME", "Failure NAME: MESSAGE" or "Skipped NAME: MESSAGE".
junit_read() { # FILE
    /usr/bin/python3 -c 'import junitparser' 2>/dev/null || skip "python3-junitparser is not installed"
    /usr/bin/python3 - "$1" <<'PYTHON'
import sys
import junitparser

for suite in junitparser.JUnitXml.fromfile(sys.argv[1]):
    assert suite.tests == len(list(suite))
    assert suite.failures == sum(isinstance(one, junitparser.Failure) for case in suite for one in case.result)
    for case in suite:
        result = case.result[0] if case.result else None
        print(type(result).__name__ + f" {case.name}: {result.message}" if result else f"passed {case.name}")
PYTHON
}

# What the parser of prove(1) finds in a file: as above, without messages but for what is skipped.
tap_read() { # FILE
    command -v prove >/dev/null || skip "prove is not installed"
    perl -MTAP::Parser -e '
        my $parser = TAP::Parser->new({source => $ARGV[0]});
        while (my $result = $parser->next) {
            next unless $result->is_test;
            my $name = $result->description =~ s/^- //r;
            print $result->has_skip ? "Skipped $name: " . $result->explanation : ($result->is_ok ? "passed " : "Failure ") . $name, "\n";
        }
        die join(", ", $parser->parse_errors) if $parser->parse_errors;' "$1"
}
