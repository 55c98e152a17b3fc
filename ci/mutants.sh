#!/usr/bin/env bash
# Changes the program in small ways, one at a time, and sees whether a test fails (cargo-mutants). What survives is listed
# in target/mutants.out/missed.txt; each is to be killed by a test, or explained in RELIABILITY.md.
#
#   ci/mutants.sh [files ...]    storage, scene, passes and handles without arguments: a day
source "$(dirname "$0")/common.sh"

if ! cargo mutants --version >/dev/null 2>&1; then
    skip 'everything: cargo-mutants is not installed (cargo install cargo-mutants --locked)'
    finish
    exit
fi
files=("$@")
[ ${#files[@]} -gt 0 ] || files=('src/store/**/*.rs' 'src/scene/**/*.rs' 'src/pass/**/*.rs' src/handle.rs)
options=(--package hedgerow --timeout 300 --build-timeout 900 --jobs 1 --output "${CARGO_TARGET_DIR:-target}")
for file in "${files[@]}"; do options+=(--file "$file"); done
headline 'mutants'
# Eight random cases instead of 76 a test: what they find, they find early.
HEDGEROW_RANDOM_CASES=8 nice -n 19 cargo mutants "${options[@]}" -- --lib --test all || true
cat "${CARGO_TARGET_DIR:-target}"/mutants.out/missed.txt
finish
