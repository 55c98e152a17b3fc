#!/usr/bin/env bash
# Makes small changes to the program, one at a time, and checks that a test fails (cargo-mutants). Surviving mutants are
# listed in target/mutants.out/missed.txt; each needs a test, unless it is harmless.
#
#   long-checks/mutants.sh [files ...]            without arguments: storage, scene, passes, handles; takes days
#   long-checks/mutants.sh --sample N [files ...] about N mutants, evenly spread over the list
#
# Each mutant is built and tested separately, which is slow.
source "$(dirname "$0")/common.sh"

if ! cargo mutants --version >/dev/null 2>&1; then
    skip_all 'cargo-mutants is not installed (cargo install cargo-mutants --locked)'
fi
sample=
if [ "${1:-}" = --sample ]; then
    sample=${2:?--sample needs a number}
    shift 2
fi
options=(--package hedgerow)
for package in hedgerow hedgerow-unit-tests hedgerow-tests; do options+=(--test-package "$package"); done
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
# No debug information, and incremental compilation.
export CARGO_PROFILE_TEST_DEBUG=0 CARGO_PROFILE_DEV_DEBUG=0 CARGO_INCREMENTAL=1
nice -n 19 cargo mutants "${options[@]}" || true
cat "${CARGO_TARGET_DIR:-target}"/mutants.out/missed.txt
finish
