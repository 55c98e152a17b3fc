#!/usr/bin/env bash
# Draws pictures of the repository's pages with any adapter, at most 150 kB each: docs/pictures/viewer-town.png,
# viewer-levels.png, viewer-army.png, viewer-prefabs.png and viewer-smooth.png.
set -euo pipefail
cd "$(dirname "$0")"
folder=../../docs/pictures
draw() {
    ${HEDGEROW_VIEWER:-cargo run --release --quiet --no-default-features --} "$@"
}
draw town --frames 60 --size 640x360 --colours 128 --eye 215,24,262 --target 170,0,205 --picture "$folder/viewer-town.png"
draw town --frames 60 --size 640x360 --colours 224 --eye 215,24,262 --target 170,0,205 --switch 2 \
    --picture "$folder/viewer-levels.png"
draw army --frames 60 --size 640x360 --colours 128 --characters 400 --picture "$folder/viewer-army.png"
draw prefabs --frames 3 --size 400x225 --colours 128 --picture "$folder/viewer-prefabs.png"
draw smooth --frames 10 --size 400x225 --colours 128 --picture "$folder/viewer-smooth.png"
for name in town levels army prefabs smooth; do
    file=$folder/viewer-$name.png
    bytes=$(wc -c <"$file")
    echo "$file: $bytes bytes"
    if [ "$bytes" -gt 150000 ]; then
        echo "$0: $file is larger than 150 kB" >&2
        exit 1
    fi
done
