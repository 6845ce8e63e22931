# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Hosts n1, n2, ... on this machine: each has its own network, name and processes, /run and /dev/shm; cables to one switch join them.
# The rest is common, as on a cluster with a common file system. All of it ends with the test. After "load helpers".
# shellcheck shell=bash disable=SC2154 # pids is the helpers'

hosts_up() { # COUNT
    local number
    ((EUID == 0)) || skip "namespaces take root"
    unshare --net --uts --ipc --mount --pid --fork true 2>/dev/null || skip "no namespaces are allowed here"
    hosts=$1
    [[ -e /etc/hosts ]] || skip "no /etc/hosts that a host could have its own in place of"
    declare -gA inside=()
    launch_network switch
    nsenter -n -t "${pids[switch]}" ip link add bridge0 up type bridge 2>/dev/null || skip "no bridge can be made here"
    {
        echo "127.0.0.1 localhost"
        for ((number = 1; number <= hosts; number++)); do echo "10.77.0.$number n$number"; done
    } >etc_hosts
    for ((number = 1; number <= hosts; number++)); do
        host_up "$number"
    done
}

host_is_up() { # HOST
    inside[$1]=$(pgrep -P "${pids[$1]}") && [[ -e $1.is_up ]]
}

host_up() { # NUMBER
    local name=n$1
    # a shell of number 1 ends by the signals that it handles alone
    # shellcheck disable=SC2016 # for the shell there
    launch "$name" unshare --net --uts --ipc --mount --pid --fork --kill-child bash -c '
        hostname "$0" && mount -t tmpfs tmpfs /run && mount -t tmpfs tmpfs /dev/shm && mount -t proc proc /proc &&
            mount --bind etc_hosts /etc/hosts && mkdir -m 755 /run/sshd /run/munge && ip link set lo up && trap exit INT &&
            touch "$0.is_up" && { sleep infinity & wait; }' "$name"
    await "$name" host_is_up "$name"
    nsenter -n -t "${pids[switch]}" ip link add "p$1" type veth peer name eth0 netns "${inside[$name]}"
    nsenter -n -t "${pids[switch]}" ip link set "p$1" master bridge0 up
    at "$name" ip link set eth0 address "02:00:0a:4d:00:0$1" up
    at "$name" ip address add "10.77.0.$1/24" dev eth0
}

at() { # HOST COMMAND...
    nsenter -n -u -i -m -p -r -t "${inside[$1]}" setpriv --pdeathsig TERM "${@:2}"
}

launch_at() { # NAME HOST COMMAND...
    launch "$1" nsenter -n -u -i -m -p -r -t "${inside[$2]}" setpriv --pdeathsig TERM "${@:3}"
}

# All that one sends to the other is lost, as a firewall would have it.
block() { # HOST OTHER
    at "$1" ip neighbour replace "10.77.0.${2#n}" lladdr 02:00:00:00:00:ff nud permanent dev eth0
}

# Nobody is told that its connections have ended.
power_off() { # HOST
    nsenter -n -t "${pids[switch]}" ip link set "p${1#n}" down
    kill -KILL "${inside[$1]}"
}

# Logins from each to each with a key, by ssh -F ssh_config.
hosts_ssh() {
    local number
    [[ -x /usr/sbin/sshd ]] || skip "openssh-server is not installed"
    ssh-keygen -q -t ed25519 -N '' -f key
    cat >ssh_config <<EOF
IdentityFile $PWD/key
StrictHostKeyChecking no
UserKnownHostsFile /dev/null
LogLevel ERROR
EOF
    cat >sshd_config <<EOF
HostKey $PWD/key
AuthorizedKeysFile $PWD/key.pub
StrictModes no
PermitRootLogin prohibit-password
UsePAM no
UseDNS no
SetEnv XDG_RUNTIME_DIR=$XDG_RUNTIME_DIR
EOF
    for ((number = 1; number <= hosts; number++)); do
        launch_at "sshd$number" "n$number" /usr/sbin/sshd -D -e -f "$PWD/sshd_config"
        await "sshd$number" said "sshd$number" 'listening on'
    done
}

# slurmctld on n1, and a slurmd on each.
hosts_slurm() {
    local number program
    for program in slurmctld slurmd munged srun; do
        command -v "$program" >/dev/null || skip "$program is not installed"
    done
    mountpoint -q /sys/fs/cgroup || skip "slurmd needs control groups"
    (umask 077 && head -c 128 /dev/urandom >munge.key)
    mkdir slurmctld
    cat >slurm.conf <<EOF
ClusterName=hosts
SlurmctldHost=n1
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
CredType=cred/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerType=sched/builtin
SlurmdParameters=config_overrides
MpiDefault=none
PropagateResourceLimits=NONE
ReturnToService=2
StateSaveLocation=$PWD/slurmctld
SlurmdSpoolDir=/run/slurmd
SlurmctldPidFile=/run/slurmctld.pid
SlurmdPidFile=/run/slurmd.pid
NodeName=n[1-$hosts] CPUs=4 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES State=UP OverSubscribe=FORCE:4
EOF
    echo "PMIxCliTmpDirBase=/run" >mpi.conf # of each host's own: its name is the same on all
    export SLURM_CONF=$PWD/slurm.conf
    for ((number = 1; number <= hosts; number++)); do
        launch_at "munged$number" "n$number" munged --foreground --force --key-file="$PWD/munge.key" --log-file=/run/munge.log \
            --seed-file=/run/munge.seed
        await "munged$number" at "n$number" test -S /run/munge/munge.socket.2
    done
    launch_at slurmctld n1 slurmctld -D
    for ((number = 1; number <= hosts; number++)); do
        launch_at "slurmd$number" "n$number" slurmd -D
    done
    await slurmctld all_idle
}

all_idle() {
    [[ $(at n1 sinfo -h -N -t idle -o %N 2>/dev/null | wc -l) == "$hosts" ]]
}
