#!/usr/bin/env bash
# Runs the unit tests and short tests of edits under Miri, an interpreter that finds undefined behaviour (`rustup
# component add miri rust-src --toolchain nightly`). Miri has no AVX: kernels run in their portable form.
#
#   long-checks/miri.sh [filter of tests ...]
source "$(dirname "$0")/common.sh"

if ! cargo +nightly miri --version >/dev/null 2>&1; then
    skip_all 'Miri is not installed (rustup component add miri rust-src --toolchain nightly)'
fi
export MIRIFLAGS='-Zmiri-strict-provenance -Zmiri-disable-isolation' HEDGEROW_RANDOM_CASES=1 PROPTEST_CASES=1
headline 'unit tests'
cargo +nightly miri test -p hedgerow -p hedgerow-anim -p hedgerow-animator -p hedgerow-character -p hedgerow-gltf -p hedgerow-math -p hedgerow-mesh --lib -- "$@"
headline 'tests of edits'
cargo +nightly miri test -p hedgerow-tests --test all -- "${@:-edits::}"
skip 'tests with thousands of nodes: Miri is a thousand times slower'
finish
