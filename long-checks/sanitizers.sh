#!/usr/bin/env bash
# Runs all tests under AddressSanitizer and LeakSanitizer, as a development build and as a release build.
#
#   long-checks/sanitizers.sh [debug|release] [filter of tests ...]    both builds and all tests without arguments
source "$(dirname "$0")/common.sh"

builds=(debug release)
case "${1:-}" in
    debug | release) builds=("$1") && shift ;;
esac
case "$target" in
    x86_64-unknown-linux-gnu | aarch64-unknown-linux-gnu) ;;
    *) skip_all "there is no AddressSanitizer for $target" ;;
esac

export RUSTFLAGS='-Zsanitizer=address' ASAN_OPTIONS=detect_leaks=1
export CARGO_PROFILE_TEST_DEBUG=line-tables-only CARGO_PROFILE_DEV_DEBUG=0 CARGO_INCREMENTAL=0
for build in "${builds[@]}"; do
    headline "AddressSanitizer and LeakSanitizer, $build"
    options=(--workspace --exclude hedgerow-fuzz --exclude hedgerow-instructions --exclude hedgerow-unit-tests --all-features)
    options+=(--target "$target" --lib --tests)
    [ "$build" = debug ] || options+=(--release)
    # A test that reserves too much memory expects a null pointer, not an abort.
    ASAN_OPTIONS=$ASAN_OPTIONS:allocator_may_return_null=1 cargo +nightly test "${options[@]}" -- "$@"
done
skip 'doctests: they are built one by one, and hours go into linking them'
skip 'hedgerow-instructions: it counts instructions under valgrind; hedgerow-fuzz: see long-checks/fuzz.sh'
finish
