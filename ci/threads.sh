#!/usr/bin/env bash
# Runs the tests with threads under ThreadSanitizer, and frames of random edits on four threads.
#
#   ci/threads.sh [seconds of frames, 60 by default]
#
# The standard library must be built with the sanitizer, too, from its source (`rustup component add rust-src
# --toolchain nightly`). Without the source, only frames run. The sanitizer then does not see the library's locks, and
# reports false races where rayon's threads begin, sleep and end. So a report counts only if one of its accesses is in
# our code, or in the standard library called from our code. This hides no real race: missing locks only add reports.
source "$(dirname "$0")/common.sh"

seconds=${1:-60}
source=$(rustc +nightly --print sysroot)/lib/rustlib/src/rust/library/Cargo.lock
export RUSTFLAGS=-Zsanitizer=thread CARGO_INCREMENTAL=0
export CARGO_PROFILE_RELEASE_OPT_LEVEL=1 CARGO_PROFILE_RELEASE_DEBUG=line-tables-only
options=(--target "$target" --features rayon)
frames() {
    cargo +nightly run "${options[@]}" "$@" --release -p hedgerow-soak -- frames --seconds "$seconds" --threads 4
}

if [ -f "$source" ]; then
    headline 'ThreadSanitizer, with the standard library'
    export TSAN_OPTIONS=halt_on_error=1
    options+=(-Zbuild-std)
    cargo +nightly test "${options[@]}" -p hedgerow --test all -- threads:: queue:: draws:: queries::
    cargo +nightly test "${options[@]}" -p hedgerow-anim --test all -- threads::
    frames
    finish
    exit
fi

headline 'ThreadSanitizer, without the standard library'
RUSTFLAGS+=' -Cunsafe-allow-abi-mismatch=sanitizer'
reports=$(mktemp)
trap 'rm "$reports"' EXIT
cargo +nightly build "${options[@]}" --release -p hedgerow-soak
TSAN_OPTIONS="halt_on_error=0 exitcode=0" frames 2>"$reports" || { cat "$reports" && exit 1; }
# The first stack frame in a crate decides whose access it is.
awk -v root="$PWD/" '
    function tell() { if (ours) { printf "%s", text; failed = 1 } }
    /WARNING: ThreadSanitizer/ { tell(); ours = 0; text = ""; count++ }
    { text = text $0 "\n" }
    /^  .*(read|write|Read|Write) of size/ { access = 1; next }
    !/^    #/ || /rayon|crossbeam/ { access = 0 }
    # The counting allocator is below all calls.
    access && index($0, " " root) && !/crates\/soak\/src\/memory.rs/ { access = 0; ours = 1 }
    END {
        tell()
        printf "%d reports, %s\n", count, failed ? "those above of our code" : "none of them of our code"
        exit failed
    }' "$reports"
skip "the tests with threads, and what the standard library does: there is no $source"
finish
