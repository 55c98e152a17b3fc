#!/usr/bin/env bash
# Runs the tests with threads under ThreadSanitizer, and frames of random edits on four threads.
#
#   long-checks/threads.sh [seconds of frames, 60 by default]
#
# The standard library is also built with the sanitizer, from its source (`rustup component add rust-src --toolchain
# nightly`). Without the source, nothing runs. `TOOLCHAIN=NAME RUSTC_BOOTSTRAP=1` selects another toolchain that has the
# source and the sanitizer's runtime.
source "$(dirname "$0")/common.sh"

toolchain=${TOOLCHAIN:-nightly}
sysroot=$(rustc "+$toolchain" --print sysroot 2>/dev/null) || sysroot=
if [ ! -f "$sysroot/lib/rustlib/src/rust/library/Cargo.lock" ]; then
    skip_all "there is no source of the standard library (rustup component add rust-src --toolchain $toolchain)"
fi
export RUSTFLAGS='-Zsanitizer=thread' CARGO_INCREMENTAL=0 TSAN_OPTIONS=halt_on_error=1
export CARGO_PROFILE_TEST_DEBUG=line-tables-only
export CARGO_PROFILE_RELEASE_OPT_LEVEL=1 CARGO_PROFILE_RELEASE_DEBUG=line-tables-only
options=(--target "$target" --features rayon -Zbuild-std)

headline 'tests with threads'
cargo "+$toolchain" test "${options[@]}" -p hedgerow-tests -p hedgerow-anim-tests -p hedgerow-mesh --test all -- thread
headline 'frames of random edits'
cargo "+$toolchain" run "${options[@]}" --release -p hedgerow-soak -- frames --seconds "${1:-60}" --threads 4
finish
