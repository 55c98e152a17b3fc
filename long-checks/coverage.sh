#!/usr/bin/env bash
# Reports which lines of the libraries the tests run. Fails below 95 % of all lines, and below 99 % in src/store.
#
#   long-checks/coverage.sh              all steps, in order
#   long-checks/coverage.sh STEP ...     some of them: build math anim character gltf mesh unit all others figures
#   long-checks/coverage.sh --missing PATH   also lists the lines that no test runs, in files whose path contains PATH
#
# Each step adds to the profiles in $CARGO_TARGET_DIR/coverage; `build` removes the profiles of earlier programs.
#
# Only the libraries and their tests are instrumented; dependencies and baselines run at full speed. Random tests run 8
# cases instead of 4, or $HEDGEROW_RANDOM_CASES.
#
# Not counted, neither as run nor as missed:
# - test code: files in `tests`, files named `tests.rs`, and everything below `#[cfg(test)]`;
# - `debug_assert`s and blocks of `cfg!(debug_assertions)`, which a release build does not contain;
# - code for other machines, which is not compiled.
# Documentation tests are not run: their code is in the documentation. All other lines count.
#
# LLVM's tools must be about as new as the compiler's LLVM (`rustc -vV`): `rustup component add llvm-tools` installs
# matching ones. `LLVM_PROFDATA` and `LLVM_COV` select others.
source "$(dirname "$0")/common.sh"

root=$PWD
missing=
steps=()
while [ $# -gt 0 ]; do
    case "$1" in
        --missing) missing=${2:?--missing needs a part of a path} && shift ;;
        build | math | anim | character | gltf | mesh | unit | all | others | figures) steps+=("$1") ;;
        *) sed -n '2,/^source/s/^# \{0,1\}//p' "$0" && exit 2 ;;
    esac
    shift
done
[ ${#steps[@]} -gt 0 ] || steps=(build math anim character gltf mesh unit all others figures)

find_tool() {
    local name=$1 bundled
    bundled=$(rustc --print sysroot)/lib/rustlib/$target/bin/$name
    if [ -x "$bundled" ]; then echo "$bundled"; else compgen -c "$name" | sort -Vr | head -n 1; fi
}
profdata=${LLVM_PROFDATA:-$(find_tool llvm-profdata)}
cov=${LLVM_COV:-$(find_tool llvm-cov)}
if [ -z "$profdata" ] || [ -z "$cov" ]; then
    skip_all 'llvm-profdata and llvm-cov are not installed'
fi

out=$(realpath -m "${CARGO_TARGET_DIR:-target}")/coverage
mkdir -p "$out/profiles"
export CARGO_TARGET_DIR=$out/target CARGO_PROFILE_TEST_DEBUG=0 CARGO_PROFILE_DEV_DEBUG=0
export RUSTC_WORKSPACE_WRAPPER=$root/long-checks/with-coverage
export HEDGEROW_RANDOM_CASES=${HEDGEROW_RANDOM_CASES:-8}

# Writes a line to `programs` for each test program: package, kind of target, name, path.
build() {
    rm -rf "$out/profiles" && mkdir -p "$out/profiles"
    LLVM_PROFILE_FILE=/dev/null cargo test -p hedgerow -p hedgerow-anim -p hedgerow-animator -p hedgerow-character -p hedgerow-gltf -p hedgerow-math -p hedgerow-mesh \
        -p hedgerow-tests -p hedgerow-anim-tests -p hedgerow-character-tests --all-features --lib --tests \
        --no-run --message-format json-render-diagnostics |
        sed -n 's|.*"manifest_path":"\([^"]*\)/Cargo.toml","target":{"kind":\["\([a-z]*\)".*"name":"\([a-z_]*\)".*"executable":"\([^"]*\)".*|\1 \2 \3 \4|p' \
            >"$out/programs"
    cat "$out/programs"
}

# Runs the test programs of a package (named by its folder) and kind, if their names match a pattern.
run() {
    local folder=$1 kind=$2 names=$3 of a_kind name program
    while read -r of a_kind name program; do
        [[ "$of $a_kind" =~ ^$folder\ $kind$ ]] && [[ $name =~ $names ]] || continue
        echo "-- $name"
        (cd "$of" && LLVM_PROFILE_FILE=$out/profiles/%8m.profraw "$program" -q)
    done <"$out/programs"
}

# Prints the lines of the libraries that do not count, as `FILE` or `FILE:LINE`.
not_counted() {
    find src crates/{anim,character,gltf,math,mesh}/src -name '*.rs' -print0 | xargs -0 awk '
        FNR == 1 { until = "" }
        { match($0, /^ */); indent = substr($0, 1, RLENGTH); text = substr($0, RLENGTH + 1) }
        until != "" {
            print FILENAME ":" FNR
            if ($0 == until || $0 == until ";") until = ""
            next
        }
        text == "#[cfg(test)]" { print FILENAME ":" FNR; attribute = 1; next }
        attribute {
            attribute = 0
            if (text ~ /^(pub.*)?mod [a-z_]+;$/) {
                folder = FILENAME
                if (folder !~ /\/(mod|lib)\.rs$/) sub(/\.rs$/, "", folder); else sub(/\/[a-z]+\.rs$/, "", folder)
                name = text; sub(/.*mod /, "", name); sub(/;/, "", name)
                print folder "/" name
            }
            print FILENAME ":" FNR
            if (text !~ /;$/) until = indent "}"
            next
        }
        text ~ /^debug_assert.*\($/ { print FILENAME ":" FNR; until = indent ")"; next }
        text ~ /^debug_assert/ { print FILENAME ":" FNR }
        text ~ /^if cfg!\(debug_assertions\)/ { print FILENAME ":" FNR; until = indent "}" }
    '
}

# Prints `FILE LINE COUNT` for all lines that count. Exports one program at a time: a program reports an inlined
# function that it does not use as never run, and with two programs LLVM would use the report of the first.
lines() {
    local of kind name program
    "$profdata" merge -sparse -o "$out/all.profdata" "$out"/profiles/*.profraw
    while read -r of kind name program; do
        "$cov" export -format=lcov -skip-functions -instr-profile "$out/all.profdata" "$program" \
            -ignore-filename-regex '(/registry/|/rustc/|/tests/|/tests\.rs|/crates/(experiments|model|testkit)/)'
    done <"$out/programs" | awk -v root="$root/" '
        NR == FNR { left_out[$0]; next }
        /^SF:/ { file = substr($0, 4); sub(root, "", file); stem = file; sub(/\.rs$/, "", stem); next }
        /^DA:/ {
            split(substr($0, 4), of, ",")
            line = file " " of[1]
            if ((file ":" of[1]) in left_out || stem in left_out) next
            if (!(line in most) || of[2] > most[line]) most[line] = of[2]
        }
        END { for (line in most) print line, most[line] }' <(not_counted) - | sort -k 1,1 -k 2,2n
}

figures() {
    lines >"$out/lines"
    awk '
        { all[$1]++; missed[$1] += $3 == 0 }
        END {
            for (file in all) if (missed[file])
                printf "%6.2f %% %5d of %5d  %s\n", 100 * (1 - missed[file] / all[file]), missed[file], all[file], file
        }' "$out/lines" | sort -k 6 | sed '1i\  run    lines not run   file (those not here are run in whole)'
    awk '
        function say(what) {
            printf "%-14s %6.2f %%: %d of %d lines\n", what, 100 * run[what] / all[what], run[what], all[what]
            return 100 * run[what] / all[what]
        }
        function count(what) { all[what]++; run[what] += $3 > 0 }
        { count("all") }
        /^src/ { count("hedgerow") }
        /^src\/store/ { count("src/store") }
        /^crates\/anim\// { count("hedgerow-anim") }
        /^crates\/animator/ { count("hedgerow-animator") }
        /^crates\/character/ { count("hedgerow-character") }
        /^crates\/gltf/ { count("hedgerow-gltf") }
        /^crates\/math/ { count("hedgerow-math") }
        /^crates\/mesh/ { count("hedgerow-mesh") }
        END {
            say("hedgerow"); say("hedgerow-anim"); say("hedgerow-animator"); say("hedgerow-character"); say("hedgerow-gltf"); say("hedgerow-math"); say("hedgerow-mesh")
            if ((say("src/store") < 99) + (say("all") < 95)) {
                print "too few lines are run: 95 % of all and 99 % in src/store are asked for"
                exit 1
            }
        }' "$out/lines"
}

for step in "${steps[@]}"; do
    headline "$step"
    case "$step" in
        build) build ;;
        math | anim | character | gltf | mesh) run "$root/crates/$step" lib . && run "$root/crates/$step(/tests)?" test . ;;
        unit) run "$root" lib . ;;
        all) run "$root/tests" test '^all$' ;;
        others) run "$root/tests" test '^[^a]|^a[^l]' ;;
        figures) figures || failed=yes ;;
    esac
done
if [ -n "$missing" ]; then
    awk -v part="$missing" 'index($1, part) && $3 == 0 { print $1, $2 }' "$out/lines" | while read -r file line; do
        printf '%s:%d: %s\n' "$file" "$line" "$(sed -n "${line}p" "$file")"
    done
fi
skip 'doctests: their code is that of the documentation'
finish
[ -z "${failed:-}" ]
