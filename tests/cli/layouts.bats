#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Is stdout identical to that of linux-rdma perftest, including blanks? The same test runs with its programs (as the
# distribution has them: 6.06 in Debian 12, 6.24 in Debian 13) and with ours, over soft0; figures are removed, differences
# between 6.29 and theirs are applied, and so are the lines in which this suite differs. All of these are in this file; NEWS
# lists the latter.
# bats file_tags=slow

load helpers
load classic

# What 6.29 has otherwise than 6.06, or than 6.24 ("Using DDP"), and what depends on the machine: soft0 has no PCIe.
as_6_29() { # SIDE <TEXT
    sed -E -e 's|MB/sec|MiB/sec|g' \
        -e 's|^( PCIe relax order: [A-Z]+)$|\1\t\tLock-free      : OFF|' \
        -e 's|^( PCIe relax order: )ON|\1Unsupported|' \
        -e 's|^( ibv_wr\* API     : [A-Z]+)$|\1\t\tUsing Enhanced Reorder      : OFF|' \
        -e 's|\t\tUsing DDP      : |\t\tUsing Enhanced Reorder      : |' \
        -e 's|^ CQ Moderation   : .*|&\n CQE Poll Batch  : Dynamic|' \
        -e 's|\t\t   F6|\t\t     F6|' |
        awk -v numa="$(numa_line)" '{ print } /^ Data ex\. method/ && numa != "" { print numa }' |
        without_complaints
}

numa_line() {
    [[ $(cat /sys/devices/system/node/online 2>/dev/null || echo 0) == 0 ]] && echo " NUMA node       : 0"
}

# soft0 is not in its table of devices: the inline size is 0, and for READ and atomics a rule parts the complaint.
# -l: "Post List requested...", with a rule, not said by us.
without_complaints() {
    sed -E -e '/^Post List requested/d' -e "/^ WARNING: BW peak won't be measured in this run\.\$/d" -e 's|^( Max inline data : )[0-9]+|\1N|' |
        awk 'NR == 1 && /^-----/ { held = $0; next } NR == 2 && held && /^                    [A-Z]/ { print held } { print }'
}

# A server to which all of so few messages came before it looked has no rate.
ours_as_it_is() {
    sed -E -e 's|F2<12>nan *\t+ *nan *$|F2<12>F2<0>\t\t     F6<0>|' \
        -e '/^ (Software device|Percentiles    |Clock          ) : /d' \
        -e "/^ WARNING: BW peak won't be measured in this run\.\$/d" \
        -e 's|^( Max inline data : )[0-9]+|\1N|'
}

# Our rows by time go on behind the classic columns.
classic_columns() {
    local cell='F2<[0-9]+>'
    sed -E -e 's|^( #bytes        #iterations       t_avg\[usec\]    tps average(    CPU_Util\[%\])?)    t_min.*|\1|' \
        -e "s|^( [0-9]+ +N<12>$cell)F2<[0-9]+>((\\t    F2)<[0-9]+>)?($cell)*\$|\\1F2\\3|"
}

# Of a sweep theirs has no parts (--report-both); ours follow the table.
without_parts() { # OPTIONS
    if [[ " $* " == *" -a "* ]]; then
        awk '/^ Local results:/ { exit } { if (blank) print ""; blank = /^$/ } !blank'
    else
        cat
    fi
}

# Where its calibration of the clock finds no frequency, which a busy machine may bring about, its times are infinite.
calibrated() {
    sed -E '/^ [0-9]+ +[0-9]+ /s/(inf |-nan)/0.00/g'
}

# Both ways, and the same text on both sides; --client: what the client prints alone.
same_layout() { # [--client] PROGRAM [OPTIONS]
    local sides="client server" name who
    local -a figures=("$BATS_TEST_DIRNAME/figures")
    [[ $1 != --client ]] || { sides=client && shift; }
    [[ " $* " != *" -D "* ]] || figures+=(--by-time "$1")
    for who in theirs ours; do
        start_classic_server "$who" "$@"
        start_classic_client "$who" "$@"
        finish client
        finish server
        expect_status client 0
        expect_status server 0
        for name in client server; do
            mv "$name.out" "$name.$who"
        done
    done
    for name in $sides; do
        calibrated <"$name.theirs" | "${figures[@]}" | as_6_29 | classic_columns >expected
        "${figures[@]}" <"$name.ours" | ours_as_it_is | classic_columns | without_parts "$@" >actual
        [[ -s expected ]]
        diff expected actual || {
            echo "the $name's text differs: $*"
            return 1
        }
    done
}

@test "layout: ib_send_bw" { same_layout ib_send_bw; }
@test "layout: ib_send_bw -b --report-both" { same_layout ib_send_bw -b --report-both; }
@test "layout: ib_send_bw over UD, -q 2 -l 4" { same_layout ib_send_bw -c UD -s 1024 -q 2 -l 4 -n 100; }
# bats test_tags=long
@test "layout: ib_send_bw over XRC" { same_layout ib_send_bw -c XRC -n 100; }
# bats test_tags=long
@test "layout: ib_send_bw -e" { same_layout ib_send_bw -e -n 100; }
# bats test_tags=long
@test "layout: ib_write_bw -a" { same_layout --client ib_write_bw -a -n 5; }
@test "layout: ib_write_bw -b -a --report-both" { same_layout ib_write_bw -b -a -n 5 --report-both; }
@test "layout: ib_write_bw -D" { same_layout ib_write_bw -D 1; }
@test "layout: ib_write_bw -b -D --cpu_util" { same_layout ib_write_bw -b -D 1 --cpu_util; }
# bats test_tags=long
@test "layout: ib_write_bw -N" { same_layout ib_write_bw -N -n 100; }
@test "layout: ib_write_bw --report_gbits, a slow row" { same_layout ib_write_bw --report_gbits -s 2 -n 256 -Q 1 --rate_limit 1000 --rate_units p --rate_limit_type SW; }
# bats test_tags=long
@test "layout: ib_write_bw --report_gbits" { same_layout ib_write_bw --report_gbits -n 100; }
# bats test_tags=long
@test "layout: ib_read_bw --perform_warm_up" { same_layout ib_read_bw --perform_warm_up; }
@test "layout: ib_read_bw --output=bandwidth" { same_layout --client ib_read_bw --output=bandwidth; }
# bats test_tags=long
@test "layout: ib_write_bw --output=message_rate" { same_layout ib_write_bw --output=message_rate; }
@test "layout: ib_atomic_bw" { same_layout ib_atomic_bw; }
# bats test_tags=long
@test "layout: ib_atomic_bw -b" { same_layout ib_atomic_bw -b -A CMP_AND_SWAP; }
@test "layout: ib_write_lat" { same_layout ib_write_lat -n 100; }
# bats test_tags=long
@test "layout: ib_write_lat -a" { same_layout ib_write_lat -a -n 5; }
# bats test_tags=long
@test "layout: ib_write_lat -D" { same_layout ib_write_lat -D 1; }
# bats test_tags=long
@test "layout: ib_write_lat --output=latency" { same_layout ib_write_lat --output=latency -n 100; }
# bats test_tags=long
@test "layout: ib_send_lat over UD" { same_layout ib_send_lat -c UD -n 100; }
@test "layout: ib_send_lat -D --cpu_util" { same_layout ib_send_lat -D 1 --cpu_util; }
@test "layout: ib_read_lat" { same_layout ib_read_lat; }
# bats test_tags=long
@test "layout: ib_read_lat -D" { same_layout ib_read_lat -D 1; }
@test "layout: ib_atomic_lat" { same_layout ib_atomic_lat; }
