# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# A stand-in for ssh, in PERFTEST_RSH, which runs everything on this machine; and whether something is left of it. The programs
# have "-s $port", which tells them from those of other tests.
# shellcheck shell=bash

# As ssh does, it joins its words into a text for a shell. BODY runs in front of that.
remote_shell() { # [BODY]
    cat >rsh <<EOF
#!/bin/bash
[[ \$1 != away* ]] || { echo "ssh: connect to host \$1 port 22: No route to host" >&2; exit 255; }
shift
echo \$\$ >>rsh.pids
export SSH_CONNECTION="127.0.0.1 40000 127.0.0.1 22"
${1-}
exec sh -c "\$*"
EOF
    chmod +x rsh
    export PERFTEST_RSH=$PWD/rsh
}

programs() {
    pgrep -f "^ib_write_bw .*-s $port " | wc -l
}

none_runs() {
    (($(programs) == 0)) && ! pgrep -f "perftest (other_side|matrix) .*ib_write_bw .*-s $port " >/dev/null
}

# After a SIGKILL nobody waits for what ends by itself.
await_none() {
    local end=$((SECONDS + wait_limit_s))
    until none_runs; do
        ((SECONDS < end)) || expect none_runs
        sleep 0.02
    done
}
