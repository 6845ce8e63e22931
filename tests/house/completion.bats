#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Do the completions of bash, zsh and fish offer what the programs take, where they take it?

setup() {
    # shellcheck source=scripts/perftest-completion.bash
    source "$PERFTEST_TOP/scripts/perftest-completion.bash"
}

# The candidates for the last word of a command line, sorted, on one line. A separate "=" is a word, as in bash.
complete_line() { # WORD...
    COMP_WORDS=("$@")
    COMP_CWORD=$(($# - 1))
    COMPREPLY=()
    "${completer:-_perftest}" 2>/dev/null
    printf '%s\n' "${COMPREPLY[@]}" | sort | paste -s -d ' '
}

@test "long options of the program, those with a value with their sign" {
    [ "$(complete_line ib_write_bw --rate)" = "--rate_limit= --rate_limit_type= --rate_units=" ]
    [ "$(complete_line ./ib_write_bw --bid)" = "--bidirectional" ]
    [ "$(complete_line ib_write_lat --bid)" = "" ]
    [ "$(complete_line ib_read_lat --latency)" = "--latency_gap=" ]
    [ "$(complete_line cxi_send_bw --size)" = "--size= --sizes=" ]
}

@test "a program by its old name" {
    [ "$(complete_line raw_ethernet_send_bw --cl)" = "--client" ]
    [ "$(complete_line raw_ethernet_send_lat --output = l)" = "latency" ]
    complete -p raw_ethernet_send_bw raw_ethernet_send_lat
}

@test "words of a choice, of this program" {
    [ "$(complete_line ib_send_bw -c '')" = "DC RC SRD UC UD XRC" ]
    [ "$(complete_line ib_write_bw --connection = U)" = "UC" ]
    [ "$(complete_line ib_write_bw --connection =)" = "DC RC SRD UC XRC" ]
    [ "$(complete_line ib_read_bw --connection '')" = "DC RC SRD XRC" ]
    [ "$(complete_line ib_write_bw --output '')" = "all bandwidth message_rate" ]
    [ "$(complete_line ib_write_bw --mtu = a)" = "auto" ]
}

@test "devices, also those of the software" {
    [[ "$(complete_line ib_write_bw -d '')" == *"soft0 soft1"* ]]
    [ "$(complete_line ib_write_bw --ib-dev = soft)" = "soft0 soft1" ]
}

@test "files where an option takes one" {
    cd "$BATS_TEST_TMPDIR"
    touch result.json
    [ "$(complete_line ib_write_bw --out_json_file = res)" = "result.json" ]
}

@test "perftest help, and perftest doctor, which has the options of a test" {
    completer=_perftest_script
    [ "$(complete_line perftest help ga)" = "gate" ]
    [ "$(complete_line perftest help ib_write)" = "ib_write_bw ib_write_lat" ]
    [ "$(complete_line perftest doctor --ib-)" = "--ib-dev= --ib-port=" ]
    [[ "$(complete_line perftest doctor -d '')" == *"soft0 soft1"* ]]
}

@test "documents and options of perftest report" {
    cd "$BATS_TEST_TMPDIR"
    touch result.json
    completer=_perftest_script
    [ "$(complete_line perftest report res)" = "result.json" ]
    [ "$(complete_line perftest report result.json -o res)" = "result.json" ]
    [ "$(complete_line perftest report result.json --ti)" = "--title=" ]
    [ "$(complete_line perftest report --output_format = m)" = "markdown" ]
    [ "$(complete_line perftest metrics res)" = "result.json" ]
    [ "$(complete_line perftest merge res)" = "result.json" ]
    [ "$(complete_line perftest merge --pa)" = "--part=local --part=total" ]
}

@test "nothing where a number is wanted" {
    [ "$(complete_line ib_write_bw -s '')" = "" ]
}

@test "a program with options of its own" {
    [ "$(complete_line cmtime --re)" = "--repeat= --report-counters= --report_interval= --resolve_timeout= --retries=" ]
    [ "$(complete_line cmtime --output_format = c)" = "csv" ]
    [ "$(complete_line cmtime -c '')" = "" ]
    [ "$(complete_line cmtime --device)" = "" ]
    [ "$(complete_line qperf --loc)" = "" ]
    [ "$(complete_line qperf --verbose_more_t)" = "--verbose_more_time" ]
    [ "$(complete_line qperf --send z)" = "zerocopy" ]
    [ "$(complete_line qperf myserver tcp_l)" = "tcp_lat" ]
    [ "$(complete_line qperf --help cat)" = "categories" ]
}

@test "scripts in front of a program" {
    completer=_perftest_script
    [ "$(complete_line run_soft --l)" = "--list" ]
    [[ " $(complete_line run_soft bas) " == *" bash "* ]]
    [ "$(complete_line run_soft ib_write_bw -c S)" = "SRD" ]
    [ "$(complete_line ./runme ib_send_b)" = "ib_send_bw" ]
    [ "$(complete_line ./runme node7 cmt)" = "cmtime" ]
    [ "$(complete_line ./runme node7 ib_write_bw --output_format = c)" = "csv" ]
    [ "$(complete_line run_perftest_loopback 0 1 ./raw_ethernet_send_bw --cl)" = "--client" ]
    [ "$(complete_line run_perftest_loopback 0 '')" = "" ]
    [ "$(complete_line krping_run cl)" = "client" ]
    [ "$(complete_line krping_run --q)" = "--quiet" ]
    complete -p runme run_soft run_perftest_loopback krping_run
}

# The same through what zsh and fish ask.
listed() { # WORD...
    bash -c 'source "$0" && _perftest_list "$@"' "$PERFTEST_TOP/scripts/perftest-completion.bash" "$@" | sort | paste -s -d ' '
}

@test "for other shells: whole words, one to a line" {
    cd "$BATS_TEST_TMPDIR"
    mkdir results
    [ "$(listed ib_write_bw --output=)" = "--output=all --output=bandwidth --output=message_rate" ]
    [ "$(listed ib_write_bw --connection U)" = "UC" ]
    [ "$(listed ib_write_bw --out_json_file=res)" = "--out_json_file=results/" ]
    [ "$(listed ./runme node7 ib_send_bw -c S)" = "SRD" ]
    [ "$(listed ib_write_bw -s '')" = "" ]
}

@test "zsh and fish complete for all programs and scripts" {
    local file names
    # shellcheck disable=SC2154 # of the sourced file
    names="$_perftest_programs raw_ethernet_send_bw raw_ethernet_send_lat perftest runme run_soft run_perftest_loopback krping_run"
    [ "$(sed -n '1s/^#compdef //p' "$PERFTEST_TOP/scripts/_perftest")" = "$names" ]
    [ "$(sed -n 's/^for name in //p' "$PERFTEST_TOP/scripts/perftest-completion.fish")" = "$names" ]
}

@test "zsh: what it offers" {
    command -v zsh >/dev/null || skip "zsh is not installed"
    cat >"$BATS_TEST_TMPDIR/ask" <<'ZSH'
compadd() {
    while [[ $1 != -- ]]; do shift; done
    shift
    (($# == 0)) || print -l -- "$@"
}
fpath=($1 $fpath)
autoload -Uz _perftest
shift
words=("$@")
CURRENT=$#words
_perftest
ZSH
    [ "$(zsh -f "$BATS_TEST_TMPDIR/ask" "$PERFTEST_TOP/scripts" ib_write_bw --bid | paste -s -d ' ')" = "--bidirectional" ]
    [ "$(zsh -f "$BATS_TEST_TMPDIR/ask" "$PERFTEST_TOP/scripts" ib_write_bw --connection=U | paste -s -d ' ')" = "--connection=UC" ]
    [ "$(zsh -f "$BATS_TEST_TMPDIR/ask" "$PERFTEST_TOP/scripts" qperf myserver tcp_l | paste -s -d ' ')" = "tcp_lat" ]
    # and it is a function of its completion system
    [ "$(zsh -f -c 'fpath=('"$PERFTEST_TOP"'/scripts $fpath); autoload -Uz compinit; compinit -D -u; print $_comps[ib_send_lat]')" = _perftest ]
}

@test "fish: what it offers" {
    command -v fish >/dev/null || skip "fish is not installed"
    offers() { # LINE
        HOME=$BATS_TEST_TMPDIR fish --no-config -c "source '$PERFTEST_TOP/scripts/perftest-completion.fish'; complete -C '$1'" | paste -s -d ' '
    }
    [ "$(offers 'ib_write_bw --bid')" = "--bidirectional" ]
    [ "$(offers 'ib_write_bw --connection=U')" = "--connection=UC" ]
    [ "$(offers 'qperf myserver tcp_l')" = "tcp_lat" ]
    [ "$(offers 'run_soft ib_write_bw -c S')" = "SRD" ]
}
