#!/usr/bin/env bash
# Changes the program in small ways, one at a time, and sees whether a test fails (cargo-mutants). What survives is listed
# in target/mutants.out/missed.txt; each is to be killed by a test, or harmless.
#
#   ci/mutants.sh [files ...]            storage, scene, passes and handles without arguments: days
#   ci/mutants.sh --sample N [files ...] about N of them, evenly spread over the list
#
# Each mutant is built and tested by itself, which is slow.
source "$(dirname "$0")/common.sh"

if ! cargo mutants --version >/dev/null 2>&1; then
    skip 'everything: cargo-mutants is not installed (cargo install cargo-mutants --locked)'
    finish
    exit
fi
sample=
if [ "${1:-}" = --sample ]; then
    sample=${2:?--sample needs a number}
    shift 2
fi
options=(--package hedgerow)
for file in "$@"; do options+=(--file "$file"); done
if [ -n "$sample" ]; then
    count=$(cargo mutants --list "${options[@]}" | wc -l)
    shards=$(((count + sample - 1) / sample))
    echo "every ${shards}th of $count mutants"
    options+=(--shard "0/$shards" --sharding round-robin)
    skip "mutants that are not in the sample of $sample"
fi
options+=(--timeout 300 --build-timeout 900 --jobs 1 --output "${CARGO_TARGET_DIR:-target}")
headline 'mutants'
# No debug information, and only what a change touches is compiled. Four random cases instead of 76 a test: what they
# find, they find early.
export CARGO_PROFILE_TEST_DEBUG=0 CARGO_PROFILE_DEV_DEBUG=0 CARGO_INCREMENTAL=1 HEDGEROW_RANDOM_CASES=4
nice -n 19 cargo mutants "${options[@]}" || true
cat "${CARGO_TARGET_DIR:-target}"/mutants.out/missed.txt
finish
