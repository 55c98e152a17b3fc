#!/usr/bin/env bash
# Runs all fuzz targets under AddressSanitizer, one after the other, starting from their corpora.
#
#   long-checks/fuzz.sh [seconds for each, 600 by default] [targets ...]
#   long-checks/fuzz.sh --minimise    minimises the corpora without losing coverage
source "$(dirname "$0")/common.sh"

minimise=no seconds=600
case "${1:-}" in
    --minimise) minimise=yes && shift ;;
    [0-9]*) seconds=$1 && shift ;;
esac
targets=("$@")
if ! cargo fuzz --version >/dev/null 2>&1 || ! cargo +nightly --version >/dev/null 2>&1; then
    skip_all 'cargo-fuzz or the nightly toolchain is not installed'
fi
[ ${#targets[@]} -gt 0 ] || mapfile -t targets < <(cargo +nightly fuzz list)
# Longer inputs find the same errors, but more slowly.
longest() {
    case "$1" in
        edits | batches | restore | visit_mutate | snapshot) echo 2048 ;;
        gltf | library_text | serde) echo 4096 ;;
        *) echo 512 ;;
    esac
}
for fuzzed in "${targets[@]}"; do
    headline "$fuzzed"
    length=$(longest "$fuzzed")
    if [ "$minimise" = yes ]; then
        # The fewest files that reach all code that the corpus and `target/corpus` reach: these are committed.
        merged=$(mktemp -d)
        found=${CARGO_TARGET_DIR:-target}/corpus/$fuzzed
        mkdir -p "$found"
        cargo +nightly fuzz run "$fuzzed" "$merged" "fuzz/corpus/$fuzzed" "$found" -- \
            -set_cover_merge=1 -use_counters=0 -max_len="$length"
        rm -r "fuzz/corpus/$fuzzed"
        mv "$merged" "fuzz/corpus/$fuzzed"
    else
        mkdir -p "fuzz/corpus/$fuzzed" "${CARGO_TARGET_DIR:-target}/corpus/$fuzzed"
        # New inputs go to the first folder, so the committed corpus stays small.
        cargo +nightly fuzz run "$fuzzed" "${CARGO_TARGET_DIR:-target}/corpus/$fuzzed" "fuzz/corpus/$fuzzed" -- \
            -max_total_time="$seconds" -max_len="$length" -len_control=0 -verbosity=0 -print_final_stats=1
    fi
done
finish
