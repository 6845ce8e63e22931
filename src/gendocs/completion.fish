# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Asks the completion of bash. From src/gendocs/completion.fish.

set -g __perftest_dir (dirname (status filename))
function __perftest_list
    set -l file $__perftest_dir/../../bash-completion/completions/perftest-completion.bash
    test -e $file; or set file $__perftest_dir/perftest-completion.bash
    set -l word (commandline -ct)
    bash -c 'source "$0" && _perftest_list "$@"' $file (commandline -opc) "$word" 2>/dev/null
end
