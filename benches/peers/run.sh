#!/usr/bin/env bash
# All peers beside one another, on one thread and on two: benches/peers/README.md says what is measured.
#
#   benches/peers/run.sh [--fyrox] [--osg] [--three FOLDER] [--godot] [--json] [options of the program; --help lists them]
#
# Four peers more, on one thread, each with what must be there (names of Debian's packages):
#   --fyrox         Fyrox's graph: some minutes of compilation, libasound2-dev, libudev-dev
#   --osg           OpenSceneGraph: a C++ compiler ($CXX or c++), libopenscenegraph-dev
#   --three FOLDER  three.js: node, and the folder of the package `three`, as `npm install three` makes it
#   --godot         Godot 3 by its scripts: godot3-server, socat; some 50 µs a node, so for small trees: --sizes 32768
# Nothing is fetched but crates.
#
# Bevy's systems on one thread and those on two are different builds. So there are two programs, which take turns shape
# by shape; then their results are printed in one table. $CARGO_TARGET_DIR or benches/peers/target keeps the builds.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
json=no osg=no three= godot=no one=() options=()
shapes=()
while [ $# -gt 0 ]; do
    case "$1" in
        --json) json=yes ;;
        --fyrox) one=(--features fyrox) ;;
        --osg) osg=yes ;;
        --godot) godot=yes ;;
        --three)
            [ -f "${2-}/build/three.module.js" ] || {
                echo "--three takes the folder of the package three: there is no ${2-}/build/three.module.js" >&2
                exit 2
            }
            three=$2 && shift
            ;;
        --shapes) IFS=, read -ra shapes <<<"$2" && shift ;;
        *) options+=("$1") ;;
    esac
    shift
done
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$here/target}
results=$(mktemp -d)
trap 'rm -r "$results"' EXIT

for build in threads one; do
    features=(--features threads)
    [ "$build" = threads ] || features=(${one[@]+"${one[@]}"})
    cargo build --quiet --release --manifest-path "$here/Cargo.toml" ${features[@]+"${features[@]}"}
    cp "$CARGO_TARGET_DIR/release/hedgerow-peers" "$results/$build"
done
if [ "$osg" = yes ]; then
    read -ra flags < <(pkg-config --cflags --libs openscenegraph)
    "${CXX:-c++}" -std=c++17 -O3 "$here/programs/osg.cc" "${flags[@]}" -o "$results/osg"
    options+=(--program "$results/osg")
fi
if [ -n "$three" ]; then
    ln -s "$(cd "$three" && pwd)" "$results/three"
    cp "$here/programs/three.mjs" "$results"
    options+=(--program "node --expose-gc $results/three.mjs $results/three")
fi
[ "$godot" = no ] || options+=(--program "$here/programs/godot.sh")
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
