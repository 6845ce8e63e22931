#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Do the examples of docs/places.md measure? Their own commands, over soft0; Kubernetes, Slurm, cron and GitHub are stand-ins.

load helpers

examples=$PERFTEST_TOP/docs/examples

# What each of them starts finds the programs and the scripts in the PATH.
before_example() {
    mkdir bin
    export PATH=$PWD/bin:$PERFTEST_BUILD:$PERFTEST_TOP/scripts:$PATH
}

stand_in() { # NAME <BODY
    { echo '#!/bin/bash' && cat; } >"bin/$1"
    chmod +x "bin/$1"
}

# The documents of a YAML file, one a line.
as_json() { # FILE
    /usr/bin/python3 -c 'import yaml' 2>/dev/null || skip "python3-yaml is not installed"
    /usr/bin/python3 -c 'import json, sys, yaml
for document in yaml.safe_load_all(sys.stdin):
    print(json.dumps(document))' <"$examples/$1" >"$1.json"
}

of() { # FILE FILTER
    jq -r "$2" "$1.json"
}

# Sets $command, the words of a container's, with what has to be different here.
command_of() { # FILE FILTER [SED-EXPRESSION]
    mapfile -t command < <(of "$1" "$2 | .containers[0].command[]" | sed "${3-}")
}

@test "kubernetes.yaml: the pod serves the client, and its port and name are what the others say" {
    before_example
    as_json kubernetes.yaml
    expect [ "$(of kubernetes.yaml 'select(.kind == "Service").spec.selector.app')" = perftest-server ]
    expect [ "$(of kubernetes.yaml 'select(.kind == "Pod").metadata.labels.app')" = perftest-server ]
    expect [ "$(of kubernetes.yaml 'select(.kind == "Pod").spec.containers[0] | [.ports[0].containerPort, .startupProbe.tcpSocket.port] | join(" ")')" = "18515 18515" ]
    command_of kubernetes.yaml 'select(.kind == "Pod").spec'
    launch server "${command[@]}" -p "$port" -- -d soft0
    await server said server '^ready$'
    exec 5<>"/dev/tcp/127.0.0.1/$port" # the probe
    exec 5>&-
    command_of kubernetes.yaml 'select(.kind == "Job").spec.template.spec' \
        "s/^10\$/1/; s/^$(of kubernetes.yaml 'select(.kind == "Service").metadata.name')\$/127.0.0.1/"
    launch client "${command[@]}" -p "$port" -d soft0
    finish client
    expect_status client 0
    expect_rows client 1
}

@test "kubernetes_matrix.yaml: as many instances as the job has pods, with the service's name" {
    local index
    before_example
    as_json kubernetes_matrix.yaml
    command_of kubernetes_matrix.yaml 'select(.kind == "Job").spec.template.spec' 's/^16$/2/; s/=matrix-0.matrix$/=127.0.0.1/'
    expect [ "$(of kubernetes_matrix.yaml 'select(.kind == "Job") | [.metadata.name + "-0." + .spec.template.spec.subdomain, .spec.completions, .spec.parallelism] | join(" ")')" = "matrix-0.matrix 16 16" ]
    for index in 0 1; do
        JOB_COMPLETION_INDEX=$index launch "pod$index" "${command[@]:0:2}" -p "$port" --address="127.0.0.$((index + 1))" "${command[@]:2}" -d soft0
    done
    finish pod0
    finish pod1
    expect_output pod0 '2 hosts, .* ranks by Kubernetes'
    expect_status pod1 0
}

# srun runs a step's command here, twice for a matrix, as the nodes localhost and 127.0.0.1. The second one may be down.
slurm() {
    before_example
    export SLURM_JOB_ID=17 SLURM_JOB_NODELIST=localhost,127.0.0.1
    stand_in scontrol <<<'[[ $* == "show hostnames localhost,127.0.0.1" ]] && printf "localhost\n127.0.0.1\n"'
    stand_in srun <<'EOF'
words=" $* "
while [[ $1 == --* ]]; do shift; done
case $words in
*" matrix "*)
    export SLURM_NTASKS=2 SLURM_STEP_NODELIST=localhost
    SLURM_PROCID=1 "$@" &
    SLURM_PROCID=0 "$@"
    status=$?
    wait
    exit "$status"
    ;;
*" --nodelist=localhost "*) exec "$@" ;;
*" --nodelist=127.0.0.1 "*) [[ -e down ]] || exec "$@" ;;
esac
echo "srun: error: Unable to create step"
exit 1
EOF
}

@test "slurm_pair.sh: a pair, with one document; without its client the server is ended" {
    slurm
    launch job bash "$examples/slurm_pair.sh" ib_read_lat -p "$port" -d soft0 -n 100
    finish job
    expect_status job 0
    expect_rows job 1
    expect_schema perftest.17.json
    touch down
    launch job bash "$examples/slurm_pair.sh" ib_read_lat -p "$port" -d soft0 -n 100
    finish job
    expect_status job 1
    rm down
    launch job bash "$examples/slurm_pair.sh" ib_read_lat --nosuch
    finish job
    expect_status job 2
    expect [ "$(grep -vc "unknown option '--nosuch'" job.err)" = 0 ] # nothing of the shell
}

@test "slurm_matrix.sh: both directions of two nodes" {
    slurm
    launch job bash "$examples/slurm_matrix.sh" -p "$port" ib_write_bw -d soft0 -n 100
    finish job
    expect_output job '2 hosts, .* ranks by Slurm'
    expect [ "$(jq '.measurements | length' matrix.17.json)" = 2 ]
}

# A command line as a daemon runs it: by sh, with little in the environment.
by_sh() { # NAME LINE
    local line=${2//\/var\/lib\/prometheus\/node-exporter/$PWD}
    launch "$1" env -i PATH="$PATH" XDG_RUNTIME_DIR="$XDG_RUNTIME_DIR" HOME="$PWD" SHELL=/bin/sh \
        /bin/sh -c "${line// node7/ -d soft0 -p $port 127.0.0.1}"
    finish "$1"
}

# The lines of a crontab's users, one after another.
cron() { # WHAT
    local line number=0
    while read -r line; do
        number=$((number + 1))
        [[ $line =~ ^([*/0-9,-]+\ ){5}root\ (.*)$ && ${BASH_REMATCH[2]} != *%* ]] || expect false "$line"
        line=${BASH_REMATCH[2]//node7.json/$1.json}
        line=${line//-D 10/-D 1}
        by_sh "job$number" "${line//\/var\/lib\/perftest/$PWD}"
    done < <(grep -E '^[^#]+ root ' "$examples/cron")
    expect [ "$number" = 2 ]
}

@test "cron, systemd: nothing is mailed of a link that is as fast as it was, one line if not, and the monitor has figures" {
    before_example
    launch server perftest serve -p "$port" -- -d soft0
    await server said server '^ready$'
    perftest gate --runs=2 --save_baseline=same.json ib_write_bw -D 1 -d soft0 -p "$port" 127.0.0.1 >save.out
    jq '(.gate.runs[].measurements[].bandwidth_average_bytes_per_second) = 1' same.json >slower.json
    jq '(.gate.runs[].measurements[].bandwidth_average_bytes_per_second) = 1e15' same.json >faster.json
    cron slower
    expect_status job1 0
    expect [ ! -s job1.out ]
    expect [ ! -s job1.err ]
    expect_status job2 0
    expect grep -q '^perftest_success{.*} 1$' node7.prom
    cron faster
    expect_status job1 3
    expect_error job1 'less than'
    # ... and by a timer of systemd
    rm node7.prom
    by_sh probe "$(sed -n 's/^ExecStart=//p' "$examples/rdma-probe.service")"
    expect_status probe 0
    expect_quiet probe
    expect grep -q '^perftest_success{.*label_link="rack7"} 1$' node7.prom
}

monitored() { # QUERY PATTERN
    promtool query instant "http://127.0.0.1:$queried" "$1" 2>/dev/null | grep -qE "$2"
}

# bats test_tags=long
@test "systemd, Prometheus: node_exporter takes what the timer writes, Prometheus scrapes it, and a query has it" {
    local tool exported=$((port + 1)) queried
    for tool in promtool prometheus prometheus-node-exporter; do
        command -v "$tool" >/dev/null || skip "$tool is not installed"
    done
    queried=$(pick_port "$((exported + 1))" "$((exported + 1000))")
    before_example
    launch server perftest serve -p "$port" -- -d soft0
    await server said server '^ready$'
    by_sh probe "$(sed -n 's/^ExecStart=//p' "$examples/rdma-probe.service")"
    expect_status probe 0
    promtool check metrics <node7.prom >lint.out 2>&1 || expect false "$(<lint.out)"
    expect [ ! -s lint.out ]
    launch exporter prometheus-node-exporter --web.listen-address="127.0.0.1:$exported" --collector.disable-defaults \
        --collector.textfile --collector.textfile.directory="$PWD"
    cat >prometheus.yml <<YAML
scrape_configs:
  - job_name: node
    scrape_interval: 1s
    static_configs: [{targets: ["127.0.0.1:$exported"]}]
YAML
    launch monitor prometheus --config.file=prometheus.yml --storage.tsdb.path=data --web.listen-address="127.0.0.1:$queried"
    await monitor monitored 'perftest_success{program="ib_write_lat", label_link="rack7"}' '=> 1 @'
    expect monitored 'perftest_latency_quantile_seconds{quantile="0.99"} < 1' 'size_bytes="2"'
    expect monitored node_textfile_scrape_error '=> 0 @'
    expect monitored 'time() - perftest_end_timestamp_seconds < 600' label_link
    for tool in monitor exporter; do
        kill "${pids[$tool]}"
        finish "$tool"
    done
}

# bats test_tags=long
@test "Prometheus: promtool has nothing to say of the metrics of any program or command" {
    local side ends=(-C 127.0.0.1 -b 127.0.0.1 -p "$port" -S -c 20)
    command -v promtool >/dev/null || skip "promtool is not installed"
    lint() { # FILE
        expect grep -q '^perftest_success{' "$1"
        promtool check metrics <"$1" >lint.out 2>&1 || expect false "$(<lint.out)"
        expect [ ! -s lint.out ]
    }
    launch server "$(program cmtime)" "${ends[@]}" -L
    await server listening server
    launch client "$(program cmtime)" "${ends[@]}" --out_json_file=cmtime.json --output_format=openmetrics
    for side in client server; do
        finish "$side"
        expect_status "$side" 0
    done
    lint client.out
    for side in one two; do
        good_pair ib_send_lat -n 200 --out_json_file=$side.json
    done
    "$PERFTEST_BUILD/perftest" compare --out_json_file=compare.json one.json two.json >compare.out || expect false
    "$PERFTEST_BUILD/perftest" metrics cmtime.json compare.json one.json >all.prom
    expect grep -q '^perftest_connections{.*step=' all.prom
    expect grep -q '^perftest_compare_first{.*figure="latency_typical_seconds"' all.prom
    lint all.prom
}

# A step's "run:", as a runner executes it: by "bash -e" in its folder, with the PATH that earlier steps have added to.
step() { # NAME
    local folder body
    folder=$(of github.yaml ".jobs.soft0.steps[] | select(.name == \"$1\")| .[\"working-directory\"] // \".\"")
    body=$(of github.yaml ".jobs.soft0.steps[] | select(.name == \"$1\").run")
    launch step env -C "$folder" PATH="$PWD/bin:$(paste -sd : path):$PATH" HOME="$PWD" GITHUB_PATH="$PWD/path" GITHUB_STEP_SUMMARY="$PWD/summary.md" \
        bash -e -c "${body//-d soft0/-d soft0 -p "$port"}"
    finish step
    expect_status step 0
}

@test "github.yaml: the steps, with an installation of what is built here" {
    taskset -c 1 true 2>/dev/null || skip "there is one CPU"
    command -v ibv_rc_pingpong >/dev/null || skip "ibv_rc_pingpong is not installed"
    mkdir bin perftest
    as_json github.yaml
    : >path
    stand_in sudo <<<'[[ $* == "apt-get install -y ibverbs-utils" ]]'
    printf '#!/bin/bash\necho "$@" >>../called\n' | tee perftest/runme perftest/autogen.sh perftest/configure >/dev/null
    chmod +x perftest/*
    # shellcheck disable=SC2016 # of make
    printf 'install:\n\t$(MAKE) -s -C %s install prefix=%s/rdma\n' "$PERFTEST_BUILD" "$PWD" >perftest/Makefile
    step "Install perftest"
    expect [ "$(paste -sd , called)" = "install,,--prefix=$PWD/rdma" ]
    step "Your programs on soft0"
    step "The suite itself"
    expect grep -q '^| bandwidth, 65536 bytes | [0-9.]* |' summary.md
    # and there are no other ones
    expect [ "$(of github.yaml '[.jobs[].steps[] | select(.run)] | length')" = 3 ]
}
