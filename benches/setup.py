#!/usr/bin/env python3
"""Times set-ups by shape and packing: python3 setup.py [SPHERES ...] [--shapes A,B] [--packings A,B]

Each is a whole command on two threads: a run of one tiny step without kept packings, from reading the scene (and the mesh) to the
first frame. Needs `bdem` in the path. Prints for each the number of spheres, seconds of the clock, and of the processor.
"""

import argparse
import math
import os
import re
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SCENE = """
[scene]
name = "setup"
[time]
frame_rate = 1e9
frames = 1
integrator = "explicit-verlet"
[materials.stone]
density = 2600.0
young_modulus = 1e9
poisson_ratio = 0.2
[[bodies]]
name = "body"
material = "stone"
particle_radius = {radius!r}
packing = {packing}
shape = {shape}
"""

PACKINGS = {"hexagonal": '"hexagonal"', "random": '"random"', "shell": '"shell"', "filled": "{ shell = { fill = true } }"}
SOLID = {"hexagonal": 0.74, "random": 0.6, "filled": 0.6}  # shares of the volume, about
RING = 10  # ellipsoids in the union, in a ring


def ellipsoid(a, b, c):
    """Text of the shape, volume (m3) and area (m2, by Thomsen's formula)."""
    mean = ((a * b) ** 1.6 + (a * c) ** 1.6 + (b * c) ** 1.6) / 3
    return f"{{ ellipsoid = {{ radii = [{a}, {b}, {c}] }} }}", 4 / 3 * math.pi * a * b * c, 4 * math.pi * mean ** (1 / 1.6)


def moved(shape, x, y):
    return f"{{ moved = {{ shape = {shape}, position = [{x:.4f}, {y:.4f}, 0.0] }} }}"


def ring():
    shape, volume, area = ellipsoid(0.5, 0.4, 0.3)
    at = [(math.cos(2 * math.pi * k / RING), math.sin(2 * math.pi * k / RING)) for k in range(RING)]
    members = ", ".join(moved(shape, *p) for p in at)
    return f"{{ union = [{members}] }}", 0.77 * RING * volume, 0.67 * RING * area


def bitten():
    shape, volume, area = ellipsoid(1.0, 0.8, 0.6)
    bite = ellipsoid(0.5, 0.5, 0.5)[0]
    return f"{{ difference = [{shape}, {moved(bite, 0.9, 0.0)}] }}", 0.9 * volume, area


def mesh(folder, triangles):
    """A sphere with dents, as a binary PLY file of about so many triangles."""
    rows = max(3, round(math.sqrt(triangles / 4)))
    turns = 2 * rows

    def corner(row, turn):
        theta, phi = math.pi * row / rows, 2 * math.pi * turn / turns
        r = 1.0 + 0.1 * math.sin(theta) ** 4 * math.cos(4 * phi) * math.cos(6 * theta)
        return r * math.sin(theta) * math.cos(phi), r * math.sin(theta) * math.sin(phi), r * math.cos(theta)

    corners = [corner(0, 0)] + [corner(row, turn) for row in range(1, rows) for turn in range(turns)] + [corner(rows, 0)]
    last = len(corners) - 1
    at = lambda row, turn: 0 if row == 0 else last if row == rows else 1 + (row - 1) * turns + turn % turns
    faces = []
    for row in range(rows):
        for turn in range(turns):
            a, b, c, d = at(row, turn), at(row + 1, turn), at(row + 1, turn + 1), at(row, turn + 1)
            faces += [(a, b, c)] if b != c else []
            faces += [(a, c, d)] if a != d else []
    path = folder / f"{triangles}.ply"
    head = (
        f"ply\nformat binary_little_endian 1.0\nelement vertex {len(corners)}\nproperty double x\nproperty double y\n"
        f"property double z\nelement face {len(faces)}\nproperty list uchar uint vertex_indices\nend_header\n"
    )
    with path.open("wb") as out:
        out.write(head.encode())
        out.write(b"".join(struct.pack("<3d", *p) for p in corners))
        out.write(b"".join(struct.pack("<B3I", 3, *face) for face in faces))
    return f'{{ mesh = {{ file = "{path.name}" }} }}', 4 / 3 * math.pi, 4 * math.pi


SHAPES = {
    "box": lambda _: ("{ box = { size = [1.0, 1.0, 1.0] } }", 1.0, 6.0),
    "ellipsoid": lambda _: ellipsoid(1.0, 0.8, 0.6),
    "thin": lambda _: ellipsoid(1.0, 1.0, 0.1),
    "ten": lambda _: ring(),
    "difference": lambda _: bitten(),
    "mesh-1K": lambda folder: mesh(folder, 1_000),
    "mesh-80K": lambda folder: mesh(folder, 80_000),
    "mesh-1M": lambda folder: mesh(folder, 1_000_000),
}


def radius(packing, count, volume, area):
    """Radius (m) for about `count` spheres."""
    if packing == "shell":
        return math.sqrt(area / (2 * math.sqrt(3) * count))
    return (SOLID[packing] * volume / (count * 4 / 3 * math.pi)) ** (1 / 3)


def measure(folder, shape, packing, r):
    """Number of spheres, seconds of the clock, and of the processor."""
    scene = folder / "setup.toml"
    scene.write_text(SCENE.format(radius=r, packing=PACKINGS[packing], shape=shape))
    out = folder / "run"
    command = ["bdem", "simulate", str(scene), "-o", str(out), "--overwrite", "-q", "--threads", "2"]
    start = time.perf_counter()
    process = subprocess.Popen(command, env={**os.environ, "BDEM_CACHE": str(folder / "none")})
    _, status, used = os.wait4(process.pid, 0)
    wall = time.perf_counter() - start
    if status != 0:
        sys.exit(f"{' '.join(command)} failed")
    frame = next((out / "ply").glob("*.ply")).read_bytes()
    subprocess.run(["rm", "-rf", str(folder / "none"), str(out)], check=True)
    return int(re.search(rb"element vertex (\d+)", frame)[1]), wall, used.ru_utime + used.ru_stime


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("spheres", nargs="*", type=int, default=[10_000, 100_000])
    arguments.add_argument("--shapes", default=",".join(SHAPES))
    arguments.add_argument("--packings", default=",".join(PACKINGS))
    given = arguments.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for name in given.shapes.split(","):
            shape, volume, area = SHAPES[name](Path(folder))
            for packing in given.packings.split(","):
                for count in given.spheres:
                    r = radius(packing, count, volume, area)
                    found, wall, used = measure(Path(folder), shape, packing, r)
                    print(f"{name:10} {packing:9} {found:8} spheres {wall:7.2f} s {used:7.2f} s of processor", flush=True)


if __name__ == "__main__":
    main()
