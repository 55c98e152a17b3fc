#!/usr/bin/env bash
# Compares all peers, on one thread and on two: see benches/peers/README.md.
#
#   benches/peers/run.sh [--json] [options of the program; --help lists them]
#
# Bevy's systems need separate builds for one thread and for two. So two programs take turns shape by shape, and one
# table has the results of both. $CARGO_TARGET_DIR or benches/peers/target keeps the builds.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
json=no options=() shapes=()
while [ $# -gt 0 ]; do
    case "$1" in
        --json) json=yes ;;
        --shapes) IFS=, read -ra shapes <<<"$2" && shift ;;
        *) options+=("$1") ;;
    esac
    shift
done
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$here/target}
results=$(mktemp -d)
trap 'rm -r "$results"' EXIT

for build in threads one; do
    features=()
    [ "$build" = one ] || features=(--features threads)
    cargo build --quiet --release --manifest-path "$here/Cargo.toml" ${features[@]+"${features[@]}"}
    cp "$CARGO_TARGET_DIR/release/hedgerow-peers" "$results/$build"
done
case " ${options[*]-} " in
    *" --help "* | *" --names "*) exec "$results/one" "${options[@]}" ;;
esac
[ ${#shapes[@]} -gt 0 ] || mapfile -t shapes < <("$results/one" --names)
for shape in "${shapes[@]}"; do
    for build in one threads; do
        "$results/$build" ${options[@]+"${options[@]}"} --shapes "$shape" --json >>"$results/lines"
    done
    [ "$json" = yes ] || { "$results/one" --table "$results/lines" && echo; }
    [ "$json" = no ] || cat "$results/lines"
    : >"$results/lines"
done
