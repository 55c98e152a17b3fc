#!/usr/bin/env bash
# Draws pictures of the repository's pages with any adapter, at most 150 kB each: docs/pictures/viewer-town.png,
# viewer-levels.png, viewer-army.png, viewer-prefabs.png and viewer-smooth.png. Needs ImageMagick.
set -euo pipefail
cd "$(dirname "$0")"
folder=../../docs/pictures
# Draws a picture with so many colours.
draw() {
    file=$folder/viewer-$1.png
    ${HEDGEROW_VIEWER:-cargo run --release --quiet --no-default-features --} "${@:3}" --picture "$file"
    convert "$file" +dither -colors "$2" -define png:compression-level=9 "png8:$file"
}
draw town 128 town --frames 60 --size 640x360 --eye 215,24,262 --target 170,0,205
draw levels 224 town --frames 60 --size 640x360 --eye 215,24,262 --target 170,0,205 --switch 2
draw army 128 army --frames 60 --size 640x360 --characters 400
draw prefabs 128 prefabs --frames 3 --size 400x225
draw smooth 128 smooth --frames 10 --size 400x225
for name in town levels army prefabs smooth; do
    file=$folder/viewer-$name.png
    bytes=$(wc -c <"$file")
    echo "$file: $bytes bytes"
    if [ "$bytes" -gt 150000 ]; then
        echo "$0: $file is larger than 150 kB" >&2
        exit 1
    fi
done
