#!/usr/bin/env bash
# Fuzzes the reader of the viewer's messages with clang's libFuzzer: tests/view/fuzz/run.sh [SECONDS]. What it finds
# interesting goes into tests/data/view_commands_bad, which the short tests read again; a crash is left in the working folder.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../../.."
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
clang++-14 -std=c++20 -O1 -g -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined -DFMT_HEADER_ONLY \
    -Iinclude -Isrc tests/view/fuzz/fuzz_command.cpp src/view/command.cpp src/view/command_table.cpp src/view/layer.cpp \
    src/core/error.cpp src/core/did_you_mean.cpp src/core/suggestion.cpp -o "$out/fuzz_command"
mkdir "$out/new"
"$out/fuzz_command" -max_total_time="${1:-60}" -max_len=4096 -only_ascii=0 "$out/new" tests/data/view_commands_bad
"$out/fuzz_command" -merge=1 tests/data/view_commands_bad "$out/new"
