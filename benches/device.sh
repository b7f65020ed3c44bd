#!/usr/bin/env bash
# Steps on a graphics card: microseconds a step by particles, then scenes in seconds a frame. Ten minutes on a card.
#
#   cargo build --release --features gpu
#   cargo build --release -p bdem-gpu --features device --example speed
#   benches/device.sh target/release/bdem target/release/examples/speed 'NAME OF A CARD' FOLDER
set -euo pipefail

bdem=$1 speed=$2 device=$3 out=$4
scenes=$(cd "$(dirname "$0")/../scenes" && pwd)
mkdir -p "$out"

"$bdem" devices | tee "$out/devices.txt"
"$speed" "$device" | tee "$out/speed.csv"

# NAME SCENE FRAMES [--set ...]: seconds a frame on the card, steps and broken bonds
frame() {
    local name=$1 scene=$2 frames=$3
    shift 3
    timeout 120 "$bdem" simulate "$scenes/$scene.toml" --integrator explicit-verlet --device "$device" --frames "$frames" \
        --overwrite --quiet --output "$out/$name" "$@" || echo "$name: exit code $?"
    python3 - "$out/$name/run.json" "$name" <<'END' | tee -a "$out/frames.csv"
import json, sys
run = json.load(open(sys.argv[1]))
steps, seconds, frames = run["steps"], run["seconds"]["integrate"], max(run["frames"], 1)
print(f'{sys.argv[2]},{run["particles"]},{run["bonds"] + run["bonds_broken"]},{steps},{seconds / frames:.3f} s a frame,'
      f'{1e6 * seconds / max(steps, 1):.1f} us a step,{run["bonds_broken"]} broken')
END
}

rm -f "$out/frames.csv"
# [BDEM21] Table 2, of which window, drilling and coupling have rigid bodies
frame paper paper 2
frame rope rope 2
frame twisting beam_twisting 2
frame hourglass hourglass 1
# the plate of the main paper: 219 000 particles, whose random packing takes a minute
frame plate plate 6 --set bodies.plate.particle_radius=0.00065
frame plate-7200 plate 16
