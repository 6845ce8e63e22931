#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Is a document found that speaks of what is not there, or a folder of which none speaks?

# shellcheck disable=SC2016 # backquotes are those of Markdown
setup() {
    check=$(cd "$BATS_TEST_DIRNAME/.." && pwd)/check_docs
    cd "$BATS_TEST_TMPDIR" || return 1
    mkdir -p src/net soft/data docs
    printf 'struct link {\n\tint fd;\n};\nint link_open(struct link *link)\n{\n}\n' >src/net/link.c
    echo 'int data_post(void);' >soft/data/data.h
    echo '`src/net/` opens a `struct link` (`link.c`) with `link_open()`, which calls `open()`. `soft/data/` posts.' >docs/architecture.md
    echo 'See `docs/architecture.md`, and `src/*/l*.c`.' >CONTRIBUTING.md
}

finds() {
    run "$check" "$PWD"
    [ "$status" -eq 1 ]
    [ "$output" = "$1" ]
}

@test "docs: what is there may be named" {
    run "$check" "$PWD"
    [ "$status" -eq 0 ]
    [ -z "$output" ]
}

# shellcheck disable=SC2016
@test "docs: a file that has gone is found" {
    mv src/net/link.c src/net/wire.c
    echo 'It was `src/net/link.c`.' >CONTRIBUTING.md
    finds $'docs/architecture.md:1: there is no file link.c\nCONTRIBUTING.md:1: there is no file src/net/link.c'
}

@test "docs: a function and a struct of another name are found" {
    sed -i 's/link_open/link_make/; s/struct link/struct ends/' src/net/link.c
    finds $'docs/architecture.md:1: there is no definition of struct link\ndocs/architecture.md:1: there is no function link_open()'
}

# shellcheck disable=SC2016
@test "docs: a document for users may name their files and functions of libraries, and no source that has gone" {
    echo '`run.json` by `ibv_open_device()` with `struct ibv_device`; `link_open()` in `link.c`' >docs/output.md
    run "$check" "$PWD"
    [ "$status" -eq 0 ]
    echo 'See `net/wire.c` and `link_close()`.' >>docs/output.md
    finds $'docs/output.md:2: there is no file net/wire.c\ndocs/output.md:2: there is no function link_close()'
}

@test "docs: a folder of which no document speaks is found" {
    mkdir soft/memory
    echo 'int memory_map(void);' >soft/memory/map.h
    finds "docs/architecture.md: does not say what soft/memory/ is for"
}

@test "docs: the schema of documents is one, and what is none is named" {
    local validate="$BATS_TEST_DIRNAME/../validate_json"
    run "$validate" "$BATS_TEST_DIRNAME/../../docs/schema.json"
    [ "$status" -ne 77 ] || skip "python3-jsonschema is missing"
    [ "$status" -eq 0 ]
    echo '{"properties": {"sends": {"minimum": "none"}}}' >schema.json
    run "$validate" schema.json
    [ "$status" -eq 1 ]
    [[ $output == *"'none' is not of type 'number'"* ]]
}
