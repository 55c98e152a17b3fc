# Daily commands; `just` lists them. Each recipe is a command that can also be typed.

# List the recipes.
default:
    @just --list

# The `frames` example, timed.
run *args:
    cargo run --release -p hedgerow-character --example frames -- {{args}}

# Tests; `just test -- slices::` runs those that match.
test *args:
    cargo test --all-features {{args}}

# The checks before each commit: a minute or two.
check:
    cargo fmt --all --check
    cargo clippy --workspace --exclude hedgerow-fuzz --exclude hedgerow-wgpu --all-targets --all-features -- -D warnings

# The documentation with all features.
doc:
    cargo doc --no-deps --all-features --open

# An experiment: `just measure thesis-static`.
measure experiment *args:
    cargo run --release -p hedgerow-experiments -- {{experiment}} {{args}}

# Instructions of single operations against their limits (needs valgrind).
instructions *args:
    cargo run --release -p hedgerow-instructions -- {{args}}

# Random edits against a naive model, for a minute (needs nightly and cargo-fuzz).
fuzz target="edits" seconds="60":
    cargo +nightly fuzz run {{target}} -- -max_total_time={{seconds}} -len_control=0 -max_len=1024

# A script of `long-checks`: `just long coverage`.
long script *args:
    long-checks/{{script}}.sh {{args}}

# Spelling, licences and sources of dependencies.
habits:
    typos
    cargo deny --workspace --all-features check bans licenses sources

# Everything that CI does.
ci *args:
    .ci/run {{args}}
