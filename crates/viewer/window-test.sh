#!/bin/sh
# Opens the viewer's window on a screen of its own, clicks, drags, deletes, undoes and closes it, and checks what the
# viewer says about that, and how it fails. Installs nothing: it needs Xvfb, xdotool, a C compiler and a Vulkan driver
# (Debian: xvfb, xdotool, gcc, mesa-vulkan-drivers). WINDOW_SHOT=FILE.png also writes a picture of the town in the window (Debian: imagemagick).
set -eu
cd "$(dirname "$0")"
for tool in Xvfb xdotool cc ${WINDOW_SHOT:+import convert}; do
    command -v "$tool" > /dev/null || { echo "window-test.sh needs $tool" >&2; exit 2; }
done
cargo build --locked
program=${CARGO_TARGET_DIR:-target}/debug/hedgerow-viewer
folder=$(mktemp -d)
viewer=
screen=
trap 'kill $viewer $screen 2> /dev/null || true; rm -rf "$folder"' EXIT

fail() {
    echo "window-test.sh: $1" >&2
    cat "$folder/said" "$folder/complaint" >&2 || true
    exit 1
}

# Waits up to a minute until a file has a line.
await() {
    for _ in $(seq 600); do
        [ -s "$1" ] && return
        sleep 0.1
    done
    fail "nothing in $1 after a minute"
}

# Runs the viewer with these arguments; it must fail with status 1 and one sentence that has this word.
refuses() {
    word=$1
    shift
    status=0
    env "$@" > "$folder/said" 2> "$folder/complaint" || status=$?
    [ "$status" = 1 ] || fail "status $status, not 1: $*"
    [ "$(grep -c '^hedgerow-viewer: ' "$folder/complaint")" = 1 ] || fail "not one sentence: $*"
    grep -q "^hedgerow-viewer: .*$word" "$folder/complaint" || fail "no $word: $*"
    grep -q panicked "$folder/complaint" && fail "a panic: $*"
    return 0
}

says() {
    tail -n 1 "$folder/said" | grep -q "\"$1\":$2[,}]" || fail "$1 is not $2"
}

# Opens the viewer's window with these arguments, and waits until it has drawn.
opens() {
    # What the one before said does not count.
    : > "$folder/said"
    "$program" --window --json "$@" > "$folder/said" 2> "$folder/complaint" &
    viewer=$!
    await "$folder/said"
}

# Waits for the end of the viewer, which must be a good one; $1 says what of it was tried.
ends_well() {
    local status=0
    wait "$viewer" || status=$?
    viewer=
    [ "$status" = 0 ] || fail "status $status of $1"
}

Xvfb -displayfd 1 -screen 0 1280x800x24 -nolisten tcp > "$folder/display" 2> /dev/null &
screen=$!
await "$folder/display"
DISPLAY=:$(cat "$folder/display")
export DISPLAY
unset WAYLAND_DISPLAY

# What cannot work is told in a sentence.
refuses 'no window' -u DISPLAY "$program" army
refuses 'no window' DISPLAY=:987 "$program" army
refuses 'missing.glb' "$program" missing.glb
refuses 'no graphics' WGPU_BACKEND=vulkan VK_DRIVER_FILES=/dev/null VK_ICD_FILENAMES=/dev/null "$program" army
cc -Wall -Wextra -shared -fPIC -o "$folder/libvulkan.so.1" tests/files/lost_device.c
VULKAN=$(PATH=$PATH:/sbin ldconfig -p | sed -n 's/.*libvulkan\.so\.1 .*=> //p' | head -n 1)
export VULKAN
for batches in 0 1 12; do
    refuses 'device was lost' LOST_AFTER=$batches LD_LIBRARY_PATH="$folder" WGPU_BACKEND=vulkan \
        "$program" --frames 30 --characters 5 --size 320x200 army
done
refuses 'device was lost' LOST_AFTER=2 LD_LIBRARY_PATH="$folder" WGPU_BACKEND=vulkan \
    "$program" --picture "$folder/lost.png" --frames 9 --draw-all --characters 5 --size 320x200 army

# So many frames, and no more.
"$program" --window --json --frames 3 --characters 5 --size 320x200 army > "$folder/said" 2> "$folder/complaint" ||
    fail "status $? of three frames"
says frames 3

# Pick, drag, delete, undo, duplicate, undo, close. There is no window manager, so keys go where the pointer is.
opens --still --characters 30 --size 900x560 army
window=$(xdotool search --name '^hedgerow: army' | head -n 1)
xdotool windowfocus "$window" mousemove --window "$window" 430 280 mousedown 1 mousemove --window "$window" 440 270 \
    mousemove --window "$window" 460 250 mouseup 1
xdotool key Delete key ctrl+z key ctrl+d key ctrl+z
xdotool mousemove --window "$window" 380 180 keydown shift mousedown 1 mousemove --window "$window" 420 250 \
    mousemove --window "$window" 560 400 mouseup 1 keyup shift
xdotool mousemove --window "$window" 430 120 click 4 mousedown 3 mousemove --window "$window" 470 130 mouseup 3
xdotool key x key b key c keydown w sleep 1 keyup w
xdotool windowsize "$window" 760 500 sleep 3 windowsize "$window" 200 20 sleep 3
xdotool key ctrl+q
ends_well 'the window'
says picks 1
says moves 1
says selected '[1-9][0-9]*'
says deletions 1
says duplicates 1
says undone 2
nodes=$(tail -n 1 "$folder/said" | sed 's/.*"nodes_before":\([0-9]*\).*/\1/')
says nodes "$nodes"

# Another animation of a file, and another camera.
opens --size 500x400 tests/files/lift.gltf
window=$(xdotool search --name '^hedgerow: .*lift' | head -n 1)
xdotool windowfocus "$window" mousemove --window "$window" 250 200 key n key v sleep 1 key v key ctrl+q
ends_well 'the window with a file'
says animations 1
says cameras 2

# Overrides are reverted, one of them is applied again, and the title says so.
opens --size 500x400 prefabs
window=$(xdotool search --name '^hedgerow: .*1: material on, 2: local on, 3: hidden roof on' | head -n 1)
xdotool windowfocus "$window" mousemove --window "$window" 250 200 key 1 key 3 key 1 key 4
timeout 60 xdotool search --sync --name '^hedgerow: .*1: material on, 2: local on, 3: hidden roof off' > /dev/null ||
    fail 'another title'
xdotool key ctrl+q
ends_well 'the window with prefabs'
says switched 3

echo "window-test.sh: $(tail -n 1 "$folder/said")"

[ -n "${WINDOW_SHOT:-}" ] || exit 0
opens --size 1280x800 town
window=$(xdotool search --name '^hedgerow: town' | head -n 1)
xdotool windowfocus "$window" mousemove --window "$window" 730 400 click 1 key p key p key m
sleep 60
import -window "$window" "$folder/shot.png"
xdotool key ctrl+q
wait "$viewer"
viewer=
convert "$folder/shot.png" +dither -colors 255 -define png:compression-level=9 "png8:$WINDOW_SHOT"
