#!/bin/sh
# Starts Godot with godot/peer.gd, and puts its socket behind pipes. Takes godot3-server and socat.
folder=$(dirname "$0")/godot
# Most likely free: below those that systems hand out.
port=$((20000 + $$ % 12000))
# It complains in each frame that there is nothing to draw on.
HEDGEROW_PORT=$port godot3-server --path "$folder" -s peer.gd </dev/null >/dev/null 2>&1 &
exec socat STDIO "TCP:127.0.0.1:$port,retry=200,interval=0.05,nodelay"
