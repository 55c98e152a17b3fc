#!/usr/bin/env bash
# Runs the tests with the standard library's checks of preconditions (`-Zub-checks`), and with the fields of our types
# in random order (`-Zrandomize-layout`), which finds code that relies on an unspecified order.
#
#   long-checks/checked-library.sh                   everything: the conditions, and 16 orders
#   long-checks/checked-library.sh conditions        the conditions only
#   long-checks/checked-library.sh orders [N ...]    the orders with these numbers only, 1 to 16 without numbers
#
# An order takes about two minutes of a core: dependencies are compiled once for all orders, nothing is optimised, and
# slow tests are left out.
source "$(dirname "$0")/common.sh"

what=${1:-everything}
[ $# -eq 0 ] || shift
orders=("$@")
[ ${#orders[@]} -gt 0 ] || mapfile -t orders < <(seq 16)
out=$(realpath -m "${CARGO_TARGET_DIR:-target}")/checked-library
mkdir -p "$out"
export CARGO_TARGET_DIR=$out/target CARGO_PROFILE_TEST_DEBUG=0 CARGO_PROFILE_DEV_DEBUG=0 CARGO_INCREMENTAL=0
slow=(deep:: large_trees:: world_space:: bulk:: batches::)
# Tests of sizes that only the compiler's own order gives.
sizes=(a_vacant_slot_costs_no_byte)
run() {
    cargo +nightly test -p hedgerow -p hedgerow-anim -p hedgerow-animator -p hedgerow-character -p hedgerow-gltf -p hedgerow-math -p hedgerow-mesh \
        -p hedgerow-tests -p hedgerow-anim-tests -p hedgerow-character-tests --all-features --lib --test all "$@"
}

if [ "$what" != orders ]; then
    headline 'conditions of the standard library'
    RUSTFLAGS='-Zub-checks=yes' run --release
fi
if [ "$what" != conditions ]; then
    for order in "${orders[@]}"; do
        headline "fields in random order, number $order"
        # Cargo recompiles the workspace for each name of the wrapper.
        ln -sf "$PWD/long-checks/with-random-layout" "$out/layout-$order"
        HEDGEROW_RANDOM_CASES=1 RUSTC_WORKSPACE_WRAPPER=$out/layout-$order \
            CARGO_PROFILE_TEST_OPT_LEVEL=0 run -- "${slow[@]/#/--skip=}" "${sizes[@]/#/--skip=}"
    done
fi
skip 'the standard library itself is as it is delivered: its own code is checked only where it is inlined'
skip "tests that are slow without optimisation, in the orders: ${slow[*]}"
skip "sizes that nothing but the compiler's order gives: ${sizes[*]}"
skip 'types of dependencies have the order that the compiler gives them'
finish
