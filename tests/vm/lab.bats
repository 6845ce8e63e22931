#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Does the lab say so when a guest fails? A job that passes where nothing ran would be worse than none. Tagged long: what the jobs that
# run often could not do without, and the crash of one host, which that of one of two shows, too.

setup() {
    lab=$BATS_TEST_DIRNAME/lab
    cd "$BATS_TEST_TMPDIR" || return 1
}

# Runs a job of these lines; status is the lab's, output all that it said.
run_job() { # OPTIONS LINES
    printf '#!/usr/bin/env bash\n%s\n' "$2" >job
    chmod +x job
    # shellcheck disable=SC2086 # words
    run "$lab" $1 --out out "$PWD/job"
    echo "$output"
}

@test "the job's status, words and files come back, and the host's files stay as they are" {
    echo before >kept
    # shellcheck disable=SC2016 # for the guest
    run_job "" "echo after >'$PWD/kept'; cat '$PWD/kept' >\"\$LAB_OUT/file\"; echo said; exit 3"
    [ "$status" -eq 3 ]
    [[ $output == *said* ]]
    [ "$(<out/host0/file)" = after ]
    [ "$(<kept)" = before ]
}

# bats test_tags=long
@test "what a job asks for is there" {
    run_job "" "$(cat <<'JOB'
# lab: rxe mtu=4200 netem='loss 1%' modules=sctp,rds cmdline=perftest.word=1
set -e
[[ -d /sys/module/sctp && -d /sys/module/rds ]]
[[ $(</proc/cmdline) == *" perftest.word=1"* ]]
rdma link show rxe0/1 | grep -q "state ACTIVE.*netdev v0"
[[ $(</sys/class/net/v0/mtu) == 4200 ]]
tc qdisc show dev v0 | grep -q "netem.* loss 1%"
JOB
    )"
    [ "$status" -eq 0 ]
}

# bats test_tags=long
@test "a kernel that crashes is a failure, with its first report and its last" {
    run_job "" "$(cat <<'JOB'
echo "<3>BUG kmalloc-512 (Not tainted): Poison overwritten" >/dev/kmsg
echo "<3>Object   ffff888007a26800: 6b 6b 6b 6b" >/dev/kmsg
echo "<3>Freed in nobody" >/dev/kmsg
for ((i = 0; i < 200; i++)); do echo "<4>line $i" >/dev/kmsg; done
echo c >/proc/sysrq-trigger
sleep 100
JOB
    )"
    [ "$status" -eq 125 ]
    [[ $output == *"died without a status"*"Poison overwritten"*"Freed in nobody"*"line 1"*"..."*"Kernel Offset"* ]]
    [[ $output != *"Object   ffff"* && $output != *"line 150"* ]]
}

@test "a guest that says nothing is a failure when its time is over" {
    run_job "--limit 1" "sleep 1000"
    [ "$status" -eq 124 ]
    [[ $output == *"not done after 1 s"*console* ]]
}

# A line as that of the kernel's rcu_check_gp_kthread_expired_fqs_timer(), long before the limit.
@test "a guest whose timer interrupts get lost is a failure at once" {
    run_job "" "echo '<3>rcu: rcu_preempt kthread timer wakeup didn'\\''t happen for 5251 jiffies!' >/dev/kmsg; sleep 1000"
    [ "$status" -eq 124 ]
    [[ $output == *"host 0 has stalled"*"for 5251 jiffies"* ]]
}

# QEMU of newer Debians does so by chance, see died_before_the_job() in the lab.
# bats test_tags=long
@test "a guest that dies before the job has begun is started once more, and no more" {
    local qemu
    qemu=$(command -v qemu-system-x86_64)
    mkdir bin
    # shellcheck disable=SC2016 # for that program
    printf '#!/usr/bin/env bash\necho >>"%s/starts"\n(($(wc -l <"%s/starts") > %s)) || kill -ABRT $$\nexec %s "$@"\n' \
        "$PWD" "$PWD" '${CRASHES-1}' "$qemu" >bin/qemu-system-x86_64
    chmod +x bin/qemu-system-x86_64
    PATH=$PWD/bin:$PATH run_job "" "exit 3"
    [ "$status" -eq 3 ]
    [[ $output == *"a guest died before the job began: once more"* ]]
    rm -r out starts
    CRASHES=2 PATH=$PWD/bin:$PATH run_job "" "exit 3"
    [ "$status" -eq 125 ]
    [[ $output == *"died without a status"* ]]
}

# bats test_tags=long
@test "a job that ends the machine has no status" {
    run_job "" "echo b >/proc/sysrq-trigger; sleep 100"
    [ "$status" -eq 125 ]
}

@test "what nobody knows is refused before anything starts" {
    run_job "" "# lab: rxe=1 mtu=4200 ponies"
    [ "$status" -eq 2 ]
    [[ $output == *"asks for 'ponies'"* ]]
    run_job "" "# lab: mtu=big"
    [ "$status" -eq 2 ]
    run_job "" "# lab: kernel=2.4"
    [ "$status" -eq 2 ]
    [[ $output == *"there are stable, backports"* ]]
    run_job "" "# lab: modules=ponies"
    [ "$status" -eq 2 ]
    [[ $output == *"not all of the modules"*ponies* ]]
    run "$lab" no_such_job
    [ "$status" -eq 2 ]
}

# bats test_tags=long
@test "a second kernel, with a module that is built on the host against its headers" {
    run_job "" "$(cat <<'JOB'
# lab: kernel=backports headers
# lab: before='printf "#include <linux/module.h>\nMODULE_LICENSE(\"GPL\");\n" >empty.c; echo obj-m := empty.o >Makefile'
# lab: before='make -C "$LAB_HEADERS" M="$PWD" modules'
[[ $(uname -r) == "$LAB_VERSION" && $LAB_VERSION == 6.12.* ]] || exit 1
insmod "$LAB_COMMON/empty.ko" && grep -q "^empty " /proc/modules
JOB
    )"
    [ "$status" -eq 0 ]
}

@test "a command on the host that fails is a failure, with its words" {
    run_job "" "# lab: before='echo no cheese; false'"
    [ "$status" -eq 126 ]
    [[ $output == *"no cheese"* ]]
}

# bats test_tags=long
@test "of two hosts the one that dies is shown, and at once" {
    run_job "" "$(cat <<'JOB'
# lab: hosts=2
((LAB_HOST == 0)) || echo c >/proc/sysrq-trigger
sleep 1000
JOB
    )"
    [ "$status" -eq 125 ]
    [[ $output == *"host 1 died without a status"*"console of host 1"*"Kernel panic"* ]]
    [[ $output != *"host 0"* ]]
}

# bats test_tags=long
@test "a prompt on each of two hosts, and the end of one is that of both" {
    printf '%s\n\x1d%s\n' 'ib_write_bw -n 5' 'ib_write_bw --retry=60 -n 5 10.0.0.1; exit 3' >typed
    run "$lab" --shell <typed
    [ "$status" -eq 3 ]
    [[ $output == *"[host 1]"*" 65536 "* ]]
    run "$lab" --shell programs
    [ "$status" -eq 2 ]
}

@test "a machine that cannot run it says what is missing, with a status of its own" {
    mkdir bin
    ln -s "$(python3 -c 'import sys; print(sys.executable)')" bin/python3
    ln -s "$(command -v env)" bin/
    PATH=$PWD/bin run "$lab" --probe
    [ "$status" -eq 77 ]
    [[ $output == *"apt-get install"*qemu-system-x86* ]]
}

# An apt-get whose sources name a mirror of their own, as its lists say: those of the host, or only those fetched with other options.
fake_apt() { # CONDITION
    mkdir -p bin
    cat >bin/apt-get <<APT
#!/bin/sh
case "\$*" in
*indextargets*) $1 || exit 0
    echo 'Other|http://other.example/debian'
    echo 'Debian|http://mirror.example/debian' ;;
esac
APT
    chmod +x bin/apt-get
}

backports_mirror() {
    PATH=$PWD/bin:$PATH run python3 -B -c '
import sys
sys.path.insert(0, sys.argv[1])
import kernel
packages = kernel.Packages(".", "bookworm-backports", print)
print(open("apt/sources.list").read())' "$BATS_TEST_DIRNAME"
}

@test "backports come from the mirror that the host's sources name, whether it has lists or not" {
    fake_apt true
    backports_mirror
    [[ $output == *" http://mirror.example/debian bookworm-backports main"* ]]
    # shellcheck disable=SC2016 # for apt-get
    fake_apt 'echo "$*" | grep -q Dir::State::lists='
    backports_mirror
    [[ $output == *" http://mirror.example/debian bookworm-backports main"* ]]
    fake_apt false
    backports_mirror
    [[ $output == *" http://deb.debian.org/debian bookworm-backports main"* ]]
}
