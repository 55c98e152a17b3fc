#!/usr/bin/env bash
# Builds the viewer's web page, and tries it in headless Chromium with a software adapter: web/test.mjs says what.
#
#   crates/viewer/web-test.sh [FOLDER]      pictures that were taken go there; default: target/page-pictures
#
# $CHROMIUM names another browser. Where Chromium, node or the compiler's target cannot be had, that is a line
# "SKIPPED: ...", and no error.
set -euo pipefail
cd "$(dirname "$0")"

root=$(cd ../.. && pwd)
target_folder=${CARGO_TARGET_DIR:-$root/target}
pictures=${1:-$target_folder/page-pictures}

skip() {
    echo "SKIPPED: $1"
    exit 0
}

# Installs a package of this system unless its command is there.
have() {
    command -v "$1" >/dev/null && return
    command -v apt-get >/dev/null || return
    local root_as=()
    [ "$(id -u)" = 0 ] || root_as=(sudo -n)
    { "${root_as[@]}" apt-get update -q && "${root_as[@]}" apt-get install -q -y --no-install-recommends "$2"; } >&2
}

have node nodejs || skip 'there is no node'
if [ -z "${CHROMIUM:-}" ]; then
    have chromium chromium || skip 'there is no chromium'
    CHROMIUM=chromium
fi
built=0
./web-build.sh "$target_folder/page" || built=$?
case $built in
    0) ;;
    3) exit 0 ;;
    *) exit "$built" ;;
esac
mkdir -p "$pictures"
CHROMIUM=$CHROMIUM node web/test.mjs "$target_folder/page" "$pictures"
