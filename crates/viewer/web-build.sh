#!/usr/bin/env bash
# Builds the viewer's web page into a folder that any web server can hand out, and prints the bytes of its files. The
# module is built twice, for WebGPU and for WebGL 2; a browser loads one of them.
#
#   crates/viewer/web-build.sh [FOLDER]     default: target/page
#
# The compiler is found as .ci/other-machines does it. wasm-bindgen's program is installed to target/ci-tools where the
# version that Cargo.lock names is not there. What cannot be had is a line "SKIPPED: ...", and status 3.
set -euo pipefail
cd "$(dirname "$0")"

root=$(cd ../.. && pwd)
target_folder=${CARGO_TARGET_DIR:-$root/target}
folder=${1:-$target_folder/page}
target=wasm32-unknown-unknown
export CARGO_TERM_COLOR=never CARGO_INCREMENTAL=0

skip() {
    echo "SKIPPED: $1"
    exit 3
}

RUSTC=$("$root/.ci/other-machines" --compiler "$target") || skip "there is no standard library of $target"
linker=$(rustc --print target-libdir)/../bin/rust-lld
[ -x "$linker" ] || skip 'there is no rust-lld beside rustc'

# The program has to be of the very version of the crate.
version=$(sed -n '/^name = "wasm-bindgen"$/{n;s/version = "\(.*\)"/\1/p}' Cargo.lock)
bindgen=$(command -v wasm-bindgen || true)
is_right() {
    [ "$("$1" --version 2>/dev/null)" = "wasm-bindgen $version" ]
}
bindgen=wasm-bindgen
is_right "$bindgen" || bindgen=$target_folder/ci-tools/bin/wasm-bindgen
if ! is_right "$bindgen"; then
    install=(cargo install wasm-bindgen-cli --version "$version" --bin wasm-bindgen --root "$target_folder/ci-tools")
    # Versions that its lock file names may be gone.
    "${install[@]}" --quiet --locked >&2 || "${install[@]}" --quiet >&2 || skip "wasm-bindgen $version cannot be had"
fi

export RUSTC
upper=WASM32_UNKNOWN_UNKNOWN
rm -rf "$folder"
mkdir -p "$folder"
for feature in webgpu webgl; do
    env "CARGO_TARGET_${upper}_LINKER=$linker" "CARGO_TARGET_${upper}_RUSTFLAGS=-C target-feature=+simd128" \
        cargo rustc --profile web --lib --crate-type cdylib --no-default-features --features "$feature" --target "$target" \
        --target-dir "$target_folder" --locked
    "$bindgen" --target web --no-typescript --remove-name-section --remove-producers-section --out-dir "$folder" \
        --out-name "$feature" "$target_folder/$target/web/hedgerow_viewer.wasm"
done
cp web/index.html web/viewer.js web/files.js "$folder"

printf '%9s %9s  %s\n' bytes gzip file
for file in "$folder"/*; do
    printf '%9d %9d  %s\n' "$(wc -c <"$file")" "$(gzip -9 -c "$file" | wc -c)" "$(basename "$file")"
done
for feature in webgpu webgl; do
    loaded=("$folder"/{index.html,viewer.js,files.js} "$folder/$feature"*)
    printf '%9d %9d  loaded by a browser with %s\n' "$(cat "${loaded[@]}" | wc -c)" \
        "$(for file in "${loaded[@]}"; do gzip -9 -c "$file"; done | wc -c)" "$feature"
done
echo "the page is in $folder"
