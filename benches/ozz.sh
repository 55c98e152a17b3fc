#!/usr/bin/env bash
# Compares hedgerow-anim with ozz-animation: sampling and model matrices of the same skeletons and clips, and
# inverse kinematics, also of rebirth-ik; one thread.
#
#   benches/ozz.sh [PATH] [--turns N] [--joints N,M] [--iframes SECONDS] [--json]
#
# PATH or $OZZ_DIR is the source of ozz-animation, version 0.16 or similar. Nothing is fetched: without a source, the
# script says so and exits with 0. The needed parts are compiled with $CXX (c++) and $OZZ_FLAGS (-O3 -march=native) into
# $CARGO_TARGET_DIR/ozz or benches/ozz/target/ozz, and again if the flags change.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
source=${OZZ_DIR:-}
if [ $# -gt 0 ] && [ "${1#-}" = "$1" ]; then
    source=$1
    shift
fi
if [ -z "$source" ] || [ ! -f "$source/include/ozz/animation/runtime/sampling_job.h" ]; then
    echo "SKIPPED: ozz-animation's source is not in '$source'; give its path, or set OZZ_DIR" >&2
    exit 0
fi
source=$(cd "$source" && pwd)
compiler=${CXX:-c++}
read -ra flags <<<"${OZZ_FLAGS:--O3 -march=native}"
target=${CARGO_TARGET_DIR:-$here/ozz/target}
objects=$target/ozz
mkdir -p "$objects"

# The libraries base, runtime and offline, without importers and tools.
said="$compiler ${flags[*]} $source"
if [ "$(cat "$objects/said" 2>/dev/null)" != "$said" ]; then
    rm -f "$objects"/*.o "$objects/said"
    while read -r file; do
        name=${file#"$source/src/"}
        echo "$file" "$objects/${name//\//-}.o"
    done < <(find "$source/src/base" "$source/src/animation/runtime" "$source/src/animation/offline" -name '*.cc' \
        -not -path '*/fbx/*' -not -path '*/gltf/*' -not -path '*/tools/*' -not -path '*/collada/*') |
        xargs -n 2 -P "$(nproc)" bash -c \
            '"$0" -std=c++17 -DNDEBUG "${@:3:$#-4}" -I "$1/include" -I "$1/src" -c "${@: -2:1}" -o "${@: -1}"' \
            "$compiler" "$source" -- "${flags[@]}"
    echo "$said" >"$objects/said"
fi
"$compiler" -std=c++17 -DNDEBUG "${flags[@]}" -I "$source/include" "$here/ozz/driver.cc" "$objects"/*.o \
    -o "$objects/driver"

cargo build --quiet --release --manifest-path "$here/ozz/Cargo.toml"
program=${CARGO_TARGET_DIR:-$here/ozz/target}/release/hedgerow-beside-ozz
"$program" "$objects/driver" --flags "$("$compiler" --version | head -1), ${flags[*]}" "$@"
"${program%/*}/ik" "$objects/driver"
