#!/usr/bin/env bash
# Draws the two pictures of the repository's README, with any adapter: docs/pictures/viewer-town.png and
# docs/pictures/viewer-army.png, at most 150 kB each.
set -euo pipefail
cd "$(dirname "$0")"
folder=../../docs/pictures
draw() {
    ${HEDGEROW_VIEWER:-cargo run --release --quiet --no-default-features --} "$@"
}
draw town --frames 60 --size 640x360 --colours 128 --eye 215,24,262 --target 170,0,205 --picture "$folder/viewer-town.png"
draw army --frames 60 --size 640x360 --colours 128 --characters 400 --picture "$folder/viewer-army.png"
for name in town army; do
    file=$folder/viewer-$name.png
    bytes=$(wc -c <"$file")
    echo "$file: $bytes bytes"
    if [ "$bytes" -gt 150000 ]; then
        echo "$0: $file is larger than 150 kB" >&2
        exit 1
    fi
done
