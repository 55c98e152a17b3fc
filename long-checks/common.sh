# Shared code of the long checks; each script sources this file.
#
# Each script runs one tool without a time limit, and reports at the end what it left out. The short checks are in
# `.ci/run`.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export CARGO_TERM_COLOR=never
SECONDS=0
skipped=()
target=$(rustc -vV | sed -n 's/^host: //p')

# Reports a step as left out, now and at the end.
skip() {
    echo "SKIPPED: $1"
    skipped+=("$1")
}

headline() {
    printf '\n== %s (%d s) ==\n' "$1" "$SECONDS"
}

finish() {
    headline 'done'
    if [ ${#skipped[@]} -gt 0 ]; then
        printf 'left out: %s\n' "${skipped[@]}"
    else
        echo 'nothing was left out'
    fi
}

# Ends the script, with all its steps left out.
skip_all() {
    skip "everything: $1"
    finish
    exit
}

if [ -n "${HEDGEROW_GLTF_DIR:-}" ] && [ -d "$HEDGEROW_GLTF_DIR" ]; then
    export HEDGEROW_GLTF_DIR
else
    unset HEDGEROW_GLTF_DIR
    skip 'the shared glTF models: HEDGEROW_GLTF_DIR names no folder'
fi
