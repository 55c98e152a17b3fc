#!/usr/bin/env bash
# The suite with checks of the standard library's own conditions (`-Zub-checks`), and with fields of types in random order
# (`-Zrandomize-layout`), which finds code that relies on an order that nothing promises.
#
#   ci/checked-library.sh [how many orders, 16 by default]
source "$(dirname "$0")/common.sh"

orders=${1:-16}
run() {
    cargo +nightly test -p hedgerow -p hedgerow-anim -p hedgerow-math --all-features --lib --test all "$@"
}
headline 'conditions of the standard library'
RUSTFLAGS='-Zub-checks=yes' run --release
for seed in $(seq "$orders"); do
    headline "fields in random order, $seed of $orders"
    # Unit tests hold the sizes of types against what the documentation says, and so does `contract`.
    HEDGEROW_RANDOM_CASES=4 RUSTFLAGS="-Zrandomize-layout -Zlayout-seed=$seed" run
done
skip 'the standard library itself is as it is delivered: its own code is checked only where it is inlined'
finish
