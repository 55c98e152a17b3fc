# What one does daily; `just` lists it. Nothing here is needed: each line is a command to type.

# List the recipes.
default:
    @just --list

# The main job, timed.
run *args:
    cargo run --release --example frames -- {{args}}

# Tests; `just test -- slices::` runs some.
test *args:
    cargo test --all-features {{args}}

# What to do before each commit, in a minute or two.
check:
    cargo fmt --all --check
    cargo clippy --workspace --all-targets --all-features -- -D warnings

# The documentation, with everything that has a feature.
doc:
    cargo doc --workspace --no-deps --all-features --open

# An experiment: `just measure thesis-static`.
measure experiment *args:
    cargo run --release -p hedgerow-experiments -- {{experiment}} {{args}}

# Instructions of single operations against their limits (needs valgrind).
instructions *args:
    cargo run --release -p hedgerow-instructions -- {{args}}

# Random edits against a naive model, for a minute (needs nightly and cargo-fuzz).
fuzz target="edits" seconds="60":
    cargo +nightly fuzz run {{target}} -- -max_total_time={{seconds}} -len_control=0 -max_len=1024

# The long form of a check: `just long coverage`, and the other scripts in ci.
long script *args:
    ci/{{script}}.sh {{args}}

# The picture of the README.
picture:
    cargo run --release --example army -- --characters 200 --frames 30 --width 480 --picture docs/pictures/army.png

# Spelling, licences and sources of dependencies.
habits:
    typos
    cargo deny --all-features check bans licenses sources

# Everything that CI does.
ci *args:
    .ci/run {{args}}
