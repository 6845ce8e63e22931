# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Asks the completion of bash. From src/gendocs/completion.fish.

set -g __perftest_dir (dirname (status filename))
function __perftest_list
    set -l file $__perftest_dir/../../bash-completion/completions/perftest-completion.bash
    test -e $file; or set file $__perftest_dir/perftest-completion.bash
    set -l word (commandline -ct)
    bash -c 'source "$0" && _perftest_list "$@"' $file (commandline -opc) "$word" 2>/dev/null
end
for name in ib_send_bw ib_send_lat ib_write_bw ib_write_lat ib_read_bw ib_read_lat ib_atomic_bw ib_atomic_lat raw_ethernet_bw raw_ethernet_lat raw_ethernet_burst_lat raw_ethernet_fs_rate cmtime qperf cxi_send_bw raw_ethernet_send_bw raw_ethernet_send_lat perftest runme run_soft run_perftest_loopback krping_run
    complete -c $name -f -a '(__perftest_list)'
end
