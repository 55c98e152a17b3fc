#!/usr/bin/env bash
# Runs for hours: a hundred million edits in long scenes, compared with the naive model; as many in short scenes, with a
# full comparison after each step, also on two threads that share every update; a hundred thousand games with rollback;
# ten million nodes inserted and removed; ten minutes of validated frames on one and on two threads; and the clocks of
# players after a day.
#
#   long-checks/soak.sh [edits, 1e8 by default] [seconds of frames, 600 by default]
source "$(dirname "$0")/common.sh"

edits=${1:-1e8} seconds=${2:-600}
soak() {
    headline "soak $*"
    nice -n 19 cargo run -q --release -p hedgerow-soak "${features[@]}" -- "$@"
}
features=()
soak cycles --count 1e7
soak restores --count 1e5
soak players --days 1
soak frames --seconds "$seconds"
features=(--features rayon)
soak frames --seconds "$seconds" --threads 2
RUSTFLAGS='--cfg hedgerow_shared' soak operations --edits 1e7 --every 1 --steps 47
RUSTFLAGS='--cfg hedgerow_shared' soak restores --count 1e4
features=()
soak operations --edits "$edits"
soak operations --edits "$edits" --every 1 --steps 47
finish
