#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Is a name found that two files define?

setup() {
    check=$(cd "$BATS_TEST_DIRNAME/.." && pwd)/check_names
    cd "$BATS_TEST_TMPDIR" || return 1
    mkdir -p src/net src/main soft/cm
    printf 'struct link {\n\tint fd;\n};\n\nint link_open(struct link *link)\n{\n\treturn 0;\n}\n' >src/net/link.c
    printf 'int main(void)\n{\n\treturn 0;\n}\n' | tee src/main/one.c >src/main/two.c
}

@test "names: a declaration and a call are no second definition, nor is main" {
    printf 'int link_open(struct link *link);\n\nint cm_open(void)\n{\n\tif (link_open(NULL))\n\t{\n\t}\n\treturn 0;\n}\n' >soft/cm/cm.c
    run "$check" "$PWD"
    [ "$status" -eq 0 ]
    [ -z "$output" ]
}

@test "names: a function of two files is found, attributes and pointers to functions among its arguments or not" {
    printf '__attribute__((noinline)) void *link_open(void (*look)(void *), int port) /* why */\n{\n}\n' >soft/cm/cm.c
    run "$check" "$PWD"
    [ "$status" -eq 1 ]
    [[ $output == "src/net/link.c:5 and soft/cm/cm.c:1 both define the function link_open" ]]
}

@test "names: static functions of two files may have the same name" {
    printf 'static int read_port(void)\n{\n\treturn 0;\n}\n' | tee soft/cm/cm.c >src/net/port.c
    run "$check" "$PWD"
    [ "$status" -eq 0 ]
    [ -z "$output" ]
}

@test "names: a struct of two files is found" {
    printf 'static const struct link {\n\tint channel;\n} links[1];\n' >soft/cm/cm.c
    run "$check" "$PWD"
    [ "$status" -eq 1 ]
    [[ $output == "src/net/link.c:1 and soft/cm/cm.c:1 both define the struct link" ]]
}
