# shellcheck shell=bash disable=SC2154
# ./test --full: the parts that take too long for every day. Sourced by ./test after setup.sh.

full_parts=(sanitizers physics exhaustive fuzz faults hostile mutations hashes soak coverage tidy clang debug portable fresh)

# Each part returns 0 when all is well, 77 when it cannot run here (after saying why), else it has failed.

part_sanitizers() {  # all modules' short tests under the address, undefined-behaviour and thread sanitizers
    local preset
    for preset in asan tsan; do
        configure "$preset" "$(arch_option)"
        build "$preset"
        ctest --preset "$preset" -j "$(nproc)"
    done
}

part_physics() { long_tests full-physics; }        # long simulations against known answers
part_exhaustive() { long_tests full-exhaustive; }  # all cases instead of samples
long_tests() {
    configure test "$(arch_option)"
    build test
    if ctest --test-dir build/test -N -L "^$1\$" | grep -q '^Total Tests: 0$'; then
        echo "there is no test with the label $1 yet"
        return 77
    fi
    ctest --test-dir build/test -L "^$1\$" --output-on-failure -j "$(nproc)"
}

part_fuzz() {  # every reader under clang's libFuzzer and sanitizers, PLUSH_FUZZ_SECONDS (600) each
    configure fuzz "$(arch_option)"
    build fuzz
    python3 -B tests/fuzz/fuzz.py build/fuzz/tests/plush_fuzz --jobs "$(nproc)"
}

part_faults() {  # writes, syncs, renames, opens and allocations that fail; kill -9; docs/reliability.md
    configure test "$(arch_option)"
    build test
    build/test/tests/test_app --gtest_filter='Faults*.*'
}

part_hostile() {  # 5,000 scenes that nobody would make, 25,000 damaged snapshots
    configure test "$(arch_option)"
    build test
    build/test/tests/test_world --gtest_filter='HostilePhysics*.*:HostileSnapshots*.*'
}

part_mutations() {  # breaks central laws one at a time: is there a test that notices?
    configure test "$(arch_option)"
    build test
    python3 -B tests/mutations/mutations.py . build/test
}

part_hashes() {  # short runs of every scene against stored hashes, on 1, 2 and 4 threads
    configure test "$(arch_option)"
    build test
    python3 -B tests/scenes/short_runs.py build/test/bin/plush --threads 1 --threads 2 --threads 4
}

part_soak() {  # a million steps of a mixer
    configure test "$(arch_option)"
    build test
    build/test/tests/test_world --gtest_filter='Soak*.*'
}

part_coverage() {  # lines of src that the short tests run
    configure coverage "$(arch_option)"
    build coverage
    ctest --preset coverage -j "$(nproc)" || true  # a test that is too slow so still counts what it ran
    python3 -B tests/coverage.py . build/coverage
}

part_tidy() {  # clang-tidy with .clang-tidy
    install_missing clang-tidy-14
    configure test "$(arch_option)"
    cmake --build --preset test --target plush_app >/dev/null  # what is generated
    python3 -B tests/house/tidy.py . build/test
}

part_clang() {  # the second compiler: other warnings, other reading of the standard
    configure clang "$(arch_option)"
    build clang
    ctest --preset clang -j "$(nproc)"
}

part_debug() {  # no optimisation: what inlining hides, as two definitions of one name
    configure debug "$(arch_option)"
    build debug
    ctest --preset debug -j "$(nproc)"
}

part_portable() {  # x86-64-v2 and no asserts: what a distribution would build
    configure portable
    build portable
    ctest --preset portable -j "$(nproc)"
}

part_fresh() { bash tests/fresh/fresh.sh; }  # a bare Debian 12, nothing installed

full() {  # [PART]
    local part status parts=("${full_parts[@]}") passed=() failed=() skipped=()
    if (($#)); then
        [[ " ${full_parts[*]} " == *" $1 "* ]] || stop 2 "there is no part '$1': choose from ${full_parts[*]}"
        parts=("$1")
        for part in "${full_parts[@]}"; do
            [[ $part == "$1" ]] || skipped+=("$part")
        done
    fi
    install_missing "${build_packages[@]}" "${test_packages[@]}"
    for part in "${parts[@]}"; do
        say "Part $part"
        set +e  # not `(...) || status=$?`: bash ignores set -e inside that
        (set -e; "part_$part")
        status=$?
        set -e
        case $status in
            0) passed+=("$part") ;;
            77) skipped+=("$part") ;;
            *) failed+=("$part") ;;
        esac
    done
    say "Passed: ${passed[*]:-none}. Failed: ${failed[*]:-none}. Not run: ${skipped[*]:-none}."
    ((${#failed[@]} == 0)) || return 1
    ((${#passed[@]})) || return 77  # nothing has run: no reason to call it good
}
