#!/usr/bin/env bash
# Checks licences, sources and advisories of dependencies, builds with the oldest direct dependencies and the oldest
# compiler that the manifests allow, and compares the public interface with the last published one.
source "$(dirname "$0")/common.sh"

folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
copy() {
    git ls-files -z | tar --null --files-from - -c | tar -x -C "$folder"
}

headline 'least versions of direct dependencies'
copy
# Only the libraries: users need no dependencies of tests and experiments.
(
    cd "$folder"
    for manifest in Cargo.toml crates/{anim,character,gltf,math,mesh}/Cargo.toml; do
        awk '/^\[/ { left_out = /dev-dependencies|^\[\[(bench|example|test)\]\]/ } !left_out' "$manifest" >"$manifest.least"
        mv "$manifest.least" "$manifest"
    done
    sed -i '/^members = \[/,/^\]/d; /^default-members = \[/,/^\]/d' Cargo.toml
    sed -i 's/^\[workspace\]$/[workspace]\nmembers = [".", "crates\/anim", "crates\/character", "crates\/gltf", "crates\/math", "crates\/mesh"]/' Cargo.toml
    cargo +nightly -Zdirect-minimal-versions generate-lockfile
    CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$OLDPWD/target}/least cargo check --workspace --all-features --lib
)

headline 'licences, sources, advisories'
if ! cargo deny --version >/dev/null 2>&1; then
    skip 'licences, sources, advisories: cargo-deny is not installed (cargo install cargo-deny --locked)'
else
    deny() {
        cargo deny --manifest-path "$1" --config deny.toml --workspace --all-features check --hide-inclusion-graph \
            "${@:2}"
    }
    for manifest in Cargo.toml crates/viewer/Cargo.toml benches/peers/Cargo.toml benches/ozz/Cargo.toml; do
        deny "$manifest" bans licenses sources
    done
    # The database is fetched; where that cannot be done, this is left out.
    if cargo deny fetch db >/dev/null 2>&1; then
        for manifest in Cargo.toml crates/viewer/Cargo.toml; do deny "$manifest" advisories; done
    else
        skip 'advisories: their database cannot be fetched here'
    fi
fi

least=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
headline "Rust $least"
if rustup toolchain list | grep -q "^$least[.-]"; then
    cargo "+$least" check -p hedgerow -p hedgerow-anim -p hedgerow-animator -p hedgerow-character -p hedgerow-gltf -p hedgerow-math -p hedgerow-mesh --all-features --lib
else
    skip "Rust $least: that toolchain is not installed (rustup toolchain install $least)"
fi

headline 'public interface'
if ! cargo semver-checks --version >/dev/null 2>&1; then
    skip 'the public interface: cargo-semver-checks is not installed (cargo install cargo-semver-checks --locked)'
elif [ -z "${HEDGEROW_BASELINE:-}" ]; then
    skip 'the public interface: nothing is published yet; HEDGEROW_BASELINE may name a revision to compare with'
else
    cargo semver-checks --baseline-rev "$HEDGEROW_BASELINE" -p hedgerow -p hedgerow-anim -p hedgerow-animator -p hedgerow-character -p hedgerow-gltf -p hedgerow-math -p hedgerow-mesh --all-features
fi
finish
