#!/usr/bin/env bash
# Which lines of the libraries the tests run. Fails below 95 % of all lines, and below 99 % in src/store.
#
#   ci/coverage.sh            figures by file
#   ci/coverage.sh --missing  besides, the lines of src/store that no test runs
#
# LLVM's tools have to be about as new as the compiler's LLVM (`rustc -vV`): `rustup component add llvm-tools` has those
# that fit. `LLVM_PROFDATA` and `LLVM_COV` name others than those found.
source "$(dirname "$0")/common.sh"

find_tool() {
    local name=$1 bundled
    bundled=$(rustc --print sysroot)/lib/rustlib/$target/bin/$name
    if [ -x "$bundled" ]; then echo "$bundled"; else compgen -c "$name" | sort -Vr | head -n 1; fi
}
profdata=${LLVM_PROFDATA:-$(find_tool llvm-profdata)}
cov=${LLVM_COV:-$(find_tool llvm-cov)}
if [ -z "$profdata" ] || [ -z "$cov" ]; then
    skip 'everything: llvm-profdata and llvm-cov are not installed'
    finish
    exit
fi

out=${CARGO_TARGET_DIR:-target}/coverage
mkdir -p "$out"
export CARGO_TARGET_DIR=$out/target CARGO_INCREMENTAL=0
export RUSTFLAGS='-Cinstrument-coverage --cfg hedgerow_coverage' LLVM_PROFILE_FILE=$PWD/$out/%p-%m.profraw
case "$out" in /*) LLVM_PROFILE_FILE=$out/%p-%m.profraw ;; esac

headline 'build'
packages=(-p hedgerow -p hedgerow-anim -p hedgerow-math)
programs=$(cargo test "${packages[@]}" --all-features --lib --tests --no-run --message-format json |
    sed -n 's/.*"executable":"\([^"]*\)".*/\1/p')

headline 'tests'
# Build scripts and macros wrote profiles of themselves.
rm -f "$out"/*.profraw
cargo test "${packages[@]}" --all-features --lib --tests

headline 'figures'
"$profdata" merge -sparse -o "$out/all.profdata" "$out"/*.profraw
objects=()
for program in $programs; do objects+=(-object "$program"); done
ignored='(/registry/|/rustc/|/tests/|tests\.rs|crates/experiments|crates/soak|/examples/)'
report=$("$cov" report -instr-profile "$out/all.profdata" "${objects[@]}" -ignore-filename-regex "$ignored")
echo "$report"
# Lines and missed lines are the eighth and ninth number of a file; the tenth is their share.
share() {
    awk -v part="$1" '$1 ~ part && $8 ~ /^[0-9]+$/ { lines += $8; missed += $9 }
        END { if (lines == 0) print 0; else printf "%.2f", 100 * (lines - missed) / lines }' <<<"$report"
}
all=$(share '\\.rs$')
store=$(share 'store/')
echo "lines: $all % of all, $store % in src/store"
if [ "${1:-}" = --missing ]; then
    "$cov" show -instr-profile "$out/all.profdata" "${objects[@]}" -ignore-filename-regex "$ignored" |
        awk '/^\// { file = $0 } /\| *0\|/ && file ~ /src\/store/ { print file " " $0 }'
fi
skip 'doctests: their code is that of the documentation'
finish
awk -v all="$all" -v store="$store" 'BEGIN { exit !(all >= 95 && store >= 99) }' || {
    echo 'too few lines are run: 95 % of all and 99 % in src/store are asked for' >&2
    exit 1
}
