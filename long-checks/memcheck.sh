#!/usr/bin/env bash
# Runs the unit tests of all libraries and the tests of edits under valgrind's memcheck. It finds reads of uninitialised
# memory, which AddressSanitizer does not.
#
#   long-checks/memcheck.sh [filter of tests ...]
source "$(dirname "$0")/common.sh"

if ! command -v valgrind >/dev/null; then
    skip_all 'valgrind is not installed'
fi
# Valgrind supports AVX2 but not AVX-512, and kernels detect this.
export CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER='valgrind --quiet --error-exitcode=9 --leak-check=full --show-leak-kinds=definite --errors-for-leak-kinds=definite'
export HEDGEROW_RANDOM_CASES=1 PROPTEST_CASES=2
export CARGO_PROFILE_TEST_DEBUG=line-tables-only CARGO_PROFILE_DEV_DEBUG=0 CARGO_INCREMENTAL=0
filters=("$@")
[ ${#filters[@]} -gt 0 ] ||
    filters=(edits:: handles:: slices:: detached:: meshes:: snapshot:: visitors::)
headline 'unit tests'
cargo test -p hedgerow -p hedgerow-anim -p hedgerow-animator -p hedgerow-character -p hedgerow-gltf -p hedgerow-math -p hedgerow-mesh --lib --features hedgerow-anim/_levels -- --test-threads 1 --skip levels
headline 'tests of edits'
cargo test -p hedgerow-tests -p hedgerow-mesh --test all -- --test-threads 1 "${filters[@]}"
skip 'kernels with AVX-512: valgrind does not know it'
skip 'tests with many nodes and random ones in number: memcheck is fifty times slower'
finish
