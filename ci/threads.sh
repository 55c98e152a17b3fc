#!/usr/bin/env bash
# The tests with threads under ThreadSanitizer. The standard library has to be built with it, from the source
# (`rustup component add rust-src --toolchain nightly`).
source "$(dirname "$0")/common.sh"

source=$(rustc +nightly --print sysroot)/lib/rustlib/src/rust/library/Cargo.lock
if [ ! -f "$source" ]; then
    skip "everything: ThreadSanitizer needs -Zbuild-std, and there is no $source (rustup component add rust-src)"
    finish
    exit
fi
headline 'ThreadSanitizer'
export RUSTFLAGS=-Zsanitizer=thread TSAN_OPTIONS=halt_on_error=1
cargo +nightly test -Zbuild-std --target "$target" -p hedgerow --features rayon --test all -- threads:: queue:: draws:: queries::
cargo +nightly test -Zbuild-std --target "$target" -p hedgerow-anim --features rayon --test all -- threads::
cargo +nightly run -Zbuild-std --target "$target" --release -p hedgerow-soak --features rayon -- frames --seconds 60 --threads 4
finish
