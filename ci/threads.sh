#!/usr/bin/env bash
# Runs the tests with threads under ThreadSanitizer, and frames of random edits on four threads.
#
#   ci/threads.sh [seconds of frames, 60 by default]
#
# The standard library is built with the sanitizer, too, from its source (`rustup component add rust-src --toolchain
# nightly`). `TOOLCHAIN=NAME RUSTC_BOOTSTRAP=1` takes another toolchain that has the source and the sanitizer's runtime.
source "$(dirname "$0")/common.sh"

toolchain=${TOOLCHAIN:-nightly}
source=$(rustc "+$toolchain" --print sysroot)/lib/rustlib/src/rust/library/Cargo.lock
if [ ! -f "$source" ]; then
    skip "everything: there is no $source"
    finish
    exit
fi
export RUSTFLAGS=-Zsanitizer=thread CARGO_INCREMENTAL=0 TSAN_OPTIONS=halt_on_error=1
export CARGO_PROFILE_RELEASE_OPT_LEVEL=1 CARGO_PROFILE_RELEASE_DEBUG=line-tables-only
options=(--target "$target" --features rayon -Zbuild-std)

headline 'tests with threads'
cargo "+$toolchain" test "${options[@]}" -p hedgerow --test all -- threads:: queue:: draws:: queries::
cargo "+$toolchain" test "${options[@]}" -p hedgerow-anim --test all -- threads::
headline 'frames of random edits'
cargo "+$toolchain" run "${options[@]}" --release -p hedgerow-soak -- frames --seconds "${1:-60}" --threads 4
finish
