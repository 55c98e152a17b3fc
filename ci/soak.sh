#!/usr/bin/env bash
# Hours of edits, frames and players: a hundred million edits compared with the naive model in long scenes, as many in
# short ones with a whole comparison after each step, ten million nodes made and removed, ten minutes of frames on one
# and on two threads, each validated, and the clocks of players after a day.
#
#   ci/soak.sh [edits, 1e8 by default] [seconds of frames, 600 by default]
source "$(dirname "$0")/common.sh"

edits=${1:-1e8} seconds=${2:-600}
soak() {
    headline "soak $*"
    nice -n 19 cargo run -q --release -p hedgerow-soak "${features[@]}" -- "$@"
}
features=()
soak cycles --count 1e7
soak players --days 1
soak frames --seconds "$seconds"
features=(--features rayon)
soak frames --seconds "$seconds" --threads 2
features=()
soak operations --edits "$edits"
soak operations --edits "$edits" --every 1 --steps 47
finish
