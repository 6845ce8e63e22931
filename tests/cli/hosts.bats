#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# `perftest matrix` between hosts in namespaces of this machine: over their cables, and over soft0, which all share; in tests/run long
# also started by the launchers of clusters, those that are installed.

load helpers
load hosts

perftest=$PERFTEST_BUILD/perftest

# Nothing is slow, and measured again, as often as a busy machine makes figures differ.
matrix=("$perftest" matrix --min_share=1)

by_hand() { # [ARGUMENTS]: an instance on each host, as i1, i2, ...
    local number
    for ((number = 1; number <= hosts; number++)); do
        launch_at "i$number" "n$number" "${matrix[@]}" --controller=n1 -N "$hosts" --out_json_file="$PWD/i$number.json" "$@"
    done
}

finish_all() {
    local number
    for ((number = 1; number <= hosts; number++)); do
        finish "i$number"
    done
}

measured() { # FILE
    jq '[.measurements[] | select(.value > 0)] | length' "$1"
}

@test "hosts: qperf over their cables, and a verbs program over soft0" {
    hosts_up 4
    by_hand qperf -t 0.1 tcp_bw
    finish_all
    expect [ "$(measured i1.json)" = 12 ]
    expect [ "$(jq -r '[.matrix.hosts[].name] | join(" ")' i1.json)" = "n1 n2 n3 n4" ]
    by_hand ib_write_bw -d soft0 -n 200
    finish_all
    expect [ "$(measured i1.json)" = 12 ]
}

@test "hosts: a firewall between two of them costs their two pairs" {
    hosts_up 4
    block n2 n3
    by_hand qperf -t 0.1 tcp_bw
    finish_all
    expect_status i1 1
    expect [ "$(measured i1.json)" = 10 ]
    expect [ "$(jq -c '[.measurements[] | select(.failure) | [.client, .server] | sort] | unique' i1.json)" = "[[1,2]]" ]
    # qperf's own time is shorter: on a busy machine it may end before it has been looked at
    expect_output i1 '^ failed: n[23] with n[23] as its server: client n[23]: (no connection to )?10\.77\.0\.[23]:.* (within|failed to connect)'
}

@test "hosts: a firewall between two of them is waited for once in each direction, however many adapters they have" {
    hosts_up 3
    block n2 n3
    by_hand --all_rails=soft[0-1] ib_write_bw -n 200
    finish_all
    expect_status i1 1
    expect [ "$(measured i1.json)" = 16 ]
    expect [ "$(jq '[.measurements[].failure | select(. and contains(": no connection to 10.77.0."))] | length' i1.json)" = 4 ] # of a step
    expect [ "$(jq '[.measurements[].failure | select(. and contains("not tried again"))] | length' i1.json)" = 4 ]
}

# bats test_tags=long
@test "hosts: one without power costs its own pairs" {
    hosts_up 4
    by_hand qperf -t 3 tcp_bw
    await i1 at n4 pgrep -x qperf
    power_off n4
    finish_all
    expect_status i1 1
    expect_output i1 '^ lost: n4 has been silent for 15 s$'
    expect [ "$(jq '[.measurements[] | select(.value > 0 and .client < 3 and .server < 3)] | length' i1.json)" = 6 ]
}

program=(qperf -t 0.5 tcp_bw)

launched() { # COMMAND...: on n1, and behind it what is measured; all pairs are in one document
    rm -f launched.json
    launch_at launcher n1 "$@" --out_json_file="$PWD/launched.json" "${program[@]}"
    finish launcher
    expect [ "$launcher_status" = 0 ] || expect [ "$launcher_status" = 3 ]
    expect [ "$(measured launched.json)" = 12 ]
    expect_output launcher 'perftest matrix [a-z_]+: 4 hosts, 3 rounds of all pairs'
}

# bats test_tags=long
@test "hosts: Slurm starts it on four hosts, and gives the ranks" {
    hosts_up 4
    hosts_slurm
    launched srun -N 4 --ntasks-per-node=1 "${matrix[@]}"
    expect_output launcher 'ranks by Slurm'
    program=(ib_write_bw -d soft0 -n 200)
    launched srun -N 4 --ntasks-per-node=1 "${matrix[@]}"
}

# Open MPI 4 and 5 read what is theirs of both names.
by_mpirun() { # COMMAND...
    command -v mpirun >/dev/null || skip "mpirun is not installed"
    hosts_up 4
    hosts_ssh
    launched env OMPI_MCA_plm_rsh_args="-F $PWD/ssh_config" OMPI_MCA_orte_tmpdir_base=/run PRTE_MCA_plm_ssh_args="-F $PWD/ssh_config" \
        PRTE_MCA_prte_tmpdir_base=/run mpirun --allow-run-as-root --bind-to none --host n1,n2,n3,n4 "$@"
}

# Nothing but what a PMIx server gives: neither Slurm's variables nor Open MPI's.
by_pmix_alone() {
    cat >by_pmix_alone <<'EOF'
#!/bin/bash
for name in $(compgen -e); do
    [[ $name == @(PMIX_*|PATH|XDG_RUNTIME_DIR) ]] || unset "$name"
done
exec "$@"
EOF
    chmod +x by_pmix_alone
}

# bats test_tags=long
@test "hosts: Slurm's PMIx alone gives the ranks, their number and the controller" {
    hosts_up 4
    hosts_slurm
    [[ $(at n1 srun --mpi=list 2>&1) == *pmix* ]] || skip "this Slurm has no PMIx"
    by_pmix_alone
    launched srun --mpi=pmix -N 4 --ntasks-per-node=1 "$PWD/by_pmix_alone" "${matrix[@]}"
    expect_output launcher 'ranks by PMIx'
}

# bats test_tags=long
@test "hosts: mpirun's PMIx alone gives the ranks, their number and the controller" {
    by_pmix_alone
    by_mpirun "$PWD/by_pmix_alone" "${matrix[@]}"
    expect_output launcher 'ranks by PMIx'
}

# bats test_tags=long
@test "hosts: ssh starts it on four hosts" {
    hosts_up 4
    hosts_ssh
    launched "${matrix[@]}" --hosts='n[1-4]' --rsh="ssh -F $PWD/ssh_config"
}

# bats test_tags=long
@test "hosts: mpirun starts it on four hosts, and gives the ranks" {
    by_mpirun "${matrix[@]}"
    expect_output launcher 'ranks by Open' # folded at the terminal that mpirun makes
}

# bats test_tags=long
@test "hosts: pdsh starts it on four hosts" {
    command -v pdsh >/dev/null || skip "pdsh is not installed"
    hosts_up 4
    hosts_ssh
    launched env PDSH_SSH_ARGS_APPEND="-F $PWD/ssh_config" pdsh -R ssh -w 'n[1-4]' "cd $PWD && ${matrix[*]}" --controller=n1 -N 4
}

# bats test_tags=long
@test "hosts: clush starts it on four hosts" {
    command -v clush >/dev/null || skip "clush is not installed"
    hosts_up 4
    hosts_ssh
    launched clush -o "-F $PWD/ssh_config" -w 'n[1-4]' "cd $PWD && ${matrix[*]}" --controller=n1 -N 4
}
