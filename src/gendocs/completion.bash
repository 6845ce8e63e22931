# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Completion of the options, and of their values where they are words. The tables at the end are written by gen_docs from
# the option tables: edit src/params/ and run "make generate"; what is above them is src/gendocs/completion.bash. To try
# it: source this file.

_perftest() {
    local program=${COMP_WORDS[0]##*/} word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} values
    program=${program/#raw_ethernet_send_/raw_ethernet_} # its old name
    # "--option=value" comes as three words, and as two while the value is still empty
    if [[ $word == "=" ]]; then
        word=
    elif [[ $before == "=" ]]; then
        before=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    values=$(_perftest_values "$program" "$before")
    case $values in
    @none) COMPREPLY=() ;;
    @file)
        compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
        ;;
    @device)
        values=$(cd /sys/class/infiniband 2>/dev/null && printf '%s ' *)
        mapfile -t COMPREPLY < <(compgen -W "${values/\*/} soft0 soft1" -- "$word")
        ;;
    '')
        if [[ $word == -* ]]; then
            mapfile -t COMPREPLY < <(compgen -W "$(_perftest_options "$program")" -- "$word")
            [[ ${COMPREPLY[*]} != *= ]] || compopt -o nospace 2>/dev/null
        elif [[ $(_perftest_operands "$program") == @file ]]; then
            compopt -o filenames 2>/dev/null
            mapfile -t COMPREPLY < <(compgen -f -- "$word")
        else
            mapfile -t COMPREPLY < <(compgen -A hostname -W "$(_perftest_operands "$program")" -- "$word")
        fi
        ;;
    *) mapfile -t COMPREPLY < <(compgen -W "$values" -- "$word") ;;
    esac
}

_perftest_commands="run serve matrix compare gate verify list doctor merge metrics report"

# Scripts that are given a program of the suite, or any other, with its options; and krping_run.
_perftest_script() {
    local script=${COMP_WORDS[0]##*/} word=${COMP_WORDS[COMP_CWORD]} program i
    for ((i = COMP_CWORD - 1; i > 0; i--)); do
        program=${COMP_WORDS[i]##*/}
        [[ -n $(_perftest_options "${program/#raw_ethernet_send_/raw_ethernet_}") ]] || continue
        COMP_WORDS=("${COMP_WORDS[@]:i}") COMP_CWORD=$((COMP_CWORD - i))
        _perftest
        return
    done
    case $script:$COMP_CWORD in
    run_soft:1) mapfile -t COMPREPLY < <(compgen -A command -W "--list --help" -- "$word") ;;
    run_soft:2 | run_perftest_loopback:3) mapfile -t COMPREPLY < <(compgen -A command -- "$word") ;;
    runme:1)
        mapfile -t COMPREPLY < <(compgen -A hostname -W "$_perftest_programs check install --help" -- "$word")
        ;;
    runme:2) mapfile -t COMPREPLY < <(compgen -W "$_perftest_programs" -- "$word") ;;
    perftest:1) mapfile -t COMPREPLY < <(compgen -W "$_perftest_commands --ssh= --help --version" -- "$word") ;;
    perftest:*)
        case ${COMP_WORDS[1]} in
        help) mapfile -t COMPREPLY < <(compgen -W "$_perftest_commands $_perftest_programs" -- "$word") ;;
        doctor) # the options of a test
            COMP_WORDS[1]=ib_send_bw
            _perftest_script
            ;;
        merge)
            compopt -o filenames 2>/dev/null
            mapfile -t COMPREPLY < <(compgen -f -W "--help --part=local --part=total" -- "$word")
            ;;
        *) _perftest ;;
        esac
        ;;
    krping_run:*)
        if [[ ${COMP_WORDS[COMP_CWORD - 1]} == --json ]]; then
            compopt -o filenames 2>/dev/null
            mapfile -t COMPREPLY < <(compgen -f -- "$word")
        else
            mapfile -t COMPREPLY < <(compgen -W "--json --quiet --help server client" -- "$word")
        fi
        ;;
    *) COMPREPLY=() ;;
    esac
}

# For other shells: prints what the word at the end may become, one to a line.
_perftest_list() { # WORD...
    local prefix='' slash='' reply
    # bash's has no meaning where bash does not complete
    compopt() { [[ $2 != filenames ]] || slash=/; }
    COMP_WORDS=("$@") COMPREPLY=()
    if [[ ${!#} == --*=* ]]; then
        prefix=${!#}
        COMP_WORDS=("${@:1:$#-1}" "${prefix%%=*}" "=" "${prefix#*=}")
        prefix=${prefix%%=*}=
    fi
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    case ${1##*/} in
    perftest | runme | run_soft | run_perftest_loopback | krping_run) _perftest_script ;;
    *) _perftest ;;
    esac
    for reply in "${COMPREPLY[@]}"; do
        [[ ! -d $reply ]] || reply+=$slash
        printf '%s\n' "$prefix$reply"
    done
}
