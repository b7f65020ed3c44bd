#!/usr/bin/env python3
"""Meshes a frame of a run with bdem and with splashsurf, in turns: python3 splashsurf.py RUN FRAME [REPEATS]

Both on two threads, with cubes of 0.5 radii. Needs `bdem` and `splashsurf` (cargo install splashsurf) in the path. Prints for
each the median time of the whole command, the processor time, triangles, and closed shells: a piece that has none of its own is
fused with another.
"""

import json
import os
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

CUBE = "0.5"
SIZES = {"float": 4, "int": 4, "uint": 4, "uchar": 1}


def read(path):
    """Corners and triangles of a binary PLY file; its vertices begin with x, y and z, and its faces are lists of three."""
    data = path.read_bytes()
    head, body = data.split(b"end_header\n", 1)
    count, size, at = {}, 0, None
    for line in head.decode().splitlines():
        words = line.split()
        if words[0] == "element":
            at = words[1]
            count[at] = int(words[2])
        elif words[0] == "property" and at == "vertex":
            size += SIZES[words[1]]
    corners = [struct.unpack_from("<3f", body, k * size) for k in range(count["vertex"])]
    faces = count["vertex"] * size
    triangles = [struct.unpack_from("<3I", body, faces + 13 * k + 1) for k in range(count["face"])]
    return corners, triangles


def shells(corners, triangles):
    """How many connected parts have a positive volume: cavities have a negative one."""
    parent = list(range(len(corners)))

    def root(k):
        while parent[k] != k:
            parent[k] = parent[parent[k]]
            k = parent[k]
        return k

    for a, b, c in triangles:
        parent[root(a)] = root(b)
        parent[root(b)] = root(c)
    volume = {}
    for a, b, c in triangles:
        (ax, ay, az), (bx, by, bz), (cx, cy, cz) = corners[a], corners[b], corners[c]
        part = ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz) + az * (bx * cy - by * cx)
        volume[root(a)] = volume.get(root(a), 0.0) + part
    return sum(v > 0.0 for v in volume.values())


def run(command):
    """Seconds on the wall, and of processors."""
    start, before = time.perf_counter(), os.times()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    wall, after = time.perf_counter() - start, os.times()
    return wall, after.children_user + after.children_system - before.children_user - before.children_system


def main():
    folder, frame = Path(sys.argv[1]), int(sys.argv[2])
    repeats = int(sys.argv[3]) if len(sys.argv) > 3 else 9
    record = json.loads((folder / "run.json").read_text())
    ply = next((folder / "ply").glob(f"*.{frame:04}.ply"))
    head, body = ply.read_bytes().split(b"end_header\n", 1)
    names = [line.split()[2] for line in head.decode().splitlines() if line.startswith("property")]
    count = record["particles"]
    row = struct.Struct("<" + "".join("i" if name in ("id", "piece") else "f" for name in names))
    rows = [row.unpack_from(body, k * row.size) for k in range(count)]
    radius, pieces = rows[0][names.index("pscale")], len({r[names.index("piece")] for r in rows})
    with tempfile.TemporaryDirectory() as work:
        meshes = {"bdem": Path(work) / ply.name, "splashsurf": Path(work) / "splashsurf.ply"}
        ours = ["bdem", "convert", folder, "--to", "ply", "--frames", str(frame), "--threads", "2", "-o", work]
        theirs = ["splashsurf", "reconstruct", ply, "-r", str(radius), "-l", "2", "-c", CUBE, "-n", "2", "-q"]
        commands = {"bdem": [*ours, "--overwrite", "-q"], "splashsurf": [*theirs, "-o", meshes["splashsurf"]]}
        times = {name: [] for name in commands}
        for _ in range(repeats):
            for name, command in commands.items():
                times[name].append(run(command))
        print(f"{count} particles, {pieces} pieces, cubes of {CUBE} radii, {repeats} runs in turns")
        print("| | time | processor time | triangles | closed shells | pieces without one |\n|---|---|---|---|---|---|")
        for name, path in meshes.items():
            corners, triangles = read(path)
            wall, busy = (median(t[k] for t in times[name]) for k in (0, 1))
            found = shells(corners, triangles)
            print(f"| {name} | {wall:.2f} s | {busy:.2f} s | {len(triangles)} | {found} | {max(pieces - found, 0)} |")
        ratio = median(a[0] / b[0] for a, b in zip(times["bdem"], times["splashsurf"]))
        print(f"bdem over splashsurf, pair by pair: {ratio:.2f}")


main()
